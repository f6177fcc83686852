"""What a branch teaches: on the side where `i < n`, the interval of `i` ends below that of `n`.

An *atom* is a comparison of ints `(direction, x, y)` that holds.  A bool Scalar carries its test:
`(direction, x, y)` as the comparison made it, or `("implies", if_true, if_false)` with the atoms
that follow from either outcome, as `and` and `or` leave it.
"""

from __future__ import annotations

from typing import Any

from pyxla.abstract.facts import extent
from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.facts.extent import UNKNOWN, IntFact
from pyxla.abstract.facts.signs import alike
from pyxla.abstract.lattice import Array, Const, NeedsStatic, Scalar, Variant
from pyxla.ir.core import Value

Atom = tuple[str, Any, Any]

# ("AMONG", x, places): the Variant `x` is one of its items at these places.
_NEGATED = {
    "EQ": "NE",
    "NE": "EQ",
    "LT": "GE",
    "GE": "LT",
    "GT": "LE",
    "LE": "GT",
}
_ZERO = IntFact(0, 0, (), 0)
_SWAPPED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}


def atoms(cond: Any, outcome: bool) -> tuple[Atom, ...]:
    """What holds where `cond` is `outcome`; what cannot, where constants alone decide it."""
    decided = known_elements(cond.value) if isinstance(cond, Scalar) else None
    if decided is not None:
        return () if bool(decided) is outcome else (("EQ", 0, 1),)
    test = cond.test if isinstance(cond, Scalar) else None
    if test is None:
        return ()
    if test[0] == "implies":
        return test[1] if outcome else test[2]
    return (test if outcome else negated(test),)


def negated(test: Any) -> Any:
    """The test of `not cond`."""
    if test is None:
        return None
    if test[0] == "implies":
        return ("implies", test[2], test[1])
    direction, x, y = test
    if direction == "AMONG":
        return direction, x, tuple([place for place in range(len(x.items)) if place not in y])
    return _NEGATED[direction], x, y


def together(*groups: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """The atoms of all groups, each of them once: what `a and b` tells has all that was assumed
    before it, which would double with each further `and`."""
    return tuple({id(atom): atom for group in groups for atom in group}.values())


def is_there(x: Variant) -> Scalar:
    """Whether what may be missing is not, as a bool that branches learn from."""
    return Scalar(x.tag.value, None, ("AMONG", x, (1,)))


def refined(
    env: dict[Value, Any], learned: tuple[Atom, ...], assumed: tuple[Atom, ...]
) -> dict[Value, Any] | None:
    """A copy of `env`, where `assumed` holds, in which `learned` does too; None where it cannot."""
    env = env.copy()
    for direction, x, y in learned:
        if isinstance(x, Variant):
            assumed += ((direction, x, y),)
            among = places(x, assumed)
            if not among:
                return None
            env = settled(env, x, among[0], assumed) if len(among) == 1 else env
            continue
        for left, right, relation in ((x, y, direction), (y, x, _SWAPPED[direction])):
            interval = _narrowed(extent.fact(left), extent.fact(right), relation)
            if interval.lo is not None and interval.hi is not None and interval.lo > interval.hi:
                return None
            if isinstance(left, Scalar):
                _apply(env, left, interval)
    return env


def settled(
    env: dict[Value, Any], x: Variant, place: int, assumed: tuple[Atom, ...]
) -> dict[Value, Any]:
    """`env` where `x`, and what has its tag, is the item at `place`, and `assumed` holds."""
    tag = x.tag.value
    return {
        key: narrowed(value.items[place], assumed)
        if type(value) is Variant and alike(value.tag.value, tag)
        else value
        for key, value in env.items()
    }


def places(x: Variant, assumed: tuple[Atom, ...]) -> list[int]:
    """Which of its items `x` may be where `assumed` holds, of it or of another that was read of the
    same place: `if node.value is not None: return node.value`."""
    tag = x.tag.value
    known = [a[2] for a in assumed if a[0] == "AMONG" and alike(a[1].tag.value, tag)]
    found = [place for place in range(len(x.items)) if all(place in among for among in known)]
    return [p for p in found if type(y := x.items[p]) is not Variant or places(y, assumed)]


def narrowed(x: Any, assumed: tuple[Atom, ...]) -> Any:
    """`x`, or the one of its items that it is where `assumed` holds."""
    while type(x) is Variant and len(among := places(x, assumed)) == 1:
        x = x.items[among[0]]
    return x


def _narrowed(x: IntFact, y: IntFact, direction: str) -> IntFact:
    """`x` where `x direction y`."""
    match direction:
        case "LT":
            return extent.meet(x, None, None if y.hi is None else y.hi - 1)
        case "LE":
            return extent.meet(x, None, y.hi)
        case "GT":
            return extent.meet(x, None if y.lo is None else y.lo + 1, None)
        case "GE":
            return extent.meet(x, y.lo, None)
        case "EQ":
            return extent.meet(x, y.lo, y.hi)
    if y.terms == () and x.lo == y.const:
        return extent.meet(x, y.const + 1, None)
    if y.terms == () and x.hi == y.const:
        return extent.meet(x, None, y.const - 1)
    return x


def _apply(env: dict[Value, Any], x: Scalar, interval: IntFact) -> None:
    """Narrow every int of `env` that differs from `x` by a constant."""
    decided = extent.fact(x)
    for key, known in env.items():
        if not isinstance(known, Scalar) or known.value.type.dtype.kind != "i":
            continue
        before = extent.fact(known)
        offset = 0 if known.value is x.value else extent.apart(before, decided)
        if offset is None:
            continue
        fact = extent.within(before, interval, offset)
        if fact != known.fact:
            env[key] = Scalar(known.value, fact, known.test, known.kinds)


def told(x: Any, assumed: tuple[Atom, ...]) -> Any:
    """What arithmetic made of ints, of which comparisons that hold may say more than the operands
    do: `i - k >= 0` where `i >= k`, `2 * i + 1 <= 8` where `2 * i + 1 < n <= 9`."""
    known = x.fact if type(x) is Scalar else None
    if known is None or not known.terms:
        return x
    for direction, left, right in assumed:
        if direction not in _SWAPPED:
            continue
        facts = extent.fact(left), extent.fact(right)
        for (first, second), relation in ((facts, direction), (facts[::-1], _SWAPPED[direction])):
            for form, limit in ((first, second), (extent.subtract(first, second), _ZERO)):
                if (offset := extent.apart(known, form)) is not None:
                    known = extent.within(known, _narrowed(UNKNOWN, limit, relation), offset)
    if known is x.fact or (known.lo is not None and known.hi is not None and known.lo > known.hi):
        return x  # nothing new, or nothing comes here
    return Scalar(x.value, known, x.test, x.kinds)


def known_number(x: Scalar | Array, what: str) -> Any:
    """The number that constants alone compute; NeedsStatic where it is known at run time only."""
    found = None if x.shape else known_elements(x.value)
    if found is None:
        raise NeedsStatic(x, what)
    return found.item() if isinstance(x, Scalar) else found[()]


def constant_of(x: Any) -> Any:
    """The int a Scalar is proven to be, as a Const; else `x`."""
    if isinstance(x, Scalar) and x.fact is not None and x.fact.lo == x.fact.hi is not None:
        return Const(x.fact.lo)
    return x
