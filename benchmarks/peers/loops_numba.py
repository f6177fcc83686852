"""The scalar loops under `numba.njit`."""

import numba

from benchmarks import loops

collatz_total = numba.njit(loops.collatz_total)
gauss_seidel = numba.njit(loops.gauss_seidel)
mandelbrot_total = numba.njit(loops.mandelbrot_total)
