"""Comparison of calibration methods on the same rows."""
from __future__ import annotations

import copyreg
import dataclasses
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._calibrator import Calibrator, Certificate
from ._errors import ArgumentError, UsageError, shown
from ._forms import Facts, Reported, read_only
from ._operating import Targets, targets
from ._result import Difference, Result
from ._svg import SVG

if TYPE_CHECKING:
    import pandas


Differences = Mapping[str, Difference]


def differences(found: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Difference] | None:
    return None if found is None else {metric: Difference(**each) for metric, each in found.items()}


class Candidate:
    """A method of a contest.

    Attributes
    ----------
    name : str
        With its settings: ``platt(scope=top-1)``.
    failure : str or None
        The error message, if it failed; then there is neither a result nor a calibrator.
    result : Result or None
        On the test rows.
    certificate : Certificate or None
        Of the fit.
    learnt : dict
        The learnt arrays, such as ``temperature``: read-only.
    parameters : int
        Their number.
    seconds : float
        To fit.
    against_identity, against_temperature : dict of str to Difference, or None
        This method minus the uncalibrated predictions, or minus temperature scaling, by metric.
    """

    def __init__(self, core: _core.Contest, index: int, about: Mapping[str, Any],
                 class_names: list[str] | None = None) -> None:
        self._core, self._index, self._class_names = core, index, class_names
        self.name: str = about["name"]
        self.failure: str | None = about["failure"]
        self.parameters: int = about["parameters"]
        self.seconds: float = about["seconds"]
        self.learnt: dict[str, Any] = read_only(about["learnt"])
        self.certificate = None if about["certificate"] is None else Certificate(**about["certificate"])
        self.against_identity: Differences | None = differences(about["against_identity"])
        self.against_temperature: Differences | None = differences(about["against_temperature"])
        found = core.result(index)
        self.result = None if found is None else Result(found)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        read_only(self.learnt)  # NumPy does not pickle that

    @property
    def calibrator(self) -> Calibrator | None:
        """The calibrator that was tested; with folds, that of the first. None: the method failed."""
        saved = self._core.calibrator(self._index)
        return None if saved is None else Calibrator(_core.Calibrator.load(saved, self.name), self._class_names)

    def __repr__(self) -> str:
        if self.result is None:
            return f"<Candidate {self.name!r}: failed: {self.failure}>"
        values = ", ".join(f"{metric} {value:.4g}" for metric, value in list(self.result.items())[:4])
        return f"<Candidate {self.name!r}: {values}>"


@dataclasses.dataclass(frozen=True, eq=False)
class Spread(Facts):
    """A quantity over the runs of a series.

    Attributes
    ----------
    runs : int
        The number of runs that have it.
    mean, std : float
        Over these runs; ``std`` divides by n - 1 and is NaN with fewer than two runs.
    values : list of float
        One for each run; NaN: the run does not have it.
    """

    runs: int
    mean: float
    std: float
    values: list[float]

    def __format__(self, form: str) -> str:
        return f"{format(self.mean, form)} ± {format(self.std, form)}"


@dataclasses.dataclass(frozen=True, eq=False)
class SpreadDifference(Facts):
    """A method's metric minus that of another in the same run, over the runs of a series.

    Attributes
    ----------
    runs : int
        The number of runs that have both.
    mean, std : float
        Of the difference.
    p : float
        Two-sided, of the corrected resampled t-test (Nadeau and Bengio 2003), corrected for the number of methods.
    """

    runs: int
    mean: float
    std: float
    p: float


@dataclasses.dataclass(frozen=True)
class SeriesCandidate:
    """A method over the runs of a series.

    Attributes
    ----------
    name : str
        With its settings.
    failures : int
        The number of runs in which it failed, the first time with the message ``failure``.
    unconverged, chosen : int
        The numbers of runs in which its fit did not converge, and whose verdict recommends it.
    seconds, temperature : Spread
        To fit; learnt, if the method learns one.
    values : dict of str to Spread
        By metric.
    against_identity, against_temperature : dict of str to SpreadDifference, or None
        By metric.
    """

    name: str
    failures: int
    failure: str | None
    unconverged: int
    chosen: int
    seconds: Spread
    temperature: Spread
    values: dict[str, Spread]
    against_identity: dict[str, SpreadDifference] | None
    against_temperature: dict[str, SpreadDifference] | None


def _series(caption: str, runs: list[_core.Contest]) -> Series:
    core = _core.Series(kind="splits", caption=caption)
    for run in runs:
        core.add(run)
    return Series(core, runs)


