"""Embedded streams, the paper's sets by name, and files of the user's own."""

from __future__ import annotations

import ast
import csv
import gzip
import hashlib
import io
import re
import sys
import urllib.error
from http.client import IncompleteRead
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import DATA, PAPER_SETS

import nystream
from nystream import datasets

pytestmark = pytest.mark.usefixtures("no_places")


@pytest.fixture
def no_places(tmp_path, monkeypatch):
    """An empty cache, no folder of data, and nobody who answers from the network."""
    monkeypatch.setenv("NYSTREAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NYSTREAM_DATA", raising=False)
    answer(monkeypatch, urllib.error.URLError("no network in tests"))


def answer(monkeypatch, result):
    """Put something in place of scikit-learn that gives this, or raises it; returns its calls."""
    calls = []

    def fetch_openml(**arguments):
        calls.append(arguments)
        if isinstance(result, Exception):
            raise result
        return result

    module = SimpleNamespace(fetch_openml=fetch_openml)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", module)
    return calls


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


# Embedded streams


@pytest.mark.parametrize("name", datasets.names("embedded"))
def test_streams_are_as_described(name):
    make, info = getattr(datasets, name), datasets.info(name)
    X, y = make(500, random_state=3)
    assert X.shape == (500, info.features)
    assert y.shape == (500,)
    assert np.quantile(np.abs(X), 0.9) <= 1
    assert make(n_rows=info.rows)[0].shape == make()[0].shape
    other = make(500, random_state=4)[1]
    assert (y != other).any()
    np.testing.assert_array_equal(make(500, random_state=3)[1], y)
    data = datasets.load(name, n_rows=500, random_state=3)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.X.flags.c_contiguous
    assert data.sigma == info.sigma
    assert (data.feature_names, data.paper_rows, data.target_range) == (None, None, None)


@pytest.mark.parametrize(("name", "rows"), [("coin_flips", 10_000), ("abrupt_drift", 20_000)])
def test_an_embedded_stream_has_the_rows_that_its_info_tells_by_default(name, rows):
    assert len(datasets.load(name).X) == datasets.info(name).rows == rows


def test_coins_are_fair_and_rows_are_one():
    X, y = datasets.coin_flips(10_000)
    assert np.unique(X).size == 1
    assert set(y) == {-1.0, 1.0}
    assert abs(y.mean()) < 0.04  # four standard deviations


def eigenvalues(kernel, X, count):
    return np.linalg.eigvalsh(kernel(X) / len(X))[::-1][:count]


def test_normal_rows_have_geometric_eigenvalues():
    deviation, sigma = 0.5, 0.4
    X, _ = datasets.normal_line(1500, deviation=deviation)
    A, B = 1 / (4 * deviation**2), 1 / (2 * sigma**2)
    ratio = B / (A + B + np.sqrt(A**2 + 2 * A * B))
    found = eigenvalues(nystream.Gaussian(sigma), X, 5)
    np.testing.assert_allclose(found[1:] / found[:-1], ratio, rtol=0.1)


@pytest.mark.parametrize(
    ("kernel", "power"),
    [(nystream.Laplacian(1.0), 2), (nystream.Matern32(1.0), 4), (nystream.Matern52(1.0), 6)],
)
def test_uniform_rows_have_eigenvalues_that_decay_like_a_power(kernel, power):
    X, _ = datasets.uniform_line(1000)
    found = eigenvalues(kernel, X, 60)
    slope = np.log(found[29] / found[59]) / np.log(60 / 30)
    assert slope == pytest.approx(power, rel=0.1)


@pytest.mark.parametrize("make", [datasets.normal_line, datasets.uniform_line])
def test_labels_on_a_line_are_smooth_but_for_the_noise(make):
    X, y = make(2000, noise=0.0)
    assert y.min() >= 0
    assert y.max() <= 1
    model = nystream.RidgeAld(nystream.Gaussian(0.5), alpha=1e-6, ridge=1e-6)
    errors = (model.progressive(X, y) - y)[1000:]
    assert np.abs(errors).max() < 1e-2
    assert np.std(make(2000, noise=0.3)[1] - y) == pytest.approx(0.3, rel=0.05)


def test_drift_makes_what_was_learned_wrong():
    X, y = datasets.drift(5000, period=5000)
    model = nystream.RidgeAld(nystream.Gaussian(1.0))
    model.learn_many(X[:250], y[:250])
    mse = [np.mean((model.predict_many(X[i : i + 250]) - y[i : i + 250]) ** 2) for i in (250, 2500)]
    assert mse[0] < 0.05 < 0.3 < mse[1]


