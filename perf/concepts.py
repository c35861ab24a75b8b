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
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from concept_peers import Missing, nltk_similarities, plain_route

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
    vocabulary = nouns(wordnet)
    left, right = vocabulary[:SIDE], vocabulary[SIDE : 2 * SIDE]
    try:
        theirs = nltk_similarities(database, [*left, *right])
    except Missing as why:
        print(f"{why}: nothing to compare with")
        theirs = None
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


def nouns(wordnet: WordNet) -> list[str]:
    """Give as many concepts as there are in the vocabulary, drawn from all nouns."""
    rows = np.random.default_rng(0).permutation(np.flatnonzero(wordnet.taxonomy.part == 0))
    return [wordnet.concept(int(row)) for row in rows[:VOCABULARY]]


def microseconds(work: Callable[[], object], rounds: int) -> float:
    """Give the median processor time of a call after a first one."""
    work()
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return statistics.median(taken) * 1e6


def scene_pairs(many: int, database: Path) -> None:
    """Print the time of a pair in all measures, how it grows, peak memory, and what the plain route takes."""
    wordnet = WordNet()
    concepts = nouns(wordnet)
    for pairs in (max(1, many // 10), many, 4 * many):
        truths, others = (streamed(concepts, pairs, seed=seed) for seed in (1, 2))
        concept_scores(truths, others, hierarchy=wordnet)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{pairs:>7,} pairs, streamed: {memory:.0f} MiB at most")
    known = [list(scenes(concepts, min(many, SCENES), seed=seed)) for seed in (1, 2)]
    truths, others = ([side[n % len(side)] for n in range(4 * many)] for side in known)
    print(f"{np.mean([len(scene.concepts) for scene in known[0]]):.1f} concepts a side")
    spent = 0.0
    for pairs in (max(1, many // 10), many):
        begun = time.process_time()
        measured(wordnet, truths[:pairs], others[:pairs])
        spent = 1e6 * (time.process_time() - begun) / pairs
        print(f"{pairs:>7,} pairs: {spent:6.1f} us a pair")
    for pairs in (many, 4 * many):
        some = truths[:pairs], others[:pairs]
        for workers in (1, 2):
            work = partial(concept_scores, *some, hierarchy=wordnet, workers=workers)
            print(f"{pairs:>7,} pairs, {workers} workers, with intervals: {whole(workers, work)}")
    by_peers = plainly(database, truths[:SIDE], others[:SIDE])
    if by_peers is not None:
        slow, values = by_peers
        ours = concept_scores(truths[:SIDE], others[:SIDE], hierarchy=wordnet, resamples=1)
        for name, theirs in values.items():
            np.testing.assert_allclose(ours[name].per_query, theirs, rtol=0, atol=1e-12)
        print(f"NLTK and networkx: {slow:,.0f} us a pair, {slow / spent:,.0f}x ours; the same values")
    wide_pairs(wordnet, concepts, database)


def wide_pairs(wordnet: WordNet, concepts: Sequence[str], database: Path) -> None:
    """Print the same for 20 concepts a side, none of them common, each shown once and without a box."""
    truths, others = wide_scenes(concepts, SCENES // 10)
    begun = time.process_time()
    measured(wordnet, truths * 50, others * 50)
    spent = 1e6 * (time.process_time() - begun) / len(truths) / 50
    told = f"20 x 20 concepts: {spent:.1f} us a pair"
    by_peers = plainly(database, truths[:SIDE], others[:SIDE])
    if by_peers is not None:
        told += f"; NLTK and networkx: {by_peers[0]:,.0f}, {by_peers[0] / spent:,.0f}x ours"
    print(told)


def plainly(
    database: Path, truths: Sequence[Scene], others: Sequence[Scene]
) -> tuple[float, dict[str, list[float]]] | None:
    """Give the microseconds of a pair, and the values, with the peers; None, with a line that says why."""
    try:
        work = plain_route(database, truths, others)
    except Missing as why:
        print(f"{why}: nothing to compare with")
        return None
    begun = time.process_time()
    values = work()
    return 1e6 * (time.process_time() - begun) / len(truths), values


def measured(wordnet: WordNet, truths: Sequence[Scene], others: Sequence[Scene]) -> None:
    """Count everything that the measures of these pairs need."""
    asked = pairs_by_query(truths, others, None, ConceptSettings())
    count_pairs(PairCounter(wordnet, ConceptSettings()), asked, batch=BATCH)


def wide_scenes(concepts: Sequence[str], many: int) -> tuple[list[Scene], list[Scene]]:
    """Give pairs of scenes of 20 concepts a side, none of them common, each shown once and without a box."""
    rng = np.random.default_rng(3)
    known = np.array(concepts, dtype=object)
    drawn = np.array([known[rng.permutation(len(known))[: 2 * SIDE]].reshape(2, SIDE) for _ in range(many)])
    truths, others = (
        [Scene(f"{at}.{n}", tuple(Thing(name, name) for name in row)) for n, row in enumerate(side)]
        for at, side in enumerate((drawn[:, 0].tolist(), drawn[:, 1].tolist()))
    )
    return truths, others


def whole(workers: int, work: Callable[[], object]) -> str:
    """Give the seconds of a call on the wall, and of processor time with its workers."""
    children = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    wall, own = time.perf_counter(), time.process_time()
    work()
    wall, own = time.perf_counter() - wall, time.process_time() - own
    theirs = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - children
    spent = (own + theirs) / workers
    return f"{wall:.2f} s; of processors {own:.2f} s here, {theirs:.2f} s there: {spent:.2f} s if free"


def streamed(concepts: Sequence[str], many: int, *, seed: int) -> Iterator[Scene]:
    """Give scenes that nobody else holds, as a reader of files does; few of them differ in what they show."""
    known = list(scenes(concepts, min(many, VOCABULARY), seed=seed))
    for number in range(many):
        yield replace(known[number % len(known)], image=f"{seed}.{number}")


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


if __name__ == "__main__":
    main()
