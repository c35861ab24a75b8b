"""A folder and its zip read alike; what is hostile is refused before it is read, and nothing is unpacked."""

from __future__ import annotations

import os
import random
import stat
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from crossgauge.errors import Fault, InputError
from crossgauge.readers.archive import Budget, Tree, open_tree

FILES = {"QI/en.prediction": b"q1\ti1\t0.5\n", "GEM-V/QV/de.prediction": b"q1\tv1\t0.25\n"}


def folder(path: Path, files: dict[str, bytes] = FILES) -> Path:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return path


def zipped(path: Path, files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def contents(tree: Tree) -> dict[str, bytes]:
    found = {}
    for member in tree.members:
        with tree.open(member) as stream:
            found[member.name] = b"".join(iter(lambda: stream.read(3), b""))
    return found


def faults(path: Path, budget: Budget | None = None) -> tuple[Fault, ...]:
    """Those of opening a tree and reading all of it."""
    with pytest.raises(InputError) as refused, open_tree(path, budget) as tree:
        contents(tree)
    return refused.value.faults


def test_a_folder_and_its_zip_read_alike(tmp_path: Path) -> None:
    with open_tree(folder(tmp_path / "s")) as left, open_tree(zipped(tmp_path / "s.zip")) as right:
        assert contents(left) == contents(right) == FILES
        assert left.members == right.members
        assert [member.size for member in left.members] == [11, 10]
        assert left.at(left.members[1]) == f"{tmp_path / 's'}/QI/en.prediction"
        assert left.findings == right.findings == ()


def test_nothing_is_written_beside_the_zip(tmp_path: Path) -> None:
    with open_tree(zipped(tmp_path / "s.zip")) as tree:
        contents(tree)
    assert [path.name for path in tmp_path.iterdir()] == ["s.zip"]


def test_leftovers_are_ignored_with_one_note(tmp_path: Path) -> None:
    junk = {
        "__MACOSX/QI/._en.prediction": b"x",
        ".DS_Store": b"x",
        "QI/Thumbs.db": b"x",
        "a/.git/config": b"x",
    }
    for path in (folder(tmp_path / "s", {**FILES, **junk}), zipped(tmp_path / "s.zip", {**FILES, **junk})):
        with open_tree(path) as tree:
            assert contents(tree) == FILES
            (note,) = tree.findings
        assert note.code == "W260"
        assert "DS_Store" in note.found


def test_dot_folders_in_names_are_dropped(tmp_path: Path) -> None:
    with open_tree(zipped(tmp_path / "s.zip", {"./QI/en.prediction": b"1"})) as tree:
        assert contents(tree) == {"QI/en.prediction": b"1"}


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "QI/../../x",
        "/etc/passwd",
        "C:/x",
        "C:x",
        "QI\\en.prediction",
        "a\u202eb",
        "a\x01b",
        "n" * 1100,
    ],
)
def test_names_that_lead_out_or_deceive(tmp_path: Path, name: str) -> None:
    (fault,) = faults(zipped(tmp_path / "s.zip", {name: b"x"}))
    assert fault.code == "E263"


def test_a_name_cut_by_nul(tmp_path: Path) -> None:
    path = zipped(tmp_path / "s.zip", {"QI/en.predictionX.exe": b"x"})
    path.write_bytes(path.read_bytes().replace(b"predictionX", b"prediction\0"))
    assert faults(path)[0].code == "E263"


def test_links_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, kind in (("QI/en.prediction", stat.S_IFLNK), ("QI/de.prediction", stat.S_IFCHR)):
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind | 0o777) << 16
            archive.writestr(info, "../../secret")
    assert [fault.code for fault in faults(path)] == ["E264", "E264"]


def test_links_and_pipes_in_a_folder(tmp_path: Path) -> None:
    root = folder(tmp_path / "s")
    (tmp_path / "secret").write_bytes(b"s")
    (root / "QI" / "a").symlink_to(tmp_path / "secret")
    (root / "QI" / "b").symlink_to(root / "GEM-V")
    (root / "QI" / "c").symlink_to("nowhere")
    (root / "QI" / "loop").symlink_to("loop")
    os.mkfifo(root / "QI" / "d")
    found = faults(root)
    assert [fault.code for fault in found] == ["E264"] * 5
    assert [fault.place.rpartition("/")[2] for fault in found] == ["a", "b", "c", "d", "loop"]


