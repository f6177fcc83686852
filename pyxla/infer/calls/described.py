"""What a call sees, as a key: calls with one key are visited once (`infer.calls.summaries`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.facts.ranges import interval
from pyxla.abstract.facts.signs import alike, never_below_zero
from pyxla.abstract.heap import (
    BoxCell,
    DictCell,
    GrowingList,
    ListCell,
    ObjectCell,
    Pooled,
    RowList,
)
from pyxla.abstract.lattice import Array, Compound, Const, Kinds, Ref, Scalar, Tuple, Variant
from pyxla.frozen import Itself
from pyxla.infer.engine import Engine
from pyxla.infer.joins.unions import key_of, sizes_of
from pyxla.ir.core import Instr, Phi, Value

MOST = 16  # values made by one operation: each is compared with all others
_ATOMS = frozenset({int, bool, str, bytes, type(None)})
STRUCTURES = (ListCell, DictCell, ObjectCell, BoxCell, GrowingList, Pooled, RowList)
# What reads a column of a list, or writes to one.
_READ = frozenset({"dynamic_slice", "dynamic_update_slice"})
_CALLABLE = frozenset({"function", "method"})


class Unfit(Exception):  # noqa: N818 - control flow, not an error
    """What a summary does not describe."""


class Description:
    """The arguments of a call: `key`, and the cells and values described by type, in order;
    unwritten: cells of others, of which a visit that writes there is not kept."""

    def __init__(self, engine: Engine, head: tuple[Any, ...], roots: Iterable[Any]) -> None:
        self.engine = engine
        exact = engine.builder.zero
        self.key: list[Any] = [*head, engine.orders, frozenset(engine.guards), engine.checks, exact]
        self.cells: dict[int, int] = {}
        self.unwritten: set[int] = set()
        self.values: dict[Value, int] = {}
        self.same: set[Value] = set() if exact is None else {exact}
        self.made: dict[Any, list[Value]] = {}
        contents = engine.heap.contents
        changed = [
            cell
            for cell, before in engine.captures.cells.items()
            if isinstance(now := contents.get(cell), STRUCTURES) and now is not before
        ]
        self.outside = engine.captures.cells.keys() - changed
        self.known = values_of(contents.get(cell) for cell in self.outside)
        self.pools = {pool.cell for pool in engine.pools.values()}
        self.columns: set[int] = set()
        self.key += (*changed, bool(self.pools and engine.repeating))
        for root in (*engine.pools.values(), *map(Ref, changed), *roots):
            self.visit(root)

    def visit(self, x: Any) -> None:
        kind = type(x)
        if kind is Ref:
            self.reference(x)
        elif kind is Const:
            self.key.append(_constant(x.value))
        elif kind is Scalar:
            self.value(x.value)
            self.key.append(Scalar)
            self.fact(x.fact)
            self.key.append(None if x.test is None else Itself(x))
            self.kinds(x.kinds)
        elif kind is Array:
            self.array(x)
            self.kinds(x.kinds)
        elif kind is Variant:
            self.key += (x.kind, len(x.items))
            for part in x.parts:
                self.visit(part)
        elif kind is Tuple or (kind is Compound and x.kind in _CALLABLE):
            self.key += (x.cls, len(x.items)) if kind is Tuple else (x.kind, x.meta)
            for item in x.items:
                self.visit(item)
        else:
            raise Unfit

    def kinds(self, x: Kinds | None) -> None:
        """Of which types a number may be, which it is, and the int that a float may not hold."""
        if x is None:
            self.key.append(None)
            return
        if x.tests:
            raise Unfit
        self.key += (x.choices, x.tag is None, x.exact is None)
        for part in x.parts:  # which decide no size and no trip count: they are what they hold
            self.value(part.value, known_elements(part.value) is None)
            self.fact(part.fact)

    def reference(self, x: Ref) -> None:
        heap, (_, view) = self.engine.heap, key_of(x)
        self.key.append(view)
        for size in sizes_of(x):
            self.visit(size)
        if x.cell in self.outside:
            self.key += (x.cell, Itself(heap.contents[x.cell]))
        elif x.cell in self.cells:
            self.key.append(self.cells[x.cell])
        else:
            self.cells[x.cell] = len(self.cells)
            info = heap.infos[x.cell]
            kept = x.cell in heap.entangled or x.cell in heap.kept or x.cell in self.engine.frozen
            if kept or info.home is not None or ~x.cell in heap.kept:
                self.unwritten.add(x.cell)
            self.key += (info.strides, info.read_only, x.cell in self.engine.jax_cells)
            self.key.append(x.cell in self.unwritten)
            self.content(x.cell, heap.contents[x.cell])

    def content(self, cell: int, content: Any) -> None:
        if type(content) is Array:
            self.array(content, cell in self.columns)
            return
        if not isinstance(content, STRUCTURES):
            raise Unfit
        self.key.append(type(content))
        if isinstance(content, DictCell):
            self.key += (content.ordered, tuple([_constant(key) for key in content.items]))
        elif isinstance(content, ObjectCell):
            self.key += (content.cls, tuple(content.fields))
        elif isinstance(content, GrowingList):
            self.key += (content.item, content.cls, content.guessed, content.room)
            self.key.append(content.room is not None and content.room.visit in self.engine.visits)
            self.columns.update([column.cell for column in content.columns])
        elif isinstance(content, (Pooled, RowList)):
            self.key.append(content.form)
        inside = content.parts
        self.key.append(len(inside))
        for part in inside:
            self.visit(part)

    def array(self, x: Array, column: bool = False) -> None:
        self.value(x.value, column=column)
        sizes = x.extents or ()
        self.key.append(len(sizes))
        for size in sizes:
            self.key.append(size is None)
            if size is not None:
                self.visit(size)

    def fact(self, x: IntFact | None) -> None:
        """What is proven of an int, in terms of values that are described."""
        if x is None:
            self.key.append(None)
            return
        self.key += (x.lo, x.hi, x.const, x.near and x.near[1:])
        for terms in (x.terms, x.near and x.near[0]):
            self.key.append(None if terms is None else len(terms))
            for symbol, factor in terms or ():
                self.value(symbol)
                self.key.append(factor)

    def value(self, value: Value, by_type: bool = False, column: bool = False) -> None:
        if value in self.values:
            self.key.append(self.values[value])
        elif value in self.known or not (by_type or _by_type(value, column)):
            self.same.add(value)
            self.key.append(Itself(value))
        else:
            twin = self.twin(value)
            self.values[value] = len(self.values)
            self.key += (value.type, never_below_zero(value), interval(value), twin)

    def twin(self, value: Value) -> int | None:
        """Which of the values before is computed as this one is: the first."""
        if not isinstance(value.owner, Instr):
            return None
        before = self.made.setdefault((value.owner.op, value.type), [])
        found = next((self.values[x] for x in before if alike(x, value)), None)
        if len(before) == MOST:
            raise Unfit
        before.append(value)
        return found


def _constant(x: Any) -> Any:
    if type(x) is float:
        return float, x.hex()
    if type(x) is tuple:
        return tuple, *map(_constant, x)
    return (type(x), x) if type(x) in _ATOMS else Itself(x)


def _by_type(value: Value, column: bool = False) -> bool:
    """Whether inference knows little more than the type of a value, whoever computes it; column:
    it is that of a list of unknown length."""
    kind = value.type.dtype.kind
    if kind in "ib":
        few = column or not value.type.shape
        return few and _is_read(value) and known_elements(value) is None
    if not isinstance(value.owner, Instr):
        return kind in "fcu"
    if kind == "u":  # a word: of bits that are random, say
        return not value.type.shape and known_elements(value) is None
    return kind in "fc" and bool(value.owner.operands)


def _is_read(value: Value) -> bool:
    """Whether a value is what another iteration or path left, or what a list holds; the arguments
    of the program may yet become known."""
    while isinstance(value.owner, Instr) and value.owner.op.name in ("convert", "reshape"):
        (value,) = value.owner.operands
    owner = value.owner
    return isinstance(owner, Phi) or (isinstance(owner, Instr) and owner.op.name in _READ)


def values_of(contents: Iterable[Any]) -> frozenset[Value]:
    """The values in what cells hold."""
    found, stack = [], list(contents)
    while stack:
        x = stack.pop()
        if isinstance(x, (Array, Scalar)):
            found.append(x.value)
            stack.extend(() if x.kinds is None else x.kinds.parts)
        elif x is not None:
            stack.extend(x.parts)
    return frozenset(found)
