"""Fixed names: what stays for being one, what does not, and that the log says so."""

from __future__ import annotations

import json

import pytest

from crossgauge.perturb import Edited, Query, choose, edit, log_lines


def edited(text: str, name: str, *, seed: int = 0, table: str = "css4") -> Edited:
    return edit([Query("q", text, "en")], choose(name, seed=seed, color_table=table)[0])[0]


def replaced(text: str, name: str) -> list[str]:
    return [one.old for one in edited(text, name).changes if one.old.lower() not in {"a", "an"}]


class TestColours:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("a black cat", ["black"]), ("a blue bird", ["blue"]), ("a red flag", ["red"]),
            ("a yellow jacket", ["yellow"]), ("blue sky", ["blue"]), ("white paper", ["white"]),
            ("a red light", ["red"]), ("a white horse in a big field", ["white"]),
            ("the white house", ["white"]), ("A Black Cat on a Mat", ["Black"]), ("A BLACK CAT", ["BLACK"]),
            ("a green house and a brown bear", ["green", "brown"]), ("black and white", ["black", "white"]),
            ("a pink elephant, a purple heart, a grey area", ["pink", "purple", "grey"]),
        ],
    )  # fmt: skip
    def test_a_plain_colour_changes_whatever_wordnet_lists(self, text: str, found: list[str]) -> None:
        assert replaced(text, "color-all") == found

    @pytest.mark.parametrize("table", ["css4", "xkcd"])
    def test_a_colour_of_two_words_is_one(self, table: str) -> None:
        one = edited("a navy blue jacket", "color-all", table=table)
        assert one.changes[-1].old == "navy blue"
        assert "blue" not in str(one.after).split()[-2:-1] or one.changes[-1].new.endswith("blue")

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("the White House", "White House"), ("people at the White House lawn", "White House"),
            ("James Brown sings", "James Brown"), ("a bottle of Red Bull on a desk", "Red Bull"),
            ("a talk by Mr. Brown", "Mr Brown"), ("the Red Sea", "Red Sea"), ("white noise", "white noise"),
            ("orange juice", "orange juice"), ("a gold medal", "gold medal"),
        ],
    )  # fmt: skip
    def test_names_stay_and_the_log_says_which(self, text: str, name: str) -> None:
        one = edited(text, "color-all")
        assert (one.skipped, one.reason) == (f"part of a fixed name: {name}", "part of a fixed name")
        said = json.loads(log_lines([one], choose("color-all")[0]))
        assert said["skipped"] == said["left"][0]["why"] == f"part of a fixed name: {name}"

    def test_what_is_left_beside_a_change_is_told_too(self) -> None:
        one = edited("a red bus at the White House", "color-all")
        assert [change.old for change in one.changes][-1] == "red"
        assert [(left.word, left.position, left.name) for left in one.left] == [("White", 17, "White House")]

    def test_names_lend_no_colour_to_others(self) -> None:
        (chosen,) = choose("color-in")
        queries = [Query("1", "a red bus", "en"), Query("2", "the White House", "en")]
        assert edit(queries, chosen)[0].skipped == "no other colour far enough"


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("Big Ben", "part of a fixed name: Big Ben"),
            ("a photo of Big Ben", "part of a fixed name: Big Ben"),
            ("Stuart Little plays", "part of a fixed name: Stuart Little"),
            ("a cut on a little finger", "part of a fixed name: little finger"),
            ("a little bit of snow", "a quantity, no size: a little bit"),
            ("a tiny bit wet", "a quantity, no size: a tiny bit"),
            ("a little of everything", "a quantity, no size: a little of"),
            ("a little water in a glass", "a quantity, no size: a little water"),
            ("the dog is a little tired", "a quantity, no size: a little tired"),
            ("move a little", "a quantity, no size: a little"),
            ("a large number of people", "a quantity, no size: large number"),
            ("too little space", "a quantity, no size: too little"),
        ],
    )
    def test_names_and_quantities_stay(self, text: str, why: str) -> None:
        found = edited(text, "size").skipped
        assert found.split(": ")[0] == why.split(": ", maxsplit=1)[0]
        assert why.split(": ")[1] in found

    @pytest.mark.parametrize(
        "text",
        ["a big cat", "a little girl", "Big dogs", "a little, brown dog", "A Big Dog", "the little one",
         "a little and a large dog", "a very little dog", "a big number 5", "a little red car",
         "the dog is little", "A BIG BEN"],
    )  # fmt: skip
    def test_plain_uses_change(self, text: str) -> None:
        assert not edited(text, "size").skipped


class TestCoordination:
    @pytest.mark.parametrize(
        ("text", "changed"),
        [
            ("a large and small dog", "large small"),
            ("a small and young boy", "small young"),
            ("a large, a tall and a thin man", "large tall thin"),
            ("the large or the small dog", "large small"),
            ("a large but old dog", "large old"),
            ("a very large and very small dog", "large small"),
            ("a large, tall, and young horse", "large tall young"),
            ("the bus is large, tall and short", "large tall short"),
            ("dogs are big and small", "big small"),
            ("a small red and a big blue cup", "small big"),  # Big Blue is written with capitals
            ("a cat on the left and the small dog", "small"),
            ("a street light and small trees", "small"),
        ],
    )
    def test_all_of_a_list_change(self, text: str, changed: str) -> None:
        for seed in range(20):
            assert [one.old for one in edited(text, "antonym", seed=seed).changes] == changed.split()

    def test_the_sizes_of_a_list_too(self) -> None:
        assert edited("a large and small dog", "antonym").after in {
            "a small and large dog",
            "a small and big dog",
        }
        assert replaced("a large, a huge and a tiny man", "size") == ["large", "huge", "tiny"]

    def test_verbs_stay(self) -> None:
        assert edited("people clean and dry dishes", "antonym").after == "people clean and dry dishes"

    def test_what_was_left_is_told(self) -> None:
        one = edited("a large, wooden and small dog at the White House", "antonym")
        assert [change.old for change in one.changes] == ["large", "small"]
        assert [(left.word, left.why) for left in one.left] == [
            ("wooden", "no antonym"),
            ("White", "part of a fixed name: White House"),
        ]
        (alone,) = edited("two men open doors", "antonym").left
        assert (alone.word, alone.why) == ("open", "not surely an adjective here")

    def test_a_list_without_an_end(self) -> None:
        one = edited("large and " * 3000 + "large dog", "antonym")
        assert len(one.changes) > 1
        assert len(one.changes) + len(one.left) == 3001
