"""From items to vectors: each distinct content once, decoded ahead of the model, kept at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crossgauge.batching import BATCH, Refusals, check_modalities, failed, listed, pass_on, span
from crossgauge.cache import Cache, content_key
from crossgauge.engines import Answer, Asked, Encoding, Engine, Local, take
from crossgauge.errors import Fault, InputError
from crossgauge.keeping import Keeper
from crossgauge.misses import refuse, tell, usable
from crossgauge.missing import Missing, Source
from crossgauge.progress import Progress, Silent
from crossgauge.types import Embeddings, Encoder, Item, OnNonfinite, Role, Vectors

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def encode_items(
    encoder: Encoder,
    items: Sequence[Item],
    *,
    role: Role,
    cache: Cache | None = None,
    progress: Progress | None = None,
    batch_size: int = BATCH,
    workers: int = 2,
    on_nonfinite: OnNonfinite = "error",
    engine: Engine | None = None,
) -> Embeddings:
    """One vector for each item, in order, (len(items), D); float32, or float64 where the encoder gives that.

    Equal content (text, bytes of picture and video; role, if the encoder uses it) is encoded once and looked
    up in ``cache`` first. What is missing is encoded in the order of the items (texts alone: by length),
    ``batch_size`` at a time, while ``workers`` threads read and prepare the next; ``engine`` may do it in
    other processes instead (:mod:`crossgauge.engines`). Every finished batch is stored at once, so a killed
    run loses what each model is at, and of quick batches what 0.2 s made (:mod:`crossgauge.keeping`). An
    encoder that is not ``cacheable`` gets every item, duplicates included.

    ``on_nonfinite="miss"`` makes rows that are not finite, or zero, all NaN, not an error (E408);
    ``progress`` is told once of each such item (W410).

    What is wrong with some items (they cannot be prepared, their vectors have no direction) does not keep the
    others from being encoded and stored; then InputError lists all of it, and the next call does the rest.
    Raises at once: InputError (E401–E407) for an encoder that breaks its contract, and E408 where not one
    vector is good; EnvironmentFault where the cache cannot be written; Interrupted (E420) when
    ``progress.stopping()`` says so, after the current batch is stored.

    >>> from crossgauge.models import load_model
    >>> found = encode_items(load_model("random:8"), [Item("a", text="x"), Item("b", text="x")], role="query")
    >>> found.vectors.shape, bool((found.vectors[0] == found.vectors[1]).all())
    ((2, 8), True)
    """
    told = progress or Silent()
    held = check_modalities(encoder, items)
    told.stage(f"encode {listed(held)} {role}", len(items))
    store = cache.store(encoder.name, encoder.revision) if cache is not None and encoder.cacheable else None
    refusals = Refusals(told, rest=len(items) - batch_size)
    rows = _Rows(encoder.name)
    source = Source(_key_of(encoder, role), store.get_many if store else lambda _: {})
    missing = Missing(items, source, rows.add, batch_size, workers, refusals, told)
    keeping = _Keeping(encoder.name, on_nonfinite, refusals, rows, set())
    asked = Asked(encoder, Encoding(role), engine or Local(workers), told, refusals)
    try:
        take(asked, missing, keeping.keep, store.put_many if store else None)
        refusals.raise_all(items, missing.keys)
    finally:
        lost = [item.id for key, item in missing.wanted.items() if key in keeping.misses]
        tell(encoder.name, lost, told)
        pass_on(encoder, told)
    if store is not None:
        _tell(store.findings(), told)
    return Embeddings(tuple(item.id for item in items), rows.stacked(missing.keys))


def _key_of(encoder: Encoder, role: Role) -> Callable[[Item], bytes] | None:
    """What stands for an item's content; None where the encoder goes by more than that."""
    if not encoder.cacheable:
        return None
    counts = role if encoder.uses_role else None
    return lambda item: content_key(item, role=counts)


