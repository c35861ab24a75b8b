"""Intervals and paired tests against drawing: scipy's bootstrap, and a product with a matrix of signs.

    python perf/intervals.py [--queries N] [--resamples N] [--rounds N]

What draws is timed with few resamples and scaled up to ``--resamples`` (it is linear in them; memory would
not allow all at once). Runs alternate in one process; ratios of processor time, medians of rounds. Up to
10,000 queries the results are compared first: they must agree within what a thousand resamples leave open.
Exits 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crossgauge.compare import bootstrap_interval, mcnemar_p, sign_flip_p

FEW = 30  # resamples that are timed
BATCH = 10  # resamples that scipy holds at once
NEAR = 0.25  # standard errors: what 1,000 resamples leave open of an end, and more


@dataclass(frozen=True)
class Row:
    name: str
    ours: Callable[[], object]
    peer: str
    theirs: Callable[[int], object]  # with so many resamples
    target: float


def made_up_ranks(n: int, seed: int, mean: float) -> np.ndarray:
    drawn = np.exp(np.random.default_rng(seed).normal(mean, 2.0, n))
    return np.clip(np.ceil(drawn), 1, n)


def scipy_bootstrap(statistic: Callable[..., object], *samples: np.ndarray) -> Callable[[int], object]:
    from scipy.stats import bootstrap

    def work(resamples: int) -> object:
        return bootstrap(
            samples, statistic, n_resamples=resamples, batch=BATCH, method="percentile", paired=True,
            vectorized=True, rng=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip

    return work


def ratio(over: np.ndarray, under: np.ndarray, axis: int = -1) -> np.ndarray:
    return over.sum(axis=axis) / under.sum(axis=axis)


def signs(differences: np.ndarray) -> Callable[[int], object]:
    """The product of a matrix of signs with the differences."""

    def work(resamples: int) -> float:
        rng = np.random.default_rng(0)
        flips = rng.integers(0, 2, (resamples, len(differences)), dtype=np.int8) * 2 - 1
        sums = flips.astype(np.float32) @ differences.astype(np.float32)
        return float((np.abs(sums) >= abs(differences.sum())).mean())

    return work


def rows(n: int) -> list[Row]:
    before, after = made_up_ranks(n, 1, 1.0), made_up_ranks(n, 3, 1.05)
    after = np.where(np.random.default_rng(2).random(n) < 0.6, before, after)
    hits, reciprocal = (before <= 10).astype(float), 1.0 / before
    clusters = np.sort(np.random.default_rng(4).integers(0, n // 5, n))
    sums, sizes = np.bincount(clusters, reciprocal), np.bincount(clusters).astype(float)
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    differences = after - before
    gained, lost = int(((after <= 10) & (before > 10)).sum()), int(((after > 10) & (before <= 10)).sum())
    scipys = "scipy.stats.bootstrap"
    return [
        Row("median rank", lambda: bootstrap_interval(before, statistic="median"), scipys,
            scipy_bootstrap(np.median, before), 8),
        Row("hit@10", lambda: bootstrap_interval(hits), scipys, scipy_bootstrap(np.mean, hits), 8),
        Row("mean rank", lambda: bootstrap_interval(before), scipys, scipy_bootstrap(np.mean, before), 8),
        Row("MRR", lambda: bootstrap_interval(reciprocal), scipys, scipy_bootstrap(np.mean, reciprocal), 8),
        Row(f"MRR, {len(sums)} clusters", lambda: bootstrap_interval(reciprocal, clusters=clusters), scipys,
            scipy_bootstrap(ratio, sums, sizes), 8),
        Row("sign flips, ranks", lambda: sign_flip_p(differences), "matrix of signs", signs(differences), 50),
        Row("sign flips, MRR", lambda: sign_flip_p(1 / after - 1 / before), "matrix of signs",
            signs(1 / after - 1 / before), 50),
        Row("hits (McNemar)", lambda: mcnemar_p(gained, lost), "matrix of signs",
            signs((after <= 10).astype(float) - hits), 50),
    ]  # fmt: skip


def agree(row: Row) -> None:
    """Ours and a thousand resamples must say the same."""
    ours, theirs = np.array(row.ours()), np.array(row.theirs(1000))
    width = np.ptp(ours) / 4 if ours.shape else 0.0  # a 95 % interval is four standard errors wide
    slack = max(NEAR * width, 0.05) if not ours.shape else max(NEAR * width, 1e-9)
    assert np.abs(ours - theirs).max() <= slack, (row.name, ours, theirs)  # noqa: S101


def cpu(work: Callable[[], object]) -> tuple[float, float]:
    wall, start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - start


def timed(row: Row, *, resamples: int, rounds: int) -> dict[str, float]:
    """Ratios of wall and of processor time, and our seconds."""
    row.ours()
    found = np.array([[cpu(row.ours), cpu(lambda: row.theirs(FEW))] for _ in range(rounds)])
    ours, theirs = np.median(found, axis=0)
    wall, processor = theirs * (resamples / FEW) / np.maximum(ours, 1e-6)
    return {"wall": float(wall), "cpu": float(processor), "seconds": float(ours[0])}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    slow = False
    for row in rows(options.queries):
        if options.queries <= 10_000:
            agree(row)
        found = timed(row, resamples=options.resamples, rounds=options.rounds)
        slow |= found["cpu"] < row.target
        print(
            f"{row.name:22s} {found['cpu']:9.0f} times {row.peer} by processor time, {found['wall']:9.0f} by "
            f"wall time ({1e3 * found['seconds']:.1f} ms; target {row.target:.0f})",
            flush=True,
        )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
