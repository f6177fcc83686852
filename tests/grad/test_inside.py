"""Derivatives called inside compiled functions, against central differences of CPython."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import pyxla
from pyxla import CompileError
from pyxla.ir.rewrite import ops_in
from pyxla.ops.control import while_
from pyxla.ops.elementwise import divide
from pyxla.reflect import compilation

X = np.array([0.3, 1.2, -0.7, 2.1, 0.4])


def central(f: Any, x: Any, step: float = 1e-6) -> Any:
    """The gradient of f by a float or an array."""
    if isinstance(x, float):
        return (f(x + step) - f(x - step)) / (2 * step)
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[at] += step
        behind[at] -= step
        found[at] = (f(ahead) - f(behind)) / (2 * step)
    return found


def close(got: Any, expected: Any, tol: float = 1e-5) -> None:
    np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)


def quadratic(x):
    return (x * x * np.sin(x)).sum()


def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


GLOBAL = pyxla.grad(quadratic)
SCALE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


# Each takes (x,) and returns something; `expected` is what it should be by differences.


def made_inside(x):
    return pyxla.grad(quadratic)(x)


def made_outside(x):
    return GLOBAL(x) + 0.0


def on_a_lambda(x):
    return pyxla.grad(lambda v: (v**3).sum())(x)


def over_a_local_array(x):
    w = np.cos(x)
    return pyxla.grad(lambda v: (v * v * w).sum())(x) + w


def over_a_global_array(x):
    def f(v):
        return (v * SCALE * v).sum()

    return pyxla.grad(f)(x)


def of_a_partial(x):
    def f(a, b, c=1.0):
        return (a * b * b * c).sum()

    return pyxla.grad(functools.partial(f, 3.0, c=2.0))(x)


def twice(x):
    def inner(v):
        return (np.exp(v) * v).sum()

    return pyxla.grad(lambda v: pyxla.grad(inner)(v).sum())(x)


def hessian_vector(x):
    v = np.arange(5.0)
    return pyxla.grad(lambda y: pyxla.grad(quadratic)(y) @ v)(x)


def jvp_of_grad(x):
    return pyxla.jvp(pyxla.grad(quadratic), (x,), (np.arange(5.0),))[1]


def under_a_branch(x):
    if x.sum() > 0:
        g = pyxla.grad(quadratic)(x)
    else:
        g = pyxla.grad(lambda v: (v**2).sum())(x)
    return g * 2


def descent(x):
    for _ in range(4):
        x = x - 0.1 * pyxla.grad(quadratic)(x)
    return x


def in_a_while(x):
    steps = 0
    while steps < 20 and abs(pyxla.grad(newton)(x[3], 1e-12)) > 0.3:
        x = x * 1.1
        steps += 1
    return x


def pulled(x):
    value, pull = pyxla.vjp(lambda v: np.sin(v) * v[0], x)
    x[:] = 0.0
    (ct,) = pull(np.cos(value))
    return ct + pull(value)[0]


def linear(x):
    value, push = pyxla.linearize(lambda v: v * v, x)
    return push(np.ones(5)) + push(value)


def keeps_the_argument(x):
    def f(v):
        v *= v
        v[0] = v[1] * 3
        return v.sum()

    g = pyxla.grad(f)(x)
    return g + x


def value_too(x):
    value, g = pyxla.value_and_grad(quadratic)(x)
    return value * g


def aux(x):
    def f(v):
        return (v * v).sum(), {"n": v.shape[0], "first": v[0], "all": v * 3}

    (value, rest), g = pyxla.value_and_grad(f, has_aux=True)(x)
    rest["all"][0] = 7.0
    return g * rest["n"] + rest["first"] + rest["all"] * value


def both_arguments(x):
    def f(a, b):
        return (a * b * b).sum()

    da, db = pyxla.grad(f, argnums=(0, "b"))(x, x * 2)
    return da + db


def by_name(x):
    return pyxla.grad(lambda a, b: (a * b * b).sum(), argnums="b")(x, b=x + 1)


def with_an_int(x):
    def f(v, n):
        s = 0.0
        for k in range(n):
            s += (v**k).sum()
        return s

    return pyxla.grad(f)(x, 4)


def stats(x):
    f = pyxla.grad(lambda v: np.std(v) * np.mean(v))
    return np.stack([f(x), f(x * 2)])


def by_a_list(x):
    g = pyxla.grad(lambda parts: (parts[0] * parts[1][0]).sum())([x, (x * 2, 3)])
    return g[0] + g[1][0] + g[1][1]


def written_through_a_view(x):
    y = np.ones(10)
    y[::2] = x

    def f(v):
        y[1::2] = v
        return (y * y).sum()

    return pyxla.grad(f)(x) + y[::2]


EXPECTED = {
    made_inside: lambda x: central(quadratic, x),
    made_outside: lambda x: central(quadratic, x),
    on_a_lambda: lambda x: 3 * x**2,
    over_a_local_array: lambda x: 2 * x * np.cos(x) + np.cos(x),
    over_a_global_array: lambda x: 2 * x * SCALE,
    of_a_partial: lambda x: 12 * x,
    twice: lambda x: np.exp(x) * (2 + x),
    hessian_vector: lambda x: _hessian(x) * np.arange(5.0),
    jvp_of_grad: lambda x: _hessian(x) * np.arange(5.0),
    under_a_branch: lambda x: 2 * central(quadratic, x),
    descent: lambda x: _descended(x),
    in_a_while: lambda x: x * 1.1 ** math.ceil(math.log((0.5 / 0.3) ** 2 / 2.1, 1.1)),
    pulled: lambda x: _pulled(x),
    linear: lambda x: 2 * x + 2 * x**3,
    keeps_the_argument: lambda x: np.array([0, 8 * x[1], *2 * x[2:]]) + x,
    value_too: lambda x: quadratic(x) * central(quadratic, x),
    aux: lambda x: 10 * x + x[0] + np.array([7.0, *3 * x[1:]]) * (x * x).sum(),
    both_arguments: lambda x: 4 * x * x + 4 * x * x,
    by_name: lambda x: 2 * x * (x + 1),
    with_an_int: lambda x: 1 + 2 * x + 3 * x**2,
    stats: lambda x: np.stack(
        [central(lambda v: np.std(v) * np.mean(v), k * x) for k in (1.0, 2.0)]
    ),
    by_a_list: lambda x: 2 * x + x,
    written_through_a_view: lambda x: 2 * x + x,
}


def _hessian(x):
    return 2 * np.sin(x) + 4 * x * np.cos(x) - x * x * np.sin(x)


def _descended(x):
    for _ in range(4):
        x = x - 0.1 * (2 * x * np.sin(x) + x * x * np.cos(x))
    return x


def _pulled(x):
    def pull(ct):
        made = np.cos(x) * x[0] * ct
        made[0] += (np.sin(x) * ct).sum()
        return made

    value = np.sin(x) * x[0]
    return pull(np.cos(value)) + pull(value)


@pytest.mark.parametrize("program", EXPECTED, ids=lambda f: f.__name__)
def test_programs(program: Any):
    close(pyxla.compile(program)(X.copy()), EXPECTED[program](X), 1e-4)


# --- training ---------------------------------------------------------------------------------


class Layer(NamedTuple):
    w: np.ndarray
    b: np.ndarray


@dataclass
class Adam:
    rate: float
    step: int = 0
    m: dict = field(default_factory=dict)
    v: dict = field(default_factory=dict)

    def update(self, params: dict, grads: dict) -> None:
        self.step += 1
        for name in params:
            self.m[name] = 0.9 * self.m[name] + 0.1 * grads[name]
            self.v[name] = 0.999 * self.v[name] + 0.001 * grads[name] ** 2
            m = self.m[name] / (1 - 0.9**self.step)
            v = self.v[name] / (1 - 0.999**self.step)
            params[name] -= self.rate * m / (np.sqrt(v) + 1e-8)


def mse(params, x, y):
    h = np.tanh(x @ params["w1"] + params["b1"])
    return np.mean((h @ params["w2"] - y) ** 2)


def train(params, adam, x, y, steps):
    losses = np.zeros(steps)
    for i in range(steps):
        loss, grads = pyxla.value_and_grad(mse)(params, x, y)
        adam.update(params, grads)
        losses[i] = loss
    return losses


def numpy_gradient(params, x, y):
    return {
        name: central(lambda p, name=name: mse({**params, name: p}, x, y), params[name])
        for name in params
    }


def state(seed=0):
    rng = np.random.default_rng(seed)
    params = {
        "w1": rng.standard_normal((2, 4)),
        "b1": np.zeros(4),
        "w2": rng.standard_normal(4),
    }
    zeros = {name: np.zeros_like(p) for name, p in params.items()}
    adam = Adam(0.05, 0, {**zeros}, {n: z.copy() for n, z in zeros.items()})
    x = rng.standard_normal((8, 2))
    return params, adam, x, np.sin(x[:, 0])


def test_training_with_adam():
    params, adam, x, y = state()
    losses = pyxla.compile(train)(params, adam, x, y, 5)
    expected, other, *_ = state()
    for i in range(5):
        assert losses[i] == pytest.approx(mse(expected, x, y), rel=1e-6)
        other.update(expected, numpy_gradient(expected, x, y))
    assert adam.step == 5
    for name in params:
        close(params[name], expected[name])


@dataclass
class Model:
    w: np.ndarray
    b: float
    steps: int = 0

    def loss(self, x, y):
        return np.mean((x @ self.w + self.b - y) ** 2)

    def fit(self, x, y, rate):
        g = pyxla.grad(Model.loss)(self, x, y)
        self.w -= rate * g.w
        self.b -= rate * g.b
        self.steps += 1
        return g

    def slope(self, x, y):
        return pyxla.grad(self.loss)(x, y)


def test_models():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((6, 3)), rng.standard_normal(6)
    model = Model(np.ones(3), 0.5)
    g = pyxla.compile(Model.fit)(model, x, y, 0.1)
    dw = central(lambda w: Model(w, 0.5).loss(x, y), np.ones(3))
    db = central(lambda b: Model(np.ones(3), b).loss(x, y), 0.5)
    assert type(g) is Model and type(g.b) is float and g.steps == 0 and model.steps == 1
    close(g.w, dw)
    close(model.w, 1 - 0.1 * dw)
    close(model.b, 0.5 - 0.1 * db)
    close(pyxla.compile(Model.slope)(model, x, y), central(lambda v: model.loss(v, y), x))
    close(pyxla.grad(model.loss)(x, y), central(lambda v: model.loss(v, y), x))


def test_what_is_raised_inside():
    def checked(x):
        if x[0] > 1:
            raise ValueError(f"first is {x[0]:.2f}")
        assert x[1] > 0, "second"
        return (x * x).sum()

    @pyxla.compile
    def outer(x):
        y = x.copy()
        for _ in range(3):
            y = y + pyxla.grad(checked)(y)
        return y

    close(outer(X * 0.01), X * 0.27)
    with pytest.raises(ValueError, match="first is 2.70"):
        outer(np.abs(X))
    with pytest.raises(AssertionError, match="second"):
        outer(-X)
    with pytest.raises(ValueError, match="first"):
        pyxla.grad(checked)(X + 5)


def test_kinds_of_numbers():
    def f(a, b, c, n, flag):
        s = a * a + b * 3 + (c * c).sum() * n
        return s if flag else -s

    @pyxla.compile
    def outer(a, b, c, n):
        return pyxla.grad(f, argnums=(0, 1, 2))(a, b, c, n, True), pyxla.grad(lambda d: f(*d))(
            [a, b, c, n, True]
        )

    (da, db, dc), all_ = outer(2.0, np.float32(3), np.array(4.0, np.float32), 5)
    assert (type(da), type(db), type(dc)) == (float, np.float32, np.ndarray)
    assert dc.dtype == np.float32 and dc.shape == () and (da, db, dc) == (4.0, 3.0, 40.0)
    assert all_[3:] == [0, False] and type(all_[3]) is int and type(all_[4]) is bool
    assert pyxla.compile(lambda x: pyxla.grad(lambda z: abs(z) ** 2)(x))(3 + 4j) == 6 - 8j


def test_static_ints_and_captures_reach_the_outer_compilation():
    table = np.arange(6.0)

    def f(x, n):
        return (np.zeros(n) + x * table[:n]).sum()

    @pyxla.compile
    def outer(x, n):
        return pyxla.grad(f)(x, n)

    assert outer(2.0, 3) == 3.0
    table[2] = 10.0
    assert outer(2.0, 3) == 11.0
    assert outer(2.0, 4) == 14.0


def test_refusals_name_the_line():
    def vector(x):
        return x * 2

    def nothing(x):
        x[0] = 1.0

    counter = 0

    def counts(x):
        nonlocal counter
        counter += 1
        return x.sum()

    for f, words in (
        (vector, "one real number; this one returns f64[5]"),
        (nothing, "pyxla.functional"),
        (counts, "assigns to a variable outside"),
    ):
        with pytest.raises(CompileError) as caught:
            pyxla.compile(lambda x, f=f: pyxla.grad(f)(x))(X)
        assert words in str(caught.value) and "test_inside.py" in str(caught.value)
    with pytest.raises(CompileError, match="not floating point"):
        pyxla.compile(lambda n: pyxla.grad(lambda k: k * 1.0)(n))(3)


def test_prints_stay_in_order(capfd):
    def f(x):
        print("inside", x)
        return x * x

    @pyxla.compile
    def outer(x):
        print("before")
        g = pyxla.grad(f)(x)
        print("after", g)
        return g

    outer(3.0)
    assert capfd.readouterr().out.split("\n")[:3] == ["before", "inside 3.0", "after 6.0"]


def test_objects_in_two_places():
    def tied(ws):
        return (ws[0] * ws[1] * ws[1]).sum()

    def swapped(a, b):
        a[0] = 5.0
        return (a * b).sum()

    @pyxla.compile
    def inside(w):
        return pyxla.grad(tied)([w, w]), pyxla.grad(lambda a, b: (a * b).sum())(w, w)

    (first, second), one = inside(X)
    close(first, X * X)
    close(second, 2 * X * X)
    close(one, X)
    for got, expected in zip(pyxla.grad(tied)([X, X]), (first, second), strict=True):
        close(got, expected)
    for f in (lambda w: pyxla.grad(swapped)(w, w), lambda w: pyxla.grad(swapped)(w, w[::-1])):
        with pytest.raises(CompileError, match="in two places"):
            pyxla.compile(f)(X)

    def both(x):
        y = x * 2
        return y, y

    _, pull = pyxla.vjp(both, X)
    close(pull((X, X + 1))[0], 2 * (2 * X + 1))

    def aliased(a, b):
        a += b
        return b

    @pyxla.compile
    def functional(x):
        return pyxla.functional(aliased)(x, x)

    result, (a, b) = functional(X)
    assert result is a and a is b
    close(a, 2 * X)
    with pytest.raises(CompileError, match="in two places"):
        pyxla.compile(lambda x: pyxla.functional(aliased)(x, x[::-1]))(X)


def first(t):
    return first(t[0]) if isinstance(t, list) else t * t


def test_lists_of_one_list_twice_nested_deeply():
    """As many places as 2 to their depth: no time for compiling, and too many for gradients."""

    def nested(depth):
        t = 3.0
        for _ in range(depth):
            t = [t, t]
        return t

    assert pyxla.compile(first)(nested(40)) == 9.0
    assert pyxla.grad(first)(nested(2)) == [[6.0, 0.0], [0.0, 0.0]]
    for transform in (pyxla.grad, pyxla.value_and_grad, pyxla.jacfwd):
        with pytest.raises(CompileError, match=r"the same objects in more than 10,000 places"):
            transform(first)(nested(40))


def test_sizes_that_data_decide():
    def positive(x):
        return x[x > 0] * 2

    value, pull = pyxla.vjp(positive, X)
    ct = np.arange(1.0, 5.0)
    close(pull(ct)[0], np.array([2.0, 4, 0, 6, 8]))
    close(pyxla.jvp(positive, (X,), (X,))[1], X[X > 0] * 2)
    close(pyxla.grad(lambda x: (positive(x) ** 2).sum())(X), np.where(X > 0, 8 * X, 0))
    with pytest.raises(CompileError, match="must have the type"):
        pull(np.arange(6.0))


def test_loops_that_never_run():
    def f(x):
        s = 0.0
        for i in range(0):
            s += x[:i].sum() * (x[i] if x[i] > 0 else 1.0)
        return s + x.sum()

    close(pyxla.grad(f)(X), np.ones(5))


def test_lists_of_unknown_length_and_values_that_may_be_none():
    def squares(x):
        found = []
        for i in range(5):
            if x[i] > 0.35:
                found.append(x[i] * x[i])
        return sum(found), found

    (value, found), g = pyxla.value_and_grad(squares, has_aux=True)(X)
    close(value, sum(found))
    close(g, np.where(X > 0.35, 2 * X, 0))
    assert len(found) == 3

    def least(x):
        best = None
        for i in range(5):
            if x[i] > 0.35 and (best is None or x[i] < best):
                best = x[i]
        return best

    with pytest.raises(CompileError, match="may be None"):
        pyxla.grad(least)(X)
    close(pyxla.grad(lambda x: least(x) * 2 if least(x) is not None else 0.0)(X), 2 * (X == 0.4))


def test_tangents_and_cotangents_belong_to_keys_not_places():
    def slopes(x, p):
        tangent = pyxla.jvp(lambda q: q["k"] * 10 + q["c"], (p,), ({"c": 1.0, "k": x},))[1]
        made, pull = pyxla.vjp(lambda q: {"a": q * 2, "b": q * 3}, x)
        return tangent, pull({"b": 1.0, "a": made["a"]})[0]

    assert pyxla.compile(slopes)(0.5, {"k": 3.0, "c": 1.0}) == (6.0, 5.0)
    _, pull = pyxla.vjp(lambda q: {"a": q * 2, "b": q * 3}, 1.0)
    assert pull({"b": 1.0, "a": 0.0}) == (3.0,)
    with pytest.raises(pyxla.CompileError, match="form of what it belongs to"):
        pyxla.jvp(lambda q: q["k"], ({"k": 1.0},), ({"j": 1.0},))


def test_divisions_of_a_derivative_are_the_same_for_all_directions():
    """So they are made before a loop over directions: in it there are only products."""

    def loss(x):
        return np.sum(1 / (1 + np.exp(-x)))

    def curvatures(x, directions):
        found = 0.0
        for v in directions:
            found += v @ pyxla.jvp(pyxla.grad(loss), (x,), (v,))[1]
        return found

    directions = np.linspace(-1, 1, 3 * X.size).reshape(3, X.size)
    region = compilation(curvatures, X, directions).at("regions").origin
    (loop,) = [instr for instr in region.instrs if instr.op is while_]
    assert divide in ops_in((region,))
    assert divide not in ops_in(loop.regions)
    slope = pyxla.grad(loss)
    step = 1e-5
    expected = [v @ (slope(X + step * v) - slope(X - step * v)) / (2 * step) for v in directions]
    close(pyxla.compile(curvatures)(X, directions), sum(expected))


def test_tangents_of_another_kind_are_refused():
    def f(x, k):
        return x[k].sum()

    k = np.array([0, 2])
    with pytest.raises(CompileError, match="must have the type of what it belongs to"):
        pyxla.jvp(f, (X, k), (None, k))
    with pytest.raises(CompileError, match="must have the type of what it belongs to"):
        pyxla.vjp(f, X, k)[1](None)
    with pytest.raises(CompileError, match="must have the form of what it belongs to"):
        pyxla.jvp(lambda p: p[0] * p[1], ((1.0, 2.0),), ((1.0,),))
    with pytest.raises(CompileError, match="positions and names of arguments, not 1.5"):
        pyxla.grad(f, 1.5)
    with pytest.raises(CompileError, match="a tuple of arguments and a tuple of tangents"):
        pyxla.jvp(np.sum, X, X)
