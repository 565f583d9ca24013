"""The version of the package."""
import pathlib
import re
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


def test_formats_of_every_version() -> None:
    """Lengths ('#') have other functions in headers from 3.13 on, which CPython 3.12 refuses."""
    sources = sorted((pathlib.Path(__file__).parents[1] / "src").glob("*.c"))
    calls = [(path.name, each) for path in sources
             for each in re.findall(r'(?:ParseTuple\w*|BuildValue|CallMethod|CallFunction)\([^";]*"([^"]*)"', path.read_text())]
    assert len(calls) > 50 and not [call for call in calls if "#" in call[1]]
