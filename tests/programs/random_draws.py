"""Programs that draw random numbers: simulations, Markov chains, resampling."""

import math
import random

import numpy as np

from tests.programs import program


@program("monte carlo lcg", lambda: (500, 1))
def monte_carlo_pi(n, seed):
    hits = 0
    for _ in range(n):
        seed = (seed * 16807) % 2147483647
        x = seed / 2147483647
        seed = (seed * 16807) % 2147483647
        y = seed / 2147483647
        hits += x * x + y * y <= 1.0
    return 4 * hits / n


@program("random walk metropolis", lambda: (200, 7))
def metropolis(n, seed):
    def uniform(state):
        state = (state * 1103515245 + 12345) % 2**31
        return state, state / 2**31

    x, accepted = 0.0, 0
    samples = np.zeros(n)
    for i in range(n):
        seed, u = uniform(seed)
        proposal = x + 2 * (u - 0.5)
        seed, v = uniform(seed)
        if math.log(v + 1e-12) < 0.5 * (x * x - proposal * proposal):
            x = proposal
            accepted += 1
        samples[i] = x
    return samples.mean(), samples.std(), accepted


@program("ising", lambda: (np.where(np.arange(16).reshape(4, 4) % 3 == 0, 1, -1), 3, 5))
def ising(spins, sweeps, seed):
    n = spins.shape[0]
    for _ in range(sweeps):
        for i in range(n):
            for j in range(n):
                around = (
                    spins[(i + 1) % n, j]
                    + spins[i - 1, j]
                    + spins[i, (j + 1) % n]
                    + spins[i, j - 1]
                )
                de = 2 * spins[i, j] * around
                seed = (1664525 * seed + 1013904223) % 4294967296
                if de <= 0 or seed / 4294967296 < math.exp(-0.5 * de):
                    spins[i, j] *= -1
    return spins.sum()


@program("gillespie queue", lambda: (60, 3))
def queue_simulation(steps, seed):
    length, longest, refused = 0, 0, 0
    clock = 0.0
    for _ in range(steps):
        seed = (seed * 48271) % 2147483647
        u = seed / 2147483647
        rate = 1.0 + (1.2 if length > 0 else 0.0)
        clock += -math.log(u) / rate
        seed = (seed * 48271) % 2147483647
        if seed / 2147483647 * rate < 1.0:
            if length >= 5:
                refused += 1
                continue
            length += 1
            longest = max(longest, length)
        else:
            length -= 1
    return clock, length, longest, refused


@program("random walk with a generator", lambda: (7, 200))
def drift(seed, steps):
    rng = np.random.default_rng(seed)
    x = 0.0
    highest = 0.0
    for _ in range(steps):
        x = 0.9 * x + rng.normal(0.1, 0.5)
        if x > highest:
            highest = x
        elif rng.random() < 0.01:
            x = 0.0
    return x, highest


@program("Metropolis sampling", lambda: (np.random.default_rng(3), 300))
def metropolis_walk(rng, count):
    x, accepted = 0.0, 0
    samples = np.empty(count)
    for i in range(count):
        proposal = x + rng.uniform(-1.0, 1.0)
        if rng.random() < np.exp(0.5 * (x * x - proposal * proposal)):
            x = proposal
            accepted += 1
        samples[i] = x
    return samples.mean(), accepted


@program("bootstrap of a mean", lambda: (np.random.default_rng(5), np.linspace(0.0, 3.0, 40)))
def bootstrap(rng, x):
    means = np.empty(20)
    for i in range(20):
        means[i] = x[rng.integers(0, len(x), len(x))].mean()
    order = rng.permutation(len(x))
    return means.std(), x[order][:5], rng.choice(x, 3)


@program("birth and death", lambda: (11, 60))
def births(seed, years):
    rng = np.random.default_rng(seed)
    population = 30
    for _ in range(years):
        population += rng.poisson(0.1 * population) - rng.binomial(population, 0.11)
        if population <= 0:
            break
    return population


