"""Programs as JAX primitives: with `jaxlower`, all that speaks JAX's semi-public interfaces.

    bind(program, *args)     the program as one equation, in whatever trace is active
    jit(program)             the program as a function dispatched by `jax.jit`
    scoped()                 64-bit types for the extent of a `with`, the user's setting untouched
    lowered, exported        its module, in the forms that compile and travel
    set_derivatives(...), set_batch(...)    install how programs are differentiated and batched

The primitive `pyxla_call` has one parameter that matters, a finished `Program` hashed by identity.
Abstract evaluation only reads its types; all inference happened before.  Lowering emits the region
as a private function of the module being lowered, once per module, and calls it (`jaxlower`).

Emission does not go through JAX's dtype canonicalization, so 64-bit values inside a program survive
in a module that is lowered with 64-bit types switched off.  Arguments do not: those that a trace
holds in another precision are converted at the boundary, by `bind`.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import jax
import numpy as np
from jax import export
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import AxisType, NamedSharding
from jaxlib import _jax

from pyxla import journal, late
from pyxla.frozen import dataclass
from pyxla.ir.types import ArrayType
from pyxla.runtime.jaxprivate import (
    ArrayImpl,
    callback,
    config,
    core,
    get_intermediate_shardings,
    literals,
)

if TYPE_CHECKING:
    from pyxla.runtime.programs import Program

T = TypeVar("T")
compiler = late.module("pyxla.compiler")
emit = late.module("pyxla.lower.emit")
jaxlower = late.module("pyxla.runtime.jaxlower")
making = late.module("pyxla.runtime.making")
varying = late.module("pyxla.runtime.varying")
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


@contextlib.contextmanager
def foreign_scope() -> Iterator[None]:
    """In which functions of JAX's are traced that programs call: 64-bit types, and no distinction
    between what is the same on all devices and what is not, nor between arrays that lie otherwise,
    which our types do not make."""
    with scoped(), config._check_vma(False), automatic():
        yield


def automatic() -> Any:
    """A context in which where arrays lie is not part of their types."""
    mesh = jax.sharding.get_abstract_mesh()
    explicit = [a for a, t in zip(mesh.axis_names, mesh.axis_types) if t is AxisType.Explicit]
    if not explicit:
        return contextlib.nullcontext()
    other = mesh.update_axis_types(dict.fromkeys(explicit, AxisType.Auto))
    return jax.sharding.use_abstract_mesh(other)


def default_platform() -> str:
    """The platform on which programs run by default, by the name that lowering knows."""
    device = jax.config.jax_default_device or jax.default_backend()  # type: ignore[attr-defined]
    name = getattr(device, "platform", device)
    return export.default_export_platform() if name == "gpu" else name


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


def bind(program: Program, *args: Any) -> list[Any]:
    """Apply `program` to flat arguments in the active trace: a list of flat results."""
    with scoped():
        operands = [_as_param(x, t) for x, t in zip(args, program.params, strict=True)]
        given = tuple([_varying(jax.typeof(x)) for x in operands]) if _told_apart() else ()
        results = pyxla_call.bind(*_same_axes(operands), program=program, given=given)
        if (where := program.sharding) is not None and results:
            # JAX looks for the devices of a program where it can see them.
            free = [jax.P.UNCONSTRAINED] * results[0].ndim
            over = NamedSharding(where.mesh, jax.P(*free))
            results[0] = jax.lax.with_sharding_constraint(results[0], over)
        return results


def _as_param(x: Any, type: Any) -> Any:
    """`x` with the dtype of its parameter; the shape is the specialization's by construction."""
    if isinstance(x, jax.Array):
        return x if x.dtype == type.dtype else jax.lax.convert_element_type(x, type.dtype)
    return np.asarray(x, type.dtype)


def environment() -> Any:
    """The named axes and the mesh that JAX has in scope: the same object for equal ones."""
    return _environment(core.get_axis_env(), jax.sharding.get_abstract_mesh())


@functools.lru_cache(maxsize=256)
def _environment(axes: Any, mesh: Any) -> Any:
    return axes, mesh


def on_one_device(values: list[Any]) -> list[Any]:
    """Arrays that become NumPy's: a mesh that is in scope spreads what is computed under it."""
    if not values or type(values[0]) is not ARRAY or len(values[0].sharding.device_set) == 1:
        return values
    with scoped():
        return [jax.device_put(np.asarray(x), jax.local_devices()[0]) for x in values]


def on_host(x: Any) -> Any:
    """A NumPy array, or number, as JAX's on the CPU."""
    with scoped():
        return jax.device_put(np.asarray(x), jax.local_devices(backend="cpu")[0])


