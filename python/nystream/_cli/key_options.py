"""The options of a model a key: which column has the keys, and what the keys have in common."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nystream
from nystream._cli import learner_options
from nystream._cli.parsing import at_least_one
from nystream._learner_names import learner_called
from nystream._tables.selection import Selection

if TYPE_CHECKING:
    from nystream import Learner, Scorer
    from nystream._cli.table_options import Options
    from nystream._tables.table import Table

DEFAULT = "LinearRls"  # of which a key takes some hundred bytes
OF_NEW = {"shared": "--shared", "max_keys": "--max-keys", "store": "--store"}
# What a model a key does not do.
OTHERS = {
    "delay": "--delay",
    "tabular": "--tabular",
    "schema": "--schema",
    "missing_values": "--missing-values",
}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options of models by key."""
    keys = parser.add_argument_group("one model a key")
    add_key_to(keys)
    add_new_to(keys)


def add_new_to(parser: Options) -> None:
    """Add the options of new models by key."""
    parser.add_argument(
        "--shared",
        metavar="NAME",
        help="the learner of all rows, which a new key begins with (that of --algorithm), or none",
    )
    parser.add_argument(
        "--max-keys", type=at_least_one, metavar="N", help="keys in memory; others are on the disk"
    )
    parser.add_argument("--store", type=Path, metavar="DIR", help="where they are on the disk")


def add_key_to(parser: Options) -> None:
    """Add ``--key``."""
    parser.add_argument(
        "--key", metavar="COLUMN", help="its column of keys: each has a model of its own"
    )


def check(chosen: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    check_new(chosen)
    if chosen.key is None:
        return
    if others := given(chosen, OTHERS):
        raise ValueError(f"--key takes numbers, and labels at once: it does not go with {others}")
    if len(chosen.target or ()) > 1:
        raise ValueError("--key takes one --target")
    of_new = given(chosen, OF_NEW)
    if getattr(chosen, "model", None) and of_new:
        raise ValueError(f"--model goes on with a model: {of_new} is for a new one")


def check_new(chosen: argparse.Namespace) -> None:
    """Refuse options of new models by key that do not go together."""
    of_new = given(chosen, OF_NEW)
    if of_new and chosen.key is None:
        raise ValueError(f"{of_new} needs --key")
    check_store(chosen)


def check_store(chosen: argparse.Namespace) -> None:
    """Refuse a folder for models on the disk that is none, or that no model would go to."""
    if chosen.store and not chosen.max_keys:
        raise ValueError("--store needs --max-keys: without it all models are in memory")
    if chosen.store and not chosen.store.is_dir():
        raise NotADirectoryError(f"--store should be a folder, but {chosen.store} is none")


def given(chosen: argparse.Namespace, options: dict[str, str]) -> str:
    """Return those options that were given, as a text."""
    return ", ".join(option for name, option in options.items() if getattr(chosen, name, None))


def make(chosen: argparse.Namespace) -> Learner | nystream.Keyed:
    """Make the learner, or the models by key, that were asked for."""
    if chosen.key is None:
        return learner_options.make(chosen)
    chosen.algorithm = chosen.algorithm or DEFAULT
    return keyed(chosen, learner_options.make(chosen))


def keyed(chosen: argparse.Namespace, model: Learner) -> nystream.Keyed:
    """Return models by key of which each is such a learner."""
    options: dict[str, Any] = {"max_keys": chosen.max_keys, "store": chosen.store}
    try:
        return nystream.Keyed(model, shared=shared(chosen.shared), **options)
    except TypeError as error:
        raise ValueError(f"--key: {error}") from None


def shared(name: str | None) -> bool | Learner:
    """Return the shared model that was asked for: True for one like those of the keys."""
    if name is None or name.lower() == "none":
        return name is None
    try:
        made: Learner = getattr(nystream, learner_called(name))()
    except (TypeError, ValueError) as error:
        raise ValueError(f"--shared: {error}") from None
    return made


def check_model(key: str | None, model: Learner | Scorer | nystream.Keyed, what: str) -> None:
    """Refuse a model by key without a key, and any other with one."""
    is_keyed = isinstance(model, nystream.Keyed)
    if is_keyed and key is None:
        raise ValueError(f"{what} holds models by key: --key should name the column of keys")
    if key is not None and not is_keyed:
        raise ValueError(f"--key needs models by key, but {what} holds a {type(model).__name__}")


def check_columns(selection: Selection, table: Table) -> None:
    """Refuse features that are no numbers, all at once."""
    if selection.key is None:
        return
    if wrong := table.without_numbers(selection.features):
        names = ", ".join(map(selection.columns.describe, wrong))
        advice = "--features or --drop choose among the columns"
        raise ValueError(f"--key takes features of numbers, but there is {names}: {advice}")
