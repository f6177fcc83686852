"""Numbers that meet unlike ones: short dtypes and long ints, numbers and sequences."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.scope import Scope
from tests.fuzz.statements import SIMPLE, bind

LONG = (1, 1, 40, 70_000, 2**33, -(2**61))


def meets_long_int(scope: Scope) -> bool:
    """Short ints of NumPy compared with ints of Python that they may not hold."""
    dtype = scope.rng.choice(("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"))
    i = ex.integer(scope, 1).text
    if ":=" in i:
        return False
    n = f"({i}) % 11 * {scope.rng.choice(LONG)}"
    x = f"np.array({[scope.rng.randint(0, 99) for _ in range(3)]}, np.{dtype})"
    symbol = scope.rng.choice(("<", "<=", ">", ">=", "==", "!="))
    test = f"{x} {symbol} {n}" if scope.chance(0.6) else f"{n} {symbol} {x}"
    use = scope.rng.choice((f"int(({test}).sum())", f"float(np.where({test}, 1.5, 0.5)[0])"))
    found = scope.make(use)
    if found is None:
        return False
    scope.feature("dtypes")
    bind(scope, scope.fresh_name("v"), found)
    return True


def meets_sequence(scope: Scope) -> bool:
    """Numbers compared with tuples and lists, which they do not equal."""
    i, s = ex.integer(scope, 1).text, ex.real(scope, 1).text
    if ":=" in i + s:
        return False
    tests = [
        f"({i},) == {i}",
        f"{i} != [{i}, {s}]",
        f"(1, ({i},)) == (1, {i})",
        f"{i} in [({i},), {i} % 5]",
        f"[({s},), {i}].count({i}) > 1",
    ]
    found = scope.make(f"int({scope.rng.choice(tests)})")
    if found is not None:
        bind(scope, scope.fresh_name("v"), found)
    return found is not None


SHORT = ("int8", "uint8", "int16", "uint16", "int32", "float32", "float32", "complex64")


def meets_number(scope: Scope) -> bool:
    """Arrays and scalars of short dtypes beside Python's numbers, whose dtype they keep."""
    dtype = scope.rng.choice(SHORT)
    number = ex.integer if "int" in dtype or scope.chance(0.3) else ex.real
    n = number(scope, 2).text
    if ":=" in n:
        return False
    n = f"(({n}) % 7 + 1)"
    items = [scope.rng.randint(0, 9) for _ in range(scope.rng.randint(1, 4))]
    x = f"np.array({items}, np.{dtype})"
    x = f"np.{dtype}({items[0]})" if scope.chance(0.25) else x
    forms = [
        "{0} + {1}",
        "{1} - {0}",
        "{0} * {1}",
        "np.add({0}, {1})",
        "np.where({0} == 1, {0}, {1})",
    ]
    forms += ["{0} / {1}", "np.full_like({0}, {1}) * {1}", "({0} if {1} > 4 else -{0}) + {1}"]
    if dtype != "complex64":
        forms += ["np.maximum({0}, {1})", "{1} // ({0} + 1)", "{0} % {1}", "np.clip({0}, 1, {1})"]
    found = scope.make(scope.rng.choice(forms).format(x, n))
    if found is None:
        return False
    scope.feature("dtypes")
    bind(scope, scope.fresh_name("v"), found)
    return True


SIMPLE[meets_long_int] = 4
SIMPLE[meets_number] = 5
SIMPLE[meets_sequence] = 3
