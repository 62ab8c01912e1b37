"""A Spark, and a Ray, for all tests of this process."""

from __future__ import annotations

import os

import pytest

# Nobody should be told that these tests were run.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


@pytest.fixture(scope="session")
def spark():
    from spark_session import session

    spark = session()
    yield spark
    spark.stop()


@pytest.fixture
def small_batches(spark):
    """Rows that reach a worker in many pieces."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    spark.conf.set(name, 5)
    yield
    spark.conf.unset(name)


@pytest.fixture(scope="session")
def cluster():
    import ray

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=100_000_000,
        ignore_reinit_error=True,
    )
    yield
    ray.shutdown()
