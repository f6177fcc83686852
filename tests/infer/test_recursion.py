"""Calls that look like recursion, and are not calls of the function by itself as it is bound."""

import copy
import functools

import numpy as np
import pytest

import pyxla
from pyxla import errors
from tests.cost import cost
from tests.programs import Program


class Walker:
    def unbound(self, n, k=1):
        if n <= 0:
            return k
        return Walker.unbound(self, n - 1) + k

    @classmethod
    def by_another_name(cls, n=3):
        if n <= 0:
            return 1
        return by_another_name(n - 1) + 2


by_another_name = Walker.by_another_name


def of_a_class(x):
    return Walker().unbound(int(x[0]))


def of_a_bound_method(x):
    return Walker.by_another_name(int(x[0]))


@pytest.mark.parametrize("function", [of_a_class, of_a_bound_method])
def test_arguments_are_not_bound_to_other_parameters(function):
    with pytest.raises(pyxla.CompileError, match="nested too deeply"):
        pyxla.compile(function)(np.array([4]))


def unbound_on_a_path(x):
    def count(n):
        if n > 3:
            more = n
        if n <= 0:
            return 0
        return count(n - 1) + (more if n > 3 else 1)

    return count(int(x[0]))


def test_what_data_ends_is_refused_at_its_first_repetition():
    asked = Program("", unbound_on_a_path, (lambda: (np.array([5]),),), ())
    assert cost(asked, False).visits < 150  # 24 calls in each other were visited
    with pytest.raises(pyxla.CompileError, match="nested too deeply .as deep as data says"):
        pyxla.compile(unbound_on_a_path)(np.array([5]))


def sink(grid, i, j):
    if i < 0 or j < 0 or i >= len(grid) or j >= len(grid[0]) or grid[i][j] != 1:
        return
    grid[i][j] = 0
    sink(grid, i + 1, j)
    sink(grid, i - 1, j)
    sink(grid, i, j + 1)
    sink(grid, i, j - 1)


def islands(grid):
    count = 0
    for i in range(len(grid)):
        for j in range(len(grid[0])):
            if grid[i][j] == 1:
                count += 1
                sink(grid, i, j)
    return count


def leads_out(maze, i, j, way):
    n = len(maze)
    if i == n - 1 and j == n - 1:
        way[i][j] = 1
        return True
    if 0 <= i < n and 0 <= j < n and maze[i][j] == 0 and way[i][j] == 0:
        way[i][j] = 1
        if leads_out(maze, i + 1, j, way) or leads_out(maze, i, j + 1, way):
            return True
        if leads_out(maze, i - 1, j, way) or leads_out(maze, i, j - 1, way):
            return True
        way[i][j] = 0
    return False


def way_out(maze):
    way = [[0] * len(maze) for _ in range(len(maze))]
    return leads_out(maze, 0, 0, way), way


@pytest.mark.parametrize("function", [islands, way_out])
def test_several_calls_at_each_depth_are_visited_so_often_only(function):
    grid = [[int((i * 3 + j * 5) % 7 == 1) for j in range(5)] for i in range(5)]
    asked = Program("", function, (lambda: (copy.deepcopy(grid),),), ())
    assert cost(asked, True).visits < 150000
    given = copy.deepcopy(grid)
    assert pyxla.compile(function)(given) == function(grid)
    assert given == grid


def changed_and_read(rows, at):
    rows[int(at[0])][1] = 50
    return rows[int(at[1])]


@pytest.mark.parametrize("count", [3, 6, 20])
def test_rows_of_a_list_argument_that_data_chooses_are_written(count):
    given = [[i, i + 1, i + 2] for i in range(count)]
    expected = copy.deepcopy(given)
    at = np.array([2, 1])
    assert pyxla.compile(changed_and_read)(given, at) == changed_and_read(expected, at)
    assert given == expected


def even(x, i, left):
    return True if left == 0 or x[i] < 0 else odd(x, i + 1, left - 1)


def odd(x, i, left):
    return False if left == 0 or x[i] < 0 else even(x, i + 1, left - 1)


def tried(x, i, left):
    try:
        if left == 0 or 1 // int(x[i]) < 0:
            return i
        return tried(x, i + 1, left - 1)
    except ZeroDivisionError:
        return -i


def test_what_no_stack_can_do_is_written_out_for_more_levels():
    x = np.ones(70)
    x[33] = 0.0
    for start in (0, 30, 34):
        assert pyxla.compile(lambda x, k=start: even(x, k, 36))(x) == even(x, start, 36)
        assert pyxla.compile(lambda x, k=start: tried(x, k, 36))(x) == tried(x, start, 36)


