"""How fast a model goes, stage by stage, and which stage holds it up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from crossgauge.batching import listed
from crossgauge.cache import Cache, content_key
from crossgauge.embeddings import encode_items
from crossgauge.engines.local import readers
from crossgauge.errors import Fault, InputError
from crossgauge.media import forget_digests
from crossgauge.types import Encoder, Item


class Stage(msgspec.Struct, frozen=True):
    """One part of the work, measured alone."""

    name: str
    items: int
    seconds: float

    @property
    def rate(self) -> float:
        """Items a second."""
        return self.items / self.seconds if self.seconds > 0 else float("inf")


class Speed(msgspec.Struct, frozen=True):
    """Every stage alone, and all of them together, after a first batch that does not count."""

    model: str
    batch_size: int
    readers: int  # threads that prepare
    stages: tuple[Stage, ...]
    together: tuple[Stage, ...]  # pictures, texts, both in one: as a run does it, from files to the cache
    bottleneck: str


def measure_speed(encoder: Encoder, items: Sequence[Item], *, batch_size: int = 32) -> Speed:
    """Time the stages of encoding these items, each kind apart, after one batch to warm up.

    Raises InputError (E680) where the model takes none of the items.
    """
    kinds = _kinds(encoder, items)
    if not kinds:
        found = f"none of {len(items)} items is one that it takes"
        raise InputError(Fault("E680", f"model {encoder.name}", found, "items of its modalities"))
    stages: list[Stage] = []
    together: list[Stage] = []
    said: list[str] = []
    for kind, some in kinds.items():
        alone = _alone(encoder, kind, some, batch_size)
        whole = _together(encoder, kind, some, batch_size)
        stages += alone
        together.append(whole)
        slowest = min(alone, key=lambda stage: stage.rate)
        said.append(_bottleneck(kind, slowest, whole, batches=-(-len(some) // batch_size)))
    return Speed(encoder.name, batch_size, readers(), tuple(stages), tuple(together), "; ".join(said))


def _kinds(encoder: Encoder, items: Iterable[Item]) -> dict[str, list[Item]]:
    """The items that the encoder takes, by what they hold: "images", "image+text items"."""
    found: dict[str, list[Item]] = {}
    for item in items:
        held = item.modalities
        if held and held <= encoder.modalities and (len(held) == 1 or encoder.joint):
            name = f"{listed(held)}s" if len(held) == 1 else f"{listed(held)} items"
            found.setdefault(name, []).append(item)
    return dict(sorted(found.items()))


def _bottleneck(kind: str, slowest: Stage, whole: Stage, *, batches: int) -> str:
    if batches == 1:
        return f"{kind} wait for {slowest.name}; they are one batch, so no stage went beside another"
    reached = f"{100 * whole.rate / slowest.rate:.0f} % of what it does alone"
    return f"{kind} wait for {slowest.name}; all stages together reach {reached}"


def _alone(encoder: Encoder, kind: str, items: Sequence[Item], batch_size: int) -> list[Stage]:
    encoder.encode([encoder.prepare(item) for item in items[:batch_size]], role="corpus")  # warm
    forget_digests()
    digests = _timed(f"reading {kind}", items, lambda: [content_key(item) for item in items])
    prepared: list[Any] = []
    with ThreadPoolExecutor(readers()) as pool:
        preparing = _timed(
            f"preparing {kind}", items, lambda: prepared.extend(pool.map(encoder.prepare, items))
        )
    rows: list[Any] = []

    def encode() -> None:
        starts = range(0, len(prepared), batch_size)
        rows.extend(encoder.encode(prepared[at : at + batch_size], role="corpus") for at in starts)

    encoding = _timed(f"encoding {kind}", items, encode)
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        store = cache.store(encoder.name, encoder.revision)
        vectors = {
            str(n).encode(): np.array(row) for n, row in enumerate(row for some in rows for row in some)
        }
        storing = _timed(f"storing {kind}", items, lambda: store.put_many(vectors))
        cache.close()
    return [digests, preparing, encoding, storing]


def _together(encoder: Encoder, kind: str, items: Sequence[Item], batch_size: int) -> Stage:
    forget_digests()
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        stage = _timed(
            f"{kind}, all stages",
            items,
            lambda: encode_items(
                encoder, items, role="corpus", cache=cache, batch_size=batch_size, workers=readers()
            ),
        )
        cache.close()
    return stage


def _timed(name: str, items: Sequence[Item], act: Callable[[], object]) -> Stage:
    begun = time.perf_counter()
    act()
    return Stage(name, len(items), time.perf_counter() - begun)


def distinct(items: Iterable[Item], *, most: int) -> list[Item]:
    """The first ``most`` items of each kind that hold different things.

    >>> [item.id for item in distinct((Item(name, text=name.lower()) for name in "aAb"), most=9)]
    ['a', 'b']
    """
    seen: set[tuple[Any, ...]] = set()
    counts: dict[frozenset[str], int] = {}
    found = []
    for item in items:
        key = (item.text, item.image, item.video)
        kind = frozenset(item.modalities)
        if key not in seen and counts.get(kind, 0) < most:
            seen.add(key)
            counts[kind] = counts.get(kind, 0) + 1
            found.append(item)
    return found
