"""A generator function that yields once, cut in two there: what `contextlib.contextmanager` needs.

    def g(x):                         def g(x):
        before                            before
        try:                              yielded = value
            yield value      becomes      def leave(error):
        finally:                              nonlocal ...
            after                             try:
                                                  if error is not None:
                                                      raise error
                                              finally:
                                                  after
                                          return yielded, leave

The `yield` is a statement of the function, or of the `try` statements in it: neither in a loop nor
in a condition, where there might be several or none.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Iterator, Sequence

from pyxla.frontend.source import SourceFunction

_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_OWN_SCOPE = (*_CLOSED, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_YIELDS = (ast.Yield, ast.YieldFrom)


@dataclasses.dataclass(frozen=True, slots=True)
class _Cut:
    """The statements before and after the one `yield`."""

    before: list[ast.stmt]
    at: ast.Yield
    after: list[ast.stmt]


@dataclasses.dataclass(frozen=True, slots=True)
class _Names:
    """Names that the function does not use."""

    yielded: str
    leave: str
    error: str


def split(source: SourceFunction) -> SourceFunction | None:
    """`source`, a generator function, as one that returns what is yielded and what comes after as a
    function of the exception that is raised there, or None; None where it is not cut easily."""
    if "split" not in source.stages:
        source.stages["split"] = _split(source)
    found: SourceFunction | None = source.stages["split"]
    return found


def _split(source: SourceFunction) -> SourceFunction | None:
    node = source.node
    if not isinstance(node, ast.FunctionDef) or _has(node.body, (ast.Global, ast.Nonlocal)):
        return None
    names = _Names(*[_fresh(text, source.names) for text in ("yielded", "leave", "error")])
    cut = _cut(node.body, names)
    if cut is None or _has(cut.before, (*_YIELDS, ast.Return)) or _has(cut.after, _YIELDS):
        return None
    params = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    shared = _stores(cut.after) & (_stores(cut.before) | params)
    outer: list[ast.stmt] = [ast.Nonlocal(sorted(shared))] if shared else []
    leave = _function(names.leave, names.error, [*outer, *cut.after])
    result = ast.Tuple([_load(names.yielded), _load(names.leave)], ast.Load())
    body = [*cut.before, leave, ast.Return(result)]
    whole = ast.FunctionDef(node.name, node.args, _placed(body, cut.at), [], None)
    used = {x.id for x in ast.walk(leave) if isinstance(x, ast.Name)}
    return dataclasses.replace(
        source,
        node=ast.copy_location(whole, node),
        names=source.names | set(dataclasses.astuple(names)),
        unshared=source.unshared - used,
        stages={},
    )


def _cut(body: Sequence[ast.stmt], names: _Names) -> _Cut | None:
    """The cut of a block that has the `yield`, in a statement of its own or in a `try`."""
    places = [k for k, statement in enumerate(body) if _has([statement], _YIELDS)]
    if len(places) != 1:
        return None
    before, statement, after = list(body[: places[0]]), body[places[0]], body[places[0] + 1 :]
    match statement:
        case ast.Expr(value=ast.Yield() as at):
            received: list[ast.stmt] = []
        case ast.Assign(targets=targets, value=ast.Yield() as at):
            received = [ast.Assign(targets, ast.Constant(None))]
        case ast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=final):
            found = _cut(inner, names)
            if found is None:
                return None
            guarded = _guarded(found.before, handlers, orelse, final)
            if guarded is None:
                return None
            rest = [ast.Try(found.after, handlers, orelse, final), *after]
            return _Cut([*before, *guarded], found.at, rest)
        case _:
            return None
    value = at.value or ast.Constant(None)
    error = _load(names.error)
    raised = ast.Compare(error, [ast.IsNot()], [ast.Constant(None)])
    throw = ast.If(raised, [ast.Raise(error, None)], [])
    made = ast.Assign([ast.Name(names.yielded, ast.Store())], value)
    return _Cut([*before, made], at, [throw, *received, *after])


def _guarded(
    entered: list[ast.stmt],
    handlers: list[ast.ExceptHandler],
    orelse: list[ast.stmt],
    final: list[ast.stmt],
) -> list[ast.stmt] | None:
    """What a `try` does before its `yield`: if it raises, the `finally` runs then."""
    *first, last = entered
    if not first and isinstance(last, ast.Assign):
        if isinstance(last.value, (ast.Constant, ast.Name)):
            return entered
    if handlers:
        return None
    again = [*copy.deepcopy(final), ast.Raise(None, None)]
    handler = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, again)
    return [ast.Try(entered, [handler], [], [])]


def _function(name: str, param: str, body: list[ast.stmt]) -> ast.FunctionDef:
    params = ast.arguments([], [ast.arg(param)], None, [], [], None, [])
    return ast.FunctionDef(name, params, body, [], None)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _fresh(name: str, used: frozenset[str]) -> str:
    while name in used:
        name = f"_{name}"
    return name


def _placed(body: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
    """`body`, whose new nodes get the place of the `yield`."""
    for statement in body:
        for node in ast.walk(statement):
            if not hasattr(node, "lineno"):
                ast.copy_location(node, at)
    return body


def _walk(body: Sequence[ast.AST], closed: tuple[type, ...]) -> Iterator[ast.AST]:
    """All nodes but those inside of what has a scope of its own."""
    work = list(body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, closed):
            work.extend(ast.iter_child_nodes(node))


def _has(body: Sequence[ast.AST], kinds: tuple[type, ...]) -> bool:
    return any(isinstance(node, kinds) for node in _walk(body, _CLOSED))


def _stores(body: Sequence[ast.AST]) -> set[str]:
    """The variables that statements bind."""
    found: set[str] = set()
    for node in _walk(body, _OWN_SCOPE):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found
