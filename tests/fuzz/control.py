"""Random compound statements: branches, loops with bounded trips, and every way out of them."""

from __future__ import annotations

import numpy as np

from tests.fuzz import expressions as ex
from tests.fuzz.scope import Scope
from tests.fuzz.statements import SIMPLE, Statement, value_for
from tests.fuzz.values import draw, is_array


def body(scope: Scope, most: int = 4, loop: bool = False) -> None:
    """A nested block of a few statements."""
    with scope.block(loop):
        block(scope, scope.rng.randint(1, most))
        if loop and scope.chance(0.35):
            leave(scope)


def block(scope: Scope, count: int) -> None:
    for _ in range(count):
        if scope.budget <= 0:
            return
        table = SIMPLE if scope.nesting >= 3 or scope.chance(0.66) else COMPOUND
        for _ in range(8):
            scope.budget -= 1
            if draw(scope.rng, table, scope.avoid)(scope):
                break


# Ways out ---------------------------------------------------------------------------------------


def returned(scope: Scope) -> str:
    """A value for `return`, of the kinds that all returns of this function give."""
    assert scope.slots is not None
    return ", ".join(slot_text(scope, slot) for slot in scope.slots)


def slot_text(scope: Scope, slot: tuple) -> str:
    if slot == ("int",):
        return ex.integer(scope, 2).text
    if slot == ("float",):
        return ex.real(scope, 2).text
    _, dtype, shape = slot
    found = scope.pick(lambda v: is_array(v) and v.dtype.name == dtype and v.shape == shape)
    return found.text if found else f"np.full({shape}, {scope.rng.randint(0, 3)}, np.{dtype})"


def leave(scope: Scope) -> None:
    """An exit from the innermost loop, or from everything, under a condition."""
    exits = ["break", "continue", "break", "continue"]
    if scope.slots is not None:
        exits += ["return"] * 4
    chosen = scope.rng.choice(exits)
    condition = ex.boolean(scope, 2).text
    text = f"return {returned(scope)}" if chosen == "return" else chosen
    scope.feature("return-in-loop" if chosen == "return" else chosen)
    scope.emit(f"if {condition}:")
    scope.emit(f"    {text}")


def leave_loop(scope: Scope) -> bool:
    if not scope.loops:
        return False
    leave(scope)
    return True


def early_return(scope: Scope) -> bool:
    if scope.slots is None:
        return False
    scope.emit(f"if {ex.boolean(scope, 2).text}:")
    scope.emit(f"    return {returned(scope)}")
    scope.feature("early-return")
    return True


def raise_rarely(scope: Scope) -> bool:
    value = ex.integer(scope, 2).text
    error = scope.rng.choice(("ValueError", "RuntimeError", "ArithmeticError", "TypeError"))
    message = scope.rng.choice(('"stop"', f'f"value {{{value}}}"', f'"at", {value}'))
    if '"' in value or "'" in value or ":=" in value:
        message = '"stop"'
    scope.emit(f"if {value} % 13 == {scope.rng.randint(0, 12)}:")
    scope.emit(f"    raise {error}({message})")
    scope.feature("raise")
    return True


def assert_mostly(scope: Scope) -> bool:
    value = ex.integer(scope, 2).text
    scope.emit(f'assert {value} % 11 != {scope.rng.randint(0, 10)}, "unlucky"')
    scope.feature("assert")
    return True


# Branches ---------------------------------------------------------------------------------------


def branch(scope: Scope) -> bool:
    scope.feature("if")
    scope.emit(f"if {ex.boolean(scope, 2).text}:")
    body(scope)
    roll = scope.rng.random()
    if roll < 0.25:
        scope.feature("elif")
        scope.emit(f"elif {ex.boolean(scope, 2).text}:")
        body(scope)
    if roll < 0.6:
        scope.feature("else")
        scope.emit("else:")
        body(scope)
    return True


def branch_defines(scope: Scope) -> bool:
    """Both branches define a new name."""
    name = scope.fresh_name("v")
    make = scope.rng.choice((ex.integer, ex.real))
    a, b = make(scope, 2), make(scope, 2)
    if scope.chance(0.4):
        x = scope.pick(lambda v: is_array(v, "f"))
        if x is not None:
            a = scope.make(f"{x.text} * 2") or a
            b = scope.make(f"np.tanh({x.text})") or b
    if type(a.value) is not type(b.value) or (is_array(a.value) and a.value.dtype != b.value.dtype):
        return False
    scope.emit(f"if {ex.boolean(scope, 2).text}:")
    scope.emit(f"    {name} = {a.text}")
    scope.emit("else:")
    scope.emit(f"    {name} = {b.text}")
    scope.names[name] = a.value
    scope.values.add(name)
    scope.feature("if", "else")
    return True


