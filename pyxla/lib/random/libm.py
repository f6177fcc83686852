"""`exp` and `log1p` with the bits of the C library, with which NumPy's and Python's generators
compute; XLA's own differ in the last bit of every tenth number.  (Its `log`, `pow`, `sin`, `cos`
are the C library's.)

The methods are those of glibc: for exp that of Arm's optimized routines, 2**(k/128) from a table
times a polynomial, with fused products where the machine has them; for log1p FreeBSD's (Sun, 1993).
A formula is written once, for numbers of Python and for `Array`s; the first use tries it on some
numbers, and where the C library is another one, XLA's function is taken instead.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.lib import kernels as k
from pyxla.lib.indexing import take
from pyxla.lib.operands import as_array, cast, like, weak
from pyxla.lib.registry import implements
from pyxla.ops import elementwise as op
from pyxla.ops.elementwise import bitcast_convert
from pyxla.ops.scope import slope_of

F64, I64 = np.dtype(np.float64), np.dtype(np.int64)
Fma = Callable[[Any, Any, Any], Any]
STEPS = 128
STEPS_PER_LOG2 = float.fromhex("0x1.71547652b82fep7")
STEP_HIGH, STEP_LOW = (
    float.fromhex("-0x1.62e42fefa0000p-8"),
    float.fromhex("-0x1.cf79abc9e3b39p-47"),
)
EXP = [
    float.fromhex(digits)
    for digits in (
        *("0x1.ffffffffffdbdp-2", "0x1.555555555543cp-3"),
        *("0x1.55555cf172b91p-5", "0x1.1111167a4d017p-7"),
    )
]
LOG2_HIGH, LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
LOG1P = (
    *(6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01),
    *(2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01),
    1.479819860511658591e-01,
)
LARGE = 512.0  # from here on exp may overflow
# Where it shows in the last bit whether products are fused.
EXP_TRIED = (0.30651, 7.94211, 7.2484, 6.22078, 8.9693, -9.43568, 8.88183, -6.76077)
LOG1P_TRIED = (-0.22672, -0.6242, -0.07526, -0.12939, -0.20253, -0.42423, -0.35644, -0.36062)


def exp(x: Any) -> Any:
    return np.float64(math.exp(x))


def log1p(x: Any) -> Any:
    return np.float64(math.log1p(x)) if x > -1 else np.log1p(x)


# --- exp -----------------------------------------------------------------------------------------


def _exp(x: Any, steps: Any, root: Any, rest: Any, fma: Fma) -> Any:
    """exp(x) * root / 2**(steps/128), for the integer `steps` next to x * 128 / log(2); root * (1 +
    rest) is 2**(steps/128)."""
    r = fma(steps, STEP_LOW, fma(steps, STEP_HIGH, x))
    square = r * r
    total = fma(square, fma(r, EXP[1], EXP[0]), rest + r)
    total = fma(square * square, fma(r, EXP[3], EXP[2]), total)
    return fma(root, total, root)


@functools.cache
def _roots() -> tuple[np.ndarray, np.ndarray]:
    """2**(i/128) as f64, and what has to be added of it, in parts of it."""
    with localcontext(prec=60):
        exact = [Decimal(2) ** (Decimal(i) / STEPS) for i in range(STEPS)]
        near = [float(x) for x in exact]
        rest = [float(x / Decimal(y) - 1) for x, y in zip(exact, near, strict=True)]
    return np.array(near), np.array(rest)


def _host_exp(x: float, fma: Fma) -> float:
    steps = round(STEPS_PER_LOG2 * x)
    roots, rests = _roots()
    root = math.ldexp(float(roots[steps % STEPS]), steps // STEPS)
    return _exp(x, float(steps), root, float(rests[steps % STEPS]), fma)


def _fused(x: float, y: float, z: float) -> float:
    return float(Fraction(x) * Fraction(y) + Fraction(z))


def _plain(x: Any, y: Any, z: Any) -> Any:
    return x * y + z


def _parts(x: Array) -> tuple[Array, Array]:
    """x as the sum of numbers whose products are exact (Dekker 1971, Veltkamp)."""
    wide = x * 134217729.0
    high = wide - (wide - x)
    return high, x - high


def _emulated(x: Any, y: Any, z: Any) -> Array:
    """x * y + z rounded once: the errors of the product and of the sum are added last."""
    x, y, z = [as_array(n, F64) for n in (x, y, z)]
    product = x * y
    (x1, x2), (y1, y2) = _parts(x), _parts(y)
    lost = x2 * y2 - (((product - x1 * y1) - x2 * y1) - x1 * y2)
    total = product + z
    of_z = total - product
    return total + (((product - (total - of_z)) + (z - of_z)) + lost)


def _matching(function: Any, host: Callable[[float, Fma], float], xs: Any) -> Fma | None:
    """How products are added in the C library's function; None where it is not this one."""
    for fma, made in ((_fused, _emulated), (_plain, _plain)):
        if all(host(x, fma) == function(x) for x in xs):
            return made
    return None


