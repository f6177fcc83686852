"""Front-end time as programs grow: n of one thing, for n = 1, 2, 4, ... 64.

For each family of programs: processor time of the front end (source to StableHLO), and what does
not depend on the machine: instruction visits and typed instructions (`tests/cost.py`).  The growth
is the exponent of the last doubling: 1 says that twice the program costs twice as much.
"""

from __future__ import annotations

import itertools
import linecache
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import pyxla
from benchmarks.measure import Row
from pyxla.runtime import jaxlower
from tests.cost import Cost, cost
from tests.programs import Program

_COUNT = itertools.count()
LINEAR = 1.15  # exponent of what grows as n or n log n


@dataclass(frozen=True, slots=True)
class Family:
    """text: source of a module with a function `f`, for n, at most `most`.  args: of `f`.  linear:
    whether the cost grows as n does, or is that of code in code."""

    text: Callable[[int], str]
    args: Callable[[], tuple[Any, ...]] = lambda: (0.5, np.arange(4.0))
    checks: bool = False
    most: int = 64
    linear: bool = True

    def function(self, n: int) -> Any:
        """`f` for n, of a module of its own whose source can be read."""
        text, name = self.text(n), f"<growth {next(_COUNT)}>"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        scope: dict[str, Any] = {"np": np, "pyxla": pyxla, "__name__": name}
        exec(compile(text, name, "exec"), scope)
        return scope["f"]

    def cost(self, n: int) -> Cost:
        """What inference of `f` costs for n."""
        return cost(Program("f", self.function(n), (self.args,), ()), self.checks)

    def seconds(self, n: int) -> float:
        """Processor time from the source of `f` to StableHLO, for n."""
        function = pyxla.compile(self.function(n), verify=False, checks=self.checks)
        before = time.process_time()
        jaxlower.module(function.lower(*self.args()).at("regions"))
        return time.process_time() - before


def repeated(head: str, each: str, tail: str) -> Callable[[int], str]:
    """A function of n copies of the lines `each`, in which `{i}` counts, and `{j}` from 1."""

    def text(n: int) -> str:
        copies = [each.format(i=i, j=i + 1) for i in range(n)]
        return "".join([head, *copies, tail.format(n=n)])

    return text


def nested(n: int) -> str:
    """n levels of branches in each other, every fourth of them a loop."""
    lines = ["def f(x, a):", "    y = x"]
    for i in range(n):
        word = f"for i{i} in range(3):" if i % 4 == 1 else f"if y > {i}:"
        lines += ["    " * (i + 1) + word, "    " * (i + 2) + f"y = y * 0.5 + {i}"]
    return "\n".join([*lines, "    return y"]) + "\n"


def derivatives(n: int) -> str:
    """The n-th derivative of a loop with a branch."""
    lines = ["def f0(x):", "    y = x", "    for i in range(5):", "        if y > 1.0:"]
    lines += ["            y = y * 0.5", "        else:", "            y = y * y + x"]
    lines += ["    return y", ""]
    lines += [f"def f{i + 1}(x):\n    return pyxla.grad(f{i})(x)\n" for i in range(n)]
    return "\n".join([*lines, f"def f(x, a):\n    return f{n}(x)\n"])


