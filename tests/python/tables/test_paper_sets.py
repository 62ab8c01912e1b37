"""The paper's sets by name: in folders, in the cache, and from OpenML."""

from __future__ import annotations

import ast
import io
import sys
import urllib.error
from http.client import IncompleteRead
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from files import answer, refused
from support import DATA, PAPER_SETS

from nystream import datasets

pytestmark = pytest.mark.usefixtures("no_places")


# Rows, features and widths as the paper gives them, and where its features are.
IN_THE_PAPER = {
    "parkinson": (5875, 16, 8.0, 0.0),
    "elevators": (16599, 18, 8.0, -1.0),
    "cpusmall": (8192, 12, 2.0, 0.0),
    "bank": (8192, 32, 12.0, -1.0),
    "ailerons": (13750, 40, 8.0, -1.0),
    "calhousing": (14000, 8, 4.0, -1.0),
    "tomshardware": (28179, 96, 12.0, 0.0),
    "year": (51630, 90, 16.0, -1.0),
}


def test_all_of_the_papers_sets_are_known():
    assert datasets.names("paper") == tuple(IN_THE_PAPER)
    assert datasets.names() == datasets.names("paper") + datasets.names("embedded")
    for name, (rows, features, sigma, _) in IN_THE_PAPER.items():
        info = datasets.info(name)
        assert (info.kind, info.rows, info.features) == ("paper", rows, features)
        assert info.sigma == sigma


@pytest.mark.parametrize("name", PAPER_SETS)
def test_the_papers_sets_are_as_described(name):
    path = DATA / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the data set {name} is not at {path}; NYSTREAM_DATA names its folder")
    rows, features, sigma, low = IN_THE_PAPER[name]
    data = datasets.load(name, data_dir=DATA)
    assert data.X.shape == (rows, features)
    assert (data.sigma, data.paper_rows, data.source) == (sigma, rows, str(path))
    assert data.X.dtype == data.y.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert (data.y.min(), data.y.max()) == (0, 1)
    assert data.X.min() == low
    assert data.X.max() == 1
    if name != "calhousing":  # which is a part of what was scaled
        np.testing.assert_array_equal(data.X.min(axis=0), low)
        np.testing.assert_array_equal(data.X.max(axis=0), 1)
    assert not np.all(data.X[0] == data.X, axis=0).any()
    first = datasets.load(name, data_dir=DATA, n_rows=7)
    np.testing.assert_array_equal(first.X, data.X[:7])
    np.testing.assert_array_equal(first.y, data.y[:7])
    assert first.paper_rows == rows


def stored(folder, name="cpusmall", seed=0, **more):
    """Put a made-up set of the right shape into a folder; returns its X and y."""
    rng = np.random.default_rng(seed)
    rows, features, *_ = IN_THE_PAPER[name]
    X, y = rng.uniform(-1, 1, (rows, features)).astype("f4"), rng.random(rows).astype("f4")
    folder.mkdir(exist_ok=True)
    np.savez(folder / f"{name}.npz", X=X, y=y, **more)
    return X.astype(float), y.astype(float)


