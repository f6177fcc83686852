"""Distributions of `scipy.stats`: what SciPy makes of text, or fills place by place, as Python that
is compiled like the user's.  The formulas of each distribution are SciPy's own (`_pdf`, `_cdf`).

Formulas are computed everywhere, of a number inside of the support where an element is outside, and
selected from.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _parameters(self: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Shapes, location and scale, as arrays."""
    names = [*(self.shapes.split(", ") if self.shapes else []), "loc", "scale"]
    few, most = len(names) - 2, len(names)
    if len(args) > most:
        words = f"takes from {few + 1} to {most + 1} positional arguments but {len(args) + 1} were"
        raise TypeError(f"_parse_args() {words} given")
    for name in named:
        if name not in names:
            raise TypeError(f"_parse_args() got an unexpected keyword argument {name!r}")
        if name in names[: len(args)]:
            raise TypeError(f"_parse_args() got multiple values for argument {name!r}")
    missing = [repr(name) for name in names[len(args) : few] if name not in named]
    if missing:
        several = "s" if len(missing) > 1 else ""
        last = ", and " if len(missing) > 2 else " and "
        listed = last.join([", ".join(missing[:-1]), missing[-1]] if several else missing)
        words = f"missing {len(missing)} required positional argument{several}: {listed}"
        raise TypeError(f"_parse_args() {words}")
    given = {"loc": 0, "scale": 1}
    given.update(zip(names, args))  # noqa: B905
    given.update(named)
    values = [np.asarray(given[name]) for name in names]
    return values[:-2], values[-2], values[-1]


def _inside(self: Any, shapes: Any) -> Any:
    """The support, and a number that is in it."""
    a, b = self._get_support(*shapes)
    a, b = np.asarray(a, float), np.asarray(b, float)
    low, high = (
        np.where(np.isinf(a), np.minimum(b, 1.0) - 1, a),
        np.where(np.isinf(b), np.maximum(a, -1.0) + 1, b),
    )
    return a, b, (low + high) / 2


def _standard(self: Any, x: Any, args: Any, named: Any) -> Any:
    """Points as those of the distribution at 0 of scale 1, and which of them there are."""
    shapes, loc, scale = _parameters(self, args, named)
    x = np.asarray(x)
    y = np.asarray((x - loc) / scale, dtype=np.promote_types(x.dtype, np.float64))
    fine = self._argcheck(*shapes) & (scale > 0)
    a, b, middle = _inside(self, shapes)
    return shapes, scale, y, fine & ~np.isnan(y), a, b, middle


def _selected(fine: Any, inside: Any, value: Any, outside: Any) -> Any:
    found = np.where(fine, np.where(inside, value, outside), np.nan)
    return found[()] if found.ndim == 0 else found


def _density(self: Any, x: Any, args: Any, named: Any, logarithm: bool) -> Any:
    shapes, scale, y, fine, a, b, middle = _standard(self, x, args, named)
    inside = (y >= a) & (y <= b) & fine
    y = np.where(inside, y, middle)
    scale = np.where(scale > 0, scale, 1)
    if logarithm:
        return _selected(fine, inside, self._logpdf(y, *shapes) - np.log(scale), -np.inf)
    return _selected(fine, inside, self._pdf(y, *shapes) / scale, 0.0)


def _probability(
    self: Any, x: Any, args: Any, named: Any, formula: Any, below: float, above: float
) -> Any:
    shapes, _, y, fine, a, b, middle = _standard(self, x, args, named)
    inside = (y > a) & (y < b) & fine
    found = formula(np.where(inside, y, middle), *shapes)
    return _selected(fine, inside, found, np.where(y >= b, above, below))


def _quantile(self: Any, q: Any, args: Any, named: Any, formula: Any, upper: bool) -> Any:
    shapes, loc, scale = _parameters(self, args, named)
    q = np.asarray(q)
    a, b, _ = _inside(self, shapes)
    fine = self._argcheck(*shapes) & (scale > 0) & (loc == loc) & (q >= 0) & (q <= 1)
    inside = (q > 0) & (q < 1) & fine
    found = formula(np.where(inside, q, 0.5), *shapes) * scale + loc
    ends = np.where((q == 1) != upper, b * scale + loc, a * scale + loc)
    return _selected(fine, inside, found, ends)


def rv_continuous_pdf(self: Any, x: Any, *args: Any, **named: Any) -> Any:
    return _density(self, x, args, named, False)


def rv_continuous_logpdf(self: Any, x: Any, *args: Any, **named: Any) -> Any:
    return _density(self, x, args, named, True)


def rv_continuous_cdf(self: Any, x: Any, *args: Any, **named: Any) -> Any:
    return _probability(self, x, args, named, self._cdf, 0.0, 1.0)


def rv_continuous_sf(self: Any, x: Any, *args: Any, **named: Any) -> Any:
    return _probability(self, x, args, named, self._sf, 1.0, 0.0)


def rv_continuous_logcdf(self: Any, x: Any, *args: Any, **named: Any) -> Any:
    return _probability(self, x, args, named, self._logcdf, -np.inf, 0.0)


def rv_continuous_logsf(self: Any, x: Any, *args: Any, **named: Any) -> Any:
    return _probability(self, x, args, named, self._logsf, 0.0, -np.inf)


def rv_continuous_ppf(self: Any, q: Any, *args: Any, **named: Any) -> Any:
    return _quantile(self, q, args, named, self._ppf, False)


def rv_continuous_isf(self: Any, q: Any, *args: Any, **named: Any) -> Any:
    return _quantile(self, q, args, named, self._isf, True)


def rv_frozen___init__(self: Any, dist: Any, *args: Any, **named: Any) -> None:
    self.args = args
    self.kwds = named
    self.dist = dist
    self.a, self.b = dist._get_support(*_parameters(dist, args, named)[0])
