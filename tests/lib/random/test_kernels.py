"""What draws, run by CPython, against NumPy: the same numbers and the same state after them."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from pyxla.lib.random import continuous, discrete, integers, legacy, pcg64
from pyxla.lib.random.state import FIELDS, STATES, opened, set_state
from pyxla.lib.random.tables import SOURCES, tables


class Bits:
    """The fields of a bit generator."""

    def __init__(self, generator: np.random.Generator) -> None:
        for name, value in zip(FIELDS, opened(generator.bit_generator), strict=True):
            setattr(self, name, value)


def source(bits: Bits, dtype: type) -> Any:
    """What draws of `dtype` from `bits` read."""
    return SOURCES[dtype](bits, **tables(dtype))


def check_state(bits: Any, generator: np.random.Generator) -> None:
    after = np.random.PCG64(0)
    set_state(after, {name: getattr(bits, name) for name in FIELDS})
    assert after.state == generator.bit_generator.state


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_bit_for_bit(name, dtype):
    generator = np.random.default_rng(7)
    bits = Bits(generator)
    draw = getattr(continuous, name)
    count = 4000  # enough for tails and wedges
    with np.errstate(all="ignore"):
        drawn = np.array([draw(source(bits, dtype)) for _ in range(count)])
    np.testing.assert_array_equal(drawn, getattr(generator, name)(count, dtype=dtype))
    check_state(bits, generator)


ROWS = [
    *[("standard_gamma", (shape,)) for shape in (0.3, 1.0, 0.0, 2.5, 50.0)],
    *[("beta", ab) for ab in ((0.5, 0.5), (2.0, 3.0), (0.5, 3.0), (1e-110, 1e-110), (1e-3, 1e-3))],
    *[("noncentral_chisquare", ab) for ab in ((3.0, 1.0), (0.5, 2.0), (2.0, 0.0))],
    *[("wald", ab) for ab in ((1.0, 2.0), (3.0, 0.1))],
    *[("vonmises", ab) for ab in ((0.0, 4.0), (1.0, 1e-9), (1.0, 1e-6), (0.5, 1e7), (3.0, 0.5))],
    *[("poisson", (lam,)) for lam in (3.0, 0.0, 10.0, 100.5, 1e6)],
    *[("binomial", np_) for np_ in ((10, 0.3), (10, 0.8), (0, 0.5), (1000, 0.3), (1000, 0.7))],
    *[("binomial", np_) for np_ in ((10**5, 0.01), (10**6, 0.5))],
    *[("geometric", (p,)) for p in (0.5, 0.1, 1e-5)],
    *[("logseries", (p,)) for p in (0.5, 0.99)],
    *[("zipf", (a,)) for a in (2.0, 4.0, 2000.0)],
    *[(name, ()) for name in ("standard_cauchy",)],
    *[(name, (2.0,)) for name in ("exponential", "pareto", "power", "rayleigh", "chisquare")],
    *[(name, (2.0,)) for name in ("weibull", "standard_t")],
    *[(name, (1.0, 2.0)) for name in ("normal", "lognormal", "uniform", "gamma", "f", "gumbel")],
    *[(name, (1.0, 2.0)) for name in ("laplace", "logistic")],
    ("weibull", (0.0,)),
    ("triangular", (-1.0, 0.5, 2.0)),
    ("noncentral_f", (3.0, 4.0, 1.0)),
    ("negative_binomial", (5.0, 0.25)),
    *[("hypergeometric", row) for row in ((5, 7, 4), (5, 7, 10), (0, 5, 3), (20, 5, 12))],
    *[("hypergeometric", row) for row in ((500, 700, 40), (900, 70, 500), (30, 3000, 2000))],
]


@pytest.mark.parametrize(("name", "params"), ROWS)
def test_distribution(name, params):
    """Up to rounding of exp, log and pow, which are NumPy's vector loops here."""
    generator = np.random.default_rng(11)
    bits = Bits(generator)
    draw = getattr(continuous, name, None) or getattr(discrete, name)
    typed = [np.int64(x) if isinstance(x, int) else np.float64(x) for x in params]
    with np.errstate(all="ignore"):
        drawn = np.array([draw(source(bits, np.float64), *typed) for _ in range(300)])
    expected = getattr(generator, name)(*params, size=300)
    assert drawn.dtype == expected.dtype
    np.testing.assert_allclose(drawn, expected, 1e-11)
    check_state(bits, generator)


LEGACY = [
    *[("beta", ab) for ab in ((0.5, 0.7), (2.0, 3.0), (1e-3, 1e-3))],
    *[("binomial", np_) for np_ in ((10, 0.3), (10, 0.8), (1000, 0.3), (1000, 0.7), (10**6, 0.5))],
    *[("geometric", (p,)) for p in (0.5, 0.1)],
    *[("zipf", (a,)) for a in (2.0, 1.01)],
    *[("hypergeometric", row) for row in ((5, 7, 4), (500, 700, 40), (30, 3000, 2000))],
    *[(name, (2.0,)) for name in ("pareto", "power", "rayleigh", "standard_gamma")],
    *[(name, (1.0, 2.0)) for name in ("wald", "normal")],
    *[("logseries", (0.9,)), ("poisson", (3.0,)), ("poisson", (100.5,))],
]


@pytest.mark.parametrize(("name", "params"), LEGACY)
def test_legacy_distribution(name, params):
    """Those of `np.random.RandomState`, over a twister that makes several blocks of words."""
    generator = np.random.RandomState(11)
    state = STATES[np.random.MT19937]
    fields = zip(state.names, state.open(generator._bit_generator), strict=True)
    bits = types.SimpleNamespace(**dict(fields))
    drawn_from = legacy.Legacy(bits, types.SimpleNamespace(has_spare=False, spare=0.0))
    modules = legacy, continuous, discrete
    draw = next(found for m in modules if (found := getattr(m, name, None)))
    typed = [np.int64(x) if isinstance(x, int) else np.float64(x) for x in params]
    with np.errstate(all="ignore"):
        drawn = np.array([draw(drawn_from, *typed) for _ in range(500)])
    np.testing.assert_allclose(drawn, getattr(generator, name)(*params, size=500), 1e-11)
    assert bits.pos == generator.get_state()[2]


@pytest.mark.parametrize("span", [0, 1, 6, 2**31, 2**32 - 1, 2**32, 2**63 + 5, 2**64 - 1])
def test_integers(span):
    generator = np.random.default_rng(3)
    bits = Bits(generator)
    with np.errstate(all="ignore"):
        drawn = np.array([integers.below(bits, np.uint64(span)) for _ in range(200)], np.uint64)
    expected = generator.integers(0, span, 200, dtype=np.uint64, endpoint=True)
    np.testing.assert_array_equal(drawn, expected)
    check_state(bits, generator)


def test_words():
    """Halves of outputs wait for the next call, in the state too."""
    generator = np.random.default_rng(1)
    bits = Bits(generator)
    with np.errstate(all="ignore"):
        words = [pcg64.next32(bits) for _ in range(3)]
        half = pcg64.next64(bits)
        words.append(pcg64.next32(bits))
    assert words[:3] == list(generator.integers(2**32, size=3, dtype=np.uint32))
    assert half == generator.integers(2**64, size=1, dtype=np.uint64)[0]
    assert words[3:] == list(generator.integers(2**32, size=1, dtype=np.uint32))
    check_state(bits, generator)
