"""Models by key over HTTP: rows come with keys, labels at once or late, and are saved."""

from __future__ import annotations

import asyncio
import math
import signal
import threading
import time

import numpy as np
import pytest
from serving import X, Y, ask, in_process, needs_uvicorn, serving

import nystream
from nystream._runs.checkpoint import Checkpoint
from nystream.serve import create_app
from nystream.serve._keyed import KeyedWorker
from nystream.serve._model import Save

KEYS = [["shop 7", 7, "7", -1, "Köln"][i] for i in np.random.default_rng(0).integers(0, 5, 1000)]


def make(**params):
    return nystream.Keyed(nystream.LinearRls(), **params)


def rows(start, end):
    return {"keys": KEYS[start:end], "X": X[start:end].tolist(), "y": Y[start:end].tolist()}


def row(i):
    return {"key": KEYS[i], "x": X[i].tolist()}


async def post(app, path, document, query=b"", expected=200):
    status, answer, _ = await ask(app, "POST", path, document, query)
    assert status == expected, answer
    return answer


async def learn(app, document):
    return await post(app, "/learn", document, b"wait=1")


async def status_of(app):
    return (await ask(app, "GET", "/status"))[1]


def taught(n_rows):
    """Models that have learned rows in parts of the service's length."""
    model = make()
    for start in range(0, n_rows, 128):
        end = min(start + 128, n_rows)
        model.learn_many(KEYS[start:end], X[start:end], Y[start:end])
    return model


def test_predictions_are_those_of_the_models_to_the_last_bit():
    async def scenario(app):
        assert (await learn(app, rows(0, 500)))["n_seen"] == 500
        for i in range(500, 510):
            await learn(app, row(i) | {"y": Y[i]})
        asked = {"keys": KEYS[600:], "X": X[600:].tolist()}
        many = await post(app, "/predict", asked, b"remember=0")
        few = await post(app, "/predict", {"keys": KEYS[600:605], "X": X[600:605].tolist()})
        one = await post(app, "/predict", row(600), b"remember=0")
        return many["predictions"], few["predictions"], one, await status_of(app)

    plain = taught(500)
    for i in range(500, 510):
        plain.learn_many(KEYS[i : i + 1], X[i : i + 1], Y[i : i + 1])
    many, few, one, status = in_process(scenario, create_app(make()))
    assert many == plain.predict_many(KEYS[600:], X[600:]).tolist()
    assert few == many[:5]
    assert one == {"prediction": many[0]}
    assert (status["n_seen"], status["n_keys"], status["learned"]) == (510, 5, 510)
    assert status["model"].startswith("Keyed(LinearRls(")
    assert status["curve"][-1][2] == 5


def test_a_number_and_a_text_that_look_alike_are_different_keys():
    async def scenario(app):
        many = {"keys": [7] * 200, "X": X[:200].tolist(), "y": (Y[:200] + 9).tolist()}
        await learn(app, many)
        await learn(app, many | {"keys": ["7"] * 200, "y": (Y[:200] - 9).tolist()})
        asked = {"keys": [7, "7", "new"], "X": [X[0].tolist()] * 3}
        return (await post(app, "/predict", asked))["predictions"]

    app = create_app(make())
    number, text, new = in_process(scenario, app)
    assert number > new > text
    assert new == pytest.approx(app.service._learner.shared.predict_one(X[0]))


