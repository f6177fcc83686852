"""Program texts that exist only in memory, found by `inspect` and by error excerpts."""

from __future__ import annotations

import itertools
import linecache

NUMBERS = itertools.count()
PATTERN = "<fuzz-{}>"


def remember(text: str) -> str:
    """A file name under which `linecache` shows this text; older texts are forgotten."""
    number = next(NUMBERS)
    name = PATTERN.format(number)
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    linecache.cache.pop(PATTERN.format(number - 50), None)
    return name
