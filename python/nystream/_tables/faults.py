"""What is wrong with a row of text, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._tables import source
from nystream._tables.values import no_number, too_large

if TYPE_CHECKING:
    from nystream._tables.columns import Columns

ROWS = {
    "text": "is not {encoding} text",
    "open": "has a quote that is not closed",
    "json": "could not be read as JSON: {value}",
    "object": "should be a JSON object, but is {value}",
    "width": "there should be {count} columns, but there are {value}",
}


def fault(
    columns: Columns, column: int | None, problem: str, value: str, encoding: str, advice: str
) -> str:
    """Return what is wrong with a row."""
    if problem == "long":
        return too_long()
    if column is None:
        return ROWS[problem].format(value=value, count=columns.count, encoding=encoding.upper())
    words = {
        "number": f"{no_number(value)}; {advice}",
        "nested": no_number(value),
        "value": f"has no value; {advice}",
        "key": "is missing",
        "large": too_large(value),
    }
    return f"{columns.describe(column)} {words[problem]}"


def too_long() -> str:
    """Say what is wrong with a line that is too long."""
    return f"should be at most {source.LONGEST:,} bytes, but is longer"
