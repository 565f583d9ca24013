"""Comparison of calibration methods."""
from __future__ import annotations

import copy
import json
import math
import pathlib
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence
import samples

ROWS = f"{samples.FILE}@0:1000"
FAST = {"methods": "temperature,platt(scope=top-1)", "resamples": 40}
Program = Callable[..., str]


def timeless(text: str) -> str:
    """Fits take another time in every run."""
    return re.sub(r'"seconds": (?:[0-9.e-]+|\{[^}]*\})', '"seconds": 0', text)


# ---- The same bits as the program.


@pytest.mark.parametrize("options, arguments", [
    ({}, []),
    ({"split": 0.3, "seed": 7}, ["--split", 0.3, "--seed", 7]),
    ({"folds": 3}, ["--folds", 3]),
    ({"repeats": 3, "seed": 2}, ["--repeats", 3, "--seed", 2]),
    ({"metrics": ["smece", "ace"], "bins": 10}, ["--metrics", "smece,ace", "--bins", 10]),
    ({"test": f"{samples.FILE}@1000:1500"}, ["--test", f"{samples.FILE}@1000:1500"]),
    ({"shift": {"later:2": f"{samples.FILE}@1000:1500"}}, ["--shift", f"later:2={samples.FILE}@1000:1500"]),
    ({"target_risk": [0.02, 0.05], "target_coverage": 0.9}, ["--target-risk", "0.02,0.05", "--target-coverage", 0.9]),
    ({"target_risk": 0.1, "folds": 3}, ["--target-risk", 0.1, "--folds", 3]),
    ({"target_risk": 0.1, "shift": {"later": f"{samples.FILE}@1000:1500"}},
     ["--target-risk", 0.1, "--shift", f"later={samples.FILE}@1000:1500"]),
])
def test_as_the_program(program: Program, options: dict[str, Any], arguments: list[object]) -> None:
    given = ["--calibrate", ROWS] if "test" in options else [ROWS]
    told = program("compare", *given, "--json", "--input", "probabilities", "--methods", FAST["methods"],
                   "--resamples", FAST["resamples"], *arguments)
    assert timeless(credence.compare(ROWS, input="probabilities", **FAST, **options).to_json()) == timeless(told)


