"""The options of ``nystream forecast``, and which columns they name."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nystream._cli import learner_options, table_options
from nystream._cli.parsing import at_least_one
from nystream._tables.series import Roles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream import Forecaster
    from nystream._tables.columns import Columns

NONE, ALL = "none", "all"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add all options."""
    table_options.add_input_to(parser, has_chunks=False)
    add_series_to(parser.add_argument_group("series"))
    add_model_to(parser.add_argument_group("model"))
    add_output_to(parser.add_argument_group("output"))
    going_on = parser.add_argument_group("stopping and going on")
    going_on.add_argument("--checkpoint", metavar="FILE", help="keeps how far the run is")
    going_on.add_argument(
        "--checkpoint-every",
        type=at_least_one,
        metavar="N",
        help="rows between checkpoints (5,000)",
    )
    going_on.add_argument(
        "--resume",
        action="store_true",
        help="go on from the checkpoint, if there is one; the input may have later rows by now",
    )


def add_series_to(group: table_options.Options) -> None:
    """Add the options that say what is forecast."""
    group.add_argument("--target", metavar="COLUMN", help="its column to forecast")
    group.add_argument(
        "--time",
        nargs="+",
        metavar="COLUMN",
        help="its column of times; two if the hour or the time of the day is in one of its own",
    )
    group.add_argument(
        "--horizon",
        nargs="+",
        metavar="N",
        help="the steps ahead: 24 (the default) forecasts the next 24 values, 1,24 two of them",
    )
    group.add_argument(
        "--every",
        metavar="STEP",
        help="the time between two rows, such as 15min, 1h, 1d, 1w or 1mo (the median distance)",
    )
    group.add_argument(
        "--season",
        nargs="+",
        metavar="N",
        help="lengths of seasons in rows, or none (those of the calendar, such as day and week)",
    )
    group.add_argument(
        "--ahead",
        nargs="+",
        metavar="COLUMN",
        help="its columns that are known ahead, such as holidays; rows without a value say them",
    )
    group.add_argument("--key", metavar="COLUMN", help="its column that tells several series apart")


def add_model_to(group: table_options.Options) -> None:
    """Add the options that say what forecasts."""
    learner_options.add_to(group)
    learner_options.add_kinds_to(group)
    group.add_argument(
        "--half-life", metavar="TIME", help="the time after which a value counts half, such as 30d"
    )
    group.add_argument("--model", type=Path, metavar="FILE", help="forecasters that learn on")


def add_output_to(group: table_options.Options) -> None:
    """Add the options that say what is written."""
    group.add_argument(
        "--level", type=float, default=0.9, metavar="PART", help="that of the intervals (0.9)"
    )
    group.add_argument("--save", type=Path, metavar="FILE", help="where the forecaster goes")
    group.add_argument(
        "--predictions", metavar="FILE", help="where the next forecasts go; - is the output"
    )
    group.add_argument(
        "--history", metavar="FILE", help="where the forecasts go that were made for each row"
    )
    group.add_argument("--plot", metavar="FILE", help="where a picture goes, such as out.png")


def check(chosen: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if chosen.target is None:
        raise ValueError("--target should name the column to forecast, but is not given")
    if not chosen.checkpoint and (chosen.resume or chosen.checkpoint_every):
        raise ValueError("--resume and --checkpoint-every need --checkpoint, to go on from")
    if not 0 < chosen.level < 1:
        raise ValueError(f"--level should be between 0 and 1, but is {chosen.level:g}")
    if chosen.every and not chosen.time:
        raise ValueError("--every is for rows with times: --time names their column")
    if chosen.history == "-":
        raise ValueError("--history should be a file, not the standard output")
    if chosen.model is None:
        return
    own = ("horizon", "every", "season", "ahead", "half_life", "schema", "params", "algorithm")
    if given := [name for name in own if getattr(chosen, name)]:
        name = {"params": "set", "algorithm": "learner"}.get(given[0], given[0].replace("_", "-"))
        raise ValueError(f"--model goes on with a forecaster: --{name} is for a new one")


def words(values: Sequence[str] | None) -> list[str]:
    """Return words that are given one by one, or with commas between them."""
    return [word.strip() for value in values or () for word in value.split(",") if word.strip()]


def numbers(option: str, values: Sequence[str] | None) -> list[int]:
    """Return positive whole numbers that increase."""
    found: list[int] = []
    for word in words(values):
        if not word.isdecimal() or int(word) < 1:
            raise ValueError(f"{option} should be whole numbers from 1 on, but is {word!r}")
        found.append(int(word))
    if sorted(set(found)) != found:
        raise ValueError(f"{option} should increase, but is {','.join(map(str, found))}")
    return found


def horizon(chosen: argparse.Namespace) -> int | list[int]:
    """Return the steps ahead: one number stands for all up to it."""
    found = numbers("--horizon", chosen.horizon or ["24"])
    is_one = len(found) == 1 and not (chosen.horizon or [""])[0].endswith(",")
    return found[0] if is_one else found


def season(chosen: argparse.Namespace) -> str | list[int] | None:
    """Return the lengths of seasons."""
    if chosen.season in (None, ["auto"]):
        return "auto"
    return None if chosen.season == [NONE] else numbers("--season", chosen.season)


def roles(
    chosen: argparse.Namespace, columns: Columns, model: Forecaster | None, key: str | None
) -> Roles:
    """Find the columns that are named; a forecaster knows its features."""
    target = columns.find("--target", chosen.target)
    time = tuple(columns.find("--time", name) for name in chosen.time or ())
    wanted = chosen.key if chosen.key is not None else key
    own = None if wanted is None else columns.find("--key", wanted)
    names = model.params["ahead"] if model is not None and not chosen.ahead else None
    ahead = found("--ahead", columns, chosen.ahead) if names is None else in_table(columns, names)
    taken = {target, *time, *(() if own is None else (own,)), *ahead}
    others = features(chosen, columns, taken, model)
    made = Roles(columns, target, time, own, ahead, (*ahead, *others))
    made.check()
    return made


def in_table(columns: Columns, names: Sequence[str]) -> tuple[int, ...]:
    """Return the columns that a forecaster knows."""
    return tuple(columns.find("--ahead", name) for name in names)


def features(
    chosen: argparse.Namespace, columns: Columns, taken: set[int], model: Forecaster | None
) -> tuple[int, ...]:
    """Return the columns known up to now: those that are named, or those of the forecaster."""
    if chosen.drop or words(chosen.features) == [ALL]:
        left_out = taken | set(found("--drop", columns, chosen.drop))
        return tuple(i for i in range(columns.count) if i not in left_out)
    if words(chosen.features) == [NONE]:
        return ()
    if chosen.features or model is None:
        named = found("--features", columns, chosen.features)
        return tuple(i for i in named if i not in taken)
    known = model.learner(model.horizons[0]).feature_names or ()
    return tuple(
        i for i, name in enumerate(columns.names or ()) if name in known and i not in taken
    )


def found(option: str, columns: Columns, names: Sequence[str] | None) -> tuple[int, ...]:
    """Return columns by name or index; commas stand between names, unless a name has one."""
    own = columns.names or ()
    single = [[name] if name in own else words([name]) for name in names or ()]
    return tuple(dict.fromkeys(columns.find(option, name) for some in single for name in some))
