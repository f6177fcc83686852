"""A program whose fences once read an array before the update that they depended on."""

import re
from collections.abc import Callable

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.kept import kept
from pyxla.reflect import compilation


def quick_sort(a):
    stack = np.zeros(2 * len(a), int)
    stack[0] = 0
    stack[1] = len(a) - 1
    top = 2
    while top > 0:
        hi = stack[top - 1]
        lo = stack[top - 2]
        top -= 2
        if lo >= hi:
            continue
        pivot = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        stack[top] = lo
        stack[top + 1] = i - 1
        top += 2
        stack[top] = i + 1
        stack[top + 1] = hi
        top += 2
    return a


def test_quick_sort_with_an_explicit_stack():
    for n in (1, 2, 9, 50):
        a = np.random.default_rng(n).permutation(n) * 1.0
        np.testing.assert_array_equal(pyxla.compile(quick_sort, verify=True)(a), np.arange(n))


def smoothed(words):
    longest, n = words.shape
    sums = np.zeros(n + longest)
    for t in range(n):
        ways = sums[t : t + longest] + words[:, t]
        sums[t + longest] = np.log(np.sum(np.exp(ways - np.max(ways))))
    return sums[-1]


def test_small_arrays_are_copied_rather_than_fenced():
    for n, fenced in ((50, False), (3000, True)):
        words = np.random.default_rng(n).standard_normal((300, n))
        made = pyxla.compile(pyxla.grad(smoothed)).lower(words)
        assert ("call(" in made.text("optimized")) == fenced
        assert "conditional(" not in made.text("optimized")
        copied = [line for line in made.text("optimized").splitlines() if f"f64[{n + 300}]" in line]
        assert n == 50 or sum("copy(" in line for line in copied) <= 2, copied
    step = 1e-6 * np.eye(1, words.size, 20).reshape(words.shape)
    slope = (smoothed(words + step) - smoothed(words - step)) / 2e-6
    np.testing.assert_allclose(pyxla.grad(smoothed)(words)[0, 20], slope, rtol=1e-4, atol=1e-9)


def trajectory(w, x, n):
    states = np.zeros((n + 1, len(x)))
    states[0] = x
    for i in range(n):
        states[i + 1] = states[i] + 0.01 * np.tanh(w @ states[i])
    return np.sum(states**2)


def test_rows_that_are_kept_for_the_reverse_do_not_copy_the_array_that_they_are_of():
    rng = np.random.default_rng(0)
    w, x = rng.standard_normal((20, 20)), rng.standard_normal(20)
    made = pyxla.compile(lambda w, x: pyxla.grad(trajectory)(w, x, 400)).lower(w, x)
    arrays = [line for line in made.text("optimized").splitlines() if "= f64[401,20]" in line]
    assert arrays
    assert not [line for line in arrays if " copy(" in line]
    step = 1e-6 * np.eye(1, w.size, 21).reshape(w.shape)
    slope = (trajectory(w + step, x, 400) - trajectory(w - step, x, 400)) / 2e-6
    np.testing.assert_allclose(pyxla.grad(trajectory)(w, x, 400)[1, 1], slope, rtol=1e-5)


def regions(free):
    n, m = free.shape
    free, count, stack = free.copy(), 0, []
    for i in range(n):
        for j in range(m):
            if free[i, j]:
                count += 1
                free[i, j] = 0
                stack.append((i, j))
                while stack:
                    u, v = stack.pop()
                    if u + 1 < n and free[u + 1, v]:
                        free[u + 1, v] = 0
                        stack.append((u + 1, v))
                    if v > 0 and free[u, v - 1]:
                        free[u, v - 1] = 0
                        stack.append((u, v - 1))
    return count


def test_a_stack_is_not_copied_where_the_cells_that_it_is_of_are_updated():
    """Nor does a loop have results of its own for a stack that outgrew its capacity."""
    for n in (20, 200):
        free = (np.random.default_rng(n).random((n, n)) < 0.6).astype(np.int64)
        assert pyxla.compile(regions)(free) == regions(free)
        made = pyxla.compile(regions).lower(free).text("optimized").splitlines()
        stacks = [line for line in made if re.match(r"\s*%\S+ = s64\[1024\]\S* copy\(", line)]
        assert len(stacks) <= 1, stacks


def shell_sort(x):
    gap = len(x) // 2
    while gap > 0:
        for i in range(gap, len(x)):
            key, j = x[i], i
            while j >= gap and x[j - gap] > key:
                x[j] = x[j - gap]
                j -= gap
            x[j] = key
        gap //= 2


def sift(x, item):
    """Both children are read before the smaller one is moved up."""
    i = 0
    while 2 * i + 2 < len(x):
        child = 2 * i + 1
        if x[child + 1] < x[child]:
            child += 1
        if x[child] >= item:
            break
        x[i] = x[child]
        i = child
    x[i] = item
    return i


