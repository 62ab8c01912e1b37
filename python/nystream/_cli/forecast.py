"""``nystream forecast``: the next values of a series, and how good forecasts of it have been."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import nystream
from nystream._cli import forecast_options, learner_options, outputs, table_options
from nystream._cli.forecast_report import overview, report_of
from nystream._cli.forecast_report import path as path_of
from nystream._cli.forecast_understood import tell_understood
from nystream._cli.learn import is_resumed
from nystream._cli.parsing import Commands, add_command
from nystream._cli.progress import ProgressDisplay, tell
from nystream._runs import forecast_files, forecaster_files
from nystream._runs.bad_rows import BadRows
from nystream._runs.checkpoint import Checkpoint
from nystream._runs.forecasting import MOST_SHOWN, Forecasting, Setting
from nystream._runs.going_on import rest
from nystream._tables import series as tables
from nystream._tables import steps
from nystream._tables.opening import name_of, open_table

if TYPE_CHECKING:
    from nystream import Forecaster
    from nystream._runs.forecaster_files import Forecasters
    from nystream._runs.progress import Progress
    from nystream._tables.series import Read, Roles, Series
    from nystream._tables.table import Position, Table

EXAMPLES = """\
examples:
  nystream forecast load.csv --time hour --target load --horizon 24 --predictions next.csv
  nystream forecast load.csv --time hour --target load --ahead temp,holiday --plot next.png
  nystream forecast sales.csv --time day --target sales --key shop --horizon 14 --save shops.nys
  nystream forecast new.csv --time hour --target load --model load.nys --save load.nys
"""


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "forecast",
        run,
        summary="forecast the next values of a series in a file",
        description="Go through a series in order of time: forecast each value some steps ahead, "
        "then learn it. Prints the errors of these forecasts beside those of plain ones, and the "
        "next values. Rows whose target is empty say what is known ahead. The file is read whole, "
        "and need not be in order.",
        examples=EXAMPLES,
    )
    forecast_options.add_to(parser)


def run(chosen: argparse.Namespace) -> int:
    """Carry out the command."""
    forecast_options.check(chosen)
    if chosen.plot:
        from nystream._cli import forecast_plot

        forecast_plot.check(chosen.plot)  # at once, not after an hour
    names = ("predictions", "history", "checkpoint", "save", "plot")
    files = {f"--{name}": getattr(chosen, name) for name in names}
    with (
        outputs.reserved(files, chosen.input),
        closing(open_table(chosen.input, chosen.format, False, table_options.dialect(chosen))) as t,
    ):
        return forecast(chosen, t)


def forecast(chosen: argparse.Namespace, table: Table) -> int:
    """Read the table, learn its series, and write what was asked for."""
    models, key = starting(chosen)
    first = next(iter(models.values()), None)
    roles = forecast_options.roles(chosen, table.columns, first, key)
    read = read_series(chosen, table, roles)
    template = first if first is not None else new(chosen, roles, read)
    tell_understood(chosen, roles, read, template)
    running = forecasting(chosen, roles, template, models)
    series = prepared(chosen, read, running)
    learn(chosen, running, series)
    write(chosen, roles, running)
    return 0


def starting(chosen: argparse.Namespace) -> tuple[Forecasters, str | None]:
    """Return the forecasters to go on with, and the column of their keys."""
    if chosen.model is None:
        return {}, None
    models, key = forecaster_files.read(chosen.model)
    if chosen.key is not None and key is None:
        raise ValueError(f"--key {chosen.key}: {chosen.model} holds one forecaster without a key")
    return models, key


def read_series(chosen: argparse.Namespace, table: Table, roles: Roles) -> Read:
    """Read the whole table."""
    bad_rows = BadRows(chosen.on_error, name_of(chosen.input), tell)
    missing = tuple(chosen.missing_values or ())
    read = tables.read(table, roles, missing, lambda bad: bad_rows.meet(bad, 0))
    if not any(own.n_known for own in read.series):
        what = f"a value of {roles.name(roles.target)!r}"
        raise ValueError(f"{name_of(chosen.input)} should have rows with {what}, but has none")
    return read


def new(chosen: argparse.Namespace, roles: Roles, read: Read) -> Forecaster:
    """Make a forecaster that has seen nothing."""
    chosen.tabular = True  # features have names and kinds
    every = step_of(chosen, roles, read) if roles.time else None
    try:
        return nystream.Forecaster(
            learner_options.make(chosen),
            forecast_options.horizon(chosen),
            every=every,
            season=forecast_options.season(chosen),
            ahead=[roles.name(i) for i in roles.ahead],
            half_life=chosen.half_life,
        )
    except TypeError as error:
        raise ValueError(str(error)) from None


def step_of(chosen: argparse.Namespace, roles: Roles, read: Read) -> str:
    """Return the time between two rows: as told, as it was in a run before, or as found."""
    if chosen.every:
        return str(chosen.every)
    if is_resumed(chosen):  # later rows may tell otherwise
        match Checkpoint.read(chosen.checkpoint).state:
            case {"forecast": {"settings": {"every": str(known)}}}:
                return known
    found = steps.found_step([own.times for own in read.series])
    if found is None:
        names = " and ".join(roles.name(i) for i in roles.time)
        raise ValueError(f"--every should be given: column {names!r} has no two times that tell it")
    return found


def forecasting(
    chosen: argparse.Namespace, roles: Roles, template: Forecaster, models: Forecasters
) -> Forecasting:
    """Put the parts of a run together; go on from a checkpoint if there is one."""
    seasons, horizons = template.seasons, template.horizons
    shown = next((s for s in seasons if s in horizons), horizons[-1])
    n_shown = 14 * (seasons[0] if seasons else max(horizons[-1], 10))
    params = {**template.params, "model": repr(template.params["model"])}
    setting = Setting(
        template=template,
        has_times=bool(roles.time),
        looks_ahead=bool(template.params["ahead"]),
        shown=shown,
        n_shown=min(n_shown, MOST_SHOWN),
        checkpoint=chosen.checkpoint,
        every=chosen.checkpoint_every or 5000,
        settings={**params, **roles.described(), "history": chosen.history is not None},
    )
    running = Forecasting(setting, models)
    if is_resumed(chosen):
        running.resume()
    elif chosen.checkpoint:
        outputs.check_absent(chosen.checkpoint)
    return running


def prepared(chosen: argparse.Namespace, read: Read, running: Forecasting) -> list[Series]:
    """Leave out the rows that the forecasters that it began with have learned."""
    every = running.setting.template.params["every"]
    series = [rest(own, running.starts, every) for own in read.series]
    n_left_out = sum(map(len, read.series)) - sum(map(len, series))
    if n_left_out:
        tell(f"{n_left_out:,} rows left out, up to the last time that {chosen.model} has learned")
    return series


class Rows:
    """What a display of progress asks of a table: how much of it is done."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows

    def fraction(self, position: Position) -> float:
        """Return the part of the rows before a position."""
        return position.row / max(self.n_rows, 1)


