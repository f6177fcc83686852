# ruff: noqa - these programs are odd on purpose
"""The corpus: functions."""

import functools

from tests.frontend.corpus.case import CORPUS, case


@case((5,))
def closures(n):
    count = 0

    def bump(by=1):
        nonlocal count
        count += by
        return count

    def make(k):
        def add(x):
            return x + k + n

        k += 1
        return add

    adders = [make(i) for i in range(3)]
    n = 100
    return bump(), bump(5), count, [a(1) for a in adders]


@case((10,))
def recursion(n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


@case((3,))
def mutual_recursion(n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(n), odd(n)


@case((3,))
def late_binding(n):
    fs = []
    for i in range(n):

        def f():
            return i

        fs.append(f)
    return [f() for f in fs]


@case((3,))
def free_of_free(n):
    def outer():
        def inner():
            nonlocal n
            n += 1
            return n

        return inner() + inner()

    return outer(), n


@case((3,))
def keyword_only(n):
    def g(a, /, b, *, c=n, d):
        return a, b, c, d

    n = 9
    return g(1, 2, d=3), g(1, b=2, d=3, c=4)


@case((3,))
def reads_global(n):
    global CORPUS

    def inner():
        return len(CORPUS) > n

    return inner(), functools.reduce(lambda a, b: a * b, range(1, n))


@case((2,))
def unbound_box(n):
    def g():
        return later

    if n < 0:
        later = 1
    return g()


@case((2,))
def deleted_box(n):
    def g():
        return n

    del n
    return g()
