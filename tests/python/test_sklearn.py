"""The estimators keep scikit-learn's rules and are the learners behind them."""

from __future__ import annotations

import inspect
import math
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from support import random_stream

import nystream
from nystream._core import default_params

pytest.importorskip("sklearn", minversion="1.6", reason="nystream.sklearn needs scikit-learn")

import joblib
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import nystream.sklearn
from nystream.sklearn import (
    AogdAldRegressor,
    AutoRegressor,
    ConKonsRegressor,
    FogdRegressor,
    KaarRegressor,
    KogdRegressor,
    KonsRegressor,
    KrlsAldRegressor,
    LinearRlsRegressor,
    NonsAldRegressor,
    OnlineKrrRegressor,
    RidgeAldRegressor,
    RunningMeanRegressor,
    SketchedKonsRegressor,
    _kernels,
)

X, Y = random_stream(120, 3)
ESTIMATORS = {name: getattr(nystream.sklearn, f"{name}Regressor") for name in nystream.algorithms()}
# Estimators call the width `gamma`: parameters of this name get another one.
OTHER_NAMES = {
    "SketchedKons": ("gamma", "min_probability"),
    "ProsNKons": ("gamma", "kors_mu"),
    "ConKons": ("gamma", "kors_mu"),
}
KERNEL_DEFAULTS = {"kernel": "rbf", "gamma": "median", "sigma": None, "degree": 3, "coef0": 1.0}
# They learn several labels of a row at once.
SEVERAL = [name for name in ESTIMATORS if "n_targets" in default_params(name)]
COLUMNS = np.column_stack([Y, 1 - 2 * Y, X[:, 0] ** 2])
# As with scikit-learn's own SGDRegressor: rows are learned in order, and the check shuffles them.
EXPECTED_FAILURES = {
    "Auto": {
        "check_sample_weight_equivalence_on_dense_data": "its experts are compared row after row"
    }
}


@pytest.fixture(params=ESTIMATORS)
def name(request):
    return request.param


def settled(name):
    """An estimator in which nothing depends on the first rows."""
    model = ESTIMATORS[name]()
    given = {"sigma": 1.0, "bound": 1.0}
    return model.set_params(**{k: v for k, v in given.items() if k in model.get_params()})


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
    assert nystream.sklearn.__all__ == sorted(f"{name}Regressor" for name in ESTIMATORS)


def test_defaults_are_those_of_the_learner(name):
    expected = default_params(name)
    expected.pop("n_targets", None)  # the labels tell
    if name in OTHER_NAMES:
        old, new = OTHER_NAMES[name]
        expected[new] = expected.pop(old)
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


def by_pickle(model, _path):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model, path):
    joblib.dump(model, path)
    return joblib.load(path)


def by_skops(model, path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    skops.dump(model, path)
    assert skops.get_untrusted_types(file=path) == [f"nystream.sklearn.{type(model).__name__}"]
    return skops.load(path, trusted=skops.get_untrusted_types(file=path))


STORES = [by_pickle, by_joblib, by_skops]


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


# The kernel


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, lambda Z: rbf_kernel(Z, gamma=0.7)),
        ({"kernel": "laplacian"}, lambda Z: laplacian_kernel(Z, gamma=0.7)),
        (
            {"kernel": "poly", "degree": 2, "coef0": 0.5},
            lambda Z: polynomial_kernel(Z, degree=2, gamma=0.7, coef0=0.5),
        ),
        ({"kernel": "linear"}, lambda Z: Z @ Z.T),
        ({"kernel": "matern32"}, nystream.Matern32(1 / math.sqrt(1.4))),
        ({"kernel": "matern52"}, nystream.Matern52(1 / math.sqrt(1.4))),
        ({"kernel": "rational_quadratic"}, nystream.RationalQuadratic(1 / math.sqrt(1.4))),
        ({"kernel": nystream.Gaussian(3.0)}, nystream.Gaussian(3.0)),
    ],
)
def test_what_gamma_means_for_each_kernel(params, expected):
    model = RidgeAldRegressor(gamma=0.7, ridge=1.0, **params).fit(X, Y)
    np.testing.assert_allclose(model.kernel_(X), expected(X), rtol=1e-12)
    assert model.learner_.params["kernel"] == model.kernel_


