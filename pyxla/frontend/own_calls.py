"""Calls in a function of itself and of those that call it, found and taken out of expressions: what
`frontend.recursion` makes loops of.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast

from pyxla.frontend import tree
from pyxla.frontend.desugar import Lowered
from pyxla.frontend.hoist import at, name
from pyxla.frontend.implicit_calls import is_operation
from pyxla.frontend.source import SourceFunction, mangle
from pyxla.frontend.tree import LOAD


class OwnCalls:
    """Which calls in a function look like calls of one of a group; inference makes sure.

    names: those of the functions, where they are no variables of its own, and the temporaries that
    hold one while arguments are evaluated.
    """

    def __init__(self, sources: Sequence[SourceFunction], lowered: Lowered) -> None:
        bound = lowered.scope.bound()
        methods = [(mangle(s.name, s.class_name), s) for s in sources if s.class_name]
        self.methods = {name: tuple([s for n, s in methods if n == name]) for name, _ in methods}
        self.names = {s.name: (s,) for s in sources if s.name not in bound}
        functions = [s.name for s in sources if not s.class_name]
        self.ambiguous = len({*functions}) < len(functions)
        held: dict[str, str] = {}
        others: set[str] = set()  # temporaries that may hold something else
        for node in gast.walk(lowered.node):
            match node:
                case gast.Assign(targets=[gast.Name(id=text)], value=gast.Name(id=function)) if (
                    function in self.names and held.setdefault(text, function) == function
                ):
                    pass
                case gast.Assign(targets=[gast.Name(id=text)]):
                    others.add(text)
        for text, function in held.items():
            if text not in others and lowered.temporary(text):
                self.names[text] = self.names[function]

    def callees(self, node: Any) -> tuple[SourceFunction, ...]:
        """The functions of which a node calls one."""
        if not isinstance(node, gast.Call):
            return ()
        if isinstance(node.func, gast.Attribute):
            return self.methods.get(node.func.attr, ())
        return self.names.get(node.func.id, ()) if isinstance(node.func, gast.Name) else ()

    def calls(self, node: Any) -> bool:
        return bool(self.callees(node))


class Apart:
    """Puts the calls of a group's functions in statements of their own, `own`, in the same order.

    out: where statements go.  made: names of values that are held.
    """

    def __init__(self, source: SourceFunction, lowered: Lowered, own: OwnCalls) -> None:
        self.source, self.lowered = source, lowered
        self.own_calls = own
        self.out: list[gast.stmt] = []
        self.made: dict[str, None] = {}
        self.own: set[gast.stmt] = set()

    def lowered_apart(self) -> Lowered:
        """The function that way."""
        node = copy.copy(self.lowered.node)
        node.body = self.block(node.body)
        scope = self.lowered.scope
        scope = replace(scope, stores={**scope.stores, **self.made})
        return replace(self.lowered, node=node, scope=scope)

    def calls_inside(self) -> int:
        """How many calls of itself there are, but for those of generator expressions over what may
        be endless, which are there twice (`endless`): for that as functions."""
        nodes = list(gast.walk(self.lowered.node))
        made = [
            n for n in nodes if isinstance(n, gast.FunctionDef) and self.lowered.temporary(n.name)
        ]
        twice = {n for function in made for n in gast.walk(function)}
        return sum(self.own_calls.calls(n) for n in nodes if n not in twice)

    def has(self, node: Any) -> bool:
        return any(self.own_calls.calls(n) for n in gast.walk(node))

    def block(self, nodes: Sequence[gast.stmt]) -> list[gast.stmt]:
        outer, self.out = self.out, []
        for node in nodes:
            if isinstance(node, (gast.FunctionDef, gast.Try)) or not self.has(node):
                self.out.append(node)
            else:
                self.statement(copy.copy(node))
        made, self.out = self.out, outer
        return made

    def statement(self, node: Any) -> None:
        if isinstance(node, gast.While):
            node.body = self.block(node.body)
        elif isinstance(node, gast.If):
            node.test = self.flat(node.test)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, gast.AugAssign):
            return self.augmented(node)
        elif isinstance(node, (gast.Assign, gast.Expr)) and self.is_site(node):
            value: Any = node.value
            node.value = self.call(value)
            self.own.add(node)
        elif isinstance(node, gast.Assign):
            value, *places = self.flat_all([node.value, *node.targets])
            node.value, node.targets = value, places
        else:
            for field, value in gast.iter_fields(node):
                if isinstance(value, gast.expr):
                    setattr(node, field, self.flat(value))
        self.out.append(node)

    def is_site(self, node: Any) -> bool:
        plain = isinstance(node, gast.Expr) or isinstance(node.targets[0], gast.Name)
        return plain and self.own_calls.calls(node.value)

    def augmented(self, node: gast.AugAssign) -> None:
        """`x[i] += f(y)`: what `x[i]` is before the call is added to."""
        target: Any = node.target
        if not isinstance(target, gast.Name):
            target = copy.copy(target)
            parts = ["value", "slice"] if isinstance(target, gast.Subscript) else ["value"]
            for part in parts:
                setattr(target, part, self.spilled(self.flat(getattr(target, part))))
        read = copy.copy(target)
        read.ctx = LOAD
        old = self.held(read)
        added = at(gast.AugAssign(at(tree.store(old.id), node), node.op, node.value), node)
        added.value = self.flat(node.value)
        self.out.append(added)
        self.out.append(at(tree.assign(target, old), node))

    def flat(self, node: Any) -> Any:
        """An expression without calls, which are made before."""
        if not self.has(node):
            return node
        node = copy.copy(node)
        if self.own_calls.calls(node):
            return self.held(self.call(node), own=True)
        fields = [f for f, value in gast.iter_fields(node) if isinstance(value, (gast.expr, list))]
        parts = [getattr(node, f) for f in fields]
        counts = [len(p) if isinstance(p, list) else 1 for p in parts]
        every = [e for p in parts for e in (p if isinstance(p, list) else [p])]
        if isinstance(node, gast.Dict):  # a key, its value, the next key
            every = [e for pair in zip(node.keys, node.values, strict=True) for e in pair]
        flat = self.flat_all(every)
        if isinstance(node, gast.Dict):
            flat = [*flat[::2], *flat[1::2]]
        for each, part, count in zip(fields, parts, counts, strict=True):
            setattr(node, each, flat[:count] if isinstance(part, list) else flat[0])
            flat = flat[count:]
        return node

    def call(self, node: gast.Call) -> gast.Call:
        """A call of one of the functions, of plain arguments."""
        callee = self.own_calls.callees(node)[0]
        node = copy.copy(node)
        count = len(node.args)
        given = [*node.args, *[k.value for k in node.keywords]]
        if isinstance(node.func, gast.Attribute):
            owner, *rest = self.flat_all([node.func.value, *given])
            if is_operation(node) and not isinstance(owner, gast.Name):
                owner = self.held(owner)  # which may be None, and is asked first
            if is_operation(node):
                rest = [r if isinstance(r, gast.Name) else self.held(r) for r in rest]
            node.func = at(gast.Attribute(owner, node.func.attr, LOAD), node.func)
        else:
            rest = self.flat_all(given)
            node.func = name(callee.name, node.func)
        node.args = rest[:count]
        pairs = zip(node.keywords, rest[count:], strict=True)
        node.keywords = [at(gast.keyword(k.arg, value), k) for k, value in pairs]
        return node

    def flat_all(self, nodes: Sequence[Any]) -> list[Any]:
        """Expressions that are evaluated one after the other: those before a call are held."""
        last = max([i for i, node in enumerate(nodes) if self.has(node)], default=0)
        return [
            self.spilled(self.flat(node)) if i < last else self.flat(node)
            for i, node in enumerate(nodes)
        ]

    def spilled(self, node: Any) -> Any:
        """`node`, evaluated now."""
        if isinstance(node, gast.Constant) or node is None or self.is_global(node):
            return node
        if isinstance(node, gast.Name) and self.stays(node.id):
            return node
        if isinstance(node, (gast.Slice, gast.Starred, gast.FormattedValue, gast.keyword)) or (
            isinstance(node, gast.Tuple) and any(isinstance(e, gast.Slice) for e in node.elts)
        ):
            node = copy.copy(node)
            for field, value in gast.iter_fields(node):
                if isinstance(value, gast.expr):
                    setattr(node, field, self.spilled(value))
                elif field == "elts":
                    setattr(node, field, [self.spilled(e) for e in value])
            return node
        return self.held(node)

    def stays(self, text: str) -> bool:
        """Whether no call binds this variable again: expressions themselves bind none any more."""
        scope = self.lowered.scope
        if text not in scope.nonlocal_ and text not in self.source.freevars:
            return text in scope.bound() and text not in scope.cell
        outermost = self.source
        while outermost.outer is not None:
            outermost = outermost.outer
        rebound = [n.names for n in gast.walk(outermost.node) if isinstance(n, gast.Nonlocal)]
        return outermost is not self.source and not any(text in names for names in rebound)

    def is_global(self, node: Any) -> bool:
        """Whether this is a global name, or an attribute of one: a function, a class, a module."""
        while isinstance(node, gast.Attribute):
            node = node.value
        scope = self.lowered.scope
        variables = (*scope.bound(), *scope.nonlocal_, *self.source.freevars)
        return isinstance(node, gast.Name) and node.id not in variables

    def held(self, node: Any, own: bool = False) -> Any:
        """A fresh name that holds the value."""
        text = f"value {len(self.made)} of {self.source.name}"
        self.made[text] = None
        made: Any = at(tree.assign(at(tree.store(text), node), node), node)
        if own:
            self.own.add(made)
        self.out.append(made)
        return name(text, node)
