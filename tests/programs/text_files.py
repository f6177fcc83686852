"""`io.StringIO`, and `print` to what has a `write`."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

from tests.programs import program


@program("strings", lambda: (3,), lambda: (0,))
def written_in_loops(n):
    out = io.StringIO()
    for i in range(n):
        out.write(f"{i},")
        print(i, i + 1, file=out, sep="-")
    while n > 0:
        out.write("odd " if n % 2 else "even ")
        n //= 2
    return out.getvalue(), out.tell()


@program("strings", lambda: ("1 2\n3 4\nend",), lambda: ("",))
def read_and_written(text):
    file = io.StringIO(text)
    found = file.readline(), file.read(2), file.read(), file.read(), file.readline()
    file.seek(0)
    lines = [line.strip() for line in file]
    file.seek(0, 2)
    file.write("!")
    file.seek(1)
    file.writelines(["Z", "Z"])
    return found, lines, file.getvalue(), file.truncate(2), file.getvalue()


class Log:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, text: str) -> None:
        self.parts.append(text)


def render(n: Any, out: Any) -> None:
    for i in range(n):
        print("*" * i, file=out)


@program("strings", lambda: (3,))
def printed_to_instances(n):
    log = Log()
    print("a", n, file=log)
    print(file=log, end="")
    out = io.StringIO()
    render(n, out)
    with io.StringIO() as other:
        other.write("q")
        said = other.getvalue()
    return log.parts, out.getvalue(), said


@program("strings", lambda: (3,), lambda: (0,))
def output_that_is_kept(n):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for i in range(n):
            print(i)
        sys.stdout.write("x")
    print("after", n)
    return out.getvalue()


@program("strings", lambda: (3,))
def errors_that_are_kept(n):
    errors, kept = io.StringIO(), sys.stderr
    sys.stderr = errors
    print("e", n, file=sys.stderr)
    sys.stderr = kept
    return errors.getvalue()
