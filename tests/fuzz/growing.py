"""Statements about containers that a loop fills: lists, dicts, sets, heaps; texts; kinds."""

from __future__ import annotations

from random import Random

from tests.fuzz import expressions as ex
from tests.fuzz import items
from tests.fuzz.packed import added
from tests.fuzz.patterns import statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import is_array

# {i} counts, {l} is the container, {x} a vector of floats, {v} one of them, {c} a condition on {i}.
LISTS = """
if {c}:;    {l}.append({i})|{l}.append({i} * {i} % 7)
if {c}:;    {l}.append({i});else:;    {l}.insert(0, {i})
{l}.append({i});if len({l}) > 3:;    {l}.pop(0)
if {c} and {l}:;    {l}.pop();else:;    {l}.append({i})|{l}.extend([{i}, 2 * {i}])
{l} += [{i}] * ({i} % 3)|if {i} not in {l}:;    {l}.append({i} % 3)
"""
LIST_USES = """
len({l})|sum({l})|max({l}, default=3)|({l}[-1] if {l} else 5)|sum(sorted({l})[:2])|int(2 in {l})
sum(v * k for k, v in enumerate({l}))|len(set({l}))|sum({l}[::-1][:2])|{l}.count(2)|int(bool({l}))
sum(a * b for a, b in zip({l}, {l}[1:]))|len([v for v in {l} if v > 2])|min([*{l}, 9])
"""
DICTS = """
{l}[{i} % 3] = {i}|{l}[{i} % 3] = {l}.get({i} % 3, 0) + 1
if {i} % 4 in {l}:;    {l}[{i} % 4] += {i};else:;    {l}[{i} % 4] = 1
if {c}:;    {l}[{i}] = {i} * 2;else:;    {l}.pop({i} - 1, None)|{l}[({i}, {i} % 2)] = {i}
{l}.setdefault({i} % 2, 5);{l}[{i} % 2] += 1
"""
DICT_USES = """
len({l})|sum({l}.values())|max({l}.values(), default=3)|{l}.get(1, -4)|int(2 in {l})
sum(k * v for k, v in enumerate({l}.values()))|sum(sorted({l}.values())[-2:])
"""
SETS = """
{l}.add({i} % 3)|{l}.add({i} * {i} % 5)|if {c}:;    {l}.add({i});else:;    {l}.discard({i} - 1)
if {i} % 3 in {l}:;    {l}.add({i} + 1);else:;    {l}.add({i} % 3)
"""
SET_USES = "len({l})|sum(sorted({l}))|int(3 in {l})|len({l} | set([1, 2]))|sum(v * v for v in {l})"
HEAPS = """
heapq.heappush({l}, ({i} * 5) % 7)
if {c} or not {l}:;    heapq.heappush({l}, -{i});else:;    heapq.heappop({l})
heapq.heappush({l}, {i} % 4);if len({l}) > 2:;    heapq.heappop({l})
"""
HEAP_USES = "len({l})|sum({l})|({l}[0] if {l} else 9)|sum(heapq.nsmallest(2, {l}))"


def templates(text: str) -> list[list[str]]:
    return [item.split(";") for line in text.strip().split("\n") for item in line.split("|")]


KINDS = {
    "list": ("[]", templates(LISTS), templates(LIST_USES)),
    "dict": ("{}", templates(DICTS), templates(DICT_USES)),
    "set": ("set()", templates(SETS), templates(SET_USES)),
    "heap": ("[]", templates(HEAPS), templates(HEAP_USES)),
}


# {l} and {m} are lists of ints, {i} counts.
STACKS = templates("""
{l}.append({i})|{l}.append({i} % 5)|if {l}:;    {l}.pop()|if {l}:;    {l}.pop(0)|{l}.insert(0, {i})
{l}.extend([{i}, {i} * 2])|if {l}:;    del {l}[-1]|if {c}:;    {l}.append(3)|{l} += [{i}]
if {l}:;    {m}.append({l}.pop())|if {l}:;    {l}[-1] = {i}|for k in range(3):;    {l}.append(k)
if len({l}) > 4:;    {l}.clear()
while len({l}) > 6:;    {l}.pop()|if {l}:;    {l}.append({l}[0] + 1)
""")


