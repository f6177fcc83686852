"""`sum`, `any`, `all` and `next` of a generator expression: a loop, which stays one where its items
allow.

The front end writes `sum(f(x) for x in items)` as

    folding = folds(sum, items, ...)
    total = start(sum, folding)
    for x in items:
        total = gather(sum, folding, total, f(x))
        if decided(sum, folding, total): break
    total = finish(sum, folding, total)

where `sum` may be anything, and `next` has a default.  Short known sequences are added up from a
list, whose items may be known as well.
"""

from __future__ import annotations

import builtins
from typing import Any

from pyxla.abstract.lattice import Array, Compound, Const, Scalar, Tuple
from pyxla.frontend import support
from pyxla.infer.calls.coroutines import is_generator
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.indexing import content_of
from pyxla.infer.containers.structure import length, sequence
from pyxla.infer.engine import Engine
from pyxla.lib import interpreted
from pyxla.lib.registry import rule

SHORT = 16
_START = {builtins.sum: 0, builtins.any: False, builtins.all: True, builtins.next: None}
_SEQUENCES = ("zip", "enumerate", "reversed", "map")


def _target(function: Any) -> Any:
    """`sum`, `any`, `all` or `next` where it is one of them."""
    known = [f for f in _START if isinstance(function, Const) and function.value is f]
    return known[0] if known else None


@rule(support.folds)
def _folds(engine: Engine, function: Any, items: Any, filtered: Any) -> Any:
    target = _target(function)
    if target is None:
        call(engine, Const(support.check_reads_all), [function], {})
    if target is not builtins.sum or is_generator(items):
        return Const(target is not None)
    heap, engine.heap = engine.heap, engine.heap.copy()
    folds = _folds_by_number(engine, items, filtered.value)
    engine.heap = heap  # a look ahead: the loop reads it
    return Const(folds)


def _folds_by_number(engine: Engine, items: Any, filtered: bool) -> bool:
    """Whether there may be many items, found by a number known at run time only."""
    found = sequence(engine, items)
    if not _by_number(engine, found):
        return False
    size = length(engine, found)
    return filtered or not (isinstance(size, Const) and size.value < SHORT)


def _by_number(engine: Engine, x: Any) -> bool:
    """Whether an item is found by a number known at run time only."""
    if isinstance(x, Compound) and x.kind in _SEQUENCES:
        parts = x.items[1:] if x.kind == "map" else x.items
        parts = x.items[:1] if x.kind in ("enumerate", "reversed") else parts
        return all(_by_number(engine, part) for part in parts)
    if isinstance(x, Compound):
        return x.kind == "range"
    if isinstance(x, Const):
        return isinstance(x.value, range)
    return isinstance(content_of(engine, x), Array)


@rule(support.start)
def _begin(engine: Engine, function: Any, folding: Any) -> Any:
    return Const(_START[_target(function)]) if folding.value else engine.new_list([])


@rule(support.gather)
def _gather(engine: Engine, function: Any, folding: Any, total: Any, value: Any) -> Any:
    if not folding.value:
        call(engine, Const(list.append), [total, value], {})
        return total
    if _target(function) is builtins.sum:
        return engine.rules.binary(engine, "add", total, value)
    if _target(function) is builtins.next:
        return Tuple((value,))  # which is not None, whatever the item is
    return engine.rules.truth(engine, value)


@rule(support.decided)
def _decided(engine: Engine, function: Any, folding: Any, total: Any) -> Any:
    target = _target(function)
    if not folding.value or target is builtins.sum:
        return Const(False)
    if target is builtins.next:
        return engine.rules.compare(engine, "is_not", total, Const(None))
    if target is builtins.any:
        return total
    return engine.rules.compare(engine, "eq", total, Const(False))


@rule(support.finish)
def _finish(engine: Engine, function: Any, folding: Any, total: Any, *default: Any) -> Any:
    if not folding.value:
        return call(engine, function, [total, *default], {})
    if _target(function) is builtins.next:
        return call(engine, Const(interpreted.first_item), [total, *default], {})
    return total if isinstance(total, (Scalar, Const)) else engine.use(total)
