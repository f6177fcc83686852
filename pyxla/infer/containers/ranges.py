"""Ranges whose numbers are known at run time only: their length, items and parts."""

from __future__ import annotations

import operator
from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import ceil_divide, larger, minus
from pyxla.abstract.lattice import Compound, Const, Scalar, as_const, plain
from pyxla.infer.calls.dispatch import call
from pyxla.infer.containers.indices import as_int
from pyxla.infer.engine import Engine
from pyxla.lib.interpreted import item_of_range, part_of_range
from pyxla.lib.registry import rule


def range_length(engine: Engine, x: Compound) -> Any:
    """`len(x)` of a range."""
    start, stop, step = x.items
    binary = engine.rules.binary
    step_ = engine.static(step, "the step of a range") if isinstance(step, Const) else None
    if step_ is None:
        if _direction(step) > 0 and all(map(_is_near, (start, stop, step))):
            gap = larger(minus(plain(stop), plain(start)), 0)
            length = ceil_divide(gap, step)
            return as_const(length)
        return _signed_length(engine, start, stop, step)
    gap = binary(engine, "sub", stop, start) if step_ > 0 else binary(engine, "sub", start, stop)
    if abs(step_) != 1:
        size = Const(abs(step_))
        gap = binary(engine, "add", gap, Const(abs(step_) - 1))
        gap = binary(engine, "floordiv", gap, size)
    low = extent.lower(plain(gap))
    if low is not None and low >= 0:
        return gap
    return call(engine, Const(max), [gap, Const(0)], {})


def _signed_length(engine: Engine, start: Any, stop: Any, step: Any) -> Any:
    """`max(0, ceil((stop - start) / step))` for a step of unknown sign (floor of negated)."""
    binary = engine.rules.binary
    gap = binary(engine, "sub", start, stop)
    count = call(engine, Const(operator.neg), [binary(engine, "floordiv", gap, step)], {})
    return call(engine, Const(max), [count, Const(0)], {})


def _is_near(x: Any) -> bool:
    """Whether it is proven that sums of three such numbers do not leave 64 bits."""
    return extent.lower(plain(x)) is not None and extent.upper(plain(x)) is not None


def _direction(step: Any) -> int:
    """The sign of the step of a range, 0 where it is not known or there is none."""
    found = extent.fact(plain(step))
    return int(found.lo is not None and found.lo > 0) - int(found.hi is not None and found.hi < 0)


def range_item(engine: Engine, x: Compound, i: Any) -> Any:
    """`start + i * step`, known to lie between start and stop."""
    start, stop, step = x.items
    binary = engine.rules.binary
    offset = i if isinstance(step, Const) and step.value == 1 else binary(engine, "mul", i, step)
    zero = isinstance(start, Const) and start.value == 0
    value = offset if zero else binary(engine, "add", start, offset)
    low, high = extent.in_range(plain(start), plain(stop), plain(step))
    if not isinstance(value, Scalar) or (low is None and high is None):
        return value
    return Scalar(value.value, extent.meet(extent.fact(value), low, high))


def with_bounds(x: Const) -> Compound:
    """A known range as one whose bounds are values."""
    return Compound("range", (Const(x.value.start), Const(x.value.stop), Const(x.value.step)))


def range_part(engine: Engine, x: Compound, key: Any) -> Any:
    """`range(...)[key]`, for numbers of run time."""
    if isinstance(key, Const) and isinstance(key.value, slice):
        parts = [Const(part) for part in (key.value.start, key.value.stop, key.value.step)]
    elif isinstance(key, Compound) and key.kind == "slice":
        parts = list(key.items)
    else:
        return call(engine, Const(item_of_range), [x, as_int(engine, key)], {})
    return call(engine, Const(part_of_range), [x, *parts], {})


@rule(range)
def _range(engine: Engine, *args: Any) -> Any:
    bounds = [as_int(engine, a) for a in args]
    if all(isinstance(b, Const) for b in bounds):
        return engine.fold_object(range, tuple(b.value for b in bounds))
    if len(bounds) == 1:
        bounds = [Const(0), *bounds]
    if len(bounds) == 2:
        bounds.append(Const(1))
    if engine.tests(ValueError) and not _direction(bounds[2]):
        nonzero = engine.rules.compare(engine, "ne", bounds[2], Const(0))
        engine.ensure(nonzero, ValueError("range() arg 3 must not be zero"))
    return Compound("range", tuple(bounds))
