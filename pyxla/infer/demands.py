"""What an attempt at a program is to do: one record, which grows.

Inference that cannot go on as it was told asks for more (`Needs`), or refuses the program.  What a
refusal may be lifted by is a demand as well (`remedies`): lists kept in another way, say.  So each
attempt is told all that was asked for before it (`specialize`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, fields, replace
from typing import Any

from pyxla.abstract.lattice import SAME_SHAPE
from pyxla.errors import CompileError, Location
from pyxla.frozen import dataclass
from pyxla.ir.core import Block, Value

Path = tuple[Any, ...]  # an argument, and steps inside it
Site = Location | Path
Sites = frozenset[Site]

# A loop of at most this many iterations is unrolled, where it would need a list to be an array or
# to be of unknown length: more are more code than the loop.
SHORT = 4
# So many iterations are visited before lists become arrays instead; where the lists are of numbers,
# so many instructions are made.
ITERATIONS = 400
PATIENT = 40  # times as many, where nothing else lifted what the program was refused for
# Where arrays are of several sizes, so many instructions count as an iteration; so many where
# objects would become rows of arrays, which cost the program more than numbers do.
CODE, ROWS = 32, 8
# An attempt that visits so many instructions is worth another one where that may save code.
LARGE = 2000
# Behind so many of one loop an iteration counts as `LONG`: a long loop is over data, more often.
MANY, LONG = 32, 4
# Loops inside one another that have more iterations than this are over data as well.
NEST = 128


def argument_site(path: Path) -> Path:
    """The site of the lists among the arguments whose paths differ in positions only."""
    return (path[0], *["*" if isinstance(step, int) else step for step in path[1:]])


@dataclass(frozen=True, slots=True)
class Demands:
    """What was asked for, a product of sets.

    exact: where paths meet with names of several arrays that are written.  unrolled: loops that
    compute a needed value.  stacks: functions whose calls of themselves become loops, each with
    those that it calls and that call it (`frontend.recursion`).  stepped: generator functions, and
    the places of calls of `iter`, of which the items are read one here and one there
    (`frontend.stepping`).  in_place: whether checks raise where they are. rooms: whether arrays
    may be of sizes that nothing bounds (`infer.arrays.room`). pooled: classes whose instances are
    in pools (`infer.lists.pools`), and generators: of the generators of one function each; born:
    those of which instances are rows from the start (`infer.lists.entries`); everywhere: also the
    dicts, sets and the like among them that no loop makes; keyed: the dicts among them that are in
    none, as their keys change; late: fields that their instances are given, or keys of dicts that
    come and go, after they are made, if ever; apart: which variables closures among them have each
    for itself (`infer.calls.closures`).  shared: whether lists that are put in lists of unknown
    length are in pools, and sites: the places that make the lists of a pool each
    (`infer.lists.sites`).  arrays: whether all lists of numbers may become arrays, not only long
    ones.  case_split: whether a name may be one of values of no one type (`infer.joins.variants`).
    grids: the sites of arguments that are lists of lists of numbers, and each one array
    (`infer.lists.number_lists`).  chained: whether tables have chains (`lib.tables`).  ordered:
    whether sets are followed (`lib.sets`), and what leaves dicts.  kept: functions whose results
    are in dicts (`infer.calls.kept`).  hosted: functions that CPython runs (`infer.calls.hosted`).
    capacities: those that lists need at least, by option.  patient: whether more iterations are
    visited one by one.  refused: what nothing lifts: paths end there, as the program may not come
    to it.
    """

    exact: frozenset[Any] = frozenset()
    unrolled: frozenset[Block] = frozenset()
    stacks: frozenset[frozenset[Any]] = frozenset()
    stepped: frozenset[Any] = frozenset()
    in_place: bool = False
    rooms: bool = False
    pooled: frozenset[type] = frozenset()
    born: frozenset[type] = frozenset()
    generators: frozenset[type] = frozenset()
    everywhere: bool = False
    keyed: frozenset[type] = frozenset()
    late: frozenset[tuple[type, str]] = frozenset()
    apart: frozenset[tuple[type, str]] = frozenset()
    shared: bool = False
    sites: frozenset[Sites] = frozenset()
    arrays: bool = False
    case_split: bool = False
    grids: frozenset[Path] = frozenset()
    chained: bool = False
    ordered: bool = False
    kept: frozenset[Any] = frozenset()
    hosted: frozenset[Any] = frozenset()
    capacities: frozenset[tuple[str, int]] = frozenset()
    patient: bool = False
    refused: frozenset[CompileError] = frozenset()

    def __or__(self, more: Demands) -> Demands:
        both = {f.name: getattr(self, f.name) | getattr(more, f.name) for f in fields(self)}
        groups = {name: united(both[name]) for name in ("sites", "stacks")}
        return Demands(**{**both, **groups})

    def lasting(self) -> Demands | None:
        """What the program is likely to take for other arguments, if anything."""
        none: frozenset[Any] = frozenset()
        kept = replace(self, unrolled=none, hosted=none, refused=none)
        return kept if kept != Demands() else None


class Needs(Exception):  # noqa: N818 - a request, not an error
    """Inference cannot go on without `demands`."""

    def __init__(self, loc: Location | None = None, **demands: Any) -> None:
        super().__init__()
        self.demands, self.loc = Demands(**demands), loc

    @property
    def why(self) -> str:
        """What is asked for, in words."""
        return next((text for name, text in _WHY.items() if getattr(self.demands, name)), "")


class Exhausted(Needs):
    """All that attempts at a program may visit was visited."""


_WHY = {
    "capacities": "a loop goes on until a list has outgrown its capacity",
    "exact": "paths must tell which object a name refers to",
    "sites": "lists that change places are kept in one pool",
    "grids": "a list of lists that is written is one array",
    "unrolled": "a loop that computes a needed value is unrolled",
    "stacks": "calls of itself become a loop with a stack",
    "late": "instances in lists get fields after they are made",
    "apart": "closures in lists have variables of their own",
    "in_place": "what the host does is done once",
    "kept": "a cached function does what is to be done once",
    "stepped": "an iterator is read at several places",
    "generators": "generators that open calls read are kept in one pool",
}


def united(groups: Iterable[frozenset[Any]]) -> frozenset[frozenset[Any]]:
    """The groups of sites that share a pool, or of functions that call each other: those that have
    one in common are one."""
    found: set[frozenset[Any]] = set()
    for group in groups:
        meeting = {other for other in found if other & group}
        found = found - meeting | {group.union(*meeting)}
    return frozenset(found)


@dataclass(slots=True)
class Findings:
    """What attempts met, which may be why a program is refused.

    wanted: a list did not become an array.  wanting: the loops in which one did not; costly: those
    in which data might choose one of several arrays or objects.  pooling: those in which one of
    several sets or dicts is read that might be rows of a pool; over: those over instances that are
    in no pool.  kept: those in which a list became
    an array, or is of unknown length.  sized: an array would be of a size that nothing bounds;
    sizing: the loops in which one is of several sizes.
    long: a loop has more iterations than may be visited one by one; hasty: than are worth it.
    met: a name or an item has no one type.  lists: several are made.  classes: those whose
    instances might be in pools; containers: the same of those that stand for dicts, sets and the
    like; keyed: those of dicts in pools whose keys change; chosen: those of which data decides
    which dict that is; generators: those of generators that
    loops make, but for recursive_generators, which read others of their own.  recursive: functions
    that call each other, with what they were refused for.  valued: arguments with lists of which
    the numbers themselves are needed.  floats: such an argument, or
    what comes of it, is a key.  offered: what was said to be a remedy.  refused: what the last
    attempt was refused for, and where.  blind: whether nothing says that what is tried lifts it.

    Of one attempt alone: loops, the headers of those that are being visited; iterations, those
    that were visited one by one while a list might be an array instead; listed, how many lists are
    made, more than one in loops; made_of, the classes that instances were made of; came, the keys
    that dicts in pools are given, in order; hosted, the functions that the host is to call
    unasked; left_out, for what paths end that are refused, and what CPython raises there; large: a
    dict or set of numbers is, and leaves: a key is taken out of one; reading: dicts that a loop
    reads, by its header, and what became of keys in it (`infer.containers.tables.changed`); deep,
    how often calls were nested too deeply; infos, of the cells; sites, of lists that are refused
    for what they may be; named, the classes of instances that are refused for that; visited, how
    many instructions; branched, the conditions of branches.
    """

    demands: Demands = Demands()
    offered: Demands = Demands()
    refused: Any = None
    blind: bool = False
    wanted: bool = False
    wanting: set[Block] = field(default_factory=set)
    costly: set[Block] = field(default_factory=set)
    pooling: set[Block] = field(default_factory=set)
    over: set[Block] = field(default_factory=set)
    kept: set[Block] = field(default_factory=set)
    sized: bool = False
    sizing: set[Block] = field(default_factory=set)
    long: bool = False
    hasty: bool = False
    met: bool = False
    lists: bool = False
    classes: set[type] = field(default_factory=set)
    containers: set[type] = field(default_factory=set)
    keyed: set[type] = field(default_factory=set)
    chosen: set[type] = field(default_factory=set)
    came: dict[type, dict[str, bool]] = field(default_factory=dict)
    generators: set[type] = field(default_factory=set)
    recursive_generators: set[type] = field(default_factory=set)
    recursive: dict[frozenset[Any], CompileError] = field(default_factory=dict)
    valued: set[int] = field(default_factory=set)
    floats: bool = False
    loops: list[Block] = field(default_factory=list)
    iterations: int = 0
    listed: int = 0
    made_of: set[type] = field(default_factory=set)
    hosted: set[Any] = field(default_factory=set)
    left_out: dict[CompileError, type | None] = field(default_factory=dict)
    deep: int = 0
    large: bool = False
    leaves: bool = False
    reading: dict[tuple[Block | None, int], int] = field(default_factory=dict)
    infos: list[Any] = field(default_factory=list)
    sites: set[Sites] = field(default_factory=set)
    named: set[type] = field(default_factory=set)
    visited: int = 0
    branched: list[Value] = field(default_factory=list)

    def start(self, demands: Demands) -> None:
        """Begin another attempt."""
        self.demands, self.infos, self.sites, self.named = demands, [], set(), set()
        self.iterations = self.listed = self.deep = 0
        self.came = {}
        self.made_of, self.pooling, self.over = set(), set(), set()
        self.hosted, self.left_out = set(), {}
        self.branched = []
        self.large = self.leaves = False
        self.reading = {}

    def ask(self, sites: Sites) -> None:
        """Ask for one pool of the lists of these sites, in this attempt or, where that does not
        have pools of lists, in another."""
        if self.demands.shared:
            raise Needs(sites=frozenset({sites}))
        self.sites.add(sites)

    def asked(self) -> frozenset[Sites]:
        """The sites of lists that are put in lists of unknown length or may be one of several, by
        the pools that they would be in."""
        infos = [info.asked.root().sites for info in self.infos if info.asked is not None]
        return united([*infos, *self.sites])

    def allows(self, length: int, exact: bool, costly: bool = False) -> bool:
        """Whether a list of `length` items may become an array; `exact` if no number changes;
        `costly` if the items are no numbers."""
        allowed = self.demands.arrays or (exact and length > SHORT)
        self.costly.update(self.loops if costly else ())
        if not allowed:
            self.want()
        return allowed

    def want(self) -> None:
        """Note that a list did not become an array, for which the loops around may be unrolled."""
        self.wanted = True
        self.wanting.update(self.loops)

    def iteration(
        self, header: Block, index: int, nest: int, size: int, ends: bool, left: int
    ) -> bool:
        """Count an iteration that is visited on its own, the `index`th of a loop, of which the last
        made `size` instructions and may have been left by a test of data (`ends`): whether that is
        still worth its time, where a list that becomes an array would do.  The first few are, but
        in a nest of loops that has, as far as is known, more iterations than are worth it, or more
        code.  Where arrays are of several sizes, none is if those that are `left` are not, as they
        are alike."""
        code = 1 if nest <= SHORT * SHORT else max(size // CODE, 1)
        expected, few = 0, index < SHORT and nest * code <= NEST
        if not few and self.lifts(header):
            least = index if ends else 1 if index < MANY else LONG
            costly = header in (self.costly | self.over) - self.pooling
            made = size // (CODE if header in self.sizing else ROWS if costly else 1)
            self.iterations += max(least, made)
            if header in self.sizing and not ends:
                first = min(left, max(MANY - index, 0))
                expected = first * max(made, 1) + (left - first) * max(made, LONG)
        most = ITERATIONS * (PATIENT if self.demands.patient else 1)
        worth = self.iterations + expected <= most
        self.hasty |= not worth
        return worth

    def lifts(self, header: Block) -> str:
        """The demand with which a loop need not be visited iteration by iteration, as far as is
        known: the rows of a pool are read wherever they are."""
        if header in self.pooling:
            return "pooled"
        if header in self.sizing and not self.demands.rooms:
            return "rooms"
        pooled = "pooled" if header in self.over else ""
        wanting = header in self.wanting and not self.demands.arrays
        return f"arrays {pooled}".strip() if wanting else pooled

    def meet(self, conflict: Any, *headers: Block) -> None:
        """Note that values meet of no one type, at the header of a loop or in it, and what might do
        for them."""
        self.met = True
        self.lists |= conflict.demand == "shared"
        if conflict.hint == SAME_SHAPE:
            self.sized = True
            self.sizing.update((*self.loops, *headers))

    def remedy(self, refusal: CompileError, blindly: bool = True) -> Demands | None:
        """What may lift a refusal and was not offered yet: what is known to, else, `blindly`, what
        costs the program least."""
        self.lists |= refusal.remedy == "shared"
        self.offered |= replace(self.demands, exact=frozenset(), unrolled=frozenset())
        words = refusal.remedy
        offers: dict[str, Any] = {
            "rooms": self.sized,
            "keyed": frozenset(self.keyed),
            "pooled": frozenset(self.classes | self.containers),
            "shared": self.lists,
            "everywhere": bool(self.containers),
            "born": frozenset(self.named if "born" in refusal.remedy else ()),
            "ordered": "ordered" in refusal.remedy,
            "arrays": self.wanted or self.long or self.demands.case_split or "arrays" in words,
            "case_split": self.met or "case_split" in refusal.remedy,
            "stacks": frozenset(self.recursive),
            "generators": frozenset(self.generators),
            "unrolled": frozenset(self.kept),
        }
        first = refusal.remedy.split()
        # What only values that are known lift needs all else at once, if that does it at all.
        vain = any(x in first and getattr(self.demands, x) for x in ("case_split", "unrolled"))
        last = [list(offers)] if vain else []
        # Where what was offered last did nothing, one attempt for each of the rest is too many.
        if self.refused == (refusal.message, refusal.loc):
            last.append(["shared", "everywhere" if self.demands.pooled else "pooled"])
            last.append([name for name in offers if name != "unrolled"])
        self.refused = refusal.message, refusal.loc
        tries = [first, *last, *[[name] for name in offers]] if blindly else [first]
        found = [Demands(**{name: offers[name] for name in names}) for names in tries]
        # Rows of pools are more code than objects: where that is much, not all classes have any.
        if "pooled" in first and self.named and self.visited > LARGE and not self.demands.pooled:
            found.insert(0, replace(found[0], pooled=frozenset(self.named)))
        for more in found:
            self.blind = more not in found[: len(found) - len(tries) + 1]
            if self.offered | more != self.offered:
                self.offered |= more
                return more
        return None
