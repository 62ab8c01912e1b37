"""Growth of dictionary and cost with the length of the stream, as measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nystream._learner_names import title_of
from nystream._study.paper_table1 import Law

if TYPE_CHECKING:
    from nystream._study.paper_table1 import Claim, Decay

TINY = 1.0  # microseconds


@dataclass(frozen=True)
class Growth:
    """Rows kept by a learner, and microseconds a row, for each length of the stream."""

    claim: Claim
    decay: Decay
    T: list[int]
    n_basis: list[float]
    microseconds: list[float]

    @property
    def title(self) -> str:
        """The paper's name of the learner."""
        return title_of(self.claim.name)

    @property
    def buffer(self) -> Law:
        """The growth of the rows kept."""
        law = self.claim.buffer(self.decay.p)
        return law.fit(self.T, self.n_basis) if any(self.n_basis) else Law(0.0)

    @property
    def cost(self) -> Law | None:
        """The growth of the cost of a row; None if it is too small to tell from that of a call."""
        if max(self.microseconds) < TINY:
            return None
        return self.claim.cost(self.decay.p).fit(self.T, self.microseconds)
