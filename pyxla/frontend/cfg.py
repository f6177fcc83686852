"""Lowered functions to a graph of blocks in which variables still have names.

Inside a block a name is its last value; a name that the block does not set first is a placeholder,
to be replaced by `pyxla.frontend.ssa` once it knows which definition arrives.  Code after a jump is
dropped.  The two targets of a branch are blocks of their own, so no edge is critical; a loop header
has one predecessor outside the loop, and one inside.
"""

from __future__ import annotations

import dataclasses
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import gast

from pyxla.errors import Location
from pyxla.frontend import local_classes, pyops, support, unwinding
from pyxla.frontend.desugar import Lowered
from pyxla.frontend.hoist import SUPPORT
from pyxla.frontend.source import SourceFunction, nested_function
from pyxla.frontend.unwinding import Names
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Branch, Instr, Jump, Raise, Return, Value

BINARY_OPERATORS: dict[type[gast.operator], str] = {
    gast.Add: "add",
    gast.Sub: "sub",
    gast.Mult: "mul",
    gast.Div: "truediv",
    gast.FloorDiv: "floordiv",
    gast.Mod: "mod",
    gast.Pow: "pow",
    gast.MatMult: "matmul",
    gast.LShift: "lshift",
    gast.RShift: "rshift",
    gast.BitAnd: "and_",
    gast.BitOr: "or_",
    gast.BitXor: "xor",
}
UNARY_OPERATORS: dict[type[gast.unaryop], str] = {
    gast.USub: "neg",
    gast.UAdd: "pos",
    gast.Invert: "invert",
    gast.Not: "not_",
}
COMPARISONS: dict[type[gast.cmpop], str] = {
    gast.Eq: "eq",
    gast.NotEq: "ne",
    gast.Lt: "lt",
    gast.LtE: "le",
    gast.Gt: "gt",
    gast.GtE: "ge",
    gast.Is: "is_",
    gast.IsNot: "is_not",
    gast.In: "contains",
    gast.NotIn: "not_contains",
}
_IDENTITY = (gast.Is, gast.IsNot, gast.In, gast.NotIn)
# A box is passed from block to block under its variable's name with this in front.
BOX_PREFIX = "&"


def renamed(name: str, function: str) -> str:
    """What a variable of a function is called in a graph that has code of several."""
    return f"{name} of {function}"


def as_written(name: str) -> str:
    """The name of a variable as its function has it."""
    return name.partition(" of ")[0]


@dataclass(eq=False, slots=True)
class Graph:
    """A graph with named variables: its entry, parameters, and what each block does with names."""

    entry: Block
    params: tuple[Value, ...]
    names: dict[Block, Names]


@dataclass(eq=False, slots=True)
class OpenLoop:
    """A loop under construction: blocks that will go on to its next iteration, and behind it."""

    continues: list[Block] = field(default_factory=list)
    breaks: list[Block] = field(default_factory=list)


def control_flow_graph(source: SourceFunction, lowered: Lowered) -> Graph:
    """The graph of a lowered function."""
    builder = GraphBuilder(source, lowered)
    builder.parameters()
    builder.statements(lowered.node.body)
    if builder.block is not None:
        value = builder.emit(pyops.CONST, (), {"value": None}, lowered.node)
        builder.end(Return((value,), builder.location(lowered.node)))
    return Graph(builder.entry, builder.params, builder.names)


