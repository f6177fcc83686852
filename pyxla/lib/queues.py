"""The queues of `queue`, without their locks, as Python that is compiled like the user's.

A program has one thread: where CPython would wait for another one, for ever, it raises what it
would without waiting.
"""

from __future__ import annotations

import collections
import heapq
import queue
from typing import Any


class Queue(queue.Queue):
    """`queue.Queue` over a deque."""

    __pyxla_structural__ = ("maxsize", "unfinished_tasks")

    def __init__(self, maxsize: Any = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self._init(maxsize)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> queue.Queue:
        kind = next(base for base in cls.__mro__ if base.__module__ == queue.__name__)
        made = kind(fields["maxsize"])
        made.queue, made.unfinished_tasks = fields["queue"], fields["unfinished_tasks"]
        return made

    def qsize(self) -> Any:
        return self._qsize()

    def empty(self) -> Any:
        return not self._qsize()

    def full(self) -> Any:
        return 0 < self.maxsize <= self._qsize()

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        _check(block, timeout)
        if self.full():
            raise queue.Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        _check(block, timeout)
        if not self._qsize():
            raise queue.Empty
        return self._get()

    def put_nowait(self, item: Any) -> None:
        self.put(item, False)

    def get_nowait(self) -> Any:
        return self.get(False)

    def task_done(self) -> None:
        if self.unfinished_tasks < 1:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def _init(self, maxsize: Any) -> None:
        self.queue: Any = collections.deque()

    def _qsize(self) -> Any:
        return len(self.queue)

    def _put(self, item: Any) -> None:
        self.queue.append(item)

    def _get(self) -> Any:
        return self.queue.popleft()


class PriorityQueue(Queue, queue.PriorityQueue):
    """`queue.PriorityQueue` over a heap."""

    def _init(self, maxsize: Any) -> None:
        self.queue = []

    def _put(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _get(self) -> Any:
        return heapq.heappop(self.queue)


class LifoQueue(Queue, queue.LifoQueue):
    """`queue.LifoQueue` over a list."""

    def _init(self, maxsize: Any) -> None:
        self.queue = []

    def _get(self) -> Any:
        return self.queue.pop()


def _check(block: Any, timeout: Any) -> None:
    if block and timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
