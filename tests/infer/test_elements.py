"""What elements and numbers must be is checked as NumPy and CPython do."""

import linecache
import math

import numpy as np
import pytest

import pyxla
from tests.compare import difference

NAN, INF = math.nan, math.inf
SAMPLES = [
    ([1, 2, 3, 4, 5], [1, 1, 1, 0, 0], 1.0),
    ([1, 2, 3, 4, 5], [0, 0, 0, 0, 0], 3.0),
    ([NAN, 2, NAN, 4, 5], [1, -1, 1, -1, 0], 9.0),
    ([NAN] * 5, [1, 0, 0, NAN, 0], 9.0),
    ([INF, 1, 2, 3, 4], [1, 2, 3, 4, 5], NAN),
    ([1, 1, 1, -INF, 2], [1, 2, 3, 4, 5], INF),
]
ELEMENTS = """
np.average(x, weights=w)
np.average(x, None, w)
np.average(x[x > k], weights=w[x > k])
np.average(np.vstack([x, x]), axis=1, weights=w)
np.average(np.vstack([x, x]), axis=0, weights=np.vstack([w, -w]))
np.nanargmax(x)
np.nanargmin(np.vstack([x, w]), axis=1)
np.nanargmax(x[x > k]) if len(x[x > k]) else -1
np.histogram(x)
np.histogram(x, bins=3, range=(0, k))
np.histogram(x, bins=3, range=(k, 2))
np.histogram_bin_edges(x, 2)
np.histogram2d(x, x[::-1], 2)[0]
np.histogramdd((x, x + 1), 3, range=[(0, 3), (k, 2)])[0]
np.histogram(x[x > k], bins=2)
np.partition(x, int(w[0]))[int(w[0])]
np.argpartition(x, int(w[4]) + 1)[:1] * 0
np.partition(x[x > k], 2)[2]
"""
LOGARITHMS = ["math.log(n, k)", "math.log(n, 10)", "math.log(n, 2)", "int(math.log(n, 10))"]
PAIRS = [
    *((2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (2.0, 0.0), (2.0, -1.0), (0.0, 2.0), (-1.0, 1.0)),
    *((1000.0, 10.0), (8.0, 2.0), (125.0, 5.0), (NAN, 1.0), (2.0, NAN), (2.0, INF), (5, 1)),
]
POPULATIONS = [([1.0, 2.0, 3.0], 2, 1.0), ([], 0, 3.0), ([1.0], -1, 1.5)]
CHOICES = """
default_rng(0).integers(0, len(x), len(x))
default_rng(0).integers(len(x[x > k]), size=2)
default_rng(0).integers(0, n)
default_rng(0).integers(n, size=(0, 3))
default_rng(0).choice(x)
default_rng(0).choice(x, len(x))
default_rng(0).choice(x[x > k], 3)
default_rng(0).choice(x[x > k], size=0)
default_rng(0).choice(n, 2)
RandomState(0).choice(x)
RandomState(0).choice(x, 0)
RandomState(0).choice(x[x > k])
RandomState(0).choice(n, 3)
RandomState(0).randint(n, size=0)
"""
SCOPE = {
    "np": np,
    "math": math,
    "default_rng": np.random.default_rng,
    "RandomState": np.random.RandomState,
}


def made(expression, names):
    source, file = f"def f({names}):\n    return {expression}\n", f"<{expression}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = dict(SCOPE)
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def outcome(function, args):
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    except pyxla.CompileError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return error


def same(function, calls, rtol=None):
    compiled = pyxla.compile(function)
    for args in calls:
        assert not difference(outcome(compiled, args()), outcome(function, args()), rtol), args()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", ELEMENTS.strip().splitlines())
def test_elements(line):
    calls = [lambda s=s: (np.array(s[0], float), np.array(s[1], float), s[2]) for s in SAMPLES]
    same(made(line, "x, w, k"), calls)


@pytest.mark.parametrize("line", LOGARITHMS)
def test_logarithms(line):
    """To the last bit: `int(math.log(1000, 10))` is 2."""
    same(made(line, "n, k"), [lambda pair=pair: pair for pair in PAIRS], 1e-300)


@pytest.mark.parametrize("line", CHOICES.strip().splitlines())
def test_populations(line):
    calls = [lambda s=s: (np.array(s[0], float), *s[1:]) for s in POPULATIONS]
    same(made(line, "x, n, k"), calls)


SIZES = """
np.add.reduceat(x, k) if len(x) else 0
np.multiply.reduceat(np.ones((2, 4)), k, axis=1)
np.unique(np.zeros((len(x), 2), int), axis=0, return_index=True, return_inverse=True)
np.result_type(x[x > 1], k), np.zeros(2, np.result_type(x[x > 1], 1j))
np.bincount(np.abs(x + 0j).astype(int))
np.bincount(np.where(x > 2, -1, 3).astype(np.uint8)).sum()
"""


@pytest.mark.parametrize("line", SIZES.strip().splitlines())
def test_of_none(line):
    samples = [[1.0, 2.0, 3.0, 4.0], [0, 2]], [[0.0, 1.0, 2.0], []], [[], []]
    calls = [lambda s=s: (np.array(s[0], float), np.array(s[1], int)) for s in samples]
    same(made(line, "x, k"), calls)


PARTS = """
np.choose(k[m], [5, 6])
np.take(x[m], k[:1])
np.take(x[m], k[0])
np.add.reduceat(x[m, 0], k[:2])
np.add.reduceat(x[:, 0], k[m])
"""


@pytest.mark.parametrize("line", PARTS.strip().splitlines())
def test_positions_in_parts(line):
    """Positions are within what data leaves of an array, and those that it leaves out count not."""
    m = np.array([False, True, True, False, True, True, False])
    samples = [9, 1, 0, -5, 1, 0, 7], [13, 0, 1, 9, 1, 1, 9], [-12, 3, 1, 9, 2, 0, 9]
    calls = [lambda k=k: (np.arange(21.0).reshape(7, 3), np.array(k), m) for k in samples]
    same(made(line, "x, k, m"), calls)
