"""The decimal digits of floats, exactly: floats as text whose characters a program looks at.

A float is `m * 2**e`, whose decimal expansion ends: at most 309 digits before the point, and 1,074
behind.  It is computed in groups of nine digits.  What is shown of it is rounded half to even, as
by C's `printf`; `repr` shows the fewest digits that no other float is nearer to (Steele and White,
"How to Print Floating-Point Numbers Accurately", 1990).

All of this is Python that is compiled like the user's.
"""

from __future__ import annotations

import math

import numpy as np

GROUP, WIDTH = 10**9, 9
WHOLE, GROUPS = 36, 156  # groups before the point, and in all
POINT = WIDTH * WHOLE
MOST = WIDTH * (GROUPS - WHOLE)  # digits behind the point
ZERO, DOT, PLUS, MINUS, SMALL_E, BIG_E = map(ord, "0.+-eE")
SMALLEST = 2.2250738585072014e-308
STEP = 29  # doublings, or halvings, at a time: their results have 63 bits


def is_negative(x: float) -> bool:
    """Whether a minus is shown."""
    return math.copysign(1.0, x) < 0 and not math.isnan(x)


def magnitude(x: float) -> float:
    """The absolute value, 0 where XLA takes it for 0."""
    x = abs(x)
    return 0.0 if x < SMALLEST else x


def expanded(m: int, e: int) -> tuple[np.ndarray, int, int]:
    """The digits of `m * 2**e`, `POINT` of them before the point, and between which places others
    than 0 are; 0 <= m < 2**56."""
    groups = np.zeros(GROUPS, np.int64)
    groups[WHOLE - 1] = m % GROUP
    groups[WHOLE - 2] = m // GROUP
    first, last = WHOLE - 2, WHOLE - 1
    while e > 0:
        step = min(e, STEP)
        carry = 0
        for i in range(last, first - 1, -1):
            product = (groups[i] << step) + carry
            groups[i] = product % GROUP
            carry = product // GROUP
        if carry:
            first -= 1
            groups[first] = carry
        e -= step
    while e < 0:
        step = min(-e, STEP)
        rest = 0
        for i in range(first, last + 1):
            dividend = rest * GROUP + groups[i]
            groups[i] = dividend >> step
            rest = dividend & ((1 << step) - 1)
        while rest:
            last += 1
            dividend = rest * GROUP
            groups[last] = dividend >> step
            rest = dividend & ((1 << step) - 1)
        e += step
    digits = np.zeros(WIDTH * GROUPS, np.uint8)
    for i in range(first, last + 1):
        group = groups[i]
        for k in range(WIDTH):
            digits[WIDTH * i + WIDTH - 1 - k] = group % 10
            group //= 10
    return digits, WIDTH * first, WIDTH * (last + 1)


def parts(x: float) -> tuple[int, int]:
    """`m` and `e` of `x = m * 2**e`, finite and not negative, where m has 53 bits."""
    fraction, exponent = math.frexp(x)
    return int(fraction * 2.0**53), exponent - 53


def top_of(digits: np.ndarray, start: int, stop: int) -> int:
    """The place of the first digit that is not 0; that before the point where there is none."""
    place = start
    while place < stop and digits[place] == 0:
        place += 1
    return place if place < stop else POINT - 1


def rounded(digits: np.ndarray, end: int, stop: int) -> None:
    """Round to the digits before a place, half to even."""
    place = end + 1
    while place < stop and digits[place] == 0:
        place += 1
    beyond = place < stop
    odd = digits[end - 1] % 2 == 1
    up = digits[end] > 5 or (digits[end] == 5 and (beyond or odd))
    cut(digits, end, up)


def cut(digits: np.ndarray, end: int, up: bool) -> None:
    """Leave nothing from a place on, and add one before it where `up`."""
    digits[end:] = 0
    place = end - 1
    while up:
        up = digits[place] == 9
        digits[place] = 0 if up else digits[place] + 1
        place -= 1


def shortest(x: float) -> tuple[np.ndarray, int, int]:
    """The fewest digits that are nearer to `x > 0` than to any other float, where they begin, and
    how many there are."""
    m, e = parts(x)
    below = 2 if m > 1 << 52 else 1  # floats below a power of two are half as far apart
    digits = np.zeros(WIDTH * GROUPS, np.uint8)
    low, high = digits, digits
    start, stop = POINT, POINT
    for quarters in (0, -below, 2):
        low, digits = digits, high
        high, first, last = expanded(4 * m + quarters, e - 2)
        start, stop = min(start, first - 1), max(stop, last)
    low, digits = digits, low
    even = m % 2 == 0  # which the ends of the interval are nearest to
    top, count = top_of(digits, start, stop), 0
    down, up = digits, digits
    fits_down = fits_up = False
    while not fits_down and not fits_up:
        count += 1
        down, up = digits.copy(), digits.copy()
        cut(down, top + count, False)
        cut(up, top + count, True)
        fits_down, fits_up = (
            within(low, down, start, stop, even),
            within(up, high, start, stop, even),
        )
    if fits_down and fits_up:
        rounded(digits, top + count, stop)
        found = digits
    else:
        found = down if fits_down else up
    return found, top_of(found, start, stop), count


