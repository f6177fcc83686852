"""NumPy's functions, as ordinary code uses them."""

import numpy as np

from tests.programs import program

A23 = lambda: (np.array([[1.0, -2.0, 3.5], [0.0, 5.0, -6.25]]),)
V5 = lambda: (np.array([3.0, 1.0, 4.0, 1.0, 5.0]),)


@program("elementwise", V5)
def elementwise(x):
    return np.sin(x), np.log1p(x), np.square(x), np.hypot(x, 2), np.cbrt(x), np.exp2(x), np.sinc(x)


@program("elementwise binary", lambda: (np.array([1.0, -2.0, 3.0]), np.array([2.0, 2.0, -1.0])))
def elementwise_binary(a, b):
    return (
        np.power(np.abs(a), b),
        np.arctan2(a, b),
        np.logaddexp(a, b),
        np.copysign(a, b),
        np.fmin(a, b),
    )


@program("logic", lambda: (np.array([1, 0, 2]), np.array([0, 0, 3])))
def logic(a, b):
    return np.logical_and(a, b), np.logical_or(a, b), np.logical_not(a), np.logical_xor(a, b)


@program("reductions", A23)
def reductions(a):
    return a.sum(), a.prod(axis=0), a.min(1), a.max(), a.any(), a.all(axis=1), np.ptp(a, axis=0)


@program("statistics", A23)
def statistics(a):
    return a.mean(), a.std(axis=0), a.var(ddof=1), np.median(a, axis=1), np.average(a, axis=1)


@program("statistics", V5)
def percentiles(x):
    return np.percentile(x, 30), np.quantile(x, [0.25, 0.5]), np.median(x)


@program("arg reductions", A23)
def arg_reductions(a):
    return a.argmax(), a.argmin(axis=1), np.argsort(a, axis=1, kind="stable"), np.count_nonzero(a)


@program("cumulative", A23)
def cumulative(a):
    return (
        a.cumsum(),
        np.cumsum(a, axis=1),
        np.cumprod(a, axis=0),
        np.diff(a, axis=1),
        np.diff(a[0], 2),
    )


@program("sorting", V5)
def sorting(x):
    order = np.argsort(x, kind="stable")
    return np.sort(x), x[order], np.sort(x)[::-1], np.searchsorted(np.sort(x), [1.0, 4.5])


@program("shape", lambda: (np.arange(24.0).reshape(2, 3, 4),))
def reshaping(a):
    return (
        a.reshape(6, -1),
        a.transpose(2, 0, 1),
        a.swapaxes(0, 1).shape,
        a.ravel()[5],
        np.moveaxis(a, 0, -1),
    )


@program("shape", A23)
def squeezing(a):
    return a[:, None].shape, np.expand_dims(a, 0).squeeze(), np.atleast_2d(a[0]), a.flatten(), a.T


@program("joining", lambda: (np.array([1.0, 2.0]), np.array([3.0, 4.0])))
def joining(a, b):
    return np.concatenate([a, b]), np.stack([a, b], axis=1), np.vstack((a, b)), np.hstack((a, b))


@program("joining", lambda: (np.arange(4.0), np.ones((2, 4))))
def joining_more(a, m):
    return np.column_stack((a, a)), np.append(a, 5), np.r_[a, 1.0], np.concatenate((m, a[None]), 0)


@program("splitting", lambda: (np.arange(12.0).reshape(4, 3),))
def splitting(a):
    top, bottom = np.split(a, 2)
    parts = np.array_split(np.arange(7), 3)
    return top, bottom * 2, parts[0], np.hsplit(a, 3)[1]


@program("tiling", lambda: (np.array([1.0, 2.0]),))
def tiling(x):
    return (
        np.tile(x, (2, 2)),
        np.repeat(x, 3),
        np.repeat(x[None], 2, axis=0),
        np.broadcast_to(x, (3, 2)),
    )


