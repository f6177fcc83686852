"""`np.random.default_rng` and the methods of `np.random.Generator`.

A generator is an instance on the heap whose field is its bit generator, another instance with the
fields of `lib.random.state`; drawing changes those.  So generators are passed, captured, aliased
and carried by loops as other objects are.  What draws is Python visited like a user's
(`lib.random`).

The same numbers as NumPy's come out, to the last bit, or to a rounding error where a number is
computed with exp, log and the like.
"""

from __future__ import annotations

import inspect
import math
import operator
import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Array, Const, Ref, Scalar, Tuple
from pyxla.frozen import dataclass
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.calls.visiting import call_function
from pyxla.infer.engine import Engine
from pyxla.infer.exact import exactly
from pyxla.infer.lists import entries
from pyxla.infer.random import counts
from pyxla.ir.op import OpError
from pyxla.lib.operands import as_array, as_shape, broadcast_shapes, broadcast_to, cast
from pyxla.lib.random import continuous, discrete, filling
from pyxla.lib.random.leaps import outputs
from pyxla.lib.random.pcg64 import DOUBLE_UNIT
from pyxla.lib.random.seeding import seeded
from pyxla.lib.random.state import FIELDS, opened
from pyxla.lib.random.tables import SOURCES, tables
from pyxla.lib.registry import rule
from pyxla.ops.shape import constant, reshape

Generator = np.random.Generator
F64, I64, U64 = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint64)
NONE = Const(None)
ONLY = "only generators over np.random.PCG64 and np.random.MT19937 are compiled"
REMEDY = "make rng = np.random.default_rng(seed) and pass it as an argument, or capture it"

# What NumPy demands of a parameter: how it is tested, and what the ValueError says.
Test = tuple[Callable[[Any], Any], str]
POSITIVE: Test = (lambda x: ~(x <= 0), "{} <= 0")
NON_NEGATIVE: Test = (lambda x: ~(x < 0), "{} < 0")
PROBABILITY: Test = (lambda x: (x >= 0) & (x <= 1), "{} < 0, {} > 1 or {} is NaN")
POSITIVE_PROBABILITY: Test = (lambda x: (x > 0) & (x <= 1), "{} <= 0, {} > 1 or {} contains NaNs")
BELOW_ONE: Test = (lambda x: (x >= 0) & (x < 1), "{} < 0, {} >= 1 or {} is NaN")
ABOVE_ONE: Test = (lambda x: x > 1, "{} <= 1 or {} is NaN")
RATE: Test = (lambda x: x >= 0, "{} < 0 or {} is NaN")
ANY: Test | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """draw(source, *params) gives one number; narrow: it also makes f32, of a source of those.
    related: what NumPy demands of two parameters, and what it raises, of arrays too."""

    draw: Callable[..., Any]
    params: dict[str, Test | None] = field(default_factory=dict)
    dtype: np.dtype = F64
    narrow: bool = False
    ints: frozenset[str] = frozenset()
    related: tuple[tuple[Any, ...], ...] = ()


def is_finite(low: Any, high: Any) -> Any:
    return (high - low < math.inf) & (high - low > -math.inf)


