"""Texts as interventions make them, so that no rule shifts unseen; and their effect on the embedded model.

Numbers measured on x86-64; another processor may round the networks differently, hence the tolerance.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.cache import Cache
from crossgauge.evaluation import evaluate
from crossgauge.perturb import Query, choose, edit
from crossgauge.result import Intervention, Result

TEXTS = (
    "A large white dog runs on the green grass.",
    "An enormous red bus",
    "a bus",
    "The door is open, and the room behind it dark!",
    "a hot dog on a white plate",
    "an old man with a light blue shirt and black trousers",
    "a white-haired woman beside an orange sofa",
    "a LITTLE girl with a big smile",
)
AFTER = {
    "antonym": [
        "A small black dog runs on the ripe grass.",
        None,
        None,
        "The door is shut, and the room behind it dark!",
        "a hot dog on a black plate",
        "a young man with a dark blue shirt and white trousers",
        None,
        "a LITTLE girl with a little smile",
    ],
    "color-all": [
        "A large dodger blue dog runs on the dark orchid grass.",
        "An enormous midnight blue bus",
        None,
        None,
        "a hot dog on an indigo plate",
        "an old man with a lime shirt and orange trousers",
        "a white-haired woman beside a saddle brown sofa",
        None,
    ],
    "color-in": [
        "A large black dog runs on the light blue grass.",
        "An enormous green bus",
        None,
        None,
        "a hot dog on a red plate",
        "an old man with an orange shirt and red trousers",
        "a white-haired woman beside a red sofa",
        None,
    ],
    "size": [
        "A little white dog runs on the green grass.",
        "A minor red bus",
        None,
        None,
        None,
        None,
        None,
        "a BIG girl with a little smile",
    ],
    "object-swap": [
        "A large white fox runs on the green grass.",
        None,
        None,
        "The gate is open, and the room behind it dark!",
        None,
        "an old man with a light blue diaper and black trousers",
        "a white-haired woman beside an orange stool",
        None,
    ],
    "word-order": [
        "runs dog on large green white the A grass.",
        "enormous An bus red",
        "bus a",
        "it dark room behind, The is door open the and!",
        "hot on plate a dog white a",
        "black trousers shirt an blue a light man and with old",
        "sofa a orange white-haired an beside woman",
        "LITTLE with smile girl big a a",
    ],
}


def became(name: str, seed: int = 0) -> list[str | None]:
    queries = [Query(str(n), text, "en") for n, text in enumerate(TEXTS)]
    return [None if one.skipped else one.after for one in edit(queries, choose(name, seed=seed)[0])]


@pytest.mark.parametrize("name", AFTER)
def test_texts(name: str) -> None:
    assert became(name) == AFTER[name]


@pytest.fixture(scope="module")
def emoji(shared_cache: Path) -> Result:
    names = ["antonym", "color-all", "color-in", "size", "object-swap", "word-order"]
    return evaluate(
        "emoji",
        "conse",
        tasks=["t2i", "i2t"],
        languages=["en"],
        perturb=choose(names),
        cache=Cache(shared_cache),
    )


def row(result: Result, name: str, measure: str) -> Intervention:
    return next(one for one in result.interventions if (one.name, one.measure) == (name, measure))


def test_how_many_queries_change(emoji: Result) -> None:
    changed = {one.name: one.changed for one in emoji.interventions}
    assert changed == {
        "antonym": 8, "color-all": 1, "color-in": 0, "size": 1, "object-swap": 152, "word-order": 54,
    }  # fmt: skip
    assert {one.cell for one in emoji.interventions} == {"t2i.en.plain"}


def test_another_thing_is_another_query(emoji: Result) -> None:
    """The model finds the picture of a thing less often when its sister is asked for; surely so."""
    swapped = row(emoji, "object-swap", "hit@10")
    assert swapped.delta == pytest.approx(-0.143, abs=0.02)
    assert swapped.high is not None
    assert swapped.high < 0


def test_a_model_of_the_mean_of_words_reads_little_order(emoji: Result) -> None:
    turned = row(emoji, "word-order", "hit@10")
    assert turned.low is not None
    assert turned.high is not None
    assert turned.low <= 0 <= turned.high
