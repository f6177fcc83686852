# ruff: noqa - these programs are odd on purpose
"""The corpus: control flow in expressions."""

from tests.frontend.corpus.case import Log, case


@case((0, 1), (1, 0), ([], [1]), (2, 3))
def short_circuits(a, b):
    log = Log()
    return (
        log(a) and log(b),
        log(a) or log(b),
        not log(a),
        (a and b) or (b and a) or log(9),
        a or b and a,
        log,
    )


@case((0, 1, 2), (1, 2, 0), (3, 0, 0), (0, 0, 0))
def conditions(a, b, c):
    log = Log()
    r = []
    if log(a) and log(b) and not log(c):
        r.append(1)
    if log(a) or (log(b) and log(c)):
        r.append(2)
    elif not (a and b):
        r.append(3)
    if (log(a) if b else log(c)) and not (a if c else b):
        r.append(4)
    if 0 < log(a) < 2 or not 0 <= log(b) <= log(c):
        r.append(5)
    if a:
        r.append(6)
    return r, log


@case((1,), (0,), (-3,))
def nested_conditional(x):
    return "pos" if x > 0 else "zero" if x == 0 else ("neg" if x else "no")


@case((5,))
def walrus(n):
    r = []
    while (n := n - 1) > 0 and (m := n * 2) < 100:
        r.append((n, m))
    if (k := len(r)) and k > 2:
        r.append(k)
    return r, [y := 1, y + 1], y, [(last := i) for i in range(3)], last


@case((0, 0), (1, 0), (1, 4), (0, 4))
def walrus_behind_and(a, b):
    r = []
    if a and (n := b) and n > 2:
        r.append(n)
    while a < 4 and (m := a + b):
        r.append(m)
        a += 1
    while a < 6 and (k := a):
        a += 1
        if k == b:
            break
    else:
        r.append("else")
    if a and (n := b):
        r.append(n)
    else:
        r.append("not n")
    return r, [y for x in (0, a, b) if x and (y := x + 1)]


@case((3,))
def lambdas(n):
    f = lambda x, y=n, *z, k=n + 1: (x, y, z, k)
    g = (lambda: n, lambda x: x + n, lambda: (lambda: n * 2)())
    n = 10
    return (
        f(1),
        f(1, 2, 3, k=4),
        [h() for h in (g[0], g[2])],
        g[1](1),
        (lambda a: a or n)(0),
    )


@case(([3, 1, 2],))
def comprehensions(xs):
    x = "outer"
    a = [x * 2 for x in xs if x > 1 if x < 9]
    b = {x for x in xs} | {y % 2 for y in xs}
    c = {k: v for k, v in zip("abc", xs) if v != 1}
    d = [(i, j) for i in range(3) for j in range(i) if (i + j) % 2]
    e = [[i * j for j in xs] for i in xs]
    f = sum(x for x in xs), any(x == 1 for x in xs), tuple(x for x in xs)
    g = [x for x in [x for x in xs if x] if x]
    return a, b, c, d, e, f, g, x


@case((4,))
def comprehension_closures(n):
    fs = []
    for i in range(n):
        fs += [lambda: (i, j) for j in range(i)]
    gs = [(lambda a=k: a + k) for k in range(n)]
    return [f() for f in fs], [g() for g in gs]


@case(([1, 2, 3],))
def comprehension_order(xs):
    log = Log()
    r = [log(x) for x in log(xs) if log(x % 2) and log(x)]
    s = {log(k): log(v) or log("none") for k, v in enumerate(xs)}
    t = [log(1), *[log(x) for x in xs], log(2)]
    return r, s, t, log


@case((3,))
def comprehension_walrus_in_lambda(n):
    r = [(lambda: (k, q))() for k in range(n) if (q := k * 2) >= 0]
    return r, q
