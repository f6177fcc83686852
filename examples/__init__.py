"""Programs in plain Python and NumPy, compiled by pyxla: `python -m examples.NAME` runs one."""
