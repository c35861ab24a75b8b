"""XTD10: files aligned by line number, whatever ends the lines, and means over named sets of languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks.xtd10 import BENCHMARK, SETS, means
from crossgauge.errors import InputError


def opened(data: Path, **options: str) -> CaptionLines:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, CaptionLines)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place, fault.found) for fault in refused.value.faults if not fault.is_warning]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three pictures, no captions yet."""
    (tmp_path / "XTD10").mkdir()
    names = []
    for number, home in enumerate(("train2014", "val2014", "images")):
        names.append(f"COCO_{number}.jpg")
        (tmp_path / home).mkdir()
        Image.new("RGB", (4, 4), (number * 40, 0, 0)).save(tmp_path / home / names[-1])
    (tmp_path / "XTD10" / "test_image_names.txt").write_bytes("\r\n".join(names).encode())
    return tmp_path


def captions(data: Path, code: str, whole: str, *, home: str = "XTD10") -> None:
    (data / home).mkdir(exist_ok=True)
    (data / home / f"test_1kcaptions_{code}.txt").write_bytes(whole.encode())


@pytest.mark.parametrize("whole", ["a\nb\nc\n", "a\nb\nc", "a\r\nb\nc\r\n", "a\rb\rc", "\ufeffa\nb\nc"])
def test_lines_end_at_lf_crlf_or_cr_and_the_last_may_not(repository: Path, whole: str) -> None:
    captions(repository, "en", whole)
    split = opened(repository).split("t2i", "en", PLAIN)
    assert [query.text for query in split.queries] == ["a", "b", "c"]
    assert split.qrels.items.tolist() == [0, 1, 2]


def test_a_line_separator_inside_a_caption_shifts_nothing(repository: Path) -> None:
    captions(repository, "ru", "a\nb\u2028still b\u2029and\x0bon\x85\nc\n")
    split = opened(repository).split("t2i", "ru", PLAIN)
    assert [query.text for query in split.queries] == ["a", "b\u2028still b\u2029and\x0bon", "c"]


def test_japanese_is_ja_and_comes_from_its_own_folder(repository: Path) -> None:
    captions(repository, "jp", "あ\nい\nう", home="STAIR")
    captions(repository, "de", "a\nb\nc", home="MIC")
    data = opened(repository)
    assert data.languages("t2i") == data.languages("i2t") == ("de", "ja")
    assert data.languages("classify") == ()
    assert not any(fault.code == "W120" for fault in data.findings)


def test_files_that_do_not_align_are_refused_with_their_counts(repository: Path) -> None:
    captions(repository, "en", "a\nb\nc\n")
    captions(repository, "it", "a\nb\n")
    captions(repository, "es", "a\nb\nc\nd\n")
    assert faults(repository) == [
        ("E373", "XTD10/test_1kcaptions_es.txt", "4 captions, 3 names"),
        ("E373", "XTD10/test_1kcaptions_it.txt", "2 captions, 3 names"),
    ]


def test_blank_lines_at_the_end_are_no_lines_unless_names_want_them(repository: Path) -> None:
    names = repository / "XTD10" / "test_image_names.txt"
    names.write_bytes(names.read_bytes() + b"\r\n\r\n")
    captions(repository, "en", "a\nb\nc\n\n \n")
    assert [query.text for query in opened(repository).split("t2i", "en", PLAIN).queries] == ["a", "b", "c"]
    captions(repository, "en", "a\nb\n\n\n")
    assert [(code, place) for code, place, _ in faults(repository)] == [
        ("E127", "XTD10/test_1kcaptions_en.txt:3")
    ]


def test_a_language_twice_and_a_code_that_is_none(repository: Path) -> None:
    captions(repository, "ja", "a\nb\nc")
    captions(repository, "jp", "a\nb\nc", home="STAIR")
    captions(repository, "xx9", "a\nb\nc")
    assert [code for code, _, _ in faults(repository)] == ["E120", "E371"]


def test_missing_pictures_empty_captions_and_doubled_names_are_all_told(repository: Path) -> None:
    names = repository / "XTD10" / "test_image_names.txt"
    names.write_text("COCO_0.jpg\ngone.jpg\nCOCO_0.jpg\naway.jpg\n")
    captions(repository, "en", "a\n\nc\nd\n")
    assert [(code, place) for code, place, _ in faults(repository)] == [
        ("E125", "XTD10/test_image_names.txt:2"),
        ("E126", "XTD10/test_image_names.txt:3"),
        ("E125", "XTD10/test_image_names.txt:4"),
        ("E127", "XTD10/test_1kcaptions_en.txt:2"),
    ]


def test_missing_pictures_may_be_left_out(repository: Path) -> None:
    (repository / "val2014" / "COCO_1.jpg").unlink()
    captions(repository, "en", "a\nb\nc\n")
    split = opened(repository, missing="skip").split("t2i", "en", PLAIN)
    assert [query.text for query in split.queries] == ["a", "c"]


def test_equal_lines_are_counted_apart_and_told(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    data = opened(tmp_path)
    split = data.split("t2i", "ru", PLAIN)
    assert len(split.queries) == 6
    assert len({query.text for query in split.queries}) == 5
    (equal,) = [fault for fault in data.findings if fault.code == "W371"]
    assert equal.place == "texts ru"
    assert equal.found.startswith("2 of 6 lines in 'ru' are also captions of another picture")
    assert [fault.found for fault in data.findings if fault.code == "W373"] == ["6 pictures"]


def test_no_names(tmp_path: Path) -> None:
    assert [code for code, _, _ in faults(tmp_path)] == ["E131"]


def test_means_name_their_languages_and_what_is_missing(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("xtd10", "random:8", tmp_path)
    named = {one.name: one for one in means(result.cells)}
    assert set(named) == {f"{task} {name}" for task in ("t2i", "i2t") for name in SETS}
    seven = named["t2i mmE5-7"]
    assert seven.value is None
    assert seven.missing == tuple(f"t2i.{code}.plain" for code in ("it", "es", "zh", "pl", "tr", "ko"))
    assert seven.measure == "hit@10"


def test_a_whole_set_has_its_mean(repository: Path) -> None:
    for number, code in enumerate(SETS["mmE5-7"]):
        captions(repository, code, f"a{number}\nb{number}\nc{number}")
    result = evaluate("xtd10", "random:8", repository, tasks="t2i")
    values = [row.value for cell in result.cells for row in cell.scores if row.measure == "hit@10"]
    named = {one.name: one.value for one in means(result.cells)}
    assert named["t2i mmE5-7"] == pytest.approx(sum(value or 0.0 for value in values) / 7)
    assert named["t2i XTD-10"] is None
