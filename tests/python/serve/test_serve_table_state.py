"""Rows of tables that wait for their labels, across an end of the service and a kill."""

from __future__ import annotations

import json
import signal
from collections import deque

import numpy as np
import pytest
from serving import in_process, needs_uvicorn, serving
from serving_tables import LABELS, ROWS, learn, post, tabular, taught

import nystream
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import create_app
from nystream.serve._asking import Asker
from nystream.serve._packed import pack, unpack
from nystream.serve._pending import Row, Unasked


@pytest.mark.parametrize("make", [nystream.Auto, tabular], ids=["Auto", "Tabular"])
def test_labels_by_id_across_a_restart_are_answers_to_tickets_to_the_last_bit(make, tmp_path):
    plain, waiting = make(), deque()

    async def first(app):
        for i in range(120):
            answer, ticket = await post(app, "/predict", {"x": ROWS[i]}), plain.ask(ROWS[i])
            assert answer["prediction"] == ticket.prediction
            waiting.append((answer["id"], ticket, LABELS[i]))
            if len(waiting) > 30:
                await answered(app)

    async def answered(app):
        name, ticket, y = waiting.popleft()
        await learn(app, id=name, y=y)
        plain.answer(ticket, y)

    async def second(app):
        assert len(app.service.pending) == len(waiting) == 30
        while waiting:
            await answered(app)

    in_process(first, create_app(make(), checkpoint=tmp_path / "c"))
    app = create_app(make(), checkpoint=tmp_path / "c")
    in_process(second, app)
    assert app.service._learner.to_bytes() == plain.to_bytes()
    assert app.service._learner.n_seen == 120


@needs_uvicorn
def test_a_killed_service_goes_on_from_its_checkpoint_with_rows_of_tables(tmp_path):
    options = ["--checkpoint", tmp_path / "c", "--every", "0.05", "--schema", "rooms=category"]
    plain = nystream.Auto(schema={"rooms": "category"})
    with serving(*options) as server:
        client = server.client()
        status, answer = client.post("/learn?wait=1", {"X": ROWS[:50], "y": LABELS[:50]})
        assert (status, answer) == (200, {"learned": 50, "n_seen": 50})
        given = client.post("/predict", {"X": ROWS[50:60]})[1]
        written = client.get("/status")[1]["checkpoints"]["written"]
        while client.get("/status")[1]["checkpoints"]["written"] < written + 2:
            client.post("/predict?remember=0", {"x": ROWS[0]})
            client.post("/predict", {"x": ROWS[0]})
        server.stop(signal.SIGKILL)
    plain.learn_many(ROWS[:50], LABELS[:50])
    tickets = [plain.ask(x) for x in ROWS[50:60]]
    assert given["predictions"] == [ticket.prediction for ticket in tickets]
    with serving(*options) as server:
        client = server.client()
        labels = {"ids": given["ids"], "y": LABELS[50:60]}
        assert client.post("/learn?wait=1", labels)[1] == {"learned": 10, "n_seen": 60}
        for ticket, y in zip(tickets, LABELS[50:60], strict=True):
            plain.answer(ticket, y)
        after = client.post("/predict?remember=0", {"X": ROWS[60:]})[1]["predictions"]
        assert after == plain.predict_many(ROWS[60:]).tolist()
        kinds = {column["name"]: column["kind"] for column in client.get("/status")[1]["schema"]}
    assert kinds["rooms"] == "category"


def test_rows_that_the_snapshot_predicted_are_learned_after_a_restart(tmp_path, monkeypatch):
    async def nobody(*_):
        return None

    monkeypatch.setattr(Asker, "now", lambda *_: None)
    monkeypatch.setattr(Asker, "soon", nobody)
    plain = tabular()
    plain.learn_many(ROWS[:40], LABELS[:40])
    gaps = [{name: value for name, value in x.items() if value is not None} for x in ROWS[:8]]

    async def first(app):
        await taught(app, 40)
        given = await post(app, "/predict", {"X": gaps})
        assert given["predictions"] == plain.predict_many(ROWS[:8]).tolist()
        assert {type(row.asked) for _, row in app.service.pending.copy()} == {Unasked}
        return given["ids"]

    async def second(app):
        await learn(app, ids=ids, y=LABELS[:8])

    ids = in_process(first, create_app(tabular(), checkpoint=tmp_path / "c"))
    app = create_app(tabular(), checkpoint=tmp_path / "c")
    in_process(second, app)
    for x, y in zip(ROWS[:8], LABELS[:8], strict=True):
        plain.learn_one(x, y)
    assert app.service._learner.to_bytes() == plain.to_bytes()


def test_rows_of_tables_without_tickets_come_back_as_they_were():
    model = nystream.Auto()
    model.learn_many(ROWS[:20], LABELS[:20])
    asked = [model.ask(ROWS[0]), Unasked(ROWS[3], 0.5), Unasked(np.array([1.0, np.nan]), 2.0)]
    rows = [(f"a-{i}", Row(one, 1.0)) for i, one in enumerate(asked)]
    again = [row.asked for _, row in unpack(json.loads(json.dumps(pack(rows))), 5, model)]
    assert again[0].__reduce__()[1] == asked[0].__reduce__()[1]
    assert again[1] == asked[1]
    assert again[2].x.tobytes() == asked[2].x.tobytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("widths", [1]),
        ("widths", [1, -1]),
        ("widths", [2**53, 2**53]),
        ("rows", None),
        ("rows", ["", 5]),
        ("rows", ["{", "{"]),
        ("rows", ['{"generation": 0, "row": {"a": [1]}}', ""]),
        ("rows", ["[" * 100_000] * 2),
    ],
)
def test_forged_rows_of_tables_are_refused(name, value, tmp_path):
    async def scenario(app):
        await taught(app)
        await post(app, "/predict", {"X": ROWS[:2]})

    path = tmp_path / "c"
    in_process(scenario, create_app(tabular(), checkpoint=path))
    checkpoint = Checkpoint.read(path)
    checkpoint.state["pending"][name] = value
    checkpoint.write(path)
    with pytest.raises(ValueError, match=r"c is not a sound checkpoint: "):
        create_app(tabular(), checkpoint=path)


def test_forged_rows_without_tickets_are_refused():
    model = tabular()
    packed = pack([("a-0", Row(Unasked(ROWS[3], 0.5), 1.0))])
    for text in ("[1]", '{"a": [1]}', '{"a": 1e999}', "[" * 100_000):
        with pytest.raises(ValueError, match="a row should be"):
            unpack({**packed, "rows": [text]}, 5, model)