def test_all_methods_as_the_program(program: Program, tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits(400, 3)
    features = np.random.default_rng(1).normal(size=(400, 4)) + labels[:, None]
    path = tmp_path / "featured.npz"
    np.savez(path, logits=scores, labels=labels, features=features)
    told = timeless(program("compare", path, "--json", "--methods", "all", "--resamples", 0, "--input", "logits"))
    assert timeless(credence.compare(path, methods="all", resamples=0, input="logits").to_json()) == told
    memory = credence.compare(scores, labels, features=features, methods="all", resamples=0, input="logits",
                              name=str(path))
    assert timeless(memory.to_json()) == told
    names = {credence._contest.method_of(name)[0] for name in memory}
    assert names >= set(credence.methods()) - {"temperature-fixed"}


# ---- Candidates.


def test_candidates() -> None:
    contest = credence.compare(*samples.logits(), **FAST)
    assert list(contest) == ["identity", "temperature", "platt(scope=top-1)"]
    assert contest.chosen in contest and contest.chosen in contest.verdict
    each = contest["temperature"]
    assert each.failure is None and each.parameters == 1 and each.certificate is not None
    assert each.certificate.converged and each.learnt["temperature"][0] == each.calibrator.temperature
    assert each.against_temperature is None and contest["identity"].against_identity is None
    difference = each.against_identity["nll"]
    assert math.isclose(difference.value, each.result.nll - contest["identity"].result.nll, abs_tol=1e-12)
    assert difference.low <= difference.value <= difference.high and 0 <= difference.p <= 1
    assert each.result.rows == contest.test_rows == 150 and contest.calibrate_rows == 150


def test_a_method_that_fails_is_a_candidate() -> None:
    scores, labels = samples.logits(40)
    contest = credence.compare(scores, labels, methods="temperature,density-ratio", resamples=0)
    failed = [each for each in contest.values() if each.failure is not None]
    assert [each.name for each in failed] == ["density-ratio"] and "features" in failed[0].failure
    assert failed[0].result is None and failed[0].calibrator is None and failed[0].certificate is None
    assert "density-ratio" in contest.report()
    assert "failed" in repr(failed[0]) and "features" in contest._repr_html_()


def test_best_is_ready_to_use() -> None:
    scores, labels = samples.logits()
    contest = credence.compare(scores, labels, methods="temperature,vector", resamples=0)
    best = contest.best
    assert best.method == contest.chosen and best(scores).shape == scores.shape
    assert best == contest[contest.chosen].calibrator


def test_best_of_folds_is_fitted_on_all_rows() -> None:
    scores, labels = samples.real()
    scores = scores.copy()
    contest = credence.compare(scores, labels, methods="platt(scope=top-1)", folds=3, resamples=200)
    assert contest.chosen == "platt(scope=top-1)"
    assert contest.best == credence.fit("platt", scores, labels, settings="scope=top-1")
    assert contest.best != contest["platt(scope=top-1)"].calibrator
    before = contest.best
    scores[:] = 0  # a buffer may be used again: what was compared stays
    assert contest.best == before


# ---- Inputs.


def test_test_rows_in_all_forms() -> None:
    scores, labels = samples.logits()
    fit, rest = slice(0, 200), slice(200, 300)
    pair = credence.compare(scores[fit], labels[fit], test=(scores[rest], labels[rest]), name="a", **FAST)
    rows = {"scores": scores[rest], "labels": labels[rest]}
    assert timeless(pair.to_json()) == timeless(
        credence.compare(scores[fit], labels[fit], test=rows, name="a", **FAST).to_json())
    weighted = credence.compare(scores[fit], labels[fit], test={**rows, "weights": np.arange(1.0, 101)}, **FAST)
    assert weighted["identity"].result.ece != pair["identity"].result.ece


def test_groups_stay_together() -> None:
    scores, labels = samples.logits()
    patients = np.arange(300) // 10
    contest = credence.compare(scores, labels, groups={"patient": patients}, **FAST)
    assert contest["identity"].result.cluster == "patient"
    assert contest.to_json() != credence.compare(scores, labels, **FAST).to_json()


@pytest.mark.parametrize("options, message", [
    ({"repeats": 3, "folds": 3}, "repeats excludes folds"),
    ({"repeats": 3, "shift": {"a": None}}, "repeats excludes shift"),
    ({"repeats": 3, "test": 1}, "repeats excludes test"),
    ({"repeats": 1}, "repeats is 1"),
    ({"folds": 3, "test": (1, 2)}, "folds excludes test"),
    ({"test": (1, 2, 3)}, "test has 3 members"),
    ({"shift": ["a"]}, "shift is"),
    ({"shift": {"a": None}, "folds": 3}, "fold"),
    ({"split": 2.0}, "split|share|between"),
    ({"methods": "temprature"}, "did you mean 'temperature'"),
    ({"methods": ["temperature", 3]}, "methods contains 3"),
])
def test_refusals(options: dict[str, Any], message: str) -> None:
    scores, labels = samples.logits(60)
    if options.get("shift") == {"a": None}:
        options = {**options, "shift": {"a": (scores, labels)}}
    with pytest.raises(credence.Error, match=message):
        credence.compare(scores, labels, **{"resamples": 0, **options})


def test_progress_and_interruption() -> None:
    seen: list[str] = []
    credence.compare(*samples.logits(), progress=lambda stage, done, total: seen.append(stage), **FAST)
    assert seen

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        credence.compare(*samples.logits(), progress=stop, **FAST)


# ---- Series and shifted sets.


def test_repeats() -> None:
    scores, labels = samples.logits()
    contest = credence.compare(scores, labels, repeats=3, methods="temperature", resamples=0)
    series = contest.series
    assert series is not None and series.runs == 3 and "seeds 0 to 2" in series.caption
    assert list(series) == ["identity", "temperature"]
    ece = series["temperature"].values["ece"]
    runs = [credence.compare(scores, labels, methods="temperature", resamples=0, seed=seed) for seed in range(3)]
    assert ece.values == [run["temperature"].result.ece for run in runs]
    assert math.isclose(ece.mean, np.mean(ece.values)) and math.isclose(ece.std, np.std(ece.values, ddof=1))
    assert series["temperature"].temperature.runs == 3 and series["identity"].temperature.runs == 0
    difference = series["temperature"].against_identity["nll"]
    assert difference.mean < 0 and 0 <= difference.p <= 1 and series["identity"].against_identity is None
    assert f"{ece:.3f}" == f"{ece.mean:.3f} ± {ece.std:.3f}"
    assert contest.report() == series.report() != runs[0].report() and repr(contest) == repr(series)
    assert contest["temperature"].result.ece == ece.values[0]


def test_shift() -> None:
    scores, labels = samples.logits()
    random = np.random.default_rng(3)
    noisy = scores + 2 * random.normal(size=scores.shape)
    contest = credence.compare(scores, labels, shift={"noise:2": (noisy, labels)}, **FAST)
    assert list(contest.shift) == ["noise:2"]
    found = contest.shift["noise:2"]
    assert (found.family, found.severity, found.rows) == ("noise", 2.0, 300) and found.verdict
    shifted = found.candidates["temperature"]
    calibrated = contest["temperature"].calibrator(noisy)
    assert math.isclose(shifted.result.ece, credence.evaluate(calibrated, labels, resamples=0).ece, abs_tol=1e-9)
    assert shifted.against_identity["ece"].value == pytest.approx(
        shifted.result.ece - found.candidates["identity"].result.ece)


def test_shifted_results_stay_whole() -> None:
    scores, labels = samples.logits(200)
    result = credence.evaluate_shift(scores, labels, {"half:1": (scores / 2, labels)}, resamples=0)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result),
                  credence.ShiftedResult.from_json(result.to_json())):
        assert again == result and list(again.shift) == ["half:1"]
        assert again.shift["half:1"].difference == result.shift["half:1"].difference
        assert dict(again.shift["half:1"].result) == dict(result.shift["half:1"].result)


