"""Statements about sets of constants, in whatever order CPython has them, and instances as keys."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope

# {s} is the set, {k} a constant, {o} another set, {b} its other name.
CHANGES = (
    "{s}.add({k})|{s}.discard({k})|{s} |= {o}|{s} -= {o}|{s} ^= {o}|{s} &= {o} | {{1, 8}}|{b} = {s}"
    "|{s}.update([{k}, 3], {o})|{s}.difference_update([{k}])|{s} = {s}.union({o})"
    "|{s}.symmetric_difference_update({o})|{s} = {s} - {o}|{s} = {s}.copy()|{s}.add({s}.pop())"
    "|{s}.intersection_update({{1, 2, 8, {k}}} | {o})"
).split("|")
IN_ORDER = (
    "sum(k * v for k, v in enumerate({s}))|sum(k * v for k, v in enumerate(list({b})))"
    "|sum(k - v for k, v in zip({s}, range(9)))|sum(k * v for k, v in enumerate({o}))"
).split("|")
IN_ANY_ORDER = (
    "len({s})|sum(sorted({b}))|max({s}, default=0)|int({k} in {b})|int({s} <= {o})".split("|")
)


@statement(5)
def known_set(scope: Scope) -> bool:
    """A set of constants that is changed, perhaps on some paths only, and read."""
    if scope.loops:
        return False
    rng = scope.rng
    s, b, result = (scope.fresh_name(n) for n in ("known", "other", "v"))

    def constants() -> str:
        items = [rng.choice((rng.randint(0, 70), rng.randint(-9, 9), 2.5)) for _ in range(9)]
        return ", ".join(map(str, items[: rng.randint(1, 9)]))

    lines = [f"{s} = {b} = {{{constants()}}}"]
    sometimes = scope.chance(0.4)
    for _ in range(rng.randint(1, 4)):
        change = rng.choice(CHANGES).format(s=s, b=b, k=rng.randint(0, 40), o=f"{{{constants()}}}")
        if sometimes and scope.chance(0.5):
            lines.append(f"if {ex.boolean(scope, 1).text}:")
            change = f"    {change}"
        lines.append(change)
    uses = IN_ANY_ORDER if sometimes else (*IN_ORDER, *IN_ANY_ORDER)
    use = " + ".join(rng.sample(uses, 2))
    lines.append(f"{result} = float({use.format(s=s, b=b, k=8, o=f'{{{constants()}}}')})")
    if any(":=" in line for line in lines) or not written(scope, lines, "known-set"):
        return False
    scope.names[result] = 3.5
    return True


@statement(4)
def keyed_by_instances(scope: Scope) -> bool:
    """Dicts and sets of instances, which some paths change."""
    if scope.loops or "Failure" not in scope.namespace:
        return False
    rng = scope.rng
    a, b, d, s, result = (scope.fresh_name(n) for n in ("mark", "mark", "of", "seen", "v"))
    x, y = ex.real(scope, 1).text, ex.integer(scope, 1).text
    lines = [f"{a}, {b} = Mark({x}), Mark({y})", f"{d} = {{{a}: {y} % 5}}", f"{s} = {{{a}}}"]
    change = rng.choice((f"{s}.add({b})", f"{s}.discard({a})", f"{d}[{b}] = {a}.n"))
    lines += (
        [f"if {ex.boolean(scope, 1).text}:", f"    {change}"] if scope.chance(0.6) else [change]
    )
    lines.append(rng.choice((f"{d}[{a}] += 1", f"{b}.n = {d}[{a}]", f"{d}[{b}, {a}] = 2")))
    uses = [
        f"{d}.get({b}, 0.5)",
        f"{d}[{a}]",
        f"len({s})",
        f"int({b} in {s})",
        f"{b}.n",
        f"len({d})",
    ]
    lines.append(f"{result} = float({' + '.join(rng.sample(uses, 3))})")
    if any(":=" in line for line in lines) or not written(scope, lines, "instance-keys"):
        return False
    scope.names[result] = 3.5
    return True
