"""One specialization: a Python function and the description of its arguments, typed.

The arguments become abstract values, the engine visits the function, and what it returns, writes
and raises becomes an `Outcome` over the results of one typed function.  Inference starts again when
it finds that it must know an argument's value, or that an outside array must become an argument.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from pyxla.errors import CompileError, InternalError, Location
from pyxla.infer.arrays import access as arrays
from pyxla.infer.arrays import returned, views
from pyxla.infer.arrays.overlaps import shared_buffer
from pyxla.infer.arrays.shadows import chosen, number, resolve
from pyxla.infer.calls.captures import Captures, NewCapture, Place
from pyxla.infer.calls.depth import TooDeep, deep_calls
from pyxla.infer.engine import Engine
from pyxla.infer.facts.deciding import parameters
from pyxla.infer.heap import (
    BoxCell,
    DictCell,
    GrowingList,
    ListCell,
    NeedsExact,
    NumberList,
    ObjectCell,
    Pooled,
    RowList,
    SetCell,
    reachable,
)
from pyxla.infer.joins import choices
from pyxla.infer.joins.endings import ended, visited
from pyxla.infer.joins.kinds import dtype_of, is_zero_dim, width
from pyxla.infer.lattice import (
    UNDEFINED,
    Array,
    Compound,
    Conflict,
    Const,
    Kinds,
    MaybeNone,
    MaybeUnbound,
    NeedsStatic,
    Ref,
    Scalar,
    Tuple,
)
from pyxla.infer.lists import growing, number_lists, pools
from pyxla.infer.lists.items import spelled
from pyxla.infer.raising.catching import Raised
from pyxla.infer.rules import RULES
from pyxla.ir.build import building
from pyxla.ir.core import Function, Phi, Return, Value
from pyxla.ir.dominance import reverse_postorder
from pyxla.ir.types import I32, PYTHON_DTYPES, array_type
from pyxla.lib.operands import splat
from pyxla.ops.elementwise import convert
from pyxla.options import DEFAULTS
from pyxla.runtime import outcome as out
from pyxla.runtime import signature as sig
from pyxla.runtime.foreign import HOST
from pyxla.runtime.numbers import ITEMS
from pyxla.runtime.sharing import Memory

MAX_RESTARTS = 64
_JAX_READ_ONLY = "a jax.Array cannot be changed in place"


@dataclass(frozen=True, eq=False, slots=True)
class Specialization:
    """A typed function, what its caller sees, and on what it depends.

    static: paths of arguments whose values were demanded, with the place that demanded each.
    places: outside objects passed as further arguments.  constants: guarded outside objects.
    unrolled: loops visited once per iteration, with how many there were.  copies: whether copies of
    arguments are written, so that it matters how those lie in memory.
    """

    function: Function
    outcome: out.Outcome
    static: dict[sig.Path, Location | None]
    places: tuple[Place, ...]
    constants: dict[Place, Any]
    unrolled: dict[Location | None, int] = field(default_factory=dict)
    copies: bool = False


@dataclass(slots=True)
class Request:
    """What to specialize: arguments as described, `names` the keywords of the last of them."""

    function: Any
    args: tuple[sig.Arg, ...]
    names: tuple[str, ...] = ()
    memory: Memory = field(default_factory=Memory)
    options: Any = None


class Restart(Exception):  # noqa: N818 - a request, not an error
    """The arguments must be described anew: values of `static` paths, or further `places`.

    otherwise: the refusal where no values are to be had.
    """

    def __init__(
        self,
        static: dict[sig.Path, Location | None],
        places: list[Place],
        otherwise: CompileError | None = None,
    ) -> None:
        super().__init__()
        self.static = static
        self.places = places
        self.otherwise = otherwise


def specialize(request: Request, places: Sequence[Place]) -> Specialization:
    """Type `request.function`; the last of its arguments are the objects at `places`.

    Raises Restart when an argument's value or another outside object is needed; CompileError when
    the program is refused.
    """
    policy = number_lists.Policy()
    try:
        return _specialize(request, places, policy)
    except CompileError as refused:
        if isinstance(refused, InternalError) and request.options.verify:
            raise
        # Sizes without a bound, lists that became arrays, or that did not, may be why: try it the
        # other way round.
        others = [number_lists.Policy(policy.lists, rooms=True)] * policy.sized
        others += [number_lists.Policy(policy.lists, grows=False)] * policy.grew
        others += [number_lists.Policy("all")] * policy.wanted
        others += policy.pooling()
        others += [number_lists.Policy("none")] * policy.made
        for other in others:
            try:
                return _specialize(request, places, other)
            except CompileError as error:
                if isinstance(error, InternalError) and request.options.verify:
                    raise
                refused = pools.clearer(refused, error, other)
        if lists := _long_lists(request.args):
            raise Restart({(*path, ITEMS): None for path in lists}, []) from None
        raise refused from refused.__cause__


def _long_lists(args: Any, path: sig.Path = ()) -> list[sig.Path]:
    """The paths of the lists that are one leaf each."""
    found: list[sig.Path] = []
    for step, arg in _steps(args):
        if isinstance(arg, sig.ArgNumbers):
            found.append((*path, step))
        else:
            found += _long_lists(arg, (*path, step))
    return found


def _steps(arg: Any) -> Iterable[tuple[Any, Any]]:
    """The descriptions directly inside one, and the steps to them."""
    match arg:
        case sig.ArgDict(keys, values):
            return zip(keys, values, strict=True)
        case sig.ArgObject(_, fields):
            return fields
        case sig.ArgMethod(_, owner):
            return (("__self__", owner),)
        case sig.ArgTuple(_, items) | sig.ArgList(items) | sig.ArgPytree(_, _, items):
            return enumerate(items)
        case tuple():
            return enumerate(arg)
    return ()


def _specialize(
    request: Request, places: Sequence[Place], lists: number_lists.Policy
) -> Specialization:
    exact: set[Any] = set()
    while True:
        try:
            return _attempt(request, places, lists, exact)
        except NeedsExact as need:
            exact.add(need.place)


def _attempt(
    request: Request, places: Sequence[Place], lists: number_lists.Policy, exact: set[Any]
) -> Specialization:
    """Type the function; raises NeedsExact where a join must be one of `exact`, too."""
    world = _World(request, places)
    world.engine.lists = lists
    world.engine.exact = exact
    pools.start(world.engine, lists.pooled)
    world.engine.list_capacity = (request.options or DEFAULTS).list_capacity
    try:
        with deep_calls(), building(world.engine.builder):
            return world.run()
    except TooDeep as refusal:
        raise _decided(world, refusal) from None
    except NewCapture as need:
        raise Restart({}, need.places) from None
    except NeedsStatic as need:
        raise _demand(world, need) from None


def _decided(world: _World, refusal: TooDeep) -> Exception:
    """A Restart with the number arguments that decide how deep calls nest, if only they do."""
    numbers = parameters(refusal.test, paths=True)
    if numbers and world.scalars.keys() >= set(numbers):
        return Restart({world.scalars[v]: refusal.loc for v in numbers}, [], refusal)
    return refusal


def _demand(world: _World, need: NeedsStatic) -> Exception:
    """A Restart that makes number arguments static, or why no value can be known."""
    value = getattr(need.scalar, "value", None)
    numbers = parameters(value) or parameters(value, paths=True)
    paths = [world.scalars[v] for v in numbers if v in world.scalars]
    engine = world.engine
    what = need.what or "this value"
    lists = [(*world.numbers[v], ITEMS) for v in numbers if v in world.numbers]
    if lists:
        return Restart(dict.fromkeys(lists, need.loc), [])
    if paths and len(paths) == len(numbers):
        return Restart({path: need.loc for path in paths}, [], need.otherwise)
    if need.otherwise is not None:
        return need.otherwise
    return CompileError(
        f"{what} must be known while compiling, but it is computed at run time",
        need.loc or engine.loc,
        types=(str(getattr(value, "type", "")),),
        chain=need.chain,
        hint="compute it from shapes, constants and number arguments only"
        + (", or bound it, as in min(n, 1000)" if what.startswith("the size") else ""),
    )


class _World:
    """The arguments on the heap, and the way back to the caller."""

    def __init__(self, request: Request, places: Sequence[Place]) -> None:
        self.request = request
        self.names = _parameter_names(request, len(request.args) - len(places))
        self.params: list[Value] = []
        self.leaves: dict[int, int] = {}
        self.scalars: dict[Value, sig.Path] = {}
        self.numbers: dict[Value, sig.Path] = {}
        self.given: dict[int, Array] = {}
        self.paths: dict[int, sig.Path] = {}
        self.initial: dict[int, Any] = {}
        self.named: dict[tuple[int, Any], sig.Path] = {}
        self.objects: dict[sig.Path, Any] = {}
        self.jax = False
        self.waits = False
        self.places = tuple(places)
        self.captures = Captures(dict.fromkeys(places), is_foreign)
        self.engine = Engine(RULES, self.captures, request.options)
        self.engine.jax = HOST
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
        args = [self.abstract(arg, (i,)) for i, arg in enumerate(request.args)]
        split = len(args) - len(places)
        self.args, captured = args[:split], args[split:]
        self.captures.places.update(zip(places, captured, strict=True))
        self.captures.by_identity.update(
            {id(p.read()): v for p, v in zip(places, captured, strict=True)}
        )
        # Each by itself: the program may put something else where the caller had it.
        self.captures.pinned.extend(map(Ref, [*self.initial, *self.parts]))
        self.captures.cells = reachable(self.engine.heap, captured)

    # arguments

    def param(self, type: Any, hint: str = "") -> Value:
        value = Value(type, None, hint)
        self.params.append(value)
        return value

    def pin(self, content: Any, path: sig.Path, read_only: str = "") -> Ref:
        cell = self.engine.heap.new(content, None, read_only=read_only, pinned=path)
        self.paths[cell] = self.named[cell, ()] = path
        self.initial[cell] = content
        ref = self.objects[path] = Ref(cell)
        return ref

    def abstract(self, arg: sig.Arg, path: sig.Path) -> Any:
        match arg:
            case sig.ArgArray():
                return self.array(arg, path)
            case sig.ArgScalar(type):
                value = self.param(type, self.names.get(path[0], ""))
                self.scalars[value] = path
                return Scalar(value)
            case sig.ArgStatic(value):
                return Const(value)
            case sig.ArgTuple(cls, items):
                return Tuple(self.each(items, path), cls)
            case sig.ArgList(items):
                return self.pin(ListCell(self.each(items, path)), path)
            case sig.ArgNumbers(type):
                value = self.param(type, self.names.get(path[0], ""))
                self.numbers[value] = path
                data = self.engine.heap.new(Array(value), None)
                self.given[data] = Array(value)
                return self.pin(NumberList(Ref(data), python=True), path)
            case sig.ArgDict(keys, values):
                items = tuple([self.abstract(v, (*path, k)) for k, v in zip(keys, values)])
                return self.pin(DictCell(dict(zip(keys, items, strict=True))), path)
            case sig.ArgObject(cls, fields):
                named = {name: self.abstract(item, (*path, name)) for name, item in fields}
                return self.pin(ObjectCell(cls, named), path)
            case sig.ArgMethod(function, owner):
                bound = self.abstract(owner, (*path, "__self__"))
                return Compound("method", (Const(function), bound))
            case sig.ArgSame(first):
                return self.objects[first]
            case sig.ArgPytree(cls, treedef, items):
                return Compound("pytree", self.each(items, path), (cls, treedef))
        raise TypeError(f"not an argument: {arg!r}")

    def each(self, items: tuple[sig.Arg, ...], path: sig.Path) -> tuple[Any, ...]:
        return tuple([self.abstract(item, (*path, i)) for i, item in enumerate(items)])

    def array(self, arg: sig.ArgArray, path: sig.Path) -> Any:
        value = self.param(arg.type, self.names.get(path[0], ""))
        self.jax |= arg.kind == "jax"
        if arg.kind == "scalar" or (arg.kind == "jax" and not arg.type.shape):
            if arg.kind == "scalar":
                self.scalars[value] = path
            return Array(value)  # immutable, and so is what arithmetic makes of it
        self.waits |= arg.kind == "numpy"
        leaf = len(self.params) - 1
        if leaf in self.same:
            return self.cells[self.same[leaf]]
        if leaf in self.buffers:
            return self.part(leaf, Array(value), path)
        read_only = _JAX_READ_ONLY if arg.kind == "jax" else ""
        if leaf in self.request.memory.read_only:
            read_only = "assignment destination is read-only"
        if leaf in self.overlapping:
            read_only = "the memory of this array overlaps that of another argument"
        ref = self.cells[leaf] = self.pin(Array(value), path, read_only)
        self.leaves[ref.cell] = leaf
        self.engine.heap.infos[ref.cell].strides = dict(self.request.memory.strides).get(leaf)
        if arg.kind == "jax":
            self.engine.jax_cells.add(ref.cell)
        return ref

    def part(self, leaf: int, array: Array, path: sig.Path) -> Ref:
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

    def fill_buffers(self) -> None:
        """Put together, from the arguments, the memory that they share."""
        heap = self.engine.heap
        for cell, parts in self.parts.items():
            whole = heap.contents[cell]
            content = Array(splat(0, whole.dtype, whole.shape))
            for leaf, ref in parts:
                content = views.update(ref.view, content, Array(self.params[leaf]))
            heap.contents[cell] = self.initial[cell] = content

    # the program

    def run(self) -> Specialization:
        engine, request = self.engine, self.request
        entry = engine.block
        count = len(self.args) - len(request.names)
        kwargs = dict(zip(request.names, self.args[count:], strict=True))
        call = engine.rules.call
        self.fill_buffers()
        edges = visited(
            engine, lambda: call(engine, Const(request.function), self.args[:count], kwargs)
        )
        status, result, raised = ended(engine, edges, engine.raised)
        result = Const(None) if result is UNDEFINED else result
        builder = _Outputs(self)
        outcome = builder.outcome(result, raised, status)
        engine.block.terminator = Return(tuple(builder.results))
        name = getattr(request.function, "__name__", "program")
        blocks = reverse_postorder(entry)
        reached = set(blocks)
        for block in blocks:
            block.preds = [p for p in block.preds if p in reached]
            for phi in block.phis:
                phi.args = {p: v for p, v in phi.args.items() if p in reached}
        function = Function(_identifier(name), tuple(self.params), blocks, None)
        constants = self.captures.constants
        return Specialization(
            function, outcome, {}, self.places, constants, engine.unrollings, engine.copies
        )


def _parameter_names(request: Request, count: int) -> dict[int, str]:
    """The Python name of each argument, for the printer."""
    code = getattr(request.function, "__code__", None)
    positional = count - len(request.names)
    known = code.co_varnames[: code.co_argcount][:positional] if code else ()
    return dict(enumerate(known)) | dict(enumerate(request.names, positional))


def _unchanged(after: Array, before: Array) -> bool:
    """Whether an array went through loops and branches as it was."""
    seen: set[Value] = set()
    stack = [after.value]
    while stack:
        value = stack.pop()
        if value in seen or value is before.value:
            continue
        if not isinstance(value.owner, Phi):
            return False
        seen.add(value)
        stack.extend(value.owner.args.values())
    return True


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


def _identifier(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "program"


def is_foreign(value: Any) -> bool:
    """Whether a callable is JAX's, or a function that JAX transformed: run by JAX and merged as a
    foreign op."""
    file = getattr(getattr(value, "__code__", None), "co_filename", "")
    modules = getattr(value, "__module__", None) or "", type(value).__module__
    return file.startswith(_JAX) or any(m.split(".")[0] in ("jax", "jaxlib") for m in modules)


_JAX = os.path.dirname(jax.__file__) + os.sep


class _Outputs:
    """Flat results, and the trees over them."""

    def __init__(self, world: _World) -> None:
        self.world = world
        self.engine = world.engine
        self.results: list[Value] = []
        self.trees: dict[Any, out.Out] = {}
        self.kept: dict[int, NumberList] = {}
        self.numbered: dict[type, int] = {}
        self.shared: set[int] = set()

    def result(self, value: Value) -> int:
        self.results.append(value)
        return len(self.results) - 1

    def outcome(self, result: Any, raised: list[Raised], status: Any) -> out.Outcome:
        world = self.world
        # Containers of the caller's may get references, too.
        roots = [result, *[self.engine.heap.contents[cell] for cell in world.initial]]
        self.shared = returned.shared_cells(self.engine.heap, roots)
        tree = self.tree(result)
        writes, stores = [], []
        for cell, before in world.initial.items():
            if self.engine.heap.infos[cell].read_only:
                continue  # nobody wrote to it, even where its contents are told by a selection
            after = resolve(self.engine.heap, self.engine.heap.contents[cell])
            if isinstance(before, NumberList):
                same = self.same_numbers(before, after)
            else:
                same = after is before or (isinstance(after, Array) and _unchanged(after, before))
            if same:
                continue
            if isinstance(after, Conflict):
                raise CompileError(after.reason, notes=after.notes)
            if cell in world.parts:
                for leaf, ref in world.parts[cell]:
                    shown = views.apply(ref.view, after)
                    writes.append(out.Write(leaf, self.result(shown.value)))
            elif cell in world.leaves:
                writes.append(out.Write(world.leaves[cell], self.result(after.value)))
            else:
                stores.append(out.Store(world.paths[cell], self.container(after)))
        for _, box, _ in world.captures.boxes.values():
            self.check_box(box)
        code = None
        if status is not None:
            value = self.scalar_value(status)
            code = self.result(convert(value, dtype=I32.dtype, weak=False))
        sites = [self.site(path) for path in raised]
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
        )

    def pool(self, cls: type) -> int:
        """The number of the pool of a class among those that the caller sees."""
        return self.numbered.setdefault(cls, len(self.numbered))

    def pools(self) -> tuple[out.OutPool, ...]:
        """The pools that the caller sees; what is in one may be in others."""
        found: list[out.OutPool] = []
        while len(found) < len(self.numbered):
            cls = list(self.numbered)[len(found)]
            rows = self.container(self.engine.heap.contents[self.engine.pools[cls].cell])
            found.append(out.OutPool(cls, self.engine.lists.names[cls], rows))
        return tuple(found)

    def same_numbers(self, before: NumberList, after: Any) -> bool:
        """Whether a list holds the numbers that it was given with."""
        if not isinstance(after, NumberList) or after.data.view:
            return False
        array = resolve(self.engine.heap, self.engine.heap.contents[after.data.cell])
        given = self.world.given[before.data.cell]
        return isinstance(array, Array) and _unchanged(array, given)

    def scalar_value(self, x: Any) -> Value:
        if isinstance(x, Const):
            return self.engine.as_array(x.value).value
        return x.value

    def check_box(self, box: Ref) -> None:
        if box.cell in self.engine.written:
            raise CompileError(
                "assigning to a variable of the function around a compiled function is not "
                "supported",
                hint="return the new value, or compile the outer function",
            )

    def site(self, path: Raised) -> out.Site:
        x = path.exception
        return out.Site(x.meta, tuple([self.tree(a) for a in x.items]), path.loc)

    def tree(self, x: Any) -> out.Out:
        """What the caller sees of `x`."""
        if isinstance(x, (Conflict, MaybeUnbound)):
            x = self.engine.use(x)
        if isinstance(x, MaybeNone):
            return out.OutMaybe(self.result(x.some.value), self.tree(x.value))
        if isinstance(x, Const):
            return out.OutConst(x.value)
        if isinstance(x, (Scalar, Array)) and x.kinds is not None:
            return self.mixed(x.value, x.kinds)
        if isinstance(x, Scalar):
            return out.OutScalar(self.result(x.value))
        if isinstance(x, Array):
            return out.OutScalar(self.result(x.value), "numpy")
        if isinstance(x, Tuple):
            return out.OutTuple(x.cls, tuple([self.tree(i) for i in x.items]))
        if isinstance(x, Ref):
            return self.reference(x)
        if isinstance(x, Compound) and x.kind == "text":
            return self.text(x)
        if choices.is_choice(x):
            index = self.result(self.scalar_value(x.items[0]))
            return out.OutChoice(index, x.meta.values)
        if isinstance(x, Compound) and x.kind == "pytree":
            raise CompileError("a registered pytree cannot be returned", self.engine.loc)
        raise CompileError(
            f"a compiled function cannot return a {arrays.kind_of(self.engine, x)}",
            self.engine.loc,
            hint="return arrays, numbers, strings, None and containers of these",
        )

    def mixed(self, value: Value, kinds: Kinds) -> out.Out:
        """A number as each kind that it may be."""
        order = sorted(range(len(kinds.choices)), key=lambda i: width(kinds.choices[i]))
        outs: list[out.OutScalar | out.OutArray] = []
        for kind in [kinds.choices[i] for i in order]:
            python, dtype = kind in PYTHON_DTYPES, dtype_of(kind)
            held = value if value.type.dtype == dtype else convert(value, dtype=dtype, weak=python)
            made = out.OutScalar(self.result(held), "python" if python else "numpy")
            outs.append(out.OutArray(made.index) if is_zero_dim(kind) else made)
        places = [number(order.index(i)) for i in range(len(order))]
        return out.OutMixed(self.result(chosen(kinds.selector, places)), tuple(outs))

    def text(self, x: Compound) -> out.OutFormat:
        items = iter(x.items)
        parts = [p if isinstance(p, str) else (self.tree(next(items)), *p) for p in x.meta]
        return out.OutFormat(tuple(parts))

    def reference(self, x: Ref) -> out.Out:
        key = (x.cell, x.view)
        if key not in self.trees:
            if key in self.world.named:
                self.trees[key] = out.OutArgument(self.world.named[key])
            else:
                content = resolve(self.engine.heap, self.engine.heap.contents[x.cell])
                array = isinstance(content, Array)
                self.trees[key] = self.array(x) if array else self.container(content)
        return self.trees[key]

    def array(self, x: Ref) -> out.OutArray | out.OutView:
        """An array; a view, where the caller has what it is a view of."""
        steps = returned.numpy_steps(x.view)
        whole = self.engine.heap.contents[x.cell]
        known = isinstance(whole, Array) and whole.extents is None and not self.world.jax
        if x.view and known and steps is not None:
            if (x.cell, ()) in self.world.named or x.cell in self.shared:
                return out.OutView(self.reference(Ref(x.cell)), steps)
        array = arrays.read(self.engine, x)
        index = self.result(array.value)
        extents = [None if e is None else self.result(e.value) for e in array.extents or ()]
        return out.OutArray(index, tuple(extents))

    def container(self, content: Any) -> out.Out:
        match content:
            case ListCell(items):
                return out.OutList(tuple([self.tree(i) for i in items]))
            case NumberList(data, python):
                if self.kept.setdefault(data.cell, content) is not content:
                    raise CompileError(
                        "a list of lists that is indexed at run time is returned, and a row of it",
                        self.engine.loc,
                        hint="return a copy of the row, or use an array",
                    )
                array = number_lists.array_of(self.engine.heap, content)
                return out.OutNumbers(self.result(array.value), python)
            case Pooled(index=row, cls=cls):
                known = isinstance(row, int)
                return out.OutPooled(
                    self.pool(cls), row if known else self.result(row.value), not known
                )
            case RowList():
                return self.container(growing.row_content(self.engine.heap, content))
            case GrowingList(item=item, cls=cls):
                arrays_ = growing.columns_of(self.engine, content)
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
                return out.OutDict(tuple(items), tuple([self.tree(i) for i in items.values()]))
            case SetCell(items):
                return out.OutSet(frozenset(items))
            case ObjectCell(cls, fields):
                return out.OutObject(cls, tuple([(n, self.tree(v)) for n, v in fields.items()]))
            case BoxCell(value):
                return self.tree(value)
        raise CompileError(content.reason, self.engine.loc, notes=content.notes)
