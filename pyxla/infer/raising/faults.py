"""What a program does where something is out of order: an exception that CPython raises by itself.

A path for each such exception would be a copy of what follows.  So a program *notes* faults, by
sticky flags (`ops.sticky`), and runs on; a program is pure inside, and nothing was written for the
caller yet.  Where a flag is set the results are dropped, and the program is compiled and run once
more, with the checks of the sites whose flags are set *in place*: there it raises what CPython
raises, with the arguments as CPython leaves them.  All others are noted again: a site before those
may have had no say in the first run, as loops end once a flag is set, and clauses that the
exception comes to are run for the first time.  So runs go on until none sets a flag.

A flag may be set in error (two sites may share one, a test may be coarse): then the second run
raises nothing, and gives the results.

What the compiler did not expect of the data (`errors.Surprise`) is noted as well, by flags of its
own: where no other is set the caller answers at once, by a program that is made for it.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import field
from typing import Any

from pyxla.abstract.lattice import Array, Compound, Const, Scalar
from pyxla.errors import ListOverflow, Location, Surprise
from pyxla.frozen import dataclass
from pyxla.ir.core import Value
from pyxla.ir.types import FLAGS
from pyxla.ops.sticky import flag

Site = tuple[Location | None, type[BaseException] | None]
SURPRISES = 8  # of the flags tell of surprises alone


@dataclass(frozen=True, slots=True)
class Raises:
    """An exception of a class that is made on the path that raises it."""

    kind: type[BaseException]
    make: Callable[[], Any]


@dataclass(slots=True)
class Faults:
    """What becomes of checks.

    noted: the sites whose faults are noted, with the flags they set; None where all checks are in
    place.  replayed: of a second run, the sites whose checks are in place all the same.  alone:
    there is no second run, so that no test may be coarse.  surprises: what the sites raise that are
    answered by another program.  counted: the sites that are noted, of surprises and of others.
    """

    noted: dict[Site, int] | None = None
    replayed: Collection[Site] = ()
    alone: bool = False
    surprises: dict[Site, Surprise] = field(default_factory=dict)
    counted: Counter[bool] = field(default_factory=Counter)

    @property
    def coarse(self) -> bool:
        """Whether a fault may be noted in error: not where a check may be in place."""
        return self.noted is not None and not self.replayed and not self.alone

    def in_place(self, site: Site) -> bool:
        """Whether the program raises at a site itself."""
        return self.noted is None or site in self.replayed or (self.alone and is_surprise(site))

    def note(self, site: Site, fine: Value, also: Iterable[type[BaseException]] = ()) -> None:
        """Note a fault of a site, of other classes as well if it may be coarse, unless `fine`."""
        if self.noted is not None:
            sites = [site, *[(site[0], kind) for kind in also if self.coarse]]
            bits = [1 << self._flag(self.noted, s) for s in sites]
            flag(fine, bits=functools.reduce(operator.or_, bits))

    def expect(self, site: Site, error: Surprise | Raises) -> None:
        """A site raises this: of lists that may grow too long there, the one with most capacity."""
        surprise = error.make() if isinstance(error, Raises) else error
        before = self.surprises.get(site)
        if not isinstance(before, ListOverflow) or before.capacity < surprise.args[0]:
            self.surprises[site] = surprise

    def _flag(self, noted: dict[Site, int], site: Site) -> int:
        """The number of the flag of a site."""
        if site not in noted:
            own = is_surprise(site)
            count = self.counted[own]
            self.counted[own] += 1
            noted[site] = FLAGS - 1 - count % SURPRISES if own else count % (FLAGS - SURPRISES)
        return noted[site]


def is_surprise(site: Site) -> bool:
    return site[1] is not None and issubclass(site[1], Surprise)


def class_of(error: Any) -> type[BaseException]:
    """The class of what a check raises."""
    if isinstance(error, Raises):
        return error.kind
    return error.meta if isinstance(error, Compound) else type(error)


def exception(cls: type[BaseException], *parts: Any) -> Compound:
    """`cls` with a message of texts and of numbers known at run time only."""
    items = tuple([part for part in parts if isinstance(part, (Scalar, Array))])
    pieces: tuple[Any, ...] = tuple(
        [("", "") if isinstance(p, (Scalar, Array)) else str(p) for p in parts]
    )
    message = Compound("text", items, pieces) if items else Const("".join(map(str, parts)))
    return Compound("exception", (message,), cls)
