"""Programs as JAX primitives: the one file that speaks JAX's semi-public interfaces.

    bind(program, *args)     the program as one equation, in whatever trace is active
    jit(program)             the program as a function dispatched by `jax.jit`
    scoped()                 64-bit types for the extent of a `with`, the user's setting untouched
    stablehlo, lowered, exported    its module, in the forms that print, compile and travel
    set_derivatives(...), set_batch(...)    install how programs are differentiated and batched

The primitive `pyxla_call` has one parameter that matters, a finished `Program` hashed by identity.
Abstract evaluation only reads its types; all inference happened before.  Lowering emits the region
as a private function of the module being lowered, once per module, and calls it: that for one
partition of XLA:CPU, or the plain one, by what is lowered for.  JAX functions that it calls are
lowered there too.

Emission does not go through JAX's dtype canonicalization, so 64-bit values inside a program survive
in a module that is lowered with 64-bit types switched off.  Arguments do not: those that a trace
holds in another precision are converted at the boundary, by `bind`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import numpy as np
from jax import export
from jax._src import config, core, literals, source_info_util
from jax._src.array import ArrayImpl
from jax._src.interpreters.mlir import JaxIrContext, upstream_dialects
from jax._src.util import weakref_cache_key_types
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.extend.mlir.dialects import chlo, func
from jax.extend.mlir.dialects import stablehlo as stablehlo_dialect
from jax.interpreters import ad, batching, mlir
from jaxlib import _jax

from pyxla import journal
from pyxla.errors import CompileError, InternalError, Location
from pyxla.ir.rewrite import ops_in
from pyxla.ir.types import ArrayType
from pyxla.lower.cost import is_light
from pyxla.lower.cpu.barriers import may_hold
from pyxla.lower.cpu.registers import all_over_elements
from pyxla.lower.emit import emit_function, emit_here, empty_module
from pyxla.lower.quotients import exact_quotients

if TYPE_CHECKING:
    from pyxla.runtime.executable import Program

T = TypeVar("T")
ARRAY = ArrayImpl  # the class of concrete arrays; tracers have others
# What a NumPy array or a Python number is to JAX on its way through `vjp` and the like, and back.
LITERALS: dict[type, Callable[[Any], Any]] = {
    literals.TypedInt: int,
    literals.TypedFloat: float,
    literals.TypedComplex: complex,
    literals.TypedNdArray: np.asarray,
}
pyxla_call = Primitive("pyxla_call")
pyxla_call.multiple_results = True


def scoped() -> Any:
    """A context in which 64-bit types exist, whatever the user's `jax_enable_x64` says."""
    return jax.enable_x64(True)


swap, restored = config.enable_x64.swap_local, config.enable_x64.set_local


def call_scoped(function: Callable[..., T], operands: Sequence[Any]) -> T:
    """`function(*operands)` inside `scoped()`, for a third of its time."""
    before = swap(True)
    try:
        return function(*operands)
    finally:
        restored(before)


@contextlib.contextmanager
def narrow() -> Iterator[None]:
    """A context in which JAX makes 32-bit types, and takes and keeps 64-bit ones."""
    with jax.enable_x64(False), config.explicit_x64_dtypes("allow"):
        yield


def held_weakly(cls: type[T]) -> type[T]:
    """A class whose instances JAX's caches do not keep alive: a program has all of its code."""
    weakref_cache_key_types.add(cls)
    return cls


def bind(program: Program, *args: Any) -> list[Any]:
    """Apply `program` to flat arguments in the active trace: a list of flat results."""
    with scoped():
        operands = [_as_param(x, t) for x, t in zip(args, program.params, strict=True)]
        return pyxla_call.bind(*_same_axes(operands), program=program)


def _as_param(x: Any, type: Any) -> Any:
    """`x` with the dtype of its parameter; the shape is the specialization's by construction."""
    if isinstance(x, jax.Array):
        return x if x.dtype == type.dtype else jax.lax.convert_element_type(x, type.dtype)
    return np.asarray(x, type.dtype)


