"""Calibrators, states and results that the program of version 0.1 wrote still load, and mean the same."""
from __future__ import annotations

import json
import pathlib
import pickle

import numpy as np
import pytest

import credence
import samples

DATA = samples.ROOT / "tests" / "cli" / "data"
OLD = DATA / "0.1"
KINDS = {path.name: json.loads(path.read_text()) for path in sorted(OLD.glob("*.json"))}


def applied() -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """Return what each calibrator made of tiny.csv: the name of its file, then rows of 6 decimals."""
    found: dict[str, list[list[float]]] = {}
    for line in (OLD / "applied.txt").read_text().splitlines():
        if line[0].isalpha():
            rows = found.setdefault(line, [])
        else:
            rows.append([float(word) for word in line.split()])
    return {name: np.array(rows) for name, rows in found.items()}


@pytest.mark.parametrize("name", [name for name, found in KINDS.items() if found.get("credence") == "calibrator"])
def test_calibrators(name: str) -> None:
    calibrator = credence.Calibrator.load(OLD / name)
    assert pickle.loads(pickle.dumps(calibrator)) == calibrator and calibrator.method in credence.methods()
    expected = applied()[name.removesuffix(".json")]
    found = calibrator(DATA / ("pairs.csv" if calibrator.classes == 0 else "tiny.csv"))
    columns = found[:, None] if calibrator.classes == 0 else found
    assert np.abs(columns - expected[:, :columns.shape[1]]).max() < 6e-7


@pytest.mark.parametrize("name", [name for name, found in KINDS.items() if "metrics" in found and "methods" not in found])
def test_results(name: str) -> None:
    result = credence.Result.load(OLD / name)
    assert {metric: value.value for metric, value in result.items()} == {
        metric: value["value"] for metric, value in KINDS[name]["metrics"].items()}
    assert pickle.loads(pickle.dumps(result)) == result
    assert bool(result.groups) == ("groups" in KINDS[name]) and bool(result.differences) == ("paired" in KINDS[name])


@pytest.mark.parametrize("name", [name for name, found in KINDS.items() if "methods" in found])
def test_contests_are_no_results(name: str) -> None:
    with pytest.raises(credence.InputError, match="found a contest"):
        credence.Result.load(OLD / name)


def test_states() -> None:
    whole = credence.Evidence.load(OLD / "rows-0-4.state") + credence.Evidence.load(OLD / "rows-4-8.state")
    expected = dict(line.split(",") for line in (OLD / "merged.txt").read_text().splitlines()[1:])
    assert {name: value.value for name, value in whole.compute().items()} == {
        name: float(value) for name, value in expected.items()}


def test_golden_calibrator() -> None:
    before = samples.ROOT / "tests" / "golden" / "calibrators" / "before-floor.json"
    assert pathlib.Path(before).exists() and credence.Calibrator.load(before).certificate.values_floored == 0
