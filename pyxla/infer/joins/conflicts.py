"""What is told where paths meet with values that have no common type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.abstract.heap import (
    DictCell,
    GrowingList,
    ListCell,
    ObjectCell,
    Pooled,
    RowList,
    SetCell,
    Shadow,
)
from pyxla.abstract.lattice import (
    SAME_SHAPE,
    SAME_TYPE,
    UNDEFINED,
    Array,
    Compound,
    Conflict,
    Ref,
    Tuple,
    Variant,
    describe,
    is_none,
)
from pyxla.errors import is_own
from pyxla.infer.joins import closures
from pyxla.infer.joins.edges import Edge
from pyxla.infer.lists import sites
from pyxla.infer.lists.pools import container_class
from pyxla.ir.core import Value

_OF_ONE_TYPE = (
    "where lists differ in length, their items are of one type: keep one list for each type, or "
    "fill an array and count"
)

_OF_ONE_DTYPE = "give the arrays one dtype and shape on every path, as with x.astype(float)"

_OF_TEXT = (
    "text does not grow where data says how often: append known texts to a list, '01'[n % 2] for "
    "str(n % 2), and join them at the end"
)


def _content(value: Any, state: Any) -> Any:
    return state.heap.contents.get(value.cell) if isinstance(value, Ref) else value


def shown(value: Any, state: Any) -> str:
    """What `value` is in `state`, which has a heap, for messages."""
    content = _content(value, state)
    if isinstance(content, ListCell):
        return f"a list of {len(content.items)} items"
    if isinstance(content, DictCell):
        return f"a dict with keys {list(content.items)}"
    if isinstance(content, ObjectCell | Pooled):
        return f"an instance of {content.cls.__name__}"
    if isinstance(content, Array) and isinstance(value, Ref) and value.view:
        return f"a view of shape {value.view[-1].shape} of {describe(content)}"
    if isinstance(content, Array) and isinstance(value, Ref) and not content.shape:
        return f"a 0-d array of {content.dtype} (`x[()]` is its scalar)"
    return describe(content if isinstance(content, Array) else value)


def sort_of(content: Any) -> str:
    """What the content of a cell is called in messages."""
    for classes, name in _WORDS.items():
        if isinstance(content, classes):
            return name
    return "object"


_LISTS = (ListCell, GrowingList, RowList)
_SEVERAL = (Conflict, Variant)
_HELD = (ListCell, DictCell)
MOST_TOLD = 4  # kinds of values, and places, that a refusal names
_WORDS: dict[Any, str] = {
    (Array, Shadow): "array",
    (ListCell, GrowingList, RowList): "list",
    DictCell: "dict",
    SetCell: "set",
}


def quoted(name: str) -> str:
    """The name of a variable of the program, quoted; empty for a temporary (`frontend.hoist`)."""
    return "" if re.fullmatch(r"_t_*\d+", name) else repr(name) if name else ""


def _demand(met: Sequence[tuple[Any, Any]]) -> str:
    """What may make one value of these contents, each with its state: a pool, if all that are
    something would be rows of it.  Lists of several lengths, and dicts with several keys, are
    joined where what they hold is of one type: what they hold is in a pool then.  What met before
    and has no one type, no pool holds."""
    if any(isinstance(x, Conflict) and x.demand == "case_split" for x, _ in met):
        return "case_split"
    known = [x for x, _ in met if not (x is None or is_none(x) or isinstance(x, _SEVERAL))]
    pools = set(map(_pool, known))
    if len(pools) == 1 and not pools & {list, None}:
        return "pooled"
    held = {_pool(_content(part, state)) for x, state in met for part in _parts(x)}
    if held and not held & {list, None} and all(isinstance(x, _HELD) for x in known):
        return "pooled"
    return "shared" if pools == {list} else "case_split"


def _parts(content: Any) -> Iterator[Any]:
    """What a list or a dict holds; of tuples and methods the objects: numbers are columns."""
    for part in content.parts if isinstance(content, _HELD) else ():
        yield from closures.objects_in(part) if isinstance(part, (Tuple, Compound)) else [part]


def _pool(content: Any) -> Any:
    """Which pool has objects like this one; None if none has."""
    if isinstance(content, _LISTS):
        return list
    if isinstance(content, ObjectCell | Pooled):
        return content.cls
    return container_class(content) or closures.class_of(content)


def conflict(
    values: list[Any], states: Sequence[Edge], name: str, tests: tuple[Value, ...]
) -> Conflict:
    """Of the values that `name` has in these states, decided by `tests`."""
    notes = []
    for value, state in zip(values, states, strict=True):
        note = (f"{shown(value, state)} here", state.loc)
        if value is not UNDEFINED and note not in notes:
            notes.append(note)
    own = any(loc is not None and is_own(loc) for _, loc in notes)  # which is not shown
    what = "the value" if own else quoted(name) or "the value"
    told = list(dict.fromkeys([text.removesuffix(" here") for text, _ in notes]))
    if len(told) > MOST_TOLD:
        told[MOST_TOLD - 1 :] = [f"one of {len(told) - MOST_TOLD + 1} others"]
    kinds = " or ".join(told)
    lists = [isinstance(_content(v, s), ListCell) for v, s in zip(values, states, strict=True)]
    texts = [isinstance(value, Compound) and value.kind == "text" for value in values]
    hint = _OF_TEXT if any(texts) else _OF_ONE_TYPE if all(lists) else SAME_TYPE
    pairs = [(v, s) for v, s in zip(values, states, strict=True) if v is not UNDEFINED]
    met = [(_content(v, s), s) for v, s in pairs]
    contents = [x for x, _ in met]
    arrays = {(x.dtype, len(x.shape)) if isinstance(x, Array) else None for x in contents}
    if len({key and key[0] for key in arrays} | {None}) > 2:
        hint = _OF_ONE_DTYPE
    elif len(arrays) == 1 and None not in arrays:
        hint = SAME_SHAPE
    places = () if own else tuple(notes[:MOST_TOLD])
    found = Conflict(f"{what} may be {kinds}", places, tests, hint, _demand(met))
    if found.demand == "pooled":
        found.among = tuple([x for content in contents for x in _parts(content)])
    elif all(isinstance(x, (ObjectCell, Pooled, Variant)) for x in contents):
        found.among = tuple(values)
    if all(isinstance(value, Ref) for value in values):
        found.sites = sites.of_all(
            [s.heap.infos[v.cell] for v, s in zip(values, states, strict=True)]
        )
    return found
