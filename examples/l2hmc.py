"""L2HMC (Levy, Hoffman & Sohl-Dickstein 2018): a sampler whose leapfrog steps are learned.

Small networks stretch and shift the momentum and the position in each of 10 leapfrog steps. They
are trained to propose points far away that are accepted: the loss holds the gradient of the
energy, so its gradient goes through that. The target is a mixture of two Gaussians in the plane.
All chains of a batch move at once, the first half of them forwards in time, the others backwards.
"""

import time
from dataclasses import dataclass

import numpy as np

import pyxla
from examples.layers import Dense, descended, relu, squares

STEPS = 10
MEANS = np.array([[-2.0, 0.0], [2.0, 0.0]])
VARIANCE = 0.5


@dataclass
class Net:
    """What to do to one half of the state, seen the other: stretch, shift, and stretch forces."""

    first: Dense
    second: Dense
    stretch: Dense
    shift: Dense
    force: Dense

    def __call__(self, a, b, time):
        """Of states (chains, 2) each, and the time as numbers to add: three of them."""
        h = relu(self.first(np.concatenate([a, b, time + np.zeros_like(a)], axis=1)))
        h = relu(self.second(h))
        return np.tanh(self.stretch(h)), self.shift(h), np.tanh(self.force(h))


@dataclass
class Sampler:
    momentum: Net
    position: Net
    log_size: float


def energy(x):
    """Minus the logarithm of the density of points (chains, 2), but for a constant."""
    squares = np.sum((x[:, None, :] - MEANS) ** 2, axis=2) / (2 * VARIANCE)
    least = np.min(squares, axis=1)
    return least - np.log(np.sum(np.exp(least[:, None] - squares), axis=1))


def total_energy(x):
    return np.sum(energy(x))


force = pyxla.grad(total_energy)


def clock(k):
    """The time of a step as a point on a circle."""
    angle = 2 * np.pi * k / STEPS
    return np.array([np.cos(angle), np.sin(angle)])


def kick(sampler, x, v, time, sign):
    """Half a step of the momentum; `sign` is 1 forwards, -1 backwards.  Also the log volume."""
    size = np.exp(sampler.log_size)
    slope = force(x)
    stretch, shift, strength = sampler.momentum(x, slope, time)
    log = 0.5 * size * sign * stretch
    push = 0.5 * size * (slope * np.exp(size * strength) + shift)
    ahead = v * np.exp(log) - push
    back = (v + push) * np.exp(log)
    return np.where(sign > 0, ahead, back), np.sum(log, axis=1)


def drift(sampler, x, v, mask, time, sign):
    """A step of the coordinates of the position that `mask` does not hold."""
    size = np.exp(sampler.log_size)
    stretch, shift, strength = sampler.position(v, mask * x, time)
    log = size * sign * stretch
    push = size * (v * np.exp(size * strength) + shift)
    ahead = x * np.exp(log) + push
    back = (x - push) * np.exp(log)
    moved = np.where(sign > 0, ahead, back)
    return mask * x + (1 - mask) * moved, np.sum((1 - mask) * log, axis=1)


def propose(sampler, x, v, masks, sign):
    """The state after all steps, and the logarithm of how its volume changed."""
    volume = np.zeros(x.shape[0])
    for k in range(STEPS):
        forwards, backwards = clock(k), clock(STEPS - 1 - k)
        time = np.where(sign > 0, forwards, backwards)
        mask = np.where(sign > 0, masks[k], 1 - masks[STEPS - 1 - k])
        v, kicked = kick(sampler, x, v, time, sign)
        x, moved = drift(sampler, x, v, mask, time, sign)
        x, rest = drift(sampler, x, v, 1 - mask, time, sign)
        v, again = kick(sampler, x, v, time, sign)
        volume = volume + kicked + moved + rest + again
    return x, v, volume


def chances(x, v, new_x, new_v, volume):
    """The probabilities that the proposals are accepted."""
    before = energy(x) + 0.5 * np.sum(v * v, axis=1)
    after = energy(new_x) + 0.5 * np.sum(new_v * new_v, axis=1)
    return np.exp(np.minimum(before - after + volume, 0))


