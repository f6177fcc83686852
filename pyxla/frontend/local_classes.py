"""Class statements inside functions: which of them can be made while compiling, once for all calls.

CPython makes such a class anew at each execution.  Here it is made once, by CPython, from the code
of its body; that is the same as long as the statement is not repeated, and nothing that its methods
take from around it is assigned again.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import gast

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
_SCOPES = (*_FUNCTIONS, gast.ClassDef)
_LOOPS = (gast.For, gast.AsyncFor, gast.While)
_PLAIN = (
    *(gast.Constant, gast.Tuple, gast.UnaryOp, gast.BinOp, gast.Name, gast.Attribute, gast.Call),
    *(gast.keyword, gast.expr_context, gast.operator, gast.unaryop),
)
_REPEATED = (
    "a class is defined in a loop here, where each iteration makes another one",
    "define it before the loop",
)
_BODY = (
    "the body of a class inside a function may hold methods, classes and constants alone",
    "define it at module level",
)


def body_code(code: types.CodeType, node: gast.ClassDef) -> types.CodeType | None:
    """The code of the class body of `node`, in that of a function around it."""
    lines = {node.lineno, *[decorator.lineno for decorator in node.decorator_list]}
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            if const.co_name == node.name and const.co_firstlineno in lines:
                return const
            if (found := body_code(const, node)) is not None:
                return found
    return None


def taken(code: types.CodeType) -> tuple[str, ...]:
    """The variables around a class that its body uses, without the class itself."""
    return tuple([name for name in code.co_freevars if name != code.co_name])


def refusal(root: Any, node: gast.ClassDef, free: tuple[str, ...]) -> tuple[str, str] | None:
    """Why the class statement `node` in the function `root` is not compiled; `free`: the variables
    of functions that its body uses."""
    around = _path(root, node)
    if any(isinstance(each, _LOOPS) for each in around[_innermost(around) :]):
        return _REPEATED
    if node.keywords or not all(map(_is_plain, node.body)):
        return _BODY
    if not all(map(_is_plain_decorator, node.decorator_list)):
        return "this decorator of a class is not compiled", "define the class at module level"
    for name in free:
        if name != node.name and not _stays(around, name, node):
            words = f"{name!r}, which this class uses, is assigned again, or may not have a value"
            return words, f"give it to the instances: __init__(self, {name})"
    if node.name in free and not _bound_once(around[_innermost(around)], node.name):
        return f"{node.name!r}, which this class uses, is assigned again", "use another name"
    return None


def _path(root: Any, node: gast.AST) -> list[Any]:
    """The nodes from the function `root` to what holds `node`."""
    if any(child is node for child in gast.iter_child_nodes(root)):
        return [root]
    for child in gast.iter_child_nodes(root):
        if below := _path(child, node):
            return [root, *below]
    return []


def _innermost(around: list[Any]) -> int:
    """Where the innermost function is in a path."""
    return max(i for i, each in enumerate(around) if isinstance(each, _FUNCTIONS))


def _is_plain(statement: gast.stmt) -> bool:
    match statement:
        case gast.FunctionDef():
            given = [d for d in (*statement.args.defaults, *statement.args.kw_defaults) if d]
            return all(map(_is_constant, given))
        case gast.ClassDef():
            named = all(isinstance(base, (gast.Name, gast.Attribute)) for base in statement.bases)
            plain = all(map(_is_plain_decorator, statement.decorator_list))
            return (
                named and plain and not statement.keywords and all(map(_is_plain, statement.body))
            )
        case gast.Pass():
            return True
        case gast.Expr(value=value):
            return isinstance(value, gast.Constant)
        case gast.Assign(value=value):
            return _is_constant(value)
        case gast.AnnAssign(value=value):
            return value is None or _is_constant(value)
    return False


def _is_plain_decorator(decorator: gast.expr) -> bool:
    """Whether a decorator is a name, or called with constants by their names."""
    if isinstance(decorator, gast.Call):
        given = [keyword.value for keyword in decorator.keywords]
        return not decorator.args and all(isinstance(value, gast.Constant) for value in given)
    return isinstance(decorator, (gast.Name, gast.Attribute))


def _is_constant(value: gast.expr) -> bool:
    return all(isinstance(part, _PLAIN) for part in gast.walk(value))


def _stays(around: list[Any], name: str, node: gast.AST) -> bool:
    """Whether the variable of a function around `node` has its only value where that is."""
    for owner in reversed([each for each in around if isinstance(each, _FUNCTIONS)]):
        sites = list(_sites(owner, name))
        if sites:
            top = [s for s in sites if s is owner.args or s in getattr(owner, "body", ())]
            early = all(s is owner.args or s.lineno < node.lineno for s in sites)
            return len(sites) == len(top) == 1 and early and not _is_shared(owner, name)
    return not _is_shared(around[0], name)  # of a function outside, which its owner may assign to


def _bound_once(owner: Any, name: str) -> bool:
    return len(list(_sites(owner, name))) == 1 and not _is_shared(owner, name)


def _is_shared(owner: Any, name: str) -> bool:
    """Whether a function inside assigns to the variable."""
    return any(isinstance(n, gast.Nonlocal) and name in n.names for n in gast.walk(owner))


def _sites(owner: Any, name: str) -> Iterator[Any]:
    """The parameters, and the statements of a function's own, that bind a name."""
    if any(isinstance(n, gast.Name) and n.id == name for n in gast.walk(owner.args)):
        yield owner.args
    for statement in _statements(owner.body if isinstance(owner.body, list) else ()):
        if _binds(statement, name):
            yield statement


def _statements(body: Any) -> Iterator[gast.stmt]:
    for statement in body:
        yield statement
        if not isinstance(statement, _SCOPES):
            for child in gast.iter_child_nodes(statement):
                inner = getattr(child, "body", ()) if not isinstance(child, gast.stmt) else [child]
                yield from _statements(inner if isinstance(inner, list) else ())


def _binds(statement: gast.stmt, name: str) -> bool:
    """Whether a statement, without those inside, binds a name."""
    if isinstance(statement, (gast.FunctionDef, gast.ClassDef)):
        return statement.name == name
    stack: list[gast.AST] = [statement]
    while stack:
        part = stack.pop()
        if isinstance(part, gast.Name) and part.id == name and not isinstance(part.ctx, gast.Load):
            return True
        if name in (getattr(part, "name", None), getattr(part, "rest", None)):  # of patterns, too
            return True
        if isinstance(part, gast.alias) and (part.asname or part.name).split(".")[0] == name:
            return True
        stack += [
            c for c in gast.iter_child_nodes(part) if not isinstance(c, (gast.stmt, *_SCOPES))
        ]
    return False
