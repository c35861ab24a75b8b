"""Concept measures as one writes them with NLTK and networkx: the same values, by the plain route."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.scenes import Box, Scene

WORDNET = Path("/usr/share/wordnet")  # Debian's package wordnet-base
PARTS = ("noun", "verb", "adj", "adv")
FILES = [f"{kind}.{part}" for kind in ("data", "index") for part in PARTS] + [f"{part}.exc" for part in PARTS]

Values = dict[str, list[float]]


class Missing(Exception):
    """Why there is no peer here."""


def nltk_similarities(database: Path, concepts: Sequence[str]) -> Callable[..., Any]:
    """NLTK's similarities of these concepts, as a function of two sides and a kind; raises Missing."""
    try:
        import nltk
        from nltk.corpus.reader.wordnet import WordNetCorpusReader
        from nltk.data import FileSystemPathPointer
    except ImportError as error:
        raise Missing("NLTK is not installed") from error
    if not (database / "data.noun").is_file():
        raise Missing(f"{database} has no WordNet database for NLTK to read (Debian: wordnet-base)")

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Map nothing: that would need the sense index of another version."""

    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            shutil.copy(database / name, folder)
        lexnames = "".join(f"{number:02d} file{number} 1\n" for number in range(45))  # needed, but not used
        Path(folder, "lexnames").write_text(lexnames, encoding="ascii")
        nltk.data.path.insert(0, folder)  # it reads nowhere else
        with warnings.catch_warnings():  # that there are no other languages
            warnings.simplefilter("ignore")
            reader = Reader(FileSystemPathPointer(folder), None)
        synsets = {concept: reader.synset(concept) for concept in concepts}
        for one in synsets.values():
            one.path_similarity(one), one.max_depth()
        next(iter(synsets.values())).lch_similarity(next(iter(synsets.values())))  # finds the depth once

    def similarities(left: Sequence[str], right: Sequence[str], kind: str) -> Any:
        return np.array(
            [[getattr(synsets[a], f"{kind}_similarity")(synsets[b]) for b in right] for a in left], float
        )

    return similarities


def plain_route(database: Path, truths: Sequence[Scene], others: Sequence[Scene]) -> Callable[[], Values]:
    """What gives CA, NCS, CE and SD of each pair; all synsets are in memory before. Raises Missing."""
    try:
        import networkx
    except ImportError as error:
        raise Missing("networkx is not installed") from error
    concepts = sorted({name for scene in (*truths, *others) for name in scene.concepts})
    similarities = nltk_similarities(database, concepts)

    def work() -> Values:
        values: Values = {name: [] for name in ("ca", "ncs", "ce", "sd")}
        for truth, other in zip(truths, others, strict=True):
            one = _pair(networkx, similarities, truth, other)
            for name, value in one.items():
                values[name].append(value)
        return values

    return work


def _pair(networkx: Any, similarities: Callable[..., Any], truth: Scene, other: Scene) -> dict[str, float]:
    here, there = truth.counts, other.counts
    common = here.keys() & there.keys()
    left, right = sorted(here.keys() - common), sorted(there.keys() - common)
    graph = networkx.Graph()
    for (i, j), near in np.ndenumerate(similarities(left, right, "path")):
        graph.add_edge(("truth", i), ("other", j), weight=near)
    couples = networkx.max_weight_matching(graph)
    gaps = [gap for name in common for gap in _gaps(networkx, truth.boxes(name), other.boxes(name))]
    return {
        "ca": len(common) / len(here),
        "ncs": float(np.mean([graph.edges[one]["weight"] for one in couples])) if couples else np.nan,
        "ce": sum(abs(here[name] - there[name]) for name in common),
        "sd": float(np.mean([gap >= 1 for gap in gaps])) if gaps else np.nan,
    }


def _gaps(networkx: Any, truth: Sequence[Box], other: Sequence[Box]) -> list[float]:
    """The relative differences of the boxes of a concept, as networkx pairs them off."""
    if not truth or not other:
        return []
    graph = networkx.Graph()
    for i, here in enumerate(truth):
        for j, there in enumerate(other):
            graph.add_edge(("truth", i), ("other", j), weight=abs(here.area - there.area) / here.area)
    top = [("truth", i) for i in range(len(truth))]
    matching = networkx.bipartite.minimum_weight_full_matching(graph, top)
    return [graph.edges[one, matching[one]]["weight"] for one in top if one in matching]