OUTSIDE = OverflowError("Range exceeds valid bounds")
RANGE = (
    ("low", "high", is_finite, OverflowError("high - low range exceeds valid bounds"), OUTSIDE),
    ("low", "high", operator.le, ValueError("high - low < 0")),
)
TRIANGLE = (
    ("left", "mode", lambda left, mode: ~(left > mode), ValueError("left > mode")),
    ("mode", "right", lambda mode, right: ~(mode > right), ValueError("mode > right")),
    ("left", "right", lambda left, right: ~(left >= right), ValueError("left == right")),
)
D = Distribution
C = continuous
# fmt: off
DISTRIBUTIONS: dict[str, Distribution] = {
    "random": D(C.random, narrow=True),
    "standard_normal": D(C.standard_normal, narrow=True),
    "standard_exponential": D(C.standard_exponential, narrow=True),
    "standard_gamma": D(C.standard_gamma, {"shape": NON_NEGATIVE}, narrow=True),
    "standard_cauchy": D(C.standard_cauchy),
    "standard_t": D(C.standard_t, {"df": POSITIVE}),
    "normal": D(C.normal, {"loc": ANY, "scale": NON_NEGATIVE}),
    "lognormal": D(C.lognormal, {"mean": ANY, "sigma": NON_NEGATIVE}),
    "uniform": D(C.uniform, {"low": ANY, "high": ANY}, related=RANGE),
    "exponential": D(C.exponential, {"scale": NON_NEGATIVE}),
    "gamma": D(C.gamma, {"shape": NON_NEGATIVE, "scale": NON_NEGATIVE}),
    "beta": D(C.beta, {"a": POSITIVE, "b": POSITIVE}),
    "chisquare": D(C.chisquare, {"df": POSITIVE}),
    "f": D(C.f, {"dfnum": POSITIVE, "dfden": POSITIVE}),
    "noncentral_chisquare": D(C.noncentral_chisquare, {"df": POSITIVE, "nonc": NON_NEGATIVE}),
    "noncentral_f": D(
        C.noncentral_f, {"dfnum": POSITIVE, "dfden": POSITIVE, "nonc": NON_NEGATIVE}
    ),
    "gumbel": D(C.gumbel, {"loc": ANY, "scale": NON_NEGATIVE}),
    "laplace": D(C.laplace, {"loc": ANY, "scale": NON_NEGATIVE}),
    "logistic": D(C.logistic, {"loc": ANY, "scale": NON_NEGATIVE}),
    "pareto": D(C.pareto, {"a": POSITIVE}),
    "power": D(C.power, {"a": POSITIVE}),
    "weibull": D(C.weibull, {"a": NON_NEGATIVE}),
    "rayleigh": D(C.rayleigh, {"scale": NON_NEGATIVE}),
    "wald": D(C.wald, {"mean": POSITIVE, "scale": POSITIVE}),
    "vonmises": D(C.vonmises, {"mu": ANY, "kappa": NON_NEGATIVE}),
    "triangular": D(C.triangular, {"left": ANY, "mode": ANY, "right": ANY}, related=TRIANGLE),
    "poisson": D(discrete.poisson, {"lam": RATE}, I64),
    "binomial": D(
        discrete.binomial, {"n": NON_NEGATIVE, "p": PROBABILITY}, I64, ints=frozenset("n")
    ),
    "geometric": D(discrete.geometric, {"p": POSITIVE_PROBABILITY}, I64),
    "logseries": D(discrete.logseries, {"p": BELOW_ONE}, I64),
    "zipf": D(discrete.zipf, {"a": ABOVE_ONE}, I64),
    "hypergeometric": D(
        discrete.hypergeometric,
        {"ngood": NON_NEGATIVE, "nbad": NON_NEGATIVE, "nsample": NON_NEGATIVE},
        I64,
        ints=frozenset({"ngood", "nbad", "nsample"}),
    ),
    "negative_binomial": D(
        C.negative_binomial, {"n": POSITIVE, "p": POSITIVE_PROBABILITY}, I64
    ),
}
# fmt: on


# --- Generators as objects -----------------------------------------------------------------------


def _new(engine: Engine, fields: tuple[Any, ...]) -> Ref:
    bits = entries.new(engine, np.random.PCG64, dict(zip(FIELDS, fields, strict=True)))
    return entries.new(engine, Generator, {"bit_generator": bits})


@rule(np.random.default_rng)
def default_rng(engine: Engine, seed: Any = NONE) -> Any:
    content = engine.content(seed) if isinstance(seed, Ref) else None
    if isinstance(content, ObjectCell) and content.cls is Generator:
        return seed
    if isinstance(content, ObjectCell) and content.cls in _COMPILED:
        return entries.new(engine, Generator, {"bit_generator": seed})
    return _new(engine, engine.library("default_rng", _seeded, engine, seed))


@rule(np.random.PCG64)
def _pcg64(engine: Engine, seed: Any = NONE) -> Any:
    made = _new(engine, engine.library("PCG64", _seeded, engine, seed))
    return engine.content(made).fields["bit_generator"]


