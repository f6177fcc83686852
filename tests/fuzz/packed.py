"""Statements about arrays whose size the run decides: masks of masks, slices with bounds."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

# What makes a number of an array of any size, and what needs an element.
ANY = """
len({0})|{0}.size|float({0}.sum())|float(np.max({0}, initial=-9))|float(np.min({0}, initial=9))
float(np.prod({0}))|float(np.sum({0} * {0}))|float(np.cumsum({0}).sum())|float(np.sort({0}).sum())
int(np.count_nonzero({0} > 1))|float(sum({0}))|bool(np.all({0} > -2))|bool(np.any({0} == 1))
float(np.where({0} > 1, {0}, 2).sum())|int(np.unique({0}).size)|float(({0} - 1)[::-1].sum())
float(np.concatenate(({0}, {0})).sum())|float({0} @ {0})|len({0}[1:])|float(np.abs({0}[:-1]).sum())
"""
SOME = """
int({0}.argmax())|int(np.argmin({0}))|float({0}.max())|float({0}.min())|float({0}.mean())
float({0}[-1])|float({0}[0])|float(np.var({0}))|float(np.median({0}))
int(np.argsort({0}, kind='stable')[0])|float(np.sort({0})[-1])|float(np.ptp({0}))
float(({0} * 2).max())|int((-{0}).argmax())
"""
MASKS = ("> 1", "< 2", ">= 0", "!= 1", "> -1", "< 0", "== 2")


def templates(text: str) -> list[str]:
    return [item for line in text.strip().split("\n") for item in line.split("|")]


ANYS, SOMES = templates(ANY), templates(SOME)


def number(scope: Scope, part: str) -> str:
    """A number that depends on all of an array of any size."""
    if scope.chance(0.5):
        return scope.rng.choice(ANYS).format(part)
    some = scope.rng.choice(SOMES).format(part)
    return f"({some} if {scope.rng.choice(('len({0})', '{0}.size')).format(part)} else -1)"


def added(scope: Scope, lines: list[str], total: str, *features: str) -> bool:
    if any(":=" in line for line in lines) or not written(scope, lines, *features):
        return False
    scope.names[total] = 1.5
    return True


@statement(6)
def packed(scope: Scope) -> bool:
    """What a mask leaves of an array, and what another leaves of that."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1)
    if x is None:
        return False
    rng, total = scope.rng, scope.fresh_name("v")
    names = [scope.fresh_name("kept") for _ in range(rng.randint(1, 2))]
    lines, base = [], x.text
    for name in names:
        bound = f"> {ex.real(scope, 1).text}" if scope.chance(0.2) else rng.choice(MASKS)
        form = rng.choice(("{b}[{b} {m}]", "{b}[{b} {m}]", "{b}[np.flatnonzero({b} {m})]"))
        lines.append(f"{name} = " + form.format(b=base, m=bound))
        base = name
    parts = [number(scope, rng.choice(names)) for _ in range(rng.randint(1, 2))]
    lines.append(f"{total} = {' + '.join(parts)} + 0.5")
    return added(scope, lines, total, "mask-select", "data-dependent-size")


@statement(6)
def prefixes(scope: Scope) -> bool:
    """A loop over slices that grow, shrink or run backwards with its counter."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 1)
    if x is None or scope.loops:
        return False
    rng, n = scope.rng, x.value.size
    total, i, part = scope.fresh_name("v"), scope.fresh_name("i"), scope.fresh_name("part")
    form = rng.choice(
        ("{x}[:{i} + 1]", "{x}[{i}:]", "{x}[:{i}]", "{x}[{i} // 2:{i} + 1]", "{x}[{i}::-1]")
        + ("{x}[{n} - {i}:]", "{x}[:{n} - {i}]", "{x}[{i}::2]", "{x}[{i}:0:-1]")
    ).format(x=x.text, i=i, n=n)
    trips = rng.choice((str(n), f"{ex.integer(scope, 1).text} % {n + 1}"))
    lines = [f"{total} = 0.0", f"for {i} in range({trips}):", f"    {part} = {form}"]
    lines.append(f"    {total} = 0.5 * {total} + {number(scope, part)}")
    return added(scope, lines, total, "bounded-slice-read", "for-range")


@statement(4)
def backwards(scope: Scope) -> bool:
    """Slices with run-time bounds of any sign, from the end."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None:
        return False
    rng, n, total = scope.rng, x.value.size, scope.fresh_name("v")
    low, high = [f"{ex.integer(scope, 1).text} % {2 * n + 6} - {n + 3}" for _ in range(2)]
    form = rng.choice(("{x}[{a}:{b}:-1]", "{x}[:{b}:-1]", "{x}[{a}:{b}:-2]", "{x}[{a}::-1]"))
    part = form.format(x=x.text, a=low, b=high)
    return added(scope, [f"{total} = {number(scope, part)} + 0.5"], total, "dynamic-slice")


@statement(4)
def gathered_elements(scope: Scope) -> bool:
    """Loops in loops: the inner one updates an element that the outer one chose."""
    x = scope.pick_cell(lambda v: is_array(v, "fi") and 0 < v.ndim < 3 and min(v.shape) > 1)
    if x is None or scope.loops:
        return False
    rng, n = scope.rng, x.value.shape[-1]
    j, i = scope.fresh_name("j"), scope.fresh_name("i")
    row = "" if x.value.ndim == 1 else f"{rng.randrange(x.value.shape[0])}, "
    trips = rng.choice((f"{ex.integer(scope, 1).text} % {n + 1}", str(n)))
    scale = "0.5" if x.value.dtype.kind == "f" else "2"
    other = rng.choice((i, f"({j} + {i}) % {n}", f"{j} - 1", j))
    lines = [f"for {j} in range({rng.randint(1, n)}):", f"    for {i} in range({trips}):"]
    update = rng.choice(
        (
            "{x}[{r}{j}] += {x}[{r}{o}] * {s}",
            "{x}[{r}{j}] -= {x}[{r}{o}]",
            "{x}[{r}{j}] = {x}[{r}{j}] * {s} - {i}",
            "{x}[{r}{j}] = {x}[{r}{o}] - {x}[{r}{j}]",
        )
    )
    lines.append("        " + update.format(x=x.text, r=row, j=j, o=other, i=i, s=scale))
    if any(":=" in line for line in lines):
        return False
    return written(scope, lines, "nested-loop", "for-range", "item-assignment")


@statement(4)
def at_the_edge(scope: Scope) -> bool:
    """An index that runs just past the end, caught there."""
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and v.size > 0)
    if x is None:
        return False
    n, total, i = x.value.size, scope.fresh_name("v"), scope.fresh_name("i")
    if scope.loops or scope.chance(0.3):
        at = f"{ex.integer(scope, 1).text} % {n + 1}"
        lines = ["try:", f"    {total} = float({x.text}[{at}])", "except IndexError:"]
        return added(scope, [*lines, f"    {total} = -7.0"], total, "try")
    at = scope.rng.choice((i, f"{i} + 1", f"-{i}", f"-{i} - 1", f"{i} * 2"))
    lines = [f"{total} = 0.0", f"for {i} in range({n + 1}):", "    try:"]
    lines += [f"        {total} += float({x.text}[{at}])", "    except IndexError:"]
    lines += [f"        {total} -= 7.0", *(["        break"] if scope.chance(0.3) else [])]
    return added(scope, lines, total, "try", "for-range", "implicit-exception")
