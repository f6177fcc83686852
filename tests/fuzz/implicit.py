"""What raises by itself for some numbers: expressions, and statements around them.

Only where `Scope.risky`; what is written runs on the representative values, or raises one of
`RAISED`, and is to raise for some of the arguments.
"""

from __future__ import annotations

import copy

from tests.fuzz import expressions as ex
from tests.fuzz.control import COMPOUND, block
from tests.fuzz.library import templates
from tests.fuzz.scope import Scope
from tests.fuzz.statements import SIMPLE
from tests.fuzz.values import Expr, is_array

RAISED = (LookupError, ArithmeticError, ValueError, AttributeError, TypeError, StopIteration)
RAISED += (AssertionError, NameError)

# {i} and {j} are ints, {f} and {g} floats, {x} is a vector and {s} one more than its size.
INTS = templates("""
int({x}[{i} % {s}])|[4, 1, 3][{i} % 4]|[4, 1, 3][-({i} % 5)]|(2, 7, 1)[{i} % 4]|range(5)[{i} % 6]
{{1: 5, 2: 4, 0: 3}}[{i} % 4]|{{"a": 1, "b": 2}}["abc"[{i} % 3]]|"abxc".index("abdc"[{i} % 4])
[5, 0, 2].index({i} % 4)|7 // ({i} % 3)|{i} % ({j} % 4)|divmod(9, {i} % 3)[1]|int(3 / ({i} % 4))
1 << ({i} % 6 - 1)|9 >> ({i} % 5 - 1)|math.isqrt({i} % 9 - 1)|math.comb(5, {i} % 4 - 1)
math.factorial({i} % 6 - 1)|pow(3, {i} % 5, {j} % 3)|pow({i}, -1, 7)|math.perm({i} % 5 - 1, 2)
[v for v in [3, 1, 4] if v > {i} % 5][0]|next(v for v in (3, 1, 4) if v > {i} % 5)
next(iter([1, 2][{i} % 3:]))|max(v for v in (3, 1) if v > {i} % 4)|min([2, 5][:{i} % 3])
max([v for v in range({i} % 3)])|min(range({i} % 4))|int("12a4"[{i} % 4])|int(str({i} % 30)[1])
int("7 8x 9"[:{i} % 6])|[1, 2, 3].pop({i} % 5 - 1)|{{1: 2, 3: 4}}.pop({i} % 4)|ord("ab"[{i} % 3])
sum(a * b for a, b in zip((1, 2), range({i} % 4), strict=True))|len({x}[:{i} % 4] + {x}[:2])
len(np.arange(6)[:{i} % 7].reshape(2, -1))|int(np.arange({i} % 4).max())|len(chr({i} % 9 - 1))
int(np.argmax(np.arange({i} % 3)))|{i} ** 7 * 40000000 % 97|2 ** ({i} % 80) // 3 % 7
math.prod(range(1, {i} % 30)) % 11|10 ** ({i} % 25) % 19|(lambda t: 9 // t)({i} % 3)
[9 // v for v in range({i} % 4 - 2, 3)][0]|sum(8 // v for v in range(1 - {i} % 3, 4))
[[1, 2], [3]][{i} % 2][{j} % 2]|int(np.array([3, 1, 2])[{i} % 4])|[6, 5][{i} % 2:][{j} % 2]
int(np.zeros((2, 3))[{i} % 3, {j} % 4])|int(np.full(2, {i} * 9, np.uint8)[0])
int((np.array([3], np.uint8) + {i} % 300)[0])|np.array([1, 2]).item({i} % 3)
int(np.concatenate(([1], np.arange({i} % 3)))[1])|int({x}[{i} % {s} - {s}])
heapq.heappop([5, 3][:{i} % 3])
sum([5, 2, 7][{i} % 3 + k] for k in range(2))|int(np.take([1, 2, 3], {i} % 4))
({i} * 3000000019) ** 2 % 7
int((np.arange(3) + np.arange({i} % 4))[0])|{i} * 2**60 % 13|list(range({i} % 3))[1]
(lambda a, b: a * b)(*[2, 3, 4][:{i} % 4])|len([*zip([1, 2], [3, 4][:{i} % 3], strict=True)])
[3, 4, 5][:{i} % 4][-1]|{{k: 6 // k for k in range({i} % 3, 4)}}[2]|sorted([2, 1][{i} % 3:])[0]
""")
REALS = templates("""
math.sqrt({f})|math.log({f})|math.log({i} % 3)|math.exp({f} * 300)|math.acos({f} / 2)
1.5 / ({i} % 4)
math.asin({f} / 3)|math.log1p({f})|math.pow({f}, -0.5)|math.gamma({i} % 4 - 1.0)|{f} / {g}
math.fmod({f}, {i} % 3)|{f} // {g}|{f} % {g}|({i} % 3) ** -1.0|{f} ** 300|math.sinh({f} * 300)
math.atanh({f} / 3)|math.acosh({f})|math.log2({i} % 4)|float("1.5x"[:{i} % 5])|0.0 ** ({i} % 3 - 1)
float([0.5, {f}][{i} % 3])|float({x}[{i} % {s}])|1.0 / len([v for v in {x} if v > {f}])
float(max(v for v in {x} if v > {f}))|float({x}[{x} > {f}].max())|float({x}[{x} > {f}][0])
float(np.flatnonzero({x} > {f})[0])|float(np.dot({x}[:{i} % 4], {x}[:2]))|float(round({f}))
float(({x}[:2] * {x}[:{i} % 4]).sum())|float(int({f}))|float(math.floor({f}))|{f} / ({i} % 3)
float(np.linalg.inv(np.array([[{f}, 1.0], [2.0, {f}]]))[0, 0])|float({x}[{x} < {f}].mean() > 0)
float(np.linalg.cholesky(np.array([[{f}, 0.0], [0.0, 1.0]]))[0, 0])
float(sum({x}[:{i} % 3])) / ({j} % 3)
math.ldexp(1.5, {i} * 300)|float(np.min({x}[:{i} % 3]))
float(np.stack(({x}[:{i} % 3], {x}[:1])).sum())
min([v for v in (0.5, {f}) if v > {g}])|math.dist((1.0, {f}), (0.5, 2.0)[:{i} % 3])
""")


