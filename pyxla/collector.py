"""Pausing Python's cyclic garbage collector.

A compilation makes many objects, nearly all of which live until it ends; the collector would look
at them again and again, and now and then at everything that the process holds.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.Lock()
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
                gc.enable()
