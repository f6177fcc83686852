"""Which keys a dict in a pool has, all of whose keys are text (`lib.tables.Record`).

The columns of its pool are the keys that its class names: those that dicts have where they enter.
A key that one of them gets or loses later (`Demands.late`) has another column, of marks: 0 where it
is not there, 1 where it always was, and more the later it came (`lib.tables.mark`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyxla.abstract.lattice import UNDEFINED, Const, Unbound, Variant
from pyxla.errors import CompileError, RefusedPath, UnlikeDicts
from pyxla.infer.arrays.access import python_scalar
from pyxla.infer.interface import Engine
from pyxla.ir.dominance import dominates
from pyxla.lib.tables import NEVER, ONCE, mark

_VARIES = "whether this dict has the key {!r} by now, and in which place, differs among several"
_REMEDY = "give each all of its keys where it is made, ask for one (x[{0!r}], {0!r} in x)"
_OPTION = "or compile it with unlike_dicts=True"


def first_mark(there: bool) -> Const:
    """The mark of a key of a dict that enters its pool."""
    return Const(ONCE if there else NEVER)


def next_mark(engine: Engine, marks: Mapping[str, Any], key: str) -> Any:
    """The mark of a key that is set."""
    others = [x for name, x in marks.items() if name != key]
    return engine.rules.call(engine, Const(mark), [marks[key], *others], {})


def item(engine: Engine, held: Mapping[str, Any], marks: Mapping[str, Any], key: str) -> Any:
    """What a dict has of this key, by the columns of that: unbound, where it is not there."""
    unbound = Unbound(key, error=KeyError(key))
    mark = marks.get(key, Const(ONCE if key in held else NEVER))
    if held.get(key) is UNDEFINED:  # nor has any other
        return unbound
    there = engine.rules.compare(engine, "ne", mark, Const(NEVER))
    if isinstance(there, Const):
        return held[key] if there.value else unbound
    return Variant("unbound", python_scalar(there, bool), (unbound, held[key]))


def items(
    engine: Engine, cls: type, held: Mapping[str, Any], marks: Mapping[str, Any]
) -> dict[str, Any]:
    """All items by all columns, in order.  Where data decides which there are, the program ends
    unless all are, in the order in which it comes to set them."""
    known = {key: int(x.value) for key, x in marks.items() if isinstance(x, Const)}
    known |= {key: 0 for key, x in held.items() if x is UNDEFINED}
    there = {key: x for key, x in held.items() if known.get(key, 1)}
    if known.keys() == marks.keys():
        return {key: there[key] for key in sorted(there, key=lambda key: known.get(key, 1))}
    chosen, came = cls in engine.findings.chosen, engine.findings.came.get(cls, {})
    if not chosen and (engine.options.unlike_dicts or not all(came.values())):
        raise unlike(engine, cls)
    own = cls.__pyxla_keys__  # type: ignore[attr-defined]
    there = {key: there[key] for key in dict.fromkeys([*own, *came, *there]) if key in there}
    marked = [key for key in there if key in marks]
    fine: Any = Const(True)
    last: Any = Const(ONCE)
    for key in marked:
        placed = engine.rules.compare(engine, "eq" if key in own else "gt", marks[key], last)
        fine = engine.rules.both(engine, fine, placed)
        last = last if key in own else marks[key]
    kind, hint = (None, _REMEDY) if chosen else (UnlikeDicts, f"{_REMEDY}, {_OPTION}")
    told = RefusedPath(_VARIES.format(marked[0]), hint.format(marked[0]), kind)
    engine.ensure(fine, told, catchable=False)
    return there


def in_each_iteration(engine: Engine) -> bool:
    """Whether every iteration of the innermost loop comes to where the program is."""
    header = engine.loops[-1] if engine.loops else None
    for frame in reversed(engine.frames):
        flow = frame.ssa.flow
        loop = flow.loops.get(header)
        ends = loop.latches if loop else [block for block in flow.order if not block.succs]
        if not all(dominates(flow.idom, frame.position[0], end) for end in ends):
            return False
        if loop:
            return True
    return False


def unlike(engine: Engine, cls: type) -> CompileError:
    """The refusal of what asks for dicts that are in no pool, as it is known which keys change."""
    engine.findings.keyed.add(cls)
    return engine.refuse(
        "the keys of a dict that is one of several change",
        "give each all of its keys where it is made, or use keys that are numbers",
        remedy="keyed",
    )
