"""Exceptions that are caught, context managers and generator functions of one's own."""

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


COMPOUND[caught] = 16
COMPOUND[for_generator] = 12
SIMPLE[guarded] = 6
SIMPLE[caught_index] = 4
