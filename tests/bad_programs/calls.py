# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Refused: calls of what is not compiled, or with the wrong arguments."""

from __future__ import annotations

import decimal
import functools
import heapq
import itertools
import json
import os
import pathlib
import pdb  # noqa: T100
import threading
import time
import zlib

import numpy as np

from pyxla import f64
from tests.bad_programs import bad

V, M = f64[3], f64[3, 4]


def two(a, b):
    return a + b


class Read(tuple):
    def __iter__(self):
        return iter([1])


@bad("tuples that define __iter__, __len__ or __bool__ are not supported (Read)", float)
def tuple_that_is_read_its_own_way(x):
    return sum(Read((x, x)))  # <-


@bad("None is not callable", float)
def calls_none(x):
    f = None
    return f(x)  # <-


@bad("super(): __class__ cell not found", float)
def super_of_nothing(x):
    return super().step(x)  # <-


class Counted(Exception):
    made = 0

    def __init__(self, x):
        Counted.made += 1


@bad("the `__init__` of Counted changes more than the exception", float)
def exception_that_counts(x):
    try:
        raise Counted(x)  # <-
    except Counted:
        return Counted.made


class Cached:
    @functools.cache  # noqa: B019
    def twice(self, n):
        return 2 * n


@bad("whose results functools keeps", float)
def cached_method(x):
    return Cached().twice(3) * x  # <-


@functools.cache
def told(n):
    print("computing", n)
    return n


@bad("prints, draws or changes what is outside", float)
def cached_outside_that_prints(x):
    return told(3) * x  # <-


@bad("calls are nested too deeply", V)
def cached_recursion_that_forgets(x):
    """CPython would call it again for what two later results took the place of."""
    calls = []

    @functools.lru_cache(maxsize=2)
    def fibonacci(k):
        calls.append(k)
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)  # <-

    return fibonacci(int(x[0])), calls


@bad("calls are nested too deeply", V)
def cached_recursion_past_its_cache(x):
    """What it calls itself for is in the cache, what it is called for is not."""
    calls = []

    @functools.cache
    def fibonacci(k):
        calls.append(k)
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)  # <-

    return fibonacci(int(x[0])), fibonacci.__wrapped__(int(x[0])), calls


@bad("a range of more than 2**63 - 1 items", V)
def item_of_a_far_range(x):
    return range(2**70)[int(x[0])]  # <-


@bad("result of a cached function, which all its calls share", V)
def list_of_a_cached_function(x):
    @functools.cache
    def row(k):
        return [k] * 3

    found = row(x[0])
    found[0] += 1  # <-
    return found


@bad("time.sleep is not compiled: a program does not wait", float)
def sleeps(x):
    time.sleep(0.1)  # <-
    return x


@bad("hash is not compiled", float)
def hashes(x):
    return hash(str(x))  # <-


@bad("a debugger cannot stop a program", float)
def stops_in_a_debugger(x):
    pdb.post_mortem()  # <-
    return x


@bad("a program has one thread", float)
def takes_a_lock(x):
    with threading.Lock():  # <-
        return x


@bad("pathlib.Path is not compiled: it asks about files", float)
def asks_for_a_file(x):
    return x if pathlib.Path("data").exists() else -x  # <-


@bad("a Decimal is made while compiling", float)
def makes_a_decimal(x):
    y = x + 1
    return decimal.Decimal("1.5") * 2, y  # <-


@bad("cannot return an iterator", V)
def returns_an_iterator(x):  # <-
    return iter(x)


@bad("cannot return a generator", V)
def generators_that_share_what_they_read(x):  # <-
    others = iter(x)

    def signs(queue):
        while True:
            while queue:
                yield queue.pop()
            for v in others:
                queue.append(v)
                break
            else:
                return

    return signs([]), signs([1.0])


@bad("cannot return a generator", V)
def returns_what_it_filtered(x):  # <-
    return filter(None, x)


@bad("a program has one thread", float)
def starts_a_thread(x):
    threading.Thread(target=two, args=(x, x)).start()  # <-


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


@bad("open is not compiled: it reads and writes files", float)
def opens_a_file(x):
    return open("file").read()  # <-


@bad("may give another result at every call", float)
def asks_the_system(x):
    return os.getcwd()  # <-


@bad("deep_recursion calls itself on every path: only an exception would end that", float)
def deep_recursion(x):
    return deep_recursion(x * 0.5)  # <-


@bad("nested too deeply", float)
def recursion_with_a_name_that_may_be_unbound(x):
    if x > 2:
        k = x * 2
    r = recursion_with_a_name_that_may_be_unbound(x - 1) if x > 0 else x  # <-
    return r + (k if x > 2 else 1)


@bad("the value may be function", float)
def recursion_of_what_data_chooses(x):
    if x <= 0:
        return 1.0
    return (recursion_of_what_data_chooses if x % 2 > 1 else abs)(x - 1) + 3  # <-


@bad("nested too deeply", float)
def recursion_in_a_try(x):
    try:
        return recursion_in_a_try(x - 1) if x > 1 else x  # <-
    except ValueError:
        return x


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


@bad("id is not compiled: objects have no addresses in compiled code", f64[3])
def address_of_an_object(x):
    return id(x) == 0  # <-


@bad("breakpoint is not compiled", float)
def stops_for_a_debugger(x):
    breakpoint()  # <-
    return x


@bad("json.dumps is not compiled", V)
def makes_text_of_data(x):
    return json.dumps({"x": x})  # <-


@bad("eval is not compiled", float)
def evaluates_text(x):
    return eval("x + 1")  # <-


@bad("locals is not compiled", float)
def reads_its_names(x):
    return locals()  # <-


@bad("heapq.merge reads iterators in turn", f64[3])
def merges_an_iterator(x):
    it = iter(list(x))
    return next(heapq.merge(it, [0.5])), list(it)  # <-


@bad("the class of this OSError depends on its first argument", int)
def unknown_system_error(n):
    raise OSError(n, "no file")  # <-


@bad("the class of this iterator is not known in compiled code", int)
def class_of_an_iterator(n):
    return isinstance(itertools.count(n), itertools.count)  # <-
