"""What only XLA:CPU needs: how its kernels are cut, and what it computes slowly as it stands."""
