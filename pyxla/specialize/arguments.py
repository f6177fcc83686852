"""The arguments of a specialization: from their description onto the heap, as abstract values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import jax

from pyxla.abstract.facts.deciding import Data, Unbounded
from pyxla.abstract.facts.extent import IntFact
from pyxla.abstract.heap import (
    READ_ONLY,
    DictCell,
    GrowingList,
    ListCell,
    ObjectCell,
    RowList,
    reachable,
)
from pyxla.abstract.lattice import Array, Compound, Conflict, Const, Ref, Scalar, Tuple, Unbound
from pyxla.frozen import dataclass
from pyxla.guards.places import Place
from pyxla.infer import narrowing, rules
from pyxla.infer.calls.captures import Captures
from pyxla.infer.containers import steps, tables
from pyxla.infer.demands import SHORT, Demands, argument_site
from pyxla.infer.engine import Engine
from pyxla.infer.joins import far
from pyxla.infer.lists import columnar
from pyxla.infer.lists.item_joins import joined_items
from pyxla.infer.lists.item_types import Item, Nested, Number, Row
from pyxla.infer.lists.items import item_of
from pyxla.infer.lists.pools import Given
from pyxla.infer.lists.sites import Meeting
from pyxla.infer.text.codes import string
from pyxla.ir.build import building
from pyxla.ir.core import Value
from pyxla.ir.types import ArrayType, Far, array_type
from pyxla.lib.containers import Deque, stand_for
from pyxla.lib.modular import UNSIGNED
from pyxla.lib.operands import INT, splat
from pyxla.lib.random.state import STATES
from pyxla.lib.sets import LISTED, TableSet
from pyxla.lib.strings import bounded
from pyxla.lib.tables import NEVER
from pyxla.lib.variables import Unset, Variable
from pyxla.runtime import descriptions
from pyxla.runtime.foreign import HOST
from pyxla.runtime.numbers import Path
from pyxla.runtime.request import Request
from pyxla.runtime.request import steps as parts_of
from pyxla.runtime.sharing import Memory
from pyxla.specialize.overlaps import shared_buffer
from pyxla.views import views

_JAX_READ_ONLY = "a jax.Array cannot be changed in place"


def placement_of(request: Request) -> Any:
    """What the options say of where arguments and results lie; None if nothing."""
    return getattr(request.options, "placement", None)


class World:
    """The arguments on the heap, and the way back to the caller."""

    def __init__(self, request: Request, places: Sequence[Place], demands: Demands) -> None:
        self.request = request
        self.names = _parameter_names(request, len(request.args) - len(places))
        self.params: list[Value] = []
        self.leaves: dict[int, int] = {}
        self.scalars: dict[Value, Path] = {}
        self.numbers: dict[Value, Path] = {}
        self.given: dict[int, Array] = {}
        self.paths: dict[int, Path] = {}
        self.initial: dict[int, Any] = {}
        self.named: dict[tuple[int, Any], Path] = {}
        self.objects: dict[Path, Any] = {}
        placed = placement_of(request)
        self.given_up = getattr(placed, "donate", ())
        self.donated: list[int] = []
        self.jax = getattr(placed, "places", False)
        self.waits = False
        self.places = tuple(places)
        self.captures = Captures(dict.fromkeys(places), is_foreign)
        self.engine = Engine(rules, self.captures, request.options)
        self.engine.demands = demands
        self.engine.heap.infos.chained = demands.chained
        self.engine.heap.infos.ordered = demands.ordered
        self.engine.jax, self.engine.scope = HOST, HOST.scope.read()
        self.same = {
            later: first for group in request.memory.groups for first, later in _identical(group)
        }
        self.buffers = dict(_shared(request.memory))
        self.overlapping = (
            {leaf for group in request.memory.groups for leaf, _, _ in group}
            - set(self.same)
            - set(self.same.values())
        )
        self.parts: dict[int, list[tuple[int, Ref]]] = {}
        self.cells: dict[int, Ref] = {}
        self.arrays: list[int] = []  # cells of the caller's arrays
        # What is in sets, deques and the like: a cell, and what that held.
        self.inside: dict[int, tuple[int, Any]] = {}
        self.given_rows: dict[type, Given] = {}
        self.lengthy = {i for i, arg in enumerate(request.args) if _listed(arg) > SHORT}
        self.nested = 0  # in how many containers of data (`_is_of_data`)
        self.drawn = 0  # in how many generators of random numbers
        args = [self.abstract(arg, (i,)) for i, arg in enumerate(request.args)]
        split = len(args) - len(places)
        self.args, captured = args[:split], args[split:]
        self.captures.places.update(zip(places, captured, strict=True))
        self.captures.by_identity.update(
            {id(p.read()): v for p, v in zip(places, captured, strict=True)}
        )
        # Each by itself: the program may put something else where the caller had it.
        self.captures.pinned.extend(map(Ref, [*self.initial, *self.parts]))
        heap = self.engine.heap
        self.captures.cells = {cell: heap.contents[cell] for cell in reachable(heap, captured)}

    def lists(self) -> dict[int, Path]:
        """The lists among the arguments, with their paths; those that are in others come first."""
        kinds = (ListCell, GrowingList, RowList)
        return {c: self.paths[c] for c, held in self.initial.items() if isinstance(held, kinds)}

    def changed(self, lists: Iterable[int]) -> None:
        """Note how lists are kept when the program starts."""
        contents: Any = self.engine.heap.contents
        self.initial |= {cell: contents[cell] for cell in lists}
        for held in self.initial.values():
            if isinstance(held, GrowingList):
                self.given |= {column.cell: contents[column.cell] for column in held.columns}

    # arguments

    def param(self, type: Any, hint: str = "", data: bool = False) -> Value:
        return self.added((Data if data else Value)(type, None, hint))

    def added(self, value: Value) -> Value:
        self.params.append(value)
        return value

    def pin(self, content: Any, path: Path, read_only: str = "") -> Ref:
        cell = self.engine.heap.new(content, None, read_only=read_only, pinned=path)
        self.paths[cell] = self.named[cell, ()] = path
        self.initial[cell] = content
        ref = self.objects[path] = Ref(cell)
        return ref

    def abstract(self, arg: descriptions.Arg, path: Path) -> Any:
        match arg:
            case descriptions.ArgArray():
                return self.array(arg, path)
            case descriptions.ArgScalar(kind=kind):
                self.jax |= kind == "jax"
                return self.scalar(arg, path)
            case descriptions.ArgStatic(value):
                return Const(value)
            case descriptions.ArgTuple(cls, items):
                return Tuple(self.each(items, path), cls)
            case descriptions.ArgList(items):
                return self.pin(ListCell(self.within(arg, items, path, range(len(items)))), path)
            case descriptions.ArgNumbers(type, sizes=sizes):
                data, item = self.column(type, path), _item_of(type)
                if sizes is not None:
                    lengths = self.column(array_type(INT, type.shape[:1]), path)
                    return self.rows_over(lengths, data, item, path)
                return self.lists_over(data, type.shape, item, path)
            case descriptions.ArgText(type):
                codes = self.param(type, self.names.get(path[0], ""))
                size = self.param(array_type(INT))
                self.numbers |= {codes: path, size: path}
                with building(self.engine.builder):
                    return string(bounded(codes, size))
            case descriptions.ArgDict(keys, values):
                items = self.within(arg, values, path, keys)
                return self.pin(DictCell(dict(zip(keys, items, strict=True))), path)
            case descriptions.ArgStand():
                return self.stand(arg, path)
            case descriptions.ArgObject(cls, fields):
                self.drawn += cls in STATES
                named = {name: self.abstract(item, (*path, name)) for name, item in fields}
                self.drawn -= cls in STATES
                if cls is Variable and getattr(fields[0][1], "value", None) is Unset.UNSET:
                    name = self.places[path[0] - len(self.request.args)].owner.name
                    named["value"] = Unbound(name, error=NameError(f"name {name!r} is not defined"))
                return self.pin(ObjectCell(cls, named), path)
            case descriptions.ArgMethod(function, owner):
                bound = self.abstract(owner, (*path, "__self__"))
                return Compound("method", (Const(function), bound))
            case descriptions.ArgSame(first):
                return self.objects[first]
            case descriptions.ArgUnknown(_, _, reason, hint):
                return self.pin(Conflict(reason, hint=hint), path)
            case descriptions.ArgPytree(cls, treedef, items):
                return Compound("pytree", self.each(items, path), (cls, treedef))
        raise TypeError(f"not an argument: {arg!r}")

    def column(self, type: ArrayType, path: Path) -> Ref:
        """An array that is a leaf, of a list."""
        value = self.param(type, self.names.get(path[0], ""))
        self.numbers[value] = path
        if type.dtype == UNSIGNED:
            with building(self.engine.builder):
                value = far.rest_of(value)
        data = self.engine.heap.new(Array(value), None)
        self.given[data] = Array(value)
        return Ref(data)

    def rows_over(self, sizes: Ref, data: Ref, number: Number | Row, path: Path) -> Ref:
        """A list of lists of numbers of several lengths."""
        type, sites = self.given[data.cell].value.type, argument_site((*path, 0))
        asked = Meeting(frozenset({sites}))
        item = Nested(number, type.shape[1], None, asked)
        outer = self.pin(GrowingList((sizes, data), item), path)
        self.engine.heap.infos[outer.cell].asked = asked
        self.rows_in(outer, type.shape, path)
        return outer

    def lists_over(self, data: Ref, shape: tuple[int, ...], item: Item, path: Path) -> Ref:
        """A list over an array, and those that are in it."""
        # A row of rows that are in a pool would be in none.
        sites = [Meeting(frozenset({argument_site((*path, 0))}))] if len(shape) == 2 else []
        with building(self.engine.builder):
            outer = self.pin(columnar.over(self.engine.heap, data, item, sites), path)
        self.engine.heap.infos[outer.cell].asked = sites[0] if sites else None
        self.rows_in(outer, shape, path)
        return outer

    def rows_in(self, outer: Ref, sizes: tuple[int, ...], path: Path) -> None:
        """The lists in a list, of so many items each, that are in columns."""
        for i in range(sizes[0]) if sizes[1:] else ():
            self.rows_in(self.pin(RowList(outer, i), (*path, i)), sizes[1:], (*path, i))
        self.initial[outer.cell] = self.initial.pop(outer.cell)  # what is in it comes first

    def stand(self, arg: descriptions.ArgStand, path: Path) -> Ref:
        """A set, a deque or the like as the instance that stands for it."""
        cls: Any = TableSet if arg.cls is set else stand_for(arg.cls)
        if isinstance(arg.inner, descriptions.ArgDict):
            keys, values = arg.inner.keys, arg.inner.values
            held = self.within(arg.inner, values, path, keys)
            content: Any = DictCell(dict(zip(keys, held, strict=True)))
        else:
            items = arg.inner.items
            content = ListCell(self.within(arg.inner, items, path, range(len(items))))
            kinds = [item_of(self.engine.heap, x) for x in content.items]
            if arg.cls is set and kinds and joined_items(kinds) is None:
                return self.set_of_several(content.items, path)
        inner = self.engine.heap.new(content, None)
        fields = {_FIELDS.get(name, name): Const(value) for name, value in arg.fields}
        if cls is TableSet:  # its items are in CPython's order
            fields |= tables.order_of(self.engine.heap, LISTED, range(len(arg.inner.items)))
        if cls is Deque:
            fields["put"] = Const(NEVER)
        ref = self.pin(ObjectCell(cls, {cls.__pyxla_sequence__: Ref(inner), **fields}), path)
        self.inside[ref.cell] = inner, content
        return ref

    def set_of_several(self, items: tuple[Any, ...], path: Path) -> Ref:
        """A set of items of several types, which must be known."""
        if not all(isinstance(x, Const) for x in items):
            reason = "the items of this set are of several types, and some are numbers"
            return self.pin(Conflict(reason, hint="pass a set for each type"), path)
        values = [x.value for x in items]
        made = steps.made(values)
        in_order = list(map(id, steps.actual(made))) == list(map(id, values))
        return self.pin(made if in_order else replace(made, steps=None), path)

    def each(self, items: tuple[descriptions.Arg, ...], path: Path) -> tuple[Any, ...]:
        return tuple([self.abstract(item, (*path, i)) for i, item in enumerate(items)])

    def within(self, arg: Any, items: Iterable[Any], path: Path, keys: Iterable[Any]) -> Any:
        """What is in the list or dict `arg`."""
        self.nested += (data := _is_of_data(arg))
        made = tuple([self.abstract(x, (*path, key)) for x, key in zip(items, keys, strict=True)])
        self.nested -= data
        return made

    def scalar(self, arg: descriptions.ArgScalar, path: Path) -> Any:
        listed = self.nested > 0 and path[0] in self.lengthy
        kind: type[Value] = Value
        if listed or path in self.request.unknown:
            kind = Data
        elif self.request.bounds and arg.kind == "python" and arg.most is None:
            kind = Unbounded if arg.type.dtype.kind == "i" else Value
        value = self.added(kind(arg.type, None, self.names.get(path[0], "")))
        self.scalars[value] = path
        if arg.kind == "word":
            return far.made(far.WORD, Scalar(value))
        return Scalar(value, None if arg.most is None else IntFact(None, arg.most))

    def array(self, arg: descriptions.ArgArray, path: Path) -> Any:
        data = self.drawn > 0 or path in self.request.unknown
        value = self.param(arg.type, self.names.get(path[0], ""), data)
        self.jax |= arg.kind == "jax"
        if arg.kind == "scalar" or (arg.kind == "jax" and not arg.type.shape):
            if arg.kind == "scalar":
                self.scalars[value] = path
            return Array(value)  # immutable, and so is what arithmetic makes of it
        self.waits |= arg.kind in ("numpy", "state")
        if arg.kind == "state":
            return Ref(self.engine.heap.new(Array(value), None))
        leaf = len(self.params) - 1
        if arg.kind == "jax" and self.names.get(path[0]) in self.given_up:
            self.donated.append(leaf)
            self.arrays.append(self.engine.heap.new(Array(value), None))
            return Ref(self.arrays[-1])
        if leaf in self.same:
            return self.cells[self.same[leaf]]
        if leaf in self.buffers:
            return self.part(leaf, Array(value), path)
        read_only = _JAX_READ_ONLY if arg.kind == "jax" else ""
        if leaf in self.request.memory.read_only:
            read_only = READ_ONLY
        if leaf in self.overlapping:
            read_only = "the memory of this array overlaps that of another argument"
        ref = self.cells[leaf] = self.pin(Array(value), path, read_only)
        self.leaves[ref.cell] = leaf
        if not self.drawn:
            self.arrays.append(ref.cell)
        self.engine.heap.infos[ref.cell].strides = dict(self.request.memory.strides).get(leaf)
        if arg.kind == "jax":
            self.engine.jax_cells.add(ref.cell)
        return ref

    def part(self, leaf: int, array: Array, path: Path) -> Ref:
        """An array that shares memory with others, as a view of a buffer."""
        buffer = self.buffers[leaf]
        heap = self.engine.heap
        if buffer.cell is None:
            type = array_type(array.dtype, (buffer.size,))
            buffer.cell = heap.new(Array(Value(type)), None, pinned=path)
        ref = self.cells[leaf] = self.objects[path] = Ref(buffer.cell, buffer.views[leaf])
        self.parts.setdefault(ref.cell, []).append((leaf, ref))
        self.named[ref.cell, ref.view] = path
        return ref

    def narrow(self) -> None:
        """Give 32 bits to the arrays (`compile(width=32)`); the caller's keep what they have."""
        wide: list[Array] = []
        for cell in [*self.arrays, *self.parts]:
            narrowing.narrowed(self.engine, Ref(cell), 0, wide)
            if cell in self.initial:
                self.initial[cell] = self.engine.heap.contents[cell]
        self.args = [
            narrowing.narrowed(self.engine, x, len(self.engine.heap.infos), wide) for x in self.args
        ]
        narrowing.check(self.engine, wide)

    def fill_buffers(self) -> None:
        """Put together, from the arguments, the memory that they share."""
        heap = self.engine.heap
        for cell, parts in self.parts.items():
            whole = heap.contents[cell]
            content = Array(splat(0, whole.dtype, whole.shape))
            for leaf, ref in parts:
                content = views.update(ref.view, content, Array(self.params[leaf]))
            heap.contents[cell] = self.initial[cell] = content


