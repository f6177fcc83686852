"""Machine learning: forward passes, training by hand-written gradients, clustering, HMMs."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs import program


def ramp(*shape):
    """A deterministic, unstructured-looking array."""
    n = int(np.prod(shape))
    return np.sin(np.arange(n) * 1.7 + 0.3).reshape(shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program(
    "mlp tuple-of-layers", lambda: (((ramp(4, 8), ramp(8)), (ramp(8, 3), ramp(3))), ramp(5, 4))
)
def mlp(layers, x):
    *hidden, (w_last, b_last) = layers
    for w, b in hidden:
        x = np.maximum(x @ w + b, 0)
    logits = x @ w_last + b_last
    logits = logits - logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


@program("mlp backprop", lambda: (ramp(6, 3), ramp(6) > 0, 20))
def train_mlp(x, y, steps):
    w1, b1 = 0.5 * ramp(3, 4), np.zeros(4)
    w2, b2 = 0.5 * ramp(4), 0.0
    losses = np.zeros(steps)
    t = y.astype(float)
    for i in range(steps):
        h = np.tanh(x @ w1 + b1)
        p = sigmoid(h @ w2 + b2)
        losses[i] = -np.mean(t * np.log(p) + (1 - t) * np.log(1 - p))
        dz = (p - t) / len(t)
        dh = np.outer(dz, w2) * (1 - h**2)
        w2 -= 0.5 * (h.T @ dz)
        b2 -= 0.5 * dz.sum()
        w1 -= 0.5 * (x.T @ dh)
        b1 -= 0.5 * dh.sum(axis=0)
    return losses, w1, b2


@dataclass
class LSTMCell:
    wx: np.ndarray
    wh: np.ndarray
    b: np.ndarray

    def __call__(self, x, state):
        h, c = state
        gates = x @ self.wx + h @ self.wh + self.b
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return h, c


@program("lstm", lambda: (LSTMCell(ramp(3, 8), ramp(2, 8), ramp(8)), ramp(5, 3)))
def lstm_sequence(cell, xs):
    state = (np.zeros(2), np.zeros(2))
    outputs = np.zeros((xs.shape[0], 2))
    for t in range(xs.shape[0]):
        state = cell(xs[t], state)
        outputs[t] = state[0]
    return outputs, state


class GRU(NamedTuple):
    wz: np.ndarray
    wr: np.ndarray
    wh: np.ndarray

    def step(self, h, x):
        hx = np.concatenate((h, x))
        z = sigmoid(hx @ self.wz)
        r = sigmoid(hx @ self.wr)
        candidate = np.tanh(np.concatenate((r * h, x)) @ self.wh)
        return (1 - z) * h + z * candidate


@program("gru", lambda: (GRU(ramp(5, 2), ramp(5, 2), ramp(5, 2)), ramp(6, 3)))
def gru_last(cell, xs):
    h = np.zeros(2)
    for x in xs:
        h = cell.step(h, x)
    return h


@program("attention", lambda: (ramp(4, 6), ramp(6, 6), ramp(6, 6), ramp(6, 6), 2))
def multi_head_attention(x, wq, wk, wv, heads):
    n, d = x.shape
    dh = d // heads

    def split(m):
        return (x @ m).reshape(n, heads, dh).transpose(1, 0, 2)

    q, k, v = split(wq), split(wk), split(wv)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(dh)
    scores = np.where(np.tri(n, dtype=bool), scores, -1e9)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return (weights @ v).transpose(1, 0, 2).reshape(n, d)


@program(
    "gelu layernorm block", lambda: (ramp(3, 4), ramp(4, 8), ramp(8, 4), np.ones(4), np.zeros(4))
)
def feed_forward_block(x, w1, w2, gamma, beta):
    mu = x.mean(-1, keepdims=True)
    sd = np.sqrt(((x - mu) ** 2).mean(-1, keepdims=True) + 1e-5)
    y = (x - mu) / sd * gamma + beta
    h = y @ w1
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return x + h @ w2


@program("convolution im2col", lambda: (ramp(6, 6, 2), ramp(3, 3, 2, 4), ramp(4)))
def conv_layer(image, weights, bias):
    k = weights.shape[0]
    h, w = image.shape[0] - k + 1, image.shape[1] - k + 1
    out = np.empty((h, w, weights.shape[3]))
    for i in range(h):
        for j in range(w):
            patch = image[i : i + k, j : j + k, :]
            out[i, j] = np.tensordot(patch, weights, axes=([0, 1, 2], [0, 1, 2]))
    return np.maximum(out + bias, 0)


@program("max pool", lambda: (ramp(4, 6, 2),))
def max_pool(x):
    h, w, c = x.shape
    return x.reshape(h // 2, 2, w // 2, 2, c).max(axis=(1, 3))


@program("batch norm dataclass", lambda: (ramp(4, 3), 3))
def batch_norm_running(x, steps):
    norm = BatchNorm(np.zeros(3), np.ones(3))
    for i in range(steps):
        y = norm(x * (i + 1), True)
    return y, norm.mean, norm.var, norm(x, False)


@dataclass
class BatchNorm:
    mean: np.ndarray
    var: np.ndarray
    momentum: float = 0.9

    def __call__(self, x, training):
        if training:
            mu, var = x.mean(0), x.var(0)
            self.mean = self.momentum * self.mean + (1 - self.momentum) * mu
            self.var = self.momentum * self.var + (1 - self.momentum) * var
        else:
            mu, var = self.mean, self.var
        return (x - mu) / np.sqrt(var + 1e-5)


@program("sgd momentum dict", lambda: ({"w": ramp(3), "b": 0.0}, ramp(8, 3), ramp(8), 15))
def linear_regression(params, x, y, epochs):
    velocity = {k: 0.0 * v for k, v in params.items()}
    for _ in range(epochs):
        error = x @ params["w"] + params["b"] - y
        grads = {"w": x.T @ error / len(y), "b": error.mean()}
        for k in params:
            velocity[k] = 0.9 * velocity[k] - 0.1 * grads[k]
            params[k] = params[k] + velocity[k]
    return ((x @ params["w"] + params["b"] - y) ** 2).mean()


@dataclass
class AdamOptimizer:
    lr: float
    m: np.ndarray
    v: np.ndarray
    t: int = 0

    def update(self, param, grad):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * grad
        self.v = 0.999 * self.v + 0.001 * grad**2
        mhat = self.m / (1 - 0.9**self.t)
        vhat = self.v / (1 - 0.999**self.t)
        param -= self.lr * mhat / (np.sqrt(vhat) + 1e-8)


@program("adam dataclass in-place", lambda: (ramp(4),))
def adam_loop(w):
    target = np.array([1.0, -1.0, 0.5, 0.0])
    opt = AdamOptimizer(0.1, np.zeros(4), np.zeros(4))
    while np.abs(w - target).max() > 0.05 and opt.t < 200:
        opt.update(w, 2 * (w - target))
    return opt.t


@program("logistic regression newton", lambda: (ramp(10, 2), (ramp(10) > 0.1).astype(float)))
def irls(x, y):
    w = np.zeros(2)
    for _ in range(15):
        p = sigmoid(x @ w)
        g = x.T @ (p - y) + 0.1 * w
        h = (x * (p * (1 - p))[:, None]).T @ x + 0.1 * np.eye(2)
        step = np.linalg.solve(h, g)
        w = w - step
        if np.linalg.norm(step) < 1e-10:
            break
    return w


@program("minibatch", lambda: (ramp(12, 2), ramp(12), 4))
def minibatch_sgd(x, y, batch):
    w = np.zeros(x.shape[1])
    for epoch in range(3):
        for start in range(0, len(x), batch):
            xb, yb = x[start : start + batch], y[start : start + batch]
            w -= 0.1 * 2 * xb.T @ (xb @ w - yb) / batch
    return w


@program("k-means", lambda: (ramp(12, 2), 3))
def k_means(x, k):
    centers = x[:k].copy()
    labels = np.zeros(len(x), int)
    for it in range(20):
        d = ((x[:, None] - centers[None]) ** 2).sum(-1)
        new = d.argmin(axis=1)
        if it > 0 and np.all(new == labels):
            break
        labels = new
        for j in range(k):
            members = labels == j
            if members.any():
                centers[j] = x[members].mean(axis=0)
    return centers, labels, it


@program("k-nearest", lambda: (ramp(8, 2), np.arange(8) % 3, np.array([0.1, 0.2])))
def nearest_neighbours(points, labels, query):
    order = np.argsort(((points - query) ** 2).sum(1), kind="stable")
    votes = np.zeros(3, int)
    for i in order[:3]:
        votes[labels[i]] += 1
    return votes.argmax()


HMM = lambda: (
    np.array([0.6, 0.4]),
    np.array([[0.7, 0.3], [0.4, 0.6]]),
    np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
    np.array([0, 1, 2, 2, 0]),
)


@program("hmm forward", HMM)
def hmm_forward(start, transition, emission, observed):
    alpha = start * emission[:, observed[0]]
    log_likelihood = 0.0
    for o in observed[1:]:
        scale = alpha.sum()
        log_likelihood += np.log(scale)
        alpha = (alpha / scale) @ transition * emission[:, o]
    return log_likelihood + np.log(alpha.sum())


@program("hmm viterbi", HMM)
def viterbi(start, transition, emission, observed):
    n, s = len(observed), len(start)
    score = np.log(start) + np.log(emission[:, observed[0]])
    back = np.zeros((n, s), dtype=np.intp)
    for t in range(1, n):
        candidates = score[:, None] + np.log(transition)
        back[t] = np.argmax(candidates, axis=0)
        score = candidates[back[t], np.arange(s)] + np.log(emission[:, observed[t]])
    path = np.zeros(n, dtype=np.intp)
    path[-1] = np.argmax(score)
    for t in range(n - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score.max()


@program("hmm baum-welch", HMM)
def baum_welch_step(start, transition, emission, observed):
    n, s = len(observed), len(start)
    alpha = np.zeros((n, s))
    beta = np.ones((n, s))
    alpha[0] = start * emission[:, observed[0]]
    for t in range(1, n):
        for j in range(s):
            for i in range(s):
                alpha[t, j] += alpha[t - 1, i] * transition[i, j]
            alpha[t, j] *= emission[j, observed[t]]
    for t in reversed(range(n - 1)):
        beta[t] = transition @ (emission[:, observed[t + 1]] * beta[t + 1])
    gamma = alpha * beta
    gamma /= gamma.sum(axis=1, keepdims=True)
    return gamma


@program("em mixture", lambda: (np.array([-2.1, -1.9, -2.0, 1.9, 2.2, 2.0]),))
def gaussian_mixture(x):
    mu = np.array([-1.0, 1.0])
    var = np.ones(2)
    pi = np.full(2, 0.5)
    old = -np.inf
    for _ in range(50):
        density = pi * np.exp(-0.5 * (x[:, None] - mu) ** 2 / var) / np.sqrt(2 * np.pi * var)
        total = density.sum(axis=1)
        ll = np.log(total).sum()
        if ll - old < 1e-9:
            break
        old = ll
        r = density / total[:, None]
        n = r.sum(axis=0)
        mu = r.T @ x / n
        var = (r * (x[:, None] - mu) ** 2).sum(axis=0) / n + 1e-6
        pi = n / len(x)
    return mu, var, pi


@program("decision stump", lambda: (ramp(10), ramp(10) > 0.2))
def best_stump(x, y):
    best = (np.inf, 0.0)
    for threshold in np.sort(x):
        left, right = y[x <= threshold], y[x > threshold]
        error = 0.0
        if len(left) > 0:
            p = left.mean()
            error += len(left) * p * (1 - p)
        if len(right) > 0:
            p = right.mean()
            error += len(right) * p * (1 - p)
        if error < best[0]:
            best = (error, threshold)
    return best


@program("q-learning", lambda: (4, 60))
def q_learning(n, episodes):
    q = np.zeros((n, 2))
    seed = 1
    for _ in range(episodes):
        s = 0
        for _ in range(20):
            seed = (seed * 16807) % 2147483647
            if seed % 10 < 3:
                a = seed % 2
            else:
                a = 1 if q[s, 1] >= q[s, 0] else 0
            nxt = min(s + 1, n - 1) if a == 1 else max(s - 1, 0)
            reward = 1.0 if nxt == n - 1 else 0.0
            q[s, a] += 0.5 * (reward + 0.9 * q[nxt].max() - q[s, a])
            s = nxt
            if reward > 0:
                break
    return q


@program("value iteration", lambda: (ramp(3, 3), 0.9))
def value_iteration(rewards, discount):
    v = np.zeros(3)
    for sweep in range(1000):
        q = rewards + discount * v[None, :]
        new = q.max(axis=1)
        if np.max(np.abs(new - v)) < 1e-8:
            break
        v = new
    return v, q.argmax(axis=1)


@program("pagerank", lambda: (np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]], float),))
def pagerank(links):
    n = len(links)
    m = links.T / links.sum(axis=1)
    rank = np.full(n, 1 / n)
    delta = 1.0
    while delta > 1e-12:
        new = 0.15 / n + 0.85 * m @ rank
        delta = np.abs(new - rank).sum()
        rank = new
    return rank


@program("pca", lambda: (ramp(10, 3),))
def explained_variance(x):
    centered = x - x.mean(axis=0)
    s = np.linalg.svd(centered, compute_uv=False)
    return s**2 / np.sum(s**2)


@program("lasso coordinate descent", lambda: (ramp(8, 3), ramp(8), 0.1))
def lasso(x, y, lam):
    n, p = x.shape
    w = np.zeros(p)
    norms = (x**2).sum(axis=0)
    for _ in range(100):
        biggest = 0.0
        for j in range(p):
            old = w[j]
            rho = x[:, j] @ (y - x @ w + x[:, j] * old)
            if rho > lam:
                w[j] = (rho - lam) / norms[j]
            elif rho < -lam:
                w[j] = (rho + lam) / norms[j]
            else:
                w[j] = 0.0
            biggest = max(biggest, abs(w[j] - old))
        if biggest < 1e-10:
            break
    return w


@program("gaussian process", lambda: (np.linspace(0, 1, 5), ramp(5), np.array([0.3])))
def gp_predict(x, y, query):
    def kernel(a, b):
        return np.exp(-0.5 * ((a[:, None] - b[None, :]) / 0.3) ** 2)

    k = kernel(x, x) + 1e-2 * np.eye(len(x))
    low = np.linalg.cholesky(k)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, y))
    ks = kernel(query, x)
    return ks @ alpha, 1 - np.sum(np.linalg.solve(low, ks.T) ** 2, axis=0)


@program("beam softmax sampling", lambda: (ramp(5, 4), 11))
def sample_sequence(logits, seed):
    out = np.zeros(len(logits), int)
    for t, row in enumerate(logits):
        p = np.exp(row - row.max())
        p /= p.sum()
        seed = (seed * 16807) % 2147483647
        u = seed / 2147483647
        acc = 0.0
        for k in range(len(p)):
            acc += p[k]
            if u < acc:
                out[t] = k
                break
    return out


@program("word embedding", lambda: (ramp(10, 4), np.array([3, 1, 7])))
def embed_and_score(table, tokens):
    x = table[tokens]
    x = x + np.sin(np.arange(len(tokens))[:, None] / 10.0 ** (np.arange(4) / 4))
    return x @ table.T, (x @ table.T).argmax(-1)


@program("one-hot cross entropy", lambda: (ramp(4, 3), np.array([0, 2, 1, 1])))
def cross_entropy_gradient(logits, labels):
    z = logits - logits.max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    loss = -log_p[np.arange(len(labels)), labels].mean()
    grad = np.exp(log_p)
    grad[np.arange(len(labels)), labels] -= 1
    return loss, grad / len(labels), np.eye(3)[labels]


@program("boosting weights", lambda: (ramp(8), np.where(ramp(8) > 0, 1, -1)))
def adaboost(x, y):
    w = np.full(len(x), 1 / len(x))
    score = np.zeros(len(x))
    for _ in range(3):
        best_error, best_prediction = 2.0, np.zeros(len(x), int)
        for t in (-0.5, 0.1, 0.5):
            prediction = np.where(x > t, 1, -1)
            error = w[prediction != y].sum()
            if error < best_error:
                best_error, best_prediction = error, prediction
        alpha = 0.5 * np.log((1 - best_error + 1e-9) / (best_error + 1e-9))
        w = w * np.exp(-alpha * y * best_prediction)
        w /= w.sum()
        score += alpha * best_prediction
    return score, w


@program("lists of points", lambda: ([[i * 7 % 11 / 2, i * 5 % 13 / 3] for i in range(24)], 3))
def nearest_centers(points, k):
    centers = [list(p) for p in points[:k]]
    labels = [-1] * len(points)
    for i, point in enumerate(points):
        labels[i] = min(
            range(k), key=lambda c: sum((p - q) ** 2 for p, q in zip(point, centers[c]))
        )
    return labels


@program("lists of points", lambda: ([[i * 7 % 11 / 2, i * 5 % 13 / 3] for i in range(12)], 2))
def k_means_of_lists(points, k):
    centers = [list(p) for p in points[:k]]
    labels = [-1] * len(points)
    changed = True
    while changed:
        changed = False
        for i, point in enumerate(points):
            best = min(range(k), key=lambda c: sum((p - q) ** 2 for p, q in zip(point, centers[c])))
            if best != labels[i]:
                labels[i] = best
                changed = True
        for c in range(k):
            members = [p for p, label in zip(points, labels) if label == c]
            if members:
                centers[c] = [sum(xs) / len(members) for xs in zip(*members)]
    return labels, centers


class Split:
    def __init__(self, feature, threshold, gain):
        self.feature, self.threshold, self.gain = feature, threshold, gain


@program("best splits", lambda: (np.round(ramp(9, 3) * 2), ramp(9), 3))
def best_splits(x, y, levels):
    """A name that is None at first, rows in lists, objects: passes of the loops do not multiply."""
    splits = []
    for level in range(levels):
        best = None
        for j in range(x.shape[1]):
            column = x[:, j] + level
            for threshold in np.unique(column):
                above = [row for row, value in zip(x, column) if value >= threshold]
                below = [row for row, value in zip(x, column) if value < threshold]
                if len(above) > 0 and len(below) > 0:
                    gain = abs(np.mean(y[column >= threshold]) - np.mean(y[column < threshold]))
                    gain += np.sum(above[0] * below[0])
                    if best is None or gain > best.gain:
                        best = Split(j, threshold, gain)
        splits.append(best)
    return [(s.feature, s.threshold, s.gain) for s in splits if s is not None]


class TreeNode:
    def __init__(self, threshold=None, left=None, right=None, value=None):
        self.threshold, self.left, self.right, self.value = threshold, left, right, value

    def is_leaf(self):
        return self.value is not None


def grown(x, depth):
    if depth >= 10 or np.ptp(x) < 0.3:
        return TreeNode(value=np.argmax(x))
    middle = np.mean(x)
    left, right = grown(x[x <= middle], depth + 1), grown(x[x > middle], depth + 1)
    return TreeNode(middle, left, right)


def classified(value, node):
    if node.is_leaf():
        return node.value
    if value <= node.threshold:
        return classified(value, node.left)
    return classified(value, node.right)


@program("tree of objects", lambda: (ramp(12),), lambda: (np.full(12, 2.0),))
def tree_of_objects(x):
    """What a method found to be not None is read again, and is not None: of one node, and of the
    one where a loop ends."""
    root = grown(x, 0)
    deepest, depth = root, 0
    while not deepest.is_leaf():
        deepest, depth = deepest.right, depth + 1
    return np.array([classified(value, root) for value in x]), np.array([deepest.value]), depth


def impurity(y):
    shares = np.bincount(y) / len(y)
    return -np.sum([p * np.log(p) for p in shares if p > 0])


def split_gain(x, y, threshold):
    below, above = y[x <= threshold], y[x > threshold]
    if len(below) == 0 or len(above) == 0:
        return 0.0
    inside = len(below) * impurity(below) + len(above) * impurity(above)
    return impurity(y) - inside / len(y)


def grown_to(x, y, depth):
    if depth >= 4 or len(np.unique(y)) == 1:
        return TreeNode(value=np.argmax(np.bincount(y)))
    best, at = -1.0, 0.0
    for threshold in np.unique(x):
        gain = split_gain(x, y, threshold)
        if gain > best:
            best, at = gain, threshold
    left, right = x <= at, x > at
    if left.all():
        return TreeNode(value=np.argmax(np.bincount(y)))
    return TreeNode(
        at, grown_to(x[left], y[left], depth + 1), grown_to(x[right], y[right], depth + 1)
    )


@program("tree of objects", lambda: (ramp(10), (ramp(10) ** 2 > 0.5).astype(int)))
def tree_to_a_depth(x, y):
    """Of a depth that is known, with much code at each node: loops with a stack are less code than
    a copy for each node."""
    root = grown_to(x, y, 0)
    return np.array([classified(value, root) for value in x])


class Leaf:
    """A node; those that are leaves have a value."""

    def __init__(self, threshold=None, left=None, right=None, *, value=None):
        self.threshold, self.left, self.right, self.value = threshold, left, right, value

    def is_leaf(self):
        return self.value is not None


class OneTree:
    def __init__(self, depth):
        self.depth, self.root = depth, None

    def fit(self, x, y):
        self.root = self.grown(x, y)

    def grown(self, x, y, depth=0):
        if depth >= self.depth or len(np.unique(y)) == 1:
            return Leaf(value=np.bincount(y).argmax())
        threshold = x.mean()
        low, high = np.argwhere(x <= threshold).flatten(), np.argwhere(x > threshold).flatten()
        left = self.grown(x[low], y[low], depth + 1)
        right = self.grown(x[high], y[high], depth + 1)
        return Leaf(threshold, left, right)

    def predict(self, x):
        return np.array([self.walked(v, self.root) for v in x])

    def walked(self, v, node):
        if node.is_leaf():
            return node.value
        if v <= node.threshold:
            return self.walked(v, node.left)
        return self.walked(v, node.right)


VALUES = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8])


@program("instances recursion", lambda: (VALUES, (VALUES > 3).astype(int)))
def forest_of_leaves(x, y):
    """Values of leaves, which nodes do not have, make an array."""
    trees = []
    for k in range(3):
        tree, part = OneTree(100), (np.arange(len(x)) * (k + 3)) % len(x)
        tree.fit(x[part], y[part])
        trees.append(tree)
    return np.array([tree.predict(x) for tree in trees]).sum(axis=0)


class ByColumn:
    def __init__(self, depth):
        self.depth, self.root = depth, None

    def grown(self, x, y, depth=0):
        largest, cut, sets = 0, None, None
        if len(np.shape(y)) == 1:
            y = np.expand_dims(y, axis=1)
        xy = np.concatenate((x, y), axis=1)
        if len(x) >= 2 and depth <= self.depth:
            for column in range(x.shape[1]):
                for threshold in np.unique(x[:, column]):
                    low, high = x[:, column] <= threshold, x[:, column] > threshold
                    if len(x[low]) > 0 and len(x[high]) > 0:
                        gain = abs(y[low].mean() - y[high].mean())
                        if gain > largest:
                            largest, cut = gain, threshold
                            sets = {"low": xy[low], "high": xy[high]}
        if largest > 0:
            left = self.grown(sets["low"][:, :1], sets["low"][:, 1:], depth + 1)
            right = self.grown(sets["high"][:, :1], sets["high"][:, 1:], depth + 1)
            return Leaf(cut, left, right)
        return Leaf(value=y.sum())

    def predict(self, x):
        found = []
        for v in x:
            node = self.root
            while node.left is not None:
                node = node.left if v <= node.threshold else node.right
            found.append(node.value)
        return found


@program("instances recursion", lambda: (VALUES.reshape(6, 2), (VALUES[::2] > 3).astype(int), 2))
def forest_of_columns(x, y, count):
    """Trees that are there before they grow, which nodes enter at the end of an iteration."""
    trees = [ByColumn(100) for _ in range(count)]
    for k in range(count):
        trees[k].part = np.array([k % x.shape[1]])
        rows = (np.arange(8) * 5 + k) % len(x)
        trees[k].root = trees[k].grown(x[rows][:, trees[k].part], y[rows])
    return [tree.predict(x[:, tree.part]) for tree in trees]


class Named:
    """A network whose parameters have names that are put together."""

    def __init__(self, size, hidden, out, scale):
        self.params, self.count = {}, len(hidden) + 1
        sizes = [size] + hidden + [out]
        for k in range(1, len(sizes)):
            spread = np.sqrt(2.0 / sizes[k - 1]) if str(scale).lower() == "he" else scale
            self.params["W" + str(k)] = spread * np.random.randn(sizes[k - 1], sizes[k])
            self.params["b" + str(k)] = np.zeros(sizes[k])

    def __call__(self, x):
        for k in range(1, self.count + 1):
            x = np.tanh(x @ self.params["W" + str(k)] + self.params["b" + str(k)])
        return x


@program("mlp known-names", lambda: (ramp(2, 3),))
def networks_with_names(x):
    """The loops that make the parameters are much code, and can be nothing else."""
    np.random.seed(0)
    return [Named(3, [4] * n, 2, "he")(x) for n in (3, 4, 5)]
