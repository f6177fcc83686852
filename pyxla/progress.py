"""A line on the terminal that says what is being compiled, where that takes more than a second.

Where stderr is no terminal nothing is written, and nothing is started.
"""

from __future__ import annotations

import sys
import threading
import time

from pyxla.journal import Record

AFTER, EVERY = 1.0, 0.2  # seconds
_WORDS = {
    "typed": "inferring types",
    "regions": "simplifying",
    "executable": "preparing the call",
    "stablehlo": "writing StableHLO",
    "xla": "XLA compiles",
}
CLEAR = "\r\x1b[K"


class Line:
    """The line about a record, from `begin` to `end`, written by a thread of its own."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Remove the line."""
        self._ended.set()
        self._thread.join()

    def _write(self) -> None:
        began, shown = time.perf_counter(), False
        wait = AFTER
        while not self._ended.wait(wait):
            wait = EVERY
            if self._record.at:
                self._show(time.perf_counter() - began)
            elif shown:
                sys.stderr.write(CLEAR)
            shown = bool(self._record.at)
            sys.stderr.flush()
        if shown:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()

    def _show(self, seconds: float) -> None:
        stage = _WORDS.get(self._record.at, self._record.at)
        sys.stderr.write(f"{CLEAR}pyxla: {self._record.function}: {stage}, {seconds:.0f} s")


def begin(record: Record) -> Line | None:
    """The line about a record that begins; None where nobody would see it."""
    seen = sys.stderr is not None and sys.stderr.isatty()
    return Line(record) if seen else None
