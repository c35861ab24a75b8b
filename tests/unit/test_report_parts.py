"""What only some results have, in every text format: draws, official scorers, aggregates, prompts."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crossgauge.errors import InputError
from crossgauge.report import render
from crossgauge.report.aggregates import totals
from crossgauge.report.csv import COLUMNS
from crossgauge.report.csv_parts import MORE
from crossgauge.report.edited import contradictions
from crossgauge.report.prompts import NOT_RUN, spreads
from crossgauge.report.sizes import competing, in_words
from crossgauge.report.source import Source, read_source
from crossgauge.report.tables import Table, tables
from crossgauge.report.terminal import render as on_terminal
from crossgauge.result import Aggregate, ProfileRow, Result
from tests.unit.report_results import more_able, with_parts

GOLDEN = Path(__file__).parents[1] / "golden"
ONE, OTHER = Source(with_parts()), Source(more_able())
TEXTS = ("md", "tex")


def changed(thing: Any, **fields: object) -> Any:
    return msgspec.structs.replace(thing, **fields)


def with_cell(result: Result, position: int, **fields: object) -> Result:
    cells = list(result.cells)
    cells[position] = changed(cells[position], **fields)
    return changed(result, cells=tuple(cells))


def rows(*sources: Source) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(sources, "csv"), newline="")))


def table(task: str, *results: Result) -> Table:
    return next(one for one in tables(results) if one.task == task)


def every_text(*sources: Source) -> list[str]:
    return [on_terminal(sources[0].result), *(render(sources, ending) for ending in TEXTS)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("terminal", on_terminal(ONE.result)),
        ("terminal_narrow_plain", on_terminal(ONE.result, console_width=60, plain=True)),
        ("markdown", render([ONE, OTHER], "md")),
        ("latex", render([ONE, OTHER], "tex")),
        ("csv", render([ONE, OTHER], "csv")),
    ],
)
def test_the_text_is_exactly_the_golden_one(name: str, text: str) -> None:
    assert text == (GOLDEN / f"report_parts_{name}.txt").read_bytes().decode("utf-8")


def test_json_gives_everything_back() -> None:
    assert Result.from_json(render([ONE], "json").encode()) == ONE.result


@pytest.mark.parametrize("width", [10, 40, 80, 120, None])
def test_no_number_is_cut_on_any_terminal(width: int | None) -> None:
    text = on_terminal(ONE.result, console_width=width)
    for expected in ("42.0 ± 2.0", "98.3", "25.0 pt", "50 of 200 (25.0 %)", "R@1 + ROUGE-L % ↑", "35.1"):
        assert expected in text, expected
    assert on_terminal(ONE.result, console_width=width, plain=True).isascii()


class TestDraws:
    def test_the_value_stands_with_its_deviation_and_keeps_its_interval(self) -> None:
        (line,) = (line for line in table("r2i", ONE.result).lines if line.kind == "cell")
        entry = line.entries["hit@1"]
        assert (entry.value, entry.spread, entry.text) == ("42.0", "± 2.0", "42.0 ± 2.0")
        assert entry.interval == "[37.0, 47.0]"
        for text in every_text(ONE):
            assert "standard deviation over draws" in text
            assert "[37.0, 47.0]" in text

    def test_the_title_says_how_many_of_what_size(self) -> None:
        cell = ONE.result.cells[2]
        assert in_words(cell) == "3 draws of 1,000"
        assert competing(cell) == "3 × 1000"
        assert in_words(changed(cell, queries=51_303)) == "51,303 queries · 3 draws of 1,000"
        assert in_words(changed(cell, candidates=(990, 1000))) == "3 draws of 990–1,000"
        assert in_words(changed(cell, queries=1000, draws=1)) == "1 draw of 1,000"

    def test_one_draw_or_an_undefined_one_has_no_deviation(self) -> None:
        score = changed(ONE.result.cells[2].scores[0], draws=(0.42,), sd=None)
        text = on_terminal(with_cell(ONE.result, 2, scores=(score,), draws=1))
        assert "42.0" in text
        assert "±" not in text

    def test_csv_has_their_number_the_deviation_and_each_of_them(self) -> None:
        (row,) = (row for row in rows(ONE) if row["task"] == "r2i")
        assert (row["draws"], row["sd"], row["draw_values"]) == ("3", "0.02", "0.4 0.44 0.42")

    def test_a_mean_that_is_not_that_of_its_draws_was_edited(self) -> None:
        score = changed(ONE.result.cells[2].scores[0], draws=(0.1, 0.44, 0.42))
        (fault,) = contradictions(with_cell(ONE.result, 2, scores=(score,)), "x")
        assert (fault.code, "the mean of its draws is 0.32" in fault.found) == ("E327", True)
        assert contradictions(ONE.result, "x") == []


class TestProfiles:
    def test_each_stands_below_its_cell_and_is_never_best(self) -> None:
        lines = table("i2t", ONE.result, OTHER.result).lines
        kinds = [(line.kind, line.system) for line in lines]
        assert kinds[:4] == [
            ("cell", "conse@1"), ("profile", "conse@1"), ("cell", "lite@1"), ("profile", "lite@1"),
        ]  # fmt: skip
        assert not [line for line in lines if line.kind == "profile" and line.entries["hit@1"].best]
        assert lines[2].entries["hit@1"].best, "98.3 of the official scorer is no competitor of 60.0"

    def test_it_is_said_that_it_is_official_and_what_it_does_wrong(self) -> None:
        for text in every_text(ONE, OTHER):
            assert "official gem2021" in text
            assert "queries with a NaN leave the denominator: 190 of 200 queries left out" in text
        assert "| ↳ *official gem2021*<sup>1</sup> | plain | conse@1 | *98.3* | *—* |" in render(
            [ONE, OTHER], "md"
        )

    def test_what_differs_between_cells_names_them(self) -> None:
        cell = ONE.result.cells[0]
        german = changed(cell, language="de", profiles=(changed(cell.profiles[0], notes=("3 ties",)),))
        result = changed(ONE.result, cells=(cell, german))
        (note,) = table("i2t", result).notes
        assert note.where[0] == "190 of 200 queries left out (en)"
        assert "3 ties (de)" in note.where
        assert "it also prints mean_recall 99.0 %" in note.where, "true of both cells"

    def test_several_stand_in_one_order_in_every_cell(self) -> None:
        cell = ONE.result.cells[0]
        second = ProfileRow(profile="b", values={"hit@1": 0.4}, fault="rounds", notes=(), signature="s")
        german = changed(cell, language="de", profiles=(second, cell.profiles[0]))
        result = changed(ONE.result, cells=(changed(cell, profiles=(*cell.profiles, second)), german))
        lines = [line for line in table("i2t", result).lines if line.kind == "profile"]
        assert [line.name for line in lines] == ["gem2021", "b", "gem2021", "b"]
        assert [line.notes for line in lines] == [(1,), (2,), (1,), (2,)]

    def test_notes_are_numbered_on_after_those_of_our_own_numbers(self) -> None:
        cell = ONE.result.cells[0]
        result = with_cell(ONE.result, 0, scores=tuple(changed(row, n_missing=1) for row in cell.scores))
        assert [note.number for note in table("i2t", result).notes] == [1, 2]
        assert "official gem2021(2)" in on_terminal(result)

    def test_csv_has_a_line_a_number_with_fault_and_signature(self) -> None:
        found = {row["measure"]: row for row in rows(ONE) if row["row"] == "profile"}
        assert found.keys() == {"hit@1", "medr", "mean_recall"}
        assert (found["hit@1"]["value"], found["medr"]["value"]) == ("0.983", "")
        assert (
            found["hit@1"]["note"] == "queries with a NaN leave the denominator; 190 of 200 queries left out"
        )
        assert found["hit@1"]["signature"].startswith("made/i2t/en|profile gem2021|")

    def test_other_data_is_refused_by_the_signature_of_the_scorer_too(self) -> None:
        row = OTHER.result.cells[0].profiles[0]
        row = changed(row, signature=row.signature.replace("4be1", "ffff"))
        other = replace(OTHER, result=with_cell(OTHER.result, 0, profiles=(row,)))
        with pytest.raises(InputError, match=r"i2t\.en\.plain official gem2021") as caught:
            render([ONE, other], "md")
        assert caught.value.faults[0].code == "E322"


class TestAggregates:
    def test_what_is_missing_is_named_and_nothing_else_is_in_its_place(self) -> None:
        found = totals([ONE.result])
        assert found is not None
        whole, printed, partly = found.lines
        assert (whole.value, whole.words) == ("40.0", "mean of QI and IQ")
        assert (printed.kind, printed.name, printed.value) == ("published", "M3P", "35.1")
        assert (partly.value, partly.words[:33]) == ("—", "lacks: QV.en.plain, VQ.en.plain; ")
        for text in every_text(ONE):
            assert "lacks: QV.en.plain, VQ.en.plain" in text
            assert "Nobody 2021, Table 4 (made up)" in text

    def test_many_missing_cells_are_counted_but_csv_names_them_all(self) -> None:
        missing = tuple(f"QI.l{n}.plain" for n in range(20))
        one = changed(ONE.result.aggregates[1], missing=missing)
        source = replace(ONE, result=changed(ONE.result, aggregates=(one,)))
        for text in every_text(source):
            assert "QI.l5.plain and 14 more" in text
            assert "QI.l6.plain" not in text
        assert next(row for row in rows(source) if row["row"] == "aggregate")["lacks"] == " ".join(missing)

    def test_the_best_is_marked_only_among_whole_runs_with_the_same_cells_and_rule(self) -> None:
        def best(**fields: object) -> list[str]:
            one = changed(OTHER.result.aggregates[0], **fields)
            found = totals([ONE.result, changed(OTHER.result, aggregates=(one,))])
            assert found is not None
            assert len([line for line in found.lines if line.name == "GEM-I"]) == 2
            return [line.system for line in found.lines if line.best]

        assert best() == ["lite@1"]
        assert best(cells=("i2t.en.plain",)) == []
        assert best(rule="another mean") == []
        assert best(value=None) == []
        partial = changed(OTHER.result, partial=("limited to 20 pictures",))
        assert not any(line.best for line in totals([ONE.result, partial]).lines)
        assert "lite@1 (PARTIAL)" in render([ONE, replace(OTHER, result=partial)], "md")

    def test_a_measure_that_nobody_knows_has_no_direction_and_no_winner(self) -> None:
        one = Aggregate(name="G", measure="good@x", value=0.5, rule="r", cells=())
        results = [
            changed(r, aggregates=(changed(one, value=v),))
            for r, v in ((ONE.result, 0.5), (OTHER.result, 0.7))
        ]
        lines = totals(results).lines
        assert [(line.measure, line.value, line.best) for line in lines] == [
            ("good@x %", "50.0", False), ("good@x %", "70.0", False),
        ]  # fmt: skip

    def test_a_measure_that_no_cell_has_is_still_called_what_papers_call_it(self) -> None:
        one = changed(ONE.result.aggregates[0], measure="mrr+rouge_l:coco", value=None)
        (line, *_) = totals([changed(ONE.result, aggregates=(one,))]).lines
        assert line.measure == "MRR + ROUGE-L (coco) % ↑"

    def test_prompts_get_a_column_only_when_there_are_others_than_plain(self) -> None:
        assert not totals([ONE.result]).with_prompts
        one = changed(ONE.result.aggregates[0], prompt="quoted")
        result = changed(ONE.result, aggregates=(*ONE.result.aggregates, one))
        assert totals([result]).with_prompts
        assert "quoted" in on_terminal(changed(result, cells=result.cells[2:], prompts=()))


class TestNotApplicable:
    def test_it_is_listed_with_the_reason(self) -> None:
        for text in every_text(ONE):
            assert "conse takes no video" in text
        (row,) = (row for row in rows(ONE) if row["row"] == "n/a")
        assert (row["task"], row["value"], row["note"]) == ("t2v", "", "conse takes no video")

    def test_beside_a_system_that_can_it_is_neither_0_nor_blank(self) -> None:
        for task, system in (("vqa", "lite@1"), ("t2v", "conse@1")):
            (line,) = (x for x in table(task, ONE.result, OTHER.result).lines if x.kind == "absent")
            assert line.system == system
            assert {entry.value for entry in line.entries.values()} == {"n/a"}
            assert not any(entry.best for entry in line.entries.values())
        assert "| en | lite@1 | n/a |" in render([ONE, OTHER], "md")

    def test_a_task_that_was_run_after_all_is_not_called_so(self) -> None:
        assert not [x for x in table("t2v", OTHER.result, OTHER.result).lines if x.kind == "absent"]


class TestPrompts:
    def test_each_format_the_spread_and_the_flips_are_there_and_no_best(self) -> None:
        (line,) = spreads([ONE.result]).lines
        assert (line.values, line.spread) == (("50.0", "25.0"), "25.0 pt")
        assert (line.flips, line.flipped) == ("50 of 200 (25.0 %)", "q1, q2, q3, q4 …")
        for text in every_text(ONE):
            assert "the best of several formats is no score" in text
        (row,) = (row for row in rows(ONE) if row["row"] == "spread")
        assert (row["value"], row["flips"], row["flipped"]) == ("0.25", "50", "q1 q2 q3 q4 q5")

    def test_one_format_is_no_table(self) -> None:
        single = changed(ONE.result, prompts=ONE.result.prompts[1:])
        assert spreads([single]) is None
        assert "sensitivity" not in on_terminal(single)

    def test_the_most_sensitive_come_first_with_their_systems_together(self) -> None:
        small = changed(ONE.result.prompts[0], task="IQ", measure="rouge_l", spread=0.01)
        ours = changed(ONE.result, prompts=(small, *ONE.result.prompts))
        theirs = changed(OTHER.result, prompts=(changed(small, spread=0.4), *OTHER.result.prompts))
        found = spreads([ours, theirs])
        assert [(line.task, line.system, line.spread) for line in found.lines] == [
            ("IQ", "conse@1", "1.0 pt"), ("IQ", "lite@1", "40.0 pt"),
            ("i2t", "conse@1", "25.0 pt"), ("i2t", "lite@1", "25.0 pt"),
        ]  # fmt: skip

    def test_ranks_have_no_points_and_a_format_that_was_not_run_says_so(self) -> None:
        ranks = changed(ONE.result.prompts[1], values={"bare": 3.0, "plain": None}, spread=None)
        lines = spreads([changed(ONE.result, prompts=(ranks, ONE.result.prompts[0]))]).lines
        by_task = {line.task: line for line in lines}
        assert by_task["r2i"].values == ("3.0", "—", NOT_RUN)
        assert by_task["r2i"].spread == "—"
        assert by_task["i2t"].values == (NOT_RUN, "50.0", "25.0")

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"spread": 0.01}, "where the values differ by 0.25"),
            (
                {"values": {"plain": 0.9, "quoted": 0.65}},
                "0.9 with the prompt plain, where its cell says 0.5",
            ),
        ],
    )
    def test_a_spread_that_its_cells_contradict_was_edited(self, fields: dict[str, Any], words: str) -> None:
        spread = changed(ONE.result.prompts[0], **fields)
        found = contradictions(changed(ONE.result, prompts=(spread,)), "x")
        assert words in found[0].found


class TestSizes:
    def test_candidates_of_a_query_stand_instead_of_the_corpus(self) -> None:
        cell = ONE.result.cells[3]
        assert in_words(cell) == "200 queries · 2–8 candidates each"
        assert (competing(cell), table("vqa", ONE.result).rivals) == ("2–8", "candidates")
        assert in_words(changed(cell, candidates=(4, 4))) == "200 queries · 4 candidates each"
        for whole in ((0, 0), (100, 100)):
            assert in_words(changed(cell, candidates=whole)) == "200 queries · gallery 100"

    def test_captions_have_neither_gallery_nor_chance(self) -> None:
        found = table("IQ", ONE.result)
        assert (found.title, found.sizes, found.chance) == ("image→query", "200 items", "")
        assert found.lines[0].gallery == "—"
        assert "chance —" not in on_terminal(ONE.result, console_width=20)
        (row,) = (row for row in rows(ONE) if row["task"] == "IQ")
        assert (row["gallery"], row["chance"], row["kind"]) == ("", "", "captioning")

    def test_captions_cannot_be_a_trec_file(self) -> None:
        with pytest.raises(InputError, match="nothing is ranked") as caught:
            render([ONE.only("IQ.en.plain")], "trec")
        assert caught.value.faults[0].code == "E325"


class TestWithout:
    def test_csv_of_a_result_without_them_has_no_more_columns(self) -> None:
        plain = read_source(GOLDEN / "report_result.json")
        assert tuple(rows(plain)[0]) == COLUMNS
        assert tuple(rows(ONE)[0]) == COLUMNS + MORE

    def test_one_cell_alone_has_nothing_that_is_made_of_several(self) -> None:
        alone = ONE.only("i2t.en.plain").result
        assert (alone.aggregates, alone.prompts, alone.not_applicable) == ((), (), ())


def named(text: str) -> Source:
    """A source with this text in every place that data can reach."""
    profile = ProfileRow(
        profile=text, values={"hit@1": 0.5, text: 1.0}, fault=text, notes=(text,), signature=text
    )
    spread = changed(ONE.result.prompts[0], task=text, values={text: 0.5, "b": 0.4}, flipped=(text,))
    total = Aggregate(name=text, measure=text, value=0.5, rule=text, cells=(), missing=(text,))
    result = changed(
        ONE.result,
        cells=(changed(ONE.result.cells[0], profiles=(profile,)),),
        prompts=(spread,),
        aggregates=(total,),
        not_applicable=(changed(ONE.result.not_applicable[0], title=text, reason=text),),
        published=(changed(ONE.result.published[0], task=text, system=text, source=text, note=text),),
    )
    return replace(ONE, result=result)


def test_texts_of_data_are_shown_not_obeyed() -> None:
    nasty, tame = named("\x1b[31m|\n| x |\n\\input{x}"), named("x")
    plain = on_terminal(nasty.result, console_width=60, plain=True)
    for text in [*every_text(nasty), render([nasty], "csv"), plain]:
        assert "\x1b" not in text
    for ending in TEXTS:
        assert len(render([nasty], ending).splitlines()) == len(render([tame], ending).splitlines())
    commands = [line for line in render([nasty], "tex").splitlines() if "\\input" in line]
    assert commands == []
