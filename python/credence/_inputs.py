"""Arguments of users as arguments of the library: arrays, frames, lists, paths, groups, settings.

What copies: nothing that has the buffer protocol or DLPack does, whatever its strides and byte order. Data frames and
series are copied where their own to_numpy() does so; lists, and names of classes and groups, always.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import numbers
import operator
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar, Union, cast

from . import _core, _progress
from ._errors import (ArgumentError, DataWarning, Error, InputError, OutOfMemoryError, SystemCallError, UsageError,
                      shown)

Progress = Union[Callable[[str, int, int], object], bool, None]
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def guarded(function: F) -> F:
    """Make exceptions of users' objects ours: any method of theirs may raise anything.

    The argument is called by the function's parameter `what`, or by its first parameter.
    """
    @functools.wraps(function)
    def call(*unnamed: Any, **named: Any) -> Any:
        try:
            return function(*unnamed, **named)
        except Error:
            raise
        except MemoryError as error:
            raise OutOfMemoryError("no memory for the arguments of a call") from error
        except Exception as error:
            given = inspect.signature(function).bind(*unnamed, **named)
            given.apply_defaults()
            what = given.arguments.get("what", next(iter(given.arguments)))
            name = what if isinstance(what, str) else shown(what)
            raise ArgumentError(f"{name} cannot be read: {reason(error)}") from error
    return call  # type: ignore[return-value]


def reason(error: BaseException) -> str:
    """Return an exception of a user's object as text; its own str() may raise one too."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def is_word(value: object, word: str) -> bool:
    """Return whether an argument is this str: values with an == of their own, such as arrays, are not."""
    return is_a(value, str) and bool(str.__eq__(cast(str, value), word))


def is_a(value: object, kind: type) -> bool:
    """Return whether an argument is of a type; isinstance() also asks the object, which may raise an exception."""
    return issubclass(type(value), kind)


def is_real(value: object) -> bool:
    """Return whether an argument is a number of Python or NumPy: a share of the rows, where data may be given too."""
    return issubclass(type(value), numbers.Real)


# ---- Names, settings, progress.


@guarded
def names(value: str | Iterable[str] | bool | None, what: str = "metrics") -> str | None:
    """Return a list of names as the library reads it, separated by commas; None for bool, which names nothing."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return str.__str__(value)
    try:
        given = iter(value)
    except TypeError:
        raise ArgumentError(f"{what} is {shown(value)}, expected a str or a list of str") from None
    parts = []
    for part in given:  # of arrays, which may be long, the first member tells
        if not isinstance(part, str):
            raise ArgumentError(f"{what} contains {shown(part)}, expected str")
        parts.append(part)
    if not parts:
        raise UsageError(f"{what} is empty, expected at least one name")
    return ",".join(parts)


@guarded
def settings(value: str | Mapping[str, object] | None, what: str = "settings") -> str | None:
    """Return settings as the library reads them: "name=value,...".

    A list of numbers is written with commas inside.
    """
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{what} is {shown(value)}, expected a str or a dict")
    return ",".join(f"{name}={_setting(item)}" for name, item in value.items()) or None


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(_setting(item) for item in value)
    return repr(float(value)) if isinstance(value, float) else str(value)  # NumPy's float64 has another repr


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
        raise ArgumentError(f"{what} is {shown(value)}, expected an int") from None


@guarded
def utf8(value: str, what: str) -> bytes:
    """Return text as bytes."""
    if not isinstance(value, str):
        raise ArgumentError(f"{what} is {shown(value)}, expected a str")
    return value.encode()


@guarded
def flag(value: Any, what: str) -> bool:
    """Return what equals True or False: words such as "no", or empty lists, are not meant as either."""
    if value not in (True, False):
        raise ArgumentError(f"{what} is {shown(value)}, expected a bool")
    return bool(value)


@guarded
def number(value: Any, what: str) -> float:
    """Return a float."""
    if isinstance(value, (str, bytes)):
        raise ArgumentError(f"{what} is {shown(value)}, expected a float")
    return float(value)


@guarded
def vector(values: Any, what: str) -> Any:
    """Return numbers, such as one for each channel, as a float64 array; None: none."""
    if values is None:
        return None
    import numpy as np
    found = np.atleast_1d(np.asarray(values))
    if found.dtype.kind not in "fiub" or found.ndim != 1:
        raise ArgumentError(f"{what} is {shown(values)}, expected a vector of numbers")
    return plain(found, np.float64)


@guarded
def entries(value: Any, what: str, expected: str = "a dict") -> dict[Any, Any]:
    """Return the entries of a mapping."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{what} is {shown(value)}, expected {expected}")
    return dict(value.items())


