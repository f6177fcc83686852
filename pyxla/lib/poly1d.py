"""`np.poly1d` as Python that is compiled like the user's.

Coefficients are kept as they are given.  Leading zeros, whose number data decides, do not matter to
values and sums of polynomials, and are left out where they are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def kept(coefficients: Any, given: Any) -> Any:
    """What of `given` are the coefficients: a copy, where NumPy has a view, so that programs may
    not write to either from then on."""
    return coefficients


_Base: Any = np.poly1d


class Poly1d(_Base):
    """A polynomial by its coefficients, the highest power first."""

    def __init__(self, c_or_r: Any, r: bool = False, variable: Any = None) -> None:
        if isinstance(c_or_r, _Base):
            given = c_or_r.given
            self.symbol = c_or_r.symbol if variable is None else variable
        else:
            given = np.atleast_1d(np.poly(c_or_r) if r else c_or_r)
            self.symbol = "x" if variable is None else variable
        if given.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        self.given = given if len(given) else np.zeros(1, given.dtype)

    @classmethod
    def __pyxla_made__(cls, fields: dict[str, Any]) -> np.poly1d:
        return np.poly1d(fields["given"], variable=fields["symbol"])

    def _trimmed(self) -> Any:
        return np.concatenate([np.trim_zeros(self.given[:-1], "f"), self.given[-1:]])

    @property
    def coeffs(self) -> Any:
        return kept(self._trimmed(), self.given)

    c = coef = coefficients = coeffs

    @property
    def order(self) -> int:
        return len(self._trimmed()) - 1

    o = order

    @property
    def roots(self) -> Any:
        return np.roots(self.given)

    r = roots

    @property
    def variable(self) -> Any:
        return self.symbol

    def __len__(self) -> int:
        return self.order

    def __call__(self, val: Any) -> Any:
        if not isinstance(val, _Base):
            return np.polyval(self.given, val)
        total = Poly1d(np.zeros(1, self.given.dtype))
        for coefficient in tuple(self.given):
            total = total * val + coefficient
        return total

    def __neg__(self) -> Any:
        return Poly1d(-self.given)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return Poly1d(np.polyadd(self.given, Poly1d(other).given))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return Poly1d(np.polysub(self.given, Poly1d(other).given))

    def __rsub__(self, other: Any) -> Any:
        return Poly1d(np.polysub(Poly1d(other).given, self.given))

    def __mul__(self, other: Any) -> Any:
        if np.isscalar(other):
            return Poly1d(self.given * other)
        return Poly1d(np.convolve(self.given, Poly1d(other).given))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if np.isscalar(other):
            return Poly1d(self.given / other)
        quotient, rest = np.polydiv(self._trimmed(), Poly1d(other)._trimmed())
        return Poly1d(quotient), Poly1d(rest)

    def __pow__(self, val: int) -> Any:
        if val < 0:
            raise ValueError("Power to non-negative integers only.")
        product = np.ones(1, int)
        for _ in range(val):
            product = np.convolve(self.given, product)
        return Poly1d(product)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, _Base):
            return False
        own, others = self._trimmed(), other._trimmed()
        if len(own) != len(others):
            return False
        return (own == others).all()

    def __ne__(self, other: Any) -> Any:
        return not self.__eq__(other)

    def __getitem__(self, val: int) -> Any:
        if val < 0 or val >= len(self.given):
            return self.given.dtype.type(0)
        return self.given[len(self.given) - 1 - val]

    def __setitem__(self, key: int, val: Any) -> None:
        kept(self.given, self.given)[key] = val  # which is refused

    def deriv(self, m: int = 1) -> Any:
        return Poly1d(np.polyder(self.given, m=m))

    def integ(self, m: int = 1, k: Any = 0) -> Any:
        return Poly1d(np.polyint(self.given, m=m, k=k))
