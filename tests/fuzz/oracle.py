"""What happened to a program: equal, refused, wrong, or an internal error.

The native run is the oracle. Before it, an instrumented native run discards programs that leave
what CPython and pyxla agree on: Python ints beyond 64 bits, casts of NaN to integers, exceptions
the program does not raise itself, and runs that are too long. After a mismatch, native runs whose
arithmetic is jittered by a few units in the last place tell rounding from error: a difference that
the jitter explains is called unstable and does not count.

A program has one or more cases, tuples of arguments, which are run one after the other: natively
in one module, compiled in another, so that what a call leaves behind is seen by the next one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyxla
from tests.compare import difference
from tests.fuzz import ways
from tests.fuzz.noise import either, jitter, jittered_code, observed_code, product
from tests.fuzz.outcomes import Outcome
from tests.fuzz.running import Run, cases, inputs, load, run, twice

LONGEST = 100_000
JITTERED_RUNS = 8
EXPLICIT = (ValueError, RuntimeError, ArithmeticError, TypeError, AssertionError)
UNDEFINED = ("cast", "encountered in at")


class Discard(BaseException):
    """The program is not one that the promise speaks of."""


def watched(text: str) -> int:
    """Run all cases; how many the promise covers.  `Discard` where it does not cover the first."""
    steps = 0

    def watch(value: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps > LONGEST or (type(value) is int and abs(value) > 2**62):
            raise Discard("too long, or an int beyond 64 bits")
        return value

    namespace = load(observed_code(text), wrapped__=watch)
    for case in range(cases(namespace)):
        steps = 0
        try:
            _watched_case(namespace, case)
        except Discard:
            if not case:
                raise
            return case
    return cases(namespace)


def _watched_case(namespace: dict[str, Any], case: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            namespace["program"](*inputs(namespace, case))
        except Exception as error:
            if not isinstance(error, EXPLICIT) or raised_implicitly(error):
                raise Discard("an implicit exception") from error
    if any(word in str(w.message) for w in caught for word in UNDEFINED):
        raise Discard("a cast of NaN or of a large number to an integer")


def raised_implicitly(error: Exception) -> bool:
    """Whether the innermost frame is at something other than `raise` or `assert`."""
    known = ("stop", "at", "unlucky")
    text = str(error.args[0]) if error.args else ""
    return not (text in known or text.startswith("value "))


def jittered(text: str, case: int) -> Iterator[Run]:
    """Native runs whose arithmetic is off by a few units in the last place."""
    code = jittered_code(text)
    for seed in range(JITTERED_RUNS):
        try:
            hooks = {"wrapped__": jitter(seed), "either__": either(seed), "product__": product}
            namespace = load(code, **hooks)
            for earlier in range(case):
                run(namespace, case=earlier)
            yield run(namespace, case=case)
        except Exception:
            continue


def differing(actual: Run, expected: Run, rtol: float | None = None) -> dict[str, str]:
    """The parts that differ, and how."""
    found: dict[str, str] = {}
    parts = dict(actual.parts())
    for name, value in expected.parts():
        if name not in parts or (how := difference(parts[name], value, rtol, name)):
            found[name] = how if name in parts else f"no {name}"
    return found


def mismatch(actual: Run, expected: Run, rtol: float | None = None) -> str:
    """The first difference in the result, the arguments or the globals."""
    return next(iter(differing(actual, expected, rtol).values()), "")


def explained(text: str, actual: Run, expected: Run, case: int = 0) -> bool:
    """Whether rounding noise explains every part that differs.

    It does where a jittered run is off by a comparable amount there: the comparison of the native
    run with a jittered one fails at a tolerance that is not much tighter.
    """
    noisy = list(jittered(text, case))
    found: dict[float, list[dict[str, str]]] = {}
    for name in differing(actual, expected):
        far = [t for t in (1e-6, 1e-4, 1e-2) if name in differing(actual, expected, t)]
        bound = {0: 1e-10, 1: 1e-8, 2: 1e-6, 3: 1e-2}[len(far)]
        if bound not in found:
            found[bound] = [differing(other, expected, bound) for other in noisy]
        if not any(name in differences for differences in found[bound]):
            return False
    return True


def judge(text: str, checks: bool = False, extra: str = "", verify: bool = False) -> Outcome:
    """Run a program natively and compiled; `extra` names an oracle of `ways` to ask, too."""
    try:
        count = watched(text)
    except Discard as discarded:
        return Outcome("discarded", str(discarded))
    native, namespace = twice(text)
    function = pyxla.compile(namespace["program"], checks=checks, verify=verify)
    for case in range(count):
        expected = run(native, case=case)
        try:
            actual = run(namespace, function, case)
        except pyxla.CompileError as error:
            internal = error.message.startswith("internal error")
            return Outcome("internal" if internal else "refused", error.message)
        outcome = compare(text, actual, expected, case)
        if outcome.verdict != "equal":
            return outcome
    return further_outcome(extra, text, checks) if extra else Outcome("equal")


def further_outcome(name: str, text: str, checks: bool) -> Outcome:
    """What another way to run the program gives, compared to the native run."""
    try:
        actual, expected = ways.WAYS[name](text, checks, run(load(text)))
    except ways.Skip as skip:
        return Outcome("equal", further=f"{name} skipped: {skip}")
    except pyxla.CompileError as error:
        return Outcome("internal", f"{name}: {error.message}", name)
    outcome = compare(text, actual, expected, 0)
    reason = f"{name}: {outcome.reason}" if outcome.reason else ""
    return replace(outcome, reason=reason, further=name)


def compare(text: str, actual: Run, expected: Run, case: int) -> Outcome:
    error = actual.result
    if isinstance(error, Exception) and type(error) is not type(expected.result):
        return Outcome("internal", f"{type(error).__name__}: {error}")
    found = mismatch(actual, expected)
    if not found:
        return Outcome("equal")
    found = f"case {case}: {found}" if case else found
    return Outcome("unstable" if explained(text, actual, expected, case) else "wrong", found)
