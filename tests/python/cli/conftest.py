"""Files that several commands read."""

from __future__ import annotations

import numpy as np
import pytest
from support import random_stream


@pytest.fixture
def own_csv(tmp_path):
    X, y = random_stream(200, 3)
    path = tmp_path / "my.csv"
    np.savetxt(path, np.c_[X, 50 * y], delimiter=",", header="a,b,c,price", comments="")
    return path


@pytest.fixture
def stream():
    return random_stream(1000, 3)