def filled(scope: Scope, form: str, depth: int = 1, **more: str) -> str | None:
    """A template with expressions in its holes; None where it needs a vector and there is none."""
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and 0 < v.size < 9)
    if x is None and ("{x}" in form or "{s}" in form):
        return None
    ints = [ex.integer(scope, depth).text for _ in range(2)]
    floats = [ex.real(scope, depth).text for _ in range(2)]
    given = {"x": x.text, "s": x.value.size + 1} if x is not None else {}
    text = form.format(i=ints[0], j=ints[1], f=floats[0], g=floats[1], **given, **more)
    return None if ":=" in text else text


def raising(scope: Scope, forms: list[str], kind: type, depth: int) -> Expr | None:
    if not scope.risky:
        return None
    text = filled(scope, scope.rng.choice(forms), min(depth, 1))
    found = scope.make(f"({text})") if text is not None else None
    if found is None or type(found.value) is not kind:
        return None
    scope.feature("implicit")
    return found


@ex.production(ex.INTEGERS, 9)
def raising_int(scope: Scope, depth: int) -> Expr | None:
    return raising(scope, INTS, int, depth)


@ex.production(ex.REALS, 9)
def raising_real(scope: Scope, depth: int) -> Expr | None:
    return raising(scope, REALS, float, depth)


def try_out(scope: Scope, lines: list[str]) -> bool:
    """Write lines that run on the representative values, or raise one of `RAISED`."""
    source = [f"def made({', '.join(scope.names)}):", *[f"    {line}" for line in lines]]
    namespace = dict(scope.namespace)
    try:
        exec("\n".join(source), namespace)
        namespace["made"](**copy.deepcopy(scope.names))
    except RAISED:
        pass
    except Exception:  # noqa: BLE001 - CPython refuses it
        return False
    for line in lines:
        scope.emit(line)
    scope.feature("implicit")
    return True


