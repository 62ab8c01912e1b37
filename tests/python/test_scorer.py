"""Scorers predict what their learners did, in threads, processes and other runtimes."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from support import PAPER_SETS, paper_set, random_stream

import nystream
from nystream import _onnx

X, Y = random_stream(300, 4)
FORWARD = nystream.RidgeAld(nystream.Gaussian(2.0), forward=True)
WHOLE = {"Kaar", "Pkawv"}


@pytest.fixture(params=nystream.algorithms())
def model(request):
    model = getattr(nystream, request.param)()
    model.learn_many(X[:200], Y[:200])
    return model


def test_a_scorer_predicts_what_its_learner_did(model):
    scorer = model.scorer()
    expected = model.predict_many(X)
    model.learn_many(X[200:], Y[200:])
    assert np.array_equal(scorer.predict_many(X), expected)
    one = model.scorer()
    assert [one.predict_one(x) for x in X[:5]] == [model.predict_one(x) for x in X[:5]]
    assert scorer.n_features == 4


def test_a_scorer_is_small(model):
    name = type(model).__name__
    whole = name in WHOLE
    assert (model.scorer().parts == {}) == whole
    if not whole:
        assert model.scorer().nbytes <= model.nbytes


def test_parts_are_what_predictions_are_made_of(model):
    parts, expected = model.scorer().parts, model.predict_many(X)
    if not parts:
        return
    if "kernel" in parts:
        values = parts["kernel"](X, parts["basis"]) @ parts["coefficients"]
    elif "slopes" in parts:
        values = (X @ parts["slopes"] if len(parts["slopes"]) else 0.0) + parts["constant"]
    else:
        angles = X @ parts["frequencies"].T
        waves = np.hstack([np.cos(angles), np.sin(angles)])
        values = waves @ parts["weights"] / np.sqrt(angles.shape[1])
    low, high = parts["range"]
    np.testing.assert_allclose(np.clip(values, low, high) + 0 * Y, expected, atol=1e-9)


def test_a_scorer_of_nothing_predicts_zero():
    for name in nystream.algorithms():
        scorer = getattr(nystream, name)().scorer()
        assert scorer.predict_one([1.0, 2.0]) == 0.0
        assert scorer.predict_many(X).tolist() == [0.0] * 300
        assert scorer.n_features is None


def test_a_scorer_goes_to_a_fresh_process(model, tmp_path):
    scorer = model.scorer()
    (tmp_path / "scorer.pickle").write_bytes(pickle.dumps((scorer, X)))
    script = (
        "import pickle, sys; scorer, X = pickle.load(open(sys.argv[1], 'rb')); "
        "print(scorer.predict_many(X).tobytes().hex())"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "scorer.pickle")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == model.predict_many(X).tobytes().hex()


def test_every_compiled_class_names_its_module():
    for thing in [nystream.Learner, nystream.Scorer, nystream.Kernel]:
        assert thing.__module__ == "nystream._core"
        assert getattr(sys.modules[thing.__module__], thing.__qualname__) is thing


def test_threads_score_while_another_learns():
    model = nystream.RidgeAld(nystream.Gaussian(2.0), max_basis=50)
    model.learn_many(X, Y)
    scorer = model.scorer()
    expected, wrong = scorer.predict_many(X), []
    stop = threading.Event()

    def score():
        while not stop.is_set():
            if not np.array_equal(scorer.predict_many(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=score) for _ in range(3)]
    [thread.start() for thread in threads]
    for _ in range(20):
        model.learn_many(X, Y)
    stop.set()
    [thread.join() for thread in threads]
    assert not wrong


def test_a_scorer_cannot_be_made_by_hand_or_changed():
    scorer = nystream.NonsAld().scorer()
    with pytest.raises(TypeError):
        nystream.Scorer()
    with pytest.raises(AttributeError):
        scorer.n_features = 3
    assert repr(scorer) == "<nystream.Scorer: 0 rows>"


BAD_ROWS = [
    (np.full((1, 4), np.nan), "X[0, 0] should be a finite number"),
    (np.zeros((1, 3)), "X should have 4 features, but has 3"),
    (np.zeros(4), "X should be two-dimensional"),
]


@pytest.mark.parametrize(("rows", "message"), BAD_ROWS)
def test_bad_rows_are_refused(model, rows, message):
    with pytest.raises(ValueError, match=message.replace("[", r"\[").replace("]", r"\]")):
        model.scorer().predict_many(rows)


# --- ONNX

KERNELS = [
    nystream.Gaussian(2.0),
    nystream.Laplacian(5.0),
    nystream.Matern32(2.0),
    nystream.Matern52(2.0),
    nystream.RationalQuadratic(2.0, alpha=0.7),
    nystream.Polynomial(3, gamma=0.2),
    nystream.Polynomial(2, normalize=True),
    nystream.Linear(),
]


def in_onnxruntime(scorer, rows, path, dtype="float64"):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("onnx", reason="onnx is not installed")
    scorer.to_onnx(path, dtype=dtype)
    session = onnxruntime.InferenceSession(path)
    (predictions,) = session.run(["prediction"], {"X": rows.astype(dtype)})
    return predictions


def relative(found, expected):
    return abs(found - expected).max() / abs(expected).max()


def test_every_kernel_can_be_written():
    assert set(_onnx._KERNELS) == set(nystream.kernels())
    assert {type(kernel).__name__ for kernel in KERNELS} == set(nystream.kernels())


FAR = [kernel for kernel in KERNELS if kernel != nystream.Polynomial(3, gamma=0.2)]  # is refused


@pytest.mark.parametrize(
    ("kernel", "offset"), [*((k, 0.0) for k in KERNELS), *((k, 1000.0) for k in FAR)], ids=repr
)
def test_onnxruntime_scores_the_same(kernel, offset, tmp_path):
    model = nystream.RidgeAld(kernel, clip=True)
    rows = X + offset
    model.learn_many(rows[:200], Y[:200])
    scorer = model.scorer()
    found = in_onnxruntime(scorer, rows, tmp_path / "scorer.onnx")
    assert relative(found, scorer.predict_many(rows)) < 1e-6
    rows = rows.astype(np.float32)
    found = in_onnxruntime(scorer, rows, tmp_path / "scorer.onnx", "float32")
    assert relative(found, scorer.predict_many(rows)) < 1e-3


def test_onnxruntime_scores_every_learner(model, tmp_path):
    scorer, path = model.scorer(), tmp_path / "scorer.onnx"
    if type(model).__name__ in WHOLE:
        pytest.importorskip("onnx", reason="onnx is not installed")
        with pytest.raises(ValueError, match="cannot be written as ONNX"):
            scorer.to_onnx(path)
        return
    assert relative(in_onnxruntime(scorer, X, path), scorer.predict_many(X)) < 1e-9
    empty = type(model)().scorer()
    assert in_onnxruntime(empty, X, path).tolist() == [0.0] * 300


@pytest.mark.parametrize("name", PAPER_SETS)
def test_onnxruntime_scores_the_papers_data(name, tmp_path):
    rows, y, sigma = paper_set(name)
    rows, y = rows[:2000], y[:2000]
    model = nystream.RidgeAld(nystream.Gaussian(sigma), alpha=25 / len(y), clip=True)
    model.learn_many(rows, y)
    scorer = model.scorer()
    found = in_onnxruntime(scorer, rows, tmp_path / "scorer.onnx")
    assert relative(found, scorer.predict_many(rows)) < 1e-6


def test_onnx_refuses_what_it_cannot_write(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    scorer = nystream.NonsAld().scorer()
    for dtype in ("int8", "single precision", 7):
        message = f"dtype should be 'float64' or 'float32', but is {dtype!r}"
        with pytest.raises(ValueError, match=message):
            scorer.to_onnx(tmp_path / "x.onnx", dtype=dtype)
    scorer.to_onnx(tmp_path / "x.onnx", dtype=np.float32)
    with pytest.raises(FileNotFoundError):
        scorer.to_onnx(tmp_path / "nowhere" / "x.onnx")
    FORWARD.learn_many(X, Y)
    with pytest.raises(ValueError, match="forward=True"):
        FORWARD.scorer().to_onnx(tmp_path / "x.onnx")
