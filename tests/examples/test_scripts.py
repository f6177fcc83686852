"""Each example by itself, as its user runs it: what it prints says what the example is about.

The large networks run for minutes; their files are tested small (`test_models`, `test_gradients`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import workers

ROOT = Path(__file__).parents[2]
# What each prints, where times and last digits may be anything.
PRINTS = {
    "dense": r"ENTRY.*dot\(.*pyxla: \[-0\.0698.*numpy: \[-0\.0698",
    "softmax": r"ENTRY.*exponential\(.*pyxla: \[0\.0302.*numpy: \[0\.0302",
    "first": r"Python.*typed SSA.*HLO.*while\(.*"
    r"pyxla:   (4\.73205080\d+ after \d+ steps)\nCPython: \1\n$",
    "runge_kutta": r"pyxla: (\d+ steps, \d+ rejected), .*\nplain: \1, ",
    "scalar_simulation": r"outcome 1 after .*(heaviest payload \d+ kg), .*\n\1, ",
    "newton_cg_derivatives": r"convex quadratic: value -3\.67.*\n"
    r"hidden Markov model: value 1\.168.*\nlogistic regression: value 0\.135",
    "transformer": r"largest difference \d\.\d+e-0\d\nlosses of 5 training steps: 11\.\d+, 8\.",
    "word_segmentation": r"step 300: -0\.\d+ a letter\n.* ms a step\n.*\bat\b",
    "digits": r"first run: .*, accuracy 0\.9\d+\nsecond run: .*, accuracy 0\.9\d+\n$",
}
LONG = {
    *("all_convolutional", "l2hmc", "newton_cg", "newton_cg_loops", "resnet50", "roberta"),
    "vgg19",
}
SITE = {"pictures"}  # building the documentation site runs it
NEEDS = {"digits": "sklearn"}
# Most of their time goes to LLVM's optimizations of what runs for seconds.
QUICK = {"newton_cg_derivatives", "transformer", "word_segmentation"}


def test_all_are_run():
    scripts = {
        path.stem for path in (ROOT / "examples").glob("*.py") if "__main__" in path.read_text()
    }
    assert scripts == PRINTS.keys() | LONG | SITE


@pytest.mark.parametrize("name", PRINTS)
def test_script(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    command = [sys.executable, "-m", f"examples.{name}"]
    env = dict(os.environ)
    if name in QUICK:
        env["XLA_FLAGS"] = workers.QUICK
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert re.search(PRINTS[name], run.stdout, re.DOTALL), run.stdout
