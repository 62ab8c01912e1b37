"""What is built for others to install: a wheel that needs no compiler, and a whole sdist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from importlib.metadata import distribution

import pytest
from support import ROOT

pytest.importorskip("maturin", reason="wheels need maturin: pip install --group build")
if shutil.which("cargo") is None:
    pytest.skip("wheels need cargo, but there is none", allow_module_level=True)

# On a checkout that was never built, a wheel compiles everything.
pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]


def maturin(*arguments):
    command = [sys.executable, "-m", "maturin", *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_sdist_has_all_that_a_build_needs_and_no_more(tmp_path):
    maturin("sdist", "--out", str(tmp_path))
    [path] = tmp_path.glob("nystream-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    needed = {"README.md", "LICENSE", "CHANGELOG.md", "Cargo.toml", "Cargo.lock", "pyproject.toml"}
    for folder, pattern in [("src", "*.rs"), ("python", "*.py*")]:
        needed |= {str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob(pattern) if cached(p)}
    assert needed <= names
    kinds = {name.split("/")[0] for name in names} - needed
    assert kinds <= {"PKG-INFO", "src", "python", "tests", "benches"}
    assert not [name for name in names if name.endswith((".so", ".pyc", ".dylib", ".pyd"))]


def cached(path):
    return "__pycache__" not in path.parts


@pytest.fixture
def wheel(tmp_path):
    """A wheel of what `pip install -e` has compiled, which takes seconds."""
    maturin("build", "--release", "--offline", "--out", str(tmp_path))
    [path] = tmp_path.glob("*.whl")
    return path


def check_contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(about))
    info = about.rsplit("/", 1)[0]
    assert {"nystream/py.typed", "nystream/_core.pyi", f"{info}/licenses/LICENSE"} <= names
    assert {f"nystream/serve/page.{kind}" for kind in ("html", "css", "js")} <= names
    assert "nystream/serve/scales.js" in names
    assert {name.split("/")[0] for name in names} == {"nystream", info}
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]
    assert metadata["Requires-Python"] == ">=3.10"
    requirements = metadata.get_all("Requires-Dist")
    assert [line for line in requirements if "extra ==" not in line] == ["numpy>=1.26"]
    # What only work on nystream itself needs is no extra.
    users = {"bench", "frames", "sklearn", "river", "onnx", "stream", "serve", "spark", "ray"}
    assert set(metadata.get_all("Provides-Extra")) == users


def clean_environment(folder):
    """An environment with NumPy, lent by this one, and nothing else; there is no network."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("[Ll]ib/**/site-packages"))
    numpy = distribution("numpy")
    for top in {file.parts[0] for file in numpy.files} - {".."}:
        (site / top).symlink_to(numpy.locate_file(top))
    return folder / ("Scripts" if os.name == "nt" else "bin")


def test_the_wheel_works_where_there_is_no_compiler(wheel, tmp_path):
    assert re.fullmatch(r"nystream-[^-]+-cp310-abi3-[^-]+\.whl", wheel.name)
    check_contents(wheel)
    programs = clean_environment(tmp_path / "clean")
    python = str(programs / "python")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, stdout=subprocess.DEVNULL)
    environment = {**os.environ, "PATH": str(programs)}
    environment.pop("PYTHONPATH", None)
    assert not [tool for tool in ("cc", "cargo", "rustc") if shutil.which(tool, path=programs)]
    command = [python, str(ROOT / "tests" / "smoke.py")]
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert str(tmp_path / "clean") in run.stdout  # not the checkout


def test_wheels_are_published_with_the_version_that_is_tested():
    version = re.search(r"maturin==([\d.]+)", (ROOT / "pyproject.toml").read_text())[1]
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text()
    assert set(re.findall(r"maturin-version: v(.*)", workflow)) == {version}
