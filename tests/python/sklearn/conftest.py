"""Every learner by name."""

from __future__ import annotations

import pytest

import nystream


@pytest.fixture(params=nystream.algorithms())
def name(request):
    return request.param
