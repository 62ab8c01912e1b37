"""What the server takes from clients that it does not know: time, bytes, connections."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import socket
import sys
import time
from pathlib import Path

import pytest
from serving import RIDGE, X, Y, needs_uvicorn, serving

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
POST = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HEAD = 16_384  # bytes


@pytest.fixture(scope="module")
def shared():
    """A server with the limits that it has by itself."""
    if importlib.util.find_spec("uvicorn") is None:
        pytest.skip("not installed: uvicorn")
    with serving(*RIDGE) as server:
        yield server


@pytest.fixture(scope="module")
def hasty():
    """A server that waits a second for headers; no test may need an answer in time."""
    if importlib.util.find_spec("uvicorn") is None:
        pytest.skip("not installed: uvicorn")
    with serving(*RIDGE, "--header-timeout", "1") as server:
        yield server


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def until_closed(connection):
    """All that the server still sends."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            received += part
    return received


def exchange(server, data):
    """What a server answers to bytes, until it closes the connection."""
    with connect(server) as connection:
        with contextlib.suppress(ConnectionError):  # it need not read all of what it refuses
            connection.sendall(data)
        return until_closed(connection)


def answers(received):
    """The status, headers and JSON of every answer, and nothing in between."""
    found = []
    while received:
        head, received = received.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        size = int(headers["content-length"])
        assert headers["content-type"] == "application/json"
        found.append((int(first.split()[1]), headers, json.loads(received[:size])))
        received = received[size:]
    return found


# Time


@pytest.mark.slow
def test_a_silent_connection_is_closed(hasty):
    with contextlib.ExitStack() as stack:
        silent = [stack.enter_context(connect(hasty)) for _ in range(5)]
        assert [until_closed(connection) for connection in silent] == [b""] * 5


@pytest.mark.parametrize("before", [b"", HEALTH], ids=["first", "kept alive"])
@pytest.mark.slow
def test_headers_that_do_not_end_are_not_waited_for(before, hasty):
    received = exchange(hasty, before + b"GET /health HTTP/1.1\r\nHost: loc")
    status, headers, answer = answers(received)[-1]
    assert (status, headers["connection"]) == (408, "close")
    assert answer == {"error": "headers should be here within 1 seconds"}


@pytest.mark.parametrize(
    ("start", "drop"),
    [
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
        (b"", b"\r\n"),
        (HEALTH, b"\r\n"),
        (b"POST /no HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", b" "),
    ],
    ids=["header", "lines first", "lines between", "body of a request that is answered"],
)
@pytest.mark.slow
def test_a_connection_does_not_live_from_drops(start, drop, hasty):
    with connect(hasty) as connection:
        connection.sendall(start)
        assert is_cut_off(connection, drop)


def is_cut_off(connection, drop):
    """Send drops until the server has had enough; that it takes half a minute is a failure."""
    deadline = time.monotonic() + 30
    with contextlib.suppress(ConnectionError):
        while time.monotonic() < deadline:
            connection.sendall(drop)
            time.sleep(0.05)
    return time.monotonic() < deadline


def test_answers_that_are_not_taken_are_not_kept():
    pytest.importorskip("httptools", reason="not installed: httptools")
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")

    async def scenario():
        connection, transport = unconnected(header_timeout=0.01)
        connection.data_received(HEALTH)
        assert connection._timer is None  # it is the service's turn
        connection.pause_writing()
        connection.resume_writing()
        assert connection._timer is None
        connection.pause_writing()
        await transport.aborted.wait()
        connection.connection_lost(None)

    asyncio.run(asyncio.wait_for(scenario(), 30))


class Transport(asyncio.Transport):
    """One that leads nowhere."""

    def __init__(self):
        super().__init__()
        self.aborted, self.written = asyncio.Event(), b""

    def write(self, data):
        self.written += data

    def abort(self):
        self.aborted.set()

    def close(self):
        pass

    def is_closing(self):
        return self.aborted.is_set()


