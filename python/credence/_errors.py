"""Exceptions: each is an :class:`Error`, and the built-in exception that callers would expect."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._train import Training

_SHOWN_MAX = 80


def shown(value: object) -> str:
    """Return an argument as error messages show it: a short repr() itself, of other objects the type."""
    try:
        text = repr(value)
    except Exception:
        text = "\n"
    if len(text) <= _SHOWN_MAX and "\n" not in text:
        return text
    if type(value) in (str, bytes):
        return text[:_SHOWN_MAX - 3] + "..."
    return f"an object of the type {type(value).__name__}"


class Error(Exception):
    """A call failed. The message names the argument or file, what was found and what is allowed."""


class ArgumentError(Error, TypeError):
    """An argument has the wrong type."""


class UsageError(Error, ValueError):
    """An argument is outside its stated range, or unknown."""


class InputError(Error, ValueError):
    """The input data is invalid."""


class UnsupportedError(Error, ValueError):
    """This feature is not built in."""


class NumericError(Error, ValueError):
    """No finite answer exists for this data."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class SystemCallError(Error, OSError):
    """The operating system reported an error, such as a full disk."""


class Interrupted(Error, KeyboardInterrupt):
    """The call was interrupted, by Ctrl-C or by a signal.

    Attributes
    ----------
    training : credence.Training | None
        Of :func:`credence.train`: what was trained so far.
    """

    training: Training | None = None


class DataWarning(UserWarning):
    """The data has a fault that makes metrics wrong, such as labels that start at 1."""


BY_STATUS: dict[str, type[Error]] = {
    "EUSAGE": UsageError,
    "EINPUT": InputError,
    "EABSENT": UnsupportedError,
    "ENUMERIC": NumericError,
    "ENOMEM": OutOfMemoryError,
    "ESYSTEM": SystemCallError,
    "EINTERRUPTED": Interrupted,
}
