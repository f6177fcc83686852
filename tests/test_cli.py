"""The command line: its output, and exit codes 0, 1 and 2 without tracebacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pyxla
from pyxla.cli import main

SOURCE = """\
import numpy as np

SCALE = np.full(3, 2.0)

def dense(w, x, b):
    return np.maximum(w @ x + b, 0)

def zeros(n):
    return np.zeros(n)

def scaled(x):
    return SCALE * x

def asked(x):
    y = 1 / x
    z = float(input())
    y += z
    return y

def checked(x):
    if x > 1:
        raise ValueError(f"too large: {x}")
    return x

def doubled(x, options):
    x *= 2
    options["calls"] += 1

class Model:
    @staticmethod
    def double(x):
        return 2 * x
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "cli_program.py"
    path.write_text(SOURCE)
    yield str(path)
    sys.modules.pop("cli_program", None)


STAGES = [
    (("lowered", "dense"), "def dense(w, x, b):"),
    (("ssa", "dense"), "global np"),
    (("typed", "dense", "f32[2,3]", "f32[3]", "f32[2]"), "maximum"),
    (("stablehlo", "dense", "f32[2,3]", "f32[3]", "f32[2]"), "stablehlo.dot_general"),
    (("hlo", "dense", "f32[2,3]", "f32[3]", "f32[2]"), "f32[2]{0} maximum("),
    (("hlo", "--optimized", "dense", "f32[2,3]", "f32[3]", "f32[2]"), "HloModule"),
    (("dot", "zeros", "static[3]"), "digraph"),
    (("typed", "Model.double", "float"), "multiply"),
]


@pytest.mark.parametrize(("words", "expected"), STAGES, ids=lambda w: w[0])
def test_stages(words, expected, program, capsys):
    words = [f"{program}:{word}" if word in _FUNCTIONS else word for word in words]
    assert main(words) == 0
    assert expected in capsys.readouterr().out


_FUNCTIONS = ("dense", "zeros", "scaled", "asked", "checked", "Model.double")


def test_build_and_run(program, tmp_path, capsys):
    out, x = str(tmp_path / "out.pyxla"), str(tmp_path / "x.npy")
    np.save(x, np.arange(3.0))
    assert main(["build", f"{program}:scaled", "f64[3]", "-o", out]) == 0
    assert main(["run", out, x]) == 0
    assert capsys.readouterr().out == "array([0., 2., 4.])\n"


def test_programs_on_disk(program, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PYXLA_CACHE", "1")
    monkeypatch.setenv("PYXLA_CACHE_DIR", str(tmp_path / "kept"))
    assert main(["run", f"{program}:checked", "0.5"]) == 0
    assert main(["cache", "list"]) == 0
    printed, first, total = capsys.readouterr().out.splitlines()
    assert printed == "0.5" and "checked" in first and total.startswith("1 programs, ")
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "1 programs removed\n"
    monkeypatch.setenv("PYXLA_CACHE", "0")
    assert main(["cache", "list"]) == 0
    assert "off" in capsys.readouterr().out


def test_run_a_function(program, capsys):
    assert main(["run", f"{program}:checked", "0.5"]) == 0
    assert capsys.readouterr().out == "0.5\n"


def test_arrays_in_words_and_what_was_written(program, capsys):
    assert main(["run", f"{program}:doubled", "array([[1, 2]], f32)", "{'calls': 1}"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "None",
        "argument 0 is now array([[2., 4.]], dtype=float32)",
        "argument 1 is now {'calls': 2}",
    ]
    assert main(["run", f"{program}:dense", "array([[1, 0.5]])", "array([2, 4])", "0.5"]) == 0
    assert capsys.readouterr().out == "array([4.5])\n"


def test_version(capsys):
    with pytest.raises(SystemExit) as exit:
        main(["--version"])
    assert exit.value.code == 0
    assert capsys.readouterr().out.startswith(f"pyxla {pyxla.__version__} (jax ")


def test_ops(capsys):
    assert main(["ops"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 80
    assert "add(x, y)" in lines


ERRORS = [
    (1, ("typed", "{}:asked", "float"), "input is not compiled: nobody is asked"),
    (1, ("typed", "{}:zeros", "int"), "'n' must be known"),
    (1, ("typed", "{}:zeros"), "missing"),
    (1, ("run", "{}:checked", "2.0"), "ValueError: too large: 2.0"),
    (1, ("run", "{}:checked", "2.0"), "cli_program.py:22:9: error: ValueError"),
    (2, ("typed", "{}:nothing"), "no function 'nothing'"),
    (2, ("typed", "{}:zeors"), "did you mean 'zeros'?"),
    (2, ("typed", "{}:nq"), "has no function 'nq'\n"),
    (2, ("typed", "{}:SCALE"), "is not a function"),
    (2, ("typed", "{}"), "names no function"),
    (2, ("typed", "no_such_file.py:f"), "no file no_such_file.py"),
    (2, ("typed", "no_such_module:f"), "cannot import no_such_module"),
    (2, ("typed", "{}:zeros", "f99"), "'f99' is not a type"),
    (2, ("run", "{}:zeros", "missing.npy"), "cannot read missing.npy"),
    (2, ("run", "{}:zeros", "__import__('os')"), "neither a .npy file nor a Python literal"),
    (2, ("run", "no_such_artifact", "1"), "no file no_such_artifact"),
    (1, ("run", "{}", "1"), "not a pyxla artifact"),
    (2, ("build", "{}:scaled", "f64[3]", "-o", "/no/such/folder/x"), "cannot write"),
    (2, ("ops", "no_such_op"), "no op 'no_such_op'"),
]


@pytest.mark.parametrize(("code", "words", "message"), ERRORS, ids=lambda e: str(e))
def test_errors(code, words, message, program, capsys):
    assert main([word.replace("{}", program) for word in words]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [("x = 1\ndef f(x:\n", "def f(x:\n         ^\n"), ("a = 1 + (1 // 0)\n", "         ^^^^^^\n")],
)
def test_modules_that_do_not_load_show_the_line(text, line, tmp_path, capsys):
    (tmp_path / "cli_broken.py").write_text(text)
    assert main(["typed", f"{tmp_path}/cli_broken.py:f"]) == 2
    assert capsys.readouterr().err.endswith(line)
    sys.modules.pop("cli_broken", None)


def test_files_are_named_as_where_the_command_is_run(tmp_path, capsys, monkeypatch):
    (tmp_path / "cli_refused.py").write_text("def f(x):\n    return eval('x')\n")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "cli_refused.py:f", "float"]) == 1
    assert capsys.readouterr().err.startswith("cli_refused.py:2:12: error: eval is not compiled")
    sys.modules.pop("cli_refused", None)


@pytest.mark.parametrize("words", [[], ["frobnicate"], ["build", "f.py:f"]])
def test_bad_commands(words, capsys):
    with pytest.raises(SystemExit) as exit:
        main(words)
    assert exit.value.code == 2
    assert "usage: pyxla" in capsys.readouterr().err


def test_functions_of_the_command_line_have_a_source():
    text = "import pyxla\nprint(pyxla.compile(lambda x: x * 3)(4))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == "12\n"


def test_as_a_module(program):
    command = [sys.executable, "-m", "pyxla", "typed", f"{program}:asked", "float"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cli_program.py:16:15" in done.stderr
