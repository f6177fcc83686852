"""Ops that talk across devices, for programs that spell their own communication.

`replica_groups` are tuples of device numbers, those of the mesh under `jax.shard_map`: elsewhere
each program is alone, and groups of more are refused where code is made (`check_devices`).  NumPy
knows one device: the meaning of an op is that of groups of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pyxla.errors import CompileError
from pyxla.ir.core import Instr, Region, Value, replaced
from pyxla.ir.op import Op
from pyxla.ir.types import ArrayType, array_type
from pyxla.ops import batching
from pyxla.ops.check import check_axis, refuse, require
from pyxla.ops.computation import check_computation, computing, element_types
from pyxla.ops.spell import i64, matrix, plain, spelled

Groups = tuple[tuple[int, ...], ...]


def group_size(op: str, replica_groups: Groups) -> int:
    """How many devices are in each group."""
    sizes = {len(group) for group in replica_groups}
    if len(sizes) != 1 or sizes == {0}:
        refuse(op, f"replica_groups must be non-empty and of one size: {replica_groups}")
    return sizes.pop()


def _groups(replica_groups: Groups, channel_id: int = 1) -> dict[str, str]:
    """Of partitions of one program, which is what devices run: XLA tells them by a channel."""
    return {
        "replica_groups": matrix(replica_groups),
        "channel_handle": _channel(channel_id),
    }


def _global(replica_groups: Groups, channel_id: int = 1) -> dict[str, str]:
    """Where XLA would take the numbers for those of replicas."""
    return {**_groups(replica_groups, channel_id), "use_global_device_ids": "unit"}


def _channel(channel_id: int) -> str:
    return f"#stablehlo.channel_handle<handle = {channel_id}, type = 0>"


def _alone(op: str, x: np.ndarray, replica_groups: Groups) -> np.ndarray:
    require(group_size(op, replica_groups) == 1, op, "NumPy knows one device")
    return x


def _all_reduce(
    x: ArrayType,
    *,
    replica_groups: Groups,
    computation: str = "",
    channel_id: int = 1,
    regions: tuple[Region, ...] = (),
) -> ArrayType:
    group_size("all_reduce", replica_groups)
    check_computation("all_reduce", computation, regions, [x])
    return x


def _reduce_scatter(
    x: ArrayType,
    *,
    scatter_dimension: int,
    replica_groups: Groups,
    computation: str = "",
    channel_id: int = 1,
    regions: tuple[Region, ...] = (),
) -> ArrayType:
    check_axis("reduce_scatter", "scatter_dimension", scatter_dimension, x.ndim)
    check_computation("reduce_scatter", computation, regions, [x])
    return _split("reduce_scatter", x, scatter_dimension, replica_groups)


def _split(op: str, x: ArrayType, axis: int, replica_groups: Groups) -> ArrayType:
    """The share of one device of `x` along `axis`."""
    size = group_size(op, replica_groups)
    if x.shape[axis] % size:
        refuse(op, f"dimension {axis} of {x} does not split into {size} parts")
    return array_type(x.dtype, replaced(x.shape, axis, x.shape[axis] // size))


def _all_gather(
    x: ArrayType, *, all_gather_dim: int, replica_groups: Groups, channel_id: int = 1
) -> ArrayType:
    check_axis("all_gather", "all_gather_dim", all_gather_dim, x.ndim)
    extent = x.shape[all_gather_dim] * group_size("all_gather", replica_groups)
    return array_type(x.dtype, replaced(x.shape, all_gather_dim, extent))


def _all_to_all(
    x: ArrayType,
    *,
    split_dimension: int,
    concat_dimension: int,
    replica_groups: Groups,
    channel_id: int = 1,
) -> ArrayType:
    check_axis("all_to_all", "split_dimension", split_dimension, x.ndim)
    check_axis("all_to_all", "concat_dimension", concat_dimension, x.ndim)
    share = _split("all_to_all", x, split_dimension, replica_groups)
    extent = share.shape[concat_dimension] * len(replica_groups[0])
    return array_type(x.dtype, replaced(share.shape, concat_dimension, extent))


def _collective_permute(
    x: ArrayType, *, source_target_pairs: Groups, channel_id: int = 1
) -> ArrayType:
    for column in zip(*source_target_pairs, strict=True):
        if len(set(column)) != len(column):
            refuse("collective_permute", f"a device is named twice: {source_target_pairs}")
    return x


def _collective_broadcast(
    x: ArrayType, *, replica_groups: Groups, channel_id: int = 1
) -> ArrayType:
    group_size("collective_broadcast", replica_groups)
    return x


# Derivatives, of what is linear: sums, and what only moves.


def _again(instr: Instr, tangents: Sequence[Value | None]) -> Value:
    _check_sum(instr)
    return instr.op(tangents[0], **instr.attrs)


def _check_sum(instr: Instr) -> None:
    if instr.regions or instr.attrs.get("computation", "add") != "add":
        refuse(instr.op.name, "a derivative is known of sums only: computation='add'")


def _reduced_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Value, ...]:
    _check_sum(instr)
    return (all_reduce(ct, **instr.attrs),)


def _scattered_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Value, ...]:
    _check_sum(instr)
    attrs = {k: x for k, x in instr.attrs.items() if k in ("replica_groups", "channel_id")}
    return (all_gather(ct, all_gather_dim=instr.attrs["scatter_dimension"], **attrs),)


def _gathered_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Value, ...]:
    attrs = dict(instr.attrs)
    axis = attrs.pop("all_gather_dim")
    return (reduce_scatter(ct, scatter_dimension=axis, computation="add", **attrs),)


def _exchanged_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Value, ...]:
    attrs = dict(instr.attrs)
    back = {"split_dimension": attrs["concat_dimension"]}
    back["concat_dimension"] = attrs["split_dimension"]
    return (all_to_all(ct, **(attrs | back)),)


def _permuted_vjp(instr: Instr, ct: Value, wanted: Sequence[bool]) -> tuple[Value, ...]:
    attrs = dict(instr.attrs)
    back = tuple([(target, source) for source, target in attrs["source_target_pairs"]])
    return (collective_permute(ct, **(attrs | {"source_target_pairs": back})),)


DEVICE_NUMBER = array_type(np.dtype(np.uint32))


def _element_block(x: ArrayType, **_: Any) -> dict[str, Any]:
    return {"computation": element_types([x, x])}


all_reduce = Op(
    "all_reduce",
    _all_reduce,
    numpy=lambda x, replica_groups, **_: _alone("all_reduce", x, replica_groups),
    emit=computing(
        "all_reduce",
        lambda replica_groups, computation="", channel_id=1: _global(replica_groups, channel_id),
    ),
    blocks=_element_block,
    jvp=_again,
    vjp=_reduced_vjp,
    batch=batching.again,
)
reduce_scatter = Op(
    "reduce_scatter",
    _reduce_scatter,
    numpy=lambda x, replica_groups, **_: _alone("reduce_scatter", x, replica_groups),
    emit=computing(
        "reduce_scatter",
        lambda scatter_dimension, replica_groups, computation="", channel_id=1: {
            "scatter_dimension": i64(scatter_dimension),
            **_global(replica_groups, channel_id),
        },
    ),
    blocks=_element_block,
    jvp=_again,
    vjp=_scattered_vjp,
    batch=batching.shifted("scatter_dimension"),
)
all_gather = Op(
    "all_gather",
    _all_gather,
    numpy=lambda x, replica_groups, **_: _alone("all_gather", x, replica_groups),
    emit=spelled(
        "all_gather",
        lambda all_gather_dim, replica_groups, channel_id=1: {
            "all_gather_dim": i64(all_gather_dim),
            **_global(replica_groups, channel_id),
        },
    ),
    jvp=_again,
    vjp=_gathered_vjp,
    batch=batching.shifted("all_gather_dim"),
)
all_to_all = Op(
    "all_to_all",
    _all_to_all,
    numpy=lambda x, replica_groups, **_: _alone("all_to_all", x, replica_groups),
    emit=spelled(
        "all_to_all",
        lambda *, split_dimension, concat_dimension, replica_groups, channel_id=1: {
            "split_dimension": i64(split_dimension),
            "concat_dimension": i64(concat_dimension),
            "split_count": i64(len(replica_groups[0])),
            **_groups(replica_groups, channel_id),
        },
    ),
    jvp=_again,
    vjp=_exchanged_vjp,
    batch=batching.shifted("split_dimension", "concat_dimension"),
)
collective_permute = Op(
    "collective_permute",
    _collective_permute,
    numpy=lambda x, source_target_pairs, channel_id=1: (
        x if (0, 0) in source_target_pairs else np.zeros_like(x)
    ),
    emit=spelled(
        "collective_permute",
        lambda *, source_target_pairs, channel_id=1: {
            "source_target_pairs": matrix(source_target_pairs),
            "channel_handle": _channel(channel_id),
        },
    ),
    jvp=_again,
    vjp=_permuted_vjp,
    batch=batching.again,
)
collective_broadcast = Op(
    "collective_broadcast",
    _collective_broadcast,
    numpy=lambda x, replica_groups, **_: _alone("collective_broadcast", x, replica_groups),
    emit=spelled("collective_broadcast", _groups),
    batch=batching.again,
)
partition_id = Op(
    "partition_id",
    lambda: DEVICE_NUMBER,
    numpy=lambda: np.uint32(0),
    emit=plain("partition_id"),
)
replica_id = Op(
    "replica_id",
    lambda: DEVICE_NUMBER,
    numpy=lambda: np.uint32(0),
    emit=plain("replica_id"),
)
COMMUNICATING = frozenset(
    {
        all_gather,
        all_reduce,
        all_to_all,
        collective_broadcast,
        collective_permute,
        partition_id,
        reduce_scatter,
        replica_id,
    }
)


def depends_on_device(instr: Instr) -> bool:
    """Whether an instruction gives another result on each device, for the same operands."""
    return instr.op in COMMUNICATING or bool(instr.attrs.get("axes"))


def check_devices(instrs: Iterable[Instr], count: int, apart: bool) -> None:
    """Refuse groups with devices that do not run the program.

    count: of those that do.  apart: each runs it for itself, as under `shard_map`.
    """
    for instr in instrs:
        groups = instr.attrs.get("replica_groups", instr.attrs.get("source_target_pairs", ()))
        named = {device for group in groups for device in group}
        if instr.op in COMMUNICATING and named != {0} and named:
            if not apart:
                raise CompileError(
                    f"{instr.op.name} is for programs that each device runs for itself",
                    instr.loc,
                    hint="call the compiled function under jax.shard_map",
                )
            if max(named) >= count:
                raise CompileError(
                    f"{instr.op.name}: device {max(named)} is not among the {count} of the mesh",
                    instr.loc,
                )
