"""The gate: our own ratios of processor time against perf/recorded.json, in two minutes on two busy cores.

Each row is the processor time of our work over that of a unit that needs none of our code, one thread each,
the median over runs in turn. What is recorded is the median of five passes over all rows, each in a process
of its own, and how far they were apart. Then

- a ratio more than a quarter above the recorded one is measured again when all others are done, and is worse
  only if it is so twice; on another processor of the same instruction set, or with another build of Python
  (some units are loops in Python), only from twice the ratio on;
- a row whose recorded passes were more than a quarter apart says nothing, and is left out;
- what four minutes do not suffice for is not looked at.

All three are printed. An instruction set without a record is only told.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from concepts import measured, nouns, wide_scenes
from intervals import rows as interval_rows
from ours import kind, our_ranks
from ranks import planted
from rouge import captions, table
from threadpoolctl import threadpool_limits
from timing import apart, machine

from crossgauge.concepts.wordnet import WordNet
from crossgauge.ranking import native
from crossgauge.rouge import TokenIds, rouge_l, rouge_l_ids

RECORDED = Path(__file__).parent / "recorded.json"
WORSE, ELSEWHERE = 1.25, 2.0  # times the recorded ratio: on that processor and Python, and on another
APART = 0.25  # of the median: what recorded passes may differ by
PASSES = 5
LEAST, ENOUGH = 5, 1.5  # pairs of runs, and seconds after which no more are begun
SHORT = 0.004  # seconds: faster work is run several times in one go
PATIENCE = 240.0  # seconds
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # as in malloc.h
DRAWS = 3  # what intervals and tests are compared with


@dataclass(frozen=True)
class Quick:
    """One row: our work, and what it is compared with."""

    name: str
    work: Callable[[], object]
    unit: Callable[[], object]

    def ratio(self) -> float:
        """Processor time of the work over the unit's: the median over runs in turn."""
        sides = [_in_one_go(self.unit), _in_one_go(self.work)]
        begun, found = time.perf_counter(), []
        gc.collect()
        gc.disable()  # what others left behind is not this row's work
        while len(found) < LEAST or time.perf_counter() - begun < ENOUGH:
            unit, work = (_spent(run, times) / times for run, times in sides)
            found.append(work / unit)
        gc.enable()
        return median(found)


def _in_one_go(run: Callable[[], object]) -> tuple[Callable[[], object], int]:
    run()  # whatever is done once
    return run, max(1, round(SHORT / max(_spent(run, 1), 1e-7)))


def _spent(run: Callable[[], object], times: int) -> float:
    begun = time.process_time()
    for _ in range(times):
        run()
    return time.process_time() - begun


def quick() -> Iterator[Quick]:
    """What the gate looks at, the most telling first."""
    for n in (3000, 1000):
        queries, corpus = planted(n)
        unit = functools.partial(np.matmul, queries, corpus.T, out=np.empty((n, n), np.float32))
        for name, make in our_ranks().items():
            yield Quick(f"ranks {n}: {name}", make(queries, corpus, threads=1), unit)
    answers, truths = captions(20_000, 10, np.random.default_rng(0))
    texts = functools.partial(rouge_l, answers, truths, resamples=1)
    words = [[text.split() for text in side] for side in (answers, truths)]
    ids = [TokenIds.of([[hash(word) % 10**6 for word in text] for text in side]) for side in words]
    plainly = [*zip(*(side[:500] for side in words), strict=True)]
    for name, work in {"texts": texts, "token numbers": lambda: rouge_l_ids(*ids)}.items():
        yield Quick(f"ROUGE-L from {name}", work, lambda: [table(*pair) for pair in plainly])
    yield _concepts()
    for row in interval_rows(100_000):
        if row.name == "mean rank":  # as much of memory is touched: draws alone would not vary with it
            yield Quick("mean rank, over a transform of 2²⁰ numbers and back", row.ours, _transform)
        else:
            yield Quick(f"{row.name}, over {DRAWS} draws", row.ours, functools.partial(row.theirs, DRAWS))


def _transform() -> None:
    np.fft.irfft(np.fft.rfft(np.zeros(1 << 20)))


