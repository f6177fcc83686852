"""Python's and NumPy's numbers: which types meet, and what is known of integers."""

import math

import numpy as np

from pyxla import f32, f64, i32, i64, static, u8

WORD = static["mean"]


def int_and_float_meet(a: int, b: float):
    #: func int_and_float_meet(%a: int, %b: float) -> float
    return a * b
    #: %f = convert %a dtype=f64 : float
    #: %r = multiply %f, %b : float


def true_division_of_ints(a: int, b: int):
    return a / b
    #: %x = convert %a dtype=f64 : float
    #: %y = convert %b dtype=f64 : float
    #: %r = divide %x, %y : float


def a_python_float_keeps_single_precision(x: f32[3]):
    #: func a_python_float_keeps_single_precision(%x: f32[3]) -> f32[3]
    return x * 2.5
    #: %c = constant 2.5 : f32[]
    #: %r = multiply %x, %many : f32[3]


def a_numpy_float_does_not(x: f32[3], s: f64):
    return x * s
    #: %wide = convert %x dtype=f64 : f64[3]
    #: %r = multiply %wide, %many : f64[3]


def short_ints_wrap(x: u8[3]):
    return x + 1
    #: %r = add %x, %ones : u8[3]
    #! convert


def ints_of_two_widths(x: i32[3], y: i64[3]):
    return x + y
    #: %wide = convert %x dtype=i64 : i64[3]
    #: %r = add %wide, %y : i64[3]


def floor_division_rounds_down(a: int, b: int):
    return a // b
    #: %q = divide %a, %b : int
    #: %r = select ... : int
    #: return %r


def the_remainder_by_a_power_of_two(n: int):
    return n % 4
    #! = remainder
    #: %mask = constant 3 : int
    #: %r = and %n, %mask : int


def lengths_are_known(x: f64[7]):
    return len(x) % 4
    #: bb0: (entry)
    #! =
    #: return


def constants_are_folded(x: float):
    k = 3 * 4 - 2
    return x * (k / 5)
    #: %c = constant 2.0 : float
    #: %r = multiply %x, %c : float


def known_arguments_are_folded(x: float, n: static[3]):
    #: func known_arguments_are_folded(%x: float) -> float
    return x * 2**n
    #: %c = constant 8.0 : float
    #: %r = multiply %x, %c : float


def squares_are_products(x: float):
    return x**2
    #: %square = multiply %x, %x : float
    #! power


def other_powers_are_those_of_c(x: float):
    return x**3
    #: %cube = power %x, %exponent : float


def math_is_an_op(x: float):
    return math.sin(x)
    #: %r = sine %x : float


def int_and_float_are_compared_exactly(n: int, x: float):
    """Beyond 2**53 neighbouring ints are one float: equal floats are compared as ints."""
    return n < x
    #: %coarse = compare %f, %x direction=LT : bool
    #: %fine = compare %n, %i direction=LT : bool
    #: %close = compare ... direction=EQ : bool
    #: %r = select %close, %fine, %coarse : bool


def a_number_meets_an_array(x: f64[3], n: int):
    return x + n
    #: %f = convert %n dtype=f64 : f64[]
    #: %many = broadcast_in_dim %f shape=(3,) : f64[3]
    #: %r = add %x, %many : f64[3]


def truth_of_a_number(x: float):
    return bool(x)
    #: %zero = constant 0.0 : float
    #: %r = compare %x, %zero direction=NE : bool


def truth_of_a_string_is_known(x: float, s: WORD):
    return x if s else -x
    #! negate
    #: return %x


def bools_are_summed_as_ints(x: f64[4]):
    return np.sum(x > 0)
    #: %b = compare %x, ... : bool_[4]
    #: %n = convert %b dtype=i64 : i64[4]
    #: %r = reduce %n, %zero ... computation=add : i64[]


def rounding_is_to_even(x: float):
    return round(x)
    #: %even = round_nearest_even %x : float
    #: %r = convert %even dtype=i64 : int
