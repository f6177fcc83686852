"""What happened to a program: equal, refused, wrong, or an internal error.

The native run is the oracle. Before it, an instrumented native run discards programs that leave
what CPython and pyxla agree on: Python ints beyond 64 bits, casts of NaN to integers, exceptions
the program does not raise itself, and runs that are too long. After a mismatch, native runs whose
arithmetic is jittered by a few units in the last place tell rounding from error: a difference that
the jitter explains is called unstable and does not count.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

import pyxla
from tests.compare import difference
from tests.fuzz.program import module_namespace
from tests.fuzz.sources import remember

LONGEST = 100_000
EXPLICIT = (ValueError, RuntimeError, ArithmeticError, TypeError, AssertionError)
FRESH_CALLS = frozenset(
    ("sum", "mean", "prod", "std", "dot", "sin", "tanh", "sqrt", "exp", "exp2", "log1p", "hypot")
)


class Discard(BaseException):
    """The program is not one that the promise speaks of."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """verdict: equal, refused, wrong, internal, unstable or discarded; reason: in a few words."""

    verdict: str
    reason: str = ""


class Wrap(ast.NodeTransformer):
    """Wrap the result of every arithmetic operation, and of some calls, in a function."""

    def __init__(self, calls: bool) -> None:
        self.calls = calls

    def wrapped(self, node: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name("wrapped__", ast.Load()), [node], [])
        return ast.copy_location(call, node)

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
        return self.wrapped(node) if self.calls and name in FRESH_CALLS else node


def wrapped_code(text: str, calls: bool) -> CodeType:
    tree = ast.fix_missing_locations(Wrap(calls).visit(ast.parse(text)))
    return compiled(tree, "<fuzz>")


def compiled(source: str | ast.Module, filename: str) -> CodeType:
    """The code, without the warnings that shrunken programs deserve."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, filename, "exec")


def load(code: str | CodeType, **extra: Any) -> dict[str, Any]:
    """The globals of the program as a module."""
    namespace = module_namespace()
    namespace.update(extra)
    exec(compiled(code, "<fuzz>") if isinstance(code, str) else code, namespace)
    return namespace


def run(namespace: dict[str, Any], fn: Callable[..., Any] | None = None) -> tuple[Any, Any, Any]:
    """Result or exception, arguments after the call, global arrays after the call."""
    arguments = namespace["arguments"]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = (fn or namespace["program"])(*arguments)
        except pyxla.CompileError:
            raise
        except Exception as error:
            result = error
    return result, arguments, namespace.get("TABLE")


def watched(text: str) -> None:
    """Run once, raising `Discard` on what the promise does not cover."""
    steps = 0

    def watch(value: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps > LONGEST or (type(value) is int and abs(value) > 2**62):
            raise Discard("too long, or an int beyond 64 bits")
        return value

    namespace = load(wrapped_code(text, False), wrapped__=watch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            namespace["program"](*namespace["arguments"]())
        except EXPLICIT as error:
            if raised_implicitly(error):
                raise Discard("an implicit exception") from error
        except Exception as error:
            raise Discard("an implicit exception") from error
    if any("cast" in str(w.message) for w in caught):
        raise Discard("a cast of NaN or of a large number to an integer")


def raised_implicitly(error: Exception) -> bool:
    """Whether the innermost frame is at something other than `raise` or `assert`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    known = ("stop", "at", "unlucky")
    text = str(error.args[0]) if error.args else ""
    return not (text in known or text.startswith("value "))


def jittered(text: str, seed: int) -> tuple[Any, Any, Any]:
    """A native run whose arithmetic is off by a few units in the last place."""
    noise = np.random.default_rng(seed)

    def jitter(value: Any) -> Any:
        if type(value) is float:
            return value * (1 + 4e-16 * noise.standard_normal())
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
            real = value.real.dtype
            factor = 1 + 2 * np.finfo(real).eps * noise.standard_normal(value.shape)
            return (
                (value * factor.astype(real))[()]
                if value.ndim == 0
                else value * factor.astype(real)
            )
        return value

    return run(load(wrapped_code(text, True), wrapped__=jitter))


def spread(text: str, expected: tuple[Any, Any, Any]) -> list[tuple[Any, Any, Any]]:
    runs = []
    for seed in range(8):
        try:
            runs.append(jittered(text, seed))
        except Exception:
            continue
    return runs


def explained(text: str, actual: tuple[Any, Any, Any], expected: tuple[Any, Any, Any]) -> bool:
    """Whether rounding noise explains the difference.

    It does where a jittered run is off by a comparable amount: the comparison of the native run
    with a jittered one fails at a tolerance that is only ten times tighter.
    """
    for rtol in (1e-6, 1e-4, 1e-2):
        if not mismatch(actual, expected, rtol):
            return any(mismatch(noisy, expected, rtol / 1e4) for noisy in spread(text, expected))
    return any(mismatch(noisy, expected, 1e-2) for noisy in spread(text, expected))


def mismatch(
    actual: tuple[Any, Any, Any], expected: tuple[Any, Any, Any], rtol: float | None = None
) -> str:
    """The first difference in the result, the arguments or the globals."""
    for name, a, e in zip(("result", "arguments", "globals"), actual, expected, strict=True):
        if found := difference(a, e, rtol, name):
            return found
    return ""


def judge(text: str, checks: bool = False) -> Outcome:
    """Run a program natively and compiled."""
    try:
        watched(text)
    except Discard as discarded:
        return Outcome("discarded", str(discarded))
    expected = run(load(text))
    namespace = load(compiled(text, remember(text)))
    try:
        actual = run(namespace, pyxla.compile(namespace["program"], checks=checks))
    except pyxla.CompileError as error:
        internal = error.message.startswith("internal error")
        return Outcome("internal" if internal else "refused", error.message)
    error = actual[0]
    if isinstance(error, Exception) and type(error) is not type(expected[0]):
        return Outcome("internal", f"{type(error).__name__}: {error}")
    found = mismatch(actual, expected)
    if not found:
        return Outcome("equal")
    return Outcome("unstable" if explained(text, actual, expected) else "wrong", found)
