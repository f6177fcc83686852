"""Programs whose control flow ends them with an exception: names that are unbound, handlers."""

import contextlib

import numpy as np

from tests.infer.faults import program

ROW = np.arange(5.0)


@program((3,), (0,))
def elsebranch(n):
    for i in range(n):
        if i == 1:
            r = i
            break
    else:
        n = 5
    return r


@program((3,), (1,))
def multi_unbound(n):
    while n > 2:
        y = n
        z = y
        n -= 1
    return z * y


@program((0,), (1,))
def del_unbound(n):
    y = 3
    if n:
        del y
    return y


def outer(n):
    def g():
        return v

    if n:
        v = 3
    return g()


@program((1,), (0,))
def cell(n):
    return outer(n)


@program((4, 1), (4, 0))
def nested_try(a, b):
    r = []
    try:
        try:
            r.append(a // b)
        except IndexError:
            r.append(1)
        finally:
            r.append(2)
    except ZeroDivisionError:
        r.append(3)
        if a > 10:
            raise
    else:
        r.append(4)
    return r


@program((1,), (0,), (-1,))
def wrong(n):
    try:
        return [1, 2][n] / n
    except (ZeroDivisionError, IndexError) as e:
        return str(e)


@program((3,), (0,))
def supress(n):
    r = 0
    with contextlib.suppress(ZeroDivisionError):
        r = 1
        r = 10 // n
    return r


@program((3,), (0,))
def matchd(n):
    match n:
        case 0:
            v = 1 // n
        case _:
            v = n
    return v


@program((2,), (9,))
def starred(n):
    a, *b = [1, 2, 3][:n]
    return b[n - 2]


@program((3,), (1,))
def unpackgen(n):
    a, b, c = range(n)
    return a


@program((1, ROW), (7, ROW))
def copied_unbound(n, x):
    if n > 5:
        w = 3
    x[0] = 7
    v = w  # noqa: F841
    x[1] = 7
    return x


@program((1,), (7,))
def read_alone_unbound(n):
    if n > 5:
        w = [3]
    w  # noqa: B018
    return n


@program((1, ROW), (7, ROW))
def unbound_before_a_call(n, x):
    def changes(x):
        x[0] = 7
        return x[n]

    if n > 5:
        w = 3
    return w + changes(x)


@program((1,), (3,))
def deleted_unbound(n):
    for w in range(n - 1):
        pass
    del w
    return n


@program((1, ROW), (7, ROW))
def unbound_in_a_try(n, x):
    try:
        while n > 5:
            w = 3
            break
        v = w  # noqa: F841
    finally:
        x[0] = 1
    return x


@program((0, ROW), (2, ROW))
def line_after_a_finally(n, x):
    try:
        x[1] = 1 // n
    finally:
        x[0] = 7
    return x


@program((3, ROW), (2, ROW), (0, ROW), (9, ROW))
def lines_after_finally_in_a_loop(n, x):
    for k in range(n):
        try:
            if x[k] > 1:
                raise LookupError(k)
        except LookupError:
            if x[k] > 1.5:
                raise ValueError("stop") from None
        finally:
            x[0] += 1
    return x


@program(({1: 2.0}, 5, 0), ({1: 2.0}, 1, 0), ({1: 2.0}, 1, 1))
def lines_of_what_is_raised_again(d, k, n):
    try:
        v = d[k]
        v += 1 // n
    except (KeyError, ZeroDivisionError):
        d["seen"] = v if k == 1 else -1.0
        raise
    return v


@program(({1: 2.0}, 5, 0), ({1: 2.0}, 1, 0), ({1: 2.0}, 1, 1))
def lines_of_what_a_name_raises_again(d, k, n):
    try:
        v = d[k]
        v += 1 // n
    except ArithmeticError as e:
        d["seen"] = len(str(e))
        raise e
    except Exception as e:
        d["other"] = len(e.args)
        raise
    return v


@program((0,), (2,), (5,))
def line_through_with(n):
    with contextlib.suppress(ZeroDivisionError):
        x = [1, 2, 3]
        y = 1 // n
        return x[n] + y
    return -1


@program(*[(n, np.ones(size)) for n in (0, 1, 4, 5, 6) for size in (2, 6)])
def before_what_does_not_vary(n, x):
    for i in range(n):
        r = np.exp(1 // (i % 3))
        x[(n - 1) % 5] = r
    return x


@program(*[(n, k) for n in (0, 3, 7) for k in (0, 2)])
def before_what_is_checked_at_the_end(n, k):
    x, t = np.ones(5), 0
    for i in range(n):
        t += 7 // (k - i)
        t += x[i]
    return t


@program(*[(n, d, np.ones(size)) for n in (0, 2, 6) for d in (0, 1) for size in (2, 5)])
def between_loops(n, d, x):
    for i in range(n):
        x[i] = 3
    t = n // d
    for i in range(n):
        x[i] = t % (i - 1)
    return x


@program(*[(n, k, np.ones(3)) for n in (0, 1) for k in (0, 7)])
def after_finally(n, k, x):
    try:
        t = 1 // n
    finally:
        for i in range(2):
            x[i + k % 3] = (np.arange(3) + np.arange(i % 4))[0]
    return t


def divided(k, n):
    return [4, 0, 2][k] // n


@program(*[(n, k, np.ones(3)) for n in (0, 1, 2) for k in (0, 3, 7)])
def in_the_way_out(n, k, x):
    s = ""
    try:
        v = sum(divided(i, n % 2) for i in range(k % 4))
    finally:
        for i in range(4):
            x[i] = k // (3 - i)
            s += str(x[i])
    return v, s


@program(*[(n, k) for n in (0, 1, 2) for k in (0, 1, 3)])
def in_a_clause(n, k):
    x = [5, 0, 2]
    try:
        try:
            return x[k] // n
        finally:
            x.append(x[n] % k)
    except ZeroDivisionError as e:
        return x[k + 1], str(e), x[k] // n


@program((1,), (0,), (-1,), (5,))
def alike_from_a_finally_and_beside_it(b):
    t = b + 1
    try:
        assert t, t
    finally:
        t += b
    try:
        if b:
            w = 1
    finally:
        t += 1
    t += w
    if t > 5:
        raise AssertionError(t)
    return t


@program((1, 0), (0, 0), (0, 5), (2, 4))
def one_name_in_nested_clauses(n, k):
    t = 0
    for i in range(k + 1):
        try:
            t += 1 // (n - i)
        except ZeroDivisionError as e:
            t += len(str(e))
            try:
                t += [1, 2][k]
            except (IndexError, KeyError) as e:
                t += len(str(e))
            t += 1
    return t


@program((1,), (0,))
def a_clause_that_deletes_its_name(n):
    try:
        return 1 // n
    except ZeroDivisionError as e:
        n = len(str(e))
        del e
    return n
