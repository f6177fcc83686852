"""Desugaring of comprehensions and generator expressions.

A comprehension is a loop that fills a fresh list or dict.  The items of a generator expression are
made when they are asked for, and so

    sum(f(x) for x in items)           is a loop that adds up (`infer.loops.folding`)
    for y in (f(x) for x in items)     is the loop over `items`, with `y = f(x)`
    out.extend(f(x) for x in items)    is that loop, too
    list(f(x) for x in items)          is of a list: it reads all of it, and nothing else
    (f(x) for x in items)              elsewhere, is a generator function that is called
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from pyxla.frontend import fence, tree
from pyxla.frontend.expressions import called, condition, conjuncts, store_item
from pyxla.frontend.hoist import Desugarer, at, call, constant, expression, name
from pyxla.frontend.tree import LOAD
from pyxla.frozen import dataclass

_TITLES = {
    gast.ListComp: "<listcomp>",
    gast.SetComp: "<setcomp>",
    gast.DictComp: "<dictcomp>",
    gast.GeneratorExp: "<genexpr>",
}
_FOLDS = {"sum": 1, "any": 1, "all": 1, "next": 2}  # and how many arguments they take


@dataclass(frozen=True, slots=True)
class _Inlined:
    """A generator expression that a loop reads: `first` is what its own first loop reads, `renames`
    the new names of variables where it is written."""

    node: gast.GeneratorExp
    first: Any
    renames: dict[str, str]


@expression(gast.ListComp, gast.SetComp, gast.DictComp)
def _comprehension(d: Desugarer, node: Any) -> gast.expr:
    """A loop that appends to a fresh list; where a lambda may keep its variables, in a function
    of its own, as each evaluation has its own variables."""
    if _is_refused(d, node):
        return constant(None, node)
    if _keeps(node):
        items = d.expr(node.generators[0].iter)
        result: gast.expr = _in_function(d, node, items, lambda into: _collect(d, node, into))
    else:
        result = _renamed(d, node, _source(d, node.generators[0].iter))
    return call("to_set", [result], node) if isinstance(node, gast.SetComp) else result


def _renamed(d: Desugarer, node: Any, items: Any) -> gast.expr:
    outer = d.renames
    d.renames = {**outer, **_fresh_targets(d, node)}
    result = _collect(d, node, items)
    d.renames = outer
    return result


@expression(gast.GeneratorExp)
def _generator(d: Desugarer, node: gast.GeneratorExp) -> gast.expr:
    """`def t(items): for x in items: yield f(x)`, called."""
    if _is_refused(d, node):
        return constant(None, node)
    items, outer = d.expr(node.generators[0].iter), d.renames
    bound = _bound(node)

    def fill(into: gast.Name) -> None:
        d.renames = {old: new for old, new in outer.items() if old not in bound}
        d.scope.generator = True
        _clauses(d, node, into, lambda: d.expr(at(gast.Yield(node.elt), node)))

    return _in_function(d, node, items, fill)


def _is_refused(d: Desugarer, node: Any) -> bool:
    if any(g.is_async for g in node.generators):
        d.refuse(node, fence.ASYNC_COMPREHENSION)
        return True
    return False


def _keeps(node: Any) -> bool:
    """Whether a function may keep the variables of a comprehension: a lambda, or a generator
    expression that is not read where it is written."""
    parts = [part for root in _inside(node) for part in gast.walk(root)]
    read = {p.iter for p in parts if isinstance(p, gast.comprehension)}
    read |= {generator.iter for generator in node.generators}
    read |= {p.args[0] for p in parts if isinstance(p, gast.Call) and _reads(p)}
    lazy = {p for p in parts if isinstance(p, gast.GeneratorExp)}
    return any(isinstance(p, gast.Lambda) for p in parts) or not lazy <= read


def _reads(node: gast.Call) -> bool:
    """Whether a call reads a generator expression at once, by its looks."""
    given = bool(node.args) and isinstance(node.args[0], gast.GeneratorExp)
    return given and (_is_fold(node) or _reads_all(node))


def _inside(node: Any) -> Iterator[gast.AST]:
    """What is evaluated in the scope of a comprehension."""
    yield from [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
    for i, generator in enumerate(node.generators):
        yield from [generator.target, *generator.ifs, *([generator.iter] if i else [])]


def _bound(node: Any) -> list[str]:
    """The names that the `for` clauses of a comprehension bind."""
    parts = [part for generator in node.generators for part in gast.walk(generator.target)]
    names = [p.id for p in parts if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Store)]
    return list(dict.fromkeys(names))


def _fresh_targets(d: Desugarer, node: Any) -> dict[str, str]:
    """New names for these."""
    return {old: d.fresh(old) for old in _bound(node)}


def _collect(d: Desugarer, node: Any, items: Any) -> gast.Name:
    """Append the loops of a comprehension; the result is the list or dict they fill."""
    is_dict = isinstance(node, gast.DictComp)
    empty = at(gast.Dict([], []) if is_dict else gast.List([], LOAD), node)
    result = d.hold(empty, node)

    def add() -> None:
        if is_dict:
            store_item(d, result, node.key, node.value)
        else:
            value = d.expr(node.elt)
            d.body.append(at(gast.Expr(call("append", [result, value], node.elt)), node.elt))

    _clauses(d, node, items, add)
    return result


def _nothing() -> None:
    pass


def _clauses(
    d: Desugarer,
    node: Any,
    items: Any,
    add: Callable[[], Any],
    leave: Callable[[], None] = _nothing,
    orelse: Callable[[], None] | None = None,
    breaks: bool = False,
) -> None:
    """Append the loops of a comprehension; `add` appends what is done with an element, `leave` what
    ends each iteration, `orelse` what ends the first loop; breaks: whether one leaves the loops."""

    def clause(index: int, iterated: Any) -> None:
        generator = node.generators[index]

        def body() -> None:
            filtered(index, generator.ifs)
            leave()

        target = generator.target
        _loop(d, target, iterated, body, target, None if index else orelse)

    def filtered(index: int, tests: Sequence[gast.expr]) -> None:
        if tests:
            first, *rest = [*conjuncts(tests[0]), *tests[1:]]
            d.branch(condition(d, first), d.block(filtered, index, rest), [], first)
        elif index + 1 < len(node.generators):
            clause(index + 1, _source(d, node.generators[index + 1].iter, breaks))
        else:
            add()

    clause(0, items)


def loop(
    d: Desugarer,
    target: gast.expr,
    items: gast.expr,
    body: Callable[[], None],
    origin: gast.AST,
    orelse: Callable[[], None] | None = None,
    breaks: bool = False,
) -> None:
    """Append `for target in items: body`; `breaks`: the body may leave it."""
    _loop(d, target, _source(d, items, breaks), body, origin, orelse)


def _source(d: Desugarer, node: gast.expr, breaks: bool = False) -> Any:
    """What a loop over `node` reads: an expression, or the loops of a generator expression, if one
    `break` leaves all of them."""
    inlined = isinstance(node, gast.GeneratorExp) and not _keeps(node)
    if not inlined or (breaks and len(node.generators) > 1) or _is_refused(d, node):
        return d.expr(node)
    first = _source(d, node.generators[0].iter, breaks)
    held = first if isinstance(first, _Inlined) else d.hold(first, node)
    return _Inlined(node, held, d.renames)


def _loop(
    d: Desugarer,
    target: gast.expr,
    items: Any,
    body: Callable[[], None],
    origin: gast.AST,
    orelse: Callable[[], None] | None,
) -> None:
    if not isinstance(items, _Inlined):
        return d.loop(target, items, body, origin, orelse)
    outer = d.renames

    def add() -> None:
        value = d.expr(items.node.elt)
        inner, d.renames = d.renames, outer
        d.assign(target, value, origin)
        body()
        d.renames = inner

    d.renames = {**items.renames, **_fresh_targets(d, items.node)}
    _clauses(d, items.node, items.first, add, orelse=orelse)
    d.renames = outer


def _in_function(
    d: Desugarer, node: Any, items: gast.expr, fill: Callable[[gast.Name], Any]
) -> gast.expr:
    """`def t(items): ...; t(items)`; what a walrus in it binds is the outer function's."""
    parts = [part for root in _inside(node) for part in gast.walk(root)]
    walrus = [part.target.id for part in parts if isinstance(part, gast.NamedExpr)]
    title, parameter = d.temporary(), d.temporary()
    for text in walrus:
        # Never executed: says in Python that the variable is the outer function's.
        target = at(tree.store(text), node)
        binding = at(tree.assign(target, constant(None, node)), node)
        d.body.append(at(gast.If(constant(False, node), [binding], []), node))
        d.scope.stores[text] = None
    items = d.hold(items, node)

    def made() -> None:
        result = fill(name(parameter, node))
        if result is not None:
            d.body.append(at(gast.Return(result), node))

    def body() -> list[gast.stmt]:
        d.scope.nonlocal_.update(dict.fromkeys(walrus))
        declared = [at(gast.Nonlocal(walrus), node)] if walrus else []
        d.scope.loads[parameter] = None
        return [*declared, *d.block(made)]

    written = at(gast.Lambda(tree.parameters([at(tree.parameter(parameter), node)]), node), node)
    d.nested_function(written, title, _TITLES[type(node)], body)
    d.scope.loads[title] = None
    return d.hold(at(gast.Call(name(title, node), [items], []), node), node)


