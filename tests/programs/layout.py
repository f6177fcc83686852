"""What programs see of how NumPy lays arrays out in memory."""

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tests.programs import program

R = lambda *shape: np.random.default_rng(3).random(shape)


@program("as_strided", lambda: (R(2, 2, 6, 5), 1), lambda: (R(2, 2, 7, 7).astype(np.float32), 2))
def columns_of_images(x, stride):
    n, c, h, w = x.shape
    rows, columns = (h - 3) // stride + 1, (w - 3) // stride + 1
    s = x.strides
    strides = (*s, s[2] * stride, s[3] * stride)
    windows = as_strided(x, (n, c, 3, 3, rows, columns), strides)
    return windows.transpose(1, 2, 3, 0, 4, 5).reshape(c * 9, -1), s


@program("as_strided elsewhere", lambda: (R(6, 8),), lambda: (R(8, 6).T,))
def other_strides(given):
    x = np.ascontiguousarray(given)
    around = np.concatenate((x[0, ::-1], x[0, 1:]))
    n = around.strides[0]
    toeplitz = as_strided(around[7:], shape=(8, 8), strides=(-n, n)).copy()
    y = x.copy()
    shown = as_strided(y, (3, 4, 2, 2), (2 * y.strides[0], 2 * y.strides[1]) + y.strides)
    y[0, 0] = 9.0
    rows = as_strided(x[1:-1], (2, 3), np.array([8, 16]), writeable=False)
    return toeplitz, shown.max(axis=(2, 3)), rows, given.strides, given.T.strides, x[::-1].strides


@program("order of what is chosen", lambda: (R(4, 4),))
def order_of_what_is_chosen(x):
    kept = []
    for y in (x[:, [0, 2]], x[:, 1:][:, [0, 1]], x[[0, 2]]):
        flat = y.reshape(-1)
        flat[0] = 9.0
        kept.append(y)
    summed = np.einsum("ij,j->ij", x, x[0])
    summed.reshape(-1)[0] = 9.0
    return kept, summed, x[:, [0, 2]].strides, x[:, [[0, 1], [1, 2]]].strides


@program("sizes from arrays of shapes", lambda: (R(1, 2), R(3, 3)))
def sizes_from_arrays_of_shapes(a, b):
    shapes = np.array([x.shape for x in (a, b)])
    out = np.zeros(np.sum(shapes, axis=0))
    r = c = 0
    for x, (rows, columns) in zip((a, b), shapes):
        out[r : r + rows, c : c + columns] = x
        r, c = r + rows, c + columns
    banded = out[:4, :4] * 0
    for k, v in zip(np.array([-1, 0, 1]), (a[0, 0], 2.0, a[0, 1])):
        banded += np.diag(np.full(4 - abs(k), v), k)
    return out, banded, shapes.max() == 3


@program("flags of the layout", lambda: (R(4, 4),), lambda: (R(4, 4).T,), lambda: (R(4, 4)[::2],))
def flags_of_the_layout(x):
    said = []
    for y in (
        x,
        x.T,
        x[0],
        x[:, 0],
        x[:, 1:],
        x.copy(),
        x.sum(),
        x.reshape(2, -1),
        x[:1],
        np.broadcast_to(x[0], (2, 4)),
        x.diagonal(),
    ):
        said.append((y.flags.c_contiguous, y.flags.f_contiguous, y.flags.writeable))
    return said


def read_only():
    x = R(4)
    x.flags.writeable = False
    return (x,)


@program("flags say whether an array may be written", lambda: (R(4),), read_only)
def scaled_where_it_may_be(x):
    if not x.flags.writeable:
        x = x.copy()
    x *= 2
    return x, x.flags.writeable


@program(
    "flags say whether an array may be written", lambda: (R(4), 2.0), lambda: (*read_only(), 2.0)
)
def told_whether_it_may_be_written(x, by):
    total = by * x.sum()
    return x.flags.writeable, total, x[1:].flags["WRITEABLE"]


@program("flags", lambda: (R(2, 3),), lambda: (R(4, 3)[::2],), lambda: (R(2, 3).T,))
def flags_by_name(x):
    flags, turned = x.flags, x.T.flags
    try:
        flags["Q"]
    except KeyError as error:
        unknown = error.args
    named = flags["C"], flags["F"], flags["W"], flags["C_CONTIGUOUS"], turned["FORTRAN"]
    return named, turned["FNC"], flags["FORC"], flags.fnc, flags.fortran, unknown


