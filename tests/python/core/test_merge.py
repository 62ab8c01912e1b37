"""Models of parts of a stream as one model: nearly the model of the whole stream."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
import reference
from support import paper_set, random_stream

import nystream
from nystream import RidgeAld

KERNEL = nystream.Gaussian(1.5)


def parts_of(n_rows, n_shards):
    """The rows of each shard: every so many."""
    return [slice(i, n_rows, n_shards) for i in range(n_shards)]


def shards(make, X, y, n_shards, weights=None):
    """Models that have each learned a part of the rows."""
    models = [make() for _ in range(n_shards)]
    for model, part in zip(models, parts_of(len(X), n_shards), strict=True):
        model.learn_many(X[part], y[part], None if weights is None else weights[part])
    return models


# Against the literal version


def judge_merge(X, y, n_shards, kernel=KERNEL, weights=None, tolerance=1e-8, **params):
    """Product and literal version learn half of the rows in shards, merge, and go on.

    Both solve least squares through roots, but the product by updates of the inverse and the
    literal version by QR decompositions: what they differ by grows with the condition of A, 1e7
    here.
    """
    half = len(X) // 2
    literal = reference.kernel_like(kernel)

    def make():
        return RidgeAld(kernel, n_targets=1 if y.ndim == 1 else y.shape[1], **params)

    ends = [
        reference.ridge_ald(
            X[:half][part],
            y[:half][part],
            literal,
            weights=None if weights is None else weights[:half][part],
            **params,
        ).end
        for part in parts_of(half, n_shards)
    ]
    cap = params.get("max_basis")
    start = reference.merge_ridge_ald(ends, literal, alpha=params["alpha"], max_basis=cap)
    model = RidgeAld.merge(
        shards(make, X[:half], y[:half], n_shards, None if weights is None else weights[:half])
    )
    np.testing.assert_array_equal(model.basis, start[0].X[start[0].S])
    assert model.n_seen == half
    run = reference.ridge_ald(X[half:], y[half:], literal, start=start, **params)
    found = model.progressive(X[half:], y[half:])
    np.testing.assert_allclose(found, run.predictions, tolerance, tolerance)
    np.testing.assert_array_equal(model.basis, run.end[0].X[run.basis])
    return model


@pytest.mark.parametrize("n_shards", [2, 5])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ridge": 1e-4},
        {"forward": True},
        {"max_basis": 12},
        {"max_basis": 12, "policy": "replace"},
        {"forgetting": 0.9},
        {"forgetting": 0.99, "forward": True, "max_basis": 12},
    ],
    ids=str,
)
def test_random_data(params, n_shards):
    X, y = random_stream(400, 3)
    judge_merge(X, y, n_shards, alpha=0.01, **{"ridge": 0.01, **params})


def test_weights_and_several_targets():
    X, y = random_stream(300, 3)
    weights = np.random.default_rng(1).exponential(size=300)
    Y = np.column_stack([y, np.cos(y), X[:, 0]])
    judge_merge(X, Y, 3, weights=weights, alpha=0.01, ridge=0.01, forgetting=0.98)


@pytest.mark.parametrize(
    ("kernel", "alpha"), [(nystream.Laplacian(3.0), 0.3), (nystream.Polynomial(3), 0.01)], ids=str
)
def test_other_kernels(kernel, alpha):
    X, y = random_stream(300, 2)
    judge_merge(X, y, 2, kernel, alpha=alpha, ridge=0.1)


@pytest.mark.parametrize(("name", "n_shards"), [("elevators", 2), ("calhousing", 5)])
def test_the_first_rows_of_real_data(name, n_shards):
    X, y, sigma = paper_set(name)
    kernel = nystream.Gaussian(sigma)
    judge_merge(X[:1000], y[:1000], n_shards, kernel, alpha=1e-3, ridge=1e-2)


# Beside one model that has learned everything


def mean_squares(model, X, y):
    """Of rows that are not learned, and of the same rows as they are."""
    still = ((model.predict_many(X) - y) ** 2).mean()
    return np.array([still, ((model.progressive(X, y) - y) ** 2).mean()])


@pytest.mark.parametrize("n_shards", [2, 5])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("ailerons", {}),
        ("bank", {"max_basis": 100}),
        ("calhousing", {"alpha": 1e-4, "max_basis": 50}),
        ("cpusmall", {"alpha": 1e-4}),
        ("cpusmall", {"alpha": 1e-4, "max_basis": 50}),
        ("elevators", {}),
        ("elevators", {"alpha": 1e-4, "max_basis": 50, "policy": "replace"}),
        ("parkinson", {}),
        ("tomshardware", {"alpha": 1e-4, "max_basis": 150}),
    ],
    ids=str,
)
@pytest.mark.slow
def test_shards_predict_within_2_percent_of_the_whole(name, params, n_shards):
    """In the mean of three orders: in another order, one model alone differs by a percent."""
    X, y, sigma = paper_set(name)
    X, y = X[:8000], y[:8000]
    n_learned = len(X) * 3 // 4

    def make():
        return RidgeAld(nystream.Gaussian(sigma), **params)

    merged, expected = np.zeros(2), np.zeros(2)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        learned, after = order[:n_learned], order[n_learned:]
        whole = make()
        whole.learn_many(X[learned], y[learned])
        model = RidgeAld.merge(shards(make, X[learned], y[learned], n_shards))
        assert model.n_basis < 1.2 * whole.n_basis
        if "max_basis" in params:
            assert model.n_basis == whole.n_basis == params["max_basis"]
        merged += mean_squares(model, X[after], y[after])
        expected += mean_squares(whole, X[after], y[after])
    assert (merged < 1.02 * expected).all(), merged / expected


def test_two_models_remember_twice_as_many_rows_as_one():
    """The labels change half-way, and rows fade by how many their own model has seen since."""
    X, y = random_stream(2000, 2)
    y[:1000] = 1 - y[:1000]
    merged = RidgeAld.merge(shards(lambda: RidgeAld(KERNEL, alpha=1e-4, forgetting=0.99), X, y, 2))
    age = np.arange(2000)[::-1]
    side_by_side, in_one_line = (RidgeAld(KERNEL, alpha=1e-4) for _ in range(2))
    side_by_side.learn_many(X, y, 0.99 ** (age // 2))
    in_one_line.learn_many(X, y, 0.99**age)
    found = merged.predict_many(X)
    assert np.abs(found - side_by_side.predict_many(X)).max() < 0.003
    assert np.abs(found - in_one_line.predict_many(X)).max() > 0.03


# What can be told by hand


def line_of(n_rows):
    """Rows whose features are their coordinates, so that all dictionaries span the same space."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows, 3))
    return X, X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=n_rows)