def is_outermost() -> bool:
    """Whether no trace of JAX's is under way."""
    return core.trace_state_clean()


def is_unbound() -> bool:
    """Whether another thread computes the same: nothing of JAX's is set for this one alone."""
    mesh = jax.sharding.get_abstract_mesh()
    return core.trace_state_clean() and mesh.empty and config.default_device.value is None


def named_axis(name: Any, size: int) -> Any:
    """A context in which JAX has the axis `name` in scope."""
    return core.extend_axis_env_nd([(name, size)])


@dataclass(frozen=True, slots=True)
class Abstract:
    """What JAX says of a function: its results, the named axes over which it communicates, and the
    sharding over the devices that it names, if it names any."""

    results: Sequence[Any]
    axes: tuple[Any, ...]
    sharding: Any


def abstract(function: Callable[..., list[Any]], types: Sequence[ArrayType]) -> Abstract | None:
    """Of a JAX function of flat arrays; None if it calls Python while it runs."""
    with foreign_scope():
        traced = jax.jit(function).trace(*map(_struct, types))
    jaxpr = traced.jaxpr.jaxpr
    if _calls_python(jaxpr):
        return None
    axes = {effect.name for effect in jaxpr.effects}
    named = [s for s, _ in get_intermediate_shardings(jaxpr) if isinstance(s, NamedSharding)]
    return Abstract(traced.out_info, tuple(sorted(axes, key=str)), named[0] if named else None)


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


def _told_apart() -> bool:
    """Whether JAX tells apart what is the same on all devices and what varies between them."""
    return bool(config._check_vma.value and jax.sharding.get_abstract_mesh().manual_axes)


def _as_varying(x: Any, axes: frozenset[Any]) -> Any:
    """`x` with the type of what varies along `axes`, of values that do not vary along others."""
    own = _varying(jax.typeof(x))
    if own - axes:
        x = jax.lax.pmean(x, tuple(sorted(own - axes, key=str)))
    missing = tuple(sorted(axes - own, key=str))
    return jax.lax.pcast(x, missing, to="varying") if missing else x


@pyxla_call.def_impl
def _run(*args: Any, program: Program, given: Any) -> list[Any]:
    with scoped():
        return _eager(program)(*args)


@pyxla_call.def_effectful_abstract_eval
def _abstract(*avals: Any, program: Program, given: Any) -> tuple[list[ShapedArray], set[Any]]:
    effects = {callback._IOEffect} if program.has_effects else set()
    return _results(*avals, program=program, given=given), effects


def _results(*avals: Any, program: Program, given: Any) -> list[ShapedArray]:
    if not _told_apart():
        mesh = next(filter(_is_explicit, [x.sharding.mesh for x in avals]), None)
        if mesh is not None:
            return _laid_out(program, avals, mesh)
        return [ShapedArray(t.shape, t.dtype) for t in program.results]
    everywhere = frozenset(jax.sharding.get_abstract_mesh().manual_axes)
    of_foreign = functools.partial(_foreign_varying, everywhere)
    axes = varying.varying(program.origin or program.region, given, of_foreign, everywhere)
    return [_manual(ShapedArray, t, own) for t, own in zip(program.results, axes, strict=True)]


def _is_explicit(mesh: Any) -> bool:
    """Whether where arrays lie on it is part of their types."""
    return AxisType.Explicit in mesh.axis_types


@functools.lru_cache(maxsize=256)
def _laid_out(program: Program, avals: Sequence[Any], mesh: Any) -> list[ShapedArray]:
    """The results of a program on arrays over a mesh of explicit axes, which lie as XLA's
    partitioner would lay them out."""
    explicit = {a for a, t in zip(mesh.axis_names, mesh.axis_types) if t is AxisType.Explicit}
    other = mesh.update_axis_types(dict.fromkeys(explicit, AxisType.Auto))
    structs = [
        jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(other, x.sharding.spec))
        for x in avals
    ]

    def call(*args: Any) -> list[Any]:
        return bind(program, *args)

    with foreign_scope(), jax.sharding.use_abstract_mesh(other):
        module = jax.jit(call).trace(*structs).lower(lowering_platforms=(default_platform(),))
    found = []
    for type, axes in zip(
        program.results, emit.result_shardings(module.compiler_ir()), strict=True
    ):
        spec = [_fitting(n, names, explicit, mesh) for n, names in zip(type.shape, axes)]
        where = NamedSharding(mesh, jax.P(*spec))
        found.append(ShapedArray(type.shape, type.dtype, sharding=where))
    return found


def _fitting(size: int, axes: tuple[str, ...], explicit: set[str], mesh: Any) -> Any:
    """The axes over which a dimension may lie in JAX's types."""
    kept = tuple([a for a in axes if a in explicit])
    return kept if kept and size % math.prod([mesh.shape[a] for a in kept]) == 0 else None


