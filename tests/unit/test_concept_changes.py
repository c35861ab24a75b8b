"""Changed queries in a concept study: paired with themselves, against the right picture they had."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

from crossgauge.annotations import read_annotations
from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.concept_study import ConceptStudy
from crossgauge.concepts.evidence import PairResult, explain
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import InputError
from crossgauge.evaluation import evaluate
from crossgauge.perturb import choose
from crossgauge.plan import make_plan
from crossgauge.report import render
from crossgauge.report.concepts_effects import RULE, TITLE, concept_effects
from crossgauge.report.concepts_text import study_text
from crossgauge.report.html import document
from crossgauge.report.source import read_source
from crossgauge.studies import study_run
from tests.encoders import Hashing

NAMES = ("word-order", "object-swap", "size")
CELL = "caption2image.en.plain"
EACH = {"captions": "each"}
MEASURES = ("ca", "ncs", "ce", "sd", "sd_mean", "enumeration_disagreement", "hits", "misses")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("changes") / "VG"
    BENCHMARK.sample(home)
    return home


@pytest.fixture(scope="module")
def run(data: Path) -> Path:
    home = data.parent / "run"
    evaluate("vg-coco", Hashing(), data, options=EACH, out=home, perturb=choose(NAMES, seed=3))
    studied(home, data, out=home)
    return home


def studied(run: Path, data: Path, **how: Any) -> ConceptStudy:
    return study_run(
        run, concepts="dataset", dataset=make_plan("vg-coco", data=data, options=EACH).dataset, **how
    )


@pytest.fixture(scope="module")
def study(run: Path) -> ConceptStudy:
    return ConceptStudy.from_json((run / "concepts.json").read_bytes())


def first_pictures(run: Path, key: str) -> dict[str, tuple[str, str]]:
    """Query → the picture that it asks for, and the one that came first, from the ranking alone."""
    rows = pq.read_table(run / "cells" / key / "per_query.parquet").to_pylist()

    def picture(item: str) -> str:
        return item.split("#", maxsplit=1)[0].rsplit(":", maxsplit=1)[-1]

    return {row["query_id"]: (picture(row["relevant"][0]), picture(row["top_id"][0])) for row in rows}


def by_hand(data: Path, truth: str, retrieved: str) -> PairResult:
    known = make_plan("vg-coco", data=data, options=EACH).dataset.annotations().scenes  # type: ignore[attr-defined]
    settings = ConceptSettings(pairs="all")
    return explain(Pair(known[truth], known[retrieved]), hierarchy=WordNet(), settings=settings)


def test_every_measure_of_every_intervention_has_its_paired_change(study: ConceptStudy) -> None:
    rows = study.cells[0].interventions
    assert [(row.name, row.measure) for row in rows] == [
        (name, measure) for name in ("word-order", "object-swap") for measure in MEASURES
    ]  # the size of nothing was changed
    for row in rows:
        assert row.cell == CELL
        assert row.changed + sum(row.unchanged.values()) == study.cells[0].queries
        if row.delta is not None and row.before is not None and row.after is not None:
            assert row.delta == pytest.approx(row.after - row.before)


@pytest.mark.parametrize("name", ["word-order", "object-swap"])
def test_values_are_those_of_each_changed_query_explained_alone(
    run: Path, data: Path, study: ConceptStudy, name: str
) -> None:
    before, after = first_pictures(run, CELL), first_pictures(run, f"{CELL}+{name}")
    found = {row.measure: row for row in study.cells[0].interventions if row.name == name}
    for measure in MEASURES:
        old = [getattr(by_hand(data, *before[query]), measure) for query in after]
        new = [getattr(by_hand(data, before[query][0], after[query][1]), measure) for query in after]
        both = np.array([old, new])[:, ~np.isnan(np.array([old, new])).any(axis=0)]
        row = found[measure]
        assert row.n == both.shape[1]
        if row.n:
            assert (row.before, row.after) == pytest.approx(tuple(both.mean(axis=1)))


def test_right_pictures_are_judged_on_both_sides(run: Path, study: ConceptStudy) -> None:
    """The study itself leaves them out: with failures alone, sides would hold other queries."""
    assert study.settings["pairs"] == "failures"
    after = first_pictures(run, f"{CELL}+word-order")
    before = {query: first_pictures(run, CELL)[query] for query in after}
    assert any(truth == first for truth, first in before.values())
    row = next(row for row in study.cells[0].interventions if row.measure == "ca")
    assert row.n == row.changed == len(after)
    assert "|pairs:all|" in row.signature
    assert "|set.perturb:word-order#3|" in row.signature


def test_cells_are_what_they_are_without_interventions(run: Path, data: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    evaluate("vg-coco", Hashing(), data, options=EACH, out=plain)
    ours, theirs = (studied(one, data).cells[0] for one in (run, plain))
    assert theirs.interventions == ()
    assert msgspec.structs.replace(ours, interventions=()).totals == theirs.totals
    assert [row.value for row in ours.scores] == [row.value for row in theirs.scores]


def test_changed_queries_that_are_gone_are_told(run: Path, data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    (copy / "cells" / f"{CELL}+word-order" / "per_query.parquet").unlink()
    study = studied(copy, data)
    assert any(line.startswith(f"W257 {CELL}+word-order") for line in study.audit)
    assert {row.name for row in study.cells[0].interventions} == {"object-swap"}


def test_a_query_without_annotation_on_one_side_is_on_neither(
    run: Path, data: Path, study: ConceptStudy, tmp_path: Path
) -> None:
    after, before = first_pictures(run, f"{CELL}+word-order"), first_pictures(run, CELL)
    bare = next(after[query][1] for query in after if after[query] != before[query])
    scenes = make_plan("vg-coco", data=data, options=EACH).dataset.annotations().scenes  # type: ignore[attr-defined]
    table = tmp_path / "objects.jsonl"
    shown = {name: sorted(scene.concepts) for name, scene in scenes.items() if name != bare}
    lines = [{"image": name, "objects": [{"synset": one} for one in found]} for name, found in shown.items()]
    table.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert len(read_annotations(table, hierarchy=WordNet()).scenes) == len(scenes) - 1
    known = make_plan("vg-coco", data=data, options=EACH).dataset
    found = study_run(run, concepts=str(table), dataset=known).cells[0].interventions
    left = [query for query in after if bare not in {*after[query], *before[query]}]
    assert 0 < len(left) < len(after)
    assert next(row.n for row in found if (row.name, row.measure) == ("word-order", "hits")) == len(left)


def test_what_the_query_mentioned_before_is_judged_on_both_sides(run: Path, data: Path) -> None:
    informed = studied(run, data, settings=ConceptSettings(variant="informed")).cells[0].interventions
    swapped = {row.measure: row for row in informed if row.name == "object-swap"}
    assert "|mentions:query as it was|" in swapped["ca"].signature
    hits, misses = swapped["hits"], swapped["misses"]
    assert None not in {hits.before, misses.before, hits.after, misses.after}
    assert hits.before + misses.before == pytest.approx(hits.after + misses.after)  # type: ignore[operator]


def test_every_format_shows_it(run: Path, study: ConceptStudy) -> None:
    line = concept_effects(study.cells[0])[0]
    assert (line.name, line.measure, line.changed) == ("word-order", "CA % ↑", "8 of 8")
    assert line.change.startswith(("+", "-", "0"))
    source = read_source(run)
    for text in (study_text(study), render([source], "md"), document(source)):
        assert TITLE in text
        assert line.change in text
        assert RULE.partition(";")[0] in text
    assert line.change in render([source], "tex").replace("{[}", "[")
    assert line.change.split()[0] in study_text(study, console_width=60, plain=True)


def test_csv_holds_it_in_full_precision(run: Path, study: ConceptStudy) -> None:
    lines = list(csv.DictReader(io.StringIO(render([read_source(run)], "csv"))))
    rows = [line for line in lines if line["row"] == "concept intervention"]
    assert [(line["intervention"], line["measure"]) for line in rows] == [
        (row.name, row.measure) for row in study.cells[0].interventions
    ]
    first = study.cells[0].interventions[0]
    assert (float(rows[0]["before"]), float(rows[0]["value"])) == (first.before, first.delta)
    assert (rows[0]["unit"], rows[0]["direction"], rows[0]["changed"]) == ("fraction", "higher", "8")


def test_changes_that_somebody_edited_are_refused(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    document = json.loads((copy / "concepts.json").read_text(encoding="utf-8"))
    document["cells"][0]["interventions"][0]["after"] = 0.99
    (copy / "concepts.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=r"E327 .*concepts.json: word-order of .* ca"):
        read_source(copy).study()


def test_changed_cells_that_somebody_edited_are_refused(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    table = copy / "cells" / f"{CELL}+object-swap" / "per_query.parquet"
    table.write_bytes((copy / "cells" / CELL / "per_query.parquet").read_bytes())
    with pytest.raises(InputError, match="E329"):
        read_source(copy)


def test_a_study_of_before_there_were_changes_is_read(run: Path) -> None:
    stored = json.loads((run / "concepts.json").read_text(encoding="utf-8"))
    for cell in stored["cells"]:
        del cell["interventions"], cell["modes"]
    old = ConceptStudy.from_json(json.dumps(stored).encode())
    assert (old.cells[0].interventions, old.cells[0].modes) == ((), {})
    assert TITLE not in study_text(old)
