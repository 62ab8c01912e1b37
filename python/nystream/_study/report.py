"""The report of a study, before it is written as Markdown or HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Table:
    """Cells as text, column by column; a column is set to the right if ``right`` names it."""

    columns: Mapping[str, Sequence[str]]
    right: frozenset[str] = frozenset()
    best: int | None = None  # the row to stand out

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Cells, row by row."""
        return list(zip(*self.columns.values(), strict=True))


@dataclass(frozen=True)
class Figure:
    """A plot: an SVG file, and what it shows in words."""

    path: Path
    caption: str


@dataclass(frozen=True)
class Section:
    """A heading, some text, and tables or figures."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()


@dataclass(frozen=True)
class Report:
    """The whole: a title, an introduction, sections."""

    title: str
    lead: Sequence[str]
    sections: Sequence[Section] = field(default_factory=list)
