"""Methods of `np.random.Generator` besides the distributions of one number: integers, those that
are Python (`lib.random.drawing`), and what is refused."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Array, Const, Ref, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.random import counts, generators
from pyxla.lib.indexing import take
from pyxla.lib.operands import as_array, broadcast_shapes, broadcast_to, cast
from pyxla.lib.random import composed, drawing, filling, integers, legacy, orders
from pyxla.lib.registry import rule
from pyxla.lib.sizes import as_sizes
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


# --- Integers ------------------------------------------------------------------------------------


@generators.GENERATORS.method("integers")
def _integers(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("integers", drawn_integers, engine, ref, given)


def drawn_integers(engine: Engine, ref: Any, given: dict[str, Any], of_legacy: bool = False) -> Any:
    """What `integers` draws; of_legacy: as RandomState's `randint` does."""
    kind = engine.static(given["dtype"], "the dtype")
    closed = not of_legacy and bool(engine.static(given["endpoint"], "endpoint"))
    dtype = np.dtype(kind)
    if dtype.kind not in "iub":
        engine.raise_constant(TypeError(f"Unsupported dtype {dtype!r} for integers"))
    low, high = bounds(engine, given, dtype, closed)
    bits = generators.bits_of(engine, ref)
    numbers = integers_between(engine, bits, low, high, given["size"], of_legacy)
    python = isinstance(numbers, Array) and (kind is int or kind is bool)
    return generators.python_number(engine, numbers, kind) if python else numbers


def bounds(
    engine: Engine, given: dict[str, Any], dtype: np.dtype, closed: bool
) -> tuple[Array, Array]:
    """The least and the greatest integer, both included, of `dtype`; where none is drawn, they may
    be anything."""
    low, high = given["low"], given["high"]
    if isinstance(high, Const) and high.value is None:
        low, high = Const(0), low
    known = generators.known_objects(engine, low, high)
    shape = _shape_of(engine, given["size"])
    nothing = isinstance(shape, Const) and 0 in shape.value
    if known is not None and not nothing:
        ends = [np.asarray(np.trunc(x).astype(object)) for x in map(np.asarray, known)]
        last = np.asarray(ends[1] - (not closed))
        if isinstance(shape, Const) or np.all(ends[0] <= last):
            return as_array(ends[0].astype(dtype)), as_array(last.astype(dtype))
    wide = generators.U64 if dtype == generators.U64 else generators.I64
    least, most = [as_array(engine.operand(x), wide) for x in (low, high)]
    if engine.tests(ValueError) and not nothing:
        name = "lt" if closed else "le"
        wrong = engine.rules.compare(
            engine, name, engine.abstract(most, True), engine.abstract(least, True)
        )
        fine = call_object(engine, np.logical_not, [call_object(engine, np.any, [wrong], {})], {})
        if not isinstance(shape, Const):
            fine = generators.visit(engine, drawing.is_fine, fine, shape)
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
    word = generators.U64 if dtype.itemsize == 8 else U32
    width = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    own = broadcast_shapes(low.shape, high.shape)
    of_any_size = None if own else counts.of_any_size(engine, size, word)
    shape = () if of_any_size is not None else counts.shape_of(engine, size)
    scalar = shape is None and own == ()
    shape = own if shape is None else shape
    counts.check_size(engine, own, shape)
    least, most = broadcast_to(low.value, own), broadcast_to(high.value, own)
    # Differences of narrow integers are exact in 32 bits, and those of wide ones wrap.
    span = subtract(cast(most, word), cast(least, word))
    idle = [Array(constant(value=np.asarray(0, d))) for d in (U32, generators.I64)]
    fields = dict(zip(("word", "left"), idle, strict=True))
    buffer = engine.new(ObjectCell(integers.Buffer, fields))
    count = math.prod(shape)
    filler: Any = filling.filled_below
    spans: Any = Array(span)
    if of_any_size is not None:
        drawn = [bits, of_any_size, spans, Const(width), buffer, Const(legacy)]
        return generators.visit(engine, filling.filled_between, *drawn, Const(dtype), Array(least))
    if own:
        filler = filling.filled_below_each
        spans = arrays.fresh(engine, Array(reshape(broadcast_to(span, shape), shape=(count,))))
    out = generators.empty(engine, count, word)
    filled = generators.visit(engine, filler, bits, out, spans, Const(width), buffer, Const(legacy))
    drawn = reshape(engine.as_array(filled).value, shape=shape)
    offset = broadcast_to(least, shape)
    if dtype.kind == "b":
        value = or_(cast(drawn, dtype), offset)
    else:
        value = add(cast(drawn, dtype), offset)
    return Array(value) if scalar else arrays.fresh(engine, Array(value))


# --- Methods that are Python -----------------------------------------------------------------


@rule(drawing.check_size)
def _check_size(engine: Engine, own: Any, shape: Any) -> Any:
    counts.check_size(engine, *[engine.static(x, "a shape") for x in (own, shape)])
    return generators.NONE


@rule(drawing.is_checked)
def _is_checked(engine: Engine, x: Any) -> Any:
    return Const(isinstance(x, Const) or engine.tests(ValueError))


@rule(drawing.taken)
def _taken(engine: Engine, x: Any, places: Any, axis: Any) -> Any:
    operands = [as_array(engine.bounded_operand(v)) for v in (x, places)]
    found = engine.library("take", take, *operands, engine.static(axis), wrap=False)
    return found if found.shape == () else arrays.fresh(engine, found)


def _drawn_by(function: Any, engine: Engine, *args: Any) -> Any:
    return generators.visit(engine, function, *args)


rule(drawing.bits_of)(generators.bits_of)
rule(drawing.source_of)(
    lambda engine, ref: generators.FAMILIES[engine.content(ref).cls].source(
        engine, ref, generators.F64
    )
)


@rule(drawing.shape_of)
def _shape_of(engine: Engine, size: Any) -> Any:
    if counts.is_of_any_size(size) and as_sizes(engine.operand(size))[1] is not None:
        return size if isinstance(size, Tuple) else Tuple((size,))
    return Const(counts.shape_of(engine, size) or ())


rule(drawing.fixed)(lambda engine, n: Const(int(engine.static(n, "the size of a population"))))
for _function in (
    *(orders.shuffled, orders.shuffled_rows, orders.tail_shuffled, orders.sampled),
    *(orders.sampled_by_weight, orders.multinomial, orders.normalized, orders.broken_sticks),
    *(composed.chosen_by_weight, composed.is_non_negative, composed.sums_to_one),
    *(composed.multivariate_normal, legacy.multinomial),
):
    rule(_function)(functools.partial(_drawn_by, _function))
for _name in ("permutation", "shuffle", "permuted", "choice", "dirichlet", "multinomial"):
    generators.GENERATORS.visited(_name, getattr(drawing, _name))
generators.GENERATORS.visited("multivariate_normal", drawing.multivariate_normal)


# --- What is refused -----------------------------------------------------------------------------


def refuse(target: Any, reason: str, remedy: str) -> None:
    @rule(target)
    def refused(engine: Engine, *args: Any, **kwargs: Any) -> Any:
        raise engine.refuse(reason, remedy)


for _name, _why in REFUSED.items():
    refuse(getattr(generators.Generator, _name), *_why)

for _target in (np.random.PCG64DXSM, np.random.Philox, np.random.SFC64):
    refuse(_target, generators.ONLY, generators.REMEDY)
