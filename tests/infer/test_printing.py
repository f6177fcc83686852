"""`print` from compiled code: as CPython prints, in order, wherever control flow leads."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import sys

import numpy as np
import pytest

import pyxla

ROW = np.array([0.0, 1.5, 2.0])


def loops(x, n):
    print("start", n, x, sep=" | ")
    for i in range(n):
        if x[i % 3] > 1:
            print(f"large {x[i % 3]:.2f}", end="; ")
        print("step", i, (i, x[0]), [x * i], {"a": i})
    print()
    return x * 2


def early(x, n):
    for i in range(10):
        print(i)
        if i == n:
            return i
    print("never")
    return 0


def called(x, n):
    def show(y):
        print("inside", y)
        return y + 1

    return show(show(n))


def kinds(x, n):
    print(n, n / 2, n > 1, x[0], x[0] > 1, x, x[x > 1], np.float32(2.5), None, "text", [1, "a"])
    print(f"{n:5d}|{x[1]:8.3f}|{x!r}|{n=}", str(n) + "!", repr(x[1]))
    print("%d and %.3f%%, %s" % (n, x[0], x), "{:>6}|{a}".format(n, a=x[1]))  # noqa: UP031, UP032
    print(", ".join([str(i) for i in (n, n + 1)]), format(x[1], ".1e"), flush=True)
    return n


class Point:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Point({self.x})"


def instances(x, n):
    point = Point(n)
    print(point, f"{point!r:>12}", repr(point))


class Named(Point):
    def __str__(self):
        return f"named {self.x}"


@dataclasses.dataclass
class Pair:
    left: float
    right: object = None
    hidden: int = dataclasses.field(default=3, repr=False)


def instances_inside(x, n):
    print([Point(n)], (Named(x[1]), "a"), {"k": Named(n)}, Named(n), Pair(n, Pair(x[1])))
    print(f"{[Pair(n, 'a')]} {Pair(x[0])!r}", repr(Pair(Point(n))))
    try:
        if n > 0:
            raise ValueError(f"at {n}")
    except ValueError as error:
        print([error], error)


def nothing_but(x, n):
    print(n)


def mutated(x, n):
    print(x)
    x[0] = n
    print(x)
    x[:] = 0
    return x


@pytest.mark.parametrize(
    "function", [loops, early, called, kinds, instances, instances_inside, nothing_but, mutated]
)
@pytest.mark.parametrize("n", [4, 1])
def test_prints_as_python_does(function, n, capsys):
    result = function(ROW.copy(), n)
    expected = capsys.readouterr().out
    actual = pyxla.compile(function)(ROW.copy(), n)
    assert capsys.readouterr().out == expected
    np.testing.assert_equal(actual, result)


def test_prints_at_every_call(capsys):
    compiled = pyxla.compile(early)
    for n in (0, 1, 0):
        compiled(ROW, n)
    assert capsys.readouterr().out.split() == ["0", "0", "1", "0"]


def test_prints_before_it_raises(capsys):
    @pyxla.compile
    def raises(x, n):
        print("before", n)
        if n > 2:
            raise ValueError("bad %d " % n + f"{x[1]:.1f}")  # noqa: UP031
        print("after")

    with pytest.raises(ValueError, match="bad 3 1.5"):
        raises(ROW, 3)
    raises(ROW, 1)
    assert capsys.readouterr().out == "before 3\nbefore 1\nafter\n"


def sums(x, at):
    total = 0.0
    for i in at:
        print("at", i, total)
        x[0] += 1
        total += x[i]
    print("sum", total)
    return total


def sweeps(x, at):
    n = len(at)
    for k in range(n):
        print("sweep", k)
        for i in range(k, k + 2):
            if x[i] > 1.8:
                break
            x[i] += 0.5
    try:
        x[n + 5] = 1
    except IndexError as error:
        print("caught", error)
    print(1 // (n - 2))


def twice_out_of_order(x, at):
    for k in at:
        print("a", k)
        v = x[k]
        print("b", v)
        print("c", int(1 / float(v)))


@pytest.mark.parametrize("function", [sums, sweeps, twice_out_of_order])
@pytest.mark.parametrize("at", [[1, 2], [1, 2, 1], [1, 7, 2], [9], [2, 0, 1]])
def test_prints_once_before_what_is_out_of_order(function, at, capsys):
    """Also where a second run tells what that was, and where it finds that nothing was."""

    def outcome(called):
        x = ROW.copy()
        try:
            return called(x, at), x, capsys.readouterr().out
        except Exception as error:  # noqa: BLE001 - whatever it is
            return repr(error), x, capsys.readouterr().out

    expected, compiled = outcome(function), pyxla.compile(function)
    for _ in range(2):
        np.testing.assert_equal(outcome(compiled), expected)


def test_checks_of_what_prints_are_noted():
    """Not raised in place: a loop that prints would be nested once for each."""
    typed = pyxla.code_typed(sums, ROW, np.array([1, 2]))
    assert "flag" in str(typed)


def test_streams_of_sys(capsys):
    @pyxla.compile
    def told(x):
        print("first", x, file=sys.stderr)
        print("second", x, file=sys.stdout)

    told(1.5)
    assert capsys.readouterr() == ("second 1.5\n", "first 1.5\n")
    with contextlib.redirect_stderr(io.StringIO()) as found:
        told(2.5)
    assert found.getvalue() == "first 2.5\n"


def test_files_are_refused():
    with pytest.raises(
        pyxla.CompileError, match="for sys.stdout, sys.stderr and files that are open"
    ):
        pyxla.compile(lambda x, file: print(x, file=file))(1, "out")


def test_text_is_returned():
    def text(n):
        return "n = " + str(n) + "{}".format(n > 2)  # noqa: UP032

    assert pyxla.compile(text)(3) == text(3)
