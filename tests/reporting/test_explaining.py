"""Why a function is compiled, how long its stages take, and the logs."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import numpy as np
import pytest

import pyxla
from pyxla import journal
from pyxla.errors import CompileError

SCALE = np.full(3, 2.0)


def zeros(n, x=0.0):
    return np.zeros(n) + x


def in_dict(d):
    return d["w"][0] * d["n"]


def scaled(x):
    return SCALE[0] * x


def written(x, n):
    out = []
    for k in (1, 2.0, np.ones(3)):
        x = x * k
    for i in range(n):
        out.append(i)
    if x[0] > 5:
        raise ValueError("large")
    return out


def whys(function):
    return [record.why for record in pyxla.explain(function).records]


def test_what_differs_from_what_was_compiled_before():
    f = pyxla.compile(zeros)
    f(2, 1.0)
    f(3, 1.0)
    f(3, 1)
    f(3, x=1)
    f(3)
    first, second, third, fourth, fifth = whys(f)
    assert first == "it was not compiled yet"
    assert second == "n is static[3], there static[2] (nearest: specialization 1)"
    assert third == "x is int, there float (nearest: specialization 2)"
    assert fourth == "x is given by name, there by position (nearest: specialization 3)"
    assert fifth == "x is not given, there it is (nearest: specialization 2)"


def test_differences_inside_containers():
    f = pyxla.compile(in_dict)
    f({"w": [np.ones(2)], "n": 1})
    f({"w": [np.ones(4)], "n": 1})
    assert whys(f)[1].startswith("d['w'][0] is f64[4], there f64[2]")


def test_captured_objects_have_their_names(monkeypatch):
    f = pyxla.compile(scaled)
    f(1.0)
    monkeypatch.setitem(globals(), "SCALE", np.full(4, 2.0))
    f(1.0)
    assert whys(f)[1].startswith("SCALE is f64[4], there f64[3]")
    assert "captured   SCALE" in str(pyxla.explain(f))


def test_rebound_constants_and_shared_memory(monkeypatch):
    f = pyxla.compile(shift)
    x = np.zeros(4)
    f(x, np.ones(4))
    f(x, x)
    monkeypatch.setitem(globals(), "BY", 2.0)
    f(np.ones(4), np.ones(4))
    assert "share memory" in whys(f)[0] or "share memory" in whys(f)[1]
    assert any("bound anew" in why for why in whys(f))


BY = 1.0


def shift(x, y):
    x[:] = y + BY


def test_stages_and_decisions_are_told():
    f = pyxla.compile(written)
    f(np.ones(3), 4)
    (record,) = pyxla.explain(f).records
    assert {"typed", "regions", "executable", "stablehlo", "xla"} <= record.stages.keys()
    assert all(seconds >= 0 for seconds in record.stages.values())
    text = str(pyxla.explain(f))
    first = written.__code__.co_firstlineno
    for kind, line in (("unrolled", 2), ("capacity", 5), ("checked", 7)):
        (shown,) = [s for s in text.splitlines() if s.strip().startswith(kind)]
        assert f"test_explaining.py:{first + line}:" in shown
    assert "written is compiled 1 time" in text
    assert pyxla.explain(f)._repr_html_().startswith("<pre>written")


def positive(x):
    if x < 0:
        return eval("x")
    return x * 2


def test_what_is_left_out_is_told():
    f = pyxla.compile(positive)
    with pytest.warns(pyxla.NotCompiledWarning):
        f(2.0)
    text = str(pyxla.explain(f))
    assert "left_out" in text and "is refused where the program comes here: eval" in text
    assert "RefusedPath" not in text


def test_only_compiled_functions_are_explained():
    with pytest.raises(CompileError, match="explain takes a compiled function"):
        pyxla.explain(zeros)


def test_the_logs(caplog):
    with caplog.at_level(logging.INFO, "pyxla"):
        pyxla.compile(zeros)(2, 1.0)
    told = {(r.name, r.getMessage().split(" ")[0]) for r in caplog.records}
    assert ("pyxla.compile", "zeros:") in told
    assert ("pyxla.specialize", "zeros(static[2],") in told
    assert any(r.name == "pyxla.passes" and "operations" in r.getMessage() for r in caplog.records)


def test_nothing_is_logged_unasked(capfd):
    pyxla.compile(zeros)(2, 1.0)
    assert capfd.readouterr().err == ""


def test_logs_by_the_environment():
    code = "import pyxla; pyxla.compile(lambda x: x + 1)(1.0)"
    env = {**os.environ, "PYXLA_LOG": "compile,frobnicate"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert "pyxla.compile: <lambda>: typed" in done.stderr
    assert "pyxla.specialize" not in done.stderr
    assert "PYXLA_LOG names 'frobnicate'; there are compile, specialize, passes" in done.stderr


def test_stages_count_their_own_time():
    with journal.writing(record := journal.Record("f")):
        with journal.stage("outer"), journal.stage("inner"):
            pass
    assert list(record.stages) == ["outer", "inner"]
    assert record.seconds == sum(record.stages.values())
    assert journal.current() is None
