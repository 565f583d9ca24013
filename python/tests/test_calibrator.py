"""fit and Calibrator: what it learnt, applying, files, exports."""
from __future__ import annotations

import copy
import json
import math
import pathlib
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import credence
import samples


@pytest.fixture(scope="module")
def fitted() -> credence.Calibrator:
    return credence.fit("temperature", *samples.logits())


def test_temperature_is_the_optimum(fitted: credence.Calibrator) -> None:
    scores, labels = samples.logits()

    def loss(temperature: float) -> float:
        p = samples.softmax(scores / temperature)
        return float(-np.log(p[np.arange(len(labels)), labels]).mean())

    best = fitted.temperature
    assert fitted.certificate.converged and abs(fitted.certificate.gradient_norm) < 1e-9
    assert loss(best) == pytest.approx(fitted.certificate.objective, rel=1e-12)
    assert loss(best) < min(loss(best * 1.01), loss(best * 0.99))
    assert np.allclose(fitted(scores), samples.softmax(scores / best), rtol=1e-12)


def test_apply(fitted: credence.Calibrator) -> None:
    scores, _ = samples.logits()
    p = fitted(scores)
    assert p.dtype == np.float64 and p.shape == (300, 3) and np.allclose(p.sum(axis=1), 1)
    assert np.array_equal(fitted.predict_proba(scores), p)
    assert np.array_equal(fitted.predict(scores), p.argmax(axis=1)) and fitted.predict(scores).dtype == np.int64
    assert np.array_equal(fitted.confidence(scores), p.max(axis=1))
    assert np.array_equal(fitted(scores, threads=1), p)
    for row in range(5):
        assert np.array_equal(fitted(scores[row:row + 1])[0], p[row])
    with pytest.raises(credence.InputError, match="3"):
        fitted(scores[:, :2])


