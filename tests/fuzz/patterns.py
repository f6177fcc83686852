"""Statements that meet what joins, loops and slices are compiled by: idioms of several lines."""

from __future__ import annotations

import copy
from collections.abc import Callable

from tests.fuzz import expressions as ex
from tests.fuzz import items
from tests.fuzz.scope import Scope
from tests.fuzz.statements import SIMPLE, Statement, bind, keeps, runs
from tests.fuzz.values import Expr, is_array, kind


def statement(weight: int) -> Callable[[Statement], Statement]:
    """Add the decorated function to the simple statements."""

    def add(function: Statement) -> Statement:
        SIMPLE[function] = weight
        return function

    return add


def written(scope: Scope, lines: list[str], *features: str) -> bool:
    """Write lines that run."""
    if not runs(scope, "\n".join(lines)):
        return False
    for line in lines:
        scope.emit(line)
    scope.feature(*features)
    return True


def closed(scope: Scope, lines: list[str], result: str, wanted: type, *features: str) -> bool:
    """Write lines with nested functions if they run in a function, and make a number of a type."""
    if any(":=" in line for line in lines):
        return False
    maker = [f"def make({', '.join(scope.names)}):", *["    " + line for line in lines]]
    namespace = dict(scope.namespace)
    try:
        exec("\n".join([*maker, f"    return {result}"]), namespace)
        if type(namespace["make"](**copy.deepcopy(scope.names))) is not wanted:
            return False
    except Exception:  # noqa: BLE001 - CPython refuses it
        return False
    for line in lines:
        scope.emit(line)
    scope.feature(*features)
    return True


@statement(12)
def perhaps_rebound(scope: Scope) -> bool:
    """A name that is another array on some paths, which meet at several places, written to."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None or x.text in scope.fixed or x.text in scope.held or scope.loops:
        return False
    fresh = ("np.sort({0})", "{0}.copy()", "{0} + 1", "{0}[::-1].copy()", "np.roll({0}, 1)")
    other = scope.pick(lambda v: is_array(v) and kind(v) == kind(x.value))
    lines = [f"if {ex.boolean(scope, 1).text}:"]
    if scope.chance(0.6):
        lines.append(f"    if {ex.boolean(scope, 1).text}:")
    inside = "    " * len(lines)
    new = other.text if other and scope.chance(0.3) else scope.rng.choice(fresh).format(x.text)
    lines.append(f"{inside}{x.text} = {new}")
    if scope.chance(0.4):
        lines.append(f"{inside}{x.text}[{items.index(scope, x.value.size)}] = 3")
    where, op = items.index(scope, x.value.size), scope.rng.choice(("=", "+=", "="))
    lines.append(f"{x.text}[{where}] {op} {scope.rng.randint(1, 9)}")
    if not keeps(scope, "\n".join(lines), x.text):
        return False
    return written(scope, lines, "maybe-alias", "if", "item-assignment")


@statement(8)
def twins(scope: Scope) -> bool:
    """Two names that may be one array, both written to."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None or scope.nesting:
        return False
    a, b, n = scope.fresh_name("a"), scope.fresh_name("b"), x.value.size
    lines = [f"{a}, {b} = {x.text}.copy(), {scope.rng.choice(('{0} + 1', '{0}')).format(x.text)}"]
    if scope.chance(0.3):
        lines += [f"for _ in range({ex.integer(scope, 1).text} % 4):", f"    {a}, {b} = {b}, {a}"]
        lines += [f"    {a}[{scope.rng.randrange(n)}] += 1"] if scope.chance(0.5) else []
    for _ in range(scope.rng.randint(1, 2)):
        target, source = scope.rng.choice(((a, b), (b, a), (a, x.text)))
        lines += [f"if {ex.boolean(scope, 1).text}:", f"    {target} = {source}"]
    for name in scope.rng.sample((a, b, a), 2):
        lines.append(f"{name}[{items.index(scope, n)}] {scope.rng.choice(('=', '+='))} 3")
    if any(":=" in line for line in lines) or not written(scope, lines, "maybe-alias", "swap"):
        return False
    scope.names[a] = scope.names[b] = x.value.copy()
    scope.held.update((a, b))
    scope.values.update((a, b))
    return True


@statement(5)
def number_of_several_kinds(scope: Scope) -> bool:
    """A name that is a Python or a NumPy number, of one dtype or another, by the path taken."""
    name, result = scope.fresh_name("u"), scope.fresh_name("v")
    f, x = ex.real(scope, 1).text, scope.pick(ex.nonempty)
    kinds = [f"np.float64({f})", f"np.mean(np.array([{f}, 1.0]))"]
    if x is not None and x.value.dtype == float:
        kinds.append(f"{x.text}[{', '.join('0' for _ in x.value.shape) or '()'}]")
    pair = [f, scope.rng.choice(kinds)]
    scope.rng.shuffle(pair)
    use = scope.rng.choice(("{0} + 1", "{0} * 2", "-{0}", "max({0}, 1.0)", "{0}"))
    if scope.chance(0.5):
        number = scope.rng.choice(("np.float32({0})", "np.float16({0})", "np.int8(int({0}) % 9)"))
        pair = [scope.rng.choice((f, "2", "3.25")), number.format(f)]
        use = f"float({scope.rng.choice(('{0} / 3', '{0} * 50', '{0} % 1.75', '{0} - 0.1'))})"
    lines = [f"{name} = {pair[0]}", f"if {ex.boolean(scope, 1).text}:", f"    {name} = {pair[1]}"]
    lines.append(f"{result} = {use.format(name)}")
    if not written(scope, lines, "several-kinds", "if"):
        return False
    scope.names[result] = 1.5
    scope.fixed.add(result)
    return True