def unconnected(**limits):
    """A connection with an application that never answers."""
    from uvicorn import Config
    from uvicorn.server import ServerState

    from nystream.serve._crowd import Crowd, Limits
    from nystream.serve._protocol import Connection

    async def app(scope, receive, send):
        await asyncio.Event().wait()

    config, crowd = Config(app, log_config=None, ws="none"), Crowd(Limits(**limits))
    connection = Connection(crowd=crowd, config=config, server_state=ServerState(), app_state={})
    transport = Transport()
    connection.connection_made(transport)
    return connection, transport


# Connections


@needs_uvicorn
def test_silent_connections_keep_nobody_out():
    with (
        serving(*RIDGE, "--max-connections", "20", "--max-per-address", "10") as server,
        contextlib.ExitStack() as stack,
    ):
        friend = server.client()
        friend.learn(X[:5], Y[:5])
        silent = [stack.enter_context(connect(server)) for _ in range(50)]
        assert server.client().get("/health") == (200, {"status": "ok"})
        assert [until_closed(connection) for connection in silent[:40]] == [b""] * 40
        assert friend.get("/status")[0] == 200  # who has been served has precedence


@needs_uvicorn
def test_a_connection_beyond_the_limit_is_told_so_if_all_others_are_busy():
    expected = "all of 2 connections are busy"
    options = [*RIDGE, "--max-per-address", "2", "--timeout", "60"]
    with serving(*options) as server, contextlib.ExitStack() as stack:
        for _ in range(2):
            busy = stack.enter_context(connect(server))
            busy.sendall(POST + b"Content-Length: 17\r\nExpect: 100-continue\r\n\r\n")
            assert busy.recv(100).startswith(b"HTTP/1.1 100")  # so it waits for the body
        for _ in range(3):
            [(status, headers, answer)] = answers(exchange(server, b""))
            assert (status, headers["retry-after"], answer) == (503, "1", {"error": expected})
        busy.sendall(b'{"x": [1, 2, 3]} ')
        assert busy.recv(1000).startswith(b"HTTP/1.1 200")
        assert server.client().get("/health")[0] == 200  # a client that has its answer makes room


def test_many_clients_of_one_address_are_served(shared):
    clients = [shared.client() for _ in range(64)]
    for _ in range(2):
        assert {client.get("/health")[0] for client in clients} == {200}
    for client in clients:
        client.http.close()


def test_clients_of_one_ipv6_network_count_together():
    from nystream.serve._crowd import network

    assert network("2001:db8:1:2:3:4:5:6") == network("2001:db8:1:2::7")
    assert network("2001:db8:1:2::7") != network("2001:db8:1:3::7")
    assert network("fe80::1%eth0") == "fe80::"
    assert network("192.0.2.7") == "192.0.2.7"


# Requests


def test_a_few_requests_may_be_sent_before_their_answers_and_no_more(shared):
    few = answers(exchange(shared, HEALTH * 5 + LAST))
    assert [status for status, *_ in few] == [200] * 6
    many = answers(exchange(shared, HEALTH * 500))
    assert [status for status, *_ in many] == [200] * 11
    assert ["connection" in headers for _, headers, _ in many] == [False] * 10 + [True]


@needs_uvicorn
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_requests_whose_answers_are_not_read_take_no_memory():
    with serving(*RIDGE) as server, connect(server) as connection:
        before = resident(server)
        with contextlib.suppress(OSError):
            for _ in range(1000):
                connection.sendall(HEALTH * 100)
        assert server.client().get("/health")[0] == 200
        assert resident(server) - before < 50


def resident(server):
    """The memory of a process, in megabytes."""
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.parametrize(
    "data",
    [
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 4 * HEAD,
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * HEAD,
        b"GET /health?" + b"a" * 4 * HEAD,
        HEALTH[:-2] + b"X: " + b"a" * HEAD + b"\r\n\r\n",
        b"\r\n" * HEAD,
        POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"a" * 64 * HEAD,
        POST + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"a" * 64 * HEAD,
    ],
    ids=["header", "headers", "address", "whole", "lines", "trailer", "extension"],
)
def test_headers_without_end_are_refused(data, shared):
    [(status, headers, answer)] = answers(exchange(shared, data))
    assert (status, headers["connection"]) == (431, "close")
    assert answer == {"error": f"the headers should have at most {HEAD} bytes"}