@program("padding rolling", V5)
def padding(x):
    return (
        np.pad(x, (1, 2)),
        np.pad(x, 1, mode="edge"),
        np.roll(x, 2),
        np.flip(x),
        np.roll(x[None], -1, 1),
    )


@program("creation", lambda: (3.0,))
def creation(v):
    return (
        np.linspace(0, v, 5),
        np.arange(0.0, 1.0, 0.25),
        np.full((2, 2), v),
        np.identity(2),
        np.tri(3),
    )


@program("creation like", A23)
def creation_like(a):
    return np.zeros_like(a), np.ones_like(a, dtype=int), np.full_like(a, 7), np.empty_like(a).shape


@program("meshgrid", lambda: (np.linspace(0, 1, 3), np.linspace(-1, 1, 2)))
def meshes(x, y):
    xx, yy = np.meshgrid(x, y)
    i, j = np.indices((2, 3))
    return xx * yy, np.meshgrid(x, y, indexing="ij")[1], i + j, np.ogrid[0:2, 0:3][0]


@program("where select", V5)
def selecting(x):
    return (
        np.where(x > 2, x, -x),
        np.clip(x, 2, 4),
        np.select([x < 2, x < 4], [x, x * 10], -1),
        x.clip(max=3),
    )


@program("where piecewise", V5)
def piecewise_by_where(x):
    low = x < 2
    return (
        np.where(low, x**2, np.where(x < 4.5, 2 * x, 0)),
        np.maximum(x, 2),
        np.heaviside(x - 3, 0.5),
    )


@program("linear algebra", lambda: (np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([1.0, 2.0])))
def linear_algebra(a, b):
    return (
        np.linalg.solve(a, b),
        np.linalg.inv(a),
        np.linalg.det(a),
        a @ b,
        np.linalg.norm(a),
        np.trace(a),
    )


@program("linear algebra", lambda: (np.array([[4.0, 1.0], [1.0, 3.0]]),))
def decompositions(a):
    w, v = np.linalg.eigh(a)
    q, r = np.linalg.qr(a)
    return w, np.abs(v), np.linalg.cholesky(a), q @ r, np.linalg.svd(a)[1]


@program("linear algebra", lambda: (np.arange(6.0).reshape(3, 2), np.array([1.0, 0.5, 2.0])))
def least_squares(a, b):
    x = np.linalg.lstsq(a, b, rcond=None)[0]
    return x, np.linalg.pinv(a), np.linalg.matrix_rank(a)


@program("norms", A23)
def norms(a):
    return (
        np.linalg.norm(a, axis=1),
        np.linalg.norm(a[0], 1),
        np.linalg.norm(a, np.inf),
        np.linalg.norm(a[0], np.inf),
    )


@program("products", lambda: (np.arange(6.0).reshape(2, 3), np.arange(3.0)))
def products(a, v):
    return (
        a @ v,
        np.dot(a, a.T),
        np.outer(v, v),
        np.inner(v, v),
        np.vdot(v, v),
        np.tensordot(a, a, ([1], [1])),
    )


@program("products", lambda: (np.arange(8.0).reshape(2, 2, 2), np.array([1.0, -1.0])))
def batched_products(a, v):
    return (
        a @ a,
        a @ v,
        np.matmul(v, a),
        np.kron(v, v),
        np.cross([1.0, 2.0, 3.0], [0.0, v[0], v[1]]),
    )


@program("einsum", lambda: (np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)))
def einsums(a, b):
    return (
        np.einsum("ij,jk->ik", a, b),
        np.einsum("ij->", a),
        np.einsum("ij,ij->i", a, a),
        np.einsum("ij->ji", b),
    )


@program("indexing", lambda: (np.arange(24).reshape(4, 6), np.array([3, 0, 1])))
def indexing(a, idx):
    return (
        a[idx],
        a[:, idx],
        a[idx, idx],
        a[1:3, ::2],
        a[-1],
        a[..., 1],
        a[idx[:2], 1:3],
        a[[0, 1], [2, 3]],
    )


