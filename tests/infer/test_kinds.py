"""Scalars and 0-d arrays, new arrays and the old ones: as NumPy has them, over the whole library.

Python scalars, NumPy's immutable scalars and 0-d arrays are three kinds; which of them a function
returns, and whether an array it returns is its argument's memory, is asked of NumPy itself.
"""

from __future__ import annotations

import ast
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pyxla import ahead
from pyxla.abstract.heap import GrowingList, ListCell, ObjectCell
from pyxla.abstract.lattice import Array, Compound, Const, Ref, Scalar, Tuple, is_variant
from pyxla.errors import CompileError
from pyxla.infer import rules  # noqa: F401 - registers everything
from pyxla.lib.containers import actual
from pyxla.lib.registry import REGISTRY, RULES
from pyxla.options import Options
from pyxla.runtime.request import Needed
from pyxla.specialize import results
from tests.fuzz.sources import remember

VALUES = {
    "z": lambda: np.array(2.5), "s": lambda: np.float64(2.5), "p": lambda: 2.5,
    "v": lambda: np.array([1.5, 0.0, 3.5]), "u": lambda: np.array([1.5, 2.5, 3.5]),
    "m": lambda: np.array([[1.0, 2.0], [3.0, 5.0]]), "t": lambda: np.array([1, 2, 0]),
    "i": lambda: np.array(1), "j": lambda: np.int64(1), "k": lambda: 1,
    "c": lambda: np.array(2 + 1j), "d": lambda: np.complex128(2 + 1j),
    "h": lambda: np.array([1 + 1j, 2.0]), "b": lambda: np.array(True), "o": lambda: np.array([2.5]),
    "q": lambda: np.zeros((2, 3, 1)),
}  # fmt: skip


def kind_of(r: Any) -> str:
    """array, number (NumPy's) or a Python type, inside containers; shapes for other arrays."""
    if isinstance(r, np.ndarray):
        return f"array{r.ndim}"
    if isinstance(r, np.generic):
        return "number"
    if isinstance(r, tuple | list):
        return f"{type(r).__name__}({', '.join(map(kind_of, r))})"
    return type(r).__name__


def sharing(r: Any, values: dict[str, Any]) -> list[str]:
    """For each array in `r` whose memory it is, or would be if it had elements; `!` where NumPy
    forbids to write."""
    if isinstance(r, tuple | list):
        return [x for item in r for x in sharing(item, values)]
    if not isinstance(r, np.ndarray):
        return []
    shown = [n for n, v in values.items() if np.shares_memory(r, v) or (not r.size and r.base is v)]
    owner = "".join(shown)
    return [owner + "!" * bool(owner and not r.flags.writeable)]


