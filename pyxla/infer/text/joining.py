"""`str.join`: of texts that are known, of rows of code points, or by the host."""

from __future__ import annotations

from typing import Any

from pyxla.abstract.lattice import Compound, Const
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.indexing import get_item
from pyxla.infer.containers.making import unknown
from pyxla.infer.containers.structure import iterate
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, reading
from pyxla.infer.lists.item_joins import layout_of, picks_of, with_column
from pyxla.infer.lists.item_types import Chars, Made, Several
from pyxla.infer.lists.items import are_numbers
from pyxla.infer.raising.refusals import full_name
from pyxla.infer.text import codes, strings
from pyxla.infer.text.pieces import as_it_is, is_text, joined
from pyxla.lib import texts
from pyxla.lib.registry import rule


@rule(str.join)
def _str_join(engine: Engine, separator: Any, items: Any) -> Any:
    if coroutines.is_generator(items) or unknown(engine, items):
        items = call(engine, Const(list), [items], {})
    grown = columnar.found(engine.heap, items)
    if grown is not None and are_numbers(grown.item):
        return _join_numbers(engine, items, grown)
    made = _joined(engine, separator, items)
    if made is None:
        items = call(engine, Const(texts.all_texts), [items], {})
        made = _joined(engine, separator, items)
    if made is None:
        raise engine.refuse("items of these types are not joined", among=[items])
    return made


def _join_numbers(engine: Engine, items: Any, grown: Any) -> Const:
    """The join of no items: CPython raises of the first number that there is."""
    with engine.unchecked():
        first = get_item(engine, items, Const(0))
    name = full_name(engine.rules.type_of(engine, first))
    none = engine.rules.compare(engine, "eq", reading.length(engine, grown), Const(0))
    engine.ensure(none, TypeError(f"sequence item 0: expected str instance, {name} found"))
    return Const("")


def _joined(engine: Engine, separator: Any, items: Any) -> Any:
    """`separator.join(items)`; None where some of the items may be no texts."""
    grown = columnar.found(engine.heap, items)
    if grown is not None and _is_shown(grown.item):
        separator = engine.static(separator, "what is between the texts")
        return Compound("text", (as_it_is(engine, items),), (("join", separator),))
    if grown is None or not grown.columns:
        parts = iterate(engine, items)
        if not all(map(is_text, parts)):
            return None
        return joined([x for text in parts for x in (separator, text)][1:])
    picks = picks_of(with_column(grown.item))
    if isinstance(grown.item, Chars) or (picks and all(isinstance(p, str) for p in picks)):
        return codes.string(strings.joined_rows(engine, separator, items))
    return None


def _is_shown(item: Any) -> bool:
    """Whether items of a list are texts, of which the host puts some together."""
    if isinstance(item, Several):
        return all(_is_shown(i) or layout_of(i) is not None for i in item.items)
    return isinstance(item, Made) and item.cls == "text"
