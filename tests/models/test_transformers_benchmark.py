"""The numbers of a run equal those of a loop written by hand over the library's documented calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.emoji import BENCHMARK
from crossgauge.evaluation import evaluate
from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.types import Split
from tests.models import documented
from tests.models.make_transformers import PICTURES, Made

PICTURES_USED = 60


def by_hand(queries: Any, corpus: Any, split: Split) -> dict[str, float]:
    """Means over queries of the place of the best relevant candidate; places by counting, not sorting."""
    scores = documented.unit(queries) @ documented.unit(corpus).T
    places = []
    for query, row in enumerate(scores):
        relevant = split.qrels.items[split.qrels.start[query] : split.qrels.start[query + 1]]
        best = max(row[item] for item in relevant)
        assert sum(abs(row - best) < 1e-9) == 1, "no ties, so that counting is enough"
        places.append(1 + sum(score > best for n, score in enumerate(row) if n not in relevant))
    return {
        "hit@1": float(np.mean([place <= 1 for place in places])),
        "hit@5": float(np.mean([place <= 5 for place in places])),
        "mrr": float(np.mean([1 / place for place in places])),
        "medr": float(np.median(places)),
    }


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_emoji_equals_a_loop_by_hand(name: str, tmp_path: Path) -> None:
    made: Made = PICTURES[name](tmp_path / name)
    model = load_model(f"transformers:{made.folder}")
    result = evaluate(
        "emoji", model, tasks=["i2t", "t2i"], languages=["en"], limit=PICTURES_USED, batch_size=7
    )
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
