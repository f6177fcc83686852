"""The scalar loops under `numba.njit`."""

import numba

from benchmarks import loops

collatz_total = numba.njit(loops.collatz_total)
gauss_seidel = numba.njit(loops.gauss_seidel)
mandelbrot_total = numba.njit(loops.mandelbrot_total)
matrix_product = numba.njit(loops.matrix_product)
nearest_centres = numba.njit(loops.nearest_centres)
shortest_paths = numba.njit(loops.shortest_paths)
edit_distance = numba.njit(loops.edit_distance)
game_of_life = numba.njit(loops.game_of_life)
pi_by_chance = numba.njit(loops.pi_by_chance)
quicksort = numba.njit(loops.quicksort)
common_subsequence = numba.njit(loops.common_subsequence)
steps_through = numba.njit(loops.steps_through)