def linear(**params):
    return RidgeAld(nystream.Linear(), **params)


def assert_same(model, expected, X, atol=1e-9):
    for level in (0.5, 0.9):
        found, wanted = (m.predict_interval(X, level).mean(-1) for m in (model, expected))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)
    np.testing.assert_allclose(model.predict_many(X), expected.predict_many(X), rtol=0, atol=atol)


@pytest.mark.parametrize("n_shards", [2, 5])
@pytest.mark.parametrize("params", [{}, {"forward": True}, {"clip": True}, {"ridge": 1e-6}])
def test_models_of_one_span_are_merged_into_the_one_of_all_rows(params, n_shards):
    X, y = line_of(500)
    whole = linear(**params)
    whole.learn_many(X[:400], y[:400])
    model = RidgeAld.merge(shards(lambda: linear(**params), X[:400], y[:400], n_shards))
    assert_same(model, whole, X)
    found, expected = (m.progressive(X[400:], y[400:]) for m in (model, whole))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_it_does_not_matter_who_is_merged_first():
    X, y = line_of(300)
    a, b, c = shards(linear, X, y, 3)
    at_once = RidgeAld.merge([a, b, c])
    assert_same(RidgeAld.merge([RidgeAld.merge([a, b]), c]), at_once, X)
    assert_same(RidgeAld.merge(model for model in (c, b, a)), at_once, X)


def test_a_model_twice_counts_twice():
    X, y = line_of(100)
    once, twice = linear(), linear()
    once.learn_many(X, y)
    twice.learn_many(X, y, np.full(100, 2.0))
    assert_same(RidgeAld.merge([once, once]), twice, X)


def test_regions_share_the_dictionary():
    """Each shard knows a region that the other has never seen."""
    X, y = random_stream(2000, 2)
    X[1::2] += 10
    params = {"alpha": 1e-4, "max_basis": 40}
    models = shards(lambda: RidgeAld(nystream.Gaussian(1.0), **params), X, y, 2)
    merged = RidgeAld.merge(models)
    assert 10 < (merged.basis[:, 0] > 5).sum() < 30
    own = [((m.predict_many(X[i::2]) - y[i::2]) ** 2).mean() for i, m in enumerate(models)]
    both = [((merged.predict_many(X[i::2]) - y[i::2]) ** 2).mean() for i in range(2)]
    assert np.all(np.array(both) < 1.1 * np.array(own))


# The model that comes out


@pytest.fixture
def models():
    X, y = random_stream(6000, 3)
    return shards(lambda: RidgeAld(KERNEL, alpha=0.01, clip=True), X, y, 2)


def test_one_model_and_empty_ones_are_that_model_to_the_last_bit(models):
    one, empty = models[0], RidgeAld(**models[0].params)
    for all_of_them in ([one], [empty, one], (one, empty, empty)):
        merged = RidgeAld.merge(all_of_them)
        assert merged is not one
        assert merged.to_bytes() == one.to_bytes()
    assert RidgeAld.merge([empty, empty]).to_bytes() == empty.to_bytes()


def test_the_models_stay_as_they_are(models):
    before = [model.to_bytes() for model in models]
    merged = RidgeAld.merge(models)
    merged.learn_many(*random_stream(100, 3, seed=1))
    assert [model.to_bytes() for model in models] == before