def test_evaluate_shift(program: Program) -> None:
    scores, labels = samples.logits()
    result = credence.evaluate_shift(scores, labels, {"half:1": (scores / 2, labels)}, resamples=20)
    half = result.shift["half:1"]
    assert half.rows == "paired" and half.labelled and half.result.accuracy == result.accuracy
    assert math.isclose(half.difference["nll"].value, half.result.nll - result.nll, abs_tol=1e-12)
    apart = credence.evaluate_shift(scores, labels, {"half:1": (scores / 2, labels)}, rows="independent", resamples=20)
    wide, narrow = apart.shift["half:1"], half
    assert wide.rows == "independent" and wide.difference["nll"].high > narrow.difference["nll"].high
    later = f"{samples.FILE}@1000:1500"
    told = program("evaluate", ROWS, "--shift", f"later={later}", "--json", "--input", "probabilities", "-r", 20)
    found = credence.evaluate_shift(ROWS, None, {"later": later}, input="probabilities", resamples=20)
    assert found.to_json() == told


def test_operating_points_on_shifted_sets(program: Program, tmp_path: pathlib.Path) -> None:
    """The thresholds of the original are measured on each set; does the promised risk hold there?"""
    scores, labels = samples.logits(600)
    np.savez(tmp_path / "clean.npz", logits=scores, labels=labels, patient=np.arange(600) // 10)
    np.savez(tmp_path / "noisy.npz", logits=scores + np.random.default_rng(0).normal(size=scores.shape), labels=labels)
    np.savez(tmp_path / "bare.npz", logits=scores)
    files = {name: tmp_path / f"{name}.npz" for name in ("clean", "noisy", "bare")}
    told = program("evaluate", files["clean"], "--json", "--shift", f"noisy={files['noisy']}", "--shift",
                   f"bare={files['bare']}", "--target-risk", 0.5, "--target-coverage", 0.9, "-r", 20)
    found = credence.evaluate_shift(files["clean"], None, {"noisy": files["noisy"], "bare": files["bare"]},
                                    target_risk=0.5, target_coverage=0.9, resamples=20)
    assert found.to_json() == told
    points = found.shift["noisy"].result.operating
    assert points is not None and found.operating is not None and found.shift["bare"].result.operating is None
    assert points.interval == "cluster-bootstrap"  # the patients of the original
    assert [point.threshold for point in points] == [point.threshold for point in found.operating]
    assert points[0].promised == 0.5 and points[0].promise in ("holds", "broken", "undecided")
    assert f"the promised risk 0.5: {points[0].promise}" in repr(points) and found.operating[0].promise is None
    again = pickle.loads(pickle.dumps(found))
    assert again.shift["noisy"].result.operating == points and again.operating == found.operating


@pytest.mark.parametrize("metrics", ["brier,sce", "nll-refinement,nll-calibration"])
def test_evaluate_shift_of_slices(program: Program, metrics: str) -> None:
    """Rows are resampled by their numbers in the file, and recalibrated for metrics of refinement."""
    rows, later = f"{samples.FILE}@400:700", f"{samples.FILE}@1000:1300"
    told = program("evaluate", rows, "--shift", f"later={later}", "--json", "--input", "probabilities", "-r", 20, "-m",
                   metrics)
    found = credence.evaluate_shift(rows, None, {"later": later}, input="probabilities", resamples=20, metrics=metrics)
    assert found.to_json() == told and not math.isnan(found[metrics.split(",")[0]].value)


# ---- Forms.


def test_forms() -> None:
    contest = credence.compare(*samples.logits(), **FAST)
    assert "identity" in repr(contest) and repr(contest) == contest.report("text").rstrip("\n")
    assert contest.to_dict()["credence"] == "contest"
    assert contest.report("latex").startswith("%") or "tabular" in contest.report("latex")
    assert contest.report("markdown", digits=2) != contest.report("markdown", digits=5)
    html = contest._repr_html_()
    assert f"<b>{contest.chosen}</b>" in html and html.count("<tr>") == 4
    assert contest.figure("comparison", title="Two methods").startswith("<svg")
    assert "<title" in contest.page("A page") and "A page" in contest.page("A page")
    with pytest.raises(credence.UsageError):
        contest.report("yaml")


def test_pandas() -> None:
    pytest.importorskip("pandas")
    contest = credence.compare(*samples.logits(), **FAST)
    frame = contest.to_pandas()
    assert frame.loc[("temperature", "ece"), "value"] == contest["temperature"].result.ece
    assert frame["value"].unstack().shape == (3, len(contest["identity"].result))
    repeated = credence.compare(*samples.logits(), repeats=2, methods="temperature", resamples=0)
    assert repeated.series.to_pandas().loc[("temperature", "ece"), "runs"] == 2


def test_results_outlive_the_contest() -> None:
    contest = credence.compare(*samples.logits(), **FAST)
    text, result = contest["temperature"].result.to_json(), contest["temperature"].result
    del contest
    assert result.to_json() == text and json.loads(text)["n"] == 150


def test_what_was_learnt_is_read_only() -> None:
    """Calibrators do not compute with these arrays, and would disagree with changed ones."""
    contest = credence.compare(*samples.logits(), methods="vector,isotonic", resamples=0)
    for each in (contest, copy.deepcopy(contest), pickle.loads(pickle.dumps(contest))):
        for value in (*each["vector"].learnt.values(), *each["isotonic"].learnt.values()):
            for part in value if isinstance(value, list) else [value]:
                with pytest.raises(ValueError, match="read-only"):
                    part[...] = 0


def test_in_notebooks() -> None:
    scores, labels = samples.logits(200)
    series = credence.compare(scores, labels, repeats=2, resamples=0, methods="temperature")
    text = series._repr_html_()
    assert text.startswith(series.series._repr_html_()) and "recommends" not in text
    assert f"{series.series['temperature'].values['ece']:.4f}" in text and "2 runs" in text
    shifted = credence.evaluate_shift(scores, labels, {"<b>:1": (scores / 2, labels)}, resamples=0)
    text = shifted._repr_html_()
    assert "&lt;b&gt;:1" in text and f"{shifted.shift['<b>:1'].result.ece:#.4g}" in text and "<th>95 %" not in text
    sites = ["a & b", "c"] * 100
    groups = credence.evaluate(scores, labels, groups={"site": sites}, group_by="site", resamples=20).groups
    text = groups._repr_html_()
    assert text.count("<tr>") == 3 and "a &amp; b" in text and f"{groups['site']['c'].ece:#.4g}" in text
    found = credence.calibratability({"ce": (scores, labels), "ls": (scores / 2, labels)}, methods="temperature")
    assert "No sizes" not in found._repr_html_() and "headroom" in found._repr_html_()
