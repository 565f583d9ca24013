"""TrustScore: how much nearer a row is to training rows of its predicted class than to those of other classes."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._calibrator import Calibrator
from ._errors import ArgumentError, UsageError, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@_tables.documented(settings="trust-settings")
class TrustScore:
    """TrustScores of predictions (Jiang et al. 2018), from labelled training rows.

    The score is the Euclidean distance of a row's features to the nearest training row of any other
    class, divided by the distance to the nearest one of the predicted class. It has no bound: it
    ranks predictions, and is not a probability; :meth:`calibrate` makes a confidence of it.

    Parameters
    ----------
    features
        Of the training rows, (rows, features), such as the penultimate layer of the classifier; or
        the path of a file with the arrays ``features`` and ``labels``.
    labels
        Their true classes, indices; a file has its own.
    settings
        Such as ``{"alpha": 0.1}``:

        {settings}
    name
        Of the training rows, for error messages.
    threads
        0: all. Results do not depend on it.

    Attributes
    ----------
    rows, kept : int
        Labelled training rows, and those that remain after filtering by density.
    classes : int
        The largest label plus 1.
    counts : list[int]
        Kept rows of each class. Predictions of a class without rows have the score 0.
    settings : dict[str, float]
        ``k``, ``alpha`` and ``neighbour``.
    calibrator : Calibrator | None
        Of :meth:`calibrate`: isotonic regression of the correctness on r / (1 + r), r being the score.

    Examples
    --------
    >>> import credence, numpy as np
    >>> random = np.random.default_rng(0)
    >>> labels = np.arange(300) % 3
    >>> features = random.normal(size=(300, 2)) + 3 * np.eye(3)[labels][:, :2]
    >>> trust = credence.TrustScore(features[:200], labels[:200])
    >>> predicted = np.eye(3)[labels[200:]]
    >>> scores = trust(predicted, features=features[200:])
    >>> scores.shape, trust.counts
    ((100,), [67, 67, 66])
    """

    def __init__(self, features: Any, labels: Any = None, *,
                 settings: str | Mapping[str, object] | None = None, name: str | None = None,
                 threads: int = 0) -> None:
        spelled = _inputs.settings(settings)
        if _inputs.is_path(features, "features"):
            path = _inputs.path_text(features, "features")
            if labels is not None or name is not None:
                raise ArgumentError(f"labels or name is given, but the file {shown(path)} has its own")
            self._core = _core.Trust.open(path, spelled)
            self._made: tuple[Any, ...] = path, None, spelled, None
        else:
            self._core = _core.Trust.fit(_inputs.array(features, "features"), _inputs.array(labels, "labels"),
                                         settings=spelled, name=name, threads=threads)
            self._made = _numbers(features, "features"), _numbers(labels, "labels"), spelled, name
        about = self._core.describe()
        self.rows: int = about["rows"]
        self.kept: int = about["kept"]
        self.classes: int = about["classes"]
        self.counts: list[int] = about["counts"]
        self.settings: dict[str, float] = {name: about[name] for name in _tables.table("trust-settings")}
        self.calibrator: Calibrator | None = None

    def __call__(self, scores: Any, *, features: Any = None, predicted: Any = None, input: str = "auto",
                 threads: int = 0) -> Floats:
        """Return the TrustScores of predictions: larger is more trustworthy.

        Parameters
        ----------
        scores
            Of the classifier, as in :func:`credence.evaluate`: they tell the predicted classes.
        features
            Of the same rows, as in the training rows; a file of predictions has its own.
        predicted
            The predicted classes, if they are not those with the largest scores.
        input
            ``logits`` or ``probabilities``; ``auto`` recognises them.
        threads
            0: all. Results do not depend on it.

        Returns
        -------
        numpy.ndarray
            float64, (rows,): for ``credence.evaluate(..., input="ranking")``.
        """
        return self._score(scores, features, predicted, input, threads)[0]

    def _score(self, scores: Any, features: Any, predicted: Any, input: str,
               threads: int) -> tuple[Floats, NDArray[np.int64]]:
        rows = _rows(scores, features, predicted=predicted, input=input, labels_optional=True, keep_ignored=True,
                     threads=threads)
        return self._core.score(rows, threads=threads)

    def calibrate(self, scores: Any, labels: Any = None, *, features: Any = None, predicted: Any = None,
                  correct: Any = None, weights: Any = None, input: str = "auto", threads: int = 0) -> TrustScore:
        """Fit isotonic regression of correctness on the scores of held-out predictions, for :meth:`confidence`.

        Parameters
        ----------
        scores, features, predicted, input, threads
            As in a call; rows that were neither trained on nor are evaluated later.
        labels, correct, weights
            As in :func:`credence.evaluate`.

        Returns
        -------
        TrustScore
            This object.
        """
        rows = _rows(scores, features, labels, predicted=predicted, correct=correct, weights=weights, input=input,
                     threads=threads)
        self.calibrator = Calibrator(self._core.calibrate(rows, threads=threads))
        return self

    def confidence(self, scores: Any, *, features: Any = None, predicted: Any = None, input: str = "auto",
                   threads: int = 0) -> Floats:
        """Return calibrated confidences of the predicted classes.

        Parameters
        ----------
        scores, features, predicted, input, threads
            As in a call.

        Returns
        -------
        numpy.ndarray
            float64, (rows,): for ``credence.evaluate(scores, labels, confidence=...)``.
        """
        if self.calibrator is None:
            raise UsageError("a TrustScore is not a probability: calibrate() makes a confidence of it")
        ranking = self._score(scores, features, predicted, input, threads)[0]
        rows = _core.Predictions(scores=ranking / (1 + ranking), input="confidence", labels_optional=True,
                                 scores_name="TrustScore", threads=threads)
        return self.calibrator._core.apply(rows, threads=threads)[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (*self._made, self.calibrator)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value:g}" for name, value in self.settings.items())
        state = "" if self.calibrator is None else "; calibrated"
        return f"<TrustScore: {self.kept} of {self.rows} rows in {self.classes} classes; {settings}{state}>"


def _rows(scores: Any, features: Any, labels: Any = None, **more: Any) -> _core.Predictions:
    if features is None and not _inputs.is_path(scores) and not isinstance(scores, _core.Predictions):
        raise ArgumentError("features are missing: those of the same rows, as in the training rows")
    return _inputs.predictions(scores, labels, features=True if features is None else features, **more)


@_inputs.guarded
def _numbers(value: Any, what: str) -> Any:
    """Return a copy for pickles: the arrays may be overwritten by then."""
    import numpy as np
    given = _inputs.array(value, what)
    if hasattr(given, "detach"):  # tensors of PyTorch, also of types that NumPy does not have
        given = given.detach().double()
    return np.asarray(given).copy()


def _unpickle(features: Any, labels: Any, settings: str | None, name: str | None,
              calibrator: Calibrator | None) -> TrustScore:
    found = TrustScore(features, labels, settings=settings, name=name)
    found.calibrator = calibrator
    return found
