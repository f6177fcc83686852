"""What the documentation shows runs, and gives what it says."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any

import pytest

import pyxla

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if ">>>" in path.read_text())
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Classes of types are shown by their instances, of which there are many.
SHOWN = [name for name in pyxla.__all__ if name not in ("hlo", "load_ipython_extension")]


def run(text: str, name: str, namespace: dict[str, Any]) -> None:
    """Run the examples of a text one after the other, and compare what they print."""
    found = doctest.DocTestParser().get_doctest(text, namespace, name, name, 0)
    said: list[str] = []
    results = doctest.DocTestRunner(optionflags=OPTIONS).run(found, out=said.append)
    assert not results.failed, "".join(said)


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_page(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(path.read_text(), path.name, {"__name__": "__main__"})


@pytest.mark.parametrize("name", SHOWN)
def test_public_docstring(name: str) -> None:
    """Every public name has an example, or names the one that has."""
    text = inspect.getdoc(getattr(pyxla, name)) or ""
    assert ">>>" in text or name == "load", f"{name} has no example"
    run(text, name, {"__name__": "__main__"})
