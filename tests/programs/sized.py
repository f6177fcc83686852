"""Arrays that grow and shrink: joined, stacked, cut and chosen from, in branches and loops."""

import bisect
import math

import numpy as np

from tests.programs import program


def samples(*seeds):
    return [lambda s=s: (np.random.default_rng(s).normal(size=12),) for s in seeds]


@program("branch", *samples(0, 1))
def kept_if_positive(x):
    kept = np.empty(0)
    for v in x:
        if v > 0:
            kept = np.append(kept, v)
    return kept, kept.size, kept.sum(), kept[::-1]


@program("branch rows", *samples(0, 1, 2))
def rows_seen_from_here(x):
    seen = np.zeros((0, 3))
    for i in range(4):
        distance = math.hypot(x[i], x[i + 4])
        if distance < 1.2:
            seen = np.vstack((seen, np.array([distance, x[i], i])))
    return seen, len(seen[:, 0]), seen[:, 0].sum()


@program("while", *samples(0, 1))
def newton_steps(x):
    square, steps = 2 + x[0] ** 2, np.array([1.0])
    while abs(steps[-1] ** 2 - square) > 1e-9:
        steps = np.append(steps, (steps[-1] + square / steps[-1]) / 2)
    return steps, np.diff(steps)


class Track:
    def __init__(self, state):
        self.history, self.count = state, 1

    def add(self, state):
        self.history = np.hstack((self.history, state))
        self.count += 1


@program("while instances columns", *samples(0, 3))
def a_track_of_states(x):
    state = x[:4].reshape(4, 1)
    track, whole = Track(state), state
    while np.abs(state).max() > 0.05:
        state = 0.8 * state
        track.add(state)
        whole = np.concatenate([whole, -state], axis=1)
    return track.history, track.count, whole[:, -1], whole.shape


@program("many iterations", lambda: (np.array([[0.5], [1.0]]), 0.25))
def a_history_of_known_length(state, rate):
    time, history = 0.0, state
    while time <= 30.0:
        time += 0.1
        state = state + 0.1 * np.array([[math.cos(time)], [rate]])
        history = np.hstack((history, state))
    return history[:, -1], history.shape[1], history.mean(axis=1)


@program("shrinking", *samples(0, 4))
def halved_until_smooth(x):
    while len(x) > 2 and x.std() > 0.3:
        x = (x[1:] + x[:-1]) / 2
    return x


@program("more room", lambda: (np.array([1.0, 0.5]),))
def more_than_there_is_room_for(x):
    found, level = np.zeros(1), x[0]
    while level > 1e-3:
        level *= 0.995
        found = np.append(found, level * x[1])
    return found.sum(), len(found)


@program("aliases", *samples(0))
def another_name_keeps_the_first(x):
    first = grown = np.zeros(2)
    while len(grown) < 4 + abs(x[0]):
        grown = np.append(grown, x[1])
        grown[0] += 1
        first[1] += 1
    return grown, first


@program("nested", *samples(0, 1))
def decays(x):
    levels = np.zeros(0)
    for v in x:
        level = abs(v)
        while level > 0.3:
            levels = np.append(levels, level)
            level *= 0.7
        levels = levels[-6:]
    return levels


@program("doubling", *samples(0))
def doubled(x):
    y = x[:1]
    while len(y) < 20 * abs(x[0]) + 3:
        y = np.concatenate([y, 2 * y])
    return y


@program("arange", *samples(0, 1), lambda: (np.full(3, np.nan),), lambda: (np.full(3, -1.0),))
def as_far_as_it_goes(x):
    length = np.cumsum(x)[-1]
    ticks = np.arange(0.0, length, 0.3)
    return ticks, len(ticks), np.arange(x[0], 2, 0.5), np.arange(3, length * 0.5, -abs(x[1]))


class Course:
    """A path through points, by its length so far; beyond its ends there is none."""

    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys
        self.at = [0]
        self.at.extend(np.cumsum(np.hypot(np.diff(xs), np.diff(ys))))

    def place(self, s):
        if s < self.at[0] or s > self.at[-1]:
            return None
        k = min(bisect.bisect(self.at, s) - 1, len(self.xs) - 2)
        part = (s - self.at[k]) / (self.at[k + 1] - self.at[k])
        return self.xs[k] + part * (self.xs[k + 1] - self.xs[k])


@program("arange optional", lambda: ([0.0, 2.5, 5.0, 7.5, 3.0, -1.0], [0.7, -6, 5, 6.5, 0.0, 5.0]))
def walked_in_steps(xs, ys):
    track = Course(xs, ys)
    steps = list(np.arange(0, track.at[-1], 0.5))
    return [math.degrees(track.place(s)) for s in steps], steps


