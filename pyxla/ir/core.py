"""The intermediate representation, on one screen.

    function   ::= params block*                       the first block is the entry
    block      ::= phi* instr* terminator
    phi        ::= value = phi {predecessor: value}
    instr      ::= value* = op operand* attr* region*  @location
    terminator ::= jump block | branch value block block | return value* | raise value
    region     ::= params instr* results               values of enclosing scopes are visible

Two vocabularies speak it.  Out of the front end, ops are Python's (`call`, `getattr`, `binary`, see
`pyxla.frontend.pyops`), values are untyped and may be any object.  Out of inference, ops are
records of `pyxla.ops`, every value is a typed array, and mutation is gone.  Outlining replaces
blocks by regions: then a function has a single `region`, and `if_` and `while_` are ordinary ops.

Values are objects without names; only the printer numbers them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from pyxla.errors import Location
from pyxla.ir.types import ArrayType

if TYPE_CHECKING:
    from pyxla.ir.op import Op


class Value:
    """One SSA value: defined once, by `owner` (an Instr, a Phi, or a Block/Region's parameters).

    `hint` is the Python name it was bound to, for the printer.
    """

    __slots__ = ("hint", "owner", "type")

    def __init__(self, type: ArrayType | None = None, owner: Any = None, hint: str = "") -> None:
        self.type = type
        self.owner = owner
        self.hint = hint


class Instr:
    """One operation: `results = op(operands, **attrs) regions`."""

    __slots__ = ("attrs", "loc", "op", "operands", "regions", "results")

    def __init__(
        self,
        op: Op,
        operands: tuple[Value, ...],
        attrs: dict[str, Any],
        regions: tuple[Region, ...],
        loc: Location | None,
    ) -> None:
        self.op = op
        self.operands = operands
        self.attrs = attrs
        self.regions = regions
        self.loc = loc
        self.results: tuple[Value, ...] = ()

    @property
    def result(self) -> Value:
        (value,) = self.results
        return value


class Phi:
    """A merge of values: `args[predecessor]` is the operand on the edge from that block."""

    __slots__ = ("args", "block", "loc", "value")

    def __init__(
        self, block: Block, type: ArrayType | None, hint: str, loc: Location | None
    ) -> None:
        self.block = block
        self.value = Value(type, self, hint)
        self.args: dict[Block, Value] = {}
        self.loc = loc


class Block:
    """A basic block.  `preds` lists predecessors in the order their edges were made.

    pads: where what it raises may land, innermost `try` first (untyped stage only).  Names have
    the values there that they have where the block begins.
    """

    __slots__ = ("instrs", "label", "pads", "phis", "preds", "terminator")

    def __init__(self, label: str = "") -> None:
        self.label = label
        self.phis: list[Phi] = []
        self.instrs: list[Instr] = []
        self.preds: list[Block] = []
        self.pads: tuple[Block, ...] = ()
        self.terminator: Terminator | None = None

    @property
    def succs(self) -> tuple[Block, ...]:
        end = self.terminator
        return self.pads if end is None else end.targets + self.pads


class Jump:
    """Go on in `target`."""

    __slots__ = ("loc", "target", "targets")

    def __init__(self, target: Block, loc: Location | None = None) -> None:
        self.target = target
        self.targets: tuple[Block, ...] = (target,)
        self.loc = loc

    operands: tuple[Value, ...] = ()


class Branch:
    """Go on in `if_true` where `cond` is true, else in `if_false`."""

    __slots__ = ("cond", "if_false", "if_true", "loc", "targets")

    def __init__(
        self, cond: Value, if_true: Block, if_false: Block, loc: Location | None = None
    ) -> None:
        self.cond = cond
        self.if_true = if_true
        self.if_false = if_false
        self.targets: tuple[Block, ...] = (if_true, if_false)
        self.loc = loc

    @property
    def operands(self) -> tuple[Value, ...]:
        return (self.cond,)


class Leave:
    """Leave the function with `operands`."""

    __slots__ = ("loc", "operands")

    def __init__(self, operands: tuple[Value, ...], loc: Location | None = None) -> None:
        self.operands = operands
        self.loc = loc

    targets: tuple[Block, ...] = ()


class Return(Leave):
    """Leave the function with what it returns (one object out of the front end, arrays when
    typed)."""

    __slots__ = ()


class Raise(Leave):
    """Leave the function with an exception (untyped stage only: inference turns it into status)."""

    __slots__ = ()


Terminator = Jump | Branch | Return | Raise


class Region:
    """Straight-line code with parameters and results; may use values of enclosing scopes."""

    __slots__ = ("instrs", "params", "results")

    def __init__(
        self,
        params: tuple[Value, ...] = (),
        instrs: list[Instr] | None = None,
        results: tuple[Value, ...] = (),
    ) -> None:
        self.params = params
        self.instrs: list[Instr] = [] if instrs is None else instrs
        self.results = results
        for param in params:
            param.owner = self


class Function:
    """A control-flow graph: `blocks[0]` is the entry, all are reachable, in reverse postorder."""

    __slots__ = ("blocks", "loc", "name", "params")

    def __init__(
        self, name: str, params: tuple[Value, ...], blocks: list[Block], loc: Location | None
    ) -> None:
        self.name = name
        self.params = params
        self.blocks = blocks
        self.loc = loc
        for param in params:
            param.owner = self

    @property
    def instrs(self) -> list[Instr]:
        """The code of its blocks."""
        return [instr for block in self.blocks for instr in block.instrs]

    @property
    def results(self) -> tuple[Value, ...]:
        """What it returns, where it returns once: the graph of a computation reads as a region."""
        ends = [block.terminator for block in self.blocks]
        (end,) = [end for end in ends if isinstance(end, Return)]
        return end.operands


T = TypeVar("T")


def reached(starts: Iterable[T], onwards: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """Each of `starts`, and of what `onwards` gives for those, once: in depth, the last first."""
    seen: set[T] = set()
    stack = [*starts]
    while stack:
        x = stack.pop()
        if x not in seen:
            seen.add(x)
            yield x
            stack.extend(onwards(x))


def replaced(items: tuple[T, ...], at: int, new: T) -> tuple[T, ...]:
    """`items` with another one at a place."""
    return (*items[:at], new, *items[at + 1 :])


def made_of(value: Value) -> Iterable[Value]:
    """What a value is computed from in one step, on any path."""
    owner = value.owner
    if isinstance(owner, Phi):
        return owner.args.values()
    return owner.operands if isinstance(owner, Instr) else ()
