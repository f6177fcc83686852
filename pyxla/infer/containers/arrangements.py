"""`itertools.product`, `combinations` and `permutations` as sequences.

Which items an arrangement has depends on how many there are alone, so that a loop over arrangements
reads their places from a table: it stays a loop where its items are of one type.  Where run time
says how many items there are, or are taken, arrangements are generators instead.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import ListCell
from pyxla.abstract.lattice import Array, Compound, Const, Scalar, Tuple, is_number
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers import structure
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.containers.iterators import iterator
from pyxla.infer.containers.making import unknown
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, number_lists
from pyxla.infer.lists.item_types import Number, Row
from pyxla.infer.using import decided_by_data
from pyxla.lib import arrangements as lib
from pyxla.lib.registry import rule
from pyxla.ops.shape import constant

# Loops over at most this many arrangements are unrolled where items differ in type.
SHORT = 16
# Tables have at most this many entries.
MOST = 1 << 24


@dataclass(frozen=True, slots=True)
class Places:
    """Which places of pools of these sizes the arrangements take, `width` each."""

    make: Callable[..., Any]
    sizes: tuple[int, ...]
    width: int

    @property
    def count(self) -> int:
        n, r = self.sizes[0] if self.sizes else 0, self.width
        if self.make is itertools.product:
            return math.prod(self.sizes)
        if self.make is itertools.permutations:
            return math.perm(n, r)
        if self.make is itertools.combinations:
            return math.comb(n, r)
        return math.comb(n + r - 1, r) if n else int(r == 0)


@functools.lru_cache(maxsize=16)
def _table(places: Places) -> np.ndarray:
    """The places of each arrangement, a row each."""
    kind = np.min_scalar_type(max(places.sizes, default=1))
    flat = itertools.chain.from_iterable(places.make(range(places.sizes[0]), places.width))
    held = np.fromiter(flat, dtype=kind, count=places.count * places.width)
    return held.reshape(places.count, places.width)


def _arranged(engine: Engine, make: Any, pools: list[Any], sizes: list[int], width: int) -> Any:
    places = Places(make, tuple(sizes), width)
    if make is not itertools.product and places.count * width > MOST:
        raise engine.refuse(
            f"there are too many {make.__name__}() of {sizes[0]} items, {width} at a time",
            "write the loops over indices yourself",
        )
    kept = [_pool(engine, pool, places.count > SHORT) for pool in pools]
    return iterator(engine, Compound("arrangement", (Const(places), *kept)))


def _pool(engine: Engine, x: Any, packed: bool) -> Any:
    """The items as they are now, where a subscript known at run time only may choose among them."""
    x = structure.sequence(engine, x)
    if isinstance(x, Const) and isinstance(x.value, range):
        return x
    if isinstance(content_of(engine, x), Array):  # rows are views of it, elements are not
        one = len(arrays.shown(engine, x)[0]) == 1
        return arrays.fresh(engine, arrays.read(engine, x)) if one else x
    items = tuple(structure.iterate(engine, x))
    pool = engine.new(ListCell(items))
    if not packed:
        return pool
    if all(isinstance(i, (Tuple, Const)) or is_number(i) for i in items):
        item = columnar.common_item([(engine, ListCell(items))])
        parts = item.items if isinstance(item, Row) else (item,)
        if all(isinstance(i, Number) and not i.choices for i in parts):
            number_lists.pack(engine, pool, item)
    return pool


def _item(engine: Engine, x: Compound, i: Any) -> Any:
    """Arrangement `i`."""
    places, pools = x.items[0].value, x.items[1:]
    if places.make is itertools.product:
        return Tuple(_digits(engine, places, pools, i))
    table = _table(places)
    i = Const(0) if places.count == 1 else i
    if isinstance(i, Const):
        return Tuple(
            tuple([structure.item(engine, pools[0], Const(int(k))) for k in table[i.value]])
        )
    whole = arrays.fresh(engine, Array(constant(value=table)))
    last = extent.IntFact(0, max(places.sizes[0] - 1, 0))
    found = []
    for k in range(places.width):
        place = arrays.getitem(engine, whole, Tuple((i, Const(k))))
        at = Scalar(arrays.python_scalar(place, int).value, last)
        found.append(structure.item(engine, pools[0], at))
    return Tuple(tuple(found))


def _digits(engine: Engine, places: Places, pools: tuple[Any, ...], i: Any) -> tuple[Any, ...]:
    """Item `i` of a product: its digits, the last pool's the fastest."""
    binary = engine.rules.binary
    found: list[Any] = []
    for pool, size in zip(reversed(pools), reversed(places.sizes), strict=True):
        digit = binary(engine, "mod", i, Const(size)) if len(found) + 1 < len(pools) else i
        i = binary(engine, "floordiv", i, Const(size))
        if size == 1:
            digit = Const(0)
        if isinstance(digit, Scalar):
            digit = Scalar(digit.value, extent.meet(extent.fact(digit), 0, size - 1))
        found.append(structure.item(engine, pool, digit))
    return tuple(reversed(found))


structure.LENGTHS["arrangement"] = lambda engine, x: Const(x.items[0].value.count)
structure.ITEMS["arrangement"] = _item


@rule(itertools.product)
def _product(engine: Engine, *xs: Any, repeat: Any = Const(1)) -> Any:
    times = max(engine.static(repeat, "the number of repetitions"), 0)
    if any(unknown(engine, x) for x in xs):
        pools = [_listed(engine, x) for x in xs] * times
        return call(engine, Const(lib.product), pools, {})
    pools = [*xs] * times
    held = [_known(engine, pool) for pool in xs]
    sizes = [engine.static(structure.length(engine, pool), "the number of items") for pool in held]
    return _arranged(engine, itertools.product, held * times, sizes * times, len(pools))


def _known(engine: Engine, x: Any) -> Any:
    """A sequence of which the length can be asked, and which can be read again."""
    if isinstance(x, Const) or isinstance(content_of(engine, x), Array):
        return structure.sequence(engine, x)
    return engine.new(ListCell(tuple(structure.iterate(engine, x))))


def _listed(engine: Engine, x: Any) -> Any:
    """The items as they are now."""
    return call(engine, Const(list), [x], {})


def _chosen(make: Any, of_any_size: Any, of_any_width: Any) -> None:
    @rule(make)
    def function(engine: Engine, iterable: Any, r: Any = Const(None)) -> Any:
        if decided_by_data(engine, r):
            listed = _listed(engine, iterable)
            call(engine, Const(lib.check_width), [r], {})
            return call(engine, Const(of_any_width), [listed, r], {})
        if unknown(engine, iterable):
            width = engine.static(r, "the number of items of each")
            if width is None:
                raise engine.refuse(f"how many items {make.__name__}() takes is not known", _WIDTH)
            if width < 0:
                return engine.raise_constant(ValueError("r must be non-negative"))
            return call(engine, Const(of_any_size), [_listed(engine, iterable), Const(width)], {})
        pool = _known(engine, iterable)
        size = engine.static(structure.length(engine, pool), "the number of items")
        width = engine.static(r, "the number of items of each")
        width = size if width is None else width
        if width < 0:
            return engine.raise_constant(ValueError("r must be non-negative"))
        return _arranged(engine, make, [pool], [size], width)


_WIDTH = "say how many are taken at a time"
_chosen(itertools.combinations, lib.combinations, lib.any_combinations)
_chosen(itertools.combinations_with_replacement, lib.with_replacement, lib.any_with_replacement)
_chosen(itertools.permutations, lib.permutations, lib.any_permutations)
