"""Arrays of objects that start as None, which arrays or numbers take the place of."""

from __future__ import annotations

import copy

import numpy as np

from tests.programs import program


class Filter:
    def __init__(self, n):
        self.x = np.zeros(n)
        self.z = np.array([[None] * n]).T
        self.z_post = np.array([None] * n)

    def update(self, z):
        if z is None:
            self.z = np.array([[None] * len(self.x)]).T
            return
        self.x = self.x + 0.5 * (z - self.x)
        self.z = copy.deepcopy(z)


@program("arrays", lambda: (np.arange(6.0).reshape(3, 2),), lambda: (np.ones((1, 2)),))
def placeholders(zs):
    """What a name holds until there is a measurement, and where one is missing."""
    f = Filter(2)
    for i, z in enumerate(zs):
        f.update(None if i % 3 == 1 else z)
    return f.x, f.z, f.z_post, Filter(3)


@program("arrays", lambda: (3, 2.5), lambda: (1, -1.0))
def items_of_several_kinds(n, x):
    cells = np.empty(n, dtype=object)
    for i in range(n):
        cells[i] = np.arange(i + 1.0) * x
    grid = np.full((2, n), None)
    row, column = grid[1], grid.T
    row[0] = x
    grid[0, -1] = n
    same = copy.deepcopy(grid)
    same[1, 0] = None
    empty = [c is None for c in np.full(3, None)], column[0, 1], column.shape, grid.T.tolist()
    about = cells.shape, grid.ndim, grid.size, len(grid), grid.dtype, isinstance(grid, np.ndarray)
    listed = list(cells), grid.tolist(), same.tolist(), row.copy().tolist()
    return listed, cells[-1].sum(), empty, about


def as_column(z, n):
    z = np.atleast_2d(z)
    return z.T if z.shape[1] == n else z


@program("arrays", lambda: (np.arange(6.0).reshape(3, 2),))
def numpys_functions_of_placeholders(zs):
    """What stands for a measurement is given the shape of one, and copied, as that is."""
    z, x = as_column(np.array([None] * 2), 2), np.zeros((2, 1))
    first, row = np.copy(z), np.array([None] * 2)
    for one in zs:
        z = as_column(one, 2)
        x = 0.5 * (x + z)
    same, grid, other = np.asarray(row), np.atleast_2d(row), np.array(row)
    grid[0, 1], other[0] = x[0, 0], 3
    about = np.shape(first), np.ndim(first), same is row, np.transpose(grid).shape
    return x, z, first, row, grid, other, about


@program("arrays", lambda: (3,), lambda: (-4,), lambda: (1,))
def places_that_are_none(i):
    cells = np.full(3, None)
    cells[i] = i
    return cells, bool(np.array([None]))


@program("arrays", lambda: (2.0,))
def written_while_read(x):
    """Items are read when their turn comes."""
    a = np.array([None] * 3)
    found = []
    for i, v in enumerate(a):
        found.append(v)
        if i < 2:
            a[i + 1] = i * x
    for v in a:
        a[2] = 7
        found.append(v)
    for v, w in zip(a, range(3)):
        a[2] = [w]
        found.append(v)
    rest = iter(a)
    next(rest)
    a[1] = "late"
    found.append(list(rest))
    for row in (grid := np.full((2, 2), None)):
        grid[1, 0] = x
        found.append(row[0])
    return found, a, grid
