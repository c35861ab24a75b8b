"""MMEB: tables of data sets, meta-tasks by folder, rows of texts and pictures, means over data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.mmeb import BENCHMARK
from crossgauge.benchmarks.mmeb.reading import MetaTasks
from crossgauge.errors import InputError, UsageError
from tests.encoders import Hashing


def row(text: str, image: str, texts: list[str], images: list[str]) -> dict[str, Any]:
    return {"qry_text": text, "qry_img_path": image, "tgt_text": texts, "tgt_img_path": images}


def write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
        return
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def opened(data: Path, **options: str) -> MetaTasks:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, MetaTasks)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(one.code, one.place) for one in refused.value.faults]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in "ab":
        path = tmp_path / "images" / "x" / f"{name}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4), (ord(name), 0, 0)).save(path)
    return tmp_path


TEXTS = row("<|image_1|>\nWhat is it?", "x/a.jpg", ["a cat", "a dog"], ["", ""])
PICTURES = row("Find a cat", "", ["<|image_1|>\nRepresent it", "<|image_1|>\n"], ["x/a.jpg", "x/b.jpg"])


@pytest.mark.parametrize(
    "path", ["VQA/OK-VQA.jsonl", "vqa/OK-VQA.parquet", "vqa/OK-VQA/test-00000-of-00001.parquet"]
)
def test_each_layout_is_read_the_same(data: Path, path: str) -> None:
    write(data / path, [TEXTS])
    dataset = opened(data)
    split = dataset.split("vqa", "en", PLAIN)
    assert split.groups == ("OK-VQA",)
    assert (split.queries[0].text, split.queries[0].image) == ("What is it?", data / "images" / "x" / "a.jpg")
    assert [item.text for item in split.corpus] == ["a cat", "a dog"]
    assert dataset.facts()["vqa OK-VQA"] == "1 queries, candidates 2/2/2"


def test_the_placeholder_is_no_text_and_sides_may_hold_anything(data: Path) -> None:
    write(data / "N24News" / "test.parquet", [PICTURES])
    write(data / "retrieval" / "VisDial.jsonl", [PICTURES])
    split = opened(data).split("retrieval", "en", PLAIN)
    assert split.queries[0].modalities == {"text"}
    assert [sorted(item.modalities) for item in split.corpus] == [["image", "text"], ["image"]]
    assert opened(data).split("unknown", "en", PLAIN).groups == ("N24News",)


def test_data_sets_of_one_meta_task_share_a_cell_and_keep_their_candidates(data: Path) -> None:
    write(data / "vqa" / "A.jsonl", [TEXTS])
    write(data / "vqa" / "B.jsonl", [row("What is it?", "x/b.jpg", ["a bird", "a dog"], ["", ""])])
    split = opened(data).split("vqa", "en", PLAIN)
    assert split.groups == ("A", "B")
    assert split.candidates is not None
    assert [rows.tolist() for rows in split.candidates] == [[0, 1], [1, 2]]
    assert split.qrels.items.tolist() == [0, 2]


def test_every_fault_at_once(data: Path) -> None:
    write(data / "A.jsonl", [
        "{", row("", "", ["x"], [""]), row("x", "x/a.jpg", ["x"], []), row("x", "../a.jpg", ["x"], [""]),
        row("x", "gone.jpg", ["x"], [""]), row("x", "gone.jpg", ["", "y"], ["", ""]), {"qry_text": "x"},
    ])  # fmt: skip
    pq.write_table(pa.table({"qry_text": ["x"]}), data / "B.parquet")
    write(data / "vqa" / "A.jsonl", [TEXTS])
    (data / "C.parquet").write_bytes(b"PAR1 and no more")
    assert faults(data) == [
        ("E227", "A.jsonl:1"), ("E355", "A.jsonl:2 query"), ("E355", "A.jsonl:3"),
        ("E356", "A.jsonl:4 query"),
        ("E355", "A.jsonl:6 target[0]"), ("E355", "A.jsonl:7"), ("E355", "B.parquet"),
        ("E213", str(data / "C.parquet")), ("E352", "vqa/A.jsonl"), ("E354", "A.jsonl:5 query"),
    ]  # fmt: skip


def test_a_field_that_says_nothing_is_named(data: Path) -> None:
    write(data / "A.jsonl", [
        {"tgt_text": ["a", ""], "tgt_img_path": ["", None]}, {"qry_text": "q", "tgt_text": []},
        {"qry_text": 7, "tgt_text": ["a"], "tgt_img_path": [""]},
    ])  # fmt: skip
    with pytest.raises(InputError) as refused:
        opened(data)
    assert [(one.place, one.found) for one in refused.value.faults if one.code == "E355"] == [
        ("A.jsonl:1 query", "qry_text and qry_img_path are missing or empty"),
        ("A.jsonl:1 target[1]", "tgt_text[1] and tgt_img_path[1] are missing or empty"),
        ("A.jsonl:2", "tgt_text is empty, tgt_img_path is missing"),
        ("A.jsonl:3 query", "qry_text is 7, qry_img_path is None"),
    ]


def test_no_table_no_row_no_folder(data: Path) -> None:
    assert faults(data) == [("E351", str(data))]
    assert faults(data / "none") == [("E131", str(data / "none"))]
    write(data / "A.jsonl", [""])
    assert faults(data) == [("E353", str(data))]


def test_pictures_may_lie_in_a_folder_of_their_own(data: Path) -> None:
    write(data / "A.jsonl", [TEXTS])
    (data / "images").rename(data / "MMEB")
    assert faults(data) == [("E354", "A.jsonl:1 query")]
    assert len(opened(data, images="MMEB").media()) == 1
    with pytest.raises(UsageError, match="E132"):
        opened(data, images="MMEB").split("vqa", "en", PLAIN)


def test_means_are_over_data_sets_not_over_queries(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    lines = (tmp_path / "vqa" / "ColourQA.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "vqa" / "Small.jsonl").write_text(lines[0], encoding="utf-8")
    result = evaluate("mmeb", "random", tmp_path, profiles="mmeb-argmax")
    groups = {
        (cell.task, one.group): one.values["p@1"] or 0.0 for cell in result.cells for one in cell.groups
    }
    assert len(groups) == 6
    known = {one.name: one.value for one in result.aggregates}
    vqa = [value for (task, _), value in groups.items() if task == "vqa"]
    assert known["vqa (mean of data sets)"] == pytest.approx(sum(vqa) / 2)
    assert known["overall (mean of data sets)"] == pytest.approx(sum(groups.values()) / 6)
    assert all([row.profile for row in cell.profiles] == ["mmeb-argmax"] for cell in result.cells)


def test_a_model_that_cannot_answer_questions_has_no_overall_mean(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("mmeb", Hashing(), tmp_path)
    known = {one.name: one for one in result.aggregates}
    assert known["overall (mean of data sets)"].value is None
    assert known["overall (mean of data sets)"].missing == ("vqa", "grounding")
    assert known["retrieval (mean of data sets)"].value is not None
    alone = evaluate("mmeb", Hashing(), tmp_path, tasks="unknown")
    assert [one.value is None for one in alone.aggregates] == [False, False]


def test_a_limit_brings_targets_with_their_queries(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    cut = opened(tmp_path).limited(3)
    assert len(cut.media()) == 3
    for task in ("classification", "vqa", "retrieval", "grounding", "unknown"):
        split = cut.split(task, "en", PLAIN)
        assert split.queries
        assert set(split.qrels.items.tolist()) <= set(range(len(split.corpus)))
