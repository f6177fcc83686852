"""Functions of Python's that are given what may be None."""

import functools
import itertools
import math

import numpy as np

from tests.programs import program


def _last_above(xs, least):
    found = None
    for x in xs:
        if x > least:
            found = x
    return found


LIMITS = (lambda: ([3.0, 1.0], 2)), (lambda: ([3.0, 1.0], 5)), (lambda: ([1.0, 7.5, 4.0], 3))


@program("max and min with None among what they compare", *LIMITS)
def best_of_none(xs, least):
    found, seen = _last_above(xs, least), []
    for compared in (
        lambda: max(found, 3),
        lambda: min(9, found),
        lambda: max([found]),
        lambda: max(found, found),
        lambda: min(found, 3, key=lambda v: 0 if v is None else v),
        lambda: max(3, found, key=lambda v: None if v == least else v),
    ):
        try:
            seen.append(str(compared()))
        except TypeError as error:
            seen.append(str(error))
    return seen


@program("reduce and accumulate by what may return None", *LIMITS)
def folded_to_none(xs, least):
    later = lambda a, b: b if a is None else None if b > least else a + b
    doubled = list(itertools.accumulate((2 * x for x in xs), later))
    return functools.reduce(later, (2 * x for x in xs)), doubled


@program("functions of numbers, of a number that may be None", *LIMITS)
def number_or_none(xs, least):
    found = _last_above(xs, least)
    try:
        whole = round(found, 1), int(found)
    except TypeError as error:
        whole = str(error)
    return whole, abs(found), float(found), math.sqrt(found), np.sqrt(found), divmod(found, 2)


class Linked:
    def __init__(self, value, after=None):
        self.value, self.after = value, after

    def __iter__(self):
        node = self
        while node:
            yield node.value
            node = node.after

    def __abs__(self):
        return abs(self.value)


def _linked(xs):
    first = last = Linked(0)
    for x in xs:
        if x > 0:
            last.after = Linked(x)
            last = last.after
    return first.after


def _turned(node):
    if node is None or node.after is None:
        return node
    first = _turned(node.after)
    node.after.after = node
    node.after = None
    return first


@program("a chain that may be None, as what is iterated", lambda: ([3, -1, 4],), lambda: ([-2],))
def listed_chain(xs):
    return list(_turned(_linked(xs))), sum(_linked(xs)), max(_linked(xs)), abs(_linked(xs))


@program("optional exception", lambda: (2.0,), lambda: (-1.0,))
def beside_an_array(x):
    y = None
    if x > 0:
        y = x
    try:
        return np.hypot(np.ones(2), y)
    except TypeError:
        return y
