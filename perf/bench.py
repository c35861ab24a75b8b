"""One table: crossgauge, each peer that is installed, and the floor, as ratios of time and memory.

    python perf/bench.py [--rows 5000] [--pairs 3] [--json FILE] [--only WORD]
    python perf/bench.py --quick --check        # two minutes, ours alone, against perf/recorded.json
    python perf/bench.py --quick --record       # writes what the check compares with

Ranks are compared with one float32 product of the same size, captions and intervals with ours. Times are
medians over pairs of runs in turn, in this process; memory is the growth of a process of its own, over the
bytes of the full matrix of scores. Peers come with the extra [bench]; what is missing is listed with why.

``--check`` looks at processor time, which others on the machine disturb least. A ratio more than a quarter
worse than recorded for this instruction set is measured again, up to twice; the best of the three counts. An
instruction set without a record is only told.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from intervals import rows as interval_rows
from intervals import timed as interval_timed
from peers import CAPTIONS, RETRIEVAL
from ranks import DIMENSIONS, planted
from rouge import captions
from threadpoolctl import threadpool_limits
from timing import apart, growth, machine, ratios, start_again_with_a_plain_blas, timed, versions

from crossgauge.ranking import native, rank
from crossgauge.rouge import TokenIds, rouge_l, rouge_l_ids

HERE = Path(__file__).parent
RECORDED = HERE / "recorded.json"
WORSE, TRIES = 1.25, 3
SLOW = 20.0  # times the floor: such peers run once
NEAR = 0.001  # of R@10: what rounding may change
PACKAGES = (
    "crossgauge",
    "numpy",
    "scipy",
    "torch",
    *sorted({one.package for one in (*RETRIEVAL, *CAPTIONS)}),
)
TIERS = ("portable", "f32", "int16", "int8")


@dataclass(frozen=True)
class Row:
    """One way to do the work of a case."""

    case: str
    who: str
    wall: float  # over the time of the case's unit
    cpu: float
    memory: float | None = None  # over the bytes of the matrix of scores
    note: str = ""
    ours: bool = False


def ours_ranking(tier: str, queries: np.ndarray, corpus: np.ndarray, **options: int) -> Callable[[], float]:
    def work() -> float:
        os.environ[native.VARIABLE] = tier
        ranks = rank(queries, corpus, **options)
        return float((ranks.higher < 10).mean())

    return work


def our_ranks() -> dict[str, Callable[..., Callable[[], float]]]:
    """Our ways to rank by name."""
    ways = {
        "crossgauge": functools.partial(ours_ranking, "auto", top=0),
        "crossgauge, and the first 10": functools.partial(ours_ranking, "auto", top=10),
        "crossgauge, until=10": functools.partial(ours_ranking, "auto", until=10),
    }
    tiers = TIERS if native._loaded() is not None else TIERS[:1]  # noqa: SLF001
    return ways | {f"crossgauge, {tier}": functools.partial(ours_ranking, tier, top=0) for tier in tiers}


def rank_rows(n: int, pairs: int, absent: dict[str, str]) -> Iterator[Row]:
    """Ranks of planted vectors, over one product."""
    case = f"ranks, {n:,} × {n:,} vectors of {DIMENSIONS} dimensions, over one float32 product"
    queries, corpus = planted(n)
    out = np.empty((n, n), np.float32)
    floor = functools.partial(np.matmul, queries, corpus.T, out=out)
    expected = ours_ranking("portable", queries, corpus, top=0)()
    ways = [(name, True, make, "") for name, make in our_ranks().items()]
    ways += [(one.name, False, one.make, one.lacks) for one in RETRIEVAL]
    for name, ours, make, note in ways:
        try:
            work = make(queries, corpus)
            work()  # whatever is done once
            found = work()
        except Exception as error:  # noqa: BLE001  (a peer that does not run is listed, whatever it raises)
            absent[name] = f"{type(error).__name__}: {str(error)[:120]}"
            continue
        wrong = f"R@10 {found:.4f} instead of {expected:.4f}; " if abs(found - expected) > NEAR else ""
        slow = timed(work)[0] > SLOW * timed(floor)[0]
        wall, cpu = ratios(work, floor, pairs=1 if slow else pairs)
        yield Row(case, name, wall, cpu, memory_of(name, n), wrong + note, ours=ours)


def memory_of(name: str, n: int) -> float | None:
    """Growth of a fresh process over the bytes of the matrix of scores."""
    try:
        return float(apart("bench.py", "--memory", name, "--rows", str(n))) / (4 * n * n)
    except (RuntimeError, ValueError):
        return None


def print_memory(name: str, n: int) -> None:
    """What ``memory_of`` runs: everything is imported and has run once, on few vectors."""
    make = our_ranks().get(name) or next(one.make for one in RETRIEVAL if one.name == name)
    queries, corpus = planted(n)
    make(queries[:64].copy(), corpus[:64].copy())()
    work = make(queries, corpus)
    print(growth(work))


def caption_rows(pairs: int, absent: dict[str, str]) -> Iterator[Row]:
    """ROUGE-L of new captions, a pair, over our default profile from texts."""
    for words, few in ((10, 2000), (50, 150)):
        case = f"ROUGE-L of {words}-word captions from texts, over crossgauge"
        answers, truths = captions(20_000, words, np.random.default_rng(words))
        unit = functools.partial(rouge_l, answers, truths, resamples=1)
        unit()
        yield Row(case, "crossgauge", 1.0, 1.0, ours=True)
        ids = [TokenIds.of([[hash(word) % 10**6 for word in text.split()] for text in side])
               for side in (answers, truths)]  # fmt: skip
        wall, cpu = ratios(lambda ids=ids: rouge_l_ids(*ids), unit, pairs=pairs)
        yield Row(case, "crossgauge, token numbers", wall, cpu, ours=True)
        for one in CAPTIONS:
            try:
                work = one.make(answers[:few], truths[:few])
                wall, cpu = ratios(work, unit, pairs=pairs)
            except Exception as error:  # noqa: BLE001
                absent[one.name] = f"{type(error).__name__}: {str(error)[:120]}"
                continue
            share = len(answers) / few
            yield Row(case, one.name, share * wall, share * cpu)


def interval_table(pairs: int) -> Iterator[Row]:
    """Intervals and paired tests, over ours."""
    for row in interval_rows(100_000):
        case = f"{row.name}, 100,000 queries, 10,000 resamples, over crossgauge"
        found = interval_timed(row, resamples=10_000, rounds=pairs)
        yield Row(case, "crossgauge", 1.0, 1.0, note="nothing is drawn", ours=True)
        yield Row(case, row.peer, found["wall"], found["cpu"], note="scaled up from 30 resamples")


def shown(row: Row) -> str:
    memory = "" if row.memory is None else f", memory {row.memory:.2f}"
    note = f"  ({row.note})" if row.note else ""
    return f"{row.wall:10.2f} wall {row.cpu:10.2f} cpu{memory}  {row.who}{note}"


def bench(options: argparse.Namespace) -> dict[str, object]:
    """Everything, printed as it is found."""
    absent: dict[str, str] = {}
    rows: list[Row] = []
    tables = {
        "ranks": lambda: rank_rows(options.rows, options.pairs, absent),
        "captions": lambda: caption_rows(options.pairs, absent),
        "intervals": lambda: interval_table(options.pairs),
    }
    for name, table in tables.items():
        for row in table() if not options.only or options.only in name else ():
            if not rows or rows[-1].case != row.case:
                print(f"\n{row.case}")
            rows.append(row)
            print(shown(row), flush=True)
    os.environ.pop(native.VARIABLE, None)
    for who, why in absent.items():
        print(f"not run: {who}: {why}")
    return {
        "machine": machine(), "versions": dict(versions(*PACKAGES)),
        "rows": [asdict(row) for row in rows], "absent": absent,
    }  # fmt: skip


def quick() -> Iterator[tuple[str, Callable[[], float]]]:
    """What the check looks at: each a ratio of processor time, the smaller the better; one thread each."""
    for n in (1000, 3000):
        queries, corpus = planted(n)
        floor = functools.partial(np.matmul, queries, corpus.T, out=np.empty((n, n), np.float32))
        for name, make in our_ranks().items():
            work = make(queries, corpus, threads=1)
            yield f"ranks {n}: {name}", lambda work=work, floor=floor: ratios(work, floor, pairs=7)[1]
    answers, truths = captions(20_000, 10, np.random.default_rng(0))
    texts = functools.partial(rouge_l, answers, truths, resamples=1)
    split = lambda: [text.split() for text in (*answers, *truths)]  # noqa: E731
    yield "ROUGE-L from texts over splitting them", lambda: ratios(texts, split, pairs=7)[1]
    for row in interval_rows(100_000):
        draw = functools.partial(row.theirs, 3)
        yield f"{row.name} over 3 draws", lambda row=row, draw=draw: ratios(row.ours, draw, pairs=5)[1]


def tried(measure: Callable[[], float], limit: float | None) -> float:
    """The best of up to three tries, as many as it takes to get below the limit; the median without one."""
    if limit is None:
        return float(np.median([measure() for _ in range(TRIES)]))
    best = measure()
    for _ in range(TRIES - 1):
        if best <= limit:
            break
        time.sleep(1.0)
        best = min(best, measure())
    return best


def check(*, record: bool) -> int:
    """Compare with what is recorded for this instruction set; the number of ratios that are worse."""
    library = native._loaded()  # noqa: SLF001
    kind = "portable" if library is None else native.SETS[library.set]
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    limits = known.get(kind, {})
    if not limits and not record:
        print(f"nothing is recorded for {kind}: nothing to compare with")
    found, worse = {}, 0
    with threadpool_limits(1):  # threads that wait for each other by spinning would count as busy
        for name, measure in quick():
            limit = limits.get(name)
            found[name] = tried(measure, None if record or limit is None else WORSE * limit)
            bad = not record and limit is not None and found[name] > WORSE * limit
            worse += bad
            against = "" if limit is None else f", recorded {limit:.3f}"
            print(f"{'WORSE ' if bad else ''}{name}: {found[name]:.3f}{against}", flush=True)
    if record:
        known[kind] = {name: round(value, 4) for name, value in found.items()}
        RECORDED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return worse


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", help="ranks, captions or intervals")
    parser.add_argument("--json", type=Path, help="write the table here; docs/performance.md is made from it")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        print_memory(options.memory, options.rows)
        return 0
    if options.quick:
        return min(1, check(record=options.record))
    found = bench(options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    start_again_with_a_plain_blas()
    warnings.simplefilter("ignore")
    with contextlib.suppress(ImportError):  # torchvision's Python part beside a CPU build of torch
        sys.path.insert(1, str(HERE.parent))
        from tests.torchvision_operators import declare

        kept = declare()
    sys.exit(main())
