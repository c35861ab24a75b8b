"""GEM's archives: every layout that is read, what is told of it, and every fault with its code and place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks.gem import BENCHMARK
from crossgauge.benchmarks.gem.data import GemData
from crossgauge.codes import CODES
from crossgauge.errors import InputError, UsageError

Files = Callable[..., Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A data folder with tables as text, and pictures or videos named one after the other."""

    def make(*media: str) -> Path:
        for number, name in enumerate(media):
            path = tmp_path / name
            if path.suffix == ".avi":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(f"film {number}".encode())
            else:
                draw(path, "red", size=16 + number)
        return tmp_path

    return make


def table(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line.replace("|", "\t") for line in lines) + "\n", encoding="utf-8")


def opened(data: Path, **options: str) -> GemData:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, GemData)
    return dataset


def refused(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as raised:
        opened(data, **options)
    assert all(fault.code in CODES for fault in raised.value.faults)
    return [(fault.code, fault.place) for fault in raised.value.faults if not fault.is_warning]


def warned(data: Path, **options: str) -> list[tuple[str, str]]:
    return [(f.code, f.place) for f in opened(data, **options).findings if f.code not in {"W391", "W395"}]


def rows(data: GemData) -> dict[str, list[tuple[str, str, str, str | None]]]:
    return {
        f"{part} {language}": [
            (one.query_id, one.item_id, one.query, one.media.name if one.media else None) for one in triplets
        ]
        for (part, language), triplets in data.sections.items()
    }


@pytest.mark.parametrize(
    "place",
    [
        "GEM-I/en/test.tsv", "GEMI/test/en.tsv", "gem_i/en.test.tsv", "Gem-I/test.en.tsv",
        "GEM-I/test_en.tsv", "GEM-I/en-US/data.test.tsv", "x/GEMI/en/test.tsv", "GEMI/GEMI/test-en.tsv",
    ],
)  # fmt: skip
@pytest.mark.parametrize("media", ["images/7.png", "images/en/7.png", "images/test/en/7.png"])
def test_language_and_split_stand_anywhere_in_the_path(files: Files, place: str, media: str) -> None:
    part = next(up for up in Path(place).parents if "gem" in up.name.casefold())
    data = files(f"{part}/{media}")
    table(data / place, "query|image_id", "a bee|7")
    assert rows(opened(data)) == {"GEM-I en": [("7", "7", "a bee", "7.png")]}


def test_the_part_itself_may_be_given_or_known_by_its_media_folder(files: Files, tmp_path: Path) -> None:
    files("GEM-V/videos/7.avi", "other/en/videos/7.avi")
    for part in ("GEM-V", "other"):
        table(tmp_path / part / "en" / "test.tsv", "query|video_id", "a bee|7")
        assert rows(opened(tmp_path / part)) == {"GEM-V en": [("7", "7", "a bee", "7.avi")]}


def test_what_is_no_gem_is_refused_with_the_layout(files: Files, tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == [("E391", str(tmp_path / "none"))]
    assert refused(tmp_path) == [("E391", str(tmp_path))]
    files("a/images/1.png", "a/videos/1.avi", "b/GEMI/images/1.png", "b/gem-i/images/1.png")
    assert refused(tmp_path / "a") == [("E391", str(tmp_path / "a"))], "pictures and videos in one folder"
    assert refused(tmp_path / "b") == [("E391", str(tmp_path / "b"))], "two folders for one part"
    (tmp_path / "c" / "GEM-I").mkdir(parents=True)
    assert refused(tmp_path / "c") == [("E391", str(tmp_path / "c" / "GEM-I"))], "no table"


def test_csv_json_lines_and_parquet_are_read_as_well(files: Files) -> None:
    data = files(*(f"GEM-I/images/{n}.png" for n in (1, 2, 3)))
    home = data / "GEM-I"
    table(home / "en.test.csv", "Query,Image ID", '"bees, many",1')
    table(home / "de.test.jsonl", '{"query": "Biene", "image_id": 2}')
    pq.write_table(pa.table({"query": ["abeille"], "imageId": ["3"]}), home / "fr.test.parquet")
    assert {key: found[0][:3] for key, found in rows(opened(data)).items()} == {
        "GEM-I en": ("1", "1", "bees, many"),
        "GEM-I de": ("2", "2", "Biene"),
        "GEM-I fr": ("3", "3", "abeille"),
    }


def test_one_table_may_hold_several_languages(files: Files) -> None:
    data = files("GEM-V/videos/1.avi", "GEM-V/videos/2.avi")
    table(data / "GEM-V" / "test.tsv", "language|query|video_id", "zh-t|蜜蜂|1", "iw|דבורה|2")
    assert sorted(rows(opened(data))) == ["GEM-V he", "GEM-V zh-Hant"]


@pytest.mark.parametrize(
    ("header", "cells", "ids"),
    [
        ("query_id|query|image_id", "q1|a bee|7", ("q1", "7")),
        ("query|image_id", "a bee|7", ("7", "7")),
        ("id|query|image_id", "3|a bee|7", ("3", "7")),
        ("id|query", "7|a bee", ("7", "7")),
        ("id|query|image", "3|a bee|images/7.png", ("3", "images/7.png")),
        ("qid|query|image|image_id", "q1|a bee|7.png|x", ("q1", "x")),
        ("query", "a bee", ("1", "1")),
        ("query|image_id|image_url", "a bee|7|http://a.example/b.png", ("7", "7")),
    ],
)
def test_ids_come_from_the_best_column_there_is(
    files: Files, header: str, cells: str, ids: tuple[str, str]
) -> None:
    data = files("GEM-I/en/images/7.png", "GEM-I/en/images/1.png")
    table(data / "GEM-I" / "en" / "test.tsv", header, cells)
    query, item, _, media = rows(opened(data))["GEM-I en"][0]
    assert (query, item) == ids
    assert media == ("1.png" if ids == ("1", "1") else "7.png")


def test_columns_without_a_header_are_named_by_position(files: Files) -> None:
    data = files("GEM-I/images/7.png", "GEM-I/images/8.png")
    table(data / "GEM-I" / "en.test.tsv", 'x|7|a "bee|the title', "x|8|a fly|another")
    dataset = opened(data, columns="-,image_id,query,title")
    assert [row[2] for row in rows(dataset)["GEM-I en"]] == ['a "bee', "a fly"]
    assert dataset.languages("QIT") == ("en",)
    assert dataset.facts()["GEM-I columns"] == "query: query, title: title, item id: image_id (1 table)"
    assert refused(data)[0][0] == "E393", "the first row is no header"
    assert refused(data, columns="query,image_id")[0] == ("E123", "GEM-I/en.test.tsv:1")


def test_a_header_that_says_what_was_given_is_no_row(files: Files) -> None:
    data = files("GEM-I/images/7.png")
    table(data / "GEM-I" / "en.test.csv", "Query,image-id", "a bee,7")
    assert len(rows(opened(data, columns="query,image_id"))["GEM-I en"]) == 1


@pytest.mark.parametrize("columns", ["image_id,title", "query,colour", "query,query", "query,"])
def test_columns_that_mean_nothing_are_refused(files: Files, columns: str) -> None:
    with pytest.raises(UsageError) as raised:
        opened(files("GEM-I/images/7.png"), columns=columns)
    assert raised.value.faults[0].code == "E398"


def test_the_split_is_never_changed_silently(files: Files) -> None:
    data = files("GEM-I/images/7.png", "GEM-I/images/8.png")
    table(data / "GEM-I" / "en.dev.tsv", "query|image_id", "a bee|7")
    table(data / "GEM-I" / "en.valid.tsv", "query|image_id", "a fly|8")
    assert refused(data) == [("E392", "GEM-I")]
    assert [row[2] for row in rows(opened(data, split="dev"))["GEM-I en"]] == ["a bee", "a fly"]


def test_tables_without_a_split_are_taken_where_none_says_one(files: Files) -> None:
    data = files("GEM-I/images/7.png")
    table(data / "GEM-I" / "en.tsv", "query|image_id", "a bee|7")
    table(data / "GEM-I" / "stats.csv", "query,count", "a bee,1")
    assert warned(data) == [("W394", "GEM-I"), ("W394", "GEM-I/stats.csv")]
    table(data / "GEM-I" / "de.test.tsv", "query|image_id", "Biene|7")
    assert sorted(rows(opened(data))) == ["GEM-I de"]
    assert warned(data) == [("W394", "GEM-I")], "now they are passed over, and said so"


def test_all_faults_of_all_tables_are_told_at_once(files: Files) -> None:
    data = files("GEM-I/images/7.png", "GEM-I/images/8.png", "GEM-I/images/8.jpg", "GEM-V/videos/1.avi")
    table(
        data / "GEM-I" / "en.test.tsv", "query_id|query|image_id|title",
        "1|a bee|7|bees", "2| |7|bees", "3|a fly|none|flies", "4|an ant|8|ants", "1|a wasp|7|wasps",
        "6|a moth|7| ", "7|a bug|../7|bugs",
    )  # fmt: skip
    table(
        data / "GEM-V" / "en.test.tsv", "query|video|video_id", "a bee|1.avi|x", "a fly|2.avi|x", "ant|1.avi"
    )
    assert sorted(refused(data)) == [
        ("E123", "GEM-V/en.test.tsv:4"),
        ("E127", "GEM-I/en.test.tsv:3"),
        ("E128", "GEM-I/en.test.tsv:8"),
        ("E390", "GEM-I/en.test.tsv:4"),
        ("E390", "GEM-V/en.test.tsv:3"),
        ("E394", "GEM-I/en.test.tsv:7"),
        ("E395", "GEM-I/en.test.tsv:6"),
        ("E395", "GEM-V/en.test.tsv:3"),
        ("E397", "GEM-I/en.test.tsv:5"),
    ]


def test_one_item_id_is_one_file(files: Files) -> None:
    data = files("GEM-I/images/7.png", "GEM-I/images/8.png")
    table(data / "GEM-I" / "en.test.tsv", "qid|query|image|image_id", "1|a bee|7.png|x", "2|a fly|8.png|x")
    assert refused(data) == [("E396", "GEM-I/en.test.tsv:3")]


def test_pictures_inside_a_table_are_refused(files: Files) -> None:
    data = files("GEM-I/images/7.png")
    pictures = pa.array([{"bytes": b"abc", "path": "7.png"}])
    pq.write_table(pa.table({"query": ["a bee"], "image": pictures}), data / "GEM-I" / "en.test.parquet")
    assert refused(data) == [("E134", "GEM-I/en.test.parquet:row 1")]


def test_missing_skip_leaves_whole_rows_out_and_counts_them(files: Files) -> None:
    data = files("GEM-I/images/7.png", "GEM-I/images/9.png")
    table(
        data / "GEM-I" / "en.test.tsv", "query|image_id|title", "a bee|7|bees", "a fly|8|flies", "an ant|9|",
    )  # fmt: skip
    assert [code for code, _ in refused(data)] == ["E390", "E394"]
    dataset = opened(data, missing="skip")
    assert len(dataset.media()) == 1
    told = next(fault for fault in dataset.findings if fault.code == "W390")
    assert told.found.startswith("2 rows")
    assert "'8'" in told.found


def test_missing_skip_hides_no_other_fault(files: Files) -> None:
    data = files("GEM-I/images/7.png", "GEM-I/images/8.png", "GEM-I/images/8.jpg")
    lines = ("a bee|7", "a fly|8", "an ant|../7", "a moth|9")
    table(data / "GEM-I" / "en.test.tsv", "query|image_id", *lines)
    found = refused(data, missing="skip")
    assert sorted(found) == [("E128", "GEM-I/en.test.tsv:4"), ("E397", "GEM-I/en.test.tsv:3")]


def test_where_no_row_is_left_the_reasons_are_told(files: Files) -> None:
    data = files("en/images/7.png")
    table(data / "en" / "test.tsv", "query|image_id", "a bee|7", "a fly|8")
    with pytest.raises(InputError) as raised:
        opened(data / "en")
    assert [fault.code for fault in raised.value.faults] == ["E124", "W394"], "a folder of one language"


def test_an_address_is_never_followed(files: Files) -> None:
    data = files("GEM-I/images/7.png")
    table(data / "GEM-I" / "en.test.tsv", "query|image", "a bee|http://a.example/7.png")
    assert refused(data) == [("E390", "GEM-I/en.test.tsv:2")]


def test_media_none_needs_no_file(files: Files) -> None:
    data = files()
    table(data / "GEM-V" / "en.test.tsv", "query|video_id|title", "a bee|7|bees")
    dataset = opened(data, media="none")
    assert dataset.declared("QV", "en") == (("7",), ("7",))
    assert dataset.captions("TQ", "en").references == (("a bee",),)
    assert dataset.facts()["GEM-V media"] == "not looked for (media=none)"
    assert dataset.fingerprint.startswith("sha256:")


def test_sizes_and_languages_that_differ_from_those_published_are_told(files: Files) -> None:
    data = files("GEM-I/images/7.png")
    table(data / "GEM-I" / "sv.test.tsv", "query|image_id", "ett bi|7")
    table(data / "GEM-I" / "en.test.tsv", "query|image_id|colour", "a bee|7|red")
    assert ("W396", "GEM-I/sv.test.tsv") in warned(data)
    assert ("W137", "GEM-I/en.test.tsv") in warned(data)
    sizes = next(fault for fault in opened(data).findings if fault.code == "W391")
    assert sizes.found.startswith("1 of 20 languages; absent: ca, cs, de, es, fr, …; rows: en 1 of 1,000")


def test_nothing_is_odd_where_every_language_has_its_size(files: Files) -> None:
    from crossgauge.benchmarks.gem.tasks import SIZES, code_of

    data = files()
    for language, size in SIZES["GEM-V"].items():
        lines = [f"{language} {n}|{n}|t" for n in range(size.test)]
        table(data / "GEM-V" / f"{code_of(language)}.test.tsv", "query|video_id|title", *lines)
    dataset = opened(data, media="none")
    assert dataset.findings == ()
    assert len(dataset.languages("QV")) == 30
    assert dataset.facts()["videos"] == "28997"
