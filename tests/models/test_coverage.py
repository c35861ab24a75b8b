"""A language that a tokenizer does not know is told beside its numbers."""

from __future__ import annotations

import pytest

import crossgauge
from crossgauge.models import load_model
from tests.models.make_transformers import make_chinese_clip


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> object:
    made = make_chinese_clip(tmp_path_factory.mktemp("model"))  # its vocabulary has none of Hindi's letters
    return load_model(f"transformers:{made.folder}")


def test_hindi_is_told_and_english_is_not(encoder: object) -> None:
    result = crossgauge.evaluate("emoji", encoder, languages=["en", "hi"], tasks=["t2i"], limit=12)
    warnings = {cell.language: " ".join(cell.warnings) for cell in result.cells}
    assert "W680" in warnings["hi"]
    assert "a tokenizer that covers hi" in warnings["hi"]
    assert "W680" not in warnings["en"]
