# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Programs that are refused: `PROGRAMS` lists them, the refused line of each is marked `# <-`.

@bad("what the message says", *types or values of the arguments)
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import operator
import os
import random
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import pyxla
from pyxla import bool_, f32, f64, i64, static


class Bad(NamedTuple):
    """A program, the message expected, and what it is called on."""

    function: Callable[..., Any]
    message: str
    args: tuple[Any, ...]
    options: dict[str, Any]


PROGRAMS: dict[str, Bad] = {}


def bad(message: str, *args: Any, **options: Any) -> Callable[..., Any]:
    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = Bad(function, message, args, options)
        return function

    return note


COUNT = 0
V, M = f64[3], f64[3, 4]


# --- syntax -----------------------------------------------------------------------------------


@bad("the classes that an `except` clause names are not known", float)
def except_what(x):
    kind = ValueError if x > 0 else KeyError
    try:
        return 1 / x
    except kind:  # <-
        return 0.0


@bad("must be known before the `try`", float)
def except_computed(x):
    try:
        return 1 / x
    except [ValueError][0]:  # <-
        return 0.0


@bad("has nothing to raise again", float)
def bare_raise(x):
    raise  # <-


@bad("cannot return a generator", float)
def generator(x):  # <-
    yield x


def _numbers(n):
    yield from range(n)


@bad("the value of `yield from`", float)
def delegating_generator(x):
    def f():
        y = yield from [x]  # <-
        yield y

    return sum(f())


@bad("this iterator was read before", 4)
def generator_read_twice(n):
    numbers = _numbers(n)
    return sum(numbers) + sum(numbers)  # <-


@bad("read in each turn", int, int)
def generator_before_the_loop(n, m):
    numbers, total = _numbers(n), 0
    while total < m:
        for i in numbers:  # <-
            total += i
    return total


@bad("read in each turn", int, int)
def zip_before_the_loop(n, m):
    pairs, total = zip([1, 2], [n, m], strict=True), 0
    while total < m:
        for i, j in pairs:  # <-
            total += i * j
    return total


@bad("while it is inside a `try`", int)
def generator_left_inside_try(n):
    def numbers():
        try:
            yield from range(n)  # <-
        finally:
            print("closed")

    for i in numbers():
        if i == 3:
            return i
    return 0


@bad("async code has no meaning", float)
async def coroutine(x):  # <-
    return x


@bad("async code has no meaning", float)
def nested_coroutine(x):
    async def inner():  # <-
        return await asyncio.sleep(0)

    return x


@bad("a class cannot be defined", float)
def class_inside(x):
    class Point:  # <-
        pass

    return x


@bad("a global variable cannot be assigned", float)
def global_write(x):
    global COUNT
    COUNT = x  # <-
    return x


@bad("open", float)
def with_open(x):
    with open("file"):  # <-
        return x


@bad("is no context manager that can be compiled", float)
def with_number(x):
    with x:  # <-
        return x


@bad("np.errstate cannot raise", V)
def errstate_raise(x):
    with np.errstate(divide="raise"):  # <-
        return 1 / x


@bad("nothing to raise again", float)
def bare_raise(x):
    if x > 0:
        raise  # <-
    return x


@bad("name 'undefined_name' is not defined", float)
def undefined(x):
    return x + undefined_name  # <-


@bad("module 'numpy' has no attribute 'no_such_function'", V)
def no_such_function(x):
    return np.no_such_function(x)  # <-


@bad("no attribute 'length'", V)
def no_such_attribute(x):
    return x.length  # <-


@bad("'append'", V)
def no_such_method(x):
    x.append(1)  # <-
    return x


@bad("no attribute 'z'", float)
def no_such_field(x):
    return Pair(x, x).z  # <-


class Pair(NamedTuple):
    a: Any
    b: Any


@bad("'y'", float)
def used_before_assignment(x):
    z = y + x  # <-
    y = 1.0
    return z + y


@bad("'y'", float)
def deleted(x):
    y = x
    del y
    return y  # <-


# --- calls ------------------------------------------------------------------------------------


def two(a, b):
    return a + b


@bad("missing 1 required positional argument: 'b'", float)
def too_few_arguments(x):
    return two(x)  # <-


@bad("takes 2 positional arguments but 3 were given", float)
def too_many_arguments(x):
    return two(x, x, x)  # <-


@bad("unexpected keyword argument 'c'", float)
def unknown_keyword(x):
    return two(x, b=x, c=x)  # <-


@bad("multiple values for argument 'a'", float)
def argument_given_twice(x):
    return two(x, a=x)  # <-


@bad("not callable", float)
def calls_a_number(x):
    return x(1)  # <-


@bad("not callable", V)
def calls_an_array(x):
    return x(1)  # <-


@bad("is not among the functions that can be compiled", float)
def c_function(x):
    return zlib.crc32(x)  # <-


@bad("text is made while compiling", V)
def numpy_io(x):
    return np.array2string(x)  # <-


@bad("may give another result at every call", float)
def opens_a_file(x):
    return open("file").read()  # <-


@bad("may give another result at every call", float)
def asks_the_system(x):
    return os.getcwd()  # <-


