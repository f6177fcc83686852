"""Statements about functions that change what they are given or capture, that call themselves, and
about numbers of different dtypes that meet."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz import items
from tests.fuzz.packed import added
from tests.fuzz.patterns import closed, statement, written
from tests.fuzz.scope import Scope
from tests.fuzz.values import DTYPES, array_text, is_array, random_array

# Arithmetic of an array {a}, an array or a scalar {b} of another dtype, and a Python number {k}.
MEETINGS = """
{a} + {b}|{a} * {b}|{a} - {b}|{a} + {k}|{k} * {a}|{a} - {k}|{a} / {b}|{a} * {k} + {b}|{a}[0] + {b}
{a}[0] * {k}|{a}.sum() + {k}|{a}.mean() * {b}|np.maximum({a}, {k})|np.where({a} > {k}, {a}, {b})
np.where({a} > 1, {a}, {k})|np.add({a}, {b})|np.minimum({b}, {a})|{a} ** 2 + {k}|{a} // ({k} + 3)
np.concatenate(({a}, np.atleast_1d({b})))|np.stack(({a}, {a} + {k}))|{a} > {b}|{a} == {k}
np.clip({a}, 0, {k} + 3)|{a} % ({k} + 3)|np.dot({a}, {a}) + {b}|{a}.cumsum() + {k}|-{a} + {b}
np.sqrt(abs({a}) + {k})|abs({a}) + {b}|{a}.max() - {k}|np.float32({k}) * {a}|{a} & 3|{a} << 1|~{a}
np.prod({a}) * {k}|np.full(2, {k}, {a}.dtype) + {b}|np.array([{k}, 2]) + {a}[0]|{a} ^ 1
np.linspace(0, {k} + 1, 3) * {a}[0]|np.arange({a}.size) + {a}
np.arange({a}.size, dtype=np.int8) * {a}
"""


MEETING = [t for line in MEETINGS.strip().split("\n") for t in line.split("|")]


@statement(18)
def dtypes_meet(scope: Scope) -> bool:
    """Arrays and scalars of two dtypes, and a Python number: NEP 50."""
    rng = scope.rng
    first, second = rng.sample(list(DTYPES), 2)
    a, b, result = [scope.fresh_name(stem) for stem in ("a", "b", "v")]
    value = random_array(rng, first, (rng.choice((2, 3, 4)),))
    other = random_array(rng, second, rng.choice(((), (1,), value.shape)))
    text = array_text(other)
    if not other.ndim and scope.chance(0.7):
        text = f"np.{second}({other.item()!r})"
    lines = [f"{a} = {array_text(value)}", f"{b} = {text}"]
    k = rng.choice(("2", "3", "0.5", "True", "1", ex.real(scope, 1).text))
    if k.isdigit() and scope.chance(0.4):
        k = f"({ex.integer(scope, 1).text} % 5)"
    for _ in range(6):
        line = f"{result} = {rng.choice(MEETING).format(a=a, b=b, k=k)}"
        names = {**scope.namespace, **scope.names}
        try:
            exec("\n".join([*lines, line]), names)
        except Exception:  # noqa: BLE001, S112 - these dtypes do not meet in this way
            continue
        if ":=" in line or not written(scope, [*lines, line], "nep50"):
            continue
        for name in (a, b, result):
            scope.names[name] = names[name]
        for made in (value, other):
            ex.note_array(scope, made)
        return True
    return False


@statement(12)
def closure_changes(scope: Scope) -> bool:
    """A nested function that changes what it captures, called a few times."""
    if scope.nesting:
        return False
    rng = scope.rng
    x = scope.pick_cell(lambda v: is_array(v, "f") and v.ndim == 1 and v.size > 0)
    f, state, result, i = [scope.fresh_name(stem) for stem in ("f", "s", "v", "i")]
    body = [f"    nonlocal {state}", f"    {state} = {state} * 0.5 + t"]
    if x is not None:
        change = rng.choice(("{0}[0] += t", "{0}[:] *= 0.5", "{0}[{1}] = t", "{0}[1:] -= t"))
        body.append("    " + change.format(x.text, items.index(scope, x.value.size)))
    if scope.chance(0.4):
        body += [f"    if {ex.boolean(scope, 1).text}:", "        return -1.0"]
    lines = [f"{state} = {ex.real(scope, 1).text}", f"def {f}(t):", *body]
    lines += [f"    return {state} + {ex.real(scope, 1).text}"]
    call = f"{f}({ex.real(scope, 1).text})"
    lines += rng.choice(
        (
            [f"{result} = {call}"],
            [f"{result} = twice({f}, 0.5)"],
            [f"{result} = 0.0", f"for {i} in range({ex.integer(scope, 1).text} % 4):"]
            + [f"    {result} += {f}({i} * 0.5)"],
            [f"{result} = {call} + {f}(1.0)"],
        )
    )
    if not closed(scope, lines, result, float, "closure", "closure-mutation", "nonlocal"):
        return False
    scope.names[result] = scope.names[state] = 1.5
    scope.fixed.add(state)
    scope.held.update(scope.names)
    return True


@statement(12)
def callee_changes(scope: Scope) -> bool:
    """Calls of functions that write to the arrays they are given, or to views of them."""
    x = scope.pick_cell(lambda v: is_array(v, "f") and v.ndim in (1, 2) and min(v.shape) > 1)
    if x is None:
        return False
    rng, total = scope.rng, scope.fresh_name("v")
    given = rng.choice((x.text, f"{x.text}[1:]", f"{x.text}[::-1]", f"{x.text}[:2]", f"{x.text}.T"))
    k = ex.real(scope, 1).text
    call = rng.choice((f"mutator_nudged({given}, {k})", f"mutator_swapped({given}, {x.text}, {k})"))
    return added(scope, [f"{total} = {call} * 0.5"], total, "callee-mutation")


@statement(5)
def recursive(scope: Scope) -> bool:
    """Functions that call themselves, to a depth that shapes or constants decide."""
    rng, total = scope.rng, scope.fresh_name("v")
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and v.size > 1)
    f = ex.real(scope, 1).text
    calls = [f"power({f}, {rng.randint(1, 5)})", f"folded({f}, {rng.randint(1, 4)})"]
    if x is not None:
        calls += [f"halved({x.text})", f"halved({x.text} * {f})"] * 2
    return added(scope, [f"{total} = float({rng.choice(calls)})"], total, "recursion")
