"""Ops that talk across devices."""
