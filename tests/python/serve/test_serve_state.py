"""What a request changes: nothing if it is refused; and what a checkpoint may bring back."""

from __future__ import annotations

import asyncio
import base64
import copy
import math
from json import JSONEncoder

import numpy as np
import pytest
from serving import X, Y, ask, in_process, ridge

import nystream
from nystream._cli import main
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import create_app
from nystream.serve._http import RefusedError
from nystream.serve._pending import Pending, Unasked
from nystream.serve._rows import Columns

# A row that only the learner can tell to be too large.
LARGE = {"x": [1e60], "y": 0.5}


def picky():
    return nystream.NonsAld(nystream.Linear())


# Which features there are


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/predict", {"x": [1e60]}),
        ("/predict", {"x": {"a": 1e60}}),
        ("/predict", {"X": [[1e60]]}),
        ("/predict", {"X": [{"a": 1.0}, {"a": 1e60}]}),
        ("/predict", {"X": [[1.0], [1.0, 2.0]]}),
        ("/learn", LARGE),
        ("/learn", {"x": {"a": 1e60}, "y": 0.5}),
        ("/learn", {"X": [[1e60]] * 300, "y": [0.5] * 300}),
        ("/learn", {"x": [1.0], "y": "one"}),
        ("/learn", {"X": [[1.0]], "y": [1.0, 2.0]}),
    ],
)
def test_a_refused_first_row_does_not_say_which_features_there_are(path, document, tmp_path):
    async def scenario(app):
        query = b"wait=1" if path == "/learn" else b""
        assert (await ask(app, "POST", path, document, query))[0] == 422
        _, status, _ = await ask(app, "GET", "/status")
        assert (status["n_features"], status["feature_names"], status["pending"]) == (None, None, 0)
        assert await app.service._queue_save() is None
        state = Checkpoint.read(tmp_path / "c").state
        assert state["columns"] == [None, None]
        row = {"x": {"b": 0.1, "c": 0.2}, "y": 0.5}
        assert (await ask(app, "POST", "/learn", row, b"wait=1"))[0] == 200
        return (await ask(app, "GET", "/status"))[1]["feature_names"]

    assert in_process(scenario, create_app(picky(), checkpoint=tmp_path / "c")) == ["b", "c"]


def test_a_checkpoint_behind_a_row_that_is_refused_knows_no_features(tmp_path):
    async def scenario(app):
        await ask(app, "POST", "/learn", LARGE)
        await app.service._queue_save()  # queued while nobody knows yet that it is refused
        return Checkpoint.read(tmp_path / "c").state["columns"]

    app = create_app(picky(), checkpoint=tmp_path / "c")
    assert in_process(scenario, app) == [None, None]


@pytest.mark.parametrize("accepted", ["/predict", "/learn"])
def test_features_that_were_accepted_stay_when_later_rows_are_refused(accepted):
    async def scenario(app):
        row = {"x": [0.1], "y": 0.5} if accepted == "/learn" else {"x": [0.1]}
        query = b"wait=1" if accepted == "/learn" else b""
        assert (await ask(app, "POST", accepted, row, query))[0] == 200
        assert (await ask(app, "POST", "/learn", LARGE, b"wait=1"))[0] == 422
        return await ask(app, "POST", "/learn", {"x": [0.1, 0.2], "y": 0.5})

    status, answer, _ = in_process(scenario, create_app(picky()))
    assert (status, answer["error"]) == (422, "x should have 1 features, but has 2")


@pytest.mark.parametrize("path", ["/predict", "/learn"])
def test_of_two_first_requests_at_a_time_one_settles_the_features(path):
    async def scenario(app):
        many = {"X": X[:, :2].tolist() * 3}
        if path == "/learn":
            many["y"] = [0.5] * len(many["X"])
        slow = asyncio.ensure_future(ask(app, "POST", path, many))
        await asyncio.sleep(0)  # it has read a part of its rows
        assert (await ask(app, "POST", "/predict", {"x": [1.0, 2.0, 3.0]}))[0] == 200
        return await slow, (await ask(app, "GET", "/status"))[1]

    (status, answer, _), after = in_process(scenario, create_app(ridge()))
    assert (status, answer["error"]) == (
        409,
        "another request has settled what the features are: send this one again",
    )
    assert (after["n_features"], after["pending"], after["waiting"]) == (3, 1, 0)


# Work that does not grow faster than the request


