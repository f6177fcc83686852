"""A finished specialization, and calling it: flat leaves in, what the caller sees out.

A `Program` is a typed region with its types.  `Executable(program, outcome)` runs it through
`jax.jit` (see `jaxlink.jit`), which places, transfers, shards and donates as for any JAX function:

    executable(leaves, args) -> result        leaves as `signature.flatten` gives them

NumPy in, NumPy out.  XLA:CPU reads NumPy arguments in place, so a call that has any returns after
the program has finished.  Small results are copied out; large ones are views of XLA's own buffer,
writable, which the array keeps alive and nobody else refers to (`memory`).
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from pyxla import late
from pyxla.errors import InternalError, LargeArgument, RefusedPath, Surprise, raise_at
from pyxla.frozen import dataclass
from pyxla.ir.core import Region
from pyxla.ir.types import ArrayType, array_type
from pyxla.options import Options
from pyxla.runtime import binaries, jaxlink, memory, objects, waiting
from pyxla.runtime.outcome import OutArray, Outcome, Site, array_uses, check_traceable
from pyxla.runtime.programs import Program, Work
from pyxla.runtime.words import planned

foreign = late.module("pyxla.ops.foreign")
jaxlower = late.module("pyxla.runtime.jaxlower")
making = late.module("pyxla.runtime.making")
ARRAY = jaxlink.ARRAY
call_scoped, swap, restored = jaxlink.call_scoped, jaxlink.swap, jaxlink.restored
LONG = 10**9  # operations: a second, or less


class Kept(Program):
    """A program that was kept on disk: its region is made where somebody looks at it, by `make`."""

    def __init__(
        self,
        name: str,
        params: tuple[ArrayType, ...],
        results: tuple[ArrayType, ...],
        work: Work,
        options: Options,
        make: Callable[[], Program],
    ) -> None:
        fields = {"name": name, "params": params, "results": results, "work": work}
        for field, value in (fields | {"options": options, "_make": make}).items():
            object.__setattr__(self, field, value)

    def derivable(self) -> Region | None:  # type: ignore[override]
        return self.origin

    @functools.cached_property
    def whole(self) -> Program:
        """The program as it was before it was kept."""
        made = self._make()  # type: ignore[attr-defined]
        if (made.params, made.results) != (self.params, self.results):
            raise InternalError(RuntimeError(f"the program kept of {self.name} is another one"))
        return made

    @functools.cached_property
    def region(self) -> Region:  # type: ignore[override]
        return self.whole.region

    @functools.cached_property
    def origin(self) -> Region | None:
        return self.whole.origin

    @functools.cached_property
    def has_effects(self) -> bool:
        """None that has any is kept."""
        return False


@dataclass(frozen=True, slots=True)
class Binary:
    """What XLA made of a program, as bytes; none where it made nothing yet.

    params, results: of the program, in words.  moved: the parameters that it takes from within
    aligned arrays.  given: what is passed, with all that these and spare results need.  used: the
    positions in `given` that XLA's code takes.
    """

    data: bytes
    params: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]
    moved: tuple[int, ...]
    given: tuple[ArrayType, ...]
    used: tuple[int, ...]


class Traced(Exception):  # noqa: N818 - a request, not an error
    """A trace of JAX's is under way, to which a program cannot say that something was amiss."""


