"""Exceptions: as values, on their way to a handler, and those that CPython raises implicitly."""
