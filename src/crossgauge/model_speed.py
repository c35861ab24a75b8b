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

from crossgauge.cache import Cache, content_key
from crossgauge.embeddings import encode_items
from crossgauge.errors import Fault, InputError
from crossgauge.media import forget_digests
from crossgauge.types import Encoder, Item

READERS = 2  # threads that read ahead of the model


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
    together: tuple[Stage, ...]  # pictures, texts: as a run does it, from files to the cache
    bottleneck: str


def measure_speed(encoder: Encoder, items: Sequence[Item], *, batch_size: int = 32) -> Speed:
    """Time the stages of encoding these items, pictures and texts apart, after one batch to warm up.

    Raises InputError (E680) where the model takes none of the items.
    """
    kinds = {
        kind: [item for item in items if item.modalities == {kind}]
        for kind in ("image", "text", "video")
        if kind in encoder.modalities
    }
    kinds = {kind: some for kind, some in kinds.items() if some}
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
        said.append(_bottleneck(kind, min(alone, key=lambda stage: stage.rate), whole))
    return Speed(encoder.name, batch_size, READERS, tuple(stages), tuple(together), "; ".join(said))


def _bottleneck(kind: str, slowest: Stage, whole: Stage) -> str:
    reached = f"{100 * whole.rate / slowest.rate:.0f} % of what it does alone"
    return f"{kind}s wait for {slowest.name}; all stages together reach {reached}"


def _alone(encoder: Encoder, kind: str, items: Sequence[Item], batch_size: int) -> list[Stage]:
    encoder.encode([encoder.prepare(item) for item in items[:batch_size]], role="corpus")  # warm
    forget_digests()
    digests = _timed(f"reading {kind}s", items, lambda: [content_key(item) for item in items])
    prepared: list[Any] = []
    with ThreadPoolExecutor(READERS) as pool:
        preparing = _timed(
            f"preparing {kind}s", items, lambda: prepared.extend(pool.map(encoder.prepare, items))
        )
    rows: list[Any] = []

    def encode() -> None:
        starts = range(0, len(prepared), batch_size)
        rows.extend(encoder.encode(prepared[at : at + batch_size], role="corpus") for at in starts)

    encoding = _timed(f"encoding {kind}s", items, encode)
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        store = cache.store(encoder.name, encoder.revision)
        vectors = {
            str(n).encode(): np.array(row) for n, row in enumerate(row for some in rows for row in some)
        }
        storing = _timed(f"storing {kind}s", items, lambda: store.put_many(vectors))
        cache.close()
    return [digests, preparing, encoding, storing]


def _together(encoder: Encoder, kind: str, items: Sequence[Item], batch_size: int) -> Stage:
    forget_digests()
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        stage = _timed(
            f"{kind}s, all stages",
            items,
            lambda: encode_items(
                encoder, items, role="corpus", cache=cache, batch_size=batch_size, workers=READERS
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
