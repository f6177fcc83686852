"""Methods of NumPy's generators that draw orders, samples and vectors: Python that is visited.

What takes numbers one after the other is in `orders`, `composed` and `legacy`; the first functions
here stand for what only the compiler knows (`infer.random.methods`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from pyxla.lib.random import composed, legacy, orders

SMALL = 10000  # what NumPy takes for a small population
NON_NEGATIVE = "Probabilities are not non-negative"
NO_SUM = "Probabilities do not sum to 1. See Notes section of docstring for more information."
TOO_DEEP = "object too deep for desired array"
NO_KINDS = (
    "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
)


def bits_of(rng: Any) -> Any:
    """The bit generator of a generator."""


def source_of(rng: Any) -> Any:
    """What distributions draw from."""


def shape_of(size: Any) -> Any:
    """A size as a shape."""


def is_fine(bounds: Any, shape: Any) -> Any:
    """Whether there are bounds for numbers of that shape, where data decides it: none need any."""
    return bounds or math.prod(shape) == 0


def check_size(own: Any, shape: Any) -> Any:
    """Raise where parameters of shape `own` do not broadcast to `shape`."""


def is_checked(x: Any) -> Any:
    """Whether it is tested what NumPy demands of `x`: that is known, or the program asks for it."""


def fixed(count: Any) -> Any:
    """A number that must be known while compiling."""


def taken(x: Any, places: Any, axis: Any) -> Any:
    """A new array of the elements of `x` at `places`, which are in range and not negative."""


# --- Orders --------------------------------------------------------------------------------------


def _order(rng: Any, count: Any) -> Any:
    """The positions 0 to count - 1, shuffled."""
    return orders.shuffled(bits_of(rng), np.arange(count))


def permutation(rng: Any, x: Any, axis: int = 0) -> Any:
    if isinstance(x, (int, np.integer)):
        return _order(rng, x)
    array = np.asarray(x)
    axis = normalize_axis_index(axis, array.ndim)
    return taken(array, _order(rng, array.shape[axis]), axis)


def shuffle(rng: Any, x: Any, axis: int = 0) -> None:
    if isinstance(x, np.ndarray):
        axis = normalize_axis_index(axis, x.ndim)
        x[...] = taken(x, _order(rng, x.shape[axis]), axis)
    elif axis != 0:
        raise NotImplementedError("Axis argument is only supported on ndarray objects")
    else:
        orders.shuffled(bits_of(rng), x)


def permuted(rng: Any, x: Any, *, axis: Any = None, out: Any = None) -> Any:
    array = np.asarray(x)
    if array.ndim == 0:
        raise TypeError("len() of unsized object")
    moved = array.reshape(-1) if axis is None else np.moveaxis(array, axis, -1)
    length = moved.shape[-1]
    rows = moved.copy().reshape(array.size // length if length else 0, length)
    shuffled = orders.shuffled_rows(bits_of(rng), rows).reshape(moved.shape)
    back = shuffled.reshape(array.shape) if axis is None else np.moveaxis(shuffled, -1, axis)
    if out is None:
        return back.copy()
    if out.shape != back.shape:
        raise ValueError("out must have the same shape as x")
    out[...] = back
    return out


def random_integers(rng: Any, low: Any, high: Any = None, size: Any = None) -> Any:
    least, most = (1, low) if high is None else (low, high)
    return rng.randint(least, int(most) + 1, size=size, dtype=np.dtype(int))


# --- Samples -------------------------------------------------------------------------------------


def choice(
    rng: Any,
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    shuffle: bool = True,
) -> Any:
    of_ints = isinstance(a, (int, np.integer)) or np.ndim(a) == 0
    if of_ints:
        places = _chosen(rng, a, True, shape_of(size), replace, p, shuffle)
        return int(places) if size is None else places
    items = np.asarray(a)
    axis = normalize_axis_index(axis, items.ndim)
    places = _chosen(rng, items.shape[axis], False, shape_of(size), replace, p, shuffle)
    found = taken(items, places, axis)
    return found if size is None else np.asarray(found)


def legacy_choice(rng: Any, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    if not isinstance(a, (int, np.integer)) and np.ndim(a) != 1:
        raise ValueError("a must be 1-dimensional")
    return choice(rng, a, size, replace, p)


def _chosen(
    rng: Any, population: Any, of_ints: bool, shape: Any, replace: bool, p: Any, mixed: bool
) -> Any:
    """Positions below `population`, which is an argument if `of_ints`."""
    of_legacy, count = isinstance(rng, np.random.RandomState), math.prod(shape)
    if count > 0 and is_checked(population) and population <= 0:
        what = "a must be a positive integer" if of_ints else "a cannot be empty"
        if of_legacy:
            what = "a must be greater than 0" if of_ints else "'a' cannot be empty"
        raise ValueError(f"{what} unless no samples are taken")
    if p is None and replace:
        draw = rng.randint if of_legacy else rng.integers
        return draw(0, population, size=shape)
    if p is not None:
        chances = np.asarray(p, np.float64)
        _check_chances(chances, population)
        if replace:
            return composed.chosen_by_weight(rng, chances, shape)
    if not replace and count > population:
        how = "'replace=False'" if of_legacy else "replace is False"
        raise ValueError(f"Cannot take a larger sample than population when {how}")
    if p is not None:
        places = orders.sampled_by_weight(bits_of(rng), chances, np.empty(count, np.int64))
    elif of_legacy:
        places = rng.permutation(fixed(population))[:count]
    else:
        places = _sample(bits_of(rng), fixed(population) if of_ints else population, count, mixed)
    return places.reshape(shape)


def _check_chances(p: Any, population: Any) -> None:
    if p.shape != (population,):
        raise ValueError("a and p must have same size")
    if is_checked(p):
        if not composed.is_non_negative(p):
            raise ValueError(NON_NEGATIVE)
        if not composed.sums_to_one(p):
            raise ValueError(NO_SUM)


def _sample(bits: Any, population: Any, count: int, mixed: bool) -> Any:
    """Different numbers, by the method that NumPy takes for such sizes."""
    if population > SMALL and count > population // (50 if mixed else 20):
        order = np.arange(population)
        orders.tail_shuffled(bits, order, max(population - count, 1))
        return order[population - count :]
    found = np.empty(count, np.int64)
    slots = np.full(1 << max(int(1.2 * count), 1).bit_length(), -1)
    orders.sampled(bits, population, found, slots)
    if mixed:
        orders.tail_shuffled(bits, found, 1)
    return found


# --- Vectors -------------------------------------------------------------------------------------


def multivariate_normal(
    rng: Any,
    mean: Any,
    cov: Any,
    size: Any = None,
    check_valid: str = "warn",
    tol: float = 1e-8,
    *,
    method: str = "svd",
) -> Any:
    mean, cov = np.asarray(mean, np.float64), np.asarray(cov, np.float64)
    if method not in {"eigh", "svd", "cholesky"}:
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    return composed.multivariate_normal(rng, mean, cov, shape_of(size), method)


def dirichlet(rng: Any, alpha: Any, size: Any = None) -> Any:
    weights, of_legacy = np.asarray(alpha, np.float64), isinstance(rng, np.random.RandomState)
    if weights.ndim != 1:
        raise ValueError(TOO_DEEP)
    if is_checked(weights) and np.any(weights <= 0 if of_legacy else weights < 0):
        raise ValueError("alpha <= 0" if of_legacy else "alpha < 0")
    shape = shape_of(size)
    rows = np.zeros((math.prod(shape), len(weights)))
    if not of_legacy and len(weights) > 0 and max(alpha) < 0.1:
        orders.broken_sticks(source_of(rng), weights, rows)
    else:
        orders.normalized(source_of(rng), weights, rows)
    return rows.reshape((*shape, len(weights)))


def multinomial(rng: Any, n: Any, pvals: Any, size: Any = None) -> Any:
    tries, chances = np.asarray(n, np.int64), np.asarray(pvals, np.float64)
    if chances.ndim == 0 or chances.shape[-1] == 0:
        raise ValueError(NO_KINDS)
    _check_multinomial(tries, chances)
    own, kinds = np.broadcast_shapes(tries.shape, chances.shape[:-1]), chances.shape[-1]
    shape = own if size is None else shape_of(size)
    check_size(own, shape)
    rows = math.prod(shape)
    tries = np.broadcast_to(tries, shape).reshape(rows)
    chances = np.broadcast_to(chances, (*shape, kinds)).reshape(rows, kinds)
    counts = np.zeros((rows, kinds), np.int64)
    return orders.multinomial(source_of(rng), tries, chances, counts).reshape((*shape, kinds))


def _check_multinomial(tries: Any, chances: Any) -> None:
    if not np.all((chances >= 0) & (chances <= 1)):
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if np.any(np.sum(chances[..., :-1], axis=-1) > 1.0 + 1e-12):
        raise ValueError(f"sum(pvals[{'...,' if chances.ndim > 1 else ''}:-1]) > 1.0")
    if np.any(tries < 0):
        raise ValueError("n < 0")


def legacy_multinomial(rng: Any, n: Any, pvals: Any, size: Any = None) -> Any:
    chances, shape = np.asarray(pvals, np.float64), shape_of(size)
    _check_multinomial(n, chances)
    counts = np.zeros((math.prod(shape), len(chances)), np.int64)
    legacy.multinomial(source_of(rng), np.int64(n), chances, counts)
    return counts.reshape((*shape, len(chances)))
