"""No place to find data but a test's own folder."""

from __future__ import annotations

import urllib.error

import pytest
from files import answer


@pytest.fixture
def no_places(tmp_path, monkeypatch):
    """An empty cache, no folder of data, and nobody who answers from the network."""
    monkeypatch.setenv("NYSTREAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NYSTREAM_DATA", raising=False)
    answer(monkeypatch, urllib.error.URLError("no network in tests"))


@pytest.fixture
def parquet():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install '.[bench]'")
    return __import__("pyarrow.parquet").parquet
