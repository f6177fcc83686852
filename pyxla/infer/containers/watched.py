"""Dicts and sets that change their size, deques that change at all but for an item that is set,
while a loop reads them: CPython raises.

What CPython makes of a dict that loses keys and gets as many depends on where its table has gaps;
that is refused.
"""

from __future__ import annotations

from typing import Any

from pyxla.abstract.heap import DictCell, ObjectCell, Pooled, SetCell
from pyxla.abstract.lattice import Compound, Const, Live, Reading, Ref, Scalar, Tuple
from pyxla.frontend import support
from pyxla.infer.calls import coroutines
from pyxla.infer.containers import tables
from pyxla.infer.containers.indexing import FALSE, TRUE, content_of
from pyxla.infer.containers.iterators import is_watched
from pyxla.infer.containers.structure import ITEMS, LENGTHS, TESTS, has_item, item, length, sequence
from pyxla.infer.containers.tables import COPY, KEYS
from pyxla.infer.engine import Engine
from pyxla.infer.lists import pool_rows
from pyxla.ir.core import Instr, Phi
from pyxla.lib import containers
from pyxla.lib.registry import rule

_DICT = RuntimeError("dictionary changed size during iteration")
_SET = RuntimeError("Set changed size during iteration")
_ORDERED = RuntimeError("OrderedDict mutated during iteration")
_DEQUE = RuntimeError("deque mutated during iteration")
_ERRORS = {
    containers.OrderedDict: _ORDERED,
    containers.Mapping: _DICT,
    containers.Deque: _DEQUE,
}


def _error(engine: Engine, x: Any) -> RuntimeError | None:
    """What is raised where `x` gets another size; None where nothing is."""
    if not isinstance(x, Ref):
        return None
    if (cls := tables.found(engine.heap, x)) is not None:
        return _SET if cls in tables.SETS else _DICT
    content = engine.heap.contents.get(x.cell)
    if type(content) is Pooled and pool_rows.comes_and_goes(engine, content):
        return _DICT
    if isinstance(content, ObjectCell | Pooled):
        return next((e for cls, e in _ERRORS.items() if issubclass(content.cls, cls)), None)
    return {DictCell: _DICT, SetCell: _SET}.get(type(content))


@rule(support.sequence)
def read(engine: Engine, x: Any, backwards: bool = False) -> Any:
    """What a loop over `x` indexes; a dict, set or deque is not to change its size meanwhile."""
    if is_watched(x):
        return x
    container = x.items[0] if type(x) is Live else x
    error = _error(engine, container)
    if engine.demands.ordered and error is not None:
        tables.follow(engine, tables.held_by(engine, container))
    items = _entries(engine, x) if type(x) is Live else sequence(engine, x)
    if error is None:
        return items
    # These look for another item first.
    late = error is _ORDERED or (error is _DEQUE and backwards)
    view = x.kind if type(x) is Live else ""
    return Compound("watched", (items, container, *_state(engine, container)), (late, view))


def settled(engine: Engine, x: Any) -> Any:
    """`x` as a variable of a call that is open (`frontend.recursion`): which container a loop reads
    where that is one for all calls, or a row of a pool; else its entries where they are constants
    and arguments, which nothing in the loop that the calls are changes; of a generator the
    iterators that it asks for its items, which stay where they are."""
    if coroutines.is_generator(x):
        return coroutines.kept_open(engine, x)
    if not isinstance(x, Compound) or x.kind not in ("watched", "values", "pairs"):
        return x
    if x.kind == "watched":
        _, container, *began = x.items
        began = [v for v in began if not _is_known(v)]
        if type(engine.heap.contents.get(container.cell)) is Pooled:
            return Tuple((Const(Reading(None, *x.meta)), container, *began))
        if container.cell < engine.frames[-1].first:
            return Tuple((Const(Reading(container, *x.meta)), *began))
    size = length(engine, x)
    if not isinstance(size, Const):
        return x
    entries = tuple([item(engine, x, Const(k)) for k in range(size.value)])
    return Tuple(entries) if all(map(_is_given, entries)) else x


def resumed(engine: Engine, x: Any) -> Any:
    """What `settled` made of a variable as the variable, with the entries that there are now."""
    if (found := coroutines.resumed(engine, x)) is not None:
        return found
    reading = x.items[0] if isinstance(x, Tuple) and x.items else None
    if not isinstance(reading, Const) or not isinstance(reading.value, Reading):
        return x
    container, late, view = [getattr(reading.value, field) for field in Reading.__slots__]
    began = x.items[1:]
    if container is None:
        container, *began = began
    entries = _entries(engine, Live(view, (container,))) if view else sequence(engine, container)
    return Compound("watched", (entries, container, *began), (late, view))


