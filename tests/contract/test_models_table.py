"""The table of model families names all there are, and each row's command and test exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from crossgauge import registry
from crossgauge.models._transformers.families import FAMILIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/howto/models.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and "`crossgauge run" in line
]
COMMANDS = [command for row in ROWS for command in re.findall(r"`(crossgauge run [^`]+)`", row[2])]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_a_benchmark_and_a_model_that_are(command: str) -> None:
    words = shlex.split(command)
    benchmark = registry.load("benchmarks", words[2])
    assert callable(registry.load("models", words[words.index("--model") + 1].partition(":")[0]))
    assert ("--data" in words) == benchmark.needs_data
    tasks = {task.name for task in benchmark.tasks}
    assert "--tasks" not in words or words[words.index("--tasks") + 1] in tasks


def test_every_row_is_tested_somewhere() -> None:
    assert len(ROWS) > 10
    absent = [row[4] for row in ROWS if not (ROOT / row[4]).is_file()]
    assert absent == []


def test_every_model_is_in_the_table() -> None:
    named = {word.partition(":")[0] for word in re.findall(r"[\w:-]+", " ".join(row[2] for row in ROWS))}
    assert set(registry.names("models")) <= named


def test_every_family_of_transformers_is_in_the_table() -> None:
    listed = " ".join(row[1] for row in ROWS)
    assert [family.title for family in FAMILIES.values() if family.title not in listed] == []
