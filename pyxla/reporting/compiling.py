"""A program that is looked at: compiled once more, with everything that inference finds kept."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from typing import Any

from pyxla import ahead, journal, reflect
from pyxla.errors import Location, is_own
from pyxla.ir.rewrite import walk
from pyxla.pipeline import Compilation
from pyxla.reporting.decisions import Decision, decisions
from pyxla.reporting.listing import Places, of_code
from pyxla.runtime import jaxlink, signature
from pyxla.runtime.programs import Program
from pyxla.runtime.request import Needed
from pyxla.specialize.observing import observed


class Looked:
    """The compilation of `function` for arguments given as types or values.

    found: what inference found.  record: how long the stages took.  listing: the typed program;
    places: finds the files of its lines by their names.
    """

    def __init__(self, function: Any, args: Sequence[Any], names: Sequence[str] = ()) -> None:
        plain, options = reflect.unwrapped(function)
        self.function, self.args, self.keywords = plain, tuple(args), tuple(names)
        self.record = journal.Record(getattr(plain, "__qualname__", None) or repr(plain))
        with observed() as self.found, journal.writing(self.record):
            self.compilation: Compilation = ahead.specialize(
                plain, self.args, self.keywords, options, Needed()
            )
        # Outlining consumes the blocks, so that places are read before.
        self.typed = self.compilation.at("typed")
        self.listing = of_code(self.typed.function)
        code = walk(self.typed.function.instrs)
        self.places = Places([instr.loc for instr in code if instr.loc is not None])

    @classmethod
    def of_call(cls, function: Any, args: Sequence[Any], **named: Any) -> Looked:
        return cls(function, (*args, *named.values()), tuple(named))

    @functools.cached_property
    def program(self) -> Program:
        with journal.writing(self.record):
            return self.compilation.at("regions")

    @functools.cached_property
    def compiled(self) -> Any:
        """The executable that JAX makes of the program."""
        program = self.program
        began = time.perf_counter()
        made = jaxlink.lowered(program, self.compilation.where).compile()
        self.record.spent("xla", time.perf_counter() - began)
        return made

    @functools.cached_property
    def optimized(self) -> str:
        """The module that XLA made of it."""
        return self.compiled.as_text()

    @functools.cached_property
    def names(self) -> list[str]:
        """What the arguments are called, and captured objects."""
        places, request = self.compilation.places, self.compilation.request
        count, keywords = len(request.args) - len(places), request.names
        own = [signature.parameter_name(self.function, i, count, keywords) for i in range(count)]
        return own + [place.spelled for place in places]

    @functools.cached_property
    def decisions(self) -> list[Decision]:
        return decisions(self.typed, self.program, self.compilation.outcome, self.names)

    def home(self, loc: Location) -> Location | None:
        """The user's line that code is of: its own, or the one that calls the library there."""
        if not is_own(loc):
            return loc
        homes = self.found.homes.get((loc.filename, loc.lineno), set())
        return next(iter(homes)) if len(homes) == 1 else None
