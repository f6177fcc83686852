"""Arrays whose sizes data decides, as items of lists, fields of instances and values of dicts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs import program


def ints() -> tuple[np.ndarray]:
    return (np.array([3, 0, 2, 5, 1, 4, 2]),)


def few() -> tuple[np.ndarray]:
    return (np.array([1]),)


def points() -> tuple[np.ndarray]:
    return (np.array([[0.0, 1], [1, 0], [5, 5], [5, 6], [9, 9], [1, 1]]),)


@program("list array", ints, few)
def smaller_ones(x: np.ndarray) -> Any:
    """A list that a loop makes, of arrays and of tuples with one."""
    out, pairs = [], [(0, x[x > 2])]
    for v in x:
        out.append(x[x < v])
        if v % 2:
            pairs.append((v, x[x >= v]))
    return out, pairs, sum(len(a) for a in out), max(out, key=len)


@program("list array", points)
def rows_near(p: np.ndarray) -> Any:
    """Matrices of which data decides the number of rows."""
    near = []
    for i in range(len(p)):
        near.append(p[np.abs(p - p[i]).sum(axis=1) < 3])
    return [n.mean(axis=0) for n in near], near[0].shape, np.concatenate(near), np.vstack(near)


@program("list array while", ints, few)
def halves(x: np.ndarray) -> Any:
    """Parts of an array wait in a list."""
    waiting, sums = [x], []
    while waiting:
        part = waiting.pop(0)
        if len(part) <= 2:
            sums.append(part.sum())
        else:
            middle = len(part) // 2
            waiting.append(part[:middle])
            waiting.append(part[middle:])
    return sums


@program("list array stack", ints, few)
def below_the_last(x: np.ndarray) -> Any:
    """A stack of numbers with arrays, over which a loop goes while it gets longer."""
    stack, total = [(x[-1], x[x % 2 == 0])], 0
    while stack:
        depth, own = stack.pop()
        for v in own:
            total += v + depth
            if v > 2:
                stack.append((v - 1, x[x < v]))
    return total


@program("list array mutation", ints, few)
def written_in_lists(x: np.ndarray) -> Any:
    """Items are written in place, and replaced by arrays of other sizes."""
    out = [x[x > 0]]
    for v in x:
        if v % 2:
            out.append(x[x < v])
    for own in out:
        own += 1
    out[0][:1] = 100
    for i in range(len(out)):
        out[i] = out[i][1:] * 2
    return out, x


@program("list array", ints, few)
def by_remainder(x: np.ndarray) -> Any:
    """Arrays that get longer, in a list that data indexes."""
    groups = [np.array([], dtype=x.dtype) for _ in range(3)]
    for v in x:
        groups[v % 3] = np.append(groups[v % 3], v)
    return groups


@program("list array", ints, few)
def ascents(x: np.ndarray) -> Any:
    """Arrays that get longer in a variable, and begin anew where they went into a list."""
    best, found = np.array([], dtype=x.dtype), []
    for v in x:
        best = np.append(best, v)
        if best.sum() > 4:
            found.append(best)
            best = np.array([], dtype=x.dtype)
    return found, best


@program("list array sort", ints, few)
def sorted_by_length(x: np.ndarray) -> Any:
    parts = [x[x < v] for v in x if v % 2 == 0]
    parts.sort(key=len)
    heaviest = sorted(parts, key=lambda a: -a.sum())
    parts.reverse()
    return parts, heaviest


@program("list array optional", ints, few)
def some_missing(x: np.ndarray) -> Any:
    parts = []
    for v in x:
        parts.append(x[x < v] if v % 2 else None)
    return [0 if p is None else len(p) for p in parts]


@program("list array recursion", ints, few)
def quicksort(x: np.ndarray) -> Any:
    """The parts of arrays are arguments and results of calls as deep as data says."""

    def ordered(a):
        if len(a) <= 1:
            return a
        pivot = a[len(a) // 2]
        return np.concatenate([ordered(a[a < pivot]), a[a == pivot], ordered(a[a > pivot])])

    return ordered(x)


@program("list array recursion", points)
def clusters(p: np.ndarray) -> Any:
    """Groups of neighbours: arrays of numbers of rows, in open calls."""
    seen, found = [], []

    def neighbours(i):
        own = []
        for j in range(len(p)):
            if j != i and np.abs(p[i] - p[j]).sum() < 3:
                own.append(j)
        return np.array(own)

    def expanded(i, around):
        own = [i]
        for j in around:
            if j not in seen:
                seen.append(j)
                further = neighbours(j)
                if len(further) >= 2:
                    own = own + expanded(j, further)
                else:
                    own.append(j)
        return own

    for i in range(len(p)):
        if i in seen:
            continue
        around = neighbours(i)
        if len(around) >= 1:
            seen.append(i)
            found.append(expanded(i, around))
    labels = np.full(len(p), len(found))
    for number, own in enumerate(found):
        for i in own:
            labels[i] = number
    return labels


@dataclass
class Group:
    members: np.ndarray
    center: float


@program("class list array", ints, few)
def groups_of_members(x: np.ndarray) -> Any:
    groups = []
    for v in x:
        if v > 0:
            below = np.where(x < v)[0]
            groups.append(Group(below, float(below.sum())))
    for g in groups:
        g.members = g.members[g.members > 0]
    return [len(g.members) for g in groups], sum(g.center for g in groups)


@program("dict list array", ints)
def by_key(x: np.ndarray) -> Any:
    """Arrays in a dict whose keys data makes."""
    known = {}
    for v in x:
        known[v] = np.nonzero(x <= v)[0]
    return {k: len(a) for k, a in known.items()}, known[x[0]]


@program("list array exception", ints, few)
def as_one_array(x: np.ndarray) -> Any:
    """Arrays of one size, and of several, become an array or do not."""
    alike, others = [], []
    for v in x:
        alike.append(x[x < x.max()] * v)
        others.append(x[x < v])
    try:
        whole = np.array(others).shape
    except ValueError as e:
        whole = str(e)
    masks = [x < v for v in x]
    return np.array(alike), np.stack(alike).sum(), whole, np.logical_or.reduce(masks)


@program("array optional checks", points, lambda: (-points()[0],), lambda: (points()[0][:0],))
def compared_with_none(p: np.ndarray) -> Any:
    """None beside an array is a mistake unless the array is empty."""
    limit, some = None, p[p[:, 0] > 2]
    for row in some:
        if row[1] > 5:
            limit = row[0]
    try:
        below = np.argwhere(p[:, 0] <= limit).flatten()
    except TypeError as e:
        below = str(e)
    try:
        above = (None < some[:, 0]).sum()
    except TypeError as e:
        above = str(e)
    return below, above, len(some)


@program("list array exception", ints, few, lambda: (np.arange(60) * 7 % 23,))
def joined(x: np.ndarray) -> Any:
    """Arrays of several sizes, one after the other."""
    rows = np.stack([x, x * 2], axis=1)
    flat, tables, none = [], [], []
    for v in x:
        flat.append(x[x <= v])
        tables.append(rows[x <= v])
        if v > 100:
            none.append(x[x < v] * 0.5)
    try:
        nothing = np.concatenate(none)
    except ValueError as e:
        nothing = str(e)
    try:
        top = max(flat)
    except ValueError as e:
        top = str(e)
    return np.concatenate(flat), np.hstack(flat[:3]), np.vstack(tables), nothing, top


@program("array exception", *[lambda k=k: (np.arange(5), k) for k in (-1, 0, 1, 3)])
def truth_of(x: np.ndarray, k: int) -> Any:
    try:
        return "some" if x[x < k] else "none"
    except ValueError as e:
        return str(e)


@program("squeeze", *[lambda n=n: (np.arange(5.0) - n,) for n in (3, 2, 1)])
def squeezed_by_size(x):
    found = x[x > 0]
    row = found.reshape(-1, 1)
    if len(found) == 1:
        return np.squeeze(row) + 1, found.squeeze()
    if row.shape[0] > 2:
        return np.squeeze(row), found
    return row.squeeze(1)


def _rows(*kept):
    return lambda: (np.arange(1.0, 9.0).reshape(4, 2), np.array(kept, bool))


@program("one row for many", _rows(1, 0, 1, 1), _rows(0, 1, 0, 0), _rows(0, 0, 0, 0))
def one_row_in_the_place_of_many(x, kept):
    """What is assigned has one row or none, which may be known by its bound alone."""
    rows, told = x[kept], ""
    one = rows[:1]
    like, full, tail = np.zeros(rows.shape), np.ones((4, 2)), np.zeros(4)
    like[:] = one
    try:
        full[:] = one
        full[2:, 0] = one[:, 1]
        np.copyto(tail, one[:, 0], where=tail < 1)
        full[[0, 2]] = 2 * one
    except ValueError as error:
        told = str(error)
    return like, full, tail, told


@program("arange of what constants give", lambda: (0.5,), lambda: (3.0,))
def stations_along_a_path(step):
    """The length is computed of numbers in the code, and is none itself."""
    x, y, length = [0.0, 10.0, 12.5, 20.0], [0.0, -6.0, 5.0, 6.5], [0]
    length.extend(np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    at = list(np.arange(0, length[-1], step))
    turns = int(np.sum(np.sqrt(np.array(x)))) - 8
    return at, [math.sin(s) for s in at], np.eye(3, k=turns), np.arange(turns)


def predicted_and_corrected(x, p, z, dt):
    f = np.array([[1.0, dt, 0.0], [0.0, 1.0, dt], [0.0, 0.0, 0.9]])
    h = np.array([[1.0, 0.0, 0.0], [0.0, math.cos(x[2, 0]), math.sin(x[2, 0])]])
    x, p = f @ x, f @ p @ f.T + np.diag([0.1, 0.2, 0.3])
    s = h @ p @ h.T + np.eye(2) * 0.5
    k = p @ h.T @ np.linalg.inv(s)
    return x + k @ (z - h @ x), (np.eye(3) - k @ h) @ p


@program("arrays that grow in loops", lambda: (300, 0.1))
def kept_estimates(n, dt):
    """All columns are kept: visited one by one, so many iterations would be much code."""
    x, p = np.zeros((3, 1)), np.eye(3)
    kept, seen = x, np.zeros((2, 1))
    for i in range(n):
        z = np.array([[math.sin(i * dt)], [math.cos(i * dt)]])
        x, p = predicted_and_corrected(x, p, z, dt)
        kept, seen = np.hstack((kept, x)), np.hstack((seen, z))
    return kept, seen, p


@program("sizes that powers and shifts of constants are", lambda: (np.arange(48.0).reshape(6, 8),))
def sums_by_boxes(z):
    """Rows and columns in boxes of 4 and 2, of halves of sizes, and of shifted ones."""
    found = []
    for size in 2 ** np.arange(2, 0, -1):
        rows = np.add.reduceat(z, np.arange(0, z.shape[0], size), axis=0)
        found.append(np.add.reduceat(rows, np.arange(0, z.shape[1], size), axis=1))
    halves = [np.zeros((k, 2)) for k in np.array(z.shape) // 2]
    return found, halves, [np.arange(k) for k in 1 << np.arange(3)]


@program("array exception", ints, few, lambda: (np.arange(4.0),))
def greatest_of_arrays(x: np.ndarray) -> Any:
    """Of one array there is nothing to compare; data decides how many numbers several have."""
    low, found = x[x <= x[0]], []
    for rows in ([low], [low, x[:1]], [x, low]):
        try:
            found.append(max(rows).tolist())
        except ValueError as e:
            found.append(str(e))
    return found, max([low]) is low, min([low, x], key=len)
