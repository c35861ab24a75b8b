"""Exact ranks by two workers with one core each, against one process with one core: the efficiency.

    python perf/ray_ranks.py [--engine ray|processes] [--rows 20000] [--workers 2] [--rounds 3]

one:        ``rank()`` in this process, in one thread, tier as installed.
efficiency: one / (workers × wall of the engine), rounds interleaved, medians. The wall of the engine holds
            writing or putting the vectors where workers find them, every block's own look at the corpus, and
            putting the ranks together. Workers are warm: what starting them takes is printed apart.
two apart:  two processes that each rank all of it, one core each, side by side, against one alone: what the
            cores can give at all (caches and memory are shared, others work too), and so a bound.
processor:  processor time of one, against that of all workers and this process together: what the engine's
            way costs, however busy the machine is. Waiting for the slowest worker is not in it.
pairs/s:    compared pairs a second of processor time, for sizing (docs/howto/many-processes.md).

``--same`` does nothing but count by both ways and compare all bytes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from typing import Any

import numpy as np
from ranks import planted

ONE_CORE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # what a process's own threads are limited by


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", default="ray", choices=["ray", "processes"])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--top", type=int, default=10)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--floor", type=float, default=0.0, help="fail below this efficiency, e.g. 0.9")
    asked = parser.parse_args()
    from crossgauge.engines import Ranking, Recipe, open_engine
    from crossgauge.engines.ranking import in_one
    from crossgauge.models import load_model
    from crossgauge.progress import Silent
    from crossgauge.ranking.native import described
    from crossgauge.types import Qrels, Split

    queries, corpus = planted(asked.rows)
    ranking = Ranking(queries, corpus, Split((), (), Qrels.diagonal(asked.rows)), {"top": asked.top})
    alone = Ranking(queries, corpus, ranking.split, {"top": asked.top, "threads": 1})
    if asked.alone:
        print(statistics.median(wall(lambda: in_one(alone)) for _ in range(3)))
        return
    with closing(open_engine(asked.engine, asked.workers, Recipe("random:2", load_model))) as engine:
        starting = wall(lambda: engine.rank(ranking, Silent()))
        if asked.same:
            print("same bytes" if same(engine.rank(ranking, Silent()), in_one(alone)) else "OTHER BYTES")
            return
        runs = [
            (wall(lambda: in_one(alone)), wall(lambda: engine.rank(ranking, Silent())))
            for _ in range(asked.rounds)
        ]
        own = [cpu(lambda: in_one(alone)) for _ in range(asked.rounds)]
        theirs = [processor(engine, lambda: engine.rank(ranking, Silent())) for _ in range(asked.rounds)]
        apart = side_by_side(asked.rows, asked.top)
    own, theirs = statistics.median(own), statistics.median(theirs)
    ratios = [one / (asked.workers * many) for one, many in runs]
    one, many = (statistics.median(column) for column in zip(*runs, strict=True))
    pairs = asked.rows**2
    print(
        f"ranks {described()}; {asked.engine}, {asked.workers} workers, {asked.rows} × {asked.rows}, "
        f"{queries.shape[1]} dimensions, top {asked.top}: one {one:.2f} s, engine {many:.2f} s, "
        f"efficiency {statistics.median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)}); "
        f"two apart {apart:.2f}; of processor time {own / theirs:.2f}; "
        f"{pairs / own / 1e6:.0f} million pairs/s a core; first call, with starting, {starting:.1f} s"
    )
    if statistics.median(ratios) < asked.floor:
        raise SystemExit(f"below {asked.floor}")


class Spent:
    """The question how much processor time a worker has had."""

    def run(self, worker: object) -> float:  # noqa: ARG002
        return time.process_time()


def processor(engine: Any, act: Callable[[], object]) -> float:
    """Processor seconds of all workers and of this process."""
    from ray_ranks import Spent as Importable  # as workers import it

    def spent() -> float:
        return sum(engine._dealer.everyone(Importable())) + time.process_time()  # noqa: SLF001

    before = spent()
    act()
    return spent() - before


def side_by_side(rows: int, top: int) -> float:
    """One process's seconds against those of each of two that run together and share only the machine."""
    command = [sys.executable, __file__, "--alone", "--rows", str(rows), "--top", str(top)]

    def seconds(count: int) -> float:
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
        return statistics.mean(float(process.communicate()[0]) for process in started)

    return seconds(1) / seconds(2)


def same(one: object, other: object) -> bool:
    from crossgauge.types import Ranks, TopK

    pairs = [(getattr(one, field.name), getattr(other, field.name)) for field in fields(Ranks)]
    arrays = [(a.items, b.items) if isinstance(a, TopK) else (a, b) for a, b in pairs]
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in arrays)


def cpu(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def wall(act: Callable[[], object]) -> float:
    time.sleep(0.2)
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    if any(os.environ.get(name) != "1" for name in ONE_CORE):  # a BLAS reads them once
        os.execve(  # noqa: S606
            sys.executable, [sys.executable, *sys.argv], os.environ | dict.fromkeys(ONE_CORE, "1")
        )
    main()
