"""Frozensets of data: in lists, as keys, as members of sets."""

from __future__ import annotations

import numpy as np

from tests.programs import program


@program("sets", lambda: (np.arange(9),), lambda: (np.zeros(3, int),))
def kept_under_a_condition(xs):
    out = []
    for v in xs:
        if v % 2:
            out.append(frozenset([int(v), int(v) + 1]))
    seen = set()
    for f in out:
        seen |= f
    return len(out), sorted(seen)


@program("sets", lambda: (np.arange(9),))
def footprints(xs):
    """Placements of pieces by the first cell that they cover."""
    placed = [[[] for piece in range(2)] for cell in range(4)]
    for piece in range(2):
        for v in xs:
            covered = frozenset([int(v) + k * piece for k in range(3)])
            placed[min(covered) % 4][piece].append(covered)
    free, count = frozenset(range(12)), 0
    for piece in range(2):
        for covered in placed[1][piece]:
            if covered <= free:
                count += len(free - covered)
    return count


@program("sets", lambda: (np.array([3, 1, 2, 3, 1]),), lambda: (np.array([4, 4]),))
def pairs_counted(xs):
    counts = {}
    for a in xs:
        for b in xs:
            pair = frozenset([int(a), int(b)])
            counts[pair] = counts.get(pair, 0) + 1
    return sorted(counts.values()), len(counts)


@program("sets", lambda: (np.array([3, 1, 2, 3, 1]),))
def in_a_set(xs):
    seen = set()
    for a in xs:
        for b in xs:
            seen.add(frozenset((int(a), int(b))))
    return len(seen), frozenset((1, 2)) in seen, frozenset((int(xs[0]), 7)) in seen


@program("sets", lambda: (np.array([3, 1, 2, 3, 1]),))
def weights_of_edges(xs):
    weights = {frozenset((0, 1)): 2.0, frozenset((1, 2)): 3.0}
    return sum(weights.get(frozenset((int(a), 1)), 0.5) for a in xs)


@program("sets", lambda: (np.array([3, 1, 2, 3, -1]), 2**40))
def hashes(xs, n):
    pairs = [hash(frozenset((int(a), int(b), n))) for a in xs for b in xs]
    return pairs, hash(frozenset(int(x) for x in xs if x > n))


@program("sets", lambda: (np.array([3, 1, 2, 3, 1]),))
def of_tuples(xs):
    seen, order = set(), []
    for a in xs:
        for b in xs:
            key = frozenset([(int(a), 0), (int(b), 1)])
            if key not in seen:
                seen.add(key)
                order.append(sorted(key))
    return order


@program("sets", lambda: (np.array([3, 1, 2, 3, 1]),))
def known_ones_among_them(xs):
    seen, count = {frozenset([3, 1])}, 0
    for a in xs:
        for b in xs:
            pair = frozenset([int(a), int(b)])
            if pair not in seen:
                seen.add(pair)
                count += 1
    return count, len(seen), frozenset([2]) in seen


@program("sets", lambda: (np.array([3, 1, 2, 3, 1]),))
def numbers_of_pairs(xs):
    numbers = {frozenset([3, 1]): 1}
    for a in xs:
        for b in xs:
            pair = frozenset([int(a), int(b)])
            if pair not in numbers:
                numbers[pair] = len(numbers)
    return len(numbers), numbers[frozenset([3, 1])], numbers[frozenset([1, 2])]
