"""Random programs as plain Python files: `generate(seed)`."""

from __future__ import annotations

import random
import sys
import types
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz import (  # noqa: F401 - used by name
    arrays,
    calls,
    functions,
    growing,
    hashed,
    implicit,
    items,
    library,
    numbers,
    packed,
    patterns,
    recursing,
    shared_lists,
    sharing,
    texts,
    trees,
    unlike,
)
from tests.fuzz import expressions as ex
from tests.fuzz.control import block, returned
from tests.fuzz.raising import DEFINITIONS
from tests.fuzz.scope import VALUES, Scope
from tests.fuzz.values import (
    DTYPES,
    SHAPES,
    array_text,
    is_array,
    kind,
    quarter,
    random_array,
    weighted,
)

CASES, SMALL = 3, 15
# How many programs have in them what raises by itself.
RISKY = 0.65
HEADER = '''"""Random program, seed {seed}."""

import collections
import functools
import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy import inf, nan


def twice(f, v):
    return f(f(v))


def combine(first, *rest, scale=1.0):
    total = first
    for item in rest:
        total = total + item * scale
    return total


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return math.tanh(half * half * (x if n % 2 else 1.0))


def halved(x):
    if len(x) < 2:
        return x.sum()
    return halved(x[: len(x) // 2]) - halved(x[len(x) // 2 :])


def folded(x, n):
    return x if n == 0 else folded(math.tanh(x + n), n - 1) * 0.5 + x


def mutator_nudged(x, k):
    x[0] += k
    x[1:] *= 0.5
    return float(x.sum())


def mutator_swapped(x, y, k):
    x[0], y[-1] = y[-1] * 0.5, x[0]
    if k > 0:
        y += 1
    return float(x.sum() - y.sum())
'''

RECORD = """

@dataclass
class Base:
    a: float

    def __call__(self, k):
        return self.a + k


@dataclass
class Record(Base):
    n: int
    v: np.ndarray

    def bump(self, k):
        self.a = self.a * 0.5 + k
        self.n += 1
        self.v[self.n % 3] += k
        return self

    def scaled(self, k):
        if self.n > 4:
            return self.a * k
        return self.a - k

    @property
    def total(self):
        return self.v.sum() + self.a

    def __add__(self, other):
        return Record(self.a + other.a, self.n, self.v + other.v)
"""

MAIN = """

if __name__ == "__main__":
    print(program(*arguments()))
"""


@dataclass(frozen=True, slots=True)
class Generated:
    """A program's text and the features it was given."""

    seed: int
    text: str
    features: frozenset[str]


def argument_text(scope: Scope, number: int) -> tuple[str, str]:
    """A parameter's name and the source of its argument."""
    rng = scope.rng
    roll = rng.random()
    if roll < 0.19:
        return f"n{number}", str(rng.choice((0, 1, 2, 3, 5, 7, -2, -9, 40)))
    if roll < 0.35:
        return f"s{number}", repr(quarter(rng))
    if roll < 0.78:
        value = random_array(rng, weighted(rng, DTYPES), weighted(rng, SHAPES))
        ex.note_array(scope, value)
        return f"x{number}", array_text(value)
    if roll < 0.84:
        scope.feature("numpy-scalar-argument")
        dtype = rng.choice(("float32", "int32", "float64", "uint8", "int8"))
        return f"z{number}", f"np.{dtype}({rng.randint(0, 9)})"
    if roll < 0.88:
        scope.feature("list", "list-argument")
        return f"list{number}", repr([quarter(rng) for _ in range(3)])
    if roll < 0.92:
        scope.feature("dict", "dict-argument")
        return (
            f"dict{number}",
            f'{{"a": {quarter(rng)}, "n": {rng.randint(0, 9)}, "x": np.arange(4.0)}}',
        )
    if roll < 0.95:
        scope.feature("tuple")
        return (
            f"tuple{number}",
            f"({quarter(rng)}, np.array([1.0, -2.0, 0.5]), {rng.randint(0, 5)})",
        )
    if roll < 0.96:
        return f"flag{number}", rng.choice(("True", "False"))
    scope.feature("static-string")
    return f"mode{number}", rng.choice(('"left"', '"up"', '"other"'))


