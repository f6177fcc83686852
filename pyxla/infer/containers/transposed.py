"""`zip(*rows)` of rows whose number is known at run time only: tuples of as many items."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.lattice import Compound, Const
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.iterators import LAZY, iterator
from pyxla.infer.containers.making import unknown
from pyxla.infer.containers.structure import ITEMS, LENGTHS
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar
from pyxla.infer.lists.item_types import Row
from pyxla.lib import sequences


def zipped(engine: Engine, rows: Any) -> Any:
    """`zip(*rows)`, of which each item is made when it is asked for; None where the number of rows
    is known."""
    if not unknown(engine, rows):
        return None
    taken = call(engine, Const(list), [rows], {})  # whatever becomes of the list that they were in
    return iterator(engine, Compound("transposed", (taken,)), LAZY["zip"])


def _length(engine: Engine, x: Compound) -> Any:
    return call(engine, Const(sequences.shortest), list(x.items), {})


def _item(engine: Engine, x: Compound, i: Any) -> Any:
    item = getattr(columnar.found(engine.heap, x.items[0]), "item", None)
    if isinstance(item, Row) and any(part != item.items[0] for part in item.items):
        i = Const(engine.static(i, "which column, where they are of several types,"))
    with engine.unchecked():
        column = call(engine, Const(sequences.column), [*x.items, i], {})
    return call(engine, Const(tuple), [column], {})


LENGTHS["transposed"] = _length
ITEMS["transposed"] = _item
