"""The fence: which syntax is in the language, and why the rest is not.

Every node class of `ast` is in `ACCEPTED` or `REFUSED`.  What is refused is compiled to a refusal
in its place: code that is never reached (a branch for other types of arguments, say) may hold
anything.
"""

from __future__ import annotations

import gast

from pyxla.errors import CompileError, Location

STATEMENTS: tuple[type[gast.stmt], ...] = (
    gast.AnnAssign,
    gast.Assert,
    gast.Assign,
    gast.AugAssign,
    gast.Break,
    gast.Continue,
    gast.Delete,
    gast.Expr,
    gast.For,
    gast.ClassDef,
    gast.FunctionDef,
    gast.Global,
    gast.If,
    gast.Import,
    gast.ImportFrom,
    gast.Match,
    gast.Nonlocal,
    gast.Pass,
    gast.Raise,
    gast.Return,
    gast.Try,
    gast.While,
    gast.With,
)
EXPRESSIONS: tuple[type[gast.expr], ...] = (
    gast.Attribute,
    gast.BinOp,
    gast.BoolOp,
    gast.Call,
    gast.Compare,
    gast.Constant,
    gast.Dict,
    gast.DictComp,
    gast.GeneratorExp,
    gast.IfExp,
    gast.JoinedStr,
    gast.Lambda,
    gast.List,
    gast.ListComp,
    gast.Name,
    gast.NamedExpr,
    gast.Set,
    gast.SetComp,
    gast.Slice,
    gast.Subscript,
    gast.Tuple,
    gast.UnaryOp,
    gast.Yield,
)
# Parts of those above: accepted where their owners look at them.
PARTS: tuple[type[gast.AST], ...] = (gast.FormattedValue, gast.Starred)
PATTERNS: tuple[type[gast.pattern], ...] = (
    gast.MatchAs,
    gast.MatchClass,
    gast.MatchMapping,
    gast.MatchOr,
    gast.MatchSequence,
    gast.MatchSingleton,
    gast.MatchStar,
    gast.MatchValue,
)
ACCEPTED: frozenset[type[gast.AST]] = frozenset((*STATEMENTS, *EXPRESSIONS, *PARTS, *PATTERNS))

_ASYNC = ("async code has no meaning in a compiled program", "write a plain function")
_DELEGATED = (
    "the value of `yield from` is not compiled",
    "write `yield from` as a statement, and pass the value on in an object",
)
NO_CLASS = (
    "the code of this class is not that of its source",
    "define it at module level",
)
_TYPE_ALIAS = (
    "a type alias cannot be defined inside a compiled function",
    "define it outside",
)
_TEMPLATE = ("template strings are not compiled", "use an f-string")

# name of the node class -> reason, remedy (names, since later Pythons have more of them)
REFUSED: dict[str, tuple[str, str]] = {
    "TryStar": ("exception groups are not compiled", "write `except` without a star"),
    "AsyncFunctionDef": _ASYNC,
    "AsyncFor": _ASYNC,
    "AsyncWith": _ASYNC,
    "Await": _ASYNC,
    "YieldFrom": _DELEGATED,
    "TypeAlias": _TYPE_ALIAS,
    "TemplateStr": _TEMPLATE,
    "Interpolation": _TEMPLATE,
}
WITH = ("np.errstate gives no value", "write `with np.errstate(...):`")
ERRSTATE_RAISE = (
    "np.errstate cannot raise in a compiled function",
    "test the values and `raise`",
)
BARE_RAISE = (
    "`raise` without an exception has nothing to raise again",
    "name the exception, or write it inside an `except` clause",
)
EXCEPT_CLASS = (
    "the classes that an `except` clause names must be known before the `try`",
    "write the names of classes, or a tuple of them",
)
ASYNC_COMPREHENSION = (
    "async comprehensions are not compiled",
    "write a plain comprehension",
)
TOO_DEEP = (
    "the source is nested too deeply to compile",
    "split the expression or the branches",
)


def refusal(node: gast.AST) -> tuple[str, str]:
    """Reason and remedy for a node outside the language."""
    name = type(node).__name__
    return REFUSED.get(name, (f"this syntax ({name}) is not compiled", "write it in other words"))


def too_deep(loc: Location) -> CompileError:
    reason, hint = TOO_DEEP
    return CompileError(reason, loc, hint=hint)
