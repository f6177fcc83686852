"""Native runs that are instrumented: to see what they do, or to disturb their rounding."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

# Functions, of NumPy or `math` or methods, whose results are rounded and fresh.
ROUNDED = frozenset(
    """sum mean prod std var dot sin cos tan tanh sqrt cbrt exp exp2 expm1 log log2 log10 log1p
    hypot sinh cosh arcsinh arctan arctan2 atan inner outer vdot tensordot matmul einsum cross kron
    power float_power logaddexp sinc angle average median percentile quantile nansum nanmean norm
    trace trapezoid cumsum cumprod nancumsum det inv solve cholesky matrix_power fft rfft
    convolve correlate interp polyval vander linspace gradient reduce accumulate reciprocal
    deg2rad ldexp fmod remainder divide multiply add subtract square""".split()
)
# What makes ints of Python's that may be large.
INTS = frozenset("int abs pow sum round prod comb perm factorial lcm floor ceil trunc".split())  # noqa: SIM905
# Of these, those that sum: they round differently for operands that are equal, too.
SUMMING = frozenset(
    """sum mean prod std var dot inner vdot tensordot matmul einsum median average nansum nanmean
    norm trace trapezoid cumsum cumprod nancumsum det inv solve convolve correlate""".split()
)


# Which of two zeros they take is theirs: NumPy's own loops differ by dtype, length and processor.
CHOOSING = frozenset(
    "max min maximum minimum fmax fmin nanmax nanmin clip sort partition unique".split()  # noqa: SIM905
)


class Wrap(ast.NodeTransformer):
    """Wrap the result of every arithmetic operation, and of the `calls`, in a function.

    summing: wrap the first operands of these calls.
    """

    def __init__(self, calls: frozenset[str], summing: frozenset[str] = frozenset()) -> None:
        self.calls = calls
        self.summing = summing

    def wrapped(self, node: ast.expr) -> ast.expr:
        name = ast.copy_location(ast.Name("wrapped__", ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self.wrapped(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:
        self.generic_visit(node)
        node.value = self.wrapped(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name in self.summing and isinstance(node.func, ast.Attribute):
            if node.args:
                node.args[0] = self.wrapped(node.args[0])
            else:
                node.func.value = self.wrapped(node.func.value)
        return self.wrapped(node) if name in self.calls else node


class Seen(Wrap):
    """The same, and what a name or an item is after an augmented assignment."""

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        super().visit_AugAssign(node)
        read = copy.deepcopy(node.target)
        read.ctx = ast.Load()
        return [node, ast.copy_location(ast.Expr(self.wrapped(read)), node)]


class Summed(ast.NodeTransformer):
    """Products of matrices made by `product__`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.MatMult):
            return node
        name = ast.copy_location(ast.Name("product__", ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node.left, node.right], []), node)


class Chosen(ast.NodeTransformer):
    """Calls of what chooses among equal numbers, made by `either__`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHOOSING:
            node.args.insert(0, node.func)
            node.func = ast.copy_location(ast.Name("either__", ast.Load()), node)
        return node


def compiled(source: str | ast.Module, filename: str) -> CodeType:
    """The code, without the warnings that shrunken programs deserve."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, filename, "exec")


class Skipped(ast.NodeTransformer):
    """`finally` clauses that do nothing once an int has left 64 bits (`wrapped__.large`)."""

    def visit_Try(self, node: ast.Try) -> ast.Try:
        self.generic_visit(node)
        if node.finalbody:
            goes_on = ast.parse("not wrapped__.large", mode="eval").body
            body = ast.If(goes_on, node.finalbody, [])
            node.finalbody = [ast.copy_location(body, node.finalbody[0])]
        return node


def observed_code(text: str) -> CodeType:
    """The program with the results of arithmetic, and of what makes ints, passed to `wrapped__`."""
    tree = Skipped().visit(Seen(INTS).visit(ast.parse(text)))
    return compiled(tree, "<fuzz>")


def jittered_code(text: str) -> CodeType:
    """The program with all that is rounded, and what makes ints, passed to `wrapped__`, what
    chooses to `either__`, and what is multiplied by `@` to `product__`."""
    tree = Chosen().visit(Seen(ROUNDED | INTS, SUMMING).visit(ast.parse(text)))
    return compiled(Summed().visit(tree), "<fuzz>")


def product(x: Any, y: Any) -> Any:
    """`x @ y` where each product is rounded before it is added: where these overflow, what fuses
    the two may be finite, or of one infinity where this has two and so NaN."""
    made = x @ y
    if (
        not isinstance(x, np.ndarray)
        or not isinstance(y, np.ndarray)
        or made.dtype.kind not in "fc"
    ):
        return made
    if np.isfinite(x).all() and np.isfinite(y).all() and np.isfinite(made).all():
        return made
    with np.errstate(all="ignore"):
        found = np.asarray(x.astype(object) @ y.astype(object)).astype(made.dtype)
    return found if isinstance(made, np.ndarray) else found[()]


def jitter(seed: int) -> Callable[[Any], Any]:
    """A function that disturbs what it is given by a few units in the last place."""
    noise = np.random.default_rng(seed)

    def disturbed(value: Any) -> Any:
        if type(value) is float:
            return value * (1 + 4e-16 * noise.standard_normal())
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
            real = value.real.dtype
            factor = 1 + 2 * np.finfo(real).eps * noise.standard_normal(value.shape)
            made = value * np.asarray(factor).astype(real)
            return made[()] if isinstance(value, np.generic) else np.asarray(made)
        return value

    return disturbed


def either(seed: int) -> Callable[..., Any]:
    """Calls a function; zeros it chooses have either sign where it is given both.

    With the first two seeds always one: a loop that multiplies by them goes on differently only
    where the same is chosen in each turn.
    """
    noise = np.random.default_rng(seed)
    always = {0: [1.0], 1: [-1.0]}.get(seed)

    def chosen(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        owner = getattr(function, "__self__", None)
        given = [x for x in (*args, owner, *options.values()) if _is_float(x)]
        zeros = [np.signbit(np.asarray(x))[np.asarray(x) == 0] for x in given]
        both = len(set(np.concatenate([*zeros, np.zeros(0, bool)]).tolist())) == 2
        made = function(*args, **options)
        found = owner if made is None else made
        if not both or not isinstance(found, np.ndarray | np.generic) or found.dtype.kind != "f":
            return made
        signs = noise.choice(always or [-1.0, 1.0], np.shape(found)).astype(found.dtype)
        signed = np.where(found == 0, np.copysign(0, signs).astype(found.dtype), found)
        if made is None:
            found[...] = signed
            return None
        return signed[()] if isinstance(made, np.generic) else signed

    return chosen


def _is_float(x: Any) -> bool:
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind == "f"
    return type(x) in (float, int)
