"""What a beginner gets wrong is told in a way that helps: names, remedies, no frames of ours."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import pyxla
from pyxla.cli import main

OWN = str(Path(pyxla.__file__).parent)


def two(a: Any, b: Any = 1) -> Any:
    return a + b


@dataclass
class Point:
    north: float
    east: float = 0.0


SPELLED: dict[str, tuple[Callable[..., Any], str]] = {
    "the library's": (lambda x: np.sum(x, axsi=0), "'axis'"),
    "a maker's of arrays": (lambda x: np.zeros(3, dtpye=int) + x, "'dtype'"),
    "one's own": (lambda x: two(x, bb=1), "'b'"),
    "a class's": (lambda x: Point(x[0], eats=1.0), "'east'"),
    "a list's method": (lambda x: x.append(1), "is of list"),
}


@pytest.mark.parametrize("case", SPELLED)
def test_misspelt_keywords(case: str) -> None:
    function, meant = SPELLED[case]
    with pytest.raises(pyxla.CompileError) as caught:
        pyxla.compile(function)(np.ones(3))
    assert meant in caught.value.hint


def test_an_unknown_keyword_comes_before_a_missing_argument() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        pyxla.compile(lambda x: two(c=x))(1.0)


def test_functions_have_their_public_names() -> None:
    with pytest.raises(pyxla.CompileError, match=r"hashlib\.md5 is not"):
        pyxla.compile(lambda: hashlib.md5(b"a"))()
    with pytest.raises(pyxla.CompileError, match=r"^\S+ os\.path\.exists of .*: os\.stat is not"):
        pyxla.compile(lambda x: os.path.exists("a"))(1.0)


def test_misspelt_options() -> None:
    with pytest.raises(pyxla.CompileError, match="did you mean 'strict'"):
        pyxla.compile(two, strct=True)
    with pytest.raises(pyxla.CompileError, match="strict=True is what"):
        pyxla.compile(two, fastmath=True)
    with pytest.raises(pyxla.CompileError, match="what must be known is found out"):
        pyxla.compile(two, static_argnums=1)
    with pytest.raises(pyxla.CompileError, match="must be 1 at least\n.*leave it out"):
        pyxla.compile(two, cache_size=-1)
    with pytest.raises(pyxla.CompileError, match="mesh, in_shardings"):
        pyxla.compile(two, dtype="f32")


def test_what_transformations_want() -> None:
    asked: list[tuple[Callable[[], Any], str]] = [
        (lambda: pyxla.grad(two, has_aux=True)(1.0, 2.0), "leave has_aux out"),
        (lambda: pyxla.jvp(two, (1.0, 2.0), (1.0,)), "one for each argument"),
        (lambda: pyxla.vmap(two, out_axes=3)(np.ones(2), np.ones(2)), "ints or None"),
        (lambda: pyxla.compile("float64(float64)"), "f.specialize"),
        (lambda: pyxla.compile(lambda x: jax.debug.print("{}", x))(1.0), "print()"),
    ]
    for ask, remedy in asked:
        with pytest.raises(pyxla.CompileError) as caught:
            ask()
        assert remedy in caught.value.hint


def test_what_is_measured_is_given_values() -> None:
    for given in (pyxla.f64[3], float):
        with pytest.raises(pyxla.CompileError, match="types are not enough"):
            pyxla.profile(two, given, given)


def test_placing_takes_what_jax_has() -> None:
    for options in ({"mesh": "data=2"}, {"in_shardings": "data"}, {"out_shardings": ("data",)}):
        with pytest.raises(pyxla.CompileError, match="of JAX's, not") as caught:
            pyxla.compile(two, **options)
        assert "jax." in caught.value.hint


def deleting(x: Any) -> Any:
    del x[0]
    return x


REMEDIES: list[tuple[Callable[..., Any], str]] = [
    (lambda x: np.zeros(len(x) / 2), "n // 2"),
    (lambda x: np.zeros(2, 3), "one tuple"),  # type: ignore[call-overload]
    (lambda x: x[len(x) / 2], "n // 2"),
    (lambda x: x.mean + 1, "x.mean()"),
    (lambda x: x.shape(), "without ()"),
    (lambda x: x.dot(x).sqrt(), "np.sqrt(x)"),  # type: ignore[attr-defined]
    (lambda x: x.tolist().mean(), "np.mean(x)"),
    (lambda x: {"a": x}.a, "['a']"),  # type: ignore[attr-defined]
    (deleting, "np.delete(x, i)"),
    (lambda x: x.astype("flaot64"), "did you mean 'float64'?"),
    (lambda x: np.sum(x, dim=0), "axis, dtype"),  # type: ignore[call-overload]
    (lambda x: keyed(x, tolerance=1), "the parameters are x, tol"),  # type: ignore[call-arg]
    (lambda x: keyed(x, 1, 2), "the parameters are x, tol"),  # type: ignore[call-arg]
    (lambda x: sorted(x, cmp=1), "the parameters are x, key, reverse"),  # type: ignore[call-overload]
    (lambda x: np.vstack(x, x), "the parameters are tup"),  # type: ignore[call-overload]
    (lambda x: np.where(x > 0, x), "np.where(c, x, y)"),  # type: ignore[call-overload]
    (lambda x: "n = " + float(x[0]), "str(n)"),  # type: ignore[operator]
    (lambda x: [0.0] * (len(x) / 2), "n // 2"),  # type: ignore[operator]
    (lambda x: Point(x[0]).height, "it has east and north"),  # type: ignore[attr-defined]
    (lambda x: max({"a": 1}.items), "call it"),  # type: ignore[call-overload]
    (lambda x: "largest: " + x.max(), "str(n)"),
    (lambda x: hiding(x), "another name"),
    (lambda x: open("a", "w").write(str(x)), "return what is to be written"),
    (lambda x: datetime.datetime.strptime("2020", "%Y").year, "pass their numbers"),
    (lambda x: datetime.timedelta(days=len(x)).days, "pass their numbers"),
    (lambda x: decimal.Decimal("1.1") + 1, "use floats"),
    (lambda x: hashlib.sha256(b"a").hexdigest(), "digest them outside"),
    (lambda x: np.sqtr(x), "'sqrt'"),  # type: ignore[attr-defined]
    (lambda x: x + None, "is not None"),
    (lambda x: np.zeros(x[0]), "as an int: int(x)"),
    (lambda x: x[0 : len(x) / 2], "n // 2"),  # type: ignore[misc]
    (lambda x: np.percentile(x, 101), "CPython raises ValueError here, too"),
    (lambda x: x + time.perf_counter(), "pyxla.profile"),
    (lambda x: os.listdir("."), "ask outside"),
]


def hiding(x: Any) -> Any:
    sum = 0.0
    for v in x:
        sum += v
    return sum(x)  # type: ignore[operator]


def keyed(x: Any, tol: float = 1.0) -> Any:
    return x * tol


@pytest.mark.parametrize("number", range(len(REMEDIES)))
def test_what_to_write_instead(number: int) -> None:
    function, remedy = REMEDIES[number]
    with pytest.raises(pyxla.CompileError) as caught:
        pyxla.compile(function)(np.ones(4))
    assert remedy in caught.value.hint


@pytest.mark.parametrize(
    ("array", "remedy"),
    [
        (np.array([1, None], object), "x.tolist()"),
        (np.array(["a", "b"]), "x.tolist()"),
        (np.array(["2020-01-01"], "M8[D]"), "x.view(np.int64)"),
        (np.ones(2, np.longdouble), "x.astype(np.float64)"),
    ],
)
def test_what_to_pass_instead(array: Any, remedy: str) -> None:
    with pytest.raises(pyxla.CompileError) as caught:
        pyxla.compile(lambda x: x)(array)
    assert remedy in caught.value.hint


def test_transformations_name_arguments() -> None:
    with pytest.raises(pyxla.CompileError, match="'b' is not floating point"):
        pyxla.grad(two, argnums=1)(1.0, 2)
    with pytest.raises(pyxla.CompileError, match="map 'b' along axis 0"):
        pyxla.vmap(two)(np.ones(3), 2.0)
    with pytest.raises(pyxla.CompileError, match="arguments count from 0"):
        pyxla.grad(two, argnums=2)(1.0, 2.0)
    with pytest.raises(pyxla.CompileError, match="did you mean 'b'"):
        pyxla.grad(two, argnums="bb")(1.0, 2.0)


LISTS: list[tuple[Any, Any]] = [([1], (2,)), ((1,), [2]), ([1], range(2)), ((1,), "a")]


@pytest.mark.parametrize("given", LISTS)
def test_lists_and_tuples_are_not_joined(given: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError):
        two(*given)
    with pytest.raises(TypeError):
        pyxla.compile(two)(*given)


def test_named_tuples_are_joined() -> None:
    given = (sys.version_info[:2], (3,))
    assert pyxla.compile(two)(*given) == two(*given)


def refused(x: Any) -> Any:
    return x.nothing


def test_no_frames_of_the_compiler() -> None:
    calls: list[Callable[[], Any]] = [
        lambda: pyxla.compile(refused, verify=False)(1.0),
        lambda: pyxla.compile(refused).specialize(float),
        lambda: pyxla.compile(refused).lower(float),
        lambda: pyxla.compile(refused).memory(float),
        lambda: pyxla.code_typed(refused, float),
        lambda: pyxla.code_hlo(refused, float),
        lambda: pyxla.report(refused, 1.0),
        lambda: pyxla.profile(refused, 1.0),
        lambda: pyxla.build(refused, float, path="nothing"),
        lambda: pyxla.explain(refused),
        lambda: pyxla.compile(3),  # type: ignore[call-overload]
    ]
    for call in calls:
        with pytest.raises(pyxla.CompileError) as caught:
            call()
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert not [frame for frame in frames if frame.filename.startswith(OWN)]


def test_a_listing_shows_as_it_prints() -> None:
    listing = pyxla.code_typed(two, float, float)
    assert repr(listing) == str(listing)


def test_what_is_compiled_already_is_not_compiled_again() -> None:
    compiled = pyxla.compile(two)
    compiled(1.0, 2.0)
    compiled.specialize(float, float)
    assert [record.why for record in pyxla.explain(compiled).records] == ["it was not compiled yet"]


def test_a_run_with_a_check_in_place_says_so() -> None:
    def item(x: Any, i: Any) -> Any:
        return x[i]

    compiled = pyxla.compile(item)
    with pytest.raises(IndexError):
        compiled(np.ones(3), 5)
    assert "runs once more" in pyxla.explain(compiled).records[-1].why


# --- the command line -------------------------------------------------------------------------

MODEL = """
from dataclasses import dataclass

