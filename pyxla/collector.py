"""Pausing Python's cyclic garbage collector.

A compilation makes many objects, nearly all of which live until it ends; the collector would look
at them again and again, and now and then at everything that the process holds.  When it resumes
they count as old, without another look: what is left of a compilation is kept as long as its
program.  What is not is found by a full collection, which `KEPT` objects bring about.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

KEPT = 500_000
_lock = threading.Lock()
_aged = 0  # objects made in pauses since the last full collection that they brought about
_pauses: list[bool] = []  # of all threads; the first says whether there is anything to resume


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """No collections until the last of all pauses ends, in whichever thread."""
    with _lock:
        _pauses.append(not _pauses and gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            # The first pause to begin need not be the first to end: what it found moves on.
            found = _pauses.pop(0)
            if _pauses:
                _pauses[0] |= found
            elif found:
                _age()
                gc.enable()


def _age() -> None:
    """Let what was made since the last collection be old."""
    global _aged  # noqa: PLW0603 - one collector per process
    _aged += gc.get_count()[0]
    if _aged > KEPT:
        _aged = 0
        gc.collect()
    elif not gc.get_freeze_count():  # else someone keeps objects frozen, and they must stay so
        gc.freeze()
        gc.unfreeze()
