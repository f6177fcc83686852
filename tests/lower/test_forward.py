"""Elements read between two updates of one place: no copy of the array."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pyxla

N = 24


def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, N):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def own_place(A):
    for i in range(N):
        for j in range(N):
            A[i, j] += 1
            A[i, j] *= A[j, i] + A[i, j] + A[i, 0]


def distance_behind(A):
    for i in range(N):
        for j in range(N):
            A[i, j] += A[i, j - 1]
            A[i, j] -= A[i - 2, j] * 0.5


def at_data(A):
    for i in range(N):
        k = int(A[i, 0]) % N
        A[k, 1] = A[i, 2] + 1
        A[k, 1] += A[i, 1] + A[1, k]


def rows(A):
    for i in range(1, N):
        A[i] = A[i] / A[i, 0] + 1
        A[i] = (A[i] - 0.5 * A[i - 1]) / (A[i] + A[0])


def planes(A):
    for k in range(1, N):
        A[:, k] = A[:, 0] + k
        A[:, k] = A[:, k - 1] * 0.5 + A[:, k] - A[:, 2]
    A[:, N - 1] = 1.0
    A[:, N - 1] = A[:, N - 2] + A[:, N - 1]


def kept(A):
    for i in range(N):
        before = A[i, i]
        A[i, i] = 2.0
        A[i, i] = A[0, i] + before + A.sum()


def second_in_branch(A):
    for i in range(N):
        for j in range(1, N):
            A[i, j] += A[i, j - 1]
            if i > j:
                A[i, j] += A[i - j - 1, j]


def read_in_branch(A):
    for i in range(N):
        A[i, 0] += 1.0
        if A[i, 0] > 3:
            A[i, 0] = A[i - 1, 0] * 2


@pytest.mark.parametrize(
    ("program", "copies"),
    [
        (second_in_branch, 0),
        (read_in_branch, 0),
        (cholesky, 0),
        (own_place, 0),
        (distance_behind, 0),
        (at_data, 0),
        (rows, None),
        (planes, 0),
        (kept, None),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_elements_between_updates(program, copies):
    A = np.random.default_rng(0).random((N, N)) + np.eye(N) * N
    A = A + A.T
    ours, theirs = A.copy(), A.copy()
    program(theirs)
    pyxla.compile(program)(ours)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    if copies is not None:
        loops, _ = pyxla.code_hlo(program, A, optimized=True).split("\nENTRY ")
        assert len(re.findall(rf"= f64\[{N},{N}\]\S* copy\(", loops)) == copies
