"""Golden files of models by key, which every later version reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from make_keyed import NUMBERS, OTHERS, golden, predictions

import nystream

GOLDEN = Path(__file__).parents[1] / "golden"
FORMATS = {folder.name: [*golden(folder)] for folder in sorted(GOLDEN.glob("keys-*"))}


def golden_files():
    for name, files in FORMATS.items():
        for stem, data, expected in files:
            yield pytest.param(name, data, expected, id=f"{name}-{stem}")


def test_every_format_has_its_golden_files():
    names = {name: {stem for stem, _, _ in files} for name, files in FORMATS.items()}
    assert names == {"keys-1": {*NUMBERS}, "keys-2": {*OTHERS}}


@pytest.mark.parametrize(("name", "data", "expected"), [*golden_files()])
def test_golden_files_stay_loadable(name, data, expected, tmp_path):
    """They predict, and go on learning, as the program that wrote them did."""
    path = tmp_path / "golden.nys"
    path.write_bytes(data)
    assert data.startswith(f"nystream keys {name[-1]}\n".encode())
    model = nystream.load(path)
    assert model.to_bytes() == data
    # Other instruction sets round otherwise, and what Auto learns to look at makes more of that.
    close = 1e-9 if "Auto" not in repr(model) else 1e-5
    np.testing.assert_allclose(predictions(model), expected, rtol=close, atol=close)
