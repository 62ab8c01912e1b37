"""Files of the user's own, whatever their columns hold."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nystream._study.own_rows import OwnRows
from nystream._study.table_dataset import TableDataset
from nystream._tables.npz_table import LABELS, NpzTable
from nystream._tables.opening import format_of, open_table
from nystream._tables.selection import Reading, Selection, select
from nystream._tables.table import Position
from nystream._tables.text_table import empty
from nystream.datasets._dataset import NOT_SCALED
from nystream.datasets._files import as_dataset, title_of
from nystream.datasets._scaling import to_unit_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from nystream._runs.bad_rows import BadRows
    from nystream._tables.csv_table import Dialect
    from nystream._tables.table import Chunk, Table
    from nystream.datasets import Dataset

ALL_ROWS = 1 << 40
ADVICE = "--drop leaves a column out, --on-error skip a row"
SCALED = "target to [0, 1] by its range; columns as they are, brought to one scale by each learner"


@dataclass(frozen=True, kw_only=True)
class OwnFile:
    """A file to compare learners on, and how it is read.

    ``columns`` are parameters of a learner's columns, as the user states them. ``scale`` is
    ``"paper"``, or None to leave all as it is.
    """

    path: Path
    target: str | None = None
    features: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    form: str | None = None
    dialect: Dialect | None = None
    columns: Mapping[str, Any]
    bad_rows: BadRows
    scale: str | None = "paper"

    def read(self) -> Dataset:
        """Return all good rows with a label: numbers without gaps as an array, else a table."""
        with closing(self._open()) as file:
            selection = self._select(file)
            chunk, target = self._whole(file, selection), name_of_target(file, selection)
        rows = OwnRows.of(chunk, self.columns)
        self.bad_rows.meet(rows.bad, 0)
        if not len(rows.y):
            raise ValueError(f"{self.path} should have a good row with a label, but has none")
        numbers = rows.numbers(self.columns)
        if numbers is None:
            data: Dataset = self._with_columns(rows, selection, target)
        else:
            data = as_dataset(self.path, self.scale, numbers, rows.y, selection, target)
        notes = [note for note in (data.note, *rows.left_out()) if note]
        return replace(data, note="; ".join(notes))

    def _open(self) -> Table:
        form = self.form or format_of(str(self.path))
        if form != "npz" or self.dialect is not None:
            return open_table(str(self.path), form, dialect=self.dialect)
        table = NpzTable(open(self.path, "rb"), str(self.path), target=self.target)  # noqa: SIM115
        if len(table.targets) == 1:
            return table
        table.close()
        label, n = self.target or LABELS, len(table.targets)
        if not n:
            raise ValueError(table.lacks(label))
        raise ValueError(f"{label} of {self.path} should have one label a row, but has {n}")

    def _select(self, file: Table) -> Selection:
        targets = file.targets if isinstance(file, NpzTable) else [str(self.target)]
        reading = Reading(
            is_tabular=True,
            kinds=self.columns.get("schema", {}),
            missing_values=tuple(self.columns.get("missing_values", ())),
            advice=ADVICE,
        )
        return select(file.columns, targets, self.features, self.drop, reading, empty(file))

    def _whole(self, file: Table, selection: Selection) -> Chunk:
        for chunk in file.chunks(selection, ALL_ROWS, Position()):
            return chunk
        raise ValueError(f"{self.path} should have at least one row, but has none")

    def _with_columns(
        self, rows: OwnRows, selection: Selection, target: str | None
    ) -> TableDataset:
        is_scaled = self.scale is not None
        return TableDataset(
            name=title_of(self.path),
            X=rows.X,
            y=to_unit_interval(rows.y) if is_scaled else rows.y,
            feature_names=selection.feature_names,
            target_name=target,
            source=str(self.path),
            scaling=SCALED if is_scaled else NOT_SCALED,
            target_range=(float(rows.y.min()), float(rows.y.max())),
            note=rows.columns_in_words(),
            columns={**self.columns, "schema": rows.kinds},
        )


def name_of_target(file: Table, selection: Selection) -> str | None:
    """Return what the labels are called, if they have a name."""
    if selection.columns.names is not None:
        return selection.target_names()[0]
    return file.label if isinstance(file, NpzTable) else None
