"""Rows that wait for their labels, as a checkpoint holds them."""

from __future__ import annotations

import base64
import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np

from nystream import Learner, Ticket
from nystream._core import LARGEST
from nystream.serve._facts import amount, listed, number_of, of_kind, part, table
from nystream.serve._pending import Asked, Row, Unasked
from nystream.serve._rows import Array


def pack(rows: list[tuple[str, Row]]) -> dict[str, Any]:
    """Return rows as a checkpoint holds them."""
    asked = [row.asked for _, row in rows]
    tickets = [_parts(one) for one in asked]
    return {
        "ids": [name for name, _ in rows],
        "when": [row.when for _, row in rows],
        "x": _text([one.x for one in asked]),
        "predictions": _text([np.float64(one.prediction) for one in asked]),
        "tickets": {
            "at": [at for at, _ in tickets],
            "sizes": [len(numbers) for _, numbers in tickets],
            "numbers": _text([numbers for _, numbers in tickets]),
        },
    }


def _parts(asked: Asked) -> tuple[int, Array]:
    """Return what a ticket holds beside its row and prediction: nothing if there is no ticket."""
    if isinstance(asked, Unasked):
        return 0, np.empty(0)
    (_, at, _), (_, q, scales, details), _ = asked.__reduce__()[1][0]
    return at, np.array([q, *scales, *details])


def unpack(packed: dict[str, Any], n_features: int, learner: Learner) -> list[tuple[str, Row]]:
    """Return what :func:`pack` was given, or raise ``ValueError`` for what it cannot have made.

    Checkpoints of earlier versions have no tickets: their rows come back without.
    """
    ids = [of_kind("an id", name, str) for name in part(packed, "ids", list)]
    if len(set(ids)) < len(ids):
        raise ValueError("ids should be different from each other")
    if ids and not n_features:
        raise ValueError("rows that wait for their labels should have features")
    now = time.time()
    when = [min(amount("when", at), now) for at in listed("when", packed.get("when"), len(ids))]
    x = table("x", packed.get("x"), (len(ids), n_features), LARGEST)
    shape = (len(ids), learner.n_targets)
    predictions = table("predictions", packed.get("predictions"), shape, sys.float_info.max)
    rows = [Unasked(*pair) for pair in zip(x, predictions, strict=True)]
    if "tickets" in packed:
        asked = _with_tickets(rows, part(packed, "tickets", dict), learner)
    else:
        asked = [_without(row) for row in rows]
    return list(zip(ids, map(Row, asked, when), strict=True))


def _without(row: Unasked) -> Unasked:
    return row if len(row.prediction) > 1 else Unasked(row.x, row.prediction[0])


def _with_tickets(rows: list[Unasked], packed: dict[str, Any], learner: Learner) -> list[Asked]:
    """Return tickets for those rows that had one."""
    at = [number_of("at", one) for one in listed("at", packed.get("at"), len(rows))]
    sizes = listed("sizes", packed.get("sizes"), len(rows))
    ends = np.cumsum([0, *(number_of("a size", size) for size in sizes)], dtype=object).tolist()
    shape = (ends[-1], 1)
    numbers = table("numbers", packed.get("numbers"), shape, sys.float_info.max)[:, 0]
    parts = [numbers[start:end] for start, end in pairwise(ends)]
    n_scales = learner.n_targets if learner.has_intervals else 0
    return [
        _ticket(row, when, part, n_scales) if len(part) else _without(row)
        for row, when, part in zip(rows, at, parts, strict=True)
    ]


def _ticket(row: Unasked, at: int, numbers: Array, n_scales: int) -> Ticket:
    q, scales, details = numbers[0], numbers[1 : 1 + n_scales], numbers[1 + n_scales :]
    if len(scales) < n_scales or q < 0 or (scales < 0).any():
        raise ValueError("a ticket should be one that its model has given")
    asked = row.prediction.tolist(), float(q), scales.tolist(), details.tolist()
    return Ticket._restore(((row.x.tolist(), at, None), asked, None))


def _text(arrays: list[Any]) -> str:
    return base64.b64encode(b"".join(array.tobytes() for array in arrays)).decode()
