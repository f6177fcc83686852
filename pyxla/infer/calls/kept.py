"""Functions whose results are kept: `functools.cache` and `lru_cache`.

As long as such a function does nothing but compute numbers and arrays, nobody can tell whether it
ran again: for known arguments it is visited once, for others where it is called.  Where it writes,
prints, draws or makes objects, which CPython gives to all its calls, the results are in a dict
(`lib.kept`), as another attempt is asked for (`Demands.kept`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyxla.abstract.facts.deciding import by_counted_loops
from pyxla.abstract.heap import reachable
from pyxla.abstract.lattice import Array, Compound, Const, NeedsStatic, Ref, Scalar, Tuple
from pyxla.frontend.source import SourceFunction
from pyxla.infer.calls.visiting import boxes_of, class_of
from pyxla.infer.demands import Demands, Needs
from pyxla.infer.engine import Engine
from pyxla.ir.core import Block, Value
from pyxla.lib import kept

SHARED = "this object is the result of a cached function, which all its calls share"
METHOD = (
    "a method whose results functools keeps gives what the object was like at its first call",
    "keep results in a cached_property, or in a cached function of what they depend on",
)
OUTSIDE = (
    "a function whose results functools keeps prints, draws or changes what is outside, once for "
    "each of its arguments, whoever calls it",
    "call it without the cache (f.__wrapped__), or make it inside",
)
RECURSIVE = (
    "a function whose results functools keeps calls itself as often as data says, and prints, "
    "draws or changes more than it makes: the next call of it would do so again",
    "call it once, with the largest arguments, or keep the results in a dict",
)
FORGETFUL = (
    "a function of which functools keeps so many results at most (maxsize) calls itself as often "
    "as data says, and prints, draws or changes more than it makes",
    "use functools.cache",
)
PASSED_BY = (
    "a function whose results functools keeps is called without the cache (f.__wrapped__), and "
    "calls itself, with it, as often as data says",
    "call it with the cache",
)
TYPED = (
    "a function whose results functools keeps apart for each type (typed=True) prints, draws, or "
    "changes or makes objects",
    "use functools.cache",
)
_CACHED = type(functools.cache(len))


@dataclass(eq=False, slots=True)
class Cache:
    """Of a function that the program makes.  loops: in how many it is made; maxsize and typed: as
    for `lru_cache`; missed: whether there was a call with other effects than its result."""

    loops: int
    maxsize: int | None = None
    typed: bool = False
    missed: bool = False


def is_cached(value: Any) -> bool:
    """Whether `functools.cache` or `lru_cache` made it."""
    return isinstance(value, _CACHED)


def uncached(function: Any) -> Any:
    """The function whose results an abstract function keeps; itself where it keeps none."""
    if isinstance(function, Compound) and function.kind == "cached":
        return function.items[0]
    known = isinstance(function, Const) and is_cached(function.value)
    return Const(function.value.__wrapped__) if known else function


def cached(engine: Engine, function: Any, maxsize: int | None = None, typed: bool = False) -> Any:
    """A function whose results are kept; maxsize: how many of them."""
    made = Compound("cached", (function,), Cache(engine.repeating, maxsize, typed))
    if _origin(made) in engine.demands.kept:
        made.items = function, engine.new_dict({})
    return made


def decorate(
    engine: Engine, limits: tuple[Any, ...], args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """What `lru_cache(*limits)` makes of a function."""
    (function,) = args
    return cached(engine, function, *limits)


def start(engine: Engine, functions: Iterable[Any]) -> None:
    """Make the dicts for the results of the user's cached functions, where the program starts."""
    made = [f for f in functions if is_cached(f)]
    engine.results = {f: engine.new_dict({}) for f in made}
    engine.captures.pinned.extend(engine.results.values())


