# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Refused: containers and objects."""

from __future__ import annotations

import array
import contextlib
import copy
import logging
import operator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pyxla import f64, static
from tests.bad_programs import bad


class Pair(NamedTuple):
    a: Any
    b: Any


V, M = f64[3], f64[3, 4]


@bad("unhashable type: 'list'", V)
def unhashable_key(x):
    return {[1]: x}  # <-


@bad("unhashable type: 'numpy.ndarray'", V)
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


@bad("unhashable type: 'numpy.ndarray'", float)
def set_of_arrays(x):
    return {np.ones(3)}  # <-


@bad("no attribute 'meanly'", static["mean"], V)
def unknown_choice(how, x):
    return getattr(np, how + "ly")(x)  # <-


@bad("logging.basicConfig of the standard library cannot be compiled", float)
def standard_library(x):
    logging.basicConfig()  # <-
    return x


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


@bad("is no integer", float)
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


SHARED = "this list is in another list, and would be in a second one"


@bad("the keys of a dict that is one of several change", V)
def new_key_of_one_of_several_dicts(x):
    rows = [{"a": i} for i in range(3)]
    rows[int(x[0])][4] = 4  # <-
    return rows


@bad("dict.get() takes no keyword arguments", V)
def name_of_what_is_taken_by_position(x):
    counts = {"a": x[0]}
    return counts.get("b", default=0)  # <-


@bad("pop expected at most 2 arguments, got 3", V)
def more_than_a_dict_pops(x):
    rows = [{"a": v} for v in x]
    return max(rows, key=lambda row: row["a"]).pop("a", 0, 1)  # <-


@bad("whether an array in a list of unknown length is another one is not known", V)
def identity_of_arrays_in_a_list(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append(np.zeros(2) + v)
    return rows[int(x[0])] is rows[0]  # <-


class Pickled:
    def __init__(self, a):
        self.a = a

    def __reduce__(self):
        return Pickled, (self.a * 2,)


@bad("copied as its __reduce__ says", int)
def a_copy_that_pickling_makes(n):
    return copy.copy(Pickled(n)).a  # <-


@bad("shows the memory of the array.array", int)
def the_memory_of_an_array_of_python(n):
    x = array.array("d", [n, 2.0])
    np.asarray(x)[0] = 1.0  # <-
    return x


@bad("`is` between equal values", int)
def identity_of_equal_texts(n):
    text = "a b"
    return "".join(["a", " ", "b"]) is text  # <-


def _ones(n):
    for _ in range(n):
        yield 1


@bad("the text of a generator is not supported", 3)
def generator_shown(n):
    return str(_ones(n))  # <-


@bad("generator has no len()", 3)
def length_of_a_generator(n):
    return len(_ones(n))  # <-
