"""`np.random.RandomState` and Python's `random`: NumPy's and CPython's numbers to the last bit, and
the state after them, or a refusal that says why."""

from __future__ import annotations

import random
import types
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from pyxla.infer.random import legacy, python

N = 21  # odd, so that a normal number waits in the state


def uniform(r):
    a = r.random(N), r.random_sample((3, 5)), r.random(), r.rand(), r.rand(N), r.rand(2, 0)
    return *a, r.uniform(-1.0, 2.5, N), r.uniform([0, 1], [2, 3], (5, 2)), r.tomaxint(N)


def normal(r):
    a = r.randn(), r.standard_normal(N), r.normal(1.0, 2.0, N), r.normal(np.zeros((2, 1)), [1, 2])
    return *a, r.lognormal(0.5, 1.2, N), r.standard_cauchy(N), r.wald(1.0, 2.0, N), r.randn(N)


def by_logarithm(r):
    a = r.exponential(2.0, N), r.standard_exponential(N), r.gumbel(1.0, 2.0, N)
    b = r.laplace(1.0, 2.0, N), r.logistic(1.0, 2.0, N), r.pareto(3.0, N), r.power(3.0, N)
    return *a, *b, r.rayleigh(2.0, N), r.weibull(2.0, N), r.triangular(-1.0, 0.5, 2.0, N)


def gammas(r):
    a = r.standard_gamma(2.0, N), r.gamma(0.5, 2.0, N), r.chisquare(3.0, N), r.gamma(1.0, 2.0)
    return *a, r.standard_t(3.0, N), r.f(2.0, 3.0, N), r.dirichlet([1.0, 2.0], N)


def betas(r):
    a = r.beta(0.5, 0.7, N), r.beta(2.0, 3.0, N), r.noncentral_chisquare(3.0, 1.0, N)
    return *a, r.noncentral_f(3.0, 4.0, 1.0, N)


def gamma_at_run_time(r, shape):
    return r.standard_gamma(shape, N)


def counts(r):
    a = r.poisson(3.0, N), r.poisson(100.5, N), r.geometric(0.5, N), r.geometric(0.1, N)
    return *a, r.logseries(0.9, N), r.zipf(2.0, N), r.negative_binomial(5, 0.25, N)


def binomials(r):
    a = r.binomial(10, 0.3, N), r.binomial(1000, 0.7, N), r.multinomial(20, [0.2, 0.0, 0.8], N)
    return *a, r.hypergeometric(5, 7, 4, N), r.hypergeometric(500, 700, 40, N)


def integers(r):
    a = r.randint(10, size=N), r.randint(-5, 2**40, N), r.randint(7), r.randint(0, 2**32, N)
    b = r.randint(0, 2**63 - 1, N), r.randint(0, 256, N, np.uint8), r.randint(2, size=N, dtype=bool)
    c = r.randint(0, 60000, N, np.uint16), r.randint(0, 2**64 - 1, N, np.uint64)
    return *a, *b, *c, r.randint([1, 300], [1000, 2000], (4, 2)), r.randint(3, dtype=np.int16)


def included(r):
    return r.random_integers(6), r.random_integers(2, 9, N)


def choices(r):
    a = r.choice(5), r.choice([1.0, 2.0, 4.0]), r.choice(np.arange(5.0), N), r.choice(10, (3, 2))
    b = r.choice(50, 20, replace=False), r.choice(4, N, p=[0.1, 0.2, 0.3, 0.4])
    return *a, *b, r.choice(4, 3, False, [0.1, 0.2, 0.3, 0.4]), r.choice(4, p=[0.1, 0.2, 0.3, 0.4])


def orders(r):
    x, rows = np.arange(float(N)), np.arange(30).reshape(10, 3)
    items, names = [3, 1, 4, 1, 5, 9], ["a", "b", "c"]
    for each in (x, rows, items, names):
        r.shuffle(each)
    return x, rows, items, names, r.permutation(N), r.permutation(rows)