@functools.cache
def _exp_fma() -> Fma | None:
    return _matching(math.exp, _host_exp, (*EXP_TRIED, *[n * 0.737 - 7.03 for n in range(20)]))


@implements(exp)
def _exp_of(x: Any) -> Array:
    x = as_array(x, F64)
    fma = _exp_fma()
    smooth = op.exponential(x.value)
    if fma is None:
        return Array(smooth)
    near = Array(op.round_nearest_even((x * STEPS_PER_LOG2).value))
    inside = k.lt(op.abs(x.value), like(x.value, LARGE))
    steps = Array(cast(op.select(inside, near.value, like(x.value, 0.0)), I64))
    roots, rests = [take(as_array(t), steps & STEPS - 1, 0, wrap=False) for t in _roots()]
    power = bitcast_convert(((steps >> 7) + 1023 << 52).value, dtype=F64)
    found = _exp(x, Array(cast(steps.value, F64)), roots * Array(power), rests, fma)
    return Array(slope_of(op.select(inside, found.value, smooth), smooth))


def python_exp(x: Any) -> float:
    return math.exp(x)


@implements(python_exp)
def _python_exp(x: Any) -> Any:
    return weak(_exp_of(x).value, float)


# --- log1p ---------------------------------------------------------------------------------------


def _log1p(f: Any, exponent: Any, lost: Any, fma: Fma) -> Any:
    """log(2**exponent * (1 + f) + lost); where the exponent is 0, so is `lost`."""
    half = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    z2, c = z * z, LOG1P
    z4 = z2 * z2
    r = fma(z, c[0], z2 * fma(z, c[2], c[1]))
    r = fma(z2 * z4, fma(z, c[6], c[5]), fma(z4, fma(z, c[4], c[3]), r))
    rest = half - (fma(exponent, LOG2_LOW, lost) + s * (half + r))
    return fma(exponent, LOG2_HIGH, f - rest)


def _reduced(x: Any, bits: Any, choose: Callable[[Any, Any, Any], Any]) -> tuple[Any, Any, Any]:
    """1 + x as 2**exponent * (1 + f), and what rounding 1 + x lost, in parts of it."""
    u = 1.0 + x
    exponent = (bits(u) >> 52) - 1023
    fraction = bits(u) & (1 << 52) - 1
    above = (fraction >> 32) >= 0x6A09E  # the root of 2
    exponent = exponent + choose(above, exponent - exponent + 1, exponent - exponent)
    start = choose(above, fraction - fraction + (1022 << 52), fraction - fraction + (1023 << 52))
    lost = choose(exponent > 0, 1.0 - (u - x), x - (u - 1.0)) / u
    return exponent, fraction | start, lost


def _host_log1p(x: float, fma: Fma) -> float:
    high = np.float64(x).view(I64) >> 32
    if high < 0x3FDA827A and (high > 0 or np.int32(high) <= np.int32(-0x402D413D)):
        return _log1p(x, 0.0, 0.0, fma)
    exponent, bits, lost = _reduced(
        x, lambda u: int(np.float64(u).view(I64)), lambda c, a, b: a if c else b
    )
    return _log1p(float(np.int64(bits).view(F64)) - 1.0, float(exponent), lost, fma)


@functools.cache
def _log1p_fma() -> Fma | None:
    return _matching(math.log1p, _host_log1p, (*LOG1P_TRIED, *[-(n + 0.3) / 21 for n in range(20)]))


@implements(log1p)
def _log1p_of(x: Any) -> Array:
    x = as_array(x, F64)
    smooth = op.log_plus_one(x.value)
    fma = _log1p_fma()
    if fma is None:
        return Array(smooth)

    def choose(test: Any, a: Any, b: Any) -> Array:
        return Array(op.select(test.value, a.value, b.value))

    def bits(u: Array) -> Array:
        return Array(bitcast_convert(u.value, dtype=I64))

    inside = (x > -1.0) & (x < 1e15)
    safe = choose(inside, x, x - x)
    exponent, mantissa, lost = _reduced(safe, bits, choose)
    f = Array(bitcast_convert(mantissa.value, dtype=F64)) - 1.0
    near = (safe < float.fromhex("0x1.a827ap-2")) & (safe > float.fromhex("-0x1.2bec4p-2"))
    f, lost = choose(near, safe, f), choose(near, f - f, lost)
    power = choose(near, f - f, Array(cast(exponent.value, F64)))
    found = choose(inside, _log1p(f, power, lost, fma), Array(smooth))
    return Array(slope_of(found.value, smooth))
