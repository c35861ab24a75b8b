"""MS-COCO captions: lines as queries, folds in file order, what is wrong with the file, VSE++'s scorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN, Contest
from crossgauge.benchmarks._lines import CaptionLines, Line
from crossgauge.benchmarks._rsum import rsum
from crossgauge.benchmarks._vsepp import vsepp
from crossgauge.benchmarks.coco import BENCHMARK
from crossgauge.errors import InputError, UsageError
from crossgauge.measures import measure
from crossgauge.ranking import rank_matrix
from crossgauge.types import Item, Qrels, Split


def opened(data: Path, **options: str) -> CaptionLines:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, CaptionLines)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults]


def codes(data: Path, **options: str) -> list[str]:
    return [fault.code for fault in opened(data, **options).findings]


def image(name: str, *captions: Any, split: str = "test", **more: Any) -> dict[str, Any]:
    sentences = [{"raw": text, "sentid": at} for at, text in enumerate(captions)]
    return {"filename": name, "split": split, "sentences": sentences, **more}


def coco(folder: Path, *images: dict[str, Any], absent: tuple[str, ...] = ()) -> Path:
    """A data set with these images; the files of ``absent`` are not there."""
    (folder / "dataset_coco.json").write_text(json.dumps({"images": images}))
    for number, one in enumerate(images):
        path = folder / one.get("filepath", "") / str(one.get("filename"))
        if one.get("filename") not in (*absent, None) and ".." not in str(one["filename"]):
            path.parent.mkdir(exist_ok=True)
            Image.new("RGB", (4, 4), (number * 9, 0, 0)).save(path, format="JPEG")
    return folder


def made(count: int, *, fold: int | None = None, captions: int = 2) -> CaptionLines:
    """Pictures p0, p9, p1, p8 … in an order that no sorting gives."""
    order = [number if number % 2 == 0 else count - number for number in range(count)]
    pictures = tuple(Item(f"p{number}-{at}", image=Path("x")) for at, number in enumerate(order))
    lines = [Line(f"en:{p.id}#{n}", f"{p.id} {n}", p.id) for p in pictures for n in range(captions)]
    return CaptionLines(pictures, {"en": tuple(lines)}, fold=fold)


def test_every_caption_line_is_a_query_and_any_of_a_picture_is_right(tmp_path: Path) -> None:
    data = opened(coco(tmp_path, image("b.jpg", "one", "two", "three"), image("a.jpg", "four")))
    t2i, i2t = (data.split(task, "en", PLAIN) for task in ("t2i", "i2t"))
    assert [query.id for query in t2i.queries] == ["en:b.jpg", "en:b.jpg#2", "en:b.jpg#3", "en:a.jpg"]
    assert [query.text for query in t2i.queries] == ["one", "two", "three", "four"]
    assert t2i.qrels.items.tolist() == [0, 0, 0, 1]
    assert [query.id for query in i2t.queries] == ["b.jpg", "a.jpg"]
    assert np.diff(i2t.qrels.start).tolist() == [3, 1]
    assert t2i.clusters is not None
    assert t2i.clusters.tolist() == [0, 0, 0, 1]
    assert i2t.clusters is None


def test_equal_captions_stay_apart_and_are_told(tmp_path: Path) -> None:
    data = opened(coco(tmp_path, image("a.jpg", "a bee", "a bee"), image("b.jpg", "a bee", "an ant")))
    assert len(data.split("t2i", "en", PLAIN).queries) == 4
    (told,) = [fault for fault in data.findings if fault.code == "W371"]
    assert "3 of 4 lines" in told.found


@pytest.mark.parametrize(("policy", "counts"), [("all", [6, 2]), ("first-five", [5, 2]), ("first", [1, 1])])
def test_the_option_captions_cuts_each_pictures_lines(tmp_path: Path, policy: str, counts: list[int]) -> None:
    coco(tmp_path, image("a.jpg", *"uvwxyz"), image("b.jpg", "k", "l"))
    split = opened(tmp_path, captions=policy).split("i2t", "en", PLAIN)
    assert np.diff(split.qrels.start).tolist() == counts
    assert ("W374" in codes(tmp_path, captions=policy)) is (policy == "first-five")


def test_splits_and_the_folder_that_the_file_names(tmp_path: Path) -> None:
    coco(tmp_path, image("a.jpg", "x", filepath="val2014"), image("b.jpg", "y", split="val"))
    assert [item.id for item in opened(tmp_path).media()] == ["a.jpg"]
    assert [item.id for item in opened(tmp_path, split="val").media()] == ["b.jpg"]
    with pytest.raises(UsageError, match=r"E130.*one of: test, val"):
        opened(tmp_path, split="restval")


def test_pictures_may_lie_in_images(tmp_path: Path) -> None:
    coco(tmp_path, image("a.jpg", "x", filepath="val2014"))
    (tmp_path / "images").mkdir()
    (tmp_path / "val2014").rename(tmp_path / "images" / "val2014")
    assert len(opened(tmp_path).media()) == 1


def test_folds_are_runs_in_file_order() -> None:
    data = made(7, fold=3)
    split = data.split("t2i", "en", PLAIN)
    assert split.draws is not None
    assert [draw.corpus.tolist() for draw in split.draws] == [[0, 1, 2], [3, 4, 5]]
    assert [draw.queries.tolist() for draw in split.draws] == [list(range(6)), list(range(6, 12))]
    assert [item.id for item in split.corpus] == [item.id for item in data.pictures[:6]]
    back = data.split("i2t", "en", PLAIN)
    assert back.draws is not None
    assert [draw.queries.tolist() for draw in back.draws] == [[0, 1, 2], [3, 4, 5]]
    assert [draw.corpus.tolist() for draw in back.draws] == [list(range(6)), list(range(6, 12))]
    (told,) = data.findings
    assert told.code == "W370"
    assert "7 pictures make 2 folds of 3, 1 are in none" in told.found


def test_five_folds_of_1000_of_the_real_size() -> None:
    data = made(5000, fold=1000, captions=5)
    split = data.split("t2i", "en", PLAIN)
    assert split.draws is not None
    assert [len(draw.corpus) for draw in split.draws] == [1000] * 5
    assert [len(draw.queries) for draw in split.draws] == [5000] * 5
    assert data.findings == ()


def test_the_order_of_the_file_is_part_of_the_data_only_with_folds(tmp_path: Path) -> None:
    images = [image("a.jpg", "x"), image("b.jpg", "y")]
    prints = []
    for turned in (images, images[::-1]):
        coco(tmp_path, *images)
        (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": turned}))
        prints.append([opened(tmp_path, protocol=name).fingerprint for name in ("full", "folds")])
    assert prints[0][0] == prints[1][0]
    assert prints[0][1] != prints[1][1]


def test_the_folds_of_the_sample_are_scored_as_means(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("coco", "random:8", tmp_path, options={"protocol": "folds"})
    assert [cell.draws for cell in result.cells] == [1, 1]
    assert any(line.startswith("W370") for line in result.audit)


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = coco(tmp_path, image("a.jpg", "x")) / "dataset_coco.json"
    path.write_bytes(path.read_bytes()[:-9])
    assert faults(tmp_path) == [("E370", "dataset_coco.json")]


@pytest.mark.parametrize(
    "whole",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"images": 7}',
        b'{"images": [{"filename": "\xff", "split": "test", "sentences": []}]}',
        b'{"images": ' + b"[" * 100_000,
        b'{"images": [{"filename": "a.jpg", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]}",
    ],
)
def test_files_of_another_shape_are_refused(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "dataset_coco.json").write_bytes(whole)
    assert {code for code, _ in faults(tmp_path)} == {"E370"}


def test_names_and_captions_that_no_file_system_or_model_takes(tmp_path: Path) -> None:
    coco(tmp_path, image("a.jpg", "x"))
    odd = [image("a\0.jpg", "y"), image("", "z"), image("b" * 300 + ".jpg", "w"), image("a.jpg", "v\0")]
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": odd}))
    assert sorted({code for code, _ in faults(tmp_path)}) == ["E125", "E127", "E129"]


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    coco(
        tmp_path,
        image("a.jpg", "x"),
        image("gone.jpg", "y"),
        image("away.jpg", "z"),
        image("a.jpg", "again"),
        image("b.jpg", " "),
        image("../c.jpg", "q"),
        {"filename": "d.jpg", "split": "test"},
        image("e.jpg", 7),
        absent=("gone.jpg", "away.jpg"),
    )
    assert sorted(faults(tmp_path)) == [
        ("E125", "dataset_coco.json:images[1]"),
        ("E125", "dataset_coco.json:images[2]"),
        ("E126", "dataset_coco.json:images[3]"),
        ("E127", "dataset_coco.json:images[4].sentences[0]"),
        ("E128", "dataset_coco.json:images[5]"),
        ("E370", "dataset_coco.json:images[6]"),
        ("E370", "dataset_coco.json:images[7]"),
    ]


def test_missing_pictures_may_be_left_out_with_their_captions(tmp_path: Path) -> None:
    coco(tmp_path, image("a.jpg", "x"), image("gone.jpg", "y"), absent=("gone.jpg",))
    data = opened(tmp_path, missing="skip")
    assert [query.text for query in data.split("t2i", "en", PLAIN).queries] == ["x"]
    assert [fault.code for fault in data.findings] == ["W126"]


def test_pictures_without_a_caption(tmp_path: Path) -> None:
    coco(tmp_path, image("a.jpg", "x"), image("b.jpg"))
    assert codes(tmp_path) == ["W136"]
    coco(tmp_path, image("a.jpg"), image("b.jpg"))
    assert faults(tmp_path) == [("E124", "dataset_coco.json:images[0]")]


def test_no_data(tmp_path: Path) -> None:
    assert faults(tmp_path) == [("E131", str(tmp_path))]
    assert faults(tmp_path / "none") == [("E131", str(tmp_path / "none"))]


def test_rsum_needs_both_directions(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("coco", "random:8", tmp_path)
    (whole,) = rsum(result.cells)
    values = [row.value for cell in result.cells for row in cell.scores if row.measure.startswith("hit@")]
    assert whole.value == pytest.approx(sum(value for value in values if value is not None))
    assert 0 < (whole.value or 0.0) <= 6
    (half,) = rsum(result.cells[:1])
    assert half.value is None
    assert half.missing == ("t2i.en.plain",)


def contest(scores: list[list[float]], relevant: list[list[int]]) -> Contest:
    queries = tuple(Item(f"q{n}", text=str(n)) for n in range(len(scores)))
    corpus = tuple(Item(f"c{n}", image=Path(str(n))) for n in range(len(scores[0])))
    return Contest(Split(queries, corpus, Qrels.of(relevant)), scores=np.array(scores))


def test_vsepp_floors_the_median_of_ranks_from_0() -> None:
    scores = [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]
    official = vsepp(contest(scores, [[0], [1]]))
    ours = measure(rank_matrix(np.array(scores), [[0], [1]]), ["medr", "hit@1"])
    assert official.values["medr"] == 1.0
    assert ours["medr"].value == 1.5
    assert official.values["hit@1"] == ours["hit@1"].value == 0.5


def test_vsepp_puts_ties_where_the_reversed_sort_leaves_them() -> None:
    constant = contest([[1.0] * 4] * 4, [[0], [1], [2], [3]])
    assert vsepp(constant).values["hit@1"] == 0.25
    assert vsepp(contest([[1.0] * 4], [[3]])).values["hit@1"] == 1.0  # the last of equals comes first
    assert vsepp(contest([[1.0] * 4], [[0]])).values["hit@1"] == 0.0


def test_vsepp_stands_beside_our_numbers_and_tells_its_misprint(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("coco", "random:8", tmp_path, options={"protocol": "folds"}, profiles="vsepp")
    assert result.options["captions"] == "first-five"
    i2t, t2i = result.cells
    (row,) = i2t.profiles
    recalls = [row.values[f"hit@{k}"] for k in (1, 5, 10)]
    assert all(value is not None for value in recalls)
    printed = 6 * 100 * sum(value or 0.0 for value in recalls) / 3
    assert f"rsum {printed:.1f}" in " ".join(row.notes)
    for cell in (i2t, t2i):
        ours = {score.measure: score.value for score in cell.scores}
        official = cell.profiles[0].values
        assert set(official) == {"hit@1", "hit@5", "hit@10", "medr"}
        assert official["hit@10"] == pytest.approx(ours["hit@10"], abs=0.2)


def test_vsepp_says_where_pictures_have_not_five_captions() -> None:
    (note,) = vsepp(contest([[2.0, 1.0], [1.0, 2.0]], [[0], [1]])).notes
    assert note.startswith("2 pictures have not exactly five captions")


def test_vsepp_agrees_with_ranks_where_nothing_ties() -> None:
    rng = np.random.default_rng(0)
    pictures, texts = rng.standard_normal((12, 8)), rng.standard_normal((60, 8))
    data = made(12, captions=5)
    for task, left, right in (("i2t", pictures, texts), ("t2i", texts, pictures)):
        split = data.split(task, "en", PLAIN)
        official = vsepp(Contest(split, left, right, similarity="dot")).values
        ours = measure(rank_matrix(left @ right.T, split.qrels), ["hit@1", "hit@5", "hit@10", "medr"])
        for name in ("hit@1", "hit@5", "hit@10"):
            assert official[name] == pytest.approx(ours[name].value)
        assert official["medr"] == np.floor(ours["medr"].value - 1) + 1
