"""The report of a comparison: summaries, rankings, tables and pages."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from comparing import carry_out, dataset

import nystream
from nystream._study import html, markdown, tables
from nystream._study.entries import ENTRIES, Stream, entry_called
from nystream._study.paper_table3 import TABLE_3
from nystream._study.plan import plan
from nystream._study.report import Report, Section, Table
from nystream._study.summary import in_words, lines, rankings
from nystream._study.tasks import Result, Task, execute
from nystream.datasets import load

# Summaries


@pytest.fixture(scope="module")
def summarised():
    chosen = [entry_called(name) for name in ("NonsAld", "ProsNKons", "RidgeAld", "RunningMean")]
    made = plan([dataset(name="elevators", paper_rows=300)], chosen, repeats=3, tune=True)
    results, _ = carry_out(made.tasks())
    return made, results, lines(made, results)


def test_a_summary_is_mean_and_deviation_of_its_runs(summarised):
    made, results, table = summarised
    for line in table:
        keys = [Task(c.dataset, c.entry.name, c.setting, s).key
                for c in made.cases if c.entry is line.case.entry for s in range(3)]  # fmt: skip
        errors = [results[key].mse for key in keys]
        assert line.score.mse == pytest.approx(np.mean(errors))
        assert line.score.std == pytest.approx(np.std(errors, ddof=1))
        assert line.score.size == pytest.approx(np.mean([results[k].n_basis for k in keys]))


def test_the_best_of_a_grid_is_the_best(summarised):
    _, results, table = summarised
    line = next(line for line in table if line.case.entry.name == "ProsNKons")
    means = {}
    for result in results.values():
        if result.algorithm == "ProsNKons":
            setting = (result.params["mu"], result.params["gamma"])
            means.setdefault(setting, []).append(result.mse)
    best = min(means, key=lambda setting: np.mean(means[setting]))
    assert (line.tuned["mu"], line.tuned["gamma"]) == best
    assert line.best.mse == pytest.approx(np.mean(means[best]))


def test_printed_results_stand_beside_ours(summarised):
    _, _, table = summarised
    line = table[0]
    assert line.printed == TABLE_3["elevators", "NonsAld"]
    assert line.difference == pytest.approx(line.score.mse / 0.00284 - 1)
    assert [line.printed is None for line in table] == [False, False, True, True]


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({}, {}),
        ({"paper_rows": 301}, {}),
        ({"paper_rows": 300}, {"sigma": 1.0}),
        ({"paper_rows": 300}, {"shuffled": False}),
    ],
)
def test_the_paper_is_not_shown_beside_what_it_did_not_do(changes, options):
    """A file of the user's own may have the name of a set; rows, order and width have to agree."""
    data = dataset(name="elevators", **changes)
    made = plan([data], [ENTRIES["NonsAld"]], repeats=2, tune=False, **options)
    [line] = lines(made, carry_out(made.tasks())[0])
    assert line.printed is None


def test_settings_of_the_paper_are_for_its_data_alone():
    papers, own = (dataset(name="parkinson", paper_rows=n) for n in (300, None))
    settings = [ENTRIES["ConKons"].at_setting(Stream.of(d))["gamma"] for d in (papers, own)]
    assert settings == [0.5, 1.0]
    steps = [ENTRIES["Fogd"].at_setting(Stream.of(d))["eta"] for d in (papers, own)]
    assert steps[1] == pytest.approx(10 * steps[0])


def test_the_ranking_names_swapped_pairs(summarised):
    _, _, table = summarised
    [ranking] = rankings(table)
    assert ranking.order == ("NONS-ALD", "PROS-N-KONS")
    assert ranking.swaps == ()
    # With labels exchanged the printed order is violated.
    first, second = table[0], table[1]
    worse = type(first)(first.case, second.score, second.best, first.printed)
    better = type(second)(second.case, first.score, first.best, second.printed)
    [ranking] = rankings([worse, better])
    assert list(map(str, ranking.swaps)) == ["PROS-N-KONS before NONS-ALD"]
    assert not ranking.swaps[0].tied
    tied = type(better)(better.case, worse.score, worse.best, better.printed)
    assert [swap.tied for swap in rankings([tied, worse])[0].swaps] == [True]
    # Orders that differ much from each other, but hardly between two learners, decide.
    runs = [replace(run, mse=run.mse * (10 + seed)) for seed, run in enumerate(worse.score.runs)]
    close = [replace(run, mse=run.mse * 0.999) for run in runs]
    scores = [replace(worse.score, runs=tuple(r)) for r in (runs, close)]
    pair = [replace(better, score=scores[1]), replace(worse, score=scores[0])]
    assert scores[0].std > abs(scores[0].mse - scores[1].mse)
    assert [swap.tied for swap in rankings(pair)[0].swaps] == [False]


