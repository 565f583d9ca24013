"""Diagnosis of predictions, and messages in Python's words."""
from __future__ import annotations

import inspect
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence
import samples

Program = Callable[..., str]


def test_kinds() -> None:
    diagnosis = credence.doctor(*samples.logits())
    assert {finding.name for finding in diagnosis} <= set(credence._tables.table("findings"))
    order = ["problem", "warning", "note", "fine"]
    ranks = [order.index(finding.severity) for finding in diagnosis]
    assert ranks == sorted(ranks) and len(diagnosis) == len(diagnosis.findings)
    assert diagnosis[0] is diagnosis.findings[0] and diagnosis["labels"].severity == "fine"
    with pytest.raises(KeyError):
        diagnosis["measles"]


def lines(diagnosis: credence.Diagnosis) -> list[str]:
    return [each.line for each in diagnosis.suggestions]


def run(found: list[str], **names: Any) -> Any:
    """Run suggested lines as a user would; return the value of the last one."""
    names.update(credence=credence)
    value = None
    for line in found:
        if " = " in line:
            exec(line, names)
        else:
            value = eval(line, names)
    return value


def test_labels_from_1() -> None:
    scores, labels = samples.logits()
    diagnosis = credence.doctor(scores, labels + 1)
    assert diagnosis["labels"].remedy == "subtract-1" and diagnosis.problems[0].name == "labels"
    assert lines(diagnosis)[0] == "labels = labels - 1" and lines(diagnosis)[-1].startswith("credence.doctor(")
    assert not run(lines(diagnosis), scores=scores, labels=labels + 1).problems


def test_percentages() -> None:
    scores, labels = samples.logits()
    percent = 100 * samples.softmax(scores)
    diagnosis = credence.doctor(percent, labels)
    assert "scores = scores / 100" in lines(diagnosis)
    assert not run(lines(diagnosis), scores=percent, labels=labels).problems


def test_declared_as_another_kind() -> None:
    scores, labels = samples.logits()
    diagnosis = credence.doctor(scores, labels, input="probabilities")
    finding = diagnosis["input-kind"]
    assert finding.remedy == "input-logits" and "input='logits'" in finding.advice and "--" not in finding.advice
    assert "credence.evaluate(scores, labels, input='logits')" in lines(diagnosis)
    assert run(lines(diagnosis), scores=scores, labels=labels).input == "logits"


def test_rows_that_do_not_sum_to_1() -> None:
    scores, labels = samples.logits()
    sigmoid = 1 / (1 + np.exp(-scores))
    diagnosis = credence.doctor(sigmoid, labels)
    assert diagnosis["input-kind"].remedy == "divide-by-sum"
    run(lines(diagnosis), scores=sigmoid, labels=labels)


def test_a_healthy_model_is_calibrated_further() -> None:
    scores, labels = samples.logits(1000)
    diagnosis = credence.doctor(scores, labels)
    assert not diagnosis.problems and diagnosis["confidence"].remedy == "calibrate"
    assert lines(diagnosis) == ["credence.compare(scores, labels)", "credence.fit('temperature', scores, labels)",
                                "credence.evaluate(scores, labels)"]
    assert isinstance(run(lines(diagnosis), scores=scores, labels=labels), credence.Result)


def test_a_file(program: Program) -> None:
    rows = f"{samples.FILE}@0:1000"
    diagnosis = credence.doctor(rows, input="probabilities")
    assert f"credence.compare({rows!r}, input='probabilities')" in lines(diagnosis)
    told = json.loads(program("doctor", rows, "--json", "--input", "probabilities"))
    found = diagnosis.to_dict()
    assert len(told.pop("next")) == len(found.pop("next"))
    assert found == told


def test_invalid_rows_are_counted() -> None:
    scores, labels = samples.logits()
    scores[17, 1] = np.nan
    diagnosis = credence.doctor(scores, labels)
    assert "17" in diagnosis["not-finite"].found and diagnosis["not-finite"].severity == "problem"


def test_forms() -> None:
    diagnosis = credence.doctor(*samples.logits(), name="mine")
    text = repr(diagnosis)
    assert text.startswith("mine\n") and diagnosis.verdict in text
    assert "next\n" in text and f"  {lines(diagnosis)[0]}\n" in text
    html = diagnosis._repr_html_()
    assert html.count("<tr>") == len(diagnosis) + 1 and "credence.compare" in html
    assert diagnosis.rows == 300 and diagnosis.classes == 3 and diagnosis.input == "logits"
    with pytest.raises(credence.UsageError):
        diagnosis.report("latex")


# ---- Messages.


ROOT = pathlib.Path(__file__).resolve().parents[2]
SPELLED = re.compile(r'\bcrd__spell\(([^)]*)\)|(\.lister = "\w+")')


def named_in_messages() -> set[str]:
    """Return the names of options and functions that the library's messages may show."""
    code = [SPELLED.findall(file.read_text()) for file in (ROOT / "src").rglob("*.c") if "_test" not in file.name]
    literal = re.findall(r'"([\w=]+)"', str([found for found in code if found]))
    return {*literal, *re.findall(r'{ "([\w=]+)", "', (ROOT / "cli" / "spelling.c").read_text())}


def keywords() -> set[str]:
    """Return the names of all arguments of the public functions and methods."""
    public = [getattr(credence, name) for name in credence.__all__]
    methods = [getattr(item, name) for item in public if inspect.isclass(item)
               for name in dir(item) if name != "__class_getitem__"]
    return {name for function in (*public, *methods) if inspect.isfunction(function) or inspect.ismethod(function)
            for name in inspect.signature(function).parameters}


def test_messages_name_what_can_be_typed() -> None:
    known, spellings = keywords(), credence._core.spellings()
    assert len(named_in_messages()) > 60
    for name in named_in_messages():
        assert spellings.get(name, name).partition("=")[0] in known or (name in spellings and "crd_" in name), name
    for spelling in spellings.values():
        assert "crd_" not in spelling
        if "credence." in spelling:
            eval(spelling.replace("()", ""), {"credence": credence})


def test_messages_speak_python() -> None:
    scores, labels = samples.logits(60)
    data = (scores, labels)
    with pytest.raises(credence.UsageError, match=r"credence\.optimisers\(\)"):
        credence.train(data, "mlp", optimiser="something-else-entirely")
    with pytest.raises(credence.UsageError, match=r"credence\.architectures\(\)"):
        credence.train(data, "something-else-entirely")
    with pytest.raises(credence.UsageError, match="no metric of refinement"):
        credence.evaluate(scores, labels, metrics="ece", recalibrate="temprature")
    with pytest.raises(credence.UsageError, match="did you mean 'temperature'"):
        credence.evaluate(scores, labels, metrics="nll-refinement", recalibrate="temprature")
    with pytest.raises(credence.UsageError, match=r"credence\.metrics\(\)"):
        credence.evaluate(scores, labels, metrics="something-else-entirely")
    note = credence.evaluate(samples.softmax(scores), labels, resamples=0).notes[-1]
    assert "(input='logits' overrides)" in note
    with pytest.raises(credence.Error, match="profile=True"):
        credence.plot.roc(credence.evaluate(scores, labels, resamples=0))
