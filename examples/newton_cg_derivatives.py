"""Truncated Newton-CG with derivatives taken, not written: a problem is its value alone.

The optimizer and the values are those of `examples/newton_cg.py`. The gradient is reverse mode, the
Hessian-vector product forward mode over it, both inside the compiled optimizer. Run it as
`python -m examples.newton_cg_derivatives`.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import pyxla
from examples.newton_cg import PROBLEMS, newton_cg


@dataclass(frozen=True)
class Differentiated:
    """What `newton_cg` asks of a problem, from the `value` of another."""

    problem: Any

    def value(self, x):
        return self.problem.value(x)

    def gradient(self, x):
        return pyxla.grad(self.problem.value)(x)

    def hessian_vector(self, x, v):
        return pyxla.jvp(self.gradient, (x,), (v,))[1]


def main():
    """Solve the three problems with derivatives by hand and by pyxla, compare and time."""
    for name, make in PROBLEMS.items():
        problem, x = make(np.random.default_rng(0))
        optimize = pyxla.compile(newton_cg)
        results, seconds = [], []
        for version in (problem, Differentiated(problem)):
            optimize(version, x, 50, 1e-6)
            start = time.perf_counter()
            results.append(optimize(version, x, 50, 1e-6))
            seconds.append(time.perf_counter() - start)
        by_hand, taken = results
        np.testing.assert_allclose(by_hand[1], taken[1], rtol=1e-6)
        print(f"{name}: value {taken[1]:.6f} after {taken[3]} iterations,", end=" ")
        print(f"by hand {seconds[0] * 1e3:.2f} ms, taken {seconds[1] * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
