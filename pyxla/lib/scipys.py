"""Functions of SciPy that are JAX's up to rounding errors, found by name when they are called:
SciPy is imported by whoever uses it.

Functions whose JAX versions lose digits (`beta`, `betaln`, `log_ndtr`) are not among them.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import kind, loop_types
from pyxla.ir.op import OpError
from pyxla.lib import distributions, factors, solvers, sparse
from pyxla.lib.foreign import foreign
from pyxla.lib.masks import constant_of
from pyxla.lib.operands import as_array, broadcast_shapes, broadcast_to, cast, weak
from pyxla.lib.registry import LIBRARY, Implementation, LeftToPython, Rank0, lookup
from pyxla.ops import elementwise as op
from pyxla.ops.shape import constant

SPECIAL = "jax.scipy.special."
UFUNCS = frozenset(
    (
        *("dawsn", "entr", "erf", "erfc", "erfcx", "erfinv", "exp1", "expi", "expit", "gamma"),
        *("gammainc", "gammaincc", "gammaln", "gammasgn", "i0", "i0e", "i1", "i1e", "kl_div"),
        *("logit", "ndtr", "ndtri", "rel_entr", "spence", "xlog1py", "xlogy", "betainc"),
    )
)


def _elementwise(ufunc: np.ufunc, name: str) -> Callable[..., Array]:
    """The JAX function `name` in the dtype of the loop that `ufunc` takes, real numbers only."""

    def call(*args: Any, out: Any = None) -> Array:
        if len(args) != ufunc.nin:
            raise OpError(f"{ufunc.__name__} takes {ufunc.nin} operands")
        operands = [as_array(x) if isinstance(x, list | tuple) else x for x in args]
        found = loop_types(ufunc, tuple([kind(x) for x in operands]))
        if any(dtype.kind != "f" or dtype.itemsize > 8 for dtype in found):
            raise OpError(f"{ufunc.__name__} is compiled for real numbers only")
        dtypes = zip(operands, found[: ufunc.nin], strict=True)
        arrays = [as_array(x, dtype) for x, dtype in dtypes]
        shape = broadcast_shapes(*[x.shape for x in arrays])
        return foreign(name, *[Array(broadcast_to(x.value, shape)) for x in arrays])

    return call


def _digamma(ufunc: np.ufunc) -> Callable[..., Array]:
    """SciPy has an infinity at 0."""
    plain = _elementwise(ufunc, SPECIAL + "digamma")

    def call(x: Any, out: Any = None) -> Array:
        result = plain(x).value
        at = broadcast_to(as_array(x, result.type.dtype).value, result.type.shape)
        zero = constant(value=np.zeros(at.type.shape, at.type.dtype))
        pole = op.divide(constant(value=np.full(at.type.shape, -1, at.type.dtype)), at)
        return Array(op.select(op.compare(at, zero, direction="EQ"), pole, result))

    return call


def _i0(ufunc: np.ufunc) -> Callable[..., Array]:
    """Flat at 0, where JAX's has the slope of exp."""
    scaled = _elementwise(ufunc, SPECIAL + "i0e")

    def call(x: Any, out: Any = None) -> Array:
        result = scaled(x).value
        at = broadcast_to(as_array(x, result.type.dtype).value, result.type.shape)
        return Array(op.multiply(op.exponential(op.abs(at)), result))

    return call


def _binom(ufunc: np.ufunc) -> Callable[..., Array]:
    """Of whole numbers it is one, which the logarithms miss by less than a half where SciPy is
    exact; where the first is negative, it has no value."""
    special = {
        name: _elementwise(getattr(sys.modules["scipy.special"], name), SPECIAL + name)
        for name in ("gammaln", "gammasgn")
    }
    where, floor, equal, less = [LIBRARY[f] for f in (np.where, np.floor, np.equal, np.less)]

    def call(n: Any, k: Any, out: Any = None) -> Array:
        n, k = [as_array(x, np.dtype(np.float64)) for x in (n, k)]
        above, *below = n + 1.0, k + 1.0, n - k + 1.0
        size, sign = special["gammaln"](above), special["gammasgn"](above)
        for x in below:
            size, sign = size - special["gammaln"](x), sign * special["gammasgn"](x)
        found = sign * Array(op.exponential(size.value))
        whole, counted = equal(floor(n), n), equal(floor(k), k)
        found = where(whole & counted, floor(found + 0.5), found)
        none = (counted & less(k, 0.0)) | (whole & counted & less(n, k))
        return where(whole & less(n, 0.0), math.nan, where(none, 0.0, found))

    return call


FACTORS = 64


