"""`np.random.Generator` in compiled code: NumPy's numbers, drawn in its order."""
