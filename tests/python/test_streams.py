"""The parts of which streams are made."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import random
import zipfile

import numpy as np
import pytest
import tables
from hypothesis import given
from hypothesis import strategies as st
from support import random_stream

import nystream
from nystream._runs.checkpoint import Checkpoint, is_checkpoint
from nystream._runs.tally import Tally
from nystream._tables.blocks import recut
from nystream._tables.opening import open_table
from nystream._tables.table import Position


@given(
    sizes=st.lists(st.integers(0, 20), max_size=8),
    n_rows=st.integers(1, 25),
    start=st.integers(0, 60),
    data=st.data(),
)
def test_blocks_are_cut_anew_without_loss(sizes, n_rows, start, data):
    total = sum(sizes)
    first_row = data.draw(st.integers(0, start))
    values = np.arange(first_row, first_row + total, dtype=float)[:, None]
    blocks = np.split(values, np.cumsum(sizes)[:-1]) if sizes else []
    pieces = list(recut(blocks, first_row, n_rows, start))
    assert all(len(piece) == n_rows for _, piece in pieces[:-1])
    assert all(0 < len(piece) <= n_rows for _, piece in pieces)
    assert [row for row, _ in pieces] == [start + i * n_rows for i in range(len(pieces))]
    found = np.concatenate([piece[:, 0] for _, piece in pieces]) if pieces else np.empty(0)
    np.testing.assert_array_equal(found, np.arange(start, first_row + total))


@pytest.mark.parametrize("name", tables.WRITERS)
@pytest.mark.parametrize("chunk", [1, 190, 1000])
@pytest.mark.parametrize("resumable", [False, True])
def test_a_table_is_read_on_from_any_chunk(name, chunk, resumable, tmp_path):
    X, y = random_stream(600 if chunk > 1 else 7, 3)
    path = tables.write(tmp_path, name, X, y)

    def read(start):
        table = open_table(str(path), None, resumable)
        parts = list(table.chunks([3, 1], chunk, start))
        assert table.fraction(parts[-1].end) in (None, 1.0) if parts else True
        table.close()
        return parts

    whole = read(Position())
    np.testing.assert_array_equal(np.concatenate([p.values for p in whole]), np.c_[y, X[:, 1]])
    for i, part in enumerate(whole):
        rest = read(part.end)
        assert len(rest) == len(whole) - i - 1
        for one, other in zip(rest, whole[i + 1 :], strict=True):
            np.testing.assert_array_equal(one.rows, other.rows)
            np.testing.assert_array_equal(one.values, other.values)
            assert one.end == other.end


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows", "t.csv.gz"])
def test_a_damaged_table_is_refused_or_read(name, tmp_path):
    path, rng = tables.write(tmp_path, name, *random_stream(300, 3)), random.Random(1)
    sound = path.read_bytes()
    for _ in range(300):
        damaged = bytearray(sound[: rng.choice([len(sound), rng.randrange(1, len(sound))])])
        for _ in range(4):
            damaged[-rng.randrange(1, 800) % len(damaged)] = rng.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(ValueError):
            table = open_table(str(path), None, resumable=True)
            with contextlib.closing(table):
                list(table.chunks(range(min(4, table.columns.count)), 97, Position()))


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_lines_that_are_no_rows_are_part_of_the_position(name, tmp_path, monkeypatch):
    monkeypatch.setattr("nystream._tables.lines.LONGEST", 100)
    rows = ["[1, 2]", "", "x" * 1000, '{"a": 1, "y": 2}', " " * 101, '{"a": 3, "y": 4}', "z" * 350]
    text = "\n".join([*rows, '{"a": 5, "y": 6}', ""]).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)

    def read(start):
        table = open_table(str(path), None, resumable=True)
        parts = list(table.chunks([0, 1], 1, start))
        table.close()
        return parts

    whole = read(Position())
    assert [part.end.line for part in whole] == [1, 3, 4, 5, 6, 7, 8]
    assert [part.values.tolist() for part in whole if len(part.rows)] == [
        [[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]],
    ]  # fmt: skip
    assert whole[-1].end.byte == len(text)
    assert whole[-1].end.digest == hashlib.blake2b(text, digest_size=32).hexdigest()
    for i, part in enumerate(whole):
        assert [other.end for other in read(part.end)] == [p.end for p in whole[i + 1 :]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_figures_do_not_depend_on_the_chunks(sizes, seed):
    rng = np.random.default_rng(seed)
    n_rows = sum(sizes)
    p, y = rng.normal(size=(n_rows, 2)), 100 + rng.normal(size=(n_rows, 2))
    tally, start = Tally(), 0
    for size in sizes:
        tally.add(p[start : start + size], y[start : start + size])
        start += size
    assert tally.good == n_rows
    if n_rows > 1:
        squared = ((p - y) ** 2).mean(axis=0)
        assert tally.mse == pytest.approx(squared.mean())
        assert tally.r2 == pytest.approx(np.mean(1 - squared / y.var(axis=0)))


# checkpoints


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
