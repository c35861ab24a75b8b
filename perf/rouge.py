"""ROUGE-L against the plain formula in Python: ratios of processor time, from token numbers and from texts.

    python perf/rouge.py [--rounds N] [--many]

The yardstick is pycocoevalcap's ``Rouge`` where it is installed, else a straightforward table in Python
written here (printed which). Runs alternate in one process, so a busy machine slows both; only ratios are
printed. ``--many`` also scores 1.2 million pairs and prints how much memory that took (Linux only). Exits 1
if token numbers of 10-word captions are less than 20 times as fast.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Callable

import numpy as np
from timing import growth

from crossgauge.rouge import PROFILES, TokenIds, rouge_l, rouge_l_ids

TARGET = 20  # times the yardstick, token numbers, 10 words
VOCABULARY, BETA = 2000, 1.2
PAIRS, MANY = 100_000, 1_200_000
YARDSTICK_PAIRS = {10: 2000, 50: 150}  # by words a caption


def table(candidate: list[str], reference: list[str]) -> float:
    """ROUGE-L with one reference, as a table of all prefixes."""
    rows = [[0] * (len(reference) + 1) for _ in range(len(candidate) + 1)]
    for i, one in enumerate(candidate):
        for j, other in enumerate(reference):
            rows[i + 1][j + 1] = rows[i][j] + 1 if one == other else max(rows[i][j + 1], rows[i + 1][j])
    precision, recall = rows[-1][-1] / len(candidate), rows[-1][-1] / len(reference)
    if not precision or not recall:
        return 0.0
    return ((1 + BETA**2) * precision * recall) / (recall + BETA**2 * precision)


def yardstick() -> tuple[str, Callable[[str, str], float]]:
    try:
        from pycocoevalcap.rouge.rouge import Rouge
    except ImportError:
        return "a plain table in Python", lambda one, two: table(one.split(" "), two.split(" "))
    peer = Rouge()
    return "pycocoevalcap", lambda one, two: float(peer.calc_score([one], [two]))


def captions(count: int, words: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Pairs of which about half of the words agree, with the word frequencies of a language."""
    share = 1.0 / np.arange(1, VOCABULARY + 1)
    names = np.array(["".join(chr(97 + int(digit)) for digit in str(n)) for n in range(VOCABULARY)])
    truth = rng.choice(VOCABULARY, size=(count, words), p=share / share.sum())
    other = rng.choice(VOCABULARY, size=(count, words), p=share / share.sum())
    answer = np.where(rng.random((count, words)) < 0.5, truth, other)
    return [" ".join(row) for row in names[answer]], [" ".join(row) for row in names[truth]]


def numbers(texts: list[str]) -> list[list[int]]:
    known: dict[str, int] = {}
    return [[known.setdefault(word, len(known)) for word in text.split()] for text in texts]


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(words: int, rounds: int) -> dict[str, float]:
    """How many times as fast as the yardstick each way is, per pair."""
    rng = np.random.default_rng(words)
    answers, truths = captions(PAIRS, words, rng)
    both = numbers(answers + truths)
    left, right = TokenIds.of(both[:PAIRS]), TokenIds.of(both[PAIRS:])
    name, peer = yardstick()
    few = YARDSTICK_PAIRS[words]
    np.testing.assert_array_equal(
        rouge_l_ids(left, right)[:few],
        [peer(*pair) for pair in zip(answers[:few], truths[:few], strict=True)],
    )
    ways: dict[str, Callable[[], object]] = {
        "token numbers (arrays)": lambda: rouge_l_ids(left, right),
        "token numbers (lists)": lambda: rouge_l_ids(both[:PAIRS], both[PAIRS:]),
    }
    for profile in PROFILES:
        ways[f"texts, {profile}"] = lambda profile=profile: rouge_l(
            answers, truths, profile=profile, resamples=1
        )
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, work in ways.items():
            slow = cpu(lambda: [peer(*pair) for pair in zip(answers[:few], truths[:few], strict=True)]) / few
            times[way].append(slow / (cpu(work) / PAIRS))
    ratios = {way: float(np.median(found)) for way, found in times.items()}
    for way, ratio in ratios.items():
        print(f"{words:3d} words  {way:24s} {ratio:7.1f} times {name}", flush=True)
    return ratios


def many() -> None:
    """Memory of few and of many pairs, beyond the texts themselves."""
    answers, truths = captions(MANY, 10, np.random.default_rng(0))
    for count in (PAIRS, MANY):
        megabytes = growth(functools.partial(rouge_l, answers[:count], truths[:count], resamples=1)) >> 20
        print(f"{count} pairs of texts: +{megabytes} MB")


def main() -> int:
    parser = argparse.ArgumentParser(description="ROUGE-L against the plain formula in Python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--many", action="store_true")
    arguments = parser.parse_args()
    ratios = {words: compare(words, arguments.rounds) for words in YARDSTICK_PAIRS}
    if arguments.many:
        many()
    return int(ratios[10]["token numbers (arrays)"] < TARGET)


if __name__ == "__main__":
    sys.exit(main())
