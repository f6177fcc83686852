"""Functions of SciPy that are JAX's up to rounding errors, found by name when they are called:
SciPy is imported by whoever uses it.

Functions whose JAX versions lose digits (`beta`, `betaln`, `log_ndtr`) are not among them.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.infer.lattice import Array
from pyxla.infer.promote import kind, loop_types
from pyxla.ir.op import OpError
from pyxla.lib.foreign import foreign
from pyxla.lib.masks import constant_of
from pyxla.lib.operands import as_array, broadcast_shapes, broadcast_to, cast
from pyxla.lib.registry import LIBRARY, Implementation, Rank0
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


def _inexact(x: Any) -> Array:
    found = as_array(x)
    return found if found.dtype.kind in "fc" else Array(cast(found.value, np.dtype(np.float64)))


# --- Functions -----------------------------------------------------------------------------------


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


def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Array:
    result = LIBRARY[np.linalg.cholesky](_inexact(a), upper=not lower)
    return result


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False,
    overwrite_b: bool = False, check_finite: bool = True,
) -> Array:  # fmt: skip
    options = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    return foreign(LINALG + "solve_triangular", *_alike(a, b), **options)


def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
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


def cho_solve(
    c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Array:
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


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    return LIBRARY[np.linalg.inv](a)


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    return LIBRARY[np.linalg.det](a)


def solve(a: Any, b: Any, lower: bool = False, overwrite_a: bool = False,
          overwrite_b: bool = False, check_finite: bool = True) -> Array:  # fmt: skip
    return LIBRARY[np.linalg.solve](a, b)


def _alike(*xs: Any) -> list[Array]:
    found = [_inexact(x) for x in xs]
    dtype = np.result_type(*[x.dtype for x in found])
    return [Array(cast(x.value, dtype)) for x in found]


FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "scipy.special": {
        "logsumexp": logsumexp,
        "softmax": softmax,
        "log_softmax": log_softmax,
    },
    "scipy.linalg": {
        "cholesky": cholesky,
        "solve_triangular": solve_triangular,
        "cho_factor": cho_factor,
        "cho_solve": cho_solve,
        "expm": expm,
        "inv": inv,
        "det": det,
        "solve": solve,
    },
}


def scipys(value: Any) -> Implementation | None:
    """The implementation of a function of SciPy's, or None."""
    if isinstance(value, np.ufunc):
        special = sys.modules.get("scipy.special")
        name = value.__name__
        if special is None or getattr(special, name, None) is not value:
            return None
        if name == "psi":
            return Implementation(_digamma(value))
        return Implementation(_elementwise(value, SPECIAL + name)) if name in UFUNCS else None
    if isinstance(value, types.FunctionType) and str(value.__module__).startswith("scipy."):
        for module, functions in FUNCTIONS.items():
            found = functions.get(value.__name__)
            if found and getattr(sys.modules.get(module), value.__name__, None) is value:
                rank0: Rank0 = "array" if found is cho_factor else "scalar"
                return Implementation(found, rank0)
    return None
