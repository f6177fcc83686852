"""Mutation: items, slices, masks, views, aliases, swaps, callees; what the caller sees of it."""

import numpy as np

from tests.programs import program


def shared():
    """The same array twice."""
    x = np.arange(4.0)
    return x, x


def overlapping():
    """Two views of one buffer."""
    x = np.arange(6.0)
    return x[:4], x[2:]


@program("item assignment", lambda: (np.zeros(5),))
def fill_squares(x):
    for i in range(x.shape[0]):
        x[i] = i * i


@program("slice assignment", lambda: (np.arange(6.0),))
def shift_right(x):
    x[1:] = x[:-1].copy()
    x[0] = -1.0
    return x


@program("overlapping slice assignment", lambda: (np.arange(6.0),))
def shift_overlapping(x):
    x[1:] = x[:-1]
    return x[None]


@program("overlapping slice assignment", lambda: (np.arange(5.0),))
def xla_overlap_hazard(x):
    b = x + 1
    b[1:] = b[:-1]
    return b[None]


@program("augmented assignment view", lambda: (np.arange(12.0).reshape(3, 4),))
def augmented(a):
    a += 1
    a[1] *= 2
    a[:, 2] -= 10
    a[0, :2] /= 4
    a[-1, ::2] **= 2
    return a.sum()


@program("name rebinding", lambda: (np.arange(3.0),))
def rebinding_is_not_mutation(x):
    x = x + 1
    x[0] = 100
    return x


@program("view", lambda: (np.zeros((4, 4)),))
def write_through_views(a):
    top = a[:2]
    corner = top[:, 2:]
    corner[...] = 3
    column = a.T[0]
    column += 7
    a.ravel()[5] = 99
    a.reshape(2, 8)[1, 7] = -1


@program("view diagonal", lambda: (np.zeros((3, 3)),))
def write_through_diagonal_stride(a):
    flat = a.reshape(-1)
    flat[:: a.shape[1] + 1] = np.arange(1.0, 4.0)
    return np.trace(a)


@program("view copy", lambda: (np.arange(6.0),))
def copies_are_apart(x):
    v = x[2:5]
    c = x[2:5].copy()
    f = x[[0, 1]]
    v[0] = 50
    c[1] = 60
    f[0] = 70
    return x, c, f


@program("alias local", lambda: (np.zeros(3),))
def alias(x):
    y = x
    y[0] = 1
    z = y
    z += 2
    return x is z, x[0]


@program("alias arguments", shared)
def same_array_twice(a, b):
    a[0] = 10
    b[1] = a[0] + 1
    return a[1]


@program("alias arguments overlap refusable", overlapping)
def overlapping_arguments(a, b):
    a[3] = 100
    b += 1
    return a.sum(), b.sum()


@program(
    "ping-pong",
    lambda: (np.linspace(0, 1, 8) ** 2, 5),
    lambda: (np.arange(4.0), 0),
    lambda: (np.arange(5.0), 1),
)
def ping_pong(u, steps):
    new = u.copy()
    for _ in range(steps):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return u


@program("ping-pong list", lambda: (np.arange(5.0), 3))
def ping_pong_list(u, steps):
    buffers = [u, np.zeros_like(u)]
    for k in range(steps):
        src, dst = buffers
        dst[:] = src + k
        buffers = [dst, src]
    return buffers[0]


def _zero_first(x):
    x[0] = 0


def _scaled_in_place(x, s):
    x *= s
    return x


@program("callee mutation", lambda: (np.ones(4),))
def callee_mutates(x):
    _zero_first(x)
    _zero_first(x[2:])
    y = _scaled_in_place(x, 3)
    y[1] += 0.5
    return y is x


@program("callee mutation loop", lambda: (np.arange(8.0),))
def callee_in_loop(x):
    for i in range(0, 8, 2):
        _scaled_in_place(x[i : i + 2], i)
    return x.sum()


@program("closure mutation", lambda: (4,))
def closure_mutates(n):
    acc = np.zeros(3)

    def add(i):
        acc[i % 3] += i

    for i in range(n):
        add(i)
    return acc


@program("one-branch mutation", lambda: (np.zeros(3), 1.0), lambda: (np.zeros(3), -1.0))
def mutate_in_one_branch(x, c):
    y = x
    if c > 0:
        y[1] = c
    else:
        pass
    return x[1] + 1


@program("maybe alias", lambda: (np.zeros(3), np.ones(3), 1), lambda: (np.zeros(3), np.ones(3), 0))
def choose_then_read(a, b, flag):
    chosen = a if flag else b
    return chosen.sum() + 1


@program(
    "maybe alias mutation",
    lambda: (np.zeros(3), np.ones(3), 1),
    lambda: (np.zeros(3), np.ones(3), 0),
)
def choose_then_write(a, b, flag):
    if flag:
        a[0] = 5
    else:
        b[0] = 5
    return a[0] + b[0]


