"""Other ways of calling a compiled function, which options ask for.

Placed      arguments and results lie where it is said: mesh, shardings, platform, donate
Sized       programs are for all sizes up to a bound: specialize(f64["n<=1000"])
Bucketed    sizes are rounded up, and programs run on part of their arrays: sizes="bucket"
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from pyxla import journal, types
from pyxla.api import Compiled
from pyxla.entry import Entry
from pyxla.errors import CompileError
from pyxla.lib.parts import on_parts
from pyxla.options import Options
from pyxla.pipeline import Compilation
from pyxla.runtime import placement, sharing, signature
from pyxla.runtime.bounds import KEYWORD, NotParts, Parts, Pattern


class Placed(Compiled):
    """A compiled function whose arguments and results lie where it is said."""

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        made = options.placement or placement.Placement()
        super().__init__(function, replace(options, placement=made.named(function)))
        self.placement: placement.Placement = self.options.placement

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self.placement.scope(self.options.platforms):
            return super().__call__(*self.placement.arguments(args), **kwargs)

    def lower(self, *given: Any, **named: Any) -> Compilation:
        with self.placement.scope():
            return super().lower(*self.placement.arguments(given, _lying), **named)


def _lying(x: Any, where: Any) -> Any:
    """An array, or the type of one, that lies where it is said."""
    spelled = types.array_of(x) if types.is_spec(x) else None
    if spelled is None or not spelled.ndim:
        return placement.placed(x, where)
    if isinstance(where, PartitionSpec):
        where = NamedSharding(jax.sharding.get_mesh(), where)
    return jax.ShapeDtypeStruct(spelled.shape, spelled.dtype, sharding=where)


class OnParts(Compiled):
    """A function of arrays that hold arguments, which are parts of them.

    fixed: these do not lie in memory as such parts do, and cannot be written; strided: nor are all
    in C order.
    """

    def __init__(
        self,
        function: Any,
        pattern: Pattern,
        options: Options,
        *,
        fixed: bool,
        strided: bool = False,
    ) -> None:
        run = on_parts(function, pattern, fixed=fixed)
        super().__init__(run, replace(options, sizes=""))
        self.fixed, self.strided = fixed, strided

    @property
    def writes(self) -> bool:
        return any(entry.shares for entry in self.specializations)

    def _for_memory(self, entry: Entry, *given: Any) -> Entry:
        if self.strided or self._places or (entry.shares and self.fixed):
            raise NotParts  # an array from outside may be an argument
        return entry if self.fixed else super()._for_memory(entry, *given)

    def on(self, parts: Parts, sizes: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What it makes of arguments of these sizes."""
        whole = parts.whole(args)
        try:
            return self(*whole, **named, **{KEYWORD: sizes})
        finally:
            if self.writes:
                parts.write_back(args, whole)


def _memory(args: Sequence[Any]) -> sharing.Memory:
    return sharing.memory(signature.flatten(args)[1])


class Sized(OnParts):
    """A function compiled for all sizes up to a bound, before it is called."""

    def __init__(
        self, compiled: Compiled, parts: Parts, whole: Sequence[Any], named: dict[str, Any]
    ) -> None:
        function = compiled.__pyxla_function__
        super().__init__(function, parts.pattern, compiled.options, fixed=not parts.leading)
        self.parts, self.whole = parts, whole
        self.specialize(*whole, **named, **{KEYWORD: dict.fromkeys(parts.bounds, int)})

    def of(self, args: Sequence[Any]) -> Any:
        """What it makes of arguments; NotParts where it is not for them."""
        sizes = self.parts.sizes(args, self.whole)
        memory = sharing.Memory() if sizes is None else _memory(args)
        laid = any(entry.memory for entry in self.specializations)
        seen = (self.writes and memory.groups) or (laid and memory.strides)
        if sizes is None or memory.repeated or seen:
            raise NotParts
        return self.on(self.parts, sizes, args, {})


class Bucketed(Compiled):
    """A compiled function whose programs are for sizes up to powers of two.

    Only sizes that calls differ in are rounded: the others cost no masks and no room. A function
    that is refused on parts of arrays is compiled for each size.
    """

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        super().__init__(function, options)
        self._met: dict[tuple[int, ...], list[Shape]] = {}
        self._rounded: dict[tuple[Pattern, bool, bool], OnParts | None] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        pattern, sizes = _pattern(args, self._alike(args))
        memory = _memory((*args, *kwargs.values()))
        if not sizes or memory.repeated:  # copies are not the same array
            return super().__call__(*args, **kwargs)
        parts = Parts(pattern, {name: 1 << (n - 1).bit_length() for name, n in sizes.items()})
        strided = bool(memory.strides)
        fixed = not parts.leading or strided or bool(memory.groups)
        key = pattern, fixed, strided
        if key not in self._rounded:
            how = {"fixed": fixed, "strided": strided}
            self._rounded[key] = OnParts(self.__pyxla_function__, pattern, self.options, **how)
        rounded = self._rounded[key]
        if rounded is not None:
            try:
                return rounded.on(parts, sizes, args, kwargs)
            except NotParts:
                journal.note("restart", "it writes to arrays that are not the parts of others")
            except CompileError as refusal:
                journal.note("restart", f"on parts of arrays it is refused: {refusal.message}")
            self._rounded[key] = None
        return super().__call__(*args, **kwargs)

    def _alike(self, args: tuple[Any, ...]) -> list[Shape]:
        """The shapes of arguments, None for sizes in which calls of arrays like these differed."""
        shapes: list[Shape] = [_shape(x) for x in args]
        met = self._met.setdefault(tuple(map(len, shapes)), shapes)
        for i, (shape, known) in enumerate(zip(shapes, met, strict=True)):
            if shape != known:
                met[i] = tuple([n if n == m else None for n, m in zip(shape, known, strict=True)])
        return met

    @property
    def specializations(self) -> tuple[Entry, ...]:
        rounded = [run.specializations for run in self._rounded.values() if run is not None]
        return (*super().specializations, *itertools.chain(*rounded))


FEW = 2  # up to here sizes are as they are: those of 1 are repeated, those of 0 are empty


Shape = tuple[int | None, ...]


def _shape(x: Any) -> tuple[int, ...]:
    return x.shape if isinstance(x, np.ndarray | jax.Array) else ()


def _pattern(args: tuple[Any, ...], alike: Sequence[Shape]) -> tuple[Pattern, dict[str, int]]:
    """Which dimensions have sizes of their own, equal ones the same, and these sizes.

    alike: sizes that all calls have, which are as they are.
    """
    names: dict[int, str] = {}
    rows = []
    for x, known in zip(args, alike, strict=True):
        row = [
            names.setdefault(n, f"n{len(names)}") if n > FEW and m is None else None
            for n, m in zip(_shape(x), known, strict=True)
        ]
        rows.append(tuple(row) if any(k is not None for k in row) else None)
    return tuple(rows), {name: n for n, name in names.items()}


def kind(options: Options) -> type[Compiled]:
    """What calls a function as these options ask."""
    return Placed if options.placement is not None or options.platform else Bucketed
