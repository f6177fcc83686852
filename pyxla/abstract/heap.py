"""The abstract heap: what mutable Python objects hold at one point of the program.

A mutable object is a *cell*, a number, never used again; the heap maps it to its content, which is
immutable, so that saving the heap at a branch is copying a dict.  Writing replaces the content:
this is `mem2reg` on Python objects (Cytron et al. 1991), and it leaves no mutation in the typed
program.

    Array        content of an array cell: its current value
    ListCell     content of a list: its items
    GrowingList  content of a list that is kept in columns
    RowList      content of a list that is in such a list
    Pooled       content of an instance that such lists may hold
    DictCell     content of a dict: known keys, in order
    ObjectCell   content of an instance: its fields
    SetCell      content of a set: its constants
    BoxCell      content of a variable shared with a nested function
    Shadow       content of an array cell that is one of several others, chosen at run time
    Conflict     content where paths disagree: refused when used

Where a reference may be either of two cells, the merge makes a new cell.  If an old one is still
held by someone, it becomes a shadow of the new; where that is not possible they are *entangled*:
reading is exact, and a write has inference start again with the paths joined *exactly* there
(`demands.Demands.exact`, `infer.joins.unions`), or is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from pyxla.abstract.lattice import Array, Conflict, Const, Ref, Scalar, as_const, plain
from pyxla.abstract.structure import Structure
from pyxla.errors import CompileError, Location
from pyxla.frozen import dataclass
from pyxla.ir.core import Instr


class ReadOnly(CompileError):
    """A write to an array that cannot be changed, a `jax.Array` say."""


# Why NumPy has an array that is not to be written.
READ_ONLY = "assignment destination is read-only"


@dataclass(frozen=True, slots=True)
class ListCell(Structure):
    items: tuple[Any, ...]

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.items

    @property
    def form(self) -> int:
        return len(self.items)

    def rebuild(self, parts: Sequence[Any]) -> ListCell:
        return ListCell(tuple(parts))


@dataclass(frozen=True, slots=True)
class SetCell(Structure):
    """A set of constants.

    steps: how it came about, which decides in which order CPython has the items
    (`infer.containers.steps`); None: not in one way on all paths.
    """

    items: frozenset[Any]
    steps: tuple[Step, ...] | None = ()

    def is_like(self, other: Any) -> bool:
        same = type(other) is SetCell and other.items == self.items
        return same and (self.steps is None or self.steps == other.steps)


class Step(NamedTuple):
    """A method of sets that was called, and with what: constants, tuples of them, sets."""

    name: str
    args: tuple[Any, ...] = ()


@dataclass(slots=True, eq=False)
class Visit:
    """One visit of a loop, to a fixpoint; a loop that is unrolled around it, or a function that is
    called twice, visits one loop several times.

    cells: how many there were before.  peaks: of lists that got shorter in the last pass, a column
    and the size before.  tries: how often room was made for a list.  depths: how deep tuples nested
    after each pass.  passes: how many there are by now.
    """

    cells: int
    peaks: list[tuple[int, Any]] = field(default_factory=list)
    tries: dict[int, int] = field(default_factory=dict)
    depths: list[int] = field(default_factory=list)
    passes: int = 0


@dataclass(frozen=True, slots=True)
class Room:
    """The room that a visit of a loop made for a list where the loop starts.

    watched: where it is seen to that the list does not outgrow it, "append" or "exit" (of the
    loop), or "" where `step` items in each of at most `trips` iterations, and `slack` before it
    gets shorter again, cannot.  outer: the room that counts again after the loop.
    """

    visit: Visit
    watched: str = ""
    step: int = 0
    outer: Room | None = None
    slack: int = 0
    trips: int = 0


@dataclass(frozen=True, slots=True)
class GrowingList(Structure):
    """A list that is kept in columns: `item` says how an item is made of the elements of the arrays
    that `columns` show.  These are of bounded extent where its length is known at run time only
    (`infer.lists.growing`), else it is long, or data indexes it (`infer.lists.number_lists`).

    room: what the loops around made for it.  guessed: how many items of its capacity are
    a guess, as data decides how long it gets.  size, fixed: of a row of such a list, which is never
    on the heap, where its length is, or what.  cls: list, or tuple, of what `tuple` was called
    with.
    """

    columns: tuple[Ref, ...]
    item: Any
    room: Room | None = None
    guessed: int = 0
    size: Ref | None = None
    fixed: int | None = None
    cls: type = list

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.columns

    @property
    def form(self) -> Any:
        return self.item, self.cls

    def rebuild(self, parts: Sequence[Any]) -> GrowingList:
        return replace(self, columns=tuple(parts))


@dataclass(frozen=True, slots=True)
class RowList(Structure):
    """A list that is, or is in, item `index` of the list `parent`: the part of it at `path`; `cls`
    where that is a pool (`infer.lists.sites`)."""

    parent: Ref
    index: Any
    path: tuple[int, ...] = ()
    cls: type | None = None

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.parent, as_const(self.index)

    @property
    def form(self) -> Any:
        return self.path, self.cls

    def rebuild(self, parts: Sequence[Any]) -> Any:
        parent, index = parts
        if not isinstance(parent, Ref):
            return parent
        return replace(self, parent=parent, index=plain(index))


@dataclass(frozen=True, slots=True)
class Pooled(Structure):
    """An instance that is row `index` (an int or a Scalar) of the hidden list `pool`
    (`infer.lists.pools`)."""

    pool: Ref
    index: Any
    cls: type

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.pool, as_const(self.index)

    @property
    def form(self) -> type:
        return self.cls

    def rebuild(self, parts: Sequence[Any]) -> Pooled:
        return replace(self, index=plain(parts[1]))


def is_row(content: Any) -> bool:
    """Whether an object is a row of a pool, where what is written to it is written."""
    return type(content) is Pooled or (type(content) is RowList and content.cls is not None)


@dataclass(frozen=True, slots=True)
class DictCell(Structure):
    """`items` is never mutated in place; keys are plain hashable constants.

    ordered: whether the order of the keys is the same on all paths.
    """

    items: dict[Any, Any]
    ordered: bool = True

    @property
    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items.values())

    @property
    def form(self) -> Any:
        return list(self.items)

    def rebuild(self, parts: Sequence[Any]) -> DictCell:
        return self.holding(dict(zip(self.items, parts, strict=True)))

    def holding(self, items: dict[Any, Any]) -> DictCell:
        """A dict with other items, in an order known as well as this one's."""
        return DictCell(items, self.ordered)


