"""The service: real servers and clients, predictions held to a plain learner, every refusal."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import importlib.util
import json
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import numpy as np
import pytest
from serving import RIDGE, X, Y, ask, blocked, in_process, needs_uvicorn, ridge, serving
from support import command

import nystream
from nystream._checkpoint import Checkpoint
from nystream._cli import main
from nystream.serve import create_app
from nystream.serve._model import Save
from nystream.serve._pending import Pending
from nystream.serve._record import LONGEST, Curve, Point

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def shared():
    """A model of three features that has learned a row; no test may teach it more."""
    if importlib.util.find_spec("uvicorn") is None:
        pytest.skip("not installed: uvicorn")
    with serving(*RIDGE, "--max-body", "2000", "--max-rows", "5", "--timeout", "0.5") as server:
        server.client().learn(X[:1], Y[:1])
        yield server


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
            assert client.predict(X[start])[0] == plain.predict_one(X[start])
            client.learn(X[rows], Y[rows])
            plain.progressive(X[rows], Y[rows])
        many = client.post("/predict?remember=0", {"X": X.tolist()})[1]
        assert many == {"predictions": plain.predict_many(X).tolist()}
        status = client.get("/status")[1]
    assert (status["n_seen"], status["n_basis"]) == (plain.n_seen, plain.n_basis)
    assert status["pending"] == len(sizes)


@needs_uvicorn
def test_every_answer_under_load_is_one_of_a_snapshot():
    """Eight clients predict while a ninth teaches: no error, and nothing between two models."""
    plain, answers, done = ridge(), [[] for _ in range(8)], threading.Event()
    possible = [{plain.predict_one(x)} for x in X[:8]]

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
                values.add(plain.predict_one(x))
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
        ids = [answer["id"] for answer in given]
        order = [2, 0]
        batch = {"ids": [ids[i] for i in order], "y": Y[order].tolist()}
        assert (await ask(app, "POST", "/learn", batch, b"wait=1"))[0] == 200
        plain.progressive(X[order], Y[order])
        await ask(app, "POST", "/learn", {"id": ids[3], "y": Y[3]}, b"wait=1")
        plain.progressive(X[3:4], Y[3:4])
        _, answer, _ = await ask(app, "POST", "/predict", {"x": X[9].tolist()})
        assert answer["prediction"] == plain.predict_one(X[9])
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
    first = pending.add(X[0], 0.0)
    monkeypatch.setattr(time, "time", lambda: now + 59)
    pending.find([first])
    second = pending.add(X[1], 0.0)
    monkeypatch.setattr(time, "time", lambda: now + 61)
    with pytest.raises(Exception, match="no longer remembered"):
        pending.find([first])
    assert (pending.find([second])[0].x == X[1]).all()
    assert (len(pending), pending.n_dropped) == (1, 1)


# What is refused

GOOD = {"x": [0.1, 0.2, 0.3]}
BAD_BODIES = [
    ("/predict", b'{"x": [1, 2', 400, "the body should be JSON: Expecting"),
    ("/predict", b"\xff", 400, "the body should be JSON: 'utf-8' codec"),
    ("/predict", b"[" * 1900, 400, "the body should be JSON: "),
    ("/predict", b"", 400, "the body should be JSON: "),
    ("/predict", [1.0], 422, 'the body should be an object with "x", or "X"'),
    ("/predict", {"x": [1.0], "X": []}, 422, 'the body should be an object with "x", or "X"'),
    ("/predict", {"x": 1.0}, 422, "x should be a list of numbers or an object of numbers by name"),
    ("/predict", {"x": None}, 422, "by name, but is null"),
    ("/predict", {"x": []}, 422, "x should have at least one feature, but is empty"),
    ("/predict", {"x": [1.0]}, 422, "x should have 3 features, but has 1"),
    ("/predict", {"x": [1, 2, "3"]}, 422, 'x[2] should be a number, but is "3"'),
    ("/predict", {"x": [1, 2, True]}, 422, "x[2] should be a number, but is true"),
    ("/predict", {"x": [1, [2], 3]}, 422, "x[1] should be a number, but is [2]"),
    ("/predict", {"x": [1, 2, 10**400]}, 422, "x holds a whole number that is too large"),
    ("/predict", b'{"x": [1, 2, NaN]}', 422, "x[2] should be a finite number"),
    ("/predict", b'{"x": [1e999, 2, 3]}', 422, "x[0] should be a finite number"),
    ("/predict", {"x": {"a": 1}}, 422, "x should be a list of 3 numbers: the model knows no names"),
    ("/predict", {"X": 1}, 422, "X should be a list, and not empty, but is 1"),
    ("/predict", {"X": []}, 422, "X should be a list, and not empty, but is []"),
    ("/predict", {"X": [[1, 2, 3], [1, 2]]}, 422, "X[1] should have 3 features, but has 2"),
    ("/predict", b'{"X": [[1, 2, 3], [1, Infinity, 3]]}', 422, "X[1][1] should be a finite"),
    ("/predict", {"X": [[1, 2, 3]] * 6}, 413, "X should have at most 5 rows, but has 6"),
    ("/predict", b" " * 2001, 413, "the body should have at most 2000 bytes"),
    ("/predict?remember=no", GOOD, 400, "remember should be 0 or 1, but is 'no'"),
    ("/predict?wait=1", GOOD, 400, "there is no parameter 'wait'"),
    ("/learn", GOOD, 422, 'an object with "x" and "y", or "X" and "y", or "id" and "y", or "ids"'),
    ("/learn", {**GOOD, "y": None}, 422, "y should be a number, but is null"),
    ("/learn", {**GOOD, "y": [1.0]}, 422, "y should be a number, but is [1.0]"),
    ("/learn", {**GOOD, "y": 10**400}, 422, "y holds a whole number that is too large"),
    ("/learn", b'{"x": [1, 2, 3], "y": NaN}', 422, "y should be a finite number"),
    ("/learn", {"x": [1, 2, 1e101], "y": 1}, 422, "of magnitude at most 1e100, but is 1e+101"),
    ("/learn", {"X": [[1, 2, 3]], "y": 1}, 422, "y should be a list of 1 labels, but is 1"),
    ("/learn", {"X": [[1, 2, 3]], "y": [1, 2]}, 422, "as there are rows, 1, but has 2"),
    ("/learn", {"X": [[1, 2, 3]] * 2, "y": [1, ""]}, 422, 'y[1] should be a number, but is ""'),
    ("/learn", {"X": [[1, 2, 3]] * 6, "y": [1] * 6}, 413, "X should have at most 5 rows"),
    ("/learn", {"id": "nobody-7", "y": 1}, 404, 'the id "nobody-7" is not known'),
    ("/learn", {"id": "9" * 1000, "y": 1}, 404, 'the id "999'),
    ("/learn", {"id": 7, "y": 1}, 422, "an id should be text, but is 7"),
    ("/learn", {"ids": [], "y": []}, 422, "ids should be a list, and not empty, but is []"),
]


@pytest.mark.parametrize(("path", "body", "status", "message"), BAD_BODIES)
def test_bad_requests_are_told_what_is_wrong(path, body, status, message, shared):
    client = shared.client()
    given, answer = client.post(path, body)
    assert (given, list(answer)) == (status, ["error"])
    assert message in answer["error"]
    assert client.post("/predict", GOOD)[0] == 200  # the connection and the model live on
    assert client.get("/status")[1]["n_seen"] == 1


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "message"),
    [
        ("GET", "/nothing", {}, 404, "there is nothing at '/nothing'"),
        ("GET", "/predict", {}, 405, "/predict takes POST, but the method is GET"),
        ("POST", "/metrics", {}, 405, "/metrics takes GET, HEAD, but the method is POST"),
        ("POST", "/learn", {}, 415, "Content-Type should be application/json"),
        ("POST", "/learn", {"Content-Type": "text/plain"}, 415, "Content-Type should be"),
        ("GET", "/status", {"Host": "evil.example:80"}, 421, "this is not 'evil.example'"),
    ],
)
def test_strange_requests_are_refused(method, path, headers, status, message, shared):
    client = shared.client()
    answer = client.send(method, path, **headers)
    assert answer.status == status
    assert message in json.loads(answer.read())["error"]
    assert answer.getheader("Allow") == {"/predict": "POST", "/metrics": "GET, HEAD"}.get(path)
    assert client.get("/health") == (200, {"status": "ok"})


def test_a_body_without_a_length_is_limited_too(shared):
    client = shared.client()
    chunks = (b" " * 500 for _ in range(5))
    answer = client.send("POST", "/predict", chunks, **{"Content-Type": "application/json"})
    assert answer.status == 413


def test_a_body_that_does_not_come_is_not_waited_for(shared):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=30) as connection:
        head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f'{head}Content-Length: 20\r\n\r\n{{"x"'.encode())
        answer = b"".join(iter(lambda: connection.recv(4096), b""))  # until it is closed
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert answer.endswith(b'{"error": "the body should be here within 0.5 seconds"}')


def test_a_full_queue_is_said_and_loses_nothing():
    async def scenario(app):
        free = blocked(app)
        _, predicted, _ = await ask(app, "POST", "/predict", {"x": X[9].tolist()})
        rows = {"X": X[:6].tolist(), "y": Y[:6].tolist()}
        by_id = {"id": predicted["id"], "y": 1.0}
        assert (await ask(app, "POST", "/learn", rows))[:2] == (202, {"queued": 6, "waiting": 6})
        refused = await ask(app, "POST", "/learn", rows)
        rest = {"X": X[:4].tolist(), "y": Y[:4].tolist()}
        assert (await ask(app, "POST", "/learn", rest))[0] == 202
        assert (await ask(app, "POST", "/learn", by_id))[0] == 503
        free.set()
        while app.service.waiting:
            await asyncio.sleep(0.001)
        assert (await ask(app, "POST", "/learn", by_id, b"wait=1"))[1]["n_seen"] == 11
        return refused

    status, answer, headers = in_process(scenario, create_app(ridge(), max_rows=10, max_queue=10))
    assert (status, headers[b"retry-after"]) == (503, b"1")
    assert answer["error"] == "the queue is full: 6 rows wait to be learned"


def test_rows_that_the_learner_refuses_spoil_no_others():
    """What only the learner can know, such as kernel values too large, is told who waits."""
    model = nystream.NonsAld(nystream.Linear())

    async def scenario(app):
        free = blocked(app)
        rows = [{"x": [value], "y": 0.5} for value in (0.1, 1e9, 0.3)]
        asked = [asyncio.ensure_future(ask(app, "POST", "/learn", x, b"wait=1")) for x in rows]
        await asyncio.sleep(0)
        free.set()
        answers = await asyncio.gather(*asked)
        return answers, (await ask(app, "GET", "/status"))[1]

    answers, status = in_process(scenario, create_app(model))
    assert [status for status, *_ in answers] == [200, 422, 200]
    assert "should be at most" in answers[1][1]["error"]
    assert (status["n_seen"], status["learned"], status["refused"]) == (2, 2, 1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_learner_that_has_died_is_said_to_all(tmp_path):
    free = threading.Event()

    def die(*_):
        free.wait()
        raise SystemExit

    async def scenario(app):
        app.service.start()
        app.service._worker.put(Save(die, asyncio.get_running_loop().create_future()))
        row = {"x": [1.0], "y": 1.0}
        waiting = asyncio.ensure_future(ask(app, "POST", "/learn", row, b"wait=1"))
        await asyncio.sleep(0)
        free.set()
        answers = [await waiting]
        app.service._worker.thread.join()
        answers.append(await ask(app, "POST", "/learn", row))
        return [*answers, await ask(app, "GET", "/health")]

    app = create_app(ridge(), checkpoint=tmp_path / "c")
    answers = in_process(scenario, app)
    assert [answer[:2] for answer in answers] == [(503, {"error": "the learner has stopped"})] * 3
    assert str(app.service.failure) == "the learner has stopped"  # so no checkpoint was written
    assert not (tmp_path / "c").exists()


# Who may ask


@needs_uvicorn
def test_a_token_is_asked_for(tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    with serving("--token-file", tmp_path / "token") as server:
        stranger, friend = server.client(), server.client("s3cret")
        for path in ("/status", "/metrics"):
            answer = stranger.send("GET", path)
            assert (answer.status, answer.getheader("WWW-Authenticate")) == (401, "Bearer")
            assert "a token is needed" in json.loads(answer.read())["error"]
        for path in ("/predict", "/learn"):
            assert server.client("wrong").post(path, GOOD)[0] == 401
        assert stranger.get("/health")[0] == 200
        for path in ("/", "/page.js", "/scales.js", "/page.css"):
            answer = stranger.send("GET", path)
            assert (answer.status, bool(answer.read())) == (200, True)
        assert friend.post("/predict", GOOD)[0] == 200
        assert friend.send("GET", "/status", Host="any.name").status == 200


@needs_uvicorn
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0 lets other machines in: give clients a token"),
        (["--host", "no such host"], "--host should be an address or a name"),
        (["absent.nys"], "absent.nys"),
        (["scorer.nys"], "MODEL should be a learner, but scorer.nys holds a scorer"),
        (["m.nys", "--algorithm", "Auto"], "--algorithm and --set are for a new one"),
        (["--every", "5"], "--every needs --checkpoint"),
        (["--checkpoint", "no/folder/c"], "checkpoint should be in a folder, but there is none at"),
        (["--checkpoint", "damaged"], "damaged is not a sound checkpoint"),
        (["--checkpoint", "other"], "other is a checkpoint, but none of nystream serve"),
        (["--token-file", "empty"], "--token-file should hold a token, but empty is empty"),
        (["--token-file", "odd"], "token should be visible ASCII characters"),
        (["--max-rows", "30000"], "max_rows should be at most max_queue, 20000, but is 30000"),
        (["--set", "max_basis=0"], "max_basis should be"),
    ],
)
def test_mistakes_on_the_command_line_are_one_line(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NYSTREAM_TOKEN", raising=False)
    ridge().scorer().save("scorer.nys")
    ridge().save("m.nys")
    Checkpoint({}, {"kind": "something else"}).write("other")
    for name, text in {"damaged": "no zip", "empty": "\n", "odd": "tökén"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["serve", "--port", "0", *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith("nystream: error: ")
    assert error.count("\n") == 1
    assert message in error


def test_a_missing_server_is_said(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["serve"]) == 2
    expected = "nystream: error: nystream serve needs uvicorn: pip install 'nystream[serve]'\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"model": "Auto"}, TypeError, "model should be a learner, but is 'Auto'"),
        ({"max_rows": 0}, ValueError, "max_rows should be at least 1, but is 0"),
        ({"max_queue": 2.5}, TypeError, "max_queue should be a whole number, but is 2.5"),
        ({"every": 0}, ValueError, "every should be positive and finite, but is 0"),
        ({"timeout": float("nan")}, ValueError, "timeout should be positive and finite"),
        ({"refresh": "1"}, TypeError, "refresh should be a number, but is '1'"),
        ({"token": ""}, ValueError, "token should be visible ASCII characters, at least one"),
    ],
)
def test_arguments_are_checked(arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        create_app(**{"model": ridge(), **arguments})


# Stopping and going on


@needs_uvicorn
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_a_service_goes_on_where_it_stopped(number, tmp_path):
    """What was queued is learned, ids are remembered, and all bits are those of one learner."""
    options = [*RIDGE, "--checkpoint", tmp_path / "c"]
    plain = ridge()
    plain.progressive(X[:100], Y[:100])
    prediction = plain.predict_one(X[500])
    plain.progressive(X[100:101], Y[100:101])
    with serving(*options) as server:
        client = server.client()
        client.learn(X[:100], Y[:100])
        _, late = client.predict(X[500])
        assert client.post("/learn", {"x": X[100].tolist(), "y": Y[100]})[0] == 202
        assert server.stop(number) == (0, "")
    with serving(*options) as server:
        assert server.greeting.startswith("RidgeAld, 101 rows seen: ")
        client = server.client()
        assert client.predict(X[501])[0] == plain.predict_one(X[501])
        assert client.post("/learn?wait=1", {"id": late, "y": Y[500]})[0] == 200
        plain.progressive(X[500:501], Y[500:501])
        client.learn(X[101:300], Y[101:300])
        plain.progressive(X[101:300], Y[101:300])
        assert client.predict(X[502])[0] == plain.predict_one(X[502])
        status = client.get("/status")[1]
        assert status["mse"]["served"] == pytest.approx((prediction - Y[500]) ** 2, rel=1e-12)
        assert [status["curve"][0][0], status["curve"][-1][0]] == [100, 301]
        assert server.stop()[0] == 0
    state = Checkpoint.read(tmp_path / "c")
    assert state.models["model"] == plain.to_bytes()
    assert len(state.state["pending"]["ids"]) == 2


@needs_uvicorn
def test_what_was_accepted_before_the_end_is_learned(tmp_path):
    """A teacher who is cut off has lost no row that was queued."""
    accepted = 0
    with serving("--checkpoint", tmp_path / "c") as server:
        client, rows = server.client(), {"X": X[:100].tolist(), "y": Y[:100].tolist()}
        threading.Timer(0.3, server.process.terminate).start()
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                accepted += client.post("/learn", rows)[0] == 202
        assert server.process.wait(30) == 0
    learner = nystream.Learner.from_bytes(Checkpoint.read(tmp_path / "c").models["model"])
    # The answer to one request more may have been lost on its way.
    assert learner.n_seen in (100 * accepted, 100 * accepted + 100)
    assert accepted > 0


@needs_uvicorn
def test_a_second_service_does_not_write_to_the_checkpoint_of_the_first(tmp_path):
    options = [*RIDGE, "--checkpoint", tmp_path / "c"]
    with serving(*options):
        second = subprocess.run(
            command("serve", "--port", "0", *options), capture_output=True, text=True, timeout=60
        )
    assert second.returncode == 2
    assert f"another process is writing to {tmp_path / 'c'}: process " in second.stderr


@pytest.mark.slow
def test_a_killed_service_leaves_a_checkpoint_of_some_moment(tmp_path):
    """Whatever the moment, the file is sound, and its model is that of the first so many rows."""
    options = [*RIDGE, "--checkpoint", tmp_path / "c", "--every", "0.02"]
    plain, models = ridge(), {}
    for start in range(0, 1000, 10):
        plain.progressive(X[start : start + 10], Y[start : start + 10])
        models[plain.n_seen] = plain.to_bytes()
    seen = 0
    for _ in range(3):
        with serving(*options) as server:
            client = server.client()
            assert client.get("/status")[1]["n_seen"] == seen
            for start in range(seen, seen + 200, 10):
                client.learn(X[start : start + 10], Y[start : start + 10])
            while client.get("/status")[1]["checkpoints"]["written"] == 0:
                time.sleep(0.005)
            server.process.kill()
            server.process.wait()
        model = nystream.Learner.from_bytes(Checkpoint.read(tmp_path / "c").models["model"])
        assert seen < model.n_seen <= seen + 200
        seen = model.n_seen
        assert model.to_bytes() == models[seen]


@needs_uvicorn
def test_a_checkpoint_that_cannot_be_written_stops_nothing_but_is_told(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with serving(*RIDGE, "--checkpoint", folder / "c", "--every", "0.02") as server:
        client = server.client()
        shutil.rmtree(folder)
        client.learn(X[:10], Y[:10])
        while client.get("/status")[1]["checkpoints"]["failed"] == 0:
            time.sleep(0.005)
        client.learn(X[10:20], Y[10:20])
        failed = client.get("/status")[1]["checkpoints"]["failed"]
        while client.get("/status")[1]["checkpoints"]["failed"] <= failed + 1:  # it tries again
            time.sleep(0.005)
        code, errors = server.stop()
    assert code == 2
    assert "nystream: error: the last checkpoint was not written" in errors


@needs_uvicorn
def test_a_second_ctrl_c_ends_at_once_and_says_what_is_lost(tmp_path):
    with serving("--checkpoint", tmp_path / "c") as server:
        server.client().learn(X[:10], Y[:10])
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            # A request whose body does not come: a server in no hurry would wait for it.
            head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n"
            connection.sendall(head + b"Content-Type: application/json\r\n\r\n{")
            time.sleep(0.1)
            server.process.send_signal(signal.SIGINT)
            time.sleep(0.4)
            code, errors = server.stop(signal.SIGINT)
    assert code == 2
    assert "told twice to stop: what was queued is neither learned nor saved" in errors
    assert not (tmp_path / "c").exists()


# What it tells of itself


def samples(text):
    """The metrics as a reader of the format sees them: kind and samples of each family."""
    families = {}
    for line in text.splitlines():
        if found := re.fullmatch(r"# HELP (\w+) .+", line):
            families[found[1]] = {}
        elif found := re.fullmatch(r"# TYPE (\w+) (counter|gauge|histogram)", line):
            family = families[found[1]]  # its help has come before
            kind = found[2]
        else:
            label = r'\w+="[^"\\]*"'
            found = re.fullmatch(rf"(\w+)(?:{{({label}(?:,{label})*)}})? (NaN|[-+.e\d]+)", line)
            name = next(reversed(families))
            endings = "(_bucket|_sum|_count)" if kind == "histogram" else ""
            assert re.fullmatch(name + endings, found[1])
            family[found[1], found[2]] = float(found[3])
    return families


def test_metrics_are_what_happened():
    async def scenario(app):
        rows = {"X": X[:20].tolist(), "y": Y[:20].tolist()}
        await ask(app, "POST", "/learn", rows, b"wait=1")
        for x in X[:3]:
            await ask(app, "POST", "/predict", {"x": x.tolist()})
        await ask(app, "POST", "/predict", {"x": []})
        await ask(app, "GET", "/nothing")
        sent = []

        async def send(message):
            sent.append(message)

        request = {"type": "http", "method": "GET", "path": "/metrics", "query_string": b""}
        await app({**request, "headers": []}, None, send)
        return sent

    app = create_app(ridge())
    start, content = in_process(scenario, app)
    assert dict(start["headers"])[b"content-type"].startswith(b"text/plain; version=0.0.4")
    families = samples(content["body"].decode())

    def value(name, labels=None):
        return families[f"nystream_{name}"][f"nystream_{name}", labels]

    assert value("rows_predicted_total") == 3
    assert value("rows_learned_total") == value("rows_seen") == 20
    assert value("dictionary_size") == app.service._learner.n_basis
    assert value("model_bytes") == app.service._learner.nbytes
    assert value("pending_rows") == 3
    assert value("queue_rows") == 0
    assert value("requests_total", 'path="/predict",status="200"') == 3
    assert value("requests_total", 'path="/predict",status="422"') == 1
    assert value("requests_total", 'path="other",status="404"') == 1
    error = ((ridge().progressive(X[:20], Y[:20]) - Y[:20]) ** 2).mean()
    assert value("mse_learner") == pytest.approx(error, rel=1e-9)
    assert np.isnan(value("mse_served"))
    times = families["nystream_request_seconds"]
    counts = [n for (_, labels), n in times.items() if labels.startswith('path="/predict",le')]
    assert counts == sorted(counts)
    assert counts[-1] == times["nystream_request_seconds_count", 'path="/predict"'] == 4
    assert times["nystream_request_seconds_sum", 'path="/predict"'] > 0


def test_a_curve_stays_short_and_exact():
    curve, total = Curve(), 0.0
    for i in range(1, 5001):
        total += i
        curve.add(Point(i, total, i))
    assert LONGEST / 2 <= len(curve.points) <= LONGEST
    assert all(point.total == point.n_rows * (point.n_rows + 1) / 2 for point in curve.points)
    gaps = np.diff([point.n_rows for point in curve.points])
    assert set(gaps) == {curve.step}


def test_the_page_needs_nothing_from_elsewhere(shared):
    answer = shared.client().send("GET", "/")
    assert "default-src 'none'" in answer.getheader("Content-Security-Policy")
    files = [answer.read().decode()]
    for path in ("/page.js", "/scales.js", "/page.css"):
        files.append(shared.client().send("GET", path).read().decode())
    addresses = set(re.findall(r"\w+://[^\s\"')]+", "".join(files)))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which is not fetched


def browse(address, profile):
    """What a browser makes of a page, some seconds on, and its complaints."""
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
    flags += ["--virtual-time-budget=4000", "--enable-logging=stderr", "--dump-dom"]
    run = subprocess.run([CHROMIUM, *flags, address], capture_output=True, text=True, timeout=120)
    return run.stdout, re.findall(r"CONSOLE.*", run.stderr)


@needs_uvicorn
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
@pytest.mark.slow
def test_a_browser_draws_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("NYSTREAM_TOKEN", "s3cret")
    with serving(*RIDGE) as server:
        client = server.client("s3cret")
        page = f"http://127.0.0.1:{server.port}/"
        empty, complaints = browse(f"{page}#token=s3cret", tmp_path / "first")
        assert not complaints
        assert 'data-state="live"' in empty
        assert empty.count("no rows learned yet") == 3
        for start in range(0, 200, 10):
            client.learn(X[start : start + 10], Y[start : start + 10])
        client.predict(X[0])
        drawn, complaints = browse(f"{page}#token=s3cret", tmp_path / "second")
        assert not complaints
        locked, _ = browse(page, tmp_path / "third")
    found = re.findall(r'<svg id="(\w+)"[^>]* data-points="(\d+)"', drawn)
    points = {name: int(count) for name, count in found}
    assert points["dictionary"] == 20  # one for each batch
    assert points["labels"] == 400  # of each row its label and its prediction
    assert points["predictions"] == 1
    assert re.search(r'<dd id="seen">200</dd>', drawn)
    assert len(re.findall(r'<path d="M[\d.,L]+" class="(?:blue|grey)"', drawn)) == 5
    assert drawn.count('class="dot"') >= 200
    assert "NaN" not in drawn
    assert 'data-state="locked"' in locked
    assert "RidgeAld" not in locked
