"""Summaries of calls: a function that was visited once is not visited again for the same types.

A call is visited as part of its caller, and most calls are worth it: facts, views and constants go
through.  Where nothing but types went in and nothing but code came out, the code of the first visit
is copied for the next one: the layers of a network, the stages of an integrator.

What goes in is described by `_Description`: *by type* where inference sees no more than that of a
value, else *by identity*: the same known object, the same integer, the same outside object with the
same content.  By type are numbers that are computed, floats, complex ones and words, with what is
read off the instructions that make them: whether they may be below zero, in which range they are,
which are computed alike.  A visit is kept if it emitted code and assigned to fields and variables,
and did nothing else: no exception, no write to an array or a container that it did not make, no
effect.

The summaries of Sharir & Pnueli, "Two approaches to interprocedural data flow analysis" (1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyxla.infer import walking
from pyxla.infer.engine import Engine
from pyxla.infer.facts.constants import known_elements
from pyxla.infer.facts.ranges import interval
from pyxla.infer.facts.signs import alike, never_below_zero
from pyxla.infer.frame import Frame
from pyxla.infer.heap import BoxCell, DictCell, ListCell, ObjectCell
from pyxla.infer.lattice import Array, Compound, Const, Ref, Scalar, Tuple
from pyxla.ir.core import Block, Branch, Instr, Jump, Phi, Region, Value
from pyxla.ir.dominance import reverse_postorder
from pyxla.ir.rewrite import clone_region, free_values
from pyxla.ops.sticky import flag

MOST = 16  # values made by one operation: each is compared with all others
_ATOMS = frozenset({int, bool, str, bytes, type(None)})
_STRUCTURES = (ListCell, DictCell, ObjectCell, BoxCell)
_ASSIGNED = (ObjectCell, BoxCell)
_CALLABLE = frozenset({"function", "method"})


class _Unfit(Exception):  # noqa: N818 - control flow, not an error
    """What a summary does not describe."""


class _Same:
    """An object, compared by identity."""

    __slots__ = ("object",)

    def __init__(self, object: Any) -> None:
        self.object = object

    def __eq__(self, other: Any) -> bool:
        return type(other) is _Same and other.object is self.object

    def __hash__(self) -> int:
        return id(self.object)


class _Description:
    """The arguments of a call: `key`, and the cells and values described by type, in order."""

    def __init__(self, engine: Engine, head: tuple[Any, ...], roots: Iterable[Any]) -> None:
        self.engine = engine
        exact = engine.builder.zero
        self.key: list[Any] = [*head, engine.orders, engine.guards, engine.checks, exact]
        self.cells: dict[int, int] = {}
        self.values: dict[Value, int] = {}
        self.same: set[Value] = set() if exact is None else {exact}
        self.made: dict[Any, list[Value]] = {}
        self.outside = engine.captures.cells
        self.known = _values_of(engine.heap.contents.get(cell) for cell in self.outside)
        for root in roots:
            self.visit(root)

    def visit(self, x: Any) -> None:
        kind = type(x)
        if kind is Ref:
            self.reference(x)
        elif kind is Const:
            self.key.append(_constant(x.value))
        elif kind is Scalar and x.kinds is None:
            self.value(x.value)
            self.key += (Scalar, None if x.fact is None and x.test is None else _Same(x))
        elif kind is Array and x.extents is None and x.kinds is None:
            self.value(x.value)
        elif kind is Tuple or (kind is Compound and x.kind in _CALLABLE):
            self.key += (x.cls, len(x.items)) if kind is Tuple else (x.kind, x.meta)
            for item in x.items:
                self.visit(item)
        else:
            raise _Unfit

    def reference(self, x: Ref) -> None:
        heap = self.engine.heap
        if any(step.scalars() for step in x.view):
            raise _Unfit
        self.key.append(x.view)
        if x.cell in self.outside:
            self.key += (x.cell, _Same(heap.contents[x.cell]))
        elif x.cell in self.cells:
            self.key.append(self.cells[x.cell])
        else:
            if x.cell in heap.entangled or x.cell in heap.kept or x.cell in self.engine.frozen:
                raise _Unfit
            self.cells[x.cell] = len(self.cells)
            info = heap.infos[x.cell]
            self.key += (info.strides, info.read_only, x.cell in self.engine.jax_cells)
            self.content(heap.contents[x.cell])

    def content(self, content: Any) -> None:
        if type(content) is Array:
            self.visit(content)
            return
        if not isinstance(content, _STRUCTURES):
            raise _Unfit
        self.key.append(type(content))
        if isinstance(content, DictCell):
            self.key += (content.ordered, tuple([_constant(key) for key in content.items]))
        elif isinstance(content, ObjectCell):
            self.key += (content.cls, tuple(content.fields))
        inside = content.parts
        self.key.append(len(inside))
        for part in inside:
            self.visit(part)

    def value(self, value: Value) -> None:
        if value in self.values:
            self.key.append(self.values[value])
        elif value in self.known or not _by_type(value):
            self.same.add(value)
            self.key.append(_Same(value))
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
            raise _Unfit
        before.append(value)
        return found


def _constant(x: Any) -> Any:
    if type(x) is float:
        return float, x.hex()
    if type(x) is tuple:
        return tuple, *map(_constant, x)
    return (type(x), x) if type(x) in _ATOMS else _Same(x)


def _by_type(value: Value) -> bool:
    """Whether inference knows little more than the type of a value, whoever computes it."""
    kind = value.type.dtype.kind
    if not isinstance(value.owner, Instr):
        return kind in "fcu" or (kind == "b" and not value.type.shape)
    if kind == "u":  # a word: of bits that are random, say
        return not value.type.shape and known_elements(value) is None
    return kind in "fc" and bool(value.owner.operands)


def _values_of(contents: Iterable[Any]) -> frozenset[Value]:
    """The values in what cells hold."""
    found, stack = [], list(contents)
    while stack:
        x = stack.pop()
        if isinstance(x, (Array, Scalar)):
            found.append(x.value)
        elif x is not None:
            stack.extend(x.parts)
    return frozenset(found)


class _Part:
    """A block of a visit as it was then: later passes replace operands, in place, by what means the
    same there only."""

    __slots__ = ("block", "cond", "end", "instrs", "phis", "preds")

    def __init__(self, block: Block, start: int, entered: bool, last: bool) -> None:
        # The last block may go where a pass that was given up went.
        self.block, self.end = block, None if last else block.terminator
        self.cond = self.end.cond if isinstance(self.end, Branch) else None
        self.phis = [(phi, phi.args.copy()) for phi in block.phis] if entered else []
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
        given: _Description,
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

    def applies(self, given: _Description) -> bool:
        """Whether the code may be copied for `given`, whose key is that of the first visit."""
        if self.fit is None:
            known = self._known()
            left = (self.result, *self.written.values())
            seen = set[int]()
            self.fit = known is not None and all([self._rebuilds(x, known, seen) for x in left])
            self.used = _values_of((*left, *self.made.values())).union(
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
        known = {*self.values, *self.same, *_values_of(self.outside.values())}
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
        return known if all(known.issuperset(part.uses()) for part in self.code) else None

    def _rebuilds(self, x: Any, known: set[Value], seen: set[int]) -> bool:
        """Whether `copied` can make what this is, of `known` values, of other values."""
        kind = type(x)
        if kind is Ref:
            if any(step.scalars() for step in x.view):
                return False
            content = self.made.get(x.cell)
            if content is None or x.cell in seen:
                return x.cell in seen or x.cell in self.cells or x.cell in self.outside
            seen.add(x.cell)
            return type(content) in (Array, *_STRUCTURES) and self._rebuilds(content, known, seen)
        if kind is Scalar:
            return x.value in known and x.fact is None and x.test is None and x.kinds is None
        if kind is Array:
            return x.value in known and x.extents is None and x.kinds is None
        if kind is Tuple or isinstance(x, _STRUCTURES):
            return all([self._rebuilds(part, known, seen) for part in x.parts])
        return kind is Const

    def copied(self, given: _Description) -> Any:
        """The result, of code that is copied to where the engine is."""
        copy = _Copy(self, given)
        copy.code()
        for cell, content in self.written.items():
            parts = list(map(copy.visit, content.parts))
            given.engine.set_content(copy.cell(cell), content.rebuild(parts))
        return copy.visit(self.result)


class _Copy:
    """What a summary is made into: values and cells by those of the first visit."""

    def __init__(self, summary: Summary, given: _Description) -> None:
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
            return Ref(self.cell(x.cell), x.view)
        if kind is Scalar or kind is Array:
            return kind(self.values.get(x.value, x.value))
        if kind is Tuple:
            return Tuple(tuple(map(self.visit, x.items)), x.cls)
        return x

    def cell(self, cell: int) -> int:
        content = self.summary.made.get(cell)
        if content is None or cell in self.cells:
            return self.cells.get(cell, cell)
        info = self.summary.infos[cell]
        heap = self.engine.heap
        made = self.cells[cell] = heap.new(
            content, info.loc, read_only=info.read_only, strides=info.strides, sites=info.sites
        )
        if type(content) is Array:
            heap.contents[made] = self.visit(content)
        else:
            heap.contents[made] = content.rebuild(list(map(self.visit, content.parts)))
        return made


def summarized(engine: Engine, frame: Frame, head: tuple[Any, ...], roots: Sequence[Any]) -> Any:
    """The result of visiting `frame`, whose callee is `head` and sees `roots`."""
    if engine.pools:  # in which any call may make instances
        return walking.run(engine, frame)
    try:
        given = _Description(engine, head, roots)
        key = tuple(given.key)
        known = engine.summaries.get(key)
    except (_Unfit, TypeError):  # not hashable: a key or a view with parts that are not known
        return walking.run(engine, frame)
    if known is not None and known.applies(given):
        return known.copied(given)
    block, start, mark = engine.block, len(engine.block.instrs), len(engine.written)
    settled = _state(engine)
    result = walking.run(engine, frame)
    written = _written(engine, frame, engine.written[mark:], given)
    if written is not None and _state(engine) == settled:
        engine.summaries[key] = Summary(given, block, start, frame, written, result)
    return result


def _written(
    engine: Engine, frame: Frame, cells: Iterable[int], given: _Description
) -> dict[int, Any] | None:
    """What the older of `cells` hold now; None where they are not all instances and variables that
    were `given`."""
    contents = engine.heap.contents
    older = {cell for cell in cells if cell < frame.first}
    changed = {cell for cell, x in frame.before.items() if contents.get(cell) is not x}
    now = {cell: contents.get(cell) for cell in sorted(older | changed)}
    fit = all([type(x) in _ASSIGNED and cell in given.cells for cell, x in now.items()])
    return now if fit else None


def _state(engine: Engine) -> tuple[Any, ...]:
    """What a visit that only emits leaves alone."""
    heap = engine.heap
    return (
        *(len(engine.raised), len(engine.frozen), len(engine.kept)),
        *(heap.entangled, heap.kept, len(engine.captures.cells), engine.copies),
        *(engine.orders, len(engine.jax_cells)),
    )