DRIFTING = [
    (datasets.abrupt_drift, {"at": 600}),
    (datasets.gradual_drift, {"start": 300, "length": 500}),
]


def friedman_labels(X, first):
    """The labels without noise if the features from this one on have Friedman's five roles."""
    a, b, c, d, e = ((X[:, first : first + 5] + 1) / 2).T
    return (10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e) / 30


def is_new(make, n_rows, **arguments):
    """Which rows have the label of the new concept; all others have that of the old one."""
    X, y = make(n_rows, noise=0.0, **arguments)
    new = np.isclose(y, friedman_labels(X, 5), rtol=0, atol=1e-12)
    np.testing.assert_allclose(y[~new], friedman_labels(X, 0)[~new], rtol=0, atol=1e-12)
    return new


def test_friedmans_labels_are_as_described():
    X, y = datasets.friedman(500, noise=0.0)
    np.testing.assert_allclose(y, friedman_labels(X, 0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("at", [1, 600, 999])
def test_an_abrupt_drift_changes_every_row_from_one_on(at):
    new = is_new(datasets.abrupt_drift, 1000, at=at)
    np.testing.assert_array_equal(new, np.arange(1000) >= at)


@pytest.mark.parametrize("n_rows", [2, 3, 1001])
def test_an_abrupt_drift_is_in_the_middle_by_default(n_rows):
    new = is_new(datasets.abrupt_drift, n_rows)
    np.testing.assert_array_equal(new, np.arange(n_rows) >= n_rows // 2)


def test_a_gradual_drift_changes_more_and_more_rows():
    new = is_new(datasets.gradual_drift, 20_000, start=2000, length=10_000)
    assert not new[:2001].any()
    assert new[12_000:].all()
    shares = new[2000:12_000].reshape(10, -1).mean(axis=1)
    # A share of 1,000 draws is within four standard deviations, at most 0.016 each.
    np.testing.assert_allclose(shares, np.arange(0.05, 1, 0.1), rtol=0, atol=0.064)


@pytest.mark.parametrize(
    ("n_rows", "arguments", "start", "length"),
    [
        (2000, {}, 500, 500),
        (2000, {"start": 1800}, 1800, 200),
        (2000, {"length": 1500}, 500, 1500),
        (2000, {"start": 0}, 0, 500),
        (2000, {"start": 900, "length": 1}, 900, 1),
        (2, {}, 0, 1),
        (2, {"start": 1}, 1, 1),
    ],
)
def test_where_a_gradual_drift_is(n_rows, arguments, start, length):
    new = is_new(datasets.gradual_drift, n_rows, **arguments)
    assert not new[: start + 1].any()
    assert new[start + length :].all()
    if length > 1:
        assert 0.3 < new[start : start + length].mean() < 0.7


@pytest.mark.parametrize(("make", "arguments"), DRIFTING)
def test_the_old_concept_is_friedmans_of_the_same_seed(make, arguments):
    X, y = make(1000, noise=0.7, random_state=3, **arguments)
    old_X, old_y = datasets.friedman(1000, noise=0.7, random_state=3)
    np.testing.assert_array_equal(X, old_X)
    old = ~is_new(make, 1000, random_state=3, **arguments)
    np.testing.assert_array_equal(y == old_y, old)


@pytest.mark.parametrize(("make", "arguments"), DRIFTING)
def test_noise_is_added_to_both_concepts(make, arguments):
    noise = make(1000, noise=0.6, **arguments)[1] - make(1000, noise=0.0, **arguments)[1]
    assert np.std(noise[:300]) == pytest.approx(0.02, rel=0.15)
    assert np.std(noise[800:]) == pytest.approx(0.02, rel=0.15)


@pytest.mark.parametrize("shift", [2.5, -3])
def test_a_shift_moves_rows_and_leaves_labels(shift):
    X, y = datasets.abrupt_drift(1000, at=600, shift=shift)
    still_X, still_y = datasets.abrupt_drift(1000, at=600)
    np.testing.assert_array_equal(y, still_y)
    np.testing.assert_array_equal(X[:600], still_X[:600])
    np.testing.assert_array_equal(X[600:], still_X[600:] + shift)
    assert np.abs(X[:600]).max() <= 1 < np.abs(X[600:]).min()


@pytest.mark.parametrize(("make", "arguments"), DRIFTING)
def test_what_was_learned_is_wrong_after_a_drift(make, arguments):
    X, y = make(1000, **arguments)
    model = nystream.RidgeAld(nystream.Gaussian(4.0))
    model.learn_many(X[:250], y[:250])
    errors = (model.predict_many(X) - y) ** 2
    assert 3 * errors[250:300].mean() < errors[800:].mean()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: datasets.coin_flips(0), ValueError, "n_rows should be at least 1, but is 0"),
        (
            lambda: datasets.drift(5, period=0),
            ValueError,
            "period should be at least 1, but is 0",
        ),
        (lambda: datasets.drift(2.5), TypeError, "n_rows should be a whole number, but is 2.5"),
        (lambda: datasets.drift(True), TypeError, "n_rows should be a whole number, but is True"),
        (
            lambda: datasets.uniform_line(5, noise=-0.1),
            ValueError,
            "noise should be not negative and finite, but is -0.1",
        ),
        (
            lambda: datasets.friedman(5, noise=float("nan")),
            ValueError,
            "noise should be not negative and finite, but is nan",
        ),
        (
            lambda: datasets.normal_line(5, deviation=0.0),
            ValueError,
            "deviation should be positive and finite, but is 0.0",
        ),
        (
            lambda: datasets.normal_line(5, deviation="1"),
            TypeError,
            "deviation should be a number, but is '1'",
        ),
        (
            lambda: datasets.coin_flips(5, random_state=-1),
            ValueError,
            "random_state should be a whole number that is not negative, but is -1",
        ),
        (
            lambda: datasets.coin_flips(5, random_state="a"),
            TypeError,
            "random_state should be a whole number that is not negative, but is 'a'",
        ),
        (lambda: datasets.abrupt_drift(1), ValueError, "n_rows should be at least 2, but is 1"),
        (
            lambda: datasets.abrupt_drift(9, at=0),
            ValueError,
            "at should be at least 1, but is 0",
        ),
        (
            lambda: datasets.abrupt_drift(9, at=9),
            ValueError,
            "at should be at most n_rows - 1, 8, but is 9",
        ),
        (
            lambda: datasets.abrupt_drift(9, at=4.0),
            TypeError,
            "at should be a whole number, but is 4.0",
        ),
        (
            lambda: datasets.abrupt_drift(9, shift=float("nan")),
            ValueError,
            "shift should be a finite number of magnitude at most 1e100, but is nan",
        ),
        (
            lambda: datasets.abrupt_drift(9, shift=-1e101),
            ValueError,
            "shift should be a finite number of magnitude at most 1e100, but is -1e+101",
        ),
        (
            lambda: datasets.abrupt_drift(9, shift="2"),
            TypeError,
            "shift should be a number, but is '2'",
        ),
        (
            lambda: datasets.abrupt_drift(9, noise=-1),
            ValueError,
            "noise should be not negative and finite, but is -1",
        ),
        (
            lambda: datasets.abrupt_drift(9, random_state=-1),
            ValueError,
            "random_state should be a whole number that is not negative, but is -1",
        ),
        (lambda: datasets.gradual_drift(1), ValueError, "n_rows should be at least 2, but is 1"),
        (
            lambda: datasets.gradual_drift(9, start=-1),
            ValueError,
            "start should be at least 0, but is -1",
        ),
        (
            lambda: datasets.gradual_drift(9, start=9),
            ValueError,
            "start should be at most n_rows - 1, 8, but is 9",
        ),
        (
            lambda: datasets.gradual_drift(9, start=True),
            TypeError,
            "start should be a whole number, but is True",
        ),
        (
            lambda: datasets.gradual_drift(9, length=0),
            ValueError,
            "length should be at least 1, but is 0",
        ),
        (
            lambda: datasets.gradual_drift(9, start=4, length=6),
            ValueError,
            "length should be at most n_rows - start, 5, but is 6",
        ),
        (
            lambda: datasets.gradual_drift(9, length="3"),
            TypeError,
            "length should be a whole number, but is '3'",
        ),
        (
            lambda: datasets.gradual_drift(9, noise=float("inf")),
            ValueError,
            "noise should be not negative and finite, but is inf",
        ),
        (
            lambda: datasets.load("abrupt_drift", n_rows=1),
            ValueError,
            "n_rows should be at least 2, but is 1",
        ),
        (
            lambda: datasets.load("bank32"),
            ValueError,
            "name should be one of parkinson, elevators, cpusmall, bank, ailerons, calhousing, "
            "tomshardware, year, friedman, mackey_glass, coin_flips, normal_line, uniform_line, "
            "drift, abrupt_drift, gradual_drift, but is 'bank32'",
        ),
        (lambda: datasets.load("year_sub"), ValueError, "name should be one of parkinson"),
        (lambda: datasets.find(["bank"]), ValueError, "name should be one of parkinson"),
        (lambda: datasets.info(None), ValueError, "name should be one of parkinson"),
        (
            lambda: datasets.load("friedman", n_rows=0),
            ValueError,
            "n_rows should be at least 1, but is 0",
        ),
        (
            lambda: datasets.load("bank", data_dir=5),
            TypeError,
            "data_dir should be a path, but is 5",
        ),
        (
            lambda: datasets.names("real"),
            ValueError,
            "kind should be 'paper', 'embedded' or None, but is 'real'",
        ),
        (
            lambda: datasets.scale_as_paper([[1.0, 2.0]], [1.0, 2.0]),
            ValueError,
            "y should have as many labels as X has rows, 1, but has 2",
        ),
        (
            lambda: datasets.scale_as_paper([[1.0], [np.inf]], [1.0, 2.0]),
            ValueError,
            "X[1, 0] should be a finite number of magnitude at most 1e100, but is inf",
        ),
        (
            lambda: datasets.scale_as_paper([[1.0]], [np.nan]),
            ValueError,
            "y[0] should be a finite number of magnitude at most 1e100, but is nan",
        ),
        (
            lambda: datasets.scale_as_paper([1.0], [1.0]),
            ValueError,
            "X should be two-dimensional, but has the shape (1,)",
        ),
        (
            lambda: datasets.scale_as_paper([["a"]], [1.0]),
            TypeError,
            "X should hold real numbers, but has the dtype <U1",
        ),
        (
            lambda: datasets.scale_as_paper(np.empty((0, 3)), []),
            ValueError,
            "X should have at least one row and one feature, but is empty",
        ),
    ],
)
def test_refusals(call, error, message):
    with refused(error, message):
        call()


