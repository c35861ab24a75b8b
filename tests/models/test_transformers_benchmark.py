"""The numbers of a run equal those of a loop written by hand over the library's documented calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.media import load_image
from tests.models import documented
from tests.models.by_hand import by_hand
from tests.models.command import ran
from tests.models.make_transformers import PICTURES, Made

PICTURES_USED = 60


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_emoji_equals_a_loop_by_hand(name: str, tmp_path: Path) -> None:
    made: Made = PICTURES[name](tmp_path / name)
    asked = ("emoji", "-m", f"transformers:{made.folder}", "-t", "i2t,t2i", "-l", "en", "-b", "7")
    result = ran(tmp_path / "run", *asked, "--limit", PICTURES_USED)
    data = BENCHMARK.open(None, {}).limited(PICTURES_USED)
    assert {cell.task for cell in result.cells} == {"i2t", "t2i"}
    for cell in result.cells:
        split = data.split(cell.task, "en", PLAIN)
        sides = split.queries, split.corpus
        pictures, texts = sides if cell.task == "i2t" else sides[::-1]
        shown = [load_image(item.image, item=item.id) for item in pictures if item.image is not None]
        vectors = [
            documented.pictures_of(name, made, shown),
            documented.texts_of(name, made, [str(item.text) for item in texts]),
        ]
        if cell.task == "t2i":
            vectors.reverse()
        wanted = by_hand(*vectors, split)
        got = {score.measure: score.value for score in cell.scores}
        assert {measure: got[measure] for measure in wanted} == pytest.approx(wanted, abs=1e-12)
        assert 0 < wanted["mrr"] < 1
