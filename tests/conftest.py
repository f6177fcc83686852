"""The verifiers are on in all tests; XLA's optimizations where they are the subject.

Most tests ask whether a program computes what CPython and NumPy do.  XLA compiles theirs in a third
of the time when LLVM does not optimize and kernels are emitted the plain way, and so it does the
programs of JAX's that they are part of or compared with; all passes over HLO run as ever.  What
`OPTIMIZED` names and tests with the mark `optimized` are compiled as users' programs are, and with
`PYXLA_XLA=full` in the environment all are.  What inference and derivatives make of a program is
computed by the meaning of its ops instead (`tests.meaning`), unless `PYXLA_XLA` has a value.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
from jax._src import compiler
from jax._src.interpreters import mlir

from pyxla import options
from pyxla.runtime import jaxlink, jaxlower
from tests import cost, effort, meaning

os.environ["PYXLA_CACHE"] = "0"  # what was compiled before is compiled all the same
# Processes load bytecode, as those of users do, this one and those that tests start: without, half
# of their time is CPython's, which compiles the 450 modules of the compiler and those of tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ["NUMBA_OPT"] = "0"  # what Numba compiles beside programs runs for microseconds
options.DEFAULTS = options.Options(verify=True)
# What tests leave is looked at once, when it is so many objects, and what of it is in use never
# again: at its end, a process of tests holds twenty million, which take twenty seconds to look at.
LEFT = 1_000_000

# Where the code that LLVM makes is in question: how exact it is, from which addresses it reads,
# what XLA's emitter for functions takes, how long a loop of so many iterations goes on that nobody
# waits for.  What other passes over graphs make computes the same or
# not, however it is compiled.
OPTIMIZED = {"ops", "runtime/test_memory.py", "runtime/test_waiting.py"}
OPTIMIZED |= {
    f"lower/test_{name}.py"
    for name in (
        *("fills", "functions", "inplace", "kernels", "prologues", "quotients", "rounding"),
        *("shift", "vectors", "zeros"),
    )
}

# What inference, derivatives, the library and passes over graphs make of a program, or which one a
# call takes, is in question: each op computes what NumPy says.
MEANT = {"infer", "grad", "lib/random/test_generator.py", "lib/random/test_legacy.py"}
MEANT |= {
    f"test_{name}.py"
    for name in ("api", "generators", "numba", "numba_classes", "numpy_table", "reflect")
}
MEANT |= {
    f"lib/test_{name}.py"
    for name in (
        *("at_types", "borrowed", "bounded", "bounded_values", "call_styles", "long_ints"),
        *("parts", "scipys", "sizes", "sparse", "strings", "tables"),
    )
}
MEANT |= {
    f"lower/test_{name}.py"
    for name in (
        *("endpoints", "exchange", "forward", "implied", "packing", "products", "promote"),
        *("scans", "sticky", "sums", "unread", "unroll"),
    )
}
# One for all modules: each that is made for one of its own knows a dozen dialects.
CONTEXT = mlir.make_ir_context()
mlir.make_ir_context = jaxlower._context = lambda: CONTEXT
compiler.compile_or_get_cached = effort.once
jax.config.update("jax_enable_compilation_cache", False)  # whose keys cost a millisecond each


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "optimized: XLA compiles its programs as those of users")
    config.addinivalue_line("markers", "compiled: XLA compiles its programs")
    config.addinivalue_line("markers", "meant: its programs are computed by the meaning of ops")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Tests are collected without looking for garbage: all that is made is kept."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[Any]:
    """Garbage is looked for between tests, among what the last ones made."""
    result = yield
    gc.disable()  # which a test may have undone
    if gc.get_count()[0] > LEFT:
        gc.collect()
        gc.freeze()
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The largest programs of the corpus come first, so that no worker has one left at the end."""
    sizes = {f"test_program[{name}]": row[2] for name, row in cost.record().items()}
    items.sort(key=lambda item: sizes.get(item.name, 0), reverse=True)


def among(item: pytest.Item, files: set[str], marker: str) -> bool:
    """Whether a test has the marker, or is in one of the files or folders."""
    path = item.path.relative_to(Path(__file__).parent)
    named = {path.as_posix(), *[folder.as_posix() for folder in path.parents]}
    return item.get_closest_marker(marker) is not None or not named.isdisjoint(files)


@pytest.fixture(autouse=True)
def xla(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA's effort for what a test compiles: our programs and those of JAX's that hold them, or
    that they are compared with."""
    item, wanted = request.node, os.environ.get("PYXLA_XLA")
    if wanted != "full" and not among(item, OPTIMIZED, "optimized"):
        monkeypatch.setattr(compiler, "get_compile_options", effort.quick)
    if not wanted and among(item, MEANT, "meant") and not item.get_closest_marker("compiled"):
        monkeypatch.setattr(jaxlink, "jit", meaning.Meant)


@pytest.fixture
def young(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what a test makes is looked at when it collects garbage, as users' processes do: what
    the tests before it left takes seconds each time, and so does counting it."""
    gc.freeze()
    monkeypatch.setattr(gc, "get_freeze_count", lambda: 1)
    gc.enable()


def pytest_sessionfinish() -> None:
    """The process ends without another look for garbage, of pytest's and of CPython's."""
    gc.freeze()
