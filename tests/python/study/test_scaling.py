"""Table 1 of the paper, seen: `nystream bench --preset scaling`."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from nystream import RidgeAld, theory
from nystream._cli import main
from nystream._core import SMALLEST_ALPHA
from nystream._study import paper_table1, scaling
from nystream._study.paper_table1 import CLAIMS, DECAYS, Law
from nystream._study.scaling import Scaling, late_cost
from nystream._study.tasks import Curve, execute

LAWS = {claim.name: claim for claim in CLAIMS}


@pytest.mark.parametrize("law", [Law(0.5), Law(2.0), Law(1.0, of_log=True), Law(6.0, of_log=True)])
def test_a_fit_finds_the_power(law):
    T = [128, 300, 1000, 5000]
    values = [3 * (np.log(t) if law.of_log else t) ** law.power for t in T]
    fit = Law(0.0, law.of_log).fit(T, values)
    assert fit.power == pytest.approx(law.power)
    assert str(fit) == str(law)


# Table 1 at p = 10 and for exponential decay, worked out by hand: buffer, then cost.
@pytest.mark.parametrize(
    ("name", "polynomial", "exponential"),
    [
        ("NonsAld", ("T^0.46", "T^0.93"), ("(ln T)^1.00", "(ln T)^2.00")),
        ("AogdAld", ("T^0.20", "T^0.40"), ("(ln T)^1.00", "(ln T)^2.00")),
        ("ProsNKons", ("T^0.17", "T^0.33"), ("(ln T)^3.00", "(ln T)^6.00")),
        ("Pkawv", ("T^0.20", "T^1.20"), ("(ln T)^3.00", "T^1.00")),
        ("SketchedKons", ("T^1.00", "T^2.00"), ("T^1.00", "T^2.00")),
        ("Fogd", ("constant", "constant"), ("constant", "constant")),
    ],
)
def test_the_claims_are_those_of_the_paper(name, polynomial, exponential):
    claim = LAWS[name]
    assert (str(claim.buffer(10.0)), str(claim.cost(10.0))) == polynomial
    assert (str(claim.buffer(None)), str(claim.cost(None))) == exponential


def test_costs_have_their_larger_term():
    """T^(2r) + T^(1 + r) of PKAWV, and J^2 + J^4 / T of NONS-ALD, at p = 2 by hand."""
    assert str(LAWS["Pkawv"].cost(2.0)) == "T^2.67"
    assert str(LAWS["NonsAld"].cost(2.0)) == "T^6.33"


@pytest.mark.parametrize("decay", DECAYS, ids=lambda decay: decay.name)
def test_the_kernels_decay_as_they_are_said_to(decay):
    fit = theory.decay(theory.eigenvalues(decay.kernel, decay.dataset(1000).X))
    assert fit.kind == ("exponential" if decay.p is None else "polynomial")
    if decay.p:
        assert fit.p == pytest.approx(decay.p, abs=0.3)
    else:  # A = 1, B = 2: normal rows of deviation 0.5, sigma 0.5
        assert fit.r == pytest.approx(2 / (3 + np.sqrt(5)), abs=0.03)


@pytest.mark.parametrize("decay", DECAYS, ids=lambda decay: decay.name)
def test_lengths_grow_up_to_what_float64_can_follow(decay):
    for claim in CLAIMS:
        lengths = claim.lengths(decay)
        assert lengths == sorted(set(lengths))
        assert lengths[0] == 256
    longest = LAWS["NonsAld"].lengths(decay)[-1]
    assert decay.settings(longest)[0] >= SMALLEST_ALPHA
    if longest not in (2048, 8192):
        assert decay.settings(longest + 1)[0] < SMALLEST_ALPHA


def test_a_shorter_stream_is_the_beginning_of_a_longer_one():
    for decay in DECAYS:
        assert (decay.dataset(80).X[:50] == decay.dataset(50).X).all()


def test_the_dictionary_of_a_horizon_is_that_of_its_alpha():
    decay = DECAYS[0]
    [task] = Scaling(1).repeat(LAWS["AogdAld"], decay, 500)
    X, y = task.rows()
    model = RidgeAld(decay.kernel, alpha=1 / 500)
    model.learn_many(X, y)
    assert execute(task, Event()).n_basis == model.n_basis


def test_the_cost_is_that_of_the_second_half():
    [task] = Scaling(1).repeat(LAWS["Fogd"], DECAYS[0], 400)
    run = execute(task, Event())
    made = replace(run, curve=Curve([100, 200, 300, 400], [0.0] * 4, [0] * 4, [9.0, 9.5, 9.6, 9.7]))
    assert late_cost(made) == pytest.approx(1e6 * 0.2 / 200)


@pytest.mark.slow
def test_the_whole_study(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paper_table1, "LENGTHS", 3)
    monkeypatch.setattr(scaling, "CLAIMS", [replace(c, longest=lambda _: 400) for c in CLAIMS])
    options = ["bench", "--preset", "scaling", "--repeats", "1", "--out", str(tmp_path)]
    assert main(options) == 0
    printed = capsys.readouterr().out
    for decay in DECAYS:
        assert f"## {decay.name}" in printed
    records = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert len(records) == len(DECAYS) * len(CLAIMS)
    nons = next(r for r in records if r["algorithm"] == "NonsAld" and "p = 2" in r["decay"])
    assert nons["T"] == nons["n_basis"] == [256, 320, 400]
    assert nons["buffer_power"] == pytest.approx(1.0)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") == 2
    before = (tmp_path / "results.jsonl").read_bytes()
    assert main([*options, "--resume"]) == 0
    assert (tmp_path / "results.jsonl").read_bytes() == before
