"""Progress of long calls: a bar on standard error, or in the output of a notebook's cell."""
from __future__ import annotations

import html
import importlib
import math
import sys
import time
from collections.abc import Mapping
from typing import Any, Protocol


DELAY = 0.5
"""Seconds before a bar is shown: short calls show none. Epochs of training are always shown."""


class Bar:
    """A progress bar on standard error: one line, from the second half of the first second on."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.shown = 0
        self._headed = False

    def _late(self) -> bool:
        return time.monotonic() - self.start >= DELAY

    def __call__(self, stage: str, done: int, total: int) -> None:
        if not self._late():
            return
        filled = 30 * done // total if total else 0
        line = f"{stage:<24} [{'#' * filled}{'.' * (30 - filled)}] {_share(done, total)}"
        sys.stderr.write("\r" + line.ljust(self.shown))
        sys.stderr.flush()
        self.shown = len(line)

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Write an epoch of a training run as a line of a table."""
        self.end()
        sys.stderr.write("\n".join(table([cells(record)], head=not self._headed)) + "\n")
        sys.stderr.flush()
        self._headed = True

    def end(self) -> None:
        """Take the bar away, at the end of a call of the library."""
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()
        self.shown = 0


_WIDTH = 10
_SHOWN = "accuracy", "ece", "nll", "auroc", "aupr-error"


def cells(record: Mapping[str, Any]) -> dict[str, str]:
    """Return what is shown of an epoch: loss and accuracy, and three metrics of the first validation data."""
    found = {"epoch": str(record["epoch"])}
    first = next((name.partition(".")[0] for name in record if name.endswith(".ece") and "train-eval" not in name), "")
    metrics = [name for metric in _SHOWN if (name := f"{first}.{metric}") in record]
    for name in ("loss", *(("train.accuracy",) if "train.accuracy" in record else ()), *metrics[:3]):
        found[name] = "" if math.isnan(record[name]) else f"{record[name]:.4f}"
    return found


def table(records: list[dict[str, str]], head: bool = True) -> list[str]:
    """Return the lines of the table of epochs."""
    lines = ["  ".join(f"{name:>{_WIDTH}}" for name in records[-1])] if head and records else []
    return lines + ["  ".join(f"{cell:>{max(_WIDTH, len(name))}}" for name, cell in record.items())
                    for record in records]


def _share(done: int, total: int) -> str:
    return f"{100 * done // total:3d} %" if total else str(done)


class _Handle(Protocol):
    def update(self, what: object) -> object: ...


class _Html:
    """What a display of IPython shows: it asks for HTML, or for text where there is none."""

    def __init__(self, text: str, plain: str) -> None:
        self.text = text
        self.plain = plain

    def _repr_html_(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.plain


class NotebookBar(Bar):
    """A progress bar with the table of epochs, which a notebook updates in place."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: _Handle | None = None
        self.now: tuple[str, int, int] | None = None
        self.records: list[dict[str, str]] = []

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.now = stage, done, total
        if self._late():
            self._show()

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Add an epoch to the table."""
        self.records.append(cells(record))
        self._show()

    def end(self) -> None:
        """Take the bar away: what stays is the table."""
        self.now = None
        if self.handle:
            self._show()

    def _show(self) -> None:
        shown = _Html(self.html(), self.plain())
        if self.handle:
            self.handle.update(shown)
            return
        self.handle = importlib.import_module("IPython.display").display(shown, display_id=True)

    def plain(self) -> str:
        bar = [f"{self.now[0]} {_share(*self.now[1:])}"] if self.now else []
        return "\n".join(table(self.records) + bar)

    def html(self) -> str:
        bar = ""
        if self.now:
            stage, done, total = self.now
            value = f' value="{done}" max="{total}"' if total else ""
            bar = f"<div><progress{value}></progress> {html.escape(stage)} {_share(done, total)}</div>"
        if not self.records:
            return bar
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.records[-1])
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in record.values()) + "</tr>"
                       for record in self.records)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{bar}"


def in_notebook() -> bool:
    """Return whether cells of a notebook show what is displayed; a terminal's IPython does not."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module and hasattr(module, "get_ipython") else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def bar() -> Bar:
    """Return the bar for where Python runs."""
    return NotebookBar() if in_notebook() else Bar()