def match_static(scope: Scope) -> bool:
    mode = scope.pick(lambda v: isinstance(v, str))
    if mode is None:
        return False
    scope.feature("match", "static-string")
    scope.emit(f"match {mode.text}:")
    with scope.block():
        for case in ('"left"', '"right" | "up"', "_"):
            scope.emit(f"case {case}:")
            body(scope, 2)
    return True


def condition_on_array(scope: Scope) -> bool:
    x = scope.pick(lambda v: is_array(v, "fi") and v.size == 1)
    if x is None:
        return False
    scope.feature("array-condition", "if")
    scope.emit(f"if {x.text} > 1:")
    body(scope)
    return True


# Loops ------------------------------------------------------------------------------------------


def trips(scope: Scope) -> tuple[str, int | None]:
    """The arguments of a `range`, and an exclusive bound of a counter that starts at 0."""
    roll = scope.rng.random()
    if roll < 0.3:
        n = scope.rng.randint(0, 4)
        if n == 0:
            scope.feature("zero-trip")
        return str(n), max(n, 1)
    if roll < 0.5:
        x = scope.pick(lambda v: is_array(v) and v.ndim > 0 and v.shape[0] < 6)
        if x is not None:
            n = x.value.shape[0]
            if n == 0:
                scope.feature("zero-trip")
            return scope.rng.choice((f"len({x.text})", f"{x.text}.shape[0]")), max(n, 1)
    if roll < 0.8:
        scope.feature("dynamic-trip")
        n = scope.rng.randint(2, 5)
        return f"{ex.integer(scope, 1).text} % {n}", n
    scope.feature("range-step")
    start, stop = scope.rng.randint(-2, 5), scope.rng.randint(-2, 5)
    step = scope.rng.choice((2, -1, -2, 3))
    if scope.chance(0.4):
        return f"{ex.integer(scope, 1).text} % 5, {stop}, {step}", None
    return f"{start}, {stop}, {step}", None


def for_range(scope: Scope) -> bool:
    name = scope.fresh_name("i")
    arguments, bound = trips(scope)
    scope.feature("for-range", *(["nested-loop"] if scope.loops else []))
    iterable = f"range({arguments})"
    if bound is not None and scope.chance(0.12):
        scope.feature("reversed")
        iterable = f"reversed({iterable})"
    scope.emit(f"for {name} in {iterable}:")
    loop_body(scope, {name: 1}, name if bound is not None else None, bound)
    return True


def loop_body(scope: Scope, names: dict, counter: str | None, bound: int | None) -> None:
    """The body, an exit, and perhaps an `else`."""
    with scope.block(loop=True):
        scope.names.update(names)
        scope.fixed.update(names)
        if counter is not None and bound is not None:
            scope.bounds[counter] = bound
        block(scope, scope.rng.randint(1, 4))
        if scope.chance(0.4):
            leave(scope)
            block(scope, scope.rng.randint(0, 2))
    if scope.chance(0.15):
        scope.feature("loop-else")
        scope.emit("else:")
        body(scope, 2)


def for_array(scope: Scope) -> bool:
    x = scope.pick(lambda v: is_array(v) and v.ndim > 0 and v.shape[0] < 6)
    if x is None:
        return False
    name = scope.fresh_name("e")
    element = x.value[0] if x.value.shape[0] else np.zeros(x.value.shape, x.value.dtype).sum(0)[...]
    element = element if x.value.ndim > 1 else x.value.dtype.type(1)
    scope.feature("for-array")
    if x.text in scope.values:
        scope.values.add(name)
    if scope.chance(0.4):
        counter = scope.fresh_name("i")
        scope.feature("enumerate")
        scope.emit(f"for {counter}, {name} in enumerate({x.text}):")
        loop_body(scope, {counter: 1, name: element}, counter, max(1, x.value.shape[0]))
    else:
        scope.emit(f"for {name} in {x.text}:")
        loop_body(scope, {name: element}, None, None)
    return True


