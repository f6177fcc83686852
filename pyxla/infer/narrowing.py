"""`compile(width=32)`: arrays and NumPy's scalars that would have 64 bits have 32.

What each instruction of the user's functions makes is narrowed when it is made; what the library
has in Python is visited as it is, and Python's own numbers keep their 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyxla.abstract.facts.ranges import interval
from pyxla.abstract.heap import ListCell
from pyxla.abstract.lattice import Array, Const, Ref, Scalar, Tuple
from pyxla.infer.frame import Frame
from pyxla.infer.interface import Engine
from pyxla.ir.types import limits
from pyxla.lib.operands import BOOL, cast, like, literal
from pyxla.lib.reductions import fold
from pyxla.ops import elementwise as op
from pyxla.ops.elementwise import compare

_NARROW = {np.dtype(f"{kind}8"): np.dtype(f"{kind}4") for kind in "iuf"}
_NARROW[np.dtype(np.complex128)] = np.dtype(np.complex64)


def is_asked(engine: Engine, frame: Frame) -> bool:
    """Whether what an activation makes is narrowed."""
    asked = engine.options is not None and engine.options.width == 32
    return asked and not str(frame.module.get("__name__")).startswith("pyxla.")


def of(engine: Engine, x: Any, first: int) -> Any:
    """What an instruction made, with 32 bits; arrays older than cell `first` stay as they are."""
    wide: list[Array] = []
    made = narrowed(engine, x, first, wide)
    check(engine, wide)
    return made


def narrowed(engine: Engine, x: Any, first: int, wide: list[Array]) -> Any:
    """As `of`; `wide` gets the arrays that were narrowed, which are still to be checked."""
    if type(x) is Array and x.dtype in _NARROW and x.kinds is None:
        wide.append(x)
        return Array(cast(x.value, _NARROW[x.dtype]), x.extents)
    if isinstance(x, Const) and isinstance(x.value, np.generic) and x.value.dtype in _NARROW:
        narrow = x.value.astype(_NARROW[x.value.dtype])
        return Const(narrow) if narrow == x.value or narrow.dtype.kind in "fc" else x
    if isinstance(x, Tuple):
        items = tuple([narrowed(engine, item, first, wide) for item in x.items])
        same = all(a is b for a, b in zip(items, x.items, strict=True))
        return x if same else Tuple(items, x.cls)
    if isinstance(x, Ref) and x.cell >= first:
        content = engine.heap.contents[x.cell]
        if type(content) is Array:
            engine.heap.contents[x.cell] = narrowed(engine, content, first, wide)
        elif type(content) is ListCell:
            items = tuple([narrowed(engine, item, first, wide) for item in content.items])
            engine.heap.contents[x.cell] = ListCell(items)
    return x


def check(engine: Engine, wide: list[Array]) -> None:
    """The program raises OverflowError where ints of 64 bits do not fit."""
    for x in wide if engine.checks else ():
        dtype = _NARROW[x.dtype]
        if dtype.kind not in "iu" or not x.size:
            continue
        low, high = limits(dtype)
        known = interval(x.value)
        if known.lo is None or known.hi is None or not low <= known.lo <= known.hi <= high:
            error = OverflowError(f"an int does not fit {dtype}, which width=32 asks for")
            engine.ensure(_fits(x, low, high), error)


def _fits(x: Array, low: int, high: int) -> Scalar:
    """Whether all elements are from `low` to `high`."""
    ends = (low, "GE"), (high, "LE")
    tests = [compare(x.value, like(x.value, end), direction=where) for end, where in ends]
    axes = tuple(range(x.ndim))
    found = fold(op.and_(*tests), axes, literal(True, BOOL), "and")
    return Scalar(op.convert(found, dtype=BOOL, weak=True))
