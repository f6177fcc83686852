"""XLA's effort where a test asks for values alone: see docs/testing.md."""

from __future__ import annotations

import functools
from typing import Any
from unittest import mock

from jax._src import compiler

from pyxla.runtime import jaxlink

USUAL = compiler.get_compile_options
QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}


@functools.cache
def _quick() -> dict[str, Any]:
    """Those of `QUICK` that this jaxlib has, found out as users' processes find it out."""
    with mock.patch.object(compiler, "get_compile_options", USUAL):
        return jaxlink.known(QUICK)


def quick(*of: Any, env_options_overrides: dict[str, Any] | None = None, **named: Any) -> Any:
    """In the place of `compiler.get_compile_options`: what JAX compiles is compiled sooner."""
    given = {**(env_options_overrides or {}), **_quick()}
    return USUAL(*of, env_options_overrides=given, **named)
