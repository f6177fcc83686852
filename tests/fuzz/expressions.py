"""Random expressions: productions by what they should give, as a table of functions.

A production takes the scope and a depth and returns an `Expr`, or None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.scope import Scope
from tests.fuzz.values import (
    DTYPES,
    SHAPES,
    Expr,
    array_text,
    draw,
    is_array,
    quarter,
    random_array,
    weighted,
)

Production = Callable[[Scope, int], Expr | None]


def is_int(value: Any) -> bool:
    return type(value) is int


def is_float(value: Any) -> bool:
    return type(value) is float


def is_bool(value: Any) -> bool:
    return type(value) is bool


def is_scalar(value: Any) -> bool:
    return isinstance(value, np.generic) and value.dtype.kind in "fiub"


def real_array(value: Any) -> bool:
    return is_array(value, "fiub")


def float_array(value: Any) -> bool:
    return is_array(value, "f")


def nonempty(value: Any) -> bool:
    return is_array(value) and value.size > 0


def choose(scope: Scope, table: dict[Production, int], depth: int, leaf: Production) -> Expr:
    """Try a few weighted productions; fall back on the leaf, which always works."""
    if depth > 0:
        for _ in range(6):
            found = draw(scope.rng, table, scope.avoid)(scope, depth - 1)
            if found is not None:
                return found
    found = leaf(scope, 0)
    assert found is not None
    return found


# Python ints ------------------------------------------------------------------------------------


def int_leaf(scope: Scope, _: int) -> Expr:
    found = scope.pick(is_int) if scope.chance(0.8) else None
    number = scope.rng.choice((0, 1, 2, 3, 5, 7, -1, -4, 12))
    return found or Expr(str(number), number)


def int_arithmetic(scope: Scope, depth: int) -> Expr | None:
    a, b = integer(scope, depth), integer(scope, depth)
    op = scope.rng.choice(("+", "-", "*", "+", "-", "&", "|", "^"))
    text = f"({a.text} {op} {b.text})"
    return scope.make(f"({text} % 101)" if op == "*" else text)


def int_division(scope: Scope, depth: int) -> Expr | None:
    a = integer(scope, depth)
    divisor = scope.rng.choice((2, 3, 5, 7, -3))
    op = scope.rng.choice(("//", "%"))
    if scope.chance(0.2):
        return scope.make(f"divmod({a.text}, {divisor})[{scope.rng.randint(0, 1)}]")
    if scope.chance(0.3):
        return scope.make(f"({a.text} {op} (abs({integer(scope, depth).text}) + 1))")
    return scope.make(f"({a.text} {op} {divisor})")


def int_unary(scope: Scope, depth: int) -> Expr | None:
    a = integer(scope, depth)
    form = scope.rng.choice(("abs({})", "(-{})", "(~{})", "({} ** 2 % 97)", "({} >> 1)"))
    return scope.make(form.format(a.text))


def int_extreme(scope: Scope, depth: int) -> Expr | None:
    a, b = integer(scope, depth), integer(scope, depth)
    return scope.make(f"{scope.rng.choice(('min', 'max'))}({a.text}, {b.text})")


def int_conditional(scope: Scope, depth: int) -> Expr | None:
    scope.feature("conditional-expression")
    c, a, b = boolean(scope, depth), integer(scope, depth), integer(scope, depth)
    return scope.make(f"({a.text} if {c.text} else {b.text})")


def int_of_array(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(is_array)
    if x is None:
        return None
    forms = ["{}.size", "{}.ndim", "len({})", "{}.shape[0]"] if x.value.ndim else ["{}.size"]
    return scope.make(scope.rng.choice(forms).format(x.text))


def int_of_item(scope: Scope, depth: int) -> Expr | None:
    item = array_item(scope, depth)
    if item is None or item.value.dtype.kind not in "iub":
        return None
    return scope.make(f"(int({item.text}) % 89)")


def int_count(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(lambda v: real_array(v) and v.ndim == 1)
    if x is None:
        return None
    scope.feature("data-dependent-size")
    forms = (f"len({x.text}[{x.text} > 1])", f"np.flatnonzero({x.text} > 0).size")
    return scope.make(scope.rng.choice((*forms, f"int(np.count_nonzero({x.text}))")))


def int_from_container(scope: Scope, _: int) -> Expr | None:
    return container_item(scope, is_int)


def int_walrus(scope: Scope, depth: int) -> Expr | None:
    name = scope.fresh_name("w")
    scope.feature("walrus")
    inner = integer(scope, depth)
    return scope.make(f"(({name} := {inner.text} % 11) + {name} * 2)")


INTEGERS: dict[Production, int] = {
    int_arithmetic: 30,
    int_division: 14,
    int_unary: 8,
    int_extreme: 6,
    int_conditional: 6,
    int_of_array: 8,
    int_of_item: 8,
    int_count: 2,
    int_from_container: 8,
}


def integer(scope: Scope, depth: int) -> Expr:
    return choose(scope, INTEGERS, depth, int_leaf)


# Python floats ----------------------------------------------------------------------------------


def float_leaf(scope: Scope, _: int) -> Expr:
    found = scope.pick(is_float) if scope.chance(0.75) else None
    if found is None and scope.chance(0.04):
        scope.feature("nan-inf")
        text = scope.rng.choice(("inf", "-inf", "nan", "-0.0"))
        return Expr(text, float(text))
    number = quarter(scope.rng)
    return found or Expr(repr(number), number)


def float_arithmetic(scope: Scope, depth: int) -> Expr | None:
    a, b = real(scope, depth), real(scope, depth)
    if scope.chance(0.15):
        b = integer(scope, depth)
    op = scope.rng.choice("+-*+-")
    return scope.make(f"({a.text} {op} {b.text})")


def float_division(scope: Scope, depth: int) -> Expr | None:
    a, b = real(scope, depth), real(scope, depth)
    forms = ("({} / (abs({}) + 0.5))", "({} / (1.0 + {} * {}))", "({} // (abs({}) + 0.7))")
    form = scope.rng.choice((forms[0], forms[0], forms[2], "({} % (abs({}) + 1.3))"))
    return scope.make(form.format(a.text, b.text))


def float_math(scope: Scope, depth: int) -> Expr | None:
    a = real(scope, depth)
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
        "math.copysign(1.5, {})",
    )
    return scope.make(scope.rng.choice(forms).format(a.text))


def float_extreme(scope: Scope, depth: int) -> Expr | None:
    a, b = real(scope, depth), real(scope, depth)
    return scope.make(f"{scope.rng.choice(('min', 'max'))}({a.text}, {b.text})")


def float_conditional(scope: Scope, depth: int) -> Expr | None:
    scope.feature("conditional-expression")
    c, a, b = boolean(scope, depth), real(scope, depth), real(scope, depth)
    return scope.make(f"({a.text} if {c.text} else {b.text})")


def float_of_scalar(scope: Scope, depth: int) -> Expr | None:
    x = numpy_scalar(scope, depth)
    if x is None or x.value.dtype.kind == "c":
        return None
    return scope.make(f"float({x.text})")


def float_of_int(scope: Scope, depth: int) -> Expr | None:
    a = integer(scope, depth)
    form = scope.rng.choice(("float({})", "({} / 4)", "({} * 0.5)", "({} + 0.25)"))
    return scope.make(form.format(a.text))


def float_from_container(scope: Scope, _: int) -> Expr | None:
    return container_item(scope, is_float)


def float_bounded_slice(scope: Scope, _: int) -> Expr | None:
    """A reduction of a slice whose extent depends on a loop counter."""
    found = bounded_slice(scope, lambda v: is_array(v, "fi"))
    if found is None:
        return None
    text, _ = found
    scope.feature("bounded-slice-read")
    form = scope.rng.choice(
        ("{0}.sum()", "np.sum({0} * 2)", "({0} @ {0})", "np.max({0}, initial=0)")
    )
    return scope.make(f"float({form.format(text)})")


def float_masked(scope: Scope, depth: int) -> Expr | None:
    x = scope.pick(lambda v: float_array(v) and v.ndim > 0)
    if x is None:
        return None
    scope.feature("mask-select", "data-dependent-size")
    return scope.make(f"float({x.text}[{x.text} > {real(scope, min(depth, 1)).text}].sum())")


REALS: dict[Production, int] = {
    float_arithmetic: 30,
    float_division: 10,
    float_math: 16,
    float_extreme: 5,
    float_conditional: 6,
    float_of_scalar: 10,
    float_of_int: 8,
    float_from_container: 8,
    float_bounded_slice: 14,
    float_masked: 2,
}


def real(scope: Scope, depth: int) -> Expr:
    return choose(scope, REALS, depth, float_leaf)


# Booleans ---------------------------------------------------------------------------------------


def compare_ints(scope: Scope, depth: int) -> Expr | None:
    a, b = integer(scope, depth), integer(scope, depth)
    op = scope.rng.choice(("<", "<=", ">", ">=", "==", "!="))
    return scope.make(f"{a.text} % 7 {op} {b.text} % 5")


def compare_floats(scope: Scope, depth: int) -> Expr | None:
    a, b = real(scope, depth), real(scope, depth)
    shift = scope.rng.choice(("0.37", "0.11", "1.43"))
    return scope.make(f"{a.text} {scope.rng.choice('<>')} {b.text} + {shift}")


def compare_chained(scope: Scope, depth: int) -> Expr | None:
    scope.feature("chained-comparison")
    a, b, c = integer(scope, 0), integer(scope, depth), integer(scope, 0)
    return scope.make(f"{a.text} <= {b.text} < {c.text} + 5")


def combine_bools(scope: Scope, depth: int) -> Expr | None:
    scope.feature("short-circuit")
    a, b = boolean(scope, depth), boolean(scope, depth)
    return scope.make(f"({a.text} {scope.rng.choice(('and', 'or'))} {b.text})")


def negate_bool(scope: Scope, depth: int) -> Expr | None:
    return scope.make(f"(not {boolean(scope, depth).text})")


def guarded_item(scope: Scope, depth: int) -> Expr | None:
    """A right side that would fail if the left did not guard it."""
    x = scope.pick(lambda v: is_array(v, "fi") and v.ndim == 1 and v.size > 0)
    if x is None:
        return None
    scope.feature("short-circuit")
    i = integer(scope, min(depth, 1))
    return scope.make(f"(0 <= {i.text} < {x.value.size} and bool({x.text}[{i.text}] > 0))")


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


def bool_of_item(scope: Scope, depth: int) -> Expr | None:
    item = array_item(scope, depth)
    if item is None or item.value.dtype.kind == "c":
        return None
    return scope.make(f"bool({item.text} > 1)")


def membership(scope: Scope, depth: int) -> Expr | None:
    return scope.make(f"{integer(scope, depth).text} % 5 in (0, 3, 4)")


BOOLEANS: dict[Production, int] = {
    compare_ints: 24,
    compare_floats: 20,
    compare_chained: 6,
    combine_bools: 14,
    negate_bool: 5,
    guarded_item: 8,
    quantified: 8,
    bool_of_item: 10,
    membership: 3,
}


def boolean_leaf(scope: Scope, _: int) -> Expr:
    found = compare_ints(scope, 0) or compare_floats(scope, 0)
    return found or Expr("True", True)


def boolean(scope: Scope, depth: int) -> Expr:
    return choose(scope, BOOLEANS, max(depth, 0), boolean_leaf)


# Items and slices -------------------------------------------------------------------------------


def index(scope: Scope, extent: int, depth: int = 1) -> str | None:
    """An index into an axis of this extent, in range by construction."""
    if extent == 0:
        return None
    counters = [name for name, bound in scope.bounds.items() if bound <= extent]
    roll = scope.rng.random()
    if counters and roll < 0.55:
        return scope.rng.choice(counters)
    if roll < 0.75:
        return str(scope.rng.randint(-extent, extent - 1))
    return f"{integer(scope, min(depth, 1)).text} % {extent}"


def array_item(scope: Scope, depth: int) -> Expr | None:
    x = scope.pick(nonempty)
    if x is None:
        return None
    indices = [index(scope, n, depth) for n in x.value.shape]
    return scope.make(f"{x.text}[{', '.join(map(str, indices)) or '()'}]")


def bounded_slice(
    scope: Scope, wanted: Callable[[Any], bool], write: bool = False
) -> tuple[str, Any] | None:
    """A one-dimensional slice whose extent depends on a loop counter, and the array's value."""
    if not scope.bounds:
        return None
    pick = scope.pick_cell if write else scope.pick
    x = pick(lambda v: wanted(v) and v.ndim in (1, 2) and v.shape[-1] > 1)
    if x is None:
        return None
    counter, bound = scope.rng.choice(list(scope.bounds.items()))
    extent = x.value.shape[-1]
    if bound > extent:
        return None
    forms = [f":{counter}", f"{counter}:", f"{counter} + 1:", f":{counter} + 1"]
    if bound + 1 <= extent:
        forms.append(
            f"{counter}:{counter} + 2" if bound + 2 <= extent else f"{counter}:{counter} + 1"
        )
    part = scope.rng.choice(forms)
    if x.value.ndim == 2:
        row = index(scope, x.value.shape[0], 0)
        if row is None:
            return None
        part = f"{row}, {part}"
    return f"{x.text}[{part}]", x.value


