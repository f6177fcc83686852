"""Outlining: any reducible graph computes the same as the region it becomes."""

from __future__ import annotations

import numpy as np
import pytest

from pyxla.ir.printer import print_function
from pyxla.lower.outline import outline
from tests.ir.interp import TooLong, run_function, run_region
from tests.ir.random_graphs import arguments, random_function


@pytest.mark.parametrize("batch", range(20))
def test_random_graphs_compute_the_same(batch):
    for seed in range(batch * 25, batch * 25 + 25):
        expected = [_run(run_function, random_function(seed), args) for args in _inputs()]
        function = random_function(seed)
        region = outline(function)
        for args, want in zip(_inputs(), expected, strict=True):
            got = _run(run_region, region, args)
            assert _equal(got, want), f"seed {seed}\n{print_function(region)}"


def _inputs():
    return [arguments(k) for k in range(4)]


def _run(run, code, args):
    try:
        return run(code, *args)
    except TooLong:
        return None


def _equal(got, want):
    return want is None or all(np.array_equal(x, y) for x, y in zip(got, want, strict=True))
