"""Specialization by types: what a call with values finds out, found out without one.

Arguments are given as types (`pyxla.types`) or as values that stand for theirs.  Inference may ask
for the value of a number: of a value it is taken, of a type it is an error that names the use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pyxla import types
from pyxla.errors import BadArgument, CompileError, Location, ValueNeeded
from pyxla.lib.parts import on_parts
from pyxla.options import Options
from pyxla.pipeline import Compilation
from pyxla.runtime import artifact, making, signature
from pyxla.runtime.bounds import KEYWORD, Parts
from pyxla.runtime.request import MAX_RESTARTS, Needed, Request, Restart, Work
from pyxla.runtime.sharing import Memory
from pyxla.specialize import left_out


def specialize(
    function: Callable[..., Any],
    given: Sequence[Any],
    names: tuple[str, ...],
    options: Options,
    demands: Needed,
    data: bool = False,
) -> Compilation:
    """The compilation, down to its typed SSA, for arguments `given` as types or values.

    `names` are the keywords of the last of them.  `demands` learns what was asked for.  data:
    numbers of which only the types are given are data, also where a call would ask for their
    values: lists, tables and arrays are of unknown length then.
    """
    found = types.parts(given[: len(given) - len(names)])
    if found is not None:
        parts, whole = found
        sizes = dict.fromkeys(parts.bounds, int)
        given = (*whole, *given[len(whole) :], sizes)
        function = on_parts(function, parts.pattern, fixed=not parts.leading)
        names, demands, data = (*names, KEYWORD), Needed(), False
    demands.static.update(dict.fromkeys(types.known_numbers(given)))
    try:
        return _specialize(function, given, names, options, demands, data)
    except BadArgument as error:
        signature.name_argument(error, function, len(given), names)
        raise


def _specialize(
    function: Callable[..., Any],
    given: Sequence[Any],
    names: tuple[str, ...],
    options: Options,
    demands: Needed,
    data: bool,
) -> Compilation:
    begun, work = None, Work()
    for _ in range(MAX_RESTARTS):
        paths = frozenset(demands.static)
        args, typed, lies = types.describe((*given, *demands.outside()), paths)
        if typed & paths & demands.may_lift.keys():
            begun = left_out(demands.not_lifted())
            continue
        for path in typed & paths:
            refusal = demands.refusals.get(path)
            raise refusal or _needed(function, path, len(given), names, demands.static[path])
        unknown = frozenset(typed) if data else frozenset(demands.data)
        request = Request(function, args, names, Memory(), options, demands=begun, unknown=unknown)
        request.hopes, request.work = bool(demands.may_lift), work
        request.bounds = not data and not typed  # such a program is for all numbers
        compilation = Compilation(request, tuple(demands.places), demands.static, lies)
        try:
            compilation.at("typed")
        except (Restart, CompileError) as asked:
            refusal = demands.refusal(asked)
            if refusal is None:
                begun = asked.demands
            elif refused := demands.not_lifted():
                begun = left_out(refused)
            elif demands.data and not data:
                demands.learn(Restart(dict(demands.data), []))
                work.done()
            else:
                raise refusal from refusal.__cause__
            continue
        return compilation
    raise demands.restless(function)


def _needed(
    function: Any, path: signature.Path, count: int, names: Sequence[str], loc: Location | None
) -> ValueNeeded:
    """The error for a number whose value is needed and was not given."""
    parameter = signature.parameter_name(function, path[0], count, names)
    if parameter == KEYWORD:
        return ValueNeeded(
            f"the size {path[1]!r} must be known while compiling, and only its bound is given",
            loc,
            hint="write a number for it",
        )
    inside = "".join([f"[{step!r}]" for step in path[1:]])
    return ValueNeeded(
        f"the value of {parameter!r}{inside} must be known while compiling, and only its type "
        "is given",
        loc,
        types=(f"{parameter}{inside}: number",),
        hint="give its value: pyxla.static[5], or static[5] on the command line",
    )


def artifact_of(
    made: Compilation, given: int, named: tuple[str, ...], parts: Parts | None = None
) -> bytes:
    """The artifact of a compilation for so many positional arguments, and those by name."""
    if parts is not None:
        named = (*named, KEYWORD)
    programs = _programs(made)
    made = programs[0]
    count = given + len(named)
    args = made.request.args
    static = frozenset([(p[0] - count, *p[1:]) for p in made.static if p[0] >= count])
    _, outside = signature.flatten([place.read() for place in made.places], static)
    inside = len(made.at("typed").function.params) - len(outside)
    for program in programs:
        _check_inside(program, count, inside)
    names = [signature.parameter_name(made.request.function, i, count, named) for i in range(count)]
    return artifact.build(
        [(program.at("regions"), program.outcome) for program in programs],
        args[:count],
        names=names,
        captured=dict(enumerate(outside, inside)),
        copies=any(made.copies or made.laid for made in [p.at("typed") for p in programs]),
        parts=parts,
    )


def _programs(made: Compilation) -> list[Compilation]:
    """What an artifact is made of: where faults are noted, the program with all checks in place as
    well, which raises what CPython raises.  Where that is refused, a program that notes no fault in
    error, of which only the class is known."""
    if made.outcome.faults is None:
        return [made]

    def again(**how: Any) -> Compilation:
        return Compilation(replace(made.request, **how), made.places, made.static)

    exact = again(in_place=True)
    try:
        exact.at("regions")
    except (CompileError, Restart):
        return [again(alone=True)]
    return [made, exact]


def _check_inside(made: Compilation, args: int, leaves: int) -> None:
    """Refuse a program that changes what is not among its arguments, or their leaves."""
    outcome = made.outcome
    stored = [made.places[s.path[0] - args] for s in outcome.stores if s.path[0] >= args]
    if not stored and all(write.leaf < leaves for write in outcome.writes):
        return
    name = f"{made.request.function.__name__!r}"
    if making.has_effects(made.at("regions").region):
        words = f"{name} prints or calls Python, which an artifact cannot"
        raise CompileError(words, hint="return what is to be shown, and show it outside")
    named = [f"{place.name!r}" for place in stored if isinstance(place.name, str)]
    outside = named or [type(place.read()).__name__ for place in stored] or ["an array"]
    words = f"{name} changes {outside[0]}, which is outside of it: an artifact cannot"
    hint = "pass it as an argument; of random numbers, a generator: np.random.default_rng(0)"
    raise CompileError(words, hint=hint)
