"""Estimators of scikit-learn: their learners, stores, refusals and company."""

from __future__ import annotations

import inspect
import math
import re
import subprocess
import sys

import numpy as np
import pytest

import nystream
from nystream._core import default_params

pytest.importorskip("sklearn", minversion="1.6", reason="nystream.sklearn needs scikit-learn")

from estimators import COLUMNS, ESTIMATORS, STORES, X, Y, by_pickle, settled, weighted, with_value
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import nystream.sklearn
from nystream.sklearn import (
    AutoRegressor,
    ConKonsRegressor,
    FogdRegressor,
    NonsAldRegressor,
    RidgeAldRegressor,
    _kernels,
)

# Estimators call the width `gamma`: parameters of this name get another one.
OTHER_NAMES = {
    "SketchedKons": ("gamma", "min_probability"),
    "ProsNKons": ("gamma", "kors_mu"),
    "ConKons": ("gamma", "kors_mu"),
}
KERNEL_DEFAULTS = {"kernel": "rbf", "gamma": "median", "sigma": None, "degree": 3, "coef0": 1.0}
# As with scikit-learn's own SGDRegressor: rows are learned in order, and the check shuffles them.
EXPECTED_FAILURES = {
    "Auto": {
        "check_sample_weight_equivalence_on_dense_data": "its experts are compared row after row"
    }
}


def test_scikit_learns_own_checks(name):
    """All in one test: eight hundred tests of a millisecond would take eight seconds."""
    expected = EXPECTED_FAILURES.get(name, {})
    results = check_estimator(ESTIMATORS[name](), on_skip=None, expected_failed_checks=expected)
    not_passed = {r["check_name"] for r in results if r["status"] != "passed"}
    assert len(results) > 40
    # Skipped, unless SCIPY_ARRAY_API is set.
    assert not_passed - {"check_array_api_input"} == set(expected)


# The estimator and its learner


def test_there_is_an_estimator_for_every_learner():
    names = [f"{name}Regressor" for name in ("Tabular", *ESTIMATORS)]
    assert nystream.sklearn.__all__ == sorted(["Forecaster", *names])


def test_defaults_are_those_of_the_learner(name):
    expected = default_params(name)
    expected.pop("n_targets", None)  # the labels tell
    if name in OTHER_NAMES:
        old, new = OTHER_NAMES[name]
        expected[new] = expected.pop(old)
    if "use_past" in expected:
        expected["use_past"] = False  # predictions are to depend on the row alone
    if "bound" in expected:
        expected["bound"] = None
    if "kernel" in expected:
        expected |= KERNEL_DEFAULTS
    assert ESTIMATORS[name]().get_params() == expected


def test_every_parameter_reaches_the_learner(name):
    given = {
        key: 0.75 * value if type(value) is float else value
        for key, value in default_params(name).items()
    }
    given["policy"] = "freeze" if given.get("policy") == "replace" else "replace"
    given["kernel"] = nystream.Matern52(sigma=0.7)
    if name == "Kons":
        given["bound"] = 0.5
    old, new = OTHER_NAMES.get(name, ("", ""))
    model = ESTIMATORS[name]()
    names = {key: new if key == old else key for key in given}
    model.set_params(**{n: given[k] for k, n in names.items() if n in model.get_params()})
    params = model.fit(X, Y).learner_.params
    assert params == {key: given[key] for key in params}


def test_weights_are_in_the_signature_of_those_that_take_them(name):
    model = settled(name).fit(X, Y)
    for method in (model.fit, model.partial_fit):
        has_weights = "sample_weight" in inspect.signature(method).parameters
        assert has_weights == model.learner_.takes_weights


def test_the_estimator_predicts_as_its_learner(name):
    model = settled(name).fit(X, Y)
    learner = type(model.learner_)(**model.learner_.params)
    learner.learn_many(X, Y)
    assert np.array_equal(model.predict(X), learner.predict_many(X))


def test_fit_starts_afresh_and_partial_fit_goes_on(name):
    model = ESTIMATORS[name]().fit(-X, 3 * Y).fit(X, Y)
    fresh = ESTIMATORS[name]().partial_fit(X, Y)
    assert np.array_equal(model.predict(X), fresh.predict(X))
    assert model.partial_fit(X, Y).learner_.n_seen == 2 * len(Y)


def test_pieces_give_what_the_whole_gives(name):
    model = settled(name)
    for rows in np.split(np.arange(len(Y)), [1, 40, 41]):
        model.partial_fit(X[rows], Y[rows])
    whole = settled(name).fit(X, Y).predict(X)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("store", STORES)
