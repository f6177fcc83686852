"""What desugaring works with: where statements go, how values are held, how nodes are made.

The handlers of `pyxla.frontend.statements`, `expressions` and `patterns` fill the two tables here.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import gast

from pyxla.frontend import fence, tree
from pyxla.frontend.scope import Scope
from pyxla.frontend.source import SourceFunction, mangle
from pyxla.frontend.tree import LOAD, STORE
from pyxla.frozen import dataclass

SUPPORT = "_pyxla"
Node = TypeVar("Node", bound=gast.AST)
# node class -> handler(desugarer, node): statements append to `body`, expressions return a value.
STATEMENTS: dict[type[gast.AST], Callable[[Desugarer, Any], None]] = {}
EXPRESSIONS: dict[type[gast.AST], Callable[[Desugarer, Any], gast.expr]] = {}


def _handling(table: dict[type[gast.AST], Any], *kinds: type[gast.AST]) -> Callable[[Any], Any]:
    """Register the decorated handler for nodes of these classes."""

    def register(handler: Any) -> Any:
        table.update(dict.fromkeys(kinds, handler))
        return handler

    return register


statement = functools.partial(_handling, STATEMENTS)
expression = functools.partial(_handling, EXPRESSIONS)


@dataclass(frozen=True, eq=False, slots=True)
class Nested:
    """A nested function: its name for readers (`<lambda>`, `<listcomp>`), its variables and its
    decorators, which are calls in the lowered program."""

    name: str
    scope: Scope
    decorators: tuple[gast.expr, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class ClassBody:
    """The body of a class that is defined inside: as written, and its code."""

    node: gast.ClassDef
    code: types.CodeType


def at(node: Node, origin: gast.AST) -> Node:
    """Give a new node the span of the one it came from."""
    node.lineno, node.col_offset = origin.lineno, origin.col_offset  # type: ignore[attr-defined]
    node.end_lineno = origin.end_lineno  # type: ignore[attr-defined]
    node.end_col_offset = origin.end_col_offset  # type: ignore[attr-defined]
    return node


def name(text: str, origin: gast.AST) -> gast.Name:
    return at(tree.load(text), origin)


def constant(value: Any, origin: gast.AST) -> gast.Constant:
    return at(tree.constant(value), origin)


def call(helper: str, args: list[gast.expr], origin: gast.AST) -> gast.Call:
    """`_pyxla.helper(args)`."""
    function = at(gast.Attribute(name(SUPPORT, origin), helper, LOAD), origin)
    return at(gast.Call(function, args, []), origin)


_HOISTING = (
    gast.BoolOp,
    gast.DictComp,
    gast.GeneratorExp,
    gast.IfExp,
    gast.JoinedStr,
    gast.Lambda,
    gast.ListComp,
    gast.NamedExpr,
    gast.SetComp,
    gast.Yield,
)


def hoists(node: gast.AST) -> bool:
    """Whether a node itself (not its parts) may hoist, other than as a target."""
    if isinstance(node, _HOISTING) or (isinstance(node, gast.Compare) and len(node.ops) > 1):
        return True
    if isinstance(node, (gast.List, gast.Tuple, gast.Set)):
        starred = any(isinstance(item, gast.Starred) for item in node.elts)
        return starred and not isinstance(getattr(node, "ctx", None), gast.Store)
    return isinstance(node, gast.Dict) and None in node.keys


def negate(test: gast.expr) -> gast.expr:
    """`not test`, for a condition."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    if isinstance(test, gast.Constant):
        return at(tree.constant(not test.value), test)
    return at(gast.UnaryOp(gast.Not(), test), test)


def _is_constant(node: gast.expr) -> bool:
    """Whether CPython takes an expression for a constant: a number, a text, a tuple of these."""
    if isinstance(node, gast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, gast.UnaryOp):
        return _is_constant(node.operand)
    return isinstance(node, gast.Constant)


def _stores_parts(target: gast.expr) -> bool:
    """Whether assigning a nest of targets may raise when some names have been assigned."""
    return any(isinstance(part, (gast.Attribute, gast.Subscript)) for part in gast.walk(target))


def _last_name(place: gast.expr) -> str:
    """The variable or the attribute that `place` is, if it is one."""
    return getattr(place, "attr", getattr(place, "id", ""))


