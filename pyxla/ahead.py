"""Specialization by types: what a call with values finds out, found out without one.

Arguments are given as types (`pyxla.types`) or as values that stand for theirs.  Inference may ask
for the value of a number: of a value it is taken, of a type it is an error that names the use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from pyxla import types
from pyxla.errors import BadArgument, CompileError, Location, ValueNeeded
from pyxla.infer.calls.captures import Place
from pyxla.options import Options
from pyxla.pipeline import Compilation, location
from pyxla.runtime import signature
from pyxla.runtime.sharing import Memory
from pyxla.specialize import MAX_RESTARTS, Request, Restart


class Demands:
    """What inference asked for so far: known numbers by path, and outside objects.

    refusals: what is wrong, by the path of the number whose value would help.
    """

    def __init__(self) -> None:
        self.static: dict[signature.Path, Location | None] = {}
        self.refusals: dict[signature.Path, CompileError] = {}
        self.places: list[Place] = []

    def learn(self, restart: Restart) -> None:
        """Remember what is asked for; CompileError where it was, and could not be had."""
        if restart.static and self.static.keys() >= restart.static.keys():
            if restart.otherwise is not None:
                raise restart.otherwise
            path, loc = next(iter(restart.static.items()))
            raise BadArgument(
                "the value of {} must be known while compiling, and JAX traces it",
                path,
                loc,
                hint="make it static where JAX traces: jax.jit(f, static_argnums=...)",
            )
        self.static.update(restart.static)
        if restart.otherwise is not None:
            self.refusals.update(dict.fromkeys(restart.static, restart.otherwise))
        self.places.extend(restart.places)

    def restless(self, function: Any) -> CompileError:
        """The error for inference that asks for one object after another."""
        if not self.places:
            path, loc = list(self.static.items())[-1]
            return BadArgument(
                f"the values of more than {len(self.static) - 1} numbers must be known while "
                "compiling, that of {} among them",
                path,
                loc,
                hint="pass numbers that index or count as an array",
            )
        made = type(self.places[-1].read()).__name__
        return CompileError(
            f"{_name(function)}: a {made} is made while compiling, which programs cannot hold",
            location(function),
            hint="make it outside, and pass the arrays and numbers in it as arguments",
        )

    def outside(self) -> list[Any]:
        return [place.read() for place in self.places]


def specialize(
    function: Callable[..., Any],
    given: Sequence[Any],
    names: tuple[str, ...],
    options: Options,
    demands: Demands,
) -> Compilation:
    """The compilation, down to its typed SSA, for arguments `given` as types or values.

    `names` are the keywords of the last of them.  `demands` learns what was asked for.
    """
    demands.static.update(dict.fromkeys(types.known_numbers(given)))
    try:
        return _specialize(function, given, names, options, demands)
    except BadArgument as error:
        signature.name_argument(error, function, len(given), names)
        raise


def _specialize(
    function: Callable[..., Any],
    given: Sequence[Any],
    names: tuple[str, ...],
    options: Options,
    demands: Demands,
) -> Compilation:
    for _ in range(MAX_RESTARTS):
        paths = frozenset(demands.static)
        args, typed = types.describe((*given, *demands.outside()), paths)
        for path in typed & paths:
            refusal = demands.refusals.get(path)
            raise refusal or _needed(function, path, len(given), names, demands.static[path])
        request = Request(function, args, names, Memory(), options)
        compilation = Compilation(request, tuple(demands.places), demands.static)
        try:
            compilation.at("typed")
        except Restart as restart:
            demands.learn(restart)
            continue
        return compilation
    raise demands.restless(function)


def _needed(
    function: Any, path: signature.Path, count: int, names: Sequence[str], loc: Location | None
) -> ValueNeeded:
    """The error for a number whose value is needed and was not given."""
    parameter = signature.parameter_name(function, path[0], count, names)
    inside = "".join([f"[{step!r}]" for step in path[1:]])
    return ValueNeeded(
        f"the value of {parameter!r}{inside} must be known while compiling, and only its type "
        "is given",
        loc,
        types=(f"{parameter}{inside}: number",),
        hint="give its value: pyxla.static[5], or static[5] on the command line",
    )


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


def annotated(function: Any) -> tuple[Any, ...] | None:
    """The types that the parameters of `function` are annotated with.

    None unless each has one and at least one is a type of pyxla's.
    """
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except Exception:  # annotations are any code, which may not be ready to run
        return None
    found = tuple([parameter.annotation for parameter in parameters])
    plain = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    known = all(types.is_type(annotation) for annotation in found)
    return found if plain and known and any(map(types.is_spec, found)) else None
