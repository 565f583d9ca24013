"""Datasets: labelled images, tables and texts, from files or from memory."""
from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _core, _inputs
from ._errors import ArgumentError, UsageError, shown
from ._forms import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Samples = NDArray[Any]


class Dataset:
    """Labelled samples, from the name of a dataset or from arrays.

    Parameters
    ----------
    data
        A name, as the program's DATA: ``"fashion-mnist#train"``, ``"csv:table.csv"``,
        ``"folder:photos#train"``, ``"synthetic:mixture"``; see :func:`credence.datasets`. Or an array of
        samples, (rows, ...), which is not copied.
    labels
        Of an array: the classes of the rows, as indices or names.
    groups
        Of an array: the group (patient) of each row, as numbers or names.
    weights
        Of an array.
    classes, class_names
        Of an array: number and names of the classes; default: as many as the labels need.
    split_seed
        Of ``%A:B`` in a name.
    size
        (height, width) to which images are resized; None: as stored.
    resize
        ``crop``: the shorter side is resized, then the centre is cropped; ``stretch``.
    channels
        1: grey, 3: RGB; 0: as the first image.
    skip_corrupt
        Leave out images that cannot be decoded, with a note.
    label_column, label_map, group_pattern
        Of tables and folders, as the program's options.
    threads
        Threads; 0: all.

    Attributes
    ----------
    shape : tuple[int, ...]
        Of one sample.
    classes : int
        Number of classes; 0: no labels.
    class_names : list[str]
        Their names.
    type : str
        ``images``, ``vectors`` or ``texts``.
    has_groups : bool
        Whether rows belong to groups, such as patients.
    notes : list[str]
        How it was read, if that is worth knowing.

    Notes
    -----
    It can be pickled: as its name, which is opened anew, or with its arrays: samples as they are then.

    A wheel is built without the libraries for PNG, JPEG and compressed files: data that need these raise
    :class:`credence.UnsupportedError`, which names the missing library. Datasets can be read by several
    threads at once.

    Examples
    --------
    >>> import credence
    >>> data = credence.Dataset("synthetic:line:rows=100#train")
    >>> data.shape, data.classes
    ((1,), 2)
    >>> samples, labels = data[:5]
    >>> samples.shape, labels.shape
    ((5, 1), (5,))
    """

    def __init__(self, data: Any, labels: Any = None, *, groups: Any = None, weights: Any = None, classes: int = 0,
                 class_names: Any = None, split_seed: int = 0, size: tuple[int, int] | int | None = None,
                 resize: str = "crop", channels: int = 0, skip_corrupt: bool = False, label_column: str | None = None,
                 label_map: str | Mapping[str, str] | None = None, group_pattern: str | None = None,
                 threads: int = 0) -> None:
        self._recipe: tuple[Any, ...] | None = None
        self._samples: Any = None  # where there is no recipe
        self._group_names: dict[str, str] = {}  # of the ids that stand for names in the library
        if isinstance(data, _core.Dataset):
            self._core = data
        elif _inputs.is_path(data, "data"):
            path = _inputs.path_text(data, "data")
            for name, value in (("labels", labels), ("groups", groups), ("weights", weights)):
                if value is not None:
                    raise ArgumentError(f"{name} is given, but {shown(path)} has its own")
            height, width = _size(size)
            how: dict[str, Any] = {
                "split_seed": split_seed, "resize": resize, "channels": channels, "skip_corrupt": skip_corrupt,
                "label_column": label_column, "label_map": _inputs.settings(label_map, "label_map"),
                "group_pattern": group_pattern, "threads": threads}
            self._core = _core.Dataset.open(path, height=height, width=width, **how)
            self._recipe = _remade, (path, None, {"size": (height, width), **how})
        else:
            self._samples = _inputs.array(data, "data")
            self._core, self._group_names = _from_arrays(self._samples, labels, groups, weights, classes, class_names)
        about = self._core.describe()
        self.name: str = about["name"]
        self.shape: tuple[int, ...] = about["shape"]
        self.classes: int = about["classes"]
        self.class_names: list[str] = about["class_names"]
        self.type: str = about["type"]
        self.notes: list[str] = about["notes"]
        self._rows: int = about["rows"]
        self.has_groups: bool = about["has_groups"]
        self._has_weights: bool = about["has_weights"]
        self._columns: dict[str, Any] | None = None

    def _column(self, name: str) -> Any:
        if self._columns is None:
            self._columns = self._core.columns()
        return self._columns.get(name)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The class of each row; -1: none."""
        found: NDArray[np.int64] = read_only(self._column("labels"))
        return found

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each row; None: all have the same."""
        found: NDArray[np.float64] | None = read_only(self._column("weights")) if self._has_weights else None
        return found

    @property
    def groups(self) -> list[str | None] | None:
        """The group of each row; None: there are no groups."""
        found: list[str | None] | None = self._column("groups")
        return None if found is None else [group and self._group_names.get(group, group) for group in found]

    @property
    def indices(self) -> NDArray[np.int64]:
        """The index of each row's sample, which parts and slices keep."""
        found: NDArray[np.int64] = read_only(self._column("indices"))
        return found

    def __len__(self) -> int:
        return self._rows

    @overload
    def __getitem__(self, rows: int) -> tuple[Samples, int]: ...

    @overload
    def __getitem__(self, rows: slice | list[int] | NDArray[Any]) -> tuple[Samples, NDArray[np.int64]]: ...

    def __getitem__(self, rows: Any) -> tuple[Samples, Any]:
        """Return (samples, labels) of a row, a slice, a list of positions or a mask."""
        positions = self._positions(rows)
        samples = self._core.read(_inputs.plain(positions.reshape(-1), np.int64))
        labels = self.labels[positions]
        return (samples[0], int(labels)) if positions.ndim == 0 else (samples, labels)

    def _positions(self, rows: Any) -> NDArray[np.int64]:
        try:
            found = np.asarray(np.arange(self._rows)[rows], dtype=np.int64)
        except IndexError as error:
            raise IndexError(f"rows {shown(rows)} of {self._rows}: {error}") from None
        except Exception as error:
            raise ArgumentError(f"rows is {shown(rows)}, expected a position, a slice, positions or a mask") from error
        if found.ndim > 1:
            raise ArgumentError(f"rows is {shown(rows)}, expected a position, a slice, positions or a mask")
        return found

    def __iter__(self) -> Iterator[tuple[Samples, int]]:
        for samples, labels in self.batches(128):
            for sample, label in zip(samples, labels):
                yield sample, int(label)

    def batches(self, size: int = 128) -> Iterator[tuple[Samples, NDArray[np.int64]]]:
        """Yield (samples, labels) of consecutive rows; the last batch may be smaller.

        Parameters
        ----------
        size
            Rows of a batch.
        """
        size = _inputs.whole(size, "size")
        if size < 1:
            raise UsageError(f"size is {size}, allowed are numbers from 1 on")
        for start in range(0, self._rows, size):
            yield self[start:start + size]

    def part(self, start: float, stop: float, *, order: str = "stratified", seed: int = 0) -> Dataset:
        """Return the samples from ``start`` to ``stop`` per cent of a random order.

        Parts of adjacent ranges are disjoint; groups always stay whole.

        Parameters
        ----------
        start, stop
            Per cent of the order.
        order
            ``stratified``, so that each class keeps its share, or ``random``.
        seed
            Of the order.
        """
        return self._selected(self._core.part(from_=start, to=stop, order=order, seed=seed),
                              (_part, (self, start, stop, order, seed)))

    def split(self, share: float, *, order: str = "stratified", seed: int = 0) -> tuple[Dataset, Dataset]:
        """Return the dataset without a share of its samples, such as 0.1, and that share.

        Parameters
        ----------
        share
            Between 0 and 1.
        order, seed
            As for :meth:`part`.

        Examples
        --------
        >>> import credence
        >>> training, validation = credence.Dataset("synthetic:line:rows=100#train").split(0.1)
        >>> len(training), len(validation)
        (90, 10)
        """
        if not _inputs.is_real(share):
            raise ArgumentError(f"share is {shown(share)}, expected a float")
        if not 0 < share < 1:
            raise UsageError(f"share is {shown(share)}, allowed are numbers between 0 and 1")
        cut = 100 * (1 - share)
        return self.part(0, cut, order=order, seed=seed), self.part(cut, 100, order=order, seed=seed)

    def take(self, rows: Any) -> Dataset:
        """Return rows as a dataset: positions in any order, a slice or a mask.

        Parameters
        ----------
        rows
            Positions in any order, a slice or a mask.
        """
        try:
            positions = _inputs.plain(self._positions(rows).reshape(-1), np.int64)
        except IndexError as error:
            raise UsageError(str(error)) from None
        return self._selected(self._core.take(positions), (Dataset.take, (self, positions)))

    def _selected(self, core: _core.Dataset, recipe: tuple[Any, ...]) -> Dataset:
        found = Dataset(core)
        found._recipe, found._group_names = recipe, self._group_names
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        if self._recipe is not None:
            return self._recipe
        # Samples are shared; everything else was copied, and may have been overwritten where it came from.
        return _remade, (self._samples, self.labels if self.classes else None, {
            "groups": self.groups, "weights": self.weights, "class_names": self.class_names or None})

    def __repr__(self) -> str:
        shape = "x".join(str(size) for size in self.shape)
        return f"<Dataset {self.name or 'in memory'}: {self._rows} {self.type} of {shape}, {self.classes} classes>"


