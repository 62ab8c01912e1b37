"""A service for several tests."""

from __future__ import annotations

import importlib.util

import pytest
from serving import RIDGE, X, Y, serving


@pytest.fixture(scope="module")
def shared():
    """A model of three features that has learned a row; no test may teach it more."""
    if importlib.util.find_spec("uvicorn") is None:
        pytest.skip("not installed: uvicorn")
    with serving(*RIDGE, "--max-body", "2000", "--max-rows", "5", "--timeout", "0.5") as server:
        server.client().learn(X[:1], Y[:1])
        yield server
