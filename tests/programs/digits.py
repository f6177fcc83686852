"""Digits of numbers as text: Project Euler, Rosetta code and exercises of beginners."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.programs import program


@program("text", lambda: (12345,), lambda: (0,), lambda: (9223372036854775807,))
def sum_of_digits(n):
    return sum(int(d) for d in str(n)), sum(map(int, str(n))), len(str(n))


@program("text", lambda: (1000,), lambda: (3000,))
def palindromic_numbers(n):
    found = []
    for i in range(n):
        text = str(i)
        if text == text[::-1] and bin(i)[2:] == bin(i)[2:][::-1]:
            found.append(i)
    return sum(found), found


@program("text", lambda: (10,), lambda: (40,))
def largest_palindrome_product(n):
    best = 0
    for a in range(n, 0, -1):
        for b in range(a, 0, -1):
            p = a * b
            if p <= best:
                break
            s = str(p)
            if s == "".join(reversed(s)):
                best = p
    return best


@program("text", lambda: (196,), lambda: (89,), lambda: (7,))
def reverse_and_add(n):
    steps = 0
    while str(n) != str(n)[::-1] and steps < 20:
        n += int(str(n)[::-1])
        steps += 1
    return n, steps


@program("text", lambda: (19,), lambda: (4,), lambda: (100,))
def is_happy(n):
    seen = set()
    while n != 1 and n not in seen:
        seen.add(n)
        n = sum(int(c) ** 2 for c in str(n))
    return n == 1


@program("text", lambda: (153,), lambda: (154,), lambda: (9474,))
def is_armstrong(number):
    digits = str(number)
    power = len(digits)
    return number == sum(int(d) ** power for d in digits)


@program("text", lambda: (200,), lambda: (1000,))
def circular_primes(limit):
    sieve = np.ones(limit * 10, dtype=bool)
    sieve[:2] = False
    for i in range(2, int((limit * 10) ** 0.5) + 1):
        if sieve[i]:
            sieve[i * i :: i] = False
    count = 0
    for p in range(2, limit):
        s = str(p)
        good = True
        for k in range(len(s)):
            rotated = int(s[k:] + s[:k])
            if not sieve[rotated]:
                good = False
                break
        if good:
            count += 1
    return count


@program("text", lambda: (1487,), lambda: (1,), lambda: (987654321,))
def digit_permutations(n):
    key = "".join(sorted(str(n)))
    biggest = int("".join(sorted(str(n), reverse=True)))
    return key, biggest, sorted(str(n)) == sorted(str(biggest)), set(str(n)) == set(key)


@program("text", lambda: (6174,), lambda: (3524,), lambda: (2111,))
def kaprekar(n):
    steps = 0
    while n != 6174 and steps < 10:
        digits = str(n).zfill(4)
        n = int("".join(sorted(digits, reverse=True))) - int("".join(sorted(digits)))
        steps += 1
    return steps, n


@program("text", lambda: (255, 16), lambda: (0, 2), lambda: (-1234567, 36))
def to_base(n, base):
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
    if n == 0:
        return "0"
    digits = ""
    negative = n < 0
    n = abs(n)
    while n:
        n, r = divmod(n, base)
        digits = alphabet[r] + digits
    return ("-" if negative else "") + digits


@program("text", lambda: (10,), lambda: (-37,), lambda: (65535,))
def bits_of_number(n):
    text = bin(n)
    ones = text.count("1")
    gap = max((len(part) for part in text[2:].strip("0").split("1")), default=0)
    return text, ones, gap, hex(n), oct(n), f"{n:b}", f"{n:#010x}", int(bin(abs(n)), 2) == abs(n)


@program("text", lambda: (1994,), lambda: (3999,), lambda: (4,))
def to_roman(num):
    values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]
    symbols = ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"]
    roman = ""
    i = 0
    while num > 0:
        for _ in range(num // values[i]):
            roman += symbols[i]
            num -= values[i]
        i += 1
    return roman


@program("text", lambda: (8,), lambda: (1,), lambda: (12,))
def look_and_say(n):
    term = "1"
    for _ in range(n - 1):
        out = ""
        i = 0
        while i < len(term):
            run = 1
            while i + run < len(term) and term[i + run] == term[i]:
                run += 1
            out += str(run) + term[i]
            i += run
        term = out
    return term, len(term)


@program("text", lambda: (15,), lambda: (100,))
def fizz_buzz(n):
    lines = []
    for i in range(1, n + 1):
        line = ""
        if i % 3 == 0:
            line += "Fizz"
        if i % 5 == 0:
            line += "Buzz"
        lines.append(line or str(i))
    return "\n".join(lines)


@program("text", lambda: (27,), lambda: (6,), lambda: (1,))
def collatz_path(n):
    path = [str(n)]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(str(n))
    return "->".join(path), len(path)


@program("text", lambda: (4539578763621486,), lambda: (79927398713,), lambda: (79927398710,))
def luhn(number):
    total = 0
    for i, c in enumerate(reversed(str(number))):
        d = int(c)
        if i % 2 == 1:
            d *= 2
            if d > 9:
                d -= 9
        total += d
    return total % 10 == 0


@program("text", lambda: (50,), lambda: (300,))
def champernowne(n):
    text = ""
    i = 1
    while len(text) < n:
        text += str(i)
        i += 1
    return int(text[0]) * int(text[9]) * int(text[n - 1]), text[:n].count("1"), Counter(text[:20])


@program("text", lambda: (1234567,), lambda: (999,), lambda: (-1000,))
def with_commas(n):
    digits = str(abs(n))
    groups = []
    while len(digits) > 3:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    groups.insert(0, digits)
    return ("-" if n < 0 else "") + ",".join(groups)


@program(
    "text exception checks", lambda: (12, 0), lambda: (12, 2), lambda: (12, -2), lambda: (-5, 0)
)
def digit_at(n, k):
    return int(str(n)[k])


@program("text", lambda: (np.array([5, 10, 123, 7]),), lambda: (np.array([3, 30, 34, 5, 9]),))
def largest_number(xs):
    words = sorted([str(x) for x in xs], key=lambda w: w * 4, reverse=True)
    joined = "".join(words)
    return joined if joined[0] != "0" else "0"


def alike_from_both_ends(n, base):
    ahead, back = [], []
    while n > 0:
        ahead.append(str(n % base))
        back.insert(0, str(n % base))
        n //= base
    return ahead == back


@program("strings nested loops", lambda: ())
def alike_in_two_bases():
    numbers = range(1, 2000)
    return sum(n for n in numbers if alike_from_both_ends(n, 8) and alike_from_both_ends(n, 2))