def test_every_kernel_has_a_name():
    classes = {type(RidgeAldRegressor(kernel=k).fit(X, Y).kernel_).__name__ for k in _kernels.NAMES}
    assert classes == set(nystream.kernels())


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "matern32"])
def test_sigma_is_the_width_itself(kernel):
    assert RidgeAldRegressor(kernel=kernel, sigma=0.3).fit(X, Y).kernel_.params["sigma"] == 0.3


def gamma_of(X, kernel="poly", y=None, **params):
    model = RidgeAldRegressor(kernel=kernel, alpha=1.0, max_basis=1, **params)
    model.fit(X, np.zeros(len(X)) if y is None else y)
    return model.kernel_.params["gamma"]


def test_scale_is_that_of_scikit_learn():
    assert gamma_of(X, gamma="scale") == pytest.approx(1 / (3 * X.var()), rel=1e-12)


def distances(Z, order):
    table = np.linalg.norm(Z[:, None] - Z, ord=order, axis=2)
    return table[np.triu_indices(len(Z), 1)]


def test_median_is_a_width_of_the_median_distance():
    model = RidgeAldRegressor(gamma="median").fit(X, Y)
    assert model.kernel_.params["sigma"] == pytest.approx(np.median(distances(X, 2)), rel=1e-3)
    assert gamma_of(X, gamma="median") == pytest.approx(0.5 / model.kernel_.params["sigma"] ** 2)
    model = RidgeAldRegressor(kernel="laplacian", gamma="median").fit(X, Y)
    assert model.kernel_.params["sigma"] == pytest.approx(np.median(distances(X, 1)), rel=1e-3)


def test_the_median_of_many_rows_is_that_of_a_sample():
    Z = np.sort(np.random.default_rng(0).uniform(size=(2000, 1)), axis=0)  # a sorted stream
    exact = np.median(distances(Z[::4], 2))
    sigma = RidgeAldRegressor(gamma="median").fit(Z, Z[:, 0]).kernel_.params["sigma"]
    assert sigma == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("gamma", ["scale", "median"])
@pytest.mark.parametrize("Z", [[[1.0, 2.0]], [[1.0, 2.0]] * 3])
def test_rows_that_are_all_the_same_have_a_gamma_of_one(gamma, Z):
    assert gamma_of(np.array(Z), gamma=gamma) == 1.0


def test_duplicates_do_not_make_the_median_zero():
    Z = np.array([[0.0]] * 10 + [[2.0]])
    assert RidgeAldRegressor(gamma="median").fit(Z, Z[:, 0]).kernel_.params["sigma"] == 2.0


def test_the_first_rows_settle_the_kernel():
    model = RidgeAldRegressor().partial_fit(X[:50], Y[:50])
    kernel = model.kernel_
    assert kernel == RidgeAldRegressor().fit(X[:50], Y[:50]).kernel_
    assert model.partial_fit(10 * X, Y).kernel_ == kernel
    assert model.set_params(gamma=5.0).partial_fit(X, Y).kernel_ == kernel
    assert model.fit(X, Y).kernel_ != kernel


# Bounds


@pytest.mark.parametrize(
    ("estimator", "factor"),
    [
        (NonsAldRegressor, 1),
        (SketchedKonsRegressor, 1),
        (KonsRegressor, 1),
        (AogdAldRegressor, 2),
        (KogdRegressor, 2),
    ],
)
def test_the_first_labels_settle_the_bound(estimator, factor):
    model = estimator().fit(X, -3 * Y)
    assert model.learner_.params["bound"] == factor * 3 * Y.max()
    assert model.partial_fit(X, 9 * Y).learner_.params["bound"] == factor * 3 * Y.max()
    assert estimator().fit(X, 0 * Y).learner_.params["bound"] == factor
    assert estimator(bound=0.1).fit(X, Y).learner_.params["bound"] == 0.1
    labels = np.array([-128, 5], dtype=np.int8)
    assert estimator().fit(X[:2], labels).learner_.params["bound"] == factor * 128


def test_an_infinite_bound_is_none():
    model = KonsRegressor(bound=math.inf).fit(X, Y)
    assert model.learner_.params["bound"] is None


# Weights


def weighted(seed=0):
    weights = np.random.default_rng(seed).integers(0, 4, len(Y))
    return weights.astype(np.float64), X.repeat(weights, axis=0), Y.repeat(weights)


