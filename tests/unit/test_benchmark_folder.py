"""A user's own folder: every accepted shape of row, and every fault with its code and place, all at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from crossgauge.benchmark import PLAIN
from crossgauge.benchmarks.folder import BENCHMARK
from crossgauge.collection import Collection
from crossgauge.errors import InputError, UsageError

Rows = Callable[..., Path]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    """Write rows as JSON lines beside pictures a.png, b.png and c.png."""
    for number, name in enumerate(("a", "b", "c")):
        Image.new("RGB", (4, 4), (number, 0, 0)).save(tmp_path / f"{name}.png")

    def write(*lines: object) -> Path:
        text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
        (tmp_path / "metadata.jsonl").write_text(text, encoding="utf-8")
        return tmp_path

    return write


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


def told(data: Path, **options: str) -> dict[str, str]:
    """What each warning found, by code."""
    return {fault.code: f"{fault.found} | {fault.fix}" for fault in opened(data, **options).warnings}


def test_one_file_in_several_spellings_is_one_picture(rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "a.png").rename(tmp_path / "d" / "x.png")
    (tmp_path / "b.png").rename(tmp_path / "cafe\u0301.png")
    names = ["d/x.png", "./d/x.png", "d//x.png", "d/./x.png", "caf\u00e9.png", "cafe\u0301.png", "./c.png"]
    shown = [{"image": name, "text": f"text {number}"} for number, name in enumerate(names)]
    assert {picture.id: len(picture.texts["und"]) for picture in opened(rows(*shown)).pictures} == {
        "caf\u00e9.png": 2, "c.png": 1, "d/x.png": 4,
    }  # fmt: skip


def test_two_files_whose_names_differ_in_unicode_form_only_are_not_mixed_up(
    rows: Rows, tmp_path: Path
) -> None:
    (tmp_path / "a.png").rename(tmp_path / "caf\u00e9.png")
    (tmp_path / "b.png").rename(tmp_path / "cafe\u0301.png")
    if (tmp_path / "caf\u00e9.png").samefile(tmp_path / "cafe\u0301.png"):
        pytest.skip("one name to this file system")
    data = rows({"image": "caf\u00e9.png", "text": "x"}, {"image": "cafe\u0301.png", "text": "y"})
    assert faults(data) == [("E126", "metadata.jsonl:2")]


def test_the_case_of_a_name_is_kept(rows: Rows, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "A.png")
    data = opened(rows({"image": "a.png", "text": "x"}, {"image": "A.png", "text": "y"}))
    assert [picture.id for picture in data.pictures] == ["A.png", "a.png"]


def test_pictures_of_which_nothing_is_said_are_counted(rows: Rows) -> None:
    data = rows(
        {"image": "a.png", "text": "x"},
        {"image": "b.png", "txt": "y"},
        {"image": "c.png", "text": None, "label": ""},
    )
    found = told(data)
    assert found["W136"].startswith("2 of 3 pictures have neither a text nor a class: b.png, c.png")
    assert found["W137"] == "columns that are not read: 'txt' (1 row) | did you mean 'text' by 'txt'?"
    assert faults(rows({"image": "a.png", "text": None}, {"image": "b.png", "label": ""})) == [
        ("E124", "metadata.jsonl:1")
    ]


def test_rows_that_no_split_claims_are_counted(rows: Rows) -> None:
    data = rows(
        {"image": "a.png", "text": "x", "split": "Test "},
        {"image": "b.png", "text": "y", "split": ""},
        {"image": "b.png", "text": "z"},
        {"image": "c.png", "text": "y", "split": "tset"},
        {"image": "c.png", "text": "y", "split": "train"},
    )
    found = [fault.found for fault in opened(data).warnings if fault.code == "W138"]
    assert found == [
        "2 of 5 rows say no split: metadata.jsonl:2, metadata.jsonl:3",
        "1 of 5 rows are of split 'tset': metadata.jsonl:4",
    ]
    assert [picture.id for picture in opened(data).pictures] == ["a.png"]
    assert "W138" not in told(data, split="all")


def test_two_tables_of_one_folder_are_told(rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "metadata.csv").write_text("image,text\na.png,other\n")
    assert told(rows({"image": "a.png", "text": "x"}))["W139"].startswith(
        "2 tables of one folder: metadata.csv, metadata.jsonl"
    )


def test_only_folders_of_pictures_are_classes_and_the_rest_is_told(tmp_path: Path) -> None:
    for name in ("cat/1.png", ".hidden/1.png", ".ipynb_checkpoints/1.png", "__MACOSX/1.png", "2.png",
                 "cat/in/3.png", "cat/._1.png"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    (tmp_path / "dog").mkdir()
    assert list(opened(tmp_path, language="en").classes["en"]) == ["cat"]
    found = told(tmp_path)
    assert found["W140"].startswith("picture files in no class folder: 2 (2.png, cat/in/3.png)")
    assert found["W142"].startswith("folders without a picture: 1 (dog/)")


def test_pictures_without_any_table_are_named(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"E124 .*: 1 picture file but no table that tells of them: a\.png"):
        opened(tmp_path)


def test_a_row_without_its_picture_is_still_read(rows: Rows) -> None:
    data = rows({"image": "gone.png", "text": "", "lang": "xq"}, {"image": "a.png", "text": "x"})
    assert sorted(faults(data)) == [
        ("E120", "metadata.jsonl:1"), ("E125", "metadata.jsonl:1"), ("E127", "metadata.jsonl:1"),
    ]  # fmt: skip
    assert warned(data, missing="skip") == [("W126", "metadata.jsonl:1")]


def test_a_fault_of_the_table_hides_no_row_and_no_class(rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "classes.json").write_text('{"en": {"0": "x"}}')
    data = rows(
        "nonsense\n", {"image": "a.png", "label": "0"}, {"image": "b.png", "label": "1"},
        {"image": "gone.png", "label": "0"},
    )  # fmt: skip
    wanted = [("E122", "metadata.jsonl:1"), ("E125", "metadata.jsonl:4"), ("E136", "classes.json")]
    assert sorted(faults(data)) == wanted
    assert sorted(faults(data, split="dev")) == [("E122", "metadata.jsonl:1"), ("E130", "--set split=dev")]


def test_a_table_without_file_names_is_one_fault_and_its_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "metadata.csv").write_text("words,text,lang\nx,one,en\ny,,en\nz,three,xq\n")
    assert [one for one in faults(tmp_path) if one[0] != "W137"] == [
        ("E123", "metadata.csv"), ("E127", "metadata.csv:3"), ("E120", "metadata.csv:4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "column", [[b"x", b"y"], [{"bytes": b"x", "path": None}, {"bytes": b"y", "path": None}]]
)
def test_picture_bytes_are_one_fault_not_one_a_row(tmp_path: Path, column: list[object]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"image": column, "text": ["a", "b"]}), tmp_path / "metadata.parquet")
    assert faults(tmp_path) == [("E134", "metadata.parquet:row 1")]


@pytest.mark.parametrize("name", ["metadata.jsonl", "metadata.csv", "other.jsonl", "classes.json"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "lost link"])
def test_what_is_no_regular_file_is_refused_by_name(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "cat").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "cat" / "1.png")
    path = tmp_path / name
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere")
    assert [one for one in faults(tmp_path) if one[0] < "W"] == [("E138", name)]


def test_a_name_longer_than_any_file_is_a_missing_picture(rows: Rows, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"E125 .*\(5004 characters\)"):
        opened(rows({"image": "x" * 5000 + ".png", "text": "a"}))
    assert faults(tmp_path / ("x" * 5000))[0][0] == "E131"


def test_a_closed_folder_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", closed)
    assert faults(tmp_path) == [("E138", str(tmp_path))]


def test_the_shape_of_classes_is_told_in_our_words(rows: Rows, tmp_path: Path) -> None:
    for content, found in (("[]", "a JSON list"), ('{"en": []}', "'en' holds a JSON list")):
        (tmp_path / "classes.json").write_text(content)
        with pytest.raises(InputError, match=f"classes.json: {found}; wanted"):
            opened(rows({"image": "a.png", "label": "0"}))


def test_an_empty_table_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "metadata.csv").write_text("")
    assert faults(tmp_path)[0] == ("E124", "metadata.csv")
