"""The documentation site: `python -m sphinx -W docs site` builds it."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PICTURES = HERE / "pictures"
PICTURES.mkdir(exist_ok=True)
sys.path.insert(0, str(ROOT))

project = "pyxla"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
html_theme = "furo"
html_title = "pyxla"
myst_heading_anchors = 3
autodoc_typehints = "none"
# Links to files of the repository are for those who read it there.
suppress_warnings = ["myst.xref_missing"]


def draw(app: object) -> None:
    """Have the examples draw the pictures of the gallery."""
    command = [sys.executable, "-m", "examples.pictures", str(PICTURES)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "MPLBACKEND": "Agg"})


def setup(app: object) -> None:
    app.connect("builder-inited", draw)  # type: ignore[attr-defined]