@program("mask assignment", lambda: (np.array([1.0, -2.0, np.nan, 4.0]),))
def mask_writes(x):
    x[x < 0] = 0
    x[np.isnan(x)] = -1
    mask = x > 0.5
    x[mask] += 10
    x[~mask] *= 2
    return mask


@program("mask assignment array", lambda: (np.arange(6.0), np.array([10.0, 20.0, 30.0])))
def mask_array_value(x, values):
    x[x % 2 == 1] = values
    return x


@program("fancy assignment", lambda: (np.zeros(6), np.array([4, 1, 1])))
def fancy_writes(x, idx):
    x[idx] = [1.0, 2.0, 3.0]
    x[idx] += 10
    x[[0, -1]] = 7
    return x[idx]


@program("fancy mixed", lambda: (np.zeros((3, 4)), np.array([2, 0])))
def fancy_mixed(a, rows):
    a[rows, 1] = 5
    a[rows, 2:] = np.array([[1.0, 2.0], [3.0, 4.0]])
    a[:, rows] += 1
    a[rows[:, None], np.array([0, 3])] *= 2
    return a[rows]


@program("add.at", lambda: (np.zeros(4), np.array([0, 1, 1, 3, 1])))
def histogram_at(counts, where):
    np.add.at(counts, where, 1)
    np.subtract.at(counts, [0], 0.5)
    return counts.argmax()


@program("out=", lambda: (np.array([[1.0, 2, np.nan], [4, 5, 6]]),))
def out_by_position(x):
    columns, whole = np.zeros((4, 3)), np.zeros((3, 2, 3))
    np.add.reduce(x, 0, None, columns[0])
    np.nansum(x, 0, None, columns[1])
    np.nanquantile(x, 0.5, 0, columns[2])
    np.nanmean(x, 0, None, columns[3])
    np.add.accumulate(x, 1, None, whole[0])
    np.nancumsum(x, 0, None, whole[1])
    np.multiply.reduceat(x, [0, 1], 0, None, whole[2])
    return columns, whole


@program("out=", lambda: (np.arange(4.0), np.zeros(4)))
def out_argument(x, buffer):
    np.multiply(x, 2, out=buffer)
    np.add(buffer, 1, out=buffer)
    r = np.sqrt(x, out=x)
    return r is x


@program("out= where=", lambda: (np.array([4.0, -1.0, 9.0]),))
def out_where(x):
    y = np.full(3, -5.0)
    np.sqrt(x, out=y, where=x >= 0)
    return y


@program("in-place methods", lambda: (np.array([3.0, 1.0, 2.0]), np.arange(6)))
def in_place_methods(x, k):
    x.sort()
    k.fill(3)
    k[1:3].fill(-1)
    x.put([0, 2], [9.0, 8.0])
    return x[0]


@program("copyto put place", lambda: (np.zeros(5), np.arange(5.0)))
def copy_functions(a, b):
    np.copyto(a[1:4], b[:3])
    np.put(b, [0, 4], [-1.0, -2.0])
    np.place(a, a == 0, [7.0])
    m = np.zeros((3, 3))
    np.fill_diagonal(m, 4)
    return m


@program("array swap", lambda: (np.arange(3.0), np.arange(3.0) * 10))
def swap_contents(a, b):
    t = a.copy()
    a[:] = b
    b[:] = t
    a[0], b[0] = b[0], a[0]
    return a[0] - b[0]


@program("item swap", lambda: (np.array([5, 3, 4, 1, 2]),))
def bubble_sort(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]


@program("row swap fancy", lambda: (np.arange(9.0).reshape(3, 3),))
def swap_rows(a):
    a[[0, 2]] = a[[2, 0]]
    a[:, [0, 1]] = a[:, [1, 0]]
    return a


@program("row view loop", lambda: (np.arange(6.0).reshape(2, 3),))
def mutate_rows_in_loop(a):
    for row in a:
        row -= row.mean()
        row[0] = 100


