"""Operating points of selective prediction: which confidence is enough to decide automatically."""
from __future__ import annotations

import dataclasses
import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _inputs
from ._errors import ArgumentError
from ._forms import Facts

if TYPE_CHECKING:
    import pandas

Targets = Union[float, Iterable[float], None]


@dataclasses.dataclass(frozen=True, eq=False)
class Proportion(Facts):
    """A proportion with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        NaN: no row counts.
    count, total : float
        ``value`` is their quotient: numbers of rows, or sums of weights.
    """

    value: float
    low: float
    high: float
    count: float
    total: float

    def __float__(self) -> float:
        return self.value

    def __format__(self, form: str) -> str:
        return format(self.value, form)


@dataclasses.dataclass(frozen=True, eq=False)
class OperatingPoint(Facts):
    """A threshold of confidence, and what it does: rows at or above it are accepted.

    Attributes
    ----------
    kind : str
        ``risk``: the lowest threshold whose risk is at most the target; ``coverage``: the highest threshold whose
        coverage is at least the target.
    target : float
        The value that was requested.
    threshold : float
        NaN: there is none, for the ``reason``.
    reason : str or None
        Why there is no threshold, or no risk.
    rows, accepted : int
        Rows that were measured, and those accepted.
    coverage, risk : Proportion
        Accepted of all rows; wrong of accepted rows.
    sensitivity, specificity, ppv, npv : Proportion or None
        Of two classes, among accepted rows, class 1 being positive.
    promised : float
        On shifted sets, the risk that the original promised; else NaN.
    promise : str or None
        ``holds``, ``broken`` or ``undecided``: the interval of the risk is below, above or around ``promised``.
    """

    kind: str
    target: float
    threshold: float
    reason: str | None
    rows: int
    accepted: int
    coverage: Proportion
    risk: Proportion
    sensitivity: Proportion | None
    specificity: Proportion | None
    ppv: Proportion | None
    npv: Proportion | None
    promised: float
    promise: str | None

    def __repr__(self) -> str:
        if self.threshold != self.threshold:
            return f"<OperatingPoint of {self.kind} {self.target:g}: none, {self.reason}>"
        promise = "" if self.promise is None else f"; the promised risk {self.promised:.4g}: {self.promise}"
        return (f"<OperatingPoint of {self.kind} {self.target:g}: threshold {self.threshold:.4g}, coverage "
                f"{self.coverage:.4f}, risk {self.risk:.4f} ({self.risk.low:.4f} to {self.risk.high:.4f}){promise}>")


