"""NumPy's functions as templates: `{x}` an array, `{y}` another, `{i}` an int, `{f}` a float.

What a template gives for the array at hand is found out by running it; what raises is not written.
"""

from __future__ import annotations

from tests.fuzz import expressions as ex
from tests.fuzz.scope import Scope
from tests.fuzz.values import Expr, is_array

ELEMENTWISE = """
np.clip({x}, -1, 2)|np.clip({x}, {f}, None)|{x}.clip(0)|np.round({x}, 1)|{x}.round()|np.rint({x})
np.trunc({x})|np.ceil({x})|np.cbrt({x})|np.exp(-np.abs({x}))|np.expm1(-np.abs({x}))
np.log2(np.abs({x}) + 1)|np.reciprocal({x} + 9.5)|np.positive({x})|np.signbit({x})
np.isfinite({x})|np.isinf({x})|np.nan_to_num({x})|np.deg2rad({x})|np.sinh(np.tanh({x}))
np.cosh(np.tanh({x}))|np.arcsinh({x})|np.arctan2({x}, 2)|np.hypot({x}, 2)|np.fmod({x}, 3)
np.remainder({x}, 3)|np.floor_divide({x}, 2)|np.heaviside({x}, 0.5)|np.copysign({x}, -1)
np.power(np.abs({x}), 2)|np.float_power(np.abs({x}), 0.5)|{x} ** 2|{x} ** 3|np.logaddexp({x}, 1)
np.bitwise_and({x}, 3)|np.left_shift({x} & 3, 2)|np.right_shift({x}, 1)|np.invert({x})
np.gcd({x}, 6)|np.where({x} == 0, 1, {x})|np.where({x} > 1, {x}, {f})|np.sinc({x})|np.angle({x})
np.conj({x})|np.real({x})|np.isclose({x}, 1)|np.logical_and({x}, {x} > 1)
np.logical_xor({x}, True)|np.equal({x}, 1)|~({x} > 0)
np.select([{x} > 1, {x} > 0], [{x}, {x} * 2], 7)|np.digitize({x}, [0.0, 1.0])|np.ldexp({x}, 2)
{x}.astype(np.float32) * {f}|{x}.astype(np.float16) + 1|np.add({x}, 1, dtype=np.float64)
np.spacing({x}) * 0|{x} == {x}|{x} >= {x}|{x} < {x}|{x} + 0.0|0.0 + {x}|{x} - 0.0|{x} - {x}
{x} * 0.0|-{x} + 0|~({x} >= 1)|~({x} < 2)|{x} * 1.0
"""

REDUCTIONS = """
np.var({x})|np.var({x}, ddof=1)|np.std({x}, axis=0)|np.median({x})|np.percentile({x}, 30)
np.quantile({x}, 0.5)|np.nansum({x})|np.nanmax({x})|np.nanmean({x}, axis=0)|np.count_nonzero({x})
np.count_nonzero({x}, axis=0)|np.sum({x}, dtype=np.float32)|np.sum({x}, where={x} > 0)
np.max({x}, initial=-1)|np.mean({x}, axis=-1)|np.ptp({x})|np.average({x})|np.prod({x}, axis=0)
np.all({x} > -5, axis=0)|np.any({x}, axis=-1)|np.argmin({x}, axis=0)|np.argmax({x}, axis=-1)
{x}.sum(axis=0, keepdims=True)|{x}.cumsum(axis=0)|np.cumprod({x})|np.linalg.norm({x})
np.linalg.norm({x}, axis=-1)|np.linalg.norm({x}, 1)|np.trace({x})|np.add.reduce({x})
np.maximum.accumulate({x})|np.add.accumulate({x}, axis=-1)|np.trapezoid({x})
np.logaddexp.reduce({x})|np.cumsum({x}, dtype=np.float32)|np.nancumsum({x})|np.min({x}, axis=0)
np.multiply.reduce({x}, axis=-1)
"""

