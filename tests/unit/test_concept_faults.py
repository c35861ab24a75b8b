"""What concept measures refuse, and that they say which picture, what was found and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from crossgauge.concepts.evidence import explain
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import CrossgaugeError, InputError, UsageError
from crossgauge.scenes import Box, Scene, Thing
from crossgauge.types import Floats

DOG, CAT = (Scene(name, (Thing(name, f"{name}.n.01", Box(0, 0, 2, 2)),)) for name in ("dog", "cat"))


def faults(kind: type[CrossgaugeError], *given: Any, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(kind) as caught:
        concept_scores(*given, **{"hierarchy": {}, **options})
    return [(fault.code, fault.place) for fault in caught.value.faults]


def test_sides_of_different_lengths() -> None:
    assert faults(InputError, [DOG, DOG], [CAT]) == [("E280", "truth")]
    assert faults(InputError, iter([DOG]), iter([CAT, CAT])) == [("E280", "retrieved")]
    assert faults(InputError, [DOG], [CAT], queries=["a", "b"]) == [("E280", "queries")]


@pytest.mark.parametrize(
    ("truth", "retrieved", "queries", "places"),
    [
        ([None], [CAT], None, ["truth[0]"]),
        ([DOG, "cat"], [CAT, [CAT, "dog"]], None, ["truth[1]", "retrieved[1]"]),
        ([DOG], [3], [7], ["retrieved[0]", "queries[0]"]),
        ([DOG], ["cat"], None, ["retrieved[0]"]),
    ],
)
def test_what_is_no_scene(truth: Any, retrieved: Any, queries: Any, places: list[str]) -> None:
    assert faults(InputError, truth, retrieved, queries=queries) == [("E281", place) for place in places]


def test_what_is_no_hierarchy() -> None:
    assert faults(UsageError, [DOG], [CAT], hierarchy="wordnet") == [("E281", "hierarchy")]


def test_pictures_without_a_size() -> None:
    settings = ConceptSettings(sd_area="image")
    sized = Scene("sized", DOG.things, 10, 10)
    bare = Scene("bare", (Thing("dog", "dog.n.01"),))  # has no box, and needs none
    assert faults(InputError, [DOG, sized, CAT], [bare] * 3, settings=settings) == [
        ("E282", "dog"),
        ("E282", "cat"),
    ]


def test_settings_that_do_not_exist() -> None:
    wrong: Any = {"synsets": "second", "sd_threshold": float("nan"), "pairs": True}
    with pytest.raises(UsageError) as caught:
        ConceptSettings(**wrong)
    assert [fault.place for fault in caught.value.faults] == ["synsets", "pairs", "sd_threshold"]
    assert "first or all" in str(caught.value)


def test_informed_needs_queries() -> None:
    informed = ConceptSettings(variant="informed")
    assert faults(UsageError, [DOG], [CAT], settings=informed) == [("E284", "queries")]


class Odd(SimilarityTable):
    """A hierarchy that gives one odd value, or one row too many."""

    def __init__(self, value: float, rows: int = 0) -> None:
        super().__init__({})
        self.value, self.rows = value, rows

    def similarities(self, left: Sequence[str], right: Sequence[str], *, kind: str = "path") -> Floats:
        found = np.full((len(left) + self.rows, len(right)), 0.5)
        found[0, -1:] = self.value
        return found


@pytest.mark.parametrize(
    ("odd", "found"),
    [
        (Odd(-0.1), "cat.n.01 and dog.n.01: -0.1|dog.n.01 and cat.n.01: -0.1"),
        (Odd(np.inf), "cat.n.01 and dog.n.01: inf|dog.n.01 and cat.n.01: inf"),
        (Odd(0.1, rows=1), r"similarities of shape \((3, 2|2, 1)\)"),
    ],
)
def test_impossible_similarities(odd: Odd, found: str) -> None:
    with pytest.raises(InputError, match=f"E285 {odd.name}: ({found})"):
        concept_scores([CAT], [DOG], hierarchy=odd)
    with pytest.raises(InputError, match=f"E285 {odd.name}: ({found})"):
        explain(Pair(DOG, CAT), hierarchy=odd)


def test_only_who_gave_similarities_is_asked_to_mend_them() -> None:
    """Two adjectives are 2 steps apart and 1 deep, so by NLTK's lch less than nothing."""
    names = "edible.a.01", "abactinal.a.01"
    red, big = (Scene(name, (Thing(name, name),)) for name in names)
    lch = ConceptSettings(similarity="lch")
    with pytest.raises(InputError, match=r"E285 wordnet-3.0: .*fix: take similarity=path or wup"):
        concept_scores([red], [big], hierarchy=WordNet(), settings=lch)
    with pytest.raises(InputError, match=r"E285 table:.*fix: mend the table"):
        concept_scores([red], [big], hierarchy={names: -1.0}, settings=lch)