@dataclass(frozen=True, slots=True)
class ObjectCell(Structure):
    """An instance of `cls`; `fields` is never mutated in place."""

    cls: type
    fields: dict[str, Any]

    @property
    def parts(self) -> tuple[Any, ...]:
        return tuple(self.fields.values())

    @property
    def form(self) -> Any:
        return self.cls, list(self.fields)

    def rebuild(self, parts: Sequence[Any]) -> ObjectCell:
        return ObjectCell(self.cls, dict(zip(self.fields, parts, strict=True)))


class SequenceIterator:
    """The class of what `iter` makes: `items`, a sequence, and `at`, how many of them were read."""


@dataclass(frozen=True, slots=True)
class BoxCell(Structure):
    value: Any

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.value,)

    def rebuild(self, parts: Sequence[Any]) -> BoxCell:
        return BoxCell(parts[0])


@dataclass(frozen=True, slots=True)
class Known:
    """What a shadow holds where the arrays behind it hold `contents`: `array`.

    It is there everywhere, or at the end of `code`, the instructions of a block, as long as the one
    before `end` is `last`: those of a pass that was given up are taken out again.
    """

    array: Array
    contents: tuple[Any, ...]
    code: list[Instr] | None = None
    end: int = 0
    last: Instr | None = None

    def holds(self, contents: tuple[Any, ...], code: list[Instr]) -> bool:
        """Whether this is it, for who emits into `code`."""
        if any(now is not then for now, then in zip(contents, self.contents)):
            return False
        if self.code is None:
            return True
        return self.code is code and len(code) >= self.end and code[self.end - 1] is self.last


