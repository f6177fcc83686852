"""What a reverse loop saves: elements of arrays that iterations read, never the arrays."""

import heapq
import re

import numpy as np
import pytest

import pyxla

N = 7


def conditional(x):
    """Each iteration reads the array that it writes, in a branch."""
    y = np.zeros(N)
    for t in range(N):
        before = x
        if t > 0:
            before = np.sin(y[t - 1]) * x
        y[t] = before * before
    return np.sum(y * y)


def branch_in_a_branch(x):
    y = np.zeros(N)
    for t in range(N):
        z = x
        if t > 0:
            w = y + y
            if t > 2:
                z = w[t - 1] * np.sin(w[t - 2]) * x
            else:
                z = np.cos(w[t - 1])
        y[t] = z + x
    return np.sum(y * y)


def inner_loop(x):
    """The inner loop reads the row before the one it writes."""
    y = np.zeros((N, 5))
    for t in range(1, N):
        row = np.zeros(5)
        for k in range(5):
            row[k] = np.sin(y[t - 1, k]) * y[t - 1, k] + x * (k + 1)
        y[t] = row
    return np.sum(y * y)


@pytest.mark.parametrize(
    ("f", "arrays"),
    [(conditional, "f64[7,7]"), (branch_in_a_branch, "f64[7,7]"), (inner_loop, "f64[7,7,5]")],
)
def test_saved_are_elements(f, arrays):
    gradient = pyxla.grad(f)
    exact = (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(gradient(0.3), exact, rtol=1e-6)
    text = pyxla.code_hlo(pyxla.compile(lambda x: pyxla.grad(f)(x)), 0.3)
    assert arrays not in text
    assert arrays.replace("7,7", "6,7") not in text


RANDOM = np.random.default_rng(0)
START, NOISE, SEEN = RANDOM.normal(size=6), RANDOM.normal(size=(4, 6)), RANDOM.normal(size=4)


def particles(x):
    """The largest of what the reverse computes anew, perhaps rounded another way."""
    total = 0.0
    for t in range(4):
        x = 0.9 * x + 0.6 * NOISE[t]
        logs = -0.5 * (SEEN[t] - x) ** 2
        largest = logs.max()
        weights = np.exp(logs - largest)
        total += largest + np.log(weights.mean())
        at = np.searchsorted(np.cumsum(weights), (np.arange(6) + 0.5) / 6)
        x = x[np.minimum(at, 5)]
    return total


def test_largest_of_what_is_computed_anew():
    found = pyxla.grad(particles)(START)
    steps = np.eye(6) * 1e-6
    exact = [(particles(START + s) - particles(START - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-8)


def test_short_loops_inside_of_others_have_little_room():
    """The room is made anew each time: that of a loop by itself took longer than the loop.

    One entry more is for what nobody reads.
    """

    def f(x, n):
        total = 0.0
        for i in range(n):
            y = x + i
            while y > 1.0:
                y = np.sin(y) * 0.5 + y * 0.25
            total += y
        return total

    code = str(pyxla.code_stablehlo(pyxla.grad(f), 2.0, 4))
    assert max(map(int, re.findall(r"tensor<(\d+)xf64", code))) <= 2049
    step = 1e-6
    slope = (f(2.0 + step, 4) - f(2.0 - step, 4)) / (2 * step)
    np.testing.assert_allclose(pyxla.grad(f)(2.0, 4), slope, rtol=1e-6)


def cheapest_products(d):
    """Loops whose lengths are differences of counters: the order of a chain of products."""
    n = len(d) - 1
    least = np.zeros((n, n))
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = np.inf
            for k in range(i, j):
                best = min(best, least[i, k] + least[k + 1, j] + d[i] * d[k + 1] * d[j + 1])
            least[i, j] = best
    return least[0, n - 1]


def by_halves(x):
    """Loops that double or halve their counters, as those of heaps do."""
    heap = []
    for v in x:
        heapq.heappush(heap, v * v)
    total = 0.0
    while heap:
        total = total * 0.5 + heapq.heappop(heap)
    return total


@pytest.mark.parametrize("f", [cheapest_products, by_halves])
def test_lengths_that_counters_around_bound_need_no_snapshots(f):
    """Each loop was run again from nine snapshots or more: ten times as long."""
    x = np.array([0.7, 1.2, 0.4, 2.1, 0.5, 1.7, 0.9])
    steps = np.eye(len(x)) * 1e-6
    exact = [(f(x + s) - f(x - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(pyxla.grad(f)(x), exact, rtol=1e-6, atol=1e-8)
    code = str(pyxla.code_stablehlo(pyxla.grad(f), x))
    assert not re.search(r"tensor<(9|65)x", code)


def settles(x):
    """Iterations as many as are needed, and a limit that is never reached."""
    y = np.zeros(5)
    for _ in range(100_000):
        new = np.tanh(0.3 * y[::-1] + x)
        if np.abs(new - y).max() < 1e-9:
            break
        y = new
    return y @ y


def test_what_a_limit_allows_gets_no_room():
    """All that 100,000 iterations may save was made and cleared in each call, 350 times as long."""
    x = np.array([0.3, 1.2, -0.7, 2.1, 0.4])
    steps = np.eye(5) * 1e-6
    exact = [(settles(x + s) - settles(x - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(pyxla.grad(settles)(x), exact, rtol=1e-5)
    assert "tensor<100000x" not in str(pyxla.code_stablehlo(pyxla.grad(settles), x))


def test_snapshots_of_large_states_are_fewer():
    """64 of 16 megabytes took a gigabyte, however short the loop was."""

    def f(x, limit):
        while x[0] < limit:
            x = np.sin(x) + 0.5
        return x.sum()

    code = str(pyxla.code_stablehlo(pyxla.grad(f), pyxla.f64[2_000_000], float))
    assert "tensor<17x2000000xf64>" in code
    assert "tensor<65x2000000xf64>" not in code


def smoothed(u, limit):
    """Four parts of the state are read, which together are larger than it."""
    while np.abs(u).max() > limit:
        u = u.copy()
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * (1.0 - u[1:-1] ** 2)
    return (u * u).sum()


def test_what_is_computed_of_the_state_is_saved_as_the_state():
    u = np.sin(np.linspace(0.0, 6.0, 37))
    steps = np.eye(37)[::9] * 1e-6
    exact = [(smoothed(u + s, 0.8) - smoothed(u - s, 0.8)) / 2e-6 for s in steps]
    np.testing.assert_allclose(pyxla.grad(smoothed)(u, 0.8)[::9], exact, rtol=1e-5, atol=1e-8)
    code = str(pyxla.code_stablehlo(pyxla.grad(smoothed), u, 0.8))
    assert re.search(r"tensor<\d+x37xf64>", code)
    assert not re.search(r"tensor<\d\d+x35xf64>", code)


def test_a_loop_that_saves_nothing_is_not_run_again():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += x[i]
        return total * total

    x = np.arange(9.0)
    np.testing.assert_allclose(pyxla.grad(f)(x, 4), [12.0] * 4 + [0.0] * 5)
    assert str(pyxla.code_stablehlo(pyxla.grad(f), x, 4)).count("stablehlo.while") <= 2


def test_as_many_snapshots_as_loops_need():
    """Where an iteration saves little, a block has many of them: 64 states were cleared in vain."""

    def f(x, limit):
        k, last = 1, x[0]
        while last < limit:
            last = np.sin(x[7 * k % 5000]) + 0.1 * last
            x[k] = last * x[k]
            k += 1
        return last

    x = np.random.default_rng(0).normal(size=5000)
    code = str(pyxla.code_stablehlo(pyxla.grad(f), x, 1.0))
    found = {int(n) for n in re.findall(r"tensor<(\d+)x5000xf64>", code)}
    assert found and max(found) < 20
    step = np.random.default_rng(1).normal(size=5000) * 1e-6
    slope = (f(x + step, 0.9) - f(x - step, 0.9)) / 2
    assert pyxla.grad(f)(x, 0.9) @ step == pytest.approx(slope)
