"""Functions that call themselves in loops over what is made item by item: `zip`, `enumerate`,
`reversed`, `map`, `pairwise` and generators."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
from itertools import pairwise

import numpy as np

from tests.programs import program

LAND = ["11110", "11010", "11000", "00011"]


def letters():
    return [list(row) for row in LAND]


def numbers():
    return [[int(c) for c in row] for row in LAND]


def counted(grid, land, visit):
    """How many regions there are; `visit` makes water of one."""
    found = 0
    for i in range(len(grid)):
        for j in range(len(grid[0])):
            if grid[i][j] == land:
                visit(i, j)
                found += 1
    return found


@program("lists", lambda: (letters(),))
def islands_of_letters(grid):
    def visit(i, j):
        grid[i][j] = "0"
        for a, b in pairwise(steps):
            x, y = i + a, j + b
            if 0 <= x < len(grid) and 0 <= y < len(grid[0]) and grid[x][y] == "1":
                visit(x, y)

    steps = (-1, 0, 1, 0, -1)
    return counted(grid, "1", visit)


@program("lists", lambda: (numbers(),))
def islands_by_zip(grid):
    def visit(i, j):
        grid[i][j] = 0
        for a, b in zip(steps, steps[1:], strict=False):
            x, y = i + a, j + b
            if 0 <= x < len(grid) and 0 <= y < len(grid[0]) and grid[x][y] == 1:
                visit(x, y)

    steps = (-1, 0, 1, 0, -1)
    return counted(grid, 1, visit), grid


@program("lists", lambda: (letters(),))
def islands_by_a_generator(grid):
    def near(i, j):
        for a, b in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            x, y = i + a, j + b
            if 0 <= x < len(grid) and 0 <= y < len(grid[0]):
                yield x, y

    def visit(i, j):
        grid[i][j] = "0"
        for x, y in near(i, j):
            if grid[x][y] == "1":
                visit(x, y)

    return counted(grid, "1", visit)


@program("arrays", lambda: (np.array(numbers()),))
def of_an_array_by_a_generator(grid):
    """What the generator reads is written before it goes on."""

    def near(i, j):
        for a, b in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            x, y = i + a, j + b
            if 0 <= x < len(grid) and 0 <= y < len(grid[0]) and grid[x, y] == 1:
                yield x, y

    def visit(i, j):
        grid[i, j] = 2
        return 1 + sum([visit(x, y) for x, y in near(i, j)])

    return visit(0, 0), grid


@program("arrays", lambda: (np.arange(40) % 7, np.array(0)))
def two_yields(x, first):
    def near(i):
        yield i + 1
        yield i + 2

    def total(i):
        if i >= len(x):
            return 0
        found = 1
        for j in near(i):
            if x[i] % 4 < 2:
                found += total(j) % 100
        return found

    return total(int(first))


@program("lists", lambda: ([[1, 2], [3], [3, 4], [], [0]], np.array(0)))
def numbered_neighbors(graph, first):
    seen, order = [False] * len(graph), []

    def visit(u):
        seen[u] = True
        for k, v in enumerate(graph[u], start=1):
            if not seen[v]:
                order.append((k, v))
                visit(v)

    visit(int(first))
    return order


@program(
    "lists", lambda: ([[1, 2], [3], [3, 4], [], [0]], [[5, 1], [2], [7, 7], [], [3]], np.array(0))
)
def with_costs(graph, costs, first):
    seen, total = [False] * len(graph), [0]

    def visit(u):
        seen[u] = True
        for v, cost in zip(graph[u], costs[u], strict=False):
            total[0] += cost
            if not seen[v]:
                visit(v)

    visit(int(first))
    return total


@program("arrays", lambda: (np.arange(40) % 7,))
def backwards(x):
    def total(i):
        if i >= len(x):
            return 0
        found = 0
        for k in reversed((3, 1, 2)):
            if x[i] % 4 == k:
                found += k * total(i + k) % 1000
        return found + 1

    return total(0)


@program("arrays", lambda: (np.arange(40) % 7,))
def mapped(x):
    def total(i):
        if i >= len(x):
            return 0
        found = 0
        for k in map(lambda v: v + 1, (3, 1, 2)):
            if x[i] % 5 == k:
                found += k * total(i + k) % 1000
        return found + 1

    return total(0)


@program("lists", lambda: ([1, 4, 6, 7, 8, 20], [2, 7, 15]))
def tickets(days, costs):
    valid = [1, 7, 30]

    @cache
    def cost(i):
        if i >= len(days):
            return 0
        least = math.inf
        for c, v in zip(costs, valid, strict=True):
            least = min(least, c + cost(bisect_left(days, days[i] + v)))
        return least

    return cost(0)


@program("arrays", lambda: (np.arange(40) % 7,))
def a_known_tuple_alone(x):
    """What an open call keeps is known; a call of another tuple says that it is not."""

    def weighted(i, weights):
        if i >= len(x):
            return 0
        found = weighted(i + 1 + x[i] % 2, (4, 5, 6) if x[i] > 3 else weights)
        return found + weights[x[i] % 3]

    def plain(i):
        weights = (1, 2, 3)
        if i >= len(x):
            return 0
        found = plain(i + 1 + x[i] % 2)
        return found + weights[x[i] % 3]

    return weighted(0, (1, 2, 3)), plain(0)


@program("lists", lambda: (["1", "3", "5", "7"], 100))
def numbers_of_digits(digits, n):
    """The text of a number that is known, read where the depth of calls says."""

    @cache
    def count(i, lead, limit):
        if i >= len(text):
            return lead ^ 1
        up = int(text[i]) if limit else 9
        found = 0
        for j in range(up + 1):
            if j == 0 and lead:
                found += count(i + 1, 1, limit and j == up)
            elif j in allowed:
                found += count(i + 1, 0, limit and j == up)
        return found

    text = str(n)
    allowed = {int(x) for x in digits}
    return count(0, 1, True)
