"""Statements about sets of constants, in whatever order CPython has them, and instances as keys."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

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


# {x} is an array, {k} a small int; each is read once.
READ_ONCE = (
    "len(set(int(v) % {k} for v in {x}))",
    "sum(set(map(lambda v: int(v) % {k}, {x})))",
    "sum(sorted(set(v % {k} for v in {x}.tolist())))",
    "any(v > {k} for v in filter(lambda v: v % 2 == 0, {x}))",
    "all(iter(({x} > {k}).tolist()))",
    "len({{1, 2}}.union(int(v) % {k} for v in {x}))",
    "len(dict((int(v) % {k}, 1) for v in {x}))",
    "len(frozenset(v % {k} for v in {x}.tolist()) & {{0, 1, 2}})",
    "max(map(int, {x}), default=0)",
    "len(dict.fromkeys((int(v) % {k} for v in {x}), 0))",
)


@statement(6)
def made_of_iterators(scope: Scope) -> bool:
    """Containers and numbers made of what can be read only once."""
    x = scope.pick(lambda v: is_array(v, "i") and v.ndim == 1 and v.size < 9)
    if x is None:
        return False
    k, result = scope.rng.randint(2, 5), scope.fresh_name("v")
    uses = [form.format(x=x.text, k=k) for form in scope.rng.sample(READ_ONCE, 2)]
    if not written(scope, [f"{result} = float({' + '.join(uses)})"], "read-once"):
        return False
    scope.names[result] = 3.5
    return True


# {g} are containers, {i} the number of one, {v} an int.
MANY = {
    "[set() for _ in range({n})]": ("{g}[{i}].add({v})", "{g}[{i}].discard({v})"),
    "[{{}} for _ in range({n})]": ("{g}[{i}][{v}] = {v}", "{g}[{i}].pop({v}, 0)"),
    "[set(), set(), {{1}}]": ("{g}[{i}].add({v})", "{g}[{i}] |= {{2, 3}}"),
    '[{{"n": 0, "s": 0.5}} for _ in range({n})]': ('{g}[{i}]["n"] += {v}', '{g}[{i}]["s"] *= 2'),
    "[[] for _ in range({n})]": ("{g}[{i}].append({v})", "{g}[{i}] += [1]"),
}
HELD = {
    "set": "len({g}[{i}]) * 7 + sum({g}[{i}])",
    "dict": "len({g}[{i}]) + sum({g}[{i}].values())",
    "list": "len({g}[{i}]) + sum({g}[{i}])",
}


@statement(12)
def one_of_many(scope: Scope) -> bool:
    """Containers in a list, of which data decides the one that is changed."""
    x = scope.pick(lambda v: is_array(v, "i") and v.ndim == 1 and 0 < v.size < 9)
    if x is None or scope.nesting:
        return False
    rng, g, v, result = scope.rng, *(scope.fresh_name(n) for n in ("many", "v", "v"))
    made = rng.choice(list(MANY))
    n = rng.choice(("3", f"{ex.integer(scope, 1).text} % 3 + 3"))
    fields = {"g": g, "i": f"int({v}) % 3", "v": f"int({v}) % 4", "n": n}
    lines = [f"{g} = {made.format(**fields)}", f"for {v} in {x.text}:"]
    change = rng.choice(MANY[made]).format(**fields)
    if scope.chance(0.4):
        lines.append(f"    if {v} > {rng.randint(-3, 3)}:")
        change = f"    {change}"
    lines.append(f"    {change}")
    kind = "set" if "set" in made else "dict" if "{{" in made else "list"
    use = HELD[kind].format(g=g, i=rng.randint(0, 2))
    lines.append(f"{result} = float({use})")
    if any(":=" in line for line in lines) or not written(scope, lines, "one-of-many"):
        return False
    scope.names[result] = 3.5
    return True
