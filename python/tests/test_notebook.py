"""The notebook in examples/python/ runs, and shows what is stored in it.

CREDENCE_BLESS=1 stores the new outputs: look at the diff!
"""
import copy
import os
import pathlib
import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "calibration.ipynb"
LARGEST = 60_000  # bytes of the stored outputs of a cell


def without_noise(text):
    """Text without what differs from run to run: ids of figures, and a last column of seconds."""
    text = re.sub(r"\bcredence-[0-9a-f]+", "", text)
    return re.sub(r" +\d+\.\d\d$", "", text, flags=re.M) if "  seconds\n" in text else text


def shown(cell):
    """[(MIME type, content)] of a cell; its streams are joined."""
    text = "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")
    data = [item for output in cell.outputs if "data" in output for item in sorted(output.data.items())]
    return [("stream", text)] * bool(text) + [(mime, without_noise("".join(content))) for mime, content in data]


@pytest.fixture(scope="module")
def stored():
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def executed(stored):
    notebook = copy.deepcopy(stored)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                     resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()  # fails with the first cell that fails
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times
    if os.environ.get("CREDENCE_BLESS"):
        notebook.metadata.language_info = {"name": "python"}
        NOTEBOOK.write_text(nbformat.writes(notebook, indent=1) + "\n", encoding="utf-8")
    return notebook


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_shows_what_is_stored(stored, executed):
    for before, after in zip(code(stored), code(executed), strict=True):
        assert shown(after) == shown(before), before.source


def test_key_outputs(executed):
    everything = [(mime, content) for cell in code(executed) for mime, content in shown(cell)]
    html = [content for mime, content in everything if mime == "text/html"]
    assert any("<table" in content and "<svg" in content for content in html)  # a result beside its diagram
    assert sum(mime == "image/svg+xml" for mime, _ in everything) == 2
    text = "".join(content for mime, content in everything if mime in ("stream", "text/plain"))
    assert "Choose vector" in text and "ECE 0.055 -> " in text and "calibrate.onnx" in text


def test_outputs_are_small(stored):
    for cell in code(stored):
        assert len(nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))) < LARGEST, cell.source
        assert not any("error" == output.output_type for output in cell.outputs)
