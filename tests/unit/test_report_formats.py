"""Every text format against its golden file, and the rules that no golden file can show."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from crossgauge.errors import InputError, UsageError
from crossgauge.report import FORMATS, latex, markdown, render, wording
from crossgauge.report.csv import harmless
from crossgauge.report.source import Source, read_source
from crossgauge.report.tables import tables
from crossgauge.report.terminal import render as on_terminal
from crossgauge.report.terminal import show
from crossgauge.result import Mean, PublishedRow, Result

GOLDEN = Path(__file__).parents[1] / "golden"
ONE = read_source(GOLDEN / "report_result.json")
OTHER = read_source(GOLDEN / "report_other.json")
NASTY = "=cmd|'/c calc'!A1 <b>&\\input{/etc/passwd}%$#_^~ `x` [a](javascript:x) \x1b[31m\r\n\u202e"


def changed(result: Result, **fields: object) -> Result:
    return msgspec.structs.replace(result, **fields)


def with_cells(source: Source, **fields: object) -> Source:
    cells = tuple(msgspec.structs.replace(cell, **fields) for cell in source.result.cells)
    return replace(source, result=changed(source.result, cells=cells))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("report_terminal.txt", on_terminal(ONE.result)),
        ("report_terminal_narrow_plain.txt", on_terminal(ONE.result, console_width=60, plain=True)),
        ("report_markdown.txt", render([ONE, OTHER], "md")),
        ("report_latex.txt", render([ONE, OTHER], "tex")),
        ("report_csv.txt", render([ONE, OTHER], "csv")),
    ],
)
def test_the_text_is_exactly_the_golden_one(name: str, text: str) -> None:
    assert text == (GOLDEN / name).read_bytes().decode("utf-8")


def test_json_is_the_document_itself() -> None:
    assert render([ONE], "json").encode() == (GOLDEN / "report_result.json").read_bytes()
    both = msgspec.json.decode(render([ONE, OTHER], "json"), type=list[Result])
    assert both == [ONE.result, OTHER.result]


class TestTerminal:
    def test_no_number_is_ever_cut(self) -> None:
        for width in (10, 40, 80, 120, None):
            text = on_terminal(ONE.result, console_width=width)
            assert "100.0(1)" in text
            assert "[25.0, 75.0]" in text
            assert "…" not in text

    def test_intervals_of_other_measures_go_when_the_terminal_is_narrow(self) -> None:
        assert "[20.0, 31.0]" in on_terminal(ONE.result, console_width=200)
        assert "[20.0, 31.0]" not in on_terminal(ONE.result, console_width=100)

    def test_plain_is_ascii_and_color_is_only_there_when_asked_for(self) -> None:
        assert on_terminal(ONE.result, plain=True, color=True).isascii()
        assert "\x1b[" not in on_terminal(ONE.result)
        assert "\x1b[" in on_terminal(ONE.result, color=True)

    def test_plain_keeps_the_texts_of_data_where_they_can_be_written(self) -> None:
        result = changed(ONE.result, audit=("W100 图书 é → x",), model="Müller")
        text = on_terminal(result, plain=True)
        assert "图书 é -> x" in text
        assert "Müller" in text
        assert not set("→↑↓·—–∞…") & set(text)
        latin = on_terminal(result, plain=True, encoding="latin-1")
        assert r"\u56fe\u4e66 é -> x" in latin
        assert on_terminal(result, plain=True, encoding="ascii").isascii()

    def test_a_partial_run_says_so_at_the_top(self) -> None:
        partial = changed(ONE.result, partial=("limited to 20 pictures",))
        assert "PARTIAL: limited to 20 pictures" in on_terminal(partial).splitlines()[2]

    def test_control_characters_are_shown_not_obeyed(self) -> None:
        cells = tuple(
            msgspec.structs.replace(cell, prompt=NASTY, language=NASTY) for cell in ONE.result.cells
        )
        text = on_terminal(changed(ONE.result, model=NASTY, cells=cells, audit=(NASTY,)))
        assert not {"\x1b", "\r", "\u202e"} & set(text)
        assert r"\x1b[31m\r\n\u202e" in text

    def test_the_console_environment_changes_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "20")
        assert on_terminal(ONE.result) == (GOLDEN / "report_terminal.txt").read_text(encoding="utf-8")


class Screen(io.StringIO):
    """A stream that says what it is."""

    def __init__(self, *, terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__()
        self.terminal, self.said = terminal, encoding

    def isatty(self) -> bool:
        return self.terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.said


class TestShow:
    def shown(self, stream: Screen, *, plain: bool = False) -> str:
        show(ONE.result, plain=plain, stream=stream)
        return stream.getvalue()

    def test_a_pipe_gets_the_full_tables_without_colour(self) -> None:
        assert self.shown(Screen(terminal=False)) == on_terminal(ONE.result)

    def test_a_terminal_gets_its_width_and_colour_unless_no_color(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setenv("TERM", "xterm")
        assert self.shown(Screen(terminal=True)) == on_terminal(ONE.result, console_width=100, color=True)
        monkeypatch.setenv("NO_COLOR", "1")
        assert self.shown(Screen(terminal=True)) == on_terminal(ONE.result, console_width=100)

    def test_what_cannot_take_utf_8_gets_ascii(self) -> None:
        assert self.shown(Screen(terminal=False, encoding="ascii")).isascii()
        assert self.shown(Screen(terminal=False), plain=True).isascii()


class TestBest:
    def test_the_smaller_medr_and_the_larger_hit_win(self) -> None:
        (table,) = tables([ONE.result, OTHER.result])
        best = {
            (line.name, line.system, m) for line in table.lines for m, e in line.entries.items() if e.best
        }
        assert ("en", "conse@1f3a9c", "hit@1") in best
        assert ("en", "lite_2@77b0", "medr") in best
        assert ("en", "conse@1f3a9c", "medr") not in best

    def test_nothing_is_best_alone_equal_or_undefined(self) -> None:
        (alone,) = tables([ONE.result])
        assert not [e for line in alone.lines for e in line.entries.values() if e.best]
        (table,) = tables([ONE.result, OTHER.result])
        entries = {(line.name, m): e for line in table.lines for m, e in line.entries.items()}
        assert not entries["en", "hit@10"].best
        assert not entries["ar", "CA"].best
        assert not entries["ar", "medr"].best

    def test_a_partial_run_is_never_best_and_says_what_it_is(self) -> None:
        partial = replace(OTHER, result=changed(OTHER.result, partial=("limited to 20 pictures",)))
        text = render([ONE, partial], "md")
        assert "**1.5**" not in text
        assert "**50.0**" not in text, "nobody is left to compete with"
        assert "(PARTIAL)" in text

    def test_means_of_different_languages_do_not_compete(self) -> None:
        mean = Mean(task="i2t", prompt="plain", measure="hit@1", macro=0.9, micro=0.9, languages=("en",))
        other = replace(OTHER, result=changed(OTHER.result, means=(mean,)))
        assert "**90.0**" not in render([ONE, other], "md")


class TestComparable:
    def test_other_data_is_refused_naming_both_sides(self) -> None:
        cells = tuple(
            msgspec.structs.replace(
                cell,
                scores=tuple(
                    msgspec.structs.replace(row, signature=row.signature.replace("4be1f00d4be1", "ffff"))
                    for row in cell.scores
                ),
            )
            for cell in OTHER.result.cells
        )
        other = replace(OTHER, result=changed(OTHER.result, cells=cells))
        with pytest.raises(InputError) as caught:
            render([ONE, other], "csv")
        fault = caught.value.faults[0]
        assert fault.code == "E322"
        assert str(GOLDEN) in fault.place or "conse@1f3a9c and lite_2@77b0" in fault.place
        assert "sha256:4be1f00d4be1 ≠ sha256:ffff" in fault.found
        assert len(caught.value.faults) == 1, "the same difference is told once, whatever the cells"
        shared = sum(len(cell.scores) for cell in cells)
        assert fault.place.endswith(f"{cells[0].key} {cells[0].scores[0].measure} and {shared - 1} more")

    def test_runs_without_a_common_cell_are_refused(self) -> None:
        with pytest.raises(InputError, match="no cell and measure in common"):
            render([ONE, with_cells(OTHER, task="t2i")], "md")

    def test_one_cell_can_be_picked_by_its_key(self) -> None:
        only = ONE.only("i2t.ar.plain")
        assert [cell.language for cell in only.result.cells] == ["ar"]
        with pytest.raises(UsageError, match=r"i2t\.en\.plain"):
            ONE.only("i2t.xx.plain")


class TestCsv:
    def test_a_spreadsheet_finds_no_formula_and_a_program_finds_the_numbers(self) -> None:
        texts = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "a;=1+1", ' "=1+1', "  =x"]
        for text in texts:
            source = replace(ONE, result=changed(ONE.result, model=text))
            rows = list(csv.DictReader(io.StringIO(render([source], "csv"), newline="")))
            shown = rows[0]["system"]
            assert not shown.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
            assert shown.removeprefix("'") == text
            assert float(rows[0]["value"]) == 0.5
        assert harmless(-1.5) == -1.5

    def test_lines_end_as_rfc_4180_says_and_every_row_is_there(self) -> None:
        text = render([ONE], "csv")
        assert text.count("\r\n") == text.count("\n") == 1 + 8 + 4 + 1

    def test_numbers_keep_every_digit(self) -> None:
        rows = list(csv.DictReader(io.StringIO(render([OTHER], "csv"), newline="")))
        assert float(rows[0]["optimistic"]) == OTHER.result.cells[0].scores[0].optimistic


class TestEscapes:
    def test_latex_obeys_nothing(self) -> None:
        text = latex.escape(NASTY)
        assert r"\input" not in text
        assert r"\textbackslash{}input\{/etc/passwd\}\%\$\#\_" in text
        assert "\n" not in text

    def test_the_signature_in_latex_can_be_copied(self) -> None:
        signature = ONE.result.cells[0].scores[0].signature
        assert f"  % {signature}\n" in render([ONE], "tex")
        rows = tuple(
            msgspec.structs.replace(row, signature="a\n\\input{x}|b") for row in ONE.result.cells[0].scores
        )
        text = render([with_cells(ONE, scores=rows)], "tex")
        assert "  % a\\n\\input{x}|b\n" in text

    def test_csv_writes_control_characters_as_escapes(self) -> None:
        text = render([replace(ONE, result=changed(ONE.result, model="a\x1b[31m\x9b\u202eb"))], "csv")
        assert r"a\x1b[31m\x9b\u202eb" in text
        assert not {"\x1b", "\x9b", "\u202e"} & set(text)

    def test_markdown_obeys_nothing(self) -> None:
        text = markdown.escape("| <script> [a](b) `x` *y* __z__ ~~s~~ &amp;")
        assert text == r"\| \<script\> \[a\](b) \`x\` \*y\* \_\_z\_\_ \~\~s\~\~ \&amp;"

    def test_a_table_cell_in_markdown_stays_one_cell(self) -> None:
        source = replace(ONE, result=changed(ONE.result, model="a|b\n| c |"))
        rows = [line for line in render([source], "md").splitlines() if line.startswith("| en")]
        assert len(rows) == 1

    def test_joiners_of_emoji_and_arabic_stay(self) -> None:
        assert wording.visible("👩‍🚀 می‌خواهم") == "👩‍🚀 می‌خواهم"


class TestNumbers:
    def test_an_infinite_rank_is_not_an_undefined_one(self) -> None:
        row = ONE.result.cells[1].scores[3]
        assert wording.value_text(row) == "∞"
        assert wording.interval_text(row) == "[2.0, ∞]"
        assert wording.value_text(msgspec.structs.replace(row, n_undefined=row.n)) == "—"

    def test_a_value_without_an_interval_says_why(self) -> None:
        rows = tuple(msgspec.structs.replace(row, low=None, high=None) for row in ONE.result.cells[0].scores)
        alone = with_cells(ONE, scores=rows)
        assert wording.interval_text(rows[0]) == "—"
        for text in (on_terminal(alone.result), render([alone], "md"), render([alone], "tex")):
            assert "too few independent queries" in text
        undefined = msgspec.structs.replace(rows[0], value=None)
        assert wording.interval_text(undefined) == ""
        assert "independent" not in render([ONE], "tex")

    def test_bounds_are_printed_only_when_they_differ_in_print(self) -> None:
        row = ONE.result.cells[0].scores[0]
        assert wording.bounds_text(row) == "41.7–58.3"
        close = msgspec.structs.replace(row, optimistic=0.50001, pessimistic=0.49999)
        assert wording.bounds_text(close) == ""
        medr = ONE.result.cells[0].scores[3]
        assert wording.bounds_text(msgspec.structs.replace(medr, pessimistic=None)) == "2.0–∞"


def test_thirty_languages_and_three_tasks_render_quickly_in_every_format() -> None:
    cell = ONE.result.cells[0]
    cells = tuple(
        msgspec.structs.replace(cell, task=task, language=f"l{number:02}")
        for task in ("i2t", "t2i", "classify")
        for number in range(30)
    )
    source = replace(ONE, result=changed(ONE.result, cells=cells, means=(), published=()))
    render([source], "md")  # imports are not what is timed
    began = time.perf_counter()
    for ending in FORMATS.keys() - {"trec"}:
        assert "l29" in render([source], ending)
    assert "l29" in on_terminal(source.result, console_width=80)
    assert time.perf_counter() - began < 5


def test_published_numbers_without_a_column_of_ours_make_no_line() -> None:
    row = PublishedRow(system="X", task="i2t", measure="bleu", value=0.3, source="s", note="")
    (table,) = tables([changed(ONE.result, published=(row,))])
    assert not [line for line in table.lines if line.kind == "published"]
