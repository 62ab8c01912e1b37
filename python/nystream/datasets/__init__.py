"""Data for regression: embedded streams, the paper's data sets, and your own files.

Streams that need nothing, as functions that make them: `friedman`, `mackey_glass`, `coin_flips`,
`normal_line`, `uniform_line`, and `drift`, `abrupt_drift`, `gradual_drift`, whose labels change
their meaning. By name, `load` gives these and the paper's eight sets, of which `names` lists all,
`info` tells what is known, and `find` tells where the file is. `read` takes CSV, Parquet and NumPy
files, and `scale_as_paper` does what the paper did to its data.

>>> from nystream import NonsAld, Gaussian
>>> from nystream.datasets import load
>>> data = load("friedman", n_rows=1000)
>>> model = NonsAld(Gaussian(data.sigma))
>>> predictions = model.progressive(data.X, data.y)
"""

from nystream.datasets._catalogue import find, info, load, names
from nystream.datasets._dataset import Dataset, Info
from nystream.datasets._drifting import abrupt_drift, gradual_drift
from nystream.datasets._files import read
from nystream.datasets._scaling import scale_as_paper
from nystream.datasets._synthetic import (
    coin_flips,
    drift,
    friedman,
    mackey_glass,
    normal_line,
    uniform_line,
)

__all__ = [
    "Dataset",
    "Info",
    "abrupt_drift",
    "coin_flips",
    "drift",
    "find",
    "friedman",
    "gradual_drift",
    "info",
    "load",
    "mackey_glass",
    "names",
    "normal_line",
    "read",
    "scale_as_paper",
    "uniform_line",
]
