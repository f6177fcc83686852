"""Desugaring of expressions: handlers return a value and hoist what has control flow."""

from __future__ import annotations

from typing import Any

import gast

from pyxla.frontend import support, tree
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


def called(d: Desugarer, node: gast.Call) -> gast.expr:
    """A call, of which no argument is a generator expression that its function is known to read."""
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
            store_item(d, result, key, value)
    return result


def store_item(d: Desugarer, into: gast.Name, key: gast.expr, value: gast.expr) -> None:
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