class Executable:
    """A program bound to what its caller sees; the XLA executable is made by the first call.

    `_quick` makes what the caller sees of the results of a program that does nothing else: the fast
    path.  Instances are free of reference cycles, so that dropping one frees its executable.
    """

    __slots__ = (
        "_apart",
        "_build",
        "_dispatch",
        "_large",
        "_moved",
        "_near",
        "_quick",
        "_sites",
        "_spares",
        "_stores",
        "_straight",
        "_waits",
        "_work",
        "_wide",
        "_words",
        "inner",
        "jitted",
        "outcome",
        "program",
    )

    def __init__(
        self, program: Any, outcome: Outcome, jitted: Any = None, binary: Binary | None = None
    ) -> None:
        """`jitted` runs what is not a Program but has its name and types (a loaded artifact);
        `binary` is what XLA made of it in another process."""
        local = not outcome.jax and jaxlink.on_cpu()
        if jitted is None and binary is None:
            program, outcome = making.prepared(program, outcome)
        if local:
            memory.hold_pages()
        self.program = program
        self.outcome = outcome
        packs = local and jitted is None
        self._words = planned(program.params, program.results, outcome) if packs else None
        self._spares = _spare_results(program, outcome) if packs else ()
        if binary is None:
            self._make(jitted, local)
        else:
            self._restore(binary)
        arrays = _converters(program, outcome, self._spares)
        for index in self._words.numbers if self._words else ():
            arrays[index] = program.results[index].dtype.type
        made = functools.partial(
            objects.builder, arrays=arrays, repeated=objects.repeated(outcome), pools=outcome.pools
        )
        self._build = made(outcome.result)
        self._stores = [(store, made(store.out)) for store in outcome.stores]
        self._sites = [(site, made(site.error)) for site in outcome.sites]
        # Without 64-bit types at the boundary the user's setting does not matter.
        wide = any(_is_wide(t.dtype) for t in (*self.inner[0], *self.inner[1]))
        self._wide = wide or bool(self._moved)
        straight = outcome.inputs == tuple(range(len(outcome.inputs)))
        self._straight = straight and self._words is None
        self._apart = bool(self._large or self._moved or self._spares)
        simple = _is_simple(outcome) and program.results
        self._quick = self._quickly(arrays) if simple else None
        self._waits = True
        self._work: list[tuple[float, list[int]]] | None = None

    def _make(self, jitted: Any, local: bool) -> None:
        """What XLA gets, which is compiled by the first call."""
        inner = self.program if self._words is None else making.packed(self.program, self._words)
        self.inner = inner.params, inner.results
        large = _large_params(inner.params) if local else ()
        self._moved = making.moved_params(inner, large) if jitted is None else ()
        self._large = tuple([i for i in large if i not in self._moved])
        given_up = [self.outcome.inputs.index(leaf) for leaf in self.outcome.donated]
        if jitted is None:
            jitted = jaxlink.jit(inner, len(self._spares), given_up)
        self.jitted = jitted
        self._dispatch = jaxlink.outermost(self.jitted)
        self._near = making.near(inner, self._moved, len(self._spares))

    def _restore(self, binary: Binary) -> None:
        """What XLA made of it before, and for whom that is not, what `_make` does."""
        self.inner = binary.params, binary.results
        self._moved = binary.moved
        self._large = tuple([i for i in _large_params(binary.params) if i not in binary.moved])
        program, words, moved, count = self.program, self._words, self._moved, len(self._spares)

        def again(near: bool) -> Any:
            inner = program if words is None else making.packed(program, words)
            return making.near(inner, moved, count) if near else jaxlink.jit(inner, count)

        plain, near = (binaries.Later(functools.partial(again, which)) for which in (False, True))
        made = kept = near if moved else plain
        if binary.data:
            made = binaries.revived(
                program.name, binary.data, binary.given, binary.results, binary.used, kept
            )
        self.jitted = self._dispatch = plain if moved else made
        self._near = made if moved else None

    def types(self) -> Binary:
        """What there is to keep of a program that XLA did not compile yet."""
        return Binary(b"", *self.inner, self._moved, (), ())

    def binary(self, leaves: Sequence[Any]) -> Binary | None:
        """What XLA made of the program for a call with these leaves, which was made; None where
        that cannot be had."""
        operands = leaves if self._straight else self._operands(leaves)
        near = _is_near(operands, self._moved)
        moved = self._moved if near else ()
        given = [binaries.like(x) for x in operands]
        for i in moved:
            t = self.inner[0][i]
            given[i] = jaxlink.struct(array_type(t.dtype, (t.size + memory.room(t.dtype),)))
        spares = [jaxlink.struct(self.program.results[i]) for i in self._spares]
        begins = [np.int64(0)] * len(moved)
        found = binaries.binary(self._near if near else self.jitted, [*spares, *given, *begins])
        return None if found is None else Binary(found[0], *self.inner, moved, *found[1:])

    def _quickly(self, arrays: Sequence[objects.Convert]) -> Callable[[Any, Any], Any]:
        """What the caller sees of the results, where there is nothing else to do with them."""
        outcome, build, words = self.outcome, self._build, self._words
        result, faults = outcome.result, outcome.faults
        if words is not None and words.waits:
            unpacked = words.values

            def waited(values: Any, args: Any) -> Any:
                values = unpacked(values)
                if faults is not None and values[faults]:
                    raise outcome.faulty(values[faults], values)
                return build(values, args, {})

            return waited
        if isinstance(result, OutArray) and all(e is None for e in result.extents):
            convert, index = arrays[result.index], result.index
            if convert is _identity and index == 0 and faults is None:
                return _the_array
            made = lambda values, _: convert(values[index])  # noqa: E731 - it is one of two
        else:
            made = lambda values, args: build(values, args, {})  # noqa: E731
        if faults is None:
            return made

        def checked(values: Any, args: Any) -> Any:
            if word := objects.number(values[faults]):
                raise outcome.faulty(word, values)
            return made(values, args)

        return checked

    def __call__(self, leaves: Sequence[Any], args: Sequence[Any] = ()) -> Any:
        """What the caller sees, for `leaves` of the arguments (and captures) `args`.

        Raises what the program raises; OverflowError for an int that 64 bits do not hold,
        MemoryError, and RuntimeError where XLA fails otherwise.
        """
        if self._waits and self._may_last(leaves) and waiting.answers() and jaxlink.is_unbound():
            result = waiting.answered(self.program.options.timeout, self._here, leaves, args)
            if self._work is None and not self.program.options.timeout:
                self._settle()
            return result
        return self._here(leaves, args)

    def _settle(self) -> None:
        """Find out which calls may take long, once it is compiled."""
        work, inputs = self.program.work, self.outcome.inputs
        if work is not None:
            self._work = [(count, [inputs[k] for k in factors]) for count, factors in work]
            self._waits = any([factors for _, factors in work]) or self._may_last(())

    def _may_last(self, leaves: Sequence[Any]) -> bool:
        """Whether nothing tells that a call with these leaves does not take long."""
        if self._work is None:
            return True
        total = 0.0
        for count, factors in self._work:
            for leaf in factors:
                number = leaves[leaf]
                if not isinstance(number, (int, np.integer)):
                    return True
                count *= max(int(number), 0)
            total += count
        return total > LONG

    @property
    def caller(self) -> Callable[[Sequence[Any], Sequence[Any]], Any]:
        """What a call does, without asking how long it may take where that is settled."""
        return self.__call__ if self._waits else self._here

    def _here(self, leaves: Sequence[Any], args: Sequence[Any]) -> Any:
        """What the caller sees, computed in this thread."""
        quick = self._quick
        try:
            if quick is None:
                return self._general(leaves, args)
            operands = leaves if self._straight else self._operands(leaves)
            if self._apart:
                values = self._flat(operands)
            elif self._wide:  # `jaxlink.call_scoped`, without a call of its own
                before = swap(True)
                try:
                    values = self._dispatch(*operands)
                finally:
                    restored(before)
            else:
                values = self._dispatch(*operands)
            if len(values) == 1:
                (value,) = values
                if type(value) is ARRAY:
                    return value if quick is _the_array else quick(values, args)
            elif not self._traced(values):
                return quick(values, args)
        except ValueError as error:
            if quick is None or not jaxlink.is_traced(error):
                raise
        except BufferError:  # results over several devices, where a mesh is in scope
            if quick is None:
                raise
        except (OverflowError, jax.errors.JaxRuntimeError) as error:
            if (failure := _in_words(error, self.program, leaves)) is None:
                raise
            raise failure from failure.__cause__
        return self._general(leaves, args)

    def _traced(self, values: Sequence[Any]) -> bool:
        """Whether a trace is under way; results without a derivative may be arrays all the same."""
        if type(values[0]) is not ARRAY:
            return True
        return self.outcome.jax and any([type(value) is not ARRAY for value in values])

    def values(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The flat results; tracers when an outer trace holds a leaf."""
        operands = leaves if self._straight else self._operands(leaves)
        values = self._flat(operands)
        return values if self._words is None else self._words.values(values)

    def _operands(self, leaves: Sequence[Any]) -> Sequence[Any]:
        if self._words is not None:
            return self._words.operands(leaves)
        return [leaves[i] for i in self.outcome.inputs]

    def _flat(self, operands: Sequence[Any]) -> list[Any]:
        """The results of the program that is run, which may be packed."""
        if not self._apart:
            return self._run(operands, self.jitted)
        near = _is_near(operands, self._moved)
        jitted, moved = (self._near, self._moved) if near else (self.jitted, ())
        spares: list[Any] = []
        if self._spares:
            with jaxlink.scoped():
                spares = [memory.spare(self.program.results[i]) for i in self._spares]
        placed = memory.Placed(operands, self._large, moved)
        try:
            values = self._run([*spares, *placed.operands], jitted)
            for value in values:
                value.block_until_ready()
        finally:
            placed.let_go()
        return values

    def _run(self, operands: Sequence[Any], jitted: Any) -> list[Any]:
        if self._wide:
            values = call_scoped(jitted, operands)
        else:
            values = jitted(*operands)
        if values and not self.outcome.jax and self._traced(values):
            # Plain NumPy arguments under an outer trace: no one asked JAX to trace them.
            with jax.ensure_compile_time_eval(), jaxlink.scoped():
                values = jitted(*operands)
        return values if self.outcome.jax else jaxlink.on_one_device(values)

    def _once(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The flat results of a program that calls Python, under a trace, which would keep both of
        two calls."""
        if not self.outcome.jax and not any(isinstance(x, jax.core.Tracer) for x in leaves):
            with jax.ensure_compile_time_eval(), jaxlink.scoped():
                return self.values(leaves)
        if self.outcome.faults is not None or any(map(_of_host, self.outcome.sites)):
            if self.program.options.checks:
                raise Traced
        return self.values(leaves)

    def _general(self, leaves: Sequence[Any], args: Sequence[Any]) -> Any:
        outcome = self.outcome
        once = outcome.printed is not None and not jaxlink.is_outermost()
        values = self._once(leaves) if once else self.values(leaves)
        if self._words is not None and self._words.waits:
            pass
        elif values and self._traced(values):
            return self._under_trace(values, args)
        elif outcome.waits and outcome.status is None and outcome.faults is None:
            for value in values[:1]:  # else a number is waited for
                value.block_until_ready()
        if outcome.faults is not None and (word := objects.number(values[outcome.faults])):
            raise outcome.faulty(word, values)
        code = 0 if outcome.status is None else objects.number(values[outcome.status])
        made: dict[int, Any] = {}
        if code and issubclass(self._sites[code - 1][0].cls, Surprise):
            raise self._exception(code, values, args, made)
        waiting.commit()
        for write in outcome.writes:
            spare = write.index in self._spares
            memory.write_out(leaves[write.leaf], values[write.index], spare)
        for patch in outcome.patches:
            begin = [objects.number(values[k]) for k in patch.begin]
            memory.write_part(leaves[patch.leaf], np.asarray(values[patch.index]), begin)
        build = self._build
        result = self._exception(code, values, args, made) if code else build(values, args, made)
        self._store(values, args, made)
        if code:
            site = outcome.sites[code - 1]
            raise_at(result, site.loc, site.calls)
        return result

    def _store(self, values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]) -> None:
        """Give container arguments their elements; what lay in them was looked up before."""
        if self._stores:
            targets = [objects.resolve(args, store.path) for store, _ in self._stores]
            sources = [build(values, args, made) for _, build in self._stores]
            for (store, _), target, source in zip(self._stores, targets, sources, strict=True):
                (objects.restore_lists if store.nested else objects.restore)(target, source)

    def _exception(
        self, code: int, values: Sequence[Any], args: Sequence[Any], made: dict[int, Any]
    ) -> BaseException:
        """What the program raises where its status is `code`."""
        site, make = self._sites[code - 1]
        error = make(values, args, made)
        return error.refusal(site.loc, site.calls) if isinstance(error, RefusedPath) else error

    def _under_trace(self, values: Sequence[Any], args: Sequence[Any]) -> Any:
        if self.outcome.faults is not None:  # a trace does not raise by itself
            raise Traced
        status = None if self.outcome.status is None else values[self.outcome.status]
        known = type(status) is ARRAY  # the trace differentiates, and does not compile
        check_traceable(self.outcome, self.program.name, known)
        if known and (code := objects.number(status)):
            raise self._exception(code, jaxlink.undifferentiated(values), args, {})
        same = [_identity] * len(self.program.results)
        return objects.builder(self.outcome.result, same, jaxlink.scalar_tracer)(values, args, {})


