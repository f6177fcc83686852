"""Random programs against CPython and NumPy: `python -m tests.fuzz --seconds N --seed S`.

`program` prints a plain Python file from a seed; `oracle` runs it natively and compiled and says
what happened; `reduction` shrinks a failing file to a few lines.

The generator is typed by execution: every expression is evaluated by CPython on representative
values as it is written, so its type is what NumPy says, and what raises is never written. Programs
terminate by construction: loops have small bounds and their counters are protected. Arithmetic on
Python ints is kept within 64 bits, indices within range, divisors away from zero.
"""
