"""Diagnosis of predictions: faults of the data and of the calibration, and what to do about them."""
from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Iterator, Sequence
from typing import Any

from . import _core, _inputs, _tables


@dataclasses.dataclass(frozen=True)
class Finding:
    """A fault, or what is fine.

    Attributes
    ----------
    name : str
        The kind of finding.
    severity : str
        ``problem`` (it makes metrics wrong), ``warning`` (it deserves action), ``note`` or ``fine``.
    found : str
        The fault, with its numbers, rows and classes.
    advice : str
        What to do about it, or "".
    remedy : str or None
        The same for programs: ``input-logits``, ``subtract-1`` ...
    """

    name: str
    severity: str
    found: str
    advice: str
    remedy: str | None


@dataclasses.dataclass(frozen=True)
class Suggestion:
    """A line of Python to try next.

    Attributes
    ----------
    line, meaning : str
        The line, and its purpose.
    """

    line: str
    meaning: str


class Diagnosis(Sequence[Finding]):
    """The findings of :func:`credence.doctor`, the worst first.

    Attributes
    ----------
    verdict : str
        One sentence.
    findings : list of Finding
        Ordered by severity.
    suggestions : list of Suggestion
        Lines of Python to try next.
    rows, classes : int
        Of the predictions.
    input : str
        The kind of scores, as examined.

    It can be pickled, and equals another one with the same report.
    """

    def __init__(self, core: _core.Diagnosis, source: str = "scores, labels", options: dict[str, Any] | None = None
                 ) -> None:
        self._core = _inputs.made(core, _core.Diagnosis, "credence.doctor returns diagnoses")
        about = core.describe()
        self.verdict: str = about["verdict"]
        self.rows: int = about["rows"]
        self.classes: int = about["classes"]
        self.input: str = about["input"]
        self.findings = [Finding(**each) for each in about["findings"]]
        self.suggestions = _suggest(self.findings, source, options or {})

    def __getitem__(self, index: Any) -> Any:
        """Return a finding by its index or its name."""
        if isinstance(index, str):
            for finding in self.findings:
                if finding.name == index:
                    return finding
            raise KeyError(index)
        return self.findings[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def problems(self) -> list[Finding]:
        """The findings that make metrics wrong."""
        return [finding for finding in self.findings if finding.severity == "problem"]

    def report(self, form: str = "text") -> str:
        """Return the diagnosis as text.

        Parameters
        ----------
        form
            ``text`` or ``json``.

        Returns
        -------
        str
        """
        return self._core.report(form, [(each.line, each.meaning) for each in self.suggestions])

    def to_json(self) -> str:
        """Return the diagnosis as JSON."""
        return self.report("json")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dict."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def _part(self) -> _core.Part:
        return None, None, None, self._core

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.describe(), self.suggestions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Diagnosis):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.report("text").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the findings as a table, for notebooks."""
        rows = "".join(f"<tr><td>{each.severity}</td><td>{each.name}</td><td>{html.escape(each.found)}"
                       f"{f'<br>→ {html.escape(each.advice)}' if each.advice else ''}</td></tr>" for each in self)
        lines = html.escape("\n".join(f"{each.line}  # {each.meaning}" for each in self.suggestions))
        return (f"<p>{html.escape(self.verdict)}</p><table><thead><tr><th>severity</th><th>finding</th><th></th></tr>"
                f'</thead><tbody style="text-align:left">{rows}</tbody></table><pre>{lines}</pre>')


def _unpickle(about: dict[str, Any], suggestions: list[Suggestion]) -> Diagnosis:
    found = Diagnosis(_core.Diagnosis.load(about))
    found.suggestions = suggestions
    return found


# ---- Remedies as lines of Python.

# What a remedy does: an option to examine with, or a line that changes the data, and its meaning.
_OPTIONS = {"input-logits": ("input", "logits", "read the scores as logits"),
            "input-probabilities": ("input", "probabilities", "read the scores as probabilities")}
_CHANGES = {"divide-by-100": ("scores = scores / 100", "percentages as probabilities"),
            "divide-by-sum": ("scores = scores / scores.sum(axis=1, keepdims=True)", "make the rows sum to 1"),
            "subtract-1": ("labels = labels - 1", "make labels count from 0")}
# Calls: function, further arguments before and after the data, meaning.
_CALLS: dict[str, list[tuple[str, str, dict[str, str], str]]] = {
    "judge-class-1": [("evaluate", "", {"binary": "pos"}, "evaluate the scores of class 1")],
    "calibrate": [("compare", "", {}, "find the best calibration method"),
                  ("fit", "'temperature', ", {}, "fit temperature scaling")],
}


def _call(function: str, before: str, source: str, options: dict[str, Any]) -> str:
    after = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"credence.{function}({before}{source}{after})"


def _suggest(findings: list[Finding], source: str, given: dict[str, Any]) -> list[Suggestion]:
    """Return lines for the remedies of the findings; invalid data is not calibrated."""
    options = dict(given)
    lines: dict[str, str] = {}
    sick = any(finding.severity == "problem" for finding in findings)
    for finding in findings:
        remedy = finding.remedy
        if remedy is None or (sick and finding.severity != "problem"):
            continue
        if remedy in _OPTIONS:
            name, value, meaning = _OPTIONS[remedy]
            options[name] = value
            lines.setdefault(_call("evaluate", "", source, options), meaning)
        elif remedy in _CHANGES:
            line, meaning = _CHANGES[remedy]
            source = "scores, labels"
            lines.setdefault(line, meaning)
        for function, before, more, meaning in _CALLS.get(remedy, []):
            lines.setdefault(_call(function, before, source, {**options, **more}), meaning)
    if sick:
        lines.setdefault(_call("doctor", "", source, options), "check again after the fix")
    else:
        lines.setdefault(_call("evaluate", "", source, options), "evaluate them, with intervals")
    return [Suggestion(line, meaning) for line, meaning in lines.items()]


@_tables.documented(findings="findings")
def doctor(scores: Any, labels: Any = None, *, weights: Any = None, groups: Any = None, confidence: Any = None,
           predicted: Any = None, correct: Any = None, class_names: Sequence[str] | None = None, input: str = "auto",
           binary: str = "top", cluster: str | None = None, name: str | None = None, threads: int = 0,
           progress: _inputs.Progress = None) -> Diagnosis:
    """Look for faults of predictions and of their calibration.

    Invalid rows do not end the examination: they are counted and named.

    Parameters
    ----------
    scores
        Logits or probabilities, (rows, classes), or the path of a file of predictions.
    labels
        The true classes: indices, one-hot, or names of classes.
    weights, groups
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
    name
        Of the predictions, for the report.
    threads, progress
        Threads (0: all), a function of (stage, done, total) or True.

    Returns
    -------
    Diagnosis

    Notes
    -----
    It looks for:

    {findings}

    Examples
    --------
    >>> import credence, numpy as np
    >>> labels = np.tile([1, 2, 3], 20)
    >>> diagnosis = credence.doctor(3.0 * np.eye(3)[labels - 1], labels)
    >>> diagnosis["labels"].remedy, diagnosis.suggestions[0].line
    ('subtract-1', 'labels = labels - 1')
    """
    rows = _inputs.predictions(scores, labels, class_names=class_names, groups_=groups, weights=weights,
                               confidence=confidence, predicted=predicted, correct=correct, input=input,
                               binary=binary, cluster=cluster, name=name, trusted=True)
    given = {"input": (input, "auto"), "binary": (binary, "top"), "cluster": (cluster, None)}
    source = repr(_inputs.path_text(scores)) if _inputs.is_path(scores, "scores") else "scores, labels"
    return Diagnosis(rows.diagnose(threads=threads, progress=_inputs.progress(progress)), source,
                     {key: value for key, (value, standard) in given.items() if value != standard})
