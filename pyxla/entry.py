"""A specialization that a compiled function keeps: what to run, and what that takes for granted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyxla import journal, late, store
from pyxla.runtime import descriptions
from pyxla.runtime.recognize import Guards, Recognizer, recognizer

if TYPE_CHECKING:
    from pyxla.pipeline import Compilation
    from pyxla.specialize import Specialization

compiler = late.module("pyxla.compiler")


class Entry:
    """A finished specialization: what to run, and the outside objects it takes for granted.

    memory: whether it matters to it how arrays lie in memory; shares: not their order there alone.
    record: what the journal tells of how it was made.  names: of its arguments.
    """

    __slots__ = (
        "_recognize",
        "executable",
        "guards",
        "memory",
        "shares",
        "_typed",
        "found",
        "names",
        "record",
        "request",
        "slot",
    )

    def __init__(
        self,
        found: store.Found,
        record: journal.Record,
        names: Sequence[str],
        slot: store.Slot | None,
        typed: Specialization | None = None,
    ) -> None:
        self.record, self.names, self.found, self.slot = record, names, found, slot
        self.request = replace(found.request, demands=typed.demands if typed is not None else None)
        self.executable = found.executable
        self.guards = Guards(found.constants)
        outcome = self.executable.outcome
        self.shares = bool(outcome.writes or outcome.patches) or found.copies
        self.memory = self.shares or found.laid
        self._typed = typed
        self._recognize: Any = recognizer

    @property
    def static(self) -> frozenset[Any]:
        """The paths of the arguments whose values it is for."""
        return frozenset(self.found.static)

    @property
    def specialization(self) -> Specialization:
        """The typed function; made again where the program was kept on disk."""
        if self._typed is None:
            self._typed = self._compilation().at("typed")
        return self._typed

    def _compilation(self) -> Compilation:
        return compiler.Compilation(self.request, self.found.places, self.found.static)

    def keep(self, leaves: Sequence[Any] | None) -> None:
        """Keep it on disk, after its first call, which was with these leaves; None: before."""
        slot, run = self.slot, self.executable
        if leaves is not None:
            self.slot = None
        if slot is None:
            return
        try:
            slot.keep(run.types() if leaves is None else run.binary(leaves))
        except Exception:  # whatever cannot be kept is compiled anew
            if self.request.options.verify:
                raise

    def __repr__(self) -> str:
        """The types it is for, as `pyxla.types` spells them."""
        return f"<{self.executable.program.name}({self.types})>"

    @property
    def types(self) -> str:
        """The types of its arguments."""
        args, names = self.request.args, self.request.names
        given = args[: len(args) - len(self.found.places)]
        words = [""] * (len(given) - len(names)) + [f"{name}=" for name in names]
        spelled = [word + descriptions.spelled(arg) for word, arg in zip(words, given, strict=True)]
        return ", ".join(spelled)

    def valid(self) -> bool:
        return self.guards.hold()

    def recognize(self, args: tuple[Any, ...], static: frozenset[Any]) -> Recognizer | None:
        """What recognizes arguments like these, for which it is; made by the second call."""
        if self._recognize is recognizer:
            self._recognize = recognizer(args, static, self.guards, self.memory > self.shares)
        return self._recognize

    def text(self, stage: str) -> str:
        """A stage of it, printed (see `pyxla.pipeline`)."""
        return self._compilation().text(stage)