def swept(x, d):
    """Two arrays, of which each element needs the last of both."""
    y = x.copy()
    for i in range(1, len(x)):
        f = 2.0 - d * x[i - 1]
        x[i] = x[i] / f
        y[i] = (y[i] - d * y[i - 1]) / f
    return y


@pytest.mark.parametrize(("program", "more"), [(shell_sort, ()), (sift, (0.5,)), (swept, (0.25,))])
def test_fences_are_no_branches_and_copy_nothing(program: Callable, more: tuple[float, ...]):
    for n in (3, 40, 300):
        ours, theirs = [np.random.default_rng(n).random(n) for _ in range(2)]
        np.testing.assert_array_equal(pyxla.compile(program)(ours, *more), program(theirs, *more))
        np.testing.assert_array_equal(ours, theirs)
    text = pyxla.code_hlo(program, pyxla.f64[300], *[float for _ in more], optimized=True)
    assert " conditional(" not in text
    for code in re.findall(r"^%region.*?^}", text, re.DOTALL | re.MULTILINE):
        assert " copy(" not in code


def queens(n):
    columns = np.zeros(n, dtype=np.int64)
    row = solutions = 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        if columns[row] == n:
            row -= 1
            continue
        safe = True
        for r in range(row):
            d = abs(columns[row] - columns[r])
            if d == 0 or d == row - r:
                safe = False
                break
        if safe and row == n - 1:
            solutions += 1
        elif safe:
            row += 1
            columns[row] = -1
    return solutions


def test_arrays_of_a_few_elements_are_not_copied():
    """What was just written in part is read as a whole then, for which a processor waits."""
    compiled = pyxla.compile(queens)
    assert [compiled(n) for n in (1, 4, 6)] == [1, 2, 4]
    text = compiled.lower(6).text("optimized")
    copies = re.findall(r"= s64\[6\]\S* copy\(", text)
    assert len(copies) == 1  # where the function begins


def reached_cells(grid):
    """One array is read and updated four times in an iteration."""
    n, m = grid.shape
    steps = np.full((n, m), -1)
    rows, columns = np.zeros(n * m, dtype=np.int64), np.zeros(n * m, dtype=np.int64)
    steps[0, 0] = 0
    head, tail = 0, 1
    while head < tail:
        i, j = rows[head], columns[head]
        head += 1
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            u, v = i + di, j + dj
            if 0 <= u < n and 0 <= v < m and grid[u, v] == 0 and steps[u, v] < 0:
                steps[u, v] = steps[i, j] + 1
                rows[tail], columns[tail] = u, v
                tail += 1
    return steps


def test_each_of_several_updates_in_an_iteration_waits_for_the_reads_before_it():
    for n in (3, 40):
        grid = (np.random.default_rng(n).random((n, n)) < 0.25).astype(np.int64)
        np.testing.assert_array_equal(pyxla.compile(reached_cells)(grid), reached_cells(grid))
    text = pyxla.code_hlo(reached_cells, pyxla.i64[40, 40], optimized=True)
    body = text[: text.index("%while_kernel")]
    assert re.findall(r"= (\S+) copy\(", body) == []
    assert text.count(" call(") < 100  # what is kept is not kept again


def relaxed(d):
    for k in range(len(d)):
        for i in range(len(d)):
            for j in range(len(d)):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


def test_what_is_read_for_an_update_alone_is_known_to_lie_apart():
    """It and the position are operands of what ends an iteration."""
    ours, theirs = [np.random.default_rng(0).random((9, 9)) for _ in range(2)]
    pyxla.compile(relaxed)(ours)
    relaxed(theirs)
    np.testing.assert_array_equal(ours, theirs)
    text = pyxla.code_hlo(relaxed, pyxla.f64[40, 40], optimized=True)
    assert re.search(r"ROOT %\S+ = \(.*\) call\(%\S+, %.*\), to_apply=%same", text)


def counted(x, counts):
    for i in range(len(x)):
        counts[x[i] & 63] += 1


def test_what_xla_fuses_with_an_update_is_not_kept():
    ours, theirs = [np.zeros(64, np.int64) for _ in range(2)]
    x = np.random.default_rng(0).integers(0, 1000, 200)
    pyxla.compile(counted)(x, ours)
    counted(x, theirs)
    np.testing.assert_array_equal(ours, theirs)
    text = pyxla.code_hlo(counted, pyxla.i64[200], pyxla.i64[64], optimized=True)
    assert not re.search(r"= s64\[1\]\S* (call|fusion)\(", text)


def spread_on_a_ring(x, y, steps):
    n = len(x)
    u, v = x.copy(), y.copy()
    for _ in range(steps):
        for i in range(n):
            left, right = (i - 1) % n, (i + 1) % n
            u[i] = 0.5 * x[i] + 0.25 * (x[left] + x[right]) - 0.1 * y[right]
            v[i] = 0.5 * y[i] + 0.25 * (y[left] + y[right]) + 0.1 * x[left]
        x[:], y[:] = u, v


