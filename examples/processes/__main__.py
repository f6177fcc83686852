"""Runs the same programs in one process and in several, and says whether they agree; then lets one
of the processes die, and goes on from the checkpoint in a single one."""

import os
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np

NAMES = ("devices", "losses", "heat")


def free_port():
    """A port of this machine that nobody uses."""
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return found.getsockname()[1]


def run(count, folder, dies=0):
    """What the first of `count` processes prints, name -> numbers; None where one has died."""
    port, environment = free_port(), {**os.environ, "JAX_PLATFORMS": "cpu"}
    words = [sys.executable, "-m", "examples.processes.work", port, count]
    kept = subprocess.DEVNULL if dies else None
    started = [
        subprocess.Popen(
            list(map(str, [*words, number, folder, dies])),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=kept,
            text=True,
        )
        for number in range(count)
    ]
    texts = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        return None
    # XLA's collectives say on the same stream who is connected.
    rows = [line.split() for line in texts[0].splitlines() if line.startswith(NAMES)]
    return {name: np.array(numbers, float) for name, *numbers in rows}


def main():
    """One process against several."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one, many = run(1, first), run(count, second)
        if one is None or many is None:
            sys.exit("a process failed")
    for name in ("losses", "heat"):
        print(
            f"{name}: {one[name][0]:.6f} ... {one[name][-1]:.6f}, over {many['devices'][0]:.0f} "
            f"devices differ by {np.abs(one[name] - many[name]).max():.1e}"
        )
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        ended = run(count, folder, dies=20) is None
        print(f"a process died, the others ended: {ended}, after {time.monotonic() - start:.0f} s")
        again = run(1, folder)
        if again is None:
            sys.exit("the restart failed")
    print(f"restarted: losses differ by {np.abs(one['losses'] - again['losses']).max():.1e}")


if __name__ == "__main__":
    main()
