"""One interface for every learner."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import random_stream, state

import nystream
from nystream import _core

LEARNERS = {
    "NonsAld": nystream.NonsAld(nystream.Gaussian(1.0), alpha=0.01),
    "NonsAld, capped": nystream.NonsAld(nystream.Matern52(2.0), alpha=0.01, max_basis=7),
    "AogdAld": nystream.AogdAld(nystream.Gaussian(1.0), alpha=0.01),
    "AogdAld, switched": nystream.AogdAld(nystream.Gaussian(1.0), alpha=0.01, switch_at=8),
    "RidgeAld": nystream.RidgeAld(nystream.Gaussian(1.0), alpha=0.01),
    "RidgeAld, forward": nystream.RidgeAld(
        nystream.Laplacian(2.0), alpha=0.01, forward=True, clip=True, max_basis=50
    ),
    "RidgeAld, replacing": nystream.RidgeAld(
        nystream.Gaussian(0.5), alpha=0.01, max_basis=20, policy="replace", forgetting=0.99
    ),
    "KrlsAld": nystream.KrlsAld(nystream.Matern32(2.0), alpha=0.01, max_basis=60),
    "Kogd": nystream.Kogd(nystream.RationalQuadratic(1.0)),
    "Kons": nystream.Kons(nystream.Gaussian(1.0), bound=0.8),
    "Kaar": nystream.Kaar(nystream.Gaussian(1.0)),
    "OnlineKrr": nystream.OnlineKrr(nystream.Gaussian(1.0)),
    "SketchedKons": nystream.SketchedKons(nystream.Gaussian(1.0), random_state=1),
    "Pkawv": nystream.Pkawv(nystream.Gaussian(1.0), random_state=2),
    "Fogd": nystream.Fogd(nystream.Gaussian(1.0), n_frequencies=37, random_state=3),
    "Nogd, filling": nystream.Nogd(nystream.Gaussian(1.0), budget=100_000),
    "Nogd, full": nystream.Nogd(nystream.Gaussian(1.0), budget=30, rank=20),
    "ProsNKons": nystream.ProsNKons(nystream.Gaussian(1.0), random_state=4),
    "ConKons": nystream.ConKons(nystream.Gaussian(1.0), random_state=5),
    "LinearRls": nystream.LinearRls(clip=True),
    "LinearRls, forgetting": nystream.LinearRls(forgetting=0.95),
    "RunningMean": nystream.RunningMean(),
    "Auto": nystream.Auto(warm_up=40, max_basis=15),
    "Auto, warming up": nystream.Auto(warm_up=1000, policy="freeze", forgetting=1.0),
}
LEARNERS |= {
    name: getattr(nystream, name)()
    for name in nystream.algorithms()
    if name not in {type(model).__name__ for model in LEARNERS.values()}
}
GROWING = {"AogdAld, switched", "ProsNKons", "ConKons"}  # a row seen before may join again
# They store every row, and what a row costs grows with the stream.
EVERY_ROW = {name for name, model in LEARNERS.items() if "max_rows" in model.params}
EVERY_ROW |= {"Nogd, filling"}
RANDOMISED = [n for n in nystream.algorithms() if "random_state" in _core.default_params(n)]
KERNELS = [
    nystream.Gaussian(8.0),
    nystream.Laplacian(2.0),
    nystream.Matern32(0.5),
    nystream.Matern52(0.5),
    nystream.RationalQuadratic(2.0, alpha=0.5),
    nystream.Polynomial(2, gamma=0.5, coef0=0.0, normalize=True),
]
KERNELS += [
    getattr(nystream, name)()
    for name in nystream.kernels()
    if name not in {type(kernel).__name__ for kernel in KERNELS}
]


@pytest.fixture(params=LEARNERS)
def model(request):
    """A learner of each kind that has seen nothing."""
    return copy.deepcopy(LEARNERS[request.param])


def rounding(model):
    """How far two ways to the same number may be apart.

    The widest kernels of Auto have ridges of 1e-5, and coefficients that cancel out to as much.
    """
    return 1e-9 if isinstance(model, nystream.Auto) else 1e-12


@pytest.fixture
def stream():
    return random_stream(300, 3)


def test_every_learner_and_kernel_is_public():
    for name in nystream.algorithms():
        assert issubclass(getattr(nystream, name), nystream.Learner)
    for name in nystream.kernels():
        assert issubclass(getattr(nystream, name), nystream.Kernel)


@pytest.mark.parametrize("name", [*nystream.algorithms(), *nystream.kernels()])
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
        assert getattr(model, name) == value
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
    np.testing.assert_allclose(pieces.predict_many(X), model.predict_many(X), rtol=0, atol=1e-12)


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


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
@pytest.mark.parametrize("seen", [0, 1, 150])
def test_copies_go_on_learning_identically(model, stream, duplicate, seen):
    X, y = stream
    if seen:
        model.learn_many(X[:seen], y[:seen])
    other = duplicate(model)
    assert type(other) is type(model)
    assert other.params == model.params
    expected = model.progressive(X[seen:], y[seen:])
    np.testing.assert_array_equal(other.progressive(X[seen:], y[seen:]), expected)
    assert other.to_bytes() == model.to_bytes()
    other.learn_one(X[0], 1.0)
    assert other.n_seen == model.n_seen + 1


def test_a_pickle_opens_in_a_fresh_process(model, stream, tmp_path):
    X, y = stream
    model.learn_many(X, y)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps((model, X[:5])))
    script = (
        "import pickle, sys; model, X = pickle.load(open(sys.argv[1], 'rb')); "
        "print(model.predict_many(X).tolist())"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "model.pickle")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert eval(printed) == model.predict_many(X[:5]).tolist()


def test_classes_are_known_by_their_public_names():
    for name in [*nystream.algorithms(), *nystream.kernels()]:
        assert getattr(nystream, name).__module__ == "nystream"


class Tuned(nystream.NonsAld):
    """What a user might write."""


class Wide(nystream.Gaussian):
    """With a constructor of its own."""

    def __new__(cls):
        return super().__new__(cls, sigma=100.0)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_subclasses_and_their_attributes_survive_copying(stream, protocol):
    model = Tuned(alpha=0.5)
    model.tag = "mine"
    model.learn_many(*stream)
    again = pickle.loads(pickle.dumps(model, protocol))
    assert type(again) is Tuned
    assert again.tag == "mine"
    assert again.to_bytes() == model.to_bytes()
    assert repr(again).startswith("Tuned(")
    assert type(nystream.Learner.from_bytes(model.to_bytes())) is nystream.NonsAld
    kernel = pickle.loads(pickle.dumps(Wide(), protocol))
    assert type(kernel) is Wide
    assert kernel == nystream.Gaussian(100.0)
    plain = nystream.Kernel("Linear")
    assert pickle.loads(pickle.dumps(plain, protocol)) == plain


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


@pytest.mark.parametrize("name", LEARNERS)
def test_a_long_idle_stretch_does_no_harm(name):
    """Errors so small that their squares are below what float64 can invert, or 0."""
    model = copy.deepcopy(LEARNERS[name])
    rows = np.full((400, 1), 0.3)
    model.learn_many(rows, np.append(np.ones(20), np.zeros(380)))
    model.learn_many([[0.3], [1.3], [2.3]], np.full(3, 1e-160))
    again = pickle.loads(pickle.dumps(model))
    assert again.to_bytes() == model.to_bytes()
    after = model.progressive(rows, np.ones(400))
    assert after[-1] > max(after[0], 0.0) + 0.1 or name == "RunningMean"


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("scale", [1e4, 1e8, 1e12, 1e50])
def test_labels_of_any_size_leave_a_working_model(name, scale):
    model = copy.deepcopy(LEARNERS[name])
    X = np.random.default_rng(0).random((600, 1))
    y = scale * np.sin(6 * X[:, 0])
    predictions = model.progressive(X, y)
    assert np.isfinite(predictions).all()
    assert np.abs(predictions).max() <= 10 * scale
    assert model.n_seen == 600
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_krls_does_not_depend_on_the_scale_of_the_kernel():
    X, y = random_stream(300, 2)
    expected = nystream.KrlsAld(nystream.Linear()).progressive(X, y)
    for scale in [1e-8, 1e8, 1e12]:
        scaled = nystream.KrlsAld(nystream.Linear()).progressive(scale * X, y)
        np.testing.assert_allclose(scaled, expected, rtol=1e-9, atol=1e-9)


def test_weak_references(model):
    assert weakref.ref(model)() is model


def test_parameters_keep_their_values_and_cannot_be_changed_through_the_dict():
    given_ = {
        "kernel": nystream.Matern52(0.1),
        "alpha": 1 / 3,
        "mu": 5.0,
        "bound": 2.0,
        "target_bound": 1.5,
        "eta": 0.1,
        "max_basis": 30,
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


@pytest.mark.parametrize("name", LEARNERS)
def test_one_model_in_many_threads(name, stream):
    model = copy.deepcopy(LEARNERS[name])
    X, y = stream
    n_rounds = 2 if name in EVERY_ROW else 20
    stop = threading.Event()
    seen, errors = [], []

    def read():
        while not stop.is_set():
            seen.append(model.n_seen)
            if not np.isfinite(model.predict_many(X[:20])).all():
                errors.append("a prediction is not finite")
            if model.basis.shape[0] > model.n_seen:
                errors.append("more rows kept than seen")

    def learn():
        for i in range(n_rounds):
            model.learn_many(X, y)
            model.learn_one(X[i], y[i])

    readers = [threading.Thread(target=read) for _ in range(2)]
    learners = [threading.Thread(target=learn) for _ in range(3)]
    for thread in readers + learners:
        thread.start()
    for thread in learners:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert model.n_seen == 3 * n_rounds * 301
    assert errors == []
    assert seen == sorted(seen)


def test_other_threads_run_while_an_array_is_learned():
    X, y = random_stream(20_000, 4)
    model = nystream.NonsAld(nystream.Gaussian(0.4), alpha=1e-3, max_basis=300)
    worker = threading.Thread(target=model.learn_many, args=(X, y))
    worker.start()
    naps = 0
    while worker.is_alive():
        time.sleep(0.001)
        naps += 1
    # If the interpreter were held, the one nap would last as long as the whole call.
    assert naps > 5


CTRL_C = {
    "fast rows": (nystream.NonsAld(nystream.Gaussian(0.4), max_basis=100), 1_000_000),
    "slow rows": (nystream.Kaar(nystream.Gaussian(0.4)), 20_000),
}


@pytest.mark.parametrize("rows", CTRL_C)
def test_ctrl_c_stops_between_two_rows_and_its_handler_may_use_the_model(rows):
    fresh, n_rows = CTRL_C[rows]
    X, y = random_stream(n_rows, 4)
    model = copy.deepcopy(fresh)
    seen = []

    def handler(number, frame):
        seen.append(model.n_seen)
        model.predict_one(X[0])
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGINT, handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            model.learn_many(X, y)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, usual)
    assert 0 < model.n_seen == seen[0] < len(y)
    other = copy.deepcopy(fresh)
    other.learn_many(X[: model.n_seen], y[: model.n_seen])
    assert other.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in EVERY_ROW | GROWING])
def test_memory_is_not_kept_by_rounds(name, stream):
    model = copy.deepcopy(LEARNERS[name])
    X, y = stream
    for _ in range(4):  # until there are as many scores as are kept
        model.learn_many(X, y)
    shapes = {name: array.shape for name, array in state(model).items()}
    for _ in range(5):
        model.learn_many(X, y)
    assert {name: array.shape for name, array in state(model).items()} == shapes


NUMBERS = st.floats(-1e100, 1e100)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([getattr(nystream, name) for name in nystream.algorithms()]),
    st.sampled_from(KERNELS),
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=12),
)
def test_no_numbers_make_a_model_forget_what_a_number_is(learner, kernel, rows):
    try:
        model = learner(kernel) if "kernel" in learner().params else learner()
    except ValueError as error:
        if "shift invariant" not in str(error):
            raise
        return  # a kernel that Fogd has no frequencies for
    data = np.array(rows)
    try:
        predictions = model.progressive(data[:, :2], data[:, 2])
    except ValueError as error:
        if "the kernel value of X[" not in str(error):
            raise
        return  # the kernel would overflow
    assert np.isfinite(predictions).all()
    assert np.isfinite(model.predict_many(data[:, :2])).all()
    for array in state(model).values():
        assert np.isfinite(array).all()
    assert copy.deepcopy(model).to_bytes() == model.to_bytes()


def test_learners_and_kernels_cannot_be_taken_apart():
    """As by those who do not ask them how they are copied."""
    for thing in (nystream.RidgeAld(), nystream.Gaussian(), nystream.RidgeAld().scorer()):
        with pytest.raises(TypeError, match=f"a {type(thing).__name__} is more than its attrib"):
            thing.__getstate__()
