"""Strings that data makes: arrays of code points, of one dimension and of bounded extent.

As CPython keeps them (PEP 393), code points are bytes where all of them may be, else of 32 bits.
What lies beyond the true length is meaningless.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Scalar
from pyxla.ir.core import Value
from pyxla.lib import kernels as k
from pyxla.lib.loops import while_loop
from pyxla.lib.manipulation import cut as cut_columns
from pyxla.lib.manipulation import dynamic_cut
from pyxla.lib.masks import resized
from pyxla.lib.operands import BOOL, FLOAT, INT, broadcast_to, cast, literal, splat, weak
from pyxla.lib.reductions import fold
from pyxla.lib.scans import scan
from pyxla.lib.sorting import positions
from pyxla.lib.texts import LINE_ENDS
from pyxla.ops import elementwise as op
from pyxla.ops.index import (
    dynamic_slice,
    dynamic_update_slice,
    gather_along,
    scatter_along,
)
from pyxla.ops.shape import broadcast_in_dim, concatenate, constant, iota, reshape

BYTES, WIDE, UNSIGNED = np.dtype(np.uint8), np.dtype(np.uint32), np.dtype(np.uint64)
# One more than the greatest code point.
CODES = 0x110000
NONE = 1 << 62


def codes_of(text: str) -> np.ndarray:
    """The code points of a text."""
    found = np.array([ord(c) for c in text], WIDE)
    return found.astype(BYTES) if found.max(initial=0) < 256 else found


def known(text: str) -> Array:
    """A text as its code points."""
    return Array(constant(value=codes_of(text)))


def capacity(x: Array) -> int:
    return x.shape[0]


def size(x: Array) -> Value:
    """How many code points there are."""
    if x.extents is None:
        return literal(x.shape[0], INT)
    return cast(x.extents[0].value, INT)


def length(x: Array) -> int | Scalar:
    """`len(x)`."""
    return x.shape[0] if x.extents is None else x.extents[0]


def bounded(codes: Value, size_: Value, least: int = 0) -> Array:
    """A string of the first so many of `codes`."""
    fact = extent.IntFact(least, codes.type.shape[0])
    return Array(codes, (Scalar(weak(size_, int).value, fact),))


def fitted(x: Array, dtype: np.dtype, room: int, fixed: bool) -> Array:
    """The same string with these code points and this room; `fixed`: of this length."""
    if x.dtype == dtype and capacity(x) == room and fixed == (x.extents is None):
        return x
    value = cast(resized(x.value, (room,)), dtype)
    return Array(value) if fixed else bounded(value, size(x))


def places(n: int) -> Value:
    return iota(shape=(n,), dtype=INT, dimension=0)


def spread(x: Value, n: int) -> Value:
    return broadcast_to(x, (n,))


def inside(x: Array) -> Value:
    """Which places are within the length."""
    return k.lt(places(capacity(x)), spread(size(x), capacity(x)))


def any_of(test: Value) -> Value:
    return fold(test, tuple(range(test.type.ndim)), literal(False, BOOL), "or")


def all_of(test: Value) -> Value:
    return fold(test, tuple(range(test.type.ndim)), literal(True, BOOL), "and")


def least(x: Value) -> Value:
    return fold(x, (0,), literal(NONE, INT), "minimum")


def alike(*xs: Array) -> list[Array]:
    """Strings of code points of one type."""
    dtype = WIDE if any(x.dtype == WIDE for x in xs) else BYTES
    return [Array(cast(x.value, dtype), x.extents) for x in xs]


# --- of numbers -----------------------------------------------------------------------------------


def character(n: Scalar) -> Array:
    """`chr(n)`, for an int in range."""
    high = extent.upper(n)
    dtype = BYTES if high is not None and high < 256 else WIDE
    return Array(reshape(cast(n.value, dtype), shape=(1,)))


def digits(n: Scalar, base: int, upper: bool = False) -> tuple[Array, Value]:
    """The digits of the absolute value of an int, and whether it is negative."""
    value = cast(n.value, INT)
    negative = k.lt(value, literal(0, INT))
    low, high = extent.lower(n), extent.upper(n)
    most = 2**63 if low is None or high is None else max(abs(low), abs(high), 1)
    count = 1
    while base**count <= most:
        count += 1
    plain = cast(value, UNSIGNED)
    whole = op.select(negative, op.negate(plain), plain)
    powers = np.array([base**i for i in reversed(range(count))], UNSIGNED)
    quotients = op.divide(spread(whole, count), constant(value=powers))
    found = cast(op.remainder(quotients, splat(base, UNSIGNED, (count,))), BYTES)
    if base <= 10:
        codes = op.add(found, splat(48, BYTES, (count,)))
    else:
        names = "0123456789ABCDEF" if upper else "0123456789abcdef"
        codes = taken(constant(value=codes_of(names)), found)
    there = k.ne(quotients, splat(0, UNSIGNED, (count,)))
    used = op.maximum(total(there), literal(1, INT))
    first = op.subtract(literal(count, INT), used)
    twice = concatenate(codes, splat(48, BYTES, (count,)), dimension=0)
    return bounded(dynamic_cut(twice, first, count, 0), used, 1), negative


def total(test: Value) -> Value:
    """How many of `test` hold."""
    return fold(cast(test, INT), (0,), literal(0, INT), "add")


def taken(table: Value, index: Value) -> Value:
    """`table[index]`, for places in range."""
    wide = index if index.type.dtype.itemsize >= 4 else cast(index, np.dtype(np.int32))
    return gather_along(table, wide, 0)


def signed(negative: Value, plus: str) -> Array:
    """The sign before a number; `plus`: that of one that is not negative."""
    minus = splat(ord("-"), BYTES, (1,))
    if plus:
        other = splat(ord(plus), BYTES, (1,))
        return Array(op.select(spread(negative, 1), minus, other))
    return bounded(minus, cast(negative, INT))


def number(n: Scalar) -> Array:
    """`str(n)` of an int."""
    found, negative = digits(n, 10)
    low = extent.lower(n)
    return found if low is not None and low >= 0 else joined([signed(negative, ""), found])


def chosen(selector: Value, texts: Sequence[str]) -> Array:
    """That of `texts` which is at a position."""
    used, codes = table_of(cast(selector, INT), texts)
    if len(set(map(len, texts))) == 1:
        return Array(codes)
    return bounded(codes, used, min(map(len, texts)))


# --- strings of strings ---------------------------------------------------------------------------


def joined(xs: Sequence[Array]) -> Array:
    """One string after the other."""
    xs = [x for x in alike(*xs) if capacity(x)]
    if not xs:
        return known("")
    if len(xs) == 1:
        return xs[0]
    if all(x.extents is None for x in xs):
        return Array(concatenate(*[x.value for x in xs], dimension=0))
    room = sum(map(capacity, xs))
    codes, used = resized(xs[0].value, (room,)), size(xs[0])
    for x in xs[1:]:  # what was beyond the end of the one before is overwritten, or is beyond
        codes = dynamic_update_slice(codes, x.value, used)
        used = op.add(used, size(x))
    floor = sum([extent.lower(n) or 0 if isinstance(n, Scalar) else n for n in map(length, xs)])
    return bounded(codes, used, floor)


def repeated(x: Array, times: Scalar, room: int) -> Array:
    """`x * times`, for which there is room."""
    own = op.maximum(size(x), literal(1, INT))
    at = k.integer_remainder(places(room), spread(own, room))
    used = op.multiply(size(x), op.maximum(cast(times.value, INT), literal(0, INT)))
    return bounded(taken(x.value, at), op.minimum(used, literal(room, INT)))


def filled(x: Array, width: int, fill: str, align: str, odd: bool = False) -> Array:
    """`x` with `fill` before it ("<": after it; "^": on both sides), so that it has this width.

    odd: one that is left over comes first where the width is odd, as `str.center` has it.
    """
    (x, blank) = alike(x, known(fill))
    room = max(capacity(x), width)
    missing = op.maximum(op.subtract(literal(width, INT), size(x)), literal(0, INT))
    fills = Array(broadcast_to(blank.value, (room,)))
    codes = resized(x.value, (room,))
    behind = op.select(k.lt(places(room), spread(size(x), room)), codes, fills.value)
    used = op.add(size(x), missing)
    if align == "<":
        return bounded(behind, used, width)
    before = missing
    if align == "^":
        before = op.shift_right_logical(missing, literal(1, INT))
        if odd and width % 2:
            before = op.add(before, op.and_(missing, literal(1, INT)))
    twice = concatenate(fills.value, behind, dimension=0)
    start = op.subtract(literal(room, INT), before)
    return bounded(dynamic_cut(twice, start, room, 0), used, width)


def filled_with_zeros(x: Array, width: int) -> Array:
    """`x.zfill(width)`: zeros come behind a sign."""
    made = filled(x, width, "0", ">")
    room = capacity(made)
    if not capacity(x):
        return made
    first = resized(x.value, (1,))
    codes = [splat(ord(c), x.dtype, (1,)) for c in "+-"]
    signed_ = op.or_(k.eq(first, codes[0]), k.eq(first, codes[1]))
    signed_ = op.and_(signed_, spread(k.gt(size(x), literal(0, INT)), 1))
    moved = op.subtract(size(made), size(x))
    here = op.select(
        k.eq(places(room), spread(moved, room)), splat(ord("0"), x.dtype, (room,)), made.value
    )
    start = k.eq(places(room), splat(0, INT, (room,)))
    here = op.select(start, broadcast_to(first, (room,)), here)
    return Array(op.select(broadcast_to(signed_, (room,)), here, made.value), made.extents)


# --- looking --------------------------------------------------------------------------------------


def equal(x: Array, y: Array) -> Value:
    """`x == y`."""
    x, y = alike(x, y)
    room = min(capacity(x), capacity(y))
    same = k.eq(resized(x.value, (room,)), resized(y.value, (room,)))
    if x.extents is None and y.extents is None:
        return all_of(same) if capacity(x) == capacity(y) else literal(False, BOOL)
    beyond = op.not_(k.lt(places(room), spread(size(x), room)))
    return op.and_(k.eq(size(x), size(y)), all_of(op.or_(same, beyond)))


def before(x: Array, y: Array) -> Value:
    """`x < y`."""
    x, y = alike(x, y)
    room = max(capacity(x), capacity(y))
    sides = []
    for side in (x, y):  # what is beyond the end is less than any code point
        codes = op.add(cast(resized(side.value, (room,)), INT), splat(1, INT, (room,)))
        there = k.lt(places(room), spread(size(side), room))
        sides.append(op.select(there, codes, splat(0, INT, (room,))))
    two = op.multiply(places(room), splat(2, INT, (room,)))
    place = op.add(two, cast(k.gt(*sides), INT))
    none = splat(NONE + 1, INT, (room,))  # which is odd
    first = fold(op.select(k.ne(*sides), place, none), (0,), literal(NONE + 1, INT), "minimum")
    return k.eq(op.and_(first, literal(1, INT)), literal(0, INT))


def matches(x: Array, part: Array) -> Value:
    """At which places, the end included, `part` is in `x`."""
    x, part = alike(x, part)
    room, width = capacity(x) + 1, capacity(part)
    last = op.subtract(size(x), size(part))
    fits = k.le(places(room), spread(last, room))
    if width == 0:
        return fits
    codes = resized(x.value, (room + width,))
    grid = (room, width)
    at = op.add(iota(shape=grid, dtype=INT, dimension=0), iota(shape=grid, dtype=INT, dimension=1))
    windows = taken(codes, at) if width > 1 else reshape(resized(codes, (room,)), shape=grid)
    same = k.eq(windows, broadcast_to(part.value, grid))
    if part.extents is not None:
        beyond = op.not_(k.lt(places(width), spread(size(part), width)))
        same = op.or_(same, broadcast_to(beyond, grid))
    return op.and_(fits, fold(same, (1,), literal(True, BOOL), "and"))


def found(x: Array, part: Array, start: Value) -> Scalar:
    """The first place from `start` on where `part` is in `x`, or -1."""
    hits = matches(x, part)
    room = capacity(x) + 1
    hits = op.and_(hits, k.ge(places(room), spread(cast(start, INT), room)))
    return _or_none(least(op.select(hits, places(room), splat(NONE, INT, (room,)))), room)


def found_last(x: Array, part: Array, start: Value) -> Scalar:
    """The last place from `start` on where `part` is in `x`, or -1."""
    hits = matches(x, part)
    room = capacity(x) + 1
    hits = op.and_(hits, k.ge(places(room), spread(cast(start, INT), room)))
    place = op.select(hits, places(room), splat(-1, INT, (room,)))
    last = fold(place, (0,), literal(-1, INT), "maximum")
    return Scalar(weak(last, int).value, extent.IntFact(-1, room - 1))


def _or_none(first: Value, room: int) -> Scalar:
    none = k.eq(first, literal(NONE, INT))
    return Scalar(
        weak(op.select(none, literal(-1, INT), first), int).value, extent.IntFact(-1, room - 1)
    )


def contains(x: Array, part: Array) -> Value:
    """`part in x`."""
    return any_of(matches(x, part))


# --- tables of code points ------------------------------------------------------------------------


# What says something of each of these characters, a bool or an int.
Table = Callable[[np.ndarray], np.ndarray]


def characters(count: int) -> np.ndarray:
    """The characters of the first code points."""
    return np.arange(count, dtype=WIDE).view("U1")


def tabled(x: Value, table: Table, dtype: np.dtype) -> Value:
    """What `table` says of each code point; an int is a code point, or -1."""
    if x.type.dtype == BYTES:
        return taken(constant(value=table(characters(256)).astype(dtype)), x)
    starts, results = _spans(table)
    where = positions(constant(value=starts), cast(x, INT), "right")
    found = taken(constant(value=results), op.subtract(where, splat(1, INT, x.type.shape)))
    if dtype == BOOL:
        return cast(found, BOOL)
    moved = op.add(found, cast(x, INT))
    none = k.eq(found, splat(-CODES, INT, x.type.shape))
    return cast(op.select(none, splat(-1, INT, x.type.shape), moved), dtype)


@functools.cache
def _spans(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Where what `table` says of code points changes: bools as they are, ints as what they differ
    by from the code point, and `-CODES` for -1."""
    every = table(characters(CODES))
    if every.dtype != bool:
        every = np.where(every < 0, -CODES, every - np.arange(CODES))
    every = every.astype(np.int64)
    starts = np.flatnonzero(np.diff(every, prepend=every[0] - 1))
    return starts, every[starts]


