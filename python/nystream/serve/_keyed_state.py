"""The state of a service of models by key, which a checkpoint holds beside them."""

from __future__ import annotations

import math
import sys
from itertools import chain, islice
from typing import Any

import numpy as np

from nystream import Keyed, Ticket
from nystream.serve._facts import listed, of_kind
from nystream.serve._packed import ids_of, lists_of, text_of
from nystream.serve._pending import Row
from nystream.serve._state import State


class KeyedState(State):
    """The service at one moment, apart from the models and their progress."""

    kind = "nystream serve: models by key"
    model = Keyed

    def _stored(self, model: Any) -> Any:
        return model  # which goes to the file piece by piece

    def _packed(self) -> dict[str, Any]:
        return pack(self.pending)

    @staticmethod
    def _unpacked(packed: dict[str, Any], n_features: int, model: Any) -> list[tuple[str, Row]]:
        return unpack(packed, n_features)


def pack(rows: list[tuple[str, Row]]) -> dict[str, Any]:
    """Return rows that wait as a checkpoint holds them: their tickets as lists and texts."""
    parts: list[Any] = [row.asked.__reduce__()[1] for _, row in rows]
    lists = [some for ((some, *_),) in parts]
    return {
        "ids": [name for name, _ in rows],
        "when": [row.when for _, row in rows],
        "sizes": [[*map(len, some)] for some in lists],
        "numbers": text_of(map(np.float64, chain(*lists))),
        "texts": [texts for ((_, texts, *_),) in parts],
    }


def unpack(packed: dict[str, Any], n_features: int) -> list[tuple[str, Row]]:
    """Return what :func:`pack` was given, or raise ``ValueError`` for what it cannot have made."""
    ids, when = ids_of(packed, n_features)
    sizes = [
        of_kind("sizes", some, list) for some in listed("sizes", packed.get("sizes"), len(ids))
    ]
    numbers, largest = packed.get("numbers"), sys.float_info.max
    lists = iter(lists_of("numbers", numbers, [*chain(*sizes)], largest, gaps=True))
    texts = listed("texts", packed.get("texts"), len(ids))
    tickets = [
        ticket_of([one.tolist() for one in islice(lists, len(some))], text, n_features)
        for some, text in zip(sizes, texts, strict=True)
    ]
    return list(zip(ids, map(Row, tickets, when), strict=True))


def ticket_of(lists: list[list[float]], texts: Any, n_features: int) -> Ticket:
    """Return a ticket from its parts."""
    texts = [of_kind("a text", text, str) for text in of_kind("texts", texts, list)]
    ticket = Ticket._restore_of_key((lists, texts, None, None))
    of_table = any(texts[1:])  # after the key
    if not math.isfinite(ticket.prediction) or not (of_table or len(ticket.x) == n_features):
        raise ValueError("a ticket should be one that its models have given")
    return ticket