def test_divergence_is_said_and_never_chosen():
    made = plan([dataset(4000)], [ENTRIES["Fogd"]], repeats=2, tune=True)
    results, _ = carry_out(made.tasks())
    [line] = lines(made, results)
    worst = max(results.values(), key=lambda r: r.mse)
    assert worst.mse > 1e6  # a step of 1000 / sqrt(T) does diverge
    assert not line.best.diverged
    broken = type(line.score)(line.score.params, (worst, worst), True)
    assert tables.error(broken) == "diverged"
    json.dumps(tables.summary_records([type(line)(line.case, broken, broken, None)]))


def test_nan_is_never_the_best(summarised):
    _, _, table = summarised
    score = table[0].score
    nan = replace(
        score, runs=tuple(replace(r, mse=float("nan")) for r in score.runs), diverged=True
    )
    assert min([nan, score], key=type(score).rank) is score
    assert tables.comparison([replace(table[0], score=nan), table[1]]).best == 1


def test_a_partial_grid_is_not_chosen_from():
    made = plan([dataset()], [ENTRIES["NonsAld"]], repeats=2, tune=True)
    results, _ = carry_out(made.tasks())
    [case] = made.cases
    setting = {t.key for seed in range(2) for t in made.repeat(case, case.setting, seed)}
    others = [key for key in results if key not in setting]
    lucky = min(others, key=lambda key: results[key].mse)
    partial = {key: results[key] for key in (*setting, lucky)}
    [line] = lines(made, partial)
    assert line.best.params == line.score.params


# Tables and pages


def test_numbers_are_written_with_their_digits():
    assert tables.significant(0.0028179, 4) == "0.002818"
    assert tables.significant(12345.6, 2) == "12,346"
    assert tables.significant(0.0, 2) == "0"
    assert tables.significant(6.333e-21, 2) == "6.3e-21"
    assert tables.settings({"mu": 5.0, "budget": 400, "eta": 0.0123456}) == (
        "mu 5, budget 400, eta 0.0123"
    )


def test_empty_columns_are_left_out(summarised):
    _, _, table = summarised
    with_paper = tables.comparison(table)
    assert "paper's MSE" in with_paper.header
    own = tables.comparison([line for line in table if not line.printed])
    assert not [name for name in own.header if "paper" in name]
    assert own.rows[own.best][0] == "RidgeAld"


def test_csv_files_hold_every_run_with_its_facts(tmp_path, summarised):
    _, results, table = summarised
    tables.write_csv(tmp_path / "results.csv", tables.run_records(results.values()))
    with open(tmp_path / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(results)
    for row, result in zip(rows, results.values(), strict=True):
        assert float(row["mse"]) == result.mse
        assert json.loads(row["params"]) == result.params
        assert json.loads(row["machine"]) == result.machine
        assert (int(row["seed"]), row["version"]) == (result.seed, nystream.__version__)
    tables.write_csv(tmp_path / "table.csv", tables.summary_records(table))
    with open(tmp_path / "table.csv", newline="") as file:
        assert [row["algorithm"] for row in csv.DictReader(file)] == [
            line.case.entry.name for line in table
        ]


def test_pages_escape_what_names_may_hold():
    cells = Table({"a<b": ["<script>", "x|y"]})
    page = html.page(Report("R&D", ["1 < 2"], [Section("<s>", "&", [cells])]))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<title>R&amp;D</title>" in page
    text = markdown.table(cells)
    assert [line.count("|") - line.count("\\|") for line in text.splitlines()] == [2] * 4


def test_the_page_needs_nothing_else(summarised, tmp_path):
    from nystream._study.comparison import Comparison

    made, results, _ = summarised
    printed = Comparison(made).report(results, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<img") == page.count("src=") == page.count("data:image/svg+xml;base64,") == 4
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert page.count(f'id="{anchor}"') == 1
    assert (tmp_path / "table.md").read_text(encoding="utf-8") in printed
    names = {path.name for path in tmp_path.iterdir()}
    plots = {"running-mse.svg", "mse-time.svg", "dictionary.svg", "cost.svg"}
    assert names == plots | {"report.html", "results.csv", "table.csv", "table.json", "table.md"}
    assert (
        json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))[0]["paper_mse"] == 0.00284
    )


