"""Worker processes that judge programs, so that a crash or a hang is a finding like any other."""

from __future__ import annotations

import argparse
import json
import os
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz import planting

# A worker hangs that says nothing for so many seconds of its own, or of waiting on a busy machine.
PATIENCE, WAITING = 120, 600
PER_WORKER = 250
# With these XLA compiles a program in a fifth of the time (its optimizations are not our subject).
QUICK = (
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false "
    "--xla_cpu_parallel_codegen_split_count=1"
)
# How the workers of `mixed` compile, in turn: one of eight as users do.
MIXED = ("full", "eager", "eager", "quick", "eager", "eager", "eager", "eager")
# The oracle asked besides, by the seed's remainder; programs are verified for every third seed.
FURTHER = {0: "eager", 4: "ahead", 8: "artifact", 12: "jax", 16: "jit"}
REMAINDERS = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """How the program of a seed is judged."""

    extra: str
    verify: bool


def plan(seed: int) -> Plan:
    return Plan(FURTHER.get(seed % REMAINDERS, ""), seed % 3 == 0)


def environment(seed: int, options: argparse.Namespace) -> dict[str, str]:
    """The environment of a worker that begins with this seed."""
    mine = dict(os.environ)
    if options.fault:
        mine[planting.VARIABLE] = options.fault
    return {**mine, "XLA_FLAGS": QUICK} if effort(seed, options) == "quick" else mine


def effort(seed: int, options: argparse.Namespace) -> str:
    """XLA's, of a worker that begins with this seed."""
    mixed = options.effort == "mixed"
    return MIXED[seed // PER_WORKER % len(MIXED)] if mixed else options.effort


def lines(worker: subprocess.Popen[str]) -> Iterator[str | None]:
    """The worker's lines; None where it says nothing for too long."""
    assert worker.stdout is not None
    while True:
        line = worker.stdout.readline() if says_something(worker) else None
        if line == "":
            return
        yield line
        if line is None:
            return


def says_something(worker: subprocess.Popen[str]) -> bool:
    """Wait for a line; False where none comes."""
    before, since = spent(worker.pid), time.monotonic()
    while not select.select([worker.stdout], [], [], 10)[0]:
        waited = time.monotonic() - since
        if waited > WAITING or spent(worker.pid) - before > PATIENCE:
            return False
    return True


def spent(pid: int) -> float:
    """Seconds of processors that a process has used; that of the wall where nobody says."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spawn(seed: int, count: int, options: argparse.Namespace) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fuzz", "--worker", "--seed", str(seed)]
    command += ["--count", str(count), "--avoid", options.avoid]
    command += ["--gradients"] if options.gradients else []
    command += ["--effort", effort(seed, options)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(seed, options),
    )


def chunk(
    start: int, count: int, options: argparse.Namespace, stop: threading.Event
) -> Iterator[dict[str, Any]]:
    """One record per program of a range; a lost worker is recorded and replaced."""
    seed, end = start, start + count
    while seed < end and not stop.is_set():
        worker = spawn(seed, end - seed, options)
        begun = finished = seed - 1
        why = "the process died"
        for line in lines(worker):
            if line is None:
                why = "the process hung"
                break
            record = json.loads(line)
            if "begin" in record:
                begun = record["begin"]
            else:
                finished = record["seed"]
                yield record
            if stop.is_set():
                break
        worker.kill()
        worker.wait()
        if stop.is_set():
            return
        if begun > finished:
            yield {"seed": begun, "verdict": "internal", "reason": why, "features": []}
            finished = begun
        seed = max(finished, begun) + 1


def chunks(options: argparse.Namespace) -> Iterator[tuple[int, int]]:
    """Ranges of seeds, cut where the effort changes."""
    seed, end = options.seed, options.seed + options.count
    while seed < end:
        size = min(PER_WORKER - seed % PER_WORKER, end - seed)
        yield seed, size
        seed += size


def records(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One record per program, from as many workers as asked, for as long as asked."""
    stop, lock, ranges = threading.Event(), threading.Lock(), chunks(options)
    found: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def job() -> None:
        while not stop.is_set():
            with lock:
                one = next(ranges, None)
            if one is None:
                break
            for record in chunk(*one, options, stop):
                found.put(record)
        found.put(None)

    threads = [threading.Thread(target=job, daemon=True) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    deadline, running = time.monotonic() + options.seconds, len(threads)
    try:
        while running:
            try:
                record = found.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if record is None:
                running -= 1
            else:
                yield record
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=PATIENCE)
