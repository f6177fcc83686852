"""Functions of SciPy that are compiled through JAX, and Python in the place of its C."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.spatial
import scipy.special
from scipy import optimize, stats
from scipy.spatial.transform import Rotation

import pyxla
from pyxla import CompileError
from pyxla.lib.scipys import UFUNCS

X = np.random.default_rng(0).random((3, 3)) + 0.1


def test_ufuncs():
    """One program for each number of operands."""
    for count in (1, 2, 3):
        found = [
            u for n in sorted(UFUNCS | {"psi"}) if (u := getattr(scipy.special, n)).nin == count
        ]

        def program(*xs, found=tuple(found)):
            return [u(*xs) for u in found]

        xs = [X + 0.2 * i for i in range(count)]
        for u, got in zip(found, pyxla.compile(program)(*xs), strict=True):
            np.testing.assert_allclose(got, u(*xs), 1e-11, err_msg=u.__name__)


def kinds(x):
    special = scipy.special
    a = special.erf(0.3), special.erf(x.astype(np.float32)), special.erf(np.arange(3))
    return a, special.xlogy(2, x), special.psi(np.array([0.0, -0.0, 1.0])), special.expit(x[0, 0])


def sums(x):
    special = scipy.special
    a = special.logsumexp(x), special.logsumexp(x, axis=1), special.softmax(x, axis=1)
    return a, special.log_softmax(x)


def matrices(x):
    la, s, y = scipy.linalg, x @ x.T + np.eye(3), x[0]
    lower = np.tril(x)
    a = la.cholesky(s), la.cholesky(s, lower=True), la.solve_triangular(lower, y, lower=True)
    b = la.solve_triangular(lower, x, trans=1, lower=True), la.cho_factor(s), la.inv(s), la.det(s)
    return a, b, la.cho_solve(la.cho_factor(s, lower=True), y), la.expm(x), la.solve(s, y)


def spectra(x):
    la, s = scipy.linalg, x + x.T
    u, values, vt = la.svd(x, full_matrices=False)
    a = la.svdvals(x), la.eigvalsh(s), la.eigh(s, eigvals_only=True), la.eigh(x, lower=False)[0]
    b = [(q, np.abs(r)) for q, r in [la.qr(x[:, :2]), la.qr(x[:, :2], mode="economic")]]
    c = [abs(r) for r in (*la.qr(x[:, :2], mode="r"), *la.qr(x[:2], mode="r"))]
    d = la.pinv(x[:, :2]), la.pinv(x, rtol=0.5), la.norm(x), la.norm(x[0]), la.norm(x, 1, axis=1)
    return a, [(np.abs(q), r) for q, r in b], c, d, u * values @ vt, la.svd(x)[1]


def transforms(x):
    f = scipy.fft
    a = f.fft(x), f.ifft(x, axis=0), f.rfft(x, 4), f.irfft(f.rfft(x), 3), f.hfft(x), f.ihfft(x)
    b = f.fft2(x + 1j), f.fftn(x + 1j, axes=(0,)), f.rfftn(x), f.irfftn(x, s=(2, 4), norm="ortho")
    return a, b, f.fftshift(x, axes=1), f.ifftshift(x), f.fftfreq(5, 0.1), f.rfftfreq(4, d=0.2)


def check(got, expected):
    if isinstance(expected, list | tuple):
        for pair in zip(got, expected, strict=True):
            check(*pair)
        return
    if isinstance(expected, bool):
        assert got is expected
        return
    if isinstance(expected, float) and not isinstance(expected, np.floating):
        assert type(got) is float
        got, expected = np.float64(got), np.float64(expected)
    assert type(got) is type(expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(got, expected, 1e-6 if got.dtype == np.float32 else 1e-12, 1e-14)


@pytest.mark.parametrize("program", [kinds, sums, matrices, spectra, transforms])
def test_program(program):
    check(pyxla.compile(program)(X), program(X))


def test_derivative():
    derivative = pyxla.grad(lambda x: scipy.special.erf(x))(0.5)
    np.testing.assert_allclose(derivative, 2 / np.sqrt(np.pi) * np.exp(-0.25), 1e-12)


def test_i0_is_flat_at_zero():
    def f(x):
        return scipy.special.i0(x)

    assert pyxla.grad(f)(0.0) == 0.0
    assert pyxla.grad(pyxla.grad(f))(0.0) == 0.5
    assert pyxla.grad(f)(-1.5) == pytest.approx(-scipy.special.i1(1.5))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: scipy.special.beta(x, 2.0), "not among the functions"),
        (lambda x: scipy.special.erf(x + 1j), "real numbers only"),
        (lambda x: scipy.special.logsumexp(x, b=x), "not supported"),
        (lambda x: scipy.spatial.KDTree(x), "__init__ is not among the functions"),
    ],
)
def test_refused(program, message):
    with pytest.raises(CompileError, match=message):
        pyxla.code_typed(program, X)


def test_python_of_scipys_that_asks_which_modules_there_are():
    """`array_namespace` looks into `sys.modules`; its `asarray` copies as the array API has it."""

    def integrals(x, y):
        return scipy.integrate.cumulative_trapezoid(y, x, initial=0), scipy.integrate.simpson(
            y, x=x
        )

    check(pyxla.compile(integrals)(X[0], X[1]), integrals(X[0], X[1]))


POINTS = np.array([-np.inf, -2.0, -0.5, 0.0, 0.3, 1.0, 2.5, np.inf, np.nan])


def normal(x):
    norm = stats.norm
    found = norm.pdf(x), norm.cdf(x), norm.sf(x), norm.logpdf(x, 1.0, 2.0), norm.pdf(0.3)
    quantiles = norm.ppf(x), norm.isf(x, loc=0.5, scale=3.0), norm.ppf(0.975)
    return *found, *quantiles, norm.pdf(x, 0, x), norm.cdf(x, scale=-1.0), norm.ppf(x, x)


def frozen(x):
    given, named = stats.norm(0.3, 1.2), stats.norm(loc=0.3, scale=1.2)
    return given.pdf(x), named.cdf(x), given.ppf(0.3), named.logpdf(x)


def others(x):
    expon, uniform, gamma = stats.expon, stats.uniform, stats.gamma
    found = expon.pdf(x), expon.cdf(x, scale=2.0), expon.ppf(x), expon.sf(x), uniform.pdf(x)
    ranges = uniform.cdf(x, -1, 2), uniform.ppf(x, 2, 3), stats.laplace.cdf(x)
    shapes = gamma.pdf(x, 2.0), gamma.cdf(x, 2.0, scale=0.5), gamma.logpdf(x, a=1.5)
    return *found, *ranges, *shapes, stats.beta.cdf(x, 2.0, 3.0), stats.logistic.pdf(x)


@pytest.mark.parametrize("program", [normal, frozen, others])
def test_distributions(program):
    for got, expected in zip(pyxla.compile(program)(POINTS), program(POINTS), strict=True):
        assert type(got) is type(expected)
        np.testing.assert_allclose(got, expected, 1e-10)


def test_slopes_of_likelihoods():
    """Outside of the support they are 0, and not what the formula would have."""

    def likelihood(x, mean, scale):
        density = stats.gamma.pdf(x, 2.0).sum() + stats.expon.pdf(x).sum()
        return stats.norm.logpdf(x, mean, scale).sum() + density

    x, step = np.array([-1.0, 0.5, 2.0]), 1e-6
    found = pyxla.grad(likelihood, argnums=(0, 1, 2))(x, 0.3, 1.2)
    for place in range(3):
        for i in range(3 if place == 0 else 1):
            ends = []
            for sign in (1, -1):
                given = [x.copy(), 0.3, 1.2]
                if place:
                    given[place] += sign * step
                else:
                    given[0][i] += sign * step
                ends.append(likelihood(*given))
            slope = found[place][i] if place == 0 else found[place]
            np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * step), 1e-6)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: stats.norm.pdf(x, bad=3),
        lambda x: stats.norm.pdf(x, 1, 2, 3),
        lambda x: stats.norm.pdf(x, 1, loc=2),
        lambda x: stats.gamma.pdf(x),
        lambda x: stats.beta.cdf(x, scale=2),
        lambda x: stats.beta.cdf(x, b=2),
    ],
)
def test_parameters_that_a_distribution_does_not_have(program):
    with pytest.raises(TypeError) as expected:
        program(POINTS)
    with pytest.raises(TypeError) as found:
        pyxla.compile(program)(POINTS)
    assert str(found.value) == str(expected.value)


def roots(k):
    found = optimize.brentq(lambda t: t * t - k, 0, 3), optimize.brenth(lambda t: t**3 - k, 0, 3)
    counted = optimize.brentq(lambda t, c: np.cos(t) - c * t, 0, 3, args=(k,), full_output=True)
    return *found, optimize.bisect(lambda t: t * t - k, 0, 3), counted


def test_roots():
    got, expected = pyxla.compile(roots)(2.5), roots(2.5)
    np.testing.assert_allclose(got[:3], expected[:3], 1e-14)
    assert got[3][1] == expected[3][1]
    assert type(got[3][1]) is type(expected[3][1])


@pytest.mark.parametrize("k", [-1.0, np.nan])
def test_no_roots(k):
    for program in (optimize.brentq, optimize.bisect):
        with pytest.raises(ValueError, match="is NaN" if np.isnan(k) else "different signs"):
            pyxla.compile(lambda k, program=program: program(lambda t: t * t - k, 0, 3))(k)


def splines(x, y, at):
    natural = scipy.interpolate.CubicSpline(x, np.stack([y, y**2], 1), bc_type="natural")
    within = scipy.interpolate.CubicSpline(x, y, extrapolate=False)
    pchip = scipy.interpolate.PchipInterpolator(x, y)
    bands = np.stack([y, y + 3, y])
    return (
        natural(at),
        within(at),
        within(at, 1),
        pchip(at),
        scipy.linalg.solve_banded((1, 1), bands, y),
    )


def test_splines():
    x = np.linspace(0, 1, 8)
    given = x, np.random.default_rng(0).random(8), np.array([-0.1, 0.0, 0.4, 1.0, 1.1, np.nan])
    for got, expected in zip(pyxla.compile(splines)(*given), splines(*given), strict=True):
        np.testing.assert_allclose(got, expected, 1e-9, 1e-12)


def derived_splines(x, y, ends):
    smooth = scipy.interpolate.CubicSpline(x, np.stack([y, y**2], 1))
    within = scipy.interpolate.CubicSpline(x, y, extrapolate=False)
    slope, bend, sums = smooth.derivative(), smooth.derivative(2), smooth.antiderivative(2)
    outer, inner = [s.integrate(ends[0], ends[1]) for s in (smooth, within)]
    poch = scipy.special.poch(y, 3), scipy.special.poch(4, 2), scipy.special.poch(-x, 0)
    return slope(x), bend(0.3), sums(ends), within.antiderivative()(x), outer, inner, poch


@pytest.mark.parametrize("ends", [(0.1, 0.8), (0.8, 0.1), (0.2, 0.2), (-1.0, 0.5), (0.5, 3.0)])
def test_derived_splines(ends):
    x = np.linspace(0, 1, 6)
    given = x, np.random.default_rng(0).random(6), np.array(ends)
    check(pyxla.compile(derived_splines)(*given), derived_splines(*given))


def rotations(angle, vector):
    """Turned in the plane, about a vector, one after the other, and back."""
    plane = Rotation.from_euler("z", angle).as_matrix()[0:2, 0:2]
    both = Rotation.from_rotvec(vector) * Rotation.from_euler("xyz", [10, 20, angle], degrees=True)
    many = Rotation.from_euler("zx", np.array([[0.1, 0.2], [angle, -0.3]]))
    return (
        plane,
        both.as_quat(),
        both.inv().apply(vector),
        both.magnitude(),
        many.apply(vector),
    )


@pytest.mark.parametrize("angle", [0.3, -2.0])
def test_rotations(angle):
    """SciPy has them in Cython for NumPy's arrays, in Python for those of others."""
    for got, expected in zip(
        pyxla.compile(rotations)(angle, X[0]), rotations(angle, X[0]), strict=True
    ):
        assert type(got) is type(expected)
        np.testing.assert_allclose(got, expected, 1e-12, 1e-14)


