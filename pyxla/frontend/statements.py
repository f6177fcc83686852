"""Desugaring of statements: handlers append to the body."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from pyxla.frontend import comprehensions, fence, local_classes, tree
from pyxla.frontend.expressions import condition, conjuncts
from pyxla.frontend.hoist import (
    ClassBody,
    Desugarer,
    at,
    call,
    constant,
    name,
    negate,
    statement,
)
from pyxla.frontend.source import mangle
from pyxla.frontend.tree import DEL, LOAD, STORE


@statement(gast.Pass)
def _pass(d: Desugarer, node: gast.Pass) -> None:
    pass


@statement(gast.Break, gast.Continue)
def _leave_turn(d: Desugarer, node: gast.stmt) -> None:
    d.body.append(node)


@statement(gast.Expr)
def _expr(d: Desugarer, node: gast.Expr) -> None:
    if isinstance(node.value, gast.YieldFrom):
        return _yield_from(d, node.value)
    if comprehensions.extended(node.value):
        return comprehensions.extend(d, node.value)
    value = d.expr(node.value)
    if isinstance(value, gast.Constant) or (
        isinstance(value, gast.Name) and d.is_temporary(value.id)
    ):
        return
    d.body.append(node if value is node.value else at(gast.Expr(value), node))


def _yield_from(d: Desugarer, node: gast.YieldFrom) -> None:
    """`for x in items: yield x`."""
    text = d.temporary()
    d.scope.generator = True

    def body() -> None:
        d.hold(at(gast.Yield(name(text, node)), node), node)

    comprehensions.loop(d, at(tree.store(text), node), node.value, body, node)


@statement(gast.Assign)
def _assign(d: Desugarer, node: gast.Assign) -> None:
    (target, *others) = node.targets
    unpacks = not others and isinstance(target, gast.Tuple | gast.List)
    if unpacks and isinstance(node.value, gast.IfExp):
        return _unpack_chosen(d, node, target, node.value)
    value = d.expr(node.value)
    if not others and isinstance(target, gast.Subscript) and isinstance(target.value, gast.IfExp):
        return _assign_item(d, node, target, target.value, value)
    if len(node.targets) > 1:
        value = d.spill(value, len(d.body))
    for target in node.targets:
        d.assign(target, value, node)


def _on_each_path(
    d: Desugarer, chosen: gast.IfExp, do: Callable[[gast.expr], None], node: gast.stmt
) -> None:
    """Do this with either of `x if test else y`, each on its path."""
    test = condition(d, chosen.test)
    d.branch(test, d.block(do, chosen.body), d.block(do, chosen.orelse), node)


def _unpack_chosen(d: Desugarer, node: gast.Assign, target: gast.expr, chosen: gast.IfExp) -> None:
    """`a, b = x if test else y`: an assignment on each path, which knows what is unpacked."""

    def choose(value: gast.expr) -> None:
        if isinstance(value, gast.IfExp):
            _unpack_chosen(d, node, target, value)
        else:
            d.assign(target, d.expr(value), node)

    _on_each_path(d, chosen, choose, node)


def _assign_item(
    d: Desugarer, node: gast.Assign, target: gast.Subscript, chosen: gast.IfExp, value: gast.expr
) -> None:
    """`(a if test else b)[i] = value`: an assignment on each path, which knows the object."""
    value = d.spill(value, len(d.body))

    def choose(owner: gast.expr) -> None:
        d.assign(at(gast.Subscript(owner, target.slice, STORE), target), value, node)

    _on_each_path(d, chosen, choose, node)


@statement(gast.AnnAssign)
def _ann_assign(d: Desugarer, node: gast.AnnAssign) -> None:
    if node.value is not None:
        d.assign(node.target, d.expr(node.value), node)
    elif isinstance(node.target, gast.Name):
        d.scope.stores[mangle(node.target.id, d.class_name)] = None


@statement(gast.AugAssign)
def _aug_assign(d: Desugarer, node: gast.AugAssign) -> None:
    if isinstance(node.target, gast.Name):
        return _aug_assign_name(d, node)
    if isinstance(node.target.value, gast.IfExp):
        return _aug_assign_chosen(d, node, node.target, node.target.value)
    target = d.target(node.target)
    end, before = len(d.body), d.effects
    value = d.expr(node.value)
    if d.effects != before:
        # The old item is read before the value is evaluated.
        hoisted, d.body[end:] = d.body[end:], []
        parts = [d.hold(target.value, node)]
        if isinstance(target, gast.Subscript):
            parts.append(d.hold(d.without_slices(target.slice), node))
        held = d.hold(_with_parts(target, parts, LOAD), node)
        target = _with_parts(target, parts, STORE)
        d.body += hoisted
        d.body.append(at(gast.AugAssign(at(tree.store(held.id), node), node.op, value), node))
        d.body.append(at(tree.assign(target, held), node))
        return
    d.body.append(at(gast.AugAssign(target, node.op, value), node))
    d.effects += 1


def _aug_assign_chosen(
    d: Desugarer, node: gast.AugAssign, target: gast.Attribute | gast.Subscript, chosen: gast.IfExp
) -> None:
    """`(a if test else b)[i] += value` on each path."""

    def choose(owner: gast.expr) -> None:
        made = copy.copy(target)
        made.value = owner
        _aug_assign(d, at(gast.AugAssign(made, node.op, node.value), node))

    _on_each_path(d, chosen, choose, node)


def _with_parts(target: Any, parts: Sequence[gast.expr], context: gast.expr_context) -> Any:
    """The attribute or item `target` of held parts."""
    if isinstance(target, gast.Attribute):
        return at(gast.Attribute(parts[0], target.attr, context), target)
    return at(gast.Subscript(parts[0], parts[1], context), target)


def _aug_assign_name(d: Desugarer, node: gast.AugAssign) -> None:
    target = d.target(node.target)
    load = at(tree.load(target.id), node.target)
    old: Any
    old, value = d.pair(load, node.value)
    if old.id == target.id:
        d.body.append(at(gast.AugAssign(target, node.op, value), node))
    else:
        place = at(tree.store(old.id), node)
        d.body.append(at(gast.AugAssign(place, node.op, value), node))
        d.body.append(at(tree.assign(target, old), node))
    d.effects += 1


@statement(gast.Delete)
def _delete(d: Desugarer, node: gast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, (gast.Tuple, gast.List)):
            _delete(d, at(gast.Delete(target.elts), node))
            continue
        lowered = d.target(target)
        if isinstance(lowered, gast.Name):
            lowered = at(tree.delete(lowered.id), lowered)
        else:
            lowered.ctx = DEL
        d.body.append(at(gast.Delete([lowered]), node))
        d.effects += 1


@statement(gast.Return)
def _return(d: Desugarer, node: gast.Return) -> None:
    value = constant(None, node) if node.value is None else d.expr(node.value)
    d.body.append(node if value is node.value else at(gast.Return(value), node))


@statement(gast.Raise)
def _raise(d: Desugarer, node: gast.Raise) -> None:
    if node.exc is None:
        if d.handled is None:
            return d.refuse(node, fence.BARE_RAISE)
        d.body.append(at(gast.Raise(d.handled, None), node))
        return
    exc, *cause = d.operands([e for e in (node.exc, node.cause) if e is not None])
    d.body.append(at(gast.Raise(exc, cause[0] if cause else None), node))


@statement(gast.Assert)
def _assert(d: Desugarer, node: gast.Assert) -> None:
    if not __debug__:  # `python -O`
        return

    def fail() -> None:
        message = [] if node.msg is None else [d.expr(node.msg)]
        d.scope.loads["AssertionError"] = None
        error = at(gast.Call(name("AssertionError", node), message, []), node)
        d.body.append(at(gast.Raise(error, None), node))

    test = condition(d, node.test)
    d.branch(negate(test), d.block(fail), [], node)


@statement(gast.If)
def _if(d: Desugarer, node: gast.If) -> None:
    # An `elif` is followed in place: a long chain is no deep recursion.
    outer = d.body
    while True:
        tests = [] if node.orelse else conjuncts(node.test)
        if len(tests) > 1:
            _if_all(d, tests, node)
            break
        test = condition(d, node.test)
        body = d.block(d.statements, node.body)
        orelse: list[gast.stmt] = []
        chained = len(node.orelse) == 1 and isinstance(node.orelse[0], gast.If)
        if not chained:
            orelse = d.block(d.statements, node.orelse)
        lowered = at(gast.If(test, body or [at(gast.Pass(), node)], orelse), node)
        d.body.append(lowered)
        d.effects += 1
        if not chained:
            break
        d.body = lowered.orelse
        node = node.orelse[0]  # type: ignore[assignment]
    d.body = outer


def _if_all(d: Desugarer, tests: Sequence[gast.expr], node: gast.If) -> None:
    """`if a: if b: ...` for the conjuncts a, b."""

    def inside() -> None:
        if len(tests) > 1:
            _if_all(d, tests[1:], node)
        else:
            d.statements(node.body)

    d.branch(condition(d, tests[0]), d.block(inside), [], tests[0])


@statement(gast.While)
def _while(d: Desugarer, node: gast.While) -> None:
    inside, after = _split_else(d, node)

    def leave() -> None:
        inside()
        d.body.append(at(gast.Break(), node.test))

    def body() -> None:
        for part in [node.test] if node.orelse else conjuncts(node.test):
            test = negate(condition(d, part))
            if not (isinstance(test, gast.Constant) and not test.value):
                d.branch(test, d.block(leave), [], part)
        d.statements(node.body)

    d.forever(d.block(body), node)
    after()


@statement(gast.For)
def _for(d: Desugarer, node: gast.For) -> None:
    inside, after = _split_else(d, node)
    breaks = any(isinstance(s, gast.Break) for s in _leaving(node.body))
    loop = comprehensions.loop
    loop(d, node.target, node.iter, lambda: d.statements(node.body), node, inside, breaks)
    after()


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
    if not any(isinstance(s, gast.Break) for s in _leaving(node.body)):
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


def _leaving(statements: Sequence[gast.stmt]) -> Iterator[gast.stmt]:
    """The `break` and `continue` statements that belong to the loop around `statements`."""
    work = list(statements)
    while work:
        node = work.pop()
        if isinstance(node, (gast.Break, gast.Continue)):
            yield node
        elif isinstance(node, (gast.For, gast.While)):
            work += node.orelse
        elif isinstance(node, gast.Match):
            for case in node.cases:
                work += case.body
        elif isinstance(node, (gast.If, gast.With, gast.Try)):
            work += [*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
            for handler in getattr(node, "handlers", ()):
                work += handler.body


@statement(gast.Try)
def _try(d: Desugarer, node: gast.Try) -> None:
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
        kind = at(gast.Tuple([*classes], LOAD), node)
        handlers = [at(gast.ExceptHandler(kind, tree.store(raised), body), node.handlers[0])]
    d.guarded = guarded
    finish = d.block(d.statements, node.finalbody)
    if node.finalbody and not finish:
        finish = [at(gast.Pass(), node)]
    inside = inside or [at(gast.Pass(), node)]
    d.body.append(at(gast.Try(inside, handlers, orelse, finish), node))
    d.effects += 1


def _exception_classes(d: Desugarer, handler: gast.ExceptHandler) -> gast.Name:
    """What a handler takes, evaluated before the `try`."""
    if handler.type is None:
        d.scope.loads["BaseException"] = None
        return d.hold(name("BaseException", handler), handler)
    for part in gast.walk(handler.type):
        if isinstance(part, gast.expr) and not isinstance(
            part, (gast.Name, gast.Attribute, gast.Tuple)
        ):
            d.refuse(part, fence.EXCEPT_CLASS)
    return d.hold(d.expr(handler.type), handler)


def _clauses(
    d: Desugarer,
    clauses: list[tuple[gast.ExceptHandler, gast.Name]],
    raised: gast.Name,
    before: list[gast.expr],
) -> None:
    """`if` the first clause takes what was raised: its body; `else` the others.

    before: what the clauses before take.
    """
    (handler, classes), *rest = clauses

    def body() -> None:
        outer = d.handled
        d.handled = d.hold(call("caught", [raised, classes, *before], handler), handler)
        if handler.name is not None:
            text = d.renames.get(handler.name.id) or mangle(handler.name.id, d.class_name)
            d.store(at(tree.store(text), handler), d.handled, handler)
        ends = handler.name is not None and _is_told(d.source.node, handler.name.id)
        d.statements([_ending(handler)] if ends else handler.body)
        d.handled = outer
        if handler.name is not None and not ends:
            d.body.append(at(gast.Delete([at(tree.delete(text), handler)]), handler))

    if not rest:
        return body()
    test = call("catches", [raised, classes], handler)
    d.branch(test, d.block(body), d.block(_clauses, d, rest, raised, [*before, classes]), handler)


def _ending(handler: gast.ExceptHandler) -> gast.stmt:
    """A clause's body, after which its name is unbound however it is left, as CPython compiles it:
    it is None before, since the body may have deleted it."""
    text = handler.name.id
    none = at(gast.Constant(None, None), handler)
    bound = at(gast.Assign([at(tree.store(text), handler)], none, None), handler)
    last = [bound, at(gast.Delete([at(tree.delete(text), handler)]), handler)]
    return at(gast.Try(handler.body, [], [], last), handler)


def _is_told(node: gast.AST, text: str, inside: bool = False) -> bool:
    """Whether it can be told that a clause has not unbound its name: it is read outside of clauses
    that bind it, or deleted, or bound by a clause in such a clause."""
    for part in gast.iter_child_nodes(node):
        clause = isinstance(part, gast.ExceptHandler) and part.name is not None
        own = clause and part.name.id == text
        if isinstance(part, gast.Name) and part.id == text:
            if isinstance(part.ctx, gast.Del) or (isinstance(part.ctx, gast.Load) and not inside):
                return True
        elif isinstance(part, gast.Global | gast.Nonlocal) and text in part.names:
            return True
        if (own and inside) or _is_told(part, text, inside or own):
            return True
    return False


@statement(gast.With)
def _with(d: Desugarer, node: gast.With) -> None:
    _with_items(d, node, node.items)


def _with_items(d: Desugarer, node: gast.With, items: Sequence[gast.withitem]) -> None:
    """`with` of the first of `items`, around the others and the body."""
    if not items:
        return d.statements(node.body)
    item, *rest = items
    match item.context_expr:
        case gast.Call(func=gast.Attribute(attr="errstate") | gast.Name(id="errstate")) as settings:
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
    node: gast.With,
    item: gast.withitem,
    value: gast.expr,
    rest: Sequence[gast.withitem],
) -> None:
    if item.optional_vars is not None:
        d.assign(item.optional_vars, value, node)
    _with_items(d, node, rest)


def _with_exit(d: Desugarer, node: gast.expr, manager: gast.expr, inside: list[gast.stmt]) -> None:
    """Append `inside`, after which the manager's `__exit__` runs, however it is left."""
    d.scope.loads["BaseException"] = None
    kind = at(gast.Tuple([d.hold(name("BaseException", node), node)], LOAD), node)
    raised = d.temporary()
    d.scope.stores[raised] = None
    open_ = name(d.fresh("open"), node)  # no temporary: handlers read it
    d.set(open_.id, constant(True, node), node)

    def handle() -> None:
        d.set(open_.id, constant(False, node), node)
        what = name(raised, node)
        again = at(gast.Raise(what, None), node)
        d.branch(negate(call("leave", [manager, what], node)), [again], [], node)

    def leave() -> None:
        finish = at(gast.Expr(call("leave", [manager, constant(None, node)], node)), node)
        d.branch(open_, [finish], [], node)

    handler = at(gast.ExceptHandler(kind, tree.store(raised), d.block(handle)), node)
    tried = at(gast.Try(inside or [at(gast.Pass(), node)], [handler], [], []), node)
    d.body.append(at(gast.Try([tried], [], [], d.block(leave)), node))
    d.effects += 1


