"""Comparisons on tables as people have them: text, times, truths and gaps."""

from __future__ import annotations

import csv
import json
from threading import Event

import numpy as np
import pytest
from comparing import carry_out
from messy import messy_rows
from support import random_stream

import nystream
from nystream import datasets
from nystream._runs.bad_rows import BadRows
from nystream._study.entries import ENTRIES, Stream, median_distance
from nystream._study.own_file import OwnFile
from nystream._study.plan import plan
from nystream._study.table_dataset import TableDataset
from nystream._study.tasks import Task, execute, fingerprint

KINDS = {"id": "unused", "town": "category", "rooms": "number", "lift": "category", "when": "time"}


def price_rows(n_rows=300):
    """Rows with a column of every kind; every tenth has no label."""
    rows, labels = messy_rows(n_rows)
    return [
        {"id": i, **row, "when": row["when"].isoformat(), "price": label if i % 10 else None}
        for i, (row, label) in enumerate(zip(rows, labels, strict=True))
    ]


def write(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def own(path, policy="stop", told=None, **options):
    tell = (told if told is not None else []).append
    options = {"target": "price", "columns": {}, **options}
    return OwnFile(path=path, bad_rows=BadRows(policy, str(path), tell), **options).read()


@pytest.fixture(scope="module", params=["t.csv", "t.jsonl"])
def data(request, tmp_path_factory):
    return own(write(tmp_path_factory.mktemp("own") / request.param, price_rows()))


def test_a_table_keeps_its_columns_and_its_target_is_scaled(data):
    assert isinstance(data, TableDataset)
    assert (data.n_features, data.X.names) == (5, [*KINDS])
    assert data.columns == {"schema": KINDS}
    assert len(data.y) == len(data.X) == 270
    assert (data.y.min(), data.y.max(), data.unit) == (0, 1, np.ptp(data.target_range))
    assert data.scaling.startswith("target to [0, 1] by its range; columns as they are")
    assert data.note == (
        "columns: 1 number, 2 categories, 1 time; left out: id (id); "
        "rows without a label left out: 30"
    )
    assert repr(data) == "TableDataset('t', rows=270, features=5)"


def test_a_table_may_be_left_as_it_is(tmp_path):
    data = own(write(tmp_path / "t.csv", price_rows()), scale=None)
    labels = [row["price"] for row in price_rows() if row["price"] is not None]
    assert (data.y == labels).all()
    assert (data.unit, data.scaling) == (1, "not scaled")


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet", "t.npz"])
@pytest.mark.parametrize("scale", ["paper", None])
def test_numbers_without_gaps_are_read_as_ever(name, scale, tmp_path):
    X, y = random_stream(100, 3)
    X[:, 1] = np.arange(100)  # an id among texts
    table, path = np.c_[X, 7 * y], tmp_path / name
    rows = [dict(zip(("a", "b", "c", "price"), row, strict=True)) for row in table.tolist()]
    if name == "t.npz":
        np.savez(path, X=X, price=7 * y)
    elif name == "t.parquet":
        arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
        from pyarrow import parquet

        parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=30)
    else:
        write(path, rows)
    read = path if name != "t.jsonl" else write(tmp_path / "t.csv", rows)
    expected = datasets.read(read, target="price", scale=scale)
    found = own(path, scale=scale)
    assert type(found) is datasets.Dataset
    assert fingerprint(found) == fingerprint(expected)
    for what in ("name", "feature_names", "target_name", "scaling", "target_range", "note"):
        assert getattr(found, what) == getattr(expected, what)


def test_numbers_stay_numbers_where_labels_alone_are_missing(tmp_path):
    rows = [{"a": i % 7, "b": -i, "price": i if i % 4 else None} for i in range(100)]
    data = own(write(tmp_path / "t.csv", rows))
    assert (data.X.shape, data.X.min(), data.X.max()) == ((75, 2), -1, 1)
    assert data.note == "rows without a label left out: 25"


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ({"schema": {"a": "category"}}, {"a": "category", "b": "number"}),
        ({"missing_values": [-5.0]}, {"a": "number", "b": "number"}),
        ({"missing_values": [0.5]}, None),
    ],
)
def test_what_is_said_of_columns_makes_a_table_of_numbers(columns, kinds, tmp_path):
    rows = [{"a": i % 7, "b": -(i % 50), "price": i} for i in range(100)]
    data = own(write(tmp_path / "t.csv", rows), columns=columns)
    assert getattr(data, "columns", {}).get("schema") == kinds
    if kinds:
        assert data.columns == {**columns, "schema": kinds}