def test_a_link_inside_the_folder_is_a_file(tmp_path: Path) -> None:
    root = folder(tmp_path / "s", {"QI/en.prediction": b"1"})
    (root / "QI" / "de.prediction").symlink_to("en.prediction")
    with open_tree(root) as tree:
        assert contents(tree) == {"QI/en.prediction": b"1", "QI/de.prediction": b"1"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("QI/en.prediction", "qi/EN.prediction"), ("caf\u00e9/x", "cafe\u0301/x"), ("stra\u00dfe", "STRASSE")],
)
def test_two_names_for_one_file(tmp_path: Path, one: str, other: str) -> None:
    (fault,) = faults(zipped(tmp_path / "s.zip", {one: b"1", other: b"2"}))
    assert fault.code == "E265"
    assert repr(one) in fault.found
    assert repr(other) in fault.found


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_name_twice(tmp_path: Path) -> None:
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("QI/en.prediction", "1")
        archive.writestr("QI/en.prediction", "2")
    assert [fault.code for fault in faults(path)] == ["E265"]


def test_encrypted_and_unusual_compression(tmp_path: Path) -> None:
    path = zipped(tmp_path / "s.zip", {"QI/en.prediction": b"x" * 100}, zipfile.ZIP_BZIP2)
    assert [fault.code for fault in faults(path)] == ["E266"]
    raw = bytearray(zipped(tmp_path / "t.zip", {"QI/en.prediction": b"x"}).read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "t.zip").write_bytes(raw)
    assert [fault.code for fault in faults(tmp_path / "t.zip")] == ["E266"]


@pytest.mark.parametrize("name", ["inner.zip", "QI/en.prediction.GZ", "all.tar"])
def test_archives_inside_by_name(tmp_path: Path, name: str) -> None:
    assert [fault.code for fault in faults(zipped(tmp_path / "s.zip", {name: b"x"}))] == ["E267"]


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\x1f\x8b\x08", b"\xfd7zXZ\0"])
def test_archives_inside_by_content(tmp_path: Path, head: bytes) -> None:
    assert [fault.code for fault in faults(folder(tmp_path / "s", {"QI/en.prediction": head}))] == ["E267"]


def test_budgets(tmp_path: Path) -> None:
    files = {f"QI/{n}": b"x" * 100 for n in range(5)}
    for path in (folder(tmp_path / "s", files), zipped(tmp_path / "s.zip", files)):
        assert [fault.code for fault in faults(path, Budget(members=4))] == ["E261"]
        assert [fault.code for fault in faults(path, Budget(member=99))] == ["E261"] * 5
        assert [fault.code for fault in faults(path, Budget(total=499))] == ["E261"]
        with open_tree(path, Budget(members=6, member=100, total=500)) as tree:
            assert contents(tree) == files


def test_what_unpacks_to_far_more(tmp_path: Path) -> None:
    path = zipped(tmp_path / "s.zip", {"QI/en.prediction": b"0" * (5 << 20)})
    (fault,) = faults(path)
    assert fault.code == "E262"
    assert "5,242,880" in fault.found


def overlapping(path: Path, kernel: int = 1 << 20, copies: int = 20) -> Path:
    """Many directory entries for one and the same member, as David Fifield's bombs share their kernel."""
    raw = zipped(path, {"QI/00.prediction": os.urandom(kernel)}, zipfile.ZIP_STORED).read_bytes()
    start = raw.index(b"PK\x01\x02", kernel)
    end = raw.rindex(b"PK\x05\x06")
    entries = b"".join(raw[start:end].replace(b"/00.", f"/{n:02}.".encode()) for n in range(copies))
    record = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, copies, copies, len(entries), start, 0)
    path.write_bytes(raw[:start] + entries + record)
    return path