def mapped(x: Array, table: Table) -> Array:
    """The string of the code point that `table` gives for each."""
    narrow = x.dtype == BYTES and table(characters(256)).max() < 256
    codes = x.value if narrow else cast(x.value, WIDE)
    return Array(tabled(codes, table, codes.type.dtype), x.extents)


def titled(x: Array, lower: Array, upper: Array) -> Array:
    """`x` in lower case, but for the characters that follow none that has a case."""
    room = capacity(x)
    cased = tabled(x.value, has_case, BOOL)
    after = resized(concatenate(splat(False, BOOL, (1,)), cased, dimension=0), (room,))
    return Array(op.select(after, lower.value, upper.value), x.extents)


def has_case(chars: np.ndarray) -> np.ndarray:
    """Which characters are in upper, lower or title case."""
    return np.strings.isupper(chars) | np.strings.islower(chars) | np.strings.istitle(chars)


def whether_all(x: Array, table: Table, empty: bool) -> Value:
    """Whether `table` holds of all characters, and there are any unless `empty`."""
    held = all_of(op.or_(tabled(x.value, table, BOOL), op.not_(inside(x))))
    return held if empty else op.and_(held, k.gt(size(x), literal(0, INT)))


def whether_any(x: Array, table: Table) -> Value:
    """Whether `table` holds of a character."""
    return any_of(op.and_(tabled(x.value, table, BOOL), inside(x)))