def test_it_is_a_model_like_any_other(models):
    X, y = random_stream(500, 3, seed=2)
    merged = RidgeAld.merge(models)
    assert (merged.n_seen, merged.n_features) == (6000, 3)
    assert merged.params == models[0].params
    for again in (RidgeAld.from_bytes(merged.to_bytes()), pickle.loads(pickle.dumps(merged))):
        np.testing.assert_array_equal(again.basis, merged.basis)
        expected = copy.deepcopy(merged).progressive(X, y)
        np.testing.assert_array_equal(again.progressive(X, y), expected)
    np.testing.assert_array_equal(merged.scorer().predict_many(X), merged.predict_many(X))


def test_predictions_stay_within_the_labels_of_all():
    models = [linear(clip=True) for _ in range(2)]
    models[0].learn_many([[0.0], [1.0]], [0.0, 1.0])
    models[1].learn_many([[2.0], [3.0]], [2.0, 3.0])
    merged = RidgeAld.merge(models)
    assert merged.predict_many([[-9.0], [9.0]]).tolist() == [0.0, 3.0]


def test_intervals_hold_as_many_labels_as_they_should(models):
    X, y = random_stream(2000, 3, seed=1)
    low, high = RidgeAld.merge(models).predict_interval(X, 0.9).T
    assert 0.87 < ((low < y) & (y < high)).mean() < 0.93


def test_a_subclass_merges_into_its_own(models):
    class Mine(RidgeAld):
        pass

    assert type(Mine.merge(models)) is Mine
    assert type(RidgeAld.merge([Mine(**model.params) for model in models])) is RidgeAld


def test_names_of_features_are_those_of_any():
    polars = pytest.importorskip("polars", reason="not installed: polars")
    models = [RidgeAld() for _ in range(3)]
    models[0].learn_many([[0.0, 1.0]], [1.0])
    models[1].learn_many(polars.DataFrame({"a": [1.0], "b": [0.0]}), [1.0])
    assert RidgeAld.merge(models).feature_names == ["a", "b"]
    models[2].learn_many(polars.DataFrame({"b": [1.0], "a": [0.0]}), [1.0])
    message = (
        'models[2] should have the same feature_names as models[1], ["a", "b"], but has ["b", "a"]'
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        RidgeAld.merge(models)


# What is refused


def seen(model, n_features=3):
    model.learn_one(np.ones(n_features), 1.0)
    return model


BAD = [
    (list, ValueError, "models should have at least one model, but is empty"),
    (lambda: 3, TypeError, "models should be a list of RidgeAld, but is 3"),
    (lambda: None, TypeError, "models should be a list of RidgeAld, but is None"),
    (RidgeAld, TypeError, "models should be a list of RidgeAld, but is RidgeAld("),
    (lambda: [RidgeAld(), "x"], TypeError, "models[1] should be a RidgeAld, but is 'x'"),
    (lambda: {"a": RidgeAld()}, TypeError, "models[0] should be a RidgeAld, but is 'a'"),
    (
        lambda: [RidgeAld(), RidgeAld().scorer()],
        TypeError,
        "models[1] should be a RidgeAld, but is <nystream.Scorer",
    ),
    (
        lambda: [RidgeAld(), nystream.KrlsAld()],
        TypeError,
        "models[1] should be a RidgeAld, but is a KrlsAld",
    ),
    (
        lambda: [nystream.NonsAld()],
        TypeError,
        "models[0] should be a RidgeAld, but is a NonsAld",
    ),
    (
        lambda: [seen(RidgeAld()), RidgeAld(), seen(RidgeAld(), 4)],
        ValueError,
        "models[2] should have the same n_features as models[0], 3, but has 4",
    ),
    *(
        (
            lambda params=params: [RidgeAld(), RidgeAld(**params)],
            ValueError,
            f"models[1] should have the same {next(iter(params))} as models[0], {shown}",
        )
        for params, shown in [
            ({"alpha": 0.5}, "0.001, but has 0.5"),
            ({"ridge": 2.0}, "0.01, but has 2.0"),
            ({"forward": True}, "False, but has True"),
            ({"clip": True}, "False, but has True"),
            ({"max_basis": 9}, "None, but has 9"),
            ({"policy": "replace"}, '"freeze", but has "replace"'),
            ({"forgetting": 0.9}, "1.0, but has 0.9"),
            ({"n_targets": 2}, "1, but has 2"),
            (
                {"kernel": nystream.Matern32(2.0)},
                "Gaussian(sigma=1.0), but has Matern32(sigma=2.0)",
            ),
        ]
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), BAD, ids=[case[2] for case in BAD])
def test_what_cannot_be_merged_is_refused_by_name(make, error, message):
    models = make()
    learners = [m for m in np.ravel(models) if isinstance(m, nystream.Learner)]
    before = [model.to_bytes() for model in learners]
    with pytest.raises(error, match=re.escape(message)):
        RidgeAld.merge(models)
    assert [model.to_bytes() for model in learners] == before
