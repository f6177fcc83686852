"""Exceptions that are raised from others."""

from __future__ import annotations

import numpy as np

from tests.programs import program


class Failed(Exception):
    def __init__(self, message, *, k=0):
        super().__init__(message)
        self.k = k


def from_others(x, k):
    try:
        return x[k] // k
    except IndexError as e:
        raise Failed(f"no {k}", k=k) from e
    except ZeroDivisionError:
        raise Failed("zero") from None


@program("raise cause", *[lambda k=k: (np.arange(3), [4, 2], k) for k in (1, 0, 2, 7)])
def causes(x, items, k):
    try:
        from_others(items, k)
    except Failed as e:
        seen = e.k, str(e), e.args, type(e.__cause__).__name__, str(e.__cause__)
        print(seen, e.__suppress_context__)
        if e.__cause__ is None:
            raise ValueError(seen[1]) from OSError
    last = None
    for i in range(2):
        try:
            if i + k > 2:
                raise KeyError(i, k)
        except KeyError as e:
            last = e
    if k < 7:
        return k
    raise RuntimeError("all failed") from last


@program("raise cause", lambda: (3,), lambda: (0,))
def under_another_name(n):
    error, seen = ValueError(n), []
    for i in range(3):
        try:
            raise error from KeyError(i + n)
        except ValueError as e:
            seen.append((e is error, str(error.__cause__), error.__suppress_context__))
    try:
        raise error from None
    except ValueError as e:
        return seen, e is error, error.__cause__, error.__suppress_context__


def raised(error, n):
    raise error from KeyError(n)


@program("raise cause", lambda: (3,))
def by_a_function(n):
    error = ValueError(n)
    try:
        raised(error, n)
    except ValueError as e:
        return e is error, type(error.__cause__).__name__
