"""What figures are drawn from: 2-D embeddings, records of training, perturbations, calibratability, learned epochs."""
from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._clamp import Clamp
from ._contest import other_rows
from ._errors import ArgumentError, InputError, UsageError, shown
from ._forms import Reported
from ._svg import SVG

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Source:
    """Data of a figure."""

    FIGURE = ""
    INSTEAD = "pickle the data that it was made of"

    def __init__(self, core: _core.Source) -> None:
        self._core = _inputs.made(core, _core.Source, "functions such as credence.embed return it")

    def figure(self, *, title: str | None = None, id: str | None = None) -> SVG:
        """Return its figure.

        Parameters
        ----------
        title
            Above the figure; None: the name of the data.
        id
            The prefix of ids inside the figure, different for each figure of one page.

        Returns
        -------
        SVG
        """
        return SVG(self._core.figure(self.FIGURE, title=title, id=id))

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError(f"{type(self).__name__} cannot be pickled: {self.INSTEAD}")

    def _repr_html_(self) -> str:
        return str(self.figure(id=f"credence-{id(self):x}"))


# ---- 2-D embeddings.


class Embedding(Source):
    """A 2-D embedding (t-SNE) of rows; only neighbourhoods are meaningful.

    It cannot be pickled, but its arrays and its figure can.

    Attributes
    ----------
    x, y : numpy.ndarray
        The points.
    row, label, correct : numpy.ndarray
        Of each point: the index of its row, its true class, and whether the prediction is right.
    features : bool
        The distances are those of features, not of logits.
    perplexity : float
        The effective number of neighbours.
    """

    FIGURE = "tsne"
    INSTEAD = "pickle its arrays (x, y, row, label, correct) and its figure()"

    def __init__(self, core: _core.Source) -> None:
        super().__init__(core)
        about = core.describe()
        self.x: NDArray[np.float64] = about["x"]
        self.y: NDArray[np.float64] = about["y"]
        self.row: NDArray[np.int64] = about["row"]
        self.label: NDArray[np.int64] = about["label"]
        self.correct: NDArray[np.bool_] = about["correct"].astype(bool)
        self.classes: int = about["classes"]
        self.features: bool = about["features"]
        self.perplexity: float = about["perplexity"]

    def __repr__(self) -> str:
        return f"<Embedding of {len(self.x)} rows by their {'features' if self.features else 'logits'}>"


def embed(scores: Any, labels: Any = None, *, features: Any = None, rows: int = 0, perplexity: float = 0.0,
          iterations: int = 0, class_names: Sequence[str] | None = None, input: str = "auto", name: str | None = None,
          threads: int = 0, seed: int = 0, progress: _inputs.Progress = None) -> Embedding:
    """Embed rows in two dimensions (t-SNE), by their features if there are any, else by their logits.

    Parameters
    ----------
    scores, labels, class_names, input, name
        As in :func:`credence.evaluate`.
    features
        Of the rows: an array; of a file, they are read from it.
    rows
        That are embedded at most; of more, a random sample is drawn. 0: 5000.
    perplexity
        The effective number of neighbours; 0: 30, or a third of the rows if there are fewer.
    iterations
        Of the optimisation; 0: 1000.
    threads, seed, progress
        As in :func:`credence.evaluate`.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import credence, numpy as np
    >>> labels = np.tile([0, 1, 2], 10)
    >>> logits = 3 * np.eye(3)[labels] + np.random.default_rng(0).normal(size=(30, 3))
    >>> credence.embed(logits, labels, iterations=300).x.shape
    (30,)
    """
    given = _inputs.predictions(scores, labels, features=True if features is None else features, input=input,
                                class_names=class_names, name=name)
    return Embedding(given.embed(rows=rows, perplexity=perplexity, iterations=iterations, threads=threads, seed=seed,
                                 progress=_inputs.progress(progress)))


# ---- Files of training and clamping.


