"""evaluate and Evidence: arguments, results and their forms, parts of a data set."""
from __future__ import annotations

import copy
import json
import math
import multiprocessing
import pathlib
import pickle
import random
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import credence
import samples

QUICK: dict[str, Any] = {"resamples": 20, "metrics": ["ece", "aurc", "accuracy", "nll"]}


@pytest.fixture(scope="module")
def result() -> credence.Result:
    return credence.evaluate(*samples.real(), resamples=100)


# ---- Results.


def test_definitions(result: credence.Result) -> None:
    scores, labels = samples.real()
    right = scores.argmax(axis=1) == labels
    assert result.accuracy == right.mean()
    wide = scores.astype(np.float64)
    wide /= wide.sum(axis=1, keepdims=True)
    assert result.nll == pytest.approx(-np.log(wide[np.arange(1000), labels]).mean(), rel=1e-6)
    confidence = scores.max(axis=1).astype(np.float64)
    index = np.minimum(np.ceil(confidence * 15).astype(int) - 1, 14)
    gaps = [abs((confidence - right)[index == k].sum()) for k in range(15)]
    assert result.ece == pytest.approx(sum(gaps) / 1000, rel=1e-6)
    assert [found.rows for found in result.bins] == [int((index == k).sum()) for k in range(15)]
    assert result["ece"].low < result.ece < result["ece"].high


def test_mapping(result: credence.Result) -> None:
    assert isinstance(result, Mapping) and len(result) == len(list(result)) == 9
    assert result["ece"].value == result.ece == float(result["ece"]) == dict(result)["ece"].value
    assert f"{result['ece']:.4f}" == f"{result.ece:.4f}"
    assert "ece" in result and "smece" not in result and "ece" in dir(result)
    with pytest.raises(KeyError, match="smece"):
        result["smece"]
    with pytest.raises(AttributeError, match="evaluate with metrics='e-aurc'"):
        result.e_aurc
    with pytest.raises(KeyError, match="ECE; did you mean 'ece'"):
        result["ECE"]
    with pytest.raises(AttributeError, match="did you mean 'accuracy'"):
        result.acuracy
    assert not hasattr(result, "_nothing") and not hasattr(result, "__array__")


def test_about(result: credence.Result) -> None:
    assert (result.rows, result.classes, result.input, result.resamples) == (1000, 10, "probabilities", 100)
    assert (result.name, result.binary, result.cluster) == ("predictions", "top", None)
    assert result.notes[0].startswith("read as probabilities")
    assert len(result.groups) == len(result.differences) == 0


def test_undefined() -> None:
    value = credence.evaluate([[0.9, 0.1], [0.8, 0.2]], [0, 0], metrics="auroc")["auroc"]
    assert math.isnan(value.value) and value.reason


@pytest.mark.parametrize("form", list(credence._tables.table("forms")))
def test_every_form(result: credence.Result, form: str) -> None:
    text = result.report(form)
    assert "ccuracy" in text
    if form in ("text", "markdown", "latex"):
        assert result.report(form, percent=True, digits=2) != text


def test_json(result: credence.Result) -> None:
    found = json.loads(result.to_json())
    assert found == result.to_dict() and found["metrics"]["ece"]["value"] == result.ece
    assert credence.Result.from_json(result.to_json()) == result


def test_files(result: credence.Result, tmp_path: pathlib.Path) -> None:
    result.save(tmp_path / "r.json")
    assert credence.Result.load(tmp_path / "r.json") == result
    assert credence.Result.load(str(tmp_path / "r.json")).to_json() == result.to_json()
    with pytest.raises(credence.SystemCallError, match="missing.json") as caught:
        credence.Result.load(tmp_path / "missing.json")
    assert isinstance(caught.value, OSError) and caught.value.errno == 2
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(credence.InputError, match="other.json"):
        credence.Result.load(tmp_path / "other.json")
    with pytest.raises(credence.SystemCallError):
        result.save(tmp_path / "no" / "folder.json")


def test_pickle_and_copy() -> None:
    scores, labels = samples.logits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = credence.evaluate(scores, labels, paired=scores / 2, groups={"site": labels % 2}, group_by=True,
                                  profile=True, metrics="all", resamples=10)
    for other in (pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole), copy.copy(whole)):
        assert other == whole and other is not whole
        assert other.groups["site"].keys() == whole.groups["site"].keys()
        assert repr(other.differences) == repr(whole.differences) and other.notes == whole.notes
        assert other.figure("roc") == whole.figure("roc")
    assert whole != credence.evaluate(scores, labels) and whole != 1
    with pytest.raises(TypeError):
        hash(whole)


