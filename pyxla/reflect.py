"""Looking at the stages: run the pipeline until one of them, and return its text.

    print(pyxla.code_typed(f, pyxla.f64[10], float))      types
    print(pyxla.code_hlo(f, x, 2.0, optimized=True))      or values

`code_lowered` and `code_ssa` show a function by itself, for any types.
"""

from __future__ import annotations

import html
import importlib
import types
from collections.abc import Callable
from typing import Any

from pyxla import ahead, options
from pyxla.errors import outward
from pyxla.frontend.ssa import to_ssa
from pyxla.ir.printer import dot
from pyxla.options import Options
from pyxla.pipeline import Compilation, source_of
from pyxla.runtime.placement import Placement
from pyxla.runtime.request import Needed, Request


def unwrapped(function: Any) -> tuple[Any, Options]:
    """The function in a compiled one, and its options."""
    if isinstance(function, types.MethodType):
        return function, unwrapped(function.__func__)[1]
    if hasattr(function, "options") and hasattr(function, "__pyxla_function__"):
        return function.__pyxla_function__, function.options
    return function, options.DEFAULTS


def _untyped(function: Callable[..., Any]) -> Compilation:
    return Compilation(Request(function, (), options=options.DEFAULTS))


def compilation(function: Callable[..., Any], *given: Any, **named: Any) -> Compilation:
    """`function` typed for arguments given as types or values."""
    plain, how = unwrapped(function)
    args = (*given, *named.values())
    with (how.placement or Placement()).scope():
        return ahead.specialize(plain, args, tuple(named), how, Needed())


class Listing(str):
    """The text of a stage, which notebooks show in colours where Pygments is installed."""

    language: str

    def __new__(cls, text: str, language: str = "module") -> Listing:
        made = super().__new__(cls, text)
        made.language = language
        return made

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        try:
            colours = importlib.import_module("pyxla.colours")
        except ModuleNotFoundError:
            return f"<pre>{html.escape(self)}</pre>"
        lines = colours.coloured(self.splitlines(), self.language)
        return f"<style>{colours.styles()}</style><pre class='code'>" + "\n".join(lines) + "</pre>"


@outward
def code_lowered(function: Callable[..., Any]) -> str:
    """The desugared function as Python source, which behaves as the original.

    CompileError where the function has no source.

    >>> import pyxla
    >>> print(pyxla.code_lowered(lambda x: 0 if x is None else x))
    def lambda_(x):
        if (x is None):
            _t1 = 0
        else:
            _t1 = x
        return _t1
    """
    return Listing(_untyped(function).text("lowered"), "python")


@outward
def code_ssa(function: Callable[..., Any]) -> str:
    """The function in SSA form, before types are known: blocks, and a phi where paths meet.

    CompileError where the function has no source.

    >>> import pyxla
    >>> print(pyxla.code_ssa(lambda x: x + 1))
    func <lambda>(%x.0)...
    """
    return Listing(_untyped(function).text("ssa"))


@outward
def code_typed(function: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Typed SSA: calls inlined, mutation gone, each line's source beside it.

    given: a type (`pyxla.f64[3]`, `float`) or a value for each argument.  CompileError where the
    function is refused for these.

    >>> import pyxla
    >>> print(pyxla.code_typed(lambda x: x + 1, pyxla.f64[3]))
    func _lambda_(%x.0: f64[3]) -> f64[3]...
    """
    return Listing(compilation(function, *given, **named).text("typed"))


@outward
def code_stablehlo(function: Callable[..., Any], *given: Any, **named: Any) -> str:
    """The StableHLO module that XLA is given, for arguments given as types or values.

    CompileError where the function is refused for these.

    >>> import pyxla
    >>> print(pyxla.code_stablehlo(lambda x: x + x, pyxla.f64[3]))
    module...stablehlo.add...
    """
    return Listing(compilation(function, *given, **named).text("stablehlo"))


@outward
def code_hlo(
    function: Callable[..., Any], *given: Any, optimized: bool = False, **named: Any
) -> str:
    """The HLO module: as XLA imports it, or as XLA compiled it for the default device, or for the
    devices over which arguments lie.

    given: a type or a value for each argument.  CompileError where the function is refused.

    >>> import pyxla
    >>> print(pyxla.code_hlo(lambda x: x + x, pyxla.f64[3]))
    HloModule...ROOT... = f64[3]{0} add(...
    """
    made = compilation(function, *given, **named)
    return Listing(made.text("optimized" if optimized else "hlo"))


@outward
def code_dot(function: Callable[..., Any], *given: Any, **named: Any) -> str:
    """The graph of basic blocks in graphviz's language: typed, or untyped without arguments.

    CompileError where the function is refused.

    >>> import pyxla
    >>> print(pyxla.code_dot(lambda x: x))
    digraph ...
    """
    if not given and not named:
        return dot(to_ssa(source_of(function)).function)
    return dot(compilation(function, *given, **named).at("typed").function)
