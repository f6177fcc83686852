"""The README's Python runs, from its first block to its last, in one namespace; its HLO is that of
the command."""

from __future__ import annotations

import linecache
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import pyxla
from pyxla.cli import main

README = Path(__file__).parent.parent / "README.md"
# `f(x)  # 1.25`, or `# 1.24999...` where the last digits differ from machine to machine.
SHOWN = re.compile(r"^(\w.*?)  # (-?\d+\.\d+)", re.MULTILINE)
HLO = re.compile(
    r"^(?:and `)?(pyxla hlo examples[^`\n]*).*?^```\n(ENTRY.*?)^```", re.MULTILINE | re.DOTALL
)
OPCODE = re.compile(r" = \S+ ([a-z-]+)\(")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.arange(4.0)
    namespace = {"x": x}
    for index, block in enumerate(BLOCK.findall(README.read_text())):
        name = f"<README {index}>"
        linecache.cache[name] = (len(block), None, block.splitlines(True), name)
        exec(compile(block, name, "exec"), namespace)
        for code, value in SHOWN.findall(block):
            assert repr(eval(code, namespace)).startswith(value), code
    matrix = np.diag([1.0, 2.0, 4.0])
    value, _ = pyxla.compile(namespace["dominant"])(matrix, 1e-12)
    assert abs(value - 4) < 1e-6
    layer = namespace["Dense"](np.ones((4, 2)), np.zeros(2))
    assert namespace["forward"]((layer,), x).tolist() == [6, 6]
    assert namespace["newton_sqrt"](2.0, 1e-12) == pytest.approx(2**0.5)
    fitted = namespace["train"]((layer,), np.eye(4), np.arange(4.0), 200)
    assert fitted < 1e-3 and layer.w[3, 0] > 1
    np.testing.assert_allclose(np.linalg.norm(namespace["a"], axis=1), 1)
    assert namespace["twice_gelu"](x).shape == (4,)


def test_listings(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(README.parent)
    listings = HLO.findall(README.read_text())
    assert len(listings) == 1
    for command, listing in listings:
        main(shlex.split(command)[1:])
        entry = capsys.readouterr().out.partition("ENTRY")[2]
        assert sorted(OPCODE.findall(entry)) == sorted(OPCODE.findall(listing)), command