@program("growing slices", lambda: (np.arange(1.0, 6.0),))
def prefix_sums(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = x[: i + 1].sum()
    return out


@program("bounded slices", lambda: (np.array([[4.0, 2.0, 2.0], [2.0, 5.0, 3.0], [2.0, 3.0, 6.0]]),))
def cholesky_bounded(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    for j in range(n):
        low[j, j] = np.sqrt(a[j, j] - np.dot(low[j, :j], low[j, :j]))
        for i in range(j + 1, n):
            low[i, j] = (a[i, j] - low[i, :j] @ low[j, :j]) / low[j, j]
    return low


@program("bounded slices assignment", lambda: (np.zeros((5, 5)),))
def triangle_fill(a):
    for i in range(a.shape[0]):
        a[i, :i] = i
        a[i, i + 1 :] -= 1
        a[: i + 1, i] += 0.5
    return a


@program("window slices", lambda: (np.arange(10.0), 3))
def moving_average(x, w):
    out = np.empty(len(x) - w + 1)
    for i in range(len(out)):
        out[i] = x[i : i + w].mean()
    return out


@program("block slices", lambda: (np.arange(16.0).reshape(4, 4),))
def transpose_blocks(a):
    b = 2
    out = np.zeros_like(a)
    for i in range(0, 4, b):
        for j in range(0, 4, b):
            out[j : j + b, i : i + b] = a[i : i + b, j : j + b].T
    return out


@program("reversed view", lambda: (np.arange(5.0),))
def reversed_views(x):
    r = x[::-1]
    r[0] = 40
    x[1::2][::-1][0] = -7
    return r


@program("newaxis ellipsis", lambda: (np.zeros((2, 3, 2)),))
def ellipsis_writes(a):
    a[..., 0] = [1, 2, 3]
    a[0, ..., 1] = 9
    a[:, None, 1] += 1
    return a[..., ::-1, :]


@program("zero-d cell", lambda: (np.array(2.0),))
def zero_dimensional(c):
    c[...] = c + 1
    c += 1
    v = c[()]
    c[()] = 9
    return v, c * 2


@program("global array", lambda: (np.arange(3),))
def reads_global(i):
    return TABLE[i] * 2, TABLE.mean()


TABLE = np.array([1.0, 4.0, 9.0, 16.0])


@program("real imag views", lambda: (np.array([1 + 2j, 3 - 4j]),))
def complex_parts(z):
    z.real *= 10
    z.imag[0] = 7
    return z


@program("integer truncation", lambda: (np.arange(4),))
def float_into_int_array(k):
    k[0] = 2.9
    k[1:] = np.array([1.5, -1.5, 3.9])
    return k


@program("dtype preserved", lambda: (np.zeros(3, np.float32), 0.1))
def stays_float32(x, s):
    x += s
    x[0] = s * 2
    return x * s, x[1] + s


@program("broadcast assignment", lambda: (np.zeros((3, 4)), np.arange(4.0)))
def broadcast_writes(a, row):
    a[:] = row
    a[:, 1:3] = np.array([[10.0], [20.0], [30.0]])
    return a


@program("chained assignment", lambda: (3,))
def chained_targets(n):
    a = b = np.zeros(n)
    a[0] = 1
    c = d = 5
    c += 1
    return b, c, d


@program("conditional swap", lambda: (np.array([3.0, 1.0]), np.array([2.0, 2.0])))
def sort_pair_of_arrays(a, b):
    if a[0] > b[0]:
        a, b = b, a
    return a * 1, b * 1


@program("returns argument", lambda: (np.arange(3.0),))
def returns_its_argument(x):
    x[0] = 5
    return x


@program("returns view", lambda: (np.arange(6.0),))
def returns_views(x):
    return x[1:3], x.reshape(2, 3), x[::2]


@program("loop carried view", lambda: (np.arange(6.0), 4))
def view_then_update(x, n):
    left = x[:3]
    right = x[3:]
    for i in range(n):
        left += right
        right[:] = left * 0.5
    return left.sum() + right.sum()


@program("dynamic index write", lambda: (np.zeros(8, int), np.array([3, 3, 0, 7, 3])))
def bincount_loop(counts, data):
    for d in data:
        counts[d] += 1
    return counts[3]


@program("negative index", lambda: (np.arange(5.0), -2))
def negative_indices(x, k):
    x[-1] = 10
    x[k] += 0.5
    y = x[k:]
    y[0] = 3
    return x[-3:-1], y


@program("2d dynamic index", lambda: (np.zeros((3, 3)), 2, 1))
def set_element(a, i, j):
    a[i, j] = 1
    a[i][j - 1] = 2
    a[j] = a[i] + 1
    return a[i, j]


@program("where result", lambda: (np.array([[1.0, -1.0], [-2.0, 3.0]]),))
def relu_grad_in_place(a):
    g = np.ones_like(a)
    g[a <= 0] = 0
    a[a < 0] = 0
    return g


@program("while mutation", lambda: (np.array([9.0, 4.0, 7.0, 1.0]),))
def selection_sort_while(x):
    i = 0
    while i < len(x) - 1:
        k = i + np.argmin(x[i:])
        x[i], x[k] = x[k], x[i]
        i += 1
    return x


@program("list of rows", lambda: (np.arange(6.0).reshape(3, 2),))
def views_in_list(a):
    rows = [a[i] for i in range(3)]
    rows[1] += 100
    rows[2][0] = -1
    return rows[0] + rows[1]


@program("dict of views", lambda: (np.zeros(6),))
def parameter_views(theta):
    params = {"w": theta[:4].reshape(2, 2), "b": theta[4:]}
    params["w"][0, 1] = 3
    params["b"] += 1
    return params["w"] @ params["b"]


@program("augmented integer", lambda: (np.arange(3),))
def int_inplace_floor(x):
    x //= 2
    x <<= 2
    x |= 1
    x ^= 3
    return x


@program("buffer reuse", lambda: (2.0,))
def local_buffer_reuse(x):
    buf = np.empty(3)
    total = 0.0
    for i in range(3):
        buf[:] = x * i
        total += buf.sum()
    return total, buf
