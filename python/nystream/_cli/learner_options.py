"""The options that say which learner a command makes."""

from __future__ import annotations

import argparse
import ast
from typing import TYPE_CHECKING, Any

import nystream
from nystream._learner_names import learner_called

if TYPE_CHECKING:
    from nystream import Kernel, Learner


def add_to(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
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


def add_columns_to(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add ``--tabular``, ``--schema`` and ``--missing-values``."""
    parser.add_argument(
        "--tabular", action="store_true", help="put columns of tables in front of a new learner"
    )
    parser.add_argument(
        "--schema",
        nargs="+",
        action="extend",
        type=column,
        metavar="NAME=KIND",
        help="kinds of columns: number, category, time, text or unused (else they are found out)",
    )
    parser.add_argument(
        "--missing-values",
        nargs="+",
        action="extend",
        type=float,
        metavar="NUMBER",
        help="numbers that stand for missing values, such as -999",
    )


def column(text: str) -> tuple[str, str]:
    """Read the name of a column and its kind; the name may have = signs."""
    name, sign, kind = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"should be NAME=KIND, but is {text!r}")
    return name, kind.strip()


def setting(text: str) -> tuple[str, Any]:
    """Read a parameter and its value."""
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"should be PARAM=VALUE, but is {text!r}")
    return name, value_of(value.strip())


def value_of(text: str) -> Any:
    """Read a Python literal or a kernel; anything else is a word."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return kernel(text) or text


def kernel(text: str) -> Kernel | None:
    """Read a kernel as Python writes it, ``Gaussian(sigma=2)``; None for any other text."""
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    function = call.func if isinstance(call, ast.Call) else call
    if not isinstance(function, ast.Name) or function.id not in nystream.kernels():
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


def start(chosen: argparse.Namespace, option: str) -> Learner:
    """Load the learner of ``chosen.model``, which an option names, or make a new one."""
    if chosen.model is None:
        return make(chosen)
    if chosen.algorithm or chosen.params:
        raise ValueError(f"{option} goes on with a model: --algorithm and --set are for a new one")
    if wants_columns(chosen):
        what = "--tabular, --schema and --missing-values are for a new one"
        raise ValueError(f"{option} goes on with a model: {what}")
    model = nystream.load(chosen.model)
    if not isinstance(model, nystream.Learner):
        raise ValueError(f"{option} should be a learner, but {chosen.model} holds a scorer")
    return model


def make(chosen: argparse.Namespace) -> Learner:
    """Make the learner that was asked for."""
    name = learner_called(chosen.algorithm or "Auto")
    settings, is_tabular = column_settings(chosen), getattr(chosen, "tabular", False)
    takes_settings = name == "Auto"
    if settings and not (takes_settings or is_tabular):
        given = " and ".join(f"--{one.replace('_', '-')}" for one in settings)
        raise ValueError(f"{name} has no columns to apply {given} to: add --tabular")
    params = dict(chosen.params or ()) | (settings if takes_settings else {})
    try:
        model: Learner = getattr(nystream, name)(**params)
    except TypeError as error:
        # A mistake of the user's, not of the program: main prints a ValueError in one line.
        raise ValueError(f"--set: {error}") from None
    if takes_settings or not is_tabular:
        return model
    return nystream.Tabular(model, **settings)


def wants_columns(chosen: argparse.Namespace) -> bool:
    """Tell whether options of columns were given."""
    return bool(getattr(chosen, "tabular", False) or column_settings(chosen))


def column_settings(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return what was said of columns, as parameters."""
    schema, missing = (getattr(chosen, name, None) for name in ("schema", "missing_values"))
    settings: dict[str, Any] = {}
    if schema:
        settings["schema"] = dict(schema)
    if missing:
        settings["missing_values"] = missing
    return settings
