# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Refused: types that do not fit, or differ between paths."""

from __future__ import annotations

import numpy as np

from pyxla import f64, i64
from tests.bad_programs import bad

V, M = f64[3], f64[3, 4]


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


@bad("float cannot be unpacked", float)
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


@bad("in this loop, 'y' may be array f64[1,8] or array f64[1,1,8]", f64[8])
def shapes_that_differ_in_a_loop(x):
    y = x
    while y.sum() > 0:  # <-
        y = y[None] - 1
    return y * 2


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
        x = np.stack([x, x])
        n[0] -= 1
    return x


@bad("items whose number is not known are of one type each, and this is array i64[3]", float, V)
def growing_list(x, n):
    out = [x, n]
    while n[0] > 0:
        out.append(x)
        n[0] -= 1
    out.append(n.astype(int))  # <-
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


@bad("unsupported operand types for +=: array f64[3] and str", V)
def adds_text_to_an_array(x):
    y = x.copy()
    y += "text"  # <-
    return y


class Shadowed:
    def method(self, x):
        return x


@bad("'method' is the instance's own on some paths, and its class's on others", float)
def attribute_of_the_instance_or_its_class(x):
    it = Shadowed()
    if x > 0:
        it.method = abs
    return it.method(x)  # <-


@bad("one of several generators, and data decides which", i64[4])
def items_of_one_of_two_classes(xs):
    class Plain:
        def __init__(self, value, rest):
            self.value, self.rest = value, rest

        def __iter__(self):
            yield self.value
            if self.rest is not None:
                yield from self.rest  # <-

    class Hundredfold:
        def __init__(self, value, rest):
            self.value, self.rest = value, rest

        def __iter__(self):
            yield 100 * self.value

    rest = None
    for x in xs.tolist():
        rest = Hundredfold(x, rest) if x == 4 else Plain(x, rest)
    return list(rest)


@bad("whether an exception is another one", i64)
def exceptions_that_may_be_one(n):
    error = ValueError("a") if n else KeyError("b")
    try:
        raise error
    except Exception as e:
        return e is error  # <-
