"""Large dicts of modules that a function only looks into: what is captured is what is found.

A dict is taken apart like an argument, each of its values a leaf.  Of one with thousands of keys a
program that asks for known keys needs no more than these, as it does of a module's namespace.
"""

from __future__ import annotations

from typing import Any

from pyxla.abstract.lattice import Const
from pyxla.guards.places import MISSING, Place
from pyxla.infer.calls.captures import NewCapture, python_object
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.ir.core import Block, Instr
from pyxla.lib.registry import rule

FEW = 64  # values of a dict that are captured whatever is asked of it
# Lists, arrays and the like in one dict that are captured one by one: each begins inference anew.
SEVERAL = 4


class Outside:
    """The dict at `place`, asked for known keys; any other question captures it whole."""

    __pyxla_constant__ = True

    def __init__(self, place: Place) -> None:
        self.place, self.get = place, Get(self)

    def found(self, engine: Engine, key: Any) -> tuple[Place, Any]:
        """What there is for a key, MISSING where nothing is; another object there is noticed."""
        try:
            known = python_object(engine, key)
        except LookupError:
            raise NewCapture(self.place) from None
        engine.key(key)
        if known is None:  # a place without a name is its owner
            raise NewCapture(self.place)
        place = Place(self.place.read(), known)
        value = engine.captures.constants[place] = place.read()
        return place, value

    def value(self, engine: Engine, place: Place, value: Any) -> Any:
        """What was found; of several that are no constants, the dict is captured whole."""
        try:
            return engine.captures.abstract(engine, value, place)
        except NewCapture:
            table = place.owner
            if sum(p.owner is table for p in engine.captures.places) < SEVERAL:
                raise
            raise NewCapture(self.place) from None

    def contains(self, engine: Engine, key: Any) -> Const:
        """`key in table`."""
        return Const(self.found(engine, key)[1] is not MISSING)

    def __getitem__(self, key: Any) -> Any: ...


class Get:
    """`table.get`."""

    __pyxla_constant__ = True

    def __init__(self, table: Outside) -> None:
        self.table = table

    def __pyxla_inline__(self, engine: Engine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if kwargs or len(args) not in (1, 2):
            raise NewCapture(self.table.place)
        place, value = self.table.found(engine, args[0])
        if value is MISSING:
            return args[1] if len(args) > 1 else Const(None)
        return self.table.value(engine, place, value)


@rule(Outside.__getitem__)
def _getitem(engine: Engine, x: Any, key: Any) -> Any:
    place, value = x.value.found(engine, key)
    if value is MISSING:
        return engine.raise_constant(KeyError(place.name))
    return x.value.value(engine, place, value)


def looked_into(engine: Engine, frame: Frame, instr: Instr, module: dict[str, Any]) -> Const | None:
    """What `instr` reads of a module, where it is a large dict that is only looked into with it."""
    name = instr.attrs["name"]
    table = module.get(name)
    if type(table) is not dict or len(table) <= FEW:
        return None
    captures, place = engine.captures, Place(module, name)
    if place in captures.places or id(table) in captures.by_identity:
        return None
    if not all(_looks(i, instr) for b in frame.ssa.function.blocks for i in _uses(b, instr)):
        return None
    captures.constants[place] = table
    return Const(Outside(place))


def _uses(block: Block, instr: Instr) -> list[Any]:
    (value,) = instr.results
    used: list[Any] = [i for i in block.instrs if value in i.operands]
    used += [phi for phi in block.phis if value in phi.args.values()]
    if block.terminator is not None and value in block.terminator.operands:
        used.append(block.terminator)
    return used


def _looks(use: Any, instr: Instr) -> bool:
    """Whether an instruction looks a key up in what `instr` reads."""
    if not isinstance(use, Instr):
        return False
    (value,) = instr.results
    places = [i for i, operand in enumerate(use.operands) if operand is value]
    match use.op.name:
        case "getattr":
            return use.attrs["name"] == "get"
        case "getitem":
            return places == [0]
        case "compare":
            return places == [1] and use.attrs["op"] in ("contains", "not_contains")
    return False
