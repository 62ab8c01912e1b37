"""Settings that must come before NumPy is imported."""

import os
import tempfile

# The literal versions work on small matrices, for which the threads of a BLAS wait for each other:
# on a busy machine a test took fifteen times as long.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# Nothing is read from the user's cache or written to it, by a test or by a program that it starts.
CACHE = tempfile.TemporaryDirectory(prefix="nystream-cache-")
os.environ["NYSTREAM_CACHE"] = CACHE.name