@pytest.mark.parametrize(
    ("path", "document", "status", "message"),
    [
        ("/predict", {"x": [1.0, 2.0, 3.0]}, 422, 'should be an object with "key" and "x", or'),
        ("/predict", {"key": 1, "X": [[1.0]]}, 422, 'should be an object with "key" and "x", or'),
        ("/learn", {"X": [[1.0]], "y": [1.0]}, 422, '"keys" and "X" and "y", or "id" and "y"'),
        ("/predict", {"key": 1.0, "x": [1.0]}, 422, "key should be a text or a whole number"),
        ("/predict", {"key": None, "x": [1.0]}, 422, "a whole number, but is null"),
        ("/predict", {"key": ["a"], "x": [1.0]}, 422, 'a whole number, but is ["a"]'),
        ("/predict", {"key": 2**63, "x": [1.0]}, 422, "a whole number from -2^63 to 2^63 - 1"),
        ("/predict", {"key": "\ud800", "x": [1.0]}, 422, "key should be valid Unicode"),
        ("/predict", {"key": "a" * 51, "x": [1.0]}, 413, "key should have at most 50 characters"),
        ("/predict", {"keys": "ab", "X": [[1.0]] * 2}, 422, "keys should be a list of 2 keys"),
        ("/predict", {"keys": [], "X": [[1.0]]}, 422, "as many keys as there are rows, 1, but has"),
        ("/learn", {"keys": [1, 2, 3, True], "X": [[1.0]] * 4, "y": [1.0] * 4}, 422, "keys[3] s"),
        ("/learn", {"keys": [1] * 11, "X": [[1.0]] * 11, "y": [1.0] * 11}, 413, "at most 10 rows"),
        ("/learn", {"keys": [1], "X": [["a", 1, 2]], "y": [1.0]}, 422, "X[0][0] should be a num"),
        ("/learn", {"keys": [1], "X": [[1.0]], "y": [1.0]}, 422, "X[0] should have 3 features"),
        ("/learn", {"key": 1, "x": [1e400, 1, 2], "y": 1.0}, 422, "x[0] should be a finite"),
        ("/learn", {"key": 1, "x": [1, 2, 3], "y": None}, 422, "y should be a number"),
        ("/learn", {"keys": [1], "X": [[1, 2, 3]], "y": [1, 2]}, 422, "y should have as many"),
        ("/learn", {"id": "a-1", "y": 1.0}, 404, 'the id "a-1" is not known'),
        ("/forecast", {}, 404, "this service predicts rows"),
    ],
)
def test_what_makes_no_sense_is_refused(path, document, status, message):
    async def scenario(app):
        await learn(app, rows(0, 10))
        before = app.service._learner.to_bytes()
        found, answer, _ = await ask(app, "POST", path, document)
        assert (found, message in answer["error"]) == (status, True), answer
        assert (app.service.waiting, len(app.service.pending)) == (0, 0)
        assert app.service._learner.to_bytes() == before

    in_process(scenario, create_app(make(), max_rows=10, max_text=50))


def test_services_of_learners_take_no_keys():
    async def scenario(app):
        return await ask(app, "POST", "/predict", row(0))

    found, answer, _ = in_process(scenario, create_app(nystream.RidgeAld()))
    assert (found, answer["error"]) == (422, 'the body should be an object with "x", or "X"')


# Labels that come late


def test_labels_by_id_are_answers_to_tickets_to_the_last_bit():
    async def scenario(app):
        await learn(app, rows(0, 300))
        one = await post(app, "/predict", row(300))
        many = await post(app, "/predict", rows(301, 350) | {"y": None}, expected=422)
        assert "should be an object" in many["error"]
        asked = {"keys": KEYS[301:350], "X": X[301:350].tolist()}
        many = await post(app, "/predict", asked)
        assert (await status_of(app))["pending"] == 50
        await learn(app, {"ids": many["ids"], "y": Y[301:350].tolist()})
        await learn(app, {"id": one["id"], "y": Y[300]})
        again = await post(app, "/learn", {"id": one["id"], "y": 1.0}, expected=409)
        assert "has had its label" in again["error"]
        return [one["prediction"], *many["predictions"]]

    plain, app = taught(300), create_app(make())
    predictions = in_process(scenario, app)
    tickets = [plain.ask(KEYS[i], X[i]) for i in range(300, 350)]
    assert predictions == [ticket.prediction for ticket in tickets]
    for i in [*range(301, 350), 300]:
        plain.answer(tickets[i - 300], Y[i])
    assert app.service._learner.to_bytes() == plain.to_bytes()
    errors = (np.array(predictions) - Y[300:350]) ** 2
    assert app.service.served.mean == pytest.approx(errors.mean())