def filled(board):
    @functools.cache
    def ways(cells, mark):
        if 0 not in cells:
            return 1
        found = 0
        for i in range(9):
            if cells[i] == 0:
                found += ways(cells[:i] + (mark,) + cells[i + 1 :], -mark)
        return found

    return ways(tuple(board), 1)


def test_loops_with_a_stack_are_unrolled_for_few_calls_only():
    asked = Program("", filled, (lambda: ([0] * 9,),), ())
    assert cost(asked, False).visits < 100000


class Number:
    def __init__(self, value):
        self.value = value

    def total(self):
        return self.value


class Sum:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def total(self):
        return self.left.total() + self.right.total()


class Product:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def total(self):
        return self.left.total() * self.right.total()


def tree_of_what_data_says(x):
    tree = Number(x[0])
    for number in x[1:]:
        tree = Sum(tree, Number(number)) if number > 2 else Product(Number(number), tree)
    return tree.total()


def test_methods_of_several_classes_that_call_each_other():
    x = np.random.default_rng(0).random(80) * 4
    assert pyxla.compile(tree_of_what_data_says)(x[:4]) == tree_of_what_data_says(x[:4])
    assert pyxla.compile(tree_of_what_data_says)(x) == tree_of_what_data_says(x)


def first_of_two(n):
    return 0 if n <= 0 else second_of_two(n - 1) + 1


def second_of_two(n, k=2):
    return 0 if n <= 0 else first_of_two(n - 1) + k


def test_defaults_of_functions_that_call_each_other_are_those_that_they_have(monkeypatch):
    compiled = pyxla.compile(lambda x: first_of_two(int(x[0])))
    assert compiled(np.array([5])) == 7
    monkeypatch.setattr(second_of_two, "__defaults__", (10,))
    with pytest.raises(pyxla.CompileError, match="nested too deeply"):  # 7 is not the answer
        compiled(np.array([5]))


def made_inside(k):
    def inner(n):
        return k if n <= 0 else outer(n - 1) + outer(n - 2) + k

    return inner


inner = made_inside(3)


def outer(n):
    return 0 if n <= 0 else inner(n - 1) + inner(n - 2)


def with_a_top(n, top=None):
    if top is None:
        top = (n,)
    return top[0] if n <= 0 else handing_it_on(n - 1, top) + handing_it_on(n - 2, top)


def handing_it_on(n, top=None):
    return 1 if n <= 0 else with_a_top(n - 1, top) + with_a_top(n - 2, top)


@pytest.mark.parametrize("function", [outer, with_a_top, handing_it_on])
def test_variables_of_functions_that_call_each_other(function):
    x = np.array([9])
    assert pyxla.compile(lambda x: function(int(x[0])))(x) == function(9)


def steps_of(steps, at, rng, seen):
    seen.append(at)
    print("at", at)
    if at >= len(steps):
        return rng.random()
    if steps[at] < 0:
        raise ValueError(at)
    return rng.random() + steps_of(steps, at + steps[at] + 1, rng, seen)


def twice(steps):
    rng, seen = np.random.default_rng(3), [7]
    try:
        first = rng.random() + steps_of(steps, 0, rng, seen)
    except ValueError:
        first = -1.0
    return first, steps_of(np.abs(steps), 1, rng, seen), rng.random(), seen


@pytest.mark.parametrize("last", [1, -1])
def test_a_call_that_is_visited_anew_leaves_nothing_of_its_first_visit(last, capfd):
    steps = np.array([0, 1, 0, 0, 1, 0] * 4 + [last])
    expected = twice(steps), capfd.readouterr().out
    fn = pyxla.compile(twice)
    assert (fn(steps), capfd.readouterr().out) == expected
    assert cost(Program("", twice, (lambda: (steps,),), ()), False).attempts <= 3


def test_a_list_is_two_arguments_of_an_open_call(monkeypatch):
    """Nobody else has the list: the compiler once looked for it after it was put away."""
    met = []
    made = errors.InternalError.__init__

    def noted(self, error, *rest):
        met.append(error)
        made(self, error, *rest)

    monkeypatch.setattr(errors.InternalError, "__init__", noted)

    def f(x):
        def go(k, a, b):
            if k == 0:
                return len(a) + b[0]
            c = [int(x[k]), k]
            return go(k - 1, c, c) + a[0] + len(b)

        return go(x[-1] + 5, [1], [2])

    x = np.arange(12) % 5
    assert pyxla.compile(f)(x) == f(x)
    assert not met
