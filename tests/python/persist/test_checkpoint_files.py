"""A checkpoint: models and how far they are in their stream, in one file."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from support import random_stream

import nystream
from nystream._runs.checkpoint import Checkpoint, is_checkpoint


@pytest.fixture
def checkpoint():
    X, y = random_stream(50, 2)
    models = {"a/../b": nystream.LinearRls(), "": nystream.RidgeAld(), "\x00ü": nystream.Auto()}
    for model in models.values():
        model.learn_many(X, y)
    named = {name: model.to_bytes() for name, model in models.items()}
    return Checkpoint(named, {"row": 50, "loss": [0.1, 1e-300]})


def test_a_checkpoint_comes_back_as_it_was(checkpoint, tmp_path):
    path = tmp_path / "c.ckpt"
    checkpoint.write(path)
    assert is_checkpoint(path)
    assert Checkpoint.read(path) == checkpoint
    assert path.read_bytes() == checkpoint.to_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["c.ckpt"]


def test_any_tool_can_take_a_model_out_of_a_checkpoint(checkpoint, tmp_path):
    path = tmp_path / "c.ckpt"
    checkpoint.write(path)
    with zipfile.ZipFile(path) as archive:
        archive.extract("model-0.nys", tmp_path)
    assert nystream.load(tmp_path / "model-0.nys").n_seen == 50


def test_damage_is_found(checkpoint, tmp_path):
    path = tmp_path / "c.ckpt"
    sound = checkpoint.to_bytes()
    rng = np.random.default_rng(0)
    for at in [*rng.integers(0, len(sound), 40), 0, len(sound) - 1]:
        path.write_bytes(sound[:at])
        with pytest.raises(ValueError, match="is not a sound checkpoint"):
            Checkpoint.read(path)
    for at in rng.integers(0, len(sound) // 2, 20):
        damaged = bytearray(sound)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        try:
            found = Checkpoint.read(path)
        except ValueError:
            continue
        assert found == checkpoint  # a byte that says nothing, such as a date


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(checkpoint, tmp_path):
    path = tmp_path / "c.ckpt"
    checkpoint.write(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="not JSON compliant"):
        Checkpoint(checkpoint.models, {"loss": float("nan")}).write(path)
    assert path.read_bytes() == before
    with pytest.raises(FileNotFoundError):
        checkpoint.write(tmp_path / "nowhere" / "c.ckpt")
