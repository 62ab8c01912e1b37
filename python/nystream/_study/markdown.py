"""Reports and tables in Markdown that can be read as it is."""

from __future__ import annotations

from collections.abc import Sequence

from nystream._study.report import Report, Section, Table


def page(report: Report) -> str:
    """Write a report; figures are links to their files."""
    parts = [f"# {report.title}", *report.lead, *(section(part) for part in report.sections)]
    return "\n\n".join(parts) + "\n"


def section(part: Section) -> str:
    """Write a section."""
    figures = [f"![{figure.caption}]({figure.path.name})" for figure in part.figures]
    parts = [f"## {part.title}", part.text, *map(table, part.tables), *figures]
    return "\n\n".join(filter(None, parts))


def table(cells: Table) -> str:
    """Write a table."""
    return lay_out(cells.header, cells.rows, [name in cells.right for name in cells.header])


def lay_out(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Write cells in columns of equal width; ``right`` says which are set to the right."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = [
        " | ".join(
            text.rjust(width) if numeric else text.ljust(width)
            for text, width, numeric in zip(line, widths, right, strict=True)
        )
        for line in (header, *rows)
    ]
    rule = " | ".join(
        "-" * (width - 1) + (":" if numeric else "-")
        for width, numeric in zip(widths, right, strict=True)
    )
    return "\n".join(f"| {line} |" for line in (lines[0], rule, *lines[1:]))
