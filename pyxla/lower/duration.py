"""How long a run takes at most, whatever arrays hold: a polynomial in the ints that it is given.

    for i in range(n):               n * (1 + n * 20) operations
        for j in range(i): ...

A loop is as long as its counter takes from where it begins to what it is compared with.  Both are
bounded by what is known of ints: those that are parameters by themselves, counters by their loops.
Nobody asks whether a polynomial leaves 64 bits: where it does, it is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from pyxla.frozen import dataclass
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.types import limits
from pyxla.lower.cpu.kernels import can_hold, is_over_elements
from pyxla.lower.flops import FREE, flops, moved
from pyxla.lower.rules import definition
from pyxla.lower.trips import OPPOSITE, conjuncts, known, trips
from pyxla.ops.check import BOOLS, INTS
from pyxla.ops.control import while_

KERNEL = 128  # operations in the time that a call of a small kernel takes, at least
DOUBLINGS = 64.0  # of a number of 64 bits
DEPTH = 8  # of what an iteration makes of a counter
# How often each product of parameters, by their positions, counts; one below 0 counts as 0.
Terms = dict[tuple[int, ...], float]
ONE: Terms = {(): 1.0}


@dataclass(frozen=True, slots=True)
class Span:
    """From `low` on, up to `high`; None where nothing is known."""

    low: float | None = None
    high: Terms | None = None

    @property
    def end(self) -> float | None:
        """The number that `high` is."""
        return None if self.high is None or self.high.keys() - {()} else self.high.get((), 0.0)

    @property
    def is_natural(self) -> bool:
        return self.low is not None and self.low >= 0


@dataclass(frozen=True, slots=True)
class _Way:
    """How a counter changes in an iteration: by numbers from `least` to `most`, or by a factor, up
    or down as these say, from the number `scales` on."""

    least: float
    most: float
    scales: int | None = None

    def after(self, begin: Span, times: Terms | None) -> Span:
        """Where the counter is after so many iterations, from where it begins."""
        low = begin.low if self.least >= 0 else None
        high = begin.high if self.most <= 0 else None
        if self.scales is not None or times is None:
            return Span(low, high)
        if low is None and begin.low is not None and not times.keys() - {()}:
            low = begin.low + self.least * times[()]
        if high is None and self.most < math.inf:
            high = _sum(begin.high, _scaled(times, self.most))
        return Span(low, high)


def duration(region: Region) -> Terms | None:
    """What a run takes at most, in operations on numbers, kernels that are called included; None
    where nothing tells how long a loop is."""
    durations = _Durations()
    for k, param in enumerate(region.params):
        if _is_int(param):
            durations.spans[param] = Span(None, {(k,): 1.0})
    return durations.region(region)


def iterations(region: Region) -> dict[Instr, int]:
    """How often loops run at most, those inside of others each time, where a number tells."""
    durations = _Durations()
    durations.region(region)
    counts = {loop: Span(high=times).end for loop, times in durations.counts.items()}
    return {loop: int(end) for loop, end in counts.items() if end is not None}


class _Durations:
    """spans: of the ints that are known.  counts: how often loops run at most.  inside: whether the
    code is in a loop that is one function, where an operation on numbers is just that."""

    def __init__(self) -> None:
        self.spans: dict[Value, Span] = {}
        self.counts: dict[Instr, Terms | None] = {}
        self.inside = False

    def region(self, region: Region) -> Terms | None:
        total: Terms | None = {}
        for instr in region.instrs:
            total = _sum(total, self.instr(instr))
        return total

    def span(self, value: Value) -> Span:
        return self.spans.get(value) or _of_type(value.type.dtype)

    def instr(self, instr: Instr) -> Terms | None:
        if instr.op is while_:
            outer = self.inside
            self.inside = outer or (is_over_elements(instr) and can_hold(instr))
            found = self.loop(instr)
            self.inside = outer
            return found
        if instr.op.name in ("if", "case", "call", "scope"):
            return self.branches(instr)
        if len(instr.results) == 1 and _is_int(instr.result):
            self.note(instr)
        if instr.op.name in FREE:
            return {}
        if self.inside:
            return {(): max(flops(instr), 1.0)}
        return {(): KERNEL + max(flops(instr), moved(instr) / 8)}

    def note(self, instr: Instr) -> None:
        """What is known of the int that an instruction makes."""
        rule, content = _RULES.get(instr.op.name), known(instr.result)
        if content is not None:
            self.spans[instr.result] = _exactly(content)
        elif rule is not None:
            found = rule(*map(self.span, instr.operands))
            if _fits(found, instr.result.type.dtype):
                self.spans[instr.result] = found

    def branches(self, instr: Instr) -> Terms | None:
        longest: Terms | None = {}
        for region in instr.regions:
            longest = _larger(longest, self.region(region))
        # A scope has the results of its first region; the others are rules.
        ends = instr.regions[:1] if instr.op.name == "scope" else instr.regions
        for k, result in enumerate(instr.results):
            if _is_int(result):
                self.spans[result] = _one_of(*[self.span(r.results[k]) for r in ends])
        return longest

    def loop(self, loop: Instr) -> Terms | None:
        cond, body = loop.regions
        ways: dict[int, _Way] = {}
        for k, start in enumerate(loop.operands):
            param, result, begin = body.params[k], body.results[k], self.span(start)
            if result is param:
                self.spans[loop.results[k]] = begin
            elif _is_int(param) and (way := _way(param, result) or _scaling(param, result)):
                ways[k], begin = way, way.after(begin, None)
            else:
                continue
            self.spans[param] = self.spans[cond.params[k]] = begin
        testing = self.region(cond)
        times = self.counts[loop] = self.times(loop, ways)
        if times is not None and not any(times.values()):
            return {}
        for k, way in ways.items():
            found = self.spans[loop.results[k]] = way.after(self.span(loop.operands[k]), times)
            self.spans[body.params[k]] = _both(self.spans[body.params[k]], found)
        return _product(times, _sum(ONE, _sum(testing, self.region(body))))

    def times(self, loop: Instr, ways: dict[int, _Way]) -> Terms | None:
        """The iterations at most."""
        found, cond = trips(loop), loop.regions[0]
        bounds: list[Terms | None] = [None if found is None else {(): float(found.bound)}]
        for test in _tests(cond.results[0]):
            made = definition(test, "compare")
            if made is None:
                continue
            (x, y), direction = map(_strong, made.operands), made.attrs["direction"]
            for counter, limit, way in ((x, y, direction), (y, x, OPPOSITE[direction])):
                k = cond.params.index(counter) if counter in cond.params else -1
                if k in ways:
                    bounds.append(self.until(loop, k, ways[k], self.span(limit), way))
        return min([b for b in bounds if b is not None], key=_degree, default=None)

    def until(self, loop: Instr, k: int, way: _Way, limit: Span, direction: str) -> Terms | None:
        """The iterations until a comparison of a counter fails, which says where it is before."""
        start, param = self.span(loop.operands[k]), loop.regions[1].params[k]
        if way.least > 0 and direction in ("LT", "LE"):
            self.spans[param] = Span(start.low, limit.high)
            distance, step = _less(limit.high, start.low), way.least
            enough = start.low is not None and start.low >= (way.scales or 0)
        elif way.most < 0 and direction in ("GT", "GE"):
            self.spans[param] = Span(limit.low, start.high)
            distance, step = _less(start.high, limit.low), -way.most
            enough = limit.low is not None and limit.low >= (direction == "GE")
        else:
            return None
        if way.scales is not None:
            return {(): DOUBLINGS} if enough else None
        found = _sum(distance, {(): step - float(direction in ("LT", "GT"))})
        return _scaled(found, 1 / step)


def _is_int(value: Value) -> bool:
    return value.type.dtype in INTS and not value.type.shape


def _strong(value: Value) -> Value:
    """A value, but for weakness."""
    owner = value.owner
    if not isinstance(owner, Instr) or owner.op.name != "convert":
        return value
    (x,) = owner.operands
    return _strong(x) if x.type.dtype == value.type.dtype else value


def _way(param: Value, value: Value, depth: int = DEPTH) -> _Way | None:
    """How what an iteration makes of a counter differs from it."""
    value = _strong(value)
    owner = value.owner
    if value is param:
        return _Way(0, 0)
    if not isinstance(owner, Instr) or not depth:
        return None
    name, operands = owner.op.name, owner.operands
    if name in ("add", "subtract"):
        x, y = operands
        found = _way(param, x, depth - 1)
        if found is None and name == "add":
            found, y = _way(param, y, depth - 1), x
        steps = _constants(y, depth)
        if found is None or not steps:
            return None
        if name == "subtract":
            steps = [-step for step in steps]
        return _Way(found.least + min(steps), found.most + max(steps))
    if name == "select":
        return _ways_of(param, operands[1:], depth - 1)
    k = owner.results.index(value)
    if name == "if":
        return _ways_of(param, [region.results[k] for region in owner.regions], depth - 1)
    if name == "while":
        body = owner.regions[1]
        begin, inner = (
            _way(param, operands[k], depth - 1),
            _way(body.params[k], body.results[k], depth - 1),
        )
        if begin is not None and inner is not None:
            least = begin.least if inner.least >= 0 else -math.inf
            return _Way(least, begin.most if inner.most <= 0 else math.inf)
    return None


def _constants(value: Value, depth: int) -> list[float]:
    """The numbers that a value may be, if they are constants."""
    content, choice = known(value), definition(value, "select")
    if content is not None or choice is None or not depth:
        return [] if content is None else [content]
    x, y = [_constants(x, depth - 1) for x in choice.operands[1:]]
    return x + y if x and y else []


def _ways_of(param: Value, values: Iterable[Value], depth: int) -> _Way | None:
    found = [_way(param, value, depth) for value in values]
    ways = [way for way in found if way is not None]
    if len(ways) < len(found):
        return None
    return _Way(min([way.least for way in ways]), max([way.most for way in ways]))


def _scaling(param: Value, result: Value) -> _Way | None:
    """Of a counter that is doubled or halved: `2 * (i + 1) + 1`, `(i - 1) // 2`."""
    made, more = definition(result, *_UPWARDS, *_DOWNWARDS), 0
    if made is not None and made.op.name == "add" and (offset := known(made.operands[1])):
        made, more = definition(made.operands[0], *_UPWARDS), offset
    if made is None or more < 0:
        return None
    x, y = made.operands
    if made.op.name == "add":
        return _Way(1, 1, 1) if x is y is param else None
    if made.op.name == "multiply" and known(y) is None:
        x, y = y, x
    inner, factor = _way(param, x), known(y)
    if inner is None or factor is None or factor < (1 if made.op.name.startswith("shift") else 2):
        return None
    if made.op.name in _UPWARDS:
        return _Way(1, 1, int(more == 0)) if inner.least >= 0 else None
    return _Way(-1, -1, 1) if inner.most <= 0 else None


_UPWARDS = "multiply add shift_left".split()
_DOWNWARDS = "divide shift_right_arithmetic".split()


# --- polynomials ------------------------------------------------------------------------------


def _degree(terms: Terms) -> tuple[int, float]:
    return max(map(len, terms), default=0), sum(terms.values())


def _sum(x: Terms | None, y: Terms | None) -> Terms | None:
    if x is None or y is None:
        return None
    return {key: x.get(key, 0.0) + y.get(key, 0.0) for key in x | y}


def _less(x: Terms | None, y: float | None) -> Terms | None:
    return None if y is None else _sum(x, {(): -float(y)})


def _scaled(x: Terms | None, factor: float) -> Terms | None:
    """So many times what is not negative of a sum."""
    return None if x is None else {key: n * factor for key, n in x.items() if n > 0}


def _product(x: Terms | None, y: Terms | None) -> Terms | None:
    if x is None or y is None:
        return None
    found: Terms = {}
    for one, n in x.items():
        for other, m in y.items():
            key = tuple(sorted(one + other))
            found[key] = found.get(key, 0.0) + n * m
    return found


def _larger(x: Terms | None, y: Terms | None) -> Terms | None:
    if x is None or y is None:
        return None
    return {key: max(x.get(key, 0.0), y.get(key, 0.0)) for key in x | y}


def _tests(value: Value) -> list[Value]:
    """What must hold for a condition to hold; of `a and b`, which is a selection, too."""
    owner = value.owner
    if isinstance(owner, Instr) and owner.op.name == "select":
        first, second, other = owner.operands
        return [*_tests(first), *_tests(second)] if other is first else [value]
    parts = conjuncts(value)
    return parts if parts == [value] else [test for part in parts for test in _tests(part)]


# --- what operations make of ints -------------------------------------------------------------


def _of_type(dtype: np.dtype) -> Span:
    if dtype in BOOLS:
        return Span(0, ONE)
    if dtype not in INTS or dtype.itemsize == 8:
        return Span()
    low, high = limits(dtype)
    return Span(int(low), {(): float(high)})


def _fits(span: Span, dtype: np.dtype) -> bool:
    """Whether numbers of a type have these values; one of 64 bits that parameters bound does."""
    least, most = limits(dtype)
    if dtype.itemsize < 8 and (span.low is None or span.end is None):
        return False
    low = int(least) if span.low is None else span.low
    end = int(most) if span.end is None else span.end
    return bool(least <= low and end <= most)


def _exactly(number: float) -> Span:
    return Span(number, {(): float(number)})


def _add(x: Span, y: Span) -> Span:
    low = None if x.low is None or y.low is None else x.low + y.low
    return Span(low, _sum(x.high, y.high))


def _subtract(x: Span, y: Span) -> Span:
    low = None if x.low is None or y.end is None else x.low - y.end
    return Span(low, _less(x.high, y.low))


def _multiply(x: Span, y: Span) -> Span:
    if x.is_natural and y.is_natural:
        return Span(x.low * y.low, _product(x.high, y.high))  # type: ignore[operator]
    if x.low is not None and x.low == x.end:
        x, y = y, x
    factor = y.low
    if factor is None or factor != y.end:
        return Span()
    if factor < 0:
        x, factor = _subtract(_exactly(0), x), -factor
    low = None if x.low is None else x.low * factor
    return Span(low, _product(x.high, {(): float(factor)}))


def _one_of(*spans: Span) -> Span:
    low, high = spans[0].low, spans[0].high
    for span in spans[1:]:
        low = None if low is None or span.low is None else min(low, span.low)
        high = _larger(high, span.high)
    return Span(low, high)


def _both(x: Span, y: Span) -> Span:
    return Span(y.low if x.low is None else x.low, y.high if x.high is None else x.high)


def _minimum(x: Span, y: Span) -> Span:
    highs = [high for high in (x.high, y.high) if high is not None]
    return Span(_one_of(x, y).low, min(highs, key=_degree, default=None))


def _maximum(x: Span, y: Span) -> Span:
    lows = [low for low in (x.low, y.low) if low is not None]
    return Span(max(lows, default=None), _larger(x.high, y.high))


def _divide(x: Span, y: Span) -> Span:
    if y.low is None or y.low < 1:
        return Span()
    return Span(0 if x.is_natural else None, _scaled(x.high, 1 / y.low))


def _remainder(x: Span, y: Span) -> Span:
    if y.low is None or y.low < 1:
        return Span()
    return Span(0 if x.is_natural else None if y.end is None else -y.end, y.high)


def _shift_right(x: Span, y: Span) -> Span:
    return Span(0 if x.is_natural else None, _scaled(x.high, 1.0)) if y.is_natural else Span()


def _and(x: Span, y: Span) -> Span:
    naturals = [span for span in (x, y) if span.is_natural]
    highs = [span.high for span in naturals if span.high is not None]
    return Span(0 if naturals else None, min(highs, key=_degree, default=None))


_RULES: dict[str, Callable[..., Span]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "minimum": _minimum,
    "maximum": _maximum,
    "divide": _divide,
    "remainder": _remainder,
    "shift_right_arithmetic": _shift_right,
    "shift_right_logical": _shift_right,
    "and": _and,
    "negate": lambda x: _subtract(_exactly(0), x),
    "convert": lambda x: x,
    "select": lambda _, x, y: _one_of(x, y),
}
