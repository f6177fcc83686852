"""The syntax tree of the front end is gast's; this file alone knows how it is read and printed.

`gast` has one tree for all releases of CPython that are supported, where `ast` has one for each.
Two of its nodes differ from CPython's: a parameter is a `Name` whose context is `Param`, and so is
what an `except` clause binds.  The printer is astunparse's, for the desugared program, which has
none of the forms that astunparse does not know (`match`, `except*`, templates).
"""

from __future__ import annotations

import ast
import io
from typing import Any, TypeAlias

import astunparse
import gast

from pyxla import stack
from pyxla.errors import CompileError, Location

LOAD, STORE, DEL, PARAM = gast.Load(), gast.Store(), gast.Del(), gast.Param()
# Node classes of this CPython that gast has no counterpart of.
_UNKNOWN = {
    kind
    for base in (ast.stmt, ast.expr, ast.pattern)
    for kind in base.__subclasses__()
    if not hasattr(gast, kind.__name__)
}
FunctionNode: TypeAlias = Any  # gast.FunctionDef, AsyncFunctionDef or Lambda: gast has no types


def from_python(node: ast.AST, loc: Location | None = None) -> Any:
    """CPython's tree as gast's.

    Raises CompileError where a part of it is newer than gast, which would leave that out.
    """
    for part in ast.walk(node) if _UNKNOWN else ():
        if type(part) in _UNKNOWN:
            raise CompileError(f"this syntax ({type(part).__name__}) is newer than gast", loc)
    with stack.deep():
        return gast.ast_to_gast(node)


def printed(node: gast.AST) -> str:
    """The source of a desugared function, one line for each simple statement."""
    out = io.StringIO()
    with stack.deep():
        _Printer(gast.gast_to_ast(node), out)
    return out.getvalue().lstrip("\n")


class _Printer(astunparse.Unparser):
    """astunparse, which prints trees of CPython 3.8, for those of later releases."""

    def _Subscript(self, node: ast.Subscript) -> None:
        """A slice in a tuple is printed without the tuple's parentheses."""
        if not (isinstance(node.slice, ast.Tuple) and node.slice.elts):
            return super()._Subscript(node)
        self.dispatch(node.value)
        *items, last = node.slice.elts
        self.write("[")
        for item in items:
            self.dispatch(item)
            self.write(", ")
        self.dispatch(last)
        self.write("]" if items else ",]")

    def _JoinedStr(self, node: ast.JoinedStr) -> None:
        """Which quotes may stand in which is another matter in each release."""
        self.write(ast.unparse(node))


def parsed(text: str) -> gast.Module:
    return from_python(ast.parse(text))


def load(text: str) -> gast.Name:
    return gast.Name(text, LOAD, None, None)


def store(text: str) -> gast.Name:
    return gast.Name(text, STORE, None, None)


def delete(text: str) -> gast.Name:
    return gast.Name(text, DEL, None, None)


def parameter(text: str) -> gast.Name:
    return gast.Name(text, PARAM, None, None)


def constant(value: Any) -> gast.Constant:
    return gast.Constant(value, None)


def assign(target: gast.expr, value: gast.expr) -> gast.Assign:
    return gast.Assign([target], value, None)


def parameters(names: list[gast.Name]) -> gast.arguments:
    """Parameters that are given by position or name, without defaults."""
    return gast.arguments(names, [], None, [], [], None, [])


def function_def(name: str, args: gast.arguments, body: list[gast.stmt]) -> gast.FunctionDef:
    return gast.FunctionDef(name, args, body or [gast.Pass()], [], None, None, [])
