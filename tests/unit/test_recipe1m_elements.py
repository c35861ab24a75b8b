"""A JSON list read element by element: borders, places of faults, and memory that does not grow."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossgauge.errors import Fault
from crossgauge.readers import json_elements
from crossgauge.readers.json_elements import decode_elements, elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(alphabet='a"\\{}[],é ', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3) | st.lists(VALUES, max_size=3))


class Named(msgspec.Struct):
    id: str
    parts: list[int] = []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "layer1.json"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OBJECTS, st.sampled_from([None, 1, 3]), st.booleans(), st.integers(1, 40))
def test_every_element_as_it_stands(
    file: Path, wanted: list[object], indent: int | None, ascii_only: bool, block: int
) -> None:
    file.write_text(json.dumps(wanted, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    faults: list[Fault] = []
    found = list(elements(file, faults, block=block))
    assert faults == []
    assert [json.loads(one.data) for one in found] == wanted
    whole = file.read_bytes()
    assert all(whole[one.offset : one.offset + len(one.data)] == one.data for one in found)
    assert [one.index for one in found] == list(range(len(wanted)))


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ('{"a": 1}', "byte 0", "begins with"),
        ("[", "byte 1", "ends inside or after element 0"),
        ('[{"id": "a"}', "byte 12", "ends inside or after element 1"),
        ('[{"id": "a"}, {"id": "b', "byte 12", "ends inside or after element 1"),
        ('[{"id": "a"} {"id": "b"}]', "byte 12", "nothing around element 1"),
        ('[{"id": "a"}, 17, {"id": "b"}]', "byte 12", "', 17,' around element 1"),
        ('[{"id": "a"},]', "byte 12", "',' around element 1"),
        ('[,{"id": "a"}]', "byte 1", "',' around element 0"),
        ('["a"]', "byte 1", "around element 0"),
        ('[{"id": "a"}] []', "byte 13", "behind the end"),
        ('[{"id": "a"}]{', "byte 13", "behind the end"),
    ],
)  # fmt: skip
def test_a_damaged_list_is_one_fault(file: Path, text: str, place: str, found: str) -> None:
    file.write_text(text)
    faults: list[Fault] = []
    list(elements(file, faults))
    (fault,) = faults
    assert fault.code == "E330"
    assert fault.place == f"{file} {place}"
    assert found in fault.found


@pytest.mark.parametrize(
    "text", ['\ufeff[{"id": "a"}]', ' \n[{"id": "a"}]\n\n', '[{"id": "a"}]\0\0', "[]", "[ ]"]
)
def test_what_surrounds_a_whole_list(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    faults: list[Fault] = []
    assert len(list(elements(file, faults))) == text.count("id")
    assert faults == []


def test_a_damaged_element_does_not_hide_the_others(file: Path) -> None:
    file.write_text(
        '[{"id": "a"}, {"id": 7}, {"parts": []}, {"id": "d", "parts": [1, "x"]}, {"id": "e",}, {"id": "f"}]'
    )
    faults: list[Fault] = []
    assert [one.id for _, one in decode_elements(file, Named, faults)] == ["a", "f"]
    assert [fault.place for fault in faults] == [
        f"{file} $[1].id (byte 14)", f"{file} $[2] (byte 25)", f"{file} $[3].parts[1] (byte 40)",
        f"{file} $[4] (byte 72)",
    ]  # fmt: skip
    assert {fault.code for fault in faults} == {"E331"}
    assert all(fault.fix.startswith("mend the element") for fault in faults)
    assert "missing required field `id`" in faults[1].found


def test_what_is_no_object_counts_in_the_places_of_those_behind_it(file: Path) -> None:
    file.write_text(
        '[17, {"id": "a"}, null, "b, [\\"{", -1.5e3, {"id": 7}, {"id": "c"}, true, {"id": 8}, 0, {"id": "cut'
    )
    faults: list[Fault] = []
    found = list(decode_elements(file, Named, faults))
    assert [(element.index, one.id) for element, one in found] == [(1, "a"), (6, "c")]
    assert [fault.place.partition(" (")[0] for fault in faults if fault.code == "E331"] == [
        f"{file} $[5].id", f"{file} $[8].id",
    ]  # fmt: skip
    assert faults[-1].found == "ends inside or after element 10"


def test_half_a_surrogate_pair_is_a_fault(file: Path) -> None:
    file.write_text('[{"id": "\\ud83d"}, {"id": "\\ud83d\\ude00"}]')
    faults: list[Fault] = []
    assert [one.id for _, one in decode_elements(file, Named, faults)] == ["\U0001f600"]
    assert [fault.found for fault in faults] == ["half a surrogate pair, or a value that is cut off"]


def test_deep_nesting_is_a_fault(file: Path) -> None:
    file.write_text('[{"id": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + '}, {"id": "b"}]')
    faults: list[Fault] = []
    assert [one.id for _, one in decode_elements(file, Named, faults)] == ["b"]
    assert [fault.code for fault in faults] == ["E331"]


def test_an_element_without_an_end_is_bounded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_elements, "MAX_ELEMENT", 1000)
    file.write_text('[{"id": "a}' + " " * 5000)
    faults: list[Fault] = []
    assert list(elements(file, faults, block=100)) == []
    assert "without an end" in faults[0].found


def test_reading_stops_at_a_thousand_faults(file: Path) -> None:
    file.write_text("[" + ", ".join(["{}"] * 3000) + "]")
    faults: list[Fault] = []
    assert list(decode_elements(file, Named, faults)) == []
    assert len(faults) == json_elements.MOST + 1
    assert "the rest was not read" in faults[-1].fix


def test_memory_does_not_grow_with_the_file(file: Path) -> None:
    def most(count: int) -> int:
        file.write_text("[" + ", ".join([json.dumps({"id": "a" * 100})] * count) + "]")
        tracemalloc.start()
        assert sum(1 for _ in decode_elements(file, Named, [])) == count
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    block = json_elements.BLOCK
    small, large = most(2 * block // 110), most(6 * block // 110)
    assert large < 1.2 * small
