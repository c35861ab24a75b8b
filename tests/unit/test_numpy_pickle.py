"""Pickles of arrays: what NumPy writes is read, in every protocol; nothing a hostile one asks for is done."""

from __future__ import annotations

import os
import pickle
import pickletools
import tracemalloc
from collections import OrderedDict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossgauge.errors import Fault, InputError
from crossgauge.readers import pickle_machine
from crossgauge.readers.numpy_pickle import MAX_DEPTH, read_pickles

PROTOCOLS = range(6)
ARRAYS = {
    "float32": np.array([[0.5, -1.5], [2.25, 1e-7]], dtype=np.float32),
    "float16": np.array([0.5], dtype=np.float16),
    "float64": np.arange(6.0).reshape(3, 2),
    "big endian": np.array([1.5, 2.5], dtype=">f8"),
    "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "bool": np.array([True, False]),
    "int64": np.array([-1, 2**60]),
    "text": np.array(["0fa8309c13", "é"]),
    "bytes": np.array([b"ab", b"c"]),
    "empty": np.empty((0, 4), dtype=np.float32),
    "no text": np.array(["", ""]),
    "one": np.array(2.5),
    "three dimensions": np.zeros((2, 1, 3), dtype=np.uint8),
}
PLAIN: tuple[Any, ...] = (
    ["a", "é", "\ud800"], {"k": [1, (2, 3.5)], 7: None}, [True, False], -(2**70), b"\x00\xff", b"", (),
    "x" * 300, [b"y" * 300], list(range(3000)), [1e300, -0.0],
)  # fmt: skip


def write(path: Path, *values: Any, protocol: int = 4) -> Path:
    path.write_bytes(b"".join(pickle.dumps(value, protocol=protocol) for value in values))
    return path


def fault(path: Path, data: bytes) -> Fault:
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_pickles(path)
    (found,) = caught.value.faults
    assert str(path) in found.place
    return found


def refusals(path: Path) -> set[str]:
    try:
        read_pickles(path)
    except InputError as error:
        return {found.code for found in error.faults}
    return set()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.pkl"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_every_protocol(file: Path, name: str, protocol: int) -> None:
    (value,) = read_pickles(write(file, ARRAYS[name], protocol=protocol))
    assert isinstance(value, np.ndarray)
    assert value.shape == ARRAYS[name].shape
    assert value.dtype == ARRAYS[name].dtype.newbyteorder("=")
    assert value.tolist() == ARRAYS[name].tolist()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("number", range(len(PLAIN)))
def test_plain_values_of_every_protocol(file: Path, number: int, protocol: int) -> None:
    assert read_pickles(write(file, PLAIN[number], protocol=protocol)) == (PLAIN[number],)


def test_several_pickles_in_one_file(file: Path) -> None:
    write(file, ARRAYS["float32"], [1], ["a", "b"])
    array, one, ids = read_pickles(file, exactly=3)
    assert isinstance(array, np.ndarray)
    assert (one, ids) == ([1], ["a", "b"])
    with pytest.raises(InputError, match="3 pickles; wanted 1"):
        read_pickles(file, exactly=1)


def test_the_same_array_twice_is_read_once(file: Path) -> None:
    (both,) = read_pickles(write(file, [ARRAYS["float32"]] * 2))
    assert isinstance(both, list)
    assert np.shares_memory(both[0], both[1])


class Reduce:
    def __init__(self, *how: Any) -> None:
        self.how = how

    def __reduce__(self) -> Any:
        return self.how


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Reduce(os.system, ("touch pwned",)), "system"),
        (Reduce(eval, ("open('pwned','w')",)), "eval"),
        (Reduce(getattr, (1, "real")), "getattr"),
        (OrderedDict(a=1), "OrderedDict"),
        (Fraction(1, 2), "Fraction"),
        (np.load, "load"),
        (np.float64, "float64"),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else None,
)
def test_it_names_what_it_refuses_and_runs_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, value: Any, named: str, protocol: int
) -> None:
    monkeypatch.chdir(file.parent)
    found = fault(file, pickle.dumps(value, protocol=protocol))
    assert found.code == "E340"
    assert named in found.found
    assert not (file.parent / "pwned").exists()


@pytest.mark.parametrize(
    "array",
    [
        np.array([Reduce(os.system, ("touch pwned",))], dtype=object),
        np.array(["a", None], dtype=object),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.zeros(2, dtype=np.complex64),
        np.zeros(2, dtype=np.longdouble),
    ],
    ids=["code", "objects", "records", "dates", "complex", "extended"],
)
def test_arrays_that_are_no_numbers_or_text(file: Path, array: Any) -> None:
    found = fault(file, pickle.dumps(array, protocol=2))
    assert found.code in ("E340", "E343")