def ends(x: Array, keeps: Value) -> tuple[Value, Value]:
    """Where the first character that `keeps` says of is, and behind the last one."""
    room = capacity(x)
    held = op.and_(keeps, inside(x))
    first = least(op.select(held, places(room), splat(NONE, INT, (room,))))
    last = fold(
        op.select(held, places(room), splat(-1, INT, (room,))), (0,), literal(-1, INT), "maximum"
    )
    stop = op.add(last, literal(1, INT))
    return op.minimum(first, size(x)), stop


def among(x: Array, others: Array) -> Value:
    """Which characters are among those of another string."""
    x, others = alike(x, others)
    grid = (capacity(x), capacity(others))
    same = k.eq(
        broadcast_in_dim(x.value, shape=grid, broadcast_dimensions=(0,)),
        broadcast_to(others.value, grid),
    )
    same = op.and_(same, broadcast_to(inside(others), grid))
    return fold(same, (1,), literal(False, BOOL), "or")


def cut(x: Array, start: Value, stop: Value) -> Array:
    """`x[start:stop]`, for 0 <= start, stop <= len(x)."""
    room = capacity(x)
    twice = resized(x.value, (2 * room,))
    used = op.maximum(op.subtract(stop, start), literal(0, INT))
    return bounded(dynamic_cut(twice, op.minimum(start, literal(room, INT)), room, 0), used)