@pytest.mark.parametrize(
    "model",
    [
        RidgeAldRegressor(gamma="scale", kernel="matern32"),
        RidgeAldRegressor(gamma="median"),
        RidgeAldRegressor(gamma="median", kernel="laplacian"),
        KrlsAldRegressor(gamma="median", alpha=1e-2),
        OnlineKrrRegressor(gamma="median"),
        KaarRegressor(),
        LinearRlsRegressor(),
        RunningMeanRegressor(),
    ],
    ids=str,
)
def test_a_weight_is_so_many_copies_of_the_row(model):
    weights, rows, labels = weighted()
    model = clone(model).fit(X, Y, sample_weight=weights)
    copies = clone(model).fit(rows, labels)
    np.testing.assert_allclose(model.predict(X), copies.predict(X), rtol=1e-6)
    if hasattr(model, "kernel_"):
        expected = copies.kernel_.params["sigma"]
        assert model.kernel_.params["sigma"] == pytest.approx(expected, rel=1e-12)


def test_the_median_counts_weights_in_a_sample_too():
    Z = np.random.default_rng(0).normal(size=(1200, 2))
    weights = np.arange(1200) % 3
    model = RidgeAldRegressor(gamma="median", alpha=0.1)
    sigma = model.fit(Z, Z[:, 0], sample_weight=weights).kernel_.params["sigma"]
    copies = Z.repeat(weights, axis=0)
    assert model.fit(copies, copies[:, 0]).kernel_.params["sigma"] == sigma


def test_rows_of_weight_zero_are_as_if_absent():
    far = np.vstack([X, 1e6 * np.ones((1, 3))])
    labels, weights = np.append(Y, 1e6), np.append(np.ones(len(Y)), 0.0)
    for gamma in ("scale", "median"):
        model = RidgeAldRegressor(gamma=gamma).fit(far, labels, sample_weight=weights)
        expected = RidgeAldRegressor(gamma=gamma).fit(X, Y, sample_weight=np.ones(len(Y)))
        assert model.kernel_ == expected.kernel_
        assert np.array_equal(model.predict(X), expected.predict(X))
    before = model.predict(X)
    model.partial_fit(X, Y + 1, sample_weight=np.zeros(len(Y)))
    assert np.array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "sample_weight should have the shape (120,), but has the shape (3,)"),
        (np.ones((120, 1)), "sample_weight should have the shape (120,), but has the shape"),
        (-np.ones(120), "sample_weight should be 0 or more, but holds -1.0"),
        (np.zeros(120), "sample_weight should be positive for at least one row, but is zero"),
        (np.full(120, math.nan), "Input sample_weight contains NaN"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        RidgeAldRegressor().fit(X, Y, sample_weight=weights)


def test_weights_are_routed_to_the_estimator():
    weights = weighted()[0]
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = RidgeAldRegressor(sigma=1.0).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, model).fit(X, Y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    expected = RidgeAldRegressor(sigma=1.0).fit(scaled, Y, sample_weight=weights)
    assert np.array_equal(pipeline.predict(X), expected.predict(scaled))


# What is refused


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"kernel": "gaussian"},
            "kernel should be one of 'rbf', 'laplacian', 'matern32', 'matern52', "
            "'rational_quadratic', 'poly', 'linear' or a nystream.Kernel, but is 'gaussian'",
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


def with_value(array, value):
    changed = array.copy()
    changed.flat[1] = value
    return changed


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


# Several targets


@pytest.fixture(params=SEVERAL)
def several(request):
    return request.param


def test_the_tag_says_who_takes_several_targets(name):
    assert get_tags(ESTIMATORS[name]()).target_tags.multi_output == (name in SEVERAL)


def test_targets_are_those_of_the_learner(several):
    model = ESTIMATORS[several]().fit(X, COLUMNS)
    learner = type(model.learner_)(**model.learner_.params)
    learner.learn_many(X, COLUMNS)
    assert learner.n_targets == 3
    assert np.array_equal(model.predict(X), learner.predict_many(X))
    assert np.array_equal(model.predict_interval(X), learner.predict_interval(X))
    assert model.score(X, COLUMNS) > 0


@pytest.mark.parametrize("estimator", [RidgeAldRegressor, LinearRlsRegressor])
def test_targets_do_not_know_of_each_other(estimator):
    weights = weighted()[0]
    predictions = estimator().fit(X, COLUMNS, sample_weight=weights).predict(X)
    for labels, column in zip(COLUMNS.T, predictions.T, strict=True):
        alone = estimator().fit(X, labels, sample_weight=weights)
        np.testing.assert_allclose(column, alone.predict(X), rtol=1e-9)


