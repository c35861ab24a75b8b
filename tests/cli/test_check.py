"""``crossgauge check``: exit codes, one JSON document, the list of items."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge.cli import main


def check(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(["check", *map(str, arguments)])
    return int(left.value.code or 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    lines = []
    for number in range(12):
        Image.new("RGB", (4, 4), (number, 0, 0)).save(data / f"{number}.png")
        lines.append(json.dumps({"image": f"{number}.png", "text": f"text {number}", "lang": "en"}))
    (data / "metadata.jsonl").write_text("\n".join(lines))
    return data


def test_good_data_exit_with_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("folder", "--data", folder) == 0
    told = capsys.readouterr()
    assert "0 errors, 0 warnings: ok" in told.out
    assert "i2t (image→text)" in told.out


def test_bad_data_exit_with_3_and_name_every_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = folder / "metadata.jsonl"
    table.write_text(table.read_text() + '\n{"image": "gone.png", "text": ""}\nnonsense')
    assert check("folder", "--data", folder) == 3
    told = capsys.readouterr().out
    assert "metadata.jsonl:13" in told
    assert "metadata.jsonl:14" in told
    assert "not fit to measure" in told


def test_a_picture_that_cannot_be_decoded_exits_with_3(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "3.png").write_text("not a picture")
    assert check("folder", "--data", folder, "--json") == 3
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["ok"]) == (1, False)
    assert [fault["code"] for fault in document["faults"]] == ["E162"]


def test_json_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("folder", "--data", folder, "--set", "language=de", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["facts"]["pictures"] == "12"
    assert document["facts"]["data"].startswith("sha256:")


def test_items_list_every_id_once(folder: Path, tmp_path: Path) -> None:
    assert check("folder", "--data", folder, "--items", tmp_path / "items.jsonl") == 0
    rows = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert len({row["id"] for row in rows}) == len(rows) == 24
    assert {"id": "en:0.png", "modality": "text", "text": "text 0", "lang": "en"} in rows
    (picture,) = [row for row in rows if row["id"] == "0.png"]
    assert Path(picture["image"]).is_file()
    assert picture["modality"] == "image"


def test_items_that_cannot_be_written_are_no_traceback(folder: Path, tmp_path: Path) -> None:
    assert check("folder", "--data", folder, "--items", tmp_path / "none" / "items.jsonl") == 4


def test_much_is_counted_and_every_code_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(12):
        (folder / f"{number}.png").write_bytes((folder / f"{number // 2}.png").read_bytes())
    rows = [json.dumps({"image": f"{n}.png", "text": f"text {n // 2}", "lang": "jp"}) for n in range(12)]
    (folder / "metadata.jsonl").write_text("\n".join(rows))
    assert check("folder", "--data", folder) == 0
    told = capsys.readouterr().out
    assert "more W123; --json shows all" in told
    assert all(code in told for code in ("W120", "W123", "W132", "W133", "W134"))


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    for name, rows in (("query", [[1, 0], [0, 1]]), ("item", [[1, 1], [1, -1]])):
        np.save(tmp_path / f"{name}.npy", np.array(rows, dtype=np.float32))
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    return tmp_path / "query.npy", tmp_path / "item.npy"


def ids(side: Path) -> Path:
    return side.with_suffix(".txt")


def test_vectors(sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    queries, corpus = sides
    given = [
        "embeddings",
        "-q",
        queries,
        "-c",
        corpus,
        "--query-ids",
        ids(queries),
        "--corpus-ids",
        ids(corpus),
    ]
    assert check(*given) == 0
    assert "2 vectors of 2 dimensions, float32" in capsys.readouterr().out
    np.save(queries, np.zeros((2, 3), dtype=np.float32))
    assert check(*given, "--json") == 3
    document = json.loads(capsys.readouterr().out)
    assert [fault["code"] for fault in document["faults"]] == ["E150", "E151", "W150"]


def test_vectors_that_cannot_be_read_are_told_for_both_sides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("embeddings", "-q", tmp_path / "a.npy", "-c", tmp_path / "b.npy", "--json") == 3
    places = [fault["place"] for fault in json.loads(capsys.readouterr().out)["faults"]]
    assert places == [str(tmp_path / "a.npy"), str(tmp_path / "b.npy")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("embeddings",),
        ("embeddings", "-q", "x.npy"),
        ("embeddings", "-q", "x.npy", "-c", "y.npy", "--items", "z.jsonl"),
        ("emoji", "-q", "x.npy"),
        ("emojy",),
        ("folder",),
        ("emoji", "--set", "nothing=1"),
    ],
)
def test_wrong_use_exits_with_2(arguments: tuple[str, ...]) -> None:
    assert check(*arguments) == 2


def test_faults_of_the_table_hide_no_damaged_picture(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "3.png").write_text("not a picture")
    (folder / "4.png").write_bytes((folder / "4.png").read_bytes()[:-28])
    table = folder / "metadata.jsonl"
    table.write_text(
        table.read_text() + '\n{"image": "gone.png", "text": "", "lang": "xq"}\n{"image": "5.png"'
    )
    assert check("folder", "--data", folder, "--json") == 3
    codes = {fault["code"] for fault in json.loads(capsys.readouterr().out)["faults"]}
    assert codes >= {"E120", "E122", "E125", "E127", "E162", "E163"}


def test_a_picture_that_may_not_be_read_is_a_finding(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests may run as root, who may read everything."""
    opened = os.open

    def closed(file: Any, *given: Any, **more: Any) -> int:
        if str(file).endswith("3.png"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
        return opened(file, *given, **more)

    monkeypatch.setattr(os, "open", closed)
    assert check("folder", "--data", folder, "--json") == 3
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert [(one["code"], one["found"]) for one in faults] == [("E160", "Permission denied")]


@pytest.mark.parametrize("benchmark", ["folder", "egmm", "stamps", "emoji"])
def test_a_sample_that_cannot_be_written_is_no_bug(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, benchmark: str
) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "in", tmp_path / ("x" * 5000)):
        with pytest.raises(SystemExit) as left:
            main(["sample", benchmark, str(place)])
        assert left.value.code == 4
        assert "E501" in capsys.readouterr().err

    def closed(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", closed)
    with pytest.raises(SystemExit) as left:
        main(["sample", benchmark, str(tmp_path / "new")])
    assert left.value.code == 4
