"""`checks=True`: implicit exceptions are CPython's and NumPy's; the proven cost nothing."""

from __future__ import annotations

import collections
import functools
import itertools
import math
import operator
import statistics

import numpy as np
import pytest

import pyxla

ROW = np.arange(3.0)


def outcome(function, args):
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    try:
        with np.errstate(all="ignore"):
            return function(*args), args
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return (type(error), error.args), args


def same(function, *args):
    """Run natively and compiled with checks; what was raised natively."""
    expected = outcome(function, args)
    actual = outcome(pyxla.compile(function, checks=True), args)
    assert repr(actual) == repr(expected)
    return expected[0]


def item(x, i):
    return x[i]


def put(x, i):
    x[0] = 9.0
    x[i] = 5.0
    return x


def corner(x, i, j):
    return x[i, :][j]


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] / (i + 1)
    return s


def beyond(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@pytest.mark.parametrize("i", [0, 2, -3, 3, -4, 100])
def test_index(i):
    same(item, ROW, i)
    same(item, np.arange(6.0).reshape(3, 2), np.int64(i))
    same(put, ROW, i)
    same(corner, np.arange(6.0).reshape(3, 2), 1, i)


def test_index_in_a_loop():
    assert same(total, ROW) == ROW[0] + ROW[1] / 2 + ROW[2] / 3
    same(beyond, ROW, 3)
    assert same(beyond, ROW, 7)[0] is IndexError


def test_step_of_a_range():
    def total(n, step):
        s = 0
        for i in range(0, n, step):
            s += i
        return s

    for step in (2, -1, 0):
        same(total, 7, step)


@pytest.mark.parametrize("at", [[0, 2], [0, 3, 7], [-3], [-4, 5]])
def test_index_arrays(at):
    same(item, ROW, np.array(at))
    same(put, ROW, np.array(at))
    same(lambda x, i: x[:, i], np.arange(6.0).reshape(2, 3), np.array(at))


@pytest.mark.parametrize("name", ["truediv", "floordiv", "mod"])
@pytest.mark.parametrize(("x", "y"), [(7, 0), (7.0, 0.0), (7, 0.0), (-7, 2), (0.0, 3)])
def test_division(name, x, y):
    same(getattr(operator, name), x, y)


def test_divmod_and_complex():
    for x, y in ((1, 0), (1.0, 0.0), (7, -2)):
        same(lambda x, y: divmod(x, y), x, y)
    same(lambda x, y: x / y, 1j, 0j)


def test_division_of_numpy_numbers_does_not_raise():
    same(lambda x, y: x / y, np.float64(1), np.float64(0))
    same(lambda x: 1.0 / x[0], np.zeros(2))


@pytest.mark.parametrize("count", [0, 3, 62, -1])
def test_shifts(count):
    same(lambda x, n: x << n, 1, count)
    same(lambda x, n: x >> n, 1234, count)


@pytest.mark.parametrize(
    ("x", "y"), [(0.0, -1.0), (2.0, 1e4), (10.0, 400), (2.0, -1e4), (0.0, 0.0)]
)
def test_powers(x, y):
    same(lambda x, y: x**y, x, y)


def test_powers_of_zero():
    same(lambda x: x**-1, 0)
    same(lambda x: x**-1, 0.0)
    same(lambda x: x**2, 1e200)


MATH = [
    *[
        (f, x)
        for f in (math.sqrt, math.log, math.log2, math.log1p, math.acosh)
        for x in (-2.5, 4.0)
    ],
    *[(f, x) for f in (math.exp, math.expm1, math.sinh, math.cosh) for x in (1e4, 1.0, math.inf)],
    *[(f, math.inf) for f in (math.sin, math.cos, math.tan)],
    *[(f, x) for f in (math.asin, math.acos, math.atanh) for x in (2.0, 0.5, math.nan)],
    *[(math.log, x) for x in (0.0, math.nan, math.inf)],
    *[(math.gamma, x) for x in (0.0, -1.0, 200.0, 5.0)],
    *[(math.lgamma, x) for x in (0.0, -1.0, 5.0)],
    *[(f, x) for f in (int, round, math.floor, math.ceil) for x in (math.nan, math.inf, -2.5)],
    *[(f, x) for f in (math.factorial, math.isqrt) for x in (-1, 5)],
]


@pytest.mark.parametrize(("function", "x"), MATH)
def test_math(function, x):
    compiled = pyxla.compile(lambda x: function(x), checks=True)
    (expected, _), (actual, _) = outcome(function, (x,)), outcome(compiled, (x,))
    if isinstance(expected, float):
        np.testing.assert_allclose(actual, expected, rtol=1e-14)
    else:
        assert actual == expected


def test_math_of_two():
    for x, y in ((1.0, 0.0), (7.5, 2.0)):
        same(lambda x, y: math.fmod(x, y), x, y)
        same(lambda x, y: math.remainder(x, y), x, y)
    for x, y in ((0.0, -1.0), (10.0, 400.0), (-1.0, 0.5), (2.0, 3.0)):
        same(lambda x, y: math.pow(x, y), x, y)
    same(lambda x, n: math.ldexp(x, n), 1.0, 5000)


LARGE = 2**62


@pytest.mark.parametrize(
    ("function", "fits", "wraps"),
    [
        (operator.add, (LARGE, LARGE - 1), (LARGE, LARGE)),
        (operator.sub, (-LARGE, LARGE), (-LARGE, LARGE + 1)),
        (operator.mul, (3037000499, 3037000499), (3037000500, 3037000500)),
        (operator.mul, (-LARGE, 2), (LARGE, 2)),
        (operator.lshift, (3, 61), (1, 63)),
        (operator.pow, (3, 39), (3, 40)),
        (operator.pow, (-2, 63), (2, 63)),
    ],
)
def test_overflow_of_ints(function, fits, wraps):
    compiled = pyxla.compile(lambda x, y: function(x, y), checks=True)
    assert compiled(*fits) == function(*fits)
    with pytest.raises(OverflowError):
        compiled(*wraps)


def test_overflow_of_bytes():
    compiled = pyxla.compile(lambda xs: int.from_bytes(bytes(xs), "big"))
    assert compiled([127, *[255] * 7]) == 2**63 - 1
    for many in ([255] * 8, [1, *[0] * 8]):
        with pytest.raises(OverflowError):
            compiled(many)


def test_overflow_of_negation():
    with pytest.raises(OverflowError):
        pyxla.compile(lambda x: -x, checks=True)(-(2**63))


def test_linear_algebra():
    regular, singular = np.array([[2.0, 1], [1, 3]]), np.array([[1.0, 2], [2, 4]])
    for matrix in (singular, -singular):
        assert same(lambda a: np.linalg.inv(a), matrix)[0] is np.linalg.LinAlgError
        same(lambda a: np.linalg.solve(a, np.ones(2)), matrix)
        same(lambda a: np.linalg.cholesky(a), -matrix - np.eye(2) * 9)
    compiled = pyxla.compile(lambda a: np.linalg.inv(a), checks=True)
    np.testing.assert_allclose(compiled(regular), np.linalg.inv(regular))


def test_sizes_known_at_run_time():
    def meeting(x, y):
        return x[x > 0] + y[y > 0]

    def largest(x):
        return x[x > 0].max()

    same(meeting, np.array([1.0, -1, 2]), np.array([-1.0, 1, 3]))
    assert same(meeting, np.array([1.0, -1, 2]), np.array([1.0, 1, 3]))[0] is ValueError

    def rows(x, n):
        return x[:n].max(axis=1), np.max(x[0, :n], initial=0.0)

    same(rows, np.ones((2, 3)), 0)
    same(rows, np.ones((2, 3)), 2)
    same(largest, np.array([1.0, 2]))
    assert same(largest, np.array([-1.0, -2]))[0] is ValueError


def test_what_is_proven_is_not_tested():
    def blur(x):
        out = np.zeros_like(x)
        for i in range(1, len(x) - 1):
            out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
        return out

    def tests_of(**options):
        return pyxla.code_typed(pyxla.compile(blur, **options), ROW).count("branch")

    assert tests_of(checks=True) == tests_of()


def test_the_unchecked_program_has_no_tests():
    assert "flag" not in pyxla.code_typed(pyxla.compile(item, checks=False), ROW, 1)
    assert "flag" in pyxla.code_typed(item, ROW, 1)
    assert "branch" not in pyxla.code_typed(item, ROW, 1)


def test_exceptions_of_user_code_stay_in_order():
    def first(x, i):
        if i > 5:
            raise ValueError(f"{i} is large")
        return x[i]

    assert same(first, ROW, 6)[0] is ValueError
    assert same(first, ROW, 4)[0] is IndexError


def test_ints_that_an_array_does_not_hold():
    def filled(x, s):
        x.fill(s)
        return x

    def put(x, s):
        x[1:] = s
        return x

    def put_at(x, s):
        x[[0, 1]] = s
        return x

    functions = [
        lambda x, s: x * s,
        lambda x, s: x.view(np.uint8) - s,
        lambda x, s: np.minimum(x, s),
        lambda x, s: np.full(2, s, np.int8),
        lambda x, s: np.array(s, np.int8),
        lambda x, s: x / s,
        filled,
        put,
        put_at,
    ]
    for function in functions:
        results = [same(function, np.arange(3, dtype=np.int8), s) for s in (5, 300, -129, 2**40)]
        raised = [r[0] for r in results if isinstance(r, tuple)]
        assert raised == ([] if function is functions[5] else [OverflowError] * len(raised))
        assert len(raised) >= (0 if function is functions[5] else 2)


def along(x, m, at):
    return np.take(x, at), x.take(at), np.take(m, at, axis=1)


def along_axis(x, m, at):
    return np.take_along_axis(x, at, 0)


def wrapped(x, m, at):
    return np.take(x, at, mode="wrap"), np.take(m, at, 0, mode="clip")


def chosen(x, m, at):
    return np.choose(at, [x[:2], x[1:3]])


def unraveled(x, m, at):
    return np.unravel_index(at, (2, 2))


def raveled(x, m, at):
    return np.ravel_multi_index((at, at), (2, 3))


def counted(x, m, at):
    return np.bincount(at, minlength=12)


def reduced_at(x, m, at):
    return np.add.reduceat(x, at)


def put_at(x, m, at):
    np.put(x, at, 3)
    return x


def put_along(x, m, at):
    np.put_along_axis(x, at, 5, 0)
    return x


def added_at(x, m, at):
    np.add.at(x, at, 1)
    return x


POSITIONS = [along, along_axis, wrapped, chosen, unraveled, raveled, counted, reduced_at]


@pytest.mark.parametrize("at", [[0, 1], [1, 9], [-9, 0], [-1, 0]])
@pytest.mark.parametrize("function", [*POSITIONS, put_at, put_along, added_at])
def test_positions_that_library_functions_are_given(function, at):
    x, m, at = np.arange(5.0), np.arange(9.0).reshape(3, 3), np.array(at)
    if function in POSITIONS:
        same(function, x, m, at)
        return
    # NumPy may have written a part before it raises.
    expected = outcome(function, (x, m, at))
    actual = outcome(pyxla.compile(function, checks=True), (x, m, at))
    if isinstance(expected[0], tuple):
        assert actual[0] == expected[0]
    else:
        assert repr(actual) == repr(expected)


def test_a_try_takes_positions_out_of_range():
    def caught(x, at):
        try:
            return np.take(x, at)[0]
        except IndexError:
            return -1.0

    for at in ([0, 1], [1, 9], [-9, 0]):
        x, at = np.arange(5.0), np.array(at)
        assert pyxla.compile(caught)(x, at) == caught(x, at)


def test_known_positions_out_of_range_are_refused():
    def known(x):
        return np.take(x, [1, 9])

    with pytest.raises(pyxla.CompileError, match="index 9 is out of bounds for axis 0 with size 5"):
        pyxla.compile(known)(np.arange(5.0))


TOO_LARGE = {
    "comb": (lambda n: math.comb(n, n // 2), (10, 66), (70, 80)),
    "perm": (lambda n: math.perm(n, 10), (12, 82), (85, 1000)),
    "lcm": (lambda n: math.lcm(n, 3**20), (6, 2**30), (2**40,)),
    "lcm of three": (lambda n: math.lcm(7, n, 3**20), (6, 2**28), (2**40, -(2**63))),
    "gcd": (lambda n: math.gcd(n, -(2**63)), (6, -7), (0, -(2**63))),
    "enumerate": (lambda n: [i for i, _ in enumerate("abc", n)], (5, 2**63 - 3), (2**63 - 2,)),
    "prod": (lambda n: math.prod([n, n, 2]), (3, 2**30), (2**31, 2**40)),
    "floor": (lambda n: n // -(n * n > 0), (5, -(2**31)), ()),
    "divmod": (lambda n: divmod(n, -1)[0], (7, -(2**63) + 1), (-(2**63),)),
}


def listed(x):
    return [int(v) for v in x]


def rows_of(x):
    rows = [[] for _ in range(3)]
    for v in x:
        rows[int(v) % 3].append(int(v))
    return rows


def counted(x):
    counts = collections.Counter()
    for v in listed(x):
        counts.update({v % 2: v})
    return max(counts.values())


SUMS = {
    "list": lambda x: sum(listed(x)),
    "products": lambda x: sum([v * 2 for v in listed(x)]),
    "generator": lambda x: sum(int(v) for v in x),
    "positive": lambda x: sum([int(v) for v in x if v > 3]),
    "rows": lambda x: sum((i + 1) * sum(row) for i, row in enumerate(rows_of(x))),
    "each row": lambda x: [sum(row) for row in rows_of(x)],
    "values": lambda x: sum({k: int(v) for k, v in enumerate(x)}.values()),
    "reduce": lambda x: functools.reduce(operator.add, listed(x)),
    "accumulate": lambda x: list(itertools.accumulate(listed(x)))[-1],
    "prod": lambda x: math.prod(listed(x)[:3]),
    "Counter": counted,
    "mean": lambda x: statistics.mean(listed(x)),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_that_64_bits_do_not_hold(name: str) -> None:
    compiled = pyxla.compile(SUMS[name], checks=True)
    for x in (np.arange(1, 40), np.arange(40) * 2**40 - 7):
        assert name == "prod" or compiled(x) == SUMS[name](x)
    large = np.array([2**63 - 1, 2**63 - 7, 2**63 - 2, 4] * 9)
    for x in (large, -large) if name != "positive" else (large,):
        with pytest.raises(OverflowError):
            compiled(x)


@pytest.mark.parametrize("name", TOO_LARGE)
def test_results_that_64_bits_do_not_hold(name: str) -> None:
    function, fitting, others = TOO_LARGE[name]
    compiled = pyxla.compile(function, checks=True)
    for n in fitting:
        assert compiled(n) == function(n)
    for n in others:
        with pytest.raises(OverflowError):
            compiled(n)


UNSIGNED = {
    "int": (lambda x: int(x[0]) % 89, OverflowError),
    "item": (lambda x: x[0].item() // 3, OverflowError),
    "round": (lambda x: round(x[0]), OverflowError),
    "index": (lambda x: operator.index(x[0]), OverflowError),
    "tolist": (lambda x: x.tolist(), OverflowError),
    "tolist of many": (lambda x: sum(np.repeat(x, 200).tolist()), OverflowError),
    "tolist of what was found": (lambda x: x[x > 2].tolist(), OverflowError),
    "in a comprehension": (lambda x: [int(v) for v in x], OverflowError),
    "in a loop": (lambda x: sum(int(v) & 7 for v in x), OverflowError),
    "isqrt": (lambda x: math.isqrt(x[0]), OverflowError),
    "gcd": (lambda x: math.gcd(x[0], 6), OverflowError),
    "range": (lambda x: len(range(x[0])), OverflowError),
    "item of a list": (lambda x: [4, 5, 6][x[0]], (IndexError, OverflowError)),
    "item of an array": (lambda x: np.arange(3.0)[x[0]], (IndexError, OverflowError)),
}


@pytest.mark.parametrize("name", UNSIGNED)
def test_numbers_of_uint64_that_are_no_int_of_64_bits(name: str) -> None:
    """NumPy's `uint64` has them, and Python's ints have not."""
    function, error = UNSIGNED[name]
    compiled = pyxla.compile(function)
    small = np.array([2, 1], np.uint64)
    np.testing.assert_equal(compiled(small), function(small))
    for large in (2**63, 2**64 - 1):
        with pytest.raises(error):
            compiled(np.array([large, 1], np.uint64))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x[x < 10].tolist(),
        lambda x: [int(v) for v in x[x < 10]],
        lambda x: sum(x[: int(x[1])][1:].tolist()),
    ],
)
def test_numbers_of_uint64_that_are_not_taken(program) -> None:
    """What lies past the end of an array whose size data decides is no number of it."""
    x = np.array([2**64 - 1, 2, 2**63], np.uint64)
    assert pyxla.compile(program)(x) == program(x)


def test_slices_past_any_end() -> None:
    def program(x, n):
        return x[:n], x[n:]

    x, n = np.arange(3.0), np.uint64(2**64 - 2)
    np.testing.assert_equal(pyxla.compile(program)(x, n), program(x, n))
