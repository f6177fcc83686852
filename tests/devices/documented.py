"""The page about devices, on eight of them."""

from __future__ import annotations

import contextlib
import os
import tempfile

from tests.test_docs import ROOT, run


def check_the_page():
    text = (ROOT / "docs" / "devices.md").read_text()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run(text, "devices.md", {"__name__": "__main__"})
    assert not os.path.exists("solve.pyxla")