def container_item(scope: Scope, wanted: Callable[[Any], bool]) -> Expr | None:
    """An element of a tuple, list or dict, or a field of an object."""
    paths = []
    for name, value in scope.names.items():
        if isinstance(value, tuple | list):
            paths += [f"{name}[{i}]" for i, item in enumerate(value) if wanted(item)]
        elif isinstance(value, dict):
            paths += [f"{name}[{key!r}]" for key, item in value.items() if wanted(item)]
        elif hasattr(value, "__dataclass_fields__"):
            paths += [f"{name}.{key}" for key, item in vars(value).items() if wanted(item)]
    if not paths:
        return None
    scope.feature("container-read")
    return scope.make(scope.rng.choice(paths), fresh=False)


# NumPy scalars ----------------------------------------------------------------------------------


def scalar_reduction(scope: Scope, depth: int) -> Expr | None:
    x = array(scope, depth)
    names = ("sum", "max", "min", "mean", "prod", "argmax", "argmin", "std", "any", "all")
    name = scope.rng.choice(names)
    if x.value.dtype.kind == "c" and name not in ("sum", "prod", "mean"):
        return None
    return (
        scope.make(f"{x.text}.{name}()")
        if x.text.isidentifier()
        else scope.make(f"np.{name}({x.text})")
    )


