"""Functions of many doubles as arithmetic: right to a unit or two in the last place."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla.ir.rewrite import walk
from pyxla.ops.elementwise import atan2, cosine, sine
from pyxla.reflect import compilation

rng = np.random.default_rng(5)
SIZE = 4096
SIGNS = rng.choice([-1.0, 1.0], SIZE)
ANGLES = {
    "some turns": rng.uniform(-50, 50, SIZE),
    "many turns": rng.uniform(-1e6, 1e6, SIZE),
    "quarters": np.arange(SIZE) * (np.pi / 2),
    "tiny": SIGNS * 10.0 ** rng.uniform(-300, 0, SIZE),
    "one out of range": np.append(rng.uniform(-9, 9, SIZE - 1), 1e22),
    "all out of range": SIGNS * 10.0 ** rng.uniform(7, 300, SIZE),
    "none and out of range": np.append(rng.uniform(-9, 9, SIZE - 3), [np.nan, 1e19, np.inf]),
    "zeros": SIGNS * 0.0,
}
PAIRS = {
    "points": (rng.normal(size=SIZE), rng.normal(size=SIZE)),
    "apart": [SIGNS * 10.0 ** rng.uniform(-9, 9, SIZE) for _ in "yx"],
    "diagonals": (SIGNS, np.roll(SIGNS, 1)),
    "axes": (SIGNS * (np.arange(SIZE) % 2), np.roll(SIGNS, 1) * (np.arange(1, SIZE + 1) % 2)),
    "origin": (SIGNS * 0.0, np.roll(SIGNS, 1) * (np.arange(SIZE) % 3)),
    "huge": [SIGNS * 10.0 ** rng.uniform(290, 307, SIZE) for _ in "yx"],
    "infinite": (np.append(SIGNS[1:], np.inf), np.append(SIGNS[1:], -np.inf)),
    "none": (np.append(SIGNS[1:], np.nan), SIGNS),
}


def sines(x):
    return np.sin(x)


def cosines(x):
    return np.cos(x)


def angles(y, x):
    return np.arctan2(y, x)


def _units(got: np.ndarray, name: str, *args: np.ndarray) -> float:
    """The largest error, in units in the last place."""
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*[x.astype(np.longdouble) for x in args])
        finite = np.isfinite(exact)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(exact))
        np.testing.assert_array_equal(np.signbit(got[finite]), np.signbit(exact[finite]))
        error = np.abs(got - exact) / np.spacing(np.abs(exact.astype(np.float64)))
    return float(np.max(error[finite]))


@pytest.mark.parametrize("kind", ANGLES)
@pytest.mark.parametrize(("function", "name"), [(sines, "sin"), (cosines, "cos")])
def test_waves(function, name, kind):
    x = ANGLES[kind]
    assert _units(pyxla.compile(function)(x), name, x) < 1.0


@pytest.mark.parametrize("kind", PAIRS)
def test_angles_of_points(kind):
    y, x = PAIRS[kind]
    assert _units(pyxla.compile(angles)(y, x), "arctan2", y, x) < 3.0


def test_matrices_and_loops():
    def turned(x, n):
        for _ in range(n):
            x = x + 0.1 * np.sin(x) * np.cos(x.T) + np.arctan2(x, x.T + 3.0)
        return x

    x = rng.normal(size=(64, 64))
    np.testing.assert_allclose(pyxla.compile(turned)(x, 5), turned(x, 5), rtol=1e-12, atol=1e-12)


def test_derivatives():
    x = rng.normal(size=SIZE)
    got = pyxla.grad(lambda x: np.sum(np.sin(x) * x))(x)
    np.testing.assert_allclose(got, np.cos(x) * x + np.sin(x), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("function", "op"), [(sines, sine), (cosines, cosine), (angles, atan2)])
def test_the_library_is_only_for_what_is_out_of_range(function, op):
    args = [ANGLES["some turns"]] * function.__code__.co_argcount
    region = compilation(function, *args).at("regions").region
    assert all(instr.op is not op for instr in region.instrs)
    assert any(instr.op is op for instr in walk(region.instrs))
    assert " conditional(" in pyxla.code_hlo(function, *args, optimized=True)


@pytest.mark.parametrize("x", [np.ones(20), np.ones(SIZE, np.float32)])
def test_few_elements_and_single_precision_stay(x):
    region = compilation(sines, x).at("regions").region
    assert any(instr.op is sine for instr in region.instrs)
