"""The walls: which module may import which, what only one file may touch, and sizes.

Imports point one way, from the user's calls down to the errors, those of `late.module` too; only
who calls programs names the whole compiler, `pyxla.compiler`, which is above it.  What a call of a
kept program needs imports no front end, no inference, no lowering and no op.

    errors <- ir <- frontend, ops <- abstract <- views, lib <- guards
        <- infer <- lower <- grad <- runtime
        <- pipeline <- api
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pyxla import collector

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pyxla"
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MAX_LINES, MAX_FUNCTION = 700, 80
INFERENCE = ("pyxla.infer.", "pyxla.abstract.", "pyxla.views.")
MAX_INFER = 500  # lines of a file in these
MAX_CIRCLE = 3  # modules that name each other, which only goes down

# Layers from the ground up: a module imports from layers not above its own.  Longest prefix wins.
LAYERS = (
    ("frozen", "hints", "collector", "journal", "colours", "late", "stack"),
    ("errors", "progress"),
    ("options", "ir"),
    ("frontend", "ops"),
    ("abstract",),
    ("views", "lib"),
    ("guards",),
    ("infer",),
    ("lower",),
    ("grad",),
    ("runtime",),
    ("specialize",),
    ("pipeline", "types"),
    ("ahead", "reasons", "store", "pickling", "typed"),
    ("entry",),
    ("api",),
    (
        "hlo",
        "hosting",
        "reflect",
        "ways",
        "grad.api",
        "grad.programs",
        "grad.implicit",
        "grad.vmap",
    ),
    ("jaxcalls",),
    ("compiler",),
    ("reporting",),
    ("console", "cli", ""),
    ("__main__",),
)
RANKS = {f"pyxla.{name}".rstrip("."): rank for rank, names in enumerate(LAYERS) for name in names}


@cache
def tree(name: str) -> ast.Module:
    with collector.paused():  # a million nodes that are kept
        return ast.parse(MODULES[name].read_text())


@cache
def nodes(name: str) -> list[ast.AST]:
    return [*ast.walk(tree(name))]


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


def late_modules(name: str) -> list[str]:
    """The modules that `name` loads at their first use."""
    return re.findall(
        r'late\.module\("([\w.]+)"\)', MODULES[name].read_text().partition("\n\n\n")[0]
    )


@cache
def everything_imported(name: str) -> list[str]:
    found = []
    for node in nodes(name):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def test_imports_point_down() -> None:
    above = [
        f"{name} imports {other} from above"
        for name in MODULES
        for other in imports(name)
        if other.startswith("pyxla") and rank(other) > rank(name)
    ]
    assert not above


def test_late_imports_point_down() -> None:
    found = {name: late_modules(name) for name in MODULES if name != "pyxla.late"}
    above = [
        f"{name} names {other} from above"
        for name, others in found.items()
        for other in others
        if rank(other) > rank(name) and other not in NAMED_BELOW
    ]
    assert not above
    assert all(other in MODULES for others in found.values() for other in others)
    assert {name.split(".")[1] for name, others in found.items() if others} <= CALLING


# What makes programs, and the page about one (`f.report`).
NAMED_BELOW = {"pyxla.compiler", "pyxla.reporting.api"}
# Who calls programs, and what of the rest is imported for it.
CALLING = {"api", "entry", "runtime", "store"}
LIGHT = {
    "pyxla.frontend.dispatchers",
    "pyxla.frontend.support",
}


def test_a_call_needs_no_compiler() -> None:
    reached, rest = set(), ["pyxla", "pyxla.api"]
    while rest:
        name = rest.pop()
        if name in MODULES and name not in reached:
            reached.add(name)
            rest += imports(name)
    words = "frontend ops abstract views infer lower grad".split()
    words += "specialize jaxcalls reporting pipeline ahead".split()
    makers = tuple([f"pyxla.{word}" for word in words])
    heavy = [
        name for name in reached - LIGHT if name.split(".")[1:2] and name.split(".")[1] in makers
    ]
    assert not heavy


def test_no_imports_in_functions() -> None:
    inside = [
        f"{path}:{node.lineno}"
        for name, path in MODULES.items()
        for function in nodes(name)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not inside


def test_private_names_stay_in_their_module() -> None:
    private = [
        f"{path}:{node.lineno}: {alias.name}"
        for name, path in MODULES.items()
        for node in nodes(name)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pyxla")
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert not private


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("jaxlib.mlir", ["pyxla.lower.emit"]),
        ("jax._src", ["pyxla.runtime.jaxprivate"]),
        ("jax.interpreters", ["pyxla.runtime.jaxlink", "pyxla.runtime.jaxlower"]),
    ],
)
def test_few_files_touch(module: str, allowed: list[str]) -> None:
    users = [n for n in MODULES if any(i.startswith(module) for i in everything_imported(n))]
    assert users == allowed


def test_sizes() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    limits = {name: MAX_INFER if name.startswith(INFERENCE) else MAX_LINES for name in lengths}
    assert not {name: length for name, length in lengths.items() if length > limits[name]}
    long = [
        f"{path}:{node.lineno}: {node.name}"
        for name, path in MODULES.items()
        for node in nodes(name)
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= MAX_FUNCTION
    ]
    assert not long


def test_docstrings() -> None:
    code = [name for name, path in MODULES.items() if path.read_text().strip()]
    assert not [name for name in code if not ast.get_docstring(tree(name))]


def test_modules_that_are_spoken_of_exist() -> None:
    """`abstract.heap.Shadow`, in a docstring or a comment: a module, and what it has."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    mentions = [
        (name, words)
        for name, path in MODULES.items()
        for words in re.findall(r"`(?:pyxla\.)?((?:\w+\.)+\w+)`", path.read_text())
        if words.split(".")[0] in folders
    ]
    assert mentions
    assert not [f"{name}: {words}" for name, words in mentions if not exists(words)]


