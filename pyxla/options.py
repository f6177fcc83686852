"""The options of `pyxla.compile`: one frozen record, part of every cache key."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, fields
from typing import Any

from pyxla.errors import CompileError
from pyxla.hints import similar


@dataclass(frozen=True, slots=True)
class Options:
    """How a function is compiled.

    checks: raise what CPython and NumPy raise by themselves (index out of range, division of ints
    by zero, math domain, an int of more than 64 bits, ...).  cache_size: specializations kept per
    function, least recently used dropped first.  verify: check the compiler's own work after each
    stage, and keep its frames in the tracebacks of refusals.  list_capacity: the capacity of a list
    that grows in a loop of unknown length, and of arrays of sizes that data decides and nothing
    bounds; one that outgrows it compiles the function again with more.  row_capacity: the same of
    a list in such a list; 0: a 64th of it.  pool_capacity: the same of how many lists, or
    instances of a class, there are in lists, in all; 0: as list_capacity.
    fast: arrays are divided by numbers of run time as XLA likes, by products with reciprocals,
    whose last bit may be another, and constants that meet are made one; accelerators multiply
    32-bit floats as they like (TF32, bfloat16).
    power_types: powers of Python's numbers are of the type that signs of run time say, an int or a
    float, a float or a complex number; a program that meets one that it does not expect is compiled
    again with it.
    from_end: indices in loops of which nothing is known may count from the end; a program that
    meets one that it does not expect is compiled again with it.
    unlike_dicts: of the dicts that a list holds some may have keys that others do not have where
    all of one is looked at; a program that meets one that it does not expect is compiled again
    with it.
    residual_bytes: what the reverse of a loop may save of its iterations; a loop that needs more,
    or that runs who knows how often, is run again from snapshots of its state.  snapshots: how many
    of them there is room for, fewer of large states.
    timeout: after so many seconds a call that computes for longer, or that XLA compiles for longer,
    ends with TimeoutError; 0: it may take any time.
    strict: floats are rounded operation by operation, as the program has them: no product is fused
    with a sum, and nothing is reassociated.
    host: "auto" makes a call of a function that cannot be compiled one of `pyxla.host`.
    sizes: "bucket" rounds the sizes of arrays up to powers of two, so that few programs are made.
    platform: for which platforms modules are made ("tpu", "cuda,cpu"), where programs do not run on
    the default device.
    width: 32 gives 32 bits to arrays and NumPy's scalars that would have 64.
    precision: products and convolutions multiply numbers of "bfloat16", "float16" or "tf32".
    placement: where arguments and results lie (`runtime.placement`).
    """

    checks: bool = True
    cache_size: int = 256
    verify: bool = False
    list_capacity: int = 1024
    row_capacity: int = 0
    pool_capacity: int = 0
    fast: bool = False
    power_types: bool = False
    from_end: bool = False
    unlike_dicts: bool = False
    residual_bytes: int = 1 << 30
    snapshots: int = 64
    strict: bool = False
    timeout: float = 0.0
    host: str = ""
    sizes: str = ""
    platform: str = ""
    width: int = 64
    precision: str = ""
    placement: Any = None

    @property
    def capacity_of_rows(self) -> int:
        return self.row_capacity or max(self.list_capacity // 64, 1)

    @property
    def capacity_of_pools(self) -> int:
        return max(self.pool_capacity, self.list_capacity)

    @property
    def platforms(self) -> tuple[str, ...]:
        """Those that are asked for; none is the default device's."""
        return tuple([word.strip() for word in self.platform.split(",") if word.strip()])


PLACING = ("mesh", "in_shardings", "out_shardings", "donate")  # parameters of `compile`, too
PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
DEFAULTS = Options()
CHOICES: dict[str, tuple[Any, ...]] = {
    "sizes": ("bucket",),
    "host": ("auto",),
    "width": (32,),
    "precision": ("bfloat16", "float16", "tf32"),
}
# Options of Numba's and of JAX's.
_FOUND = "leave it out: what must be known is found out, and pyxla.static[5] is a known value"
ELSEWHERE = {
    "static_argnums": _FOUND,
    "static_argnames": _FOUND,
    "donate_argnums": "it is donate: names or positions",
    "donate_argnames": "it is donate: names or positions",
    "nopython": "leave it out: all of a function is compiled, or it is refused",
    "cache": "leave it out: programs are kept on disk, where PYXLA_CACHE says",
    "fastmath": "leave it out: strict=True is what rounds operation by operation",
    "boundscheck": "leave it out: it is on, and checks=False switches checks off",
    "device": "it is platform, or arguments that lie on the device",
    "backend": "it is platform",
}
LEAST = {
    "cache_size": 1,
    "list_capacity": 1,
    "row_capacity": 0,
    "pool_capacity": 0,
    "residual_bytes": 0,
    "snapshots": 1,
    "timeout": 0,
}


def make_options(given: dict[str, Any]) -> Options:
    """Options from keywords; CompileError names an unknown one, or one of another type."""
    known = {f.name: type(getattr(Options(), f.name)) for f in fields(Options)}
    del known["placement"]
    for name, value in given.items():
        if name not in known:
            listed = (*known, *PLACING)
            others = similar(name, listed) or f"the options are {', '.join(listed)}"
            raise CompileError(f"unknown option {name!r}", hint=ELSEWHERE.get(name, others))
        if type(value) is not known[name] and not (known[name] is float and type(value) is int):
            raise CompileError(
                f"option {name!r} is {value!r}, a {type(value).__name__}",
                hint=f"it takes a value of type {known[name].__name__}",
            )
    for name, least in LEAST.items():
        if given.get(name, least) < least:
            refused = f"option {name!r} is {given[name]}; it must be {least} at least"
            raise CompileError(refused, hint=f"leave it out: it is {getattr(DEFAULTS, name)} then")
    for name, words in CHOICES.items():
        found = given.get(name, getattr(DEFAULTS, name))
        if found not in (getattr(DEFAULTS, name), *words):
            hint = f"it may be {' or '.join(map(repr, words))}"
            raise CompileError(f"option {name!r} is {found!r}", hint=hint)
    made = dataclasses.replace(DEFAULTS, **given)
    for name in made.platforms:
        if name not in PLATFORMS:
            raise CompileError(
                f"unknown platform {name!r}", hint=f"the platforms are {', '.join(PLATFORMS)}"
            )
    return made
