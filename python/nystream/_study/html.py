"""Reports as one HTML page that needs nothing else: styles and plots are inside."""

from __future__ import annotations

import base64
from html import escape

from nystream._study.report import Figure, Report, Section, Table

STYLE = """
:root { color-scheme: light; --ink: #1d2733; --faint: #5c6b7a; --line: #dde3e9; --best: #e8f3ec; }
body { margin: 0 auto; max-width: 80rem; padding: 2rem 1.5rem 4rem; color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; background: #fff; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .5rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
p { max-width: 46rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: 1.2rem 0; }
a { color: #14539a; text-decoration: none; } a:hover { text-decoration: underline; }
.scroll { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .6rem; text-align: left; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; color: var(--faint); font-weight: 600;
  border-bottom: 2px solid var(--line); }
td { border-bottom: 1px solid var(--line); }
.right { text-align: right; }
tr.best td { background: var(--best); font-weight: 600; }
figure { margin: 1rem 0; } img { width: 100%; min-width: 48rem; max-width: 76rem; }
figcaption { color: var(--faint); font-size: .9rem; max-width: 46rem; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } nav { display: none; } }
""".strip()


def page(report: Report) -> str:
    """Write a report."""
    links = (
        f'<a href="#{anchor(number)}">{escape(part.title)}</a>'
        for number, part in enumerate(report.sections)
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(report.title)}</title>",
            f"<style>\n{STYLE}\n</style>",
            "</head>",
            "<body>",
            f"<h1>{escape(report.title)}</h1>",
            *(f"<p>{escape(text)}</p>" for text in report.lead),
            f"<nav>{' '.join(links)}</nav>",
            *(section(part, anchor(number)) for number, part in enumerate(report.sections)),
            "</body>",
            "</html>",
            "",
        ]
    )


def anchor(number: int) -> str:
    """Name a section for links."""
    return f"section-{number}"


def section(part: Section, name: str) -> str:
    """Write a section."""
    text = [f"<p>{escape(part.text)}</p>"] if part.text else []
    body = [*text, *map(table, part.tables), *map(figure, part.figures)]
    heading = f'<h2 id="{name}">{escape(part.title)}</h2>'
    return "\n".join(["<section>", heading, *body, "</section>"])


def table(cells: Table) -> str:
    """Write a table that scrolls sideways where the window is narrow."""
    styles = [' class="right"' if name in cells.right else "" for name in cells.header]
    heads = "".join(f"<th{s}>{escape(h)}</th>" for h, s in zip(cells.header, styles, strict=True))
    rows = []
    for number, row in enumerate(cells.rows):
        data = "".join(f"<td{s}>{escape(c)}</td>" for c, s in zip(row, styles, strict=True))
        rows.append(f'<tr class="best">{data}</tr>' if number == cells.best else f"<tr>{data}</tr>")
    head, body = f"<thead><tr>{heads}</tr></thead>", "\n".join(["<tbody>", *rows, "</tbody>"])
    return f'<div class="scroll"><table>\n{head}\n{body}\n</table></div>'


def figure(plot: Figure) -> str:
    """Write a plot with its file inside the page."""
    data = base64.b64encode(plot.path.read_bytes()).decode()
    caption = escape(plot.caption)
    return (
        f'<figure><div class="scroll"><img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
        f"</div><figcaption>{caption}</figcaption></figure>"
    )
