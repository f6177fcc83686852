"""Generators in lists, heaps and fields: data says how many there are and which goes on."""

from __future__ import annotations

import heapq
from collections import deque

import numpy as np

from tests.programs import program


def ints(*values):
    return lambda: (np.array(values, int),)


@program("generators", ints(2, 3, 1), ints(0, 2), ints())
def in_turn(x):
    def count(n):
        yield from range(n)

    active, out = [count(int(v)) for v in x], []
    while active:
        first = active.pop(0)
        try:
            out.append(next(first))
            active.append(first)
        except StopIteration:
            pass
    return out


@program("generators", ints(2, 3, 1), ints(0, 2))
def tasks_in_a_deque(x):
    def task(name, n):
        while n > 0:
            yield name, n
            n -= 1

    queue, out = deque(task(i, int(v)) for i, v in enumerate(x)), []
    while queue:
        first = queue.popleft()
        step = next(first, None)
        if step is not None:
            out.append(step)
            queue.append(first)
    return out


@program("generators", lambda: ([[1, 2], [3], [3, 4], [5], [5], []], 0), lambda: ([[]], 0))
def walks_in_a_stack(graph, start):
    def others(node):
        yield from graph[node]

    seen = [False] * len(graph)
    seen[start], order, stack = True, [start], [others(start)]
    while stack:
        try:
            node = next(stack[-1])
        except StopIteration:
            stack.pop()
            continue
        if not seen[node]:
            seen[node] = True
            order.append(node)
            stack.append(others(node))
    return order


@program("generators", lambda: (3, 20.0), lambda: (2, 1.0), lambda: (0, 3.0))
def events(n, until):
    """Processes that wait, each for the time that it gives, and are sent the time then."""
    waits = []

    def customer(k):
        came = yield 0.5 * k
        left = yield 1.0 + k
        waits.append(left - came)
        yield 0.25

    heap = []
    for k in range(n):
        process = customer(k)
        heapq.heappush(heap, (next(process), k, process))
    ended = 0
    while heap:
        time, k, process = heapq.heappop(heap)
        if time > until:
            break
        try:
            heapq.heappush(heap, (time + process.send(time), k, process))
        except StopIteration:
            ended += 1
    return ended, waits


@program("generators", ints(3, 1, 2), ints(0))
def of_two_functions(x):
    def up(n):
        yield from range(n)

    def down(n):
        while n:
            yield n
            n -= 1

    live, out = [], []
    for i, v in enumerate(x):
        live.append(up(int(v)) if i % 2 else down(int(v)))
    while live:
        left = []
        for one in live:
            v = next(one, -1)
            if v >= 0:
                out.append(v)
                left.append(one)
        live = left
    return out


@program("generators", ints(3, 1, 2))
def in_fields(x):
    class Task:
        def __init__(self, name, steps):
            self.name, self.steps, self.done = name, steps, False

    def work(n):
        total = 0
        for i in range(n):
            total += i / 2
            yield total

    tasks, log = [Task(i, work(int(v))) for i, v in enumerate(x)], []
    while any(not task.done for task in tasks):
        for task in tasks:
            if task.done:
                continue
            try:
                log.append((task.name, next(task.steps)))
            except StopIteration:
                task.done = True
    return log


@program("generators", ints(3, 1, 2))
def results(x):
    def summed(n):
        total = 0
        while n > 0:
            total += yield total
            n -= 1
        return total

    readers, found = [summed(int(v)) for v in x], []
    for reader in readers:
        next(reader)
    for k in range(4):
        for i, reader in enumerate(readers):
            try:
                reader.send(k + 1)
            except StopIteration as end:
                if end.value is not None:
                    found.append((i, end.value))
    return found


@program("generators", ints(4, 2, 7, 1, 5), ints(3))
def merged(x):
    def chunk(start, end):
        yield from sorted(x[start:end].tolist())

    parts, heap, out = [chunk(i, i + 2) for i in range(0, len(x), 2)], [], []
    for i, part in enumerate(parts):
        heapq.heappush(heap, (next(part), i))
    while heap:
        v, i = heapq.heappop(heap)
        out.append(v)
        v = next(parts[i], None)
        if v is not None:
            heapq.heappush(heap, (v, i))
    return out


@program("generators", ints(3, 0, 2), ints(1, 1))
def that_raise(x):
    def inverses(n):
        for k in range(n, -2, -1):
            yield 1 / k

    live, out = [inverses(int(v)) for v in x], []
    for step in range(5):
        for i, one in enumerate(live):
            try:
                out.append((i, step, next(one, -1.0)))
            except ZeroDivisionError as error:
                out.append((i, step, -2.0))
                if step > 8:
                    raise error
    return out


@program("generators", lambda: (np.array([[1.0, 2.0], [0.5, 3.0]]), 3))
def of_arrays(m, n):
    def powers(a):
        while True:
            a = a @ m
            yield a

    rows = []
    for k in range(n):
        rows.append(powers(np.full(2, k + 1.0)))
    total = np.zeros(2)
    for k in range(2 * n):
        total += next(rows[k % n])
    return total


@program("generators", lambda: (3, 1), lambda: (0, 2))
def scheduled(n, m):
    def countdown(name, k):
        while k > 0:
            yield name, k
            k -= 1

    ready, log = deque(), []
    ready.append(countdown("n", n))
    ready.append(countdown("m", m))
    while ready:
        task = ready.popleft()
        try:
            log.append(next(task))
        except StopIteration:
            continue
        ready.append(task)
    return log
