"""Ops whose code is made elsewhere."""