def running(x: Value) -> Value:
    """The sums of the elements up to each."""
    return scan(op.add, x, 0)


# --- rows of strings ------------------------------------------------------------------------------


def parts_of(x: Array, starts: Value, stops: Value, most: int) -> tuple[Value, Value]:
    """The strings from each of `starts` to `stops`: lengths, and rows of at most so many code
    points."""
    room = capacity(x)
    grid = (starts.type.shape[0], min(most, room))
    at = op.add(
        broadcast_in_dim(starts, shape=grid, broadcast_dimensions=(0,)),
        iota(shape=grid, dtype=INT, dimension=1),
    )
    return op.subtract(stops, starts), taken(x.value, op.minimum(at, splat(room - 1, INT, grid)))


def split(x: Array, stops: Value, most: int) -> tuple[Value, Value, Value]:
    """What is between the characters that `stops` says of: how many parts, and `parts_of` them."""
    closing, count = _closing(x, stops)
    return (count, *parts_of(x, _behind(closing), closing, most))


def lines(x: Array, most: int) -> tuple[Value, Value, Value]:
    """As `split`, of the lines of a text: what "\r\n" ends is one, and there is none behind the
    last end."""
    room = capacity(x)
    returns, feeds = [k.eq(x.value, splat(ord(c), x.dtype, (room,))) for c in "\r\n"]
    none = splat(False, BOOL, (1,))
    second = op.and_(feeds, resized(concatenate(none, returns, dimension=0), (room,)))
    ends_ = op.and_(among(x, known(LINE_ENDS)), inside(x))
    closing, count = _closing(x, op.and_(ends_, op.not_(second)))
    opening = _behind(closing)
    at = op.minimum(opening, splat(room - 1, INT, opening.type.shape))
    opening = op.add(opening, cast(taken(second, at), INT))
    last = op.subtract(size(x), literal(1, INT))
    nothing = op.or_(k.lt(last, literal(0, INT)), taken(ends_, op.maximum(last, literal(0, INT))))
    count = op.subtract(count, cast(nothing, INT))
    return (count, *parts_of(x, opening, op.maximum(opening, closing), most))


