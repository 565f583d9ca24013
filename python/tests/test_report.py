"""Pages of several results, tables of several models, calibratability and learned epochs."""
from __future__ import annotations

import json
import math
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence
import samples

Program = Callable[..., str]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    scores, labels = samples.logits()
    return {"result": credence.evaluate(scores, labels, resamples=20, profile=True, name="mine"),
            "contest": credence.compare(scores, labels, methods="temperature", resamples=20, name="mine"),
            "diagnosis": credence.doctor(scores, labels + 1, name="mine")}


# ---- Pages.


def test_page(found: dict[str, Any], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.html"
    assert credence.report(path, *found.values(), title="All <three>") is None
    page = path.read_text()
    assert page == credence.report(None, *found.values(), title="All <three>")
    assert "All &lt;three&gt;" in page and page.count("<section") > 2
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page), "it loads nothing"


def test_diagnoses_belong_to_the_result_before_them(found: dict[str, Any]) -> None:
    result, contest, diagnosis = found.values()
    label = diagnosis["labels"].found
    assert label not in credence.report(None, result) and label in credence.report(None, result, diagnosis)
    assert credence.report(None, diagnosis, result) == credence.report(None, result, diagnosis)
    assert credence.report(None, result, diagnosis, contest) != credence.report(None, result, contest, diagnosis)


def test_page_of_stored_results(found: dict[str, Any], program: Program, tmp_path: pathlib.Path) -> None:
    one, two, page = tmp_path / "one.json", tmp_path / "two.json", tmp_path / "page.html"
    found["result"].save(one)
    two.write_text(found["contest"].to_json())
    program("report", one, two, "-t", "Both", "-o", page)
    told = page.read_text().replace("&#39;credence compare&#39;", "credence.compare").replace("--full", "profile=True")
    assert credence.report(None, one, str(two), title="Both") == told
    assert credence.report(None, found["result"], title="Both") == credence.report(None, one, title="Both")


def test_page_of_repeats(found: dict[str, Any]) -> None:
    contest = credence.compare(*samples.logits(), methods="temperature", resamples=0, repeats=3)
    assert "random splits of the same rows, seeds 0 to 2" in contest.page()


@pytest.mark.parametrize("things, message", [
    ([], "needs a result or a contest"),
    ([3], "a part of the report is 3"),
    (["no-such-file.json"], "no-such-file.json"),
])
def test_refused_pages(things: list[Any], message: str) -> None:
    with pytest.raises(credence.Error, match=message):
        credence.report(None, *things)


def test_a_diagnosis_alone_is_no_page(found: dict[str, Any], tmp_path: pathlib.Path) -> None:
    with pytest.raises(credence.Error):
        credence.report(tmp_path / "a.html", found["diagnosis"])
    assert not list(tmp_path.iterdir())


# ---- Tables.


