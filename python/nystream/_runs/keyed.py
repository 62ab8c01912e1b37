"""Models that stand for a key, or for all of them."""

from __future__ import annotations

from typing import TypeAlias

from nystream import Keyed, Learner

Model: TypeAlias = Learner | Keyed


def new_learner(model: Model) -> Learner:
    """Return the learner that a key begins with."""
    if isinstance(model, Learner):
        return model
    learner: Learner = model.params["model"]
    return learner