def clear(engine: Engine, items: tuple[Any, ...], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Results that were kept are computed again."""
    (cached,) = items
    for key in [key for key in engine.kept if key[0] is cached.meta]:
        engine.kept[key] = None, None
    _note(engine, cached)
    if (results := _results(engine, cached)) is not None:
        engine.rules.call(engine, Const(kept.forgotten), [results], {})
    return Const(None)


def _note(engine: Engine, callee: Any) -> None:
    """Another entry, which says that the call is none for a summary (`infer.calls.summaries`)."""
    engine.kept[_cache(callee), len(engine.kept)] = None, None


def call_kept(engine: Engine, callee: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function whose results are kept."""
    known = [*args, *kwargs.values()]
    maxsize, typed = _limits(callee)
    if maxsize is not None and maxsize <= 0:  # none is kept
        return engine.rules.call(engine, uncached(callee), args, kwargs)
    results, stacked = _results(engine, callee), _stacked(engine, callee)
    shares = stacked and maxsize is None and not typed
    if results is not None and shares:
        return _among(engine, callee, results, args, kwargs)
    if results is not None:
        return _remembered(engine, callee, results, args, kwargs)
    # One dict is for all calls of a loop, and those that they lead to.
    of_loop = Demands(
        kept=frozenset({_origin(callee)} if engine.repeating > _made_in(callee) else ())
    )
    if shares and of_loop.kept:
        raise Needs(engine.loc, kept=of_loop.kept)
    for x in known if not stacked else ():
        if isinstance(x, Scalar) and by_counted_loops(x.value, engine.heads()):
            raise NeedsStatic(x, "an argument of a function whose results are kept")
    try:
        if all(isinstance(x, Const) for x in known):
            return _visited_once(engine, callee, args, kwargs)
        return _visited(engine, callee, args, kwargs)
    except Needs as need:
        if need.demands.stacks and maxsize is None and not typed:
            need.demands |= of_loop
        raise


def _visited_once(engine: Engine, callee: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result for known arguments: if it is known too, or computed on all paths that lead here,
    that of the first visit."""
    values = [x.value for x in (*args, *kwargs.values())]
    key = (_cache(callee), tuple(kwargs), tuple([(type(x), x) for x in values]))
    try:
        found, block = engine.kept.get(key, (None, None))
    except TypeError:  # unhashable, as CPython says too
        message = "unhashable type among the arguments of a cached function"
        raise engine.refuse(message, raises=TypeError) from None
    if found is None or not (isinstance(found, Const) or _holds(block, engine.block, found.value)):
        found = _visited(engine, callee, args, kwargs)
        if isinstance(found, (Const, Scalar, Array)):
            engine.kept[key] = found, engine.block
    return found


def _visited(engine: Engine, callee: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result, where nobody can tell whether the function ran before; else it is asked for the
    dict."""
    done = _Effects(engine)
    found = engine.rules.call(engine, uncached(callee), args, kwargs)
    cells = reachable(engine.heap, [found])
    effects = done.any()
    if effects and isinstance(callee, Const):
        raise engine.refuse(*OUTSIDE)
    if effects or any(_is_someone(engine, cell) for cell in cells):
        raise Needs(engine.loc, kept=frozenset({_origin(callee)}))
    for cell in cells:
        engine.frozen.setdefault(cell, SHARED)
    return found


def _stacked(engine: Engine, callee: Any) -> bool:
    """Whether its calls of itself are a loop with a stack, of it alone."""
    source = _source(engine, callee)
    return source is not None and frozenset({source}) in engine.demands.stacks


def _source(engine: Engine, callee: Any) -> SourceFunction | None:
    found = boxes_of(engine, uncached(callee))
    return None if found is None else found[0]


def _made_in(callee: Any) -> int:
    """In how many loops a cached function is made."""
    return callee.meta.loops if isinstance(callee, Compound) else 0


def _among(
    engine: Engine, callee: Any, results: Ref, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The result of a function whose loop with a stack looks into the dict for all calls."""
    done, source = _Effects(engine, results), _source(engine, callee)
    engine.results[source] = results
    found = engine.rules.call(engine, uncached(callee), args, kwargs)
    engine.results.pop(source, None)
    if isinstance(callee, Const) and done.any():
        raise engine.refuse(*OUTSIDE)
    _note(engine, callee)
    return found


def taken(engine: Engine, source: SourceFunction) -> Ref | None:
    """The dict that the loop with a stack of a function looks into, which is beginning, if other
    calls do, too."""
    found = engine.results.pop(source, None)
    if found is None and source in engine.demands.kept and {source} in engine.demands.stacks:
        raise engine.refuse(*PASSED_BY)
    return found


def _remembered(
    engine: Engine, callee: Any, results: Ref, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The result from the dict, where it is in there."""
    maxsize, typed = _limits(callee)
    if typed:
        raise engine.refuse(*TYPED)
    function = Compound("transformed", (callee,), _missed)
    alone = len(args) == 1 and not kwargs
    key = args[0] if alone else Tuple((*args, *map(Const, kwargs), *kwargs.values()))
    limit, known = (
        ([], kept.remembered) if maxsize is None else ([Const(maxsize)], kept.most_recent)
    )
    return engine.rules.call(engine, Const(known), [results, *limit, key, function, *args], kwargs)


def _missed(engine: Engine, items: tuple[Any, ...], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result of the function, which is not in the dict."""
    (callee,) = items
    done = _Effects(engine)
    function = uncached(callee)
    found = engine.rules.call(engine, function, args, kwargs)
    if done.any():
        if isinstance(callee, Const):
            raise engine.refuse(*OUTSIDE)
        # A loop with a stack has results of its own, which the next call does not see.
        stacked = any(_origin(callee) in group for group in engine.demands.stacks)
        if stacked and callee.meta.maxsize is not None:
            raise engine.refuse(*FORGETFUL)
        if stacked and (callee.meta.missed or engine.repeating > _made_in(callee)):
            raise engine.refuse(*RECURSIVE)
        callee.meta.missed = True
        _note(engine, callee)
    return found


class _Effects:
    """What is done from here on that is not undone by forgetting what is made from here on."""

    def __init__(self, engine: Engine, results: Ref | None = None) -> None:
        self.engine, self.mark = engine, len(engine.written)
        self.before = engine.heap.contents.copy()
        self.own = set() if results is None else reachable(engine.heap, [results])

    def any(self) -> bool:
        """Whether older objects, or outside ones, were written to.  Rows of pools are new, as a
        rule."""
        engine, contents = self.engine, self.engine.heap.contents
        pools = {ref.cell for ref in engine.pools.values()}
        changed = [c for c, was in self.before.items() if contents.get(c, was) is not was]
        outside = [
            c for c in engine.written[self.mark :] if engine.heap.infos[c].pinned is not None
        ]
        return not (pools | self.own).issuperset([*changed, *outside])


def _is_someone(engine: Engine, cell: int) -> bool:
    """Whether a cell is an instance that equals itself alone, so that it matters which it is."""
    cls = class_of(engine, Ref(cell))
    return cls is not None and cls.__eq__ is object.__eq__


def _results(engine: Engine, callee: Any) -> Ref | None:
    """The dict of the results, if there is one."""
    if isinstance(callee, Compound):
        return callee.items[1] if len(callee.items) > 1 else None
    return engine.results.get(callee.value)


def _cache(callee: Any) -> Any:
    """What tells the results of one function from those of another."""
    return callee.meta if isinstance(callee, Compound) else callee.value


def _origin(callee: Any) -> Any:
    """The same, for all attempts: of what the program makes, the function or its source."""
    if isinstance(callee, Const):
        return callee.value
    while isinstance(callee, Compound) and callee.kind != "function":
        callee = callee.items[0]
    return callee.meta[0] if isinstance(callee, Compound) else callee.value


def _limits(callee: Any) -> tuple[int | None, bool]:
    """How many results are kept, and whether those of equal numbers of other types are others."""
    if isinstance(callee, Compound):
        return callee.meta.maxsize, callee.meta.typed
    given = callee.value.cache_parameters()
    return given["maxsize"], given["typed"]


def _holds(block: Block, here: Block, value: Value) -> bool:
    """Whether `block` computes `value`, still, and no way here is seen that leads around it."""
    while here is not block:
        if len(here.preds) != 1:
            return False
        (here,) = here.preds
    return any(instr is value.owner for instr in block.instrs)
