"""Lists, tuples, dicts and sets, whose structure is known while compiling, and iteration."""