@guarded
def key(value: object, what: str) -> str:
    """Return a name, the key of a dict, as str."""
    return str(value)


def made(core: Any, kind: type[T], makers: str) -> T:
    """Return an object of the extension, of which its class in Python is made."""
    if type(core) is not kind:
        raise ArgumentError(f"found {shown(core)}, which this class is not made of: {makers}")
    return core


# ---- Files.


@guarded
def is_path(value: object, what: str = "an argument") -> bool:
    return isinstance(value, (str, os.PathLike))


@guarded
def path_text(value: str | os.PathLike[str], what: str = "the path") -> str:
    """Return a path as str."""
    try:
        text = os.fspath(value)
    except TypeError:
        raise ArgumentError(f"{what} is {shown(value)}, expected a str or a path") from None
    if not isinstance(text, str):
        raise ArgumentError(f"{what} is {shown(value)}, expected a str")
    return str.__str__(text)


def read(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file."""
    name = path_text(path)
    try:
        with open(name, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise _of_system(error, name) from error


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
        raise _of_system(error, name) from error


def _of_system(error: OSError | ValueError, path: str) -> SystemCallError | UsageError:
    """Return our exception for one of open(): the same errno, and the user's own path."""
    if isinstance(error, OSError) and error.errno is not None:
        return SystemCallError(error.errno, os.strerror(error.errno), path)
    return UsageError(f"the path is {shown(path)}: {error}")


# ---- Arrays.


@guarded
def array(value: Any, what: str) -> Any:
    """Return an object that the library can read: data frames and series become NumPy arrays, others stay.

    Columns of objects that are numbers, as nullable columns of pandas are, become numbers. `what` is the name of the
    argument, for error messages.
    """
    if str(type(value).__module__).startswith("numpy.ma") and value.mask.any():
        raise InputError(f"{what} has masked values, which cannot be left out: pass the rows that have none")
    if value is None or type(value).__module__ == "numpy":
        return value
    if not hasattr(value, "to_numpy"):
        for call in ("toPandas", "toarray", "collect"):  # Spark, sparse matrices of SciPy, lazy frames of polars
            if hasattr(value, call) and not hasattr(value, "__array__"):
                raise ArgumentError(f"{what} is of the type {type(value).__name__}: pass {what}.{call}()")
        return value
    import numpy as np
    found = value.to_numpy()
    if not isinstance(found, np.ndarray):
        raise ArgumentError(f"{what}: its to_numpy() returns {shown(found)}, expected an array of NumPy")
    return np.array(found.tolist()) if found.dtype.kind == "O" and not is_text(found) else found


def plain(value: Any, dtype: Any) -> Any:
    """Return a contiguous and aligned array of this type, for what the library reads through a pointer."""
    import numpy as np
    return np.require(value, dtype, ["C", "A", "E"])


_DEPTH_MAX = 64  # dimensions of NumPy; a list may contain itself


def is_text(value: Any) -> bool:
    """Return whether an array-like holds str, without reading more than it must."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("U", "S", "T"):
        return True
    if kind != "O" and not isinstance(value, (list, tuple)):
        return False
    return isinstance(_first(value, _DEPTH_MAX), str)


def _first(value: Any, depth: int) -> object:
    """Return the first element of nested lists and arrays that is not missing; None: there is none."""
    if not depth or not isinstance(value, (list, tuple)) and (not hasattr(value, "dtype") or _is_scalar(value)):
        return None if is_missing(value) else value
    found = (_first(item, depth - 1) for item in value)
    return next((item for item in found if item is not None), None)


def _is_scalar(value: object) -> bool:
    """Return whether an element is a single value: arrays without dimensions have a __len__, which fails."""
    return getattr(value, "shape", None) == () or not hasattr(value, "__len__")


def is_missing(value: object) -> bool:
    """Return whether an element stands for a missing value: None, or NaN, NaT or NA, none of which equals itself."""
    if value is None or isinstance(value, (str, bytes)):
        return value is None
    try:
        return bool(value != value)
    except TypeError:  # NA of pandas is neither equal nor unequal
        return True


def complete(values: list[Any], what: str, expected: str) -> None:
    """Raise an exception where an element is missing: as text it would be a name of its own, such as "nan"."""
    row = next((row for row, value in enumerate(values) if type(value) is not str and is_missing(value)), None)
    if row is not None:
        raise InputError(f"{what} row {row} is missing ({shown(values[row])}), expected {expected}")


@guarded
def texts(value: Any, what: str) -> list[str]:
    """Return a vector, or a matrix of one column, of str as a list."""
    import numpy as np
    found = np.asarray(value, None if hasattr(value, "dtype") else object)  # of lists, str would hide what is missing
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise InputError(f"{what} are str in {found.ndim} dimensions, expected a vector")
    names = found.tolist()
    if found.dtype.kind not in "US":  # which hold text alone
        complete(names, what, "a name")
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


@guarded
def class_list(value: Any, what: str = "class_names") -> list[str] | None:
    """Return names of classes as a list of str; None: none."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or getattr(value, "ndim", 1) != 1 or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} is {shown(value)}, expected a list of str")
    return [str(name) for name in value]


