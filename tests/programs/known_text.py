# ruff: noqa: F501, F502, F504, F505, F506, F507, F509, UP031
"""Text that is known while compiling: templates of `%`, regular expressions, `struct`."""

import re
import struct
import unicodedata

import numpy as np

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


SEATS = [3, 1, 4, 0, 5, 2]


@program(
    "none and texts joined",
    lambda: ("garden", SEATS),
    lambda: ("garden", [3, 1, 4, 4, 5, 2]),
    lambda: ("gardening " * 8, list(range(79, -1, -1))),
)
def letters_seated_and_joined(letters, seats):
    row = [None] * len(letters)
    for letter, seat in zip(letters, seats):
        row[seat] = letter
    try:
        return "".join(row), row
    except TypeError as error:
        return str(error), row


@program(
    "none and texts joined",
    lambda: ([5, 8, 6] * 30, 5),
    lambda: ([5, 8, 6] * 30, 6),
    lambda: ([5, 8, 6] * 30, 9),
)
def only_some_have_a_price(costs, least):
    priced = [f"{c / 3:.2f}" if c >= least else None for c in costs if c > 5]
    return "; ".join(priced)


@program("none and texts joined", lambda: ("ab", 3), lambda: ("ab", 1))
def one_may_be_missing(text, n):
    return "-".join([text, text * n if n > 2 else None])


@program("no texts joined", lambda: (np.arange(60), 59), lambda: (np.arange(60), -1))
def numbers_of_numpy_joined(x, above):
    return ", ".join([str(v) if v <= above else v for v in x])


@program("known text", lambda: ("F", 3, 60.0), lambda: ("F", 1, 90.0), lambda: ("X", 9, 1.0))
def drawn_by_rules(axiom, n, angle):
    text = axiom
    for _ in range(n):
        text = text.replace("F", "F+F--F+F")
    heading, steps = 0.0, 0
    for c in text:
        if c == "F":
            steps += 1
        elif c == "+":
            heading += angle
        else:
            heading -= angle
    return len(text), steps, heading