def _is_raise(value: gast.expr) -> bool:
    return not (isinstance(value, gast.Constant) and value.value in ("ignore", "warn"))


@statement(gast.Import)
def _import(d: Desugarer, node: gast.Import) -> None:
    for alias in node.names:
        top = constant(alias.asname is None, node)
        value = call("import_module", [constant(alias.name, node), top], node)
        _bind(d, alias.asname or alias.name.partition(".")[0], value, node)


@statement(gast.ImportFrom)
def _import_from(d: Desugarer, node: gast.ImportFrom) -> None:
    for alias in node.names:
        package: gast.expr = constant(None, node)
        if node.level:
            d.scope.loads["__package__"] = None
            package = name("__package__", node)
        where = [constant(node.level, node), constant(node.module or "", node)]
        value = call("import_from", [package, *where, constant(alias.name, node)], node)
        _bind(d, alias.asname or alias.name, value, node)


def _bind(d: Desugarer, text: str, value: gast.expr, node: gast.AST) -> None:
    d.store(at(tree.store(mangle(text, d.class_name)), node), value, node)


@statement(gast.Global)
def _global(d: Desugarer, node: gast.Global) -> None:
    d.scope.global_.update(dict.fromkeys(node.names))
    d.body.append(node)


@statement(gast.Nonlocal)
def _nonlocal(d: Desugarer, node: gast.Nonlocal) -> None:
    d.scope.nonlocal_.update(dict.fromkeys(node.names))
    d.body.append(node)


