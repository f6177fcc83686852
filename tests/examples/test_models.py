"""Models with derivatives, small: losses and slopes are those of the versions for `jax.jit`."""

import jax
import numpy as np
import pytest

import pyxla
from benchmarks.peers import l2hmc_jax, networks_jax, roberta_jax, word_segmentation_jax
from examples import all_convolutional, l2hmc, resnet50, roberta, word_segmentation

RATE = np.float32(0.01)


def same(ours, theirs, rtol=2e-3, atol=1e-4):
    for x, y in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=atol)


def test_step_of_a_residual_network():
    rng = np.random.default_rng(0)
    network = resnet50.make_network(rng, (1, 1), 2, 3)
    batch = resnet50.make_batch(rng, 2, 16, 3)
    loss, stepped = pyxla.compile(resnet50.step)(network, *batch, RATE)
    params = networks_jax.resnet50_parameters
    theirs = networks_jax.step(networks_jax.resnet50, params(network), *batch, RATE)
    same((loss, params(stepped)), theirs)
    assert stepped.blocks[1].square.conv.stride == 2
    assert stepped.blocks[0].shortcut.conv.bias is None


@pytest.mark.optimized
def test_step_of_an_all_convolutional_network():
    rng = np.random.default_rng(0)
    network = all_convolutional.make_network(rng, 16)
    batch = all_convolutional.make_batch(rng, 2, 16)
    loss, stepped = pyxla.compile(all_convolutional.step)(network, *batch, RATE)
    params = networks_jax.all_convolutional_parameters
    theirs = networks_jax.step(networks_jax.all_convolutional, params(network), *batch, RATE)
    same((loss, params(stepped)), theirs)


def test_step_of_a_language_model():
    rng = np.random.default_rng(0)
    model, batch = roberta.make_model(rng, 2, 16, 50, 12), roberta.make_batch(rng, 3, 10, 50)
    loss, stepped = pyxla.compile(roberta.step)(model, *batch, 2, RATE)
    theirs = roberta_jax.step(roberta_jax.parameters(model), *batch, 2, RATE)
    same((loss, roberta_jax.parameters(stepped)), theirs)
    assert type(stepped.blocks[0]) is type(model.blocks[0])


def make_chains(rng, rounds, chains):
    sampler = l2hmc.make_sampler(rng, 5)
    return sampler, rng.standard_normal((chains, 2)), l2hmc.make_numbers(rng, rounds, chains)


def test_proposals_go_back_where_they_came_from():
    rng = np.random.default_rng(0)
    sampler, x, (momenta, masks, _) = make_chains(rng, 1, 6)
    ahead, back = np.ones((6, 1)), -np.ones((6, 1))
    there = l2hmc.propose(sampler, x, momenta[0], masks, ahead)
    again = l2hmc.propose(sampler, there[0], there[1], masks, back)
    same(again[:2], (x, momenta[0]), 1e-9, 1e-9)
    same(there[2], -again[2], 1e-9, 1e-9)

    def moved(z):
        new_x, new_v, _ = l2hmc.propose(sampler, z[None, :2], z[None, 2:], masks, ahead[:1])
        return np.concatenate([new_x[0], new_v[0]])

    jacobian = pyxla.jacfwd(moved)(np.concatenate([x[0], momenta[0, 0]]))
    same(np.linalg.slogdet(jacobian)[1], there[2][0], 1e-9, 1e-9)


def test_loss_of_a_sampler():
    rng = np.random.default_rng(0)
    sampler, x, (momenta, masks, draws) = make_chains(rng, 2, 6)
    sign = l2hmc.signs(6)
    slope_of = pyxla.value_and_grad(l2hmc.loss, has_aux=True)
    (loss, _), slopes = slope_of(sampler, x, momenta[0], masks, sign)
    points = pyxla.compile(l2hmc.sample)(sampler, x, momenta, masks, draws)
    with jax.enable_x64(True):
        params = l2hmc_jax.parameters(sampler)
        value, theirs = l2hmc_jax.loss_and_slopes(params, x, momenta[0], masks, sign)
        same((loss, l2hmc_jax.parameters(slopes)), (value, theirs), 1e-8, 1e-9)
        same(points, l2hmc_jax.sample(params, x, momenta, masks, draws, sign), 1e-8, 1e-9)
    same(points, l2hmc.sample(sampler, x, momenta, masks, draws), 1e-8, 1e-9)


def test_training_a_sampler_moves_it_farther():
    rng = np.random.default_rng(0)
    sampler, x, (momenta, masks, draws) = make_chains(rng, 60, 8)
    _, _, losses = pyxla.compile(l2hmc.train)(sampler, x, momenta, masks, draws, 0.05)
    assert losses[-10:].mean() < losses[:10].mean()


def test_score_of_a_text():
    rng = np.random.default_rng(0)
    model = word_segmentation.make_model(rng, 4, 6)
    text = rng.integers(0, 4, 9).astype(np.int32)
    score, slopes = pyxla.compile(word_segmentation.score_and_slopes)(model, text, 3)
    params = word_segmentation_jax.parameters(model)
    same((score, slopes), word_segmentation_jax.score_and_slopes(params, text, 3))
    same(score, word_segmentation.score(model, text, 3), 1e-4)
    same(score, np.log(np.sum(np.exp(segmentations(model, text, 3)))), 1e-4)
    # Every letter is in one word.
    chances = word_segmentation.word_chances(model, text, 3)
    covered = sum(chances[k, t - j] for t in [4] for k in range(3) for j in range(k + 1))
    same(covered, 1.0, 1e-4)


def segmentations(model, text, longest):
    """The log probability of each way to cut the text."""
    words = word_segmentation.word_scores(model, text, longest)

    def ways(start):
        if start == text.size:
            return [0.0]
        lengths = range(min(longest, text.size - start))
        return [words[k, start] + rest for k in lengths for rest in ways(start + k + 1)]

    return ways(0)
