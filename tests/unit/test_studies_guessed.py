"""Guessed concepts: how many of a thing there are is never said, in no number and in no report."""

from __future__ import annotations

import csv
import io
import shutil
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.concept_study import ConceptStudy
from crossgauge.evaluation import evaluate
from crossgauge.perturb import choose
from crossgauge.plan import make_plan
from crossgauge.registry import load
from crossgauge.report import render
from crossgauge.report.concepts_tables import cell_tables
from crossgauge.report.concepts_text import study_text
from crossgauge.report.html import document
from crossgauge.report.source import read_shown, read_source
from crossgauge.studies import study_pairs, study_run
from crossgauge.studies.guessed import COUNTING, TOTALS, WHY
from tests.encoders import Hashing

EMOJI = Path(load("benchmarks", "emoji").open.__code__.co_filename).parent / "data" / "emoji" / "images"
COUNTED = [f"{one}{average}" for one in COUNTING for average in ("", ":micro")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guessed")
    names = [path.name for path in sorted(EMOJI.glob("*.png"))[:40:8]]
    for name in names:
        shutil.copy(EMOJI / name, folder / name)
    rows = [f"q{at},{one},{other}" for at, (one, other) in enumerate(pairwise(names))]
    (folder / "pairs.csv").write_text("query_id,truth,retrieved\n" + "\n".join(rows) + "\n", encoding="utf-8")
    study_pairs(folder / "pairs.csv", concepts="predicted:5", out=folder / "study")
    return folder


@pytest.fixture(scope="module")
def study(home: Path) -> ConceptStudy:
    return ConceptStudy.from_json((home / "study" / "concepts.json").read_bytes())


def test_measures_that_count_are_undefined_for_every_query(study: ConceptStudy) -> None:
    rows = {row.measure: row for row in study.cells[0].scores}
    for name in COUNTED:
        row = rows[name]
        assert (row.value, row.low, row.high, row.optimistic) == (None, None, None, None)
        assert row.n_undefined == row.n == 4
        assert "not-counted" in row.flags
        assert not any(flag.startswith("no-common") for flag in row.flags)
    assert rows["ca"].value is not None
    assert "not-counted" not in rows["ca"].flags


def test_totals_of_counts_have_no_value(study: ConceptStudy) -> None:
    cell = study.cells[0]
    assert {name for name, value in cell.totals.items() if value is None} >= TOTALS
    assert cell.modes == {}
    assert cell.totals["common"] is not None


def test_each_pair_says_why(study: ConceptStudy, home: Path) -> None:
    for pair in study.cells[0].examples:
        assert pair.counts == ()
        for name in COUNTING:
            assert (pair.values[name], pair.undefined[name]) == (None, WHY)
            assert name not in pair.arithmetic
        assert not any("CE" in remark for remark in pair.remarks)
    columns = pq.read_table(home / "study" / "concepts.parquet").to_pydict()
    for name in COUNTING:
        assert all(value != value for value in columns[f"m.{name}"])  # noqa: PLR0124  (NaN)
    assert all(value == value for value in columns["m.ca"])  # noqa: PLR0124


def test_no_report_prints_a_perfect_count(study: ConceptStudy, home: Path) -> None:
    lines = {line.measure: line for line in cell_tables(study)[0].measures}
    for name in COUNTING:
        assert (lines[name].macro, lines[name].micro, lines[name].undefined) == ("—", "—", "4")
    source = read_shown(home / "study")
    for text in (study_text(study), render([source], "md"), render([source], "tex")):
        assert "a classifier says what a picture shows, not how many" in text
    assert "| CE ↓ | — |  | — |  | 4 | 4 |" in render([source], "md")
    printed = [line for line in render([source], "tex").splitlines() if r"CE $\downarrow$ & " in line]
    assert printed
    assert all("0.00" not in line and line.count("---") == 2 for line in printed)
    rows = list(csv.DictReader(io.StringIO(render([source], "csv"))))
    found = {row["measure"]: row for row in rows if row["row"] == "concept"}
    for name in COUNTED:
        assert (found[name]["value"], found[name]["n_undefined"]) == ("", "4")
        assert "not-counted" in found[name]["flags"]


def test_changes_of_guessed_concepts_count_nothing_either(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path / "VG")
    options = {"captions": "mean"}
    run = tmp_path / "run"
    evaluate("vg-coco", Hashing(), tmp_path / "VG", options=options, out=run, perturb=choose("word-order"))
    dataset = make_plan("vg-coco", data=tmp_path / "VG", options=options).dataset
    found = study_run(run, concepts="predicted:3", dataset=dataset, out=run)
    rows = {row.measure: row for row in found.cells[0].interventions}
    for name in COUNTING:
        assert (rows[name].before, rows[name].delta, rows[name].n) == (None, None, 0)
    assert rows["ca"].delta is not None
    assert WHY.partition(",")[0] in document(read_source(run))