def test_members_that_overlap(tmp_path: Path) -> None:
    found = faults(overlapping(tmp_path / "s.zip"))
    assert {fault.code for fault in found} == {"E262"}
    assert len(found) == 19


def test_a_million_entries_are_refused_at_once(tmp_path: Path) -> None:
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    directory = entry * 10**6
    record = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0, 0, len(directory), 0, 0)
    path = tmp_path / "s.zip"
    path.write_bytes(directory + record)  # it says 0 entries, and holds a million
    tracemalloc.start()
    began = time.perf_counter()
    (fault,) = faults(path)
    seconds, (_, peak) = time.perf_counter() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fault.code == "E261"
    assert seconds < 1
    assert peak < 10 << 20


def test_a_million_entries_by_the_larger_record(tmp_path: Path) -> None:
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, 47 * 10**6, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 3) + b"hey"
    (tmp_path / "s.zip").write_bytes(record + locator + end)
    assert [fault.code for fault in faults(tmp_path / "s.zip")] == ["E261"]


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"no zip at all", b"PK\x03\x04" + bytes(200)])
def test_what_is_no_zip(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s.zip").write_bytes(content)
    assert [fault.code for fault in faults(tmp_path / "s.zip")] == ["E260"]


def test_what_is_not_there(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("absent", "pipe", "nul\0"):
        assert [fault.code for fault in faults(tmp_path / name)] == ["E260"]


def test_a_name_in_another_encoding(tmp_path: Path) -> None:
    path = zipped(tmp_path / "s.zip", {"\u00dcbung/QI/en.prediction": b"1"})
    raw = path.read_bytes()
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        begin = raw.index(mark) + at
        flags = struct.unpack_from("<H", raw, begin)[0] & ~0x800
        raw = raw[:begin] + struct.pack("<H", flags) + raw[begin + 2 :]
    path.write_bytes(raw)
    with open_tree(path) as tree:
        assert contents(tree) == {"\u00dcbung/QI/en.prediction": b"1"}
        (note,) = tree.findings
    assert (note.code, "UTF-8" in note.found) == ("W260", True)


def flipped(raw: bytes) -> bytes:
    at = raw.index(b"content")
    return raw[:at] + b"C" + raw[at + 1 :]


def renamed(raw: bytes) -> bytes:
    return raw.replace(b"QI/en", b"QI/xx", 1)


def longer(raw: bytes) -> bytes:
    """The directory claims more bytes than the member has."""
    at = raw.index(b"PK\x01\x02") + 24
    return raw[:at] + struct.pack("<L", 5000) + raw[at + 4 :]


@pytest.mark.parametrize("damage", [flipped, renamed, longer])
def test_damaged_members(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = zipped(tmp_path / "s.zip", {"QI/en.prediction": b"content " * 50}, zipfile.ZIP_STORED)
    path.write_bytes(damage(path.read_bytes()))
    (fault,) = faults(path)
    assert fault.code == "E268"
    assert fault.place.endswith("QI/en.prediction")


def test_no_damage_makes_anything_but_a_fault(tmp_path: Path) -> None:
    """Flip bytes anywhere: either the same files come out, or an InputError does."""
    sound = zipped(tmp_path / "s.zip").read_bytes()
    draw = random.Random(7)
    refused: list[str] = []
    for _ in range(400):
        raw = bytearray(sound)
        for _ in range(draw.randint(1, 3)):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        (tmp_path / "t.zip").write_bytes(raw[: draw.choice([len(raw), draw.randrange(len(raw))])])
        try:
            with open_tree(tmp_path / "t.zip") as tree:
                assert set(contents(tree).values()) <= set(FILES.values())
        except InputError as error:
            refused += [fault.code[:3] for fault in error.faults]
    assert set(refused) == {"E26"}
    assert len(refused) > 200


def test_all_faults_at_once(tmp_path: Path) -> None:
    found = faults(zipped(tmp_path / "s.zip", {"../x": b"1", "a.zip": b"2", "B": b"3", "b": b"4"}))
    assert sorted(fault.code for fault in found) == ["E263", "E265", "E267"]
