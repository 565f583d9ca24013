"""Scorers: the library's metrics for scoring= of scikit-learn."""
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import credence

pytest.importorskip("sklearn", minversion="1.6")

import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from credence.sklearn import CalibratedClassifier, Calibrator, scorer, scorers


def data(classes: int = 3) -> tuple[Any, Any]:
    return make_classification(300, n_features=6, n_informative=4, n_classes=classes, class_sep=0.7,
                               random_state=0)  # type: ignore[no-any-return]


@pytest.mark.parametrize("classes", [2, 3])
def test_every_metric_is_the_librarys(classes: int) -> None:
    X, y = data(classes)
    model = GaussianNB().fit(X, y)
    found = scorer(list(credence.metrics()))(model, X, y)
    assert isinstance(found, dict) and list(found) == list(credence.metrics())
    results = {binary: credence.evaluate(model.predict_proba(X), y, metrics="all", resamples=0, binary=binary)
               for binary in (["top", "pos"] if classes == 2 else ["top"])}
    for name, entry in credence.metrics().items():
        binary = "pos" if classes == 2 and entry["standard"] == 2 else "top"
        sign = {"lower": -1, "higher": 1, "neither": 1}[entry["direction"]]
        np.testing.assert_array_equal(found[name], sign * results[binary][name].value, err_msg=name)
        single = scorer(name)
        assert single.greater_is_better == (sign > 0)
        if not entry["recalibrated"]:
            np.testing.assert_array_equal(single(model, X, y), found[name], err_msg=name)


def test_against_scikit_learn() -> None:
    X, y = data(2)
    names = np.array(["b", "a"])[y]
    model = GaussianNB().fit(X, names)
    p = model.predict_proba(X)
    weights = np.linspace(0.5, 2, 300)
    assert scorer("nll")(model, X, names, weights) == pytest.approx(-log_loss(names, p, sample_weight=weights))
    for label in "ab":
        column = p[:, list(model.classes_).index(label)]
        assert scorer("auroc-binary", pos_label=label)(model, X, names) == pytest.approx(
            roc_auc_score(names == label, column))
        assert scorer("brier-binary", pos_label=label)(model, X, names) == pytest.approx(
            -brier_score_loss(names, column, pos_label=label))
    assert scorer("auroc-binary")(model, X, names) == pytest.approx(roc_auc_score(names, p[:, 1]))
    assert scorer("ece", pos_label="a")(model, X, names) != scorer("ece")(model, X, names)


def test_one_class_against_the_others() -> None:
    X, y = data(3)
    model = GaussianNB().fit(X, y)
    assert scorer("auroc-binary", pos_label=2)(model, X, y) == pytest.approx(
        roc_auc_score(y == 2, model.predict_proba(X)[:, 2]))
    assert np.isnan(scorer("auroc-binary")(model, X, y))  # type: ignore[arg-type]


def test_rows_lack_classes_and_classes_lack_columns() -> None:
    X, y = data(3)
    model = GaussianNB().fit(X, y)
    few = np.flatnonzero(y > 0)
    expected = -float(np.mean(np.log(model.predict_proba(X)[few, y[few]])))
    assert scorer("nll")(model, X[few], y[few]) == pytest.approx(-abs(expected))
    model.fit(X[few], y[few])
    accuracy = float(np.mean(model.predict(X) == y))
    assert scorer("accuracy")(model, X, y) == pytest.approx(accuracy) and accuracy < 1


def test_in_searches_and_cross_validation() -> None:
    X, y = data(3)
    model = CalibratedClassifier(GaussianNB(), cv=3)
    parameters = {"method": ["identity", "temperature", "platt"]}
    for scoring, refit in ((scorer("ece"), True), (scorers(["ece", "nll"]), "nll"), (scorer(["ece", "nll"]), "nll")):
        search = GridSearchCV(model, parameters, scoring=scoring, refit=refit, cv=3, error_score="raise").fit(X, y)
        assert search.best_params_["method"] in parameters["method"]
        assert search.best_score_ <= 0
    many = cross_validate(GaussianNB(), X, y, scoring=scorers("all"), cv=3, error_score="raise")
    assert sum(name.startswith("test_") for name in many) == len(credence.metrics())
    np.testing.assert_array_equal(many["test_nll"], cross_val_score(GaussianNB(), X, y, scoring=scorer("nll"), cv=3))
    assert set(scorers()) == {name for name, entry in credence.metrics().items() if entry["standard"] == 1}


