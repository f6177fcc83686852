"""Lists of several types that are in lists: `[letter, count]` on a stack, in a heap, in a dict."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque

import numpy as np

from tests.programs import program

LETTERS, NUMBERS = "aabbbaac", [3, 1, 2, 5, 4, 8, 7, 6]


def given():
    return LETTERS, list(NUMBERS)


def _pairs(letters, numbers):
    found = []
    for letter, x in zip(letters, numbers, strict=True):
        if x != 5:
            found.append([letter, x])
    return found


@program("lists strings", lambda: ("deeedbbcccbdaa", 3))
def adjacent_removed(text, k):
    stack = []
    for letter in text:
        if stack and stack[-1][0] == letter:
            stack[-1][1] += 1
            if stack[-1][1] == k:
                stack.pop()
        else:
            stack.append([letter, 1])
    return "".join(letter * count for letter, count in stack)


@program("lists strings", given)
def written_by_two_names(letters, numbers):
    pairs = _pairs(letters, numbers)
    first, last = pairs[0], pairs[-1]
    pairs[0][1] += 10
    first[0] = "z"
    last[1] -= 5
    same = pairs[0] is first, first is last
    return pairs, first[1], last[0], same


@program("lists strings", given)
def popped_and_put_back(letters, numbers):
    stack = []
    for letter, x in zip(letters, numbers, strict=True):
        if stack and stack[-1][1] > x:
            top = stack.pop()
            top[1] += x
            stack.append(top)
        stack.append([letter, x])
    return stack


@program("lists strings heapq", given)
def in_a_heap(letters, numbers):
    heap, out = [], []
    for letter, x in zip(letters, numbers, strict=True):
        if x != 5:
            heapq.heappush(heap, [x, letter])
    while heap:
        x, letter = heapq.heappop(heap)
        out.append(letter * x)
    return out


@program("lists strings sorting", given)
def ordered_and_sliced(letters, numbers):
    pairs = _pairs(letters, numbers)
    pairs.sort(key=lambda pair: (-pair[1], pair[0]))
    ordered = sorted(pairs)
    least = min(pairs, key=lambda pair: pair[1])
    return pairs, ordered, pairs[1:3], pairs[::-1], max(pairs), least


@program("lists strings", given)
def compared_and_found(letters, numbers):
    pairs = _pairs(letters, numbers)
    alike = sum(pairs[i] == ["a", x] for i, (_, x) in enumerate(pairs))
    found = ["a", 3] in pairs, pairs.index(["b", 2]), pairs.count(["a", 3])
    return alike, found, len(pairs[0]), pairs[0] == pairs[1], pairs[0] < pairs[1]


@program("lists strings", given)
def swapped(letters, numbers):
    pairs = _pairs(letters, numbers)
    pairs[0], pairs[1] = pairs[1], pairs[0]
    pairs[2][0], pairs[3][0] = pairs[3][0], pairs[2][0]
    return pairs


@program("lists strings", given)
def of_other_lengths_later(letters, numbers):
    pairs = _pairs(letters, numbers)
    pairs[0].append(9)
    pairs[1].append("q")
    pairs[2].pop()
    pairs[3].clear()
    pairs[4].insert(0, 5)
    pairs[5].reverse()
    return pairs


@program("lists strings", given)
def longer_in_a_loop(letters, numbers):
    groups = []
    for letter, x in zip(letters, numbers, strict=True):
        if groups and x % 2:
            groups[-1].append(x)
        else:
            groups.append([letter, x])
    return groups, [sum(group[1:]) for group in groups]


@program("lists dicts strings", lambda: (["x", "yy", "x", "z"], [1, 2, 3, 4]))
def in_a_dict(words, numbers):
    found = defaultdict(lambda: ["", 0, 0.0])
    for word, x in zip(words, numbers, strict=True):
        found[word][0] += word
        found[word][1] += x
        found[word][2] += x / 2
    return dict(found)


@program("lists dicts strings", given)
def in_a_dict_and_a_list(letters, numbers):
    entries, latest = [], {}
    for letter, x in zip(letters, numbers, strict=True):
        entry = [letter, x]
        if letter in latest:
            latest[letter][1] = -1
        latest[letter] = entry
        entries.append(entry)
    return entries, latest


@program("lists strings", lambda: ([["a", 3, 1.5], ["b", 1, 2.5], ["c", 2, 0.5]] * 30, "b"))
def given_and_written(rows, key):
    count = 0
    for row in rows:
        if row[0] == key:
            row[2] += row[1]
            count += 1
    rows[count][1] = 100
    return count, sum(row[2] for row in rows)


@program("lists strings sorting", lambda: ([["a", 3, 1.5], ["b", 1, 2.5], ["c", 2, 0.5]] * 30,))
def given_and_sorted(rows):
    ordered = sorted(rows, key=lambda row: (row[1], row[0]))
    ordered[0][1] = 0
    rows.sort(key=lambda row: row[2])
    return ordered[:3], sum(row[1] for row in rows), ordered[0] is rows[-1], rows[:2]


@program("lists strings deque", given)
def handed_to_a_function(letters, numbers):
    def bump(pair, by):
        pair[1] += by
        return pair[0]

    queue, out = deque(_pairs(letters, numbers)), ""
    while queue:
        pair = queue.popleft()
        out += bump(pair, 1)
        if pair[1] % 2 and pair[1] < 20:
            queue.append([pair[0], pair[1] * 2])
    return out


@program("lists None strings", given)
def none_that_becomes_a_number(letters, numbers):
    pairs = []
    for letter, x in zip(letters, numbers, strict=True):
        if x != 5:
            pairs.append([letter, None])
        if pairs[-1][1] is None and x % 2:
            pairs[-1][1] = x
    return pairs


@program("lists strings", given)
def numbers_that_become_others(letters, numbers):
    pairs = _pairs(letters, numbers)
    for pair in pairs:
        if pair[1] > 4:
            pair[1] = pair[1] / 2
    for pair in pairs:
        pair[0] = len(pair[0])
    return pairs


@program("lists arrays", lambda: (np.array([0.5, 1.5, 2.5, 0.25]), [1, 0, 1, 1]))
def with_arrays(values, kinds):
    rows = []
    for value, kind in zip(values, kinds, strict=True):
        if kind:
            rows.append([kind, np.array([value, value])])
    first = rows[0]
    for i in range(len(rows)):
        rows[i][1] += 1
        rows[i][1][1] = i
    return rows, first[1]


@program("lists strings", given)
def taken_apart(letters, numbers):
    pairs = _pairs(letters, numbers)
    for i in range(len(pairs)):
        if pairs[i][1] > 4:
            pairs[i] = ["w", 0]
    first, *rest = pairs[0]
    pairs[1][0:1] = ["k"]
    names, counts = zip(*pairs)
    return pairs, first, rest, list(names), sum(counts), str(pairs[0]), dict(pairs)
