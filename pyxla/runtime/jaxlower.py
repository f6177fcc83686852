"""What JAX lowers programs with: the code of a program in a module of JAX's, or of its own.

    lower(ctx, *operands, program=, given=)    the rule of the primitive that programs are
    module(program), stablehlo(program)    a module of its own, in memory or as text

What a module is made for, JAX's context says: platforms, and how many partitions.  The passes of
`lower.cpu` are for code of one device that is a CPU; all else gets the plain form of a program.
JAX functions that a program calls are lowered by JAX in the same context.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import numpy as np
from jax import lax
from jax.core import ShapedArray
from jax.extend.mlir.dialects import chlo, func
from jax.extend.mlir.dialects import stablehlo as stablehlo_dialect
from jax.interpreters import mlir

from pyxla.errors import CompileError, InternalError, Location
from pyxla.ir.rewrite import ops_in, walk
from pyxla.ir.types import ArrayType, array_type
from pyxla.lower.accelerators import as_numpy
from pyxla.lower.emit import emit_function, emit_here, empty_module
from pyxla.lower.exact import exact_arithmetic
from pyxla.lower.partial import in_parts
from pyxla.lower.windows import whole_arrays
from pyxla.ops.collective import check_devices
from pyxla.runtime import jaxprivate, waiting
from pyxla.runtime.jaxlink import default_platform, foreign_scope

if TYPE_CHECKING:
    from pyxla.runtime.programs import Program

T = TypeVar("T")


def lower(ctx: Any, *operands: Any, program: Program, given: Any) -> Sequence[Any]:
    module = ctx.module_context
    tuned = _one_partition_of_cpu(ctx)
    key = (program, tuned, module.axis_context)
    function = module.cached_primitive_lowerings.get(key)
    if function is None:
        region = exact_arithmetic(program.form(tuned), program.options.fast)
        if not _for_cpu(ctx):
            region = as_numpy(region, _precision(program.options.fast))
        count, manual = _devices(module.axis_context)
        if count > 1 and not manual:
            region = in_parts(whole_arrays(region))
        check_devices(walk(region.instrs), count, manual)
        host = functools.partial(_host_call, ctx)
        if ctx.dim_var_values:  # no function of its own: JAX's code reads the numbers of platforms
            return _emit(ctx, program, emit_here, region, operands, host=host)
        name = _emit(
            ctx, program, emit_function, region, program.name, visibility="private", host=host
        )
        function = module.cached_primitive_lowerings[key] = module.symbol_table[name]
    results = func.CallOp(function, list(operands)).results  # type: ignore[call-arg, arg-type]
    pairs = zip(results, ctx.avals_out, strict=True)
    return [jaxprivate.lower_with_sharding_in_types(ctx, x, aval) for x, aval in pairs]


def _precision(fast: bool) -> str:
    """Of products of 32-bit floats, by XLA's names: what the user's setting of JAX's says; else
    NumPy's, or with `fast` what the platform likes."""
    named = jax.config.jax_default_matmul_precision  # type: ignore[attr-defined]
    try:
        return "DEFAULT" if named is None and fast else lax.Precision(named or "highest").name
    except ValueError:  # the name of an algorithm, which says how and not how precisely
        return "HIGHEST"


def _for_cpu(ctx: Any) -> bool:
    return tuple(ctx.platforms or ctx.module_context.platforms) == ("cpu",)


def _one_partition_of_cpu(ctx: Any) -> bool:
    """Whether what is lowered is code of one device, and that a CPU: what is for it alone may be in
    the module then.  In the code of many devices it would stand in the partitioner's way."""
    module = ctx.module_context
    axes = module.axis_context
    if not _for_cpu(ctx):
        return False
    if isinstance(axes, mlir.SPMDAxisContext):
        return set(axes.mesh.axis_names) == axes.manual_axes
    return getattr(axes, "num_devices", 1) == 1


def _devices(axes: Any) -> tuple[int, bool]:
    """How many devices run what is lowered, and whether each runs it for itself."""
    if isinstance(axes, mlir.SPMDAxisContext):
        return axes.mesh.size, set(axes.mesh.axis_names) == axes.manual_axes
    return getattr(axes, "num_devices", 1), False


def _emit(ctx: Any, program: Program, emit: Callable[..., T], *what: Any, **how: Any) -> T:
    """Emit a program into the module that is lowered."""
    module = ctx.module_context
    foreign = functools.partial(_foreign_call, ctx)
    try:
        return emit(module.module, *what, symbols=module.symbol_table, foreign=foreign, **how)
    except CompileError as error:
        error.loc = error.loc or _first_line(program)
        raise
    except Exception as error:
        raise InternalError(error, _first_line(program)) from error


def _foreign_call(
    ctx: Any,
    function: Callable[..., list[Any]],
    operands: Sequence[Any],
    types: Sequence[ArrayType],
) -> Sequence[Any]:
    """The code of a JAX function, as JAX lowers it for the module; once in it, however often it is
    called."""
    avals = [ShapedArray(t.shape, t.dtype, weak_type=t.weak) for t in types]
    with foreign_scope():
        size = mlir.aval_to_ir_type(ctx.module_context, jaxprivate.core.dim_value_aval())
        inner = ctx.replace(
            primitive=None,
            avals_in=avals,
            avals_out=None,
            tokens_in=mlir.TokenSet(),
            tokens_out=None,
            const_lowering={},
            dim_var_values=[
                x if x.type == size else stablehlo_dialect.convert(size, x)
                for x in ctx.dim_var_values
            ],
        )
        return mlir.lower_fun(jax.jit(function))(inner, *operands)


