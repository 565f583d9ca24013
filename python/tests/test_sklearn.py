"""CalibratedClassifier and the Calibrator transformer within scikit-learn."""
from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import credence

pytest.importorskip("sklearn", minversion="1.6")

import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import (HistGradientBoostingClassifier, RandomForestClassifier, StackingClassifier,
                              VotingClassifier)
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (GridSearchCV, GroupKFold, KFold, LeaveOneOut, PredefinedSplit, ShuffleSplit,
                                     StratifiedKFold, TimeSeriesSplit, cross_val_predict, cross_val_score)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from credence.sklearn import CalibratedClassifier, Calibrator


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Keep threads of scikit-learn's boosting from waiting for each other on a busy machine."""
    import threadpoolctl
    with threadpoolctl.threadpool_limits(1):
        yield


METHODS = [name for name in credence.methods() if not credence.methods()[name]["needs_features"]]


def data(classes: int = 3, rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    return make_classification(rows, n_features=6, n_informative=4, n_classes=classes, class_sep=0.7, flip_y=0.1,
                               random_state=seed)  # type: ignore[no-any-return]


@pytest.mark.parametrize("estimator", [
    CalibratedClassifier(), CalibratedClassifier(LogisticRegression(C=1), cv=3),
    CalibratedClassifier(LogisticRegression(C=1), cv=3, ensemble=True), CalibratedClassifier(GaussianNB(), "isotonic"),
    Calibrator(), Calibrator("vector")], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_estimator_checks(estimator: Any) -> None:
    """No check fails but those that CalibratedClassifierCV is expected to fail."""
    from sklearn.utils._test_common.instance_generator import _get_expected_failed_checks
    expected = set(_get_expected_failed_checks(CalibratedClassifierCV()))
    results = check_estimator(estimator, on_fail=None)
    failed = {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"}
    assert len(results) > 40 and set(failed) <= expected, failed


# ---- What is computed.


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", credence.methods())
def test_every_method_is_the_librarys(method: str, classes: int) -> None:
    """A fitted estimator, calibrated on other rows, gives the bits of credence.fit."""
    X, y = data(classes)
    inner = LogisticRegression().fit(X[:100], y[:100])
    model = CalibratedClassifier(FrozenEstimator(inner), method).fit(X[100:], y[100:])
    features = {name: X_ if credence.methods()[method]["needs_features"] else None
                for name, X_ in {"fit": X[100:], "apply": X[:100]}.items()}
    calibrate = credence.fit(method, inner.decision_function(X[100:]), y[100:], input="logits",
                             features=features["fit"])
    expected = calibrate(inner.decision_function(X[:100]), input="logits", features=features["apply"])
    np.testing.assert_array_equal(model.predict_proba(X[:100]), expected)
    assert model.calibrators_ == [calibrate] and model.input_ == "logits"
    assert isinstance(model.calibrators_[0].certificate, credence.Certificate)


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_of_the_folds_calibrate(classes: int) -> None:
    X, y = data(classes)
    inner = GaussianNB()
    model = CalibratedClassifier(inner, cv=4).fit(X, y)
    scores = cross_val_predict(inner, X, y, cv=4, method="predict_proba")
    assert model.calibrators_ == [credence.fit("temperature", scores, y, input="probabilities")]
    np.testing.assert_array_equal(model.predict_proba(X), model.calibrators_[0](inner.fit(X, y).predict_proba(X)))
    np.testing.assert_array_equal(model.predict(X), inner.predict(X))
    assert model.input_ == "probabilities" and len(model.estimators_) == 1


def test_ensemble_averages_the_folds() -> None:
    X, y = data()
    model = CalibratedClassifier(GaussianNB(), "vector", cv=3, ensemble=True).fit(X, y)
    parts = []
    for train, test in StratifiedKFold(3).split(X, y):
        inner = GaussianNB().fit(X[train], y[train])
        parts.append(credence.fit("vector", inner.predict_proba(X[test]), y[test])(inner.predict_proba(X)))
    np.testing.assert_array_equal(model.predict_proba(X), np.mean(parts, axis=0))
    assert len(model.calibrators_) == len(model.estimators_) == 3


class Shaped(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes whose scores have a given shape, and whose classes have an order."""

    def __init__(self, kind: str = "vector", classes: tuple[Any, ...] = ("no", "yes")) -> None:
        self.kind = kind
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Shaped:
        self.classes_ = np.asarray(self.classes)
        return self

    def predict_proba(self, X: Any) -> Any:
        second = 1 / (1 + np.exp(-3 * X[:, 0]))
        return {"vector": second, "column": second[:, None], "three": np.stack([second] * 3, 1),
                "columns": np.stack([1 - second, second], 1)}[self.kind]


@pytest.mark.parametrize("kind", ["vector", "column"])
def test_scores_of_the_second_class_alone(kind: str) -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    expected = CalibratedClassifier(Shaped("columns")).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(CalibratedClassifier(Shaped(kind)).fit(X, y).predict_proba(X), expected)
    with pytest.raises(credence.InputError, match=r"shape \(40, 3\), expected 2 columns"):
        CalibratedClassifier(Shaped("three")).fit(X, y)


def test_classes_of_the_estimator_in_another_order() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.where(X[:, 0] + X[:, 1] > 0, "no", "yes")
    model = CalibratedClassifier(Shaped("columns", ("yes", "no"))).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) > 0.7
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0] > 0.5, X[:, 0] > 0)


@pytest.mark.parametrize("names", [["b", "a", "c"], [30, -1, 7], [2.0, 0.0, 1.0]])
def test_names_of_classes(names: list[Any]) -> None:
    X, y = data()
    named = np.asarray(names)[y]
    model = CalibratedClassifier(GaussianNB()).fit(X, named)
    assert model.classes_.tolist() == sorted(names) and set(model.predict(X)) <= set(names)
    order = [sorted(names).index(name) for name in names]
    plain = CalibratedClassifier(GaussianNB()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, order], plain.predict_proba(X), rtol=1e-12)


def test_response_can_be_chosen() -> None:
    X, y = data()
    inner = LogisticRegression()
    assert CalibratedClassifier(inner).fit(X, y).input_ == "logits"
    assert CalibratedClassifier(inner, response="predict_proba").fit(X, y).input_ == "probabilities"
    with pytest.raises(credence.UsageError, match="GaussianNB has no decision_function"):
        CalibratedClassifier(GaussianNB(), response="decision_function").fit(X, y)
    with pytest.raises(credence.UsageError, match="'auto', 'decision_function' or 'predict_proba'"):
        CalibratedClassifier(inner, response="predict").fit(X, y)
    with pytest.raises(credence.UsageError, match="VotingClassifier has no decision_function or predict_proba"):
        CalibratedClassifier(VotingClassifier([("one", inner)])).fit(X, y)


# ---- Folds.


@pytest.mark.parametrize("cv", [2, 5, KFold(4, shuffle=True, random_state=0), ShuffleSplit(3, random_state=0),
                                LeaveOneOut(), TimeSeriesSplit(3), PredefinedSplit([0, 1, -1] * 40),
                                [(np.arange(80), np.arange(80, 120))], None], ids=repr)
def test_splitters(cv: Any) -> None:
    X, y = data(rows=120)
    model = CalibratedClassifier(GaussianNB(), cv=cv).fit(X, y)
    assert model.calibrators_[0].certificate.converged and model.score(X, y) > 0.5


def test_generator_of_splits() -> None:
    X, y = data()
    splits = list(StratifiedKFold(5).split(X, y))
    given = CalibratedClassifier(GaussianNB(), cv=(pair for pair in splits)).fit(X, y)
    assert given.calibrators_ == CalibratedClassifier(GaussianNB()).fit(X, y).calibrators_
    with pytest.raises(credence.UsageError, match="no split"):
        CalibratedClassifier(GaussianNB(), cv=[]).fit(X, y)


def test_boolean_masks_are_splits() -> None:
    X, y = data()
    mask = np.arange(len(y)) % 2 == 0
    given = CalibratedClassifier(GaussianNB(), cv=[(mask, ~mask)]).fit(X, y)
    expected = CalibratedClassifier(GaussianNB(), cv=[(np.flatnonzero(mask), np.flatnonzero(~mask))]).fit(X, y)
    assert given.calibrators_ == expected.calibrators_


def test_groups_go_to_the_splitter() -> None:
    X, y = data()
    groups = np.arange(len(y)) % 7
    model = CalibratedClassifier(GaussianNB(), cv=GroupKFold(3)).fit(X, y, groups=groups)
    same = CalibratedClassifier(GaussianNB(), cv=list(GroupKFold(3).split(X, y, groups))).fit(X, y)
    assert model.calibrators_ == same.calibrators_
    with pytest.raises(ValueError, match="groups"):
        CalibratedClassifier(GaussianNB(), cv=GroupKFold(3)).fit(X, y)


@pytest.mark.parametrize("inner", [GaussianNB(), LogisticRegression(), RandomForestClassifier(10, random_state=0)],
                         ids=repr)
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_class_with_one_row(inner: Any, ensemble: bool) -> None:
    """The fold that tests the only row of a class has trained without it."""
    X, y = data()
    X = np.concatenate([X, [[9.0] * 6]])
    y = np.append(y, 3)
    model = CalibratedClassifier(inner, ensemble=ensemble).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (301, 4) and np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert 0.2 < model.calibrators_[0].temperature < 5
    assert ensemble or model.predict(X[-1:]) == inner.fit(X, y).predict(X[-1:])


def test_fold_without_a_class() -> None:
    """Its rows of that class are left out; for the others the class has the probability 0."""
    X, y = data()
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    train, test = np.flatnonzero(y < 2)[::2], np.r_[np.flatnonzero(y < 2)[1::2], np.flatnonzero(y == 2)]
    model = CalibratedClassifier(GaussianNB(), cv=[(train, test)]).fit(X, y)
    kept = test[y[test] < 2]
    scores = np.c_[GaussianNB().fit(X[train], y[train]).predict_proba(X[kept]), np.zeros(len(kept))]
    assert model.calibrators_ == [credence.fit("temperature", scores, y[kept], input="probabilities")]


def test_fitted_estimator_that_knows_more_classes() -> None:
    X, y = data()
    inner = GaussianNB().fit(X[:150], y[:150])
    few = np.flatnonzero(y[150:] < 2) + 150
    model = CalibratedClassifier(FrozenEstimator(inner)).fit(X[few], y[few])
    assert model.classes_.tolist() == [0, 1, 2] and model.predict_proba(X).shape == (300, 3)
    inner = GaussianNB().fit(X[:150][y[:150] < 2], y[:150][y[:150] < 2])
    with pytest.raises(credence.InputError, match="y holds 2, which is not among the classes of the fitted"):
        CalibratedClassifier(FrozenEstimator(inner)).fit(X, y)
    with pytest.raises(NotFittedError):
        CalibratedClassifier(FrozenEstimator(LogisticRegression())).fit(X, y)


def test_fitted_estimator_is_not_fitted_again() -> None:
    X, y = data()
    inner = GaussianNB().fit(X[:150], y[:150])
    before = pickle.dumps(inner)
    model = CalibratedClassifier(FrozenEstimator(inner), ensemble=True).fit(X[150:], y[150:])
    assert pickle.dumps(inner) == before and model.estimators_[0].estimator is inner and len(model.calibrators_) == 1


@pytest.mark.parametrize("ensemble", [False, True])
def test_jobs_do_not_change_results(ensemble: bool) -> None:
    X, y = data()
    one, two = (CalibratedClassifier(RandomForestClassifier(10, random_state=0), "isotonic", ensemble=ensemble,
                                     n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.calibrators_ == two.calibrators_
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


# ---- Weights and other metadata.


class Recorder(GaussianNB):  # type: ignore[misc]
    """A classifier that remembers what its fit got."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, note: Any = None, extra: Any = None) -> Recorder:
        self.seen_ = {"sample_weight": sample_weight, "note": note, "extra": extra}
        super().fit(X, y, sample_weight)
        return self


def test_parameters_of_fit_are_split_by_rows() -> None:
    X, y = data()
    weights, extra = np.arange(300.0), list(range(300))
    model = CalibratedClassifier(Recorder(), cv=3, ensemble=True).fit(X, y, weights, note="all", extra=extra)
    train, test = next(iter(StratifiedKFold(3).split(X, y)))
    seen = model.estimators_[0].seen_
    assert seen["note"] == "all" and seen["extra"] == train.tolist()
    np.testing.assert_array_equal(seen["sample_weight"], weights[train])
    inner = GaussianNB().fit(X[train], y[train], weights[train])
    assert model.calibrators_[0] == credence.fit("temperature", inner.predict_proba(X[test])[weights[test] > 0],
                                                 y[test][weights[test] > 0], weights=weights[test][weights[test] > 0])


@pytest.mark.parametrize("method", METHODS)
def test_weight_zero_removes_a_row(method: str) -> None:
    X, y = data()
    weights = (np.arange(300) % 3 > 0) * 1.5
    kept = np.flatnonzero(weights)
    scores = GaussianNB().fit(X, y).predict_proba(X)
    zeros = Calibrator(method).fit(scores, y, weights)
    assert zeros.calibrator_ == Calibrator(method).fit(scores[kept], y[kept], weights[kept]).calibrator_


def test_weights_that_the_estimator_does_not_accept() -> None:
    X, y = data()
    model = CalibratedClassifier(make_pipeline(StandardScaler(), GaussianNB()))
    with pytest.warns(UserWarning, match="Pipeline.fit has no sample_weight: the weights are used for the cal"):
        weighted = model.fit(X, y, np.where(y == 0, 3.0, 1.0)).calibrators_
    assert weighted != model.fit(X, y).calibrators_
    for wrong in (np.ones(7), np.ones((300, 2)), -np.ones(300), np.full(300, np.nan)):
        with pytest.raises(ValueError):
            CalibratedClassifier(GaussianNB()).fit(X, y, wrong)


def test_metadata_routing() -> None:
    X, y = data()
    weights, groups = np.linspace(0.5, 2, 300), np.arange(300) % 7
    plain = CalibratedClassifier(GaussianNB(), cv=GroupKFold(3)).fit(X, y, weights, groups=groups)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = GaussianNB().set_fit_request(sample_weight=True)
        routed = CalibratedClassifier(inner, cv=GroupKFold(3)).fit(X, y, sample_weight=weights, groups=groups)
        assert routed.calibrators_ == plain.calibrators_
        unset = CalibratedClassifier(GaussianNB().set_fit_request(sample_weight=False), cv=3)
        only = unset.fit(X, y, sample_weight=weights)
        assert only.calibrators_ != CalibratedClassifier(inner, cv=3).fit(X, y, sample_weight=weights).calibrators_
        assert CalibratedClassifier().fit(X, y, sample_weight=weights).predict(X).shape == (300,)
        with pytest.raises(ValueError, match="sample_weight"):
            CalibratedClassifier(GaussianNB(), cv=3).fit(X, y, sample_weight=weights)
        search = GridSearchCV(CalibratedClassifier(inner).set_fit_request(sample_weight=True)
                              .set_score_request(sample_weight=False), {"method": ["temperature", "vector"]}, cv=3)
        assert search.fit(X, y, sample_weight=weights).best_score_ > 0.5


# ---- Inside of and around other estimators.


@pytest.mark.parametrize("inner", [
    HistGradientBoostingClassifier(max_iter=10), RandomForestClassifier(10, random_state=0), LinearSVC(), SVC(),
    LogisticRegression(), make_pipeline(StandardScaler(), LinearSVC())], ids=repr)
@pytest.mark.parametrize("classes", [2, 4])
def test_classifiers(inner: Any, classes: int) -> None:
    X, y = data(classes)
    model = CalibratedClassifier(inner, cv=3).fit(X, y)
    assert model.score(X, y) > 0.5 and model.n_features_in_ == 6
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_composition(classes: int) -> None:
    X, y = data(classes)
    model = CalibratedClassifier(GaussianNB(), cv=3)
    pipeline = make_pipeline(StandardScaler(), model)
    search = GridSearchCV(pipeline, {"calibratedclassifier__method": ["temperature", "platt", "histogram"]},
                          scoring="neg_log_loss", cv=3, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all() and search.best_score_ > -1.1
    assert cross_val_predict(model, X, y, method="predict_proba").shape == (300, classes)
    assert cross_val_score(pipeline, X, y).mean() > 0.5
    for around in (StackingClassifier([("a", model), ("b", LogisticRegression())]),
                   VotingClassifier([("a", model), ("b", LogisticRegression())], voting="soft")):
        assert around.fit(X, y).score(X, y) > 0.5
        assert CalibratedClassifier(around, cv=2).fit(X, y).predict_proba(X).shape == (300, classes)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library: str) -> None:
    frames = pytest.importorskip(library)
    X, y = data()
    columns = [f"x{i}" for i in range(6)]
    frame = frames.DataFrame({name: X[:, i] for i, name in enumerate(columns)})
    named = frames.Series("class", np.array(["a", "b", "c"])[y].tolist()) if library == "polars" else \
        frames.Series(np.array(["a", "b", "c"])[y], name="class")
    model = CalibratedClassifier(GaussianNB()).fit(frame, named)
    assert model.feature_names_in_.tolist() == columns
    np.testing.assert_array_equal(model.predict_proba(frame), CalibratedClassifier(GaussianNB()).fit(
        X, y).predict_proba(X))
    scores = frames.DataFrame({name: model.predict_proba(frame)[:, i] for i, name in enumerate("abc")})
    out = Calibrator().set_output(transform=library).fit(scores, named).transform(scores)
    assert list(out.columns) == ["calibrator_a", "calibrator_b", "calibrator_c"]


def test_sparse_and_missing_values() -> None:
    import scipy.sparse
    X, y = data()
    sparse = CalibratedClassifier(LogisticRegression()).fit(scipy.sparse.csr_matrix(X), y)
    dense = CalibratedClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(sparse.predict_proba(scipy.sparse.csr_matrix(X)), dense.predict_proba(X), rtol=1e-3)
    X[::7, 0] = np.nan
    model = CalibratedClassifier(HistGradientBoostingClassifier(max_iter=5)).fit(X, y)
    assert model.__sklearn_tags__().input_tags.allow_nan and np.isfinite(model.predict_proba(X)).all()
    kernel = X[:, 1:] @ X[:, 1:].T
    direct = CalibratedClassifier(SVC(kernel="linear")).fit(X[:, 1:], y)
    given = CalibratedClassifier(SVC(kernel="precomputed")).fit(kernel, y)
    np.testing.assert_allclose(given.predict_proba(kernel), direct.predict_proba(X[:, 1:]), rtol=1e-6)


def test_clone_pickle_and_pages() -> None:
    X, y = data()
    model = CalibratedClassifier(GaussianNB(), "platt", settings={"scope": "top-1"})
    copy = clone(model.set_params(estimator__var_smoothing=1e-8, cv=3))
    assert copy.get_params()["estimator__var_smoothing"] == 1e-8 and copy.cv == 3
    copy.fit(X, y)
    again = pickle.loads(pickle.dumps(copy))
    np.testing.assert_array_equal(again.predict_proba(X), copy.predict_proba(X))
    assert again.calibrators_ == copy.calibrators_
    assert again.calibrators_[0].settings["scope"] == "top-1"
    page = copy._repr_html_()
    assert "CalibratedClassifier" in page and "GaussianNB" in page


# ---- The transformer.


class OutOfFold(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Out-of-fold probabilities in fit_transform, those of the estimator fitted on all rows in transform."""

    def fit(self, X: Any, y: Any) -> OutOfFold:
        self.inner_ = GaussianNB().fit(X, y)
        return self

    def transform(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)

    def fit_transform(self, X: Any, y: Any) -> Any:
        self.fit(X, y)
        return cross_val_predict(GaussianNB(), X, y, method="predict_proba")


def test_transformer_behind_a_step_of_predictions() -> None:
    X, y = data()
    pipeline = make_pipeline(OutOfFold(), Calibrator("vector", input="probabilities")).fit(X, y)
    model = CalibratedClassifier(GaussianNB(), "vector").fit(X, y)
    np.testing.assert_array_equal(pipeline.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(pipeline.transform(X), pipeline.predict_proba(X))
    np.testing.assert_array_equal(pipeline.predict(X), model.predict(X))


@pytest.mark.parametrize("method", METHODS)
def test_transformer_is_the_librarys(method: str) -> None:
    X, y = data()
    scores = GaussianNB().fit(X, y).predict_proba(X)
    calibrate = credence.fit(method, scores, y)
    model = Calibrator(method).fit(scores, np.array(["z", "b", "c"])[[1, 2, 0]][y])
    assert model.calibrator_ == calibrate and model.input_ == "probabilities"
    np.testing.assert_array_equal(model.transform(scores[:5]), calibrate(scores[:5], input="probabilities"))
    assert pickle.loads(pickle.dumps(model)).calibrator_ == calibrate and clone(model).method == method


def test_columns_of_the_transformer() -> None:
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    names = np.array(["c", "a", "b"])
    given = Calibrator(classes=names).fit(scores, names[y])
    assert given.classes_.tolist() == names.tolist() and given.calibrator_ == Calibrator().fit(scores, y).calibrator_
    few = Calibrator().fit(scores[y < 2], y[y < 2])  # indices of columns
    assert few.classes_.tolist() == [0, 1, 2]
    relative = Calibrator().fit(scores[:, 1:] - scores[:, :1], y)  # to the first class
    np.testing.assert_allclose(relative.transform(scores[:, 1:] - scores[:, :1]),
                               Calibrator().fit(scores, y).transform(scores), rtol=1e-6)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    rest = Calibrator(input="probabilities").fit(p[:, 1:], y)
    np.testing.assert_allclose(rest.transform(p[:, 1:]), Calibrator().fit(p, y).transform(p), rtol=1e-6)
    single = Calibrator().fit(scores[:, :1], y > 0)
    assert single.transform(scores[:, :1]).shape == (60, 2) and single.classes_.tolist() == [False, True]
    for wrong in (names[y][:, None] == "a", names[y]):
        with pytest.raises(credence.InputError, match="pass classes"):
            Calibrator().fit(np.c_[scores, scores], np.asarray(wrong, dtype=str).ravel())
    with pytest.raises(credence.InputError, match="expected different classes"):
        Calibrator(classes=["a", "b", "b"]).fit(scores, names[y])
    with pytest.raises(credence.InputError, match="y holds 3, one of 5 classes, where the scores have 3 columns"):
        Calibrator().fit(scores, np.arange(60) % 5)


# ---- Errors.


PAIRWISE = SVC(decision_function_shape="ovo", random_state=0)


@pytest.mark.parametrize("inner", [
    PAIRWISE, make_pipeline(StandardScaler(), PAIRWISE), GridSearchCV(PAIRWISE, {"C": [1]}, cv=2),
    make_pipeline(StandardScaler(), GridSearchCV(make_pipeline(StandardScaler(), PAIRWISE), {"svc__C": [1]}, cv=2)),
    FrozenEstimator(make_pipeline(StandardScaler(), PAIRWISE))], ids=["itself", "pipeline", "search", "both", "frozen"])
@pytest.mark.parametrize("classes", [3, 4])
def test_decisions_between_pairs_of_classes(inner: Any, classes: int) -> None:
    """Three classes have three pairs: columns that are none of classes."""
    X, y = data(classes)
    if isinstance(inner, FrozenEstimator):
        inner.estimator.fit(X, y)
    with pytest.raises(credence.UsageError, match="pairs of classes.*decision_function_shape='ovr'.*'predict_proba'"):
        CalibratedClassifier(inner).fit(X, y)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # probability=True
def test_decisions_between_pairs_that_are_right() -> None:
    X, y = data(2)
    usual = CalibratedClassifier(SVC(random_state=0)).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(CalibratedClassifier(PAIRWISE).fit(X, y).predict_proba(X), usual)  # one pair
    X, y = data(3)
    pairs = SVC(decision_function_shape="ovo", probability=True, random_state=0)
    assert CalibratedClassifier(pairs, response="predict_proba").fit(X, y).score(X, y) > 0.6
    assert CalibratedClassifier(OneVsRestClassifier(PAIRWISE)).fit(X, y).score(X, y) > 0.6  # of two classes each


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("names", [["c", "a", "b"], ["2", "0", "1"]])
def test_columns_of_a_frame_that_are_named_as_the_classes(library: str, names: list[str]) -> None:
    frames = pytest.importorskip(library)
    X, y = data()
    p = GaussianNB().fit(X[:150], y[:150]).predict_proba(X[150:])
    words = np.array(sorted(names))[y[150:]]
    if names[0].isdigit():
        words = words.astype(int)
    order = [sorted(names).index(name) for name in names]
    expected = Calibrator("vector", input="probabilities").fit(p, words)
    frame = frames.DataFrame(dict(zip(names, p[:, order].T)))
    found = Calibrator("vector", input="probabilities").fit(frame, words)
    assert list(found.feature_names_in_) == names and found.classes_.tolist() == np.unique(words).tolist()
    np.testing.assert_array_equal(found.transform(frame), expected.transform(p))
    assert np.mean(found.predict(frame) == words) > 0.6
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(found.transform(p[:, order]), expected.transform(p))  # in the order of fit
    with pytest.raises(ValueError, match="same order"):
        found.transform(frame[sorted(names)])
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.transform(frame), expected.transform(p))
    # All but the first class: by name too.
    less = frames.DataFrame({name: p[:, sorted(names).index(name)] for name in sorted(names)[:0:-1]})
    np.testing.assert_array_equal(
        Calibrator("vector", input="probabilities").fit(less, words).transform(less),
        Calibrator("vector", input="probabilities").fit(p[:, 1:], words).transform(p[:, 1:]))
    # With classes in an order of their own, which is that of the probabilities.
    turned = Calibrator("vector", input="probabilities", classes=expected.classes_[::-1]).fit(frame, words)
    np.testing.assert_array_equal(turned.transform(frame), Calibrator(
        "vector", input="probabilities", classes=expected.classes_[::-1]).fit(p[:, ::-1], words).transform(p[:, ::-1]))


def test_columns_of_a_frame_that_are_numbered() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = data()
    p = GaussianNB().fit(X, y).predict_proba(X)
    expected = Calibrator("vector", input="probabilities").fit(p, y).transform(p)
    for names, columns in (([2, 0, 1], [2, 0, 1]), ([0, 1, 2], [0, 1, 2]), ([3, 2, 1], [0, 1, 2])):
        frame = pandas.DataFrame(p[:, columns], columns=names)
        found = Calibrator("vector", input="probabilities").fit(frame, y)
        np.testing.assert_array_equal(found.transform(frame), expected)
        np.testing.assert_array_equal(found.transform(frame.to_numpy()), expected)
        if names != [3, 2, 1]:
            np.testing.assert_array_equal(found.transform(frame[[1, 2, 0]]), expected)


def test_errors() -> None:
    X, y = data()
    with pytest.raises(credence.UsageError, match="'sigmoid', which is unknown; did you mean 'platt'"):
        CalibratedClassifier(method="sigmoid").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(credence.UsageError, match="'temprature', which is unknown; did you mean 'temperature'"):
        CalibratedClassifier(method="temprature").fit(X, y)
    with pytest.raises(credence.UsageError, match="method is None"):
        Calibrator(None).fit(X[:, :3], y)  # type: ignore[arg-type]
    with pytest.raises(credence.UsageError, match="scope"):
        CalibratedClassifier(settings={"scope": "top-1"}).fit(X, y)
    with pytest.raises(credence.UsageError, match="density-ratio needs features .* CalibratedClassifier"):
        Calibrator("density-ratio").fit(X[:, :3], y)
    import scipy.sparse
    with pytest.raises(credence.InputError, match="density-ratio measures distances"):
        CalibratedClassifier(LogisticRegression(), "density-ratio").fit(scipy.sparse.csr_matrix(X), y)
    for estimator in (CalibratedClassifier(), Calibrator()):
        with pytest.raises(NotFittedError):
            estimator.predict_proba(X)
    with pytest.raises(credence.InputError, match="y has 1 class"):
        CalibratedClassifier().fit(X, np.ones(300))


def test_without_scikit_learn() -> None:
    script = "import sys; sys.modules['sklearn'] = None\nimport credence, credence.sklearn"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ, check=False)
    assert run.returncode and "ImportError: credence.sklearn needs scikit-learn" in run.stderr
    assert "pip install 'scikit-learn>=1.6'" in run.stderr


def test_a_fit_that_does_not_converge_warns() -> None:
    """One that does converge is silent; the other makes the steps of an implementation that stops too early."""
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CalibratedClassifier(GaussianNB()).fit(X, y)
    early = CalibratedClassifier(GaussianNB(), settings={"compat": "neural-clamping"})
    with pytest.warns(ConvergenceWarning, match="temperature: neural-clamping ends at T .* do not get far"):
        early.fit(X, y)
    assert not early.calibrators_[0].certificate.converged


def test_docstrings_list_the_methods() -> None:
    for each in (CalibratedClassifier, Calibrator):
        assert all(f"``{name}``: " in (each.__doc__ or "") for name in credence.methods())
