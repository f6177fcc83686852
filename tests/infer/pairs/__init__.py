"""Functions, and beside their lines the typed SSA that inference makes of them.

Each says what its docstring or name does, and no more of the listing than that: see
`tests.infer.listing` for the notation.  Annotations are the types of the arguments.
"""