@program("masks", *[lambda s=s: (6, 8, s) for s in range(2)])
def children_of_two_parents(n, size, seed):
    """A row made of the start of one and the end of another is as long as they are."""
    rng = np.random.default_rng(seed)
    parents = rng.integers(0, 2, (n, size))
    children = []
    while len(children) < n:
        mother, father = parents[rng.integers(n)], parents[rng.integers(n)]
        cut = rng.integers(1, size)
        child = np.concatenate([mother[:cut], father[cut:]])
        child[rng.random(size) < 0.2] ^= 1
        children.append(child)
    return children


@program(
    "masks checks",
    *[lambda t=t, n=n: (np.arange(8.0), t, np.arange(n) % 3) for t in (2, 4, 5) for n in (3, 4, 9)],
)
def chosen_of_what_was_chosen(x, most, groups):
    small = x[x < most]
    first = small[groups[: len(small)] == 1]
    small[groups > 0] = -1
    return first, small


@program(
    "masks checks",
    *[lambda t=t: (np.random.default_rng(1).normal(size=9), t) for t in (-0.5, 0.5, 9)],
)
def correlation_of_what_exceeds(x, least):
    """Which of the two is longer decides where NumPy begins."""
    a, b = x[x > least], x[::-1][x[::-1] > -0.5]
    pairs = [(a, b), (b, a), (b, x[:3]), (x[:4], b), (b * 1j, a * (2 - 1j))]
    return [np.correlate(p, q, mode) for p, q in pairs for mode in ("full", "same", "valid")]


@program("split", *[lambda s=s: (np.random.default_rng(s).integers(0, 4, 15),) for s in (0, 1)])
def groups_cut_apart(keys):
    values = np.cos(np.arange(15.0))
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    parts = np.split(values[order], cuts)
    found = np.unique(keys, return_counts=True)[1]
    pairs = np.hsplit(values.reshape(3, 5), cuts[:1])
    return parts, [part.mean() for part in np.split(values, np.cumsum(found)[:-1])], pairs


@program("split", *samples(0, 1), lambda: (np.full(4, -1.0),))
def parts_of_what_is_kept(x):
    kept = x[x > 0]
    folds = np.array_split(np.random.default_rng(0).permutation(len(x)), 3)
    left = [np.concatenate([f for k, f in enumerate(folds) if k != i]) for i in range(3)]
    many = len(np.array_split(kept, np.argmax(x) % 3 + 1))
    return np.array_split(kept, 3), many, [x[rows].sum() for rows in left]


