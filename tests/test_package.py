"""The package: what comes with it, and what importing it brings along."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pyxla

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
IMPORTED = """
import sys, jax
before = set(sys.modules)
import pyxla
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(name for name in names if name not in sys.stdlib_module_names))
"""


def test_the_version_is_in_one_place():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "pyxla.__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", pyxla.__version__)
    assert f"## {pyxla.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_every_dependency_is_argued():
    argued = (ROOT / "docs" / "dependencies.md").read_text()
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = [*PROJECT["project"]["dependencies"], *[name for names in extras for name in names]]
    names = {re.split(r"[^\w.-]", name)[0] for name in wanted} - {"pyxla"}
    assert not [name for name in names if f"`{name}`" not in argued]


def test_what_an_import_brings():
    """No more than is needed, so that no extra is loaded by the way."""
    words = [sys.executable, "-c", IMPORTED]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    allowed = {"pyxla", "jax", "numpy", "gast", "astunparse", "six", "flatbuffers", "platformdirs"}
    assert set(done.stdout.split()) <= allowed


def test_files_of_the_project():
    assert "MIT License" in (ROOT / "LICENSE").read_text()
    for name in ("CITATION.cff", "CONTRIBUTING.md", "pyxla/py.typed"):
        assert (ROOT / name).exists()
    text = (ROOT / "CONTRIBUTING.md").read_text()
    linked = re.findall(r"\]\((\w[\w/.]*)\)", text) + re.findall(r"`(tests/\w[\w/.]*)`", text)
    assert linked and not [path for path in linked if not (ROOT / path).exists()]