def _poch(ufunc: np.ufunc) -> Callable[..., Array]:
    """z (z + 1) ... (z + m - 1), of a known m: the factors of the derivatives of splines."""

    def call(z: Any, m: Any, out: Any = None) -> Array:
        if not isinstance(m, int | float | np.number) or m not in range(FACTORS):
            raise OpError(f"poch takes a second argument that is known, of 0 to {FACTORS - 1}")
        found = loop_types(ufunc, (kind(z), kind(m)))[0]
        first = as_array(z, found)
        product = first * 0 + 1
        for i in range(int(m)):
            product = product * (first + i)
        return product

    return call


# Where JAX's differ, in a value or a slope, or there is none.
OWN = {"psi": _digamma, "i0": _i0, "binom": _binom, "poch": _poch}


def _inexact(x: Any) -> Array:
    found = as_array(x)
    return found if found.dtype.kind in "fc" else Array(cast(found.value, np.dtype(np.float64)))


# --- Functions: of what the results depend on, by SciPy's names ----------------------------------

IGNORED = frozenset(
    ("overwrite_a", "overwrite_b", "overwrite_x", "check_finite")
    + ("driver", "lapack_driver", "lwork", "plan", "type", "workers")
)


@functools.cache
def _called(target: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with the arguments of SciPy's function, the first by position."""
    signature = inspect.signature(target)
    here = LIBRARY.get(function, function)

    def call(*args: Any, **named: Any) -> Any:
        if here in vars(np.fft).values():
            raise LeftToPython(here, IGNORED)
        given = signature.bind(*args, **named).arguments
        first, *rest = [(name, x) for name, x in given.items() if name not in IGNORED]
        return here(first[1], **dict(rest))

    return call


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    if b is not None or return_sign:
        raise OpError("logsumexp with b= or return_sign= is not supported")
    return foreign(SPECIAL + "logsumexp", _inexact(a), axis=axis, keepdims=keepdims)


def softmax(x: Any, axis: Any = None) -> Array:
    return foreign(SPECIAL + "softmax", _inexact(x), axis=axis)


def log_softmax(x: Any, axis: Any = None) -> Array:
    return foreign(SPECIAL + "log_softmax", _inexact(x), axis=axis)


LINALG = "jax.scipy.linalg."


def cholesky(a: Any, lower: bool = False) -> Array:
    return LIBRARY[np.linalg.cholesky](_inexact(a), upper=not lower)


def solve_triangular(a: Any, b: Any, **options: Any) -> Array:
    return foreign(LINALG + "solve_triangular", *_alike(a, b), **options)


def cho_factor(a: Any, lower: bool = False) -> Any:
    """The factor alone is promised; the other triangle is zero, or what the matrix had there."""
    x = _inexact(a)
    factor = LIBRARY[np.linalg.cholesky](x, upper=not lower)
    leaves_triangle, flag = _habits()
    if leaves_triangle:
        part = LIBRARY[np.triu] if lower else LIBRARY[np.tril]
        factor = factor + part(x, 1 if lower else -1)
    return factor, lower if flag is bool else as_array(np.asarray(bool(lower)))


@functools.cache
def _habits() -> tuple[bool, type]:
    """Whether this release of SciPy leaves the other triangle, and what it says `lower` with."""
    factor, lower = sys.modules["scipy.linalg"].cho_factor(np.eye(2) + 1)
    return bool(factor[1, 0]), type(lower)


def cho_solve(c_and_lower: Any, b: Any) -> Array:
    factor, lower = c_and_lower
    if isinstance(lower, Array):
        lower = constant_of(lower)
        if lower is None:
            raise OpError("whether a factor is lower must be known while compiling")
    c, y = _alike(factor, b)
    first, second = (0, 2) if lower else (2, 0)
    y = foreign(LINALG + "solve_triangular", c, y, trans=first, lower=bool(lower))
    return foreign(LINALG + "solve_triangular", c, y, trans=second, lower=bool(lower))


def expm(A: Any) -> Array:
    return foreign(LINALG + "expm", _inexact(A))


def solve(a: Any, b: Any, lower: bool = False) -> Array:
    return LIBRARY[np.linalg.solve](a, b)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    found = LIBRARY[np.linalg.svd](a, full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


def eigh(
    a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, **subset: Any
) -> Any:
    if any(x is not None for x in (b, *subset.values())):
        raise OpError("eigh of two matrices, or of a subset, is not supported")
    values, vectors = LIBRARY[np.linalg.eigh](a, "L" if lower else "U")
    return values if eigvals_only else (values, vectors)


def eigvalsh(a: Any, b: Any = None, *, lower: bool = True, **options: Any) -> Array:
    return eigh(a, b, lower=lower, eigvals_only=True, **options)


def qr(a: Any, mode: str = "full", pivoting: bool = False) -> Any:
    if pivoting or mode not in ("full", "economic", "r"):
        raise OpError("qr with pivoting or in raw mode is not supported")
    if mode == "r":
        m, n = as_array(a).shape
        triangle = LIBRARY[np.linalg.qr](a, "r" if m <= n else "complete")
        return (triangle if m <= n else triangle[1],)
    return tuple(LIBRARY[np.linalg.qr](a, "complete" if mode == "full" else "reduced"))


def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False) -> Array:
    if atol is not None or return_rank:
        raise OpError("pinv with atol= or return_rank= is not supported")
    x = _inexact(a)
    if rtol is None:
        rtol = max(x.shape) * float(np.finfo(x.dtype).eps)
    return LIBRARY[np.linalg.pinv](x, rtol=rtol)


def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """A Python float where SciPy asks BLAS, or LAPACK, which its layout decides of a matrix."""
    x = as_array(a)
    found = LIBRARY[np.linalg.norm](x, ord, axis, keepdims)
    if axis is not None or keepdims or x.dtype.char not in "fdFD":
        return found
    if x.ndim == 2 and ord in (1, math.inf):
        raise OpError("norm of rows and columns is a float or a np.float64 in SciPy")
    return weak(found.value, float) if x.ndim == 1 and ord in (None, 2) else found


def _alike(*xs: Any) -> list[Array]:
    found = [_inexact(x) for x in xs]
    dtype = np.result_type(*[x.dtype for x in found])
    return [Array(cast(x.value, dtype)) for x in found]


_FFT = (
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2"),
    *("fftn", "ifftn", "rfftn", "irfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift"),
)
_OWN: dict[str, tuple[Callable[..., Any], ...]] = {
    "scipy.special": (logsumexp, softmax, log_softmax),
    "scipy.linalg": (
        *(cholesky, solve_triangular, cho_factor, cho_solve, expm, solve, svd, eigh, eigvalsh),
        *(qr, pinv, norm),
    ),
}
FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "scipy.fft": {name: getattr(np.fft, name) for name in _FFT},
    **{name: {f.__name__: f for f in functions} for name, functions in _OWN.items()},
}
FUNCTIONS["scipy.linalg"] |= {
    name: LIBRARY[getattr(np.linalg, name)] for name in ("inv", "det", "svdvals")
}


