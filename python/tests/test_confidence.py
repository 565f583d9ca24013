"""ConfidNet: the program's bits, its records, what was predicted with the confidence, Ctrl-C, faults."""
from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence

TRAINING, VALIDATION, TEST = ("synthetic:mixture#" + split for split in ("val@0:3000", "val@3000:4000", "test@0:1000"))
SETTINGS = {"hidden": [16, 8], "epochs": 4, "weighting": 2}


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("confidence") / "classifier.onnx"
    credence.train("synthetic:mixture#train@0:2000", "mlp(hidden=16)", epochs=2, threads=1).save(path, record=False)
    return path


def learn(classifier: Any, **more: Any) -> credence.LearnedConfidence:
    return credence.train_confidence(classifier, TRAINING, **{"validation": VALIDATION, "settings": SETTINGS,
                                                              "seed": 3, "threads": 1, **more})


@pytest.mark.parametrize("data", [{}, {"validation": 0.25, "split_seed": 5}])
def test_program(program: Callable[..., str], classifier: pathlib.Path, tmp_path: pathlib.Path,
                 data: dict[str, Any]) -> None:
    """The same model, records, predictions and metrics as `credence train-confidence`."""
    options = ["--validate", data.get("validation", VALIDATION)]
    options += ["--split-seed", data["split_seed"]] if data else []
    lines = program("train-confidence", classifier, TRAINING, *options, "-o", "program.onnx", "--seed", 3, "-j", 1,
                    "--set", "hidden=16,8,epochs=4,weighting=2", "--json", "-q", folder=tmp_path).splitlines()
    learned = learn(classifier, **data)
    learned.save(tmp_path / "package.onnx")
    assert (tmp_path / "package.onnx").read_bytes() == (tmp_path / "program.onnx").read_bytes()
    epochs, summary = [json.loads(line) for line in lines[:-1]], json.loads(lines[-1])
    assert len(learned.records) == len(epochs) == 4
    for here, there in zip(learned.records, epochs):
        assert (here["loss"], here["validation.loss"]) == (there["loss"], there["validation_loss"])
        assert [here[f"validation.{name}"] for name in ("auroc", "aupr-error", "ece", "brier-top1")] \
            == [there[name] for name in ("auroc", "aupr_error", "ece", "brier_top1")]
        assert here["best"] == there.get("best", False)
    assert {name: summary[name] for name in learned.summary} == learned.summary
    assert vars(learned.confidence) == summary["confidence"]
    assert vars(learned.maximum_probability) == summary["maximum_probability"]
    program("predict", "program.onnx", TEST, "-o", "predictions.npz", "-j", 1, "-q", folder=tmp_path)
    predicted = learned.network.predict(TEST)
    assert (predicted.confidence == np.load(tmp_path / "predictions.npz")["confidence"]).all()
    here = predicted.evaluate(metrics="ece,auroc,nll", resamples=20)
    there = credence.evaluate(tmp_path / "predictions.npz", metrics="ece,auroc,nll", resamples=20)
    assert [value.value for value in here.values()] == [value.value for value in there.values()]
    assert here.auroc != credence.evaluate(predicted.scores, predicted.labels, metrics="auroc", resamples=0).auroc


def test_arrays(classifier: pathlib.Path) -> None:
    """Datasets in memory, and a Network, give the same head."""
    names = learn(classifier)
    training, validation = credence.Dataset(TRAINING), credence.Dataset(VALIDATION)
    arrays = learn(credence.Network(classifier), validation=validation[:])
    assert repr(arrays) == repr(names)
    again = credence.train_confidence(credence.Network(classifier), training[:], validation=validation[:],
                                      settings=SETTINGS, seed=3, threads=1)
    assert again.records[-1]["loss"] == names.records[-1]["loss"]
    assert learn(classifier, seed=4).records[-1]["loss"] != names.records[-1]["loss"]


def test_tensor_and_forms(classifier: pathlib.Path) -> None:
    learned = learn(classifier, tensor="logits", settings="hidden=4,epochs=2")
    assert learned.summary["tensor"] == "logits" and learned.summary["features"] == 10
    assert [port.name for port in learned.network.outputs] == ["logits", "probabilities", "predicted", "confidence"]
    assert repr(learned).startswith("<LearnedConfidence from 'logits', epoch ")
    found = pytest.importorskip("pandas") and learned.to_pandas()
    assert found["validation.auroc"].tolist() == [record["validation.auroc"] for record in learned.records]


def test_progress(classifier: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    stages = set()
    learn(classifier, progress=lambda stage, done, total: stages.add(stage))
    assert stages
    learn(classifier, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert any(line.split()[:2] == ["epoch", "loss"] and "auroc" in line for line in lines), lines


def test_notes(classifier: pathlib.Path) -> None:
    """Data on which the classifier is always right teach nothing, and the object says so."""
    network = credence.Network(classifier)
    samples, _ = credence.Dataset(TRAINING)[:]
    right = network.predict(TRAINING).scores.argmax(1)
    learned = credence.train_confidence(network, (samples, right), settings={"hidden": 4, "epochs": 1})
    assert learned.summary["criterion"] == "loss" and np.isnan(learned.confidence.auroc)
    assert [note.split()[0] for note in learned.notes] == ["only", "all"], learned.notes


def test_interrupted(classifier: pathlib.Path) -> None:
    """Ctrl-C keeps the best epoch so far; before the first one there is nothing to keep."""
    calls = []

    def stop(stage: str, done: int, total: int) -> None:
        if done < total:  # how many of these there are depends on the time that a stage takes
            return
        calls.append(stage)
        if len(calls) == wait:
            raise KeyboardInterrupt

    wait = 10 ** 9
    whole = learn(classifier, settings={"hidden": 8, "epochs": 30}, progress=stop)
    count, calls, wait = len(calls), [], 1
    with pytest.raises(credence.Interrupted):
        learn(classifier, settings={"hidden": 8, "epochs": 30}, progress=stop)
    calls, wait = [], count - 1
    learned = learn(classifier, settings={"hidden": 8, "epochs": 30}, progress=stop)
    assert learned.interrupted and 1 <= len(learned.records) < len(whole.records)
    assert [record["loss"] for record in learned.records] == [record["loss"]
                                                             for record in whole.records[:len(learned.records)]]


@pytest.mark.parametrize("arguments, error, message", [
    ({"settings": {"hiden": 4}}, credence.UsageError, "hidden"),
    ({"settings": {"epochs": -1}}, credence.UsageError, "epochs"),
    ({"tensor": "nothing"}, credence.UsageError, "nothing"),
    ({"validation": 1.5}, credence.UsageError, "between 0 and 1"),
    ({"validation": np.zeros((5, 20), np.float32)}, credence.InputError, "label"),
    ({"mean": [0, 0, 0]}, credence.InputError, "has 20 channels"),
])
def test_faults(classifier: pathlib.Path, arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        learn(classifier, **arguments)
