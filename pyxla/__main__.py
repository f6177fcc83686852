"""`python -m pyxla`: the command line."""

import sys

from pyxla.cli import main

sys.exit(main())