class Typed:
    """An expression as inference sees it."""

    def __init__(self, expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
        tree = ast.parse(expression)
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & set(VALUES)
        names -= {a.arg for n in ast.walk(tree) if isinstance(n, ast.Lambda) for a in n.args.args}
        self.names = sorted(names)
        self.expression = expression
        original = results.Outputs.outcome

        def outcome(outputs: Any, end: Any) -> Any:
            self.result, self.world = end.result, outputs.world
            return original(outputs, end)

        with monkeypatch.context() as patch:
            patch.setattr(results.Outputs, "outcome", outcome)
            text = f"import numpy as np\ndef f({', '.join(self.names)}):\n    return {expression}\n"
            namespace: dict[str, Any] = {}
            exec(compile(text, remember(text), "exec"), namespace)
            given = list(self.values().values())
            ahead.specialize(namespace["f"], given, (), Options(), Needed()).at("typed")

    def values(self) -> dict[str, Any]:
        return {name: VALUES[name]() for name in self.names}

    def content(self, x: Ref) -> Any:
        return self.world.engine.heap.contents[x.cell]

    def is_of_any_length(self) -> bool:
        """Whether the result is a list whose length data decides."""
        return isinstance(self.result, Ref) and isinstance(self.content(self.result), GrowingList)

    def kind(self, x: Any) -> str:
        if isinstance(x, Const):
            return kind_of(x.value)
        if isinstance(x, Scalar):
            return x.kind.__name__
        if isinstance(x, Array):
            return "number"
        if isinstance(x, Compound):
            return "str" if x.kind == "text" else x.kind
        if is_variant(x, "mixed"):
            (kind,) = {self.kind(item) for item in x.items}
            return kind
        content = x if isinstance(x, Tuple) else self.content(x)
        if isinstance(content, Array):
            return f"array{len(x.view[-1].shape if x.view else content.shape)}"
        if isinstance(content, ObjectCell):
            return actual(content.cls).__name__
        name = "list" if isinstance(content, ListCell) else content.cls.__name__
        return f"{name}({', '.join(map(self.kind, content.items))})"

    def sharing(self, x: Any) -> list[str]:
        if isinstance(x, Const):
            return sharing(x.value, {})
        if isinstance(x, Scalar | Array | Compound):
            return []
        if is_variant(x, "mixed"):
            return self.sharing(x.items[0])
        content = x if isinstance(x, Tuple) else self.content(x)
        if isinstance(content, ObjectCell):
            return []
        if not isinstance(content, Array):
            return [y for item in content.items for y in self.sharing(item)]
        paths = self.world.paths
        owner = self.names[paths[x.cell][0]] if x.cell in paths else ""
        return [owner + "!" * bool(owner and not all(s.writable for s in x.view))]


def differences(expression: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What inference says of an expression and NumPy does not; "" also where one refuses it."""
    names = {n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)}
    values = {name: make() for name, make in VALUES.items() if name in names}
    try:
        found = eval(expression, {"np": np}, values)
        typed = Typed(expression, monkeypatch)
    except CompileError:
        return ""
    except Exception:  # noqa: BLE001 - NumPy does not take these arguments
        return ""
    if typed.is_of_any_length():  # it has not the types of so many items
        return ""
    expected = kind_of(found), sharing(found, values)
    if "broadcast_arrays" in expression:  # deprecated to write to those, and refused here
        expected = expected[0], typed.sharing(typed.result)
    actual = typed.kind(typed.result), typed.sharing(typed.result)
    return "" if actual == expected else f"{expression}: {actual}, expected {expected}"


def calls(letters: str, count: int, but: str) -> Iterator[str]:
    """Every function and method with every choice of so many arguments, not all of `but`."""
    choices = itertools.product(letters, repeat=count)
    kept = [chosen for chosen in choices if not set(chosen) <= set(but)]
    for target in {**REGISTRY, **RULES}:
        name = getattr(target, "__qualname__", None) or getattr(target, "__name__", "")
        module = "numpy" if isinstance(target, np.ufunc) else getattr(target, "__module__", "")
        for chosen in kept:
            if name.startswith("ndarray."):
                yield f"{chosen[0]}.{name[8:]}({', '.join(chosen[1:])})"
            elif module and module.partition(".")[0] == "numpy" and _is_plain(module, name):
                yield f"{module.replace('numpy', 'np', 1)}.{name}({', '.join(chosen)})"


def _is_plain(module: str, name: str) -> bool:
    return "random" not in module and "." not in name and not name.startswith("_")


@pytest.mark.parametrize(
    ("letters", "count", "but"), [("zspvmiktcdh", 1, ""), ("zpvki", 2, ""), ("zpmt", 2, "zp")]
)
def test_every_function_has_numpys_kinds(letters, count, but, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [differences(call, monkeypatch) for call in calls(letters, count, but)]
    assert not [text for text in found if text]


EXPRESSIONS = """
np.take(v, 0)|np.take(v, i)|v.take(j)|np.select([z > 1], [z], 0.0)|np.select([b], [s], s)
np.choose(i, [z, z])|np.choose(i, v)|np.piecewise(z, [z > 1], [1.0, 2.0])|np.where(z > 1, s, p)
np.apply_along_axis(np.sum, 0, v)|np.apply_along_axis(lambda r: r.sum(), 0, v)|np.i0(s)
np.apply_along_axis(np.cumsum, 0, m)|np.interp(z, v, v)|np.interp(p, v, v)|np.searchsorted(v, z)
np.digitize(z, u)|np.ravel_multi_index((i, i), (3, 4))|np.unravel_index(i, (2, 3))
np.einsum(",->", z, z)|np.einsum("->", z)|np.einsum("ii", m)|np.average(v, returned=True)
np.nan_to_num(z)|np.quantile(v, z / 5)|np.median(v)|np.tensordot(m, m)
np.linalg.tensordot(v, v, axes=1)|np.cross(v[:2], v[:2])|np.cov(v)|np.corrcoef(v)
np.unique(z, return_inverse=True)|np.lexsort((z,))|z.astype(int)|s.astype(int)|np.astype(z, int)
np.astype(s, int)|np.reshape(z, ())|np.reshape(s, ())|np.reshape(p, ())|s.reshape(())
np.reshape(o, ())|np.squeeze(o)|np.broadcast_to(s, ())|np.pad(z, ())|z[()]|z[...]|s[()]|s[...]
v[0]|v[0, ...]|v[i]|m[0][0]|z.T.copy()|s.copy()|s.squeeze()|np.flip(z)|z.real|z.imag|c.real|c.imag
d.imag|s.real|np.real(p)|np.imag(k)|np.imag(z)|c.conj()|np.conj(z)|abs(z)|-z|+z|z + 1|z == z|~b
not b|divmod(z, 2)|round(z)|round(s)|round(z, 1)|z.round()|max(z, z)|sum([z, z])|float(z)|z.item()
z.tolist()|v.tolist()|np.less(k, k + 1)|np.resize(v, ())|np.resize(z, 2)|np.fft.fftn(z)
np.linalg.matrix_rank(v)|np.linalg.matrix_rank(m)|np.add.outer(z, s)|np.block(z)|np.add.reduce(v)
np.divmod(z, 2)|np.modf(z)|np.add(z, z, out=z)|np.fix(z, z)|np.isposinf(s, b)
np.sum(v, None, None, z)|np.mean(v, 0, None, z)|np.clip(z, 0, 1, z)|np.round(v, 1, v)
np.cumsum(v, 0, None, v)|[x for x in v][0]|list(v)|tuple(v)|next(iter(v))|v.flat[0]
np.array([z, z])[0]|np.float64(z)|np.float64(v)|np.isreal(p)|np.iscomplex(p)|np.atleast_1d(z)
np.expand_dims(z, 0)[0]|np.ascontiguousarray(z)|np.nan_to_num(v, copy=False)
np.nan_to_num(t, copy=False)|np.nan_to_num(z, copy=False)|np.array(v, copy=None)
np.array(v, copy=False)|np.array(v, ndmin=2)|np.array(v, ndmin=2, copy=None)
np.asarray(v, dtype=float)|np.asarray(v, order="F")|np.asarray(m, order="F")
np.asarray(v, copy=True)|np.asarray(m.T, order="F")|np.array(m, order="F", copy=None)
np.meshgrid(v, v)|np.meshgrid(v, t, sparse=True)|np.meshgrid(v, t, copy=False, sparse=True)
np.meshgrid(v, copy=False)|m.astype(float, copy=False)|m.astype(float, "F", "unsafe", True, False)
np.astype(m, float, copy=False)|np.diff(v, 0)|np.diff(v)|np.ravel(m, "F")|m.ravel("K")|m.T.ravel()
m.T.ravel("K")|m.reshape(4, order="F")|m.T.reshape(4)|np.unstack(m, axis=1)|np.unstack(v)
v.view(np.int64)|m.real|h.real|h.imag|np.atleast_1d(v, z)|np.rot90(m, 0)|np.rot90(m, 4)
np.roll(v, 0)|np.split(v, 3)|np.compress([True], v)|np.concatenate([v])|np.round(t)|np.floor(t)
np.positive(v)|np.broadcast_to(v, (3,))|np.broadcast_to(v, (2, 3))|np.broadcast_arrays(v, z)[0]
np.broadcast_arrays(v, v)|np.broadcast_arrays(v, p)|np.resize(v, 3)|np.trim_zeros(v, "f")
np.trim_zeros(v)|np.interp(v, v, v)|np.linalg.matrix_power(m, 1)|np.linalg.matrix_power(m, 2)
np.einsum("ij", m)|np.einsum("ij->ji", m)|np.einsum("ii->i", m)|np.einsum("...i->i...", m)
np.einsum("ij->j", m)|np.einsum("i->i", v)|np.asfortranarray(m)|np.asfortranarray(m.T)
np.asfortranarray(v)|np.ascontiguousarray(m.T)|m.transpose(0, 1)|m.swapaxes(0, 0)|np.diag(m, -1)
np.diag(v)|np.linalg.diagonal(m, offset=1)|np.linalg.matrix_transpose(m)|np.ix_(v, t)|np.ix_(t)
np.histogram(v, u)|np.histogram_bin_edges(v, u)|np.float32(v)|np.int64(t)|np.real_if_close(v)
v.conj()|h.conj()|t.conjugate()|np.sum(v, axis=())|np.array([v])|[x for x in m]|z.reshape(1)
z.ravel()|z.flatten()|np.ravel(z)|z[None]|q[0, :, 0]|q.squeeze()|q[..., 0]|np.real(v)|np.imag(h)
v[:]|v[[0, 1]]
"""


@pytest.mark.parametrize("line", EXPRESSIONS.strip().split("\n"))
def test_expressions_have_numpys_kinds(line, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [differences(text, monkeypatch) for text in line.split("|")]
    assert not [text for text in found if text]
