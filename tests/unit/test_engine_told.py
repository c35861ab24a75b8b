"""What the models of several workers counted is all told, also where two counted the same."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from crossgauge.embeddings import encode_items
from crossgauge.engines import Recipe, open_engine
from crossgauge.models import load_model
from crossgauge.types import Item, Role
from tests.encoders import Hashing
from tests.unit.test_embeddings import Noting


class Cutting(Hashing):
    """Says how many texts it cut: all."""

    name = "cutting"

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def told(self) -> Sequence[str]:
        count, self.count = self.count, 0
        return [f"{count} of {count} texts cut at 3 tokens"] if count else []

    def encode(self, prepared: Sequence[Any], *, role: Role) -> np.ndarray:
        self.count += len(prepared)
        time.sleep(0.3)  # so that the other worker takes the next batch
        return super().encode(prepared, role=role)


def test_equal_counts_of_two_workers_are_not_taken_for_one() -> None:
    spec, noting = f"python:{__name__}:Cutting", Noting()
    items = [Item(str(n), text=f"text {n}") for n in range(8)]
    model: Any = load_model(spec)
    with closing(open_engine("processes", 2, Recipe(spec, load_model))) as engine:
        encode_items(model, items, role="query", batch_size=4, engine=engine, progress=noting)
    told = [line for line in noting.notes if "texts cut" in line]
    counted = [int(count) for line in told for count in re.findall(r"(\d+) of \d+ texts", line)]
    assert sum(counted) == 8 or "said by 2 of 2 workers" in " ".join(told), told
