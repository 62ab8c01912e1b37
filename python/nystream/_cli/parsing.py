"""Commands, and values of options that all of them share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    """Add a command with examples at the end of its help, and return it to take its options."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def at_least_one(text: str) -> int:
    """Read a positive whole number."""
    return _whole(text, 1)


def not_negative(text: str) -> int:
    """Read a whole number from 0 on."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        message = f"should be a whole number, but is {text!r}"
        raise argparse.ArgumentTypeError(message) from None
    if number < least:
        raise argparse.ArgumentTypeError(f"should be at least {least}, but is {text}")
    return number


def positive(text: str) -> float:
    """Read a positive number."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"should be a number, but is {text!r}") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"should be positive and finite, but is {text}")
    return number