def seeds(r):
    r.seed(12)
    first = r.rand()
    r.seed([1, 2, 3])
    return first, r.rand(), np.random.RandomState(77).randn(3), r.randn()


NUMPY = [
    *(uniform, normal, by_logarithm, gammas, betas, counts, binomials, integers, included),
    *(choices, orders, seeds),
]


def python_uniform(r):
    a = [r.random() for _ in range(N)], [r.uniform(1, 2.5) for _ in range(N)]
    b = [r.triangular(1.0, 5.0, 2.0) for _ in range(N)], r.triangular()
    return *a, *b, [r.getrandbits(40) for _ in range(N)], r.getrandbits(7), r.getrandbits(0)


def python_normal(r):
    a = [r.gauss(1.0, 2.0) for _ in range(N)], [r.normalvariate(3.0, 2.0) for _ in range(N)]
    return *a, [r.lognormvariate(0.0, 1.0) for _ in range(N)], r.gauss(), r.gauss()


def python_powers(r):
    a = [r.expovariate(3.0) for _ in range(N)], [r.paretovariate(3.0) for _ in range(N)]
    return *a, [r.weibullvariate(3.0, 2.0) for _ in range(N)]


def python_gammas(r):
    a = [r.gammavariate(3.0, 2.0) for _ in range(N)], [r.gammavariate(0.5, 2.0) for _ in range(N)]
    return *a, [r.gammavariate(1.0, 2.0) for _ in range(N)]


def python_beta(r):
    return [r.betavariate(3.0, 0.7) for _ in range(N)]


def python_integers(r):
    a = [r.randint(1, 10) for _ in range(N)], [r.randrange(1, 10, 3) for _ in range(N)]
    return *a, r.randrange(10**15), [r.choice([3, 4, 5]) for _ in range(N)]


def python_orders(r):
    x, a = list(range(N)), np.arange(7)
    r.shuffle(x)
    r.shuffle(a)
    return x, a, r.sample(range(1000), 10), r.sample([3, 1, 4, 1, 5, 9, 2], 5)


def python_choices(r):
    a = r.choices([1, 2, 3], k=N), r.choices([1, 2, 3], weights=[1, 2, 3], k=N)
    return *a, r.choices([1.0, 2.0], cum_weights=[1, 3], k=5)


def python_seeds(r):
    r.seed(12)
    first = r.random()
    r.seed("a text")
    return first, r.random(), random.Random(2**70).random(), random.Random(-3).gauss(0, 1)


PYTHON = [
    *(python_uniform, python_normal, python_powers, python_gammas, python_beta, python_integers),
    *(python_orders, python_choices, python_seeds),
]


# Logarithms, powers and roots that numbers show: XLA's are to be C's, and of arrays NumPy computes
# them in another way on some processors.
COMPILED = (normal, by_logarithm, gammas, betas, python_normal, python_powers)


def cases(programs: list[Any]) -> list[Any]:
    marks = {program: pytest.mark.compiled for program in COMPILED}
    return [pytest.param(p, marks=marks.get(p, ()), id=p.__name__) for p in programs]


def same(got: Any, expected: Any) -> bool:
    if type(got) is not type(expected):
        return False
    if isinstance(expected, (tuple, list)):
        return len(got) == len(expected) and all(map(same, got, expected))
    a, b = np.asarray(got), np.asarray(expected)
    return a.dtype == b.dtype and np.array_equal(a, b)


def state(r: Any) -> Any:
    if isinstance(r, random.Random) or r is random:
        return r.getstate()
    _, key, *rest = r.get_state()
    return key.tolist(), rest


def check(program: Any, r: Any, *args: Any) -> None:
    """Twice, so that the second call begins where the first one ended."""
    r.seed(5)
    expected = [program(r, *args) for _ in range(2)]
    after = state(r)
    r.seed(5)
    compiled = pyxla.compile(program)
    for x in expected:
        assert same(compiled(r, *args), x)
    assert state(r) == after


