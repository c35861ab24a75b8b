"""Damaged and hostile files: nothing is unpickled, nothing is allocated on a header's word."""

from __future__ import annotations

import io
import os
import pickle
import struct
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy

from crossgauge.readers import read_vectors
from tests.unit.test_readers_vectors import PLAIN, fault_of, faults_of, npy, npy_with_header, tensors


@pytest.fixture
def no_unpickling() -> Iterator[list[str]]:
    """Record every audit event that unpickling or running code would raise."""
    seen: list[str] = []
    watching = [True]

    def hook(event: str, _: Any) -> None:
        if watching[0] and event in ("pickle.find_class", "os.system", "subprocess.Popen", "os.exec"):
            seen.append(event)

    sys.addaudithook(hook)
    yield seen
    watching[0] = False


class Evil:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.marker}",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.safetensors", "a.parquet", "a.pkl", "a.pt", "a"])
def test_a_pickle_is_never_loaded(tmp_path: Path, no_unpickling: list[str], protocol: int, name: str) -> None:
    marker = tmp_path / "ran"
    (tmp_path / name).write_bytes(pickle.dumps([Evil(marker)], protocol=protocol))
    fault = fault_of(tmp_path / name)
    assert fault.code == "E212"
    assert "this is a pickle" in fault.found
    assert no_unpickling == []
    assert not marker.exists()


def test_object_arrays_are_never_loaded(tmp_path: Path, no_unpickling: list[str]) -> None:
    array = np.array([[Evil(tmp_path / "ran")]], dtype=object)
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    np.savez(tmp_path / "a.npz", vectors=array)
    np.savez(
        tmp_path / "b.npz", vectors=PLAIN, ids=np.array(["a", "b", Evil(tmp_path / "ran")], dtype=object)
    )
    no_unpickling.clear()
    for name in ("a.npy", "a.npz", "b.npz"):
        assert fault_of(tmp_path / name).code == "E212"
    assert (
        faults_of(lambda: read_vectors(npy(tmp_path / "c.npy", PLAIN), ids=tmp_path / "a.npy"))[0].code
        == "E212"
    )
    assert no_unpickling == []
    assert not (tmp_path / "ran").exists()


def test_a_torch_checkpoint_is_a_pickle_in_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}))
    fault = fault_of(tmp_path / "a.pt")
    assert fault.code == "E212"
    assert "PyTorch" in fault.found


def test_a_header_that_claims_8_tib_allocates_nothing(tmp_path: Path) -> None:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1099511), }"
    path = npy_with_header(tmp_path / "a.npy", header)
    tracemalloc.start()
    fault = fault_of(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert fault.code == "E213"
    assert "8796088000000 bytes, 0 are there" in fault.found


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 99999999999999999999), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 3), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 3), }",
        "{'descr': '<q9', 'fortran_order': False, 'shape': (1, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': __import__('os').system('x'), }",
        "(" * 5000,
        "",
    ],
)
def test_strange_headers(tmp_path: Path, header: str) -> None:
    fault = fault_of(npy_with_header(tmp_path / "a.npy", header))
    assert fault.code == "E213"


@pytest.mark.parametrize("keep", [7, 9, 40, 127, 128, 130])
def test_cut_off_npy(tmp_path: Path, keep: int) -> None:
    path = npy(tmp_path / "a.npy", PLAIN)
    path.write_bytes(path.read_bytes()[:keep])
    assert fault_of(path).code == "E213"


def test_bytes_after_the_array(tmp_path: Path) -> None:
    path = npy(tmp_path / "a.npy", PLAIN)
    path.write_bytes(path.read_bytes() + b"junk")
    assert fault_of(path).code == "E213"


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.safetensors", "a.parquet"])
def test_missing_empty_and_not_a_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert (fault_of(path).code, fault_of(path).found) == ("E210", "no such file")
    path.touch()
    assert fault_of(path).code == "E210"
    assert "empty file" in fault_of(path).found


