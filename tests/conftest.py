"""Settings that must come before NumPy is imported, or an engine or another process is started."""

import os
import signal
import sys
import tempfile

# A shell's background ignores Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The literal versions work on small matrices, for which the threads of a BLAS wait for each other:
# on a busy machine a test took fifteen times as long.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# Nothing is read from the user's cache or written to it, by a test or by a program that it starts.
CACHE = tempfile.TemporaryDirectory(prefix="nystream-cache-")
os.environ["NYSTREAM_CACHE"] = CACHE.name

# Ray should tell nobody. Spark's workers are this Python; it should start quickly, not run long.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
SPARK = {
    "spark.driver.memory": "1g",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.warehouse.dir": CACHE.name,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
settings = " ".join(f"--conf {name}={value}" for name, value in SPARK.items())
java = "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'"
os.environ.setdefault("PYSPARK_SUBMIT_ARGS", f"{settings} {java} pyspark-shell")