def test_places_are_tried_in_turn(tmp_path, monkeypatch):
    argument, variable, cache = (tmp_path / place for place in ("a", "b", "cache"))
    monkeypatch.setenv("NYSTREAM_DATA", str(variable))
    assert datasets.find("cpusmall", argument) is None
    for seed, folder in enumerate([cache, variable, argument]):
        X, y = stored(folder, seed=seed)
        assert datasets.find("cpusmall", argument) == folder / "cpusmall.npz"
        data = datasets.load("cpusmall", data_dir=str(argument))
        np.testing.assert_array_equal(data.X, (X + 1) / 2)
        np.testing.assert_array_equal(data.y, y)
        assert data.source == str(folder / "cpusmall.npz")
    assert datasets.find("cpusmall") == variable / "cpusmall.npz"
    assert datasets.find("friedman", argument) is None


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/nystream"),
        ("linux", {"HOME": "/h"}, "/h/.cache/nystream"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": ""}, "/h/.cache/nystream"),
        ("win32", {"LOCALAPPDATA": "/l", "XDG_CACHE_HOME": "/x"}, "/l/nystream"),
        ("linux", {"NYSTREAM_CACHE": "/c", "XDG_CACHE_HOME": "/x"}, "/c"),
    ],
)
def test_where_the_cache_is(platform, variables, folder, monkeypatch):
    from nystream.datasets import _paper

    for name in ("NYSTREAM_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert _paper.cache_folder().as_posix() == folder


def test_a_file_may_say_more_than_its_arrays(tmp_path):
    names = [f"c{i}" for i in range(12)]
    stored(tmp_path, feature_names=names, target_name="load", target_range=[2, 9], note="a note")
    data = datasets.load("cpusmall", data_dir=tmp_path)
    assert (data.feature_names, data.target_name) == (tuple(names), "load")
    assert data.target_range == (2.0, 9.0)
    assert data.note.endswith("; a note")


def test_a_file_of_another_shape_is_refused(tmp_path):
    path = tmp_path / "bank.npz"
    np.savez(path, X=np.zeros((5, 2)), y=np.zeros(5))
    message = f"{path} should have the paper's 8192 rows and 32 features, but has 5 and 2"
    with refused(ValueError, message):
        datasets.load("bank", data_dir=tmp_path)


def bunch(name, rows=None, more=(), constants=(), seed=0):
    """What scikit-learn gives for a set of the paper, with other columns before its features."""
    paper_rows, features, *_ = IN_THE_PAPER[name]
    rng = np.random.default_rng(seed)
    names = [*more, *(f"f{i}" for i in range(features)), *constants]
    data = rng.integers(-3, 7, (rows or paper_rows, len(names))).astype(float)
    data[:, len(names) - len(constants) :] = 1.5
    return Bunch(
        data=data,
        target=rng.normal(50, 10, rows or paper_rows),
        feature_names=names,
        target_names=["goal"],
        url="https://www.openml.org/d/1",
    )


class Bunch(dict):
    __getattr__ = dict.__getitem__


def stretched(array):
    return (array - array.min(0)) / (array.max(0) - array.min(0))


OPENML = [
    ("elevators", {"data_id": 216}, {}),
    ("cpusmall", {"data_id": 227}, {}),
    ("bank", {"data_id": 558}, {"constants": ["none"]}),
    ("ailerons", {"data_id": 296}, {"constants": ["a", "b"]}),
    (
        "parkinson",
        {"name": "parkinsons-telemonitoring"},
        {"more": ["subject#", "age", "sex", "test_time", "total_UPDRS"]},
    ),
    ("tomshardware", {"name": "Buzzinsocialmedia_Tomshardware"}, {}),
]


@pytest.mark.parametrize(("name", "where", "odd"), OPENML, ids=[line[0] for line in OPENML])
@pytest.mark.slow
def test_a_set_is_fetched_once(name, where, odd, tmp_path, monkeypatch):
    given = bunch(name, **odd)
    calls = answer(monkeypatch, given)
    data = datasets.load(name)
    target = "motor_UPDRS" if name == "parkinson" else "default-target"
    how = {"target_column": target, "cache": False, "as_frame": False, "parser": "liac-arff"}
    assert calls == [{**where, **how}]
    _, features, sigma, low = IN_THE_PAPER[name]
    start = len(odd.get("more", ()))
    X = stretched(given.data[:, start : start + features])
    np.testing.assert_allclose(data.X, low + (1 - low) * X, rtol=0, atol=1e-12)
    np.testing.assert_allclose(data.y, stretched(given.target), rtol=0, atol=1e-12)
    assert (data.source, data.sigma) == ("https://www.openml.org/d/1", sigma)
    assert data.feature_names == tuple(f"f{i}" for i in range(features))
    assert data.target_range == (given.target.min(), given.target.max())
    assert data.note.endswith("scaled anew by the paper's recipe")

    again = datasets.load(name, n_rows=9)
    assert len(calls) == 1
    np.testing.assert_array_equal(again.X, data.X[:9])
    np.testing.assert_array_equal(again.y, data.y[:9])
    assert again.source == str(tmp_path / "cache" / f"{name}.npz")
    assert [p.name for p in (tmp_path / "cache").iterdir()] == [f"{name}.npz"]
    kept = ("feature_names", "target_name", "target_range", "scaling", "note")
    assert [getattr(again, key) for key in kept] == [getattr(data, key) for key in kept]


def test_houses_are_scaled_before_some_are_taken(monkeypatch):
    given = bunch("calhousing", rows=20640)
    calls = answer(monkeypatch, given)
    data = datasets.load("calhousing")
    assert calls[0]["data_id"] == 537
    np.testing.assert_allclose(data.X, 2 * stretched(given.data)[:14000] - 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(data.y, stretched(given.target)[:14000], rtol=0, atol=1e-12)
    assert "the first 14000 of 20640 rows" in data.note


def test_year_is_the_last_part_scaled_by_itself(monkeypatch):
    # As few rows as will do: the recipe is asked for a tenth of them.
    from nystream.datasets import _openml

    recipe = _openml.Recipe(
        (40, 90), {"name": "YearPredictionMSD"}, rows=400, before_scaling=slice(-40, None)
    )
    given = bunch("year", rows=400)
    answer(monkeypatch, given)
    arrays = _openml.fetch(recipe)
    np.testing.assert_allclose(arrays.X, 2 * stretched(given.data[-40:]) - 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(arrays.y, stretched(given.target[-40:]), rtol=0, atol=1e-12)
    real = sys.modules["nystream.datasets._paper"].PAPER_SETS["year"].openml
    assert (real.shape, real.rows, real.before_scaling) == (
        (51630, 90),
        515345,
        slice(-51630, None),
    )


def with_values(given, **columns):
    return Bunch({**given, **columns})


BANK = bunch("bank")
OPENML_FAILURES = [
    (urllib.error.URLError("no route"), "URLError: <urlopen error no route>"),
    (
        urllib.error.HTTPError("https://x", 412, "gone", {}, io.BytesIO()),
        "HTTPError: HTTP Error 412: gone",
    ),
    (TimeoutError("timed out"), "TimeoutError: timed out"),
    (ConnectionResetError("peer"), "ConnectionResetError: peer"),
    (ValueError("md5 differs"), "ValueError: md5 differs"),
    (IncompleteRead(b"half"), "IncompleteRead: IncompleteRead(4 bytes read)"),
    (KeyError("no such target"), "KeyError: 'no such target'"),
    (
        bunch("bank", rows=8000),
        "its set should have 8192 rows and one target, but has features of shape (8000, 32), "
        "labels of (8000,)",
    ),
    (
        with_values(BANK, target=None),
        "its set should have 8192 rows and one target, but has features of shape (8192, 32), "
        "labels of ()",
    ),
    (
        bunch("bank", more=["id"]),
        "its set should have 32 features that vary, but has 33",
    ),
    (
        with_values(BANK, target=np.full(8192, "a")),
        "its set should hold numbers: could not convert string to float",
    ),
    (
        with_values(BANK, target=np.full(8192, np.nan)),
        "its set should hold finite numbers only, but some are not or are missing",
    ),
]


@pytest.mark.parametrize(("result", "reason"), OPENML_FAILURES, ids=lambda value: str(value)[:30])
def test_the_error_lists_what_was_tried(result, reason, tmp_path, monkeypatch):
    answer(monkeypatch, result)
    (tmp_path / "there").mkdir()
    monkeypatch.setenv("NYSTREAM_DATA", str(tmp_path / "there"))
    message = (
        "the data set bank is in none of the places tried:\n"
        f"- data_dir {tmp_path / 'gone'}: no such folder\n"
        f"- NYSTREAM_DATA {tmp_path / 'there'}: no bank.npz there\n"
        f"- cache {tmp_path / 'cache'}: no such folder\n"
        f"- OpenML: {reason}"
    )
    with refused(FileNotFoundError, message):
        datasets.load("bank", data_dir=tmp_path / "gone")
    assert datasets.find("bank") is None
    assert not (tmp_path / "cache").exists()


def test_a_missing_scikit_learn_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(FileNotFoundError) as caught:
        datasets.load("bank")
    lines = str(caught.value).splitlines()
    assert lines[1] == "- NYSTREAM_DATA: not set"
    assert lines[-1] == ("- OpenML: scikit-learn is not installed: pip install 'nystream[bench]'")


def test_scikit_learn_takes_what_it_is_asked():
    """The stand-in takes anything; the real one, too slow to import here, knows these names."""
    package = find_spec("sklearn")
    if package is None:
        pytest.skip("scikit-learn is not installed: pip install '.[bench]'")
    source = Path(package.origin).parent / "datasets" / "_openml.py"
    functions = {
        getattr(node, "name", ""): node
        for node in ast.parse(source.read_text(encoding="utf-8")).body
    }
    arguments = functions["fetch_openml"].args
    known = {argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)}
    assert {"name", "data_id", "target_column", "cache", "as_frame", "parser"} <= known


def test_half_a_file_is_never_kept(tmp_path, monkeypatch):
    answer(monkeypatch, BANK)

    def break_off(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(np, "savez_compressed", break_off)
        with pytest.raises(KeyboardInterrupt):
            datasets.load("bank")
    assert list((tmp_path / "cache").iterdir()) == []
    datasets.load("bank")
    assert datasets.find("bank")


def test_a_cache_that_cannot_be_written_costs_a_warning(tmp_path, monkeypatch):
    answer(monkeypatch, BANK)
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.warns(UserWarning, match="bank.npz could not be kept in the cache: ") as caught:
        data = datasets.load("bank")
    assert caught[0].filename == __file__
    assert data.X.shape == (8192, 32)


@pytest.mark.parametrize(("X", "y"), [(500.0, 0.5), (0.5, 900.0), (0.5, -0.1)])
def test_a_set_that_is_not_scaled_is_refused(tmp_path, X, y):
    np.savez(tmp_path / "bank.npz", X=np.full((8192, 32), X), y=np.full(8192, y))
    with pytest.raises(
        ValueError, match=r"should have features in \[-1, 1\] and labels in \[0, 1\]"
    ):
        datasets.load("bank", data_dir=tmp_path)
