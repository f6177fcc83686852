"""What the caller of a program sees: a tree over its flat results, and what is written back.

    out     ::= OutArray index | OutScalar index kind | OutConst value | OutSet value*
              | OutArgument path | OutItem path index | OutPart base step*
              | OutVariant index out* | OutMixed index out* | OutNumbers index python
              | OutView out steps | OutTuple cls out* | OutList out* | OutDict key* out*
              | OutObject cls (name out)* | OutPooled pool row | OutRow pool row
              | OutException cls argument* cause
    write   ::= leaf := index                        an array argument takes new contents
    store   ::= path := out                          a container argument takes new elements
    site    ::= exception class, argument out*       status k raises sites[k - 1]

An out that occurs twice in a tree is one object for the caller (`runtime.objects` makes it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.errors import CompileError, ListOverflow, Location, RefusedPath, Surprise
from pyxla.frozen import dataclass
from pyxla.options import DEFAULTS

Path = tuple[Any, ...]


class Out:
    """What makes an object of the caller's."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class OutArray(Out):
    """Result `index`; `extents[d]`, where not None, is the result that holds the true size."""

    index: int
    extents: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class OutScalar(Out):
    """A scalar: kind is "python" (int, float, bool, complex) or "numpy" (an np.generic)."""

    index: int
    kind: str = "python"


@dataclass(frozen=True, slots=True)
class OutConst(Out):
    value: Any


@dataclass(frozen=True, slots=True)
class OutSet(Out):
    """A set of known values, a new one for each call."""

    values: frozenset[Any]


@dataclass(frozen=True, slots=True)
class OutMixed(Out):
    """A number of one of several kinds, 0-d arrays among them: `outs[result index]`, the widest the
    last."""

    index: int
    outs: tuple[OutScalar | OutArray, ...]