@bad("nested too deeply", float)
def deep_recursion(x):
    return deep_recursion(x * 0.5)  # <-


@bad("nested too deeply", float)
def recursion_on_data(x):
    return recursion_on_data(x - 1) if x > 1 else x  # <-


@bad("the source of SOURCE_LESS", float)
def calls_source_less(x):
    return SOURCE_LESS(x)  # <-


exec("def SOURCE_LESS(x): return x")


@bad("axis 2 is out of bounds", M)
def bad_axis(x):
    return np.sum(x, axis=2)  # <-


@bad("unexpected keyword argument 'axes'", M)
def bad_keyword_of_numpy(x):
    return np.sum(x, axes=0)  # <-


@bad("missing 1 required positional argument: 'y'", float)
def called_with_too_few(x, y):  # <-
    return x + y


# --- types ------------------------------------------------------------------------------------


@bad("unsupported operand", float)
def number_plus_text(x):
    return x + "1"  # <-


@bad("unsupported operand", float)
def number_plus_none(x):
    return x + None  # <-


@bad("unsupported operand", V)
def list_minus_list(x):
    return [x] - [x]  # <-


@bad("truth value", V)
def truth_of_array(x):
    if x > 0:  # <-
        return x
    return -x


@bad("truth value", V)
def and_of_arrays(x):
    return (x > 0) and (x < 1)  # <-


@bad("not iterable", float)
def iterates_a_number(x):
    total = 0.0
    for item in x:  # <-
        total += item
    return total


@bad("float is not iterable", float)
def unpacks_a_number(x):
    a, b = x  # <-
    return a + b


@bad("float has no len()", float)
def length_of_a_number(x):
    return len(x)  # <-


@bad("float cannot be indexed", float)
def subscripts_a_number(x):
    return x[0]  # <-


@bad("not defined for complex numbers", complex)
def floor_divides_complex(x):
    return x // 2  # <-


@bad("is defined for ints, not for float", float)
def shifts_a_float(x):
    return x << 1  # <-


@bad("np.bitwise_xor does not take", V)
def xor_of_floats(x):
    return x ^ 1  # <-


@bad("str", float)
def branches_of_two_types(x):
    y = 1.0 if x > 0 else "one"
    return y + x  # <-


@bad("y", V, bool_[()])
def branches_of_two_shapes(x, flag):
    if flag:
        y = x
    else:
        y = x[:2]
    return y * 2  # <-


@bad("this may be None: float or None", float)
def sometimes_nothing(x):
    y = None
    if x > 0:
        y = x
    return np.sin(y)  # <-


class Row:
    def __init__(self, v):
        self.v = v


