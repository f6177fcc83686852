"""Programs with `with`: context managers of their own and of the standard library."""

import contextlib

import numpy as np

from tests.programs import program


@program("except raise", lambda: (2.0,), lambda: (0.0,))
def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.array([x, 1.0]) / np.array([0.0, x])
        try:
            b = 1 / x
        except ZeroDivisionError:
            b = 5.0
    return a, b


class Ctx:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log[0] += 1
        return self

    def __exit__(self, t, v, tb):
        self.log[1] += 1
        return t is ValueError


@program("except raise", lambda: ("x",), lambda: ("q",))
def mode(m):
    modes = {"x": 1, "y": 2}
    try:
        v = modes[m]
    except KeyError as e:
        raise ValueError(f"unknown mode {m}") from e
    return v


class Scale:
    def __init__(self, k):
        self.k = k

    def __enter__(self):
        return self.k

    def __exit__(self, *exc):
        return False


@program(
    "with except", lambda: (np.zeros(3), 1), lambda: (np.zeros(3), -1), lambda: (np.zeros(3), 0)
)
def withown(log, n):
    with Ctx(log) as c:
        if n < 0:
            raise ValueError("x")
        if n == 0:
            return -1.0
        c.log[2] += 1
    return log.sum()


@program(
    "with except", lambda: (np.zeros(3), 1), lambda: (np.zeros(3), -1), lambda: (np.zeros(3), 0)
)
def with_raise(log, n):
    with Ctx(log), Scale(3) as k:
        if n < 0:
            raise KeyError("x")
        log[2] += k
    return log.sum()


@program("with except", lambda: (1.0,), lambda: (0.0,))
def suppressed(x):
    y = 0.0
    with contextlib.suppress(ZeroDivisionError):
        y = 1 / x
        y += 1
    return y


@program("with except", lambda: (2,))
def nullc(x):
    with contextlib.nullcontext(5) as k, np.errstate(all="ignore"):
        return x * k


@program("with except", lambda: (np.zeros(3),))
def with_loop(log):
    n = 0
    for i in range(5):
        with Ctx(log):
            if i == 1:
                continue
            if i == 3:
                break
            if i == 2:
                raise ValueError
            n += 1
    return n


@contextlib.contextmanager
def entered(log, name, scale=1.0):
    log.append("enter " + name)
    scale = scale * 2
    try:
        yield scale
    finally:
        scale += 1
        log.append(("leave " + name, scale))


@contextlib.contextmanager
def recovering(log):
    try:
        yield
    except ValueError as error:
        log.append(str(error))
    log.append("after")


@contextlib.contextmanager
def set_for_a_while(a, value):
    """Something is written down here."""
    old = a.copy()
    a[:] = value
    try:
        got = yield a
        a += 100 if got is None else 0
    except KeyError:
        raise ValueError("from here") from None
    finally:
        a[:] = old


class Depth:
    def __init__(self):
        self.n = 0

    @contextlib.contextmanager
    def deeper(self, by=1):
        self.n += by
        yield self
        self.n -= by


SIGNS = (lambda: (1.0,), lambda: (-1.0,))


@program("generator as a context manager", *SIGNS)
def generated(x):
    log = []
    with entered(log, "a") as k, entered(log, "b", scale=x) as m:
        log.append(k * m)
        with recovering(log):
            if x < 0:
                raise ValueError("negative")
            log.append("fine")
    return log


@program("generator as a context manager raising", *SIGNS)
def generated_and_left(x):
    log = []
    for i in range(3):
        with entered(log, "a"):
            if i == 1:
                continue
            if x > i:
                break
    try:
        with entered(log, "b"):
            if x < 0:
                raise KeyError("negative")
            return log, "returned"
    except KeyError:
        log.append("caught")
    return log, "end"


@program("generator as a context manager raising", *SIGNS)
def generated_and_raised(x):
    log = []
    with entered(log, "b"):
        if x < 0:
            raise KeyError("negative")
    return log


@program("generator as a context manager mutation", *SIGNS)
def restored(x):
    a = np.arange(3.0)
    with set_for_a_while(a, x) as b:
        total = b.sum()
    inside = a.copy()
    try:
        with set_for_a_while(a, x):
            if x < 0:
                raise KeyError(0)
    except ValueError as error:
        return total, inside, a, str(error)
    return total, inside, a


@program("method as a context manager", *SIGNS)
def generated_methods(x):
    d = Depth()
    with d.deeper() as a, d.deeper(by=2) as b:
        deep = a.n * x
    return deep, d.n, a is b


@contextlib.contextmanager
def divided(log, by):
    done = False
    try:
        log.append("begin")
        yield 6 // by
        done = True
    except ZeroDivisionError as error:
        log.append(str(error))
    except KeyError:
        raise ValueError(len(log)) from None
    finally:
        log.append(done)


@program("generator as a context manager entered", *[lambda k=k: (k, 2) for k in (0, 2, 3)])
def generated_whose_start_raises(x, y):
    log = []
    try:
        with divided(log, x) as part:
            log.append(part // (x - y))
            if x > y:
                raise KeyError(part)
    except (RuntimeError, ValueError) as error:
        return log, type(error).__name__, str(error)
    return log


class Noting:
    """What goes in and out, with nothing that data decides."""

    def __init__(self, log, name, goes_on):
        self.log, self.name, self.goes_on = log, name, goes_on

    def __enter__(self):
        self.log.append(("in", self.name))

    def __exit__(self, kind, error, trace):
        self.log.append(("out", self.name))
        return self.goes_on


@program("several managers of one log", lambda: (1,), lambda: (0,))
def one_log_of_two(x):
    plain, other = [], []
    with Noting(plain, "a", True), Noting(plain, "b", False):
        plain.append(10 // x)
    with Noting(other, "a", False), Noting(other, "b", True):
        other.append(10 // x)
    return plain, other
