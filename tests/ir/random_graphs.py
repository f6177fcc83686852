"""Random typed control-flow graphs: structured programs with every kind of exit, always ending.

A program has integers `a b c`, a flag, a small array and an array too large to be selected.  Each
loop counts its iterations, so that it ends; where it tests the count differs from loop to loop.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from pyxla.ir.build import Builder
from pyxla.ir.core import Block, Branch, Function, Jump, Phi, Return, Value
from pyxla.ir.dominance import reverse_postorder
from pyxla.ir.types import BOOL, I64, ArrayType, array_type
from pyxla.ops.elementwise import add, and_, compare, multiply, not_, or_, subtract
from pyxla.ops.index import dynamic_slice, dynamic_update_slice
from pyxla.ops.shape import constant, reshape

SMALL = array_type(np.dtype(np.int64), (3,))
LARGE = array_type(np.dtype(np.int64), (20,))
TYPES: dict[str, ArrayType] = {"a": I64, "b": I64, "c": I64, "flag": BOOL, "s": SMALL, "L": LARGE}
INTS = ("a", "b", "c")
Names = dict[str, Value]


def arguments(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        np.asarray(rng.integers(-5, 6, size=t.shape)).astype(t.dtype)
        if t is not BOOL
        else np.asarray(bool(seed % 2))
        for t in TYPES.values()
    ]


def random_function(seed: int, statements: int = 14) -> Function:
    """A graph over parameters of `TYPES` that returns all variables."""
    return _Program(seed, statements).function()


class _Program:
    def __init__(self, seed: int, statements: int) -> None:
        self.rng = random.Random(seed)
        self.left = statements
        self.block: Block | None = Block()
        self.names: Names = {}
        # Enclosing loops: (edges that continue, edges that break).
        self.loops: list[tuple[list, list]] = []
        self.single_return = self.rng.random() < 0.3
        self.returns: list[tuple[Block, Names]] = []

    def function(self) -> Function:
        entry = self.block
        params = tuple([Value(t, None, name) for name, t in TYPES.items()])
        self.names = dict(zip(TYPES, params, strict=True))
        self.body(0)
        self.leave()
        if self.single_return:
            self.join(self.returns)
            if self.block is not None:
                self.block.terminator = Return(self.results())
        return Function("random", params, reverse_postorder(entry), None)

    def results(self) -> tuple[Value, ...]:
        return tuple([self.names[name] for name in TYPES])

    # Blocks.

    def jump(self, target: Block) -> None:
        self.block.terminator = Jump(target)
        target.preds.append(self.block)

    def branch(self, cond: Value, yes: Block, no: Block) -> None:
        self.block.terminator = Branch(cond, yes, no)
        yes.preds.append(self.block)
        no.preds.append(self.block)

    def join(self, edges: list[tuple[Block, Names]], target: Block | None = None) -> None:
        """Go on where the open ends `edges` meet; dead code if there are none."""
        target = target or Block()
        if not edges:
            self.block = None
            return
        for block, _ in edges:
            self.block = block
            self.jump(target)
        self.names = {}
        for name, type in TYPES.items():
            values = {block: names[name] for block, names in edges}
            if len(set(values.values())) == 1 and self.rng.random() < 0.8:
                self.names[name] = edges[0][1][name]
                continue
            phi = Phi(target, type, name, None)
            phi.args = values
            target.phis.append(phi)
            self.names[name] = phi.value
        self.block = target

    # Expressions.

    def emit(self, op, *operands, **attrs) -> Value:
        return Builder(self.block.instrs).emit(op, operands, attrs)

    def number(self, value: int) -> Value:
        return self.emit(constant, value=np.asarray(value, np.int64))

    def integer(self) -> Value:
        rng = self.rng
        match rng.randrange(7):
            case 0:
                return self.number(rng.randrange(-4, 5))
            case 1 | 2:
                return self.names[rng.choice(INTS)]
            case 3:
                return self.emit(add, self.names[rng.choice(INTS)], self.number(rng.randrange(3)))
            case 4:
                return self.emit(
                    subtract, self.names[rng.choice(INTS)], self.names[rng.choice(INTS)]
                )
            case 5:
                return self.emit(multiply, self.names[rng.choice(INTS)], self.number(-1))
            case _:
                array = self.names[rng.choice("sL")]
                index = self.names[rng.choice(INTS)]
                piece = self.emit(dynamic_slice, array, index, slice_sizes=(1,))
                return self.emit(reshape, piece, shape=())

    def test(self) -> Value:
        rng = self.rng
        if rng.random() < 0.2:
            return self.names["flag"]
        direction = rng.choice(("LT", "GE", "EQ", "NE"))
        return self.emit(compare, self.integer(), self.integer(), direction=direction)

    def condition(self, yes: Block, no: Block, depth: int = 0) -> None:
        """Branch on a random short-circuit condition."""
        rng = self.rng
        if depth < 2 and rng.random() < 0.35:
            middle = Block()
            if rng.random() < 0.5:
                self.branch(self.test(), middle, no)
            else:
                self.branch(self.test(), yes, middle)
            self.block = middle
            if rng.random() < 0.3:
                self.emit(multiply, self.names["L"], self.names["L"])
            self.condition(yes, no, depth + 1)
        else:
            test = self.test()
            if rng.random() < 0.2:
                test = self.emit(not_, test)
            self.branch(test, yes, no)

    # Statements.

    def body(self, depth: int) -> None:
        for _ in range(self.rng.randrange(1, 5)):
            if self.block is None or self.left <= 0:
                return
            self.left -= 1
            self.statement(depth)

    def statement(self, depth: int) -> None:
        rng = self.rng
        kinds: list[Callable[[], None]] = [self.assign, self.assign, self.update, self.flag]
        if depth < 4:
            kinds += [lambda: self.conditional(depth)] * 3
            kinds += [lambda: self.loop(depth)] * 2
        if self.loops:
            kinds += [self.exit_loop, lambda: self.exit_loop_if(depth)]
        if depth:
            kinds += [self.leave]
        rng.choice(kinds)()

    def assign(self) -> None:
        self.names[self.rng.choice(INTS)] = self.integer()

    def flag(self) -> None:
        test = self.test()
        match self.rng.randrange(3):
            case 0:
                test = self.emit(and_, test, self.names["flag"])
            case 1:
                test = self.emit(or_, test, self.names["flag"])
        self.names["flag"] = test

    def update(self) -> None:
        name = self.rng.choice("sLL")
        if self.rng.random() < 0.2:
            self.names[name] = self.emit(add, self.names[name], self.names[name])
            return
        piece = self.emit(reshape, self.integer(), shape=(1,))
        index = self.names[self.rng.choice(INTS)]
        self.names[name] = self.emit(dynamic_update_slice, self.names[name], piece, index)

    def leave(self) -> None:
        if self.block is None:
            return
        if self.single_return:
            self.returns.append((self.block, self.names))
        else:
            self.block.terminator = Return(self.results())
        self.block = None

    def conditional(self, depth: int) -> None:
        yes, no = Block(), Block()
        names = dict(self.names)
        self.condition(yes, no)
        ends = []
        for side, skip in ((yes, 0.0), (no, 0.4)):
            self.block, self.names = side, dict(names)
            if self.rng.random() >= skip:
                self.body(depth + 1)
            if self.block is not None:
                ends.append((self.block, self.names))
        self.join(ends)

    def exit_loop(self) -> None:
        """break or continue, now and then of an outer loop."""
        level = -1 if self.rng.random() < 0.8 else self.rng.randrange(-len(self.loops), 0)
        self.loops[level][self.rng.randrange(2)].append((self.block, self.names))
        self.block = None

    def exit_loop_if(self, depth: int) -> None:
        yes, no = Block(), Block()
        names = dict(self.names)
        self.condition(yes, no)
        self.block, self.names = yes, dict(names)
        if self.rng.random() < 0.4:
            self.assign()
        self.exit_loop()
        self.block, self.names = no, names

    def loop(self, depth: int) -> None:
        """A loop of at most a few iterations: its counter is one more phi of the header."""
        rng = self.rng
        zero = self.number(0)
        header = Block()
        entry, names = self.block, self.names
        self.jump(header)
        self.block, self.names = header, {}
        phis = {}
        for name, type in TYPES.items():
            phis[name] = Phi(header, type, name, None)
            self.names[name] = phis[name].value
        counter = Phi(header, I64, "count", None)
        header.phis = [*phis.values(), counter]
        counter.args[entry] = zero
        for name, phi in phis.items():
            phi.args[entry] = names[name]
        exits: list = []
        continues: list = []
        count = self.emit(add, counter.value, self.number(1))
        self.loops.append((continues, exits))
        if rng.random() < 0.3:
            self.body(depth + 1)
        if self.block is not None:
            inside, outside = Block(), Block()
            bound = self.number(rng.randrange(1, 5))
            test = self.emit(compare, count, bound, direction="LE")
            if rng.random() < 0.4:
                middle = Block()
                self.branch(test, middle, outside)
                self.block = middle
                self.condition(inside, outside)
            else:
                self.branch(test, inside, outside)
            self.block, names = inside, self.names
            self.names = dict(names)
            self.body(depth + 1)
            if self.block is not None:
                continues.append((self.block, self.names))
            if rng.random() < 0.3:
                # The else clause of a loop.
                inner = self.loops.pop()
                self.block, self.names = outside, dict(names)
                self.body(depth + 1)
                self.loops.append(inner)
                if self.block is not None:
                    exits.append((self.block, self.names))
            else:
                exits.append((outside, names))
        self.loops.pop()
        if continues and rng.random() < 0.5:
            self.join(continues)
            continues = [(self.block, self.names)]
        for block, names in continues:
            self.block = block
            self.jump(header)
            counter.args[block] = count
            for name, phi in phis.items():
                phi.args[block] = names[name]
        self.join(exits)
