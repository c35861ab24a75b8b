"""The command that users give, in this process: what it wrote, and what it said."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.cli import main
from crossgauge.result import Result


def ran(out: Path, *arguments: object) -> Result:
    """The scores of ``crossgauge run`` in the folder ``out``, which must have gone well."""
    assert stopped("run", *arguments, "--plain", "--out", out) == 0
    return Result.from_json((out / "scores.json").read_bytes())


def stopped(*arguments: object) -> int:
    """The exit status of any command."""
    with pytest.raises(SystemExit) as done:
        main([str(one) for one in arguments])
    return int(done.value.code or 0)
