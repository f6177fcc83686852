"""Random programs that can be differentiated: `generate(seed)`; and what is asked of them.

A program takes floats, vectors, a matrix, containers and ints, and returns a float. Its functions
are smooth and of moderate size almost everywhere; where a branch or a sort makes a kink nearby, the
oracle (`differences`) sees that and discards the argument. Vectors have one length, matrices are
square, so that most expressions fit each other.
"""

from __future__ import annotations

import random
import warnings

import numpy as np

from tests.fuzz.differences import judge  # noqa: F401 - the oracle of these programs
from tests.fuzz.program import Generated, module_namespace
from tests.fuzz.scope import Scope
from tests.fuzz.values import Expr

N = 3
HEADER = '''"""Random differentiable program, seed {seed}."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Model:
    w: np.ndarray
    b: float

    def apply(self, x):
        return np.tanh(self.w * x + self.b)


def norm(x, k):
    total = 0.5
    for i in range(k):
        total = total + x[i] * x[i]
    return math.sqrt(total)


def scaled(x, s):
    x *= s
    return x.sum()


def power(x, n):
    return 1.0 if n == 0 else math.tanh(x) * power(x, n - 1)
'''

# {s} and {t} are floats, {x} and {y} vectors, {m} a matrix, {i} an index, {n} a small int.
FLOATS = """
{s} + {t}|{s} * {t}|{s} - {t}|{s} / (1.5 + {t} * {t})|math.sin({s})|math.tanh({s})|math.atan({s})
math.exp(-{s} * {s})|math.sqrt(1.0 + {s} * {s})|math.log1p({s} * {s})|{x}[{i}]|{x}.sum()|{x} @ {y}
np.mean({x} * {y})|np.sum({x}[:{i}])|{x}[{i}:].sum()|np.sum({x}[{i}:] * {y}[{i}:])|{x}[-1]
np.var({x})|float(np.dot({x}, {y}))|np.linalg.norm({x} + 2.0)|np.std({x} * np.arange(1.0, 4.0))
{m}[{i}, {j}]|{m}[{i}] @ {x}|np.trace({m})|np.sum({m} * {m})|np.prod(1.0 + 0.1 * {x})|np.max({x})
np.min({x} * {y})|norm({x}, {n} % 4)|{s} if {n} % 3 == 1 else {t}|{s} if {s} > {t} else {t}
max({s}, {t})|abs({s})|np.logaddexp({s}, {t})|np.hypot({s}, 1.5)|np.log(2.0 + np.sin({s}))
np.cumsum({x})[{i}]|power({s}, {n})|sum({x})|sum([v * v for v in {x}])|sum(v * {s} for v in {x})
np.einsum("i,i->", {x}, {y})|np.sum(np.where({x} > {t}, {x}, {s}))
np.interp({s}, [-1.0, 0.0, 1.0, 2.0], [0.5, 1.0, 0.2, 0.7])|np.sum({x}[{x} > {s}])|np.median({x})
np.polyval([0.5, -0.2, 1.0], {s})|math.erf({s})|{s} ** 2|np.linalg.det({m} + 3.0 * np.eye(3))
(lambda v: v * {s})({t})|np.linalg.norm({m} @ {x})|{x}.mean()|scaled({x}.copy(), {s})
float(np.float32(2.0)) * {s}|np.trapezoid({x})|np.max({m}, axis=0)[{i}]
1.0 / (1.0 + math.exp(-{s}))|np.clip({s}, -0.5, 0.5)|math.cos({s}) ** 2|np.sinc({s})
np.square({s})
"""

