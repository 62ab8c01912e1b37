"""The slow and literal version of columns, on the example of `tests/columns.rs`."""

from __future__ import annotations

import pytest
from reference_columns import Columns, Settings


def example():
    for i in range(39):
        yield {
            "size": -200.0 if i % 5 == 3 else float(i * i % 11),
            "color": ["red", "blue", ""][i * i % 7 % 3],
            "when": f"{1 + i * 5 % 13}/12/2017 {i * 7 % 24}:30",
            "sold": None if i == 9 else i % 3 == 0,
            "title": f"House {i % 4}, by the sea",
            "town": f"town {i * 7 % 20}",
        }


def test_it_says_what_the_product_says():
    columns = Columns(Settings(schema={"title": "text"}, missing_values=(-200.0,)))
    for i, row in enumerate(example()):
        x = columns.encode(row)
        columns.learn(row, (i * i % 13) / 2, 1 + i % 2)
    # The test in Rust has the same numbers, and all others.
    found = dict(zip(columns.feature_names(), x, strict=False))
    expected = {
        "size": 4.0,
        "color: mean label": 3.149209292439674,
        "sold: mean label": 3.0679608309563995,
        "title: words 9": -0.4472135954999579,
        "when: hour cos": 0.7933533402912352,
        "when: weekday sin": -0.9749279121818236,
        "when: year cos": 0.9226395488404875,
        "size is missing": 1.0,
        "when: elapsed": 8.083333333333334,
        "sold=false": 1.0,
        "town: frequency": -2.995732273553991,
    }
    assert len(x) == 51
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    kinds = ["number", "category", "time", "category", "text", "category"]
    assert list(columns.schema().values()) == kinds
