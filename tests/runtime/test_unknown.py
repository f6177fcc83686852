"""Fields that programs cannot take: refused where one is read, and else no matter."""

from __future__ import annotations

import dataclasses
import io

import jax.numpy as jnp
import numpy as np
import pytest

import pyxla


class Model:
    def __init__(self) -> None:
        self.w = np.arange(3.0)
        self.names = bytearray(b"ab")
        self.words = np.array(["a", "b"])
        self.swapped = np.arange(3.0).astype(">f8")
        self.me = self
        self.file = io.StringIO()
        self.n = 3


@dataclasses.dataclass
class Settings:
    scale: float
    extra: dict


def applied(m, x):
    return (m.w * x).sum() * m.n


def test_fields_that_nobody_reads():
    compiled = pyxla.compile(applied)
    model = Model()
    for x in (1.0, 2.0):
        assert compiled(model, x) == applied(model, x)
    model.names = bytearray(b"c")
    model.words = np.array(["abc"])
    model.w = np.ones(3)
    assert compiled(model, 2.0) == applied(model, 2.0) == 18.0
    assert len(compiled.specializations) == 2  # an array of another dtype
    other = Model()
    other.names = None
    assert compiled(other, 1.0) == 9.0


def test_in_other_containers():
    compiled = pyxla.compile(lambda s, x: s.scale * x + s.extra["k"])
    assert (
        compiled(Settings(2.0, {"k": 1.0, "tags": bytearray(2), "list": [bytearray(1)]}), 3.0)
        == 7.0
    )
    assert pyxla.compile(lambda d, x: d["x"] * x)({"x": 2.0, "of": np.array(["u"])}, 3.0) == 6.0
    assert pyxla.compile(lambda t, x: t[0] * x)((2.0, bytearray(1)), 3.0) == 6.0


def test_they_stay_as_they_are():
    def changed(m):
        m.n += 1
        m.w[0] = 7.0
        return m, [m]

    model = Model()
    kept = dict(model.__dict__)
    result, (again,) = pyxla.compile(changed)(model)
    assert result is model is again
    assert model.n == 4 and model.w[0] == 7.0
    for name in ("names", "words", "me", "file"):
        assert getattr(model, name) is kept[name]

    def handed_on(m):
        return m.names, m.me

    with pytest.raises(pyxla.CompileError):
        pyxla.compile(lambda m: len(m.names))(model)
    assert pyxla.compile(handed_on)(model) == (model.names, model)


@pytest.mark.parametrize(
    ("function", "reason", "remedy"),
    [
        (lambda m: len(m.names), "this is a bytearray", "pytree"),
        (lambda m: "a" in m.names, "this is a bytearray", "pytree"),
        (lambda m: m.words[0], "this has dtype <U1", "x.tolist()"),
        (lambda m: m.swapped + 1, "this has dtype >f8", "native byte order"),
        (lambda m: m.me.n, "this contains itself", "cyclic structures"),
        (lambda m: [y for y in m.names], "this is a bytearray", "pytree"),
    ],
)
def test_where_one_is_read(function, reason, remedy):
    with pytest.raises(pyxla.CompileError, match=reason) as caught:
        pyxla.compile(function)(Model())
    assert caught.value.loc.filename == __file__ and remedy in caught.value.hint


def test_arguments_themselves_are_refused_by_name():
    for bad in (bytearray(2), np.array(["a"])):
        with pytest.raises(pyxla.CompileError, match=" x is a bytearray| x has dtype"):
            pyxla.compile(lambda x: 1.0)(bad)


def test_derivatives_and_types():
    model = Model()
    np.testing.assert_allclose(pyxla.grad(applied, 1)(model, 2.0), 9.0)
    compiled = pyxla.compile(applied)
    compiled.specialize(model, float)
    assert compiled(model, 2.0) == 18.0
    assert "names=bytearray" in compiled.specializations[0].types
    assert float(pyxla.compile(applied)(model, jnp.float32(2))) == 18.0
