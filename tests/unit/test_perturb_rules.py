"""What each intervention replaces and what it leaves alone; the facts are those of the specification."""

from __future__ import annotations

import pytest

from crossgauge.perturb import Edited, Query, choose, edit
from crossgauge.perturb.antonym import opposites
from crossgauge.perturb.size import LARGE, SMALL


def edited(text: str, name: str, *, seed: int = 0, language: str = "en", query: str = "q") -> Edited:
    return edit([Query(query, text, language)], choose(name, seed=seed)[0])[0]


def every_outcome(text: str, name: str, seeds: int = 60) -> set[str]:
    return {edited(text, name, seed=seed).after or "" for seed in range(seeds)}


class TestAntonym:
    @pytest.mark.parametrize(
        ("text", "outcomes"),
        [
            ("a large dog", {"a small dog"}),
            ("a big dog", {"a little dog"}),
            ("green grass", {"ripe grass"}),  # the antonym of another sense, as WordNet has it
            ("a white plate", {"a black plate"}),
            ("a young horse", {"an old horse"}),
            ("a tall tree", {"a short tree"}),
            ("an open window", {"a shut window", "a closed window"}),
        ],
    )
    def test_adjectives_with_an_antonym_change(self, text: str, outcomes: set[str]) -> None:
        assert every_outcome(text, "antonym") == outcomes

    @pytest.mark.parametrize("word", ["lush", "huge", "enormous", "tiny", "wooden"])
    def test_adjectives_without_one_stay(self, word: str) -> None:
        assert opposites(word) == ()
        assert edited(f"a {word} house", "antonym").skipped == "no adjective with an antonym"

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("A large white dog on the cold sand.", "A small black dog on the hot sand."),
            ("The door is tall.", "The door is short."),
            ("A LARGE, white DOG", "A SMALL, black DOG"),
            ("The soup was very hot!", "The soup was very cold!"),
            ("a big, white truck", "a little, black truck"),
            ("an old woman", "a young woman"),  # both are entries of WordNet
            ("a young boy's bike", "an old boy's bike"),
            ("A YOUNG BOY’S BIKE", "AN OLD BOY’S BIKE"),
            ("two young boys' bikes", "two old boys' bikes"),
            ("the young women's red-haired children", "the old women's red-haired children"),
            ("the young red-haired children", "the old red-haired children"),
        ],
    )
    def test_all_of_a_text_change(self, before: str, after: str) -> None:
        assert edited(before, "antonym").after == after

    @pytest.mark.parametrize(
        "text",
        [
            "two men open doors",  # verbs
            "people clean windows",
            "a man standing on top of a hill",
            "the white of an egg",
            "a street light hanging over a road",  # nouns
            "a cat on a mat, and off it",  # no adjectives, for all that WordNet has them as such
            "no dog, some cats and many more birds",
            "walking past trees like a bird",
            "a black-and-white photo, a well-lit room",
            "the larger dog",  # another word
            "a home computer at the front door",  # mostly nouns
            "open",  # nothing says what it is
        ],
    )
    def test_what_is_no_adjective_stays(self, text: str) -> None:
        assert edited(text, "antonym").skipped == "no adjective with an antonym"

    def test_fixed_names_stay(self) -> None:
        one = edited("a hot dog and a high school", "antonym")
        assert one.skipped == "part of a fixed name: hot dog; part of a fixed name: high school"
        assert one.reason == "part of a fixed name"

    @pytest.mark.parametrize(
        ("text", "name"),
        [("a hot dog's bun", "hot dog"), ("the lawn of the White House's owner", "White House")],
    )
    def test_and_what_owns_something(self, text: str, name: str) -> None:
        assert edited(text, "antonym").skipped == f"part of a fixed name: {name}"


