"""What `finally` runs on each way out."""

import numpy as np

from tests.programs import program


@program("except raise", lambda: (1, 0), lambda: (6, 3), lambda: (5, 2))
def zerodiv_int(a, b):
    try:
        q = a // b
    except ZeroDivisionError:
        q = -1
    else:
        q += 100
    finally:
        q *= 2
    return q


@program("except raise", lambda: (3,), lambda: (-1,), lambda: (20,))
def bare(n):
    log = 0
    try:
        if n < 0:
            raise ValueError("neg")
        if n > 10:
            raise KeyError("big")
    except (ValueError, KeyError):
        log += 1
        raise
    finally:
        log += 1
    return log


@program(
    "except raise", lambda: (np.zeros(2), 3), lambda: (np.zeros(2), -1), lambda: (np.zeros(2), 20)
)
def fin(a, n):
    try:
        if n < 0:
            raise ValueError("neg")
        if n > 10:
            return 5
        a[0] = 1
    finally:
        a[1] += 1
    return 6


@program("except raise", lambda: (5,), lambda: (0,))
def fin_loop(n):
    c = 0
    for i in range(10):
        try:
            if i == n:
                break
            if i % 2:
                continue
            c += 1
        finally:
            c += 10
    return c


@program("except raise", lambda: (5,), lambda: (-5,))
def finally_return(n):
    try:
        if n < 0:
            raise ValueError
        return 1
    finally:
        return 2  # noqa: B012 - is what it does


def deep(n):
    if n > 3:
        raise OverflowError(n)
    return n


LOG = np.zeros(1)


@program("except raise", lambda: (3.0,), lambda: (0.0,))
def loopvars(x):
    best = 0.0
    i = 0
    while i < 5:
        i += 1
        try:
            y = 1 / (x - i)
        except ZeroDivisionError:
            y = 100.0
            best += y
            continue
        finally:
            best += 1
        best += y
    return best, i


@program("except raise", lambda: (2,), lambda: (5,))
def mid(n):
    try:
        return deep(n)
    except ValueError:
        return -1
    finally:
        LOG[0] += 1


@program("checks except raise prints", lambda: (np.arange(3.0), 1), lambda: (np.arange(3.0), 5))
def printed_behind(a, i):
    """What was printed before is not printed again, and what comes after it is."""
    print("before", i)
    try:
        print("still before")
        return a[i]
    finally:
        print("behind", i)
