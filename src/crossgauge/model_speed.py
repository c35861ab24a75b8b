"""How fast a model goes, stage by stage, and which stage holds it up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from crossgauge.batching import listed
from crossgauge.cache import Cache, content_key
from crossgauge.captioning import caption_items
from crossgauge.embeddings import encode_items
from crossgauge.engines.local import readers
from crossgauge.errors import Fault, InputError
from crossgauge.media import forget_digests
from crossgauge.store import Store
from crossgauge.types import Captioner, Encoder, Item, Model


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


class _Answering(Protocol):
    """What of the work differs between vectors and captions."""

    verb: str

    def answers(self, prepared: Sequence[Any]) -> Iterable[Any]:
        """The model's answer about each, in order."""
        ...

    def put(self, store: Store, answers: Mapping[bytes, Any]) -> None:
        """Keep them."""
        ...

    def run(self, items: Sequence[Item], cache: Cache, batch_size: int) -> None:
        """All stages, as a run does it."""
        ...


class _Encoding:
    verb = "encoding"

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def answers(self, prepared: Sequence[Any]) -> Iterable[Any]:
        return self._encoder.encode(prepared, role="corpus")

    def put(self, store: Store, answers: Mapping[bytes, Any]) -> None:
        store.put_many({key: np.array(row) for key, row in answers.items()})

    def run(self, items: Sequence[Item], cache: Cache, batch_size: int) -> None:
        encode_items(
            self._encoder, items, role="corpus", cache=cache, batch_size=batch_size, workers=readers()
        )


class _Writing:
    verb = "writing about"

    def __init__(self, captioner: Captioner) -> None:
        self._captioner = captioner

    def answers(self, prepared: Sequence[Any]) -> Iterable[Any]:
        return self._captioner.caption(prepared, language=None)

    def put(self, store: Store, answers: Mapping[bytes, Any]) -> None:
        store.put_captions({key: one if isinstance(one, str) else None for key, one in answers.items()})

    def run(self, items: Sequence[Item], cache: Cache, batch_size: int) -> None:
        caption_items(
            self._captioner, items, language=None, cache=cache, batch_size=batch_size, workers=readers()
        )


def measure_speed(model: Model, items: Sequence[Item], *, batch_size: int = 32) -> Speed:
    """Time the stages of encoding items, or of writing about them; each kind apart, after one batch.

    A model that does both is timed as an encoder; captions are asked for in no particular language. Raises
    InputError (E680) where the model takes none of the items.
    """
    kinds = _kinds(model, items)
    if not kinds:
        found = f"none of {len(items)} items is one that it takes"
        raise InputError(Fault("E680", f"model {model.name}", found, "items of its modalities"))
    answering = _Encoding(model) if isinstance(model, Encoder) else _Writing(model)
    stages: list[Stage] = []
    together: list[Stage] = []
    said: list[str] = []
    for kind, some in kinds.items():
        alone = _alone(model, answering, kind, some, batch_size=batch_size)
        whole = _together(answering, kind, some, batch_size)
        stages += alone
        together.append(whole)
        slowest = min(alone, key=lambda stage: stage.rate)
        said.append(_bottleneck(kind, slowest, whole, batches=-(-len(some) // batch_size)))
    return Speed(model.name, batch_size, readers(), tuple(stages), tuple(together), "; ".join(said))


def _kinds(model: Model, items: Iterable[Item]) -> dict[str, list[Item]]:
    """The items that the model takes, by what they hold: "images", "image+text items"."""
    found: dict[str, list[Item]] = {}
    for item in items:
        held = item.modalities
        if held and held <= model.modalities and (len(held) == 1 or model.joint):
            name = f"{listed(held)}s" if len(held) == 1 else f"{listed(held)} items"
            found.setdefault(name, []).append(item)
    return dict(sorted(found.items()))


def _bottleneck(kind: str, slowest: Stage, whole: Stage, *, batches: int) -> str:
    if batches == 1:
        return f"{kind} wait for {slowest.name}; they are one batch, so no stage went beside another"
    reached = f"{100 * whole.rate / slowest.rate:.0f} % of what it does alone"
    return f"{kind} wait for {slowest.name}; all stages together reach {reached}"


def _alone(
    model: Model, answering: _Answering, kind: str, items: Sequence[Item], *, batch_size: int
) -> list[Stage]:
    answering.answers([model.prepare(item) for item in items[:batch_size]])  # warm
    forget_digests()
    digests = _timed(f"reading {kind}", items, lambda: [content_key(item) for item in items])
    prepared: list[Any] = []
    with ThreadPoolExecutor(readers()) as pool:
        preparing = _timed(
            f"preparing {kind}", items, lambda: prepared.extend(pool.map(model.prepare, items))
        )
    parts: list[Iterable[Any]] = []

    def answer() -> None:
        starts = range(0, len(prepared), batch_size)
        parts.extend(answering.answers(prepared[at : at + batch_size]) for at in starts)

    answered = _timed(f"{answering.verb} {kind}", items, answer)
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        store = cache.store(model.name, model.revision)
        kept = {str(n).encode(): one for n, one in enumerate(one for part in parts for one in part)}
        storing = _timed(f"storing {kind}", items, lambda: answering.put(store, kept))
        cache.close()
    return [digests, preparing, answered, storing]


def _together(answering: _Answering, kind: str, items: Sequence[Item], batch_size: int) -> Stage:
    forget_digests()
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        stage = _timed(f"{kind}, all stages", items, lambda: answering.run(items, cache, batch_size))
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
