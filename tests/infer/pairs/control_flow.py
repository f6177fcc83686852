"""Branches, loops and what meets where they join."""

import numpy as np

from pyxla import f64, static

HOW = static["twice"]


def two_returns_meet(a: float, b: float):
    if a > b:
        #: branch %c ? bb_yes : bb_no
        return a - b
        #: bb_yes: ...
        #: %r1 = subtract %a, %b : float
    return b - a
    #: bb_no: ...
    #: %r2 = subtract %b, %a : float
    #: %r = phi [bb_yes: %r1, bb_no: %r2] : float
    #: return %r


def a_known_condition_leaves_one_path(x: f64[3]):
    if x.ndim == 2:
        return x.T
    #! branch
    return -x
    #: %r = negate %x : f64[3]
    #: return %r


def isinstance_is_known(x: float):
    if isinstance(x, int):
        return x + 1
        #! add
    return x * 2
    #: %r = multiply %x, ... : float
    #: return %r


def a_name_of_two_types_keeps_both(x: float, n: int):
    """It is an int where it was one: CPython says so."""
    if x > 0:
        y = n
    else:
        y = x
    #: %whole = phi [bb_yes: %n, bb_no: ...] : int
    #: %real = phi [bb_yes: ..., bb_no: %x] : float
    return y
    #: return %whole, %real, ...


def a_loop_of_run_time_length(x: f64[3], n: int):
    y = x
    for _ in range(n):
        #: bb_head: (loop) ...
        #: %i = phi [bb0: %zero, bb_body: %next] : int
        #: %y = phi [bb0: %x, bb_body: %more] : f64[3]
        #: branch %c ? bb_body : bb_exit
        y = y * x
        #: bb_body: ...
        #: %next = add %i, %one : int
        #: %more = multiply %y, ... : f64[3]
        #: jump bb_head
    return y
    #: bb_exit: ...
    #: return %y


def a_while_loop(x: float):
    while x > 1.0:
        #: %now = phi [bb0: %x, bb_body: %half] : float
        #: %c = compare %now, %one direction=GT : bool
        #: branch %c ? bb_body : bb_exit
        x = x / 2
        #: %half = divide %now, %two : float
    return x
    #: return %now


def what_a_loop_only_reads_is_not_carried(x: f64[8], n: int):
    y = x.sum()
    #: %y = reduce %x, ... : f64[]
    s = np.zeros(())
    for _ in range(n):
        #: bb_head: (loop) ...
        s = s + y
        #: %more = add %s, %y : f64[]
    return s


def a_loop_over_a_tuple_is_unrolled(x: float, y: f64[2]):
    s = 0.0
    for v in (x, y):
        #: # the loop at ... is unrolled: 2 iterations
        #! (loop)
        s = s + v * v
        #: %square = multiply %x, %x : float
        #: %squares = multiply %y, %y : f64[2]
        #: %r = add %before, %squares : f64[2]
    return s
    #: return %r


def break_is_an_edge(x: f64[8]):
    for i in range(8):
        #: %i = phi [bb0: %zero, bb_next: %more] : int
        #: branch %in ? bb_body : bb_done
        if x[i] > 0:
            #: branch %positive ? bb_break : bb_next
            break
    else:
        i = -1
        #: bb_done: ...
        #: %none = constant -1 : int
    return i
    #: %r = phi [bb_done: %none, bb_break: %i] : int
    #: return %r


def a_short_circuit_guards_what_follows(x: f64[4], i: int):
    if i < 4 and x[i] > 0:
        #: %below = compare %i, %four direction=LT : bool
        #: branch %below ? bb_then : bb_else
        #: bb_then: ...
        #: %item = dynamic_slice %x, ... : f64[1]
        return 1
    return 0


def loops_in_loops(a: f64[3, 4]):
    s = np.zeros(())
    for i in range(3):
        #: bb_outer: (loop) <- bb0, bb_last
        #: %i = phi [bb0: %z1, bb_last: %i2] : int
        for j in range(4):
            #: bb_inner: (loop) <- bb_first, bb_again
            #: %j = phi [bb_first: %z2, bb_again: %j2] : int
            s = s + a[i, j]
            #: bb_again: ...
            #: %item = dynamic_slice ..., %i, %j slice_sizes=(1, 1) : f64[1,1]
            #: jump bb_inner
    #: bb_last: ...
    #: jump bb_outer
    return s


def match_of_a_known_subject(x: float, how: HOW):
    match how:
        case "once":
            return x
        case "twice":
            return x + x
            #: bb0: (entry)
            #: %r = add %x, %x : float
            #: return %r
    #! branch
    return 0.0


def swapped_names_are_swapped_edges(x: float, y: float, n: int):
    for _ in range(n):
        #: %b = phi [bb0: %y, bb_body: %sum] : float
        #: %a = phi [bb0: %x, bb_body: %b] : float
        x, y = y, x + y
        #: %sum = add %a, %b : float
    return x
    #: return %a


def a_loop_over_rows(a: f64[5, 3]):
    s = np.zeros(3)
    for row in a:
        #: %i = phi [bb0: %zero, bb_body: %next] : int
        #: %five = constant 5 : int
        #: %c = compare %i, %five direction=LT : bool
        s = s + row
        #: %part = dynamic_slice %a_, %i, ... slice_sizes=(1, 3) : f64[1,3]
        #: %row = reshape %part shape=(3,) : f64[3]
    return s


def a_loop_over_nothing_is_gone(x: f64[0]):
    last = -1.0
    for v in x:
        last = v
    return last
    #: bb0: (entry)
    #! (loop)
    #: return
