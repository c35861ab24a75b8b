"""SugarCrepe: seven files, two candidates a query, macro and micro means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN, Contest
from crossgauge.benchmarks.sugarcrepe import BENCHMARK, SIZES, averages
from crossgauge.benchmarks.sugarcrepe.entries import Entries
from crossgauge.errors import InputError
from crossgauge.measures import measure
from crossgauge.ranking import rank_matrix

(STRICT,) = BENCHMARK.profiles


def opened(data: Path, **options: str) -> Entries:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Entries)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults if not fault.is_warning]


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    """Seven files of one entry each, about two pictures."""
    for number in (0, 1):
        Image.new("RGB", (4, 4), (number * 90, 0, 0)).save(tmp_path / f"{number}.jpg")
    for kind in SIZES:
        write(tmp_path, kind, {"0": entry("0.jpg")})
    return tmp_path


def write(folder: Path, kind: str, document: Any) -> None:
    (folder / f"{kind}.json").write_text(json.dumps(document))


def entry(file: Any, caption: Any = "true", negative: Any = "false") -> dict[str, Any]:
    return {"filename": file, "caption": caption, "negative_caption": negative}


def test_keys_may_have_gaps_and_a_picture_may_be_asked_of_twice(seven: Path) -> None:
    write(
        seven,
        "swap_obj",
        {"0": entry("0.jpg"), "3": entry("1.jpg", "c", "d"), "17": entry("0.jpg", "e", "f")},
    )
    split = opened(seven).split("swap_obj", "en", PLAIN)
    assert [query.id for query in split.queries] == ["0.jpg", "1.jpg", "0.jpg#2"]
    assert [item.id for item in split.corpus[2:]] == [
        "swap_obj:3:caption",
        "swap_obj:3:negative",
        "swap_obj:17:caption",
        "swap_obj:17:negative",
    ]
    assert split.candidates is not None
    assert [rows.tolist() for rows in split.candidates] == [[0, 1], [2, 3], [4, 5]]
    assert split.qrels.items.tolist() == [0, 2, 4]
    assert split.clusters is not None
    assert split.clusters.tolist() == [0, 1, 0]


def test_a_tie_is_half_a_hit_here_and_lost_officially(seven: Path) -> None:
    write(seven, "add_att", {str(n): entry(f"{n}.jpg") for n in (0, 1)})
    split = opened(seven).split("add_att", "en", PLAIN)
    matrix = np.array([[1.0, 1.0, 9.0, 9.0], [9.0, 9.0, 2.0, 1.0]])
    ours = measure(rank_matrix(matrix, split.qrels, candidates=split.candidates), ["hit@1"])["hit@1"]
    assert (ours.value, ours.pessimistic, ours.optimistic) == (0.75, 0.5, 1.0)
    assert STRICT.score is not None
    official = STRICT.score(Contest(split, scores=matrix))
    assert official.values == {"hit@1": 0.5}
    assert official.notes == ("1 queries tie and count as lost",)


def test_macro_and_micro_differ_where_sizes_do(seven: Path) -> None:
    write(seven, "add_obj", {str(n): entry("1.jpg", f"t{n}", f"f{n}") for n in range(5)})
    result = evaluate("sugarcrepe", "random:8", seven)
    cells = {cell.task: cell.scores[0] for cell in result.cells}
    assert {kind: row.n for kind, row in cells.items()} == {
        kind: 5 if kind == "add_obj" else 1 for kind in SIZES
    }
    macro, micro = averages(result.cells)
    values = {kind: row.value or 0.0 for kind, row in cells.items()}
    assert macro.value == pytest.approx(sum(values.values()) / 7)
    assert micro.value == pytest.approx(sum(values[kind] * cells[kind].n for kind in SIZES) / 11)
    less = averages([cell for cell in result.cells if cell.task != "swap_att"])
    assert [(one.value, one.missing) for one in less] == [(None, ("swap_att.en.plain",))] * 2


def test_sizes_that_are_not_the_published_ones_are_told(seven: Path) -> None:
    (told,) = [fault for fault in opened(seven).findings if fault.code == "W373"]
    assert told.found.startswith("7 of 7511 entries: add_att 1 of 692")


def test_equal_captions_are_told(seven: Path) -> None:
    write(seven, "swap_att", {"0": entry("0.jpg", "same", "same")})
    (told,) = [fault for fault in opened(seven).findings if fault.code == "W378"]
    assert told.place == "swap_att"


def test_a_field_that_says_nothing_is_named(seven: Path) -> None:
    bare = {"filename": "0.jpg", "negative_caption": "x"}
    write(seven, "replace_rel", {"0": bare, "1": entry(None), "2": {"caption": "a", "negative_caption": ""}})
    with pytest.raises(InputError) as refused:
        opened(seven)
    told = {one.place: one.found for one in refused.value.faults if one.code in ("E127", "E129")}
    assert told == {
        "replace_rel.json:0.caption": "caption is missing",
        "replace_rel.json:1.filename": "filename is null",
        "replace_rel.json:2.filename": "filename is missing",
        "replace_rel.json:2.negative_caption": "negative_caption is empty",
    }


def test_every_fault_is_told_at_once(seven: Path) -> None:
    (seven / "add_att.json").unlink()
    (seven / "add_obj.json").write_text('{"0": {"filename": "0.jp')
    write(seven, "replace_att", ["a list"])
    write(seven, "replace_obj", {"0": "no object", "1": entry("gone.jpg"), "2": entry("away.jpg")})
    write(seven, "replace_rel", {"0": entry(None), "1": entry("0.jpg", " "), "2": entry("../0.jpg")})
    (seven / "swap_att.json").write_text('{"0": {}, "0": {}}')
    assert sorted((code, place.removeprefix(f"{seven}/")) for code, place in faults(seven)) == [
        ("E125", "replace_obj.json:1"),
        ("E125", "replace_obj.json:2"),
        ("E127", "replace_rel.json:1.caption"),
        ("E128", "replace_rel.json:2"),
        ("E129", "replace_rel.json:0.filename"),
        ("E131", str(seven)),
        ("E227", "add_obj.json:1:20"),
        ("E227", "swap_att.json:1"),
        ("E370", "replace_att.json"),
        ("E370", "replace_obj.json:0"),
    ]


def test_missing_pictures_may_be_left_out(seven: Path) -> None:
    write(seven, "add_att", {"0": entry("0.jpg"), "1": entry("gone.jpg")})
    data = opened(seven, missing="skip")
    assert len(data.split("add_att", "en", PLAIN).queries) == 1
    assert "W126" in {fault.code for fault in data.findings}


def test_pictures_in_coco_folders_and_files_in_data(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    before = opened(tmp_path).fingerprint
    (tmp_path / "images").mkdir()
    (tmp_path / "val2017").rename(tmp_path / "images" / "val2017")
    (tmp_path / "data").mkdir()
    for kind in SIZES:
        (tmp_path / f"{kind}.json").rename(tmp_path / "data" / f"{kind}.json")
    assert opened(tmp_path).fingerprint == before


def test_no_folder(tmp_path: Path) -> None:
    assert faults(tmp_path / "none") == [("E131", str(tmp_path / "none"))]