def scalar_arithmetic(scope: Scope, depth: int) -> Expr | None:
    a, b = numpy_scalar(scope, depth), numpy_scalar(scope, depth)
    if a is None:
        return None
    scope.feature("nep50")
    other = b.text if b and scope.chance(0.6) else scope.rng.choice(("2", "0.5", "3"))
    return scope.make(f"({a.text} {scope.rng.choice('+-*')} {other})")


def scalar_ufunc(scope: Scope, depth: int) -> Expr | None:
    a = numpy_scalar(scope, depth)
    name = scope.rng.choice(("abs", "sign", "tanh", "square", "negative"))
    return a and scope.make(f"np.{name}({a.text})")


def scalar_cast(scope: Scope, depth: int) -> Expr | None:
    name = scope.rng.choice(("float32", "float64"))
    return scope.make(f"np.{name}({real(scope, depth).text})")


SCALARS: dict[Production, int] = {
    array_item: 40,
    scalar_reduction: 20,
    scalar_arithmetic: 14,
    scalar_ufunc: 6,
    scalar_cast: 6,
}


def numpy_scalar(scope: Scope, depth: int) -> Expr | None:
    if depth <= 0:
        return scope.pick(is_scalar) or array_item(scope, 0)
    for _ in range(4):
        found = draw(scope.rng, SCALARS, scope.avoid)(scope, depth - 1)
        if found is not None and isinstance(found.value, np.generic):
            return found
    return None


