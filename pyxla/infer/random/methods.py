"""Methods of `np.random.Generator` besides the distributions of one number: integers, choices,
orders, vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.heap import ListCell, ObjectCell
from pyxla.infer.lattice import Array, Const, Ref, Scalar
from pyxla.infer.lists import number_lists
from pyxla.infer.random.generators import (
    F64,
    I64,
    NONE,
    ONLY,
    REMEDY,
    U64,
    Generator,
    bits_of,
    check_size,
    empty,
    first,
    method,
    python_number,
    shape_of,
    shaped,
    source_of,
    visit,
)
from pyxla.ir.op import OpError
from pyxla.lib.bounded.elementwise import NOT_SUPPORTED
from pyxla.lib.indexing import take, true_size
from pyxla.lib.operands import as_array, broadcast_shapes, broadcast_to, cast
from pyxla.lib.random import composed, filling, integers, orders
from pyxla.lib.registry import rule
from pyxla.ops.elementwise import add, or_, subtract
from pyxla.ops.shape import constant, iota, reshape

U32 = np.dtype(np.uint32)
REFUSED = {
    "spawn": (
        "a seed sequence is not part of a generator in compiled code",
        "spawn outside, and pass the generators",
    ),
    "bytes": ("bytes are not values of compiled code", "use integers(256, dtype=np.uint8)"),
    "multivariate_hypergeometric": (
        "this distribution is not among those that are compiled",
        "draw from it outside, and pass the numbers",
    ),
}


def known_objects(engine: Engine, *xs: Any) -> list[Any] | None:
    """The Python objects that `xs` are known to be."""
    try:
        return [engine.python_object(x) for x in xs]
    except LookupError:
        return None


def known_seed(engine: Engine, seed: Any) -> list[Any] | None:
    """As `known_objects`, of a seed; refused where there is none."""
    known = known_objects(engine, seed)
    if known == [None]:
        raise engine.refuse(
            "a generator without a seed is another one at every call",
            "pass a seed, or pass the generator as an argument",
        )
    return known


# --- Integers ------------------------------------------------------------------------------------


@method("integers")
def _integers(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("integers", _drawn_integers, engine, ref, given)


def _drawn_integers(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    kind = engine.static(given["dtype"], "the dtype")
    closed = bool(engine.static(given["endpoint"], "endpoint"))
    dtype = np.dtype(kind)
    if dtype.kind not in "iub":
        engine.raise_constant(TypeError(f"Unsupported dtype {dtype!r} for integers"))
    low, high = bounds(engine, given, dtype, closed)
    numbers = integers_between(engine, bits_of(engine, ref), low, high, given["size"])
    python = isinstance(numbers, Array) and (kind is int or kind is bool)
    return python_number(engine, numbers, kind) if python else numbers


def bounds(
    engine: Engine, given: dict[str, Any], dtype: np.dtype, closed: bool
) -> tuple[Array, Array]:
    """The least and the greatest integer, both included, of `dtype`; where none is drawn, they may
    be anything."""
    low, high = given["low"], given["high"]
    if isinstance(high, Const) and high.value is None:
        low, high = Const(0), low
    known = known_objects(engine, low, high)
    nothing = 0 in (shape_of(engine, given["size"]) or ())
    if known is not None and not nothing:
        scratch = Generator(np.random.PCG64(0))
        try:
            scratch.integers(*known, dtype=dtype, endpoint=closed)
        except (TypeError, ValueError) as error:
            engine.raise_constant(error)
        ends = [np.asarray(np.trunc(x).astype(object)) for x in map(np.asarray, known)]
        last = np.asarray(ends[1] - (not closed))
        return as_array(ends[0].astype(dtype)), as_array(last.astype(dtype))
    wide = U64 if dtype == U64 else I64
    least, most = [as_array(engine.operand(x), wide) for x in (low, high)]
    if engine.tests(ValueError) and not nothing:
        name = "lt" if closed else "le"
        wrong = engine.rules.compare(
            engine, name, engine.abstract(most, True), engine.abstract(least, True)
        )
        fine = call_object(engine, np.logical_not, [call_object(engine, np.any, [wrong], {})], {})
        comparison = "low > high" if closed else "low >= high"
        if isinstance(low, Const) and np.isscalar(low.value) and low.value == 0:
            comparison = "high < 0" if closed else "high <= 0"
        engine.ensure(engine.rules.truth(engine, fine), ValueError(comparison))
    if not closed:
        one = broadcast_to(constant(value=np.asarray(1, wide)), most.shape)
        most = Array(subtract(most.value, one))
    return Array(cast(least.value, dtype)), Array(cast(most.value, dtype))


def integers_between(
    engine: Engine, bits: Ref, low: Array, high: Array, size: Any, legacy: bool = False
) -> Any:
    """Integers of the dtype of `low` and `high`, both included; `legacy`: as RandomState does."""
    dtype = low.dtype
    word = U64 if dtype.itemsize == 8 else U32
    width = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    shape = shape_of(engine, size)
    own = broadcast_shapes(low.shape, high.shape)
    scalar = shape is None and own == ()
    shape = own if shape is None else shape
    check_size(engine, own, shape)
    least, most = broadcast_to(low.value, own), broadcast_to(high.value, own)
    # Differences of narrow integers are exact in 32 bits, and those of wide ones wrap.
    span = subtract(cast(most, word), cast(least, word))
    idle = [Array(constant(value=np.asarray(0, d))) for d in (U32, I64)]
    fields = dict(zip(("word", "left"), idle, strict=True))
    buffer = engine.new(ObjectCell(integers.Buffer, fields))
    count = math.prod(shape)
    filler: Any = filling.filled_below
    spans: Any = Array(span)
    if own:
        filler = filling.filled_below_each
        spans = arrays.fresh(engine, Array(reshape(broadcast_to(span, shape), shape=(count,))))
    out = empty(engine, count, word)
    filled = visit(engine, filler, bits, out, spans, Const(width), buffer, Const(legacy))
    drawn = reshape(engine.as_array(filled).value, shape=shape)
    offset = broadcast_to(least, shape)
    if dtype.kind == "b":
        value = or_(cast(drawn, dtype), offset)
    else:
        value = add(cast(drawn, dtype), offset)
    return Array(value) if scalar else arrays.fresh(engine, Array(value))


# --- Orders --------------------------------------------------------------------------------------


def _positions(engine: Engine, count: int) -> Ref:
    return arrays.fresh(engine, Array(iota(dtype=I64, shape=(count,), dimension=0)))


def _order(engine: Engine, ref: Any, count: int) -> Array:
    """The positions 0 to count - 1, shuffled."""
    order = _positions(engine, count)
    if count > 1:
        visit(engine, orders.shuffled, bits_of(engine, ref), order)
    return engine.as_array(order)


@method("permutation")
def _permutation(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("permutation", permuted_copy, engine, ref, given)


def permuted_copy(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    x = engine.bounded_operand(given["x"])
    if isinstance(x, (int, np.integer, Scalar)) and not isinstance(x, (bool, np.bool_)):
        if isinstance(x, Scalar) and x.kind is not int:
            raise OpError("x must be an integer or at least 1-dimensional")
        count = int(engine.static(given["x"], "the size of a permutation"))
        return arrays.fresh(engine, _order(engine, ref, max(count, 0)))
    array = as_array(x)
    axis = _axis(engine, given["axis"], array.ndim)
    if not array.size and array.ndim == 1:
        return arrays.fresh(engine, array)
    if array.extents is not None:
        return _permuted_line(engine, ref, array)
    order = _order(engine, ref, array.shape[axis])
    return arrays.fresh(engine, take(array, order, axis, wrap=False))


def _permuted_line(engine: Engine, ref: Any, x: Array) -> Any:
    """A shuffled copy of a line whose size is known at run time only."""
    if x.ndim > 1:
        raise OpError(NOT_SUPPORTED)
    places = Array(iota(dtype=I64, shape=x.shape, dimension=0), x.extents)
    order = arrays.fresh(engine, places)
    visit(engine, orders.shuffled, bits_of(engine, ref), order)
    return arrays.fresh(engine, take(x, engine.bounded_operand(order), 0, wrap=False))


def _axis(engine: Engine, axis: Any, ndim: int) -> int:
    known = engine.static(axis, "the axis")
    if not -ndim <= known < ndim:
        engine.raise_constant(np.exceptions.AxisError(known, ndim))
    return known % ndim


@method("shuffle")
def shuffle(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    x = given["x"]
    if isinstance(x, Ref) and isinstance(engine.content(x), ListCell):
        raise engine.refuse(
            "the order of a list is known while compiling", "shuffle an array instead"
        )
    if not arrays.is_array(engine, x):
        raise engine.refuse(f"{arrays.kind_of(engine, x)} cannot be shuffled")
    engine.check_writable(x)
    array = engine.operand(x)
    axis = _axis(engine, given["axis"], array.ndim)
    if array.size:
        order = _order(engine, ref, array.shape[axis])
        arrays.assign(engine, x, take(array, order, axis, wrap=False))
    return NONE


@method("permuted")
def _permuted(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("permuted", _permuted_slices, engine, ref, given)


def _permuted_slices(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    array = as_array(engine.operand(given["x"]))
    if not array.ndim:
        engine.raise_constant(TypeError("len() of unsized object"))
    known = engine.static(given["axis"], "the axis")
    axis = 0 if known is None else _axis(engine, given["axis"], array.ndim)
    moved = (
        array
        if known is None
        else call_object(
            engine, np.moveaxis, [arrays.fresh(engine, array), Const(axis), Const(-1)], {}
        )
    )
    wide = engine.as_array(moved)
    length = wide.size if known is None else wide.shape[-1]
    rows = shaped(engine, wide, (wide.size // length if length else 0, length))
    if wide.size:
        visit(engine, orders.shuffled_rows, bits_of(engine, ref), rows)
    back = shaped(engine, rows, wide.shape)
    if known is not None:
        back = call_object(engine, np.moveaxis, [back, Const(-1), Const(axis)], {})
    result = engine.as_array(back)
    out = given["out"]
    if isinstance(out, Const) and out.value is None:
        return arrays.fresh(engine, result)
    if not arrays.is_array(engine, out) or arrays.shown(engine, out)[0] != result.shape:
        engine.raise_constant(ValueError("out must have the same shape as x"))
    arrays.assign(engine, out, result)
    return out


# --- Choices -------------------------------------------------------------------------------------


@method("choice")
def _choice(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("choice", _chosen, engine, ref, given)


def _chosen(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    a = engine.bounded_operand(number_lists.by_value(engine, given["a"]))
    of_ints = isinstance(a, (int, np.integer)) or (isinstance(a, (Scalar, Array)) and a.shape == ())
    axis = 0
    if not of_ints:
        a = as_array(a)
        axis = _axis(engine, given["axis"], a.ndim)
    shape = shape_of(engine, given["size"])
    replace = bool(engine.static(given["replace"], "replace"))
    weighted = not (isinstance(given["p"], Const) and given["p"].value is None)
    _refuse_known(engine, given)
    counted = a if of_ints else true_size(a, axis)
    words = "a must be a positive integer" if of_ints else "a cannot be empty"
    ensure_population(engine, counted, shape, words)
    plain = replace and not weighted
    if plain and (isinstance(counted, Scalar) or (of_ints and isinstance(a, Array))):
        indices = _any_below(engine, ref, counted, shape)
    elif not of_ints and isinstance(counted, Scalar):
        count = math.prod(shape or ())
        if weighted or a.shape[axis] > SMALL:
            raise OpError(NOT_SUPPORTED)
        enough = engine.rules.compare(engine, "ge", counted, Const(count))
        engine.ensure(engine.rules.truth(engine, enough), _LARGER)
        mixed = bool(engine.static(given["shuffle"], "shuffle"))
        found = engine.as_array(_sample(engine, bits_of(engine, ref), counted, count, mixed))
        indices = Array(reshape(cast(found.value, I64), shape=shape or ()))
    else:
        count = int(engine.static(given["a"], "the population")) if of_ints else a.shape[axis]
        indices = _indices(engine, ref, given, count, shape, replace, weighted)
    if of_ints:
        if shape is None:
            return python_number(engine, first(engine, shaped(engine, indices, (1,))), int)
        return arrays.fresh(engine, indices)
    result = take(a, indices, axis, wrap=False)
    return result if result.shape == () and shape is None else arrays.fresh(engine, result)


def _refuse_known(engine: Engine, given: dict[str, Any]) -> None:
    """Raise what NumPy raises for arguments that are known."""
    names = ("a", "size", "replace", "p", "axis", "shuffle")
    known = known_objects(engine, *[given[name] for name in names])
    if known is None or (isinstance(known[0], int) and known[0] > 1 << 24):
        return
    try:
        Generator(np.random.PCG64(0)).choice(*known)
    except (TypeError, ValueError) as error:
        engine.raise_constant(error)


def ensure_population(
    engine: Engine, count: Any, shape: tuple[int, ...] | None, words: str
) -> None:
    """The program raises where something is chosen among nothing."""
    error = ValueError(f"{words} unless no samples are taken")
    if 0 in (shape or ()) or not engine.tests(ValueError):
        return
    if not isinstance(count, (Scalar, Array)):
        if count <= 0:
            engine.raise_constant(error)
        return
    engine.ensure(
        engine.rules.truth(engine, engine.rules.compare(engine, "gt", count, Const(0))), error
    )


def _any_below(engine: Engine, ref: Any, a: Any, shape: tuple[int, ...] | None) -> Array:
    """Indices below a size known at run time only."""
    last = Array(subtract(cast(a.value, I64), constant(value=np.asarray(1, I64))))
    zero = as_array(np.int64(0))
    bits = bits_of(engine, ref)
    return engine.as_array(integers_between(engine, bits, zero, last, Const(shape or ())))


def _indices(
    engine: Engine,
    ref: Any,
    given: dict[str, Any],
    population: int,
    shape: tuple[int, ...] | None,
    replace: bool,
    weighted: bool,
) -> Array:
    """Indices below `population`."""
    shape = shape or ()
    count = math.prod(shape)
    if replace and not weighted:
        least, most = [as_array(np.int64(n)) for n in (0, population - 1)]
        drawn = integers_between(engine, bits_of(engine, ref), least, most, Const(shape))
        return engine.as_array(drawn)
    if not replace and count > population:
        engine.raise_constant(_LARGER)
    if weighted:
        p = as_array(engine.operand(given["p"]), F64)
        if p.shape != (population,):
            engine.raise_constant(ValueError("a and p must have same size"))
        weights = arrays.fresh(engine, p)
        ensure_weights(engine, weights)
        if replace:
            found = visit(engine, composed.chosen_by_weight, ref, weights, Const(shape))
        else:
            found = empty(engine, count, I64)
            visit(engine, orders.sampled_by_weight, bits_of(engine, ref), weights, found)
    else:
        mixed = bool(engine.static(given["shuffle"], "shuffle"))
        found = _sample(engine, bits_of(engine, ref), population, count, mixed)
    value = cast(engine.as_array(found).value, I64)
    return Array(reshape(value, shape=shape))


def ensure_weights(engine: Engine, p: Ref) -> None:
    """With checks, the program raises NumPy's ValueErrors for bad probabilities."""
    if not engine.tests(ValueError):
        return
    for test, message in (
        (composed.is_non_negative, "Probabilities are not non-negative"),
        (
            composed.sums_to_one,
            "Probabilities do not sum to 1. See Notes section of docstring for more information.",
        ),
    ):
        holds = engine.rules.truth(engine, visit(engine, test, p))
        engine.ensure(holds, ValueError(message))