@contextlib.contextmanager
def foreign_scope() -> Iterator[None]:
    """In which functions of JAX's are traced that programs call: 64-bit types, and no distinction
    between what is the same on all devices and what is not, which our types do not make."""
    with scoped(), config._check_vma(False):
        yield


def environment() -> Any:
    """The named axes and the mesh that JAX has in scope: the same object for equal ones."""
    return _environment(core.get_axis_env(), jax.sharding.get_abstract_mesh())


@functools.lru_cache(maxsize=256)
def _environment(axes: Any, mesh: Any) -> Any:
    return axes, mesh


def result_types(
    function: Callable[..., list[Any]], types: Sequence[ArrayType]
) -> Sequence[Any] | None:
    """Shapes and dtypes of the results of a JAX function of flat arrays; None if it calls Python
    while it runs."""
    with foreign_scope():
        traced = jax.jit(function).trace(*map(_struct, types))
    return None if _calls_python(traced.jaxpr.jaxpr) else traced.out_info


def _struct(type: ArrayType) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(type.shape, type.dtype, weak_type=type.weak)


def _calls_python(jaxpr: Any) -> bool:
    printing = any(not isinstance(effect, core.NamedAxisEffect) for effect in jaxpr.effects)
    pure = any("callback" in equation.primitive.name for equation in jaxpr.eqns)
    return printing or pure or any(map(_calls_python, core.subjaxprs(jaxpr)))


def is_key(x: Any) -> bool:
    """Whether an array is one of typed keys."""
    return jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)


def generator(x: Any) -> Any:
    """The random number generator that typed keys are for; None of other arrays."""
    return jax.random.key_impl(x) if is_key(x) else None


def settled(x: Any) -> Any:
    """A tracer that holds what its type says, in `scoped()` too.

    Where 64-bit types are off, JAX takes a NumPy array in double precision for one in single, which
    it becomes when it is used.
    """
    return x if jax.config.jax_enable_x64 else jax.numpy.array(x, copy=True)  # type: ignore[attr-defined]


def _same_axes(operands: list[Any]) -> list[Any]:
    """Inside `shard_map`, mark all operands as varying over the axes that any of them varies on."""
    axes = [_varying(jax.typeof(x)) for x in operands]
    union = frozenset().union(*axes)
    if not union:
        return operands
    order = tuple(sorted(union, key=str))
    return [
        jax.lax.pcast(x, tuple(a for a in order if a not in own), to="varying")
        if own != union
        else x
        for x, own in zip(operands, axes, strict=True)
    ]


def _varying(aval: Any) -> frozenset[Any]:
    return getattr(getattr(aval, "manual_axis_type", None), "varying", frozenset())


@pyxla_call.def_impl
def _run(*args: Any, program: Program) -> list[Any]:
    with scoped():
        return _eager(program)(*args)


@pyxla_call.def_abstract_eval
def _abstract(*avals: Any, program: Program) -> list[ShapedArray]:
    if not any(map(_varying, avals)):
        return [ShapedArray(t.shape, t.dtype) for t in program.results]
    like = avals[0]
    return [
        like.update(
            shape=t.shape,
            dtype=t.dtype,
            weak_type=False,
            sharding=like.sharding.update(spec=jax.P(*[None] * t.ndim)),
        )
        for t in program.results
    ]


def _lower(ctx: Any, *operands: Any, program: Program) -> Sequence[Any]:
    module = ctx.module_context
    tuned = _one_partition_of_cpu(ctx)
    key = (program, tuned, module.axis_context)
    function = module.cached_primitive_lowerings.get(key)
    if function is None:
        region = exact_quotients(program.form(tuned), program.options.fast)
        host = functools.partial(_host_call, ctx)
        if ctx.dim_var_values:  # no function of its own: JAX's code reads the numbers of platforms
            return _emit(ctx, program, emit_here, region, operands, host=host)
        name = _emit(
            ctx, program, emit_function, region, program.name, visibility="private", host=host
        )
        function = module.cached_primitive_lowerings[key] = module.symbol_table[name]
    return func.CallOp(function, list(operands)).results  # type: ignore[call-arg, arg-type]