@dataclass(frozen=True, slots=True)
class Shadow(Structure):
    """Content of an array that is what `refs[tag]` shows, as is known at run time.

    Buffers that were swapped (`a, b = b, a`) are merged cells from then on, and someone else, the
    caller for one, still holds the old one.  Or a name is bound to one of several arrays, or to a
    view of one, and what is written under the name is written to that (`infer.joins.unions`).
    `place` is where paths met that made it one, if they can be joined exactly.  `known` is what is
    known of what it holds: what it held there, and what was computed last.
    """

    tag: Any
    refs: tuple[Ref, ...]
    place: Any = None
    known: list[Known] = field(default_factory=list, compare=False, repr=False)

    @property
    def parts(self) -> tuple[Any, ...]:
        return self.refs

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple([ref.cell for ref in self.refs])


Content = (
    Array
    | ListCell
    | GrowingList
    | RowList
    | Pooled
    | SetCell
    | DictCell
    | ObjectCell
    | BoxCell
    | Shadow
    | Conflict
)


@dataclass(slots=True)
class CellInfo:
    """What never changes of a cell: where it was made, and why it cannot be written, if so.

    `pinned` cells are reachable by the caller (arguments and captures): `pinned` is their path;
    `strides` are those of an array that is not in C order (`views.views.MIXED`: on some paths
    only).  `sites` made a list, or are the paths to it, where that matters (`infer.lists.sites`);
    `asked`: those that it meets in a list of unknown length.
    `viewed`: another object shows all of the array as it is, `x[:]`.
    `otherwise`: it is a copy, and a view where arguments lie otherwise in memory.
    `home`: the list that an array was taken from; `taken`: from what, by which key, when that held
    what (`infer.lists.rows`).
    `final`: it is a variable that is not assigned any more.
    `laid`: what a list held when it was kept in columns last, and these arrays.
    """

    loc: Location | None = None
    read_only: str = ""
    pinned: Any = None
    strides: Any = None
    sites: frozenset[Any] = frozenset()
    asked: Any = None
    viewed: bool = False
    otherwise: bool = False
    home: Any = None
    taken: tuple[Any, ...] = ()
    final: bool = False
    laid: tuple[Any, ...] = (None, ())


class Infos(list[CellInfo]):
    """Facts of all cells of a compilation.

    chained: whether tables have chains (`lib.tables`); ordered: whether sets are followed
    (`lib.sets`), and it is counted what leaves dicts.  shared: whether an array in a list may be
    in a second place; written: where one is written first (`infer.lists.rows`).  room: as
    `Block.room` has it (`infer.lists.item_types`).  jax_cells: those
    of `jax.Array`s.  moves: how often it mattered which objects the program may still look at.
    """

    chained = False
    ordered = False
    shared = False
    room: int | None = None
    written: Location | None = None
    jax_cells: Collection[int] = ()
    moves = 0


