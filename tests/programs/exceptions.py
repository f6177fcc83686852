"""Exceptions that are raised, in callees too, and caught; their classes, and what they hold."""

import math
import os
import sys

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


@program("except raise", lambda: (3,), lambda: (-1,))
def reraise(n):
    try:
        if n < 0:
            raise ValueError(f"bad {n}")
        return n
    except ValueError as e:
        raise RuntimeError("wrapped") from e


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


@program("except raise", lambda: (2.0,), lambda: (0.0,), lambda: (1e308,))
def any_(x):
    try:
        return math.exp(1 / x)
    except Exception:
        return -1.0


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
def cause(n):
    err = None
    try:
        if n < 0:
            raise ValueError("x")
    except ValueError as e:
        err = str(e)
    return err


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


class Sized(Exception):
    def __init__(self, size):
        super().__init__(size)
        self.size = size


_SIZES = [lambda n=n: (np.arange(5.0), n) for n in (0, 3, -5, 9)]


@program("except raise class", *_SIZES)
def attribute_that_one_of_two_exceptions_has(x, n):
    found = 0.0
    try:
        try:
            found = x[n]
            if n < 2:
                raise Sized(5)
        except (Sized, IndexError) as error:
            found = error.size + 1
    except AttributeError as error:
        found = 100.0 + len(str(error))
    return found


@program("except raise class", *_SIZES)
def attribute_that_none_may_need(x, n):
    found = 0.0
    try:
        if n > 5:
            raise IndexError(n)
        if n < 2:
            raise Sized(n)
    except (Sized, IndexError) as error:
        found = error.size if n < 2 else -1
    return found


@program("except raise prints", *[lambda x=x: (x,) for x in (3.0, 1.5, 0.5)])
def printed_whatever_was_raised(x):
    found = None
    try:
        if x > 2:
            raise KeyError("k")
        if x > 1:
            raise ValueError("v", x)
    except (KeyError, ValueError) as error:
        found = error
    print(found, [found])
    word, number = ("big", 1) if x > 1 else ("low", 2.5)
    print(word, [word, number], number)


@program("raise text", lambda: (1, 0), lambda: (1, 1), lambda: (2, 2))
def texts_of_errors_of_the_system(x, k):
    out = []
    try:
        if k == 0:
            raise PermissionError("no")
    except OSError as e:
        out += [str(e), repr(e)]
    try:
        if k == 1:
            raise SyntaxError(f"expected ) at {x}")
    except SyntaxError as e:
        out += [f"got {e}"]
    if k == 2:
        raise ConnectionError(f"lost {x}")
    return out


@program("raise", lambda: (0.5,), lambda: (2.0,))
def leaves_with_a_status(x):
    try:
        if x > 1:
            sys.exit("too large")
    except SystemExit as error:
        return str(error)
    return os.path.join("no", "reason")


@program("except raise", lambda: (5,), lambda: (0,))
def values_of_stop_iteration(n):
    seen = []

    def visit(k):
        seen.append(k)
        if k == 3:
            raise StopIteration(k * 2)

    try:
        for i in range(n):
            visit(i)
    except StopIteration as e:
        return e.value, len(seen)
    return 0, len(seen)


@program("except raise", lambda: (1,), lambda: (0,))
def code_of_system_exit(n):
    try:
        raise SystemExit(n)
    except SystemExit as e:
        return e.code


@program("texts of several exceptions", lambda: ([100, -30, 0, -200],), lambda: ([10, -3],))
def what_was_wrong(amounts):
    balance, wrong = 0, []
    for a in amounts:
        try:
            if a == 0:
                raise ValueError("nothing to do")
            if balance + a < 0:
                raise RuntimeError(f"{balance} is less than {-a}")
            balance += a
        except (ValueError, RuntimeError) as e:
            wrong.append(str(e))
    return balance, wrong


