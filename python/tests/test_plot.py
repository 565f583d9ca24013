"""Figures: every one of the table, as SVG, as other pictures, and on axes of matplotlib."""
from __future__ import annotations

import pathlib
import re
import shutil
import xml.etree.ElementTree
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence
import credence.plot
import samples
from credence import _axes, _svg

Program = Callable[..., str]
RECORD = samples.ROOT / "tests" / "cli" / "data" / "training.run.json"
FIGURES = list(credence.figures())


@pytest.fixture(scope="module")
def clamp(program: Program, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a perturbation."""
    folder = tmp_path_factory.mktemp("clamp")
    data = "synthetic:mixture:train=60,val=60,test=60,classes=3,columns=4"
    program("train", f"{data}#train", "-e", 1, "-q", "-o", folder / "m.onnx")
    program("clamp", folder / "m.onnx", f"{data}#val", "-q", "-o", folder / "clamp.json", "--set", "lambda=1")
    return str(folder / "clamp.json")


def data_of(name: str, request: pytest.FixtureRequest) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments to draw a figure from data."""
    scores, labels = samples.logits(120)
    few: dict[str, Any] = {"resamples": 0}
    source = credence.figures()[name]["source"]
    if source in ("result", "profile"):
        return (scores, labels), few
    if source in ("contest", "shifted-contest", "shift"):
        shift = {} if source == "contest" else {"shift": {"half:1": (scores / 2, labels)}}
        return (scores, labels), {**few, **shift, **({} if source == "shift" else {"methods": "temperature"})}
    if source == "calibrator":
        return (credence.fit("vector", scores, labels),), {}
    if source == "embedding":
        return (scores, labels), {"iterations": 300}
    if source == "run":
        return (RECORD,), {}
    if source == "perturbation":
        return (request.getfixturevalue("clamp"),), {}
    if source == "calibratability":
        return ({"ce": [(scores, labels)] * 2, "ls": (scores / 2, labels)},), {"sizes": [20, 0], "draws": 2}
    assert source == "learned"
    return ({"ce": ([1, 1, 2, 3, 5, 0], [9.0, 8.0, 7.0, 4.0, 3.0, 1.0])},), {}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure(name: str, request: pytest.FixtureRequest) -> None:
    data, options = data_of(name, request)
    draw = getattr(credence.plot, name.replace("-", "_"))
    figure = draw(*data, title="Mine <&>", id="first", **options)
    assert isinstance(figure, credence.SVG)
    root = xml.etree.ElementTree.fromstring(figure)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and "Mine <&>" in "".join(root.itertext())
    assert all(found.startswith("first") for found in re.findall(r' id="([^"]*)"', figure))
    assert credence.plot.figure(name, *data, title="Mine <&>", id="first", **options) == figure
    assert draw.__name__ in credence.plot.__all__ and credence.figures()[name]["summary"][1:] in draw.__doc__


def test_the_module_has_no_other_figures() -> None:
    functions = {name.replace("_", "-") for name in credence.plot.__all__} - {"SVG", "figure"}
    assert functions == set(FIGURES)


@pytest.mark.parametrize("name", [name for name in FIGURES if credence.figures()[name]["source"] not in
                                  ("calibratability", "learned")])
def test_as_the_program(name: str, program: Program, request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> None:
    rows, later = f"{samples.FILE}@0:600", f"{samples.FILE}@600:900"
    source = credence.figures()[name]["source"]
    given: list[object] = [rows, "-r", 20, "--input", "probabilities"]
    options: dict[str, Any] = {"resamples": 20, "input": "probabilities"}
    data: Any = rows
    if source in ("contest", "shifted-contest"):
        given += ["--methods", "temperature,vector"]
        options["methods"] = "temperature,vector"
    if source in ("shift", "shifted-contest"):
        given += ["--shift", f"later={later}"]
        options["shift"] = {"later": later}
    if source == "shift":
        options.pop("resamples")  # the program has none either
    if source == "embedding":
        given += ["--rows", 100]
        options = {"rows": 100, "input": "probabilities"}
    if source in ("calibrator", "run", "perturbation"):
        data = RECORD
        if source == "calibrator":
            data = tmp_path / "vector.json"
            credence.fit("vector", rows).save(data)
        elif source == "perturbation":
            data = request.getfixturevalue("clamp")
        given, options = [data], {}
    told = program("plot", name, *given, "-q", "-o", "-")
    assert credence.plot.figure(name, data, **options) == told


def test_of_objects() -> None:
    scores, labels = samples.logits(120)
    result = credence.evaluate(scores, labels, resamples=0, profile=True)
    assert credence.plot.reliability(result) == result.figure("reliability") == credence.plot.reliability(
        scores, labels, resamples=0, metrics=list(result))
    assert isinstance(credence.plot.roc(result), credence.SVG)
    contest = credence.compare(scores, labels, methods="temperature", resamples=0)
    assert credence.plot.comparison(contest) == contest.figure()
    found = credence.embed(scores, labels, iterations=300)
    assert found.x.shape == found.y.shape == found.label.shape == (120,) and found.correct.dtype == bool
    assert np.array_equal(found.correct, (scores.argmax(1) == labels)[found.row])
    assert credence.plot.tsne(found) == found.figure()


@pytest.mark.parametrize("draw, message", [
    (lambda r: credence.plot.reliability(), "needs a Result"),
    (lambda r: credence.plot.reliability(r, bins=3), "bins: the Result was made already"),
    (lambda r: credence.plot.roc(r), "profile=True"),
    (lambda r: credence.plot.shift(r), "needs shifted sets"),
    (lambda r: credence.plot.shift_methods(*samples.logits(60)), "needs shifted sets"),
    (lambda r: credence.plot.figure("reliabilty", r), "no figure is called 'reliabilty'"),
    (lambda r: credence.plot.weights(3), "path"),
    (lambda r: credence.plot.training("no-such-file.json"), "no-such-file.json"),
    (lambda r: credence.plot.learned_epochs({"ce": ([1, 2], [3.0])}), "expected as many"),
    (lambda r: credence.plot.calibration_size([1]), "runs is"),
])
def test_refusals(draw: Callable[[credence.Result], Any], message: str) -> None:
    result = credence.evaluate(*samples.logits(60), resamples=0)
    with pytest.raises(credence.Error, match=message):
        draw(result)


# ---- SVG.


def test_svg(tmp_path: pathlib.Path) -> None:
    figure = credence.plot.reliability(*samples.logits(60), resamples=0, title="Mine")
    assert figure._repr_svg_() == str(figure) == figure and type(str(figure)) is str
    assert repr(figure) == "<SVG 'Reliability diagram of Mine'>"
    figure.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == figure
    with pytest.raises(credence.UsageError, match="a.gif: a figure is written to .svg, .pdf or .png"):
        figure.save(tmp_path / "a.gif")
    with pytest.raises(credence.Error):
        figure.save(tmp_path / "missing" / "a.svg")


@pytest.mark.parametrize("suffix, start", [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures(suffix: str, start: bytes, tmp_path: pathlib.Path) -> None:
    if not shutil.which("rsvg-convert"):
        pytest.skip("no rsvg-convert")
    path = tmp_path / f"a.{suffix}"
    credence.plot.reliability(*samples.logits(60), resamples=0).save(path)
    assert path.read_bytes().startswith(start) and [each.name for each in tmp_path.iterdir()] == [path.name]
    with pytest.raises(credence.SystemCallError, match="rsvg-convert"):
        credence.SVG("no svg").save(path)


def test_pictures_without_a_converter(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    monkeypatch.setattr(_svg.importlib.util, "find_spec", lambda package: None)
    with pytest.raises(credence.UnsupportedError, match="rsvg-convert .* cairosvg"):
        credence.SVG("<svg/>").save(tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


# ---- Axes of matplotlib.


@pytest.fixture
def axes() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot
    figure, ax = pyplot.subplots()
    yield ax
    figure.canvas.draw()
    pyplot.close(figure)


@pytest.mark.parametrize("name", list(_axes.DRAWN))
def test_on_axes(name: str, axes: Any, request: pytest.FixtureRequest) -> None:
    data, options = data_of(name, request)
    if "resamples" in options:
        options["resamples"] = 20
    assert credence.plot.figure(name, *data, ax=axes, title="Mine", **options) is axes
    assert axes.get_title() == "Mine" and (axes.patches or axes.lines or axes.collections)


def test_reliability_on_axes(axes: Any) -> None:
    result = credence.evaluate(*samples.logits(), resamples=20)
    credence.plot.reliability(result, ax=axes)
    filled = [each for each in result.bins if each.rows]
    drawn = {each.get_label(): each.patches for each in axes.containers if hasattr(each, "patches")}
    assert [bar.get_height() for bar in drawn["accuracy"]] == [each.accuracy for each in filled]
    ends = sorted(bar.get_y() + bar.get_height() for bar in drawn["overconfident"])
    assert ends == pytest.approx(sorted(each.confidence for each in filled if each.confidence > each.accuracy))
    assert [bar.get_y() for bar in drawn["95 % if calibrated"]] == [each.calibrated_low for each in filled]
    (diagonal,) = [line for line in axes.lines if list(line.get_xdata()) == [0, 1]]
    assert list(diagonal.get_ydata()) == [0, 1]
    assert axes.get_legend().get_title().get_text() == f"ECE {result.ece:.3f}"


def test_curves_on_axes(axes: Any) -> None:
    result = credence.evaluate(*samples.logits(), resamples=0, profile=True)
    credence.plot.risk_coverage(result, ax=axes)
    assert list(axes.lines[0].get_xdata()) == result.to_dict()["profile"]["risk_coverage"]["x"]


def test_refusals_of_axes(axes: Any) -> None:
    scores, labels = samples.logits(60)
    with pytest.raises(credence.UnsupportedError, match="weights is not drawn on axes .* reliability, confidence"):
        credence.plot.weights(credence.fit("vector", scores, labels), ax=axes)
    with pytest.raises(credence.UsageError, match="profile=True"):
        credence.plot.roc(credence.evaluate(scores, labels, resamples=0), ax=axes)
