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
from credence import _panels, _svg

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


@pytest.mark.parametrize("name", FIGURES)
def test_on_axes(name: str, axes: Any, request: pytest.FixtureRequest) -> None:
    data, options = data_of(name, request)
    if "resamples" in options:
        options["resamples"] = 20
    assert credence.plot.figure(name, *data, ax=axes, title="Mine", **options) is axes
    drawn = axes.child_axes or [axes]
    assert axes.get_title() == "Mine"
    assert all(each.patches or each.lines or each.collections or each.images for each in drawn)


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


def test_classes_on_axes(axes: Any) -> None:
    scores, labels = samples.logits(600)
    weights = np.linspace(0, 2, len(labels))
    result = credence.evaluate(scores, labels, weights=weights, resamples=0, profile=True)
    credence.plot.classes(result, ax=axes)
    shown = result.to_dict()["profile"]["classes"]
    assert len(axes.child_axes) == min(len(shown), 12)
    p = np.exp(scores - scores.max(1, keepdims=True))
    p = (p / p.sum(1, keepdims=True))[:, shown[0]["number"]]
    bars = [bar.get_height() for bar in axes.child_axes[0].containers[0]]
    for k, height in enumerate(bars):
        of = (p > k / 10) & (p <= (k + 1) / 10) & (weights > 0)
        assert height == pytest.approx(np.average(labels[of] == shown[0]["number"], weights=weights[of])
                                       if of.any() else 0)
    assert sum(bars) > 1


def points(panel: Any) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): list(zip(line.get_xdata(), line.get_ydata())) for line in panel.lines}


def test_shift_on_axes(axes: Any) -> None:
    scores, labels = samples.logits(200)
    sets = {"blur:2": (scores / 3, labels), "blur:1": (scores / 2, labels), "noise:1": (-scores, labels)}
    result = credence.evaluate_shift(scores, labels, sets, resamples=0)
    credence.plot.shift(result, ax=axes)
    assert [panel.get_title() for panel in axes.child_axes] == ["accuracy", "ECE", "Brier score", "AUROC"]
    first, one, two = result.ece, result.shift["blur:1"].result.ece, result.shift["blur:2"].result.ece
    assert points(axes.child_axes[1]) == {"blur": [(0, first), (1, one), (2, two)],
                                          "noise": [(0, first), (1, result.shift["noise:1"].result.ece)]}


def test_shift_methods_on_axes(axes: Any) -> None:
    scores, labels = samples.logits(200)
    sets = {"blur:1": (scores / 2, labels), "noise:1": (scores / 3, labels)}
    contest = credence.compare(scores, labels, methods="temperature", shift=sets, resamples=0)
    credence.plot.shift_methods(contest, ax=axes)
    assert [panel.get_title() for panel in axes.child_axes] == ["ECE", "Brier score", "NLL", "AUROC"]
    drawn = points(axes.child_axes[2])
    assert list(drawn) == ["identity", "temperature"]
    shifted = [each.candidates["temperature"].result.nll for each in contest.shift.values()]
    assert drawn["temperature"] == [(0, contest["temperature"].result.nll), (1, pytest.approx(np.mean(shifted)))]


def test_training_methods_on_axes(axes: Any) -> None:
    scores, labels = samples.logits(200)
    found = credence.calibratability({"ce": (scores, labels), "ls": (scores / 2, labels)}, sizes=[0, 20], draws=2,
                                     methods="temperature,vector")
    credence.plot.calibration_size(found, ax=axes)
    assert [panel.get_title() for panel in axes.child_axes] == ["after temperature", "after vector"]
    about = found.to_dict()["trainings"][1]
    drawn = points(axes.child_axes[0])["ls"]
    assert drawn == [(each["rows"] or 100, each["mean"]) for each in reversed(about["sizes"][:2])]
    assert drawn[1][1] == about["values"]["after temperature"]["mean"] and drawn[0][0] == 20


def test_learned_epochs_on_axes(axes: Any) -> None:
    found = credence.learned_epochs({"ce": ([1, 1, 2, 3, 5, 0], [9.0, 8.0, 7.0, 4.0, 3.0, 1.0])}, bins=4)
    credence.plot.learned_epochs(found, ax=axes)
    (panel,) = axes.child_axes
    drawn = {each.get_label(): each.get_data() for each in panel.patches}
    assert list(drawn["learned first"].edges) == [1, 3, 5, 7, 9]
    assert list(drawn["learned first"].values) == pytest.approx([0, 0, 0, 2 / 6])
    assert sum(sum(drawn[name].values) for name in drawn if name.startswith("learned")) == pytest.approx(1)


def test_weights_on_axes(axes: Any) -> None:
    scores, labels = samples.logits(600)
    calibrator = credence.fit("matrix-odir", scores, labels)
    credence.plot.weights(calibrator, ax=axes)
    b, on, off = (image.get_array() for image in axes.images)
    w = np.asarray(calibrator.learnt["W"])
    assert np.array_equal(np.ma.filled(on, 0) + np.ma.filled(off, 0), w)
    assert np.array_equal(b[:, 0], calibrator.learnt["b"])
    assert axes.images[2].get_clim()[1] == np.abs(w - np.diag(np.diag(w))).max()


@pytest.mark.parametrize("shape, panels", [((5,), 0), ((1, 5), 0), ((4, 5), 1), ((3, 4, 5), 4)])
def test_perturbation_on_axes(shape: tuple[int, ...], panels: int, axes: Any) -> None:
    found = object.__new__(credence.Perturbation)
    found.delta = np.linspace(-1, 0.5, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    _panels.perturbation(axes, found)
    images = [panel.images[0] for panel in axes.child_axes if panel.images]
    assert len(images) == panels
    if panels == 0:
        assert [bar.get_height() for bar in axes.patches] == list(found.delta.ravel())
    else:
        assert np.array_equal(images[0].get_array(), found.delta.reshape(-1, 4, 5)[0])
        assert all(image.get_clim() == (-1, 1) for image in images)
    if panels == 4:
        assert np.array_equal(images[3].get_array(), found.delta.mean(axis=0))


def test_refusals_of_axes(axes: Any) -> None:
    scores, labels = samples.logits(60)
    with pytest.raises(credence.UsageError, match="temperature has no weights to draw"):
        credence.plot.weights(credence.fit("temperature", scores, labels), ax=axes)
    with pytest.raises(credence.UsageError, match="profile=True"):
        credence.plot.roc(credence.evaluate(scores, labels, resamples=0), ax=axes)
    assert not axes.has_data()
