"""`np.random.RandomState`, and NumPy's functions that share one of them.

A RandomState is an instance on the heap whose fields are its bit generator and the normal number
that waits to be drawn.  The global one is captured like any object outside: read before the call,
and written after it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Array, Const, Ref, Tuple
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.lists import entries
from pyxla.infer.random import generators
from pyxla.infer.random import methods as m
from pyxla.lib.operands import as_array, cast
from pyxla.lib.random import drawing, legacy, mt19937
from pyxla.lib.random.state import STATES
from pyxla.lib.registry import rule
from pyxla.ops.shape import constant

RandomState = np.random.RandomState
U32 = np.dtype(np.uint32)
KEPT = ("the state is the caller's while the program runs", "ask for it, or set it, outside")
KEPT_BIT_GENERATOR = ("get_bit_generator", "set_bit_generator")
REFUSED = {
    "bytes": ("bytes are not values of compiled code", "use randint(256, size=n, dtype=np.uint8)"),
    "get_state": KEPT,
    "set_state": KEPT,
    "multivariate_normal": (
        "its numbers depend on the signs of singular vectors, which LAPACK leaves open",
        "use mean + standard_normal((n, k)) @ np.linalg.cholesky(cov).T",
    ),
    "vonmises": (
        "its numbers go through acos, whose last bit is not the C library's in XLA",
        "draw from it outside, or use np.random.default_rng(seed).vonmises",
    ),
}


def _source(engine: Engine, ref: Any, dtype: np.dtype) -> Ref:
    engine.check_writable(ref)
    return engine.new(
        ObjectCell(legacy.Legacy, {"bits": generators.bits_of(engine, ref), "owner": ref})
    )


FAMILY = generators.Family(RandomState, lambda: RandomState(0), _source)
generators.FAMILIES[RandomState] = FAMILY


for _name, _found in generators.DISTRIBUTIONS.items():
    if _name not in REFUSED:
        FAMILY.distribution(_name, replace(_found, draw=getattr(legacy, _name, _found.draw)))
_FINITE = ("low", "high", generators.is_finite, generators.OUTSIDE)
FAMILY.distribution("uniform", replace(generators.DISTRIBUTIONS["uniform"], related=(_FINITE,)))
FAMILY.distribution("random_sample", generators.DISTRIBUTIONS["random"])
FAMILY.distribution("tomaxint", generators.Distribution(legacy.tomaxint, {}, generators.I64))


# --- Seeds ---------------------------------------------------------------------------------------


def _fresh_bits(engine: Engine) -> Ref:
    """A Mersenne Twister with an empty key."""
    key = arrays.fresh(engine, as_array(np.zeros(mt19937.WORDS, U32)))
    fields = {"key": key, "pos": _scalar(np.int64(mt19937.WORDS)), "lazy": _scalar(np.False_)}
    return entries.new(engine, np.random.MT19937, fields)


def _scalar(x: Any) -> Array:
    return Array(constant(value=np.asarray(x)))


def _fill(engine: Engine, bits: Ref, fields: dict[str, Any]) -> None:
    """Put a Mersenne Twister into a known state."""
    held = engine.content(bits).fields
    arrays.assign(engine, held["key"], as_array(np.asarray(fields["key"])))
    _restart(engine, bits, {name: _scalar(fields[name]) for name in ("pos", "lazy")})


def _restart(engine: Engine, ref: Ref, fields: dict[str, Any]) -> None:
    content = engine.content(ref)
    engine.set_content(ref.cell, ObjectCell(content.cls, {**content.fields, **fields}))


def _seed(engine: Engine, bits: Ref, seed: Any) -> None:
    """What `MT19937._legacy_seeding` does."""
    generators.check_seeded(engine, seed)
    known = generators.known_objects(engine, seed)
    if known is not None:
        try:
            made = RandomState(known[0])._bit_generator
        except (TypeError, ValueError) as error:
            engine.raise_constant(error)
        state = STATES[np.random.MT19937]
        _fill(engine, bits, dict(zip(state.names, state.open(made), strict=True)))
        return
    x = as_array(engine.operand(seed))
    if x.dtype.kind not in "iu":
        raise engine.refuse(f"a seed of {x.dtype} at run time", "convert it with int()")
    in_range = call_object(engine, np.all, [engine.abstract((x >= 0) & (x <= 2**32 - 1))], {})
    words = "Seed must be between 0 and 2**32 - 1"
    engine.ensure(engine.rules.truth(engine, in_range), ValueError(words))
    key = engine.content(bits).fields["key"]
    if x.ndim == 0:
        generators.visit(engine, mt19937.seed_by_number, key, Array(cast(x.value, U32)))
    else:
        given = arrays.fresh(engine, Array(cast(x.value, U32)))
        generators.visit(engine, mt19937.seed_by_words, key, given, Const(x.size))
    start = {"pos": _scalar(np.int64(mt19937.WORDS)), "lazy": _scalar(np.False_)}
    _restart(engine, bits, start)


def _spareless() -> dict[str, Any]:
    return {"has_spare": _scalar(np.False_), "spare": _scalar(np.float64(0.0))}


@rule(RandomState)
def _random_state(engine: Engine, seed: Any = generators.NONE) -> Any:
    content = engine.content(seed) if isinstance(seed, Ref) else None
    bits = seed
    if not isinstance(content, ObjectCell) or not issubclass(content.cls, np.random.BitGenerator):
        bits = _fresh_bits(engine)
        _seed(engine, bits, seed)
    return entries.new(engine, RandomState, {"_bit_generator": bits, **_spareless()})


@rule(np.random.MT19937)
def _mt19937(engine: Engine, seed: Any = generators.NONE) -> Any:
    generators.check_seeded(engine, seed)
    known = engine.static(seed, "the seed of a MT19937")
    state, bits = STATES[np.random.MT19937], _fresh_bits(engine)
    made = state.open(np.random.MT19937(known))
    _fill(engine, bits, dict(zip(state.names, made, strict=True)))
    return bits


@FAMILY.method("seed")
def _reseed(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    engine.check_writable(ref)
    _seed(engine, generators.bits_of(engine, ref), given["seed"])
    _restart(engine, ref, _spareless())
    return generators.NONE


# --- Integers ------------------------------------------------------------------------------------


@FAMILY.method("randint")
def _randint(engine: Engine, ref: Any, given: dict[str, Any]) -> Any:
    return engine.library("randint", m.drawn_integers, engine, ref, given, of_legacy=True)


def _of_sizes(name: str, sized: str) -> None:
    @rule(getattr(RandomState, name))
    def draw(engine: Engine, ref: Any, *sizes: Any) -> Any:
        """`rand(2, 3)` is `random_sample((2, 3))`."""
        named = {"size": Tuple(sizes)} if sizes else {}
        return call_object(engine, getattr(RandomState, sized), [ref], named)


_of_sizes("rand", "random_sample")
_of_sizes("randn", "standard_normal")


for _name in ("permutation", "shuffle", "dirichlet"):
    FAMILY.visited(_name, getattr(drawing, _name))
FAMILY.visited("choice", drawing.legacy_choice)
FAMILY.visited("random_integers", drawing.random_integers)
FAMILY.visited("multinomial", drawing.legacy_multinomial)


# --- The functions of the module -----------------------------------------------------------------


def _shared(function: Any, of: Any) -> None:
    @rule(function)
    def drawn(engine: Engine, *args: Any, **kwargs: Any) -> Any:
        owner = engine.captures.abstract(engine, np.random.mtrand._rand)
        return call_object(engine, of, [owner, *args], kwargs)


_shared(np.random.seed, RandomState.seed)
_shared(np.random.sample, RandomState.random_sample)
_shared(np.random.ranf, RandomState.random_sample)
for _name, _why in REFUSED.items():
    m.refuse(getattr(RandomState, _name), *_why)
for _name in KEPT_BIT_GENERATOR:
    m.refuse(getattr(np.random, _name), *KEPT)