@program("indexing take", lambda: (np.arange(12.0).reshape(3, 4), np.array([[0, 1, 2, 0]])))
def taking(a, idx):
    return np.take(a, [2, 0], axis=1), np.take_along_axis(a, idx, axis=0), a.take([5, 1]), a.flat[3]


@program("boolean indexing", V5)
def boolean_results(x):
    return (
        x[x > 2],
        x[x > 2].sum(),
        np.nonzero(x > 2)[0],
        np.flatnonzero(x == 1),
        np.argwhere(x > 3),
    )


@program("unique", lambda: (np.array([3, 1, 3, 2, 1]),))
def unique_values(k):
    values, counts = np.unique(k, return_counts=True)
    return values, counts, np.bincount(k), np.isin(k, [1, 2])


@program("sets histogram", V5)
def histogram(x):
    counts, edges = np.histogram(x, bins=4, range=(0.0, 8.0))
    return counts, edges, np.digitize(x, [2.0, 4.0])


@program("interp", lambda: (np.linspace(0, 1, 5), np.array([0.1, 0.55, 2.0])))
def interpolation(xp, x):
    return np.interp(x, xp, xp**2), np.trapezoid(xp**2, xp), np.gradient(xp**2, 0.25)


@program("reshape array", lambda: (np.arange(12.0), 0.5))
def shapes_that_are_arrays(x, t):
    """Known while compiling: made of others, and written to."""
    last = np.ones(3, dtype=int)
    last[1] = -1
    doubled = np.multiply((1, 2), (3, 2))
    at = np.ravel_multi_index((np.array([0, 1]), np.array([2, 3])), doubled + 1)
    return x.reshape(last), np.reshape(x, np.array([2, 6])) * t, x.reshape(doubled.T), at


@program("convolve", V5)
def convolutions(x):
    return (
        np.convolve(x, [1.0, 0.5]),
        np.convolve(x, [1, 0, -1], mode="same"),
        np.correlate(x, [1.0, 2.0], "valid"),
    )


@program("polynomials", lambda: (np.array([1.0, -3.0, 2.0]), 1.5))
def polynomials(c, x):
    return np.polyval(c, x), np.polyval(c, np.array([0.0, x])), np.vander([1.0, x], 3)


@program("fft", lambda: (np.array([1.0, 2.0, 0.0, -1.0, 3.0, 0.5]),))
def transforms(x):
    f = np.fft.fft(x)
    return f, np.fft.ifft(f).real, np.fft.rfft(x), np.fft.irfft(np.fft.rfft(x)), np.fft.fftfreq(6)


@program("ufunc methods", lambda: (np.array([1.0, 2.0, 3.0]), np.arange(6.0).reshape(2, 3)))
def ufunc_methods(x, a):
    return (
        np.add.reduce(a, axis=1),
        np.multiply.accumulate(x),
        np.subtract.outer(x, x),
        np.maximum.reduce(x),
    )


@program("triangles", lambda: (np.arange(9.0).reshape(3, 3),))
def triangles(a):
    i, j = np.triu_indices(3, 1)
    return np.triu(a), np.tril(a, -1), np.diag(a), np.diag(a[0]), a[i, j], np.diag(a, 1)


@program("dtype functions", lambda: (np.arange(3, dtype=np.int32), np.ones(3, np.float32)))
def dtype_functions(i, f):
    common = np.result_type(i, f)
    return (
        (i + f).dtype == common,
        i.astype(float),
        np.finfo(f.dtype).eps,
        np.iinfo(np.int32).max,
        i.nbytes,
    )


@program("attributes", A23)
def attributes(a):
    return a.shape, a.ndim, a.size, len(a), a.T.shape, a.dtype == np.float64, a.itemsize