# Arrays -----------------------------------------------------------------------------------------


def array_leaf(scope: Scope, _: int) -> Expr:
    found = scope.pick(is_array) if scope.chance(0.9) else None
    return found or new_array(scope, 0)


def new_array(scope: Scope, _: int) -> Expr:
    shape, dtype = weighted(scope.rng, SHAPES), weighted(scope.rng, DTYPES)
    value = random_array(scope.rng, dtype, shape)
    note_array(scope, value)
    return Expr(array_text(value), value)


def note_array(scope: Scope, value: np.ndarray) -> None:
    """Record the features that an array value brings."""
    scope.feature(f"dtype-{value.dtype.name}")
    if value.size == 0:
        scope.feature("zero-size")
    if value.ndim == 0:
        scope.feature("zero-dimensional")
    if value.dtype.kind in "fc" and not np.isfinite(value).all():
        scope.feature("nan-inf")
    if value.dtype.kind == "f" and np.any((value == 0) & np.signbit(value)):
        scope.feature("signed-zero")
    if value.dtype.kind in "iu" and value.size and np.abs(value.astype(float)).max() > 100:
        scope.feature("integer-edge")


def array_creation(scope: Scope, depth: int) -> Expr | None:
    x = scope.pick(is_array)
    forms = [
        "np.zeros({n})",
        "np.ones(({n}, {m}))",
        "np.arange({n})",
        "np.linspace(0, 1, {n})",
        "np.full({n}, {f})",
        "np.eye({n})",
        "np.arange({n}) * {f}",
        "np.array([{f}, {f}, {i}])",
    ]
    if x is not None:
        forms += [
            f"np.zeros_like({x.text})",
            f"np.ones({x.text}.shape, bool)",
            f"np.full_like({x.text}, 2)",
        ]
    n, m = scope.rng.randint(1, 5), scope.rng.randint(1, 4)
    f, i = real(scope, min(depth, 1)).text, integer(scope, min(depth, 1)).text
    return scope.make(scope.rng.choice(forms).format(n=n, m=m, f=f, i=i))


