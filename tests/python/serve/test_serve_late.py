"""Labels that come late by id: the model is judged by what it predicted when it was asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque

import numpy as np
import pytest
from serving import X, Y, ask, in_process, ridge

import nystream
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import _asking, create_app
from nystream.serve._asking import Asker
from nystream.serve._model import Worker
from nystream.serve._packed import pack, unpack
from nystream.serve._pending import Row, Unasked

DELAY = 7


async def post(app, path, document, query=b"", expected=200):
    status, answer, _ = await ask(app, "POST", path, document, query)
    assert status == expected, answer
    return answer


async def learn(app, **document):
    return await post(app, "/learn", document, b"wait=1")


async def taught_late(app, plain, rows, labels):
    """Teach an application by id, and a learner by its tickets, labels some rows late."""
    waiting = deque()
    for x, y in zip(rows, labels, strict=True):
        answer, ticket = await post(app, "/predict", {"x": x.tolist()}), plain.ask(x)
        assert answer["prediction"] == np.array(ticket.prediction).tolist()
        waiting.append((answer["id"], ticket, y))
        if len(waiting) > DELAY:
            name, ticket, y = waiting.popleft()
            await learn(app, id=name, y=y.tolist())
            plain.answer(ticket, y)
    return waiting


@pytest.mark.parametrize(
    ("make", "labels"),
    [
        (ridge, Y[:300]),
        (nystream.Auto, Y[:300]),
        (lambda: nystream.Auto(n_targets=2), np.c_[Y, -Y][:150]),
        (nystream.NonsAld, Y[:50]),
    ],
    ids=["RidgeAld", "Auto", "two targets", "no intervals"],
)
def test_a_model_taught_by_id_is_one_taught_by_tickets_to_the_last_bit(make, labels):
    plain = make()
    app = create_app(make())
    in_process(lambda app: taught_late(app, plain, X[: len(labels)], labels), app)
    assert app.service._learner.to_bytes() == plain.to_bytes()
    # Its own predictions, by which it is judged, are those that clients were given.
    assert app.service.served.mean == pytest.approx(app.service.snapshot.mse, rel=1e-12)


def test_many_rows_of_a_request_are_asked_for_in_order():
    plain, order = nystream.Auto(), np.random.default_rng(0).permutation(100)
    plain.progressive(X[:200], Y[:200])

    async def scenario(app):
        await learn(app, X=X[:200].tolist(), y=Y[:200].tolist())
        answer = await post(app, "/predict", {"X": X[200:300].tolist()})
        tickets = [plain.ask(x) for x in X[200:300]]
        assert answer["predictions"] == [ticket.prediction for ticket in tickets]
        await learn(app, X=X[300:350].tolist(), y=Y[300:350].tolist())
        plain.progressive(X[300:350], Y[300:350])
        await learn(app, ids=[answer["ids"][i] for i in order], y=Y[200 + order].tolist())
        for i in order:
            plain.answer(tickets[i], Y[200 + i])

    app = create_app(nystream.Auto())
    in_process(scenario, app)
    assert app.service._learner.to_bytes() == plain.to_bytes()


def test_the_first_label_by_id_names_the_features():
    async def scenario(app):
        for i in range(2):
            answer = await post(app, "/predict", {"x": {"b": 1.0, "a": 2.0}})
            await learn(app, id=answer["id"], y=i)

    app = create_app(ridge())
    in_process(scenario, app)
    assert app.service._learner.feature_names == ["b", "a"]


# What a checkpoint brings back


def stopped(make, path, plain):
    """The ids, tickets and labels that wait when a service has stopped."""

    async def scenario(app):
        waiting = await taught_late(app, plain, X[:200], Y[:200])
        await learn(app, X=X[200:250].tolist(), y=Y[200:250].tolist())
        plain.progressive(X[200:250], Y[200:250])
        return waiting

    return in_process(scenario, create_app(make(), checkpoint=path))


async def label_all(app, waiting):
    for name, _, y in waiting:
        await learn(app, id=name, y=y)


@pytest.mark.parametrize("make", [ridge, nystream.Auto])
def test_tickets_survive_a_restart(make, tmp_path):
    plain = make()
    waiting = stopped(make, tmp_path / "c", plain)
    assert len(waiting) == DELAY
    app = create_app(make(), checkpoint=tmp_path / "c")
    again = make().from_bytes(plain.to_bytes())
    in_process(lambda app: label_all(app, waiting), app)
    for _, ticket, y in waiting:
        plain.answer(ticket, y)
        again.learn_one(ticket.x, y)
    assert app.service._learner.to_bytes() == plain.to_bytes()
    assert again.to_bytes() != plain.to_bytes()  # it was judged by what it predicts later


@pytest.mark.parametrize("make", [ridge, nystream.Auto])
def test_rows_of_an_older_checkpoint_have_no_tickets_and_are_learned(make, tmp_path):
    plain = make()
    waiting = stopped(make, tmp_path / "c", plain)
    checkpoint = Checkpoint.read(tmp_path / "c")
    del checkpoint.state["pending"]["tickets"]
    checkpoint.write(tmp_path / "c")
    app = create_app(make(), checkpoint=tmp_path / "c")
    in_process(lambda app: label_all(app, waiting), app)
    for _, ticket, y in waiting:
        plain.progressive(ticket.x[None], [y])
    assert app.service._learner.to_bytes() == plain.to_bytes()


def test_rows_with_and_without_a_ticket_come_back_as_they_were():
    model = nystream.Auto()
    model.learn_many(X[:100], Y[:100])
    asked = [model.ask(X[0]), Unasked(X[1], 0.5), model.ask(X[2])]
    rows = [(f"a-{i}", Row(one, 1.0)) for i, one in enumerate(asked)]
    again = unpack(json.loads(json.dumps(pack(rows))), 3, model)
    assert [name for name, _ in again] == ["a-0", "a-1", "a-2"]
    for (_, row), before in zip(again, asked, strict=True):
        assert isinstance(row.asked, type(before))
        assert (row.asked.x == before.x).all()
        assert row.asked.prediction == before.prediction
    for i in (0, 2):
        assert again[i][1].asked.__reduce__()[1] == asked[i].__reduce__()[1]


# What a ticket may not do


def test_ids_that_were_dropped_are_refused_and_teach_nothing():
    async def scenario(app):
        ids = [(await post(app, "/predict", {"x": x.tolist()}))["id"] for x in X[:5]]
        before = app.service._learner.to_bytes()
        many = {"ids": [ids[4], ids[0]], "y": [1.0, 1.0]}
        for document in ({"id": ids[1], "y": 1.0}, many, {"id": ids[4], "y": "1"}):
            refused = await ask(app, "POST", "/learn", document, b"wait=1")
            assert refused[0] == (422 if document["y"] == "1" else 410)
        assert app.service._learner.to_bytes() == before
        return await learn(app, ids=ids[2:], y=Y[2:5].tolist())

    assert in_process(scenario, create_app(nystream.Auto(), max_pending=3))["learned"] == 3


def test_a_row_that_cannot_be_learned_is_not_remembered():
    async def scenario(app):
        before = app.service._learner.to_bytes()
        for document in ({"x": [1e9]}, {"X": [[1e9]]}):
            answer = await post(app, "/predict", document, expected=422)
            assert "the kernel value of x with itself should be at most" in answer["error"]
        await post(app, "/predict", {"x": [1e9]}, b"remember=0")
        assert len(app.service.pending) == 0
        assert app.service._learner.to_bytes() == before

    in_process(scenario, create_app(nystream.NonsAld(nystream.Linear())))


def test_of_labels_that_are_refused_it_is_said_how_many_were_learned():
    async def scenario(app):
        given = await post(app, "/predict", {"X": X[:5].tolist()})
        document = {"ids": given["ids"], "y": Y[:5].tolist()}
        answer = await post(app, "/learn", document, b"wait=1", expected=422)
        assert answer["error"].startswith("3 rows were learned, but not the one after them: ")
        status = (await ask(app, "GET", "/status"))[1]
        return [status[name] for name in ("n_seen", "learned", "refused", "waiting", "pending")]

    assert in_process(scenario, create_app(nystream.Kogd(max_rows=3))) == [3, 3, 2, 0, 0]


# A learner that is busy


@pytest.fixture
def busy(monkeypatch):
    """Keep a learner on its rows until the event is set."""
    free, learn_together = threading.Event(), Worker._learn_together

    def slow(*arguments):
        free.wait(30)
        return learn_together(*arguments)

    monkeypatch.setattr(Worker, "_learn_together", slow)
    return free


async def begun(app):
    """Teach 50 rows, and return when the learner is on them."""
    await post(app, "/learn", {"X": X[:50].tolist(), "y": Y[:50].tolist()}, expected=202)
    while not app.service._asker.turn.locked():
        await asyncio.sleep(0.001)


def test_who_asks_while_the_learner_learns_has_their_turn_next(busy, monkeypatch):
    monkeypatch.setattr(_asking, "PATIENCE", 30.0)
    plain = ridge()
    plain.progressive(X[:50], Y[:50])

    async def scenario(app):
        await begun(app)
        requests = [{"x": X[60].tolist()}, {"X": X[60:62].tolist()}]
        asked = [asyncio.ensure_future(post(app, "/predict", request)) for request in requests]
        await post(app, "/predict", requests[0], b"remember=0")  # which waits for nobody
        assert not any(one.done() for one in asked)
        busy.set()
        return [await one for one in asked]

    app = create_app(ridge())
    one, two = in_process(scenario, app)
    assert one["prediction"] == two["predictions"][0] == plain.ask(X[60]).prediction
    assert {type(row.asked) for _, row in app.service.pending.copy()} == {nystream.Ticket}


def test_who_has_waited_long_enough_is_answered_by_the_snapshot(busy, monkeypatch):
    monkeypatch.setattr(_asking, "PATIENCE", 0.01)
    plain = ridge()

    async def scenario(app):
        await begun(app)
        given = await post(app, "/predict", {"X": X[60:160].tolist()})
        assert given["predictions"] == [0.0] * 100
        busy.set()
        await learn(app, ids=given["ids"], y=Y[60:160].tolist())

    app = create_app(ridge())
    in_process(scenario, app)
    plain.progressive(X[:50], Y[:50])
    for x, y in zip(X[60:160], Y[60:160], strict=True):
        plain.learn_one(x, y)
    assert app.service._learner.n_seen == 150
    assert app.service._learner.predict_many(X) == pytest.approx(plain.predict_many(X), abs=1e-9)
    assert app.service._asker._waiting == 0


def test_only_so_many_rows_wait_for_the_learner():
    async def scenario():
        asker, predict = Asker(asyncio.get_running_loop(), most=3), ridge().predict_many
        with asker.turn:
            assert asker.now(X[:2], predict) is None
            first = asyncio.ensure_future(asker.soon(X[:2], predict, lambda: None))
            await asyncio.sleep(0)
            assert await asker.soon(X[:2], predict, lambda: None) is None
        asker.serve()
        assert len(await first) == len(asker.now(X[:2], predict)) == 2

    asyncio.run(scenario())
