"""Every learner, and rows for it."""

from __future__ import annotations

import copy

import pytest
from learners import LEARNERS
from support import random_stream


@pytest.fixture(params=LEARNERS)
def model(request):
    """A learner of each kind that has seen nothing."""
    return copy.deepcopy(LEARNERS[request.param])


@pytest.fixture
def stream():
    return random_stream(300, 3)
