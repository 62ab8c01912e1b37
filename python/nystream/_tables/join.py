"""A whole table at once: its chunks, joined, of which no row may be bad."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._frames import NamedRows
from nystream._tables.selection import Reading, Selection
from nystream._tables.table import CHUNK, Position
from nystream._tables.values import ADVICE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._tables.table import Table
    from nystream._tables.values import Values


def join(
    table: Table, features: Sequence[int], target: int, advice: str = ADVICE
) -> tuple[Values, Values]:
    """Return features and labels of all rows, or raise ``ValueError`` that names the first fault.

    There are no rows at all if there is none to be read. ``advice`` says how to go on without a
    column that holds no numbers.
    """
    # A label that is missing is a fault here, as a feature is.
    selection = Selection(table.columns, (*features, target), (), Reading(advice=advice))
    parts = [np.empty((0, len(features) + 1))]
    for part in table.chunks(selection, CHUNK, Position()):
        if part.bad:
            raise table.refusal(part.bad[0])
        parts.append(part.X.rows if isinstance(part.X, NamedRows) else part.X)
    values = np.concatenate(parts)
    return np.ascontiguousarray(values[:, :-1]), values[:, -1].copy()
