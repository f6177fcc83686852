"""Examples with derivatives, small: against plain runs, derivatives by hand, finite differences."""

import numpy as np
import pytest

import pyxla
from benchmarks import gradients
from benchmarks.instructions import count_jax, count_pyxla
from benchmarks.peers import gradients_jax, vgg19_jax
from examples import digits, newton_cg, transformer, vgg19
from examples.newton_cg_derivatives import Differentiated


def copied(layers):
    return tuple(type(layer)(layer.weight.copy(), layer.bias.copy()) for layer in layers)


def pictures(rng, count):
    return rng.random((count, 8, 8, 1), np.float32), rng.integers(0, 10, count).astype(np.int32)


def test_training_is_the_same_step_by_step():
    rng = np.random.default_rng(0)
    layers, (images, labels) = digits.make_layers(rng, (2, 3)), pictures(rng, 12)
    orders = digits.make_orders(rng, 2, 12)
    results = []
    for run in (digits.train, pyxla.compile(digits.train)):
        mine = copied(layers)
        optimizer = digits.make_optimizer(mine)
        results.append((run(mine, optimizer, images, labels, orders, 4), mine, optimizer))
    (plain, a, b), (compiled, c, d) = results
    np.testing.assert_allclose(plain, compiled, rtol=1e-4)
    for x, y in zip((*a, *b.velocities), (*c, *d.velocities), strict=True):
        np.testing.assert_allclose(x.weight, y.weight, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(x.bias, y.bias, rtol=1e-3, atol=1e-5)


def test_training_reaches_its_accuracy():
    images, labels = digits.load(pytest.importorskip("sklearn.datasets").load_digits())
    rng = np.random.default_rng(0)
    layers, trained = digits.make_layers(rng), digits.TRAINED
    optimizer, orders = digits.make_optimizer(layers), digits.make_orders(rng, 10)
    learn = pyxla.compile(digits.train)
    learn(layers, optimizer, images[:trained], labels[:trained], orders, 50)
    assert digits.accuracy(layers, images[trained:], labels[trained:]) > 0.92


SMALL = {
    "convex quadratic": (4,),
    "hidden Markov model": (12, 2, 3),
    "logistic regression": (30, 4),
}


@pytest.mark.parametrize("name", SMALL)
def test_derivatives_taken_are_those_by_hand(name):
    rng = np.random.default_rng(0)
    problem, x = newton_cg.PROBLEMS[name](rng, *SMALL[name])
    # At zero, logistic losses are at the kinks of the maximum and the absolute value.
    x, v = x + 0.1 * rng.standard_normal(x.shape), rng.standard_normal(x.shape)
    taken = Differentiated(problem)
    np.testing.assert_allclose(taken.gradient(x), problem.gradient(x), rtol=1e-9, atol=1e-12)
    product = taken.hessian_vector(x, v)
    np.testing.assert_allclose(product, problem.hessian_vector(x, v), rtol=1e-9, atol=1e-12)
    ours = pyxla.compile(newton_cg.newton_cg)(taken, x, 50, 1e-6)
    by_hand = newton_cg.newton_cg(problem, x, 50, 1e-6)
    np.testing.assert_allclose(ours[1], by_hand[1], rtol=1e-9)
    assert ours[3] == by_hand[3]


def test_gradient_of_vgg19():
    rng = np.random.default_rng(0)
    layers = vgg19.make_layers(rng, shrink=32, size=32, classes=5)
    images = vgg19.make_images(rng, 1, 32)

    def first(layers, images):
        return vgg19.vgg19(layers, images)[0, 0]

    slopes = pyxla.grad(first)(layers, images)
    last = layers[-1]
    probability = first(layers, images)
    others = vgg19.vgg19(layers, images)[0]
    expected = probability * ((np.arange(5) == 0) - others)
    np.testing.assert_allclose(slopes[-1].bias, expected, rtol=1e-3, atol=1e-5)
    assert [type(x) for x in slopes] == [type(x) for x in layers]
    assert slopes[-1].weight.shape == last.weight.shape


def test_the_gradient_of_vgg19_is_no_more_code_than_jax_makes():
    rng = np.random.default_rng(0)
    layers = vgg19.make_layers(rng, shrink=32, size=32, classes=5)
    images = vgg19.make_images(rng, 1, 32)
    ours = count_pyxla(gradients.vgg19_gradient, layers, images)
    theirs = count_jax(gradients_jax.vgg19_gradient, vgg19_jax.parameters(layers), images)
    assert ours.entry <= theirs.entry
    assert ours.all <= theirs.all
    # XLA:CPU has no fast code for convolutions with reversed windows.
    assert "reversal" not in pyxla.code_hlo(gradients.vgg19_gradient, layers, images)


def test_gradient_of_the_transformer():
    rng = np.random.default_rng(0)
    blocks = transformer.make_blocks(rng, 2, 16)
    x, target = rng.standard_normal((2, 6, 16), np.float32)
    value, slopes = pyxla.value_and_grad(transformer.loss)(blocks, x, target, 2)
    np.testing.assert_allclose(value, transformer.loss(blocks, x, target, 2), rtol=1e-4)
    direction = transformer.make_blocks(rng, 2, 16)
    slope = sum(np.sum(s * d) for s, d in zip(sum(slopes, ()), sum(direction, ()), strict=True))

    def moved(step):
        wide = [[p.astype(float) for p in block] for block in blocks]
        ahead = [
            transformer.Block(*(p + step * d for p, d in zip(block, move, strict=True)))
            for block, move in zip(wide, direction, strict=True)
        ]
        return transformer.loss(tuple(ahead), x.astype(float), target, 2)

    np.testing.assert_allclose(slope, (moved(1e-5) - moved(-1e-5)) / 2e-5, rtol=1e-3)
