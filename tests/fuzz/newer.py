"""Exceptions that are caught, generator functions, context managers of one's own."""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.control import COMPOUND, block, body, loop_body
from tests.fuzz.scope import Scope
from tests.fuzz.statements import SIMPLE, bind
from tests.fuzz.values import is_array

ERRORS = ("LookupError", "OverflowError", "KeyError", "Failure")

DEFINITIONS = """

class Failure(Exception):
    def __init__(self, size):
        super().__init__(size)
        self.size = size


class Mark:
    def __init__(self, n):
        self.n = n


class Guard:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log[0] += 1
        return self.log

    def __exit__(self, kind, error, trace):
        self.log[1] += 2
        return kind is LookupError


def halves(n, s):
    while n > 0:
        yield s / n
        n //= 2


def pairwise(x):
    for i, v in enumerate(x):
        if v > 3:
            return
        yield v * 2 if i % 2 else v
    yield 0.5


def nested(n):
    yield from halves(n, 1.0)
    for i in range(n):
        yield float(i)
"""


def caught(scope: Scope) -> bool:
    """`try` with an exception that is raised here at times, and what catches it."""
    if "Failure" not in scope.namespace:
        return False
    error, name = scope.rng.choice(ERRORS), scope.fresh_name("error")
    value = ex.integer(scope, 1).text
    if ":=" in value:
        return False
    scope.feature("try")
    scope.emit("try:")
    with scope.block():
        block(scope, scope.rng.randint(0, 2))
        scope.emit(f"if {ex.boolean(scope, 1).text}:")
        scope.emit(f"    raise {error}({value} % 7)")
        block(scope, scope.rng.randint(0, 2))
    also = f"({error}, IndexError)" if scope.chance(0.3) else error
    also = "Exception" if scope.chance(0.1) else also
    scope.emit(f"except {also} as {name}:" if scope.chance(0.6) else f"except {also}:")
    binds = scope.lines[-1].endswith(f" as {name}:")
    with scope.block():
        if error == "Failure" and binds and also != "Exception":
            made = scope.fresh_name("v")
            scope.emit(f"{made} = {name}.size + 1")
            scope.names[made] = 1
        block(scope, scope.rng.randint(1, 2))
        if scope.chance(0.15):
            scope.feature("raise")
            scope.emit(f"if {ex.boolean(scope, 1).text}:")
            scope.emit('    raise ValueError("stop")')
    if scope.chance(0.3):
        scope.feature("try-else")
        scope.emit("else:")
        body(scope, 2)
    if scope.chance(0.3):
        scope.feature("finally")
        scope.emit("finally:")
        with scope.block():
            loops, scope.loops = scope.loops, 0
            slots, scope.slots = scope.slots, None
            block(scope, 1)
            scope.loops, scope.slots = loops, slots
    return True


def caught_index(scope: Scope) -> bool:
    """An index that may be out of range, and what catches the error."""
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and 0 < v.size < 6)
    i = ex.integer(scope, 1).text
    if x is None or ":=" in i:
        return False
    name, n = scope.fresh_name("v"), x.value.size
    scope.feature("try")
    scope.emit("try:")
    # Past both ends, or the first index past the last one.
    at = f"{i} % {2 * n + 3} - {n + 1}" if n % 2 else f"({i} | 1) % 2 + {n - 1}"
    scope.emit(f"    {name} = float({x.text}[{at}])")
    scope.emit("except IndexError:")
    scope.emit(f"    {name} = -1.0")
    scope.names[name] = 1.5
    return True


def guarded(scope: Scope) -> bool:
    """`with` of a class of the program; it counts, and may catch."""
    if "Guard" not in scope.namespace or scope.nesting:
        return False
    log, result = scope.fresh_name("log"), scope.fresh_name("v")
    scope.feature("with")
    scope.emit(f"{log} = [0, 0]")
    scope.emit(f"with Guard({log}):")
    with scope.block():
        block(scope, scope.rng.randint(1, 2))
        if scope.chance(0.5):
            scope.emit(f"if {ex.boolean(scope, 1).text}:")
            scope.emit('    raise LookupError("at")')
    scope.emit(f"{result} = {log}[0] + {log}[1]")
    scope.names[result] = 3
    return True


def for_generator(scope: Scope) -> bool:
    """A loop over what a generator function yields."""
    if "halves" not in scope.namespace:
        return False
    x = scope.pick(lambda v: is_array(v, "f") and v.ndim == 1 and v.dtype == float)
    i, s = ex.integer(scope, 1).text, ex.real(scope, 1).text
    calls = [f"halves({i} % 9, {s})", f"nested({i} % 4)"]
    calls += [f"pairwise({x.text})"] if x is not None else []
    call = scope.rng.choice(calls)
    if ":=" in call:
        return False
    name = scope.fresh_name("e")
    scope.feature("generator-function")
    if scope.chance(0.4):
        use = scope.rng.choice(("sum({})", "max({}, default=0.5)", "float(len(list({})))"))
        found = scope.make(f"float({use.format(call)})")
        if found is not None:
            bind(scope, scope.fresh_name("v"), found)
        return found is not None
    scope.emit(f"for {name} in {call}:")
    loop_body(scope, {name: 1.5}, None, None)
    return True


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
COMPOUND[caught] = 16
COMPOUND[for_generator] = 12
SIMPLE[guarded] = 6
SIMPLE[caught_index] = 4
