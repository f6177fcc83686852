"""Training and a stencil over several processes: `python -m examples.processes [COUNT]`.

The programs are those of one process. Each process makes the rows that it holds, `jax.distributed`
brings them together, and what processes tell each other is XLA's partitioner's: a sum of slopes for
the training, rows at the borders for the stencil.
"""
