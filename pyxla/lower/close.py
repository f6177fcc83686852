"""Closing: what the computations of HLO ops capture becomes operands of the op.

    %r = reduce(%x, 0) {a, b: a + b * %c}
    %r, _ = reduce(%x, broadcast(%c), 0, %c) {a, k, b, c: (a + b * c, k)}

XLA lets the regions of `if`, `case` and `while` use values of enclosing scopes, but a *computation*
(of `reduce`, `sort`, `map`, ...) sees its parameters only.  Code that does not depend on them moves
out first, so that what is left to capture are numbers, which travel as arrays of equal elements.
Where it is more than that, or where the computation loops, see `pyxla.lower.serial`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyxla.errors import CompileError
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import Mapping, captures, clone, slice_of, substitute, substitute_region, uses
from pyxla.ir.types import array_type
from pyxla.lower.serial import SERIAL, loops, serialize
from pyxla.ops.collective import all_reduce, reduce_scatter
from pyxla.ops.control import map_
from pyxla.ops.index import scatter
from pyxla.ops.reduce import reduce, reduce_window, select_and_scatter
from pyxla.ops.shape import broadcast_in_dim, constant
from pyxla.ops.sort import sort

ALONE = frozenset({select_and_scatter, all_reduce, reduce_scatter})
CLOSED = ALONE | {reduce, reduce_window, scatter, sort, map_}


def close(region: Region) -> Region:
    """`region` with every computation closed, in place."""
    region.instrs = _closed_code(region.instrs)
    return region


def _closed_code(instrs: Sequence[Instr]) -> list[Instr]:
    code: list[Instr] = []
    for instr in instrs:
        for region in instr.regions:
            region.instrs = _closed_code(region.instrs)
        code += _closed(instr) if instr.op in CLOSED and instr.regions else [instr]
    return code


def _closed(instr: Instr) -> list[Instr]:
    """The code that replaces an op with a computation."""
    code: list[Instr] = []
    if captures(instr):
        for region in instr.regions:
            code += _hoist(region)
            _sink_constants(region, captures(instr))
    captured = list(captures(instr))
    looping = any(map(loops, instr.regions))
    if looping or any(value.type.shape for value in captured):
        if instr.op not in SERIAL:
            raise _refusal(instr, looping)
        return code + serialize(instr)
    if captured:
        code += _widen(instr, captured)
    return [*code, instr]


def _refusal(instr: Instr, looping: bool) -> CompileError:
    does = "loops" if looping else "reads an array at a place that depends on its arguments"
    return CompileError(
        f"the function given to {instr.op.name} {does}",
        instr.loc,
        hint="XLA takes no such computation; write the loop over elements in Python",
    )


def _hoist(region: Region) -> list[Instr]:
    """Take out of `region` the code that depends on captured values and not on its parameters."""
    varying = set(region.params)
    inner: set[Value] = set()
    hoisted: list[Instr] = []
    kept: list[Instr] = []
    for instr in region.instrs:
        used = uses(instr)
        if instr.op.effect or not varying.isdisjoint(used):
            varying.update(instr.results)
            kept.append(instr)
        elif inner.issuperset(used):
            inner.update(instr.results)
            kept.append(instr)
        else:
            hoisted.append(instr)
    needed = [value for instr in hoisted for value in uses(instr) if value in inner]
    mapping: Mapping = {}
    constants = clone(slice_of(kept, needed), mapping)
    substitute(hoisted, mapping)
    region.instrs = kept
    return [*constants, *hoisted]


def _sink_constants(region: Region, captured: Sequence[Value] | dict[Value, None]) -> None:
    """Copy captured constants into `region`."""
    owners = [value.owner for value in captured]
    mapping: Mapping = {}
    own = clone([o for o in owners if isinstance(o, Instr) and o.op is constant], mapping)
    substitute_region(region, mapping)
    region.instrs = own + region.instrs


def _widen(instr: Instr, captured: list[Value]) -> list[Instr]:
    """Pass `captured` as operands, in place; returns the code that spreads them."""
    if instr.op in ALONE:
        raise CompileError(
            f"the function given to {instr.op.name} captures a value known at run time only",
            instr.loc,
            hint="it may only use its arguments and constants",
        )
    spread: list[Instr] = []
    operands, half = instr.operands, len(instr.operands) // 2
    extra = _spread(captured, operands[0], spread, instr)
    if instr.op is map_:
        instr.operands = (*operands, *extra)
        _append(instr.regions[0], captured, 1)
        return spread
    instr.results += _fresh_results(extra, instr)
    if instr.op is sort:
        instr.operands = (*operands, *extra)
        _append(instr.regions[0], captured, 2)
        return spread
    rest = operands[half:]
    if instr.op is scatter:
        last = _spread(captured, operands[-1], spread, instr)
        instr.operands = (*operands[:half], *extra, *rest, *last)
    else:
        instr.operands = (*operands[:half], *extra, *rest, *captured)
    _pair(instr.regions[0], half, captured)
    return spread


def _spread(
    captured: Sequence[Value], like: Value, code: list[Instr], instr: Instr
) -> tuple[Value, ...]:
    """Each captured number as an array of `like`'s shape, by instructions appended to `code`."""
    spread = []
    for value in captured:
        attrs = {"shape": like.type.shape, "broadcast_dimensions": ()}
        made = Instr(broadcast_in_dim, (value,), attrs, (), instr.loc)
        made.results = (Value(array_type(value.type.dtype, like.type.shape), made),)
        code.append(made)
        spread.append(made.results[0])
    return tuple(spread)


def _fresh_results(extra: Sequence[Value], instr: Instr) -> tuple[Value, ...]:
    """Results that nobody uses, for operands that go through."""
    shape = instr.results[0].type.shape
    return tuple([Value(array_type(value.type.dtype, shape), instr) for value in extra])


def _params(captured: Sequence[Value], region: Region) -> tuple[Value, ...]:
    return tuple([Value(array_type(value.type.dtype), region) for value in captured])


def _pair(region: Region, half: int, captured: Sequence[Value]) -> None:
    """Parameters (old, new) become (old, kept, new, seen): `kept` is returned, `seen` used."""
    kept, seen = _params(captured, region), _params(captured, region)
    region.params = (*region.params[:half], *kept, *region.params[half:], *seen)
    substitute_region(region, dict(zip(captured, seen, strict=True)))
    region.results = (*region.results, *kept)


def _append(region: Region, captured: Sequence[Value], each: int) -> None:
    """A parameter (for `sort` two, of which the first is used) for each captured number."""
    mapping: Mapping = {}
    for value in captured:
        params = _params([value] * each, region)
        region.params = (*region.params, *params)
        mapping[value] = params[0]
    substitute_region(region, mapping)