@statement(gast.FunctionDef)
def _function_def(d: Desugarer, node: gast.FunctionDef) -> None:
    decorators = [d.spill(d.expr(e), len(d.body)) for e in node.decorator_list]
    title = mangle(node.name, d.class_name)
    d.nested_function(node, title, node.name, lambda: d.function_body(node))
    d.effects += 1
    for decorator in reversed(decorators):
        decorated = at(gast.Call(decorator, [name(title, node)], []), node)
        d.store(at(tree.store(title), node), decorated, node)


@statement(gast.ClassDef)
def _class_def(d: Desugarer, node: gast.ClassDef) -> None:
    """A class is made as it is written (`frontend.local_classes`): its bases, and the variables
    that its body uses, are evaluated in the function."""
    code = local_classes.body_code(d.source.code, node) if d.source.code else None
    if code is None:
        d.refuse(node, fence.NO_CLASS)
        return
    if (why := local_classes.refusal(d.source.node, node, code.co_freevars)) is not None:
        d.refuse(node, why)
        return
    made = copy.copy(node)
    made.name = mangle(node.name, d.class_name)
    made.bases = d.operands(node.bases)
    made.body = [at(gast.Expr(constant(Ellipsis, node)), node)]
    d.classes[made] = ClassBody(node, code)
    d.scope.loads.update(dict.fromkeys(local_classes.taken(code)))
    d.scope.stores[made.name] = None
    d.body.append(made)
    d.effects += 1
