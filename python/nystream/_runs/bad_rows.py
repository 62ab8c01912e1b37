"""Rows that cannot be used: the run ends, or leaves them out and says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nystream._tables.table import BadRow


@dataclass(frozen=True)
class BadRows:
    """A policy for bad rows: ``stop`` ends the run, ``report`` names all, ``skip`` the first."""

    policy: str
    name: str
    tell: Callable[[str], None]

    def meet(self, bad: tuple[BadRow, ...], n_before: int) -> None:
        """Apply the policy to bad rows; the caller counts those that are left out."""
        if not bad:
            return
        if self.policy == "stop":
            raise ValueError(f"{self.name}, {bad[0]}")
        named = bad if self.policy == "report" else bad[: 1 if not n_before else 0]
        for row in named:
            self.tell(f"{self.name}, {row}")
