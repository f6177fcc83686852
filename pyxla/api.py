"""`pyxla.compile`: arguments -> signature -> specialization -> call.

A compiled function keeps one specialization for each signature it was called with: the types of its
arguments, the values of those that are static, and what it captured.  What inference demanded once
(static arguments, outside arrays) is remembered and part of every later signature.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, overload

from pyxla import journal, late, pickling, progress, reasons, store, types
from pyxla.entry import Entry
from pyxla.errors import (
    MOST_ITEMS,
    BadArgument,
    CompileError,
    InternalError,
    LargeArgument,
    ListOverflow,
    PowerType,
    UnlikeDicts,
    ValueNeeded,
    option_of,
    outward,
    shorten,
    warn,
)
from pyxla.frontend import dispatchers
from pyxla.options import Options, make_options
from pyxla.runtime import (
    artifact,
    descriptions,
    placement,
    processes,
    sharing,
    signature,
    usage,
)
from pyxla.runtime.bounds import NotParts
from pyxla.runtime.cache import Cache
from pyxla.runtime.executable import Traced
from pyxla.runtime.numbers import WORD
from pyxla.runtime.outcome import CountsNeeded, Faulty
from pyxla.runtime.request import MAX_RESTARTS, WARNED, Needed, Request, Restart, Work
from pyxla.typed import Function

if TYPE_CHECKING:
    from pyxla.pipeline import Compilation
    from pyxla.reporting.api import Report
    from pyxla.specialize import Specialization

compiler = late.module("pyxla.compiler")
reporting = late.module("pyxla.reporting.api")
P = ParamSpec("P")
R = TypeVar("R")
ANY_SIZE = 'compile(sizes="bucket") makes one program for many sizes of arrays'


class Compiled:
    """A function compiled on first call for each signature; see `compile`."""

    __qualname__: str

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        functools.update_wrapper(self, function)
        self.__pyxla_function__ = function
        self.options = options
        self._demands = Needed()
        self._begun: Any = None  # what the last program took, with which the next one begins
        self._static_paths: frozenset[signature.Path] = frozenset()
        self._places = self._demands.places
        self._cache = Cache()
        self._sizes: dict[int, set[tuple[int, ...]]] = {}
        self._sized: list[Any] = []
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<pyxla.compile {self.__qualname__}>"

    def __reduce__(self) -> Any:
        """Pickled by name, as functions are, or by what cloudpickle makes of the function."""
        return pickling.reduced(self, self.__pyxla_function__, compile_with, self.options)

    @functools.cached_property
    def __pyxla_twin__(self) -> Any:
        return pickling.twin(self, cast(Any, self.__pyxla_function__))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        names: tuple[str, ...] = ()
        if kwargs:
            names = tuple(kwargs)
            args = (*args, *kwargs.values())
        if self._places:
            args = (*args, *[place.read() for place in self._places])
        leaves = line = fresh = None
        try:
            try:
                if (recent := self._cache.recent) is not None:
                    known, recognize, run, kept = recent
                    if known == names and (leaves := recognize(args)) is not None:
                        kept.used = kept.tick()
                        entry = kept.value
                        if run is not None:
                            return run(leaves, args)
                if leaves is None:
                    leaves, entry = self._find(args, names)
                    if entry is None and self._sized and not names:
                        given = args[: len(args) - len(self._places)]
                        for sized in self._sized:
                            with contextlib.suppress(NotParts):
                                return sized.of(given)
                    if entry is None or not entry.valid():
                        args, leaves, entry = self._specialize(args, names)
                        line = progress.begin(entry.record)
                if entry.memory:
                    entry = self._for_memory(entry, args, names, leaves)
                fresh = entry
                return entry.executable(leaves, args)
            except Faulty as raised:
                # What runs again is outside of the clause: it is no exception's context.
                fault = raised.with_traceback(None)
            except Traced:
                fault = None
            if fault is None:
                return self._unchecked(entry, args, names, leaves)
            return self._replay(entry, fault, args, names, leaves)
        except (ListOverflow, PowerType, UnlikeDicts) as surprise:
            known = getattr(self.options, option_of(type(surprise))) is True  # of one that it calls
            if known or entry.executable.program.has_effects:  # what it printed would be again
                raise
            if not isinstance(surprise, ListOverflow):
                return self._expecting(surprise, args, names)
            self._make_room(surprise, entry)
        except (Restart, LargeArgument, CountsNeeded) as asked:  # what arguments need besides
            with self._lock:
                self._learn(self._demands.restart(asked, args))
        except BaseException as error:  # SystemExit, too
            if isinstance(error, BadArgument):
                count = len(args) - len(self._places)
                signature.name_argument(error, self.__pyxla_function__, count, names)
            if not self.options.verify:
                shorten(error)
            raise
        finally:
            if line is not None:
                line.end()
            if fresh is not None and fresh.slot is not None:
                fresh.keep(leaves)
        given = args[: len(args) - len(self._places) - len(names)]
        return self(*given, **kwargs)

    def _replay(
        self, entry: Entry, fault: Faulty, args: tuple[Any, ...], names: Any, leaves: list[Any]
    ) -> Any:
        """Run once more, with the checks that failed in place, until no other has failed."""
        if entry.executable.outcome.donated:
            raise fault.error()
        replayed: frozenset[Any] = frozenset()
        while True:
            if fault.order is not None and (overflow := fault.overflow()) is not None:
                made = int(fault.resumed(leaves)[fault.order])
                args, leaves, entry = self._roomier(overflow, entry, made, args, names)
                found, replayed = entry, frozenset()
            elif (surprise := fault.surprise()) is not None:
                raise surprise
            else:
                replayed |= {(site.loc, site.cls) for site in fault.sites}
                found = self._checked(entry, fault, replayed, args, names)
                leaves = fault.resumed(leaves)
            try:
                result = found.executable(leaves, args)
            except Faulty as further:
                fault = further.with_traceback(None)
            else:
                if not self.options.from_end and IndexError in {kind for _, kind in replayed}:
                    self._begin_anew(entry, from_end=True)  # it was none
                return result
            finally:
                found.keep(leaves)

    def _checked(
        self, entry: Entry, fault: Faulty, replayed: frozenset[Any], args: Any, names: Any
    ) -> Entry:
        """The program with these checks in place."""
        try:
            request = replace(entry.request, replayed=replayed)
            return self._variant(entry, request, args, names, replayed)
        except CompileError as refusal:
            refusal.notes = (*refusal.notes, *[(fault.words(), s.loc) for s in fault.sites[:1]])
            raise

    def _roomier(
        self, overflow: ListOverflow, entry: Entry, order: int, args: Any, names: Any
    ) -> tuple[tuple[Any, ...], list[Any], Entry]:
        """The program for longer lists, and leaves for a run without the calls of Python that were
        made before: `order`, a number below 0, counts them."""
        self._make_room(overflow, entry)
        args, leaves, entry = self._specialize(args, names)
        if entry.memory:
            entry = self._for_memory(entry, args, names, leaves)
        return args, entry.executable.outcome.resumed(leaves, order), entry

    def _unchecked(self, entry: Entry, args: tuple[Any, ...], names: Any, leaves: list[Any]) -> Any:
        """Run under a trace, which cannot be told of what is out of order."""
        request = replace(entry.request, options=replace(entry.request.options, checks=False))
        return self._variant(entry, request, args, names, None).executable(leaves, args)

    def _variant(
        self, entry: Entry, request: Request, args: tuple[Any, ...], names: Any, replayed: Any
    ) -> Entry:
        """Another program for the arguments that an entry is for."""
        key, _ = signature.flatten(args, entry.static)
        key = (names, key, request.memory, "variant", replayed)
        with self._lock:
            found = self._cache.get(key)
            if found is None or not found.valid():
                with journal.writing(record := self._record()):
                    count = len(args) - len(self._places)
                    asked = replace(request, args=(), demands=None)
                    found, slot = self._kept(asked, args[:count], record)
                    found = found or self._compile(request, record, slot, entry.found.static)
                self._keep(key, found)
        return found

    def _find(self, args: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, Any]:
        """The leaves and the specialization that there is for arguments, by their key."""
        static = self._static_paths
        key, leaves = signature.flatten(args, static)
        entry = self._cache.get((names, key))
        if entry is not None and (recognize := entry.recognize(args, static)) is not None:
            run = None if entry.shares else entry.executable.caller
            self._cache.remember((names, key), names, recognize, run)
        return leaves, entry

    def _make_room(self, overflow: ListOverflow, entry: Entry) -> None:
        """Compile for longer lists, or longer rows, from now on; nothing was written yet."""
        name, capacity = overflow.room(self.options)
        if capacity > MOST_ITEMS:
            raise overflow
        self._begin_anew(entry, **{"row_capacity": self.options.capacity_of_rows, name: capacity})

    def _begin_anew(self, entry: Entry, **options: Any) -> None:
        with self._lock:
            self.options, self._begun = replace(self.options, **options), entry.request.demands
            self._cache.clear()

    def _expecting(self, surprise: Any, args: tuple[Any, ...], names: tuple[str, ...]) -> Any:
        """Compile for such data, from now on where that can be done, and call it."""
        split = len(args) - len(self._places) - len(names)
        option: dict[str, Any] = {option_of(type(surprise)): True}
        with self._lock:
            before = self.options, self._cache
            self.options, self._cache = replace(self.options, **option), Cache()
            try:
                return self(*args[:split], **dict(zip(names, args[split:])))
            except CompileError:
                self.options, self._cache = before
                raise

    @outward
    def lower(self, *given: Any, **named: Any) -> Compilation:
        """Every stage for arguments of these types, nothing of it run: `.text("stablehlo")`."""
        args = (*given, *named.values())
        with self._lock:
            try:
                return compiler.specialize(
                    self.__pyxla_function__, args, tuple(named), self.options, self._demands
                )
            finally:
                self._static_paths = frozenset(self._demands.static)

    @outward
    def specialize(self, *given: Any, **named: Any) -> None:
        """Compile for arguments of these types ahead of time; nothing is run."""
        names = tuple(named)
        found = types.parts(given)
        if found is not None:
            self._sized.insert(0, compiler.sized(self, *found, named))
            del self._sized[self.options.cache_size :]
            return
        for args in types.alternatives((*given, *named.values())):
            split = len(args) - len(names)
            with self._lock:
                keywords = dict(zip(names, args[split:], strict=True))
                with journal.writing(record := self._record()):
                    made = self.lower(*args[:split], **keywords)
                    key = names, signature.keyed(made.request.args)
                    there = self._cache.get(key)
                    if there is None or not there.valid():
                        self._keep(key, self._compiled(made, record))

    @outward
    def memory(self, *given: Any, **named: Any) -> usage.Usage:
        """The bytes that a call with arguments of these types takes on the device: arguments,
        results, temporaries and the peak, as XLA says; nothing is run.  Arrays that lie over
        several devices, and types with a sharding (`jax.ShapeDtypeStruct`), count with what each
        device holds.

        >>> import pyxla
        >>> pyxla.compile(lambda x: x + 1).memory(pyxla.f64[1000]).results
        8000
        """
        made = self.lower(*given, **named)
        return usage.usage(made.at("regions"), made.outcome, made.where)

    @outward
    def report(self, *given: Any, **named: Any) -> Report:
        """`pyxla.report` of it: a page about what becomes of it for these types or values."""
        return reporting.report(self, *given, **named)

    @property
    def specializations(self) -> tuple[Entry, ...]:
        """What it is compiled for so far."""
        own = [entry for _, entry in self._cache.items()]
        return (*own, *[entry for run in self._sized for entry in run.specializations])

    def _specialize(
        self, args: tuple[Any, ...], names: tuple[str, ...]
    ) -> tuple[tuple[Any, ...], list[Any], Entry]:
        request, slot, work = None, None, Work()
        data: dict[signature.Path, Any] = {}
        with self._lock, journal.writing(record := self._record()):
            count = len(args) - len(self._places)
            self._many_are_data()
            begun = first = None if self._demands.data else self._begun
            self._begun = None
            self._demands.may_lift.clear()  # of what was asked for before this call
            for _ in range(MAX_RESTARTS):
                args = (*args[:count], *[place.read() for place in self._places])
                key, leaves = signature.flatten(args, self._static_paths)
                entry = self._cache.get((names, key))
                if entry is not None and entry.valid():
                    return args, leaves, entry
                if request is None or request.unknown != self._demands.data.keys():
                    request = Request(self.__pyxla_function__, (), names, options=self.options)
                    request.unknown, request.work = frozenset(self._demands.data), work
                    entry, slot = self._kept(request, args[:count], record)
                    if entry is not None:
                        args = (*args[:count], *[place.read() for place in self._places])
                        key, leaves = signature.flatten(args, self._static_paths)
                        self._keep((names, key), entry)
                        self._count(entry.request.args, entry.names)
                        return args, leaves, entry
                described: tuple[descriptions.Arg, ...] = ()
                line = progress.begin(record)
                try:
                    described = self._demands.described(args)
                    asked = replace(request, args=described, demands=begun)
                    asked.hopes, asked.tentative = bool(self._demands.may_lift), first is not None
                    entry = self._compile(asked, record, slot)
                except (Restart, CompileError) as asked:
                    if first is not None and self._may_begin_anew(asked):
                        begun = first = None  # it is of other arguments, and may be why
                        work.done()
                        continue
                    refusal = self._demands.refusal(asked, described)
                    if refusal is None:
                        begun = asked.demands or first
                    elif refused := self._demands.not_lifted():
                        begun = compiler.left_out(refused)
                    elif described and self._demands.data:
                        data = dict(self._demands.data)
                        self._demands.learn(Restart(data, []), described)
                        work.done()
                    else:
                        self._demands.data_again(data)  # which it was not for
                        raise refusal from refusal.__cause__
                    self._learned(asked)
                    continue
                finally:
                    if line is not None:
                        line.end()
                self._keep((names, key), entry)
                self._count(described, entry.names)
                return args, leaves, entry
        raise self._demands.restless(self.__pyxla_function__)

    def _may_begin_anew(self, asked: Restart | CompileError) -> bool:
        """Whether a program is refused that may not be where it begins with nothing."""
        shown = isinstance(asked, InternalError) and self.options.verify
        return not shown and not isinstance(asked, Restart)

    def _learn(self, restart: Restart) -> None:
        self._demands.learn(restart)
        self._learned(restart)

    def _learned(self, asked: Restart | CompileError) -> None:
        """Arguments are described anew."""
        restart = asked if isinstance(asked, Restart) else Restart({}, [])
        for place in restart.places:
            if place.name is not None:
                journal.note("captured", f"{place.spelled} is passed as a further argument")
        self._static_paths = frozenset(self._demands.static)
        self._cache.recent = None
        if any(WORD in path for path in restart.static):
            self._cache.clear()  # what recognizes ints takes these, too

    def _argument_names(self, made: store.Found) -> list[str]:
        """What the arguments of a specialization are called, captured objects too."""
        names, count = made.request.names, len(made.request.args) - len(made.places)
        function = self.__pyxla_function__
        own = [signature.parameter_name(function, i, count, names) for i in range(count)]
        return own + [place.spelled for place in made.places]

    def _many_are_data(self) -> None:
        """Let numbers that had many values be data from now on."""
        for path, loc in self._demands.many():
            journal.note("static", f"argument {path[0]} had many values: it is data", loc)
        self._static_paths = frozenset(self._demands.static)

    def _count(self, described: tuple[descriptions.Arg, ...], names: Sequence[str]) -> None:
        """Note the values that the function was compiled for; warn, once per argument, where it is
        compiled for value after value."""
        for path, loc in self._demands.count(described):
            words = f"was compiled for {WARNED} values of {names[path[0]]}, whose value is needed"
            warnings.warn(f"{self.__qualname__} {words} at {loc}", stacklevel=4)
        self._count_sizes(described, names)

    def _count_sizes(self, described: tuple[descriptions.Arg, ...], names: Sequence[str]) -> None:
        """Warn, once per argument, where a function of the user's is compiled for size after
        size."""
        if self.options.sizes or (self.__module__ or "").startswith("pyxla."):
            return
        for index, arg in enumerate(described):
            known, size = self._sizes.setdefault(index, set()), descriptions.size(arg)
            if size in known or len(known) > WARNED:
                continue
            known.add(size)
            if len(known) > WARNED:
                words = f"was compiled for {WARNED} sizes of {names[index]}: {ANY_SIZE}"
                warnings.warn(f"{self.__qualname__} {words}", stacklevel=5)

    def _keep(self, key: Any, entry: Entry) -> None:
        self._cache.put(key, entry)
        self._cache.trim(self.options.cache_size)

    def _compile(
        self,
        request: Request,
        record: journal.Record,
        slot: store.Slot | None = None,
        static: Mapping[signature.Path, Any] | None = None,
    ) -> Entry:
        processes.compiles()
        static = self._demands.static if static is None else static
        made = compiler.Compilation(request, tuple(self._places), static)
        taken = made.at("typed").demands
        self._begun = taken.lasting()
        if request.unknown:
            if taken.rooms or taken.stacks:  # such programs run slower than they compile
                raise Restart(dict(self._demands.data), [])
        return self._compiled(made, record, slot)

    def _kept(
        self, request: Request, given: Sequence[Any], record: journal.Record
    ) -> tuple[Entry | None, store.Slot | None]:
        """The specialization that was kept on disk, if there is one, and where it belongs."""
        slot = store.slot_of(request, given)
        if slot is None:
            return None, None
        processes.compiles()
        with journal.stage("cache"):
            found = slot.find(given, self._places, self._demands.static)
        if found is None:
            return None, slot
        warn(found.left_out)
        self._places.extend(found.places[len(self._places) :])
        self._demands.found(found.static)
        self._static_paths = frozenset(self._demands.static)
        self._cache.recent = None
        journal.note("cache", "it was compiled by another process")
        return self._entry(found, record, None if found.run else slot), None

    def _record(self) -> journal.Record:
        return journal.Record(getattr(self, "__qualname__", type(self.__pyxla_function__).__name__))

    def _compiled(
        self, made: Compilation, record: journal.Record, slot: store.Slot | None = None
    ) -> Entry:
        """The specialization that a compilation makes."""
        typed = made.at("typed")
        places, static, constants = tuple(made.places), typed.static, typed.constants
        run = compiler.executable(made)
        found = store.Found(made.request, places, static, constants, typed.copies, typed.laid, run)
        found = replace(found, left_out=typed.left_out)  # of which it was warned
        if slot is not None and (run.program.has_effects or not slot.tell(found)):
            slot = None
        return self._entry(found, record, slot, typed)

    def _entry(
        self,
        found: store.Found,
        record: journal.Record,
        slot: store.Slot | None,
        typed: Specialization | None = None,
    ) -> Entry:
        """A specialization, with why it was made."""
        entry = Entry(found, record, self._argument_names(found), slot, typed)
        earlier = [(other.request, other.names) for _, other in self._cache.items()]
        record.types = entry.types
        record.why = reasons.why((found.request, entry.names), earlier, kept=typed is None)
        journal.LOGS["specialize"].info("%s(%s): %s", record.function, record.types, record.why)
        return entry

    def _for_memory(
        self, entry: Entry, args: tuple[Any, ...], names: tuple[str, ...], leaves: list[Any]
    ) -> Entry:
        """The specialization for how the arrays lie in memory, where that matters."""
        memory = sharing.memory(leaves) if entry.shares else sharing.order(leaves)
        if memory == sharing.Memory():
            return entry
        key, _ = signature.flatten(args, entry.static)
        with self._lock:
            found = self._cache.get((names, key, memory))
            if found is None or not found.valid():
                with journal.writing(record := self._record()):
                    count = len(args) - len(self._places)
                    request = replace(entry.request, args=(), memory=memory)
                    found, slot = self._kept(request, args[:count], record)
                    if found is None:
                        described = signature.describe(args, entry.static)
                        request = replace(request, args=described)
                        found = self._compile(request, record, slot, entry.found.static)
                        entry.keep(None)
                self._keep((names, key, memory), found)
        return found


class Plain(Compiled):
    """A function that Python runs, for debuggers and coverage: PYXLA_DISABLE=1."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__pyxla_function__(*args, **kwargs)


