"""Python's objects, which are gone from the typed program: it has what they hold."""

from dataclasses import dataclass

import numpy as np

from pyxla import f64

PARAMS = {"w": f64[3], "b": float}


def tuples_are_taken_apart(pair: (float, f64[3])):
    #: func tuples_are_taken_apart(%s: float, %x: f64[3]) -> (f64[3], float)
    s, x = pair
    return x * s, s
    #: %product = multiply %x, ... : f64[3]
    #: return %product, %s


def dicts_of_known_keys(params: PARAMS):
    #: func dicts_of_known_keys(%w: f64[3], %b: float) -> f64[3]
    return params["w"] + params["b"]
    #: %r = add %w, ... : f64[3]


@dataclass
class Point:
    x: float
    y: float

    def norm2(self):
        return self.x * self.x + self.y * self.y


def fields_are_values(x: float, y: float):
    return Point(x, y).norm2()
    #: %a = multiply %x, %x : float
    #: %b = multiply %y, %y : float
    #: %r = add %a, %b : float
    #: return %r


def a_field_that_one_path_writes(x: float):
    p = Point(x, 0.0)
    if x > 0:
        p.y = 2 * x
        #: bb_yes: ...
        #: %twice = multiply %two, %x : float
    return p.y
    #: %y = phi [bb_yes: %twice, bb_no: %zero] : float
    #: return %y


def fields_that_a_loop_writes(x: float, n: int):
    p = Point(x, 1.0)
    #: %one = constant 1.0 : float
    for _ in range(n):
        #: %a = phi [bb0: %x, bb_body: %b] : float
        #: %b = phi [bb0: %one, bb_body: %a] : float
        p.x, p.y = p.y, p.x
    return p.x
    #: return %a


def a_closure_writes_its_cell(x: float, n: int):
    total = 0.0

    def add(v):
        nonlocal total
        total += v
        #: %total = phi [bb0: %zero, bb_body: %more] : float
        #: %more = add %total, %x : float

    for _ in range(n):
        add(x)
    return total
    #: return %total


def a_list_of_known_length(x: float):
    items = [x]
    items.append(x * 2)
    #: %second = multiply %x, %two : float
    items.append(x * 3)
    return items[1]
    #: return %second


def a_list_indexed_at_run_time_is_an_array(n: int):
    table = [0.0] * 40
    for i in range(1, 40):
        #: %table = phi [bb0: ..., bb_body: %new] : f64[40]
        table[i] = table[i - 1] + 0.5
        #: %new = dynamic_update_slice %table, ... : f64[40]
    return table[n]
    #: %item = dynamic_slice %table, ... : f64[1]


def a_generator_goes_where_the_loop_is(n: int):
    def squares(n):
        for i in range(n):
            #: %i = phi [bb0: %zero, bb_body: %next] : int
            yield i * i
            #: %square = multiply %i, %i : int

    s = 0
    for v in squares(n):
        s += v
        #: %more = add %s, %square : int
    return s
    #: return %s
    #! (loop)


def a_name_that_may_be_none(x: float):
    best = None
    #! None
    if x > 0:
        best = x * 2
        #: bb_yes: ...
        #: %twice = multiply %x, ... : float
    #: %best = phi [bb_yes: %twice, bb_no: ...] : float
    #: %there = phi [bb_yes: %true, bb_no: %false] : bool
    if best is None:
        return -1.0
    return best
    #: %r = phi [bb_none: %minus, bb_some: %best] : float


def a_comprehension_over_arrays_of_two_shapes(a: f64[2], b: f64[3]):
    #: func a_comprehension_over_arrays_of_two_shapes(%a: f64[2], %b: f64[3]) -> (f64[2], f64[3])
    return [v * 2 for v in (a, b)]
    #: %first = multiply %a, ... : f64[2]
    #: %second = multiply %b, ... : f64[3]
    #: return %first, %second


def strings_are_known(x: float):
    names = {"half": 0.5, "third": 1 / 3}
    return x * names["ha" + "lf"]
    #: %half = constant 0.5 : float
    #: %r = multiply %x, %half : float
    #: return %r


def a_list_that_grows_has_a_capacity(n: int):
    """And a length, which says whether that was enough."""
    found = []
    for i in range(n):
        #: bb_head: (loop) ...
        found.append(i)
        #: %items = dynamic_update_slice ... : i64[1024]
        #: %more = add %length, %one : int
    return len(found)
    #: %capacity = constant 1024 : int
    #: %enough = compare %length, %capacity direction=LE : bool
    #: branch %enough ? bb_yes : bb_no


def zip_of_arrays(x: f64[5], y: f64[5]):
    s = np.zeros(())
    for a, b in zip(x, y):
        #: %i = phi [bb0: %zero, bb_body: %next] : int
        s = s + a * b
        #: %a1 = dynamic_slice ..., %i slice_sizes=(1,) : f64[1]
        #: %a = reshape %a1 : f64[]
        #: %b1 = dynamic_slice ..., %i slice_sizes=(1,) : f64[1]
        #: %b = reshape %b1 : f64[]
        #: %product = multiply %a, %b : f64[]
    return s
