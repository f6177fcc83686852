"""Methods of strings that data makes, as Python that is compiled like the user's.

Each of these is called with the string that it is a method of.  What looks at all characters at
once (`found`, `cut_at`, `parsed` and the like) is inference's (`infer.text.strings`).
"""

from __future__ import annotations

import operator
from typing import Any

LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
SUBSTRING = "substring not found"
EMPTY = "empty separator"


def found(s: str, part: str, start: int) -> int:
    """`s.find(part, start)` for a start from 0 on."""
    return s.find(part, start)


def found_last(s: str, part: str, start: int) -> int:
    """`s.rfind(part, start)` for a start from 0 on."""
    return s.rfind(part, start)


def split_at(s: str, character: str) -> list[str]:
    """`s.split(character)` for a separator of one character."""
    return s.split(character)


def words(s: str) -> list[str]:
    """`s.split()`."""
    return s.split()


def parsed(s: str, base: int) -> tuple[int, bool]:
    """`int(s, base)`, and whether `s` is such a number."""
    try:
        return int(s, base), True
    except ValueError:
        return 0, False


def code(s: str) -> int:
    """`ord(s)` of one character."""
    return ord(s)


def start_of(s: str, start: Any) -> int:
    """Where a search begins."""
    if start is None:
        return 0
    if start < 0:
        return max(len(s) + start, 0)
    return start


def until(s: str, stop: Any) -> str:
    """What a search looks at."""
    return s if stop is None else s[:stop]


def find(s: str, part: str, start: Any = None, stop: Any = None) -> int:
    return found(until(s, stop), part, start_of(s, start))


def rfind(s: str, part: str, start: Any = None, stop: Any = None) -> int:
    return found_last(until(s, stop), part, start_of(s, start))


def index(s: str, part: str, start: Any = None, stop: Any = None) -> int:
    return _there(find(s, part, start, stop))


def rindex(s: str, part: str, start: Any = None, stop: Any = None) -> int:
    return _there(rfind(s, part, start, stop))


def _there(at: int) -> int:
    if at < 0:
        raise ValueError(SUBSTRING)
    return at


def count(s: str, part: str, start: Any = None, stop: Any = None) -> int:
    whole = until(s, stop)
    at = start_of(s, start)
    if len(part) == 0:
        return max(len(whole) - at + 1, 0)
    total = 0
    at = found(whole, part, at)
    while at >= 0:
        total += 1
        at = found(whole, part, at + len(part))
    return total


def startswith(s: str, prefix: Any, start: Any = None, stop: Any = None) -> bool:
    if isinstance(prefix, tuple):
        return any([startswith(s, one, start, stop) for one in prefix])
    if start is None and stop is None:
        return s[: len(prefix)] == prefix
    at = start_of(s, start)
    whole = until(s, stop)
    return at <= len(whole) and whole[at : at + len(prefix)] == prefix


def endswith(s: str, suffix: Any, start: Any = None, stop: Any = None) -> bool:
    if isinstance(suffix, tuple):
        return any([endswith(s, one, start, stop) for one in suffix])
    whole = until(s, stop)
    first = start_of(s, start)
    at = len(whole) - len(suffix)
    return at >= first and whole[max(at, 0) :] == suffix


def removeprefix(s: str, prefix: str) -> str:
    return s[len(prefix) :] if startswith(s, prefix) else s


def removesuffix(s: str, suffix: str) -> str:
    return s[: len(s) - len(suffix)] if len(suffix) > 0 and endswith(s, suffix) else s


def partition(s: str, part: str) -> tuple[str, str, str]:
    if len(part) == 0:
        raise ValueError(EMPTY)
    at = found(s, part, 0)
    if at < 0:
        return s, "", ""
    return s[:at], part, s[at + len(part) :]


def rpartition(s: str, part: str) -> tuple[str, str, str]:
    if len(part) == 0:
        raise ValueError(EMPTY)
    at = found_last(s, part, 0)
    if at < 0:
        return "", "", s
    return s[:at], part, s[at + len(part) :]


def split_by(s: str, part: str, most: int) -> list[str]:
    """`s.split(part, most)`."""
    if len(part) == 0:
        raise ValueError(EMPTY)
    out: list[str] = []
    start = 0
    at = found(s, part, 0)
    while at >= 0 and (most < 0 or len(out) < most):
        out.append(s[start:at])
        start = at + len(part)
        at = found(s, part, start)
    out.append(s[start:])
    return out


def split_words(s: str, most: int) -> list[str]:
    """`s.split(None, most)`."""
    out: list[str] = []
    rest = s.lstrip()
    while len(rest) > 0 and len(out) < most:
        word = words(rest)[0]
        out.append(word)
        rest = rest[len(word) :].lstrip()
    if len(rest) > 0:
        out.append(rest)
    return out


def rsplit_by(s: str, part: str, most: int) -> list[str]:
    """`s.rsplit(part, most)`."""
    if len(part) == 0:
        raise ValueError(EMPTY)
    out: list[str] = []
    rest = s
    at = found_last(rest, part, 0)
    while at >= 0 and (most < 0 or len(out) < most):
        out.append(rest[at + len(part) :])
        rest = rest[:at]
        at = found_last(rest, part, 0)
    out.append(rest)
    return out[::-1]


def splitlines(s: str, keepends: bool = False) -> list[str]:
    r"""Lines end at "\n", "\r" and "\r\n", as at the rarer ends of lines."""
    out: list[str] = []
    start = 0
    at = 0
    while at < len(s):
        if is_end(s[at]):
            stop = at
            at += 1
            if s[stop] == "\r" and at < len(s) and s[at] == "\n":
                at += 1
            out.append(s[start:at] if keepends else s[start:stop])
            start = at
        else:
            at += 1
    if start < len(s):
        out.append(s[start:])
    return out


