"""Random programs against CPython and NumPy: `python -m tests.fuzz --seconds N --seed S`.

`program` and `gradients` print a plain Python file from a seed; `oracle` and `differences` run it
natively and compiled and say what happened; `reduction` shrinks a failing file to a few lines;
`table` lists faults that are planted in the compiler to see whether they are found.
`docs/fuzzing.md` says more.

The generator is typed by execution: every expression is evaluated by CPython on representative
values as it is written, so its type is what NumPy says, and what raises is never written. Programs
terminate by construction: loops have small bounds and their counters are protected. Arithmetic on
Python ints is kept within 64 bits, indices within range, divisors away from zero.
"""

from tests.fuzz import planting
from tests.fuzz.table import NAMED

if planting.wanted():
    planting.plant(*NAMED[planting.wanted()].change)
