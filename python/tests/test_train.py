"""Datasets and training: the bits of the program, interruptions, records."""
from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types
from typing import Any

import numpy as np
import pytest

import credence
import samples
from credence import _progress

LOCATED = pathlib.Path(credence.__file__).resolve().parents[3] / "credence"
PROGRAM = os.environ.get("CREDENCE_PROGRAM") or str(LOCATED)
MIXTURE = "synthetic:mixture:train=400,val=400,test=400"
TRAINING, VALIDATION = f"{MIXTURE}#train", f"{MIXTURE}#val"

pytestmark = pytest.mark.skipif(not credence.architectures(), reason="built without networks (oneDNN)")
needs_program = pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason=f"no program {PROGRAM} (CREDENCE_PROGRAM)")


def program(*arguments: object) -> str:
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def images(path: pathlib.Path, count: int = 96) -> str:
    """Write a dataset of grey images, and return its name."""
    random = np.random.default_rng(0)
    np.savez(path, train_images=random.integers(0, 256, (count, 12, 12)).astype(np.uint8),
             train_labels=np.arange(count) % 3)
    return f"npz:{path}#train"


def small(**options: Any) -> credence.Training:
    return credence.train(TRAINING, "mlp(hidden=8)", **{"threads": 1, "epochs": 2, **options})


# ---- The program's bits.

SETTINGS: list[dict[str, Any]] = [
    {},
    {"validation": 0.2, "loss": "ce + 5*dca", "best": "ece", "patience": 2, "epochs": 4},
    {"validation": VALIDATION, "optimiser": "sgd(momentum=0.9)", "rate": 0.05, "weight_decay": 0.001, "decay": "all"},
    {"schedule": "one-cycle", "warm_up": 0.3, "batch": 50, "keep_last": True, "clip": 0.5},
    {"mixup": 0.2, "seed": 7, "keep_scale": True},
    {"network": "mlp(hidden=16,16)", "evaluate_train": True, "monitors": {"other": VALIDATION}},
    {"loss": "ce + -0.1*entropy", "allow_negative": True},
]
FLAGS = {"warm_up": "warm-up", "weight_decay": "weight-decay", "validation": "validate", "keep_last": "keep-last",
         "keep_scale": "keep-scale", "evaluate_train": "evaluate-train", "allow_negative": "allow-negative"}


def flags(settings: dict[str, Any]) -> list[object]:
    found: list[object] = []
    for name, value in settings.items():
        if name == "monitors":
            found += [word for key, data in value.items() for word in ("--monitor", f"{key}={data}")]
        else:
            found += [f"--{FLAGS.get(name, name)}", *([] if value is True else [value])]
    return found


@needs_program
@pytest.mark.filterwarnings("ignore::credence.DataWarning")
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "+".join(settings) or "defaults")
def test_the_bits_of_the_program(settings: dict[str, Any], tmp_path: pathlib.Path) -> None:
    settings = {"epochs": 3, **settings}
    program("train", TRAINING, "-o", tmp_path / "told.onnx", "-j", 1, "-q", *flags(settings))
    training = credence.train(TRAINING, threads=1, **settings)
    training.save(tmp_path / "found.onnx")
    assert (tmp_path / "found.onnx").read_bytes() == (tmp_path / "told.onnx").read_bytes()
    told = json.loads((tmp_path / "told.run.json").read_text())
    found = json.loads((tmp_path / "found.run.json").read_text())
    assert list(found) == list(told)
    for name in told:
        if name not in ("command", "output", "validate"):
            assert found[name] == told[name], name
    assert program("plot", "training", tmp_path / "found.run.json", "-o", tmp_path / "found.svg") is not None


