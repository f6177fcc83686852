"""`numpy.linalg`.

Factorizations that XLA has no op for (LU, QR, SVD, eigenvectors) are JAX's, which call LAPACK as
NumPy does; everything else is written over them.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.integers import Int, larger, value_of
from pyxla.abstract.lattice import Array
from pyxla.abstract.promote import CLASSES, result_type
from pyxla.abstract.structure import OPERATORS
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib import products, reductions
from pyxla.lib.builtins import choose
from pyxla.lib.creation import tril, triu
from pyxla.lib.foreign import foreign
from pyxla.lib.manipulation import concatenate, moveaxis, reshaped, transpose
from pyxla.lib.operands import (
    INT,
    Shape,
    as_array,
    broadcast_shapes,
    broadcast_to,
    cast,
    literal,
    normalize_axes,
    weak,
)
from pyxla.lib.products import matmul
from pyxla.lib.registry import LeftToPython, implements
from pyxla.lib.selection import where
from pyxla.lib.ufuncs import UFUNCS
from pyxla.ops import elementwise as op
from pyxla.ops.filled import zeros
from pyxla.ops.scope import slope_of, stop_gradient
from pyxla.ops.shape import slice as slice_

JAX = "jax.numpy.linalg."
EIGEN = "pyxla.runtime.eigen."
SOLVE = "jax.scipy.linalg.solve_triangular"
_ONE = np.eye(1)
EighResult = type(np.linalg.eigh(_ONE))
EigResult = type(np.linalg.eig(_ONE))
QRResult = type(np.linalg.qr(_ONE))
SVDResult = type(np.linalg.svd(_ONE))
SlogdetResult = type(np.linalg.slogdet(_ONE))


def matrix(a: Any, square: bool = False) -> Array:
    """An operand as a stack of matrices in a dtype that LAPACK has: ints in float64."""
    x = as_array(a)
    if x.ndim < 2:
        raise OpError(f"{x.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and x.shape[-1] != x.shape[-2]:
        raise OpError("Last 2 dimensions of the array must be square")
    return inexact(x)


def inexact(x: Array) -> Array:
    if CLASSES[x.dtype] in "biu":
        return as_array(x, np.float64)
    if x.dtype.itemsize < 4:
        raise OpError(f"array type {x.dtype} is unsupported in linalg")
    return x


def alike(x: Array, y: Array) -> tuple[Array, Array]:
    dtype = result_type(x, y)
    return as_array(x, dtype), as_array(y, dtype)


def adjoint(x: Array) -> Array:
    return moveaxis(Array(k.conjugate(x.value)), -1, -2)


def hermitian(x: Array, upper: bool = False) -> Array:
    """The matrix with one triangle of `x`: JAX reads that only, but differentiates both."""
    return triu(x) + adjoint(triu(x, 1)) if upper else tril(x) + adjoint(tril(x, -1))


# --- Factorizations ------------------------------------------------------------------------------


@implements(np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    x = matrix(a, square=True)
    if upper:
        x = adjoint(x)
    lower = foreign(JAX + "cholesky", hermitian(x), symmetrize_input=False) if x.size else x
    return adjoint(lower) if upper else lower


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise OpError(f"mode {mode!r} of qr is not supported")
    result = foreign(JAX + "qr", matrix(a), mode=mode)
    return result if mode == "r" else QRResult(*result)


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False):
    x = matrix(a)
    if not compute_uv:
        return foreign(JAX + "svd", x, full_matrices=False, compute_uv=False)
    thin: Any = foreign(JAX + "svd", x, full_matrices=False)
    if not full_matrices or x.shape[-1] == x.shape[-2]:
        return SVDResult(*thin)
    made: Any = foreign(JAX + "svd", Array(stop_gradient(x.value)), full_matrices=True)
    u, s, vt = made
    columns, rows = _completed(u, thin[0]), _completed(adjoint(vt), adjoint(thin[2]))
    results: Any = columns, sloped(s, thin[1]), adjoint(rows)
    return SVDResult(*results)


def _completed(whole: Array, part: Array) -> Array:
    """A basis, with the slopes that follow from those of its first vectors: JAX has none of others.

    What they leave out turns with them, and within itself as it likes.
    """
    first, others = _apart(whole, part.shape[-1])
    signs = reductions.sum(Array(k.conjugate(part.value)) * first, -2, keepdims=True)
    turned = part * (signs / OPERATORS["abs"](signs))
    if not others.size:
        return sloped(whole, turned)
    fixed = Array(stop_gradient(others.value))
    left = fixed - matmul(turned, matmul(adjoint(turned), fixed))
    lower = cholesky(matmul(adjoint(left), left))
    moved = foreign(SOLVE, lower, adjoint(left), lower=True)
    return sloped(whole, concatenate([turned, adjoint(moved)], -1))


def _apart(x: Array, count: int) -> tuple[Array, Array]:
    """The first columns, and the others."""
    zero, every = (0,) * (x.ndim - 1), (1,) * x.ndim
    first = slice_(
        x.value, start_indices=(*zero, 0), limit_indices=(*x.shape[:-1], count), strides=every
    )
    rest = slice_(x.value, start_indices=(*zero, count), limit_indices=x.shape, strides=every)
    return Array(first), Array(rest)


def sloped(x: Array, smooth: Array) -> Array:
    return Array(slope_of(x.value, smooth.value))


@implements(np.linalg.svdvals)
def svdvals(x: Any, /) -> Array:
    return svd(x, compute_uv=False)


@implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    triangle = UPLO.upper()
    x = hermitian(matrix(a, square=True), triangle == "U")
    return EighResult(*foreign(JAX + "eigh", x, UPLO=triangle, symmetrize_input=False))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Array:
    return eigh(a, UPLO)[0]


@implements(np.linalg.eig)
def eig(a: Any) -> Any:
    """As complex numbers; `infer.real_or_complex` knows when NumPy gives real ones."""
    return EigResult(*foreign(EIGEN + "eig", matrix(a, square=True)))


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Array:
    """As complex numbers, too."""
    return foreign(EIGEN + "eigvals", matrix(a, square=True))


# --- Solving -------------------------------------------------------------------------------------


@implements(np.linalg.inv)
def inv(a: Any) -> Array:
    x = matrix(a, square=True)
    return foreign(JAX + "inv", x) if x.size else x


@implements(np.linalg._umath_linalg.inv)
def _unchecked_inverse(a: Any, signature: Any = None) -> Array:
    return inv(a)


@implements(np.linalg.solve)
def solve(a: Any, b: Any) -> Array:
    """A one-dimensional `b` is one vector, anything else a stack of matrices."""
    x, y = alike(matrix(a, square=True), inexact(as_array(b)))
    if y.ndim == 1:
        column = solve(x, Array(reshaped(y.value, (y.size, 1))))
        return Array(reshaped(column.value, column.shape[:-1]))
    if x.shape[-1] != y.shape[-2]:
        raise OpError(f"shapes {x.shape} and {y.shape} do not fit", ValueError)
    head = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = Array(broadcast_to(x.value, head + x.shape[-2:]))
    y = Array(broadcast_to(y.value, head + y.shape[-2:]))
    return foreign(JAX + "solve", x, y) if x.size and y.size else y


@implements(np.linalg.det)
def det(a: Any) -> Array:
    return foreign(JAX + "det", matrix(a, square=True))


@implements(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    return SlogdetResult(*foreign(JAX + "slogdet", matrix(a, square=True)))


def _reciprocal_singular_values(s: Array, cutoff: Array) -> Array:
    """1/s, and 0 where s is not above the cutoff."""
    large = s > cutoff
    return where(large, 1.0 / where(large, s, Array(k.like(s.value, 1))), Array(k.like(s.value, 0)))


def _tolerance(given: Any, s: Array, size: Int) -> Array:
    """The relative cutoff times the largest singular value."""
    largest = reductions.max(s, -1, keepdims=True)
    relative: Any = size * float(np.finfo(s.dtype).eps)
    if given is None:
        return largest * relative
    bound = as_array(given)
    return largest * (Array(reshaped(bound.value, (*bound.shape, 1))) if bound.shape else given)


@implements(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    x = matrix(a)
    if not x.size:
        return Array(reshaped(x.value, (*x.shape[:-2], x.shape[-1], x.shape[-2])))
    given = (1e-15 if rcond is None else rcond) if rtol is None else rtol
    u, s, vt = svd(x, full_matrices=False)
    inverse = _reciprocal_singular_values(s, _tolerance(given, s, max(x.shape[-2:])))
    column = Array(reshaped(inverse.value, (*inverse.shape, 1)))
    found = matmul(adjoint(vt), column * adjoint(u))
    tall = x.shape[-2] >= x.shape[-1]
    gram = matmul(adjoint(x), x) if tall else matmul(x, adjoint(x))
    smooth = solve(gram, adjoint(x)) if tall else adjoint(solve(gram, x))
    return _by_normal_equations(found, smooth, inverse)


def _by_normal_equations(found: Array, smooth: Array, inverse: Array) -> Array:
    """At full rank the slopes of these, as vectors of equal singular values have none."""
    full = reductions.all(Array(k.ne(inverse.value, zeros(inverse.value.type))), -1)
    full = Array(reshaped(full.value, (*inverse.shape[:-1], 1, 1)))
    return sloped(found, where(full, smooth, found))


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """By singular values.  The residuals are there only where the rank is full, as in NumPy: an
    array of bounded extent."""
    x, y = alike(matrix(a), inexact(as_array(b)))
    return least_squares(x, y, rcond, *x.shape)


def least_squares(x: Array, y: Array, rcond: Any, rows: Int, columns: Int) -> tuple[Any, ...]:
    """`lstsq` of so many rows and columns of `x` and rows of `y`, past which both are zeros."""
    right = y if y.ndim == 2 else Array(reshaped(y.value, (y.size, 1)))
    u, s, vt = svd(x, full_matrices=False)
    if rcond is not None:  # LAPACK takes the precision for what is negative
        precision = float(np.finfo(s.dtype).eps)
        known = isinstance(rcond, int | float)
        rcond = max(rcond, precision * (rcond < 0)) if known else where(rcond < 0, precision, rcond)
    cutoff = _tolerance(rcond, s, larger(rows, columns))
    scaled = _reciprocal_singular_values(s, cutoff)
    weights = matmul(adjoint(u), right) * Array(reshaped(scaled.value, (scaled.size, 1)))
    solution = matmul(adjoint(vt), weights)
    if x.shape[0] >= x.shape[1]:
        smooth = solve(matmul(adjoint(x), x), matmul(adjoint(x), right))
    else:
        smooth = matmul(adjoint(x), solve(matmul(x, adjoint(x)), right))
    solution = _by_normal_equations(solution, smooth, scaled)
    rank = Array(cast(reductions.count_nonzero(s > cutoff).value, np.dtype(np.int32)))
    gap = OPERATORS["abs"](right - matmul(x, solution))
    squares = reductions.sum(gap * gap, 0)
    residuals = _only_if_full(squares, rank, rows, columns)
    if y.ndim == 1:
        solution = Array(reshaped(solution.value, (x.shape[1],)))
    return solution, residuals, rank, s


def _only_if_full(squares: Array, rank: Array, rows: Int, columns: Int) -> Array:
    if extent.at_most(rows, columns):
        return Array(literal(np.zeros(0), squares.dtype))
    full = k.eq(cast(rank.value, INT), cast(value_of(columns), INT))
    if not (isinstance(rows, int) and isinstance(columns, int)):
        full = op.and_(full, k.gt(value_of(rows), value_of(columns)))
    count = choose(weak(full, bool), squares.size, 0)
    count.fact = extent.IntFact(0, squares.size)
    return Array(squares.value, (count,))


def _vandermonde(x: Array, degree: int) -> Array:
    """Columns of falling powers."""
    columns = [Array(k.power_static(x.value, n)) for n in range(degree, -1, -1)]
    return concatenate([Array(reshaped(c.value, (x.size, 1))) for c in columns], 1)


@implements(np.polyfit)
def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    points, heights = as_array(x), as_array(y)
    if points.shape[:1] != heights.shape[:1]:
        raise OpError("expected x and y to have same length", TypeError)
    return fitted(points, heights, deg, w, points.size, rcond, full, cov)


def fitted(
    x: Array, y: Array, deg: Any, w: Any, rows: Int, rcond: Any = None, full: Any = False,
    cov: Any = False,
) -> Any:  # fmt: skip
    """`polyfit` of so many points, past which `w` is 0: least squares on columns of powers, each
    scaled to length one."""
    points, heights = inexact(x), inexact(y)
    powers = as_array(points, result_type(points.dtype, INT))  # of float32 too they are float64
    left = _vandermonde(powers, operator.index(deg))
    if w is not None:
        weights = as_array(w)
        left = left * Array(reshaped(weights.value, (weights.size, 1)))
        spread = (weights.size, *[1] * (heights.ndim - 1))
        heights = heights * Array(reshaped(weights.value, spread))
    scale = UFUNCS[np.sqrt](reductions.sum(left * left, 0))
    left, heights = alike(left / scale, heights)
    if rcond is None:
        rcond = Array(literal(np.finfo(points.dtype).eps, points.dtype)) * _count(rows, points)
    solution, *rest = least_squares(left, heights, rcond, rows, left.shape[1])
    column = Array(reshaped(scale.value, (scale.size, *[1] * (heights.ndim - 1))))
    solution = solution / column
    if full:
        return solution, *rest, rcond
    return (solution, _spread(left, scale, heights, rest[0], rows, cov)) if cov else solution


def _count(n: Int, x: Array) -> Array:
    """A number of elements in the dtype of `x`."""
    return Array(cast(value_of(n), x.dtype))


def _spread(left: Array, scale: Array, y: Array, residuals: Array, rows: Int, cov: Any) -> Array:
    """The covariances of the coefficients, scaled by what is left unless `cov` is "unscaled"."""
    columns = left.shape[1]
    inverse = inv(matmul(transpose(left), left)) / products.outer(scale, scale)
    if y.ndim == 2:
        inverse = Array(reshaped(inverse.value, (columns, columns, 1)))
    if cov == "unscaled":
        return inverse
    if extent.at_most(rows, columns):
        raise OpError("the number of data points must exceed order to scale the covariance matrix")
    squares = Array(residuals.value)  # NumPy has none of a singular matrix, and raises before
    return inverse * (squares / (_count(rows, left) - _count(columns, left)))


# --- Norms ---------------------------------------------------------------------------------------


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    array = as_array(x)
    if not issubclass(array.dtype.type, np.inexact):  # nor are those of ml_dtypes
        array = as_array(array, np.float64)
    if axis is None:
        axes = tuple(range(array.ndim))
        if ord is None:
            return _vector_norm(array, 2, axes, keepdims)
    else:
        axes = normalize_axes(axis, array.ndim)
    if len(axes) == 1:
        return _vector_norm(array, 2 if ord is None else ord, axes, keepdims)
    if len(axes) == 2 and ord in (None, "fro", "f"):
        return _vector_norm(array, 2, axes, keepdims)
    raise LeftToPython  # of matrices by rows, columns and singular values


def square_size(x: Array) -> Array:
    if CLASSES[x.dtype] != "c":
        return x * x
    re, im = op.real(x.value), op.imag(x.value)
    return Array(op.add(op.multiply(re, re), op.multiply(im, im)))


def _vector_norm(x: Array, ord: Any, axes: Shape, keepdims: bool) -> Array:
    if type(ord) not in (int, float):  # a text, or data
        raise LeftToPython
    options = {"axis": axes, "keepdims": keepdims}
    if ord == 2:
        return Array(k.root_of_sum(reductions.sum(square_size(x), **options).value))
    size = OPERATORS["abs"](x)
    if ord == math.inf:
        return reductions.max(size, **options, **({} if x.size else {"initial": 0}))
    if ord == -math.inf:
        return reductions.min(size, **options)
    if ord == 0:
        nonzero = Array(k.ne(x.value, k.like(x.value, 0)))
        return reductions.sum(as_array(nonzero, size.dtype), **options)
    if ord == 1:
        return reductions.sum(size, **options)
    total = reductions.sum(OPERATORS["pow"](size, ord), **options)
    inverse = OPERATORS["truediv"](1.0, ord)
    if ord < 1:
        return OPERATORS["pow"](total, inverse)
    return Array(k.root_of_sum(total.value, lambda x: OPERATORS["pow"](Array(x), inverse).value))


# --- Products ------------------------------------------------------------------------------------


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Array:
    """In the order that needs the fewest multiplications (the matrix chain by dynamic programming,
    Cormen et al., section 15.2)."""
    items = [as_array(x) for x in arrays]
    if len(items) < 2:
        raise OpError("Expecting at least two arrays.")
    first, last = items[0].ndim == 1, items[-1].ndim == 1
    if first:
        items[0] = Array(reshaped(items[0].value, (1, items[0].size)))
    if last:
        items[-1] = Array(reshaped(items[-1].value, (items[-1].size, 1)))
    product = _chain(items, _best_splits([x.shape[0] for x in items] + [items[-1].shape[1]]))
    shape = product.shape[1 if first else 0 : 1 if last else 2]
    return Array(reshaped(product.value, shape))


def _best_splits(extents: list[int]) -> dict[tuple[int, int], int]:
    count = len(extents) - 1
    cost = {(i, i): 0 for i in range(count)}
    split = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, s] + cost[s + 1, j] + extents[i] * extents[s + 1] * extents[j + 1], s)
                for s in range(i, j)
            ]
            cost[i, j], split[i, j] = min(options)
    return split


def _chain(items: list[Array], split: dict[tuple[int, int], int]) -> Array:
    def product(i: int, j: int) -> Array:
        if i == j:
            return items[i]
        return matmul(product(i, split[i, j]), product(split[i, j] + 1, j))

    return product(0, len(items) - 1)
