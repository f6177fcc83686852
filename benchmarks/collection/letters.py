"""Texts as arrays of small ints, and counts in dicts and lists."""

import numpy as np


def letter_counts(text):
    counts = {}
    for c in text:
        if c in counts:
            counts[c] += 1
        else:
            counts[c] = 1
    most = 0
    for c in counts:
        most = max(most, counts[c])
    return most


def pairs_of_letters(text, letters):
    counts = np.zeros((letters, letters), dtype=np.int64)
    for i in range(1, len(text)):
        counts[text[i - 1], text[i]] += 1
    best = 0
    for a in range(letters):
        for b in range(letters):
            if counts[a, b] > counts[best // letters, best % letters]:
                best = a * letters + b
    return best


def find_all(text, word):
    m = len(word)
    fail = np.zeros(m, dtype=np.int64)
    k = 0
    for i in range(1, m):
        while k > 0 and word[k] != word[i]:
            k = fail[k - 1]
        if word[k] == word[i]:
            k += 1
        fail[i] = k
    found = 0
    k = 0
    for i in range(len(text)):
        while k > 0 and word[k] != text[i]:
            k = fail[k - 1]
        if word[k] == text[i]:
            k += 1
        if k == m:
            found += 1
            k = fail[k - 1]
    return found


def rolling_hashes(text, width):
    base, modulus = 257, 1_000_000_007
    power = 1
    for _ in range(width - 1):
        power = power * base % modulus
    value = 0
    for i in range(width):
        value = (value * base + text[i]) % modulus
    lowest = value
    for i in range(width, len(text)):
        value = (value - text[i - width] * power) % modulus
        value = (value * base + text[i]) % modulus
        lowest = min(lowest, value)
    return lowest


def longest_palindrome(text):
    n = len(text)
    best = 0
    for centre in range(2 * n - 1):
        left = centre // 2
        right = left + centre % 2
        while left >= 0 and right < n and text[left] == text[right]:
            left -= 1
            right += 1
        best = max(best, right - left - 1)
    return best


def balanced(text):
    stack = []
    deepest = 0
    errors = 0
    for c in text:
        if c < 2:
            stack.append(c)
            deepest = max(deepest, len(stack))
        elif len(stack) > 0 and stack[-1] == c - 2:
            stack.pop()
        else:
            errors += 1
    return deepest, errors, len(stack)


def encode(text):
    pieces = []
    last = text[0]
    length = 0
    for c in text:
        if c == last:
            length += 1
        else:
            pieces.append((last, length))
            last = c
            length = 1
    pieces.append((last, length))
    total = 0
    for c, length in pieces:
        total += (c + 1) * length * length
    return total, len(pieces)


def _text(n, rng):
    return (rng.integers(0, 4, n),)


SIZES = {
    letter_counts: (_text, 10_000, 50_000),
    pairs_of_letters: (lambda n, rng: (rng.integers(0, 26, n), 26), 50_000, 200_000),
    find_all: (lambda n, rng: (rng.integers(0, 2, n), rng.integers(0, 2, 6)), 20_000, 100_000),
    rolling_hashes: (lambda n, rng: (rng.integers(0, 256, n), 20), 15_000, 100_000),
    longest_palindrome: (_text, 10_000, 100_000),
    balanced: (_text, 20_000, 50_000),
    encode: (_text, 20_000, 50_000),
}