@dataclass(frozen=True, slots=True)
class OutVariant(Out):
    """One of several values, a tagged union: `outs[result index]`, an int or a bool."""

    index: int
    outs: tuple[Out, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutNumbers(Out):
    """A list of the elements of result `index`, nested where it has several dimensions: Python's
    numbers if `python`, else NumPy's scalars."""

    index: int
    python: bool


@dataclass(frozen=True, slots=True)
class OutArgument(Out):
    """The very object that was passed: argument `path[0]`, then a step per container."""

    path: Path


@dataclass(frozen=True, slots=True)
class OutItem(Out):
    """The item of the list at `path` of which result `index` says which it is."""

    path: Path
    index: int


@dataclass(frozen=True, slots=True)
class OutPart(Out):
    """What is in the container `base`: a step is an index or a field, or a number that says which
    item."""

    base: Out
    steps: tuple[int | str | OutScalar, ...]


@dataclass(frozen=True, slots=True)
class OutView(Out):
    """A view of an array: steps are ("getitem", key), ("transpose", axes), ("reshape", shape),
    ("real", None), ("imag", None), ("view", dtype), ("windows", (sizes, axes)),
    ("broadcast", shape), ("diagonal", (offset, axis, axis, writable))."""

    base: Out
    steps: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutTuple(Out):
    cls: type
    items: tuple[Out, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutList(Out):
    items: tuple[Out, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutGrown(Out):
    """A list of result `size` items (None: of all there is room for), whose parts are elements of
    the results `columns`.  item ::= "python" | "numpy" | (cls, (item, ...)) | [constant]
    | {"array": axes}, a column of arrays, and one of the sizes of each of these dimensions
    | {"several": items}, a column of which it is, and those of each
    | {"picks": constants}, a column of which of them it is
    | {"text": sized}, a column of lengths, if `sized`, and one of rows of code points
    | {"kinds": types, "exact": bool}, a column of numbers and one of which they are, and where
      `exact` is true one of those that are ints of 64 bits
    | {"list": item, "columns": count, "cls": list or tuple}, a column of lengths and so many of
      items
    | {"pool": number}, a column of places in a pool
    | {"pools": numbers}, a column of which pool, and one of places in that
    """

    size: int | None
    columns: tuple[int, ...]
    item: Any
    cls: type = list


@dataclass(frozen=True, slots=True)
class OutPooled(Out):
    """An instance: number `row`, or what the result `row` says if `dynamic`, of a pool."""

    pool: int
    row: int
    dynamic: bool


@dataclass(frozen=True, slots=True)
class OutRow(Out):
    """A new object that holds what number `row` of a pool does."""

    pool: int
    row: int


@dataclass(frozen=True, slots=True)
class OutPool:
    """Instances of `cls`, each a tuple of its fields in the list `rows`; the first of them are the
    arguments at `given`, which take their contents by stores."""

    cls: type
    names: tuple[str, ...]
    rows: Out
    given: tuple[Path, ...] = ()

    def fields(self, row: Sequence[Any]) -> dict[str, Any]:
        """The fields that an instance has of a row; what has no name is no field, and `?name` says
        whether there is one of this name: of dicts, how late it came."""
        held = {name: x for name, x in zip(self.names, row, strict=True) if name}
        marks = {name[1:]: int(held.pop(name)) for name in self.names if name.startswith("?")}
        there = [name for name in held if marks.get(name, 1)]
        return {name: held[name] for name in sorted(there, key=lambda name: marks.get(name, 1))}


@dataclass(frozen=True, slots=True, eq=False)
class OutDict(Out):
    keys: tuple[Any, ...]
    values: tuple[Out, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutObject(Out):
    cls: type
    fields: tuple[tuple[str, Out], ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutFormat(Out):
    """An f-string: parts are text, or (out, conversion, format spec), see `frontend.support`."""

    parts: tuple[str | tuple[Out, str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class OutException(Out):
    """`cls(*args)`, the last of them by these `names`; cause: what it was raised `from`, if it
    was."""

    cls: type[BaseException]
    args: tuple[Out, ...]
    names: tuple[str, ...]
    cause: tuple[Out, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """Array argument `leaf` takes the contents of result `index`."""

    leaf: int
    index: int


@dataclass(frozen=True, slots=True)
class Patch:
    """Array argument `leaf` takes result `index` as the block that begins at results `begin`."""

    leaf: int
    index: int
    begin: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """The container argument at `path` takes the elements of `out` (an OutList, OutDict or
    OutObject); with `nested`, the lists of numbers in it take theirs."""

    path: Path
    out: Out
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """A `raise` in the program: the exception is `cls(*args)`, the last of them by these `names`,
    raised from `cause` if there is one.

    counts: the Python ints among the arguments that decide a `ListOverflow`.  flag: of a check, the
    number of its flag.  calls: those that led there, outermost first.
    """

    cls: type[BaseException]
    args: tuple[Out, ...] = ()
    loc: Location | None = None
    counts: tuple[Path, ...] = ()
    flag: int = 0
    calls: tuple[Location, ...] = ()
    names: tuple[str, ...] = ()
    cause: tuple[Out, ...] = ()

    @property
    def error(self) -> OutException:
        return OutException(self.cls, self.args, self.names, self.cause)

    @property
    def known(self) -> list[Any]:
        """The arguments of a surprise, which are constants."""
        return [arg.value for arg in self.args if isinstance(arg, OutConst)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything a specialization does for its caller.

    inputs: the leaf that feeds each parameter of the program.  status: the result (i32) that is 0
    or says which site raised.  jax: a jax.Array is among arguments and captures, so that array
    results are jax.Arrays.  waits: a call ends when the program has: because of a NumPy array
    argument, which XLA reads in place (the rest is found out from the tree).  faults: the result
    that is the word of the sticky flags of `checks`.  printed: how often it called Python before
    one was set, which is no write.  patches: arguments of which only parts are written, see
    `runtime.parts`.  donated: leaves whose memory results take.  gathered: how many of the first
    parameters are read as parts of arrays of them only (`lower.words`).
    """

    inputs: tuple[int, ...]
    result: Out
    writes: tuple[Write, ...] = ()
    stores: tuple[Store, ...] = ()
    status: int | None = None
    sites: tuple[Site, ...] = ()
    jax: bool = False
    waits: bool = False
    pools: tuple[OutPool, ...] = ()
    faults: int | None = None
    checks: tuple[Site, ...] = ()
    patches: tuple[Patch, ...] = ()
    donated: tuple[int, ...] = ()
    printed: Write | None = None
    gathered: int = 0

    def faulty(self, word: int, values: Sequence[Any]) -> Faulty:
        """The checks whose flags are set in a word, and how much was printed before."""
        sites = tuple([site for site in self.checks if word >> site.flag & 1])
        if self.printed is None:
            return Faulty(sites)
        return Faulty(sites, self.printed.leaf, int(np.asarray(values[self.printed.index])))

    def resumed(self, leaves: list[Any], order: int) -> list[Any]:
        """The leaves for a run that begins with this order of the calls of Python."""
        if self.printed is None:
            return leaves
        at = self.printed.leaf
        return [*leaves[:at], np.asarray(order, leaves[at].dtype), *leaves[at + 1 :]]


# A list that has room for so many times more than lists have at first was long in being filled.
SOON = 16


class Faulty(Exception):  # noqa: N818 - a request, not an error
    """Something was out of order in a run, whose results are dropped: one of `sites`, the checks
    whose flags are set; nothing was written.  order, calls: the leaf that orders the calls of
    Python, and how many were made."""

    def __init__(self, sites: tuple[Site, ...], order: int | None = None, calls: int = 0) -> None:
        super().__init__()
        self.sites = sites
        self.order, self.calls = order, calls

    def resumed(self, leaves: list[Any]) -> list[Any]:
        """The leaves for a run that does not call Python as often as was done."""
        if self.order is not None:
            left_out = leaves[self.order] - np.int32(max(self.calls, 0))
            leaves = [*leaves[: self.order], np.asarray(left_out), *leaves[self.order + 1 :]]
        return leaves

    def words(self) -> str:
        """What may have happened: which came first is not known."""
        names = dict.fromkeys([site.cls.__name__ for site in self.sites])
        return f"the program would raise {' or '.join(names)}"

    def surprise(self) -> Exception | None:
        """What the program was not compiled for, if nothing else may have been out of order but for
        what comes of it: what a list holds beyond its capacity is lost.  A long one may have
        outgrown its capacity only after what else was out of order."""
        if not all(issubclass(site.cls, Surprise) for site in self.sites):
            first = self.overflow()
            return first if first and first.capacity <= SOON * DEFAULTS.list_capacity else None
        for site in self.sites:
            if site.cls is RefusedPath:
                return RefusedPath(*site.known).refusal(site.loc, site.calls)
        found = self._raised(Surprise)
        others = [x for x in found if not isinstance(x, ListOverflow)]
        return others[0] if others else self.overflow()

    def overflow(self) -> ListOverflow | None:
        """The one with the least capacity of the lists that may have grown beyond theirs: the
        others are less likely to have."""
        found = self._raised(ListOverflow)
        return min(found, key=lambda overflow: overflow.capacity, default=None)

    def _raised(self, cls: type) -> list[Any]:
        return [site.cls(*site.known) for site in self.sites if issubclass(site.cls, cls)]

    def error(self) -> Exception:
        """The exception where there is no second run to raise it: of the class of the checks, if
        that is one."""
        classes = {site.cls for site in self.sites}
        places = dict.fromkeys([str(site.loc) for site in self.sites if site.loc is not None])
        cls: Any = classes.pop() if len(classes) == 1 else RuntimeError
        where = f" ({', '.join(places)})" if places else ""
        return cls(f"{self.words()}{where}")


class CountsNeeded(CompileError):
    """There is no room for lists of unknown length under a trace: the values at `paths` may say
    how long they get."""

    paths: tuple[Path, ...] = ()


def check_traceable(outcome: Outcome, name: str, known: bool = False) -> None:
    """Refuse what cannot happen under an outer JAX trace; `known`: whether it raises is known."""
    if outcome.status is not None and not known:
        raise _raising(outcome.sites, name)
    order = outcome.printed and outcome.printed.leaf
    if [write for write in outcome.writes if write.leaf != order] or outcome.stores:
        what = "mutates its arguments"
        hint = f"call pyxla.functional({name}), which returns (result, mutated arguments)"
    elif _has_extents(outcome.result):
        what = "returns an array whose size depends on data"
        hint = "return the padded array and its length"
    elif any(isinstance(node, (OutGrown, OutPooled)) for node in walk(outcome.result)):
        what, hint = "returns a list of unknown length", "return np.array(the list) and its length"
    elif any(isinstance(node, OutItem) for node in walk(outcome.result)):
        what, hint = "returns one of several lists", "return a copy of it"
    elif variant := next((n for n in walk(outcome.result) if isinstance(n, OutVariant)), None):
        what, hint = "returns values of no one type", "return the same type on every path"
        if OutConst(None) in variant.outs:
            what, hint = "returns None or something else", "return a flag beside the value"
        elif all(isinstance(node, OutConst) for node in variant.outs):
            what, hint = "returns one of several texts", "return a number that says which"
    else:
        return
    raise CompileError(f"'{name}' {what}, which a JAX trace cannot express", hint=hint)


def _raising(sites: Sequence[Site], name: str) -> CompileError:
    checked = f"call pyxla.checked({name}), which returns (status, result)"
    others = [site for site in sites if not issubclass(site.cls, ListOverflow)]
    if (path := next((site for site in others if site.cls is RefusedPath), None)) is not None:
        return RefusedPath(*path.known).refusal(path.loc, path.calls)
    site = (others or sites)[0]
    where = f" ({site.loc})" if site.loc is not None else ""
    if others:
        what = f"'{name}' may raise {site.cls.__name__}{where}"
        return CompileError(f"{what}, which a JAX trace cannot express", hint=checked)
    refusal = CountsNeeded(
        f"in '{name}' data says how much room is needed{where}, which a JAX trace cannot express",
        hint=f"use an array of a known size, or {checked}",
    )
    refusal.paths = tuple(dict.fromkeys([path for s in sites for path in s.counts]))
    return refusal


def _has_extents(out: Out) -> bool:
    return any(
        e is not None for node in walk(out) if isinstance(node, OutArray) for e in node.extents
    )


# The fields of records that hold numbers of results, and those that hold other records.
_RESULTS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((OutScalar, OutNumbers, OutItem, OutMixed, OutVariant, Write), ("index",)),
    OutArray: ("index", "extents"),
    OutGrown: ("size", "columns"),
    Patch: ("index", "begin"),
    Outcome: ("status", "faults"),
}
_INSIDE: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((OutMixed, OutVariant), ("outs",)),
    **dict.fromkeys((OutTuple, OutList), ("items",)),
    OutView: ("base",),
    OutPart: ("base", "steps"),
    OutDict: ("values",),
    OutObject: ("fields",),
    OutFormat: ("parts",),
    OutPool: ("rows",),
    Store: ("out",),
    **dict.fromkeys((OutException, Site), ("args", "cause")),
    Outcome: ("result", "writes", "patches", "stores", "pools", "printed", "sites"),
}


def without_results(outcome: Outcome, gone: Collection[int]) -> Outcome:
    """`outcome` where results `gone`, which only writes refer to, are left out of the program."""
    if not gone:
        return outcome

    def moved(index: int) -> int:
        return index - sum([g < index for g in gone])

    writes = tuple([w for w in outcome.writes if w.index not in gone])
    return _renumbered(replace(outcome, writes=writes), moved, {})


def _renumbered(record: Any, moved: Callable[[int], int], made: dict[int, Any]) -> Any:
    """A record over moved results; what was one object stays one."""

    def number(x: Any) -> Any:
        return tuple(map(number, x)) if type(x) is tuple else None if x is None else moved(x)

    def inner(x: Any) -> Any:
        return tuple(map(inner, x)) if type(x) is tuple else _renumbered(x, moved, made)

    if id(record) not in made:
        kind = type(record)
        names = ("row",) if kind is OutPooled and record.dynamic else _RESULTS.get(kind, ())
        changed = {name: number(getattr(record, name)) for name in names}
        changed |= {name: inner(getattr(record, name)) for name in _INSIDE.get(kind, ())}
        made[id(record)] = replace(record, **changed) if changed else record
    return made[id(record)]


def array_uses(outcome: Outcome) -> Counter[int]:
    """How many objects of the caller's are made from each array result."""
    roots = [outcome.result, *[x.out for x in outcome.stores], *[p.rows for p in outcome.pools]]
    arrays = {id(n): n for root in roots for n in walk(root) if isinstance(n, OutArray)}
    return Counter(node.index for node in arrays.values())


def walk(out: Out) -> Iterator[Out]:
    """`out` and all outs inside it."""
    yield out
    for name in _INSIDE.get(type(out), ()):
        for inner in _outs(getattr(out, name)):
            yield from walk(inner)


def _outs(held: Any) -> Iterator[Out]:
    """The outs in nested tuples, beside names and the like."""
    if type(held) is tuple:
        for x in held:
            yield from _outs(x)
    elif isinstance(held, Out):
        yield held
