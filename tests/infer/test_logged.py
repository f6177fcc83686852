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


def place(record: logging.LogRecord) -> tuple[str, int, str]:
    return record.pathname, record.lineno, record.funcName


def by_the_module(x):
    logging.warning("x is %s", x)
    logging.info("not shown")
    return called(x)


def called(x):
    logging.error("and %(x)d", {"x": 3})
    return x


def test_records_of_the_root_have_their_lines(caplog: pytest.LogCaptureFixture) -> None:
    seen = []
    for function in (by_the_module, pyxla.compile(by_the_module)):
        caplog.clear()
        function(2.5)
        seen.append([(r.name, r.getMessage(), *place(r)) for r in caplog.records])
    assert seen[0] == seen[1]


def test_same_records_as_cpython(caplog: pytest.LogCaptureFixture) -> None:
    compiled = pyxla.compile(logs)
    x = np.array([1.5, -1.0, 2.25])
    seen = []
    for level in (logging.WARNING, logging.DEBUG, logging.CRITICAL):
        LOGGER.setLevel(level)
        for function in (logs, compiled):
            caplog.clear()
            assert function(x) == 2.75
            seen.append([(r.levelname, r.getMessage(), *place(r)) for r in caplog.records])
        assert seen[-1] == seen[-2]
    LOGGER.setLevel(logging.NOTSET)
    assert [len(records) for records in seen[::2]] == [3, 4, 0]
