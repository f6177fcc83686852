"""Python's `random`.

A `random.Random` is an instance on the heap whose fields are its Mersenne Twister and the normal
number that waits to be drawn.  What the standard library has as Python is visited as it is
installed; what it has in C is here.  The instance that the functions of the module share is
captured like any object outside: read before the call, and written after it.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from pyxla.abstract.facts import extent
from pyxla.abstract.heap import ObjectCell
from pyxla.abstract.lattice import Array, Const, Ref, Scalar
from pyxla.infer.arrays import access as arrays
from pyxla.infer.calls.dispatch import call_object
from pyxla.infer.engine import Engine
from pyxla.infer.exact import exactly
from pyxla.infer.lists import entries
from pyxla.infer.random.generators import NONE, check_seeded, known_objects, python_number, visit
from pyxla.infer.random.legacy import KEPT
from pyxla.infer.random.methods import refuse
from pyxla.lib.random import mt19937, python
from pyxla.lib.random.state import STATES
from pyxla.lib.registry import rule
from pyxla.ops.shape import constant

Random = random.Random
STATE = STATES[Random]
REFUSED = {
    "getstate": KEPT,
    "setstate": KEPT,
    "randbytes": ("bytes are not values of compiled code", "use getrandbits(8) for each of them"),
    "vonmisesvariate": (
        "it goes through acos, whose last bit is not the C library's in XLA",
        "draw from it outside",
    ),
    "binomialvariate": (
        "it goes through lgamma, whose last bits are not the C library's in XLA",
        "use np.random.binomial",
    ),
}
WIDEST = 63  # bits of a Python int that is not negative


def _bits(engine: Engine, ref: Any) -> Ref:
    content = engine.content(ref) if isinstance(ref, Ref) else None
    if not isinstance(content, ObjectCell) or content.cls is not Random:
        raise engine.refuse("only methods of a random.Random itself are compiled")
    engine.check_writable(ref)
    return ref


def _fields(x: random.Random) -> dict[str, Array]:
    """A known state as values of the program."""
    opened = zip(STATE.names, STATE.open(x), strict=True)
    return {name: Array(constant(value=np.asarray(value))) for name, value in opened}


def _made(engine: Engine, seed: Any) -> dict[str, Any]:
    """The fields of `random.Random(seed)`, the key being an array of its own."""
    check_seeded(engine, seed)
    known = known_objects(engine, seed)
    if known is not None:
        try:
            fields = _fields(Random(known[0]))
        except TypeError as error:
            engine.raise_constant(error)
        return {**fields, "key": arrays.fresh(engine, fields["key"])}
    if not isinstance(seed, Scalar) or seed.kind is not int:
        raise engine.refuse("a seed at run time must be an int", "pass the generator instead")
    fields = _fields(Random(0))
    key = arrays.fresh(engine, fields["key"])
    if not extent.at_least_0(seed):
        seed = engine.rules.call(engine, Const(abs), [seed], {})
    visit(engine, python.seeded, key, seed)
    return {**fields, "key": key}


@rule(Random)
def _random(engine: Engine, x: Any = NONE) -> Any:
    return entries.new(engine, Random, _made(engine, x))


@rule(Random.seed)
def _seed(engine: Engine, ref: Any, a: Any = NONE, version: Any = None) -> Any:
    if version is not None and engine.static(version, "the version") != 2:
        raise engine.refuse("seeds of version 1 are not compiled")
    bits = _bits(engine, ref)
    engine.set_content(bits.cell, ObjectCell(Random, _made(engine, a)))
    return NONE


@rule(Random.random)
def _uniform(engine: Engine, ref: Any) -> Any:
    return python_number(engine, visit(engine, mt19937.next_double, _bits(engine, ref)), float)


@rule(Random.getrandbits)
def _getrandbits(engine: Engine, ref: Any, k: Any) -> Any:
    known = known_objects(engine, k)
    if known is not None and isinstance(known[0], int) and known[0] > WIDEST:
        raise engine.refuse(
            f"ints of {known[0]} random bits do not fit into 64 bits",
            f"draw {WIDEST} bits at a time",
        )
    least = engine.rules.compare(engine, "ge", k, Const(0))
    words = "number of bits must be non-negative"
    engine.ensure(engine.rules.truth(engine, least), ValueError(words))
    most = engine.rules.compare(engine, "le", k, Const(WIDEST))
    words = f"random ints of more than {WIDEST} bits do not fit into 64 bits"
    engine.ensure(engine.rules.truth(engine, most), OverflowError(words), catchable=False)
    return visit(engine, mt19937.getrandbits, _bits(engine, ref), k)


@rule(Random.gauss)
def _gauss(engine: Engine, ref: Any, mu: Any = None, sigma: Any = None) -> Any:
    drawn = visit(engine, python.gauss, _bits(engine, ref))
    scaled = engine.rules.binary(engine, "mul", drawn, Const(1.0) if sigma is None else sigma)
    return engine.rules.binary(engine, "add", Const(0.0) if mu is None else mu, scaled)


def _visited(name: str) -> None:
    """What is not visited as the standard library has it: it would be unrolled."""

    @rule(getattr(Random, name))
    def drawn(engine: Engine, ref: Any, *args: Any, **kwargs: Any) -> Any:
        with exactly(engine):
            return call_object(engine, getattr(python, name), [ref, *args], kwargs)


_visited("choices")
_visited("sample")
for _name, _why in REFUSED.items():
    if hasattr(Random, _name):
        refuse(getattr(Random, _name), *_why)
refuse(random.SystemRandom, "it draws from the operating system", "draw outside, and pass numbers")
