"""The folder that holds compiled programs: files with a checksum, named by digests.

    folder/<key>/<name>      a program; <key> says what was asked for, <name> what it depends on
    entry ::= magic length checksum header blob*

`header` is JSON; `length` and the sizes of the blobs are in front of it.  A file is written beside
its place and moved there, so that nobody sees half of one; one that is damaged is as good as none.
Whatever the file system refuses (no room, no permission) is as if there were no folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from pyxla.frozen import dataclass

MAGIC = b"pyxla program 1\n"
MOST_BYTES = 1 << 30
_HEAD = struct.Struct("<QI")  # bytes of the header, number of blobs
_SIZE = struct.Struct("<Q")
_CHECKSUM = 32
_EVERY = 16  # how many entries are written until the size is looked at again
_PARTIAL, _ABANDONED = ".part-", 3600.0  # seconds
# Entries of one key that are looked at: they differ in what is outside of the function.
_CANDIDATES = 16

OFF = ("0", "off", "false", "no")  # what PYXLA_CACHE is where nothing is kept

_written = 0


def folder() -> Path | None:
    """Where programs are kept: PYXLA_CACHE_DIR, or the user's own; None for PYXLA_CACHE=0."""
    if os.environ.get("PYXLA_CACHE", "").lower() in OFF:
        return None
    named = os.environ.get("PYXLA_CACHE_DIR")
    return Path(named) if named else Path(platformdirs.user_cache_dir("pyxla"))


def limit() -> int:
    """How many bytes the folder holds at most: PYXLA_CACHE_SIZE, in megabytes."""
    try:
        return int(float(os.environ["PYXLA_CACHE_SIZE"]) * 1e6)
    except (KeyError, ValueError, OverflowError):
        return MOST_BYTES


@dataclass(frozen=True, slots=True)
class File:
    """An entry: where it is, its bytes, and when it was used last (seconds since 1970)."""

    path: Path
    size: int
    used: float


def candidates(key: str) -> Iterator[tuple[Path, dict[str, Any], list[bytes]]]:
    """The entries of a key that are whole, those used last first."""
    root = folder()
    if root is None:
        return
    files = sorted(_files_in(root / key), key=lambda file: -file.used)
    for file in files[:_CANDIDATES]:
        if (found := read(file.path)) is not None:
            yield (file.path, *found)


def read(path: Path) -> tuple[dict[str, Any], list[bytes]] | None:
    """The header and the blobs of an entry; None where there is no whole one."""
    try:
        data = memoryview(path.read_bytes())
        start = len(MAGIC) + _CHECKSUM
        if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : start] != _checksum(data[start:]):
            return None
        length, count = _HEAD.unpack_from(data, start)
        start += _HEAD.size
        sizes = [_SIZE.unpack_from(data, start + i * _SIZE.size)[0] for i in range(count)]
        start += count * _SIZE.size
        header = json.loads(bytes(data[start : start + length]))
    except (OSError, ValueError, struct.error, MemoryError):
        return None
    blobs, start = [], start + length
    for size in sizes:
        blobs.append(bytes(data[start : start + size]))
        start += size
    return (header, blobs) if start == len(data) else None


def _checksum(data: Any) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM).digest()


def write(key: str, name: str, header: dict[str, Any], blobs: Sequence[bytes]) -> bool:
    """Keep an entry; False where that cannot be done."""
    root = folder()
    if root is None:
        return False
    text = json.dumps(header, separators=(",", ":")).encode()
    sizes = b"".join([_SIZE.pack(len(blob)) for blob in blobs])
    data = b"".join([_HEAD.pack(len(text), len(blobs)), sizes, text, *blobs])
    if len(data) > limit():
        return False
    try:
        _replace(root / key, name, MAGIC + _checksum(data) + data)
    except OSError:
        return False
    _bound(root)
    return True


def _replace(place: Path, name: str, data: bytes) -> None:
    """Write a file of that name as a whole or not at all."""
    place.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(prefix=_PARTIAL, dir=place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(partial, place / name)
    except BaseException:
        _remove(Path(partial))
        raise


def touch(path: Path) -> None:
    """Mark an entry as used now."""
    try:
        os.utime(path)
    except OSError:  # it may be read by who may not write
        return


def _files_in(place: Path) -> list[File]:
    found = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if not entry.name.startswith(_PARTIAL) and entry.is_file():
                    about = entry.stat()
                    found.append(File(Path(entry.path), about.st_size, about.st_mtime))
    except OSError:
        return found
    return found


def files() -> list[File]:
    """All entries, those used last first."""
    root = folder()
    found = [file for place in _places(root) for file in _files_in(place)]
    return sorted(found, key=lambda file: -file.used)


def _places(root: Path | None) -> list[Path]:
    """The folders of keys: nothing else in there is ours."""
    if root is None:
        return []
    try:
        return [p for p in root.iterdir() if len(p.name) == KEY_LENGTH and p.is_dir()]
    except OSError:
        return []


KEY_LENGTH = 40


def clear() -> int:
    """Remove all entries; how many there were."""
    root, count = folder(), 0
    for place in _places(root):
        for name in _names(place):
            count += _remove(place / name) and not name.startswith(_PARTIAL)
        _remove_folder(place)
    return count


def remove(key: str, name: str) -> None:
    """Remove an entry, if it is there."""
    if (root := folder()) is not None:
        _remove(root / key / name)
        _remove_folder(root / key)


def _names(place: Path) -> list[str]:
    try:
        return os.listdir(place)
    except OSError:
        return []


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


def _is_old(path: Path) -> bool:
    """Whether nobody writes a file any more."""
    try:
        return time.time() - path.stat().st_mtime > _ABANDONED
    except OSError:
        return False


def _remove_folder(place: Path) -> None:
    try:
        place.rmdir()
    except OSError:  # another process writes there
        return


def _bound(root: Path) -> None:
    """Remove the entries used longest ago where all are too many; now and then."""
    global _written
    _written += 1
    if _written % _EVERY != 1:
        return
    for place in _places(root):
        for name in _names(place):
            if name.startswith(_PARTIAL) and _is_old(place / name):
                _remove(place / name)
    kept, most = files(), limit()
    total = sum([file.size for file in kept])
    while kept and total > most:
        file = kept.pop()
        total -= file.size
        _remove(file.path)
        _remove_folder(file.path.parent)