def _first_line(program: Program) -> Location | None:
    return next((i.loc for i in program.region.instrs if i.loc is not None), None)


# What Python raised that a program called, until `raised_on_host` takes it.
_raised: list[Exception] = []


def raised_on_host() -> Exception | None:
    """The exception for which a program failed that called Python, as a warning may be one."""
    return _raised.pop() if _raised else None


def _host_call(
    ctx: Any,
    function: Callable[..., tuple[Any, ...]],
    operands: Sequence[Any],
    types: Sequence[ArrayType],
    results: Sequence[ArrayType],
) -> Sequence[Any]:
    """Code that calls `function` on `operands`; it returns the order of what follows, and more."""

    def called(order: Any, *arrays: Any) -> list[np.ndarray]:
        waiting.check()
        try:
            return [_words(x) for x in function(int(order), *map(np.asarray, arrays))]
        except Exception as error:
            _raised[:] = [error]  # under a trace nobody takes it
            raise

    avals = [ShapedArray(t.shape, t.dtype) for t in types]
    words = [_words(np.broadcast_to(np.zeros((), t.dtype), t.shape)) for t in results]
    made = [ShapedArray(x.shape, x.dtype) for x in words]
    axes = ctx.module_context.axis_context
    alone = getattr(axes, "num_devices", 0) == 1
    try:
        found, _, _ = mlir.emit_python_callback(
            ctx.replace(avals_in=avals, avals_out=made),
            called,
            None,
            list(operands),
            avals,
            made,
            has_side_effect=True,
            returns_token=False,
            # Of many devices, one calls with the whole arrays; under `shard_map` each with its own.
            sharding=None if alone else jaxprivate.callback._callback_op_sharding(axes, None, made),
        )
    except ValueError as error:  # JAX has no device here that could call
        raise CompileError(
            f"a program that prints or calls Python cannot be made for elsewhere: {error}",
            hint="return what is to be printed",
        ) from error
    if not any(_is_wide(t.dtype) for t in results):
        return found

    def whole(*given: Any) -> list[Any]:
        return [_whole(x, t.dtype) for x, t in zip(given, results, strict=True)]

    return _foreign_call(ctx, whole, found, [array_type(x.dtype, x.shape) for x in words])


def _is_wide(dtype: np.dtype) -> bool:
    return dtype.itemsize == (16 if dtype.kind == "c" else 8)


def _words(x: np.ndarray) -> np.ndarray:
    """64-bit numbers as pairs of words: JAX narrows what callbacks return, as the settings say of
    whatever thread they run in."""
    if not _is_wide(x.dtype):
        return x
    if x.dtype.kind == "c":
        x = np.stack([x.real, x.imag])
    return np.ascontiguousarray(x)[..., None].view(np.uint32).reshape(*x.shape, 2)


def _whole(x: Any, dtype: np.dtype) -> Any:
    """What words are of."""
    if not _is_wide(dtype):
        return x
    if dtype.kind == "c":
        return lax.complex(*lax.bitcast_convert_type(x, np.float64))
    return lax.bitcast_convert_type(x, dtype)


def stablehlo(program: Program, locations: bool = False) -> str:
    """The program as a StableHLO module of its own, as text."""
    return module(program).operation.get_asm(enable_debug_info=locations)


def module(program: Program) -> Any:
    """The program as a StableHLO module of its own, in memory."""
    foreign = any(op.name == "foreign" for op in ops_in((program.region,)))
    context = mlir.make_ir_context() if foreign else _context()
    made = empty_module(context, program.name)
    ctx = _context_of(made, program.options.platforms or (default_platform(),))
    _emit(ctx, program, emit_function, program.form(_one_partition_of_cpu(ctx)))
    return made


def _context_of(module: Any, platforms: Sequence[str]) -> Any:
    """What JAX lowers in, for a module of our own and one device."""
    made = mlir.ModuleContext(
        context=module.context,
        module=module,
        platforms=platforms,
        backend=None,
        axis_context=mlir.ShardingContext(1),
        keepalives=[],
        channel_iterator=itertools.count(1),
        host_callbacks=[],
        lowering_parameters=mlir.LoweringParameters(),
    )
    return mlir.LoweringRuleContext(
        module_context=made,
        name_stack=jaxprivate.source_info_util.new_name_stack(),
        traceback=None,
        primitive=None,
        avals_in=(),
        avals_out=None,
        tokens_in=mlir.TokenSet(),
        tokens_out=None,
        const_lowering={},
    )


def _context() -> Any:
    """An MLIR context that knows what our ops emit.

    One that knows all that JAX may emit costs as much to set up as a thousand ops to emit.
    """
    context: Any = jaxprivate.JaxIrContext()
    context.append_dialect_registry(jaxprivate.upstream_dialects)
    stablehlo_dialect.register_dialect(context)
    chlo.register_dialect(context)
    _ = context.dialects["func"]  # loads it
    return context
