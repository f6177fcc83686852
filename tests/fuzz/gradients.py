"""Placeholder."""


def generate(seed, avoid):
    raise NotImplementedError


def judge(text, checks):
    raise NotImplementedError
