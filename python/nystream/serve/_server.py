"""The server under the application: where it listens, and how it ends."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, NoReturn

import uvicorn

from nystream.serve._crowd import Crowd, Limits
from nystream.serve._protocol import Connection

IDLE = 60  # seconds that a connection may be without a request
PATIENCE = 15  # seconds that requests have to end when the server does
LOCAL = ("localhost", "127.0.0.1", "[::1]")


def listen(host: str, port: int) -> socket.socket:
    """Open a socket; port 0 is any that is free."""
    family, *_ = resolved(host, port)
    return socket.create_server((host, port), family=family)


def is_local(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone."""
    address = resolved(host, 0)[-1][0]
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


def resolved(host: str, port: int) -> Any:
    """Return what the system makes of a name."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise ValueError(
            f"--host should be an address or a name, but is {host!r}: {error}"
        ) from None


def address(listener: socket.socket) -> str:
    """Return where a browser finds a socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class Server(uvicorn.Server):
    """A server that ends in order when it is told to, and at once when it is told twice."""

    lost: Callable[[], str]  # what is lost when it ends at once

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Hear a signal."""
        if self.should_exit:
            leave(f"told twice to stop: {self.lost()}")
        super().handle_exit(sig, frame)


def leave(reason: str) -> NoReturn:
    """End the process, whatever its threads are at."""
    # Not by an exception: the interpreter would wait for threads, and streams may be in use.
    with suppress(OSError):  # there may be nobody to tell
        os.write(2, f"nystream: error: {reason}\n".encode())
    os._exit(2)


def run(
    app: Any,
    listener: socket.socket,
    limits: Limits = Limits(),  # noqa: B008
    lost: Callable[[], str] = lambda: "it does not end in order",
) -> None:
    """Serve until SIGINT or SIGTERM, then end in order, or at once after a second one."""
    config = uvicorn.Config(
        app,
        http=partial(Connection, crowd=Crowd(limits)),  # type: ignore[arg-type]
        lifespan="on",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = Server(config)
    server.lost = lost

    def stop(*_: Any) -> None:
        server.should_exit = True

    # Once it has ended the server raises the signal again for whoever had a handler before.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    server.run(sockets=[listener])
