"""`f(*x)` where data decides how many items `x` has."""

from __future__ import annotations

import itertools
import math
import types
from collections.abc import Hashable
from typing import Any

from pyxla.abstract.lattice import Compound, Const, Scalar, Tuple
from pyxla.infer.calls import coroutines
from pyxla.infer.containers.making import unknown
from pyxla.infer.engine import Engine
from pyxla.infer.generated import is_generated
from pyxla.infer.lists import columnar
from pyxla.lib import gathered
from pyxla.lib.registry import lookup

# Library functions of any number of arguments, and the Python that is visited in their place.
GATHERED: dict[Any, Any] = {
    print: gathered.print_,
    max: gathered.max_,
    min: gathered.min_,
    math.gcd: gathered.gcd,
    math.lcm: gathered.lcm,
    itertools.chain: gathered.chain,
    set.union: gathered.union,
    set.intersection: gathered.intersection,
}


def further(engine: Engine, callee: Any, x: Any) -> Any:
    """What `*x` gives `callee`: where data decides how many items there are, and the callee is a
    function of the user's, a class, or a function of the library that takes any number, they are
    one argument that stands for all; else `x`, whose items are arguments each."""
    known = isinstance(x, (Const, Tuple)) or getattr(x, "kind", "") == "transposed"
    if known or not _takes_rest(engine, callee):
        return x
    if coroutines.is_generator(x) or unknown(engine, x):
        x = engine.rules.call(engine, Const(list), [x], {})
    grown = columnar.found(engine.heap, x)
    if grown is None or not isinstance(columnar.size_of(engine.heap, grown), Scalar):
        return x
    return Compound("rest", (x,))


def _takes_rest(engine: Engine, callee: Any) -> bool:
    while isinstance(callee, Compound) and callee.kind == "method":
        callee = callee.items[0]
    if isinstance(callee, Compound):
        return callee.kind == "function"
    function = callee.value if isinstance(callee, Const) else None
    if isinstance(function, type) and engine.captures.constructs(function):
        function = engine.captures.member(function, "__init__")
    if of_rest(callee) is not callee:
        return True
    if not isinstance(function, types.FunctionType) or lookup(function) is not None:
        return False
    return not (engine.captures.is_foreign(function) or is_generated(function))


def of_rest(callee: Any) -> Any:
    """The Python that is visited where a library function is given a list of unknown length by
    `*x`."""
    found = GATHERED.get(callee.value) if _is_known(callee) else None
    return callee if found is None else Const(found)


def _is_known(callee: Any) -> bool:
    return type(callee) is Const and isinstance(callee.value, Hashable)
