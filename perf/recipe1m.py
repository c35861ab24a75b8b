"""The Recipe1M protocol against the matrix products it needs, and the memory of reading its layer files.

    python perf/recipe1m.py [--quick] [--rounds N]    ten draws of 1,000 and of 10,000 pairs, both ways
    python perf/recipe1m.py --memory [--recipes N]    reads N generated recipes (default 1,029,720)

protocol: ``rank_draws`` of both directions: exact ranks of every drawn query. products: one float32
``np.matmul`` for each draw and direction, of the same rows, into one buffer. Rounds are interleaved in this
process, so a busy machine slows both; ratios are medians. Exits 1 above the target.

--memory writes layer files (1.3 KB a recipe) into a temporary folder, opens them in a process of its own and
prints its peak. Pictures are one file linked into the four-level folders.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PAIRS, DIMENSIONS, DRAWS = 51_303, 1024, 10  # of the published test split; of official embeddings
SIZES, QUICK = (1000, 10_000), (1000,)
TARGET = 2.0
RECIPES = 1_029_720  # in layer1.json
WITH_PICTURES = 0.39  # share of recipes in layer2.json (402,000 of them)
LIMIT = 4 << 30  # bytes, of the reader's peak
PAUSE = 0.2  # seconds: BLAS threads spin after a product, and would slow what comes next
WORDS = (
    "salt",
    "flour",
    "olive oil",
    "onion",
    "butter",
    "chopped",
    "stir",
    "until golden",
    "\\u00bd cup",
    "bake",
)


def speed(size: int, rounds: int) -> float:
    """One line for a size; returns the ratio of wall time."""
    import numpy as np

    from crossgauge.benchmarks.recipe1m.draws import draws
    from crossgauge.ranking import rank_draws
    from crossgauge.types import Qrels, Split

    rng = np.random.default_rng(0)
    images = rng.standard_normal((PAIRS, DIMENSIONS), dtype=np.float32)
    recipes = images + 6 * rng.standard_normal((PAIRS, DIMENSIONS), dtype=np.float32)
    drawn = draws("by-id", size=size, n=DRAWS, order=np.arange(PAIRS))
    split = Split((), (), Qrels.diagonal(PAIRS), draws=drawn)
    out = np.empty((size, size), np.float32)
    sides = ((images, recipes), (recipes, images))

    def products() -> None:
        for queries, corpus in sides:
            for draw in drawn:
                np.matmul(queries[draw.queries], corpus[draw.corpus].T, out=out)

    def protocol() -> None:
        for queries, corpus in sides:
            rank_draws(queries, corpus, split, top=0)

    runs = [(timed(products), timed(protocol)) for _ in range(rounds + 1)][1:]  # the first warms up
    wall, cpu = (float(np.median([ours[i] / floor[i] for floor, ours in runs])) for i in (0, 1))
    print(
        f"{DRAWS} draws of {size}, d={DIMENSIONS}, both ways: {wall:.2f}x wall, {cpu:.2f}x cpu of products",
        flush=True,
    )
    return wall


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of one call."""
    time.sleep(PAUSE)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def memory(count: int) -> bool:
    """Write the files, read them in a process of its own; whether its peak is within the limit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, count)
        sizes = ", ".join(
            f"{path.name} {path.stat().st_size / 2**20:.0f} MiB" for path in sorted(folder.glob("*.json"))
        )
        print(f"{count} recipes: {sizes}", flush=True)
        within = True
        for options in ({}, {"partition": "all", "filter": "none"}):
            done = subprocess.run(
                [sys.executable, __file__, "--read", name, json.dumps(options)],
                check=True,
                capture_output=True,
            )
            pairs, peak, seconds = json.loads(done.stdout)
            within &= peak <= LIMIT
            print(f"open({options}): {pairs} pairs, peak {peak / 2**30:.2f} GiB, {seconds:.0f} s", flush=True)
        return within


def read(folder: Path, options: dict[str, str]) -> None:
    """Open the data and print pairs, peak memory and seconds, as JSON."""
    import resource

    from crossgauge.benchmarks.recipe1m import BENCHMARK

    started = time.perf_counter()
    opened = BENCHMARK.open(folder, options)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps([len(opened.media()), peak, seconds]))


def write(folder: Path, count: int) -> None:
    """Layer files of ``count`` recipes, with one picture file behind all names."""
    from PIL import Image

    picture = folder / "picture.jpg"
    Image.new("RGB", (8, 8)).save(picture)
    shared = [folder / "images" / "/".join(f"{key:04x}") for key in range(256)]
    for place in shared:
        place.mkdir(parents=True)
    stream = random.Random(0)  # noqa: S311  (made-up words)
    pictured = 0
    with (
        (folder / "layer1.json").open("w") as one,
        (folder / "layer2.json").open("w") as two,
        (folder / "det_ingrs.json").open("w") as three,
    ):
        for number in range(count):
            recipe, names = made(number, stream)
            put(one, number, recipe)
            put(three, number, {"id": recipe["id"], "valid": [True] * len(names), "ingredients": names})
            if stream.random() < WITH_PICTURES:
                image = f"{number % 256:04x}{number:06x}.jpg"
                os.link(picture, shared[number % 256] / image) if pictured < 50_000 else (
                    shared[number % 256] / image
                ).symlink_to(picture)  # a file has at most 65,000 hard links
                put(
                    two,
                    pictured,
                    {"id": recipe["id"], "images": [{"id": image, "url": "http://x.example/a.jpg"}]},
                )
                pictured += 1
        for handle in (one, two, three):
            handle.write("]")


def put(handle: Any, number: int, element: dict[str, Any]) -> None:
    handle.write((", " if number else "[") + json.dumps(element))


def made(number: int, stream: random.Random) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """A recipe of about 1.3 KB, and its detected ingredients."""

    def lines(count: int, words: int) -> Iterator[dict[str, str]]:
        return ({"text": " ".join(stream.choices(WORDS, k=words))} for _ in range(count))

    names = list(lines(9, 1))
    recipe = {
        "ingredients": list(lines(9, 4)),
        "url": f"http://www.example.com/recipes/{number}",
        "partition": stream.choices(("train", "val", "test"), weights=(70, 15, 15))[0],
        "title": " ".join(stream.choices(WORDS, k=4)),
        "id": f"{number:010x}",
        "instructions": list(lines(10, 8)),
    }
    return recipe, names


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=f"only draws of {QUICK}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="measure reading, not ranking")
    parser.add_argument("--recipes", type=int, default=RECIPES)
    parser.add_argument("--read", nargs=2, metavar=("FOLDER", "OPTIONS"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.read:
        read(Path(asked.read[0]), json.loads(asked.read[1]))
        return 0
    if asked.memory:
        return int(not memory(asked.recipes))
    return int(any(speed(size, asked.rounds) > TARGET for size in (QUICK if asked.quick else SIZES)))


if __name__ == "__main__":
    sys.exit(main())
