"""Loops over single elements as one kernel of XLA:CPU's.

    %r = while(...) { ... if ... }   ->   %r = call(...) { %r = while(...) { ... if ... } }, native

XLA:CPU runs a program as a list of kernels; for each branch and each inner loop of a body it goes
back to that list, at the cost of a microsecond or so.  A call marked *native* is compiled to one
function instead, as XLA does on its own with loops that touch a kilobyte at most.  That pays where
a body branches and handles numbers and single elements only: code on arrays is better off as
kernels, which are vectorized and run in parallel.
"""

from __future__ import annotations

import numpy as np

from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.op import Op
from pyxla.ir.rewrite import Mapping, captures, clone_instr, slice_of, substitute, walk
from pyxla.ops import elementwise
from pyxla.ops.control import call, case, if_, optimization_barrier, while_
from pyxla.ops.evaluate import evaluate_instr
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import broadcast_in_dim, concatenate, constant, iota, pad, reshape
from pyxla.ops.shape import slice as slice_

CONTROL = frozenset({while_, if_, case})
TABLE = 4096  # elements of a constant that a kernel may hold
ELEMENTS = 64  # in an array that a kernel may handle element by element
CODE = (
    frozenset(op for op in vars(elementwise).values() if isinstance(op, Op))
    | CONTROL
    | {dynamic_slice, dynamic_update_slice, constant}
    | {broadcast_in_dim, concatenate, iota, pad, reshape, slice_}
)


def native_loops(region: Region) -> Region:
    """`region` with its outermost loops over elements in native calls, in place."""
    code: list[Instr] = []
    for instr in region.instrs:
        native = instr.op is while_ and _pays(instr) and all(map(_is_scalar, _inside(instr)))
        if native and not _idle(instr):
            code += _called(instr, code)
        else:
            if instr.op in CONTROL:
                for inner in instr.regions:
                    native_loops(inner)
            code.append(instr)
    if code != region.instrs:
        region.instrs[:] = code
    return region


def _inside(loop: Instr) -> list[Instr]:
    return [instr for region in loop.regions for instr in walk(region.instrs)]


def _pays(loop: Instr) -> bool:
    """Whether a body branches, or loops twice.  One loop in the other is as fast as it is."""
    inside = [instr for instr in _inside(loop) if instr.op in CONTROL]
    nested = [sum(i.op in CONTROL for i in r.instrs) for x in (loop, *inside) for r in x.regions]
    return max(nested) > 1 or any(instr.op is not while_ for instr in inside)


def _idle(loop: Instr) -> bool:
    """Whether its condition is false from the start: XLA drops such a loop, and XLA:CPU aborts the
    process on a native call of a function that gives back what it is given."""
    cond = loop.regions[0]
    values: dict[Value, np.ndarray] = {}
    for param, init in zip(cond.params, loop.operands, strict=True):
        if isinstance(init.owner, Instr) and init.owner.op is constant:
            values[param] = init.owner.attrs["value"]
    for instr in slice_of(cond.instrs, cond.results):
        if instr.regions or not values.keys() >= set(instr.operands):
            return False
        values.update(zip(instr.results, evaluate_instr(instr, values), strict=True))
    (test,) = cond.results
    return test in values and not values[test]


def _is_scalar(instr: Instr) -> bool:
    """Whether an instruction computes single numbers; arrays may go through control flow and be
    updated in place."""
    if instr.op not in CODE:
        return False
    if instr.op is constant:
        return instr.results[0].type.size <= TABLE
    if instr.op in CONTROL:
        return True
    if instr.op is dynamic_update_slice:
        return instr.operands[1].type.size <= ELEMENTS
    return all(value.type.size <= ELEMENTS for value in instr.results)


def _called(loop: Instr, before: list[Instr]) -> list[Instr]:
    """The call of a function that is `loop`; constants it uses go inside.

    Arrays are given behind a barrier: XLA:CPU aborts the process on a native call of what it folded
    to a large constant.
    """
    made = {v: i for i in before if i.op is constant for v in i.results}
    mapping: Mapping = {}
    inside: list[Instr] = []
    outside: list[Value] = []
    for value in dict.fromkeys([*loop.operands, *captures(loop)]):
        if value in made and value.type.size <= TABLE:
            inside.append(clone_instr(made[value], mapping))
        else:
            outside.append(value)
            mapping[value] = Value(value.type, None, value.hint)
    params = tuple([mapping[value] for value in outside])
    inner = Instr(while_, loop.operands, loop.attrs, loop.regions, loop.loc)
    inner.results = tuple([Value(value.type, inner, value.hint) for value in loop.results])
    substitute([inner], mapping)
    region = Region(params, [*inside, inner], inner.results)
    arrays = [v for v in outside if v.type.shape and isinstance(v.owner, Instr)]
    given = dict(zip(outside, outside, strict=True))
    barriers = []
    if arrays:
        barrier = Instr(optimization_barrier, tuple(arrays), {}, (), loop.loc)
        barrier.results = tuple([Value(v.type, barrier, v.hint) for v in arrays])
        given.update(zip(arrays, barrier.results, strict=True))
        barriers.append(barrier)
    attrs = {"name": "loop", "native": True}
    outer = Instr(call, tuple(given.values()), attrs, (region,), loop.loc)
    for value in loop.results:
        value.owner = outer
    outer.results = loop.results
    return [*barriers, outer]
