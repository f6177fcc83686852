# ruff: noqa: UP031
"""Methods and operators of strings that data makes, against CPython's, on drawn texts.

The texts are of bytes, of wider code points, empty and long; none of them is known while compiling.
"""

from __future__ import annotations

import random

import pytest

import pyxla
from pyxla.runtime.texts import CODES

ALPHABETS = (
    "ab ",
    "abcAB 12,.\n",
    "a\u00e4\u00c9\u00e9 b",
    "xyzab\t",
    "a\u03bb\u0416\u65e5b \U0001d11e\u0661",
    "0123 a",
)


def looked_for(s, t, n):
    return (
        s.find(t),
        s.rfind(t),
        s.count(t),
        t in s,
        s.startswith(t),
        s.endswith(t),
        s.find(t, n),
        s.find(t, n, n + 9),
        s.count(t, 2),
        s.startswith(t, n),
        s < t,
        s <= t,
        s == t,
        s != t,
        s > t,
        s >= t,
        s + t,
        t + "x" + s,
        len(s),
        bool(t),
    )


def changed(s, t, n):
    return (
        s.upper(),
        s.lower(),
        s.swapcase(),
        s.title(),
        s.capitalize(),
        s.strip(),
        s.lstrip(),
        s.rstrip(),
        s.strip("ab "),
        s.strip(t),
        s.isalpha(),
        s.isdigit(),
        s.isalnum(),
        s.isspace(),
        s.isupper(),
        s.islower(),
        s.isascii(),
        s.isdecimal(),
        s.isnumeric(),
        s.isprintable(),
        t.isalpha(),
        t.isdigit(),
        t.isalnum(),
        t.isspace(),
        t.isupper(),
        t.islower(),
        t.isascii(),
    )


def parts(s, t, n):
    return (
        s[n:],
        s[:n],
        s[-n:],
        s[::-1],
        s[::2],
        s[1:-1],
        s[n : n + 3],
        s[n],
        s[-1 - n],
        t * n,
        t * 2,
        s[::-2],
        s[5:1:-1],
        s[:3] + s[3:],
        s.center(90, "*"),
        s.ljust(80),
        s.rjust(81, "-"),
        s.zfill(85),
        t.zfill(4),
        t.center(5),
        t.center(4, "."),
    )


def split(s, t, n):
    return (
        s.split(),
        s.split("a"),
        s.split(","),
        t.split(),
        t.split("a"),
        s.splitlines(),
        s.partition("b"),
        s.rpartition("b"),
        s.replace("a", "Q"),
        s.replace("b", ""),
        s.replace("a", "xyz", 2),
        s.replace(" ", "--"),
        s.split(" ", 2),
        s.split(None, 2),
        s.rsplit("a", 1),
        "-".join(s.split()),
        " ".join(reversed(s.split("b"))),
        t.join(s.split()),
        s.removeprefix("a"),
        s.removesuffix("b"),
    )


def listed(s, t, n):
    return (
        sorted(s),
        sorted(set(s)),
        "".join(sorted(s)),
        list(t),
        tuple(t),
        max(s),
        min(s),
        [c for c in t],
        {c: s.count(c) for c in t},
        sorted(s.split()),
        sorted(s.split(), key=len),
        sorted(s.split(), reverse=True),
        [ord(c) for c in t],
        s.split()[0] if s.split() else "none",
        any(c == "a" for c in s),
        sum(c in "aeiou" for c in s),
        list(enumerate(t)),
        list(zip(s, t)),
        "".join(c for c in s if c != "a"),
        s.index("a") if "a" in s else -1,
    )


def formatted(s, t, n):
    return (
        f"{t:>12}|{t:<12}|{t:^12}|{t:*^9}|{t:.2}|{t!s}|{n:5d}|{n:<5}|{n:^+7}|{n:05}|{n:x}",
        (f"{t:>6}" + str(n))[1:],
        f"{n:+}"[0],
        "%s-%5d|%-4d|%04d" % (t, n, n, n),
        ("%d%s" % (n, t))[::-1],
        (f"{n:08b}{n:X}{n:#x}{n:#o}{n:+d}{n: d}{n:>6}{n:<6}{n:^6}{n:06d}{n:*^9}" + t).upper(),
        t == "a",
        str(n > 3) + t,
        (str(n) + t).isdigit(),
    )


def drawn(seed, count):
    """Texts, and an index."""
    rng = random.Random(seed)
    for i in range(count):
        alphabet = ALPHABETS[i % len(ALPHABETS)]
        sizes = rng.choice([0, 1, 3, 20, 70]), rng.choice([0, 1, 1, 2, 3])
        s, t = ("".join(rng.choice(alphabet) for _ in range(n)) for n in sizes)
        yield s, t, rng.choice([0, 1, 2, 5])


def outcome(f, args):
    try:
        return f(*args)
    except (IndexError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("f", [looked_for, changed, parts, split, listed, formatted])
def test_methods(f):
    g = pyxla.compile(f)
    g._demands.static.update({(0, CODES): None, (1, CODES): None})
    g._static_paths = frozenset(g._demands.static)
    for args in drawn(1, 12):
        assert repr(outcome(g, args)) == repr(outcome(f, args)), args
    assert not any("items" in path for path in g._demands.static)


def test_texts_become_data():
    """After a number of texts no further program is made; long ones are data at once."""
    g = pyxla.compile(lambda s: sum(c in "aeiou" for c in s))
    for i in range(30):
        assert g("ab" + "e" * (i % 16)) == 1 + i % 16
    assert len(g.specializations) < 13
    h = pyxla.compile(lambda s: s.count("e"))
    assert [h("e" * n) for n in (65, 99, 128)] == [65, 99, 128]
    assert len(h.specializations) == 1


def test_loops_over_digits_do_not_depend_on_the_number():
    g = pyxla.compile(lambda n: sum(1 for i in range(n) if str(i) == str(i)[::-1]))
    assert [g(1000), g(10000)] == [109, 199]
    assert len(g.specializations) == 1


@pytest.mark.parametrize(
    "text",
    ["12", " -7 ", "+1_000", "1__0", "", "-", "ff", "1.5", "1e3", "9223372036854775807", "\u0663"],
)
@pytest.mark.parametrize("convert", [int, float, lambda s: int(s, 16), lambda s: int(s, 2)])
def test_numbers_in_texts(text, convert):
    g = pyxla.compile(lambda s: convert(s))
    g._demands.static[0, CODES] = None
    g._static_paths = frozenset(g._demands.static)
    expected = outcome(convert, (text,))
    try:
        found = outcome(g, (text,))
    except NotImplementedError:
        assert convert is float  # of underscores, and of many digits
    except OverflowError:
        assert expected >= 2**63
    else:
        assert repr(found) == repr(expected)


def joined_squares(n, gap):
    texts, i = [], 1
    while len(texts) < n:
        texts.append(str(i * i))
        if i % 3 == 0:
            texts.append("")
        i += 1
    return gap.join(texts)


def test_many_texts_are_joined():
    """Where there is room for thousands, characters are counted to their texts."""
    compiled = pyxla.compile(joined_squares, list_capacity=1 << 12)
    for n in (0, 1, 5, 3000):
        for gap in ("", ", "):
            assert compiled(n, gap) == joined_squares(n, gap)