class TestSize:
    @pytest.mark.parametrize("word", [*LARGE, *SMALL])
    def test_the_other_list_and_all_of_it(self, word: str) -> None:
        others = SMALL if word in LARGE else LARGE
        found = every_outcome(f"the {word} dog", "size")
        assert found == {f"the {other} dog" for other in others}

    def test_the_article_follows_as_in_the_guide(self) -> None:
        assert every_outcome("An enormous red bus", "size") == {f"A {word} red bus" for word in SMALL}
        assert "an enormous dog" in every_outcome("a tiny dog", "size")

    @pytest.mark.parametrize("text", ["a larger dog", "the biggest dog", "a life-size dog", "a bus", "Largo"])
    def test_no_other_forms(self, text: str) -> None:
        assert edited(text, "size").skipped == "no word of size"

    def test_every_change_is_told(self) -> None:
        one = edited("An enormous bus, a TINY car", "size")
        old = [(change.position, change.old) for change in one.changes]
        assert old[:2] == [(0, "An"), (3, "enormous")]
        assert one.changes[-1].old == "TINY"
        assert one.changes[-1].new in {word.upper() for word in LARGE}


class TestObjectSwap:
    def test_a_sister_under_the_same_hypernym(self) -> None:
        from crossgauge.concepts.wordnet import WordNet

        wordnet = WordNet()
        for new in every_outcome("a sofa", "object-swap"):
            sense = wordnet.senses(new.split(" ", 1)[1], "n")[0]
            assert set(wordnet.parents(sense)) & set(wordnet.parents("sofa.n.01")), new

    def test_number_and_case_are_kept(self) -> None:
        assert all(new.endswith("s") and new[0].isupper() for new in every_outcome("Sofas", "object-swap"))

    def test_nothing_that_another_word_means_already(self) -> None:
        assert "wolf" in " ".join(every_outcome("a dog in the snow", "object-swap"))
        assert "wolf" not in " ".join(
            text for text in every_outcome("a dog and a wolf", "object-swap") if text.endswith("and a wolf")
        ).replace("and a wolf", "")

    @pytest.mark.parametrize("start", ["a young boy's", "an orange cat's", "a young red-haired boy’s"])
    def test_a_word_that_describes_the_owner_is_no_thing(self, start: str) -> None:
        outcomes = every_outcome(f"{start} bike", "object-swap")
        assert len(outcomes) > 1
        assert all(one.startswith(f"{start} ") and not one.endswith(" bike") for one in outcomes)

    @pytest.mark.parametrize("text", ["two dogs' bowls", "the dogs’ owner", "two birds' nests"])
    def test_nor_are_owners(self, text: str) -> None:
        owner = text.split()[1]
        assert all(f" {owner} " in one for one in every_outcome(text, "object-swap"))

    @pytest.mark.parametrize("text", ["a young boy's", "the young women's red-haired children"])
    def test_nor_is_there_another(self, text: str) -> None:
        assert edited(text, "object-swap").skipped == "no thing with a sister"

    @pytest.mark.parametrize("text", ["a woman", "freedom", "walking slowly", "of the and"])
    def test_people_and_ideas_stay(self, text: str) -> None:
        assert edited(text, "object-swap").skipped == "no thing with a sister"


class TestWordOrder:
    def test_the_same_words_in_another_order(self) -> None:
        one = edited("A red dog, on a mat!", "word-order")
        assert one.after not in {None, one.query.text}
        assert sorted(str(one.after).replace(",", "").replace("!", "").split()) == sorted(
            ["A", "red", "dog", "on", "a", "mat"]
        )
        assert str(one.after).endswith("!")
        assert str(one.after).count(",") == 1

    def test_two_words_always_turn(self) -> None:
        assert every_outcome("dog red", "word-order") == {"red dog"}

    @pytest.mark.parametrize("text", ["dog", "dog dog dog", "!!!", "🐘 🐘"])
    def test_nothing_to_turn(self, text: str) -> None:
        assert edited(text, "word-order").skipped == "fewer than two different words"


@pytest.mark.parametrize("language", ["de", "und", "ja", "enm", "zh-Hans"])
def test_other_languages_pass_through(language: str) -> None:
    one = edited("a large red dog", "antonym", language=language)
    assert (one.after, one.changes, one.skipped) == ("a large red dog", (), f"language {language}")


@pytest.mark.parametrize("language", ["en", "en-GB", "en-Latn-US"])
def test_every_english_is_english(language: str) -> None:
    assert edited("a large dog", "antonym", language=language).after == "a small dog"


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_no_text(text: str | None) -> None:
    assert edit([Query("q", text, "en")], choose("size")[0])[0].skipped == "no text"


def test_what_is_drawn_depends_on_the_query_too() -> None:
    assert len({edited("a big dog", "size", query=str(n)).after for n in range(40)}) == 4
