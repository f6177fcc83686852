"""Arrays of bounded extent through the whole compiler: NumPy's answers for every true size."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pyxla
from tests.compare import difference

pytestmark = pytest.mark.filterwarnings("ignore")


def masks(n):
    """Nothing, everything, one element, some."""
    one = np.arange(n) == n // 2
    return [np.zeros(n, bool), np.ones(n, bool), one, np.arange(n) % 3 > 0]


def agree(program, *samples):
    """One compilation gives NumPy's results for every sample that NumPy has a result for."""
    compiled = pyxla.compile(program)
    for sample in samples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            copies = [x.copy() if isinstance(x, np.ndarray) else x for x in sample]
            try:
                expected = program(*copies)
            except (ValueError, ZeroDivisionError):
                continue  # of an empty array, say: what follows is not promised
        found = compiled(*[x.copy() if isinstance(x, np.ndarray) else x for x in sample])
        assert not difference(found, expected), (sample, difference(found, expected))


def data(n, dtype, *tail):
    rng = np.random.default_rng(n)
    return (rng.normal(size=(n, *tail)) * 3).astype(dtype)


SIZES = [(7, np.float64), (7, np.int64), (1, np.float32), (0, np.float64)]
sizes = pytest.mark.parametrize(("n", "dtype"), SIZES)
filled_sizes = pytest.mark.parametrize(("n", "dtype"), SIZES[:3])


def sums(x, m):
    y = x[m]
    return (
        *(y.sum(), y.mean(), y.var(), y.std(ddof=1), y.prod(), y.any(), y.all(), abs(y), -y),
        *(np.count_nonzero(y), y.size, len(y), y.shape, y * y + y, np.linalg.norm(y)),
        *(np.nansum(y), np.average(y * 1.0), any(y > 0), all(y > 0), np.add.reduce(y)),
    )


def partial_sums(x, m):
    y, z = x[m], x[: np.count_nonzero(m)]
    return (
        *(y.sum(where=y > 0), y.max(initial=0, where=y > 0), np.mean(y, where=y > 0)),
        *(y.var(where=y > 0), np.any(y, where=y > 0), np.average(y + 9.0, weights=z + 20.0)),
        *(np.tile(y, 2), np.repeat(y, 2), np.outer(x, x)[m].repeat(2, axis=0), y * z),
    )


def extrema(x, m):
    y = x[m]
    return (
        *(y.max(), y.min(), y.argmax(), y.argmin(), np.ptp(y), max(y), min(y), np.median(y)),
        *(np.nanmax(y), np.nanargmin(y)),
    )


def sums_of_rows(x, m):
    y = x[m]
    return (
        *(y.sum(), y.sum(0), y.sum(1), y.mean(1), y.mean(0), y.mean(), y.var(0), y.var(1)),
        *(y.std(0, keepdims=True), y.sum(axis=(0, 1), keepdims=True), np.linalg.norm(y, axis=1)),
    )


def ordered(x, m):
    y = x[m]
    return (
        *(np.sort(y), np.argsort(y, kind="stable"), np.searchsorted(np.sort(x), y), y[::-1]),
        *(np.searchsorted(np.sort(y), x), np.searchsorted(np.sort(y), x, "right"), np.cumsum(y)),
        *(np.cumprod(y), np.diff(y), np.roll(y, 2), np.roll(y, -1), np.pad(y, (1, 2))),
        *(np.lexsort((y, -y)), np.add.accumulate(y), np.sort(y)[::-1]),
    )


def found(x, m):
    return (
        *(np.nonzero(x > 0)[0], np.flatnonzero(x), np.argwhere(x > 0), np.where(m)[0]),
        *(np.compress(m, x), np.extract(m, x), x.nonzero()[0], x[x > 0][x[x > 0] < 1]),
        *(np.trim_zeros(x), x.compress(m)),
    )


def found_in_rows(x, m):
    y = x[m]
    i, j = np.nonzero(y > 0)
    return (
        *(i, j, np.flatnonzero(y > 0), np.argwhere(y > 0), y[y > 0], x[x > 0], x[i, j]),
        *(y.ravel(), np.concatenate([y.ravel(), x.ravel()])),
    )


def grouped(k, m):
    y = k[m]
    return (
        *np.unique(k, True, True, True),
        *np.unique(y, return_index=True, return_inverse=True, return_counts=True),
    )


