"""What tests share: the program that the package is compared with."""
from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable

import pytest

import credence


@pytest.fixture(scope="session")
def program() -> Callable[..., str]:
    """Return a function that runs the program of this build (CREDENCE_PROGRAM) and returns its standard output."""
    located = pathlib.Path(credence.__file__).resolve().parents[3] / "credence"
    path = os.environ.get("CREDENCE_PROGRAM") or str(located)
    if not os.access(path, os.X_OK):
        pytest.skip(f"no program {path} (CREDENCE_PROGRAM)")

    def run(*arguments: object) -> str:
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