def _one_partition_of_cpu(ctx: Any) -> bool:
    """Whether what is lowered is code of one device, and that a CPU: what is for it alone may be in
    the module then.  In the code of many devices it would stand in the partitioner's way."""
    module = ctx.module_context
    axes = module.axis_context
    if tuple(ctx.platforms or module.platforms) != ("cpu",):
        return False
    if isinstance(axes, mlir.SPMDAxisContext):
        return set(axes.mesh.axis_names) == axes.manual_axes
    return getattr(axes, "num_devices", 1) == 1


def _emit(ctx: Any, program: Program, emit: Callable[..., T], *what: Any, **how: Any) -> T:
    """Emit a program into the module that is lowered."""
    module = ctx.module_context
    foreign = functools.partial(_foreign_call, ctx)
    try:
        return emit(module.module, *what, symbols=module.symbol_table, foreign=foreign, **how)
    except CompileError:
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
        size = mlir.aval_to_ir_type(ctx.module_context, core.dim_value_aval())
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


mlir.register_lowering(pyxla_call, _lower)


# What Python raised that a program called, until `raised_on_host` takes it.
_raised: list[Exception] = []


def raised_on_host() -> Exception | None:
    """The exception for which a program failed that called Python, as a warning may be one."""
    return _raised.pop() if _raised else None


def _host_call(
    ctx: Any, function: Callable[..., None], operands: Sequence[Any], types: Sequence[ArrayType]
) -> Any:
    """Code that calls `function` on all but the first of `operands`, which it returns."""

    def called(order: Any, *arrays: Any) -> tuple[Any]:
        try:
            function(*[np.asarray(x) for x in arrays])
        except Exception as error:
            _raised.append(error)
            raise
        return (np.asarray(order),)

    avals = [ShapedArray(t.shape, t.dtype) for t in types]
    (result,), _, _ = mlir.emit_python_callback(
        ctx.replace(avals_in=avals, avals_out=avals[:1]),
        called,
        None,
        list(operands),
        avals,
        avals[:1],
        has_side_effect=True,
        returns_token=False,
    )
    return result


def jit(program: Program, donated: int = 0) -> Any:
    """`program` dispatched by JAX: arrays (or NumPy arrays and scalars) to a list of arrays.

    The first `donated` arguments are not the program's, but buffers for results of their types.
    Call it inside `scoped()`.  The compiled executable lives as long as the returned function,
    to which a program must never refer: JAX's caches lead from the function to the program, and
    a reference back would keep all three forever.
    """

    record = journal.current()

    def call(*args: Any) -> list[Any]:
        journal.traced(record, program.name)
        return bind(program, *args[donated:])

    call.__name__ = call.__qualname__ = program.name
    options = None
    if on_cpu():
        region = program.region
        options = _compiler_options(
            is_light(region),
            all_over_elements(region),
            may_hold(region),
            program.options.strict,
        )
    dispatch = functools.partial(
        jax.jit, call, donate_argnums=tuple(range(donated)), keep_unused=donated > 0
    )
    if options is None:
        return dispatch()
    return _Tuned(dispatch(compiler_options=options), dispatch())


# The events of JAX's that are stages of ours.
_EVENTS = {
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "stablehlo",
    "/jax/core/compile/backend_compile_duration": "xla",
}


def _heard(event: str, duration_secs: float, **about: Any) -> None:
    if event in _EVENTS:
        journal.heard(about.get("fun_name", ""), _EVENTS[event], duration_secs)


jax.monitoring.register_event_duration_secs_listener(_heard)


class _Tuned:
    """A jitted function with compiler options, which JAX takes outside of other traces only."""

    __slots__ = ("__weakref__", "_inner", "lower", "outer")

    def __init__(self, outer: Any, inner: Any) -> None:
        self.outer = outer
        self._inner = inner
        self.lower = outer.lower

    def __call__(self, *args: Any) -> list[Any]:
        try:
            return self.outer(*args)
        except ValueError as error:
            if not is_traced(error):
                raise
            return self._inner(*args)


