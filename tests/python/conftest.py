"""Settings that must come before NumPy is imported."""

import os

# The literal versions work on small matrices, for which the threads of a BLAS wait for each other:
# on a busy machine a test took fifteen times as long.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