VECTORS = """
{x} + {y}|{x} * {s}|{x} - {y}|{x} * {y}|np.sin({x})|np.tanh({x})|{x}[::-1]|np.cumsum({x}) * 0.3
np.exp(-{x} * {x})|np.sqrt(1.0 + {x} * {x})|{x} / (1.0 + {y} * {y})|np.roll({x}, 1)|{m} @ {x}
{x} @ {m}|np.where({x} > 0, {x}, {y})|np.where({n} > 2, {x}, {y})|np.maximum({x}, {y})
np.sort({x})|{x}.copy()|np.array([{s}, {t}, {x}[{i}]])|np.concatenate(({x}[1:], {y}[:1]))
np.full(3, {s})|{m}[{i}]|{m}[:, {i}]|{m}.sum(axis=0)|{m}.T @ {x}
np.linalg.solve({m} + 4.0 * np.eye(3), {x})|np.diag({m})|{x} ** 2|np.logaddexp({x}, {y})
np.log1p({x} * {x})|np.outer({x}, {y})[{i}]|np.stack(({x}, {y})).mean(axis=0)|np.arctan({x})
{x}[[2, 0, 1]]|{x}[np.argsort({y})]|np.exp({x}) / np.sum(np.exp({x}))|np.zeros(3) + {s}
np.array([math.sin(v) for v in {x}])|np.convolve({x}, {y})[1:4]|np.clip({x}, -0.8, 0.8)|-{x}
np.linspace({s}, {t}, 3)|np.einsum("ij,j->i", {m}, {x})|np.cumprod(1.0 + 0.2 * {x})
np.repeat({s}, 3)|np.pad({x}[1:], (1, 0))|np.diff(np.append({x}, {s}))
np.linalg.inv({m} + 4.0 * np.eye(3))[0]|np.take({x}, [0, {i}, 2])|np.tril({m}) @ {x}
np.minimum({x}, {s})|np.fmax({x}, {y})|np.flip({x})
"""

MATRICES = """
{m} * {s}|np.outer({x}, {y})|{m}.T|{m} @ {m} * 0.3|np.tanh({m})|{m} + {x}|{m} * {x}[:, None]
np.tril({m})|np.diag({x})|np.eye(3) * {s}|np.stack(({x}, {y}, {x}))|{m}.copy()
np.linalg.inv({m} + 4.0 * np.eye(3))|np.linalg.cholesky({m} @ {m}.T + 2.0 * np.eye(3))|{m}[::-1]
{m}.reshape(-1).reshape(3, 3)|np.sin({m})
"""


def templates(text: str) -> list[str]:
    return [item for line in text.strip().split("\n") for item in line.split("|")]


TEMPLATES = {"s": templates(FLOATS), "x": templates(VECTORS), "m": templates(MATRICES)}
SHAPE = {"s": (), "x": (N,), "m": (N, N)}


def of_kind(kind: str, value: object) -> bool:
    if kind == "s":
        return type(value) in (float, np.float64)
    return isinstance(value, np.ndarray) and value.shape == SHAPE[kind] and value.dtype == float


def expression(scope: Scope, kind: str, depth: int) -> str:
    """A float, vector or matrix."""
    rng = scope.rng
    for _ in range(5):
        if depth > 0 and not scope.chance(0.25):
            template = rng.choice(TEMPLATES[kind])
            fields = {name: "" for name in "stxymijn"}
            for name in fields:
                if "{" + name + "}" in template:
                    fields[name] = operand(scope, name, depth - 1)
            found = scope.make(f"({template.format(**fields)})")
            if found is not None and of_kind(kind, found.value) and tame(found):
                return found.text
        found = scope.pick(lambda v: of_kind(kind, v))
        if found is not None:
            return found.text
    return {"s": "0.75", "x": "np.array([0.5, -1.0, 2.0])", "m": "np.eye(3)"}[kind]


def tame(found: Expr) -> bool:
    return bool(np.all(np.isfinite(found.value)) and np.max(np.abs(found.value)) < 50)


def operand(scope: Scope, name: str, depth: int) -> str:
    kind = {"t": "s", "y": "x"}.get(name, name)
    if kind in SHAPE:
        return expression(scope, kind, depth)
    if kind == "n":
        found = scope.pick(lambda v: type(v) is int)
        return found.text if found is not None else str(scope.rng.randint(0, 4))
    counters = [n for n, bound in scope.bounds.items() if bound <= N]
    if counters and scope.chance(0.7):
        return scope.rng.choice(counters)
    return scope.rng.choice(("0", "1", "2", "n0 % 3"))


def bind(scope: Scope, name: str, text: str) -> bool:
    """Write `name = text` where it keeps the kind."""
    found = scope.make(text)
    if found is None or not tame(found):
        return False
    scope.emit(f"{name} = {text}")
    scope.names[name] = found.value
    return True


