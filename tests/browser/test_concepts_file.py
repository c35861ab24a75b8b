"""The bytes of a concept report: what they hold, what they cannot do, how many. No browser needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from crossgauge.concept_study import ConceptStudy, SceneView
from crossgauge.errors import InputError
from crossgauge.report.concepts_html import MOST_PAIRS, section, write_concept_report
from crossgauge.report.html import MAX_BYTES, write_report
from crossgauge.report.page import size
from tests.browser.concepts_fixture import ZEBRAS, build_study, many_pairs, write_study
from tests.browser.report_fixture import build, emoji
from tests.browser.test_parts_file import words
from tests.browser.test_report_file import PAYLOADS, noise


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> ConceptStudy:
    return build_study(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="module")
def page(study: ConceptStudy, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write_concept_report(study, tmp_path_factory.mktemp("alone") / "concepts.html")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report(study: ConceptStudy, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = build(tmp_path_factory.mktemp("run") / "run", things=emoji(60), languages=("en",))
    return write_report(write_study(folder, study)).read_text(encoding="utf-8")


def pair(text: str, asked: str) -> str:
    """The part of a page about one query."""
    found = [part for part in text.split('<details class="pair"') if asked in part]
    return found[0].split("</details>")[0]


def changed_pairs(study: ConceptStudy, change: Callable[[SceneView], SceneView]) -> ConceptStudy:
    """The study with both pictures of every pair changed."""
    return msgspec.structs.replace(study, cells=tuple(
        msgspec.structs.replace(cell, examples=tuple(
            msgspec.structs.replace(
                view, truth=change(view.truth), retrieved=view.retrieved and change(view.retrieved)
            )
            for view in cell.examples
        ))
        for cell in study.cells
    ))  # fmt: skip


@pytest.mark.parametrize(
    "expected",
    [
        "CA = 3/11", "NCS = (1/9 + 1/6)/2 = 5/36", "CE = |1−1| + |1−5| + |5−7| = 6", "SD = 2/6",
        "In both (3)", "Only in the right picture (8)", "Only in the retrieved picture (2)",
        "hill.n.01 grassland.n.01 1/9 = 0.111", "zebra.n.01 5 7 2", "mane.n.01 600 1,980 230 % yes",
        "Right picture (ground truth) 2329465", "Retrieved first 2331201", "27.3 %", "query q000412",
        "that still differ by 100 % or more", "one without counts in CE, not in SD",
    ],
)  # fmt: skip
def test_the_zebras_can_be_read_without_their_source(page: str, report: str, expected: str) -> None:
    for text in (page, report):
        assert expected in re.sub(r"\s+(?=[.,)])", "", words(pair(text, ZEBRAS))).replace("( ", "(")


def test_each_measure_of_a_pair_is_explained_where_it_stands(page: str) -> None:
    shown = words(pair(page, ZEBRAS))
    for about in ("concept agreement", "similarity of the rest", "wrong numbers", "wrong sizes"):
        assert about in shown
    assert len(re.findall(r"(?:CA|NCS) ↑ |(?:CE|SD) ↓ ", shown)) == 4


def test_what_has_no_value_says_why(page: str) -> None:
    assert "no value: no concept is common" in words(pair(page, "桌子上"))
    assert "CE is 0 only because no concept is common" in words(pair(page, "桌子上"))
    nothing = words(pair(page, "قطة تنام"))
    assert "Nothing was retrieved." in nothing
    assert nothing.count("no value: nothing was retrieved") == 5


def test_boxes_differ_in_more_than_their_colour(page: str) -> None:
    shown = pair(page, ZEBRAS)
    for kind, mark in (("both", "✓"), ("unpaired", "◇"), ("truth", "▲"), ("retrieved", "○")):
        assert f'<g class="box {kind}"' in shown
        assert re.search(rf'<span class="tag {kind}"[^>]*>{mark} ', shown)
    dashes = re.findall(r"\.box\.(\w+) \.over \{ stroke: #\w+;(?: stroke-dasharray: ([\d. ]+);)? \}", page)
    assert len(dashes) == len({dash for _, dash in dashes}) == 4
    assert shown.count('<g class="box') == 9 + 14


def test_a_picture_that_is_gone_leaves_a_frame_with_its_boxes(page: str) -> None:
    gone = pair(page, "A red bus")
    assert 'style="aspect-ratio:640/360;' in gone
    assert "<use" not in gone
    assert gone.count('<g class="box') == 4 + 3
    right = gone.count("picture not at hand: the frame has its proportions")
    assert right == 1, "only the size of the right picture is known"
    assert words(gone).count("picture not at hand size not known: drawn around its boxes") == 1


def test_a_picture_stands_in_the_page_once(page: str) -> None:
    symbols = re.findall(r'<symbol id="(\w+)"', page)
    assert len(symbols) == len(set(symbols)) == 6
    used = re.findall(r'<use href="#(\w+)"', page)
    assert set(used) == set(symbols)
    assert len(used) > len(symbols), "the cats are asked for twice"


def test_pictures_of_queries_and_of_pairs_have_ids_of_their_own(report: str) -> None:
    ids = re.findall(r' id="([^"]+)"', report)
    assert len(ids) == len(set(ids))


def test_guesses_are_called_so(page: str, tmp_path: Path) -> None:
    guessed = write_concept_report(build_study(predicted=True), tmp_path / "c.html").read_text("utf-8")
    assert "PREDICTED : the concepts are guesses of a classifier" in words(guessed)
    assert words(guessed).count("predicted concepts") == 2
    assert "PREDICTED" not in page
    assert "predicted concepts" not in page


def test_guesses_have_no_boxes_to_switch(study: ConceptStudy, page: str, tmp_path: Path) -> None:
    assert pair(page, ZEBRAS).count('type="checkbox"') == 5
    guessed = changed_pairs(study, lambda scene: msgspec.structs.replace(scene, boxes=()))
    text = write_concept_report(guessed, tmp_path / "c.html").read_text("utf-8")
    assert 'type="checkbox"' not in text
    assert "Boxes drawn" not in text


def test_a_part_of_the_data_is_called_so_before_any_number(study: ConceptStudy, tmp_path: Path) -> None:
    audit = ("W290 one object has no concept", "PARTIAL, not to be ranked: limited to 4 pictures")
    text = write_concept_report(msgspec.structs.replace(study, audit=audit), tmp_path / "c.html").read_text(
        "utf-8"
    )
    told = words(text)
    assert "PARTIAL , not to be ranked: limited to 4 pictures" in told
    assert told.index("PARTIAL") < told.index("1 warning W290")
    assert told.count("PARTIAL") == 1


def test_concepts_say_what_they_mean(page: str, study: ConceptStudy, tmp_path: Path) -> None:
    shown = words(pair(page, ZEBRAS))
    assert (
        "branch .n.01 : branch, subdivision, arm: a kind of division, itself a kind of administrative unit"
        in shown
    )
    own = msgspec.structs.replace(study, hierarchy="food.csv (sha256:0a1b2c)")
    text = write_concept_report(own, tmp_path / "c.html").read_text("utf-8")
    assert '<span class="meaning">' not in text, "people name concepts of their own hierarchy as they like"


def test_a_row_about_sizes_leads_to_one_box_in_each_picture(page: str) -> None:
    shown = pair(page, ZEBRAS)
    rows = re.findall(r"<bdi>#(\d+) (\w+\.n\.01)</bdi></th>", shown)
    assert [number for number, _ in rows] == ["1", "2", "3", "4", "5", "6"]
    pictures = re.findall(r'<svg viewBox="[^"]*" preserveAspectRatio.*?</svg>', shown, re.DOTALL)
    assert len(pictures) == 2
    for picture in pictures:
        assert sorted(re.findall(r"<title>(\S+) #(\d+)</title>", picture)) == sorted(
            (concept, number) for number, concept in rows
        )
    tags = re.findall(r'<span class="tag both"[^>]*>✓ <bdi>[^<]*#(\d+)</bdi>', shown)
    assert sorted(tags) == sorted(2 * [number for number, _ in rows]), "the numbers stand on the pictures too"


def test_a_run_without_a_study_has_no_trace_of_one(tmp_path: Path) -> None:
    text = write_report(build(tmp_path / "run", things=emoji(60), languages=("en",))).read_text("utf-8")
    for absent in ("concepts", "data-pairs", "dasharray: 9"):
        assert absent not in text


def test_the_report_links_to_its_concepts(report: str) -> None:
    assert '<li><a href="#concepts">Concepts</a></li>' in report
    assert '<h2 id="concepts">' in report
    assert report.index('<h2 id="concepts">') < report.index('<h2 id="queries">')


def test_equal_studies_give_equal_bytes(study: ConceptStudy, page: str, tmp_path: Path) -> None:
    again = ConceptStudy.from_json(study.to_json())
    assert again == study
    assert write_concept_report(again, tmp_path / "c.html").read_text("utf-8") == page


def test_it_asks_for_nothing(page: str, report: str) -> None:
    for text in (page, report):
        addresses = re.findall(r"""(?:href|src|srcset|action|url)\s*[=(]\s*["']?([^"')\s>]+)""", text)
        assert {a for a in addresses if not a.startswith(("#", "data:"))} == set()
        assert "@import" not in text


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_and_texts_are_shown_not_obeyed(tmp_path: Path, payload: str) -> None:
    hostile = build_study(tmp_path / "p", named=lambda name: name + payload, predicted=True)
    cells = tuple(msgspec.structs.replace(cell, language=payload) for cell in hostile.cells)
    hostile = msgspec.structs.replace(hostile, cells=cells, settings={payload: payload})
    text = write_concept_report(hostile, tmp_path / "c.html").read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script") == 1
    assert text.count("<style") == text.count("</style") == 1
    assert "<img" not in text
    assert "onload=" not in re.sub(r"&lt;svg onload=", "", text)
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202e]", text)


class TestSize:
    def test_of_very_many_pairs_the_first_are_shown_and_the_rest_counted(
        self, study: ConceptStudy, tmp_path: Path
    ) -> None:
        text = write_concept_report(many_pairs(study, 500), tmp_path / "c.html").read_text("utf-8")
        assert text.count('<details class="pair"') == MOST_PAIRS
        assert "60 of 5,000 pairs (left out of this page: 4,940)." in words(text)
        assert size(text) < MAX_BYTES

    def test_pictures_that_no_codec_makes_small_shrink_until_they_fit(
        self, study: ConceptStudy, tmp_path: Path
    ) -> None:
        many = many_pairs(study, MOST_PAIRS)
        paths = iter(noise(tmp_path / "noise", 2 * MOST_PAIRS, 400))
        examples = tuple(
            msgspec.structs.replace(
                view, truth=msgspec.structs.replace(view.truth, path=next(paths)),
                retrieved=view.retrieved and msgspec.structs.replace(view.retrieved, path=next(paths)),
            )
            for view in many.cells[0].examples
        )  # fmt: skip
        cell = msgspec.structs.replace(many.cells[0], examples=examples)
        path = write_concept_report(msgspec.structs.replace(many, cells=(cell,)), tmp_path / "c.html")
        assert path.stat().st_size < MAX_BYTES
        text = path.read_text(encoding="utf-8")
        assert text.count("<symbol") >= 60
        assert text.count('<details class="pair"') == MOST_PAIRS

    def test_with_little_room_there_are_fewer_pairs_at_last_none(self, study: ConceptStudy) -> None:
        many = many_pairs(study, 100)
        texts = [section(many, budget=budget) for budget in (1_500_000, 200_000, 0)]
        shown = [text.count('<details class="pair"') for text in texts]
        assert shown[0] == MOST_PAIRS > shown[1] > shown[2] == 0
        assert size(texts[1]) <= 200_000
        assert "stand in <code>concepts.json</code> only" in texts[2]

    def test_cells_share_the_room(self, study: ConceptStudy) -> None:
        cell = many_pairs(study, 100).cells[0]
        both = msgspec.structs.replace(study, cells=(cell, msgspec.structs.replace(cell, key="other")))
        text = section(both, budget=2_000_000)
        assert re.findall(r"(\d+) of 1,000 pairs", text) == ["30", "30"]

    def test_a_cell_without_pairs_says_so(self, study: ConceptStudy) -> None:
        cell = msgspec.structs.replace(study.cells[0], pairs=0, examples=(), scores=(), totals={})
        text = section(msgspec.structs.replace(study, cells=(cell,)), budget=100_000)
        assert "There is no pair to judge in this cell." in text

    def test_a_report_with_a_large_study_stays_below_its_limit(
        self, study: ConceptStudy, tmp_path: Path
    ) -> None:
        folder = build(tmp_path / "run", things=emoji(60), languages=("en",))
        path = write_report(write_study(folder, many_pairs(study, 300)))
        assert path.stat().st_size < MAX_BYTES
        text = path.read_text(encoding="utf-8")
        assert '<details class="pair"' in text
        assert '<symbol id="p0"' in text, "pictures of queries still find room"


def test_a_broken_study_is_refused(tmp_path: Path) -> None:
    folder = build(tmp_path / "run", things=emoji(60), languages=("en",))
    (folder / "concepts.json").write_text('{"schema": 1}', encoding="utf-8")
    with pytest.raises(InputError, match="E307"):
        write_report(folder)
