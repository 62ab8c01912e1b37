"""A learner that does not move: it is seen, and a service that has one can be ended."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import socket
import sys
import time

import pytest
from serving import X, Y, ask, blocked, in_process, needs_uvicorn, ridge, serving

from nystream.serve import create_app
from nystream.serve._pulse import Pulse

# In native code, as a learner is that never returns: other threads run, but nothing ends it.
STUCK = """
import ctypes
from nystream.serve._model import Worker
Worker._learn_together = lambda *_: ctypes.CDLL(None).sleep(1000)
"""


async def until(app, path, is_right):
    """Ask until the answer is right, for at most half a minute."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        status, answer, _ = await ask(app, "GET", path)
        if is_right(status, answer):
            return status, answer
        await asyncio.sleep(0.005)
    raise AssertionError(f"{path} answers {status}, {answer}")


def test_a_learner_that_does_not_move_is_seen():
    async def scenario(app):
        free = blocked(app)
        stalled = await until(app, "/health", lambda status, _: status == 503)
        _, status, _ = await ask(app, "GET", "/status")
        gauges = await metrics(app)
        free.set()
        well = await until(app, "/health", lambda status, _: status == 200)
        return stalled, status, gauges, well, await metrics(app)

    app = create_app(ridge(), stall=0.01)
    (_, answer), status, gauges, well, later = in_process(scenario, app)
    expected = r"the learner does not move: it has been writing a checkpoint for \d+ seconds"
    assert re.fullmatch(expected, answer["error"])
    assert re.fullmatch(expected, status["trouble"])
    assert (gauges["learner_up"], gauges["learner_stalled"]) == (1, 1)
    assert gauges["learner_job_seconds"] > 0.01
    assert status["job_seconds"] > 0.01
    assert well == (200, {"status": "ok"})
    assert (later["learner_stalled"], later["learner_job_seconds"]) == (0, 0)


async def metrics(app):
    """The metrics that have no labels."""
    sent = []

    async def send(message):
        sent.append(message)

    request = {"type": "http", "method": "GET", "path": "/metrics", "query_string": b""}
    await app({**request, "headers": []}, None, send)
    lines = [line.split() for line in sent[1]["body"].decode().splitlines()]
    return {
        name.removeprefix("nystream_"): float(value)
        for name, *_, value in lines
        if name != "#" and "{" not in name
    }


def test_a_job_that_is_as_long_as_its_rows_are_many_is_not_called_stalled(monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pulse = Pulse(stall=30.0)
    assert (pulse.seconds, pulse.trouble) == (0.0, None)

    def limit(n_rows):
        """After how many seconds a job is called stalled."""
        nonlocal now
        with contextlib.suppress(KeyError), pulse.job("learning", n_rows):
            begin = now
            while pulse.trouble is None:
                assert pulse.seconds == now - begin
                now += 0.5
            raise KeyError  # so that the time that passed here is not that of rows
        return now - begin

    def learn(n_rows, seconds):
        nonlocal now
        with pulse.job("learning", n_rows):
            now += seconds

    # Of a new service nobody knows how long a row takes.
    assert [limit(0), limit(1), limit(10_000)] == [30.5, 30.5, 130.5]
    for _ in range(1000):
        learn(100, 5.0)
    assert [limit(0), limit(10_000)] == [30.5, pytest.approx(5030, abs=5)]
    for _ in range(1000):
        learn(100, 0.001)
    learn(1, 2.0)  # one row that took long, for whatever reason, says little of the next
    assert limit(1000) == pytest.approx(32, abs=1)


def test_a_stalled_learner_is_told_by_the_rows_that_it_learns():
    pulse = Pulse(stall=1e-9)
    with pulse.job("writing a checkpoint"):
        while not pulse.trouble:
            pass
        assert re.search(r"it has been writing a checkpoint for \d+ seconds", pulse.trouble)
    pulse._seconds = 0.0
    with pulse.job("learning", 50):
        while not pulse.trouble:
            pass
        assert re.search(r"it has been learning 50 rows for \d+ seconds", pulse.trouble)


@needs_uvicorn
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    "signals",
    [(signal.SIGTERM,) * 2, (signal.SIGINT,) * 2, (signal.SIGTERM, signal.SIGINT)],
    ids=["SIGTERM", "SIGINT", "both"],
)
def test_a_second_signal_ends_a_service_whose_learner_is_stuck(signals, tmp_path):
    options = ["--checkpoint", tmp_path / "c", "--stall", "0.01"]
    with serving(*options, before=STUCK) as server:
        client = server.client()
        rows = {"X": X[:7].tolist(), "y": Y[:7].tolist()}
        assert client.post("/learn", rows)[0] == 202
        while client.get("/health")[0] == 200:
            time.sleep(0.01)
        server.process.send_signal(signals[0])
        while accepts(server.port):
            time.sleep(0.01)
        assert server.process.poll() is None  # it waits for the learner
        code, errors = server.stop(signals[1])
    assert code == 2
    lost = "what was queued is neither learned nor saved (7 rows)"
    rest = "nor is what was learned since the last checkpoint"
    assert errors == f"nystream: error: told twice to stop: {lost}, {rest}\n"


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=30):
        return True
    return False
