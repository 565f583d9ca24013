"""Results of evaluation."""
from __future__ import annotations

import dataclasses
import html
import json
import math
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core, _inputs, _tables
from ._forms import Facts, Number
from ._svg import SVG

if TYPE_CHECKING:
    import pandas

    from ._operating import OperatingPoints

R = TypeVar("R", bound="Result")


@dataclasses.dataclass(frozen=True, eq=False)
class Value(Number):
    """One metric of a result, which can be used as a float.

    Two are equal if all fields are; NaN equals NaN, so that equal results have equal values.

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


@dataclasses.dataclass(frozen=True, eq=False)
class PeerValue(Number):
    """What another package computes for a metric, which can be used as a float.

    Attributes
    ----------
    value : float
        NaN if the package has none for this data, for the ``reason``.
    reason : str or None
        Why it has none.
    ours : float
        The metric of this package, with the same number of bins; NaN if it is undefined.
    ours_reason : str or None
        Why it is undefined.
    call : str
        The call of the package; M is the number of bins.
    why : str
        Why its value differs from ours.
    """

    value: float
    reason: str | None
    ours: float
    ours_reason: str | None
    call: str
    why: str


@dataclasses.dataclass(frozen=True, eq=False)
class Difference(Number):
    """The difference of a metric between two models on the same rows: the other minus this one.

    Attributes
    ----------
    value : float
        NaN if the metric is undefined for either.
    low, high : float
        The 95 % interval; NaN: none.
    p : float
        Two-sided, from the signs of the resamples; NaN: none.
    test : str or None
        The metric's own test of a difference: ``mcnemar``, ``delong`` ...
    test_p : float
        Its two-sided p; NaN if it cannot be computed, for the ``test_reason``.
    test_reason : str or None
        Why there is no ``test_p``.
    interval : str or None
        The kind of interval, if it is not the bootstrap's: ``tango``, ``exact``.
    """

    value: float
    low: float
    high: float
    p: float
    test: str | None
    test_p: float
    test_reason: str | None
    interval: str | None


@dataclasses.dataclass(frozen=True, eq=False)
class Bin(Facts):
    """A bin (low, high] of the reliability diagram; ``pandas.DataFrame(result.bins)`` is its table.

    Attributes
    ----------
    low, high : float
        The bounds of confidence.
    rows : int
        Number of rows in the bin.
    weight : float
        Their fraction of the total weight.
    confidence, accuracy : float
        Means; NaN, like the rest, if the bin is empty.
    accuracy_low, accuracy_high : float
        The 95 % interval of the accuracy.
    calibrated_low, calibrated_high : float
        Where 95 % of a perfectly calibrated model's accuracies lie.
    """

    low: float
    high: float
    rows: int
    weight: float
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    calibrated_low: float
    calibrated_high: float


class Result(Mapping[str, Value]):
    """The evaluation of one set of predictions: a mapping of metrics to values with intervals.

    ``result.ece`` is the value of a metric, ``result["ece"]`` also has its interval; hyphens in
    names of metrics are underscores in attributes (``result.ece_debiased``). Results come from
    :func:`credence.evaluate`, :meth:`credence.Evidence.compute` and :meth:`load`, and can be
    pickled.

    Examples
    --------
    >>> import credence
    >>> scores = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]]
    >>> result = credence.evaluate(scores, [0, 1, 1, 0], metrics=["accuracy", "ece"], seed=1)
    >>> result.accuracy, result["accuracy"].interval, round(result["accuracy"].low, 3)
    (0.75, 'wilson', 0.301)
    >>> list(result), result.rows, result.input
    (['accuracy', 'ece'], 4, 'probabilities')
    """

    def __init__(self, core: _core.Result, warnings: tuple[str, ...] = ()) -> None:
        self._core = _inputs.made(core, _core.Result, "credence.evaluate, Result.load and others return results")
        self._warnings = warnings
        self._about: dict[str, Any] = core.describe()
        self._groups: Groups | None = None  # of a pickle, as a result's JSON has no bins of its groups

    # ---- Values.

    def __getitem__(self, metric: str) -> Value:
        found = self._core.value(metric)
        if found is None:
            raise KeyError(f"{metric}{self._hint(metric)}")
        return Value(**found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.names())

    def __len__(self) -> int:
        return len(self._core.names())

    def __getattr__(self, name: str) -> float:
        metric = name.replace("_", "-")
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._core.value(metric)
        if found is not None:
            value: float = found["value"]
            return value
        raise AttributeError(f"this result has no metric {name!r}{self._hint(metric, attribute=True)}")

    def _hint(self, metric: str, *, attribute: bool = False) -> str:
        if metric in _tables.metrics():
            return f": evaluate with metrics={metric!r}"
        near = _core.nearest(metric, self._core.names())
        if near is None:
            return ""
        return f"; did you mean {(near.replace('-', '_') if attribute else near)!r}?"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in self)]

    @property
    def bins(self) -> tuple[Bin, ...]:
        """The bins of the reliability diagram."""
        return tuple(Bin(**found) for found in self._core.bins())

    @property
    def differences(self) -> Mapping[str, Difference]:
        """Differences from the predictions ``paired``, the other minus this one, by metric."""
        return MappingProxyType({name: Difference(**found) for name, found in self._core.differences().items()})

    @property
    def compat(self) -> Mapping[str, PeerValue]:
        """What the package ``compat`` computes for these rows, by metric."""
        return MappingProxyType({name: PeerValue(**found) for name, found in self._core.compat().items()})

    @property
    def groups(self) -> Groups:
        """Results of groups: ``result.groups["site"]["Leiden"].ece``, if ``group_by`` was given."""
        return self._groups or Groups(self._core)

    @property
    def operating(self) -> OperatingPoints | None:
        """The operating points, if ``target_risk`` or ``target_coverage`` was given; else None."""
        from ._operating import points
        found = self._core.operating()
        return None if found is None else points(found)

    # ---- About the data.

    @property
    def name(self) -> str:
        """The name of the predictions."""
        return str(self._about["name"])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self._about["rows"])

    @property
    def classes(self) -> int:
        """Number of classes; 0 for confidences of the predicted class."""
        return int(self._about["classes"])

    @property
    def input(self) -> str:
        """The kind of scores, as recognised or given: ``logits``, ``probabilities``,
        ``confidence`` or ``ranking``."""
        return str(self._about["input"])

    @property
    def binary(self) -> str:
        """Of two classes: ``top``, the predicted class was evaluated, or ``pos``, class 1."""
        return str(self._about["binary"])

    @property
    def resamples(self) -> int:
        """Bootstrap resamples behind the intervals; 0: none."""
        return int(self._about["resamples"])

    @property
    def cluster(self) -> str | None:
        """The group column that was resampled whole; None: rows were."""
        return None if self._about["cluster"] is None else str(self._about["cluster"])

    @property
    def notes(self) -> list[str]:
        """Remarks about the data, one sentence each; those that are a
        :class:`credence.DataWarning` come first."""
        return [*self._warnings, *self._about["notes"]]

    # ---- Forms.

    @_tables.documented(forms="forms")
    def report(self, form: str = "text", *, digits: int = 0, percent: bool = False, classes: bool = False) -> str:
        """Return the result as text.

        Parameters
        ----------
        form
            One of:

            {forms}
        digits
            Significant digits, 1 to 9; 0: four. JSON and CSV have all digits.
        percent
            Write metrics between 0 and 1 in per cent.
        classes
            Also write the calibration of each class, of a result with ``profile=True``.

        Returns
        -------
        str

        Examples
        --------
        >>> import credence
        >>> scores = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]]
        >>> result = credence.evaluate(scores, [0, 1, 1, 0], metrics="accuracy", resamples=0)
        >>> print(result.report("csv"))  # doctest: +ELLIPSIS
        metric,value,...
        """
        return self._core.report(form, digits=digits, percent=percent, classes=classes)

    def to_json(self) -> str:
        """Return the result as JSON, as ``credence evaluate --json`` writes it.

        Returns
        -------
        str

        Examples
        --------
        >>> import credence
        >>> result = credence.evaluate([[0.8, 0.2], [0.6, 0.4]], [0, 1], resamples=0)
        >>> credence.Result.from_json(result.to_json()) == result
        True
        """
        return self._core.report("json")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dict; undefined values are None, with a reason.

        Returns
        -------
        dict

        Examples
        --------
        >>> import credence
        >>> credence.evaluate([[0.8, 0.2], [0.6, 0.4]], [0, 1], resamples=0).to_dict()["metrics"]["accuracy"]
        {'value': 0.5}
        """
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each metric: value, low, high, noise_floor, p.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas
        lines = {name: dataclasses.asdict(value) for name, value in self.items()}
        return pandas.DataFrame.from_dict(lines, orient="index").rename_axis("metric")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON, for :meth:`load` and ``credence report``.

        Groups are written without their bins, which pickles keep; each group's result can be saved by itself.

        Parameters
        ----------
        path
            The file to write.
        """
        _inputs.write(path, self.to_json().encode())

    @classmethod
    def load(cls: type[R], path: str | os.PathLike[str]) -> R:
        """Read a result that :meth:`save` or ``credence evaluate --json`` wrote.

        Parameters
        ----------
        path
            The file to read.

        Returns
        -------
        Result
        """
        return cls(_core.Result.load(_inputs.read(path), _inputs.path_text(path)))

    @classmethod
    def from_json(cls: type[R], text: str) -> R:
        """Return the result of which :meth:`to_json` returned this text.

        Parameters
        ----------
        text
            JSON, with all digits.

        Returns
        -------
        Result

        Examples
        --------
        >>> import credence
        >>> result = credence.evaluate([[0.8, 0.2], [0.6, 0.4]], [0, 1], resamples=0)
        >>> credence.Result.from_json(result.to_json()).to_json() == result.to_json()
        True
        """
        return cls(_core.Result.load(_inputs.utf8(text, "text"), "the result"))

    @_tables.documented(figures="figures")
    def figure(self, name: str = "reliability", *, title: str | None = None, id: str | None = None) -> SVG:
        """Return a figure of this result as SVG.

        Parameters
        ----------
        name
            A figure whose source is a result, or, with ``profile=True``, a profile:

            {figures}
        title
            Above the figure; None: the name of the predictions.
        id
            The prefix of ids inside the figure, different for each figure of one page.

        Returns
        -------
        SVG

        Examples
        --------
        >>> import credence
        >>> result = credence.evaluate([[0.8, 0.2], [0.6, 0.4]], [0, 1], resamples=0)
        >>> result.figure("reliability").startswith("<svg")
        True
        """
        return SVG(self._core.figure(name, title=title, id=id))

    def page(self, title: str | None = None) -> str:
        """Return a self-contained page of HTML, interactive if evaluated with ``profile=True``.

        Parameters
        ----------
        title
            Of the page; None: the name of the predictions.

        Returns
        -------
        str

        Examples
        --------
        >>> import credence
        >>> result = credence.evaluate([[0.8, 0.2], [0.6, 0.4]], [0, 1], resamples=0, profile=True)
        >>> result.page("My model").startswith("<!DOCTYPE html>")
        True
        """
        return _core.page([self._part()], title=title)

    def _part(self) -> _core.Part:
        return self._core, None, None, None

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.to_json().encode(), self._warnings, type(self), self.groups)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self._core.report("text").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the metrics as a table beside the reliability diagram, for notebooks."""
        spans = any(_span(value) for value in self.values())
        lines = "".join(f"<tr><td>{html.escape(_tables.metrics()[name]['title'])}</td><td>{value.value:#.4g}</td>"
                        f"{f'<td>{_span(value)}</td>' if spans else ''}</tr>" for name, value in self.items())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        points = self.operating
        operating = "" if points is None else points._repr_html_()
        figure = ""
        if self.input != "ranking":
            figure = f'<div style="max-width:30em">{self.figure(id=f"credence-{os.urandom(6).hex()}")}</div>'
        return ('<div style="display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start"><div style="max-width:26em">'
                f"<table><thead><tr><th>metric</th><th>value</th>{'<th>95 % interval</th>' if spans else ''}</tr></thead>"
                f"<tbody>{lines}</tbody></table>{operating}{notes}</div>{figure}</div>")


