"""What holds of code at each stage, checked.

    verify_untyped   a graph out of the front end
    verify_typed     a graph out of inference: also every value has the type its op infers
    verify_region    after outlining: scoping, and the same of types

A violation is a bug of the compiler: `InvalidCode` states the violated clause, shows the code with
the culprit marked, and the user's line that it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from pyxla.errors import REPORT, CompileError, Location
from pyxla.ir.core import Block, Branch, Function, Instr, Jump, Raise, Region, Return, Value
from pyxla.ir.dominance import immediate_dominators, reverse_postorder
from pyxla.ir.op import OpError
from pyxla.ir.printer import print_function
from pyxla.ir.types import BOOL, ArrayType

Code = Function | Region


class InvalidCode(CompileError):
    """The compiler made code that breaks a clause of its own grammar."""


def verify_untyped(function: Function) -> None:
    """Refuse a graph that is not SSA over Python objects."""
    _Verifier(function, typed=False).graph(function)


def verify_typed(function: Function) -> None:
    """Refuse a graph that is not SSA over typed arrays, or has lost a type on the way."""
    _Verifier(function, typed=True).graph(function)


def verify_region(region: Region) -> None:
    """Refuse a region that uses what it does not see, or whose types do not fit."""
    _Verifier(region, typed=True).region(region)


class _Verifier:
    """One walk over `code`, which is shown when a clause is violated.

    `visible` holds the values that may be used here; `log` the order in which they came, so that
    leaving a region, or a subtree of the dominator tree, takes back what it defined.
    """

    def __init__(self, code: Code, typed: bool) -> None:
        self.code = code
        self.typed = typed
        self.defined: set[Value] = set()
        self.visible: set[Value] = set()
        self.log: list[Value] = []

    def fail(self, clause: str, culprit: Any = None) -> NoReturn:
        loc: Location | None = getattr(culprit, "loc", None)
        text = print_function(self.code, mark=culprit)
        message = f"the compiler made invalid code: {clause}\n{text}".rstrip()
        raise InvalidCode(message, loc, hint=REPORT)

    def require(self, holds: bool, clause: str, culprit: Any = None) -> None:
        if not holds:
            self.fail(clause, culprit)

    def define(self, values: Iterable[Value], owner: Any) -> None:
        for value in values:
            self.require(value not in self.defined, "a value is defined once", owner)
            self.require(value.owner is owner, "a value knows what defines it", owner)
            self.require(not self.typed or value.type is not None, "a value has a type", owner)
            self.defined.add(value)
            self.visible.add(value)
            self.log.append(value)

    def forget(self, mark: int) -> None:
        """Leave the scope that began when `log` had `mark` values."""
        self.visible.difference_update(self.log[mark:])
        del self.log[mark:]

    # Graphs.

    def graph(self, function: Function) -> None:
        blocks = function.blocks
        self.require(bool(blocks), "a function has a block")
        order = reverse_postorder(blocks[0])
        self.require(set(order) == set(blocks), "every block listed is reached, and no other")
        self.require(not blocks[0].preds, "nothing jumps to the entry")
        for block in order:
            self.edges(block)
            for phi in block.phis:
                fits = set(phi.args) == set(block.preds)
                self.require(fits, "a phi has one operand per predecessor", phi)
        self.returns(order)
        start = len(self.log)
        self.define(function.params, function)
        idom = immediate_dominators(order)
        children: dict[Block, list[Block]] = {}
        for block in reversed(order[1:]):
            children.setdefault(idom[block], []).append(block)
        work: list[Block | int] = [order[0]]
        while work:
            item = work.pop()
            if isinstance(item, int):
                self.forget(item)
                continue
            work.append(len(self.log))
            self.block(item)
            work.extend(children.get(item, ()))
        self.forget(start)

    def block(self, block: Block) -> None:
        for phi in block.phis:
            self.define([phi.value], phi)
        for instr in block.instrs:
            self.instr(instr)
        self.uses(block.terminator.operands, block.terminator)
        for target in block.succs:
            for phi in target.phis:
                value = phi.args[block]
                self.require(value in self.visible, "a phi's operand is defined at its edge", phi)
                if self.typed:
                    fits = _same(value.type, phi.value.type)
                    self.require(fits, "a phi's operands have its type", phi)

    def edges(self, block: Block) -> None:
        end = block.terminator
        kinds = (Jump, Branch, Return) if self.typed else (Jump, Branch, Return, Raise)
        self.require(isinstance(end, kinds), f"a block ends with one of {_names(kinds)}", end)
        for target in set(end.targets):
            self.require(
                target.preds.count(block) == end.targets.count(target),
                "a block lists each edge to it among its predecessors",
                end,
            )
        for pred in block.preds:
            self.require(block in pred.succs, "predecessors lead to the block", end)
        if self.typed and isinstance(end, Branch):
            type = end.cond.type
            scalar_bool = type is not None and (type.dtype, type.shape) == (BOOL.dtype, ())
            self.require(scalar_bool, "a branch tests a scalar bool", end)

    def returns(self, order: Sequence[Block]) -> None:
        if not self.typed:
            return
        ends = [block.terminator for block in order if isinstance(block.terminator, Return)]
        for end in ends[1:]:
            pairs = list(zip(end.operands, ends[0].operands, strict=False))
            agree = len(end.operands) == len(ends[0].operands)
            agree = agree and all(_same(x.type, y.type) for x, y in pairs)
            self.require(agree, "all returns give the same types", end)

    # Regions.

    def region(self, region: Region) -> None:
        start = len(self.log)
        self.define(region.params, region)
        for instr in region.instrs:
            self.instr(instr)
        self.uses(region.results, region.instrs[-1] if region.instrs else None)
        self.forget(start)

    def instr(self, instr: Instr) -> None:
        self.uses(instr.operands, instr)
        for region in instr.regions:
            if isinstance(region, Function):
                self.graph(region)
            else:
                self.region(region)
        self.define(instr.results, instr)
        if self.typed:
            self.types(instr)

    def uses(self, values: Iterable[Value], user: Any) -> None:
        if not self.visible.issuperset(values):
            self.fail("a use is dominated by its definition", user)

    def types(self, instr: Instr) -> None:
        """What the op infers is what is recorded; weakness may be lost by rewriting."""
        if any(isinstance(region, Function) for region in instr.regions):
            return
        keywords = {"regions": instr.regions} if instr.regions else {}
        operands = [value.type for value in instr.operands]
        try:
            types = instr.op.infer(*operands, **instr.attrs, **keywords)
        except OpError as error:
            self.fail(f"an op accepts its operands: {error}", instr)
        types = types if isinstance(types, tuple) else (types,)
        recorded = [value.type for value in instr.results]
        agree = len(types) == len(recorded) and all(map(_same, types, recorded))
        if not agree:
            self.fail(f"results have the types inferred, {_listed(types)}", instr)


def _same(x: ArrayType | None, y: ArrayType | None) -> bool:
    return x is y or (x is not None and y is not None and (x.dtype, x.shape) == (y.dtype, y.shape))


def _listed(types: Sequence[ArrayType]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


def _names(kinds: Sequence[type]) -> str:
    return ", ".join([kind.__name__.lower() for kind in kinds])
