"""The tables of a comparison as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nystream._study.report import Table
from nystream._study.summary import Line, Ranking, Score
from nystream._study.tasks import Result, plain

RUN_COLUMNS = (
    *("dataset", "n_rows", "n_features", "scaling", "algorithm", "params", "seed", "shuffled"),
    *("mse", "n_basis", "seconds", "nbytes", "version", "machine", "finished", "fingerprint"),
)


def comparison(lines: Sequence[Line]) -> Table:
    """Make the main table of a data set; what was not tuned or printed has no column."""
    columns = {
        "learner": [line.case.entry.title for line in lines],
        "MSE": [error(line.score) for line in lines],
        "paper's MSE": [f"{p.mse:.5f} ± {p.std:.5f}" if (p := x.printed) else "" for x in lines],
        "difference": [percent(x.difference) for x in lines],
        "R²": [explained(line) for line in lines],
        "RMSE in own unit": [own_error(line) for line in lines],
        "best of grid": [error(x.best) if len(x.case.grid) > 1 else "" for x in lines],
        "at": [settings(line.tuned) for line in lines],
        "J or D": [f"{line.score.size:.0f}" for line in lines],
        "paper's J or D": [str(p.n_basis) if (p := line.printed) else "" for line in lines],
        "seconds": [significant(line.score.seconds, 2) for line in lines],
        "paper's seconds": [f"{p.seconds:.2f}" if (p := line.printed) else "" for line in lines],
        "kB": [significant(line.score.nbytes / 1000, 2) for line in lines],
    }
    filled = {name: cells for name, cells in columns.items() if any(cells)}
    best = min(range(len(lines)), key=lambda i: lines[i].score.rank())
    return Table(filled, frozenset(filled) - {"learner", "at"}, best)


def ranking(rankings: Sequence[Ranking]) -> Table:
    """List the learners of each data set, best first."""
    return Table(
        {
            "data set": [ranking.dataset for ranking in rankings],
            "best first": [", ".join(ranking.order) for ranking in rankings],
            "not as printed": [
                ", ".join(map(str, ranking.swaps)) or "none" for ranking in rankings
            ],
        }
    )


def summary_records(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Give the main table as numbers, for CSV and JSON."""
    return [
        {
            "dataset": line.dataset,
            "algorithm": line.case.entry.name,
            **_numbers(line.score),
            **{f"best_{key}": value for key, value in _numbers(line.best).items()},
            "paper_mse": line.printed.mse if line.printed else None,
            "paper_std": line.printed.std if line.printed else None,
            "paper_size": line.printed.n_basis if line.printed else None,
            "paper_seconds": line.printed.seconds if line.printed else None,
            "difference": line.difference,
        }
        for line in lines
    ]


def _numbers(score: Score) -> dict[str, Any]:
    return {
        "params": plain(score.params),
        "runs": len(score.runs),
        "mse": None if score.diverged else score.mse,
        "std": None if score.diverged else score.std,
        "size": score.size,
        "seconds": score.seconds,
        "nbytes": score.nbytes,
    }


def run_records(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Every run without its curve."""
    return [{name: getattr(result, name) for name in RUN_COLUMNS} for result in results]


def write_csv(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write records as CSV; what is not a number or a text is written as JSON."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, records[0].keys())
        writer.writeheader()
        for record in records:
            writer.writerow(
                {
                    key: json.dumps(value) if isinstance(value, Mapping) else value
                    for key, value in record.items()
                }
            )


def write_json(path: Path, content: Any) -> None:
    """Write JSON to be read by people too."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def error(score: Score) -> str:
    """Mean and deviation, four digits of the mean."""
    if score.diverged:
        return "diverged"
    if not is_plain(score.mse):
        mse = f"{score.mse:.3e}"
        return f"{mse} ± {score.std:.0e}" if len(score.runs) > 1 else mse
    decimals = decimals_for(score.mse, 4)
    mse = f"{score.mse:,.{decimals}f}"
    return f"{mse} ± {score.std:,.{decimals}f}" if len(score.runs) > 1 else mse


def explained(line: Line) -> str:
    """Write the share of the labels' variance that is explained; nothing for the paper's data."""
    variance = float(line.case.dataset.y.var())
    if line.case.dataset.paper_rows or line.score.diverged or not variance:
        return ""
    return f"{1 - line.score.mse / variance:.3f}"


def own_error(line: Line) -> str:
    """Write the root of the error in the unit of a scaled target; nothing for the paper's data."""
    unit = line.case.dataset.unit
    if unit == 1 or line.case.dataset.paper_rows or line.score.diverged:
        return ""
    return significant(unit * math.sqrt(line.score.mse), 4)


def percent(share: float | None) -> str:
    """Write a difference with its sign; nothing for none."""
    return "" if share is None else f"{share:+.1%}".replace("-0.0%", "+0.0%")


def settings(params: Mapping[str, Any]) -> str:
    """Parameters in words."""
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in params.items()
    )


def significant(value: float, digits: int) -> str:
    """Write a number with so many significant digits, in powers of ten if it is far from 1."""
    if not is_plain(value):
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{decimals_for(value, digits)}f}"


def is_plain(value: float) -> bool:
    """Tell whether a number can be read without a power of ten."""
    return value == 0 or 1e-6 <= abs(value) < 1e9


def decimals_for(value: float, digits: int) -> int:
    """Decimals that show so many significant digits."""
    if not value or not math.isfinite(value):
        return 0
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))
