"""Figures, one function for each: as SVG for papers and notebooks, or drawn on axes of matplotlib.

Every function takes what its figure is drawn from (a result, a contest, a calibrator ...), or the data
to make it of, with the keyword arguments of the function that does:

>>> import credence
>>> scores, labels = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]], [0, 1, 1, 0]
>>> credence.plot.reliability(scores, labels, resamples=0)
<SVG 'Reliability diagram of predictions'>
>>> result = credence.evaluate(scores, labels, profile=True)
>>> credence.plot.reliability(result, title="Four rows").save("four.svg")  # doctest: +SKIP
>>> credence.plot.risk_coverage(result, ax=axes)                            # doctest: +SKIP
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, overload

from . import _axes, _inputs, _panels, _sources, _tables
from ._calibrator import Calibrator
from ._contest import Contest, compare
from ._errors import ArgumentError, UsageError, shown
from ._evaluate import evaluate
from ._result import Result
from ._shift import ShiftedResult, evaluate_shift
from ._sources import Calibratability, Embedding, LearnedEpochs, Perturbation, TrainingRecord, embed
from ._svg import SVG

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SVG", "bins", "calibration_size", "classes", "comparison", "confidence", "density", "figure",
           "learned_epochs", "perturbation", "precision_recall", "reliability", "risk_coverage", "roc", "shift",
           "shift_methods", "smooth", "temperature", "training", "tsne", "weights"]

Entry = Mapping[str, Any]


# ---- What figures are drawn from.


def _evaluated(entry: Entry, *data: Any, **options: Any) -> Result:
    return evaluate(*data, **{"metrics": entry["metrics"], "resamples": 500,
                              "profile": entry["source"] == "profile", **options})


def _check_shift(entry: Entry, options: Mapping[str, Any]) -> None:
    shift = options.get("shift")
    if shift is None or not _inputs.entries(shift, "shift", "a dict of names to (scores, labels)"):
        raise UsageError(f"the figure {entry['name']} needs shifted sets: shift={{name: (scores, labels)}}")


def _compared(entry: Entry, *data: Any, **options: Any) -> Contest:
    if entry["source"] == "shifted-contest":
        _check_shift(entry, options)
    return compare(*data, **{"metrics": entry["metrics"], **options})


def _shifted(entry: Entry, *data: Any, **options: Any) -> ShiftedResult:
    _check_shift(entry, options)
    shift = options.pop("shift")
    scores, labels, *more = *data, None, None
    if len(more) > 2:
        raise ArgumentError(f"{entry['name']} takes scores and labels, found {len(data)} arguments")
    return evaluate_shift(scores, labels, shift, **{"metrics": entry["metrics"], "resamples": 0, **options})


def _plainly(make: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a function that is the same for all figures of its source."""
    def made(_entry: Entry, *data: Any, **options: Any) -> Any:
        return make(*data, **options)
    return made


# By source: the type that has the data, and how to make it.
_SOURCES: dict[str, tuple[type, Callable[..., Any], str]] = {
    "result": (Result, _evaluated, "credence.evaluate"),
    "profile": (Result, _evaluated, "credence.evaluate"),
    "contest": (Contest, _compared, "credence.compare"),
    "shifted-contest": (Contest, _compared, "credence.compare"),
    "shift": (ShiftedResult, _shifted, "credence.evaluate_shift"),
    "calibrator": (Calibrator, _plainly(Calibrator.load), "credence.Calibrator.load"),
    "embedding": (Embedding, _plainly(embed), "credence.embed"),
    "run": (TrainingRecord, _plainly(TrainingRecord.load), "credence.TrainingRecord.load"),
    "perturbation": (Perturbation, _plainly(Perturbation.load), "credence.Perturbation.load"),
    "calibratability": (Calibratability, _plainly(_sources.calibratability), "credence.calibratability"),
    "learned": (LearnedEpochs, _plainly(_sources.learned_epochs), "credence.learned_epochs"),
}


