"""Instructions on one of several values of no one type (`lattice.Variant`): visited for each.

The program branches before the instruction, and meets again after it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pyxla.abstract.facts.refine import Atom, atoms, places, refined, settled, together
from pyxla.abstract.heap import ListCell
from pyxla.abstract.lattice import Const, Ref, Scalar, Tuple, Variant, is_number, is_variant
from pyxla.errors import CompileError
from pyxla.infer.calls.dtypes import unsettled
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame, Stopped
from pyxla.infer.joins import kinds
from pyxla.infer.joins.edges import Edge
from pyxla.infer.joins.merge import merge
from pyxla.infer.raising import catching
from pyxla.ir.core import Instr
from pyxla.lib.registry import is_numpys, lookup

# More paths than this are not made for the items of lists.
MOST = 4


def visit(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """What an instruction gives, for each of what its operands may be."""
    told = _told(frame, instr)
    x = _operand(engine, frame, instr) or told or _item(engine, frame, instr)
    if x is None:
        return (engine.shared or engine.transfer[instr.op.name])(engine, frame, instr)
    env, assumed, split = frame.env, frame.assumed, frame.split
    among = places(x, assumed)
    edges, possible = [], []
    frame.split = split or len(among) > 1
    for place in catching.branches(engine, x, among):
        frame.env, frame.assumed = settled(env, x, place, assumed), assumed
        for operand in instr.operands:
            frame.env[operand] = kinds.at_place(frame.env[operand], x.tag, place)
            if x is told:
                frame.env[operand] = _as_told(frame, frame.env[operand], x, place)
        _settle_items(engine, frame, instr, x, place)
        try:
            result = _visit_one(engine, frame, instr)
        except Stopped:
            continue
        results = (result,) if len(instr.results) == 1 else tuple(result or ())
        edges.append(Edge(engine.block, engine.heap, {}, results, engine.loc))
        possible.append(place)
    frame.env, frame.assumed, frame.split = env, assumed, split
    if not edges:
        raise Stopped
    given = list(zip(*[edge.args for edge in edges], strict=True))
    edge, results = _met(engine, instr, edges)
    engine.enter(edge)
    if len(possible) < len(among) or len(possible) == 1:
        learned = (("AMONG", x, tuple(possible)),)
        env.update(refined(env, learned, frame.assumed) or {})
        frame.assumed = together(frame.assumed, learned)
    if len(possible) == len(x.items) and x.tag.kind is int:
        results = tuple([_with_tag(x, *pair) for pair in zip(results, given, strict=True)])
    found = [_with_test(x, possible, *pair) for pair in zip(results, given, strict=True)]
    for result, column in zip(found, given, strict=True):
        if isinstance(result, Scalar) and all(isinstance(value, Const) for value in column):
            frame.told[result.value] = x, dict(zip(possible, column, strict=True))
    return found[0] if len(instr.results) == 1 else found


def _visit_one(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """As `visit`, where an operand is one of its items: what that does not have is raised there."""
    outer = engine.guards
    engine.guards = (*outer, AttributeError, TypeError)
    try:
        return visit(engine, frame, instr)
    except CompileError as refusal:
        engine.raise_(catching.instead(engine, frame, refusal)[0])
    finally:
        engine.guards = outer


def _operand(engine: Engine, frame: Frame, instr: Instr) -> Variant | None:
    """The first operand that is one of several values of no one type, or of several exceptions."""
    for operand in instr.operands:
        value = frame.env[operand]
        if is_variant(value, "unbound") and is_variant(
            value.value, "mixed"
        ):  # a name that may be unbound
            value = frame.env[operand] = engine.use(value)
        if is_variant(value, "mixed") or is_variant(value, "exception"):
            return value
        if is_variant(value, "optional") and _asks(frame, instr):
            return value
    return None


def _asks(frame: Frame, instr: Instr) -> bool:
    """Whether what may be None is something else to an instruction where it is None: what is
    compared with it, or a function of the library that is given it."""
    if instr.op.name == "compare":
        return instr.attrs["op"] not in ("is_", "is_not")
    callee = frame.env[instr.operands[0]] if instr.op.name == "call" else None
    implementation = lookup(callee.value) if isinstance(callee, Const) else None
    return implementation is not None and not implementation.heap


def _told(frame: Frame, instr: Instr) -> Variant | None:
    """What decides an operand that is compared, `len(x) == 2` say: either outcome tells of it."""
    equal = instr.op.name == "compare" and instr.attrs["op"] in ("eq", "ne")
    given = [frame.env[operand] for operand in instr.operands if equal]
    numbers = [x.value for x in given if isinstance(x, Scalar)]
    return next((frame.told[value][0] for value in numbers if value in frame.told), None)


def _as_told(frame: Frame, value: Any, x: Variant, place: int) -> Any:
    """An operand where `x` is its item at `place`."""
    decided_by, each = frame.told.get(value.value, (x, {})) if type(value) is Scalar else (x, {})
    return each.get(place, value) if decided_by is x else value


# --- Items of lists that are given to NumPy ------------------------------------------------------


def _item(engine: Engine, frame: Frame, instr: Instr) -> Variant | None:
    """The first item that is one of several, of a list or tuple given to a function of NumPy's."""
    if instr.op.name != "call" or not _reads(frame.env[instr.operands[0]]):
        return None
    given = [x for operand in instr.operands[1:] for x in _items(engine, frame.env[operand])]
    found = {x.tag.value: x for x in given if is_variant(x, "mixed")}
    if not found:
        return _number(engine, [frame.env[operand] for operand in instr.operands[1:]])
    if math.prod([len(x.items) for x in found.values()]) > MOST:
        return None
    return next(iter(found.values()))