class Generating(Compiled):
    """A generator function: the call makes all items.  CPython runs one that raises: the items
    before come first, and nothing was written."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except (CompileError, TimeoutError):  # CPython has no time limit
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the caller gets it from CPython
            return self.__pyxla_function__(*args, **kwargs)


def disabled() -> bool:
    """Whether functions are not compiled (PYXLA_DISABLE); their derivatives are all the same."""
    return os.environ.get("PYXLA_DISABLE", "") not in ("", "0")


@overload
def compile(function: Callable[P, R], **options: Any) -> Function[P, R]: ...  # noqa: A001
@overload
def compile(  # noqa: A001
    function: None = None, **options: Any
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
@outward
def compile(  # noqa: A001
    function: Callable[..., Any] | None = None,
    *,
    mesh: Any = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
    donate: Any = (),
    **options: Any,
) -> Any:
    """Compile a Python function over NumPy arrays into XLA programs, one for each signature.

    Use as a decorator, with or without options, or as a function.  The result is called like
    `function`, and computes what it computes.

    - checks=False: what CPython and NumPy raise by themselves (index out of range, division of ints
      by zero, an int of more than 64 bits, ...) goes unnoticed; the result is unspecified then.
    - strict=True: round floats operation by operation, without fused products and reassociation.
    - fast=True: arrays are multiplied by reciprocals of numbers of run time, rather than divided;
      products of 32-bit floats are as exact as accelerators like (TF32, bfloat16), not as NumPy's.
    - power_types=True: `10 ** n` is an int or a float, by the sign of n; else the function is
      compiled again where that is a float.
    - from_end=True: indices that loops find in data may be below 0; unlike_dicts=True: dicts of a
      list may differ in their keys where one is looked at whole; else such data compile anew.
    - timeout=s: a call that computes, or that XLA compiles, for more than so many seconds raises
      TimeoutError; its arguments are untouched.
    - list_capacity=1024: the capacity of a list that grows in a loop of unknown length; one that
      outgrows it compiles the function again; row_capacity: the same of a list in a list, a 64th
      of that where it is left out; pool_capacity: of how many lists, or instances, lists hold.
    - cache_size=256: specializations kept, least recently used dropped first.
    - residual_bytes=2**30: what the reverse of a loop may save of its iterations; snapshots=64: of
      how many states it runs again where it needs more.
    - host="auto": what cannot be compiled is called on the host (`pyxla.host`), with a warning.
    - sizes="bucket": programs are for sizes up to powers of two, and run on part of their arrays.
    - width=32: arrays and NumPy's scalars that would have 64 bits have 32.
    - precision="bfloat16": products of matrices and convolutions multiply numbers of "bfloat16",
      "float16" or "tf32", and sum as they did; all else has the types that it has.
    - platform="tpu": for which platform the function is compiled ("cuda,cpu": for artifacts).
    - mesh=: the mesh of devices that is in scope, as under `jax.set_mesh`.
    - in_shardings=, out_shardings=: where positional arguments and results lie, as for `jax.jit`;
      NumPy arrays are placed, results are of type `jax.Array`.
    - donate="x": the name or position of an argument, or several, whose `jax.Array` is given up:
      the function may write to it, and results take its memory.
    - verify=True: check the compiler's own work after each stage.

    CompileError, at the first call with arguments of these types, where the function is outside of
    the language; else what the function itself raises.

    >>> import pyxla, numpy as np
    >>> @pyxla.compile
    ... def newton_sqrt(x, tol):
    ...     y = x
    ...     while abs(y * y - x) > tol:
    ...         y = 0.5 * (y + x / y)
    ...     return y
    >>> newton_sqrt(2.0, 1e-12)
    1.414213562373095
    """
    made = make_options(options)
    placed = placement.asked(mesh, in_shardings, out_shardings, donate)
    made = made if placed is None else replace(made, placement=placed)
    if function is None:
        return lambda f: compile_with(f, made)
    return compile_with(function, made)


def compile_with(function: Any, options: Options) -> Any:
    """`function` compiled; of what a class binds in another way, bound in that way."""
    if isinstance(function, staticmethod | classmethod):
        return type(function)(compile_with(function.__func__, options))
    if not callable(function):
        raise CompileError(
            f"pyxla.compile takes a function, not {type(function).__name__}",
            hint="write @pyxla.compile before a def, or pyxla.compile(f); "
            "types are annotations, or go to f.specialize(float)",
        )
    function = dispatchers.python_function(function) or function
    if disabled():
        return Plain(function, options)
    otherwise = options.placement is not None or options.platform or options.sizes
    plain = Generating if inspect.isgeneratorfunction(function) else Compiled
    compiled = (compiler.kind(options) if otherwise else plain)(function, options)
    annotations = types.annotated(function)
    if annotations is not None:
        # A global that comes later, or a value that is needed, waits for the first call.
        with contextlib.suppress(NameError, ValueNeeded):
            compiled.specialize(*annotations)
    return compiled


@outward
def build(function: Callable[..., Any], *given: Any, path: str | Path, **named: Any) -> None:
    """Write the artifact of `function` for arguments of these types to `path`.

    given: a type (`pyxla.f64[3]`, `float`) or a value for each argument.  CompileError where the
    function is refused for these, or takes arrays from outside.

    >>> import pyxla, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "double.pyxla")
    >>> pyxla.build(lambda x: 2 * x, float, path=path)
    >>> pyxla.load(path)(21.0)
    42.0
    """
    compiled = function if isinstance(function, Compiled) else compile(function)
    found = types.parts(given)
    args, function = (*given, *named.values()), compiled.__pyxla_function__
    made = compiler.specialize(function, args, tuple(named), compiled.options, Needed(), data=True)
    parts = None if found is None else found[0]
    artifact.save(path, compiler.artifact_of(made, len(given), tuple(named), parts))


@outward
def load(path: str | Path) -> artifact.Loaded:
    """The program in an artifact that `build` wrote: called like the function that it is of.

    It needs no source.  CompileError where the file is no artifact, or the arguments are of other
    types than it was built for; see `build` for an example.
    """
    return artifact.load(path)
