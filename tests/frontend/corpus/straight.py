# ruff: noqa - these programs are odd on purpose
"""The corpus: straight line."""

import math
import numpy as np

from tests.frontend.corpus.case import Node, case


@case((1, 2), (3.5, -1))
def arithmetic(a, b):
    return a + b * 2 - a / (b or 1), -a, +b, a**2, a // 2, a % 3, not a


@case(
    (6, 3),
)
def integer_operators(a, b):
    return a & b, a | b, a ^ b, a << b, a >> 1, ~a


@case((-0.0,), (1e308,))
def literals(x):
    return (
        x,
        -0.0,
        0.0,
        1j,
        -2.5j,
        "s",
        b"b",
        None,
        ...,
        True,
        -1,
        math.copysign(1, -0.0),
    )


@case((3, 4))
def comparisons(a, b):
    return (
        a < b,
        a <= b,
        a > b,
        a >= b,
        a == b,
        a != b,
        a is b,
        a is not None,
        a in [a],
        b not in (a,),
    )


@case(([0, 1, 2, 3, 4, 5],))
def slices(x):
    return x[1:3], x[:2], x[2:], x[::2], x[::-1], x[-1], x[:], x[slice(1, 4, 2)]


@case((np.arange(24).reshape(2, 3, 4),))
def array_slices(x):
    return x[0, 1:, ::2].tolist(), x[..., None, 0].shape, x[:, [0, 2], 1:3].tolist()


@case((1,))
def displays(a):
    return (a, a + 1), [a, [a]], {a, 2}, {a: 2, "k": a}, (), [], {}, (a,)


@case(([1, 2], {"z": 1}))
def starred_displays(xs, d):
    return [*xs, 3, *xs], (*xs, 0), {*xs, 9}, {**d, "a": 1, "z": 2}, [*"ab", *range(2)]


@case(("x", 3.14159, 8))
def strings(a, b, width):
    return (
        f"{a}",
        f"<{b:.2f}> {a!r:>{width}} {b=} {{}}",
        f"{a!s}{a!a}",
        "".join([a, ""]),
        f"{b:{width}.3}",
    )


@case((1, 2, 3))
def calls(a, b, c):
    def g(x, y=10, *rest, z=5, **more):
        return x, y, rest, z, sorted(more.items())

    args, kwargs = [b, c], {"z": a, "w": b}
    return (
        g(a),
        g(a, b),
        g(a, *args),
        g(*args, a, **kwargs),
        g(x=a, z=b),
        g(a, *args, *args, q=1, **kwargs),
    )


@case((1, 2, 3))
def signature(a, /, b, *c, d=4, **e):
    return a, b, c, d, e


@case((1,))
def annotations(a: "int") -> "int":
    b: int = a + 1
    c: int
    c = b
    d: list[int] = [c]
    d[0]: int = 5
    return c + d[0]


@case(([1, 2, 3, 4],))
def unpacking(xs):
    a, b, *c = xs
    (d, *e), [f, g] = xs, (c, a)
    h = i = [a, b]
    *j, k = xs
    (l, (m, n)), o = (1, (2, 3)), 4
    return a, b, c, d, e, f, g, h is i, j, k, l, m, n, o


@case((1, 2))
def swap(a, b):
    a, b = b, a
    xs = [1, 2, 3]
    i = 0
    i, xs[i] = 2, 9
    xs[0], xs[1] = xs[1], xs[0]
    return a, b, i, xs


@case((1,))
def deleting(a):
    b, c, xs, node = 2, 3, [1, 2, 3], Node()
    del b, (c, xs[0]), node.left
    return a, xs, hasattr(node, "left") and node.left


@case((5,))
def augmented(a):
    a += 1
    a -= 2
    a *= 3
    a /= 2
    a **= 2
    a //= 3
    a %= 7
    b, xs, node = 12, [1, 2], Node(tags=[0])
    b &= 7
    b |= 16
    b ^= 1
    b <<= 2
    b >>= 1
    alias = xs
    xs += [3]
    xs[0] += 5
    node.tags += [1]
    node.tags[0] -= 1
    return a, b, xs, alias is xs, node


@case(("math",))
def importing(name):
    import math
    import os.path
    import os.path as p
    from collections import abc
    from math import floor
    from math import pi as tau

    return math.floor(tau), floor(2.5), os.path is p, abc.Sized.__name__, name
