"""Desugaring of expressions: handlers return a value and hoist what has control flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from pyxla.frontend import fence, support, tree
from pyxla.frontend.hoist import (
    SUPPORT,
    Desugarer,
    at,
    call,
    constant,
    expression,
    name,
    negate,
)
from pyxla.frontend.source import mangle
from pyxla.frontend.tree import LOAD, STORE


@expression(gast.Constant)
def _constant(d: Desugarer, node: gast.Constant) -> gast.expr:
    return node


@expression(gast.Name)
def _name(d: Desugarer, node: gast.Name) -> gast.expr:
    text = node.id
    renamed = d.renames.get(text) if d.renames else None
    if renamed is None and text.startswith("__"):
        renamed = mangle(text, d.class_name)
    if renamed is None or renamed == text:
        d.scope.loads[text] = None
        return node
    d.scope.loads[renamed] = None
    return name(renamed, node)


@expression(gast.Attribute)
def _attribute(d: Desugarer, node: gast.Attribute) -> gast.expr:
    value = d.expr(node.value)
    attr = mangle(node.attr, d.class_name) if node.attr.startswith("__") else node.attr
    if value is node.value and attr is node.attr:
        return node
    return at(gast.Attribute(value, attr, LOAD), node)


@expression(gast.BinOp)
def _binary(d: Desugarer, node: gast.BinOp) -> gast.expr:
    spine = [node]
    while isinstance(spine[-1].left, gast.BinOp):
        spine.append(spine[-1].left)
    value = d.expr(spine[-1].left)
    # A long sum is a loop here, not a deep recursion.
    for each in reversed(spine):
        before, end = d.effects, len(d.body)
        right = d.expr(each.right)
        if d.effects != before:
            value = d.spill(value, end)
        if value is each.left and right is each.right:
            value = each
        else:
            value = at(gast.BinOp(value, each.op, right), each)
    return value


@expression(gast.UnaryOp)
def _unary(d: Desugarer, node: gast.UnaryOp) -> gast.expr:
    operand = d.expr(node.operand)
    return node if operand is node.operand else at(gast.UnaryOp(node.op, operand), node)


@expression(gast.Subscript)
def _subscript(d: Desugarer, node: gast.Subscript) -> gast.expr:
    value, index = d.pair(node.value, node.slice)
    if value is node.value and index is node.slice:
        return node
    return at(gast.Subscript(value, index, LOAD), node)


@expression(gast.Slice)
def _slice(d: Desugarer, node: gast.Slice) -> gast.expr:
    parts = [node.lower, node.upper, node.step]
    old = [part for part in parts if part is not None]
    new = d.operands(old)
    if new == old:
        return node
    rest = iter(new)
    lower, upper, step = [part and next(rest) for part in parts]
    return at(gast.Slice(lower, upper, step), node)


@expression(gast.Call)
def _call(d: Desugarer, node: gast.Call) -> gast.expr:
    if _is_fold(node):
        return _fold(d, node)
    if isinstance(node.func, gast.Attribute) and isinstance(node.func.value, gast.IfExp):
        return _conditional_receiver(d, node, node.func)
    if _is_bare_super(d, node):
        names = ["__class__", d.scope.params[0]]
        d.scope.loads.update(dict.fromkeys(["super", *names]))
        return at(gast.Call(node.func, [name(text, node) for text in names], []), node)
    old = [node.func, *node.args, *[k.value for k in node.keywords]]
    new = d.operands(old)
    if new == old:
        return node
    count = len(node.args) + 1
    keywords = [
        at(gast.keyword(k.arg, value), k)
        for k, value in zip(node.keywords, new[count:], strict=True)
    ]
    return at(gast.Call(new[0], new[1:count], keywords), node)


_FOLDS = {"sum": 1, "any": 1, "all": 1, "next": 2}  # and how many arguments they take


def _is_fold(node: gast.Call) -> bool:
    """Whether this is `sum(... for ...)`, or the like, by its looks."""
    most = _FOLDS.get(node.func.id, 0) if isinstance(node.func, gast.Name) else 0
    if not 1 <= len(node.args) <= most:
        return False
    inside = node.args[0]
    if node.keywords or not isinstance(inside, gast.GeneratorExp):
        return False
    parts = list(gast.walk(inside))
    return not any(isinstance(p, gast.Lambda) for p in parts) and not any(
        p.is_async for p in parts if isinstance(p, gast.comprehension)
    )


def _fold(d: Desugarer, node: gast.Call) -> gast.expr:
    """`sum(f(x) for x in items)`: a loop that adds up, if that is what `sum` turns out to be."""
    inside: Any = node.args[0]
    first = inside.generators[0]
    function = d.hold(d.expr(node.func), node)
    items = d.hold(d.expr(first.iter), node)
    default = [d.hold(d.expr(arg), node) for arg in node.args[1:]]
    filtered = constant(any(g.ifs for g in inside.generators), node)
    folding = d.hold(call("folds", [function, items, filtered], node), node)
    total = d.hold(call("start", [function, folding], node), node)

    def leave() -> None:
        test = call("decided", [function, folding, total], node)
        d.branch(test, [at(gast.Break(), node)], [], node)

    def gather() -> None:
        value = d.expr(inside.elt)
        d.set(total.id, call("gather", [function, folding, total, value], node), node)

    outer = d.renames
    d.renames = {**outer, **_fresh_targets(d, inside)}
    _clauses(d, inside, items, gather, leave)
    d.renames = outer
    return d.hold(call("finish", [function, folding, total, *default], node), node)


def _conditional_receiver(d: Desugarer, node: gast.Call, method: gast.Attribute) -> gast.expr:
    """`(a if test else b).f(x)`: a call on each path, which knows the object."""
    result, chosen = d.temporary(), method.value
    assert isinstance(chosen, gast.IfExp)

    def choose(receiver: gast.expr) -> None:
        function = at(gast.Attribute(receiver, method.attr, LOAD), method)
        d.set(result, d.expr(at(gast.Call(function, node.args, node.keywords), node)), node)

    test = condition(d, chosen.test)
    d.branch(test, d.block(choose, chosen.body), d.block(choose, chosen.orelse), node)
    return name(result, node)


def _is_bare_super(d: Desugarer, node: gast.Call) -> bool:
    """Whether this is `super()` in a method, which means `super(__class__, self)`."""
    if node.args or node.keywords or not isinstance(node.func, gast.Name):
        return False
    return node.func.id == "super" and "__class__" in d.source.freevars and bool(d.scope.params)


@expression(gast.Yield)
def _yield(d: Desugarer, node: gast.Yield) -> gast.expr:
    d.scope.generator = True
    given = constant(None, node) if node.value is None else d.expr(node.value)
    return d.hold(at(gast.Yield(given), node), node)


@expression(gast.Starred)
def _starred(d: Desugarer, node: gast.Starred) -> gast.expr:
    value = d.expr(node.value)
    return node if value is node.value else at(gast.Starred(value, LOAD), node)


@expression(gast.Tuple, gast.List, gast.Set)
def _display(d: Desugarer, node: Any) -> gast.expr:
    if any(isinstance(item, gast.Starred) for item in node.elts):
        return _starred_display(d, node)
    items = d.operands(node.elts)
    if items == node.elts:
        return node
    context = () if isinstance(node, gast.Set) else (LOAD,)
    return at(type(node)(items, *context), node)


def _starred_display(d: Desugarer, node: Any) -> gast.expr:
    """`(*a, b)`: a list that is extended and appended to, then made a tuple or set."""
    result = d.hold(at(gast.List([], LOAD), node), node)
    for item in node.elts:
        starred = isinstance(item, gast.Starred)
        value = d.without_slices(d.expr(item.value if starred else item))
        helper = "extend" if starred else "append"
        d.body.append(at(gast.Expr(call(helper, [result, value], item)), item))
    if isinstance(node, gast.List):
        return result
    return call("to_tuple" if isinstance(node, gast.Tuple) else "to_set", [result], node)


@expression(gast.Dict)
def _dict(d: Desugarer, node: gast.Dict) -> gast.expr:
    if None in node.keys:
        return _starred_dict(d, node)
    old: list[Any] = [item for pair in zip(node.keys, node.values, strict=True) for item in pair]
    new: list[Any] = d.operands(old)
    return node if new == old else at(gast.Dict(new[::2], new[1::2]), node)


def _starred_dict(d: Desugarer, node: gast.Dict) -> gast.expr:
    """`{**a, k: v}`: a dict that is updated and assigned to."""
    result = d.hold(at(gast.Dict([], []), node), node)
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            update = call("update", [result, d.expr(value)], value)
            d.body.append(at(gast.Expr(update), value))
        else:
            _store_item(d, result, key, value)
    return result


def _store_item(d: Desugarer, into: gast.Name, key: gast.expr, value: gast.expr) -> None:
    """Append `into[key] = value`; the key is evaluated first, unlike in an assignment."""
    one = d.expr(key)
    end = len(d.body)
    two = d.expr(value)
    one = d.spill(one, end)
    target = at(gast.Subscript(into, one, STORE), key)
    d.body.append(at(tree.assign(target, two), value))


@expression(gast.JoinedStr)
def _joined(d: Desugarer, node: gast.JoinedStr) -> gast.expr:
    fields = [v for v in node.values if isinstance(v, gast.FormattedValue)]
    new: list[Any]
    if len(fields) == 1:
        new = [_field(d, fields[0])]
    else:
        # As one string each, a spilled field is formatted where it is evaluated.
        strings = d.operands([at(gast.JoinedStr([f]), f) for f in fields])
        new = [
            s.values[0]
            if isinstance(s, gast.JoinedStr)
            else at(gast.FormattedValue(s, -1, None), s)
            for s in strings
        ]
    if new == fields:
        return node
    rest = iter(new)
    values: list[gast.expr] = [
        v if isinstance(v, gast.Constant) else next(rest) for v in node.values
    ]
    return at(gast.JoinedStr(values), node)


def _field(d: Desugarer, node: gast.FormattedValue) -> gast.FormattedValue:
    if node.format_spec is None:
        value, spec = d.expr(node.value), None
    else:
        value, spec = d.pair(node.value, node.format_spec)
        if not isinstance(spec, gast.JoinedStr):
            spec = at(gast.JoinedStr([at(gast.FormattedValue(spec, -1, None), spec)]), spec)
    if value is node.value and spec is node.format_spec:
        return node
    return at(gast.FormattedValue(value, node.conversion, spec), node)


# Control flow.


@expression(gast.Compare)
def _compare(d: Desugarer, node: gast.Compare) -> gast.expr:
    if len(node.ops) > 1:
        return _chain(d, node, False)
    left, right = d.pair(node.left, node.comparators[0])
    if left is node.left and right is node.comparators[0]:
        return node
    return at(gast.Compare(left, node.ops, [right]), node)


def _chain(d: Desugarer, node: gast.Compare, as_condition: bool) -> gast.expr:
    """`a < b < c`: b is evaluated once, c where the first comparison holds."""

    def link(left: gast.expr, index: int, right: gast.expr) -> gast.expr:
        value: gast.expr = at(gast.Compare(left, [node.ops[index]], [right]), node)
        return truth(d, value) if as_condition else value

    left, middle = d.pair(node.left, node.comparators[0])
    end = len(d.body)
    held = d.spill(middle, end)
    if held is not middle:
        left = d.spill(left, end)
    result = _result(d, as_condition)
    d.set(result, link(left, 0, held), node)

    def rest(index: int, left: gast.expr) -> None:
        last = index == len(node.ops) - 1
        right = d.expr(node.comparators[index])
        if not last:
            right = d.spill(right, len(d.body))
        d.set(result, link(left, index, right), node)
        if not last:
            d.branch(name(result, node), d.block(rest, index + 1, right), [], node)

    d.branch(name(result, node), d.block(rest, 1, held), [], node)
    return name(result, node)


def _result(d: Desugarer, as_condition: bool) -> str:
    """A temporary for what several branches assign."""
    text = d.temporary()
    if as_condition:
        d.booleans.add(text)
    return text


def _set(d: Desugarer, result: str, value: gast.expr, as_condition: bool) -> None:
    d.set(result, truth(d, condition(d, value)) if as_condition else d.expr(value), value)


@expression(gast.BoolOp)
def _bool_op(d: Desugarer, node: gast.BoolOp) -> gast.expr:
    return _short_circuit(d, node, False)


def _short_circuit(d: Desugarer, node: gast.BoolOp, as_condition: bool) -> gast.expr:
    """`a and b`: the result is set to a, and where that is true to b."""
    result = _result(d, as_condition)
    is_and = isinstance(node.op, gast.And)

    def operand(index: int) -> None:
        _set(d, result, node.values[index], as_condition)
        if index + 1 < len(node.values):
            test = name(result, node)
            body = d.block(operand, index + 1)
            d.branch(test if is_and else negate(test), body, [], node)

    operand(0)
    return name(result, node)


@expression(gast.IfExp)
def _if_exp(d: Desugarer, node: gast.IfExp) -> gast.expr:
    return _conditional(d, node, False)


def _conditional(d: Desugarer, node: gast.IfExp, as_condition: bool) -> gast.expr:
    result = _result(d, as_condition)

    def choose(value: gast.expr) -> None:
        _set(d, result, value, as_condition)

    test = condition(d, node.test)
    d.branch(test, d.block(choose, node.body), d.block(choose, node.orelse), node)
    return name(result, node)


def condition(d: Desugarer, node: gast.expr) -> gast.expr:
    """Desugar an expression of which only the truth matters; for the test of an `if`."""
    if isinstance(node, gast.BoolOp):
        return _short_circuit(d, node, True)
    if isinstance(node, gast.Compare) and len(node.ops) > 1:
        return _chain(d, node, True)
    if isinstance(node, gast.IfExp):
        return _conditional(d, node, True)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return negate(condition(d, node.operand))
    return d.expr(node)


def conjuncts(test: gast.expr) -> list[gast.expr]:
    """The operands of an `and` in which a walrus is only evaluated where those before it hold.

    Tested one inside the other, what is bound is bound where it is used; as one value, it would
    only be so where the value is true, which nobody could see.
    """
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And):
        parts = [part for value in test.values[1:] for part in gast.walk(value)]
        if any(isinstance(part, gast.NamedExpr) for part in parts):
            return test.values
    return [test]


_BOOL_COMPARISONS = (gast.Is, gast.IsNot, gast.In, gast.NotIn)


def truth(d: Desugarer, value: gast.expr) -> gast.expr:
    """`bool(value)`, or `value` where that is one already."""
    match value:
        case gast.Name(id=id) if id in d.booleans:
            return value
        case gast.Constant():
            return at(tree.constant(bool(value.value)), value)
        case gast.UnaryOp(op=gast.Not()):
            return value
        case gast.Compare(ops=[op]) if isinstance(op, _BOOL_COMPARISONS):
            return value
        case gast.Call(func=gast.Attribute(value=gast.Name(id=id), attr=attr)):
            if id == SUPPORT and attr in support.PREDICATES:
                return value
    return call("truth", [value], value)


@expression(gast.NamedExpr)
def _named(d: Desugarer, node: gast.NamedExpr) -> gast.expr:
    value = d.expr(node.value)
    text = mangle(node.target.id, d.class_name)
    if d.is_temporary(text):
        d.set(text, value, node)
    else:
        d.store(at(tree.store(text), node.target), value, node)
    d.rebound.add(text)
    return name(text, node.target)


@expression(gast.Lambda)
def _lambda(d: Desugarer, node: gast.Lambda) -> gast.expr:
    title = d.temporary()
    d.nested_function(node, title, "<lambda>", lambda: d.function_body(node))
    return name(title, node)


# Comprehensions.

_TITLES = {
    gast.ListComp: "<listcomp>",
    gast.SetComp: "<setcomp>",
    gast.DictComp: "<dictcomp>",
    gast.GeneratorExp: "<genexpr>",
}


@expression(gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
def _comprehension(d: Desugarer, node: Any) -> gast.expr:
    """A loop that appends to a fresh list; where a lambda may keep its variables, in a function
    of its own, as each evaluation has its own variables."""
    first = node.generators[0]
    if any(g.is_async for g in node.generators):
        d.refuse(node, fence.ASYNC_COMPREHENSION)
        return constant(None, node)
    items = d.expr(first.iter)
    inside = [first.target, *first.ifs, *node.generators[1:], *_elements(node)]
    if any(isinstance(part, gast.Lambda) for root in inside for part in gast.walk(root)):
        result: gast.expr = _comprehension_function(d, node, items, inside)
    elif isinstance(node, gast.GeneratorExp) and isinstance(first.iter, _PERHAPS_ENDLESS):
        return _perhaps_endless(d, node, d.hold(items, node), inside)
    else:
        result = _collected_here(d, node, items)
    if isinstance(node, gast.SetComp):
        return call("to_set", [result], node)
    if isinstance(node, gast.GeneratorExp):
        return call("once", [result], node)
    return result


_PERHAPS_ENDLESS = (gast.Call, gast.GeneratorExp)


def _collected_here(d: Desugarer, node: Any, items: gast.expr) -> gast.expr:
    outer = d.renames
    d.renames = {**outer, **_fresh_targets(d, node)}
    result = _collect(d, node, items)
    d.renames = outer
    return result


def _perhaps_endless(
    d: Desugarer, node: Any, items: gast.Name, inside: Sequence[gast.AST]
) -> gast.expr:
    """`(f(x) for x in items)`: a list that is read once; of what has no end, a generator."""
    result = d.temporary()

    def gather() -> None:
        d.set(result, call("once", [_collected_here(d, node, items)], node), node)

    def generate() -> None:
        d.set(result, _generator(d, node, items, inside), node)

    parts = [part for root in inside for part in gast.walk(root)]
    hidden = any(isinstance(p, gast.Name) and p.id.startswith("__") for p in parts)
    if hidden or any(isinstance(p, gast.NamedExpr) for p in parts):
        gather()
    else:
        test = call("endless", [items], node)
        d.branch(test, d.block(generate), d.block(gather), node)
    return name(result, node)


def _generator(d: Desugarer, node: Any, items: gast.Name, inside: Sequence[gast.AST]) -> gast.expr:
    """`def t(items, a=a): yield ...; t(items)`, which has the variables it reads as they are."""
    names = [p for root in inside for p in gast.walk(root) if isinstance(p, gast.Name)]
    bound = {p.id for p in names if not isinstance(p.ctx, gast.Load)}
    read = [text for text in dict.fromkeys([p.id for p in names]) if text not in bound]
    title, parameter = d.temporary(), d.temporary()

    def add() -> None:
        d.expr(at(gast.Yield(node.elt), node))

    def body() -> list[gast.stmt]:
        d.scope.loads[parameter] = None
        return d.block(_clauses, d, node, name(parameter, node), add, lambda: None)

    spec = tree.parameters([at(tree.parameter(text), node) for text in (parameter, *read)])
    spec.defaults = [name(text, node) for text in read]
    written = at(gast.Lambda(spec, node), node)
    d.nested_function(written, title, _TITLES[type(node)], body)
    d.scope.loads[title] = None
    return d.hold(at(gast.Call(name(title, node), [items], []), node), node)


def _elements(node: Any) -> list[gast.expr]:
    return [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]


def _fresh_targets(d: Desugarer, node: Any) -> dict[str, str]:
    """New names for the variables that the `for` clauses bind."""
    names = [
        part.id
        for generator in node.generators
        for part in gast.walk(generator.target)
        if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Store)
    ]
    return {old: d.fresh(old) for old in dict.fromkeys(names)}


def _collect(d: Desugarer, node: Any, items: gast.expr) -> gast.Name:
    """Append the loops of a comprehension; the result is the list or dict they fill."""
    is_dict = isinstance(node, gast.DictComp)
    empty = at(gast.Dict([], []) if is_dict else gast.List([], LOAD), node)
    result = d.hold(empty, node)

    def add() -> None:
        if is_dict:
            _store_item(d, result, node.key, node.value)
        else:
            value = d.expr(node.elt)
            d.body.append(at(gast.Expr(call("append", [result, value], node.elt)), node.elt))

    reads = "sequence_ahead" if isinstance(node, gast.GeneratorExp) else "sequence"
    _clauses(d, node, items, add, lambda: None, reads)
    return result


def _clauses(
    d: Desugarer,
    node: Any,
    items: gast.expr,
    add: Callable[[], None],
    leave: Callable[[], None],
    reads: str = "sequence",
) -> None:
    """Append the loops of a comprehension; `add` appends what is done with an element, `leave` what
    ends each iteration; `reads` as in `Desugarer.loop`."""

    def clause(index: int, iterated: gast.expr) -> None:
        generator = node.generators[index]

        def body() -> None:
            filtered(index, generator.ifs)
            leave()

        d.loop(generator.target, iterated, body, generator.target, reads=reads)

    def filtered(index: int, tests: Sequence[gast.expr]) -> None:
        if tests:
            first, *rest = [*conjuncts(tests[0]), *tests[1:]]
            d.branch(condition(d, first), d.block(filtered, index, rest), [], first)
        elif index + 1 < len(node.generators):
            clause(index + 1, d.expr(node.generators[index + 1].iter))
        else:
            add()

    clause(0, items)


def _comprehension_function(
    d: Desugarer, node: Any, items: gast.expr, inside: Sequence[gast.AST]
) -> gast.expr:
    """`def t(items): ...; t(items)`; what a walrus in it binds is the outer function's."""
    walrus = [
        part.target.id
        for root in inside
        for part in gast.walk(root)
        if isinstance(part, gast.NamedExpr)
    ]
    title, parameter = d.temporary(), d.temporary()
    for text in walrus:
        # Never executed: says in Python that the variable is the outer function's.
        target = at(tree.store(text), node)
        binding = at(tree.assign(target, constant(None, node)), node)
        d.body.append(at(gast.If(constant(False, node), [binding], []), node))
        d.scope.stores[text] = None
    items = d.hold(items, node)

    def body() -> list[gast.stmt]:
        d.scope.nonlocal_.update(dict.fromkeys(walrus))
        declared = [at(gast.Nonlocal(walrus), node)] if walrus else []
        d.scope.loads[parameter] = None

        def fill() -> None:
            d.body.append(at(gast.Return(_collect(d, node, name(parameter, node))), node))

        return [*declared, *d.block(fill)]

    written = at(gast.Lambda(tree.parameters([at(tree.parameter(parameter), node)]), node), node)
    d.nested_function(written, title, _TITLES[type(node)], body)
    d.scope.loads[title] = None
    return d.hold(at(gast.Call(name(title, node), [items], []), node), node)
