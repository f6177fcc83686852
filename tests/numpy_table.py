"""What of NumPy is compiled: `docs/numpy.md`, made from the registries.

    python -m tests.numpy_table        writes the file

supported: a rule or a library function of pyxla's, or NumPy's own Python, visited.  foreign: the
same, over a function of JAX.  known: executed while compiling, when all arguments are known.
"""

from __future__ import annotations

import functools
import random
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pyxla.infer.rules  # noqa: F401 - fills the registries
from pyxla.infer.random import legacy as legacy_methods
from pyxla.infer.random import methods as generator_methods
from pyxla.infer.random import python as python_methods
from pyxla.lib.refused import ATTRIBUTES, refusal
from pyxla.lib.registry import lookup
from pyxla.lib.scipys import FUNCTIONS, OWN, UFUNCS

RELEASE = "NumPy " + ".".join(np.__version__.split(".")[:2])
FILE = Path(__file__).parent.parent / "docs" / "numpy.md"
# What NumPy's namespace has beside functions: types, and what makes index expressions.
_TYPES = (type, types.ModuleType)
FFT = [kind + rank for kind in ("fft", "ifft", "rfft", "irfft") for rank in "2n"]
# Python in NumPy over other functions, which is visited; `tests/test_numpy_table.py` tries each.
VISITED = frozenset(
    {"apply_over_axes", "mask_indices", "real_if_close", "require"}
    | {"unique_all", "unique_counts", "unique_inverse", "unique_values"}
    | {"append", "asarray_chkfinite", "broadcast_shapes", "diag_indices", "digitize"}
    | {"diag_indices_from", "dsplit", "fromfunction"}
    | {"geomspace", "histogram2d", "hsplit", "identity", "indices"}
    | {"intersect1d", "ix_", "matrix_rank"}
    | {"nan_to_num", "piecewise", "poly", "put_along_axis", "setxor1d"}
    | {"sort_complex", "split", "tensorinv", "tril_indices", "tril_indices_from"}
    | {"triu_indices", "triu_indices_from", "union1d", "vsplit"}
    | {"angle", "corrcoef", "cumulative_prod", "cumulative_sum", "extract", "fix", "iscomplex"}
    | {"isneginf", "isposinf", "isreal", "matrix_power", "polyadd", "polyder", "polydiv"}
    | {"polyint", "polymul", "polysub", "polyval", "trapezoid", "unwrap", "vander"}
    | {"cross", "diagonal", "fliplr", "flipud", "matmul", "matrix_norm", "matrix_transpose"}
    | {"nditer", "outer", "rollaxis", "tensordot", "trace", "unstack", "vecdot", "vector_norm"}
    | {"array_equiv", "cond", "logspace", "tensorsolve", "fftfreq", "fftshift", "ifftshift"}
    | {"hfft", "ihfft", "rfftfreq", *FFT}
    | {"gradient", "histogramdd", "kaiser", "setdiff1d", "argwhere"}
    | {"bartlett", "blackman", "hamming", "hanning", "iterable"}
    | {"dstack"}
)
ARRAY_ATTRIBUTES = (
    *("T", "mT", "dtype", "flat", "imag", "itemsize", "nbytes", "ndim", "real", "shape", "size"),
    *("device", *ATTRIBUTES),
)
SECTIONS: dict[str, Any] = {
    "numpy": np,
    "numpy.linalg": np.linalg,
    "numpy.fft": np.fft,
    "numpy.ndarray": np.ndarray,
    "numpy.random.Generator": np.random.Generator,
    "numpy.random": np.random.RandomState,
    "random": random.Random,
}


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    target: Any
    status: str
    reason: str = ""
    remedy: str = ""


def names(owner: Any) -> list[str]:
    public = getattr(owner, "__all__", None) or dir(owner)
    return sorted(n for n in public if not n.startswith("_"))


def members(owner: Any) -> Iterator[tuple[str, Any]]:
    """The public functions or methods of an owner, and classes that are called as functions."""
    called = (np.vectorize, np.ndindex, np.ndenumerate, np.nditer, np.matrix, np.memmap)
    for name in names(owner):
        member = getattr(owner, name)
        if callable(member) and (not isinstance(member, _TYPES) or member in called):
            yield name, member


def _calls_jax(function: Callable[..., Any], depth: int = 2) -> bool:
    """Whether a library function, or one it calls in its module, calls JAX."""
    inner = function.func if isinstance(function, functools.partial) else function
    inner = getattr(inner, "__wrapped__", inner)
    code = getattr(inner, "__code__", None)
    if code is None:
        return False
    used = set(code.co_names)
    if used & {"foreign", "call_jax"}:
        return True
    near = [inner.__globals__.get(name) for name in used] if depth else []
    return any(
        _calls_jax(f, depth - 1)
        for f in near
        if isinstance(f, types.FunctionType) and f.__module__ == inner.__module__
    )


# Methods of generators that are refused, with the reasons.
_DRAWING: dict[Any, dict[str, Any]] = {
    np.random.Generator: generator_methods.REFUSED,
    np.random.RandomState: legacy_methods.REFUSED,
    random.Random: python_methods.REFUSED,
}


def classify(name: str, member: Any, owner: Any) -> Entry:
    if name in _DRAWING.get(owner, {}):
        return Entry(name, member, "refused", *_DRAWING[owner][name])
    if owner is random.Random:  # the rest is Python, which is visited
        return Entry(name, member, "supported")
    if (implementation := lookup(member)) is not None:
        foreign = _calls_jax(implementation.function)
        return Entry(name, member, "foreign" if foreign else "supported")
    if owner in (np, np.linalg, np.fft) and name in VISITED:
        return Entry(name, member, "supported")
    if (row := refusal(member)) is not None:
        return Entry(name, member, "refused", *row)
    return Entry(name, member, "known")