# Attributes under the names of fields of what stands for a class.
_FIELDS = {"maxlen": "limit"}


def _item_of(type: ArrayType) -> Number | Row:
    """What the items of a list are that is a leaf of this type."""
    if type.dtype == UNSIGNED:
        return Row(Far(far.WORD), (Number(array_type(INT, (), weak=True)),))
    return Number(array_type(type.dtype, (), weak=True))


def _listed(arg: Any, inside: bool = False) -> int:
    """How many numbers there are in containers of data in an argument."""
    if isinstance(arg, descriptions.ArgScalar):
        return int(inside)
    inside |= _is_of_data(arg)
    return sum([_listed(part, inside) for _, part in parts_of(arg)])


def _is_of_data(arg: Any) -> bool:
    """Whether the numbers in a container are data: not what names stand for, as options have it."""
    if isinstance(arg, descriptions.ArgDict):
        return not all(isinstance(key, str) for key in arg.keys)
    return isinstance(arg, descriptions.ArgList)


def _parameter_names(request: Request, count: int) -> dict[int, str]:
    """The Python name of each argument, for the printer."""
    code = getattr(request.function, "__code__", None)
    positional = count - len(request.names)
    known = code.co_varnames[: code.co_argcount][:positional] if code else ()
    return dict(enumerate(known)) | dict(enumerate(request.names, positional))


