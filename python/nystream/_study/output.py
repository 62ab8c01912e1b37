"""Files that a study leaves in its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nystream._study import html, markdown, tables

if TYPE_CHECKING:
    from nystream._study.report import Figure, Report
    from nystream._study.tasks import Result


def write(
    folder: Path,
    results: Iterable[Result],
    records: Sequence[Mapping[str, Any]],
    page: Callable[[Sequence[Figure]], Report],
    draw: Callable[[], Sequence[Figure]],
) -> str:
    """Write runs and tables for programs, tables and plots for people; return what to print."""
    tables.write_csv(folder / "results.csv", tables.run_records(results))
    tables.write_csv(folder / "table.csv", records)
    tables.write_json(folder / "table.json", records)
    text = markdown.page(page([]))
    (folder / "table.md").write_text(text, encoding="utf-8")
    report = folder / "report.html"
    report.write_text(html.page(page(draw())), encoding="utf-8")
    return f"{text}\nreport: {report}"
