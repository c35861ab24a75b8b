"""The whole way from data to Result, with models whose numbers are known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from crossgauge.errors import InputError
from crossgauge.evaluation import evaluate
from crossgauge.result import Result
from tests.encoders import Constant, Hashing, Sick


def test_a_constant_model_scores_exactly_chance_everywhere() -> None:
    result = evaluate("emoji", Constant(), languages=["en", "th"])
    assert len(result.cells) == 5
    for cell in result.cells:
        for score in cell.scores:
            assert score.value == score.chance, (cell.key, score.measure)
            assert score.optimistic is not None
            assert score.pessimistic is not None
            low, high = sorted([score.optimistic, score.pessimistic])
            assert score.value is not None
            assert low <= score.value <= high
        assert any(warning.startswith("W301") for warning in cell.warnings)


def test_a_random_model_is_near_chance_and_inside_no_miracle() -> None:
    cell = evaluate("emoji", Hashing(dim=64), tasks=["i2t"], languages=["en"]).cells[0]
    medr = next(score for score in cell.scores if score.measure == "medr")
    assert medr.value is not None
    assert cell.gallery * 0.3 < medr.value < cell.gallery * 0.7


def test_batch_size_memory_and_order_of_languages_change_no_byte() -> None:
    whole = evaluate("emoji", Hashing(), languages=["en", "de"], batch_size=1)
    again = evaluate("emoji", Hashing(), languages=["de", "en"], batch_size=50, memory=1 << 20)
    assert whole.to_json() == again.to_json()


def test_means_over_languages_are_macro_and_micro() -> None:
    result = evaluate("emoji", Hashing(), tasks=["i2t"], languages=["en", "de", "ja"])
    mean = next(mean for mean in result.means if mean.measure == "hit@10")
    values = [s.value for cell in result.cells for s in cell.scores if s.measure == "hit@10"]
    assert mean.languages == ("de", "en", "ja")
    assert mean.macro == pytest.approx(np.mean(values))
    weights = [cell.queries for cell in result.cells]
    assert mean.micro == pytest.approx(np.average(values, weights=weights))


def test_a_limit_is_partial_and_in_the_signature() -> None:
    result = evaluate("emoji", Hashing(), tasks=["i2t"], languages=["en"], limit=12)
    assert result.partial == ("limited to 12 pictures",)
    assert "|limit:12|" in result.cells[0].scores[0].signature
    assert result.cells[0].queries <= 12


def test_one_bad_cell_makes_the_result_partial_and_the_others_stay(tmp_path: Path) -> None:
    word = "bee"
    result = evaluate("emoji", Sick(word), tasks=["i2t"], languages=["en", "ja"], out=tmp_path / "run")
    assert [cell.language for cell in result.cells] == ["ja"]
    assert "i2t.en.plain failed" in result.partial[0]
    assert json.loads((tmp_path / "run" / "status.json").read_text())["state"] == "partial"
    missed = evaluate("emoji", Sick(word), tasks=["i2t"], languages=["en"], on_nonfinite="miss")
    assert missed.partial == ()
    assert "|nonfinite:miss|" in missed.cells[0].scores[0].signature


def test_when_every_cell_fails_nothing_looks_like_a_result(tmp_path: Path) -> None:
    with pytest.raises(InputError) as failed:
        evaluate("emoji", Sick(""), tasks=["i2t"], languages=["en"], out=tmp_path / "run")
    assert failed.value.exit_code == 3
    assert not (tmp_path / "run" / "scores.json").exists()
    assert not list((tmp_path / "run").glob("cells/*"))


def test_per_query_values_are_kept_and_their_mean_is_the_headline(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    result = evaluate("emoji", Hashing(), tasks=["t2i"], languages=["fr"], out=tmp_path / "run")
    table = pq.read_table(tmp_path / "run" / "cells" / "t2i.fr.plain" / "per_query.parquet")
    cell = result.cells[0]
    assert table.num_rows == cell.queries
    for score in cell.scores:
        values = table[f"m.{score.measure}"].to_numpy()
        if score.measure.startswith("hit"):
            assert score.value == pytest.approx(float(np.mean(values)), abs=1e-12)
    assert (tmp_path / "run" / "cells" / "t2i.fr.plain" / "per_query.parquet").stat().st_size < 1_000_000


def test_the_document_holds_no_nan_and_reads_back() -> None:
    result = evaluate("emoji", Hashing(), tasks=["classify"])
    text = result.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert Result.from_json(text) == result
    with pytest.raises(InputError, match="E303"):
        Result.from_json(text[:-20])


def test_chance_of_retrieval_is_one_in_the_gallery() -> None:
    cell = evaluate("emoji", Hashing(), tasks=["i2t"], languages=["en"]).cells[0]
    first = next(score for score in cell.scores if score.measure == "hit@1")
    assert first.chance is not None
    assert math.isclose(first.chance, 1 / cell.gallery)


def test_vectors_without_a_direction_are_told_in_the_result() -> None:
    result = evaluate("emoji", Sick("tree"), tasks=["t2i"], languages=["en"], on_nonfinite="miss")
    told = [line for line in result.cells[0].warnings if line.startswith("W410")]
    assert len(told) == 1
    assert "vectors of queries not finite, or zero: their queries are misses" in told[0]
    back = (
        evaluate("emoji", Sick("tree"), tasks=["i2t"], languages=["en"], on_nonfinite="miss")
        .cells[0]
        .warnings
    )
    assert any("no rival to others" in line for line in back if line.startswith("W410"))