def test_names_of_features_are_those_of_the_first_row():
    async def scenario(app):
        answer = await post(app, "/predict", {"key": "a", "x": {"b": 1.0, "c": 2.0}})
        await learn(app, {"id": answer["id"], "y": 1.0})
        await learn(app, {"keys": ["a", 2], "X": [{"c": 1, "b": 2}, [1, 2]], "y": [1.0, 2.0]})
        status, answer, _ = await ask(app, "POST", "/predict", {"key": "a", "x": {"b": 1.0}})
        assert (status, answer["error"]) == (422, 'x has no feature "c"')

    app = create_app(make())
    in_process(scenario, app)
    assert app.service._learner.feature_names == ["b", "c"]


# Rows of tables


def flat(i):
    return {"town": ["Ulm", "Bonn", None][i % 3], "rooms": float(i % 5), "garden": i % 2 == 0}


def tables(start, end):
    rents = [100.0 * (i % 5) + 50 * (i % 3) for i in range(start, end)]
    return {"keys": KEYS[start:end], "X": [flat(i) for i in range(start, end)], "y": rents}


def of_tables():
    return nystream.Keyed(nystream.Tabular(nystream.LinearRls()))


def test_rows_of_tables_have_keys_and_wait_in_a_checkpoint(tmp_path):
    late, path = tables(400, 410), tmp_path / "c"

    async def teach(app):
        for start in range(0, 400, 100):
            await learn(app, tables(start, start + 100))
        one = await post(app, "/predict", {"key": "new", "x": flat(7)}, b"remember=0")
        answer = await ask(app, "POST", "/predict", {"key": 7, "x": {"rooms": [1]}})
        assert (answer[0], answer[1]["error"][:11]) == (422, 'x["rooms"] ')
        asked = {"keys": late["keys"], "X": late["X"]}
        return await post(app, "/predict", asked), one["prediction"]

    async def go_on(app):
        await learn(app, {"ids": said["ids"], "y": late["y"]})
        return await status_of(app)

    said, one = in_process(teach, create_app(of_tables(), checkpoint=path))
    app = create_app(of_tables(), checkpoint=path)
    status, plain = in_process(go_on, app), of_tables()
    for start in range(0, 400, 100):
        many = tables(start, start + 100)
        plain.learn_many(many["keys"], many["X"], many["y"])
    assert one == plain.predict_one("new", flat(7))
    tickets = [plain.ask(key, x) for key, x in zip(late["keys"], late["X"], strict=True)]
    assert said["predictions"] == [ticket.prediction for ticket in tickets]
    for ticket, y in zip(tickets, late["y"], strict=True):
        plain.answer(ticket, y)
    assert app.service._learner.to_bytes() == plain.to_bytes()
    assert [column["kind"] for column in status["schema"]] == ["category", "number", "category"]


# Keys without end


def test_new_keys_beyond_the_limit_are_predicted_and_not_learned():
    async def scenario(app):
        await learn(app, {"keys": [1, 2, 1], "X": X[:3].tolist(), "y": Y[:3].tolist()})
        before = app.service._learner.to_bytes()
        new = {"keys": [1, 3, 4, 3], "X": X[:4].tolist(), "y": Y[:4].tolist()}
        refused = await post(app, "/learn", new, b"wait=1", 507)
        assert refused == {"error": "there are 2 keys: no room for new ones"}
        assert app.service._learner.to_bytes() == before
        late = await post(app, "/predict", {"key": 5, "x": X[0].tolist()})
        await learn(app, new | {"keys": [1, 3, 1, 3]})
        await post(app, "/learn", {"id": late["id"], "y": 1.0}, b"wait=1", 507)
        await learn(app, {"key": 3, "x": X[5].tolist(), "y": 1.0})
        return await status_of(app)

    status = in_process(scenario, create_app(make(), max_keys_total=3))
    assert (status["n_keys"], status["learned"], status["refused"]) == (3, 8, 5)


def test_of_many_rows_it_is_said_how_many_were_learned_before_a_refusal():
    async def scenario(app):
        many = {"keys": [1] * 300, "X": [[0.5]] * 290 + [[1e60]] * 10, "y": [1.0] * 300}
        answer = await post(app, "/learn", many, b"wait=1", 422)
        return answer["error"], await status_of(app)

    error, status = in_process(
        scenario, create_app(nystream.Keyed(nystream.NonsAld(nystream.Linear())))
    )
    assert error.startswith("256 rows were learned, but not those after them: ")
    assert (status["n_seen"], status["learned"], status["refused"]) == (256, 256, 44)