def within(a: np.ndarray, b: np.ndarray, start: int, stop: int, equal: bool) -> bool:
    """`a < b`, or `a <= b` where they may be equal."""
    place = start
    while place < stop and a[place] == b[place]:
        place += 1
    return equal if place == stop else bool(a[place] < b[place])


def put_digits(codes: np.ndarray, at: int, digits: np.ndarray, place: int, count: int) -> int:
    """Write so many digits, and say where the next character goes."""
    for i in range(count):
        codes[at + i] = digits[place + i] + ZERO
    return at + count


def put_fixed(
    codes: np.ndarray, digits: np.ndarray, top: int, count: int, group: int, separator: int
) -> int:
    """Write digits with so many behind the point, and a separator between groups."""
    place, at = min(top, POINT - 1), 0
    while place < POINT:
        codes[at] = digits[place] + ZERO
        at, place = at + 1, place + 1
        if group and place < POINT and (POINT - place) % group == 0:
            codes[at] = separator
            at += 1
    if count:
        codes[at] = DOT
        at = put_digits(codes, at + 1, digits, POINT, count)
    return at


def put_scientific(codes: np.ndarray, digits: np.ndarray, top: int, count: int, letter: int) -> int:
    """Write so many digits, all but the first behind the point, and a power of ten."""
    at = put_digits(codes, 0, digits, top, 1)
    if count > 1:
        codes[at] = DOT
        at = put_digits(codes, at + 1, digits, top + 1, count - 1)
    power = POINT - 1 - top
    codes[at] = letter
    codes[at + 1] = MINUS if power < 0 else PLUS
    power, at = abs(power), at + 2
    if power >= 100:
        codes[at] = power // 100 + ZERO
        at += 1
    codes[at] = power // 10 % 10 + ZERO
    codes[at + 1] = power % 10 + ZERO
    return at + 2


def put_word(codes: np.ndarray, x: float, upper: bool) -> int:
    """Write `inf` or `nan`."""
    word = ("NAN" if upper else "nan") if x != x else "INF" if upper else "inf"
    for i in range(3):
        codes[i] = ord(word[i])
    return 3


def shown_digits(x: float, count: int, behind: bool) -> tuple[np.ndarray, int]:
    """The digits of `x`, so many `behind` the point, or in all, and where they begin."""
    m, e = parts(x)
    digits, start, stop = expanded(m, e)
    first = POINT if behind else top_of(digits, start, stop)
    rounded(digits, first + count, stop)
    return digits, top_of(digits, start - 1, POINT if behind else stop)


def fixed(
    x: float, precision: int, upper: bool, group: int, separator: int
) -> tuple[np.ndarray, int]:
    """The characters of `x`, without its sign, by "f", and how many there are."""
    codes = np.zeros(POINT + POINT // 3 + precision, np.uint8)
    x = magnitude(x)
    if not x < math.inf:
        return codes, put_word(codes, x, upper)
    digits, top = shown_digits(x, precision, True)
    return codes, put_fixed(codes, digits, top, precision, group, separator)


def scientific(x: float, precision: int, upper: bool) -> tuple[np.ndarray, int]:
    """As `fixed`, by "e"."""
    codes = np.zeros(precision + 8, np.uint8)
    x = magnitude(x)
    if not x < math.inf:
        return codes, put_word(codes, x, upper)
    digits, top = shown_digits(x, precision + 1, False)
    return codes, put_scientific(codes, digits, top, precision + 1, BIG_E if upper else SMALL_E)


def general(x: float, precision: int, upper: bool, pointed: bool) -> tuple[np.ndarray, int]:
    """As `fixed`, by "g".  pointed: by no letter, with a point or a power of ten."""
    codes = np.zeros(precision + 10, np.uint8)
    x = magnitude(x)
    if not x < math.inf:
        return codes, put_word(codes, x, upper)
    digits, top = shown_digits(x, precision, False)
    most = precision - int(pointed)
    return codes, put_general(codes, digits, top, precision, most, upper, pointed)


def plain(x: float) -> tuple[np.ndarray, int]:
    """As `fixed`, by `str`."""
    codes = np.zeros(26, np.uint8)
    x = magnitude(x)
    if not x < math.inf:
        return codes, put_word(codes, x, False)
    if x == 0:
        codes[0], codes[1], codes[2] = ZERO, DOT, ZERO
        return codes, 3
    digits, top, count = shortest(x)
    return codes, put_general(codes, digits, top, count, 16, False, True)


def put_general(
    codes: np.ndarray,
    digits: np.ndarray,
    top: int,
    count: int,
    most: int,
    upper: bool,
    pointed: bool,
) -> int:
    """Write so many digits without zeros at their end, as a power of ten where there are more than
    `most` before the point, or the number is below 0.0001."""
    while count > 1 and digits[top + count - 1] == 0:
        count -= 1
    whole = POINT - top
    if whole <= -4 or whole > most:
        return put_scientific(codes, digits, top, count, BIG_E if upper else SMALL_E)
    return put_fixed(codes, digits, top, max(count - whole, int(pointed)), 0, 0)