class Groups(Mapping[str, Mapping["str | int", "Result | None"]]):
    """Results of groups of rows: a mapping of group columns to mappings of groups to results.

    A group is its name, or its number if it has none. Its result is None if all its weights are 0.

    Examples
    --------
    >>> import credence
    >>> scores = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]]
    >>> sites = {"site": ["Leiden", "Leiden", "Turin", "Turin"]}
    >>> result = credence.evaluate(scores, [0, 1, 1, 0], groups=sites, group_by="site", resamples=0)
    >>> {site: found.accuracy for site, found in result.groups["site"].items()}
    {'Leiden': 0.5, 'Turin': 1.0}
    """

    def __init__(self, core: _core.Result) -> None:
        self._columns: dict[str, dict[str | int, Result | None]] = {}
        for column, number, name, _, found in _inputs.made(core, _core.Result, "results have it: result.groups").groups():
            groups = self._columns.setdefault(column or "groups", {})
            groups[number if name is None else name] = None if found is None else Result(found)

    def __getitem__(self, column: str) -> Mapping[str | int, Result | None]:
        return MappingProxyType(self._columns[column])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<Groups {', '.join(f'{column}: {list(groups)}' for column, groups in self._columns.items())}>"

    def _repr_html_(self) -> str:
        """Return a table of each group column, for notebooks."""
        return "".join(_group_table(column, groups) for column, groups in self._columns.items())

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each column, group and metric.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas
        lines = {(column, name, metric): {"rows": result.rows, **dataclasses.asdict(value)}
                 for column, groups in self._columns.items() for name, result in groups.items()
                 if result is not None for metric, value in result.items()}
        index = pandas.MultiIndex.from_tuples(list(lines), names=["column", "group", "metric"])
        return pandas.DataFrame(list(lines.values()), index=index)


def _unpickle(state: bytes, warnings: tuple[str, ...], kind: type[Result] | None = None,
              groups: Groups | None = None) -> Result:
    """Return a result; pickles of older versions have no class and no groups."""
    found = (kind or Result)(_core.Result.load(state, "the result"), warnings)
    found._groups = groups
    return found


def _group_table(column: str, groups: Mapping[str | int, Result | None]) -> str:
    known = {name: result for name, result in groups.items() if result is not None}
    metrics = list(dict.fromkeys(metric for result in known.values() for metric in result))
    head = "".join(f"<th>{html.escape(_tables.metrics()[metric]['title'])}</th>" for metric in metrics)
    body = "".join(f"<tr><td>{html.escape(str(name))}</td><td>{result.rows}</td>" + "".join(
        f"<td>{result[metric].value:#.4g}<br><small>{_span(result[metric])}</small></td>" if metric in result
        else "<td></td>" for metric in metrics) + "</tr>" for name, result in known.items())
    return (f"<table><thead><tr><th>{html.escape(column)}</th><th>rows</th>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>")


def _span(value: Value) -> str:
    return "" if math.isnan(value.low) else f"{value.low:#.4g} to {value.high:#.4g}"