# Statements: {v} is a new int, {w} another name, {c} a condition; the rest as above.
LINES = [
    text.split(";")
    for text in templates("""
if {c}:;    {w} = {i} % 5;{v} = {w} + 1
for {w} in range({i} % 3):;    pass;{v} = {w} * 2
{w} = {i} % 7;if {c}:;    del {w};{v} = {w} - 1
while {c}:;    {w} = 3;    break;{v} = {w}
{w} = None if {c} else 4;{v} = {w} + 1
{w} = None if {c} else [3, 1];{v} = {w}[0]
{w} = None if {c} else Box({i} % 4);{v} = {w}.n
{w} = Box({i} % 4);{w}.left = None if {c} else Box(2);{v} = {w}.left.n
{v}, {w} = [5, 6, 7][:{i} % 4]
{v}, *{w} = range({i} % 3)
({v}, {w}), _ = [(1, 2), (3, 4)][:{i} % 3], 0;{v} = 0
{w} = iter([2, 3, 5][:{i} % 4]);{v} = next({w}) + next({w})
{w} = iter(range({i} % 4));{v} = 0;for _ in range({j} % 4):;    {v} += next({w})
{w} = [1, 2, 3];{v} = 0;for _ in range({i} % 5):;    {v} += {w}.pop()
{w} = [4, 1, 2];{w}.remove({i} % 5);{v} = len({w})
{w} = [4, 1, 2];del {w}[{i} % 5 - 1];{v} = {w}[0]
{w} = [0, 0];for k in range({i} % 4):;    {w}[k] += k;{v} = sum({w})
{w} = {{1: 2}};for k in range({i} % 4):;    {w}[k + 1] += k;{v} = len({w})
{w} = {{k: k for k in range({i} % 3)}};{v} = {w}[1] + {w}.pop({j} % 3)
{w} = set(range({i} % 4));{w}.remove({j} % 4);{v} = len({w})
{w} = collections.deque([1, 2]);{v} = 0;for _ in range({i} % 4):;    {v} += {w}.popleft()
{w} = [];for k in range({i} % 4):;    {w}.append(k);{v} = {w}[2] if {c} else {w}[-1]
{v} = Box({i} % 4).take({j} % 5)
{w} = Box({i} % 4);for k in range({j} % 4):;    {w}.take(k);{v} = {w}.n
{v} = Box({i} % 4).down({j} % 5)
{w} = Box({i} % 5);{v} = {w}.grow({j} % 4).deep(2)
{v} = risky({i} % 4, {j} % 4)
{v} = sum(risky(k, {i} % 4) for k in range({j} % 4))
{v} = careful({i} % 4, {j} % 4)
{v} = 0;for k in range({i} % 4):;    {v} += careful(k, {j} % 3)
assert {c}, f"at {{{i} % 7}}";{v} = 1
{v} = {i} % 3 + 2;for _ in range({j} % 9):;    {v} *= {v} + 3;{v} %= 7
{v} = 1;for k in range({i} % 40):;    {v} *= k + 1;{v} %= 31
{v} = 2**62;for _ in range({i} % 4):;    {v} += 2**61;{v} %= 5
{x}[{i} % {s}] = {f};{v} = 1
{x}[{i} % {s} - {s}] += 1;{v} = 1
{x}[:{i} % 4] = np.ones(2);{v} = 1
{x}[{x} > {f}] = np.array([1.0, 2.0]);{v} = 1
{x}[:{i} % 4] += {x}[:2];{v} = 1
{v} = 0;for {w} in range({i} % {s} + 1):;    {x}[{w}] += 1;    {v} += 1
{v} = 0;for {w} in range({i} % 4):;    {v} += 6 // ({w} - {j} % 4)
{w} = np.arange({i} % 4);{v} = int({w}.reshape(2, -1)[1, 0])
{w} = np.zeros(3, int);{w}[{i} % 5 - 1] += 1;{w}[{j} % 4] = 2;{v} = int({w}.sum())
{w} = np.zeros(3, np.int8);{w}[1] = {i} * 20;{v} = int({w}.sum())
{w} = (lambda: {v});{v} = {w}() if {c} else 2
def {w}(t):;    return [5, 6][t] // (t - {j} % 3);{v} = {w}({i} % 3)
""")
]


