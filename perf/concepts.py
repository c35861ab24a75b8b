"""What WordNet costs: to load, against ``import numpy``; to compare 20 x 20 nouns, against NLTK.

    python perf/concepts.py [--rounds 11] [--database /usr/share/wordnet]

Loading is measured in whole processes, started in turn; medians. NLTK is compared where it is installed and
its database is at hand: the files of Debian's package wordnet-base (3.0), in the folder named. It has all
synsets in memory before its time is taken, as we have.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.concepts.wordnet import WordNet

LOADING = {
    "import numpy": "import numpy",
    "load WordNet": "from crossgauge.concepts.wordnet import WordNet; WordNet()",
    "resolve a word": "from crossgauge.concepts.wordnet import WordNet; WordNet().resolve('zebras')",
}
SIDE = 20
VOCABULARY = 2000
FILES = [f"{kind}.{pos}" for kind in ("data", "index") for pos in ("noun", "verb", "adj", "adv")]
EXCEPTIONS = [f"{pos}.exc" for pos in ("noun", "verb", "adj", "adv")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--database", type=Path, default=Path("/usr/share/wordnet"))
    arguments = parser.parse_args()
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


if __name__ == "__main__":
    main()
