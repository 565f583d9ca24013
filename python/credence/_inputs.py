"""Arguments of users as arguments of the library: arrays, frames, lists, paths, groups, settings.

What copies: nothing that has the buffer protocol or DLPack does, whatever its strides and byte order. Data frames and
series are copied where their own to_numpy() does so; lists, and names of classes and groups, always.
"""
from __future__ import annotations

import contextlib
import functools
import operator
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar, Union

from . import _core, _progress
from ._errors import ArgumentError, DataWarning, Error, InputError, OutOfMemoryError, SystemCallError, UsageError

Progress = Union[Callable[[str, int, int], object], bool, None]
F = TypeVar("F", bound=Callable[..., Any])


def guarded(function: F) -> F:
    """Make exceptions of users' objects ours: any method of theirs may raise anything."""
    @functools.wraps(function)
    def call(*unnamed: Any, **named: Any) -> Any:
        try:
            return function(*unnamed, **named)
        except Error:
            raise
        except MemoryError as error:
            raise OutOfMemoryError("no memory for the arguments of a call") from error
        except Exception as error:
            raise ArgumentError(f"an argument cannot be read: {type(error).__name__}: {error}") from error
    return call  # type: ignore[return-value]

# ---- Names, settings, progress.


@guarded
def names(value: str | Iterable[str] | bool | None, what: str = "metrics") -> str | None:
    """Return a list of names as the library reads it, separated by commas; None for bool, which names nothing."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return value
    try:
        parts = list(value)
    except TypeError:
        raise ArgumentError(f"{what} is {value!r}, expected a str or a list of str") from None
    for part in parts:
        if not isinstance(part, str):
            raise ArgumentError(f"{what} contains {part!r}, expected str")
    if not parts:
        raise UsageError(f"{what} is empty, expected at least one name")
    return ",".join(parts)


@guarded
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
    return repr(float(value)) if isinstance(value, float) else str(value)  # NumPy's float64 has another repr


@guarded
def progress(value: Progress) -> Callable[[str, int, int], object] | None:
    """Return the callback for an argument `progress`: True shows a bar, on standard error or in the notebook."""
    if value is True:
        return _progress.bar()
    return None if value is None or value is False else value


@guarded
def whole(value: Any, what: str) -> int:
    """Return an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{what} is {value!r}, expected an int") from None


# ---- Files.


def is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


@guarded
def path_text(value: str | os.PathLike[str]) -> str:
    """Return a path as str."""
    try:
        text = os.fspath(value)
    except TypeError:
        raise ArgumentError(f"the path is {value!r}, expected a str or a path") from None
    if not isinstance(text, str):
        raise ArgumentError(f"the path is {value!r}, expected a str")
    return text


