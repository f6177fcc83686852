"""Runs the checks in a module on eight devices that XLA simulates: python -m tests.devices MODULE.

Prints the traceback of each check that fails, and exits with 1 then.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

from jax._src import compiler  # noqa: E402 - which asks for the flags

from tests import effort  # noqa: E402

compiler.get_compile_options = effort.quick


def main(name: str) -> int:
    """Run them all; how many failed."""
    failed = 0
    for check, function in vars(importlib.import_module(name)).items():
        if check.startswith("check_"):
            try:
                function()
            except Exception:  # noqa: BLE001 - it is told of, and the next one runs
                failed += 1
                print(f"--- {check}", flush=True)
                traceback.print_exc()
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1]), 1))
