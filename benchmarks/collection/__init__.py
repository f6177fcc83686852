"""Programs of loops over numbers, arrays and lists, by kind; `benchmarks.compiled_loops` runs them.

Each module has `SIZES`: for each program the function that makes its arguments from a number and a
random generator, and that number for a small and for a large run.
"""

KINDS = (
    "recurrences",
    "elements",
    "stencils",
    "tables",
    "graphs",
    "sorting",
    "letters",
    "matrices",
    "chance",
    "bodies",
)