class Desugarer:
    """Desugars one function and those nested in it; `body` is where statements go.

    effects: counts hoisted statements that do something, so that a parent sees whether a child
    hoisted.  renames: variables of the comprehensions around, by their new names.  stable: names
    that only assignments in the function itself change; rebound: those changed by a walrus.
    guarded: whether this is inside a `try`.
    """

    def __init__(self, source: SourceFunction) -> None:
        self.source = source
        self.class_name = source.class_name
        self.scope = Scope(())
        self.body: list[gast.stmt] = []
        self.effects = 0
        self.counter = 0
        self.prefix = "_t"
        while any(n.startswith(self.prefix) for n in source.names):
            self.prefix += "_"
        self.renames: dict[str, str] = {}
        self.stable = source.unshared
        self.rebound: set[str] = set()
        self.booleans: set[str] = set()
        self.nested: dict[gast.FunctionDef, Nested] = {}
        self.classes: dict[gast.ClassDef, ClassBody] = {}
        self.attributed: set[str] = set()  # names of what attributes are assigned to
        self.renamed: set[tuple[str, str]] = set()  # a variable and a name that it is assigned to
        self.handled: gast.Name | None = None  # what `raise` on its own raises
        self.guarded = False

    # Functions.

    def root(self, node: Any) -> gast.FunctionDef:
        source = self.source
        title = source.name if source.name.isidentifier() else "lambda_"
        self.scope = Scope(source.params)
        body = self.function_body(node)
        args = self.parameters(node.args, node.args.defaults, node.args.kw_defaults)
        return at(tree.function_def(title, args, body), node)

    def function_body(self, node: Any) -> list[gast.stmt]:
        """The statements of a function in a fresh list, in the current scope."""
        outer, self.body = self.body, []
        if isinstance(node, gast.Lambda):
            self.body.append(at(gast.Return(self.expr(node.body)), node.body))
        elif isinstance(node, gast.AsyncFunctionDef):
            self.refuse(node, fence.refusal(node))
        else:
            self.statements(node.body)
        body, self.body = self.body, outer
        return body or [at(gast.Pass(), node)]

    def parameters(
        self, spec: gast.arguments, defaults: list[gast.expr], kw_defaults: list[Any]
    ) -> gast.arguments:
        """Parameters without annotations, with these defaults."""

        def plain(arg: gast.Name | None) -> Any:
            return arg and at(tree.parameter(mangle(arg.id, self.class_name)), arg)

        return gast.arguments(
            [plain(a) for a in spec.args],
            [plain(a) for a in spec.posonlyargs],
            plain(spec.vararg),
            [plain(a) for a in spec.kwonlyargs],
            kw_defaults,
            plain(spec.kwarg),
            defaults,
        )

    def nested_function(
        self, node: Any, title: str, shown: str, body: Callable[[], list[gast.stmt]]
    ) -> None:
        """Append `def title(...)` with the parameters of `node` and what `body` makes."""
        spec = node.args
        given = [d for d in spec.kw_defaults if d is not None]
        values = self.operands([*spec.defaults, *given])
        rest = iter(values[len(spec.defaults) :])
        kw_defaults = [d and next(rest) for d in spec.kw_defaults]
        args = self.parameters(spec, values[: len(spec.defaults)], kw_defaults)
        variables = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        variables += [a for a in (args.vararg, args.kwarg) if a]
        saved = self.scope, self.stable, self.rebound, self.renames
        handled, self.handled = self.handled, None
        guarded, self.guarded = self.guarded, False
        self.scope = inner = Scope(tuple([a.id for a in variables]))
        self.stable, self.rebound, self.renames = frozenset(), set(), {}
        statements = body()
        self.scope, self.stable, self.rebound, self.renames = saved
        self.handled, self.guarded = handled, guarded
        self.scope.children.append(inner)
        lowered = at(tree.function_def(title, args, statements), node)
        decorators = tuple(getattr(node, "decorator_list", ()))
        self.nested[lowered] = Nested(shown, inner, decorators)
        self.scope.stores[title] = None
        self.body.append(lowered)
        if values:
            self.effects += 1

    def temporary(self) -> str:
        self.counter += 1
        return f"{self.prefix}{self.counter}"

    def is_temporary(self, text: str) -> bool:
        return text.startswith(self.prefix) and text[len(self.prefix) :].isdigit()

    def set(self, text: str, value: gast.expr, origin: gast.AST) -> None:
        """Append `text = value` for a temporary."""
        if isinstance(value, gast.Name):
            self.renamed.add((value.id, text))
        self.scope.stores[text] = None
        self.body.append(at(tree.assign(at(tree.store(text), origin), value), origin))
        self.effects += 1

    def hold(self, value: gast.expr, origin: gast.AST) -> gast.Name:
        """A fresh temporary that holds `value`."""
        text = self.temporary()
        self.set(text, value, origin)
        return name(text, origin)

    def block(self, fill: Callable[..., None], *args: Any) -> list[gast.stmt]:
        """The statements that `fill(*args)` appends, on their own."""
        outer, self.body = self.body, []
        fill(*args)
        body, self.body = self.body, outer
        return body

    def branch(
        self,
        test: gast.expr,
        body: list[gast.stmt],
        orelse: list[gast.stmt],
        origin: gast.AST,
    ) -> None:
        """Append `if test: body else: orelse`."""
        self.effects += 1
        if not body:
            test, body, orelse = negate(test), orelse or [at(gast.Pass(), origin)], []
        self.body.append(at(gast.If(test, body, orelse), origin))

    def refuse(self, node: gast.AST, why: tuple[str, str]) -> None:
        reason, hint = why
        args: list[gast.expr] = [constant(reason, node), constant(hint, node)]
        self.body.append(at(gast.Expr(call("refuse", args, node)), node))
        self.effects += 1

    # Order of evaluation.

    def operands(self, nodes: Sequence[gast.expr]) -> list[gast.expr]:
        """Desugar expressions that are evaluated one after the other."""
        values: list[gast.expr] = []
        ends: list[int] = []
        last = 0
        for i, node in enumerate(nodes):
            before = self.effects
            values.append(self.expr(node))
            ends.append(len(self.body))
            if self.effects != before:
                last = i
        for i in range(last - 1, -1, -1):
            values[i] = self.spill(values[i], ends[i])
        return values

    def pair(self, left: gast.expr, right: gast.expr) -> tuple[gast.expr, gast.expr]:
        """`operands` of two."""
        one = self.expr(left)
        before, end = self.effects, len(self.body)
        two = self.expr(right)
        return (one if self.effects == before else self.spill(one, end)), two

    def spill(self, value: gast.expr, index: int) -> gast.expr:
        """Evaluate `value` into a temporary at `index` of the body, unless it cannot change."""
        if isinstance(value, gast.Constant):
            return value
        if isinstance(value, gast.Name) and (
            self.is_temporary(value.id)
            or (value.id in self.stable and value.id not in self.rebound)
        ):
            return value
        text = self.temporary()
        self.scope.stores[text] = None
        held: gast.expr = name(text, value)
        if isinstance(value, gast.Starred):
            held, value = at(gast.Starred(held, LOAD), value), value.value
            value = call("to_tuple", [value], value)
        target = at(tree.store(text), value)
        self.body.insert(index, at(tree.assign(target, self.without_slices(value)), value))
        self.effects += 1
        return held

    def without_slices(self, value: gast.expr) -> gast.expr:
        """`a:b` outside of an index is a call."""
        if isinstance(value, gast.Slice):
            parts = [p or constant(None, value) for p in (value.lower, value.upper, value.step)]
            return call("slice", parts, value)
        if isinstance(value, gast.Tuple) and any(isinstance(e, gast.Slice) for e in value.elts):
            return at(gast.Tuple([self.without_slices(e) for e in value.elts], LOAD), value)
        return value

    # Statements and expressions.

    def store(self, target: gast.Name, value: gast.expr, origin: gast.AST) -> None:
        """Append `target = value` for a variable."""
        self.scope.stores[target.id] = None
        self.body.append(at(tree.assign(target, value), origin))
        self.effects += 1

    def fresh(self, old: str) -> str:
        """A name like `old` that the function does not use."""
        while True:
            self.counter += 1
            text = f"{old}_{self.counter}"
            if text not in self.source.names:
                return text

    def loop(
        self,
        target: gast.expr,
        items: gast.expr,
        body: Callable[[], None],
        origin: gast.AST,
        orelse: Callable[[], None] | None = None,
        reads: str = "sequence",
    ) -> None:
        """Append `for target in items: body`, where `orelse` runs once the items are used up;
        `reads`: the helper that says what it indexes."""
        if isinstance(items, gast.Set) and all(map(_is_constant, items.elts)):
            items = call("displayed_set", [at(gast.Tuple(items.elts, LOAD), items)], items)
        sequence = self.hold(call(reads, [items], items), items)
        index = self.hold(constant(0, items), items)

        def iteration() -> None:
            def leave() -> None:
                if orelse is not None:
                    orelse()
                self.body.append(at(gast.Break(), origin))

            self.branch(
                negate(call("has_item", [sequence, index], items)),
                self.block(leave),
                [],
                items,
            )
            self.assign(target, call("item", [sequence, index], target), target)
            following = at(gast.BinOp(index, gast.Add(), constant(1, items)), items)
            self.set(index.id, following, items)
            body()

        self.forever(self.block(iteration), origin)

    def forever(self, body: list[gast.stmt], origin: gast.AST) -> None:
        """Append `while True: body`."""
        self.body.append(at(gast.While(constant(True, origin), body, []), origin))
        self.effects += 1

    def assign(self, target: gast.expr, value: gast.expr, origin: gast.AST) -> None:
        """Append `target = value` for any target; `value` is desugared already."""
        if isinstance(value, gast.Name) and (given := _last_name(target)):
            self.renamed.add((value.id, given))
        if isinstance(target, gast.Name):
            return self.store(self.target(target), value, origin)
        if isinstance(target, (gast.Tuple, gast.List)):
            if any(hoists(part) for part in gast.walk(target)) or (
                self.guarded and _stores_parts(target)
            ):
                return self.assign_apart(target, value, origin)
            lowered = self.target(target)
        else:
            end, before = len(self.body), self.effects
            lowered = self.target(target)
            if self.effects != before:
                value = self.spill(value, end)
        self.body.append(at(tree.assign(lowered, value), origin))
        self.effects += 1

    def functions_with_attributes(self) -> frozenset[str]:
        """Names, of functions too, of what attributes are assigned to."""
        known = self.attributed
        while more := {name for name, given in self.renamed if given in known} - known:
            known = known | more
        return frozenset(known)

    def assign_apart(self, target: Any, value: gast.expr, origin: gast.AST) -> None:
        """Unpack into temporaries, then assign these one by one."""
        temporaries = [self.temporary() for _ in target.elts]
        self.scope.stores.update(dict.fromkeys(temporaries))
        places: list[gast.expr] = []
        for element, text in zip(target.elts, temporaries, strict=True):
            place: gast.expr = at(tree.store(text), element)
            starred = isinstance(element, gast.Starred)
            places.append(at(gast.Starred(place, STORE), element) if starred else place)
        self.body.append(at(tree.assign(at(gast.Tuple(places, STORE), target), value), origin))
        self.effects += 1
        for element, text in zip(target.elts, temporaries, strict=True):
            inner = element.value if isinstance(element, gast.Starred) else element
            self.assign(inner, name(text, element), element)

    def target(self, node: Any) -> Any:
        """Desugar a target; what it holds is evaluated when it is assigned, in order."""
        if isinstance(node, gast.Name):
            text = self.renames.get(node.id) or mangle(node.id, self.class_name)
            self.scope.stores[text] = None
            return node if text == node.id else at(tree.store(text), node)
        if isinstance(node, gast.Attribute):
            attr = mangle(node.attr, self.class_name)
            self.attributed.add(_last_name(node.value))
            return at(gast.Attribute(self.expr(node.value), attr, STORE), node)
        if isinstance(node, gast.Subscript):
            value, index = self.pair(node.value, node.slice)
            return at(gast.Subscript(value, index, STORE), node)
        if isinstance(node, gast.Starred):
            return at(gast.Starred(self.target(node.value), STORE), node)
        return at(gast.Tuple([self.target(e) for e in node.elts], STORE), node)

    def statements(self, nodes: Sequence[gast.stmt]) -> None:
        for node in nodes:
            handler = STATEMENTS.get(type(node))
            if handler is None:
                self.refuse(node, fence.refusal(node))
            else:
                handler(self, node)

    def expr(self, node: gast.expr) -> gast.expr:
        """A value without control flow inside, after what it hoists."""
        handler = EXPRESSIONS.get(type(node))
        if handler is not None:
            return handler(self, node)
        self.refuse(node, fence.refusal(node))
        return constant(None, node)
