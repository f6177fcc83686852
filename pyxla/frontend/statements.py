"""Desugaring of statements: handlers append to the body."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from pyxla.frontend import fence
from pyxla.frontend.expressions import condition, conjuncts
from pyxla.frontend.hoist import (
    DEL,
    LOAD,
    STORE,
    Desugarer,
    at,
    call,
    constant,
    name,
    negate,
    statement,
)
from pyxla.frontend.source import mangle


@statement(ast.Pass)
def _pass(d: Desugarer, node: ast.Pass) -> None:
    pass


@statement(ast.Break, ast.Continue)
def _leave_turn(d: Desugarer, node: ast.stmt) -> None:
    d.body.append(node)


@statement(ast.Expr)
def _expr(d: Desugarer, node: ast.Expr) -> None:
    if isinstance(node.value, ast.YieldFrom):
        return _yield_from(d, node.value)
    value = d.expr(node.value)
    if isinstance(value, ast.Constant) or (
        isinstance(value, ast.Name) and d.is_temporary(value.id)
    ):
        return
    d.body.append(node if value is node.value else at(ast.Expr(value), node))


def _yield_from(d: Desugarer, node: ast.YieldFrom) -> None:
    """`for x in items: yield x`."""
    items, text = d.expr(node.value), d.temporary()
    d.scope.generator = True

    def turn() -> None:
        d.hold(at(ast.Yield(name(text, node)), node), node)

    d.loop(at(ast.Name(text, STORE), node), items, turn, node)


@statement(ast.Assign)
def _assign(d: Desugarer, node: ast.Assign) -> None:
    (target, *others) = node.targets
    unpacks = not others and isinstance(target, ast.Tuple | ast.List)
    if unpacks and isinstance(node.value, ast.IfExp):
        return _unpack_chosen(d, node, target, node.value)
    value = d.expr(node.value)
    if not others and isinstance(target, ast.Subscript) and isinstance(target.value, ast.IfExp):
        return _assign_item(d, node, target, target.value, value)
    if len(node.targets) > 1:
        value = d.spill(value, len(d.body))
    for target in node.targets:
        d.assign(target, value, node)


def _unpack_chosen(d: Desugarer, node: ast.Assign, target: ast.expr, chosen: ast.IfExp) -> None:
    """`a, b = x if test else y`: an assignment on each path, which knows what is unpacked."""

    def choose(value: ast.expr) -> None:
        d.assign(target, value, node)

    test = condition(d, chosen.test)
    d.branch(test, d.block(choose, chosen.body), d.block(choose, chosen.orelse), node)


def _assign_item(
    d: Desugarer, node: ast.Assign, target: ast.Subscript, chosen: ast.IfExp, value: ast.expr
) -> None:
    """`(a if test else b)[i] = value`: an assignment on each path, which knows the object."""
    value = d.spill(value, len(d.body))

    def choose(owner: ast.expr) -> None:
        d.assign(at(ast.Subscript(owner, target.slice, STORE), target), value, node)

    test = condition(d, chosen.test)
    d.branch(test, d.block(choose, chosen.body), d.block(choose, chosen.orelse), node)


@statement(ast.AnnAssign)
def _ann_assign(d: Desugarer, node: ast.AnnAssign) -> None:
    if node.value is not None:
        d.assign(node.target, d.expr(node.value), node)
    elif isinstance(node.target, ast.Name):
        d.scope.stores[mangle(node.target.id, d.class_name)] = None


@statement(ast.AugAssign)
def _aug_assign(d: Desugarer, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        return _aug_assign_name(d, node)
    if isinstance(node.target.value, ast.IfExp):
        return _aug_assign_chosen(d, node, node.target, node.target.value)
    target = d.target(node.target)
    end, before = len(d.body), d.effects
    value = d.expr(node.value)
    if d.effects != before:
        # The old item is read before the value is evaluated.
        hoisted, d.body[end:] = d.body[end:], []
        parts = (
            [d.hold(target.value, node)]
            if isinstance(target, ast.Attribute)
            else [
                d.hold(target.value, node),
                d.hold(d.without_slices(target.slice), node),
            ]
        )
        target, old = (
            _with_parts(target, parts, STORE),
            _with_parts(target, parts, LOAD),
        )
        held = d.hold(old, node)
        d.body += hoisted
        d.body.append(at(ast.AugAssign(at(ast.Name(held.id, STORE), node), node.op, value), node))
        d.body.append(at(ast.Assign([target], held), node))
        return
    d.body.append(at(ast.AugAssign(target, node.op, value), node))
    d.effects += 1


def _aug_assign_chosen(
    d: Desugarer, node: ast.AugAssign, target: ast.Attribute | ast.Subscript, chosen: ast.IfExp
) -> None:
    """`(a if test else b)[i] += value` on each path."""

    def choose(owner: ast.expr) -> None:
        made: ast.Attribute | ast.Subscript = (
            ast.Subscript(owner, target.slice, STORE)
            if isinstance(target, ast.Subscript)
            else ast.Attribute(owner, target.attr, STORE)
        )
        _aug_assign(d, at(ast.AugAssign(at(made, target), node.op, node.value), node))

    test = condition(d, chosen.test)
    d.branch(test, d.block(choose, chosen.body), d.block(choose, chosen.orelse), node)


def _with_parts(target: Any, parts: Sequence[ast.expr], context: ast.expr_context) -> Any:
    """The attribute or item `target` of held parts."""
    if isinstance(target, ast.Attribute):
        return at(ast.Attribute(parts[0], target.attr, context), target)
    return at(ast.Subscript(parts[0], parts[1], context), target)


def _aug_assign_name(d: Desugarer, node: ast.AugAssign) -> None:
    target = d.target(node.target)
    load = at(ast.Name(target.id, LOAD), node.target)
    old: Any
    old, value = d.pair(load, node.value)
    if old.id == target.id:
        d.body.append(at(ast.AugAssign(target, node.op, value), node))
    else:
        place = at(ast.Name(old.id, STORE), node)
        d.body.append(at(ast.AugAssign(place, node.op, value), node))
        d.body.append(at(ast.Assign([target], old), node))
    d.effects += 1


@statement(ast.Delete)
def _delete(d: Desugarer, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            _delete(d, at(ast.Delete(target.elts), node))
            continue
        lowered = d.target(target)
        if isinstance(lowered, ast.Name):
            lowered = at(ast.Name(lowered.id, DEL), lowered)
        else:
            lowered.ctx = DEL
        d.body.append(at(ast.Delete([lowered]), node))
        d.effects += 1


@statement(ast.Return)
def _return(d: Desugarer, node: ast.Return) -> None:
    value = constant(None, node) if node.value is None else d.expr(node.value)
    d.body.append(node if value is node.value else at(ast.Return(value), node))


@statement(ast.Raise)
def _raise(d: Desugarer, node: ast.Raise) -> None:
    if node.exc is None:
        if d.handled is None:
            return d.refuse(node, fence.BARE_RAISE)
        d.body.append(at(ast.Raise(d.handled, None), node))
        return
    exc, *cause = d.operands([e for e in (node.exc, node.cause) if e is not None])
    d.body.append(at(ast.Raise(exc, cause[0] if cause else None), node))


@statement(ast.Assert)
def _assert(d: Desugarer, node: ast.Assert) -> None:
    if not __debug__:  # `python -O`
        return

    def fail() -> None:
        message = [] if node.msg is None else [d.expr(node.msg)]
        d.scope.loads["AssertionError"] = None
        error = at(ast.Call(name("AssertionError", node), message, []), node)
        d.body.append(at(ast.Raise(error, None), node))

    test = condition(d, node.test)
    d.branch(negate(test), d.block(fail), [], node)


@statement(ast.If)
def _if(d: Desugarer, node: ast.If) -> None:
    # An `elif` is followed in place: a long chain is no deep recursion.
    outer = d.body
    while True:
        tests = [] if node.orelse else conjuncts(node.test)
        if len(tests) > 1:
            _if_all(d, tests, node)
            break
        test = condition(d, node.test)
        body = d.block(d.statements, node.body)
        orelse: list[ast.stmt] = []
        chained = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        if not chained:
            orelse = d.block(d.statements, node.orelse)
        lowered = at(ast.If(test, body or [at(ast.Pass(), node)], orelse), node)
        d.body.append(lowered)
        d.effects += 1
        if not chained:
            break
        d.body = lowered.orelse
        node = node.orelse[0]  # type: ignore[assignment]
    d.body = outer


def _if_all(d: Desugarer, tests: Sequence[ast.expr], node: ast.If) -> None:
    """`if a: if b: ...` for the conjuncts a, b."""

    def inside() -> None:
        if len(tests) > 1:
            _if_all(d, tests[1:], node)
        else:
            d.statements(node.body)

    d.branch(condition(d, tests[0]), d.block(inside), [], tests[0])


@statement(ast.While)
def _while(d: Desugarer, node: ast.While) -> None:
    inside, after = _split_else(d, node)

    def leave() -> None:
        inside()
        d.body.append(at(ast.Break(), node.test))

    def turn() -> None:
        for part in [node.test] if node.orelse else conjuncts(node.test):
            test = negate(condition(d, part))
            if not (isinstance(test, ast.Constant) and not test.value):
                d.branch(test, d.block(leave), [], part)
        d.statements(node.body)

    d.forever(d.block(turn), node)
    after()


@statement(ast.For)
def _for(d: Desugarer, node: ast.For) -> None:
    items, watched = _watched(d, node)
    inside, after = _split_else(d, node)
    d.loop(node.target, items, lambda: d.statements(node.body), node, inside, watched)
    after()


_VIEWS = frozenset({"keys", "values", "items"})
_CHANGING = frozenset(
    ("add", "clear", "discard", "pop", "popitem", "remove", "setdefault", "update")
)


def _watched(d: Desugarer, node: ast.For) -> tuple[ast.expr, ast.expr | None]:
    """What a loop reads, and the container whose items these are, where the body may change it."""
    view, place = node.iter, isinstance(node.iter, (ast.Name, ast.Attribute, ast.Subscript))
    if not _changes(node.body):
        return d.expr(view), None
    if isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute) and not view.args:
        if view.func.attr in _VIEWS and not view.keywords:
            owner = d.hold(d.expr(view.func.value), node)
            method = at(ast.Attribute(owner, view.func.attr, LOAD), view)
            return at(ast.Call(method, [], []), view), owner
    if not place:
        return d.expr(view), None
    container = d.hold(d.expr(view), node)
    return container, container


def _changes(body: list[ast.stmt]) -> bool:
    """Whether statements may change the size of a dict or a set."""
    for inner in (part for s in body for part in ast.walk(s)):
        if isinstance(inner, (ast.Delete, ast.Yield)):
            return True
        if isinstance(inner, ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            return True
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            if inner.func.attr in _CHANGING:
                return True
    return False


def _split_else(d: Desugarer, node: Any) -> tuple[Any, Any]:
    """What runs where the loop ends without `break`: inside it before it is left, and after it.

    An `else` clause goes inside, unless it leaves the loop around, or nothing breaks anyway.
    """

    def nothing() -> None:
        pass

    def clause() -> None:
        d.statements(node.orelse)

    if not node.orelse:
        return nothing, nothing
    if not any(isinstance(s, ast.Break) for s in _leaving(node.body)):
        return nothing, clause
    if not any(True for _ in _leaving(node.orelse)):
        return clause, nothing
    flag = d.hold(constant(False, node), node)
    d.booleans.add(flag.id)

    def finish() -> None:
        d.set(flag.id, constant(True, node), node)

    def after() -> None:
        d.branch(flag, d.block(clause), [], node)

    return finish, after


def _leaving(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The `break` and `continue` statements that belong to the loop around `statements`."""
    work = list(statements)
    while work:
        node = work.pop()
        if isinstance(node, (ast.Break, ast.Continue)):
            yield node
        elif isinstance(node, (ast.For, ast.While)):
            work += node.orelse
        elif isinstance(node, ast.Match):
            for case in node.cases:
                work += case.body
        elif isinstance(node, (ast.If, ast.With, ast.Try)):
            work += [*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
            for handler in getattr(node, "handlers", ()):
                work += handler.body


@statement(ast.Try)
def _try(d: Desugarer, node: ast.Try) -> None:
    classes = [_exception_classes(d, handler) for handler in node.handlers]
    guarded, d.guarded = d.guarded, True
    inside = d.block(d.statements, node.body)
    d.guarded = guarded or bool(node.finalbody)
    orelse = d.block(d.statements, node.orelse)
    handlers = []
    if node.handlers:
        raised = d.temporary()
        d.scope.stores[raised] = None
        clauses = list(zip(node.handlers, classes, strict=True))
        body = d.block(_clauses, d, clauses, name(raised, node.handlers[0]), [])
        kind = at(ast.Tuple([*classes], LOAD), node)
        handlers = [at(ast.ExceptHandler(kind, raised, body), node.handlers[0])]
    d.guarded = guarded
    finish = d.block(d.statements, node.finalbody)
    if node.finalbody and not finish:
        finish = [at(ast.Pass(), node)]
    inside = inside or [at(ast.Pass(), node)]
    d.body.append(at(ast.Try(inside, handlers, orelse, finish), node))
    d.effects += 1


def _exception_classes(d: Desugarer, handler: ast.ExceptHandler) -> ast.Name:
    """What a handler takes, evaluated before the `try`."""
    if handler.type is None:
        d.scope.loads["BaseException"] = None
        return d.hold(name("BaseException", handler), handler)
    for part in ast.walk(handler.type):
        if isinstance(part, ast.expr) and not isinstance(
            part, (ast.Name, ast.Attribute, ast.Tuple)
        ):
            d.refuse(part, fence.EXCEPT_CLASS)
    return d.hold(d.expr(handler.type), handler)


def _clauses(
    d: Desugarer,
    clauses: list[tuple[ast.ExceptHandler, ast.Name]],
    raised: ast.Name,
    before: list[ast.expr],
) -> None:
    """`if` the first clause takes what was raised: its body; `else` the others.

    before: what the clauses before take.
    """
    (handler, classes), *rest = clauses

    def body() -> None:
        outer = d.handled
        d.handled = d.hold(call("caught", [raised, classes, *before], handler), handler)
        if handler.name is not None:
            text = d.renames.get(handler.name) or mangle(handler.name, d.class_name)
            d.store(at(ast.Name(text, STORE), handler), d.handled, handler)
        d.statements(handler.body)
        d.handled = outer
        if handler.name is not None:
            d.body.append(at(ast.Delete([at(ast.Name(text, DEL), handler)]), handler))

    if not rest:
        return body()
    test = call("catches", [raised, classes], handler)
    d.branch(test, d.block(body), d.block(_clauses, d, rest, raised, [*before, classes]), handler)


@statement(ast.With)
def _with(d: Desugarer, node: ast.With) -> None:
    _with_items(d, node, node.items)


def _with_items(d: Desugarer, node: ast.With, items: Sequence[ast.withitem]) -> None:
    """`with` of the first of `items`, around the others and the body."""
    if not items:
        return d.statements(node.body)
    item, *rest = items
    match item.context_expr:
        case ast.Call(func=ast.Attribute(attr="errstate") | ast.Name(id="errstate")) as settings:
            if any(_is_raise(keyword.value) for keyword in settings.keywords):
                return d.refuse(settings, fence.ERRSTATE_RAISE)
            if item.optional_vars is not None:
                d.refuse(item.optional_vars, fence.WITH)
            return _with_items(d, node, rest)
    manager = d.spill(d.expr(item.context_expr), len(d.body))
    value = d.hold(call("enter", [manager], item.context_expr), item.context_expr)
    guarded, d.guarded = d.guarded, True
    inside = d.block(_with_body, d, node, item, value, rest)
    d.guarded = guarded
    _with_exit(d, item.context_expr, manager, inside)


def _with_body(
    d: Desugarer,
    node: ast.With,
    item: ast.withitem,
    value: ast.expr,
    rest: Sequence[ast.withitem],
) -> None:
    if item.optional_vars is not None:
        d.assign(item.optional_vars, value, node)
    _with_items(d, node, rest)


def _with_exit(d: Desugarer, node: ast.expr, manager: ast.expr, inside: list[ast.stmt]) -> None:
    """Append `inside`, after which the manager's `__exit__` runs, however it is left."""
    d.scope.loads["BaseException"] = None
    kind = at(ast.Tuple([d.hold(name("BaseException", node), node)], LOAD), node)
    raised = d.temporary()
    d.scope.stores[raised] = None
    open_ = name(d.fresh("open"), node)  # no temporary: handlers read it
    d.set(open_.id, constant(True, node), node)

    def handle() -> None:
        d.set(open_.id, constant(False, node), node)
        what = name(raised, node)
        again = at(ast.Raise(what, None), node)
        d.branch(negate(call("leave", [manager, what], node)), [again], [], node)

    def leave() -> None:
        finish = at(ast.Expr(call("leave", [manager, constant(None, node)], node)), node)
        d.branch(open_, [finish], [], node)

    handler = at(ast.ExceptHandler(kind, raised, d.block(handle)), node)
    tried = at(ast.Try(inside or [at(ast.Pass(), node)], [handler], [], []), node)
    d.body.append(at(ast.Try([tried], [], [], d.block(leave)), node))
    d.effects += 1


def _is_raise(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and value.value in ("ignore", "warn"))


@statement(ast.Import)
def _import(d: Desugarer, node: ast.Import) -> None:
    for alias in node.names:
        top = constant(alias.asname is None, node)
        value = call("import_module", [constant(alias.name, node), top], node)
        _bind(d, alias.asname or alias.name.partition(".")[0], value, node)


@statement(ast.ImportFrom)
def _import_from(d: Desugarer, node: ast.ImportFrom) -> None:
    for alias in node.names:
        package: ast.expr = constant(None, node)
        if node.level:
            d.scope.loads["__package__"] = None
            package = name("__package__", node)
        where = [constant(node.level, node), constant(node.module or "", node)]
        value = call("import_from", [package, *where, constant(alias.name, node)], node)
        _bind(d, alias.asname or alias.name, value, node)


def _bind(d: Desugarer, text: str, value: ast.expr, node: ast.AST) -> None:
    d.store(at(ast.Name(mangle(text, d.class_name), STORE), node), value, node)


@statement(ast.Global)
def _global(d: Desugarer, node: ast.Global) -> None:
    d.scope.global_.update(dict.fromkeys(node.names))
    d.body.append(node)


@statement(ast.Nonlocal)
def _nonlocal(d: Desugarer, node: ast.Nonlocal) -> None:
    d.scope.nonlocal_.update(dict.fromkeys(node.names))
    d.body.append(node)


@statement(ast.FunctionDef)
def _function_def(d: Desugarer, node: ast.FunctionDef) -> None:
    decorators = [d.spill(d.expr(e), len(d.body)) for e in node.decorator_list]
    title = mangle(node.name, d.class_name)
    d.nested_function(node, title, node.name, lambda: d.function_body(node))
    d.effects += 1
    for decorator in reversed(decorators):
        decorated = at(ast.Call(decorator, [name(title, node)], []), node)
        d.store(at(ast.Name(title, STORE), node), decorated, node)