# Calls with a generator expression.

# What reads all of its first argument before it does anything else that a program can see.
_READ_ALL = frozenset(
    "list tuple set frozenset sorted dict max min sum bytes bytearray join Counter OrderedDict "
    "deque fsum prod mean fmean median".split()
)


@expression(gast.Call)
def _call(d: Desugarer, node: gast.Call) -> gast.expr:
    if not node.args or not isinstance(node.args[0], gast.GeneratorExp):
        return called(d, node)
    if _is_fold(node):
        return _fold(d, node)
    if not _reads_all(node):
        return called(d, node)
    given: Any = node.args[0]
    function = d.hold(d.expr(node.func), node)
    listed = at(gast.ListComp(given.elt, given.generators), given)
    if _is_builtin(node.func):
        d.body.append(at(gast.Expr(call("check_reads_all", [function], node)), node))
        return called(d, at(gast.Call(function, [listed, *node.args[1:]], node.keywords), node))
    result = d.temporary()

    def made(items: gast.expr) -> None:
        found = called(d, at(gast.Call(function, [items, *node.args[1:]], node.keywords), node))
        d.set(result, found, node)

    test = call("reads_all", [function], node)
    d.branch(test, d.block(made, listed), d.block(made, given), node)
    return name(result, node)


def _is_builtin(function: gast.expr) -> bool:
    """Whether this is Python's own, as far as its looks tell."""
    if isinstance(function, gast.Attribute):
        return isinstance(getattr(function.value, "value", None), str)
    return isinstance(function, gast.Name) and hasattr(builtins, function.id)