def loss(sampler, x, v, masks, sign):
    """The published one with scale 1; and the chains' next states but for who is accepted."""
    new_x, new_v, volume = propose(sampler, x, v, masks, sign)
    chance = chances(x, v, new_x, new_v, volume)
    distance = np.sum((new_x - x) ** 2, axis=1) * chance + 1e-4
    return np.mean(1 / distance - distance), (new_x, chance)


def signs(chains):
    return np.where(np.arange(chains) < chains // 2, 1.0, -1.0)[:, None]


def train(sampler, x, momenta, masks, draws, rate):
    """A step of length `rate` for each row of random numbers; also the last points, the losses."""
    rounds, chains, _ = momenta.shape
    losses = np.zeros(rounds)
    for k in range(rounds):
        slope_of = pyxla.value_and_grad(loss, has_aux=True)
        (losses[k], moved), slopes = slope_of(sampler, x, momenta[k], masks, signs(chains))
        sampler = descended(sampler, slopes, rate / np.sqrt(squares(slopes)))
        new, chance = moved
        x = np.where((draws[k] < chance)[:, None], new, x)
    return sampler, x, losses


def sample(sampler, x, momenta, masks, draws):
    """The points of all chains after each round, and the mean probability of acceptance."""
    rounds, chains, _ = momenta.shape
    points = np.zeros((rounds, chains, 2))
    accepted = 0.0
    for k in range(rounds):
        new_x, new_v, volume = propose(sampler, x, momenta[k], masks, signs(chains))
        chance = chances(x, momenta[k], new_x, new_v, volume)
        x = np.where((draws[k] < chance)[:, None], new_x, x)
        accepted += np.mean(chance) / rounds
        points[k] = x
    return points, accepted


def make_sampler(rng, width=10, size=0.1):
    def dense(inputs, outputs, scale):
        weight = scale * rng.standard_normal((inputs, outputs)) / np.sqrt(inputs)
        return Dense(weight, np.zeros(outputs))

    def net():
        ends = [dense(width, 2, 0.01) for _ in range(3)]
        return Net(dense(6, width, 1.0), dense(width, width, 1.0), *ends)

    return Sampler(net(), net(), float(np.log(size)))


def make_numbers(rng, rounds, chains):
    """Momenta, masks of one coordinate for each step, and numbers to accept by."""
    masks = np.eye(2)[rng.integers(0, 2, STEPS)]
    return rng.standard_normal((rounds, chains, 2)), masks, rng.random((rounds, chains))


def main():
    """Train, then sample: how often chains cross from one Gaussian to the other."""
    rng = np.random.default_rng(0)
    sampler, chains = make_sampler(rng), 64
    x = MEANS[rng.integers(0, 2, chains)] + np.sqrt(VARIANCE) * rng.standard_normal((chains, 2))
    learn, draw = pyxla.compile(train), pyxla.compile(sample)
    for label in ("before", "after"):
        momenta, masks, draws = make_numbers(rng, 200, chains)
        points, accepted = draw(sampler, x, momenta, masks, draws)
        start = time.perf_counter()
        draw(sampler, x, momenta, masks, draws)
        seconds = time.perf_counter() - start
        crossed = np.mean(np.sign(points[1:, :, 0]) != np.sign(points[:-1, :, 0]))
        print(f"{label} training: {accepted:.2f} accepted, {crossed:.3f} crossed,", end=" ")
        print(f"{200 * chains / seconds:,.0f} points a second")
        if label == "before":
            numbers = make_numbers(rng, 300, chains)
            start = time.perf_counter()
            sampler, x, losses = learn(sampler, x, *numbers, 0.02)
            print(f"trained {time.perf_counter() - start:.1f} s,", end=" ")
            print(f"loss from {losses[:20].mean():.2f} to {losses[-20:].mean():.2f}")


if __name__ == "__main__":
    main()