def test_angles_of_rotations_are_refused():
    """SciPy's Python has half turns of the other sign."""
    with pytest.raises(pyxla.CompileError, match="as_euler"):
        pyxla.compile(lambda q: Rotation.from_quat(q).as_euler("xyz"))(np.array([0.0, 0, 1, 0]))


def choices(n, k):
    return scipy.special.binom(n, k), scipy.special.comb(n, k), scipy.special.binom(4.2, k[0])


def test_binomial_coefficients():
    """Whole numbers are whole, and where there is no such choice there are none."""
    n, k = np.meshgrid([0, 1, 5, 10, 30, 60, -1, -3, 1.5, -0.5], [0, 1, 3, 7, 30, -2, 0.5, 2.7])
    for got, expected in zip(pyxla.compile(choices)(n, k), choices(n, k), strict=True):
        np.testing.assert_allclose(got, expected, 1e-11)
    row = pyxla.compile(lambda n: [scipy.special.comb(n, i) for i in range(n + 1)])(5)
    assert row == [1.0, 5.0, 10.0, 10.0, 5.0, 1.0]


INDEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]])
SINGULAR = np.array([[2.0, 0.0], [1.0, 0.0]])
NOT_FINITE = np.array([[np.nan, 0.0], [0.0, 1.0]])


