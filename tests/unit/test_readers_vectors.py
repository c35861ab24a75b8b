"""Vectors are read exactly, with their ids, or refused by name."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy

from crossgauge.errors import Fault, InputError
from crossgauge.readers import has_row_numbers, read_vectors

PLAIN = np.array([[1.0, 2.0], [3.0, 4.5], [-1.0, 0.1]], dtype=np.float32)


def faults_of(call: Callable[[], Any]) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.faults


def fault_of(path: Path, **options: Any) -> Fault:
    (fault,) = faults_of(lambda: read_vectors(path, **options))
    return fault


def npy(path: Path, array: Any) -> Path:
    np.save(path, array)
    return path


def npy_with_header(path: Path, header: str, body: bytes = b"") -> Path:
    text = header.encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body)
    return path


def tensors(path: Path, header: object, body: bytes = b"", *, length: int | None = None) -> Path:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(raw) if length is None else length) + raw + body)
    return path


# — what is read, and in which precision —


def test_npy_without_ids_has_row_numbers(tmp_path: Path) -> None:
    read = read_vectors(npy(tmp_path / "a.npy", PLAIN))
    assert read.ids == ("0", "1", "2")
    assert has_row_numbers(read)
    assert read.vectors.dtype == np.float32
    np.testing.assert_array_equal(read.vectors, PLAIN)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ("f2", "f4"),
        ("f4", "f4"),
        (">f4", "f4"),
        ("f8", "f8"),
        ("i1", "f8"),
        ("u2", "f8"),
        ("i8", "f8"),
        ("?", "f8"),
    ],
)
def test_no_value_changes_and_precision_never_falls(tmp_path: Path, given: str, held: str) -> None:
    array = np.array([[0, 1], [1, 0], [1, 1]]).astype(given)
    read = read_vectors(npy(tmp_path / "a.npy", array)).vectors
    assert read.dtype == np.dtype(held)
    np.testing.assert_array_equal(read, array.astype(held))


def test_float64_is_not_cut(tmp_path: Path) -> None:
    array = np.array([[0.30000001, 0.3]])
    assert read_vectors(npy(tmp_path / "a.npy", array)).vectors.tolist() == [[0.30000001, 0.3]]


def test_fortran_order_and_version_2_headers(tmp_path: Path) -> None:
    path = npy(tmp_path / "a.npy", np.asfortranarray(PLAIN))
    np.testing.assert_array_equal(read_vectors(path).vectors, PLAIN)
    with (tmp_path / "b.npy").open("wb") as handle:
        np.lib.format.write_array(handle, PLAIN, version=(2, 0))
    np.testing.assert_array_equal(read_vectors(tmp_path / "b.npy").vectors, PLAIN)


def test_a_python_2_header_is_read(tmp_path: Path) -> None:
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1L, 2L), }"
    path = npy_with_header(tmp_path / "a.npy", header, np.array([1, 2], "<f4").tobytes())
    assert read_vectors(path).vectors.tolist() == [[1.0, 2.0]]


def test_npz_with_text_ids(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", vectors=PLAIN, ids=np.array(["a.b", "ü 1", "0007"]))
    read = read_vectors(tmp_path / "a.npz")
    assert read.ids == ("a.b", "ü 1", "0007")
    np.testing.assert_array_equal(read.vectors, PLAIN)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_with_one_matrix_of_any_name(tmp_path: Path, save: Callable[..., None]) -> None:
    save(tmp_path / "a.npz", image=PLAIN, labels=np.arange(3))
    np.testing.assert_array_equal(read_vectors(tmp_path / "a.npz").vectors, PLAIN)


def test_npz_ids_as_bytes_and_as_whole_numbers(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", emb=PLAIN, id=np.array(["ä".encode(), b"b", b"c"]))
    assert read_vectors(tmp_path / "a.npz").ids == ("ä", "b", "c")
    np.savez(tmp_path / "b.npz", emb=PLAIN, id=np.array([7, 8, 9]))
    assert read_vectors(tmp_path / "b.npz").ids == ("7", "8", "9")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_safetensors_types(tmp_path: Path, dtype: str) -> None:
    array = PLAIN.astype(dtype)
    safetensors.numpy.save_file({"vectors": array}, tmp_path / "a.safetensors")
    read = read_vectors(tmp_path / "a.safetensors").vectors
    np.testing.assert_array_equal(read, array.astype(read.dtype))
    assert read.dtype == (np.float64 if dtype in ("float64", "int8") else np.float32)


def test_bfloat16_is_widened_exactly(tmp_path: Path) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256)
    safetensors.numpy.save_file({"emb": every.view(ml_dtypes.bfloat16)}, tmp_path / "a.safetensors")
    read = read_vectors(tmp_path / "a.safetensors").vectors
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, every.view(ml_dtypes.bfloat16).astype(np.float32))


def test_safetensors_ids_in_the_metadata(tmp_path: Path) -> None:
    meta = {"ids": json.dumps(["x", "0007", "ü 1"])}
    safetensors.numpy.save_file({"vectors": PLAIN}, tmp_path / "a.safetensors", metadata=meta)
    assert read_vectors(tmp_path / "a.safetensors").ids == ("x", "0007", "ü 1")


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.large_list(pa.float16()), pa.list_(pa.float32(), 2)]
)
def test_parquet_lists(tmp_path: Path, kind: pa.DataType) -> None:
    rows = [np.float16(value).tolist() for value in PLAIN[:, :2].astype(np.float16)]
    column = pa.array([[np.float16(one) for one in row] for row in rows], type=kind)
    pq.write_table(pa.table({"id": ["0007", "a b", "ü"], "vectors": column}), tmp_path / "a.parquet")
    read = read_vectors(tmp_path / "a.parquet")
    assert read.ids == ("0007", "a b", "ü")
    assert read.vectors.dtype == np.float32
    np.testing.assert_array_equal(read.vectors, PLAIN.astype(np.float16).astype(np.float32))


def test_parquet_of_several_batches_and_dictionary_ids(tmp_path: Path) -> None:
    n = 40_000
    ids = pa.array([f"i{row}" for row in range(n)]).dictionary_encode()
    vectors = np.arange(2 * n, dtype=np.float64).reshape(n, 2)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 2)
    pq.write_table(
        pa.table({"name": ["x"] * n, "id": ids, "e": column}), tmp_path / "a.parquet", row_group_size=7000
    )
    read = read_vectors(tmp_path / "a.parquet")
    assert read.ids[-1] == f"i{n - 1}"
    np.testing.assert_array_equal(read.vectors, vectors)


def clip_retrieval(folder: Path, parts: int, column: str = "image_path") -> np.ndarray:
    whole = np.arange(4 * parts, dtype=np.float16).reshape(2 * parts, 2)
    for side in ("img_emb", "text_emb", "metadata"):
        (folder / side).mkdir()
    for part in range(parts):
        rows = slice(2 * part, 2 * part + 2)
        np.save(folder / "img_emb" / f"img_emb_{part}.npy", whole[rows])
        np.save(folder / "text_emb" / f"text_emb_{part}.npy", whole[rows] + 1)
        names = [f"p {row}.jpg" for row in range(2 * part, 2 * part + 2)]
        pq.write_table(pa.table({column: names}), folder / "metadata" / f"metadata_{part}.parquet")
    return whole


def test_clip_retrieval_parts_in_numeric_order(tmp_path: Path) -> None:
    whole = clip_retrieval(tmp_path, 12)
    read = read_vectors(tmp_path / "img_emb")
    np.testing.assert_array_equal(read.vectors, whole.astype(np.float32))
    assert read.ids == tuple(f"p {row}.jpg" for row in range(24))
    assert read_vectors(tmp_path / "text_emb").vectors[0].tolist() == [1.0, 2.0]


def test_a_folder_with_both_sides_asks_which(tmp_path: Path) -> None:
    clip_retrieval(tmp_path, 1)
    fault = fault_of(tmp_path)
    assert fault.code == "E221"
    assert str(tmp_path / "text_emb") in fault.fix


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    clip_retrieval(tmp_path, 4)
    (tmp_path / "img_emb" / "img_emb_2.npy").unlink()
    fault = fault_of(tmp_path / "img_emb")
    assert (fault.code, fault.found) == ("E210", "part 2 is missing")


def test_parts_and_metadata_of_other_lengths(tmp_path: Path) -> None:
    clip_retrieval(tmp_path, 2)
    np.save(tmp_path / "img_emb" / "img_emb_1.npy", np.ones((3, 2), np.float16))
    fault = fault_of(tmp_path / "img_emb")
    assert (fault.code, fault.found) == ("E215", "3 vectors, 2 ids")
    assert fault.place.endswith("metadata_1.parquet")


def test_parts_of_other_widths(tmp_path: Path) -> None:
    clip_retrieval(tmp_path, 2)
    np.save(tmp_path / "img_emb" / "img_emb_1.npy", np.ones((2, 5), np.float16))
    fault = fault_of(tmp_path / "img_emb")
    assert fault.code == "E217"
    assert "5 features, img_emb_0.npy has 2" in fault.found


@pytest.mark.parametrize(
    "names", [["a.npy", "part_0.npy"], [], ["x_0.npy", "y_0.npy"], ["p_0.npy", "p_999999999.npy"]]
)
def test_a_folder_that_is_no_series_of_parts(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        np.save(tmp_path / name, PLAIN)
    assert fault_of(tmp_path).code in ("E221", "E210")


# — ids —