def is_traced(error: ValueError) -> bool:
    """Whether JAX refuses compiler options because another trace is under way."""
    return "compiler_options" in str(error)


def outermost(jitted: Any) -> Any:
    """`jitted` without the frame that makes it work inside other traces."""
    return jitted.outer if isinstance(jitted, _Tuned) else jitted


# Measured on XLA:CPU (docs/decisions-runtime.md): fusing whole chains of products and reductions
# into one library call makes narrow matrix products up to 100 times slower; rewriting reductions to
# windows sends their operands through memory (`lower.cpu.staging` does what that is for); barriers
# hold until kernels are made (`lower.cpu.barriers`).
_CPU_OPTIONS = {
    "xla_cpu_experimental_ynn_fusion_type": ",".join(
        ("LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT", "LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION")
    ),
    "xla_disable_hlo_passes": "tree_reduction_rewriter",
}
_EXPANDING = "cse_barrier_expander"
# A kernel of some ten microseconds is not worth waking another thread, which then waits for more.
_SERIAL = "cpu-parallel-task-assigner"
# What XLA moves out of loops over elements it carries through them, where LLVM no longer knows the
# ranges of indices.
_HOISTING = "while-loop-invariant-code-motion"
_REASSOCIATING = "algsimp"


@functools.cache
def _compiler_options(
    light: bool, elements: bool, barriers: bool, strict: bool
) -> dict[str, Any] | None:
    """The options of XLA:CPU that this jaxlib knows; they come and go with its releases.

    light: no kernel works for long.  elements: the loops are over elements of arrays.  barriers:
    they hold.  strict: nothing is reassociated.
    """
    off = "xla_disable_hlo_passes"
    passes = [_CPU_OPTIONS[off], *[_SERIAL] * light, *[_HOISTING] * elements]
    passes += [_EXPANDING] * barriers + [_REASSOCIATING] * strict
    options = {**_CPU_OPTIONS, off: ",".join(passes)}
    try:
        jax.jit(lambda: 0, compiler_options=options)()
    except Exception:  # an option it does not know is refused when compiling
        return None
    return options


def default_platform() -> str:
    """The platform on which programs run by default."""
    device = jax.config.jax_default_device or jax.default_backend()  # type: ignore[attr-defined]
    return getattr(device, "platform", device)


def on_cpu() -> bool:
    """Whether programs run on the CPU by default."""
    return default_platform() == "cpu"


@functools.lru_cache(maxsize=64)
def _eager(program: Program) -> Any:
    return jit(program)


def stablehlo(program: Program, locations: bool = False) -> str:
    """The program as a StableHLO module of its own, as text."""
    return module(program).operation.get_asm(enable_debug_info=locations)


def module(program: Program) -> Any:
    """The program as a StableHLO module of its own, in memory."""
    foreign = any(op.name == "foreign" for op in ops_in((program.region,)))
    context = mlir.make_ir_context() if foreign else _context()
    made = empty_module(context, program.name)
    ctx = _context_of(made, (default_platform(),))
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
        name_stack=source_info_util.new_name_stack(),
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
    context: Any = JaxIrContext()
    context.append_dialect_registry(upstream_dialects)
    stablehlo_dialect.register_dialect(context)
    chlo.register_dialect(context)
    _ = context.dialects["func"]  # loads it
    return context


def lowered(program: Program) -> Any:
    """JAX's `Lowered` of the program: its module in every form JAX can print and compile."""
    with scoped():
        return jit(program).lower(*structs(program))


def hlo(program: Program, optimized: bool = False) -> str:
    """The program as HLO text: as XLA imports it, or as XLA compiled it for the default device."""
    if optimized:
        return lowered(program).compile().as_text()
    code = mlir.module_to_bytecode(module(program))
    computation = _jax.mlir.mlir_module_to_xla_computation(
        code, use_tuple_args=False, return_tuple=False
    )
    return computation.as_hlo_text()


