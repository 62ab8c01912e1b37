"""One connection: uvicorn's HTTP/1.1, with limits that hold before a client has shown a token.

It is always clear whose turn it is. While the client has to do something (send the headers of a
request, take an answer), a timer runs; while the service has, none does.
"""

from __future__ import annotations

import asyncio
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from nystream.serve._crowd import Crowd, network
from nystream.serve._http import RefusedError

HEAD = 16_384  # bytes of a request's first line and headers
PIPELINED = 10  # requests of a connection that may wait for the one before them
LINGER = 2.0  # seconds that a refused client has to read why


class Connection(HttpToolsProtocol):
    """A connection with limits.

    Parameters
    ----------
    crowd
        All connections of the server.
    given
        What uvicorn gives to every protocol.
    """

    def __init__(self, *, crowd: Crowd, **given: Any) -> None:
        super().__init__(**given)
        self.address = ""
        self._crowd = crowd
        self._turn = next(crowd.turns)  # higher with every answer
        self._timer: asyncio.TimerHandle | None = None
        self._unread = 0  # bytes since the last that were of use, such as a body
        self._in_headers = False
        self._is_deaf = False  # whatever comes is dropped

    # What the transport tells

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(transport)
        self.address = network(self.client[0]) if self.client else ""
        self._watch()
        self._crowd.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._crowd.leave(self)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self._unset_keepalive_if_required()
        if not self._is_deaf:
            self._unread += len(data)
            self._feed(data)
        self._watch()

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as wish:
            # Nothing but HTTP/1.1 is spoken here: what comes next is another request.
            if rest := data[wish.args[0] :]:
                self._feed(rest)
        except httptools.HttpParserError as error:
            cause = error.__context__
            self.refuse(cause if isinstance(cause, RefusedError) else invalid())
        else:
            if self._unread > HEAD:
                self.refuse(too_long())

    def pause_writing(self) -> None:
        """Wait until the client takes its answers."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Go on with answers."""
        super().resume_writing()
        self._watch()

    # What the parser tells: an exception that is raised here ends the parsing

    def on_message_begin(self) -> None:
        """Begin a request."""
        if len(self.pipeline) >= PIPELINED:
            raise RefusedError(429, f"{PIPELINED} requests wait for their answers already")
        self._in_headers = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Hand the request over."""
        self._unread, self._in_headers = 0, False
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD:
            raise too_long()
        check_target(self.url, self.headers)
        if self.parser.should_upgrade():
            check_upgrade(self.headers)
        super().on_headers_complete()
        self.headers = []  # what comes after the body is no header

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        self._unread = 0
        super().on_body(body)

    # Answers

    def on_response_complete(self) -> None:
        """Go on to the next request."""
        super().on_response_complete()
        self._turn = next(self._crowd.turns)
        if self.pipeline:
            self.flow.pause_reading()
        if self._in_headers:  # then the connection is not idle
            self._unset_keepalive_if_required()
        self._watch()

    def refuse(self, refusal: RefusedError) -> None:
        """Answer so, and read no more; answers that are due before this one are sent instead."""
        self._is_deaf = True
        if self._is_next():
            self._forsake()
            self.transport.write(refusal.answer().to_bytes())
            self.transport.write_eof()  # a client that still sends would not read what is closed
            self.flow.resume_reading()
            self._start_timer(LINGER)
        elif self.is_busy:
            self.cycle.keep_alive = False
        else:
            self.transport.close()
        self._watch()

    def _is_next(self) -> bool:
        """Tell whether the client now sends what it expects the next answer to."""
        if self.cycle is None:
            return True
        if self.cycle.more_body:
            return not (self.cycle.response_started or self.pipeline)
        return self.cycle.response_complete

    def _forsake(self) -> None:
        """Let the application give up the request that it is at, if any."""
        if self.is_busy:
            self.cycle.disconnected = True
            self.cycle.waiting_for_100_continue = False
            self.cycle.message_event.set()

    # Whose turn it is

    @property
    def is_busy(self) -> bool:
        """True if there is a request whose answer is not sent yet."""
        cycle = self.cycle
        return cycle is not None and not (cycle.response_complete or cycle.disconnected)

    def precedence(self) -> tuple[bool, bool, int]:
        """Return what is least for the connection that has to go first."""
        return not self._is_deaf, self.cycle is not None, self._turn

    def drop(self) -> None:
        """End at once."""
        self.transport.abort()

    def timeout_keep_alive_handler(self) -> None:
        """End an idle connection, with all that the client has not taken."""
        self.drop()

    def _watch(self) -> None:
        """Let the timer run just while it is the client's turn."""
        is_idle = self.timeout_keep_alive_task is not None
        if is_idle or (self.is_busy and not self.flow.write_paused):
            self._stop_timer()
        elif self._timer is None:
            self._start_timer(self._crowd.limits.header_timeout)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._expire)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        is_over = self._is_deaf or self.is_busy or self.transport.is_closing()
        if (self._unread or self._in_headers) and not is_over:
            seconds = self._crowd.limits.header_timeout
            self.refuse(RefusedError(408, f"headers should be here within {seconds:g} seconds"))
        else:
            self.drop()


def invalid() -> RefusedError:
    """Refuse what is no HTTP."""
    return RefusedError(400, "this is not a valid request of HTTP/1.1")


def too_long() -> RefusedError:
    """Refuse a request for the size of what comes before its body."""
    return RefusedError(431, f"the headers should have at most {HEAD} bytes")


def check_target(target: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    """Refuse an absolute address of another host than the header names, which others check."""
    if target.startswith(b"/"):
        return
    host = target.partition(b"://")[2].partition(b"/")[0].partition(b"?")[0]
    if host.lower() != dict(headers).get(b"host", b"").lower():
        raise RefusedError(400, "the address should begin with /, or name the host as Host does")


def check_upgrade(headers: list[tuple[bytes, bytes]]) -> None:
    """Refuse a wish for another protocol that comes with a body, of which the parser reads none."""
    if not {b"content-length", b"transfer-encoding"}.isdisjoint(dict(headers)):
        raise RefusedError(400, "a request with a body should have no Upgrade header")