def _source(entry: Entry, data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the data of a figure: an argument of its type, or made of the arguments."""
    kind, make, _ = _SOURCES[entry["source"]]
    if len(data) != 1 or not _inputs.is_a(data[0], kind):
        if not data:
            raise ArgumentError(f"the figure {entry['name']} needs a {kind.__name__}, or data to make it of")
        return make(entry, *data, **options)
    if options:
        raise ArgumentError(f"{', '.join(options)}: the {kind.__name__} was made already")
    return data[0]


# ---- Drawing.

_DRAWN = {**_axes.DRAWN, **_panels.DRAWN}


@_inputs.guarded
def _is_axes(ax: Any) -> bool:
    return callable(getattr(ax, "plot", None)) and callable(getattr(ax, "set_title", None))


def figure(name: str, *data: Any, title: str | None = None, id: str | None = None, ax: Axes | None = None,
           **options: Any) -> Any:
    """Draw a figure by its name; :func:`credence.figures` has them all.

    Parameters
    ----------
    name
        Of the figure: ``"reliability"``.
    *data
        What it is drawn from, or the data to make that of, such as scores and labels.
    title
        Above the figure; None: the name of the data.
    id
        The prefix of ids inside the SVG, different for each figure of one page.
    ax
        Axes of matplotlib to draw on. A figure of several panels divides them (``ax.child_axes``).
    **options
        Further arguments of the function that makes what the figure is drawn from.

    Returns
    -------
    SVG or matplotlib.axes.Axes
        The axes, if they were given.
    """
    figures = _tables.figures()
    if not any(_inputs.is_word(name, known) for known in figures):
        raise UsageError(f"no figure is called {shown(name)}; known are {', '.join(figures)}")
    if ax is not None and not _is_axes(ax):
        raise ArgumentError(f"ax is {shown(ax)}, expected axes of matplotlib")
    source = _source(figures[name], data, options)
    drawn = SVG(source._core.figure(name, title=title, id=id))  # also for axes: it fails if there is nothing to draw
    if ax is None:
        return drawn
    _DRAWN[name](ax, source)
    if title is not None:
        ax.set_title(title, pad=None if ax.axison else 28.0)  # panels have titles of their own
    return ax


class Drawer(Protocol):
    """A function that draws one figure."""

    @overload
    def __call__(self, *data: Any, title: str | None = None, id: str | None = None, ax: None = None,
                 **options: Any) -> SVG: ...

    @overload
    def __call__(self, *data: Any, title: str | None = None, id: str | None = None, ax: Axes,
                 **options: Any) -> Axes: ...


_DOC = inspect.cleandoc("""{summary}.

    Parameters
    ----------
    *data
        A :class:`{kind}`, or the arguments of :func:`{maker}` to make it.
    title
        Above the figure; None: the name of the data.
    id
        The prefix of ids inside the SVG, different for each figure of one page.
    ax
        Axes of matplotlib to draw on, in place of SVG{panels}.
    **options
        Further arguments of :func:`{maker}`.

    Returns
    -------
    SVG or matplotlib.axes.Axes
        The axes, if they were given.
    """)


def _drawer(name: str) -> Drawer:
    def draw(*data: Any, title: str | None = None, id: str | None = None, ax: Axes | None = None,
             **options: Any) -> Any:
        return figure(name, *data, title=title, id=id, ax=ax, **options)
    entry = _tables.figures()[name]
    kind, _, maker = _SOURCES[entry["source"]]
    draw.__name__ = draw.__qualname__ = name.replace("-", "_")
    panels = "; its panels divide them (``ax.child_axes``)" if name in _panels.DRAWN else ""
    draw.__doc__ = _DOC.format(summary=entry["summary"][0].upper() + entry["summary"][1:], kind=kind.__name__,
                               maker=maker, panels=panels)
    return draw


reliability = _drawer("reliability")
confidence = _drawer("confidence")
comparison = _drawer("comparison")
smooth = _drawer("smooth")
density = _drawer("density")
roc = _drawer("roc")
precision_recall = _drawer("precision-recall")
risk_coverage = _drawer("risk-coverage")
bins = _drawer("bins")
temperature = _drawer("temperature")
classes = _drawer("classes")
weights = _drawer("weights")
tsne = _drawer("tsne")
training = _drawer("training")
perturbation = _drawer("perturbation")
shift = _drawer("shift")
shift_methods = _drawer("shift-methods")
calibration_size = _drawer("calibration-size")
learned_epochs = _drawer("learned-epochs")
