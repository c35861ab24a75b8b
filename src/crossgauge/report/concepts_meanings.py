"""What a concept means, in a line: its words and what it is a kind of, for those who know no synsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from crossgauge.concepts.hierarchy import Hierarchy

_WORDS = 3  # of a concept
_ABOVE = 2  # steps up
_HOW: Mapping[str, str] = {"n": "a kind of", "v": "a way to"}  # adjectives and adverbs have nothing above
Meaning = Callable[[str], str]


@lru_cache(maxsize=4)
def meanings(hierarchy: str) -> Meaning:
    """A function from a concept to its meaning, by the name of the hierarchy of a study.

    Empty for concepts of other hierarchies than WordNet (people name them as they like) and unknown ones.

    >>> meanings("wordnet-3.0")("branch.n.01")
    'branch, subdivision, arm: a kind of division, itself a kind of administrative unit'
    >>> meanings("food.csv")("soup")
    ''
    """
    if not hierarchy.startswith("wordnet-3.0"):
        return lambda _: ""
    from crossgauge.concepts.wordnet import WordNet

    wordnet, known = WordNet(), dict[str, str]()

    def meaning(concept: str) -> str:
        if concept not in known:
            known[concept] = _meaning(wordnet, concept) if concept in wordnet else ""
        return known[concept]

    return meaning


def _meaning(hierarchy: Hierarchy, concept: str) -> str:
    said = ", ".join(hierarchy.words(concept)[:_WORDS])
    how = _HOW.get(concept.rsplit(".", 2)[-2], "like")
    above, at = [], concept
    for _ in range(_ABOVE):
        at = next(iter(hierarchy.parents(at)), "")
        if not at:
            break
        above.append(f"{how} {hierarchy.words(at)[0]}")
    return f"{said}: {', itself '.join(above)}" if above else said
