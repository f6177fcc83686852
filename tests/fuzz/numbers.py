"""Random expressions of Python's ints, floats and bools."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz import items
from tests.fuzz.scope import Scope
from tests.fuzz.values import Expr, is_array


@ex.production(ex.INTEGERS, 30)
def int_arithmetic(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.integer(scope, depth), ex.integer(scope, depth)
    op = scope.rng.choice(("+", "-", "*", "+", "-", "&", "|", "^"))
    text = f"({a.text} {op} {b.text})"
    return scope.make(f"({text} % 101)" if op == "*" else text)


@ex.production(ex.INTEGERS, 14)
def int_division(scope: Scope, depth: int) -> Expr | None:
    a = ex.integer(scope, depth)
    divisor = scope.rng.choice((2, 3, 5, 7, -3))
    op = scope.rng.choice(("//", "%"))
    if scope.chance(0.2):
        return scope.make(f"divmod({a.text}, {divisor})[{scope.rng.randint(0, 1)}]")
    if scope.chance(0.3):
        return scope.make(f"({a.text} {op} (abs({ex.integer(scope, depth).text}) + 1))")
    return scope.make(f"({a.text} {op} {divisor})")


@ex.production(ex.INTEGERS, 8)
def int_unary(scope: Scope, depth: int) -> Expr | None:
    a = ex.integer(scope, depth)
    form = scope.rng.choice(("abs({})", "(-{})", "(~{})", "({} ** 2 % 97)", "({} >> 1)"))
    return scope.make(form.format(a.text))


@ex.production(ex.INTEGERS, 6)
def int_extreme(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.integer(scope, depth), ex.integer(scope, depth)
    return scope.make(f"{scope.rng.choice(('min', 'max'))}({a.text}, {b.text})")


@ex.production(ex.INTEGERS, 6)
def int_conditional(scope: Scope, depth: int) -> Expr | None:
    scope.feature("conditional-expression")
    c, a, b = ex.boolean(scope, depth), ex.integer(scope, depth), ex.integer(scope, depth)
    return scope.make(f"({a.text} if {c.text} else {b.text})")


@ex.production(ex.INTEGERS, 8)
def int_of_array(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(is_array)
    if x is None:
        return None
    forms = ["{}.size", "{}.ndim", "len({})", "{}.shape[0]"] if x.value.ndim else ["{}.size"]
    return scope.make(scope.rng.choice(forms).format(x.text))


@ex.production(ex.INTEGERS, 8)
def int_of_item(scope: Scope, depth: int) -> Expr | None:
    item = items.array_item(scope, depth)
    if item is None or item.value.dtype.kind not in "iub":
        return None
    return scope.make(f"(int({item.text}) % 89)")


@ex.production(ex.INTEGERS, 2)
def int_count(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(lambda v: ex.real_array(v) and v.ndim == 1)
    if x is None:
        return None
    scope.feature("data-dependent-size")
    forms = (f"len({x.text}[{x.text} > 1])", f"np.flatnonzero({x.text} > 0).size")
    return scope.make(scope.rng.choice((*forms, f"int(np.count_nonzero({x.text}))")))


@ex.production(ex.INTEGERS, 8)
def int_from_container(scope: Scope, _: int) -> Expr | None:
    return items.container_item(scope, ex.is_int)


def int_walrus(scope: Scope, depth: int) -> Expr | None:
    name = scope.fresh_name("w")
    scope.feature("walrus")
    inner = ex.integer(scope, depth)
    return scope.make(f"(({name} := {inner.text} % 11) + {name} * 2)")


# Python floats ------------------------------------------------------------------------------------


@ex.production(ex.REALS, 30)
def float_arithmetic(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.real(scope, depth), ex.real(scope, depth)
    if scope.chance(0.15):
        b = ex.integer(scope, depth)
    op = scope.rng.choice("+-*+-")
    return scope.make(f"({a.text} {op} {b.text})")


@ex.production(ex.REALS, 10)
def float_division(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.real(scope, depth), ex.real(scope, depth)
    forms = ("({} / (abs({}) + 0.5))", "({} / (1.0 + {} * {}))", "({} // (abs({}) + 0.7))")
    form = scope.rng.choice((forms[0], forms[0], forms[2], "({} % (abs({}) + 1.3))"))
    return scope.make(form.format(a.text, b.text))


@ex.production(ex.REALS, 16)
def float_math(scope: Scope, depth: int) -> Expr | None:
    a = ex.real(scope, depth)
    scope.feature("math")
    forms = (
        "math.sin({})",
        "math.tanh({})",
        "math.sqrt(abs({}))",
        "math.exp(-abs({}))",
        "math.atan({})",
        "math.log1p(abs({}))",
        "math.hypot({}, 1.5)",
        "abs({})",
        "(-{})",
        "math.floor({} % 5.0) * 1.0",
        "math.copysign(1.5, max(-9.0, {}))",  # what sign a NaN has is not promised
    )
    return scope.make(scope.rng.choice(forms).format(a.text))


@ex.production(ex.REALS, 5)
def float_extreme(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.real(scope, depth), ex.real(scope, depth)
    return scope.make(f"{scope.rng.choice(('min', 'max'))}({a.text}, {b.text})")


@ex.production(ex.REALS, 6)
def float_conditional(scope: Scope, depth: int) -> Expr | None:
    scope.feature("conditional-expression")
    c, a, b = ex.boolean(scope, depth), ex.real(scope, depth), ex.real(scope, depth)
    return scope.make(f"({a.text} if {c.text} else {b.text})")


@ex.production(ex.REALS, 10)
def float_of_scalar(scope: Scope, depth: int) -> Expr | None:
    x = ex.numpy_scalar(scope, depth)
    if x is None or x.value.dtype.kind == "c":
        return None
    return scope.make(f"float({x.text})")


@ex.production(ex.REALS, 8)
def float_of_int(scope: Scope, depth: int) -> Expr | None:
    a = ex.integer(scope, depth)
    form = scope.rng.choice(("float({})", "({} / 4)", "({} * 0.5)", "({} + 0.25)"))
    return scope.make(form.format(a.text))


@ex.production(ex.REALS, 8)
def float_from_container(scope: Scope, _: int) -> Expr | None:
    return items.container_item(scope, ex.is_float)


@ex.production(ex.REALS, 14)
def float_bounded_slice(scope: Scope, _: int) -> Expr | None:
    """A reduction of a slice whose extent depends on a loop counter."""
    found = items.bounded_slice(scope, lambda v: is_array(v, "fi"))
    if found is None:
        return None
    text, _ = found
    scope.feature("bounded-slice-read")
    form = scope.rng.choice(
        ("{0}.sum()", "np.sum({0} * 2)", "({0} @ {0})", "np.max({0}, initial=0)")
    )
    return scope.make(f"float({form.format(text)})")


@ex.production(ex.REALS, 2)
def float_masked(scope: Scope, depth: int) -> Expr | None:
    x = scope.pick(lambda v: ex.float_array(v) and v.ndim > 0)
    if x is None:
        return None
    scope.feature("mask-select", "data-dependent-size")
    return scope.make(f"float({x.text}[{x.text} > {ex.real(scope, min(depth, 1)).text}].sum())")


# Booleans -----------------------------------------------------------------------------------------


@ex.production(ex.BOOLEANS, 24)
def compare_ints(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.integer(scope, depth), ex.integer(scope, depth)
    op = scope.rng.choice(("<", "<=", ">", ">=", "==", "!="))
    return scope.make(f"{a.text} % 7 {op} {b.text} % 5")


@ex.production(ex.BOOLEANS, 20)
def compare_floats(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.real(scope, depth), ex.real(scope, depth)
    shift = scope.rng.choice(("0.37", "0.11", "1.43"))
    return scope.make(f"{a.text} {scope.rng.choice('<>')} {b.text} + {shift}")


@ex.production(ex.BOOLEANS, 6)
def compare_chained(scope: Scope, depth: int) -> Expr | None:
    scope.feature("chained-comparison")
    a, b, c = ex.integer(scope, 0), ex.integer(scope, depth), ex.integer(scope, 0)
    return scope.make(f"{a.text} <= {b.text} < {c.text} + 5")


@ex.production(ex.BOOLEANS, 14)
def combine_bools(scope: Scope, depth: int) -> Expr | None:
    scope.feature("short-circuit")
    a, b = ex.boolean(scope, depth), ex.boolean(scope, depth)
    return scope.make(f"({a.text} {scope.rng.choice(('and', 'or'))} {b.text})")


@ex.production(ex.BOOLEANS, 5)
def negate_bool(scope: Scope, depth: int) -> Expr | None:
    return scope.make(f"(not {ex.boolean(scope, depth).text})")


@ex.production(ex.BOOLEANS, 8)
def guarded_item(scope: Scope, depth: int) -> Expr | None:
    """A right side that would fail if the left did not guard it."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None:
        return None
    scope.feature("short-circuit")
    i = ex.integer(scope, min(depth, 1))
    return scope.make(f"(0 <= {i.text} < {x.value.size} and bool({x.text}[{i.text}] > 0))")


@ex.production(ex.BOOLEANS, 8)
def quantified(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1)
    if x is None:
        return None
    word = scope.rng.choice(("any", "all"))
    scope.feature("any-all")
    if scope.chance(0.5):
        return scope.make(f"bool(np.{word}({x.text} > 0))")
    scope.feature("generator")
    return scope.make(f"{word}(bool(v > 0) for v in {x.text})")


@ex.production(ex.BOOLEANS, 10)
def bool_of_item(scope: Scope, depth: int) -> Expr | None:
    item = items.array_item(scope, depth)
    if item is None or item.value.dtype.kind == "c":
        return None
    return scope.make(f"bool({item.text} > 1)")


@ex.production(ex.BOOLEANS, 3)
def membership(scope: Scope, depth: int) -> Expr | None:
    return scope.make(f"{ex.integer(scope, depth).text} % 5 in (0, 3, 4)")
