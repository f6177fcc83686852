"""The public face of ops: eagerly, inside compiled functions, with functions as computations."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pyxla
from pyxla import hlo
from pyxla.errors import CompileError
from pyxla.ops import OPS

X = np.arange(6.0).reshape(2, 3)


def test_every_op_has_a_face_with_a_usage():
    assert len(hlo.FACES) == len(OPS)
    assert all(getattr(hlo, name) is face for name, face in hlo.FACES.items())
    assert hlo.while_.op is OPS["while"]
    assert "dimensions, computation" in hlo.reduce.__doc__
    assert {"add", "and_", "if_"} <= set(dir(hlo))
    with pytest.raises(AttributeError, match="no op 'mean'"):
        _ = hlo.mean


def test_eager_on_numpy():
    result = hlo.transpose(X, permutation=(1, 0))
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, X.T)
    np.testing.assert_array_equal(hlo.add(X, X), X + X)


def test_eager_on_jax_arrays():
    assert isinstance(hlo.negate(jnp.ones(3, jnp.float32)), jax.Array)


def test_numbers_take_the_element_type_of_the_array():
    for dtype in ("f4", "f8", "c8"):
        total = hlo.reduce(X.astype(dtype), 0.0, dimensions=(0, 1), computation="add")
        assert total.dtype == dtype
    assert hlo.dynamic_slice(X, 1, 0, slice_sizes=(1, 2)).tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize(
    ("computation", "expected"),
    [
        (lambda a, b: a + b, X.sum(0)),
        (lambda a, b: np.maximum(a, b), X.max(0)),
        (lambda a, b: a if a > b else b, X.max(0)),
        (hlo.add, X.sum(0)),
        ("add", X.sum(0)),
    ],
)
def test_computations_are_any_function(computation, expected):
    result = hlo.reduce(X, 0.0, dimensions=[0], computation=computation)
    np.testing.assert_array_equal(result, expected)


def test_computation_captures_an_array():
    scale = np.array([2.0, 5.0])
    result = hlo.map(X, computation=lambda a: a * scale[1])
    np.testing.assert_array_equal(result, X * 5)


def newton(a):
    y = a
    while abs(y * y - a) > 1e-9:
        y = 0.5 * (y + a / y)
    return y


def test_computation_with_a_loop():
    result = hlo.map(X + 1, computation=newton)
    np.testing.assert_allclose(result, np.sqrt(X + 1))


def test_computation_must_not_write_outside():
    @pyxla.compile
    def total(x):
        seen = np.zeros(1)

        def count(a, b):
            seen[0] += 1
            return a + b

        return hlo.reduce(x, 0.0, dimensions=(0, 1), computation=count)

    with pytest.raises(CompileError, match="cannot write to what is outside"):
        total(X)


def test_constant():
    @pyxla.compile
    def table():
        return hlo.constant(value=np.array([1.0, 2.0]))

    np.testing.assert_array_equal(table(), hlo.constant(value=[1.0, 2.0]))


def test_foreign_and_random_ops():
    state, bits = hlo.rng_bit_generator(np.array([1, 2], "u8"), dtype="u32", shape=[3])
    again = hlo.rng_bit_generator(state, dtype=np.uint32, shape=(3,))[1]
    assert bits.dtype == np.uint32
    assert not np.array_equal(bits, again)


def test_sort_with_a_comparator_of_several_arrays():
    keys, tags = np.array([1.0, 3.0, 2.0]), np.array([0, 1, 2])
    up, order = hlo.sort(keys, tags, dimension=0, comparator=lambda a, b, i, j: a > b)
    assert up.tolist() == [3, 2, 1]
    assert order.tolist() == [1, 2, 0]


@pyxla.compile
def controlled(x, n):
    y = hlo.reduce(x, 0.0, dimensions=(n,), computation=lambda a, b: a + b)
    z = hlo.if_(y[0] > 4.0, true_branch=lambda: y * 2.0, false_branch=lambda: y)
    _, last = hlo.while_(3, z, cond=lambda i, v: i > 0, body=lambda i, v: (i - 1, v + y))
    return hlo.concatenate(y, last, dimension=0)


@pytest.mark.parametrize("axis", [0, 1])
def test_inside_a_compiled_function(axis):
    y = X.sum(axis)
    want = np.concatenate([y, (y * 2 if y[0] > 4 else y) + 3 * y])
    np.testing.assert_array_equal(controlled(X, axis), want)


@pyxla.compile
def misfit(x):
    return hlo.add(x, x[0])


OUTSIDE = pyxla.f64[3], jax.ShapeDtypeStruct((2,), np.int32)


def inside(x):
    types = [pyxla.f64[len(x)], pyxla.i32[2]]
    return hlo.custom_call(x, call_target_name="t", result_types=types)


def outside(x):
    return hlo.custom_call(x, call_target_name="t", result_types=OUTSIDE)


def spelled(x):
    return hlo.custom_call(x, call_target_name="t", result_types=("f64[3]", "i32[2]"))


@pytest.mark.parametrize("function", [inside, outside, spelled])
def test_types_of_results(function):
    text = pyxla.code_stablehlo(function, pyxla.f64[3])
    assert "custom_call @t(" in text
    assert "-> (tensor<3xf64>, tensor<2xi32>)" in text
    assert "result_types=(f64[3], i32[2])" in pyxla.code_typed(function, pyxla.f64[3])


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"result_types": 3}, "result_types must be known types of arrays"),
        ({"result_types": ("text",)}, "result_types must be known types of arrays"),
        ({"call_target_name": 3}, "call_target_name must name"),
        ({"backend_config": [1]}, "backend_config must be a dict"),
        ({"backend_config": {"a": (1, 2)}}, "backend_config must be a dict"),
    ],
)
def test_refusals_of_custom_calls(attrs, message):
    given = {"call_target_name": "t", "result_types": pyxla.f64[3], **attrs}
    with pytest.raises(CompileError, match=message):
        hlo.custom_call(X, **given)


def test_refusals():
    with pytest.raises(CompileError, match=r"add: operands must agree .* f64\[2,3\], f64\[3\]"):
        hlo.add(X, X[0])
    with pytest.raises(CompileError, match=r"called as hlo\.transpose"):
        hlo.transpose(X, axes=(1, 0))
    with pytest.raises(CompileError) as caught:
        misfit(X)
    assert caught.value.lineno is not None
    assert "hlo.add(x, x[0])" in str(caught.value)
    assert "add: add" not in str(caught.value)
