"""What WordNet and concept measures cost.

    python perf/concepts.py [--rounds 11] [--database /usr/share/wordnet] [--pairs 100000]

WordNet: to load, against ``import numpy``; to compare 20 x 20 nouns, against NLTK. Measures: CA, NCS, CE and
SD of pairs with 11 ± 6 concepts a side, against the plain route by NLTK and networkx, with the same values.

Loading is measured in whole processes, started in turn; medians. NLTK is compared where it is installed and
its database is at hand: the files of Debian's package wordnet-base (3.0), in the folder named. It has all
synsets in memory before its time is taken, as we have.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.concepts.counted import count_pairs
from crossgauge.concepts.pairs import PairCounter
from crossgauge.concepts.requests import pairs_by_query
from crossgauge.concepts.scores import BATCH, concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.wordnet import WordNet
from crossgauge.scenes import Box, Scene, Thing

LOADING = {
    "import numpy": "import numpy",
    "load WordNet": "from crossgauge.concepts.wordnet import WordNet; WordNet()",
    "resolve a word": "from crossgauge.concepts.wordnet import WordNet; WordNet().resolve('zebras')",
}
SIDE = 20
VOCABULARY = 2000
SCENES = 20_000  # distinct ones a side
FILES = [f"{kind}.{pos}" for kind in ("data", "index") for pos in ("noun", "verb", "adj", "adv")]
EXCEPTIONS = [f"{pos}.exc" for pos in ("noun", "verb", "adj", "adv")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--database", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--pairs", type=int, default=100_000, help="of scenes; 0: do not measure them")
    arguments = parser.parse_args()
    if arguments.pairs:  # first, so that the peak of memory is theirs
        scene_pairs(arguments.pairs, arguments.database)
    loading(arguments.rounds)
    similarity(arguments.rounds, arguments.database)


def loading(rounds: int) -> None:
    """Print how long a process takes that loads WordNet, and how much of that is not numpy's."""
    taken: dict[str, list[float]] = {name: [] for name in LOADING}
    for _ in range(rounds + 1):
        for name, code in LOADING.items():
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            taken[name].append(time.perf_counter() - begun)
    floor = statistics.median(taken["import numpy"][1:])  # the first round fills the file cache
    for name, seconds in taken.items():
        middle = statistics.median(seconds[1:])
        print(
            f"{name:<16} {1000 * middle:6.0f} ms  {middle / floor:5.2f}x  {1000 * (middle - floor):+6.0f} ms"
        )


