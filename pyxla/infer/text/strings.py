"""What is done with strings that data makes (`infer.text.codes`): items, methods, conversions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import depends_on, parameters
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.heap import ListCell
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Const,
    Ref,
    Scalar,
    Tuple,
    Variant,
    as_const,
    is_number,
    plain,
)
from pyxla.errors import ListOverflow
from pyxla.infer.arrays import access as arrays
from pyxla.infer.containers.indices import as_int
from pyxla.infer.engine import Engine
from pyxla.infer.lists import columnar, reading
from pyxla.infer.lists.item_types import Chars
from pyxla.infer.raising.check_table import TOO_LARGE
from pyxla.infer.raising.refusals import lacking
from pyxla.infer.text import codes as texts
from pyxla.infer.text.codes import is_string, is_texts, string
from pyxla.infer.using import decided_by_data
from pyxla.ir.core import Branch, Value
from pyxla.lib import strings
from pyxla.lib import texts as methods
from pyxla.lib.manipulation import cut as cut_columns
from pyxla.lib.manipulation import dynamic_cut, stack
from pyxla.lib.masks import resized
from pyxla.lib.operands import INT, cast, literal, splat, weak
from pyxla.lib.registry import rule
from pyxla.ops import elementwise as op
from pyxla.ops.shape import reshape

OUT_OF_RANGE = "string index out of range"


def is_dynamic(x: Any) -> bool:
    """Whether `x` is a text that is not known."""
    return type(x) in _DYNAMIC and is_texts(x)


_DYNAMIC = (Compound, Variant)


def codes_of(engine: Engine, x: Any) -> Array:
    """The code points of a text; where only the host can format it, its numbers are asked for."""
    found = engine.library("str", texts.of, x)
    if found is None:
        found = engine.rules.of_floats(engine, x)
    if found is None:
        arrays.need_characters(engine, x)
        raise engine.refuse("the characters of this text are not known in compiled code")
    return found


def by_characters(engine: Engine, x: Any) -> Any:
    """A key whose texts are compared by their characters: those that hold floats, too, of which
    several look alike."""
    if isinstance(x, Tuple):
        items = tuple([by_characters(engine, item) for item in x.items])
        same = all([new is old for new, old in zip(items, x.items, strict=True)])
        return x if same else Tuple(items, x.cls)
    whole = not isinstance(x, Compound) or x.kind != "text" or is_string(x)
    return x if whole else string(codes_of(engine, x))


def length(engine: Engine, x: Any) -> Any:
    """`len(x)`."""
    found = strings.length(codes_of(engine, x))
    return as_const(found)


def get_item(engine: Engine, x: Any, key: Any) -> Any:
    """`x[key]`."""
    codes = codes_of(engine, x)
    if reading.is_slice(key):
        held = arrays.fresh(engine, codes)
        return string(arrays.read(engine, arrays.getitem(engine, held, key)))
    size = length(engine, string(codes))
    if isinstance(key, Array) and key.dtype.kind in "iu":
        key = arrays.python_scalar(key, int)
    if not is_number(key) or getattr(key, "dtype", INT).kind not in "ib":
        kind = engine.rules.type_of(engine, key).__name__
        message = f"string indices must be integers, not '{kind}'"
        return engine.raise_constant(TypeError(message))
    if engine.tests(IndexError) or isinstance(key, Const):
        compare, binary = engine.rules.compare, engine.rules.binary
        low = compare(engine, "ge", key, binary(engine, "sub", Const(0), size))
        inside = engine.rules.both(engine, low, compare(engine, "lt", key, size))
        engine.ensure(inside, IndexError(OUT_OF_RANGE))
    if not strings.capacity(codes):
        return engine.raise_constant(IndexError(OUT_OF_RANGE))
    at = reading.positive(engine, key, size)
    start = cast(value_of(plain(at)), INT)
    return string(Array(dynamic_cut(codes.value, start, 1, 0)))


def compared(engine: Engine, operation: str, x: Any, y: Any) -> Any:
    """`x operation y` of two texts, one of which data makes."""
    x, y = codes_of(engine, x), codes_of(engine, y)
    if operation in ("eq", "ne"):
        if x.extents is None and y.extents is None and x.shape != y.shape:
            return Const(operation == "ne")
        found = strings.equal(x, y)
        return as_bool(found if operation == "eq" else op.not_(found))
    if operation in ("gt", "le"):
        x, y = y, x
    found = strings.before(x, y)
    return as_bool(found if operation in ("lt", "gt") else op.not_(found))


def contains(engine: Engine, part: Any, x: Any) -> Any:
    """`part in x`."""
    if not is_texts(part):
        words = "'in <string>' requires string as left operand, not {}"
        raise lacking(engine, part, "is no string, and looked for in one", words)
    return as_bool(strings.contains(codes_of(engine, x), codes_of(engine, part)))


def as_bool(x: Value) -> Scalar:
    """`x` as a Python bool."""
    return Scalar(weak(x, bool).value)


def limited(engine: Engine, codes: Array, *xs: Array) -> Array:
    """A string that is made of `xs`, with no more room than there is for one in a loop."""
    most = max([room(engine), *map(strings.capacity, xs)])
    if not engine.loops or strings.capacity(codes) <= most:
        return codes
    fits = engine.rules.compare(engine, "le", length(engine, string(codes)), Const(most))
    engine.ensure(fits, ListOverflow(engine.list_capacity))
    size = op.minimum(strings.size(codes), literal(most, INT))
    return strings.bounded(resized(codes.value, (most,)), size)


# A string that a loop makes longer has room for this part of `Options.list_capacity`.
PART = 8


def room(engine: Engine) -> int:
    return max(engine.list_capacity // PART, 1)


def concatenated(engine: Engine, x: Any, y: Any) -> Any:
    """`x + y`, where one of them has its characters at hand; None where the host puts them
    together."""
    if not (is_string(x) or is_string(y)):
        return None
    parts = [engine.library("str", texts.of, part) for part in (x, y)]
    if None in parts:
        return None
    return string(limited(engine, strings.joined(parts), *parts))


def repeated(engine: Engine, x: Any, times: Any) -> Any:
    """`x * times`."""
    codes = codes_of(engine, x)
    if isinstance(times, Array):
        times = arrays.python_scalar(times, int)
    if isinstance(times, Const):
        return string(limited(engine, strings.joined([codes] * max(int(times.value), 0)), codes))
    high, own = extent.upper(times), strings.capacity(codes)
    most = room(engine)
    if high is None or high * own > most:
        size = engine.rules.binary(engine, "mul", length(engine, string(codes)), times)
        fits = engine.rules.compare(engine, "le", size, Const(most))
        engine.ensure(fits, ListOverflow(engine.list_capacity))
    else:
        most = max(high * own, 0)
    return string(strings.repeated(codes, times, most) if own else codes)


def counts(x: Any) -> bool:
    """Whether a sequence times `x` is the sequence repeated, as ints of Python and NumPy say."""
    if isinstance(x, Const):
        return isinstance(x.value, int | np.integer)
    return is_number(x) and x.kinds is None and x.dtype.kind in ("iu" if type(x) is Array else "ib")


def repeats(engine: Engine, x: Any, y: Any) -> bool:
    """Whether `x * y` is of a text that data makes, or as often as data says."""
    if not is_texts(x) or not counts(y):
        return False
    return is_dynamic(x) or (not isinstance(y, Const) and decided_by_data(engine, y))


def is_opened(engine: Engine, x: Any, key: Any) -> bool:
    """Whether `x[key]` is of code points: of a text that data makes, or where data decides what
    part of a known one it is, or arguments which character.  (Which one data decides is a choice,
    and what loops over constants decide is known once they are unrolled.)"""
    if isinstance(x, Compound):
        return x.kind == "text"
    if type(getattr(x, "value", None)) is not str:
        return False
    if isinstance(key, Compound) and key.kind == "slice":
        return decided_by_data(engine, *key.items)
    if not isinstance(key, Scalar) or decided_by_data(engine, key):
        return False
    heads = engine.heads()
    ends = [head.terminator for head in heads if depends_on(key.value, head)]
    tests = [end.cond for end in ends if isinstance(end, Branch)]
    return any(parameters(value) for value in (key.value, *tests))


# --- lists of strings -----------------------------------------------------------------------------


def listed(engine: Engine, count: Value, sizes: Value, rows: Value) -> Ref:
    """The list of the first `count` strings of these lengths."""
    lines, width = rows.type.shape
    size = Scalar(weak(count, int).value, extent.IntFact(0, lines))
    columns = [Array(x, columnar.extents_of(size, x.type.ndim)) for x in (sizes, rows)]
    item = Chars(rows.type.dtype, width, False)
    return reading.made_of(engine, [arrays.fresh(engine, c) for c in columns], item)


def characters(engine: Engine, x: Any) -> Ref:
    """`list(x)`."""
    codes = codes_of(engine, x)
    room = strings.capacity(codes)
    if codes.extents is None:
        items = [cut_columns(codes.value, i, i + 1, 0) for i in range(room)]
        return engine.new(ListCell(tuple([string(Array(item)) for item in items])))
    rows = reshape(codes.value, shape=(room, 1))
    column = arrays.fresh(engine, Array(rows, columnar.extents_of(codes.extents[0], 2)))
    return reading.made_of(engine, [column], Chars(codes.dtype, 1, True))


def joined_rows(engine: Engine, between: Any, items: Ref) -> Array:
    """`between.join(items)` of a list of unknown length."""
    grown = columnar.found(engine.heap, items)
    count = cast(value_of(columnar.size_of(engine.heap, grown)), INT)
    columns = [array.value for array in reading.columns_of(engine, grown)]
    sizes, rows = strings_of(grown.item, columns)
    gap = codes_of(engine, between)
    lines, width = rows.type.shape
    whole = lines * width + max(lines - 1, 0) * strings.capacity(gap)
    most = min(whole, max(engine.list_capacity, room(engine)))
    made, used = strings.united(sizes, rows, count, gap, most)
    if most < whole:
        fits = engine.rules.compare(engine, "le", Scalar(weak(used, int).value), Const(most))
        engine.ensure(fits, ListOverflow(engine.list_capacity))
    return made


def strings_of(item: Any, columns: Sequence[Value]) -> tuple[Value, Value]:
    """The lengths and code points of a list of texts that is laid out so."""
    if isinstance(item, Chars):
        if not item.fixed:
            return columns[0], columns[1]
        lines = columns[0].type.shape[0]
        return splat(item.capacity, INT, (lines,)), columns[0]
    return strings.table_of(columns[0], item.values)


def _stacked(xs: Sequence[Any]) -> tuple[list[Array], Value] | None:
    """Texts laid out alike, and the rows of their code points; None where one cannot be."""
    layouts = [texts.layout(x) for x in xs]
    if None in layouts:
        return None
    dtype, width, _ = texts.common(layouts)
    held = [texts.fitted(x, (dtype, width, False)) for x in xs]
    return held, stack([Array(x.value) for x in held]).value


def sorting(xs: Sequence[Any]) -> list[list[Scalar]] | None:
    """Ints that are in the order of texts, the first that differ deciding."""
    found = _stacked(xs) if all(map(is_texts, xs)) else None
    if found is None:
        return None
    held, rows = found
    sizes = stack([Array(strings.size(x)) for x in held]).value
    columns = [*strings.key_columns(strings.cleared(sizes, rows)), sizes]
    return [[_int_at(column, i) for i in range(len(xs))] for column in columns]


def _int_at(column: Value, i: int) -> Scalar:
    one = cut_columns(column, i, i + 1, 0)
    return Scalar(weak(reshape(one, shape=()), int).value)


@rule(methods.code)
def _code(engine: Engine, x: Any) -> Any:
    """The first code point."""
    codes = codes_of(engine, x)
    if not strings.capacity(codes):
        return Const(0)
    value = weak(reshape(resized(codes.value, (1,)), shape=()), int).value
    high = 255 if codes.dtype == strings.BYTES else strings.CODES - 1
    return Scalar(value, extent.IntFact(0, high))


@rule(methods.parsed)
def _parsed(engine: Engine, x: Any, base: Any) -> Any:
    known = engine.static(base, "the base of a number")
    if not isinstance(known, int) or not 2 <= known <= 36:
        raise engine.refuse("int() of a text takes a base from 2 to 36 in compiled code")
    codes = codes_of(engine, x)
    if not strings.capacity(codes):
        return Tuple((Const(0), Const(False)))
    value, good, fits = strings.parsed(codes, known)
    engine.ensure(as_bool(op.or_(fits, op.not_(good))), TOO_LARGE, catchable=False)
    return Tuple((Scalar(weak(value, int).value), as_bool(good)))


@rule(chr)
def _chr(engine: Engine, n: Any) -> Any:
    """`chr(n)`"""
    if isinstance(n, Const):
        return engine.fold_object(chr, (n.value,))
    number = as_int(engine, n)
    if isinstance(number, Const):
        return engine.fold_object(chr, (number.value,))
    compare = engine.rules.compare
    for low, high, error in _CHR:
        inside = engine.rules.both(
            engine, compare(engine, "ge", number, Const(low)), compare(engine, "le", number, high)
        )
        engine.ensure(inside, error)
    fact = extent.meet(extent.fact(number), 0, strings.CODES - 1)
    return string(strings.character(Scalar(number.value, fact)))


def _refused(n: int) -> Exception:
    """What `chr(n)` raises."""
    try:
        chr(n)
    except (ValueError, OverflowError) as error:
        return error
    raise AssertionError(n)


_CHR = (
    (-(2**31), Const(2**31 - 1), _refused(2**40)),
    (0, Const(strings.CODES - 1), _refused(-1)),
)
