"""What lies around a batch for a model: its size, what may be in it, and all that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from crossgauge.errors import Fault, InputError, Interrupted
from crossgauge.progress import Progress
from crossgauge.types import Item, Modality, Reads

BATCH = 32  # items at once, where neither the user nor the model says another number


@runtime_checkable
class Telling(Protocol):
    """A model with something to say about how it went: refusals, retries, tokens used."""

    def told(self) -> Sequence[str]:
        """The lines since the last call."""
        ...


def batch_size_of(model: object, asked: int | None) -> int:
    """How many items at once: as asked, else the model's own ``batch_size``, else 32.

    >>> batch_size_of(object(), None), batch_size_of(object(), 7)
    (32, 7)
    """
    hint = getattr(model, "batch_size", None)
    return asked or (hint if isinstance(hint, int) and hint > 0 else BATCH)


def check_modalities(model: Reads, items: Sequence[Item]) -> frozenset[Modality]:
    """All that the items hold; raises InputError (E401) for each that holds what the model does not take.

    >>> from crossgauge.models import load_model
    >>> sorted(check_modalities(load_model("random:2"), [Item("a", text="x"), Item("b", text="y")]))
    ['text']
    """
    able = model.modalities
    faults = []
    found: dict[tuple[bool, ...], frozenset[Modality]] = {}
    for item in items:
        kind = item.text is None, item.image is None, item.video is None
        held = found.get(kind)
        if held is None:
            held = found[kind] = item.modalities
        if not held or not held <= able:
            wanted = f"only {listed(able)}, all that model {model.name} takes"
            has = f"it holds {listed(held) or 'nothing'}"
            faults.append(Fault("E401", f"item {item.id}", has, wanted, "choose another model or task"))
    if faults:
        raise InputError(faults)
    return frozenset().union(*found.values())


class Refusals:
    """What cannot be read or answered, item by item: the rest goes on, and all of it is raised at the end."""

    def __init__(self, progress: Progress, *, rest: int) -> None:
        self._found: dict[bytes, Sequence[Fault]] = {}
        self._progress = progress
        self._tell = rest > 0  # there is enough to do for the user to want to know before it is done

    def add(self, found: Mapping[bytes, Sequence[Fault]]) -> None:
        """Keep these, and note the first of all (W670)."""
        self._found |= found
        first = next((faults[0] for faults in found.values() if faults), None)
        if self._tell and first is not None:
            self._tell = False
            told = replace(
                first, code="W670", wanted="", fix="none now: the others go on, then all is listed"
            )
            self._progress.note(str(told))

    def raise_all(self, items: Iterable[Item], keys: Iterable[bytes]) -> None:
        """Raise InputError with every fault, by the order of the items, each with its key.

        Of several files with the same content each is named; what is said of many otherwise, once.
        """
        first: dict[bytes, Item] = {}
        faults = [
            _of(item, fault, first[key])
            for item, key in zip(items, keys, strict=True)
            for fault in self._found.get(key, ())
            if first.setdefault(key, item) is item or item.image or item.video
        ]
        if faults:
            raise InputError(dict.fromkeys(faults))


def _of(item: Item, fault: Fault, other: Item) -> Fault:
    """The fault of an item, found with another of the same content."""
    place = fault.place.replace(f"item {other.id}", f"item {item.id}")
    for mine, its in ((item.image, other.image), (item.video, other.video)):
        place = place.replace(str(its), str(mine)) if its else place
    return fault if item is other else replace(fault, place=place)


def stop_if_asked(model: Reads, progress: Progress, *, done: int, of: int) -> None:
    """Raise Interrupted (E420) where the user asked to stop and there is still something to do."""
    if done < of and progress.stopping():
        found = f"stopped on request after {done} of {of} items"
        raise Interrupted(Fault("E420", f"model {model.name}", found, "", "run the same command again"))


def pass_on(model: Reads, progress: Progress) -> None:
    """Note what the model has to say."""
    if isinstance(model, Telling):
        for line in model.told():
            progress.note(f"{model.name}: {line}")


def failed(code: str, place: str, found: str, *, wanted: str = "") -> Fault:
    """A fault of the model's own code."""
    return Fault(code, place, found, wanted, "see the model's own code; --debug shows where")


def said(error: Exception) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {error}"


def span(batch: Sequence[Item]) -> str:
    """The first and the last item of a batch.

    >>> span([Item("a"), Item("b"), Item("c")])
    'items a … c'
    """
    return f"items {batch[0].id} … {batch[-1].id}"


def listed(modalities: Iterable[str]) -> str:
    """Modalities as one word.

    >>> listed({"text", "image"})
    'image+text'
    """
    return "+".join(sorted(modalities))
