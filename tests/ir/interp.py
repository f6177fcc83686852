"""A reference interpreter of typed code, graphs and regions, by NumPy's meaning of the ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.ir.core import Block, Branch, Function, Instr, Jump, Region, Return, Value

Env = dict[Value, Any]
STEPS = 20_000


class TooLong(Exception):
    """The program runs longer than tests want."""


def run_function(function: Function, *args: Any, env: Env | None = None) -> tuple[Any, ...]:
    """What a graph returns."""
    env = dict(env or {})
    env.update(zip(function.params, args, strict=True))
    block: Block = function.blocks[0]
    came_from: Block | None = None
    for _ in range(STEPS):
        merged = {phi.value: env[phi.args[came_from]] for phi in block.phis}
        env.update(merged)
        run_instrs(block.instrs, env)
        came_from, end = block, block.terminator
        match end:
            case Return():
                return tuple([env[v] for v in end.operands])
            case Jump():
                block = end.target
            case Branch():
                block = end.if_true if bool(env[end.cond]) else end.if_false
    raise TooLong


def run_region(region: Region | Function, *args: Any, env: Env | None = None) -> tuple[Any, ...]:
    """What a region returns; `env` holds the values of enclosing scopes."""
    if isinstance(region, Function):
        return run_function(region, *args, env=env)
    env = dict(env or {})
    env.update(zip(region.params, args, strict=True))
    run_instrs(region.instrs, env)
    return tuple([env[v] for v in region.results])


def run_instrs(instrs: list[Instr], env: Env) -> None:
    for instr in instrs:
        results = _run(instr, [env[v] for v in instr.operands], env)
        for value, result in zip(instr.results, results, strict=True):
            result = np.asarray(result)
            assert result.dtype == value.type.dtype, (instr.op, result.dtype, value.type)
            assert result.shape == value.type.shape, (instr.op, result.shape, value.type)
            env[value] = result


def _run(instr: Instr, operands: list[Any], env: Env) -> tuple[Any, ...]:
    match instr.op.name:
        case "if":
            return run_region(instr.regions[0 if bool(operands[0]) else 1], env=env)
        case "case":
            last = len(instr.regions) - 1
            index = int(operands[0])
            return run_region(instr.regions[index if 0 <= index < last else last], env=env)
        case "while":
            state = tuple(operands)
            cond, body = instr.regions
            for _ in range(STEPS):
                if not bool(run_region(cond, *state, env=env)[0]):
                    return state
                state = run_region(body, *state, env=env)
            raise TooLong
        case "call":
            return run_region(instr.regions[0], *operands, env=env)
        case "constant":
            return (instr.attrs["value"],)
    result = instr.op.numpy(*operands, **instr.attrs)
    return result if isinstance(result, tuple) else (result,)
