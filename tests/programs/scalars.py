"""Scalars of the three kinds, NEP 50 dtypes, Python's own number functions, the math module."""

import bisect
import cmath
import math
import operator
from functools import partial, reduce

import numpy as np

from tests.programs import program


@program("scalar kinds", lambda: (2, 3.0, np.float64(1.5), np.array(4.0)))
def kinds(i, f, g, a):
    return i + i, i * f, i / i, g + i, a + f, a[()] * 1, g * g, i > 1, g > 1, a > 1


@program("scalar kinds", lambda: (np.arange(4.0), np.arange(4)))
def item_kinds(x, k):
    return x[0], x.item(1), float(x[2]), k[3], int(k[3]), k.sum(), x.max(), bool(x[1]), len(x)


@program("python scalars", lambda: (7.6,), lambda: (-7.6,), lambda: (2.5,), lambda: (-0.4,))
def roundings(x):
    return int(x), round(x), round(x, 1), math.floor(x), math.ceil(x), math.trunc(x), abs(x)


@program("python ints", lambda: (12, 10), lambda: (-13, 7), lambda: (0, 3))
def bit_operations(a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1, -a, +a, a**2, a.bit_length()


@program("bools", lambda: (True, 3), lambda: (False, 0))
def booleans(flag, n):
    return flag + 1, flag and n, not n, flag == n, bool(n), int(flag), flag | (n > 2), flag * 2.5


@program("pow", lambda: (2, 10), lambda: (2.0, -3), lambda: (-3, 3), lambda: (0.0, 0))
def powers(a, b):
    return a**b, pow(a, b)


@program("pow mod", lambda: (7, 128, 13), lambda: (3, 0, 5))
def modular_power(a, b, m):
    result = 1
    a %= m
    while b:
        if b & 1:
            result = result * a % m
        a = a * a % m
        b >>= 1
    return result


@program("min max", lambda: (3, 2.5, np.array([4.0, -1.0])))
def minima(a, b, x):
    return min(a, b), max(b, 9.5, a), min(x), max((a, 7)), min(2, 3.0), max(x[0], b), sum((a, b))


@program("math", lambda: (0.7,), lambda: (0.1,))
def math_functions(x):
    trig = math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x)
    hyper = (
        math.sinh(x),
        math.cosh(x),
        math.tanh(x),
        math.asinh(x),
        math.acosh(1 + x),
        math.atanh(x),
    )
    logs = math.exp(x), math.expm1(x), math.log(x), math.log1p(x), math.log2(x), math.log10(x)
    other = math.sqrt(x), math.hypot(x, 1.0), math.atan2(x, -1.0), math.pow(x, 3), math.log(x, 3)
    return trig, hyper, logs, other


@program("math special", lambda: (0.7,), lambda: (2.5,))
def math_special(x):
    return (
        math.erf(x),
        math.erfc(x),
        math.gamma(x),
        math.lgamma(x),
        math.degrees(x),
        math.radians(x),
    )


@program("math predicates", lambda: (1.0,), lambda: (float("nan"),), lambda: (float("-inf"),))
def math_predicates(x):
    return (
        math.isnan(x),
        math.isinf(x),
        math.isfinite(x),
        math.copysign(2.0, x),
        math.isclose(x, 1.0),
    )


@program("math constants", lambda: (2.0,))
def math_constants(r):
    return math.pi * r * r, math.e, math.tau, math.inf > r, math.nan != math.nan


@program("math integers", lambda: (12, 18), lambda: (0, 5))
def math_integers(a, b):
    return math.gcd(a, b), math.isqrt(a * b + 3), math.factorial(5), math.comb(6, 2)


@program("complex scalars", lambda: (3 + 4j,), lambda: (-1 - 0.5j,))
def complex_scalars(z):
    w = z.conjugate() * 2j
    return abs(z), z.real, z.imag, w, z**2, z / w, z == w, complex(1.0, z.imag), -z


@program("cmath", lambda: (0.5 + 0.3j,))
def complex_math(z):
    return cmath.exp(z), cmath.sqrt(z), cmath.phase(z), cmath.log(z)


@program("nep50", lambda: (np.float32(1.5), np.int8(3), np.uint8(200), np.float16(0.5)))
def nep50_scalars(f, i, u, h):
    return f + 1, f * 2.5, i + 1, i * 1.5, u + i, f + i, h * f, u // 3, -i, h + 1


