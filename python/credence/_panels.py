"""Figures of several panels on axes of matplotlib: the panels divide the given axes, and are its child axes."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._axes import BLUE, COLOURS, GREEN, GREY, RED, heat, unit
from ._contest import Contest
from ._result import Result
from ._shift import ShiftedResult
from ._sources import Calibratability, LearnedEpochs, Perturbation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_BESIDE, _BETWEEN = 0.3, 0.5  # panels, as parts of their width and height


def _divide(ax: Axes, count: int, across: int, between: float = _BETWEEN) -> list[Axes]:
    """Divide axes into panels, in lines of `across`, the first line above."""
    ax.set_axis_off()
    across = max(min(count, across), 1)
    lines = max(-(-count // across), 1)
    width, height = 1 / (across + _BESIDE * (across - 1)), 1 / (lines + between * (lines - 1))
    return [ax.inset_axes((index % across * width * (1 + _BESIDE), 1 - height - index // across * height * (1 + between),
                           width, height)) for index in range(count)]


def _legend(ax: Axes, panels: list[Axes], x: str) -> None:
    """Put the name of the last x axis, and the legend of all panels, which is that of one, below them."""
    for panel in panels[-1:]:
        panel.set_xlabel(x)
        ax.legend(*panel.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4,
                  fontsize="small")


# ---- Classes.

_BINS, _SHOWN = 10, 12


def _coarse(fine: Mapping[str, Any]) -> tuple[Floats, Floats, Floats]:
    """Return rows, mean probability and frequency of ten bins; NaN: the bin is empty."""
    at = np.array(fine["index"], np.int64) * _BINS // fine["bins"]
    rows, weight, probability, frequency = (
        np.bincount(at, values, _BINS).astype(np.float64) for values in (
            fine["rows"], fine.get("weight", fine["rows"]), fine["confidence"], fine["correct"]))
    weight[weight == 0] = math.nan
    return rows, probability / weight, frequency / weight


def classes(ax: Axes, result: Result) -> None:
    """Bars of the frequency of a class among rows with similar probability of it, for the classes that err most."""
    shown = result.to_dict()["profile"]["classes"][:_SHOWN]
    for panel, each in zip(_divide(ax, len(shown), 4, 0.7), shown):
        rows, probability, frequency = _coarse(each["bins"])
        left = np.arange(_BINS) / _BINS
        bars = panel.bar(left, np.nan_to_num(frequency), 1 / _BINS, align="edge", color=BLUE, edgecolor=BLUE,
                         linewidth=0.5)
        for bar, count in zip(bars, rows):
            bar.set_alpha(0.15 + 0.75 * math.log1p(count) / math.log1p(rows.max()))
        for colour, hatch, sign in ((RED, "////", 1), (GREEN, "\\\\\\\\", -1)):
            of = sign * (probability - frequency) > 0
            panel.bar(left[of], (probability - frequency)[of], 1 / _BINS, bottom=frequency[of], align="edge",
                      color="none", edgecolor=colour, hatch=hatch, linewidth=0.5)
        panel.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
        panel.set_title(f"{each.get('name', 'class ' + str(each['number']))}\nerror {each['error']:.3f}",
                        fontsize="small")
        unit(panel, "", "")
        panel.tick_params(labelsize="small")
    ax.text(0.5, -0.12, "probability", transform=ax.transAxes, ha="center", va="top")
    ax.text(-0.09, 0.5, "frequency", transform=ax.transAxes, ha="right", va="center", rotation=90)


# ---- Shift.

Line = list[tuple[float, float]]  # (severity, value)


def _severities(ax: Axes, metrics: Iterable[tuple[str, str]], lines: Callable[[str], Mapping[str, Line]]) -> None:
    """Draw a panel for each metric that has a value, with the lines of that metric."""
    drawn = []
    for metric, title in metrics:
        found = {name: sorted(point for point in line if math.isfinite(point[1]))
                 for name, line in lines(metric).items()}
        if any(found.values()):
            drawn.append((title, found))
    panels = _divide(ax, len(drawn), 2)
    for panel, (title, found) in zip(panels, drawn):
        for number, (name, line) in enumerate(found.items()):
            panel.plot([x for x, _ in line], [y for _, y in line], color=COLOURS[number % len(COLOURS)], label=name,
                       marker="osx^"[number % 4], markersize=4)
        panel.set_title(title, fontsize="medium")
    _legend(ax, panels, "severity (0: original)")


def _value(result: Result | None, metric: str) -> float:
    return math.nan if result is None or metric not in result else result[metric].value


def shift(ax: Axes, result: ShiftedResult) -> None:
    """Metrics over the severity of a shift, a line for each corruption."""
    def lines(metric: str) -> Mapping[str, Line]:
        found: dict[str, Line] = {}
        for each in result.shift.values():
            found.setdefault(each.family, [(0, _value(result, metric))]).append(
                (each.severity, _value(each.result, metric)))
        return found
    _severities(ax, (("accuracy", "accuracy"), ("ece", "ECE"), ("brier", "Brier score"), ("auroc", "AUROC")), lines)


def shift_methods(ax: Axes, contest: Contest) -> None:
    """Metrics over the severity of a shift, a line for each method, the mean over sets of the same severity."""
    severities = sorted({each.severity for each in contest.shift.values()} - {0})

    def mean(method: str, severity: float, metric: str) -> float:
        values = [_value(each.candidates[method].result, metric) for each in contest.shift.values()
                  if each.severity == severity]
        return sum(values) / len(values)

    def lines(metric: str) -> Mapping[str, Line]:
        return {name: [(0, _value(each.result, metric)),
                       *((severity, mean(name, severity, metric)) for severity in severities)]
                for name, each in contest.items()}
    _severities(ax, (("ece", "ECE"), ("brier", "Brier score"), ("nll", "NLL"), ("auroc", "AUROC")), lines)


# ---- Training methods.


def calibration_size(ax: Axes, found: Calibratability) -> None:
    """ECE after post-hoc methods against the number of calibration rows, a line for each training method."""
    about = found.to_dict()
    titles = {each["method"]: each["name"] for each in about["columns"] if each["kind"] == "ece-after"}
    panels = _divide(ax, len(titles), 1)
    for panel, (method, title) in zip(panels, titles.items()):
        for index, training in enumerate(about["trainings"]):
            points = sorted((about["calibrate_rows"]["max"] if each["rows"] is None else each["rows"], each["mean"])
                            for each in training.get("sizes", []) if each["method"] == method and each["mean"] is not None)
            panel.plot([x for x, _ in points], [y for _, y in points], color=COLOURS[index % len(COLOURS)], marker="o",
                       markersize=4, label=training["name"])
        panel.set(xscale="log", ylim=(0, None), ylabel="ECE")
        panel.set_title(title, fontsize="medium")
    _legend(ax, panels, "calibration rows")


def learned_epochs(ax: Axes, found: LearnedEpochs) -> None:
    """Histograms of the largest logits of training rows that were learned first, later and last."""
    about = found.to_dict()
    edges = np.linspace(about["low"], about["high"], about["bins"] + 1)
    panels = _divide(ax, len(about["trainings"]), 1)
    for panel, training in zip(panels, about["trainings"]):
        rows = sum(third["rows"] for third in training["thirds"])
        for third, colour, label in zip(training["thirds"], (BLUE, GREEN, RED),
                                        ("learned first", "learned later", "learned last, or never")):
            shares = np.array(third["counts"]) / rows
            panel.stairs(shares, edges, color=colour, fill=True, alpha=0.25)
            panel.stairs(shares, edges, color=colour, label=label)
        rho = training["rho"]["mean"]
        panel.set(ylim=(0, None), ylabel="share of rows")
        panel.set_title(training["name"] if rho is None else f"{training['name']}, Spearman's rho {rho:.3f}",
                        fontsize="medium")
    _legend(ax, panels, "largest logit")


# ---- Perturbations.


def perturbation(ax: Axes, found: Perturbation) -> None:
    """Bars by element, or an image for each channel and of their mean."""
    delta = np.atleast_1d(found.delta)
    if delta.ndim == 1 or delta.size == delta.shape[-1]:
        values = delta.ravel()
        ax.bar(np.arange(len(values)), values, color=[BLUE if value < 0 else RED for value in values])
        ax.axhline(0, color=GREY, linewidth=1)
        ax.set(xlabel="element", ylabel="delta")
        return
    channels = delta.reshape(-1, *delta.shape[-2:])
    images = [*channels, channels.mean(axis=0)] if len(channels) > 1 else [delta.reshape(channels.shape[1:])]
    titles = [f"channel {index}" for index in range(len(channels))] + ["mean"] if len(images) > 1 else [""]
    for panel, image, title in zip(_divide(ax, len(images), 4), images, titles):
        drawn = heat(panel, image, float(np.abs(delta).max()))
        panel.set(xticks=[], yticks=[])
        panel.set_title(title, fontsize="medium")
    ax.figure.colorbar(drawn, cax=ax.inset_axes((1.02, 0.0, 0.02, 1.0)), label="delta")


DRAWN: dict[str, Callable[[Axes, Any], None]] = {
    "classes": classes, "shift": shift, "shift-methods": shift_methods, "calibration-size": calibration_size,
    "learned-epochs": learned_epochs, "perturbation": perturbation,
}
