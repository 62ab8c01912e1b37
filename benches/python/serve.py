"""`nystream serve` under eight clients, beside the same server with an empty application."""

from __future__ import annotations

import json
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from common import Settings, Table
from tqdm import tqdm

import nystream

CLIENTS = 8
TAUGHT = 1_000  # rows a second
BATCH = 50  # rows of a request that teaches
RIDGE = ["--algorithm", "RidgeAld", "--set", "kernel=Gaussian(sigma=2.0)", "max_basis=150"]
# The same server and the same number of bytes, and nothing in between.
EMPTY = """
from nystream.serve import _server
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for event in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{event}.complete"})
        return
    await receive()
    body = b'{"prediction": 0.12345678901234567, "id": "00000000-000000"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
listener = _server.listen("127.0.0.1", 0)
print(_server.address(listener), flush=True)
_server.run(app, listener)
"""
SERVERS = {
    "empty": ["-c", EMPTY],
    "RidgeAld": ["-m", "nystream", "serve", "--port", "0", *RIDGE],
    "Auto": ["-m", "nystream", "serve", "--port", "0"],
}
TABLES = "Auto, rows of tables"
SERVERS[TABLES] = SERVERS["Auto"]
CASES = (
    ("empty", 0),
    *(("RidgeAld", taught) for taught in (0, TAUGHT)),
    *(("Auto", taught) for taught in (0, TAUGHT)),
    *((TABLES, taught) for taught in (0, TAUGHT)),
)


def measure(settings: Settings) -> Iterator[Table]:
    seconds, rounds, n_warm = (0.3, 1, 500) if settings.quick else (4.0, 3, 5_000)
    best: dict[tuple, Load] = {}
    turns = [case for _ in range(rounds) for case in CASES]
    for case in tqdm(turns, desc="serving", leave=False, disable=None):
        load = run(*case, seconds, n_warm)
        best[case] = max(best.get(case, load), load, key=Load.rate)
    empty = best["empty", 0].rate()
    yield Table(
        f"One-row predictions over loopback, {CLIENTS} clients",
        f"friedman, d = 10, after {n_warm:,} rows; each client sends its next row when it has its "
        f"answer. Clients and server share the cores. Rows are taught {BATCH} a request. Best of "
        f"{rounds} rounds of {seconds:g} s, no request failed. Empty: the same server with an "
        "application that answers at once. Rows of tables are objects with three texts and seven "
        "numbers: the first three features cut into nine categories.",
        ("application", "rows taught/s", "predictions/s", "p50 ms", "p99 ms", "ratio to empty"),
        [
            (
                *(name, taught or "-", round(load.rate())),
                *(load.milliseconds(0.5), load.milliseconds(0.99), load.rate() / empty),
            )
            for (name, taught), load in best.items()
        ],
    )


@dataclass
class Load:
    """What clients saw."""

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)

    def rate(self) -> float:
        """Answers a second."""
        return len(self.times) / self.seconds

    def milliseconds(self, quantile: float) -> float:
        """Time in which this share of the answers came."""
        return 1e3 * float(np.quantile(self.times, quantile))


def run(name: str, taught: int, seconds: float, n_warm: int) -> Load:
    X, y = nystream.datasets.friedman(10_000)
    rows = as_objects(X) if name == TABLES else X.tolist()
    with serving(SERVERS[name]) as port:
        if name != "empty":
            warm = teaching(rows[:n_warm], y[:n_warm], 500, "/learn?wait=1")
            drive(Connection(port), warm)
        asked = [request("/predict", {"x": x}) for x in rows[5000:6000]]
        return press(port, asked, teaching(rows[5000:], y[5000:], BATCH), taught, seconds)


def as_objects(X: np.ndarray) -> list[dict]:
    """Rows of a table: three texts and seven numbers."""
    texts = [[f"level {int(9 * value)}" for value in x] for x in X[:, :3]]
    names = [f"text {i}" for i in range(3)] + [f"number {i}" for i in range(7)]
    rows = zip(texts, X[:, 3:].tolist(), strict=True)
    return [dict(zip(names, [*some, *others], strict=True)) for some, others in rows]


@contextmanager
def serving(arguments: list[str]) -> Iterator[int]:
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(re.findall(r":(\d+)/", process.stdout.readline())[0])
        finally:
            process.terminate()


def request(path: str, document: dict) -> bytes:
    body = json.dumps(document).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def teaching(X: list, y: np.ndarray, size: int, path: str = "/learn") -> list[bytes]:
    starts = range(0, len(y), size)
    pairs = ((X[i : i + size], y[i : i + size].tolist()) for i in starts)
    return [request(path, {"X": rows, "y": labels}) for rows, labels in pairs]


class Connection:
    """A client that waits for an answer, without a thread of its own."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.sent, self.busy = b"", 0.0, False

    def send(self, content: bytes) -> None:
        """Ask."""
        self.sent, self.busy = time.perf_counter(), True
        self.socket.sendall(content)

    def has_answer(self) -> bool:
        """Read what has come; all answers are JSON objects without others inside."""
        self.buffer += self.socket.recv(65536)
        if not self.buffer.endswith(b"}"):
            return False
        if not self.buffer.startswith(b"HTTP/1.1 20"):
            raise RuntimeError(f"a request failed: {self.buffer.decode()}")
        self.buffer, self.busy = b"", False
        return True


def drive(connection: Connection, contents: list[bytes]) -> None:
    for content in contents:
        connection.send(content)
        while not connection.has_answer():
            pass
    connection.socket.close()


def press(port: int, rows: list[bytes], batches: list[bytes], taught: int, seconds: float) -> Load:
    """Let all clients ask as fast as they are answered, while one connection teaches."""
    selector = selectors.DefaultSelector()
    clients, teacher = [Connection(port) for _ in range(CLIENTS)], Connection(port)
    for connection in (*clients, teacher):
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    for client in clients:
        client.send(rows[0])
    load, n_batches, begin = Load(), 0, time.perf_counter()
    while (now := time.perf_counter()) < begin + seconds:
        if not teacher.busy and n_batches * BATCH < (now - begin) * taught:
            teacher.send(batches[n_batches % len(batches)])
            n_batches += 1
        for key, _ in selector.select(0.01):
            if key.data.has_answer() and key.data is not teacher:
                load.times.append(time.perf_counter() - key.data.sent)
                key.data.send(rows[len(load.times) % len(rows)])
    load.seconds = now - begin
    for connection in (*clients, teacher):
        connection.socket.close()
    return load
