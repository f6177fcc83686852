"""How deep Python's own calls may nest while a program is read and visited."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

# Visiting a call takes about a dozen frames of Python's, and calls nest up to
# `infer.calls.depth.MAX_DEPTH`; converting an operand of an operator takes five.
RECURSION_LIMIT = 6000
_lock = threading.Lock()
_limits: list[int] = []


@contextlib.contextmanager
def deep() -> Iterator[None]:
    """Raise Python's recursion limit while any thread is inside."""
    with _lock:
        _limits.append(sys.getrecursionlimit() if not _limits else _limits[0])
        sys.setrecursionlimit(max(_limits[0], RECURSION_LIMIT))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(limit)
