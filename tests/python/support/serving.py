"""A service to test: as a process with clients, or as an application in this one."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import importlib.util
import json
import re
import signal
import subprocess
import sys
import threading

import pytest
from support import random_stream

import nystream
from nystream.serve._model import Save

needs_uvicorn = pytest.mark.skipif(
    importlib.util.find_spec("uvicorn") is None, reason="not installed: uvicorn"
)
RIDGE = ["--algorithm", "RidgeAld", "--set", "kernel=Gaussian(sigma=2.0)", "max_basis=50"]
X, Y = random_stream(1000, 3)


def ridge():
    return nystream.RidgeAld(nystream.Gaussian(sigma=2.0), max_basis=50)


class Client:
    """One connection to a server."""

    def __init__(self, port, token=None):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method, path, body=None, **headers):
        self.http.request(method, path, body, {**self.headers, **headers})
        return self.http.getresponse()

    def post(self, path, document):
        """The status and the JSON of the answer."""
        body = document if isinstance(document, (bytes, str)) else json.dumps(document)
        answer = self.send("POST", path, body, **{"Content-Type": "application/json"})
        return answer.status, json.loads(answer.read())

    def get(self, path):
        answer = self.send("GET", path)
        return answer.status, json.loads(answer.read())

    def learn(self, X, y):
        """Teach rows, and wait until they are learned."""
        status, answer = self.post("/learn?wait=1", {"X": X.tolist(), "y": y.tolist()})
        assert (status, answer["learned"]) == (200, len(y))

    def predict(self, x):
        status, answer = self.post("/predict", {"x": x.tolist()})
        assert status == 200
        return answer["prediction"], answer["id"]


class Server:
    """``nystream serve`` as a process of its own, perhaps with something done before."""

    def __init__(self, *options, before=""):
        start = f"import sys, nystream._cli\n{before}\nsys.exit(nystream._cli.main())"
        program = ["-c", start] if before else ["-m", "nystream"]
        command = [sys.executable, *program, "serve", "--port", "0", *map(str, options)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
        self.greeting = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/$", self.greeting)
        assert found, self.process.communicate()
        self.port, self.clients = int(found[1]), []

    def client(self, token=None):
        """A new connection, which is closed with the server."""
        self.clients.append(Client(self.port, token))
        return self.clients[-1]

    def stop(self, number=signal.SIGTERM):
        """The exit status and the standard error."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


@contextlib.contextmanager
def serving(*options, before=""):
    server = Server(*options, before=before)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()
        for client in server.clients:
            client.http.close()


async def ask(app, method, path, document=None, query=b"", **headers):
    """What an application answers without a server: status, JSON, headers."""
    body = b"" if document is None else json.dumps(document).encode()
    names = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    given = {b"content-type": b"application/json", **names}
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    request = {"type": "http", "method": method, "path": path, "query_string": query}
    await app({**request, "headers": list(given.items())}, receive, send)
    start, content = sent
    return start["status"], json.loads(content["body"]), dict(start["headers"])


def in_process(scenario, app):
    """Run a scenario against an application, and end it."""

    async def run():
        try:
            return await scenario(app)
        finally:
            await app.service.stop()

    return asyncio.run(run())


def blocked(app):
    """Keep the learner busy until the event that is returned is set."""
    app.service.start()
    free = threading.Event()
    done = asyncio.get_running_loop().create_future()
    app.service._worker.put(Save(lambda *_: free.wait(), done))
    return free
