"""The Rust files of the page on extending nystream compile where the page puts them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from support import ROOT

PAGE = ROOT / "docs" / "extending.md"
# A file of the page, and the lines that the page asks for in the `mod.rs` of its folder.
REGISTRY = {
    "kernels/matern12.rs": ("Matern12", "Matern12"),
    "losses/log_cosh.rs": ("LogCosh", "LogCosh"),
    "algorithms/ogd_ald.rs": ("{OgdAld, OgdAldParams}", "OgdAld: OgdAldParams"),
}


def files_of_the_page():
    text = PAGE.read_text(encoding="utf-8")
    return dict(re.findall(r"`src/(\w+/\w+\.rs)`:\s+```rust\n(.*?)```", text, re.DOTALL))


def register(module, file, exported, entry):
    """Write the lines that make a file part of its folder."""
    name = file.rpartition("/")[2].removesuffix(".rs")
    text = module.read_text(encoding="utf-8")
    lines = {"mod ": f"mod {name};\n", "pub use ": f"pub use {name}::{exported};\n"}
    for start, line in lines.items():
        text = re.sub(rf"^{start}", line + start, text, count=1, flags=re.MULTILINE)
    text = text.replace("\nregistry!(", f"\nregistry!({entry}, ", 1)
    module.write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")
def test_a_kernel_a_loss_and_a_learner_compile(tmp_path):
    files = files_of_the_page()
    assert files.keys() == REGISTRY.keys()
    for name in ("src", "benches", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("python"))
    for name in ("Cargo.toml", "Cargo.lock", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for file, code in files.items():
        (tmp_path / "src" / file).write_text(code, encoding="utf-8")
        register((tmp_path / "src" / file).parent / "mod.rs", file, *REGISTRY[file])
    environment = os.environ | {"CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(ROOT / "target")}
    command = ["cargo", "check", "--locked", "--lib", "--tests"]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "warning" not in run.stderr
