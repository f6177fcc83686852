"""What XLA made of programs, as bytes, and called without JAX's lowering in front.

    binary(jitted, operands)     the executable that a call ran
    revived(name, data, ...)     called as a jitted function is
    settings()                   what it depends on besides the program

JAX's `serialize_executable` is this with `pickle`, which runs what it reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import ShapedArray
from jax.sharding import SingleDeviceSharding
from jaxlib import _jax, lapack

from pyxla import journal
from pyxla.ir.types import ArrayType, array_type
from pyxla.runtime.jaxlink import call_scoped, environment, outermost, scoped
from pyxla.runtime.jaxprivate import core, pxla, stages
from pyxla.runtime.trimmed import trimmed


class Later:
    """A jitted function that `make` makes when it is called."""

    __slots__ = ("_make", "made")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self.made: Any = None

    def __call__(self, *args: Any) -> list[Any]:
        if self.made is None:
            self.made = self._make()
        return self.made(*args)


class _Restored:
    """An executable of XLA's; under a trace, and for arrays elsewhere, what `later` compiles."""

    __slots__ = ("_call", "_later")

    def __init__(self, call: Any, later: Later) -> None:
        self._call, self._later = call, later

    def __call__(self, *args: Any) -> list[Any]:
        try:
            return self._call(*args)
        except (TypeError, ValueError):  # raised before anything is run
            return self._later(*args)


def like(x: Any) -> Any:
    """What stands for an operand where a function is lowered."""
    return jax.ShapeDtypeStruct(x.shape, x.dtype) if isinstance(x, np.ndarray) else x


def binary(jitted: Any, given: Sequence[Any]) -> Any:
    """(bytes, types, used) of the executable that calls with operands like these ran; None where
    none can be kept: it calls Python, or is not on the default device alone.

    types: of the operands.  used: the positions of those that the executable takes.
    """
    function = outermost(jitted.made if isinstance(jitted, Later) else jitted)
    if not core.trace_state_clean() or function is None or isinstance(function, _Restored):
        return None
    if not function._cache_size():  # it did not come to that
        return None
    compiled = call_scoped(lambda *xs: function.lower(*xs).compile(), given)
    made = getattr(compiled._executable, "_unloaded_executable", None)
    if made is None or made.host_callbacks or made.keepalive or made.mut is not None:
        return None
    if made.unordered_effects or made.ordered_effects or compiled._params.const_args:
        return None
    here = SingleDeviceSharding(_device())
    if any(s != here for s in (*made.input_shardings, *made.output_shardings)):
        return None
    if any(layout is not None for layout in made.dispatch_in_layouts):
        return None
    if not all(target.startswith(_LAPACK) for target in _calls(made.xla_executable)):
        return None
    with scoped():
        avals = [core.shaped_abstractify(x) for x in given]
    types = tuple([array_type(aval.dtype, aval.shape) for aval in avals])
    try:
        data = made.backend.serialize_executable(made.xla_executable)
    except jax.errors.JaxRuntimeError as error:  # XLA:CPU has no form for its fastest sorts
        journal.note("cache", f"it is not kept on disk: {str(error).partition(chr(10))[0]}")
        return None
    if made.backend.platform == "cpu":
        data = trimmed(data, _is_eager(made.xla_executable))
    return data, types, tuple(sorted(made.kept_var_idx))


# XLA:CPU runs what counts fewer operations in the thread that calls it.
_EAGER = 1000


def _is_eager(executable: Any) -> bool:
    return bool(executable.cost_analysis().get("flops", 0.0) < _EAGER)


# Functions in C that another process has, too, once JAX has looked for them.
_LAPACK = "lapack_"


def _calls(executable: Any) -> set[str]:
    """What an executable calls that is registered by name."""
    found: set[str] = set()
    for module in executable.hlo_modules():
        found.update(re.findall(r'custom_call_target="([^"]*)"', module.to_string()))
    return found


def revived(
    name: str,
    data: bytes,
    given: Sequence[ArrayType],
    results: Sequence[ArrayType],
    used: Sequence[int],
    later: Later,
) -> Any:
    """The executable in `data`, as `binary` gave it, as a jitted function is called.

    Raises what XLA raises where it cannot read it.
    """
    if _LAPACK.encode() in data:
        lapack.prepare_lapack_call("getrf", np.float64)
    device = _device()
    here = SingleDeviceSharding(device)
    devices = _jax.DeviceList((device,))
    avals = [ShapedArray(t.shape, t.dtype) for t in given]
    taken, made = [avals[i] for i in used], [ShapedArray(t.shape, t.dtype) for t in results]
    unloaded = pxla.UnloadedMeshExecutable(
        xla_executable=device.client.deserialize_executable(data, executable_devices=devices),
        device_list=devices,
        backend=device.client,
        input_avals=taken,
        input_shardings=[here] * len(taken),
        output_avals=made,
        output_shardings=[here] * len(made),
        committed=False,
        name=name,
        unordered_effects=[],
        ordered_effects=[],
        keepalive=[],
        host_callbacks=[],
        kept_var_idx=set(used),
        mut=None,
        xla_in_layouts=[None] * len(taken),
        dispatch_in_layouts=[None] * len(taken),
        xla_out_layouts=[None] * len(made),
        all_args_info=None,
        pgle_profiler=None,
    )
    info = tuple([stages.ArgInfo(aval, False) for aval in avals])
    tree = jax.tree.structure([0] * len(made))
    return _Restored(stages.Compiled(unloaded.load(), [], (info, {}), tree), later)


def _device() -> Any:
    """The device that programs run on where nothing says another."""
    given = jax.config.jax_default_device  # type: ignore[attr-defined]
    return given if isinstance(given, _jax.Device) else jax.local_devices(backend=given)[0]


def scoped_by_jax() -> bool:
    """Whether JAX has a mesh or named axes in scope."""
    axes, mesh = environment()
    return not mesh.empty or bool(axes.axis_sizes)


def settings() -> str:
    """JAX's settings, and the device, as far as programs may depend on them."""
    known = jax.config.values
    names = sorted([name for name in known if "cache" not in name])
    values = [f"{name}={getattr(jax.config, name, known[name])!r}" for name in names]
    device = _device()
    about = f"{device.device_kind} {device.id} {device.client.platform_version}"
    return f"{device.platform} {about} {values}"