def _in_words(error: Exception, program: Program, leaves: Sequence[Any]) -> Exception | None:
    """A failure of JAX's or XLA's as Python's own exceptions; None for the program's own."""
    name = program.name
    if isinstance(error, OverflowError):
        large = [x for x in leaves if type(x) is int and not -(2**63) <= x < 2**63]
        words = f"{name}(): the argument {large[0]} does not fit in 64 bits" if large else ""
        return LargeArgument(words) if large else None
    text = str(error).partition("\n")[0]
    if "RESOURCE_EXHAUSTED" in text:
        return MemoryError(
            f"{name}(): {making.no_room(program.region) or text.partition(': ')[2] or text}"
        )
    if "callback" in text and (raised := jaxlower.raised_on_host()) is not None:
        return raised
    failed = RuntimeError(f"{name}(): XLA failed: {text}")
    failed.__cause__ = error  # where it failed is not the user's to see, but for reports
    return failed


def _is_simple(outcome: Outcome) -> bool:
    """Whether a call only returns something, and there is nothing to wait for or to write."""
    writes = outcome.writes or outcome.patches or outcome.stores or outcome.printed
    return not (writes or outcome.status is not None or (outcome.jax and outcome.waits))


def _converters(program: Program, outcome: Outcome, spares: Sequence[int]) -> list[objects.Convert]:
    """For each result, how it becomes the caller's array."""
    if outcome.jax:
        return [_identity] * len(program.results)
    uses = array_uses(outcome)
    return [
        memory.lend_spare
        if index in spares
        else memory.lend
        if memory.nbytes(t) >= memory.LEND_BYTES and uses[index] == 1
        else np.array
        for index, t in enumerate(program.results)
    ]


