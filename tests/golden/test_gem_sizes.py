"""GEM's sizes add up to the totals that were printed, in the tables of its repository."""

from __future__ import annotations

import pytest

from crossgauge.benchmarks.gem import BENCHMARK
from crossgauge.benchmarks.gem.tasks import SIZES, SPLITS, trained, zero_shot


@pytest.mark.parametrize(
    ("part", "languages", "totals", "seen"),
    [("GEM-I", 20, [1_118_000, 15_000, 20_000], 15), ("GEM-V", 30, [47_437, 21_000, 28_997], 21)],
)
def test_totals(part: str, languages: int, totals: list[int], seen: int) -> None:
    sizes = SIZES[part]
    assert len(sizes) == languages
    assert [sum(size.of(split) for size in sizes.values()) for split in SPLITS] == totals
    assert len(trained(part)) == seen
    assert len(zero_shot(part)) == languages - seen


def test_the_printed_grand_totals_and_the_videos_in_no_split() -> None:
    every = {part: sum(s.train + s.dev + s.test for s in sizes.values()) for part, sizes in SIZES.items()}
    assert every["GEM-I"] == 1_153_000
    extra = {"ms": 2668, "no": 1098, "ca": 1002}  # row totals as printed; their test sizes are 1,000
    assert sum(total - SIZES["GEM-V"][code].test for code, total in extra.items()) == 1768
    assert every["GEM-V"] + 1768 == 99_202


def test_every_language_has_a_test_split_and_dev_only_where_it_has_train() -> None:
    for sizes in SIZES.values():
        assert all(size.test >= 774 for size in sizes.values())
        assert all((size.dev == 1000) == (size.train > 0) for size in sizes.values())


def test_published_parts_are_the_means_of_their_published_tasks() -> None:
    printed = {(row.system.partition(" ")[0], row.task): row.value for row in BENCHMARK.published}
    of_i = [printed["M3P", task] for task in ("QI", "QIT", "IQ")]
    of_v = [printed["m-UniVL", task] for task in ("QV", "QVT", "VQ", "TQ", "VTQ")]
    assert round(sum(of_i) / 3, 4) == printed["M3P", "GEM-I (official tokenisation)"]
    assert round(sum(of_v) / 5, 4) == printed["m-UniVL", "GEM-V (official tokenisation)"]
