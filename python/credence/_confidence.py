"""ConfidNet: a head on a frozen classifier that learns how far its predictions are to be trusted."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _progress, _tables
from ._errors import Interrupted
from ._forms import Facts
from ._network import Network, _opened, _vector
from ._train import _parts

if TYPE_CHECKING:
    import pandas

Record = dict[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class ConfidenceQuality(Facts):
    """How well a confidence separates right from wrong predictions of the validation rows; NaN: undefined.

    Attributes
    ----------
    aupr_error, auroc : float
        Of wrong predictions, and of right against wrong ones; larger is better.
    ece, brier_top1 : float
        Of the confidence in the predicted class; smaller is better.
    """

    aupr_error: float
    auroc: float
    ece: float
    brier_top1: float


class LearnedConfidence:
    """A classifier whose confidence was learned; :func:`train_confidence` makes one.

    Attributes
    ----------
    network : Network
        The classifier with three more outputs: ``probabilities``, ``predicted`` and ``confidence``.
        What its ``predict`` returns is evaluated by that confidence.
    records : list[dict[str, Any]]
        One for each epoch: ``epoch``, ``loss``, ``validation.loss``, ``validation.auroc`` ..., ``best``
        and ``seconds``.
    confidence, maximum_probability : ConfidenceQuality
        Of the learned confidence in the kept epoch, and of the largest probability.
    summary : dict
        ``tensor`` and ``logits`` (names in the model), ``settings``, ``criterion`` by which the
        ``kept_epoch`` was chosen; ``rows`` and ``errors`` (rows that are predicted wrongly) of training
        and validation.
    notes : list[str]
        What is worth knowing.
    interrupted : bool
        Ctrl-C ended the training: this is the best epoch so far.
    """

    def __init__(self, core: _core.ConfidNet, records: list[Record], interrupted: bool, threads: int) -> None:
        about = core.describe()
        self.network = Network(core.model(), threads=threads)
        self.records = records
        self.interrupted = interrupted
        self.notes: list[str] = about.pop("notes")
        self.confidence = ConfidenceQuality(**about.pop("confidence"))
        self.maximum_probability = ConfidenceQuality(**about.pop("maximum_probability"))
        self.summary: dict[str, Any] = about

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier with its confidence, for ``credence predict`` and any ONNX runtime.

        Parameters
        ----------
        path
            FILE.onnx.
        """
        self.network.save(path)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each epoch."""
        import pandas
        return pandas.DataFrame(self.records).set_index("epoch")

    def __repr__(self) -> str:
        about = self.summary
        state = "; interrupted" if self.interrupted else ""
        return (f"<LearnedConfidence from {about['tensor']!r}, epoch {about['kept_epoch']} of {about['epochs']} by "
                f"{about['criterion']}: validation AUROC {self.confidence.auroc:.4f}, of the largest probability "
                f"{self.maximum_probability.auroc:.4f}{state}>")


@_tables.documented(settings="confidence-settings")
def train_confidence(network: Any, data: Any, *, validation: Any = 0.1, tensor: str | None = None,
                     settings: str | Mapping[str, object] | None = None, batch: int = 0, scale: float = 1.0,
                     mean: Any = None, std: Any = None, channels_last: bool = False, output: str | None = None,
                     winograd: bool = False, split_seed: int = 0, seed: int = 0, threads: int = 0,
                     progress: _inputs.Progress = None) -> LearnedConfidence:
    """Train ConfidNet (Corbière et al. 2019): a head that predicts the probability of the true class.

    Wrong predictions give their true class a small probability, however large the largest one is, so
    its prediction separates right from wrong. The classifier stays as it is. Ctrl-C ends the training
    and keeps the best epoch so far. It is ``credence train-confidence``, to the same bits.

    Parameters
    ----------
    network
        The classifier: an .onnx file, its bytes, or a :class:`credence.Network`.
    data
        Labelled data, as in :func:`credence.train`, on which the classifier errs often enough to learn
        from it.
    validation
        The data that choose the epoch, or a share of ``data``, which is then not trained on.
    tensor
        The tensor of the model that is the features; None: the input of its last layer.
    settings
        Such as ``{"hidden": [64, 64], "epochs": 50}``:

        {settings}
    batch, scale, mean, std, channels_last, output, winograd
        How the classifier is run, as in :meth:`credence.Network.predict`.
    split_seed
        Of the random choice of the validation rows.
    seed
        Of the weights of the head and the order of rows.
    threads
        0: all.
    progress
        A function of (stage, done, total), or True.

    Returns
    -------
    LearnedConfidence

    Examples
    --------
    >>> import credence
    >>> net = credence.train("synthetic:mixture#train@0:2000", "mlp(hidden=16)", epochs=1).network
    >>> learned = credence.train_confidence(net, "synthetic:mixture#val", settings={"hidden": 16, "epochs": 2})
    >>> [port.name for port in learned.network.outputs], len(learned.records)
    (['logits', 'probabilities', 'predicted', 'confidence'], 2)
    >>> bool(0 < learned.network.predict("synthetic:mixture#test@0:100").confidence.max() < 1)
    True
    """
    shown = _inputs.progress(progress)
    training, watched = _parts(data, validation, None, split_seed)
    core = _core.ConfidNet(_opened(network), training._core, watched["validation"]._core,
                           settings=_inputs.settings(settings), tensor=tensor, batch=batch, scale=scale,
                           mean=_vector(mean), std=_vector(std), channels_last=channels_last, output=output,
                           winograd=winograd, seed=seed, threads=threads, progress=shown)
    records: list[Record] = []
    done = interrupted = False
    while not done and not interrupted:
        try:
            found, done = core.epoch(threads, shown)
        except KeyboardInterrupt as error:
            if not records:
                raise error if isinstance(error, Interrupted) else Interrupted("interrupted") from error
            interrupted = True
            continue
        records.append(_record(found))
        if isinstance(shown, _progress.Bar):
            shown.epoch(records[-1])
    return LearnedConfidence(core, records, interrupted, threads)


def _record(epoch: Mapping[str, Any]) -> Record:
    quality = ("auroc", "aupr_error", "ece", "brier_top1")
    return {"epoch": epoch["epoch"], "loss": epoch["loss"], "validation.loss": epoch["validation_loss"],
            **{f"validation.{name.replace('_', '-')}": epoch[name] for name in quality},
            "best": epoch["best"], "seconds": epoch["seconds"]}
