"""Ranks of more vectors than fit in memory: do they work here, in how much memory, and how long do they take?

    python perf/large.py [--rows 1000000] [--dimensions 512] [--share 500] [--memory MB]

Writes two float32 files of that size (2 GB each by default) into a temporary folder, maps them, and calls
``rank`` on them in a process of its own. One in ``--share`` blocks of queries is counted; everything else
(reading, norms, panels of the whole corpus, scores of all relevant items) is done in full. The time that all
blocks would take is extrapolated from those counted. Memory is what the process holds itself at most
(anonymous pages, looked at every 10 ms; pages of mapped files are the system's to drop), on Linux only. Exits
1 if that is more than ``--memory``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

PART = 1 << 15  # rows written at once


def planted_parts(rows: int, dimensions: int, *, shared: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Queries and corpus, a part at a time; query ``i`` is near corpus row ``i``."""
    rng = np.random.default_rng(0)
    for begin in range(0, rows, PART):
        shape = (min(PART, rows - begin), dimensions)
        corpus, noise = (rng.standard_normal(shape, dtype=np.float32) for _ in range(2))
        yield shared * corpus + noise, corpus


def write(folder: Path, rows: int, dimensions: int) -> None:
    sides = [
        np.lib.format.open_memmap(
            folder / f"{name}.npy", mode="w+", dtype=np.float32, shape=(rows, dimensions)
        )
        for name in ("queries", "corpus")
    ]
    at = 0
    for parts in planted_parts(rows, dimensions, shared=0.25):
        for side, part in zip(sides, parts, strict=True):
            side[at : at + len(part)] = part
        at += len(parts[0])


def anonymous() -> float:
    """Megabytes of memory of its own that this process occupies now."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


class Watch:
    """The most memory of its own since it was made."""

    def __init__(self) -> None:
        self.most = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.01):
            self.most = max(self.most, anonymous())

    def stop(self) -> float:
        self._done.set()
        self._thread.join()
        return self.most


def ranked(folder: Path, share: int, memory: int, found: multiprocessing.SimpleQueue) -> None:
    """Count one in ``share`` blocks; puts seconds in all and of counting, blocks counted and all, memory."""
    from crossgauge.ranking import rank
    from crossgauge.ranking.compiled import Compiled
    from crossgauge.ranking.plan import Plan

    counting, blocks = 0.0, {}
    count, pieces = Compiled.count, Plan.pieces

    def timed(*arguments) -> None:
        nonlocal counting
        began = time.perf_counter()
        count(*arguments)
        counting += time.perf_counter() - began

    def some(plan: Plan, total: int) -> Iterator[slice]:
        every = list(pieces(plan, total))
        kept = every[:: max(1, min(share, len(every)))]
        blocks["counted"], blocks["all"] = len(kept), len(every)
        return iter(kept)

    Compiled.count, Plan.pieces = timed, some
    sides = [np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("queries", "corpus")]
    watch = Watch()
    began = time.perf_counter()
    rank(*sides, top=10, memory=memory << 20)
    total = time.perf_counter() - began
    found.put((total, counting, blocks["counted"], blocks["all"], watch.stop()))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=512)
    parser.add_argument("--share", type=int, default=500)
    parser.add_argument("--memory", type=int, default=2048, help="megabytes that must do")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, options.rows, options.dimensions)
        context = multiprocessing.get_context("spawn")
        found = context.SimpleQueue()
        child = context.Process(target=ranked, args=(folder, options.share, options.memory // 4, found))
        child.start()
        child.join()
        if child.exitcode:
            return child.exitcode
    total, counting, counted, every, megabytes = found.get()
    whole = total - counting + counting * every / counted
    size = 2 * 4 * options.rows * options.dimensions / 2**30
    print(
        f"{options.rows} x {options.rows} vectors of {options.dimensions} dimensions, {size:.1f} GiB, "
        f"top 10: {counted} of {every} blocks of queries counted in {counting:.1f} s, all else "
        f"{total - counting:.1f} s; all blocks: {whole / 60:.0f} minutes (extrapolated). "
        f"Memory {megabytes:.0f} MB."
    )
    return int(megabytes > options.memory)


if __name__ == "__main__":
    sys.exit(main())
