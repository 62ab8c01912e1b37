"""The limits of the service as options, and what is said of them."""

from __future__ import annotations

import inspect
import re

import pytest
from serving import X, Y, ask, in_process, needs_uvicorn, ridge, serving
from support import ROOT

import nystream
from nystream._cli import main
from nystream.serve import create_app
from nystream.serve._crowd import Limits


@pytest.mark.parametrize("names", [None, "abcd"])
def test_a_new_model_takes_only_so_many_features(names):
    row = dict.fromkeys(names, 1.0) if names else [1.0] * 4
    shorter = {"a": 1.0, "b": 1.0, "c": 1.0} if names else [1.0] * 3
    requests = [
        ("/predict", {"x": row}),
        ("/predict", {"X": [row]}),
        ("/learn", {"x": row, "y": 1}),
    ]

    async def scenario(app):
        refused = [await ask(app, "POST", path, document) for path, document in requests]
        good = [await ask(app, "POST", "/learn", {"x": shorter, "y": 1.0}, b"wait=1")]
        return refused, [*good, await ask(app, "POST", "/predict", {"x": row})]

    refused, [learned, wrong] = in_process(scenario, create_app(ridge(), max_features=3))
    assert {status for status, *_ in refused} == {413}
    places = ("x", "X[0]", "x")
    expected = [f"{place} should have at most 3 features, but has 4" for place in places]
    assert [answer["error"] for _, answer, _ in refused] == expected
    assert (learned[0], wrong[0]) == (200, 422)


def test_a_model_that_knows_its_features_is_not_held_to_the_limit():
    model = nystream.LinearRls()
    model.learn_many(X[:5], Y[:5])

    async def scenario(app):
        return await ask(app, "POST", "/predict", {"x": X[0].tolist()})

    assert in_process(scenario, create_app(model, max_features=2))[0] == 200


def defaults():
    """All limits that are numbers, as the code has them."""
    arguments = [*inspect.signature(create_app).parameters.values()]
    arguments += inspect.signature(Limits).parameters.values()
    numbers = {argument.name: argument.default for argument in arguments}
    return {name: value for name, value in numbers.items() if type(value) in (int, float)}


def test_help_tells_the_defaults(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for name, value in defaults().items():
        found = re.search(rf"--{name.replace('_', '-')} (?:N|SECONDS) [^(]*\(([\d,.]+)\)", text)
        assert float(found[1].replace(",", "")) == value, name


def test_the_documentation_tells_the_defaults():
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")
    from nystream.serve import _protocol, _server

    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| ([\d,]+) \| (none|`--[\w-]+`) \|", page, re.MULTILINE)
    fixed = [number(text) for text, option in rows if option == "none"]
    assert fixed == [_server.IDLE, _protocol.HEAD, _protocol.PIPELINED]
    told = {option: number(text) for text, option in rows if option != "none"}
    known = defaults()
    expected = {f"`--{name.replace('_', '-')}`": value for name, value in known.items()}
    for elsewhere in ("every", "refresh", "stall"):
        del expected[f"`--{elsewhere}`"]
    assert told == expected
    assert f"`--stall` seconds ({known['stall']:g})" in page


def number(text):
    return int(text.replace(",", ""))


@needs_uvicorn
def test_an_option_is_the_limit():
    with serving("--max-features", "2") as server:
        assert server.client().post("/predict", {"x": [1.0] * 3})[0] == 413


# Columns of a new model


def made(monkeypatch, *options):
    """The model that ``nystream serve`` serves with these options."""
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")
    from nystream.serve import _server

    served = []
    monkeypatch.setattr(_server, "run", lambda app, *_: served.append(app.service._learner))
    assert main(["serve", "--port", "0", *options]) == 0
    return served[0]


def test_options_say_what_is_known_of_columns(monkeypatch):
    schema = ["--schema", "zip=category", "a=b=unused", "--missing-values", "-999", "-1"]
    auto = made(monkeypatch, *schema)
    assert auto.params["schema"] == {"zip": "category", "a=b": "unused"}
    assert auto.params["missing_values"] == [-999.0, -1.0]
    other = made(monkeypatch, "--algorithm", "RidgeAld", "--set", "ridge=0.5", "--tabular", *schema)
    assert type(other) is nystream.Tabular
    assert other.params["model"].params["ridge"] == 0.5
    assert other.params["schema"] == auto.params["schema"]
    assert type(made(monkeypatch, "--tabular")) is nystream.Auto


def test_options_make_models_by_key(monkeypatch):
    keyed = made(monkeypatch, "--key", "--max-keys", "5", "--max-keys-total", "9")
    assert type(keyed.params["model"]) is type(keyed.params["shared"]) is nystream.LinearRls
    assert keyed.params["max_keys"] == 5
    options = ["--algorithm", "RidgeAld", "--set", "ridge=0.5", "--shared", "LinearRls"]
    keyed = made(monkeypatch, "--key", *options)
    assert keyed.params["model"].params["ridge"] == 0.5
    assert type(keyed.params["shared"]) is nystream.LinearRls
    keyed = made(monkeypatch, "--key", "--tabular", "--schema", "zip=category")
    assert keyed.params["model"].params["schema"] == {"zip": "category"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-keys", "5"], "--max-keys needs --key"),
        (["model.nys", "--key"], "MODEL goes on with a model: --key is for a new one"),
        (["--schema", "zip"], "should be COLUMN=KIND, but is 'zip'"),
        (["--schema", "zip=colour"], "colour"),
        (
            ["--algorithm", "RidgeAld", "--schema", "zip=category"],
            "--schema and --missing-values are for columns: RidgeAld needs --tabular",
        ),
        (
            ["model.nys", "--tabular"],
            "MODEL goes on with a model: --schema, --missing-values and --tabular",
        ),
        (["--missing-values", "nan"], "missing_values[0]"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message, capsys):
    pytest.importorskip("uvicorn", reason="not installed: uvicorn")
    try:
        status = main(["serve", "--port", "0", *options])
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert message in capsys.readouterr().err
