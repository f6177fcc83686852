"""Products are rounded before they are added: in loops over elements, as in Python.

    s = s + a * b     ->     s = s + (a * b + z)     z: -0.0, which neither XLA nor LLVM knows

LLVM makes one instruction of a product and the sum it goes into, wherever it finds them.  That
rounds once where Python rounds twice, and in a sum of products each instruction then waits for the
whole of the one before, multiplication included: four cycles, where an addition after an addition
takes two.  x + -0.0 is x for every x; so that one instruction now rounds the product, and the sums
wait for sums.

-0.0 comes out of a guard before the loop: the function that holds the loop gets it in memory.

XLA makes (x + c) + d of constants x + (c + d), which rounds once as well, and so of products:
several steps at a time (`lower.unroll`) of `t += dt` would end elsewhere.  So d is hidden from it.

Only for XLA:CPU.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import walk
from pyxla.lower.cpu.registers import guard, is_over_elements, never
from pyxla.lower.rules import known
from pyxla.ops.control import while_
from pyxla.ops.elementwise import add, multiply, negate, square, subtract
from pyxla.ops.shape import broadcast_in_dim, constant, reshape

_SUMS = frozenset([add, subtract])
_PRODUCTS = frozenset([multiply, square])
_SAME = frozenset([reshape, negate, broadcast_in_dim])  # through which LLVM looks
_FLOATS = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


def round_products(region: Region) -> Region:
    """Round the products in the loops over elements of a region, in place."""
    numbers = [param for param in region.params if param.type.dtype.kind in "biuf"]
    number = min(numbers, key=lambda param: param.type.size, default=None)
    loops = _loops(region)
    if number is None or not loops:
        return region
    head: list[Instr] = []
    zeros: dict[np.dtype, Value] = {}
    for loop in loops:
        added = _added(loop)
        for inner in loop.regions:
            _round(inner, added, zeros, Builder(head, loop.loc), number)
    region.instrs[:0] = head
    return region


def _loops(region: Region) -> list[Instr]:
    """The outermost loops over elements."""
    found = []
    for instr in region.instrs:
        if instr.op is while_ and is_over_elements(instr):
            found.append(instr)
        else:
            for inner in instr.regions:
                found += _loops(inner)
    return found


def _added(loop: Instr) -> set[Value]:
    """What goes into sums."""
    code = [instr for region in loop.regions for instr in walk(region.instrs)]
    found = {value for instr in code if instr.op in _SUMS for value in instr.operands}
    for instr in reversed(code):
        if instr.op in _SAME and instr.results[0] in found:
            found.add(instr.operands[0])
    return found


def _round(
    region: Region,
    added: set[Value],
    zeros: dict[np.dtype, Value],
    head: Builder,
    number: Value,
) -> None:
    code: list[Instr] = []
    for instr in region.instrs:
        for inner in instr.regions:
            _round(inner, added, zeros, head, number)
        code += _told_apart(instr)
        result = instr.results[0] if instr.op in _PRODUCTS else None
        if result is not None and result in added and result.type.dtype in _FLOATS:
            code += _rounded(instr, _zero(result.type.dtype, zeros, head, number))
    region.instrs[:] = code


def _told_apart(instr: Instr) -> list[Instr]:
    """An instruction; its constant is hidden where XLA would merge it with another."""
    family = next((ops for ops in (_SUMS, frozenset([multiply])) if instr.op in ops), None)
    if family is None or instr.results[0].type.dtype not in _FLOATS:
        return [instr]
    code: list[Instr] = []
    operands = list(instr.operands)
    for k, x in enumerate(operands):
        made = operands[1 - k].owner
        chained = isinstance(made, Instr) and made.op in family
        if chained and known(x) is not None and any(known(y) is not None for y in made.operands):
            with building(Builder(code, instr.loc)):
                operands[k] = guard(x, [never(operands[1 - k])])
    instr.operands = tuple(operands)
    return [*code, instr]


def _rounded(product: Instr, zero: Value) -> list[Instr]:
    """Code after a product, whose result it takes over."""
    code: list[Instr] = []
    (result,) = product.results
    exact = Value(result.type, product, result.hint)
    product.results = (exact,)
    with building(Builder(code, product.loc)):
        if result.type.shape:
            zero = broadcast_in_dim(zero, shape=result.type.shape, broadcast_dimensions=())
        made = add(exact, zero)
    made.owner.results = (result,)
    result.owner = made.owner
    return code


def _zero(dtype: np.dtype, zeros: dict[np.dtype, Value], head: Builder, number: Value) -> Value:
    """-0.0 that depends on a value, at the beginning of the program."""
    if dtype not in zeros:
        with building(head):
            zeros[dtype] = guard(constant(value=np.array(-0.0, dtype)), [never(number)])
    return zeros[dtype]