def _concepts() -> Quick:
    """All measures of pairs of 20 × 20 concepts, over the best matchings alone."""
    from scipy.optimize import linear_sum_assignment

    wordnet = WordNet()
    truths, others = wide_scenes(nouns(wordnet), 2000)
    costs = np.random.default_rng(0).random((2000, 20, 20))
    return Quick("concepts, 20 × 20", lambda: measured(wordnet, truths, others),
                 lambda: [linear_sum_assignment(cost) for cost in costs])  # fmt: skip


@contextlib.contextmanager
def _steady() -> Iterator[None]:
    """One thread, and memory that stays with the process: what ran before then makes no difference."""
    with contextlib.suppress(
        OSError, AttributeError
    ):  # only glibc gives freed memory back and asks for it anew
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, 1 << 25)
        libc.mallopt(M_TRIM_THRESHOLD, 1 << 30)
    with threadpool_limits(1):  # threads that wait for each other by spinning would count as busy
        yield
    os.environ.pop(native.VARIABLE, None)


def print_ratios() -> None:
    """One pass over all rows, as JSON."""
    with _steady():
        print(json.dumps({one.name: one.ratio() for one in quick()}))


def record() -> None:
    """Write the ratios of this processor; takes five times as long as the check."""
    found: dict[str, list[float]] = {}
    for number in range(PASSES):
        print(f"pass {number + 1} of {PASSES}", flush=True)
        for name, ratio in json.loads(apart("bench.py", "--quick", "--pass")).items():
            found.setdefault(name, []).append(ratio)
    rows = {
        name: {"ratio": round(median(ratios), 4), "apart": round(np.ptp(ratios) / median(ratios), 3)}
        for name, ratios in found.items()
    }
    for name, row in rows.items():
        print(f"{name}: {row['ratio']:.3f}, {row['apart']:.0%} apart")
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    known[kind()] = {**_here(), "rows": rows}
    RECORDED.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _here() -> dict[str, str]:
    """What ratios hang on: builds of one version of Python differ by a third."""
    return {"processor": str(machine()["processor"]), "python": sys.version}


def check() -> int:
    """Compare with what is recorded for this instruction set; how many ratios are worse."""
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    if kind() not in known:
        print(f"nothing is recorded for {kind()}: nothing to compare with")
        return 0
    rows = known[kind()]["rows"]
    others = [
        f"another {name}, {known[kind()][name]}"
        for name, one in _here().items()
        if known[kind()][name] != one
    ]
    factor = ELSEWHERE if others else WORSE
    if others:
        print(f"recorded on {'; '.join(others)}: only ratios from {factor} times on are worse")
    begun = time.perf_counter()
    with _steady():
        again = list(_suspects(rows, factor, until=begun + PATIENCE))
        worse = sum([_worse_again(one, rows[one.name]["ratio"], factor) for one in again])
    print(f"{worse} worse; {time.perf_counter() - begun:.0f} s")
    return worse


def _suspects(rows: dict[str, dict[str, float]], factor: float, *, until: float) -> Iterator[Quick]:
    """The rows that are worse at the first look; all are printed."""
    for one in quick():
        known = rows.get(one.name)
        if known is None:
            print(f"{one.name}: nothing is recorded", flush=True)
        elif known["apart"] > APART:
            print(f"{one.name}: left out, its recorded ratios are {known['apart']:.0%} apart", flush=True)
        elif time.perf_counter() > until:
            print(f"{one.name}: not looked at, {PATIENCE:.0f} s are over", flush=True)
        else:
            found = one.ratio()
            worse = found > factor * known["ratio"]
            print(f"{one.name}: {found:.3f}, recorded {known['ratio']:.3f}{'?' * worse}", flush=True)
            if worse:
                yield one


def _worse_again(one: Quick, recorded: float, factor: float) -> bool:
    found = one.ratio()
    worse = found > factor * recorded
    told = f"WORSE, {found / recorded - 1:.0%} more, twice" if worse else "not so the second time"
    print(f"{one.name}: {found:.3f}, recorded {recorded:.3f}: {told}", flush=True)
    return worse
