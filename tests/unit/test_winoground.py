"""Winoground: two or four comparisons an item, all of which must be right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN, Contest
from crossgauge.benchmarks.winoground import BENCHMARK
from crossgauge.benchmarks.winoground.pairs import Pairs
from crossgauge.errors import InputError
from crossgauge.measures import measure
from crossgauge.ranking import rank_matrix
from crossgauge.report.source import read_source
from crossgauge.types import Floats
from tests.encoders import Constant

(STRICT,) = BENCHMARK.profiles


def opened(data: Path, **options: str) -> Pairs:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Pairs)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults if not fault.is_warning]


def row(number: int, **said: Any) -> dict[str, Any]:
    pictures = {f"image_{slot}": f"ex_{number}_img_{slot}" for slot in (0, 1)}
    captions = {f"caption_{slot}": f"{slot} of {number}" for slot in (0, 1)}
    return {"id": number} | pictures | captions | said


def items(folder: Path, *rows: dict[str, Any], absent: tuple[str, ...] = (), suffix: str = ".png") -> Path:
    (folder / "images").mkdir(exist_ok=True)
    (folder / "examples.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    names = {one[key] for one in rows for key in ("image_0", "image_1") if isinstance(one.get(key), str)}
    for number, name in enumerate(sorted(names - set(absent))):
        Image.new("RGB", (4, 4), (number * 9, 0, 0)).save(
            folder / "images" / (name.removesuffix(suffix) + suffix)
        )
    return folder


def scored(data: Path, task: str, matrix: Floats) -> dict[str, Any]:
    split = opened(data).split(task, "en", PLAIN)
    ranks = rank_matrix(matrix, split.qrels, candidates=split.candidates)
    scores = measure(ranks, ["all_hit@1", "hit@1"], clusters=split.clusters)
    return {name: score.value for name, score in scores.items()} | {
        "strict": STRICT.score(Contest(split, scores=matrix)).values["all_hit@1"] if STRICT.score else None
    }


def test_who_asks_and_what_competes(tmp_path: Path) -> None:
    data = opened(items(tmp_path, row(0), row(1)))
    text, image, group = (data.split(task, "en", PLAIN) for task in ("text", "image", "group"))
    assert [query.id for query in text.queries] == ["0:image_0", "0:image_1", "1:image_0", "1:image_1"]
    assert [item.text for item in text.corpus] == ["0 of 0", "1 of 0", "0 of 1", "1 of 1"]
    assert text.qrels.items.tolist() == image.qrels.items.tolist() == [0, 1, 2, 3]
    assert text.candidates is not None
    assert [rows.tolist() for rows in text.candidates] == [[0, 1], [0, 1], [2, 3], [2, 3]]
    assert [query.text for query in image.queries] == ["0 of 0", "1 of 0", "0 of 1", "1 of 1"]
    assert len(group.queries) == 8
    assert len(group.corpus) == 8
    for split, size in ((text, 2), (image, 2), (group, 4)):
        assert split.clusters is not None
        assert np.bincount(split.clusters).tolist() == [size, size]


def test_an_item_counts_only_when_all_its_comparisons_are_right(tmp_path: Path) -> None:
    items(tmp_path, row(0), row(1))
    right, half = [[2.0, 1.0], [1.0, 2.0]], [[2.0, 1.0], [2.0, 1.0]]
    matrix = np.zeros((4, 4))
    matrix[:2, :2], matrix[2:, 2:] = right, half
    assert scored(tmp_path, "text", matrix) == {"all_hit@1": 0.5, "hit@1": 0.75, "strict": 0.5}


def test_a_constant_scorer_gets_chance_of_independent_ties_and_officially_nothing(tmp_path: Path) -> None:
    items(tmp_path, row(0), row(1), row(2))
    for task, chance, side in (("text", 0.25, 6), ("image", 0.25, 6), ("group", 0.0625, 12)):
        assert scored(tmp_path, task, np.zeros((side, side))) == {
            "all_hit@1": chance,
            "hit@1": 0.5,
            "strict": 0.0,
        }


def test_the_constant_model_runs_through_every_task(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("winoground", Constant(), tmp_path, profiles="winoground-strict")
    heads = {cell.task: cell.scores[0] for cell in result.cells}
    assert {task: row.value for task, row in heads.items()} == {"text": 0.25, "image": 0.25, "group": 0.0625}
    assert {task: row.n for task, row in heads.items()} == {"text": 4, "image": 4, "group": 4}
    assert all(row.pessimistic == 0.0 and row.optimistic == 1.0 for row in heads.values())
    official = {cell.task: cell.profiles[0] for cell in result.cells}
    assert all(row.values == {"all_hit@1": 0.0} for row in official.values())
    assert official["group"].notes == ("16 queries tie and count as lost",)


def test_the_run_of_a_constant_model_can_be_shown(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path / "data")
    evaluate("winoground", Constant(), tmp_path / "data", out=tmp_path / "run")
    cells = read_source(tmp_path / "run").result.cells
    assert {cell.task: cell.scores[0].value for cell in cells} == {
        "text": 0.25,
        "image": 0.25,
        "group": 0.0625,
    }
    assert all(row.n_tied <= row.n for cell in cells for row in cell.scores)


def test_strict_is_the_pessimistic_bound(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("winoground", "random:2", tmp_path, profiles="winoground-strict")
    for cell in result.cells:
        assert cell.profiles[0].values["all_hit@1"] == cell.scores[0].pessimistic


def test_tags_are_groups(tmp_path: Path) -> None:
    items(tmp_path, row(0, collapsed_tag="Object", tag="Noun"), row(1, tag="Verb"), row(2))
    data = opened(tmp_path)
    assert data.split("text", "en", PLAIN).groups == ("Object", "Object", "Verb", "Verb", "none", "none")
    assert data.facts()["tags"] == "Object 1, Verb 1"


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_names_may_leave_out_the_suffix_or_not(tmp_path: Path, suffix: str) -> None:
    items(tmp_path, row(0), row(1, image_0=f"other{suffix}"), suffix=suffix)
    assert len(opened(tmp_path).media()) == 4


def test_a_csv_in_the_folder_of_the_hub(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    items(tmp_path / "data", row(0))
    (tmp_path / "data" / "examples.jsonl").unlink()
    text = "id,image_0,image_1,caption_0,caption_1\n0,ex_0_img_0,ex_0_img_1,a b,b a\n"
    (tmp_path / "data" / "metadata.csv").write_text(text)
    assert [item.text for item in opened(tmp_path).texts()] == ["a b", "b a"]


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    items(
        tmp_path,
        row(0),
        row(1),
        row(0),
        row(3, caption_1=""),
        row(4, image_1=None),
        row(5, image_0="../up"),
        absent=("ex_1_img_0", "ex_1_img_1", "../up"),
    )
    assert sorted(faults(tmp_path)) == [
        ("E125", "examples.jsonl:2 image_0"),
        ("E125", "examples.jsonl:2 image_1"),
        ("E126", "examples.jsonl:3"),
        ("E127", "examples.jsonl:4 caption_1"),
        ("E128", "examples.jsonl:6 image_0"),
        ("E129", "examples.jsonl:5 image_1"),
    ]


def test_a_field_that_says_nothing_is_named(tmp_path: Path) -> None:
    bare, short = row(1), row(2)
    del bare["caption_1"], short["image_0"]
    items(tmp_path, row(0), bare, short, row(3, caption_0=" "), row(4, image_1=None), row(5, image_0=" "))
    with pytest.raises(InputError) as refused:
        opened(tmp_path)
    told = {fault.place: fault.found for fault in refused.value.faults if fault.code in ("E127", "E129")}
    assert told == {
        "examples.jsonl:2 caption_1": "caption_1 is missing",
        "examples.jsonl:3 image_0": "image_0 is missing",
        "examples.jsonl:4 caption_0": "caption_0 is empty", "examples.jsonl:5 image_1": "image_1 is null",
        "examples.jsonl:6 image_0": "image_0 is empty",
    }  # fmt: skip


def test_an_item_that_lacks_a_picture_is_left_out_whole(tmp_path: Path) -> None:
    data = opened(items(tmp_path, row(0), row(1), absent=("ex_1_img_1",)), missing="skip")
    assert len(data.split("group", "en", PLAIN).queries) == 4
    assert {fault.code for fault in data.findings} == {"W126", "W373"}


def test_a_table_without_the_columns(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_text('{"image_0": "a", "caption_0": "b"}\n')
    assert faults(tmp_path) == [("E123", "examples.jsonl"), ("E123", "examples.jsonl")]
    (tmp_path / "examples.jsonl").unlink()
    assert faults(tmp_path) == [("E131", str(tmp_path))]


def test_equal_captions_are_told(tmp_path: Path) -> None:
    data = opened(items(tmp_path, row(0, caption_0="same", caption_1="same"), row(1)))
    (told,) = [fault for fault in data.findings if fault.code == "W378"]
    assert told.found.startswith("2 of 4")


def test_a_limit_keeps_whole_items(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    data = opened(tmp_path)
    for n, whole in ((1, 1), (2, 1), (3, 1), (4, 2), (8, 4)):
        cut = data.limited(n)
        assert len(cut.media()) == max(n, 2)
        assert len(cut.split("text", "en", PLAIN).queries) == 2 * whole