class GraphBuilder:
    """Walks a lowered function; `block` is where instructions go, None where nothing arrives."""

    def __init__(self, source: SourceFunction, lowered: Lowered) -> None:
        self.code_of(source, lowered, {})
        self.names: dict[Block, Names] = {}
        self.entry = Block("entry")
        self.block: Any = self.entry
        self.here = self.names[self.entry] = Names()
        self.params: tuple[Value, ...] = ()
        self.loops: list[OpenLoop] = []
        self.guard: unwinding.Guard | None = None
        self.guards: dict[Block, unwinding.Guard] = {}  # the innermost of blocks inside a `try`
        self.cleanups: list[unwinding.Cleanup] = []
        self.counter = 0

    def code_of(self, source: SourceFunction, lowered: Lowered, renamed: Mapping[str, str]) -> None:
        """What follows is code of this function, whose variables are `renamed` in the graph."""
        self.source = source
        self.lowered = lowered
        self.locate, self.function = source.file.location, source.qualname
        scope = lowered.scope
        self.bound = scope.bound()
        self.globals = frozenset(scope.global_)
        self.cells = frozenset(scope.cell)
        self.free = frozenset(source.freevars)
        self.renamed = renamed

    def location(self, node: Any) -> Location:
        return self.locate(node, self.function)

    def emit(
        self,
        op: Any,
        operands: tuple[Value, ...],
        attrs: dict[str, Any],
        node: gast.AST,
    ) -> Value:
        if op is pyops.CALL:
            self.forget_globals()
        instr = Instr(op, operands, attrs, (), self.locate(node, self.function))
        value = Value(None, instr)
        instr.results = (value,)
        self.block.instrs.append(instr)
        return value

    def effect(
        self,
        op: Any,
        operands: tuple[Value, ...],
        attrs: dict[str, Any],
        node: gast.AST,
    ) -> None:
        """Emit an instruction without results."""
        self.block.instrs.append(Instr(op, operands, attrs, (), self.location(node)))

    # Blocks.

    def start(self, label: str, *preds: Block) -> Block:
        """Go on in a new block, to which the open blocks `preds` jump."""
        block = self.make(label)
        for pred in preds:
            pred.terminator = Jump(block, self.left_at(pred))
        block.preds += preds
        return self.resume(block)

    def make(self, label: str) -> Block:
        """A new block, with a pad for each `try` around it."""
        block = Block(label)
        if self.guard is not None:
            self.guards[block] = self.guard
            block.pads = unwinding.pads(self, block)
        return block

    def left_at(self, block: Block) -> Location | None:
        """Where an open block is left: at its last statement."""
        last = self.names[block].last
        return None if last is None else self.location(last)

    def resume(self, block: Block) -> Block:
        self.block = block
        known = self.names.get(block)
        if known is None:
            known = self.names[block] = Names()
        self.here = known
        return block

    def end(self, terminator: Any) -> None:
        self.block.terminator = terminator
        self.block = None

    def join(self, blocks: Sequence[Block], label: str) -> None:
        """Go on behind the open blocks, in a new one where there are several."""
        if not blocks:
            self.block = None
        elif len(blocks) == 1 and self.guards.get(blocks[0]) is self.guard:
            self.resume(blocks[0])
        else:
            self.start(label, *blocks)

    # Variables.

    def parameters(self) -> None:
        node = self.lowered.node
        values = []
        for name in self.source.params:
            value = Value(hint=name)
            values.append(value)
            if name not in self.cells:
                self.here.values[name] = value
                self.here.writes[name] = None
        self.params = tuple(values)
        for name in self.lowered.scope.cell:
            self.set_box(name, self.emit(pyops.BOX, (), {"name": name}, node))
        for name in self.source.freevars:
            self.set_box(name, self.emit(pyops.FREE_BOX, (), {"name": name}, node))
        for name, value in zip(self.source.params, values, strict=True):
            if name in self.cells:
                self.write(name, value, node)

    def set_box(self, name: str, box: Value) -> None:
        box.hint = name
        self.here.values[BOX_PREFIX + name] = box
        self.here.writes[BOX_PREFIX + name] = None

    def lookup(self, name: str) -> Value:
        """The value of a name here: as last set in the block, else a placeholder."""
        value = self.here.values.get(name)
        if value is None:
            value = Value(hint=name)
            self.here.values[name] = self.here.reads[name] = value
        return value

    def named(self, name: str) -> str:
        """What a variable is called in the graph."""
        return self.renamed.get(name, name)

    def read(self, name: str, node: gast.AST) -> Value:
        if name in self.cells or name in self.free:
            return self.emit(pyops.BOX_GET, (self.lookup(BOX_PREFIX + name),), {}, node)
        if name in self.bound:
            before = self.here.values.get(self.named(name))
            value = self.lookup(self.named(name))
            unknown = before is None or getattr(before.owner, "op", None) is pyops.UNBOUND
            if unknown and not self.lowered.temporary(name):
                self.effect(pyops.BOUND, (value,), {}, node)
            return value
        return self.known(pyops.GLOBAL, ("global", name), {"name": name}, node)

    def known(self, op: pyops.PyOp, key: Any, attrs: dict[str, Any], node: gast.AST) -> Value:
        """A constant or global, once in a block."""
        value = self.here.known.get(key)
        if value is None:
            value = self.here.known[key] = self.emit(op, (), attrs, node)
        return value

    def forget_globals(self) -> None:
        """What runs in between may have assigned to them."""
        known = self.here.known
        for key in [key for key in known if key[0] == "global"]:
            del known[key]

    def write(self, name: str, value: Value, node: gast.AST) -> None:
        if name in self.cells or name in self.free:
            box = self.lookup(BOX_PREFIX + name)
            self.effect(pyops.BOX_SET, (box, value), {}, node)
            return
        if name in self.globals:
            self.effect(pyops.GLOBAL_SET, (value,), {"name": name}, node)
            self.forget_globals()
            return
        if not value.hint and getattr(value.owner, "op", None) is not pyops.CONST:
            value.hint = name
        name = self.named(name)
        self.here.values[name] = value
        self.here.writes[name] = None

    # Statements.

    def statements(self, nodes: Sequence[gast.stmt]) -> None:
        for node in nodes:
            if self.block is None:
                return
            _STATEMENTS[type(node)](self, node)
            self.here.last = node
            if self.guard is not None and self.block is not None:
                unwinding.settle(self)

    def assign(self, node: gast.Assign) -> None:
        target, value = node.targets[0], node.value
        if (
            isinstance(target, gast.Tuple)
            and isinstance(value, gast.Tuple)
            and len(target.elts) == len(value.elts)
            and not any(isinstance(e, gast.Starred) for e in target.elts)
        ):
            values = [self.value(e) for e in value.elts]
            for element, each in zip(target.elts, values, strict=True):
                self.store(element, each, node)
        else:
            self.store(target, self.value(value), node)

    def store(self, target: Any, value: Value, node: gast.AST) -> None:
        if isinstance(target, gast.Name):
            self.write(target.id, value, node)
        elif isinstance(target, gast.Attribute):
            owner = self.value(target.value)
            self.effect(pyops.SETATTR, (owner, value), {"name": target.attr}, node)
        elif isinstance(target, gast.Subscript):
            owner, key = self.value(target.value), self.value(target.slice)
            self.effect(pyops.SETITEM, (owner, key, value), {}, node)
        else:
            self.unpack(target, value, node)

    def unpack(self, target: gast.Tuple, value: Value, node: gast.AST) -> None:
        elements = target.elts
        star = [i for i, e in enumerate(elements) if isinstance(e, gast.Starred)]
        before = star[0] if star else len(elements)
        after = len(elements) - before - len(star)
        attrs = {"before": before, "after": after, "starred": bool(star)}
        op: Any = pyops.UNPACK
        instr = Instr(op, (value,), attrs, (), self.location(target))
        instr.results = tuple([Value(None, instr) for _ in elements])
        self.block.instrs.append(instr)
        for element, item in zip(elements, instr.results, strict=True):
            inner = element.value if isinstance(element, gast.Starred) else element
            self.store(inner, item, node)

    def aug_assign(self, node: gast.AugAssign) -> None:
        target: Any = node.target
        attrs = {"op": BINARY_OPERATORS[type(node.op)]}
        if isinstance(target, gast.Name):
            old = self.read(target.id, target)
            new = self.emit(pyops.INPLACE, (old, self.value(node.value)), attrs, node)
            self.write(target.id, new, node)
        elif isinstance(target, gast.Attribute):
            owner = self.value(target.value)
            old = self.emit(pyops.GETATTR, (owner,), {"name": target.attr}, target)
            new = self.emit(pyops.INPLACE, (old, self.value(node.value)), attrs, node)
            self.effect(pyops.SETATTR, (owner, new), {"name": target.attr}, node)
        else:
            owner, key = self.value(target.value), self.value(target.slice)
            old = self.emit(pyops.GETITEM, (owner, key), {}, target)
            new = self.emit(pyops.INPLACE, (old, self.value(node.value)), attrs, node)
            self.effect(pyops.SETITEM, (owner, key, new), {}, node)

    def delete(self, node: gast.Delete) -> None:
        (target,) = node.targets
        if isinstance(target, gast.Name):
            self.read(target.id, target)
            unbound = self.emit(pyops.UNBOUND, (), {"name": target.id}, node)
            self.write(target.id, unbound, node)
        elif isinstance(target, gast.Attribute):
            self.effect(pyops.DELATTR, (self.value(target.value),), {"name": target.attr}, node)
        elif isinstance(target, gast.Subscript):
            operands = (self.value(target.value), self.value(target.slice))
            self.effect(pyops.DELITEM, operands, {}, node)

    def expr(self, node: gast.Expr) -> None:
        value = self.value(node.value)
        if value.owner is not None and getattr(value.owner, "op", None) is pyops.REFUSE:
            self.end(Raise((value,), self.location(node)))

    def function_def(self, node: gast.FunctionDef) -> None:
        nested = self.lowered.nested[node]
        spec = node.args
        free = nested.scope.free
        inner = nested_function(node, nested.name, self.source, free, nested.decorators)
        lowered = self.lowered
        inner.stages["lowered"] = dataclasses.replace(lowered, node=node, scope=nested.scope)
        defaults = [*spec.defaults, *[d for d in spec.kw_defaults if d is not None]]
        operands = [self.value(d) for d in defaults]
        operands += [self.lookup(BOX_PREFIX + name) for name in free]
        has_attributes = node.name in lowered.attributed or nested.decorators
        attrs = {
            "function": inner,
            "freevars": (*free, pyops.ATTRIBUTES) if has_attributes else free,
            "defaults": inner.defaults,
            "kwdefaults": inner.kwdefaults,
        }
        self.write(node.name, self.emit(pyops.FUNCTION, tuple(operands), attrs, node), node)

    def class_def(self, node: gast.ClassDef) -> None:
        body = self.lowered.classes[node]
        names = local_classes.taken(body.code)
        operands = [self.value(base) for base in node.bases]
        operands += [self.read(name, node) for name in names]
        attrs = {"body": body, "bases": len(node.bases), "freevars": names}
        self.write(node.name, self.emit(pyops.CLASS, tuple(operands), attrs, node), node)

    def return_(self, node: gast.Return) -> None:
        value = self.value(node.value)
        if self.cleanups:
            name = unwinding.synthetic(self, "return")
            self.here.values[name] = value
            self.here.writes[name] = None
            if not unwinding.clean_up(self, 0):
                return
            value = self.lookup(name)
        self.end(Return((value,), self.location(node)))

    def raise_(self, node: gast.Raise) -> None:
        parts = [self.value(e) for e in (node.exc, node.cause) if e is not None]
        self.end(Raise(tuple(parts), self.location(node)))

    def leave_loop(self, node: gast.Break | gast.Continue) -> None:
        if unwinding.clean_up(self, len(self.loops)):
            loop = self.loops[-1]
            (loop.breaks if isinstance(node, gast.Break) else loop.continues).append(self.block)
            self.block = None

    def nothing(self, node: gast.stmt) -> None:
        pass

    def if_(self, node: gast.If) -> None:
        """A branch; an `if` that ends the `else` part is followed without recursion."""
        taken: list[list[Block]] = []
        while True:
            if isinstance(node.test, gast.Constant):
                rest = node.body if node.test.value else node.orelse
                self.statements(rest)
                break
            otherwise = self.branch(node, taken)
            self.resume(otherwise)
            rest = node.orelse
            if not rest or not isinstance(rest[-1], gast.If):
                self.statements(rest)
                break
            self.statements(rest[:-1])
            if self.block is None:
                break
            node = rest[-1]
        for ends in reversed(taken):
            self.join([*ends, *([self.block] if self.block is not None else ())], "merge")

    def branch(self, node: gast.If, taken: list[list[Block]]) -> Block:
        """End the block on the test, walk the body (its open end goes to `taken`)."""
        test, swapped = node.test, False
        while isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            test, swapped = test.operand, not swapped
        value = self.truth(test)
        then, otherwise = self.make("then"), self.make("else")
        source = self.block
        then.preds.append(source)
        otherwise.preds.append(source)
        targets = (otherwise, then) if swapped else (then, otherwise)
        self.end(Branch(value, *targets, self.location(node.test)))
        self.resume(then)
        self.statements(node.body)
        taken.append([self.block] if self.block is not None else [])
        return otherwise

    def truth(self, test: gast.expr) -> Value:
        """The value that a branch tests: a bool."""
        value = self.value(test)
        if isinstance(test, gast.Name) and test.id in self.lowered.booleans:
            return value
        if isinstance(test, gast.Compare) and isinstance(test.ops[0], _IDENTITY):
            return value
        if isinstance(test, gast.Call) and _helper(test.func) in support.PREDICATES:
            return value
        return self.emit(pyops.TRUTH, (value,), {}, test)

    def while_(self, node: gast.While) -> None:
        header = self.start("loop", self.block)
        loop = OpenLoop()
        self.loops.append(loop)
        self.statements(node.body)
        self.loops.pop()
        if self.block is not None:
            loop.continues.append(self.block)
        self.join(loop.continues, "latch")
        if self.block is not None:
            header.preds.append(self.block)
            self.end(Jump(header, self.left_at(self.block)))
        self.join(loop.breaks, "exit")

    # Expressions.

    def value(self, node: Any) -> Value:
        return _EXPRESSIONS[type(node)](self, node)

    def name(self, node: gast.Name) -> Value:
        return self.read(node.id, node)

    def constant(self, node: gast.Constant) -> Value:
        return self.literal(node.value, node)

    def literal(self, value: Any, node: gast.AST) -> Value:
        """A constant; equal floats may be zeros of different sign, so they are not shared.

        Texts like names are one object for `is`, as CPython interns them.
        """
        if isinstance(value, str) and value.isascii() and f"_{value}".isidentifier():
            value = sys.intern(value)
        if isinstance(value, (float, complex)):
            return self.emit(pyops.CONST, (), {"value": value}, node)
        return self.known(pyops.CONST, (type(value), value), {"value": value}, node)

    def attribute(self, node: gast.Attribute) -> Value:
        return self.emit(pyops.GETATTR, (self.value(node.value),), {"name": node.attr}, node)

    def subscript(self, node: gast.Subscript) -> Value:
        operands = (self.value(node.value), self.value(node.slice))
        return self.emit(pyops.GETITEM, operands, {}, node)

    def slice(self, node: gast.Slice) -> Value:
        parts = [
            self.literal(None, node) if part is None else self.value(part)
            for part in (node.lower, node.upper, node.step)
        ]
        return self.emit(pyops.SLICE, tuple(parts), {}, node)

    def binary(self, node: gast.BinOp) -> Value:
        spine = [node]
        while isinstance(spine[-1].left, gast.BinOp):
            spine.append(spine[-1].left)
        value = self.value(spine[-1].left)
        for each in reversed(spine):
            operands = (value, self.value(each.right))
            value = self.emit(pyops.BINARY, operands, {"op": BINARY_OPERATORS[type(each.op)]}, each)
        return value

    def unary(self, node: gast.UnaryOp) -> Value:
        operand, op = node.operand, UNARY_OPERATORS[type(node.op)]
        if isinstance(operand, gast.Constant) and type(operand.value) in (
            int,
            float,
            complex,
        ):
            return self.literal(getattr(operator, op)(operand.value), node)
        return self.emit(pyops.UNARY, (self.value(operand),), {"op": op}, node)

    def compare(self, node: gast.Compare) -> Value:
        operands = (self.value(node.left), self.value(node.comparators[0]))
        return self.emit(pyops.COMPARE, operands, {"op": COMPARISONS[type(node.ops[0])]}, node)

    def display(self, node: Any) -> Value:
        items = tuple([self.value(item) for item in node.elts])
        return self.emit(_DISPLAYS[type(node)], items, {}, node)

    def dict(self, node: gast.Dict) -> Value:
        items = [
            self.value(item) for pair in zip(node.keys, node.values, strict=True) for item in pair
        ]
        return self.emit(pyops.DICT, tuple(items), {}, node)

    def call(self, node: gast.Call) -> Value:
        helper = _helper(node.func)
        if helper is not None:
            return self.helper_call(helper, node)
        return self.call_of(self.value(node.func), node)

    def call_of(self, callee: Value, node: gast.Call) -> Value:
        """A call of what the function of `node` is."""
        operands = [callee]
        layout = []
        for arg in node.args:
            if isinstance(arg, gast.Starred):
                operands.append(self.value(arg.value))
                layout.append("star")
            else:
                operands.append(self.value(arg))
                layout.append("pos")
        for keyword in node.keywords:
            operands.append(self.value(keyword.value))
            layout.append(f"kw:{keyword.arg}" if keyword.arg else "kwstar")
        return self.emit(pyops.CALL, tuple(operands), {"layout": tuple(layout)}, node)

    def helper_call(self, helper: str, node: gast.Call) -> Value:
        """A call of `pyxla.frontend.support`: an operation of its own, or of a constant."""
        if helper == "refuse":
            reason, hint = [gast.literal_eval(arg) for arg in node.args]
            return self.emit(pyops.REFUSE, (), {"message": reason, "hint": hint}, node)
        operands = [self.value(arg) for arg in node.args]
        if helper == "truth":
            return self.emit(pyops.TRUTH, tuple(operands), {}, node)
        if helper == "slice":
            return self.emit(pyops.SLICE, tuple(operands), {}, node)
        callee = self.known(
            pyops.CONST, ("helper", helper), {"value": getattr(support, helper)}, node
        )
        layout = ("pos",) * len(operands)
        return self.emit(pyops.CALL, (callee, *operands), {"layout": layout}, node)

    def yield_(self, node: gast.Yield) -> Value:
        return self.emit(pyops.YIELD, (self.value(node.value),), {}, node)

    def joined(self, node: Any) -> Value:
        parts = [
            self.literal(v.value, v) if isinstance(v, gast.Constant) else self.field(v)
            for v in node.values
        ]
        return self.emit(pyops.JOIN, tuple(parts), {}, node)

    def field(self, node: gast.FormattedValue) -> Value:
        """One `{value!conversion:spec}`."""
        value = self.value(node.value)
        conversion = "" if node.conversion < 0 else chr(node.conversion)
        spec: Any = node.format_spec
        if spec is None or all(isinstance(v, gast.Constant) for v in spec.values):
            text = "" if spec is None else "".join(v.value for v in spec.values)
            return self.emit(pyops.FORMAT, (value,), {"conversion": conversion, "spec": text}, node)
        computed = self.joined(spec)
        callee = self.literal(support.format_spec, node)
        operands = (callee, value, self.literal(conversion, node), computed)
        return self.emit(pyops.CALL, operands, {"layout": ("pos",) * 3}, node)


