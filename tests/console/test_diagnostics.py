"""Errors for people, editors and machines; progress; doctor; completion."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pyxla
from pyxla import journal, progress
from pyxla.cli import main
from pyxla.console import diagnostics, doctor
from pyxla.errors import CompileError, Location

SOURCE = """\
import numpy as np


def inner(x):
    return x @ np.ones(3)


def outer(x):
    return inner(x) + 1


def fine(x, n):
    for i in range(n):
        x = np.sin(x)
    return x
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "console_program.py"
    path.write_text(SOURCE)
    yield str(path)
    sys.modules.pop("console_program", None)


def said(capsys, *words: str) -> str:
    assert main(words) == 1
    return capsys.readouterr().err


def test_editors_match_every_line(program, capsys):
    text = said(capsys, "--format", "gcc", "check", f"{program}:outer", "f64[4]")
    first, *notes = text.splitlines()
    form = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|note): .+")
    assert form.fullmatch(first).groupdict() == {
        "file": program, "line": "5", "column": "12", "kind": "error"
    }  # fmt: skip
    assert all(form.fullmatch(note)["kind"] == "note" for note in notes)
    assert any("called from here, in outer" in note for note in notes)


def test_people_get_the_same_place_and_more(program, capsys):
    text = said(capsys, "check", f"{program}:outer", "f64[4]")
    assert text.startswith(f"{program}:5:12: error: ")
    assert "return x @ np.ones(3)\n" in text and "^^^" in text and "hint: " in text
    assert "\x1b" not in text


def test_machines_get_sarif(program, capsys):
    text = said(capsys, "check", f"{program}:outer", "f64[4]", "--format", "sarif")
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["version"] == pyxla.__version__
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == Path(program).as_uri()
    assert place["region"] == {"startLine": 5, "startColumn": 12, "endLine": 5, "endColumn": 26}
    lines = [r["physicalLocation"]["region"]["startLine"] for r in result["relatedLocations"]]
    assert 9 in lines


def test_what_compiles_is_fine(program, capsys):
    assert main(["check", f"{program}:fine", "f64[4]", "int"]) == 0
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


ERROR = CompileError("no", Location("f.py", 3, 4), hint="yes", notes=[("here", None)])


def test_colours_on_terminals_only(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    text = diagnostics.human(ERROR)
    coloured, pipe = Terminal(), io.StringIO()
    diagnostics.show(text, coloured)
    diagnostics.show(text, pipe)
    assert "\x1b[" in coloured.getvalue()
    assert pipe.getvalue() == text + "\n" == re.sub(r"\x1b\[[\d;]*m", "", coloured.getvalue())
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    diagnostics.show(text, plain)
    assert plain.getvalue() == text + "\n"


def test_an_error_without_a_place():
    error = CompileError("no", hint="yes")
    assert diagnostics.human(error) == "pyxla: error: no\n  hint: yes"
    assert diagnostics.written(error, "gcc", "1") == "pyxla: error: no\npyxla: note: yes"
    assert "locations" not in diagnostics.sarif([error], "1")["runs"][0]["results"][0]


# --- progress ---------------------------------------------------------------------------------


def test_what_takes_long_says_what_it_does(monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.01)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    record = journal.Record("train", at="xla")
    line = progress.begin(record)
    for _ in range(500):
        if "XLA compiles" in stream.getvalue():
            break
        time.sleep(0.01)
    line.end()
    assert "pyxla: train: XLA compiles, 0 s" in stream.getvalue()
    assert stream.getvalue().endswith(progress.CLEAR)


def test_nothing_is_said_into_pipes(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.begin(journal.Record("f")) is None
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.begin(journal.Record("f")) is None


def test_the_stage_that_is_under_way():
    record = journal.Record("f")
    with journal.writing(record):
        with journal.stage("typed"):
            assert record.at == "typed"
        assert record.at == ""
        journal.traced(record, "f")
        assert record.at == "stablehlo"
        journal.heard("jit(other)", "stablehlo", 1.0)
        assert record.at == "stablehlo" and list(record.stages) == ["typed"]
        journal.heard("jit(f)", "stablehlo", 1.0)
        assert record.at == "xla"
        journal.heard("jit(f)", "xla", 2.0)
    assert record.at == ""
    assert (record.stages["stablehlo"], record.stages["xla"]) == (1.0, 2.0)


# --- commands ---------------------------------------------------------------------------------


def test_every_command_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    names = re.findall(r"^    (\w+)  ", text, re.MULTILINE)
    assert len(names) >= 15
    for name in names:
        assert re.search(rf"^  pyxla (--\w+ \w+ )?{name}\b", text, re.MULTILINE), name
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert f"example: pyxla {name}" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "stablehlo" in capsys.readouterr().out


def test_doctor(capsys, monkeypatch):
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "BAD" not in text
    assert re.search(r"ok +a small run +right", text)
    monkeypatch.setattr(doctor, "NEEDED", ("no-such-package",))
    assert main(["doctor"]) == 1
    assert "BAD  no-such-package" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "NEEDED", ())
    monkeypatch.setenv("PYXLA_CACHE", "/a/folder")
    assert main(["doctor"]) == 1
    assert re.search("BAD +PYXLA_CACHE +/a/folder: .*PYXLA_CACHE_DIR", capsys.readouterr().out)


def test_report_explain_and_profile(program, tmp_path, capsys):
    page, trace = tmp_path / "page.html", tmp_path / "trace.json.gz"
    assert main(["report", f"{program}:fine", "f64[4]", "int", "-o", str(page)]) == 0
    assert page.read_text().lstrip().startswith("<!doctype html>")
    assert main(["explain", f"{program}:fine", "f64[4]", "int"]) == 0
    assert "fine is compiled 1 time" in capsys.readouterr().out
    values = ["array([1.0, 2.0])", "3"]
    assert main(["profile", f"{program}:fine", *values, "--runs", "1", "-o", str(trace)]) == 0
    assert "ms a run, 1 runs" in capsys.readouterr().out
    assert trace.stat().st_size > 0
    assert main(["report", "--profile", f"{program}:fine", *values, "-o", str(page)]) == 0
    assert main(["report", f"{program}:fine", "f64[4]", "int", "-o", "/no/such/folder/x"]) == 2


def test_an_error_of_a_program_in_a_pipe(program):
    command = [sys.executable, "-m", "pyxla", "check", f"{program}:outer", "f64[4]"]
    env = {**os.environ, "FORCE_COLOR": "", "TERM": "xterm"}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{program}:5:12: error: ")
    assert "\x1b" not in done.stderr and "Traceback" not in done.stderr
