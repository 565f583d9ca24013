"""Reports of several results: pages of HTML, and tables of models."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union, overload

from . import _core, _inputs, _tables
from ._contest import Contest, other_rows
from ._doctor import Diagnosis
from ._errors import ArgumentError, UsageError, shown
from ._result import Result

Path = Union[str, "os.PathLike[str]"]


# ---- Pages.


def _parts(things: Sequence[Any]) -> list[_core.Part | str]:
    """Return the sections of a page. A diagnosis belongs to the result before it, or else to the first one."""
    parts: list[_core.Part | str] = []
    early: _core.Diagnosis | None = None
    for thing in things:
        if _inputs.is_path(thing):
            parts.append(_inputs.path_text(thing))
        elif isinstance(thing, Diagnosis):
            last = parts[-1] if parts else None
            if isinstance(last, str):
                raise UsageError(f"{last}: a stored result has its own diagnosis")
            if last is None:
                early = thing._core
            else:
                parts[-1] = (*last[:3], thing._core)
        elif isinstance(thing, (Result, Contest)):
            part = thing._part()
            parts.append((*part[:3], early) if early is not None else part)
            early = None
        else:
            raise ArgumentError(f"a part of the report is {shown(thing)}, expected a result, a contest, a diagnosis or a "
                                "path")
    if not parts:
        raise UsageError("a report needs a result or a contest")
    return parts


@overload
def report(path: None, *things: Any, title: str | None = None) -> str: ...


@overload
def report(path: Path, *things: Any, title: str | None = None) -> None: ...


def report(path: Path | None, *things: Any, title: str | None = None) -> str | None:
    """Write a self-contained page of HTML about one or more results.

    It says in plain words what they mean, what to do and how sure that is, with tables, figures and certificates. It
    loads no external resources, and can be printed. Results and contests that were made with ``profile=True`` give all
    figures and choices.

    Parameters
    ----------
    path
        The file to write, all or nothing; None: the page is returned.
    *things
        Results, contests, and paths of results that were stored as JSON: a section each. Diagnoses: a part of the
        section before them.
    title
        Heading of the page; None: the name of the predictions.

    Returns
    -------
    str or None
        The page, if ``path`` is None.

    Examples
    --------
    >>> import credence
    >>> scores, labels = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]], [0, 1, 1, 0]
    >>> page = credence.report(None, credence.evaluate(scores, labels), credence.doctor(scores, labels))
    >>> page.startswith("<!DOCTYPE html>")
    True
    """
    target = None if path is None else _inputs.path_text(path)
    page = _core.page(_parts(things), title=title)
    if target is None:
        return page
    _inputs.write(target, page.encode())
    return None


# ---- Tables.


@_tables.documented(metrics="metrics", forms="forms")
def table(models: Mapping[str, Any], labels: Any = None, *, form: str = "text", digits: int = 0,
          percent: bool = False, metrics: str | Iterable[str] | None = None, bins: int = 15, resamples: int = 1000,
          groups: Any = None, weights: Any = None, input: str = "auto", binary: str = "top", cluster: str | None = None,
          threads: int = 0, seed: int = 0, progress: _inputs.Progress = None) -> str:
    """Write several models as one table, a line each.

    In Markdown and LaTeX the best value of every column is bold and the second underlined. Of models on the same rows
    that are given as scores, those that differ from the best beyond chance are marked: paired resamples, corrected
    for the number of models by Holm's method.

    Parameters
    ----------
    models
        A dict of names to results, or to scores of the same rows, ``(scores, labels)`` or paths.
    labels
        Of the scores that come without their own.
    form
        One of:

        {forms}
    digits
        Significant digits, 1 to 9; 0: four decimals.
    percent
        Write metrics between 0 and 1 in per cent.
    metrics
        Names; None: the default set. Known are:

        {metrics}
    bins, resamples, groups, weights, input, binary, cluster
        As in :func:`credence.evaluate`; not with results.
    threads, seed, progress
        As in :func:`credence.evaluate`.

    Returns
    -------
    str

    Examples
    --------
    >>> import credence
    >>> labels = [0, 1, 1, 0]
    >>> models = {"A": [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]],
    ...           "B": [[0.9, 0.1], [0.4, 0.6], [0.1, 0.9], [1.0, 0.0]]}
    >>> print(credence.table(models, labels, metrics="accuracy", resamples=0, form="csv"))  # doctest: +ELLIPSIS
    model,...
    """
    expected = "a dict of names to results or scores"
    models = _inputs.entries(models, "models", expected)
    if not models:
        raise ArgumentError(f"models is empty, expected {expected}")
    names = [_inputs.key(name, "models") for name in models]
    given = [not _inputs.is_path(each, "models") and isinstance(each, Result) for each in models.values()]
    if all(given):
        rows = [(name, result._core, None) for name, result in zip(names, models.values())]
        return _core.table(rows, form, digits=digits, percent=percent)
    if any(given):
        raise ArgumentError("models has results and scores; expected one or the other")
    options: dict[str, Any] = {"input": input, "binary": binary, "cluster": cluster}
    ranked = []
    for name, each in zip(names, models.values()):
        if isinstance(each, (tuple, Mapping)) or _inputs.is_path(each):
            predictions = other_rows(each, f"models[{shown(name)}]", **options)
        else:
            predictions = _inputs.predictions(each, labels, groups_=groups, weights=weights, **options)
        evidence = predictions.gather(metrics=_inputs.names(metrics), bins=bins, resamples=resamples, paired=True,
                                      threads=threads, seed=seed, progress=_inputs.progress(progress))
        ranked.append((predictions, evidence, evidence.judge(threads=threads)))
    p, paired = _core.rank(ranked)
    return _core.table([(name, result, p[index] if paired else None) for index, (name, (_, _, result)) in
                        enumerate(zip(names, ranked))], form, digits=digits, percent=percent)