# --- Statements ----------------------------------------------------------------------------------


def assign(scope: Scope) -> bool:
    kind = scope.rng.choice("ssxxm")
    old = [n for n, v in scope.names.items() if of_kind(kind, v) and n not in scope.fixed]
    name = scope.rng.choice(old) if old and (scope.nesting or scope.chance(0.5)) else ""
    damped = {"s": "math.tanh({})", "x": "np.tanh({})", "m": "np.tanh({})"}[kind]
    text = expression(scope, kind, 2)
    if scope.loops:
        text = damped.format(text)
    if kind == "s":
        text = f"float({text})"
    return bind(scope, name or scope.fresh_name(kind), text)


def augment(scope: Scope) -> bool:
    kind = scope.rng.choice("sx")
    old = [n for n, v in scope.names.items() if of_kind(kind, v) and n not in scope.fixed]
    if not old:
        return False
    name, op = scope.rng.choice(old), scope.rng.choice(("+=", "-=", "*="))
    value = expression(scope, "s" if kind == "s" else scope.rng.choice("sx"), 1)
    value = f"math.sin({value})" if kind == "s" else f"np.sin({value})"
    scope.feature("augmented")
    scope.emit(f"{name} {op} {value}")
    return True


def vector(scope: Scope) -> str | None:
    found = [n for n, v in scope.names.items() if of_kind("x", v)]
    return scope.rng.choice(found) if found else None


def mutate(scope: Scope) -> bool:
    x = vector(scope)
    if x is None:
        return False
    i, j = operand(scope, "i", 0), operand(scope, "i", 0)
    s, y = expression(scope, "s", 1), expression(scope, "x", 1)
    form = scope.rng.choice(
        (
            "{x}[{i}] = math.tanh({s})",
            "{x}[{i}] += math.sin({s})",
            "{x}[{i}] *= 0.5",
            "{x}[1:] += {x}[:-1] * 0.5",
            "{x}[:] = np.tanh({y})",
            "{x}[::2] *= math.cos({s})",
            "{x}[{i}], {x}[{j}] = {x}[{j}], {x}[{i}]",
            "{x}[{x} > 0.3] = math.sin({s})",
            "{x}[:{i}] = 0.25",
            "{x}[{i}:] *= math.tanh({s})",
            "np.add.at({x}, [0, 0, 2], 0.1 * math.tanh({s}))",
            "{x}.sort()",
            "np.multiply({x}, 0.5, out={x})",
        )
    )
    scope.feature("mutation")
    scope.emit(form.format(x=x, i=i, j=j, s=s, y=y))
    return True


def view(scope: Scope) -> bool:
    x = vector(scope)
    if x is None or scope.nesting:
        return False
    name = scope.fresh_name("view")
    form = scope.rng.choice(("{}[1:]", "{}[::-1]", "{}[:2]", "{}.reshape(-1)", "{}[None][0]"))
    scope.feature("view")
    scope.emit(f"{name} = {form.format(x)}")
    change = scope.rng.choice(("{} *= 0.5", "{}[0] = {}[1] * 0.5", "{} += 0.25", "{}[-1] -= 0.5"))
    scope.emit(change.format(name, name))
    return True


def container(scope: Scope) -> bool:
    s, x = expression(scope, "s", 1), expression(scope, "x", 1)
    name = scope.fresh_name("c")
    roll = scope.rng.random()
    scope.feature("container")
    if roll < 0.3:
        scope.emit(f"{name} = [{s}, 0.5]")
        scope.emit(f"{name}.append({expression(scope, 's', 1)})")
        text = f"float(sum({name}))"
    elif roll < 0.6:
        scope.emit(f'{name} = {{"w": {x}, "b": {s}}}')
        scope.emit(f'{name}["w"] = {name}["w"] * {name}["b"]')
        text = f'float({name}["w"].sum())'
    else:
        scope.emit(f"{name} = Model({x}, {s})")
        scope.emit(f"{name}.b = {name}.b * 0.5")
        scope.emit(f"{name}.w *= 0.5")
        text = f"float(np.sum({name}.apply({expression(scope, 'x', 1)})))"
    made = scope.fresh_name("s")
    scope.emit(f"{made} = {text}")
    scope.names[made] = 0.5
    return True


