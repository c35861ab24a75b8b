"""Number: one stays one, many stay many, and what has no number stays."""

from __future__ import annotations

import pytest

from crossgauge.perturb import Query, choose, edit
from crossgauge.perturb.english import wordnet
from crossgauge.perturb.number import Number, number_at, plural_only
from crossgauge.perturb.words import plural, words_of


def news(text: str, seeds: int = 80) -> set[str]:
    """What took the place of the thing, over many seeds."""
    chosen = (choose("object-swap", seed=seed)[0] for seed in range(seeds))
    found = (edit([Query("q", text, "en")], one)[0].changes for one in chosen)
    return {changes[-1].new for changes in found if changes}


def skipped(text: str) -> str:
    return edit([Query("q", text, "en")], choose("object-swap")[0])[0].skipped


def is_plural(word: str) -> bool:
    bases = wordnet().base_forms(word, "n")
    return plural_only(word) or word == plural(word) or any(base != word for base in bases)


@pytest.mark.parametrize(
    "text", ["A pair of scissors", "two sheep", "three trucks", "5 knives", "scissors", "a flock of sheep"]
)
def test_many_stay_many(text: str) -> None:
    found = news(text)
    assert len(found) > 1
    assert all(is_plural(one) for one in found), found


@pytest.mark.parametrize("text", ["a dark suit", "one sheep", "a sheep", "an old shirt", "the dog"])
def test_one_stays_one(text: str) -> None:
    found = news(text)
    assert len(found) > 1
    assert not {one for one in found if plural_only(one)}, found
    assert all(one in wordnet().base_forms(one, "n") for one in found)


def test_no_widow_wears_her_weeds() -> None:
    assert "weeds" not in news("a dark suit", 400)
    assert "weed" not in news("a dark suit", 400)


def test_a_plural_without_a_singular_follows_no_numeral() -> None:
    assert not {one for one in news("two skirts", 300) if plural_only(one) and plural(one[:-1]) != one}


@pytest.mark.parametrize(
    ("text", "why"),
    [("the sheep", "number unknown: sheep"), ("two dog", "number unknown: dog"),
     ("a dogs", "number unknown: dogs"), ("some furniture", "number unknown: furniture"),
     ("a hot dog", "part of a fixed name: hot dog")],
)  # fmt: skip
def test_what_stays_says_why(text: str, why: str) -> None:
    assert skipped(text) == why


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("two big black and white sheep", "many"), ("a big white sheep", "one"), ("12 sheep", "many"),
        ("a couple of sheep", "many"), ("a man feeds sheep", None), ("each sheep", "one"),
        ("two men and sheep", None), ("a bus", "one"), ("a lens", "one"), ("trousers", "many"),
        ("my glasses", "many"), ("men", "many"), ("an aircraft", "one"), ("1 sheep", "one"),
    ],
)  # fmt: skip
def test_numbers(text: str, number: Number | None) -> None:
    words = words_of(text)
    assert number_at(words, len(words) - 1) == number
