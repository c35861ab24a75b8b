"""How much of the bare encoder's speed is left when pictures come from files.

    python perf/overlap.py [--model conse] [--pictures 400] [--rounds 5]

encoder: ``encode()`` of the model over inputs that ``prepare()`` has already made (uint8 squares in memory),
         batch after batch, on every core this process may use: network, class mixing, nothing else.
whole:   ``encode_items()`` of the same pictures from their files: digest, decode, scale, encode; no cache.
share:   whole / encoder, rounds interleaved so that both see the same noise, medians.

Reading and decoding take processor time too, and here the network already takes every core, so the share
cannot exceed ``bound`` = encode / (prepare + encode), both in processor seconds a picture. ``overlap`` =
share / bound is what the pipeline can be blamed for: 100 % means that no core ever waited.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
    parser.add_argument("--floor", type=float, default=0.0, help="fail below this overlap, e.g. 0.9")
    asked = parser.parse_args()
    paths = sorted(asked.data.rglob("*.png"))
    count = min(asked.pictures, len(paths))
    items = [Item(path.name, image=path) for path in (paths[len(paths) * n // count] for n in range(count))]
    encoder = load_model(asked.model)
    stages(encoder, items)
    overlap = pictures(encoder, items, asked.rounds)
    texts(encoder)
    if overlap < asked.floor:
        raise SystemExit(f"overlap {overlap:.2f} is below {asked.floor}")


def pictures(encoder: Encoder, items: Sequence[Item], rounds: int) -> float:
    """Print both speeds, their ratio and its bound; the overlap is returned."""
    inputs = [encoder.prepare(item) for item in items]
    runs: dict[str, list[tuple[float, float]]] = {"encoder": [], "whole": []}
    for _ in range(rounds):
        runs["encoder"].append(timed(lambda: encode_all(encoder, inputs)))
        runs["whole"].append(timed(lambda: encode_items(encoder, items, role="corpus", batch_size=BATCH)))
    speed = {name: len(items) / statistics.median(wall for wall, _ in run) for name, run in runs.items()}
    spent = {name: statistics.median(cpu for _, cpu in run) for name, run in runs.items()}
    shares = [bare / whole for (bare, _), (whole, _) in zip(runs["encoder"], runs["whole"], strict=True)]
    share, bound = statistics.median(shares), min(1.0, spent["encoder"] / spent["whole"])
    print(
        f"{encoder.name}: encoder {speed['encoder']:.1f} img/s, whole {speed['whole']:.1f} img/s, "
        f"share {share:.1%} (rounds {', '.join(f'{one:.0%}' for one in shares)}), bound {bound:.1%}, "
        f"overlap {share / bound:.1%}; {len(items)} pictures, {cores()} cores"
    )
    return share / bound


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
