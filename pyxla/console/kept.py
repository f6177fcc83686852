"""`pyxla cache`: the programs that are kept on disk (`pyxla.store`)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from pyxla.store import folder


def clear() -> int:
    """Remove all programs; how many there were."""
    return folder.clear()


def listing() -> Iterator[str]:
    """A line for each program, those used last first, and one about all."""
    for file in folder.files():
        found = folder.read(file.path)
        name, where = (found[0]["function"], found[0]["file"]) if found else ("(damaged)", "")
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(file.used))
        yield f"{used}  {file.size / 1e3:8.1f} kB  {name}  {where}".rstrip()
    yield summary()


def summary() -> str:
    """How many programs there are, how large they are, and where."""
    place = folder.folder()
    if place is None:
        return "off (PYXLA_CACHE)"
    files = folder.files()
    size = sum([file.size for file in files])
    most = folder.limit() / 1e6
    return f"{len(files)} programs, {size / 1e6:.1f} MB of at most {most:.0f} MB, in {place}"
