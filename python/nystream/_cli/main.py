"""Parses the command line. Commands import heavy modules when they run, so that help is quick."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence

from nystream import ColumnWarning, __version__
from nystream._cli import bench, forecast, info, inspect, learn, listing, score, serve
from nystream._runs.signals import end_at_second

COMMANDS = (learn, score, forecast, serve, inspect, bench, listing, info)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands with their options."""
    root = argparse.ArgumentParser(
        prog="nystream",
        description="Online kernel regression: learn, score and serve streams.",
    )
    root.add_argument("--version", action="version", version=f"nystream {__version__}")
    commands = root.add_subparsers(metavar="command", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command, and return the exit code: 0 if all went well.

    A mistake of the user's is one line on the standard error, never a traceback. ``arguments`` are
    by default those of the process; a second signal then ends the process at once.
    """
    if sys.stderr is None:  # as after `2>&-`; messages to None would go to the output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ± shows a question mark
    chosen = parser().parse_args(arguments)
    if arguments is None and chosen.run is not serve.run:  # a server has its own handlers
        end_at_second()
    warnings.simplefilter("ignore", ColumnWarning)  # commands tell of columns in lines of their own
    try:
        return int(chosen.run(chosen))
    except BrokenPipeError:
        # The reader of the output has gone: nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"nystream: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("nystream: stopped", file=sys.stderr)
        return 130