def _closing(x: Array, stops: Value) -> tuple[Value, Value]:
    """Where the parts between `stops` end, and how many there are."""
    room = capacity(x) + 1
    end = spread(size(x), room)
    ends_ = op.and_(resized(stops, (room,)), k.lt(places(room), end))
    ends_ = op.or_(ends_, k.eq(places(room), end))
    return _gathered(ends_, room), total(ends_)


def _behind(closing: Value) -> Value:
    """Where the parts begin that end so."""
    behind = op.add(closing, splat(1, INT, closing.type.shape))
    return resized(concatenate(splat(0, INT, (1,)), behind, dimension=0), closing.type.shape)


def words(x: Array, blank: Value, most: int) -> tuple[Value, Value, Value]:
    """The runs of characters that `blank` does not say of: how many, and `parts_of` them."""
    room = capacity(x)
    held = op.and_(op.not_(blank), inside(x))
    shifted = concatenate(splat(False, BOOL, (1,)), held, dimension=0)
    after = resized(held, (room + 1,))
    opens = op.and_(after, op.not_(shifted))
    closes = op.and_(shifted, op.not_(after))
    count = (room + 1) // 2
    starts, stops = _gathered(opens, count), _gathered(closes, count)
    return (total(opens), *parts_of(x, starts, stops, most))


