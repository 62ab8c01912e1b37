"""Rows of tables: texts, truths, times and gaps go through the service as they do in Python."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from serving import X, Y, ask, blocked, in_process
from serving_tables import (
    LABELS,
    ROWS,
    adding,
    ignoring,
    learn,
    post,
    refused,
    tabular,
    taught,
)

import nystream
from nystream.serve import _status, create_app

# The same as in Python


@pytest.mark.parametrize("make", [nystream.Auto, tabular], ids=["Auto", "Tabular"])
def test_rows_of_tables_are_predicted_and_learned_as_in_python(make):
    plain = make()

    async def scenario(app):
        for i in range(60):
            answer = await post(app, "/predict", {"x": ROWS[i]}, b"remember=0")
            assert answer["prediction"] == plain.predict_one(ROWS[i])
            await learn(app, x=ROWS[i], y=LABELS[i])
            plain.learn_one(ROWS[i], LABELS[i])
        await learn(app, X=ROWS[60:350], y=LABELS[60:350])
        plain.learn_many(ROWS[60:350], LABELS[60:350])
        many = await post(app, "/predict", {"X": ROWS[300:]}, b"remember=0")
        assert many["predictions"] == plain.predict_many(ROWS[300:]).tolist()
        one = await post(app, "/predict", {"x": ROWS[390]})
        assert one["prediction"] == plain.ask(ROWS[390]).prediction

    app = create_app(make())
    in_process(scenario, app)
    assert app.service._learner.to_bytes() == plain.to_bytes()


def test_columns_may_come_in_any_order():
    async def scenario(app):
        await taught(app)
        turned = dict(reversed(ROWS[50].items()))
        given = [await post(app, "/predict", {"x": x}, b"remember=0") for x in (ROWS[50], turned)]
        assert given[0] == given[1]
        await learn(app, x=turned, y=1.0)

    in_process(scenario, create_app(tabular()))


def test_requests_that_wait_together_are_learned_as_one_after_the_other():
    """Rows with values of other types are no one table: their columns would be read together."""
    rows = [
        {"a": 1.0},
        {"a": 2},
        {"a": None},
        {"a": True},
        {"a": 3.5},
        *({"a": i} for i in range(9)),
    ]
    plain = tabular()
    for i, x in enumerate(rows):
        plain.learn_one(x, float(i))

    async def scenario(app):
        free = blocked(app)
        asked = [
            await post(app, "/learn", {"x": x, "y": i}, expected=202) for i, x in enumerate(rows)
        ]
        assert asked[-1]["waiting"] == len(rows)
        text = asyncio.ensure_future(refused_later(app, {"x": {"a": "x"}, "y": 1.0}))
        await asyncio.sleep(0)
        free.set()
        assert '"a" should be a number, but is "x"' in await text

    async def refused_later(app, document):
        return (await post(app, "/learn", document, b"wait=1", expected=422))["error"]

    app = create_app(tabular())
    in_process(scenario, app)
    assert app.service._learner.n_seen == len(rows)
    probes = [{"a": value} for value in (0.5, 3.0, None)]
    expected = plain.predict_many(probes)
    assert app.service._learner.predict_many(probes) == pytest.approx(expected, rel=1e-9)
    assert [c.n_missing for c in app.service._learner.schema] == [1]


def test_arrays_may_have_gaps_where_a_model_has_columns():
    plain = nystream.Auto()
    gaps = X[:100].copy()
    gaps[::7, 1] = np.nan
    rows = json.loads(json.dumps(gaps.tolist()).replace("NaN", "null"))

    async def scenario(app):
        await learn(app, X=rows[:90], y=Y[:90].tolist())
        plain.learn_many(gaps[:90], Y[:90])
        answer = await post(app, "/predict", {"x": rows[91]})
        assert rows[91][1] is None
        assert answer["prediction"] == plain.ask(gaps[91]).prediction
        await learn(app, id=answer["id"], y=1.0)
        return await refused(app, {"x": [1.0, "warm", None], "y": 1.0})

    app = create_app(nystream.Auto())
    assert in_process(scenario, app) == (422, 'x[1] should be a number, but is "warm"')
    assert [column.n_missing for column in app.service._learner.schema] == [0, 14, 0]


def test_lists_are_rows_of_a_model_with_names_in_their_order():
    async def scenario(app):
        await learn(app, X=[{"b": i, "a": i % 3} for i in range(30)], y=[*range(30)])
        requests = [{"x": [4.0, 2.0]}, {"x": {"a": 2.0, "b": 4.0}}]
        given = [await post(app, "/predict", x, b"remember=0") for x in requests]
        assert given[0] == given[1]
        mixed = await post(app, "/predict", {"X": [[4.0, None], {"a": 2, "b": 4}]})
        assert mixed["predictions"][1] == pytest.approx(given[0]["prediction"], rel=1e-12)
        return await refused(app, {"x": [1.0], "y": 0.0})

    assert in_process(scenario, create_app(tabular())) == (
        422,
        "x should have 2 features, but has 1",
    )


# Columns that come and go


def test_in_a_request_a_name_that_some_rows_lack_is_a_missing_value():
    plain = tabular()

    async def scenario(app):
        rows = [{"a": 1.0, "b": "x"}, {"a": 2.0}] * 40
        await learn(app, X=rows, y=[1.0, 2.0] * 40)
        plain.learn_many(rows, [1.0, 2.0] * 40)
        given = await post(app, "/predict", {"X": [{"a": 1.0}, {"b": "x"}]})
        explicit = [{"a": 1.0, "b": None}, {"a": None, "b": "x"}]
        assert given["predictions"] == [plain.ask(x).prediction for x in explicit]
        assert await refused(app, {"X": [{"a": 1.0}] * 2, "y": [1.0] * 2}) == (
            422,
            'X has no feature "b"',
        )

    app = create_app(tabular())
    in_process(scenario, app)
    assert app.service._learner.schema[1].n_missing == 40


@pytest.mark.parametrize("make", [adding, ignoring])
def test_new_columns_join_or_are_left_out_as_the_model_says(make):
    plain = make()
    new = {"rooms": 2, "town": "Ulm", "colour": "red"}

    async def scenario(app):
        await taught(app)
        for _ in range(3):
            await learn(app, x=new, y=4.0)
            await learn(app, x={"colour": "blue"}, y=1.0)
        answer = await post(app, "/predict", {"x": new})
        plain.learn_many(ROWS[:40], LABELS[:40])
        for _ in range(3):
            plain.learn_one(new, 4.0)
            plain.learn_one({"colour": "blue"}, 1.0)
        assert answer["prediction"] == plain.ask(new).prediction
        return (await ask(app, "GET", "/status"))[1]

    status = in_process(scenario, create_app(make()))
    assert [column["name"] for column in status["schema"]] == status["feature_names"]
    assert ("colour" in status["feature_names"]) == (make is adding)


def test_columns_that_join_are_no_more_than_a_new_model_may_have():
    async def scenario(app):
        await learn(app, x={"a": 1.0, "b": 2.0}, y=1.0)
        await learn(app, x={"c": 1.0}, y=1.0)
        many = {"X": [{"c": 1.0}, {"d": 1.0}], "y": [1.0, 2.0]}
        return [await refused(app, document) for document in ({"x": {"d": 1}, "y": 1}, many)]

    expected = "{} should have at most 3 features, but has 4"
    answers = in_process(scenario, create_app(adding(), max_features=3))
    assert answers == [(413, expected.format("x")), (413, expected.format("X"))]


# What is told of the columns


def test_status_and_metrics_tell_of_the_columns():
    model = nystream.Auto()

    async def scenario(app):
        await taught(app)
        status = (await ask(app, "GET", "/status"))[1]
        return status["schema"], app.service.snapshot

    app = create_app(model)
    schema, _ = in_process(scenario, app)
    expected = [{"name": c.name, "kind": c.kind, "missing": c.n_missing} for c in model.schema]
    assert schema == expected
    assert [column["kind"] for column in schema] == [
        "category",
        "number",
        "number",
        "category",
        "time",
    ]
    lines = _status.metrics(app.service, app._requests).splitlines()
    assert 'nystream_columns{kind="number"} 2' in lines
    n_missing = sum(column["missing"] for column in schema)
    assert n_missing > 0
    assert f"nystream_missing_values {n_missing}" in lines


def test_a_model_without_columns_tells_of_none():
    async def scenario(app):
        return (await ask(app, "GET", "/status"))[1]["schema"]

    app = create_app(nystream.RidgeAld())
    assert in_process(scenario, app) is None
