"""Words of a text, and how a replacement takes their place."""

from __future__ import annotations

import pytest

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.words import Change, applied, article, like, plural, with_articles, words_of


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A red bus.", ["A", "red", "bus"]),
        ("white-haired", []),
        ("the dog's don’t", ["the"]),
        ("big_dog #big @big /big $big", []),
        ("see www.big.com", ["see"]),
        ("ein großer Hund", ["ein", "Hund"]),
        ("re\u0301d big", ["big"]),  # a combining accent belongs to its letter
        ("(big) “red”, 'old'", ["big", "red", "old"]),
        ("", []),
    ],
)
def test_only_whole_plain_words_can_be_replaced(text: str, plain: list[str]) -> None:
    assert [word.text for word in words_of(text) if word.plain] == plain


def test_places_count_characters() -> None:
    words = words_of("𝕏 — ein “big” 🐘 dog")
    assert [(word.text, word.start) for word in words] == [("𝕏", 0), ("ein", 4), ("big", 9), ("dog", 16)]


def test_changes_are_made_at_their_places() -> None:
    changes = [Change(6, "dog", "elephant"), Change(2, "big", "red")]
    assert applied("a big dog!", changes) == "a red elephant!"


@pytest.mark.parametrize(
    ("new", "old", "cased"),
    [
        ("small", "large", "small"),
        ("small", "Large", "Small"),
        ("small", "LARGE", "SMALL"),
        ("small", "lArGe", "small"),
        ("sky blue", "Red", "Sky blue"),
        ("red", "SKY BLUE", "RED"),
        ("red", "Sky Blue", "Red"),
    ],
)
def test_case_is_kept(new: str, old: str, cased: str) -> None:
    assert like(new, old) == cased


@pytest.mark.parametrize(
    "word",
    ["apple", "unripe", "uninhabited", "unshaved", "hour", "honest", "heirloom", "emu", "umbrella", "idle"],
)
def test_words_that_begin_with_a_vowel_sound(word: str) -> None:
    assert article(word) == "an"


@pytest.mark.parametrize(
    "word", ["house", "unique", "used", "European", "one", "ewe", "utopian", "universal", "tiny", "one-way"]
)
def test_words_that_do_not(word: str) -> None:
    assert article(word) == "a"


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("An enormous bus", "enormous", "tiny", "A tiny bus"),
        ("a tiny bus", "tiny", "enormous", "an enormous bus"),
        ("A TINY BUS", "TINY", "ENORMOUS", "AN ENORMOUS BUS"),
        ("A tiny bus", "tiny", "enormous", "An enormous bus"),
        ("a big bus", "big", "tiny", "a tiny bus"),
        ("grade A, tiny bus", "tiny", "enormous", "grade A, enormous bus"),
        ("the tiny bus", "tiny", "enormous", "the enormous bus"),
    ],
)
def test_the_article_follows(text: str, old: str, new: str, after: str) -> None:
    changes = with_articles(words_of(text), [Change(text.index(old), old, new)])
    assert applied(text, changes) == after
    assert all(text[one.position :].startswith(one.old) for one in changes)


@pytest.mark.parametrize(
    ("one", "many"),
    [("puppy", "puppies"), ("boy", "boys"), ("leaf", "leaves"), ("wine glass", "wine glasses")],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


class TestDrawing:
    def test_the_same_for_the_same(self) -> None:
        assert Drawing(1, "size", "q", "t").pick(range(1000), 3) == Drawing(1, "size", "q", "t").pick(
            range(1000), 3
        )

    def test_everything_matters(self) -> None:
        drawings = [
            Drawing(1, "size", "q", "t"), Drawing(2, "size", "q", "t"), Drawing(1, "antonym", "q", "t"),
            Drawing(1, "size", "p", "t"), Drawing(1, "size", "q", "s"), Drawing(1, "size", "qt", ""),
        ]  # fmt: skip
        assert len({drawing.pick(range(10**9), 0) for drawing in drawings}) == len(drawings)
        assert drawings[0].pick(range(10**9), 0) != drawings[0].pick(range(10**9), 1)

    def test_every_option_comes_up_about_as_often(self) -> None:
        drawn = [Drawing(0, "size", str(query), "text").pick("abcd", 0) for query in range(4000)]
        assert all(900 < drawn.count(option) < 1100 for option in "abcd")

    def test_orders_are_orders(self) -> None:
        assert sorted(Drawing(0, "word-order", "q", "t").order(50)) == list(range(50))
