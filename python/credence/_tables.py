"""The library's tables of metrics, methods, losses and figures, and docstrings made of them."""
from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from . import _core

Entry = Mapping[str, Any]
F = TypeVar("F", bound=Callable[..., Any])


@functools.lru_cache(maxsize=1)
def _all() -> dict[str, Mapping[str, Entry]]:
    return {kind: MappingProxyType({entry["name"]: MappingProxyType(entry) for entry in entries})
            for kind, entries in _core.tables().items()}


def table(kind: str) -> Mapping[str, Entry]:
    """Return a table of the library by the names of its entries: metrics, methods, exports, forms ..."""
    return _all()[kind]


def metrics() -> Mapping[str, Entry]:
    """Return the metrics: name to title, summary, meaning, reference, range and direction.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> credence.metrics()["ece"]["summary"], credence.metrics()["ece"]["direction"]
    ('expected calibration error, equal-width bins', 'lower')
    """
    return table("metrics")


def methods() -> Mapping[str, Entry]:
    """Return the calibration methods: name to summary, meaning, reference and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> [setting["name"] for setting in credence.methods()["isotonic"]["settings"]]
    ['scope', 'interpolation']
    """
    return table("methods")


def losses() -> Mapping[str, Entry]:
    """Return the training losses: name to summary, meaning, reference and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> credence.losses()["dca"]["auxiliary"]
    True
    """
    return table("losses")


def figures() -> Mapping[str, Entry]:
    """Return the figures: name to summary and source.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> [name for name, entry in credence.figures().items() if entry["source"] == "calibrator"]
    ['weights']
    """
    return table("figures")


def architectures() -> Mapping[str, Entry]:
    """Return the networks that can be built: name to summary, reference, kind of samples and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> credence.architectures()["lenet5"]["input"]
    'images'
    """
    return table("architectures")


def optimisers() -> Mapping[str, Entry]:
    """Return the optimisers: name to summary, reference and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> "adamw" in credence.optimisers()
    True
    """
    return table("optimisers")


def schedules() -> Mapping[str, Entry]:
    """Return the schedules of the learning rate: name to summary, reference and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> "cosine" in credence.schedules()
    True
    """
    return table("schedules")


def augmentations() -> Mapping[str, Entry]:
    """Return the random transformations of training images: name to summary, reference and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> "flip" in credence.augmentations()
    True
    """
    return table("augmentations")


def corruptions() -> Mapping[str, Entry]:
    """Return the corruptions of images, for tests of shift: name to summary, reference and settings.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> len(credence.corruptions()) > 5
    True
    """
    return table("corruptions")


def datasets() -> Mapping[str, Entry]:
    """Return the kinds of datasets: name to summary, path, splits and reference.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> credence.datasets()["fashion-mnist"]["splits"]
    'train test'
    """
    return table("datasets")


def operators() -> Mapping[str, Entry]:
    """Return the operators that networks may have: name to summary, versions and gradients.

    Returns
    -------
    mapping

    Examples
    --------
    >>> import credence
    >>> credence.operators()["Conv"]["backward_input"]
    True
    """
    return table("operators")


@functools.lru_cache(maxsize=None)
def listing(kind: str) -> str:
    """Return the entries of a table as the lines of a docstring."""
    lines = [f"``{name}``: {entry.get('summary') or _setting(entry)}" for name, entry in _all()[kind].items()]
    return "\n".join(textwrap.fill(line, 88, initial_indent="- ", subsequent_indent="  ") for line in lines)


def _setting(entry: Entry) -> str:
    return f"{entry['help']} (default {entry['standard']})"


def documented(**tables: str) -> Callable[[F], F]:
    """Replace a line {word} of a function's docstring by the entries of a table: documented(word="metrics")."""
    def fill(function: F) -> F:
        text = function.__doc__ or ""
        for word, kind in tables.items():
            for line in text.splitlines():
                if line.strip() == "{" + word + "}":
                    indent = line[:len(line) - len(line.lstrip())]
                    text = text.replace(line, textwrap.indent(listing(kind), indent))
        function.__doc__ = text
        return function
    return fill
