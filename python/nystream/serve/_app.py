"""The application: which request is for whom, and who may ask."""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple
from urllib.parse import parse_qsl

from nystream.serve import _status
from nystream.serve._http import (
    JSON,
    Answer,
    Receive,
    RefusedError,
    Scope,
    Send,
    as_json,
    parse,
    read_body,
    within,
)
from nystream.serve._metrics import KIND, Requests
from nystream.serve._page import page
from nystream.serve._taught import Document, Taught

PREDICT = ({"x"}, {"X"})
LEARN = ({"x", "y"}, {"X", "y"}, {"id", "y"}, {"ids", "y"})

logger = logging.getLogger("nystream.serve")


class Request(NamedTuple):
    """A request, as a route sees it."""

    headers: dict[bytes, bytes]
    query: dict[str, str]
    receive: Receive

    def flag(self, name: str, default: bool) -> bool:
        """Read a parameter that is 0 or 1."""
        value = self.query.get(name, "01"[default])
        if value not in ("0", "1"):
            raise RefusedError(400, f"{name} should be 0 or 1, but is {value!r:.50}")
        return value == "1"


class Route(NamedTuple):
    """Who answers, to which method, and whether to anybody."""

    method: str
    handler: Callable[[Request], Awaitable[Answer]]
    parameters: tuple[str, ...] = ()
    is_open: bool = False


class App:
    """An ASGI application that serves one model; :func:`create_app` makes it.

    Attributes
    ----------
    service
        What it does apart from HTTP, to look at.

    Examples
    --------
    >>> import nystream
    >>> from nystream.serve import create_app
    >>> app = create_app(nystream.RidgeAld())
    >>> app.service.snapshot.n_seen
    0
    """

    _predict_forms: ClassVar[tuple[set[str], ...]] = PREDICT
    _learn_forms: ClassVar[tuple[set[str], ...]] = LEARN

    def __init__(
        self,
        service: Taught,
        token: str | None,
        hosts: Sequence[str] | None,
        max_body: int,
        timeout: float,
    ) -> None:
        self.service: Any = service
        self._requests = Requests()
        self._secret = None if token is None else f"Bearer {token}".encode()
        self._hosts = None if hosts is None else {host.lower().encode() for host in hosts}
        self._max_body, self._timeout = max_body, timeout
        self._routes = {
            "/learn": Route("POST", self._learn, ("wait",)),
            "/status": Route("GET", self._status),
            "/metrics": Route("GET", self._metrics),
            "/health": Route("GET", self._health, is_open=True),
            **self._own_routes(),
        }

    def _own_routes(self) -> dict[str, Route]:
        """Return the routes that services of one kind have."""
        elsewhere = "this service predicts rows: POST /predict; a Forecaster is needed to forecast"
        return {
            "/predict": Route("POST", self._predict, ("remember",)),
            "/forecast": absent("POST", elsewhere),
            **{path: static(name) for path, name in PAGES.items()},
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI wants it."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            start = time.perf_counter()
            answer = await self._answer(scope, receive)
            await answer.send(send)
            path = scope["path"] if scope["path"] in self._routes else "other"
            self._requests.add(path, answer.status, time.perf_counter() - start)
        else:
            raise ValueError(f"there is nothing here for a scope of type {scope['type']!r}")

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self.service.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.service.stop()
        failure = self.service.failure
        if failure is None:
            await send({"type": "lifespan.shutdown.complete"})
        else:
            await send({"type": "lifespan.shutdown.failed", "message": str(failure)})

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        try:
            headers = by_name(scope["headers"])
            route = self._route(scope["path"], scope["method"])
            self._admit(route, headers)
            query = parameters(scope["query_string"], route.parameters)
            self.service.start()  # for servers that do not tell of their start
            return await route.handler(Request(headers, query, receive))
        except RefusedError as refusal:
            return refusal.answer()
        except Exception:
            logger.exception("%s %s failed", scope["method"], scope["path"])
            return RefusedError(
                500, "something is wrong here: the server's log tells what"
            ).answer()

    def _route(self, path: str, method: str) -> Route:
        route = self._routes.get(path)
        if route is None:
            raise RefusedError(404, f"there is nothing at {path!r:.100}")
        allowed = ("GET", "HEAD") if route.method == "GET" else (route.method,)
        if method not in allowed:
            allow = ", ".join(allowed)
            reason = f"{path} takes {allow}, but the method is {method:.20}"
            raise RefusedError(405, reason, (b"allow", allow.encode()))
        return route

    def _admit(self, route: Route, headers: dict[bytes, bytes]) -> None:
        if self._hosts is not None and host_of(headers) not in self._hosts:
            raise RefusedError(421, f"this is not {host_of(headers).decode('latin-1')!r:.100}")
        if self._secret is None or route.is_open:
            return
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._secret):
            reason = "a token is needed: send it as Authorization: Bearer TOKEN"
            raise RefusedError(401, reason, (b"www-authenticate", b"Bearer"))

    async def _document(self, request: Request, *forms: set[str]) -> Document:
        """Read a JSON object that has exactly the keys of one of the forms."""
        kind = request.headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if kind != JSON:  # which no form of another site can send
            raise RefusedError(415, f"Content-Type should be {JSON.decode()}")
        reading = read_body(request.headers, request.receive, self._max_body)
        document = parse(await within(self._timeout, reading))
        if not isinstance(document, dict) or document.keys() not in forms:
            raise RefusedError(422, f"the body should be an object with {either(forms)}")
        return document

    async def _predict(self, request: Request) -> Answer:
        remember = request.flag("remember", default=True)
        document = await self._document(request, *self._predict_forms)
        return as_json(await self.service.predict(document, remember))

    async def _learn(self, request: Request) -> Answer:
        wait = request.flag("wait", default=False)
        document = await self._document(request, *self._learn_forms)
        is_learned, content = await self.service.learn(document, wait)
        return as_json(content, 200 if is_learned else 202)

    async def _status(self, _: Request) -> Answer:
        return as_json(_status.status(self.service))

    async def _metrics(self, _: Request) -> Answer:
        return Answer(200, _status.metrics(self.service, self._requests).encode(), KIND)

    async def _health(self, _: Request) -> Answer:
        if reason := self.service.trouble:
            raise RefusedError(503, reason)
        return as_json({"status": "ok"})