def closure(scope: Scope) -> bool:
    if scope.nesting:
        return False
    name, made = scope.fresh_name("f"), scope.fresh_name("s")
    free = [n for n, v in scope.names.items() if type(v) is float and n not in scope.fixed]
    scope.feature("closure")
    scope.emit(f"def {name}(v):")
    if free and scope.chance(0.5):
        target = scope.rng.choice(free)
        scope.emit(f"    nonlocal {target}")
        scope.emit(f"    {target} = math.tanh({target} + v)")
    scope.emit(f"    return v * {expression(scope, 's', 1)}")
    scope.emit("")
    inner = scope.rng.choice(("{0}({1})", "{0}({0}({1}))", "{0}({1}) + {0}(0.5)"))
    scope.emit(f"{made} = float({inner.format(name, expression(scope, 's', 1))})")
    scope.names[made] = 0.5
    return True


def block(scope: Scope, count: int) -> None:
    for _ in range(count):
        if scope.budget <= 0:
            return
        table = SIMPLE if scope.nesting >= 2 or scope.chance(0.6) else COMPOUND
        for _ in range(5):
            scope.budget -= 1
            if scope.rng.choice(table)(scope):
                break


def condition(scope: Scope) -> str:
    if scope.chance(0.5):
        return f"{operand(scope, 'n', 0)} % 3 == {scope.rng.randint(0, 2)}"
    return f"{expression(scope, 's', 1)} > {expression(scope, 's', 0)} + 0.11"


def branch(scope: Scope) -> bool:
    scope.feature("branch")
    scope.emit(f"if {condition(scope)}:")
    with scope.block():
        block(scope, scope.rng.randint(1, 2))
    if scope.chance(0.5):
        scope.emit("else:")
        with scope.block():
            block(scope, scope.rng.randint(1, 2))
    return True


def leave(scope: Scope) -> None:
    if scope.chance(0.35):
        word = scope.rng.choice(("break", "continue"))
        scope.feature(word)
        scope.emit(f"if {condition(scope)}:")
        scope.emit(f"    {word}")


def for_loop(scope: Scope) -> bool:
    name = scope.fresh_name("i")
    trips, feature = scope.rng.choice(
        (("3", "loop"), ("n0", "dynamic-loop"), ("n0 % 4", "dynamic-loop"), ("40", "long-loop"))
    )
    if scope.loops and trips == "40":
        return False
    scope.feature(feature)
    scope.emit(f"for {name} in range({trips}):")
    with scope.block(loop=True):
        scope.names[name] = 1
        scope.fixed.add(name)
        if trips in ("3", "n0 % 4"):
            scope.bounds[name] = 3
        block(scope, scope.rng.randint(1, 3))
        leave(scope)
    return True


def for_elements(scope: Scope) -> bool:
    x = expression(scope, "x", 0)
    name = scope.fresh_name("e")
    scope.feature("element-loop")
    scope.emit(f"for {name} in {x}:")
    with scope.block(loop=True):
        scope.names[name] = np.float64(0.5)
        scope.fixed.add(name)
        block(scope, scope.rng.randint(1, 2))
        leave(scope)
    return True


def while_loop(scope: Scope) -> bool:
    name = scope.fresh_name("r")
    scope.feature("while-loop")
    scope.emit(f"{name} = 1.5 + math.tanh({expression(scope, 's', 1)})")
    scope.names[name] = 1.5
    scope.fixed.add(name)
    scope.emit(f"while {name} > {scope.rng.choice(('0.37', '0.83'))}:")
    with scope.block(loop=True):
        scope.emit(f"{name} *= {scope.rng.choice(('0.5', '0.71'))}")
        block(scope, scope.rng.randint(1, 2))
        leave(scope)
    return True


