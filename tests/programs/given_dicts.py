"""Dicts of dicts, of lists and of things of several kinds as arguments, looked up by data."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, deque

from tests.programs import program

GIVEN = "dicts as arguments"

ROADS = {
    "a": {"b": 7, "c": 9, "f": 14},
    "b": {"a": 7, "c": 10, "d": 15},
    "c": {"a": 9, "b": 10, "d": 11, "f": 2},
    "d": {"b": 15, "c": 11, "e": 6},
    "e": {"d": 6, "f": 9},
    "f": {"a": 14, "c": 2, "e": 9},
}
CITIES = {
    "x": {"y": 1.5, "z": 2.5},
    "y": {"x": 1.5, "z": 4.0},
    "z": {"x": 2.5, "y": 4.0},
}


@program(GIVEN, lambda: (ROADS, "a", "e"))
def shortest_way(graph, source, target):
    dist = {source: 0}
    heap = [(0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if u == target:
            return d
        if d > dist[u]:
            continue
        for v, w in graph[u].items():
            if v not in dist or d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return -1


@program(GIVEN, lambda: (ROADS, "d"))
def shortest_ways(graph, start):
    dist = {v: float("inf") for v in graph}
    dist[start] = 0
    queue = [(0, start)]
    while queue:
        d, node = heapq.heappop(queue)
        if d > dist[node]:
            continue
        for neighbour, w in graph[node].items():
            if d + w < dist[neighbour]:
                dist[neighbour] = d + w
                heapq.heappush(queue, (d + w, neighbour))
    return dist


@program(GIVEN, lambda: (ROADS, "a"))
def spanning_tree(graph, start):
    seen = {start}
    total = 0
    edges = [(w, start, v) for v, w in graph[start].items()]
    heapq.heapify(edges)
    while edges:
        w, u, v = heapq.heappop(edges)
        if v not in seen:
            seen.add(v)
            total += w
            for x, c in graph[v].items():
                if x not in seen:
                    heapq.heappush(edges, (c, v, x))
    return total


@program(GIVEN, lambda: ({1: {2: 5, 3: 1}, 2: {1: 5}, 3: {2: 2, 1: 1}}, 1))
def from_numbers(graph, s):
    dist = {s: 0}
    h = [(0, s)]
    while h:
        d, u = heapq.heappop(h)
        if d > dist.get(u, 10**9):
            continue
        for v in graph[u]:
            nd = d + graph[u][v]
            if nd < dist.get(v, 10**9):
                dist[v] = nd
                heapq.heappush(h, (nd, v))
    return sorted(dist.items())


@program(GIVEN, lambda: (CITIES, ["x", "y", "z"]))
def tour(cities, names):
    total = 0.0
    for i in range(len(names)):
        total += cities[names[i]][names[(i + 1) % len(names)]]
    return total


@program(GIVEN, lambda: ({"a": {"b": 1}, "b": {"c": 2}}, "a", 4))
def missing_in_a_loop(graph, u, n):
    t = 0
    for i in range(n):
        for v, w in graph[u].items():
            t += w
            u = v
    return t, u


@program(GIVEN, lambda: ({"x": {"a": 1}, "y": {"a": 1, "b": 2}}, [0, 1, 2]))
def present(config, which):
    names = ["x", "y", "z"]
    out = []
    for i in which:
        name = names[i]
        out.append(len(config[name]) if name in config else -1)
    return out


def needs(count=130):
    names = [f"t{k}" for k in range(count)]
    return {n: [names[k * 7 % k], names[k // 2]][: k % 3] if k else [] for k, n in enumerate(names)}


@program("many names, each with a few others", lambda: (needs(),))
def in_order(needs):
    waits = {name: len(others) for name, others in needs.items()}
    after = defaultdict(list)
    for name, others in needs.items():
        for other in others:
            after[other].append(name)
    ready, order = deque(name for name in needs if waits[name] == 0), []
    while ready:
        name = ready.popleft()
        order.append(name)
        for other in after[name]:
            waits[other] -= 1
            if waits[other] == 0:
                ready.append(other)
    return order


def _weights(n, k=3):
    return {i: {(i * 7 + j * j) % n: 1 + (i * j) % 8 for j in range(1, k)} for i in range(n)}


@program("given dicts in a dict", lambda: (_weights(20), 0), lambda: (_weights(90, 4), 5))
def least_ways(graph, start):
    """Data decides which of many dicts is read."""
    ways, left = dict.fromkeys(graph, math.inf), [(0, start)]
    ways[start] = 0
    while left:
        so_far, u = heapq.heappop(left)
        if so_far > ways[u]:
            continue
        for v, more in graph[u].items():
            if so_far + more < ways[v]:
                ways[v] = so_far + more
                heapq.heappush(left, (ways[v], v))
    return ways


@program("given dicts in a dict", lambda: (_weights(20), 0), lambda: (_weights(12), 3))
def ways_that_are_used_up(graph, start):
    """What a dict that data decides gets and loses, the caller's has and lacks."""
    left, seen, last = [start], set(), None
    while left:
        u = left.pop()
        if u in seen:
            continue
        seen.add(u)
        last = graph[u]
        for v in list(last):
            last[v] -= 1
            if last[v] == 0:
                del last[v]
            left.append(v)
        graph[u][100 + len(seen)] = u
    return len(seen), last, last is graph[start]


def _named(graph):
    return {f"n{u}": {f"n{v}": more for v, more in ways.items()} for u, ways in graph.items()}


@program(
    "given dicts in a dict",
    lambda: (_named(_weights(20)), "n0"),
    lambda: (_named(_weights(80, 4)), "n5"),
)
def least_ways_by_name(graph, start):
    """As many dicts, with texts as keys, of which each has others."""
    ways, left = {start: 0}, [(0, start)]
    while left:
        so_far, u = heapq.heappop(left)
        for v, more in graph[u].items():
            if so_far + more < ways.get(v, math.inf):
                ways[v] = so_far + more
                heapq.heappush(left, (ways[v], v))
    return ways


@program("given dicts in a dict", lambda: (_named(_weights(20)), "n3"))
def several_kinds_of_values(graph, start):
    """Values that are no numbers alone are in no pool."""
    graph["n3"]["n4"] = "far"
    left, seen, total = [start], set(), 0
    while left:
        u = left.pop()
        if u not in seen:
            seen.add(u)
            for v, more in graph[u].items():
                total += 100 if isinstance(more, str) else more
                left.append(v)
    return total, len(seen)


@program("given dicts in a dict", lambda: (_named(_weights(20)), "n3"))
def written_before_data_chooses(graph, start):
    """What is written to a known one of them is the caller's."""
    graph[start]["n4"] = 7
    left, seen = [start], set()
    while left:
        u = left.pop()
        if u not in seen:
            seen.add(u)
            left.extend(graph[u])
    return len(seen)
