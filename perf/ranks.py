"""Exact ranks against one float32 product of the same size: wall and processor time, and memory.

    python perf/ranks.py [--quick] [--pairs N] [--tier TIER,…]

Each line is one size: medians over interleaved pairs (product, ranks, product, …) in this process, so a
busy machine slows both. ``cpu`` is the ratio of processor time of all threads: steadier than wall time
when others use the cores. ``--tier portable,f32,int16,int8``
compares tiers (docs/explanation/exact-ranks.md says what they are); without it the fastest is taken. Exits 1
if the wall ratio of cosine or dot is above the target; the portable tier is held to it from 5,000 rows on.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
import tracemalloc
from collections.abc import Callable

SIZES, QUICK = (1000, 5000, 20000), (1000, 5000)
DIMENSIONS = 512
TARGET, GATED = 1.5, 5000  # the ratio that fails, and from which size on (portable tier): see README.md
TIER = "CROSSGAUGE_TIER"
PAUSE = 0.2  # seconds: OpenBLAS threads spin for 0.11 after a product, and would slow what comes next
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # only together do they make sense, and only elsewhere


def planted(n: int, *, seed: int = 0, mean: float = 0.2, spread: float = 0.12):
    """Unit queries and targets: query i is at cosine ~ N(mean, spread) from target i, others near 0."""
    import numpy as np

    rng = np.random.default_rng(seed)
    targets = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    noise = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    noise -= (noise * targets).sum(axis=1, keepdims=True) * targets
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    cosine = np.clip(rng.normal(mean, spread, (n, 1)), 0.0, 0.9).astype(np.float32)
    return cosine * targets + np.sqrt(1.0 - cosine**2) * noise, targets


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of one call."""
    time.sleep(PAUSE)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def peak(work: Callable[[], object]) -> float:
    """Megabytes of arrays held at once by one call, beyond its inputs."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 2**20


def compare(n: int, pairs: int, tier: str) -> dict[str, float]:
    """One line per way to rank; returns its wall ratio."""
    import numpy as np

    from crossgauge.ranking import rank

    queries, corpus = planted(n)
    out = np.empty((n, n), np.float32)
    ways = {
        "cosine": functools.partial(rank, queries, corpus, top=0),
        "dot": functools.partial(rank, queries, corpus, similarity="dot", top=0),
        "cosine, top 10": functools.partial(rank, queries, corpus),
    }
    ratios = {}
    for name, work in ways.items():
        product = functools.partial(np.matmul, queries, corpus.T, out=out)
        timed(product), timed(work)
        runs = np.array(
            [[timed(product), timed(work)] for _ in range(pairs)]
        )  # (pairs, 2 works, wall and cpu)
        ratio = np.median(runs[:, 1] / runs[:, 0], axis=0)
        product_ms, rank_ms = 1e3 * np.median(runs[:, :, 0], axis=0)
        ratios[name] = float(ratio[0])
        print(
            f"{tier}: n=m={n} d={DIMENSIONS} {name}: {ratio[0]:.2f}x wall, {ratio[1]:.2f}x cpu "
            f"(product {product_ms:.1f} ms, ranks {rank_ms:.1f} ms), peak {peak(work):.0f} MB extra",
            flush=True,
        )
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=f"only n = {QUICK}, few pairs")
    parser.add_argument("--pairs", type=int, help="interleaved pairs a size")
    parser.add_argument("--tier", default=os.environ.get(TIER, "auto"), help="one or several, with commas")
    options = parser.parse_args()
    from crossgauge.ranking.native import described
    from crossgauge.ranking.native import tier as tier_used

    slow = False
    print(f"ranks {described()}")
    for n in QUICK if options.quick else SIZES:
        pairs = options.pairs or max(3, min(21, (20000 if options.quick else 60000) // n))
        for tier in options.tier.split(","):
            os.environ[TIER] = tier
            ratios = compare(n, pairs, tier)
            slow |= (n >= GATED or tier_used() != "portable") and max(
                ratios["cosine"], ratios["dot"]
            ) > TARGET
    return int(slow)


if __name__ == "__main__":
    if any(name in os.environ for name in UNSET):
        clean = {name: value for name, value in os.environ.items() if name not in UNSET}
        os.execve(sys.executable, [sys.executable, *sys.argv], clean)  # noqa: S606  (BLAS reads them once)
    sys.exit(main())
