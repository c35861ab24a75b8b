"""WordNet as NLTK reads it: the same names, words, neighbours, base forms, antonyms and similarities.

How the tables were made: NLTK 3.9.1's WordNetCorpusReader over the files of Debian's wordnet-base 1:3.0-37,
with a ``lexnames`` file beside them (its 45 names from lexnames(5WN); the package has none) and
``map_wn`` replaced by a function that returns None (it wants other versions' index.sense).

- wordnet_pairs: 1,100 nouns, 350 verbs, 250 adjectives and 60 adverbs drawn at random, the concepts of the
  worked example of CA and NCS, and 200 synsets with several hypernyms, with these. Pairs: random ones within
  and across parts of speech, each synset with itself, with each of its ancestors that was drawn, and two
  descendants of one. ``path``, ``wup`` and ``lch`` are NLTK's defaults, null where it gives None or refuses;
  ``…_unrooted`` with ``simulate_root=False``. NLTK 3.10.4 gave the same values.
- wordnet_synsets: half of these and of 1,600 others, with the words of ``lemma_names()`` (each once, spaces
  for underscores) and the sorted names of hypernyms, hyponyms (instances included) and ``similar_tos()``.
- wordnet_forms: lemmas, lemmas with endings put on (also in place of their last letter) and exceptions, with
  ``_morphy()``. Left out is where we follow WordNet's morphy and NLTK does not: nouns in -ss or of one or two
  letters keep their form, and the words of an unknown phrase are tried one by one.
- wordnet_antonyms: ``antonyms()`` of the lemmas of a word, over its synsets in their order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from crossgauge.concepts.hierarchy import Nearness
from crossgauge.concepts.wordnet import WordNet


def table(name: str) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = pq.read_table(
        Path(__file__).with_name(f"wordnet_{name}.parquet")
    ).to_pydict()
    return columns


@pytest.fixture(scope="module")
def pairs() -> dict[str, list[Any]]:
    return table("pairs")


@pytest.mark.parametrize(
    ("kind", "simulate_root"),
    [("path", True), ("wup", True), ("lch", True), ("path", False), ("wup", False)],
)
def test_similarities_are_nltks(pairs: dict[str, list[Any]], kind: Nearness, simulate_root: bool) -> None:
    expected = np.array(pairs[kind if simulate_root else f"{kind}_unrooted"], float)  # None: NaN
    concepts = sorted({*pairs["left"], *pairs["right"]})
    row = {concept: number for number, concept in enumerate(concepts)}
    block = WordNet(simulate_root=simulate_root).similarities(concepts, concepts, kind=kind)
    found = block[[row[one] for one in pairs["left"]], [row[one] for one in pairs["right"]]]
    assert len(expected) > 20_000
    np.testing.assert_array_equal(found, expected)


def test_a_pair_alone_is_what_it_is_in_a_block(pairs: dict[str, list[Any]]) -> None:
    wordnet = WordNet()
    for number in range(0, len(pairs["left"]), 97):
        left, right = pairs["left"][number], pairs["right"][number]
        found = [wordnet.similarities([left], [right], kind=kind)[0, 0] for kind in ("path", "wup", "lch")]
        expected = np.array([pairs[kind][number] for kind in ("path", "wup", "lch")], float)
        np.testing.assert_array_equal(found, expected)


def test_synsets_have_nltks_names_words_and_neighbours() -> None:
    wordnet, synsets = WordNet(), table("synsets")
    assert len(synsets["name"]) > 1_900
    for number, name in enumerate(synsets["name"]):
        expected = {column: values[number] for column, values in synsets.items()}
        assert wordnet.synset_of_wnid(expected["wnid"]) == name
        assert {
            "wnid": wordnet.wnid(name),
            "name": name,
            "words": list(wordnet.words(name)),
            "parents": sorted(wordnet.parents(name)),
            "hyponyms": sorted(wordnet.hyponyms(name)),
            "depth": wordnet.depth(name),
            "paths": sum(1 for _ in wordnet.hypernym_paths(name)),
            "similar": sorted(wordnet.similar(name)),
        } == expected


def test_inflected_forms_have_nltks_base_forms() -> None:
    wordnet, forms = WordNet(), table("forms")
    differing = [
        (form, pos, expected, found)
        for form, pos, expected in zip(forms["form"], forms["pos"], forms["bases"], strict=True)
        if (found := wordnet.base_forms(form, pos)) != tuple(expected)
    ]
    assert len(forms["form"]) > 4_000
    assert differing == []


def test_antonyms_are_nltks() -> None:
    wordnet, words = WordNet(), table("antonyms")
    found = [wordnet.antonyms(word, pos) for word, pos in zip(words["word"], words["pos"], strict=True)]
    assert found == [tuple(antonyms) for antonyms in words["antonyms"]]
    assert sum(map(bool, found)) > 1_000
