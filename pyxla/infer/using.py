"""Values are used: where paths gave one no single type, or none, it is refused, or raises."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.facts.deciding import by_arguments
from pyxla.abstract.facts.refine import atoms, is_there, narrowed
from pyxla.abstract.heap import DictCell
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Live,
    Ref,
    Scalar,
    Tuple,
    Unbound,
    Variant,
    is_variant,
    may_be_unbound,
)
from pyxla.infer.interface import Engine
from pyxla.infer.lists.sites import apart

# Values that every path agrees on.
_PLAIN = frozenset({Array, Compound, Const, Ref, Scalar, Tuple})


def moved(engine: Engine, value: Any) -> Any:
    """`value` where nothing is done with it but to give it to somebody else."""
    return value if type(value) is Live or is_variant(value, "mixed") else use(engine, value)


def use(engine: Engine, value: Any) -> Any:
    """`value`, refused where it has no single type or may be unbound."""
    if type(value) in _PLAIN:
        return value
    if type(value) is Live:
        return engine.rules.seen(engine, value)
    if may_be_unbound(value):
        return moved(engine, bound(engine, value))
    if isinstance(value, Variant):
        value = on_path(engine, value)
        value = value.conflict if is_variant(value, "mixed") else value
    if isinstance(value, Conflict):
        engine.findings.meet(value)
        if not apart(value.sites, engine.sites):
            engine.findings.ask(value.sites)
        refusal = engine.refuse(
            value.reason, value.hint, among=value.among, notes=value.notes, remedy=value.demand
        )
        raise engine.demand(value.tests, refusal) or refusal
    return value


def on_path(engine: Engine, value: Variant) -> Any:
    """`value`, or the one of its alternatives that it is on this path."""
    return narrowed(value, engine.frames[-1].assumed) if engine.frames else value


def bound(engine: Engine, value: Any) -> Any:
    """What a name has, or raise what CPython raises where it has nothing."""
    if is_variant(value, "unbound"):
        value = on_path(engine, value)
    if isinstance(value, Unbound):
        return engine.raise_constant(value.error)
    if is_variant(value, "unbound"):
        engine.ensure(value.tag, value.items[0].error)
        return value.value
    return value


def some(engine: Engine, value: Any, error: Any, kind: type[Exception] = TypeError) -> Any:
    """`use(value)`, where None raises `error`, or `kind(error)` if that is a message."""
    value = use(engine, value)
    known = type(value) is Const and value.value is None
    if not known and not is_variant(value, "optional"):
        return value
    error = kind(error) if isinstance(error, str) else error
    if known:  # in a loop, another iteration may assign what is None in this pass
        return engine.raise_constant(error) if engine.heads() else value
    engine.ensure(value.tag, error)
    engine.frames[-1].assumed += atoms(is_there(value), True)
    return value.value


def items_in_order(engine: Engine, content: DictCell) -> dict[Any, Any]:
    """The items of a dict where their order is looked at."""
    if not content.ordered:
        raise engine.refuse(
            "the order of the keys of this dict depends on the path taken",
            "make the dicts that meet with their keys in one order",
        )
    return content.items


def by_loops(engine: Engine, x: Any) -> bool:
    """Whether counters of loops that may be unrolled and number arguments alone decide a number."""
    heads = engine.heads() & engine.headers.keys()
    return isinstance(x, (Scalar, Array)) and by_arguments(x.value, heads)


def decided_by_data(engine: Engine, *xs: Any) -> bool:
    """Whether one of these is a number, or has one, that asking for number arguments and unrolling
    loops would not make known, or not for long: the next call has another float."""
    heads = engine.heads()
    for x in xs:
        parts = isinstance(x, (Tuple, Variant)) or (isinstance(x, Compound) and x.kind == "text")
        if parts and decided_by_data(engine, *x.parts):
            return True
        if isinstance(x, (Scalar, Array)):
            if engine.demands.arrays or not by_arguments(x.value, heads):
                return True
            if x.value.type.dtype.kind == "f":
                engine.findings.floats = True
                return True
            engine.findings.want()
    return False