def _gathered(test: Value, most: int) -> Value:
    """The places where `test` holds, in order, and the last of all behind them."""
    counts = running(cast(test, INT))
    wanted = op.add(places(most), splat(1, INT, (most,)))
    where = positions(counts, wanted, "left")
    return op.minimum(where, splat(test.type.shape[0] - 1, INT, (most,)))


MANY = 1024


def before_each(stops: Value, size: int) -> Value:
    """How many of `stops`, in order, are at most each of the first `size` places: each is counted
    where it is, which is more code, but less work than to look for each place where these are
    many."""
    if stops.type.size <= MANY:
        return positions(stops, places(size), "right")
    ones = splat(1, INT, stops.type.shape)
    return running(scatter_along(splat(0, INT, (size,)), stops, ones, computation="add"))


def united(sizes: Value, rows: Value, count: Value, between: Array, room: int) -> tuple[Any, Value]:
    """The first `count` of rows, one after the other with `between`: a string with this room, and
    the length, which may be more."""
    between, rows_ = alike(between, Array(rows))
    lines, width = rows.type.shape
    there = k.lt(places(lines), spread(count, lines))
    gaps = splat(0, INT, (lines,))
    if capacity(between):
        gaps = spread(size(between), lines)
    steps = op.select(there, op.add(sizes, gaps), splat(0, INT, (lines,)))
    stops = running(steps)
    used = fold(steps, (0,), literal(0, INT), "add")
    used = op.maximum(op.subtract(used, size(between)), literal(0, INT))
    line = op.minimum(before_each(stops, room), splat(lines - 1, INT, (room,)))
    at = op.subtract(places(room), taken(op.subtract(stops, steps), line))
    own = taken(sizes, line)
    column = op.minimum(at, splat(max(width - 1, 0), INT, (room,)))
    flat = reshape(rows_.value, shape=(lines * width,))
    index = op.add(op.multiply(line, splat(width, INT, (room,))), column)
    codes = taken(flat, index) if width else splat(0, rows_.dtype, (room,))
    if capacity(between):
        gap = op.maximum(op.subtract(at, own), splat(0, INT, (room,)))
        gap = op.minimum(gap, splat(capacity(between) - 1, INT, (room,)))
        codes = op.select(k.lt(at, own), codes, taken(between.value, gap))
    return bounded(codes, op.minimum(used, literal(room, INT))), used