def test_groups_live_on() -> None:
    """Results of groups belong to the whole, and keep it."""
    scores, labels = samples.logits()
    groups = credence.evaluate(scores, labels, groups=labels, group_by=True, resamples=5).groups["groups"]
    one = groups[1]
    del groups
    junk = [credence.evaluate(scores, labels, resamples=0) for _ in range(20)]
    assert one is not None and one.rows == int((labels == 1).sum()) and len(junk) == 20


def test_groups() -> None:
    scores, labels = samples.logits()
    columns = {"site": ["Leiden" if i % 3 else "Turin" for i in range(300)], "age": np.arange(300) % 2}
    found = credence.evaluate(scores, labels, groups=columns, group_by=["site", "age"], **QUICK).groups
    assert {column: list(groups) for column, groups in found.items()} == {"site": ["Leiden", "Turin"], "age": [0, 1]}
    assert found["age"][0].ece == credence.evaluate(scores[::2], labels[::2], **QUICK).ece
    assert repr(found) == "<Groups site: ['Leiden', 'Turin'], age: [0, 1]>"
    only = credence.evaluate(scores, labels, groups=columns, group_by="age", **QUICK).groups
    assert list(only) == ["age"]
    assert len(credence.evaluate(scores, labels, groups=columns, **QUICK).groups) == 0
    weights = np.where(columns["age"] == 1, 1.0, 0.0)
    assert credence.evaluate(scores, labels, groups=columns, group_by="age", weights=weights,
                             **QUICK).groups["age"][0] is None
    with pytest.raises(credence.InputError, match="no group column|hospital"):
        credence.evaluate(scores, labels, groups=columns, group_by="hospital", **QUICK)


