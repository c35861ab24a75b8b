"""The page of performance is what its numbers say, and the gate notices what is slower."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    script = ROOT / "scripts" / "build_performance.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_row_of_the_page_says_what_it_is() -> None:
    numbers = json.loads((ROOT / "perf" / "performance.json").read_text())
    assert {"processor", "cores", "python", "ranks"} <= set(numbers["machine"])
    assert numbers["versions"]["numpy"]
    for row in numbers["rows"]:
        assert row["case"]
        assert row["who"]
        assert row["wall"] > 0


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "perf"))
    import bench

    monkeypatch.setattr(bench.time, "sleep", lambda _: None)
    return bench


@pytest.mark.parametrize(
    ("measured", "worse", "tries"),
    [([1.2], 0, 1), ([1.3, 1.26, 1.31], 1, 3), ([1.3, 1.1], 0, 2), ([9.0, 9.0, 1.0], 0, 3), ([0.5], 0, 1)],
)
def test_only_what_stays_a_quarter_worse_fails(
    bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, measured: list[float], worse: int, tries: int
) -> None:
    kinds = ["portable", *bench.native.SETS]
    (tmp_path / "recorded.json").write_text(json.dumps({kind: {"work": 1.0} for kind in kinds}))
    monkeypatch.setattr(bench, "RECORDED", tmp_path / "recorded.json")
    left = list(measured)
    monkeypatch.setattr(bench, "quick", lambda: iter([("work", lambda: left.pop(0))]))
    assert bench.check(record=False) == worse
    assert len(measured) - len(left) == tries


def test_nothing_recorded_is_nothing_worse(
    bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "RECORDED", tmp_path / "recorded.json")
    monkeypatch.setattr(bench, "quick", lambda: iter([("work", lambda: 3.0)]))
    assert bench.check(record=False) == 0
    assert "nothing is recorded" in capsys.readouterr().out
    assert bench.check(record=True) == 0
    assert next(iter(json.loads((tmp_path / "recorded.json").read_text()).values())) == {"work": 3.0}
