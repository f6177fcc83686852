"""`io.StringIO`, as Python that is compiled like the user's: over a list of what was written."""

from __future__ import annotations

import io
from typing import Any


class StringIO(io.StringIO):
    """A file of text in memory.  parts: what it holds, in pieces; at: where it is read or written
    next, in characters; size: of the whole."""

    def __init__(self, initial_value: Any = "", newline: Any = "\n") -> None:
        if newline != "\n":
            raise ValueError("of the values for newline, '\\n' alone is compiled")
        self.parts: list[str] = [initial_value] if initial_value else []
        self.size = len(initial_value or "")
        self.at = 0

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> io.StringIO:
        made = io.StringIO("".join(fields["parts"]))
        made.seek(fields["at"])
        return made

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"string argument expected, got {type(text).__name__!r}")
        if self.at == self.size:
            self.parts.append(text)
            self.size += len(text)
        else:
            whole = self.getvalue().ljust(self.at, "\0")
            self._hold(whole[: self.at] + text + whole[self.at + len(text) :])
        self.at += len(text)
        return len(text)

    def writelines(self, lines: Any, /) -> None:
        for line in lines:
            self.write(line)

    def getvalue(self) -> str:
        return "".join(self.parts)

    def read(self, size: Any = -1, /) -> str:
        rest = self.getvalue()[self.at :]
        found = rest if size is None or size < 0 else rest[:size]
        self.at += len(found)
        return found

    def readline(self, size: Any = -1, /) -> str:  # type: ignore[override]
        rest = self.getvalue()[self.at :]
        end = rest.find("\n") + 1
        found = rest[:end] if end else rest
        found = found if size is None or size < 0 else found[:size]
        self.at += len(found)
        return found

    def readlines(self, hint: Any = -1, /) -> Any:
        return self.read().splitlines(True)

    def __iter__(self) -> Any:
        return iter(self.readlines())

    def seek(self, at: int, whence: int = 0, /) -> int:
        self.at = at if whence == 0 else self.size if whence == 2 else self.at
        return self.at

    def tell(self) -> int:
        return self.at

    def truncate(self, size: Any = None, /) -> int:
        size = self.at if size is None else size
        self._hold(self.getvalue()[:size])
        return size

    def _hold(self, text: str) -> None:
        self.parts.clear()
        self.parts.append(text)
        self.size = len(text)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def __enter__(self) -> StringIO:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()


def print_to(file: Any, parts: Any, sep: Any, end: Any, flush: Any) -> None:
    """`print(*parts, file=file)` of an instance: what CPython writes, and in what pieces."""
    for i, x in enumerate(parts):
        if i:
            file.write(" " if sep is None else sep)
        file.write(str(x))
    file.write("\n" if end is None else end)
    if flush:
        file.flush()
