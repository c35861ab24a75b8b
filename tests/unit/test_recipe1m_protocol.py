"""Draws, choices and official scorers of Recipe1M over pairs that are made up."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmark import Contest
from crossgauge.benchmarks.recipe1m.choice import WAYS, choices
from crossgauge.benchmarks.recipe1m.draws import SAMPLINGS, Subsets, draws, lines
from crossgauge.benchmarks.recipe1m.protocol import CHOICE, DRAWN, FULL, Protocol
from crossgauge.benchmarks.recipe1m.scorers import PROFILES, by_position, by_strict_count
from crossgauge.types import Item, Qrels, Split

IDS = tuple(f"{row:04x}" for row in range(40))


def protocol(**changed: Any) -> Protocol:
    how = {"ids": IDS, "order": np.arange(len(IDS)), "sampling": "by-id", "size": 10, "n": 3}
    return Protocol(**{**how, **changed})


def split(task: str, **changed: Any) -> Split:
    made = protocol(**changed)
    images, recipes = ([Item(f"{kind}:{one}") for one in made.ids] for kind in ("image", "recipe"))
    return made.split(task, images, recipes)


def test_draws_repeat_and_differ_from_each_other() -> None:
    first = Subsets(n=3, size=2, seed=0).rows(6)
    assert first == Subsets(n=3, size=2, seed=0).rows(6)
    assert len(set(first)) == 3
    assert all(len(set(rows)) == 2 for rows in first)


def test_draws_by_id_do_not_depend_on_the_order_of_rows() -> None:
    shuffled = np.random.default_rng(0).permutation(len(IDS))
    for sampling, way in SAMPLINGS.items():
        one, other = (draws(sampling, size=10, n=3, order=order) for order in (np.arange(len(IDS)), shuffled))
        same = all(np.array_equal(a.queries, b.queries) for a, b in zip(one, other, strict=True))
        assert same == way.by_id, sampling


def test_rows_of_a_dump_are_drawn_by_their_number() -> None:
    order = np.arange(len(IDS))[::-1]
    (drawn,) = draws("im2recipe-pytorch", size=10, n=1, order=order)
    assert drawn.queries.tolist() == [len(IDS) - 1 - row for row in Subsets(1, 10, 1234).rows(len(IDS))[0]]


def test_consecutive_blocks() -> None:
    drawn = draws("consecutive", size=15, n=5, order=np.arange(40))
    assert [(one.queries[0], one.queries[-1]) for one in drawn] == [(0, 14), (15, 29)]
    found = protocol(sampling="consecutive", size=15, n=5).findings()
    assert [fault.code for fault in found] == ["W339", "W336"]


@pytest.mark.parametrize(("size", "warned"), [(40, False), (41, True), (None, False)])
def test_no_more_pairs_than_a_draw_takes(size: int | None, warned: bool) -> None:
    made = protocol(size=size)
    (drawn,) = made.drawn
    assert sorted(drawn.queries.tolist()) == list(range(40))
    assert ("W330" in {fault.code for fault in made.findings()}) == warned


@pytest.mark.parametrize("task", [*DRAWN, *FULL, *CHOICE])
def test_directions(task: str) -> None:
    made = split(task)
    asks, answers = ("image", "recipe") if "im2recipe" in task else ("recipe", "image")
    assert made.queries[0].id.startswith(f"{asks}:")
    assert made.corpus[0].id.startswith(f"{answers}:")
    assert (made.draws is not None) == (task in DRAWN)
    own = [made.corpus[row].id.partition(":")[2] for row in made.qrels.items]
    assert own == [item.id.partition(":")[2] for item in made.queries]


def test_a_choice_is_among_ten_with_the_own_one() -> None:
    made = split(CHOICE[0])
    assert made.candidates is not None
    for row, among in enumerate(made.candidates):
        assert len(set(among.tolist())) == WAYS
        assert row in among
    others = Counter(np.concatenate(made.candidates).tolist())
    assert len(others) == len(IDS), "nobody is always, or never, a distractor"
    assert made.groups is None


def test_distractors_of_the_same_label() -> None:
    labels = {name: "soup" if row < 12 else "cake" for row, name in enumerate(IDS) if row < 20}
    asked = choices(IDS, labels)
    assert asked.asked.tolist() == list(range(12)), "eight cakes are too few, twenty have no label"
    assert all(among.max() < 12 for among in asked.among)
    made = protocol(labels=labels)
    assert "28 of 40 lack 9 distractors" in made.findings()[-1].found
    assert split(CHOICE[0], labels=labels).groups == ("soup",) * 12
    assert not protocol(labels={}).offers(CHOICE[0])


def test_drawn_ids_as_lines() -> None:
    made = protocol()
    listed = list(lines(made.drawn, made.ids))
    assert len(listed) == 1 + 3 * 10
    assert [line.partition("\t")[0] for line in listed[1:]] == [str(n) for n in (1, 2, 3) for _ in range(10)]
    assert listed[1].partition("\t")[2] == IDS[made.drawn[0].queries[0]]


def test_a_constant_scorer_is_placed_by_the_sort_or_first() -> None:
    same, own = np.ones((12, 12), np.float32), np.arange(12)
    position, strict = by_position(same, own), by_strict_count(same, own)
    assert sorted(position.ranks.tolist()) == list(range(1, 13)), "whatever the sort, each place once"
    assert position.tied == strict.tied == 12
    assert np.median(strict.ranks) == 1
    assert strict.hits[1] == pytest.approx(1 / 12)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_profiles_of_a_perfect_system_and_of_ties(profile: Any) -> None:
    eye = np.eye(40, dtype=np.float32)
    made = split("im2recipe", sampling=profile.options["sampling"])
    said = profile.score(Contest(made, eye, eye))
    assert said.values == {
        "medr": 0.0 if profile.name == "adamine" else 1.0,
        "hit@1": 1,
        "hit@5": 1,
        "hit@10": 1,
    }
    assert not any("tie" in note for note in said.notes)
    tied = profile.score(Contest(made, np.ones_like(eye), np.ones_like(eye)))
    assert any("30 of 30 drawn queries tie" in note for note in tied.notes)
    given = profile.score(Contest(made, scores=np.eye(40)))
    assert given.values == said.values


def test_only_some_scorers_normalise() -> None:
    rng = np.random.default_rng(3)
    queries = rng.standard_normal((40, 6)).astype(np.float32)
    corpus = (queries + rng.standard_normal((40, 6))).astype(np.float32)
    made = split("im2recipe")
    longer = [side * rng.uniform(0.1, 9, (40, 1)).astype(np.float32) for side in (queries, corpus)]
    for profile in PROFILES:
        assert profile.score is not None
        same = (
            profile.score(Contest(made, queries, corpus)).values
            == profile.score(Contest(made, *longer)).values
        )
        assert same == (profile.name in ("im2recipe-lua", "amzn")), profile.name


def test_adamine_calls_the_directions_by_each_others_names() -> None:
    scores = np.array([[0.9, 0.8, 0.0], [0.5, 0.7, 0.6], [0.4, 0.1, 0.5]])
    made = Split((), (), Qrels.diagonal(3))
    whole = Split(tuple(Item(f"q{n}") for n in range(3)), tuple(Item(f"c{n}") for n in range(3)), made.qrels)
    adamine = next(profile for profile in PROFILES if profile.name == "adamine")
    assert adamine.score is not None
    assert adamine.score(Contest(whole, scores=scores)).values["hit@1"] == pytest.approx(1 / 3)
    assert adamine.score(Contest(whole, scores=scores.T)).values["hit@1"] == 1.0
