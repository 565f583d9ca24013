"""Calibration as scikit-learn estimators and scorers: needs scikit-learn 1.6.

>>> from sklearn.ensemble import RandomForestClassifier
>>> from sklearn.model_selection import cross_val_score
>>> from credence.sklearn import CalibratedClassifier, scorer
>>> model = CalibratedClassifier(RandomForestClassifier(), method="temperature").fit(X, y)  # doctest: +SKIP
>>> model.predict_proba(X_new), model.calibrators_[0].certificate                           # doctest: +SKIP
>>> cross_val_score(model, X, y, scoring=scorer("ece"))                                     # doctest: +SKIP
"""
from __future__ import annotations

try:
    import sklearn.frozen  # of scikit-learn 1.6, as are the tags
except ImportError as error:
    raise ImportError("credence.sklearn needs scikit-learn 1.6 or newer: "
                      "pip install 'scikit-learn>=1.6'") from error

from ._classifier import CalibratedClassifier
from ._scorer import Scorer, scorer, scorers
from ._transformer import Calibrator

__all__ = ["CalibratedClassifier", "Calibrator", "Scorer", "scorer", "scorers"]