def sets(k, m):
    y = k[m]
    return (
        *(np.union1d(k, y), np.intersect1d(k, y + 1), np.setdiff1d(k, y), np.setxor1d(k, y - 1)),
        *(np.isin(k, y), np.isin(y, k), np.isin(y, [1, 2])),
    )


def joined(k, m):
    y, z = k[m], k[k > 0]
    return (
        *(np.concatenate([y, k]), np.concatenate([k, y]), np.concatenate([y, z, k, y])),
        *(np.hstack([y, z]), np.append(y, 3), np.append(k, y), np.append(y, z)),
        np.concatenate((y, [1, 2], z)),
    )


def joined_rows(x, m):
    y, z = x[m], x[x[:, 0] > 0]
    return (
        *(np.vstack([y, z]), np.concatenate([y, x, z]), np.hstack([y, y]), np.stack([y, y], 1)),
        *(np.column_stack([y, y[:, 0]]), np.vstack([y[:, 0], y[:, 1]]), np.append(y, z, axis=0)),
        *(np.concatenate([y, z], axis=None), np.stack([y[:, 0], y[:, 1]])),
    )


def products(x, m):
    y = x[m]
    return (
        *(np.dot(y, y.T), y.T @ y, np.einsum("ij,ik->jk", y, y), np.einsum("ij->j", y)),
        *(y @ x[0], x[0] @ y.T, np.tensordot(y, y, ((0,), (0,))), np.inner(y, y)),
        *(np.outer(y[:, 0], y[:, 1]), np.vdot(y[:, 0], y[:, 1]), np.sort(y, 1), np.sort(y, 0)),
        *(np.cumsum(y, 0), np.cumsum(y, 1), np.cumsum(y), np.sort(y, None)),
    )


def written(k, m):
    k = k.copy()
    i = np.flatnonzero(m)
    k[i] += 3
    k[m] *= 2
    k[i] = k[i][::-1]
    np.add.at(k, i, 2)
    t = np.zeros(len(k))
    t[m] = k[m] ** 2
    t[i] -= 1
    t[m] -= k[i]
    return k, t


def looped(k, m):
    total = np.float64(k.sum())
    for v in k[m]:
        total = total * 3 + v
    for i, v in enumerate(k[m]):
        total += i * v
    for a, b in zip(k[m], np.flatnonzero(m), strict=True):
        total += a * b
    count = 0
    for i in range(len(k[m])):
        count += i
    return total, count


@pytest.mark.parametrize(
    "program",
    [sums, partial_sums, ordered, found, grouped, sets, joined, written, looped],
)
@sizes
def test_of_what_a_mask_picks(program, n, dtype):
    x = data(n, dtype)
    agree(program, *[(x, m) for m in masks(n)])


@filled_sizes
def test_extrema_of_what_a_mask_picks(n, dtype):
    agree(extrema, *[(data(n, dtype), m) for m in masks(n)])


@pytest.mark.parametrize("program", [sums_of_rows, found_in_rows, joined_rows])
@sizes
def test_of_rows_that_a_mask_picks(program, n, dtype):
    agree(program, *[(data(n, dtype, 4), m) for m in masks(n)])


@filled_sizes
def test_products_of_rows_that_a_mask_picks(n, dtype):
    agree(products, *[(data(n, dtype, 4), m) for m in masks(n)])


@pytest.mark.parametrize("program", [sums, ordered, grouped, sets])
def test_nan_beyond_and_within_the_true_size(program):
    x = data(7, np.float64)
    x[::3] = np.nan
    agree(program, *[(x, m) for m in masks(7)])


def spectra(x, m):
    a = (x + x.T)[m][:, m]
    w, v = np.linalg.eigh(a)
    b = (np.linalg.eigvalsh(x[m][:, m], UPLO=uplo) for uplo in "LU")
    return w, abs(v), *b


def singular(x, m):
    a = x[m]
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    b = np.linalg.svd(x[m][:, m[::-1]], compute_uv=False)
    found = b, np.linalg.svd(a)[0].shape, np.linalg.matrix_rank(a), np.linalg.pinv(a)
    return s, abs(u), abs(vt), u * s @ vt, *found