PAGES = {"/": "page.html", **{f"/{name}": name for name in ("page.css", "page.js", "scales.js")}}


def static(name: str) -> Route:
    """Serve a file of the page; it holds no data, so that anybody may have it."""
    answer = page(name)

    async def handler(_: Request) -> Answer:
        return answer

    return Route("GET", handler, is_open=True)


def absent(method: str, reason: str) -> Route:
    """Say what is in place of something that other services have."""

    async def handler(_: Request) -> Answer:
        raise RefusedError(404, reason)

    return Route(method, handler)


def parameters(query: bytes, known: tuple[str, ...]) -> dict[str, str]:
    """Read the query of an address."""
    found = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)) if query else {}
    for name in found:
        if name not in known:
            raise RefusedError(400, f"there is no parameter {name!r:.50}")
    return found


def by_name(given: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return headers by name; of two hosts nobody could tell which one is meant."""
    headers = list(given)
    names = [name for name, _ in headers]
    if names.count(b"host") > 1:
        raise RefusedError(400, "there should be one Host header, but there are several")
    return dict(headers)


def host_of(headers: dict[bytes, bytes]) -> bytes:
    """Return the name that the client has for this machine, without the port."""
    host = headers.get(b"host", b"").lower()
    name, _, port = host.rpartition(b":")
    return name if port.isdigit() else host


def either(forms: Sequence[set[str]]) -> str:
    """Return the keys of forms as a sentence has them."""
    order = ("time", "key", "keys", "x", "X", "id", "ids", "y", "level")
    texts = [" and ".join(f'"{key}"' for key in sorted(form, key=order.index)) for form in forms]
    return ", or ".join(texts)
