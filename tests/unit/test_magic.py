"""A file that is no text is called what it is, wherever text is read; text is never called anything else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from crossgauge.annotations import read_annotations
from crossgauge.concepts.named import hierarchy_of
from crossgauge.errors import InputError
from crossgauge.magic import no_text
from crossgauge.readers.ids import read_ids
from crossgauge.readers.qrels import read_qrels
from crossgauge.readers.strict_json import parse_json
from crossgauge.submission.problems import Problems
from crossgauge.submission.text import blocks
from crossgauge.tables import read_table

TABLE = b"query,image,text\nq1,a.png,a red bus\n" * 40


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def zipped(name: str, content: bytes = TABLE, *, packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    def write(stream: io.BytesIO) -> None:
        with zipfile.ZipFile(stream, "w", packed) as archive:
            archive.writestr(name, content)

    return written(write)


def tarred() -> bytes:
    def write(stream: io.BytesIO) -> None:
        with tarfile.open(fileobj=stream, mode="w") as archive:
            member = tarfile.TarInfo("a.png")
            member.size = 64
            archive.addfile(member, io.BytesIO(b"\x89PNG\xff" + bytes(59)))

    return written(write)


def picture(kind: str) -> bytes:
    return written(lambda stream: Image.new("RGB", (9, 7), "teal").save(stream, kind))


FILES = {
    "zip": (zipped("table.csv"), "a zip archive", "unpack it"),
    "xlsx": (zipped("[Content_Types].xml"), "Excel", "save the sheet as CSV"),
    "ods": (
        zipped("mimetype", b"application/vnd.oasis.opendocument.spreadsheet", packed=zipfile.ZIP_STORED),
        "OpenDocument", "save the sheet as CSV",
    ),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "old Excel", "save the sheet as CSV"),
    "gzip": (gzip.compress(TABLE), "a gzip archive", "unpack it"),
    "bzip2": (bz2.compress(TABLE), "a bzip2 archive", "unpack it"),
    "xz": (lzma.compress(TABLE), "an xz archive", "unpack it"),
    "tar": (tarred(), "a tar archive", "unpack it"),
    "parquet": (
        written(lambda stream: pq.write_table(pa.table({"query": ["q"]}), stream)),
        "a Parquet table", "*.parquet",
    ),
    "npy": (written(lambda stream: np.save(stream, np.ones(3))), "a NumPy array", "as text"),
    "pdf": (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n", "a PDF document", "CSV"),
    "png": (picture("PNG"), "a picture", "name the table"),
    "jpeg": (picture("JPEG"), "a picture", "name the table"),
    "gif": (picture("GIF"), "a picture", "name the table"),
    "webp": (picture("WEBP"), "a picture", "name the table"),
    "bmp": (picture("BMP"), "a picture", "name the table"),
    "tiff": (picture("TIFF"), "a picture", "name the table"),
    "mp4": (b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41\xff", "a video", "name the table"),
    "unknown": (bytes(range(256)) * 4, "no known format", "right file"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl"])
def test_a_table_that_is_none_is_one_fault_that_says_what_it_is(tmp_path: Path, kind: str, name: str) -> None:
    data, called, fix = FILES[kind]
    (tmp_path / name).write_bytes(data)
    (fault,) = read_table(tmp_path / name).faults
    assert (fault.code, fault.place) == ("E121", name)
    assert called in fault.found
    assert fix in fault.fix


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind != "parquet"])
def test_so_is_a_parquet_table(tmp_path: Path, kind: str) -> None:
    data, called, fix = FILES[kind]
    (tmp_path / "t.parquet").write_bytes(data)
    (fault,) = read_table(tmp_path / "t.parquet").faults
    assert (fault.code, fault.place) == ("E134", "t.parquet")
    assert called in fault.found
    assert fix in fault.fix


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("E211", read_qrels),
        ("E211", read_ids),
        ("E222", lambda path: parse_json(path.read_bytes(), str(path))),
        ("E271", lambda path: hierarchy_of(str(path))),
        ("E290", lambda path: read_annotations(path, hierarchy=hierarchy_of("wordnet"))),
        ("E484", lambda path: list(blocks(io.BytesIO(path.read_bytes()), Problems(str(path))))),
    ],
)
@pytest.mark.parametrize("kind", ["zip", "png", "pdf"])
def test_every_reader_of_text_says_so(
    tmp_path: Path, code: str, read: Callable[[Path], object], kind: str
) -> None:
    data, called, fix = FILES[kind]
    path = tmp_path / "given.txt"
    path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        read(path)
    (fault,) = refused.value.faults
    assert (fault.code, fault.place) == (code, str(path))
    assert called in fault.found
    assert fix in fault.fix


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PAR1,text\n",
        "BM,x\n",
        "PK,name\n",
        "GIF89a,a\n",
        "RIFF1234WEBP\n",
        "BZh91AY&SY\n",
        "漢字,ü\n" * 400,
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_stays_text(text: str, encoding: str) -> None:
    assert no_text(text.encode(encoding)) is None


@pytest.mark.parametrize("encoding", ["latin-1", "cp1251", "shift-jis", "gb18030", "koi8-r"])
def test_text_in_another_encoding_is_not_called_binary(encoding: str) -> None:
    words = {"latin-1": "größe,é\n", "shift-jis": "漢字,かな\n", "gb18030": "汉字,表\n"}
    assert no_text((words.get(encoding, "размер,снимок\n") * 90).encode(encoding)) is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_wide_text_without_a_mark_is_told_as_such(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.csv").write_bytes(("image,größe\na.png,größer als ein Bär\n" * 9).encode(encoding))
    (fault,) = read_table(tmp_path / "t.csv").faults
    assert "UTF-16" in fault.found


def test_a_control_character_in_text_of_another_encoding_is_no_format(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(
        "image,text\na.png,caf\xe9 au lait\x07 and a few more words\n".encode("latin-1")
    )
    assert [fault.place for fault in read_table(tmp_path / "t.csv").faults] == ["t.csv:2"]
