"""The options that say which learner a command makes."""

from __future__ import annotations

import argparse
import ast
from typing import TYPE_CHECKING, Any

import nystream
from nystream._learner_names import learner_called
from nystream._learners._columns import with_columns

if TYPE_CHECKING:
    from nystream import Kernel, Learner, Loss
    from nystream._cli.table_options import Options


def add_to(parser: Options) -> None:
    """Add ``--algorithm`` and ``--set``."""
    parser.add_argument("--algorithm", metavar="NAME", help="the learner (Auto: nothing to tune)")
    parser.add_argument(
        "--set",
        dest="params",
        nargs="+",
        action="extend",
        type=setting,
        metavar="PARAM=VALUE",
        help="its parameters, such as max_basis=200 or 'kernel=Gaussian(sigma=2)'",
    )


def add_columns_to(parser: Options) -> None:
    """Add the options that say which learners have columns, and how they are treated."""
    add_kinds_to(parser)
    parser.add_argument(
        "--tabular",
        action="store_true",
        help="let a learner that takes numbers alone take text, times and gaps, as Auto does",
    )


def add_kinds_to(parser: Options) -> None:
    """Add the options that say how columns are treated."""
    parser.add_argument(
        "--schema",
        nargs="+",
        action="extend",
        type=column,
        metavar="COLUMN=KIND",
        help="kinds of columns that are wrong otherwise: number, category, time, text or unused",
    )
    parser.add_argument(
        "--missing-values",
        nargs="+",
        action="extend",
        type=float,
        metavar="NUMBER",
        help="numbers that stand for missing values, of labels too, such as -200",
    )


def column(text: str) -> tuple[str, str]:
    """Read the name of a column, which may have a sign in it, and its kind."""
    name, sign, value = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"should be COLUMN=KIND, but is {text!r}")
    return name, value.strip()


def setting(text: str) -> tuple[str, Any]:
    """Read a parameter and its value."""
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"should be PARAM=VALUE, but is {text!r}")
    return name, value_of(value.strip())


def value_of(text: str) -> Any:
    """Read a Python literal, a kernel or a loss; anything else is a word."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return kernel_or_loss(text) or text


def kernel_or_loss(text: str) -> Kernel | Loss | None:
    """Read a kernel or a loss as Python writes it, ``Gaussian(sigma=2)``; None for other text."""
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    function = call.func if isinstance(call, ast.Call) else call
    known = {*nystream.kernels(), *nystream.losses()}
    if not isinstance(function, ast.Name) or function.id not in known:
        return None
    make = getattr(nystream, function.id)
    try:
        if not isinstance(call, ast.Call):
            return make()  # type: ignore[no-any-return]
        positional = [ast.literal_eval(value) for value in call.args]
        named = {word.arg or "**": ast.literal_eval(word.value) for word in call.keywords}
        return make(*positional, **named)  # type: ignore[no-any-return]
    except (ValueError, TypeError) as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None


def start(chosen: argparse.Namespace, option: str, *others: type) -> Any:
    """Load the learner of ``chosen.model``, or a model of others, or make a new learner.

    An option names it.
    """
    if chosen.model is None:
        return make(chosen)
    return loaded(chosen, option, *others)


def loaded(chosen: argparse.Namespace, option: str, *others: type) -> Any:
    """Load the learner of ``chosen.model``, or a model of others, which an option names."""
    if chosen.algorithm or chosen.params:
        raise ValueError(f"{option} goes on with a model: --algorithm and --set are for a new one")
    if columns_of(chosen) or getattr(chosen, "tabular", False):
        names = "--schema, --missing-values and --tabular"
        raise ValueError(f"{option} goes on with a model: {names} are for a new one")
    model = nystream.load(chosen.model)
    if not isinstance(model, (nystream.Learner, *others)):
        name = type(model).__name__.lower()
        found = "models by key" if isinstance(model, nystream.Keyed) else f"a {name}"
        raise ValueError(f"{option} should be a learner, but {chosen.model} holds {found}")
    return model


def make(chosen: argparse.Namespace) -> Learner:
    """Make the learner that was asked for."""
    name, columns = learner_called(chosen.algorithm or "Auto"), columns_of(chosen)
    try:
        model: Learner = getattr(nystream, name)(**dict(chosen.params or ()))
        if model.schema is not None or getattr(chosen, "tabular", False):
            return with_columns(model, columns)
    except TypeError as error:
        # A mistake of the user's, not of the program: main prints a ValueError in one line.
        raise ValueError(f"--set: {error}") from None
    if columns:
        raise ValueError(f"--schema and --missing-values are for columns: {name} needs --tabular")
    return model


def columns_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of columns that were asked for."""
    schema, missing = getattr(chosen, "schema", None), getattr(chosen, "missing_values", None)
    settings = {"schema": schema and dict(schema), "missing_values": missing}
    return {name: value for name, value in settings.items() if value is not None}
