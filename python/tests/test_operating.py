"""Operating points of selective prediction."""
from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import credence
import samples

ROWS = f"{samples.FILE}@0:4000"


@pytest.mark.parametrize("guarantee", ["held-out", "bootstrap"])
def test_as_the_program(guarantee: str, program: Callable[..., str]) -> None:
    found = credence.operating_points(ROWS, target_risk=[0.02, 0.05], target_coverage=0.9, guarantee=guarantee,
                                      resamples=100, input="probabilities")
    told = json.loads(program("evaluate", ROWS, "--target-risk", "0.02,0.05", "--target-coverage", 0.9, "--guarantee",
                              guarantee, "-r", 100, "--json", "--input", "probabilities"))["operating_points"]
    assert [point.threshold for point in found] == [each["threshold"] for each in told]
    for point, each in zip(found, told):
        assert each[f"target_{point.kind}"] == point.target and each["accepted"] == point.accepted
        assert each["coverage"] == point.coverage.value and each["coverage_high"] == point.coverage.high
        assert each["risk"] == point.risk.value and each["low"] == point.risk.low and each["high"] == point.risk.high
    assert found.guarantee == guarantee and found.text
    options: dict[str, Any] = {"target_risk": [0.02, 0.05], "target_coverage": 0.9, "guarantee": guarantee}
    result = credence.evaluate(ROWS, resamples=100, input="probabilities", **options)
    assert result.operating == found and result.to_dict()["operating_points"] == told
    again = credence.Result.from_json(result.to_json())
    assert [point.threshold for point in again.operating or []] == [point.threshold for point in found]
    assert "operating point" in result.report("text") and found._repr_html_() in result._repr_html_()
    assert credence.evaluate(ROWS, resamples=0, input="probabilities").operating is None


def test_points() -> None:
    scores, labels = samples.real(4000)
    found = credence.operating_points(scores, labels, target_risk=0.03, target_coverage=[0.8, 1])
    assert [(each.kind, each.target) for each in found] == [("risk", 0.03), ("coverage", 0.8), ("coverage", 1.0)]
    assert found.chosen_rows == found.measured_rows == 2000 and len(found) == 3
    point = found[0]
    assert 0 < point.threshold < 1 and point.risk.low <= point.risk.value <= point.risk.high
    assert point.coverage.value == point.accepted / point.rows and point.sensitivity is None
    assert found[2].accepted == 2000 and "risk 0.03" in repr(point)
    impossible, = credence.operating_points(*samples.logits(60), target_risk=0.0)
    assert math.isnan(impossible.threshold) and impossible.reason and impossible.reason in repr(impossible)


def test_two_classes() -> None:
    point, = credence.operating_points(*samples.logits(500, 2), target_coverage=0.5)
    assert point.sensitivity is not None and 0 <= point.sensitivity.value <= 1 and point.npv is not None


@pytest.mark.parametrize("options, message", [
    ({}, "target_risk or target_coverage"),
    ({"target_risk": 1.5}, "1.5"),
    ({"target_risk": "low"}, "expected a float"),
    ({"target_coverage": [0.5, None, 0.0]}, "coverage"),
    ({"target_risk": 0.1, "guarantee": "certain"}, "held-out bootstrap"),
])
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(credence.Error, match=message):
        credence.operating_points(*samples.logits(60), **options)


def test_shown() -> None:
    found = credence.operating_points(ROWS, target_risk=[0.02, 0], target_coverage=0.9, binary="top")
    assert repr(found) == f"<OperatingPoints: {found.text}" + "".join(f"\n  {point!r}" for point in found) + ">"
    page = found._repr_html_()
    assert page.count("<tr>") == 4 and f"{found[2].threshold:.4g}" in page and "none: no number of rows" in page
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert list(frame.index) == [(point.kind, point.target) for point in found]
    assert frame.loc[("coverage", 0.9), "risk_high"] == found[2].risk.high and "npv" not in frame
    assert pandas.api.types.is_float_dtype(frame["threshold"])