# Who has their turn when


def test_predictions_have_their_turn_between_the_parts_of_a_long_request(monkeypatch):
    learn_part, seen = KeyedWorker._learn_part, []

    def slow(self, batch, part):
        time.sleep(0.03)
        return learn_part(self, batch, part)

    monkeypatch.setattr(KeyedWorker, "_learn_part", slow)

    async def scenario(app):
        await post(app, "/learn", rows(0, 900), expected=202)
        for query in (b"", b"remember=0"):
            await post(app, "/predict", row(950), query)
            seen.append(app.service._learner.n_seen)
        many = {"keys": KEYS[:300], "X": X[:300].tolist()}
        assert len((await post(app, "/predict", many, b"remember=0"))["predictions"]) == 300
        seen.append(app.service._learner.n_seen)

    in_process(scenario, create_app(make(), max_rows=1000))
    assert seen == sorted(seen)
    assert seen[-1] < 900
    assert {n % 128 for n in seen} == {0}


def test_predictions_have_their_turn_between_the_pieces_of_a_checkpoint():
    """A file has several of them, of a megabyte."""
    model, pieces, n = make(), [], 40_000
    model.learn_many(np.arange(n), np.resize(X, (n, 3)), np.resize(Y, n))

    class File:
        def write(self, data):
            time.sleep(0.03)
            pieces.append(data)

    async def scenario(app):
        app.service.start()
        done = asyncio.get_running_loop().create_future()
        app.service._worker.put(Save(lambda model, _: model._write_to(File()), done))
        many = {"keys": KEYS[:300], "X": X[:300].tolist()}
        for query in (b"", b"remember=0"):
            await post(app, "/predict", row(0), query)
            await post(app, "/predict", many, query)
        assert not done.done()
        assert await done is None

    in_process(scenario, create_app(model))
    written = nystream.Keyed.from_bytes(b"".join(pieces))
    assert (written.predict_many(KEYS, X) == model.predict_many(KEYS, X)).all()
    assert len(pieces) > 5


def test_models_that_do_not_become_free_refuse_to_predict(monkeypatch):
    free, learn_part = threading.Event(), KeyedWorker._learn_part

    def slow(*arguments):
        free.wait(30)
        return learn_part(*arguments)

    monkeypatch.setattr(KeyedWorker, "_learn_part", slow)

    async def scenario(app):
        await post(app, "/learn", rows(0, 5), expected=202)
        while not app.service._asker.turn.locked():
            await asyncio.sleep(0.001)
        for query in (b"", b"remember=0"):
            answer = await ask(app, "POST", "/predict", row(0), query)
            assert (answer[0], answer[2][b"retry-after"]) == (503, b"1")
        many = {"keys": KEYS[:300], "X": X[:300].tolist()}
        await post(app, "/predict", many, b"remember=0", expected=503)
        free.set()
        while app.service._asker.turn.locked():
            await asyncio.sleep(0.001)
        await post(app, "/predict", row(0))
        assert app.service._asker._waiting == 0

    app = create_app(make(), stall=0.05)
    in_process(scenario, app)
    assert len(app.service.pending) == 1


# What is told


def test_metrics_tell_of_keys():
    async def scenario(app):
        await learn(app, rows(0, 200))
        sent = []

        async def send(message):
            sent.append(message)

        request = {"type": "http", "method": "GET", "path": "/metrics", "query_string": b""}
        await app({**request, "headers": []}, None, send)
        return sent[1]["body"].decode().splitlines(), await status_of(app)

    metrics, status = in_process(scenario, create_app(make()))
    assert "nystream_keys 5" in metrics
    assert "nystream_rows_seen 200" in metrics
    assert not [line for line in metrics if "dictionary" in line]
    assert f"nystream_mse_learner {status['mse']['learner']:.12g}" in metrics
    assert status["bytes"] > 0
    assert not math.isnan(status["mse"]["learner"])


