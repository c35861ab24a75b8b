"""A concept study as text: golden outputs, every word in its place, and what data cannot do to them."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crossgauge.concept_study import ConceptCell, ConceptStudy
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.totals import ConceptTotals
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_markdown import study_markdown
from crossgauge.report.concepts_tables import cell_tables
from crossgauge.report.concepts_text import show_study, study_text
from tests.browser.concepts_fixture import build_study

GOLDEN = Path(__file__).parents[1] / "golden"
STUDY = build_study()
PREDICTED = build_study(predicted=True)


def changed(study: ConceptStudy, **fields: Any) -> ConceptStudy:
    return msgspec.structs.replace(study, **fields)


def with_cell(**fields: Any) -> ConceptStudy:
    return changed(STUDY, cells=(msgspec.structs.replace(STUDY.cells[0], **fields),))


def every_text(study: ConceptStudy) -> list[str]:
    return [study_text(study), study_text(study, console_width=60, plain=True), study_markdown(study)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("terminal", study_text(PREDICTED)),
        ("terminal_narrow_plain", study_text(PREDICTED, console_width=60, plain=True, encoding="ascii")),
        ("markdown", study_markdown(PREDICTED)),
    ],
)
def test_each_text_is_as_it_was(name: str, text: str) -> None:
    assert text == (GOLDEN / f"report_concepts_{name}.txt").read_text(encoding="utf-8")


class TestHead:
    def test_guesses_are_called_so_loudly_and_annotations_are_not(self) -> None:
        for text in every_text(PREDICTED):
            assert "PREDICTED: the concepts are guesses of a classifier, not annotations" in text
        for text in every_text(STUDY):
            assert "PREDICTED" not in text

    @pytest.mark.parametrize(
        "expected",
        ["zebras 1", "conse@5d0c1a7", "sha256:4be1f00d4be1", "objects.json (sha256:0a1b2c)", "wordnet-3.0",
         "variant=agnostic", "objects 118", "2 boxes reach beyond their picture"],
    )  # fmt: skip
    def test_it_says_what_was_studied(self, expected: str) -> None:
        for text in every_text(STUDY):
            assert expected in text

    def test_what_is_empty_leaves_no_line(self) -> None:
        bare = changed(STUDY, settings={}, facts={}, audit=(), cells=())
        for text in every_text(bare):
            assert "settings" not in text
            assert "warning" not in text
            assert "signature" not in text.lower()

    def test_many_warnings_are_counted_on_a_terminal(self) -> None:
        many = changed(STUDY, audit=tuple(f"W{n}" for n in range(20)))
        assert "warning W11\nwarning … and 8 more: concepts.json has them all" in study_text(many)
        assert "warning W19" in study_markdown(many)


class TestTables:
    def test_macro_and_micro_stand_in_one_line(self) -> None:
        lines = {line.measure: line for line in cell_tables(STUDY)[0].measures}
        assert [*lines] == ["ca", "ncs", "ce", "sd", "sd_mean", "enumeration_disagreement", "hits", "misses"]
        assert (lines["ca"].macro, lines["ca"].micro, lines["ca"].judged, lines["ca"].undefined) == (
            "35.5", "33.3", "6", "1",
        )  # fmt: skip
        assert (lines["ce"].heading, lines["ce"].macro, lines["ce"].micro) == ("CE ↓", "10.00", "5.56")
        assert (lines["hits"].micro, lines["hits"].micro_interval) == ("", "")

    def test_what_was_right_at_once_is_neither_judged_nor_undefined(self) -> None:
        ca = STUDY.cells[0].scores[0]
        row = msgspec.structs.replace(ca, n=1_009, n_undefined=1_003, flags=("right:1000", "no-common:2"))
        study = with_cell(scores=(row,), right=1_000)
        (line,) = cell_tables(study)[0].measures
        assert (line.judged, line.undefined) == ("9", "3")
        for text in every_text(study):
            assert "1,000 right at once (left out)" in text
            assert "1,009" not in text
            assert "1,003" not in text

    def test_one_pair_has_values_but_no_interval(self) -> None:
        lines = {line.measure: line for line in cell_tables(STUDY)[1].measures}
        shown = {one: (lines[one].macro, lines[one].macro_interval) for one in words.MAIN}
        assert shown == {"ca": ("27.3", "—"), "ncs": ("0.139", "—"), "ce": ("6.00", "—"), "sd": ("33.3", "—")}

    def test_a_measure_that_nothing_defines_is_a_dash_without_interval(self) -> None:
        row = msgspec.structs.replace(STUDY.cells[0].scores[0], value=None, low=None, high=None)
        (line,) = cell_tables(with_cell(scores=(row,)))[0].measures
        assert (line.macro, line.macro_interval, line.micro) == ("—", "", "")

    def test_a_measure_that_is_not_known_here_keeps_its_own_name(self) -> None:
        row = msgspec.structs.replace(
            STUDY.cells[0].scores[0], measure="depth", title="Depth", unit="number", value=1.5
        )
        (line,) = cell_tables(with_cell(scores=(row,)))[0].measures
        assert (line.heading, line.plain, line.about, line.macro) == ("Depth ↑", "", "", "1.500")

    def test_what_was_left_out_is_counted_in_words(self) -> None:
        assert cell_tables(STUDY)[0].coverage == (
            "9 queries · 6 pairs judged · 2 right at once (left out) · 1 without annotations (left out) · "
            "1 with a tied first place (the first of the data was judged)"
        )
        one = with_cell(queries=1, pairs=1, right=0, not_annotated=0, tied=0)
        assert cell_tables(one)[0].coverage == "1 query · 1 pair judged"

    def test_where_all_queries_are_judged_right_ones_are_not_left_out(self) -> None:
        judged = changed(STUDY, settings=ConceptSettings(pairs="all").signature_fields())
        assert "2 right at once · " in cell_tables(judged)[0].coverage

    def test_notes_say_what_misleads(self) -> None:
        notes = cell_tables(STUDY)[0].notes
        assert "queries for which nothing was retrieved: 1; their CA is 0, the rest is undefined" in notes
        assert "pairs where CE is 0 only because no concept is common: 2" in notes
        assert cell_tables(STUDY)[1].notes == (words.AVERAGES,)

    def test_the_checklist_counts_and_shares(self) -> None:
        totals = dict(cell_tables(STUDY)[1].totals)
        assert totals["concepts that both have"] == "3"
        assert totals["concepts that only one has"] == "10"
        assert totals["couples of these, matched by similarity"] == "2"
        assert totals["share whose sizes disagree (SD, micro)"] == "33.3 %"
        assert totals["share found (CA, micro)"] == "27.3 %"

    def test_totals_that_are_undefined_large_or_unknown(self) -> None:
        found = dict(
            cell_tables(with_cell(totals={"ce_mode": None, "common": 110839.0, "zz": 1.25}))[0].totals
        )
        assert found == {
            "concepts that both have": "110,839", "most frequent CE of a pair": "—", "zz": "1.250",
        }  # fmt: skip

    def test_every_total_has_words(self) -> None:
        known = {name for name in dir(ConceptTotals) if not name.startswith("_") and "modes" not in name}
        assert known == set(words.TOTALS)

    def test_a_list_of_pairs_has_no_second_title(self) -> None:
        assert cell_tables(with_cell(key="pairs", title="pairs"))[0].title == "pairs"


class TestWords:
    def test_every_setting_that_there_is_has_words(self) -> None:
        for denominator in ("gold", "min", "retrieved"):
            for area in ("pixels", "image"):
                given = ConceptSettings(sd_denominator=denominator, sd_area=area)  # type: ignore[arg-type]
                found = [*words.setting_words(given.signature_fields())]
                assert all(meaning for _, _, meaning in found), found
                assert {"sd_denominator", "sd_area", "sd_threshold", "average"} <= {
                    one for one, _, _ in found
                }

    @pytest.mark.parametrize(
        "settings", [{"sd": "min/image>=0.5"}, {"sd_threshold": "0.5"}, {"sd_threshold": "0.50"}]
    )
    def test_the_threshold_stands_in_the_explanation(self, settings: dict[str, str]) -> None:
        assert words.about("sd", settings).endswith("differ by 50 % or more.")

    def test_without_a_threshold_the_explanation_still_reads(self) -> None:
        for settings in ({}, {"sd": "odd"}, {"sd_threshold": "large"}):
            assert words.about("sd", settings).endswith("differ by the threshold or more.")

    def test_settings_that_are_not_known_are_shown_as_they_are(self) -> None:
        assert [*words.setting_words({"mood": "good"})] == [("mood", "good", "")]

    @pytest.mark.parametrize(
        ("value", "measure", "unit", "text"),
        [(None, "ca", "fraction", "—"), (0.5, "sd", "fraction", "50.0 %"), (6.0, "ce", "count", "6"),
         (5 / 36, "ncs", "fraction", "0.139"), (2.5, "ce", "count", "2.50"), (1.75, "ncs", "number", "1.750"),
         (7.0, "hits", "count", "7")],
    )  # fmt: skip
    def test_a_value_of_a_pair(self, value: float | None, measure: str, unit: str, text: str) -> None:
        assert words.pair_text(value, measure, unit) == text


class TestShow:
    def test_a_stream_gets_the_full_text(self) -> None:
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        show_study(STUDY, stream=stream)
        stream.seek(0)
        assert stream.read() == study_text(STUDY)

    def test_a_stream_that_takes_no_utf_8_gets_ascii(self) -> None:
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        show_study(build_study(named=lambda name: f"{name} é"), stream=stream)
        stream.seek(0)
        text = stream.read()
        assert "CA % ^" in text
        assert "zebras 1 \\xe9" in text

    def test_a_terminal_gets_its_width_and_colours(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal(io.StringIO):
            encoding = "utf-8"  # type: ignore[assignment]

            def isatty(self) -> bool:
                return True

        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((100, 30)))
        stream = Terminal()
        monkeypatch.setattr(sys, "stdout", stream)
        show_study(PREDICTED)
        assert "\x1b[1;33mPREDICTED" in stream.getvalue()
        monkeypatch.setenv("NO_COLOR", "1")
        stream.truncate(0)
        show_study(PREDICTED)
        assert "\x1b" not in stream.getvalue()


def test_texts_of_data_are_shown_not_obeyed() -> None:
    nasty = "\x1b[31m|\n| *x* |"
    for ours, theirs in zip(every_text(_hostile(nasty)), every_text(_hostile("x")), strict=True):
        assert "\x1b" not in ours
        assert len(ours.splitlines()) == len(theirs.splitlines())
    assert "\\| \\*x\\* \\|" in study_markdown(_hostile(nasty))


def _hostile(text: str) -> ConceptStudy:
    study = build_study(named=lambda name: name + text)
    cells = tuple(_renamed(cell, text) for cell in study.cells)
    return changed(study, cells=cells, audit=(text,), settings={"a": text})


def _renamed(cell: ConceptCell, text: str) -> ConceptCell:
    scores = tuple(msgspec.structs.replace(row, signature=text) for row in cell.scores)
    return msgspec.structs.replace(cell, key=cell.key + text, scores=scores, totals={text: 1.0})