@statement(5)
def update_elements(scope: Scope) -> bool:
    """A loop that updates one element, reads others, and may unroll."""
    x = scope.pick_cell(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 1)
    if x is None or scope.loops:
        return False
    i, n = scope.fresh_name("i"), x.value.size
    a, b = items.index(scope, n), items.index(scope, n)
    trips = scope.rng.choice((f"{n}", f"{ex.integer(scope, 1).text} % {n + 1}", "7"))
    state = scope.fresh_name("s")
    lines = [f"{state} = 0", f"for {i} in range({trips}):"]
    update = scope.rng.choice(
        (
            f"{x.text}[{a}] += {x.text}[{i} % {n}]",
            f"{x.text}[{a}] = {x.text}[{b}] - {x.text}[{a}]",
            f"{x.text}[{i} % {n}] += {x.text}[{a}]",
            f"{x.text}[{a}] -= {i}",
        )
    )
    lines.append(f"    {update}")
    if scope.chance(0.6):
        lines.append(f"    {state} = ({state} * 3 + {i}) % 11")
        test = scope.rng.choice((f"{state} == 7", f"{state} > 8", f"{x.text}[{a}] > 6"))
        lines += [f"    if {test}:", "        break"] if scope.chance(0.6) else []
    if not written(scope, lines, "for-range", "item-assignment", "augmented"):
        return False
    scope.names[state] = 1
    return True


@statement(6)
def chain(scope: Scope) -> bool:
    """A short loop over Python numbers that depend on each other."""
    a, b, i = scope.fresh_name("p"), scope.fresh_name("q"), scope.fresh_name("i")
    first, second = ex.integer(scope, 1).text, ex.integer(scope, 1).text
    lines = [f"{a}, {b} = {first} % 9, {second} % 7"]
    if scope.chance(0.5):
        lines.append(f"for {i} in range({ex.integer(scope, 1).text} % 9):")
        step = scope.rng.choice(("({0} * 2 + {1} + {2}) % 13", "{0} + {1} - {2}", "{0} - {2}"))
        lines.append(f"    {a}, {b} = {b}, {step.format(a, b, i)}")
    else:
        lines.append(f"while {b} > {scope.rng.randint(0, 2)}:")
        step = scope.rng.choice(("{0} % {1}", "{0} - {1} - 1", "{1} - 1 - abs({0}) % 2"))
        lines.append(f"    {a}, {b} = {b}, {step.format(a, b)}")
    if not written(scope, lines, "for-range" if "for" in lines[1] else "while", "swap"):
        return False
    scope.names[a] = scope.names[b] = 1
    return True


@statement(6)
def read_slice(scope: Scope) -> bool:
    """A slice with run-time bounds on either side, of any sign."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None:
        return False
    i, j = ex.integer(scope, 1).text, ex.integer(scope, 1).text
    n = x.value.size
    low, high = f"{i} % {2 * n + 5} - {n + 3}", f"{j} % {2 * n + 5} - {n + 3}"
    form = scope.rng.choice(
        ("{x}[{a}:]", "{x}[:{b}]", "{x}[{a}:{b}]", "{x}[{a}:{b}:-1]", "{x}[{b}::-1]", "{x}[{a}::2]")
    ).format(x=x.text, a=low, b=high)
    use = scope.rng.choice(
        ("float({}.sum())", "float(np.prod({} + 0.5))", "len({})", "float(np.sum({} * 2))")
    )
    found = scope.make(use.format(form))
    if found is None or ":=" in form:
        return False
    scope.feature("dynamic-slice")
    bind(scope, scope.fresh_name("v"), found)
    return True


@statement(4)
def write_slice(scope: Scope) -> bool:
    """The same, written to; what is outside of the array is nowhere."""
    x = scope.pick_cell(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None:
        return False
    n = x.value.size
    low = f"{ex.integer(scope, 1).text} % {2 * n + 3} - {n + 1}"
    form = scope.rng.choice(("{x}[{a}:]", "{x}[:{a}]", "{x}[{a}:{a} + 2]", "{x}[{a}::-1]"))
    op = scope.rng.choice(("=", "+=", "*="))
    text = f"{form.format(x=x.text, a=low)} {op} {scope.rng.randint(1, 3)}"
    return ":=" not in text and written(scope, [text], "dynamic-slice", "slice-assignment")


@statement(3)
def offset_index(scope: Scope) -> bool:
    """Index arrays that are computed, some of them below zero."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 2)
    if x is None:
        return False
    form = scope.rng.choice(
        (
            "{x}[np.arange(3) - {k}]",
            "{x}[np.where({x}[:3] > 1, np.arange(3) - 2, 1)]",
            "{x}[np.arange({x}.size) - 1]",
            "np.take({x}, np.arange(2) - {k})",
        )
    )
    text = form.format(x=x.text, k=scope.rng.choice(("1", f"{ex.integer(scope, 1).text} % 3")))
    found = scope.make(text)
    if found is None or ":=" in text:
        return False
    scope.feature("fancy-index")
    bind(scope, scope.fresh_name("v"), found)
    return True


@statement(30)
def use_global(scope: Scope) -> bool:
    """A number of the module, which changes between calls."""
    if "SCALE" not in scope.namespace:
        return False
    scope.feature("global-number")
    bind(scope, scope.fresh_name("v"), Expr(f"{ex.real(scope, 1).text} * SCALE", 1.5))
    return True
