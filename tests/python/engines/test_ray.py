"""Learners on Ray: shards that survive, scoring and sweeps."""

from __future__ import annotations

import copy
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
from support import random_stream

import nystream
from nystream._runs.checkpoint import Checkpoint

pytest.importorskip("ray", reason="not installed: ray")

import ray

from nystream.ray import Shards, score, sweep
from nystream.ray._keys import home
from nystream.ray._record import Record
from nystream.ray._shard import Shard
from nystream.ray._tasks import _outcome

pytestmark = pytest.mark.ray

N_ROWS, SIZE = 3000, 250
KEYS = ["north", "south", "hill", "lake", "7"]  # of two shards, both have some


def ridge(**params):
    return nystream.RidgeAld(nystream.Gaussian(sigma=2.0), max_basis=50, **params)


def stream(n_rows=N_ROWS, seed=0):
    X, y = random_stream(n_rows, 3, seed)
    return np.random.default_rng(seed).choice(KEYS, n_rows), X, y


def plain(model, keys, X, y, size=SIZE):
    """A model for each key in this process, with the rows in the same batches."""
    models, predictions = {}, np.empty(np.shape(y))
    for i in range(0, len(y), size):
        for key in np.unique(keys[i : i + size]):
            rows = i + np.flatnonzero(keys[i : i + size] == key)
            of_key = models.setdefault(str(key), copy.deepcopy(model))
            predictions[rows] = of_key.progressive(X[rows], y[rows])
    return models, predictions


def alone(model, keys, X, y):
    """The same in a Keyed, whose keys have nothing in common, in one call."""
    keyed = nystream.Keyed(model, shared=False)
    predictions = keyed.progressive(keys, X, y)
    return {key: keyed.model(key) for key in map(str, keyed.keys())}, predictions


def same_models(one, other):
    assert {k: m.to_bytes() for k, m in one.items()} == {k: m.to_bytes() for k, m in other.items()}


def batch(i, *arrays):
    return [array[i : i + SIZE] for array in arrays]


def process_ids(shards):
    """The processes of the actors."""
    asked = [a.__ray_call__.remote(lambda shard: os.getpid()) for a in shards._actors._actors]
    return ray.get(asked)


def feed(shards, rows, before=lambda i: None):
    """Feed the rows of a stream until all are learned; return all predictions, and failures."""
    predictions, failures = np.full(len(rows[0]), np.nan), []
    while shards.position < len(rows[0]):
        i = shards.position
        before(i)
        try:
            predictions[i : i + SIZE] = shards.progressive(*batch(i, *rows), offset=i)
        except RuntimeError as error:
            failures.append(str(error))
    return predictions, failures


@pytest.fixture(scope="session")
def learned(cluster, tmp_path_factory):
    """Shards that have learned a stream, which no test changes, and what they predicted."""
    shards = Shards(ridge(), 2, tmp_path_factory.mktemp("shards") / "new" / "folder")
    predictions, failures = feed(shards, stream())
    assert not failures
    return shards, predictions


def test_shards_predict_and_learn_as_one_process_does(learned):
    shards, predictions = learned
    models, expected = alone(ridge(), *stream())
    np.testing.assert_array_equal(predictions, expected)
    same_models(shards.models(), models)
    assert list(shards.models()) == sorted(KEYS)
    np.testing.assert_array_equal(predictions, plain(ridge(), *stream(), size=1)[1])
    np.testing.assert_allclose(predictions, plain(ridge(), *stream())[1], rtol=1e-9, atol=1e-9)

    keys, X, _ = stream(100, seed=1)
    asked = shards.predict_many([*keys, "nobody"], [*X, X[0]])
    expected = [models[key].predict_one(x) for key, x in zip(keys, X, strict=True)]
    np.testing.assert_allclose(asked, [*expected, 0.0], rtol=1e-9)
    same_models(shards.models(), models)


def test_rows_fed_again_change_nothing_and_gaps_are_refused(learned):
    shards, _ = learned
    before = shards.models()
    assert np.isnan(shards.progressive(*stream(), offset=0)).all()
    assert np.isnan(shards.progressive(*batch(100, *stream()), offset=100)).all()
    message = f"offset should be at most {N_ROWS}, or rows would be left out, but is {N_ROWS + 1}"
    with pytest.raises(ValueError, match=message):
        shards.progressive(*stream(), offset=N_ROWS + 1)
    same_models(shards.models(), before)
    assert shards.position == N_ROWS


