# ruff: noqa: B007, B016, B018, B023, E711, F601, F811, F821, F841, SIM, UP
"""Refused: values that must be known while compiling."""

from __future__ import annotations

import numpy as np

from pyxla import f64
from tests.bad_programs import bad

V, M = f64[3], f64[3, 4]


@bad("must be known while compiling", V)
def shape_from_data(x):
    return np.zeros((int(x[0]), int(x[1]), int(x[2])))  # <-


@bad("must be known while compiling", V)
def axis_from_data(x):
    return np.sum(x, axis=int(x[0]))  # <-


@bad("the value of 'n' must be known", int)
def shape_from_a_type(n):
    return np.zeros(n)  # <-


@bad("must be known", float, int)
def dict_key_from_data(x, n):
    return {0: x, 1: "one"}[int(x)]  # <-


@bad("must be known", V)
def reshape_from_data(x):
    return x.reshape(int(x[0]), -1)  # <-
