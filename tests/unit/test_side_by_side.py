"""Ranking and concept measures in one table, and studies that stand alone."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.errors import InputError
from crossgauge.evaluation import evaluate
from crossgauge.plan import make_plan
from crossgauge.report import render
from crossgauge.report.concepts_text import study_text
from crossgauge.report.html import document
from crossgauge.report.markdown_text import escape
from crossgauge.report.side_by_side import FAILURES, TITLE, side_by_side
from crossgauge.report.source import Source, read_shown, read_source
from crossgauge.studies import study_pairs, study_run
from tests.encoders import Constant, Hashing

EACH = {"captions": "each"}
OBJECTS = '{"image":"a","objects":[{"synset":"dog.n.01"}]}\n{"image":"b","objects":[{"synset":"cat.n.01"}]}\n'


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home = tmp_path_factory.mktemp("models")
    BENCHMARK.sample(home / "VG")
    for name, encoder in (("one", Hashing()), ("other", Constant())):
        evaluate("vg-coco", encoder, home / "VG", options=EACH, out=home / name)
        study(home / name)
    return home / "one", home / "other"


def study(run: Path, **how: Any) -> None:
    dataset = make_plan("vg-coco", data=run.parent / "VG", options=EACH).dataset
    study_run(run, concepts="dataset", dataset=dataset, out=run, **how)


def sources(runs: tuple[Path, ...]) -> list[Source]:
    return [read_shown(run) for run in runs]


def scores_of(source: Source) -> Mapping[str, float | None]:
    study = source.study()
    assert study is not None
    return {row.measure: row.value for row in (*source.result.cells[0].scores, *study.cells[0].scores)}


def joint(text: str) -> list[list[str]]:
    """The cells of the two lines of the table of a Markdown or LaTeX text."""
    lines = text[text.index(TITLE) :].splitlines()
    between = " & " if any(" & " in line for line in lines) else " | "
    found = [line for line in lines if between in line]
    rows = found[1:3] if between == " & " else found[2:4]
    return [re.sub(r"^[| ]+|[| \\\\]+$", "", line).split(between) for line in rows]


def alone(home: Path, *, settings: ConceptSettings | None = None) -> Path:
    home.mkdir(parents=True)
    (home / "a.jsonl").write_text(OBJECTS, encoding="utf-8")
    (home / "pairs.csv").write_text("query_id,truth,retrieved,text\nq,a,b,a dog\n", encoding="utf-8")
    study_pairs(home / "pairs.csv", concepts=str(home / "a.jsonl"), out=home / "study", settings=settings)
    return home / "study"


class TestModels:
    def test_a_row_a_model_holds_both_kinds(self, runs: tuple[Path, Path]) -> None:
        both = side_by_side(sources(runs))
        assert both is not None
        assert both.heads[:5] == ("model", "R@1 % ↑", "R@5 % ↑", "R@10 % ↑", "MRR % ↑")
        assert both.heads[5:9] == ("CA % ↑", "NCS ↑", "CE ↓", "SD % ↓")
        assert both.heads[-1] == "pairs judged"
        assert len(both.rows) == 2
        for row, source in zip(both.rows, sources(runs), strict=True):
            values, found = scores_of(source), source.study()
            assert found is not None
            assert row[0].startswith(source.result.model)
            assert row[1] == f"{100 * (values['hit@1'] or 0):.1f}"
            assert row[5] == f"{100 * (values['ca'] or 0):.1f}"
            assert row[-1] == str(found.cells[0].pairs)
        assert FAILURES in both.notes

    @pytest.mark.parametrize("ending", ["md", "tex"])
    def test_the_joint_table_stands_in_papers(self, runs: tuple[Path, Path], ending: str) -> None:
        text = re.sub(r"\*\*([^*]+)\*\*|\\textbf\{([^}]+)\}", r"\1\2", render(sources(runs), ending))
        both = side_by_side(sources(runs))
        assert both is not None
        assert text.count(TITLE) == 1
        ends = {"md": "| {} |", "tex": r"{} \\"}[ending]
        between = {"md": " | ", "tex": " & "}[ending]
        for row in both.rows:
            numbers = [number.replace("—", "---") if ending == "tex" else number for number in row[1:]]
            assert ends.format(between.join(numbers)).removeprefix("| ") in text

    def test_the_best_of_each_measure_is_bold(self, runs: tuple[Path, Path]) -> None:
        both = side_by_side(sources(runs))
        assert both is not None
        shown = {"md": "**{}**", "tex": r"\textbf{{{}}}"}
        tables = {ending: joint(render(sources(runs), ending)) for ending in shown}
        raced = set()
        for column, head in enumerate(both.heads[both.texts : -1], start=both.texts):
            told = [row[column] for row in both.rows]
            values = [float(value) for value in told if value != "—"]
            best = set()
            if len(set(values)) > 1:
                best = {told.index(f"{value}") for value in told if value != "—" and float(value) == (
                    min(values) if head.endswith("↓") else max(values))}  # fmt: skip
                raced.add(head[-1])
            assert {row for row, at in both.best if at == column} == best, head
            for ending, table in tables.items():
                for row in range(2):
                    cell = table[row][column].replace("---", "—")
                    assert cell == (shown[ending].format(told[row]) if row in best else told[row])
        assert raced == {"↑", "↓"}, "both directions were raced"
        assert not any(column >= len(both.heads) - 1 for _, column in both.best), "a count wins nothing"

    def test_a_partial_run_and_one_alone_win_nothing(self, runs: tuple[Path, Path], tmp_path: Path) -> None:
        one, other = sources(runs)
        partial = replace(other, result=msgspec.structs.replace(other.result, partial=("limit 3",)))
        for given in ([one], [one, partial]):
            both = side_by_side(given)
            assert both is not None
            assert both.best == frozenset()
        shutil.copytree(runs[1].parent, tmp_path / "home")
        study(tmp_path / "home" / "other", settings=ConceptSettings(similarity="wup"))
        unlike = side_by_side(sources((runs[0], tmp_path / "home" / "other")))
        assert unlike is not None
        ranked = {column for column, head in enumerate(unlike.heads) if head.startswith(("R@", "MRR"))}
        assert unlike.best
        assert {column for _, column in unlike.best} <= ranked, "concepts were not measured alike"

    def test_csv_has_a_line_a_model(self, runs: tuple[Path, Path]) -> None:
        lines = list(csv.DictReader(io.StringIO(render(sources(runs), "csv"))))
        wide = [line for line in lines if line["row"] == "side by side"]
        assert [line["system"] for line in wide] == [one.result.model for one in sources(runs)]
        for line, source in zip(wide, sources(runs), strict=True):
            values = scores_of(source)
            for measure in ("hit@1", "hit@5", "hit@10", "mrr", "ca", "ncs", "ce", "sd", "hits", "misses"):
                assert (float(line[measure]) if line[measure] else None) == values[measure]
            assert line["pairs_judged"]

    def test_one_run_has_its_line_in_report_and_terminal(self, runs: tuple[Path, Path]) -> None:
        source = read_source(runs[0])
        both, study = side_by_side([source]), source.study()
        assert both is not None
        assert study is not None
        for text in (document(source), study_text(study, both=both)):
            assert TITLE in text
            assert text.index(TITLE) < text.index("pairs judged")

    def test_a_model_without_a_study_has_dashes(self, runs: tuple[Path, Path], tmp_path: Path) -> None:
        bare = shutil.copytree(runs[1], tmp_path / "bare")
        (bare / "concepts.json").unlink()
        both = side_by_side(sources((runs[0], bare)))
        assert both is not None
        assert set(both.rows[1][5:]) == {"—"}
        assert both.rows[1][1] != "—"
        assert side_by_side([read_source(bare)]) is None
        assert TITLE not in render([read_source(bare)], "md")

    def test_other_settings_are_told_and_same_names_kept_apart(
        self, runs: tuple[Path, Path], tmp_path: Path
    ) -> None:
        home = tmp_path / "home"
        shutil.copytree(runs[0].parent, home)
        study(home / "other", settings=ConceptSettings(similarity="wup"))
        both = side_by_side(sources((home / "one", home / "other")))
        assert both is not None
        assert any("similarity: path ≠ wup" in note for note in both.notes)
        twice = side_by_side(sources((runs[0], home / "one")))
        assert twice is not None
        assert len({row[0] for row in twice.rows}) == 2


class TestAlone:
    @pytest.mark.parametrize("ending", ["csv", "md", "tex", "json"])
    def test_every_format_takes_it(self, tmp_path: Path, ending: str) -> None:
        for path in (home := alone(tmp_path / "made"), home / "concepts.json"):
            text = render([read_shown(path)], ending)
            assert "pairs.csv" in text
            assert ("concepts" in text) or ("concept total" in text)
        if ending == "json":
            assert text.encode() == (home / "concepts.json").read_bytes()
        assert "** **" not in text

    def test_there_is_nothing_to_put_side_by_side(self, tmp_path: Path) -> None:
        assert side_by_side([read_shown(alone(tmp_path / "made"))]) is None

    def test_several_stand_together_where_they_are_alike(self, tmp_path: Path) -> None:
        one, same = (read_shown(alone(tmp_path / name)) for name in ("one", "same"))
        both = side_by_side([one, same])
        assert both is not None
        assert len({row[0] for row in both.rows}) == 2
        assert TITLE in render([one, same], "md")
        other = read_shown(alone(tmp_path / "other", settings=ConceptSettings(similarity="wup")))
        with pytest.raises(InputError, match="E322"):
            render([one, other], "md")

    def test_a_ranking_format_says_what_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="E325"):
            render([read_shown(alone(tmp_path / "made"))], "trec")

    def test_only_its_own_cell_can_be_chosen(self, tmp_path: Path) -> None:
        source = read_shown(alone(tmp_path / "made"))
        assert source.only("pairs").study() is not None
        with pytest.raises(Exception, match=r"E321 .*one of: pairs"):
            source.only("t2i.en.plain")

    def test_a_folder_with_neither_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="E320"):
            read_shown(tmp_path)


class TestChecklist:
    def test_all_modes_are_named(self, tmp_path: Path) -> None:
        many = [{"synset": "dog.n.01"}] * 5 + [{"synset": "cat.n.01"}] * 3 + [{"synset": "cow.n.01"}]
        few = [{"synset": f"{one}.n.01"} for one in ("dog", "cat", "cow")]
        shown = [{"image": "a", "objects": many}, {"image": "b", "objects": few}]
        (tmp_path / "a.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, shown)))
        (tmp_path / "p.csv").write_text("query_id,truth,retrieved\nq,a,b\n", encoding="utf-8")
        study_pairs(tmp_path / "p.csv", concepts=str(tmp_path / "a.jsonl"), out=tmp_path / "study")
        source = read_shown(tmp_path / "study")
        found = source.study()
        assert found is not None
        told = "0, 2 and 4, once each"
        for text in (study_text(found), render([source], "md"), render([source], "tex")):
            assert told in text
        lines = list(csv.DictReader(io.StringIO(render([source], "csv"))))
        modes = [line for line in lines if line["measure"] == "ce_mode_of_class"]
        assert [(float(line["value"]), line["flags"]) for line in modes] == [
            (0.0, "times:1"), (2.0, "times:1"), (4.0, "times:1"),
        ]  # fmt: skip

    def test_what_the_query_decides_is_said_of_each_total(self, tmp_path: Path) -> None:
        source = read_shown(alone(tmp_path / "made", settings=ConceptSettings(variant="informed")))
        plain = read_shown(alone(tmp_path / "plain"))
        for told in (
            "left out), whatever the query mentions",
            "both have, of those the query mentions",
        ):
            assert escape(told) in render([source], "md")
            assert escape(told) not in render([plain], "md")
        lines = list(csv.DictReader(io.StringIO(render([source], "csv"))))
        flags = {line["measure"]: line["flags"] for line in lines if line["row"] == "concept total"}
        assert flags["common_names"] == "whatever the query mentions"
        assert flags["pairs"] == ""
