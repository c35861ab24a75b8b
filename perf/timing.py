"""How times and memory are taken: ratios within one process, runs in turn, memory in a process of its own."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

PAUSE = 0.15  # seconds: OpenBLAS threads spin for 0.11 after a product, and would slow what comes next
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # only together do they make sense, and only elsewhere


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of one call."""
    time.sleep(PAUSE)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def ratios(work: Callable[[], object], floor: Callable[[], object], *, pairs: int) -> tuple[float, float]:
    """Wall and processor time of some work over those of the floor: medians over pairs of runs in turn."""
    runs = np.array([[timed(floor), timed(work)] for _ in range(pairs)])  # (pairs, 2 works, wall and cpu)
    wall, cpu = np.median(runs[:, 1] / runs[:, 0], axis=0)
    return float(wall), float(cpu)


def resident() -> int:
    """Bytes that this process occupies now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def growth(work: Callable[[], object]) -> int:
    """The most bytes that are occupied beyond those before, looked at every 5 ms (Linux only)."""
    before, most, done = resident(), 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.005):
            most = max(most, resident() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    work()
    done.set()
    watcher.join()
    return most


def apart(script: str, *arguments: str) -> str:
    """What a script of this folder prints when it runs in a process of its own."""
    command = [sys.executable, str(Path(__file__).parent / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "it failed")
    return done.stdout


def machine() -> dict[str, str]:
    """What the numbers were taken on."""
    from crossgauge.ranking.native import described
    from crossgauge.ranking.workers import usable_cpus

    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    return {
        "processor": name,
        "cores": str(usable_cpus()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "ranks": described(),
    }


def versions(*packages: str) -> Iterator[tuple[str, str]]:
    """The version of each package that is installed."""
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield package, importlib.metadata.version(package)


def start_again_with_a_plain_blas() -> None:
    """Drop settings that BLAS reads once, when it is loaded."""
    if any(name in os.environ for name in UNSET):
        clean = {name: value for name, value in os.environ.items() if name not in UNSET}
        os.execve(sys.executable, [sys.executable, *sys.argv], clean)  # noqa: S606