@program("nep50 arrays", lambda: (np.ones(3, np.float32), np.arange(3, dtype=np.int16)))
def nep50_arrays(f, i):
    return f + 1.0, f + i, i + 1, i / 2, i * 2.0, f + np.float64(1), i + np.int64(1), i**2, f // 2


@program("nep50 bool", lambda: (np.array([True, False]), np.array([True, True])))
def nep50_bool(p, q):
    return p + q, p & q, p ^ q, ~p, p * 1, p + 1.0, p | True, p.sum(), p.mean(), p < q


@program("integer wrap", lambda: (np.array([250, 5], np.uint8), np.array([127, -128], np.int8)))
def integer_wrap(u, i):
    return u + np.uint8(10), i + np.int8(1), -i, u * u, np.abs(i), u - np.uint8(6)


@program("integer edge", lambda: (np.int64(2**62), np.array([2**63 - 1, -(2**63)])))
def int64_edges(a, x):
    return x + 1, x // 2, x >> 3, np.abs(x[0]), a // 7, x % 1000, np.sign(x)


@program("integer division arrays", lambda: (np.array([7, -7, 6, -6]), np.array([2, 2, -4, -4])))
def integer_division(a, b):
    return a // b, a % b, np.remainder(a, b), np.fmod(a, b), np.divmod(a, b), a / b


@program(
    "float division arrays",
    lambda: (np.array([7.5, -7.5, 0.0, -0.0, 1.0]), np.array([2.0, 2.0, -4.0, 3.0, 0.0])),
)
def float_division(a, b):
    return a // b, a % b, np.fmod(a, b), a / b


@program("nan inf", lambda: (np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]),))
def special_values(x):
    return (
        np.isnan(x),
        np.isfinite(x),
        np.signbit(x),
        np.maximum(x, 1),
        np.fmax(x, 1),
        np.sign(x),
        np.nan_to_num(x),
        x == x,
        x < 1,
        np.sqrt(x),
        np.exp(x),
        1 / x,
    )


@program("nan reductions", lambda: (np.array([1.0, np.nan, 3.0]),))
def nan_reductions(x):
    return x.sum(), x.max(), x.argmax(), np.nanmax(x), np.nansum(x), np.nanmean(x), np.sort(x)


@program("conversions", lambda: (3.7, 65, "12"))
def conversions(f, i, text):
    return float(i), int(f), complex(f), bool(i), int(text), float("1e3"), str(len(text))


@program("float methods", lambda: (2.5,), lambda: (4.0,))
def float_methods(x):
    return x.is_integer(), x.conjugate(), x.real, (3).bit_length(), divmod(x, 0.75)


@program("closures", lambda: (2.0, 5))
def make_and_call(a, n):
    def affine(b):
        return lambda x: a * x + b

    f = affine(1.0)
    for _ in range(n):
        a = f(a)
    return a


@program("nonlocal", lambda: (5,))
def counter(n):
    count = 0
    total = 0.0

    def bump(amount):
        nonlocal count, total
        count += 1
        total += amount
        return total

    for i in range(n):
        bump(i * 0.5)
    return count, total


@program("higher-order", lambda: (np.array([1.0, 2.0]),))
def compose(x):
    def twice(f):
        return lambda v: f(f(v))

    def compose2(f, g):
        return lambda v: f(g(v))

    step = compose2(np.sqrt, twice(lambda v: v + 1))
    return step(x), twice(step)(x)


@program("partial reduce operator", lambda: (2.0, 3.0))
def functional_tools(a, b):
    add_a = partial(operator.add, a)
    values = list(map(add_a, (1, b, 2.0)))
    return reduce(operator.mul, values, 1), operator.itemgetter(1)(values), partial(pow, a)(3)


@program("map filter", lambda: (np.array([1.0, 2.0, 3.0]),))
def map_filter(x):
    evens = [k for k in filter(lambda k: k % 2 == 0, range(5))]
    return list(map(lambda v, w: v * w, x, evens)), sum(map(float, evens))