def similarity(rounds: int, database: Path) -> None:
    """Print the time of a pair of nouns, alone in a 20 x 20 block and in a vocabulary's, and NLTK's."""
    wordnet = WordNet()
    rows = np.random.default_rng(0).permutation(np.flatnonzero(wordnet.taxonomy.part == 0))
    vocabulary = [wordnet.concept(int(row)) for row in rows[:VOCABULARY]]
    left, right = vocabulary[:SIDE], vocabulary[SIDE : 2 * SIDE]
    theirs = peer(database, [*left, *right])
    for kind in ("path", "wup", "lch"):
        ours = microseconds(lambda kind=kind: wordnet.similarities(left, right, kind=kind), rounds) / SIDE**2
        block = (
            microseconds(lambda kind=kind: wordnet.similarities(vocabulary, vocabulary, kind=kind), 3)
            / VOCABULARY**2
        )
        line = f"{kind:<5} 20 x 20: {ours:7.3f} us a pair; {VOCABULARY} x {VOCABULARY}: {block:6.3f}"
        if theirs is not None:
            slow = microseconds(lambda kind=kind: theirs(left, right, kind), max(1, rounds // 4)) / SIDE**2
            np.testing.assert_array_equal(
                wordnet.similarities(left, right, kind=kind), theirs(left, right, kind)
            )
            line += f"; NLTK: {slow:6.0f}, {slow / ours:,.0f}x ours, the same values"
        print(line)


def microseconds(work: Callable[[], object], rounds: int) -> float:
    """Give the median processor time of a call after a first one."""
    work()
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return statistics.median(taken) * 1e6


def peer(
    database: Path, concepts: Sequence[str]
) -> Callable[[Sequence[str], Sequence[str], str], Any] | None:
    """Give NLTK's similarities of these concepts; None, with a line that says why, where there is no NLTK."""
    try:
        import nltk
        from nltk.corpus.reader.wordnet import WordNetCorpusReader
        from nltk.data import FileSystemPathPointer
    except ImportError:
        print("NLTK is not installed: nothing to compare with")
        return None
    if not (database / "data.noun").is_file():
        print(f"{database} has no WordNet database: NLTK has nothing to read")
        return None

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Map nothing: that would need the sense index of another version."""

    with tempfile.TemporaryDirectory() as folder:
        for name in (*FILES, *EXCEPTIONS):
            shutil.copy(database / name, folder)
        lexnames = "".join(f"{number:02d} file{number} 1\n" for number in range(45))  # needed, but not used
        Path(folder, "lexnames").write_text(lexnames, encoding="ascii")
        nltk.data.path.insert(0, folder)  # it reads nowhere else
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


def scene_pairs(count: int, database: Path) -> None:
    """Print the time of a pair in all measures, how it grows, peak memory, and what the plain route takes."""
    wordnet = WordNet()
    rows = np.random.default_rng(0).permutation(np.flatnonzero(wordnet.taxonomy.part == 0))
    concepts = [wordnet.concept(int(row)) for row in rows[:VOCABULARY]]
    for pairs in (max(1, count // 10), count):
        truths, others = (scenes(concepts, pairs, seed=seed) for seed in (1, 2))
        concept_scores(truths, others, hierarchy=wordnet, resamples=1)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{pairs:>7,} pairs, streamed: {memory} MiB at most")
    known = [list(scenes(concepts, min(count, SCENES), seed=seed)) for seed in (1, 2)]
    truths, others = ([side[n % len(side)] for n in range(count)] for side in known)
    print(f"{np.mean([len(scene.concepts) for scene in known[0]]):.1f} concepts a side")
    spent = 0.0
    for pairs in (max(1, count // 10), count):
        begun = time.process_time()
        asked = pairs_by_query(truths[:pairs], others[:pairs], None, ConceptSettings())
        count_pairs(PairCounter(wordnet, ConceptSettings()), asked, batch=BATCH)
        spent = 1e6 * (time.process_time() - begun) / pairs
        print(f"{pairs:>7,} pairs: {spent:6.1f} us a pair")
    for workers in (1, 2):
        taken = whole(workers, lambda n=workers: concept_scores(truths, others, hierarchy=wordnet, workers=n))
        print(f"{count:>7,} pairs, {workers} workers, with intervals: {taken}")
    by_peers = plain_route(database, truths[:SIDE], others[:SIDE])
    if by_peers is not None:
        slow, values = by_peers
        ours = concept_scores(truths[:SIDE], others[:SIDE], hierarchy=wordnet, resamples=1)
        for name, theirs in values.items():
            np.testing.assert_allclose(ours[name].per_query, theirs, rtol=0, atol=1e-12)
        print(f"NLTK and networkx: {slow:,.0f} us a pair, {slow / spent:,.0f}x ours; the same values")
    wide_pairs(wordnet, concepts, database)


def wide_pairs(wordnet: WordNet, concepts: Sequence[str], database: Path) -> None:
    """Print the same for 20 concepts a side, none of them common, each shown once and without a box."""
    rng = np.random.default_rng(3)
    known = np.array(concepts, dtype=object)
    drawn = np.array(
        [known[rng.permutation(VOCABULARY)[: 2 * SIDE]].reshape(2, SIDE) for _ in range(SCENES // 10)]
    )
    truths, others = (
        [Scene(f"{at}.{n}", tuple(Thing(name, name) for name in row)) for n, row in enumerate(side)]
        for at, side in enumerate((drawn[:, 0].tolist(), drawn[:, 1].tolist()))
    )
    begun = time.process_time()
    asked = pairs_by_query(truths * 50, others * 50, None, ConceptSettings())
    count_pairs(PairCounter(wordnet, ConceptSettings()), asked, batch=BATCH)
    spent = 1e6 * (time.process_time() - begun) / len(truths) / 50
    told = f"20 x 20 concepts: {spent:.1f} us a pair"
    by_peers = plain_route(database, truths[:SIDE], others[:SIDE])
    if by_peers is not None:
        told += f"; NLTK and networkx: {by_peers[0]:,.0f}, {by_peers[0] / spent:,.0f}x ours"
    print(told)


def whole(workers: int, work: Callable[[], object]) -> str:
    """Give the seconds of a call on the wall, and of processor time with its workers."""
    children = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    wall, own = time.perf_counter(), time.process_time()
    work()
    wall, own = time.perf_counter() - wall, time.process_time() - own
    theirs = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - children
    spent = (own + theirs) / workers
    return f"{wall:.2f} s; of processors {own:.2f} s here, {theirs:.2f} s there: {spent:.2f} s if free"


def scenes(concepts: Sequence[str], count: int, *, seed: int) -> Iterator[Scene]:
    """Give scenes with 11 ± 6 concepts, frequent ones more often, most of them once and with a box."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(concepts) + 1)
    weights /= weights.sum()
    for number in range(count):
        shown = np.unique(rng.choice(len(concepts), max(1, round(rng.normal(14, 7))), p=weights))
        repeated = np.repeat(shown, 1 + rng.poisson(0.5, len(shown)))
        sides, boxed = (
            rng.integers(1, 400, (len(repeated), 2)).tolist(),
            (rng.random(len(repeated)) < 0.95).tolist(),
        )
        things = (
            Thing(name, name, Box(0, 0, *size) if box else None)
            for name, size, box in zip((concepts[i] for i in repeated.tolist()), sides, boxed, strict=True)
        )
        yield Scene(f"{seed}.{number}", tuple(things))


def plain_route(
    database: Path, truths: Sequence[Scene], others: Sequence[Scene]
) -> tuple[float, dict[str, list[float]]] | None:
    """Give the microseconds of a pair, and the values, of the measures as one writes them with the peers."""
    try:
        import networkx
    except ImportError:
        print("networkx is not installed: nothing to compare with")
        return None
    similarities = peer(database, sorted({name for scene in (*truths, *others) for name in scene.concepts}))
    if similarities is None:
        return None
    values: dict[str, list[float]] = {name: [] for name in ("ca", "ncs", "ce", "sd")}
    begun = time.process_time()
    for truth, other in zip(truths, others, strict=True):
        here, there = truth.counts, other.counts
        common = here.keys() & there.keys()
        left, right = sorted(here.keys() - common), sorted(there.keys() - common)
        values["ca"].append(len(common) / len(here))
        values["ce"].append(sum(abs(here[name] - there[name]) for name in common))
        graph = networkx.Graph()
        for (i, j), near in np.ndenumerate(similarities(left, right, "path")):
            graph.add_edge(("truth", i), ("other", j), weight=near)
        couples = networkx.max_weight_matching(graph)
        values["ncs"].append(np.mean([graph.edges[one]["weight"] for one in couples]) if couples else np.nan)
        gaps = [
            gap for name in common for gap in matched_gaps(networkx, truth.boxes(name), other.boxes(name))
        ]
        values["sd"].append(np.mean([gap >= 1 for gap in gaps]) if gaps else np.nan)
    return 1e6 * (time.process_time() - begun) / len(truths), values


def matched_gaps(networkx: Any, truth: Sequence[Box], other: Sequence[Box]) -> list[float]:
    """Give the relative differences of the boxes of a concept, as networkx pairs them off."""
    if not truth or not other:
        return []
    graph = networkx.Graph()
    for i, here in enumerate(truth):
        for j, there in enumerate(other):
            graph.add_edge(("truth", i), ("other", j), weight=abs(here.area - there.area) / here.area)
    top = [("truth", i) for i in range(len(truth))]
    matching = networkx.bipartite.minimum_weight_full_matching(graph, top)
    return [graph.edges[one, matching[one]]["weight"] for one in top if one in matching]


if __name__ == "__main__":
    main()
