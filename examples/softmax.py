"""The softmax of "Automatic Full Compilation of Julia Programs and ML Models to Cloud TPUs".

pyxla hlo examples/softmax.py:softmax 'f32[10]'
"""

import numpy as np

import pyxla


def softmax(xs):
    return np.exp(xs) / np.sum(np.exp(xs))


def main():
    """Print the function's HLO and its result next to NumPy's."""
    xs = np.linspace(-1, 1, 10, dtype=np.float32)
    print(pyxla.code_hlo(softmax, xs))
    result = pyxla.compile(softmax)(xs)
    print("pyxla:", result)
    print("numpy:", softmax(xs))
    np.testing.assert_allclose(result, softmax(xs), rtol=1e-6)


if __name__ == "__main__":
    main()