@program("texts of several exceptions", lambda: (3,), lambda: (-2,), lambda: (0,), lambda: (9,))
def named_failures(n):
    try:
        if n == 9:
            return "none"
        if n > 0:
            raise ValueError("positive")
        if n < 0:
            raise RuntimeError(f"{n} is negative")
        raise KeyError(n)
    except Exception as e:
        return f"{type(e).__name__}: {e}"


def _withdrawn(amount):
    if amount < 0:
        raise ValueError(f"negative: {amount:.2f}")
    if amount == 0:
        raise ValueError("nothing")
    if amount > 8:
        raise RuntimeError(f"{amount} is more than {8.0:.1f}")
    return amount


@program("texts of several exceptions", lambda: ([1.0, -3.0, 0.0, 9.5, 2.0, -1.0],))
def messages_with_floats(amounts):
    told, total = [], 0.0
    for amount in amounts:
        try:
            total += _withdrawn(amount)
        except (ValueError, RuntimeError) as e:
            told.append(f"error: {e}")
    return told, total


@program("texts of several exceptions", *[lambda x=x: (x,) for x in (1.0, -2.0, 0.0, 9.0)])
def message_with_a_float(amount):
    try:
        return str(_withdrawn(amount))
    except (ValueError, RuntimeError) as e:
        return str(e), repr(e)


class Detailed(Exception):
    def __init__(self, words, *, code=0, detail=None):
        super().__init__(words)
        self.code, self.detail = code, detail


class Pair(Exception):
    def __init__(self, a, b=0):
        self.a, self.b = a, b


@program("except raise", lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.ones(3),))
def arguments_by_name(x):
    total, found = 0.0, []
    for v in x:
        try:
            if v < 0:
                raise Detailed("negative", detail=x, code=4)
            if v > 2:
                raise Detailed("large", code=7)
        except Detailed as e:
            total += e.code
    try:
        if x[1] < 0:
            raise Detailed("negative", detail=x)
    except Detailed as e:
        e.detail[0] = 9.0
        found = [e.detail is x, str(e), e.code]
    return total, found


@program("except raise", lambda: (1.5,), lambda: (-1.5,))
def arguments_by_name_are_none_of_args(x):
    try:
        if x > 0:
            raise Pair(x, b=2)
        raise Pair(a=x)
    except Pair as e:
        n = e.b
    try:
        raise Pair(x, b=n)
    except Pair as e:
        return e.args, e.a, e.b, repr(e)


@program("raise", lambda: (1.5,), lambda: (-1.5,))
def arguments_by_name_reach_the_caller(x):
    if x > 0:
        raise Pair(x, b=2)
    raise Detailed(f"negative: {x}", detail=x)


class NoDevice(OSError):
    pass


@program("except raise", lambda: (1, 0), lambda: (2, 1), lambda: (3, 2), lambda: (4, 3))
def system_errors_of_a_number_and_files(n, k):
    out = []
    try:
        if k == 0:
            raise OSError(2, f"no file {n}", "table")
        if k == 1:
            raise NoDevice(n, "no device", "disk", 0, "copy")
        if k == 2:
            raise OSError("much", "of", None)
    except FileNotFoundError as e:
        out += [type(e).__name__, e.args]
    except OSError as e:
        out += [e.args]
    try:
        if k == 3:
            raise UnicodeDecodeError("ascii")
    except TypeError as e:
        out += [str(e)]
    return out


@program(
    "raise numpy prints",
    lambda: ([1.0, 2.0], np.array([3, 4])),
    lambda: ([1.0, math.nan], np.array([3.0, 4.0])),
    lambda: ([1.0, 2.0], np.array([-math.inf, 4.0])),
)
def only_finite_numbers(items, x):
    try:
        a = np.asarray_chkfinite(items, dtype=np.float32)
    except ValueError as e:
        print(e)
        a = np.zeros(2)
    b = np.asarray_chkfinite(x)
    b += 1
    return a, b