def array_binary(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    b = scope.pick(lambda v: is_array(v) and broadcast(v, a.value)) if scope.chance(0.8) else None
    other = b.text if b is not None else array_operand(scope, depth)
    op = scope.rng.choice(("+", "-", "*", "+", "-", "*", "/"))
    if op == "/":
        return scope.make(f"({a.text} / (abs({other}) + 1))")
    if a.value.dtype.kind in "iub" and scope.chance(0.2):
        op = scope.rng.choice("&|^")
    return scope.make(f"({a.text} {op} {other})")


def array_operand(scope: Scope, depth: int) -> str:
    """A Python or NumPy scalar to meet an array: NEP 50."""
    scope.feature("nep50")
    roll = scope.rng.random()
    if roll < 0.35:
        return scope.rng.choice(("1", "2", "3", "0.5", "2.0", "True"))
    if roll < 0.6:
        return real(scope, min(depth, 1)).text
    if roll < 0.8:
        found = numpy_scalar(scope, min(depth, 1))
        return found.text if found else "2"
    return f"({integer(scope, min(depth, 1)).text} % 9)"


def broadcast(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return True


def array_integer_division(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    if a.value.dtype.kind not in "iuf":
        return None
    return scope.make(
        f"({a.text} {scope.rng.choice(('//', '%'))} {scope.rng.choice(('3', '2', '5'))})"
    )


def array_ufunc(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    names = ("sin", "tanh", "abs", "square", "negative", "sign", "exp2", "floor", "isnan", "arctan")
    name = scope.rng.choice((*names, "sqrt(np.abs", "log1p(np.abs", "logical_not"))
    return scope.make(f"np.{name}({a.text}))" if "(" in name else f"np.{name}({a.text})")


def array_where(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    if a.value.dtype.kind not in "fiu":
        return None
    scope.feature("where")
    other = array_operand(scope, depth)
    return scope.make(f"np.where({a.text} > 0, {a.text}, {other})")


def array_extreme(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    name = scope.rng.choice(("maximum", "minimum", "fmax"))
    return scope.make(f"np.{name}({a.text}, {array_operand(scope, depth)})")


def array_compare(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    op = scope.rng.choice(("<", ">", "<=", "==", "!="))
    return scope.make(f"({a.text} {op} {scope.rng.choice(('0', '1', '0.5'))})")


def array_reduction(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    if a.value.ndim < 2:
        return None
    axis = scope.rng.randrange(-a.value.ndim, a.value.ndim)
    name = scope.rng.choice(("sum", "max", "mean", "min", "prod", "argmax", "any"))
    extra = ", keepdims=True" if scope.chance(0.25) else ""
    return scope.make(f"np.{name}({a.text}, axis={axis}{extra})")


def array_shape(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    forms = (
        "{}.T",
        "{}.ravel()",
        "{}.reshape(-1)",
        "{}[::-1]",
        "{}[None]",
        "np.flip({})",
        "np.roll({}, 1)",
        "np.concatenate(({0}, {0}))",
        "np.stack(({0}, {0}))",
        "np.tile({}, 2)",
        "np.repeat({}, 2)",
        "np.cumsum({})",
        "np.sort({})",
        "np.diff({})",
        "{}[..., 0]",
        "{}[1:]",
        "{}[:, 0]",
        "{}[::2]",
        "np.expand_dims({}, 0)",
        "np.squeeze({})",
        "np.argsort({}, kind='stable')",
        "np.pad({}, 1)",
        "np.outer({0}, {0})",
        "np.tril({})",
    )
    form = scope.rng.choice(forms)
    if a.value.dtype.kind in "cb" and ("sort" in form or "diff" in form):
        return None
    fresh = form.startswith("np.") and "squeeze" not in form and "flip" not in form
    return scope.make(form.format(a.text), fresh and "expand" not in form)


def array_product(scope: Scope, depth: int) -> Expr | None:
    a = scope.pick(lambda v: is_array(v, "fiu") and v.ndim > 0)
    if a is None:
        return None
    b = scope.pick(lambda v: is_array(v, "fiu") and 0 < v.ndim < 3 and fits(a.value, v))
    return b and scope.make(f"({a.text} @ {b.text})")


def fits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape[-1] == b.shape[max(0, b.ndim - 2)]


def array_cast(scope: Scope, depth: int) -> Expr | None:
    a = array(scope, depth)
    target = weighted(scope.rng, DTYPES)
    if a.value.dtype.kind == "c" and np.dtype(target).kind != "c":
        return scope.make(f"{a.text}.real")
    if a.value.dtype.kind == "f" and np.dtype(target).kind in "iu":
        return scope.make(f"np.clip(np.nan_to_num({a.text}), 0, 100).astype(np.{target})")
    scope.feature(f"dtype-{target}")
    return scope.make(f"({a.text}).astype(np.{target})")


def array_fancy(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(lambda v: nonempty(v) and v.ndim > 0)
    if x is None:
        return None
    scope.feature("fancy-index")
    n = x.value.shape[0]
    i, j = index(scope, n, 0), index(scope, n, 0)
    forms = [
        f"{x.text}[[0, -1]]",
        f"{x.text}[np.array([{i}, {j}, 0])]",
        f"np.take({x.text}, [0, {j}])",
    ]
    ints = scope.pick(lambda v: is_array(v, "i") and v.ndim == 1)
    if ints is not None:
        forms.append(f"{x.text}[{ints.text} % {n}]")
    return scope.make(scope.rng.choice(forms))


def array_from_container(scope: Scope, _: int) -> Expr | None:
    return container_item(scope, is_array)


def array_copy(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(is_array)
    return x and scope.make(f"{x.text}.copy()")


def array_call(scope: Scope, depth: int) -> Expr | None:
    """A call of a generated function that takes and gives an array."""
    return call(scope, depth, is_array)


def call(scope: Scope, depth: int, wanted: Callable[[Any], bool]) -> Expr | None:
    """A call of a generated function or closure; its parameters' kinds are on the function."""
    functions = [v for v in scope.namespace.values() if hasattr(v, "fuzz_parameters")]
    if not functions:
        return None
    function = scope.rng.choice(functions)
    if scope.loops and not function.fuzz_parameters[1]:
        return None
    arguments = []
    for predicate in function.fuzz_parameters[0]:
        found = argument(scope, predicate, "mutator" in function.__name__)
        if found is None:
            return None
        arguments.append(found)
    found = scope.make(f"{function.__name__}({', '.join(arguments)})", fresh=False)
    if found is None or not wanted(found.value):
        return None
    scope.feature("call")
    return found


def argument(scope: Scope, wanted: Any, mutated: bool) -> str | None:
    """An argument of a wanted kind: ("int",), ("float",), or an exact array kind."""
    if wanted == ("int",):
        return f"{integer(scope, 1).text} % 5"
    if wanted == ("float",):
        return real(scope, 1).text
    _, dtype, shape = wanted
    pick = scope.pick_cell if mutated else scope.pick
    same = pick(lambda v: is_array(v) and v.dtype.name == dtype and v.shape == shape)
    return same and same.text


ARRAYS: dict[Production, int] = {
    array_creation: 8,
    array_binary: 40,
    array_integer_division: 4,
    array_ufunc: 14,
    array_where: 6,
    array_extreme: 5,
    array_compare: 5,
    array_reduction: 10,
    array_shape: 18,
    array_product: 8,
    array_cast: 6,
    array_fancy: 8,
    array_from_container: 8,
    array_copy: 3,
    array_call: 5,
}


def array(scope: Scope, depth: int) -> Expr:
    found = choose(scope, ARRAYS, depth, array_leaf)
    return found if is_array(found.value) else array_leaf(scope, 0)