def entries(section: str) -> list[Entry]:
    owner = SECTIONS[section]
    found = [classify(name, member, owner) for name, member in members(owner)]
    if owner is np.ndarray:
        found += [
            Entry(name, None, "refused", *ATTRIBUTES[name])
            if name in ATTRIBUTES
            else Entry(name, None, "supported")
            for name in ARRAY_ATTRIBUTES
        ]
    return sorted(found, key=lambda entry: entry.name)


def _row(entry: Entry) -> str:
    notes = {
        "foreign": "through JAX",
        "known": "while compiling, of known arguments",
        "refused": f"{entry.reason}; {entry.remedy}",
    }
    return f"| `{entry.name}` | {entry.status} | {notes.get(entry.status, '')} |"


# What of a result may differ from NumPy's in the last bits, and what not.
LAST_BIT = (
    "Structured arrays are compiled as an array for each field, [text](language.md) as Python's "
    "strings, which data may make: there are no arrays of text.",
    "",
    "What has NumPy's bits: `+`, `-`, `*`, `/` and `sqrt` by themselves, and together, complex"
    " products too, in programs, branches and loops that are over numbers and elements of arrays;"
    " comparisons, rounding, `floor`, `//`, `%`, casts; `linspace` and `arange`; what sorts,"
    " searches and moves; `log`, `sin`, `cos` and `pow` of Python's `math`, and powers of its"
    " floats but squares, roots and reciprocals (`v ** 2`, `v ** 0.5`, `v ** -1`), which are"
    " rounded once.",
    "Generators, the functions of `numpy.random` and those of `random` draw NumPy's and Python's"
    " numbers to the last bit, and leave their state. Of Generators, `power`, `pareto` and"
    " `vonmises` may differ in the last bit, and `multivariate_normal` in the signs of singular"
    " vectors.",
    "",
    "What may differ in the last bits:",
    "",
    "- a product that goes into a sum, in code with whole arrays: one instruction rounds both (not"
    " with `compile(strict=True)`);",
    "- sums, means, norms and matrix products: the order of addition is that of XLA, Eigen and"
    " oneDNN, where NumPy adds in pairs and asks BLAS;",
    "- `exp`, `expm1`, `log1p`, hyperbolic and inverse functions, `erf`, `gamma`; of whole arrays"
    " also `log`, `sin`, `cos` and `power`, for which NumPy has code for each machine;",
    "- what LAPACK and FFTs compute, complex products in code with whole arrays, complex"
    " quotients;",
    "- numbers below 2.3e-308 are 0: XLA runs with denormals off, and cannot be told otherwise.",
    "",
    "`strict=True` costs nothing for most programs; stencils and simulations of particles took 1.8"
    " times as long, and eight programs 1.0 in the geometric mean.",
)


def document() -> str:
    everything = {section: entries(section) for section in SECTIONS}
    lines = [
        "# NumPy in compiled code",
        "",
        "Made by `python -m tests.numpy_table` from the registries of the library and the rules;"
        f" {RELEASE}.",
        "",
        "- **supported**: compiled; what a call may not do is refused at its line.",
        "- **foreign**: compiled through the function of JAX that does the same.",
        "- **known**: executed while compiling when all arguments are known, else refused.",
        "- **refused**: with this reason and remedy; with known arguments it is executed while"
        " compiling, unless it reads, writes or asks about the process.",
        "",
        *LAST_BIT,
        "",
        "| | " + " | ".join(STATUSES) + " |",
        "| --- |" + " --- |" * len(STATUSES),
    ]
    for section, found in everything.items():
        counts = Counter(entry.status for entry in found)
        lines.append(f"| {section} | " + " | ".join(str(counts[s]) for s in STATUSES) + " |")
    for section, found in everything.items():
        lines += ["", f"## {section}", "", "| name | | |", "| --- | --- | --- |", *map(_row, found)]
    lines += ["", "## SciPy", "", "Compiled through JAX, for real numbers and matrices:", ""]
    for module, functions in FUNCTIONS.items():
        known = {*functions, *(UFUNCS | OWN.keys() if module == "scipy.special" else ())}
        lines.append(f"- `{module}`: " + ", ".join(f"`{name}`" for name in sorted(known)))
    lines += ["", *SPARSE, "", *IN_PYTHON]
    return "\n".join(lines) + "\n"


IN_PYTHON = (
    "What SciPy has in Python is compiled as it is: `solve_ivp`, `newton`,",
    '`minimize(method="Nelder-Mead")`, `interp1d`; so are, over Python in the place of its C,',
    "`brentq`, `brenth`, `bisect`, `CubicSpline`, `PchipInterpolator` (their derivatives and",
    "integrals, too), `solve_banded`,",
    "`spatial.transform.Rotation` but for its angles, and densities, probabilities and quantiles",
    "of the continuous distributions of `scipy.stats` whose formulas have functions of that list.",
)
SPARSE = (
    "`scipy.sparse` is compiled from its Python, over kernels in the place of its C: CSR, CSC, COO",
    "and DIA matrices as arguments and made inside, products, sums, element-by-element operations,",
    "conversions. What gives an `np.matrix` is refused: `csr_array` gives arrays.",
)
STATUSES = ("supported", "foreign", "known", "refused")


if __name__ == "__main__":
    FILE.write_text(document())
