"""`pyxla doctor`: versions, devices, settings, and a small run."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import time
from collections.abc import Callable, Iterator

import jax
import numpy as np

import pyxla
from pyxla.console import kept
from pyxla.store import folder

# Installed with pyxla; what else makes more of it, by the extra that brings it.
NEEDED = (
    "jax",
    "jaxlib",
    "numpy",
    "ml_dtypes",
    "flatbuffers",
    "gast",
    "astunparse",
    "platformdirs",
)
EXTRAS = {"report": ("jinja2", "pygments", "grandalf"), "terminal": ("rich", "shtab")}
BROKEN = {"jax": ("0.11.1",), "jaxlib": ("0.11.1",)}  # see docs/dependencies.md
SETTINGS = ("PYXLA_", "JAX_", "XLA_")


def diagnosis() -> Iterator[tuple[bool, str, str]]:
    """What is looked at: whether it is well, its name, and what was found."""
    yield True, "pyxla", pyxla.__version__
    yield True, "Python", f"{platform.python_version()} on {platform.platform(terse=True)}"
    for name in NEEDED:
        yield _package(name)
    for extra, names in EXTRAS.items():
        missing = [name for name in names if importlib.util.find_spec(name) is None]
        remedy = f"without {', '.join(missing)}: pip install 'pyxla[{extra}]'"
        yield True, f"extra {extra}", remedy if missing else "complete"
    yield _checked("devices", _devices)
    yield True, "processors", str(os.cpu_count())
    yield _checked("programs on disk", _kept)
    yield True, "compilation cache of JAX", str(jax.config.jax_compilation_cache_dir or "off")  # type: ignore[attr-defined]
    for name in sorted(os.environ):
        if name.startswith(SETTINGS):
            yield _setting(name, os.environ[name])
    yield _checked("a small run", _run)
    yield _checked("its derivative", _derivative)


def _setting(name: str, value: str) -> tuple[bool, str, str]:
    fine = name != "PYXLA_CACHE" or value.lower() in ("", *folder.OFF, "1", "on", "true", "yes")
    return fine, name, value if fine else f"{value}: the folder is PYXLA_CACHE_DIR, this is 0 or 1"


def _package(name: str) -> tuple[bool, str, str]:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False, name, "not installed"
    broken = version in BROKEN.get(name, ())
    return not broken, name, version + (" does not work with pyxla" if broken else "")


def _checked(name: str, look: Callable[[], str]) -> tuple[bool, str, str]:
    try:
        return True, name, look()
    except Exception as error:  # whatever is wrong is what is looked for
        return False, name, f"{type(error).__name__}: {error}"


def _kept() -> str:
    """What there is, if what is written can be read."""
    if folder.folder() is not None:
        key, name = "0" * folder.KEY_LENGTH, "doctor"
        if not folder.write(key, name, {}, [b"?"]):
            raise OSError(f"{folder.folder()} cannot be written; functions are compiled anew")
        folder.remove(key, name)
    return kept.summary()


def _devices() -> str:
    return ", ".join([f"{device.platform}:{device.id}" for device in jax.devices()])


def _sample(x: np.ndarray, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += x[i] ** 2
    return total


def _run() -> str:
    compiled = pyxla.compile(_sample)
    began = time.perf_counter()
    result = compiled(np.arange(4.0), 4)
    seconds = time.perf_counter() - began
    if result != 14.0:
        raise ArithmeticError(f"0 + 1 + 4 + 9 is {result}")
    return f"right, compiled in {seconds:.2f} s"


def _derivative() -> str:
    result = pyxla.grad(_sample)(np.arange(4.0), 4)
    if result.tolist() != [0.0, 2.0, 4.0, 6.0]:
        raise ArithmeticError(f"the gradient of a sum of squares is {result}")
    return "right"
