"""A segmental language model (Kawakami, Dyer & Blunsom 2019): the score of a text without spaces.

The probability of a text is the sum over all ways to cut it into words; dynamic programming adds
them up. A recurrent network reads the text; from each of its states another spells the word that
begins there, one letter after the other. The gradient of the score is what such models are trained
by; how often a word ends at a place is a gradient as well.
"""

import time
from typing import NamedTuple

import numpy as np

import pyxla
from examples.layers import descended


class Cell(NamedTuple):
    """A gated recurrent unit (Cho et al. 2014): gates for reset and update, and the candidate."""

    inputs: np.ndarray
    states: np.ndarray
    bias: np.ndarray

    def __call__(self, state, letters):
        """states (n, width) and embedded letters (n, width) to the next states."""
        width = state.shape[1]
        x = letters @ self.inputs + self.bias
        h = state @ self.states
        gates = 1 / (1 + np.exp(-(x[:, : 2 * width] + h[:, : 2 * width])))
        reset, update = gates[:, :width], gates[:, width:]
        candidate = np.tanh(x[:, 2 * width :] + reset * h[:, 2 * width :])
        return update * state + (1 - update) * candidate


class Model(NamedTuple):
    """embedding: (letters + 1, width); the last of them is the end of a word."""

    embedding: np.ndarray
    reader: Cell
    speller: Cell
    output: np.ndarray


def log_softmax(z):
    z = z - np.max(z, axis=1, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))


def histories(model, text):
    """What the reader knows before each letter: (length, width)."""
    width = model.embedding.shape[1]
    states = np.zeros((text.size, width), model.embedding.dtype)
    state = np.zeros((1, width), model.embedding.dtype)
    for t in range(text.size - 1):
        state = model.reader(state, model.embedding[text[t : t + 1]])
        states[t + 1] = state[0]
    return states


def word_scores(model, text, longest):
    """[k, t]: the log probability of the word of k + 1 letters that begins at t; -inf past the end.

    All words of a text are spelled at once, letter by letter.
    """
    n, end = text.size, model.embedding.shape[0] - 1
    state = histories(model, text)
    scores = np.full((longest, n), -np.inf, state.dtype)
    spelled = np.zeros(n, state.dtype)
    places = np.arange(n)
    letters = np.full(n, end)
    for k in range(longest):
        state = model.speller(state, model.embedding[letters])
        letters = text[np.minimum(places + k, n - 1)]
        spelled = spelled + log_softmax(state @ model.output)[places, letters]
        after = model.speller(state, model.embedding[letters])
        whole = spelled + log_softmax(after @ model.output)[:, end]
        scores[k] = np.where(places + k < n, whole, -np.inf)
    return scores


def total(words):
    """The log of the sum over all segmentations, from the scores of all words."""
    longest, n = words.shape
    # alpha[longest - 1 + t]: of the first t letters; before them there is nothing.
    alpha = np.full(longest + n, -np.inf, words.dtype)
    alpha[longest - 1] = 0
    lengths = np.arange(longest)
    for t in range(n):
        # The words that end here. Those that would begin before the text end after it: -inf.
        ways = alpha[t : t + longest][::-1] + words[lengths, t - lengths]
        most = np.max(ways)
        alpha[longest + t] = most + np.log(np.sum(np.exp(ways - most)))
    return alpha[longest + n - 1]


def score(model, text, longest):
    """The log probability of the text."""
    return total(word_scores(model, text, longest))


def score_and_slopes(model, text, longest):
    return pyxla.value_and_grad(score)(model, text, longest)


def step(model, text, longest, rate):
    """A step towards a more probable text: its score before, the new model."""
    value, slopes = score_and_slopes(model, text, longest)
    return value, descended(model, slopes, -rate)


def word_chances(model, text, longest):
    """[k, t]: the probability that a word of k + 1 letters begins at t, given the text."""
    return pyxla.grad(total)(word_scores(model, text, longest))


def make_model(rng, letters=27, width=32):
    def matrix(rows, columns):
        return rng.standard_normal((rows, columns), np.float32) / np.float32(np.sqrt(rows))

    def cell():
        bias = np.zeros(3 * width, np.float32)
        return Cell(matrix(width, 3 * width), matrix(width, 3 * width), bias)

    embedding = rng.standard_normal((letters + 1, width), np.float32)
    return Model(embedding, cell(), cell(), matrix(width, letters + 1))


def spelled(text):
    """Letters to numbers."""
    return np.array([ord(c) - ord("a") for c in text], np.int32)


def cut(text, chances):
    """The text with the words that are more probable than not."""
    ends = {start + k for k, start in np.argwhere(chances > 0.5)}
    return "".join(c + " " * (t in ends) for t, c in enumerate(text)).strip()


def main():
    """Learn a short text, and see what words the model finds in it."""
    text = "thedogsawthecatandthecatsawthedogandthedogranandthecatran" * 2
    letters, model = spelled(text), make_model(np.random.default_rng(0))
    learn = pyxla.compile(step)
    for k in range(301):
        if k == 1:
            start = time.perf_counter()
        value, model = learn(model, letters, 6, np.float32(0.002))
        if k % 100 == 0:
            print(f"step {k}: {value / letters.size:.3f} a letter")
    print(f"{(time.perf_counter() - start) / 300 * 1e3:.2f} ms a step")
    print(cut(text, pyxla.compile(word_chances)(model, letters, 6)))


if __name__ == "__main__":
    main()