@dataclass(slots=True, eq=False)
class _Buffer:
    """Memory that arguments share: how many elements it has, and what each leaf is of it."""

    size: int
    views: dict[int, Any]
    cell: int | None = None


def _shared(memory: Memory) -> Iterator[tuple[int, _Buffer]]:
    """The buffer of each leaf that shares memory with others in part."""
    for group in memory.groups:
        found = shared_buffer(group)
        same = len({member[1:] for member in group}) == 1
        if found is None or same or any(leaf in memory.read_only for leaf, _, _ in group):
            continue
        leaves = [leaf for leaf, _, _ in group]
        buffer = _Buffer(found[0], dict(zip(leaves, found[1], strict=True)))
        yield from [(leaf, buffer) for leaf in leaves]


def _identical(group: Sequence[tuple[int, int, tuple[int, ...]]]) -> list[tuple[int, int]]:
    """(first, later) for leaves of a group that are one array."""
    pairs = []
    for k, (leaf, offset, strides) in enumerate(group):
        for earlier, offset0, strides0 in group[:k]:
            if offset == offset0 and strides == strides0:
                pairs.append((earlier, leaf))
                break
    return pairs


def is_foreign(value: Any) -> bool:
    """Whether a callable is JAX's, or a function that JAX transformed: run by JAX and merged as a
    foreign op."""
    file = getattr(getattr(value, "__code__", None), "co_filename", "")
    modules = getattr(value, "__module__", None) or "", type(value).__module__
    return file.startswith(_JAX) or any(m.split(".")[0] in ("jax", "jaxlib") for m in modules)


_JAX = os.path.dirname(jax.__file__) + os.sep
