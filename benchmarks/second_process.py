"""The first call of a program in a second process against that in the first.

    python -m benchmarks.second_process [--npbench CLONE] [PROGRAM ...]

Each program runs in two processes, one after the other, that share a folder for programs, empty at
first. The time is that of all calls of compiled functions until each has run once, without what any
JAX program does first: imports, of the libraries that JAX loads for LAPACK too, and the start of
JAX's backend; of NPBench also without what a second call with such arguments takes, which computes
the same. Programs are scripts of `examples/`, and with a checkout of spcl/npbench the programs of
that suite, in preset S. Beside it stands processor time, which is less where the clock waits for
other processes, and more where several threads compute.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT

SCRIPTS = ("first", "dense", "softmax", "newton_cg", "runge_kutta", "scalar_simulation")
MOST_RATIO, MOST_SECONDS = 0.15, 0.060


def child(name: str, clone: str) -> None:
    """Run a program, and print how long its first calls took and how many were compiled."""
    importlib.import_module("scipy.linalg")
    importlib.import_module("jax").local_devices()
    api = importlib.import_module("pyxla.api")
    spent, depth, entries = [0.0, 0.0], [0], []
    call, kept = api.Compiled.__call__, api.Compiled._keep

    def timed(self: Any, *args: Any, **kwargs: Any) -> Any:
        before, began = len(entries), (time.perf_counter(), time.process_time())
        depth[0] += 1
        try:
            return call(self, *args, **kwargs)
        finally:
            depth[0] -= 1
            if not depth[0] and len(entries) > before:
                spent[0] += time.perf_counter() - began[0]
                spent[1] += time.process_time() - began[1]

    def noted(self: Any, key: Any, entry: Any) -> None:
        entries.append(entry)
        kept(self, key, entry)

    api.Compiled.__call__, api.Compiled._keep = timed, noted
    with contextlib.redirect_stdout(sys.stderr):
        if clone:
            npbench = importlib.import_module("benchmarks.npbench")
            sys.path.insert(0, clone)
            program, args, _ = npbench.load(Path(clone), name, "S")
            compiled = importlib.import_module("pyxla").compile(program)
            again = copy.deepcopy(args)
            compiled(*args)
            began = time.perf_counter(), time.process_time()
            compiled(*again)
            spent[0] -= time.perf_counter() - began[0]
            spent[1] -= time.process_time() - began[1]
        else:
            script: Any = importlib.import_module(f"examples.{name}")
            script.main()
    made = sum("typed" in entry.record.stages for entry in entries)
    print(json.dumps([*spent, len(entries), made]))


def run(name: str, clone: str, folder: str) -> list[Any]:
    env = {**os.environ, "PYXLA_CACHE": "1", "PYXLA_CACHE_DIR": folder}
    words = [sys.executable, "-m", "benchmarks.second_process", "--child", name, "--npbench", clone]
    done = subprocess.run(words, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.second_process")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--npbench", default="", metavar="CLONE")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args(argv)
    if options.child:
        child(options.programs[0], options.npbench)
        return 0
    names = options.programs or list(SCRIPTS)
    if options.npbench and not options.programs:
        infos = sorted((Path(options.npbench) / "bench_info").glob("*.json"))
        names = [info.stem for info in infos]
    held = [0, 0]
    heads = "processor: first, second, ratio; compiled again"
    print(f"{'program':25} {'first':>9} {'second':>9} {'ratio':>6}  {heads}", flush=True)
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                first, second = (run(name, options.npbench, folder) for _ in range(2))
            except RuntimeError as error:
                print(f"{name:25} {error}", flush=True)
                continue
        times = ""
        for i in range(2):
            ratio = second[i] / first[i]
            held[i] += ratio <= MOST_RATIO and second[i] <= MOST_SECONDS
            times += f" {1e3 * first[i]:6.0f} ms {1e3 * second[i]:6.1f} ms {ratio:6.3f} "
        print(f"{name:24} {times} {second[3]} of {second[2]}", flush=True)
    bounds = f"at most {MOST_RATIO} of the first, and {MOST_SECONDS} s"
    print(f"{held[0]} of {len(names)} {bounds}; by processor time {held[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
