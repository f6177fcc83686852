"""Exceptions as objects: their attributes and classes, where one of several may have arrived."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.lattice import Compound, Conflict, Const, Ref, Variant
from pyxla.infer.engine import Engine
from pyxla.infer.instances import initialized
from pyxla.infer.joins import choices
from pyxla.infer.raising import exceptions
from pyxla.views.shadows import flag_of, same_ref


def raise_lacking(engine: Engine, x: Any, values: list[Any], name: str) -> list[Any]:
    """Raise where `x` is an exception without the attribute, None among `values`; those there are,
    and any of them in the place of None."""
    found = [value for value in values if value is not None]
    for i, (e, value) in enumerate(zip(exceptions.alternatives(x), values, strict=True)):
        if value is None:
            error = AttributeError(f"{e.meta.__name__!r} object has no attribute {name!r}")
            if not found:
                engine.raise_constant(error)
            engine.ensure(flag_of(x.tag, [place != i for place in range(len(values))]), error)
    return [found[0] if value is None else value for value in values]


def chosen(engine: Engine, x: Any, values: list[Any], what: str) -> Any:
    """The value of each exception that `x` may be, as one."""
    found = exceptions.select(x, values)
    if found is None:
        names = " or ".join(dict.fromkeys([e.meta.__name__ for e in exceptions.alternatives(x)]))
        raise engine.refuse(
            f"{what} is not of one type for all the exceptions that arrive here ({names})",
            "write an `except` clause for each",
            remedy="case_split",
        )
    return found


def as_instance(engine: Engine, x: Compound) -> Ref:
    """An exception as an object whose attributes are read."""
    args, kwargs = exceptions.arguments(x)
    given = *args, *kwargs.values()
    made = initialized(engine, x)
    computed = [
        value
        for name, value in engine.content(made).fields.items()
        if name != "args" and not isinstance(value, Const) and not _is_among(value, given)
    ]
    if computed and any(isinstance(item, Ref) for item in given):
        raise engine.refuse(
            f"{x.meta.__name__} computes attributes from objects, which may have changed since",
            "compute them where the exception is raised",
        )
    return made


def _is_among(x: Any, items: tuple[Any, ...]) -> bool:
    return any(
        x is item or (isinstance(x, Ref) and isinstance(item, Ref) and same_ref(x, item))
        for item in items
    )


def class_of_exception(x: Any) -> Any:
    """`type(x)` of an exception."""
    if (unknown := exceptions.of_host(x)) is not None:
        return unknown
    if not isinstance(x, Variant):
        return Const(x.meta)
    classes = [e.meta for e in x.items]
    names = " or ".join(dict.fromkeys([cls.__name__ for cls in classes]))
    reason = f"the type of the exception that arrives here is {names}"
    conflict = Conflict(reason, hint="catch them in clauses of their own")
    return choices.one_of_these(x.tag, classes, conflict)
