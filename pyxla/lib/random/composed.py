"""Methods of generators that are made of others and of NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy as np


def chosen_by_weight(rng: Any, p: Any, shape: Any) -> Any:
    """Indices drawn with replacement."""
    cdf = np.cumsum(p)
    cdf /= cdf[-1]
    return np.searchsorted(cdf, rng.random(shape), side="right")


def multivariate_normal(rng: Any, mean: Any, cov: Any, shape: Any, method: str) -> Any:
    """Normal numbers times a root of the covariances."""
    x = np.reshape(rng.standard_normal((*shape, len(mean))), (-1, len(mean)))
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
    elif method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        factor = vectors * np.sqrt(np.abs(values))
    else:
        left, values, _ = np.linalg.svd(cov)
        factor = left * np.sqrt(values)
    return np.reshape(mean + x @ factor.T, (*shape, len(mean)))


def is_non_negative(p: Any) -> Any:
    return np.all(p >= 0)


def sums_to_one(p: Any) -> Any:
    """Up to half of the digits."""
    return np.abs(np.sum(p) - 1.0) <= 1.4901161193847656e-08
