"""Recursion over lists of numbers whose depth the numbers decide."""

import numpy as np

from tests.programs import program


@program("recursion", lambda: ([3, 1, 2, 5, 4, 9, 7, 8],), lambda: ([],), lambda: ([2.5, -1.0],))
def merge_sort_of_slices(a):
    if len(a) <= 1:
        return a
    middle = len(a) // 2
    left, right = merge_sort_of_slices(a[:middle]), merge_sort_of_slices(a[middle:])
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return out + left[i:] + right[j:]


@program("recursion", lambda: ([2.5, 1.0] * 25,))
def merge_sort_of_many_floats(a):
    """Visits are copied for floats: the copies count as the code that a stack makes shorter."""
    return merge_sort_of_slices(a)


@program("recursion", lambda: ([3, 1, 2, 3, 4],))
def quicksort_of_comprehensions(a):
    if len(a) <= 1:
        return a
    smaller = quicksort_of_comprehensions([x for x in a[1:] if x < a[0]])
    return smaller + [a[0]] + quicksort_of_comprehensions([x for x in a[1:] if x >= a[0]])


@program("recursion", lambda: (10, 3), lambda: (7, 7))
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@program("recursion", lambda: (np.arange(8.0), 3), lambda: (np.zeros(4), 2))
def halved_so_often(a, depth):
    def halved(a, d):
        if d >= depth or a.sum() == 0:
            return a.sum()
        return halved(a / 2, d + 1)

    return halved(a, 0)


def grown(x, y, depth, limit):
    if depth >= limit or len(y) < 2 or np.all(y == y[0]):
        return np.mean(y)
    left = x <= np.median(x)
    if left.all():
        return np.mean(y)
    below = grown(x[left], y[left], depth + 1, limit)
    return 0.5 * below + grown(x[~left], y[~left], depth + 1, limit)


@program("recursion", lambda: (np.arange(8.0), np.array([0.0, 0, 1, 1, 0, 1, 1, 1]), 2))
def decision_tree(x, y, limit):
    return grown(x, y, 0, limit)


@program("recursion", lambda: (20,), lambda: (90.5,))
def deep(x):
    return 0 if x < 1 else 1 + deep(x - 1)


@program("checks recursion tuples", lambda: ([5, 2, 8, 1, 9, 3],))
def tree_of_tuples(xs):
    def insert(tree, key):
        if tree is None:
            return (None, key, None)
        left, value, right = tree
        if key < value:
            return (insert(left, key), value, right)
        return (left, value, insert(right, key))

    def depth(tree):
        return 0 if tree is None else 1 + max(depth(tree[0]), depth(tree[2]))

    root = None
    for x in xs:
        root = insert(root, x)
    return depth(root)


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def value(self, x):
        mark = self.text[self.at]
        self.at += 1
        return x if mark == ")" or x > 1000 else self.value(x + 1) * 2


@program("recursion", lambda: (np.array([3, 4]),), lambda: (np.array([90, 2000]),))
def ended_by_what_calls_leave(x):
    """What a call leaves in a variable, in a field or in a list ends the recursion."""
    calls, kept, reader = 0, [], Reader("(((+)")

    def counted(v):
        nonlocal calls
        calls += 1
        return v if calls > 4 or v > 100 else counted(v * 2)

    def listed(v):
        kept.append(v)
        if len(kept) < 5 and v < 50:
            listed(v + 1)

    def taken_turns(v, even):
        return v if v > 100 else taken_turns(v * 2.5, not even) + even

    listed(int(x[0]))
    return (
        counted(int(x[0])),
        calls,
        reader.value(int(x[1])),
        reader.at,
        kept,
        taken_turns(x[1], True),
    )


def sorted_in_place(a):
    if len(a) > 1:
        middle = len(a) // 2
        left, right = a[:middle], a[middle:]
        sorted_in_place(left)
        sorted_in_place(right)
        i = j = k = 0
        while i < len(left) and j < len(right):
            if left[i] < right[j]:
                a[k] = left[i]
                i += 1
            else:
                a[k] = right[j]
                j += 1
            k += 1
        while i < len(left):
            a[k] = left[i]
            i += 1
            k += 1
        while j < len(right):
            a[k] = right[j]
            j += 1
            k += 1


def sorted_anew(a):
    if len(a) <= 1:
        return a
    middle = len(a) // 2
    left, right = sorted_anew(a[:middle]), sorted_anew(a[middle:])
    out = []
    while left and right:
        out.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return out + left + right


@program("recursion", lambda: ([i * 37 % 60 for i in range(80)],), lambda: ([2, 1],))
def long_list_sorted_by_halves(a):
    once = sorted_anew(a)
    sorted_in_place(a)
    return once


def flooded(rooms, i, j, far):
    if i < 0 or i >= len(rooms) or j < 0 or j >= len(rooms[0]):
        return
    if rooms[i][j] < far:
        return
    rooms[i][j] = far
    flooded(rooms, i + 1, j, far + 1)
    flooded(rooms, i - 1, j, far + 1)
    flooded(rooms, i, j + 1, far + 1)
    flooded(rooms, i, j - 1, far + 1)


@program(
    "recursion",
    lambda: ([[0, 9], [9, 9]],),
    lambda: ([[9, -1, 0, 9], [9, 9, 9, -1], [9, -1, 9, -1], [0, -1, 9, 9]],),
    lambda: ([[np.inf, -1, 0], [np.inf, np.inf, 7.5]],),
)
def floods(rooms):
    """What a call asks first of a number that each one counts up is no test of the calls."""
    for i in range(len(rooms)):
        for j in range(len(rooms[0])):
            if rooms[i][j] == 0:
                flooded(rooms, i, j, 0)


def walked(seen, at, steps):
    if at < 3:
        seen.append(at)
    if steps > 0:
        walked(seen, at + 1, steps - 1)
        walked(seen, at + 2, steps - 1)
        seen.append(-at)


@program("recursion", lambda: (0, 4), lambda: (2, 1), lambda: (5, 0))
def walks(at, steps):
    seen = []
    walked(seen, at, steps)
    return seen
