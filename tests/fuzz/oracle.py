"""What happened to a program: equal, refused, wrong, or an internal error.

The native run is the oracle. Before it, an instrumented native run says where an int leaves 64
bits, which is an `OverflowError` at that line, and discards programs that leave what CPython and
pyxla agree on: casts of NaN to integers, runs that are too long. After a mismatch, native runs
whose arithmetic is jittered by a few units in the last place tell rounding from error: a
difference that the jitter explains is called unstable and does not count.

A program has one or more cases, tuples of arguments, which are run one after the other: natively
in one module, compiled in another, so that what a call leaves behind is seen by the next one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pyxla
from tests.compare import difference
from tests.fuzz import ways
from tests.fuzz.noise import either, jitter, jittered_code, observed_code, product
from tests.fuzz.outcomes import Outcome
from tests.fuzz.running import TOO_LARGE, Large, Run, cases, innermost, load, run, twice

LONGEST = 100_000
JITTERED_RUNS = 8
SMALLEST, LARGEST = -(2**63), 2**63 - 1
UNDEFINED = ("cast", "encountered in at")


class Discard(BaseException):
    """The program is not one that the promise speaks of."""


class Watch:
    """What the results of arithmetic are passed to: it counts them, and ends a program where an
    int of Python's leaves 64 bits, as compiled ones do.

    large: whether one did; line: the line of the program where it did; only: the one line where
    it counts, as ints that are known while compiling may be of any size.
    """

    def __init__(self, only: int | None = None) -> None:
        self.only = only
        self.start()

    def start(self) -> None:
        """Nothing has been seen yet."""
        self.steps = 0
        self.large = False
        self.line: int | None = None

    def __call__(self, value: Any) -> Any:
        self.steps += 1
        if self.steps > LONGEST:
            raise Discard("too long")
        if type(value) is int and not SMALLEST <= value <= LARGEST:
            line = innermost(sys._getframe())
            if self.only in (None, line):
                if not self.large:  # else in a `finally` clause, which no compiled program comes to
                    self.large, self.line = True, line
                raise Large
        return value

    def after(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """What passes on what the function makes of a value."""
        return lambda value: self(function(value))

    def ended(self, made: Run) -> Run:
        """The run that this watched, whatever a `finally` clause made of its end."""
        return (
            replace(made, result=OverflowError(TOO_LARGE), line=self.line) if self.large else made
        )


def watched(text: str) -> list[Run | None]:
    """Run all cases. Of each that the promise covers, the run that ends where an int leaves 64
    bits, if one does: nothing is said of the cases after it. `Discard` where the promise does not
    cover the first."""
    watch = Watch()
    namespace = load(observed_code(text), wrapped__=watch)
    found: list[Run | None] = []
    for case in range(cases(namespace)):
        watch.start()
        try:
            made = watch.ended(_watched_case(namespace, case))
        except Discard:
            if not case:
                raise
            return found
        found.append(made if watch.large else None)
        if watch.large:
            return found
    return found


def _watched_case(namespace: dict[str, Any], case: int) -> Run:
    with warnings.catch_warnings(record=True) as caught:
        made = run(namespace, case=case, warn="always")
    if isinstance(made.result, RecursionError | MemoryError):
        raise Discard("more memory than there is")
    if any(word in str(w.message) for w in caught for word in UNDEFINED):
        raise Discard("a cast of NaN or of a large number to an integer")
    return made


def later(text: str, case: int, line: int | None) -> Run:
    """The run of a case that ends where an int leaves 64 bits in this line, not in one before."""
    watch = Watch(only=line)
    namespace = load(observed_code(text), wrapped__=watch)
    for earlier in range(case + 1):
        watch.start()
        made = run(namespace, case=earlier)
    return watch.ended(made)


def jittered(text: str, case: int, watch: Watch | None = None) -> Iterator[Run]:
    """Native runs whose arithmetic is off by a few units in the last place."""
    code = jittered_code(text)
    for seed in range(JITTERED_RUNS):
        try:
            wrapped = watch.after(jitter(seed)) if watch else jitter(seed)
            hooks = {"wrapped__": wrapped, "either__": either(seed), "product__": product}
            namespace = load(code, **hooks)
            for earlier in range(case + 1):
                if watch:
                    watch.start()
                made = run(namespace, case=earlier)
        except (Exception, Discard):
            continue
        yield watch.ended(made) if watch else made


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


def explained(
    text: str, actual: Run, expected: Run, case: int = 0, watch: Watch | None = None
) -> bool:
    """Whether rounding noise explains every part that differs.

    It does where a jittered run is off by a comparable amount there: the comparison of the native
    run with a jittered one fails at a tolerance that is not much tighter.

    watch: where the expected run ends as an int leaves 64 bits, so do the jittered ones.
    """
    noisy = list(jittered(text, case, watch))
    found: dict[float, list[dict[str, str]]] = {}
    for name in differing(actual, expected):
        far = [t for t in (1e-6, 1e-4, 1e-2) if name in differing(actual, expected, t)]
        bound = {0: 1e-10, 1: 1e-8, 2: 1e-6, 3: 1e-2}[len(far)]
        if bound not in found:
            found[bound] = [differing(other, expected, bound) for other in noisy]
        if not any(name in differences for differences in found[bound]):
            return False
    return True


def judge(text: str, extra: str = "", verify: bool = False) -> Outcome:
    """Run a program natively and compiled; `extra` names an oracle of `ways` to ask, too."""
    try:
        covered = watched(text)
    except Discard as discarded:
        return Outcome("discarded", str(discarded))
    native, namespace = twice(text)
    function = pyxla.compile(namespace["program"], verify=verify)
    for case, bounded in enumerate(covered):
        expected = run(native, case=case)
        try:
            actual = run(namespace, function, case)
        except pyxla.CompileError as error:
            internal = error.message.startswith("internal error")
            return Outcome("internal" if internal else "refused", error.message)
        outcome = compare(text, actual, expected, case)
        if outcome.verdict != "equal" and bounded is not None:
            # What CPython gives is right as well: some intermediates may be of any size.
            watch = Watch()
            if isinstance(actual.result, OverflowError) and actual.line != bounded.line:
                watch = Watch(only=actual.line)
                bounded = later(text, case, actual.line)
            if "finally:" in text or "with Guard" in text:  # which run natively only
                bounded = replace(bounded, arguments=actual.arguments, globals=actual.globals)
            outcome = compare(text, actual, bounded, case, watch)
        if outcome.verdict != "equal":
            return outcome
    whole = extra and covered[0] is None
    return further_outcome(extra, text) if whole else Outcome("equal")


def further_outcome(name: str, text: str) -> Outcome:
    """What another way to run the program gives, compared to the native run."""
    try:
        actual, expected = ways.WAYS[name](text, run(load(text)))
    except ways.Skip as skip:
        return Outcome("equal", further=f"{name} skipped: {skip}")
    except pyxla.CompileError as error:
        return Outcome("internal", f"{name}: {error.message}", name)
    outcome = compare(text, actual, expected, 0)
    reason = f"{name}: {outcome.reason}" if outcome.reason else ""
    return replace(outcome, reason=reason, further=name)


def compare(
    text: str, actual: Run, expected: Run, case: int, watch: Watch | None = None
) -> Outcome:
    error = actual.result
    if isinstance(error, Exception) and actual.line is None:
        return Outcome("internal", f"{type(error).__name__}: {error}")
    found = mismatch(actual, expected)
    if not found:
        return Outcome("equal")
    found = f"case {case}: {found}" if case else found
    unstable = explained(text, actual, expected, case, watch)
    return Outcome("unstable" if unstable else "wrong", found)
