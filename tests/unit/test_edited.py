"""What differs between a Result and the cells in its folder is told in a few words, however much it is."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from crossgauge.report.edited import changes
from crossgauge.result import CellResult, GroupRow, Result
from tests.unit.report_results import with_parts

MANY = 5000


def kept(home: Path, cell: CellResult) -> Path:
    """A run folder that holds the cell."""
    inside = home / "cells" / cell.key
    inside.mkdir(parents=True)
    (inside / "result.json").write_bytes(msgspec.json.encode(cell))
    return home


def groups(value: float, *changed: int) -> tuple[GroupRow, ...]:
    return tuple(
        GroupRow(group=f"group {n}", n=2, values={"hit@1": value if n in changed else 0.5})
        for n in range(MANY)
    )


def told(home: Path, **fields: object) -> str:
    """What is said of a Result whose first cell has these fields, where the folder has groups all alike."""
    result = with_parts()
    first = msgspec.structs.replace(result.cells[0], groups=groups(0.5))
    folder = kept(home, first)
    edited = msgspec.structs.replace(first, **fields)
    shown: Result = msgspec.structs.replace(result, cells=(edited,))
    assert changes(msgspec.structs.replace(result, cells=(first,)), folder) == []
    (fault,) = changes(shown, folder)
    assert fault.code == "E328"
    assert str(folder) in fault.place
    return str(fault)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ((7,), "groups group 7 (1 of 5,000 differ); the first, values: scores.json says {'hit@1': 0.25}"),
        ((3, 900), "groups group 3, group 900 (2 of 5,000 differ)"),
        (range(MANY), "groups group 0, group 1, group 2 and 4,997 more (5,000 of 5,000 differ)"),
    ],
)
def test_of_groups_the_first_that_differ_are_named(
    tmp_path: Path, changed: tuple[int, ...], words: str
) -> None:
    said = told(tmp_path, groups=groups(0.25, *changed))
    assert words in said
    assert "result.json {'hit@1': 0.5}" in said
    assert len(said.replace(str(tmp_path), "")) < 400


def test_fewer_groups_are_counted(tmp_path: Path) -> None:
    said = told(tmp_path, groups=groups(0.5)[:-1])
    assert "scores.json says '4,999 of them'" in said
    assert "result.json '5,000 of them'" in said
    assert len(said.replace(str(tmp_path), "")) < 400


def test_of_long_texts_the_part_that_differs_is_shown(tmp_path: Path) -> None:
    ids = ", ".join(f"q{n}" for n in range(MANY))
    result = with_parts()
    first = msgspec.structs.replace(result.cells[0], warnings=(f"W201 {ids}",))
    folder = kept(tmp_path, first)
    edited = msgspec.structs.replace(first, warnings=(f"W201 {ids.replace('q4000', 'q4OOO')}",))
    (fault,) = changes(msgspec.structs.replace(result, cells=(edited,)), folder)
    assert "q4OOO" in fault.found
    assert "q4000" in fault.found
    assert len(fault.found) < 400