@rule(Generator)
def _generator(engine: Engine, bit_generator: Any) -> Any:
    content = engine.content(bit_generator) if isinstance(bit_generator, Ref) else None
    if not isinstance(content, ObjectCell) or content.cls not in _COMPILED:
        raise engine.refuse(ONLY, REMEDY)
    return entries.new(engine, Generator, {"bit_generator": bit_generator})


def check_seeded(engine: Engine, seed: Any) -> None:
    if isinstance(seed, Const) and seed.value is None:
        raise engine.refuse(
            "a generator without a seed is another one at every call",
            "pass a seed, or pass the generator as an argument",
        )


def _seeded(engine: Engine, seed: Any) -> tuple[Any, ...]:
    """The fields of `np.random.PCG64(seed)`."""
    check_seeded(engine, seed)
    operand = engine.operand(seed)
    if isinstance(operand, Scalar) or (isinstance(operand, Array) and not operand.shape):
        return _seeded_at_run_time(engine, operand)
    known = engine.static(seed, "a seed that is not one int")
    try:
        bits = np.random.PCG64(known)
    except (TypeError, ValueError) as error:
        engine.raise_constant(error)
    return tuple([Array(constant(value=np.asarray(x))) for x in opened(bits)])


def _seeded_at_run_time(engine: Engine, seed: Any) -> tuple[Any, ...]:
    dtype = seed.value.type.dtype
    if dtype.kind not in "iu" or dtype.itemsize > 8:
        raise OpError(f"SeedSequence expects int or sequence of ints for entropy not {dtype}")
    if dtype.kind == "i" and not (isinstance(seed, Scalar) and extent.at_least_0(seed)):
        least = engine.rules.compare(engine, "ge", seed, Const(0))
        error = ValueError("expected non-negative integer")
        engine.ensure(engine.rules.truth(engine, least), error)
    state, increment = seeded(Array(cast(seed.value, seed.value.type.dtype)))
    idle = np.asarray(False), np.asarray(0, np.uint32)
    return (*state, *increment, *[Array(constant(value=x)) for x in idle])


def bits_of(engine: Engine, ref: Any) -> Ref:
    """The bit generator of a generator."""
    content = engine.content(ref) if isinstance(ref, Ref) else None
    name = _BITS.get(content.cls) if isinstance(content, ObjectCell) else None
    if name is None:
        raise engine.refuse("only methods of a generator in compiled code are compiled", REMEDY)
    bits = content.fields[name]
    held = engine.content(bits) if isinstance(bits, Ref) else None
    if not isinstance(held, ObjectCell) or held.cls not in _COMPILED:
        raise engine.refuse(ONLY, REMEDY)
    engine.check_writable(bits)
    return bits


_BITS = {Generator: "bit_generator", np.random.RandomState: "_bit_generator"}
_COMPILED = (np.random.PCG64, np.random.MT19937)


def source_of(engine: Engine, bits: Ref, dtype: np.dtype) -> Ref:
    fields: dict[str, Any] = {"bits": bits}
    kind: Any = dtype.type
    for name, table in tables(kind).items():
        fields[name] = engine.abstract(Array(constant(value=table)))
    return engine.new(ObjectCell(SOURCES[kind], fields))


def visit(engine: Engine, function: Any, *args: Any) -> Any:
    """Call one of the functions of `lib.random`, which are known to index in range."""
    with engine.unchecked(), exactly(engine):
        return call_function(engine, function, list(args), {})


