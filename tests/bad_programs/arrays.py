# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Refused: arrays."""

from __future__ import annotations

import math
import random
import time
import warnings

import jax
import ml_dtypes
import numpy as np

import pyxla
from pyxla import f32, f64, i64
from tests.bad_programs import bad

V, M = f64[3], f64[3, 4]


@bad("could not be broadcast together with shapes (3,) (4,)", f64[3], f64[4])
def shapes_do_not_match(x, y):
    return x + y  # <-


@bad("(3,) (4,)", f64[3], f64[4])
def inplace_shapes_do_not_match(x, y):
    x += y  # <-
    return x


@bad("matmul: shapes (3, 4) and (3,) do not fit", f64[3, 4], f64[3])
def matmul_shapes_do_not_match(x, y):
    return x @ y  # <-


@bad("shapes (3,) and (4,) not aligned", f64[3], f64[4])
def dot_shapes_do_not_match(x, y):
    return np.dot(x, y)  # <-


@bad("cannot reshape array of size 12 into shape (5, 3)", M)
def reshape_size(x):
    return x.reshape(5, 3)  # <-


@bad("could not broadcast input array from shape (2,) into shape (3,)", V)
def assigned_shape(x):
    x[:] = np.ones(2)  # <-
    return x


def converts_one_element():
    """Whether this NumPy takes arrays of one element for numbers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(float(np.ones(1)))
    except TypeError:
        return False


if not converts_one_element():

    @bad("only 0-dimensional arrays can be converted to Python scalars", f64[1])
    def float_of_an_array(x):
        return float(x)  # <-

    @bad("only 0-dimensional arrays can be converted to Python scalars", f64[1])
    def root_of_an_array(x):
        return math.sqrt(x)  # <-

    @bad("setting an array element with a sequence", V, f64[1])
    def array_for_an_element(x, y):
        x[1] = y  # <-


@bad("setting an array element with a sequence", V)
def list_for_an_element(x):
    x[0] = [1.0, 2.0]  # <-


@bad("sqrt() takes from 1 to 2 positional arguments but 4 were given", V)
def too_many_operands(x):
    return np.sqrt(x, x, x, x)  # <-


@bad("same_kind", i64[3])
def inplace_cast(x):
    x += 0.5  # <-
    return x


@bad("same_kind", i64[3], V)
def out_cast(x, y):
    np.add(x, y, out=x)  # <-
    return x


@bad("operands must agree but in dimension 0", M, V)
def concatenate_ranks(x, y):
    return np.concatenate([x, y])  # <-


@bad("must have the same shape", V, f64[4])
def stack_shapes(x, y):
    return np.stack([x, y])  # <-


@bad("too many indices", V)
def too_many_indices(x):
    return x[0, 0]  # <-


@bad("index 5 is out of bounds for axis 0 with size 3", V)
def index_out_of_bounds(x):
    return x[5]  # <-


@bad("are valid indices", V)
def index_by_float(x):
    return x[1.5]  # <-


@bad("are valid indices", V)
def index_by_text(x):
    return x["first"]  # <-


@bad("boolean ind", V)
def mask_of_another_shape(x):
    return x[np.array([True, False])]  # <-


@bad("duplicate value in axis (0, 0)", M)
def transpose_axes(x):
    return np.transpose(x, (0, 0))  # <-


@bad("square", M)
def inverse_of_a_rectangle(x):
    return np.linalg.inv(x)  # <-


@bad("zero-size", V)
def maximum_of_nothing(x):
    return np.max(x[:0])  # <-


@bad("NoneType is not a number or an array", float)
def object_array(x):
    return np.array([x, None])  # <-


@bad("the items of a list differ in shape", float)
def ragged_array(x):
    return np.array([[x], [x, x]])  # <-


@bad("no element type for <U0", float)
def text_array(x):
    return np.full(3, x).astype(str)  # <-


@bad("no element type for >i4", V)
def view_in_another_byte_order(x):
    return x.view(">i4")  # <-


@bad("no element type for >f8", V)
def another_byte_order(x):
    return x.astype(">f8").view(np.int64)  # <-


@bad("no element type for int2", V)
def narrow_ints(x):
    return x.astype(ml_dtypes.int2)  # <-


@bad("int2 cannot leave a JAX function", V)
def narrow_floats(x):
    return jax.numpy.asarray(x, jax.numpy.int2)  # <-


@bad("einsum", M)
def einsum_subscripts(x):
    return np.einsum("ijk->i", x)  # <-


@bad("'float31' is not a dtype", V)
def unknown_dtype(x):
    return x.astype("float31")  # <-


@bad("the state is the caller's while the program runs", V)
def hidden_state(x):
    return x + np.random.get_state()[1][0]  # <-


@bad("it goes through acos, whose last bit is not the C library's", V)
def python_random(x):
    return x + random.vonmisesvariate(0.0, 1.0)  # <-


@bad("ints of 64 random bits do not fit", V)
def python_random_ints(x):
    return x + random.getrandbits(64)  # <-


@bad("may give another result at every call", V)
def wall_clock(x):
    return x + time.time()  # <-


@bad("operands must agree in element type", f32[3], f64[3])
def strict_ops(x, y):
    return pyxla.hlo.add(x, y)  # <-


@bad("not a permutation", M)
def op_attributes(x):
    return pyxla.hlo.transpose(x, permutation=(0, 0))  # <-


@bad("it is called as hlo.add(x, y)", V)
def op_arguments(x):
    return pyxla.hlo.add(x)  # <-


@bad("numpy boolean subtract", V)
def quantile_of_bools(x):
    return np.quantile(x > 0, 0.3)  # <-


@bad("output from float64 to bool", V)
def decimals_of_bools(x):
    return np.round(x > 0, 1)  # <-


@bad("i0 not supported for complex values", V)
def i0_of_complex(x):
    return np.i0(x * 1j)  # <-


@bad("nonzero on 0d arrays", V)
def places_of_a_number(x):
    return np.where((x > 2).any())  # <-


@bad("either both or neither of x and y", V)
def one_choice_alone(x):
    return np.where(x > 2, x)  # <-


@bad("where:", V)
def choices_of_objects(x):
    return np.where(x > 2, None, None)  # <-


@bad("index 0 is out of bounds for axis 0 with size 0", f64[0, 3], i64[2, 3])
def taken_of_nothing(x, i):
    return np.take_along_axis(x, i, 0)  # <-


@bad("fp and xp are not of the same length", V)
def points_without_heights(x):
    return np.interp(x, [1.0, 2.0], [1.0, 2.0, 3.0])  # <-


@bad("Percentiles must be in the range [0, 100]", V)
def percentile_above_all(x):
    return np.percentile(x, 101)  # <-


@bad("Quantiles must be in the range [0, 1]", V)
def quantiles_that_are_percentiles(x):
    return np.quantile(x, [0.5, 50])  # <-


@bad("must increase monotonically", V)
def falling_bins(x):
    return np.histogram(x, [3, 2, 1])  # <-


@bad("'subtract' is not reorderable", M)
def differences_along_two_axes(x):
    return np.subtract.reduce(x, axis=(0, 1))  # <-


@bad("index 99 is out of bounds for array with size 6")
def place_outside():
    return np.unravel_index(99, (2, 3))  # <-


@bad("invalid entry in coordinates array")
def coordinates_outside():
    return np.ravel_multi_index((3, 1), (2, 3))  # <-


@bad("need sequence of keys", i64)
def keys_of_a_number(n):
    return np.lexsort(n)  # <-


@bad("expected x and y to have same length", V, f64[4])
def points_of_other_lengths(x, y):
    return np.polyfit(x, y, 1)  # <-


@bad("shapes (3, 3) and (4, 1) do not fit", f64[3, 3], f64[4])
def system_of_another_size(a, b):
    return np.linalg.solve(a, b)  # <-


PERHAPS = "whether this is a view of another array depends on the path that was taken"


@bad(PERHAPS, M, i64[3])
def flat_array_of_so_many_rows_that_it_may_be_a_view(x, n):
    rows = x[int(n[0]) % 2 :][::2]
    flat = rows.reshape(-1)
    flat[:2] = 7  # <-
    return x
