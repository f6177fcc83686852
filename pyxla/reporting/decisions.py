"""What the compiler decided about a program, with the line that forced it and the remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyxla.errors import ListOverflow, Location, RefusedPath, Surprise, option_of, spell
from pyxla.guards.places import STREAM
from pyxla.ir.core import Instr, Region
from pyxla.ir.rewrite import walk
from pyxla.ir.types import SHORT_NAMES, ArrayType, array_type
from pyxla.lower.dead import has_effect
from pyxla.runtime.numbers import MOST
from pyxla.runtime.outcome import Outcome
from pyxla.runtime.parts import in_parts
from pyxla.runtime.programs import Program
from pyxla.specialize import Specialization

STREAM_TYPE = array_type(STREAM.dtype)


@dataclass(frozen=True, slots=True)
class Decision:
    """kind: one word, the heading it is listed under.  remedy: what to write for another one."""

    kind: str
    text: str
    loc: Location | None = None
    remedy: str = ""


def decisions(
    made: Specialization, program: Program, outcome: Outcome, names: Sequence[str]
) -> list[Decision]:
    """All decisions about a specialization whose arguments have these names, in source order."""
    found = [
        *_known(made, names),
        *_unrolled(made),
        *_checked(outcome),
        *_written(program, outcome),
        *_operations(program.region),
    ]
    return sorted(found, key=lambda d: (d.loc is None, d.loc.lineno if d.loc else 0))


def _known(made: Specialization, names: Sequence[str]) -> Iterator[Decision]:
    for path, loc in made.static.items():
        name = names[path[0]] if path[0] < len(names) else "a captured object"
        what = f"the value of {spell(path, name)}"
        hint = "each value compiles anew; for many values pass an array of the size that is needed"
        if path[-1] == MOST:
            what = f"what {spell(path[:-1], name)} is at most, a power of four,"
            hint = "numbers between two powers of four have one program"
        yield Decision("known", f"{what} is part of the program", loc, hint)


def _unrolled(made: Specialization) -> Iterator[Decision]:
    for loc, count in made.unrolled.items():
        yield Decision(
            "unrolled",
            f"the loop is written out, {count} iterations: its data differ from one to the next",
            loc,
            "keep one shape and dtype through all iterations, or stack the data in one array",
        )


def _checked(outcome: Outcome) -> Iterator[Decision]:
    flagged = [site for site in outcome.checks if issubclass(site.cls, Surprise)]
    sites = {(site.cls, site.loc): site for site in (*outcome.sites, *flagged)}
    for (cls, loc), site in sites.items():
        if cls is RefusedPath:
            reason, hint, _ = site.known
            yield Decision(
                "left_out", f"is refused where the program comes here: {reason}", loc, hint
            )
        elif issubclass(cls, ListOverflow):
            option = option_of(cls)
            yield Decision(
                "capacity",
                f"the size is known at run time only: there is room for {option} items, and "
                "more of them compile the function again",
                loc,
                f"start from np.zeros of a known size, or set {option}",
            )
        else:
            yield Decision(
                "checked", f"may raise {cls.__name__}: a number among the results says", loc
            )


def _written(program: Program, outcome: Outcome) -> Iterator[Decision]:
    region, outcome = in_parts(program.region, outcome)
    params = dict(zip(outcome.inputs, region.params, strict=True))
    for write in outcome.writes:
        param = params.get(write.leaf)
        if param is not None and param.type == STREAM_TYPE and not param.hint:
            continue  # what is printed keeps its order by it
        name = (param.hint if param is not None else "") or "an array outside the function"
        yield Decision(
            "copied",
            f"{name} is changed: its new contents, {region.results[write.index].type}, are copied "
            "to the caller's array",
            remedy="return a new array, and let the caller bind it",
        )


def _operations(region: Region) -> Iterator[Decision]:
    """Conversions of arrays, host calls and JAX's functions, once per line."""
    conversions: Counter[tuple[Location, str, ArrayType]] = Counter()
    for instr in walk(region.instrs):
        if instr.loc is None:
            continue
        name = instr.op.name
        if name == "convert" and _is_conversion(instr):
            before, after = instr.operands[0].type, instr.result.type
            conversions[instr.loc, SHORT_NAMES[before.dtype], after] += 1
        elif name == "foreign":
            what = instr.attrs.get("name") or "a function of jax"
            yield Decision("foreign", f"{what} is JAX's own code, with JAX's semantics", instr.loc)
        elif not instr.regions and has_effect(instr):
            yield Decision(
                "host", "Python is called here at run time", instr.loc, "print after the call"
            )
    for loc, dtype, after in conversions:
        yield Decision(
            "converted",
            f"an array of {dtype} becomes {after}",
            loc,
            "give both operands one dtype",
        )


def _is_conversion(instr: Instr) -> bool:
    """Whether a whole array gets other numbers; bools that are counted surprise nobody."""
    before, after = instr.operands[0].type, instr.result.type
    return before.size > 1 and before.dtype != after.dtype and before.dtype.kind != "b"
