# ruff: noqa - these programs are odd on purpose
"""The corpus: classes."""

import contextlib

from tests.frontend.corpus.case import CORPUS


class Base:
    scale = 2

    def __init__(self, n):
        self.__n = n

    def get(self, k=1):
        return self.__n * k * self.scale

    @property
    def half(self):
        return self.__n / 2


class Derived(Base):
    def get(self, k=1):
        bigger = [super(Derived, self).get(i) for i in range(k)]
        return super().get(k) + __class__.scale + sum(bigger)

    def __private(self, __x):
        return __x

    def private(self, x):
        return self.__private(x)


CORPUS += [
    (Base.get, ((Base(3), 2),)),
    (Base.half.fget, ((Base(3),),)),
    (Derived.get, ((Derived(3), 4),)),
    (Derived.private, ((Derived(3), 4),)),
    (lambda x, k=2: [x * k for _ in range(k)], ((3,),)),
    (lambda *a, **k: (a, k), ((3,),)),
]


def _closed(n):
    total = 0

    def accumulate(x):
        nonlocal total
        total += x * n
        return total, [x + n for x in range(n)]

    return accumulate


@contextlib.contextmanager
def decorated():
    yield


CORPUS += [(_closed(3), ((1,), (5,)))]
