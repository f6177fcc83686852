"""What a loop will do, guessed from its untyped code, so that its first pass assumes what holds.

A wrong guess costs a pass: what comes back to the header is compared with what was assumed.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.heap import Heap, ObjectCell
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    is_number,
    number_type,
    plain,
    taken_apart,
)
from pyxla.errors import CompileError
from pyxla.frontend import support
from pyxla.frontend.pyops import BINARY, CALL, CONST, GETATTR, GLOBAL, INPLACE, SETATTR, UNARY
from pyxla.frontend.source import source_function
from pyxla.frontend.ssa import to_ssa
from pyxla.ir.core import Block, Branch, Instr, Phi, Value, made_of, reached
from pyxla.ir.dominance import Component, Loop
from pyxla.lib.random.state import STATES
from pyxla.lib.registry import lookup

Field = tuple[int, str]  # of the instance in a cell


def rebinds(header: Block) -> set[int]:
    """The phis of a loop header, by position, whose names the loop binds to what an operator made:
    if it is an array, it is another one in each iteration."""
    latch = header.preds[1]
    return {k for k, phi in enumerate(header.phis) if _is_made(phi.args[latch], header)}


def _is_made(value: Value, header: Block) -> bool:
    """Whether `value` is the result of an operator, on some paths at least, and else what the name
    was at the loop's header."""
    makers = _makers(value, header)
    made = [isinstance(maker, Instr) and maker.op in (BINARY, UNARY) for maker in makers]
    return bool(made) and all(made)


def _makers(value: Value, header: Block) -> list[Any]:
    """What may have made `value` in an iteration of a loop."""

    def meeting(x: Value) -> Iterable[Value]:
        inside = isinstance(x.owner, Phi) and x.owner.block is not header
        return made_of(x) if inside else ()

    owners = [x.owner for x in reached([value], meeting)]
    return [owner for owner in owners if not isinstance(owner, Phi)]


def ranges(header: Block, env: Mapping[Value, Any], module: dict[str, Any]) -> dict[Any, IntFact]:
    """The ranges of names, by name, that the loop binds to constants, items of ranges (`best = i`)
    and remainders (`x = (a * x + c) % m`) alone."""
    latch = header.preds[1]
    found = {}
    for phi in header.phis:
        makers = _makers(phi.args[latch], header)
        known = [_range(maker, env, module) for maker in makers]
        if known and None not in known:
            found[phi.value.hint] = functools.reduce(extent.join, known)
    return found


def _range(made: Any, env: Mapping[Value, Any], module: dict[str, Any]) -> IntFact | None:
    """What lies in the result of an instruction of untyped code, where that is plain."""
    if not isinstance(made, Instr):
        return None
    low: extent.Bound = None
    high: extent.Bound = None
    if made.op is CONST and type(made.attrs["value"]) is int:
        low = high = made.attrs["value"]
    elif made.op is CALL and _is_item(made):
        source = env.get(made.operands[1])
        if isinstance(source, Const) and type(source.value) is range:
            whole = source.value
            low, high = extent.in_range(whole.start, whole.stop, whole.step)
        elif isinstance(source, Compound) and source.kind == "range":
            start, stop, step = map(plain, source.items)
            low, high = extent.in_range(start, stop, step)
    elif made.op in (BINARY, INPLACE) and made.attrs["op"] in _REMAINDERS:
        by = _known_int(made.operands[1], env, module)
        if by is not None and by > 0:
            low, high = 0, by + _REMAINDERS[made.attrs["op"]]
    return None if low is None or high is None or low > high else IntFact(low, high)


_REMAINDERS = {"mod": -1, "and_": 0}


def _is_item(call: Instr) -> bool:
    """Whether it is the item of an iteration of a `for` loop."""
    called = call.operands[0].owner
    return isinstance(called, Instr) and called.attrs.get("value") is support.item


def _known_int(value: Value, env: Mapping[Value, Any], module: dict[str, Any]) -> int | None:
    owner, found = value.owner, None
    if isinstance(owner, Instr) and owner.op is CONST:
        found = owner.attrs["value"]
    elif isinstance(owner, Instr) and owner.op is GLOBAL:
        found = module.get(owner.attrs["name"])
    elif isinstance(known := env.get(value), Const):
        found = known.value
    return found if type(found) is int else None


def unread(loop: Loop) -> set[int]:
    """The phis of a loop header, by position, whose names the loop assigns and does not read: what
    they are at the header matters after the loop only."""
    header = loop.header
    places = {phi.value: k for k, phi in enumerate(header.phis)}
    for block in loop.blocks:
        operands: list[Iterable[Value]] = [phi.args.values() for phi in block.phis]
        operands += [instr.operands for instr in block.instrs]
        operands.append(block.terminator.operands if block.terminator else ())
        for values in operands:
            for value in values:
                places.pop(value, None)
    return set(places.values())


