"""What the caller of a program gets: arrays, scalars, mutation, exceptions."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pyxla.errors import CompileError
from pyxla.ir.types import DTYPE_NAMES
from pyxla.ops.elementwise import add, convert, multiply, negate
from pyxla.runtime.executable import Executable
from pyxla.runtime.memory import LEND_BYTES
from pyxla.runtime.outcome import (
    OutArgument,
    OutArray,
    Outcome,
    OutConst,
    OutDict,
    OutFormat,
    OutList,
    OutObject,
    OutScalar,
    OutTuple,
    OutView,
    Site,
    Store,
    Write,
)
from tests.runtime.programs import double, fma, known, made, run, third, typed

LARGE = LEND_BYTES // 8


def aligned(n):
    """An array that XLA:CPU would read in place."""
    raw = np.empty(n + 8)
    return raw[(-raw.ctypes.data % 64) // 8 :][:n]


def test_numpy_in_numpy_out_in_double_precision():
    before = jax.config.jax_enable_x64
    result = run(fma(), [np.full(4, 1 / 3), np.arange(4.0)])
    assert type(result) is np.ndarray and result.dtype == np.float64
    np.testing.assert_array_equal(result, np.full(4, 1 / 3) * np.arange(4.0) + np.arange(4.0))
    assert jax.config.jax_enable_x64 == before


def test_jax_in_jax_out():
    result = run(fma("f32"), [jnp.ones(4), jnp.arange(4.0)], jax=True)
    assert isinstance(result, jax.Array)
    np.testing.assert_array_equal(result, [0, 2, 4, 6])


@pytest.mark.parametrize("n", [4, LARGE, 3 * LARGE])
def test_numpy_results_are_writable_and_share_nothing(n):
    x, y = aligned(n), aligned(n)
    x[:], y[:] = 1, 2
    run_ = Executable(fma(n=n), Outcome((0, 1), OutArray(0)))
    first, second = run_([x, y]), run_([x, y])
    first[:] = 7
    assert second[0] == 4 and x[0] == 1
    assert not np.shares_memory(first, second)


def test_results_of_one_value_are_separate_arrays():
    program = made("same", [typed("f64", LARGE)], lambda x: (x, x))
    x = aligned(LARGE)
    x[:] = 1
    a, b, c = run(program, [x], OutTuple(tuple, (OutArray(0), OutArray(1), OutArray(1))))
    a[:], b[:], c[:] = 5, 6, 7
    assert (x[0], a[0], b[0], c[0]) == (1, 5, 6, 7)


@pytest.mark.parametrize("name", sorted(DTYPE_NAMES))
@pytest.mark.parametrize("n", [3, 2 * LEND_BYTES])
def test_every_dtype_comes_back(name, n):
    x = np.ones(n, DTYPE_NAMES[name])
    result = run(made("keep", [typed(name, n)], lambda x: x), [x])
    assert result.dtype == x.dtype and result.flags.writeable
    np.testing.assert_array_equal(result, x)


def test_scalars_of_each_kind():
    assert run(double(), [1.5], OutScalar(0)) == 3.0
    assert type(run(double(), [1.5], OutScalar(0))) is float
    assert type(run(double(), [1.5], OutScalar(0, "numpy"))) is np.float64
    zero_d = run(double(), [1.5], OutArray(0))
    assert type(zero_d) is np.ndarray and zero_d.shape == ()


def test_noncontiguous_and_zero_size_arguments():
    x = np.arange(8.0)
    np.testing.assert_array_equal(run(fma(), [x[::2], x[::-2]]), x[::2] * x[::-2] + x[::-2])
    assert run(fma(n=0), [np.zeros(0), np.zeros(0)]).shape == (0,)


class Pair(NamedTuple):
    a: object
    b: object


@dataclass(frozen=True)
class Point:
    x: object
    y: object


def test_containers():
    out = OutTuple(Pair, (OutArray(0), OutList((OutConst(None), OutDict(("k",), (OutArray(0),))))))
    pair = run(fma(), [np.ones(4), np.ones(4)], out)
    assert type(pair) is Pair and pair.b[0] is None
    np.testing.assert_array_equal(pair.a, pair.b[1]["k"])
    assert not np.shares_memory(pair.a, pair.b[1]["k"])
    point = run(double(), [2.0], OutObject(Point, (("x", OutScalar(0)), ("y", OutConst(1)))))
    assert point == Point(4.0, 1)


class Watched:
    """Setting `x` does more than keep it; `y` is kept in the instance, `z` in a slot."""

    __slots__ = ("__dict__", "z")
    y = 3

    @property
    def x(self):
        return self.kept

    @x.setter
    def x(self, value):
        self.kept = value

    @functools.cached_property
    def late(self):
        raise AssertionError


def test_fields_are_set_as_the_class_says():
    fields = tuple([(name, OutScalar(0)) for name in ("x", "y", "z", "late")])
    watched = run(double(), [2.0], OutObject(Watched, fields))
    assert (watched.x, watched.y, watched.z, watched.late) == (4.0,) * 4
    assert sorted(vars(watched)) == ["kept", "late", "y"]
    plain = OutObject(Point, (("x", OutScalar(0)), ("y", OutScalar(0))))
    first, second, other = run(
        double(), [2.0], OutTuple(tuple, (plain, plain, OutObject(Point, plain.fields)))
    )
    assert first is second and other is not first and other == first == Point(4.0, 4.0)


def test_one_out_is_one_object():
    array = OutArray(0)
    a, b, c = run(fma(), [np.ones(4)] * 2, OutTuple(tuple, (array, array, OutList((array,)))))
    assert a is b and c[0] is a
    whole, part = run(
        fma(n=LARGE),
        [np.ones(LARGE)] * 2,
        OutTuple(tuple, (array, OutView(array, (("getitem", slice(1, 3)), ("reshape", (2, 1)))))),
    )
    part[:] = 9
    assert whole[1] == whole[2] == 9 and whole[3] == 2


def test_arguments_are_returned_as_they_are():
    x = np.ones(4)
    assert run(fma(), [x, x], OutArgument((0,))) is x


def test_writes_go_into_the_callers_arrays():
    x, y = np.ones(4), np.arange(8.0)[::2]
    base = y.base
    run(fma(), [x, y], OutConst(None), writes=(Write(1, 0),))
    np.testing.assert_array_equal(base, [0, 1, 4, 3, 8, 5, 12, 7])


def test_writes_of_unchanged_contents_are_dropped():
    same = made("same", [typed("f64"), typed("f64")], lambda x, y: (x, y, add(x, y), x))
    array = OutArray(2)
    call = Executable(
        same,
        Outcome(
            (0, 1),
            OutTuple(tuple, (array, OutScalar(2), OutList((array,)))),
            writes=(Write(0, 0), Write(1, 1), Write(1, 3)),
        ),
    )
    assert call.outcome.writes == (Write(1, 1),)
    assert len(call.program.results) == 2
    x, y = np.array(1.0), np.array(2.0)
    total, scalar, (again,) = call([x, y])
    assert (total, scalar, x, y) == (3, 3, 1, 1) and again is total
    x.flags.writeable = False
    call([x, y])


def test_overlapping_arguments_take_their_contents():
    base = np.arange(5.0)
    shifted = made("shift", [typed("f64", 4), typed("f64", 4)], lambda x, y: (add(y, y), y))
    run(shifted, [base[:-1], base[1:]], OutConst(None), writes=(Write(0, 0),))
    np.testing.assert_array_equal(base, [2, 4, 6, 8, 4])


def test_stores_update_containers():
    items, table, point = [1.0, 2.0], {"a": 1.0, "b": 2.0}, Point(1, 2)
    program = Executable(
        fma(),
        Outcome(
            (0, 1),
            OutConst(None),
            stores=(
                Store((2,), OutList((OutArray(0), OutConst(3)))),
                Store((3,), OutDict(("c",), (OutConst(1),))),
                Store((4, 0), OutObject(Point, (("x", OutConst(5)), ("y", OutConst(6))))),
            ),
        ),
    )
    program([np.ones(4)] * 2, [None, None, items, table, [point]])
    assert items[1] == 3 and items[0][0] == 2
    assert table == {"c": 1} and point == Point(5, 6)


def status_program():
    """The status is the truncated sum; also x * x for the message."""
    return made(
        "status",
        [typed("f64")],
        lambda x: (convert(x, dtype=DTYPE_NAMES["i32"]), multiply(x, x), negate(x)),
    )


SITES = (
    Site(ValueError, (OutConst("plain"),)),
    Site(KeyError, (OutFormat(("square ", (OutScalar(1), "r", ""), "!")), OutConst(3))),
)


def test_status_raises_after_writing():
    x = np.array(0.0)
    call = Executable(
        status_program(),
        Outcome((0,), OutScalar(1), writes=(Write(0, 2),), status=0, sites=SITES),
    )
    assert call([np.array(0.0)]) == 0.0
    x = np.array(1.0)
    with pytest.raises(ValueError, match=r"^plain$"):
        call([x])
    assert x == -1
    with pytest.raises(KeyError) as caught:
        call([np.array(2.0)])
    assert caught.value.args == ("square 4.0!", 3)


def test_bounded_extents_are_cut_to_size():
    program = made("cut", [typed("f64", 4)], lambda x: (x, known(3, "i32")))
    x = np.arange(4.0)
    result = run(program, [x], OutArray(0, (1,)))
    np.testing.assert_array_equal(result, x[:3])
    assert result.base is None
    traced = run(program, [jnp.arange(4.0)], OutArray(0, (1,)), jax=True)
    assert isinstance(traced, jax.Array) and traced.shape == (3,)


def test_numpy_arguments_are_read_when_the_call_returns():
    n = 1 << 20
    x, y = aligned(n), jnp.ones(n, jnp.float32)
    mixed = made(
        "mixed",
        [typed("f64", n), typed("f32", n)],
        lambda x, y: multiply(convert(x, dtype=DTYPE_NAMES["f32"]), y),
    )
    call = Executable(mixed, Outcome((0, 1), OutArray(0), jax=True, waits=True))
    for k in range(5):
        x[:] = k
        result = call([x, y])
        x[:] = -1
        assert float(result.min()) == k


def test_wide_values_inside_narrow_programs():
    x = np.full(4, 0.1, np.float32)
    np.testing.assert_array_equal(run(third(), [x]), (x.astype(float) / 3).astype(np.float32))


def test_numpy_call_under_a_trace_stays_numpy():
    seen = []

    @jax.jit
    def outer(x):
        seen.append(run(fma(), [np.ones(4), np.ones(4)]))
        return x + seen[-1].sum()

    assert outer(1.0) == 9
    assert type(seen[0]) is np.ndarray


def test_under_an_outer_trace():
    call = Executable(fma(), Outcome((0, 1), OutArray(0), jax=True))
    result = jax.jit(lambda x, y: call([x, y]))(jnp.ones(4), jnp.ones(4))
    np.testing.assert_array_equal(result, [2, 2, 2, 2])
    scalar = Executable(double(), Outcome((0,), OutScalar(0), jax=True))
    value = jax.jit(lambda x: scalar([x]) + 1)(2.0)
    assert value == 5 and value.dtype == jnp.asarray(1.0).dtype


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome((0,), OutScalar(1), status=0, sites=SITES, jax=True), "pyxla.checked"),
        (Outcome((0,), OutArray(1), writes=(Write(0, 1),), jax=True), "pyxla.functional"),
    ],
)
def test_refused_under_an_outer_trace(outcome, words):
    call = Executable(status_program(), outcome)
    with pytest.raises(CompileError, match=words):
        jax.jit(lambda x: call([x]))(1.0)


def test_sized_results_refused_under_an_outer_trace():
    program = made("cut", [typed("f32", 4)], lambda x: (x, known(3, "i32")))
    call = Executable(program, Outcome((0,), OutArray(0, (1,)), jax=True))
    with pytest.raises(CompileError, match="depends on data"):
        jax.jit(lambda x: call([x]))(jnp.ones(4))
