"""Benchmarks against JAX, Numba and CPython: `python -m benchmarks` (see `__main__`)."""