# Checkpoints


def test_a_checkpoint_goes_on_with_keys_and_rows_that_wait(tmp_path):
    async def teach(app):
        await learn(app, rows(0, 300))
        answer = await post(app, "/predict", {"keys": KEYS[300:310], "X": X[300:310].tolist()})
        return answer["ids"]

    async def go_on(app):
        assert app.service.snapshot.n_seen == 300
        await learn(app, {"ids": ids, "y": Y[300:310].tolist()})

    path = tmp_path / "c"
    ids = in_process(teach, create_app(make(), checkpoint=path))
    app = create_app(nystream.Keyed(nystream.RidgeAld()), checkpoint=path)
    in_process(go_on, app)
    plain = taught(300)
    tickets = [plain.ask(KEYS[i], X[i]) for i in range(300, 310)]
    for ticket, y in zip(tickets, Y[300:310], strict=True):
        plain.answer(ticket, y)
    model = Checkpoint.read(path).model("model", path)
    assert model.to_bytes() == plain.to_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["c"]


def test_checkpoints_of_other_services_are_refused(tmp_path):
    async def nothing(app):
        app.service.start()

    in_process(nothing, create_app(make(), checkpoint=tmp_path / "keyed"))
    in_process(nothing, create_app(nystream.RidgeAld(), checkpoint=tmp_path / "one"))
    with pytest.raises(ValueError, match="none of nystream serve"):
        create_app(nystream.RidgeAld(), checkpoint=tmp_path / "keyed")
    with pytest.raises(ValueError, match="none of nystream serve: models by key"):
        create_app(make(), checkpoint=tmp_path / "one")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A checkpoint with two rows that wait for their labels."""
    path = tmp_path_factory.mktemp("keyed") / "c"

    async def scenario(app):
        await learn(app, rows(0, 50))
        await post(app, "/predict", {"keys": ["a", 7], "X": X[:2].tolist()})

    in_process(scenario, create_app(make(), checkpoint=path))
    return Checkpoint.read(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("texts", value) for value in (None, "ab", [[]], [[], []], [["a", ""], [7, ""]])),
        *(("sizes", value) for value in (None, [1], [1, 2], [[1], [2]], [[], []], [[-1], [1]])),
        *(("numbers", value) for value in (None, "", "AAAA", "not base64!")),
        ("ids", ["a-1"]),
        ("when", ["now", "then"]),
    ],
)
def test_a_forged_checkpoint_is_refused(name, value, sound, tmp_path):
    state = sound.state | {"pending": sound.state["pending"] | {name: value}}
    Checkpoint(sound.models, state).write(tmp_path / "c")
    with pytest.raises(ValueError, match="c is not a sound checkpoint: "):
        create_app(make(), checkpoint=tmp_path / "c")


@needs_uvicorn
@pytest.mark.slow
def test_a_killed_service_goes_on_from_its_checkpoint(tmp_path):
    make().save(tmp_path / "keys.nys")
    options = [tmp_path / "keys.nys", "--checkpoint", tmp_path / "c", "--every", "0.05"]
    with serving(*options) as server:
        assert server.greeting.startswith("Keyed, 0 rows seen")
        client = server.client()
        late = client.post("/predict", row(200))[1]
        assert client.post("/learn?wait=1", rows(0, 150))[1]["n_seen"] == 150
        while client.get("/status")[1]["checkpoints"]["written"] == 0:
            pass
        server.process.send_signal(signal.SIGKILL)
    plain = make()
    ticket = plain.ask(KEYS[200], X[200])
    plain.learn_many(KEYS[:128], X[:128], Y[:128])
    plain.learn_many(KEYS[128:150], X[128:150], Y[128:150])
    with serving(*options) as server:
        assert server.greeting.startswith("Keyed, 150 rows seen")
        client = server.client()
        assert client.post("/learn?wait=1", {"id": late["id"], "y": Y[200]})[0] == 200
        plain.answer(ticket, Y[200])
        asked = {"keys": KEYS, "X": X.tolist()}
        found = client.post("/predict?remember=0", asked)[1]["predictions"]
    assert found == plain.predict_many(KEYS, X).tolist()
