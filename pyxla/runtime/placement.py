"""Where arrays lie: `pyxla.shard`, and the options of `compile` that place arguments and results.

Meshes, specifications and devices are JAX's: `jax.make_mesh`, `jax.set_mesh`, `jax.P`,
`jax.sharding.NamedSharding`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, Sharding

from pyxla.errors import CompileError
from pyxla.frozen import dataclass
from pyxla.runtime import jaxlink


def shard(x: Any, *spec: Any) -> Any:
    """`x` with its dimensions over axes of the mesh that is in scope: `shard(x, "data", None)`.

    spec: for each dimension the name of an axis, a tuple of names, or None; or one
    `jax.P(...)`, or one `NamedSharding`, which needs no mesh in scope.  In a compiled function, and
    under a trace of JAX's, this is `jax.lax.with_sharding_constraint`: it says where the value
    lies, and an array stays the same array.  Elsewhere it is `jax.device_put`.  Where no mesh is in
    scope (`jax.set_mesh`) it is `x` itself.

    >>> import jax, numpy as np, pyxla
    >>> with jax.set_mesh(jax.make_mesh((jax.device_count(),), ("data",))):
    ...     pyxla.shard(np.zeros(64), "data").sharding.spec
    P('data',)
    """
    where = spec[0] if len(spec) == 1 and isinstance(spec[0], Sharding) else described(spec)
    if isinstance(where, PartitionSpec) and jax.sharding.get_abstract_mesh().empty:
        return x
    if isinstance(x, jax.core.Tracer):
        return constrained(x, where)
    if isinstance(where, PartitionSpec):
        where = NamedSharding(jax.sharding.get_mesh(), where)
    return jax.device_put(x, where)


def described(spec: tuple[Any, ...]) -> PartitionSpec:
    """Names of axes as JAX's specification."""
    if len(spec) == 1 and isinstance(spec[0], PartitionSpec):
        return spec[0]
    return PartitionSpec(*spec)


def constrained(x: Any, where: Any) -> Any:
    """`x`, which lies as `where` says: under a trace."""
    mesh = getattr(where, "mesh", None) or jax.sharding.get_abstract_mesh()
    explicit = jax.sharding.AxisType.Explicit in mesh.axis_types
    return jax.sharding.reshard(x, where) if explicit else _constraint(x, where)


_constraint = jax.lax.with_sharding_constraint


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the arguments and results of a compiled function lie, as options of `compile`.

    mesh: in scope while the function is compiled and called.  in_shardings, out_shardings: JAX's
    specifications, for all or in containers like those of the arguments and results.  donate: the
    names of arguments whose `jax.Array`s are given up to the function.
    """

    mesh: Any = None
    in_shardings: Any = None
    out_shardings: Any = None
    donate: tuple[str | int, ...] = ()

    @property
    def places(self) -> bool:
        """Whether it says of arguments or results where they lie."""
        return self.in_shardings is not None or self.out_shardings is not None

    def named(self, function: Any) -> Placement:
        """The same with names for the positions of arguments."""
        if not self.donate:
            return self
        names = list(inspect.signature(function).parameters)
        given = [names[x] if isinstance(x, int) and x < len(names) else x for x in self.donate]
        for name in given:
            if name not in names:
                raise CompileError(
                    f"donate: there is no argument {name!r}",
                    hint=f"the arguments are {', '.join(names)}",
                )
        return replace(self, donate=tuple(given))

    def scope(self, platforms: Sequence[str] = ()) -> Any:
        """A context in which the mesh is in scope, and the first of the platforms the default."""
        if platforms and self.mesh is None:
            return jax.default_device(jax.local_devices(backend=platforms[0])[0])
        if self.mesh is None:
            return contextlib.nullcontext()
        if jaxlink.is_outermost():
            return jax.set_mesh(self.mesh)
        return jax.sharding.use_abstract_mesh(self.mesh.abstract_mesh)

    def arguments(
        self, args: tuple[Any, ...], array: Callable[[Any, Any], Any] | None = None
    ) -> tuple[Any, ...]:
        """The positional arguments, arrays where they should lie; `array` puts one there."""
        where = self.in_shardings
        if where is None:
            return args
        if not isinstance(where, tuple):
            where = (where,) * len(args)
        if len(where) != len(args):
            raise CompileError(
                f"in_shardings has {len(where)} entries, and there are {len(args)} positional "
                "arguments"
            )
        return tuple(
            [_placed(x, spec, array or placed) for x, spec in zip(args, where, strict=True)]
        )


def asked(mesh: Any, in_shardings: Any, out_shardings: Any, donate: Any) -> Placement | None:
    """What the options of `compile` ask for, None if nothing."""
    donated = tuple(donate) if isinstance(donate, tuple | list | set | frozenset) else (donate,)
    for x in donated:
        if not isinstance(x, str | int):
            words = f"donate takes names or positions of arguments, not {x!r}"
            raise CompileError(words, hint='write donate="x", donate=0, or a tuple of these')
    if mesh is not None and not isinstance(mesh, jax.sharding.Mesh | jax.sharding.AbstractMesh):
        words = f"mesh takes a mesh of JAX's, not {mesh!r}"
        raise CompileError(words, hint='make it: jax.make_mesh((2,), ("data",))')
    for name, given in (("in_shardings", in_shardings), ("out_shardings", out_shardings)):
        for where in jax.tree.leaves(given, is_leaf=_is_end):
            if not _is_end(where):
                words = f"{name} takes specifications and shardings of JAX's, not {where!r}"
                raise CompileError(words, hint='write jax.P("data"), or a tuple of one for each')
    if mesh is None and in_shardings is None and out_shardings is None and not donated:
        return None
    return Placement(mesh, in_shardings, out_shardings, donated)


def results(x: Any, where: Any) -> Any:
    """The result `x` of a compiled function, whose arrays lie as `where` says."""
    raise NotImplementedError("in compiled functions only")


def _placed(x: Any, where: Any, array: Callable[[Any, Any], Any]) -> Any:
    """The arrays in `x` over devices, as the specifications in `where` say, which may end early."""
    if where is None:
        return x
    if isinstance(where, PartitionSpec | Sharding):
        with jax.enable_x64(True):
            return jax.tree.map(lambda leaf: array(leaf, where), x)
    return jax.tree.map(lambda spec, part: _placed(part, spec, array), where, x, is_leaf=_is_end)


def _is_end(spec: Any) -> bool:
    """Whether it says where all arrays of a part lie."""
    return spec is None or isinstance(spec, PartitionSpec | Sharding)


def placed(x: Any, where: Any) -> Any:
    """An array where it should lie, and what is no array as it is."""
    return shard(x, where) if isinstance(x, np.ndarray | jax.Array) else x
