"""The service stops, is killed, and goes on; what it tells of itself meanwhile."""

from __future__ import annotations

import contextlib
import http.client
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import numpy as np
import pytest
from serving import RIDGE, X, Y, ask, in_process, needs_uvicorn, ridge, serving
from support import command

import nystream
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import create_app
from nystream.serve._record import LONGEST, Curve, Point

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


# Stopping and going on


@needs_uvicorn
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_a_service_goes_on_where_it_stopped(number, tmp_path):
    """What was queued is learned, ids are remembered, and all bits are those of one learner."""
    options = [*RIDGE, "--checkpoint", tmp_path / "c"]
    plain = ridge()
    plain.progressive(X[:100], Y[:100])
    ticket = plain.ask(X[500])
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
        assert client.predict(X[501])[0] == plain.ask(X[501]).prediction
        assert client.post("/learn?wait=1", {"id": late, "y": Y[500]})[0] == 200
        plain.answer(ticket, Y[500])
        client.learn(X[101:300], Y[101:300])
        plain.progressive(X[101:300], Y[101:300])
        assert client.predict(X[502])[0] == plain.ask(X[502]).prediction
        status = client.get("/status")[1]
        assert status["mse"]["served"] == pytest.approx(
            (ticket.prediction - Y[500]) ** 2, rel=1e-12
        )
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


@needs_uvicorn
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
    assert value("model_bytes") == app.service.snapshot.nbytes
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
