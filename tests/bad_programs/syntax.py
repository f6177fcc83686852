# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Refused: syntax that is not in the language."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import numpy as np

from pyxla import f64
from tests.bad_programs import bad

V, M = f64[3], f64[3, 4]


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


@bad("cannot return an exception", float)
def caught(x):  # <-
    try:
        raise ValueError("never returned")
    except ValueError as error:
        return error


@bad("a generator that takes what is sent to it cannot be a result", float)
def generator_with_send(x):  # <-
    y = yield x
    yield y


@bad("a generator that returns a value cannot be a result", float)
def generator_with_value(x):  # <-
    yield x
    return x


@bad("a generator that writes to what its caller sees cannot be a result", V)
def generator_that_writes(x):  # <-
    x[0] = 1.0
    yield x[1]


@bad("a generator that writes to what its caller sees cannot be a result", float)
def generator_that_draws(x):  # <-
    yield np.random.rand() + x


@bad("a generator that prints cannot be a result", float)
def generator_that_prints(x):  # <-
    print(x)
    yield x


@bad("never returns", float)
def generator_without_end(x):  # <-
    while True:
        yield x


@bad("the value of `yield from`", float)
def delegating_generator(x):
    def f():
        y = yield from [x]  # <-
        yield y

    return sum(f())


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


@bad("'shared', which methods of this class use, is not known while compiling", float)
def class_that_takes_a_list(x):
    shared = [x]

    class Log:  # <-
        def add(self, y):
            shared.append(y)

    Log().add(x)
    return shared


@bad("the attribute 'count' of Counter, a class inside a function, is assigned", float)
def class_with_a_count(x):
    class Counter:
        count = 0

        def add(self):
            Counter.count += 1  # <-

    Counter().add()
    return x


@bad("a class inside a function is not decorated by, and calls not, abs", float)
def class_with_a_call(x):
    class Local:  # <-
        value = abs(-1)

    return x


@bad("`del` of the global variable 'DELETED'", float)
def global_delete(x):
    global DELETED
    DELETED = x
    del DELETED  # <-
    return x


@bad("does not exist yet", float)
def attribute_write(x):
    np.count = x  # <-
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
def bare_raise_on_one_path(x):
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
