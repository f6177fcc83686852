"""Programs on eight simulated devices: each module of checks in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["placed", "talking", "options", "documented"])
def test_on_eight_devices(module):
    command = [sys.executable, "-m", "tests.devices", f"tests.devices.{module}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