@program(
    "samples of lists that data fills",
    lambda: (np.random.default_rng(5), np.array([1.0, -2, 3, 4, -5, 6]), 8),
    lambda: (np.random.default_rng(5), np.array([1.0, -2, 3, -4, -5, -6]), 8),
)
def samples_of_others(rng, x, n):
    found = []
    for i in range(n):
        others = [k for k in range(n) if k != i]
        found.append(rng.choice(others, 3, replace=False))
    kept = [v for v in x if v > 0]
    pair = rng.choice(x[x < 0], (1, 2), replace=False, shuffle=False)
    return np.array(found), pair, rng.choice(kept, 3, replace=False), rng.random()


@program("a genetic algorithm", lambda: (np.random.default_rng(2), 8, 16, 6))
def evolve(rng, genes, size, generations):
    people = rng.integers(0, 2, (size, genes))
    best = []
    for _ in range(generations):
        fitness = people.sum(axis=1)
        best.append(int(fitness.max()))
        rounds = [rng.choice(size, 3, replace=False) for _ in range(size)]
        people = people[np.array([max(some, key=lambda i: fitness[i]) for some in rounds])]
        for i in range(0, size - 1, 2):
            cut = rng.integers(1, genes)
            people[i, cut:], people[i + 1, cut:] = (
                people[i + 1, cut:].copy(),
                people[i, cut:].copy(),
            )
        flipped = rng.random(people.shape) < 0.05
        people[flipped] ^= 1
    return best, people


@program("weights of a mixture", lambda: (np.random.default_rng(2), np.array([0.5, 1.0, 3.0])))
def mixture(rng, shapes):
    weights = rng.dirichlet(shapes, 4)
    means = rng.beta(shapes, 2.0)
    return weights, means, rng.standard_gamma(shapes[:2]), rng.noncentral_chisquare(shapes, 2.0)


@program("arrays of random sizes", lambda: (np.random.default_rng(4),))
def of_random_sizes(rng):
    filled = np.zeros(rng.integers(3, 10))
    filled[0] = 1.0
    return filled, np.ones((rng.poisson(4.0) + 1, 2)).sum(axis=0)


_RANGES = [(3.0, 1.0, 2.0), (0.0, 1.0, 3.0), (0.0, 4.0, 3.0), (1.0, 1.0, 1.0), (0.0, -2.0, 1.0)]


@program("checks", *[lambda r=r: (np.array(r),) for r in _RANGES])
def ranges_that_are_none(ends):
    rng, old, said = np.random.default_rng(1), np.random.RandomState(1), []
    draws = [
        lambda: rng.uniform(ends[0], ends[1], 3),
        lambda: rng.triangular(ends[0], ends[1], ends[2]),
        lambda: old.uniform(ends[0], ends[1], 3),
        lambda: old.triangular(ends[0], ends[1], ends[2]),
    ]
    for draw in draws:
        try:
            said.append(draw())
        except ValueError as error:
            said.append(str(error))
    return said, rng.random(), old.random_sample()


_CHANCES = [[0.2, 0.8], [1.5, -0.5], [np.nan, 0.5], [0.9, 0.5, 0.1], [0.2, 0.2]]


@program("checks", *[lambda n=n, p=p: (n, np.array(p)) for n in (3, -1) for p in _CHANCES])
def counts_that_are_none(n, chances):
    rng, old, said = np.random.default_rng(1), np.random.RandomState(1), []
    draws = [
        lambda: rng.multinomial(n, chances),
        lambda: rng.multinomial(-2, chances),
        lambda: rng.multinomial(2, np.stack([chances, chances])),
        lambda: old.multinomial(n, chances),
        lambda: rng.uniform(chances, chances[0] * np.inf),
        lambda: rng.uniform(chances[0], np.inf),
    ]
    for draw in draws:
        try:
            said.append(draw())
        except (ValueError, OverflowError) as error:
            said.append(str(error))
    return said, rng.random(), old.random_sample()


def _signs(*values):
    return lambda: (np.random.default_rng(3), np.array(values))


@program("as many as data says", _signs(0.5, -1.0, 2.0, 0.3), _signs(-1.0, -2.0), _signs(1.0, 4.0))
def as_many_as_are_positive(new, x):
    old, n = np.random.RandomState(3), np.sum(x > 0)
    reals = old.random_sample(n), old.rand(n), old.normal(1.0, 2.0, n), new.uniform(0, 2, (n, 2))
    wholes = old.randint(0, n, n), old.randint(5, size=(2, n)), new.integers(3, 9, (n, 2))
    bools = new.integers(0, 2, n, dtype=bool)
    chosen = old.choice(8, n), new.choice(x, n, p=np.abs(x) / np.abs(x).sum())
    others = old.choice(8, n, replace=False), new.poisson(2.0, size=n)
    return reals, wholes, bools, chosen, others, old.rand(), new.random()