def exported(
    program: Program, captured: Mapping[int, Any], platforms: Sequence[str] | None = None
) -> export.Exported:
    """The program as a portable, versioned StableHLO artifact of `jax.export`.

    captured: parameter -> the array that takes its place for good.
    """

    def call(*args: Any) -> list[Any]:
        rest = iter(args)
        return bind(
            program, *[captured[i] if i in captured else next(rest) for i in range(len(given))]
        )

    call.__name__ = call.__qualname__ = program.name
    given = structs(program)
    free = [struct for i, struct in enumerate(given) if i not in captured]
    with scoped():
        return export.export(jax.jit(call), platforms=platforms)(*free)


def imported(blob: bytearray) -> tuple[Any, Any]:
    """A deserialized artifact as a jitted function (call it inside `scoped()`), and its record."""
    record = export.deserialize(blob)
    return jax.jit(record.call), record


def structs(program: Program) -> list[jax.ShapeDtypeStruct]:
    return [struct(t) for t in program.params]


def struct(type: ArrayType) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(type.shape, type.dtype)


def scalar_tracer(x: Any) -> Any:
    """A Python-scalar result under an outer trace: a 0-d array of the user's own precision."""
    return jax.lax.convert_element_type(x, jax.dtypes.canonicalize_dtype(x.dtype))


def undifferentiated(values: Sequence[Any]) -> list[Any]:
    """Results under a trace that only differentiates, as they are without it."""
    with scoped():
        return [jax.lax.stop_gradient(x) for x in values]


Batch = Callable[["Program", tuple[bool, ...], int], "Program"]


def set_batch(batched: Batch) -> None:
    """Install how programs are batched: `batched(program, lanes, size)` takes `size` lanes along
    the first axis of those parameters where `lanes` holds, and gives results of which those have
    them that differ between lanes."""

    def rule(args: Sequence[Any], dims: Sequence[Any], *, program: Program) -> tuple[Any, Any]:
        lanes = tuple([d is not None for d in dims])
        size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
        made = batched(program, lanes, size)
        with scoped():
            moved = [
                jax.numpy.moveaxis(x, d, 0) if lane else x
                for x, d, lane in zip(args, dims, lanes, strict=True)
            ]
            results = bind(made, *moved)
        pairs = zip(made.results, program.results, strict=True)
        return results, [0 if many.ndim > one.ndim else None for many, one in pairs]

    batching.primitive_batchers[pyxla_call] = rule


# From a program and positions of its parameters, to programs:
#   tangents of the inexact results, for (parameters, tangents of those at `wrt`)
#   cotangents of the parameters `wrt`, for (other parameters, cotangents of the inexact results)
Derive = Callable[["Program", tuple[int, ...]], "Program"]


def set_derivatives(ahead: Derive, back: Derive) -> None:
    """Install how programs are differentiated."""

    def jvp(primals: Any, tangents: Any, *, program: Program) -> Any:
        """The program, and beside it one linear in the tangents, which alone JAX transposes."""
        given = enumerate(zip(tangents, program.params, strict=True))
        wrt = tuple([k for k, (t, x) in given if type(t) is not ad.Zero and _inexact(x)])
        with scoped():
            results = bind(program, *primals)
            zeros = [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in results]
            if not wrt:
                return results, zeros
            made = iter(bind(ahead(program, wrt), *primals, *[tangents[k] for k in wrt]))
        pairs = zip(zeros, program.results, strict=True)
        return results, [next(made) if _inexact(t) else zero for zero, t in pairs]

    def transpose(cts: Any, *args: Any, program: Program) -> Any:
        wanted = tuple([k for k, x in enumerate(args) if ad.is_undefined_primal(x)])
        known = [x for x in args if not ad.is_undefined_primal(x)]
        pairs = zip(cts, program.results, strict=True)
        with scoped():
            given = [ad.instantiate_zeros(ct) for ct, t in pairs if _inexact(t)]
            made = iter(bind(back(program, wanted), *known, *given))
        return [next(made) if k in wanted else None for k in range(len(args))]

    ad.primitive_jvps[pyxla_call] = jvp
    ad.primitive_transposes[pyxla_call] = transpose


def _inexact(type: ArrayType) -> bool:
    return jax.numpy.issubdtype(type.dtype, jax.numpy.inexact)
