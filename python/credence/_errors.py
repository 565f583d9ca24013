"""Exceptions: each is an :class:`Error`, and the built-in exception that callers would expect."""
from __future__ import annotations


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
    """The call was interrupted, by Ctrl-C or by a signal."""


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
