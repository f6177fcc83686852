"""`docs/numpy.md` says what is compiled: it is up to date, and true of what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from tests.numpy_table import FFT, FILE, RELEASE, SECTIONS, VISITED, Entry, document, entries

EVERYTHING = [(section, entry) for section in SECTIONS for entry in entries(section)]
REFUSED = [(section, entry) for section, entry in EVERYTHING if entry.status == "refused"]
# What is executed while compiling when all arguments are known, and asks only for those.
KNOWN = {"mintypecode"}


@pytest.mark.skipif(RELEASE not in FILE.read_text(), reason="the table is of another release")
def test_up_to_date():
    assert FILE.read_text() == document(), "run python -m tests.numpy_table"


def test_everything_is_classified():
    assert {entry.name for _, entry in EVERYTHING if entry.status == "known"} <= KNOWN


def _program(section: str, entry: Entry) -> tuple[Any, Any]:
    target, name = entry.target, entry.name
    if section == "numpy.random.Generator":
        return lambda rng: target(rng, 2), np.random.default_rng(0)
    if target is None:
        return lambda x: getattr(x, name), np.ones((2, 2))
    return lambda x: target(x), np.ones((2, 2))


@pytest.mark.parametrize(("section", "entry"), REFUSED, ids=lambda x: getattr(x, "name", x))
def test_refused(section, entry):
    """With the reason and the remedy of the table, at the line."""
    program, arg = _program(section, entry)
    with pytest.raises(CompileError) as caught:
        pyxla.code_typed(program, arg)
    assert entry.reason in caught.value.message
    assert caught.value.hint == entry.remedy
    assert caught.value.loc is not None
    assert caught.value.loc.filename == __file__


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.ma.sum(x),
        lambda x: np.char.upper(x),
        lambda x: np.testing.assert_allclose(x, x),
    ],
)
def test_refused_modules(program):
    with pytest.raises(CompileError, match="is not compiled"):
        pyxla.code_typed(program, np.ones(3))


def test_visited():
    """NumPy's own Python, visited as the user's is."""

    def program(x):
        first = x[np.mask_indices(3, np.triu, 1)], np.require(x, np.float32)
        second = np.apply_over_axes(np.sum, x, [0, 1]), *np.unique_counts(x)
        return *first, *second, *np.unique_inverse(x), *np.unique_all(x), np.real_if_close(x)

    x = np.arange(9.0).reshape(3, 3) % 5
    for got, expected in zip(pyxla.compile(program)(x), program(x), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(VISITED - set(ALONE)) == 8


ALONE = {
    "angle": lambda x, v: (np.angle(x * 1j), np.angle(v, deg=True)),
    "cross": lambda x, v: np.linalg.cross(x, x[::-1]),
    "diagonal": lambda x, v: np.linalg.diagonal(x, offset=1),
    "fliplr": lambda x, v: np.fliplr(x),
    "flipud": lambda x, v: (np.flipud(x), np.flipud(v)),
    "matmul": lambda x, v: (np.linalg.matmul(x, x), np.linalg.matmul(v, v)),
    "matrix_norm": lambda x, v: (np.linalg.matrix_norm(x), np.linalg.matrix_norm(x, ord=1)),
    "matrix_transpose": lambda x, v: (np.matrix_transpose(x), np.linalg.matrix_transpose(x)),
    "nditer": lambda x, v: sum([2 * item for item in np.nditer(x)]),
    "outer": lambda x, v: (np.linalg.outer(x[0], x[1]), np.linalg.outer(v, v)),
    "rollaxis": lambda x, v: (np.rollaxis(x, 1), np.rollaxis(x[None], 2, 1)),
    "tensordot": lambda x, v: np.linalg.tensordot(x, x, axes=1),
    "trace": lambda x, v: np.linalg.trace(x, offset=-1),
    "unstack": lambda x, v: (*np.unstack(x), *np.unstack(x, axis=1)),
    "vecdot": lambda x, v: np.linalg.vecdot(x, x[0]),
    "vector_norm": lambda x, v: (
        np.linalg.vector_norm(x, axis=(0, 1), keepdims=True),
        np.linalg.vector_norm(v),
    ),
    "array_equiv": lambda x, v: np.array([np.array_equiv(x, x[0]), np.array_equiv(v, v)]),
    "corrcoef": lambda x, v: np.corrcoef(x),
    "cond": lambda x, v: (np.linalg.cond(x), np.linalg.cond(0 * x, 1), np.linalg.cond(x, "fro")),
    "tensorsolve": lambda x, v: np.linalg.tensorsolve((x + np.eye(3))[:, None], x[0][:, None]),
    "fftfreq": lambda x, v: (np.fft.fftfreq(7, x[0, 1]), np.fft.fftfreq(len(v))),
    "rfftfreq": lambda x, v: (np.fft.rfftfreq(6, x[0, 1]), np.fft.rfftfreq(len(v))),
    "fftshift": lambda x, v: (np.fft.fftshift(x), np.fft.fftshift(x, 1)),
    "ifftshift": lambda x, v: np.fft.ifftshift(x, axes=(0,)),
    "hfft": lambda x, v: (np.fft.hfft(x), np.fft.hfft(x, 5, norm="ortho")),
    "ihfft": lambda x, v: np.fft.ihfft(x),
    "logspace": lambda x, v: (np.logspace(0, x[0, 2], 4), np.logspace(0, x[0], 3, base=2.0)),
    "cumulative_prod": lambda x, v: (np.cumulative_prod(v), np.cumulative_prod(x, axis=0)),
    "cumulative_sum": lambda x, v: (
        np.cumulative_sum(v),
        np.cumulative_sum(x[0], include_initial=True),
    ),
    "extract": lambda x, v: np.extract(x > 2, x),
    "fix": lambda x, v: (np.fix(x - 2.5), np.fix(v / 3)),
    "iscomplex": lambda x, v: (np.iscomplex(x * 1j), np.iscomplex(v)),
    "isneginf": lambda x, v: (np.isneginf(x), np.isneginf(v)),
    "isposinf": lambda x, v: (np.isposinf(x), np.isposinf(v)),
    "isreal": lambda x, v: (np.isreal(x * 1j), np.isreal(v)),
    "matrix_power": lambda x, v: np.linalg.matrix_power(x + np.eye(3), 3),
    "polyadd": lambda x, v: (np.polyadd(x[0], x[1, :2]), np.polyadd(v, x[0])),
    "polyder": lambda x, v: np.polyder(x[1], 2),
    "polydiv": lambda x, v: np.polydiv(x[1], x[2, :2]),
    "polyint": lambda x, v: np.polyint(x[1], 2, [1, 2]),
    "polymul": lambda x, v: (np.polymul(x[0], x[1]), np.polymul(v, v)),
    "polysub": lambda x, v: np.polysub(x[0], v),
    "polyval": lambda x, v: (np.polyval(x[0], v), np.polyval(v, 2.0)),
    "trapezoid": lambda x, v: (np.trapezoid(x, axis=0), np.trapezoid(v, v)),
    "unwrap": lambda x, v: np.unwrap(x * 2),
    "vander": lambda x, v: (np.vander(x[1]), np.vander(v, 2)),
    "append": lambda x, v: (np.append(x, v), np.append(v, 2), np.append(x, x, 1)),
    "asarray_chkfinite": lambda x, v: np.asarray_chkfinite(x),
    "broadcast_shapes": lambda x, v: np.zeros(np.broadcast_shapes(x.shape, (4, 1, 1))),
    "diag_indices": lambda x, v: x[np.diag_indices(3)],
    "diag_indices_from": lambda x, v: x[np.diag_indices_from(x)],
    "digitize": lambda x, v: (np.digitize(x, [1.0, 3.0]), np.digitize(v, x[0] + 1, True)),
    "dsplit": lambda x, v: np.dsplit(x[None], 3)[1],
    "fromfunction": lambda x, v: np.fromfunction(lambda i, j: x[0, 0] + i - j, (2, 3)),
    "geomspace": lambda x, v: (np.geomspace(1, x[0, 2], 4), np.geomspace(1j, 4j, 3)),
    "histogram2d": lambda x, v: np.histogram2d(x[0], x[1], 2),
    "hsplit": lambda x, v: np.hsplit(x, 3)[1],
    "identity": lambda x, v: np.identity(3),
    "indices": lambda x, v: np.indices((2, 3)),
    "intersect1d": lambda x, v: (np.intersect1d(x, [1, 3]), np.intersect1d(v, x)),
    "ix_": lambda x, v: x[np.ix_([0, 2], x[0] > 0)],
    "matrix_rank": lambda x, v: np.linalg.matrix_rank(x),
    "nan_to_num": lambda x, v: (np.nan_to_num(x / 0), np.nan_to_num(v / 0, posinf=1)),
    "piecewise": lambda x, v: np.piecewise(x, [x < 2, x > 3], [0, lambda y: y * y, -1]),
    "poly": lambda x, v: np.poly(x[1]),
    "setxor1d": lambda x, v: (np.setxor1d(x, [1, 9]), np.setxor1d(v, x)),
    "sort_complex": lambda x, v: (np.sort_complex(x), np.sort_complex(v)),
    "split": lambda x, v: (np.split(x, 3)[1], np.split(x, [1], 1)[1]),
    "tensorinv": lambda x, v: np.linalg.tensorinv((x + 9 * np.eye(3)).reshape(3, 1, 3)[:, 0], 1),
    "tril_indices": lambda x, v: x[np.tril_indices(3)].reshape(2, 3),
    "tril_indices_from": lambda x, v: x[np.tril_indices_from(x, -1)].reshape(1, 3),
    "triu_indices": lambda x, v: x[np.triu_indices(3, 1)].reshape(1, 3),
    "triu_indices_from": lambda x, v: x[np.triu_indices_from(x)].reshape(2, 3),
    "union1d": lambda x, v: (np.union1d(x, [1, 9]), np.union1d(v, x)),
    "unique_values": lambda x, v: (np.unique_values(x), np.unique_values(v)),
    "vsplit": lambda x, v: np.vsplit(x, 3)[1],
    "argwhere": lambda x, v: (np.argwhere(x > 2), np.argwhere(v > 2), np.argwhere(x[0, 1] > 0)),
    "bartlett": lambda x, v: np.bartlett(5) * x[0, 1],
    "blackman": lambda x, v: (np.blackman(5) * x[0, 1], np.blackman(0)),
    "hamming": lambda x, v: (np.hamming(5) * x[0, 1], np.hamming(1)),
    "hanning": lambda x, v: np.hanning(4) * x[0, 1],
    "gradient": lambda x, v: (
        *(np.gradient(x[1], np.cumsum(x[0] + 1)), np.gradient(x, 0.5, axis=1, edge_order=2)),
        *(np.gradient(v), *np.gradient(x)),
    ),
    "histogramdd": lambda x, v: (
        np.histogramdd(x, 2)[0],
        np.histogramdd((x[0], x[1]), [2, 3], weights=x[2], density=True)[0],
    ),
    "kaiser": lambda x, v: (np.kaiser(7, x[0, 1]), np.kaiser(1, 2.0)),
    "iterable": lambda x, v: np.array([np.iterable(y) for y in (x, v, x[0, 0], 1, None, "a")]),
    "multi_dot": lambda x, v: (np.linalg.multi_dot([x, x, x[0]]), np.linalg.multi_dot([x, x])),
    "dstack": lambda x, v: (np.dstack((x, x)), np.dstack((v, v))),
    "nancumprod": lambda x, v: (np.nancumprod(v / v), np.nancumprod(x / x, axis=1)),
    "nancumsum": lambda x, v: (np.nancumsum(x / x), np.nancumsum(v), np.nancumsum(x, 0, np.int64)),
    "trim_zeros": lambda x, v: (np.trim_zeros(x[0]), np.trim_zeros(v - 3, "f"), np.trim_zeros(x)),
    "setdiff1d": lambda x, v: (np.setdiff1d(x, [1.0]), np.setdiff1d(x, v), np.setdiff1d(v, [3.0])),
}


for _name in FFT:
    ALONE[_name] = lambda x, v, f=getattr(np.fft, _name): (f(x), f(x[None], axes=(0, 1)))


@pytest.mark.parametrize("name", sorted(ALONE))
def test_visited_alone(name):
    """Also of arrays of which data decides the size."""

    def program(x):
        return ALONE[name](x, x[x > 2])

    x = np.arange(9.0).reshape(3, 3) % 5
    got, expected = pyxla.compile(program)(x), program(x)
    if not isinstance(expected, tuple):
        got, expected = (got,), (expected,)
    for one, other in zip(got, expected, strict=True):
        assert (type(one), one.dtype, one.shape) == (type(other), other.dtype, other.shape)
        np.testing.assert_allclose(one, other, 1e-12, 1e-12)
