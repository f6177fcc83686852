"""Methods of strings that data makes, and what `lib.texts` asks for."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.facts.refine import constant_of
from pyxla.abstract.lattice import Array, Const, Scalar, plain
from pyxla.errors import ListOverflow
from pyxla.infer.engine import Engine
from pyxla.infer.raising.refusals import full_name
from pyxla.infer.text.codes import string
from pyxla.infer.text.strings import (
    as_bool,
    codes_of,
    contains,
    get_item,
    is_dynamic,
    length,
    listed,
    room,
)
from pyxla.ir.core import Value
from pyxla.lib import kernels, strings
from pyxla.lib import texts as methods
from pyxla.lib.operands import BOOL, INT, broadcast_to, literal, splat
from pyxla.lib.registry import rule
from pyxla.ops import elementwise as op


@functools.cache
def _changed(name: str) -> tuple[strings.Table, strings.Table]:
    """What a method makes of code points, and of which it makes something else than one, or what
    depends on the others (a sigma)."""
    method = getattr(str, name)

    def changed(chars: np.ndarray) -> dict[int, str]:
        """Those that it changes, which all have a case."""
        cased = np.flatnonzero(strings.has_case(chars)).tolist()
        return {i: method(chr(i)) for i in cased}

    def is_odd(i: int, made: str) -> bool:
        return len(made) != 1 or chr(i) == "\u03a3" or i < 256 <= ord(made)

    def odd(chars: np.ndarray) -> np.ndarray:
        found = np.zeros(chars.shape, bool)
        found[[i for i, made in changed(chars).items() if is_odd(i, made)]] = True
        return found

    def codes(chars: np.ndarray) -> np.ndarray:
        found = np.arange(chars.size)
        for i, made in changed(chars).items():
            found[i] = i if is_odd(i, made) else ord(made)
        return found

    return codes, odd


def _with_cases(name: str) -> Callable[..., Any]:
    def change(engine: Engine, x: Any) -> Any:
        codes = codes_of(engine, x)
        table, odd = _changed(name)
        fine = op.not_(strings.whether_any(codes, odd))
        message = f"str.{name} of characters that become several, or others by what is around"
        engine.ensure(as_bool(fine), NotImplementedError(message))
        return string(strings.mapped(codes, table))

    return change


def _title(engine: Engine, x: Any) -> Any:
    codes = codes_of(engine, x)
    lower, upper = [METHODS[name](engine, string(codes)).items[0] for name in ("lower", "upper")]
    return string(strings.titled(codes, lower, upper))


def _told_by(name: str) -> strings.Table:
    """Of which characters a method of texts holds."""
    if hasattr(np.strings, name):
        return getattr(np.strings, name)
    return _ascii if name == "isascii" else _printable


def _ascii(chars: np.ndarray) -> np.ndarray:
    return chars < "\x80"


def _printable(chars: np.ndarray) -> np.ndarray:
    return np.array([c.isprintable() and c != "" for c in chars.tolist()])


def _all_are(name: str) -> Callable[..., Any]:
    table, empty = _told_by(name), bool(getattr("", name)())
    return lambda engine, x: as_bool(strings.whether_all(codes_of(engine, x), table, empty))


def _of_case(name: str) -> Callable[..., Any]:
    """`isupper`, `islower`: some characters are so, none of another case."""
    here = _told_by(name)

    def otherwise(chars: np.ndarray) -> np.ndarray:
        return strings.has_case(chars) & ~here(chars)

    def tell(engine: Engine, x: Any) -> Any:
        codes = codes_of(engine, x)
        none = op.not_(strings.whether_any(codes, otherwise))
        return as_bool(op.and_(strings.whether_any(codes, here), none))

    return tell


def _stripped(left: bool, right: bool) -> Callable[..., Any]:
    def strip(engine: Engine, x: Any, chars: Any = Const(None)) -> Any:
        codes = codes_of(engine, x)
        if isinstance(chars, Const) and chars.value is None:
            gone = strings.tabled(codes.value, np.strings.isspace, BOOL)
        else:
            gone = strings.among(codes, codes_of(engine, chars))
        first, stop = strings.ends(codes, op.not_(gone))
        first = first if left else literal(0, INT)
        return string(strings.cut(codes, first, stop if right else strings.size(codes)))

    return strip


def _filled(align: str) -> Callable[..., Any]:
    def fill(engine: Engine, x: Any, width: Any, with_: Any = Const(" ")) -> Any:
        codes = codes_of(engine, x)
        count = engine.static(width, "a width")
        blank = engine.static(with_, "a character to fill with")
        if type(blank) is not str or len(blank) != 1:
            message = "The fill character must be exactly one character long"
            return engine.raise_constant(TypeError(message))
        return string(strings.filled(codes, max(count, 0), blank, align, odd=True))

    return fill


def _zfill(engine: Engine, x: Any, width: Any) -> Any:
    codes = codes_of(engine, x)
    count = max(engine.static(width, "a width"), 0)
    return string(strings.filled_with_zeros(codes, count))


def _by_width(name: str, known: Callable[..., Any]) -> Callable[..., Any]:
    by_data = _visited(getattr(methods, name))

    def fill(engine: Engine, x: Any, width: Any, *with_: Any) -> Any:
        return (by_data if _is_data(width) else known)(engine, x, width, *with_)

    return fill


def _is_data(width: Any) -> bool:
    return isinstance(width, (Array, Scalar)) and not isinstance(constant_of(width), Const)


def _parts(engine: Engine, codes: Array, split: Callable[..., Any], *how: Value) -> Any:
    """The list of the parts of a text, with room for as many characters each as a text has in a
    loop, or for twice as many outside of loops."""
    most = room(engine) if engine.loops else 2 * room(engine)
    count, sizes, rows = split(codes, *how, most)
    if most < strings.capacity(codes):
        (lines,) = sizes.type.shape
        spare = kernels.ge(strings.places(lines), strings.spread(count, lines))
        fits = op.or_(spare, kernels.le(sizes, splat(most, INT, (lines,))))
        engine.ensure(as_bool(strings.all_of(fits)), ListOverflow(engine.list_capacity))
    return listed(engine, count, sizes, rows)


def _splitlines(engine: Engine, x: Any, keepends: Any = Const(False)) -> Any:
    if isinstance(keepends, Const) and not keepends.value:
        return _parts(engine, codes_of(engine, x), strings.lines)
    return _visited(methods.splitlines)(engine, x, keepends)


@rule(methods.split_at, methods.words)
def _split(engine: Engine, x: Any, sep: Any = Const(None), maxsplit: Any = Const(-1)) -> Any:
    every = isinstance(maxsplit, Const) and maxsplit.value < 0
    if isinstance(sep, Const) and sep.value is None:
        if every:
            codes = codes_of(engine, x)
            blank = strings.tabled(codes.value, np.strings.isspace, BOOL)
            return _parts(engine, codes, strings.words, blank)
        return _visited(methods.split_words)(engine, x, maxsplit)
    part = codes_of(engine, sep)
    if every and part.extents is None and part.shape == (1,):
        codes, part = strings.alike(codes_of(engine, x), part)
        stops = kernels.eq(codes.value, broadcast_to(part.value, codes.shape))
        return _parts(engine, codes, strings.split, stops)
    return _visited(methods.split_by)(engine, x, sep, maxsplit)


def _rsplit(engine: Engine, x: Any, sep: Any = Const(None), maxsplit: Any = Const(-1)) -> Any:
    if isinstance(maxsplit, Const) and maxsplit.value < 0:
        return _split(engine, x, sep)
    if isinstance(sep, Const) and sep.value is None:
        raise engine.refuse("str.rsplit at spaces, so many of them, is not compiled", "use split")
    return _visited(methods.rsplit_by)(engine, x, sep, maxsplit)


def _replace(engine: Engine, x: Any, old: Any, new: Any, count: Any = Const(-1)) -> Any:
    """One character by one other at once."""
    first, second = codes_of(engine, old), codes_of(engine, new)
    single = all(part.extents is None and part.shape == (1,) for part in (first, second))
    if single and isinstance(count, Const) and count.value < 0:
        codes, first, second = strings.alike(codes_of(engine, x), first, second)
        hits = kernels.eq(codes.value, broadcast_to(first.value, codes.shape))
        changed = broadcast_to(second.value, codes.shape)
        return string(Array(op.select(hits, changed, codes.value), codes.extents))
    return _visited(methods.replace)(engine, x, old, new, count)


def _translate(engine: Engine, x: Any, table: Any) -> Any:
    known = engine.static(table, "a table of characters")
    made = [chr(i).translate(known) for i in [*range(256), *[n for n in known if n >= 256]]]
    if any(len(text) != 1 for text in made):
        raise engine.refuse(
            "str.translate to no character, or to several, is not compiled", "write a loop"
        )

    def codes(chars: np.ndarray) -> np.ndarray:
        found = np.arange(chars.size)
        for i in [n for n in known if n < chars.size]:
            found[i] = ord(chr(i).translate(known))
        return found

    return string(strings.mapped(codes_of(engine, x), codes))


def _visited(function: Callable[..., Any]) -> Callable[..., Any]:
    def visit(engine: Engine, *args: Any, **kwargs: Any) -> Any:
        return engine.rules.call(engine, Const(function), list(args), kwargs)

    return visit


_FILLS = {
    **{"center": _filled("^"), "ljust": _filled("<"), "rjust": _filled(">")},
    "zfill": _zfill,
}
_TESTS = (
    *("isalpha", "isalnum", "isdigit", "isdecimal", "isnumeric", "isspace", "isascii"),
    *("isprintable",),
)
_IN_PYTHON = (
    *("find", "rfind", "index", "rindex", "count", "startswith", "endswith", "removeprefix"),
    *("removesuffix", "partition", "rpartition", "capitalize"),
)
METHODS: dict[str, Callable[..., Any]] = {
    **{name: _with_cases(name) for name in ("upper", "lower", "swapcase", "casefold")},
    **{name: _all_are(name) for name in _TESTS},
    **{name: _visited(getattr(methods, name)) for name in _IN_PYTHON},
    "isupper": _of_case("isupper"),
    "islower": _of_case("islower"),
    "title": _title,
    "strip": _stripped(True, True),
    "lstrip": _stripped(True, False),
    "rstrip": _stripped(False, True),
    **{name: _by_width(name, known) for name, known in _FILLS.items()},
    "split": _split,
    "rsplit": _rsplit,
    "splitlines": _splitlines,
    "replace": _replace,
    "translate": _translate,
    "__len__": length,
    "__getitem__": get_item,
    "__contains__": lambda engine, x, part: contains(engine, part, x),
}


def call(engine: Engine, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """`function(*args)` of texts that data makes, or fills; None where this is no such call."""
    builtin = isinstance(function, (types.MethodDescriptorType, types.BuiltinMethodType))
    fills = builtin and function.__name__ in _FILLS and any(map(_is_data, args))
    if not fills and not any(map(is_dynamic, (*args, *kwargs.values()))):
        return None
    if function is int:
        return _visited(methods.to_int)(engine, *args, **kwargs)
    if function is float:
        return _visited(methods.to_float)(engine, *args)
    if function is ord:
        return _visited(methods.to_ord)(engine, *args)
    if isinstance(function, types.MethodDescriptorType) and function.__objclass__ is str:
        method = METHODS.get(function.__name__)
        return None if method is None else method(engine, *args, **kwargs)
    owner = getattr(function, "__self__", None)
    if type(owner) is str and (method := METHODS.get(function.__name__)) is not None:
        return method(engine, Const(owner), *args, **kwargs)
    return None


@rule(methods.class_name)
def _class_name(engine: Engine, x: Any) -> Any:
    return Const(full_name(engine.rules.type_of(engine, x)))


@rule(methods.found)
def _found(engine: Engine, x: Any, part: Any, start: Any) -> Any:
    at = value_of(plain(start))
    return strings.found(codes_of(engine, x), codes_of(engine, part), at)


@rule(methods.found_last)
def _found_last(engine: Engine, x: Any, part: Any, start: Any) -> Any:
    at = value_of(plain(start))
    return strings.found_last(codes_of(engine, x), codes_of(engine, part), at)