def write_arguments(scope: Scope, record: bool) -> list[str]:
    """The lines of `arguments()`; its results become the scope's names.

    Further cases have other values of the same kinds, which a call finds compiled already, but
    where it is for the values of ints.
    """
    names, lines = [], []
    floats = "np.array([0.5, -1.25, 2.0, 3.5, -0.75])"
    pairs = [("x0", floats if scope.chance(0.7) else "np.arange(16.0).reshape(4, 4) / 4 - 2")]
    pairs.append(("n0", str(scope.rng.randint(0, 6))))
    pairs += [argument_text(scope, i + 1) for i in range(scope.rng.randint(1, 4))]
    if record and scope.chance(0.6):
        scope.feature("dataclass", "dataclass-argument")
        pairs.append(
            ("record", f"Record({quarter(scope.rng)}, {scope.rng.randint(0, 5)}, np.arange(3.0))")
        )
    if scope.chance(0.06):
        scope.feature("list", "list-argument")
        sizes = scope.rng.choices((0, 1, 2, 3), k=3)
        rows = [[scope.rng.randint(-3, 5) for _ in range(n)] for n in sizes]
        pairs.append((shared_lists.GIVEN_ROWS, repr(rows)))
    if record and scope.chance(0.1):
        scope.feature("dataclass", "dataclass-argument")
        given = [f"Record({quarter(scope.rng)}, {n}, np.arange(3.0))" for n in range(3)]
        pairs.append((shared_lists.GIVEN_RECORDS, f"[{', '.join(given)}]"))
    names = [name for name, _ in pairs]
    lines = assigned(pairs)
    roll = scope.rng.random()
    if roll < 0.08:
        lines.append("alias = x0")
        names.append("alias")
        scope.feature("aliased-arguments")
    elif roll < 0.14:
        lines.append("part = x0[1:]")
        names.append("part")
        scope.feature("overlapping-arguments")
    tail = [*lines[len(pairs) :], f"return {', '.join(names)},"]
    further = [
        block
        for case in range(1, CASES)
        for block in (f"if case == {case}:", *indented(assigned(varied(scope, pairs)) + tail))
    ]
    changed = ["global SCALE", "SCALE = 1.0 + case"] if "SCALE" in scope.namespace else []
    lines = ["def arguments(case=0):", *indented([*changed, *further, *lines, tail[-1]])]
    exec("\n".join(lines), scope.namespace)
    values = scope.namespace["arguments"]()
    scope.names = dict(zip(names, values, strict=True))
    if not {"aliased-arguments", "overlapping-arguments"} & scope.features:
        arrays = [name for name, value in scope.names.items() if is_array(value)]
        scope.values.update(name for name in arrays if scope.chance(VALUES))
    return [f"CASES = {CASES}", "", "", *lines]


