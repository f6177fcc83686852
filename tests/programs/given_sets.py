"""Sets, deques and dicts of other classes as arguments: what becomes of them, the caller sees."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

from tests.programs import program


@program("sets", lambda: ({3, 1, 2}, 5), lambda: ({10, 20}, 1), lambda: (set(), 1))
def changed_set(s, x):
    s.add(x)
    s.discard(1)
    return x in s, len(s), sorted(s)


@program(
    "sets",
    lambda: ({1, 2, 3}, {2, 3, 4}),
    lambda: ({"a", "b"}, {"b"}),
    lambda: (set(), {1}),
    lambda: (frozenset({1, 2}), {1, 2}),
)
def set_operators(a, b):
    return len(a & b), sorted(a | b), a - b, a <= b, a == b, a ^ b


@program("sets", lambda: (set(range(0, 100, 7)),), lambda: ({1000, 8, 0, 16, 64, 3},))
def order_of_a_set(s):
    out = []
    for x in s:
        out.append(x)
    return out, max(s), sum(s)


@program("sets", lambda: ({3, 1, 2},))
def set_that_is_only_read(s):
    t = s
    return 3 in s, t


@program(
    "sets",
    lambda: ("leetcode", {"leet", "code"}),
    lambda: ("catsandog", {"cats", "dog", "sand", "and", "cat"}),
)
def word_break(text, words):
    ok = [True] + [False] * len(text)
    for i in range(1, len(text) + 1):
        for j in range(i):
            if ok[j] and text[j:i] in words:
                ok[i] = True
                break
    return ok[-1]


@program("sets", lambda: ([{1, 2}, {3}, {2, 5}],))
def sets_in_a_list(sets):
    sets[1].add(2)
    sets[0] |= {9}
    return [sorted(s) for s in sets], set.union(*sets)


@program("sets", lambda: ({"a": {1, 2}, "b": {3}}, "a"))
def sets_in_a_dict(d, k):
    d[k].add(7)
    d["b"].clear()
    return len(d["a"])


@program("sets", lambda: ({(0, 0), (1, 2)}, 3))
def set_of_tuples(cells, n):
    new = set()
    for r, c in cells:
        for d in range(n):
            new.add((r + d, c))
    cells |= new
    return len(cells)


@program("collections", lambda: (deque([1, 2, 3, 4, 5, 6]),), lambda: (deque([1, 2, 3], maxlen=3),))
def changed_deque(d):
    total = 0
    while len(d) > 2:
        total += d.popleft()
    e = d
    e.append(total)
    d.appendleft(-1)
    return total, d[0], list(d), e is d, d.maxlen


@program("collections", lambda: (defaultdict(list, {1: [2, 3], 2: [4]}), 1))
def search_of_a_graph(graph, start):
    seen, waiting = {start}, deque([start])
    while waiting:
        u = waiting.popleft()
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                waiting.append(v)
    return sorted(seen)


@program("collections", lambda: (Counter(a=3, b=1), Counter(a=1, c=2)))
def counters(a, b):
    a.update("bbb")
    return a + b, a - b, a["zz"], sum(a.values())


@program("collections", lambda: (OrderedDict([(1, 2), (3, 4)]), {"a": 1, "b": 2}))
def reordered(ordered, plain):
    ordered.move_to_end(1)
    ordered[9] = 1
    plain["a"] = plain.pop("a")
    return list(ordered.items()), list(plain)


@program("sets", lambda: ({frozenset({1, 2}), frozenset({3})},), lambda: ({"a", None, b"x"},))
def set_of_several_types(s):
    return frozenset({2, 1}) in s, None in s, len(s), {"a"} <= s


@program("checks sets", lambda: ({1, 2, 3}, 4), lambda: ({1, 2, 3}, 0))
def left_in_between(s, x):
    s.add(7)
    if x > 3:
        raise ValueError(f"{x}")
    return len(s)