def _manual(kind: Any, type: ArrayType, axes: frozenset[Any]) -> Any:
    """JAX's type of an array on each device of a mesh, which varies along `axes`."""
    spec = jax.P(*[None] * type.ndim)
    where = NamedSharding(jax.sharding.get_abstract_mesh(), spec)
    varies = core.ManualAxisType(varying=axes)
    return kind(type.shape, type.dtype, sharding=where, manual_axis_type=varies)


def _foreign_varying(
    everywhere: frozenset[Any], instr: Any, axes: Sequence[frozenset[Any]]
) -> list[frozenset[Any]]:
    """Along which axes the results of a function of JAX's vary."""
    pairs = zip(instr.operands, axes, strict=True)
    given = [_manual(jax.ShapeDtypeStruct, x.type, own) for x, own in pairs]
    try:
        return [_varying(x) for x in jax.eval_shape(instr.attrs["function"], *given)]
    except (TypeError, ValueError):  # a derivative, of a function typed without axes
        return [everywhere] * len(instr.results)


def _lower(ctx: Any, *operands: Any, program: Program, given: Any) -> Sequence[Any]:
    return jaxlower.lower(ctx, *operands, program=program, given=given)


mlir.register_lowering(pyxla_call, _lower)


def jit(program: Program, donated: int = 0, given_up: Sequence[int] = ()) -> Any:
    """`program` dispatched by JAX: arrays (or NumPy arrays and scalars) to a list of arrays.

    The first `donated` arguments are not the program's, but buffers for results of their types;
    `given_up` are positions of parameters whose memory results may take.
    Call it inside `scoped()`.  The compiled executable lives as long as the returned function,
    to which a program must never refer: JAX's caches lead from the function to the program, and
    a reference back would keep all three forever.
    """

    record = journal.current()

    def call(*args: Any) -> list[Any]:
        journal.traced(record, program.name)
        return bind(program, *args[donated:])

    call.__name__ = call.__qualname__ = program.name
    options = {}
    if on_cpu():
        options = _compiler_options(making.traits(program.region), program.options.strict)
    numbers = (*range(donated), *[donated + k for k in given_up])
    dispatch = functools.partial(jax.jit, call, donate_argnums=numbers, keep_unused=donated > 0)
    if not options:
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
# XLA:CPU compiles each kernel through MLIR, some five milliseconds each, for vectors in large ones;
# its older emitter takes one. LLVM gets up to 32 modules of a program, and takes some milliseconds
# to begin with each: of small code, as much as it takes for the code.
_DIRECT = {
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": min(4, os.cpu_count() or 1),
}


class Traits(NamedTuple):
    """What of a program decides how XLA:CPU compiles it.

    light: no kernel works for long.  tiny: nor has much to do at all.  elements: there are loops
    over elements, and nothing to move out of others.  barriers: they hold.
    """

    light: bool
    tiny: bool
    elements: bool
    barriers: bool


@functools.cache
def _compiler_options(traits: Traits, strict: bool) -> dict[str, Any]:
    """The options of XLA:CPU for such a program.  strict: nothing is reassociated."""
    off = "xla_disable_hlo_passes"
    passes = [_CPU_OPTIONS[off], *[_SERIAL] * traits.light, *[_HOISTING] * traits.elements]
    passes += [_EXPANDING] * traits.barriers + [_REASSOCIATING] * strict
    return known({**_CPU_OPTIONS, off: ",".join(passes), **(_DIRECT if traits.tiny else {})})


