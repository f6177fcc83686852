# ruff: noqa: F501, F502, F504, F505, F506, F507, F509, UP031
"""Text that is known while compiling: templates of `%`, regular expressions, `struct`."""

import re
import struct
import unicodedata

from tests.programs import program

PAIR = re.compile(r"(?P<name>\w+)=(?P<value>\d+)")


class Doubles:
    def __getitem__(self, key):
        return key * 2


@program("strings", lambda: (70, 1.5, {"a": 2.0, "s": "abc"}), lambda: (7, -0.5, {"s": "", "a": 1}))
def templates(n, x, d):
    d["z"] = x
    by_name = "%(a)5.2f %(z)s %% %(s)r" % d, "%(n)d%%|%(n)-5d|" % {"n": n}, "%(ab)s" % Doubles()
    by_place = "%*d|%-*d|%.*f" % (6, n, 4, n, 2, x), "%ld %#x %o %e %G" % (n, n, n, x, x)
    whole = "%s" % {"a": n}, "%(a)s" % {"a": (1, n)}, "none" % {}, "none" % [], "%s" % ((1, n),)
    return by_name, by_place, whole


@program("strings exceptions", lambda: (5,))
def templates_that_are_wrong(n):
    told = []
    for make in (
        lambda: "%d %y" % (n, n),
        lambda: "%(a)s %s" % {"a": n},
        lambda: "%d %d" % n,
        lambda: "%5%|" % n,
        lambda: "%5%" % (),
        lambda: "abc %" % n,
        lambda: "%(a" % {"a": 1},
        lambda: "%*d" % (n,),
        lambda: "a" % n,
        lambda: "%(b)d" % {"a": n},
        lambda: "%(a)d" % n,
        lambda: "%(a)d" % (n,),
        lambda: "%(a)s" % [n],
        lambda: "%d" % {"a": n},
    ):
        try:
            told.append(make())
        except (ValueError, TypeError, KeyError) as e:
            told.append(f"{type(e).__name__}: {e}")
    return told


@program("strings", lambda: (3,))
def expressions(n):
    total = 0
    for line in ["a=1", "bc=22", "none"]:
        if m := PAIR.fullmatch(line):
            total += int(m["value"]) * n + len(m.group("name"))
    first = re.match("(x)(y)?", "xz")
    found = [m.start() for m in re.finditer("a.", "abacx")], re.findall(r"-?\d+", "a-1 b22")
    return total, first.groups(), found, re.sub("a+", "b", "aaba"), re.split("[,;]", "a,b;c")


@program("strings", lambda: ("add 5", 2))
def a_command(line, n):
    m = re.match(r"(?P<op>\w+) (?P<n>\d+)", line)
    return m["op"], int(m.groupdict()["n"]) + n, struct.unpack("<ih", struct.pack("<ih", 5, -6))


@program("strings", lambda: ("crème brûlée", 2))
def letters_without_marks(word, n):
    plain = [c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)]
    return "".join(plain), unicodedata.name(word[2]), n * 2