def test_options_reach_the_library() -> None:
    X, y = data(3)
    model = GaussianNB().fit(X, y)
    p = model.predict_proba(X)
    assert scorer("ece", bins=3)(model, X, y) == -credence.evaluate(p, y, bins=3, resamples=0, metrics="ece").ece
    expected = credence.evaluate(p, y, recalibrate="platt", seed=3, resamples=0, metrics="nll-refinement")
    assert scorer("nll-refinement", recalibrate="platt", seed=3)(model, X, y) == -expected["nll-refinement"].value
    made = scorer("ece", bins=3, pos_label=1)
    assert "scorer('ece', pos_label=1, bins=3" in repr(made)
    assert pickle.loads(pickle.dumps(made))(model, X, y) == made(model, X, y) == clone(made, safe=False)(model, X, y)


def test_weights_by_metadata_routing() -> None:
    X, y = data(3)
    weights = np.linspace(0.1, 3, 300)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=False)
        weighted = scorer("nll").set_score_request(sample_weight=True)
        found = cross_validate(inner, X, y, scoring=weighted, params={"sample_weight": weights}, cv=3,
                               return_estimator=True, return_indices=True)
        other = cross_validate(inner, X, y, scoring=scorer("nll"), cv=3)
        test = found["indices"]["test"][0]
        expected = scorer("nll")(found["estimator"][0], X[test], y[test], weights[test])
        assert found["test_score"][0] == expected != other["test_score"][0]
        with pytest.raises(ValueError, match="sample_weight"):
            cross_val_score(inner, X, y, scoring=scorer("nll"), params={"sample_weight": weights}, error_score="raise")


def test_errors() -> None:
    X, y = data(3)
    model = GaussianNB().fit(X, y)
    with pytest.raises(credence.UsageError, match="metric is 'eces', which is unknown; did you mean"):
        scorer("eces")
    with pytest.raises(credence.UsageError, match="metrics is empty"):
        scorer([])
    with pytest.raises(credence.UsageError, match="pos_label is 'x', which is not among the classes: 0, 1, 2"):
        scorer("ece", pos_label="x")(model, X, y)
    with pytest.raises(credence.UsageError, match="LinearSVC has no predict_proba"):
        scorer("ece")(LinearSVC().fit(X, y), X, y)
    with pytest.raises(credence.InputError, match="sample_weight is zero"):
        scorer("ece")(model, X, y, np.zeros(300))


@pytest.mark.parametrize("metrics", ["accuracy", ["ece", "nll"]])
def test_classes_that_are_none(metrics: Any) -> None:
    X, y = data(3)
    words = np.array(["a", "b", "c"], object)[y]
    for model, truth, fill, message in [
            (GaussianNB().fit(X, y), y.astype(float), np.nan, "Input y contains NaN"),
            (GaussianNB().fit(X, y), y.astype(float), np.inf, "Input y contains infinity"),
            (GaussianNB().fit(X, y), y.astype(float), 0.5, "Unknown label type: continuous"),
            (GaussianNB().fit(X, y), y.astype(object), None, r"y row 5 is missing \(None\), expected a class"),
            (GaussianNB().fit(X, words), words, None, r"y row 5 is missing \(None\), expected a class"),
            (GaussianNB().fit(X, words), words, np.nan, r"y row 5 is missing \(nan\), expected a class")]:
        wrong = truth.copy()
        wrong[5] = fill
        for given in (wrong, wrong[:, None]):
            with pytest.raises(ValueError, match=message):
                scorer(metrics)(model, X, given)
        with pytest.raises(ValueError, match=message):
            CalibratedClassifier(GaussianNB()).fit(X, wrong)
        with pytest.raises(ValueError):
            Calibrator().fit(GaussianNB().fit(X, y).predict_proba(X), wrong)
    with pytest.raises(ValueError, match="y holds 'a', where the classes of the estimator are 0, 1, 2"):
        scorer(metrics)(GaussianNB().fit(X, y), X, np.sort(words))
    with pytest.raises(ValueError, match="y holds 0, where the classes of the estimator are a, b, c"):
        scorer(metrics)(GaussianNB().fit(X, words), X, np.sort(y))
    with pytest.raises(ValueError, match="1d array"):
        scorer(metrics)(GaussianNB().fit(X, y), X, np.eye(3, dtype=int)[y])


@pytest.mark.parametrize("metrics", [np.zeros((60, 3)), [["ece"]], 3, np.broadcast_to(0.5, (2 ** 40, 3)), []],
                         ids=["array", "lists", "int", "endless", "empty"])
def test_metrics_that_are_no_names(metrics: Any) -> None:
    for make in (scorer, scorers):
        with pytest.raises(credence.Error, match="^metrics "):
            make(metrics)


def test_a_class_that_cannot_be_compared() -> None:
    model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(credence.UsageError, match="pos_label is"):
        scorer("ece", pos_label=[3])(model, [[0.0], [1.0]], [0, 1])
    with pytest.raises(credence.ArgumentError, match="pos_label cannot be read"):
        scorer("ece", pos_label=(1, 2, 3))(model, [[0.0], [1.0]], [0, 1])
