"""Typed SSA against what is expected of it, in the manner of LLVM's FileCheck.

Expectations are comments in the source of a function, in the order of the listing:

    def doubled(x: f64[3]):
        return x + x
        #: %y = add %x, %x : f64[3]
        #! multiply
        #: return %y

`#:` is a line of the listing at or after the last one that was found; lines between are of no
concern.  `#!` is part of no line between its neighbours.  `%name` and `bbname` stand for one value
and one block, other names for others; `...` for any text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

EXPECTED = re.compile(r"#([:!]) +(.*?)\s*$", re.MULTILINE)
# `%the result.13` is %13: of the names in listings only the numbers differ for sure.
NAMED = re.compile(r"%[^%,()\[\]:=\n]*?\.(?=\d)")
SOURCE = re.compile(r"\s+# \d+: .*$")
TOKEN = re.compile(r"(%\w+|\bbb\w+)|(\.\.\.)|(\s+)")


@dataclass(frozen=True, slots=True)
class Expected:
    """A line of the listing, or with `never` a part of none."""

    text: str
    never: bool

    def pattern(self, known: dict[str, str]) -> re.Pattern[str]:
        """What it matches, where some names are known already."""
        parts, position, named = [], 0, set(known)
        for token in TOKEN.finditer(self.text):
            parts.append(re.escape(self.text[position : token.start()]))
            position = token.end()
            name, _, space = token.groups()
            if name:
                parts.append(_any_or_known(name, known, named))
                named.add(name)
            else:
                parts.append(r"\s+" if space else ".*")
        parts.append(re.escape(self.text[position:]))
        return re.compile("".join(parts))

    def binds(self, line: str, known: dict[str, str]) -> dict[str, str] | None:
        """The names as this line gives them; None if it is another."""
        found = self.pattern(known)
        match = found.search(line) if self.never else found.fullmatch(line)
        if match is None:
            return None
        names = {**known, **{_name_of(k): v for k, v in match.groupdict().items()}}
        return names if self.never or len(set(names.values())) == len(names) else None


def _any_or_known(name: str, known: dict[str, str], named: set[str]) -> str:
    """A pattern for a value or a block: as known, as earlier in the line, or any."""
    if name in known:
        return re.escape(known[name]) + r"\b"
    group = name.replace("%", "v_")
    if name in named:
        return f"(?P={group})"
    return rf"(?P<{group}>{'%' if name[0] == '%' else 'bb'}\d+)\b"


def _name_of(group: str) -> str:
    return group.replace("v_", "%", 1) if group.startswith("v_") else group


def expectations(source: str) -> list[Expected]:
    return [Expected(text, mark == "!") for mark, text in EXPECTED.findall(source)]


def plain(listing: str) -> list[str]:
    """Lines without indentation, sources and the names that users gave."""
    lines = [SOURCE.sub("", line).strip() for line in listing.splitlines()]
    return [NAMED.sub("%", line) for line in lines]


def unmet(expected: Sequence[Expected], listing: str) -> str:
    """The expectation that no reading of the listing meets, with the listing, or ""."""
    lines = plain(listing)
    furthest = [0]

    def meets(done: int, at: int, known: dict[str, str]) -> bool:
        furthest[0] = max(furthest[0], done)
        never, rest = _leading(expected[done:])
        if not rest:
            return not _found(never, lines[at:], known)
        for i in range(at, len(lines)):
            names = rest[0].binds(lines[i], known)
            between = lines[at:i]
            if names is not None and not _found(never, between, names):
                if meets(done + len(never) + 1, i + 1, names):
                    return True
        return False

    if meets(0, 0, {}):
        return ""
    text = "\n".join([f"#{'!' if e.never else ':'} {e.text}" for e in expected[furthest[0] :][:2]])
    return f"not met:\n{text}\n\nin:\n{listing}"


def _leading(expected: Sequence[Expected]) -> tuple[list[Expected], Sequence[Expected]]:
    """The expectations of absence before the next line, and that line with the rest."""
    count = next((k for k, e in enumerate(expected) if not e.never), len(expected))
    return list(expected[:count]), expected[count:]


def _found(never: Sequence[Expected], lines: Sequence[str], known: dict[str, str]) -> bool:
    return any(e.binds(line, known) is not None for e in never for line in lines)