# The paper's sets


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


# OpenML, or what stands for it


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


# Files


NUMBERS = st.floats(-1e100, 1e100).map(lambda value: value + 0.0)  # text does not tell -0 from 0
TABLES = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=6
    )
)
SMALL = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def write(path, names, table):
    """Write a table as the ending says."""
    if path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow", reason="pyarrow is missing: pip install '.[bench]'")
        from pyarrow import parquet

        columns = dict(zip(names, table.T, strict=True))
        parquet.write_table(arrow.table(columns), path)
    elif path.suffix == ".npz":
        np.savez(path, X=table[:, :-1], y=table[:, -1], feature_names=names[:-1], target_name="y")
    else:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter="\t" if ".tsv" in path.name else ",")
        writer.writerows([names, *table.tolist()])
        data = text.getvalue().encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet", ".npz"])
@SMALL
@given(rows=TABLES)
def test_files_give_back_what_was_written(tmp_path, suffix, rows):
    table = np.array(rows)
    names = [*(f"c, {i}" for i in range(table.shape[1] - 1)), "y"]
    path = tmp_path / f"own.v1{suffix}"
    write(path, names, table)
    data = datasets.read(path, target="y", scale=None)
    np.testing.assert_array_equal(data.X, table[:, :-1])
    np.testing.assert_array_equal(data.y, table[:, -1])
    assert data.X.flags.c_contiguous
    assert data.y.flags.c_contiguous
    assert (data.name, data.source) == ("own.v1", str(path))
    assert (data.feature_names, data.target_name) == (tuple(names[:-1]), "y")
    assert (data.scaling, data.note) == ("not scaled", "")
    assert data.target_range == (table[:, -1].min(), table[:, -1].max())
    scaled = datasets.read(path, target="y")
    X, y = datasets.scale_as_paper(table[:, :-1], table[:, -1])
    np.testing.assert_array_equal(scaled.X, X)
    np.testing.assert_array_equal(scaled.y, y)


