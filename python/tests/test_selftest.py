"""The self-test passes, and would fail."""
from __future__ import annotations

import subprocess
import sys

import pytest

import credence
from credence import selftest


def test_passes() -> None:
    done = subprocess.run([sys.executable, "-m", "credence.selftest"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{len(selftest.CHECKS)} passed, 0 failed" and not done.stderr


@pytest.mark.parametrize("metric", ["ece", "nll-refinement"])
def test_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], metric: str) -> None:
    monkeypatch.setitem(selftest.GOLDEN, metric, 0.123)
    monkeypatch.setattr(credence.Calibrator, "save", lambda self, path: None)
    assert selftest.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"{len(selftest.CHECKS) - 2} passed, 2 failed"
    assert lines[1].startswith("FAILED: AssertionError: found") and "program's values" in lines[1]
