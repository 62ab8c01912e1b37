"""Scorers predict what their learners did, in threads, processes and other runtimes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from auto_streams import skewed_stream
from support import PAPER_SETS, paper_set, random_stream

import nystream
from nystream import _onnx

X, Y = random_stream(300, 4)
Y3 = np.c_[Y, X[:, 0] - 5.0, 1e3 * X[:, 1] * X[:, 2]]
FORWARD = nystream.RidgeAld(nystream.Gaussian(2.0), forward=True)
WHOLE = {"Kaar", "Pkawv"}
OF_TARGETS = [
    nystream.RidgeAld(nystream.Gaussian(2.0), clip=True, n_targets=3),
    nystream.LinearRls(n_targets=3),
    nystream.Auto(n_targets=3),
    nystream.Auto(warm_up=8, n_targets=3),
]


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


def in_scales(rows, centres, scales):
    """The features as the linear function of `Auto` takes them, and as its kernels do."""
    away = rows - centres
    known = np.where(scales == 0, 1, scales)
    side = np.sign(away) * (abs(away) > 1e-6 * abs(centres))
    z = np.where(scales == 0, side, (away / known).clip(-1e6, 1e6))
    size = abs(z).clip(3)
    return z, np.where(abs(z) > 3, np.sign(z) * 3 * (1 + np.log(size / 3)), z)


def from_trees(trees, rows):
    """The sum of the leaves that rows reach, and of a constant."""
    is_leaf, numbers = trees["features"] < 0, trees["numbers"]
    features = np.where(is_leaf, 0, trees["features"])
    nodes = np.tile(trees["roots"], (len(rows), 1))
    while not is_leaf[nodes].all():
        above = np.take_along_axis(rows, features[nodes], axis=1) > numbers[nodes]
        nodes = np.where(is_leaf[nodes], nodes, trees["children"][nodes] + above)
    return trees["constant"] + numbers[nodes].sum(axis=1)


def from_past(parts, compressed):
    """What the parts that look at the past of the labels make of compressed rows."""
    rows = np.hstack([np.tile(parts["past"], (len(compressed), 1)), compressed])
    total = np.array([from_trees(trees, rows) for trees in parts["trees"]]).T
    total = total if len(parts["trees"]) > 1 else total[:, 0]
    for part in parts["mapped"]:
        total += value_of(part, mapped(part["metric"], rows))
    if "curved" in parts:
        total = total + from_curves(parts["curved"], rows)
    return total


def mapped(metric, rows):
    return rows @ (np.diag(metric) if metric.ndim == 1 else metric.T)


def from_curves(part, rows):
    """The labels of each expert for each target, times their weights."""
    numbers = value_of(part, mapped(part["metric"], rows))
    origin, spread, centre, scale = part["curves"].T
    low, high = np.tile(np.transpose(part["ranges"]), len(origin) // len(part["ranges"]))
    labels = (origin + spread * np.sinh(centre + scale * numbers)).clip(low, high)
    labels = part["weights"] * np.where(spread == 0, numbers, labels)
    total = labels.reshape(len(rows), -1, len(part["ranges"])).sum(1)
    return total if total.shape[1] > 1 else total[:, 0]


def value_of(parts, rows):
    """What the parts of a scorer make of rows, before that is brought into its range."""
    if "expansions" in parts:
        z, compressed = in_scales(rows, parts["centres"], parts["scales"])
        curves = sum(value_of(part, compressed) for part in parts["expansions"])
        if "past" in parts:
            curves = curves + from_past(parts, compressed)
        return z @ parts["slopes"].T + parts["constant"] + curves
    if "kernel" in parts:
        return parts["kernel"](rows, parts["basis"]) @ parts["coefficients"].T
    if "slopes" in parts:
        slopes = parts["slopes"]
        return (rows @ slopes.T if slopes.size else np.zeros(len(rows))) + parts["constant"]
    angles = rows @ parts["frequencies"].T
    waves = np.hstack([np.cos(angles), np.sin(angles)])
    return waves @ parts["weights"] / np.sqrt(angles.shape[1])


def from_parts(parts, rows):
    low, high = np.moveaxis(np.array(parts["range"]), -1, 0)
    return value_of(parts, rows).clip(low, high)


def test_parts_are_what_predictions_are_made_of(model):
    parts = model.scorer().parts
    if parts:
        np.testing.assert_allclose(from_parts(parts, X), model.predict_many(X), atol=1e-9)


@pytest.fixture(params=OF_TARGETS, ids=repr)
def of_targets(request):
    model = copy.deepcopy(request.param)
    model.learn_many(X[:200], Y3[:200])
    return model


def test_parts_have_a_row_for_each_target(of_targets):
    scorer = of_targets.scorer()
    assert scorer.n_targets == len(scorer.parts["range"]) == 3
    expected = scorer.predict_many(X)
    assert np.array_equal(expected, of_targets.predict_many(X))
    np.testing.assert_allclose(from_parts(scorer.parts, X), expected, rtol=1e-9, atol=1e-9)


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
    (np.full((1, 4), np.inf), "X[0, 0] should be a finite number"),
    (np.zeros((1, 3)), "X should have 4 features, but has 3"),
    (np.zeros(4), "X should be two-dimensional"),
]


@pytest.mark.parametrize(("rows", "message"), BAD_ROWS)
def test_bad_rows_are_refused(model, rows, message):
    if np.isnan(rows).any() and model.schema is not None:
        return  # a model with columns takes gaps
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
KERNELS += [
    getattr(nystream, name)()
    for name in _onnx.KERNELS
    if name not in {type(kernel).__name__ for kernel in KERNELS}
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


def test_these_kernels_can_be_written():
    smooth = {"Gaussian", "Laplacian", "Matern32", "Matern52", "RationalQuadratic"}
    assert set(_onnx.KERNELS) >= smooth | {"Linear", "Polynomial"}


def test_a_kernel_without_a_graph_is_refused_by_name(tmp_path, monkeypatch):
    pytest.importorskip("onnx", reason="onnx is not installed")
    assert {type(kernel).__name__ for kernel in KERNELS} == set(_onnx.KERNELS)
    assert set(_onnx.KERNELS) <= set(nystream.kernels())
    monkeypatch.delitem(_onnx.KERNELS, "Gaussian")
    model = nystream.RidgeAld()
    model.learn_many(X, Y)
    with pytest.raises(ValueError, match="the kernel Gaussian cannot be written as ONNX"):
        model.scorer().to_onnx(tmp_path / "x.onnx")


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
    if type(model).__name__ == "Fogd":
        reason = "older ones, the last for Python 3.10 too, have no cosine of float64"
        pytest.importorskip("onnxruntime", minversion="1.24", reason=reason)
    assert relative(in_onnxruntime(scorer, X, path), scorer.predict_many(X)) < 1e-9
    empty = type(model)().scorer()
    assert in_onnxruntime(empty, X, path).tolist() == [0.0] * 300


def test_onnxruntime_scores_every_target(of_targets, tmp_path):
    scorer, path = of_targets.scorer(), tmp_path / "scorer.onnx"
    found, expected = in_onnxruntime(scorer, X, path), scorer.predict_many(X)
    assert found.shape == (300, 3)
    for target in range(3):
        assert relative(found[:, target], expected[:, target]) < 1e-9
    empty = type(of_targets)(n_targets=2).scorer()
    assert in_onnxruntime(empty, X, path).tolist() == [[0.0, 0.0]] * 300


SCALES = np.array([1e-3, 1.0, 1e4, 1.0, 1.0])
CENTRES = np.array([0.0, -7.0, 1e6, 0.1, 0.0])


def ordinary(rng, n_rows):
    """Rows of five features; the fourth never varies, and the last hardly ever does."""
    z = rng.normal(size=(n_rows, 5))
    z[:, 3] = 0.0
    z[:, 4] *= rng.uniform(size=n_rows) < 0.02
    return CENTRES + SCALES * z


@pytest.fixture(scope="module")
def untuned():
    rng = np.random.default_rng(3)
    rows = ordinary(rng, 1000)
    z = (rows - CENTRES) / SCALES
    model = nystream.Auto()
    model.learn_many(rows, 20 + np.sin(2 * z[:, 0]) * z[:, 1] + z[:, 4] + rng.normal(size=1000) / 9)
    return model.scorer()


ODD = {
    "ordinary": lambda rows, rng: rows,
    "somewhat away": lambda rows, rng: CENTRES + 5 * (rows - CENTRES),
    "far away": lambda rows, rng: CENTRES + 1e3 * (rows - CENTRES),
    "farther than counts": lambda rows, rng: CENTRES + 1e9 * (rows - CENTRES),
    "at the centres": lambda rows, rng: np.tile(CENTRES, (len(rows), 1)),
    "varying for the first time": lambda rows, rng: (
        rows + [0, 0, 0, 1, 0] * rng.choice([-9.0, -1e-9, 0.0, 1e-9, 1e6], (len(rows), 1))
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_onnxruntime_scores_odd_rows_as_auto_does(kind, untuned, tmp_path):
    rng = np.random.default_rng(4)
    rows, path = ODD[kind](ordinary(rng, 500), rng), tmp_path / "scorer.onnx"
    assert untuned.parts["scales"][3] == 0.0 < untuned.parts["scales"][4]
    expected = untuned.predict_many(rows)
    assert relative(from_parts(untuned.parts, rows), expected) < 1e-9
    assert relative(in_onnxruntime(untuned, rows, path), expected) < 1e-6
    single = in_onnxruntime(untuned, rows, path, "float32")
    assert np.isfinite(single).all()


def test_float32_keeps_a_few_digits_of_auto(untuned, tmp_path):
    rows = ordinary(np.random.default_rng(5), 500).astype(np.float32)
    rows[:, 3] = 7.0  # 0.1 is not 0.1 in float32: to the scorer it would have varied
    found = in_onnxruntime(untuned, rows, tmp_path / "scorer.onnx", "float32")
    assert relative(found, untuned.predict_many(rows)) < 1e-2


def wandering(n_rows, n_targets):
    """A stream of labels that are much like the ones before, and steps that trees find."""
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(n_rows, 3))
    steps = 2.0 * (rows[:, :1] > 0.3) + (rows[:, 1:2] < -0.5) * rows[:, 2:]
    walks = 0.3 * rng.normal(size=(n_rows, n_targets)).cumsum(axis=0)
    labels = (walks + steps) * 100.0 ** np.arange(n_targets)
    return rows, labels[:, 0] if n_targets == 1 else labels


@pytest.fixture(scope="module", params=[(60, 1), (400, 2), (2500, 1), (2500, 3)], ids=str)
def of_wandering(request):
    n_rows, n_targets = request.param
    model = nystream.Auto(n_targets=n_targets, warm_up=50)
    model.learn_many(*wandering(n_rows, n_targets))
    return model


def test_the_parts_of_auto_have_a_past_with_metrics_and_trees(of_wandering):
    scorer = of_wandering.scorer()
    parts, n_targets = scorer.parts, scorer.n_targets
    width = 3 + len(parts["past"])
    assert len(parts["past"]) == 5 * n_targets
    assert len(parts["trees"]) == n_targets
    n_trees = sum(len(trees["roots"]) for trees in parts["trees"])
    n_metrics = len(parts["mapped"]) + ("curved" in parts)
    assert f"{n_metrics} metrics, {n_trees} trees" in repr(scorer)
    for part in parts["mapped"]:
        assert part["metric"].shape[-1] == width
        assert part["basis"].shape[1] == part["metric"].shape[0]
    if of_wandering.n_seen >= 2500:
        assert parts["past"].any()
        assert {part["metric"].ndim for part in parts["mapped"]} == {1, 2}
        for trees in parts["trees"]:
            assert trees["features"].max() < width
            assert ((trees["features"] >= 0) & (trees["features"] < len(parts["past"]))).any()


def test_auto_with_a_past_predicts_what_its_parts_do(of_wandering):
    scorer = of_wandering.scorer()
    rows = np.random.default_rng(7).normal(size=(500, 3)) * [1.0, 2.0, 5.0]
    expected = scorer.predict_many(rows)
    np.testing.assert_array_equal(expected, of_wandering.predict_many(rows))
    np.testing.assert_allclose(
        from_parts(scorer.parts, rows), expected, rtol=1e-9, atol=1e-9 * abs(expected).max()
    )


@pytest.mark.parametrize("n_rows", [1, 2, 500])
def test_onnxruntime_scores_auto_with_a_past(of_wandering, n_rows, tmp_path):
    scorer, path = of_wandering.scorer(), tmp_path / "scorer.onnx"
    rows = np.random.default_rng(8).normal(size=(n_rows, 3)) * [1.0, 2.0, 5.0]
    found = in_onnxruntime(scorer, rows, path)
    for now, then in zip(np.c_[found].T, np.c_[scorer.predict_many(rows)].T, strict=True):
        assert relative(now, then) < 1e-9
    rows = rows.astype(np.float32)
    found = in_onnxruntime(scorer, rows, path, "float32")
    for now, then in zip(np.c_[found].T, np.c_[scorer.predict_many(rows)].T, strict=True):
        assert relative(now, then) < 0.05


@pytest.fixture(scope="module", params=[1, 3], ids=str)
def of_a_long_tail(request):
    """Auto on labels of which one target has a long tail, and perhaps another the lower one."""
    rows, labels = skewed_stream(1500)
    if request.param == 3:
        labels = np.column_stack([labels, rows[:, 0] + rows[:, 1], -10 * labels])
    model = nystream.Auto(n_targets=request.param, warm_up=100)
    model.learn_many(rows[:390], labels[:390])
    assert "curved" in model.scorer().parts
    return model


def test_labels_with_a_long_tail_are_predicted_as_the_parts_do(of_a_long_tail):
    scorer = of_a_long_tail.scorer()
    rows = np.random.default_rng(7).normal(size=(500, 2)) * [1.0, 2.0]
    expected = scorer.predict_many(rows)
    np.testing.assert_array_equal(expected, of_a_long_tail.predict_many(rows))
    again = nystream.Scorer.from_bytes(scorer.to_bytes())
    np.testing.assert_array_equal(again.predict_many(rows), expected)
    for scores in (from_parts(scorer.parts, rows), [scorer.predict_one(x) for x in rows]):
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())
    curves = scorer.parts["curved"]["curves"]
    straight = [0, 1, 0] * 2 if scorer.n_targets == 3 else [0, 0]
    assert (curves[:, 1] == 0).tolist() == list(map(bool, straight))


@pytest.mark.parametrize("n_rows", [1, 500])
def test_onnxruntime_scores_labels_with_a_long_tail(of_a_long_tail, n_rows, tmp_path):
    scorer, path = of_a_long_tail.scorer(), tmp_path / "scorer.onnx"
    rows = np.random.default_rng(8).normal(size=(n_rows, 2)) * [1.0, 2.0]
    found = in_onnxruntime(scorer, rows, path)
    for now, then in zip(np.c_[found].T, np.c_[scorer.predict_many(rows)].T, strict=True):
        assert relative(now, then) < 1e-9
    rows = rows.astype(np.float32)
    found = in_onnxruntime(scorer, rows, path, "float32")
    assert np.isfinite(found).all()
    for now, then in zip(np.c_[found].T, np.c_[scorer.predict_many(rows)].T, strict=True):
        assert relative(now, then) < 0.05


def test_auto_of_an_old_file_has_no_past(tmp_path):
    folder = Path(__file__).parents[1] / "golden" / "format-1"
    scorer = nystream.load(folder / "Auto-scorer.nys")
    rows = np.random.default_rng(9).normal(size=(50, scorer.n_features))
    assert not {"past", "mapped", "trees", "curved"} & set(scorer.parts)
    assert repr(scorer) == f"<nystream.Scorer: {len(scorer.parts['expansions'])} widths>"
    expected = scorer.predict_many(rows)
    np.testing.assert_allclose(from_parts(scorer.parts, rows), expected, rtol=1e-9)
    assert relative(in_onnxruntime(scorer, rows, tmp_path / "scorer.onnx"), expected) < 1e-9


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_only_trees_need_the_operators_of_trees(of_wandering, dtype):
    pytest.importorskip("onnx", reason="onnx is not installed")

    def domains(scorer):
        return {opset.domain for opset in _onnx.model(scorer, dtype).opset_import}

    scorer = of_wandering.scorer()
    has_trees = any(len(trees["roots"]) for trees in scorer.parts["trees"])
    assert domains(scorer) == ({"", "ai.onnx.ml"} if has_trees else {""})
    assert domains(nystream.Auto().scorer()) == {""}


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 40])
def test_auto_can_be_written_at_any_age(n_rows, tmp_path):
    model = nystream.Auto()
    model.learn_many(X[:n_rows], Y[:n_rows])
    found = in_onnxruntime(model.scorer(), X, tmp_path / "scorer.onnx")
    np.testing.assert_allclose(found, model.predict_many(X), atol=1e-9)


@pytest.mark.parametrize("name", PAPER_SETS)
def test_onnxruntime_scores_the_papers_data(name, tmp_path):
    rows, y, sigma = paper_set(name)
    rows, y = rows[:2000], y[:2000]
    model = nystream.RidgeAld(nystream.Gaussian(sigma), alpha=25 / len(y), clip=True)
    model.learn_many(rows, y)
    scorer = model.scorer()
    found = in_onnxruntime(scorer, rows, tmp_path / "scorer.onnx")
    assert relative(found, scorer.predict_many(rows)) < 1e-6


@pytest.mark.parametrize("name", PAPER_SETS)
@pytest.mark.slow
def test_onnxruntime_scores_auto_on_the_papers_data(name, tmp_path):
    rows, y, _ = paper_set(name)
    model = nystream.Auto()
    model.learn_many(rows[:2000], y[:2000])
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