def test_arrays_may_have_gaps(tmp_path):
    X, y = random_stream(100, 3)
    X[3, 1] = np.nan
    np.savez(tmp_path / "t.npz", X=X, y=y)
    data = own(tmp_path / "t.npz", target=None)
    assert data.columns["schema"] == {"0": "number", "1": "number", "2": "number"}
    assert execute(Task(data, "LinearRls", {}, 0), Event()).n_rows == 100


def test_bad_rows_are_refused_or_left_out_and_counted(tmp_path):
    rows = price_rows(700)
    rows[601]["rooms"], rows[651]["when"], rows[652]["price"] = "many", "someday", "much"
    path, told = write(tmp_path / "t.csv", rows), []
    with pytest.raises(ValueError, match=r"t.csv, line 603: column 'rooms' should be a number"):
        own(path)
    data = own(path, "report", told)
    assert [line.partition(": ")[0][-8:] for line in told] == ["line 603", "line 653", "line 654"]
    left_out = "rows without a label left out: 70; bad rows left out: 3"
    assert data.note.endswith(left_out)
    assert len(data.y) == len(data.X) == 700 - 70 - 3
    told.clear()
    assert len(own(path, "skip", told).y) == len(data.y)
    assert len(told) == 1


@pytest.mark.parametrize("price", [None, "much"])
def test_a_table_without_a_good_row_is_refused(price, tmp_path):
    rows = [{"a": "x", "price": price}] * 3
    with pytest.raises(ValueError, match="should have a good row with a label, but has none"):
        own(write(tmp_path / "t.csv", rows), "skip")


@pytest.mark.parametrize("algorithm", ["RidgeAld", "Auto", "Fogd"])
def test_every_learner_sees_the_columns_and_the_order_of_its_seed(algorithm, data):
    has_kernel = algorithm != "Auto"
    params = {"kernel": nystream.Gaussian(2.0)} if has_kernel else {}
    result = execute(Task(data, algorithm, params, seed=3), Event())
    order = np.random.default_rng(3).permutation(270)
    columns = data.X.to_dict()
    rows = [{name: values[i] for name, values in columns.items()} for i in order]
    draws = {"random_state": 3} if algorithm == "Fogd" else {}
    if algorithm == "Auto":
        model = nystream.Auto(schema=KINDS)
    else:
        model = nystream.Tabular(getattr(nystream, algorithm)(**params, **draws), schema=KINDS)
    errors = model.progressive(rows, data.y[order]) - data.y[order]
    assert result.mse == pytest.approx(np.mean(errors**2), rel=1e-9)
    assert (result.n_rows, result.n_features) == (270, 5)
    assert result.params == ({"kernel": {"name": "Gaussian", "sigma": 2.0}} if has_kernel else {})


def test_kinds_are_those_of_the_file_in_every_order(data):
    for seed in range(3):
        task = Task(data, "LinearRls", {}, seed)
        model = task.learner()
        model.learn_many(*task.rows())
        assert {column.name: column.kind for column in model.schema} == KINDS


def test_the_width_is_the_median_distance_of_encoded_rows(data):
    stream = Stream.of(data)
    every_row = nystream.Tabular(nystream.OnlineKrr(), schema=KINDS)
    every_row.learn_many(data.X, data.y)
    assert stream.kernel == nystream.Gaussian(median_distance(every_row.basis))
    assert (stream.n_rows, stream.n_features) == (270, every_row.basis.shape[1])
    assert Stream.of(data, sigma=3.0).kernel == nystream.Gaussian(3.0)


def test_tables_are_told_apart_by_what_they_hold(tmp_path):
    def read(columns=None, **change):
        rows = price_rows(100)
        rows[5].update(change)
        return fingerprint(own(write(tmp_path / "t.csv", rows), columns=columns or {}))

    changes = [{"town": "Rom"}, {"rooms": 9.5}, {"price": 3.25}, {"when": None}, {"price": None}]
    others = [read(**change) for change in changes] + [read({"schema": {"id": "number"}})]
    assert len({read(), *others}) == 7
    assert read() == read()


def test_a_comparison_on_a_table_is_the_same_on_several_threads(data):
    chosen = [ENTRIES[name] for name in ("NonsAld", "ProsNKons", "LinearRls", "RunningMean")]
    tasks = plan([data], chosen, repeats=2, tune=False).tasks()
    one, _ = carry_out(tasks, jobs=1)
    three, outcome = carry_out(tasks, jobs=3)
    assert not outcome.failures
    assert len(one) == 8
    assert {k: r.curve.mse for k, r in one.items()} == {k: r.curve.mse for k, r in three.items()}
