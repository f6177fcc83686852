"""Linear algebra of matrices of bounded extent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from pyxla.abstract.facts.integers import smaller
from pyxla.abstract.lattice import Array
from pyxla.ir.op import OpError
from pyxla.lib import linalg, reductions
from pyxla.lib.bounded.elementwise import (
    NOT_SUPPORTED,
    Function,
    bounded,
    extents_of,
    filled,
    named,
    resized_to,
    sized,
    strategy,
)
from pyxla.lib.creation import eye
from pyxla.lib.indexing import true_size
from pyxla.lib.masks import within
from pyxla.lib.meetings import meet
from pyxla.lib.operands import as_array, splat, weak
from pyxla.lib.selection import where
from pyxla.ops.elementwise import select


def _alike(a: Array, d: int, b: Array, e: int, *error: Any) -> tuple[Array, Array]:
    """Both arrays, stored alike in dimensions that are to be of one size; those that are known to
    differ are refused."""
    n, m = true_size(a, d), true_size(b, e)
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise OpError(f"shapes {a.shape} and {b.shape} do not fit")
    meet(n, m, *error)
    for size in (n, m):
        if isinstance(size, int):  # which both are
            return _full(a, d, size), _full(b, e, size)
    bound = max(a.shape[d], b.shape[e])
    return resized_to(a, d, bound), resized_to(b, e, bound)


def _full(x: Array, axis: int, size: int) -> Array:
    """`x`, whose size along `axis` is `size`."""
    own = [None if d == axis else e for d, e in enumerate(extents_of(x))]
    return bounded(resized_to(x, axis, size).value, own)


def _filled_up(a: Any) -> tuple[Array, Array]:
    """A square matrix, and it with ones on the diagonal past its extents."""
    x = as_array(a)
    if x.ndim != 2:
        raise OpError(NOT_SUPPORTED)
    square = LinAlgError, "Last 2 dimensions of the array must be square"
    x = _alike(x, 0, x, 1, *square)[0]
    x = _alike(x, 0, x, 1, *square)[1]
    inside = within(x)
    if inside is None:
        return x, x
    return x, Array(select(inside, x.value, eye(x.shape[0], dtype=x.dtype).value))


@strategy(linalg.inv, linalg.cholesky)
def _square(function: Function, a: Any, /, **options: Any) -> Array:
    x, full = _filled_up(a)
    return bounded(function(full, **options).value, extents_of(x))


@strategy(linalg.det, linalg.slogdet)
def _determinant(function: Function, a: Any) -> Any:
    return function(_filled_up(a)[1])


@strategy(linalg.eigh, linalg.eigvalsh)
def _eigenvalues(function: Function, a: Any, UPLO: str = "L") -> Any:
    """On the diagonal past the extents there are numbers above all eigenvalues, each another: with
    their eigenvectors they come last."""
    x, _ = _filled_up(a)
    inside = within(x)
    if inside is None:
        return function(x, UPLO)
    known = linalg.matrix(Array(filled(x, (0, 1), 0).value))
    known = linalg.hermitian(known, UPLO.upper() == "U")
    size = linalg.norm(known)
    size = where(size == 0, 1.0, size)
    above = size * as_array(np.linspace(2, 3, x.shape[0]), size.dtype)
    above = as_array(above, known.dtype) * eye(x.shape[0], dtype=known.dtype)
    full = Array(select(inside, known.value, above.value))
    values, vectors = linalg.eigh(full, UPLO)
    values = bounded(values.value, extents_of(x)[:1])
    if function is linalg.eigvalsh:
        return values
    found: Any = values, bounded(vectors.value, extents_of(x))
    return linalg.EighResult(*found)


@strategy(linalg.qr)
def _qr(function: Function, a: Any, mode: str = "reduced") -> Any:
    """Rows of zeros add rows of zeros to the first factor, columns of zeros such to the second;
    reflections past the smaller size change nothing."""
    x = as_array(a)
    if x.ndim != 2 or mode not in ("reduced", "r"):
        raise OpError(NOT_SUPPORTED)
    rows, columns = true_size(x, 0), true_size(x, 1)
    count = smaller(rows, columns)
    found = function(Array(filled(x, (0, 1), 0).value), mode)
    if mode == "r":
        return sized(found.value, (count, columns))
    factors: Any = sized(found[0].value, (rows, count)), sized(found[1].value, (count, columns))
    return linalg.QRResult(*factors)


@strategy(linalg.svd)
def _svd(
    function: Function, a: Any, full_matrices: bool = True, compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:  # fmt: skip
    """Rows and columns of zeros add singular values of 0, which come last, and zeros to the vectors
    of the others.  Where these values are 0 as well vectors mix, which is said."""
    x = as_array(a)
    if x.ndim != 2:
        raise OpError(NOT_SUPPORTED)
    rows, columns = true_size(x, 0), true_size(x, 1)
    count = smaller(rows, columns)
    full = linalg.matrix(Array(filled(x, (0, 1), 0).value))
    if not compute_uv:
        return sized(linalg.svdvals(full).value, (count,))
    if full_matrices and not (isinstance(rows, int) or isinstance(columns, int)):
        raise OpError(NOT_SUPPORTED)
    u, s, vt = linalg.svd(full, full_matrices)
    u = sized(u.value, (rows, rows if full_matrices else count))
    vt = sized(vt.value, (columns if full_matrices else count, columns))
    for vectors, axis in ((u, 0), (vt, 1)):
        _need_unit(vectors, axis)
    found: Any = u, sized(s.value, (count,)), vt
    return linalg.SVDResult(*found)


def _need_unit(vectors: Array, axis: int) -> None:
    """Say that the vectors along `axis` are of length 1."""
    known = Array(filled(vectors, (0, 1), 0).value)
    squares = reductions.sum(linalg.square_size(known), axis)
    there = Array(squares.value, (extents_of(vectors)[1 - axis],))
    others = Array(filled(there, (0,), 1).value) < 0.5
    words = "in compiled code, the vectors of singular values of 0 are not computed of a matrix "
    words += "whose size data decides"
    meet(weak(reductions.count_nonzero(others).value, int), 0, NotImplementedError, words)


@strategy(linalg.solve)
def _solve(function: Function, a: Any, b: Any) -> Array:
    x, full = _filled_up(a)
    y = as_array(b)
    if y.ndim not in (1, 2):
        raise OpError(NOT_SUPPORTED)
    kind = "(m,m),(m)->(m)" if y.ndim == 1 else "(m,m),(m,n)->(m,n)"
    name = "solve1" if y.ndim == 1 else "solve"
    words = f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
    words += f"signature {kind} (size "
    sizes = true_size(y, 0), " is different from ", true_size(x, 0), ")"
    _, y = _alike(x, 1, y, 0, ValueError, words, *sizes)
    if y.shape[0] != full.shape[0]:
        _, full = _filled_up(resized_to(resized_to(x, 0, y.shape[0]), 1, y.shape[0]))
    return bounded(function(full, Array(filled(y, (0,), 0).value)).value, extents_of(y))


@strategy(linalg.lstsq)
def _lstsq(function: Function, a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """Rows and columns of zeros change neither the rest of the solution, which is the shortest, nor
    the singular values that are not zero."""
    x, y = as_array(a), as_array(b)
    if x.ndim != 2 or y.ndim not in (1, 2) or (y.ndim == 2 and extents_of(y)[1] is not None):
        raise OpError(NOT_SUPPORTED)
    x, y = _alike(x, 0, y, 0, LinAlgError, "Incompatible dimensions")
    left, right = linalg.alike(
        linalg.matrix(Array(filled(x, (0, 1), 0).value)),
        linalg.inexact(Array(filled(y, (0,), 0).value)),
    )
    rows, columns = true_size(x, 0), true_size(x, 1)
    solution, residuals, rank, s = linalg.least_squares(left, right, rcond, rows, columns)
    solution = bounded(solution.value, (extents_of(x)[1], *[None] * (y.ndim - 1)))
    count = smaller(smaller(rows, columns), s.size)
    return solution, residuals, rank, s if isinstance(count, int) else bounded(s.value, (count,))


@strategy(linalg.polyfit)
def _polyfit(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Points of weight 0 change nothing."""
    given = named(function, args, kwargs)
    x, y, w = as_array(given.pop("x")), as_array(given.pop("y")), given.pop("w", None)
    weights = splat(1, np.dtype(np.float64), x.shape) if w is None else as_array(w).value
    if x.ndim != 1 or weights.type.ndim != 1:
        raise OpError(NOT_SUPPORTED)
    x, y = _alike(x, 0, y, 0, TypeError, "expected x and y to have same length")
    rows = true_size(x, 0)
    mask = resized_to(Array(weights), 0, x.size).value
    ones = filled(Array(mask, x.extents), (0,), 0)
    points, heights = [Array(filled(v, (0,), 0).value) for v in (x, y)]
    return linalg.fitted(points, heights, w=Array(ones.value), rows=rows, **given)
