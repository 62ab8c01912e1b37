"""``nystream serve``: a model over HTTP."""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path

from nystream._cli import modelling
from nystream._cli.parsing import Commands, add_command, at_least_one, positive

TOKEN = "NYSTREAM_TOKEN"
# What `create_app` takes under the same name, and has defaults for.
PASSED_ON = (
    *("checkpoint", "every", "max_body", "max_rows", "max_queue", "max_pending", "max_age"),
    *("refresh", "timeout"),
)
EXAMPLES = """\
examples:
  nystream serve                                          # a new Auto at http://127.0.0.1:8000/
  nystream serve fare.nys --checkpoint fare.checkpoint    # goes on where it stopped
  nystream serve --algorithm RidgeAld --set max_basis=200 'kernel=Gaussian(sigma=2)'
  nystream serve --host 0.0.0.0 --token-file token.txt    # for other machines
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "serve",
        run,
        summary="predict and learn over HTTP",
        description="Serve a model over HTTP: POST /predict and /learn, GET /metrics and a page "
        "that draws how it goes. Ctrl-C or SIGTERM ends it in order.",
        examples=EXAMPLES,
    )
    model = parser.add_argument_group("model")
    model.add_argument(
        "model", nargs="?", type=Path, metavar="MODEL", help="a saved learner (else a new one)"
    )
    modelling.add_to(model)
    model.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="goes on from it, and keeps it up to date"
    )
    model.add_argument(
        "--every", type=positive, metavar="SECONDS", help="between two checkpoints (30)"
    )
    model.add_argument(
        "--refresh", type=positive, metavar="SECONDS", help="between two snapshots (0.05)"
    )
    place = parser.add_argument_group("place and access")
    place.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1)")
    place.add_argument("--port", type=port, default=8000, help="0 takes a free one (8000)")
    place.add_argument(
        "--token-file", type=Path, metavar="FILE", help=f"the token of clients (else ${TOKEN})"
    )
    place.add_argument(
        "--insecure", action="store_true", help="let other machines in without a token"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--max-body", type=at_least_one, metavar="N", help="bytes of a request (1048576)"
    )
    limits.add_argument(
        "--max-rows", type=at_least_one, metavar="N", help="rows of a request (10,000)"
    )
    limits.add_argument(
        "--max-queue", type=at_least_one, metavar="N", help="rows that wait to be learned (20,000)"
    )
    limits.add_argument(
        "--max-pending", type=at_least_one, metavar="N", help="rows that wait for labels (100,000)"
    )
    limits.add_argument(
        "--max-age", type=positive, metavar="SECONDS", help="that a row waits for its label (86400)"
    )
    limits.add_argument(
        "--timeout", type=positive, metavar="SECONDS", help="for the body of a request (10)"
    )


def port(text: str) -> int:
    """Read the number of a port."""
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"should be a number from 0 to 65535, but is {text!r}")
    return int(text)


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    if importlib.util.find_spec("uvicorn") is None:
        raise ImportError("nystream serve needs uvicorn: pip install 'nystream[serve]'")
    from nystream.serve import _server, create_app

    secret = token(chosen)
    check(chosen, secret)
    options = {name: getattr(chosen, name) for name in PASSED_ON}
    given = {name: value for name, value in options.items() if value is not None}
    hosts = None if secret or chosen.insecure else [*_server.LOCAL, chosen.host]
    app = create_app(modelling.start(chosen, "MODEL"), token=secret, hosts=hosts, **given)
    with _server.listen(chosen.host, chosen.port) as listener:
        n_seen = app.service.snapshot.n_seen
        print(
            f"{app.service.model.partition('(')[0]}, {n_seen:,} rows seen: "
            f"{_server.address(listener)}",
            flush=True,
        )
        _server.run(app, listener)
    if app.service.learns:
        raise OSError("told twice to stop: what was queued is neither learned nor saved")
    if app.service.failure:
        raise OSError(f"the last checkpoint was not written: {app.service.failure}")
    return 0


def token(chosen: argparse.Namespace) -> str | None:
    """Return what clients have to know, if anything."""
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
    if secret is None and not chosen.insecure and not is_local(chosen.host):
        raise ValueError(
            f"--host {chosen.host} lets other machines in: give clients a token with "
            "--token-file, or say --insecure"
        )
