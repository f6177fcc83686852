"""What is to be specialized, and what was found to be needed for it.

A specialization is asked for (`Request`) and may ask back (`Restart`); a function remembers what
was asked of it (`Needed`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from numbers import Number
from typing import Any

from pyxla import late
from pyxla.errors import BadArgument, CompileError, LargeArgument, Location
from pyxla.frozen import dataclass
from pyxla.guards.places import Place
from pyxla.runtime import descriptions, signature
from pyxla.runtime.numbers import ITEMS, Path
from pyxla.runtime.outcome import CountsNeeded
from pyxla.runtime.sharing import Memory
from pyxla.runtime.texts import CODES

compiler = late.module("pyxla.compiler")
refused = late.module("pyxla.lib.refused")
MAX_RESTARTS = 64
# A function is compiled for so many values of a number, or for so many texts, before they are data;
# more than `WARNED` of a number that cannot be are worth a warning.
MANY, WARNED = 8, 16
# Attempts at a program may cost so much, all together: instructions that are visited, and that are
# made.  After so much, nothing is tried of which nothing says that it helps; before, what is tried
# so makes no more.  A second is about 20,000; the costliest program of the corpus takes 40,000, and
# one that turns a lock of four digits, unrolled, 150,000.
MOST, MUCH = 500_000, 160_000


@dataclass(slots=True)
class Work:
    """What attempts at one program have cost so far.

    attempts: how many there were.  cost: of all of them.  blind: whether nothing says that the one
    under way helps.  refused: what the first was refused for that nothing has lifted.
    """

    attempts: int = 0
    cost: int = 0
    blind: bool = False
    refused: CompileError | None = None

    @property
    def is_much(self) -> bool:
        return self.cost > MUCH

    def is_left(self, visited: int, made: int) -> bool:
        """Whether an attempt that did so much may go on."""
        return self.cost + visited + made <= MOST and not (self.blind and made > MUCH)

    def done(self) -> None:
        """The program is made, or another one is asked for, which may cost as much: for checks in
        place, say, or with values that were data."""
        self.attempts, self.cost, self.blind, self.refused = 0, 0, False, None

    def refusal(self, loc: Location | None) -> CompileError:
        """Why the program is refused where nothing is left; loc: what was visited last."""
        spent = f"{self.attempts} attempts, which visited or made {self.cost} instructions"
        if self.refused is None:
            return CompileError(
                f"it takes too long to compile this: given up here after {spent}",
                loc,
                hint="compute with arrays and numbers what is done with structures that are known "
                "while compiling, or pass data as arrays",
            )
        if not any(text.startswith("given up") for text, _ in self.refused.notes):
            self.refused.notes += ((f"given up after {spent}", loc),)
        return self.refused


@dataclass(slots=True)
class Request:
    """What to specialize: arguments as described, `names` the keywords of the last of them.

    replayed: of a second run, the checks that are in place (`infer.raising.faults`).  in_place: all
    are.  alone: there is no second run.  demands: what inference begins with
    (`infer.demands.Demands`): where a program is compiled again, or begun again for a place, what
    it took before; of other arguments, what it took for the last ones.  unknown: the paths of
    numbers of which only the types are given.  bounds: whether inference may ask what ints are at
    most (`runtime.numbers.MOST`).  hopes: whether values are known that may lift a refusal, if
    anything does.  tentative: whether `demands` are those of other arguments, without
    which it may not be refused.  work: what attempts at it have cost so far.
    """

    function: Any
    args: tuple[descriptions.Arg, ...]
    names: tuple[str, ...] = ()
    memory: Memory = field(default_factory=Memory)
    options: Any = None
    replayed: frozenset[Any] = frozenset()
    in_place: bool = False
    alone: bool = False
    demands: Any = None
    unknown: frozenset[Path] = frozenset()
    bounds: bool = True
    hopes: bool = False
    tentative: bool = False
    work: Work = field(default_factory=Work)


class Restart(Exception):  # noqa: N818 - a request, not an error
    """The arguments must be described anew: values of `static` paths, or further `places`.

    otherwise: the refusal where no values are to be had.  loc: where the places are needed.
    demands: what inference took until then, with which it goes on.  lifts: the refusal that values
    may lift, where nothing else did.
    """

    def __init__(
        self,
        static: dict[Path, Location | None],
        places: list[Place],
        otherwise: CompileError | None = None,
        loc: Location | None = None,
        demands: Any = None,
        lifts: CompileError | None = None,
    ) -> None:
        super().__init__()
        self.lifts = lifts
        self.loc = loc
        self.demands = demands
        self.static = static
        self.places = places
        self.otherwise = otherwise


def steps(arg: Any) -> Iterable[tuple[Any, Any]]:
    """The descriptions directly inside one, and the steps to them."""
    match arg:
        case descriptions.ArgDict(keys, values):
            return zip(keys, values, strict=True)
        case descriptions.ArgStand(_, inner):
            return steps(inner)
        case descriptions.ArgObject(_, fields):
            return fields
        case descriptions.ArgMethod(_, owner):
            return (("__self__", owner),)
        case (
            descriptions.ArgTuple(_, items)
            | descriptions.ArgList(items)
            | descriptions.ArgPytree(_, _, items)
        ):
            return enumerate(items)
        case tuple():
            return enumerate(arg)
    return ()


# So many numbers at one place of items, or of instances, are asked for before all of them are; of
# a few, half of them, but two at least.
SEVERAL = 8


def alike(args: Any, path: Path, known: Collection[Path]) -> list[Path]:
    """The ints that are where `path` is, where it was asked for several of those: at one place of
    the items of a container, or in one field of the instances of a class.  Those of one set are
    asked for at once: which items it has, all of them decide."""
    owners = dict(_ints(args))
    if (within := _set_around(args, path)) is not None:
        return [p for p in owners if p[: len(within)] == within]
    groups = [
        {
            p
            for p in owners
            if len(p) == len(path) and (p[:d], p[d + 1 :]) == (path[:d], path[d + 1 :])
        }
        for d in range(1, len(path))
        if type(path[d]) is int
    ]
    if (owner := owners.get(path)) is not None:
        groups.append({p for p in owners if owners[p] is owner and p[-1] == path[-1]})
    most = [min(SEVERAL, max(2, (len(g) + 1) // 2)) for g in groups]
    many = [g for g, n in zip(groups, most, strict=True) if len(g.intersection(known)) >= n]
    return [p for group in many for p in group]


def _known(args: Any, path: Path = ()) -> Iterator[tuple[Path, descriptions.ArgStatic]]:
    """The arguments, and what is in them, of which the values are known."""
    for step, arg in steps(args):
        if isinstance(arg, descriptions.ArgStatic):
            yield (*path, step), arg
        yield from _known(arg, (*path, step))


def _set_around(args: Any, path: Path) -> Path | None:
    """The path of the set in which an argument is, if it is in one."""
    arg = args
    for depth, step in enumerate(path):
        if isinstance(arg, descriptions.ArgStand) and issubclass(arg.cls, (set, frozenset)):
            return path[:depth]
        arg = dict(steps(arg)).get(step)
    return None


def _ints(args: Any, path: Path = (), owner: type | None = None) -> Iterator[tuple[Path, Any]]:
    """The paths of Python's ints, each with the class of the instance of which it is a field."""
    for step, arg in steps(args):
        if isinstance(arg, descriptions.ArgScalar):
            is_int = arg.kind == "python" and arg.type.dtype.kind == "i"
        else:
            is_int = isinstance(arg, descriptions.ArgStatic) and type(arg.value) is int
        if is_int:
            yield (*path, step), owner
        else:
            cls = arg.cls if isinstance(arg, descriptions.ArgObject) else None
            yield from _ints(arg, (*path, step), cls)