def test_a_stored_estimator_goes_on_equally(name, store, tmp_path):
    model = ESTIMATORS[name]().fit(X[:60], Y[:60])
    copy = store(model, tmp_path / "model")
    assert vars(copy).keys() == vars(model).keys()
    expected = model.partial_fit(X[60:], Y[60:]).predict(X)
    assert np.array_equal(copy.partial_fit(X[60:], Y[60:]).predict(X), expected)


@pytest.mark.parametrize("store", STORES)
def test_a_stored_estimator_keeps_its_kernel(store, tmp_path):
    bare = RidgeAldRegressor(kernel=nystream.Polynomial(2, coef0=0.5, normalize=True))
    for model in (bare, clone(bare).fit(X, Y)):
        copy = store(model, tmp_path / "model")
        assert copy.get_params() == model.get_params()
        assert vars(copy).keys() == vars(model).keys()


class OwnKernel(nystream.Gaussian):
    """A kernel with attributes of its own."""

    def __new__(cls):
        return super().__new__(cls, 3.0)


def test_a_kernel_of_ones_own_class_stays_one():
    kernel = OwnKernel()
    kernel.unit = "m"
    copy = by_pickle(RidgeAldRegressor(kernel=kernel).fit(X, Y), None)
    assert type(copy.kernel) is OwnKernel
    assert (copy.kernel.unit, copy.kernel_) == ("m", nystream.Gaussian(3.0))


def test_single_precision_is_read_as_it_is():
    model = RidgeAldRegressor(sigma=1.0).fit(X.astype(np.float32), Y)
    expected = RidgeAldRegressor(sigma=1.0).fit(X.astype(np.float32).astype(np.float64), Y)
    assert np.array_equal(model.predict(X), expected.predict(X))


@pytest.mark.parametrize("random_state", [7, np.int64(7), np.random.RandomState(7), None])
def test_random_states_of_every_kind(random_state):
    model = FogdRegressor(n_frequencies=5, random_state=random_state).fit(X, Y)
    if isinstance(random_state, (int, np.integer)):
        assert model.learner_.params["random_state"] == 7
    again = FogdRegressor(n_frequencies=5, random_state=random_state).fit(X, Y)
    drawn = random_state is None or isinstance(random_state, np.random.RandomState)
    assert np.array_equal(model.predict(X), again.predict(X)) != drawn


def test_repr_shows_what_was_changed():
    model = ConKonsRegressor(kernel=nystream.Laplacian(2.0), kors_mu=3.0)
    assert repr(model) == "ConKonsRegressor(kernel=Laplacian(sigma=2.0), kors_mu=3.0)"
    assert "ConKonsRegressor" in model._repr_html_()
    assert clone(model).get_params() == model.get_params()


# What is refused


def test_kernels_have_the_names_of_scikit_learn():
    theirs = {"rbf", "laplacian", "poly", "linear"}
    assert theirs | {"matern32", "matern52", "rational_quadratic"} <= _kernels.NAMES.keys()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"kernel": "gaussian"},
            f"kernel should be one of {', '.join(map(repr, _kernels.NAMES))} or a nystream.Kernel, "
            "but is 'gaussian'",
        ),
        ({"kernel": None}, "or a nystream.Kernel, but is None"),
        ({"gamma": -1}, "gamma should be 'median', 'scale' or a positive number, but is -1"),
        ({"gamma": 0.0}, "gamma should be 'median', 'scale' or a positive number, but is 0.0"),
        ({"gamma": "auto"}, "or a positive number, but is 'auto'"),
        ({"gamma": True}, "or a positive number, but is True"),
        ({"gamma": math.nan}, "or a positive number, but is nan"),
        ({"gamma": None}, "or a positive number, but is None"),
        (
            {"gamma": 0.5, "sigma": 1.0},
            "gamma and sigma should not both be given, but are 0.5 and 1.0",
        ),
        ({"gamma": "scale", "sigma": 1.0}, "but are 'scale' and 1.0"),
        ({"sigma": -1.0}, "sigma should be positive and finite"),
        (
            {"kernel": "poly", "sigma": 1.0},
            "sigma should be None with the kernel 'poly', but is 1.0",
        ),
        ({"kernel": nystream.Linear(), "sigma": 1.0}, "with the kernel Linear(), but is 1.0"),
        ({"alpha": 2.0}, "alpha should be"),
    ],
)
def test_parameters_are_refused_in_fit(params, message):
    model = RidgeAldRegressor(**params)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (with_value(X, math.nan), Y, "Input X contains NaN"),
        (with_value(X, math.inf), Y, "Input X contains infinity"),
        (X, with_value(Y, math.nan), "Input y contains NaN"),
        (X, with_value(Y, -math.inf), "Input y contains infinity"),
        (X, COLUMNS, "y should have as many targets as before, 1, but has 3"),
        (X[:, :2], Y, "X has 2 features, but RidgeAldRegressor is expecting 3"),
    ],
)
def test_a_refused_call_changes_nothing(rows, labels, message):
    model = RidgeAldRegressor(sigma=1.0).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.partial_fit(rows, labels)
    assert np.array_equal(model.predict(X), before)
    assert model.learner_.n_seen == len(Y)


