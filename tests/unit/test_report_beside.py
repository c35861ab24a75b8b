"""What stands beside the scores of a run in files for papers and sheets: changed queries, and concepts."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import msgspec
import pytest

from crossgauge.errors import InputError
from crossgauge.report import render
from crossgauge.report.csv import COLUMNS
from crossgauge.report.csv_beside import CHANGED
from crossgauge.report.source import Source, read_source
from crossgauge.result import NotApplicable
from tests.browser.concepts_fixture import build_study
from tests.unit.test_report_interventions import GOLDEN, NASTY, result, row

STUDY = build_study()
KEY = read_source(GOLDEN / "report_result.json").result.cells[0].key


def lines(source: Source, kind: str) -> list[dict[str, str]]:
    return [one for one in csv.DictReader(io.StringIO(render([source], "csv"))) if one["row"] == kind]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder with a study of its first cell and of another."""
    shutil.copy(GOLDEN / "report_result.json", tmp_path / "scores.json")
    first = msgspec.structs.replace(STUDY.cells[0], key=KEY)
    study = msgspec.structs.replace(STUDY, cells=(first, *STUDY.cells[1:]))
    (tmp_path / "concepts.json").write_bytes(study.to_json())
    return tmp_path


class TestChangedQueries:
    def test_csv_holds_every_measure_in_full(self) -> None:
        given = Source(result(row(cell=KEY), row(cell=KEY, measure="medr", delta=1.5, before=3.0)))
        first, second = lines(given, "intervention")
        assert (first["intervention"], first["measure"], first["unit"]) == ("antonym", "hit@1", "fraction")
        assert [float(first[name]) for name in ("value", "low", "high", "p", "before", "after")] == [
            -0.25, -0.4, 0.0, 0.0213, 0.5, 0.25,
        ]  # fmt: skip
        assert (first["changed"], first["n"], first["seed"]) == ("20", "20", "0")
        assert first["unchanged"] == "no adjective with an antonym: 280"
        assert (second["measure"], second["direction"]) == ("medr", "lower")
        assert lines(given, "cell"), "the scores stay"

    def test_the_columns_are_there_only_where_queries_were_changed(self) -> None:
        bare = next(csv.reader(io.StringIO(render([Source(result())], "csv"))))
        given = next(csv.reader(io.StringIO(render([Source(result(row(cell=KEY)))], "csv"))))
        assert not set(CHANGED) & set(bare)
        assert given == [*bare, *CHANGED]
        assert tuple(bare[: len(COLUMNS)]) == COLUMNS

    def test_a_latex_table_with_its_notes(self) -> None:
        text = render([Source(result(row(cell=KEY)))], "tex")
        table = next(part for part in text.split(r"\begin{table}") if "what a changed query does" in part)
        line = r"antonym & R@1 \% $\uparrow$ & 50.0 & 25.0 & -25.0 [-40.0, 0.0] & 0.021 & 20 of 300 \\"
        assert line in table
        assert r"Note: antonym left queries alone: no adjective with an antonym (280)" in table
        assert text.count(r"\begin{table}") == text.count(r"\end{table}")

    def test_where_nothing_was_changed_latex_has_the_notes_alone(self) -> None:
        untouched = (NotApplicable(task="t2i", title="image→text", reason="its queries are image"),)
        nothing = row(cell=KEY, changed=0, n=0, delta=None, unchanged={"no text": 9})
        text = render([Source(result(nothing, untouched=untouched))], "tex")
        assert "no text (9)" in text
        assert "no intervention on image" in text
        assert "what a changed query does" not in text
        assert text.count(r"\begin{table}") == text.count(r"\end{table}")

    def test_texts_of_data_are_no_commands(self) -> None:
        given = Source(result(row(cell=KEY, name=r"\input{x}" + NASTY, unchanged={"=1+1": 1})))
        text = render([given], "tex")
        assert r"\input{" not in text
        assert "\x1b" not in text + render([given], "csv")
        assert lines(given, "intervention")[0]["unchanged"] == "'=1+1: 1"

    def test_one_cell_brings_its_own_changes_alone(self) -> None:
        other = result().cells[1].key
        source = Source(result(row(cell=KEY), row(cell=other)))
        assert [one.cell for one in source.only(other).result.interventions] == [other]


class TestConcepts:
    def test_csv_holds_measures_and_the_checklist(self, run: Path) -> None:
        source = read_source(run)
        told = lines(source, "concept")
        mine = [one for one in told if one["measure"] == "ca" and f"{one['task']}.en.plain" == KEY]
        (share,) = [score for score in STUDY.cells[0].scores if score.measure == "ca"]
        assert len(mine) == 1
        assert float(mine[0]["value"]) == share.value
        assert mine[0]["signature"] == share.signature
        assert mine[0]["source"] == STUDY.annotations
        assert len(told) == sum(len(one.scores) for one in STUDY.cells)
        totals = [one for one in lines(source, "concept total") if one["measure"] == "pairs"]
        assert [float(one["value"]) for one in totals] == [one.totals["pairs"] for one in STUDY.cells]

    def test_tables_follow_the_scores_in_markdown_and_latex(self, run: Path) -> None:
        source = read_source(run)
        markdown, latex = render([source], "md"), render([source], "tex")
        assert markdown.index("| measure | macro |") > markdown.index("| language |")
        assert r"CA \% $\uparrow$ & " in latex
        assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == latex.count(r"\caption{")
        for text in (markdown, latex):
            assert "macro" in text
            assert "PREDICTED" not in text
        guessed = msgspec.structs.replace(STUDY, predicted=True)
        (run / "concepts.json").write_bytes(guessed.to_json())
        for ending in ("md", "tex"):
            assert "PREDICTED: the concepts are guesses" in render([read_source(run)], ending)

    def test_one_cell_has_its_own_study_or_none(self, run: Path) -> None:
        source = read_source(run)
        only = source.only(KEY).study()
        assert only is not None
        assert [cell.key for cell in only.cells] == [KEY]
        other = source.result.cells[1].key
        assert source.only(other).study() is None
        assert "annotations " not in render([source.only(other)], "md")

    def test_without_a_study_or_a_folder_there_is_none(self, run: Path) -> None:
        assert Source(read_source(run).result).study() is None
        (run / "concepts.json").unlink()
        assert read_source(run).study() is None

    def test_a_damaged_study_is_refused_and_the_scores_can_still_be_had(self, run: Path) -> None:
        (run / "concepts.json").write_text('{"schema": 1')
        with pytest.raises(InputError, match="E307"):
            render([read_source(run)], "csv")
        assert render([read_source(run)], "json")
