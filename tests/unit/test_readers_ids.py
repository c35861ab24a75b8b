"""Ids of vectors, from wherever they come, and arrays that are no vectors."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy

from crossgauge.errors import InputError
from crossgauge.readers import has_row_numbers, read_vectors
from tests.unit.test_readers_vectors import PLAIN, clip_retrieval, fault_of, faults_of, npy


def test_ids_from_a_text_file_are_kept_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_bytes("\ufeffa.b\r\n ü 1\r\n0007\u2028x".encode())
    read = read_vectors(npy(tmp_path / "a.npy", PLAIN), ids=tmp_path / "ids.txt")
    assert read.ids == ("a.b", " ü 1", "0007\u2028x")
    assert not has_row_numbers(read)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ids.json", b'["a.b", "\\u00fc 1", "0007"]'),
        ("ids.csv", 'n,id\n1,a.b\n2,"ü 1"\n3,0007\n'.encode()),
        ("ids.tsv", "id\tn\na.b\t1\nü 1\t2\n0007\t3\n".encode()),
        ("ids.csv", "names\na.b\nü 1\n0007\n".encode()),
    ],
)
def test_ids_from_lists_and_tables(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert read_vectors(npy(tmp_path / "a.npy", PLAIN), ids=tmp_path / name).ids == ("a.b", "ü 1", "0007")


def test_ids_from_parquet_npy_or_a_list(tmp_path: Path) -> None:
    path = npy(tmp_path / "a.npy", PLAIN)
    pq.write_table(pa.table({"id": ["a.b", "ü 1", "0007"], "x": [1, 2, 3]}), tmp_path / "ids.parquet")
    np.save(tmp_path / "ids.npy", np.array(["a.b", "ü 1", "0007"]))
    for ids in (tmp_path / "ids.parquet", str(tmp_path / "ids.npy"), ["a.b", "ü 1", "0007"]):
        assert read_vectors(path, ids=ids).ids == ("a.b", "ü 1", "0007")


def test_three_vectors_four_ids(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a\nb\nc\nd\n")
    fault = fault_of(npy(tmp_path / "a.npy", PLAIN), ids=tmp_path / "ids.txt")
    assert (fault.code, fault.place, fault.found) == ("E215", str(tmp_path / "ids.txt"), "3 vectors, 4 ids")
    assert "a.npy" in fault.wanted


def test_every_doubled_and_empty_id_is_listed(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a\nb\na\n\nb\n")
    faults = faults_of(lambda: read_vectors(npy(tmp_path / "a.npy", PLAIN), ids=tmp_path / "ids.txt"))
    assert [(fault.code, fault.place.rpartition(":")[2]) for fault in faults] == [
        ("E215", str(tmp_path / "ids.txt")),
        ("E216", "3"),
        ("E220", "4"),
        ("E216", "5"),
    ]
    assert faults[0].found == "3 vectors, 5 ids"
    assert "first at line 1" in faults[1].found


def test_id_arrays_that_are_none(tmp_path: Path) -> None:
    path = npy(tmp_path / "a.npy", PLAIN)
    for array, code in (
        (np.array([["a"]]), "E220"),
        (np.array([1.5]), "E220"),
        (np.array([b"\xff"]), "E222"),
        (np.array([], dtype="U1"), "E215"),
    ):
        assert fault_of(path, ids=npy(tmp_path / "ids.npy", array)).code == code
    pq.write_table(pa.table({"x": ["a"], "y": ["b"]}), tmp_path / "ids.parquet")
    assert fault_of(path, ids=tmp_path / "ids.parquet").code == "E221"


def test_more_than_memory_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "a.npz", vectors=PLAIN)
    pq.write_table(pa.table({"vectors": PLAIN.tolist()}), tmp_path / "a.parquet")
    for part in range(2):
        np.save(tmp_path / f"part_{part}.npy", PLAIN)
    monkeypatch.setattr("crossgauge.readers.arrays.MAX_BYTES", 8)
    monkeypatch.setattr("crossgauge.readers.parquet.MAX_BYTES", 8)
    for path in (tmp_path / "a.npz", tmp_path / "a.parquet", tmp_path):
        assert fault_of(path).code == "E219"


def test_metadata_that_does_not_fit_the_parts(tmp_path: Path) -> None:
    clip_retrieval(tmp_path, 2, column="caption_of_mine")
    assert fault_of(tmp_path / "img_emb", ids=["a"]).found == "4 vectors, 1 ids"
    (tmp_path / "metadata" / "metadata_1.parquet").unlink()
    assert fault_of(tmp_path / "img_emb").found == "2 parts of vectors, 1 of metadata"
    for file in (tmp_path / "metadata").iterdir():
        file.unlink()
    for part in range(2):
        table = pa.table({"a": ["x", "y"], "b": ["x", "y"]})
        pq.write_table(table, tmp_path / "metadata" / f"metadata_{part}.parquet")
    assert read_vectors(tmp_path / "img_emb").ids == ("0", "1", "2", "3")


def test_doubled_ids_inside_the_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", vectors=PLAIN, ids=np.array(["a", "b", "a"]))
    fault = fault_of(tmp_path / "a.npz")
    assert (fault.code, fault.place) == ("E216", f"{tmp_path / 'a.npz'} row 3")


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("ids.json", b'["a", 1.5, null]', "E220"),
        ("ids.json", b'{"a": 1}', "E220"),
        ("ids.csv", b"x,y\n1,2\n", "E221"),
        ("ids.csv", b"id,y\n1\n", "E224"),
        ("ids.csv", b'id\n"open\n', "E224"),
        ("ids.txt", b"a\nb\x00c\n", "E222"),
        ("ids.txt", b"a\n\xe4\n", "E222"),
        ("ids.txt", b"\xff\xfea\x00", "E222"),
        ("ids.txt", b"\x1f\x8b\x08\x00", "E211"),
        ("ids.txt", pickle.dumps(["a"]), "E212"),
    ],
)
def test_id_files_that_are_none(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    (tmp_path / name).write_bytes(content)
    faults = faults_of(lambda: read_vectors(npy(tmp_path / "a.npy", PLAIN), ids=tmp_path / name))
    assert {fault.code for fault in faults} == {code}
    assert all(fault.place.startswith(str(tmp_path / name)) for fault in faults)


# — shapes, types, choices —


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones(4), "1 dimensions (4)"),
        (np.ones((2, 3, 4)), "3 dimensions (2 × 3 × 4)"),
        (np.float64(1), "0 dimensions"),
    ],
)
def test_only_two_dimensions(tmp_path: Path, array: Any, words: str) -> None:
    fault = fault_of(npy(tmp_path / "a.npy", array))
    assert fault.code == "E217"
    assert words in fault.found


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_nothing_in_it(tmp_path: Path, shape: tuple[int, int]) -> None:
    fault = fault_of(npy(tmp_path / "a.npy", np.empty(shape)))
    assert fault.code == "E217"
    assert "nothing in it" in fault.found


@pytest.mark.parametrize("dtype", ["c8", "c16", "M8[s]", "S3", "U2", "V2", "longdouble"])
def test_types_that_are_no_vectors(tmp_path: Path, dtype: str) -> None:
    fault = fault_of(npy(tmp_path / "a.npy", np.zeros((2, 2), dtype=dtype)))
    assert fault.code == "E218"
    assert str(np.dtype(dtype)) in fault.found


def test_bfloat16_in_npy_is_told_apart(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as handle:
        np.lib.format.write_array(handle, PLAIN.astype(ml_dtypes.bfloat16).view("V2"))
    fault = fault_of(tmp_path / "a.npy")
    assert fault.code == "E218"
    assert "bfloat16" in fault.fix


def test_type_and_shape_are_said_at_once(tmp_path: Path) -> None:
    path = npy(tmp_path / "a.npy", np.zeros(3, dtype=complex))
    assert {fault.code for fault in faults_of(lambda: read_vectors(path))} == {"E217", "E218"}


def test_integers_beyond_float64_are_refused(tmp_path: Path) -> None:
    fault = fault_of(npy(tmp_path / "a.npy", np.array([[2**53 + 1, 0]])))
    assert fault.code == "E218"
    assert "9007199254740993" in fault.found
    assert read_vectors(npy(tmp_path / "b.npy", np.array([[2**53, -(2**53)]]))).vectors[0, 1] == -(2.0**53)


def test_npz_of_two_matrices_lists_them(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=PLAIN, text=PLAIN[:2])
    fault = fault_of(tmp_path / "a.npz")
    assert fault.code == "E221"
    assert "'image' (3 × 2), 'text' (2 × 2)" in fault.found


@pytest.mark.parametrize(
    ("table", "code", "words"),
    [
        ({"id": ["a"]}, "E221", "'id' (string)"),
        ({"id": ["a"], "x": [[1.0]], "y": [[1.0]]}, "E221", "2 columns"),
        ({"id": ["a", "b"], "x": [[1.0], [1.0, 2.0]]}, "E217", "2 numbers, 1"),
        ({"id": ["a", "b"], "x": [[1.0], None]}, "E217", "null"),
        ({"id": ["a", "b"], "x": [[1.0], [None]]}, "E217", "null"),
        ({"id": ["a", None], "x": [[1.0], [2.0]]}, "E220", "None"),
        ({"id": [1.5], "x": [[1.0]]}, "E220", "1.5"),
        ({"id": pa.array([], pa.string()), "x": pa.array([], pa.list_(pa.float32()))}, "E217", "no rows"),
    ],
)
def test_parquet_faults(tmp_path: Path, table: dict[str, Any], code: str, words: str) -> None:
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    fault = fault_of(tmp_path / "a.parquet")
    assert fault.code == code
    assert words in fault.found


# — everything at once, and in words that fit —


def test_a_wrong_count_and_doubled_ids_are_said_together(tmp_path: Path) -> None:
    path = npy(tmp_path / "a.npy", PLAIN)
    for ids in (["a", "a"], ["a", "b", "a", "c"]):
        codes = [fault.code for fault in faults_of(lambda ids=ids: read_vectors(path, ids=ids))]  # type: ignore[misc]
        assert codes == ["E215", "E216"]


def test_every_bad_row_of_a_parquet_is_named(tmp_path: Path) -> None:
    vectors = [[1.0, 2.0], [3.0], None, [1.0, None], [1.0, 2.0]]
    pq.write_table(pa.table({"id": ["a", None, "b", "c", None], "vectors": vectors}), tmp_path / "a.parquet")
    faults = faults_of(lambda: read_vectors(tmp_path / "a.parquet"))
    assert [(fault.code, fault.place.rpartition(" ")[2]) for fault in faults] == [
        ("E217", "1"),
        ("E217", "2"),
        ("E217", "3"),
        ("E220", "1"),
        ("E220", "4"),
    ]


def test_object_arrays_of_ids_are_to_become_text(tmp_path: Path) -> None:
    names = np.array(["a", "b", "c"], dtype=object)
    np.savez(tmp_path / "a.npz", vectors=PLAIN, ids=names)
    np.save(tmp_path / "ids.npy", names, allow_pickle=True)
    inside = fault_of(tmp_path / "a.npz")
    beside = fault_of(npy(tmp_path / "b.npy", PLAIN), ids=tmp_path / "ids.npy")
    for fault in (inside, beside):
        assert fault.code == "E212"
        assert "dtype=str" in fault.fix
        assert "float32" not in fault.fix


def test_ids_beside_the_arrays_of_an_npz_are_not_dropped_silently(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", vectors=PLAIN)
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("ids.txt", b"a\nb\nc\n")
    fault = fault_of(tmp_path / "a.npz")
    assert (fault.code, fault.place) == ("E221", f"{tmp_path / 'a.npz'}[ids.txt]")


def test_a_broken_safetensors_header_is_called_that(tmp_path: Path) -> None:
    safetensors.numpy.save_file({"vectors": PLAIN}, tmp_path / "a.safetensors")
    raw = (tmp_path / "a.safetensors").read_bytes()
    for prefix in (b"\xff" * 8, b"\xe4" * 8):
        (tmp_path / "a.safetensors").write_bytes(prefix + raw[8:])
        fault = fault_of(tmp_path / "a.safetensors")
        assert fault.code == "E213"
        assert "header" in fault.found


def test_control_characters_in_ids_are_refused_wherever_they_come_from(tmp_path: Path) -> None:
    ids = ["\x1b[31mx", "a\nb", "c"]
    np.savez(tmp_path / "a.npz", vectors=PLAIN, ids=np.array(ids))
    pq.write_table(pa.table({"id": ids, "vectors": PLAIN.tolist()}), tmp_path / "a.parquet")
    (tmp_path / "ids.json").write_text(json.dumps(ids))
    path = npy(tmp_path / "a.npy", PLAIN)
    for call in (
        lambda: read_vectors(tmp_path / "a.npz"),
        lambda: read_vectors(tmp_path / "a.parquet"),
        lambda: read_vectors(path, ids=tmp_path / "ids.json"),
        lambda: read_vectors(path, ids=ids),
    ):
        faults = faults_of(call)
        assert [fault.code for fault in faults] == ["E222", "E222"]
        assert "0x1b" in faults[0].found
        assert "\x1b" not in str(faults[0])


@pytest.mark.parametrize("listed", [["b", "a"], ["x", "y"], ["a"]])
def test_a_list_that_contradicts_the_files_own_ids_is_refused(tmp_path: Path, listed: list[str]) -> None:
    np.savez(tmp_path / "v.npz", ids=np.array(["a", "b"]), vectors=np.eye(2, dtype=np.float32))
    with pytest.raises(InputError, match=r"E253.*contradict"):
        read_vectors(tmp_path / "v.npz", ids=listed)
    assert read_vectors(tmp_path / "v.npz", ids=["a", "b"]).ids == ("a", "b")


def test_an_id_list_may_end_in_empty_lines_but_hold_none(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.eye(2, dtype=np.float32))
    (tmp_path / "ids.txt").write_text("a\nb\n\n")
    assert read_vectors(tmp_path / "v.npy", ids=tmp_path / "ids.txt").ids == ("a", "b")
    (tmp_path / "ids.txt").write_text("a\n\nb\n")
    with pytest.raises(InputError, match="an empty id"):
        read_vectors(tmp_path / "v.npy", ids=tmp_path / "ids.txt")
