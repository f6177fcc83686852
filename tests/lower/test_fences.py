"""A program whose fences once read an array before the update that they depended on."""

import re

import numpy as np

import pyxla


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


def test_small_arrays_are_copied_rather_than_read_in_a_conditional():
    for n, fenced in ((50, False), (3000, True)):
        words = np.random.default_rng(n).standard_normal((300, n))
        made = pyxla.compile(pyxla.grad(smoothed)).lower(words)
        assert ("conditional(" in made.text("optimized")) == fenced
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
