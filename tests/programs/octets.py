"""`bytes` that data make, ints as bytes, arrays as bytes."""

from __future__ import annotations

import numpy as np

from tests.programs import program


@program("bytes", lambda: ([1, 2, 250, 7], 1234567, -5), lambda: ([], 0, -1))
def bytes_of_data(xs, n, k):
    b, c, d = bytes(xs), n.to_bytes(4, "big"), n.to_bytes(4, "little")
    e = k.to_bytes(2, "big", signed=True)
    ints = int.from_bytes(b, "big"), int.from_bytes(xs, "little"), int.from_bytes(e, signed=True)
    parts = b[1:3], b + c, b"x" + b, b * 2, bytes(n % 5), b + bytearray(c)
    told = b.hex(), len(b), 250 in b, type(b).__name__, isinstance(b, bytes)
    same = c == d, b == bytes([1, 2, 250, 7]), b < b"zz", b"a" < b
    return b, c, d, e, ints, parts, told, same, [x ^ 3 for x in b], isinstance(b, bytearray)


@program("bytes", lambda: (300,), lambda: (-1,), lambda: (1,))
def bytes_that_are_none(n):
    told = []
    for make in (
        lambda: bytes([n]),
        lambda: bytes(x for x in [1, n]),
        lambda: n.to_bytes(1, "big"),
        lambda: n.to_bytes(2, "big", signed=True),
        lambda: n.to_bytes(1, "middle"),
        lambda: bytes([1, 2, abs(n) % 7])[n],
        lambda: bytes(n),
    ):
        try:
            told.append(make())
        except (ValueError, OverflowError, IndexError) as e:
            told.append(f"{type(e).__name__}: {e}")
    return told


@program("bytes", lambda: ("attack at dawn", [7, 100, 3]), lambda: ("", [1]))
def exclusive_or_with_a_key(text, key):
    data = bytes(c ^ key[i % len(key)] for i, c in enumerate(text.encode()))
    back = bytes(c ^ key[i % len(key)] for i, c in enumerate(data))
    return data.hex(), back, back == text.encode()


@program("bytes", lambda: ([72, 101, 101, 108], 3), lambda: ([], 1))
def checksum_of_runs(xs, n):
    out = bytearray()
    for x in xs:
        out += bytes([n, x])
    crc = 0xFFFFFFFF
    for x in bytes(out):
        crc ^= x
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 & -(crc & 1))
    return bytes(out), out, crc ^ 0xFFFFFFFF


@program("bytes", lambda: ([1, 2, 3],), lambda: ([3],))
def bytes_as_keys(xs):
    b = bytes(xs)
    d = {b: 1}
    return d[b], bytes([1, 2, 3]) in d, {b, bytes(xs)}


@program(
    "bytes",
    lambda: (np.array([[1, 2], [3, 4]]),),
    lambda: (np.array([[1.5, 2.0]]),),
    lambda: (np.array([[True, False]]),),
    lambda: (np.array([[1, 2]], np.int8),),
)
def arrays_as_bytes(a):
    return a.tobytes(), a.T.tobytes(), a.tobytes("F"), a[0].tobytes(), len(a.tobytes())


@program("bytes", lambda: (5, 3), lambda: (4, 1))
def until_a_board_comes_again(n, k):
    board = np.zeros((n, n), np.uint8)
    board[1, :k] = 1
    seen, i = {}, 0
    while board.tobytes() not in seen:
        seen[board.tobytes()] = i
        moved = [np.roll(np.roll(board, y, 0), x, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)]
        p = sum(moved) - board
        board = ((p == 3) | ((board == 1) & (p == 2))).astype(np.uint8)
        i += 1
    return i, i - seen[board.tobytes()]


@program("bytes", lambda: ([1, 2],), lambda: ([],))
def bytes_by_keywords(xs):
    b = bytes(xs)
    n = int.from_bytes(bytes=b, byteorder="little")
    made = len(b).to_bytes(length=2, byteorder="little", signed=False)
    return n, made, b == bytearray(xs), bytearray(xs) == b, b[::-1], b[5:], bytearray(b)