def test_a_column_of_labels_gives_a_column_of_predictions(several):
    column, plain = (ESTIMATORS[several]().fit(X, y) for y in (Y[:, None], Y))
    assert np.array_equal(column.predict(X), plain.predict(X)[:, None])
    assert np.array_equal(column.predict_interval(X), plain.predict_interval(X)[:, None])
    # Whichever comes later: the labels of `fit` have settled it.
    column.partial_fit(X, Y)
    plain.partial_fit(X, Y[:, None])
    assert np.array_equal(column.predict(X), plain.predict(X)[:, None])


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in SEVERAL])
def test_one_target_alone(name):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = settled(name).fit(X, Y[:, None])
    assert np.array_equal(model.predict(X), settled(name).fit(X, Y).predict(X))
    with pytest.raises(ValueError, match=re.escape("y should be a 1d array, got an array of")):
        model.partial_fit(X, COLUMNS)


def test_the_number_of_targets_stays_until_the_next_fit(several):
    model = ESTIMATORS[several]().fit(X, COLUMNS)
    before = model.predict(X)
    for labels, found in ((Y, 1), (Y[:, None], 1), (COLUMNS[:, :2], 2)):
        message = f"y should have as many targets as before, 3, but has {found}"
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X, labels)
    assert np.array_equal(model.predict(X), before)
    assert model.partial_fit(X, COLUMNS).learner_.n_seen == 2 * len(Y)
    assert model.fit(X, COLUMNS[:, :2]).predict(X).shape == (len(Y), 2)
    assert model.fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("labels", [COLUMNS, Y[:, None]], ids=["columns", "column"])
@pytest.mark.parametrize("store", STORES)
def test_a_stored_estimator_keeps_its_targets(labels, store, tmp_path):
    model = LinearRlsRegressor().fit(X, labels)
    copy = store(model, tmp_path / "model")
    assert np.array_equal(copy.predict(X), model.predict(X))
    expected = model.partial_fit(X, labels).predict_interval(X)
    assert np.array_equal(copy.partial_fit(X, labels).predict_interval(X), expected)


def test_columns_of_labels_in_frames_and_transformers():
    pandas = pytest.importorskip("pandas", reason="frames of pandas")
    frame = pandas.DataFrame(COLUMNS, columns=["one", "two", "three"])
    model = RidgeAldRegressor().fit(X, frame)
    assert np.array_equal(model.predict(X), RidgeAldRegressor().fit(X, COLUMNS).predict(X))
    scaled = TransformedTargetRegressor(model, transformer=StandardScaler()).fit(X, 100 * frame)
    assert scaled.score(X, 100 * frame) > 0.9


def test_sparse_labels_are_refused(several):
    with pytest.raises(TypeError, match="Sparse data was passed for y"):
        ESTIMATORS[several]().fit(X, csr_array(COLUMNS))


# Intervals


def test_intervals_are_those_of_the_learner(name):
    model = settled(name).fit(X, Y)
    assert hasattr(model, "predict_interval") == model.learner_.has_intervals
    if model.learner_.has_intervals:
        for level in (0.5, 0.9):
            expected = model.learner_.predict_interval(X, level)
            assert expected.shape == (len(Y), 2)
            assert np.array_equal(model.predict_interval(X, level), expected)
        assert np.array_equal(model.predict_interval(X), expected)


def test_intervals_hold_the_part_of_labels_that_was_asked_for():
    X, y = nystream.datasets.friedman(2500)
    model = AutoRegressor().fit(X[:1000], y[:1000])
    for level in (0.5, 0.9):
        low, high = model.predict_interval(X[1000:], level).T
        assert ((low < y[1000:]) & (y[1000:] < high)).mean() == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize(
    ("rows", "level", "message"),
    [
        (X, 1.0, "level should be more than 0 and less than 1, but is 1"),
        (X[:, :2], 0.9, "X has 2 features, but RidgeAldRegressor is expecting 3"),
        (with_value(X, math.nan), 0.9, "Input X contains NaN"),
        (X[0], 0.9, "Expected 2D array, got 1D array instead"),
    ],
)
def test_intervals_that_are_refused(rows, level, message):
    model = RidgeAldRegressor(sigma=1.0)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict_interval(X)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(X, Y).predict_interval(rows, level)


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
    learner = nystream.Auto()
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
