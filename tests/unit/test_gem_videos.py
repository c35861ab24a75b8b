"""Videos that are none, and languages without titles: told when GEM's data are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.benchmarks.gem import BENCHMARK
from crossgauge.benchmarks.gem.videos import is_video
from crossgauge.errors import Fault, InputError

PACKETS = b"G" + bytes(187)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    BENCHMARK.sample(tmp_path)
    return tmp_path


def told(data: Path, code: str, **options: str) -> list[Fault]:
    try:
        findings = BENCHMARK.open(data, options).findings
    except InputError as error:
        findings = error.faults
    return [fault for fault in findings if fault.code == code]


@pytest.mark.parametrize(
    "head",
    [
        b"RIFF\x10\0\0\0AVI LIST", b"\0\0\0\x18ftypisom", b"\0\0\0\x08wide", b"\x1a\x45\xdf\xa3\x01",
        b"\0\0\x01\xba\x44", PACKETS * 2, (b"\0\0\0\0" + PACKETS) * 2, b"FLV\x01", b"OggS\0",
        b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6", b"GIF89a",
    ],
)  # fmt: skip
def test_containers_that_are_known(head: bytes) -> None:
    assert is_video(head)


@pytest.mark.parametrize(
    "head",
    [b"", b"G", b"GET / HTTP", b"not a video", b"<html>", b"RIFF\x10\0\0\0WAVEfmt ", b"\x89PNG\r\n", PACKETS],
)  # fmt: skip
def test_what_begins_otherwise_is_none(head: bytes) -> None:
    assert not is_video(head)


def test_a_sample_has_no_odd_video(data: Path) -> None:
    assert told(data, "E399") == told(data, "W397") == []


def test_broken_videos_are_named_by_id_and_row(data: Path) -> None:
    home = data / "GEM-V" / "videos"
    (home / "en" / "en1.avi").write_bytes(b"not a video")
    (warning,) = told(data, "W397")
    assert (warning.place, warning.found) == (
        "GEM-V/test.en.jsonl:1", "video 'en1': en1.avi begins b'not a video'",
    )  # fmt: skip
    (home / "en" / "en2.avi").write_bytes(b"")
    (home / "tl" / "tl3.avi").write_bytes(b"")
    assert [(one.place, one.found) for one in told(data, "E399")] == [
        ("GEM-V/test.en.jsonl:2", "video 'en2': en2.avi is empty"),
        ("GEM-V/test.tl.jsonl:3", "video 'tl3': tl3.avi is empty"),
    ]
    assert len(told(data, "W397")) == 1
    assert told(data, "E399", media="none") == told(data, "W397", media="none") == []


def test_of_many_odd_videos_the_first_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    home = tmp_path / "GEM-V"
    (home / "videos").mkdir(parents=True)
    for number in range(23):
        (home / "videos" / f"{number}.mp4").write_bytes(b"<html>")
    rows = "".join(f"a bee {number}\t{number}\n" for number in range(23))
    (home / "en.test.tsv").write_text("query\tvideo_id\n" + rows)
    found = told(tmp_path, "W397")
    assert len(found) == 21
    assert found[-1].found == "3 more videos that begin like none"


def without_titles(table: Path) -> None:
    lines = table.read_text(encoding="utf-8").splitlines()
    table.write_text("".join(line.rpartition("\t")[0] + "\n" for line in lines), encoding="utf-8")


def test_a_language_without_titles_is_named_with_the_tasks_that_lack_it(data: Path) -> None:
    assert told(data, "W395") == []
    without_titles(data / "GEM-I" / "en" / "test.tsv")
    (fault,) = told(data, "W395")
    assert (fault.place, fault.found) == ("GEM-I/en/test.tsv", "no column of titles: en")
    assert "QIT are measured without" in fault.fix
    assert BENCHMARK.open(data, {}).languages("QIT") == ("de", "ja", "tr")
    without_titles(data / "GEM-I" / "de" / "test.tsv")
    (fault,) = told(data, "W395", media="none")
    assert fault.found == "no column of titles: de, en"


def test_the_tasks_of_videos_without_titles_are_named(tmp_path: Path) -> None:
    (tmp_path / "GEM-V").mkdir()
    (tmp_path / "GEM-V" / "en.test.tsv").write_text("query\tvideo_id\na bee\t7\n")
    (fault,) = told(tmp_path, "W395", media="none")
    assert fault.wanted == "titles, for QVT, TQ, VTQ"