@guarded
def columns(scores: Any) -> list[str] | None:
    """Return the names of the columns of a data frame, which are those of the classes; None: it has none."""
    found = getattr(scores, "columns", None)
    if found is None or not hasattr(scores, "to_numpy"):
        return None
    found = list(found)
    return found if len(found) > 1 and all(isinstance(name, str) for name in found) else None


@guarded
def labels(value: Any, known: list[str] | None, what: str = "labels") -> Any:
    """Return labels as the library reads them: names as indices into the names of the classes."""
    value = array(value, what)
    if value is None or not is_text(value):
        return value
    if known is None:
        raise InputError(f"{what} are str: pass class_names, in the order of the columns of scores")
    import numpy as np
    index = {name: k for k, name in enumerate(known)}
    twice = next((name for k, name in enumerate(known) if index[name] != k), None)
    if twice is not None:
        raise InputError(f"class_names holds {shown(twice)} twice: where {what} are str, each class needs its own name")
    given = texts(value, what)
    try:
        return np.array([index[name] for name in given], np.int64)
    except KeyError as error:
        wrong = error.args[0]
        near = _core.nearest(wrong, known)
        raise InputError(f"{what} row {given.index(wrong)} is {shown(wrong)}, which is not among the classes"
                         + (f"; did you mean {near!r}?" if near else "")) from None


@guarded
def groups(value: Any, what: str = "groups") -> list[tuple[str, Any, list[str] | None]] | None:
    """Return group columns as (name, ids, names): an array is the column `groups`, a dict or a data frame has several.

    Ids are integers; `names` are those of the ids 0, 1, ..., if the groups are str.
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        return [column(key(name, what), ids) for name, ids in value.items()]
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        return [column(str(name), value[name]) for name in value.columns]
    name = getattr(value, "name", None)
    return [column(str(name) if name else "groups", value)]


@guarded
def column(what: str, ids: Any) -> tuple[str, Any, list[str] | None]:
    """Return a group column by its name."""
    ids = array(ids, what)
    if not is_text(ids):
        return what, ids, None
    import numpy as np
    found, index = np.unique(np.array(texts(ids, what), dtype=str), return_inverse=True)
    return what, index.astype(np.int64), found.tolist()


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
            **{key: value for key, value in options.items() if not is_word(value, "auto") and not is_word(value, "top")}})
        return scores
    if is_path(scores, "scores"):
        files = {"labels": labels_, "class_names": class_names}
        path = path_text(scores, "scores")
        _refuse(f"the file {shown(path)}, which has its own", {
            **{key: value for key, value in files.items() if not is_path(value, key)}, **rows, "groups": groups_,
            "features": None if features is True else features, "name": name})
        files = {key: path_text(value, key) for key, value in files.items() if value is not None}
        return _core.Predictions.open(path, input=input, group_by=group_by, features=features is True, **files, **more)
    if is_path(labels_, "labels") or is_path(class_names, "class_names"):
        raise ArgumentError("labels or class_names is a path, but scores is none")
    known = class_list(class_names) or columns(scores)
    if is_word(input, "auto") and (correct is not None or predicted is not None) and confidence is None \
            and _is_vector(scores):
        input = "confidence"
    found, truth = array(scores, "scores"), labels(labels_, known)
    if _are_swapped(found, truth):
        raise InputError("scores are integers, and labels are not: are they in the wrong order?")
    return _core.Predictions(
        scores=found, labels=truth, class_names=known, groups=groups(groups_),
        features=None if features is True else array(features, "features"), name=name, input=input,
        **{key: labels(value, known, key) if key == "predicted" else array(value, key) for key, value in rows.items()},
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
    return isinstance(value, (list, tuple)) and all(_is_scalar(row) for row in value[:1])


def _has_fractions(value: Any) -> bool:
    import numpy as np
    given = np.asarray(value.detach() if hasattr(value, "detach") else value)
    return given.dtype.kind == "f" and bool(np.any(given % 1 != 0))


def _are_swapped(scores: Any, labels_: Any) -> bool:
    """Return whether labels begin with a fraction, and scores are a vector of integers."""
    with contextlib.suppress(Exception):  # what cannot be read here is explained where it is read
        return (labels_ is not None and _is_vector(scores) and _has_fractions(labels_[:1])
                and not _has_fractions(scores))
    return False


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
