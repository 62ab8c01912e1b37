"""The service predicts and learns; labels may come late."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from serving import RIDGE, X, Y, ask, in_process, needs_uvicorn, ridge, serving

import nystream
from nystream.serve import create_app
from nystream.serve._pending import Pending, Unasked

# Predictions and learning


@needs_uvicorn
@pytest.mark.parametrize("learner", ["RidgeAld", "Auto"])
def test_answers_are_those_of_the_plain_learner_to_the_last_bit(learner):
    plain = ridge() if learner == "RidgeAld" else nystream.Auto()
    sizes = [1, 1, 7, 64, 300, 1, 26]
    with serving(*(RIDGE if learner == "RidgeAld" else [])) as server:
        client = server.client()
        for start, size in zip(np.cumsum([0, *sizes]), sizes, strict=False):
            rows = slice(start, start + size)
            assert client.predict(X[start])[0] == plain.ask(X[start]).prediction
            client.learn(X[rows], Y[rows])
            plain.progressive(X[rows], Y[rows])
        many = client.post("/predict?remember=0", {"X": X.tolist()})[1]
        assert many == {"predictions": plain.predict_many(X).tolist()}
        status = client.get("/status")[1]
    assert (status["n_seen"], status["n_basis"]) == (plain.n_seen, plain.n_basis)
    assert status["pending"] == len(sizes)


@needs_uvicorn
def test_every_answer_under_load_is_one_between_two_batches():
    """Eight clients predict while a ninth teaches: no error, and no model that is half updated."""
    plain, answers, done = ridge(), [[] for _ in range(8)], threading.Event()
    possible = [{plain.ask(x).prediction} for x in X[:8]]

    def predict(number, client):
        x = {"x": X[number].tolist()}
        while not done.is_set():
            answers[number].append(client.post("/predict", x))

    with serving(*RIDGE) as server:
        threads = [threading.Thread(target=predict, args=(i, server.client())) for i in range(8)]
        for thread in threads:
            thread.start()
        teacher = server.client()
        for start in range(0, 1000, 50):
            rows = slice(start, start + 50)
            teacher.learn(X[rows], Y[rows])
            plain.progressive(X[rows], Y[rows])
            for x, values in zip(X, possible, strict=False):
                values.add(plain.ask(x).prediction)
        done.set()
        for thread in threads:
            thread.join()
    for given, values in zip(answers, possible, strict=True):
        assert {status for status, _ in given} == {200}
        assert {answer["prediction"] for _, answer in given} <= values
    ids = [answer["id"] for given in answers for _, answer in given]
    assert len(set(ids)) == len(ids)


def test_several_targets_are_lists():
    labels = np.c_[Y, X[:, 0]]
    plain = nystream.LinearRls(n_targets=2)

    async def scenario(app):
        rows = {"X": X[:50].tolist(), "y": labels[:50].tolist()}
        assert (await ask(app, "POST", "/learn", rows, b"wait=1"))[0] == 200
        plain.progressive(X[:50], labels[:50])
        _, one, _ = await ask(app, "POST", "/predict", {"x": X[50].tolist()})
        assert one["prediction"] == plain.predict_one(X[50]).tolist()
        _, two, _ = await ask(app, "POST", "/predict", {"X": X[50:52].tolist()})
        assert two["predictions"] == plain.predict_many(X[50:52]).tolist()
        label = {"id": one["id"], "y": labels[50].tolist()}
        assert (await ask(app, "POST", "/learn", label, b"wait=1"))[0] == 200
        error = (np.array(one["prediction"]) - labels[50]) ** 2
        _, status, _ = await ask(app, "GET", "/status")
        assert status["mse"]["served"] == pytest.approx(error.mean(), rel=1e-12)
        wrong = {"x": X[0].tolist(), "y": 1.0}
        return await ask(app, "POST", "/learn", wrong)

    status, answer, _ = in_process(scenario, create_app(nystream.LinearRls(n_targets=2)))
    assert (status, answer["error"]) == (
        422,
        "y should be a list of 2 numbers, one for each target, but is 1.0",
    )


def test_features_may_have_names():
    async def scenario(app):
        first = {"x": {"b": 1.0, "a": 2.0}, "y": 3.0}
        assert (await ask(app, "POST", "/learn", first, b"wait=1"))[0] == 200
        _, status, _ = await ask(app, "GET", "/status")
        assert status["feature_names"] == ["b", "a"]
        ask_for = [{"x": {"a": 2.0, "b": 1.0}}, {"x": [1.0, 2.0]}, {"X": [{"a": 2.0, "b": 1.0}]}]
        answers = [(await ask(app, "POST", "/predict", x))[1] for x in ask_for]
        assert answers[0]["prediction"] == answers[1]["prediction"] == answers[2]["predictions"][0]
        wrong = [{"a": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 1.0, "b": "2"}]
        return [(await ask(app, "POST", "/predict", {"x": x}))[:2] for x in wrong]

    app = create_app(ridge())
    refused = in_process(scenario, app)
    assert [status for status, _ in refused] == [422, 422, 422]
    assert [answer["error"] for _, answer in refused] == [
        'x has no feature "b"',
        'x has an unknown feature "c"',
        'x[0] should be a number, but is "2"',
    ]
    assert app.service._learner.feature_names == ["b", "a"]


def test_a_row_that_is_only_scored_says_nothing_of_the_columns():
    async def scenario(app):
        await ask(app, "POST", "/predict", {"x": [1.0]}, b"remember=0")
        await ask(app, "POST", "/predict", {"x": [1.0, 2.0]})
        return await ask(app, "POST", "/learn", {"x": [1.0], "y": 1.0})

    status, answer, _ = in_process(scenario, create_app(ridge()))
    assert (status, answer["error"]) == (422, "x should have 2 features, but has 1")


# Labels that come late


def test_a_label_may_come_by_id():
    plain = ridge()

    async def scenario(app):
        given = [(await ask(app, "POST", "/predict", {"x": x.tolist()}))[1] for x in X[:4]]
        ids, tickets = [answer["id"] for answer in given], [plain.ask(x) for x in X[:4]]
        order = [2, 0]
        batch = {"ids": [ids[i] for i in order], "y": Y[order].tolist()}
        assert (await ask(app, "POST", "/learn", batch, b"wait=1"))[0] == 200
        await ask(app, "POST", "/learn", {"id": ids[3], "y": Y[3]}, b"wait=1")
        for i in (*order, 3):
            plain.answer(tickets[i], Y[i])
        _, answer, _ = await ask(app, "POST", "/predict", {"x": X[9].tolist()})
        assert answer["prediction"] == plain.ask(X[9]).prediction
        _, status, _ = await ask(app, "GET", "/status")
        served = [(given[i]["prediction"] - Y[i]) ** 2 for i in (2, 0, 3)]
        assert status["mse"]["served"] == pytest.approx(np.mean(served), rel=1e-12)
        assert status["pending"] == 2
        again = {"ids": [ids[1], ids[2]], "y": [0.0, 0.0]}
        refused = [await ask(app, "POST", "/learn", {"id": ids[3], "y": 1.0})]
        refused += [await ask(app, "POST", "/learn", again)]
        refused += [await ask(app, "POST", "/learn", {"ids": [ids[1]] * 2, "y": [0.0, 0.0]})]
        assert app.service.snapshot.n_seen == 3
        return ids, refused

    ids, refused = in_process(scenario, create_app(ridge()))
    assert [status for status, *_ in refused] == [409, 409, 409]
    assert [answer["error"] for _, answer, _ in refused] == [
        f'the id "{ids[3]}" has had its label',
        f'the id "{ids[2]}" has had its label',
        f'the id "{ids[1]}" comes twice',
    ]


def test_the_oldest_rows_make_room_and_are_counted():
    async def scenario(app):
        given = [(await ask(app, "POST", "/predict", {"x": x.tolist()}))[1] for x in X[:5]]
        ids = [answer["id"] for answer in given]
        answers = [await ask(app, "POST", "/learn", {"id": name, "y": 0.5}) for name in ids]
        status = (await ask(app, "GET", "/status"))[1]
        return ids, answers, status

    ids, answers, status = in_process(scenario, create_app(ridge(), max_pending=3))
    assert [status for status, *_ in answers] == [410, 410, 202, 202, 202]
    assert answers[0][1]["error"] == f'the id "{ids[0]}" is no longer remembered'
    assert (status["dropped"], status["pending"]) == (2, 0)


def test_rows_are_forgotten_when_they_are_old(monkeypatch):
    now = time.time()
    pending = Pending(10, max_age=60.0)
    monkeypatch.setattr(time, "time", lambda: now)
    first = pending.add(Unasked(X[0], 0.0))
    monkeypatch.setattr(time, "time", lambda: now + 59)
    pending.find([first])
    second = pending.add(Unasked(X[1], 0.0))
    monkeypatch.setattr(time, "time", lambda: now + 61)
    with pytest.raises(Exception, match="no longer remembered"):
        pending.find([first])
    assert (pending.find([second])[0].asked.x == X[1]).all()
    assert (len(pending), pending.n_dropped) == (1, 1)
