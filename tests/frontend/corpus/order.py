# ruff: noqa - these programs are odd on purpose
"""The corpus: order of evaluation."""

from tests.frontend.corpus.case import Log, Traced, case


@case((0,), (1,))
def order_binary(c):
    log = Log()
    r = log(1) + (log(2) if log(c) else log(3)) + log(4)
    return r, log


@case((0,), (1,))
def order_call(c):
    log = Log()
    r = max(
        log(1),
        log(2) if c else log(3),
        *[log(4)],
        *(log([5]) if c else log([6])),
        key=log(None) or None,
    )
    return r, log


@case((0,), (1,))
def order_method(c):
    log = Log()
    t = Traced(log)
    r = log(t).attr + (t[log(1)] if t.cond and c else t[log(2) : log(3) if c else log(4)])
    return r, list(log)[1:]


@case((0,), (1,))
def order_assign(c):
    log = Log()
    t = Traced(log)
    t.a = t[log(1)] = log(2) if c else log(3)
    t[log(4) if c else log(5)], t.b = log(6), log(7)
    t[log(1), log(2) if c else log(1)] = log(8)
    return log


@case((0,), (1,))
def order_augmented(c):
    log = Log()
    t = Traced(log)
    t.a += log(1)
    t.b += log(2) if c else log(3)
    t[log(4)] += log(5)
    t[log(6), log(0)] *= log(7) and log(8)
    t[log(1) if c else log(2)] -= log(9)
    t[log(1) : log(2)] -= log(9) or 1
    return log


@case((0,), (1,))
def order_display(c):
    log = Log()
    a = [log(1), log(2) if c else log(3), log(4)]
    b = {log("k"): log(1) or log(2), log("l"): log(0) or log(5)}
    d = (log(1), *log([2]), log(3) if c else log(4))
    e = {**log({"a": 1}), log("b"): log(0) or log(2), **log({})}
    return a, b, d, e, log


@case((0,), (2,))
def order_compare(c):
    log = Log()
    r = log(0) < log(c) <= log(2) < log(c + 1)
    s = log(1) in (log([1]) if c else log([2])) != log(3)
    return r, s, log


@case((0,), (1,))
def order_string(c):
    log = Log()

    class_ = log
    return f"{log(1)}{class_(2) if c else log(3)}{log(4):{log(5) if c else 6}}", log


@case((0,), (1,))
def order_delete(c):
    log = Log()
    t = Traced(log)
    del t[log(1) if c else log(2)], t.x, t[log(1) : log(2) or log(3)]
    return log


@case((0,), (1,))
def order_raise(c):
    log = Log()
    if c:
        raise ValueError(log(1), log(2) if c else 3) from (KeyError(log) if c else None)
    return log


@case(([1, 2],))
def starred_before_hoist(xs):
    def g(*args):
        return args

    return g(*xs, xs.append(3) if xs else 0, *xs)


@case((1,), (5,))
def rebinding_before_hoist(x):
    def bump():
        nonlocal x
        x += 10
        return x

    y = 3
    a = x + (bump() if x else 0) + x
    b = y + (y := 7) + y
    y += (y := 2)
    x += bump() if y else 0
    return a, b, x, y


@case((2,))
def order_default(n):
    log = Log()

    def deco(tag):
        log(tag)
        return lambda f: lambda *a: (log(("call", tag)), f(*a))

    @deco(log("outer"))
    @deco(log("inner") if n else log("none"))
    def g(a, b=log(1), *, c=log(2) if n else 3, d=log(4)):
        return a, b, c, d

    return g(0), log