F = "def f(x, a):\n    y = x\n"
DATA = "def f(x, a):\n    k = int(a[0])\n    y = 0\n"
FAMILIES: dict[str, Family] = {
    "statements": Family(repeated(F, "    y = y * 0.5 + x\n", "    return y\n")),
    "array statements": Family(
        repeated("def f(x, a):\n    y = a\n", "    y = np.sin(y) + a\n", "    return y\n")
    ),
    "branches": Family(
        repeated(
            F, "    if y > {i}:\n        y = y * 0.5\n    else:\n        z = y\n", "    return y\n"
        )
    ),
    "loops": Family(
        repeated(
            F, "    for i in range({i}, 9 + {i}):\n        y = y * 0.5 + i\n", "    return y\n"
        )
    ),
    "lists": Family(
        repeated(
            F,
            "    l{i} = []\n    for i in range(5):\n        if a[i % 4] > y:\n"
            "            l{i}.append(y + i)\n    y += len(l{i})\n",
            "    return y\n",
        )
    ),
    "lists alive": Family(
        repeated(
            F,
            "    l{i} = []\n    for i in range(5):\n        if a[i % 4] > y:\n"
            "            l{i}.append(y + i)\n",
            "    return y\n",
        )
    ),
    "dicts": Family(
        repeated(
            DATA,
            "    d{i} = {{}}\n    for i in range(5):\n        d{i}[(k + i) % 3] = i\n"
            "    for key in sorted(d{i}):\n        y += d{i}[key]\n",
            "    return y\n",
        )
    ),
    "sorted items": Family(
        repeated(
            DATA,
            "    d{i} = {{}}\n    for i in range(5):\n"
            "        d{i}[(k + i) % 3] = d{i}.get((k + i) % 3, 0) + 1\n"
            "    for key, value in sorted(d{i}.items()):\n        y += key * value\n",
            "    return y\n",
        )
    ),
    "sets": Family(
        repeated(
            DATA,
            "    s{i} = set()\n    for i in range(5):\n        s{i}.add((k + i) % 3)\n"
            "    y += len(s{i})\n",
            "    return y\n",
        )
    ),
    "levels of nesting": Family(nested),
    "calls": Family(
        repeated(
            "def g(x, a):\n    if x > a[0]:\n        return x * 0.5\n    return x + 1.0\n\n" + F,
            "    y = g(y, a)\n",
            "    return y\n",
        )
    ),
    "chain of calls": Family(
        repeated(
            "def g0(x):\n    return x + 1.0\n\n",
            "def g{j}(x):\n    if x > 0.5:\n        return g{i}(x) * 2.0\n"
            "    return g{i}(x + 1.0)\n\n",
            "def f(x, a):\n    return g{n}(x)\n",
        ),
        most=8,
        linear=False,
    ),
    "closures called on two paths": Family(
        repeated(
            "def f(x, a):\n    def g0(y):\n        return y + x\n",
            "    def g{j}(y, g=g{i}):\n        if y > 0.5:\n            return g(y * 0.5)\n"
            "        return g(y + 1.0)\n",
            "    return g{n}(x)\n",
        ),
        most=8,
        linear=False,
    ),
    "orders of derivatives": Family(derivatives, lambda: (0.5, 0.5), most=6, linear=False),
    "tries": Family(
        repeated(
            F,
            "    try:\n        if y > {i}:\n            raise ValueError({i})\n        y += 1.0\n"
            "    except ValueError:\n        y = y * 0.5\n",
            "    return y\n",
        )
    ),
    "tries around implicit exceptions": Family(
        repeated(
            DATA,
            "    try:\n        y += 1 // (k + {i})\n"
            "    except ZeroDivisionError:\n        y += 1\n",
            "    return y\n",
        )
    ),
    "instances": Family(
        repeated(
            "class P:\n    def __init__(self, v):\n        self.v = v\n        self.n = 0\n\n"
            "    def step(self, y):\n        self.n += 1\n        self.v = self.v * 0.5 + y\n"
            "        return self.v\n\n" + F,
            "    p{i} = P(y)\n    for i in range(3):\n        y = p{i}.step(y)\n",
            "    return y\n",
        )
    ),
    "checks": Family(
        repeated(
            "def f(x, a):\n    k = int(a[0])\n    y = 0.0\n",
            "    y += a[k + {i}] / x\n    k = (k * k + {i}) // (k + 1)\n",
            "    return y\n",
        ),
        checks=True,
    ),
}


def exponent(before: float, after: float) -> float:
    """p where twice as much of something costs 2**p times as much."""
    return math.log2(max(after, 1e-9) / max(before, 1e-9))


def family_rows(name: str, family: Family) -> Iterator[Row]:
    """The table of one family, and how it grows."""
    rows, n = [], 1
    while n <= family.most:
        seconds, cost = family.seconds(n), family.cost(n)
        rows.append((seconds, cost.visits, cost.instructions))
        counts = f"{cost.visits} visits, {cost.instructions} instructions"
        yield Row(f"{n} {name}", f"{seconds:.3f} s, {counts}", "", None, "", None)
        n *= 2
    seconds, visits, typed = map(exponent, *rows[-2:])
    found = f"seconds {seconds:.2f}, visits {visits:.2f}, instructions {typed:.2f}"
    holds = max(visits, typed) <= LINEAR if family.linear else None
    yield Row(f"{name}: growth", found, "", None, f"<= {LINEAR}" * family.linear, holds)


def section(repetitions: int) -> list[Row]:
    return [row for name, family in FAMILIES.items() for row in family_rows(name, family)]
