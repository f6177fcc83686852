"""How much room lists of unknown length are given: no more than a program asks for."""

import math
import re
from collections import deque

import numpy as np
import pytest

import pyxla
from pyxla import specialize
from pyxla.errors import CompileError
from pyxla.infer.lists import laying
from pyxla.infer.lists.item_joins import AN_INT
from pyxla.options import DEFAULTS
from tests.programs import growing
from tests.programs.recursive import merge_sort_of_slices

SOME = np.arange(25) * 7 % 11


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (growing.swapped_and_longer, (SOME,)),
        (growing.swapped_in_loops_inside, (SOME, 20)),
        (growing.parts_in_loops_inside, (SOME, 20)),
    ],
)
def test_passes_of_a_loop_do_not_multiply_the_room(function, args):
    sizes = re.findall(r"\[(\d+)\]", str(pyxla.code_typed(function, *args)))
    assert max(map(int, sizes)) <= 8 * DEFAULTS.list_capacity


def filled(free):
    """Regions of a grid, by a stack that all iterations of two loops share."""
    stack, count = [], 0
    for i in range(free.shape[0]):
        for j in range(free.shape[1]):
            if free[i, j]:
                count += 1
                stack.append((i, j))
                while stack:
                    a, b = stack.pop()
                    free[a, b] = False
                    if a + 1 < free.shape[0] and free[a + 1, b]:
                        stack.append((a + 1, b))
                    if b + 1 < free.shape[1] and free[a, b + 1]:
                        stack.append((a, b + 1))
    return count


def digits(x):
    """Those of all numbers, of which data says how many there are."""
    found = []
    for v in x:
        own = []
        while v:
            own.append(v % 10)
            v //= 10
        found.extend(own)
    return found


def steps(free):
    """Layers of a grid around a corner, each made of what the one before leads to."""
    layer, count = [(0, 0)], 0
    while layer:
        after = []
        for a, b in layer:
            for c, d in ((a + 1, b), (a, b + 1)):
                if c < free.shape[0] and d < free.shape[1] and free[c, d]:
                    free[c, d] = False
                    after.append((c, d))
        layer = after
        count += 1
    return count


GRID = np.arange(1200).reshape(30, 40) * 7 % 11 > 3


@pytest.mark.parametrize(("function", "x"), [(filled, GRID), (digits, SOME), (steps, GRID)])
def test_a_guess_is_not_multiplied_by_how_often_a_loop_is_gone_through(function, x):
    expected = function(x.copy())
    assert pyxla.compile(function)(x.copy()) == expected
    sizes = re.findall(r"\[(\d+)\]", str(pyxla.code_typed(function, x)))
    assert max(map(int, sizes)) <= 2 * DEFAULTS.list_capacity


def chosen(x):
    """One or two items an iteration."""
    out = []
    for i in range(x.shape[0]):
        for v in x:
            out.append(v)
            if v > i:
                out.append(-v)
    return out


def test_room_for_what_a_branch_may_append():
    assert pyxla.compile(chosen)(SOME) == chosen(SOME)
    sizes = re.findall(r"\[(\d+)\]", str(pyxla.code_typed(chosen, SOME)))
    assert max(map(int, sizes)) == 2 * SOME.size**2


def counted_down(n, limit):
    """A stack that data makes long, and something that is out of order before or after."""
    stack, seen = [n], 0
    while stack:
        k = stack.pop()
        seen += 100 // (limit - len(stack))
        if k > 0:
            stack.append(0)
            stack.append(k - 1)
    return seen


@pytest.mark.parametrize("checks", [True, False])
def test_a_list_that_is_too_long_is_answered_by_one_more_compilation(checks):
    compiled = pyxla.compile(counted_down, checks=checks, list_capacity=8)
    assert compiled(5, 1000) == counted_down(5, 1000)
    assert compiled(20, 1000) == counted_down(20, 1000)
    assert len(compiled.specializations) == 1  # those of before are for shorter lists
    assert compiled.options.list_capacity >= 20


@pytest.mark.parametrize("limit", [3, 12, 40])
def test_what_is_raised_before_a_list_is_too_long_is_raised(limit):
    compiled = pyxla.compile(counted_down, list_capacity=8)
    for n in (2, 20, 90):
        try:
            expected = counted_down(n, limit)
        except ZeroDivisionError:
            with pytest.raises(ZeroDivisionError):
                compiled(n, limit)
        else:
            assert compiled(n, limit) == expected


def told_on_the_way(n, found):
    numbers, i = [], 0
    while i * i < n:
        numbers.append(i)
        if i % 500 == 0:
            print("at", i)
        i += 1
    found.append(len(numbers))
    print("end", found)
    return numbers[i - 1]


