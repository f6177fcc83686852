"""What compiled code logs is logged as CPython does it."""

import logging

import numpy as np
import pytest

import pyxla

LOGGER = logging.getLogger("pyxla.tests.logged")


def logs(x):
    LOGGER.debug("start %d", 3)
    for i, v in enumerate(x):
        if v > 0:
            LOGGER.warning("row %d: %.2f %s", i, v, "positive")
    LOGGER.log(logging.ERROR, "end")
    return x.sum()


def test_same_records_as_cpython(caplog: pytest.LogCaptureFixture) -> None:
    compiled = pyxla.compile(logs)
    x = np.array([1.5, -1.0, 2.25])
    seen = []
    for level in (logging.WARNING, logging.DEBUG, logging.CRITICAL):
        LOGGER.setLevel(level)
        for function in (logs, compiled):
            caplog.clear()
            assert function(x) == 2.75
            seen.append([(r.levelname, r.getMessage()) for r in caplog.records])
        assert seen[-1] == seen[-2]
    LOGGER.setLevel(logging.NOTSET)
    assert [len(records) for records in seen[::2]] == [3, 4, 0]
