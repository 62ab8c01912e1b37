"""What several of the project's own files say is the same in all of them."""

from __future__ import annotations

import re

import pytest
from support import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def found(pattern, *path):
    """What the group of a pattern is in a file, everywhere the same."""
    [match] = set(
        re.findall(pattern, ROOT.joinpath(*path).read_text(encoding="utf-8"), re.MULTILINE)
    )
    return match


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "Makefile"])
def test_the_oldest_rust_is_the_one_that_is_tried(page):
    oldest = found(r'^rust-version = "(.*)"', "Cargo.toml")
    assert found(r"Rust ([\d.]*\d) or newer", page) == oldest
    assert found(r'RUSTUP_TOOLCHAIN: "(.*)"', ".github", "workflows", "ci.yml") == oldest


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "Makefile"])
def test_the_oldest_python_is_the_one_that_is_tried(page):
    oldest = found(r'^requires-python = ">=(.*)"', "pyproject.toml")
    assert found(r"Python ([\d.]*\d) or newer", page) == oldest
    assert f'python-version: "{oldest}"' in WORKFLOWS[0].read_text()


def test_pip_is_of_one_version():
    version = found(r"^PIP_VERSION := (.*)", "Makefile")
    assert found(r"pip install pip==(.*)", ".github", "workflows", "ci.yml") == version


def test_the_version_to_cite_is_that_of_the_package():
    assert found(r"^version: (.*)", "CITATION.cff") == found(r'^version = "(.*)"', "Cargo.toml")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(workflow):
    uses = re.findall(r"uses: (.*)", workflow.read_text())
    assert uses
    loose = [use for use in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", use)]
    assert not loose


def test_the_inner_loop_leaves_out_what_is_marked():
    text = ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8")
    markers = re.findall(r'"(\w+):', re.search(r"^markers = \[.*?^\]", text, re.M | re.S)[0])
    assert found(r"^FAST := not \((.*)\)", "Makefile").split(" or ") == sorted(markers)