def told_before_a_mistake(n, found):
    print("begin")
    told_on_the_way(n, found)
    print("then")
    return found[n]


@pytest.mark.parametrize("function", [told_on_the_way, told_before_a_mistake])
@pytest.mark.parametrize("n", [10, 9_000_000])
def test_what_a_program_printed_is_not_printed_again(function, n, capfd):
    def outcome(run):
        found = [0]
        try:
            result = run(n, found)
        except IndexError as error:
            result = str(error)
        return result, found, capfd.readouterr().out

    assert outcome(pyxla.compile(function)) == outcome(function)


class Vector:
    def __init__(self, x):
        self.x = x


class Body:
    def __init__(self, x):
        self.place = Vector(x)


def reciprocal_distances(x, n):
    bodies, total = [Body(float(v)) for v in x if v > 0], 0.0
    for i in range(n):
        for body in bodies:
            body.place = Vector(body.place.x + i)
        total += 1 / (bodies[1].place.x - bodies[0].place.x)
    return total


def test_what_a_list_lost_is_not_taken_for_a_mistake(monkeypatch):
    """What comes of rows beyond the capacity is not looked for before there is room for them."""
    x = np.array([1.0, 3.0, -1.0])
    compiled = pyxla.compile(reciprocal_distances, list_capacity=8)
    with monkeypatch.context() as patched:
        patched.setattr(type(compiled), "_checked", None)  # which makes programs that raise
        assert compiled(x, 100) == reciprocal_distances(x, 100)
    with pytest.raises(ZeroDivisionError):
        compiled(np.ones(3), 2)


def of_vectors_that_are_gone(x, n):
    kept = [Vector(float(v)) for v in x if v > 0]
    total = Vector(0.0)
    for i in range(n):
        for v in kept:
            total = Vector(total.x + Vector(v.x * i).x)
    return total.x, len(kept)


def test_instances_that_are_gone_take_no_room():
    """A row is made of what is put in a list, not of what is made: a thousand sums are none."""
    x = np.array([1.0, 3.0, -1.0])
    compiled = pyxla.compile(of_vectors_that_are_gone, list_capacity=8)
    assert compiled(x, 500) == of_vectors_that_are_gone(x, 500)
    assert compiled.options.list_capacity == 8


def test_a_list_that_outgrew_its_room_twice_is_not_taken_for_a_mistake(monkeypatch):
    x = np.array([1.0, 3.0, -1.0])
    compiled = pyxla.compile(reciprocal_distances, list_capacity=DEFAULTS.list_capacity)
    n = 16 * DEFAULTS.list_capacity
    with monkeypatch.context() as patched:
        patched.setattr(type(compiled), "_checked", None)  # which makes programs that raise
        assert compiled(x, n) == pytest.approx(reciprocal_distances(x, n))
    assert compiled.options.pool_capacity > n


def test_lists_in_each_other_have_no_more_room_than_there_is():
    with pytest.raises(CompileError, match="too many items"):
        list(laying._zeros(AN_INT, (1024,) * 4))


def test_many_short_lists_have_room_without_being_longer():
    compiled = pyxla.compile(merge_sort_of_slices)
    given = [7 * i % 601 for i in range(600)]
    assert compiled(given) == sorted(given)
    assert compiled.options.list_capacity == 1024 < compiled.options.pool_capacity


class Visit:
    def __init__(self, at, length):
        self.at, self.length = at, length


def shortest_ways(steps, n, most):
    """Each step makes an instance, few of which are kept."""
    waiting, done = {0: Visit(0, 0.0)}, {}
    while waiting and len(done) < most:
        at = min(waiting, key=lambda k: waiting[k].length)
        visit = waiting.pop(at)
        done[at] = visit
        for step in steps:
            other = Visit((at + step) % n, visit.length + step)
            if other.at not in done and (
                other.at not in waiting or waiting[other.at].length > other.length
            ):
                waiting[other.at] = other
    return [(k, done[k].length) for k in sorted(done)]


def test_many_instances_have_room_without_lists_being_longer():
    compiled = pyxla.compile(shortest_ways)
    given = [1.5 * k % 31 for k in range(1, 12)], 401, 250
    assert compiled(*given) == shortest_ways(*given)
    assert compiled.options.list_capacity == 1024 < compiled.options.pool_capacity


TABLE = "".join([f"{k},item{k % 7},{k * k}\r\n" for k in range(200)])


def second_column(text):
    """Parts of a text of thousands of characters, which all are short."""
    return sum([int(line.split(",")[2]) for line in text.splitlines()])


