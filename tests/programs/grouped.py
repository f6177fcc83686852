"""Dicts, sets and deques in lists and in each other, where data decides which one is changed."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.drawn import E, R
from tests.programs import program

PAIRS = "containers in containers"


@program(PAIRS, lambda: (R(), 8), lambda: (R(0), 3), lambda: (R(5, 2), 2))
def sets_in_list(x, n):
    groups = [set() for _ in range(n)]
    for i, v in enumerate(x):
        groups[v].add(i)
    return [sorted(g) for g in groups], 3 in groups[0], groups


def board(*marks):
    rows = [[0] * 9 for _ in range(9)]
    for row, column, mark in marks:
        rows[row][column] = mark
    return rows


@program(
    PAIRS,
    lambda: (board((0, 0, 5), (3, 3, 5), (4, 0, 2)),),
    lambda: (board((0, 0, 5), (1, 1, 5)),),
    lambda: (board((8, 2, 7), (8, 8, 7)),),
)
def rows_columns_and_boxes(board):
    rows, columns, boxes = defaultdict(set), defaultdict(set), defaultdict(set)
    for i in range(9):
        for j in range(9):
            v = board[i][j]
            if v == 0:
                continue
            box = i // 3, j // 3
            if v in rows[i] or v in columns[j] or v in boxes[box]:
                return False, len(rows), len(boxes)
            rows[i].add(v)
            columns[j].add(v)
            boxes[box].add(v)
    return True, sorted(rows), [len(s) for s in boxes.values()]


@program(PAIRS, lambda: (R(4, 4),))
def sets_written_out(x):
    groups = [set(), set(), {1}, {1, 2}]
    groups[x[0]].add(5)
    for v in x:
        groups[v].add(int(v))
    return groups


@program(PAIRS, lambda: (R(5, 5), 2), lambda: (R(5, 5), 9))
def one_of_two_sets(x, k):
    a, b = set(), set()
    s = a if k > x[0] else b
    s.add(int(x[1]))
    return len(a), len(b), s is a


@program(PAIRS, lambda: (R(5, 5), 2), lambda: (R(5, 5), 9))
def one_of_two_dicts(x, k):
    a, b = {}, {}
    d = a if k > x[0] else b
    d[int(x[1])] = 5
    return a, b


@program(PAIRS, lambda: (E(),), lambda: (E(4, 0),))
def neighbours(edges):
    graph = defaultdict(set)
    for u, v in edges:
        graph[u].add(v)
        graph[v].add(u)
    triangles = 0
    for u in range(10):
        for v in graph[u]:
            for w in graph[v]:
                triangles += w in graph[u]
    return triangles // 6


@program(PAIRS, lambda: (E(6, 9), 6))
def distances(edges, n):
    graph = {}
    for u, v in edges:
        graph.setdefault(int(u), set()).add(int(v))
        graph.setdefault(int(v), set()).add(int(u))
    far = {0: 0}
    queue = [0]
    for u in queue:
        if u in graph:
            for v in graph[u]:
                if v not in far:
                    far[v] = far[u] + 1
                    queue.append(v)
    return far, len(graph), n


@program(PAIRS, lambda: (E(5, 3), 5))
def components(edges, n):
    graph = {i: set() for i in range(n)}
    for a, b in edges:
        graph[a].add(b)
        graph[b].add(a)
    seen, count = set(), 0
    for start in range(n):
        if start in seen:
            continue
        count += 1
        stack = [start]
        while stack:
            u = stack.pop()
            if u in seen:
                continue
            seen.add(u)
            stack.extend(graph[u])
    return count


@program(PAIRS, lambda: (E(5, 7), 5))
def weights(edges, n):
    graph = defaultdict(dict)
    for k, (a, b) in enumerate(edges):
        graph[a][b] = k + 1
        graph[b][a] = k + 1
    total = 0
    for a in range(n):
        for b, w in graph[a].items():
            total += w * (a + 1) + b
    return total, len(graph)


@program(PAIRS, lambda: (R(12, 3),))
def dicts_of_dicts(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(v, {})[i] = 2 * i
    return len(groups[0]), len(groups[1]), max(groups[1].values())


@program(PAIRS, lambda: (R(12, 3),))
def default_of_defaults(x):
    groups = defaultdict(lambda: defaultdict(int))
    for i, v in enumerate(x):
        groups[v][i % 2] += 1
    return groups[0][0], groups[1][1], groups[2][0], len(groups)


@program(PAIRS, lambda: (R(12, 4),))
def set_operations(x):
    sets = [set() for _ in range(4)]
    for i, v in enumerate(x):
        sets[v].add(i % 5)
    copy = sets[x[0]].copy()
    copy.add(100)
    sets[1] |= copy
    sets[2].discard(3)
    sets[3].clear()
    meet, join = sets[x[0]] & sets[x[1]], sets[0] | sets[2]
    return sets, sorted(copy), len(meet), sorted(join), sets[0] == sets[x[0]]


@program(PAIRS, lambda: (R(9, 3),))
def deques(x):
    queues = [deque(), deque(), deque(maxlen=2)]
    for i, v in enumerate(x):
        queues[v].append(i)
    out = []
    while queues[0] or queues[1]:
        for q in queues[:2]:
            if q:
                out.append(q.popleft())
    return out, queues[2]


@program(PAIRS, lambda: (R(9, 3), 3))
def deques_by_number(x, n):
    queues = [deque(maxlen=3) for _ in range(n)]
    for i, v in enumerate(x):
        queues[v].appendleft(i)
    return queues, [sum(q) for q in queues]


@program(PAIRS, lambda: (R(12, 4),))
def counters(x):
    counts = [Counter() for _ in range(4)]
    for i, v in enumerate(x):
        counts[v][i % 2] += 1
    return counts[0][0], counts[1][1], counts[2].most_common(1)


@program(PAIRS, lambda: (R(9, 3),))
def ordered(x):
    shelves = [OrderedDict() for _ in range(3)]
    for i, v in enumerate(x):
        shelves[v][i] = v
        if len(shelves[v]) > 2:
            shelves[v].popitem(last=False)
    return [list(s) for s in shelves]


@program(PAIRS, lambda: (R(6, 3),))
def records(x):
    rows = [{"id": i, "score": 0.5 * i} for i in range(3)]
    for i in x:
        rows[i]["score"] += 1.5
    best = max(rows, key=lambda r: r["score"])
    return best["id"], [r["score"] for r in rows], rows


@program(PAIRS, lambda: (R(6, 3), 3), lambda: (R(6, 2), 7))
def records_that_grow(x, n):
    rows = []
    for i in range(n):
        rows.append({"id": i, "score": 0.5 * i, "tags": []})
    for k, i in enumerate(x):
        rows[i]["score"] += 1.5
        rows[i]["tags"].append(k)
    rows.sort(key=lambda r: -r["score"])
    return [r["id"] for r in rows], rows[0]["score"], rows


@program(PAIRS, lambda: (R(9, 4), 2))
def records_written_out(x, k):
    staff = [dict(name="a", pay=1.0), dict(name="b", pay=2.0), dict(name="c", pay=3.0)]
    for i in x:
        staff[i % 3]["pay"] *= 1.5
    staff[x[0] % 3].update(name="d", pay=0.25)
    best = max(staff, key=lambda e: e["pay"])
    return best["name"], staff[k], "pay" in staff[x[1] % 3], len(staff[x[2] % 3]), staff


@program(PAIRS, lambda: (R(9, 9), R(9, 3, 1)))
def means(x, labels):
    stats = {}
    for v, c in zip(x, labels):
        if c not in stats:
            stats[c] = {"n": 0, "sum": 0.0}
        stats[c]["n"] += 1
        stats[c]["sum"] += v
    return {int(k): s["sum"] / s["n"] for k, s in stats.items()}


@program(PAIRS, lambda: (R(9, 9), R(9, 3, 1)))
def means_by_default(x, labels):
    stats = defaultdict(lambda: {"n": 0, "sum": 0.0})
    for v, c in zip(x, labels):
        stats[c]["n"] += 1
        stats[c]["sum"] += v
    return stats[0], stats[1]["n"], len(stats)


@program(PAIRS, lambda: (R(7, 9),))
def tree(x):
    nodes = {}
    for i, v in enumerate(x):
        nodes[i] = {"v": v, "kids": []}
        if i > 0:
            nodes[(i - 1) // 2]["kids"].append(i)
    total, stack = 0, [0]
    while stack:
        u = stack.pop()
        total = total * 3 + nodes[u]["v"]
        stack.extend(nodes[u]["kids"])
    return total


class Node:
    def __init__(self):
        self.children = {}
        self.names = set()


@program(PAIRS, lambda: (R(6, 3).reshape(2, 3), R(3, 3)))
def trie(words, x):
    root = Node()
    for k, word in enumerate(words):
        node = root
        for letter in word:
            if letter not in node.children:
                node.children[letter] = Node()
            node = node.children[letter]
        node.names.add(k)
    node = root
    for letter in x:
        if letter not in node.children:
            return -1
        node = node.children[letter]
    return len(node.names)


@program("nothing to keep but a length", lambda: (4,))
def nones(n):
    out, texts = [], []
    for i in range(n):
        out.append([None, None])
        texts.append(["a"] * 2)
    texts[n - 2].append("b")
    return out, texts


@program("functions in growing lists", lambda: (R(6, 4), 4))
def functions(x, n):
    jobs, kinds = [], []
    for i in range(n):
        jobs.append((abs, -x[i]))
        kinds.append((float if i > -1 else int, x[i]))
    return [f(v) for f, v in jobs], [k(v) for k, v in kinds]


@program(PAIRS, lambda: (R(8, 4),))
def sets_by_remainder(x):
    groups = {}
    for v in x:
        if v % 2 in groups:
            groups[v % 2].add(v)
        else:
            groups[v % 2] = {v}
    return {int(k): sorted(g) for k, g in groups.items()}


@program("types of containers", lambda: (R(5, 3),))
def types(x):
    d, s, q, c, dd = {}, set(), deque(), Counter(), defaultdict(int)
    for v in x:
        d[v] = 1
        s.add(v)
        q.append(v)
        c[v] += 1
        dd[v] += 1
    exact = type(d) is dict, type(s) is set, type(q) is deque, type(c) is Counter
    return exact, type(dd) is defaultdict, isinstance(c, dict), type(d).__name__, type(q).__name__


@program("identity", lambda: (R(3, 3), 3))
def shared_sets(x, n):
    sets = [set() for _ in range(n)]
    sets[x[1]] = {1, 2}
    sets[x[2]].add(5)
    sets[x[1]] = sets[x[2]]
    sets[1].add(8)
    return [sorted(s) for s in sets], sets[1] is sets[2]


@program("identity", lambda: (R(3, 3), 3))
def linked_dicts(x, n):
    nodes = [{"next": None, "v": i} for i in range(n)]
    for i in range(n - 1):
        nodes[i]["next"] = nodes[i + 1]
    total, node = 0, nodes[x[1]]
    while node is not None:
        total = total * 10 + node["v"]
        node = node["next"]
    return total


@program(PAIRS, lambda: (R(3, 3), 3))
def looked_at(x, n):
    rows = [{"a": i, "b": 1} for i in range(n)]
    r = rows[x[1]]
    held = type(r) is dict, len(r), list(r), list(r.items()), r.get("z", 5), r.get("a")
    return held, r == {"a": 1, "b": 1}, {**r}, f"{rows[x[0]]}"


@program("KeyError", lambda: (R(3, 3), 3))
def missing(x, n):
    rows = [{} for _ in range(n)]
    rows[x[0]][7] = 1.5
    try:
        return 0, rows[x[1]][5]
    except KeyError as error:
        return error.args[0], rows[x[0]].pop(7)


@program(PAIRS, lambda: (R(5, 9), 3))
def frozensets(x, n):
    made = [frozenset(int(v) % (i + 2) for v in x) for i in range(n)]
    return made, made[x[1] % 3], len(made[x[2] % 3])


@program(PAIRS, lambda: (R(5, 3), 3))
def records_of_two_kinds(x, n):
    inner = [{"p": i} for i in range(n)]
    outer = [{"q": i * 0.5, "r": inner[i]} for i in range(n)]
    for v in x:
        outer[v]["r"]["p"] += 1
        outer[v]["q"] += 1
    return inner, outer, outer[0]["r"] is inner[0]


def zero():
    return {"n": 0}


@program(PAIRS, lambda: (R(5, 3), 3))
def made_in_and_out_of_a_loop(x, n):
    first = zero()
    rows = [zero() for _ in range(n)]
    for v in x:
        rows[v]["n"] += 5
    first["n"] += 1
    return rows, first


@program(PAIRS, lambda: (R(9, 7),), lambda: (R(0),))
def copies(x):
    groups = defaultdict(list)
    for v in x:
        groups[int(v) % 3].append(int(v))
    plain = dict(groups)
    again = plain.copy()
    return plain, [again[k][0] for k in again], list(groups.values())


@program(PAIRS, lambda: (R(9, 7),))
def copies_that_change(x):
    d = {}
    for v in x:
        d[int(v)] = 1.5 * v
    counts = Counter(int(v) % 4 for v in x)
    first, second, third = dict(d), d.copy(), counts.copy()
    first[100] = 2.0
    second[int(x[0])] = 0.0
    del d[int(x[1])]
    third[1] += 5
    return d, first, second, dict(counts), third, OrderedDict(counts)


@program("identity", lambda: (np.array([0, 1, 0]), np.array([3])))
def lists_that_are_one(x, m):
    rows = []
    for i in range(m[0]):
        rows.append([i])
    first, second, found = rows[0], rows[x[1]], -1
    for k, row in enumerate(rows):
        if row is second:
            found = k
    same = rows[x[0]] is rows[x[2]], rows[x[0]] is second, first is rows[x[0]], first is rows
    return found, same


@program("a display that may be a table", lambda: ({"a": 1.0, "b": 2.0}, {"b": 3.0, "x": 0.5}))
def merged_and_ranked(a, b):
    both, more = {**a, **b}, {**b, "q": 1.0}
    ranked = {k: v for k, v in sorted(a.items(), key=lambda pair: -pair[1])}
    return both, more, ranked, {**ranked, "z": a["a"]}, {**{k: 2.0 for k in sorted(b, key=b.get)}}


@program(PAIRS, lambda: (np.array([0, 1, 0, 1, 1]),), lambda: (np.array([3, 1, 2, 2, 0]),))
def model_of_what_was_seen(moves):
    model, place, total = {}, [0, 1], 0.0
    for t, move in enumerate(moves):
        if tuple(place) not in model.keys():
            model[tuple(place)] = dict()
        model[tuple(place)][move] = float(t)
        seen = list(model)[move % len(model)]
        action = list(model[seen])[move % len(model[seen].keys())]
        total += model[seen][action] + model.get(seen)[action]
        place = [place[0] + move % 2, place[1]]
    return total, len(model)