def test_rows_without_labels_of_files(fitted: credence.Calibrator, tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    np.savez(tmp_path / "ignored.npz", logits=scores, labels=np.where(labels == 0, -100, labels))
    np.save(tmp_path / "scores.npy", scores)
    for path in (tmp_path / "ignored.npz", tmp_path / "scores.npy"):
        assert np.array_equal(fitted(path), fitted(scores))


def test_few_rows_are_of_the_kind_of_the_fit() -> None:
    """A single logit in [0, 1] is no sign of a probability."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 500)
    margins = 3 * (random.normal(size=500) + labels - 0.5)
    platt = credence.fit("platt", margins, labels)
    assert platt.input == "logits"
    near = np.argsort(np.abs(margins - 0.5))[:3]
    assert ((0 <= margins[near]) & (margins[near] <= 1)).all()
    assert np.array_equal(platt(margins[near]), platt(margins)[near])
    assert not np.array_equal(platt(margins[near], input="probabilities"), platt(margins)[near])


def test_other_kind_of_many_rows() -> None:
    scores, labels = samples.logits()
    temperature = credence.fit("temperature", scores, labels)
    assert np.allclose(temperature(samples.softmax(scores)), temperature(scores), rtol=1e-9)


@pytest.mark.parametrize("settings", [{"scope": "top-1"}, "scope=top-1"])
def test_settings(settings: Any) -> None:
    fitted = credence.fit("isotonic", *samples.logits(), settings=settings)
    assert fitted.settings["scope"] == "top-1" and "scope='top-1'" in repr(fitted)
    with pytest.raises(credence.UsageError, match="it has scope"):
        credence.fit("isotonic", *samples.logits(), settings={"scop": "top-1"})
    with pytest.raises(credence.ArgumentError):
        credence.fit("isotonic", *samples.logits(), settings=3)  # type: ignore[arg-type]


def test_settings_of_other_types() -> None:
    scores, labels = samples.logits()
    given = credence.fit("matrix-odir", scores, labels, settings={"lambda": np.float64(0.01), "mu": 1})
    assert given == credence.fit("matrix-odir", scores, labels, settings="lambda=0.01,mu=1")
    assert credence._inputs.settings({"a": [1, 0.5], "b": True, "c": "x"}) == "a=1,0.5,b=yes,c=x"


def test_unknown_method() -> None:
    with pytest.raises(credence.UsageError, match="temperature"):
        credence.fit("temprature", *samples.logits())


def test_learnt() -> None:
    scores, labels = samples.logits()
    vector = credence.fit("vector", scores, labels)
    assert [len(vector.learnt[name]) for name in vector.learnt] == [3, 3]
    with pytest.raises(AttributeError, match="learns no temperature"):
        vector.temperature
    curves = credence.fit("isotonic", scores, labels)
    assert all(isinstance(parts, list) and len(parts) == 3 for parts in curves.learnt.values())


def arrays(learnt: dict[str, Any]) -> list[Any]:
    return [part for value in learnt.values() for part in (value if isinstance(value, list) else [value])]


def test_what_was_learnt_is_read_only() -> None:
    """Calibrators do not compute with these arrays, and would disagree with changed ones."""
    scores, labels = samples.logits()
    for method in ("vector", "matrix", "isotonic", "histogram"):
        calibrator = credence.fit(method, scores, labels)
        for each in (calibrator, copy.deepcopy(calibrator), pickle.loads(pickle.dumps(calibrator))):
            assert arrays(each.learnt)
            for part in arrays(each.learnt):
                with pytest.raises(ValueError, match="read-only"):
                    part[...] = 0


def test_certificate() -> None:
    separable = credence.fit("temperature", [[2.0, 0.0], [0.0, 2.0]] * 20, [0, 1] * 20, input="logits")
    assert separable.certificate.separable and separable.certificate.note
    identity = credence.fit("identity", *samples.logits())
    assert identity.certificate.converged and math.isnan(identity.certificate.gradient_norm)


def test_floor() -> None:
    p = np.array([[1.0, 0.0], [0.9, 0.1], [0.2, 0.8], [0.0, 1.0]] * 10)
    labels = np.array([0, 0, 1, 0] * 10)
    assert credence.fit("temperature", p, labels, floor=1e-3).learnt["floor"].tolist() == [1e-3]
    assert 0 < credence.fit("temperature", p, labels).learnt["floor"][0] <= 0.1
    with pytest.raises(credence.UsageError, match="floor"):
        credence.fit("temperature", p, labels, floor=0.9)


def test_confidences() -> None:
    scores, labels = samples.logits()
    p = samples.softmax(scores)
    right = p.argmax(axis=1) == labels
    fitted = credence.fit("platt", p.max(axis=1), correct=right)
    assert fitted.classes == 0 and fitted.input == "confidence" and "confidences" in repr(fitted)
    calibrated = fitted(p.max(axis=1))
    assert calibrated.shape == (300,) and np.array_equal(fitted.confidence(p.max(axis=1)), calibrated)
    assert fitted(p.max(axis=1)[:1])[0] == calibrated[0]


def test_weights_and_class_names() -> None:
    scores, labels = samples.logits()
    counts = np.arange(300) % 3
    weighted = credence.fit("temperature", scores, labels, weights=counts)
    twice = credence.fit("temperature", np.repeat(scores, counts, axis=0), np.repeat(labels, counts))
    assert weighted.temperature == pytest.approx(twice.temperature, rel=1e-9)
    names = ["cat", "dog", "eel"]
    named = credence.fit("temperature", scores, [names[k] for k in labels], class_names=names)
    assert named.temperature == credence.fit("temperature", scores, labels).temperature


def test_features() -> None:
    scores, labels = samples.logits(400, 3)
    features = np.random.default_rng(1).normal(size=(400, 4))
    needing = [name for name, entry in credence.methods().items() if entry["needs_features"]]
    assert needing
    for method in needing:
        fitted = credence.fit(method, scores, labels, features=features)
        assert fitted(scores, features=features).shape == (400, 3)
        with pytest.raises(credence.InputError, match="features"):
            fitted(scores)
        with pytest.raises(credence.InputError, match="features"):
            credence.fit(method, scores, labels)


def test_pickle_copy_equality(fitted: credence.Calibrator) -> None:
    scores, labels = samples.logits()
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        assert other == fitted and hash(other) == hash(fitted) and other is not fitted
        assert np.array_equal(other(scores), fitted(scores)) and repr(other) == repr(fitted)
    assert fitted == credence.fit("temperature", scores, labels)
    assert fitted != credence.fit("temperature", scores[:200], labels[:200]) and fitted != "temperature"


def test_save_and_load(fitted: credence.Calibrator, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cal.json"
    fitted.save(path)
    assert credence.Calibrator.load(path) == credence.Calibrator.load(str(path)) == fitted
    assert path.read_text() == fitted.to_json() and json.loads(fitted.to_json())["name"] == "temperature"
    assert list(tmp_path.iterdir()) == [path]
    path.write_text(path.read_text()[:-20])
    with pytest.raises(credence.InputError, match="cal.json"):
        credence.Calibrator.load(path)
    with pytest.raises(credence.SystemCallError, match="none.json") as caught:
        credence.Calibrator.load(tmp_path / "none.json")
    assert isinstance(caught.value, OSError)
    with pytest.raises(credence.SystemCallError):
        fitted.save(tmp_path)
    assert list(tmp_path.iterdir()) == [path]
    for wrong in (3, b"cal.json", "nul\0"):
        with pytest.raises(credence.Error):
            fitted.save(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", list(credence._tables.table("exports")))
def test_exports(fitted: credence.Calibrator, tmp_path: pathlib.Path, format: str) -> None:
    extension = credence._tables.table("exports")[format]["extension"].lstrip(".")
    fitted.export(tmp_path / f"one.{extension}", format)
    fitted.export(tmp_path / f"two.{extension}")
    assert (tmp_path / f"one.{extension}").stat().st_size > 100
    assert (tmp_path / f"one.{extension}").read_bytes() == (tmp_path / f"two.{extension}").read_bytes()


def test_exported_python(tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    fitted = credence.fit("vector", scores, labels)
    fitted.export(tmp_path / "mine.py", name="mine")
    space: dict[str, Any] = {}
    exec((tmp_path / "mine.py").read_text(), space)
    assert np.allclose(space["mine_calibrate"](scores), fitted(scores), rtol=1e-12)


def test_export_options(fitted: credence.Calibrator, tmp_path: pathlib.Path) -> None:
    fitted.export(tmp_path / "a.c", name="mine", float32=True)
    text = (tmp_path / "a.c").read_text()
    assert "mine_calibrate" in text and "double" not in text
    for arguments in ({"format": "fortran"}, {"format": None}, {"value": "logits"},
                      {"model": "m.onnx", "format": "c"}):
        with pytest.raises(credence.UsageError):
            fitted.export(tmp_path / "a.unknown", **arguments)  # type: ignore[arg-type]
    with pytest.raises(credence.UsageError):
        fitted.export(tmp_path / "a.py", name="1st", format="numpy")


def test_export_into_a_model(tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits(400, 10)
    fitted = credence.fit("temperature", scores, labels)
    models = sorted((samples.ROOT / "tests" / "networks").rglob("*.onnx"))
    if not models:
        pytest.skip("no networks in the tree")
    for model in models:
        try:
            fitted.export(tmp_path / "out.onnx", model=model)
        except credence.UsageError:
            continue  # another number of classes, or several outputs
        assert (tmp_path / "out.onnx").stat().st_size > model.stat().st_size
        assert b"probabilities" in (tmp_path / "out.onnx").read_bytes()
        return
    pytest.fail("no network with 10 classes")


def test_notebook(fitted: credence.Calibrator) -> None:
    assert "temperature" in repr(fitted) and "3 classes" in repr(fitted)
    text = fitted._repr_html_()
    assert text.startswith("<table>") and f"{fitted.temperature:.6g}" in text and "converged" in text
    assert credence.fit("matrix", *samples.logits()).figure("weights", title="<b>").startswith("<svg")
    with pytest.raises(credence.UsageError):
        fitted.figure("reliability")


def test_threads(fitted: credence.Calibrator) -> None:
    scores, _ = samples.logits(5000)
    expected = fitted(scores)
    found: list[bool] = []
    threads = [threading.Thread(target=lambda: found.append(np.array_equal(fitted(scores), expected)))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


# ---- Weights.


@pytest.mark.parametrize(("method", "settings"), [
    ("temperature", None), ("vector", None), ("matrix", None), ("beta", None), ("platt", "targets=plain"),
    ("isotonic", None), ("histogram", None)])
def test_a_weight_of_2_is_a_repeated_row(method: str, settings: str | None) -> None:
    scores, labels = samples.logits()
    weights = 1 + np.arange(len(labels)) % 3
    weighted = credence.fit(method, scores, labels, weights=weights, settings=settings)
    repeated = credence.fit(method, np.repeat(scores, weights, axis=0), np.repeat(labels, weights), settings=settings)
    np.testing.assert_allclose(weighted(scores), repeated(scores), atol=1e-11)


def test_only_ratios_of_weights_count() -> None:
    """So Platt's smoothed targets, (n + 1) / (n + 2), count rows, and repeated rows are more."""
    scores, labels = samples.logits()
    plain = credence.fit("platt", scores, labels)(scores)
    np.testing.assert_allclose(credence.fit("platt", scores, labels, weights=np.full(len(labels), 4.0))(scores), plain,
                               rtol=1e-12)
    again = credence.fit("platt", np.repeat(scores, 4, axis=0), np.repeat(labels, 4))(scores)
    assert np.abs(again - plain).max() > 1e-4


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_in_another_order(library: str, tmp_path: pathlib.Path) -> None:
    """A calibrator knows its classes by their names, where the rows of the fit had names."""
    frames = pytest.importorskip(library)
    scores, labels = samples.logits(300, 3)
    scores = scores + [0, 1, -2]
    names, other = ["cat", "dog", "owl"], ["owl", "cat", "dog"]
    frame = frames.DataFrame(dict(zip(names, scores.T)))
    calibrate = credence.fit("vector", frame, labels)
    contest = credence.compare(frame, labels, methods="vector", resamples=0)
    assert calibrate.class_names == names == contest.best.class_names
    for one in (calibrate, pickle.loads(pickle.dumps(calibrate)), contest["vector"].calibrator, contest.best):
        assert one is not None and np.array_equal(one(frame[other]), one(scores))
        assert np.array_equal(one(scores), one(frame))
    renamed = frames.DataFrame(dict(zip(["a", "b", "c"], scores.T)))
    assert np.array_equal(calibrate(renamed), calibrate(scores))  # names that say nothing of the order
    path = tmp_path / "other.csv"
    path.write_text("\n".join([",".join(other), *(f"{c},{a},{b}" for a, b, c in scores)]) + "\n")
    with pytest.raises(credence.InputError, match=r"\['owl', 'cat', 'dog'\], those of the calibrator \['cat'"):
        calibrate(path)
    assert credence.fit("vector", scores, labels).class_names is None
