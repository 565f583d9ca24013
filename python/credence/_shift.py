"""One classifier on other data: corrupted images, another hospital, a later year."""
from __future__ import annotations

import dataclasses
import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _core, _inputs, _tables
from ._contest import shift_sets
from ._operating import Targets, targets
from ._result import Difference, Result


@dataclasses.dataclass(frozen=True)
class Shifted:
    """A shifted set.

    Attributes
    ----------
    name, family : str
        ``jpeg:3`` and ``jpeg``.
    severity : float
        3.
    labelled : bool
        It has true labels.
    rows : str
        ``paired``: row i is the same sample as row i of the original; ``independent``: it is another sample.
    result : Result
        On the set.
    difference : dict of str to Difference
        Shifted minus original, by metric.
    """

    name: str
    family: str
    severity: float
    labelled: bool
    rows: str
    result: Result
    difference: Mapping[str, Difference]


class ShiftedResult(Result):
    """The result of :func:`credence.evaluate_shift`: the original, with the shifted sets in ``shift``."""

    def __init__(self, core: _core.Result, warnings: tuple[str, ...] = ()) -> None:
        super().__init__(core, warnings)
        self.shift: dict[str, Shifted] = {
            each["name"]: Shifted(**dict(each, result=Result(each["result"]), difference={
                metric: Difference(**found) for metric, found in each["difference"].items()}))
            for each in core.shift()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (super().__reduce__(), {name: each.result for name, each in self.shift.items()})

    def _repr_html_(self) -> str:
        """Return the result and a table of the shifted sets, for notebooks."""
        head = "".join(f"<th>{html.escape(_tables.metrics()[name]['title'])}</th>" for name in self)
        body = "".join(f"<tr><td>{html.escape(name)}</td>" + "".join(
            f"<td>{result[metric].value:#.4g}</td>" if metric in result else "<td></td>" for metric in self) + "</tr>"
            for name, result in [("original", self), *((name, each.result) for name, each in self.shift.items())])
        return (f"{super()._repr_html_()}<table><thead><tr><th>set</th>{head}</tr></thead><tbody>{body}</tbody></table>")


def _unpickle(whole: tuple[Any, ...], results: Mapping[str, Result]) -> ShiftedResult:
    """Return a result with results of its sets that have more than its JSON has of them, such as bins."""
    function, arguments = whole
    found: ShiftedResult = function(*arguments)
    found.shift = {name: dataclasses.replace(each, result=results[name]) for name, each in found.shift.items()}
    return found


@_tables.documented(metrics="metrics")
def evaluate_shift(scores: Any, labels: Any, shift: Mapping[str, Any], *, rows: str = "auto", weights: Any = None,
                   groups: Any = None, confidence: Any = None, predicted: Any = None, correct: Any = None,
                   class_names: Sequence[str] | None = None, metrics: str | Iterable[str] | None = None,
                   bins: int = 15, resamples: int = 1000, target_risk: Targets = None,
                   target_coverage: Targets = None, guarantee: str = "held-out", input: str = "auto", binary: str = "top",
                   cluster: str | None = None, name: str | None = None, threads: int = 0, seed: int = 0,
                   progress: _inputs.Progress = None) -> ShiftedResult:
    """Evaluate a classifier also on shifted data, and the differences.

    Parameters
    ----------
    scores, labels, weights, groups, confidence, predicted, correct, class_names, bins, input, binary, cluster, name
        Of the original, as in :func:`credence.evaluate`; labels None if ``scores`` is a path.
    shift
        A dict of names to ``(scores, labels)``, scores without labels, dicts of arguments, or paths. Names such as
        ``jpeg:1``, ``jpeg:2`` are severities of one corruption.
    rows
        ``paired``: row i of a set is the same sample as row i of the original; ``independent``: it is another sample;
        ``auto``: paired if the labels are the same.
    metrics
        Names; None: the default set. Known are:

        {metrics}
    resamples
        Bootstrap resamples behind the intervals; 0: no intervals.
    target_risk, target_coverage, guarantee
        Also find operating points on the original, as :func:`credence.operating_points` does, and measure them on each
        set (``result.shift["noise:1"].result.operating``): does the promised risk hold there?
    threads, seed, progress
        As in :func:`credence.evaluate`.

    Returns
    -------
    ShiftedResult

    Examples
    --------
    >>> import credence
    >>> labels = [0, 1, 1, 0]
    >>> scores = [[0.8, 0.2], [0.4, 0.6], [0.3, 0.7], [0.9, 0.1]]
    >>> noisy = [[0.6, 0.4], [0.6, 0.4], [0.4, 0.6], [0.7, 0.3]]
    >>> result = credence.evaluate_shift(scores, labels, {"noise:1": (noisy, labels)})
    >>> result.accuracy, result.shift["noise:1"].result.accuracy, result.shift["noise:1"].difference["accuracy"].value
    (1.0, 0.75, -0.25)
    """
    how: dict[str, Any] = {"input": input, "binary": binary, "cluster": cluster}
    original = _inputs.predictions(scores, labels, class_names=class_names, groups_=groups, weights=weights,
                                   confidence=confidence, predicted=predicted, correct=correct, name=name, **how)
    return ShiftedResult(original.evaluate_shift(
        shift_sets(shift, **how), rows=rows, metrics=_inputs.names(metrics), bins=bins, resamples=resamples,
        targets=targets(target_risk, target_coverage), guarantee=guarantee, threads=threads, seed=seed, progress=_inputs.progress(progress)))
