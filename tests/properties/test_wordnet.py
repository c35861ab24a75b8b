"""Nearness in hierarchies against its definitions, spelt out; and what holds for all of WordNet."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.concepts import _taxonomy
from crossgauge.concepts.custom import TableHierarchy, read_hierarchy
from crossgauge.concepts.wordnet import WordNet

Graph = Mapping[str, frozenset[str]]  # concept → parents
FAR = 10**6
NAMES = "gbfhadceij"  # not in the order of the table, since names decide between equals


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Concepts whose parents come before them: with several parents, roots, and ways of several lengths."""
    size = draw(st.integers(1, len(NAMES)))
    parents = [
        draw(st.frozensets(st.sampled_from(NAMES[:row]), max_size=3)) if row else frozenset()
        for row in range(size)
    ]
    return dict(zip(NAMES, parents, strict=False))


def written(graph: Graph, *, simulate_root: bool) -> TableHierarchy:
    rows = [f"{child},{parent}\n" for child, above in graph.items() for parent in sorted(above) or [""]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.csv"
        path.write_text("".join(rows), encoding="utf-8")
        return read_hierarchy(path, simulate_root=simulate_root)


class Spelt:
    """The definitions, over tables of all pairs (Floyd and Warshall) and all ways."""

    def __init__(self, graph: Graph, *, rooted: bool) -> None:
        self.graph, self.rooted = graph, rooted
        self.up = {(a, b): 0 if a == b else 1 if b in graph[a] else FAR for a in graph for b in graph}
        for via, a, b in itertools.product(graph, graph, graph):
            self.up[a, b] = min(self.up[a, b], self.up[a, via] + self.up[via, b])
        self.longest = max(len(way) - 1 for concept in graph for way in self.ways(concept))

    def ways(self, concept: str) -> list[list[str]]:
        above = self.graph[concept]
        return [[concept, *way] for parent in above for way in self.ways(parent)] or [[concept]]

    def to_root(self, concept: str) -> int:
        return 1 + max(steps for (one, _), steps in self.up.items() if one == concept and steps < FAR)

    def steps(self, a: str, b: str) -> int:
        ways = [self.up[a, c] + self.up[b, c] for c in self.graph]
        if self.rooted and a != b:
            ways.append(self.to_root(a) + self.to_root(b))
        return min(ways)

    def path(self, a: str, b: str) -> float:
        return 1 / (1 + self.steps(a, b)) if self.steps(a, b) < FAR else math.nan

    def lch(self, a: str, b: str) -> float:
        deepest = self.longest + self.rooted + 1  # a table of one's own counts concepts, not steps
        if self.steps(a, b) >= FAR:
            return math.nan
        return -math.log((1 + self.steps(a, b)) / (2 * deepest))

    def wup(self, a: str, b: str) -> float:
        lengths = {c: [len(way) - 1 for way in self.ways(c)] for c in self.graph}
        common = [c for c in self.graph if self.up[a, c] < FAR and self.up[b, c] < FAR]
        shallow = {c: min(lengths[c]) for c in common} | ({_taxonomy.ROOT: 0} if self.rooted else {})
        if not shallow:
            return math.nan
        lowest = sorted(c for c, depth in shallow.items() if depth == max(shallow.values()))
        chosen = a if a in lowest else lowest[0]
        if chosen == _taxonomy.ROOT:
            return 2 / (2 + self.to_root(a) + self.to_root(b))
        depth = 1 + max(lengths[chosen])
        return 2 * depth / (2 * depth + self.steps(a, chosen) + self.steps(b, chosen))


@pytest.mark.parametrize("kind", ["path", "wup", "lch"])
@settings(max_examples=150, deadline=None)
@given(graph=graphs(), rooted=st.booleans(), small=st.booleans())
def test_it_is_what_the_definitions_say(kind: str, graph: Graph, rooted: bool, small: bool) -> None:
    hierarchy, spelt, concepts = (
        written(graph, simulate_root=rooted),
        Spelt(graph, rooted=rooted),
        sorted(graph),
    )
    with pytest.MonkeyPatch.context() as patch:
        if small:  # one row at a time
            patch.setattr(_taxonomy, "_CELLS", 1)
        found = hierarchy.similarities(concepts, concepts, kind=kind)  # type: ignore[arg-type]
    expected = [[getattr(spelt, kind)(a, b) for b in concepts] for a in concepts]
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0)


@settings(max_examples=50, deadline=None)
@given(graph=graphs())
def test_depth_and_ways_are_those_of_the_graph(graph: Graph) -> None:
    hierarchy, spelt = written(graph, simulate_root=False), Spelt(graph, rooted=False)
    for concept in graph:
        ways = sorted(tuple(reversed(way)) for way in spelt.ways(concept))
        assert sorted(hierarchy.hypernym_paths(concept)) == ways
        assert hierarchy.depth(concept) == min(map(len, ways)) - 1
        assert set(hierarchy.parents(concept)) == graph[concept]
        assert set(hierarchy.hyponyms(concept)) == {child for child in graph if concept in graph[child]}


WORDNET = WordNet()
SIZE = len(WORDNET.taxonomy.part)
some = st.lists(st.integers(0, SIZE - 1).map(WORDNET.concept), min_size=1, max_size=12)


@settings(max_examples=100, deadline=None)
@given(left=some, right=some)
def test_path_is_symmetric_and_one_for_itself(left: list[str], right: list[str]) -> None:
    found = WORDNET.similarities(left, right)
    np.testing.assert_array_equal(found, WORDNET.similarities(right, left).T)
    assert ((found > 0) & (found <= 1)).all()
    assert np.array_equal(found == 1, [[a == b for b in right] for a in left])


@settings(max_examples=100, deadline=None)
@given(left=some, right=some)
def test_a_block_is_its_pairs(left: list[str], right: list[str]) -> None:
    for kind in ("path", "wup", "lch"):
        block = WORDNET.similarities(left, right, kind=kind)  # type: ignore[arg-type]
        alone = [[WORDNET.similarities([a], [b], kind=kind)[0, 0] for b in right[:3]] for a in left[:3]]  # type: ignore[arg-type]
        np.testing.assert_array_equal(block[:3, :3], alone)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, SIZE - 1))
def test_every_synset_is_found_by_its_name_and_its_id(node: int) -> None:
    concept = WORDNET.concept(node)
    assert WORDNET.node(concept) == node
    assert WORDNET.resolve(concept) == concept
    assert WORDNET.synset_of_wnid(WORDNET.wnid(concept)) == concept
    lemma, pos = concept.rsplit(".", 2)[:2]
    assert concept in WORDNET.senses(lemma, "a" if pos == "s" else pos)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=20))
def test_any_text_is_a_name(text: str) -> None:
    found = WORDNET.resolve(text)
    assert found is None or found in WORDNET
    assert isinstance(WORDNET.antonyms(text), tuple)
