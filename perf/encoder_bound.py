"""How much of a fast model's own rate is reached when pictures come from files: 5 ms a batch, real PNGs.

    python perf/encoder_bound.py [--batches 100] [--milliseconds 5] [--side 64] [--rounds 5] [--floor 0.95]
        [--engine local|apart|processes]

model:  the model alone: it takes so many milliseconds a batch of 32, as one on an accelerator does, and no
        processor time; the rate it would reach if everything else cost nothing.
texts, pictures: ``encode_items()`` of distinct texts, or of distinct PNG files (the emoji of this package),
        keys, decoding, checks and storing in a cache on disk included.
        ``--no-cache`` leaves out the storing.
share:  model / wall, rounds interleaved, medians. Reading takes processor time, so the share of pictures has
        a ``bound``: the model's time against that in which all cores could hash and decode the files; and
        one that small pictures are nearer to, whose reading mostly holds Python's lock: that of one core.

``--engine apart`` has processes read for the model from the start, as ``local`` does once the model has
waited for five seconds; ``processes`` measures that engine against as many models as it has workers.
"""

from __future__ import annotations

import argparse
import io
import math
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.cache import Cache, content_key
from crossgauge.embeddings import encode_items
from crossgauge.engines import Engine, Recipe, open_engine
from crossgauge.engines.local import Local
from crossgauge.media import forget_digests, load_image
from crossgauge.ranking.workers import usable_cpus
from crossgauge.types import Item

BATCH = 32


class Timed:
    """Decodes, and takes a fixed time a batch: no core is busy with it."""

    name, revision, languages, similarity = "timed", "1", None, "cosine"
    modalities = frozenset({"text", "image"})
    uses_role, joint, cacheable = False, False, True
    lazy_weights = True  # so that processes may read for it

    def __init__(self, milliseconds: str) -> None:
        self.seconds = float(milliseconds) / 1000

    def prepare(self, item: Item) -> np.ndarray:
        if item.image is None:
            return np.full(8, len(str(item.text)), np.float32)
        return np.asarray(load_image(item.image, item=item.id))[::8, ::8].ravel().astype(np.float32)

    def encode(self, prepared: Sequence[np.ndarray], *, role: str) -> np.ndarray:  # noqa: ARG002
        time.sleep(self.seconds)
        rows = np.zeros((len(prepared), 512), np.float32)
        for row, one in zip(rows, prepared, strict=True):
            row[: len(one)] = 1 + one[:512]
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--milliseconds", type=float, default=5.0)
    parser.add_argument("--side", type=int, default=64, help="pixels a side of the pictures")
    parser.add_argument("--no-cache", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engine", default="local", choices=["local", "apart", "processes"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--floor", type=float, default=0.0, help="fail where texts are below, e.g. 0.95")
    asked = parser.parse_args()
    count = asked.batches * BATCH
    spec = f"python:encoder_bound:Timed:{asked.milliseconds}"
    with tempfile.TemporaryDirectory() as scratch, closing(engine_of(asked, spec)) as engine:
        items = {
            "texts": [Item(f"t{n}", text=f"a small picture of thing {n}") for n in range(count)],
            "pictures": pictures(Path(scratch) / "pictures", count, side=asked.side),
        }
        models = asked.workers if asked.engine == "processes" else 1
        shares = measure(asked, items, engine, scratch=Path(scratch), models=models)
        some = items["pictures"][: 20 * BATCH]
        forget_digests()
        read = alone(lambda: [(content_key(one), load_image(one.image, item="")) for one in some]) / len(some)
    one = asked.milliseconds / models / (1000 * read * BATCH)
    print(
        f"one of {asked.side} pixels a side is hashed and decoded in {1000 * read:.2f} ms of one core, so "
        f"{usable_cpus()} cores bound the share of pictures at {min(1, one * usable_cpus()):.0%}, "
        f"one core at {min(1, one):.0%}"
    )
    if shares["texts"] < asked.floor:
        raise SystemExit(f"texts: {shares['texts']:.3f} is below {asked.floor}")


def engine_of(asked: Any, spec: str) -> Engine:
    from crossgauge.models import load_model

    if asked.engine == "processes":
        return open_engine("processes", asked.workers, Recipe(spec, load_model))
    return Local(asked.workers, Recipe(spec, load_model), patience=0 if asked.engine == "apart" else math.inf)


def measure(
    asked: Any, items: dict[str, list[Item]], engine: Engine, *, scratch: Path, models: int
) -> dict[str, float]:
    """Print and return the share of each kind."""
    model, shares = Timed(str(asked.milliseconds)), {}
    warm = [Item(f"w{n}", text=f"{n}" * 9) for n in range(2 * BATCH * models)]
    encode_items(model, warm, role="query", engine=engine)
    encode_items(model, items["pictures"][: 6 * BATCH], role="query", engine=engine)
    for kind, some in items.items():
        runs = []
        for number in range(asked.rounds):
            floor = wall(lambda: [model.encode([np.ones(3)] * BATCH, role="") for _ in range(asked.batches)])
            cache = None if asked.no_cache else Cache(scratch / f"{kind}{number}")
            forget_digests()
            whole = wall(lambda: encode_items(
                model, some, role="query", batch_size=BATCH, engine=engine, cache=cache,  # noqa: B023
            ))  # fmt: skip
            if cache is not None:
                cache.close()
            runs.append((floor / models, whole))
        share = shares[kind] = statistics.median(floor / whole for floor, whole in runs)
        rates = ", ".join(f"{floor / whole:.0%}" for floor, whole in runs)
        print(
            f"{asked.engine}, {asked.workers} workers: {kind} {len(some) / runs[-1][1]:.0f}/s, "
            f"share of the model's own rate {share:.1%} (rounds {rates})"
        )
    return shares


def pictures(folder: Path, count: int, *, side: int) -> list[Item]:
    """So many PNG files, no two with the same bytes: the emoji, again and again, each with its own note."""
    from PIL import Image, PngImagePlugin

    folder.mkdir()
    contents = emoji()
    items = []
    for n in range(count):
        path = folder / f"{n}.png"
        note = PngImagePlugin.PngInfo()
        note.add_text("n", str(n))
        picture = Image.open(io.BytesIO(contents[n % len(contents)]))
        if picture.width != side:
            picture = picture.convert("RGBA").resize((side, side))
        picture.save(path, pnginfo=note)
        items.append(Item(path.name, image=path))
    return items


def emoji() -> list[bytes]:
    data = Path(str(resources.files("crossgauge.benchmarks") / "data" / "emoji"))
    loose = sorted(data.rglob("*.png"))
    if loose:
        return [path.read_bytes() for path in loose]
    with zipfile.ZipFile(next(data.glob("*.zip"))) as archive:
        return [archive.read(name) for name in sorted(archive.namelist()) if name.endswith(".png")]


def wall(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def alone(act: Callable[[], object]) -> float:
    began = time.thread_time()
    act()
    return time.thread_time() - began


if __name__ == "__main__":
    main()
