"""Programs that recover from errors, and loops that generators feed."""

import contextlib
import math

import numpy as np

from tests.programs import program


class ConvergenceError(RuntimeError):
    def __init__(self, iterations, residual):
        self.iterations = iterations
        self.residual = residual
        super().__init__(f"no convergence after {iterations} iterations (residual {residual:.3e})")


def solve(f, x, tol, n):
    for k in range(n):
        dx = f(x)
        x = x - dx
        if abs(dx) < tol:
            return x, k
    raise ConvergenceError(n, abs(dx))


@program("except generator prints", lambda: (2.0, 1e-10, 50), lambda: (2.0, 1e-10, 2))
def newton(x, tol, n):
    try:
        r, k = solve(lambda x: (x * x - 2) / (2 * x), x, tol, n)
    except ConvergenceError as err:
        print(err)
        return err.residual, err.iterations, False
    return r, k, True


@program(
    "except generator",
    lambda: (np.array([[4.0, 2.0], [2.0, 3.0]]),),
    lambda: (np.array([[1.0, 2.0], [2.0, 1.0]]),),
)
def chol_fallback(A):
    try:
        L = np.linalg.cholesky(A)
        method = "cholesky"
    except np.linalg.LinAlgError:
        w, V = np.linalg.eigh(A)
        L = V * np.sqrt(np.maximum(w, 1e-8))
        method = "eigh"
    return np.abs(L @ L.T), method


@program("except generator", lambda: (np.array([1.0, 0.0, 4.0]),))
def safe_divide(a):
    out = np.empty(len(a))
    for i in range(len(a)):
        try:
            out[i] = 1.0 / float(a[i])
        except ZeroDivisionError:
            out[i] = np.nan
    return out


class Stack:
    def __init__(self, cap):
        self.data = np.zeros(cap)
        self.n = 0

    def push(self, v):
        if self.n >= len(self.data):
            raise OverflowError("stack is full")
        self.data[self.n] = v
        self.n += 1

    def pop(self):
        if self.n == 0:
            raise IndexError("pop from empty stack")
        self.n -= 1
        return self.data[self.n]


@program("except generator", lambda: (np.array([1.0, 2.0, -1.0, -1.0, -1.0, 3.0, 4.0, 5.0]),))
def stackmachine(ops):
    s = Stack(2)
    errs = 0
    full = 0
    t = 0.0
    for v in ops:
        try:
            if v < 0:
                t += s.pop()
            else:
                s.push(v)
        except IndexError:
            errs += 1
        except OverflowError:
            full += 1
    return t, errs, full, s.n


@program("except generator", lambda: (7, 0), lambda: (7, 2))
def logged(a, b):
    log = []
    try:
        log.append("start")
        r = a // b
        log.append("done")
    except ZeroDivisionError:
        log.append("error")
        r = 0
    finally:
        log.append("end")
    return r, log


def validate(x, lo, hi):
    if not lo <= x <= hi:
        raise ValueError(f"{x} not in [{lo}, {hi}]")
    return x


@program("except generator", lambda: (0.5,), lambda: (1.5,))
def valid(x):
    try:
        return validate(x, 0.0, 1.0)
    except ValueError:
        return min(max(x, 0.0), 1.0)


@program("except generator", lambda: (3,), lambda: (7,))
def nestedfn(n):
    def inner(k):
        try:
            if k == 3:
                raise KeyError(k)
            return k
        finally:
            counts[0] += 1

    counts = [0]
    total = 0
    for k in range(n):
        try:
            total += inner(k)
        except KeyError as e:
            total += 100 + e.args[0]
    return total, counts


@program("except generator", lambda: (np.array([1.0, 2.0, 3.0]), "x"))
def getattr_default(a, m):
    try:
        f = np.nonexistent
    except AttributeError:
        f = np.sum
    return f(a)


@program("except generator", lambda: (5.0,), lambda: (-5.0,))
def whiletry(x):
    tries = 0
    while True:
        tries += 1
        try:
            y = math.log(x)
            break
        except ValueError:
            x = -x
    return y, tries


@program("except generator", lambda: (np.array([3.0, 1.0]),))
def with_raise_in_else(a):
    r = 0
    try:
        try:
            r += 1
        except ValueError:
            r += 10
        else:
            if a[0] > 2:
                raise ValueError
            r += 100
        finally:
            r += 1000
    except ValueError:
        r += 10000
    return r


@program("except generator", lambda: (1,), lambda: (2,), lambda: (3,), lambda: (4,))
def many_types(n):
    try:
        if n == 1:
            raise ValueError("v")
        if n == 2:
            raise KeyError("k")
        if n == 3:
            raise IndexError("i")
        return "fine"
    except (KeyError, IndexError) as e:
        return type(e).__name__ if isinstance(e, KeyError) else "index"
    except Exception as e:
        return f"other {e}"


