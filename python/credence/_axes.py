"""Figures drawn on axes of matplotlib, with its own artists, to be changed and combined like any other."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._calibrator import Calibrator
from ._contest import Contest
from ._result import Result
from ._sources import Embedding, TrainingRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

# The colours of Okabe and Ito (2008), which are safe for colour-blind readers.
BLUE, ORANGE, GREEN, PURPLE, SKY, RED = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
COLOURS = [BLUE, ORANGE, GREEN, PURPLE, SKY, RED, "#1b1b1b", "#d8c600"]
GREY = "#8c8c8c"


def unit(ax: Axes, x: str, y: str) -> None:
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel=x, ylabel=y)


def heat(ax: Axes, values: Any, most: float, **more: Any) -> AxesImage:
    """Draw a heat map: blue is negative, red positive, and white 0."""
    from matplotlib.colors import LinearSegmentedColormap
    colours = LinearSegmentedColormap.from_list("credence", [BLUE, "white", RED])
    return ax.imshow(values, cmap=colours, vmin=-(most or 1), vmax=most or 1, interpolation="none", **more)


def _curve(ax: Axes, points: Mapping[str, list[float]], **style: Any) -> None:
    ax.plot(points["x"], points["y"], **style)


def _profile(result: Result, part: str) -> Any:
    return result.to_dict()["profile"][part]


def _label(result: Result, metric: str, title: str) -> str:
    return f"{title} {result[metric]:.3f}" if metric in result else title.partition(",")[0]


# ---- Of the bins of a result.


def reliability(ax: Axes, result: Result) -> None:
    """Bars of accuracy with their intervals, gaps to the mean confidence, and the diagonal."""
    bins = [each for each in result.bins if each.rows]
    centres = [(each.low + each.high) / 2 for each in bins]
    widths = [each.high - each.low for each in bins]
    accuracy = [each.accuracy for each in bins]
    fullest = max((each.weight for each in bins), default=1.0)
    bars = ax.bar(centres, accuracy, widths, color=BLUE, edgecolor=BLUE, linewidth=1, label="accuracy")
    for bar, each in zip(bars, bins):
        bar.set_alpha(0.2 + 0.7 * math.sqrt(each.weight / fullest))
    for label, colour, hatch, sign in (("overconfident", RED, "////", 1), ("underconfident", GREEN, "\\\\\\\\", -1)):
        of = [each for each in bins if sign * (each.confidence - each.accuracy) > 0]
        if of:
            ax.bar([(each.low + each.high) / 2 for each in of], [each.confidence - each.accuracy for each in of],
                   [each.high - each.low for each in of], bottom=[each.accuracy for each in of], color="none",
                   edgecolor=colour, hatch=hatch, linewidth=1, label=label)
    known = [each for each in bins if not math.isnan(each.calibrated_low)]
    ax.bar([(each.low + each.high) / 2 for each in known],
           [each.calibrated_high - each.calibrated_low for each in known],
           [(each.high - each.low) / 2 for each in known], bottom=[each.calibrated_low for each in known], color=GREY,
           alpha=0.35, linewidth=0, label="95 % if calibrated")
    known = [each for each in bins if not math.isnan(each.accuracy_low)]
    ax.errorbar([(each.low + each.high) / 2 for each in known], [each.accuracy for each in known],
                [[max(each.accuracy - each.accuracy_low, 0) for each in known],
                 [max(each.accuracy_high - each.accuracy, 0) for each in known]],
                fmt="none", ecolor="#1b1b1b", elinewidth=1, capsize=2)
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    unit(ax, "confidence", "accuracy")
    ax.legend(loc="upper left", title=_label(result, "ece", "ECE"))


def confidence(ax: Axes, result: Result) -> None:
    """Histogram of confidence, split into correct and incorrect predictions."""
    bins = result.bins
    centres = [(each.low + each.high) / 2 for each in bins]
    widths = [each.high - each.low for each in bins]
    right = [each.weight * each.accuracy if each.rows else 0.0 for each in bins]
    wrong = [each.weight * (1 - each.accuracy) if each.rows else 0.0 for each in bins]
    ax.bar(centres, right, widths, color=BLUE, label="correct")
    ax.bar(centres, wrong, widths, bottom=right, color=RED, label="incorrect")
    for metric, colour in (("confidence", "#1b1b1b"), ("accuracy", GREY)):
        if metric in result:
            ax.axvline(result[metric].value, color=colour, linestyle="--", linewidth=1,
                       label=_label(result, metric, metric))
    ax.set(xlim=(0, 1), xlabel="confidence", ylabel="fraction of rows")
    ax.legend(loc="upper left")


# ---- Of the profile of a result.


def smooth(ax: Axes, result: Result) -> None:
    """Smooth reliability curve with its band."""
    part = _profile(result, "smooth")
    x = part["confidence"]
    if part.get("low") and part["low"][0] is not None:
        ax.fill_between(x, part["low"], part["high"], color=BLUE, alpha=0.25, linewidth=0, label="95 % band")
    ax.plot(x, part["accuracy"], color=BLUE, label=_label(result, "smece", "smooth ECE"))
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    unit(ax, "confidence", "accuracy")
    ax.legend(loc="upper left")


def density(ax: Axes, result: Result) -> None:
    """Densities of confidence of correct and of incorrect predictions."""
    for part, colour, label in (("density_right", BLUE, "correct"), ("density_wrong", RED, "incorrect")):
        points = _profile(result, part)
        ax.fill_between(points["x"], points["y"], color=colour, alpha=0.2, linewidth=0)
        _curve(ax, points, color=colour, label=label)
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel="confidence", ylabel="density")
    ax.legend(loc="upper left", title=_label(result, "auroc", "AUROC"))


def roc(ax: Axes, result: Result) -> None:
    """ROC curve of confidence as a detector of correct predictions."""
    _curve(ax, _profile(result, "roc"), color=BLUE, label=_label(result, "auroc", "AUROC"))
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    unit(ax, "false positive rate", "true positive rate")
    ax.legend(loc="lower right")


def precision_recall(ax: Axes, result: Result) -> None:
    """Precision-recall curves of detecting correct and incorrect predictions."""
    _curve(ax, _profile(result, "precision_right"), color=BLUE, label=_label(result, "aupr-success", "correct, AUPR"))
    _curve(ax, _profile(result, "precision_wrong"), color=RED, label=_label(result, "aupr-error", "incorrect, AUPR"))
    unit(ax, "recall", "precision")
    ax.legend(loc="lower left")


def risk_coverage(ax: Axes, result: Result) -> None:
    """Risk-coverage curve, and the best that any order of the rows could give."""
    _curve(ax, _profile(result, "risk_coverage"), color=BLUE, label=_label(result, "aurc", "AURC"))
    _curve(ax, _profile(result, "risk_coverage_best"), color=GREY, linestyle="--", label="best order")
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel="coverage", ylabel="risk")
    ax.legend(loc="upper left")


def bins(ax: Axes, result: Result) -> None:
    """Calibration errors against the number of bins."""
    part = _profile(result, "by_bins")
    for metric, colour, label in (("ece", BLUE, "ECE"), ("ece_debiased", GREEN, "debiased ECE"),
                                  ("aece", ORANGE, "AECE")):
        ax.plot(part["bins"], _numbers(part[metric]), color=colour, label=label)
    ax.plot(part["bins"], _numbers(part["noise_floor"]), color=GREY, linestyle="--",
            label="noise floor of ECE")
    ax.set(xscale="log", ylim=(0, None), xlabel="bins", ylabel="calibration error")
    ax.legend()


def temperature(ax: Axes, result: Result) -> None:
    """NLL and ECE against the temperature that logits are divided by."""
    points = _profile(result, "temperatures")
    x = [each["temperature"] for each in points]
    ax.plot(x, _numbers([each["nll"] for each in points]), color=BLUE, label="NLL")
    beside = ax.twinx()
    beside.plot(x, _numbers([each["ece"] for each in points]), color=RED, label="ECE")
    ax.axvline(1, color=GREY, linestyle="--", linewidth=1)
    ax.set(xscale="log", xlabel="temperature", ylabel="NLL")
    beside.set_ylim(bottom=0)
    beside.set_ylabel("ECE")
    beside.legend(handles=[*ax.get_lines()[:1], *beside.get_lines()], loc="upper center")


def _numbers(values: list[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


# ---- Of other things.


def comparison(ax: Axes, contest: Contest) -> None:
    """ECE of each method with its interval, the chosen one in another colour."""
    shown = [(name, each.result["ece"]) for name, each in contest.items() if each.result and "ece" in each.result]
    for index, (name, ece) in enumerate(shown):
        low, high = (0.0, 0.0) if math.isnan(ece.low) else (max(ece.value - ece.low, 0), max(ece.high - ece.value, 0))
        ax.errorbar(ece.value, index, xerr=[[low], [high]], fmt="o", capsize=2,
                    color=RED if name == contest.chosen else BLUE)
    ax.set_yticks(range(len(shown)), [name for name, _ in shown])
    ax.invert_yaxis()
    ax.set(xlim=(0, None), xlabel="ECE")


def tsne(ax: Axes, embedding: Embedding) -> None:
    """The points in the colours of their true classes; rings around incorrect predictions."""
    for index in range(embedding.classes):
        of = embedding.label == index
        if of.any():
            ax.scatter(embedding.x[of], embedding.y[of], s=8, color=COLOURS[index % len(COLOURS)],
                       marker="osx^"[index // len(COLOURS) % 4], linewidths=0.8, label=str(index))
    wrong = ~embedding.correct
    ax.scatter(embedding.x[wrong], embedding.y[wrong], s=30, facecolors="none", edgecolors="#1b1b1b", linewidths=0.8,
               label="incorrect")
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.legend(markerscale=1.5, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))


def training(ax: Axes, record: TrainingRecord) -> None:
    """Loss and validation metrics over the epochs; a dotted line at the epoch that was kept."""
    epochs = range(1, record.epochs + 1)
    shown = [name for name in record.columns if name == "loss" or name.startswith("validation.")]
    for index, name in enumerate(shown):
        ax.plot(epochs, record.columns[name], color=COLOURS[index % len(COLOURS)], label=name)
    ax.axvline(record.kept, color=GREY, linestyle=":", linewidth=1)
    ax.set(xlabel="epoch")
    ax.legend(fontsize="small")


def weights(ax: Axes, calibrator: Calibrator) -> None:
    """Heat map of W and b of softmax(W x + b): what is off the diagonal, the diagonal, and b have a scale each."""
    import numpy as np
    b = np.asarray(calibrator.learnt["b"])
    w = np.asarray(calibrator.learnt["W"]) if "W" in calibrator.learnt else calibrator.learnt["w"].reshape(-1, 1)
    rows, columns = w.shape
    parts = {"b": (b.reshape(-1, 1), columns + 0.5)}
    if columns == 1:
        parts["w"] = w, 0
    else:
        diagonal = np.eye(rows, dtype=bool)
        parts["W on the diagonal"] = np.where(diagonal, w, math.nan), 0
        parts["W off the diagonal"] = np.where(diagonal, math.nan, w), 0
    for index, (label, (values, left)) in enumerate(parts.items()):
        drawn = heat(ax, values, float(np.nanmax(np.abs(values))),
                     extent=(left - 0.5, left + values.shape[1] - 0.5, rows - 0.5, -0.5),
                     aspect="auto" if columns == 1 else "equal")
        bar = ax.inset_axes((1.04, index / len(parts), 0.03, 0.8 / len(parts)))
        ax.figure.colorbar(drawn, cax=bar).set_label(label, fontsize="small")
    ax.set(xlim=(-0.5, columns + 1), ylim=(rows - 0.5, -0.5), xlabel="score of class", ylabel="for class")
    ticks = list(range(0, columns, max(1, columns // 10)))
    ax.set_xticks([*ticks, columns + 0.5], [*(["w"] if columns == 1 else map(str, ticks)), "b"])


DRAWN: dict[str, Callable[[Axes, Any], None]] = {
    "reliability": reliability, "confidence": confidence, "comparison": comparison, "smooth": smooth,
    "density": density, "roc": roc, "precision-recall": precision_recall, "risk-coverage": risk_coverage, "bins": bins,
    "temperature": temperature, "tsne": tsne, "training": training,
    "weights": weights,
}
