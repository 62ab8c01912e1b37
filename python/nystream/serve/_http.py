"""HTTP as the application needs it: answers, refusals, bodies with limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]
T = TypeVar("T")

JSON = b"application/json"
# Made once: `json.dumps` makes one for each call that is not like most.
ENCODE = json.JSONEncoder(allow_nan=False).encode
DECODE = json.JSONDecoder().decode
CLOSE = (b"connection", b"close")
ALWAYS: Headers = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


class Answer(NamedTuple):
    """A response that is ready to be sent."""

    status: int
    body: bytes
    kind: bytes = JSON
    headers: Headers = ()

    async def send(self, send: Send) -> None:
        """Send it as a whole."""
        start = {"type": "http.response.start", "status": self.status, "headers": self._head()}
        await send(start)
        await send({"type": "http.response.body", "body": self.body})

    def to_bytes(self) -> bytes:
        """Return it as the last answer of a connection, where there is no application to ask."""
        status = HTTPStatus(self.status)
        first = f"HTTP/1.1 {status.value} {status.phrase}".encode()
        lines = [b"%b: %b" % header for header in (*self._head(), CLOSE)]
        return b"\r\n".join([first, *lines, b"", self.body])

    def _head(self) -> list[tuple[bytes, bytes]]:
        size = (b"content-length", b"%d" % len(self.body))
        return [(b"content-type", self.kind), size, *ALWAYS, *self.headers]


class RefusedError(Exception):
    """A request that is not carried out, and why."""

    def __init__(self, status: int, reason: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(reason)
        self.status, self.headers = status, headers

    def answer(self) -> Answer:
        """Tell the client."""
        return as_json({"error": str(self)}, self.status, self.headers)


def as_json(content: Any, status: int = 200, headers: Headers = ()) -> Answer:
    """Answer with a JSON document."""
    return Answer(status, ENCODE(content).encode(), JSON, headers)


def parse(body: bytes) -> Any:
    """Read a JSON document; NaN and infinity pass, so that the row that has them can be named."""
    try:
        return DECODE(body.decode())
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body should be JSON: {error}") from None


async def read_body(headers: dict[bytes, bytes], receive: Receive, most: int) -> bytes:
    """Read a body, but no more than ``most`` bytes of it."""
    announced = headers.get(b"content-length", b"0")
    if not announced.isdigit():
        raise RefusedError(
            400, f"Content-Length should be a number, but is {announced.decode()!r:.50}"
        )
    # A longer number is a larger one, and Python reads no number of thousands of digits.
    if len(announced) > 18 or int(announced) > most:
        raise too_large(most)
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the connection was closed before the body ended")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > most:
            raise too_large(most)
    return body


def too_large(most: int) -> RefusedError:
    """Refuse a body for its size."""
    return RefusedError(413, f"the body should have at most {most} bytes")


async def within(seconds: float, reading: Awaitable[T]) -> T:
    """Wait for a body, but not for ever."""
    # Before Python 3.12 `asyncio.wait_for` starts a task for each call, which takes long.
    task, late = asyncio.current_task(), False

    def stop() -> None:
        nonlocal late
        late = True
        if task is not None:
            task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, stop)
    try:
        return await reading
    except asyncio.CancelledError:
        if not late:
            raise
        reason = f"the body should be here within {seconds:g} seconds"
        raise RefusedError(408, reason, CLOSE) from None
    finally:
        timer.cancel()
