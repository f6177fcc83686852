"""Calls: what is called, what a program captures, and visits that need not be repeated."""
