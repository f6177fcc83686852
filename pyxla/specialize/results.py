"""What a specialization returns, writes and raises: trees over the flat results of one function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.deciding import deciding_tests, parameters
from pyxla.abstract.heap import (
    BoxCell,
    DictCell,
    GrowingList,
    ListCell,
    ObjectCell,
    Pooled,
    RowList,
    SequenceIterator,
    SetCell,
    is_row,
)
from pyxla.abstract.lattice import (
    Array,
    Compound,
    Conflict,
    Const,
    Kinds,
    Live,
    Ref,
    Scalar,
    Tuple,
    Variant,
    is_variant,
)
from pyxla.abstract.nested import of_unlike
from pyxla.errors import CompileError, ListOverflow
from pyxla.guards.places import Place
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import orders
from pyxla.infer.calls.captures import NewCapture
from pyxla.infer.calls.coroutines import is_generator
from pyxla.infer.joins import far
from pyxla.infer.joins.endings import Ended
from pyxla.infer.joins.kinds import dtype_of, is_zero_dim, width
from pyxla.infer.lists import as_arrays, columnar, number_lists, reading
from pyxla.infer.lists.items import holds_methods, spelled
from pyxla.infer.lists.sites import is_list
from pyxla.infer.raising.catching import Raised
from pyxla.infer.raising.exceptions import arguments, cause_of, is_exception
from pyxla.ir.core import Phi, Value, made_of, reached
from pyxla.ir.types import I32, PYTHON_DTYPES
from pyxla.lib import iterators
from pyxla.lib.tables import Record
from pyxla.lib.variables import Closure, variable
from pyxla.lib.walks import Broadcast, Walk
from pyxla.ops.elementwise import convert
from pyxla.ops.shape import transpose
from pyxla.runtime import outcome as out
from pyxla.specialize import returned
from pyxla.specialize.arguments import World
from pyxla.views import views
from pyxla.views.shadows import chosen, number, resolve

_ONCE = SequenceIterator | iterators.Steps | Walk | Broadcast  # what is read once
_MOVED = "lists in an argument may be in other places when the call ends"


class Outputs:
    """Flat results, and the trees over them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.engine = world.engine
        self.results: list[Value] = []
        self.trees: dict[Any, out.Out] = {}
        self.numbered: dict[type, int] = {}
        self.shared: set[int] = set()
        self.places: dict[returned.Place, Ref] = {}
        self.written: set[int] = set()  # arrays of lists of lists that are stored as they are

    def number(self, value: Value) -> int:
        """As `result`, of a Python number, which nobody can tell from another object."""
        known = [i for i, other in enumerate(self.results) if other is value]
        return known[0] if known else self.result(value)

    def result(self, value: Value) -> int:
        self.results.append(value)
        return len(self.results) - 1

    def outcome(self, end: Ended) -> out.Outcome:
        world = self.world
        # Containers of the caller's may get references, too.
        roots = [end.result, *[self.engine.heap.contents[cell] for cell in world.initial]]
        roots += end.parted.values()
        self.shared = returned.shared_cells(self.engine.heap, roots)
        self.places = returned.places(self.engine.heap, self.engine.pools, roots)
        tree = self.tree(end.result)
        writes, stores = [], self.nested()
        now = [self.engine.heap.contents[cell] for cell in world.initial]
        for cell, before in world.initial.items():
            if self.engine.heap.infos[cell].read_only:
                continue  # nobody wrote to it, even where its contents are told by a selection
            if cell in end.parted:
                stores.append(out.Store(world.paths[cell], self.tree(end.parted[cell])))
                continue
            after = resolve(self.engine.heap, self.engine.heap.contents[cell])
            if is_row(after):
                if not self.same_rows(after.cls):
                    row = out.OutRow(self.pool(after.cls), after.index)
                    stores.append(out.Store(world.paths[cell], row))
                continue
            if isinstance(before, (GrowingList, RowList)):
                same = self.same_rows_of(cell, before, after)
            else:
                same = self.is_same(cell, before, after)
            if same and cell in world.inside:
                inner, held = world.inside[cell]
                same = self.is_same(inner, held, self.engine.heap.contents[inner])
            if same:
                continue
            if isinstance(after, Conflict):
                raise self.engine.use(after)
            if any(columnar.is_in(x, cell) for x in now):
                raise self.engine.refuse(_MOVED, "give it a copy: x[:]", remedy="shared")
            if cell in world.parts:
                for leaf, ref in world.parts[cell]:
                    shown = views.apply(ref.view, after)
                    writes.append(out.Write(leaf, self.result(shown.value)))
            elif cell in world.leaves:
                writes.append(out.Write(world.leaves[cell], self.result(after.value)))
            else:
                stores.append(out.Store(world.paths[cell], self.stored(cell)))
        for _, box, _ in world.captures.boxes.values():
            self.check_box(box)
        code = None
        if end.status is not None:
            value = self.scalar_value(end.status)
            code = self.result(convert(value, dtype=I32.dtype, weak=False))
        sites = [self.site(path) for path in end.raised]
        return out.Outcome(
            tuple(range(len(world.params))),
            tree,
            tuple(writes),
            tuple(stores),
            code,
            tuple(sites),
            world.jax,
            world.waits,
            self.pools(),
            donated=tuple(world.donated),
        )

    def pool(self, cls: type) -> int:
        """The number of the pool of a class among those that the caller sees."""
        if issubclass(cls, _ONCE | Closure):
            raise self.unshown(cls)
        return self.numbered.setdefault(cls, len(self.numbered))

    def pools(self) -> tuple[out.OutPool, ...]:
        """The pools that the caller sees; what is in one may be in others."""
        found: list[out.OutPool] = []
        while len(found) < len(self.numbered):
            cls = list(self.numbered)[len(found)]
            rows = self.container(self.engine.heap.contents[self.engine.pools[cls].cell])
            host = dict if issubclass(cls, Record) else list if is_list(cls) else cls
            given = self.world.given_rows.get(cls)
            paths = () if given is None else given.paths
            found.append(out.OutPool(host, self.engine.pool_fields[cls], rows, paths))
        return tuple(found)

    def nested(self) -> list[out.Store]:
        """The lists of lists whose rows are the caller's, and were written."""
        stores = []
        for cell, before in self.world.initial.items():
            after = self.engine.heap.contents[cell]
            if type(before) is GrowingList and self.has_its_rows(cell):
                self.written.add(cell)
                if not self.is_unchanged(before, after):
                    made = self.stored(cell)
                    stores.append(out.Store(self.world.paths[cell], made, nested=True))
        return stores

    def has_its_rows(self, cell: int) -> bool:
        """Whether an argument is a list of lists of several lengths, with those that it was given
        with, and no others."""
        heap, initial = self.engine.heap, self.world.initial
        rows = [c for c, x in initial.items() if columnar.is_in(x, cell)]
        after = heap.contents[cell]
        if not rows or type(after) is not GrowingList or columnar.size_of(heap, after) != len(rows):
            return False
        return all(heap.contents.get(c) == initial[c] for c in rows)

    def has_rows_given(self, x: GrowingList) -> bool:
        """Whether rows of an argument may be in a list, too."""
        if not reading.holds_lists(x.item):
            return False
        lists = [held for held in self.world.initial.values() if type(held) is GrowingList]
        kept = self.engine.heap.kept
        common = [any(c.cell in kept for c in held.columns) for held in (x, *lists)]
        return common[0] and any(common[1:])

    def is_unchanged(self, before: GrowingList, after: Any) -> bool:
        """Whether the columns of a list are as they were given."""
        heap, given = self.engine.heap, self.world.given
        if type(after) is not GrowingList or after.columns != before.columns:
            return False
        held = [(resolve(heap, heap.contents[c.cell]), given[c.cell]) for c in after.columns]
        return all(isinstance(x, Array) and _unchanged(x, y) for x, y in held)

    def same_rows_of(self, cell: int, before: GrowingList | RowList, after: Any) -> bool:
        """Whether a list is as it was, or is stored with those that it is in, or has in it."""
        if isinstance(before, RowList):
            return columnar.whole(self.engine.heap, before.parent).cell in self.written
        return cell in self.written or self.is_unchanged(before, after)

    def is_same(self, cell: int, before: Any, after: Any) -> bool:
        """Whether what was given is as it was, a list also where it is in columns now."""
        if isinstance(after, Array):
            return _unchanged(after, before)
        if type(before) is not ListCell or type(after) is not GrowingList:
            return after is before
        items, laid = self.engine.heap.infos[cell].laid
        return items is before and self.has_columns(after, laid)

    def has_columns(self, x: GrowingList, columns: Sequence[Any]) -> bool:
        """Whether these are the columns of a list."""
        heap = self.engine.heap
        held = [resolve(heap, heap.contents[column.cell]) for column in x.columns]
        if not columns or len(columns) != len(held):
            return False
        return all(isinstance(x, Array) and _unchanged(x, y) for x, y in zip(held, columns))

    def same_rows(self, cls: type) -> bool:
        """Whether the pool of a class is as it was when arguments became its rows."""
        heap, given = self.engine.heap, self.world.given_rows.get(cls)
        if given is None:  # arguments became rows later
            return False
        pool = self.engine.pools[cls].cell
        now: Any = heap.contents[pool]
        if type(now) is not GrowingList:
            return now is given.content
        items, laid = heap.infos[pool].laid
        columns = given.columns or (laid if items is given.content else ())
        return self.has_columns(now, columns)

    def scalar_value(self, x: Any) -> Value:
        if isinstance(x, Const):
            return self.engine.as_array(x.value).value
        return x.value

    def check_box(self, box: Ref) -> None:
        place = self.engine.heap.infos[box.cell].pinned
        if box.cell in self.engine.written:
            raise NewCapture(Place(variable(place.owner)))

    def site(self, path: Raised) -> out.Site:
        x = path.exception
        args, names, cause = self.exception(x)
        counts = self.counts(path) if issubclass(x.meta, ListOverflow) else ()
        return out.Site(x.meta, args, path.loc, counts, calls=path.calls, names=names, cause=cause)

    def exception(self, x: Compound) -> tuple[Any, tuple[str, ...], Any]:
        """What an exception is made of: arguments, the names of the last ones, and its cause."""
        given, named = arguments(x)
        args = tuple([self.tree(a) for a in (*given, *named.values())])
        cause = cause_of(x)
        return args, tuple(named), () if cause is None else (self.cause(cause),)

    def cause(self, x: Any) -> out.Out:
        """What an exception was raised from: None, or one of several exceptions."""
        if isinstance(x, Variant):
            return out.OutVariant(self.result(x.tag.value), tuple(map(self.cause, x.items)))
        return out.OutException(x.meta, *self.exception(x)) if is_exception(x) else self.tree(x)

    def counts(self, path: Raised) -> tuple[out.Path, ...]:
        """The Python ints among the arguments that decide whether a path is taken."""
        if not any(v.type.dtype.kind == "i" for v in self.world.scalars):
            return ()
        found = parameters(*deciding_tests(path.edge.block), paths=True)
        numbers = [v for v in found if v.type.dtype.kind == "i" and v in self.world.scalars]
        return tuple([self.world.scalars[v] for v in numbers])

    def tree(self, x: Any) -> out.Out:
        """What the caller sees of `x`."""
        if is_variant(x, "unbound"):
            message = f"the caller would find {x.items[0].name!r} set on some paths only"
            raise self.engine.refuse(message, "set it on every path")
        x = self.engine.use(x) if isinstance(x, Conflict) else x
        if isinstance(x, Variant) and x.kind != "exception":
            outs = tuple([self.tree(item) for item in x.items])
            return out.OutVariant(self.result(x.tag.value), outs)
        if isinstance(x, Const):
            return out.OutConst(x.value)
        if isinstance(x, (Scalar, Array)) and x.kinds is not None:
            return self.mixed(x.value, x.kinds)
        if isinstance(x, Scalar):
            return out.OutScalar(self.number(x.value))
        if isinstance(x, Array) and x.shape:  # the code points of a text
            return self.array_of(x)
        if isinstance(x, Array):
            return out.OutScalar(self.result(x.value), "numpy")
        if far.is_dynamic(x):
            return out.OutTuple(x.meta, (self.tree(x.items[0]),))
        if isinstance(x, Tuple):
            return out.OutTuple(x.cls, tuple([self.tree(i) for i in x.items]))
        if isinstance(x, Ref):
            return self.reference(x)
        if isinstance(x, Compound) and x.kind == "text":
            return self.text(x)
        if isinstance(x, Compound) and x.kind == "pytree":
            raise CompileError("a registered pytree cannot be returned", self.engine.loc)
        if isinstance(x, Live):
            raise CompileError(
                f"a compiled function cannot return {x.kind}() of a dict",
                self.engine.loc,
                hint="return a list of it, or the dict",
            )
        raise self.unreturned(arrays.kind_of(self.engine, x), is_generator(x))

    def held(self, x: Any) -> out.Out:
        """What the caller sees of `x` in a list, a dict or an instance, which may have many: a
        number that is as it was given is the argument itself."""
        given = self.world.scalars.get(x.value) if isinstance(x, Scalar) else None
        return self.tree(x) if given is None else out.OutArgument(given)

    def unreturned(self, kind: str, once: bool = False) -> CompileError:
        article = "an" if kind[0] in "aeiou" else "a"
        return CompileError(
            f"a compiled function cannot return {article} {kind}",
            self.engine.loc,
            hint="return a list of it, or of its items"
            if once
            else "return arrays, numbers, strings, None and containers of these",
        )

    def unshown(self, cls: Any) -> CompileError:
        """The refusal of what a class of pyxla's stands for: an iterator, or a closure."""
        known = getattr(cls, "__pyxla_type__", None)
        return self.unreturned(known.__name__ if known else "iterator", issubclass(cls, _ONCE))

    def mixed(self, value: Value, kinds: Kinds) -> out.Out:
        """A number as each kind that it may be."""
        order = sorted(range(len(kinds.choices)), key=lambda i: width(kinds.choices[i]))
        outs: list[out.OutScalar | out.OutArray] = []
        for kind in [kinds.choices[i] for i in order]:
            python, dtype = kind in PYTHON_DTYPES, dtype_of(kind)
            exact = kinds.exact if dtype == np.int64 else None
            given = value if exact is None else exact.value
            held = given if given.type.dtype == dtype else convert(given, dtype=dtype, weak=python)
            made = out.OutScalar(self.result(held), "python" if python else "numpy")
            outs.append(out.OutArray(made.index) if is_zero_dim(kind) else made)
        places = [number(order.index(i)) for i in range(len(order))]
        return out.OutMixed(self.result(chosen(kinds.tag, places)), tuple(outs))

    def text(self, x: Compound) -> out.OutFormat:
        items = iter(x.items)
        parts = [p if isinstance(p, str) else (self.tree(next(items)), *p) for p in x.meta]
        return out.OutFormat(tuple(parts))

    def reference(self, x: Ref) -> out.Out:
        key = (returned.place(self.engine.heap, x), x.view)
        if key not in self.trees:
            if (x.cell, x.view) in self.world.named:
                self.trees[key] = out.OutArgument(self.world.named[x.cell, x.view])
            else:
                content = resolve(self.engine.heap, self.engine.heap.contents[x.cell])
                array = isinstance(content, Array)
                number_lists.ask_which(self.engine, x)
                whole = columnar.whole(self.engine.heap, x).cell
                pools_given = [self.engine.pools[cls].cell for cls in self.world.given_rows]
                if type(content) is RowList and content.cls is None and whole in pools_given:
                    raise self.row_returned()
                if type(content) is RowList and self.has_its_rows(whole):
                    self.trees[key] = self.row_given(content)
                elif (base := self.base(x)) is not None:
                    self.trees[key] = self.part(x, base)
                else:
                    self.trees[key] = self.array(x) if array else self.container(content)
        return self.trees[key]

    def base(self, x: Ref) -> returned.Place | None:
        """What a list or an array is to be taken from, if it is in what the caller gets, too."""
        if x.view or self.world.jax:
            return None
        return returned.base(self.places, returned.place(self.engine.heap, x))

    def part(self, x: Ref, base: returned.Place) -> out.OutPart:
        """A list or an array as what is in `base`."""
        engine = self.engine
        cell, known = base
        steps: list[Any] = list(returned.place(engine.heap, x)[1][len(known) :])
        pooled = next((cls for cls, pool in engine.pools.items() if pool.cell == cell), None)
        if pooled is not None and not known:
            whole: out.Out = self.pooled(pooled, steps.pop(0))
            field = engine.pool_fields[pooled][steps.pop(0)]
            steps = steps if is_list(pooled) else [field, *steps]
        elif (cell, ()) in self.world.named and not known:
            whole = self.stored(cell)
        else:
            whole = self.reference(self.places.get(base, Ref(cell)))
        numbers = [s if isinstance(s, int | str) else out.OutScalar(self.number(s)) for s in steps]
        return out.OutPart(whole, tuple(numbers))

    def stored(self, cell: int) -> out.Out:
        """What a container that the caller gave takes its elements from."""
        if cell not in self.trees:
            self.trees[cell] = self.container(
                resolve(self.engine.heap, self.engine.heap.contents[cell])
            )
        return self.trees[cell]

    def pooled(self, cls: type, row: int | Value) -> out.OutPooled:
        """An object that is in a pool."""
        index = row if isinstance(row, int) else self.number(row)
        return out.OutPooled(self.pool(cls), index, not isinstance(row, int))

    def row_given(self, row: RowList) -> out.OutArgument | out.OutItem:
        """One of the lists in an argument."""
        steps: list[Any] = []
        inner: Any = row
        while type(inner) is RowList and inner.parent.cell not in self.world.paths:
            steps, inner = [inner.index, *steps], self.engine.heap.contents[inner.parent.cell]
        steps = [inner.index, *steps]
        path = self.world.paths[inner.parent.cell]
        if not all(isinstance(step, int) for step in steps[:-1]):
            raise self.row_returned()
        if isinstance(steps[-1], int):
            return out.OutArgument((*path, *steps))
        return out.OutItem((*path, *steps[:-1]), self.result(steps[-1].value))

    def row_returned(self) -> CompileError:
        return CompileError(
            "a list of lists that is indexed at run time is returned, and a row of it",
            self.engine.loc,
            hint="return a copy of the row, or use an array",
            remedy="shared",
        )

    def array(self, x: Ref) -> out.OutArray | out.OutView:
        """An array; a view, where the caller has what it is a view of."""
        steps = returned.numpy_steps(x.view)
        whole = self.engine.heap.contents[x.cell]
        known = isinstance(whole, Array) and whole.extents is None and not self.world.jax
        if x.view and known and steps is not None:
            read_only = not all(step.writable for step in x.view)
            named = (x.cell, ()) in self.world.named
            if named or x.cell in self.shared or read_only or self.base(Ref(x.cell)):
                self.engine.laid |= views.order_decides(whole.type, x.view)
                return out.OutView(self.reference(Ref(x.cell)), steps)
        self.engine.laid |= self.engine.heap.infos[x.cell].otherwise
        read = arrays.read(self.engine, x)
        axes = None if self.world.jax or read.extents else orders.axes_of(self.engine, x)
        if axes is None:
            return self.array_of(read)
        laid = out.OutArray(self.result(transpose(read.value, permutation=axes)))
        return out.OutView(laid, (("transpose", tuple(map(axes.index, range(len(axes))))),))

    def array_of(self, array: Array) -> out.OutArray:
        index = self.result(array.value)
        extents = [None if e is None else self.result(e.value) for e in array.extents or ()]
        return out.OutArray(index, tuple(extents))

    def container(self, content: Any) -> out.Out:
        match content:
            case ListCell(items):
                return out.OutList(tuple([self.held(i) for i in items]))
            case Pooled(index=row, cls=cls) | RowList(index=row, cls=type() as cls):
                return self.pooled(cls, row if isinstance(row, int) else row.value)
            case RowList() if of_unlike(self.engine.heap, content):
                return self.container(reading.unlike(self.engine, content))
            case RowList(parent=parent):
                row = columnar.row_content(self.engine.heap, content)
                if row is None:
                    self.engine.use(self.engine.heap.contents[parent.cell])
                    raise self.engine.refuse("the list that this one is in is of no one type")
                return self.container(row)
            case GrowingList(item=item, cls=cls):
                if self.has_rows_given(content):
                    raise self.engine.refuse(_MOVED, "give it a copy: x[:]", remedy="shared")
                whole = as_arrays.numbers_in(self.engine, content) if cls is list else None
                if whole is not None and whole[0].extents is None:
                    return out.OutNumbers(self.result(whole[0].value), whole[1])
                if holds_methods(item):
                    raise self.unreturned("method")
                arrays_ = reading.columns_of(self.engine, content)
                if not arrays_:
                    return out.OutList(())
                size = arrays_[0].extents[0] if arrays_[0].extents else None
                return out.OutGrown(
                    None if size is None else self.result(size.value),
                    tuple([self.result(array.value) for array in arrays_]),
                    spelled(item, self.pool),
                    cls,
                )
            case DictCell(items):
                return out.OutDict(tuple(items), tuple([self.held(i) for i in items.values()]))
            case SetCell(items):
                return out.OutSet(frozenset(items))
            case ObjectCell(cls) if issubclass(cls, _ONCE):
                raise self.unshown(cls)
            case ObjectCell(cls, fields):
                hidden = getattr(cls, "__pyxla_hidden__", ())
                shown = [(n, self.held(v)) for n, v in fields.items() if n not in hidden]
                return out.OutObject(cls, tuple(shown))
            case BoxCell(value):
                return self.tree(value)
        return self.tree(self.engine.use(content))


def _unchanged(after: Array, before: Array) -> bool:
    """Whether an array went through loops and branches as it was, all of it."""
    if not _is_same(after.value, before.value):
        return False
    return all(_is_same_size(*sizes) for sizes in zip(_sizes(after), _sizes(before), strict=True))


def _sizes(x: Array) -> list[int | Scalar]:
    pairs = zip(x.shape, x.extents or (None,) * len(x.shape), strict=True)
    return [whole if size is None else size for whole, size in pairs]


def _is_same_size(after: int | Scalar, before: int | Scalar) -> bool:
    if isinstance(after, Scalar) and isinstance(before, Scalar):
        return _is_same(after.value, before.value)
    return extent.difference(after, before) == 0


def _is_same(after: Value, before: Value) -> bool:
    """Whether a value went through loops and branches as it was."""

    def onwards(x: Value) -> Iterable[Value]:
        return made_of(x) if isinstance(x.owner, Phi) and x is not before else ()

    return all(isinstance(x.owner, Phi) or x is before for x in reached([after], onwards))
