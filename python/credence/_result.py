"""Results of evaluation."""
from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _tables

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass(frozen=True)
class Value:
    """One metric of a result.

    Attributes
    ----------
    value : float
        NaN if the metric is undefined for this data, for the ``reason``.
    low, high : float
        The 95 % interval; NaN: none.
    noise_floor : float
        The value that a perfectly calibrated model would show; NaN: unknown.
    p : float
        The probability that such a model shows this value or more; NaN: unknown.
    reason : str or None
        Why the metric is undefined.
    interval : str or None
        The kind of interval, if it is not the bootstrap's: ``wilson``, ``wilson-bootstrap``.
    """

    value: float
    low: float
    high: float
    noise_floor: float
    p: float
    reason: str | None
    interval: str | None

    def __float__(self) -> float:
        return self.value

    def __format__(self, form: str) -> str:
        return format(self.value, form)


class Result(Mapping[str, Value]):
    """The evaluation of one set of predictions: a mapping of metrics to values with intervals.

    ``result.ece`` is the value of a metric, ``result["ece"]`` also has its interval; hyphens in
    names of metrics are underscores in attributes (``result.ece_debiased``).
    """

    def __init__(self, core: _core.Result) -> None:
        self._core = core
        self._about: dict[str, Any] | None = None

    # ---- Values.

    def __getitem__(self, metric: str) -> Value:
        found = self._core.value(metric)
        if found is None:
            raise KeyError(metric)
        return Value(**found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.names())

    def __len__(self) -> int:
        return len(self._core.names())

    def __getattr__(self, name: str) -> float:
        if not name.startswith("_"):
            found = self._core.value(name.replace("_", "-"))
            if found is not None:
                value: float = found["value"]
                return value
        near = None if name.startswith("_") else _core.nearest(name.replace("_", "-"), self._core.names())
        known = name.replace("_", "-") in _tables.metrics()
        raise AttributeError(f"this result has no metric {name!r}"
                             + (f"; did you mean {near.replace('-', '_')!r}?" if near else
                                f": evaluate with metrics={name.replace('_', '-')!r}" if known else ""))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in self)]

    # ---- About the data.

    def _describe(self, name: str) -> Any:
        if self._about is None:
            self._about = self._core.describe()
        return self._about[name]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self._describe("rows"))

    @property
    def classes(self) -> int:
        """Number of classes; 0 for confidences of the predicted class."""
        return int(self._describe("classes"))

    @property
    def input(self) -> str:
        """The kind of scores, as recognised or given: ``logits``, ``probabilities`` ..."""
        return str(self._describe("input"))

    @property
    def resamples(self) -> int:
        """Bootstrap resamples behind the intervals; 0: none."""
        return int(self._describe("resamples"))

    @property
    def notes(self) -> list[str]:
        """Warnings about the data, one sentence each."""
        return list(self._describe("notes"))

    # ---- Forms.

    def report(self, form: str = "text", *, digits: int = 0, percent: bool = False) -> str:
        """Return the result as ``text``, ``json``, ``csv``, ``markdown`` or ``latex``."""
        return self._core.report(form, digits=digits, percent=percent)

    def to_json(self) -> str:
        """Return the result as JSON: the bytes that the program writes for the same rows."""
        return self._core.report("json")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dict; undefined values are None, with a reason."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each metric: value, low, high, noise_floor, p."""
        import pandas
        lines = {name: dataclasses.asdict(value) for name, value in self.items()}
        return pandas.DataFrame.from_dict(lines, orient="index").rename_axis("metric")

    def figure(self, name: str = "reliability", *, title: str | None = None) -> str:
        """Return a figure of this result as SVG; see :func:`credence.figures`."""
        return self._core.figure(name, title=title)

    def page(self, title: str | None = None) -> str:
        """Return a self-contained page of HTML."""
        return self._core.page(title=title)

    def __repr__(self) -> str:
        return self._core.report("text").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the metrics as a table beside the reliability diagram, for notebooks."""
        rows = "".join(f"<tr><td>{_tables.metrics()[name]['title']}</td><td>{value.value:.4g}</td>"
                       f"<td>{_span(value)}</td></tr>" for name, value in self.items())
        figure = ""
        if self.input != "ranking":
            figure = f'<div style="max-width:30em">{self._core.figure("reliability", id=f"credence-{id(self):x}")}</div>'
        return ('<div style="display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start">'
                f"<table><thead><tr><th>metric</th><th>value</th><th>95 % interval</th></tr></thead>"
                f"<tbody>{rows}</tbody></table>{figure}</div>")


def _span(value: Value) -> str:
    return "" if value.low != value.low else f"{value.low:.4g} to {value.high:.4g}"
