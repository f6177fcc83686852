"""Two processes compute what one does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_two_processes_agree_with_one():
    pytest.importorskip("sklearn")
    command = [sys.executable, "-m", "examples.processes", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(\w+): .* over 2 devices differ by (\S+)$", done.stdout, re.MULTILINE)
    assert [name for name, _ in rows] == ["losses", "heat"]
    assert all(float(difference) < 1e-6 for _, difference in rows)
    assert "the others ended: True" in done.stdout
    (again,) = re.findall(r"^restarted: losses differ by (\S+)$", done.stdout, re.MULTILINE)
    assert float(again) < 1e-6
