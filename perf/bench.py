"""One table: crossgauge, each peer that is installed, and the floor, as ratios of time and memory.

    python perf/bench.py [--rows 5000] [--pairs 3] [--json FILE] [--only WORD]
    python perf/bench.py --quick --check        # two minutes, ours alone, against perf/recorded.json
    python perf/bench.py --quick --record       # writes what the check compares with (perf/gate.py)

Ranks are compared with one float32 product of the same size, captions, intervals and concepts with ours.
Times are medians over pairs of runs in turn, in this process; memory is the growth of a process of its own,
over the bytes of the full matrix of scores. Peers come with the extra [bench]; what is missing is listed
with why.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import concepts
import gate
import numpy as np
from concept_peers import WORDNET, Missing, nltk_similarities, plain_route
from intervals import rows as interval_rows
from intervals import timed as interval_timed
from ours import our_ranks, ours_ranking
from peers import CAPTIONS, RETRIEVAL
from ranks import DIMENSIONS, planted
from rouge import captions
from timing import apart, growth, machine, ratios, start_again_with_a_plain_blas, timed, versions

from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.wordnet import WordNet
from crossgauge.ranking import native
from crossgauge.rouge import TokenIds, rouge_l, rouge_l_ids

HERE = Path(__file__).parent
SLOW = 20.0  # times the floor: such peers run once
NEAR = 0.001  # of R@10: what rounding may change
PACKAGES = (
    "crossgauge",
    "numpy",
    "scipy",
    "torch",
    "networkx",
    "nltk",
    *sorted({one.package for one in (*RETRIEVAL, *CAPTIONS)}),
)
FEW_SCENES, SCENES, TIMES = 20, 20_000, 5  # pairs of pictures: of the peers; of ours, and how often each
PLAIN = "NLTK and networkx"


@dataclass(frozen=True)
class Row:
    """One way to do the work of a case."""

    case: str
    who: str
    wall: float  # over the time of the case's unit
    cpu: float
    memory: float | None = None  # over the bytes of the matrix of scores
    note: str = ""
    ours: bool = False


def rank_rows(n: int, pairs: int, absent: dict[str, str]) -> Iterator[Row]:
    """Ranks of planted vectors, over one product."""
    case = f"ranks, {n:,} × {n:,} vectors of {DIMENSIONS} dimensions, over one float32 product"
    queries, corpus = planted(n)
    out = np.empty((n, n), np.float32)
    floor = functools.partial(np.matmul, queries, corpus.T, out=out)
    expected = ours_ranking("portable", queries, corpus, top=0)()
    ways = [(name, True, make, "") for name, make in our_ranks().items()]
    ways += [(one.name, False, one.make, one.lacks) for one in RETRIEVAL]
    for name, ours, make, note in ways:
        try:
            work = make(queries, corpus)
            work()  # whatever is done once
            found = work()
        except Exception as error:  # noqa: BLE001  (a peer that does not run is listed, whatever it raises)
            absent[name] = f"{type(error).__name__}: {str(error)[:120]}"
            continue
        wrong = f"R@10 {found:.4f} instead of {expected:.4f}; " if abs(found - expected) > NEAR else ""
        slow = timed(work)[0] > SLOW * timed(floor)[0]
        wall, cpu = ratios(work, floor, pairs=1 if slow else pairs)
        yield Row(case, name, wall, cpu, memory_of(name, n), wrong + note, ours=ours)


def memory_of(name: str, n: int) -> float | None:
    """Growth of a fresh process over the bytes of the matrix of scores."""
    try:
        return float(apart("bench.py", "--memory", name, "--rows", str(n))) / (4 * n * n)
    except (RuntimeError, ValueError):
        return None


def print_memory(name: str, n: int) -> None:
    """What ``memory_of`` runs: everything is imported and has run once, on few vectors."""
    make = our_ranks().get(name) or next(one.make for one in RETRIEVAL if one.name == name)
    queries, corpus = planted(n)
    make(queries[:64].copy(), corpus[:64].copy())()
    work = make(queries, corpus)
    print(growth(work))


def caption_rows(pairs: int, absent: dict[str, str]) -> Iterator[Row]:
    """ROUGE-L of new captions, a pair, over our default profile from texts."""
    for words, few in ((10, 2000), (50, 150)):
        case = f"ROUGE-L of {words}-word captions from texts, over crossgauge"
        answers, truths = captions(20_000, words, np.random.default_rng(words))
        unit = functools.partial(rouge_l, answers, truths, resamples=1)
        unit()
        yield Row(case, "crossgauge", 1.0, 1.0, ours=True)
        ids = [TokenIds.of([[hash(word) % 10**6 for word in text.split()] for text in side])
               for side in (answers, truths)]  # fmt: skip
        wall, cpu = ratios(lambda ids=ids: rouge_l_ids(*ids), unit, pairs=pairs)
        yield Row(case, "crossgauge, token numbers", wall, cpu, ours=True)
        for one in CAPTIONS:
            try:
                work = one.make(answers[:few], truths[:few])
                wall, cpu = ratios(work, unit, pairs=pairs)
            except Exception as error:  # noqa: BLE001
                absent[one.name] = f"{type(error).__name__}: {str(error)[:120]}"
                continue
            share = len(answers) / few
            yield Row(case, one.name, share * wall, share * cpu)


def interval_table(pairs: int) -> Iterator[Row]:
    """Intervals and paired tests, over ours."""
    for row in interval_rows(100_000):
        case = f"{row.name}, 100,000 queries, 10,000 resamples, over crossgauge"
        found = interval_timed(row, resamples=10_000, rounds=pairs)
        yield Row(case, "crossgauge", 1.0, 1.0, note="nothing is drawn", ours=True)
        yield Row(case, row.peer, found["wall"], found["cpu"], note="scaled up from 30 resamples")


def concept_rows(pairs: int, absent: dict[str, str]) -> Iterator[Row]:
    """Concept measures of a pair of pictures, and similarities alone, over ours."""
    wordnet = WordNet()
    vocabulary = concepts.nouns(wordnet)
    known = [list(concepts.scenes(vocabulary, SCENES, seed=seed)) for seed in (1, 2)]
    mean = np.mean([len(scene.concepts) for side in known for scene in side])
    wide = concepts.wide_scenes(vocabulary, SCENES)
    for title, sides in ((f"{mean:.0f} concepts a side and boxes", known), ("20 × 20 concepts", wide)):
        case = f"CA, NCS, CE and SD of a pair of pictures, {title}, over crossgauge"
        ours = functools.partial(concepts.measured, wordnet, *(side * TIMES for side in sides))
        note = f"{SCENES * TIMES:,} pairs, {SCENES:,} of them different; without intervals"
        yield Row(case, "crossgauge", 1.0, 1.0, note=note, ours=True)
        truths, others = (side[:FEW_SCENES] for side in sides)
        try:
            theirs = plain_route(WORDNET, truths, others)
        except Missing as why:
            absent[PLAIN] = str(why)
            continue
        ours()  # WordNet's table is made once, as NLTK has read its synsets
        values, mine = theirs(), concept_scores(truths, others, hierarchy=wordnet, resamples=1)
        same = all(np.allclose(mine[name].per_query, found, rtol=0, atol=1e-12, equal_nan=True)
                   for name, found in values.items())  # fmt: skip
        wall, cpu = (SCENES * TIMES / FEW_SCENES * ratio for ratio in ratios(theirs, ours, pairs=pairs))
        note = "the same values" if same else "OTHER VALUES"
        yield Row(case, PLAIN, wall, cpu, note=f"{note}; {FEW_SCENES} pairs")
    yield from similarity_rows(wordnet, vocabulary, pairs, absent)


def similarity_rows(
    wordnet: WordNet, vocabulary: list[str], pairs: int, absent: dict[str, str]
) -> Iterator[Row]:
    """Similarities of 20 × 20 nouns, over ours."""
    left, right = vocabulary[: concepts.SIDE], vocabulary[concepts.SIDE : 2 * concepts.SIDE]
    for kind in ("path", "wup"):
        case = f"similarity ({kind}) of 20 × 20 nouns, over crossgauge"
        yield Row(case, "crossgauge", 1.0, 1.0, ours=True)
        try:
            theirs = functools.partial(nltk_similarities(WORDNET, [*left, *right]), left, right, kind)
        except Missing as why:
            absent["NLTK"] = str(why)
            continue
        ours = functools.partial(wordnet.similarities, left, right, kind=kind)
        same = np.array_equal(ours(), theirs())
        many = functools.partial(lambda ours: [ours() for _ in range(20)], ours)  # of 100 µs each
        wall, cpu = (20 * ratio for ratio in ratios(theirs, many, pairs=pairs))
        yield Row(case, "NLTK", wall, cpu, note="the same values" if same else "OTHER VALUES")


def shown(row: Row) -> str:
    memory = "" if row.memory is None else f", memory {row.memory:.2f}"
    note = f"  ({row.note})" if row.note else ""
    return f"{row.wall:10.2f} wall {row.cpu:10.2f} cpu{memory}  {row.who}{note}"


def bench(options: argparse.Namespace) -> dict[str, object]:
    """Everything, printed as it is found."""
    absent: dict[str, str] = {}
    rows: list[Row] = []
    tables = {
        "ranks": lambda: rank_rows(options.rows, options.pairs, absent),
        "captions": lambda: caption_rows(options.pairs, absent),
        "intervals": lambda: interval_table(options.pairs),
        "concepts": lambda: concept_rows(options.pairs, absent),
    }
    for name, table in tables.items():
        for row in table() if not options.only or options.only in name else ():
            if not rows or rows[-1].case != row.case:
                print(f"\n{row.case}")
            rows.append(row)
            print(shown(row), flush=True)
    os.environ.pop(native.VARIABLE, None)
    for who, why in absent.items():
        print(f"not run: {who}: {why}")
    return {
        "machine": machine(), "versions": dict(versions(*PACKAGES)),
        "rows": [asdict(row) for row in rows], "absent": absent,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", help="ranks, captions, intervals or concepts")
    parser.add_argument("--json", type=Path, help="write the table here; docs/performance.md is made from it")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    parser.add_argument("--pass", dest="one_pass", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        print_memory(options.memory, options.rows)
        return 0
    if options.quick and options.one_pass:
        gate.print_ratios()
        return 0
    if options.quick and options.record:
        gate.record()
        return 0
    if options.quick:
        return min(1, gate.check())
    found = bench(options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    start_again_with_a_plain_blas()
    warnings.simplefilter("ignore")
    with contextlib.suppress(ImportError):  # torchvision's Python part beside a CPU build of torch
        sys.path.insert(1, str(HERE.parent))
        from tests.torchvision_operators import declare

        kept = declare()
    sys.exit(main())
