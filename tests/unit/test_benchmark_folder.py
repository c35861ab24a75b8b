"""A user's own folder: every accepted shape of row, and every fault with its code and place, all at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.folder import BENCHMARK
from crossgauge.collection import Collection
from crossgauge.errors import InputError, UsageError
from tests.unit.conftest import Rows


def opened(data: Path, **options: str) -> Collection:
    dataset = BENCHMARK.open(data, options)
    assert isinstance(dataset, Collection)
    return dataset


def faults(data: Path, **options: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        opened(data, **options)
    return [(fault.code, fault.place) for fault in refused.value.faults]


def warned(data: Path, **options: str) -> list[tuple[str, str]]:
    return [(fault.code, fault.place) for fault in opened(data, **options).warnings]


def texts(data: Collection) -> dict[str, dict[str, tuple[str, ...]]]:
    return {picture.id: dict(picture.texts) for picture in data.pictures}


def test_texts_come_as_one_as_a_list_or_by_language(rows: Rows) -> None:
    data = rows(
        {"image": "a.png", "text": "one", "lang": "de"},
        {"image": "b.png", "texts": ["one", "two"]},
        {"file_name": "c.png", "texts": {"en": "three", "fr": ["quatre", "cinq"], "es": None}},
    )
    assert texts(opened(data)) == {
        "a.png": {"de": ("one",)},
        "b.png": {"und": ("one", "two")},
        "c.png": {"en": ("three",), "fr": ("quatre", "cinq")},
    }


def test_the_language_option_names_what_rows_do_not(rows: Rows) -> None:
    data = opened(rows({"image": "a.png", "text": "eins", "label": "x"}), language="deu")
    assert data.languages("i2t") == data.languages("classify") == ("de",)


def test_ids_are_opaque(rows: Rows) -> None:
    names: list[object] = ["a.b", "ü 1", "0007"]
    shown = [
        {"id": one, "image": f"{file}.png", "text": file} for one, file in zip(names, "abc", strict=True)
    ]
    assert [picture.id for picture in opened(rows(*shown)).pictures] == sorted(map(str, names))


def test_rows_of_one_picture_add_captions(rows: Rows) -> None:
    data = rows({"image": "a.png", "text": "x"}, {"image": "a.png", "text": "y", "lang": "de"})
    assert texts(opened(data)) == {"a.png": {"und": ("x",), "de": ("y",)}}


def test_a_file_name_in_another_unicode_form_is_found(rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "a.png").rename(tmp_path / "cafe\u0301.png")
    assert opened(rows({"image": "caf\u00e9.png", "text": "x"})).pictures[0].path.is_file()


def test_every_fault_is_told_at_once_with_its_line(rows: Rows) -> None:
    data = rows(
        {"image": "a.png", "id": 1, "text": "fine"},
        {"image": "b.png", "id": 1, "text": "the id of another"},
        {"image": "gone.png", "text": "x"},
        {"image": "../secret.png", "text": "x"},
        {"image": "/etc/passwd", "text": "x"},
        {"image": "C:\\x.png", "text": "x"},
        {"image": "b.png", "text": ""},
        {"image": "b.png", "text": " \t"},
        {"image": "b.png", "text": "a\0b"},
        {"image": "b.png", "text": 7},
        {"image": "b.png", "text": "\u200b\ufeff"},
        {"image": "b.png", "text": "half \ud83d"},
        {"image": "b.png", "text": "x", "lang": "klingonish"},
        '{"image": "b.png", "text": "x"\n',
        {"image": 5, "text": "x"},
        {"image": "b.png", "id": 1.5, "text": "x"},
        {"image": "c.png", "label": "one"},
        {"image": "c.png", "label": "two"},
    )
    assert sorted(faults(data), key=lambda fault: int(fault[1].rpartition(":")[2])) == [
        ("E126", "metadata.jsonl:2"),
        ("E125", "metadata.jsonl:3"),
        ("E128", "metadata.jsonl:4"),
        ("E128", "metadata.jsonl:5"),
        ("E128", "metadata.jsonl:6"),
        ("E127", "metadata.jsonl:7"),
        ("E127", "metadata.jsonl:8"),
        ("E127", "metadata.jsonl:9"),
        ("E127", "metadata.jsonl:10"),
        ("E127", "metadata.jsonl:11"),
        ("E127", "metadata.jsonl:12"),
        ("E120", "metadata.jsonl:13"),
        ("E122", "metadata.jsonl:14"),
        ("E129", "metadata.jsonl:15"),
        ("E129", "metadata.jsonl:16"),
        ("E135", "metadata.jsonl:18"),
    ]


def test_what_is_odd_warns_and_stays(rows: Rows) -> None:
    data = rows(
        {"image": "a.png", "text": "cafe\u0301", "lang": "fr"},
        {"image": "b.png", "text": "caf\u00e9", "lang": "fr"},
        {"image": "a.png", "text": " caf\u00e9 ", "lang": "fr"},
        {"image": "a.png", "text": "\u0301\u0302", "lang": "jp"},
        {"image": "b.png", "text": "\u202eabc", "lang": "jp"},
        {"image": "b.png", "text": "a\ufffdb"},
        {"image": "b.png", "text": "a\x07b"},
        {"image": "c.png", "text": "a\u2028b"},
        {"image": "c.png", "text": "a\nb"},
    )
    assert sorted(warned(data)) == [
        ("W120", "metadata.jsonl:4"),
        ("W121", "metadata.jsonl:2"),
        ("W122", "metadata.jsonl:4"),
        ("W122", "metadata.jsonl:5"),
        ("W122", "metadata.jsonl:6"),
        ("W122", "metadata.jsonl:7"),
        ("W122", "metadata.jsonl:8"),
        ("W125", "metadata.jsonl:3"),
    ]
    split = opened(data).split("t2i", "fr", PLAIN)
    assert [query.text for query in split.queries] == ["caf\u00e9"]
    assert split.qrels.items.tolist() == [0, 1]


def test_what_repeats_is_counted_not_repeated(rows: Rows) -> None:
    data = rows(*({"image": f"{name}.png", "text": name, "lang": "iw"} for name in "abc"))
    (fault,) = opened(data).warnings
    assert str(fault).startswith("W120 metadata.jsonl:1: language code 'iw' (3 times)")


def test_missing_pictures_may_be_skipped_and_are_counted(rows: Rows) -> None:
    data = rows({"image": "a.png", "text": "x"}, {"image": "gone.png", "text": "y"})
    assert faults(data) == [("E125", "metadata.jsonl:2")]
    assert warned(data, missing="skip") == [("W126", "metadata.jsonl:2")]
    assert [picture.id for picture in opened(data, missing="skip").pictures] == ["a.png"]


def test_splits(rows: Rows) -> None:
    data = rows(
        {"image": "a.png", "text": "x", "split": "dev"},
        {"image": "b.png", "text": "y", "split": "test"},
        {"image": "gone.png", "text": "z", "split": "train"},
    )
    assert [picture.id for picture in opened(data).pictures] == ["b.png"]
    assert [picture.id for picture in opened(data, split="val").pictures] == ["a.png"]
    with pytest.raises(UsageError, match="one of: test, train, validation, all"):
        opened(data, split="nonsense")
    assert faults(data, split="all") == [("E125", "metadata.jsonl:3")]


def test_a_table_in_a_folder_of_its_split(tmp_path: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        Image.new("RGB", (4, 4)).save(tmp_path / split / "x.png")
        (tmp_path / split / "metadata.csv").write_text(f"file_name,text\nx.png,{split}\n")
    assert [picture.id for picture in opened(tmp_path).pictures] == ["test/x.png"]
    assert len(opened(tmp_path, split="all").pictures) == 2


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.parquet", "metadata.tsv", "any.jsonl"])
def test_every_kind_of_table(tmp_path: Path, name: str) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "x, 1.png")
    if name.endswith("parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"file_name": ["x, 1.png"], "text": [["a", "b"]]}), tmp_path / name)
    elif name.endswith("jsonl"):
        (tmp_path / name).write_text('{"file_name": "x, 1.png", "text": ["a", "b"]}')
    else:
        comma = "," if name.endswith("csv") else "\t"
        (tmp_path / name).write_text(
            f'\ufefffile_name{comma}text\n"x, 1.png"{comma}a\n"x, 1.png"{comma}b\n', "utf-8"
        )
    for given in (tmp_path, tmp_path / name):
        assert texts(opened(given)) == {"x, 1.png": {"und": ("a", "b")}}


def test_picture_bytes_inside_parquet_say_what_to_do(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = [{"bytes": b"x", "path": "x.png"}, {"bytes": b"y", "path": "y.png"}]
    pq.write_table(pa.table({"image": column, "text": ["a", "b"]}), tmp_path / "metadata.parquet")
    assert faults(tmp_path) == [("E134", "metadata.parquet:row 1")]


def test_missing_columns_name_what_would_do(tmp_path: Path) -> None:
    (tmp_path / "metadata.csv").write_text("picture,words\na.png,x\n")
    with pytest.raises(InputError) as refused:
        opened(tmp_path)
    wanted = [fault.wanted for fault in refused.value.faults if fault.code == "E123"]
    assert wanted[0].startswith("a column image or file_name")
    assert wanted[1].startswith("a column text or texts")


def test_folders_of_pictures_are_classes(tmp_path: Path) -> None:
    for name in ("cat/1.png", "dog/1.png", "dog/2.PNG"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    (tmp_path / "dog" / "notes.txt").write_text("no picture")
    split = opened(tmp_path, language="en").split("classify", "en", PLAIN)
    assert [item.id for item in split.queries] == ["cat/1.png", "dog/1.png", "dog/2.PNG"]
    assert [item.text for item in split.corpus] == ["cat", "dog"]


def test_classes_may_be_named_in_other_words_and_languages(rows: Rows, tmp_path: Path) -> None:
    names = {"en": {"0": "crane", "1": "crane"}, "iw": {"0": "עגורן", "1": "עגור"}}
    (tmp_path / "classes.json").write_text(json.dumps(names))
    data = opened(rows({"image": "a.png", "label": 0}, {"image": "b.png", "label": 1}))
    assert data.languages("classify") == ("en", "he")
    assert [fault.code for fault in data.findings] == ["W120", "W124"]


def test_a_class_without_a_name_in_a_language_is_refused(rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "classes.json").write_text(json.dumps({"en": {"0": "x"}, "it": {"0": "x", "1": "y"}}))
    data = rows({"image": "a.png", "label": "0"}, {"image": "b.png", "label": "1"})
    assert faults(data) == [("E136", "classes.json")]


@pytest.mark.parametrize("content", ["[]", "{", '{"en": []}'])
def test_a_broken_classes_file_is_a_fault(rows: Rows, tmp_path: Path, content: str) -> None:
    (tmp_path / "classes.json").write_text(content)
    assert faults(rows({"image": "a.png", "label": "0"})) == [("E122", "classes.json")]


def test_nothing_there(tmp_path: Path) -> None:
    assert faults(tmp_path) == [("E124", str(tmp_path))]
    assert faults(tmp_path / "none") == [("E131", str(tmp_path / "none"))]
    (tmp_path / "x.txt").write_text("")
    assert faults(tmp_path / "x.txt") == [("E131", str(tmp_path / "x.txt"))]


def test_an_unknown_default_language_is_a_usage_error(rows: Rows) -> None:
    with pytest.raises(UsageError, match="E120"):
        opened(rows({"image": "a.png", "text": "x"}), language="klingonish")