A = lambda *shape: np.arange(float(np.prod(shape))).reshape(shape)
IN_ORDERS = (
    *(lambda: (A(3, 4),), lambda: (np.asfortranarray(A(3, 4)),), lambda: (A(4, 3).T,)),
    *(lambda: (A(3, 8)[:, ::2],), lambda: (A(6, 4)[::-2],)),
)
THREE = (
    *(lambda: (A(2, 3, 4),), lambda: (A(2, 3, 4).transpose(1, 0, 2),)),
    *(lambda: (np.asfortranarray(A(2, 3, 4)),), lambda: (A(4, 3, 2).T,)),
)


@program("write order", *IN_ORDERS)
def written_through_what_may_be_views(x):
    r = x.T.reshape(-1)
    r[1] = 99.0
    s = x.reshape(2, 6, order="F")
    s[1] -= s.mean()
    t = x.ravel("F")
    t[2:4] = 7.0
    u = np.asfortranarray(x)
    u[0, 1] = 55.0
    v = np.ascontiguousarray(x)
    v[0, 2] = 44.0
    return x.copy(), [r, s, t, u, v]


@program("write order", *THREE)
def written_through_parts_of_three_dimensions(x):
    r = x.transpose(1, 0, 2).reshape(-1, x.shape[2])
    r[1] = 99.0
    s = x[:, 0].reshape(-1)
    s[2] = 55.0
    np.swapaxes(x, 0, 1).reshape(-1)[3] = 4.0
    for m in x:
        m.T.reshape(-1)[1] = 9.0
    return r, s


@program("write order", lambda: ([np.asfortranarray(A(3, 4))],), lambda: ({"m": A(4, 3).T},))
def written_in_containers(l):
    def write(m):
        r = m.T.reshape(-1)
        if r[0] > -1:
            r[1] = 9.0

    for k in l.values() if isinstance(l, dict) else l:
        write(k)


@program("order", *IN_ORDERS, *THREE)
def elements_in_the_order_of_memory(x):
    y = np.clip(x, 1, 3)
    made = (x, x.T, x[..., ::-1], np.copy(x), x.copy(), x.copy("K"), x.astype(int), x.view(int))
    computed = (np.sqrt(x), x.T * 2, x + x[::-1], np.where(x > 2, x, y), abs(x), np.sort(x, axis=0))
    others = (np.array([x, x]), np.zeros_like(x), x.sum(0), x.max(axis=1, keepdims=True), -y)
    return (
        [z.ravel("K") for z in (*made, *computed, *others)],
        [(z.flatten("A"), z.flatten("K"), z.ravel("A")) for z in (*made, *computed)],
        np.reshape(x, (-1, 2), order="A"),
        x.tobytes("A"),
        x.tobytes("F"),
    )


@program("write order", *IN_ORDERS)
def written_through_shapes_of_results(x):
    y, z, w, v = x * 2, x + 1, x - x.mean(axis=0, keepdims=True), np.empty_like(x)
    y.reshape(-1)[1] = 9.0
    z.T.reshape(-1)[2] = 9.0
    w.ravel()[3] = 9.0
    v[:] = 0.0
    v.ravel("F")[4] = 9.0
    kept = []
    for i in range(3):
        u = x + i
        flat = u.T.reshape(-1) if u[0, 0] > 0 else u.reshape(-1)
        flat[1] = 77.0
        kept.append(u)
    return y, z, w, v, kept


Z = lambda: np.array([[1 + 2j, 3], [1j, 0]])


@program("write", lambda: (Z(),), lambda: (Z()[:, :1],), lambda: (Z()[0],))
def parts_of_contiguous_rows(z):
    z.view(np.float64)[..., 0] = 9.0
    return z


@program("order", *IN_ORDERS)
def order_of_what_is_joined(x):
    pairs = (np.concatenate([x, x]), np.stack([x, x]), np.vstack([x, x]), np.hstack([x, x * 2]))
    found = (np.pad(x, 1), np.diff(x), np.diff(x, axis=0), np.triu(x), np.block([[x, x], [x, x]]))
    longer = (np.append(x, x, axis=0), np.delete(x, 0, axis=1), np.insert(x, 0, 9.0, axis=0))
    return [z.ravel("K") for z in (*pairs, *found, *longer, np.round(x, 1), np.isin(x, [1.0]))]


@program("order", lambda: (A(4, 3),), lambda: (A(4, 3).T,), lambda: (np.asfortranarray(A(4, 3)),))
def order_of_what_is_vectorized(x):
    y = np.vectorize(lambda v: v * 2)(x)
    z = y.T.reshape(-1)
    z[0] = 9.0
    return y.ravel("K"), y, y.flags.f_contiguous
