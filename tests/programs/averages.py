"""The `statistics` module."""

import statistics

import numpy as np

from tests.programs import program


@program(
    "averages",
    lambda: ([2.0, 4.0, 4.0, 5.0, 9.5],),
    lambda: ([2, 4, 4, 6],),
    lambda: ([1, 2, 2, 5, 5],),
    lambda: ([1.5, 2, 2, 5],),
)
def averages(x):
    centre = statistics.mean(x), statistics.fmean(x), statistics.median(x)
    ends = statistics.median_low(x), statistics.median_high(x)
    spread = statistics.variance(x), statistics.pvariance(x)
    return centre, ends, spread, statistics.stdev(x), statistics.pstdev(x)


@program("of arrays, generators and what is filtered", lambda: (np.array([3.0, 1.0, 2.5, 2.5]),))
def filtered(x):
    some = [v for v in x if v > 1]
    return (
        statistics.mean(x),
        statistics.stdev(x),
        statistics.mean(some),
        statistics.median(v for v in x if v > 2),
        statistics.mode(x.tolist()),
    )


@program(
    "around a given number, and with weights",
    lambda: ([2.0, 4.0, 4.0, 5.0, 9.5], [1, 2, 0, 1, 3]),
    lambda: ([2, 4, 4, 6], [0.5, 0.25, 1.5, 2.0]),
    lambda: ([1.0, 0.0], [1, 2]),
    lambda: ([1.0, -1.0], [1, 2]),
)
def weighted(x, weights):
    spread = statistics.variance(x, 4), statistics.pstdev(x, mu=statistics.fmean(x))
    return spread, statistics.fmean(x, weights), statistics.harmonic_mean(x, weights)


@program("too few", lambda: ([1.0],), lambda: ([],))
def too_few(x):
    return statistics.stdev(x)
