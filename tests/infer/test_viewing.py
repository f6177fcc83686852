"""Programs that write through NumPy's views, compiled, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


@program
def transpose(x):
    y = x.T
    y[0] = 1
    return x


@program
def transpose_method(x):
    y = x.transpose(1, 0)
    y[0, 1] = 5
    return x


@program
def reshape(x):
    y = x.reshape(-1)
    y[3] = 7
    return x


@program
def reshape_that_copies(x):
    y = x.T.reshape(-1)
    y[3] = 7
    return x


@program
def ravel(x):
    y = x.ravel()
    y[3] = 7
    return x


@program
def ravel_that_copies(x):
    y = np.ravel(x.T)
    y[3] = 7
    return x


@program
def flatten(x):
    y = x.flatten()
    y[3] = 7
    return x


@program
def squeeze(x):
    y = np.squeeze(x[None])
    y[0] = 7
    return x


@program
def expand_dims(x):
    y = np.expand_dims(x, 1)
    y[0] = 7
    return x


@program
def swapaxes(x):
    y = np.swapaxes(x, 0, 1)
    y[0] = 7
    return x


@program
def moveaxis(x):
    y = np.moveaxis(x, 0, 1)
    y[0] = 7
    return x


@program
def split(x):
    a, b = np.split(x, 2)
    a[0] = 7
    b[1] = 3
    return x


@program
def array_split(x):
    a = np.array_split(x, 3, axis=1)
    a[0][0] = 7
    return x


@program
def diagonal(x):
    return x.diagonal()


@program
def fill_diagonal(x):
    np.fill_diagonal(x, 3)
    return x


@program
def atleast_2d(x):
    y = np.atleast_2d(x)
    y[0] = 4
    return x


@program
def atleast_3d(x):
    y = np.atleast_3d(x)
    y[0] = 4
    return x


@program
def flip(x):
    y = np.flip(x)
    y[0] = 4
    return x


@program
def flipud(x):
    y = np.flipud(x)
    y[0] = 4
    return x


@program
def fliplr(x):
    y = np.fliplr(x)
    y[0] = 4
    return x


@program
def rot90(x):
    y = np.rot90(x)
    y[0] = 4
    return x


@program
def real_and_imag(x):
    y = x + 1j * x
    y.real[0] = 4
    y.imag[1] += 2
    return y


@program
def flat_item(x):
    x.flat[3] = 4
    return x


@program
def flat_slice(x):
    x.flat[::3] = 4
    return x


@program
def broadcast_to(x):
    return np.broadcast_to(x, (2, 4, 4))


@program
def sliding_windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, (2, 2)).sum()


@program
def asarray(x):
    y = np.asarray(x)
    y[0] = 3
    return x


@program
def copy(x):
    y = x.copy()
    y[0] = 3
    return x


@program
def ellipsis(x):
    y = x[...]
    y[0] = 3
    return x


@program
def chain_of_views(x):
    y = x[1:].T[::-1][:, 1]
    y[:] = 3
    return x


@program
def hsplit(x):
    a, _ = np.hsplit(x, 2)
    a[:] = 1
    return x


@program
def view(x):
    y = x.view()
    y[0] = 1
    return x


@program
def view_as_integers(x):
    return x.view(np.int64)


@program
def iterate_rows(x):
    for row in x:
        row[0] = row[1] + 1
    return x


@program
def iterate_columns(x):
    for i, row in enumerate(x.T):
        row += i
    return x


@program
def zero_dimensional_view(x):
    y = x[0, 0, ...]
    y[...] = 9
    return x


@program
def reshape_of_rows(x):
    y = x[:2]
    y = y.reshape(4, 2)
    y[0] = 3
    return x


@program
def rollaxis(x):
    y = np.rollaxis(x, 1)
    y[0] = 4
    return x


@program
def matrix_transpose(x):
    y = x.mT
    y[0] = 4
    return x


@program
def unpack_rows(x):
    a, b, _, _ = x
    a[:] = b
    return x


@program
def fancy_copies(x):
    y = x[:, [0, 2]]
    y[:] = 1
    return x


@program
def put(x):
    np.put(x, [0, 5], [-1, -2])
    return x


@program
def open_mesh(x):
    x[np.ix_([0, 2], [1, 3])] = 0
    return x


@program
def take_along_axis(x):
    return np.take_along_axis(x, np.argsort(x, axis=1), axis=1)


@program
def take(x):
    return np.take(x, [0, 2], axis=1), x.take([1, 2])


@program
def add_at(x):
    np.add.at(x, ([0, 0], [1, 1]), 2.0)
    return x


@program
def copyto(x):
    np.copyto(x[1:], x[:-1].copy())
    return x


@program
def fill(x):
    x[1:3].fill(2)
    return x


@program
def sort_row(x):
    x[0].sort()
    return x


@program
def shifted_onto_itself(x):
    b = x[0] + 1
    b[1:] = b[:-1]
    return b[None]


@program
def shifted_within(x):
    x[1:, 1:] = x[:-1, :-1] + x[1:, :-1]
    return x


@program
def running(x):
    for i in range(1, 4):
        x[i, :] = 0.5 * x[i - 1, :] + x[i, ::-1]
    return x


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_views_as_numpy(function):
    given = np.arange(16.0).reshape(4, 4)[:, ::-1].copy()
    expected = given.copy()
    wanted = function(expected)
    found = pyxla.compile(function)(given)
    np.testing.assert_array_equal(given, expected)
    for x, y in zip(_parts(found), _parts(wanted), strict=True):
        assert (np.shape(x), np.asarray(x).dtype) == (np.shape(y), np.asarray(y).dtype)
        np.testing.assert_array_equal(x, y)


def _parts(x):
    return x if isinstance(x, tuple) else (x,)