def test_parts_of_a_long_text_have_the_room_that_texts_have_in_loops():
    lines = pyxla.compile(second_column)
    assert lines(TABLE) == second_column(TABLE)
    sizes = [
        np.prod([int(n) for n in found.split(",")])
        for found in re.findall(r"\[([\d,]+)\]", str(pyxla.code_typed(second_column, TABLE)))
    ]
    assert max(sizes) <= 2 * (len(TABLE) + 1000) * DEFAULTS.list_capacity // 8


@pytest.mark.parametrize("size", [100, 200, 300, 2000])
def test_longer_parts_of_a_text_get_more_room(size):
    def longest(text):
        parts = text.split("\n")
        inner = [max([len(p) for p in part.split()]) for part in parts]
        return max(parts, key=len), parts[1], inner, [len(p) for p in text.split()]

    text = "a b\n" + "c" * size + " d\n" + "e" * (size // 2)
    assert pyxla.compile(longest)(text) == longest(text)


def reached(free):
    """The places of a grid, by a queue of those to go on from and a set of all."""
    queue, seen = deque([(0, 0)]), {(0, 0)}
    while queue:
        i, j = queue.popleft()
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < len(free) and 0 <= b < len(free) and free[a, b] and (a, b) not in seen:
                seen.add((a, b))
                queue.append((a, b))
    return len(seen)


def test_what_is_taken_out_of_a_queue_moves_what_is_in_it_and_not_all_there_is_room_for():
    text = str(pyxla.code_typed(reached, np.ones((9, 9))))
    assert not re.findall(rf"concatenate.*\[{DEFAULTS.list_capacity}\]", text)


def test_chains_are_made_where_a_short_loop_is_around(monkeypatch):
    """Four copies of what finds a key in a chain are too much code: the loop is one then."""
    made, attempt = [], specialize._attempt

    def tried(request, places, demands, findings):
        found = attempt(request, places, demands, findings)
        made.append(demands.chained)
        return found

    monkeypatch.setattr(specialize, "_attempt", tried)
    free = np.random.default_rng(0).random((12, 12)) < 0.8
    assert pyxla.compile(reached, list_capacity=1 << 14)(free) == reached(free)
    assert made[-1]


def counted(text, size):
    """Parts of a long text as keys, which are short."""
    found = {}
    for k in range(len(text) - size + 1):
        part = text[k : k + size]
        found[part] = found.get(part, 0) + 1
    return found


def test_keys_are_compared_up_to_their_length_and_not_in_all_there_is_room_for():
    text = "".join("acgt"[k * k * 7 % 11 % 4] for k in range(1500))
    ours = pyxla.compile(counted)
    for size in (1, 3, 8, 9, 40, 63):
        assert ours(text, size) == counted(text, size)
    sizes = re.findall(
        r"(?:compare|equal|and) .*\[(\d+),(\d+)\]", str(pyxla.code_typed(counted, text, 4))
    )
    assert max([int(width) for _, width in sizes]) <= 32


def runs(n):
    """Lists in lists in lists, each of a length that data decides."""
    made = []
    for i in range(n):
        group = []
        while i > 0:
            run, j = [], i
            while j > 0:
                run.append(j)
                j -= 3
            group.append(run)
            i -= 2
        made.append(group)
    return made


class Table:
    """Lists in a list, in an instance: those of others are made of it."""

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
        self.size = len(self.rows)

    def without(self, i, j):
        return Table([row[:j] + row[j + 1 :] for k, row in enumerate(self.rows) if k != i])

    def measure(self):
        if self.size == 1:
            return self.rows[0][0]
        each = range(self.size)
        return sum((-1) ** j * self.rows[0][j] * self.without(0, j).measure() for j in each)

    def turned(self):
        each = range(self.size)
        return Table([[self.without(j, i).measure() for j in each] for i in each])


def turned(rows):
    return Table(rows).turned().rows


@pytest.mark.parametrize(
    ("program", "given"), [(runs, 30), (turned, [[2, 1, 0], [1, 3, 1], [0, 1, 4]])]
)
def test_a_guess_is_not_multiplied_by_those_of_the_lists_around(program, given):
    text = str(pyxla.code_typed(program, given))
    sizes = [math.prod(map(int, dims.split(","))) for dims in re.findall(r"\[(\d[\d,]*)\]", text)]
    assert max(sizes) <= 2 * DEFAULTS.list_capacity**2
    assert pyxla.compile(program)(given) == program(given)


def test_a_list_in_a_list_outgrows_the_capacity_of_a_row():
    compiled = pyxla.compile(runs)
    assert compiled(30) == runs(30)
    assert compiled(120) == runs(120)
    assert compiled.options.row_capacity >= 40