def chunks(a, k):
    for i in range(0, len(a), k):
        yield a[i : i + k]


@program("except generator", lambda: (np.arange(6.0),))
def chunked(a):
    return [c.sum() for c in chunks(a, 2)]


def batches(X, y, size, rng):
    idx = rng.permutation(len(X))
    for i in range(0, len(X), size):
        sel = idx[i : i + size]
        yield X[sel], y[sel]


@program("except generator", lambda: (np.arange(12.0).reshape(6, 2), np.arange(6.0), 0))
def train(X, y, seed):
    rng = np.random.default_rng(seed)
    w = np.zeros(2)
    for epoch in range(3):
        for xb, yb in batches(X, y, 2, rng):
            g = xb.T @ (xb @ w - yb) / len(xb)
            w -= 0.001 * g
    return w


def rk4(f, y, t, h, n):
    for _ in range(n):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
        yield t, y


@program("except generator", lambda: (np.array([1.0, 0.0]), 20))
def ode(y0, n):
    ts, ys = [], []
    for t, y in rk4(lambda t, y: np.array([y[1], -y[0]]), y0, 0.0, 0.1, n):
        ts.append(t)
        ys.append(y)
    return np.array(ts), np.array(ys)


@program("except generator", lambda: (30,))
def collatz(n):
    def seq(n):
        while n != 1:
            yield n
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield 1

    return max(seq(n)), len(list(seq(n))), sum(1 for _ in seq(n))


@program("except generator", lambda: (20,))
def sieve(n):
    def primes():
        comp = np.zeros(n + 1, dtype=bool)
        for p in range(2, n + 1):
            if not comp[p]:
                yield p
                comp[p * p :: p] = True

    return list(primes()), sum(primes())


@program("except generator", lambda: (3,))
def permgen(n):
    def perms(l):
        if len(l) <= 1:
            yield l
        else:
            for i in range(len(l)):
                for rest in perms(l[:i] + l[i + 1 :]):
                    yield [l[i]] + rest

    return list(perms([1, 2, 3]))


@program("except generator prints", lambda: (1.0,))
def duck(x):
    try:
        n = x.size
    except AttributeError as e:
        print(e)
        n = 1
    return n


class Bag:
    pass


@program("except generator", lambda: (1.0,))
def lazy(x):
    b = Bag()
    try:
        b.cache  # noqa: B018
    except AttributeError:
        b.cache = x * 2
    return b.cache


@program("except generator prints", lambda: (1,), lambda: (2,), lambda: (3,))
def kindname(n):
    try:
        if n == 1:
            raise ValueError("v")
        if n == 2:
            raise KeyError("k")
    except Exception as e:
        name = type(e).__name__
        print(f"{type(e).__name__}: {e}")
        return name, name == "KeyError", type(e) is KeyError
    return "none", False, False


@program("except generator", lambda: (1,), lambda: (2,), lambda: (3,))
def supp(n):
    r = 0
    with contextlib.suppress(ValueError, KeyError):
        if n == 1:
            raise ValueError("v")
        if n == 2:
            raise KeyError("k")
        r = 1
    return r


@program("except", lambda: (np.arange(9.0).reshape(3, 3),))
def rows_of_too_many_columns(a):
    try:
        return a[np.array([0, 1]), np.array([0, 1, 2])]
    except ValueError:
        return a - 1
    except IndexError:
        return a + 1


@program("except", lambda: (np.arange(9.0).reshape(3, 3),))
def axes_that_there_are_not(a):
    found = []
    try:
        found.append(np.sort(a, axis=5))
    except IndexError as error:
        found.append(type(error).__name__)
    try:
        found.append(np.fft.fft(a, axis=5).real)
    except ValueError:
        found.append("no axis")
    except IndexError:
        found.append("no index")
    try:
        found.append(a[:, 3])
    except IndexError as error:
        found.append(str(error))
    return found


@program("except raise", lambda: (0.5,), lambda: (-9.0,))
def last_of_several(x):
    last = None
    for i in range(3):
        try:
            if x + i < 1:
                raise ValueError(f"too small: {x + i}")
            return x + i
        except ValueError as error:
            last = error
    raise RuntimeError(f"failed: {last}") from last


class Coded(Exception):
    def __init__(self, code, text="no text"):
        super().__init__(code, text)
        self.rate = 12 // code


@program("constructors that raise", *[lambda k=k: (k, 3) for k in range(7)])
def made_wrongly(k, code):
    try:
        if k == 0:
            raise Coded(code)
        if k == 1:
            raise Coded
        if k == 2:
            Coded()
        if k == 3:
            raise Coded(1, 2, 3)
        if k == 4:
            raise Coded(code, named=1)
        if k == 5:
            raise Coded(code - 3)
    except Coded as error:
        return error.rate, error.args
    except (TypeError, ZeroDivisionError) as error:
        return type(error).__name__, str(error)
    return "fine"
