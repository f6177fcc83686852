"""The walls: which module may import which, what only one file may touch, and sizes.

Imports point one way, from the user's calls down to the errors:

    errors <- ir <- frontend, ops, lattice <- lib <- infer <- lower <- grad <- runtime
        <- pipeline <- api
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pyxla"
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MAX_LINES, MAX_FUNCTION = 700, 80

# Layers from the ground up: a module imports from layers not above its own.  Longest prefix wins.
LAYERS = (
    ("hints", "collector", "journal", "colours"),
    ("errors", "progress"),
    ("options", "ir"),
    ("frontend", "ops"),
    ("infer.facts.constants",),
    # What abstract values and views are made of.
    *[
        (f"infer.{name}",)
        for name in (
            "lattice",
            "facts.extent",
            "facts.integers",
            "arrays.shifting",
            "arrays.blocks",
            "arrays.views",
        )
    ],
    ("infer.promote", "infer.facts.deciding", "infer.facts.ranges"),
    ("lib",),
    ("infer",),
    ("lower",),
    ("grad",),
    ("runtime",),
    ("specialize",),
    ("pipeline", "types"),
    ("ahead", "reasons"),
    ("api",),
    ("hlo", "reflect", "grad.api", "grad.programs", "grad.implicit", "grad.vmap", "jaxcalls"),
    ("reporting",),
    ("console", "cli", ""),
    ("__main__",),
)
RANKS = {f"pyxla.{name}".rstrip("."): rank for rank, names in enumerate(LAYERS) for name in names}


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text())


def rank(name: str) -> int:
    if name == "pyxla":
        return RANKS["pyxla"]
    parts = name.split(".")
    while len(parts) > 1:
        found = RANKS.get(".".join(parts))
        if found is not None:
            return found
        parts.pop()
    raise AssertionError(f"{name} is in no layer")


def imports(name: str) -> Iterator[str]:
    """The modules that `name` imports when it runs, those for type checking left out."""
    for node in tree(name).body:
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def everything_imported(name: str) -> Iterator[str]:
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            yield from [f"{node.module}.{alias.name}" for alias in node.names]


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name: str) -> None:
    above = [
        other for other in imports(name) if other.startswith("pyxla") and rank(other) > rank(name)
    ]
    assert not above, f"{name} imports from above: {above}"


@pytest.mark.parametrize("name", MODULES)
def test_no_imports_in_functions(name: str) -> None:
    inside = [
        node.lineno
        for function in ast.walk(tree(name))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not inside


@pytest.mark.parametrize("name", MODULES)
def test_private_names_stay_in_their_module(name: str) -> None:
    private = [
        alias.name
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pyxla")
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert not private


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("jaxlib.mlir", ["pyxla.lower.emit"]),
        ("jax._src", ["pyxla.runtime.jaxlink"]),
        ("jax.interpreters", ["pyxla.runtime.jaxlink"]),
    ],
)
def test_only_one_file_touches(module: str, allowed: list[str]) -> None:
    users = [n for n in MODULES if any(i.startswith(module) for i in everything_imported(n))]
    assert users == allowed


@pytest.mark.parametrize("name", MODULES)
def test_sizes(name: str) -> None:
    assert len(MODULES[name].read_text().splitlines()) <= MAX_LINES
    long = [
        node.name
        for node in ast.walk(tree(name))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= MAX_FUNCTION
    ]
    assert not long


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    source = MODULES[name].read_text()
    assert not source.strip() or ast.get_docstring(tree(name)), f"{name} has no docstring"


@pytest.mark.parametrize("name", MODULES)
def test_modules_that_are_spoken_of_exist(name: str) -> None:
    """`infer.heap.Shadow`, in a docstring or a comment: a module, and what it has."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    missing = []
    for words in re.findall(r"`(?:pyxla\.)?((?:\w+\.)+\w+)`", MODULES[name].read_text()):
        first, *rest = words.split(".")
        if first not in folders or not rest:
            continue
        known = [k for k in range(len(rest) + 1, 1, -1) if module(words, k) in MODULES]
        content = MODULES[module(words, known[0])].read_text() if known else ""
        after = rest[known[0] - 1 :] if known else rest
        if not known and f"pyxla.{words}" not in MODULES or after and after[0] not in content:
            missing.append(words)
    assert not missing


def module(words: str, count: int) -> str:
    return "pyxla." + ".".join(words.split(".")[:count])


def test_no_loose_ends() -> None:
    words = ("TODO", "FIXME", "XXX")
    loose = [n for n, path in MODULES.items() if any(w in path.read_text() for w in words)]
    assert not loose
