"""`np.random.Generator`: the object, and the methods that are not Python in `lib.random`."""
