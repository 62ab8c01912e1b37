"""From arguments to an application."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from nystream import Forecaster, Keyed, Learner
from nystream._checks import real, whole
from nystream.serve._app import App
from nystream.serve._forecast_app import ForecastApp
from nystream.serve._forecasting import ForecastService
from nystream.serve._keyed import KeyedService
from nystream.serve._keyed_app import KeyedApp
from nystream.serve._service import Service
from nystream.serve._settings import Settings
from nystream.serve._tables import MAX_TEXT


def create_app(
    model: Learner | Forecaster | Keyed,
    *,
    checkpoint: str | PathLike[str] | None = None,
    every: float = 30.0,
    token: str | None = None,
    hosts: Sequence[str] | None = None,
    max_body: int = 1_048_576,
    max_rows: int = 10_000,
    max_features: int = 1_000,
    max_text: int = MAX_TEXT,
    max_queue: int = 20_000,
    max_pending: int = 100_000,
    max_age: float = 86_400.0,
    max_keys_total: int = 10_000_000,
    refresh: float = 0.05,
    stall: float = 30.0,
    timeout: float = 10.0,
) -> App:
    """Make an ASGI application that serves a model, for any server that runs such.

    It has to run in one process with one worker, since it learns. From the first request on,
    nothing else may use the model.

    Limits of connections, of headers and of the time that they take are those of the server that
    runs it; ``nystream serve`` has its own.

    Parameters
    ----------
    model
        The learner; or models by key, whose requests have keys beside their rows; or a forecaster,
        which is asked by ``POST /forecast``. It is not used if there is a checkpoint to go on from.
    checkpoint
        A file from which to go on, if it exists, and to write to: now and then, and at the end.
        None: no checkpoint is written.
    every
        Seconds between two checkpoints, positive.
    token
        The token that clients have to send as ``Authorization: Bearer TOKEN``. None: no token is
        needed.
    hosts
        The names, without ports, by which clients may call this machine. This keeps out pages
        of other sites whose name resolves to this machine. None: any name.
    max_body
        The most bytes that a request may have.
    max_rows
        The most rows that a request may have, at most ``max_queue``.
    max_features
        The most features that the first row of a new model may have: it sets the
        number for all other rows, and the memory of many models grows with its square. A model
        whose columns may join later has no more of them, either.
    max_text
        The most characters that the texts of a row of a table may have together, and as many
        for names of features that are not known yet.
    max_queue
        The most rows that may wait to be learned; beyond it, requests are answered 503.
    max_pending
        The most predicted rows that are remembered until their label comes. The oldest are dropped.
    max_age
        Seconds after which a predicted row is forgotten, positive.
    max_keys_total
        The most keys that models by key may have, in memory and on the disk. Rows of a new key
        beyond it are not learned; they are predicted as the shared model says.
    refresh
        Least seconds between two snapshots of the model to predict with; a client that waits for
        its rows to be learned gets one at once.
    stall
        Seconds, beyond ten times the time that its rows should take, after which a job of the
        learner counts as stalled, and ``/health`` answers 503. Positive.
    timeout
        Seconds in which the body of a request has to come, positive.

    Returns
    -------
    App
        The application.

    Examples
    --------
    >>> import asyncio
    >>> import nystream
    >>> from nystream.serve import create_app
    >>> app = create_app(nystream.Auto())
    >>> async def get(path):
    ...     sent = []
    ...     async def send(message):
    ...         sent.append(message)
    ...     request = {"type": "http", "method": "GET", "path": path}
    ...     await app({**request, "query_string": b"", "headers": []}, None, send)
    ...     await app.service.stop()
    ...     return sent
    >>> start, body = asyncio.run(get("/health"))
    >>> start["status"], body["body"]
    (200, b'{"status": "ok"}')
    """
    if not isinstance(model, Learner | Forecaster | Keyed):
        what = "a learner, models by key or a forecaster"
        raise TypeError(f"model should be {what}, but is {model!r:.100}")
    if token is not None and not (token and token.isascii() and token.isprintable()):
        raise ValueError("token should be visible ASCII characters, at least one")
    settings = Settings(
        max_rows=whole("max_rows", max_rows),
        max_features=whole("max_features", max_features),
        max_text=whole("max_text", max_text),
        max_queue=whole("max_queue", max_queue),
        max_pending=whole("max_pending", max_pending, minimum=0),
        max_age=positive("max_age", max_age),
        max_keys_total=whole("max_keys_total", max_keys_total),
        refresh=positive("refresh", refresh),
        stall=positive("stall", stall),
        checkpoint=None if checkpoint is None else Path(checkpoint),
        every=positive("every", every),
    )
    if max_rows > max_queue:
        raise ValueError(f"max_rows should be at most max_queue, {max_queue}, but is {max_rows}")
    if settings.checkpoint and not settings.checkpoint.parent.is_dir():
        folder = settings.checkpoint.parent
        raise FileNotFoundError(f"checkpoint should be in a folder, but there is none at {folder}")
    limits = whole("max_body", max_body), positive("timeout", timeout)
    if isinstance(model, Forecaster):
        return ForecastApp(ForecastService(model, settings), token, hosts, *limits)
    if isinstance(model, Keyed):
        return KeyedApp(KeyedService(model, settings), token, hosts, *limits)
    return App(Service(model, settings), token, hosts, *limits)


def positive(name: str, value: Any) -> float:
    """Return a number of seconds."""
    number = real(name, value)
    if not 0 < number < float("inf"):
        raise ValueError(f"{name} should be positive and finite, but is {value}")
    return number
