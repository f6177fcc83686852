"""Buffers that change names: `u, v = v, u` in loops, where somebody else may hold them too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.programs import program


def A(n=6, s=0):
    return np.random.default_rng(s).random((n, n))


def step(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_callee(u, v, n):
    for _ in range(n):
        step(u, v)
        u, v = v, u
    return u


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_third(u, v, n):
    w = u
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        w[0, 0] += 1
        u, v = v, u
    return w.sum(), u, v


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_view_held(u, v, n):
    t = u[1:3]
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        u, v = v, u
    return t.sum(), t[0, 0], u, v


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_view_written(u, v, n):
    t = u[1:3]
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        t[0] += 1
        u, v = v, u
    return t.sum(), u, v


@program("alias loop swap", lambda: (A(), A(s=1), A(s=2), 4))
def swap_three(a, b, c, n):
    for k in range(n):
        c[1:-1] = 2 * b[1:-1] - a[1:-1] + 0.1 * (b[2:] - b[:-2])
        a, b, c = b, c, a
    return b


@program("alias loop swap", lambda: (A(), A(s=1), 5))
def swap_cond(u, v, n):
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        if k % 2 == 0:
            u, v = v, u
    return u, v.sum()


@program("alias loop swap", lambda: (A(), A(s=1), 5, 3.0))
def swap_break(u, v, n, lim):
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        u, v = v, u
        if u.max() > lim:
            break
    return u, k


@program("alias loop swap", lambda: (A(), A(s=1), 5, 3.0))
def swap_return(u, v, n, lim):
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        u, v = v, u
        if u.max() > lim:
            return u
    return v


@program("alias loop swap", lambda: (A(), 3, 2))
def swap_nested(u, n, m):
    v = u.copy()
    for k in range(n):
        for l in range(m + k):
            v[1:-1] = u[1:-1] + 0.5 * u[:-2]
            u, v = v, u
        u[0, 0] += 1
        u, v = v, u
    return u, v


@program("alias loop swap", lambda: (A(), 3))
def swap_same(u, n):
    v = u
    for k in range(n):
        v[1:-1] = u[1:-1] * 0.5
        u, v = v, u
    return u


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_list(u, v, n):
    b = [u, v]
    for k in range(n):
        b[1][1:-1] = b[0][1:-1] + b[0][:-2]
        b[0], b[1] = b[1], b[0]
    return b[0]


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_zero(u, v, n):
    for k in range(n - 3):
        v[1:-1] = u[1:-1] + 1
        u, v = v, u
    return u


@dataclass
class S:
    u: np.ndarray
    v: np.ndarray

    def go(self):
        self.v[1:-1] = self.u[1:-1] + self.u[:-2]
        self.u, self.v = self.v, self.u


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_obj(u, v, n):
    s = S(u, v)
    for k in range(n):
        s.go()
    u[0, 0] = 7.0
    return s.u, s.v, s.u is u


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_rebind(u, v, n):
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        u, v = v, u
        if k == 1:
            v = v.copy()
    return u, v


@program("alias loop swap", lambda: (A(), A(s=1), 3))
def swap_orig_after(u, v, n):
    a, b = u, v
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        u, v = v, u
    a[0] = 5.0
    b[-1] = 6.0
    return u, v, a, b


@program("alias loop swap", lambda: (A(), A(s=1), 4))
def swap_orig_inside(u, v, n):
    a, b = u, v
    tot = 0.0
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        tot += a[1, 1] - b[2, 2]
        b[0, 1] += tot
        u, v = v, u
    return tot, u, v


@program("alias loop swap", lambda: (A(), A(s=1), 4))
def swap_while(u, v, n):
    err = 1.0
    k = 0
    while err > 1e-3 and k < n:
        for i in range(1, 5):
            for j in range(1, 5):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        err = 0.0
        for i in range(1, 5):
            for j in range(1, 5):
                err = max(err, abs(u[i, j] - v[i, j]))
        u, v = v, u
        k += 1
    return u, err, k


@program("alias loop swap", lambda: (A(), A(s=1), 4))
def swap_raise(u, v, n):
    for k in range(n):
        v[1:-1] = u[1:-1] + u[:-2]
        u, v = v, u
        if k == 2:
            raise ValueError("x")
    return u


@program("alias loop swap", lambda: (np.arange(4.0), np.arange(4.0), 5))
def swap_1d(cur, nxt, n):
    for t in range(n):
        for i in range(4):
            nxt[i] = cur[i - 1] + cur[(i + 1) % 4]
        cur, nxt = nxt, cur
        nxt[:] = 0
    return cur


LOOPS = "lists that data has change places"


def TURNS():
    return np.array([1.0, -1.0, 2.0, -2.0])


@program(LOOPS, lambda: (TURNS(), 18), lambda: (TURNS(), 3), lambda: (TURNS(), 0))
def lists_in_a_while_loop(x, n):
    a, b = [], []
    i = 0
    while i < n:
        if x[i % 4] > 0:
            a, b = b, a
        a.append(i)
        i += 1
    return a, b


@program(LOOPS, lambda: (TURNS(),))
def lists_in_a_counted_loop(x):
    stack, other = [], []
    total = 0
    for i in range(18):
        if x[i % 4] > 0:
            other, stack = stack, other
        total += len(other) + sum(other[-2:])
        stack.append(i % 5)
        if i % 3 == 0:
            other.append(i)
            stack.pop()
    return total, stack, other


@program(LOOPS, lambda: (TURNS(),))
def lists_of_which_one_is_cut(x):
    total = 0
    a, b = [], [2, 3]
    for i in range(25):
        b, a = a, b
        a += [i]
        a[:] = a[1:]
    for _ in range(25):
        a.append(len(b))
        total += a[0] * len(a) + int(x[0])
    return total, a, b


@program(LOOPS, lambda: (1,), lambda: (2,))
def lists_that_each_get_more_than_half(n):
    a, b = [], []
    total = n
    for i in range(18):
        if b:
            del b[-1]
        a.append(i % 5)
        total += len(a) + sum(a[-2:])
        if total % 2:
            a, b = b, a
        a.extend([i, i * 2])
        a.append(total)
    return total, a, b


@program(LOOPS, lambda: (TURNS(),), lambda: (-TURNS(),))
def lists_that_are_cleared(x):
    a, b = [], [1, 2]
    for i in range(40):
        if x[i % 4] > 0:
            a, b = b, a
        b.extend([i, i * 2])
        if len(b) > 4:
            b.clear()
    return a, b
