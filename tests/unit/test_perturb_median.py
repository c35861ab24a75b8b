"""The interval of a change of the median rank, against a bootstrap by hand from the run's own files."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow.parquet as pq
import pytest

from crossgauge.evaluation import evaluate
from crossgauge.paired import paired
from crossgauge.perturb import choose

RESAMPLES = 2000


def middle(differences: list[float]) -> tuple[float, float]:
    """The middle 95 % of 2000: all but the 50 lowest and the 50 highest."""
    ordered = sorted(differences)
    return ordered[50], ordered[-51]


def ranks_of(cell: Path) -> dict[str, float]:
    table = pq.read_table(cell / "per_query.parquet", columns=["query_id", "m.medr"]).to_pydict()
    return dict(zip(table["query_id"], table["m.medr"], strict=True))


def test_the_interval_in_a_run(tmp_path: Path) -> None:
    result = evaluate(
        "emoji", "random:8", tasks=["t2i"], languages=["en"], perturb=choose("object-swap"), out=tmp_path
    )
    (row,) = (one for one in result.interventions if one.measure == "medr")
    after = ranks_of(tmp_path / "cells" / "t2i.en.plain+object-swap")
    before = ranks_of(tmp_path / "cells" / "t2i.en.plain")
    pairs = [(before[query], after[query]) for query in after]
    assert len(pairs) == row.n > 100
    first, second = (median(values) for values in zip(*pairs, strict=True))
    assert (row.before, row.after, row.delta) == (first, second, second - first)

    def difference(chosen: list[int]) -> float:
        return median(pairs[at][1] for at in chosen) - median(pairs[at][0] for at in chosen)

    same = np.random.Generator(np.random.PCG64(0)).integers(0, len(pairs), size=(RESAMPLES, len(pairs)))
    assert (row.low, row.high) == middle([difference(chosen) for chosen in same.tolist()])
    other = random.Random(7)
    drawn = [difference(other.choices(range(len(pairs)), k=len(pairs))) for _ in range(RESAMPLES)]
    width = row.high - row.low
    assert width > 10
    assert (row.low, row.high) == pytest.approx(middle(drawn), abs=width / 5)


def test_captions_of_one_picture_are_drawn_together() -> None:
    rng = np.random.default_rng(3)
    before, after = rng.integers(1, 50, size=(2, 60)).astype(np.float64)
    clusters = np.arange(60) // 3
    same = np.random.Generator(np.random.PCG64(0)).integers(0, 20, size=(RESAMPLES, 20))
    rows = [[3 * one + k for one in chosen for k in range(3)] for chosen in same.tolist()]
    by_hand = middle([median(after[chosen]) - median(before[chosen]) for chosen in rows])
    assert paired("medr", before, after, clusters=clusters).interval == by_hand
    assert paired("medr", before, after).interval != by_hand