@statement(10)
def stacks(scope: Scope) -> bool:
    """Lists that a loop of many turns makes longer and shorter."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None or scope.loops:
        return False
    rng = scope.rng
    i, one, other, result = (scope.fresh_name(name) for name in ("i", "stack", "stack", "v"))
    lines = [f"{one}, {other} = [], {rng.choice(('[]', '[1, 2]'))}", f"{result} = 0"]
    turns, counted = rng.choice((18, 25, 40)), scope.chance(0.7)
    lines += [f"for {i} in range({turns}):"] if counted else [f"{i} = 0", f"while {i} < {turns}:"]
    data = f"{x.text}[{i} % {x.value.size}] > 0"
    for _ in range(rng.randint(1, 4)):
        l, m = rng.sample((one, other), 2)
        test = rng.choice((f"{i} % 3 == 0", data, f"{result} % 2"))
        kind = rng.choice((_filling, _filling, _swapping, _one_of_many, _one_of_many))
        lines += [f"    {line.format(l=l, m=m, i=i, c=test, v=result)}" for line in kind(rng)]
        if rng.random() < 0.4:
            lines.append(f"    {result} += len({l}) + sum({l}[-2:])")
    lines += [] if counted else [f"    {i} += 1"]
    lines.append(f"{result} += sum(v * k for k, v in enumerate({one} + {other}))")
    if not written(scope, lines, "stacks"):
        return False
    scope.names[result] = 3
    return True


def _filling(rng: Random) -> list[str]:
    """More goes on a list in a turn than is left at its end: room is wanted for the longest."""
    pushes = rng.randint(1, 4)
    lines = [f"{{l}}.append({{i}} * {rng.randint(1, 3)})" for _ in range(pushes)]
    for _ in range(rng.randint(0, pushes)):
        pop = rng.choice(("{v} -= {l}.pop()", "{m}.append({l}.pop())", "{v} += {l}.pop(0)"))
        lines.insert(rng.randint(len(lines) // 2 + 1, len(lines)), pop)
    return lines


def _swapping(rng: Random) -> list[str]:
    """Lists that change places where data says so, and then get longer."""
    return [
        "if {c}:",
        "    {l}, {m} = {m}, {l}",
        "{l}.append({i})",
        *rng.choice(((), _filling(rng))),
    ]


def _one_of_many(rng: Random) -> list[str]:
    lines = rng.choice(STACKS)
    if rng.random() < 0.3 and lines[0][-1] != ":":
        return ["if {c}:", *[f"    {line}" for line in lines]]
    return lines


@statement(8)
def filled_by_a_loop(scope: Scope) -> bool:
    """A container of ints that a loop fills, and what is read of it."""
    if scope.loops:
        return False
    rng = scope.rng
    kind = rng.choice(("list", "list", "dict", "set", "heap"))
    empty, fillings, uses = KINDS[kind]
    name, i, result = scope.fresh_name(kind), scope.fresh_name("i"), scope.fresh_name("v")
    trips = rng.choice(
        (f"{ex.integer(scope, 1).text} % 7", "5", f"{ex.integer(scope, 1).text} % 3")
    )
    condition = rng.choice(
        (f"{i} % 2", f"{i} > 2", f"({i} + {ex.integer(scope, 1).text}) % 3 == 0")
    )
    lines = [f"{name} = {empty}", f"for {i} in range({trips}):"]
    lines += ["    " + li.format(i=i, l=name, c=condition) for li in rng.choice(fillings)]
    parts = [rng.choice(uses)[0].format(l=name) for _ in range(rng.randint(1, 2))]
    lines.append(f"{result} = {' + '.join(parts)}")
    if any(":=" in line for line in lines) or not written(scope, lines, f"growing-{kind}"):
        return False
    scope.names[result] = 3
    return True


@statement(4)
def filtered_list(scope: Scope) -> bool:
    """Numbers of an array that are collected, sorted, searched and made an array again."""
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and v.dtype == float)
    if x is None or scope.loops:
        return False
    rng, name, total = scope.rng, scope.fresh_name("found"), scope.fresh_name("v")
    v, bound = scope.fresh_name("e"), rng.choice(("0", "1", f"{ex.real(scope, 1).text}"))
    made = rng.choice(
        (
            [f"{name} = [{v} for {v} in {x.text} if {v} > {bound}]"],
            [f"{name} = [{v} * 2 for {v} in {x.text}.tolist() if {v} < {bound}]"],
            [f"{name} = []", f"for {v} in {x.text}:", f"    if {v} > {bound}:"]
            + [f"        {name}.append({v} + 1)"],
            [f"{name} = sorted([{v} for {v} in {x.text}.tolist() if {v} < {bound}])"],
        )
    )
    use = rng.choice(
        ("float(sum({0}))", "len({0}) * 1.0", "(float(max({0})) if {0} else 2.5)")
        + ("float(np.array({0}).sum())", "(float({0}[-1]) if {0} else 0.5)")
        + ("float(sum(sorted({0}, key=lambda t: -t)[:2]))", "float(np.sum(np.array({0}) * 2))")
    ).format(name)
    return added(scope, [*made, f"{total} = {use}"], total, "growing-list", "comprehension")


@statement(3)
def ragged(scope: Scope) -> bool:
    """A list of lists that grow by themselves."""
    if scope.loops:
        return False
    rng, name = scope.rng, scope.fresh_name("rows")
    i, result = scope.fresh_name("i"), scope.fresh_name("v")
    trips = rng.choice((f"{ex.integer(scope, 1).text} % 7", "6"))
    key = rng.choice((f"{i} % 3", f"{i} * {i} % 3", f"({i} + {ex.integer(scope, 1).text}) % 3"))
    lines = [f"{name} = [[] for _ in range(3)]", f"for {i} in range({trips}):"]
    lines.append(f"    {name}[{key}].append({rng.choice((i, f'{i} * 2 - 1'))})")
    use = rng.choice(
        ("sum(len(row) for row in {0})", "sum(sum(row) for row in {0})", "len({0}[1])")
        + ("max(len(row) for row in {0})", "sum({0}[0])", "sum(v for row in {0} for v in row)")
    )
    lines.append(f"{result} = {use.format(name)}")
    if any(":=" in line for line in lines) or not written(scope, lines, "growing-list", "ragged"):
        return False
    scope.names[result] = 3
    return True


@statement(4)
def text_by_path(scope: Scope) -> bool:
    """A name that is one of several texts, or None, by the path taken."""
    rng, name, result = scope.rng, scope.fresh_name("word"), scope.fresh_name("v")
    first, second = rng.sample(('"left"', '"up"', '"down"', '"other"'), 2)
    i = ex.integer(scope, 1).text
    optional = scope.chance(0.3)
    lines = [f"{name} = {None if optional else first}"]
    lines += [f"if {ex.boolean(scope, 1).text}:", f"    {name} = {second}"]
    uses = [f"{result} = 5 if {name} is None else {i}"]
    if not optional:
        uses += [
            f"{result} = {i} if {name} == {second} else 2",
            f'{result} = 3 if {name} in ({first}, "up") else {i}',
            f"{result} = 4 if {name} != {first} and {name} is not None else 0",
        ]
    use = rng.choice(uses)
    if any(":=" in line for line in [*lines, use]):
        return False
    if not written(scope, [*lines, use], "text-by-path", "if"):
        return False
    scope.names[result] = 3
    return True


@statement(10)
def number_of_loops(scope: Scope) -> bool:
    """A sum that begins as an int and is a NumPy number if the loop runs; what is done to it."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None or scope.loops:
        return False
    rng, name, i = scope.rng, scope.fresh_name("u"), scope.fresh_name("i")
    n, result = x.value.size, scope.fresh_name("v")
    start = rng.choice(("0", "0.0", "1", "2.5", f"np.float64({ex.real(scope, 1).text})"))
    lines = [f"{name} = {start}"]
    if scope.chance(0.6):
        lines.append(f"for {i} in range({ex.integer(scope, 1).text} % {n + 1}):")
        step = rng.choice((f"{x.text}[{i}]", f"float({x.text}[{i}])", f"{x.text}[{i}] * {i}"))
        lines.append(f"    {name} {rng.choice(('+=', '-=', '='))} {step}")
    else:
        lines.append(f"if {ex.boolean(scope, 1).text}:")
        lines.append(f"    {name} = {x.text}[{items.index(scope, n)}]")
    forms = (
        "{0}",
        "{0} * 2",
        "{0} + 1.5",
        "{0} / 2",
        "-{0}",
        "abs({0})",
        "{0} ** 2",
        "max({0}, 1)",
    )
    forms += ("{0}.real", "{0}.conjugate()", "{0} > 1", "isinstance({0}, float)", "[{0}, 1.0]")
    forms += ("{0} + np.float32(1)", "{0} // 2", "float({0})", "({0}, -{0})", "{0} * {x}[0]")
    forms += ("type({0}) is float", "np.sqrt(abs({0}))", "{0} == 0", "round({0} * 0.5)")
    lines.append(f"{result} = {rng.choice(forms).format(name, x=x.text)}")
    if any(":=" in line for line in lines) or not written(scope, lines, "several-kinds"):
        return False
    namespace = {**scope.namespace, **scope.names}
    exec("\n".join(lines), namespace)
    scope.names[result] = namespace[result]
    scope.fixed.add(result)
    return True


@statement(3)
def generated(scope: Scope) -> bool:
    """A generator expression, or an iterator of `itertools`, read by a function."""
    rng, total = scope.rng, scope.fresh_name("v")
    n, f = f"{ex.integer(scope, 1).text} % 5", ex.real(scope, 1).text
    text = rng.choice(
        (
            f"float(sum(t * {f} for t in range({n})))",
            f"float(sum(a * b for a, b in zip(range({n}), range(3, 9))))",
            f"float(max((t % 3 for t in range({n})), default=4))",
            f"float(any(t > {f} for t in range({n})))",
            f"float(sum(t for t in range({n}) if t % 2))",
            f"float(sum(i * t for i, t in enumerate([{f}, 1.0, 2.0])))",
        )
    )
    return added(scope, [f"{total} = {text}"], total, "generator")
