"""What only some runs have, in the bytes of report.html. No browser needed."""

from __future__ import annotations

import html
import re
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import InputError
from crossgauge.per_query import write_captions
from crossgauge.report import charts
from crossgauge.report.html import write_report
from crossgauge.report.prompts import spreads
from crossgauge.report.queries import picked
from crossgauge.report.tables import tables
from crossgauge.report.written import picked_captions
from crossgauge.result import CellResult, Result
from crossgauge.rouge import rouge_l
from crossgauge.types import CaptionSplit, Item
from tests.browser.parts_fixture import build_with_parts
from tests.browser.report_fixture import build, emoji
from tests.browser.test_report_file import PAYLOADS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_with_parts(tmp_path_factory.mktemp("parts") / "run")


@pytest.fixture(scope="module")
def result(folder: Path) -> Result:
    return Result.from_json((folder / "scores.json").read_bytes())


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    return write_report(folder).read_text(encoding="utf-8")


def cell(result: Result, task: str) -> CellResult:
    return next(one for one in result.cells if one.task == task)


def per_query(folder: Path, task: str) -> Path:
    return folder / "cells" / f"{task}.en.plain" / "per_query.parquet"


def words(text: str) -> str:
    """The page's text without its tags, style and script."""
    bare = re.sub(r"<(style|script)>.*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", bare))


@pytest.mark.parametrize(
    "expected",
    [
        "10 draws of 1,000", "24.9 ± 0.6 [21.9, 27.9]", "± one standard deviation over draws",
        "official gem2021 1 punct 98.3", "official scorer gem2021, not our rules: queries with a NaN leave",
        "58 of 60 queries were left out; 3 ties counted twice; it also prints mean_recall 99.4 %",
        "GEM-I 41.2 mR + ROUGE-L % ↑ mean of QI", "published M3P 35.1", "lacks: IQ.ar.plain, IQ.de.plain",
        "text→video (t2v) : conse takes no video", "text→video not applicable", "n/a",
        "17 of 60 (28.3 %) q-1f400, q-1f401, q-1f402, q-1f403 …", "the best of several formats is no score",
        "image→query (IQ) · 15 items", "nothing was written", "a small gorilla on white", "gorilla picture",
        "12 queries · 2–8 candidates each", "▶ video walk in the park.mp4", "Which of these is a chicken?",
        "prompt {} , 15 items, references per item 1 / 2.0 / 7",
        "official: emoji/i2t/en|profile gem2021|n:60",
    ],
)  # fmt: skip
def test_each_part_is_in_its_place(text: str, expected: str) -> None:
    assert expected in words(text)


def test_what_a_run_does_not_have_is_not_there(tmp_path: Path) -> None:
    shown = words(write_report(build(tmp_path / "run", things=emoji(60))).read_text(encoding="utf-8"))
    for absent in ("official", "±", "n/a", "Over several cells", "Prompt sensitivity", "candidates each"):
        assert absent not in shown, absent


def test_videos_are_named_never_loaded(text: str) -> None:
    assert "<video" not in text
    assert "/data/clips" not in text
    assert "rather_long_file_name_of_a_video_0001.webm" in text


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_and_texts_are_shown_not_obeyed(tmp_path: Path, payload: str) -> None:
    page = write_report(build_with_parts(tmp_path / "run", named=lambda name: name + payload, n=20))
    text = page.read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script") == 1
    assert text.count("<style") == text.count("</style") == 1
    assert "<img" not in text
    assert "onload=" not in re.sub(r"&lt;svg onload=", "", text)
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202e]", text)