@dataclasses.dataclass(frozen=True)
class OperatingPoints(Sequence[OperatingPoint]):
    """The points of :func:`credence.operating_points`, in the order of the targets: risks, then coverages.

    Attributes
    ----------
    guarantee : str
        ``held-out`` or ``bootstrap``.
    text : str
        What is promised, in words.
    interval : str
        The kind of intervals: ``clopper-pearson``, ``cluster-bootstrap``, ``bootstrap``.
    chosen_rows, measured_rows : int
        That thresholds were chosen on, and that coverage and risk were measured on.
    points : list of OperatingPoint
        One for each target.
    """

    guarantee: str
    text: str
    interval: str
    chosen_rows: int
    measured_rows: int
    points: list[OperatingPoint]

    def __getitem__(self, index: Any) -> Any:
        return self.points[index]

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        lines = "".join(f"\n  {point!r}" for point in self.points)
        return f"<OperatingPoints: {self.text}{lines}>"

    def _repr_html_(self) -> str:
        """Return a line for each target, for notebooks."""
        body = "".join(_line([f"{point.kind} {point.target:g}", f"{point.threshold:.4g}", _words(point.coverage),
                              _words(point.risk)] if point.threshold == point.threshold else
                             [f"{point.kind} {point.target:g}", f"none: {point.reason}", "", ""])
                       for point in self.points)
        return ("<table><thead><tr><th>target</th><th>threshold</th><th>coverage</th><th>risk</th></tr></thead>"
                f"<tbody>{body}</tbody></table><p>{html.escape(self.text)}</p>")

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each target: threshold, rows, accepted, and each proportion with its
        interval (``risk``, ``risk_low``, ``risk_high``).

        Returns
        -------
        pandas.DataFrame
        """
        import pandas
        lines = []
        for point in self.points:
            line: dict[str, Any] = {}
            for field in dataclasses.fields(point):
                value = getattr(point, field.name)
                if isinstance(value, Proportion):
                    line |= {field.name: value.value, f"{field.name}_low": value.low, f"{field.name}_high": value.high}
                elif value is not None:
                    line[field.name] = value
            lines.append(line)
        return pandas.DataFrame(lines).set_index(["kind", "target"])


def _words(found: Proportion) -> str:
    return f"{found.value:.4f} ({found.low:.4f} to {found.high:.4f})"


def _line(cells: list[str]) -> str:
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def _targets(kind: str, values: Any) -> list[tuple[str, float]]:
    if values is None:
        return []
    several = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
    return [(kind, value) for value in (values if several else [values])]


def targets(risk: Targets, coverage: Targets) -> list[tuple[str, float]]:
    """Return the targets as the extension reads them: risks, then coverages."""
    return [*_targets("risk", risk), *_targets("coverage", coverage)]


def operating_points(scores: Any, labels: Any = None, *, target_risk: Targets = None, target_coverage: Targets = None,
                     guarantee: str = "held-out", resamples: int = 1000, weights: Any = None, groups: Any = None,
                     confidence: Any = None, predicted: Any = None, correct: Any = None,
                     class_names: Sequence[str] | None = None, input: str = "auto", binary: str = "top",
                     cluster: str | None = None, threads: int = 0, seed: int = 0,
                     progress: _inputs.Progress = None) -> OperatingPoints:
    """Find the confidence from which on predictions can be accepted, for a target risk or coverage.

    Parameters
    ----------
    scores, labels, weights, groups, confidence, predicted, correct, class_names, input, binary, cluster
        As in :func:`credence.evaluate`.
    target_risk
        The error rate among accepted rows that must not be exceeded: a number from 0 up to below 1, or several.
    target_coverage
        The fraction of rows that must be accepted: a number above 0 up to 1, or several.
    guarantee
        ``held-out``: thresholds are chosen on half of the rows and measured on the other; the risk exceeds its target
        with a probability of at most 5 %. ``bootstrap``: all rows choose and measure, and nothing is promised.
    resamples
        Of the bootstrap.
    threads, seed, progress
        As in :func:`credence.evaluate`.

    Returns
    -------
    OperatingPoints

    Examples
    --------
    >>> import credence, numpy as np
    >>> random = np.random.default_rng(0)
    >>> confidence = random.uniform(size=2000)
    >>> correct = random.uniform(size=2000) < confidence
    >>> point, = credence.operating_points(confidence, correct=correct, target_risk=0.1)
    >>> point.risk.value < 0.1 and point.threshold > 0.7
    True
    """
    goals = targets(target_risk, target_coverage)
    if not goals:
        raise ArgumentError("operating points need target_risk or target_coverage")
    rows = _inputs.predictions(scores, labels, class_names=class_names, groups_=groups, weights=weights,
                               confidence=confidence, predicted=predicted, correct=correct, input=input,
                               binary=binary, cluster=cluster)
    with _inputs.explained(rows):
        found = rows.operate(targets=goals, guarantee=guarantee, resamples=resamples, threads=threads, seed=seed,
                             progress=_inputs.progress(progress))
    return points(found)


def points(found: dict[str, Any]) -> OperatingPoints:
    """Make operating points of those of the extension."""
    return OperatingPoints(**dict(found, points=[_point(each) for each in found["points"]]))


def _point(found: dict[str, Any]) -> OperatingPoint:
    members: dict[str, Any] = {name: Proportion(**value) if isinstance(value, dict) else value
                               for name, value in found.items()}
    return OperatingPoint(**members)
