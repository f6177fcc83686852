"""Lists that are rows of pools, so that they can be in several places (`infer.lists.sites`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyxla.abstract.heap import GrowingList, ListCell, RowList
from pyxla.abstract.lattice import Ref, Tuple
from pyxla.errors import Location, in_program
from pyxla.infer.demands import Path, argument_site
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.lists import columnar, growing, reading
from pyxla.infer.lists.item_joins import joined_items, with_column
from pyxla.infer.lists.item_types import LISTS, Nested, Row
from pyxla.infer.lists.items import count, item_of
from pyxla.infer.lists.pools import Given
from pyxla.infer.lists.sites import pooled_list
from pyxla.ir.core import Instr

_ITEMS = "lists with such items are not chosen among at run time"


def noted(engine: Engine) -> None:
    """Note that a list is made, for another attempt."""
    engine.findings.listed += 2 if engine.repeating else 1
    engine.findings.lists |= engine.findings.listed > 1


def start(engine: Engine) -> None:
    """Make the pools of the lists of the sites that need one, empty, where the program starts."""
    engine.shared = visit
    for sites in sorted(engine.demands.sites, key=lambda group: sorted(map(str, group))):
        cls = pooled_list(sites)
        engine.pools[cls] = engine.new(ListCell(()))
        engine.pool_fields[cls] = ("items",)
        engine.captures.pinned.append(engine.pools[cls])
        engine.sites.update(dict.fromkeys(sites, cls))


def given(engine: Engine, paths: Mapping[int, Path]) -> dict[type, Given]:
    """Let the lists that are arguments (cell -> path, those that are in others first) know their
    sites, or be the first rows of the pools that these have."""
    rows: dict[type, dict[int, Path]] = {}
    for cell, path in paths.items():
        site = argument_site(path)
        if site in engine.sites:
            rows.setdefault(engine.sites[site], {})[cell] = path
        else:
            engine.heap.infos[cell].sites = frozenset({site})
    return {cls: _enter_all(engine, cls, lists) for cls, lists in rows.items()}


def _enter_all(engine: Engine, cls: type, lists: Mapping[int, Path]) -> Given:
    """Make arguments the rows of a pool that is empty."""
    heap, pool = engine.heap, engine.pools[cls]
    parents = {x.parent.cell for x in map(heap.contents.get, lists) if type(x) is RowList}
    whole = [_apart(engine, Ref(parent)) for parent in sorted(parents)]
    if len(whole) == 1 and all(type(heap.contents[cell]) is RowList for cell in lists):
        made = replace(whole[0], item=Row(tuple, (whole[0].item,)))
    else:
        made = _laid(engine, pool, lists)
    heap.contents[pool.cell] = made
    for i, cell in enumerate(lists):
        heap.contents[cell] = RowList(pool, i, (0,), cls)
    return Given(tuple(lists.values()), made, tuple(reading.columns_of(engine, made)))


def _apart(engine: Engine, x: Ref) -> GrowingList:
    """The list of lists `x` as it was in columns: it becomes one of the rows as they are."""
    contents: Any = engine.heap.contents
    rows = {
        y.index: c for c, y in contents.items() if type(y) is RowList and y.parent.cell == x.cell
    }
    whole: Any = contents[x.cell]
    contents[x.cell] = ListCell(tuple([Ref(rows[i]) for i in range(len(rows))]))
    return whole


def _laid(engine: Engine, pool: Ref, lists: Mapping[int, Path]) -> GrowingList:
    """Lists in the columns of a pool."""
    heap = engine.heap
    item = joined_items([item_of(heap, Ref(cell)) for cell in lists])
    if not isinstance(item, Nested | Row):
        raise engine.refuse(_ITEMS)
    heap.contents[pool.cell] = ListCell(tuple([Tuple((Ref(cell),)) for cell in lists]))
    return columnar.keep(heap, pool, Row(tuple, (item,)), len(lists))


def visit(engine: Engine, frame: Frame, instr: Instr) -> Any:
    """As the rule of an instruction does; a list that it makes knows its site, and enters the pool
    that this has."""
    first = len(engine.heap.infos)
    x = engine.transfer[instr.op.name](engine, frame, instr)
    if type(x) is Ref and x.cell >= first and _is_new(engine, x):
        return made(engine, x, _site(engine, frame, instr))
    return x


def made(engine: Engine, x: Any, site: Location | None) -> Any:
    """`x`, which is new; a list made at `site`."""
    if site is not None and engine.shared is not None and type(x) is Ref and _is_new(engine, x):
        if site in engine.sites:
            enter(engine, x, engine.sites[site])
        else:
            engine.heap.infos[x.cell].sites = frozenset({site})
    return x


def _is_new(engine: Engine, x: Ref) -> bool:
    content, info = engine.heap.contents.get(x.cell), engine.heap.infos[x.cell]
    plain = isinstance(content, LISTS) and reading.class_of(content) is list
    return plain and not info.sites and info.pinned is None


def _site(engine: Engine, frame: Frame, instr: Instr) -> Location | None:
    """The place in the program; None for the lists that Python of the library keeps, which are
    those that it does not make for callers, as `defaultdict(list)` does."""
    own = not frame.module.get("__name__", "").startswith("pyxla.")
    factory = instr.op.name == "call" and len(instr.operands) == 1
    return in_program(instr.loc, engine.chain())[0] if own or factory else None


def enter(engine: Engine, x: Ref, cls: type) -> None:
    """Make a list a row of a pool, if its items can be there."""
    heap, pool = engine.heap, engine.pools[cls]
    item = item_of(heap, x)
    if isinstance(item, Row) and not count(item):
        item = replace(item, items=tuple(map(with_column, item.items)))
    if not isinstance(item, Nested | Row) or not count(item):
        return
    row = Tuple((x,))
    held: Any = heap.contents[pool.cell]
    if type(held) is ListCell:
        index: Any = 0
        engine.set_content(pool.cell, ListCell((row,)))
        columnar.keep(heap, pool, Row(tuple, (item,)))
    else:
        grown = columnar.found(heap, pool)
        if grown is None:
            engine.use(held)
            raise engine.refuse(_ITEMS)
        index = columnar.size_of(heap, grown)
        growing.append(engine, pool, grown, row)
    heap.contents[x.cell] = RowList(pool, index, (0,), cls)