def _spare_results(program: Program, outcome: Outcome) -> tuple[int, ...]:
    """Results that go to one place, as an array or into one, and are large."""
    uses = array_uses(outcome) + Counter(write.index for write in outcome.writes)
    return tuple(
        index
        for index, t in enumerate(program.results)
        if memory.nbytes(t) >= memory.SPARE_BYTES and uses[index] == 1
    )


def _of_host(site: Site) -> bool:
    return issubclass(site.cls, foreign.HostError)


def _is_near(operands: Sequence[Any], moved: Sequence[int]) -> bool:
    """Whether aligned arrays can be had around the parameters that are moved."""
    for i in moved:
        if not isinstance(operands[i], np.ndarray):
            return False
    return bool(moved)


def _large_params(types: Sequence[ArrayType]) -> tuple[int, ...]:
    return tuple(i for i, t in enumerate(types) if memory.nbytes(t) >= memory.STAGE_BYTES)


def _is_wide(dtype: np.dtype) -> bool:
    """Whether JAX has `dtype` only where 64-bit types are enabled."""
    return dtype.itemsize == (16 if dtype.kind == "c" else 8) and dtype.kind in "iufc"


def _identity(x: Any) -> Any:
    return x


def _the_array(values: Sequence[Any], _: Any) -> Any:
    return values[0]
