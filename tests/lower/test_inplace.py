"""Arrays in loops are updated in place: no copy of an array in any iteration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

import pyxla
from pyxla.ir.core import Instr, Region
from pyxla.ir.rewrite import walk
from pyxla.lower.cost import SMALL
from pyxla.lower.trips import conjuncts
from pyxla.ops.control import if_, while_
from pyxla.reflect import compilation
from tests.programs import load

N = 5000


def update_if(A, n):
    for i in range(n):
        if A[i] > 0:
            A[i] = A[i] * 2.0
    return A


def update_in_both(A, n):
    for i in range(n):
        if A[i] > 0:
            A[i] = 1.0
            continue
        A[i] = A[i + 1] - 1.0
    return A


def update_then_break(A, n):
    for i in range(n):
        if i % 2 == 0:
            A[i] = A[i] + 1.0
            if A[i] > 3.5:
                break
        A[i + 1] = A[i] * 0.5
    return A


def update_then_return(A, n):
    for i in range(n):
        if i % 2 == 0:
            A[i] = A[i] + 1.0
            if A[i] > 3.5:
                return A
        for j in range(3):
            A[i + j] = A[i] * 0.5
    return A


def loop_in_a_branch(A, n):
    for i in range(n):
        if i % 2 == 0:
            j = 0
            while j < 3:
                A[i + j] = A[i] * 0.5
                j += 1
    return A


def breaks_before_the_update(A, n):
    i = 0
    while True:
        if i >= n:
            break
        if A[i] > 2.5:
            break
        A[i] = A[i] + 1.0
        i += 1
    return A


def update_then_continue(A, n):
    for i in range(n):
        if A[i] > 0:
            if i % 3 == 0:
                A[i] = 3.0
                continue
        A[i + 1] = 2.0 + A[i]
    return A


def update_and_test(A, n):
    total = 0.0
    for i in range(n):
        old = A[i]
        A[i] = old + 1.0
        if old > 2.5:
            total = total + old
    A[0] = total
    return A


def bubble(A, n):
    for k in range(2):
        for i in range(n):
            if A[i] > A[i + 1]:
                A[i], A[i + 1] = A[i + 1], A[i]
    return A


def read_past_a_loop(A, n):
    count = 0
    for i in range(2, n):
        if A[i] > -1.0:
            count += 1
            for j in range(i * i, n, i):
                A[j] = -2.0
        else:
            A[i - 2] = 0.5
    A[0] = count
    return A


def read_past_a_loop_that_leaves(A, n):
    count = 0.0
    for i in range(2, n):
        if A[i] <= -1.0:
            continue
        old = A[i]
        if count > 40:
            break
        j = i
        while j > 0 and A[j - 1] > A[j]:
            A[j - 1], A[j] = A[j], A[j - 1]
            j -= 1
        A[j] += 0.25
        count += old
    return A


def blocks_in_branches(A, n):
    total = 0.0
    for i in range(4, n - 4):
        if A[i] > 0.5:
            for j in range(i % 3):
                A[i : i + 3] += A[j : j + 3]
        else:
            A[i : i + 3] = A[i - 2 : i + 1] * 0.5
        total += A[i + 1]
    A[0] = total
    return A


def stack_of_cells(A, n):
    top = n
    while top > n // 2:
        top -= 1
        here = int(abs(A[top])) % n
        if here > 0 and A[here - 1] > 0.0:
            A[here - 1] = -1.0
            A[top] = here - 1
            top += 1
        if here < n - 1 and A[here + 1] > 0.0:
            A[here + 1] = -1.0
            A[top] = here + 1
            top += 1
    return A


def branch_in_a_branch(A, n):
    """Steps of the inner branch become steps of the outer one, in both."""
    for i in range(2, n - 2):
        if A[i] > 0.0:
            if A[i - 1] < 0.5:
                A[i] = -A[i + 1]
                A[i + 1] = A[i - 2] * 0.5
                A[i - 2] += A[i]
            elif A[i + 1] > 0.0:
                A[i - 1] = 0.25
        elif A[i + 2] < A[i]:
            A[i], A[i + 2] = A[i + 2], A[i]
            if A[i + 1] > 1.0:
                A[i + 1] = A[i] - 1.0
        else:
            A[i] = 0.125
    return A


def table(A, n):
    """XLA makes selects of the conditional, and reads the array where it counts."""
    for i in range(1, n):
        for j in range(1, i):
            if A[i] > A[j]:
                A[j] = A[j - 1] + 1.0
            else:
                A[j] = max(A[i - 1], A[j + 1])
    return A


def queue(A, n):
    tail = 1
    for i in range(n):
        for d in range(-1, 2):
            u = i + d
            if u >= 0 and u < n:
                if A[u] > 0.0 and A[i] < 1.0:
                    A[u] = A[i] - 1.0
                    A[n - 1 - tail % n] = u
                    tail += 1
    A[0] = tail
    return A


def floods(A, n):
    """The branch makes a queue, larger than one of the arrays that its loop carries."""
    sizes = np.zeros(600)
    for i in range(n):
        if A[i] > 0.5:
            queue = np.full(1000, A[i])
            queue[0] = i
            first, last = 0, 1
            while first < last:
                j = int(queue[first])
                first += 1
                A[j] = -1.0
                sizes[i] += 1.0
                for k in (j - 1, j + 1):
                    if 0 <= k < n and A[k] > 0.0:
                        A[k] = -1.0
                        queue[last] = k
                        last += 1
    A[:n] = sizes[:n]
    return A


PROGRAMS = [
    floods,
    branch_in_a_branch,
    table,
    queue,
    update_if,
    update_in_both,
    update_then_break,
    update_then_return,
    loop_in_a_branch,
    breaks_before_the_update,
    update_then_continue,
    update_and_test,
    bubble,
    read_past_a_loop,
    read_past_a_loop_that_leaves,
    blocks_in_branches,
    stack_of_cells,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_no_copy_in_a_loop(program):
    compiled = pyxla.compile(program)
    array = np.random.default_rng(0).standard_normal(N)
    expected, got = array.copy(), array.copy()
    program(expected, 100)
    compiled(got, 100)
    np.testing.assert_allclose(got, expected)
    hlo = pyxla.code_hlo(program, array, 100, optimized=True)
    loops, entry = hlo.split("\nENTRY ")
    assert not re.findall(rf"= f64\[{N}\]\S* copy\(", loops)


def loop_to_a_limit_in_a_branch(A, n):
    for i in range(n):
        if A[i] > 0:
            for j in range(i, n):
                A[j] = A[j] - 0.5
    return A


def test_counted_loops_of_a_branch_stay_counted():
    """The inner loop ends at once where the branch is not taken, and asks for it at its start."""
    array = np.random.default_rng(0).standard_normal(N)
    expected, got = array.copy(), array.copy()
    loop_to_a_limit_in_a_branch(expected, 100)
    pyxla.compile(loop_to_a_limit_in_a_branch)(got, 100)
    np.testing.assert_allclose(got, expected)
    region = compilation(loop_to_a_limit_in_a_branch, array, 100).at("regions").origin
    _, inner = [i.regions[0] for i in walk(region.instrs) if i.op is while_]
    assert len(conjuncts(inner.results[0])) == 1


def test_a_path_that_raises_keeps_each_array_in_its_place():
    """What the path gives of the table is the table, and of the queue the queue: so neither is
    given back by the conditional in the innermost loop."""
    assert largest_given(load()["contest.distances_of_all_pairs"].fn, 0, depth=2) <= SMALL


def chosen(prices, left):
    found = []

    def choose(left, own, start):
        if left == 0:
            found.append(own)
            return
        for i in range(start, len(prices)):
            if prices[i] <= left:
                choose(left - prices[i], own + [prices[i]], i)

    choose(left, [], 0)
    return found


def paths(given):
    n = int(given[0])

    @cache
    def count(i, late, absent):
        if i >= n:
            return 1
        total = count(i + 1, late, 0)
        if late == 0:
            total += count(i + 1, 1, 0)
        if absent < 2:
            total += count(i + 1, late, absent + 1)
        return total % 1000007

    return count(0, 0, 0)


@pytest.mark.parametrize(
    ("function", "args", "most"),
    [(chosen, ([2, 3, 5, 7], 12), 1025), (paths, (np.array([30]),), SMALL)],
)
def test_where_control_goes_next_one_array_stands_for_both_that_are_equal(function, args, most):
    """What a call that is made changes is as it was where none is made: the frames, and what was
    found, are not chosen among, but for the rows that are written."""
    assert pyxla.compile(function)(*args) == function(*args)
    assert largest_given(function, *args) <= most


def largest_given(function, *args, depth=0):
    """The size of the largest array that a conditional inside more than so many loops gives."""

    def conditionals(region: Region, loops: int) -> Iterator[Instr]:
        for instr in region.instrs:
            if instr.op is if_ and loops > depth:
                yield instr
            for inner in instr.regions:
                yield from conditionals(inner, loops + (instr.op is while_))

    region = compilation(function, *args).at("regions").region
    given = [x.type for instr in conditionals(region, 0) for x in instr.results]
    assert given
    return max(type.size for type in given)
