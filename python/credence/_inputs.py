"""Arguments of users as arguments of the library: arrays, frames, lists, paths, groups, settings."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from . import _core
from ._errors import ArgumentError, InputError

Progress = Union[Callable[[str, int, int], object], bool, None]


def names(value: str | Iterable[str] | None, what: str = "metrics") -> str | None:
    """Return a list of names as the library reads it: separated by commas."""
    if value is None or isinstance(value, str):
        return value
    try:
        parts = list(value)
    except TypeError:
        raise ArgumentError(f"{what} is {value!r}, expected a str or a list of str") from None
    for part in parts:
        if not isinstance(part, str):
            raise ArgumentError(f"{what} contains {part!r}, expected str")
    return ",".join(parts)


def settings(value: str | Mapping[str, object] | None) -> str | None:
    """Return settings as the library reads them: "name=value,...".

    A list of numbers is written with commas inside.
    """
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise ArgumentError(f"settings is {value!r}, expected a str or a dict")
    return ",".join(f"{name}={_setting(item)}" for name, item in value.items()) or None


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(_setting(item) for item in value)
    return repr(value) if isinstance(value, float) else str(value)


def progress(value: Progress) -> Callable[[str, int, int], object] | None:
    """Return the callback for an argument `progress`: True shows a bar on standard error."""
    if value is True:
        return Bar()
    return value or None


class Bar:
    """A progress bar on standard error: one line, from the second half of the first second on."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.shown = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self.start < 0.5 or not total:
            return
        filled = 30 * done // total
        line = f"{stage:<24} [{'#' * filled}{'.' * (30 - filled)}] {100 * done // total:3d} %"
        end = "\n" if done >= total else ""
        sys.stderr.write("\r" + line.ljust(self.shown) + end)
        sys.stderr.flush()
        self.shown = 0 if end else len(line)


def is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


def path_text(value: str | os.PathLike[str]) -> str:
    text = os.fspath(value)
    if not isinstance(text, str):
        raise ArgumentError(f"the path is {value!r}, expected a str")
    return text


def array(value: Any, what: str) -> Any:
    """Return an object that the library can read: data frames and series as NumPy arrays."""
    if value is None or type(value).__module__ == "numpy":
        return value
    if hasattr(value, "to_numpy"):  # pandas and polars
        try:
            return value.to_numpy()
        except Exception as error:
            raise ArgumentError(f"{what} cannot be read as an array of numbers: {error}") from error
    return value


def _is_text(value: Any) -> bool:
    """Return whether an array-like holds str, without reading more than it must."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("U", "S", "T"):
        return True
    if kind == "O" or isinstance(value, (list, tuple)):
        first = next(iter(value), None) if len(value) else None
        return isinstance(first, str)
    return False


def labels(value: Any, class_names: Sequence[str] | None, columns: list[str] | None) -> tuple[Any, list[str] | None]:
    """Return labels as indices, and the names of the classes."""
    value = array(value, "labels")
    known = None if class_names is None else [str(name) for name in class_names]
    if value is None or not _is_text(value):
        return value, known or columns
    known = known or columns
    if known is None:
        raise InputError("labels are str: pass class_names, in the order of the columns of scores")
    import numpy as np
    index = {name: k for k, name in enumerate(known)}
    out = np.empty(len(value), np.int64)
    for row, name in enumerate(value):
        if name not in index:
            near = _core.nearest(str(name), known)
            raise InputError(f"labels row {row} is {str(name)!r}, which is not among the classes"
                             + (f"; did you mean {near!r}?" if near else ""))
        out[row] = index[name]
    return out, known


def groups(value: Any) -> list[tuple[str, Any, list[str] | None]] | None:
    """Return group columns: an array is the column `groups`, a dict or a data frame has several."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return [column(str(name), ids) for name, ids in value.items()]
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        return [column(str(name), value[name]) for name in value.columns]
    name = getattr(value, "name", None)
    return [column(str(name) if name else "groups", value)]


def column(name: str, ids: Any) -> tuple[str, Any, list[str] | None]:
    ids = array(ids, name)
    if not _is_text(ids):
        return name, ids, None
    import numpy as np
    found, index = np.unique(np.asarray(ids, dtype=str), return_inverse=True)
    return name, index.astype(np.int64).reshape(-1), [str(each) for each in found]


def predictions(scores: Any, labels_: Any = None, *, class_names: Sequence[str] | None = None,
                groups_: Any = None, **more: Any) -> _core.Predictions:
    """Make predictions of the arguments that all functions share."""
    if isinstance(scores, _core.Predictions):
        return scores
    if is_path(scores):
        given = {"labels": labels_, "class_names": class_names, "groups": groups_,
                 **{name: more.pop(name, None) for name in ("weights", "confidence", "predicted", "correct", "name")}}
        for name, value in given.items():
            if value is not None:
                raise ArgumentError(f"{name} is given, but {os.fspath(scores)!r} is a file, which has its own")
        if not isinstance(more.get("features"), (bool, type(None))):
            raise ArgumentError(f"features are given, but {os.fspath(scores)!r} is a file: pass features=True to read its own")
        return _core.Predictions.open(path_text(scores), **{k: v for k, v in more.items() if v is not None})
    columns = None
    if hasattr(scores, "columns") and all(isinstance(name, str) for name in scores.columns):
        columns = [str(name) for name in scores.columns]
    indices, known = labels(labels_, class_names, columns)
    arrays = {name: array(more.pop(name, None), name)
              for name in ("weights", "features", "confidence", "predicted", "correct")}
    return _core.Predictions(scores=array(scores, "scores"), labels=indices, class_names=known,
                             groups=groups(groups_), **arrays, **more)
