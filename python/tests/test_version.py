"""The version of the package."""
import subprocess
import sys

import credence


def test_version() -> None:
    assert credence.__version__.split(".")[0].isdigit()


def test_all_names() -> None:
    """Those that are loaded when they are first used, too; an import loads none of their modules."""
    assert all(getattr(credence, name) is not None for name in credence.__all__)
    assert set(credence.__all__) <= set(dir(credence))
    source = "import sys, credence; print('credence._train' in sys.modules, credence.Trainer.__module__)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "credence._train"]


def test_import_is_short() -> None:
    """Modules of the standard library that take milliseconds are loaded by the calls that need them."""
    source = "import sys, numpy; before = set(sys.modules); import credence; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "credence._evaluate" in loaded
    assert not loaded & {"subprocess", "secrets", "hashlib", "asyncio", "logging", "http", "credence._train"}, loaded
