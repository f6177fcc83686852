"""Graphs, queues and heaps: neighbours are `targets[starts[u] : starts[u + 1]]`."""

import heapq

import numpy as np


def breadth_first(starts, targets):
    n = starts.shape[0] - 1
    distance = np.full(n, -1)
    distance[0] = 0
    queue = [0]
    head = 0
    while head < len(queue):
        u = queue[head]
        head += 1
        for k in range(starts[u], starts[u + 1]):
            v = targets[k]
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


def grid_steps(grid):
    n, m = grid.shape
    steps = np.full((n, m), -1)
    rows = np.zeros(n * m, dtype=np.int64)
    columns = np.zeros(n * m, dtype=np.int64)
    steps[0, 0] = 0
    head, tail = 0, 1
    while head < tail:
        i, j = rows[head], columns[head]
        head += 1
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            u, v = i + di, j + dj
            if 0 <= u < n and 0 <= v < m and grid[u, v] == 0 and steps[u, v] < 0:
                steps[u, v] = steps[i, j] + 1
                rows[tail] = u
                columns[tail] = v
                tail += 1
    return steps


def dijkstra(starts, targets, lengths):
    n = starts.shape[0] - 1
    distance = np.full(n, np.inf)
    distance[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for k in range(starts[u], starts[u + 1]):
            v = targets[k]
            new = d + lengths[k]
            if new < distance[v]:
                distance[v] = new
                heapq.heappush(heap, (new, v))
    return distance


def components(n, ends):
    parent = np.arange(n)
    count = n
    for e in range(ends.shape[0]):
        u, v = ends[e, 0], ends[e, 1]
        while parent[u] != u:
            parent[u] = parent[parent[u]]
            u = parent[u]
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        if u != v:
            parent[u] = v
            count -= 1
    return count


def flood_fill(grid):
    n, m = grid.shape
    grid = grid.copy()
    regions = 0
    stack = []
    for i in range(n):
        for j in range(m):
            if grid[i, j] == 0:
                regions += 1
                grid[i, j] = 2
                stack.append((i, j))
                while stack:
                    u, v = stack.pop()
                    if u > 0 and grid[u - 1, v] == 0:
                        grid[u - 1, v] = 2
                        stack.append((u - 1, v))
                    if u + 1 < n and grid[u + 1, v] == 0:
                        grid[u + 1, v] = 2
                        stack.append((u + 1, v))
                    if v > 0 and grid[u, v - 1] == 0:
                        grid[u, v - 1] = 2
                        stack.append((u, v - 1))
                    if v + 1 < m and grid[u, v + 1] == 0:
                        grid[u, v + 1] = 2
                        stack.append((u, v + 1))
    return regions


def all_shortest(d):
    n = d.shape[0]
    d = d.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return d


def page_rank(starts, targets, steps):
    n = starts.shape[0] - 1
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        new = np.full(n, 0.15 / n)
        for u in range(n):
            degree = starts[u + 1] - starts[u]
            if degree > 0:
                share = 0.85 * rank[u] / degree
                for k in range(starts[u], starts[u + 1]):
                    new[targets[k]] += share
        rank = new
    return rank


def spanning_tree(weights):
    n = weights.shape[0]
    nearest = weights[0].copy()
    inside = np.zeros(n, dtype=np.bool_)
    inside[0] = True
    total = 0.0
    for _ in range(n - 1):
        best = -1
        for v in range(n):
            if not inside[v] and (best < 0 or nearest[v] < nearest[best]):
                best = v
        inside[best] = True
        total += nearest[best]
        for v in range(n):
            if not inside[v] and weights[best, v] < nearest[v]:
                nearest[v] = weights[best, v]
    return total


def topological_order(starts, targets):
    n = starts.shape[0] - 1
    waiting = np.zeros(n, dtype=np.int64)
    for k in range(targets.shape[0]):
        waiting[targets[k]] += 1
    ready = [u for u in range(n) if waiting[u] == 0]
    order = np.zeros(n, dtype=np.int64)
    count = 0
    while ready:
        u = ready.pop()
        order[count] = u
        count += 1
        for k in range(starts[u], starts[u + 1]):
            v = targets[k]
            waiting[v] -= 1
            if waiting[v] == 0:
                ready.append(v)
    return order


def _free(n, rng):
    grid = (rng.random((n, n)) < 0.25).astype(np.int64)
    grid[0] = 0
    return (grid,)


def _graph(n, rng):
    starts = np.arange(0, 4 * n + 1, 4)
    return starts, rng.integers(0, n, 4 * n)


def _weighted(n, rng):
    starts, targets = _graph(n, rng)
    return starts, targets, rng.random(4 * n)


def _acyclic(n, rng):
    starts = np.minimum(np.arange(n + 1) * 3, 3 * (n - 1))
    sources = np.repeat(np.arange(n - 1), 3)
    return starts, sources + 1 + rng.integers(0, 1 << 30, sources.shape) % (n - 1 - sources)


SIZES = {
    breadth_first: (_graph, 4_000, 20_000),
    grid_steps: (_free, 60, 200),
    dijkstra: (_weighted, 800, 5_000),
    components: (lambda n, rng: (n, rng.integers(0, n, (n, 2))), 8_000, 50_000),
    flood_fill: (lambda n, rng: ((rng.random((n, n)) < 0.4).astype(np.int64),), 60, 200),
    all_shortest: (lambda n, rng: (rng.random((n, n)),), 60, 150),
    page_rank: (lambda n, rng: (*_graph(n, rng), 5), 2_000, 10_000),
    spanning_tree: (lambda n, rng: (rng.random((n, n)),), 150, 400),
    topological_order: (_acyclic, 4_000, 20_000),
}
