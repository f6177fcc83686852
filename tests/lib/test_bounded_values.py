"""Statistics, interpolation and choices of arrays of bounded extent, for every true size."""

from __future__ import annotations

import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from tests.lib.test_bounded import agree, data, masks

pytestmark = pytest.mark.filterwarnings("ignore")


def histograms(x, m):
    y = x[m]
    a = np.histogram(y, bins=3, range=(-4, 4)), np.histogram(y, bins=np.array([-2.0, 0.0, 4.0]))
    b = np.histogram(y), np.histogram(y, 4, weights=y * y), np.histogram_bin_edges(y, 4)
    return a, b, np.histogram(y, 3, density=True, range=(-9, 9))


def covariances(x, m):
    y = x[m]
    if len(y) < 2:
        raise ValueError
    return np.cov(y), np.cov(y, y * y), np.cov(y, y * y, ddof=0), np.corrcoef(y, 2 * y + y * y)


def choices(x, m):
    y = x[m]
    a = np.select([y > 1, y > 0], [y, -y], 0.0), np.select([y > 1, y < 0], [y, 1.0])
    b = np.choose((y > 0).astype(int), [y, -y]), np.take_along_axis(y, np.argsort(y), 0)
    return a, b, np.resize(y, 3), np.resize(y, (3, 4)), np.vander(y, 3), np.polyval([1.0, 2.0], y)


def pieces(x, m):
    y = x[m]
    share = np.piecewise(y, [y > 0], [lambda v: v / v.sum(), lambda v: -v])
    return share, np.piecewise(x, [x > 0, x < -1], [lambda v: v - v.mean(), 2.0, lambda v: v * 0])


def quantiles(x, m):
    y = x[m]
    if len(y) == 0:
        raise ValueError
    return np.percentile(y, 30), np.quantile(y, [0.1, 0.9]), np.quantile(y, 0.5)


def interpolations(x, m):
    y = np.sort(x[m])
    if len(y) == 0:
        raise ValueError
    at = np.array([-2.0, 0.5, 7.0])
    return np.interp(at, y, y * 2), np.interp(x, y, y * y), np.interp(y, [0.0, 9.0], [0.0, 1.0])


def gradients(x, m):
    y = x[m]
    if len(y) < 2:
        raise ValueError
    return np.gradient(y), np.gradient(y, 2.0)


def grids(x, m):
    y, z = x[m], np.arange(3.0)
    return (
        np.meshgrid(y, y),
        np.meshgrid(y, z),
        np.meshgrid(y, z, indexing="ij"),
        y[None].squeeze(0),
        *np.broadcast_arrays(y[:, None], 0.5, -y[:, None], z),
        np.zeros(np.broadcast(y, 1.0).shape),
        np.broadcast_to(y, (2, len(y))),
        np.broadcast_to(0.5, y.shape),
        np.array(y, ndmin=3),
    )


def orders(x, m):
    rng, y = np.random.default_rng(1), x[m]
    if len(y) == 0:
        raise ValueError
    return rng.permutation(y), rng.choice(y), rng.choice(y, 4), rng.random()


@pytest.mark.parametrize(
    "program",
    [
        *(histograms, covariances, choices, pieces, quantiles, interpolations, gradients),
        *(grids, orders),
    ],
)
def test_values(program):
    agree(program, *[(data(7, np.float64), m) for m in masks(7)])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: np.squeeze(x[x > 0][None]), "name the axis"),
        (lambda x: np.broadcast_to(x[x > 0], (2, 4)), "must be known while compiling"),
        (lambda x: np.broadcast_arrays(x[x > 0], x), "must be known while compiling"),
        (lambda x: np.fft.fft2(np.outer(x, x[x > 0])), "known at run time only"),
    ],
)
def test_refused(program, message):
    with pytest.raises(CompileError, match=message):
        pyxla.code_typed(program, np.ones(4))
