"""Runs that Ctrl-C ends, and time limits.

While XLA computes, Python answers no signals: the main thread is in its code.  So what may run for
long, the first call (which compiles) and loops of which nobody knows how long they are, is run by
another thread, and the main one waits for it, which signals end.  Nothing has been written for the
caller by then: the run is *abandoned*, and its results are dropped.

XLA has no way to stop a program from outside: the thread computes on until the program ends, or
calls Python (`print`), or the process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

_MAIN = threading.main_thread().ident


class Abandoned(BaseException):
    """Nobody waits for a run any more."""


class _Job:
    """A call, and how it ended.  committed: it writes for its caller from now on, which is not to
    be interrupted."""

    __slots__ = ("abandoned", "args", "committed", "done", "error", "function", "lock", "result")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function, self.args = function, args
        self.result: Any = None
        self.error: BaseException | None = None
        self.committed = self.abandoned = False
        self.lock, self.done = threading.Lock(), threading.Lock()
        self.done.acquire()

    def run(self) -> None:
        try:
            self.result = self.function(*self.args)
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            self.error = error

    def abandon(self) -> None:
        """Wait no more, unless it is about to end."""
        with self.lock:
            self.abandoned = not self.committed
            if self.abandoned:
                _ABANDONED.append(self)
        if not self.abandoned:
            self.done.acquire()

    def end(self) -> None:
        with self.lock:
            self.committed = True
            if self.abandoned:
                _ABANDONED.remove(self)
        self.done.release()


class _Worker(threading.Thread):
    """A thread that runs one job after the other; not waited for where the process ends."""

    def __init__(self) -> None:
        super().__init__(name="pyxla", daemon=True)
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            job = self.jobs.get()
            _CURRENT.job = job
            job.run()
            _CURRENT.job = None
            _IDLE.append(self)
            job.end()
            del job


_CURRENT = threading.local()
_IDLE: list[_Worker] = []
_ABANDONED: list[_Job] = []
GRACE = 1.0  # seconds


@atexit.register
def _at_exit() -> None:
    """Wait a little for what XLA compiles, and let threads that come back later wait for ever."""
    end = time.monotonic() + GRACE
    for job in list(_ABANDONED):
        job.done.acquire(timeout=max(end - time.monotonic(), 0.0))
    if _ABANDONED and sys.platform == "linux" and sys.version_info < (3, 14):
        _stay_in_terminate()


def _stay_in_terminate() -> None:
    """A thread that comes back to a Python that ends is stopped; before 3.14 by `pthread_exit`.

    That unwinds XLA's frames, which call `std::terminate`: the thread stays in there, rather than
    abort the process.  libc++ has no such function, and needs none.
    """
    with contextlib.suppress(OSError, AttributeError):
        standard = ctypes.CDLL("libstdc++.so.6")
        standard._ZSt13set_terminatePFvvE(ctypes.CDLL(None).pause)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDLE.clear)


def answers() -> bool:
    """Whether this is the thread that answers signals."""
    return threading.get_ident() == _MAIN


def answered(timeout: float, function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`, while signals are answered; TimeoutError after so many seconds, if any."""
    job = _Job(function, args)
    try:
        worker = _IDLE.pop()
    except IndexError:
        worker = _Worker()
    worker.jobs.put(job)
    try:
        if not job.done.acquire(timeout=timeout or -1):
            raise TimeoutError(f"the program runs for more than {timeout:g} seconds")
    except BaseException:
        job.abandon()
        raise
    if job.error is None:
        return job.result
    try:
        raise job.error
    finally:
        del job  # to which the error's traceback refers


def check() -> None:
    """End a run that nobody waits for."""
    job = getattr(_CURRENT, "job", None)
    if job is not None and job.abandoned:
        raise Abandoned


def commit() -> None:
    """End a run that nobody waits for; else it goes on to the end, whatever happens."""
    job = getattr(_CURRENT, "job", None)
    if job is not None:
        with job.lock:
            job.committed = True
            if job.abandoned:
                raise Abandoned
