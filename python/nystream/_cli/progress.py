"""The progress of a run on the standard error: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from nystream import Keyed
from nystream._runs.kinds import described

if TYPE_CHECKING:
    from nystream import Learner
    from nystream._runs.progress import Progress
    from nystream._tables.table import Table

SECONDS_BETWEEN_LINES = 10.0


def tell(line: str) -> None:
    """Print a message on the standard error, apart from the output."""
    print(f"nystream: {line}", file=sys.stderr, flush=True)


class ProgressDisplay:
    """Shows the progress of a run: a bar on a terminal, now and then a line elsewhere."""

    def __init__(
        self, table: Table, describe: Callable[[Progress, float | None], str], n_before: int = 0
    ) -> None:
        self._table, self._describe, self._n_before = table, describe, n_before
        self._begin = self._told = time.monotonic()
        self._bar: Any = bar() if sys.stderr.isatty() else None

    def rate(self, progress: Progress) -> float:
        """Return rows a second in this run."""
        seconds = time.monotonic() - self._begin
        return (progress.position.row - self._n_before) / max(seconds, 1e-9)

    def __call__(self, progress: Progress) -> None:
        """Show how far the run is, not more often than anyone could read."""
        now = time.monotonic()
        if self._bar is not None:
            self._advance(progress)
        elif now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            tell(f"{progress.position.row:,} rows, {self._describe(progress, self.rate(progress))}")

    def _advance(self, progress: Progress) -> None:
        fraction = self._table.fraction(progress.position)
        if fraction is not None:
            self._bar.total = max(round(progress.position.row / max(fraction, 1e-9)), 1)
        self._bar.n = progress.position.row
        self._bar.set_postfix_str(self._describe(progress, None), refresh=False)
        self._bar.update(0)

    def close(self) -> None:
        """Draw the bar a last time, and end its line."""
        if self._bar is not None:
            self._bar.refresh()
            self._bar.close()


def bar() -> Any:
    """Return a progress bar, or None without tqdm."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(unit=" rows", unit_scale=True, dynamic_ncols=True, file=sys.stderr)


class ColumnSummary:
    """Says once which kinds the columns of a model have, and which are left out."""

    def __init__(self, model: Learner | Keyed) -> None:
        has_columns = not isinstance(model, Keyed) and model.schema is not None
        self._model = cast("Learner", model) if has_columns else None

    def tell_once(self, is_end: bool = False) -> None:
        """Say it when the kinds are settled, or else at the end, if there is something to say."""
        model = self._model
        if model is not None and (is_end or model._is_settled) and model.feature_names:
            tell(described(model.schema or []))
            self._model = None
