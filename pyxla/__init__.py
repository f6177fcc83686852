"""Ordinary Python functions over NumPy arrays, compiled ahead of time into one XLA module."""

from pyxla import hlo, jaxcalls, ways  # noqa: F401 - what calls of jax.* do in compiled code
from pyxla.api import build, compile, load
from pyxla.errors import CompileError
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
from pyxla.runtime.placement import shard
from pyxla.types import (
    bf16,
    bool_,
    c64,
    c128,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    static,
    u8,
    u16,
    u32,
    u64,
)

__version__ = "0.1.0"
__all__ = [
    "CompileError",
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
    "fixed_point",
    "functional",
    "grad",
    "hessian",
    "hlo",
    "i16",
    "i32",
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
    "u64",
    "u8",
    "value_and_grad",
    "vjp",
    "vmap",
]
