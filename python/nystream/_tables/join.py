"""A whole table at once: its chunks, joined, of which no row may be bad."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._tables.columns import UnfitColumnError
from nystream._tables.table import CHUNK, Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._tables.table import Table
    from nystream._tables.values import Values


def join(table: Table, features: Sequence[int], target: int) -> tuple[Values, Values]:
    """Return features and labels of all rows, or raise ``ValueError`` that names the first fault.

    There are no rows at all if there is none to be read.
    """
    wanted = (*features, target)
    try:
        chunks = table.chunks(wanted, CHUNK, Position())
    except UnfitColumnError:
        raise table.refusal(wanted, None) from None
    X, y = [np.empty((0, len(features)))], [np.empty(0)]
    for part in chunks:
        if part.bad:
            raise table.refusal(wanted, part.bad[0])
        X.append(part.values[:, :-1])
        y.append(part.values[:, -1])
    return np.concatenate(X), np.concatenate(y)
