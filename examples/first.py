"""A first look: one program as Python source, typed SSA, HLO, and its result."""

import inspect

import numpy as np

import pyxla


def dominant(a, tol):
    """The eigenvalue of largest magnitude of a symmetric matrix, by power iteration."""
    v = np.ones(len(a))
    value = 0.0
    for steps in range(1000):
        w = a @ v
        previous, value = value, v @ w / (v @ v)
        if abs(value - previous) < tol:
            break
        v[:] = w / np.linalg.norm(w)
    else:
        raise ArithmeticError(f"no convergence to {tol}")
    return value, steps


def main():
    """Show every stage for a 3 by 3 matrix, and the result next to CPython's."""
    a = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
    print("---- Python ----", inspect.getsource(dominant), sep="\n")
    print("---- typed SSA ----", pyxla.code_typed(dominant, a, 1e-12), sep="\n")
    print("---- HLO ----", pyxla.code_hlo(dominant, a, 1e-12), sep="\n")
    value, steps = pyxla.compile(dominant)(a, 1e-12)
    print(f"pyxla:   {value} after {steps} steps")
    value, steps = dominant(a, 1e-12)
    print(f"CPython: {value} after {steps} steps")


if __name__ == "__main__":
    main()
