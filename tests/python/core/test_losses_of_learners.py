"""Learners with a loss: files, scorers, labels that do not fit, what cannot go together."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from support import random_stream

import nystream

KERNEL = nystream.Gaussian(sigma=1.5)
MODELS = [
    nystream.RidgeAld(KERNEL, loss="quantile"),
    nystream.RidgeAld(KERNEL, alpha=0.1, max_basis=9, policy="replace", loss="logistic"),
    nystream.LinearRls(forgetting=0.99, loss=nystream.Huber(delta=0.2)),
    nystream.LinearRls(loss="poisson"),
    nystream.NonsAld(KERNEL, loss="logistic"),
    nystream.AogdAld(KERNEL, loss="poisson", switch_at=5),
    nystream.Nogd(KERNEL, budget=20, loss="logistic"),
    nystream.Fogd(KERNEL, n_frequencies=20, loss="hinge"),
    nystream.Kogd(KERNEL, loss="poisson"),
    nystream.Kons(KERNEL, loss="logistic", bound=2.0),
    nystream.ConKons(KERNEL, loss="squared_hinge"),
]
X, LABELS = random_stream(120, 3)
LABELS = (LABELS > 0.5).astype(float)  # which every loss takes


def fresh(model):
    return type(model)(**model.params)


@pytest.fixture(params=MODELS, ids=repr)
def model(request):
    learned = fresh(request.param)
    learned.learn_many(X[:80], LABELS[:80])
    return learned


def test_it_goes_on_from_its_bytes_and_pickles(model):
    again = nystream.Learner.from_bytes(model.to_bytes())
    assert repr(again) == repr(model)
    assert again.params == model.params
    copy = pickle.loads(pickle.dumps(model))
    expected = model.progressive(X[80:], LABELS[80:])
    for other in (again, copy):
        np.testing.assert_array_equal(other.progressive(X[80:], LABELS[80:]), expected)


def test_its_scorer_predicts_what_it_does_also_from_bytes(model):
    scorer = model.scorer()
    for one in (scorer, nystream.Scorer.from_bytes(scorer.to_bytes())):
        np.testing.assert_array_equal(one.predict_many(X), model.predict_many(X))
    found = [model.predict_one(x) for x in X]
    np.testing.assert_allclose(found, model.predict_many(X), rtol=1e-12, atol=1e-12)


def test_onnx_gives_its_predictions(model, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model.scorer().to_onnx(tmp_path / "model.onnx", dtype="float64")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    found = session.run(None, {"X": X})[0]
    np.testing.assert_allclose(found, model.predict_many(X), rtol=1e-9, atol=1e-9)


def test_labels_that_come_at_once_are_those_of_a_ticket(model):
    other = nystream.Learner.from_bytes(model.to_bytes())
    for x, y in zip(X[80:], LABELS[80:], strict=True):
        model.learn_one(x, y)
        other.answer(other.ask(x), y)
    np.testing.assert_allclose(other.predict_many(X), model.predict_many(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "label", "message"),
    [
        (lambda: nystream.RidgeAld(loss="logistic"), 2.0, "from 0 to 1 for the loss Logistic"),
        (lambda: nystream.Fogd(loss="hinge"), -2.0, "from -1 to 1 for the loss Hinge"),
        (lambda: nystream.LinearRls(loss="poisson"), -1.0, "at least 0 for the loss Poisson"),
    ],
)
def test_a_label_that_the_loss_does_not_take_changes_nothing(make, label, message):
    model = make()
    model.learn_many(X, LABELS)
    before, y = model.to_bytes(), LABELS.copy()
    y[7] = label
    calls = [
        (lambda: model.learn_many(X, y), r"y\[7\]"),
        (lambda: model.progressive(X, y), r"y\[7\]"),
        (lambda: model.learn_one(X[0], label), "y"),
        (lambda: model.answer(model.ask(X[0]), label), "y"),
    ]
    for call, place in calls:
        with pytest.raises(ValueError, match=f"^{place} should be {message}, but is {label:g}$"):
            call()
    # Asking has counted rows, no more.
    assert nystream.Learner.from_bytes(before).n_seen == model.n_seen
    expected = nystream.Learner.from_bytes(before).predict_many(X)
    np.testing.assert_array_equal(model.predict_many(X), expected)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nystream.NonsAld(loss="huber"), ValueError, "loss should be one of Squared, "),
        (lambda: nystream.Kons(loss="absolute"), ValueError, "loss should be one of Squared, "),
        (lambda: nystream.RidgeAld(loss="hubber"), ValueError, "loss should be one of 'squared', "),
        (lambda: nystream.RidgeAld(loss=3), TypeError, "loss should be a loss such as "),
        (lambda: nystream.Quantile(1.0), ValueError, "q should be more than 0 and less than 1"),
        (lambda: nystream.Huber(delta=0.0), ValueError, "delta should be positive"),
        (lambda: nystream.EpsilonInsensitive(-1.0), ValueError, "epsilon should be 0 or positive"),
        (lambda: nystream.RidgeAld(loss="logistic", clip=True), ValueError, "clip and loss"),
        (lambda: nystream.LinearRls(loss="huber", n_targets=2), ValueError, "n_targets and loss"),
        (lambda: nystream.RidgeAld(loss="huber", forward=True), ValueError, "forward and loss"),
        (lambda: nystream.Keyed(nystream.LinearRls(loss="hinge")), ValueError, "loss should be"),
        (
            lambda: nystream.Forecaster(nystream.LinearRls(loss="poisson")),
            ValueError,
            "loss should be",
        ),
        (
            lambda: nystream.RidgeAld.merge([nystream.RidgeAld(loss="huber")] * 2),
            ValueError,
            "loss should be Squared, but is Huber",
        ),
    ],
)
def test_what_cannot_go_together_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_the_squared_loss_by_name_is_the_usual_learner():
    for loss in ("squared", nystream.Squared()):
        model = nystream.RidgeAld(KERNEL, loss=loss)
        model.learn_many(X, LABELS)
        usual = nystream.RidgeAld(KERNEL)
        usual.learn_many(X, LABELS)
        assert model.to_bytes() == usual.to_bytes()
        assert repr(model) == repr(usual)


def test_intervals_are_for_losses_that_take_any_label():
    for loss, expected in [("absolute", True), ("logistic", False), ("poisson", False)]:
        assert nystream.RidgeAld(loss=loss).has_intervals is expected
    band = nystream.RidgeAld(KERNEL, loss="absolute")
    y = X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    band.learn_many(X, y)
    low, high = band.predict_interval(X, level=0.9).T
    assert (low < high).all()
    assert np.mean((low < y) & (y < high)) > 0.8


def test_predictions_of_counts_and_chances_stay_in_their_range():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 4)) * 30
    for loss, low, high in [("logistic", 0.0, 1.0), ("poisson", 0.0, 1e100)]:
        for make in (nystream.LinearRls, nystream.Fogd, nystream.Kogd, nystream.NonsAld):
            model = make(loss=loss)
            found = model.progressive(rows, rng.integers(0, 2, 300))
            assert ((found >= low) & (found <= high)).all()


def test_an_absurd_label_moves_a_robust_learner_little():
    rows, y = random_stream(400, 3)
    for loss in ("absolute", nystream.Huber(delta=0.1), nystream.EpsilonInsensitive(0.01)):
        model = nystream.RidgeAld(KERNEL, alpha=0.1, loss=loss)
        model.learn_many(rows, y)
        before = model.predict_many(rows)
        model.learn_one(rows[0], 1e12)
        assert np.abs(model.predict_many(rows) - before).max() < 0.2


def test_losses_compare_hash_and_pickle():
    for name in nystream.losses():
        loss = getattr(nystream, name)()
        assert loss == getattr(nystream, name)()
        assert hash(loss) == hash(getattr(nystream, name)())
        assert pickle.loads(pickle.dumps(loss)) == loss
    assert nystream.Quantile(0.1) != nystream.Quantile(0.2)
    with pytest.raises(ValueError, match=r"could not be broadcast|shape mismatch"):
        nystream.Squared()([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: nystream.RidgeAld(KERNEL, loss="absolute"),
        lambda: nystream.RidgeAld(KERNEL, max_basis=5, policy="replace", loss="huber"),
        lambda: nystream.LinearRls(forgetting=0.99, loss=nystream.Quantile(0.9)),
        lambda: nystream.AogdAld(KERNEL, loss="epsilon_insensitive"),
    ],
)
def test_models_by_key_are_those_of_a_dict_also_with_a_loss(make):
    keys = np.random.default_rng(0).integers(0, 6, len(X))
    keyed, models = nystream.Keyed(make(), shared=False), {}
    predictions = keyed.progressive(keys, X, X[:, 0])
    for key, x, found in zip(keys, X, predictions, strict=True):
        model = models.setdefault(key, make())
        assert found == pytest.approx(model.predict_one(x), abs=1e-12)
        model.learn_one(x, x[0])
    again = nystream.Keyed.from_bytes(keyed.to_bytes())
    np.testing.assert_array_equal(again.predict_many(keys, X), keyed.predict_many(keys, X))
