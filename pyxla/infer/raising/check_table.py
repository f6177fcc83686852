"""`checks=True`: the table of what CPython and NumPy raise implicitly.

A row says where an operator or a function is *fine*, by its operands and its result, and what is
raised where it is not.  `verify` runs the rows after the result was computed: every op has a value
then, whatever its operands, and nothing has been written yet.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import pyxla.lib.everything  # noqa: F401 - the functions that rows are about
from pyxla.abstract.facts.integers import value_of
from pyxla.abstract.lattice import Array, Scalar
from pyxla.abstract.structure import OPERATORS
from pyxla.errors import Surprise
from pyxla.frozen import dataclass
from pyxla.infer.engine import Engine
from pyxla.infer.joins.far import TOO_LARGE
from pyxla.infer.raising.faults import Raises
from pyxla.infer.raising.sizes import (
    NEEDED,
    REDUCTIONS,
    verify_fits,
    verify_met,
    verify_needed,
    verify_reduction,
    verify_stored,
)
from pyxla.ir.core import Value
from pyxla.ir.types import CLASSES, PYTHON_DTYPES, PYTHON_KINDS, SHORT_NAMES
from pyxla.lib import kernels as k
from pyxla.lib.registry import LIBRARY
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op

SURELY_FITS = 2.0**62 * (1 - 2.0**-50)  # what a product of floats is below, far from 2**63

# (engine, operands, result) -> where all is well; None where that is proven or does not apply.
Test = Callable[[Any, tuple[Any, ...], Any], Value | None]


@dataclass(frozen=True, slots=True)
class Row:
    """`error(operands)`, of class `kind`, is raised unless `fine`.

    ours: what CPython does not raise there, such as for an int of more than 64 bits.  also: what
    other rows raise, which test nothing where a fault may be noted in error: here it is as well.
    """

    fine: Test
    error: Callable[[tuple[Any, ...]], Any]
    kind: type[BaseException]
    ours: bool
    also: tuple[type[BaseException], ...] = ()


CHECKS: dict[Any, list[Row]] = {}


def verify(
    engine: Engine, function: Any, operands: Any, named: dict[str, Any], result: Any
) -> None:
    """Raise what NumPy and CPython raise where a library function of `operands` gave `result`."""
    if engine.tests(ValueError):
        verify_met(engine, function, operands)
        if function in REDUCTIONS:
            verify_reduction(engine, function, operands, named)
        if function in NEEDED:
            verify_needed(engine, function, operands, named)
    if isinstance(result, Array) and engine.tests(OverflowError):
        _verify_narrowed(engine, function, operands, named, result.dtype)
    if function in _SCALARS and operands and isinstance(result, Array):
        verify_stored(engine, operands[0], result.dtype, basic=False)
    for row in CHECKS.get(function, ()):
        if not (engine.wants_exact_ints() if row.ours else engine.tests(row.kind)):
            continue
        fine = row.fine(engine, tuple(operands), result)
        if fine is None:
            fine = _fine_as_python(row, engine, operands, result)
        if fine is not None:
            error = Raises(row.kind, functools.partial(row.error, tuple(operands)))
            if row.ours:
                engine.postponed.ensure(engine, fine, error, row.also)
            else:
                engine.ensure(Scalar(fine), error, also=row.also)


def _verify_narrowed(
    engine: Engine, function: Any, operands: Any, named: dict[str, Any], dtype: np.dtype
) -> None:
    """Python's ints that become numbers of the dtype of the result are such numbers."""
    for x in operands[_NARROWING.get(function, len(operands)) :]:
        verify_fits(engine, x, dtype)
    for name in _NARROWED.intersection(named):
        if function is not _PAD or dtype.kind == "i":  # it stores NumPy's own scalars
            verify_fits(engine, named[name], dtype)
    if function is _CLIP:
        given = dict(zip(("a", "a_min", "a_max"), operands, strict=False)) | named
        for side, names in ((-1, ("a_min", "min")), (1, ("a_max", "max"))):
            for name in names:
                verify_fits(engine, given.get(name), dtype, side)


def _fine_as_python(row: Row, engine: Engine, operands: Any, result: Any) -> Value | None:
    """Where all is well with numbers that may be Python's or NumPy's, if they are Python's now."""
    if all(getattr(x, "kinds", None) is None for x in operands):
        return None
    plain: list[Any] = []
    numpys: list[Value] = []
    for x in operands:
        if not isinstance(x, Array):
            plain.append(x)
            continue
        choices = x.kinds.choices if x.kinds is not None else ()
        places = [i for i, kind in enumerate(choices) if kind in PYTHON_DTYPES]
        if not places:
            return None
        plain.append(_weak(x))
        selector = value_of(x.kinds.tag)
        python = [k.eq(selector, k.like(selector, i)) for i in places]
        numpys.append(op.not_(functools.reduce(op.or_, python)))
    found = _weak(result) if isinstance(result, Array) and not result.shape else result
    fine = row.fine(engine, tuple(plain), found)
    return None if fine is None else functools.reduce(op.or_, [fine, *numpys])


def _weak(x: Array) -> Scalar:
    dtype = PYTHON_DTYPES[PYTHON_KINDS[CLASSES[x.dtype]]]
    return Scalar(op.convert(x.value, dtype=dtype, weak=True))


def unless(
    error: Any, *keys: Any, also: tuple[type[BaseException], ...] = ()
) -> Callable[[Test], Test]:
    """Add a row for each of `keys`, operators by name and functions; `error` is an exception, or
    a sample of one and a function that makes one of the operands."""
    sample, make = (error, lambda operands: error) if isinstance(error, BaseException) else error
    ours = error is TOO_LARGE or isinstance(error, Surprise)

    def register(test: Test) -> Test:
        for key in keys:
            function = OPERATORS[key] if isinstance(key, str) else LIBRARY[key]
            CHECKS.setdefault(function, []).append(Row(test, make, type(sample), ours, also))
        return test

    return register


_ELEMENTWISE = {*OPERATORS.values(), *UFUNCS.values(), LIBRARY[np.power]}
_ELEMENTWISE -= {OPERATORS["matmul"], LIBRARY[np.matmul]}


_SCALARS = {LIBRARY[dtype.type] for dtype in SHORT_NAMES}  # `np.uint8(x)`


# Functions that convert Python's ints to the dtype of the result, and their first such operand; by
# what names others are converted.
_NARROWING = {
    **dict.fromkeys(_ELEMENTWISE, 0),
    **{LIBRARY[f]: 1 for f in (np.full, np.full_like)},
    **{LIBRARY[f]: 0 for f in (np.array, np.asarray)},
    LIBRARY[np.insert]: 2,
}
_NARROWED = {"initial", "fill_value", "constant_values"}
_CLIP, _PAD = LIBRARY[np.clip], LIBRARY[np.pad]