def assigned_fields(
    loop: Loop,
    env: Mapping[Value, Any],
    module: dict[str, Any],
    classes: Iterable[type],
    foreign: Callable[[Any], bool],
) -> frozenset[str]:
    """Attributes that the loop assigns, or a function that it calls by its name: one that `env`
    has, a global of `module`, a method of one of `classes`.  What draws from a generator changes
    its state."""
    found: set[str] = set()
    seen: set[int] = set()
    work: list[tuple[Iterable[Block], dict[str, Any]]] = [(loop.blocks, module)]
    while work:
        blocks, module = work.pop()
        for instr in [instr for block in blocks for instr in block.instrs]:
            if instr.op is SETATTR:
                found.add(instr.attrs["name"])
            elif instr.op is GETATTR and _draws(instr.attrs["name"], classes):
                found.update([name for c in classes if c in STATES for name in STATES[c].drawn])
            elif instr.op is CALL:
                for function in _callees(instr.operands[0], env, module, classes):
                    if id(function) in seen or foreign(function):
                        continue
                    seen.add(id(function))
                    with contextlib.suppress(CompileError):
                        graph = to_ssa(source_function(function)).function
                        work.append((graph.blocks, function.__globals__))
    return frozenset(found)


def _draws(name: str, classes: Iterable[type]) -> bool:
    """Whether an attribute is a method of generators, which are of some of `classes`."""
    return not name.startswith("_") and any(c in STATES and name in c.__dict__ for c in classes)


def _callees(
    called: Value, env: Mapping[Value, Any], module: dict[str, Any], classes: Iterable[type]
) -> list[types.FunctionType]:
    """The Python functions that `called` may be."""
    owner = called.owner
    if isinstance(known := env.get(called), Const):
        candidates = [known.value]
    elif not isinstance(owner, Instr) or owner.op not in (GLOBAL, GETATTR):
        return []
    elif owner.op is GLOBAL:
        candidates = [module.get(owner.attrs["name"])]
    else:
        name, of = owner.attrs["name"], owner.operands[0].owner
        candidates = [base.__dict__.get(name) for cls in classes for base in cls.__mro__]
        if isinstance(of, Instr) and of.op is GLOBAL:
            within = module.get(of.attrs["name"])
            candidates += [vars(within).get(name)] if isinstance(within, types.ModuleType) else []
    functions = [getattr(c, "__pyxla_function__", c) for c in candidates]
    return [f for f in functions if isinstance(f, types.FunctionType) and lookup(f) is None]


def fields_of(heap: Heap, names: Collection[str], holds: Callable[[Any], bool]) -> set[Field]:
    """The fields of these names of what `holds` is true."""
    return {
        (cell, name)
        for cell, content in heap.contents.items()
        if names and isinstance(content, ObjectCell)
        for name, value in content.fields.items()
        if name in names and holds(value)
    }


def varying_fields(heap: Heap, names: Collection[str], arrays: Collection[str]) -> set[Field]:
    """The fields of these names that hold numbers or tuples; of `arrays`, whole arrays."""
    numbers = fields_of(heap, names, lambda x: is_number(x) or type(taken_apart(x)) is Tuple)
    return numbers | fields_of(heap, arrays, functools.partial(_is_whole, heap))


def rebound_fields(before: Heap, after: Heap) -> set[str]:
    """Fields that hold whole arrays, other ones after than before."""
    return {
        name
        for name, old, new in _fields_of_both(before, after)
        if _is_whole(before, old) and _is_whole(after, new) and new.cell != old.cell
    }


def changed_fields(before: Heap, after: Heap) -> set[str]:
    """Fields that hold numbers, others after than before."""
    return {
        name
        for name, old, new in _fields_of_both(before, after)
        if new is not old and is_number(old) and is_number(new)
    }


def _fields_of_both(before: Heap, after: Heap) -> Iterator[tuple[str, Any, Any]]:
    """Of instances that are there before and after, the fields with what they hold."""
    for cell, content in before.contents.items():
        later = after.contents.get(cell)
        if later is not content and isinstance(content, ObjectCell):
            new = later.fields if isinstance(later, ObjectCell) else {}
            yield from [(name, old, new.get(name)) for name, old in content.fields.items()]


def _is_whole(heap: Heap, x: Any) -> bool:
    """Whether `x` refers to a whole array of known size."""
    content = heap.contents.get(x.cell) if isinstance(x, Ref) and not x.view else None
    return isinstance(content, Array) and content.extents is None


def varied(heap: Heap, fields: Iterable[Field]) -> Heap:
    """`heap` where these fields have any values of their types, or refer to other arrays."""
    heap = heap.copy()
    for cell, name in sorted(fields):
        content = heap.contents[cell]
        if not isinstance(content, ObjectCell):  # it is a row by now, of which nothing is assumed
            continue
        value = content.fields[name]
        if isinstance(value, Ref):
            value = Ref(heap.new(heap.contents[value.cell], heap.infos[value.cell].loc))
        else:
            value = _any_like(value)
        heap.contents[cell] = ObjectCell(content.cls, {**content.fields, name: value})
    return heap


def _any_like(x: Any) -> Any:
    x = taken_apart(x)
    if isinstance(x, Tuple):
        return Tuple(tuple([_any_like(item) for item in x.items]), x.cls)
    if not is_number(x):
        return x
    value = Value(number_type(x))
    return Scalar(value) if value.type.weak else Array(value)


def has_test(component: Component) -> bool:
    """Whether the branch at the header is the loop's test, which goes on where it holds: that of
    `while True`, or of calls in a loop, may be one that the body starts with."""
    end, inside = component.header.terminator, component.loop.blocks
    return isinstance(end, Branch) and [t in inside for t in end.targets] == [True, False]
