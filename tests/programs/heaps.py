"""Heaps of numbers and of tuples, in lists that grow and shrink."""

import heapq
import itertools

import numpy as np

from tests.programs import program


@program("heap", lambda: (np.array([5.0, 3.0, 8.0, 1.0, 4.0]),))
def hq(a):
    h = []
    for v in a.tolist():
        heapq.heappush(h, v)
    s = 0.0
    x = heapq.heappushpop(h, 2.0)
    y = heapq.heapreplace(h, 7.0)
    while h:
        s = 2 * s + heapq.heappop(h)
    return s, x, y


@program("heap", lambda: ([5.0, 3.0, 8.0, 1.0, 4.0],))
def hfy(l):
    heapq.heapify(l)
    x = heapq.heappop(l)
    return x, l, heapq.nsmallest(2, l), heapq.nlargest(2, [3, 1, 2], key=lambda v: -v)


@program(
    "heap",
    lambda: (
        np.array(
            [[0.0, 1.0, 4.0, 0.0], [1.0, 0.0, 2.0, 6.0], [4.0, 2.0, 0.0, 3.0], [0.0, 6.0, 3.0, 0.0]]
        ),
        0,
    ),
)
def dijkstra_hq(w, src):
    n = w.shape[0]
    dist = [float("inf")] * n
    dist[src] = 0.0
    done = [False] * n
    heap = [(0.0, src)]
    while heap:
        d, u = heapq.heappop(heap)
        if done[u]:
            continue
        done[u] = True
        for v in range(n):
            if w[u, v] > 0:
                nd = d + w[u, v]
                if nd < dist[v]:
                    dist[v] = nd
                    heapq.heappush(heap, (nd, v))
    return dist


@program("heap", lambda: (4,))
def empty(n):
    h = []
    try:
        heapq.heappop(h)
    except IndexError:
        n += 1
    return n


@program("heap", lambda: (3,))
def grp(n):
    out = []
    for k, g in itertools.groupby([1, 1, 2, 3, 3, 1]):
        out.append((k, sum(g)))
    return out, [(k, len(list(v))) for k, v in itertools.groupby("aabbb")]


@program("heap", lambda: (np.array([4, 1, 3, 1, 5]), 2))
def kth(a, k):
    h = []
    for v in a:
        heapq.heappush(h, -v)
        if len(h) > k:
            heapq.heappop(h)
    return -h[0], len(h)


class Job:
    def __init__(self, size):
        self.size = size


@program(
    "heap order",
    lambda: ([3, 1, 2],),
    lambda: ([3, 1, 1],),
    lambda: ((np.arange(70) * 37 % 50).tolist(),),
)
def entries_that_a_counter_tells_apart(priorities):
    queue = [(p, i, (i, None)) for i, p in enumerate(priorities)]
    heapq.heapify(queue)
    jobs = []
    for i, p in enumerate(priorities):
        heapq.heappush(jobs, (p, i, Job(2 * p)))
    out = []
    while jobs:
        p, _, job = heapq.heappop(jobs)
        job.size += p
        out.append(job.size)
    return out, heapq.heappop(queue)[2][0]


@program(
    "heap order",
    lambda: ([3, 1, 2],),
    lambda: ([3, 1, 1],),
)
def entries_that_nothing_tells_apart(priorities):
    jobs = []
    for p in priorities:
        heapq.heappush(jobs, (p, Job(p)))
    return jobs[0][0]


@program("heap empty", lambda: ([2, 1], 2), lambda: ([2, 1], 3), lambda: ([], 0))
def popped_too_often(items, n):
    heapq.heapify(items)
    out = [heapq.heappop(items) for _ in range(n)]
    return out, heapq.heapreplace(items, 1)


@program(
    "heap merge",
    lambda: ([5, 1, 4], [2, 6], [(2, 1), (0, 3)], np.arange(6)),
    lambda: ([], [1], [(1, 1)], np.arange(3)),
)
def merged(a, b, pairs, x):
    grown = [int(v) for v in x if v % 2]
    down = list(heapq.merge(pairs, [(2, 0), (1, 7)], key=lambda t: t[0], reverse=True))
    first = list(itertools.islice(heapq.merge(range(0, 10, 3), a, grown), 2))
    return list(heapq.merge(a, sorted(b), grown)), list(heapq.merge()), down, first


@program("heap merge", lambda: ([1.0, 2.5], ["a"]))
def merged_with_what_is_unlike(a, b):
    try:
        return list(heapq.merge(a, b))
    except TypeError as error:
        return str(error)


class Queue:
    """Events at times that data decides: functions, or methods, and what they are called with."""

    def __init__(self, delays):
        self.delays, self.now, self.events, self.number = delays, 0.0, [], 0
        self.log = []

    def at(self, delay, function, *args):
        heapq.heappush(self.events, (self.now + delay, self.number, function, args))
        self.number += 1

    def run(self, until):
        while self.events and self.events[0][0] <= until:
            self.now, _, function, args = heapq.heappop(self.events)
            function(*args)

    def arrive(self, k):
        self.log.append(k)
        if k % 2:
            self.at(self.delays[k], self.leave, k)
        self.at(self.delays[k + 1], self.arrive, k + 1)

    def leave(self, k):
        self.log.append(-k)


@program("heap of methods", lambda: (np.array([0.3, 1.2, 0.7, 2.0, 0.4, 0.9, 3.0]), 5.0))
def events_of_two_kinds(delays, until):
    queue = Queue(delays)
    queue.at(0.0, queue.arrive, 0)
    queue.run(until)
    return queue.log, queue.now, len(queue.events)


@program("heap of closures", lambda: (np.array([0.3, 1.2, 0.7, 2.0, 0.4]),))
def events_that_are_functions(delays):
    total = []
    events = []
    for i, v in enumerate(delays):
        later = (lambda k: total.append(2 * k)) if v > 1 else (lambda k: total.append(k))
        heapq.heappush(events, (v, i, later, i))
    while events:
        _, _, later, k = heapq.heappop(events)
        later(k)
    return total


@program("first of all", lambda: (np.array([0.3, 1.2, 0.7, 2.0, 0.4]),))
def first_event_without_a_heap(delays):
    queue = Queue(delays)
    events = []
    for i, v in enumerate(delays):
        events.insert(i // 2, (v, queue.leave if v > 1 else queue.log.append, i))
    while events:
        first = min(range(len(events)), key=lambda j: events[j][0])
        queue.now, function, k = events.pop(first)
        function(k)
    return queue.log


@program("heap", lambda: (np.array([5, 3, 8, 1, 9, 2]),), lambda: ([2.5, 1.0, 7.0],))
def medians_so_far(xs):
    low, high, found = [], [], []
    for x in xs:
        if not low or x <= -low[0]:
            heapq.heappush(low, -x)
        else:
            heapq.heappush(high, x)
        if len(low) > len(high) + 1:
            heapq.heappush(high, -heapq.heappop(low))
        elif len(high) > len(low):
            heapq.heappush(low, -heapq.heappop(high))
        found.append(-low[0] if len(low) > len(high) else (high[0] - low[0]) / 2)
    return found
