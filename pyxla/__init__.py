"""Ordinary Python functions over NumPy arrays, compiled ahead of time into one XLA module.

What calls programs is imported here; what makes them, and looks at them, when it is asked for.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pyxla.api import build, compile, load
from pyxla.errors import CompileError, NotCompiledWarning
from pyxla.runtime.placement import shard
from pyxla.types import (
    bf16,
    bool_,
    c64,
    c128,
    f8e3m4,
    f8e4m3,
    f8e4m3b11fnuz,
    f8e4m3fn,
    f8e4m3fnuz,
    f8e5m2,
    f8e5m2fnuz,
    f16,
    f32,
    f64,
    i4,
    i8,
    i16,
    i32,
    i64,
    static,
    u4,
    u8,
    u16,
    u32,
    u64,
)

if TYPE_CHECKING:
    from pyxla import hlo
    from pyxla.grad.api import (
        checked,
        functional,
        grad,
        hessian,
        jacfwd,
        jacrev,
        jvp,
        linearize,
        value_and_grad,
        vjp,
    )
    from pyxla.grad.custom import checkpoint, custom_jvp, custom_vjp, stop_gradient
    from pyxla.grad.implicit import fixed_point, root
    from pyxla.grad.vmap import vmap
    from pyxla.hosting import host
    from pyxla.reflect import (
        code_dot,
        code_hlo,
        code_lowered,
        code_ssa,
        code_stablehlo,
        code_typed,
    )
    from pyxla.reporting.api import profile, report
    from pyxla.reporting.explaining import explain
    from pyxla.reporting.notebook import load_ipython_extension

# Where the names are that are imported above for type checkers alone (PEP 562).
_HOMES = {
    "grad.api": "checked functional grad hessian jacfwd jacrev jvp linearize value_and_grad vjp",
    "grad.custom": "checkpoint custom_jvp custom_vjp stop_gradient",
    "grad.implicit": "fixed_point root",
    "grad.vmap": "vmap",
    "hosting": "host",
    "reflect": "code_dot code_hlo code_lowered code_ssa code_stablehlo code_typed",
    "reporting.api": "profile report",
    "reporting.explaining": "explain",
    "reporting.notebook": "load_ipython_extension",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def _load(name: str) -> Any:
    if name == "hlo":
        return importlib.import_module("pyxla.hlo")
    if name not in _HOME:
        raise AttributeError(f"module 'pyxla' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"pyxla.{_HOME[name]}"), name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # for whom there would be every name
    __getattr__ = _load


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """`pyxla.grad` is a function, whatever the import of the folder of that name binds."""

    @property
    def grad(self) -> Any:
        return vars(self).get("grad") or _load("grad")

    @grad.setter
    def grad(self, _: Any) -> None:
        pass


sys.modules[__name__].__class__ = _Package


__version__ = "0.1.0"
__all__ = [
    "CompileError",
    "NotCompiledWarning",
    "bf16",
    "bool_",
    "build",
    "c128",
    "c64",
    "checked",
    "checkpoint",
    "code_dot",
    "code_hlo",
    "code_lowered",
    "code_ssa",
    "code_stablehlo",
    "code_typed",
    "compile",
    "custom_jvp",
    "custom_vjp",
    "explain",
    "f16",
    "f32",
    "f64",
    "f8e3m4",
    "f8e4m3",
    "f8e4m3b11fnuz",
    "f8e4m3fn",
    "f8e4m3fnuz",
    "f8e5m2",
    "f8e5m2fnuz",
    "fixed_point",
    "functional",
    "grad",
    "hessian",
    "hlo",
    "host",
    "i16",
    "i32",
    "i4",
    "i64",
    "i8",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "load",
    "load_ipython_extension",
    "profile",
    "report",
    "root",
    "shard",
    "static",
    "stop_gradient",
    "u16",
    "u32",
    "u4",
    "u64",
    "u8",
    "value_and_grad",
    "vjp",
    "vmap",
]
