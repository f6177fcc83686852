"""Loops: the state assumed at a header, and the passes until it holds."""
