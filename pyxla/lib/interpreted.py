"""Functions of the standard library as Python that is compiled like the user's.

The originals are in C, without source.  Algorithms are CPython's as documented: what they compare
and in which order decides results where the arguments are not what they ought to be.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from pyxla.lib.sequences import NO_MAXIMUM, NO_MINIMUM


def applied(function: Any, x: Any) -> Any:
    """`function(x)`, for each of what `x` may be where it is one of several."""
    return function(x)


def applied_to_both(function: Any, x: Any, y: Any) -> Any:
    """`function(x, y)`, likewise."""
    return function(x, y)


def is_true(x: Any) -> bool:
    """`bool(x)` of what may be None and has a `__bool__` or `__len__`: None has no fields."""
    return x is not None and bool(x)


def set_flat(flat: Any, key: Any, values: Any) -> None:
    """`x.flat[key] = values`: one after the other, and from the first again."""
    given, old = np.ravel(values), flat[key]
    if np.ndim(old) == 0:
        flat[key] = values
    elif len(given) == len(old):
        flat[key] = given
    elif len(given) > 0:
        flat[key] = given[np.arange(len(old)) % len(given)]


def attribute_or(x: Any, name: str, default: Any) -> Any:
    """`getattr(x, name, default)` where a path decides whether there is one."""
    return getattr(x, name) if hasattr(x, name) else default


def attribute_among(x: Any, default: tuple[Any, ...], name: str, first: str, *others: str) -> Any:
    """`getattr(x, name, *default)` where data decides which of several names it is."""
    if not others or name == first:
        try:
            return getattr(x, first, *default)
        except AttributeError:  # where it is this name, and not while compiling
            raise
    return attribute_among(x, default, name, *others)


def computed_or(x: Any, name: str, default: Any) -> Any:
    """`getattr(x, name, default)` where a property or `__getattr__` says what there is."""
    try:
        return getattr(x, name)
    except AttributeError:
        return default


def is_computed(x: Any, name: str) -> bool:
    """`hasattr(x, name)`, likewise."""
    try:
        getattr(x, name)
    except AttributeError:
        return False
    return True


def groupby(iterable: Any, key: Any = None) -> Iterator[Any]:
    """`itertools.groupby`: a group has no items any more once the next one is asked for.  The keys
    are asked for all at once."""
    groups: list[tuple[Any, list[Any]]] = []
    for x in iterable:
        found = x if key is None else key(x)
        if groups and groups[-1][0] == found:
            groups[-1][1].append(x)
        else:
            groups.append((found, [x]))
    for found, group in groups:
        yield found, iter(group)
        group.clear()


def item_of_range(r: Any, i: int) -> int:
    if i < 0:
        i += len(r)
    if i < 0 or i >= len(r):
        raise IndexError("range object index out of range")
    return r.start + i * r.step


def part_of_range(r: Any, start: Any, stop: Any, step: Any) -> range:
    by = 1 if step is None else step
    if by == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, len(r)) if by > 0 else (-1, len(r) - 1)
    begin = (low if by > 0 else high) if start is None else _within(start, low, high, len(r))
    end = (high if by > 0 else low) if stop is None else _within(stop, low, high, len(r))
    return range(r.start + begin * r.step, r.start + end * r.step, r.step * by)


def places_of_slice(s: Any, size: int) -> tuple[int, int, int]:
    """`slice.indices`."""
    if size < 0:
        raise ValueError("length should not be negative")
    places = part_of_range(range(size), s.start, s.stop, s.step)
    return places.start, places.stop, 1 if s.step is None else s.step


def _within(i: int, low: int, high: int, size: int) -> int:
    """An end of a slice of so many items."""
    return min(max(i + size if i < 0 else i, low), high)


def exit_(status: Any = None, /) -> Any:
    if status is None:
        raise SystemExit
    raise SystemExit(status)


def setrecursionlimit(limit: Any, /) -> None:
    """Nothing to do: recursion goes as deep as memory lasts."""
    if limit < 1:
        raise ValueError("recursion limit must be greater or equal than 1")


def fields_shown(name: str, fields: tuple[tuple[str, Any], ...]) -> str:
    """`repr` of an instance of a dataclass."""
    return f"{name}({', '.join([f'{field}={value!r}' for field, value in fields])})"


# Functions of iterators, for generators: what they yield and when they read.


def collected(items: Any) -> list[Any]:
    """`list`."""
    return [x for x in items]  # noqa: C416 - what `list` means is being said


def tuple_(items: Any) -> tuple[Any, ...]:
    return tuple(collected(items))


def set_(items: Any) -> set[Any]:
    return set(collected(items))


def dict_(items: Any) -> dict[Any, Any]:
    return {key: value for key, value in items}  # noqa: C416


def update_set(items: set[Any], *others: Any) -> None:
    for other in others:
        for x in other:
            items.add(x)


def update_dict(items: dict[Any, Any], pairs: Any = (), /, **named: Any) -> None:
    for key, x in pairs:
        items[key] = x
    for name in named:
        items[name] = named[name]


def sorted_(items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    return sorted(collected(items), key=key, reverse=reverse)


def check_start(start: Any) -> None:
    """Raise what `sum` does where it would add texts."""
    for cls, name in ((str, "strings"), (bytes, "bytes"), (bytearray, "bytearray")):
        if isinstance(start, cls):
            empty = "''" if cls is str else "b''"
            raise TypeError(f"sum() can't sum {name} [use {empty}.join(seq) instead]")


def sum_(items: Any, start: Any = 0) -> Any:
    for x in items:
        start = start + x
    return start


def any_(items: Any) -> bool:
    for x in items:  # noqa: SIM110
        if x:
            return True
    return False


def all_(items: Any) -> bool:
    for x in items:  # noqa: SIM110
        if not x:
            return False
    return True


def max_(items: Any, *, key: Any = None, **default: Any) -> Any:
    best: Any = None  # or what is the best so far, which may be None
    if key is None:
        for x in items:
            if best is None or x > best[0]:
                best = (x,)
    else:
        for x in items:
            rank = key(x)
            if best is None or rank > best[1]:
                best = x, rank
    if best is None:
        if "default" in default:
            return default["default"]
        raise ValueError(NO_MAXIMUM)
    return best[0]


def min_(items: Any, *, key: Any = None, **default: Any) -> Any:
    best: Any = None  # or what is the best so far, which may be None
    if key is None:
        for x in items:
            if best is None or x < best[0]:
                best = (x,)
    else:
        for x in items:
            rank = key(x)
            if best is None or rank < best[1]:
                best = x, rank
    if best is None:
        if "default" in default:
            return default["default"]
        raise ValueError(NO_MINIMUM)
    return best[0]


def reduce_(function: Any, items: Any, *initial: Any) -> Any:
    if initial:
        total: Any = initial[0]
        for x in items:
            total = function(total, x)
        return total
    total = None
    for x in items:
        total = (x if total is None else function(total[0], x),)
    if total is None:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total[0]


def next_(items: Any, *default: Any) -> Any:
    """The first item: nothing may read the iterator afterwards."""
    for x in items:
        return x
    if default:
        return default[0]
    raise StopIteration


def first_item(found: tuple[Any] | None, *default: Any) -> Any:
    """`next` of a generator expression, of whose items the first was `found`, if there was one."""
    if found is not None:
        return found[0]
    if default:
        return default[0]
    raise StopIteration


def enumerate_(items: Any, start: int = 0) -> Iterator[Any]:
    n = start
    for x in items:
        yield n, x
        n += 1


def map_(function: Any, items: Any) -> Iterator[Any]:
    for x in items:
        yield function(x)


def filter_(function: Any, items: Any) -> Iterator[Any]:
    for x in items:
        if x if function is None else function(x):
            yield x


def filterfalse(function: Any, items: Any) -> Iterator[Any]:
    for x in items:
        if not (x if function is None else function(x)):
            yield x


def starmap(function: Any, items: Any) -> Iterator[Any]:
    for x in items:
        yield function(*x)


def sequences_of(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """What has a length as it is, and lists of what iterators have left."""
    return tuple([x if hasattr(x, "__len__") else list(x) for x in parts])


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    n = start
    while True:
        yield n
        n += step


def cycle(items: Any) -> Iterator[Any]:
    (items,) = sequences_of((items,))
    if len(items) == 0:
        return
    while True:
        for x in items:  # noqa: UP028
            yield x


def repeat(x: Any, *times: int) -> Iterator[Any]:
    while not times:
        yield x
    for _ in range(*times):
        yield x


def islice(items: Any, *bounds: Any) -> Iterator[Any]:
    """The places are looked at where it is called."""
    start, stop, step = 0, None, 1
    if len(bounds) == 1:
        stop = _place(bounds[0], None)
    elif len(bounds) in (2, 3):
        start, stop = _place(bounds[0], 0), _place(bounds[1], None)
        step = 1 if len(bounds) == 2 else _place(bounds[2], 1)
    else:
        limit = "most 4" if bounds else "least 2"
        raise TypeError(f"islice expected at {limit} arguments, got {len(bounds) + 1}")
    if start < 0 or step < 1 or (stop is not None and stop < 0):
        _check_places(start, stop)
    return _sliced(items, start, stop, step)


def _place(x: Any, default: Any) -> Any:
    """A place as CPython sees it: -1 where it is no int."""
    if x is None:
        return default
    try:
        return operator.index(x)
    except TypeError:
        return -1


def _check_places(start: int, stop: int | None) -> None:
    """Raise what CPython raises for places of `islice` of which one is wrong."""
    places = "islice() must be None or an integer: 0 <= x <= sys.maxsize."
    if stop is not None and stop == -1:
        raise ValueError(f"Stop argument for {places}")
    if start < 0 or (stop is not None and stop < 0):
        raise ValueError(f"Indices for {places}")
    raise ValueError("Step for islice() must be a positive integer or None.")


def _sliced(items: Any, start: int, stop: int | None, step: int) -> Iterator[Any]:
    n = 0
    end = None if stop is None else max(start, stop)  # as many are read, at most
    if end is not None and end == 0:
        return
    for x in items:
        if n >= start and (n - start) % step == 0:
            yield x
        n += 1
        if end is not None and n >= end:
            return


def takewhile(test: Any, items: Any) -> Iterator[Any]:
    for x in items:
        if not test(x):
            return
        yield x


def dropwhile(test: Any, items: Any) -> Iterator[Any]:
    dropping = True
    for x in items:
        if dropping and test(x):
            continue
        dropping = False
        yield x


def chain(*parts: Any) -> Iterator[Any]:
    for part in parts:
        for x in part:  # noqa: UP028
            yield x


def from_iterable(parts: Any) -> Iterator[Any]:
    for part in parts:
        for x in part:  # noqa: UP028
            yield x


def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    total: Any = None
    if initial is not None:
        yield initial
        total = (initial,)
    for x in iterable:
        if total is None:
            total = (x,)
        else:
            total = (total[0] + x if func is None else func(total[0], x),)
        yield total[0]


def until(function: Any, sentinel: Any) -> Iterator[Any]:
    """`iter(function, sentinel)`."""
    while True:
        x = function()
        if x == sentinel:
            return
        yield x


def backwards(x: Any) -> Iterator[Any]:
    """`reversed(x)` of an instance that has `__getitem__` and `__len__`."""
    for place in range(len(x) - 1, -1, -1):
        yield x[place]


def indexed(x: Any) -> Iterator[Any]:
    """The items of an instance that has `__getitem__` alone."""
    place = 0
    while True:
        try:
            item = x[place]
        except IndexError:
            return
        yield item
        place += 1


def pairwise(items: Any) -> Iterator[Any]:
    if isinstance(items, (tuple, str, range)):  # what the loop does cannot change it
        return zip(items, items[1:], strict=False)
    return _pairs(items)


def _pairs(items: Any) -> Iterator[Any]:
    before, started = None, False
    for x in items:
        if started:
            yield before, x
        before, started = x, True


def compress(data: Any, selectors: Any) -> Iterator[Any]:
    n = 0
    for x in data:
        if n >= len(selectors):
            return
        if selectors[n]:
            yield x
        n += 1


# Filters of warnings.


def local_warnings(options: dict[str, Any]) -> None:
    """Enter `warnings.catch_warnings(**options)`."""


def leave_warnings() -> None:
    """Leave the innermost `warnings.catch_warnings`."""


class CatchWarnings:
    """`warnings.catch_warnings(**options)`."""

    options: dict[str, Any]

    def __enter__(self) -> None:
        local_warnings(self.options)

    def __exit__(self, *error: Any) -> None:
        leave_warnings()


# Context managers that are generators.


def opened(function: Any, args: Any, kwargs: Any) -> Any:
    """What a generator function yields, and what comes after as a function of what is raised."""


class GeneratorManager:
    """What `contextlib.contextmanager` makes of a generator function and its arguments."""

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs

    def __enter__(self) -> Any:
        value, self.leave = opened(self.function, self.args, self.kwargs)
        del self.function, self.args, self.kwargs  # it is entered once
        return value

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.leave(error)
        return kind is not None


# A cached property that was computed on some paths only.


def is_stored(instance: Any, name: str) -> Any:
    """Whether the instance has a field of this name."""


def stored(instance: Any, name: str) -> Any:
    """That field, where it is there."""


def store(instance: Any, name: str, value: Any) -> Any:
    """Set that field, of frozen instances too."""


def stored_or_asked(x: Any, name: str, ask: Any) -> Any:
    """The field `name` of an instance, which on some paths it has, else what `__getattr__` says."""
    return stored(x, name) if is_stored(x, name) else ask(x, name)


def computed_or_asked(x: Any, name: str, compute: Any, ask: Any) -> Any:
    """The property `name` of an instance; what `__getattr__` says where it raises that it lacks."""
    try:
        return compute(x)
    except AttributeError:
        return ask(x, name)


def given_arguments(x: Any, alias: Any) -> Any:
    """What `Stack[float]()` makes of what `Stack()` makes."""
    try:
        x.__orig_class__ = alias
    except AttributeError:  # it has slots, or is frozen
        pass
    return x


def computed_once(instance: Any, name: str, function: Any) -> Any:
    """What `functools.cached_property` gives."""
    if is_stored(instance, name):
        return stored(instance, name)
    return store(instance, name, function(instance))


def inverted(x: Any) -> Any:
    """`operator.inv(x)`."""
    return ~x


def concatenated(x: Any, y: Any) -> Any:
    """`operator.concat(x, y)`."""
    if not hasattr(x, "__getitem__"):
        raise TypeError(f"{type(x).__name__!r} object can't be concatenated")
    return x + y


def extended(x: Any, y: Any) -> Any:
    """`operator.iconcat(x, y)`."""
    if not hasattr(x, "__getitem__"):
        raise TypeError(f"{type(x).__name__!r} object can't be concatenated")
    x += y
    return x


def count_of(xs: Any, x: Any) -> int:
    """`operator.countOf(xs, x)`."""
    return list(xs).count(x)


def index_of(xs: Any, x: Any) -> int:
    """`operator.indexOf(xs, x)`."""
    try:
        return list(xs).index(x)
    except ValueError:
        raise ValueError("sequence.index(x): x not in sequence") from None


def contains(xs: Any, x: Any) -> bool:
    """`x in xs`, as `collections.abc.Sequence` has it."""
    return x in list(xs)


def index(xs: Any, x: Any, start: int = 0, stop: Any = None) -> int:
    """`xs.index(x)`, likewise."""
    items = list(xs)
    try:
        return items.index(x, start, len(items) if stop is None else stop)
    except ValueError:
        raise ValueError from None


def called(function: Any, /, *args: Any, **named: Any) -> Any:
    """`operator.call(function, ...)`."""
    return function(*args, **named)
