"""Input that no one should give: refused in words, at the right line, and soon."""

from __future__ import annotations

import io
import random
import re
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import pyxla
from pyxla.cli import main
from pyxla.errors import CompileError, InternalError

# --- source -----------------------------------------------------------------------------------


def made(folder: Path, text: str, name: str = "f") -> Any:
    """The function of that name in a file with this text."""
    path = folder / f"made_{abs(hash(text))}.py"
    path.write_text(text)
    namespace: dict[str, Any] = {"__name__": path.stem, "np": np}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace[name]


def refused(call: Any) -> CompileError:
    with pytest.raises(CompileError) as caught:
        call()
    assert not isinstance(caught.value, InternalError), str(caught.value)
    assert caught.value.hint
    return caught.value


def test_ten_thousand_lines(tmp_path: Path) -> None:
    body = "    y = y * 0.5 + x\n" * 10_000
    bad = made(tmp_path, f"def f(x):\n    y = x\n{body}    return y + np.ones(7)\n")
    error = refused(lambda: pyxla.compile(bad, verify=False).specialize(pyxla.f64[3]))
    assert error.lineno == 10_003


DEEP = {
    "parentheses": "(" * 90 + "x" + " + 1)" * 90,
    "signs": "-" * 900 + "x",
    "slices": "x" + "[:]" * 900,
    "sum": " + ".join(["x"] * 300),
    "conditions": "".join([f"x if x[0] > {i} else " for i in range(400)]) + "x",
    "and": " and ".join(["x[0] > 0"] * 1000),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_expressions(name: str, tmp_path: Path) -> None:
    """Compiled as CPython runs them, or refused as too deep."""
    f = made(tmp_path, f"def f(x):\n    return {DEEP[name]}\n")
    x = np.ones(2)
    try:
        np.testing.assert_array_equal(pyxla.compile(f)(x), f(x))
    except CompileError as error:
        assert "too deep" in error.message and error.lineno in (1, 2)


HUGE = {
    "list": "[x] * 10**18",
    "extents": "np.zeros(2**62)",
    "too large for an int": "np.zeros(10**30)",
    "broadcast": "np.broadcast_to(x[0], (2**40, 2**40))",
    "repeated": "np.repeat(x, 10**18)",
    "tiles": "np.tile(x, 10**18)",
    "outer": "np.outer(np.zeros(10**10), np.zeros(10**10))",
    "range of floats": "np.arange(0, 1e300, 1e-300)",
    "negative": "np.zeros((3, -1))",
    "reshaped": "x.reshape(10**30, 3)",
    "not a number": "np.zeros(float('nan'))",
}


@pytest.mark.parametrize("name", HUGE)
def test_absurd_sizes(name: str, tmp_path: Path) -> None:
    f = made(tmp_path, f"def f(x):\n    y = x + 1\n    return {HUGE[name]}\n")
    assert refused(lambda: pyxla.compile(f)(np.ones(3))).lineno == 3


def test_mutated_source(tmp_path: Path) -> None:
    """Programs with words exchanged or lines lost are compiled or refused in their own lines."""
    rng = random.Random(0)
    source = textwrap.dedent(MUTANT)
    words = source.split(" ")
    for _ in range(40):
        changed = list(words)
        i, j = rng.randrange(1, len(words)), rng.randrange(1, len(words))
        changed[i] = rng.choice((words[j], "None", "0", "x", "y", "(x, y)", "'a'"))
        lines = " ".join(changed).splitlines(keepends=True)
        if rng.random() < 0.3:
            del lines[rng.randrange(1, len(lines))]
        text = "".join(lines)
        try:
            f = made(tmp_path, text)
        except SyntaxError:
            continue
        try:
            pyxla.compile(f).specialize(pyxla.f64[4], int)
        except CompileError as error:
            assert not isinstance(error, InternalError), f"{text}\n{error}"
            assert error.lineno is None or 1 <= error.lineno <= len(lines)


MUTANT = """\
    def f(x, n):
        y = np.zeros( 4 )
        total = 0.0
        for i in range( n ):
            if x[ i ] > total :
                y[ i ] = x[ i ] * 2.0
                total += y[ i ]
            else:
                y[ 1: ] -= x[ :3 ] / ( i + 1 )
        while total > 1.0 :
            total = total / 2
            y = y @ np.eye( 4 )
        return y , total , { 'a' : x [ ::2 ] , 'b' : [ i for i in ( 1 , 2 ) ] }
"""


# --- arguments --------------------------------------------------------------------------------


class Secretive:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class Unhashable:
    __slots__ = ()

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class Hidden:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no fields")


def nested(depth: int, kind: Any = list) -> Any:
    value: Any = 1.0
    for _ in range(depth):
        value = {"a": value} if kind is dict else kind((value,))
    return value


def identity(x: Any) -> Any:
    return x


def constant(x: Any) -> float:
    return 1.0


ODD = {
    "refuses attributes": Secretive(),
    "refuses a hash": Unhashable(),
    "refuses its fields": Hidden(),
    "generic duration": np.timedelta64(1),
    "file": io.StringIO("x"),
    "compiled pattern": re.compile("a"),
    "subclass": np.zeros((1, 1)).view(np.recarray),
    "namespace": SimpleNamespace(shape=3, dtype="f8"),
    "buffer": memoryview(b"abc"),
    "struct": jax.ShapeDtypeStruct((3,), np.float64),
    "bytes": bytearray(b"abc"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_arguments(name: str) -> None:
    try:
        assert pyxla.compile(constant)(ODD[name]) == 1.0
    except CompileError as error:
        assert not isinstance(error, InternalError) and error.hint


@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_deep_arguments(kind: Any) -> None:
    assert pyxla.compile(identity)(nested(60, kind)) == nested(60, kind)
    for call in (pyxla.compile(identity), pyxla.compile(identity).specialize):
        with pytest.raises(CompileError, match="x is nested too deeply"):
            call(nested(3000, kind))
        for depth in (420, 480):  # near the limit, later parts of the compiler are at theirs
            try:
                call(nested(depth, kind))
            except CompileError as error:
                assert "nested too deeply" in error.message


# --- the command ------------------------------------------------------------------------------

TYPES = (
    *(
        "",
        "f64[",
        "f64[-1]",
        "f64[1.5]",
        "f64[True]",
        "f64[x + 1]",
        "f64[3][3]",
        "f64[1:2]",
        "f64 f64",
    ),
    *("{[1]: f64}", "{**f64}", "static", "static[f]", "static[{[1]: 2}]", "lambda: 1", "yield"),
    *("int[3]", "f64.x", "x := 3", "\0", "\ud800", "f64[" + "9" * 5000 + "]", "-" * 100_000),
    *("(" * 300 + "f64" + ")" * 300, "[" * 3000 + "]" * 3000, "static[" + "-" * 5000 + "1]"),
)
VALUES = (
    *("array()", "array([1, [2]])", "array([300], u8)", "array([-1], u8)", "array([1j], f64)"),
    *("array(['a'], f64)", "array([1], f99)", "array([1], f32[3])", "array(array(1))", "nan"),
    *("{[1]: 2}", "f(1)", "\0", "\ud800", "9" * 5000, "-" * 50_000 + "1", "[" * 3000 + "]" * 3000),
)
PLACES = (
    *(":", ":::", "f.py:", "{}:", "{}:.", "{}:f.", "{}:np", "..:f", ".py:f", "\0.py:f", "\0:f"),
    *("x" * 5000 + ".py:f", "a b:f", "/:f"),
)
MODULES = {
    "syntax.py": b"def f(x:\n  return",
    "null.py": b"def f(x):\n  return x\0\n",
    "binary.py": bytes(range(256)),
    "exits.py": b"import sys\nsys.exit(3)\n",
    "empty.py": b"",
    "raises.py": b"1 / 0",
}
FILES = {
    "empty.npy": b"",
    "garbled.npy": b"\x93NUMPY\x01\x00garbage",
    "text.npy": b"1 2 3",
    "short.npy": b"\x93NUM",
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "bad_input_program.py"
    path.write_text("import numpy as np\n\n\ndef f(x):\n    return x * 2\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield str(path)
    for name in [path.stem, *[Path(module).stem for module in MODULES]]:
        sys.modules.pop(name, None)


def usage(capsys: Any, *words: str) -> None:
    assert main(words) == 2, words
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("pyxla: ")
    assert len(captured.err) < 200_000 and "Traceback" not in captured.err


def test_types_that_are_none(program: str, capsys: Any) -> None:
    for text in TYPES:
        usage(capsys, "typed", f"{program}:f", "--", text)


def test_values_that_are_none(program: str, capsys: Any) -> None:
    for text in VALUES:
        usage(capsys, "run", f"{program}:f", "--", text)


def test_places_that_are_none(program: str, capsys: Any) -> None:
    for place in PLACES:
        usage(capsys, "typed", place.replace("{}", program))


def test_files_that_cannot_be_read(program: str, tmp_path: Path, capsys: Any) -> None:
    for name, content in (MODULES | FILES).items():
        (tmp_path / name).write_bytes(content)
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "folder.py").mkdir()
    with open(tmp_path / "several.npy", "wb") as file:
        np.savez(file, a=1)
    for name in (*FILES, "objects.npy", "folder.npy", "several.npy"):
        usage(capsys, "run", f"{program}:f", str(tmp_path / name))
    for name in (*MODULES, "folder.py"):
        usage(capsys, "typed", f"{tmp_path / name}:f")
    for out in ("\0", str(tmp_path), "/dev/full", "x" * 5000):
        usage(capsys, "build", f"{program}:f", "f64[3]", "-o", out)
