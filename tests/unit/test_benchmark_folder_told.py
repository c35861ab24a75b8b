"""What a folder of pictures holds that is odd: nothing drops out without a word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image

from crossgauge.errors import InputError
from tests.unit.conftest import Rows
from tests.unit.test_benchmark_folder import faults, opened, warned


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