def _is_given(x: Any) -> bool:
    if isinstance(x, Tuple):
        return all(map(_is_given, x.items))
    number = isinstance(x, Scalar) and not isinstance(x.value.owner, Instr | Phi)
    return number or isinstance(x, Const)


def _entries(engine: Engine, view: Live) -> Any:
    """What a loop over `keys()`, `values()` or `items()` indexes: values as they are then."""
    (x,) = view.items
    keys = sequence(engine, tables.held_by(engine, x))
    if view.kind == "keys":
        return keys
    if tables.found(engine.heap, x) is None:
        values: Any = Compound("values", (x,), tuple([key.value for key in keys.items]))
    else:
        values = engine.content(x).fields["data"]
    return values if view.kind == "values" else Compound("pairs", (keys, values))


def _value(engine: Engine, x: Compound, i: Any) -> Any:
    """Value `i` of a dict whose keys were known when the loop began."""
    (ref,) = x.items
    if tables.found(engine.heap, ref) is not None:
        return item(engine, engine.content(ref).fields["data"], i)
    held = content_of(engine, tables.held_by(engine, ref)).items
    if (*held,) != x.meta:
        raise engine.refuse(KEYS, COPY)
    return item(engine, Tuple(tuple([held[key] for key in x.meta])), i)


def _state(engine: Engine, container: Any) -> list[Any]:
    """What is not to change: the size, and how often items were put into a deque, or left a dict
    that is followed, or the keys of one that is not, where they are known."""
    inner = tables.plain_sequence(engine, container)
    state = [length(engine, container if inner is None else inner)]
    if _error(engine, container) is _DEQUE:
        state.append(engine.content(container).fields["put"])
    elif (table := tables.table_in(engine, container)) is not None:
        state += [x for name, x in engine.content(table).fields.items() if name == "left"]
    elif isinstance(held := content_of(engine, tables.held_by(engine, container)), DictCell):
        state = [Const(len(held.items)), Const((*held.items,))]
    return state


def _has_item(engine: Engine, x: Compound, i: Any, asked: Any) -> Any:
    items, container, size, *_ = x.items
    if not engine.tests(RuntimeError):
        return has_item(engine, items, i)
    more, now, began = None, _state(engine, container), [*x.items[2:]]
    if x.meta[0]:
        more = engine.rules.compare(engine, "lt", i, size)
        asked = engine.rules.both(engine, asked, more)
    error = _error(engine, container)
    if error is _DICT or error is _ORDERED:
        _check_dict(engine, container, now, began, asked, error)
    else:
        _ensure_same(engine, now, began, asked, error)
    return has_item(engine, items, i) if more is None else more


def _check_dict(
    engine: Engine, container: Any, now: list[Any], began: list[Any], asked: Any, error: Exception
) -> None:
    """A dict is as large as it was when the loop began, and has the same keys."""
    _ensure_same(engine, now[:1], began[:1], asked, error)
    tables.read(engine, tables.held_by(engine, container))
    if len(now) != len(began) or _is_known(now[-1]) != _is_known(began[-1]):
        return  # nothing left it since, or else another attempt counts what did
    if not _is_known(now[-1]):
        other = RuntimeError(f"{KEYS}: {COPY}") if error is _DICT else error
        _ensure_same(engine, now[1:], began[1:], asked, other, other is error)
    elif now[1].value != began[1].value:
        raise engine.refuse(KEYS, COPY)


def _is_known(x: Any) -> bool:
    """Whether it is the keys of a dict."""
    return isinstance(x, Const) and type(x.value) is tuple


def _ensure_same(
    engine: Engine, now: Any, began: Any, asked: Any, error: Exception, catchable: bool = True
) -> None:
    """The program raises where the state of a container is another one and CPython asks for it."""
    if now == began or asked == FALSE:
        return
    same = engine.rules.compare(engine, "eq", Tuple((*now,)), Tuple((*began,)))
    if asked != TRUE:
        unasked = engine.rules.compare(engine, "eq", asked, FALSE)
        same = engine.rules.either(engine, unasked, same)
    engine.ensure(same, error, catchable)


TESTS["watched"] = _has_item
LENGTHS["watched"] = lambda engine, x: length(engine, x.items[0])
ITEMS["watched"] = lambda engine, x, i: item(engine, x.items[0], i)
LENGTHS["values"] = lambda engine, x: Const(len(x.meta))
ITEMS["values"] = _value
LENGTHS["pairs"] = lambda engine, x: length(engine, x.items[0])
ITEMS["pairs"] = lambda engine, x, i: Tuple(tuple([item(engine, part, i) for part in x.items]))