def _remade(data: Any, labels: Any, options: dict[str, Any]) -> Dataset:
    return Dataset(data, labels, **options)


def _part(whole: Dataset, start: float, stop: float, order: str, seed: int) -> Dataset:
    return whole.part(start, stop, order=order, seed=seed)


@_inputs.guarded
def _size(size: tuple[int, int] | int | None) -> tuple[int, int]:
    if size is None:
        return 0, 0
    if isinstance(size, int):
        return size, size
    height, width = size
    return height, width


@_inputs.guarded
def _from_arrays(data: Any, labels: Any, groups: Any, weights: Any, classes: int,
                 class_names: Any) -> tuple[_core.Dataset, dict[str, str]]:
    """Return a dataset, and the names of its groups by their ids, as which the library knows them."""
    known = _inputs.class_list(class_names)
    if known is None and labels is not None and _inputs.is_text(labels):
        known = sorted(set(_inputs.texts(labels, "labels")))
    ids, names = (None, None) if groups is None else _inputs.column("groups", groups)[1:]
    ids_of_names = [_group_id(name) for name in names or ()]
    core = _core.Dataset(inputs=data, labels=_inputs.labels(labels, known),
                         groups=ids if names is None else np.array(ids_of_names, np.int64)[ids],
                         weights=_inputs.array(weights, "weights"), classes=classes,
                         class_names=None if known is None else tuple(known))
    return core, dict(zip(map(str, ids_of_names), names or ()))


def _group_id(name: str) -> int:
    """Return an integer for a group: the same one in all datasets, and that of a number is the number."""
    if re.fullmatch("0|-?[1-9][0-9]{0,17}", name):
        return int(name)
    return int.from_bytes(hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:8], "little") >> 1


def of(data: Any, what: str = "data") -> Dataset:
    """Return the dataset of an argument: a Dataset, a name, an array, or (samples, labels)."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, tuple):
        if len(data) != 2:
            raise ArgumentError(f"{what} is a tuple of {len(data)}, expected (samples, labels)")
        return Dataset(data[0], data[1])
    return Dataset(data)
