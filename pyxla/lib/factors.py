"""What SciPy's linear algebra raises, as Python that is compiled like the user's around the
functions of `lib.scipys`, which have numbers that are no such where LAPACK says that it failed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

NOT_FINITE = "array must not contain infs or NaNs"


def finite(function: Any, a: Any, *args: Any, check_finite: bool = True, **named: Any) -> Any:
    if check_finite and not np.isfinite(a).all():
        raise ValueError(NOT_FINITE)
    return function(a, *args, check_finite=False, **named)


def inverted(function: Any, a: Any, *args: Any, **named: Any) -> Any:
    found = finite(function, a, *args, **named)
    if found.ndim == 2 and not np.isfinite(found).all() and _is_singular(a):
        raise LinAlgError("A singular matrix detected: slice(s) [0] are singular.")
    return found


def solved(function: Any, a: Any, b: Any, *args: Any, **named: Any) -> Any:
    found = _solution(function, a, b, *args, **named)
    if np.ndim(a) == 2 and not np.isfinite(found).all() and _is_singular(a):
        raise LinAlgError("A singular matrix detected: slice(s) [0] are singular.")
    return found


def solved_by_triangle(function: Any, a: Any, b: Any, *args: Any, **named: Any) -> Any:
    found = _solution(function, a, b, *args, **named)
    if np.ndim(a) == 2 and not np.isfinite(found).all():
        zero = np.diag(np.asarray(a)) == 0
        if zero.any():  # else what it gives is too large
            place = np.argmax(zero)
            raise LinAlgError(f"singular matrix: resolution failed at diagonal {place}")
    return found


def _solution(
    function: Any, a: Any, b: Any, *args: Any, check_finite: bool = True, **named: Any
) -> Any:
    if check_finite and not np.isfinite(b).all():
        raise ValueError(NOT_FINITE)
    return finite(function, a, b, *args, check_finite=check_finite, **named)


def _is_singular(a: Any) -> bool:
    """Whether a pivot is zero, which LAPACK stops at."""
    return np.linalg.slogdet(a)[0] == 0


def factored(function: Any, a: Any, lower: bool = False, *args: Any, **named: Any) -> Any:
    found = finite(function, a, lower, *args, **named)
    factor = found[0] if isinstance(found, tuple) else found
    if factor.ndim == 2 and not np.isfinite(factor).all():
        words = "leading minor of the array is not positive definite"
        raise LinAlgError(f"{_failed(np.asarray(a), lower)}-th {words}")
    return found


def _failed(a: Any, lower: bool) -> int:
    """The order of the first leading minor that is not positive."""
    half = np.tril(a, -1) if lower else np.triu(a, 1).conj().T
    rest = half + half.conj().T + np.diag(np.diag(a).real)
    for k in range(len(rest)):
        if not rest[k, k].real > 0:
            return k + 1
        rest = rest - np.outer(rest[:, k], rest[k]) / rest[k, k]
    return len(rest)


AROUND: dict[str, Any] = {
    **dict.fromkeys(("det", "svd", "svdvals", "eigh", "eigvalsh", "qr", "pinv", "norm"), finite),
    **dict.fromkeys(("cholesky", "cho_factor"), factored),
    **{"inv": inverted, "solve": solved, "solve_triangular": solved_by_triangle},
}
