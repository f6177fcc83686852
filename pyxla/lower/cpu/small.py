"""Loops over small arrays, and branches in other loops, as one function each.

    while r @ r > tol: p = r + b * p; q = A @ p; ...         (A: 10 x 10)

XLA:CPU runs a loop operation by operation: it calls a kernel for each, and goes through a list of
them for each branch and each iteration.  Where arrays have some ten elements, that takes several
times as long as what the kernels compute.  So a loop in which no operation has much to do is called
as one function (`lower.cpu.kernels`), as loops over elements are.  There its arrays lie in memory,
and operations are loops that LLVM knows less about; the more elements, the less is gained.  So is a
branch with little to do in a loop that has more.

Only for XLA:CPU, when the operations are those that XLA gets (`lower.finish`).
"""

from __future__ import annotations

import math

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import captures, ops_in, rewrite, substitute_region, walk
from pyxla.ir.types import NARROW
from pyxla.lower.cost import Traffic
from pyxla.lower.cpu.kernels import HELD, READS, TRAFFIC, can_hold, is_over_elements
from pyxla.lower.cpu.spread import spread_small
from pyxla.ops.contract import dot_general, extents_along
from pyxla.ops.control import case, if_, optimization_barrier, while_
from pyxla.ops.index import dynamic_update_slice, gather
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import broadcast_in_dim, concatenate, constant, pad, reverse, transpose

_NARROW = frozenset(np.dtype(narrow) for narrow in NARROW.values())
ELEMENTS = 256  # of what an operation reads or makes: here a kernel is as quick
CODE = 4  # instructions of a branch: fewer are as quick as the call
PRODUCT = 1024  # factors of a product of matrices: XLA calls a library for it, no function can
MATRIX = 4096  # of a matrix times a vector, of what is filled and of constants: one code for all
_HELD = HELD | {case, gather, reduce, dot_general, concatenate, pad, reverse, transpose}
_HELD |= {optimization_barrier}  # of small arrays, XLA removes them first: `barriers.may_hold`
_READS = (*READS, gather)


def hold_small_loops(region: Region, inside: bool = False) -> Region:
    """Mark the outermost loops over small arrays of a region as kernels, in place, and branches in
    other loops; inside: whether the region is in such a loop."""
    for instr in region.instrs:
        if instr.op is while_ and is_small(instr):
            _mark(instr)
        elif inside and instr.op is if_ and _is_small_branch(instr):
            _mark_held(instr)
        else:
            for inner in instr.regions:
                hold_small_loops(inner, inside or instr.op is while_)
    return region


def is_one_function(loop: Instr) -> bool:
    """Whether a loop becomes one function, by our doing (`keep_in_registers`) or by XLA's."""
    if is_small(loop):
        return True
    return is_over_elements(loop) and (can_hold(loop) or not Traffic(()).exceeds(loop, TRAFFIC))


def is_small(loop: Instr) -> bool:
    """Whether a loop is over small arrays, and a function can hold it."""
    return _HELD.issuperset(ops_in(loop.regions)) and all(map(_is_small, loop.regions))


def _is_small_branch(branch: Instr) -> bool:
    """Whether a conditional has some code, and nothing of a large array goes in or out."""
    code = [i for region in branch.regions for i in region.instrs if i.op is not constant]
    values = [*captures(branch), *branch.results]
    small = all(value.type.size <= ELEMENTS for value in values)
    return len(code) >= CODE and small and is_small(branch)


def _is_small(region: Region) -> bool:
    return all(map(has_little_to_do, region.instrs))


def has_little_to_do(instr: Instr) -> bool:
    op = instr.op
    if op is dot_general:
        return _is_small_product(instr)
    if op is constant or (op is broadcast_in_dim and instr.operands[0].type.size == 1):
        return instr.results[0].type.size <= MATRIX
    if instr.regions and op is not reduce:
        return all(map(_is_small, instr.regions))
    if op is dynamic_update_slice:
        return _within(instr.operands[1:2])
    return _within(instr.results) and (op in _READS or _within(instr.operands))


def _within(values: tuple[Value, ...]) -> bool:
    """Small, and of types that XLA's functions round as its other code does."""
    for value in values:  # a loop: this is asked of all instructions
        if value.type.size > ELEMENTS or value.type.dtype in _NARROW:
            return False
    return True


def _is_small_product(instr: Instr) -> bool:
    """Of few numbers; a function has code for those of a vector and a vector or matrix."""
    if _is_of_vector(instr):
        return max([value.type.size for value in instr.operands]) <= MATRIX
    factors = instr.results[0].type.size * _contracted(instr)
    return factors <= PRODUCT and _within((*instr.operands, *instr.results))


def _is_of_vector(dot: Instr) -> bool:
    sizes = [value.type.size for value in dot.operands]
    return not dot.attrs.get("lhs_batching_dimensions") and _contracted(dot) == min(sizes)


def _contracted(dot: Instr) -> int:
    return math.prod(extents_along(dot.operands[0].type, dot.attrs["lhs_contracting_dimensions"]))


def _mark(loop: Instr) -> None:
    """Let the loop be a kernel, where XLA might not make it one; those in it are part of it."""
    if is_over_elements(loop) and can_hold(loop):  # `lower.cpu.registers` has seen to it
        return
    _part_of_another(loop)
    if Traffic(()).exceeds(loop, TRAFFIC // 2):
        _mark_held(loop)


def _mark_held(instr: Instr) -> None:
    _part_of_another(instr)
    instr.attrs = {**instr.attrs, "kernel": True}
    for region in instr.regions:
        _drop_barriers(region)
        rewrite(region, (dot_general,), lambda i: None if _is_of_vector(i) else spread_small(i))


def _part_of_another(outer: Instr) -> None:
    """Loops in a kernel are none of their own."""
    for region in outer.regions:
        for instr in walk(region.instrs):
            if instr.op is while_:
                instr.attrs = {name: x for name, x in instr.attrs.items() if name != "kernel"}


def _drop_barriers(region: Region) -> None:
    """In one function barriers mean nothing, and not all of XLA's emitters know them."""
    for instr in region.instrs:
        for inner in instr.regions:
            _drop_barriers(inner)
    barriers = [i for i in region.instrs if i.op is optimization_barrier]
    if barriers:
        pairs = [pair for i in barriers for pair in zip(i.results, i.operands, strict=True)]
        mapping: dict[Value, Value] = {}
        for result, operand in pairs:  # a barrier of a barrier is what that is of
            mapping[result] = mapping.get(operand, operand)
        region.instrs[:] = [i for i in region.instrs if i.op is not optimization_barrier]
        substitute_region(region, mapping)
