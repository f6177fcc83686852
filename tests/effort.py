"""XLA's effort where a test asks for values alone: see docs/testing.md."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from typing import Any
from unittest import mock

from jax._src import compiler

from pyxla.runtime import jaxlink

USUAL = compiler.get_compile_options
COMPILE = compiler.compile_or_get_cached
# Who compiles a module again does so soon.
KEPT: OrderedDict[bytes, Any] = OrderedDict()
MOST = 32
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


def once(backend: Any, module: Any, devices: Any, options: Any, called: Any, *rest: Any) -> Any:
    """In the place of `compiler.compile_or_get_cached`: the same module is compiled once."""
    if called:
        return COMPILE(backend, module, devices, options, called, *rest)
    text, wanted = module.operation.get_asm(), options.SerializeAsString()
    key = hashlib.sha256(b"%d %s " % (id(backend), wanted) + text.encode()).digest()
    made = KEPT.pop(key, None)
    KEPT[key] = made = made or COMPILE(backend, module, devices, options, called, *rest)
    if len(KEPT) > MOST:
        KEPT.popitem(last=False)
    return made