# --- Arguments and results -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Family:
    """Generators of a class: source(engine, generator, dtype) is what draws of that dtype read.

    scratch: one that raises what all do.
    """

    cls: type
    scratch: Callable[[], Any]
    source: Callable[[Engine, Any, np.dtype], Ref]

    def raise_known(self, engine: Engine, name: str, given: dict[str, Any]) -> None:
        """Raise what NumPy raises for arguments that are known."""
        args = {k: x for k, x in given.items() if k != "out"}
        if "x" in args or not args.keys() - {"size", "dtype", "method"}:
            return
        if (known := known_objects(engine, *args.values())) is None:
            return
        args = dict(zip(args, known, strict=True))
        if math.prod(as_shape(args.get("size") or ())) > _TRIED:
            args["size"] = 1
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                getattr(self.scratch(), name)(**args)
            except (TypeError, ValueError, OverflowError) as error:
                engine.raise_constant(error)

    def method(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a function of (engine, generator, arguments by name) for a method."""
        signature = inspect.signature(getattr(self.cls, name))
        defaults = {p.name: Const(p.default) for p in signature.parameters.values()}

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(engine: Engine, ref: Any, *args: Any, **kwargs: Any) -> Any:
                try:
                    bound = signature.bind(ref, *args, **kwargs).arguments
                except TypeError as error:
                    raise engine.refuse(f"{name}() {error}", raises=TypeError) from None
                given = {**defaults, **bound}
                del given["self"]
                self.raise_known(engine, name, given)
                return function(engine, ref, given)

            rule(getattr(self.cls, name))(call)
            return function

        return register

    def distribution(self, name: str, found: Distribution) -> None:
        """Register a distribution for the method of that name."""

        @self.method(name)
        def draw(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
            return engine.library(name, _draw, engine, self, found, ref, given)

    def visited(self, name: str, function: Callable[..., Any]) -> None:
        """Register Python that is visited for a method."""

        @self.method(name)
        def draw(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
            return call_object(engine, function, [ref], given)


def known_objects(engine: Engine, *xs: Any) -> list[Any] | None:
    """The Python objects that `xs` are known to be."""
    try:
        return [engine.python_object(x) for x in xs]
    except LookupError:
        return None


_TRIED = 4096  # numbers that NumPy draws to see what it raises


def _source(engine: Engine, ref: Any, dtype: np.dtype) -> Ref:
    return source_of(engine, bits_of(engine, ref), dtype)


GENERATORS = Family(Generator, lambda: Generator(np.random.PCG64(0)), _source)
FAMILIES: dict[type, Family] = {Generator: GENERATORS}


def empty(engine: Engine, count: int, dtype: np.dtype) -> Ref:
    return engine.abstract(call_object(engine, np.empty, [Const(count), Const(dtype)], {}))


def python_number(engine: Engine, x: Any, kind: type) -> Any:
    return arrays.python_scalar(engine.operand(x), kind)


def first(engine: Engine, flat: Any) -> Any:
    return arrays.getitem(engine, flat, Const(0))


def shaped(engine: Engine, flat: Any, shape: tuple[int, ...]) -> Any:
    """The 1-d array `flat` as a new array of another shape."""
    array = engine.as_array(flat)
    return arrays.fresh(engine, Array(reshape(array.value, shape=shape)))


# --- Distributions -------------------------------------------------------------------------------


def _dtype_of(engine: Engine, found: Distribution, given: dict[str, Any]) -> np.dtype:
    """The dtype of the numbers asked for."""
    if "dtype" not in given or not found.narrow:
        return found.dtype
    dtype = np.dtype(engine.static(given["dtype"], "the dtype"))
    if dtype not in (np.float64, np.float32):
        engine.raise_constant(TypeError(f"Unsupported dtype {dtype!r} for random"))
    return dtype


def _draw(
    engine: Engine,
    family: Family,
    found: Distribution,
    ref: Any,
    given: dict[str, Any],
) -> Any:
    dtype = _dtype_of(engine, found, given)
    wide = {
        name: _parameter(engine, given[name], I64 if name in found.ints else F64)
        for name in found.params
    }
    if engine.tests(ValueError):
        for param, test in found.params.items():
            if test is not None:
                _ensure(engine, test, param, as_array(engine.operand(wide[param])))
    for first, second, holds, *errors in found.related:
        if engine.tests(type(errors[0])):
            pair = [as_array(engine.operand(wide[name])) for name in (first, second)]
            _ensure_all(engine, holds(*pair), errors[-1 if pair[0].ndim or pair[1].ndim else 0])
    params = [_parameter(engine, x, dtype) if found.narrow else x for x in wide.values()]
    one = found.draw
    if "method" in given and engine.static(given["method"], "the method") == "inv":
        one = C.inverted_exponential
    source = family.source(engine, ref, dtype if dtype == np.float32 else F64)
    numbers = counts.of_any_size(engine, given["size"], dtype)
    if numbers is not None and not any(isinstance(x, Ref) for x in params):
        return visit(engine, filling.filled_rows, source, Const(one), numbers, Tuple(tuple(params)))
    shape = counts.shape_of(engine, given["size"])
    out = given.get("out", NONE)
    if not (isinstance(out, Const) and out.value is None):
        shape = counts.shape_of_out(engine, out, shape, dtype)
    numbers = _numbers(engine, source, one, params, shape, dtype)
    if not (isinstance(out, Const) and out.value is None):
        arrays.assign(engine, out, engine.as_array(numbers))
        return out
    return numbers


def _ensure(engine: Engine, test: Test, name: str, x: Array) -> None:
    """The program raises NumPy's ValueError unless all of `x` passes."""
    _ensure_all(engine, test[0](x), ValueError(test[1].replace("{}", name)))


def _ensure_all(engine: Engine, holds: Array, error: Exception) -> None:
    found = call_object(engine, np.all, [engine.abstract(holds)], {})
    engine.ensure(engine.rules.truth(engine, found), error)


def _parameter(engine: Engine, x: Any, dtype: np.dtype) -> Any:
    """A parameter as a NumPy scalar, known or not, or an array."""
    operand = engine.operand(x)
    if isinstance(operand, (bool, int, float, np.generic)):
        return Const(np.asarray(operand).astype(dtype)[()])
    return engine.abstract(as_array(operand, dtype))


def _numbers(
    engine: Engine,
    source: Ref,
    draw: Any,
    params: list[Any],
    shape: tuple[int, ...] | None,
    dtype: np.dtype,
) -> Any:
    """A Python number, or an array of the shape asked for or that of the parameters."""
    scalar = not any(isinstance(x, Ref) for x in params)
    if shape is None and scalar:
        return python_number(engine, visit(engine, draw, source, *params), _KINDS[dtype.kind])
    values = [as_array(engine.operand(x)) for x in params]
    own = broadcast_shapes((), *[x.shape for x in values])
    shape = own if shape is None else shape
    counts.check_size(engine, own, shape)
    count = math.prod(shape)
    bits = engine.content(source).fields["bits"]
    leaps = engine.content(bits).cls is np.random.PCG64  # many outputs can be had at once
    if draw in (C.random, C.uniform) and dtype == F64 and count > 1 and leaps:
        return arrays.fresh(engine, _uniform(engine, bits, values, shape))
    out = empty(engine, count, dtype)
    if not scalar:
        flat = [reshape(broadcast_to(x.value, shape), shape=(count,)) for x in values]
        rows = Tuple(tuple([arrays.fresh(engine, Array(x)) for x in flat]))
        filled = visit(engine, filling.filled_each, source, Const(draw), out, rows)
    else:
        filled = visit(engine, filling.filled, source, Const(draw), out, Tuple(tuple(params)))
    return shaped(engine, filled, shape)


_KINDS = {"f": float, "i": int}


def _words(engine: Engine, bits: Ref, count: int) -> Array:
    """The next outputs of a bit generator, all at once."""
    fields = engine.content(bits).fields
    high, low, inc_high, inc_low = [engine.operand(fields[name]) for name in FIELDS[:4]]
    words, high, low = outputs((high, low), (inc_high, inc_low), count)
    after = {**fields, "high": high, "low": low}
    engine.set_content(bits.cell, ObjectCell(np.random.PCG64, after))
    return words


def _uniform(engine: Engine, bits: Ref, params: list[Array], shape: tuple[int, ...]) -> Array:
    words = _words(engine, bits, math.prod(shape)) >> 11
    doubles = Array(reshape(cast(words.value, F64), shape=shape)) * DOUBLE_UNIT
    if not params:
        return doubles
    low, high = params
    return low + (high - low) * doubles


for _name, _found in DISTRIBUTIONS.items():
    GENERATORS.distribution(_name, _found)
