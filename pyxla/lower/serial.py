"""`map` and `reduce` as loops over elements, for computations that XLA's own cannot take.

    %r = map(%x) {a: while ...}        ->   for i in range(size): r[i] = computation(x[i])
    %r = reduce(%x, %init) {a, b: ...} ->   for i in kept: acc = init; for j in reduced: ...

XLA:CPU ends the process on a loop inside a computation, and a computation cannot index an array
from outside; the body of a `while` can do both.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from pyxla.ir.build import Builder, building, current
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import inline, take_over
from pyxla.ir.types import I64
from pyxla.ops.control import map_, while_
from pyxla.ops.elementwise import add, compare
from pyxla.ops.filled import integer, number
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.reduce import reduce
from pyxla.ops.shape import reshape, transpose

SERIAL = frozenset({map_, reduce})
State = tuple[Value, ...]


def serialize(instr: Instr) -> list[Instr]:
    """The loops that compute what `instr`, a `map` or a `reduce`, does."""
    code: list[Instr] = []
    with building(Builder(code, instr.loc)):
        values = _mapped(instr) if instr.op is map_ else _reduced(instr)
        for value, result in zip(values, instr.results, strict=True):
            made = reshape(value, shape=result.type.shape)
            take_over(made, result)
    return code


def _mapped(instr: Instr) -> State:
    size = instr.operands[0].type.size
    rows = [reshape(x, shape=(size,)) for x in instr.operands]

    def step(i: Value, state: State) -> State:
        results = inline(instr.regions[0], [_at(row, i) for row in rows])
        return (_put(state[0], i, results[0]),)

    return _count(size, (number(0, instr.results[0].type.dtype, (size,)),), step)


def _reduced(instr: Instr) -> State:
    half = len(instr.operands) // 2
    xs, inits = instr.operands[:half], instr.operands[half:]
    reduced = instr.attrs["dimensions"]
    shape = xs[0].type.shape
    kept = [axis for axis in range(len(shape)) if axis not in reduced]
    count = math.prod([shape[axis] for axis in kept])
    length = math.prod([shape[axis] for axis in reduced])
    order = (*kept, *reduced)
    tables = [reshape(transpose(x, permutation=order), shape=(count, length)) for x in xs]

    def row(i: Value, state: State) -> State:
        def step(j: Value, sums: State) -> State:
            return inline(instr.regions[0], [*sums, *[_at(table, i, j) for table in tables]])

        sums = _count(length, inits, step)
        return tuple([_put(out, i, value) for out, value in zip(state, sums, strict=True)])

    outs = [number(0, result.type.dtype, (count,)) for result in instr.results]
    return _count(count, tuple(outs), row)


def _count(times: int, state: State, step: Callable[[Value, State], State]) -> State:
    """`for i in range(times): state = step(i, state)`."""
    if times == 0:
        return state
    types = [I64, *[value.type for value in state]]

    def test(i: Value, *_: Value) -> Value:
        return compare(i, integer(times), direction="LT")

    def body(i: Value, *state: Value) -> State:
        return (add(i, integer(1)), *step(i, state))

    region = current().region
    regions = (region(types, test), region(types, body))
    return while_(integer(0), *state, regions=regions)[1:]


def _at(x: Value, *index: Value) -> Value:
    return reshape(dynamic_slice(x, *index, slice_sizes=(1,) * len(index)), shape=())


def _put(x: Value, i: Value, element: Value) -> Value:
    return dynamic_update_slice(x, reshape(element, shape=(1,)), i)


def loops(region: Region) -> bool:
    """Whether a loop is in `region`, or in the code that its ops will become."""
    for instr in region.instrs:
        if instr.op.name in ("while", "call", "foreign") or any(map(loops, instr.regions)):
            return True
        if instr.op.name == "power" and instr.results[0].type.dtype.kind in "iu":
            return True
    return False
