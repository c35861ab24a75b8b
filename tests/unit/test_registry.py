"""Names: found by file or entry point, suggested when misspelt."""

from __future__ import annotations

import pytest

from crossgauge import registry
from crossgauge.errors import UsageError


@pytest.mark.parametrize(
    ("kind", "name", "suggested"),
    [
        ("benchmarks", "Emojis", "emoji"),
        ("models", "conse-lite", "conse-lite2"),
        ("measures", "Hits@10", "hit"),
    ],
)
def test_an_unknown_name_lists_what_there_is(kind: registry.Kind, name: str, suggested: str) -> None:
    with pytest.raises(UsageError) as unknown:
        registry.load(kind, name)
    fault = unknown.value.faults[0]
    assert fault.code == "E110"
    assert suggested in fault.fix
    assert all(known in fault.wanted for known in registry.names(kind))


def test_files_that_begin_with_an_underscore_are_not_names() -> None:
    assert not [
        n for kind in ("benchmarks", "models", "measures") for n in registry.names(kind) if n[0] in "_-"
    ]