def _helper(function: gast.expr) -> str | None:
    """`x` of `_pyxla.x`."""
    if isinstance(function, gast.Attribute) and isinstance(function.value, gast.Name):
        return function.attr if function.value.id == SUPPORT else None
    return None


_DISPLAYS = {gast.Tuple: pyops.TUPLE, gast.List: pyops.LIST, gast.Set: pyops.SET}
_STATEMENTS: dict[type[gast.stmt], Callable[[GraphBuilder, Any], None]] = {
    gast.Assign: GraphBuilder.assign,
    gast.AugAssign: GraphBuilder.aug_assign,
    gast.Break: GraphBuilder.leave_loop,
    gast.ClassDef: GraphBuilder.class_def,
    gast.Continue: GraphBuilder.leave_loop,
    gast.Delete: GraphBuilder.delete,
    gast.Expr: GraphBuilder.expr,
    gast.FunctionDef: GraphBuilder.function_def,
    gast.Global: GraphBuilder.nothing,
    gast.If: GraphBuilder.if_,
    gast.Nonlocal: GraphBuilder.nothing,
    gast.Pass: GraphBuilder.nothing,
    gast.Raise: GraphBuilder.raise_,
    gast.Return: GraphBuilder.return_,
    gast.Try: unwinding.try_,
    gast.While: GraphBuilder.while_,
}
_EXPRESSIONS: dict[type[gast.expr], Callable[[GraphBuilder, Any], Value]] = {
    gast.Attribute: GraphBuilder.attribute,
    gast.BinOp: GraphBuilder.binary,
    gast.Call: GraphBuilder.call,
    gast.Compare: GraphBuilder.compare,
    gast.Constant: GraphBuilder.constant,
    gast.Dict: GraphBuilder.dict,
    gast.JoinedStr: GraphBuilder.joined,
    gast.List: GraphBuilder.display,
    gast.Name: GraphBuilder.name,
    gast.Set: GraphBuilder.display,
    gast.Slice: GraphBuilder.slice,
    gast.Subscript: GraphBuilder.subscript,
    gast.Tuple: GraphBuilder.display,
    gast.UnaryOp: GraphBuilder.unary,
    gast.Yield: GraphBuilder.yield_,
}
