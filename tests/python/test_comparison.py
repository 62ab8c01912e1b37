"""What `nystream bench` computes: plans, runs, results on disk, summaries, reports."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from itertools import pairwise
from threading import Event

import numpy as np
import pytest
from support import random_stream

import nystream
from nystream._bench import html, markdown, runner, tables
from nystream._bench.entries import ENTRIES, Stream, entry_called, median_distance
from nystream._bench.plan import PRESETS, plan
from nystream._bench.printed import TABLE_2
from nystream._bench.report import Report, Section, Table
from nystream._bench.runner import run
from nystream._bench.runs import Result, StoppedError, Task, execute, pieces
from nystream._bench.store import NAME, START, Store
from nystream._bench.summary import in_words, lines, rankings
from nystream.datasets import Dataset, load


def dataset(n_rows=300, name="random", seed=0, **changes):
    X, y = random_stream(n_rows, 3, seed)
    return Dataset(name=name, X=X, y=y, **{"sigma": 2.0, **changes})


def task(algorithm="NonsAld", seed=0, **params):
    return Task(dataset(), algorithm, {"kernel": nystream.Gaussian(2.0), **params}, seed)


def carry_out(tasks, jobs=2):
    results = {}
    outcome = run(
        tasks, jobs=jobs, done=lambda r: results.__setitem__(r.key, r), progress=lambda _: None
    )
    assert not outcome.stopped
    return results, outcome


# The learners and their settings


def test_every_learner_can_be_compared_and_drawn():
    from nystream._bench.plots import LOOKS

    assert set(ENTRIES) == set(LOOKS) == set(nystream.algorithms())
    assert len(set(LOOKS.values())) == len(LOOKS)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.name)
def test_settings_are_accepted_and_part_of_the_grid(entry):
    stream = Stream("elevators", 5, 3, nystream.Gaussian(2.0), 1.0)
    grid = entry.on_grid(stream)
    assert entry.at_setting(stream) in grid
    for params in grid:
        model = nystream.Learner(entry.name, **params)
        assert {name: model.params[name] for name in params} == params


def test_the_grids_are_those_of_the_paper():
    stream = Stream("elevators", 10_000, 18, nystream.Gaussian(8.0), 1.0)
    assert [p["mu"] for p in ENTRIES["NonsAld"].on_grid(stream)] == [1.0, 5.0, 15.0]
    assert [p["eta"] for p in ENTRIES["Fogd"].on_grid(stream)] == pytest.approx([0.01, 0.1, 1, 10])
    for name in ("ProsNKons", "ConKons"):
        grid = {(p["mu"], p["gamma"]) for p in ENTRIES[name].on_grid(stream)}
        assert grid == {(mu, gamma) for mu in (1, 5, 15) for gamma in (0.5, 1, 5, 10)}
    assert ENTRIES["NonsAld"].at_setting(stream)["alpha"] == 25 / 10_000
    assert (ENTRIES["Fogd"].at_setting(stream)["n_frequencies"]) == 400
    assert (ENTRIES["Nogd"].at_setting(stream)["budget"]) == 400


def test_auto_is_compared_as_it_is():
    """Neither tuned nor given a width: what a user gets who sets nothing."""
    stream = Stream("elevators", 16_599, 18, nystream.Gaussian(8.0), 1.0, as_in_paper=True)
    assert ENTRIES["Auto"].at_setting(stream) == {}
    assert ENTRIES["Auto"].on_grid(stream) == [{}]
    assert not [dataset for dataset, algorithm in TABLE_2 if algorithm == "Auto"]


def test_bounds_follow_labels_beyond_1():
    stream = Stream.of(dataset(name="big", sigma=None))
    assert stream.Y == 1.0
    X, y = random_stream(50, 3)
    data = dataset()
    big = replace(data, X=X, y=100 * y)
    stream = Stream.of(big)
    assert ENTRIES["NonsAld"].at_setting(stream)["bound"] == pytest.approx(np.abs(100 * y).max())
    assert ENTRIES["AogdAld"].at_setting(stream)["bound"] == pytest.approx(200 * np.abs(y).max())


def test_width_is_given_the_sets_own_or_the_median_distance():
    data = dataset()
    assert Stream.of(data).kernel == nystream.Gaussian(2.0)
    assert Stream.of(data, sigma=3.0).kernel == nystream.Gaussian(3.0)
    own = Stream.of(dataset(sigma=None)).kernel.params["sigma"]
    distances = np.linalg.norm(data.X[:, None] - data.X, axis=2)
    assert own == pytest.approx(np.median(distances))
    assert median_distance(np.zeros((5, 2))) == 1.0


@pytest.mark.parametrize("name", ["NonsAld", "NONS-ALD", "nons-ald", "nonsald"])
def test_learners_are_found_by_either_name(name):
    assert entry_called(name).name == "NonsAld"


def test_an_unknown_learner_is_named():
    with pytest.raises(ValueError, match=r"algorithm should be one of Fogd, .* but is 'NONS'"):
        entry_called("NONS")


# Runs


@pytest.mark.parametrize("algorithm", ["NonsAld", "Fogd", "Auto", "RunningMean"])
def test_a_run_predicts_before_it_learns_in_the_order_of_its_seed(algorithm):
    params = {"kernel": nystream.Gaussian(2.0)} if algorithm in ("NonsAld", "Fogd") else {}
    result = execute(Task(dataset(), algorithm, params, seed=3), Event())
    data = dataset()
    order = np.random.default_rng(3).permutation(len(data.y))
    X, y = data.X[order], data.y[order]
    draws = {"random_state": 3} if algorithm == "Fogd" else {}
    model = nystream.Learner(algorithm, **params, **draws)
    errors = np.array([])
    for x, label in zip(X, y, strict=True):
        errors = np.append(errors, (model.predict_one(x) - label) ** 2)
        model.learn_one(x, label)
    assert result.mse == pytest.approx(errors.mean(), rel=1e-9)
    running = np.cumsum(errors) / np.arange(1, len(y) + 1)
    assert result.curve.mse == pytest.approx(running[np.array(result.curve.t) - 1], rel=1e-5)
    assert result.n_basis == result.curve.n_basis[-1] == model.n_basis
    assert result.seconds == pytest.approx(result.curve.seconds[-1], rel=1e-5)
    assert result.seconds > 0
    assert result.curve.t[-1] == result.n_rows == 300


def test_a_run_in_the_given_order():
    given = Task(dataset(), "RunningMean", {}, seed=5, shuffled=False)
    X, y = given.rows()
    assert (X == dataset().X).all()
    assert (y == dataset().y).all()


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 1000, 100_000])
def test_pieces_cover_the_stream_in_order(n_rows):
    cut = list(pieces(n_rows))
    assert cut[0][0] == 0
    assert cut[-1][1] == n_rows
    assert all(a[1] == b[0] for a, b in pairwise(cut))
    assert all(first < last for first, last in cut)
    assert len(cut) < 120


def test_a_stopped_run_gives_no_result():
    stop = Event()
    stop.set()
    with pytest.raises(StoppedError):
        execute(task(), stop)


def test_results_carry_what_is_needed_to_repeat_them():
    result = execute(task("ConKons", seed=4, mu=5.0), Event())
    assert result.params == {"kernel": {"name": "Gaussian", "sigma": 2.0}, "mu": 5.0}
    assert (result.seed, result.version) == (4, nystream.__version__)
    assert result.machine["cores"] >= 1
    assert result.machine["processor"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result.finished)


def test_keys_tell_runs_apart():
    other = dataset(seed=1)
    tasks = [
        task(),
        task(seed=1),
        task(mu=2.0),
        task("AogdAld"),
        Task(other, "NonsAld", task().params, 0),
        Task(dataset(), "NonsAld", task().params, 0, shuffled=False),
    ]
    assert len({t.key for t in tasks}) == len(tasks)
    assert task().key == task().key == execute(task(), Event()).key


def test_another_version_gives_another_key():
    result = execute(task(), Event())
    assert replace(result, version="0").key != result.key == task().key


def test_threads_give_the_same_results_as_one():
    tasks = [task(name, seed) for name in ("NonsAld", "Fogd", "ProsNKons") for seed in range(3)]
    one, _ = carry_out(tasks, jobs=1)
    three, _ = carry_out(tasks, jobs=3)
    assert {k: r.curve.mse for k, r in one.items()} == {k: r.curve.mse for k, r in three.items()}


def test_runs_do_not_share_out_their_work(monkeypatch):
    """What other threads do for a run would not be timed."""
    seen = set()

    def count(task, stop):
        seen.add(nystream.get_num_threads())
        return execute(task, stop)

    monkeypatch.setattr(runner, "execute", count)
    nystream.set_num_threads(3)
    try:
        carry_out([Task(dataset(), "Auto", {}, 0)])
        assert (seen, nystream.get_num_threads()) == ({1}, 3)
    finally:
        nystream.set_num_threads(None)


def test_a_run_that_fails_does_not_stop_the_others():
    bad = task("Kons", max_rows=10)
    results, outcome = carry_out([bad, task()])
    assert list(results) == [task().key]
    [(failed, error)] = outcome.failures
    assert failed is bad
    assert "max_rows" in str(error)


def test_a_panic_is_a_failure_too(monkeypatch):
    class PanicError(BaseException):
        pass

    def panic(task, stop):
        raise PanicError("no")

    monkeypatch.setattr(runner, "execute", panic)
    _, outcome = carry_out([task()])
    assert [str(error) for _, error in outcome.failures] == ["no"]


def test_nothing_more_is_run_when_results_cannot_be_kept(monkeypatch):
    """A full disk must not let the other runs go on in vain."""
    started = []

    def count(task, stop):
        started.append(task)
        return execute(task, stop)

    def refuse(result):
        raise OSError("disk full")

    monkeypatch.setattr(runner, "execute", count)
    tasks = [task(seed=seed) for seed in range(200)]
    with pytest.raises(OSError, match="disk full"):
        run(tasks, jobs=2, done=refuse, progress=lambda _: None)
    assert len(started) < 100


# Results on disk


def test_results_survive_the_disk(tmp_path):
    store = Store(tmp_path / NAME)
    assert store.read() == {}
    results = [execute(task(seed=seed), Event()) for seed in range(2)]
    for result in results:
        store.append(result)
    assert store.read() == {result.key: result for result in results}


@pytest.mark.parametrize("cut", [1, 2, 50])
def test_a_line_cut_off_by_a_crash_counts_for_nothing(tmp_path, cut):
    store = Store(tmp_path / NAME)
    first, second = (execute(task(seed=seed), Event()) for seed in range(2))
    store.append(first)
    store.append(second)
    store.path.write_bytes(store.path.read_bytes()[:-cut])
    before = store.path.read_bytes()
    assert list(store.read()) == [first.key]
    assert store.path.read_bytes() == before  # another process may be writing that line
    with store.opened():
        store.append(second)
    assert list(store.read()) == [first.key, second.key]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: "{}",
        lambda line: "nonsense",
        lambda line: "[" * 100_000,
        lambda line: line.replace('"curve":{', '"curve":{"u":[],'),
        lambda line: re.sub(r'"mse":[\d.e-]+,"n_basis"', '"mse":null,"n_basis"', line),
        lambda line: re.sub(r'"seconds":[\d.e-]+,', '"seconds":"abc",', line),
        lambda line: re.sub(r'"t":\[[^]]*\]', '"t":[]', line),
    ],
)
def test_a_line_that_is_no_result_is_named(tmp_path, spoil):
    store = Store(tmp_path / NAME)
    result = execute(task(), Event())
    store.append(result)
    spoiled = spoil(result.to_json())
    assert spoiled != result.to_json()
    with open(store.path, "a") as file:
        file.write(spoiled + "\n")
    with pytest.raises(ValueError, match=r"results.jsonl: line 2 is no result"):
        store.read()


@pytest.mark.parametrize("text", ['{"my": "valuable data"}', "something", '{"dataset"', ""])
def test_a_file_that_is_not_ours_is_left_alone(tmp_path, text):
    store = Store(tmp_path / NAME)
    store.path.write_text(text)
    if START.startswith(text.encode()):
        assert store.read() == {}
        return
    with pytest.raises(ValueError, match=r"results.jsonl is no file of results: it ends with"):
        store.read()
    with pytest.raises(ValueError, match="is no file of results"), store.opened():
        pass
    assert store.path.read_text() == text


def test_two_processes_do_not_write_to_one_file(tmp_path):
    pytest.importorskip("fcntl")
    with (
        Store(tmp_path / NAME).opened(),
        pytest.raises(ValueError, match="another process is writing to"),
        Store(tmp_path / NAME).opened(),
    ):
        pass


# Plans


def test_a_plan_has_every_run_once():
    chosen = [ENTRIES["NonsAld"], ENTRIES["RunningMean"]]
    tasks = plan([dataset()], chosen, repeats=3, tune=True).tasks()
    assert len(tasks) == 3 * (3 + 1)
    assert len({t.key for t in tasks}) == len(tasks)
    assert [t.seed for t in tasks] == sorted(t.seed for t in tasks)
    assert len(plan([dataset()], chosen, repeats=3, tune=False).tasks()) == 3 * 2


def test_a_given_order_is_repeated_only_for_learners_that_draw():
    chosen = [ENTRIES["NonsAld"], ENTRIES["Fogd"]]
    tasks = plan([dataset()], chosen, repeats=3, tune=False, shuffled=False).tasks()
    assert [(t.algorithm, t.seed) for t in tasks] == [
        ("NonsAld", 0), ("Fogd", 0), ("Fogd", 1), ("Fogd", 2),
    ]  # fmt: skip


EVERY_ROW = {"Kogd", "SketchedKons", "Pkawv"}
EXACT = {"Kons", "Kaar", "OnlineKrr"}


@pytest.mark.parametrize(
    ("shape", "left_out"),
    [
        ((1000, 5), set()),
        ((4000, 10), EXACT),
        ((28179, 96), EXACT),
        ((51630, 90), EXACT | EVERY_ROW),
        ((1_000_000, 2), EXACT | EVERY_ROW),
    ],
)
def test_what_is_too_slow_is_left_out_unless_it_is_asked_for(shape, left_out):
    stream = Stream("long", *shape, nystream.Gaussian(1.0), 1.0)
    assert {name for name, e in ENTRIES.items() if not e.is_affordable(stream)} == left_out


def test_a_plan_says_what_it_leaves_out():
    small, large = dataset(300, "small"), dataset(3000, "large")
    made = plan([small, large], None, repeats=1, tune=False)
    assert made.left_out["small"] == ()
    assert {entry.name for entry in made.left_out["large"]} == EXACT
    assert len(made.cases) == 2 * len(ENTRIES) - len(EXACT)
    assert {"Auto", "RidgeAld", "LinearRls"} <= {
        case.entry.name for case in made.cases if case.dataset is large
    }
    asked = plan([large], [ENTRIES["Kons"]], repeats=1, tune=False)
    assert [case.entry.name for case in asked.cases] == ["Kons"]
    assert asked.left_out["large"] == ()


def test_the_preset_of_the_paper_is_its_protocol():
    assert PRESETS["paper"].datasets == nystream.datasets.names("paper")
    assert PRESETS["paper"].repeats == 10
    assert PRESETS["paper"].tune


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
    assert line.printed == TABLE_2["elevators", "NonsAld"]
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
    from nystream._bench.comparison import Comparison

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


@pytest.mark.slow
def test_the_same_results_give_the_same_files(summarised, tmp_path):
    from nystream._bench.comparison import Comparison

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
    from nystream._bench.comparison import Comparison

    made = plan([dataset()], [ENTRIES["NonsAld"]], repeats=1, tune=True)
    with pytest.raises(ValueError, match="no learner has a result at its setting"):
        Comparison(made).report({}, tmp_path)


def test_errors_in_the_own_unit_of_a_scaled_target():
    from nystream._bench.comparison import own_unit

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
@pytest.mark.slow
def test_a_data_set_may_have_any_name(name, tmp_path):
    from nystream._bench.comparison import Comparison

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


def test_table_2_is_whole():
    assert len(TABLE_2) == 8 * 6
    assert all(cell.mse > cell.std >= 0 and cell.n_basis > 0 for cell in TABLE_2.values())
    for name in nystream.datasets.names("paper"):
        best = min((cell.mse, algorithm) for (d, algorithm), cell in TABLE_2.items() if d == name)
        assert best[1] == "NonsAld"


def test_results_of_a_data_set_of_the_user_have_its_scaling(tmp_path):
    data = load("friedman", n_rows=200)
    result = execute(Task(data, "RunningMean", {}, 0), Event())
    assert Result.from_json(result.to_json()) == result
    assert result.scaling == data.scaling