def table_of(which: Value, texts: Sequence[str]) -> tuple[Value, Value]:
    """The lengths and rows of those of `texts` that places say."""
    rows = [codes_of(text) for text in texts]
    table = np.zeros((len(rows), max(map(len, rows))), np.result_type(*rows))
    for row, codes in zip(table, rows, strict=True):
        row[: len(codes)] = codes
    sizes = np.array([len(row) for row in rows])
    return taken(constant(value=sizes), which), taken(constant(value=table), which)


def equal_rows(sizes: Value | None, rows: Value, x: Array) -> Value | bool:
    """Which rows, of these lengths or of all there is room for, are `x`."""
    x, held = alike(x, Array(rows))
    lines, width = rows.type.shape
    if sizes is None and x.extents is None and capacity(x) != width:
        return False
    own = splat(width, INT, (lines,)) if sizes is None else cast(sizes, INT)
    alike_ = k.eq(own, spread(size(x), lines))
    room = min(width, capacity(x))
    if room > 4 * PART:
        return _equal_in_parts(held.value, x, alike_, room)
    codes = resized(x.value, (room,))
    return op.and_(_begin_as(resized(held.value, (lines, room)), codes, places(room), x), alike_)


# Characters that are compared at a time, up to those that there are, where there is room for many.
PART = 8


def _equal_in_parts(rows: Value, x: Array, same: Value, room: int) -> Value:
    """Which of the rows that are as long as `x`, by `same`, equal it."""
    codes, last = resized(x.value, (room,)), literal(room - PART, INT)

    def step(at: Scalar, same: Array) -> Sequence[Any]:
        start = op.minimum(at.value, last)
        zero, part = literal(0, INT), (rows.type.shape[0], PART)
        own = dynamic_slice(rows, zero, start, slice_sizes=part)
        given = dynamic_slice(codes, start, slice_sizes=(PART,))
        hits = _begin_as(own, given, op.add(places(PART), spread(start, PART)), x)
        return at + PART, Array(op.and_(same.value, hits))

    end, begin = weak(size(x), int), weak(literal(0, INT), int)
    return while_loop(lambda at, _: at < end, step, (begin, Array(same)))[1].value


def _begin_as(rows: Value, codes: Value, spots: Value, x: Array) -> Value:
    """Which rows have these codes, of `x` at `spots`, but for those beyond its end."""
    grid = rows.type.shape
    beyond = op.not_(k.lt(spots, spread(size(x), grid[1])))
    same = op.or_(k.eq(rows, broadcast_to(codes, grid)), broadcast_to(beyond, grid))
    return fold(same, (1,), literal(True, BOOL), "and")


def equal_picks(which: Value, values: Sequence[Any], x: Array) -> Value:
    """Of which places in `values`, texts or other constants, `x` is the text."""
    each = [equal(known(v), x) if type(v) is str else literal(False, BOOL) for v in values]
    table = concatenate(*[reshape(hit, shape=(1,)) for hit in each], dimension=0)
    return taken(table, which)


def cleared(sizes: Value, rows: Value) -> Value:
    """Rows with zeros beyond their lengths."""
    grid = rows.type.shape
    limits = broadcast_in_dim(cast(sizes, INT), shape=grid, broadcast_dimensions=(0,))
    there = k.lt(iota(shape=grid, dtype=INT, dimension=1), limits)
    return op.select(there, rows, splat(0, rows.type.dtype, grid))


