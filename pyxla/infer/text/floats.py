"""Floats in text whose characters the program looks at (`lib.decimals`).

What is only shown keeps its floats, which the host formats when the program has ended
(`infer.text.pieces`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.deciding import by_arguments
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.lattice import Array, Compound, Const, Scalar
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call
from pyxla.infer.engine import Engine
from pyxla.infer.text import codes as texts
from pyxla.ir.core import Block, Value, reached
from pyxla.lib import decimals, strings
from pyxla.lib.operands import BOOL, cast, weak

_SPEC = re.compile(r"(?:(.)?([<>=^]))?([-+ ])?(0)?(\d+)?([,_])?(?:\.(\d+))?([eEfFgG%])?")
_PERCENT = re.compile(r"%([-+ 0]*)(\d+)?(?:\.(\d+))?([eEfFgG])")
_DOUBLE = np.dtype(np.float64)
# Digits behind the point, at most.
MOST = 100


def codes_of(engine: Engine, x: Any) -> Array | None:
    """The code points of a text, of floats among others; None where only the host can format it, or
    number arguments that are asked for make them known: that is less code."""
    if not isinstance(x, Compound) or x.kind != "text" or _known_by_arguments(engine, x.items):
        return None
    items, parts = iter(x.items), []
    for piece in x.meta:
        if type(piece) is str:
            part: Array | None = strings.known(piece)
        else:
            part = _field(engine, next(items), *piece)
        if part is None:
            return None
        parts.append(part)
    return engine.library("str", strings.joined, parts)


def _known_by_arguments(engine: Engine, items: Sequence[Any]) -> bool:
    heads = engine.heads()
    numbers = [x for x in items if isinstance(x, (Scalar, Array))]
    return bool(numbers) and all([by_arguments(x.value, heads) for x in numbers])


def _field(engine: Engine, x: Any, conversion: str, spec: Any) -> Array | None:
    if (found := engine.library("str", texts.field, x, conversion, spec)) is not None:
        return found
    if texts.is_texts(x):
        codes = codes_of(engine, x)
        if codes is None or conversion not in ("", "s"):
            return None
        return engine.library("str", texts.aligned, codes, spec) if spec else codes
    number = _number(x, bool(spec) or conversion.startswith("%"))
    shown = None if number is None else _spelled(conversion, spec, type(x) is Scalar)
    return None if shown is None else _shown(engine, x.value, number, *shown)


def _number(x: Any, formatted: bool) -> Scalar | None:
    """A float, Python's or NumPy's, as Python's; one of fewer than 64 bits only with a format, for
    which NumPy asks Python: without, it shows fewer digits."""
    if type(x) not in (Scalar, Array) or x.kinds is not None or x.shape:
        return None
    wide = x.dtype == _DOUBLE or (formatted and x.dtype in (np.float16, np.float32))
    return Scalar(weak(x.value, float).value) if wide else None


def _spelled(conversion: str, spec: str, python: bool) -> tuple[str | None, ...] | None:
    """The parts of how a float is formatted: fill, alignment, sign, 0, width, what is between
    groups, precision and type."""
    if conversion.startswith("%"):
        found = _PERCENT.fullmatch(conversion)
        if found is None or spec:
            return None
        flags, width, precision, kind = found.groups()
        sign = "+" if "+" in flags else " " if " " in flags else None
        left, zero = "-" in flags, "0" if "0" in flags and "-" not in flags else None
        return None, "<" if left else None, sign, zero, width, None, precision, kind
    if conversion and (spec or conversion not in ("s", "r")):
        return None
    if conversion == "r" and not python:  # NumPy's number says its type
        return None
    found = _SPEC.fullmatch(spec)
    return None if found is None else found.groups()


def _shown(engine: Engine, source: Value, x: Scalar, *parts: str | None) -> Array | None:
    """The characters of `x`, which is `source` as Python's float."""
    fill, align, sign, zero, width, between, precision, kind = parts
    if int(precision or 0) > MOST or (between and (zero or (kind or "f") not in "fF%")):
        return None
    digits = None if precision is None else int(precision)
    codes = _digits(engine, source, x, between, digits, kind or "")
    negative = call(engine, Const(decimals.is_negative), [x], {})
    flag = cast(value_of(negative), BOOL)
    front = engine.library("str", strings.signed, flag, "" if sign in (None, "-") else sign)
    if not width:
        return engine.library("str", strings.joined, [front, codes])
    align, fill = align or ("=" if zero else ">"), fill or ("0" if zero else " ")
    if align == "=":
        return engine.library("str", texts.between, front, codes, int(width), fill)
    whole = engine.library("str", strings.joined, [front, codes])
    return engine.library("str", strings.filled, whole, int(width), fill, align)


def _digits(
    engine: Engine,
    source: Value,
    x: Scalar,
    between: str | None,
    precision: int | None,
    kind: str,
) -> Array:
    """The characters of a float without its sign, which are computed once for all that look."""
    key = source, between, precision, kind
    known = engine.spelled.get(key)
    if known is None or not known.holds(engine.block):
        codes = _computed(engine, x, between, precision, kind)
        known = engine.spelled[key] = _Spelled(codes, engine.block)
    return known.codes


class _Spelled:
    """The characters of a float, and where the code for them ends."""

    def __init__(self, codes: Array, block: Block) -> None:
        self.codes, self.block = codes, block
        self.last = len(block.instrs), block.instrs[-1:]

    def holds(self, block: Block) -> bool:
        """Whether the code is still there, and each way to `block` comes by it."""
        count, last = self.last
        if self.block.instrs[:count][-1:] != last:  # it was forgotten (`loops.marks`)
            return False
        around = reached([block], lambda b: () if b is self.block else b.preds)
        return all([b is self.block or bool(b.preds) for b in around])


def _computed(
    engine: Engine, x: Scalar, between: str | None, precision: int | None, kind: str
) -> Array:
    """As `_digits`, where they are not known."""
    upper, places = kind.isupper(), 6 if precision is None else precision
    if kind == "%":
        x = engine.rules.binary(engine, "mul", x, Const(100.0))
    function: Callable[..., Any]
    args: tuple[Any, ...]
    if kind in ("f", "F", "%"):
        function, args = decimals.fixed, (places, upper, 3 if between else 0, ord(between or " "))
    elif kind in ("e", "E"):
        function, args = decimals.scientific, (places, upper)
    elif not kind and precision is None:
        function, args = decimals.plain, ()
    else:
        function, args = decimals.general, (max(places, 1), upper, not kind)
    with engine.unchecked():  # all places are between the digits' ends
        codes, size = call(engine, Const(function), [x, *map(Const, args)], {}).items
    found = strings.bounded(arrays.read(engine, codes).value, size.value, 1)
    if kind != "%":
        return found
    return engine.library("str", strings.joined, [found, strings.known("%")])
