"""``nystream serve``: a model over HTTP."""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeAlias

from nystream._cli import key_options, learner_options
from nystream._cli.parsing import Commands, add_command, at_least_one, positive
from nystream._runs.locks import locked

Options: TypeAlias = dict[str, tuple[Callable[[str], float], str]]

TOKEN = "NYSTREAM_TOKEN"
# Options that are arguments of `create_app` under their own names, with its defaults.
PASSED_ON = (
    *("checkpoint", "every", "max_body", "max_rows", "max_features", "max_text", "max_queue"),
    *("max_pending", "max_age", "max_keys_total", "refresh", "stall", "timeout"),
)
# Options that are fields of `Limits`, the limits of the server, with its defaults.
LIMITS = ("max_connections", "max_per_address", "header_timeout")
EXAMPLES = """\
examples:
  nystream serve                                          # a new Auto at http://127.0.0.1:8000/
  nystream serve fare.nys --checkpoint fare.checkpoint    # goes on where it stopped
  nystream serve --algorithm RidgeAld --set max_basis=200 'kernel=Gaussian(sigma=2)'
  nystream serve --key --max-keys 100000                  # a model for each key that comes
  nystream serve --schema zip=category --missing-values -999   # what is known of the columns
  nystream serve --host 0.0.0.0 --token-file token.txt    # for other machines
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "serve",
        run,
        summary="predict and learn over HTTP",
        description="Serve a model over HTTP: POST /learn, /predict or /forecast, GET /metrics, a "
        "page that draws how it goes. Ctrl-C or SIGTERM ends it in order, a second one at once.",
        examples=EXAMPLES,
    )
    model = parser.add_argument_group("model")
    model.add_argument(
        "model",
        nargs="?",
        type=Path,
        metavar="MODEL",
        help="a saved learner, models by key or a forecaster (else a new Auto)",
    )
    learner_options.add_to(model)
    learner_options.add_columns_to(model)
    model.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="goes on from it, and keeps it up to date"
    )
    model.add_argument(
        "--every", type=positive, metavar="SECONDS", help="between two checkpoints (30)"
    )
    model.add_argument(
        "--refresh", type=positive, metavar="SECONDS", help="between two snapshots (0.05)"
    )
    keys = parser.add_argument_group("one model a key")
    keys.add_argument(
        "--key",
        action="store_const",
        const=True,
        help="rows come with keys, each of which has a model of its own",
    )
    key_options.add_new_to(keys)
    place = parser.add_argument_group("place and access")
    place.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1)")
    place.add_argument("--port", type=port, default=8000, help="0 takes a free one (8000)")
    place.add_argument(
        "--token-file", type=Path, metavar="FILE", help=f"the token of clients (else ${TOKEN})"
    )
    place.add_argument(
        "--insecure", action="store_true", help="let other machines in without a token"
    )
    add_limits(parser.add_argument_group("limits of the service"), SERVICE)
    add_limits(parser.add_argument_group("limits of the server"), SERVER)


SERVICE: Options = {
    "max-body": (at_least_one, "bytes of a request's body (1,048,576)"),
    "max-rows": (at_least_one, "rows of a request (10,000)"),
    "max-features": (at_least_one, "features of a new model (1,000)"),
    "max-text": (at_least_one, "characters of the texts of a row (20,000)"),
    "max-queue": (at_least_one, "rows that wait to be learned (20,000)"),
    "max-pending": (at_least_one, "rows that wait for labels (100,000)"),
    "max-age": (positive, "that a row waits for its label (86,400)"),
    "max-keys-total": (at_least_one, "keys of models by key (10,000,000)"),
    "stall": (positive, "beyond what a job should take, until it is called stalled (30)"),
    "timeout": (positive, "for the body of a request to come (10)"),
}
SERVER: Options = {
    "max-connections": (at_least_one, "connections at a time (1,000)"),
    "max-per-address": (at_least_one, "connections from one address, or from a proxy (100)"),
    "header-timeout": (positive, "for the headers of a request to come (10)"),
}


def add_limits(group: argparse._ArgumentGroup, options: Options) -> None:
    """Add options that are numbers."""
    for name, (kind, text) in options.items():
        unit = "SECONDS" if kind is positive else "N"
        group.add_argument(f"--{name}", type=kind, metavar=unit, help=text)


def port(text: str) -> int:
    """Read the number of a port."""
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"should be a number from 0 to 65535, but is {text!r}")
    return int(text)


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    for name in ("uvicorn", "httptools"):
        if importlib.util.find_spec(name) is None:
            raise ImportError(f"nystream serve needs {name}: pip install 'nystream[serve]'")
    from nystream.serve import _server, create_app
    from nystream.serve._crowd import Limits

    secret = token(chosen)
    check(chosen, secret)
    hosts = None if secret or chosen.insecure else [*_server.LOCAL, chosen.host]
    given = options_of(chosen, PASSED_ON)
    with kept_from_others(chosen.checkpoint):
        app = create_app(model(chosen), token=secret, hosts=hosts, **given)
        service, limits = app.service, Limits(**options_of(chosen, LIMITS))
        with _server.listen(chosen.host, chosen.port) as listener:
            name, place = service.model.partition("(")[0], _server.address(listener)
            print(f"{name}, {service.snapshot.n_seen:,} rows seen: {place}", flush=True)
            _server.run(app, listener, limits, service.lost)
    if service.failure:
        raise OSError(f"the last checkpoint was not written: {service.failure}")
    return 0


def model(chosen: argparse.Namespace) -> Any:
    """Load or make the model that was asked for."""
    from nystream import Forecaster, Keyed

    if chosen.key:
        return key_options.make(chosen)
    return learner_options.start(chosen, "MODEL", Forecaster, Keyed)


def kept_from_others(checkpoint: Path | None) -> AbstractContextManager[None]:
    """Hold the lock of the checkpoint, if there is one and a folder for it."""
    if checkpoint is None or not checkpoint.parent.is_dir():
        return nullcontext()
    return locked(checkpoint)


def options_of(chosen: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Return options that were given, so that others keep their defaults."""
    options = {name: getattr(chosen, name) for name in names}
    return {name: value for name, value in options.items() if value is not None}


def token(chosen: argparse.Namespace) -> str | None:
    """Return the token that clients have to send, or None."""
    if chosen.token_file is None:
        return os.environ.get(TOKEN) or None
    text: str = chosen.token_file.read_text(encoding="utf-8").strip()
    if not text:
        raise ValueError(f"--token-file should hold a token, but {chosen.token_file} is empty")
    return text


def check(chosen: argparse.Namespace, secret: str | None) -> None:
    """Refuse options that do not go together."""
    from nystream.serve._server import is_local

    if chosen.every and not chosen.checkpoint:
        raise ValueError("--every needs --checkpoint, the file to write")
    if chosen.model and chosen.key:
        raise ValueError("MODEL goes on with a model: --key is for a new one")
    key_options.check_new(chosen)
    if secret is None and not chosen.insecure and not is_local(chosen.host):
        raise ValueError(
            f"--host {chosen.host} lets other machines in: give clients a token with "
            "--token-file, or say --insecure"
        )
