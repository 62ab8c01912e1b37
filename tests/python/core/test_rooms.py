"""The rooms of the package depend downwards only, and no file on itself."""

from __future__ import annotations

import ast
from collections import deque
from typing import NamedTuple

import pytest
from support import ROOT

PACKAGE = ROOT / "python" / "nystream"

# From the ground up: a room may import those before it. `nystream` is what users import.
ROOMS = (
    *(
        "_core",
        "_checks",
        "_frames",
        "_pandas",
        "_onnx_trees",
        "_onnx",
        "_parameters",
        "_kernels",
        "_losses",
        "_learner_names",
    ),
    *("_learners", "_report", "_forecaster", "_ahead"),
    *("theory", "_tables", "datasets", "nystream"),
    *("sklearn", "river"),
    *("_runs", "spark", "ray", "serve"),
    *("_study", "_cli", "__main__"),
)


class Import(NamedTuple):
    """A file that names another, both without their endings."""

    file: str
    line: int
    statement: str
    target: str

    def __str__(self) -> str:
        return f"{self.file}.py:{self.line}: {self.statement}"


def room_of(file):
    first = file.partition("/")[0]
    return "nystream" if first == "__init__" else first


def files_of(package):
    paths = sorted(package.rglob("*.py"))
    return {path.relative_to(package).with_suffix("").as_posix() for path in paths}


def target_of(module, files):
    """The file that a module of the package is; None for what is no module."""
    name = "/".join(module.split(".")[1:])
    inside = f"{name}/__init__" if name else "__init__"
    return next((file for file in (name, inside) if file in files), None)


def modules_of(node):
    """The modules that a statement may mean, the most likely first, of each name in it."""
    if isinstance(node, ast.Import):
        return [[alias.name] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [[f"{node.module}.{alias.name}", node.module] for alias in node.names]
    assert not isinstance(node, ast.ImportFrom), "imports should name the package"
    return []


def imports_of(package):
    """All imports of the package by itself, also in functions and for types alone."""
    files = files_of(package) | {"_core"}
    for file in sorted(files - {"_core"}):
        tree = ast.parse((package / f"{file}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            for names in modules_of(node):
                known = [name for name in names if name.partition(".")[0] == "nystream"]
                found = [target for name in known if (target := target_of(name, files))]
                if found:
                    yield Import(file, node.lineno, ast.unparse(node), found[0])


def way(imports, start, is_end):
    """The shortest way by imports from a file to one that is meant, at least one step long."""
    steps = {}
    for one in imports:
        steps.setdefault(one.file, []).append(one.target)
    ways = deque([[start]])
    seen = set()
    while ways:
        files = ways.popleft()
        for target in steps.get(files[-1], ()):
            if is_end(target):
                return [*files, target]
            if target not in seen:
                seen.add(target)
                ways.append([*files, target])
    return None


def forbidden(package):
    """Each import of a room above, with the way that leads back to the room it stands in."""
    imports = list(imports_of(package))
    for one in imports:
        room, other = room_of(one.file), room_of(one.target)
        if ROOMS.index(other) > ROOMS.index(room):
            back = way(imports, one.target, lambda file, room=room: room_of(file) == room)
            files = [one.file, *(back or [one.target])]
            yield f"{one}\n    {room} -> {other}, by {' -> '.join(files)}"


def cycles(package):
    """Each file that imports itself by way of others."""
    imports = list(imports_of(package))
    for file in sorted(files_of(package)):
        if back := way(imports, file, lambda target, file=file: target == file):
            yield " -> ".join(back)


def test_every_room_has_a_place():
    assert {room_of(file) for file in files_of(PACKAGE)} | {"_core"} == set(ROOMS)


def test_rooms_depend_downwards_only():
    found = list(forbidden(PACKAGE))
    assert not found, "\n" + "\n".join(found)


def test_no_file_imports_itself_by_way_of_others():
    found = list(cycles(PACKAGE))
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "statement",
    [
        "from nystream._cli import main",
        "import nystream._cli.main",
        "from nystream._cli.main import x",
    ],
)
def test_an_import_upwards_is_found_with_its_way(statement, tmp_path):
    (tmp_path / "_cli").mkdir()
    (tmp_path / "_tables").mkdir()
    (tmp_path / "_cli" / "main.py").write_text("from nystream._tables import lines\n")
    (tmp_path / "_tables" / "lines.py").write_text(f"def f():\n    {statement}\n")
    ways = "_tables/lines -> _cli/main -> _tables/lines"
    assert list(forbidden(tmp_path)) == [
        f"_tables/lines.py:2: {statement}\n    _tables -> _cli, by {ways}"
    ]
    assert len(list(cycles(tmp_path))) == 2
