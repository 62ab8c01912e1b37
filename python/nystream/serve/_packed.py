"""Rows that wait for their labels, as a checkpoint holds them."""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from nystream import Learner, Ticket
from nystream._core import LARGEST
from nystream.serve._facts import amount, listed, number_of, of_kind, part, table
from nystream.serve._http import RefusedError
from nystream.serve._pending import Asked, Row, Unasked
from nystream.serve._rows import Array, Values
from nystream.serve._tables import check_values


def pack(rows: list[tuple[str, Row]]) -> dict[str, Any]:
    """Return rows as a checkpoint holds them."""
    asked = [row.asked for _, row in rows]
    tickets = [_parts(one) for one in asked]
    features, texts = [_features(one) for one in asked], [_text_of(one) for one in asked]
    widths = [len(x) for x in features]
    is_table = any(texts) or len(set(widths)) > 1
    return {
        "ids": [name for name, _ in rows],
        "when": [row.when for _, row in rows],
        "x": text_of(features),
        **({"widths": widths, "rows": texts} if is_table else {}),
        "predictions": text_of([np.float64(one.prediction) for one in asked]),
        "tickets": {
            "at": [at for at, _ in tickets],
            "sizes": [len(numbers) for _, numbers in tickets],
            "numbers": text_of([numbers for _, numbers in tickets]),
        },
    }


def _parts(asked: Asked) -> tuple[int, Array]:
    """Return what a ticket holds beside its row and prediction: nothing if there is no ticket."""
    if isinstance(asked, Unasked):
        return 0, np.empty(0)
    (_, at, *_), (_, q, scales, details), _ = asked.__reduce__()[1][0]
    return at, np.array([q, *scales, *details])


def _features(asked: Asked) -> Array:
    """Return the numbers of a row; none for a row of a table without a ticket."""
    return asked.x if isinstance(asked.x, np.ndarray) else np.empty(0)


def _text_of(asked: Asked) -> str:
    """Return a row of a table as text; nothing for a row of an array."""
    if isinstance(asked, Ticket):
        text: str = asked.__reduce__()[1][0][0][3]
        return text
    return json.dumps(asked.x) if isinstance(asked.x, dict) else ""


def unpack(packed: dict[str, Any], n_features: int, learner: Any) -> list[tuple[str, Row]]:
    """Return what :func:`pack` was given, or raise ``ValueError`` for what it cannot have made.

    Checkpoints of earlier versions have no tickets: their rows come back without.
    """
    ids, when = ids_of(packed, n_features)
    x, texts = _rows(packed, len(ids), n_features, learner)
    shape = (len(ids), learner.n_targets)
    predictions = table("predictions", packed.get("predictions"), shape, sys.float_info.max)
    rows = [Unasked(*pair) for pair in zip(x, predictions, strict=True)]
    if "tickets" in packed:
        asked = _with_tickets(rows, texts, part(packed, "tickets", dict), learner)
    else:
        asked = [_without(row, "") for row in rows]
    return list(zip(ids, map(Row, asked, when), strict=True))


def ids_of(packed: dict[str, Any], n_features: int) -> tuple[list[str], list[float]]:
    """Return the ids of rows, and when they were predicted."""
    ids = [of_kind("an id", name, str) for name in part(packed, "ids", list)]
    if len(set(ids)) < len(ids):
        raise ValueError("ids should be different from each other")
    if ids and not n_features:
        raise ValueError("rows that wait for their labels should have features")
    now = time.time()
    when = [min(amount("when", at), now) for at in listed("when", packed.get("when"), len(ids))]
    return ids, when


def lists_of(
    name: str, text: Any, sizes: list[Any], largest: float, *, gaps: bool = False
) -> list[Array]:
    """Return lists of these sizes from the text of all their bytes."""
    ends = np.cumsum([0, *(number_of("a size", size) for size in sizes)], dtype=object).tolist()
    numbers = table(name, text, (ends[-1], 1), largest, gaps=gaps)[:, 0]
    return [numbers[start:end] for start, end in pairwise(ends)]


def _rows(
    packed: dict[str, Any], n_rows: int, n_features: int, learner: Learner
) -> tuple[list[Array], list[str]]:
    """Return the numbers of rows, and those that are of tables as text."""
    takes_tables = learner.schema is not None
    if not takes_tables or "widths" not in packed:
        shape = (n_rows, n_features)
        x = table("x", packed.get("x"), shape, LARGEST, gaps=takes_tables)
        return list(x), [""] * n_rows
    widths = listed("widths", packed["widths"], n_rows)
    texts = [of_kind("a row", one, str) for one in listed("rows", packed.get("rows"), n_rows)]
    return lists_of("x", packed.get("x"), widths, LARGEST, gaps=True), texts


def _without(row: Unasked, text: str) -> Unasked:
    """Return a row that had no ticket."""
    x = _values(text) if text else row.x
    return Unasked(x, row.prediction if len(row.prediction) > 1 else row.prediction[0])


def _values(text: str) -> Values:
    """Return a row of a table."""
    try:
        values = of_kind("a row", json.loads(text), dict)
        check_values("a row", values, len(text))
    except (RecursionError, RefusedError) as error:
        raise ValueError(f"a row should be one of a table: {error}") from None
    return values


def _with_tickets(
    rows: list[Unasked], texts: list[str], packed: dict[str, Any], learner: Learner
) -> list[Asked]:
    """Return tickets for those rows that had one."""
    at = [number_of("at", one) for one in listed("at", packed.get("at"), len(rows))]
    sizes = listed("sizes", packed.get("sizes"), len(rows))
    parts = lists_of("numbers", packed.get("numbers"), sizes, sys.float_info.max)
    n_scales = learner.n_targets if learner.has_intervals else 0
    return [
        _ticket(row, text, when, part, n_scales) if len(part) else _without(row, text)
        for row, text, when, part in zip(rows, texts, at, parts, strict=True)
    ]


def _ticket(row: Unasked, text: str, at: int, numbers: Array, n_scales: int) -> Ticket:
    q, scales, details = numbers[0], numbers[1 : 1 + n_scales], numbers[1 + n_scales :]
    if len(scales) < n_scales or q < 0 or (scales < 0).any():
        raise ValueError("a ticket should be one that its model has given")
    asked = row.prediction.tolist(), float(q), scales.tolist(), details.tolist()
    return Ticket._restore(((_features(row).tolist(), at, None, text), asked, None))


def text_of(arrays: Iterable[Any]) -> str:
    """Return the bytes of arrays as a text."""
    return base64.b64encode(b"".join(array.tobytes() for array in arrays)).decode()