class _Rows:
    """The vectors so far, by content; all of one dimension and type."""

    def __init__(self, model: str) -> None:
        self.by_key: dict[bytes, Vectors] = {}
        self._model = model
        self._kind: tuple[int, np.dtype[Any]] | None = None

    def add(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Take more vectors; raises InputError (E402) when they are not like the earlier ones."""
        for vector in vectors.values():
            self._check(vector)
        self.by_key.update(vectors)

    def add_rows(self, rows: Vectors, vectors: Mapping[bytes, Vectors]) -> None:
        """Take some rows of one matrix, of which one look is enough; raises like :meth:`add`."""
        if vectors:
            self._check(rows[0])
        self.by_key.update(vectors)

    def _check(self, vector: Vectors) -> None:
        kind = (len(vector), vector.dtype)
        self._kind = self._kind or kind
        if kind != self._kind:
            found = f"vectors of {kind[0]} {kind[1]} after {self._kind[0]} {self._kind[1]}"
            fix = "a new revision for a changed model; one dimension for all modalities"
            raise InputError(Fault("E402", f"model {self._model}", found, "one dimension and type", fix))

    def stacked(self, keys: Sequence[bytes]) -> Vectors:
        """One row a key, (len(keys), D); (0, 0) when there is none."""
        if not keys:
            return np.zeros((0, 0), dtype=np.float32)
        rows = np.concatenate(
            [self.by_key[key] for key in keys]
        )  # of one length each: a tenth of np.stack's time
        return rows.reshape(len(keys), -1)


@dataclass(frozen=True, slots=True)
class _Keeping:
    """What becomes of the rows that the model returned."""

    model: str
    on_nonfinite: OnNonfinite
    refusals: Refusals
    rows: _Rows  # filled in on the way
    misses: set[bytes]  # keys of items without a direction, filled in on the way

    def keep(self, answer: Answer, keeper: Keeper[Vectors]) -> None:
        """Check the rows of one batch; the good ones are stored whatever is wrong with the others."""
        batch = answer.batch
        place = f"model {self.model}, {span([item for _, item in batch])}"
        vectors = _checked(answer.returned, len(batch), place)
        bad = ~usable(vectors)
        found = {key: vector for (key, _), vector, no in zip(batch, vectors, bad, strict=True) if not no}
        keeper.keep(found)
        refused = {key: item.id for (key, item), no in zip(batch, bad, strict=True) if no}
        try:
            refuse(self.model, list(refused.values()), self.on_nonfinite)
        except InputError as error:
            if not found and not self.rows.by_key:  # no item's fault: the model has no good vector to give
                raise
            self.refusals.add({key: [fault] for key, fault in zip(refused, error.faults, strict=True)})
        else:
            self.misses.update(refused)
            nothing = np.full(vectors.shape[1], np.nan, dtype=vectors.dtype)
            found |= dict.fromkeys(refused, nothing)
        self.rows.add_rows(vectors, found)


def _checked(vectors: Vectors, count: int, place: str) -> Vectors:
    """The rows themselves, once they are what ``encode`` promised; raises InputError (E403, E404)."""
    shape = getattr(vectors, "shape", None)
    if shape is None or len(shape) != 2 or shape[0] != count or shape[1] == 0:  # noqa: PLR2004  (rows × dimensions)
        found = type(vectors).__name__ if shape is None else f"an array of shape {tuple(shape)}"
        raise InputError(failed("E403", place, found, wanted=f"shape ({count}, D): one row an item"))
    if not isinstance(vectors, np.ndarray) or vectors.dtype not in _FLOATS:
        found = f"{type(vectors).__name__} of {getattr(vectors, 'dtype', '?')}"
        fix = "vectors.float().cpu().numpy(), or .astype(np.float32), at the end of encode()"
        raise InputError(Fault("E404", place, found, "a NumPy array of float32", fix))
    return vectors


def _tell(faults: Iterable[Fault], progress: Progress) -> None:
    for fault in faults:
        progress.note(str(fault))