def triangular(scope: Scope) -> bool:
    """The nest of a factorization: slices that grow with the outer counter."""
    if scope.loops:
        return False
    m, i, j = scope.fresh_name("m"), scope.fresh_name("i"), scope.fresh_name("j")
    scope.feature("bounded-extent")
    scope.emit(f"{m} = {expression(scope, 'm', 1)} * 0.5")
    scope.emit(f"for {i} in range(3):")
    scope.emit(f"    for {j} in range({i}):")
    form = scope.rng.choice(
        (
            "{m}[{i}, {j}] -= 0.25 * ({m}[{i}, :{j}] @ {m}[:{j}, {j}])",
            "{m}[{i}, {j}] = np.sum({m}[{j}:{i}, {j}]) * 0.5",
            "{m}[{j}, {j}:{i}] += 0.1 * {m}[{i}, {j}]",
        )
    )
    scope.emit("        " + form.format(m=m, i=i, j=j))
    scope.emit(f"    {m}[{i}, {i} + 1:] *= {scope.rng.choice(('0.5', '-1.0'))}")
    scope.names[m] = np.eye(N)
    return True


def ping_pong(scope: Scope) -> bool:
    if scope.nesting:
        return False
    old, new = scope.fresh_name("x"), scope.fresh_name("x")
    scope.feature("ping-pong")
    scope.emit(f"{old}, {new} = {expression(scope, 'x', 1)} * 1.0, np.zeros(3)")
    scope.emit(f"for _ in range({scope.rng.choice(('3', 'n0', '2'))}):")
    update = scope.rng.choice(
        ("{1}[1:-1] = 0.5 * ({0}[2:] + {0}[:-2])", "{1}[:] = np.sin({0})", "{1}[0] = {0}[-1] + 1")
    )
    scope.emit("    " + update.format(old, new))
    scope.emit(f"    {old}, {new} = {new}, {old}")
    scope.names[old] = scope.names[new] = np.ones(N)
    return True


SIMPLE = [assign] * 6 + [augment] * 3 + [mutate] * 4 + [view, container, closure]
COMPOUND = [branch, branch, for_loop, for_loop, for_elements, while_loop, triangular, ping_pong]


# --- Programs ------------------------------------------------------------------------------------


def number(rng: random.Random) -> float:
    return round(rng.uniform(-1.5, 1.5), 3)


def argument(rng: random.Random, name: str) -> str:
    if name[0] == "n":
        return str(rng.randint(0, 4))
    if name[0] == "s":
        return str(number(rng))
    if name[0] == "x":
        return f"np.array({[number(rng) for _ in range(N)]})"
    if name[0] == "m":
        return f"np.array({[[number(rng) for _ in range(N)] for _ in range(N)]})"
    vector_ = f"np.array({[number(rng) for _ in range(N)]})"
    if name == "params":
        return f'{{"w": {vector_}, "b": {number(rng)}}}'
    return f"({number(rng)}, {vector_})"


def generate(seed: int, avoid: frozenset[str] = frozenset()) -> Generated:
    """The program of a seed."""
    rng = random.Random(f"gradient {seed}")
    scope = Scope(rng, module_namespace(), set(), budget=rng.choice((12, 25, 40)), avoid=avoid)
    header = HEADER.format(seed=seed)
    names = ["x0", "s0", "n0", *rng.sample(["m0", "x1", "s1", "params", "pair"], rng.randint(1, 3))]
    lines = ["def arguments():"]
    lines += [f"    {name} = {argument(rng, name)}" for name in names]
    lines += [f"    return {', '.join(names)}"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(header, scope.namespace)
        exec("\n".join(lines), scope.namespace)
        scope.names = dict(zip(names, scope.namespace["arguments"](), strict=True))
        if "params" in names:
            scope.feature("dict-argument")
            bind(scope, "x2", 'params["w"] * params["b"]')
        if "pair" in names:
            scope.feature("tuple-argument")
            scope.emit("s2, x3 = pair")
            scope.names["s2"], scope.names["x3"] = scope.names["pair"]
        block(scope, rng.randint(2, 6))
        floats = [n for n, v in scope.names.items() if of_kind("s", v)]
        vectors = [n for n, v in scope.names.items() if of_kind("x", v)]
    terms = [*floats[-4:], *[f"(0.3 * {x} @ np.array([1.0, -0.7, 0.4]))" for x in vectors[-3:]]]
    scope.emit(f"return {' + '.join(terms)}")
    body = [f"def program({', '.join(names)}):", *scope.lines]
    text = header + "\n".join(["", "", *body, "", "", *lines]) + "\n"
    return Generated(seed, text, frozenset(scope.features))
