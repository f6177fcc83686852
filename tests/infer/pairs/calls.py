"""Calls: visited with what is known of their arguments, in the place of the call."""

import functools

from pyxla import f64


def scaled(x, by=2.0):
    return x * by


def a_default_is_known(x: float):
    return scaled(x)
    #: %by = constant 2.0 : float
    #: %r = multiply %x, %by : float


def a_function_is_a_value(x: float):
    def apply(f, v):
        return f(f(v))

    return apply(lambda v: v + 1, x)
    #: %once = add %x, ... : float
    #: %twice = add %once, ... : float
    #: return %twice


def partial_binds_arguments(x: f64[3]):
    return functools.partial(scaled, by=4.0)(x)
    #: %by = constant 4.0 : f64[]
    #: %r = multiply %x, ... : f64[3]


def recursion_of_known_depth(x: float):
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)
        #! branch
        #: %one = constant 1.0 : float
        #: %p1 = multiply %x, %one : float
        #: %p2 = multiply %x, %p1 : float
        #: %p3 = multiply %x, %p2 : float

    return power(x, 3)
    #: return %p3


def arguments_that_are_gathered(x: float, y: float):
    def total(*values, start=0.0):
        for v in values:
            start = start + v
            #: %s1 = add %one, %x : float
            #: %s2 = add %s1, %y : float
        return start

    return total(x, y, start=1.0)
    #: return %s2


def each_call_has_its_types(x: f64[3], s: float):
    def square(v):
        return v * v
        #: %a = multiply %x, %x : f64[3]
        #: %b = multiply %s, %s : float

    return square(x), square(s)
    #: return %a, %b
