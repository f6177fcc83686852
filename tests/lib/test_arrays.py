"""Creation, rearranging, products, selection, sorting, numerics: rows of calls against NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyxla
from pyxla.ir.op import OpError
from pyxla.lib.registry import LIBRARY
from pyxla.lib.selection import WHERE_WRAPS
from tests.lib.compare import check, sample, with_nan
from tests.lib.harness import Dynamic, run

pytestmark = pytest.mark.filterwarnings("ignore")

X = sample("f8", 3, 4)
Y = sample("f8", 4, 5)
V = sample("f8", 6)
I = sample("i4", 3, 4)  # noqa: E741
C = sample("c16", 3, 4)
S = sample("f4", 2, 3, 4)
B = sample("?", 3, 4)
N = with_nan(X)
BYTES = sample("u1", 2, 16)
ZERO = np.zeros((0, 3))
D = Dynamic


def row(function, *args, **kwargs):
    return pytest.param(function, args, kwargs, id=f"{function.__name__}-{len(args)}-{kwargs}"[:60])


CREATION = [
    row(np.zeros, (2, 3)),
    row(np.zeros, 3, np.int8),
    row(np.ones, (2,), dtype=bool),
    row(np.ones, ()),
    row(np.full, (2, 3), 7),
    row(np.full, 2, D(1.5)),
    row(np.full, (2, 2), np.arange(2), dtype="f4"),
    row(np.zeros_like, I),
    row(np.ones_like, C),
    row(np.full_like, I, 2.7),
    row(np.zeros_like, X, shape=(2,)),
    row(np.array, [[1, 2], [3, 4]]),
    row(np.array, [D(1), 2.5]),
    row(np.array, [V, V]),
    row(np.array, [np.float32(1), 2], dtype=None),
    row(np.array, [[D(1.0), 2], [3, D(4)]]),
    row(np.array, V, ndmin=3),
    row(np.asarray, [np.int8(1), np.int16(2)]),
    row(np.asarray, 3.5, np.float32),
    row(np.array, [True, D(False)]),
    row(np.arange, 5),
    row(np.arange, 2, 10, 3),
    row(np.arange, 0.0, 1.0, 0.1),
    row(np.arange, 5, dtype="f4"),
    row(np.arange, 10, 0, -2),
    row(np.arange, 3, 1),
    row(np.arange, 1.5),
    row(np.linspace, 0, 1),
    row(np.linspace, 0.0, 1.0, 7, endpoint=False),
    row(np.linspace, D(1.0), D(2.0), 4),
    row(np.linspace, 0, 10, 5, dtype=int),
    row(np.linspace, V[:2], V[2:4], 3, axis=1),
    row(np.linspace, 0, 1, 3, retstep=True),
    row(np.logspace, 0, 2, 5),
    row(np.logspace, 0, 3, 4, base=2.0),
    row(np.geomspace, 1.0, 1000.0, 4),
    row(np.geomspace, -1.0, -8.0, 4),
    row(np.geomspace, np.float32(1), np.float32(8), 4),
    row(np.geomspace, 1, np.float32(8), 4, dtype=np.float32),
    row(np.eye, 3),
    row(np.eye, 3, 4, 1),
    row(np.eye, 3, k=-1, dtype=np.int32),
    row(np.identity, 2),
    row(np.tri, 3, 4, 1),
    row(np.tril, X),
    row(np.triu, X, 1),
    row(np.tril, S, -1),
    row(np.diag, V),
    row(np.diag, V, -2),
    row(np.diag, X, 1),
    row(np.diagflat, X),
    row(np.diagonal, S, 1, 1, 2),
    row(np.diagonal, S, -1),
    row(np.vander, V, 3),
    row(np.vander, V[:3], increasing=True),
    row(np.meshgrid, V[:2], V[2:5]),
    row(np.meshgrid, V[:2], V[2:5], indexing="ij", sparse=True),
    row(np.indices, (2, 3)),
    row(np.indices, (2, 3), sparse=True),
    row(np.ix_, np.arange(2), np.arange(3)),
    row(np.tril_indices, 3, -1),
    row(np.diag_indices, 3),
    row(np.hanning, 5),
    row(np.kaiser, 7, 8.6),
    row(np.kaiser, 7, D(2.0)),
    row(np.copy, X),
    row(np.ascontiguousarray, np.float64(2)),
    row(np.triu_indices_from, X),
    row(np.empty, (0, 2)),
]
REARRANGING = [
    row(np.reshape, X, (2, -1)),
    row(np.reshape, X, 12),
    row(np.reshape, X, (4, 3), order="F"),
    row(np.ravel, X),
    row(np.ravel, X, order="F"),
    row(np.ravel, ZERO),
    row(np.transpose, S),
    row(np.transpose, S, (1, 0, 2)),
    row(np.swapaxes, S, 0, 2),
    row(np.moveaxis, S, 0, -1),
    row(np.moveaxis, S, (0, 1), (-1, 0)),
    row(np.rollaxis, S, 2),
    row(np.rollaxis, S, 0, 3),
    row(np.squeeze, S[:1]),
    row(np.squeeze, S[:1], 0),
    row(np.expand_dims, X, 1),
    row(np.expand_dims, X, (0, -1)),
    row(np.atleast_1d, np.float64(1)),
    row(np.atleast_2d, V),
    row(np.atleast_3d, X, V),
    row(np.broadcast_to, V, (2, 6)),
    row(np.broadcast_arrays, X, V[:4]),
    row(np.matrix_transpose, S),
    row(np.concatenate, (X, I)),
    row(np.concatenate, (X, X), axis=1),
    row(np.concatenate, (X, V), axis=None),
    row(np.concatenate, (I, B)),
    row(np.stack, (X, X), axis=-1),
    row(np.stack, [V, V]),
    row(np.vstack, (V, V)),
    row(np.hstack, (V, V)),
    row(np.hstack, (X, X)),
    row(np.dstack, (V, V)),
    row(np.dstack, (X, X)),
    row(np.dstack, (S, S)),
    row(np.column_stack, (V, V)),
    row(np.block, [[X, X], [X, X]]),
    row(np.block, [V, V]),
    row(np.append, X, V),
    row(np.append, X, X, axis=1),
    row(np.split, V, 3),
    row(np.split, X, [1, 2]),
    row(np.array_split, V, 4),
    row(np.hsplit, X, 2),
    row(np.vsplit, X, 3),
    row(np.unstack, X, axis=1),
    row(np.tile, X, 2),
    row(np.tile, V, (2, 3)),
    row(np.tile, S, (2, 1)),
    row(np.repeat, X, 2),
    row(np.repeat, X, 3, axis=1),
    row(np.repeat, X, [1, 0, 2], axis=0),
    row(np.flip, X),
    row(np.flip, S, 1),
    row(np.flipud, X),
    row(np.fliplr, X),
    row(np.rot90, X),
    row(np.rot90, X, 2),
    row(np.rot90, S, -1, (1, 2)),
    row(np.roll, X, 2),
    row(np.roll, X, -1, axis=1),
    row(np.roll, X, (1, 2), axis=(0, 1)),
    row(np.roll, V, D(2)),
    row(np.roll, V, D(-8)),
    row(np.resize, V, (4, 4)),
    row(np.delete, V, 2),
    row(np.delete, X, [0, 2], axis=1),
    row(np.delete, X, slice(0, 2), axis=0),
    row(np.insert, V, 2, 9.0),
    row(np.insert, X, 1, 5, axis=1),
    row(np.insert, V, [1, 3], [7.0, 8.0]),
    row(np.insert, X, 1, X[:, :2].T, axis=1),
    row(np.insert, V, 1, [7.0, 8.0]),
    row(np.astype, X, np.int32),
    row(np.astype, C, np.float64),
    row(np.astype, X, bool),
    row(np.astype, C, bool),
    row(np.real, C),
    row(np.imag, X),
    row(np.real, X),
    row(np.shape, X),
    row(np.ndim, S),
    row(np.size, S, 1),
    row(np.iscomplexobj, C),
    row(np.pad, X, 1),
    row(np.pad, X, ((1, 2), (0, 3)), constant_values=5),
    row(np.pad, V, (2, 1), "constant", constant_values=(1, 2)),
    row(np.pad, X, 2, "edge"),
    row(np.pad, X, ((1, 2), (3, 2)), "reflect"),
    row(np.pad, X, 2, "symmetric"),
    row(np.pad, X, 5, "wrap"),
    row(np.pad, V, 9, "reflect"),
    row(np.pad, V, 3, "reflect", reflect_type="odd"),
    row(np.pad, X, 2, "linear_ramp", end_values=3),
    row(np.pad, X, 2, "maximum"),
    row(np.pad, I, 2, "mean"),
    row(np.pad, X, ((1, 1), (2, 2)), "median", stat_length=2),
    row(np.pad, X, {1: 2}),
]
W = sample("f8", 2, 4, 5)
PRODUCTS = [
    row(np.matmul, X, Y),
    row(np.matmul, V, V),
    row(np.matmul, X, Y[:, 0]),
    row(np.matmul, X[0], Y),
    row(np.matmul, S, Y),
    row(np.matmul, S, W),
    row(np.matmul, X, W),
    row(np.matmul, X[0], W),
    row(np.matmul, I, I.T),
    row(np.matmul, B, B.T),
    row(np.matmul, C, Y),
    row(np.dot, X, Y),
    row(np.dot, S, W),
    row(np.dot, X, 2.0),
    row(np.dot, V, V),
    row(np.inner, S, X),
    row(np.vdot, C, C),
    row(np.outer, X, V),
    row(np.tensordot, S, Y, 1),
    row(np.tensordot, S, W, ([0, 2], [0, 1])),
    row(np.vecdot, C, C),
    row(np.vecdot, S, X, axis=-1),
    row(np.matvec, S, X[0]),
    row(np.vecmat, C[:, 0], C),
    row(np.kron, X, V),
    row(np.kron, X, Y),
    row(np.cross, X[:, :3], X[:, 1:]),
    row(np.cross, X[:, :3], V[:3]),
    row(np.cross, S, S, axis=1),
    row(np.cross, X[:, :3], V[:3], axisc=0),
    row(np.trace, X),
    row(np.trace, S, 1, 1, 2),
    row(np.trace, I),
    row(np.convolve, V, V[:3]),
    row(np.convolve, V[:2], V, "same"),
    row(np.convolve, V, V[:3], "valid"),
    row(np.correlate, V, V[:3]),
    row(np.correlate, V[:2], V, "full"),
    row(np.correlate, C[0], C[1, :2], "same"),
    row(np.convolve, I[0], I[1]),
    row(np.convolve, np.arange(30.0), np.arange(12.0)),
    row(np.einsum, "ij,jk->ik", X, Y),
    row(np.einsum, "ij,jk", X, Y),
    row(np.einsum, "ii", X[:, :3]),
    row(np.einsum, "ii->i", X[:, :3]),
    row(np.einsum, "ij->ji", X),
    row(np.einsum, "ij->", X),
    row(np.einsum, "...j,jk->...k", S, Y),
    row(np.einsum, "bij,bjk->bik", S, W),
    row(np.einsum, "i,j->ij", V, V),
    row(np.einsum, "ij,jk,kl->il", X, Y, Y.T),
    row(np.einsum, "ij,ij->i", X, X),
    row(np.einsum, "ij,kj,lj->ikl", X, X, X),
    row(np.einsum, "i,i,i->", V, V, V),
    row(np.einsum, X, [0, 1], Y, [1, 2], [0, 2]),
    row(np.einsum, "...,...->...", X, X),
    row(np.einsum, "ij,j->ij", I, I[0]),
    row(np.einsum, "aij,ajk->ik", S, W),
    row(np.einsum, "ij,ij", X[:1], X),
    row(np.einsum, "ijj->i", sample("f8", 2, 3, 3)),
    row(np.einsum, "ij,jk", B, B.T),
    row(np.einsum, "i,->i", V, np.float64(3)),
]
SELECTION = [
    row(np.where, B, X, I),
    row(np.where, B, 1, 2.5),
    row(np.where, X > 0, S[0], 1.5),
    row(np.where, D(True), V, 0),
    *[row(np.where, B, BYTES[0, :4], n) for n in (-1, 300) if WHERE_WRAPS],
    row(np.astype, -X, np.uint8),
    row(np.astype, -X, np.uint64),
    row(np.astype, -X * 100, np.int8),
    row(np.select, [X > 1, X > 0], [X, -X], 9.0),
    row(np.select, [B], [I]),
    row(np.piecewise, V, [V < 0, V >= 0], [-1.0, 1.0]),
    row(np.choose, np.array([0, 1, 1]), [V[:3], I[0, :3]]),
    row(np.choose, np.array([0, 5]), [V[:2], V[2:4]], mode="clip"),
    row(np.clip, X, -1, 1),
    row(np.clip, I, None, 2),
    row(np.clip, I, 0.5, 2),
    row(np.clip, X, X[0], X[1]),
    row(np.clip, I.astype("u1"), -5, 300),
    row(np.clip, N, 0, 1),
    row(np.clip, S, 0, D(2.0)),
    row(np.take, X, [0, -1, 5]),
    row(np.take, X, np.array([[0, 1], [1, 2]]), axis=1),
    row(np.take, X, np.int64(1), axis=0),
    row(np.take, V, [7, -9], mode="wrap"),
    row(np.take, V, [7, -9], mode="clip"),
    row(np.take_along_axis, X, np.argsort(X, 1), 1),
    row(np.take_along_axis, X, np.array([[-1, 0, 1, 2]]), 0),
    row(np.take_along_axis, X, np.array([3, 1]), None),
    row(np.take_along_axis, S, np.zeros((2, 1, 4), int), 1),
    row(np.take_along_axis, ZERO, np.zeros((0, 3), int), 0),
    row(np.take_along_axis, ZERO, np.zeros((0, 2), int), 1),
    row(np.take_along_axis, X, np.zeros((0, 4), int), 0),
    row(np.take_along_axis, ZERO, np.zeros(0, int), None),
    row(np.unravel_index, np.array([5, 7]), (3, 4)),
    row(np.unravel_index, np.array([5, 7]), (3, 4), order="F"),
    row(np.ravel_multi_index, (np.array([1, 2]), np.array([0, 3])), (3, 4)),
    row(np.ravel_multi_index, (np.array([1, 5]), np.array([0, 3])), (3, 4), mode="clip", order="F"),
    row(np.isin, I, [1, 2]),
    row(np.isin, V, V[:2], invert=True),
    row(np.isclose, X, X + 1e-9),
    row(np.isclose, N, N, equal_nan=True),
    row(np.isclose, np.array([np.inf, 1.0]), np.array([np.inf, np.inf])),
    row(np.allclose, X, X),
    row(np.array_equal, X, X),
    row(np.array_equal, N, N, equal_nan=True),
    row(np.array_equal, X, V),
    row(np.array_equiv, X, X[:1]),
    row(np.isreal, C),
    row(np.iscomplex, C),
    row(np.isreal, X),
    row(np.isposinf, np.array([np.inf, -np.inf])),
    row(np.isneginf, np.array([np.inf, -np.inf])),
    row(np.nan_to_num, np.array([np.nan, np.inf, -np.inf, 1.0])),
    row(np.nan_to_num, N, nan=5.0),
    row(np.nan_to_num, I),
    row(np.nan_to_num, with_nan(C)),
]
SORTING = [
    row(np.sort, X),
    row(np.sort, X, axis=0),
    row(np.sort, X, axis=None),
    row(np.sort, N),
    row(np.sort, I),
    row(np.sort, C),
    row(np.sort, B),
    row(np.argsort, X, kind="stable"),
    row(np.argsort, N, axis=0, kind="stable"),
    row(np.argsort, I, axis=None, kind="stable"),
    row(np.lexsort, (X[0], X[1])),
    row(np.lexsort, (I, X), axis=0),
    row(np.sort_complex, V),
    row(np.searchsorted, np.sort(V), V),
    row(np.searchsorted, np.sort(V), V, side="right"),
    row(np.searchsorted, np.arange(100.0), X * 20),
    row(np.searchsorted, np.arange(100), 40, side="right"),
    row(np.searchsorted, V, 0.5, sorter=np.argsort(V)),
    row(np.searchsorted, np.array([1.0, 2.0, np.nan]), np.array([np.nan, 1.5])),
    row(np.digitize, V, np.array([-1.0, 0.0, 1.0])),
    row(np.digitize, V, np.array([1.0, 0.0, -1.0]), right=True),
    row(np.interp, V, np.array([-2.0, 0.0, 1.0]), np.array([1.0, 5.0, 2.0])),
    row(np.interp, V, np.array([-2.0, 0.0, 1.0]), np.array([1.0, 5.0, 2.0]), left=-9.0, right=9.0),
    row(np.interp, 0.5, np.array([0.0, 1.0]), np.array([0.0, 1.0 + 2j])),
    row(np.interp, V * 50, np.array([10.0, 100.0, 200.0]), np.array([1.0, 5.0, 2.0]), period=360),
    row(np.interp, np.array([np.nan, 1.0]), np.array([1.0]), np.array([3.0])),
    row(np.interp, np.linspace(-1, 60, 50), np.arange(50.0), np.arange(50.0) ** 2),
]
NUMERIC = [
    row(np.round, X, 1),
    row(np.round, C * 1.37, 1),
    row(np.round, I, -1),
    row(np.around, X * 7.77),
    row(np.fix, X),
    row(np.angle, C),
    row(np.angle, X, deg=True),
    row(np.sinc, X),
    row(np.i0, np.array([0.0, 1.0, -5.0, 19.0, 25.0, 80.0])),
    row(np.unwrap, V * 3),
    row(np.unwrap, X * 3, axis=0),
    row(np.unwrap, I, period=3),
    row(np.gradient, V),
    row(np.gradient, X),
    row(np.gradient, X, 2.0, 0.5),
    row(np.gradient, X, axis=1, edge_order=2),
    row(np.gradient, V, np.array([0.0, 1.0, 3.0, 4.0, 7.0, 9.0])),
    row(np.gradient, V, np.array([0.0, 1.0, 3.0, 4.0, 7.0, 9.0]), edge_order=2),
    row(np.gradient, I[0]),
    row(np.trapezoid, V),
    row(np.trapezoid, X, dx=0.5),
    row(np.trapezoid, X, np.array([0.0, 1.0, 3.0, 4.0]), axis=1),
    row(np.trapezoid, X, X, axis=0),
    row(np.polyval, [1.0, 2.0, 3.0], V),
    row(np.polyval, V, 2),
    row(np.polyval, I[0], I[1]),
    row(np.polyadd, V, V[:2]),
    row(np.polysub, [1, 2], V),
    row(np.polyder, V),
    row(np.polyint, V),
    row(np.polyint, V, 2, [1.0, 2.0]),
]
SCALARS = [
    row(np.float32, X),
    row(np.int8, D(300.7 - 256)),
    row(np.bool_, V),
    row(np.complex64, D(1.5)),
    row(np.float64, D(2)),
    row(np.ndarray.tolist, X),
    row(np.ndarray.tolist, np.array(2, np.float32)),
    row(np.unpackbits, BYTES),
    row(np.unpackbits, BYTES, axis=0, bitorder="little"),
    row(np.packbits, BYTES),
    row(np.packbits, BYTES, axis=1),
    row(np.packbits, B, axis=0, bitorder="little"),
    row(np.poly, V),
]


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [*CREATION, *REARRANGING, *PRODUCTS, *SELECTION, *SORTING, *NUMERIC, *SCALARS],
)
def test_row(function, args, kwargs) -> None:
    check(function, *args, loose=512, **kwargs)


def test_dynamic_arange() -> None:
    n = Dynamic(4)
    arange = LIBRARY[np.arange]
    got = run(lambda i: arange(i, i + 3), n)
    np.testing.assert_array_equal(got, [4, 5, 6])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.reshape, (X, (5, 5))),
        (np.concatenate, ((X, V),)),
        (np.matmul, (X, X)),
        (np.einsum, ("ij,jk", X, X)),
        (np.stack, ((X, V),)),
        (np.broadcast_to, (X, (2, 2))),
        (np.squeeze, (X, 0)),
        (np.linalg.inv, (X,)),
        (np.moveaxis, (X, 5, 0)),
        (np.trace, (V,)),
        (np.linalg.eig, (X,)),
        (np.array, ([V, X],)),
    ],
)
def test_refused(function, args) -> None:
    with pytest.raises(OpError):
        run(LIBRARY[function], *args)


def test_einsum_of_an_array_with_itself() -> None:
    einsum = LIBRARY[np.einsum]
    for subscripts in ("i,i", "i,i->i", "i,j->ij"):
        got = run(lambda x, s=subscripts: einsum(s, x, x), V)
        np.testing.assert_allclose(got, np.einsum(subscripts, V, V))


def test_joining_by_indexing() -> None:
    join = LIBRARY[type(np.r_).__getitem__]
    for key in ((V, 0, V[::-1]), (slice(0, 3), 1.5), (slice(0, 1, 5j), V), (X, X[:1]), [1, 2]):
        got = run(join, np.r_, key)
        np.testing.assert_array_equal(got, np.r_[key])
    for key in ((V, V), (X, V[:3]), (X, np.ones((3, 2)))):
        np.testing.assert_array_equal(run(join, np.c_, key), np.c_[key])


def test_questions_about_dtypes() -> None:
    check(np.issubdtype, np.dtype("f4"), np.floating)
    check(np.promote_types, np.dtype("f4"), np.int32)
    assert run(LIBRARY[np.can_cast], X, np.float32) is False


def test_apply_along_axis() -> None:
    apply = LIBRARY[np.apply_along_axis]
    cumsum = LIBRARY[np.cumsum]
    for axis in (0, 1, 2):
        got = run(lambda x, axis=axis: apply(cumsum, axis, x), S)
        np.testing.assert_array_equal(got, np.apply_along_axis(np.cumsum, axis, S))


def test_methods_take_the_array_first() -> None:
    for name, args in {
        "sum": (1,),
        "mean": (),
        "reshape": (4, 3),
        "transpose": (1, 0),
        "astype": (np.int32,),
        "dot": (Y,),
        "argmax": (0,),
        "clip": (-1, 1),
        "round": (1,),
        "take": ([1, 2],),
        "cumsum": (0,),
        "repeat": (2,),
        "conj": (),
        "flatten": (),
        "squeeze": (),
        "diagonal": (),
        "trace": (),
        "std": (),
        "ptp": (),
        "searchsorted": (0.5,),
        "view": (np.int64,),
    }.items():
        method = getattr(np.ndarray, name, None)
        if method is None:
            continue
        x = np.sort(V) if name == "searchsorted" else X
        check(method, x, *args)


def test_constant_is_not_stored_for_a_range() -> None:
    assert math.isclose(run(LIBRARY[np.arange], 10**6)[-1], 10**6 - 1)


def one_product(a, b):
    return (
        *(a @ b, a[:, None] @ b[None], np.vecdot(a, b), np.matvec(a[None], b), np.dot(a, b)),
        *(np.einsum("i,j->ij", a, b), np.einsum("i,i->i", a, b), np.einsum("i,i", a, b)),
        *(np.einsum("i,j,k->kij", a, b, b), np.tensordot(a, b, 0), np.inner(a, b)),
    )


@pytest.mark.parametrize("count", [1, 2])
def test_a_product_added_to_zero_is_not_negative_zero(count):
    a, b = np.full(count, -0.0), np.full(count, 1.0)
    for got, expected in zip(pyxla.compile(one_product)(a, b), one_product(a, b), strict=True):
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))
