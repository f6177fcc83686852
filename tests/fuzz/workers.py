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
from typing import Any

from tests.fuzz import planting

PATIENCE = 120
PER_WORKER = 250
# With these XLA compiles a program in a fifth of the time (its optimizations are not our subject).
QUICK = (
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false "
    "--xla_cpu_parallel_codegen_split_count=1"
)
# One of so many workers compiles with the options that users have.
FULL_EVERY = 5
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
    effort, mine = options.effort, dict(os.environ)
    if options.fault:
        mine[planting.VARIABLE] = options.fault
    full = effort == "full" or (effort == "mixed" and seed // PER_WORKER % FULL_EVERY == 0)
    return mine if full or effort == "eager" else {**mine, "XLA_FLAGS": QUICK}


def lines(worker: subprocess.Popen[str]) -> Iterator[str | None]:
    """The worker's lines; None where it says nothing for too long."""
    assert worker.stdout is not None
    while True:
        ready, _, _ = select.select([worker.stdout], [], [], PATIENCE)
        line = worker.stdout.readline() if ready else None
        if line == "":
            return
        yield line
        if line is None:
            return


def spawn(seed: int, count: int, options: argparse.Namespace) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fuzz", "--worker", "--seed", str(seed)]
    command += ["--count", str(count), "--avoid", options.avoid]
    command += [f"--{name}" for name in ("checks", "gradients") if getattr(options, name)]
    command += ["--effort", options.effort]
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