def keys(rows: Value) -> Value:
    """Numbers that are in the order of rows, the first of a row deciding: so many code points
    each."""
    lines, width = rows.type.shape
    step, shift = (7, 8) if rows.type.dtype == BYTES else (2, 24)
    count = -(-width // step)
    parts = reshape(cast(resized(rows, (lines, count * step)), INT), shape=(lines, count, step))
    worths = constant(value=np.array([1 << shift * k for k in reversed(range(step))], INT))
    worths = broadcast_in_dim(worths, shape=parts.type.shape, broadcast_dimensions=(2,))
    return fold(op.multiply(parts, worths), (2,), literal(0, INT), "add")


def key_columns(rows: Value) -> list[Value]:
    """`keys`, column by column."""
    grid = keys(rows)
    lines, count = grid.type.shape
    return [reshape(cut_columns(grid, i, i + 1, 1), shape=(lines,)) for i in range(count)]


# --- numbers of strings ---------------------------------------------------------------------------


@functools.cache
def digits_of(base: int) -> Table:
    """What characters are worth as digits, or -1."""

    def worths(chars: np.ndarray) -> np.ndarray:
        found = np.full(chars.shape, -1)
        letters = (chars < "\x80") & np.strings.isalnum(chars)
        for i in np.flatnonzero(np.strings.isdecimal(chars) | letters):
            worth = int(str(chars[i]), 36)
            found[i] = worth if worth < base else -1
        return found

    return worths


def parsed(x: Array, base: int) -> tuple[Value, Value, Value]:
    """`int(x, base)`, whether `x` is such a number, and whether it has 64 bits."""
    room = capacity(x)
    first, stop = ends(x, op.not_(tabled(x.value, np.strings.isspace, BOOL)))
    sign = taken(x.value, op.minimum(first, literal(max(room - 1, 0), INT)))
    minus = k.eq(sign, literal(ord("-"), sign.type.dtype))
    signed_ = op.or_(minus, k.eq(sign, literal(ord("+"), sign.type.dtype)))
    first = op.add(first, cast(op.and_(signed_, k.lt(first, stop)), INT))
    spot = places(room)
    within = op.and_(k.ge(spot, spread(first, room)), k.lt(spot, spread(stop, room)))
    worth = tabled(x.value, digits_of(base), INT)
    digit = op.and_(within, k.ge(worth, splat(0, INT, (room,))))
    under = op.and_(within, k.eq(x.value, splat(ord("_"), x.dtype, (room,))))
    after = resized(concatenate(splat(False, BOOL, (1,)), digit, dimension=0), (room,))
    ahead = resized(dynamic_cut(resized(digit, (room + 1,)), literal(1, INT), room, 0), (room,))
    fine = op.or_(digit, op.and_(under, op.and_(after, ahead)))
    good = op.and_(all_of(op.or_(fine, op.not_(within))), k.gt(stop, first))
    count = running(cast(digit, INT))
    rank = op.subtract(spread(total(digit), room), count)
    value, large = _summed(op.select(digit, worth, splat(0, INT, (room,))), rank, base)
    limit = op.add(literal(2**63 - 1, UNSIGNED), cast(minus, UNSIGNED))
    fits = op.not_(op.or_(large, k.gt(value, limit)))
    signed_value = cast(value, INT)
    return op.select(minus, op.negate(signed_value), signed_value), good, fits


def _summed(worth: Value, rank: Value, base: int) -> tuple[Value, Value]:
    """The sum of digits by their ranks, modulo 2**64, and whether it is far from that."""
    room = worth.type.shape[0]
    powers = [base**i for i in range(room)]
    exact = np.array([p % 2**64 for p in powers], UNSIGNED)
    rough = np.array([float(min(p, 10**300)) for p in powers])
    terms = op.multiply(cast(worth, UNSIGNED), taken(constant(value=exact), rank))
    near = op.multiply(cast(worth, FLOAT), taken(constant(value=rough), rank))
    sums = [fold(x, (0,), literal(0, x.type.dtype), "add") for x in (terms, near)]
    return sums[0], k.gt(sums[1], literal(1.8e19, FLOAT))
