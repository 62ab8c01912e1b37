"""Learners on Ray: a Keyed in each shard."""

from __future__ import annotations

import numpy as np
import pytest
from messy import messy_rows
from support import random_stream

import nystream
from nystream._frames import NamedRows
from nystream._runs.checkpoint import Checkpoint

pytest.importorskip("ray", reason="not installed: ray")

from nystream.ray import Shards
from nystream.ray._keys import home
from nystream.ray._record import Record

pytestmark = pytest.mark.ray

N_ROWS, SIZE = 600, 200


def keyed():
    return nystream.Keyed(nystream.LinearRls(), shared=nystream.RidgeAld(max_basis=30))


def stream():
    X, y = random_stream(N_ROWS, 3)
    return np.random.default_rng(0).integers(0, 40, N_ROWS), X, y


def by_shard(model, n_shards, keys, X, y):
    """What a Keyed for each shard predicts of its keys, batch by batch, in this process."""
    homes = np.array([home(str(key), n_shards) for key in keys])
    models = [model() for _ in range(n_shards)]
    predictions = np.empty(len(y))
    for i in range(0, len(y), SIZE):
        for shard, own in enumerate(models):
            rows = i + np.flatnonzero(homes[i : i + SIZE] == shard)
            some = [X[row] for row in rows]
            predictions[rows] = own.progressive([str(keys[r]) for r in rows], some, y[rows])
    return predictions, models


def feed(shards, keys, X, y):
    """Feed what comes next, and return its predictions."""
    start = shards.position
    starts = range(start, len(y), SIZE)
    some = [
        shards.progressive(keys[i : i + SIZE], X[i : i + SIZE], y[i : i + SIZE], offset=i)
        for i in starts
    ]
    return np.concatenate(some)


def test_each_shard_has_a_shared_model_of_its_own_keys(cluster, tmp_path):
    keys, X, y = stream()
    expected, models = by_shard(keyed, 2, keys, X, y)
    shards = Shards(keyed(), 2, tmp_path)
    shards.progressive(keys[:SIZE], X[:SIZE], y[:SIZE], offset=0)
    shards.save()
    again = Shards(keyed(), 2, tmp_path)
    np.testing.assert_array_equal(feed(again, keys, X, y), expected[SIZE:])
    asked = again.predict_many([3, "new"], X[:2])
    wanted = [models[home(key, 2)].predict_one(key, X[i]) for i, key in enumerate(["3", "new"])]
    np.testing.assert_allclose(asked, wanted, rtol=1e-9)
    assert {key: own.n_seen for key, own in again.models().items()} == {
        str(key): np.count_nonzero(keys == key) for key in np.unique(keys)
    }
    again.save()
    with pytest.raises(ValueError, match=r"n_shards should be 2, as in .* but is 3"):
        Shards(keyed(), 3, tmp_path)
    assert nystream.load(tmp_path / f"shard-1-{N_ROWS}.nys").n_seen == models[1].n_seen


def test_keys_of_a_shard_share_columns(cluster, tmp_path):
    rows, y = messy_rows()
    keys, y = np.arange(len(y)) % 7, np.asarray(y)

    def tables():
        return nystream.Keyed(nystream.Tabular(nystream.RidgeAld(max_basis=30)))

    shards = Shards(tables(), 2, tmp_path)
    expected, _ = by_shard(tables, 2, keys, rows, y)
    np.testing.assert_array_equal(feed(shards, keys, rows, y), expected)
    with pytest.raises(ValueError, match='column "new" is new'):
        shards.predict_many([1], [{**rows[0], "new": 1.0}])


def folder_of_learners(folder, model, keys, X, y):
    """A folder as earlier versions wrote it: a file of learners."""
    models = {}
    for key in np.unique(keys).tolist():
        models[str(key)] = type(model)(**model.params)
        models[str(key)].learn_many(X[keys == key], y[keys == key])
    validator = Record.first(model).validator
    validator.learn_many(X, y)
    files = {key: learner.to_bytes() for key, learner in models.items()}
    Checkpoint(files, {"position": len(y)}).write(folder / f"shard-0-{len(y)}.ckpt")
    Record(model, validator, len(y), [f"shard-0-{len(y)}.ckpt"]).write(folder)
    return models


@pytest.mark.parametrize("n_shards", [1, 2])
def test_a_folder_of_learners_goes_on_as_one_of_keyed(cluster, tmp_path, n_shards):
    keys, X, y = stream()
    X, half = NamedRows(["a", "b", "c"], X), N_ROWS // 2
    model = nystream.RidgeAld(max_basis=30)
    models = folder_of_learners(tmp_path, model, keys[:half], X[:half], y[:half])
    shards = Shards(model, n_shards, tmp_path)
    assert shards.position == half
    expected = [
        models[str(keys[i])].progressive(X[i : i + 1], y[i : i + 1])[0] for i in range(half, N_ROWS)
    ]
    np.testing.assert_array_equal(feed(shards, keys, X, y), expected)
    shards.save()
    names = {file.name for file in tmp_path.glob("shard-*")}
    assert names == {f"shard-{i}-{N_ROWS}.nys" for i in range(n_shards)}
    found = shards.models()
    assert {k: m.n_seen for k, m in found.items()} == {k: m.n_seen for k, m in models.items()}
    moved = Shards(model, 3 - n_shards, tmp_path).models()
    assert {k: m.to_bytes() for k, m in moved.items()} == {
        k: m.to_bytes() for k, m in found.items()
    }
    assert moved["7"].feature_names == ["a", "b", "c"]
