"""The kinds of columns in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._core import Column

NOUNS = {"number": "numbers", "category": "categories", "time": "times", "text": "texts"}


def described(schema: Sequence[Column]) -> str:
    """Return columns as a line: how many are of each kind, and the names of those left out."""
    kinds = [column.kind or "empty" for column in schema]
    counts = {kind: kinds.count(kind) for kind in (*NOUNS, "empty") if kind in kinds}
    words = [f"{n} {NOUNS.get(kind, kind) if n > 1 else kind}" for kind, n in counts.items()]
    out = [f"{c.name}{(c.kind or '')[6:]}" for c in schema if (c.kind or "").startswith("unused")]
    return f"columns: {', '.join(words)}" + (f"; left out: {', '.join(out)}" if out else "")