class TrainingRecord(Source):
    """The record of a training run, ``m.run.json`` beside ``m.onnx``.

    Attributes
    ----------
    columns : dict of str to numpy.ndarray
        Values of every epoch: ``loss``, ``rate``, ``validation.ece``; NaN: it does not exist.
    settings : dict of str to str
        Of the training.
    epochs, kept : int
        Their number, and the epoch whose model was kept, from 1.
    """

    FIGURE = "training"

    _file: tuple[str, bytes]

    def __init__(self, core: _core.Source) -> None:
        super().__init__(core)
        about = core.describe()
        self.columns: dict[str, NDArray[np.float64]] = about["columns"]
        self.settings: dict[str, str] = about["settings"]
        self.epochs: int = about["epochs"]
        self.kept: int = about["kept"]
        self.network: str = about["network"]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TrainingRecord:
        """Read a record.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        TrainingRecord
        """
        found = cls(_core.Source.run(_inputs.path_text(path)))
        found._file = os.path.basename(_inputs.path_text(path)), _inputs.read(path)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _record, self._file

    def __repr__(self) -> str:
        return f"<TrainingRecord of {self.network!r}: {self.epochs} epochs>"


def _record(name: str, content: bytes) -> TrainingRecord:
    """Return the record of a file with this name and content."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        _inputs.write(path, content)
        return TrainingRecord.load(path)


class Perturbation(Source):
    """What Neural Clamping adds to every input of a network.

    Parameters
    ----------
    clamp
        The fitted clamp.
    name
        Of the figure.

    Attributes
    ----------
    delta : numpy.ndarray
        The perturbation, in the shape of one sample.
    temperature : float
        That the logits are divided by.
    """

    FIGURE = "perturbation"

    def __init__(self, clamp: Clamp, name: str) -> None:
        if not _inputs.is_a(clamp, Clamp):
            raise ArgumentError(f"clamp is {shown(clamp)}, expected a credence.Clamp")
        super().__init__(_core.Source.perturbation(clamp._core, name))
        self._made = clamp, name
        self.delta: NDArray[np.float32] = clamp.delta
        self.temperature: float = clamp.temperature

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Perturbation:
        """Read the perturbation of a clamp.

        Parameters
        ----------
        path
            A file of ``credence clamp`` or of a clamp's ``save``.

        Returns
        -------
        Perturbation
        """
        return cls(Clamp.load(path), _inputs.path_text(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return Perturbation, self._made

    def __repr__(self) -> str:
        return f"<Perturbation of shape {self.delta.shape}; temperature {self.temperature:.6g}>"


# ---- Training methods.


class Calibratability(Reported, Source):
    """How well networks can be calibrated, by training method: :func:`credence.calibratability`.

    It cannot be pickled, but its JSON and its figure can.
    """

    FIGURE = "calibration-size"
    INSTEAD = "pickle its to_json() or to_dict(), and its figure()"

    def _writer(self) -> _core.Source:
        return self._core

    def _repr_html_(self) -> str:
        """Return the figure of the sizes of the calibration set, if there are several, else the table."""
        if any(each["rows"] is not None for each in self.to_dict()["trainings"][0].get("sizes", [])):
            return super()._repr_html_()
        return f"<pre>{html.escape(repr(self))}</pre>"


class LearnedEpochs(Reported, Source):
    """Whether networks still distinguish easy from hard training rows: :func:`credence.learned_epochs`.

    It cannot be pickled, but its JSON and its figure can.
    """

    FIGURE = "learned-epochs"
    INSTEAD = "pickle its to_json() or to_dict(), and its figure()"

    def _writer(self) -> _core.Source:
        return self._core


@_inputs.guarded
def _runs(runs: Mapping[str, Any], what: str = "runs") -> list[tuple[str, Any]]:
    """Return (name, run) of a dict of names to a run or to a list of runs."""
    given = _inputs.entries(runs, what, "a dict of names to runs or lists of runs")
    return [(_inputs.key(name, what), run) for name, each in given.items()
            for run in (each if isinstance(each, list) else [each])]


@_inputs.guarded
def _sizes(sizes: Iterable[int] | None) -> list[int]:
    return [] if sizes is None else [_inputs.whole(size, "sizes") for size in sizes]


@_tables.documented(methods="methods")
def calibratability(runs: Mapping[str, Any], *, calibrate: Mapping[str, Any] | None = None,
                    baseline: str | None = None, methods: str | Iterable[str] | None = None, bins: int = 15,
                    split: float = 0.0, sizes: Iterable[int] | None = None, draws: int = 20, input: str = "auto",
                    cluster: str | None = None, threads: int = 0, seed: int = 0,
                    progress: _inputs.Progress = None) -> Calibratability:
    """Compare how well networks of several training methods can be calibrated.

    A training method with a low calibration error may leave less for post-hoc calibration to gain: the error after it
    counts (Wang et al. 2021).

    Parameters
    ----------
    runs
        A dict of names of training methods to predictions, or to a list of predictions of several seeds:
        ``(scores, labels)``, dicts of arguments of :func:`credence.evaluate`, or paths.
    calibrate
        In the same form, the rows to fit post-hoc methods on. None: the rows of ``runs`` are divided.
    baseline
        The training method to compare with; None: the first.
    methods
        Post-hoc methods, with settings in brackets; None: temperature, histogram(edges=equal-mass),
        isotonic(scope=top-1). Known are:

        {methods}
    bins
        Of the calibration error.
    split
        Without ``calibrate``: the fraction of rows to fit on; 0: 0.5.
    sizes
        Numbers of calibration rows to draw; 0: all rows. None: all rows only.
    draws
        Of each size.
    input, cluster
        As in :func:`credence.evaluate`.
    threads, seed, progress
        As in :func:`credence.evaluate`.

    Returns
    -------
    Calibratability

    Examples
    --------
    >>> import credence, numpy as np
    >>> random = np.random.default_rng(0)
    >>> labels = random.integers(0, 3, 200)
    >>> logits = np.eye(3)[labels] + random.normal(size=(200, 3))
    >>> found = credence.calibratability({"ce": (3 * logits, labels), "ls": (logits, labels)}, methods="temperature")
    >>> print(found.report("csv"))  # doctest: +ELLIPSIS
    training,...
    """
    options: dict[str, Any] = {"input": input, "cluster": cluster}
    tests = _runs(runs)
    fits = [("", None)] * len(tests) if calibrate is None else _runs(calibrate, "calibrate")
    if calibrate is not None and [name for name, _ in tests] != [name for name, _ in fits]:
        raise UsageError("calibrate has other names or other numbers of runs than runs")
    given = [(name, other_rows(test, f"runs[{shown(name)}]", **options),
              None if fit is None else other_rows(fit, f"calibrate[{shown(name)}]", **options))
             for (name, test), (_, fit) in zip(tests, fits)]
    return Calibratability(_core.Source.calibratability(
        given, _sizes(sizes), baseline=baseline, methods=_inputs.names(methods, "methods"),
        bins=bins, split=split, draws=draws, threads=threads, seed=seed, progress=_inputs.progress(progress)))


def learned_epochs(runs: Mapping[str, Any], *, bins: int = 30) -> LearnedEpochs:
    """Correlate the epochs in which training rows were learned with their largest logits.

    Parameters
    ----------
    runs
        A dict of names of training methods to a run, or to a list of runs of several seeds: ``(learned, max_logit)``,
        arrays with the epoch from which on each row is predicted correctly, from 1, or 0: never, and its largest
        logit; or the path of a file of ``credence train --learned``.
    bins
        Of the histograms of the largest logits.

    Returns
    -------
    LearnedEpochs

    Examples
    --------
    >>> import credence
    >>> found = credence.learned_epochs({"ce": ([1, 1, 2, 3, 0], [9.0, 8.0, 7.0, 5.0, 1.0])})
    >>> found.to_dict()["credence"]
    'learned-epochs'
    """
    return LearnedEpochs(_core.Source.learned([(name, *_learned(f"runs[{shown(name)}]", run)) for name, run in _runs(runs)], bins))


@_inputs.guarded
def _learned(what: str, run: Any) -> tuple[Any, Any]:
    import numpy as np
    if _inputs.is_path(run, what):
        run = _core.Source.learned_file(_inputs.path_text(run, what))
    if not isinstance(run, tuple) or len(run) != 2:
        raise ArgumentError(f"{what} is {shown(run)}, expected (learned, max_logit) or a path")
    learned, max_logit = (np.asarray(_inputs.array(each, what)) for each in run)
    if learned.dtype.kind not in "fiub" or max_logit.dtype.kind not in "fiub":
        raise ArgumentError(f"{what}: expected two arrays of numbers, found {learned.dtype} and {max_logit.dtype}")
    if not ((learned >= 0) & (learned < 2 ** 32) & (learned == np.floor(learned))).all():
        raise InputError(f"{what}: expected epochs from 1 on, or 0, as integers")
    return _inputs.plain(learned, np.uint32), _inputs.plain(max_logit, np.float32)
