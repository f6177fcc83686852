"""`Generator.choice`: with and without replacement, with and without weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.lattice import Array, Const, Ref, Scalar
from pyxla.infer.lists import number_lists
from pyxla.infer.random.generators import (
    F64,
    I64,
    Generator,
    bits_of,
    empty,
    first,
    method,
    python_number,
    shape_of,
    shaped,
    visit,
)
from pyxla.infer.random.methods import integers_between, known_objects
from pyxla.infer.random.orders import axis_of, drawn_positions
from pyxla.ir.op import OpError
from pyxla.lib.bounded.elementwise import NOT_SUPPORTED
from pyxla.lib.indexing import take, true_size
from pyxla.lib.operands import as_array, cast
from pyxla.lib.random import composed, orders
from pyxla.ops.elementwise import subtract
from pyxla.ops.shape import constant, reshape


@method("choice")
def _choice(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("choice", _chosen, engine, ref, given)


def _chosen(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    a = engine.bounded_operand(number_lists.by_value(engine, given["a"]))
    of_ints = isinstance(a, (int, np.integer)) or (isinstance(a, (Scalar, Array)) and a.shape == ())
    axis = 0
    if not of_ints:
        a = as_array(a)
        axis = axis_of(engine, given["axis"], a.ndim)
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
        order = drawn_positions(engine, population)
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
