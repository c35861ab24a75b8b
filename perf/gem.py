"""How long a GEM submission takes to check and score, against merely parsing its bytes with pyarrow.csv.

    python perf/gem.py [--languages 2] [--size 1000] [--full] [--rounds 3] [--zip] [--ceiling 3]

Every language has size × size lines. ``--full`` takes 20 languages: 20 million lines at the default size.
parse: ``pyarrow.csv.read_csv`` of each file, its own types, one file in memory at a time.
truth: the data opened and hashed, which takes as long for any submission.
score: what ``score_submission`` takes besides: hash, read, check ids and pairs, rank, measure.
Rounds are interleaved; ratios are medians over rounds of score / parse, on the wall and of processor time.
Peak memory is that of this process, so the first figure holds what Python and Arrow take by themselves.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from crossgauge.submission import score_submission
from crossgauge.submission.truth import open_truth

CODES = "en es fr it pt de ko pl ca nl ja id vi cs ro tr gl hr hu ms".split()  # noqa: SIM905


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--languages", type=int, default=2)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--full", action="store_true", help="20 languages")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--zip", action="store_true", dest="zipped", help="score a zip of the folder")
    parser.add_argument("--ceiling", type=float, default=0.0, help="fail above this ratio, e.g. 3")
    asked = parser.parse_args()
    codes = CODES if asked.full else CODES[: asked.languages]
    with tempfile.TemporaryDirectory() as scratch:
        truth, folder = Path(scratch) / "GEM", Path(scratch) / "sub"
        for number, code in enumerate(codes):
            write(truth, folder, code, size=asked.size, seed=number)
        ratio = measure(truth, folder, zipped=asked.zipped, rounds=asked.rounds)
    if asked.ceiling and ratio > asked.ceiling:
        raise SystemExit(f"ratio {ratio:.2f} is above {asked.ceiling}")


def write(truth: Path, folder: Path, code: str, *, size: int, seed: int) -> None:
    """One language: its table and a full list of scores with six decimals."""
    scores = np.random.default_rng(seed).standard_normal((size, size)) + 3 * np.eye(size)
    table, file = truth / "GEM-I" / code / "test.tsv", folder / "QI" / f"{code}.prediction"
    for one in (table, file):
        one.parent.mkdir(parents=True, exist_ok=True)
    rows = "".join(f"{code}-q{n:06}\twords {n}\t{code}-i{n:06}\ttitle {n}\n" for n in range(size))
    table.write_text("query_id\tquery\timage_id\ttitle\n" + rows)
    with file.open("w") as out:
        for n, row in enumerate(scores.tolist()):
            out.writelines(f"{code}-q{n:06}\t{code}-i{m:06}\t{score:.6f}\n" for m, score in enumerate(row))


def measure(truth: Path, folder: Path, *, zipped: bool, rounds: int) -> float:
    """Print sizes, seconds, the ratio and memory."""
    files = sorted(folder.rglob("*.prediction"))
    size = sum(file.stat().st_size for file in files)
    sent = folder
    if zipped:
        sent = folder.with_suffix(".zip")
        with zipfile.ZipFile(sent, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(folder))
    parse(files[:1])  # imports are not parsing
    before = peak()
    acts: tuple[Callable[[], object], ...] = (
        lambda: parse(files),
        lambda: open_truth(truth, options={}).data.fingerprint,
        lambda: score_submission(sent, truth),
    )
    runs = [tuple(timed(act) for act in acts) for _ in range(rounds)]
    wall, cpu = ([(score[at] - opening[at]) / floor[at] for floor, opening, score in runs] for at in (0, 1))
    parsing, opening, whole = (statistics.median(one[at][0] for one in runs) for at in range(3))
    print(
        f"{len(files)} languages, {size / 1e6:.0f} MB{' (zip)' if zipped else ''}: parse {parsing:.2f} s, "
        f"truth {opening:.2f} s, score {whole - opening:.2f} s; ratio {statistics.median(wall):.2f} "
        f"({', '.join(f'{one:.2f}' for one in wall)}), of processor time {statistics.median(cpu):.2f}; "
        f"memory {before} MiB before, {peak()} MiB at most"
    )
    return statistics.median(wall)


def parse(files: Sequence[Path]) -> None:
    from pyarrow import csv

    names = csv.ReadOptions(column_names=["query", "item", "score"])
    for file in files:
        csv.read_csv(file, read_options=names, parse_options=csv.ParseOptions(delimiter="\t"))


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall and of processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - cpu


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    main()
