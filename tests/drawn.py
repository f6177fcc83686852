"""Integers drawn for sample arguments: arrays (`R`), lists (`L`) and the edges of a graph (`E`)."""

from __future__ import annotations

import numpy as np


def R(n: int = 30, m: int = 8, s: int = 0) -> np.ndarray:
    """`n` integers below `m`, from seed `s`."""
    return np.random.default_rng(s).integers(0, m, n)


def L(n: int = 30, m: int = 8, s: int = 0) -> list[int]:
    """The same as a list."""
    return R(n, m, s).tolist()


def E(n: int = 10, m: int = 20, s: int = 3) -> np.ndarray:
    """`m` pairs of nodes below `n`."""
    return np.random.default_rng(s).integers(0, n, (m, 2))