class TestCaptions:
    def test_the_worst_and_the_best_are_shown_each_once(self, folder: Path, result: Result) -> None:
        found = picked_captions(per_query(folder, "IQ"), cell(result, "IQ").scores[0])
        assert [one.why for one in found] == ["worst"] * 8 + ["best"] * 4
        assert len({one.asked.id for one in found}) == 12
        assert [one.score for one in found[:3]] == ["ROUGE-L 0.0 %", "ROUGE-L 0.0 %", "ROUGE-L 10.0 %"]
        assert found[8].score == "ROUGE-L 82.0 %"

    def test_what_was_not_written_is_none_and_references_are_counted(
        self, folder: Path, result: Result
    ) -> None:
        found = picked_captions(per_query(folder, "IQ"), cell(result, "IQ").scores[0])
        assert [one.hypothesis is None for one in found[:2]] == [True, False]
        assert (len(found[6].references), found[6].more_references) == (5, 2)
        assert found[0].asked.clip == "y.mp4"

    def test_where_lower_is_better_the_highest_is_worst_and_undefined_values_stay_out(
        self, tmp_path: Path, folder: Path, result: Result
    ) -> None:
        table = pq.read_table(per_query(folder, "IQ"))
        values = [float("nan"), *range(1, 15)]
        column = table.column_names.index("m.rouge_l")
        changed = table.set_column(column, "m.rouge_l", pa.array(values, pa.float64()))
        pq.write_table(changed, tmp_path / "t.parquet")
        score = msgspec.structs.replace(
            cell(result, "IQ").scores[0], higher_is_better=False, unit="rank", title="errors"
        )
        found = picked_captions(tmp_path / "t.parquet", score)
        assert (found[0].score, found[-1].score, len(found)) == ("errors 14.0", "errors 4.0", 11)

    def test_the_table_that_an_evaluation_writes_is_understood(self, tmp_path: Path, result: Result) -> None:
        items = (Item("a", text="seen", image=Path("a.png")), Item("b", video=Path("clips/b.mp4"), lang="de"))
        split = CaptionSplit(items, (("a bee",), ("ein Hund", "Hund")), groups=("insects", "dogs"))
        captions = ("a bee", None)
        score = rouge_l(captions, split.references, profile="multilingual")
        write_captions(tmp_path / "t.parquet", split, captions, {"rouge_l": score})
        worst, best = picked_captions(tmp_path / "t.parquet", cell(result, "IQ").scores[0])
        assert (worst.asked.id, worst.hypothesis, worst.asked.clip, worst.language) == (
            "b",
            None,
            "b.mp4",
            "de",
        )
        assert (best.hypothesis, best.references, best.group) == ("a bee", ("a bee",), "insects")
        assert (worst.why, best.why) == ("worst", "best")
        assert (worst.score, best.score) == ("ROUGE-L 0.0 %", "ROUGE-L 100.0 %")

    def test_a_table_without_the_measure_is_refused(self, folder: Path, result: Result) -> None:
        with pytest.raises(InputError, match="E326"):
            picked_captions(per_query(folder, "IQ"), cell(result, "i2t").scores[0])


class TestQueries:
    def test_an_item_keeps_picture_video_and_text(self, folder: Path) -> None:
        asked = next(query.asked for query in picked(per_query(folder, "vqa")) if query.asked.video)
        assert asked.text is not None
        assert asked.image is not None
        assert asked.clip == "walk in the park.mp4"

    def test_tables_without_videos_are_read_as_before(self, folder: Path) -> None:
        things = [query.asked for query in picked(per_query(folder, "i2t"))]
        assert {thing.video for thing in things} == {None}
        assert {thing.clip for thing in things} == {""}


class TestCharts:
    def test_a_task_that_does_not_apply_has_a_column_of_n_a(self, result: Result) -> None:
        heat = charts.languages(tables([result]), result.not_applicable)
        assert heat is not None
        assert [column.heading for column in heat.columns[-2:]] == ["not applicable"] * 2
        for name, cells in heat.rows:
            assert len(cells) == len(heat.columns), name
            assert [(one.text, one.step) for one in cells[-2:]] == [("n/a", None)] * 2

    def test_ranks_are_drawn_on_the_scale_of_what_competed(self, result: Result) -> None:
        row = cell(result, "r2i").scores[0]
        wide = charts.whisker(row, cell(result, "r2i"))
        narrow = charts.whisker(row, msgspec.structs.replace(cell(result, "r2i"), candidates=(10, 10)))
        assert wide is not None
        assert narrow is not None
        assert wide.value > narrow.value, "rank 5 of 1,000 is nearer to the first than 5 of 10"

    def test_formats_are_drawn_from_the_worst_to_the_best(self, result: Result) -> None:
        found = spreads([result])
        assert found is not None
        at = charts.dots(found.lines[0])
        assert len(at) == 3
        assert list(at) == sorted(at)
        assert charts.WIDTH / 2 < at[0] < at[-1] < charts.WIDTH
