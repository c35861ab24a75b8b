"""Colours: the tables, which words are colours, and what they become."""

from __future__ import annotations

import math

import pytest

from crossgauge.errors import UsageError
from crossgauge.perturb import Edited, Query, choose, edit
from crossgauge.perturb.color_table import FARTHEST, TABLES, color_table


def edited(*texts: str, name: str = "color-all", **how: object) -> list[Edited]:
    (chosen,) = choose(name, **how)  # type: ignore[arg-type]
    return list(edit([Query(str(n), text, "en") for n, text in enumerate(texts)], chosen))


def replaced(text: str) -> list[str]:
    """The colours found in a text, without articles."""
    return [change.old for change in edited(text)[0].changes if change.old.lower() not in {"a", "an"}]


class TestTables:
    def test_the_sizes_that_matplotlib_has(self) -> None:
        assert {name: len(color_table(name).colors) for name in TABLES} == {"css4": 148, "xkcd": 949}

    @pytest.mark.parametrize(
        ("table", "name", "rgb"),
        [
            ("css4", "red", (255, 0, 0)), ("css4", "light goldenrod yellow", (250, 250, 210)),
            ("css4", "rebecca purple", (102, 51, 153)), ("xkcd", "cloudy blue", (172, 194, 217)),
            ("xkcd", "red", (229, 0, 0)),
        ],
    )  # fmt: skip
    def test_values(self, table: str, name: str, rgb: tuple[int, int, int]) -> None:
        found = color_table(table).find(name)
        assert found is not None
        assert found.rgb == rgb

    def test_spellings_of_one_name(self) -> None:
        css = color_table("css4")
        assert css.find("skyblue") == css.find("sky blue") != css.find("deep sky blue")
        assert css.find("slate gray") == css.find("slategrey")
        assert css.find("skyish blue") is None

    def test_the_farthest(self) -> None:
        black, white = (color_table("css4").find(name) for name in ("black", "white"))
        assert black is not None
        assert white is not None
        assert black.distance(white) == FARTHEST == math.sqrt(3 * 255**2)

    def test_the_reasons_given_for_the_default(self) -> None:
        """What the module says about 150 is so."""
        near = {}
        for table in TABLES:
            shades = [
                (one, other)
                for one in color_table(table).colors
                for shade in ("dark", "light", "medium", "deep", "pale", "bright")
                for name in (f"{shade} {one.name}", f"{shade}{one.name}")
                if (other := next((c for c in color_table(table).colors if c.name == name), None))
            ]
            near[table] = (sum(one.distance(other) <= 150 for one, other in shades), len(shades))
        assert near == {"css4": (35, 45), "xkcd": (174, 203)}
        css = color_table("css4")
        basic = [
            "black",
            "white",
            "red",
            "green",
            "yellow",
            "blue",
            "brown",
            "orange",
            "pink",
            "purple",
            "gray",
        ]
        assert min(sum(css.by_name[_key(name)].distance(c) > 150 for c in css.colors) for name in basic) == 69


def _key(name: str) -> str:
    return name.replace("gray", "grey")


class TestWhatIsAColour:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("a red bus", ["red"]),
            ("light blue sky, dark green trees", ["light blue", "dark green"]),  # the longest name
            ("a skyblue shirt", ["skyblue"]),
            ("an orange cat", ["orange"]),
            ("a navy shirt and tan trousers", ["navy", "tan"]),
            ("the bus is white and red", ["white", "red"]),
            ("dressed in grey", ["grey"]),
            ("A RED, Blue and gray bird", ["RED", "Blue", "gray"]),
        ],
    )
    def test_colours(self, text: str, found: list[str]) -> None:
        assert replaced(text) == found

    @pytest.mark.parametrize(
        "text",
        [
            "an orange on a plate", "snow on a wheat field", "a salmon", "chocolate cake",
            "a white-haired woman", "a redhead", "#red @blue", "reddish",
        ],
    )  # fmt: skip
    def test_no_colours(self, text: str) -> None:
        assert edited(text)[0].skipped == "no colour name"


class TestWhatTheyBecome:
    @pytest.mark.parametrize("threshold", [0.0, 150.0, 300.0])
    @pytest.mark.parametrize("table", TABLES)
    def test_all_are_farther_than_the_threshold(self, table: str, threshold: float) -> None:
        colors = color_table(table)
        for text in ("the red bus", "the light blue bus", "the black bus"):
            for seed in range(20):
                one = edited(text, seed=seed, color_threshold=threshold, color_table=table)[0]
                (change,) = one.changes
                old, new = (colors.find(name) for name in (change.old, change.new))
                assert old is not None
                assert new is not None
                assert old.distance(new) > threshold

    def test_color_in_takes_only_what_queries_mention(self) -> None:
        texts = ["a red bus", "a blue car", "an orange cat", "an orange and a snow"]
        for seed in range(20):
            news = [one.changes[-1].new for one in edited(*texts, name="color-in", seed=seed)[:3]]
            assert set(news) <= {"red", "blue", "orange"}
            assert all(new not in text for new, text in zip(news, texts, strict=False))

    def test_nothing_far_enough(self) -> None:
        assert edited("a red bus", name="color-in")[0].skipped == "no other colour far enough"
        assert edited("a grey bus", color_threshold=400)[0].skipped == "no other colour far enough"

    def test_other_languages_lend_no_colours(self) -> None:
        (chosen,) = choose("color-in")
        found = edit([Query("1", "a red bus", "en"), Query("2", "a blue bus", "nl")], chosen)
        assert [one.skipped for one in found] == ["no other colour far enough", "language nl"]

    def test_the_article_follows(self) -> None:
        both = {one.after.split()[0] for n in range(60) for one in edited("a red bus", seed=n) if one.after}
        assert both == {"a", "an"}
        for seed in range(60):
            first, new = str(edited("a red bus", seed=seed)[0].after).split()[:2]
            assert (first == "an") == (new[0] in "aeiou")


class TestFaults:
    def test_all_at_once_and_what_was_meant(self) -> None:
        with pytest.raises(UsageError) as raised:
            choose(["colour-al", "size", "x"], seed=-1, color_threshold=500, color_table="html")
        assert [fault.code for fault in raised.value.faults] == ["E180", "E180", "E181", "E182", "E182"]
        assert "did you mean color-all?" in str(raised.value)

    @pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -1, FARTHEST])
    def test_thresholds_that_mean_nothing(self, threshold: float) -> None:
        with pytest.raises(UsageError, match="E182"):
            choose("color-all", color_threshold=threshold)

    def test_none_at_all(self) -> None:
        with pytest.raises(UsageError, match="E180"):
            choose([])

    def test_labels_say_what_changes_the_texts(self) -> None:
        labels = [one.label for one in choose(["size", "color-in", "size"], seed=7, color_threshold=99.5)]
        assert labels == ["size#7", "color-in(css4>99.5)#7"]