@needs_program
def test_the_bits_of_the_program_on_images(tmp_path: pathlib.Path) -> None:
    data = images(tmp_path / "images.npz")
    program("train", data, "-n", "lenet5", "--augment", "crop(pad=1) + flip", "-e", 2, "-b", 32, "-j", 1, "-q", "-o",
            tmp_path / "told.onnx")
    training = credence.train(data, "lenet5", augment="crop(pad=1) + flip", epochs=2, batch=32, threads=1)
    training.save(tmp_path / "found.onnx", record=False)
    assert (tmp_path / "found.onnx").read_bytes() == (tmp_path / "told.onnx").read_bytes()
    assert not (tmp_path / "found.run.json").exists()
    program("train", data, "--model", tmp_path / "told.onnx", "--freeze", "conv", "--head", "head", "-e", 1, "-j", 1,
            "-q", "-o", tmp_path / "tuned.onnx")
    for network in (tmp_path / "told.onnx", training.network, (tmp_path / "told.onnx").read_bytes()):
        tuned = credence.train(data, network, freeze="conv", head="head", epochs=1, threads=1)
        tuned.save(tmp_path / "found.onnx")
        assert (tmp_path / "found.onnx").read_bytes() == (tmp_path / "tuned.onnx").read_bytes()


def test_arrays_train_like_names() -> None:
    data = credence.Dataset(TRAINING)
    samples, labels = data[:]
    assert [each["loss"] for each in credence.train((samples, labels), "mlp(hidden=8)", epochs=2, threads=1).records] \
        == [each["loss"] for each in small().records]


def test_every_part_of_the_tables(tmp_path: pathlib.Path) -> None:
    for name in credence.optimisers():
        assert small(optimiser=name, epochs=1).settings["optimiser"].startswith(f"{name}(")
    for name in credence.schedules():
        assert small(schedule=name, epochs=1).settings["schedule"].split("(")[0] == name
    for name, loss in credence.losses().items():
        expression = f"ce + 0.1*{name}" if loss["auxiliary"] else name
        assert small(loss=expression, epochs=1).settings["loss"] == expression
    data = images(tmp_path / "images.npz")
    for name in credence.augmentations():
        assert credence.train(data, "lenet5", augment=name, epochs=1, threads=1).settings["augment"] == name
        assert name in (credence.train.__doc__ or "")
    for name in [*credence.architectures(), *credence.losses()]:
        assert f"``{name}``" in (credence.train.__doc__ or "")


# ---- Records.


def test_records() -> None:
    training = small(validation=0.25, epochs=3, best="nll", progress=lambda stage, done, total: None)
    assert [each["epoch"] for each in training.records] == [1, 2, 3]
    assert {"rate", "loss", "train.accuracy", "validation.ece", "validation.nll", "best"} <= set(training.records[0])
    lowest = min(training.records, key=lambda each: each["validation.nll"])
    assert training.kept_epoch == lowest["epoch"] and training.finished
    assert training.settings["best"] == "nll" and len(training.fingerprint) == 64
    assert isinstance(training.figure(title="<m>"), credence.SVG) and "&lt;m" in training.figure(title="<m>")
    assert training.figure().startswith("<svg") and "nll" in training.figure()
    assert "after epoch" in repr(training) and "<table>" in training._repr_html_()
    assert training.network(credence.Dataset(VALIDATION)[:5][0]).shape == (5, 10)


def test_learned_rows(tmp_path: pathlib.Path) -> None:
    training = small(evaluate_train=True)
    assert training.learned is not None
    epochs, logits = training.learned
    assert epochs.shape == logits.shape == (400,) and epochs.max() <= 2
    training.save_learned(tmp_path / "learned.npz")
    with np.load(tmp_path / "learned.npz") as told:
        np.testing.assert_array_equal(told["learned"], epochs)
    assert small().learned is None


def test_learned_rows_of_an_earlier_training() -> None:
    trainer = credence.Trainer(TRAINING, "mlp(hidden=8)", epochs=6, threads=1, evaluate_train=True)
    trainer.epoch()
    before = trainer.training
    assert before.learned is not None
    told = [each.copy() for each in before.learned]
    list(trainer)
    after = trainer.training.learned
    assert before.learned is not None and after is not None
    for each, kept, later in zip(before.learned, told, after):
        np.testing.assert_array_equal(each, kept)
        assert not each.flags.writeable and (later != kept).any()


def test_a_frame_of_records() -> None:
    pytest.importorskip("pandas")
    frame = small(validation=0.25).to_pandas()
    assert list(frame.index) == [1, 2] and frame["loss"].notna().all()


def test_the_trainer_yields_epochs() -> None:
    trainer = credence.Trainer(TRAINING, "mlp(hidden=8)", epochs=3, threads=1)
    seen = []
    for record in trainer:
        seen.append(record["epoch"])
        if len(seen) == 1:
            assert not trainer.training.finished and trainer.training.kept_epoch == 1
    assert seen == [1, 2, 3] and trainer.epoch() is None
    assert trainer.training.network.to_bytes() == small(epochs=3).network.to_bytes()


