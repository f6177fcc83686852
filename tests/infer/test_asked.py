"""What does not fit raises as in NumPy, word for word, where a branch or a `try` leads there."""

import linecache

import numpy as np
import pytest

import pyxla
from tests.compare import difference

# Of x = arange(5.), a = ones((2, 3)) and k = array([1, 2, 3]).
EXPRESSIONS = """
x + a
x += a
x[:] = a
a @ a
x in a
x[x]
a[[0, 1], [0, 1, 2]]
x if x[:0] else 1
x.reshape(2, 3)
np.reshape(x, (-1, 2))
x.item()
x.sum(axis=1)
np.sum(a, axis=2)
np.prod(a, axis=(0, 0))
np.moveaxis(a, 0, 2)
np.fft.rfft(x[:0])
np.linalg.inv(a)
np.linalg.cholesky(x)
np.linalg.solve(np.eye(3), x)
np.linalg.lstsq(a, x, rcond=None)
np.linalg.multi_dot([a, a])
np.linalg.norm(x, "fro")
np.trapezoid(x, x[:3])
np.cov(x, x[:3])
np.corrcoef(x, x[:3])
np.cov(np.ones((2, 2, 2)))
np.cov(x, aweights=x[:2])
np.average(a, axis=1, weights=np.ones(2))
np.concatenate([x, a])
np.concatenate([a, a.T])
np.hstack([x, a])
np.column_stack([x, a])
np.dstack([a, x])
np.block([[a, x]])
np.array([x, a[0]])
np.array([300], dtype=np.uint8)
np.zeros(-1)
np.argmax(x[:0])
np.percentile(x[:0], 50)
np.nanmax(x[:0])
np.repeat(x, -1)
np.broadcast_to(x, (2, 3))
np.broadcast_arrays(x, a)
np.select([x > 1], [a])
np.select([x > 1, x > 2], [x])
np.choose(k, [x, x])
np.take_along_axis(a, k, axis=0)
np.add.reduceat(x, [5])
np.bincount(a)
np.bincount(k, weights=x)
np.histogram(x, bins=3, weights=k)
np.searchsorted(a, 1)
np.searchsorted(x, 1, side="middle")
np.pad(x, -1)
np.convolve(x, x[:0])
np.correlate(x[:0], x)
np.gradient(x[:1])
np.einsum("ij,jk", a, a)
np.einsum("ii", a)
np.vdot(a, x)
np.inner(a, x)
np.roots(a)
np.insert(x, 9, 1)
np.rot90(x)
np.fliplr(x)
np.matvec(a, x)
np.copyto(x, a)
np.putmask(x, k > 1, 0)
np.apply_along_axis(np.sum, 2, a)
k ** -1
"""

BRANCH = """
def f(x, a, k, flag):
    if flag > 0.5:
        {}
    return x.sum()
"""
HANDLER = """
def f(x, a, k, flag):
    try:
        {}
    except {} as error:
        return str(error)
    return ""
"""
LINES = EXPRESSIONS.strip().splitlines()
# TypeErrors are refused where nothing takes them.
CAUGHT = ["np.polyfit(x, x[:3], 1)", "np.bincount(x)", "np.average(a, weights=x)", "np.lexsort(())"]


def made(source):
    file = f"<{source}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = {"np": np}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def outcome(function, flag):
    try:
        return function(np.arange(5.0), np.ones((2, 3)), np.array([1, 2, 3]), flag)
    except pyxla.CompileError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return error


@pytest.mark.parametrize("line", LINES)
def test_in_a_branch(line):
    function = made(BRANCH.format(line))
    compiled = pyxla.compile(function)
    for flag in (0.0, 1.0):
        assert not difference(outcome(compiled, flag), outcome(function, flag))


@pytest.mark.parametrize("line", [*LINES[::8], *CAUGHT])
def test_caught(line):
    expected = type(outcome(made(BRANCH.format(line)), 1.0))
    function = made(HANDLER.format(line, "Exception"))
    assert outcome(pyxla.compile(function), 0.0) == outcome(function, 0.0) != ""
    assert issubclass(expected, Exception)


def test_what_the_elements_decide_is_not_asked():
    """Samples that NumPy takes, or refuses in other words, tell nothing."""

    def scaled(x, n):
        return np.linalg.inv(x) * n if n > 0 else np.take(x, [0])

    for flag in (0.0, 1.0):
        given = np.eye(2) * 2
        assert not difference(pyxla.compile(scaled)(given, flag), scaled(given, flag))