class Name(str):
    """Text that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)


def test_an_id_that_comes_twice_is_found_in_one_pass():
    pending = Pending(10_000, max_age=60.0)
    names = [Name(pending.add(Unasked(X[0], 0.0))) for _ in range(2000)]
    names.append(Name(names[-1]))
    Name.compared = 0
    with pytest.raises(RefusedError, match=f'the id "{names[-1]}" comes twice'):
        pending.find(names)
    assert Name.compared < 20 * len(names)


def test_names_of_features_are_looked_up_not_searched():
    columns = Columns(1000, [f"feature {i}" for i in range(1000)])
    row = {Name(name): 1.0 for name in columns.names}
    Name.compared = 0
    assert len(columns.row("x", row)) == 1000
    assert Name.compared < 20 * len(row)
    row[Name("another")] = 1.0
    with pytest.raises(RefusedError, match='x has an unknown feature "another"'):
        columns.row("x", row)
    assert Name.compared < 40 * len(row)


def test_others_have_their_turn_while_many_rows_are_read():
    async def scenario(app):
        rows = {"X": X.tolist() * 5, "y": Y.tolist() * 5}
        asked = asyncio.ensure_future(ask(app, "POST", "/learn", rows))
        turns = 0
        while not asked.done():
            await asyncio.sleep(0)
            turns += 1
        return turns, (await asked)[1]["queued"]

    turns, queued = in_process(scenario, create_app(nystream.RunningMean()))
    assert queued == 5000
    assert turns >= 5


# What a checkpoint brings back


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A checkpoint with rows learned, and two that wait for their labels."""
    path = tmp_path_factory.mktemp("state") / "c"

    async def scenario(app):
        rows = {"X": X[:50].tolist(), "y": Y[:50].tolist()}
        await ask(app, "POST", "/learn", rows, b"wait=1")
        await ask(app, "POST", "/predict", {"X": X[:2].tolist()})

    in_process(scenario, create_app(ridge(), checkpoint=path))
    return Checkpoint.read(path)


def numbers(*values):
    return base64.b64encode(np.array(values).tobytes()).decode()


POINT = [1, 1.0, 1]
FORGED = [
    ("columns", None),
    ("columns", [3]),
    ("columns", [2, None]),
    ("columns", ["3", None]),
    ("columns", [3, ["a", "b", "c"]]),
    ("columns", [3, "abc"]),
    ("columns", [None, None]),
    ("served", 7),
    ("served", [1, 2, 3]),
    ("served", ["1", 2.0]),
    ("served", [-1, 2.0]),
    ("served", [1.5, 2.0]),
    ("served", [10**400, 2.0]),
    ("served", [1, 10**400]),
    ("served", [1, math.nan]),
    ("served", [True, None]),
    ("progress", []),
    ("progress", {}),
    ("progress.error", [1, -1.0]),
    ("progress.points", "many"),
    ("progress.points", [[1, 2.0]]),
    ("progress.points", [POINT, POINT]),
    ("progress.points", [[2, 2.0, 1], [3, 1.0, 1]]),
    ("progress.points", [[i, 1.0, 1] for i in range(1, 1000)]),
    ("progress.points", [["1", 1.0, 1]]),
    ("progress.step", 0),
    ("progress.step", "1"),
    ("pending", None),
    ("pending", []),
    ("pending.ids", "ab"),
    ("pending.ids", [1, 2]),
    ("pending.ids", ["a-1"]),
    ("pending.ids", ["a-1", "a-1"]),
    ("pending.when", [1.0]),
    ("pending.when", ["now", "then"]),
    ("pending.when", [math.inf, 1.0]),
    ("pending.x", 5),
    ("pending.x", "not base64!"),
    ("pending.x", "AAAA"),
    ("pending.x", numbers(1.0, 2.0)),
    ("pending.x", numbers(1.0, 2.0, 3.0, 4.0, 5.0, math.nan)),
    ("pending.x", numbers(1.0, 2.0, 3.0, 4.0, 5.0, 1e200)),
    ("pending.predictions", numbers(1.0)),
    ("pending.predictions", numbers(1.0, math.inf)),
    ("pending.predictions", numbers(1.0, 2.0, 3.0, 4.0)),
    ("pending.tickets", None),
    ("pending.tickets", {}),
    ("pending.tickets.at", [1]),
    ("pending.tickets.at", [1, -1]),
    ("pending.tickets.at", [1, 10**400]),
    ("pending.tickets.at", [1, None]),
    ("pending.tickets.sizes", [2]),
    ("pending.tickets.sizes", [2, 3]),
    ("pending.tickets.sizes", [5, -1]),
    ("pending.tickets.sizes", [3, 1]),
    ("pending.tickets.sizes", [2**53, 2**53]),
    ("pending.tickets.numbers", "AAAA"),
    ("pending.tickets.numbers", numbers(1.0, 1.0, 1.0, math.nan)),
    ("pending.tickets.numbers", numbers(1.0, 1.0, -1.0, 1.0)),
    ("pending.tickets.numbers", numbers(1.0, -1.0, 1.0, 1.0)),
]