# ---- Interruption and continuation.


def interrupt_soon(condition: Any) -> threading.Thread:
    def wait() -> None:
        while not condition():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_ctrl_c_keeps_what_was_trained(tmp_path: pathlib.Path) -> None:
    checkpoint = tmp_path / "m.checkpoint"
    settings: dict[str, Any] = {"network": "mlp(hidden=64)", "epochs": 400, "threads": 1, "checkpoint": checkpoint}
    thread = interrupt_soon(checkpoint.exists)
    with pytest.raises(credence.Interrupted) as caught:
        credence.train(TRAINING, **settings)
    thread.join()
    training = caught.value.training
    assert training is not None and not training.finished and 0 < len(training.records) < 400
    assert training.network(np.zeros((1, 20), np.float32)).shape == (1, 10)
    went_on = credence.train(TRAINING, **settings, resume=True)
    whole = credence.train(TRAINING, **{**settings, "checkpoint": None})
    assert went_on.network.to_bytes() == whole.network.to_bytes()
    assert [each["loss"] for each in went_on.records] == [each["loss"] for each in whole.records]


def test_a_trainer_goes_on_after_ctrl_c() -> None:
    settings: dict[str, Any] = {"network": "mlp(hidden=64)", "epochs": 300, "threads": 1}
    trainer = credence.Trainer(TRAINING, **settings)
    thread = interrupt_soon(lambda: len(trainer.records) > 3)
    with pytest.raises(KeyboardInterrupt):
        for _ in trainer:
            pass
    thread.join()
    for _ in trainer:
        pass
    assert trainer.training.network.to_bytes() == credence.train(TRAINING, **settings).network.to_bytes()


def test_an_interruption_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    def epoch(record: Any) -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr(_progress.Bar, "epoch", lambda self, record: epoch(record))
    with pytest.raises(credence.Interrupted) as caught:
        small(progress=True)
    assert caught.value.training is not None and len(caught.value.training.records) == 1


def test_an_interruption_within_an_epoch(tmp_path: pathlib.Path) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt
    trainer = credence.Trainer(TRAINING, "mlp(hidden=8)", epochs=2, threads=1, checkpoint=tmp_path / "c",
                               progress=interrupt)
    with pytest.raises(credence.Interrupted) as caught:
        trainer.epoch()
    assert caught.value.training is not None and caught.value.training.records == []
    assert (tmp_path / "c").exists()


def test_a_checkpoint_of_another_run(tmp_path: pathlib.Path) -> None:
    small(checkpoint=tmp_path / "c")
    with pytest.raises(credence.InputError, match="c"):
        small(checkpoint=tmp_path / "c", resume=True, seed=1)
    with pytest.raises(credence.UsageError, match="resume needs a checkpoint"):
        small(resume=True)


def test_the_exception_of_a_callback() -> None:
    def fail(stage: str, done: int, total: int) -> None:
        raise ZeroDivisionError(stage)
    with pytest.raises(ZeroDivisionError):
        small(progress=fail)


def test_reading_during_an_epoch() -> None:
    """Records grow during an epoch: whoever reads them waits for its end, and a callback would wait for itself."""
    refused: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        for read in (trainer._core.epochs, trainer._core.describe, trainer._core.rows):
            with pytest.raises(credence.UsageError, match="in use by the call whose callback this is"):
                read()
            refused.append(stage)
    trainer = credence.Trainer(TRAINING, "mlp(hidden=8)", epochs=2, threads=1, evaluate_train=True, progress=progress)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = pool.submit(list, trainer)
        while not job.done():
            assert len(trainer._core.epochs()) <= trainer._core.describe()["epochs"]
        assert [record["epoch"] for record in job.result()] == [1, 2]
    assert refused and len(trainer.training.records) == 2


