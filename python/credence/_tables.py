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


def metrics() -> Mapping[str, Entry]:
    """Return the metrics: name to title, summary, meaning, reference, range and direction."""
    return _all()["metrics"]


def methods() -> Mapping[str, Entry]:
    """Return the calibration methods: name to summary, meaning, reference and settings."""
    return _all()["methods"]


def losses() -> Mapping[str, Entry]:
    """Return the training losses: name to summary, meaning, reference and settings."""
    return _all()["losses"]


def figures() -> Mapping[str, Entry]:
    """Return the figures: name to summary and source."""
    return _all()["figures"]


def architectures() -> Mapping[str, Entry]:
    """Return the networks that can be built: name to summary, reference, kind of samples and settings."""
    return _all()["architectures"]


def optimisers() -> Mapping[str, Entry]:
    """Return the optimisers: name to summary, reference and settings."""
    return _all()["optimisers"]


def schedules() -> Mapping[str, Entry]:
    """Return the schedules of the learning rate: name to summary, reference and settings."""
    return _all()["schedules"]


def augmentations() -> Mapping[str, Entry]:
    """Return the random transformations of training images: name to summary, reference and settings."""
    return _all()["augmentations"]


def corruptions() -> Mapping[str, Entry]:
    """Return the corruptions of images, for tests of shift: name to summary, reference and settings."""
    return _all()["corruptions"]


def datasets() -> Mapping[str, Entry]:
    """Return the kinds of datasets: name to summary, path, splits and reference."""
    return _all()["datasets"]


def operators() -> Mapping[str, Entry]:
    """Return the operators that networks may have: name to summary, versions and gradients."""
    return _all()["operators"]


def table(kind: str) -> Mapping[str, Entry]:
    return _all()[kind]


def listing(kind: str) -> str:
    """Return the entries of a table as the lines of a docstring."""
    lines = [f"``{name}``: {entry['summary']}" for name, entry in _all()[kind].items()]
    return "\n".join(textwrap.fill(line, 88, initial_indent="- ", subsequent_indent="  ") for line in lines)


def documented(**tables: str) -> Callable[[F], F]:
    """Replace {word} in a function's docstring by the entries of a table."""
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