@SMALL
@given(rows=TABLES)
def test_scaling_fills_the_intervals_and_keeps_the_order(rows):
    table = np.array(rows)
    X, y = datasets.scale_as_paper(table[:, 1:], table[:, 0])
    for before, after, low in [
        *((b, a, -1.0) for b, a in zip(table[:, 1:].T, X.T, strict=True)),
        (table[:, 0], y, 0.0),
    ]:
        if before.min() == before.max():
            assert set(after) == {0.0}
        else:
            assert (after.min(), after.max()) == (low, 1)
            assert (np.diff(after[np.argsort(before)]) >= 0).all()


def test_what_is_constant_is_said(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,b,y\n1,5,3\n2,5,3\n")
    data = datasets.read(path, target="y")
    np.testing.assert_array_equal(data.X, [[-1, 0], [1, 0]])
    np.testing.assert_array_equal(data.y, [0, 0])
    assert data.note == "column 'b' is constant; the target is constant"
    assert "[-1, 1]" in data.scaling
    assert data.target_range == (3, 3)


# Text, target, what is dropped; then features and labels.
CSV = {
    "plain": ("a,b,y\n1,2,3\n4,5,6\n", "y", (), [[1, 2], [4, 5]], [3, 6]),
    "no last newline": ("a,b,y\n1,2,3\n4,5,6", "y", (), [[1, 2], [4, 5]], [3, 6]),
    "semicolons": ("a;b;y\n1;2;3\n", "y", (), [[1, 2]], [3]),
    "tabs": ("a\tb\ty\n1\t2\t3\n", "y", (), [[1, 2]], [3]),
    "Windows": ("\ufeffa,b,y\r\n1,2,3\r\n4,5,6\r\n\r\n", "a", (), [[2, 3], [5, 6]], [1, 4]),
    "blank lines": ("\n \na,y\n\n1,2\n  \n\n3,4\n\n\n", "y", (), [[1], [3]], [2, 4]),
    "quoted names": ('"a;b","say ""y"""\n1,2\n', 'say "y"', (), [[1]], [2]),
    "quoted numbers": ('a,y\n"1.5","2"\n', "y", (), [[1.5]], [2]),
    "spaces": ("a, y\n 1 , 2 \n", "y", (), [[1]], [2]),
    "exponents": ("a,y\n-1e-3,+2E2\n", "y", (), [[-0.001]], [200]),
    "an index": ("a,b,y\n1,2,3\n", 1, (), [[1, 3]], [2]),
    "an index from the end": ("a,b,y\n1,2,3\n", -1, (), [[1, 2]], [3]),
    "an index as text": ("a,b,y\n1,2,3\n", "-1", (), [[1, 2]], [3]),
    "NumPy's index": ("a,b,y\n1,2,3\n", np.int64(2), (), [[1, 2]], [3]),
    "a name before an index": ("1,x,0\n1,2,3\n", "0", (), [[1, 2]], [3]),
    "no names": ("1,2,3\n4,5,6\n", 0, (), [[2, 3], [5, 6]], [1, 4]),
    "one row, no names": ("1,2", -1, (), [[1]], [2]),
    "text is dropped": ('a,t,y\n1,"x,\ny",3\n4,é,6\n', "y", ["t"], [[1], [4]], [3, 6]),
    "a number sign": ("#,t,y\n1,# 1,3\n", "y", "t", [[1]], [3]),
    "missing is dropped": ("a,t,y\n1,,3\n4,nan,6\n", "y", "t", [[1], [4]], [3, 6]),
    "dropped by index": ("a,t,y,z\n1,x,3,x\n", 2, [1, -1], [[1]], [3]),
    "dropped alone": ("a,t,y\n1,x,3\n", "y", 1, [[1]], [3]),
    "same names": ("a,a,y\n1,2,3\n", "y", (), [[1, 2]], [3]),
}


@pytest.mark.parametrize("case", CSV)
def test_texts_that_can_be_read(case, tmp_path):
    text, target, drop, X, y = CSV[case]
    path = tmp_path / "own.csv"
    path.write_bytes(text.encode())
    data = datasets.read(path, target=target, drop=drop, scale=None)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert (data.feature_names is None) == ("no names" in case)


NOT_A_NUMBER = "; drop leaves a column out"
# Text, arguments, and what is wrong; {} stands for the path.
BAD_CSV = [
    ("a,y\n1,2\nx,3\n", {}, "{}, line 3: column 'a' should be a number, but is 'x'" + NOT_A_NUMBER),
    ("a,y\n\n1,2\n\n1,1_0\n", {}, "{}, line 5: column 'y' should be a number, but is '1_0'"),
    ('a,t,y\n1,"p\nq",2\n1,q,z\n', {"drop": "t"}, "{}, line 4: column 'y' should be a number"),
    ("a;y\n1,5;2\n", {}, "{}, line 2: column 'a' should be a number, but is '1,5'"),
    ("a,y\n1,2\n,3\n", {}, "{}, line 3: column 'a' has no value"),
    ("a,y\n1,2\n,\n", {}, "{}, line 3: column 'a' has no value"),
    ("a\ty\n1\t2\n \n\t\n", {}, "{}, line 4: column 'a' has no value"),
    pytest.param(
        "a,t,y\n1,x\0,2\n1,x,z\n",
        {"drop": "t"},
        "{}, line 3: column 'y' should be a number",
        marks=pytest.mark.skipif(
            sys.version_info < (3, 11), reason="the csv module of Python 3.10 has no NUL"
        ),
    ),
    ("a,y\n1,2\n1, \n", {}, "{}, line 3: column 'y' has no value"),
    (
        "a,y\n1,2\nNaN,3\n",
        {},
        "{}, line 3: column 'a' should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (
        "a,y\r\n\r\n1,2\r\n3,-inf\r\n",
        {},
        "{}, line 4: column 'y' should be a finite number of magnitude at most 1e100, but is -inf",
    ),
    (
        "a,y\n1e101,2\n",
        {},
        "{}, line 2: column 'a' should be a finite number of magnitude at most 1e100, but is 1e101",
    ),
    ("1,2\n3,x\n", {"target": 0}, "{}, line 2: column 1 should be a number, but is 'x'"),
    ("a,y\n1,2\n1,2,3\n", {}, "{}, line 3: there should be 2 columns, but there are 3"),
    ("a,y,b\n1,2\n", {}, "{}, line 2: there should be 3 columns, but there are 2"),
    ("a,t,y\n1,x,2\n1,x\n", {"drop": "t"}, "{}, line 3: there should be 3 columns"),
    ("", {}, "{} is empty"),
    ("\n \n", {}, "{} is empty"),
    ("a,y\n", {}, "{} should have at least one row, but has none"),
    ("a,y\n\n\n", {}, "{} should have at least one row, but has none"),
    ("y\n1\n", {}, "there should be a feature beside the target, column 'y'"),
    ("a,y\n1,2\n", {"drop": ["a"]}, "there should be a feature beside the target, column 'y'"),
    ("a,y\n1,2\n", {"drop": [1]}, "drop should not hold the target, column 'y'"),
    ("a,y\n1,2\n", {"drop": ["b"]}, "drop should be one of the columns 'a', 'y', but is 'b'"),
    ("a,b\n1,2\n", {}, "target should be one of the columns 'a', 'b', but is 'y'"),
    ("a,y\n1,2\n", {"target": 2}, "target should be one of the columns 'a', 'y', but is 2"),
    ("a,y\n1,2\n", {"target": "-3"}, "target should be one of the columns 'a', 'y', but is '-3'"),
    ("y,y,a\n1,2,3\n", {}, "target should be an index, but is 'y', a name of 2 columns"),
    ("1,2\n", {}, "target should be an index from -2 to 1, as there are no names, but is 'y'"),
    ("a,y\n1,2\n", {"target": None}, "target should be the name or the index of a column"),
    ("a,y\n1,2\n", {"scale": "unit"}, "scale should be 'paper' or None, but is 'unit'"),
]


@pytest.mark.parametrize(("text", "arguments", "message"), BAD_CSV)
def test_texts_that_are_refused(text, arguments, message, tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(text.encode())
    with refused(ValueError, message.format(path)):
        datasets.read(path, **{"target": "y", **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 1.5}, "target should be the name or the index of a column, but is 1.5"),
        ({"target": True}, "target should be the name or the index of a column, but is True"),
        (
            {"target": "y", "drop": [None]},
            "drop should be the name or the index of a column, but is None",
        ),
    ],
)
def test_columns_of_another_type_are_refused(arguments, message, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,y\n1,2\n")
    with refused(TypeError, message):
        datasets.read(path, **arguments)


def test_many_columns_are_not_all_listed(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(",".join(f"c{i}" for i in range(90)) + "\n")
    with pytest.raises(ValueError, match=r"'c19', \.\.\., but is 'y'"):
        datasets.read(path, target="y")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    good = b"a,y\n" + b"1,2\n" * 5000
    for name, data in [
        ("head.csv", b"a\xff,y\n1,2\n"),
        ("body.csv", good + b"\xff,2\n"),
        ("cut.csv.gz", gzip.compress(good)[:-9]),
        ("not.csv.gz", good),
        ("bent.csv.gz", gzip.compress(good)[:20] + b"\xff" * 40),
        ("long.csv", b'a,t,y\n1,"' + b"x" * 200_000 + b'",z\n'),
    ]:
        path = tmp_path / name
        path.write_bytes(data)
        with refused(ValueError, f"{path} could not be read as UTF-8 text: "):
            datasets.read(path, target="y", drop=["t"] if name == "long.csv" else ())


def test_files_that_are_not_there_or_not_known(tmp_path):
    with refused(FileNotFoundError, f"path should be a file, but there is none at {tmp_path}"):
        datasets.read(tmp_path, target="y")
    with refused(TypeError, "path should be a path, but is None"):
        datasets.read(None, target="y")
    path = tmp_path / "own.xlsx"
    path.write_bytes(b"")
    known = ".csv, .tsv, .csv.gz, .tsv.gz, .parquet, .npz"
    with refused(ValueError, f"path should end with one of {known}, but is {path}"):
        datasets.read(path, target="y")


GOOD = {"X": np.ones((3, 2)), "y": np.arange(3.0)}
BAD_NPZ = [
    ({"X": GOOD["X"]}, {}, "{} should hold an array y, but holds X"),
    ({"x": GOOD["X"], "y": GOOD["y"]}, {}, "{} should hold an array X, but holds x, y"),
    (GOOD, {"target": "price"}, "{} should hold an array price, but holds X, y"),
    ({**GOOD, "y": np.ones(4)}, {}, "y of {} should have 3 labels, but has 4"),
    ({**GOOD, "X": np.ones(3)}, {}, "X of {} should be two-dimensional, but has the shape (3,)"),
    ({**GOOD, "X": np.full((3, 2), "a")}, {}, "X of {} should hold real numbers"),
    ({**GOOD, "X": np.full((3, 2), None)}, {}, "{} is not a sound .npz file: Object arrays"),
    ({"X": np.ones((0, 2)), "y": []}, {}, "{} should have at least one row and one feature"),
    (
        {**GOOD, "X": np.array([[1, 2], [3, np.nan], [4, 5]])},
        {},
        "X[1, 1] of {} should be a finite number of magnitude at most 1e100, but is nan",
    ),
    ({**GOOD, "y": np.array([1, 2, np.inf])}, {}, "y[2] of {} should be a finite number"),
    (GOOD, {"drop": [0, 1]}, "there should be a feature beside the target, column 2"),
    (GOOD, {"drop": [2]}, "drop should be an index from -2 to 1, as there are no names, but is 2"),
]


@pytest.mark.parametrize(("arrays", "arguments", "message"), BAD_NPZ)
def test_arrays_that_are_refused(arrays, arguments, message, tmp_path):
    path = tmp_path / "own.npz"
    np.savez(path, **arrays)
    with refused(ValueError, message.format(path)):
        datasets.read(path, **arguments)


def test_arrays_of_other_names_and_types(tmp_path):
    path = tmp_path / "own.npz"
    X = np.asfortranarray(np.arange(6).reshape(3, 2))
    odd = {"feature_names": np.array(["a", None]), "more": np.array([None]), "target_range": 3}
    np.savez(path, X=X, price=np.float32([1, 2, 4]), **odd)
    data = datasets.read(path, target="price", drop=-1, scale=None)
    assert (data.feature_names, data.target_name) == (None, "price")
    np.testing.assert_array_equal(data.X, [[0], [2], [4]])
    np.testing.assert_array_equal(data.y, [1, 2, 4])
    assert data.X.dtype == data.y.dtype == np.float64
    np.savez(path, X=X, y=[1, 2, 3], price=[1, 2, 4], target_name="rent")
    assert datasets.read(path).target_name == "rent"
    assert datasets.read(path, target="price").target_name == "price"
    with refused(TypeError, "target should be the name of an array, but is 3"):
        datasets.read(path, target=3)


@pytest.fixture
def parquet():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install '.[bench]'")
    return __import__("pyarrow.parquet").parquet


BAD_PARQUET = [
    ({"a": ["x", "z"], "y": [1, 2]}, "{}, column 'a' should be a number, but is 'x' in row 0"),
    ({"a": [1, 2], "y": [1.0, None]}, "{}, column 'y' has no value in row 1"),
    (
        {"a": [1.0, float("nan")], "y": [1, 2]},
        "{}, column 'a' should be a finite number of magnitude at most 1e100, but is nan in row 1",
    ),
    ({"a": [[1], [2]], "y": [1, 2]}, "{}, column 'a' should be a number, but is [1] in row 0"),
    ({"a": [], "y": []}, "{} should have at least one row, but has none"),
    ({"a": [1], "b": [2]}, "target should be one of the columns 'a', 'b', but is 'y'"),
]


@pytest.mark.parametrize(("columns", "message"), BAD_PARQUET)
def test_tables_that_are_refused(columns, message, tmp_path, parquet):
    import pyarrow

    path = tmp_path / "own.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    with refused(ValueError, message.format(path)):
        datasets.read(path, target="y")


def test_tables_of_other_types(tmp_path, parquet):
    import decimal

    import pyarrow

    columns = {
        "a.b": pyarrow.array([True, False]),
        "t": ["x", None],
        "a": pyarrow.array([3, 4], pyarrow.int8()),
        "d": [decimal.Decimal("1.5"), decimal.Decimal("2.5")],
        "y": pyarrow.array([1, 2], pyarrow.float32()),
    }
    path = tmp_path / "own.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    data = datasets.read(path, target=-1, drop=["t"], scale=None)
    np.testing.assert_array_equal(data.X, [[1, 3, 1.5], [0, 4, 2.5]])
    assert data.feature_names == ("a.b", "a", "d")
    np.testing.assert_array_equal(data.y, [1, 2])


def test_a_table_whose_columns_share_a_name_is_refused(tmp_path, parquet):
    import pyarrow

    path = tmp_path / "own.parquet"
    parquet.write_table(pyarrow.table([[1], [2], [3]], names=["a", "a", "y"]), path)
    with refused(ValueError, f"{path} should have columns of different names"):
        datasets.read(path, target="y")


def test_a_missing_pyarrow_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "own.parquet"
    path.write_bytes(b"PAR1")
    message = f"reading {path} needs pyarrow: pip install 'nystream[bench]'"
    with refused(ImportError, message):
        datasets.read(path, target="y")


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_damaged_files_are_refused_or_read_as_they_are(suffix, tmp_path):
    whole, path = tmp_path / f"whole{suffix}", tmp_path / f"damaged{suffix}"
    table = np.random.default_rng(0).random((40, 3))
    write(whole, ["a", "b", "y"], table)
    data = whole.read_bytes()
    for cut in [0, 1, 4, 30, len(data) // 2, len(data) - 1]:
        path.write_bytes(data[:cut])
        kind = {".npz": ".npz", ".parquet": "Parquet"}[suffix]
        with refused(ValueError, f"{path} is not a sound {kind} file: "):
            datasets.read(path, target="y")
    rng = np.random.default_rng(1)
    for _ in range(150):
        changed = bytearray(data)
        changed[rng.integers(len(data))] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(changed))
        try:
            found = datasets.read(path, target="y", scale=None)
        except ValueError:
            continue
        assert found.X.shape[0] == len(found.y)
        assert np.isfinite(found.X).all()


def test_an_array_that_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "own.npz"
    with path.open("wb") as file:
        np.save(file, np.ones(3))
    with refused(ValueError, f"{path} is not a sound .npz file: it is one array"):
        datasets.read(path)


def test_a_dataset_is_shown_in_a_line_and_cannot_be_changed():
    data = datasets.load("drift", n_rows=5)
    assert repr(data) == "Dataset('drift', rows=5, features=2)"
    with pytest.raises(AttributeError):
        data.sigma = 2.0


@pytest.mark.parametrize(("X", "y"), [(500.0, 0.5), (0.5, 900.0), (0.5, -0.1)])
def test_a_set_that_is_not_scaled_is_refused(tmp_path, X, y):
    np.savez(tmp_path / "bank.npz", X=np.full((8192, 32), X), y=np.full(8192, y))
    with pytest.raises(
        ValueError, match=r"should have features in \[-1, 1\] and labels in \[0, 1\]"
    ):
        datasets.load("bank", data_dir=tmp_path)


def test_the_chaotic_series_is_the_same_on_every_machine():
    """It is made of sums, products and quotients alone, which are exact to the last bit."""
    X, y = datasets.mackey_glass(2000)
    assert hashlib.sha256(y.astype("<f8").tobytes()).hexdigest()[:16] == "b7cc488efc1923f3"
    assert (X[1:, 0] == 2 * y[:-1] - 1).all()