@program("bytes", lambda: ([2, 1, 3, 1, 2],), lambda: ([1, 1, 1],))
def bytes_looked_for(xs):
    b, changing = bytes(xs), bytearray(xs)
    counts = b.count(b"\x01"), changing.count(b"\x01\x01"), b.count(b""), changing.count(1)
    return counts, b"\x02" in b, b"\x03\x01" in changing, b"" in b, b"\x09\x09" in b


@program("bytes", lambda: ([3, 1, 258],), lambda: ([],))
def words_as_one_run_of_bytes(xs):
    words = [x.to_bytes(2, "little") for x in xs]
    spaced = b", ".join([*words, bytearray(b"end")]), bytearray(b"-").join(words)
    try:
        b"".join([*words, "text"])
    except TypeError as e:
        return b"".join(x.to_bytes(2, "big") for x in xs), spaced, str(e)


@program("bytes", lambda: ([2, 1, 3, 1, 2],), lambda: ([1, 1],), lambda: ([],))
def parts_of_bytes(xs):
    b, changing = bytes(xs), bytearray(xs)
    places = b.find(b"\x01"), b.find(2, 1), changing.find(b"\x03\x01"), b.find(b"", len(xs) + 1)
    empty = b.find(b"", 2), b.count(b"", 1), b.count(b"\x01", -2), b.startswith(b"", 7)
    ends = b.startswith((b"\x02", b"\x01")), changing.endswith(b"\x02"), b.endswith(b"\x01", 0, 2)
    known = b"\x02\x01\x03".startswith(b[:2]), b"\x05\x02".find(b[-1:]), b"abc".endswith(b)
    changed = b.replace(b"\x01", b"\x07\x08", 1), changing.replace(b"", b"\x09"), b.replace(b, b"")
    told = []
    for look in (
        lambda: b.index(b"\x03"),
        lambda: b.find("\x03"),
        lambda: "\x03" in b,
        lambda: b.startswith("\x02"),
        lambda: b + xs,
        lambda: b.find(256),
    ):
        try:
            told.append(look())
        except (TypeError, ValueError) as e:
            told.append(type(e).__name__)
    return places, empty, ends, known, changed, told


@program(
    "bytes",
    lambda: ([104, 105], 7),
    lambda: ([0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80], 0),
    lambda: ([65, 0xE2, 0x82], 1),
    lambda: ([0xE0, 0x80, 0x80], 2),
    lambda: ([65, 0xC0], 3),
)
def bytes_as_text(xs, n):
    octets = bytes(xs)
    text = octets.decode("latin-1") + "\u20ac\U0001f600" + str(n)
    told = [octets.decode("latin-1").encode("latin-1") == octets, text.encode()]
    for read in (
        lambda: octets.decode(),
        lambda: bytearray(xs).decode("ascii"),
        lambda: text.encode("latin-1"),
        lambda: text.encode().decode() == text,
    ):
        try:
            told.append(read())
        except UnicodeError as e:
            told.append(type(e).__name__)
    return told


@program("bytes", lambda: (0xD800,), lambda: (0xDFFF,), lambda: (0xE000,), lambda: (65,))
def letters_that_have_no_bytes(code):
    told = []
    for text in (chr(code), "a" + chr(code)):
        try:
            told.append(text.encode())
        except UnicodeEncodeError as e:
            told.append(type(e).__name__)
    return told


@program("bytes raise", lambda: (233, "ascii"), lambda: (0xD801, "utf-8"))
def a_run_of_letters_that_have_no_bytes(code, encoding):
    return ("a" + chr(code) * 2 + "b").encode(encoding)


@program("bytes raise", lambda: ([200, 65],), lambda: ([65],))
def what_is_no_text(xs):
    return bytearray(xs).decode("ascii")


@program("bytes raise", lambda: ([1, 97],))
def begins_with_what_is_no_bytes(xs):
    return bytes(xs).startswith((b"a", 1))
