"""Numbers of list arguments are data: a call with others of them does not compile again."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla


def two_sum(numbers, target):
    seen = {}
    for i, x in enumerate(numbers):
        if target - x in seen:
            return seen[target - x], i
        seen[x] = i
    return -1, -1


def distance(grid):
    rows, columns = len(grid), len(grid[0])
    known, queue = {(0, 0): 0}, [(0, 0)]
    while queue:
        i, j = queue.pop(0)
        for k, m in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            inside = 0 <= k < rows and 0 <= m < columns
            if inside and grid[k][m] == 0 and (k, m) not in known:
                known[k, m] = known[i, j] + 1
                queue.append((k, m))
    return known.get((rows - 1, columns - 1), -1)


def stamped(grid, points):
    for i, j in points:
        row = grid[i]
        row[j] = 7
    return [sum(row) for row in grid]


def tallied(xs):
    found = {}
    for x in xs:
        found[x] = found.get(x, 0) + 1
    return found, set(xs)


def keyed(x):
    names = {x: 1, "a": 2}
    return names, {x, 0.5}, x in {0.5: 1}, {"a": x}


def grown(x, n):
    return {round(x * i, 1): i for i in range(n)}


CALLS = [
    (tallied, ([1.5, 2.5, 1.5],), ([2.0, 2.0, 2.0],)),
    (keyed, (0.5,), (2.5,)),
    (grown, (0.5, 3), (0.0, 3)),
    (two_sum, ([3, 9, 2, 7, 1, 8], 10), ([5, 5, 1, 1, 1, 2], 10)),
    (distance, ([[0, 0, 1], [1, 0, 1], [1, 0, 0]],), ([[0, 1, 0], [0, 0, 0], [1, 1, 0]],)),
    (
        stamped,
        ([[0, 0, 0], [1, 1, 1]], [(0, 1), (1, 2), (0, 0)]),
        ([[5, 0, 0], [1, 4, 1]], [(1, 0), (0, 0), (1, 2)]),
    ),
]


@pytest.mark.parametrize(("function", "first", "second"), CALLS)
def test_other_numbers_are_the_same_program(function, first, second):
    compiled = pyxla.compile(function)
    assert compiled(*first) == function(*first)
    assert compiled(*second) == function(*second)
    assert "is compiled 1 time" in str(pyxla.explain(compiled))


def named(x):
    return {0.5: "low", 1.5: [1]}[x], {x: len, 2.0: 3}


def test_floats_that_are_needed_are_part_of_the_program():
    for x in (0.5, 1.5):
        assert pyxla.compile(named)(x) == named(x)


def filled(sizes):
    return [np.ones(k).sum() for k in sizes], np.zeros(sizes).shape


@pytest.mark.parametrize("sizes", [[2, 3], [1, 2, 3, 1, 2, 1]])
def test_values_that_are_needed_are_part_of_the_program(sizes):
    assert pyxla.compile(filled)(sizes) == filled(sizes)


def in_order(x):
    total = sum(v % 3 for v in x)
    for i, (v, w) in enumerate(zip(x, reversed(x))):
        total += v * w - i
    return total, sorted(x)[:2], x.index(7), x.count(7), 7 in x, [v for v in x if v % 2][-1]


def all_items(x):
    first, *rest = x
    return first, rest[-1], tuple(x)[1], x[::-1] == x, len(set(x)), max(x, key=lambda v: v % 10)


@pytest.mark.parametrize("function", [in_order, all_items])
def test_long_lists_are_not_taken_apart(function):
    """The program is as long for many numbers as for fewer."""
    sizes = [len(pyxla.code_typed(function, list(range(n))).splitlines()) for n in (100, 2000)]
    assert sizes[0] == sizes[1]


def over_rows(m):
    total = 0
    for i, row in enumerate(m):
        for v in row:
            total += v * i
        row[0] = total
    return (
        total,
        sum(map(sum, m)),
        max(max(row) for row in m),
        [v for row in m for v in row if v % 2],
    )


def test_long_lists_of_lists_are_not_taken_apart():
    def length(n, m):
        given = [[i + j for j in range(m)] for i in range(n)]
        return len(pyxla.code_typed(over_rows, given).splitlines())

    assert length(400, 3) == length(700, 3)


def test_a_row_that_data_chooses_is_the_callers_own_list():
    def first(m, limit):
        i = 0
        while m[i][0] < limit:
            i += 1
        return m[i]

    given = [[i, i] for i in range(50)]
    assert pyxla.compile(first)(given, 7) is given[7]
    named = pyxla.compile(lambda m, row: (m[3] is row, row.append(5), m[3]))
    assert named(given, given[3]) == (True, None, [3, 3, 5])
    assert named([[1, 1] for _ in range(50)], [1, 1]) == (False, None, [1, 1])


def which_rows(m, i, j):
    a, b = m[i], m[j]
    return a is b, a is not m[j], m[i] is m[3], m[-1] is a, m[0] is m[1], a is a


@pytest.mark.parametrize("places", [(2, 2), (2, 3), (3, 3), (-9, 3), (11, -1), (11, 11)])
def test_rows_that_data_chooses_are_one_list_where_they_are_one(places):
    given = [[1, 2, 3, 4, 5, 6] for _ in range(12)]
    cube = [[[i, j, 1] for j in range(4)] for i in range(12)]
    for m in (given, cube):
        assert pyxla.compile(which_rows)(m, *places) == which_rows(m, *places)


def counted(graph):
    return [len(row) for row in graph], sum(v for row in graph for v in row)


def test_lists_of_several_lengths_are_one_program():
    """Lists whose longest has as much room are of one program, and it does not get longer."""
    compiled = pyxla.compile(counted)
    for step in (2, 3, 5):
        graph = [list(range(i % (step + 2))) for i in range(30)]
        assert compiled(graph) == counted(graph)
    assert len(compiled.specializations) == 2
    sizes = [
        len(pyxla.code_typed(counted, [[1] * (i % 5) for i in range(n)]).splitlines())
        for n in (30, 300)
    ]
    assert sizes[0] == sizes[1]


def test_lists_of_several_lengths_among_the_arguments_of_an_artifact(tmp_path):
    graph = [[i] * (i % 5) for i in range(30)]
    pyxla.build(counted, graph, path=tmp_path / "counted.pyxla")
    loaded = pyxla.load(tmp_path / "counted.pyxla")
    other = [[i + 1] * (i * i % 5) for i in range(30)]
    assert loaded(other) == counted(other)
    with pytest.raises(TypeError, match="at most 4 numbers"):
        loaded([*other[:-1], [1] * 5])
    with pytest.raises(TypeError, match="a list of 30 lists"):
        loaded(other[1:])


def test_an_array_of_objects_is_refused_where_an_item_is_none():
    def array_of(x):
        return np.array([None if v < 0 else v for v in x])

    compiled = pyxla.compile(array_of)
    np.testing.assert_array_equal(compiled(np.array([1.0, 2.0])), [1.0, 2.0])
    with pytest.raises(pyxla.CompileError, match="one of these is None"):
        compiled(np.array([1.0, -2.0]))