def test_the_same_results_give_the_same_files(summarised, tmp_path):
    from nystream._study.comparison import Comparison

    made, results, _ = summarised
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        Comparison(made).report(results, tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_the_machines_of_all_results_are_named(summarised):
    _, results, _ = summarised
    runs = list(results.values())
    other = replace(runs[0], machine={**runs[0].machine, "processor": "Abacus"})
    assert in_words(runs).count("nystream") == 1
    assert in_words([*runs, other]).count("nystream") == 2
    assert "Abacus" in in_words([*runs, other])


def test_no_result_at_the_setting_is_said(tmp_path):
    from nystream._study.comparison import Comparison

    made = plan([dataset()], [ENTRIES["NonsAld"]], repeats=1, tune=True)
    with pytest.raises(ValueError, match="no learner has a result at its setting"):
        Comparison(made).report({}, tmp_path)


def test_errors_in_the_own_unit_of_a_scaled_target():
    from nystream._study.comparison import own_unit

    y = np.array([0.0, 0.25, 1.0])
    facts = {"target_range": (10.0, 30.0), "target_name": "price", "scaling": "to [0, 1]"}
    scaled = replace(dataset(), y=y, X=np.zeros((3, 1)), **facts)
    assert own_unit(scaled) == "the target price from 10 to 30"
    assert own_unit(replace(scaled, scaling="not scaled")) == ""
    made = plan([scaled], [ENTRIES["RunningMean"]], repeats=1, tune=False)
    [line] = lines(made, carry_out(made.tasks())[0])
    assert float(tables.own_error(line)) == pytest.approx(20 * np.sqrt(line.score.mse), rel=1e-3)
    assert float(tables.explained(line)) == pytest.approx(1 - line.score.mse / y.var(), abs=1e-3)


@pytest.mark.parametrize("name", ["cost_in_$_or_$", "名前", "a<b>&c", "two\nlines"])
def test_a_data_set_may_have_any_name(name, tmp_path):
    from nystream._study.comparison import Comparison

    made = plan([dataset(name=name)], [ENTRIES["RunningMean"]], repeats=1, tune=False)
    Comparison(made).report(carry_out(made.tasks())[0], tmp_path)
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("labels", [np.full(50, 5.0), np.zeros(50), np.array([0.3])])
def test_constant_labels_are_no_divergence(labels):
    data = replace(dataset(len(labels)), y=labels)
    made = plan([data], [ENTRIES["RunningMean"]], repeats=1, tune=False)
    [line] = lines(made, carry_out(made.tasks())[0])
    assert not line.score.diverged


@pytest.mark.parametrize("unit", [1e-9, 1e80, 1e99])
def test_results_in_odd_units_can_be_read(unit, tmp_path):
    data = dataset()
    made = plan([replace(data, y=unit * data.y)], [ENTRIES["RidgeAld"]], repeats=2, tune=False)
    [line] = lines(made, carry_out(made.tasks())[0])
    assert re.fullmatch(r"\d\.\d{3}e[+-]\d+ ± \de[+-]\d+", tables.error(line.score))
    tables.write_json(tmp_path / "table.json", tables.summary_records([line]))
    json.loads((tmp_path / "table.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)


def test_table_3_is_whole():
    assert len(TABLE_3) == 8 * 6
    assert all(cell.mse > cell.std >= 0 and cell.n_basis > 0 for cell in TABLE_3.values())
    for name in nystream.datasets.names("paper"):
        best = min((cell.mse, algorithm) for (d, algorithm), cell in TABLE_3.items() if d == name)
        assert best[1] == "NonsAld"


def test_results_of_a_data_set_of_the_user_have_its_scaling(tmp_path):
    data = load("friedman", n_rows=200)
    result = execute(Task(data, "RunningMean", {}, 0), Event())
    assert Result.from_json(result.to_json()) == result
    assert result.scaling == data.scaling
