"""The runs of a comparison: settings, keys, threads, results on disk, plans."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from threading import Event

import numpy as np
import pytest
from comparing import carry_out, dataset
from support import random_stream

import nystream
from nystream._study import runner
from nystream._study.entries import ENTRIES, Stream, entry_called, median_distance
from nystream._study.paper_table3 import TABLE_3
from nystream._study.plan import PRESETS, plan
from nystream._study.runner import run
from nystream._study.store import NAME, START, Store
from nystream._study.tasks import StoppedError, Task, execute, pieces


def task(algorithm="NonsAld", seed=0, **params):
    return Task(dataset(), algorithm, {"kernel": nystream.Gaussian(2.0), **params}, seed)


# The learners and their settings


def test_every_learner_can_be_compared_and_drawn():
    from nystream._study.plots import LOOKS

    assert set(LOOKS) <= set(ENTRIES) == set(nystream.algorithms())
    assert len(LOOKS) >= 17  # a new learner may do without; none loses its look
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
    assert not [dataset for dataset, algorithm in TABLE_3 if algorithm == "Auto"]


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
