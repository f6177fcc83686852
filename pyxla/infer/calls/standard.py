"""The standard library in compiled code: what is visited, executed or refused, and why."""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import math
import operator
import os
import statistics
import sys
import types
from collections.abc import Sequence
from typing import Any

from numpy.polynomial import polyutils

from pyxla.abstract.heap import ListCell
from pyxla.abstract.lattice import (
    Compound,
    Const,
    Ref,
    Tuple,
    is_number,
)
from pyxla.errors import CompileError
from pyxla.frontend import support
from pyxla.infer.calls import coroutines
from pyxla.infer.calls.visiting import class_of
from pyxla.infer.classes import is_generated, is_python
from pyxla.infer.containers.iterators import read_in_steps, state_of
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar
from pyxla.infer.lists.items import holds_instances
from pyxla.lib import averages, bisection, heaps, interpreted, polynomials, sequences, zipping
from pyxla.lib.refused import KNOWN_AS
from pyxla.lib.registry import rule
from pyxla.lib.scipys import kernel

# C functions, and the Python that is visited in their place.
INTERPRETED: dict[Any, Any] = {
    bisect.bisect_left: bisection.bisect_left,
    bisect.bisect_right: bisection.bisect_right,
    bisect.insort_left: bisection.insort_left,
    bisect.insort_right: bisection.insort_right,
    heapq.heappush: heaps.heappush,
    heapq.heappop: heaps.heappop,
    heapq.heapreplace: heaps.heapreplace,
    heapq.heappushpop: heaps.heappushpop,
    heapq.heapify: heaps.heapify,
    heapq.nsmallest: heaps.nsmallest,
    heapq.nlargest: heaps.nlargest,
    operator.call: interpreted.called,
    operator.concat: interpreted.concatenated,
    operator.countOf: interpreted.count_of,
    operator.iconcat: interpreted.extended,
    operator.indexOf: interpreted.index_of,
    operator.inv: interpreted.inverted,
    polyutils.as_series: polynomials.as_series,
    Sequence.__contains__: interpreted.contains,
    Sequence.count: interpreted.count_of,
    Sequence.index: interpreted.index,
    sys.exit: interpreted.exit_,
    sys.setrecursionlimit: interpreted.setrecursionlimit,
    **{
        getattr(statistics, name): getattr(averages, name)
        for name in (
            *("mean", "fmean", "harmonic_mean", "mode"),
            *("variance", "pvariance", "stdev", "pstdev"),
        )
    },
}
# What gives an iterator, of which an item is made when it is asked for.
_ITERATORS: dict[Any, Any] = {
    filter: interpreted.filter_,
    itertools.filterfalse: interpreted.filterfalse,
    itertools.starmap: interpreted.starmap,
    itertools.islice: interpreted.islice,
    itertools.takewhile: interpreted.takewhile,
    itertools.dropwhile: interpreted.dropwhile,
    itertools.chain: interpreted.chain,
    itertools.chain.from_iterable: interpreted.from_iterable,
    itertools.accumulate: interpreted.accumulate,
    itertools.pairwise: interpreted.pairwise,
    itertools.compress: interpreted.compress,
}
# What reads a generator, and the Python that is visited in its place.
READERS: dict[Any, Any] = {
    **_ITERATORS,
    list: interpreted.collected,
    tuple: interpreted.tuple_,
    set: interpreted.set_,
    dict: interpreted.dict_,
    sorted: interpreted.sorted_,
    sum: interpreted.sum_,
    any: interpreted.any_,
    all: interpreted.all_,
    max: interpreted.max_,
    min: interpreted.min_,
    next: interpreted.next_,
    enumerate: interpreted.enumerate_,
    map: interpreted.map_,
    zip: zipping.zip_first,
    functools.reduce: interpreted.reduce_,
    list.extend: sequences.extend,
    set.update: interpreted.update_set,
    dict.update: interpreted.update_dict,
}
# What makes one of anything.
MAKERS: dict[Any, Any] = {
    **_ITERATORS,
    itertools.count: interpreted.count,
    itertools.groupby: interpreted.groupby,
    itertools.cycle: interpreted.cycle,
    itertools.zip_longest: zipping.zip_longest,
}
# What takes a generator as it is.
_KEEPING = frozenset(
    {
        *(iter, isinstance, type, callable, hasattr, getattr, setattr, functools.partial, id, bool),
        *(list.append, list.insert, dict.get, dict.setdefault, dict.pop, heapq.merge),
        *(len, str, repr, print, format, str.format, hash),
    }
)
# Modules whose functions depend on their arguments alone, and change nothing.
PURE = frozenset({"re", "json", "json.decoder", "json.encoder", "string", "textwrap", "fnmatch"})
_FOLDER = os.path.dirname(os.__file__) + os.sep


