"""EgMM-Corpus: denominators and candidate counts of a known layout, and the paper's numbers as counts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.egmm import BENCHMARK

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "egmm.json").read_bytes())


@pytest.mark.parametrize("labels", ["all", "present"])
@pytest.mark.parametrize("task", ["classify", "i2t", "t2i"])
def test_denominators_and_candidates(tmp_path: Path, labels: str, task: str) -> None:
    BENCHMARK.sample(tmp_path)
    split = BENCHMARK.open(tmp_path, {"labels": labels}).split(task, "en", PLAIN)
    assert GOLDEN[labels][task] == {
        "queries": len(split.queries),
        "candidates": len(split.corpus),
        "positives": len(split.qrels.items),
        "relevant": split.qrels.items.tolist(),
    }


def test_the_breakdown_is_by_category(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    split = BENCHMARK.open(tmp_path, {}).split("classify", "en", PLAIN)
    assert Counter(split.groups) == GOLDEN["groups"]


def test_both_layouts_of_the_same_pictures_rank_the_same(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    folders = BENCHMARK.open(tmp_path, {})
    rows = ["file_name,concept,concept_id,category,description"]
    names = {key: (name, text) for key, name, text in (
        ("1", "Great_Pyramid_of_Giza", "Great Pyramid of Giza is known to everybody in Egypt."),
        ("2", "Koshary", "Koshary is known to everybody in Egypt."),
        ("3", "Tannoura", "Tannoura is known to everybody in Egypt."), ("4", "Abu Simbel", ""))}  # fmt: skip
    category = {"1": "landmarks", "2": "food", "3": "folklore", "4": "landmarks"}
    for item in folders.media():
        key = item.id.partition("/")[0]
        rows.append(f"{item.id},{names[key][0]},{key},{category[key]},{names[key][1]}")
    (tmp_path / "metadata.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    tables = BENCHMARK.open(tmp_path, {"labels": "present"})
    assert tables.fingerprint == BENCHMARK.open(tmp_path, {"labels": "present"}).fingerprint
    (tmp_path / "metadata.csv").unlink()
    assert tables.fingerprint == BENCHMARK.open(tmp_path, {"labels": "present"}).fingerprint


def test_the_papers_percentages_are_counts_of_995_pictures() -> None:
    printed = {row.measure: row.value for row in BENCHMARK.published}
    for measure in ("acc@1", "acc@5"):
        right, value = GOLDEN["paper"][measure]
        assert printed[measure] == value
        assert [n for n in range(996) if round(n / GOLDEN["paper"]["pictures"], 3) == value] == [right]