class Heap:
    """Cell contents at one point, over a table of cell facts shared by the whole compilation."""

    __slots__ = ("contents", "entangled", "infos", "kept")

    def __init__(
        self,
        infos: Infos,
        contents: dict[int, Content] | None = None,
        entangled: dict[int, tuple[str, tuple[Any, ...]]] | None = None,
        kept: frozenset[int] = frozenset(),
    ) -> None:
        self.infos = infos
        self.kept = kept
        self.contents: dict[int, Content] = {} if contents is None else contents
        self.entangled: dict[int, tuple[str, tuple[Any, ...]]] = (
            {} if entangled is None else entangled
        )

    def copy(self) -> Heap:
        return Heap(self.infos, self.contents.copy(), self.entangled, self.kept)

    def under(self, other: Heap) -> Heap:
        """`other`, and what only this heap has."""
        contents = {**self.contents, **other.contents}
        entangled = {**self.entangled, **other.entangled}
        return Heap(other.infos, contents, entangled, self.kept | other.kept)

    def made_at(self, cell: int) -> Any:
        """Where a cell was made: what is the same of it in each visit of the code."""
        info = self.infos[cell]
        return info.pinned or info.loc or cell

    def new(self, content: Content, loc: Location | None = None, **info: Any) -> int:
        """A fresh cell."""
        cell = len(self.infos)
        self.infos.append(CellInfo(loc, **info))
        self.contents[cell] = content
        return cell

    def entangle(self, cells: Iterable[int], reason: str, places: Iterable[Any] = ()) -> None:
        """Refuse writes to `cells` from here on, unless one of `places` can be joined exactly.  To
        rows of pools is written where they are, whichever they are."""
        why = reason, tuple(place for place in places if place is not None)
        cells = [cell for cell in cells if not is_row(self.contents.get(cell))]
        self.entangled = {**self.entangled, **dict.fromkeys(cells, why)}


def shadowed(heap: Heap) -> set[int]:
    """The cells that shadows point to."""
    contents = heap.contents.values()
    return {cell for content in contents if isinstance(content, Shadow) for cell in content.cells}


def swept(heap: Heap, first: int, before: dict[int, Content], roots: Iterable[Any]) -> Heap:
    """`heap` without the cells from `first` on that neither `roots` nor older cells lead to.

    before: what older cells held when there were no younger ones: only if that changed can they
    lead to one.  Cells that the caller can reach (`CellInfo.pinned`) stay.
    """
    infos, contents = heap.infos, heap.contents
    if len(infos) == first:
        return heap
    spared: set[int] = set()
    stack = list(roots)
    for cell, content in contents.items():
        if cell >= first and infos[cell].pinned is None:
            spared.add(cell)
        elif type(content) is not Array and content is not before.get(cell):
            stack.append(content)
    while stack and spared:
        x = stack.pop()
        kind = type(x)
        if kind is Ref:
            if x.cell in spared:
                spared.discard(x.cell)
                stack.append(contents[x.cell])
        elif kind not in _LEAVES:
            stack.extend(x.parts)
    if not spared:
        return heap
    kept = contents.copy()
    for cell in spared:
        del kept[cell]
    return Heap(infos, kept, heap.entangled, heap.kept)


def reachable(heap: Heap, roots: Iterable[Any], through: Container[int] | None = None) -> set[int]:
    """The cells that can be reached from abstract values `roots`; through: as for `references`."""
    return {x.cell for x in references(heap, roots, through)}


def behind(heap: Heap, x: Any) -> Heap:
    """The part of `heap` that an abstract value leads to."""
    cells = sorted(reachable(heap, [x]) & heap.contents.keys())
    contents = {cell: heap.contents[cell] for cell in cells}
    entangled = {cell: heap.entangled[cell] for cell in cells if cell in heap.entangled}
    return Heap(heap.infos, contents, entangled, heap.kept & {*cells, *[~cell for cell in cells]})


def references(
    heap: Heap, roots: Iterable[Any], through: Container[int] | None = None
) -> Iterator[Ref]:
    """The references in abstract values `roots` and in the cells that these lead to, each as often
    as it is there; through: the cells that shadows lead to, where not to all."""
    contents = heap.contents
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        x = stack.pop()
        kind = type(x)
        if kind is Ref:
            yield x
            if x.cell not in seen:
                seen.add(x.cell)
                if x.cell in contents:
                    stack.append(contents[x.cell])
        elif kind is Shadow and through is not None:
            stack.extend([ref for ref in x.refs if ref.cell in through])
        elif kind not in _LEAVES:
            stack.extend(x.parts)


_LEAVES = frozenset({Array, Const, Scalar})