def test_long_headers_and_small_chunks_are_taken(shared):
    client = shared.client()
    assert client.send("GET", "/health", X="a" * 15_000).read() == b'{"status": "ok"}'
    body = (b" " for _ in range(2 * HEAD))
    answer = client.send("POST", "/predict", body, **{"Content-Type": "application/json"})
    assert (answer.status, "should be JSON" in json.loads(answer.read())["error"]) == (400, True)


def test_what_comes_after_a_body_is_no_header(shared):
    kind = b"Content-Type: application/json\r\n"
    chunked = POST.replace(kind, b"Connection: close\r\nTransfer-Encoding: chunked\r\n")
    [(status, _, _)] = answers(exchange(shared, chunked + b"\r\n0\r\n" + kind + b"\r\n"))
    assert status == 415


OTHER = "the address should begin with /, or name the host as Host does"
NO_HTTP = "this is not a valid request of HTTP/1.1"


@pytest.mark.parametrize(
    ("data", "status", "message"),
    [
        (b"NONSENSE\r\n\r\n", 400, NO_HTTP),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, NO_HTTP),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, NO_HTTP),  # TLS
        (b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, NO_HTTP),
        (b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n", 400, NO_HTTP),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nno number\r\n", 400, NO_HTTP),
        (POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400, NO_HTTP),
        (HEALTH.replace(b"/health", b"http://evil.example/health"), 400, OTHER),
        (HEALTH.replace(b"/health", b"http://evil.example"), 400, OTHER),
        (HEALTH.replace(b"/health", b"*"), 400, OTHER),
        (b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", 400, OTHER),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "'evil.example'"),
        (HEALTH[:-2] + b"Host: evil.example\r\n\r\n", 400, "there should be one Host header"),
        (HEALTH[:-2] + b"Host: localhost\r\n\r\n", 400, "there should be one Host header"),
        (b"GET /health HTTP/1.1\r\n\r\n", 421, "this is not ''"),
    ],
)
def test_what_is_no_good_http_is_refused_in_json(data, status, message, shared):
    # Where a refusal does not end the connection, a request that is no HTTP does.
    given, _, answer = answers(exchange(shared, data + b"NONSENSE\r\n\r\n"))[0]
    assert (given, list(answer)) == (status, ["error"])
    assert message in answer["error"]


def test_a_whole_address_may_name_this_host(shared):
    data = LAST.replace(b"/health", b"http://LOCALHOST/health")
    assert answers(exchange(shared, data))[0][::2] == (200, {"status": "ok"})


def test_a_refusal_does_not_come_before_answers_that_are_due(shared):
    [(status, headers, answer)] = answers(exchange(shared, HEALTH + b"NONSENSE\r\n\r\n"))
    assert (status, headers["connection"], answer) == (200, "close", {"status": "ok"})


@needs_uvicorn
def test_a_refused_body_that_was_not_yet_asked_for_is_no_mistake_of_the_service():
    expect = b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n"
    with serving(*RIDGE) as server:
        [(status, _, answer)] = answers(exchange(server, POST + expect))
        assert (status, answer) == (400, {"error": NO_HTTP})
        assert server.stop() == (0, "")


def test_a_wish_for_another_protocol_is_answered_in_this_one(shared):
    client = shared.client()
    wish = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk"}
    for _ in range(2):
        assert client.send("GET", "/health", **wish).read() == b'{"status": "ok"}'
    upgrade = HEALTH[:-2] + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    assert [status for status, *_ in answers(exchange(shared, upgrade * 3 + LAST))] == [200] * 4
    assert len(answers(exchange(shared, upgrade * 500))) == 11
    answer = client.send("POST", "/predict", b"{}", **wish)
    expected = "a request with a body should have no Upgrade header"
    assert (answer.status, json.loads(answer.read())) == (400, {"error": expected})