@bad("'seen' is set of an instance that is in a list, and was not when it was made", V)
def instances_with_later_fields(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append(Row(v))
    for r in rows:
        r.seen = True  # <-
    return [r.v for r in rows]


@bad("+= writes to an array: it may be a 0-d array here, or a number", V)
def add_to_what_may_be_zero_d(x):
    s = np.array(0.0)
    if x[0] > 0:
        s = x[1]
    s += 1  # <-
    return s


@bad("an index that is an array makes a copy", f64[3, 3], f64[3])
def row_at_what_may_be_zero_d(x, y):
    i = np.array(0)
    while y[i] > 0:
        i = i + 1
    row = x[i]  # <-
    return row


@bad("in this loop", V, V)
def growing_array(x, n):
    while n[0] > 0:  # <-
        x = np.concatenate([x, x])
        n[0] -= 1
    return x


@bad("the items of a list of unknown length are of one type each", float, V)
def growing_list(x, n):
    out = [x]
    while n[0] > 0:
        out.append(x)
        n[0] -= 1
    out.append(n)  # <-
    return out


@bad("in this loop", float, V)
def loop_changes_kind(x, n):
    y = (x,)
    while n[0] > 0:  # <-
        y = (y,)
        n[0] -= 1
    return y


@bad("cannot return a function", float)
def returns_a_function(x):  # <-
    return lambda y: x + y


@bad("derive from BaseException", float)
def raises_a_number(x):
    if x > 0:
        raise 5  # <-
    return x


@bad("where: a number is float or float64 here", V, 2)
def where_of_a_number_of_two_kinds(x, n):
    total = 2.5
    for i in range(n):
        total += x[i]
    return np.where(x > 0, np.float32(x), total)  # <-


# --- values that must be known ----------------------------------------------------------------


@bad("must be known while compiling", V)
def shape_from_data(x):
    return np.zeros((int(x[0]), int(x[1]), int(x[2])))  # <-


@bad("must be known while compiling", V)
def axis_from_data(x):
    return np.sum(x, axis=int(x[0]))  # <-


@bad("the value of 'n' must be known", int)
def shape_from_a_type(n):
    return np.zeros(n)  # <-


@bad("must be known", V)
def tuple_index_from_data(x):
    return (x, x[:1])[int(x[0])]  # <-


@bad("must be known", float, int)
def dict_key_from_data(x, n):
    return {0: x, 1: "one"}[int(x)]  # <-


@bad("must be known", V)
def reshape_from_data(x):
    return x.reshape(int(x[0]), -1)  # <-


@bad("must be known", V)
def range_step_from_data(x):
    return np.arange(0, x[0], x[1])  # <-


@bad("a key must be known", V)
def string_of_a_number(x):
    return {"0": 1}[str(x[0])]  # <-


# --- arrays -----------------------------------------------------------------------------------


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


@bad("does not result in an equal division", V)
def unequal_split(x):
    return np.split(x, 2)  # <-


@bad("NoneType is not a number or an array", float)
def object_array(x):
    return np.array([x, None])  # <-


@bad("the items of a list differ in shape", float)
def ragged_array(x):
    return np.array([[x], [x, x]])  # <-


@bad("is not a dtype", float)
def text_array(x):
    return np.full(3, x).astype(str)  # <-


@bad("einsum", M)
def einsum_subscripts(x):
    return np.einsum("ijk->i", x)  # <-


@bad("'float31' is not a dtype", V)
def unknown_dtype(x):
    return x.astype("float31")  # <-


@bad("global generator is state of the process", V)
def hidden_state(x):
    return x + np.random.rand(3)  # <-


@bad("random.random draws from a generator that compiled code does not see", V)
def python_random(x):
    return x + random.random()  # <-


@bad("random.randint draws from a generator", V)
def python_random_ints(x):
    return x + random.randint(1, 6)  # <-


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


# --- containers and objects -------------------------------------------------------------------


@bad("unhashable type: 'list'", V)
def unhashable_key(x):
    return {[1]: x}  # <-


@bad("a key must be known", V)
def array_as_key(x):
    return {x: 1}  # <-


@bad("does not support item assignment", float)
def assigns_into_a_tuple(x):
    t = (x, x)
    t[0] = 1.0  # <-
    return t


@bad("cannot set attribute 'a' of Pair", float)
def assigns_to_a_named_tuple(x):
    p = Pair(x, x)
    p.a = 1.0  # <-
    return p


@dataclass(frozen=True)
class Frozen:
    value: Any


@bad("missing required argument: 'value'", float)
def constructor_arguments(x):
    return Frozen()  # <-


@bad("this object is in a list whose length is known at run time only", V)
def changes_what_is_in_a_list(x):
    y, kept = x * 2, []
    while x[0] > 0:
        kept.append(y)
        y[0] += 1  # <-
        x[0] -= 1
    return kept


@bad("a set item must be known", float)
def set_of_arrays(x):
    return {np.ones(3)}  # <-


@bad("no attribute 'meanly'", static["mean"], V)
def unknown_choice(how, x):
    return getattr(np, how + "ly")(x)  # <-


@bad("logging.basicConfig of the standard library cannot be compiled", float)
def standard_library(x):
    logging.basicConfig()  # <-
    return x


@bad("this iterator was read before", f64[3])
def iterator_read_twice(x):
    doubled = map(lambda v: 2 * v, x)
    total = sum(doubled)
    return total + sum(doubled)  # <-


@bad("'sum' of a number that is float or float64 here, as the path taken has it", V, int)
def method_of_one_kind(x, n):
    s = 0.0
    for i in range(n):
        s = x[i]
    return s.sum()  # <-


@bad("as_strided: these strides lead beyond the ends of the array", f64[6])
def strides_beyond_the_ends(x):
    return np.lib.stride_tricks.as_strided(x, (x.size, 2), (8, 8))  # <-


@bad("writing through as_strided is not compiled: write to the array itself", f64[6])
def written_through_strides(x):
    shown = np.lib.stride_tricks.as_strided(x, (3,), (16,))
    shown[:] = 0  # <-
    return x


@bad("operator.index: this is no integer", float)
def index_of_a_float(x):
    return operator.index(x)  # <-


class Lazy:
    pass


@bad("the caller would find 'y' set on some paths only", Lazy(), float)
def field_on_some_paths(z, x):  # <-
    if x > 0:
        z.y = x


@contextlib.contextmanager
def in_a_loop(n):
    for i in range(n):
        yield 2 * i


@bad("a context manager that is a generator yields once", float)
def manager_that_yields_in_a_loop(x):
    with in_a_loop(1) as i:  # <-
        return x + i


READ = "this iterator was read before, and what is left of it is not known"


@bad(READ, float)
def iterator_sliced_and_read(x):
    it = iter([x, 2 * x, 3 * x])
    part = itertools.islice(it, 2)
    return list(it), list(part)  # <-


@bad(READ, float)
def iterator_sliced_and_read_in_part(x):
    it = iter([x, 2 * x, 3 * x])
    for v in itertools.islice(it, 2):
        if v > 0:
            break
    return list(it)  # <-


@bad(READ, float)
def iterator_accumulated(x):
    it = iter([x, 2 * x, 3 * x])
    return next(itertools.accumulate(it)), list(it)  # <-


@bad(READ, float)
def iterator_chained(x):
    it = iter([x, 2 * x, 3 * x])
    return next(itertools.chain([1.0], it)), list(it)  # <-


@bad(READ, float)
def iterator_searched(x):
    it = iter([x, 2 * x, 3 * x])
    return x in it, list(it)  # <-