@pytest.mark.filterwarnings("ignore:This function is deprecated")
@pytest.mark.parametrize("program", cases(NUMPY))
def test_numpy(program):
    """Of the shared generator, or of one's own: they are one thing to a program."""
    check(program, np.random if len(program.__name__) % 2 and program is not uniform else OWN)


OWN = np.random.RandomState(0)


@pytest.mark.parametrize("program", cases(PYTHON))
def test_python(program):
    check(program, random if len(program.__name__) % 2 else random.Random(0))


@pytest.mark.compiled
def test_parameters_at_run_time():
    for shape in (0.5, 1.0, 2.0):
        check(gamma_at_run_time, np.random.RandomState(0), shape)


def shared(r):
    return r.sample(), r.ranf(3)


def test_old_names():
    check(shared, np.random)


NO_DRAWS = {"default_rng", "test", "Random", "SystemRandom", "main"}


def _names(programs: Any) -> set[str]:
    codes = [p.__code__ for p in programs]
    codes += [c for code in codes for c in code.co_consts if isinstance(c, types.CodeType)]
    return {name for code in codes for name in code.co_names}


@pytest.mark.parametrize(
    ("module", "refused", "programs"),
    [
        (np.random, {*legacy.REFUSED, *legacy.KEPT_BIT_GENERATOR}, [*NUMPY, shared]),
        (random, set(python.REFUSED), PYTHON),
    ],
)
def test_every_function(module, refused, programs):
    """Each is drawn from above, or is refused by name."""
    kinds = (types.ModuleType, type)
    public = {
        name
        for name in dir(module)
        if not name.startswith("_")
        and callable(getattr(module, name))
        and not isinstance(getattr(module, name), kinds)
    }
    assert public - NO_DRAWS <= refused | _names(programs)


@pytest.mark.parametrize("name", sorted({*legacy.REFUSED, *legacy.KEPT_BIT_GENERATOR}))
def test_refused_of_numpy(name):
    program = {"set_state": lambda: np.random.set_state(())}.get(name)
    function = getattr(np.random, name)
    with pytest.raises(CompileError, match="caller's|bytes|signs|acos"):
        pyxla.compile(program or (lambda: function()))()


@pytest.mark.parametrize("name", [n for n in python.REFUSED if hasattr(random, n)])
def test_refused_of_python(name):
    function = getattr(random, name)
    with pytest.raises(CompileError, match="caller's|bytes|acos|lgamma"):
        pyxla.compile(lambda: function())()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda: np.random.seed(), "without a seed"),
        (lambda: random.seed(), "without a seed"),
        (lambda: random.Random().random(), "without a seed"),
        (lambda: random.SystemRandom().random(), "operating system"),
        (lambda: random.getrandbits(64), "63 bits at a time"),
        (lambda: np.random.RandomState(np.random.SFC64(1)).rand(), "over np.random.PCG64"),
    ],
)
def test_refused(program, message):
    with pytest.raises(CompileError, match=message):
        pyxla.compile(program)()


@pytest.mark.parametrize(
    "program",
    [
        lambda r: r.normal(0, -1),
        lambda r: r.randint(5, 3),
        lambda r: r.choice(3, 5, replace=False),
        lambda r: r.seed(-1),
        lambda r: r.multinomial(10, [0.9, 0.9, 0.1]),
        lambda r: r.dirichlet([1.0, -1.0]),
        lambda r: r.rand() + [1][r.randint(3, 4)] if r.rand() < 0 else 1 // 0,
    ],
)
def test_exceptions(program):
    """The same exception, and what was drawn before it is drawn."""
    r, theirs = np.random.RandomState(1), np.random.RandomState(1)

    def after_one(r):
        r.rand()
        return program(r)

    with pytest.raises(Exception) as expected:  # noqa: PT011 - compared below
        after_one(theirs)
    with pytest.raises(type(expected.value)) as got:
        pyxla.compile(after_one, checks=True)(r)
    assert str(got.value) == str(expected.value)
    assert state(r) == state(theirs)