class Needed:
    """What of the arguments must be known, as inference asked so far: numbers by path, and objects
    outside.

    refusals: what is wrong, by the path of the number whose value would help.  values: for which
    there are programs, by path.  data: numbers that had many, with where they were asked for;
    needed: those of them that cannot be data.  may_lift: refusals that values may lift, by path.
    """

    def __init__(self) -> None:
        self.static: dict[signature.Path, Location | None] = {}
        self.refusals: dict[signature.Path, CompileError] = {}
        self.values: dict[signature.Path, set[Any]] = {}
        self.data: dict[signature.Path, Location] = {}
        self.needed: set[signature.Path] = set()
        self.may_lift: dict[signature.Path, CompileError] = {}
        self.places: list[Place] = []
        self.placed: Location | None = None

    def learn(self, restart: Restart, args: tuple[descriptions.Arg, ...] = ()) -> None:
        """Remember what is asked for, of `args` with what is alike; CompileError where it was, and
        could not be had."""
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
        for path in self.data.keys() & restart.static.keys():
            self.needed.add(path)
            del self.data[path]
        for path, loc in restart.static.items():
            self.static.update(dict.fromkeys(alike(args, path, self.static), loc))
        if restart.otherwise is not None:
            self.refusals.update(dict.fromkeys(restart.static, restart.otherwise))
        if restart.lifts is not None:
            self.may_lift.update(dict.fromkeys(restart.static, restart.lifts))
        self.places.extend(restart.places)
        self.placed = restart.loc or self.placed

    def count(self, args: tuple[descriptions.Arg, ...]) -> Iterator[tuple[Path, Location]]:
        """Note the values that a program is for; of numbers that have too many, the paths and where
        they are asked for, once."""
        for path, arg in _known(args):
            loc = self.static.get(path)
            is_text = type(arg.value) is str and len(path) == 1
            if not is_text and (loc is None or not isinstance(arg.value, Number)):
                continue
            values = self.values.setdefault(path, set())
            if arg.value in values or len(values) > WARNED:
                continue
            values.add(arg.value)
            if loc is not None and len(values) > WARNED:
                yield path, loc

    def many(self) -> list[tuple[Path, Location]]:
        """Let numbers and texts that had many values be data; the numbers."""
        found = []
        for path, values in self.values.items():
            loc = self.static.get(path)
            if len(values) <= MANY or path in self.needed:
                continue
            if loc is not None:
                self.data[path] = loc
                del self.static[path]
                found.append((path, loc))
            elif path not in self.data and (*path, ITEMS) not in self.static:
                self.static[*path, CODES] = None
        return found

    def data_again(self, paths: dict[Path, Location]) -> None:
        """Let numbers be data again that were asked for in vain."""
        for path in paths:
            self.static.pop(path, None)
        self.needed -= paths.keys()
        self.data.update(paths)

    def refusal(
        self, asked: Restart | CompileError, args: tuple[descriptions.Arg, ...] = ()
    ) -> CompileError | None:
        """What is wrong where something was asked for; None where that can be had."""
        if isinstance(asked, CompileError):
            return asked
        try:
            self.learn(asked, args)
        except CompileError as refusal:
            return refusal
        return None

    def not_lifted(self) -> frozenset[CompileError]:
        """The refusals that values did not lift, which are not asked for any more."""
        found = frozenset({error.loc: error for error in self.may_lift.values()}.values())
        self.static = {path: loc for path, loc in self.static.items() if path not in self.may_lift}
        self.may_lift = {}
        return found

    def found(self, static: Mapping[Path, Location | None]) -> None:
        """Ask for what a program from disk asked for, but for numbers that are data."""
        self.static.update({path: loc for path, loc in static.items() if path not in self.data})

    def described(self, args: tuple[Any, ...]) -> tuple[descriptions.Arg, ...]:
        """The descriptions of arguments; Restart where some are ints that are to be words."""
        walk = signature.Describe(frozenset(self.static))
        found = signature.described(walk, args)
        if walk.large:
            raise Restart(dict.fromkeys(walk.large), [])
        return found

    def restart(
        self, asked: Restart | LargeArgument | CountsNeeded, args: tuple[Any, ...]
    ) -> Restart:
        """What is to be learned of arguments: of those that share memory, of counts that must be
        known, of ints; OverflowError where one is larger than words are."""
        if isinstance(asked, Restart):
            return asked
        if isinstance(asked, CountsNeeded):
            if not asked.paths:
                raise asked
            return Restart(dict.fromkeys(asked.paths), [])
        try:
            self.described(args)
        except Restart as found:
            return found
        raise OverflowError(*asked.args) from None

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
        made = type(self.places[-1].read())
        _, remedy = refused.refusal(made) or (
            "",
            "make it outside, and pass the arrays and numbers in it as arguments",
        )
        return CompileError(
            f"{_name(function)}: a {made.__name__} is made while compiling, which programs cannot "
            "hold",
            self.placed or compiler.location(function),
            hint=remedy,
        )

    def outside(self) -> list[Any]:
        return [place.read() for place in self.places]


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)
