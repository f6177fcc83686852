"""The dense layer of "Automatic Full Compilation of Julia Programs and ML Models to Cloud TPUs".

pyxla hlo examples/dense.py:dense 'f32[10,10]' 'f32[10]' 'f32[10]'
"""

import numpy as np

import pyxla


def dense(w, x, b):
    return w @ x + b


def main():
    """Print the layer's HLO and its result next to NumPy's."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((10, 10), np.float32)
    x, b = rng.standard_normal((2, 10), np.float32)
    print(pyxla.code_hlo(dense, w, x, b))
    result = pyxla.compile(dense)(w, x, b)
    print("pyxla:", result)
    print("numpy:", dense(w, x, b))
    np.testing.assert_allclose(result, dense(w, x, b), rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    main()
