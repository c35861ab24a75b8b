"""The page of performance is what its numbers say, and the gate notices what is slower."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from crossgauge.ranking import native

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
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The gate with one row, ``work``, which gives what it is told to; recorded at 1 here."""
    monkeypatch.syspath_prepend(str(ROOT / "perf"))
    import gate

    monkeypatch.setattr(gate, "RECORDED", tmp_path / "recorded.json")
    monkeypatch.setattr(gate, "machine", lambda: {"processor": "this one"})
    record(gate, work=(1.0, 0.1))
    return gate


def record(gate, processor: str = "this one", python: str = sys.version, **rows: tuple[float, float]) -> None:
    kept = {name: {"ratio": ratio, "apart": apart} for name, (ratio, apart) in rows.items()}
    known = {"processor": processor, "python": python, "rows": kept}
    gate.RECORDED.write_text(json.dumps({gate.kind(): known}))


def measuring(gate, monkeypatch: pytest.MonkeyPatch, **rows: list[float]) -> dict[str, list[float]]:
    """Let each row give these ratios in turn; what is left of them afterwards was not asked for."""
    kept = {name: list(ratios) for name, ratios in rows.items()}
    made = [SimpleNamespace(name=name, ratio=lambda name=name: kept[name].pop(0)) for name in rows]
    monkeypatch.setattr(gate, "quick", lambda: iter(made))
    return kept


@pytest.mark.parametrize(
    ("measured", "worse", "looks"),
    [([1.24], 0, 1), ([1.3, 1.26], 1, 2), ([1.3, 1.1], 0, 2), ([9.0, 1.0], 0, 2), ([0.5], 0, 1)],
)
def test_only_what_is_a_quarter_worse_twice_fails(
    gate, monkeypatch: pytest.MonkeyPatch, *, measured: list[float], worse: int, looks: int
) -> None:
    left = measuring(gate, monkeypatch, work=measured)
    assert gate.check() == worse
    assert len(measured) - len(left["work"]) == looks


def test_a_ratio_that_was_lowered_by_two_fifths_fails(
    gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record(gate, work=(0.6, 0.1), more=(1.0, 0.1))
    measuring(gate, monkeypatch, work=[1.0, 1.0], more=[1.0])
    assert gate.check() == 1
    assert "work: 1.000, recorded 0.600: WORSE, 67% more, twice" in capsys.readouterr().out


def test_what_cannot_be_told_is_left_out_and_said(
    gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record(gate, noisy=(1.0, 0.26), steady=(1.0, 0.25))
    left = measuring(gate, monkeypatch, noisy=[9.0, 9.0], steady=[1.0], new=[7.0])
    assert gate.check() == 0
    assert left == {"noisy": [9.0, 9.0], "steady": [], "new": [7.0]}
    said = capsys.readouterr().out
    assert "noisy: left out, its recorded ratios are 26% apart" in said
    assert "new: nothing is recorded" in said


@pytest.mark.parametrize("what", ["processor", "python"])
def test_on_another_processor_or_python_only_twice_the_ratio_is_worse(
    gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    record(gate, **{what: "that one"}, work=(1.0, 0.1))
    measuring(gate, monkeypatch, work=[1.9])
    assert gate.check() == 0
    assert f"recorded on another {what}, that one" in capsys.readouterr().out
    measuring(gate, monkeypatch, work=[2.1, 2.2])
    assert gate.check() == 1


def test_it_stops_when_its_time_is_over(
    gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gate, "PATIENCE", -1.0)
    left = measuring(gate, monkeypatch, work=[9.0])
    assert gate.check() == 0
    assert left == {"work": [9.0]}
    assert "work: not looked at" in capsys.readouterr().out


def test_what_is_recorded_is_the_median_and_how_far_passes_are_apart(
    gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.RECORDED.unlink()
    assert gate.check() == 0
    assert "nothing is recorded" in capsys.readouterr().out
    left = iter([2.0, 2.2, 1.9, 9.0, 2.1])
    monkeypatch.setattr(gate, "apart", lambda *_: json.dumps({"work": next(left)}))
    gate.record()
    (kept,) = json.loads(gate.RECORDED.read_text()).values()
    assert kept == {
        "processor": "this one",
        "python": sys.version,
        "rows": {"work": {"ratio": 2.1, "apart": 3.381}},
    }


def test_a_ratio_is_that_of_processor_times(gate) -> None:
    """Three times the work in turn, whatever sleeps."""

    def spin(times: int) -> None:
        sum(number * number for number in range(20_000 * times))
        time.sleep(0.01)

    gate.ENOUGH = 0.2
    found = gate.Quick("spin", lambda: spin(3), lambda: spin(1)).ratio()
    assert 2.0 < found < 4.5


def test_what_is_in_the_repository_is_what_the_gate_reads(gate, monkeypatch: pytest.MonkeyPatch) -> None:
    known = json.loads((ROOT / "perf" / "recorded.json").read_text())
    assert known, "nothing is recorded"
    assert set(known) <= {*native.SETS, native.PORTABLE}
    names = {one.name for one in gate.quick()}
    for kept in known.values():
        assert kept["processor"]
        assert set(kept["rows"]) <= names
        for row in kept["rows"].values():
            assert row["ratio"] > 0
            assert row["apart"] >= 0


def test_the_gate_needs_no_peer() -> None:
    script = (
        "import sys; sys.path.insert(0, 'perf'); import gate, bench; "
        "peers = {'nltk', 'networkx', 'faiss', 'mteb', 'ranx', 'torch', 'torchmetrics'}; "
        "sys.exit(', '.join(peers & {*sys.modules}) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch):
    """The table with few pictures, and without a pause before each run."""
    monkeypatch.syspath_prepend(str(ROOT / "perf"))
    import bench
    import timing

    monkeypatch.setattr(timing, "PAUSE", 0.0)
    for name, few in {"SCENES": 30, "TIMES": 2, "FEW_SCENES": 3}.items():
        monkeypatch.setattr(bench, name, few)
    return bench


def test_concepts_without_peers_say_why(bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WORDNET", tmp_path)
    absent: dict[str, str] = {}
    rows = list(bench.concept_rows(1, absent))
    assert {row.who for row in rows} == {"crossgauge"}
    assert len({row.case for row in rows}) == len(rows) == 4
    assert set(absent) == {"NLTK and networkx", "NLTK"}
    for why in absent.values():
        assert "not installed" in why or f"{tmp_path} has no WordNet database" in why


def test_concepts_beside_peers_are_the_same_values(bench) -> None:
    pytest.importorskip("nltk", reason="NLTK is not installed: see the extra [bench]")
    pytest.importorskip("networkx")
    if not bench.WORDNET.is_dir():
        pytest.skip("no WordNet database here (Debian: wordnet-base)")
    absent: dict[str, str] = {}
    ours, theirs = itertools.islice(bench.concept_rows(1, absent), 2)  # the others read the files again
    assert absent == {}
    assert (ours.who, theirs.who, ours.case) == ("crossgauge", "NLTK and networkx", theirs.case)
    assert theirs.note == "the same values; 3 pairs"
    assert theirs.cpu > 1.0, "or we are slower"