def _spread_differences(found: Mapping[str, Any] | None) -> dict[str, SpreadDifference] | None:
    return None if found is None else {metric: SpreadDifference(**each) for metric, each in found.items()}


class Series(Reported, Mapping[str, SeriesCandidate]):
    """The same comparison on several random splits: mean and standard deviation by method.

    Attributes
    ----------
    runs : int
        Their number.
    caption : str
        What differs between them.

    It can be pickled, as its runs are.
    """

    def __init__(self, core: _core.Series, runs: Sequence[_core.Contest] = ()) -> None:
        self._runs = list(runs)
        self._core = _inputs.made(core, _core.Series, "credence.compare(..., repeats=) has one in its result")
        about = core.describe()
        self.runs: int = about["runs"]
        self.caption: str = about["caption"]
        self._candidates = {each["name"]: SeriesCandidate(**dict(
            each, seconds=Spread(**each["seconds"]), temperature=Spread(**each["temperature"]),
            values={metric: Spread(**value) for metric, value in each["values"].items()},
            against_identity=_spread_differences(each["against_identity"]),
            against_temperature=_spread_differences(each["against_temperature"]),
        )) for each in about["candidates"]}

    def __getitem__(self, method: str) -> SeriesCandidate:
        return self._candidates[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._candidates)

    def __len__(self) -> int:
        return len(self._candidates)

    def _writer(self) -> _core.Series:
        return self._core

    def __reduce__(self) -> tuple[Any, ...]:
        return _series, (self.caption, self._runs)


    def _repr_html_(self) -> str:
        """Return mean and standard deviation of each method as a table, for notebooks."""
        metrics = list(dict.fromkeys(metric for each in self.values() for metric in each.values))
        head = "".join(f"<th>{_tables.metrics()[metric]['title']}</th>" for metric in metrics)
        body = "".join(f"<tr><td>{html.escape(name)}</td>" + "".join(
            f"<td>{each.values[metric]:.4f}</td>" if metric in each.values else "<td></td>" for metric in metrics)
            + f"<td>{each.chosen}</td></tr>" for name, each in self.items())
        return (f"<table><thead><tr><th>method</th>{head}<th>chosen</th></tr></thead><tbody>{body}</tbody></table>"
                f"<p>mean ± standard deviation of {self.runs} runs ({html.escape(self.caption)})</p>")

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each method and metric: mean, std, runs, p."""
        import pandas
        lines = {}
        for name, candidate in self.items():
            for metric, value in candidate.values.items():
                against = (candidate.against_identity or {}).get(metric)
                lines[name, metric] = {"mean": value.mean, "std": value.std, "runs": value.runs,
                                       "against_identity": against.mean if against else float("nan"),
                                       "p": against.p if against else float("nan")}
        return pandas.DataFrame.from_dict(lines, orient="index").rename_axis(["method", "metric"])


@dataclasses.dataclass(frozen=True)
class ShiftedCandidate:
    """A method of a contest on a shifted set.

    Attributes
    ----------
    result : Result or None
        None: it failed, with the message ``failure``.
    failure : str or None
        The error message.
    against_identity : dict of str to Difference, or None
        This method minus the uncalibrated predictions of the set, by metric.
    """

    result: Result | None
    failure: str | None
    against_identity: Differences | None


@dataclasses.dataclass(frozen=True)
class ContestShift:
    """A shifted set of a contest: do calibrators that were fitted on other data still help there?

    Attributes
    ----------
    name, family : str
        ``jpeg:3`` and ``jpeg``.
    severity : float
        3.
    rows : int
        Of the set.
    verdict : str
        Which methods help, and which harm.
    candidates : dict of str to ShiftedCandidate
        By method.
    """

    name: str
    family: str
    severity: float
    rows: int
    verdict: str
    candidates: dict[str, ShiftedCandidate]


def _shift(found: Mapping[str, Any]) -> ContestShift:
    candidates = {name: ShiftedCandidate(None if each["result"] is None else Result(each["result"]), each["failure"],
                                         differences(each["against_identity"]))
                  for name, each in found["candidates"].items()}
    return ContestShift(**dict(found, candidates=candidates))


class Contest(Reported, Mapping[str, Candidate]):
    """Calibration methods, each fitted on some rows and tested on others: a mapping of names to candidates.

    It can be pickled, with the calibrators: as the JSON of reports, which has all digits.

    Attributes
    ----------
    verdict : str
        Which method to use, and how sure that is.
    chosen : str
        The name of the method that the verdict recommends.
    score : str
        The metric that the verdict compares.
    rejected : dict of str to str
        The methods that the verdict excludes, and why.
    notes : list of str
        Warnings about the data.
    calibrate_rows, test_rows : int
        That methods were fitted and tested on.
    folds : int
        0: other rows for calibration than for test.
    shift : dict of str to ContestShift
        The shifted sets.
    series : Series or None
        With ``repeats``: mean and standard deviation, which reports then show; the contest is the first of the runs.
    """

    def __init__(self, core: _core.Contest, series: Series | None = None, refitted: Calibrator | None = None,
                 class_names: list[str] | None = None) -> None:
        self._core = _inputs.made(core, _core.Contest, "credence.compare returns contests")
        about = core.describe()
        self._refitted = refitted  # the chosen method, on all rows
        self.series = series
        self.verdict: str = about["verdict"]
        self.chosen: str = about["chosen"]
        self.score: str = about["score"]
        self.rejected: dict[str, str] = about["rejected"]
        self.notes: list[str] = about["notes"]
        self.calibrate_rows: int = about["calibrate_rows"]
        self.test_rows: int = about["test_rows"]
        self.folds: int = about["folds"]
        self._candidates = {each["name"]: Candidate(core, index, each, class_names)
                            for index, each in enumerate(about["candidates"])}
        self.shift = {each["name"]: _shift(each) for each in core.shift()}

    def __getitem__(self, method: str) -> Candidate:
        return self._candidates[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._candidates)

    def __len__(self) -> int:
        return len(self._candidates)

    @property
    def best(self) -> Calibrator:
        """The calibrator of the chosen method, to calibrate new scores with.

        It was fitted on the calibration rows; with folds, it is fitted anew on all rows.
        """
        if self._refitted is not None:
            return self._refitted
        found = self[self.chosen].calibrator
        assert found is not None, "a method that failed is not chosen"
        return found

    # ---- Forms.

    def _writer(self) -> _core.Contest | _core.Series:
        return self._core if self.series is None else self.series._core

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each method and metric: value, low, high, noise_floor,
        against_identity, p.

        ``frame["value"].unstack()`` is a table of methods and metrics.
        """
        import pandas
        lines = {}
        for name, candidate in self.items():
            for metric, value in (candidate.result or {}).items():
                against = (candidate.against_identity or {}).get(metric)
                lines[name, metric] = {"value": value.value, "low": value.low, "high": value.high,
                                       "noise_floor": value.noise_floor,
                                       "against_identity": against.value if against else float("nan"),
                                       "p": against.p if against else float("nan")}
        return pandas.DataFrame.from_dict(lines, orient="index").rename_axis(["method", "metric"])

    def figure(self, name: str = "comparison", *, title: str | None = None, id: str | None = None) -> SVG:
        """Return a figure of this contest, such as ``comparison``.

        Parameters
        ----------
        name
            Of the figure; :func:`credence.figures` has them all.
        title
            Above the figure; None: the name of the predictions.
        id
            The prefix of ids inside the figure, different for each figure of one page.

        Returns
        -------
        SVG
        """
        return SVG(self._core.figure(name, title=title, id=id))

    def page(self, title: str | None = None) -> str:
        """Return a self-contained page of HTML.

        Parameters
        ----------
        title
            Of the page; None: the name of the predictions.

        Returns
        -------
        str
        """
        return _core.page([self._part()], title=title)

    def _part(self) -> _core.Part:
        return None, self._core, None if self.series is None else self.series._core, None

    def _repr_html_(self) -> str:
        """Return the methods as a table above the verdict, for notebooks."""
        if self.series is not None:
            return f"{self.series._repr_html_()}<p>{html.escape(self.verdict)}</p>"
        first = self["identity"].result
        metrics = list(first) if first is not None else []
        head = "".join(f"<th>{_tables.metrics()[metric]['title']}</th>" for metric in metrics)
        body = "".join(_html_row(each, metrics, each.name == self.chosen) for each in self.values())
        return (f"<table><thead><tr><th>method</th>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"<p>{html.escape(self.verdict)}</p>")


def _stored(core: _core.Contest) -> tuple[Callable[..., _core.Contest], tuple[Any, ...]]:
    calibrators = [core.calibrator(index) for index in range(len(core.describe()["candidates"]))]
    return _core_of, (core.report("json").encode(), calibrators)


def _core_of(state: bytes, calibrators: list[bytes | None]) -> _core.Contest:
    return _core.Contest.load(state, calibrators)


copyreg.pickle(_core.Contest, _stored)  # contests, candidates and series have one


def _html_row(candidate: Candidate, metrics: list[str], chosen: bool) -> str:
    name = html.escape(candidate.name)
    first = f"<td><b>{name}</b></td>" if chosen else f"<td>{name}</td>"
    if candidate.result is None:
        return f'<tr>{first}<td colspan="{len(metrics)}">{html.escape(candidate.failure or "")}</td></tr>'
    cells = "".join(f"<td>{candidate.result[metric].value:#.4g}</td>" for metric in metrics)
    return f"<tr>{first}{cells}</tr>"


# ---- The comparison.

_REPEATS_MAX = 1000  # as of the program

_CALL = re.compile(r"(?P<method>[^(]*)(?:\((?P<settings>.*)\))?")


def method_of(name: str) -> tuple[str, str | None]:
    """Return the method and the settings of a candidate's name."""
    found = _CALL.fullmatch(name)
    assert found is not None
    return found["method"], found["settings"]


def needs_features(methods: str | None) -> bool:
    """Return whether any of these methods reads features, which can be large."""
    if methods is None:
        return False
    return any(entry["needs_features"] and (methods == "all" or name in methods)
               for name, entry in _tables.methods().items())


@_inputs.guarded
def other_rows(given: Any, what: str, **options: Any) -> _core.Predictions:
    """Make predictions of (scores, labels), of a dict of arguments, or of a path."""
    if isinstance(given, Mapping):
        named = {(str(name) if name != "groups" else "groups_"): value for name, value in given.items()}
        return _inputs.predictions(named.pop("scores", None), named.pop("labels", None), **{**named, **options})
    if isinstance(given, tuple):
        if len(given) != 2:
            raise ArgumentError(f"{what} has {len(given)} members, expected (scores, labels)")
        return _inputs.predictions(given[0], given[1], **options)
    return _inputs.predictions(given, **options)


def shift_sets(shift: Mapping[str, Any] | None, **options: Any) -> list[tuple[str, _core.Predictions]]:
    """Make predictions of shifted sets, whose labels may be missing."""
    if shift is None:
        return []
    given = _inputs.entries(shift, "shift", "a dict of names to (scores, labels)")
    return [(_inputs.key(name, "shift"), other_rows(rows, f"shift[{shown(name)}]", labels_optional=True, **options))
            for name, rows in given.items()]


def _check(test: Any, folds: int | None, repeats: int | None, shift: Any, goals: list[tuple[str, float]]) -> None:
    """Refuse combinations without a meaning."""
    for name, value, why in (("test", test, "all runs would be the same"),
                             ("folds", folds, "it repeats random splits"),
                             ("shift", shift, "it shows the fits of one split"),
                             ("target_risk and target_coverage", goals or None, "they belong to one split")):
        if repeats is not None and value is not None:
            raise UsageError(f"repeats excludes {name}: {why}")
    if test is not None and folds is not None:
        raise UsageError("folds excludes test: each row is tested by a calibrator fitted on the others")
    if folds is not None and _inputs.whole(folds, "folds") < 2:
        raise UsageError(f"folds is {shown(folds)}, allowed are 2 and more")
    if repeats is not None and not 2 <= _inputs.whole(repeats, "repeats") <= _REPEATS_MAX:
        raise UsageError(f"repeats is {shown(repeats)}, allowed are 2 to {_REPEATS_MAX}")


def _repeat(rows: _core.Predictions, first: _core.Contest, repeats: int, seed: int, options: dict[str, Any]) -> Series:
    seed = _inputs.whole(0 if seed is None else seed, "seed")
    others = [rows.compete(seed=seed + index, **options) for index in range(1, repeats)]
    return _series(f"random splits of the same rows, seeds {seed} to {seed + repeats - 1}", [first, *others])


@_tables.documented(methods="methods")
def compare(scores: Any, labels: Any = None, *, test: Any = None, split: float = 0.5, folds: int | None = None,
            methods: str | Iterable[str] | None = None, metrics: str | Iterable[str] | None = None, bins: int = 15,
            resamples: int = 500, repeats: int | None = None, shift: Mapping[str, Any] | None = None,
            target_risk: Targets = None, target_coverage: Targets = None, floor: float = 0.0, weights: Any = None, groups: Any = None, features: Any = None, confidence: Any = None,
            predicted: Any = None, correct: Any = None, class_names: Sequence[str] | None = None, input: str = "auto",
            binary: str = "top", cluster: str | None = None, profile: bool = False, name: str | None = None,
            threads: int = 0, seed: int = 0, progress: _inputs.Progress = None) -> Contest:
    """Fit several calibration methods on some rows, test each on others, and recommend one.

    Differences are tested with paired bootstrap resamples, and compared with what chance alone would give.
    A method that fails is a candidate with its error message.

    Parameters
    ----------
    scores
        Logits or probabilities, (rows, classes), or the path of a file of predictions.
    labels
        The true classes: indices, one-hot, or names of classes.
    test
        Other rows to test on: ``(scores, labels)``, a dict of arguments of this function such as
        ``{"scores": ..., "labels": ..., "groups": ...}``, or a path. None: the rows are divided.
    split
        Without ``test``: the fraction of rows to fit on. Clusters and groups stay together.
    folds
        Cross-validation: each row is tested by a calibrator fitted on the other folds.
    methods
        Names with settings in brackets (``"temperature,platt(scope=top-1)"`` or a list), or ``"all"``; None: the
        default set. ``identity`` is always included. Known are:

        {methods}
    metrics
        Names; None: accuracy, ece, aece, sce, brier, nll, auroc, aurc.
    bins
        Of binned metrics.
    resamples
        Paired bootstrap resamples for intervals and tests; 0: none.
    repeats
        Compare on this many random splits: reports are of mean and standard deviation (:attr:`Contest.series`).
    shift
        Other data of the same classifier: a dict of names to ``(scores, labels)``, dicts or paths. The fitted
        calibrators are applied to them unchanged. Names such as ``jpeg:1``, ``jpeg:2`` are severities.
    target_risk, target_coverage
        Also find operating points of each method, as :func:`credence.operating_points` does
        (``candidate.result.operating``): chosen on the calibration rows and measured on the test rows, or, with
        ``folds``, on halves of the test rows.
    floor
        Lower bound of probabilities; 0: fitted if some are exactly 0.
    weights, groups, features
        Of the rows.
    confidence, predicted, correct
        Confidences of the predicted class, the predicted class, and whether it is right.
    class_names
        Names of the classes, in the order of the columns of ``scores``.
    input
        ``logits`` or ``probabilities``; ``auto`` recognises them.
    binary
        Of two classes, evaluate the predicted class (``top``) or class 1 (``pos``).
    cluster
        The group column within which rows are not independent; None: ``patient`` or ``subject``.
    profile
        Also compute the curves that pages need.
    name
        Of the predictions, for reports.
    threads, seed, progress
        Threads (0: all), seed of splits and resamples, a function of (stage, done, total) or True.

    Returns
    -------
    Contest

    Examples
    --------
    >>> import credence, numpy as np
    >>> random = np.random.default_rng(0)
    >>> logits = random.normal(size=(400, 3))
    >>> labels = np.array([random.choice(3, p=p) for p in np.exp(logits) / np.exp(logits).sum(1, keepdims=True)])
    >>> contest = credence.compare(4 * logits, labels, methods="temperature", resamples=50)
    >>> contest.chosen
    'temperature'
    >>> probabilities = contest.best(4 * logits)
    """
    goals = targets(target_risk, target_coverage)
    _check(test, folds, repeats, shift, goals)
    given = _inputs.names(methods, "methods")
    how: dict[str, Any] = {"input": input, "binary": binary, "cluster": cluster}
    if features is None and needs_features(given):
        features = True  # of files
    rows = _inputs.predictions(scores, labels, class_names=class_names, groups_=groups, weights=weights,
                               features=features, confidence=confidence, predicted=predicted, correct=correct,
                               name=name, **how)
    options = {"methods": given, "metrics": _inputs.names(metrics), "bins": bins, "resamples": resamples,
               "floor": floor, "split": split, "folds": folds, "threads": threads,
               "progress": _inputs.progress(progress)}
    others = None if test is None else other_rows(test, "test", features=needs_features(given) or None, **how)
    first = rows.compete(test=others, profile=profile, seed=seed, shift=shift_sets(shift, **how), targets=goals,
                         **options)
    series = None if repeats is None else _repeat(rows, first, repeats, seed, options)

    contest = Contest(first, series, None, rows.class_names())
    if folds is None:
        return contest
    method, given = method_of(contest.chosen)
    fitted = rows.fit(method, settings=given, floor=floor, threads=threads, seed=seed,
                      progress=options["progress"])
    return Contest(first, series, Calibrator(fitted, rows.class_names()), rows.class_names())