@program("as many as data says", _signs(0.5, -1.0, 2.0), _signs(-1.0, -2.0), _signs(1.0, 4.0, 3.0))
def sizes_and_bounds_that_do_not_fit(new, x):
    old, n, told = np.random.RandomState(3), np.sum(x > 0), []
    for case in range(3):
        try:
            if case == 0:
                told.append(old.randint(0, n - 2, n))
            elif case == 1:
                told.append(new.integers(3, 2, size=n))
            else:
                told.append(old.rand(n - 2))
        except ValueError as error:
            told.append(str(error))
    return told


class Agent:
    def __init__(self, rng, place):
        self.rng, self.place = rng, place

    def step(self):
        self.place += self.rng.normal()


@program("agents", lambda: (7, 40), lambda: (8, 3))
def agents_of_one_generator(seed, n):
    rng = np.random.default_rng(seed)
    agents = [Agent(rng, float(i)) for i in range(n)]
    for _ in range(5):
        for agent in agents:
            agent.step()
    return agents[2].place, rng.random()


@program("agents", lambda: (np.array([0.7, 0.1, 0.9, 0.6, 0.3, 0.8]),))
def agents_that_come_and_go(x):
    agents = []
    for i, v in enumerate(x):
        if v > 0.5:
            agents.append(Agent(np.random.default_rng(i), v))
        elif agents and v < 0.2:
            agents.pop()
        for agent in agents:
            agent.step()
    return agents


@program("agents", lambda: (np.random.default_rng(5), 6))
def agents_of_a_given_generator(rng, n):
    agents = [Agent(rng, i) for i in range(n)]
    for agent in agents:
        agent.step()
    agents.sort(key=lambda agent: agent.place)
    return [agent.place for agent in agents], agents[0].rng is rng


@program("agents", lambda: ([Agent(np.random.default_rng(i), 0.0) for i in range(3)], 4))
def given_agents(agents, n):
    for _ in range(n):
        for agent in agents:
            agent.step()
    agents.sort(key=lambda agent: agent.place)


@program(
    "agents", lambda: ([np.random.default_rng(i) for i in range(3)], np.array([0, 2, 2, 1, 0, 2]))
)
def one_of_several_generators(rngs, which):
    return [rngs[k].random() for k in which]


@program("agents", lambda: (3, np.array([0, 2, 2, 1, 0, 2])))
def generators_by_key(seed, keys):
    streams = {}
    found = []
    for k in keys:
        if k not in streams:
            streams[k] = np.random.default_rng(seed + k)
        found.append(streams[k].integers(100))
    return found, streams


class Walker:
    def __init__(self, rng):
        self.rng, self.at = rng, [0, 0]

    def step(self):
        dx, dy = self.rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        self.at[0] += dx
        self.at[1] += dy


@program("agents", lambda: (7, 12))
def walkers_with_generators_of_their_own(seed, n):
    walkers = [Walker(random.Random(seed + i)) for i in range(n)]
    for _ in range(10):
        for walker in walkers:
            walker.step()
    return [walker.at for walker in walkers], walkers[1].rng.random()


@program("agents", lambda: (np.array([0.7, 0.1, 0.9, 0.6]), 3))
def agents_of_a_legacy_generator(x, seed):
    rng = np.random.RandomState(seed)
    agents = [Agent(rng, v) for v in x if v > 0.5]
    for agent in agents:
        agent.step()
    return [agent.place for agent in agents], rng.rand()


@program("draws before arrays in lists of lists", lambda: (np.arange(24.0).reshape(2, 3, 4),))
def rows_behind_draws(x):
    """The loop that draws says nothing of how many rows there are."""
    np.random.seed(3)
    kept = np.random.rand(*x.shape) < 0.5
    made = []
    for group, mask in zip(x, kept):
        rows = []
        for row, shown in zip(group, mask):
            rows.append((row * shown) @ np.diagflat(row))
        made.append(rows)
    return np.array(made).reshape(*x.shape), kept