NUMPY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
F4 = b"cnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
HOSTILE = {
    "a shape of 10^12 without bytes": (NUMPY + b"(I1\n(L1000000000000L\nt" + F4 + b"I00\nS''\ntb.", "E343"),
    "a shape that overflows": (NUMPY + b"(I1\n(I4294967296\nI4294967296\nt" + F4 + b"I00\nS''\ntb.", "E343"),
    "a negative shape": (NUMPY + b"(I1\n(I-1\nt" + F4 + b"I00\nS''\ntb.", "E343"),
    "10^12 empty texts": (
        NUMPY + b"(I1\n(L1000000000000L\ntcnumpy\ndtype\n(S'U0'\nI0\nI1\ntRI00\nS''\ntb.", "E343"),
    "a state of other parts": (NUMPY + b"(I1\nI2\ntb.", "E341"),
    "a state that is no tuple": (NUMPY + b"}b.", "E341"),
    "a dtype that is text": (NUMPY + b"(I1\n(I1\ntS'f4'\nI00\nS'abcd'\ntb.", "E341"),
    "an array without numbers": (NUMPY + b".", "E341"),
    "an array of another class": (NUMPY.replace(b"ndarray", b"dtype") + b".", "E340"),
    "the state of a list": (b"]}b.", "E340"),
    "a call of a list": (b"](tR.", "E340"),
    "arguments that are no tuple": (b"cnumpy\ndtype\n]R.", "E340"),
    "a function as data": (b"cnumpy\ndtype\n.", "E340"),
    "too many arguments": (b"c__builtin__\nbytes\n(I1\ntR.", "E341"),
    "another codec": (b"c_codecs\nencode\n(Va\nVzlib\ntR.", "E340"),
    "an instance": (b"(ios\nsystem\n.", "E340"),
    "a persistent id": (b"Pabc\n.", "E340"),
    "an extension": (b"\x80\x02\x82\x01.", "E340"),
    "a new object": (b"\x80\x02cnumpy\ndtype\n)\x81.", "E340"),
    "a set": (b"\x80\x04\x8f.", "E340"),
    "an out-of-band buffer": (b"\x80\x05\x97.", "E340"),
    "protocol 9": (b"\x80\x09N.", "E341"),
    "a name from the stack": (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "E340"),
    "a name that is no text": (b"\x80\x04K\x01K\x02\x93.", "E341"),
    "a memo nobody put": (b"g5\n.", "E341"),
    "a length beyond the file": (b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7fab.", "E341"),
    "a negative length": (b"T\xff\xff\xff\xffabc.", "E341"),
    "a frame beyond the file": (b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7fN.", "E341"),
    "an empty stack": (b".", "E341"),
    "below the mark": (b"N(0N.", "E341"),
    "no mark": (b"t.", "E341"),
    "no opcode": (b"\xfe\xff", "E341"),
    "a key without a value": (b"(Nd.", "E341"),
    "a list as a key": (b"(]Nd.", "E341"),
    "append to a tuple": (b")Na.", "E340"),
    "an item of a list": (b"]NNs.", "E340"),
    "an integer of 10,000 digits": (b"L" + b"9" * 10_000 + b"L\n.", "E341"),
    "an integer of 255 bytes": (b"\x80\x02\x8a\xff" + b"\x7f" * 255 + b".", "E342"),
    "an integer that is none": (b"I1x\n.", "E341"),
    "a number that is none": (b"Fnope\n.", "E341"),
    "text that is no UTF-8": (b"\x80\x04\x8c\x01\xff.", "E341"),
    "a string without quotes": (b"Sabc\n.", "E341"),
    "an escape that is none": (b"S'\\x'\n.", "E341"),
    "a line without an end": (b"I1", "E341"),
    "no stop": (b"N", "E341"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_and_damaged_pickles(file: Path, name: str) -> None:
    data, code = HOSTILE[name]
    assert fault(file, data).code == code


def test_nothing_is_allocated_for_a_shape_that_is_only_claimed(file: Path) -> None:
    tracemalloc.start()
    fault(file, HOSTILE["a shape of 10^12 without bytes"][0])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 22


def test_lists_in_lists(file: Path) -> None:
    deep: Any = "x"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert read_pickles(write(file, deep)) == (deep,)
    assert fault(file, b"]" * 100_000 + b"a" * 99_999 + b".").code == "E342"
    assert fault(file, b"]q\x00h\x00a.").code == "E342", "a list in itself"


def test_references_that_unfold_without_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.readers.numpy_pickle.MAX_STEPS", 10_000)
    assert fault(file, b"]" + b"2\x86" * 60 + b".").code == "E342"


def test_opcodes_are_counted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickle_machine, "MAX_STEPS", 1000)
    assert fault(file, b"N0" * 1000 + b"N.").code == "E342"


def test_the_same_bytes_are_not_made_again_and_again(file: Path) -> None:
    text = b"X" + (10_000).to_bytes(4, "little") + b"a" * 10_000
    again = b"0c_codecs\nencode\n(h\x00X\x06\x00\x00\x00latin1tR"
    assert fault(file, text + b"q\x00" + again * 50 + b".").code == "E342"


def test_the_size_of_a_file_is_bounded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.readers.numpy_pickle.MAX_FILE", 10)
    assert fault(file, pickle.dumps(list(range(100)))).code == "E342"


def test_memo_numbers_may_be_large(file: Path) -> None:
    file.write_bytes(b"Vabc\np999999999\n0g999999999\n.")
    assert read_pickles(file) == ("abc",)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_cut_is_told(file: Path, protocol: int) -> None:
    whole = pickle.dumps([ARRAYS["float32"], ["a"]], protocol=protocol)
    for length in range(1, len(whole)):
        assert fault(file, whole[:length]).code == "E341"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1, max_size=60))
def test_any_bytes_are_read_or_refused(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    assert refusals(file) <= {"E340", "E341", "E342", "E343"}


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6), st.integers(0, 255), st.sampled_from(PROTOCOLS))
def test_a_changed_byte_is_read_or_refused(file: Path, at: int, byte: int, protocol: int) -> None:
    data = bytearray(pickle.dumps([ARRAYS["text"], {"k": ARRAYS["float32"]}], protocol=protocol))
    data[at % len(data)] = byte
    file.write_bytes(data)
    assert refusals(file) <= {"E340", "E341", "E342", "E343"}


def test_opcodes_that_are_known_exist() -> None:
    machine = pickle_machine.Machine(b"")
    assert set(machine._acts) <= {op.name for op in pickletools.opcodes}
