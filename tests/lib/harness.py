"""Runs library functions without a compiler: emitted instructions are evaluated by `op.numpy`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import PYTHON_DTYPES, array_type

Env = dict[Value, np.ndarray]


def operand(x: Any, env: Env) -> Any:
    """Arrays and NumPy scalars as `Array`s, containers item by item, anything else as it is."""
    if isinstance(x, np.ndarray | np.generic):
        value = Value(array_type(x.dtype, x.shape))
        env[value] = np.asarray(x)
        return Array(value)
    if isinstance(x, Dynamic):
        value = Value(array_type(PYTHON_DTYPES[type(x.value)], (), True))
        env[value] = np.asarray(x.value)
        return Scalar(value)
    if isinstance(x, list | tuple):
        return type(x)([operand(item, env) for item in x])
    return x


class Dynamic:
    """A Python scalar whose value is known at run time only."""

    def __init__(self, value: Any) -> None:
        self.value = value


def run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function` on operands made of `args`, with the values it computes."""
    env: Env = {}
    builder = Builder([])
    with building(builder):
        result = function(
            *[operand(x, env) for x in args],
            **{name: operand(x, env) for name, x in kwargs.items()},
        )
    evaluate(builder.instrs, env)
    return concrete(result, env)


def evaluate(instrs: list[Instr], env: Env) -> None:
    for instr in instrs:
        operands = [env[value] for value in instr.operands]
        regions = {"regions": [_runner(r, env) for r in instr.regions]} if instr.regions else {}
        assert instr.op.numpy is not None, instr.op
        with np.errstate(all="ignore"):
            results = instr.op.numpy(*operands, **instr.attrs, **regions)
        results = results if len(instr.results) > 1 or isinstance(results, tuple) else (results,)
        for value, data in zip(instr.results, results, strict=True):
            data = np.asarray(data)
            assert (data.dtype, data.shape) == (value.type.dtype, value.type.shape), (
                instr.op,
                value.type,
                data.dtype,
                data.shape,
            )
            env[value] = data


def _runner(region: Region, env: Env) -> Callable[..., Any]:
    def call(*args: np.ndarray) -> Any:
        env.update(zip(region.params, args, strict=True))
        evaluate(region.instrs, env)
        return tuple(env[value] for value in region.results)

    return call


def concrete(x: Any, env: Env) -> Any:
    """Results as NumPy arrays; Scalars as Python scalars."""
    if isinstance(x, Array):
        return env[x.value]
    if isinstance(x, Scalar):
        assert x.value.type.weak, "a Python scalar must be weak"
        return env[x.value].item()
    if isinstance(x, list | tuple):
        return (
            type(x)(*[concrete(i, env) for i in x])
            if hasattr(x, "_fields")
            else type(x)([concrete(item, env) for item in x])
        )
    return x