def raising_lines(scope: Scope) -> bool:
    """A few lines that raise for some numbers."""
    if not scope.risky:
        return False
    v = scope.fresh_name("v")
    lines = []
    c, w = ex.boolean(scope, 1).text, scope.fresh_name("w")
    for line in scope.rng.choice(LINES):
        text = filled(scope, line, v=v, w=w, c=c)
        if text is None:
            return False
        lines.append(text)
    if any(":=" in line for line in lines) or not try_out(scope, lines):
        return False
    scope.names[v] = 2
    return True


CAUGHT = """IndexError KeyError ZeroDivisionError ValueError OverflowError LookupError
ArithmeticError Exception (KeyError,IndexError) (ValueError,ZeroDivisionError)
(TypeError,StopIteration) AttributeError UnboundLocalError StopIteration AssertionError
(OverflowError,IndexError,ValueError)
""".split()
# {n} is an int, {t} a text, {e} the exception.
TOLD = templates("""
{n} = len(str({e}))|{n} = len({e}.args)|{n} = -1|{t} = str({e})|{t} = type({e}).__name__
{n} += str({e}) == "division by zero"|{t} = f"{{{e}}}!"|{n} -= isinstance({e}, LookupError)
""")


def caught_implicit(scope: Scope) -> bool:
    """`try` around what raises by itself, and clauses that read what was raised."""
    if not scope.risky:
        return False
    rng, n, t = scope.rng, scope.fresh_name("n"), scope.fresh_name("t")
    told = rng.choice(TOLD)
    scope.emit(f"{n} = 0")
    scope.names[n] = 0
    if "{t}" in told:
        scope.emit(f'{t} = "fine"')
    scope.emit("try:")
    with scope.block():
        block(scope, rng.randint(0, 1))
        if not raising_lines(scope):
            found = raising(scope, INTS, int, 1)
            scope.emit(f"{n} = {found.text if found is not None else '1 // 0'}")
        block(scope, rng.randint(0, 1))
    for caught in rng.sample(CAUGHT, rng.choice((1, 1, 1, 2))):
        e = scope.fresh_name("e")
        scope.emit(f"except {caught.replace(',', ', ')} as {e}:")
        with scope.block():
            scope.emit(told.format(n=n, t=t, e=e))
            block(scope, rng.randint(0, 1))
            if scope.chance(0.12):
                again = rng.choice(("raise", f"raise {e}", f'raise RuntimeError("stop") from {e}'))
                scope.emit(f"if {ex.boolean(scope, 1).text}:")
                scope.emit(f"    {again}")
    if scope.chance(0.2):
        scope.emit("else:")
        with scope.block():
            block(scope, 1)
    if scope.chance(0.3):
        scope.emit("finally:")
        loops, slots, scope.loops, scope.slots = scope.loops, scope.slots, 0, None
        with scope.block():
            block(scope, 1)
        scope.loops, scope.slots = loops, slots
    if "{t}" in told:
        scope.emit(f"{n} += len({t})")
    scope.feature("try", "caught-implicit")
    return True


def kept_by_finally(scope: Scope) -> bool:
    """`try` and `finally` around what raises by itself."""
    if not scope.risky:
        return False
    scope.emit("try:")
    with scope.block():
        block(scope, scope.rng.randint(0, 1))
        if not raising_lines(scope):
            scope.emit("pass")
    scope.emit("finally:")
    loops, slots, scope.loops, scope.slots = scope.loops, scope.slots, 0, None
    with scope.block():
        block(scope, 1)
    scope.loops, scope.slots = loops, slots
    scope.feature("finally")
    return True


SIMPLE[raising_lines] = 22
COMPOUND[caught_implicit] = 22
COMPOUND[kept_by_finally] = 6

DEFINITIONS = """

class Box:
    def __init__(self, n):
        self.n = n
        self.items = [3, 1]
        self.left = None

    def take(self, k):
        self.n -= 1
        return self.items[k] // self.n

    def down(self, k):
        self.n += k
        if k > 0:
            return self.down(k - 1) + self.items[k]
        return self.n

    def grow(self, k):
        if k > 0:
            self.left = Box(self.n + k).grow(k - 1)
        return self

    def deep(self, k):
        return self.n if k == 0 else self.left.deep(k - 1)


def risky(k, n):
    values = [4, 0, 2]
    return values[k] // n + k


def careful(k, n):
    try:
        return risky(k, n)
    except ZeroDivisionError:
        return -1
    finally:
        n += 1
"""