def test_table_of_scores(program: Program, tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    other = scores / 2.5
    for name, each in {"sharp": scores, "soft": other}.items():
        np.savez(tmp_path / f"{name}.npz", logits=each, labels=labels)
    for form in ("json", "markdown", "latex", "csv", "text"):
        told = program("evaluate", "sharp=sharp.npz", "soft=soft.npz", f"--{form}" if form != "text" else "--ascii",
                       "-r", 50, "--input", "logits", folder=tmp_path)
        if form == "text":
            continue
        table = credence.table({"sharp": scores, "soft": other}, labels, form=form, resamples=50, input="logits")
        assert re.sub(r"\w+\.npz", "predictions", told) == re.sub(r"\w+\.npz", "predictions", table), form
    assert '"p"' in told or "significantly" in credence.table({"sharp": scores, "soft": other}, labels, resamples=50)


def test_table_of_results() -> None:
    scores, labels = samples.logits()
    results = {name: credence.evaluate(each, labels, resamples=50, metrics=["accuracy", "ece"])
               for name, each in {"sharp": scores, "soft": scores / 2.5}.items()}
    table = credence.table(results, form="csv")
    assert f"{results['soft'].ece:.6g}"[:6] in table and "sharp" in table
    assert "significantly" not in credence.table(results)
    percent = credence.table(results, form="markdown", percent=True, digits=3)
    assert f"{100 * results['soft'].accuracy:.1f}" in percent


@pytest.mark.parametrize("metrics", ["brier,sce", "nll-refinement,nll-calibration"])
def test_table_of_slices(program: Program, metrics: str) -> None:
    """Rows are resampled by their numbers in the file, and recalibrated for metrics of refinement."""
    models = {"early": f"{samples.FILE}@300:600", "late": f"{samples.FILE}@600:900"}
    told = program("evaluate", *(f"{name}={path}" for name, path in models.items()), "--csv", "-r", 20, "-m", metrics,
                   "--input", "probabilities")
    assert credence.table(models, form="csv", resamples=20, metrics=metrics, input="probabilities") == told


def test_table_of_files() -> None:
    table = credence.table({"a": f"{samples.FILE}@0:300", "b": f"{samples.FILE}@300:600"}, resamples=10, form="json")
    assert len(json.loads(table)["results"]) == 2


@pytest.mark.parametrize("models, message", [
    ({}, "models is"),
    ([1], "models is"),
    ("mixed", "results and scores"),
    ("metrics", "metric"),
])
def test_refused_tables(models: Any, message: str) -> None:
    scores, labels = samples.logits(60)
    one = credence.evaluate(scores, labels, resamples=0, metrics="ece")
    if models == "mixed":
        models = {"a": one, "b": scores}
    if models == "metrics":
        models = {"a": one, "b": credence.evaluate(scores, labels, resamples=0, metrics="accuracy")}
    with pytest.raises(credence.Error, match=message):
        credence.table(models, labels)


# ---- Calibratability and learned epochs.


def test_calibratability(program: Program, tmp_path: pathlib.Path) -> None:
    random = np.random.default_rng(0)
    runs: dict[str, list[Any]] = {"ce": [], "ls": []}
    arguments = []
    for name in ("ce", "ls"):
        for seed in range(2):
            scores, labels = samples.logits(200, seed=10 * seed + len(runs["ce"]))
            scores = scores if name == "ce" else scores / 2 + random.normal(size=scores.shape) / 10
            path = tmp_path / f"{name}{seed}.npz"
            np.savez(path, logits=scores, labels=labels)
            runs[name].append((scores, labels))
            arguments.append(f"{name}={path}")
    told = program("calibratability", *arguments, "--sizes", "30,all", "--draws", 2, "--json", "--input", "logits")
    options: dict[str, Any] = {"sizes": [30, 0], "draws": 2, "input": "logits"}
    found = credence.calibratability(runs, **options)
    assert found.to_dict() == json.loads(told)
    assert "ce" in repr(found) and found._repr_html_().startswith("<svg")
    apart = credence.calibratability(runs, calibrate=runs, **options)
    assert apart.to_json() != found.to_json()
    with pytest.raises(credence.UsageError, match="other names"):
        credence.calibratability(runs, calibrate={"ce": runs["ce"]})
    with pytest.raises(credence.UsageError, match="baseline"):
        credence.calibratability(runs, baseline="mixup")


def test_learned_epochs(program: Program, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "ce.csv"
    learned, logits = [1, 1, 2, 3, 5, 0], [9.0, 8.0, 7.0, 4.0, 3.0, 1.0]
    path.write_text("learned,max_logit\n" + "".join(f"{a},{b}\n" for a, b in zip(learned, logits)))
    told = program("learned", f"ce={path}", f"ce={path}", "--json", "-b", 4)
    assert credence.learned_epochs({"ce": [(learned, logits)] * 2}, bins=4).to_json() == told
    assert credence.learned_epochs({"ce": [path, str(path)]}, bins=4).to_json() == told
    with pytest.raises(credence.Error, match="expected"):
        credence.learned_epochs({"ce": 3})
    with pytest.raises(credence.InputError):
        credence.learned_epochs({"ce": ([1], [math.nan])})
