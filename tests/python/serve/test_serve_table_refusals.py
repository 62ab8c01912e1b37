"""Rows of tables that the service refuses, and how large they may be."""

from __future__ import annotations

import json

import pytest
from serving import ask, in_process
from serving_tables import ROWS, ignoring, learn, post, refused, tabular, taught

import nystream
from nystream.serve import create_app

# What is refused


BAD_ROWS = [
    ({"town": "Ulm"}, 'x has no feature "rooms"'),
    ({**ROWS[1], "colour": "red"}, 'x has an unknown feature "colour"'),
    ({**ROWS[1], "rooms": "many"}, 'x["rooms"] should be a number, but is "many"'),
    ({**ROWS[1], "since": "soon"}, 'column "since" should be a time, but is "soon" in row 0'),
    ({**ROWS[1], "town": ["Ulm"]}, 'x["town"] should be a number, a text, true, false or null, '),
    ({**ROWS[1], "town": {"a": 1}}, 'x["town"] should be a number, a text, true, false or null, '),
    ({**ROWS[1], "area": 1e101}, 'x["area"] should be a finite number of magnitude at most 1e100'),
    (
        {**ROWS[1], "area": 10**400},
        'x["area"] should be a finite number of magnitude at most 1e100',
    ),
    ({}, 'x has no feature "town"'),
    ("Ulm", "x should be a list of numbers or an object of numbers by name"),
    ([1, 2], "x should have 5 features, but has 2"),
]


