"""Programs: typed regions with their types, as JAX's primitive and executables have them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from pyxla import late
from pyxla.frozen import dataclass
from pyxla.ir.core import Region
from pyxla.ir.types import ArrayType
from pyxla.options import DEFAULTS, Options
from pyxla.runtime.jaxprivate import weakref_cache_key_types

T = TypeVar("T")
# A sum of operations (`lower.duration`): how many, times parameters at these positions.
Work: TypeAlias = tuple[tuple[float, tuple[int, ...]], ...] | None
jaxlower = late.module("pyxla.runtime.jaxlower")
making = late.module("pyxla.runtime.making")


def held_weakly(cls: type[T]) -> type[T]:
    """A class whose instances JAX's caches do not keep alive: a program has all of its code."""
    weakref_cache_key_types.add(cls)
    return cls


@held_weakly
@dataclass(frozen=True, eq=False)
class Program:
    """A typed program: flat arrays in, flat arrays out; equal only to itself.

    region: for the device that programs run on by default.  derivable: gives the region that
    derivatives are taken of, if there is one; options: how.
    """

    name: str
    region: Region
    params: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]
    derivable: Callable[[], Region] | None = None
    options: Options = DEFAULTS

    @functools.cached_property
    def origin(self) -> Region | None:
        """The region that derivatives are taken of; None of what was loaded."""
        return None if self.derivable is None else self.derivable()

    def form(self, tuned: bool) -> Region:
        """The region for one partition of XLA:CPU, or that for all else."""
        return self.region if tuned else self.plain

    @functools.cached_property
    def plain(self) -> Region:
        """The region without what is for XLA:CPU alone."""
        if self.origin is None:
            return self.region
        return making.plain(self.origin, self.options)

    @functools.cached_property
    def stablehlo(self) -> str:
        """Its StableHLO module as text: the same bytes in every process."""
        return jaxlower.stablehlo(self)

    @functools.cached_property
    def sharding(self) -> Any:
        """One over the devices that its code names, None where it names none."""
        return making.sharding(self.region)

    @functools.cached_property
    def work(self) -> Work:
        """What its loops take at most; None where nothing tells how long they are."""
        return making.work(self.region if self.origin is None else self.origin)

    @functools.cached_property
    def has_effects(self) -> bool:
        """Whether it does anything besides its results: prints, or calls the host."""
        return making.has_effects(self.region)


def program(
    name: str,
    region: Region,
    derivable: Callable[[], Region] | None = None,
    options: Options = DEFAULTS,
) -> Program:
    """The program that `region` is; its types are the types of the region's values."""
    return Program(
        name,
        region,
        tuple([value.type for value in region.params]),
        tuple([value.type for value in region.results]),
        derivable,
        options,
    )