@program("zero-size", lambda: (np.zeros((0, 3)),), lambda: (np.zeros((2, 0)),))
def zero_size(a):
    return a.sum(), a.sum(axis=0), a.T @ a, a * 2, np.concatenate([a, a]), a.any(), a.reshape(-1)


@program("broadcasting", lambda: (np.arange(3.0), np.arange(2.0)[:, None]))
def broadcasting(row, column):
    return (
        row + column,
        (row[None] * column).sum(0),
        np.broadcast_arrays(row, column)[1],
        row - row.mean(),
    )


@program("comparisons", lambda: (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-12])))
def comparisons(a, b):
    return np.allclose(a, b), np.array_equal(a, b), np.isclose(a, b), (a == b).all(), np.equal(a, b)


@program("rounding", lambda: (np.array([0.5, 1.5, -2.5, 2.675]),))
def rounding(x):
    return np.round(x), np.round(x, 2), np.floor(x), np.ceil(x), np.trunc(x), np.rint(x), x.round(1)


@program("bit ops", lambda: (np.array([12, 10, 255]),))
def bit_ops(k):
    return k & 10, k | 1, k ^ 7, ~k, k << 1, k >> 2, np.bitwise_count(k), np.invert(k)


@program("softmax", A23)
def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@program("layer norm", A23)
def layer_norm(x, eps=1e-5):
    mu = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True)
    return (x - mu) / np.sqrt(var + eps)


@program("pairwise", lambda: (np.arange(8.0).reshape(4, 2) ** 1.5,))
def pairwise_distances(x):
    d = x[:, None, :] - x[None, :, :]
    return np.sqrt((d**2).sum(-1))


@program("outer ufuncs where", lambda: (np.array([1.0, 2.0, 3.0]), np.array([True, False, True])))
def masked_reductions(x, mask):
    return np.sum(x, where=mask), np.mean(x, where=mask), np.max(x, where=mask, initial=0.0)


@program("apply python function", lambda: (np.arange(6.0).reshape(2, 3),))
def apply_functions(a):
    return np.array([np.sum(r**2) for r in a]), np.array([f(a) for f in (np.min, np.max)])


@program("array literals", lambda: (1.0, 2.0))
def literals(a, b):
    return (
        np.array([a, b, 3]),
        np.array([[a, 0], [0, b]]),
        np.asarray([1, 2, 3]),
        np.array((a, b), np.float32),
    )


@program("rotation", lambda: (0.3, np.array([1.0, 2.0])))
def rotation(theta, v):
    r = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    return r @ v, r.T @ (r @ v)


@program("strings of method calls", A23)
def chained_methods(a):
    return a.clip(-1, 4).cumsum(axis=0).T.reshape(-1).round(1).astype(np.int64).max()


@program("tensor axes", lambda: (np.arange(24.0).reshape(2, 3, 4),))
def multi_axis(a):
    return (
        a.sum(axis=(0, 2)),
        a.mean((1, 2)),
        a.max(axis=(0, 1), keepdims=True),
        np.flip(a, (0, 2))[0, 0],
    )


@program("rot90 lexsort", lambda: (np.arange(6).reshape(2, 3),))
def rotations(a):
    return np.rot90(a), np.fliplr(a), np.flipud(a), np.rollaxis(a, 1)


@program("nan functions", lambda: (np.array([[1.0, np.nan], [3.0, 4.0]]),))
def nan_functions(a):
    return (
        np.nanmean(a, axis=0),
        np.nanstd(a),
        np.nanmin(a, axis=1),
        np.isnan(a).sum(),
        np.nanargmax(a),
    )


@program("integer statistics", lambda: (np.array([[1, 2], [3, 5]]),))
def integer_statistics(k):
    return k.mean(), k.sum(axis=0), k.var(), np.median(k), k.prod(), k.cumsum(), k / k.sum()


