"""Rows of tables: texts, truths, times and gaps go through the service as they do in Python."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import deque

import numpy as np
import pytest
from serving import X, Y, ask, blocked, in_process, needs_uvicorn, serving

import nystream
from nystream._cli import main
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import create_app
from nystream.serve._packed import pack, unpack
from nystream.serve._pending import Row, Unasked

TOWNS = ["Ulm", "Bonn", "Köln", "Trier"]


def row(i):
    """A row with a text, numbers, a truth, a time, and gaps in three of them."""
    return {
        "town": TOWNS[i * i % 4] if i % 7 else None,
        "rooms": i % 5,
        "area": None if i % 11 == 3 else 20.5 + i * 7 % 60,
        "garden": i % 3 == 0,
        "since": f"2024-{1 + i % 12:02}-{1 + i % 28:02}T{i % 24:02}:30" if i % 13 else "",
    }


def label(i):
    return 2.0 * (i % 5) + len(TOWNS[i * i % 4]) + 0.1 * (i % 3)


ROWS = [row(i) for i in range(400)]
LABELS = [label(i) for i in range(400)]


def tabular():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40))


def adding():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40), on_new_columns="add")


def ignoring():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40), on_new_columns="ignore")


async def post(app, path, document, query=b"", expected=200):
    status, answer, _ = await ask(app, "POST", path, document, query)
    assert status == expected, answer
    return answer


async def learn(app, **document):
    return await post(app, "/learn", document, b"wait=1")


async def taught(app, n=40):
    await learn(app, X=ROWS[:n], y=LABELS[:n])


async def refused(app, document, path="/learn"):
    """The status and the error of a request that changes nothing."""
    before = app.service._learner.to_bytes(), app.service.columns, len(app.service.pending)
    status, answer, _ = await ask(app, "POST", path, document, b"wait=1" * (path == "/learn"))
    assert status >= 400, answer
    after = app.service._learner.to_bytes(), app.service.columns, len(app.service.pending)
    assert after == before
    return status, answer["error"]


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


# Labels that come late


@pytest.mark.parametrize("make", [nystream.Auto, tabular], ids=["Auto", "Tabular"])
def test_labels_by_id_across_a_restart_are_answers_to_tickets_to_the_last_bit(make, tmp_path):
    plain, waiting = make(), deque()

    async def first(app):
        for i in range(120):
            answer, ticket = await post(app, "/predict", {"x": ROWS[i]}), plain.ask(ROWS[i])
            assert answer["prediction"] == ticket.prediction
            waiting.append((answer["id"], ticket, LABELS[i]))
            if len(waiting) > 30:
                await answered(app)

    async def answered(app):
        name, ticket, y = waiting.popleft()
        await learn(app, id=name, y=y)
        plain.answer(ticket, y)

    async def second(app):
        assert len(app.service.pending) == len(waiting) == 30
        while waiting:
            await answered(app)

    in_process(first, create_app(make(), checkpoint=tmp_path / "c"))
    app = create_app(make(), checkpoint=tmp_path / "c")
    in_process(second, app)
    assert app.service._learner.to_bytes() == plain.to_bytes()
    assert app.service._learner.n_seen == 120


@needs_uvicorn
def test_a_killed_service_goes_on_from_its_checkpoint_with_rows_of_tables(tmp_path):
    options = ["--checkpoint", tmp_path / "c", "--every", "0.05", "--schema", "rooms=category"]
    plain = nystream.Auto(schema={"rooms": "category"})
    with serving(*options) as server:
        client = server.client()
        status, answer = client.post("/learn?wait=1", {"X": ROWS[:50], "y": LABELS[:50]})
        assert (status, answer) == (200, {"learned": 50, "n_seen": 50})
        given = client.post("/predict", {"X": ROWS[50:60]})[1]
        written = client.get("/status")[1]["checkpoints"]["written"]
        while client.get("/status")[1]["checkpoints"]["written"] < written + 2:
            client.post("/predict?remember=0", {"x": ROWS[0]})
            client.post("/predict", {"x": ROWS[0]})
        server.stop(signal.SIGKILL)
    plain.learn_many(ROWS[:50], LABELS[:50])
    tickets = [plain.ask(x) for x in ROWS[50:60]]
    assert given["predictions"] == [ticket.prediction for ticket in tickets]
    with serving(*options) as server:
        client = server.client()
        labels = {"ids": given["ids"], "y": LABELS[50:60]}
        assert client.post("/learn?wait=1", labels)[1] == {"learned": 10, "n_seen": 60}
        for ticket, y in zip(tickets, LABELS[50:60], strict=True):
            plain.answer(ticket, y)
        after = client.post("/predict?remember=0", {"X": ROWS[60:]})[1]["predictions"]
        assert after == plain.predict_many(ROWS[60:]).tolist()
        kinds = {column["name"]: column["kind"] for column in client.get("/status")[1]["schema"]}
    assert kinds["rooms"] == "category"


def test_rows_of_tables_without_tickets_come_back_as_they_were():
    model = nystream.Auto()
    model.learn_many(ROWS[:20], LABELS[:20])
    asked = [model.ask(ROWS[0]), Unasked(ROWS[3], 0.5), Unasked(np.array([1.0, np.nan]), 2.0)]
    rows = [(f"a-{i}", Row(one, 1.0)) for i, one in enumerate(asked)]
    again = [row.asked for _, row in unpack(json.loads(json.dumps(pack(rows))), 5, model)]
    assert again[0].__reduce__()[1] == asked[0].__reduce__()[1]
    assert again[1] == asked[1]
    assert again[2].x.tobytes() == asked[2].x.tobytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("widths", [1]),
        ("widths", [1, -1]),
        ("widths", [2**53, 2**53]),
        ("rows", None),
        ("rows", ["", 5]),
        ("rows", ["{", "{"]),
        ("rows", ['{"generation": 0, "row": {"a": [1]}}', ""]),
        ("rows", ["[" * 100_000] * 2),
    ],
)
def test_forged_rows_of_tables_are_refused(name, value, tmp_path):
    async def scenario(app):
        await taught(app)
        await post(app, "/predict", {"X": ROWS[:2]})

    path = tmp_path / "c"
    in_process(scenario, create_app(tabular(), checkpoint=path))
    checkpoint = Checkpoint.read(path)
    checkpoint.state["pending"][name] = value
    checkpoint.write(path)
    with pytest.raises(ValueError, match=r"c is not a sound checkpoint: "):
        create_app(tabular(), checkpoint=path)


def test_forged_rows_without_tickets_are_refused():
    model = tabular()
    packed = pack([("a-0", Row(Unasked(ROWS[3], 0.5), 1.0))])
    for text in ("[1]", '{"a": [1]}', '{"a": 1e999}', "[" * 100_000):
        with pytest.raises(ValueError, match="a row should be"):
            unpack({**packed, "rows": [text]}, 5, model)


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
    from nystream.serve import _status

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


# The options of the command


def made(monkeypatch, *options):
    """The model that ``nystream serve`` serves with these options."""
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")
    from nystream.serve import _server

    served = []
    monkeypatch.setattr(_server, "run", lambda app, *_: served.append(app.service._learner))
    assert main(["serve", "--port", "0", *options]) == 0
    return served[0]


def test_options_say_what_is_known_of_columns(monkeypatch):
    schema = ["--schema", "zip=category", "a=b=unused", "--missing-values", "-999", "-1"]
    auto = made(monkeypatch, *schema)
    assert auto.params["schema"] == {"zip": "category", "a=b": "unused"}
    assert auto.params["missing_values"] == [-999.0, -1.0]
    other = made(monkeypatch, "--algorithm", "RidgeAld", "--set", "ridge=0.5", "--tabular", *schema)
    assert type(other) is nystream.Tabular
    assert other.params["model"].params["ridge"] == 0.5
    assert other.params["schema"] == auto.params["schema"]
    assert type(made(monkeypatch, "--tabular")) is nystream.Auto


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--schema", "zip"], "should be NAME=KIND, but is 'zip'"),
        (["--schema", "zip=colour"], "colour"),
        (
            ["--algorithm", "RidgeAld", "--schema", "zip=category"],
            "RidgeAld has no columns to apply --schema to: add --tabular",
        ),
        (["model.nys", "--tabular"], "MODEL goes on with a model: --tabular, --schema and"),
        (["--missing-values", "nan"], "missing_values[0]"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message, capsys):
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")
    try:
        status = main(["serve", "--port", "0", *options])
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert message in capsys.readouterr().err
