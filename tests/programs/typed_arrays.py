"""`array.array`."""

import array as arrays
import copy
from array import array

import numpy as np

from tests.programs import program


@program("array.array", lambda: (50,), lambda: (1,))
def sieve(n):
    flags = array("b", [1]) * (n + 1)
    flags[0] = flags[1] = 0
    for i in range(2, int(n**0.5) + 1):
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = 0
    return sum(flags), flags


@program("array.array", lambda: (6,), lambda: (0,))
def grown(n):
    a, b = array("i"), arrays.array("q", range(n))
    for i in range(n):
        a.append(i * i)
    return a, len(a), sum(x * y for x, y in zip(a, b, strict=True)), a.tolist()


@program("array.array", lambda: (2,))
def rows(n):
    rows = [array("d", [0.0]) * 4 for _ in range(3)]
    for i in range(3):
        for j in range(4):
            rows[i][j] = i * j + n
    return rows, [row[1] for row in rows]


@program(
    "array.array mutation",
    lambda: (array("i", [1, 2]), 7),
    lambda: (array("f", [0.5]), 2),
    lambda: (array("d", range(300)), 2),
    lambda: (array("B", [3]), 300),
)
def given(a, n):
    a[0] = n
    a.append(3)
    total = 0.0
    for x in a:
        total += x
    return a, total, a.typecode, a.itemsize


@program("array.array", lambda: (4,))
def methods(n):
    a = array("f", [0.1, n])
    b = a[:1]
    c = a + b
    c[1:] = array("f", [7, 8, 9])
    del c[0]
    d = array("h", [1, 2, n])
    e = d * 2
    e.reverse()
    d += d
    d.insert(1, 99)
    f = array("d")
    f.extend([1, 2])
    f.extend(array("d", [n]))
    f.fromlist([4.5])
    f.extend(range(2))
    copied = copy.copy(d)
    copied[0] = 5
    known = array("i", b"\1\0\0\0\2\0\0\0"), array("b", bytearray([1, 200])), array("u", "abc")
    tests = 2 in d, d == e, d < e, bool(array("i")), array("i") == array("d"), d == [1, 2]
    return (
        a,
        b,
        c,
        d,
        e,
        f,
        copied,
        known,
        tests,
        max(d),
        sorted(e),
        d.count(2),
        d.index(99),
        str(d),
    )


@program("array.array", lambda: (4,))
def beside_numpy(n):
    a = array("d", [1.0, n])
    sums = np.sum(a), np.dot(a, a), np.ones(2) + a, a * np.ones(2)
    return sums, np.array(a), np.array(a, dtype=int), np.array(array("i", [1])).dtype, np.stack([a])


class Canvas:
    def __init__(self, width, height):
        self.width = width
        self.data = array("B", [0]) * (width * height * 3)

    def plot(self, x, y, r, g, b):
        i = (y * self.width + x) * 3
        for k, v in enumerate((r, g, b)):
            self.data[i + k] = max(0, min(255, int(v * 255)))


@program("array.array classes", lambda: (5.0,))
def a_picture(n):
    canvas = Canvas(4, 4)
    for y in range(4):
        for x in range(4):
            canvas.plot(x, y, x / n, y / n, 0.5)
    return canvas.data


@program("array.array", lambda: (3,), lambda: (2**40,))
def mistakes(n):
    told = []
    for make in (
        lambda: array("b", [n]),
        lambda: array("B", [n]),
        lambda: array("h", [n]),
        lambda: array("H", [n]),
        lambda: array("i", [n]),
        lambda: array("I", [n]),
        lambda: array("L", [n]),
        lambda: array("i", [1.5]),
        lambda: array("x"),
        lambda: array("i", "ab"),
        lambda: array("d", ["x"]),
        lambda: array("i", [1])[5],
        lambda: array("i", [1]).__setitem__(5, 1),
        lambda: array("i").pop(),
        lambda: array("i") + [1],
        lambda: array("i", [1]).index(4),
        lambda: array("i", [1]).remove(n),
        lambda: array("i", [1]).__setitem__(slice(0, 1), [1]),
        lambda: array("i", [1]).extend(array("d")),
        lambda: array("i", [1, 2]).__setitem__(slice(None, None, 2), array("i", [1, 2])),
    ):
        try:
            told.append(make())
        except (TypeError, ValueError, IndexError, OverflowError) as e:
            told.append(f"{type(e).__name__}: {e}")
    return told
