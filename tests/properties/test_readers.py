"""Whatever is written is read back; whatever bytes are read, nothing but our own errors comes out."""

from __future__ import annotations

import io
import itertools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crossgauge.errors import CrossgaugeError
from crossgauge.readers import (
    Judgements,
    Run,
    parse_json,
    read_ids,
    read_qrels,
    read_run,
    read_vectors,
    resolve,
    write_qrels,
    write_run,
)

ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
id_lists = st.lists(ids, min_size=1, max_size=6, unique=True)
words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)
finite = st.floats(allow_nan=False, allow_infinity=False)
on_disk = settings(deadline=None)  # a disk may be slow


def in_folder(test: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        test(Path(folder))


@on_disk
@given(id_lists)
@example(["a.b", "ü 1", "0007"])
@example([" ", "\u2028", "\u00a0x", "١", '"', ","])
def test_ids_come_back_from_every_kind_of_file(names: list[str]) -> None:
    def check(folder: Path) -> None:
        (folder / "a.txt").write_bytes("\n".join(names).encode())
        (folder / "a.json").write_text(json.dumps(names))
        pq.write_table(pa.table({"id": names}), folder / "a.parquet")
        for name in ("a.txt", "a.json", "a.parquet"):
            assert read_ids(folder / name) == tuple(names)

    if not names[0].startswith("\ufeff"):  # a leading byte order mark is dropped by design
        in_folder(check)


@on_disk
@given(
    st.sampled_from(["f2", "f4", "f8"]).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5))
    )
)
def test_vectors_come_back_bit_for_bit_from_every_format(array: np.ndarray[Any, Any]) -> None:
    def check(folder: Path) -> None:
        np.save(folder / "a.npy", array)
        np.savez_compressed(folder / "a.npz", vectors=array)
        safetensors.numpy.save_file({"vectors": np.ascontiguousarray(array)}, folder / "a.safetensors")
        flat = pa.array(np.ascontiguousarray(array).ravel())
        column = pa.FixedSizeListArray.from_arrays(flat, array.shape[1])
        pq.write_table(pa.table({"vectors": column}), folder / "a.parquet")
        wide = array.astype(np.float64 if array.dtype.itemsize == 8 else np.float32)
        for name in ("a.npy", "a.npz", "a.safetensors", "a.parquet"):
            read = read_vectors(folder / name).vectors
            assert read.dtype == wide.dtype
            np.testing.assert_array_equal(read, wide)

    in_folder(check)


pairs = st.lists(st.tuples(words, words, finite), min_size=1, max_size=12, unique_by=lambda row: row[:2])


def columns(rows: list[tuple[str, str, float]]) -> tuple[Any, ...]:
    queries, items, numbers = zip(*rows, strict=True)
    return "x", "row", queries, items, np.array(numbers), np.arange(1, len(rows) + 1), ()


@on_disk
@given(pairs)
def test_judgements_come_back(rows: list[tuple[str, str, float]]) -> None:
    def check(folder: Path) -> None:
        qrels = Judgements(*columns(rows))
        write_qrels(folder / "a.qrels", qrels)
        nested: dict[str, dict[str, float]] = {}
        for query, item, gain in rows:
            nested.setdefault(query, {})[item] = gain
        (folder / "a.json").write_text(json.dumps(nested))
        for name in ("a.qrels", "a.json"):
            read = read_qrels(folder / name)
            found = sorted(zip(read.queries, read.items, read.gains.tolist(), strict=True))
            assert found == sorted(rows)

    if not any(query.startswith("\ufeff") for query, _, _ in rows):
        in_folder(check)


@on_disk
@given(pairs)
@example([("q", "a", 0.30000001), ("q", "b", 0.3), ("q", "c", 0.3)])
def test_a_written_run_ranks_alike_even_as_float32(rows: list[tuple[str, str, float]]) -> None:
    def check(folder: Path) -> None:
        run = Run(*columns(rows))
        write_run(folder / "a.trec", run)
        read = read_run(folder / "a.trec")
        assert read.findings == ()
        before = {(q, i): s for q, i, s in rows}
        after = dict(
            zip(zip(read.queries, read.items, strict=True), read.scores.astype(np.float32), strict=True)
        )
        assert before.keys() == after.keys()
        for (one, score), (other, rival) in itertools.product(before.items(), repeat=2):
            if one[0] == other[0]:
                assert (score > rival) == (after[one] > after[other])

    if not any(query.startswith("\ufeff") for query, _, _ in rows):
        in_folder(check)


@on_disk
@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(rows: list[tuple[str, str, float]], random: Any) -> None:
    queries, corpus = (sorted({row[side] for row in rows}) for side in (0, 1))
    first = resolve(Judgements(*columns(rows)), queries, corpus)
    shuffled = list(rows)
    random.shuffle(shuffled)
    second = resolve(Judgements(*columns(shuffled)), queries, corpus)
    for name in ("start", "items", "gains"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | finite | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@on_disk
@given(json_values)
def test_sound_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=False).encode(), "x") == value
    assert parse_json(json.dumps(value).encode(), "x") == value


READERS: dict[str, Callable[[Path], object]] = {
    "a.npy": read_vectors,
    "a.npz": read_vectors,
    "a.safetensors": read_vectors,
    "a.parquet": read_vectors,
    "a.bin": read_vectors,
    "a.txt": read_ids,
    "a.json": read_ids,
    "a.csv": read_ids,
    "a.qrels": read_qrels,
    "q.json": read_qrels,
    "a.run": read_run,
    "r.json": read_run,
}


def seeds() -> list[bytes]:
    array = np.arange(6, dtype=np.float32).reshape(3, 2)
    npy, npz, parquet = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(npy, array)
    np.savez(npz, vectors=array, ids=np.array(["a", "b", "c"]))
    pq.write_table(pa.table({"id": ["a"], "vectors": [[1.0]]}), parquet)
    tensors = safetensors.numpy.save({"vectors": array})
    texts = ["q1 0 d1 1\n", "q1 Q0 d1 1 .5 t\n", '{"q": {"d": 1}}', '["a", "b"]', "id,x\na,1\n"]
    return [npy.getvalue(), npz.getvalue(), parquet.getvalue(), tensors, *(text.encode() for text in texts)]


SEEDS = seeds()
damage = st.lists(st.tuples(st.integers(0, 10_000), st.binary(min_size=1, max_size=4)), max_size=4)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=None)
@given(seed=st.sampled_from(SEEDS), edits=damage, cut=st.integers(0, 10_000) | st.none())
def test_no_bytes_get_anything_but_our_own_errors(
    name: str, seed: bytes, edits: list[tuple[int, bytes]], cut: int | None
) -> None:
    raw = bytearray(seed)
    for at, new in edits:
        raw[at % len(raw) : at % len(raw) + len(new)] = new
    content = bytes(raw if cut is None else raw[: cut % (len(raw) + 1)])

    assert_only_our_errors(name, content)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_no_random_bytes_get_anything_but_our_own_errors(name: str, content: bytes) -> None:
    assert_only_our_errors(name, content)


def assert_only_our_errors(name: str, content: bytes) -> None:
    """Reading these bytes gives something, or faults of ours with a code of the readers."""

    def check(folder: Path) -> None:
        (folder / name).write_bytes(content)
        try:
            READERS[name](folder / name)
        except CrossgaugeError as error:
            odd = [fault for fault in error.faults if not (fault.code.startswith("E2") and fault.found)]
            if odd or not error.faults:
                raise AssertionError(odd) from error

    in_folder(check)
