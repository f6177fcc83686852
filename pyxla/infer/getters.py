"""`operator.index`, and what `operator.itemgetter` and its like make."""

from __future__ import annotations

import operator
from typing import Any

from pyxla.abstract.lattice import Array, Compound, Const, Scalar, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.indexing import get_item
from pyxla.infer.engine import Engine
from pyxla.infer.joins.kinds import NO_INT, as_one_int
from pyxla.infer.objects import get_attribute
from pyxla.infer.raising.refusals import full_name, python_class
from pyxla.lib.registry import rule


@rule(operator.index)
def _index(engine: Engine, a: Any) -> Any:
    """The Python int that stands for an integer."""
    if isinstance(a, Const):
        return engine.fold_object(operator.index, (a.value,))
    a = as_one_int(engine, a, NO_INT)
    if isinstance(a, Scalar) and a.kinds is None and a.kind in (int, bool):
        return a if a.kind is int else call(engine, Const(int), [a], {})
    x = arrays.read(engine, a) if arrays.is_array(engine, a) else a
    if isinstance(x, Array) and x.kinds is None and not x.shape and x.dtype.kind in "iu":
        return call(engine, Const(int), [a], {})
    method = engine.rules.special(engine, a, "__index__", ())
    if method is not None:
        return method
    cls = python_class(engine, a)
    words = cls and NO_INT.format(full_name(cls))
    what, hint = "operator.index: this is no integer", "convert it with int()"
    raise engine.refuse(what, hint, raises=TypeError, words=words)


@rule(operator.itemgetter)
def _itemgetter(engine: Engine, *keys: Any) -> Any:
    return Compound("partial", (Const(_get_items), Tuple(keys)), (1, ()))


@rule(operator.attrgetter)
def _attrgetter(engine: Engine, *names: Any) -> Any:
    return Compound("partial", (Const(_get_attributes), Tuple(names)), (1, ()))


@rule(operator.methodcaller)
def _methodcaller(engine: Engine, name: Any, *args: Any, **kwargs: Any) -> Any:
    given = engine.new_dict(kwargs)
    return Compound("partial", (Const(_call_method), name, Tuple(args), given), (3, ()))


def _get_items(*args: Any) -> Any:
    """Stands for what `operator.itemgetter` returns."""


def _get_attributes(*args: Any) -> Any:
    """Stands for what `operator.attrgetter` returns."""


def _call_method(*args: Any) -> Any:
    """Stands for what `operator.methodcaller` returns."""


def _one_or_all(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else Tuple(tuple(found))


@rule(_get_items)
def _apply_itemgetter(engine: Engine, keys: Any, x: Any) -> Any:
    return _one_or_all([get_item(engine, x, k) for k in keys.items])


@rule(_get_attributes)
def _apply_attrgetter(engine: Engine, names: Any, x: Any) -> Any:
    found = []
    for name in names.items:
        part = x
        for step in engine.static(name).split("."):
            part = get_attribute(engine, part, step)
        found.append(part)
    return _one_or_all(found)


@rule(_call_method)
def _apply_methodcaller(engine: Engine, name: Any, args: Any, kwargs: Any, x: Any) -> Any:
    method = get_attribute(engine, x, engine.static(name))
    return call(engine, method, list(args.items), dict(engine.content(kwargs).items))
