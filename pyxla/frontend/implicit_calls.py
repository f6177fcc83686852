"""Operations that call special methods: `len(x)`, `str(x)`, `f"{x}"`, `k in x`, `x[i]`, `x == y`.

In a method of that name they may be calls of it by itself, so they are spelled as calls,
`x.__len__()`, beside which the operation is kept: it is what happens where inference finds that
they call something else (`frontend.recursion`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

import gast

from pyxla.frontend import support
from pyxla.frontend.desugar import Lowered
from pyxla.frontend.hoist import at, call, constant
from pyxla.frontend.tree import LOAD

# The special methods that builtin functions call, by the names of the functions.
_ASKING = {function.__name__: names for function, names in support.ASKING.items()}
_EQUAL = "__eq__"
_CONVERSIONS = {-1: "str", ord("s"): "str", ord("r"): "repr"}
Operation = Callable[[Any, list[Any]], Any]


def spelled_call(
    x: Any, method: str, args: list[Any], operation: Operation, asking: Any = None
) -> Any:
    """`x.method(*args)`, in the place of an operation.  operation: makes that of its operands.
    asking: the builtin function that it calls, or the names of the methods."""
    made: Any = at(gast.Call(at(gast.Attribute(x, method, LOAD), x), args, []), x)
    made.operation, made.asking = operation, asking or constant((method,), x)
    return made


def is_operation(node: Any) -> bool:
    """Whether a call stands for an operation."""
    return hasattr(node, "operation")


def may_be_none(node: Any) -> list[Any]:
    """The operands of an operation that does something of None, too, in the place of each."""
    if not is_operation(node):
        return []
    if node.func.attr == _EQUAL:
        return [node.func.value, *node.args]
    return [node.func.value] if node.func.attr in support.ASKING[str] else []


def asked(node: Any) -> Any:
    """The expression that gives the method that an operation calls, bound, or None."""
    if node.func.attr == _EQUAL:
        return call("equality", [node.func.value, *node.args], node)
    return call("special", [node.asking, node.func.value], node)


def spelled(lowered: Lowered, methods: Container[str]) -> Lowered:
    """The function with operations that may call one of these methods as calls of them."""
    spelling = _Spelling(methods, lowered.scope.bound())
    return replace(lowered, node=spelling.function(lowered.node))


class _Spelling(gast.NodeTransformer):
    """asking: the method that a builtin function may call."""

    def __init__(self, methods: Container[str], bound: Container[str]) -> None:
        found = {text: [m for m in names if m in methods] for text, names in _ASKING.items()}
        self.asking = {text: names[0] for text, names in found.items() if names}
        self.methods, self.bound = methods, bound

    def function(self, node: Any) -> Any:
        node = copy.copy(node)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_FunctionDef(self, node: Any) -> Any:  # noqa: N802 - a method of gast's
        return node  # which loops with a stack do not look into

    def generic_visit(self, node: Any) -> Any:
        node = copy.copy(node)
        for field, value in gast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, field, list(value))
        return super().generic_visit(node)

    def visit_Call(self, node: Any) -> Any:  # noqa: N802
        node = self.generic_visit(node)
        match node:
            case gast.Call(func=gast.Name(id=text), args=[x], keywords=[]) if (
                text in self.asking and text not in self.bound and _is_object(x)
            ):
                return self.asked_by(node.func, text, x, _of_one(node, "args"))
        return node

    def visit_FormattedValue(self, node: Any) -> Any:  # noqa: N802
        node = self.generic_visit(node)
        text = _CONVERSIONS.get(node.conversion, "")
        if text in self.asking and node.format_spec is None and _is_object(node.value):
            asking = constant(_ASKING[text], node)
            shown = self.asked_by(asking, text, node.value, _of_field(node))
            return at(gast.FormattedValue(shown, -1, None), node)
        return node

    def asked_by(self, asking: Any, text: str, x: Any, operation: Operation) -> Any:
        return spelled_call(x, self.asking[text], [], operation, asking)

    def visit_Compare(self, node: Any) -> Any:  # noqa: N802
        node = self.generic_visit(node)
        match node:
            case gast.Compare(
                left=gast.Name() | gast.Constant(), ops=[gast.In() | gast.NotIn()], comparators=[x]
            ) if "__contains__" in self.methods and _is_object(x):
                found = spelled_call(x, "__contains__", [node.left], _membership)
                found = call("truth", [found], node)
                isin = isinstance(node.ops[0], gast.In)
                return found if isin else at(gast.UnaryOp(gast.Not(), found), node)
            case gast.Compare(left=x, ops=[gast.Eq()], comparators=[y]) if (
                _EQUAL in self.methods and _is_object(x) and _is_object(y)
            ):
                return spelled_call(x, _EQUAL, [y], _equality)
        return node

    def visit_Subscript(self, node: Any) -> Any:  # noqa: N802
        node = self.generic_visit(node)
        read = isinstance(node.ctx, gast.Load) and "__getitem__" in self.methods
        whole = not any(isinstance(part, gast.Slice) for part in gast.walk(node.slice))
        if read and whole and _is_object(node.value):
            return spelled_call(node.value, "__getitem__", [node.slice], _item)
        return node


def _is_object(node: Any) -> bool:
    """Whether this may be an instance."""
    return isinstance(node, (gast.Name, gast.Attribute, gast.Subscript, gast.Call))


def _of_one(node: Any, field: str) -> Operation:
    def operation(x: Any, _: list[Any]) -> Any:
        made = copy.copy(node)
        setattr(made, field, [x])
        return made

    return operation


def _of_field(node: Any) -> Operation:
    def operation(x: Any, _: list[Any]) -> Any:
        return at(gast.JoinedStr([at(gast.FormattedValue(x, node.conversion, None), node)]), node)

    return operation


def _membership(x: Any, args: list[Any]) -> Any:
    return at(gast.Compare(args[0], [gast.In()], [x]), x)


def _equality(x: Any, args: list[Any]) -> Any:
    return at(gast.Compare(x, [gast.Eq()], args), x)


def _item(x: Any, args: list[Any]) -> Any:
    return at(gast.Subscript(x, args[0], LOAD), x)
