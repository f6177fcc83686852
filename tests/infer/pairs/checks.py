"""Checks: what CPython and NumPy raise by themselves, where it may happen at all."""

import numpy as np

from pyxla import f64


def an_index_is_checked(x: f64[3], i: int):
    return x[i]
    #: %from = compare %i, ... direction=GE : bool
    #: %to = compare %i, ... direction=LT : bool
    #: %inside = and %from, %to : bool
    #: flag %inside bits=1


def an_index_in_range_is_not(x: f64[3]):
    #: func an_index_in_range_is_not(%x: f64[3]) -> f64[]
    s = np.zeros(())
    for i in range(3):
        #: branch %more ? bb_body : bb_exit
        s = s + x[i]
        #! branch
    return s


def a_divisor_is_checked(n: int, m: int):
    return n // m
    #: %there = compare %m, %zero direction=NE : bool
    #: flag %there bits=1


def a_known_divisor_is_not(n: int):
    #: func a_known_divisor_is_not(%n: int) -> int
    return n // 3
    #! branch


def arrays_divide_by_zero_as_numpy_does(x: f64[3], y: f64[3]):
    #: func arrays_divide_by_zero_as_numpy_does(%x: f64[3], %y: f64[3]) -> f64[3]
    return x / y
    #: %r = divide %x, %y : f64[3]
    #: return %r