def _number(engine: Engine, args: list[Any]) -> Variant | None:
    """The first number in them that decides the dtype of the array they become, by its kind: one
    that is a float decides it alone, so that paths are as many as numbers."""
    found = [unsettled(engine, x) for x in args if _listed(engine, x) is not None]
    x = next((x for x in found if is_number(x)), None)
    if x is None:
        return None
    items = tuple([kinds.at_place(x, x.kinds.tag, i) for i in range(len(x.kinds.choices))])
    return Variant("mixed", x.kinds.tag, items, None)


def _reads(callee: Any) -> bool:
    """Whether a function reads lists and keeps none of them."""
    return isinstance(callee, Const) and is_numpys(callee.value)


def _items(engine: Engine, x: Any) -> tuple[Any, ...]:
    """The items of a list or tuple, and of those in it."""
    items = _listed(engine, x)
    return () if items is None else tuple([y for v in items for y in (v, *_items(engine, v))])


def _listed(engine: Engine, x: Any) -> Sequence[Any] | None:
    if isinstance(x, Tuple):
        return x.items
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) and not x.view else None
    return content.items if isinstance(content, ListCell) else None


def _settle_items(engine: Engine, frame: Frame, instr: Instr, x: Variant, place: int) -> None:
    """Give the function lists in which `x` is its item at `place`."""
    if instr.op.name != "call" or not _reads(frame.env[instr.operands[0]]):
        return
    for operand in instr.operands[1:]:
        value = frame.env[operand]
        if any(_settled_in(engine, y, x, place) is not y for y in _items(engine, value)):
            frame.env[operand] = _settled_in(engine, value, x, place)


def _settled_in(engine: Engine, value: Any, x: Variant, place: int) -> Any:
    if is_variant(value, "mixed"):
        return value.items[place] if _together(x, value) else value
    if is_number(value):
        return kinds.at_place(value, x.tag, place)
    items = _listed(engine, value)
    if items is None:
        return value
    found = [_settled_in(engine, item, x, place) for item in items]
    return Tuple(tuple(found)) if isinstance(value, Tuple) else engine.new_list(found)


def _together(x: Variant, y: Variant) -> bool:
    return x.tag.value is y.tag.value


def _with_test(x: Variant, possible: list[int], result: Any, given: tuple[Any, ...]) -> Any:
    """A bool that `x` decides, as one that tells which of its items `x` is, and what that is."""
    if not isinstance(result, Scalar) or result.kind is not bool:
        return result
    sides: list[tuple[Atom, ...]] = []
    for outcome in (True, False):
        pairs = [(x.items[p], value) for p, value in zip(possible, given, strict=True)]
        open_ = [p for p, pair in zip(possible, pairs, strict=True) if _may_be(pair[1], outcome)]
        inside = [a for item, value in pairs for a in atoms(value, outcome) if a[1] is item]
        among = () if len(open_) == len(x.items) else (("AMONG", x, tuple(open_)),)
        sides.append((*inside, *among))
    return Scalar(result.value, result.fact, ("implies", *sides)) if any(sides) else result


def _may_be(x: Any, outcome: bool) -> bool:
    """Whether a bool may be that."""
    return not isinstance(x, Const) or bool(x.value) is outcome


def _with_tag(x: Variant, result: Any, given: tuple[Any, ...]) -> Any:
    """A result that is another for each of the items of `x` as one that the tag of `x` tells,
    so that what follows knows that they go together."""
    if not is_variant(result, "mixed"):
        return kinds.with_tag(result, given, x.tag)
    if len(result.items) != len(given) or any(is_variant(value, "mixed") for value in given):
        return result
    return Variant("mixed", x.tag, result.items, result.conflict)


def _met(engine: Engine, instr: Instr, edges: list[Edge]) -> tuple[Edge, tuple[Any, ...]]:
    hints = [(result.hint, instr.loc) for result in instr.results]
    return merge(engine, edges, hints, instr)
