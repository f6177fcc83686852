"""What calls of `jax.*` do in compiled code, where JAX's own code will not do.

Most functions of JAX are operations: their StableHLO is merged into the module (`lib/foreign`).
Those here take functions of the program, or know nothing of arrays:

    transforms   jax.grad, jax.vmap, jax.jit, ...: pyxla's transformations
    control      lax.scan, lax.cond, ...: Python loops and branches
    trees        jax.tree.map, ...: containers taken apart while compiling
    at           x.at[index].set(y), ...
    keys         arrays of typed keys of jax.random
    placing      jax.device_put, pyxla.shard, ...
    callbacks    jax.pure_callback, io_callback, ...
"""

from pyxla.jaxcalls import at, callbacks, control, keys, placing, transforms, trees

__all__ = ["at", "callbacks", "control", "keys", "placing", "transforms", "trees"]
