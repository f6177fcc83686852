"""Lists whose length is known at run time only (`infer.lists.growing`), as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.heap import GrowingList
from pyxla.infer.interface import Engine
from pyxla.infer.joins import kinds
from pyxla.infer.lattice import Array, Const, Ref
from pyxla.infer.lists.item_types import Block, Nested, Number, Row
from pyxla.infer.lists.items import count, far_of
from pyxla.infer.lists.reading import columns_of, needs_length
from pyxla.lib import manipulation

MIXED = "the dtype of an array of these numbers depends on which of them there are"
SAID = "append numbers of one type, float(x), or say the dtype, np.array(items, dtype=float)"


def numbers(engine: Engine, content: GrowingList) -> tuple[Ref, bool] | None:
    """The column of a list of numbers, and whether they are Python's."""
    item = content.item
    if not isinstance(item, Number) or item.choices:
        return None
    column = content.columns[0]
    if content.size is not None:
        column = arrays.fresh(engine, columns_of(engine, content)[0])
    return column, item.type.weak


def ensure_dtype(engine: Engine, item: Number, columns: Sequence[Array]) -> None:
    """The program raises TypeError where a list of ints and floats holds no float: the array of it
    would have another dtype."""
    wide = [i for i, kind in enumerate(item.choices) if kinds.dtype_of(kind) == item.type.dtype]
    if not wide:
        raise engine.refuse(MIXED, SAID)
    which = arrays.fresh(engine, columns[1])
    found_: Any = Const(False)
    for i in wide:
        hits = engine.rules.compare(engine, "eq", which, Const(i))
        some = engine.rules.call(engine, Const(np.any), [hits], {})
        found_ = engine.rules.either(engine, found_, engine.rules.truth(engine, some))
    engine.ensure(found_, TypeError(f"{MIXED}: {SAID}"))


def as_columns(engine: Engine, content: GrowingList, floats: bool = False) -> Array:
    """The list as the array that NumPy makes of it; `floats`: which is to be one of these."""
    item = content.item
    columns = columns_of(engine, content)
    if isinstance(item, Number) and item.choices and not floats:
        ensure_dtype(engine, item, columns)
    if isinstance(item, (Number, Block)):
        return columns[0]
    if isinstance(item, Nested) and item.fixed is not None and count(item) == 2:
        return columns[1]
    parts = item.items if isinstance(item, Row) and item.cls is not str and not far_of(item) else ()
    flat = parts and all(isinstance(i, (Number, Block)) for i in parts)
    if not flat or len({c.shape for c in columns}) > 1 or len(parts) != len(columns):
        what = "a list of such items does not become an array here"
        raise needs_length(engine, content, what)
    whole = manipulation.stack([Array(c.value) for c in columns], axis=1)
    return Array(whole.value, (*(columns[0].extents or (None,)), *[None] * (whole.ndim - 1)))