def factor(a):
    return scipy.linalg.cholesky(a), scipy.linalg.cholesky(a, True), scipy.linalg.cho_factor(a)[0]


def solutions(a):
    la = scipy.linalg
    return la.inv(a) + la.solve(a, a[0]), la.solve_triangular(a, a[0], lower=True)


def decompositions(a):
    return scipy.linalg.svdvals(a), scipy.linalg.det(a), scipy.linalg.eigvalsh(a)


@pytest.mark.parametrize("program", [factor, solutions, decompositions])
@pytest.mark.parametrize("a", [INDEFINITE, SINGULAR, NOT_FINITE, np.diag([1.0, 3, -2, -1])])
def test_what_lapack_raises(program, a):
    try:
        expected = program(a)
    except (ValueError, np.linalg.LinAlgError) as error:
        with pytest.raises(type(error)) as raised:
            pyxla.compile(program)(a)
        assert str(raised.value) == str(error)
    else:
        check(pyxla.compile(program)(a), expected)


def large(a, b):
    la = scipy.linalg
    return la.solve(a, b), la.solve_triangular(a, b)


def told_by_position(a, b):
    la = scipy.linalg
    inverse = la.inv(a, False, True)
    return la.cholesky(a, True, False, False), la.solve(a, b, False, False, False, True), inverse


def unchecked(a, b):
    return scipy.linalg.solve(a, b, check_finite=False)


def checked(a, b):
    return scipy.linalg.solve(a, b, check_finite=True)


B = np.array([1e200, 1.0])


@pytest.mark.parametrize(
    ("program", "a", "b"),
    [
        (large, np.diag([1e-200, 1.0]), B),  # is infinite, and A not singular
        (told_by_position, np.diag([4.0, 1.0]), B),
        (unchecked, np.diag([4.0, 1.0]), B),
        (unchecked, SINGULAR, B),
        (checked, SINGULAR, B),
        (checked, NOT_FINITE, B),
    ],
)
def test_what_is_checked_of_solutions(program, a, b):
    try:
        expected = program(a, b)
    except (ValueError, np.linalg.LinAlgError) as error:
        with pytest.raises(type(error)) as raised:
            pyxla.compile(program)(a, b)
        assert str(raised.value) == str(error)
    else:
        check(pyxla.compile(program)(a, b), expected)