SHAPES = """
np.atleast_2d({x})|np.swapaxes({x}, 0, -1)|np.moveaxis({x}, 0, -1)|{x}.transpose()
np.ravel({x}, order="F")|np.broadcast_to({x}, (2, *{x}.shape))|np.vstack(({x}, {x}))
np.hstack(({x}, {x}))|np.column_stack(({x}, {x}))|np.split({x}, [1])[0]|np.array_split({x}, 2)[1]
np.tile({x}, (2, 1))|np.repeat({x}, 2, axis=0)|np.append({x}, 1)|np.roll({x}, -1, axis=0)
np.flip({x}, 0)|np.rot90({x})|np.fliplr({x})|np.triu({x})|np.diag({x})|np.diagonal({x})
np.pad({x}, 1, mode="edge")|np.pad({x}, (1, 2), constant_values=3)|np.delete({x}, 0)
np.insert({x}, 0, 5)|np.sort({x}, axis=0)|np.partition({x}, 1)[..., :2]
np.argsort({x}, axis=0, kind="stable")|np.take({x}, [0, -1])
np.take_along_axis({x}, np.argsort({x}, axis=-1, kind="stable"), -1)
np.compress([True, False], {x}, axis=0)|np.ediff1d({x})|np.gradient({x})|np.diff({x}, 2)
np.diff({x}, axis=0)|np.searchsorted(np.sort({x}), [0.5, 1])|np.meshgrid({x}, {x})[0]
np.vander({x}, 3)|np.convolve({x}, [1, 2])|np.correlate({x}, [1, 2], "same")
np.interp({x}, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0])|np.polyval([1.0, 2.0], {x})
np.full_like({x}, {i} % 5)|np.atleast_1d({x})[0]|{x}[..., None]|{x}[np.newaxis, :]|{x}[-1]
{x}[:-1]|{x}[::-1, ...]|{x}[1:, ::2]|{x}[np.array([0, 0, -1])]|{x}[[[0], [-1]], [0, 1]]
{x}[:, [1, 0]]|{x}[{x}.shape[0] // 2]|{x}.flat[0]|np.fft.fft({x}).real|np.fft.rfft({x}).imag
np.bincount(np.abs({x}) % 5)|np.unravel_index({i} % 4, (2, 2))[0]|np.stack(({x}, {x}), axis=-1)
np.dstack(({x}, {x}))|np.block([{x}, {x}])|np.resize({x}, (3,))|np.trim_zeros({x})
np.linalg.inv({x} @ {x}.T + 9 * np.eye(len({x})))|np.linalg.det({x} @ {x}.T + np.eye(len({x})))
np.linalg.cholesky({x} @ {x}.T + 9 * np.eye(len({x})))
np.linalg.solve({x} @ {x}.T + 9 * np.eye(len({x})), {x})|np.linalg.matrix_power({x}, 2)
np.tril_indices_from({x})[0]|np.kron({x}, [1, 2])|np.unique({x})
"""

PAIRS = """
np.dot({x}, {y})|np.inner({x}, {y})|np.outer({x}, {y})|np.vdot({x}, {y})|np.tensordot({x}, {y}, 1)
np.einsum("i,i->", {x}, {y})|np.einsum("ij,j->i", {x}, {y})|np.einsum("ij,ij->j", {x}, {y})
np.cross({x}, {y})|np.einsum("ij,kj->ik", {x}, {y})|np.einsum("i,j->ji", {x}, {y})
np.matmul({x}, {y})|np.array_equal({x}, {y})|np.allclose({x}, {y})|np.concatenate(({x}, {y}))
np.maximum({x}, {y})|np.fmin({x}, {y})|np.subtract.outer({x}, {y})|np.where({x} > {y}, {x}, {y})
np.isin({x}, {y})|np.hypot({x}, {y})|np.arctan2({x}, {y})|np.broadcast_arrays({x}, {y})[0]
np.add({x}, {y})|np.logical_or({x}, {y})|np.greater({x}, {y})|np.minimum({x}, {y}, dtype=float)
np.append({x}, {y})|np.copysign({x}, {y})|np.fmod({x}, abs({y}) + 1)
np.floor_divide({x}, abs({y}) + 1)|np.ldexp({x}, {y} % 3)
"""


def templates(text: str) -> list[str]:
    return [item for line in text.strip().split("\n") for item in line.split("|")]


FAMILIES = [templates(text) for text in (ELEMENTWISE, REDUCTIONS, SHAPES, PAIRS)]


@ex.production(ex.ARRAYS, 30)
def library(scope: Scope, depth: int) -> Expr | None:
    """A call of a library function on an array that is at hand."""
    x = scope.pick(is_array) if scope.chance(0.7) else ex.array(scope, min(depth, 1))
    y = scope.pick(is_array)
    if x is None or y is None:
        return None
    f, i = ex.real(scope, min(depth, 1)).text, ex.integer(scope, min(depth, 1)).text
    for _ in range(4):
        template = scope.rng.choice(scope.rng.choice(FAMILIES))
        found = scope.make(template.format(x=x.text, y=y.text, f=f, i=i), fresh=False)
        if found is not None and is_array(found.value):
            scope.feature("library")
            return found
    return None


@ex.production(ex.SCALARS, 14)
def library_scalar(scope: Scope, depth: int) -> Expr | None:
    """The same, where a scalar is wanted."""
    x, y = scope.pick(is_array), scope.pick(is_array)
    if x is None or y is None:
        return None
    template = scope.rng.choice(FAMILIES[1] + FAMILIES[3])
    found = scope.make(template.format(x=x.text, y=y.text, f="0.5", i="2"))
    return found if found is not None and ex.is_scalar(found.value) else None
