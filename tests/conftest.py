"""The verifiers are on in all tests."""

from __future__ import annotations

from pyxla import options

options.DEFAULTS = options.Options(verify=True)
