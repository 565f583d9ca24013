"""Pickles and deep copies of everything that calls return: equal objects, or an error that says what to keep."""
from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import credence

RNG = np.random.default_rng(3)
LABELS = RNG.integers(0, 3, 90)
SCORES = RNG.normal(size=(90, 3)) + 2 * np.eye(3)[LABELS]
SETS = {"noise:1": (SCORES / 2, LABELS)}

COPIES: list[Callable[[Any], Any]] = [lambda given: pickle.loads(pickle.dumps(given)), copy.deepcopy]
NETWORKS = pytest.mark.skipif(not credence.operators(), reason="built without networks (oneDNN)")


def plain(learnt: dict[str, Any]) -> dict[str, list[bytes]]:
    """Return learnt arrays, or lists of them, as what can be compared."""
    return {name: [part.tobytes() for part in (value if isinstance(value, list) else [value])]
            for name, value in learnt.items()}


@pytest.mark.parametrize("again", COPIES, ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("options", [{}, {"folds": 3}, {"repeats": 3}, {"shift": SETS}, {"profile": True}],
                         ids=["split", "folds", "repeats", "shift", "profile"])
def test_contests(options: dict[str, Any], again: Callable[[Any], Any]) -> None:
    contest = credence.compare(SCORES, LABELS, methods="temperature,isotonic,density-ratio", resamples=20, **options)
    found = again(contest)
    assert repr(found) == repr(contest) and found.to_json() == contest.to_json() and found.page() == contest.page()
    assert found.chosen == contest.chosen and found.best == contest.best and list(found) == list(contest)
    for name, candidate in contest.items():
        other = found[name]
        assert (other.failure, other.result, other.certificate, other.seconds, other.against_identity) == \
            (candidate.failure, candidate.result, candidate.certificate, candidate.seconds, candidate.against_identity)
        assert other.parameters == candidate.parameters
        assert other.calibrator == candidate.calibrator
        assert plain(other.learnt) == plain(candidate.learnt)
    assert found.shift == contest.shift and found.figure() == contest.figure()
    assert again(found).to_json() == contest.to_json()
    if contest.series:
        assert dict(found.series) == dict(contest.series) and found.series.caption == contest.series.caption
        assert again(contest.series).report("latex") == contest.series.report("latex")


@pytest.mark.parametrize("again", [*COPIES, copy.copy], ids=["pickle", "deepcopy", "copy"])
def test_groups_keep_their_bins(again: Callable[[Any], Any]) -> None:
    sites = {"site": np.array(["Leiden", "Turin", "none"])[np.arange(90) % 3], "ward": np.arange(90) % 2}
    options: dict[str, Any] = {"groups": sites, "group_by": "site,ward", "weights": np.arange(90) % 3 < 2}
    result = credence.evaluate(SCORES, LABELS, resamples=20, **options)
    assert result.groups["site"]["Leiden"].bins and result.groups["site"]["none"] is None
    for found in (again(result), again(again(result)), again({"it": result})["it"]):
        assert found == result and list(found.groups) == ["site", "ward"]
        for column, groups in result.groups.items():
            assert found.groups[column] == groups
            assert {name: each and each.bins for name, each in found.groups[column].items()} == \
                {name: each and each.bins for name, each in groups.items()}


def test_a_candidate_keeps_its_calibrator() -> None:
    candidate = credence.compare(SCORES, LABELS, methods="temperature", resamples=0)["temperature"]
    found = pickle.loads(pickle.dumps(candidate))
    assert found.calibrator == candidate.calibrator and found.result == candidate.result


@pytest.mark.parametrize("again", COPIES, ids=["pickle", "deepcopy"])
def test_results_of_shifted_sets(again: Callable[[Any], Any]) -> None:
    result = credence.evaluate_shift(SCORES, LABELS, SETS, resamples=10)
    found = again(result)
    assert type(found) is credence.ShiftedResult and found == result and found.shift == result.shift
    assert list(credence.ShiftedResult.from_json(result.to_json()).shift) == ["noise:1"]


@pytest.mark.parametrize("again", COPIES, ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("labels", [LABELS, LABELS + 1], ids=["fine", "ill"])
def test_diagnoses(labels: Any, again: Callable[[Any], Any]) -> None:
    diagnosis = credence.doctor(SCORES, labels, name="dömain")
    found = again(diagnosis)
    assert found == diagnosis and repr(found) == repr(diagnosis) and found.suggestions == diagnosis.suggestions
    assert found.findings == diagnosis.findings and found["labels" if labels is not LABELS else 0]
    result = credence.evaluate(SCORES, LABELS, resamples=0)
    assert credence.report(None, result, found) == credence.report(None, result, diagnosis)
    assert again(found) == diagnosis != credence.doctor(SCORES[:50], labels[:50])


def test_damaged_states() -> None:
    contest = credence.compare(SCORES, LABELS, methods="temperature", resamples=0)
    state = contest._core.report("json").encode()
    core = type(contest._core)
    for call in (lambda: core.load(state[:99], [None] * 2), lambda: core.load(state, [None]),
                 lambda: core.load(credence.evaluate(SCORES, LABELS, resamples=0).to_json().encode(), []),
                 lambda: core.load(state, None), lambda: core.load(None, [])):
        with pytest.raises(credence.Error):
            call()
    diagnosis = credence.doctor(SCORES, LABELS)._core
    about = diagnosis.describe()
    for damaged in (None, {}, {**about, "findings": 3}, {**about, "name": None}, {**about, "rows": "x"},
                    {**about, "findings": [3]}, {**about, "findings": [{"name": "nope"}]},
                    {**about, "findings": [{**about["findings"][0], "found": None}]}):
        with pytest.raises(credence.Error):
            type(diagnosis).load(damaged)


def test_what_cannot_be_pickled_says_what_to_keep(tmp_path: Path) -> None:
    np.savez(tmp_path / "rows.npz", logits=SCORES, labels=LABELS)
    with pytest.raises(credence.UsageError, match="pickle the path"):
        pickle.dumps(credence.read(tmp_path / "rows.npz"))
    for thing, instead in (
            (credence.embed(SCORES, LABELS, iterations=10), "its arrays"),
            (credence.calibratability({"a": (SCORES, LABELS)}, methods="temperature"), "to_json"),
            (credence.learned_epochs({"a": ([1, 2, 3], [1.0, 2.0, 3.0])}), "to_json")):
        for again in COPIES:
            with pytest.raises(credence.UsageError, match=f"{type(thing).__name__} cannot be pickled.*{instead}"):
                again(thing)


@NETWORKS
def test_what_comes_of_training(tmp_path: Path) -> None:
    samples = SCORES.astype(np.float32)
    trainer = credence.Trainer((samples, LABELS), "mlp(hidden=4)", epochs=1)
    list(trainer)
    for thing, instead in ((trainer, "checkpoint"), (trainer.training, "network")):
        with pytest.raises(credence.UsageError, match=f"cannot be pickled.*{instead}"):
            pickle.dumps(thing)
    trainer.training.save(tmp_path / "m.onnx")
    record = credence.TrainingRecord.load(tmp_path / "m.run.json")
    (tmp_path / "m.run.json").unlink()
    found = pickle.loads(pickle.dumps(record))
    assert found.figure() == record.figure() and found.settings == record.settings
    assert pickle.loads(pickle.dumps(found)).epochs == 1
    weights = np.float32([[2, -2], [1, 0], [-1, 1]])
    clamp = credence.clamp(lambda x: x @ weights, lambda gradient: gradient @ weights.T, samples, LABELS % 2)
    for each in (clamp, *(again(clamp) for again in COPIES)):
        assert each.delta is each.summary["delta"] and np.array_equal(each.delta, clamp.delta)
        with pytest.raises(ValueError, match="read-only"):
            each.delta[:] = 0  # what is saved would be another perturbation
    perturbation = credence.Perturbation(clamp, "it")
    assert pickle.loads(pickle.dumps(perturbation)).figure() == perturbation.figure()


def test_datasets() -> None:
    samples = SCORES.astype(np.float32)
    named = credence.Dataset("synthetic:line:rows=50#train", split_seed=3)
    arrays = credence.Dataset(samples, ["cdb"[k] for k in LABELS], groups=LABELS, weights=np.ones(90))
    for dataset in (named, arrays, named.part(10, 60, seed=2), arrays.take([5, 3, 3]), arrays.split(0.3)[1].take([1])):
        for again in COPIES:
            found = again(dataset)
            assert np.array_equal(found[:][0], dataset[:][0]) and np.array_equal(found[:][1], dataset[:][1])
            assert (found.name, found.class_names, found.groups) == (dataset.name, dataset.class_names, dataset.groups)
            assert np.array_equal(found.indices, dataset.indices)


def test_datasets_whose_arrays_were_overwritten() -> None:
    """Samples are shared, and everything else was copied."""
    samples, labels, weights = SCORES.astype(np.float32), LABELS - 1, np.linspace(0, 1, 90, dtype=np.float32)
    groups, classes = [f"p{k}" for k in LABELS], ["c", "d", "b"]
    made = {"labels": labels, "groups": groups, "weights": weights, "class_names": classes}
    for options in ({}, made, {"labels": labels, "classes": 7}, {"labels": labels, "groups": LABELS}):
        dataset = credence.Dataset(samples, **options)
        expected = (dataset.labels.tolist(), dataset.groups, dataset.class_names, dataset.classes,
                    None if dataset.weights is None else dataset.weights.tolist())
        kept = {name: copy.copy(value) for name, value in made.items()}
        labels[:], weights[:], groups[:], classes[:] = 0, 7, ["q"] * 90, ["x", "y", "z"]
        for found in (dataset, *(again(dataset) for again in COPIES), copy.copy(dataset)):
            assert np.array_equal(found[:][0], dataset[:][0])
            assert (found.labels.tolist(), found.groups, found.class_names, found.classes,
                    None if found.weights is None else found.weights.tolist()) == expected
            assert repr(found) == repr(dataset) and found.type == dataset.type
        for name, value in kept.items():
            made[name][:] = value
    dataset = credence.Dataset(samples, LABELS)
    samples[0] = 9
    assert (pickle.loads(pickle.dumps(dataset))[0][0] == 9).all() and (dataset[0][0] == 9).all()
