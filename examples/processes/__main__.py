"""Runs the same programs in one process and in several, and says whether they agree."""

import os
import socket
import subprocess
import sys

import numpy as np


def free_port():
    """A port of this machine that nobody uses."""
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return found.getsockname()[1]


def run(count):
    """What the first of `count` processes prints: name -> numbers."""
    port, environment = str(free_port()), {**os.environ, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "examples.processes.work", port, str(count)]
    started = [
        subprocess.Popen(
            [*command, str(number)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for number in range(count)
    ]
    texts = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        sys.exit("a process failed")
    # XLA's collectives say on the same stream who is connected.
    rows = [line.split() for line in texts[0].splitlines() if line.startswith(("losses", "heat"))]
    return {name: np.array(numbers, float) for name, *numbers in rows}


def main():
    """One process against several."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    one, many = run(1), run(count)
    for name, numbers in one.items():
        print(
            f"{name}: {numbers[0]:.6f} ... {numbers[-1]:.6f}, {count} processes differ by "
            f"{np.abs(numbers - many[name]).max():.1e}"
        )


if __name__ == "__main__":
    main()