@program("reshape checks", *samples(0, 1), lambda: (np.arange(1.0, 10.0),), lambda: (-np.ones(5),))
def rows_of_four_and_of_three(x):
    kept = x[x > 0]
    whole = kept[: len(kept) // 4 * 4].reshape(-1, 4)
    whole *= 2
    filled = np.pad(kept, (0, -len(kept) % 3), constant_values=-1.0).reshape(-1, 3)
    ended = np.concatenate([kept, np.zeros(-len(kept) % 5)]).reshape(1, -1, 5)
    return whole.sum(0), kept, filled, ended.mean(-1), kept.reshape(-1, 2)


@program("negative checks", *[lambda n=n: (np.array([2.5, n]),) for n in (3.0, 0.0, -2.0)])
def as_many_as_data_says(x):
    count, kept, said = int(x[1]), x[x > 0], []
    attempts = [
        lambda: np.zeros(count),
        lambda: np.ones((2, count)),
        lambda: np.eye(count),
        lambda: np.linspace(0, 1, count),
        lambda: np.arange(count),
        lambda: np.pad(kept, count),
    ]
    for attempt in attempts:
        try:
            said.append(attempt().shape)
        except ValueError as error:
            said.append(str(error))
    return said, np.full(count + 1, x[0])


@program("pad checks", *[lambda k=k: (np.arange(1.0, 4.0), np.array([k])) for k in (2, 0, -1)])
def padded_as_far_as_data_says(x, far):
    k, kept, said = int(far[0]), x[x > 1], []
    grid = np.outer(x, x).astype(int)
    attempts = [
        lambda: np.pad(x, k),
        lambda: np.pad(x, (k, 2), constant_values=(1, 2)),
        lambda: np.pad(kept, (k, 2), constant_values=(x[0], 2.5)),
        lambda: np.pad(grid, ((1, k), (k, 2)), constant_values=((1, 2), (3, 4.5))),
        lambda: np.pad(x, k, mode="edge"),
    ]
    for attempt in attempts:
        try:
            said.append(attempt())
        except ValueError as error:
            said.append(str(error))
    both = np.pad(kept, 2, constant_values=(3, x[2])), np.pad(kept, 1, constant_values=x[0])
    return said, both, np.pad(kept, (1, 2), constant_values=np.array([3, 4]))


@program("broadcast checks", *[lambda k=k: (np.arange(6.0), np.array([k])) for k in (2, 0, -1)])
def shown_as_often_as_data_says(x, often):
    k, said = int(often[0]), []
    attempts = [
        lambda: np.broadcast_to(x[:1], (k,)),
        lambda: np.broadcast_to(x, (k, 6)),
        lambda: np.broadcast_to(x[0], k),
        lambda: np.broadcast_to(x[0], -2),
        lambda: np.linspace(0, 1, k),
        lambda: np.linspace(0, 1, -2),
    ]
    for attempt in attempts:
        try:
            said.append(attempt())
        except ValueError as error:
            said.append(str(error))
    return said


@program("reshape checks", *[lambda v=v: (np.arange(6.0), v) for v in (1.0, 2.0, 9.0)])
def shapes_of_what_is_left(x, least):
    left, said = x[x > least], []
    attempts = [
        lambda: left.reshape(2, 2),
        lambda: left.reshape((3,)),
        lambda: left.reshape(-1, 2),
        lambda: left.reshape(-1, -1),
        lambda: left.reshape(len(left), -1),
        lambda: np.outer(left, x).reshape(len(left), -1),
        lambda: x.reshape(-2, 3),
        lambda: x.reshape(4, -1),
        lambda: x.reshape(-1, -3),
    ]
    for attempt in attempts:
        try:
            said.append(attempt())
        except ValueError as error:
            said.append(str(error))
    return said


@program("repeat checks", *[lambda k=k: (np.arange(1.0, 5.0), np.array([k])) for k in (2, 0, -1)])
def elements_as_often_as_data_says(x, often):
    k, left, none, said = int(often[0]), x[x > 2], x[x > 9], []
    grid = np.outer(x, x)[:2, :2]
    attempts = [
        lambda: (np.repeat(x, k), x[0].repeat(k), np.repeat(grid, k, axis=1), np.repeat(left, k)),
        lambda: (np.tile(x, k), np.tile(left, k), np.tile(grid, k), np.tile(none, k)),
        lambda: (np.tile(x, (k, 2)), np.tile(left, (2, k)), np.tile(grid, (k, 1))),
        lambda: (np.resize(x, k), np.resize(left, (k, 3)), np.resize(none, k)),
        lambda: (np.resize(x, (2, k, 2)), np.resize(x[:0], (2, k))),
    ]
    for attempt in attempts:
        try:
            said.append(attempt())
        except ValueError as error:
            said.append(str(error))
    grown = np.outer(x, left)
    return said, np.tile(left, (2, 1)), np.tile(grown, (1, 2)), np.resize(left, 5)


@program("reshape checks", *[lambda k=k: (np.arange(6.0), np.array([k])) for k in (2, 3, 1, 0, -5)])
def shapes_of_sizes_that_data_says(x, sizes):
    k, left, said = int(sizes[0]), x[x > 1], []
    attempts = [
        lambda: x.reshape(k, 3),
        lambda: x.reshape(sizes[0], 2, 1),
        lambda: x.reshape(k),
        lambda: x.reshape(k, 2, order="F"),
        lambda: left.reshape(k, 2),
        lambda: np.outer(x, x).T.reshape(k, 12),
    ]
    for attempt in attempts:
        try:
            said.append(attempt())
        except ValueError as error:
            said.append(str(error))
    rows = x.reshape(-1, 3) if k < 0 else x.reshape(2, 3)
    rows[0, 1] = k
    return said, x


@program("triangles", *[lambda k=k: (np.arange(1.0, 4.0), np.array([k])) for k in (-2, 0, 1, 9)])
def bands_that_data_says(x, offsets):
    k, grid, left = int(offsets[0]), np.outer(x, x), x[x > 1]
    ones = np.eye(3, k=k), np.eye(2, 4, k=offsets[0]), np.tri(3, k=k), np.eye(len(left), k=k)
    return ones, np.triu(grid, k), np.tril(grid, offsets[0]), np.triu(np.outer(left, x), k)


@program("ranges", *[lambda n=n: (np.arange(9.0), np.array([n, 2])) for n in (3, 1, 6)])
def ranges_that_data_says(x, sizes):
    n, m = sizes
    x[range(n)] += 1
    rows = np.array([range(m), range(n, n + m)])
    np.random.seed(n)
    return (
        (x[range(n + 2, 1, -2)], np.array(range(n)), np.concatenate([x, range(n)]), rows),
        (np.mean(range(n)), np.max(range(1, n + 1)), np.random.choice(range(n))),
    )