@program("recursion static", lambda: (1.5,))
def recursive_power(x):
    def power(n):
        if n == 0:
            return 1.0
        half = power(n // 2)
        return half * half * (x if n % 2 else 1.0)

    return power(13)


def _fold(values, depth):
    if depth == 0:
        return values[0]
    half = len(values) // 2
    return _fold(values[:half], depth - 1) + 2 * _fold(values[half:], depth - 1)


@program("recursion static arrays", lambda: (np.arange(8.0),))
def recursive_fold(x):
    return _fold(x, 3)


@program("keyword default functions", lambda: (1.0,))
def keyword_calls(x):
    def f(a, b=2.0, *, c=3.0, d):
        return a + 10 * b + 100 * c + 1000 * d

    return f(x, d=1), f(x, 5, d=x), f(b=1, a=x, d=2, c=0)


@program(
    "static strings", lambda: (np.array([3.0, 1.0]), "sum"), lambda: (np.array([3.0, 1.0]), "max")
)
def reduce_by_name(x, mode):
    table = {"sum": np.sum, "max": np.max}
    if mode.startswith("s"):
        return table[mode](x) + len(mode)
    return table[mode](x)


@program("static dtype", lambda: (np.arange(3), np.float32), lambda: (np.arange(3), "int8"))
def cast_to(x, dtype):
    return x.astype(dtype), np.zeros(2, dtype), x.astype(dtype).dtype == np.float32


@program("static shape", lambda: (3, 4), lambda: (0, 2))
def make_shape(n, m):
    return np.zeros((n, m)), np.ones(n + m, dtype=bool), np.eye(n), np.arange(n * m).reshape(n, m)


@program(
    "static axis",
    lambda: (np.arange(6.0).reshape(2, 3), 0),
    lambda: (np.arange(6.0).reshape(2, 3), -1),
)
def reduce_axis(a, axis):
    return a.sum(axis), a.mean(axis=axis, keepdims=True), np.argmax(a, axis)


@program(
    "None argument",
    lambda: (np.array([1.0, 2.0]), None),
    lambda: (np.array([1.0, 2.0]), np.array([3.0, 4.0])),
)
def optional_weights(x, w=None):
    if w is None:
        return x.mean()
    return (x * w).sum() / w.sum()


@program("function argument", lambda: (math.cos, 1.0), lambda: (lambda v: v * 0.5 + 1, 3.0))
def fixed_point(f, x):
    for _ in range(200):
        y = f(x)
        if abs(y - x) < 1e-10:
            return y
        x = y
    return x


@program("lcg", lambda: (42, 10), lambda: (0, 0))
def lcg(seed, n):
    out = []
    x = seed
    for _ in range(5):
        x = (1664525 * x + 1013904223) % 2**32
        out.append(x / 2**32)
    for _ in range(n):
        x = (1664525 * x + 1013904223) & 0xFFFFFFFF
    return out, x


@program("xorshift", lambda: (np.uint64(88172645463325252), 5))
def xorshift(x, n):
    for _ in range(n):
        x = x ^ (x << np.uint64(13))
        x = x ^ (x >> np.uint64(7))
        x = x ^ (x << np.uint64(17))
    return x


@program(
    "implicit index error checks",
    lambda: (np.arange(3.0), 2),
    lambda: (np.arange(3.0), 3),
    lambda: (np.arange(3.0), -4),
)
def index_out_of_range(x, i):
    return x[i]


@program("implicit zero division checks", lambda: (1, 0), lambda: (6, 3))
def divide_ints(a, b):
    return a // b


@program("implicit math domain checks", lambda: (-1.0,), lambda: (4.0,))
def math_domain(x):
    return math.sqrt(x)


@program("print prints", lambda: (2.0, 3))
def printing(x, n):
    print("start")
    for i in range(n):
        print("step", i)
    return x


@program("fstring", lambda: (3.0, 4), lambda: (-3.0, 4))
def formatted_error(x, n):
    if x < 0:
        raise ValueError(f"x = {x!r}, n = {n:03d}, sum {x + n:.2f}")
    return x


@program("comparison kinds", lambda: (1, 1.0, True))
def equalities(i, f, b):
    return i == f, f == b, i is not None, i != 2, (i, f) == (1, 1.0), [i] == [2]


@program("unicode names", lambda: (0.1, 2.0))
def greek(α, β):
    Δ = β - α
    return α + Δ / 2


@program("global constant", lambda: (9.81,))
def uses_globals(g):
    return GRAVITY * g + LIMITS[1] + SETTINGS["scale"]


GRAVITY = 6.674e-11
LIMITS = (0.0, 1.5)
SETTINGS = {"scale": 3.0}


@program("tuple compare sort", lambda: (3.0, 1.0, 2.0))
def sort_three(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a, b, c


@program("sorted dynamic", lambda: ([3.0, 1.0, 2.0],))
def sorted_list(values):
    return sorted(values), sorted(values, reverse=True), max(values) - min(values)


@program("weak float32", lambda: (np.float32(0.1), 3))
def float32_loop(x, n):
    acc = x
    for i in range(n):
        acc = acc * x + i
    return acc


@program("float16", lambda: (np.array([1.0, 2.0], np.float16),))
def half_precision(h):
    return h + 1, h @ h, h.mean(), h.astype(np.float32).sum(), np.exp(h)


@program("complex64", lambda: (np.array([1 + 1j, 2 - 1j], np.complex64),))
def single_complex(z):
    return z * 2, z * 1j, np.abs(z), z.conj(), z.real, np.angle(z), z + np.float32(1), z.sum()


@program("unsigned", lambda: (np.array([3, 5], np.uint32), np.array([4, 4], np.int32)))
def unsigned_mix(u, i):
    return u + i, u > i, u * 2, u / 2, np.minimum(u, np.uint32(4)), u << np.uint32(3)


@program("text digits", lambda: (217,), lambda: (7,))
def text_digits(n):
    text, steps = str(n), 0
    while len(text) != 1:
        product = 1
        for digit in text:
            product *= int(digit)
        text, steps = str(product), steps + 1
    palindrome = str(n) == str(n)[::-1]
    return steps, text, palindrome, sum(map(int, str(n))), "7" in str(n), int(str(n) + "0")


@program("text compared", lambda: (12, 1.5))
def text_compared(n, x):
    same = str(n) == "12", f"{n}" != "12", str(n) < "5", str(n) == n, str(x) == f"{x}"
    return same, f"v{n}".upper(), f"{n:05d}"[1], 1 if str(x).startswith("1") else 2


@program("text lengths in a loop", lambda: (np.arange(3.0),))
def text_lengths(a):
    total = 0.0
    for i in range(12):
        total += a[i % 3] * len(str(i * 7))
    return total


@program("factorial series", lambda: (5.0,), lambda: (3.0, 12), lambda: (-2.0, 1))
def factorial_series(theta, terms=30):
    odd = sum((-1) ** r * theta ** (2 * r + 1) / math.factorial(2 * r + 1) for r in range(terms))
    total, n, term = 0.0, 0, 1.0
    while abs(term) > 1e-3 and n < 18:
        term = theta**n / math.factorial(n)
        total, n = total + term, n + 1
    return odd, total


@program("factorial of arguments", lambda: (25,), lambda: (4,))
def factorial_of_arguments(n):
    return math.factorial(n) / math.factorial(n - 2), math.factorial(n) % 1000007


@program(
    "signed zero",
    lambda: (np.array([-0.0, -1.0, 0.0]),),
    lambda: (np.array([0.0, 1.0, -0.0]),),
    lambda: (np.array([0.0, np.nan, -0.0, 0.0]),),
    lambda: (np.array([np.nan, -0.0]),),
    lambda: (np.array([-np.inf, np.nan]),),
)
def extremes_of_signed_zeros(x):
    kept = [v for v in x.tolist() if not v > 3]
    single = x.astype(np.float32)
    return max(x), min(x), max(kept), min(kept), max(x.tolist()), min(single), max(list(x))


@program("float", *[lambda x=x: (x,) for x in (1.5, -2.0, math.inf, math.nan, 1e300)])
def whole_numbers(x):
    return x.is_integer(), (x / 2).is_integer(), (2.0).is_integer()


@program("text", *[lambda s=s: (s,) for s in ("1e400", "-1e400", "1e-400", "-0.25", "12e310")])
def numbers_beyond_floats(text):
    return float(text), [float(part) for part in text.split("e")]


@program("methods of NumPy's numbers", lambda: (2.0, 3), lambda: (2.5, -6), lambda: (np.inf, 0))
def methods_of_numbers(x, n):
    a, b = np.array([x, 3.0]), np.array([n, -3], np.int32)
    whole = a[0].is_integer(), a.sum().is_integer(), np.float32(x).is_integer(), b[0].is_integer()
    return whole, b[0].numerator, b[0].denominator, b[1].bit_count(), b.sum().bit_count()


@program("ranges", lambda: (np.array(2), [11, 6]))
def known_ranges_read_by_data(k, sizes):
    """Parts of a range are ranges, and the items of a long one are not made."""
    few, at = range(3, 30, 5), int(k)
    parts = few[at:], few[:-at], few[::-at]
    kinds = [type(part).__name__ for part in parts]

    def fits(n):
        return sum((size + n - 1) // n for size in sizes) <= 6

    least = bisect.bisect_left(range(1, 10**12), True, key=fits)
    return kinds, [list(part) for part in parts], few[at], few[-at], least