def known(options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that this jaxlib has; they come and go with its releases."""
    try:
        jax.jit(lambda: 0, compiler_options=options)()
    except Exception:  # an option it does not know is refused when compiling
        alone = [{name: value} for name, value in options.items()] if len(options) > 1 else []
        return {name: value for one in alone for name, value in known(one).items()}
    return options


def on_cpu() -> bool:
    """Whether programs run on the CPU by default."""
    return default_platform() == "cpu"


@functools.lru_cache(maxsize=64)
def _eager(program: Program) -> Any:
    return jit(program)


def lowered(program: Program, where: Sequence[Any] = (), given_up: Sequence[int] = ()) -> Any:
    """JAX's `Lowered` of the program: its module in every form JAX can print and compile.

    where: shardings of its parameters, if they lie on several devices.  given_up: see `jit`.
    """
    given = structs(program)
    if where:
        pairs = zip(given, where, strict=True)
        given = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=over) for x, over in pairs]
    with scoped():
        return jit(program, given_up=given_up).lower(*given)


def hlo(program: Program, optimized: bool = False, where: Sequence[Any] = ()) -> str:
    """The program as HLO text: as XLA imports it, or as XLA compiled it for the default device, or
    for parameters that lie as `where` says."""
    if optimized:
        return lowered(program, where).compile().as_text()
    code = mlir.module_to_bytecode(jaxlower.module(program))
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


# How programs are batched and differentiated comes with the compiler, which installs it.
def _installs(table: dict[Any, Any]) -> None:
    """Load the compiler where JAX asks for a rule of the primitive in a table of its."""

    def rule(*args: Any, **params: Any) -> Any:
        compiler.load()
        return table[pyxla_call](*args, **params)

    table[pyxla_call] = rule


for _table in (batching.fancy_primitive_batchers, ad.primitive_jvps, ad.primitive_transposes):
    _installs(_table)
Batch = Callable[["Program", tuple[bool, ...], int, Any], "Program"]


def set_batch(batched: Batch) -> None:
    """Install how programs are batched: `batched(program, lanes, size, axis)` takes `size` lanes
    along the first axis of those parameters where `lanes` holds, and gives results of which those
    have them that differ between lanes.  axis: what the lanes are called, None if nothing."""

    def rule(
        axis: Any, args: Sequence[Any], dims: Sequence[Any], *, program: Program, given: Any
    ) -> Any:
        lanes = tuple([d is not None for d in dims])
        name = None if axis.name is core.no_axis_name else axis.name
        made = batched(program, lanes, axis.size, name)
        with scoped():
            moved = [
                jax.numpy.moveaxis(x, d, 0) if lane else x
                for x, d, lane in zip(args, dims, lanes, strict=True)
            ]
            results = bind(made, *moved)
        pairs = zip(made.results, program.results, strict=True)
        return results, [0 if many.ndim > one.ndim else None for many, one in pairs]

    batching.fancy_primitive_batchers[pyxla_call] = rule


# From a program and positions of its parameters, to programs:
#   tangents of the inexact results, for (parameters, tangents of those at `wrt`)
#   cotangents of the parameters `wrt`, for (other parameters, cotangents of the inexact results)
Derive = Callable[["Program", tuple[int, ...]], "Program"]


def set_derivatives(ahead: Derive, back: Derive) -> None:
    """Install how programs are differentiated."""

    def jvp(primals: Any, tangents: Any, *, program: Program, given: Any) -> Any:
        """The program, and beside it one linear in the tangents, which alone JAX transposes."""
        given = enumerate(zip(tangents, program.params, strict=True))
        wrt = tuple([k for k, (t, x) in given if type(t) is not ad.Zero and _inexact(x)])
        with scoped():
            results = bind(program, *primals)
            zeros = [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in results]
            if not wrt:
                return results, zeros
            inexact = [x for x, t in zip(results, program.results, strict=True) if _inexact(t)]
            slopes = bind(ahead(program, wrt), *primals, *[tangents[k] for k in wrt])
            made = iter(map(_like, slopes, inexact))
        pairs = zip(zeros, program.results, strict=True)
        return results, [next(made) if _inexact(t) else zero for zero, t in pairs]

    def transpose(cts: Any, *args: Any, program: Program, given: Any) -> Any:
        wanted = tuple([k for k, x in enumerate(args) if ad.is_undefined_primal(x)])
        known = [x for x in args if not ad.is_undefined_primal(x)]
        pairs = zip(cts, program.results, strict=True)
        with scoped():
            axes = frozenset().union(*[_varying(_aval(x)) for x in args])
            seeds = [_share(ad.instantiate_zeros(ct), axes) for ct, t in pairs if _inexact(t)]
            slopes = bind(back(program, wanted), *known, *seeds)
            made = iter([_as_varying(x, axes) for x in slopes])
        return [next(made) if k in wanted else None for k in range(len(args))]

    ad.primitive_jvps[pyxla_call] = jvp
    ad.primitive_transposes[pyxla_call] = transpose


def _like(x: Any, other: Any) -> Any:
    return _as_varying(x, _varying(jax.typeof(other)))


def _aval(x: Any) -> Any:
    return x.aval if ad.is_undefined_primal(x) else jax.typeof(x)


def _share(ct: Any, axes: frozenset[Any]) -> Any:
    """The cotangent of one device, of a result that varies along `axes` in the program: one that
    does not is their mean."""
    same = axes - _varying(jax.typeof(ct))
    count = math.prod([core.get_axis_env().axis_size(a) for a in same])
    return _as_varying(ct / count if count > 1 else ct, axes)


def _inexact(type: ArrayType) -> bool:
    return jax.numpy.issubdtype(type.dtype, jax.numpy.inexact)