def _reads_all(node: gast.Call) -> bool:
    """Whether this is such a call, by its looks, whose other arguments nobody sees evaluated."""
    text = getattr(node.func, "id", getattr(node.func, "attr", ""))
    others = [*node.args[1:], *[k.value for k in node.keywords]]
    plain = all(isinstance(x, gast.Name | gast.Constant | gast.Lambda) for x in others)
    in_turn = text != "sorted" and any(k.arg == "key" for k in node.keywords)
    return text in _READ_ALL and plain and not in_turn


def _is_fold(node: gast.Call) -> bool:
    """Whether this is `sum(... for ...)`, or the like, by its looks."""
    most = _FOLDS.get(node.func.id, 0) if isinstance(node.func, gast.Name) else 0
    inside: Any = node.args[0]
    plain = len(node.args) <= most and not node.keywords and not _keeps(inside)
    return plain and not any(g.is_async for g in inside.generators)


def _fold(d: Desugarer, node: gast.Call) -> gast.expr:
    """`sum(f(x) for x in items)`: a loop that adds up, if that is what `sum` turns out to be."""
    inside: Any = node.args[0]
    function = d.hold(d.expr(node.func), node)
    items = _source(d, inside.generators[0].iter, breaks=True)
    items = items if isinstance(items, _Inlined) else d.hold(items, node)
    default = [d.hold(d.expr(arg), node) for arg in node.args[1:]]
    read, tests = items, [g.ifs for g in inside.generators]
    while isinstance(read, _Inlined):
        read, tests = read.first, [*tests, *[g.ifs for g in read.node.generators]]
    filtered = constant(any(tests), node)
    folding = d.hold(call("folds", [function, read, filtered], node), node)
    total = d.hold(call("start", [function, folding], node), node)

    def leave() -> None:
        test = call("decided", [function, folding, total], node)
        d.branch(test, [at(gast.Break(), node)], [], node)

    def gather() -> None:
        value = d.expr(inside.elt)
        d.set(total.id, call("gather", [function, folding, total, value], node), node)

    outer = d.renames
    d.renames = {**outer, **_fresh_targets(d, inside)}
    _clauses(d, inside, items, gather, leave, breaks=True)
    d.renames = outer
    return d.hold(call("finish", [function, folding, total, *default], node), node)


def extended(node: gast.expr) -> bool:
    """Whether this is `out.extend(... for ...)`, by its looks."""
    if not isinstance(node, gast.Call) or node.keywords or len(node.args) != 1:
        return False
    method = isinstance(node.func, gast.Attribute) and node.func.attr == "extend"
    given = node.args[0]
    return method and isinstance(given, gast.GeneratorExp) and not _keeps(given)


def extend(d: Desugarer, node: Any) -> None:
    """A loop that appends, if it is a list's or a deque's."""
    into = d.hold(d.expr(node.func.value), node)
    text = d.temporary()
    d.scope.stores[text] = None

    def body() -> None:
        d.body.append(at(gast.Expr(call("extend_by_one", [into, name(text, node)], node)), node))

    def another() -> None:
        method = at(gast.Attribute(into, "extend", LOAD), node.func)
        d.body.append(at(gast.Expr(called(d, at(gast.Call(method, node.args, []), node))), node))

    def append() -> None:
        loop(d, at(tree.store(text), node), node.args[0], body, node)

    d.branch(call("appends", [into], node), d.block(append), d.block(another), node)