def for_sequence(scope: Scope) -> bool:
    """Over a display, a list of the program's, or two things zipped."""
    name = scope.fresh_name("e")
    scope.feature("for-sequence")
    items = scope.pick(
        lambda v: isinstance(v, list) and bool(v) and all(type(x) is float for x in v)
    )
    if items is not None and scope.chance(0.4):
        scope.emit(f"for {name} in {items.text}:")
    elif scope.chance(0.5):
        other = scope.fresh_name("e")
        scope.feature("zip")
        scope.emit(f"for {name}, {other} in zip((1.0, {ex.real(scope, 1).text}), (2, 5)):")
        loop_body(scope, {name: 1.0, other: 1}, None, None)
        return True
    else:
        scope.emit(f"for {name} in (0.5, {ex.real(scope, 1).text}, 2.0):")
    loop_body(scope, {name: 1.5}, None, None)
    return True


def while_counter(scope: Scope) -> bool:
    """A `while` on a protected counter and another condition."""
    name = scope.fresh_name("k")
    start = scope.rng.choice(("3", "4", "0", f"{ex.integer(scope, 1).text} % 5"))
    scope.emit(f"{name} = {start}")
    condition = f"{name} > 0"
    if scope.chance(0.5):
        condition += f" and {ex.boolean(scope, 2).text}"
    scope.feature("while", *(["nested-loop"] if scope.loops else []))
    scope.emit(f"while {condition}:")
    scope.names[name] = 1
    scope.fixed.add(name)
    with scope.block(loop=True):
        scope.emit(f"{name} -= 1")
        scope.bounds[name] = 5
        block(scope, scope.rng.randint(1, 4))
        if scope.chance(0.4):
            leave(scope)
    if scope.chance(0.12):
        scope.feature("loop-else")
        scope.emit("else:")
        body(scope, 2)
    return True


def while_true(scope: Scope) -> bool:
    name = scope.fresh_name("k")
    scope.emit(f"{name} = 0")
    scope.feature("while", "break")
    scope.names[name] = 1
    scope.fixed.add(name)
    scope.emit("while True:")
    with scope.block(loop=True):
        scope.emit(f"{name} += 1")
        scope.emit(f"if {name} > {scope.rng.randint(1, 4)} or {ex.boolean(scope, 1).text}:")
        scope.emit("    break")
        block(scope, scope.rng.randint(1, 3))
    return True


def while_float(scope: Scope) -> bool:
    """A `while` on a float that shrinks by construction."""
    name = scope.fresh_name("r")
    scope.emit(f"{name} = math.tanh({ex.real(scope, 1).text}) + 1.5")
    scope.feature("while", "while-float")
    scope.names[name] = 1.5
    scope.fixed.add(name)
    scope.emit(f"while {name} > {scope.rng.choice(('0.37', '0.83', '3.1'))}:")
    with scope.block(loop=True):
        scope.emit(f"{name} *= {scope.rng.choice(('0.5', '0.71'))}")
        block(scope, scope.rng.randint(1, 3))
    return True


def triangular(scope: Scope) -> bool:
    """The nest of a factorization: slices that grow with the outer counter."""
    x = scope.pick_cell(lambda v: is_array(v, "f") and v.ndim == 2 and v.shape[0] == v.shape[1])
    if x is None or scope.loops:
        return False
    i, j = scope.fresh_name("i"), scope.fresh_name("j")
    scope.feature("nested-loop", "bounded-slice-read", "bounded-slice-write", "for-range")
    scope.emit(f"for {i} in range({x.text}.shape[0]):")
    scope.emit(f"    for {j} in range({i}):")
    a = x.text
    scope.emit(
        "        "
        + scope.rng.choice(
            (
                f"{a}[{i}, {j}] -= 0.25 * ({a}[{i}, :{j}] @ {a}[:{j}, {j}])",
                f"{a}[{i}, {j}] = np.sum({a}[{j}:{i}, {j}]) * 0.5",
                f"{a}[{j}, {j}:{i}] += {value_for(scope, 1)}",
            )
        )
    )
    scope.emit(f"    {a}[{i}, {i} + 1:] *= {scope.rng.choice(('0.5', '-1.0'))}")
    return True


def errstate(scope: Scope) -> bool:
    scope.feature("errstate")
    scope.emit('with np.errstate(all="ignore"):')
    body(scope)
    return True


COMPOUND: dict[Statement, int] = {
    branch: 20,
    branch_defines: 6,
    match_static: 12,
    condition_on_array: 8,
    for_range: 26,
    for_array: 9,
    for_sequence: 6,
    while_counter: 12,
    while_true: 4,
    while_float: 4,
    triangular: 4,
    early_return: 7,
    leave_loop: 8,
    raise_rarely: 5,
    assert_mostly: 3,
    errstate: 2,
}
