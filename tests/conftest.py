"""The verifiers are on in all tests; XLA's optimizations where they are the subject.

Most tests ask whether a program computes what CPython and NumPy do.  XLA compiles theirs in a third
of the time when LLVM does not optimize and kernels are emitted the plain way, and so it does the
programs of JAX's that they are part of or compared with; all passes over HLO run as ever.  What
`OPTIMIZED` names and tests with the mark `optimized` are compiled as users' programs are, and with
`pyxla_XLA=full` in the environment all are.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from jax._src import compiler

from pyxla import collector, options
from tests import cost, effort

os.environ["PYXLA_CACHE"] = "0"  # what was compiled before is compiled all the same
# Processes that tests start load bytecode, as those of users do: without, half of their time is
# CPython's, which compiles the 450 modules of the compiler.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
options.DEFAULTS = options.Options(verify=True)
# A full collection looks at the thousands of tests and all that they left, for four seconds, and
# finds a tenth of a megabyte for each.
collector.KEPT *= 40

# Where the code that LLVM makes is in question: how exact it is, from which addresses it reads,
# what XLA's emitter for functions takes.  What other passes over graphs make computes the same or
# not, however it is compiled.
OPTIMIZED = {"ops", "runtime/test_memory.py"}
OPTIMIZED |= {
    f"lower/test_{name}.py"
    for name in (
        *("fills", "functions", "inplace", "kernels", "prologues", "quotients", "rounding"),
        *("shift", "small", "vectors", "zeros"),
    )
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "optimized: XLA compiles its programs as those of users")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Tests are collected without looking for garbage: all that is made is kept."""
    with collector.paused():
        return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The largest programs of the corpus come first, so that no worker has one left at the end."""
    sizes = {f"test_program[{name}]": row[2] for name, row in cost.record().items()}
    items.sort(key=lambda item: sizes.get(item.name, 0), reverse=True)


def optimized(item: pytest.Item) -> bool:
    """Whether programs of this test are compiled as users' are."""
    path = item.path.relative_to(Path(__file__).parent)
    named = {path.as_posix(), *[folder.as_posix() for folder in path.parents]}
    full = os.environ.get("pyxla_XLA") == "full"
    marked = item.get_closest_marker("optimized") is not None
    return full or marked or not named.isdisjoint(OPTIMIZED)


@pytest.fixture(autouse=True)
def xla(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA's effort for what a test compiles: our programs and those of JAX's that hold them, or
    that they are compared with."""
    if not optimized(request.node):
        monkeypatch.setattr(compiler, "get_compile_options", effort.quick)


@pytest.fixture
def young(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only what a test makes is looked at when it collects garbage: what the thousands of tests
    before it left takes seconds each time, and so does counting it."""
    gc.freeze()
    monkeypatch.setattr(gc, "get_freeze_count", lambda: 1)
    yield
    gc.unfreeze()


def pytest_sessionfinish() -> None:
    """The process ends without another look for garbage, of pytest's and of CPython's."""
    gc.freeze()
