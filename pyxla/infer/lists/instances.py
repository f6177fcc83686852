"""Instances that lists of unknown length hold, as references (`infer.lists.pools`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import Pooled, RowList
from pyxla.abstract.lattice import Conflict, Ref, Scalar, Variant
from pyxla.infer.arrays import access as arrays
from pyxla.infer.interface import Engine
from pyxla.infer.lists.sites import is_list
from pyxla.views import shadows


def pools_of(engine: Engine, items: Sequence[Any]) -> list[type] | None:
    """The class of the pool that each of these is in; None where one is in none."""
    contents = [engine.heap.contents.get(x.cell) if type(x) is Ref else None for x in items]
    classes = [c.cls for c in contents if isinstance(c, RowList | Pooled) and c.cls is not None]
    return classes if len(classes) == len(items) else None


def at_row(engine: Engine, cls: type, number: Any) -> Ref:
    """The instance of a class, or the list, that is row `number` of its pool."""
    row = Scalar(arrays.python_scalar(number, int).value, extent.AT_LEAST_0)
    if is_list(cls):
        return engine.new(RowList(engine.pools[cls], row, (0,), cls))
    return engine.new(Pooled(engine.pools[cls], row, cls))


def of_one_class(engine: Engine, classes: Sequence[type], which: Any, number: Any) -> Variant:
    """The instance of class number `which` that is row `number` of the pool of that."""
    names = " or ".join([f"an instance of {cls.__name__}" for cls in classes])
    selector = shadows.one_of(arrays.python_scalar(which, int).value, len(classes))
    items = tuple([at_row(engine, cls, number) for cls in classes])
    return Variant("mixed", selector, items, Conflict(f"this may be {names}", demand="case_split"))