def test_no_row_is_lost_or_doubled_when_processes_are_killed(cluster, tmp_path):
    """One of them, before a batch that the other learns: the same models to the last bit."""
    chance = random.Random(0)
    rows = stream()
    unlucky = chance.sample(range(SIZE, N_ROWS, SIZE), 2)

    def kill(i):
        if i in unlucky:
            unlucky.remove(i)
            os.kill(chance.choice(process_ids(shards)), signal.SIGKILL)

    shards = Shards(ridge(), 2, tmp_path, every=2 * SIZE)
    predictions, failures = feed(shards, rows, kill)
    models, expected = alone(ridge(), *rows)
    np.testing.assert_array_equal(predictions, expected)
    same_models(shards.models(), models)
    assert len(failures) == 2
    assert all("from which to feed again" in failure for failure in failures)


def test_another_program_goes_on_where_the_last_record_is(cluster, tmp_path):
    """With another number of shards, and fed from an earlier row on, within a batch."""
    keys, X, y = stream()
    first = Shards(ridge(), 1, tmp_path, every=4 * SIZE)
    for i in range(0, 7 * SIZE, SIZE):
        first.progressive(*batch(i, keys, X, y), offset=i)
        # What a record counts as learned, the caller has had the predictions of.
        assert Record.read(tmp_path).position == (4 * SIZE if i >= 4 * SIZE else 0)
    for actor in first._actors._actors:
        ray.kill(actor)

    second = Shards(ridge(), 2, tmp_path)
    start, stop = 4 * SIZE, 5 * SIZE
    assert second.position == start
    again = slice(start - 100, stop)
    predictions = second.progressive(keys[again], X[again], y[again], offset=start - 100)
    models, expected = alone(ridge(), keys[:stop], X[:stop], y[:stop])
    assert np.isnan(predictions[:100]).all()
    np.testing.assert_array_equal(predictions[100:], expected[start:])
    same_models(second.models(), models)

    second.save()
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"shards.ckpt", f"shard-0-{stop}.nys", f"shard-1-{stop}.nys"}
    assert Record.read(tmp_path).position == stop


def nan_at(array, place):
    array = array.copy()
    array[place] = np.nan
    return array


K, X, Y = stream(20)
REFUSED = [
    ((K, nan_at(X, (3, 1)), Y), ValueError, r"X\[3, 1\] should be a finite number"),
    ((K, X, nan_at(Y, 4)), ValueError, r"y\[4\] should be a finite number"),
    ((K, X[:, :2], Y), ValueError, "X should have 3 features, but has 2"),
    ((K, X, Y[:9]), ValueError, "y should have as many labels as X has rows, 20, but has 9"),
    ((K[:9], X, Y), ValueError, "keys should be as many as X has rows, 20, but there are 9"),
    ((K[:3], X[0], Y[:3]), ValueError, "X should be two-dimensional"),
    (([], np.empty((0, 3)), []), ValueError, "X should have at least one row"),
    ((X, X, Y), ValueError, r"keys should be one-dimensional, but has the shape \(20, 3\)"),
    ((Y, X, Y), TypeError, "keys should be text or whole numbers, but has the dtype float64"),
    (([*K[:19], None], X, Y), TypeError, r"keys\[19\] should be text .* but is None"),
]


def test_refused_batches_leave_every_shard_as_it_was(learned):
    shards, _ = learned
    before = shards.models()
    for rows, kind, message in REFUSED:
        with pytest.raises(kind, match=message):
            shards.progressive(*rows, offset=N_ROWS)
    for offset, kind, message in [
        (-1, ValueError, "offset should be at least 0, but is -1"),
        (2.5, TypeError, "offset should be a whole number, but is 2.5"),
    ]:
        with pytest.raises(kind, match=message):
            shards.progressive(K, X, Y, offset)
    with pytest.raises(ValueError, match="X should have 3 features, but has 2"):
        shards.predict_many(K, X[:, :2])
    same_models(shards.models(), before)
    assert shards.position == N_ROWS


def test_a_learner_that_fails_takes_all_shards_back(cluster, tmp_path):
    """One key has more rows than its learner takes: no other key has learned them, either."""
    shards = Shards(nystream.Kogd(max_rows=15), 1, tmp_path, every=10)
    for i in (0, 10):  # at 10 what was learned before is written
        shards.progressive(K[i : i + 10], X[i : i + 10], Y[i : i + 10], offset=i)
    with pytest.raises(RuntimeError, match=r"max_rows is 15.*all are back at row 20, from which"):
        shards.progressive(["north"] * 20, X, Y, offset=20)
    assert shards.position == 20
    same_models(shards.models(), plain(nystream.Kogd(max_rows=15), K, X, Y, 10)[0])


