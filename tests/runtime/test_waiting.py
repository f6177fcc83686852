"""Ctrl-C, and time limits: the caller goes on at once, its arguments untouched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import pyxla
from pyxla.reflect import compilation
from pyxla.runtime import waiting

LONG = 1_000_000_000  # iterations: some seconds


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """What a shell starts in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def endless(x, n):
    x[0] = 5.0
    i = 0
    while i < n:
        i += 1
        x[1] += 1e-9
    return i


def interrupted(call, after: float = 0.3) -> float:
    """How long it takes to end what SIGINT ends."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
        return time.perf_counter() - after
    finally:
        timer.join()


def test_interrupt_of_a_run_and_then_another() -> None:
    f, x = pyxla.compile(endless), np.zeros(2)
    assert f(x, 10) == 10
    x[:] = 0
    interrupted(lambda: f(x, LONG))
    assert (x == 0).all()
    assert f(x, 10) == 10
    assert x[0] == 5


def test_interrupt_of_a_first_call() -> None:
    x = np.zeros(2)
    interrupted(lambda: pyxla.compile(endless)(x, LONG))
    assert (x == 0).all()


def test_handlers_that_do_not_raise() -> None:
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    f, x = pyxla.compile(endless), np.zeros(2)
    f(x, 10)
    try:
        timer.start()
        assert f(x, 50_000_000) == 50_000_000
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert seen


def within(f, seconds: int) -> int:
    """As many iterations as `f` takes so long for, on this machine."""
    start = time.perf_counter()
    f(np.zeros(2), LONG // 20)
    return int(LONG // 20 * seconds / (time.perf_counter() - start))


def test_timeout() -> None:
    f, x = pyxla.compile(endless, timeout=2.5), np.zeros(2)
    f(np.zeros(2), 10)
    with pytest.raises(TimeoutError, match=r"more than 2\.5 seconds"):
        f(x, within(f, 12))
    assert (x == 0).all()
    assert f(x, 10) == 10


def test_timeout_is_a_number_of_seconds() -> None:
    pyxla.compile(endless, timeout=2)
    with pytest.raises(pyxla.CompileError, match="timeout"):
        pyxla.compile(endless, timeout=-1)


def test_exceptions_and_other_threads() -> None:
    f = pyxla.compile(endless)
    x = np.zeros(2)
    with pytest.raises(IndexError):
        f(np.zeros(1), 3)
    thread = threading.Thread(target=f, args=(x, 7))
    thread.start()
    thread.join()
    assert x[0] == 5


def test_a_process_ends_though_a_program_computes_on() -> None:
    code = """
        import numpy as np, pyxla
        from tests.runtime.test_waiting import endless
        compiled = pyxla.compile(endless, timeout=2.0)
        compiled.specialize(pyxla.f64[2], int)
        try:
            compiled(np.zeros(2), 10**15)
        except TimeoutError:
            print("ended")
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert found.stdout == "ended\n", found.stderr
    assert found.returncode == 0


def test_a_process_ends_while_a_program_comes_back() -> None:
    """Its thread finds Python ending, stops there, and takes nothing down with it."""
    code = """
        import sys, time
        import numpy as np, pyxla
        from pyxla.runtime import waiting
        from tests.runtime.test_waiting import endless

        class Slow:
            def __del__(self, sleep=time.sleep):
                sleep(2.0)

        waiting.GRACE = 0.0
        compiled = pyxla.compile(endless)
        compiled(np.zeros(2), 10)
        begun = time.perf_counter()
        compiled(np.zeros(2), 10**8)
        rate = 10**8 / (time.perf_counter() - begun)
        compiled = pyxla.compile(endless, timeout=0.5)
        compiled.specialize(pyxla.f64[2], int)
        slow = Slow()
        try:
            compiled(np.zeros(2), int(rate * 1.3))
        except TimeoutError:
            sys.exit(3)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (found.returncode, found.stderr) == (3, "")


def prints(n):
    i = 0
    while i < n:
        i += 1
        if i % 1000 == 0:
            print("at", i)
    return i


def test_an_abandoned_program_ends_where_it_prints(capfd) -> None:
    f = pyxla.compile(prints)
    assert f(2000) == 2000
    interrupted(lambda: f(LONG))
    time.sleep(0.3)
    capfd.readouterr()
    time.sleep(0.3)
    assert capfd.readouterr().out == ""


def short(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total


def nested(x):
    total = 0.0
    for _ in range(100_000):
        for _ in range(100_000):
            total += x[0]
    return total


def test_only_what_may_take_long_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    f, g = pyxla.compile(short), pyxla.compile(short, timeout=60)
    h = pyxla.compile(endless)
    x = np.ones(1000)
    assert f(x) == g(x) == 1000  # the first call compiles
    y = x.copy()
    assert h(y, 10) == h(y, np.int64(10)) == 10
    asked: list[object] = []
    answered = waiting.answered

    def seen(timeout: float, function: object, *args: object) -> object:
        asked.append(timeout)
        return answered(timeout, function, *args)

    monkeypatch.setattr(waiting, "answered", seen)
    assert f(x) == 1000
    assert h(y, -10) == 0
    assert h(y, np.int64(10)) == 10
    assert asked == []
    assert h(y, LONG // 5) == LONG // 5
    assert asked == [0.0]
    assert g(x) == 1000
    assert asked == [0.0, 60]


def test_the_work_of_nested_loops_and_of_single_ones() -> None:
    x = np.ones(1000)
    for f, least, most in ((nested, 1e10, 1e12), (short, 1000, 1e5)):
        ((found, factors),) = compilation(f, x).at("regions").work
        assert not factors
        assert least < found < most