def test_a_named_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.npy")
    assert fault_of(tmp_path / "a.npy").found == "not a regular file"


def write_npz(path: Path) -> None:
    np.savez(path, vectors=PLAIN)


def write_safetensors(path: Path) -> None:
    safetensors.numpy.save_file({"vectors": PLAIN}, path)


@pytest.mark.parametrize(
    ("name", "write", "said"),
    [
        ("a.npy", write_npz, "a zip archive"),
        ("a.npy", write_safetensors, "a safetensors file"),
        ("a.safetensors", write_npz, "a zip archive"),
        ("a.parquet", lambda path: path.write_text("hello"), "plain text"),
        ("a.npz", lambda path: path.write_bytes(b"\x1f\x8b\x08"), "a gzip archive"),
        ("a.csv", lambda path: path.write_text("1,2\n"), "plain text"),
        ("a.h5", lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n\0\0"), "an HDF5 file"),
        ("a.xyz", lambda path: path.write_bytes(b"\x00\x01\x02"), "bytes of no known format"),
    ],
)
def test_a_file_under_another_name(
    tmp_path: Path, name: str, write: Callable[[Path], None], said: str
) -> None:
    with (tmp_path / name).open("wb") as handle:
        write(handle if write is write_npz else tmp_path / name)  # type: ignore[arg-type]
    fault = fault_of(tmp_path / name)
    assert fault.code == "E211"
    assert said in fault.found


def test_the_content_decides_where_the_name_says_nothing(tmp_path: Path) -> None:
    for name, save in (("a", np.save), ("b.dat", np.savez)):
        with (tmp_path / name).open("wb") as handle:
            save(handle, PLAIN)
        np.testing.assert_array_equal(read_vectors(tmp_path / name).vectors, PLAIN)


def test_npz_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", vectors=np.zeros((1000, 4000)))
    assert (tmp_path / "a.npz").stat().st_size < 40_000
    tracemalloc.start()
    fault = fault_of(tmp_path / "a.npz")
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()
    assert fault.code == "E219"
    assert "unpack to 32000128" in fault.found


def test_npz_of_a_hundred_thousand_members(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for number in range(2000):
            archive.writestr(f"{number}.npy", b"")
    fault = fault_of(tmp_path / "a.npz")
    assert (fault.code, fault.found) == ("E219", "2000 members")


def test_npz_members_that_share_bytes(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", vectors=PLAIN, other=PLAIN[0])
    raw = bytearray((tmp_path / "a.npz").read_bytes())
    second = raw.rindex(b"PK\x01\x02")
    raw[second + 42 : second + 46] = struct.pack("<I", 10)  # the second member begins inside the first
    (tmp_path / "a.npz").write_bytes(raw)
    faults = faults_of(lambda: read_vectors(tmp_path / "a.npz"))
    assert {fault.code for fault in faults} == {"E213"}
    assert "overlap" in faults[0].found.casefold()


@pytest.mark.parametrize("damage", ["cut", "flip", "twice", "lzma"])
def test_damaged_npz(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, vectors=PLAIN)
    raw = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(raw[:-30])
    elif damage == "flip":
        raw[raw.index(PLAIN.tobytes())] ^= 0xFF
        path.write_bytes(raw)
    else:
        buffer = io.BytesIO()
        np.save(buffer, PLAIN)
        method = zipfile.ZIP_LZMA if damage == "lzma" else zipfile.ZIP_STORED
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("vectors.npy", buffer.getvalue())
            if damage == "twice":
                with pytest.warns(UserWarning, match="Duplicate name"):
                    archive.writestr("vectors.npy", buffer.getvalue())
    assert fault_of(path).code == "E213"


F32 = {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("header", "body", "words"),
    [
        ({"v": {**F32, "data_offsets": [4, 12]}}, 12, "hole"),
        ({"v": F32, "w": {**F32, "data_offsets": [4, 12]}}, 12, "overlaps"),
        ({"v": F32, "w": {**F32, "data_offsets": [12, 20]}}, 20, "hole"),
        ({"v": F32}, 12, "8 bytes in all, 12 are there"),
        ({"v": F32}, 4, "8 bytes in all, 4 are there"),
        ({"v": {**F32, "shape": [10**12, 10**12]}}, 8, "offsets give 8"),
        ({"v": {**F32, "shape": [-1, 2]}}, 8, "without sound"),
        ({"v": {**F32, "shape": [True, 2]}}, 8, "without sound"),
        ({"v": {**F32, "shape": [1.0, 2]}}, 8, "without sound"),
        ({"v": {**F32, "data_offsets": [8, 0]}}, 8, "offsets give -8"),
        ({"v": {**F32, "data_offsets": [0]}}, 8, "without sound"),
        ({"v": {**F32, "more": 1}}, 8, "without sound"),
        ({"v": 3}, 8, "without sound"),
        ([], 0, "no JSON object"),
    ],
)
def test_safetensors_headers_that_lie(tmp_path: Path, header: object, body: int, words: str) -> None:
    faults = faults_of(lambda: read_vectors(tensors(tmp_path / "a.safetensors", header, b"\0" * body)))
    assert {fault.code for fault in faults} == {"E213"}
    assert words in faults[0].found


@pytest.mark.parametrize("length", [1 << 40, 1 << 63, 10**6])
def test_safetensors_header_length_that_lies(tmp_path: Path, length: int) -> None:
    path = tensors(tmp_path / "a.safetensors", {"v": F32}, b"\0" * 8, length=length)
    assert fault_of(path).code == "E213"
    assert str(length) in fault_of(path).found


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (b'{"v": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8], "dtype": "F16"}}', "E227"),
        (b'{"v": {"dtype": "F32", "shape": [1, NaN], "data_offsets": [0, 8]}}', "E227"),
        (b'{"v": ' + b"[" * 100_000, "E227"),
        (b'{"v": \xff}', "E222"),
        (b'{"v": {"dtype": "F8_E4M3", "shape": [1, 8], "data_offsets": [0, 8]}}', "E218"),
        (b'{"v": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "__metadata__": {}}', "E221"),
        (b'{"vectors": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}', "E217"),
        (
            b'{"v": {"dtype": "F32", "shape":[1,2], "data_offsets": [0, 8]}, "__metadata__": {"ids": "[1]"}}',
            "E220",
        ),
        (
            b'{"v": {"dtype": "F32", "shape": [1,2], "data_offsets": [0, 8]}, "__metadata__": {"ids": "["}}',
            "E227",
        ),
    ],
)
def test_safetensors_faults(tmp_path: Path, header: bytes, code: str) -> None:
    assert fault_of(tensors(tmp_path / "a.safetensors", header, b"\0" * 8)).code == code


def test_a_misaligned_tensor_is_read(tmp_path: Path) -> None:
    header = b'{"v": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}}'
    header += b" " * ((2 - len(header)) % 4)  # numbers begin at an odd multiple of two
    path = tensors(tmp_path / "a.safetensors", header, np.array([1, 2], "<f4").tobytes())
    assert read_vectors(path).vectors.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("damage", ["cut", "flip", "name"])
def test_damaged_parquet(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["a"], "vectors": [[1.0, 2.0]]}), path)
    raw = bytearray(path.read_bytes())
    if damage == "name":  # a column name that is not UTF-8
        raw = raw.replace(b"\x18\x02id", b"\x18\x02\x80d")
    else:
        raw[-8:-4] = b"\xff\xff\xff\x7f"
    path.write_bytes(raw[:50] if damage == "cut" else raw)
    fault = fault_of(path)
    assert fault.code == "E213"
    assert "\n" not in fault.found
