"""Objects outside of a program: where they are read, and what of them is to stay as it was."""
