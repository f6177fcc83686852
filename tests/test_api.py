"""What a user meets besides values: failures at run time, types given by hand, specializations."""

from __future__ import annotations

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla.errors import CompileError, InternalError
from pyxla.ops import OPS
from pyxla.runtime import cache
from pyxla.runtime.request import MANY

# --- failures at run time ---------------------------------------------------------------------


def identity(x):
    return x


def raises_overflow(x):
    if x > 2:
        raise OverflowError("mine")
    return x


def enormous(x):
    return np.zeros((10**6, 10**6)) + x


def zeros(n):
    return np.zeros(n)


FAILURES = {
    "int argument": (identity, 2**70, OverflowError, "1180591620717411303424 does not fit"),
    "int in a list": (identity, [1, -(2**63) - 1], OverflowError, "identity.*does not fit"),
    "own overflow": (raises_overflow, 3, OverflowError, "^mine$"),
    "memory": (enormous, 1.0, MemoryError, "Unable to allocate 7.28 TiB"),
    "address space": (zeros, 2**62, ValueError, "array is too big"),
    "negative size": (zeros, -1, ValueError, "negative dimensions"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_pythons(name: str) -> None:
    function, arg, kind, message = FAILURES[name]
    with pytest.raises(kind, match=message):
        pyxla.compile(function)(arg)


def test_the_least_int() -> None:
    assert pyxla.compile(identity)(-(2**63)) == -(2**63)


# --- types given by hand ----------------------------------------------------------------------

SPELLED = {
    "f64[3]": "f64[3]",
    "i32[]": "i32[]",
    "f64": "f64",
    "float": "float",
    "static[3]": "static[3]",
    "(f64[3], int)": "(f64[3], int)",
    "hello": "static['hello']",
    "\\d": "static['\\\\d']",
    np.float32: "f32",
    np.bool_: "bool_",
    np.float64(2): "f64",
    pyxla.static[np.int64(3)]: "static[np.int64(3)]",
    pyxla.static[np.float32]: "static[float32]",
    pyxla.static["int"]: "static['int']",
}


@pytest.mark.parametrize("given", SPELLED)
def test_types_in_text_and_numpys_classes(given: object) -> None:
    compiled = pyxla.compile(identity)
    compiled.specialize(given)
    assert repr(compiled.specializations) == f"(<identity({SPELLED[given]})>,)"


def test_numpy_ints_as_sizes() -> None:
    compiled = pyxla.compile(zeros)
    for n in (np.int64(3), np.uint8(2), np.int32(0), 4, (2, np.int64(1))):
        np.testing.assert_array_equal(compiled(n), zeros(n), strict=True)
    for given in (pyxla.i64, np.int64, "i64"):
        with pytest.raises(CompileError, match="the value of 'n' must be known"):
            pyxla.code_hlo(zeros, given)


def test_types_name_dtypes() -> None:
    def converted(x):
        return pyxla.hlo.convert(x, dtype=pyxla.i8), np.zeros(2, pyxla.f32), x.astype(pyxla.c64)

    results = pyxla.compile(converted)(np.ones(2))
    assert [r.dtype for r in results] == ["int8", "float32", "complex64"]
    assert pyxla.hlo.convert(np.ones(2), dtype=pyxla.f32).dtype == np.float32


def test_emission_fails_at_a_line() -> None:
    def broken(*_: object) -> None:
        raise KeyError("broken")

    def cubed(x):
        return np.cbrt(x)

    op = OPS["cbrt"]
    emit = op.emit
    object.__setattr__(op, "emit", broken)  # the record is frozen
    try:
        with pytest.raises(InternalError, match="KeyError") as caught:
            pyxla.compile(cubed)(2.0)
    finally:
        object.__setattr__(op, "emit", emit)
    assert caught.value.lineno == cubed.__code__.co_firstlineno + 1
    assert isinstance(caught.value, CompileError)


# --- specializations --------------------------------------------------------------------------


def test_live_executables_are_bounded_over_all_functions() -> None:
    first, second = pyxla.compile(lambda x: x + 1), pyxla.compile(lambda x: x + 2)
    limit = cache.RECENCY.limit
    first(np.ones(1))
    try:
        cache.RECENCY.limit = 3
        for n in range(1, 4):
            second(np.ones(n))
    finally:
        cache.RECENCY.limit = limit
    assert len(first.specializations) == 0 and len(second.specializations) == 3
    assert first(np.ones(1)) == 2


def test_the_least_recently_used_specialization_makes_room() -> None:
    compiled = pyxla.compile(lambda x: x + 1, cache_size=2)
    for n in (1, 2, 1, 3):
        compiled(np.ones(n))
    assert [repr(entry)[-8:] for entry in compiled.specializations] == ["f64[1])>", "f64[3])>"]


def test_modules_have_no_results_that_change_nothing() -> None:
    def unchanged(x, y):
        x[:] = x * 1
        return y

    text = pyxla.code_stablehlo(unchanged, pyxla.f64[3], float)
    assert "-> tensor<f64>" in text.partition("@main")[2].partition("{")[0]


# --- functions of JAX's -----------------------------------------------------------------------


@jax.jit
def jitted(x):
    return jnp.tanh(x) * 2


batched = jax.vmap(lambda row: row @ row)


def test_functions_that_jax_transformed_are_jaxs() -> None:
    x = np.arange(6.0).reshape(2, 3)

    def both(x):
        return jitted(x) + 1, batched(x) - 1

    for found, expected in zip(pyxla.compile(both)(x), both(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(pyxla.compile(jitted)(x), jitted(x), rtol=1e-6)


def test_computations_have_defaults() -> None:
    x = np.array([[3.0, 1.0, 2.0]])
    np.testing.assert_array_equal(pyxla.hlo.sort(x, dimension=1), np.sort(x))
    np.testing.assert_array_equal(pyxla.hlo.all_reduce(x, replica_groups=((0,),)), x)
    assert "comparator='LT'" in str(inspect.signature(pyxla.hlo.sort))


class Bound:
    factor = 3

    @pyxla.compile
    @staticmethod
    def static(x):
        return x + 1

    @pyxla.compile(checks=True)
    @classmethod
    def of_class(cls, x):
        return x * cls.factor

    def both(self, x):
        return self.static(x) + self.of_class(x)


def test_staticmethods_and_classmethods_are_compiled():
    assert (Bound.static(1), Bound().static(2), Bound.of_class(2), Bound().of_class(3)) == (
        2,
        3,
        6,
        9,
    )
    assert pyxla.compile(Bound().both)(2.0) == 9.0


def test_negative_counts_of_repeat_raise():
    f = pyxla.compile(lambda x, n: np.repeat(x, n), checks=True)
    with pytest.raises(ValueError, match="repeats may not contain negative values"):
        f(np.arange(2), np.array([-2, 3]))
    assert f(np.arange(2), np.array([2, 1])).tolist() == [0, 0, 1]


def squares(x):
    return x * x


def test_a_function_compiled_inside_is_that_function():
    def program(x):
        @pyxla.compile
        def plus(y):
            return y + x[0]

        @pyxla.compile(verify=True)
        def times(y):
            return y * x[1]

        total = pyxla.compile(squares)(x) + pyxla.compile(function=plus)(x)
        slope = pyxla.grad(pyxla.compile(lambda y: np.sum(y * y), checks=False))(x)
        return total, times(x), slope

    x = np.array([1.0, 2.0, 3.0])
    for got, wanted in zip(pyxla.compile(program)(x), program(x), strict=True):
        np.testing.assert_array_equal(got, wanted)


def sums_by_remainder(n, m):
    found = {}
    for i in range(n):
        found[i * m % 7] = found.get(i * m % 7, 0) + i
    return found


def primes(n):
    is_prime = [True] * (n + 1)
    for i in range(2, n + 1):
        for j in range(i * i, n + 1, i):
            is_prime[j] = False
    return [i for i in range(2, n + 1) if is_prime[i]]


def last_of(n):
    x = [0] * n
    x[20] = 5
    return sum(x) // (n - 28)


def outcome(function, *args):
    try:
        return function(*args)
    except (IndexError, ZeroDivisionError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("function", [primes, last_of, lambda n: sums_by_remainder(n, 3)])
def test_a_number_that_had_many_values_is_data(function):
    compiled = pyxla.compile(function)
    for n in range(4, 32):
        assert outcome(compiled, n) == outcome(function, n)
    typed = [entry for entry in compiled.specializations if entry.types == "int"]
    assert len(typed) >= 1
    assert len([*compiled.specializations]) <= MANY + 4  # with those that raise


def test_several_numbers_become_data_in_turn():
    compiled = pyxla.compile(sums_by_remainder)
    for n in range(30):
        assert compiled(n, n // 3 + 1) == sums_by_remainder(n, n // 3 + 1)
    assert len(compiled.specializations) <= 2 * (MANY + 1)


def number_of_calls(n):
    return n if n < 2 else number_of_calls(n - 1) + number_of_calls(n - 2)


@pytest.mark.parametrize("function", [np.zeros, number_of_calls])
def test_a_number_is_known_where_it_would_size_arrays_or_nest_calls(function):
    compiled = pyxla.compile(lambda n: function(n))
    for n in range(12):
        np.testing.assert_array_equal(compiled(n), function(n))
    assert len(compiled.specializations) == 12


def picked(n, x):
    filled = [1] * n
    return x[int(x[0])] + sum(filled) + filled[-1]


def test_a_number_that_became_data_under_other_programs():
    compiled = pyxla.compile(picked)
    for n in range(2, 14):  # of JAX's, without checks
        traced = jax.jit(lambda x, n=n: compiled(n, x))(jnp.arange(4) + 1)
        assert traced == picked(n, np.arange(4) + 1)
    compiled = pyxla.compile(picked)
    for n in range(2, 14):
        for first in (1, 7):  # the second raises, and runs again for that
            x = np.arange(4) + first
            assert outcome(compiled, n, x) == outcome(picked, n, x)


def test_stages_for_a_value_leave_data_data():
    compiled = pyxla.compile(lambda n: {i: i * i for i in range(n)})
    for n in range(1, MANY + 3):
        compiled(n)
    before = len(compiled.specializations)
    compiled.lower(50)
    assert compiled(51)[50] == 2500
    assert len(compiled.specializations) == before