@pytest.mark.parametrize("program", [spectra, singular])
@pytest.mark.parametrize("size", [1.0, 1e-20])
def test_spectra_of_rows_that_a_mask_picks(program, size):
    x = np.random.default_rng(5).normal(size=(6, 6)) * size
    agree(program, *[(x, m) for m in masks(6) if m.sum()])


def test_vectors_of_singular_values_of_zero():
    """Refused where the program runs: NumPy's are those of the matrix alone."""
    a = np.array([[0.0, 0, 0], [1, 2, 3], [2, 4, 6], [1, 1, 1]])
    with pytest.raises(NotImplementedError, match="vectors of singular values of 0"):
        pyxla.compile(lambda a, m: np.linalg.svd(a[m], full_matrices=False))(a, np.arange(4) < 2)


def test_what_lies_past_the_true_size_is_not_singular():
    a = np.array([[np.nan, 1], [1, 2], [2, 4.0], [np.inf, 6]])
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        pyxla.compile(lambda a: np.linalg.inv(a[np.isfinite(a).all(1)]))(a)


def quantiles(x, m):
    y, found = x[m], []
    for method in ("linear", "lower", "midpoint", "hazen", "inverted_cdf", "closest_observation"):
        found.append(
            (np.quantile(y, 0.3, method=method), np.percentile(y, [10, 95], method=method))
        )
    return found, np.nanquantile(y, 0.2), np.quantile(y, 1, keepdims=True), np.quantile(y, [[0.5]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_quantiles_of_what_a_mask_picks(dtype):
    agree(quantiles, *[(data(7, dtype), m) for m in masks(7) if m.sum()])


def met_with_lists(x, k):
    y = x[x > 0]
    if k == 0:
        found = y @ [1, 2, 3.0], [[1.0, 2, 3]] @ y, [1, 2, 3] + y, np.hypot(y, [1, 2, 3])
        return found, np.interp([1.0, 2], y, [1, 2, 3.0]), np.inner([x[0], 1, 2], y)
    return y @ [1, 2, 3.0] if k == 1 else y * [1, 2, 3] if k == 2 else np.cov(y, [1, 2, 3])


@pytest.mark.parametrize("k", range(4))
def test_what_a_mask_picks_meets_lists(k):
    agree(met_with_lists, (np.array([1.0, -1, 2, 3]), k), (np.array([1.0, 1, 2, 3]), k))


def powers(x, m):
    y = x[m]
    return np.power(y, 2), np.power(2.0, y), np.power(y, y), np.power(y, 0.5), np.pow(y, [3])


def test_powers_of_what_a_mask_picks():
    agree(powers, *[(np.array([1.5, 0.25, 2, 3]), m) for m in masks(4)])


def transforms(x, m):
    y = x[m]
    first, second = np.fft.rfft(y), np.fft.irfft(np.append(y, 1j * y))
    single = np.fft.fft(y.astype(np.float32)), np.fft.rfft(y.astype(np.float32))
    assert single[0].dtype == single[1].dtype == np.complex64
    found = np.fft.fft(y), np.fft.ifft(y + 1j), np.fft.fft(y, norm="ortho"), np.fft.fft(y, 4)
    frequencies = np.fft.fftfreq(len(y), 0.1), np.fft.rfftfreq(len(y))
    return first, second, found, frequencies, np.fft.ifft(y, norm="forward")


def transforms_of_rows(x, m):
    y = x[m]
    return np.fft.fft(y, axis=0), np.fft.fft(y), np.fft.rfft(y, axis=0), np.fft.irfft(y.T, 5)


def factors(x, m):
    y = x[m]
    q, r = np.linalg.qr(y)
    return q, r, np.linalg.qr(y, "r"), np.linalg.qr(y.T)[1]


def products_of_rows(x, m):
    y, z = x[m], x[~m]
    two = np.array([1.0, -2])
    same = np.convolve(y, z, "same"), np.convolve(two, y, mode="same")
    valid = np.convolve(y, z, "valid"), np.convolve(y, two, mode="valid")
    return same, valid, np.kron(y, z), np.kron(two, y), np.kron(y, [1, 2, 3])


def slopes(x, m):
    return np.gradient(x[m], edge_order=2), np.gradient(x[m], 0.5, edge_order=2)


@pytest.mark.parametrize("program", [transforms, products_of_rows, slopes])
def test_what_mixes_elements_that_a_mask_picks(program):
    x = np.random.default_rng(5).normal(size=9)
    agree(program, *[(x, m) for m in masks(9) if 3 <= m.sum() < 9])


def blocks_of_rows(x, m):
    y, v = x[m], x[m, 0]
    pairs = np.kron(y, y[:2]), np.kron(np.eye(2), y), np.kron(v, np.ones((2, 1))), np.kron(y, v)
    return pairs, np.kron(2.0, y), np.kron(np.ones((2, 1, 2), np.float32), y)


def full_of_rows(x, m):
    y, v = x[m], x[m, 0]
    return np.full((2, len(v)), v), np.full(y.shape, y[:1]), np.full(len(v), v, dtype=int)


@pytest.mark.parametrize("program", [transforms_of_rows, factors, blocks_of_rows, full_of_rows])
def test_what_mixes_rows_that_a_mask_picks(program):
    x = np.random.default_rng(5).normal(size=(6, 3))
    agree(program, *[(x, m) for m in masks(6) if m.sum()])


TOO_FEW = [
    (lambda y, k: np.convolve(y, [1.0, 2], "same"), ()),
    (lambda y, k: np.gradient(y, edge_order=2), (3.0,)),
    (lambda y, k: np.gradient(y, edge_order=2), (3.0, 4.0)),
    (lambda y, k: np.fft.rfft(y), ()),
    (lambda y, k: np.fft.irfft(y), (3.0,)),
    (lambda y, k: np.convolve(y, [1.0, 2]), ()),
    (lambda y, k: np.convolve([1.0, 2], y), ()),
    (lambda y, k: np.gradient(y), ()),
    (lambda y, k: np.gradient(y), (3.0,)),
    (lambda y, k: np.interp(0.3, y, y), ()),
    (lambda y, k: np.polyfit(y, y, 1), ()),
    (lambda y, k: np.delete(y, 0), ()),
    (lambda y, k: np.delete(y, k), (3.0, 4.0)),
    (lambda y, k: np.insert(y, k, 1.0), (3.0,)),
    (lambda y, k: np.delete(np.arange(2), k), ()),
]


@pytest.mark.parametrize(("program", "kept"), TOO_FEW)
def test_what_is_raised_of_too_few(program, kept):
    x = np.array([-1.0, *kept, -2.0])
    with pytest.raises((ValueError, TypeError, IndexError)) as expected:
        program(x[x > 0], 2)
    with pytest.raises(expected.type) as found:
        pyxla.compile(lambda x, k: program(x[x > 0], k))(x, 2)
    assert str(found.value) == str(expected.value)


def in_order(x):
    kept = []
    for row in x:
        if row[0] > 0:
            kept.append(row)
    rows = np.array(kept)
    return rows[np.lexsort(rows.T)], np.quantile(rows, 0.5, axis=0)


def test_order_of_rows_that_were_appended():
    agree(in_order, (np.random.default_rng(0).normal(size=(9, 2)),))


# --- Slices that a loop moves --------------------------------------------------------------------


def prefixes(x):
    out = np.zeros((len(x), 9))
    for i in range(len(x)):
        y, z = x[: i + 1], x[i:]
        out[i] = (
            *(y.sum(), y.mean(), y.var(), z.max(), z.argmin(), np.dot(y, x[: i + 1])),
            *(np.median(z), np.linalg.norm(z), np.sum(y * y)),
        )
    return out


def corners(a):
    total = 0.0
    for i in range(1, 5):
        for j in range(1, 5):
            b = a[:i, :j]
            total = total + b.argmax() * 10 + b.argmin() + b.sum() + b.mean() + np.median(b)
            total = total + np.flatnonzero(b > 0).sum() + b.ravel()[-1] + np.trace(b)
    return total


def broadcast_sizes(x, y):
    s = np.zeros(len(x))
    for i in range(1, len(x)):
        s[:i] += x[:i] * y[:i] + 2
        s += x[i : i + 1]
        s[:i] = np.where(s[:i] > 1, 1, s[:i])
        s[:i] = np.clip(s[:i], -1, y[:i] + 2)
        s[i:] = np.maximum(s[i:], y[i:])
    return s


def cholesky(a):
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return a


def lu_solve(a, b):
    n = len(b)
    for k in range(n):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - np.dot(a[i, i + 1 :], x[i + 1 :])) / a[i, i]
    return x


def householder(a):
    r = a.copy()
    for k in range(a.shape[1]):
        v = r[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        r[k:] -= 2 * np.outer(v, v @ r[k:])
    return r


def worklist(k):
    active = np.arange(len(k))
    counts = np.zeros(len(k), dtype=int)
    rounds = 0
    while len(active) > 0:
        counts[active] += 1
        k[active] -= 1
        active = active[k[active] > 0]
        rounds += 1
    return counts, rounds


def primes(n):
    prime = np.ones(n, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.flatnonzero(prime)


def mandelbrot(n, limit):
    re, im = np.meshgrid(np.linspace(-2, 1, n), np.linspace(-1.1, 1, n))
    c = (re + 1j * im).ravel()
    z, index = c.copy(), np.arange(n * n)
    counts = np.zeros(n * n, dtype=int)
    for k in range(limit):
        z = z * z + c
        keep = np.abs(z) < 2.0
        counts[index[~keep]] = k + 1
        z, c, index = z[keep], c[keep], index[keep]
    return counts


def partition(k):
    pivot = k[len(k) // 2]
    return np.concatenate([k[k < pivot], k[k == pivot], k[k > pivot]])


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (prefixes, (data(8, np.float64),)),
        (corners, (data(5, np.float64, 6),)),
        (broadcast_sizes, (data(7, np.float64), data(7, np.float64)[::-1].copy())),
        (cholesky, (np.eye(6) * 7 + 1,)),
        (lu_solve, (data(6, np.float64, 6) + 9 * np.eye(6), data(6, np.float64))),
        (householder, (data(6, np.float64, 4),)),
        (worklist, (np.array([3, 1, 2, 7, 1]),)),
        (primes, (60,)),
        (mandelbrot, (6, 12)),
        (partition, (data(9, np.int64),)),
    ],
)
def test_programs(program, args):
    agree(program, args)


# --- Where sizes meet ----------------------------------------------------------------------------


def chosen(k, m, which):
    y = k[m] if which > 0 else k
    z = k[:2] if which > 1 else k[: which + 3]
    return y, z, y.sum(), np.append(y, z)


def test_branches_of_other_sizes_meet_at_the_larger_bound():
    k = data(7, np.int64)
    agree(chosen, *[(k, m, which) for m in masks(7) for which in (0, 1, 2)])


def halved(x):
    while len(x) > 2:
        x = x[: len(x) // 2] + x[len(x) - len(x) // 2 :]
    return x


def test_a_loop_may_shrink_an_array():
    agree(halved, (data(13, np.float64),), (data(13, np.float64) * 2,))


def removed(k, i):
    y = k[k > 0]
    return (
        *(np.delete(k, i), np.insert(k, i, 9), np.delete(y, 0), np.insert(y, 0, 5)),
        *(np.delete(k, k > 0), np.insert(y, i % (len(y) + 1), 7)),
    )


def test_deletion_and_insertion_at_places_known_at_run_time():
    agree(removed, *[(np.array([3, -1, 2, 0, 4, 4, -2]), i) for i in (0, 2, -1)])
    agree(lambda k: (np.delete(k[k > 0], 0), np.insert(k[k > 0], 0, 5)), (np.array([3]),))


def one_meets_many(x, m):
    y = x[m]
    return y + x, x * y, y[0], y[:1] - x, np.maximum(x, y[None, :])


def test_a_size_that_turns_out_to_be_one_is_broadcast():
    agree(one_meets_many, (data(7, np.float64), np.arange(7) == 3))


def asked(k, m):
    y = k[m]
    return (
        *(3 in y, k[0] in y, np.array_equal(y, k), np.array_equal(y, y), np.allclose(y, y)),
        *((y == y).all(), y.size == 0),
    )


def test_questions_about_what_a_mask_picks():
    agree(asked, *[(data(7, np.int64), m) for m in masks(7)])


def differences_and_norms(x, m):
    y, z = x[m], np.outer(x, np.arange(1.0, 4.0))[m]
    return (
        *(np.diff(y, prepend=0.0), np.diff(y, append=y[:1]), np.diff(z, 2, axis=-2)),
        *(np.linalg.norm(y, 3), np.linalg.norm(y, 0), np.linalg.norm(z, axis=1, keepdims=True)),
        *(np.linalg.norm(z, "fro"), np.linalg.svdvals(z)),
    )


def test_numpys_own_python_of_what_a_mask_picks():
    agree(differences_and_norms, *[(data(7, np.float64), m) for m in masks(7)])


def counted(k, w):
    return (
        *(np.bincount(k), np.bincount(k % 5), np.bincount(k, w), np.bincount(k, minlength=12)),
        *(np.bincount(k[k > 2]), np.bincount(k.astype(np.uint8)), np.bincount(k % -4 + 3)),
    )


def test_bincount():
    agree(counted, *[(np.array(k), data(6, np.float64)) for k in ([1, 5, 2, 2, 9, 0], [3] * 6)])
    agree(lambda k: np.bincount(k, minlength=4), (np.array([1, 3]),), (np.array([1, 4]),))


def test_more_is_counted_than_minlength() -> None:
    """The program is compiled again, with more room."""

    def counted(x):
        try:
            return np.bincount(x, minlength=3)
        except ValueError:
            return np.zeros(1, int)

    compiled = pyxla.compile(counted)
    for x in ([1, 2, 2], [1, 2, 5], [-1], [70_000]):
        np.testing.assert_array_equal(compiled(np.array(x)), counted(np.array(x)))

    square = pyxla.compile(lambda x: np.bincount(x, minlength=4).reshape(2, 2))
    for _ in range(2):
        np.testing.assert_array_equal(square(np.array([1, 2, 2])), [[0, 1], [2, 0]])
        with pytest.raises(ValueError, match="cannot reshape array of size 5"):
            square(np.array([1, 2, 4]))


def as_numpy_writes_it(x, m):
    """What has no strategy of its own, but Python in NumPy."""
    y = x[m]
    both = np.stack([x, x * x], 1)[m]
    slopes = np.gradient(y, 0.5), np.gradient(y, edge_order=2), np.gradient(both, axis=0)
    return slopes, np.median(both, axis=0), np.average(both, 1, x[:2]), np.median(y)


def test_what_numpy_writes_in_python_over_what_is_taken():
    x = data(7, np.float64)
    agree(as_numpy_writes_it, (x, np.ones(7, bool)), (x, x < x[0] + 1), (x, np.arange(7) < 4))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.fft.fft2(np.outer(x, x[x > 0])),
        lambda x: np.fft.ifft2(np.outer(x, x[x > 0])),
    ],
)
def test_what_has_no_strategy_is_refused(program):
    with pytest.raises(pyxla.CompileError):
        pyxla.compile(program)(data(7, np.float64))


def raised(y, steps):
    return raised(np.where(y > 1, y, y + 0.5), steps - 1) if steps else y


def test_what_a_reduced_array_is_made_of_is_looked_at_once():
    """Each of forty arrays is used twice in the next: there are 2**40 ways to the first."""
    agree(lambda x, k: raised(x[:k], 40).sum(), (data(5, np.float64), 3))


def reshaped(k, x):
    a = np.stack([k, x])
    rows = a.T[k != 9].reshape(4, 3)
    flat = x[x > 0]
    square = flat.reshape(2, 2)
    square[1] = 7
    return rows, flat, square, x[x > 0].reshape((4,)), a[a > -9].reshape(3, 2, 2).sum(0)


def without_diagonal(x):
    a = np.outer(x, x)
    n = len(a)
    outside = ~np.eye(n, dtype=bool)
    return a[outside].reshape(n, -1), a[outside].reshape(n, n - 1), a[np.tri(n, dtype=bool)]


def test_what_a_mask_picks_in_another_shape():
    x = np.array([1.0, -2.0, 3.0, 4.0, -1.0, 2.0])
    agree(reshaped, (np.arange(6.0), x))
    agree(without_diagonal, (x,), (np.arange(12.0),))


def test_what_does_not_fit_another_shape_raises():
    f = pyxla.compile(lambda x: x[x > 0].reshape(2, 2))
    for x in ([1.0, 2.0, 3.0, -1.0], [1.0, 2.0, 3.0, 4.0, 5.0]):
        with pytest.raises(ValueError, match=r"cannot reshape array of size .* into shape \(2,2\)"):
            f(np.array(x))
    with pytest.raises(pyxla.CompileError, match="at most 6 elements"):
        pyxla.compile(lambda x: x[x > 0].reshape(3, 3))(np.ones(6))
