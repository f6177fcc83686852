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

import copy
import dataclasses
from collections.abc import Iterator, Sequence

import gast

from pyxla.frontend import tree
from pyxla.frontend.source import SourceFunction, once
from pyxla.frozen import dataclass

_CLOSED = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)
_OWN_SCOPE = (*_CLOSED, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_YIELDS = (gast.Yield, gast.YieldFrom)


@dataclass(frozen=True, slots=True)
class _Cut:
    """The statements before and after the one `yield`."""

    before: list[gast.stmt]
    at: gast.Yield
    after: list[gast.stmt]


@dataclass(frozen=True, slots=True)
class _Names:
    """Names that the function does not use."""

    yielded: str
    leave: str
    error: str


@once("split")
def split(source: SourceFunction) -> SourceFunction | None:
    """`source`, a generator function, as one that returns what is yielded and what comes after as a
    function of the exception that is raised there, or None; None where it is not cut easily."""
    node = source.node
    if not isinstance(node, gast.FunctionDef) or _has(node.body, (gast.Global, gast.Nonlocal)):
        return None
    names = _Names(*[_fresh(text, source.names) for text in ("yielded", "leave", "error")])
    cut = _cut(node.body, names)
    if cut is None or _has(cut.before, (*_YIELDS, gast.Return)) or _has(cut.after, _YIELDS):
        return None
    params = {
        x.id
        for x in gast.walk(node.args)
        if isinstance(x, gast.Name) and isinstance(x.ctx, gast.Param)
    }
    shared = _stores(cut.after) & (_stores(cut.before) | params)
    outer: list[gast.stmt] = [gast.Nonlocal(sorted(shared))] if shared else []
    leave = _function(names.leave, names.error, [*outer, *cut.after])
    result = gast.Tuple([_load(names.yielded), _load(names.leave)], gast.Load())
    body = [*cut.before, leave, gast.Return(result)]
    whole = tree.function_def(node.name, node.args, _placed(body, cut.at))
    used = {x.id for x in gast.walk(leave) if isinstance(x, gast.Name)}
    return dataclasses.replace(
        source,
        node=gast.copy_location(whole, node),
        names=source.names | set(dataclasses.astuple(names)),
        unshared=source.unshared - used,
        stages={},
    )


def _cut(body: Sequence[gast.stmt], names: _Names, last: bool = True) -> _Cut | None:
    """The cut of a block that has the `yield`, in a statement of its own or in a `try`; last: all
    that comes after the block is the `finally` of others."""
    places = [k for k, statement in enumerate(body) if _has([statement], _YIELDS)]
    if len(places) != 1:
        return None
    before, statement, after = list(body[: places[0]]), body[places[0]], body[places[0] + 1 :]
    match statement:
        case gast.Expr(value=gast.Yield() as at):
            received: list[gast.stmt] = []
        case gast.Assign(targets=targets, value=gast.Yield() as at):
            received = [gast.Assign(targets, tree.constant(None), None)]
        case gast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=final):
            last = last and not after
            found = _cut(inner, names, last and not handlers and not orelse)
            if found is None:
                return None
            guarded = _guarded(found.before, handlers, final, last)
            if guarded is None:
                return None
            rest = [gast.Try(found.after, handlers, orelse, final), *after]
            return _Cut([*before, *guarded], found.at, rest)
        case _:
            return None
    value = at.value or tree.constant(None)
    error = _load(names.error)
    raised = gast.Compare(error, [gast.IsNot()], [tree.constant(None)])
    throw = gast.If(raised, [gast.Raise(error, None)], [])
    made = tree.assign(tree.store(names.yielded), value)
    return _Cut([*before, made], at, [throw, *received, *after])


def _guarded(
    entered: list[gast.stmt],
    handlers: list[gast.ExceptHandler],
    final: list[gast.stmt],
    last: bool,
) -> list[gast.stmt] | None:
    """What a `try` does before its `yield`: if it raises, its clauses and `finally` run then, after
    which there is nothing to yield."""
    *first, at = entered
    if not first and isinstance(at, gast.Assign):
        if isinstance(at.value, (gast.Constant, gast.Name)):
            return entered
    if not last and not all(isinstance(handler.body[-1], gast.Raise) for handler in handlers):
        return None
    again: list[gast.stmt] = [gast.Raise(None, None)]
    guarded = gast.Try(again, copy.deepcopy(handlers), [], copy.deepcopy(final))
    missing = gast.Call(tree.load("RuntimeError"), [tree.constant("generator didn't yield")], [])
    handler = gast.ExceptHandler(
        tree.load("BaseException"), None, [guarded, gast.Raise(missing, None)]
    )
    return [gast.Try(entered, [handler], [], [])]


def _function(name: str, param: str, body: list[gast.stmt]) -> gast.FunctionDef:
    return tree.function_def(name, tree.parameters([tree.parameter(param)]), body)


def _load(name: str) -> gast.Name:
    return tree.load(name)


def _fresh(name: str, used: frozenset[str]) -> str:
    while name in used:
        name = f"_{name}"
    return name


def _placed(body: list[gast.stmt], at: gast.AST) -> list[gast.stmt]:
    """`body`, whose new nodes get the place of the `yield`."""
    for statement in body:
        for node in gast.walk(statement):
            if not hasattr(node, "lineno"):
                gast.copy_location(node, at)
    return body


def _walk(body: Sequence[gast.AST], closed: tuple[type, ...]) -> Iterator[gast.AST]:
    """All nodes but those inside of what has a scope of its own."""
    work = list(body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, closed):
            work.extend(gast.iter_child_nodes(node))


def _has(body: Sequence[gast.AST], kinds: tuple[type, ...]) -> bool:
    return any(isinstance(node, kinds) for node in _walk(body, _CLOSED))


def _stores(body: Sequence[gast.AST]) -> set[str]:
    """The variables that statements bind."""
    found: set[str] = set()
    for node in _walk(body, _OWN_SCOPE):
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            found.add(node.id)
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, gast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found