def test_seeds_at_run_time():
    @pyxla.compile
    def program(seed):
        np.random.seed(seed)
        return np.random.rand(), np.random.RandomState(seed).rand(), random.Random(seed).random()

    for seed in (0, 7, 2**32 - 1):
        expected = np.random.RandomState(seed).rand()
        assert program(seed) == (expected, expected, random.Random(seed).random())
    with pytest.raises(ValueError, match=r"Seed must be between 0 and 2\*\*32 - 1"):
        program(2**32)

    @pyxla.compile
    def wide(seed):
        return random.Random(seed).random()

    for seed in (2**32 - 1, 2**32, 2**63 - 1, -(2**40), -1):
        assert wide(seed) == random.Random(seed).random()
    words = np.array([4, 5, 6])
    got = pyxla.compile(lambda words: np.random.RandomState(words).rand())(words)
    assert got == np.random.RandomState(words).rand()


def test_objects():
    """Made inside and returned, captured, in containers, and one bit generator under two names."""
    held = {"r": np.random.RandomState(3), "p": random.Random(3)}

    @pyxla.compile
    def program(pair):
        made = np.random.RandomState(4)
        made.randn()
        other = random.Random(4)
        other.gauss(0, 1)
        held["r"].rand()
        held["p"].random()
        return made, other, pair[0].rand() + 2 * pair[1].rand()

    bits = np.random.MT19937(1)
    pair = [np.random.RandomState(bits), np.random.RandomState(bits)]
    made, other, both = program(pair)
    theirs, python_theirs = np.random.RandomState(4), random.Random(4)
    theirs.randn()
    python_theirs.gauss(0, 1)
    assert made.randn() == theirs.randn()
    assert state(other) == state(python_theirs)
    again = np.random.RandomState(np.random.MT19937(1))
    assert both == again.rand() + 2 * again.rand()
    assert pair[1].rand() == again.rand()
    assert held["r"].rand() == np.random.RandomState(3).rand(2)[1]
    expected = random.Random(3)
    expected.random()
    assert held["p"].random() == expected.random()


def test_generator_over_a_twister():
    def program(rng):
        other = np.random.Generator(np.random.MT19937(5))
        return rng.random(3), rng.normal(size=5), rng.integers(10, size=7), other.random()

    mine, theirs = [np.random.Generator(np.random.MT19937(2)) for _ in range(2)]
    assert same(pyxla.compile(program)(mine), program(theirs))
    assert mine.random() == theirs.random()


def test_transformations():
    """Numbers are constants to derivatives, and are drawn; elements of vmap have none to share."""

    def loss(w):
        return np.sum((w * np.random.normal(w, 1.0, 4) - random.random()) ** 2)

    step = 1e-6
    values = []
    for w in (0.5 + step, 0.5 - step):
        np.random.seed(3)
        random.seed(3)
        values.append(loss(w))
    after = state(np.random), state(random)
    np.random.seed(3)
    random.seed(3)
    slope = pyxla.grad(loss)(0.5)
    np.testing.assert_allclose(slope, (values[0] - values[1]) / (2 * step), 1e-6)
    assert (state(np.random), state(random)) == after
    with pytest.raises(CompileError, match="every element would draw the same numbers"):
        pyxla.vmap(lambda x: x + np.random.rand())(np.arange(3.0))


def test_artifacts(tmp_path):
    """What a program changes outside of it cannot be in a file."""
    with pytest.raises(CompileError, match="changes RandomState, which is outside"):
        pyxla.build(lambda: np.random.rand(), path=tmp_path / "x.pyxla")
    with pytest.raises(CompileError, match="prints or calls Python"):
        pyxla.build(print, float, path=tmp_path / "x.pyxla")