SMALL = 10000
_LARGER = ValueError("Cannot take a larger sample than population when replace is False")


def _sample(engine: Engine, bits: Ref, population: Any, count: int, mixed: bool) -> Any:
    """Different numbers, by the method NumPy takes for such sizes: Floyd's for all up to SMALL, as
    those known at run time only are."""
    large = isinstance(population, int) and population > SMALL
    if large and count > population // (50 if mixed else 20):
        order = _positions(engine, population)
        start = max(population - count, 1)
        visit(engine, orders.tail_shuffled, bits, order, Const(start))
        tail = slice(population - count, None)
        return engine.abstract(
            engine.as_array(call_object(engine, np.ndarray.__getitem__, [order, Const(tail)], {}))
        )
    found = empty(engine, count, I64)
    slots = 1 << max(int(1.2 * count), 1).bit_length()
    table = arrays.fresh(engine, as_array(np.full(slots, -1, I64)))
    known = Const(population) if isinstance(population, int) else population
    visit(engine, orders.sampled, bits, known, found, table)
    if mixed:
        visit(engine, orders.tail_shuffled, bits, found, Const(1))
    return found


# --- Vectors -------------------------------------------------------------------------------------


@method("multivariate_normal")
def _multivariate_normal(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    mean, cov = [as_array(engine.operand(given[name]), F64) for name in ("mean", "cov")]
    if mean.ndim != 1:
        engine.raise_constant(ValueError("mean must be 1 dimensional"))
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        engine.raise_constant(ValueError("cov must be 2 dimensional and square"))
    if mean.shape[0] != cov.shape[0]:
        engine.raise_constant(ValueError("mean and cov must have same length"))
    how = engine.static(given["method"], "the method")
    if how not in ("svd", "eigh", "cholesky"):
        engine.raise_constant(ValueError("method must be one of {'eigh', 'svd', 'cholesky'}"))
    shape = shape_of(engine, given["size"]) or ()
    both = [arrays.fresh(engine, x) for x in (mean, cov)]
    return visit(engine, composed.multivariate_normal, ref, *both, Const(shape), Const(how))


@method("dirichlet")
def _dirichlet(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    alpha = as_array(engine.operand(given["alpha"]), F64)
    known = known_objects(engine, given["alpha"])
    if alpha.ndim != 1:
        raise engine.refuse("alpha must be 1-dimensional")
    if known is not None and np.any(np.less(known[0], 0)):
        engine.raise_constant(ValueError("alpha < 0"))
    shape = (*(shape_of(engine, given["size"]) or ()), alpha.size)
    if not math.prod(shape):
        return arrays.fresh(engine, as_array(np.zeros(shape)))
    source = source_of(engine, bits_of(engine, ref), F64)
    rows = call_object(engine, np.zeros, [Const((math.prod(shape[:-1]), alpha.size))], {})
    function: Any = orders.dirichlet
    if known is not None:
        function = orders.broken_sticks if np.max(known[0]) < 0.1 else orders.normalized
    filled = visit(engine, function, source, arrays.fresh(engine, alpha), rows)
    return shaped(engine, filled, shape)


@method("multinomial")
def _multinomial(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("multinomial", _counts, engine, ref, given)


def _counts(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    known = known_objects(engine, given["n"], given["pvals"])
    if known is not None:
        try:
            Generator(np.random.PCG64(0)).multinomial(*known)
        except (TypeError, ValueError) as error:
            engine.raise_constant(error)
    n = as_array(engine.operand(given["n"]), I64)
    p = as_array(engine.operand(given["pvals"]), F64)
    if not p.ndim or not p.shape[-1]:
        engine.raise_constant(
            ValueError(
                "pvals must have at least 1 dimension and the last "
                "dimension of pvals must be greater than 0."
            )
        )
    batch = broadcast_shapes(n.shape, p.shape[:-1])
    shape = shape_of(engine, given["size"])
    shape = batch if shape is None else shape
    check_size(engine, batch, shape)
    rows, kinds = math.prod(shape), p.shape[-1]
    tries = reshape(broadcast_to(n.value, shape), shape=(rows,))
    chances = reshape(broadcast_to(p.value, (*shape, kinds)), shape=(rows, kinds))
    counts = call_object(engine, np.zeros, [Const((rows, kinds)), Const(I64)], {})
    if not rows:
        return shaped(engine, counts, (*shape, kinds))
    source = source_of(engine, bits_of(engine, ref), F64)
    operands = [arrays.fresh(engine, Array(x)) for x in (tries, chances)]
    filled = visit(engine, orders.multinomial, source, *operands, counts)
    return shaped(engine, filled, (*shape, kinds))


# --- What is refused -----------------------------------------------------------------------------


def refuse(target: Any, reason: str, remedy: str) -> None:
    @rule(target)
    def refused(engine: Engine, *args: Any, **kwargs: Any) -> Any:
        raise engine.refuse(reason, remedy)


for _name, _why in REFUSED.items():
    refuse(getattr(Generator, _name), *_why)

for _target in (np.random.PCG64DXSM, np.random.Philox, np.random.SFC64):
    refuse(_target, ONLY, REMEDY)
