"""Files of forecasts: those that were made for every row, and the next ones."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nystream._core import write_file
from nystream._runs.sinks import TEXT, TextFile, output_format
from nystream._tables import times
from nystream._tables.opening import STANDARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nystream._tables.series import Series
    from nystream._tables.times import Moments
    from nystream._tables.values import Values


@dataclass(frozen=True)
class Form:
    """How lines are written: names of the columns, and the sign between them; JSON has none."""

    names: tuple[str, ...]
    sign: str | None

    @classmethod
    def of(cls, option: str, path: str, names: Sequence[str]) -> Form:
        """Return the form that the name of a file tells."""
        form = output_format(path, None)
        if form not in TEXT:
            raise ValueError(f"{option} should be a file of {', '.join(TEXT)}, but is {path}")
        return cls(tuple(names), {"csv": ",", "tsv": "\t"}.get(form))

    @property
    def head(self) -> str:
        """The first line; none for JSON."""
        return "" if self.sign is None else self._line(self.names)

    def text(self, rows: Iterable[Sequence[Any]]) -> str:
        """Write rows; numbers keep every bit, and one that is not finite is left out."""
        if self.sign is None:
            objects = (dict(zip(self.names, map(known, row), strict=True)) for row in rows)
            return "".join(json.dumps(one) + "\n" for one in objects)
        return "".join(self._line(row) for row in rows)

    def _line(self, row: Sequence[Any]) -> str:
        assert self.sign is not None
        return self.sign.join(cell(value, self.sign) for value in row) + "\n"


def known(value: Any) -> Any:
    """Return a value; None for a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def cell(value: Any, sign: str) -> str:
    """Write a value between signs."""
    value = known(value)
    text = "" if value is None else value if isinstance(value, str) else repr(value)
    if any(mark in text for mark in (sign, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


class History:
    """The forecasts that were made for every row, a column for each horizon."""

    def __init__(self, path: str, key: str | None, horizons: Sequence[int], keep: int) -> None:
        own = [] if key is None else [key]
        names = [*own, "time", "value", *(f"forecast_{horizon}" for horizon in horizons)]
        self._form, self._has_key = form_of_history(path, names), key is not None
        self._file = TextFile(path, self._form.head, keep)

    def write(self, rows: Series, has_times: bool, made: Values) -> None:
        """Append rows, with the forecasts that were made for them."""
        own = [rows.key] if self._has_key else []
        told = labels(rows.times, has_times)
        columns = zip(told, rows.y.tolist(), made.tolist(), strict=True)
        self._file.append(self._form.text([*own, when, y, *all_of] for when, y, all_of in columns))

    def secure(self) -> int:
        """Bring all that was written to the disk, and return the number of bytes."""
        return self._file.secure()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def form_of_history(path: str, names: Sequence[str]) -> Form:
    """Return the form of a history."""
    return Form.of("--history", path, names)


def labels(moments: Moments, has_times: bool) -> list[Any]:
    """Return what is written as time: a time in ISO 8601, or the number of the row."""
    if not has_times:
        return list(moments.tolist())
    return [str(when) for when in (times.iso(moments) if len(moments) else ())]


def write_path(path: str, key: str | None, rows: Iterable[Sequence[Any]]) -> None:
    """Write the next forecasts, whole or not at all: key, time, horizon, forecast, lower, upper."""
    own = [] if key is None else [key]
    names = [*own, "time", "horizon", "forecast", "lower", "upper"]
    form = Form.of("--predictions", path, names)
    text = form.head + form.text(row if key is not None else row[1:] for row in rows)
    if path == STANDARD:
        print(text, end="")
    else:
        write_file(path, text.encode())
