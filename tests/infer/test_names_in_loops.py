"""Names of arrays in loops of unknown length: which array each is, and who sees what is written."""

from __future__ import annotations

import copy
import inspect
import random
import textwrap
from typing import Any

import numpy as np
import pytest

import pyxla
from pyxla.reflect import compilation
from tests.fuzz.sources import remember
from tests.fuzz.ways import evaluating

NAMES = "abc"


class Author:
    """A random program that binds, swaps and writes to three names and a list's item."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def program(self) -> str:
        pick = self.rng.choice
        lines = ["i = 0", "a = u", f"b = {pick(['v', 'u', 'u.copy()', 'v + 1'])}"]
        lines += [f"c = {pick(['v', 'u', 'v.copy()', 'a', 'b'])}", "box = [a]"]
        lines += self.block(0, False, self.rng.randint(0, 2))
        lines += ["for i in range(int(t[0])):", *self.indented(1, True, self.rng.randint(2, 6))]
        lines += self.block(0, False, self.rng.randint(1, 3))
        same = "a is b, b is c, box[0] is a" if self.rng.random() < 0.5 else "0"
        body = "\n".join(["    " + line for line in [*lines, f"return a, b, c, box[0], {same}"]])
        # No view of a whole array in which identity is asked: it is that array here.
        view = ".copy()" if "is" in same else "[::-1]"
        return f"def program(u, v, n, t):\n{body}\n".replace(".view", view)

    def block(self, depth: int, loop: bool, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth, loop)]

    def indented(self, depth: int, loop: bool, count: int = 0) -> list[str]:
        lines = self.block(depth, loop, count or self.rng.randint(1, 4))
        return ["    " + line for line in lines]

    def statement(self, depth: int, loop: bool) -> list[str]:
        pick = self.rng.choice
        x, y = pick(NAMES), pick(NAMES)
        number = pick(["1.0", "n", "i" if loop else "n"])
        simple = {
            22: f"{x} = {y} * 0.5 + {self.rng.randint(1, 3)}",
            42: f"{x} = {y}",
            50: f"{x}, {y} = {y}, {x}",
            64: f"{x}[{self.rng.randint(0, 2)}] += {number}",
            70: f"{x} *= 0.75",
            75: f"{x} = {y}.view",
            79: f"box[0] = {y}",
            82: f"{x} = box[0]",
        }
        chance = self.rng.random() * 100
        for limit, line in simple.items():
            if chance < limit:
                return [line]
        if chance < 94 and depth < 3:
            tests = [f"{x}.sum() > {y}.sum()", f"n > {self.rng.randint(0, 3)}", f"{x}[0] > 1"]
            lines = [f"if {pick([*tests, 'i % 2'])}:", *self.indented(depth + 1, loop)]
            if self.rng.random() < 0.4:
                lines += ["else:", *self.indented(depth + 1, loop)]
            return lines
        if depth < 2:
            header = f"for {'jk'[depth]} in range(int(t[{self.rng.randint(0, 3)}])):"
            return [header, *self.indented(depth + 1, True)]
        return ["pass"]


def arguments(rng: random.Random) -> tuple[Any, ...]:
    u, v = (np.array([rng.uniform(-2, 2) for _ in range(3)]) for _ in "uv")
    return u, v, rng.randint(0, 4), np.array([rng.randint(0, 4) for _ in range(4)])


def check(text: str, seed: int) -> bool:
    """Whether the program compiles; it gives what CPython gives."""
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, remember(text), "exec"), namespace)
    program = namespace["program"]
    compiled = pyxla.compile(program)
    rng = random.Random(seed)
    for _ in range(3):
        given = arguments(rng)
        mine, theirs = copy.deepcopy(given), copy.deepcopy(given)
        try:
            with evaluating():
                got = compiled(*mine)
        except pyxla.CompileError:
            return False
        expected = program(*theirs)
        for x, y in zip([*got, *mine], [*expected, *theirs], strict=True):
            assert type(x) is type(y), text
            np.testing.assert_allclose(x, y, rtol=1e-12, err_msg=text)
    return True


def test_a_view_of_what_another_name_is_after_each_turn():
    def program(u, v, n, t):
        a, b = u, v
        for i in range(int(t[0])):
            a = a * 0.5 + 3
            b = a[::-1]
        b *= 0.75
        return a, b

    check(textwrap.dedent(inspect.getsource(program)), 1)  # or refused


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    found = [check(Author(seed).program(), seed) for seed in range(50 * part, 50 * part + 50)]
    assert sum(found) >= 40


def test_what_was_only_chosen_is_not_written():
    """The caller's array is what it was where a name that may be it is read."""

    def total(x, c):
        y = x if c > 0 else np.ones(len(x))
        return y.sum()

    x = np.arange(4.0)
    assert [pyxla.compile(total)(x, c) for c in (1, -1)] == [6.0, 4.0]
    assert compilation(total, x, 1).outcome.writes == ()


BEST = {
    "the best so far": """
        best, x = u, v
        while x.sum() > t[0] - 4:
            x = x * 0.5 - 1
            if x[0] > n - 3:
                best = x
    """,
    "none so far": """
        best, x = None, u
        for i in range(int(t[1])):
            x = x * 0.5 + i
            if x.sum() > n:
                best = x
        if best is None:
            return [x]
    """,
    "the one before": """
        best = x = u
        for i in range(int(t[2])):
            best = x
            x = x + 1
    """,
    "of two": """
        best, second, x = u, v, u + v
        for i in range(int(t[0])):
            x = x * 0.5 + i
            if x.sum() > best.sum():
                best, second = x, best
            elif x.sum() > second.sum():
                second = x
        second[1] = 5.0
    """,
    "of an object": """
        box = [u]
        best = box[0]
        for i in range(int(t[0])):
            box[0] = box[0] * 0.5 + i
            if box[0].sum() > n - 2:
                best = box[0]
        x = box[0]
    """,
}


@pytest.mark.parametrize("name", BEST)
@pytest.mark.parametrize("written", [False, True])
def test_what_a_loop_keeps(name, written):
    body = textwrap.dedent(BEST[name]) + "best[0] = 7.0\n" * written + "return [best, x]\n"
    text = "def program(u, v, n, t):\n" + textwrap.indent(body, "    ")
    assert all(check(text, seed) for seed in range(4))
