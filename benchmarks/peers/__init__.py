"""The benchmark programs as their users would write them for JAX and for Numba."""
