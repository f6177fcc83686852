"""The verifiers are on in all tests; XLA's optimizations where they are the subject.

Most tests ask whether a program computes what CPython and NumPy do.  XLA compiles theirs in a third
of the time when LLVM does not optimize and kernels are emitted the plain way; all passes over HLO
run as ever.  The folders of `OPTIMIZED` and tests with the mark `optimized` are compiled as users'
programs are, and with `pyxla_XLA=full` in the environment all are.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyxla import options
from pyxla.runtime import jaxlink
from tests import cost

os.environ["PYXLA_CACHE"] = "0"  # what was compiled before is compiled all the same
# Processes that tests start load bytecode, as those of users do: without, half of their time is
# CPython's, which compiles the 450 modules of the compiler.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
options.DEFAULTS = options.Options(verify=True)

OPTIMIZED = ("examples", "lower", "ops", "runtime")
QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}


@functools.cache
def _quick() -> dict[str, Any]:
    """Those of `QUICK` that this jaxlib has."""
    return jaxlink.known(QUICK)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "optimized: XLA compiles its programs as those of users")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The largest programs of the corpus come first, so that no worker has one left at the end."""
    sizes = {f"test_program[{name}]": row[2] for name, row in cost.record().items()}
    items.sort(key=lambda item: sizes.get(item.name, 0), reverse=True)


def optimized(item: pytest.Item) -> bool:
    """Whether programs of this test are compiled as users' are."""
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    full = os.environ.get("pyxla_XLA") == "full"
    return full or folder in OPTIMIZED or item.get_closest_marker("optimized") is not None


@pytest.fixture(autouse=True)
def xla(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA's effort for the programs of a test."""
    if optimized(request.node):
        return
    usual = jaxlink._compiler_options

    def quick(*how: Any) -> dict[str, Any]:
        """The options of a program, and those that compile it sooner."""
        return {**usual(*how), **_quick()}

    monkeypatch.setattr(jaxlink, "_compiler_options", quick)


@pytest.fixture
def young() -> Iterator[None]:
    """Only what a test makes is looked at when it collects garbage: what the thousands of tests
    before it left takes seconds each time."""
    gc.freeze()
    yield
    gc.unfreeze()
