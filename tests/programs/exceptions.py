"""Exceptions that are caught: raised, in callees too, or implicit; what runs on the way out."""

import math

import numpy as np

import pyxla
from tests.programs import program


class Bad(Exception):
    pass


class Coded(Exception):
    def __init__(self, code, where=0.0):
        super().__init__(f"code {code}")
        self.code = code
        self.where = where


@program("except raise", lambda: (1.0,), lambda: (-1.0,))
def explicit(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = math.sqrt(x)
    except ValueError:
        y = 0.0
    return y


@program("except raise", lambda: (1, 0), lambda: (6, 3), lambda: (5, 2))
def zerodiv(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return float("inf")


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


def callee(x):
    if x > 3:
        raise Bad("too large")
    if x < 0:
        raise Coded(7, x)
    return x * 2


@program("except raise", lambda: (1.0,), lambda: (4.0,), lambda: (-2.5,))
def callees(x):
    try:
        r = callee(x)
    except Bad:
        r = -1.0
    except Coded as e:
        r = e.where + e.code
    return r


@program(
    "except raise", lambda: (np.array([1.0, 2.0, -1.0, 4.0]),), lambda: (np.array([1.0, 2.0]),)
)
def mutated(a):
    n = 0
    try:
        for i in range(len(a)):
            if a[i] < 0:
                raise ValueError
            a[i] = a[i] * 2
            n += 1
    except ValueError:
        a[0] = -100
    return n


@program("except raise", lambda: (np.array([3, 0, 2, 0, 5]),))
def loop_catch(d):
    bad = 0
    total = 0.0
    for x in d:
        try:
            total += 10 / int(x)
        except ZeroDivisionError:
            bad += 1
            continue
        total += 1
    return total, bad


@program(
    "except raise", lambda: (np.array([1.0, 2.0, 3.0]), 1), lambda: (np.array([1.0, 2.0, 3.0]), 7)
)
def index(a, i):
    try:
        return a[i]
    except IndexError:
        return -1.0


@program("except raise", lambda: (np.eye(2),), lambda: (np.ones((2, 2)),))
def linalg(a):
    try:
        return np.linalg.solve(a, np.ones(2))
    except np.linalg.LinAlgError:
        return np.zeros(2)


@program("except raise", lambda: ("a",), lambda: ("z",))
def key(k):
    d = {"a": 1.0, "b": 2.0}
    try:
        return d[k]
    except KeyError:
        return 0.0


@program("except raise", lambda: (3,), lambda: (-1,))
def reraise(n):
    try:
        if n < 0:
            raise ValueError(f"bad {n}")
        return n
    except ValueError as e:
        raise RuntimeError("wrapped") from e


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


@program("except raise", lambda: (3,), lambda: (-1,), lambda: (20,))
def nested(n):
    r = 0
    try:
        try:
            if n < 0:
                raise ValueError("neg")
            if n > 10:
                raise KeyError("big")
            r += 1
        except ValueError:
            r += 10
        r += 100
    except KeyError:
        r += 1000
    return r


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


@program("except raise", lambda: (2.0,), lambda: (0.0,), lambda: (1e308,))
def any_(x):
    try:
        return math.exp(1 / x)
    except Exception:
        return -1.0


@program("except raise", lambda: (float("nan"),), lambda: (2.7,), lambda: (float("inf"),))
def to_int(x):
    try:
        return int(x)
    except ValueError:
        return -1
    except OverflowError:
        return -2


@program("except raise prints", lambda: (4.0,), lambda: (-4.0,))
def domain(x):
    try:
        v = math.sqrt(x)
    except ValueError as e:
        print("error:", e)
        v = 0.0
    return v


@program("except raise prints", lambda: (2,), lambda: (50,))
def asserts(n):
    try:
        assert n < 10, "large"
        return 1
    except AssertionError as e:
        print(type(e).__name__, str(e))
        return 2  # noqa: B012 - is what it does


@program("except raise", lambda: (1.0, 1e-10, 5), lambda: (1.0, 1e-10, 50))
def newton(x, tol, n):
    def it(x):
        for k in range(n):
            y = x - (x * x - 2) / (2 * x)
            if abs(y - x) < tol:
                return y, k
            x = y
        raise RuntimeError("no convergence")

    try:
        r, k = it(x)
        ok = True
    except RuntimeError:
        r, k = math.nan, n
        ok = False
    return r, k, ok


@program("except raise", lambda: (3,))
def unmatched(n):
    try:
        if n > 2:
            raise KeyError("k")
    except ValueError:
        return 0
    return 1


@program(
    "except raise", lambda: (np.array([4.0, 1.0, 9.0]),), lambda: (np.array([4.0, -1.0, 9.0]),)
)
def retry(a):
    lam = 0.0
    while True:
        try:
            if (a + lam).min() < 0:
                raise np.linalg.LinAlgError("x")
            break
        except np.linalg.LinAlgError:
            lam = max(2 * lam, 0.25)
    return lam


@program(
    "except raise",
    lambda: (np.array([[2.0, 1.0], [1.0, 2.0]]),),
    lambda: (np.array([[1.0, 2.0], [2.0, 1.0]]),),
)
def chol(a):
    jitter = 0.0
    for k in range(10):
        try:
            return np.linalg.cholesky(a + jitter * np.eye(2)), jitter
        except np.linalg.LinAlgError:
            jitter = 10 * jitter if jitter else 1e-3
    raise ValueError("not pd")


class Plain(ValueError):
    code = 3

    def __str__(self):
        return f"<plain {self.args[0]}>"


class Base(Exception):
    pass


class DivError(Base):
    def __init__(self, num, den=0, *, tag="t"):
        super().__init__(num, den)
        self.num, self.den = num, den

    def describe(self):
        return f"{self.num}/{self.den}"


def div(a, b):
    if b == 0:
        raise DivError(a, den=b)
    if b < 0:
        raise DivError(a, b)
    if b > 100:
        raise Base("huge")
    return a / b


@program(
    "except raise prints",
    lambda: (1.0, 0),
    lambda: (1.0, -2),
    lambda: (1.0, 4),
    lambda: (1.0, 1000),
)
def custom(a, b):
    try:
        return div(a, b)
    except DivError as e:
        print(e.describe(), e.args, e)
        return e.num * 10 + e.den
    except Base as e:
        print("base", e, repr(e))
        return -1.0


@program("except raise prints", lambda: (1.0,), lambda: (-1.0,))
def plain(x):
    try:
        if x < 0:
            raise Plain(x)
    except ValueError as e:
        print(f"got {e} {e!r} {type(e).__name__}", isinstance(e, Plain), e.code)
        return 1
    return 0


@program("except raise", lambda: (1,), lambda: (5,), lambda: (11,))
def many(n):
    try:
        if n == 1:
            raise ValueError("one")
        if n == 5:
            raise KeyError("five")
        return n
    except (ValueError, KeyError) as e:
        if isinstance(e, KeyError):
            return -5
        return -1


@program("except raise", lambda: (np.array([1.0, 2.0]), 1), lambda: (np.array([1.0, 2.0]), 4))
def inner_loop(a, n):
    s = 0.0
    try:
        for i in range(5):
            for j in range(3):
                if i * j >= n:
                    raise StopIteration
                s += a[0]
                a[1] += 1
    except StopIteration:
        s = -s
    return s


@program("except raise", lambda: (5,), lambda: (-5,))
def finally_return(n):
    try:
        if n < 0:
            raise ValueError
        return 1
    finally:
        return 2  # noqa: B012 - is what it does


@program("except raise", lambda: (5,), lambda: (-5,))
def cause(n):
    err = None
    try:
        if n < 0:
            raise ValueError("x")
    except ValueError as e:
        err = str(e)
    return err


@program("except raise", lambda: ([1, 2], 5), lambda: ([1, 2], 1))
def lists(l, i):
    out = []
    try:
        out.append(l[i])
        out.append(1)
    except IndexError:
        out.append(-1)
        out.append(-1)
    return out


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


@program("except raise", lambda: (np.array([3.0, 4.0]),))
def compile_time(x):
    try:
        y = x.reshape(3)
    except ValueError:
        y = x
    try:
        z = x[7]
    except IndexError:
        z = 0.0
    try:
        n = len(z)
    except TypeError:
        n = 1
    try:
        w = x + np.ones(3)
    except ValueError:
        w = x
    return y, z, n, w


@program("except raise", lambda: ("12",), lambda: ("ab",))
def parse(s):
    try:
        return int(s)
    except ValueError:
        return None


def deep(n):
    if n > 3:
        raise OverflowError(n)
    return n


def mid(n):
    try:
        return deep(n)
    except ValueError:
        return -1
    finally:
        LOG[0] += 1


LOG = np.zeros(1)


@program(
    "except raise", lambda: ([1.0, 2.0, -3.0, 4.0],), lambda: (np.array([1.0, 2.0, -3.0, 4.0]),)
)
def grow(xs):
    out = []
    bad = []
    for i in range(len(xs)):
        try:
            if xs[i] < 0:
                raise ValueError(i)
            out.append(xs[i] ** 0.5)
        except ValueError:
            bad.append(i)
    return out, bad


@program("except raise", lambda: (2.0,), lambda: (0.0,))
def gradtry(x):
    def f(x):
        try:
            if x < 1:
                raise ValueError
            return x * x
        except ValueError:
            return 3 * x

    return pyxla.grad(f)(x)


@program("except raise prints", lambda: (2.0,), lambda: (-1.0,))
def gradouter(x):
    def f(x):
        if x < 0:
            raise ValueError("neg")
        return x * x

    try:
        return pyxla.grad(f)(x)
    except ValueError as e:
        print(e)
        return 0.0


@program("except raise", lambda: (np.array([1.0, 0.0, 2.0]),))
def vmapped(x):
    def f(x):
        try:
            if x == 0:
                raise ZeroDivisionError
            return 1.0 / x
        except ZeroDivisionError:
            return -1.0

    return np.array([f(v) for v in x])


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()


@program("except raise", lambda: (3,))
def stack(n):
    s = Stack()
    s.push(n)
    s.push(n + 1)
    t = 0
    try:
        while True:
            t += s.pop()
    except IndexError:
        t *= 10
    return t


@program("except raise", lambda: (5, 2), lambda: (5, 0), lambda: (5, -3))
def chain(a, b):
    try:
        r = a // b
    except ZeroDivisionError:
        try:
            r = int(math.sqrt(b - 1))
        except ValueError:
            r = -99
    except Exception:
        r = 5
    else:
        try:
            assert r > 0
        except AssertionError:
            r = -r
    return r


@program("except raise", lambda: (3,), lambda: (0,))
def assigned(n):
    try:
        x = 10 // n
    except ZeroDivisionError:
        pass
    else:
        return x
    return -1


@program("except raise", lambda: (np.array([1, 2, 0, 4]),))
def comp(a):
    def safe(v):
        try:
            return 12 // int(v)
        except ZeroDivisionError:
            return 0

    return [safe(v) for v in a], sum(safe(v) for v in a)


@program("except raise", lambda: ((1, 2),), lambda: ((1, 2, 3),))
def unp(t):
    try:
        a, b = t
    except ValueError:
        a, b, c = t
        return c
    return a


@program("except raise", lambda: (2,), lambda: (0,))
def swapped(n):
    a, b = 1, 2
    try:
        a, b = b, a // n
        b += 1
    except ZeroDivisionError:
        a += 10
    return a, b


@program("except raise", lambda: (1,), lambda: (-1,))
def state(n):
    x = 1
    try:
        x = 2
        if n < 0:
            raise KeyError(x)
        x = 3
    except KeyError:
        y = x
    else:
        y = -x
    return x, y


@program("except raise", lambda: (10,), lambda: (3,))
def recur(n):
    def fact(k):
        if k < 0:
            raise ValueError
        return 1 if k == 0 else k * fact(k - 1)

    try:
        return fact(3) // (n - 3)
    except (ZeroDivisionError, ValueError):
        return -1


@program(
    "except raise",
    lambda: (np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])),
    lambda: (np.array([1.0, 2.0]), np.array([1.0, 2.0])),
)
def shapes(a, b):
    try:
        return a + b
    except ValueError:
        return a[0] + b


@program("except raise", lambda: (np.array([]),), lambda: (np.array([3.0]),))
def empty(a):
    try:
        return a.max()
    except ValueError:
        return None


@program("except raise", lambda: (0.5,), lambda: (2.5,), lambda: (-1.0,))
def maybe(x):
    try:
        v = math.acos(x)
    except ValueError:
        v = None
    if v is None:
        return -1.0
    return v


def inverse(x):
    return 1.0 / (x * x)


@program("except", lambda: (2.0, 0.0), lambda: (1.0, 3.0))
def tested_where_caught(x, y):
    total = inverse(x) + inverse(x + 1.0)
    try:
        total += inverse(y)
    except ZeroDivisionError:
        total = -total
    return total


@program("except kinds", lambda: (2, np.array([7])), lambda: (5, np.array([5])))
def division_by_a_number_of_either_kind(a, x):
    b = a
    if a > 3:
        b = x[0]  # division by a NumPy scalar raises nothing
    try:
        return 10 // (b - a), b
    except ZeroDivisionError:
        return -1, b