def test_clusters() -> None:
    scores, labels = samples.logits()
    patients = {"patient": np.arange(300) // 10}
    clustered = credence.evaluate(scores, labels, groups=patients, **QUICK)
    assert clustered.cluster == "patient"
    assert credence.evaluate(scores, labels, groups=patients, cluster="none", **QUICK).cluster is None
    assert credence.evaluate(scores, labels, groups={"ward": np.arange(300) // 10}, cluster="ward",
                             **QUICK).cluster == "ward"


def test_weights() -> None:
    scores, labels = samples.logits()
    counts = np.arange(300) % 3
    twice = credence.evaluate(np.repeat(scores, counts, axis=0), np.repeat(labels, counts), resamples=0)
    weighted = credence.evaluate(scores, labels, weights=counts, resamples=0)
    assert weighted.ece == pytest.approx(twice.ece, rel=1e-12) and weighted.to_dict()["weighted"]
    with pytest.raises(credence.InputError, match="weights"):
        credence.evaluate(scores, labels, weights=-counts)


def test_paired() -> None:
    scores, labels = samples.logits()
    better = scores * 0.4
    found = credence.evaluate(scores, labels, paired=better, metrics=["ece", "accuracy"], resamples=200)
    alone = credence.evaluate(better, labels, metrics=["ece", "accuracy"], resamples=0)
    difference = found.differences["ece"]
    assert difference.value == pytest.approx(alone.ece - found.ece, abs=1e-15)
    assert difference.low < difference.value < difference.high < 0 and difference.p < 0.02
    assert found.differences["accuracy"].test == "McNemar" and float(found.differences["accuracy"]) == 0
    with pytest.raises(credence.InputError, match="rows"):
        credence.evaluate(scores, labels, paired=scores[:10], input="logits")
    with pytest.raises(credence.ArgumentError, match="Evidence.compare"):
        credence.evaluate(scores.max(axis=1), correct=labels == 0, paired=scores.max(axis=1), input="ranking")


def test_paired_with_other_labels(tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    other = np.where(np.arange(len(labels)) == 7, (labels + 1) % scores.shape[1], labels)
    np.savez(tmp_path / "one.npz", logits=scores, labels=labels)
    np.savez(tmp_path / "other.npz", logits=scores, labels=other)
    with pytest.raises(credence.InputError, match="labels row 7: found class"):
        credence.evaluate(tmp_path / "one.npz", paired=tmp_path / "other.npz", **QUICK)


def test_paired_with_itself() -> None:
    scores, labels = samples.logits()
    found = credence.evaluate(scores, labels, paired=scores, groups={"patient": labels}, **QUICK)
    assert all(each.value == 0 for each in found.differences.values())
    rows = credence._inputs.predictions(scores, labels)
    same = credence.evaluate(rows, paired=rows, **QUICK)
    assert all(each.value == 0 for each in same.differences.values())


def test_predictions_stay_as_they_are() -> None:
    """Clusters of the other model, and recalibration, belong to one evaluation."""
    scores, labels = samples.logits()
    rows = credence._inputs.predictions(scores, labels)
    patients = credence._inputs.predictions(scores / 2, labels, groups_={"patient": labels})
    how: dict[str, Any] = {"resamples": 50, "metrics": "ece,nll-refinement", "profile": True}

    def each() -> list[str]:
        found = [credence.evaluate(rows, **how), credence.evaluate(patients, **how),
                 credence.evaluate_shift(rows, None, {"other": patients}, **QUICK),
                 credence.Evidence(resamples=20).update(rows).compute()]
        return [one.to_json() for one in found]

    before = each()
    credence.evaluate(rows, paired=patients, **how)
    credence.evaluate(patients, paired=rows, recalibrate="vector", **how)
    credence.evaluate_shift(patients, None, {"other": rows}, **QUICK)
    assert each() == before


def test_confidences() -> None:
    scores, labels = samples.real()
    confidence, right = scores.max(axis=1), scores.argmax(axis=1) == labels
    whole = credence.evaluate(scores, labels, resamples=0)
    pairs = credence.evaluate(confidence, correct=right, resamples=0)
    assert (pairs.input, pairs.classes) == ("confidence", 0)
    assert (pairs.aurc, pairs.accuracy) == (whole.aurc, whole.accuracy)
    assert pairs.ece == pytest.approx(whole.ece, rel=1e-6)  # rows of float32 sum to nearly 1
    by_class = credence.evaluate(confidence, labels, predicted=scores.argmax(axis=1), resamples=0)
    assert by_class.ece == pairs.ece
    beside = credence.evaluate(scores, labels, confidence=confidence / 2, predicted=scores.argmax(axis=1), resamples=0)
    assert beside.confidence == pytest.approx(whole.confidence / 2) and beside.nll == whole.nll
    ranking = credence.evaluate(np.log(confidence), correct=right, input="ranking", resamples=0)
    assert (ranking.input, ranking.auroc) == ("ranking", whole.auroc)
    assert "<svg" not in ranking._repr_html_() and "AUROC" in ranking._repr_html_()


def test_kinds_of_scores() -> None:
    scores, labels = samples.logits()
    recognised = credence.evaluate(scores, labels, resamples=0)
    assert recognised.input == "logits" and "read as logits" in recognised.notes[0]
    assert recognised.ece == credence.evaluate(samples.softmax(scores), labels, resamples=0).ece
    with pytest.warns(credence.DataWarning, match="input-kind"):
        declared = credence.evaluate(samples.softmax(scores), labels, input="logits", resamples=0)
    assert declared.input == "logits" and declared.ece != recognised.ece
    with pytest.raises(credence.InputError):
        credence.evaluate(scores, labels, input="probabilities")


def test_seed_and_threads() -> None:
    scores, labels = samples.logits()
    one = credence.evaluate(scores, labels, resamples=50, threads=1, seed=7)
    assert one == credence.evaluate(scores, labels, resamples=50, threads=2, seed=7)
    assert one != credence.evaluate(scores, labels, resamples=50, seed=8)


def test_values_are_equal() -> None:
    """Fields that are NaN do not make equal results different."""
    scores, labels = samples.logits(60)
    one, other = (credence.evaluate(scores, labels, resamples=0) for _ in range(2))
    assert np.isnan(one["ece"].low) and dict(one) == dict(other)
    assert hash(one["ece"]) == hash(other["ece"]) and one.bins == other.bins
    assert one["ece"] != one["nll"] and one["ece"] != one.ece
    again = credence.fit("isotonic", scores, labels).certificate
    assert np.isnan(again.gradient_norm) and again == credence.fit("isotonic", scores, labels).certificate
    assert f"{one['ece']:.3f}" == f"{one.ece:.3f}" and float(one["ece"]) == one.ece


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[tuple[str, int, int]] = []
    scores, labels = samples.real()
    credence.evaluate(scores, labels, progress=lambda *call: calls.append(call))
    assert calls and all(done <= total for _, done, total in calls)
    credence.evaluate(scores, labels, resamples=0, progress=True)
    bar = credence._progress.Bar()
    bar.start -= 1
    bar("judging", 1, 2)
    bar("judging", 2, 2)
    assert "[###############" in capsys.readouterr().err


# ---- Forms for notebooks and frames.


def test_html_escapes() -> None:
    scores, labels = samples.logits()
    evil = '<script>alert("&1")</script>'
    found = credence.evaluate(scores, labels, name=evil, groups={evil: labels}, group_by=True, profile=True,
                              resamples=0)
    for text in (found._repr_html_(), found.figure(), found.page(), found.page(evil), found.figure(title=evil)):
        assert "<script>alert" not in text and "&lt;script" in text
    assert "<svg" in found._repr_html_() and "95 % interval" in found._repr_html_()
    assert found._repr_html_().count('id="') == len(set(part.split('"')[0] for part in
                                                        found._repr_html_().split('id="')[1:]))


def test_html_escapes_notes() -> None:
    found = credence.evaluate(*samples.logits(), resamples=0)
    noted = credence.Result(found._core, ("<script>alert(1)</script>",))
    assert "<script>alert" not in noted._repr_html_() and "&lt;script&gt;alert(1)" in noted._repr_html_()


def test_html_of_two_results_has_distinct_ids() -> None:
    scores, labels = samples.logits()
    one, other = (credence.evaluate(scores, labels, resamples=0)._repr_html_() for _ in range(2))
    ids = [{part.split('"')[0] for part in text.split('id="')[1:]} for text in (one, other)]
    assert ids[0] and not ids[0] & ids[1]


def test_figures() -> None:
    scores, labels = samples.logits()
    plain = credence.evaluate(scores, labels, resamples=0)
    whole = credence.evaluate(scores, labels, resamples=0, profile=True)
    for name, entry in credence.figures().items():
        if entry["source"] == "result":
            assert plain.figure(name, title="Mine").startswith("<svg")
        if entry["source"] == "profile":
            assert whole.figure(name).startswith("<svg")
            with pytest.raises(credence.UsageError, match="profile"):
                plain.figure(name)
    with pytest.raises(credence.UsageError, match="reliability"):
        plain.figure("relability")


def test_pandas(result: credence.Result) -> None:
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.index) == list(result) and frame.index.name == "metric"
    assert list(frame.columns) == ["value", "low", "high", "noise_floor", "p", "reason", "interval"]
    assert frame.loc["ece", "value"] == result.ece
    assert len(pandas.DataFrame(result.bins)) == 15
    scores, labels = samples.logits()
    groups = credence.evaluate(scores, labels, groups={"site": labels % 2}, group_by=True, **QUICK).groups
    assert groups.to_pandas().loc[("site", 1, "ece"), "value"] == groups["site"][1].ece
    assert groups.to_pandas()["value"].unstack("metric").shape == (2, 4)


# ---- Faults of the data.


def test_warnings() -> None:
    scores, labels = samples.real()
    shuffled = np.random.default_rng(0).permutation(labels)
    with pytest.warns(credence.DataWarning, match="unrelated-labels") as caught:
        found = credence.evaluate(scores, shuffled, resamples=0)
    assert caught[0].filename == __file__ and found.notes[0] == str(caught[0].message)
    assert pickle.loads(pickle.dumps(found)).notes == found.notes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        credence.evaluate(scores, labels, resamples=0)
        with pytest.raises(credence.DataWarning):
            credence.evaluate(scores, shuffled, resamples=0)


def test_explained_failure() -> None:
    scores, labels = samples.real()
    with pytest.raises(credence.InputError, match="found class 10") as caught:
        credence.evaluate(scores, labels + 1)
    assert "count from 1" in caught.value.__notes__[0]


# ---- Evidence.


def test_parts_are_exact() -> None:
    scores, labels = samples.real()
    whole = credence.evaluate(scores, labels)
    cuts = [0, 1, 300, 301, 650, 1000]
    parts = [credence.Evidence().update(scores[a:b], labels[a:b], first_row=a, input="probabilities")
             for a, b in zip(cuts, cuts[1:])]
    random.Random(0).shuffle(parts)
    assert sum(parts[1:], parts[0]).compute().to_dict()["metrics"] == whole.to_dict()["metrics"]
    assert sum(parts).compute().to_dict()["metrics"] == whole.to_dict()["metrics"]
    running = credence.Evidence()
    for a, b in zip(cuts, cuts[1:]):
        assert running.update(scores[a:b], labels[a:b], input="probabilities") is running
    assert running.compute().to_dict()["metrics"] == whole.to_dict()["metrics"]


def _part(bounds: tuple[int, int]) -> credence.Evidence:
    scores, labels = samples.real()
    first, last = bounds
    return credence.Evidence().update(scores[first:last], labels[first:last], first_row=first, input="probabilities")


def test_processes() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.map(_part, [(0, 250), (250, 700), (700, 1000)])
    expected = credence.evaluate(*samples.real(), input="probabilities")
    assert sum(parts).compute() == expected


def test_sums_leave_operands() -> None:
    scores, labels = samples.logits()
    one = credence.Evidence(**QUICK).update(scores[:100], labels[:100])
    other = credence.Evidence(**QUICK).update(scores[100:], labels[100:], first_row=100)
    before = one.compute()
    assert (one + other).compute().rows == 300
    assert one.compute() == before and other.compute().rows == 200
    assert one.copy().merge(other).update(scores[:5], labels[:5]).compute().rows == 305
    with pytest.raises(TypeError):
        one + 1
    with pytest.raises(credence.ArgumentError):
        one.merge(1)


def test_parts_that_are_recognised_differently() -> None:
    logits = np.array([2.5, -1.5, 0.2, 0.4, 3.0, 0.9])  # the middle ones could be probabilities
    labels = np.array([1, 0, 0, 1, 1, 1])
    options: dict[str, Any] = {"binary": "pos"}
    clear = credence.Evidence("nll").update(logits[:2], labels[:2], **options)
    small = credence.Evidence("nll").update(logits[2:4], labels[2:4], first_row=2, **options)
    refused = pytest.raises(credence.InputError, match="read as (logits|probabilities), those of another as .* name")
    for one, other in ((clear, small), (small, clear), (pickle.loads(pickle.dumps(small)), clear.copy())):
        before = one.compute()
        with refused:
            one.merge(other)
        with refused:
            one + other
        assert one.compute() == before
    with refused:
        clear.update(logits[2:4], labels[2:4], **options)
    with refused:
        small.update(logits[4:], labels[4:], **options)
    clear.update(logits[2:4], labels[2:4], input="logits", **options).update(logits[4:], labels[4:], **options)
    assert dict(clear.compute()) == dict(credence.evaluate(logits, labels, metrics="nll", input="logits", **options))


def test_rows_in_both_parts() -> None:
    scores, labels = samples.logits()
    one = credence.Evidence().update(scores, labels)
    with pytest.raises(credence.InputError, match="first_row"):
        one + credence.Evidence().update(scores, labels)
    with pytest.raises(credence.InputError, match="first_row"):
        one.update(scores, labels, first_row=299)
    with pytest.raises(credence.UsageError):
        one + credence.Evidence(bins=10).update(scores, labels, first_row=300)
    with pytest.raises(credence.UsageError):
        one.merge(one)


def test_state_files(tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    path = tmp_path / "part.state"
    credence.Evidence().update(scores[:200], labels[:200]).save(path)
    loaded = credence.Evidence.load(path)
    with pytest.raises(credence.UsageError, match="first_row"):
        loaded.update(scores[200:], labels[200:])
    assert loaded.update(scores[200:], labels[200:], first_row=200).compute() == credence.evaluate(scores, labels)
    sums = (credence.Evidence.load(path) + credence.Evidence().update(scores[:5], labels[:5], first_row=500),
            credence.Evidence().update(scores[:5], labels[:5], first_row=500) + credence.Evidence.load(path))
    for each in (*sums, pickle.loads(pickle.dumps(credence.Evidence.load(path)))):
        with pytest.raises(credence.UsageError, match="first_row"):
            each.update(scores[:5], labels[:5])
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(credence.InputError, match="part.state"):
        credence.Evidence.load(path)
    with pytest.raises(credence.SystemCallError):
        credence.Evidence.load(tmp_path / "none")


def test_empty_evidence() -> None:
    with pytest.raises(credence.UsageError):
        credence.Evidence().compute()


def test_slices_of_files() -> None:
    evidence = credence.Evidence(**QUICK)
    for first in range(0, 1000, 500):
        evidence.update(f"{samples.FILE}@{first}:{first + 500}", input="probabilities")
    whole = credence.evaluate(f"{samples.FILE}@0:1000", input="probabilities", **QUICK)
    assert evidence.compute().to_dict()["metrics"] == whole.to_dict()["metrics"]


def test_compare() -> None:
    scores, labels = samples.logits()
    one, other = (credence.Evidence(paired=True, **QUICK).update(each, labels) for each in (scores, scores / 2))
    found = one.compare(other)
    assert repr(found.differences) == repr(credence.evaluate(scores, labels, paired=scores / 2, **QUICK).differences)
    with pytest.raises(credence.UsageError):
        one.compare(one)