def forged(state, place, value):
    """A copy of a state with one thing in another's place."""
    state = copy.deepcopy(state)
    *outer, name = place.split(".")
    inner = state
    for part in outer:
        inner = inner[part]
    inner[name] = value
    return state


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    """What ``nystream serve`` says of models and a state in a checkpoint, in one line."""
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")
    from nystream.serve import _server

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_server, "run", lambda *_: None)  # or a test that fails would go on

    def said(models, state):
        monkeypatch.setattr("json.dumps", unchecked_dumps)
        Checkpoint(models, state).write("c")
        assert main(["serve", "--port", "0", "--checkpoint", "c"]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    return said


def unchecked_dumps(value, **_):
    """JSON with NaN and infinities, which no checkpoint is written with."""
    return JSONEncoder().encode(value)


UNSOUND = "nystream: error: c is not a sound checkpoint: "


@pytest.mark.parametrize(("place", "value"), FORGED, ids=[f"{p}-{v!r:.30}" for p, v in FORGED])
def test_a_forged_checkpoint_is_refused_in_one_line(place, value, sound, refusal):
    assert refusal(sound.models, forged(sound.state, place, value)).startswith(UNSOUND)


@pytest.mark.parametrize("state", [None, [], "text", 5])
def test_a_state_that_is_no_object_is_refused_in_one_line(state, sound, refusal):
    assert refusal(sound.models, state).startswith(UNSOUND)


@pytest.mark.parametrize("state", [{}, {"kind": 1}, {"kind": ["a"]}])
def test_a_state_of_another_kind_is_refused_in_one_line(state, sound, refusal):
    expected = "nystream: error: c is a checkpoint, but none of nystream serve\n"
    assert refusal(sound.models, state) == expected


@pytest.mark.parametrize("models", [{}, {"another": b""}, {"model": b"damaged"}])
def test_a_checkpoint_without_its_model_is_refused_in_one_line(models, sound, refusal):
    assert refusal(models, sound.state).startswith(UNSOUND)


def test_a_model_of_other_features_or_targets_is_refused(sound, tmp_path):
    other = nystream.LinearRls(n_targets=2)
    for model in (other, trained(nystream.LinearRls(), X[:9, :2])):
        Checkpoint({"model": model.to_bytes()}, sound.state).write(tmp_path / "c")
        with pytest.raises(ValueError, match=r"c is not a sound checkpoint: "):
            create_app(ridge(), checkpoint=tmp_path / "c")


def trained(model, rows):
    model.learn_many(rows, Y[: len(rows)])
    return model


def test_rows_of_a_later_time_are_as_old_as_the_service(sound, tmp_path):
    state = forged(sound.state, "pending.when", [1e300, 1e300])
    Checkpoint(sound.models, state).write(tmp_path / "c")
    app = create_app(ridge(), checkpoint=tmp_path / "c")
    app.service.pending.max_age = -1.0
    app.service.pending.drop_oldest()
    assert len(app.service.pending) == 0


def test_a_sound_checkpoint_comes_back_as_it_was(sound, tmp_path):
    sound.write(tmp_path / "c")
    service = create_app(ridge(), checkpoint=tmp_path / "c").service
    assert service.columns == Columns(3, None)
    assert [name for name, _ in service.pending.copy()] == sound.state["pending"]["ids"]
    rows = [row.asked for _, row in service.pending.copy()]
    assert all(isinstance(row, nystream.Ticket) for row in rows)
    assert (np.array([row.x for row in rows]) == X[:2]).all()
    assert service._progress.state() == sound.state["progress"] | {
        "points": [tuple(point) for point in sound.state["progress"]["points"]]
    }
