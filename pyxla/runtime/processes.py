"""Which processes can compile: none that is a fork of one that did.  XLA's threads, which compile,
are not in it, and it would wait for them for ever."""

from __future__ import annotations

import os

from pyxla.errors import CompileError


class _Process:
    """Whether this one compiled anything, or is a fork of one that did."""

    def __init__(self) -> None:
        self.compiled = self.orphaned = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._in_child)

    def _in_child(self) -> None:
        self.orphaned = self.compiled

    def compiles(self) -> None:
        if self.orphaned:
            raise CompileError(
                "a process that os.fork made of one that has compiled functions cannot compile",
                hint='start processes with multiprocessing.get_context("spawn")',
            )
        self.compiled = True


compiles = _Process().compiles