def test_nothing_is_predicted_before_fit(name):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ESTIMATORS[name]().predict(X)


def test_without_scikit_learn_the_error_says_what_to_install():
    script = "import sys; sys.modules['sklearn'] = None; import nystream.sklearn"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 1
    assert (
        "ImportError: nystream.sklearn needs scikit-learn 1.6 or newer: "
        "pip install 'nystream[sklearn]'" in run.stderr
    )


# Without tuning


def test_experts_are_those_of_the_learner():
    model = AutoRegressor()
    assert not hasattr(model, "experts_")
    assert model.fit(X, Y).experts_ == model.learner_.experts
    assert len(model.experts_) > 10


def test_no_scaler_is_needed():
    scales, centres = np.array([1e-3, 1.0, 1e6]), np.array([5.0, 0.0, -1e7])
    plain, scaled = AutoRegressor().fit(X, Y), AutoRegressor().fit(centres + X * scales, 1e3 * Y)
    predictions = scaled.predict(centres + X * scales)
    np.testing.assert_allclose(predictions, 1e3 * plain.predict(X), rtol=1e-6)


def test_weights_reach_the_experts():
    weights = weighted()[0]
    model = AutoRegressor().fit(X, Y, sample_weight=weights)
    learner = nystream.Auto(use_past=False)
    learner.learn_many(X, Y, sample_weight=weights)
    assert np.array_equal(model.predict(X), learner.predict_many(X))
    assert not np.array_equal(model.predict(X), AutoRegressor().fit(X, Y).predict(X))


# In company


@pytest.mark.slow
def test_a_grid_search_in_two_processes():
    grid = {"gamma": [0.01, 0.5], "alpha": [1e-3, 1e-1]}
    search = GridSearchCV(RidgeAldRegressor(), grid, cv=3, n_jobs=2, error_score="raise").fit(X, Y)
    alone = clone(search).set_params(n_jobs=1).fit(X, Y)
    scores = search.cv_results_["mean_test_score"]
    assert np.array_equal(scores, alone.cv_results_["mean_test_score"])
    assert search.best_params_["gamma"] == 0.5
    assert search.predict(X).shape == Y.shape


def test_a_transformed_target():
    model = TransformedTargetRegressor(NonsAldRegressor(), transformer=StandardScaler())
    assert model.fit(X, 100 + 5 * Y).score(X, 100 + 5 * Y) > 0.5


def test_cross_validation():
    scores = cross_val_score(RidgeAldRegressor(gamma="median"), X, Y, cv=3)
    assert scores.shape == (3,)
    assert scores.min() > 0.8


def test_a_pipeline_passes_names_on():
    pandas = pytest.importorskip("pandas", reason="frames of pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, RidgeAldRegressor()).fit(frame, Y)
    assert list(pipeline[-1].feature_names_in_) == ["a", "b", "c"]
    plain = make_pipeline(StandardScaler(), RidgeAldRegressor()).fit(X, Y)
    np.testing.assert_allclose(pipeline.predict(frame), plain.predict(X), rtol=1e-9)


@pytest.mark.parametrize(("library", "version"), [("pandas", "1.6"), ("polars", "1.9")])
def test_data_frames(library, version):
    pytest.importorskip("sklearn", minversion=version, reason=f"reads the names of {library}")
    library = pytest.importorskip(library, reason=f"frames of {library}")
    frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    model = RidgeAldRegressor().fit(frame, library.Series(Y))
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    np.testing.assert_allclose(
        model.predict(frame), RidgeAldRegressor().fit(X, Y).predict(X), rtol=1e-9
    )
    for call in (lambda other: model.partial_fit(other, Y), model.predict_interval):
        with pytest.raises(ValueError, match="feature names should match"):
            call(frame[["b", "a", "c"]])
