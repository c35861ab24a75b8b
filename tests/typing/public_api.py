"""What a user's type checker must accept: checked by mypy, never run."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import crossgauge
from crossgauge.types import Captioner, Encoder
from tests.captioners import Speaking
from tests.encoders import Hashing

ranking = crossgauge.rank(np.eye(3), np.eye(3), similarity="cosine")
scores = crossgauge.measure(ranking, ["hit@1"])
assert_type(scores["hit@1"], crossgauge.Score)
assert_type(scores["hit@1"].value, float)

encoder: Encoder = Hashing()
captioner: Captioner = Speaking()
result = crossgauge.evaluate("emoji", encoder, languages=["en"])
assert_type(result, crossgauge.Result)
assert_type(result.cells[0].scores[0].value, float | None)


def captioned() -> None:
    """Never called: there is no such data here."""
    assert_type(crossgauge.evaluate("gem", captioner, "GEM"), crossgauge.Result)
