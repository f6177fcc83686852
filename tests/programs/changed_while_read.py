"""Dicts and sets that loops read and change: RuntimeError where their size is another one."""

import numpy as np

from tests.programs import program


def numbers():
    return np.arange(5.0)


@program("checks raise dict", lambda: (1,), lambda: (0,))
def known_keys(n):
    d = {0: 1}
    for k in d:
        d[k + n] = 2
    return d


@program("checks raise set", lambda: (10,), lambda: (0,))
def known_set(n):
    s = {1, 2}
    for k in s:
        s.add(k + n)
    return s


@program("checks raise dict", lambda: ({1: 1, 2: 2}, 1), lambda: ({1: 1, 2: 2}, 7))
def argument(d, n):
    for k in d:
        if k == n:
            del d[k]
    return d


@program("checks raise dict", lambda: (numbers(),), lambda: (np.zeros(3),))
def keys_of_data(x):
    d = {}
    for v in x:
        d[int(v)] = v
    for k in d.keys():
        if k > 3:
            d[k - 10] = 1.0
    return d


@program("checks raise dict", lambda: (numbers(),))
def items_of_data(x):
    d = {int(v): v for v in x}
    for k, v in d.items():
        d.pop(k)
    return d


@program("checks dict", lambda: (numbers(),))
def a_copy_of_the_keys(x):
    d = {int(v): v for v in x}
    for k in list(d):
        if k % 2:
            d.pop(k)
    for k in d:
        d[k] = 0.0
    for k in d.values():
        d[7] = k
        break
    return d


@program("checks raise set", lambda: (numbers(),), lambda: (numbers() * 3,))
def set_of_data(x):
    s = {int(v) for v in x}
    for v in s:
        if v == 2:
            s.discard(2)
    return s