def test_records_that_another_thread_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the end of an epoch and its return, others may ask for the training: its record stays one."""
    trainer = credence.Trainer(TRAINING, "mlp(hidden=8)", epochs=3, threads=1)
    core = trainer._core

    class Seen:
        def __getattr__(self, name: str) -> Any:
            return getattr(core, name)

        def epoch(self, progress: Any) -> Any:
            found = core.epoch(progress)
            trainer._catch_up()  # as `training` does
            assert len(trainer.records) == len(core.epochs())
            return found
    monkeypatch.setattr(trainer, "_core", Seen())
    assert [record["epoch"] for record in trainer] == [1, 2, 3]
    assert [record["epoch"] for record in trainer.records] == [1, 2, 3]
    assert all(record["seconds"] > 0 for record in trainer.records)


# ---- Refusals.


def test_refusals() -> None:
    with pytest.raises(credence.UsageError, match="no network is called 'lenet6'; did you mean 'lenet5'"):
        credence.train(TRAINING, "lenet6")
    with pytest.raises(credence.UsageError, match="adamm"):
        small(optimiser="adamm")
    with pytest.raises(credence.UsageError, match="best"):
        small(best="ece")
    with pytest.raises(credence.UsageError, match="share is 1.5"):
        small(validation=1.5)
    with pytest.raises(credence.UsageError, match="head needs freeze"):
        small(head="mlp")
    with pytest.raises(credence.ArgumentError, match="network is 3"):
        credence.train(TRAINING, 3)
    with pytest.raises(TypeError, match="epoch"):
        credence.train(TRAINING, epoch=3)  # type: ignore[call-arg]
    with pytest.raises(credence.InputError, match="all labels are '0'"):
        credence.train((np.zeros((8, 2)), np.zeros(8, int)))
    with pytest.raises(credence.NumericError, match="training diverged"):
        small(optimiser="sgd", rate=1e6)
    with pytest.raises(credence.UsageError, match="expected FILE.onnx"):
        small().save("m.pt")


def test_a_new_last_layer_is_worth_a_warning() -> None:
    net = credence.Network.build("mlp(hidden=8)", classes=3, shape=(20,))
    with pytest.warns(credence.DataWarning, match="a new last layer for 10 classes, instead of 3"):
        training = credence.train(TRAINING, net, epochs=1, threads=1)
    assert training.notes and training.network.outputs[0].shape == (None, 10)


def test_groups_stay_apart() -> None:
    samples, labels = credence.Dataset(TRAINING)[:]
    patients = [f"p{i % 40}" for i in range(400)]
    data = credence.Dataset(samples, labels, groups=patients)
    with pytest.raises(credence.InputError, match="40 groups in common"):
        credence.train(data, validation=data, epochs=1)
    training = credence.train(data, "mlp(hidden=8)", validation=0.25, epochs=1, threads=1)
    assert training.records[0]["validation.accuracy"] >= 0


def test_shares_are_numbers_of_numpy_too() -> None:
    data = credence.Dataset(TRAINING)
    assert len(data.split(np.float32(0.25))[1]) == len(data.split(0.25)[1])
    found, wanted = small(validation=np.float32(0.25)), small(validation=0.25)
    assert [each["validation.nll"] for each in found.records] == [each["validation.nll"] for each in wanted.records]


def test_groups_are_told_apart_by_name(tmp_path: pathlib.Path) -> None:
    """Of arrays as of files, numbers and names alike."""
    samples, labels = credence.Dataset(TRAINING)[:60]

    def patients(letter: str, many: int = 10) -> credence.Dataset:
        return credence.Dataset(samples, labels, groups=[f"{letter}{i % many}" for i in range(60)], classes=10)
    credence.train(patients("p"), "mlp(hidden=2)", validation=patients("q"), epochs=1)
    with pytest.raises(credence.InputError, match="data and the validation data have 3 groups in common, such as 'p0'"):
        credence.train(patients("p"), validation=patients("p", 3), epochs=1)
    for prefix, groups in (("p", [f"p{i % 5}" for i in range(60)]), ("", np.arange(60) % 5),
                           ("", [str(i % 5) for i in range(60)])):
        lines = [",".join(map(repr, row)) + f",{label},{prefix}{i % 10}"
                 for i, (row, label) in enumerate(zip(samples.tolist(), labels.tolist()))]
        (tmp_path / "t.csv").write_text("\n".join([",".join([*(f"x{k}" for k in range(20)), "label", "group"]), *lines]))
        table = credence.Dataset(f"csv:{tmp_path / 't.csv'}")
        assert table.groups is not None and table.groups[:2] == [f"{prefix}0", f"{prefix}1"]
        arrays = credence.Dataset(samples, labels, groups=groups)
        for one, other in ((table, arrays), (arrays, table)):
            with pytest.raises(credence.InputError, match=f"have 5 groups in common, such as '{prefix}0'"):
                credence.train(one, validation=other, epochs=1)


# ---- Datasets.


def test_dataset_by_name() -> None:
    data = credence.Dataset(TRAINING)
    assert (len(data), data.shape, data.classes, data.type) == (400, (20,), 10, "vectors")
    assert data.class_names == list("0123456789") and data.weights is None and data.groups is None
    samples, labels = data[10:20]
    assert samples.shape == (10, 20) and samples.dtype == np.float32
    np.testing.assert_array_equal(labels, data.labels[10:20])
    one, label = data[-1]
    np.testing.assert_array_equal(one, data[399][0])
    assert isinstance(label, int) and label == data.labels[-1]
    np.testing.assert_array_equal(data[[3, 1]][0], np.stack([data[3][0], data[1][0]]))
    np.testing.assert_array_equal(data[data.labels == 2][1], np.full((data.labels == 2).sum(), 2))
    assert [len(labels) for _, labels in data.batches(150)] == [150, 150, 100]
    assert sum(1 for _ in data) == 400
    assert repr(data) == f"<Dataset {TRAINING}: 400 vectors of 20, 10 classes>"
    with pytest.raises(IndexError, match="400"):
        data[400]


def test_dataset_of_arrays() -> None:
    x = np.arange(24, dtype=np.uint8).reshape(6, 2, 2)
    data = credence.Dataset(x, ["b", "a", "b", "c", "a", "b"], weights=np.arange(6) + 1.0, groups=list("xxyyzz"))
    assert data.class_names == ["a", "b", "c"] and data.labels.tolist() == [1, 0, 1, 2, 0, 1]
    np.testing.assert_array_equal(data[:][0], x.astype(np.float32)[:, None])
    assert data.weights is not None and data.weights.tolist() == [1, 2, 3, 4, 5, 6]
    assert data.groups == list("xxyyzz") and data.take([5, 0]).groups == ["z", "x"]
    assert set(data.part(0, 50).groups or ()) | set(data.part(50, 100).groups or ()) == set("xyz")
    numbers = ["7", "-3", "007", "ü", "9" * 30, "0"]
    assert credence.Dataset(x, [0] * 6, groups=numbers).groups == numbers
    assert credence.Dataset(x, [0] * 6, groups=np.array([7, -3, 7, 2**62, 0, 1])).groups \
        == ["7", "-3", "7", str(2**62), "0", "1"]
    ordered = credence.Dataset(x, ["b", "a", "b", "c", "a", "b"], class_names=["c", "b", "a"])
    assert ordered.labels.tolist() == [1, 2, 1, 0, 2, 1]
    assert credence.Dataset(x, [0, 1, 0, 1, 0, 1], classes=5).classes == 5
    x[0] = 9
    assert (data[0][0] == 9).all()  # it is not copied
    for column in (data.labels, data.weights, data.indices):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 2
    data.groups.clear()
    assert data.groups == list("xxyyzz")
    some, classes = data[1:3]
    some[...] = classes[...] = 2  # copies
    assert data[1][1] == 0 and credence.Dataset(x, data.labels).labels.tolist() == data.labels.tolist()
    with pytest.raises(credence.InputError, match="did you mean 'b'|not among the classes"):
        credence.Dataset(x, list("bbbbbd"), class_names=["a", "b"])
    with pytest.raises(credence.InputError):
        credence.Dataset(x, [0, 1])
    for classes in (1, 3):
        with pytest.raises(credence.UsageError, match=f"class_names has 2 names for {classes} classes"):
            credence.Dataset(x, [0] * 6, class_names=["a", "b"], classes=classes)


def test_parts_of_a_dataset() -> None:
    data = credence.Dataset(TRAINING)
    training, validation = data.split(0.25, seed=3)
    assert len(training) == 300 and len(validation) == 100
    assert sorted([*training.indices, *validation.indices]) == sorted(data.indices)
    again = data.split(0.25, seed=3)[1]
    np.testing.assert_array_equal(again.indices, validation.indices)
    assert data.split(0.25, seed=4)[1].indices.tolist() != validation.indices.tolist()
    taken = data.take([5, 3, 5])
    np.testing.assert_array_equal(taken[:][0], data[[5, 3, 5]][0])
    del data
    assert taken.labels.shape == (3,)


def test_dataset_refusals(tmp_path: pathlib.Path) -> None:
    with pytest.raises(credence.UsageError, match="fashion-mnist"):
        credence.Dataset("fashon-mnist:x#train")
    with pytest.raises(credence.ArgumentError, match="labels is given, but 'csv:x.csv' has its own"):
        credence.Dataset("csv:x.csv", [1])
    with pytest.raises(credence.InputError, match="absent"):
        credence.Dataset("csv:absent.csv")
    with pytest.raises(credence.ArgumentError, match="tuple of 3"):
        credence.train((1, 2, 3))


@pytest.mark.parametrize("given", [None, 3, -1, 2.5, "x", b"x", [], ["a"], {"a": 1}, (), object(), np.zeros((2, 2)),
                                   np.array("a"), 10**30, "a\0b"])
def test_odd_arguments(given: Any) -> None:
    x, data = np.zeros((3, 2), np.float32), credence.Dataset("synthetic:line:rows=50#train")
    calls = [lambda: credence.Dataset(given), lambda: credence.Dataset(x, given),
             lambda: credence.Dataset(x, [0, 1, 0], groups=given), lambda: credence.Dataset(x, [0, 1, 0], weights=given),
             lambda: credence.Dataset(x, [0, 1, 0], class_names=given), lambda: data.split(given),
             lambda: list(data.batches(given))]
    calls += [lambda name=name: credence.train(data, "mlp(hidden=2)", **{"epochs": 1, name: given})
              for name in ("validation", "monitors", "loss", "optimiser", "rate", "warm_up", "mixup", "best", "decay")]
    for call in calls:
        try:
            call()
        except credence.Error:
            continue


def test_tables_of_datasets() -> None:
    assert {"csv", "folder", "fashion-mnist", "synthetic:line"} <= set(credence.datasets())
    assert all(entry["summary"] for entry in credence.corruptions().values())


# ---- Progress.


def test_bar_with_epochs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    small(validation=0.25, progress=True)
    told = capsys.readouterr().err
    lines = [line for line in told.replace("\r", "\n").splitlines() if line.strip()]
    assert any("[###" in line for line in lines)
    heads = [line.split() for line in lines if "validation.ece" in line]
    assert heads == [["epoch", "loss", "train.accuracy", "validation.accuracy", "validation.ece", "validation.nll"]]
    assert sum(line.split()[0] in ("1", "2") and len(line.split()) == 6 for line in lines) == 2
    assert told.endswith("\n") and "%" not in told.replace("\r", "\n").splitlines()[-1]


def test_the_bar_goes_away(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of a call, whatever it last said; and totals may be unknown."""
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    credence.evaluate(*samples.logits(), resamples=50, progress=True)
    told = capsys.readouterr().err
    assert "%" in told and "\n" not in told and told.rpartition("\r")[2] == ""
    bar = _progress.bar()
    bar("reading", 700, 0)
    bar.end()
    assert capsys.readouterr().err.count("reading") == 1
    notebook = _progress.NotebookBar()
    notebook.now = ("reading", 700, 0)
    assert notebook.plain() == "reading 700" and "max=" not in notebook.html() and "700" in notebook.html()


def test_bar_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    plain: list[str] = []

    class Handle:
        def update(self, what: Any) -> None:
            shown.append(what._repr_html_())
            plain.append(repr(what))

    def display(what: Any, display_id: bool) -> Handle:
        assert display_id
        shown.append(what._repr_html_())
        return Handle()

    class ZMQInteractiveShell:
        pass
    fake = types.ModuleType("IPython")
    fake.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
    module = types.ModuleType("IPython.display")
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(_progress, "DELAY", 1000.0)
    small(validation=0.25, progress=True)
    assert "validation.ece" in shown[-1] and not any("<progress" in each for each in shown)  # epochs, however short
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    small(validation=0.25, progress=True)
    assert any("<progress" in each for each in shown)
    assert plain[-1].split()[0] == "epoch" and plain[-1].count("\n") == 2
    assert shown[-1].count("<tr>") == 3 and "validation.ece" in shown[-1] and "<progress" not in shown[-1]
