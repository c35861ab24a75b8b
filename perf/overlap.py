"""How much of the encoder's speed is left when pictures come from files.

    python perf/overlap.py [--model conse] [--pictures 400] [--rounds 5] [--floor 0.9]

network: ``encode()`` over inputs that ``prepare()`` has already made (squares in memory), on every core.
encoder: the encoder's own work on pictures decoded beforehand: its scaling and padding, then the network.
whole:   ``encode_items()`` of the same pictures from their files: digest, decode, scale, encode; no cache.
share:   whole / encoder, rounds interleaved so that all see the same noise, medians. ``--floor`` is about it.

Reading and decoding take processor time too, and here the network already takes every core, so no pipeline
can exceed ``bound`` = the processor time of the network / that of the whole, of the network's speed.
``overlap`` = (whole / network) / bound: 100 % means that no core ever waited.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from crossgauge.embeddings import encode_items
from crossgauge.media import content_digest, load_image
from crossgauge.models import load_model
from crossgauge.models._conse import cores
from crossgauge.types import Encoder, Item

STAMPS = Path(__file__).parents[1] / ".cache/stamps"
BATCH = 32


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="conse")
    parser.add_argument("--data", type=Path, default=STAMPS, help="a folder of .png files")
    parser.add_argument("--pictures", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--floor", type=float, default=0.0, help="fail below this share, e.g. 0.9")
    asked = parser.parse_args()
    paths = sorted(asked.data.rglob("*.png"))
    count = min(asked.pictures, len(paths))
    items = [Item(path.name, image=path) for path in (paths[len(paths) * n // count] for n in range(count))]
    encoder = load_model(asked.model)
    stages(encoder, items)
    share = pictures(encoder, items, asked.rounds)
    texts(encoder)
    if share < asked.floor:
        raise SystemExit(f"share {share:.2f} is below {asked.floor}")


def pictures(encoder: Encoder, items: Sequence[Item], rounds: int) -> float:
    """Print the three speeds, the overlap and the share; the share is returned."""
    inputs = [encoder.prepare(item) for item in items]
    decoded = {item.image: load_image(item.image, item=item.id) for item in items if item.image is not None}

    def whole() -> object:
        return encode_items(encoder, items, role="corpus", batch_size=BATCH)

    def on_decoded() -> object:
        with (
            patch("crossgauge.models._conse.load_image", lambda path, **_: decoded[path]),
            patch("crossgauge.cache.content_digest", lambda path, **_: str(path)),
        ):
            return whole()

    ways = {"network": lambda: encode_all(encoder, inputs), "encoder": on_decoded, "whole": whole}
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            runs[name].append(timed(way))
    wall = {name: [one for one, _ in run] for name, run in runs.items()}
    shares = [bare / full for bare, full in zip(wall["encoder"], wall["whole"], strict=True)]
    of_network = statistics.median(a / b for a, b in zip(wall["network"], wall["whole"], strict=True))
    cpu = {name: statistics.median(spent for _, spent in run) for name, run in runs.items()}
    speeds = ", ".join(
        f"{name} {len(items) / statistics.median(run):.1f} img/s" for name, run in wall.items()
    )
    share, bound = statistics.median(shares), min(1.0, cpu["network"] / cpu["whole"])
    print(
        f"{encoder.name}: {speeds}; share {share:.1%} (rounds {', '.join(f'{one:.0%}' for one in shares)}); "
        f"of the bare network {of_network:.1%}, bound {bound:.1%}, overlap {of_network / bound:.1%}; "
        f"{len(items)} pictures, {cores()} cores"
    )
    return share


def stages(encoder: Encoder, items: Sequence[Item]) -> None:
    """Print the processor milliseconds a picture of each stage, alone on one core."""
    paths = [item.image for item in items if item.image is not None]
    inputs: list[Any] = []
    load_image(paths[0], item="")  # imports are not decoding
    content_digest.__globals__["_digest"].cache_clear()
    spent = {
        "digest": alone(lambda: [content_digest(path) for path in paths]),
        "decode": alone(lambda: [load_image(path, item="") for path in paths]),
        "prepare, decode included": alone(lambda: inputs.extend(encoder.prepare(item) for item in items)),
    }
    encoder.encode(inputs[:1], role="corpus")
    spent["encode"] = alone(lambda: [encoder.encode([one], role="corpus") for one in inputs])
    print("; ".join(f"{name} {1000 * cpu / len(items):.2f} ms" for name, cpu in spent.items()))


def texts(encoder: Encoder, count: int = 1000) -> None:
    """Print how many short texts a second."""
    items = [Item(str(n), text=f"a small picture of thing number {n}") for n in range(count)]
    walls = [timed(lambda: encode_items(encoder, items, role="query", batch_size=BATCH))[0] for _ in range(3)]
    print(f"{encoder.name}: {count / statistics.median(walls):.0f} texts/s")


def encode_all(encoder: Encoder, inputs: Sequence[Any]) -> None:
    for at in range(0, len(inputs), BATCH):
        encoder.encode(inputs[at : at + BATCH], role="corpus")


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall and of processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - cpu


def alone(act: Callable[[], object]) -> float:
    cpu = time.thread_time()
    act()
    return time.thread_time() - cpu


if __name__ == "__main__":
    main()
