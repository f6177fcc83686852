"""Random expressions of NumPy's scalars and arrays."""

from __future__ import annotations

import numpy as np

from tests.fuzz import expressions as ex
from tests.fuzz import items
from tests.fuzz.scope import Scope
from tests.fuzz.values import DTYPES, Expr, is_array, weighted


@ex.production(ex.SCALARS, 20)
def scalar_reduction(scope: Scope, depth: int) -> Expr | None:
    x = ex.array(scope, depth)
    names = ("sum", "max", "min", "mean", "prod", "argmax", "argmin", "std", "any", "all")
    name = scope.rng.choice(names)
    if x.value.dtype.kind == "c" and name not in ("sum", "prod", "mean"):
        return None
    return (
        scope.make(f"{x.text}.{name}()")
        if x.text.isidentifier()
        else scope.make(f"np.{name}({x.text})")
    )


@ex.production(ex.SCALARS, 14)
def scalar_arithmetic(scope: Scope, depth: int) -> Expr | None:
    a, b = ex.numpy_scalar(scope, depth), ex.numpy_scalar(scope, depth)
    if a is None:
        return None
    scope.feature("nep50")
    other = b.text if b and scope.chance(0.6) else scope.rng.choice(("2", "0.5", "3"))
    return scope.make(f"({a.text} {scope.rng.choice('+-*')} {other})")


@ex.production(ex.SCALARS, 6)
def scalar_ufunc(scope: Scope, depth: int) -> Expr | None:
    a = ex.numpy_scalar(scope, depth)
    name = scope.rng.choice(("abs", "sign", "tanh", "square", "negative"))
    return a and scope.make(f"np.{name}({a.text})")


@ex.production(ex.SCALARS, 6)
def scalar_cast(scope: Scope, depth: int) -> Expr | None:
    name = scope.rng.choice(("float32", "float64"))
    return scope.make(f"np.{name}({ex.real(scope, depth).text})")


# Arrays -------------------------------------------------------------------------------------------


@ex.production(ex.ARRAYS, 8)
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
    f, i = ex.real(scope, min(depth, 1)).text, ex.integer(scope, min(depth, 1)).text
    return scope.make(scope.rng.choice(forms).format(n=n, m=m, f=f, i=i))


@ex.production(ex.ARRAYS, 40)
def array_binary(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    b = scope.pick(lambda v: is_array(v) and broadcast(v, a.value)) if scope.chance(0.8) else None
    other = b.text if b is not None else array_operand(scope, depth)
    op = scope.rng.choice(("+", "-", "*", "+", "-", "*", "/"))
    if op == "/":
        return scope.make(f"({a.text} / (abs({other}) + 1))")
    if a.value.dtype.kind in "iub" and scope.chance(0.2):
        op = scope.rng.choice("&|^")
    return scope.make(f"({a.text} {op} {other})")


def array_operand(scope: Scope, depth: int) -> str:
    """A Python or NumPy scalar to meet an ex.array: NEP 50."""
    scope.feature("nep50")
    roll = scope.rng.random()
    if roll < 0.35:
        return scope.rng.choice(("1", "2", "3", "0.5", "2.0", "True"))
    if roll < 0.6:
        return ex.real(scope, min(depth, 1)).text
    if roll < 0.8:
        found = ex.numpy_scalar(scope, min(depth, 1))
        return found.text if found else "2"
    return f"({ex.integer(scope, min(depth, 1)).text} % 9)"


def broadcast(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return True


@ex.production(ex.ARRAYS, 4)
def array_integer_division(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    if a.value.dtype.kind not in "iuf":
        return None
    return scope.make(
        f"({a.text} {scope.rng.choice(('//', '%'))} {scope.rng.choice(('3', '2', '5'))})"
    )


@ex.production(ex.ARRAYS, 14)
def array_ufunc(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    names = ("sin", "tanh", "abs", "square", "negative", "sign", "exp2", "floor", "isnan", "arctan")
    name = scope.rng.choice((*names, "sqrt(np.abs", "log1p(np.abs", "logical_not"))
    return scope.make(f"np.{name}({a.text}))" if "(" in name else f"np.{name}({a.text})")


@ex.production(ex.ARRAYS, 6)
def array_where(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    if a.value.dtype.kind not in "fiu":
        return None
    scope.feature("where")
    other = array_operand(scope, depth)
    return scope.make(f"np.where({a.text} > 0, {a.text}, {other})")


@ex.production(ex.ARRAYS, 5)
def array_extreme(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    name = scope.rng.choice(("maximum", "minimum", "fmax"))
    return scope.make(f"np.{name}({a.text}, {array_operand(scope, depth)})")


@ex.production(ex.ARRAYS, 5)
def array_compare(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    op = scope.rng.choice(("<", ">", "<=", "==", "!="))
    return scope.make(f"({a.text} {op} {scope.rng.choice(('0', '1', '0.5'))})")


@ex.production(ex.ARRAYS, 10)
def array_reduction(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    if a.value.ndim < 2:
        return None
    axis = scope.rng.randrange(-a.value.ndim, a.value.ndim)
    name = scope.rng.choice(("sum", "max", "mean", "min", "prod", "argmax", "any"))
    extra = ", keepdims=True" if scope.chance(0.25) else ""
    return scope.make(f"np.{name}({a.text}, axis={axis}{extra})")


@ex.production(ex.ARRAYS, 18)
def array_shape(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
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


@ex.production(ex.ARRAYS, 8)
def array_product(scope: Scope, depth: int) -> Expr | None:
    a = scope.pick(lambda v: is_array(v, "fiu") and v.ndim > 0)
    if a is None:
        return None
    b = scope.pick(lambda v: is_array(v, "fiu") and 0 < v.ndim < 3 and fits(a.value, v))
    return b and scope.make(f"({a.text} @ {b.text})")


def fits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape[-1] == b.shape[max(0, b.ndim - 2)]


@ex.production(ex.ARRAYS, 6)
def array_cast(scope: Scope, depth: int) -> Expr | None:
    a = ex.array(scope, depth)
    target = weighted(scope.rng, DTYPES)
    if a.value.dtype.kind == "c" and np.dtype(target).kind != "c":
        return scope.make(f"{a.text}.real")
    if a.value.dtype.kind == "f" and np.dtype(target).kind in "iu":
        return scope.make(f"np.clip(np.nan_to_num({a.text}), 0, 100).astype(np.{target})")
    scope.feature(f"dtype-{target}")
    return scope.make(f"({a.text}).astype(np.{target})")


@ex.production(ex.ARRAYS, 8)
def array_fancy(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(lambda v: ex.nonempty(v) and v.ndim > 0)
    if x is None:
        return None
    scope.feature("fancy-index")
    n = x.value.shape[0]
    i, j = items.index(scope, n, 0), items.index(scope, n, 0)
    forms = [
        f"{x.text}[[0, -1]]",
        f"{x.text}[np.array([{i}, {j}, 0])]",
        f"np.take({x.text}, [0, {j}])",
    ]
    ints = scope.pick(lambda v: is_array(v, "i") and v.ndim == 1)
    if ints is not None:
        forms.append(f"{x.text}[{ints.text} % {n}]")
    return scope.make(scope.rng.choice(forms))


@ex.production(ex.ARRAYS, 8)
def array_from_container(scope: Scope, _: int) -> Expr | None:
    return items.container_item(scope, is_array)


@ex.production(ex.ARRAYS, 3)
def array_copy(scope: Scope, _: int) -> Expr | None:
    x = scope.pick(is_array)
    return x and scope.make(f"{x.text}.copy()")
