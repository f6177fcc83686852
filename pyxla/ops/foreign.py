"""Ops whose code is elsewhere: custom calls, functions of JAX's, Python on the host."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from pyxla.ir.op import Op
from pyxla.ir.types import I32, ArrayType
from pyxla.ops import batching
from pyxla.ops.check import check_same, listed, refuse
from pyxla.ops.spell import flag, quoted

Types = tuple[ArrayType, ...]
Scalar = bool | int | float | str


def _custom_call(
    *operands: ArrayType,
    call_target_name: str,
    result_types: Types,
    backend_config: dict[str, Scalar] | None = None,
    has_side_effect: bool = False,
) -> Types:
    if not isinstance(call_target_name, str) or not call_target_name:
        refuse("custom_call", "call_target_name must name a registered target")
    config = {} if backend_config is None else backend_config
    if not isinstance(config, dict) or not all(isinstance(x, Scalar) for x in config.values()):
        refuse("custom_call", "backend_config must be a dict of known numbers and texts")
    return result_types


def _configured(config: dict[str, Scalar]) -> str:
    """The attributes of a typed FFI call."""
    fields = []
    for name, value in config.items():
        if isinstance(value, bool):
            text = flag(value)
        elif isinstance(value, str):
            text = quoted(value)
        else:
            text = f"{value} : i64" if isinstance(value, int) else f"{float(value)!r} : f64"
        fields.append(f"{name} = {text}")
    return "{" + ", ".join(fields) + "}"


def _emit_custom_call(e: Any, instr: Any, operands: Any) -> Any:
    attrs = instr.attrs
    attributes = {
        "call_target_name": quoted(attrs["call_target_name"]),
        "has_side_effect": flag(attrs.get("has_side_effect", False)),
        "api_version": "4 : i32",
        "backend_config": _configured(attrs.get("backend_config") or {}),
    }
    return e.op("stablehlo.custom_call", instr, operands, attributes)


def _foreign(
    *operands: ArrayType,
    function: Callable[..., Any],
    parameter_types: Types,
    result_types: Types,
    name: str = "foreign",
    numpy: Callable[..., Any] | None = None,
    axes: tuple[Any, ...] = (),
    sharding: Any = None,
) -> Types:
    """The JAX function `function` takes arrays of `parameter_types` and returns a list of those of
    `result_types`; JAX differentiates it, and writes its code where the module is made.

    numpy: what it computes, on arrays.  axes: the named axes over which it communicates.  sharding:
    one over the devices that it names.
    """
    if len(operands) != len(parameter_types):
        refuse(name, f"operands must be ({listed(parameter_types)}), got ({listed(operands)})")
    for operand, expected in zip(operands, parameter_types, strict=True):
        check_same(name, operand, expected)
    return result_types


def _foreign_numpy(*operands: np.ndarray, numpy: Callable[..., Any] | None = None, **_: Any) -> Any:
    if numpy is None:
        refuse("foreign", "foreign code has no meaning in NumPy")
    return numpy(*operands)


# Far below what an order is: taken off that of a call that is not to be made.
STOPPED = 1 << 30


def _host_call(
    order: ArrayType,
    *operands: ArrayType,
    function: Callable[..., Any],
    result_types: Types = (),
    counted: bool = False,
    reads: bool = False,
) -> Types:
    """`function(*arrays)` runs on the host, after the calls that `order` depends on, and returns a
    sequence of arrays of `result_types`; the first result is the order of what follows.

    counted: that is one more, and a call of an order below 0 is not made: a run before this one
    made it.  One of less than -STOPPED / 2 is left out, and its order is given back as it was.
    reads: it changes nothing, so that it is made again, and not counted.
    """
    check_same("host_call", order, I32)
    return (I32, *result_types)


def called(attrs: dict[str, Any], order: int, *arrays: np.ndarray) -> tuple[Any, ...]:
    """What the host does for a call: the order of what follows, and the results."""
    types, reads = attrs.get("result_types", ()), attrs.get("reads", False)
    stopped = order < -STOPPED // 2
    if stopped or (order < 0 and not reads):
        results: Any = [np.zeros(t.shape, t.dtype) for t in types]
    else:
        results = attrs["function"](*arrays) or ()
    after = STOPPED if stopped else attrs.get("counted", False) and not reads
    return (np.asarray(order + after, np.int32), *results)


# What Python raised that programs called, by the number that the program knows of it.
_raised: dict[int, BaseException] = {}
_numbers = itertools.count(1)
MOST_RAISED = 100  # the last ones: clauses of programs may take many, which nobody asks for


def note_raised(error: BaseException) -> int:
    """The number of an exception."""
    number = next(_numbers)
    _raised[number] = error
    while len(_raised) > MOST_RAISED:
        _raised.pop(next(iter(_raised)), None)
    return number


class HostError(BaseException):
    """Stands for what a function on the host raised; made with its number, it is that exception."""

    def __new__(cls, number: int) -> Any:
        return _raised[number]

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> BaseException:
        return _raised[fields["number"]]


@functools.cache
def host_error(cls: type[BaseException]) -> type[HostError]:
    """What stands for an exception that is an instance of `cls`, of which clauses know."""
    return type(cls.__name__, (HostError, cls), {})


custom_call = Op("custom_call", _custom_call, emit=_emit_custom_call, batch=batching.one_by_one)
foreign = Op(
    "foreign",
    _foreign,
    numpy=_foreign_numpy,
    emit=lambda e, instr, operands: e.foreign_call(instr, operands),
)
host_call = Op(
    "host_call",
    _host_call,
    emit=lambda e, instr, operands: e.host_call(instr, operands),
    effect=True,
)
