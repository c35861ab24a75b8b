"""What a changed query does, as reports tell it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crossgauge.evaluation import evaluate
from crossgauge.perturb import choose
from crossgauge.report import render
from crossgauge.report.edited import contradictions
from crossgauge.report.html import document
from crossgauge.report.interventions import RULE, TITLE, effects
from crossgauge.report.markdown_text import escape
from crossgauge.report.source import Source, read_source
from crossgauge.report.terminal import render as on_terminal
from crossgauge.result import Intervention, NotApplicable, Result

GOLDEN = Path(__file__).parents[1] / "golden"
NASTY = "\x1b[31m|<b>\u202e"


def row(**facts: Any) -> Intervention:
    usual: dict[str, Any] = {
        "cell": "i2t.en.plain", "name": "antonym", "measure": "hit@1", "before": 0.5, "after": 0.25,
        "delta": -0.25, "low": -0.4, "high": 0.0, "n": 20, "p": 0.0213, "changed": 20,
        "unchanged": {"no adjective with an antonym": 280}, "seed": 0, "log": "l.jsonl", "signature": "s",
    }  # fmt: skip
    return Intervention(**(usual | facts))


def result(*rows: Intervention, untouched: tuple[NotApplicable, ...] = ()) -> Result:
    plain = read_source(GOLDEN / "report_result.json").result
    rows = tuple(msgspec.structs.replace(one, cell=one.cell or plain.cells[0].key) for one in rows)
    return msgspec.structs.replace(plain, interventions=rows, untouched=untouched)


@pytest.fixture
def key() -> str:
    return read_source(GOLDEN / "report_result.json").result.cells[0].key


def test_a_line_tells_before_after_and_how_sure(key: str) -> None:
    table = effects([result(row(cell=key), row(cell=key, measure="mrr", before=0.9))])
    assert table is not None
    (line,) = table.lines  # the primary measure alone
    assert (line.before, line.after, line.change) == ("50.0", "25.0", "-25.0 [-40.0, 0.0]")
    assert (line.p, line.changed) == ("0.021", "20 of 300")
    assert table.notes == ("antonym left queries alone: no adjective with an antonym (280)",)


@pytest.mark.parametrize(
    ("facts", "change"),
    [
        ({"delta": 0.1, "low": 0.05, "high": 0.2}, "+10.0 [+5.0, +20.0]"),
        ({"delta": -0.0001, "low": None, "high": None}, "0.0"),
        ({"delta": 0.0, "low": 0.0, "high": 0.0}, "0.0 [0.0, 0.0]"),
        ({"delta": None, "low": None, "high": None}, "—"),
        ({"measure": "medr", "before": 3.0, "delta": 12.5, "low": -1.0, "high": 20.0}, "+12.5 [-1.0, +20.0]"),
    ],
)
def test_signs_are_always_written(key: str, facts: dict, change: str) -> None:
    table = effects([result(row(cell=key, **facts))])
    assert table is not None
    assert table.lines[0].change == change


def test_a_result_of_before_there_were_p_values_is_read(key: str) -> None:
    stored = json.loads(result(row(cell=key)).to_json())
    del stored["interventions"][0]["p"]
    old = Result.from_json(json.dumps(stored).encode())
    table = effects([old])
    assert table is not None
    assert table.lines[0].p == "—"
    assert contradictions(old, "p") == []


def test_what_nothing_was_done_to_is_a_note_and_no_line(key: str) -> None:
    untouched = (NotApplicable(task="t2i", title="image→text", reason="its queries are image, not text"),)
    nothing = row(cell=key, changed=0, n=0, delta=None, unchanged={"language de": 3, "no text": 9})
    table = effects([result(nothing, untouched=untouched)])
    assert table is not None
    assert table.lines == ()
    assert table.notes == (
        "antonym left queries alone: no text (9), language de (3)",
        "no intervention on image→text (t2i): its queries are image, not text",
    )
    for text in (on_terminal(result(nothing)), render([Source(result(nothing))], "md")):
        assert TITLE in text
        assert "no text (9)" in text


def test_every_format_shows_it_and_without_interventions_none_does(key: str) -> None:
    given = result(row(cell=key))
    shown = [
        on_terminal(given),
        on_terminal(given, console_width=60, plain=True),
        render([Source(given)], "md"),
    ]
    for text in (*shown, document(Source(given))):
        assert TITLE in text
        assert "-25.0 [-40.0, 0.0]" in text
        assert "0.021" in text
        assert "20 of 300" in text
    bare = Source(result())
    for text in (on_terminal(bare.result), render([bare], "md"), document(bare)):
        assert TITLE not in text
        assert RULE not in text


def test_several_systems_stand_beneath_one_another(key: str) -> None:
    one, other = Source(result(row(cell=key))), read_source(GOLDEN / "report_other.json")
    second = msgspec.structs.replace(other.result, interventions=(row(cell=other.result.cells[0].key),))
    lines = [line for line in render([one, Source(second)], "md").splitlines() if "| antonym |" in line]
    assert len(lines) == 2
    assert escape(one.result.model) in lines[0]
    assert escape(second.model) in lines[1]


def test_texts_of_data_are_shown_and_not_obeyed(key: str) -> None:
    given = result(row(cell=key, name=NASTY, unchanged={NASTY: 1}))
    assert "\x1b" not in on_terminal(given)
    assert "\x1b" not in render([Source(given)], "md")
    page = document(Source(given))
    assert "<b>" not in page.split(f'<h2 id="interventions">{TITLE}')[1].split("</table>")[0]
    assert "\x1b" not in page


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({"delta": -0.5}, "a change of -0.5, where the values differ by -0.25"),
        ({"low": 0.2, "high": 0.1}, "an interval from 0.2 to 0.1"),
        ({"p": 1.5}, "a p-value of 1.5"),
        ({"changed": -1}, "counts of queries that do not fit"),
    ],
)
def test_numbers_that_were_edited_are_found(key: str, facts: dict, found: str) -> None:
    assert contradictions(result(row(cell=key)), "p") == []
    (fault,) = contradictions(result(row(cell=key, **facts)), "p")
    assert (fault.code, found in fault.found) == ("E327", True)


def test_a_run_shows_its_own(tmp_path: Path) -> None:
    from crossgauge.report.html import write_report
    from tests.encoders import Hashing

    evaluate(
        "emoji", Hashing(), tasks=["t2i"], languages=["en"], limit=30, perturb=choose("word-order"),
        out=tmp_path / "run",
    )  # fmt: skip
    page = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert page.count("word-order") >= 2
