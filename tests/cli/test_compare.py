"""``crossgauge compare``: two runs, query by query, as people type it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest

from crossgauge.benchmarks.gem import BENCHMARK as GEM
from crossgauge.cli import main
from crossgauge.compare import sign_flip_p
from crossgauge.evaluation import evaluate
from crossgauge.report.source import read_source
from crossgauge.report.versus import versus
from tests.captioners import Speaking
from tests.encoders import Hashing
from tests.unit.test_perturbed import TOY

TABLE = "per_query.parquet"


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return done.value.code or 0, captured.out, captured.err


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for name, model in (("a", "random:8"), ("b", "random:32")):
        evaluate("emoji", model, tasks=["t2i", "classify"], languages=["en"], out=folder / name)
    return folder / "a", folder / "b"


def measured(run: Path, cell: str, measure: str) -> np.ndarray:
    return pq.read_table(run / "cells" / cell / TABLE).column(f"m.{measure}").to_numpy()


def test_each_line_has_before_after_change_and_p(runs, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "compare", *runs, "--plain")
    assert code == 0
    assert out.startswith("emoji ; before: random:8@1-8-0 ; after: random:32@1-32-0\n")
    (line,) = [line for line in out.splitlines() if line.startswith("t2i.en.plain") and "R@10 %" in line]
    before, after = (measured(run, "t2i.en.plain", "hit@10") for run in runs)
    gained, lost = int((after > before).sum()), int((after < before).sum())
    assert gained + lost > 5, "or this shows nothing"
    p = binomtest(gained, gained + lost).pvalue
    shown = line.split()
    assert shown[4:6] == [f"{100 * before.mean():.1f}", f"{100 * after.mean():.1f}"]
    assert shown[-2:] == [f"{p:.2g}", "291"]


def test_json_holds_all_digits(runs, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "compare", *runs, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["schema"], found["benchmark"], found["partial"]) == (1, "emoji", [])
    results = [read_source(run).result for run in runs]
    values = [{(c.key, row.measure): row.value for c in one.cells for row in c.scores} for one in results]
    changes = {(one["cell"], one["measure"]): one for one in found["changes"]}
    assert changes.keys() == values[0].keys()
    for key, one in changes.items():
        assert one["before"] == pytest.approx(values[0][key], rel=1e-12)
        assert one["after"] == pytest.approx(values[1][key], rel=1e-12)
        assert one["low"] <= one["delta"] <= one["high"]
    before, after = (measured(run, "t2i.en.plain", "mrr") for run in runs)
    assert changes["t2i.en.plain", "mrr"]["p"] == sign_flip_p(after - before)
    before, after = (measured(run, "t2i.en.plain", "hit@5") for run in runs)
    gained, lost = int((after > before).sum()), int((after < before).sum())
    wanted = binomtest(gained, gained + lost).pvalue
    assert changes["t2i.en.plain", "hit@5"]["p"] == pytest.approx(wanted, rel=1e-12)


def test_one_cell_and_the_other_way_round(runs, capsys: pytest.CaptureFixture[str]) -> None:
    forth, back = (
        json.loads(said(capsys, "compare", *order, "--cell", "classify.en.plain", "--json")[1])["changes"]
        for order in (runs, runs[::-1])
    )
    assert {one["cell"] for one in forth} == {"classify.en.plain"}
    for one, other in zip(forth, back, strict=True):
        assert (one["delta"], one["p"]) == (-other["delta"], other["p"])


def test_a_run_beside_itself_changed_nothing(runs) -> None:
    for one in versus(read_source(runs[0]), read_source(runs[0])).changes:
        assert (one.delta, one.low, one.high, one.p) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("task", ["rank", "drawn", "choose"])
def test_clusters_classes_and_draws_are_those_of_the_runs(tmp_path: Path, task: str) -> None:
    """Values are the scores of the runs, so weights and draws are theirs; captions flip by picture."""
    for name, model in (("a", Hashing()), ("b", Hashing(dim=5))):
        evaluate(TOY, model, tasks=[task], languages=["en"], out=tmp_path / name)
    sides = [read_source(tmp_path / name) for name in "ab"]
    scores = [{row.measure: row.value for row in side.result.cells[0].scores} for side in sides]
    found = versus(*sides)
    assert {one.measure for one in found.changes} == scores[0].keys()
    for one in found.changes:
        assert one.before == pytest.approx(scores[0][one.measure])
        assert one.after == pytest.approx(scores[1][one.measure])
    clusters = pq.read_table(tmp_path / "a/cells" / f"{task}.en.plain" / TABLE).column("cluster").to_numpy()
    before, after = (measured(tmp_path / name, f"{task}.en.plain", "mrr") for name in "ab")
    if task != "drawn":
        assert len(set(clusters)) < len(clusters)
        mrr = next(one for one in found.changes if one.measure == "mrr")
        assert mrr.p == sign_flip_p(after - before, clusters=clusters)


class Brief(Speaking):
    """Says half as much."""

    name = "brief"

    def caption(self, prepared: Sequence[str], *, language: str | None) -> list[str | None]:
        return [text and text[: len(text) // 2] for text in super().caption(prepared, language=language)]


def test_captions_are_compared_item_by_item(tmp_path: Path) -> None:
    GEM.sample(tmp_path / "GEM")
    for name, model in (("a", Speaking()), ("b", Brief())):
        evaluate("gem", model, tmp_path / "GEM", out=tmp_path / name)
    sides = [read_source(tmp_path / name) for name in "ab"]
    found = versus(*sides)
    assert len(found.changes) == sum(len(cell.scores) for cell in sides[0].result.cells) > 3
    for one in found.changes:
        before, after = (measured(tmp_path / name, one.cell, one.measure) for name in "ab")
        assert one.delta == pytest.approx(np.mean(after - before))
        assert one.p == sign_flip_p(after - before)
    assert min(one.delta for one in found.changes) < 0


def test_runs_that_measured_something_else_are_refused(
    runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate("emoji", "random:8", tasks=["t2i"], languages=["en"], limit=30, out=tmp_path / "few")
    code, out, err = said(capsys, "compare", runs[0], tmp_path / "few")
    assert (code, out) == (3, "")
    assert "E322" in err
    assert "n: 291 ≠ 30" in err


def test_without_the_values_of_the_queries_nothing_is_compared(
    runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(runs[1] / "scores.json", tmp_path / "b.json")
    code, _, err = said(capsys, "compare", runs[0], tmp_path / "b.json")
    assert code == 3
    assert "E325" in err


def test_other_queries_under_the_same_signature_are_found(runs, tmp_path: Path) -> None:
    from crossgauge.errors import InputError

    shutil.copytree(runs[1], tmp_path / "b")
    path = tmp_path / "b/cells/t2i.en.plain" / TABLE
    table = pq.read_table(path)
    ids = table.column("query_id").to_pylist()
    place = table.schema.get_field_index("query_id")
    pq.write_table(table.set_column(place, "query_id", pa.array(ids[::-1])), path)
    (path.parent / "sums.json").unlink()
    with pytest.raises(InputError, match=r"E326.*other queries"):
        versus(read_source(runs[0]), read_source(tmp_path / "b"))


def test_a_partial_run_is_told(runs, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copytree(runs[1], tmp_path / "b")
    result = read_source(runs[1]).result
    cut = msgspec.structs.replace(result, partial=("1 of 9 cells failed",))
    (tmp_path / "b" / "scores.json").write_bytes(cut.to_json())
    assert "PARTIAL: 1 of 9 cells failed" in said(capsys, "compare", runs[0], tmp_path / "b")[1]


@pytest.mark.parametrize("side", [0, 1])
def test_a_table_of_other_values_than_the_result_is_not_believed(
    runs, tmp_path: Path, capsys: pytest.CaptureFixture[str], side: int
) -> None:
    copy = tmp_path / "b"
    shutil.copytree(runs[side], copy)
    cell = copy / "cells" / "t2i.en.plain"
    (cell / "sums.json").unlink()  # nothing is left to compare with but the result
    table = pq.read_table(cell / TABLE)
    at = table.column_names.index("m.hit@1")
    pq.write_table(table.set_column(at, "m.hit@1", pa.array(np.ones(len(table)))), cell / TABLE)
    sides = [copy, runs[1]] if side == 0 else [runs[0], copy]
    code, out, err = said(capsys, "compare", *sides, "--cell", "t2i.en.plain")
    assert (code, out) == (3, "")
    assert err.count("error E329") == 1
    assert "hit@1" in err