def test_an_interrupted_call_is_undone(cluster, tmp_path, monkeypatch):
    """The shard has learned the rows, but the caller cannot know."""

    def interrupted(calls):
        ray.get(calls)
        raise KeyboardInterrupt

    shards = Shards(ridge(), 1, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("nystream.ray._actors.answers", interrupted)
        with pytest.raises(KeyboardInterrupt):
            shards.progressive(K, X[:, :2], Y, offset=0)
    assert shards.position == 0
    predictions = shards.progressive(K, X, Y, offset=0)  # the rows before had another width
    models, expected = alone(ridge(), K, X, Y)
    np.testing.assert_array_equal(predictions, expected)
    same_models(shards.models(), models)


def test_models_may_have_learned_before_and_have_names_and_targets(cluster, tmp_path):
    pd = pytest.importorskip("pandas", reason="not installed: pandas")
    frame, labels = pd.DataFrame(X, columns=list("abc")), np.column_stack([Y, 2 * Y])
    model = ridge(n_targets=2)
    model.learn_many(frame, labels)
    shards = Shards(model, 1, tmp_path)
    with pytest.raises(ValueError, match='X should have the column "c"'):
        shards.progressive(K, frame.rename(columns={"c": "d"}), labels, offset=0)
    with pytest.raises(ValueError, match="X should have 3 features, but has 2"):
        shards.progressive(K, X[:, :2], labels, offset=0)
    with pytest.raises(ValueError, match="y should be two-dimensional"):
        shards.progressive(K, frame, Y, offset=0)

    predictions = shards.progressive(pd.Series(K), frame, labels, offset=0)
    models, expected = plain(model, K, X, labels, len(K))
    np.testing.assert_array_equal(predictions, expected)
    same_models(shards.models(), models)
    assert shards.models()["north"].feature_names == ["a", "b", "c"]
    assert model.n_seen == 20
    with pytest.raises(ValueError, match=r"model should be what .* began with"):
        Shards(ridge(), 1, tmp_path)


def test_a_damaged_file_is_refused(cluster, tmp_path):
    validator = Record.first(ridge()).validator
    Record(ridge(), validator, 20, ["shard-0-20.ckpt"]).write(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"shard-0-20\.ckpt"):
        Shards(ridge(), 1, tmp_path)
    (tmp_path / "shard-0-20.ckpt").write_bytes(Checkpoint({}, {}).to_bytes()[:-1])
    with pytest.raises(ValueError, match=r"shard-0-20\.ckpt is not a sound checkpoint"):
        Shards(ridge(), 1, tmp_path)
    Record(ridge(), validator, 20, ["shard-0-20.nys"]).write(tmp_path)
    (tmp_path / "shard-0-20.nys").write_bytes(nystream.Keyed(ridge()).to_bytes()[:-1])
    with pytest.raises(ValueError, match=r"shard-0-20\.nys: not a nystream model: it ends too"):
        Shards(ridge(), 1, tmp_path)
    ridge().save(tmp_path / "shard-0-20.nys")
    with pytest.raises(ValueError, match=r"shard-0-20\.nys should hold models by key, but holds"):
        Shards(ridge(), 1, tmp_path)


def test_a_shard_refuses_rows_that_do_not_come_next(monkeypatch):
    monkeypatch.setattr(nystream, "set_num_threads", lambda n: None)  # this process is no worker
    shard = Shard(ridge())
    with pytest.raises(ValueError, match="rows from 5 on do not follow those up to 0"):
        shard.progressive((5, 6), None, X, Y)


def taught():
    model = nystream.Keyed(ridge())
    model.learn_many(K, X, Y)
    return model


def test_the_arguments_of_shards_are_checked(tmp_path):
    for arguments, every, kind, message in [
        ((nystream.RidgeAld, 1), 1, TypeError, "should be a learner or a Keyed, but is <class"),
        ((taught(), 1), 1, ValueError, "should be a Keyed without rows, but has learned 20 of"),
        ((ridge(), 0), 1, ValueError, "n_shards should be at least 1, but is 0"),
        ((ridge(), 1.5), 1, TypeError, "n_shards should be a whole number, but is 1.5"),
        ((ridge(), 1), 0, ValueError, "every should be at least 1, but is 0"),
    ]:
        with pytest.raises(kind, match=message):
            Shards(*arguments, tmp_path / "folder", every=every)
    assert not (tmp_path / "folder").exists()


def test_keys_live_in_the_same_shard_in_every_process():
    keys = [f"key {i}" for i in range(1000)]
    script = (
        "from nystream.ray._keys import home; print(*[home(f'key {i}', 7) for i in range(1000)])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    homes = [home(key, 7) for key in keys]
    assert run.stdout.split() == [str(shard) for shard in homes]
    assert np.bincount(homes).min() > 100  # of 143 on average


def test_scores_are_those_of_predict_many(cluster, tmp_path):
    rows = np.random.default_rng(0).uniform(-1, 1, (1000, 3))
    model = ridge()
    model.learn_many(X, Y)
    asked = []

    def blocks():
        for i in range(0, 1000, 100):
            asked.append(i)
            yield rows[i : i + 100]

    scores = score(model, blocks(), in_flight=3)
    first = next(scores)
    assert len(asked) <= 4  # blocks wait until they can be worked on
    expected = [model.predict_many(block) for block in np.split(rows, 10)]
    np.testing.assert_array_equal([first, *scores], expected)

    for i, block in enumerate(np.split(rows, 10)):
        np.save(tmp_path / f"{i}.npy", block)
    files = [tmp_path / f"{i}.npy" for i in range(10)]
    np.testing.assert_array_equal([*score(model.scorer(), files, read=np.load)], expected)


def test_a_block_that_cannot_be_scored_is_named(cluster):
    model = ridge()
    model.learn_many(X, Y)
    scores = score(model, [X, X[:, :2]])
    np.testing.assert_array_equal(next(scores), model.predict_many(X))
    with pytest.raises(RuntimeError, match="block 1 cannot be predicted: X should have 3 features"):
        next(scores)
    with pytest.raises(TypeError, match="blocks should be several arrays or frames, but is one"):
        score(model, X)
    with pytest.raises(TypeError, match="model should be a learner or a scorer, but is None"):
        score(None, [X])
    with pytest.raises(ValueError, match="in_flight should be at least 1, but is 0"):
        score(model, [X], in_flight=0)


def test_every_learner_and_kernel_runs_in_a_sweep_as_it_does_here(cluster):
    """Which also says that they can be pickled to processes that have seen none before."""
    _, rows, labels = stream(100)
    models = {name: getattr(nystream, name)() for name in nystream.algorithms()}
    models |= {(k, 1): nystream.NonsAld(getattr(nystream, k)()) for k in nystream.kernels()}
    models["full"] = nystream.Kogd(max_rows=10)
    trials = sweep(models, rows, labels)

    expected = {}
    for name, model in models.items():
        if name != "full":
            again = copy.deepcopy(model)
            expected[name] = (
                np.mean((again.progressive(rows, labels) - labels) ** 2),
                again.n_basis,
            )
    assert {trial.name: (trial.mse, trial.n_basis) for trial in trials[:-1]} == expected
    assert [trial.mse for trial in trials] == sorted(trial.mse for trial in trials)
    assert all(trial.error is None and trial.seconds > 0 for trial in trials[:-1])
    assert (trials[-1].name, trials[-1].mse) == ("full", np.inf)
    assert "max_rows is 10" in trials[-1].error
    assert all(model.n_seen == 0 for model in models.values())


def test_bad_rows_are_refused_before_a_sweep():
    for models, rows, kind, message in [
        ({"ridge": ridge()}, (nan_at(X, (3, 1)), Y), ValueError, r"X\[3, 1\] should be a finite"),
        ({"ridge": ridge()}, (X, Y[:9]), ValueError, "y should have as many labels as X has rows"),
        ({"one": 1}, (X, Y), TypeError, r"models\['one'\] should be a learner, but is 1"),
    ]:
        with pytest.raises(kind, match=message):
            sweep(models, *rows)


def test_a_process_that_dies_is_one_failure_of_a_sweep(cluster):
    @ray.remote(max_retries=0)
    def die():
        os._exit(1)

    mse, *_, reason = _outcome(die.remote())
    assert mse == np.inf
    assert "worker died unexpectedly" in reason


def test_a_missing_library_is_an_error_that_tells_what_to_install():
    script = "import sys; sys.modules['ray'] = None; import nystream.ray"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "ImportError: nystream.ray needs Ray: pip install 'nystream[ray]'" in run.stderr
