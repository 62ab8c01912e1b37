"""The site builds without a warning, and its reference has every public name."""

from __future__ import annotations

import contextlib
import importlib
import re
import subprocess
import sys

import pytest
from support import ROOT

import nystream

for package in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(package, reason=f"the site needs {package}: pip install --group docs")

pytestmark = pytest.mark.site


def build(folder):
    """The folder of the site, built as by ``make docs``."""
    options = re.search(r"-m sphinx (.*) docs build/docs", (ROOT / "Makefile").read_text())[1]
    command = [sys.executable, "-m", "sphinx", *options.split(), "-d", str(folder / "cache")]
    command += ["docs", str(folder / "html")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return folder / "html"


def documented_modules():
    """All but facades whose library is not installed."""
    yield from (nystream, nystream.datasets, nystream.theory)
    for name in ("nystream.sklearn", "nystream.river"):
        with contextlib.suppress(ImportError):
            yield importlib.import_module(name)


def public_names():
    for module in documented_modules():
        for name in module.__all__:
            if name != "__version__":
                yield f"{module.__name__}.{name}"


def every_public_name_is_in_the_reference(site):
    pages = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    missing = [name for name in public_names() if not re.search(rf'id="(module-)?{name}"', pages)]
    assert not missing


def every_page_is_in_the_navigation(site):
    start = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        link = "#" if page.stem == "index" else f"{page.stem}.html"
        assert f'href="{link}"' in start, page.name


def links_lead_somewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for target in set(re.findall(r'href="(?!https?:|mailto:|data:)([^"#?]+)[^"]*"', text)):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_site_is_whole(tmp_path):
    """In one test, because workers would each build the site for theirs."""
    site = build(tmp_path)
    every_public_name_is_in_the_reference(site)
    every_page_is_in_the_navigation(site)
    links_lead_somewhere(site)
