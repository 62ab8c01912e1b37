"""Spark, and the packages that it needs to talk to Python."""

from __future__ import annotations

import importlib

try:
    importlib.import_module("google.protobuf")
    import pandas as pd
    import pyarrow as pa
    from pyspark import TaskContext
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql import types
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor
except ImportError as error:
    raise ImportError(
        "nystream.spark needs PySpark, pandas, pyarrow and protobuf: pip install 'nystream[spark]'"
    ) from error

__all__ = ["F", "StatefulProcessor", "TaskContext", "pa", "pd", "types"]