@program("covariance", lambda: (np.array([[1.0, 2.0, 4.0], [2.0, 1.0, 0.5]]),))
def covariance(x):
    return np.cov(x), np.corrcoef(x)


@program("block matrices of a loop", lambda: (np.arange(12.0).reshape(4, 3) % 5,))
def block_matrices(a):
    m, n = a.shape
    q = np.eye(m)
    for k in range(n - 1):
        x = a[k:, [k]]
        v = x + np.linalg.norm(x)
        inner = np.eye(m - k) - 2.0 * v @ v.T / (v.T @ v)
        q = q @ np.block([[np.eye(k), np.zeros((k, m - k))], [np.zeros((m - k, k)), inner]])
    return q


@program("sort loop", V5)
def order_of_slices(x):
    found = 0
    for i in range(1, 7):
        part = x[1:i]
        found = np.argsort(part)[0] if len(part) else 1
    return found


@program(
    "power",
    lambda: (np.array([True, False]), np.array(True), np.True_, 2),
    lambda: (np.array([True, False]), np.array(True), np.True_, 3),
)
def powers_of_bools(a, b, c, n):
    """NumPy squares arrays, and nothing else, by np.square."""
    return a**2 + 2, a**n, b**2, b**n, c**2, c**n, a**3, a[:1] ** 2, np.power(a, 2), a**2.0


@program("power", lambda: (np.array([-np.inf, -0.0, 4.0]),))
def roots_of_arrays_and_of_scalars(a):
    return a**0.5, a[0] ** 0.5, a[1] ** 0.5, a[2] ** 0.5, a[:1] ** 0.5


@program("shapes that loops compute", lambda: (np.arange(5.0),), lambda: (np.arange(8.0),))
def padded_to_a_power_of_two(x):
    n, levels = 1, 0
    while n < len(x):
        n *= 2
        levels += 1
    padded = np.concatenate([x, np.zeros(n - len(x))])
    pyramid = padded.reshape((2,) * levels)
    return np.fft.fft(x, n), pyramid.sum(0), np.fft.irfft(np.fft.rfft(padded) * 1j, n)


@program("ufunc", lambda: (np.array([-3.0]),), lambda: (np.array([-0.0]),), lambda: (np.zeros(0),))
def reductions_of_one(x):
    rows = x[None]
    k = x.astype(np.int64)
    return np.hypot.reduce(x), np.logaddexp.reduce(x), np.logaddexp2.reduce(rows), np.gcd.reduce(k)


@program("ufunc", lambda: (np.array([[-4.0, 6.0], [-0.0, 2.0]]),))
def reductions_along_axes(x):
    k = x.astype(np.int64)
    return np.hypot.reduce(x), np.hypot.reduce(x, axis=1, initial=2.0), np.gcd.reduce(k, axis=1)


@program(
    "ufunc", lambda: (np.array([[-4.0, 6.0], [-0.5, 2.0]]), np.array([[5, 7], [13, 15]], "u1"))
)
def reductions_of_some(x, bits):
    """`initial` counts once, whatever `where` leaves out, and may be -0.0."""
    some, none = x > 0, (-abs(x) * 0).sum(axis=0, initial=-0.0)
    totals = [ufunc.reduce(x, where=some, initial=3.0) for ufunc in (np.add, np.multiply)]
    both = np.logical_xor.reduce(x > 1, axis=(0, 1)), np.logical_xor.reduce(some, where=some)
    return totals, none, both, np.bitwise_and.reduce(bits), np.bitwise_and.reduce(bits, where=some)


