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

from pyxla.errors import CompileError, Location
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
    _Verifier(function, typed=False).graph(function, set())


def verify_typed(function: Function) -> None:
    """Refuse a graph that is not SSA over typed arrays, or has lost a type on the way."""
    _Verifier(function, typed=True).graph(function, set())


def verify_region(region: Region) -> None:
    """Refuse a region that uses what it does not see, or whose types do not fit."""
    _Verifier(region, typed=True).region(region, set())


class _Verifier:
    """One walk over `code`, which is shown when a clause is violated.

    `seen` holds the values that may be used: sets grow along a path and are copied at forks.
    """

    def __init__(self, code: Code, typed: bool) -> None:
        self.code = code
        self.typed = typed
        self.defined: set[Value] = set()

    def fail(self, clause: str, culprit: Any = None) -> NoReturn:
        loc: Location | None = getattr(culprit, "loc", None)
        text = print_function(self.code, mark=culprit)
        raise InvalidCode(f"the compiler made invalid code: {clause}\n{text}".rstrip(), loc)

    def require(self, holds: bool, clause: str, culprit: Any = None) -> None:
        if not holds:
            self.fail(clause, culprit)

    def define(self, values: Iterable[Value], owner: Any, seen: set[Value]) -> None:
        for value in values:
            self.require(value not in self.defined, "a value is defined once", owner)
            self.require(value.owner is owner, "a value knows what defines it", owner)
            self.require(not self.typed or value.type is not None, "a value has a type", owner)
            self.defined.add(value)
            seen.add(value)

    # Graphs.

    def graph(self, function: Function, outer: set[Value]) -> None:
        blocks = function.blocks
        self.require(bool(blocks), "a function has a block")
        order = reverse_postorder(blocks[0])
        self.require(set(order) == set(blocks), "every block listed is reached, and no other")
        self.require(not blocks[0].preds, "nothing jumps to the entry")
        for block in blocks:
            self.edges(block)
        idom = immediate_dominators(order)
        seen: dict[Block, set[Value]] = {}
        for block in order:
            above = set(outer) if block is order[0] else set(seen[idom[block]])
            if block is order[0]:
                self.define(function.params, function, above)
            seen[block] = above
            for phi in block.phis:
                self.define([phi.value], phi, above)
            for instr in block.instrs:
                self.instr(instr, above)
            self.uses(block.terminator.operands, above, block.terminator)
        for block in order:
            for phi in block.phis:
                self.phi(phi, seen)
        self.returns(order)

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

    def phi(self, phi: Any, seen: dict[Block, set[Value]]) -> None:
        self.require(
            set(phi.args) == set(phi.block.preds), "a phi has one operand per predecessor", phi
        )
        for pred, value in phi.args.items():
            self.require(value in seen[pred], "a phi's operand is defined at its edge", phi)
            if self.typed:
                self.require(
                    _same(value.type, phi.value.type), "a phi's operands have its type", phi
                )

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

    def region(self, region: Region, outer: set[Value]) -> None:
        seen = set(outer)
        self.define(region.params, region, seen)
        for instr in region.instrs:
            self.instr(instr, seen)
        self.uses(region.results, seen, region.instrs[-1] if region.instrs else None)

    def instr(self, instr: Instr, seen: set[Value]) -> None:
        self.uses(instr.operands, seen, instr)
        for region in instr.regions:
            if isinstance(region, Function):
                self.graph(region, seen)
            else:
                self.region(region, seen)
        self.define(instr.results, instr, seen)
        if self.typed:
            self.types(instr)

    def uses(self, values: Iterable[Value], seen: set[Value], user: Any) -> None:
        for value in values:
            self.require(value in seen, "a use is dominated by its definition", user)

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
        self.require(agree, f"results have the types inferred, {_listed(types)}", instr)


def _same(x: ArrayType | None, y: ArrayType | None) -> bool:
    return x is y or (x is not None and y is not None and (x.dtype, x.shape) == (y.dtype, y.shape))


def _listed(types: Sequence[ArrayType]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


def _names(kinds: Sequence[type]) -> str:
    return ", ".join([kind.__name__.lower() for kind in kinds])