def test_concepts_that_the_hierarchy_lacks() -> None:
    unicorn = Scene("x", (Thing("unicorn", "unicorn.n.77"), Thing("dog", "dog.n.01")))
    assert faults(InputError, [DOG], [unicorn], hierarchy=WordNet()) == [("E286", "x")]


@pytest.mark.parametrize(
    "thing",
    [
        Thing("dog", "dog", count=0),
        Thing("dog", "dog", count=1.5),  # type: ignore[arg-type]
        Thing("dog", "dog", count=2**31 + 1),
        Thing("dog", "dog", count=2**63 - 1),
        Thing("dog", "dog", count=10**23),
        Thing("dog", "dog", count=float("inf")),  # type: ignore[arg-type]
        Thing("dog", "dog", count="3"),  # type: ignore[arg-type]
        Thing("dog", "dog", count=None),  # type: ignore[arg-type]
        Thing("dog", "dog", Box(0, 0, 10**400, 2)),
        Thing("dog", "dog", Box(0, 0, "3", 2)),  # type: ignore[arg-type]
        Thing("dog", "dog", Box(0, 0, None, 2)),  # type: ignore[arg-type]
        Thing("dog", "dog", Box(0, 0, float("nan"), float("nan"))),
        Thing("dog", "dog", Box(0, 0, float("inf"), 0)),
        Thing("dog", "dog", Box(0, 0, -1, 2)),
        Thing("dog", "dog", Box(0, 0, 2, float("nan"))),
        Thing("dog", "dog", Box(0, 0, float("inf"), 2)),
        Thing("dog", "dog", Box(0, 0, 1e200, 1e200)),
    ],
    ids=[
        "none",
        "half",
        "too many",
        "as many as wrap around",
        "more than a number of 64 bits",
        "infinitely many",
        "text",
        "unknown",
        "a side beyond numbers",
        "a side of text",
        "a side unknown",
        "no numbers",
        "infinite by nothing",
        "negative",
        "nan",
        "infinite",
        "beyond numbers",
    ],
)
def test_impossible_things(thing: Thing) -> None:
    odd = Scene("odd", (Thing("cat", "cat"), thing))
    assert faults(InputError, [DOG, odd], [CAT, CAT]) == [("E287", "odd")]
    with pytest.raises(InputError, match=r"E287 odd: 'dog' × |E287 odd: an area"):
        explain(Pair(DOG, odd), hierarchy={})


def test_an_impossible_count_is_told_with_its_concept_and_the_largest_one_counts() -> None:
    many = [Scene(str(n), (Thing("pups", "dog.n.01", count=n),)) for n in (2**31, 2**31 + 1)]
    assert concept_scores([many[0]], [DOG], hierarchy={})["ce"].value == 2**31 - 1
    with pytest.raises(InputError, match=r"E287 2147483649: 'pups' \(dog.n.01\) × 2147483649.* 1 to 2,147"):
        concept_scores([many[1]], [DOG], hierarchy={})


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"clusters": [1, 2]}, "E145"),
        ({"batch": 0}, "E146"),
        ({"seed": -1}, "E146"),
        ({"resamples": 0.5}, "E146"),
    ],
)
def test_calls_that_cannot_be(options: dict[str, Any], code: str) -> None:
    assert faults(UsageError, [DOG], [CAT], **options) == [(code, next(iter(options)))]


def test_unknown_measures_are_named() -> None:
    found = concept_scores([DOG], [CAT], hierarchy={})
    with pytest.raises(UsageError, match="one of ca, ncs, ce"):
        found.values("nsc")