# Modules of SciPy's of which functions are here, by their qualified names with `_` for `.`.
KERNELS = {
    "scipy.sparse._sparsetools": sparse,
    "scipy.sparse._sputils": sparse,
    "scipy.sparse._base": sparse,
    "scipy.sparse._compressed": sparse,
    "scipy._lib._util": sparse,
    "scipy.optimize._zeros": solvers,
    "scipy.optimize._zeros_py": solvers,
    "scipy.linalg._basic": solvers,
    "scipy.interpolate._ppoly": solvers,
    "scipy.stats._distn_infrastructure": distributions,
}


# What SciPy itself has in Python as well, for other arrays than NumPy's.
TWINS = {"scipy.spatial.transform._rotation_cy": "scipy.spatial.transform._rotation_xp"}
# Of which the twin's half turns have the other sign.
_UNLIKE = frozenset({"as_euler", "as_davenport"})


def kernel(function: Any) -> Any:
    """The Python that stands for a function of SciPy's, in C or made of text, or None."""
    name = function.__module__
    if name in TWINS and function.__name__ in _UNLIKE:
        return None
    module = sys.modules.get(TWINS[name]) if name in TWINS else KERNELS.get(name)
    return module and getattr(module, function.__qualname__.replace(".", "_"), None)


def raising(value: Any, count: int) -> Any:
    """The Python around a function of `scipy.linalg` that raises what it raises, given so many
    arguments by position, or None."""
    if not str(getattr(value, "__module__", "")).startswith("scipy.linalg."):
        return None
    name = value.__name__
    own = getattr(sys.modules.get("scipy.linalg"), name, None) is value
    if not own or name not in factors.AROUND:
        return None
    names = list(inspect.signature(value).parameters)
    return factors.AROUND[name] if "check_finite" not in names[:count] else None


def scipys(value: Any) -> Implementation | None:
    """The implementation of a function of SciPy's, or None."""
    if isinstance(value, np.ufunc):
        special = sys.modules.get("scipy.special")
        name = value.__name__
        if special is None or getattr(special, name, None) is not value:
            return None
        if name in ("cbrt", "exp2", "expm1", "log1p"):
            return lookup(getattr(np, name))
        if name in OWN:
            return Implementation(OWN[name](value))
        return Implementation(_elementwise(value, SPECIAL + name)) if name in UFUNCS else None
    if not isinstance(value, types.FunctionType) and type(value).__module__ != "uarray":
        return None
    if str(value.__module__).startswith("scipy."):
        for module, functions in FUNCTIONS.items():
            found = functions.get(value.__name__)
            if found and getattr(sys.modules.get(module), value.__name__, None) is value:
                rank0: Rank0 = "array" if found is cho_factor else "scalar"
                return Implementation(_called(value, found), rank0)
    return None
