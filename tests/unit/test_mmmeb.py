"""MMMEB's files: names, rows, pictures, candidates, what is told of them, and what a run makes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import Prompt
from crossgauge.benchmarks.mmmeb import BENCHMARK
from crossgauge.benchmarks.mmmeb.data import Listings
from crossgauge.benchmarks.mmmeb.prompts import FORMATS
from crossgauge.errors import InputError, UsageError
from crossgauge.models import load_model
from tests.encoders import Hashing

PLAIN, PUNCT, NEWLINE = FORMATS


def picture(path: Path, shade: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), (shade, 0, 0)).save(path, format="JPEG")


def write(folder: Path, name: str, rows: Sequence[Mapping[str, Any] | str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def opened(data: Path, **options: str) -> Listings:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Listings)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(one.code, one.place) for one in refused.value.faults if not one.is_warning]


def warned(dataset: Listings) -> dict[str, str]:
    return {one.code: one.found for one in dataset.findings if one.code != "W353"}


@pytest.fixture
def xm(tmp_path: Path) -> Path:
    for name in "abc":
        picture(tmp_path / "xm_images" / f"{name}.jpg", ord(name))
    return tmp_path


@pytest.mark.parametrize("place", ["", "eval_data", "datasets"])
def test_files_and_pictures_are_found_in_each_place(tmp_path: Path, place: str) -> None:
    picture(tmp_path / "eval_data" / "xm_images" / "a.jpg")
    write(tmp_path / place, "xm_en_1000_formatted_i2t", [{"img": "a", "captions": ["one", "two"]}])
    split = opened(tmp_path).split("i2t-xm", "en", PLAIN)
    assert [item.id for item in split.queries] == ["xm_images/a.jpg"]
    assert [item.text for item in split.corpus] == ["one", "two"]


def test_a_picture_with_a_slash_or_a_dot_is_named_as_it_is(tmp_path: Path) -> None:
    for name in ("other/a.png", "xm_images/b.png", "xm_images/3.jpg"):
        picture(tmp_path / name)
    rows = [{"text": "x", "images": ["other/a.png", "b.png", 3]}]
    write(tmp_path, "xm_en_1000_formatted_t2i", rows)
    ids = [item.id for item in opened(tmp_path).split("t2i-xm", "en", PLAIN).corpus]
    assert ids == ["other/a.png", "xm_images/b.png", "xm_images/3.jpg"]


def test_the_first_candidate_is_right_and_lists_may_differ(xm: Path) -> None:
    rows = [{"img": "a", "captions": ["one", "two"]}, {"img": "b", "captions": ["three", "one"]}]
    write(xm, "xm_en_1000_formatted_i2t", rows)
    split = opened(xm).split("i2t-xm", "en", PLAIN)
    assert split.qrels.items.tolist() == [0, 2]
    assert split.candidates is not None
    assert [rows.tolist() for rows in split.candidates] == [[0, 1], [0, 2]]


def test_equal_candidates_are_one_and_one_that_equals_the_gold_is_right(xm: Path) -> None:
    rows = [{"img": "a", "captions": ["a dog", "a cat", "a dog ", "a cat"]}]
    write(xm, "xm_en_1000_formatted_i2t", rows)
    dataset = opened(xm)
    split = dataset.split("i2t-xm", "en", PLAIN)
    assert [item.text for item in split.corpus] == ["a dog", "a cat"]
    assert split.qrels.items.tolist() == [0]
    assert warned(dataset) == {"W354": "rows that name a candidate twice: 1"}


def test_null_queries_are_no_queries_and_are_told(xm: Path) -> None:
    rows = [{"text": None, "images": ["a", "b"]}, {"text": "x", "images": ["b", "a"]}]
    write(xm, "xm_de_1000_formatted_t2i", rows)
    dataset = opened(xm)
    assert len(dataset.split("t2i-xm", "de", PLAIN).queries) == 1
    assert warned(dataset) == {"W350": "1 of 2 rows have no query text (null): 1 are scored"}
    assert dataset.facts()["xm_de_1000_formatted_t2i.jsonl"] == "2 rows, 1 scored; candidates 2/2/2"


def test_two_rows_of_one_picture_are_two_queries(xm: Path) -> None:
    rows = [{"img": "a", "captions": ["one", "two"]}, {"img": "a", "captions": ["two", "one"]}]
    write(xm, "xm_en_1000_formatted_i2t", rows)
    split = opened(xm).split("i2t-xm", "en", PLAIN)
    assert [item.id for item in split.queries] == ["xm_images/a.jpg", "xm_images/a.jpg#2"]


@pytest.mark.parametrize("said", [1, "two"])
def test_another_field_may_say_which_candidate_is_right(xm: Path, said: object) -> None:
    write(xm, "xm_en_1000_formatted_i2t", [{"img": "a", "captions": ["one", "two"], "right": said}])
    assert opened(xm, gold="right").split("i2t-xm", "en", PLAIN).qrels.items.tolist() == [1]


def test_a_field_that_names_no_candidate_is_told_for_every_row(xm: Path) -> None:
    rows = [{"img": "a", "captions": ["one"], "right": said} for said in (1, -1, "two", True, None)]
    write(xm, "xm_en_1000_formatted_i2t", [*rows, {"img": "a", "captions": ["one"]}])
    name = "xm_en_1000_formatted_i2t.jsonl"
    assert faults(xm, gold="right") == [("E357", f"{name}:{line}") for line in range(1, 7)]


def test_every_fault_of_every_file_at_once(xm: Path) -> None:
    i2t, t2i = "xm_en_1000_formatted_i2t", "xm_en_1000_formatted_t2i"
    write(xm, i2t, [
        "{", "[1]", '{"img": "a", "img": "b", "captions": ["x"]}', {"img": "a"}, {"img": "a", "captions": []},
        {"img": "a", "captions": ["x", " ", None]}, {"captions": ["x"]}, {"img": "../a", "captions": ["x"]},
        '{"img": "a", "captions": [NaN]}', {"img": "a", "captions": "x"},
    ])  # fmt: skip
    write(xm, t2i, [
        {"images": ["a"]}, {"text": " ", "images": ["a"]}, {"text": 1, "images": ["a"]},
        {"text": "x", "images": ["a", "gone"]}, {"text": "x", "images": ["gone", "a"]},
    ])  # fmt: skip
    assert faults(xm) == [
        ("E227", f"{i2t}.jsonl:1"), ("E355", f"{i2t}.jsonl:2"), ("E227", f"{i2t}.jsonl:3"),
        ("E355", f"{i2t}.jsonl:4 captions"), ("E355", f"{i2t}.jsonl:5 captions"),
        ("E355", f"{i2t}.jsonl:6 captions"), ("E355", f"{i2t}.jsonl:7 img"), ("E356", f"{i2t}.jsonl:8 img"),
        ("E227", f"{i2t}.jsonl:9"), ("E355", f"{i2t}.jsonl:10 captions"),
        ("E355", f"{t2i}.jsonl:1 text"), ("E355", f"{t2i}.jsonl:2 text"), ("E355", f"{t2i}.jsonl:3 text"),
        ("E354", f"{t2i}.jsonl:4 images[1]"),
    ]  # fmt: skip


def test_a_field_that_says_nothing_is_named(xm: Path) -> None:
    i2t, t2i = "xm_en_1000_formatted_i2t", "xm_en_1000_formatted_t2i"
    write(xm, i2t, [{"captions": ["x"]}, {"img": None, "captions": ["x"]}, {"img": "", "captions": ["x"]},
                    {"img": "a"}, {"img": "a", "captions": []}])  # fmt: skip
    write(xm, t2i, [{"images": ["a"]}, {"text": "x", "images": ["a", None]}, {"text": "x", "images": [" "]}])
    with pytest.raises(InputError) as refused:
        opened(xm)
    told = [(one.place, one.found) for one in refused.value.faults if not one.is_warning]
    assert told == [
        (f"{i2t}.jsonl:1 img", "img is missing"), (f"{i2t}.jsonl:2 img", "img is null"),
        (f"{i2t}.jsonl:3 img", "img is empty"), (f"{i2t}.jsonl:4 captions", "captions is missing"),
        (f"{i2t}.jsonl:5 captions", "captions is empty"), (f"{t2i}.jsonl:1 text", "text is missing"),
        (f"{t2i}.jsonl:2 images[1]", "null"), (f"{t2i}.jsonl:3 images[0]", "empty"),
    ]  # fmt: skip


def test_a_file_of_nothing_but_null_queries_and_an_empty_folder(xm: Path) -> None:
    assert faults(xm) == [("E351", str(xm))]
    write(xm, "xm_de_1000_formatted_t2i", [{"text": None, "images": ["a"]}])
    assert faults(xm) == [("E353", "xm_de_1000_formatted_t2i.jsonl")]


def test_names_decide_and_what_is_absent_or_strange_is_told(xm: Path) -> None:
    row = [{"img": "a", "captions": ["x"]}]
    for name in ("xm_en_1000_formatted_i2t", "xm_ja_1000_formatted_i2t", "coco_en_1000_formatted_i2t"):
        write(xm, name, row)
    write(xm, "flickr30k_entities_de_1000_formatted_vg", [{"img": "a", "text": "x", "imgs": ["a"]}])
    told = [(one.code, one.place) for one in opened(xm).findings]
    assert told == [
        ("W351", "coco_en_1000_formatted_i2t.jsonl"),
        ("W352", "flickr30k_entities_de_1000_formatted_vg.jsonl"),
        ("W351", "xm_ja_1000_formatted_i2t.jsonl"),
        ("W353", str(xm)),
    ]
    absent = next(one.found for one in opened(xm).findings if one.code == "W353")
    assert absent.startswith("28 of 29 expected files are not there: c.de, c.en")
    write(xm, "xm_en_500_formatted_i2t", row)
    assert faults(xm) == [("E352", "xm_en_500_formatted_i2t.jsonl")]


def test_too_long_a_line_is_refused(xm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.benchmarks.mmmeb.files.MAX_LINE", 60)
    write(
        xm,
        "xm_en_1000_formatted_i2t",
        [{"img": "a", "captions": ["x"]}, {"img": "a", "captions": ["x" * 60]}],
    )
    assert faults(xm) == [("E219", "xm_en_1000_formatted_i2t.jsonl:2")]


def test_an_unknown_format_or_cell_is_a_usage_error(xm: Path) -> None:
    write(xm, "xm_en_1000_formatted_i2t", [{"img": "a", "captions": ["x"]}])
    dataset = opened(xm)
    with pytest.raises(UsageError, match="E350"):
        dataset.split("i2t-xm", "en", Prompt("photo", "a photo of {}"))
    with pytest.raises(UsageError, match="E132"):
        dataset.split("i2t-xm", "de", PLAIN)


def test_instructions_make_one_item_of_picture_and_text(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    instructed, dual = opened(tmp_path, prompting="instruct"), opened(tmp_path)
    for task in BENCHMARK.tasks:
        asked, bare = (one.split(task.name, "en", PUNCT) for one in (instructed, dual))
        for ours, theirs in zip((*asked.queries, *asked.corpus), (*bare.queries, *bare.corpus), strict=True):
            assert ours.id.endswith(theirs.id.removeprefix("class:"))
            assert ours.id.startswith(f"{task.name.partition('-')[0]}:")
        for side, wanted in ((asked.queries, task.query), (asked.corpus, task.corpus)):
            assert all(item.text and item.text.strip() and "<|" not in item.text for item in side)
            assert all(("image" in wanted.split("+")) == (item.image is not None) for item in side)
    assert instructed.fingerprint == dual.fingerprint


@pytest.mark.parametrize("prompting", ["dual", "instruct"])
def test_one_id_has_one_wording_in_each_format(tmp_path: Path, prompting: str) -> None:
    BENCHMARK.sample(tmp_path)
    dataset = opened(tmp_path, prompting=prompting)
    said: dict[str, tuple[str | None, Path | None]] = {}
    for task in BENCHMARK.tasks:
        for language in dataset.languages(task.name):
            split = dataset.split(task.name, language, PUNCT)
            for item in (*split.queries, *split.corpus):
                assert said.setdefault(item.id, (item.text, item.image)) == (item.text, item.image)


def test_a_limit_keeps_a_grounding_picture_with_its_region(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    dataset = opened(tmp_path)
    for n in range(1, len(dataset.media()) + 1):
        cut = dataset.limited(n)
        assert len(cut.media()) == n
        for language in cut.languages("vg"):
            split = cut.split("vg", language, PLAIN)
            assert set(split.qrels.items.tolist()) <= set(range(len(split.corpus)))
    assert cut.fingerprint == dataset.fingerprint
    i2t = dataset.limited(12).split("i2t-xm", "en", PLAIN)
    assert len(i2t.queries) < 6
    assert len(i2t.corpus) == 6  # a query that is left keeps its difficulty


class Joint(Hashing):
    """Reads picture and text as one input."""

    joint = True

    def prepare(self, item: Any) -> bytes:
        return (b"" if item.image is None else item.image.read_bytes()) + str(item.text).encode()


def test_the_model_decides_how_it_is_prompted_and_what_is_averaged(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    two = evaluate("mmmeb", Hashing(), tmp_path, prompts=("plain", "punct"))
    assert two.options["prompting"] == "dual"
    assert {one.task for one in two.not_applicable} == {"vqa", "vg"}
    known = {(one.name, one.prompt): one for one in two.aggregates}
    for prompt in ("plain", "punct"):
        cells = {cell.key: cell for cell in two.cells if cell.prompt == prompt}
        first = {key: cell.scores[0].value or 0.0 for key, cell in cells.items()}
        files = known["AVG-3 (mean of files)", prompt]
        assert files.value == pytest.approx(sum(first.values()) / 25)
        assert set(files.cells) == set(cells)
        means = [
            sum(value for key, value in first.items() if key.startswith(kind)) / count
            for kind, count in (("i2t", 10), ("t2i", 10), ("c.", 5))
        ]
        assert known["AVG-3 (mean of tasks)", prompt].value == pytest.approx(sum(means) / 3)
        assert known["AVG (mean of tasks)", prompt].value is None
        assert known["AVG (mean of tasks)", prompt].missing == ("vqa", "vg")
    joint = evaluate("mmmeb", Joint(), tmp_path)
    assert joint.options["prompting"] == "instruct"
    assert [one.value is None for one in joint.aggregates] == [False] * 4
    assert len(joint.cells) == 29


def test_one_data_set_of_a_task_alone_makes_no_average(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("mmmeb", load_model("random"), tmp_path, tasks=("i2t-xm", "t2i-xm", "c"))
    assert {one.value for one in result.aggregates} == {None}
    assert result.aggregates[0].missing == ("i2t-xtd", "t2i-xtd")