def learn(chosen: argparse.Namespace, running: Forecasting, series: Sequence[Series]) -> None:
    """Learn all rows, and show how it goes."""
    setting = running.setting
    if is_resumed(chosen):
        running.check_rows(name_of(chosen.input), series)
    if chosen.history is not None:
        key = setting.settings["key"]
        horizons, length = setting.template.horizons, running.history_length
        running.history = forecast_files.History(chosen.history, key, horizons, length)
    n_before = sum(place.n_rows for place in running.places.values())

    def figures(_: Progress, rate: float | None) -> str:
        return "" if rate is None else f"{rate:,.0f} rows/s"

    rows: Any = Rows(sum(own.n_known for own in series))
    display = ProgressDisplay(rows, figures, n_before)
    try:
        running.run(series, display)
    finally:
        display.close()
        if running.history is not None:
            running.history.close()


def write(chosen: argparse.Namespace, roles: Roles, running: Forecasting) -> None:
    """Write the files that were asked for, and print errors and next values."""
    key = running.setting.settings["key"]
    paths = {name: path_of(model, chosen.level) for name, model in running.models.items()}
    if chosen.save:
        forecaster_files.save(chosen.save, running.models, key)
    if chosen.predictions:
        rows = [(name, *row.cells()) for name, path in paths.items() for row in path]
        forecast_files.write_path(chosen.predictions, key, rows)
    if chosen.plot:
        from nystream._cli import forecast_plot

        forecast_plot.draw(chosen.plot, roles.name(roles.target), running, paths, chosen.level)
    place = sys.stderr if chosen.predictions == "-" else sys.stdout
    print(report_of(running.models, running.setting.template), file=place)
    print(overview(paths, key, chosen.level), file=place)
