"""`np.bincount`: the size of its result is the largest element, which must have a bound.

The bound is what is proven of the elements (`x % 5`, a narrow dtype), or `minlength` where that is
known, or a default.
An element past the bound would make the array larger than it can be: the program raises
`ListOverflow`, and is compiled again with more room (`infer.arrays.room`).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent, ranges
from pyxla.abstract.facts.integers import Int, value_of
from pyxla.abstract.lattice import Array, Const, Scalar
from pyxla.errors import ListOverflow
from pyxla.infer.engine import Engine
from pyxla.infer.raising.sizes import verify_met
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.ir.types import I64
from pyxla.lib.bounded.elementwise import bounded, flattened
from pyxla.lib.indexing import true_size
from pyxla.lib.masks import within
from pyxla.lib.meetings import meet
from pyxla.lib.operands import as_array, cast
from pyxla.lib.registry import rule
from pyxla.lib.sizes import as_size
from pyxla.ops import elementwise as op
from pyxla.ops.filled import number
from pyxla.ops.index import scatter_along
from pyxla.ops.reduce import reduce
from pyxla.options import DEFAULTS

DEFAULT = 1 << 16


@rule(np.bincount)
def bincount(engine: Engine, x: Any, weights: Any = Const(None), minlength: Any = Const(0)) -> Any:
    array, given = engine.bounded_operand(x), engine.bounded_operand(weights)
    result = engine.library("bincount", _counted, engine, array, given, engine.operand(minlength))
    verify_met(engine)
    return engine.abstract(result)


def _counted(engine: Engine, x: Any, weights: Any, minlength: Any) -> Array:
    array, least = as_array(x), _least(engine, minlength)
    weights = weights if array.size else None
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise OpError("bincount takes a 1-d array of ints")
    if engine.tests(ValueError):
        _check_counts(engine, array)
        if weights is not None:
            words = "The weights and list don't have the same length."
            meet(true_size(array, 0), true_size(as_array(weights), 0), ValueError, words)
    inside, size = within(array), array.shape[0]
    value = cast(array.value, I64.dtype)
    if inside is not None:
        value = op.select(inside, value, number(-1, I64.dtype, (size,)))
    largest = reduce(value, number(-1, I64.dtype), dimensions=(0,), computation="maximum")
    proven = ranges.interval(array.value).hi if array.size else -1
    known = (0 if isinstance(least, int) and least else DEFAULT) if proven is None else proven + 1
    if proven is None and engine.list_capacity > DEFAULTS.list_capacity:
        known = max(known, engine.list_capacity)
    bound = max(extent.upper(least) or 0, known)
    if proven is None or proven >= bound:
        fits = op.compare(largest, number(bound, I64.dtype), direction="LT")
        fine = Scalar(op.convert(fits, dtype=fits.type.dtype, weak=True))
        engine.ensure(fine, ListOverflow(bound))
    totals = _totals(value, weights, bound)
    if isinstance(least, int) and least >= bound:
        return Array(totals)
    needed = op.convert(op.add(largest, number(1, I64.dtype)), dtype=I64.dtype, weak=True)
    length = op.maximum(needed, value_of(least))
    length = op.minimum(length, value_of(bound))
    return bounded(totals, (Scalar(length, extent.IntFact(extent.lower(least), bound)),))


def _least(engine: Engine, minlength: Any) -> Int:
    """`minlength` as a size: an int, or with a bound where data decides it."""
    if not isinstance(minlength, (Array, Scalar)):
        if operator.index(minlength) < 0:
            raise OpError("'minlength' must not be negative", ValueError)
    elif engine.tests(ValueError):
        fine = engine.rules.compare(engine, "ge", minlength, Const(0))
        engine.ensure(fine, ValueError("'minlength' must not be negative"))
    return as_size(minlength)


def _check_counts(engine: Engine, array: Array) -> None:
    """The program raises where an element is negative."""
    if array.dtype.kind == "i" and array.size:
        good = op.compare(array.value, number(0, array.dtype, array.shape), direction="GE")
        inside = within(array)
        if inside is not None:
            good = op.or_(good, op.not_(inside))
        fine = reduce(good, number(True, np.dtype(np.bool_)), dimensions=(0,), computation="and")
        error = ValueError("'list' argument must have no negative elements")
        engine.ensure(Scalar(op.convert(fine, dtype=fine.type.dtype, weak=True)), error)


def _totals(at: Value, weights: Any, bound: int) -> Value:
    """How often, or with what total weight, each number below `bound` occurs."""
    size = at.type.shape[0]
    dtype = I64.dtype if weights is None else np.dtype(np.float64)
    if weights is None:
        terms = number(1, dtype, (size,))
    else:
        given = flattened(as_array(weights, dtype))
        if given.shape != (size,):
            raise OpError("the weights and list don't have the same length.")
        terms = given.value
    # What lies past a true size, like any negative number, is nowhere in the result.
    outside = op.compare(at, number(0, I64.dtype, (size,)), direction="LT")
    at = op.select(outside, number(bound, I64.dtype, (size,)), at)
    return scatter_along(number(0, dtype, (bound,)), at, terms, computation="add")