def test_what_xla_computes_once_for_several_uses_is_known_to_lie_apart():
    ours, theirs = [np.random.default_rng(0).random((2, 40)) for _ in range(2)]
    pyxla.compile(spread_on_a_ring)(*ours, 5)
    spread_on_a_ring(*theirs, 5)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    types = [pyxla.f64[40], pyxla.f64[40], int]
    text = pyxla.code_hlo(spread_on_a_ring, *types, optimized=True)
    codes = {code.split(" ", 1)[0]: code for code in re.split(r"\n\n(?=%)", text)}
    bodies = [codes[name] for name in re.findall(r" while\(.*body=(%[\w.-]+)", text)]
    (code,) = [code for code in bodies if "remainder" in code]
    (last,) = re.findall(r"ROOT .* call\((.*)\), to_apply=%same", code)
    made = re.findall(r"(%\S*remainder\S*) = \S+ (?:fusion|remainder)\(", code)
    assert made
    assert set(made) <= set(re.findall(r"%[\w.-]+", last))


def damped(x):
    s = t = x[0]
    for i in range(len(x)):
        r = -(x[i] / (s + 2.0))
        s = 0.5 * r + 1.0
        t += r / 8.0
    return s, t


def test_quotients_in_loops_of_numbers_are_computed_once():
    x = np.random.default_rng(0).random(50)
    assert pyxla.compile(damped)(x) == damped(x)
    instrs = walk(compilation(damped, x).at("regions").region.instrs)
    owners = [instr.operands[0].owner for instr in instrs if instr.op is kept]
    assert [owner.op.name for owner in owners] == ["divide"]  # of an eighth XLA makes a product


def pairs(text, counts):
    for i in range(1, len(text)):
        counts[text[i - 1], text[i]] += 1


def placed(x, counts):
    for i in range(len(x)):
        counts[int(x[i] * 40.0)] += 1


@pytest.mark.parametrize(
    ("program", "array", "size", "reads"),
    [
        (pairs, np.arange(200) * 7 % 8, (8, 8), 3),
        (placed, np.random.default_rng(0).random(200), (40,), 2),
    ],
)
def test_what_says_where_to_write_is_read_once(
    program: Callable, array: np.ndarray, size: tuple[int, ...], reads: int
):
    """For what is read there, what is written, and the checks of the index."""
    ours, theirs = [np.zeros(size, np.int64) for _ in range(2)]
    pyxla.compile(program)(array, ours)
    program(array, theirs)
    np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(IndexError):
        pyxla.compile(program)(array + 8, ours)
    text = pyxla.code_hlo(program, array, ours, optimized=True)
    assert text.count(" dynamic-slice(") == reads


def handed_on(arrays, places):
    for i in range(len(places)):
        values = [a[i] for a in arrays]
        total = sum(values)
        for k, a in enumerate(arrays):
            a[places[i]] = total / (values[k - 1] + 1)


def test_many_values_are_waited_for_once():
    ours, theirs = [list(np.random.default_rng(0).random((40, 20))) for _ in range(2)]
    places = np.arange(20)[::-1].copy()
    pyxla.compile(handed_on)(ours, places)
    handed_on(theirs, places)
    np.testing.assert_array_equal(ours, theirs)
    region = compilation(handed_on, [pyxla.f64[20]] * 40, pyxla.i64[20]).at("regions").region
    waiting = [len(i.operands) for i in walk(region.instrs) if i.op is kept]
    assert sum([count > 2 for count in waiting]) == 1


class Particle:
    def __init__(self, x):
        self.x, self.best, self.cost = x, None, 1e9


def best_of_lists(v):
    """Rows are read, for a sum and where data says, and then updated; the sum is between."""
    swarm = [Particle([row[0], row[1]]) for row in v]
    for k in range(5):
        for p in swarm:
            cost = sum(p.x) - k
            if cost < p.cost:
                p.cost, p.best = cost, p.x[:]
            p.x = [a * 0.99 for a in p.x]
    return sum(p.best[0] for p in swarm)


def best_of_tuples(v):
    """A conditional that is no selection reads rows that are updated after it."""
    swarm = [Particle((row[0], row[1])) for row in v]
    for k in range(5):
        for p in swarm:
            cost = sum(p.x) - k
            if cost < p.cost:
                p.cost, p.best = cost, p.x
            p.x = [a * 0.99 for a in p.x]
    return sum(p.best[0] for p in swarm)


@pytest.mark.parametrize("program", [best_of_lists, best_of_tuples])
def test_lists_in_pools_are_not_copied(program):
    rows = np.arange(1500.0).reshape(500, 3)
    compiled = pyxla.compile(program)
    assert compiled(rows) == program(rows)
    text = compiled.lower(rows).text("optimized")
    assert not re.findall(r"= f64\[\d{4,},\d+\]\S* copy\(%(?:get-tuple|copy)", text)