def assigned(pairs: list[tuple[str, str]]) -> list[str]:
    return [f"{name} = {text}" for name, text in pairs]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def varied(scope: Scope, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same parameters with other values."""
    return [
        (name, other_text(scope.rng, name, eval(text, scope.namespace))) for name, text in pairs
    ]


def other_text(rng: random.Random, name: str, value: Any) -> str:
    """Source text of another value of this kind; ints stay at times, since programs may be
    compiled for them."""
    if isinstance(value, np.ndarray):
        return array_text(random_array(rng, value.dtype.name, value.shape))
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({rng.randint(0, 9)})"
    if isinstance(value, bool):
        return rng.choice(("True", "False"))
    if isinstance(value, int):
        return str(rng.choice((value, 0, 1, 2, 4, 6, -3)))
    if isinstance(value, float):
        return repr(quarter(rng))
    if isinstance(value, list | tuple):
        items = [other_text(rng, name, item) for item in value]
        return f"[{', '.join(items)}]" if isinstance(value, list) else f"({', '.join(items)},)"
    if isinstance(value, dict):
        items = [f"{key!r}: {other_text(rng, name, item)}" for key, item in value.items()]
        return f"{{{', '.join(items)}}}"
    if type(value).__name__ == "Record":
        return f"Record({', '.join(other_text(rng, name, x) for x in vars(value).values())})"
    return repr(value)


def write_helper(scope: Scope, name: str) -> list[str]:
    """A function of an int, a float and an array; it may change the array."""
    rng = scope.rng
    shape = rng.choice(((5,), (3,), (4, 4), (4,)))
    value = random_array(rng, "float64", shape)
    mutates = rng.random() < 0.5
    name = f"mutator_{name}" if mutates else name
    inner = Scope(rng, scope.namespace, scope.features, budget=10, avoid=scope.avoid)
    inner.risky = scope.risky
    inner.names = {"k": 2, "s": 0.5, "x": value if mutates else value.copy()}
    inner.counter = scope.counter
    slot = rng.choice((("int",), ("float",), kind(value)))
    inner.slots = (slot,)
    if not mutates:
        inner.emit("x = x * 1.0")
    block(inner, rng.randint(1, 4))
    inner.emit(f"return {returned(inner)}")
    lines = [f"def {name}(k, s, x):", *inner.lines]
    try:
        exec("\n".join(lines), scope.namespace)
        function = scope.namespace[name]
        function(2, 0.5, value.copy())
    except Exception:
        scope.namespace.pop(name, None)
        return []
    nested = any(word in line for line in inner.lines for word in ("for ", "while "))
    function.fuzz_parameters = ((("int",), ("float",), kind(value)), not nested)
    return ["", "", *lines]


def write_program(scope: Scope) -> list[str]:
    if scope.chance(0.55):
        pool = [kind(v) for v in scope.names.values() if type(v) in (int, float) or is_array(v)]
        scope.slots = tuple(scope.rng.choice(pool) for _ in range(scope.rng.randint(1, 3)))
    header = f"def program({', '.join(scope.names)}):"
    block(scope, scope.rng.randint(5, 11) if scope.budget > SMALL else scope.rng.randint(1, 4))
    scope.emit(f"return {final(scope)}")
    return [header, *scope.lines]


def final(scope: Scope) -> str:
    """What the last `return` gives: the slots, or every value in sight."""
    if scope.slots is not None:
        return returned(scope)
    names = [n for n, v in scope.names.items() if not callable(v) or type(v).__name__ == "Record"]
    chosen = names[-8:] or ["0"]
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1)
    if x is not None and scope.chance(0.12):
        scope.feature("data-dependent-size")
        chosen.append(f"{x.text}[{x.text} > 0]")
    return ", ".join(chosen)


def module_namespace() -> dict[str, Any]:
    """The globals of a new module; dataclasses look their module up by name."""
    module = sys.modules["fuzzed"] = types.ModuleType("fuzzed")
    return vars(module)


def generate(seed: int, avoid: frozenset[str] = frozenset()) -> Generated:
    """The program of a seed."""
    rng = random.Random(seed)
    namespace = module_namespace()
    scope = Scope(rng, namespace, set(), avoid=avoid, budget=rng.choice((SMALL, SMALL, SMALL, 40)))
    header = HEADER.format(seed=seed)
    record = rng.random() < 0.35
    header += RECORD if record else ""
    header += DEFINITIONS if rng.random() < 0.4 else ""
    scope.risky = rng.random() < RISKY
    header += implicit.DEFINITIONS if scope.risky else ""
    header += trees.DEFINITIONS if rng.random() < 0.35 else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(header, namespace)
        lines: list[str] = []
        if rng.random() < 0.25:
            scope.feature("global-array")
            lines += ["", "", "TABLE = np.array([1.5, -0.5, 2.25])"]
            exec(lines[-1], namespace)
        if rng.random() < 0.12:
            lines += ["", "", "SCALE = 1.0"]
            exec(lines[-1], namespace)
        for number in range(rng.choice((0, 1, 1, 2))):
            lines += write_helper(scope, f"helper{number}")
        arguments = write_arguments(scope, record)
        if "global-array" in scope.features:
            scope.names["TABLE"] = namespace["TABLE"]
            scope.fixed.add("TABLE")
        parameters = [name for name in scope.names if name != "TABLE"]
        body = write_program(scope)
        body[0] = f"def program({', '.join(parameters)}):"
    text = header + "\n".join([*lines, "", "", *body, "", "", *arguments, MAIN])
    return Generated(seed, text, frozenset(scope.features))
