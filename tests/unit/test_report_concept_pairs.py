"""A pair of pictures made ready to be drawn: boxes, names, sizes, sums, and what is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from crossgauge.concept_study import BoxView, CoupleView, PairView, SceneView, SizeView
from crossgauge.report.concepts_pairs import Shown, shown_pair
from crossgauge.report.concepts_scene import MOST_BOXES, Frame, frame
from tests.browser.concepts_fixture import ZEBRAS, build_study

STUDY = build_study()
CELL = STUDY.cells[0]
BY_TEXT = {view.text: view for view in CELL.examples}


def box(x: float = 10, y: float = 10, width: float = 20, height: float = 10, **fields: Any) -> BoxView:
    known = {"concept": "dog.n.01", "state": "only"} | fields
    return BoxView(x=x, y=y, width=width, height=height, **known)


def drawn(*boxes: BoxView, **fields: Any) -> Frame:
    known: dict[str, Any] = {"image": "a", "path": None, "width": 200, "height": 100} | fields
    return frame(SceneView(boxes=boxes, **known), "truth", {"dog.n.01": 0})


def shown(view: PairView, **settings: str) -> Shown:
    study = msgspec.structs.replace(STUDY, settings={**STUDY.settings, **settings})
    return shown_pair(study, CELL, view)


@pytest.fixture
def zebras() -> Shown:
    return shown(BY_TEXT[ZEBRAS])


class TestScene:
    def test_an_outline_is_a_path_with_its_name_at_its_corner(self) -> None:
        (one,) = drawn(box()).boxes
        assert (one.path, one.place) == ("M10 10h20v10h-20z", "left:5%;top:10%")
        assert (one.name, one.kind, one.number) == ("dog", "truth", 0)

    def test_a_box_at_the_right_has_its_name_at_its_right_corner(self) -> None:
        (one,) = drawn(box(x=150, width=40)).boxes
        assert one.place == "right:5%;top:10%"

    def test_a_box_beyond_the_picture_keeps_its_name_inside(self) -> None:
        places = [one.place for one in drawn(box(x=-50, y=-50), box(x=500, y=500, width=1)).boxes]
        assert places == ["left:0%;top:0%", "right:0%;top:89.5%"]

    def test_a_box_without_area_is_drawn_too(self) -> None:
        (one,) = drawn(box(width=0)).boxes
        assert one.path == "M10 10h0v10h0z"

    def test_what_both_show_is_the_same_kind_in_either_picture(self) -> None:
        assert drawn(box(state="matched")).boxes[0].kind == "both"
        retrieved = frame(SceneView(image="a", path=None, width=9, height=9, boxes=(box(),)), "retrieved", {})
        assert retrieved.boxes[0].kind == "retrieved"
        assert drawn(box(state="unpaired")).boxes[0].kind == "unpaired"
        assert retrieved.boxes[0].number == -1

    def test_small_boxes_lie_on_large_ones(self) -> None:
        found = drawn(box(width=5), box(width=100), box(width=50)).boxes
        assert [one.path.split("h")[1].split("v")[0] for one in found] == ["100", "50", "5"]

    def test_of_many_boxes_the_largest_of_each_concept_has_a_name_for_all(self) -> None:
        cats = [box(width=200, concept="cat.n.01"), box(width=1, concept="mouse.n.01")]
        found = drawn(*(box(width=k + 1) for k in range(12)), *cats)
        assert [one.name for one in found.boxes if one.name] == ["cat", "dog ×12", "mouse"]
        assert found.names == 3
        assert found.spoken == "14 boxes: cat ×1, dog ×12, mouse ×1"

    def test_one_name_never_stands_for_boxes_of_two_states(self) -> None:
        zebras = [box(width=9 - k, state="matched" if k < 4 else "unpaired") for k in range(7)]
        manes = [box(x=90, width=9 - k, concept="mane.n.01") for k in range(6)]
        found = [(one.kind, one.name) for one in drawn(*zebras, *manes).boxes if one.name]
        assert sorted(found) == [("both", "dog ×4"), ("truth", "mane ×6"), ("unpaired", "dog ×3")]

    def test_very_many_boxes_are_counted_not_drawn(self) -> None:
        found = drawn(*(box(width=k + 1) for k in range(MOST_BOXES + 7)))
        assert (len(found.boxes), found.more, found.boxed) == (MOST_BOXES, 7, MOST_BOXES + 7)
        assert found.boxes[-1].path.startswith("M10 10h8v"), "the smallest seven are left out"

    def test_a_box_of_absurd_size_is_left_out(self) -> None:
        found = drawn(box(width=1e300), box())
        assert (len(found.boxes), found.more) == (1, 1)


class TestSize:
    @pytest.fixture
    def picture(self, tmp_path: Path) -> str:
        Image.new("RGB", (40, 30)).save(tmp_path / "a.png")
        return str(tmp_path / "a.png")

    def test_as_annotated(self, picture: str) -> None:
        found = drawn(path=picture, width=400, height=300)
        assert (found.width, found.height, found.note, found.sized) == (400, 300, "", True)

    def test_other_proportions_are_remarked(self, picture: str) -> None:
        assert "boxes may be off" in drawn(path=picture, width=400, height=400).note

    def test_else_of_the_file(self, picture: str) -> None:
        found = drawn(path=picture, width=None, height=None)
        assert (found.width, found.height, found.note[:16]) == (40, 30, "size as in the f")

    def test_a_turned_picture_is_measured_as_it_is_shown(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.new("RGB", (40, 30)).save(tmp_path / "a.jpg", exif=exif)
        found = drawn(path=str(tmp_path / "a.jpg"), width=None, height=None)
        assert (found.width, found.height) == (30, 40)

    @pytest.mark.parametrize("name", ["none.png", "text.png", "."])
    def test_else_around_the_boxes(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "text.png").write_text("no picture")
        found = drawn(box(x=30, width=50), path=str(tmp_path / name), width=None, height=0)
        assert (found.width, found.height, found.note[:14]) == (80, 20, "size not known")
        assert not found.sized, "nothing must say that these are the proportions of the picture"

    def test_without_anything_it_still_has_proportions(self) -> None:
        for boxes in ((), (box(x=-90, y=-90),)):
            found = drawn(*boxes, width=None, height=None)
            assert (found.width, found.height, found.sized) == (4, 3, False)


class TestZebras:
    def test_the_sums_are_those_of_the_source(self, zebras: Shown) -> None:
        assert [(one.title, one.arrow, one.value, one.sum) for one in zebras.main] == [
            ("CA", "↑", "27.3 %", "CA = 3/11"),
            ("NCS", "↑", "0.139", "NCS = (1/9 + 1/6)/2 = 5/36"),
            ("CE", "↓", "6", "CE = |1−1| + |1−5| + |5−7| = 6"),
            ("SD", "↓", "33.3 %", "SD = 2/6"),
        ]
        assert [one.measure for one in zebras.others] == [
            "sd_mean", "enumeration_disagreement", "hits", "misses",
        ]  # fmt: skip
        assert {one.undefined for one in (*zebras.main, *zebras.others)} == {""}

    def test_the_three_lists(self, zebras: Shown) -> None:
        lists = zebras.common, zebras.only_truth, zebras.only_retrieved
        assert [(one.count, one.more) for one in lists] == [(3, 0), (8, 0), (2, 0)]
        assert [(one.name, one.sense) for one in zebras.common.shown] == [
            ("field", ".n.01"), ("mane", ".n.01"), ("zebra", ".n.01"),
        ]  # fmt: skip

    def test_a_concept_without_a_box_leads_nowhere(self, zebras: Shown) -> None:
        numbers = {one.name: one.number for one in zebras.only_truth.shown}
        assert numbers["trunk"] == -1
        boxes = {one.name: one.number for one in zebras.truth.boxes}
        assert numbers["hill"] == boxes["hill"] >= 0

    def test_the_tables(self, zebras: Shown) -> None:
        assert zebras.couples.shown == (
            ("hill.n.01", "grassland.n.01", "1/9 = 0.111"), ("tree.n.01", "grass.n.01", "1/6 = 0.167"),
        )  # fmt: skip
        assert zebras.counts.shown[2] == ("zebra.n.01", "5", "7", "2")
        assert zebras.sizes.shown[1] == ("#2 mane.n.01", "600", "1,980", "230 %", "yes")
        assert len(zebras.sizes.shown) == 6

    def test_objects_without_a_box_are_pointed_out(self, zebras: Shown) -> None:
        assert zebras.unboxed, "one of five zebras has none"
        assert not shown(BY_TEXT["A crowd crosses the street at noon"]).unboxed

    def test_names_are_shown_from_the_start_where_they_fit(self, zebras: Shown) -> None:
        assert zebras.named
        view = BY_TEXT[ZEBRAS]
        boxes = tuple(box(concept=f"c{k}") for k in range(15))
        crowded = msgspec.structs.replace(view, truth=msgspec.structs.replace(view.truth, boxes=boxes))
        assert not shown(crowded).named


class TestUndefined:
    def test_nothing_retrieved(self) -> None:
        found = shown(BY_TEXT["قطة تنام على كتاب مفتوح فوق الطاولة"])
        assert found.retrieved is None
        assert [(one.value, one.sum, one.undefined) for one in found.main[:2]] == [
            ("0.0 %", "CA = 0/4", ""), ("—", "", "nothing was retrieved"),
        ]  # fmt: skip

    def test_nothing_in_common(self) -> None:
        found = shown(BY_TEXT["桌子上有一只猫、一本打开的书和一盏灯"])
        assert found.main[3].undefined == "no concept is common"
        assert found.view.remarks == ("CE is 0 only because no concept is common",)

    def test_a_value_without_reason_says_at_least_that_there_is_none(self) -> None:
        view = msgspec.structs.replace(BY_TEXT[ZEBRAS], values={"ca": None}, undefined={})
        assert shown(view).main[0].undefined == "no value"


class TestLimits:
    def test_infinite_differences_and_shares_of_pictures(self) -> None:
        size = SizeView(concept="a", truth_area=0.0, retrieved_area=0.25, difference=None, oversized=True)
        view = msgspec.structs.replace(BY_TEXT[ZEBRAS], sizes=(size,))
        assert shown(view).sizes.shown == (("a", "0", "0", "∞", "yes"),)
        found = shown(view, sd="gold/image>=1.0")
        assert (found.sizes.shown, found.area) == ((("a", "0.0", "25.0", "∞", "yes"),), "% of picture")

    @pytest.mark.parametrize(
        ("value", "text"), [(1.0, "1"), (0.0, "0"), (0.1386294361, "0.139"), (0.5, "1/2 = 0.500")]
    )
    def test_similarities(self, value: float, text: str) -> None:
        couple = CoupleView(truth="a", retrieved="b", similarity=value)
        view = msgspec.structs.replace(BY_TEXT[ZEBRAS], couples=(couple,))
        assert shown(view).couples.shown == (("a", "b", text),)

    def test_what_is_too_long_is_cut_and_counted(self) -> None:
        view = msgspec.structs.replace(
            BY_TEXT[ZEBRAS],
            text="x" * 5000, common=tuple(f"c{k}" for k in range(1000)),
            couples=BY_TEXT[ZEBRAS].couples * 100,
            arithmetic={"ca": "CA = (" + " + ".join("1" * 3000) + ")/9 = 333"},
        )  # fmt: skip
        found = shown(view)
        assert (len(found.text), found.text[-2:]) == (1002, " …")
        assert (len(found.common.shown), found.common.more) == (150, 850)
        assert (len(found.couples.shown), found.couples.more) == (60, 140)
        assert len(found.main[0].sum) < 500
        assert found.main[0].sum.endswith("/9 = 333")
