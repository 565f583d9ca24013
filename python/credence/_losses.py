"""Training losses: value and gradient with respect to the logits, for any framework."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._errors import ArgumentError, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IGNORED = -100  # the label that PyTorch ignores
_DEFAULTS: dict[str, Any] = {"class_counts": None, "reduction": "mean", "allow_negative": False}


@dataclasses.dataclass(frozen=True, eq=False)
class LossValue:
    """The loss of a batch; it unpacks into value and gradient.

    Attributes
    ----------
    value : float
        The loss.
    gradient : numpy.ndarray or None
        Its derivatives with respect to the logits, in their shape and type.
    terms : dict of str to float
        Each term without its factor; a second term of the same text is called ``ce#2``.
    gradient_norm : float
        Euclidean norm; NaN without a gradient.
    """

    value: float
    gradient: NDArray[np.floating[Any]] | None
    terms: dict[str, float]
    gradient_norm: float

    def __float__(self) -> float:
        return self.value

    def __iter__(self) -> Iterator[Any]:
        return iter((self.value, self.gradient))


@_tables.documented(losses="losses")
class Loss:
    """A weighted sum of losses: ``"ce + 10*dca"``, ``"focal(gamma=3) + 0.1*entropy"``.

    Calling it on a batch returns the value and the gradient. It can be pickled, and called by several
    threads at once. :class:`credence.torch.Loss` is the same for PyTorch.

    Parameters
    ----------
    expression
        A sum of losses with factors and settings. Known are:

        {losses}
    class_counts
        Training rows of each class, for class weights (``weighted-ce``).
    reduction
        ``mean``: the weighted mean over the rows; ``sum``: that times the sum of weights.
    allow_negative
        Allow negative factors and settings, with a note.

    Examples
    --------
    >>> import credence, numpy as np
    >>> value, gradient = credence.Loss("ce")(np.array([[2.0, 0.0]]), [0])
    >>> round(value, 4), gradient.round(4).tolist()
    (0.1269, [[-0.1192, 0.1192]])
    """

    def __init__(self, expression: str, *, class_counts: Any = None, reduction: str = "mean",
                 allow_negative: bool = False) -> None:
        counts = None if class_counts is None else _counts(class_counts)
        self._core = _core.Loss(expression, class_counts=counts, reduction=reduction, allow_negative=allow_negative)
        self._given = {"class_counts": counts,
                       "reduction": reduction, "allow_negative": allow_negative}
        self.expression = expression
        self.reduction = reduction
        about = self._core.describe()
        self.terms: list[str] = _numbered(about["terms"])
        self.notes: list[str] = about["notes"]

    def __call__(self, logits: Any, targets: Any, weights: Any = None, *, ignore: int | None = IGNORED,
                 history: Any = None, epochs: float = 0.0, history_low: float = 0.0, gradient: bool = True,
                 threads: int = 0) -> LossValue:
        """Compute the loss of a batch.

        Parameters
        ----------
        logits
            (rows, classes), float32 or float64: an array, or a tensor on the CPU.
        targets
            Class indices, (rows,), or the probability of each class, (rows, classes).
        weights
            Of the rows.
        ignore
            Rows with this label are left out; None: there are none.
        history, epochs, history_low
            For ``crl``: in how many earlier epochs each row was predicted correctly, the number of
            these epochs, and the smallest history over the training data.
        gradient
            Also compute the gradient.
        threads
            Threads (0: all); the result does not depend on them.

        Returns
        -------
        LossValue
        """
        value, slopes, terms, norm = self._core.evaluate(
            _inputs.array(logits, "logits"), _inputs.array(targets, "targets"),
            weights=_inputs.array(weights, "weights"), ignore=ignore, history=_inputs.array(history, "history"),
            epochs=epochs, history_low=history_low, gradient=_inputs.flag(gradient, "gradient"), threads=threads)
        return LossValue(value, slopes, dict(zip(self.terms, terms)), norm)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.expression, self._given)

    def __repr__(self) -> str:
        return f"Loss({self.expression!r}{self.extra()})"

    def extra(self) -> str:
        """Return the arguments that are not the defaults, for repr()."""
        return "".join(f", {name}={value!r}" for name, value in self._given.items() if value != _DEFAULTS[name])


@_inputs.guarded
def _counts(given: Any, what: str = "class_counts") -> tuple[float, ...]:
    found = _inputs.array(given, what)
    if getattr(found, "ndim", 1) != 1 or isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
        raise ArgumentError(f"{what} is {shown(given)}, expected a number for each class")
    return tuple(_inputs.number(count, what) for count in found)


def _unpickle(expression: str, given: dict[str, Any]) -> Loss:
    return Loss(expression, **given)


def _numbered(terms: list[str]) -> list[str]:
    """Make names of terms unique: ce, ce#2."""
    return [term + (f"#{terms[:i].count(term) + 1}" if term in terms[:i] else "") for i, term in enumerate(terms)]