def is_standard(function: types.FunctionType) -> bool:
    """Whether a Python function is the standard library's own."""
    file = function.__code__.co_filename
    return file.startswith((_FOLDER, "<frozen ")) and "site-packages" not in file


def interpreted_of(value: Any) -> Any:
    """The Python that is visited in the place of a C function or class."""
    if isinstance(value, type):
        return MAKERS.get(value)
    cython = "cython_function" in type(value).__name__
    if cython or isinstance(value, (types.BuiltinFunctionType, types.FunctionType)):
        return INTERPRETED.get(value) or MAKERS.get(value) or kernel(value)
    return None


_READ_ALL = {list, tuple, set, frozenset, sorted, dict, max, min, sum, bytes, bytearray}
_READ_ALL |= {collections.Counter, collections.OrderedDict, collections.deque, str.join}
_READ_ALL |= {math.fsum, math.prod, statistics.mean, statistics.fmean, statistics.median}


@rule(support.reads_all)
def _reads_all(engine: Engine, function: Any) -> Const:
    target = function.items[0] if getattr(function, "kind", "") == "method" else function
    value = getattr(target, "value", None)
    if getattr(value, "__name__", "") == "join" and type(getattr(value, "__self__", None)) is str:
        value = str.join
    return Const(any(value is known for known in _READ_ALL))


@rule(support.check_reads_all)
def _check_reads_all(engine: Engine, function: Any) -> Const:
    if not _reads_all(engine, function).value:
        raise engine.refuse(
            "this function gets a generator expression, and is not the one that it is named like",
            "name it otherwise, or pass a list",
        )
    return Const(None)


def reads(value: Any, implementation: Any) -> bool:
    """Whether a library function reads the generators among its arguments."""
    if getattr(value, "__module__", None) == support.__name__:
        return False
    try:
        return value in READERS or (implementation is not None and value not in _KEEPING)
    except TypeError:  # not hashable
        return False


def asks(engine: Engine, x: Any, *methods: str) -> bool:
    """Whether `x` is an instance that has one of these methods, written by the program."""
    cls = class_of(engine, x) if isinstance(x, (Ref, Tuple)) else None
    found = [engine.captures.member(cls, name) for name in methods] if cls is not None else []
    return any(is_python(method) and not is_generated(method) for method in found)


def is_seen(engine: Engine, x: Any, *methods: str) -> bool:
    """Whether the program sees how many items of `x` are looked at: they are made when they are
    asked for, or have one of these methods."""
    if (state := state_of(engine, x)) is not None:
        x = state.fields["items"]
    if isinstance(x, Compound):
        lazy = x.kind in ("zip", "enumerate", "reversed")
        return x.kind == "map" or (lazy and any(is_seen(engine, v, *methods) for v in x.items))
    if isinstance(x, Ref) and (grown := columnar.found(engine.heap, x)) is not None:
        return grown.item is not None and holds_instances(grown.item)
    content = engine.heap.contents.get(x.cell) if isinstance(x, Ref) else x
    items = content.items if isinstance(content, (ListCell, Tuple)) else ()
    return any(asks(engine, item, *methods) for item in items)


def start_of_sum(engine: Engine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What `sum` adds to first, which is no text."""
    start = kwargs.get("start", args[1] if len(args) > 1 else Const(0))
    if not is_number(start):
        engine.rules.call(engine, Const(interpreted.check_start), [start], {})
    return start


def reader_of(
    engine: Engine, value: Any, args: list[Any], strict: bool = False
) -> tuple[Any, list[Any]]:
    """The Python that reads generators as `value(*args)` does, with its arguments; None if none.

    strict: of `zip`.
    """
    places = [i for i, x in enumerate(args) if coroutines.is_generator(x)]
    if value is zip:
        if places == [0]:
            return zipping.zip_first_strictly if strict else zipping.zip_first, args
        if places == [1] and len(args) == 2:
            return zipping.zip_last_strictly if strict else zipping.zip_last, args
        for i in places:
            read_in_steps(engine, args[i])
        raise engine.refuse(
            "zip of a generator and others in this order is not compiled",
            "make lists of the generators, or pass one, as the first",
        )
    if value is map and len(args) > 2:
        return interpreted.starmap, [args[0], engine.rules.call(engine, Const(zip), args[1:], {})]
    several = value in (max, min) and len(args) > 1
    return None if several else READERS.get(value), args


def refused(engine: Engine, function: Any, error: CompileError) -> CompileError:
    """The refusal of a standard function, at the line that calls it."""
    ours, module = function.__module__.startswith("pyxla.lib."), function.__module__
    name = function.__name__ if ours else f"{KNOWN_AS.get(module, module)}.{function.__qualname__}"
    reason = error.message.rpartition("cannot be compiled: ")[2]  # of the innermost function
    return engine.refuse(
        f"{name} of the standard library cannot be compiled: {reason}",
        "call it outside, and pass what it returns as an argument",
    )