def read(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file."""
    try:
        with open(path_text(path), "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise _of_system(error, path) from error


def write(path: str | os.PathLike[str], given: bytes) -> None:
    """Write a file whole or not at all; a device or pipe stays what it is."""
    name = path_text(path)
    device = os.path.exists(name) and not os.path.isfile(name)
    partial = name if device else f"{name}.part-{os.getpid()}-{threading.get_ident()}"
    try:
        try:
            with open(partial, "wb") as file:
                file.write(given)
            if not device:
                os.replace(partial, name)
        finally:
            if not device and os.path.exists(partial):
                os.unlink(partial)
    except (OSError, ValueError) as error:
        raise _of_system(error, path) from error


def _of_system(error: OSError | ValueError, path: object) -> SystemCallError | UsageError:
    """Return our exception for one of open(): the same errno, and the user's own path."""
    if isinstance(error, OSError) and error.errno is not None:
        return SystemCallError(error.errno, os.strerror(error.errno), str(path))
    return UsageError(f"the path is {path!r}: {error}")


# ---- Arrays.


def array(value: Any, what: str) -> Any:
    """Return an object that the library can read: data frames and series become NumPy arrays, others stay.

    Columns of objects that are numbers, as nullable columns of pandas are, become numbers. `what` is the name of the
    argument, for error messages.
    """
    if str(type(value).__module__).startswith("numpy.ma") and value.mask.any():
        raise InputError(f"{what} has masked values, which cannot be left out: pass the rows that have none")
    if value is None or type(value).__module__ == "numpy" or not hasattr(value, "to_numpy"):
        return value
    try:
        found = value.to_numpy()
        if found.dtype.kind == "O" and not is_text(found):
            import numpy as np
            found = np.array(found.tolist())
        return found
    except Exception as error:
        raise ArgumentError(f"{what} cannot be read as an array of numbers: {error}") from error


def plain(value: Any, dtype: Any) -> Any:
    """Return a contiguous and aligned array of this type, for what the library reads through a pointer."""
    import numpy as np
    return np.require(value, dtype, ["C", "A", "E"])


def is_text(value: Any) -> bool:
    """Return whether an array-like holds str, without reading more than it must."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("U", "S", "T"):
        return True
    if kind != "O" and not isinstance(value, (list, tuple)):
        return False
    first = value
    while len(first) and (isinstance(first, (list, tuple)) or hasattr(first, "dtype")):
        first = first[0]
        if isinstance(first, str):
            return True
        if not hasattr(first, "__len__"):
            return False
    return False


def texts(value: Any, what: str) -> list[str]:
    """Return a vector, or a matrix of one column, of str as a list."""
    import numpy as np
    found = np.asarray(value)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise InputError(f"{what} are str in {found.ndim} dimensions, expected a vector")
    return [name.decode() if isinstance(name, bytes) else str(name) for name in found.tolist()]


@guarded
def class_list(value: Any, what: str = "class_names") -> list[str] | None:
    """Return names of classes as a list of str; None: none."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)):
        raise ArgumentError(f"{what} is {value!r}, expected a list of str")
    try:
        return [str(name) for name in value]
    except TypeError:
        raise ArgumentError(f"{what} is {value!r}, expected a list of str") from None


def columns(scores: Any) -> list[str] | None:
    """Return the names of the columns of a data frame, which are those of the classes; None: it has none."""
    found = getattr(scores, "columns", None)
    if found is None or not hasattr(scores, "to_numpy"):
        return None
    found = list(found)
    return found if len(found) > 1 and all(isinstance(name, str) for name in found) else None


def labels(value: Any, known: list[str] | None) -> Any:
    """Return labels as the library reads them: names as indices into the names of the classes."""
    value = array(value, "labels")
    if value is None or not is_text(value):
        return value
    if known is None:
        raise InputError("labels are str: pass class_names, in the order of the columns of scores")
    import numpy as np
    index = {name: k for k, name in enumerate(known)}
    given = texts(value, "labels")
    try:
        return np.array([index[name] for name in given], np.int64)
    except KeyError as error:
        wrong = error.args[0]
        near = _core.nearest(wrong, known)
        raise InputError(f"labels row {given.index(wrong)} is {wrong!r}, which is not among the classes"
                         + (f"; did you mean {near!r}?" if near else "")) from None


def groups(value: Any) -> list[tuple[str, Any, list[str] | None]] | None:
    """Return group columns as (name, ids, names): an array is the column `groups`, a dict or a data frame has several.

    Ids are integers; `names` are those of the ids 0, 1, ..., if the groups are str.
    """
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
    if not is_text(ids):
        return name, ids, None
    import numpy as np
    found, index = np.unique(np.array(texts(ids, name), dtype=str), return_inverse=True)
    return name, index.astype(np.int64), found.tolist()


# ---- Predictions.


@guarded
def predictions(scores: Any, labels_: Any = None, *, class_names: Any = None, groups_: Any = None,
                group_by: str | None = None, weights: Any = None, confidence: Any = None, predicted: Any = None,
                correct: Any = None, features: Any = None, name: str | None = None, input: str = "auto",
                **more: Any) -> _core.Predictions:
    """Make predictions of the arguments that all functions share.

    `scores` is an array of any kind, the path of a file, or predictions (credence.read), which are returned. Files have
    their own labels, groups, weights ...: a path as `labels_` and as `class_names` names a file of them, and `features`
    True asks for those of the file. `group_by` names the group columns that a file is to be read with. `more` are
    further keyword arguments of _core.Predictions that both have: threads, binary, cluster, labels_optional ...; None
    is the default.
    """
    more = {key: value for key, value in more.items() if value is not None}
    rows = {"weights": weights, "confidence": confidence, "predicted": predicted, "correct": correct}
    if isinstance(scores, _core.Predictions):
        options = {"input": input, "binary": more.get("binary"), "cluster": more.get("cluster")}
        _refuse("predictions, which have their own", {
            **rows, "labels": labels_, "class_names": class_names, "groups": groups_, "name": name,
            "features": None if features is True else features,
            **{key: value for key, value in options.items() if value not in ("auto", "top")}})
        return scores
    if is_path(scores):
        files = {"labels": labels_, "class_names": class_names}
        _refuse(f"the file {os.fspath(scores)!r}, which has its own", {
            **{key: value for key, value in files.items() if not is_path(value)}, **rows, "groups": groups_,
            "features": None if features is True else features, "name": name})
        files = {key: path_text(value) for key, value in files.items() if value is not None}
        return _core.Predictions.open(path_text(scores), input=input, group_by=group_by, features=features is True,
                                      **files, **more)
    if is_path(labels_) or is_path(class_names):
        raise ArgumentError("labels or class_names is a path, but scores is none")
    known = class_list(class_names) or columns(scores)
    if input == "auto" and (correct is not None or predicted is not None) and confidence is None and _is_vector(scores):
        input = "confidence"
    return _core.Predictions(
        scores=array(scores, "scores"), labels=labels(labels_, known), class_names=known, groups=groups(groups_),
        features=None if features is True else array(features, "features"), name=name, input=input,
        **{key: labels(value, known) if key == "predicted" else array(value, key) for key, value in rows.items()},
        **more)


def _refuse(having: str, given: Mapping[str, object]) -> None:
    for key, value in given.items():
        if value is not None:
            raise ArgumentError(f"{key} is given, but scores are {having}")


def _is_vector(value: Any) -> bool:
    """Return whether an array-like has one dimension, or one column."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)
    return isinstance(value, (list, tuple)) and not any(hasattr(row, "__len__") for row in value[:1])


# ---- Faults of the data.


def _sentences(rows: _core.Predictions) -> list[str]:
    return [f"{found['name']}: {found['found']} {found['advice']}".strip() for found in rows.findings()]


def warn(rows: _core.Predictions) -> tuple[str, ...]:
    """Warn the caller of our caller of faults that make metrics wrong, and return them."""
    found = _sentences(rows)
    for sentence in found:
        warnings.warn(sentence, DataWarning, stacklevel=3)
    return tuple(found)


@contextlib.contextmanager
def explained(rows: _core.Predictions) -> Iterator[None]:
    """Add to an InputError what a quick diagnosis finds: why the row that it names is invalid."""
    try:
        yield
    except InputError as error:
        with contextlib.suppress(InputError):
            for sentence in _sentences(rows):
                error.add_note(sentence)
        raise
