"""The server under the application: where it listens, and how it ends."""

from __future__ import annotations

import ipaddress
import signal
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nystream.serve._app import App

CONNECTIONS = 1000  # at a time
IDLE = 60  # seconds that a connection may be without a request
PATIENCE = 15  # seconds that requests have to end when the server does
LOCAL = ("localhost", "127.0.0.1", "[::1]")


def listen(host: str, port: int) -> socket.socket:
    """Open a socket; port 0 is any that is free."""
    family, *_ = resolved(host, port)
    return socket.create_server((host, port), family=family)


def is_local(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
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


def run(app: App, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM, then end in order."""
    import uvicorn

    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = uvicorn.Server(config)

    def stop(*_: Any) -> None:
        server.should_exit = True

    # Once it has ended the server raises the signal again for whoever had a handler before.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    server.run(sockets=[listener])
