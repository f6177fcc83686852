"""Summaries of calls: a function that was visited once is not visited again for the same types.

A call is visited as part of its caller, and most calls are worth it: facts, views and constants go
through.  Where nothing but types went in and nothing but code came out, the code of the first visit
is copied for the next one: the layers of a network, the stages of an integrator.

What goes in is described (`infer.calls.described`) *by type* where inference sees no more than that
of a value, else *by identity*: the same known object, the same integer that is computed, the same
outside object as it was when the program started.  By type are numbers that are computed, floats,
complex ones and words, and ints that loops and lists of unknown length hold, with what is known of
them: whether they may be below zero, in which range they are, which are computed alike.  Any call
may see the pools of instances and lists (`infer.lists.pools`) and add rows to them: they are
described as arguments are.  A visit is kept if it emitted code and wrote to fields, variables,
arrays, lists of unknown length and pools that it was given, and did nothing else: no exception, no
write to another container that it did not make, no effect.

The summaries of Sharir & Pnueli, "Two approaches to interprocedural data flow analysis" (1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pyxla.abstract.facts.extent import IntFact, Terms
from pyxla.abstract.heap import BoxCell, GrowingList, ListCell, ObjectCell
from pyxla.abstract.lattice import Array, Const, Kinds, Ref, Scalar, Tuple, Variant
from pyxla.infer import walking
from pyxla.infer.calls.depth import check_code
from pyxla.infer.calls.described import STRUCTURES, Description, Unfit, values_of
from pyxla.infer.engine import Engine
from pyxla.infer.frame import Frame
from pyxla.infer.joins.unions import sizes_of
from pyxla.ir.core import Block, Branch, Instr, Jump, Phi, Region, Value
from pyxla.ir.dominance import reverse_postorder
from pyxla.ir.rewrite import clone_region, free_values
from pyxla.ops.sticky import flag
from pyxla.views.views import with_scalars

_ASSIGNED = (ObjectCell, BoxCell, Array, GrowingList)


def _symbols(x: IntFact | None) -> list[Value]:
    """The values in terms of which an int is known."""
    spans = () if x is None else (x.terms or (), x.near[0] if x.near else ())
    return [symbol for terms in spans for symbol, _ in terms]


class _Part:
    """A block of a visit as it was then: later passes replace operands, in place, by what means the
    same there only.  same: phis of one value, which a loop makes of all that is on the heap."""

    __slots__ = ("block", "cond", "end", "instrs", "phis", "preds", "same")

    def __init__(self, block: Block, start: int, entered: bool, last: bool) -> None:
        # The last block may go where a pass that was given up went.
        self.block, self.end = block, None if last else block.terminator
        self.cond = self.end.cond if isinstance(self.end, Branch) else None
        phis = [(phi, phi.args.copy()) for phi in block.phis] if entered else []
        others = {phi.value: {*args.values()} - {phi.value} for phi, args in phis}
        self.same = {phi: values.pop() for phi, values in others.items() if len(values) == 1}
        self.phis = [(phi, args) for phi, args in phis if phi.value not in self.same]
        self.preds = block.preds.copy() if entered else []
        self.instrs = [(instr, instr.operands) for instr in block.instrs[start:]]

    def uses(self) -> Iterator[Value]:
        for _, args in self.phis:
            yield from args.values()
        for _, operands in self.instrs:
            yield from operands
        if self.cond is not None:
            yield self.cond

    def made(self) -> Iterator[Value]:
        for phi, _ in self.phis:
            yield phi.value
        for instr, _ in self.instrs:
            yield from instr.results


class Summary:
    """The code of a visit, its parts in order, and its result.

    outside: what outside cells held.  made: what cells hold that it made; written: those of others
    that it wrote.  same: values given that are described by identity.  used: the values that code
    and results have.
    """

    __slots__ = (
        *("cells", "code", "end", "fit", "first", "headers", "infos", "made", "outside"),
        *("result", "same", "used", "values", "written"),
    )

    def __init__(
        self,
        given: Description,
        block: Block,
        start: int,
        frame: Frame,
        written: dict[int, Any],
        result: Any,
    ) -> None:
        engine = given.engine
        heap = engine.heap
        self.values, self.cells, self.same = tuple(given.values), tuple(given.cells), given.same
        end = self.end = engine.block
        blocks = reverse_postorder(block, lambda b: () if b is end else b.succs)
        self.code = [_Part(b, start * (b is block), b is not block, b is end) for b in blocks]
        self.headers = engine.headers
        self.first, self.infos = frame.first, heap.infos
        self.outside = {cell: heap.contents.get(cell) for cell in given.outside}
        self.made = {cell: x for cell, x in heap.contents.items() if cell >= frame.first}
        self.result, self.written = result, written
        self.fit: bool | None = None
        self.used: frozenset[Value] = frozenset()

    def applies(self, given: Description) -> bool:
        """Whether the code may be copied for `given`, whose key is that of the first visit."""
        if self.fit is None:
            known = self._known()
            left = (self.result, *self.written.values())
            seen = set[int]()
            self.fit = known is not None and all([self._rebuilds(x, known, seen) for x in left])
            self.used = values_of((*left, *self.made.values())).union(
                *[part.uses() for part in self.code]
            )
        contents = given.engine.heap.contents
        return self.fit and all([self._holds(x, contents.get(c)) for c, x in self.outside.items()])

    def _holds(self, then: Any, now: Any) -> bool:
        """Whether an outside cell holds what it held; of an array nobody looked at, the type."""
        if now is then:
            return True
        arrays = type(then) is Array and type(now) is Array and then.value not in self.used
        return arrays and (then.value.type, then.form) == (now.value.type, now.form)

    def _known(self) -> set[Value] | None:
        """What it was given, what it made and what lies outside; None if the code uses more."""
        known = {*self.values, *self.same, *values_of(self.outside.values())}
        blocks = {part.block for part in self.code}
        for part in self.code:
            known.update(part.made())
            ends = part.block is self.end or isinstance(part.end, Jump | Branch)
            if not ends or not blocks.issuperset(part.preds):
                return None
            for instr, _ in part.instrs:
                regions = all(type(r) is Region and not free_values(r) for r in instr.regions)
                if (instr.op.effect and instr.op is not flag) or not regions:
                    return None
        for part in self.code:
            known.update([phi for phi, value in part.same.items() if value in known])
        return known if all(known.issuperset(part.uses()) for part in self.code) else None

    def _rebuilds(self, x: Any, known: set[Value], seen: set[int]) -> bool:
        """Whether `copied` can make what this is, of `known` values, of other values."""
        kind = type(x)
        if kind is Ref:
            if not all([self._rebuilds(size, known, seen) for size in sizes_of(x)]):
                return False
            content = self.made.get(x.cell)
            if content is None or x.cell in seen:
                return x.cell in seen or x.cell in self.cells or x.cell in self.outside
            if self.infos[x.cell].home is not None:  # a write to it is one to a list
                return False
            seen.add(x.cell)
            return type(content) in (Array, *STRUCTURES) and self._rebuilds(content, known, seen)
        if kind is Scalar:
            inside = [y for y in x.test or () if isinstance(y, Scalar)]
            inside += () if x.kinds is None else x.kinds.parts
            fits = known.issuperset((x.value, *_symbols(x.fact)))
            return fits and all([self._rebuilds(y, known, seen) for y in inside])
        if kind is Array:
            inside = [size for size in x.extents or () if size is not None]
            inside += () if x.kinds is None else x.kinds.parts
            fits = x.value in known
            return fits and all([self._rebuilds(size, known, seen) for size in inside])
        if kind is Tuple or kind is Variant or isinstance(x, STRUCTURES):
            return all([self._rebuilds(part, known, seen) for part in x.parts])
        return kind is Const

    def copied(self, given: Description) -> Any:
        """The result, of code that is copied to where the engine is."""
        copy = _Copy(self, given)
        copy.code()
        for cell, content in self.written.items():
            given.engine.set_content(copy.cell(cell), copy.content(content))
        return copy.visit(self.result)


class _Copy:
    """What a summary is made into: values and cells by those of the first visit."""

    def __init__(self, summary: Summary, given: Description) -> None:
        self.summary = summary
        self.engine = given.engine
        self.values = dict(zip(summary.values, given.values, strict=True))
        self.cells = dict(zip(summary.cells, given.cells, strict=True))
        self.blocks: dict[Block, Block] = {}

    def code(self) -> None:
        engine, first, *rest = self.engine, *self.summary.code
        self.blocks[first.block] = engine.block
        self.blocks.update({part.block: Block(part.block.label) for part in rest})
        for part in self.summary.code:
            self.start(part)
            instrs = self.blocks[part.block].instrs
            for instr, operands in part.instrs:
                instrs.append(self.instr(instr, operands))
            engine.builder.copied += len(part.instrs)
        for part in self.summary.code:
            self.leave(part)
        engine.block = self.blocks[self.summary.end]
        engine.builder.instrs = engine.block.instrs

    def start(self, part: _Part) -> None:
        """The phis of a block, without their operands: some are made after it."""
        block, headers = self.blocks[part.block], self.summary.headers
        for phi, _ in part.phis:
            copy = Phi(block, phi.value.type, phi.value.hint, phi.loc)
            self.values[phi.value] = copy.value
            block.phis.append(copy)
        self.values.update({phi: self.values.get(v, v) for phi, v in part.same.items()})
        block.preds += [self.blocks[pred] for pred in part.preds]
        if part.block in headers:
            headers[block] = headers[part.block]

    def leave(self, part: _Part) -> None:
        """What needs all of the code: the operands of phis, and where a block goes."""
        block, blocks, values = self.blocks[part.block], self.blocks, self.values
        for copy, (_, args) in zip(block.phis, part.phis, strict=False):
            copy.args = {blocks[pred]: values.get(v, v) for pred, v in args.items()}
        end = part.end
        if isinstance(end, Jump):
            block.terminator = Jump(blocks[end.target], end.loc)
        elif isinstance(end, Branch):
            cond, yes, no = part.cond, blocks[end.if_true], blocks[end.if_false]
            block.terminator = Branch(values.get(cond, cond), yes, no, end.loc)

    def instr(self, instr: Instr, operands: tuple[Value, ...]) -> Instr:
        values = self.values
        regions = tuple([clone_region(region, {}) for region in instr.regions])
        now = tuple([values.get(v, v) for v in operands])
        copy = Instr(instr.op, now, instr.attrs, regions, instr.loc)
        copy.results = tuple([Value(v.type, copy, v.hint) for v in instr.results])
        values.update(zip(instr.results, copy.results, strict=True))
        return copy

    def visit(self, x: Any) -> Any:
        kind = type(x)
        if kind is Ref:
            ints = list(map(self.visit, sizes_of(x)))
            return Ref(self.cell(x.cell), with_scalars(x.view, ints) if ints else x.view)
        if kind is Scalar:
            test = x.test and tuple([self.visit(y) for y in x.test])
            value, kinds = self.values.get(x.value, x.value), self.kinds(x.kinds)
            return Scalar(value, self.fact(x.fact), test, kinds)
        if kind is Array:
            sizes = x.extents and tuple(
                [size if size is None else self.visit(size) for size in x.extents]
            )
            return Array(self.values.get(x.value, x.value), sizes, self.kinds(x.kinds))
        if kind is Tuple or kind is Variant:
            return x.rebuild(list(map(self.visit, x.parts)))
        return x

    def kinds(self, x: Kinds | None) -> Kinds | None:
        return x and Kinds(x.choices, self.visit(x.tag), x.tests, self.visit(x.exact))

    def fact(self, x: IntFact | None) -> IntFact | None:
        if x is None:
            return None
        near = x.near and (self.terms(x.near[0]), *x.near[1:])
        return replace(x, terms=self.terms(x.terms), near=near)

    def terms(self, terms: Terms | None) -> Any:
        return terms and tuple([(self.values.get(v, v), factor) for v, factor in terms])

    def cell(self, cell: int) -> int:
        content = self.summary.made.get(cell)
        if content is None or cell in self.cells:
            return self.cells.get(cell, cell)
        info = self.summary.infos[cell]
        heap = self.engine.heap
        known = {"read_only": info.read_only, "strides": info.strides, "sites": info.sites}
        made = heap.new(content, info.loc, otherwise=info.otherwise, **known)
        self.cells[cell] = made
        heap.contents[made] = self.content(content)
        return made

    def content(self, content: Any) -> Any:
        """What a cell holds."""
        if type(content) is Array:
            return self.visit(content)
        return content.rebuild(list(map(self.visit, content.parts)))


def summarized(engine: Engine, frame: Frame, head: tuple[Any, ...], roots: Sequence[Any]) -> Any:
    """The result of visiting `frame`, whose callee is `head` and sees `roots`."""
    try:
        given = Description(engine, head, roots)
        key = tuple(given.key)
        known = engine.summaries.get(key)
    except (Unfit, TypeError):  # not hashable: a key or a view with parts that are not known
        return walking.run(engine, frame)
    if known is not None and known.applies(given):
        check_code(engine, frame, sum([len(part.instrs) for part in known.code]))
        return known.copied(given)
    block, start, mark = engine.block, len(engine.block.instrs), len(engine.written)
    settled = _state(engine)
    result = walking.run(engine, frame)
    written = _written(engine, frame, engine.written[mark:], given)
    if written is not None and _state(engine) == settled:
        engine.summaries[key] = Summary(given, block, start, frame, written, result)
    return result


def _written(
    engine: Engine, frame: Frame, cells: Iterable[int], given: Description
) -> dict[int, Any] | None:
    """What the older of `cells` hold now; None where they are not all of those that were `given`
    and are written to as they are."""
    contents = engine.heap.contents
    older = {cell for cell in cells if cell < frame.first}
    changed = {cell for cell, x in frame.before.items() if contents.get(cell) is not x}
    now = {cell: contents.get(cell) for cell in sorted(older | changed)}
    known = given.cells.keys()
    fit = all(
        [
            cell in known
            and cell not in given.unwritten
            and (type(x) in _ASSIGNED or (type(x) is ListCell and cell in given.pools))
            for cell, x in now.items()
        ]
    )
    return now if fit else None


def _state(engine: Engine) -> tuple[Any, ...]:
    """What a visit that only emits leaves alone."""
    heap = engine.heap
    return (
        *(heap.infos.moves, sum([len(visit.peaks) for visit in engine.visits])),
        *(len(engine.raised), len(engine.frozen), len(engine.kept)),
        *(heap.entangled, heap.kept, len(engine.captures.cells), engine.copies),
        *(engine.orders, len(engine.jax_cells)),
    )
