"""The interface that all learners share: what goes in, and what comes out."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import numpy as np
import pytest
from learners import KERNELS, LEARNERS

import nystream
from nystream import _core

RANDOMISED = [n for n in nystream.algorithms() if "random_state" in _core.default_params(n)]


def rounding(model):
    """How far two ways to the same number may be apart.

    The widest kernels of Auto have ridges of 1e-5, and coefficients that cancel out to as much.
    """
    return 1e-9 if isinstance(model, nystream.Auto) else 1e-12


def test_every_learner_and_kernel_is_public():
    for name in nystream.algorithms():
        assert issubclass(getattr(nystream, name), nystream.Learner)
    for name in nystream.kernels():
        assert issubclass(getattr(nystream, name), nystream.Kernel)


@pytest.mark.parametrize("name", [*nystream.algorithms(), *nystream.kernels(), *nystream.losses()])
def test_the_constructor_takes_what_the_core_does_with_its_defaults(name):
    make = getattr(nystream, name)
    taken = inspect.signature(make).parameters.values()
    defaults = {parameter.name: parameter.default for parameter in taken}
    assert make().params == defaults
    if name in nystream.algorithms():
        assert defaults == _core.default_params(name)
    assert all(repr(defaults[key]) == repr(value) for key, value in make().params.items())


def test_parameters_can_be_read_but_not_set(model):
    for name, value in model.params.items():
        # A model that takes tables knows more of its columns than what was stated.
        assert getattr(model, name) == ([] if name == "schema" else value)
        with pytest.raises(AttributeError):
            setattr(model, name, value)
    assert nystream.Polynomial(2).degree == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nystream.Kaar(rigde=1.0), "Kaar.__new__() got an unexpected keyword argument"),
        (lambda: nystream.Kaar(nystream.Linear(), 1.0), "Kaar.__new__() too many positional"),
        (lambda: nystream.Gaussian(1.0, sigma=2.0), "Gaussian.__new__() multiple values"),
    ],
)
def test_what_a_constructor_does_not_take(call, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_before_any_learning_a_model_predicts_0(model):
    assert model.predict_one([1.0, 2.0]) == 0.0
    assert model.predict_many(np.ones((2, 5))).tolist() == [0.0, 0.0]
    assert (model.n_seen, model.n_basis, model.n_features) == (0, 0, None)
    assert model.basis.shape == (0, 0)


def test_progressive_equals_the_row_loop(model, stream):
    loop = copy.deepcopy(model)
    X, y = stream
    expected = []
    for x, label in zip(X, y, strict=True):
        expected.append(loop.predict_one(x))
        assert loop.learn_one(x, label) is None
    np.testing.assert_allclose(model.progressive(X, y), expected, rtol=0, atol=rounding(model))
    np.testing.assert_array_equal(model.basis, loop.basis)
    assert model.n_seen == loop.n_seen == 300
    assert model.n_features == 3


def test_learn_many_equals_progressive_in_any_pieces(model, stream):
    pieces = copy.deepcopy(model)
    X, y = stream
    model.progressive(X, y)
    for first, last in [(0, 1), (1, 17), (17, 300)]:
        assert pieces.learn_many(X[first:last], y[first:last]) is None
    # The metrics of Auto are made of gradients, which have fewer digits than predictions.
    atol = 1e-11 if isinstance(model, nystream.Auto) else 1e-12
    np.testing.assert_allclose(pieces.predict_many(X), model.predict_many(X), rtol=0, atol=atol)


def test_predict_many_equals_predict_one_and_changes_nothing(model, stream):
    X, y = stream
    model.learn_many(X, y)
    before = model.to_bytes()
    many = model.predict_many(X[:50])
    one = [model.predict_one(x) for x in X[:50]]
    np.testing.assert_allclose(many, one, rtol=0, atol=rounding(model))
    assert model.to_bytes() == before


def test_inputs_are_not_changed(model, stream):
    X, y = stream
    X_before, y_before = X.copy(), y.copy()
    model.progressive(X, y)
    model.predict_many(X)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


def test_the_basis_is_a_copy(model, stream):
    model.learn_many(*stream)
    before = model.to_bytes()
    model.basis[...] = 7.0
    assert model.to_bytes() == before


def unaligned(array):
    """The same array at an odd address."""
    raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    raw[...] = array
    return raw


def read_only(array):
    frozen = array.copy()
    frozen.flags.writeable = False
    return frozen


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda a: (
        np.repeat(np.repeat(a, 2, axis=0), 3, axis=-1)[::2, ..., ::3]
        if a.ndim == 2
        else np.repeat(a, 3)[::3]
    ),
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "read-only": read_only,
    "unaligned": unaligned,
    "big-endian": lambda a: a.astype(">f8"),
    "float32": lambda a: a.astype(np.float32),
    "list": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_answer(model, stream, layout):
    # Numbers that float32 holds exactly, so that even it must agree to the last bit.
    X, y = (a.astype(np.float32).astype(float) for a in stream)
    change = LAYOUTS[layout]
    other = copy.deepcopy(model)
    np.testing.assert_array_equal(other.progressive(change(X), change(y)), model.progressive(X, y))
    np.testing.assert_array_equal(other.predict_many(change(X)), model.predict_many(X))
    assert other.predict_one(change(X[0])) == model.predict_one(X[0])
    assert other.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.bool_])
def test_integers_give_the_same_answer(model, dtype):
    X = np.random.default_rng(0).integers(0, 2, (50, 3))
    y = X[:, 0]
    other = copy.deepcopy(model)
    expected = model.progressive(X.astype(float), y.astype(float))
    np.testing.assert_array_equal(other.progressive(X.astype(dtype), y.astype(dtype)), expected)
    other.learn_one([0, 1, 1], 1)
    model.learn_one([0.0, 1.0, 1.0], 1.0)
    assert other.predict_one((1, 0, 1)) == model.predict_one(np.array([1.0, 0.0, 1.0]))


def test_arrays_that_are_not_numpys(model, stream):
    class Frame:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return np.array(self.array, dtype=dtype)

    X, y = stream
    other = copy.deepcopy(model)
    expected = model.progressive(X, y)
    np.testing.assert_array_equal(other.progressive(Frame(X), Frame(y)), expected)


@pytest.mark.parametrize("thing", [*LEARNERS.values(), *KERNELS], ids=repr)
def test_repr_is_the_constructor_call(thing):
    again = eval(repr(thing), vars(nystream))
    assert type(again) is type(thing)
    assert again.params == thing.params
    assert repr(again) == repr(thing)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_values(kernel):
    for again in [
        copy.deepcopy(kernel),
        pickle.loads(pickle.dumps(kernel)),
        type(kernel)(**kernel.params),
    ]:
        assert again == kernel
        assert hash(again) == hash(kernel)
        assert type(again) is type(kernel)
    assert kernel != nystream.Gaussian(0.123)
    assert kernel != "kernel"


def test_equal_kernels_have_equal_hashes():
    zero, minus_zero = nystream.Polynomial(coef0=0.0), nystream.Polynomial(coef0=-0.0)
    assert zero == minus_zero
    assert hash(zero) == hash(minus_zero)


def test_parameters_keep_their_values_and_cannot_be_changed_through_the_dict():
    given_ = {
        "kernel": nystream.Matern52(0.1),
        "alpha": 1 / 3,
        "mu": 5.0,
        "bound": 2.0,
        "target_bound": 1.5,
        "eta": 0.1,
        "max_basis": 30,
        "loss": nystream.Logistic(),
    }
    model = nystream.NonsAld(**given_)
    assert model.params == given_
    model.params["alpha"] = 7
    assert model.params == given_
    numpy_scalars = {"alpha": np.float32(0.5), "mu": np.int64(2), "max_basis": np.uint8(3)}
    assert nystream.NonsAld(**numpy_scalars).params["max_basis"] == 3


def test_a_cap_on_the_dictionary_holds(stream):
    X, y = stream
    for learner in (nystream.NonsAld, nystream.AogdAld):
        model = learner(nystream.Gaussian(0.3), alpha=1e-4, max_basis=12)
        model.learn_many(X, y)
        assert model.n_basis == 12
        before = model.predict_many(X)
        model.learn_many(X, y)
        assert model.n_basis == 12
        assert np.abs(model.predict_many(X) - before).max() > 1e-6  # it goes on learning


def test_draws_are_those_of_the_seed(stream):
    X, y = stream
    for name in RANDOMISED:
        learner = getattr(nystream, name)
        runs = [learner(random_state=seed).progressive(X, y) for seed in (0, 0, 1, 2**64 - 1)]
        np.testing.assert_array_equal(runs[0], runs[1])
        assert np.abs(runs[0] - runs[2]).max() > 1e-6
        assert np.abs(runs[2] - runs[3]).max() > 1e-6
        assert learner().params["random_state"] == 0


def test_given_draws_survive_copying(stream):
    X, y = stream
    rng = np.random.default_rng(0)
    given = [
        nystream.Fogd(frequencies=rng.normal(size=(11, 3))),
        nystream.ConKons(uniforms=rng.random(300)),
        nystream.Pkawv(uniforms=list(rng.random(300)), max_rows=300),
    ]
    for model in given:
        again = pickle.loads(pickle.dumps(model))
        assert again.params == model.params
        model.learn_many(X[:100], y[:100])
        again.learn_many(X[:100], y[:100])
        halfway = copy.deepcopy(model)
        expected = model.progressive(X[100:], y[100:])
        np.testing.assert_array_equal(halfway.progressive(X[100:], y[100:]), expected)
        np.testing.assert_array_equal(again.progressive(X[100:], y[100:]), expected)
        assert len(repr(model)) < 400
        header = int.from_bytes(model.to_bytes()[:8], "little")
        assert header < 3000  # the draws are arrays of the file, not text of its header
    assert np.shape(given[0].params["frequencies"]) == (11, 3)


def test_for_horizon_gives_the_papers_settings():
    model = nystream.NonsAld.for_horizon(500, kernel=nystream.Linear(), bound=3.0)
    assert model.params["alpha"] == pytest.approx((np.log(500) / 500) ** 4)
    assert (model.params["mu"], model.params["bound"]) == (1.0, 3.0)
    assert model.params["kernel"] == nystream.Linear()
    model = nystream.NonsAld.for_horizon(50, decay="polynomial", p=2)
    assert model.params["alpha"] == pytest.approx(50 ** (-8 / 3))
    assert model.params["mu"] == pytest.approx(50 ** (1 / 3))
    model = nystream.AogdAld.for_horizon(16599, 18)
    assert model.params["alpha"] == 1 / 16599
    assert model.params["switch_at"] == nystream.AogdAld.switch_point(18, 16599) == 537


def test_for_horizon_says_when_float64_cannot_follow_the_paper():
    with pytest.warns(UserWarning, match=r"alpha, 1\.17e-13, is below .* using 1e-10"):
        model = nystream.NonsAld.for_horizon(16599)
    assert model.params["alpha"] == 1e-10


def test_learners_and_kernels_cannot_be_taken_apart():
    """As by those who do not ask them how they are copied."""
    for thing in (nystream.RidgeAld(), nystream.Gaussian(), nystream.RidgeAld().scorer()):
        with pytest.raises(TypeError, match=f"a {type(thing).__name__} is more than its attrib"):
            thing.__getstate__()