def exists(words: str) -> bool:
    """Whether there is a module of that name, or one that has what is named last."""
    rest = words.split(".")[1:]
    known = next((k for k in range(len(rest) + 1, 1, -1) if module(words, k) in MODULES), None)
    if known is None:
        return False
    after = rest[known - 1 :]
    return not after or after[0] in MODULES[module(words, known)].read_text()


def module(words: str, count: int) -> str:
    return "pyxla." + ".".join(words.split(".")[:count])


def test_the_guide_names_every_module_of_inference() -> None:
    guide = (ROOT / "docs" / "architecture.md").read_text()
    rows = dict(re.findall(r"\n\| `(\w+(?:/\w+)?)/` \| (.*)", guide))
    rows["infer"] = guide.partition("| `infer/*.py` |")[2].partition("\n| `infer/joins/` |")[0]
    missing = [
        name
        for name, path in MODULES.items()
        if name.startswith(INFERENCE) and path.stem != "__init__"
        if f"`{path.stem}`" not in rows["/".join(path.relative_to(PACKAGE).parts[:-1])]
    ]
    assert not missing


def test_no_loose_ends() -> None:
    words = ("TODO", "FIXME", "XXX")
    loose = [n for n, path in MODULES.items() if any(w in path.read_text() for w in words)]
    assert not loose


def named(name: str) -> set[str]:
    """The modules of the package that `name` names, in types too."""
    found: set[str] = set()
    for node in nodes(name):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else str(node.module))
    return found & MODULES.keys()


def test_circles_are_small() -> None:
    """Modules that name each other in a circle, types included, are one thing in several files."""
    reached = {name: named(name) for name in MODULES}
    changed = True
    while changed:
        changed = False
        for name, others in reached.items():
            more = set().union(*[reached[other] for other in others])
            changed |= not more <= others
            others |= more
    circles = {frozenset(o for o in r if name in reached[o]) for name, r in reached.items()}
    assert not [sorted(circle) for circle in circles if len(circle) > MAX_CIRCLE]
