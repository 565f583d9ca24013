"""The same bits as the program's, on the same files: every metric and every method of the tables."""
from __future__ import annotations

import json
import math
import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest

import credence
import samples

ROWS = f"{samples.FILE}@0:1000"
LOCATED = pathlib.Path(credence.__file__).resolve().parents[3] / "credence"
PROGRAM = os.environ.get("CREDENCE_PROGRAM") or str(LOCATED)

pytestmark = pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason=f"no program {PROGRAM} (CREDENCE_PROGRAM)")


def program(*arguments: object) -> str:
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def featured(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Logits with features."""
    scores, labels = samples.logits(400, 3)
    features = np.random.default_rng(1).normal(size=(400, 4)) + labels[:, None]
    path = tmp_path_factory.mktemp("featured") / "featured.npz"
    np.savez(path, logits=scores, labels=labels, features=features)
    return path


def test_every_metric() -> None:
    told = program("evaluate", ROWS, "--json", "--metrics", "all", "--resamples", 50, "--input", "probabilities")
    result = credence.evaluate(ROWS, metrics="all", resamples=50, input="probabilities")
    assert result.to_json() == told
    assert sorted(result) == sorted(credence.metrics())
    scores, labels = samples.real()
    memory = credence.evaluate(scores, labels, metrics=list(credence.metrics()), resamples=50, input="probabilities",
                               name=ROWS)
    assert memory.to_json() == told


@pytest.mark.parametrize("binary", ["top", "pos"])
def test_two_classes(tmp_path: pathlib.Path, binary: str) -> None:
    scores, labels = samples.logits(500, 2)
    path = tmp_path / "two.npz"
    np.savez(path, logits=scores, labels=labels)
    told = program("evaluate", path, "--json", "--metrics", "all", "--resamples", 20, "--binary", binary)
    found = credence.evaluate(scores, labels, metrics="all", resamples=20, binary=binary)
    assert json.loads(told)["metrics"] == found.to_dict()["metrics"]


def test_defaults() -> None:
    told = json.loads(program("evaluate", ROWS, "--json"))
    found = credence.evaluate(ROWS).to_dict()
    # The program names an option as it is typed.
    told["warnings"] = [note.replace("--input logits", "input='logits'") for note in told["warnings"]]
    assert found == told


def test_paired_and_groups(tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    sites = np.arange(len(labels)) % 3
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    np.savez(one, logits=scores, labels=labels, groups=sites)
    np.savez(other, logits=scores / 2, labels=labels)
    told = program("evaluate", one, "--paired", other, "--by-group", "--json", "--input", "logits")
    assert credence.evaluate(one, paired=other, group_by=True, input="logits").to_json() == told
    found = credence.evaluate(scores, labels, paired=scores / 2, groups=sites, group_by=True, input="logits")
    expected = json.loads(told)
    assert [found.to_dict()[key] for key in ("metrics", "groups")] == [expected[key] for key in ("metrics", "groups")]
    for values, listed in ((found, expected["metrics"]), (found.differences, expected["paired"]["difference"])):
        assert list(values) == list(listed)
        for name, each in listed.items():
            assert [spelled(getattr(values[name], key)) for key in each] == list(each.values()), name
    delong = found.differences["auroc"]
    assert delong.test == "DeLong" and delong.test_p != delong.p


def spelled(value: Any) -> Any:
    """Return a value as JSON has it: NaN is null."""
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("peer", list(credence._tables.table("peers")))
def test_every_peer(peer: str, tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    path = tmp_path / "rows.npz"
    np.savez(path, logits=scores, labels=labels)
    told = program("evaluate", path, "--compat", peer, "-b", "10", "-r", "0", "--input", "logits", "--json")
    found = credence.evaluate(path, compat=peer, bins=10, resamples=0, input="logits")
    assert found.to_json() == told
    listed = {entry["metric"]: entry for entry in json.loads(told)["compat"]["values"]}
    assert list(found.compat) == list(listed) and len(listed) > 0
    for name, value in found.compat.items():
        expected = listed[name]
        assert (value.call, value.why) == (expected["call"], expected["why"])
        for number, key in ((value.value, "value"), (value.ours, "ours")):
            assert math.isnan(number) if expected[key] is None else number == expected[key]
        assert math.isnan(value.value) == bool(value.reason)
    assert credence.evaluate(path, resamples=0).compat == {}


@pytest.mark.parametrize("method", list(credence.methods()))
def test_every_method(method: str, featured: pathlib.Path, tmp_path: pathlib.Path) -> None:
    saved, applied = tmp_path / "cal.json", tmp_path / "applied.npz"
    settings = ["--set", "temperature=1.5"] if method == "temperature-fixed" else []
    program("fit", method, featured, "-o", saved, *settings)
    program("apply", saved, featured, "-o", applied)
    written = tmp_path / "written.npz"
    credence.Calibrator.load(saved).apply_to(written, featured)
    assert written.read_bytes() == applied.read_bytes()
    with np.load(featured) as given:
        scores, labels, features = (np.array(given[name]) for name in ("logits", "labels", "features"))
    fitted = credence.fit(method, scores, labels, features=features, settings=settings[1] if settings else None)
    assert fitted.to_json() == saved.read_text()
    assert credence.fit(method, featured, settings=settings[1] if settings else None) == fitted
    ours = tmp_path / "ours.json"
    fitted.save(ours)
    assert ours.read_bytes() == saved.read_bytes()
    with np.load(applied) as expected:
        assert np.array_equal(fitted(scores, features=features), expected["probabilities"])
        if "confidence" in expected:
            assert np.array_equal(fitted.confidence(scores, features=features), expected["confidence"])
            assert np.array_equal(fitted.predict(scores, features=features), expected["pred_label"])
    assert np.array_equal(credence.Calibrator.load(saved)(featured), fitted(scores, features=features))


def test_float32_and_labels(tmp_path: pathlib.Path) -> None:
    """Arrays bring their labels by credence.read or not at all; files have them."""
    saved, applied, written = tmp_path / "cal.json", tmp_path / "applied.csv", tmp_path / "written.csv"
    program("fit", "temperature", ROWS, "-o", saved)
    program("apply", saved, ROWS, "-o", applied, "--dtype", "f32")
    calibrator = credence.Calibrator.load(saved)
    calibrator.apply_to(written, credence.read(ROWS), dtype="float32")
    assert written.read_bytes() == applied.read_bytes()
    with pytest.raises(credence.UsageError, match="dtype is 'f16', allowed are: float64 float32"):
        calibrator.apply_to(written, ROWS, dtype="f16")
    assert written.read_bytes() == applied.read_bytes()


@pytest.mark.parametrize("format", list(credence._tables.table("exports")))
def test_every_export(format: str, tmp_path: pathlib.Path) -> None:
    scores, labels = samples.logits()
    calibrator = credence.fit("vector", scores, labels)
    saved, ours = tmp_path / "cal.json", tmp_path / f"ours.{credence._tables.table('exports')[format]['extension']}"
    calibrator.save(saved)
    told = tmp_path / "told"
    program("export", saved, "--format", format, "-o", told)
    calibrator.export(ours, format)
    assert ours.read_bytes() == told.read_bytes()


def test_states(tmp_path: pathlib.Path) -> None:
    told, ours = tmp_path / "told.state", tmp_path / "ours.state"
    how: dict[str, Any] = {"metrics": ["ece", "aurc", "brier"], "resamples": 50}
    program("evaluate", ROWS, "--metrics", "ece,aurc,brier", "--resamples", 50, "--input", "probabilities",
            "--state-out", told)
    evidence = credence.Evidence(**how).update(ROWS, input="probabilities")
    evidence.compute()  # sorts the rows, as the program's result does
    evidence.save(ours)
    assert ours.read_bytes() == told.read_bytes()
    merged = json.loads(program("merge", ours, "--json"))
    assert merged["metrics"] == credence.Evidence.load(told).compute().to_dict()["metrics"]


def test_parts_of_both(tmp_path: pathlib.Path) -> None:
    """A part by the program and a part from here are the whole."""
    first, second = tmp_path / "first.state", tmp_path / "second.state"
    program("evaluate", f"{samples.FILE}@0:400", "--input", "probabilities", "--state-out", first)
    credence.Evidence().update(f"{samples.FILE}@400:1000", input="probabilities").save(second)
    whole = credence.evaluate(ROWS, input="probabilities").to_dict()["metrics"]
    assert (credence.Evidence.load(first) + credence.Evidence.load(second)).compute().to_dict()["metrics"] == whole
    assert json.loads(program("merge", first, second, "--json"))["metrics"] == whole


def test_stored_results(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(program("evaluate", ROWS, "--json", "--resamples", 20))
    result = credence.Result.load(path)
    assert result.to_json() == path.read_text()
    credence.evaluate(ROWS, resamples=20).save(tmp_path / "ours.json")
    program("report", tmp_path / "ours.json", "-o", tmp_path / "page.html")
    assert "Accuracy" in (tmp_path / "page.html").read_text()