@pytest.mark.parametrize(("x", "expected"), BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_a_row_that_does_not_fit_changes_nothing(x, expected):
    async def scenario(app):
        await taught(app, 300)
        errors = [await refused(app, {"x": x, "y": 1.0})]
        if "rooms" not in expected or "no feature" in expected:
            errors.append(await refused(app, {"x": x}, "/predict"))
        many = [ROWS[1], ROWS[2], x]
        batch = (
            await refused(app, {"X": many, "y": [1.0] * 3}) if x and x != {"town": "Ulm"} else None
        )
        return errors, batch

    errors, batch = in_process(scenario, create_app(tabular()))
    assert {status for status, _ in errors} == {422}
    assert all(expected in error for _, error in errors), errors
    place = expected.replace("x", "X[2]", 1) if expected.startswith("x") else "in row 2"
    assert batch is None or place in batch[1]


def test_a_text_among_numbers_is_refused_before_it_is_queued():
    async def scenario(app):
        await taught(app)
        answer = await post(app, "/learn", {"x": {**ROWS[1], "rooms": "3"}, "y": 1}, expected=422)
        assert answer["error"] == 'x["rooms"] should be a number, but is "3"'
        answer = await post(app, "/predict", {"x": {**ROWS[1], "rooms": "3"}}, expected=422)
        assert '"rooms" should be a number, but is "3"' in answer["error"]
        return app.service.counts.refused

    assert in_process(scenario, create_app(tabular())) == 0


@pytest.mark.parametrize("y", [None, "2", True, [1.0], 1e101])
def test_a_label_that_is_no_number_is_refused(y):
    async def scenario(app):
        await taught(app)
        return await refused(app, {"x": ROWS[1], "y": y})

    status, error = in_process(scenario, create_app(tabular()))
    assert (status, error.startswith("y should be a ")) == (422, True)


@pytest.mark.parametrize(
    "document",
    [
        {"x": {"a": [1]}, "y": 1.0},
        {"x": {"a": "b"}, "y": "one"},
        {"x": {}, "y": 1.0},
        {"X": [{"a": 1.0}, {"a": "b"}], "y": [1.0]},
        {"X": [{"a": 1.0}, 5], "y": [1.0, 2.0]},
        {"x": {"\ud800": 1.0}, "y": 1.0},
    ],
)
def test_a_refused_first_row_settles_nothing(document):
    async def scenario(app):
        assert (await refused(app, document))[0] == 422
        await learn(app, x={"b": "text"}, y=1.0)

    app = create_app(tabular())
    in_process(scenario, app)
    assert app.service.columns.names == ["b"]


def test_a_first_row_that_only_the_learner_refuses_settles_nothing():
    model = nystream.Tabular(nystream.RidgeAld(), schema={"a": "time"})

    async def scenario(app):
        status, error = await refused_late(app, {"x": {"a": "never"}, "y": 1.0})
        assert (status, '"a" should be a time, but is "never"' in error) == (422, True)
        await learn(app, x={"a": "2024-01-01", "b": 1}, y=1.0)

    async def refused_late(app, document):
        before = app.service._learner.to_bytes()
        status, answer, _ = await ask(app, "POST", "/learn", document, b"wait=1")
        assert app.service._learner.to_bytes() == before
        assert app.service.columns.n_features is None
        return status, answer["error"]

    in_process(scenario, create_app(model))


def test_models_without_columns_stay_strict():
    async def scenario(app):
        await learn(app, x={"a": 1.0, "b": 2.0}, y=1.0)
        rows = [{"a": 1.0, "b": None}, {"a": "x", "b": 1.0}, {"a": 1.0}, {"a": True, "b": 1.0}]
        return [(await refused(app, {"x": x, "y": 1.0}))[1] for x in rows]

    assert in_process(scenario, create_app(nystream.RidgeAld())) == [
        "x[1] should be a number, but is null",
        'x[0] should be a number, but is "x"',
        'x has no feature "b"',
        "x[0] should be a number, but is true",
    ]


# Limits


def test_objects_of_a_new_model_have_only_so_many_features_and_so_much_text():
    many = {f"column {i}": i for i in range(10_000)}
    halves = [dict(list(many.items())[:700]), dict(list(many.items())[700:1400])]
    long = {"a": "x" * 1_000_000}
    names = {"x" * 1_000_000: 1.0}

    async def scenario(app):
        answers = [await refused(app, {"x": x, "y": 1.0}) for x in (many, long, names)]
        answers.append(await refused(app, {"X": halves, "y": [1.0, 2.0]}))
        await taught(app)
        answers += [await refused(app, {"x": x, "y": 1.0}) for x in (many, {**ROWS[0], **long})]
        town = {**ROWS[1], "town": "x" * 1_000_000}
        answers += [await refused(app, {"x": town}, "/predict")]
        await learn(app, x={**ROWS[1], "town": "x" * 19_000}, y=1.0)
        return answers

    app = create_app(tabular())
    assert in_process(scenario, app) == [
        (413, "x should have at most 1000 features, but has 10000"),
        (413, "x should have at most 20000 characters of text, but has 1000000"),
        (413, "x should have at most 20000 characters in new names of features, but has 1000000"),
        (413, "X should have at most 1000 features, but has 1400"),
        (422, 'x has an unknown feature "column 0"'),
        (413, "x should have at most 20000 characters of text, but has 1000000"),
        (413, "x should have at most 20000 characters of text, but has 1000016"),
    ]


def test_few_names_in_many_rows_do_not_become_many_values():
    names = [f"column {i}" for i in range(200)]

    async def scenario(app):
        await learn(app, x=dict.fromkeys(names, 1.0), y=1.0)
        await learn(app, X=[{name: 1} for name in names], y=[1] * 200)
        rows = [{names[i % 200]: 1.0} for i in range(6000)]
        return await post(app, "/predict", {"X": rows}, expected=413)

    answer = in_process(scenario, create_app(nystream.Tabular(nystream.RunningMean())))
    expected = "X should have at most 1000000 values, with those that are missing: 6000 times 200"
    assert answer == {"error": expected}


def test_of_a_model_that_ignores_new_columns_rows_keep_only_those_known():
    async def scenario(app):
        await learn(app, x={"a": 1.0}, y=1.0)
        await post(app, "/predict", {"x": {"a": 1.0, **{f"b{i}": "x" for i in range(1000)}}})
        await post(app, "/predict", {"X": [{"a": 2.0}, {"c": 1.0}]})
        return [row.asked.__reduce__()[1][0][0][3] for _, row in app.service.pending.copy()]

    texts = in_process(scenario, create_app(ignoring()))
    assert [json.loads(text)["row"] for text in texts] == [{"a": 1.0}, {"a": 2.0}, {"a": None}]
