"""A Spark for all tests of this process."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def spark():
    from spark_session import session

    spark = session()
    yield spark
    spark.stop()
