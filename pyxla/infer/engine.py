"""Abstract interpretation of a program: untyped SSA in, typed SSA out.

The blocks of a function are visited in weak topological order (`walking`); what arrives at a block
is merged (`merge`), its instructions are given types and emitted (`transfer`), and what leaves it
is kept as edges.  A loop is visited until the state at its header is stable, or, where the
structure of its data forces it, once per iteration (`fixpoint`).  A call is visited as part of its
caller, with the caller's heap, so that integer facts, views and constants go through; a path that
raises ends in the status of the whole program.

Vocabulary: *frame* one activation of a function, *edge* a path into a block, *pass* one visit of a
loop under an assumption, *unroll* one visit per iteration, *peel* one iteration ahead of a loop.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from pyxla.abstract.facts.deciding import by_arguments
from pyxla.abstract.facts.magnitude import MOST_BITS, TOO_LARGE, bits
from pyxla.abstract.facts.refine import Atom, atoms, constant_of, known_number, refined
from pyxla.abstract.heap import (
    READ_ONLY,
    DictCell,
    GrowingList,
    Heap,
    Infos,
    ListCell,
    Pooled,
    ReadOnly,
    RowList,
    Shadow,
    Visit,
)
from pyxla.abstract.lattice import Array, Compound, Const, NeedsStatic, Ref, Scalar, Tuple
from pyxla.errors import CompileError, Location, Surprise, also, in_program, said
from pyxla.frozen import Itself
from pyxla.hints import misspelt
from pyxla.infer import using, walking
from pyxla.infer.calls import captures as outside
from pyxla.infer.calls.captures import Captures, NewCapture, is_constant
from pyxla.infer.calls.region import EngineBuilder
from pyxla.infer.containers.steps import is_fleeting
from pyxla.infer.demands import Demands, Findings, Needs, Site
from pyxla.infer.frame import Frame, NotKnown, Stopped, live_after
from pyxla.infer.joins import choices
from pyxla.infer.joins.closures import objects_in
from pyxla.infer.joins.conflicts import sort_of
from pyxla.infer.joins.edges import Edge
from pyxla.infer.lists import columnar, entries, pool_rows, pools, reading, rows
from pyxla.infer.lists.number_lists import ask_which
from pyxla.infer.loops.memory import LoopMemory
from pyxla.infer.raising import catching
from pyxla.infer.raising.faults import Faults, class_of
from pyxla.infer.raising.postponed import Postponed
from pyxla.infer.raising.refusals import REFUSALS, kind_of, origins
from pyxla.ir.core import Block, Value
from pyxla.lib.foreign import Host
from pyxla.lib.meetings import Meeting, meetings
from pyxla.lib.operands import as_array
from pyxla.options import DEFAULTS
from pyxla.views.shadows import redirected, resolve

# Modules of the library that compute with the numbers of whoever calls them, as CPython does.
_OF_USERS = frozenset(
    f"pyxla.lib.{name}"
    for name in ("averages", "bytearrays", "containers", "interpreted", "sequences")
)

# What looks at an iterator, and does not read it.
_LOOKING = (isinstance, issubclass, type, id, repr, str, hasattr, getattr, callable, bool, hash)


class Engine:
    """The state of one inference: the insertion point, the heap there, and what was found."""

    def __init__(self, rules: ModuleType, captures: Captures, options: Any) -> None:
        self.rules = rules
        self.transfer = rules.transfer
        self.captures, self.options = captures, options
        self.checks = options is not None and options.checks
        self.faults = Faults()
        self.postponed = Postponed()
        self.jax: Host = None  # type: ignore[assignment]  # set by who starts inference
        self.scope: Any = None  # the axes and the mesh that JAX has in scope around the program
        self.guards: tuple[type, ...] = ()  # what the `try` statements around take
        self.block = self.entry = Block("entry")
        self.heap = Heap(Infos())
        self.jax_cells = self.heap.infos.jax_cells = set[int]()
        self.demands = Demands()
        self.findings = Findings()
        self.answer: Callable[[Exception], Exception] = lambda request: request
        self.pools: dict[type, Ref] = {}
        self.pool_fields: dict[type, tuple[str, ...]] = {}  # of the instances in them
        self.sites: dict[Site, type] = {}  # of the lists in them (`infer.lists.sites`)
        self.shared: Callable[..., Any] | None = None  # visits instructions that make such lists
        self.loops: list[Block] = []  # headers of the loops that are being visited
        self.visits: list[Visit] = []  # which visits of them these are
        self.repeating = 0  # in how many loops, those visited iteration by iteration too
        self.list_capacity = DEFAULTS.list_capacity
        self.row_capacity = DEFAULTS.capacity_of_rows
        self.pool_capacity = DEFAULTS.capacity_of_pools
        self.generators: dict[type, Any] = {}  # one of each function whose generators are pooled
        self.closures: dict[type, Any] = {}  # the same of functions
        self.kept: dict[Any, Any] = {}  # results of cached functions
        self.results: dict[Any, Ref] = {}  # the same, in dicts of the program
        self.summaries: dict[Any, Any] = {}  # of visited calls
        self.spelled: dict[Any, Any] = {}  # the characters of floats, and where they were found
        self.frozen: dict[int, str] = {}
        self.iterators: list[Any] = []  # those that CPython made while compiling
        self.grids: dict[Any, Ref] = {}
        self.builder: EngineBuilder = EngineBuilder(self)
        self.frames: list[Frame] = []
        self.met: list[Meeting] = []  # of the library function called last
        self.raised: list[Any] = []  # `catching.Raised`, `coroutines.Leaving`
        self.written: list[int] = []
        self.orders: int = 2  # how often what is visited may be differentiated, JAX included
        self.copies = False  # whether copies of arguments are written
        self.laid = False  # whether how arguments lie in memory matters, by itself
        self.reshaped = False  # whether it does where arrays are written,
        self.writes_arrays = False  # and whether they are
        self.strides: Any = None  # MIXED where the last operands were not all in C order
        self.mixed: Any = None  # the kinds of a number that the last operands had, if of several
        self.activations: Counter[Any] = Counter()  # of functions that call themselves, undecided
        self.visited = 0  # instructions
        self.may_go_on: Callable[[int, int], bool] = lambda visited, made: True
        self.iterations = 1  # of the loops around that are visited one by one, multiplied
        self.unrollings: dict[Location | None, int] = {}
        self.loop_memory: defaultdict[Block, LoopMemory] = defaultdict(LoopMemory)
        self.headers: dict[Block, Block] = {}  # of loops, in typed code: what they were in untyped
        self.driving: dict[int, Any] = {}  # the loops over them

    @property
    def loc(self) -> Location | None:
        return self.builder.loc

    def enter(self, edge: Edge) -> None:
        """Go on at `edge`."""
        self.block = edge.block
        self.builder.instrs = edge.block.instrs
        self.heap = edge.heap

    def chain(self) -> list[Location]:
        """The call sites of the frames, outermost first."""
        return [frame.call for frame in self.frames[1:] if frame.call is not None]

    def refuse(
        self,
        message: str,
        hint: str = "",
        kind: type[CompileError] = CompileError,
        raises: type[Exception] | None = None,
        among: Iterable[Any] = (),
        **details: Any,
    ) -> CompileError:
        """The error for the current line; `raises` is what CPython raises there, where it does.
        among: what refers to instances that would have to be in pools."""
        pools.want(self, among)
        if raises is not None:
            kind = also(raises)  # type: ignore[arg-type]  # classes can be hashed
        return kind(message, self.loc, hint=hint, chain=self.chain(), raises=raises, **details)

    def held(self) -> Iterator[Any]:
        """Abstract values that the callers of the current frame still need, and its boxes."""
        return self.in_use(own=False)

    # abstract values

    use = using.use
    operand = outside.operand
    abstract = outside.abstract
    python_object = outside.python_object

    def bounded_operand(self, x: Any) -> Any:
        return self.operand(x, bounded=True)

    def wrapper(self, callee: Any) -> Callable[..., Any]:
        return self.rules.wrapper(self, callee)

    def iterate(self, x: Any) -> list[Any]:
        """The items of an iterable whose length is known."""
        return self.rules.iterate(self, x)

    def library(self, name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Run a library function; what it raises is refused at the current line."""
        try:
            with meetings() as met:
                result = function(*args, **kwargs)
            self.met = met
            return result
        except (CompileError, NeedsStatic, Stopped, NewCapture, NotKnown):
            raise
        except REFUSALS as error:
            message = said(error).removeprefix(f"{name}: ")
            values = [a.value for a in args if isinstance(a, (Array, Scalar))]
            types = [str(value.type) for value in values]
            notes = origins(values, self.loc)
            raise self.refuse(
                f"{name}: {message}",
                misspelt(
                    message, partial(function, self) if self is next(iter(args), 0) else function
                ),
                types=types,
                notes=notes,
                **kind_of(error),
            ) from error
        except NotImplementedError as error:
            raise self.refuse(f"{name}: {error or 'not supported with these arguments'}") from error

    def static(
        self, x: Any, what: str = "a value", remedy: str = "", items: Iterable[Any] = ()
    ) -> Any:
        """The Python value of `x`, of which `items` it says; NeedsStatic where it is only known at
        run time."""
        try:
            return self._static(x, what)
        except NeedsStatic as need:
            need.remedy = remedy
            held = [x for item in items for x in objects_in(item)]
            need.among = [self.heap.contents.get(x.cell) if type(x) is Ref else x for x in held]
            raise

    def _static(self, x: Any, what: str) -> Any:
        if isinstance(x, Scalar):
            known = constant_of(x)
            return known_number(x, what) if known is x else known.value
        try:
            return self.python_object(x)
        except LookupError:
            if choices.is_choice(x):
                return self.use(x.conflict)
            unknown = outside.dynamic_part(self, x)
            if unknown is x:
                return known_number(x, what)
            if unknown is not None:
                raise NeedsStatic(unknown, what) from None
            raise self.refuse(f"{what} must be known while compiling") from None

    def index(self, key: Any, what: str, items: Sequence[Any] = ()) -> Any:
        """A static int or slice, of which `items` it may be."""
        if isinstance(key, Compound) and key.kind == "slice":
            return slice(*[self.static(part, what) for part in key.items])
        return self.static(key, what, items=items)

    def functions(self) -> list[Any]:
        """The Python functions that are being visited, where they are known, the last one last."""
        return [frame.function for frame in self.frames]

    def key(self, x: Any, what: str = "a key", items: Iterable[Any] = ()) -> Any:
        """A dict key or set item, which says which of `items`."""
        if isinstance(x, Ref) and isinstance(self.heap.contents.get(x.cell), Array):
            message = "unhashable type: 'numpy.ndarray'"
            raise self.refuse(message, raises=TypeError, words=message)
        # Where a loop is unrolled, what a key is computed from may be known.
        remedy = "" if items and using.decided_by_data(self, x) else "unrolled"
        value = self.static(x, what, remedy, items)
        try:
            hash(value)
        except TypeError:
            message = f"unhashable type: {type(value).__name__!r}"
            raise self.refuse(message, raises=TypeError, words=message) from None
        return value

    def fold_object(self, function: Callable[..., Any], args: Any, kwargs: Any = None) -> Any:
        """Let CPython compute `function(*args)`; an exception becomes the program's own."""
        if function is pow and len(args) == 2 and bits("pow", *args) > MOST_BITS:
            raise self.refuse(*TOO_LARGE)
        if is_fleeting(function, args):
            self.captures.fleeting()
        for x in args if function not in _LOOKING else ():
            self.check_made_here(x)
        try:
            result = function(*args, **(kwargs or {}))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the program raises
            return self.raise_constant(error)
        if hasattr(type(result), "__next__"):
            self.iterators.append(result)
        if isinstance(result, np.ndarray) and type(result) is not np.ndarray:
            raise self.refuse(
                f"a {type(result).__name__} is made, whose arithmetic is not an ndarray's",
                "use plain arrays, and a mask with np.where",
            )
        if type(result) is tuple and not is_constant(result):
            made = {id(item): self.abstract(item) for item in result}  # `diag_indices`: one twice
            return Tuple(tuple([made[id(item)] for item in result]))
        if isinstance(result, (np.ndarray, list, dict, tuple)) and not is_constant(result):
            return self.abstract(result)
        return self.captures.abstract(self, result)

    def check_made_here(self, x: Any) -> None:
        """Refuse to read an iterator that was made outside: it is where the caller left it, who
        goes on with what is left."""
        if hasattr(type(x), "__next__") and not any(x is made for made in self.iterators):
            raise self.refuse(
                f"this {type(x).__name__} was made outside of the program, where others read it",
                "pass a list of its items, or make it inside",
            )

    def raise_constant(self, error: BaseException) -> Any:
        """The program raises `error` here."""
        args = tuple([Const(a) for a in error.args])
        return self.raise_(Compound("exception", args, type(error)))

    # the heap

    def new(self, content: Any) -> Ref:
        if self.pools:
            entries.before(self, content)
        return Ref(self.heap.new(content, self.loc))

    def new_list(self, items: list[Any]) -> Ref:
        return self.new(ListCell(tuple(items)))

    def new_dict(self, items: dict[Any, Any]) -> Ref:
        return self.new(DictCell(items))

    def as_array(self, x: Any) -> Array:
        return as_array(x if not isinstance(x, (Ref, Tuple, Const)) else self.operand(x))

    def wide(self) -> bool:
        """Whether the user has switched JAX's 64-bit types on; that it changes is noticed."""
        place = self.jax.wide
        self.captures.constants[place] = place.read()
        return self.captures.constants[place]

    def is_jax(self, x: Ref) -> bool:
        return x.cell in self.jax_cells

    def content(self, ref: Ref) -> Any:
        """What a cell holds, refused where paths disagree on it; a list by its items."""
        content = self.heap.contents[ref.cell]
        if type(content) is Array:
            return content
        content = self.use(resolve(self.heap, content))
        if type(content) is Pooled:
            return pool_rows.shown(self, content)
        if type(content) in (GrowingList, RowList):
            return reading.unpacked(self, ref)
        return content

    def check_writable(self, ref: Ref) -> None:
        """Refuse a write to `ref`'s cell where it may not or cannot be written."""
        info = self.heap.infos[ref.cell]
        if ref.cell in self.heap.kept:
            raise self.refuse(rows.KEPT, "append, or yield, a copy: x.copy()")
        whole = columnar.whole(self.heap, ref).cell
        ask_which(self, ref)
        if whole in self.frozen:
            raise self.refuse(self.frozen[whole], "write to a copy of it")
        if info.read_only and not (info.home and rows.is_writable(self, ref.cell)):
            raises = ValueError if info.read_only == READ_ONLY else None
            hint = "copy the array before writing to it"
            raise self.refuse(info.read_only, hint, ReadOnly, raises)
        self.check_distinct(ref)

    def check_distinct(self, ref: Ref) -> None:
        """Refuse what needs to know which object it is that `ref` refers to, where paths differ."""
        if ref.cell not in self.heap.entangled:
            return
        reason, places = self.heap.entangled[ref.cell]
        content, info = self.heap.contents[ref.cell], self.heap.infos[ref.cell]
        inexact = [place for place in places if place not in self.demands.exact]
        if inexact and isinstance(content, (Array, Shadow)):
            alike = self.heap.entangled.values()
            raise Needs(exact=frozenset([p for _, also in alike for p in also]))
        if info.sites:
            self.findings.ask(info.sites)
        loc, what, remedy = info.loc, sort_of(content), entries.remedy(self, [content])
        if remedy == "shared":  # what it is a field of may be what is one of several
            self.findings.lists, remedy = True, ""
        raise self.refuse(
            reason.format(what=what),
            f"copy the {what} where it is bound (`b = a.copy()`), or write to it before",
            notes=(("the object was made here", loc),) if loc else (),
            remedy=remedy,
        )

    def set_content(self, cell: int, content: Any) -> None:
        """Replace what a cell holds."""
        contents: dict[int, Any] = self.heap.contents
        if self.pools:
            entries.before(self, content, cell)
        if isinstance(contents[cell], (Pooled, RowList)):
            pool_rows.replace(self, Ref(cell), content)
            return
        self.check_writable(Ref(cell))
        self.written.append(cell)
        self.writes_arrays |= isinstance(content, Array)
        if isinstance(contents[cell], Shadow):
            for target, value in redirected(self.heap, contents[cell], content):
                self.set_content(target, value)
        else:
            contents[cell] = content
            rows.write_back(self, cell)

    def ask_layout(self, now: bool) -> None:
        """Note that it matters how arguments lie in memory, or does if arrays are written."""
        self.laid |= now
        self.reshaped = True

    def module_of(self, frame: Frame) -> Itself:
        return Itself(frame.module)

    def in_use(self, own: bool = True) -> Iterator[Any]:
        """Abstract values that frames, the current one if `own`, still need after the instruction
        they are at; and the boxes of all."""
        for frame in self.frames:
            yield from frame.boxes.values()
            if frame.position is not None and (own or frame is not self.frames[-1]):
                yield from live_after(frame)

    visit = walking.visit

    # what may go wrong

    def tests(self, kind: type[BaseException]) -> bool:
        """Whether the program notices an implicit exception of this kind."""
        return self.checks or self.catches(kind)

    @contextlib.contextmanager
    def unchecked(self) -> Iterator[None]:
        """Do what the compiler knows to be in order."""
        saved = self.checks, self.guards
        self.checks, self.guards = False, ()
        try:
            yield
        finally:
            self.checks, self.guards = saved

    def wants_exact_ints(self) -> bool:
        """Whether ints that leave 64 bits are noticed: those of the user's code, and of what
        computes with the user's numbers; pyxla's other Python means them to wrap."""
        name = self.frames[-1].module.get("__name__", "") if self.frames else ""
        return self.checks and (not name.startswith("pyxla.lib") or name in _OF_USERS)

    def catches(self, kind: type[BaseException]) -> bool:
        """Whether a `try` around takes exceptions of this kind."""
        return bool(self.guards) and issubclass(kind, self.guards)

    def heads(self) -> set[Block]:
        """The headers of the loops around this point."""
        return {head for frame in self.frames for head in frame.heads.values()}

    def demand(self, tests: tuple[Value, ...], otherwise: CompileError) -> NeedsStatic | None:
        """Ask for the value of a condition that number arguments decide, rather than refuse."""
        for test in tests:
            if by_arguments(test, self.heads()):
                need = NeedsStatic(Scalar(test), "which way a branch goes")
                need.otherwise = otherwise
                return need
        return None

    def ensure(self, condition: Any, error: Any, catchable: bool = True, also: Any = ()) -> None:
        """The program raises `error` here unless `condition`, a bool.

        error: an exception, an abstract one, or one that is made on the path that raises.
        catchable: whether it is CPython's, so that programs may catch it.  also: the classes of
        what else may be out of order then, of which only coarse tests are made.
        """
        if isinstance(condition, Const):
            return None if condition.value else self.raise_constant(error)
        kind = class_of(error)
        site = in_program(self.loc, self.chain())[0], kind
        if self.faults.in_place(site) or (catchable and self.catches(kind)):
            catching.raise_unless(self, condition, error, catchable)
        else:
            self.faults.note(site, condition.value, also)
            if issubclass(kind, Surprise):
                self.faults.expect(site, error)
        if self.frames and (learned := atoms(condition, True)):
            self.learn(learned)

    def assume(self, fine: Value) -> bool:
        """Whether an int that meets others may be assumed to be as large as these where `fine`: a
        fault is noted else, and the second run assumes nothing."""
        if self.wants_exact_ints():
            site = in_program(self.loc, self.chain())[0], OverflowError
            if self.faults.in_place(site):
                return False
            self.faults.note(site, fine)
        return True

    def learn(self, learned: tuple[Atom, ...]) -> None:
        """Go on with what `learned` says of the names of the current frame."""
        frame = self.frames[-1]
        known = refined(frame.env, learned, frame.assumed)
        if known is not None:
            frame.env.update(known)

    def raise_(self, exception: Any) -> None:
        """End the current path with `exception`."""
        catching.throw(self, exception)
        raise Stopped
