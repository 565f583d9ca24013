"""Fixtures that the tests share."""
from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable

import pytest

import credence

LOCATED = pathlib.Path(credence.__file__).resolve().parents[3] / "credence"
PROGRAM = os.environ.get("CREDENCE_PROGRAM") or str(LOCATED)


@pytest.fixture(scope="session")
def program() -> Callable[..., str]:
    """Run the program of the same build (CREDENCE_PROGRAM) and return its standard output."""
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip(f"no program {PROGRAM} (CREDENCE_PROGRAM)")

    def run(*arguments: object, folder: pathlib.Path | None = None) -> str:
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=folder,
                              check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