def is_end(c: str) -> bool:
    """Whether a character ends a line."""
    return c in LINE_ENDS


def replace(s: str, old: str, new: str, count: int = -1) -> str:
    if len(old) == 0:
        return between(s, new, count)
    return new.join(split_by(s, old, count))


def between(s: str, new: str, most: int) -> str:
    """`s.replace("", new, most)`."""
    parts = [new if most != 0 else ""]
    for i in range(len(s)):
        parts.append(s[i])
        if most < 0 or i + 1 < most:
            parts.append(new)
    return "".join(parts)


def capitalize(s: str) -> str:
    return s[:1].upper() + s[1:].lower()


def to_int(s: str, base: int = 10) -> int:
    """`int(s, base)`."""
    value, good = parsed(without_prefix(s, base), base)
    if not good:
        raise ValueError(f"invalid literal for int() with base {base}: {s!r}")
    return value


PREFIXES = {2: "0b", 8: "0o", 16: "0x"}


def without_prefix(s: str, base: int) -> str:
    """The digits of a number that may say of what base they are; "?" where none follow that."""
    if base not in PREFIXES:
        return s
    prefix = PREFIXES[base]
    text = s.strip()
    sign = ""
    if startswith(text, "-") or startswith(text, "+"):
        sign = text[:1]
        text = text[1:]
    if text[:2] == prefix or text[:2] == prefix.upper():
        text = text[2:]
        if startswith(text, "_"):
            text = text[1:]
        if not text[:1].isalnum():
            return "?"
    return sign + text


def all_texts(items: Any) -> list[str]:
    """The items that `join` is given, of which some may be no texts."""
    texts = []
    for place, x in enumerate(items):
        if not isinstance(x, str):
            name = class_name(x)
            raise TypeError(f"sequence item {place}: expected str instance, {name} found")
        texts.append(x)
    return texts


def class_name(x: Any) -> str:
    """The name of the class of `x` in CPython's messages."""
    return type(x).__name__


def to_ord(s: str) -> int:
    """`ord(s)`."""
    if len(s) != 1:
        raise TypeError(f"ord() expected a character, but string of length {len(s)} found")
    return code(s)


TENS = tuple([10.0**i for i in range(23)])


def to_float(s: str) -> float:
    """`float(s)` of up to 15 digits and a power of ten of up to 22, which are exact (Clinger, "How
    to read floating point numbers accurately", 1990)."""
    text = s.strip().lower()
    sign = 1.0
    if startswith(text, "-"):
        sign = -1.0
        text = text[1:]
    elif startswith(text, "+"):
        text = text[1:]
    if text == "inf" or text == "infinity":
        return sign * float("inf")
    if text == "nan":
        return float("nan")
    mantissa, mark, power = partition(text, "e")
    whole, _, part = partition(mantissa, ".")
    digits = whole + part
    exponent = 0
    good = plain(digits)
    if len(mark) > 0:
        exponent, fine = parsed(power, 10)
        good = good and fine and plain(power.lstrip("+-"))
    if "_" in s or not s.isascii():
        raise NotImplementedError(f"float() of such a text is not compiled: {s!r}")
    if not good:
        raise ValueError(f"could not convert string to float: {s!r}")
    exponent -= len(part)
    digits = digits.lstrip("0")
    if len(digits) == 0:
        return sign * 0.0
    if len(digits) + exponent > 309:
        return sign * float("inf")
    if len(digits) + exponent < -323:
        return sign * 0.0
    if len(digits) > 15 or exponent > 22 or exponent < -22:
        raise NotImplementedError(f"float() of so many digits is not compiled: {s!r}")
    value = float(parsed(digits, 10)[0])
    if exponent < 0:
        return sign * (value / TENS[-exponent])
    return sign * (value * TENS[exponent])


def plain(digits: str) -> bool:
    """Whether these are digits, one at least."""
    return digits.isascii() and digits.isdigit()


def shown_list(x: list[Any]) -> str:
    return f"[{', '.join(map(repr, x))}]"


def shown_tuple(x: tuple[Any, ...]) -> str:
    return f"({', '.join(map(repr, x))}{',' if len(x) == 1 else ''})"


def shown_dict(x: dict[Any, Any]) -> str:
    return "{" + ", ".join([f"{k!r}: {v!r}" for k, v in x.items()]) + "}"


# The texts of containers whose items have a `__repr__` that the program calls.
SHOWN = {list: shown_list, tuple: shown_tuple, dict: shown_dict}


def ljust(s: str, width: int, fill: str = " ") -> str:
    return s + _fills(s, width, fill)


def rjust(s: str, width: int, fill: str = " ") -> str:
    return _fills(s, width, fill) + s


def center(s: str, width: int, fill: str = " ") -> str:
    fills = _fills(s, width, fill)
    before = len(fills) // 2 + (len(fills) & width & 1)
    return fills[:before] + s + fills[before:]


def zfill(s: str, width: int) -> str:
    """`s.zfill(width)`: zeros come behind a sign."""
    sign = 1 if s.startswith(("+", "-")) else 0
    return s[:sign] + _fills(s, width, "0") + s[sign:]


def _fills(s: str, width: int, fill: str) -> str:
    if len(fill) != 1:
        raise TypeError("The fill character must be exactly one character long")
    return fill * (operator.index(width) - len(s))
