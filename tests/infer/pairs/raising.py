"""Exceptions: paths like others, and a status where they leave the function."""

from pyxla import f64


def an_exception_that_leaves(x: float):
    #: func an_exception_that_leaves(%x: float) -> (float, i32[])
    if x < 0:
        #: branch %negative ? bb_raise : bb_go
        raise ValueError("negative")
        #: bb_raise: ...
        #: %one = constant 1 : int
    return x**0.5
    #: bb_go: ...
    #: %root = power %x, ... : float
    #: %zero = constant 0 : int
    #: %status = phi [bb_go: %zero, bb_raise: %one] : int
    #: %r = phi [bb_go: %root, bb_raise: ...] : float


def an_exception_that_is_caught(x: float):
    #: func an_exception_that_is_caught(%x: float) -> float
    try:
        if x < 0:
            #: branch %negative ? bb_raise : bb_go
            raise ValueError("negative")
        y = x * 2
        #: %twice = multiply %x, ... : float
    except ValueError:
        y = 0.0
    return y
    #: %y = phi [bb_go: %twice, bb_raise: %zero] : float
    #: return %y


def an_assertion_that_is_known_to_hold(x: f64[3]):
    #: func an_assertion_that_is_known_to_hold(%x: f64[3]) -> f64[3]
    assert x.ndim == 1
    #! branch
    return x + 1


def finally_is_on_both_paths(x: f64[3], flag: bool):
    try:
        if flag:
            #: branch %flag ? bb_raise : bb_go
            raise KeyError("k")
        x[0] = 1.0
    finally:
        x[1] = 2.0
        #: bb_raise: ...
        #: %raised = dynamic_update_slice %x, ... : f64[3]
        #: bb_go: ...
        #: %first = dynamic_update_slice %x, ... : f64[3]
        #: %both = dynamic_update_slice %first, ... : f64[3]
        #: %left = phi [bb_go: %both, bb_raise: %raised] : f64[3]


def without_checks_an_index_raises_nothing(x: f64[3], i: int):
    #: func without_checks_an_index_raises_nothing(%x: f64[3], %i: int) -> f64[]
    return x[i]
    #! branch
