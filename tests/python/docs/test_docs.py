"""What the documentation shows is what happens."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from support import ROOT, rows_of

import nystream
from nystream._cli.main import parser

README = (ROOT / "README.md").read_text(encoding="utf-8")


def public_names(thing, prefix=""):
    """Every public module, class, method, property and function, once."""
    members = vars(thing) if inspect.isclass(thing) else {}
    if inspect.ismodule(thing):
        members = {name: getattr(thing, name) for name in thing.__all__}
    # The defaults of fields: the documentation of the class tells of them.
    fields = getattr(thing, "__dataclass_fields__", {})
    for name, member in members.items():
        # scikit-learn gives estimators methods of its own, and documents them.
        foreign = type(member).__module__.startswith("sklearn.")
        if not name.startswith("_") and name not in fields and not foreign:
            # The documentation of a class method or static method is that of its function.
            member = getattr(member, "__func__", member)
            yield prefix + name, member
            yield from public_names(member, f"{prefix}{name}.")


# What the examples of a module, or of a page, need beside the core.
NEEDS = {
    "data": ["matplotlib", "tqdm"],
    "models": ["onnx", "onnxruntime", "polars"],
    "ray": ["ray"],
    "recipes": ["dask", "distributed", "mlflow", "narwhals", "pandas", "scipy"],
    "river": ["pandas", "river"],
    "serve": [],
    "service": ["uvicorn"],
    "sklearn": ["pandas", "sklearn"],
    "spark": ["pandas", "pyspark"],
}


# PySpark 4.3 is not yet made for pandas 3: it says so, and calls what pandas will drop.
SPARK_WITH_PANDAS_3 = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
    "ignore:The copy keyword is deprecated",
)


def missing(needs):
    """Why examples cannot run here."""
    absent = [name for name in needs if importlib.util.find_spec(name) is None]
    if "pyspark" in needs and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "no java on this machine"
    return f"not installed: {', '.join(absent)}" if absent else None


def optional_names(module, *hidden):
    """The public names of a module that is not imported with the package, and its own.

    ``hidden`` are base classes of a private module whose methods users call.
    """
    if missing(NEEDS[module]):
        return {module: None}
    thing = importlib.import_module(f"nystream.{module}")
    names = {module: thing, **dict(public_names(thing, f"{module}."))}
    for name in hidden:
        base = getattr(importlib.import_module(f"nystream.{module}._base"), name)
        names |= dict(public_names(base, f"{module}.{name}."))
    return names


NAMES = {"nystream": nystream, **dict(public_names(nystream))}
NAMES |= optional_names("sklearn") | optional_names(
    "river", "Regressor", "WeightedRegressor", "IntervalRegressor"
)
for engine in ("serve", "spark", "ray"):
    NAMES |= optional_names(engine)
# Of modules, which need none.
WITH_EXAMPLES = {"nystream", "ray", "river", "serve", "sklearn", "spark"}


def with_engine(thing, room):
    """A name or a page, marked by the engine that its examples start, if they start one."""
    marks = [getattr(pytest.mark, room)] if room in ("ray", "spark") else []
    return pytest.param(thing, id=getattr(thing, "name", thing), marks=marks)


# Sorted: the members of a compiled class have no fixed order.
@SPARK_WITH_PANDAS_3
@pytest.mark.parametrize("name", [with_engine(name, name.split(".")[0]) for name in sorted(NAMES)])
def test_docstrings_have_examples_that_run(name):
    thing = NAMES[name]
    if thing is None:
        pytest.skip(missing(NEEDS[name]))
    if name == "Scorer.to_onnx":
        pytest.importorskip("onnx", reason="not installed: onnx")
    text = inspect.getdoc(thing)
    assert text, f"{name} has no docstring"
    if not inspect.ismodule(thing) or name in WITH_EXAMPLES:
        assert ">>>" in text, f"{name} has no example"
    # As users see NumPy's numbers, whatever options a test before has left.
    with np.printoptions():
        test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
        assert doctest.DocTestRunner().run(test).failed == 0


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


# Pages whose commands are run, too.
WITH_COMMANDS = {"data", "pipes"}
SHELL_SIGNS = {"|", ">", ">>", "<", "&&", "&", "2>"}


def printed_by_python(code, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def printed_by_shell(commands):
    """What commands print, errors and all, in a shell that finds this `nystream` first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shell = ["bash", "-o", "pipefail", "-c", commands]
    run = subprocess.run(
        shell, env={**os.environ, "PATH": path}, stdout=-1, stderr=subprocess.STDOUT, text=True
    )
    return run.stdout


def without_speed(text):
    """Text without what no two runs share."""
    return re.sub(r"[\d,]+ rows/s", "N rows/s", text)


@pytest.mark.slow
@SPARK_WITH_PANDAS_3
@pytest.mark.parametrize("page", [with_engine(page, page.stem) for page in PAGES])
def test_examples_print_what_the_page_says(page, tmp_path, monkeypatch):
    """All Python of a page runs in order; a text block after it is what it prints."""
    if reason := missing(NEEDS.get(page.stem, [])):
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)  # some write files
    text = page.read_text(encoding="utf-8")
    kinds = "python|console" if page.stem in WITH_COMMANDS else "python"
    blocks = re.findall(rf"```({kinds})\n(.*?)```(?:\s+```text\n(.*?)```)?", text, re.DOTALL)
    assert blocks
    if page.stem == "recipes":  # other libraries, of whatever version, warn as they like
        warnings.simplefilter("ignore")
    names = {}
    for kind, code, expected in blocks:
        printed = printed_by_python(code, names) if kind == "python" else printed_by_shell(code)
        assert without_speed(printed) == without_speed(expected)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_understood(page):
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            # Of a pipe each part is a command; what comes after a redirection is none.
            words = shlex.split(line, comments=True)
            starts = [i + 1 for i, word in enumerate(words) if word == "|"]
            for start in (0, *starts):
                command = itertools.takewhile(lambda word: word not in SHELL_SIGNS, words[start:])
                program, *arguments = command
                if program == "nystream":
                    parser().parse_args(arguments)


def test_links_lead_somewhere():
    for page in {*PAGES, *ROOT.glob("*.md")}:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.slow
def test_the_readmes_table_is_what_the_demo_prints(tmp_path):
    plot = tmp_path / "demo.png"
    command = [sys.executable, "examples/demo.py", "--plot", str(plot)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    # All but the last column, rows a second, which no two runs share.
    printed = [row[:-1] for row in rows_of(run.stdout, "stream")]
    assert printed == [row[:-1] for row in rows_of(README, "stream")]
    assert "100%" in run.stderr  # the progress bar
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_every_learner_and_kernel_is_in_the_readme():
    for name in [*nystream.algorithms(), *nystream.kernels()]:
        assert f"`{name}`" in README


def test_every_learner_is_in_the_table_of_learners():
    page = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8")
    table = {row[0].strip("`") for row in rows_of(page, "learner")}
    assert table == set(nystream.algorithms())


def test_the_compiled_module_has_the_version_of_the_package():
    from importlib.metadata import version

    assert nystream.__version__ == version("nystream")


def test_importing_needs_numpy_alone():
    script = "import sys, nystream; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    installed = {
        *("dask", "hypothesis", "matplotlib", "mlflow", "narwhals", "onnx", "pandas", "pyarrow"),
        *("pyspark", "pytest", "ray", "river", "scipy", "sklearn", "tqdm", "uvicorn"),
    }
    assert not installed & set(run.stdout.split())