@program(
    "view checks",
    lambda: (np.arange(6.0).reshape(2, 3), 5, np.array([7.0, -8.0])),
    lambda: (np.arange(6.0).reshape(2, 3), 1, np.array([7.0, -8.0])),
    lambda: (np.arange(6.0).reshape(2, 3), 0, np.array([7.0, 8.0])),
)
def flat_takes_values_again(x, n, v):
    x.flat[:n] = v
    y = x.copy()
    y.flat[[0, 4, 5]] = [50.0, 60.0]
    y.T.flat[np.int64(1)] = 4.0
    y.flat[y.ravel() > 3] = v[v < 0]
    z = np.zeros((3, 3))
    z.flat[:: len(z) + 1] = x[0]
    z.flat[:2] = [1.0, 2.0, 3.0]
    return x, y, z


@program(
    "index checks",
    lambda: (np.arange(6.0), 3, 4),
    lambda: (np.arange(6.0), -2, 5),
)
def remainders_of_as_many_as_a_slice_has(x, n, m):
    return x[np.arange(len(x[n:])) % m]


@program("ranges", lambda: (np.array([0.5, 1.0, -2.0]), 3))
def ranges_beside_arrays(x, n):
    near = (x + range(3)) / 3
    near *= range(1, 4)
    return near, range(n) - x, np.float64(2) * range(3), range(3) < x


@program("order", lambda: (np.array([1.0, np.nan, np.nan, 0.0, -0.0]),))
def first_of_equal_items(x):
    values, index = np.unique(x, return_index=True)
    return np.copysign(1, values), index, [1 / v for v in values if v == 0], np.unique(-x, True)


@program(
    "imag of real numbers",
    lambda: (np.array([1.0, 2.0]),),
    lambda: (np.array([[1, 2], [3, 4]]),),
    lambda: (np.array([1j, 2]),),
)
def imaginary_parts(a):
    part, writable = np.imag(a), a.imag.flags.writeable
    try:
        a.imag[0] = 5
        done = True
    except ValueError:
        done = False
    return (
        part.copy(),
        part.sum(),
        part.T.copy(),
        part[::2] + 1,
        a.imag.dtype.name,
        writable,
        done,
        a,
    )


@program(
    "round() to digits that are no int",
    lambda: (np.int64(1), 0.5),
    lambda: (1.5, 0.5),
    lambda: (1.5, 1),
    lambda: (12, -1),
    lambda: (np.float64(2.55), np.int64(1)),
)
def rounded_to(x, digits):
    try:
        return round(x, digits)
    except TypeError as error:
        return type(error)


@program(
    "reduceat",
    lambda: (np.array([-0.0, -0.0, np.inf]),),
    lambda: (np.array([-0.0] * 3),),
    lambda: (np.array([complex(-0.0, -0.0)] * 3),),
)
def sums_of_negative_zeros(x):
    return np.add.reduceat(x, [0, 1]), np.add.reduceat(x, [0]), np.add.reduceat(x, [2, 0])


FAR = np.array([np.nan, 2, np.inf, -np.inf, 1e30, 2.0**63, -(2.0**63), 300, -300.5, 5e9, 1e19])


@program("numpy astype", lambda: (FAR,), lambda: (FAR.astype(np.float32),))
def floats_that_fit_no_integer(x):
    made = [x.astype(t) for t in ("i8", "i4", "i2", "i1", "u8", "u2", "u1")]
    y = np.zeros(2, np.int64)
    y[:] = x[:2]
    return made, y, x[:2].sum(dtype=int), np.array(x, dtype=int), np.int32(x[1])


@program(
    "checks positions that data says",
    lambda: (np.arange(24.0).reshape(6, 4), 9.0, np.array([1, -1, 1])),
    lambda: (np.arange(24.0).reshape(6, 4), 99.0, np.array([1, 7, 0])),
    lambda: (np.arange(24.0).reshape(6, 4), 3.0, np.array([], int)),
)
def deleted_at_several_places(x, least, at):
    rows = [i for i, row in enumerate(x) if row[0] > least]
    few = x[x > least]
    without = np.delete(few, np.flatnonzero(few > 20.0))
    return np.delete(x, rows, axis=0), np.delete(x, rows), without, np.delete(x, at, axis=0)