@dataclass
class Dense:
    w: object
    b: object

def dense(layer, x, scale=1.0, mode="a"):
    return layer.w @ x * scale if mode == "a" else x
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "suggested.py"
    path.write_text(MODEL)
    return str(path)


def test_types_of_classes_and_by_name(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    layer, x = "Dense(w=f64[2,3], b=f64[2])", "f64[3]"
    assert main(["typed", f"{model}:dense", layer, x]) == 0
    assert "dot_general" in capsys.readouterr().out
    assert main(["typed", f"{model}:dense", layer, x, "mode='b'", "scale=f64"]) == 0
    assert "dot_general" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["typed", "{}:dnse", "float"], "did you mean 'dense'?"),
        (["typed", "{}:dense", "float32[3]"], "write f32 for float32"),
        (["typed", "{}:dense", "5"], "static[5]"),
        (["typed", "{}:dense", "str"], "static['mean']"),
        (["ops", "dot_generl"], "did you mean 'dot_general'?"),
    ],
)
def test_commands_suggest(
    model: str, words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(model) for word in words]) == 2
    assert hint in capsys.readouterr().err


def test_an_uncaught_refusal_prints_the_users_frames_alone(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import pyxla\npyxla.compile(lambda x: x.nothing).specialize(float)\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.stderr.count("  File ") == 1
