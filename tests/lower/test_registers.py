"""Guarded loops: the same results, and no copies of their state."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.ir.build import Builder, building
from pyxla.ir.core import Instr, Region, Value
from pyxla.ir.rewrite import walk
from pyxla.ir.types import I64, array_type
from pyxla.ir.verify import verify_region
from pyxla.lower.cpu.barriers import LARGE, may_hold
from pyxla.lower.cpu.registers import keep_in_registers, only_over_elements
from pyxla.lower.cpu.voids import guard, never
from pyxla.ops.control import optimization_barrier, while_
from pyxla.ops.elementwise import add, compare, multiply, select
from pyxla.ops.shape import constant
from pyxla.reflect import compilation
from tests.ir.interp import run_region
from tests.lower.test_unroll import bits, fibonacci, one_loop, random_loop

VALUES = {
    np.bool_: [False, True],
    np.int8: [-128, -1, 0, 1, 2, 127],
    np.uint64: [0, 1, 2, 2**64 - 1],
    np.int64: [-(2**63), -1, 0, 1, 2, 3, 2**63 - 1],
    np.float32: [np.nan, -np.inf, np.inf, -0.0, 0.0, 1.5],
    np.complex128: [complex(np.nan, 1), complex(-np.inf, np.nan), 0j],
}


@pytest.mark.parametrize("dtype", VALUES)
def test_never(dtype: type):
    """False for every value, so that a guard gives what it guards."""
    region = Region((Value(array_type(np.dtype(dtype))),))
    with building(Builder(region.instrs)):
        region.results = (
            never(region.params[0]),
            guard(region.params[0], [never(region.params[0])]),
        )
    for value in VALUES[dtype]:
        test, same = run_region(region, np.asarray(value, dtype)[()])
        assert not test
        np.testing.assert_array_equal(same, np.asarray(value, dtype))


@pytest.mark.parametrize("seed", range(20))
def test_random_loops(seed: int):
    plain, region = random_loop(seed), keep_in_registers(random_loop(seed))
    verify_region(region)
    with np.errstate(over="ignore"):
        for limit in (0, 1, 5, 16):
            args = np.array([limit, 0, 3, -2, 1])
            assert bits(run_region(region, *args)) == bits(run_region(plain, *args))


def slots(region: Region) -> list[int]:
    return [len(instr.operands) for instr in walk(region.instrs) if instr.op is while_]


def test_a_chain_of_any_length():
    def chain(a, y, n):
        return a if n == 0 else chain(a * 0.75 + y, y, n - 1)

    def orbit(x, y, n):
        while n > 0:
            for _ in (1, "a", 2.5, None, ()):  # of several types: the loop is written out
                x = chain(x, y, 90)
            n -= 1
        return x

    assert pyxla.compile(orbit)(0.3, 0.2, 3) == pytest.approx(orbit(0.3, 0.2, 3), rel=1e-14)


def test_new_values_that_need_each_others_old_ones():
    """a, b = b, a + b: one of the old values has a slot of its own."""
    region = keep_in_registers(fibonacci())
    verify_region(region)
    assert slots(region) == [3]
    for limit in map(np.float64, [0, 1, 5, 1e9]):
        args = limit, np.float64(0), np.float64(1)
        assert bits(run_region(region, *args)) == bits(run_region(fibonacci(), *args))


def test_a_loop_that_would_need_too_many_relics_is_left_alone():
    def body(limit: Value, i: Value, *state: Value) -> tuple[Value, ...]:
        total = state[0]
        for value in state[1:]:
            total = add(multiply(total, value), i)
        test = compare(total, limit, direction="LT")
        return add(i, constant(value=np.array(1))), *[select(test, total, v) for v in state]

    def made() -> Region:
        types = [I64] * 18
        return one_loop(types, lambda n, i, *_: compare(i, n, direction="LT"), body)

    assert slots(keep_in_registers(made())) == slots(made())
    assert len(list(walk(keep_in_registers(made()).instrs))) == len(list(walk(made().instrs)))


def running_sum(x):
    out = np.empty_like(x)
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        out[i] = s
    return out


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def product_of_parts(a, b, n, m):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(n):
        for j in range(n):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return c


def longest_common(a, b):
    t = np.zeros((a.shape[0] + 1, b.shape[0] + 1), dtype=np.int64)
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            if a[i] == b[j]:
                t[i + 1, j + 1] = t[i, j] + 1
            elif t[i, j + 1] > t[i + 1, j]:
                t[i + 1, j + 1] = t[i, j + 1]
            else:
                t[i + 1, j + 1] = t[i + 1, j]
    return t


def insertion_sort(x):
    for i in range(1, x.shape[0]):
        y = x[i]
        j = i - 1
        while j >= 0 and x[j] > y:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = y
    return x


def two_updates(x, a, b):
    k = 0
    while k < 3:
        k += 1
        x[0] = k
        a = (x[a % 3] + 1) % 17
        b = (a + b) % 5
        x[1] = x[b % 3]
        a = b - a
    return x + a + b


def smoothed(x, weight):
    """The counter is read by what comes before it and after it: its old value has a slot."""
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = weight * x[i] + (1.0 - weight) * y[i - 1]
    return y


def coprime(limit):
    """Loops inside begin with values that something else reads, and with equal numbers."""
    found = 0
    for a in range(1, limit):
        for b in range(a):
            x, y, steps, more = a, b, 0, 0
            while y != 0:
                x, y = y, x % y
                steps += 1
                more += x
            if x == 1:
                found += steps + more
    return found


def escaping(c, limit):
    """Several steps at a time: all new values share what is computed of the old ones."""
    x = y = square = other = 0.0
    n = 0
    while n < limit and square + other <= 4.0:
        y = 2.0 * x * y + c
        x = square - other - c
        square = x * x
        other = y * y
        n += 1
    return n, x, y


def moments(x):
    """The same, of the counter and of a mean that each step corrects."""
    mean = squares = 0.0
    for i in range(x.shape[0]):
        d = x[i] - mean
        mean += d / (i + 1)
        squares += d * (x[i] - mean)
    return mean, squares


def lowest(x, taken):
    """The position of the least is where it is compared."""
    best = -1
    for i in range(x.shape[0]):
        if not taken[i] and (best < 0 or x[i] < x[best]):
            best = i
    return best


def chased(successor, start, steps):
    """Positions that are read where the last one says; constants that a slot has as well."""
    i, total = start, 0
    while steps > 0:
        i = (successor[i] + 1) % successor.shape[0]
        total += i
        steps -= 1
    return i, total


def bisected(x, y):
    low, high = 0, x.shape[0]
    while low < high:
        middle = (low + high) // 2
        if x[middle] < y:
            low = middle + 1
        else:
            high = middle
    return low


A = np.random.default_rng(0).random((21, 21))
LETTERS = np.random.default_rng(0).integers(0, 3, (2, 30))


def seen_before(letters):
    """What is written is the counter itself, in whose memory it lies."""
    last, most = np.full(26, -1), 0
    for i in range(len(letters)):
        c = letters[i]
        if last[c] >= 0:
            most = max(most, i - last[c])
        last[c] = i
    return most


def turned_round(order, at):
    """So is it here, and another number of the state."""
    k = 0
    for i in range(len(order)):
        at[order[i]] = k - at[order[i - 1]]
        at[i] = i
        k = order[i]
    return k


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (running_sum, (A[0],)),
        (running_sum, (A[0, :0],)),
        (product, (A, A.T)),
        (product, (A[:, :17], A[4:])),
        (product, (A[:, :0], A[:0])),
        (product_of_parts, (A, A, 20, 19)),
        (product_of_parts, (A, A, 3, 0)),
        (longest_common, (LETTERS[0], LETTERS[1])),
        (insertion_sort, (A[3],)),
        (two_updates, (LETTERS[0, :3], 3, 4)),
        (smoothed, (A[0], 0.25)),
        (smoothed, (A[0, :1], 0.25)),
        (coprime, (25,)),
        (coprime, (1,)),
        (escaping, (0.3, 50)),
        (escaping, (0.9, 50)),
        (moments, (A[0],)),
        (lowest, (A[0], A[1] < 0.3)),
        (lowest, (A[0], A[1] < 2.0)),
        (chased, (LETTERS[0] * 9, 4, 40)),
        (bisected, (np.sort(A[0]), 0.4)),
        (seen_before, (LETTERS[0],)),
        (turned_round, (np.random.default_rng(0).permutation(40), np.arange(40))),
    ],
)
def test_programs(function: Callable, args: tuple[Any, ...]):
    ours, theirs = [tuple([np.copy(x) for x in args]) for _ in range(2)]
    np.testing.assert_allclose(pyxla.compile(function)(*ours), function(*theirs), rtol=1e-12)
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "types"),
    [
        (running_sum, [pyxla.f64[40]]),
        (product, [pyxla.f64[40, 40]] * 2),
        (smoothed, [pyxla.f64[40], float]),
        (coprime, [int]),
        (escaping, [float, int]),
        (moments, [pyxla.f64[40]]),
        (lowest, [pyxla.f64[40], pyxla.bool_[40]]),
        (chased, [pyxla.i64[40], int, int]),
        (bisected, [pyxla.f64[40], float]),
        (seen_before, [pyxla.i64[40]]),
        (turned_round, [pyxla.i64[40]] * 2),
    ],
)
def test_xla_copies_nothing_within_the_loops(function: Callable, types: list[Any]):
    text = pyxla.code_hlo(function, *types, optimized=True)
    for code in re.findall(r"^%region.*?^}", text, re.DOTALL | re.MULTILINE):
        assert " copy(" not in code
    entry = text[text.index("\nENTRY ") :]
    assert " while(" not in entry  # but in functions
    assert 'xla_cpu_small_call="true"' in entry


@pytest.mark.parametrize("function", [running_sum, smoothed, product, coprime])
def test_the_state_is_an_operand_of_what_ends_a_condition(function: Callable):
    """As XLA has it: the parameter itself, from calls that it keeps; in a body it is read so."""
    types = {running_sum: [pyxla.f64[40]], smoothed: [pyxla.f64[40], float], coprime: [int]}
    given = types.get(function, [pyxla.f64[40, 40]] * 2)
    text = pyxla.code_hlo(function, *given, optimized=True)
    codes = {code.split(" ", 1)[0]: code for code in re.split(r"\n\n(?=%)", text)}
    loops = re.findall(r" while\(.*condition=(%[\w.-]+), body=(%[\w.-]+)", text)
    assert loops
    for condition, body in loops:
        for code in (codes[condition], codes[body]):
            (state,) = re.findall(r"(%\S+) = \S.* parameter\(0\)", code)
            assert re.search(rf"call\({state}\), to_apply=%same", code)
            assert f" get-tuple-element({state})" not in code
        assert re.search(r"ROOT .* call\(%\S+, %\S+\), to_apply=%same", codes[condition])


def shifted(x):
    """What is read is for two elements, and for whether the loop goes on."""
    i, last = 1, 0.0
    while i < len(x) and last < 0.99:
        last = x[i]
        x[i] = x[i - 1]
        x[i - 1] = last
        i += 1
    return i


def test_what_is_read_is_an_operand_of_what_ends_an_iteration():
    """So that LLVM knows that it lies apart from what the loop carries, addresses included."""
    x = np.random.default_rng(0).random(40)
    y = x.copy()
    assert pyxla.compile(shifted)(x) == shifted(y)
    np.testing.assert_array_equal(x, y)
    text = pyxla.code_hlo(shifted, pyxla.f64[40], optimized=True)
    (body,) = re.findall(r" while\(.*body=(%[\w.-]+)", text)
    code = next(c for c in re.split(r"\n\n(?=%)", text) if c.startswith(f"{body} "))
    assert re.search(r"ROOT %\S+ = \(.*\) call\(%\S+, %.*\), to_apply=%same", code)


def dealt(x, counts):
    """What is read is for a position and for what is written there."""
    out = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        d = x[i] & 15
        out[counts[d]] = x[i]
        counts[d] += 1
    return out


def many_swaps(x):
    for i in range(len(x) - 5):
        x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4] = (
            x[i + 4] + x[i + 3],
            x[i] - x[i + 2],
            x[i + 1],
            x[i + 2] - x[i],
            x[i + 3],
        )
    return x


def home(value: Value) -> Value:
    """What is kept, or reshaped, lies where it lay."""
    while isinstance(value.owner, Instr) and value.owner.op.name in ("kept", "reshape"):
        value = value.owner.operands[0]
    return value


@pytest.mark.parametrize(
    ("function", "args", "held"),
    [
        (shifted, (A[0],), True),
        (dealt, (LETTERS.ravel() * 5, np.arange(16) * 3), True),
        (many_swaps, (A[1],), False),
    ],
)
def test_what_is_kept_in_an_iteration_is_part_of_the_state_where_it_is_little(
    function: Callable, args: tuple[Any, ...], held: bool
):
    """So that LLVM knows that it lies apart from what the condition writes."""
    ours, theirs = [tuple([np.copy(x) for x in args]) for _ in range(2)]
    np.testing.assert_array_equal(pyxla.compile(function)(*ours), function(*theirs))
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(x, y)
    region = compilation(function, *args).at("regions").region
    (loop,) = [instr for instr in walk(region.instrs) if instr.op is while_]
    body = loop.regions[1]
    kept = {home(instr.result) for instr in body.instrs if instr.op.name == "kept"}
    state = [home(result) for result in body.results]
    assert kept
    assert kept.issubset(state) == held
    assert len(set(state)) == len(state)  # no memory is two slots', so that nothing is copied


def exponentials_of_rows(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.exp(x[i]).sum() * i
    return s


def with_elements(x):
    s = exponentials_of_rows(x)
    for i in range(x.shape[0]):
        x[0] = x[0] * 0.5 + np.sqrt(x[i])
        for j in range(1, x.shape[1]):
            s = s * 0.5 + x[i, j - 1] * x[0, j]
    return s


@pytest.mark.parametrize(
    ("function", "elements"),
    [(product, True), (exponentials_of_rows, False), (with_elements, True)],
)
def test_which_loops_are_over_elements(function: Callable, elements: bool):
    types = [pyxla.f64[40, 40]] * function.__code__.co_argcount
    region = compilation(function, *types).at("regions").region
    assert only_over_elements(region) == elements


def test_barriers_on_numbers_in_a_loop_do_not_stay():
    """XLA has no code for them in the one function that it makes of a small loop."""

    def body(limit: Value, i: Value, s: Value) -> tuple[Value, Value]:
        return add(i, constant(value=np.array(1))), add(optimization_barrier(s), i)

    held = one_loop([I64, I64], lambda n, i, s: compare(i, n, direction="LT"), body)
    assert not may_hold(held)


@pytest.mark.parametrize("barred", [False, True])
def test_barriers_stay_on_large_arrays_that_a_loop_computes(barred: bool):
    def body(limit: Value, i: Value, x: Value) -> tuple[Value, Value]:
        made = add(x, x)
        return add(i, constant(value=np.array(1))), optimization_barrier(made) if barred else made

    types = [I64, array_type(np.dtype(np.float64), (LARGE,))]
    loop = one_loop(types, lambda n, i, x: compare(i, n, direction="LT"), body)
    assert may_hold(loop) is barred


def mean_of_an_orbit(x, n):
    visited = []
    for _ in range(n):
        x = 1.85 * x * (1.0 - x) + 0.1
        visited.append(x)
    return sum(visited) / n


def test_rows_that_are_cleared_wait_for_their_reads():
    """The cotangents of a list's items are set to 0, a constant, where they are taken."""
    gradient = pyxla.grad(mean_of_an_orbit)
    slope = (mean_of_an_orbit(0.3 + 1e-6, 900) - mean_of_an_orbit(0.3 - 1e-6, 900)) / 2e-6
    np.testing.assert_allclose(gradient(0.3, 900), slope, rtol=1e-6)
    text = pyxla.code_hlo(gradient, 0.3, 900, optimized=True)
    assert "f64[1024]" in text
    assert not re.findall(r"= f64\[1024\]\S* copy\(", text)
