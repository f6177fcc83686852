"""Loops in loops: what the inner ones save lies in logs, and arrays are taken back in parts."""

import math
import re

import numpy as np
import pytest

import pyxla

GAPS = np.array([0.5, 0.7, 0.2, 0.9])


def waiting(gaps, end):
    """The outer loop had whole lists for the inner one, which runs again from its start."""
    queue, t, total, n = [], 0.0, 0.0, 0
    while t < end:
        t += gaps[n % 4]
        queue.append(t)
        while queue and queue[0] < t - 1.5:
            total += 0.1 * (t - queue.pop(0)) ** 3
        n += 1
    return total


def always_as_often(gaps, _end):
    queue, t, total = [], 0.0, 0.0
    for n in range(50):
        t += gaps[n % 4]
        queue.append(t)
        while queue and queue[0] < t - 1.5:
            total += 0.1 * (t - queue.pop(0)) ** 3
    return total


def smaller_before(heights, _end):
    """The inner loop reads a stack that the outer one writes."""
    stack, total = [], 0.0
    for i in range(len(heights)):
        while stack and heights[stack[-1]] > heights[i]:
            total += math.sqrt(heights[stack.pop()]) * (i + len(stack))
        stack.append(i)
    return total


def written_twice(x, end):
    a, n, s = np.ones(64) * x[0], 0, 0.0
    while n < 40 and s < end * 1e6:
        a[(3 * n) % 64] = a[(3 * n + 1) % 64] * x[1] + 0.3
        a[(5 * n) % 64] *= x[2]
        j, w = n % 7, 1.0
        while w > 0.05:
            b = a[(j + 2) % 64]
            s, w, j = s + w * math.sin(a[j]), w * 0.7 * b / (1 + b), (j + 1) % 64
        a[n] += 0.01 * s
        n += 1
    return s + a @ a + x[3]


def deep(x, end):
    """Logs of a loop in a loop in a loop."""
    queue, s, n = [], 0.0, 0
    while n < end / 2:
        queue.append(x[0] * n)
        k = 0
        while k < len(queue) and queue[k] < 100.0:
            z = 0.1 + queue[k] * x[1]
            while z < 2.0:
                z = z * (1.3 + x[2]) + 0.05
            s += math.log(z) * x[3]
            queue[k] += 0.1 * z
            k += 2
        if len(queue) > 6:
            queue.pop(0)
        n += 1
    return s


def long_ones(x, end):
    """With 100: more iterations than the log has room for, by far."""
    seen, total = [0.0], 0.0
    while len(seen) < 4:
        y = x[0]
        k = 0
        while k < end * 30 and seen[-1] < 1e9:
            y = y * (1 - 1e-3 * x[1] * y) + 1e-3 * x[2]
            k += 1
        total += y * y * x[3]
        seen.append(total)
    return total + sum(seen)


PROGRAMS = [waiting, always_as_often, smaller_before, written_twice, deep, long_ones]
STEPS = np.eye(4) * 1e-6


def differences(f, x, *rest):
    return np.array([(f(x + s, *rest) - f(x - s, *rest)) / 2e-6 for s in STEPS])


@pytest.mark.parametrize("f", PROGRAMS)
def test_right_whether_there_is_room_or_not(f):
    slope = pyxla.grad(f)
    for end in (0.0, 9.0, 200.0):
        exact = differences(f, GAPS, end)
        np.testing.assert_allclose(slope(GAPS, end), exact, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives_and_lanes(f):
    slope = pyxla.grad(f)
    exact = differences(slope, GAPS, 9.0)
    np.testing.assert_allclose(pyxla.hessian(f)(GAPS, 9.0), exact, rtol=1e-5, atol=1e-6)
    lanes = np.stack([GAPS, GAPS * 0.97, GAPS * 1.05])
    many = pyxla.vmap(slope, in_axes=(0, None))(lanes, 9.0)
    np.testing.assert_allclose(many, [slope(x, 9.0) for x in lanes], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("f", [always_as_often, smaller_before])
def test_no_list_is_saved_for_each_iteration(f):
    x = np.resize(GAPS, 50)
    code = str(pyxla.code_stablehlo(pyxla.grad(f), x, 9.0))
    assert not re.search(r"tensor<5[01]x1024x", code)


def test_logs_that_suffice_for_sure_need_no_snapshots():
    """A loop whose length those around bound: each run had cleared room for the longest."""

    def f(x):
        total = 0.0
        for i in range(20):
            y, steps = x + 0.1 * i, 0
            while abs(y * y - 2.0) > 1e-6 and steps < 60:
                y -= (y * y - 2.0) / (2.0 * y) * math.sin(y)
                steps += 1
            total += y * math.exp(-steps * x)
        return total

    code = str(pyxla.code_stablehlo(pyxla.grad(f), 0.7))
    assert "tensor<1200xf64>" in code
    assert "tensor<60xf64>" not in code
    assert "stablehlo.if" not in code
    np.testing.assert_allclose(
        pyxla.grad(f)(0.7), (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rtol=1e-5
    )
