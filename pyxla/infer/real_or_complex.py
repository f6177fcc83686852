"""What is real or complex as the values have it: eigenvalues and roots.

The result is one of two arrays (`lattice.Variant`), and what follows is visited for either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyxla.abstract.facts.constants import known_elements
from pyxla.abstract.lattice import Array, Conflict, Tuple, Variant
from pyxla.infer.arrays import access as arrays
from pyxla.infer.engine import Engine
from pyxla.infer.raising.check_table import verify
from pyxla.ir.core import Value
from pyxla.ir.op import OpError
from pyxla.lib import kernels as k
from pyxla.lib.linalg import EigResult, eig, eigvals, inexact
from pyxla.lib.operands import as_array, literal
from pyxla.lib.polynomials import companion_roots, ends_are_not_zero
from pyxla.lib.reductions import fold
from pyxla.lib.registry import LIBRARY, rule
from pyxla.ops.elementwise import imag, real, select
from pyxla.views.shadows import number, one_of

BOOL = np.dtype(np.bool_)
# From NumPy 2.5 on, eigenvalues are complex, real ones too.
ALWAYS_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"
OF_MATRIX = (
    "whether the eigenvalues of a real matrix are real or complex depends on the values",
    "convert the matrix to complex, or use eigh where it is symmetric",
)
OF_COEFFICIENTS = (
    "whether the roots of real coefficients are real or complex depends on the values",
    "convert the coefficients to complex",
)


@rule(np.linalg.eigvals)
def eigvals_(engine: Engine, a: Any) -> Any:
    x = as_array(engine.operand(a))
    values = eigvals(x)
    verify(engine, LIBRARY[np.linalg.eigvals], (x,), {}, values)
    if x.dtype.kind == "c" or ALWAYS_COMPLEX:
        return arrays.fresh(engine, values)
    return _either(engine, [values], OF_MATRIX)[0]


@rule(np.linalg.eig)
def eig_(engine: Engine, a: Any) -> Any:
    x = as_array(engine.operand(a))
    found = eig(x)
    verify(engine, LIBRARY[np.linalg.eig], (x,), {}, found)
    if x.dtype.kind == "c" or ALWAYS_COMPLEX:
        return engine.abstract(found)
    return Tuple(tuple(_either(engine, found, OF_MATRIX)), EigResult)


@rule(np.roots)
def roots(engine: Engine, p: Any) -> Any:
    """NumPy strips zeros at both ends, which decides on the number of the roots: in compiled code
    there must be none, unless all coefficients are known."""
    x = as_array(engine.operand(p))
    if x.ndim != 1 or not x.size:
        raise OpError("roots takes one dimension of coefficients")
    if (known := known_elements(x.value)) is not None:
        return engine.fold_object(np.roots, [np.asarray(known)])
    x = inexact(x)
    error = ValueError(
        "np.roots in compiled code needs a first and a last coefficient other than 0"
    )
    engine.ensure(engine.rules.truth(engine, ends_are_not_zero(x)), error)
    values = companion_roots(x)
    verify(engine, LIBRARY[np.linalg.eig], (x,), {}, values)
    if x.dtype.kind == "c" or not values.size:
        return arrays.fresh(engine, values)
    return _either(engine, [values], OF_COEFFICIENTS)[0]


def _either(engine: Engine, xs: Sequence[Array], refusal: tuple[str, str]) -> list[Variant]:
    """Complex arrays, or their real parts where the first has no imaginary one."""
    if not engine.demands.case_split:
        engine.findings.met = True
        raise engine.refuse(*refusal, remedy="case_split")
    selector = one_of(select(_is_real(xs[0].value), number(0), number(1)), 2)
    conflict = Conflict(refusal[0], hint=refusal[1])
    return [
        Variant(
            "mixed",
            selector,
            (arrays.fresh(engine, Array(real(x.value))), arrays.fresh(engine, x)),
            conflict,
        )
        for x in xs
    ]


def _is_real(x: Value) -> Value:
    """Whether all imaginary parts are 0."""
    plain = k.eq(imag(x), k.like(imag(x), 0))
    return fold(plain, tuple(range(x.type.ndim)), literal(True, BOOL), "and")
