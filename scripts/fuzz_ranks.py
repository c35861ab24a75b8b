"""Random problems, every kernel of the compiled ranks, against the definition, until the time is over.

    python scripts/fuzz_ranks.py [--seconds 600] [--seed 0]

Exits 1 at the first difference and says how to see it again.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from crossgauge.ranking import Blocks, native, rank, rank_matrix
from tests.unit.test_ranking_exact import KINDS, assert_same, slow_scores, some_relevant


def problem(seed: int) -> None:
    """One problem under one kernel; raises AssertionError where the ranks are not those of the definition."""
    rng = np.random.default_rng(seed)
    kind = KINDS[int(rng.integers(len(KINDS)))]
    n, m, d = (int(size) for size in (rng.integers(1, 40), rng.integers(1, 200), rng.integers(1, 150)))
    with np.errstate(all="ignore"):
        queries, corpus = (
            (side * 10.0 ** float(rng.integers(-3, 4))).astype(rng.choice(["f2", "f4"]))
            for side in kind(rng, n, m, d)
        )
    alive = all(np.isfinite(x).all() and x.any(axis=1).all() for x in (queries, corpus))
    if not alive:  # what float16 cannot hold
        queries, corpus = (rng.standard_normal((rows, d)).astype(np.float32) for rows in (n, m))
    close = rng.random(corpus.shape) < rng.choice([0, 0.01, 1])
    corpus[close] = np.nextafter(corpus[close], corpus.dtype.type(rng.choice([-1, 1])))
    alive = corpus.any(axis=1).all()
    similarity = "cosine" if alive and rng.random() < 0.5 else "dot"
    relevant = some_relevant(rng, n, m)
    blocks = Blocks(int(rng.integers(1, 50)), int(rng.integers(1, 250)), bool(rng.integers(2)))
    found = rank(
        queries, corpus, relevant, similarity=similarity, blocks=blocks,
        threads=int(rng.integers(1, 4)), top=int(rng.integers(0, 30)),
    )  # fmt: skip
    wanted = rank_matrix(slow_scores(queries, corpus, similarity), relevant, top=found.top.items.shape[1])
    assert_same(found, wanted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    library = native._loaded()  # noqa: SLF001
    if library is None:
        print("the compiled ranks are not built")
        return 1
    kernels = [(level, one) for level in native.LEVELS for one in range(library.set + 1)]
    end, seed = time.monotonic() + options.seconds, options.seed
    while time.monotonic() < end:
        level, instructions = kernels[seed % len(kernels)]
        os.environ[native.VARIABLE] = level
        native._loaded = functools.partial(replace, library, set=instructions)  # noqa: SLF001
        try:
            problem(seed)
        except AssertionError as error:
            print(f"--seed {seed} ({level}, {native.SETS[instructions]}): {error}")
            return 1
        seed += 1
    print(f"{seed - options.seed} problems, {len(kernels)} kernels: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
