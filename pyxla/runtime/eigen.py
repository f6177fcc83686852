"""Eigenvalues and eigenvectors of any matrix as JAX has them, with their derivatives: those of
vectors, and second ones of values, follow LAPACK's normalization, where JAX is new enough."""

from __future__ import annotations

import inspect
from typing import Any

from jax import lax

_EIG: Any = lax.linalg.eig
_SLOPES = "enable_eigvec_derivs"
_WITH_SLOPES: Any = {_SLOPES: True} if _SLOPES in inspect.signature(_EIG).parameters else {}


def eig(a: Any) -> Any:
    return _EIG(a, compute_left_eigenvectors=False, **_WITH_SLOPES)


def eigvals(a: Any) -> Any:
    only = {"compute_left_eigenvectors": False, "compute_right_eigenvectors": False}
    return _EIG(a, **only, **_WITH_SLOPES)[0]
