"""What happens to the folder does not matter to results: damage, other processes, no room."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import pyxla
from pyxla.store import folder

ROOT = Path(__file__).parent.parent.parent
X = np.arange(4.0)


def function(x, n=3):
    total = x * 1.0
    for i in range(n):
        total = total * x + i
    return total, total.sum()


EXPECTED = function(X)


def run():
    """A call in what might be a new process."""
    result = pyxla.compile(function)(X)
    np.testing.assert_allclose(result[0], EXPECTED[0])
    assert result[1] == pytest.approx(EXPECTED[1])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("PYXLA_CACHE", "1")
    monkeypatch.setenv("PYXLA_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def entry(place):
    """The one entry that there is."""
    run()
    (file,) = folder.files()
    return file.path


def test_every_byte_counts(entry):
    data = entry.read_bytes()
    numbers = random.Random(1)
    for _ in range(1000):
        damaged = bytearray(data)
        for _ in range(numbers.choice((1, 1, 2, 50))):
            damaged[numbers.randrange(len(data))] ^= 1 << numbers.randrange(8)
        if damaged != data:
            entry.write_bytes(damaged)
            assert folder.read(entry) is None
    for size in (0, 1, len(folder.MAGIC), 40, 60, len(data) // 2, len(data) - 1):
        entry.write_bytes(data[:size])
        assert folder.read(entry) is None
    entry.write_bytes(data + b"x")
    assert folder.read(entry) is None
    entry.write_bytes(data)
    assert folder.read(entry) is not None


@pytest.mark.parametrize("part", [0.0, 0.05, 0.5, 0.99])
def test_a_damaged_entry_is_made_anew(entry, part):
    data = entry.read_bytes()
    damaged = bytearray(data)
    damaged[int(part * len(data))] ^= 255
    entry.write_bytes(damaged)
    run()
    assert entry.read_bytes()[:16] == data[:16] and folder.read(entry) is not None


def test_what_xla_cannot_read_is_compiled(entry):
    """Well written, and of no use: for what was not foreseen there is the compiler."""
    header, _ = folder.read(entry)
    folder.write(entry.parent.name, entry.name, header, [b"nonsense"])
    result = pyxla.compile(function, verify=False)(X)
    np.testing.assert_allclose(result[0], EXPECTED[0])


def test_something_else_in_the_folder(place):
    (place / "notes.txt").write_text("mine")
    run()
    (key,) = [p for p in place.iterdir() if p.is_dir()]
    (key / "strange").mkdir()
    (key / ".part-old").write_bytes(b"half")
    run()
    assert folder.clear() == 1
    assert (place / "notes.txt").read_text() == "mine"


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    """A file where the folder should be, for whoever may do everything."""
    monkeypatch.setenv("PYXLA_CACHE", "1")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PYXLA_CACHE_DIR", str(tmp_path / "file" / "deeper"))
    run()
    assert folder.files() == [] and folder.clear() == 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("call", ["mkstemp", "fdopen", "replace"])
def test_no_room(place, monkeypatch, number, call):
    def refused(*args, **kwargs):
        raise OSError(number, os.strerror(number))

    target = folder.tempfile if call == "mkstemp" else folder.os
    with monkeypatch.context() as patch:
        patch.setattr(target, call, refused)
        run()
        assert folder.files() == []
    run()
    assert len(folder.files()) == 1
    assert not [p for p in place.rglob(".part-*")] or call == "fdopen"


def test_the_folder_is_bounded(place, monkeypatch):
    monkeypatch.setattr(folder, "_written", 1)
    monkeypatch.setenv("PYXLA_CACHE_SIZE", "0.01")
    key = "0" * folder.KEY_LENGTH
    for i in range(32):
        assert folder.write(key, f"{i:02}", {}, [bytes(2000)])
        os.utime(place / key / f"{i:02}", (i, i))
    kept = folder.files()
    assert sum([file.size for file in kept]) <= 10_000 + 16 * 2100
    assert kept[0].path.name == "31" and kept[-1].path.name > "10"
    assert not folder.write(key, "large", {}, [bytes(20_000)])


def test_those_used_last_stay(place):
    key = "1" * folder.KEY_LENGTH
    for name in "abc":
        folder.write(key, name, {}, [])
        os.utime(place / key / name, (1, 1))
    folder.touch(place / key / "b")
    assert folder.files()[0].path.name == "b"


def script(path):
    text = """
    import numpy as np
    import pyxla

    def function(x, n=3):
        total = x * 1.0
        for i in range(n):
            total = total * x + i
        return total, total.sum()

    compiled = pyxla.compile(function)
    for x in (np.arange(4.0), np.arange(5.0)):
        assert np.allclose(compiled(x)[0], function(x)[0])
    notes = [str(record.notes) for record in pyxla.explain(compiled).records]
    print("kept" if all("another process" in text for text in notes) else "compiled")
    """
    path.write_text(textwrap.dedent(text))
    return [sys.executable, str(path)]


def start(path, **settings):
    env = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    return subprocess.Popen(
        script(path), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_processes(place, tmp_path):
    """Two at once, one after them, one that is killed, and one that does not want it."""
    path = tmp_path / "program.py"
    both = [start(path), start(path)]
    for process in both:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    out, err = start(path).communicate(timeout=300)
    assert out == "kept\n", err
    out, err = start(path, PYXLA_CACHE="0").communicate(timeout=300)
    assert out == "compiled\n", err


KILLED = """
import os, signal
from pyxla.store import folder
folder.os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
folder.write("2" * folder.KEY_LENGTH, "name", {}, [bytes(100_000)])
"""


def test_a_process_that_is_killed_while_writing(place):
    """What it had written is beside its place, where nobody looks, and is removed some day."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=env, timeout=300, check=False)
    assert done.returncode < 0
    (partial,) = place.rglob(".part-*")
    assert folder.files() == []
    run()
    assert len(folder.files()) == 1
    os.utime(partial, (1, 1))
    folder._written = 0
    folder.write("3" * folder.KEY_LENGTH, "name", {}, [])
    assert not partial.exists()
