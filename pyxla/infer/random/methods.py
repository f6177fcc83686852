"""Methods of `np.random.Generator` besides the distributions of one number: integers, vectors,
and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.heap import ObjectCell
from pyxla.infer.lattice import Array, Const, Ref
from pyxla.infer.random.generators import (
    F64,
    I64,
    ONLY,
    REMEDY,
    U64,
    Generator,
    bits_of,
    check_size,
    empty,
    method,
    python_number,
    shape_of,
    shaped,
    source_of,
    visit,
)
from pyxla.lib.operands import as_array, broadcast_shapes, broadcast_to, cast
from pyxla.lib.random import composed, filling, integers, orders
from pyxla.lib.registry import rule
from pyxla.ops.elementwise import add, or_, subtract
from pyxla.ops.shape import constant, reshape

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
