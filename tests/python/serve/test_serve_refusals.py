"""Requests and arguments that the service refuses, and who may ask."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import socket
import threading

import pytest
from serving import X, Y, ask, blocked, in_process, needs_uvicorn, ridge, serving

import nystream
from nystream._cli import main
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import create_app
from nystream.serve._model import Save

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
        ({"model": "Auto"}, TypeError, "model should be a learner, models by key or a"),
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
