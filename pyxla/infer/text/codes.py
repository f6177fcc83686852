"""Strings whose characters the program looks at: code points (`lib.strings`).

    Compound("text", (codes,), (("codes", ""),))      codes: an array of one dimension

Text of other pieces becomes one where that is asked for: ints, bools and strings are formatted in
the program; what holds floats or objects is the host's to format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.lattice import Array, Compound, Const, Scalar
from pyxla.infer.joins import choices
from pyxla.ir.build import Builder, building
from pyxla.lib import strings
from pyxla.lib.operands import INT, literal, weak
from pyxla.ops import elementwise as op
from pyxla.views.shadows import selected

PIECES = (("codes", ""),)
_SPEC = re.compile(r"(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?(?:\.(\d+))?([bdoxXs])?")
_PERCENT = re.compile(r"%([-+ #0]*)(\d+)?([diuxXos])")
_BASES = {"b": 2, "o": 8, "x": 16, "X": 16}


def string(codes: Array) -> Compound:
    return Compound("text", (codes,), PIECES)


def is_string(x: Any) -> bool:
    """Whether the characters of a text are at hand."""
    return type(x) is Compound and x.kind == "text" and x.meta == PIECES


def is_texts(x: Any) -> bool:
    """Whether `x` is a text, known or not, of any representation."""
    if type(x) is Const:
        return type(x.value) is str
    if choices.is_choice(x):
        return all(type(value) is str for value in x.values)
    return type(x) is Compound and x.kind == "text"


def of(x: Any) -> Array | None:
    """The code points of a text; None of what only the host can format."""
    if type(x) is Const:
        return strings.known(x.value) if type(x.value) is str else None
    if not is_texts(x):
        return None
    if choices.is_choice(x):
        return strings.chosen(choices.position(x, x.values).value, x.values)
    if is_string(x):
        return x.items[0]
    items, parts = iter(x.items), []
    for piece in x.meta:
        part = strings.known(piece) if type(piece) is str else field(next(items), *piece)
        if part is None:
            return None
        parts.append(part)
    return strings.joined(parts)


def layout(x: Any) -> tuple[np.dtype, int, bool] | None:
    """The type of the code points of a text, for how many there is room, and whether there are so
    many; None as of `of`."""
    if not is_texts(x):
        return None
    with building(Builder([], None)):
        codes = of(x)
    return None if codes is None else (codes.dtype, strings.capacity(codes), codes.extents is None)


def common(layouts: list[tuple[np.dtype, int, bool]]) -> tuple[np.dtype, int, bool]:
    """The layout that holds each of several."""
    dtypes, rooms, fixed = zip(*layouts, strict=True)
    dtype = strings.WIDE if strings.WIDE in dtypes else strings.BYTES
    return dtype, max(rooms), all(fixed) and len(set(rooms)) == 1


def fitted(x: Any, layout_: tuple[np.dtype, int, bool]) -> Array | None:
    """The code points of a text, laid out so."""
    codes = of(x)
    return None if codes is None else strings.fitted(codes, *layout_)


def one_of(tag: Scalar, texts: Sequence[Any]) -> Compound | None:
    """`texts[tag]`; None as of `of`."""
    layouts = [layout(x) for x in texts]
    if None in layouts:
        return None
    return string(selected(tag, [fitted(x, common(layouts)) for x in texts]))


def field(x: Any, conversion: str, spec: str) -> Array | None:
    """One field of a text."""
    if conversion.startswith("%"):
        found = _PERCENT.fullmatch(conversion)
        if found is None or spec:
            return None
        flags, width, letter = found.groups()
        align = "<" if "-" in flags else "" if "0" in flags and letter != "s" else ">"
        sign = "+" if "+" in flags else " " if " " in flags else ""
        zero = "0" if "0" in flags and align == "" else ""
        kind = "s" if letter == "s" else letter.replace("i", "d").replace("u", "d")
        prefix = "#" if "#" in flags and kind != "d" else ""
        if kind == "s" and not is_texts(x):
            inner = field(x, "", "")
            return None if inner is None else aligned(inner, f"{align}{width or ''}")
        spec = f"{align}{'' if kind == 's' else sign}{prefix}{zero}{width or ''}{kind}"
        return field(x, "", spec)
    if conversion == "r" and type(x) is Scalar:  # NumPy's number says its type, a text has quotes
        conversion = "s"
    if conversion not in ("", "s", "codes"):
        return None
    if is_texts(x):
        codes = of(x)
        return codes if codes is None or not spec else aligned(codes, spec)
    if conversion == "codes":
        return x
    number = _number(x)
    if number is None:
        return None
    if number.kind is bool and (not spec or conversion):
        texts = strings.chosen(number.value, ("False", "True"))
        return aligned(texts, spec) if spec else texts
    if conversion and spec:
        return aligned(strings.number(number), spec)
    return _int(number, spec)


def _number(x: Any) -> Scalar | None:
    """An int or bool of Python's, or NumPy's, as Python's."""
    if type(x) is Const and type(x.value) in (int, bool):
        return None
    if type(x) not in (Scalar, Array) or x.kinds is not None or x.shape:
        return None
    if x.dtype.kind == "b":
        return Scalar(weak(x.value, bool).value)
    if x.dtype.kind not in "iu" or x.dtype == np.uint64:
        return None
    return Scalar(weak(x.value, int).value, extent.fact(x) if type(x) is Scalar else None)


def aligned(codes: Array, spec: str) -> Array | None:
    """A text formatted by `spec`."""
    found = _SPEC.fullmatch(spec)
    if found is None:
        return None
    fill, align, sign, alternate, zero, width, precision, kind = found.groups()
    if sign or alternate or align == "=" or kind not in (None, "s"):
        return None
    if precision is not None:
        most = min(int(precision), strings.capacity(codes))
        short = strings.fitted(codes, codes.dtype, most, False)
        size = op.minimum(strings.size(codes), literal(most, INT))
        codes = strings.bounded(short.value, size)
    if not width:
        return codes
    return strings.filled(codes, int(width), fill or ("0" if zero else " "), align or "<")


def _int(n: Scalar, spec: str) -> Array | None:
    """An int formatted by `spec`."""
    if not spec:
        return strings.number(n)
    found = _SPEC.fullmatch(spec)
    if found is None:
        return None
    fill, align, sign, alternate, zero, width, precision, kind = found.groups()
    if precision is not None or kind == "s":
        return None
    base = _BASES.get(kind or "d", 10)
    digits, negative = strings.digits(n, base, kind == "X")
    low = extent.lower(n)
    plus = sign if sign in ("+", " ") else ""
    front = [] if low is not None and low >= 0 and not plus else [strings.signed(negative, plus)]
    if alternate and base != 10:
        front.append(strings.known(f"0{kind}"))
    if not width:
        return strings.joined([*front, digits])
    if zero and not align:
        fill, align = fill or "0", "="
    align, fill = align or ">", fill or ("0" if zero else " ")
    if align != "=":
        return strings.filled(strings.joined([*front, digits]), int(width), fill, align)
    if not front:
        return strings.filled(digits, int(width), fill, ">")
    before = strings.joined(front)
    return between(before, digits, int(width), fill)


def between(front: Array, digits: Array, width: int, fill: str) -> Array:
    """A number with `fill` between its sign and its digits."""
    missing = op.subtract(
        literal(width, INT),
        op.add(strings.size(front), strings.size(digits)),
    )
    missing = op.maximum(missing, literal(0, INT))
    blanks = strings.known(fill * width)
    return strings.joined([front, strings.bounded(blanks.value, missing), digits])
