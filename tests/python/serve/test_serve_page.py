"""The scales of the page: whatever finite numbers there are to draw, they are drawn."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest
from serving import ask, in_process

import nystream
from nystream.serve import create_app

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node on this machine, to run JavaScript")

# Every list of values on a scale from 0 to 100: its marks, where they are, and where the values.
PROGRAM = """
const { readFileSync } = require("node:fs");
const scales = new Function(process.argv[1] + "; return { round, exact, counted, ratios };")();
const drawn = JSON.parse(readFileSync(0, "utf8")).map(([scale, values]) => {
  const { place, ticks } = scales[scale](values, 0, 100);
  return { ticks, marks: ticks.map(place), places: values.map(place) };
});
console.log(JSON.stringify(drawn));
"""
TINY, HUGE = 5e-324, np.finfo(float).max
SIZES = [0.0, TINY, 1e-310, 2.3e-308, 1e-300, 1e-100, 1e-9, 0.1, 0.3, 1.0, 3.0, 7.5, 1e6]
SIZES += [2.0**53, 1e15, 1e100, 1e300, 1e308, HUGE]
NEXT = [float(np.nextafter(value, np.inf)) for value in SIZES[:-1]]
VALUES = [sign * size for size in SIZES + NEXT for sign in (1, -1)]


def drawn(cases):
    """What the scales make of cases, each the name of a scale and values."""
    source = files("nystream.serve").joinpath("scales.js").read_text(encoding="utf-8")
    run = subprocess.run(
        [NODE, "-e", PROGRAM, source],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=60,  # it takes a second, or for ever
        check=True,
    )
    return json.loads(run.stdout)


def increases(numbers):
    return all(a < b for a, b in itertools.pairwise(numbers))


@pytest.mark.parametrize("scale", ["round", "exact", "counted", "ratios"])
def test_any_two_numbers_are_drawn(scale):
    values = [value for value in VALUES if value > 0 or scale != "ratios"]
    pairs = [list(pair) for pair in itertools.product(values, repeat=2)]
    for (low, high), result in zip(pairs, drawn([[scale, p] for p in pairs]), strict=True):
        numbers = result["ticks"] + result["marks"] + result["places"]
        assert None not in numbers, (low, high, result)  # JSON has no other NaN
        assert all(0 <= place <= 100 for place in result["places"] + result["marks"])
        assert len(result["ticks"]) <= 16
        assert increases(result["ticks"])
        first, second = result["places"]
        assert first <= second if low <= high else first >= second
        assert first == second or low != high


@pytest.mark.parametrize("scale", ["round", "exact"])
def test_numbers_that_differ_by_rounding_are_drawn_as_one(scale):
    [alike, equal] = drawn([[scale, [0.3, 0.1 + 0.2]], [scale, [0.3, 0.3]]])
    assert alike["places"] == pytest.approx(equal["places"])
    assert alike["ticks"] == pytest.approx(equal["ticks"])
    assert 2 <= len(alike["ticks"]) <= 7


@pytest.mark.parametrize(
    ("scale", "values", "ticks"),
    [
        ("round", [0.2, 9.1], [0, 5, 10]),
        ("round", [-1.3, 2.6], [-2, -1, 0, 1, 2, 3]),
        ("round", [1e6, 1e6 + 1], [1e6, 1e6 + 0.5, 1e6 + 1]),
        ("exact", [0, 199], [0, 50, 100, 150]),
        ("counted", [40, 90], [0, 50, 100]),
        ("ratios", [0.2, 3.0], [0.2, 0.5, 1, 2]),
        ("ratios", [1e-9, 1.0], [1e-8, 1e-6, 1e-4, 1e-2, 1]),
    ],
)
def test_marks_are_round_numbers(scale, values, ticks):
    [result] = drawn([[scale, values]])
    assert result["ticks"] == pytest.approx(ticks, rel=1e-9)


def test_values_keep_their_distances():
    [result] = drawn([["exact", [10.0, 20.0, 15.0, 12.5]]])
    assert result["places"] == pytest.approx([0, 100, 50, 25])


# The page on a browser that is none: it draws nothing, and remembers what it was told.
SHOWN = """
const { readFileSync } = require("node:fs");
const element = () => new Proxy({ dataset: {}, tBodies: [{ replaceChildren() {} }] }, {
  get: (own, name) => name in own ? own[name] : () => {},
});
const places = {}, named = [element(), element()];
const document = {
  hidden: true, body: element(), createElementNS: element, createElement: element,
  getElementById: (id) => places[id] ??= element(),
  querySelectorAll: (selector) => selector === ".size" ? named : [],
};
const nothing = () => null, location = { hash: "" };
const show = new Function(
  "document", "location", "addEventListener", "setTimeout", process.argv[1] + "; return show;",
)(document, location, nothing, nothing);
show(JSON.parse(readFileSync(0, "utf8")));
console.log(JSON.stringify([places.kept.textContent, ...named.map((one) => one.textContent)]));
"""


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (nystream.Keyed(nystream.LinearRls()), ["1,234", "keys", "keys"]),
        (nystream.RidgeAld(), ["1,234", "rows kept", "rows kept"]),
    ],
)
def test_the_page_tells_what_a_model_keeps(model, expected):
    async def scenario(app):
        return (await ask(app, "GET", "/status"))[1]

    status = in_process(scenario, create_app(model))
    [size] = {"n_keys", "n_basis"} & status.keys()
    source = "".join(
        files("nystream.serve").joinpath(name).read_text(encoding="utf-8")
        for name in ("scales.js", "page.js")
    ).replace('"use strict";', "")
    run = subprocess.run(
        [NODE, "-e", SHOWN, source],
        input=json.dumps(status | {size: 1234}),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(run.stdout) == expected
