"""What inference knows of values: the lattice, the heap, what is proven of integers."""
